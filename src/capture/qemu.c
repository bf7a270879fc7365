/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program in QEMU user mode with the recorder in it.
 *
 * The recorder writes to a pipe, and what it has not written yet lies in memory that we share. When
 * the pipe ends because the program has ended, the rest is taken from there, so that the trace
 * holds the last instruction however the program died.
 *
 * The program sees what it would see without us: our two files have high numbers, the environment
 * is ours, and so are the signals that are ignored (nohup). A caller may ask the program to end;
 * then the trace ends with it.
 */
#include "capture/qemu.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "config.h"
#include "formats/capture/stream.h"

#define ARENAS "MALLOC_ARENA_MAX"
enum { HIGH_FD = 900, MOST_HEADERS = 256, PIPE_SIZE = 1 << 20, HEED_MS = 100 };

static const struct machine {
	uint16_t number;
	uint8_t bits, isa; /* isa 0: no format holds its instructions */
	const char *arch, *triplet, *package;
} machines[] = {
	{EM_RISCV, 64, CAIRN_ISA_RV64, "riscv64", "riscv64-linux-gnu", "libc6-riscv64-cross"},
	{EM_RISCV, 32, CAIRN_ISA_RV32, "riscv32", "riscv32-linux-gnu", NULL},
	{EM_AARCH64, 64, CAIRN_ISA_A64, "aarch64", "aarch64-linux-gnu", "libc6-arm64-cross"},
	{EM_SPARCV9, 64, CAIRN_ISA_SPARC, "sparc64", "sparc64-linux-gnu", "libc6-sparc64-cross"},
	{EM_X86_64, 64, 0, "x86-64", NULL, NULL},
	{EM_386, 32, 0, "x86", NULL, NULL},
};

/* ---- files ---- */

/* Find `name` as a shell would. */
static bool find_program(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	struct stat st;
	if (strchr(name, '/')) {
		size_t n = strlen(name);
		if (n >= size)
			return false;
		memcpy(out, name, n + 1);
		return stat(out, &st) == 0 && S_ISREG(st.st_mode);
	}
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		int len = snprintf(out, size, "%.*s/%s", (int)n, n ? p : ".", name);
		if (len > 0 && (size_t)len < size && stat(out, &st) == 0 && S_ISREG(st.st_mode) &&
		    access(out, X_OK) == 0)
			return true;
		p += n + (p[n] == ':');
	}
	return false;
}

/* An ELF file's headers: of 32 or of 64 bits, in either byte order. */
struct elf {
	int fd;
	bool wide, big;
	uint8_t head[sizeof(Elf64_Ehdr)];
};

static uint64_t elf_number(const struct elf *elf, const uint8_t *p, unsigned n)
{
	return elf->big ? base_be(p, n) : base_le(p, n);
}

/* ELF_FIELD(elf, p, Phdr, p_type): a member of the header at p. */
#define ELF_SIZE(type, member) (unsigned)sizeof(((type *)NULL)->member)
#define ELF_FIELD(elf, p, type, member) \
	((elf)->wide \
	     ? elf_number(elf, (p) + offsetof(Elf64_##type, member), ELF_SIZE(Elf64_##type, member)) \
	     : elf_number(elf, (p) + offsetof(Elf32_##type, member), ELF_SIZE(Elf32_##type, member)))

/* The program headers: where its code is, and who loads its libraries. */
static void look_at_segments(struct qemu *qemu, const struct elf *elf)
{
	uint64_t at = ELF_FIELD(elf, elf->head, Ehdr, e_phoff);
	uint64_t size = ELF_FIELD(elf, elf->head, Ehdr, e_phentsize);
	uint64_t n = ELF_FIELD(elf, elf->head, Ehdr, e_phnum);
	uint8_t p[64];
	if (size < (elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) || size > sizeof p ||
	    n > MOST_HEADERS)
		return;
	qemu->text = UINT64_MAX;
	for (uint64_t i = 0; i < n; i++) {
		if (pread(elf->fd, p, (size_t)size, (off_t)(at + i * size)) != (ssize_t)size)
			return;
		uint64_t type = ELF_FIELD(elf, p, Phdr, p_type), flags = ELF_FIELD(elf, p, Phdr, p_flags);
		uint64_t addr = ELF_FIELD(elf, p, Phdr, p_vaddr), from = ELF_FIELD(elf, p, Phdr, p_offset);
		uint64_t len = ELF_FIELD(elf, p, Phdr, p_filesz);
		if (type == PT_LOAD && flags & PF_X && addr < qemu->text)
			qemu->text = addr;
		if (type == PT_INTERP && len < sizeof qemu->interpreter &&
		    pread(elf->fd, qemu->interpreter, (size_t)len, (off_t)from) != (ssize_t)len)
			qemu->interpreter[0] = 0;
	}
}

/* NULL: the context has the reason. */
static const struct machine *what_is(struct qemu *qemu)
{
	struct elf elf = {.fd = open(qemu->program, O_RDONLY | O_CLOEXEC)};
	ssize_t n = elf.fd < 0 ? -1 : pread(elf.fd, elf.head, sizeof elf.head, 0);
	const struct machine *machine = NULL;
	elf.big = elf.head[EI_DATA] == ELFDATA2MSB;
	elf.wide = elf.head[EI_CLASS] == ELFCLASS64;
	uint64_t number = ELF_FIELD(&elf, elf.head, Ehdr, e_machine);
	uint64_t type = ELF_FIELD(&elf, elf.head, Ehdr, e_type);
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (machines[i].number == number && machines[i].bits == (elf.wide ? 64 : 32))
			machine = &machines[i];
	if (elf.fd < 0)
		base_fail_errno(qemu->cairn, errno, "%s", qemu->program);
	else if (n < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(elf.head, ELFMAG, SELFMAG) != 0)
		base_fail(
			qemu->cairn, CAIRN_E_FORMAT,
			"%s: is not an ELF file, so QEMU cannot run it (for a script, name the interpreter)",
			qemu->program);
	else if (type != ET_EXEC && type != ET_DYN)
		base_fail(qemu->cairn, CAIRN_E_FORMAT,
		          "%s: is an ELF file, but not a program: it was not linked", qemu->program);
	else if (!machine)
		base_fail(qemu->cairn, CAIRN_E_UNSUPPORTED,
		          "%s: a program of ELF machine %llu, which cairn cannot record; it can RISC-V, "
		          "AArch64 and SPARC V9",
		          qemu->program, (unsigned long long)number);
	else if (!machine->isa)
		base_fail(qemu->cairn, CAIRN_E_UNSUPPORTED,
		          "%s: an %s program, and no format that cairn writes holds instructions of more "
		          "than 4 bytes",
		          qemu->program, machine->arch);
	else
		look_at_segments(qemu, &elf);
	if (elf.fd >= 0)
		close(elf.fd);
	return qemu->text || (machine && machine->isa && n >= (ssize_t)sizeof(Elf32_Ehdr)) ? machine
	                                                                                   : NULL;
}

/* Look beside the running program, as in the build folder or in an installation, else where the
 * library was to be installed. */
static bool find_plugin(struct qemu *qemu)
{
	static const char name[] = "cairn-recorder.so";
	static const char *const beside[] = {"recorder", "../" CAIRN_LIBDIR "/cairn"};
	char self[4000];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *given = getenv("CAIRN_PLUGIN_FOLDER");
	if (n > 0) {
		self[n] = 0;
		*strrchr(self, '/') = 0;
	}
	for (unsigned i = 0; i < 4; i++) {
		if (i == 0 && given)
			snprintf(qemu->plugin, sizeof qemu->plugin, "%s/%s", given, name);
		else if (i == 3)
			snprintf(qemu->plugin, sizeof qemu->plugin, "%s/%s", CAIRN_PLUGIN_FOLDER, name);
		else if (i && n > 0)
			snprintf(qemu->plugin, sizeof qemu->plugin, "%s/%s/%s", self, beside[i - 1], name);
		if (qemu->plugin[0] && access(qemu->plugin, R_OK) == 0)
			return true;
	}
	base_fail(
		qemu->cairn, CAIRN_E_NOTFOUND,
		"the recorder, %s, is neither beside the command nor in %s: run make, or make install",
		name, CAIRN_PLUGIN_FOLDER);
	return false;
}

/* Where the loader of a dynamic program is. */
static bool find_sysroot(struct qemu *qemu, const struct machine *machine)
{
	char loader[8192];
	const char *given = qemu->opts->sysroot, *env = getenv("QEMU_LD_PREFIX");
	if (given)
		snprintf(qemu->sysroot, sizeof qemu->sysroot, "%s", given);
	if (!qemu->interpreter[0] || (!given && env))
		return true;
	if (!given)
		snprintf(qemu->sysroot, sizeof qemu->sysroot, "/usr/%s", machine->triplet);
	snprintf(loader, sizeof loader, "%s%s", qemu->sysroot, qemu->interpreter);
	if (access(loader, R_OK) == 0)
		return true;
	if (given || !machine->package)
		base_fail(qemu->cairn, CAIRN_E_NOTFOUND,
		          "%s: is linked dynamically, and %s is not there: link it statically, or name the "
		          "folder of its libraries with --sysroot",
		          qemu->program, loader);
	else
		base_fail(qemu->cairn, CAIRN_E_NOTFOUND,
		          "%s: is linked dynamically, and %s is not there: apt-get install %s, link it "
		          "statically, or name the folder of its libraries with --sysroot",
		          qemu->program, loader, machine->package);
	return false;
}

/* What QEMU prints for one option, as much as fits. */
static void capture_qemu_ask(const struct qemu *qemu, const char *option, char *out, size_t size)
{
	int fds[2];
	*out = 0;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		execl(qemu->path, qemu->path, option, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	ssize_t n;
	size_t got = 0;
	while (pid > 0 && (n = read(fds[0], out + got, size - 1 - got)) > 0)
		got += (size_t)n;
	out[got] = 0;
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Its version, and whether it takes plugins: distributions build some without. */
static int judge_qemu(struct qemu *qemu)
{
	enum { ANSWER = 1 << 16 };
	char *text = base_alloc(qemu->cairn, ANSWER);
	unsigned v[3] = {0, 0, 0};
	if (!text)
		return CAIRN_E_NOMEM;
	capture_qemu_ask(qemu, "--version", text, ANSWER);
	const char *p = strstr(text, "version ");
	bool known = p && sscanf(p, "version %3u.%3u.%3u", &v[0], &v[1], &v[2]) >= 2;
	for (int i = 0; i < 3; i++)
		qemu->version[i] = (uint8_t)v[i];
	if (known)
		capture_qemu_ask(qemu, "-h", text, ANSWER);
	bool plugins = strstr(text, "-plugin") != NULL;
	base_free(qemu->cairn, text);
	if (!known)
		return base_fail(qemu->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: is not QEMU: it does not print its version", qemu->path);
	return plugins ? 0
	               : base_fail(qemu->cairn, CAIRN_E_UNSUPPORTED,
	                           "%s: QEMU %u.%u.%u was built without plugins, as Debian's are from "
	                           "10 on: name one that was configured with --enable-plugins, "
	                           "--qemu FILE",
	                           qemu->path, v[0], v[1], v[2]);
}

int qemu_find(struct qemu *qemu)
{
	char name[64];
	const char *given = qemu->opts->qemu;
	if (!find_program(qemu->opts->argv[0], qemu->program, sizeof qemu->program))
		return base_fail(qemu->cairn, CAIRN_E_NOTFOUND, "%s: there is no such program",
		                 qemu->opts->argv[0]);
	const struct machine *machine = what_is(qemu);
	if (!machine || !machine->isa)
		return cairn_error_status(qemu->cairn);
	qemu->arch = machine->arch;
	qemu->isa = machine->isa;
	qemu->riscv = machine->number == EM_RISCV;
	snprintf(name, sizeof name, "qemu-%s", machine->arch);
	if (!find_program(given ? given : name, qemu->path, sizeof qemu->path))
		return given
		           ? base_fail(qemu->cairn, CAIRN_E_NOTFOUND, "%s: there is no such QEMU", given)
		           : base_fail(qemu->cairn, CAIRN_E_NOTFOUND,
		                       "%s, which runs the program, is missing: apt-get install qemu-user",
		                       name);
	if (!find_plugin(qemu) || !find_sysroot(qemu, machine))
		return cairn_error_status(qemu->cairn);
	return judge_qemu(qemu);
}

/* ---- running ---- */

/* Arguments of the plugin; a comma separates them, doubled it is a comma. */
static void plugin_arguments(const struct qemu *qemu, const struct capture_range *range, int fd,
                             int tail, char *out, size_t size)
{
	size_t n = 0;
	for (const char *p = qemu->plugin; *p && n + 2 < size; p++) {
		out[n++] = *p;
		if (*p == ',')
			out[n++] = ',';
	}
	n += (size_t)snprintf(out + n, size - n, ",fd=%d,tail=%d,regs=%s", fd, tail,
	                      qemu->opts->no_regs ? "off" : "on");
	if (range->has_start)
		n += (size_t)snprintf(out + n, size - n, ",start=%llu", (unsigned long long)range->start);
	if (range->has_stop)
		n += (size_t)snprintf(out + n, size - n, ",stop=%llu", (unsigned long long)range->stop);
	if (range->has_start || range->has_stop)
		n += (size_t)snprintf(out + n, size - n, ",text=%llu,fixed=%d",
		                      (unsigned long long)qemu->text,
		                      range->start_fixed | range->stop_fixed << 1);
	snprintf(out + n, size - n, ",start_n=%llu,stop_n=%llu,most=%llu",
	         (unsigned long long)range->start_n, (unsigned long long)range->stop_n,
	         (unsigned long long)range->most);
}

/* A CPU that is the same in all versions: newer ones choose vectors for RISC-V, and more than 128
 * bits for A64. NULL: QEMU's choice. */
static const char *capture_qemu_cpu_of(const struct qemu *qemu)
{
	if (qemu->opts->cpu)
		return qemu->opts->cpu;
	if (!strcmp(qemu->arch, "aarch64"))
		return qemu->version[0] > 7 || (qemu->version[0] == 7 && qemu->version[1] >= 1)
		           ? "max,sve=off,sme=off"
		           : "max,sve=off";
	return !strcmp(qemu->arch, "riscv64") ? "rv64" : !strcmp(qemu->arch, "riscv32") ? "rv32" : NULL;
}

/* Does the CPU differ from the one without a choice only in its vectors? */
static bool only_vectors(const char *cpu, const char *usual)
{
	static const char *const words[] = {"v=", "vlen=", "elen=", "vext_spec="};
	size_t n = strlen(usual);
	if (strncmp(cpu, usual, n) != 0)
		return false;
	for (const char *p = cpu + n; *p; p += strcspn(p, ",")) {
		bool known = false;
		for (size_t i = 0; i < sizeof words / sizeof *words && *p == ','; i++)
			known |= !strncmp(p + 1, words[i], strlen(words[i]));
		if (!known)
			return false;
		p++;
	}
	return true;
}

bool qemu_isa_string(const struct qemu *qemu, bool vectors, char *text, size_t size)
{
	const char *usual = qemu->isa == CAIRN_ISA_RV32 ? "rv32" : "rv64";
	if (qemu->opts->cpu && !only_vectors(qemu->opts->cpu, usual))
		return false;
	snprintf(text, size, "%simafdc%s_zicsr_zifencei_zba_zbb_zbc_zbs", usual, vectors ? "v" : "");
	return true;
}

/* In the child; returns an errno if it cannot become QEMU. */
static void become_qemu(const struct qemu *qemu, const struct capture_range *range, int fd,
                        int tail)
{
	static char args[3 * 4096];
	const struct cairn_capture_opts *opts = qemu->opts;
	const char **argv = calloc(opts->argc + 16, sizeof *argv);
	size_t n = 0;
	bool new_name = qemu->version[0] > 8 || (qemu->version[0] == 8 && qemu->version[1] >= 1);
	if (!argv || (opts->out_to_err && dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
		return;
	plugin_arguments(qemu, range, fd, tail, args, sizeof args);
	argv[n++] = qemu->path;
	if (!opts->no_regs)
		argv[n++] = new_name ? "-one-insn-per-tb" : "-singlestep";
	if (capture_qemu_cpu_of(qemu)) {
		argv[n++] = "-cpu";
		argv[n++] = capture_qemu_cpu_of(qemu);
	}
	if (qemu->sysroot[0]) {
		argv[n++] = "-L";
		argv[n++] = qemu->sysroot;
	}
	/* Give the emulator's threads no room of their own: newer versions put the program's stack
	 * beside it, or not. The program sees the limit it would have. */
	char *own = NULL;
	if (getenv(ARENAS) && asprintf(&own, "%s=%s", ARENAS, getenv(ARENAS)) < 0)
		return;
	argv[n++] = own ? "-E" : "-U";
	argv[n++] = own ? own : ARENAS;
	setenv(ARENAS, "1", 1);
	argv[n++] = "-plugin";
	argv[n++] = args;
	argv[n++] = "-0";
	argv[n++] = opts->argv[0];
	argv[n++] = qemu->program;
	for (size_t i = 1; i < opts->argc; i++)
		argv[n++] = opts->argv[i];
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/* Use the same addresses in every recording: newer versions put the stack anywhere. */
	int now = personality(0xffffffff);
	if (now != -1)
		(void)personality((unsigned)now | ADDR_NO_RANDOMIZE);
	execv(qemu->path, (char **)(uintptr_t)argv);
}

/* Make the memory we share with the recorder; its file, or -1. */
static int make_tail(struct qemu *qemu)
{
	int fd = memfd_create("cairn-capture", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, sizeof *qemu->tail) < 0)
		return -1;
	void *p = mmap(NULL, sizeof *qemu->tail, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		close(fd);
		return -1;
	}
	qemu->tail = p;
	return fd;
}

/* In the child, before signals may come: none is handled, and ignored ones stay ignored. */
static void forget_handlers(void)
{
	struct sigaction now;
	for (int number = 1; number < NSIG; number++)
		if (sigaction(number, NULL, &now) == 0 &&
		    (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_IGN))
			signal(number, SIG_DFL);
}

static __attribute__((noreturn)) void run_child(const struct qemu *qemu,
                                                const struct capture_range *range,
                                                const sigset_t *before, int pipe, int tail, int why)
{
	forget_handlers();
	pthread_sigmask(SIG_SETMASK, before, NULL);
	int out = fcntl(pipe, F_DUPFD, HIGH_FD), mem = fcntl(tail, F_DUPFD, HIGH_FD);
	if (out >= 0 && mem >= 0)
		become_qemu(qemu, range, out, mem);
	int error = errno;
	_exit(write(why, &error, sizeof error) < 0 ? 126 : 127);
}

/* Why the child did not become QEMU: an errno, or 0. */
static int child_failed(int fd)
{
	int error = 0;
	ssize_t n;
	while ((n = read(fd, &error, sizeof error)) < 0 && errno == EINTR)
		;
	return n == (ssize_t)sizeof error ? error : 0;
}

static int start_child(struct qemu *qemu, const struct capture_range *range, int pipe, int tail)
{
	int why[2];
	sigset_t all, before;
	if (pipe2(why, O_CLOEXEC) < 0)
		return base_fail_errno(qemu->cairn, errno, "no pipe to QEMU");
	/* No signal is handled in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	qemu->pid = fork();
	if (qemu->pid == 0)
		run_child(qemu, range, &before, pipe, tail, why[1]);
	int error = qemu->pid < 0 ? errno : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(why[1]);
	if (qemu->pid < 0)
		qemu->pid = 0;
	else if ((error = child_failed(why[0])) != 0)
		qemu_wait(qemu, false);
	close(why[0]);
	return error ? base_fail_errno(qemu->cairn, error, "%s: cannot be started", qemu->path) : 0;
}

int qemu_start(struct qemu *qemu, const struct capture_range *range)
{
	int fds[2] = {-1, -1}, tail = make_tail(qemu), rc;
	if (tail < 0 || pipe2(fds, O_CLOEXEC) < 0) {
		rc = base_fail_errno(qemu->cairn, errno, "no pipe to QEMU");
	} else {
		(void)fcntl(fds[0], F_SETPIPE_SZ, (int)PIPE_SIZE);
		rc = start_child(qemu, range, fds[1], tail);
		close(fds[1]);
		qemu->pipe = fds[0];
	}
	if (tail >= 0)
		close(tail);
	return rc;
}

/* Pass on, once, that the program shall end. */
static void heed_interrupt(struct qemu *qemu)
{
	const volatile int *interrupt = qemu->opts->interrupt;
	if (qemu->asked || !interrupt || !*interrupt)
		return;
	qemu->asked = true;
	kill(qemu->pid, SIGTERM);
}

/* Read what the recorder had not written when it ended. */
static int64_t capture_qemu_read_tail(struct qemu *qemu, uint8_t *buf, size_t n)
{
	uint64_t base = __atomic_load_n(&qemu->tail->base, __ATOMIC_ACQUIRE);
	uint64_t used = __atomic_load_n(&qemu->tail->used, __ATOMIC_ACQUIRE);
	if (used > sizeof qemu->tail->data || qemu->came < base || qemu->came - base >= used)
		return 0;
	uint64_t at = qemu->came - base, most = used - at;
	n = n < most ? n : (size_t)most;
	memcpy(buf, qemu->tail->data + at, n);
	qemu->came += n;
	return (int64_t)n;
}

int64_t qemu_read(void *user, void *buf, size_t n)
{
	struct qemu *qemu = user;
	size_t left = qemu->header.len - qemu->header_at;
	if (left) {
		n = n < left ? n : left;
		memcpy(buf, qemu->header.data + qemu->header_at, n);
		qemu->header_at += n;
		return (int64_t)n;
	}
	while (!qemu->pipe_ended) {
		struct pollfd ready = {.fd = qemu->pipe, .events = POLLIN};
		heed_interrupt(qemu);
		if (qemu->opts->interrupt && !qemu->asked && poll(&ready, 1, HEED_MS) == 0)
			continue;
		ssize_t got = read(qemu->pipe, buf, n);
		if (got > 0) {
			qemu->came += (uint64_t)got;
			return got;
		}
		qemu->pipe_ended = got == 0 || errno != EINTR;
	}
	return capture_qemu_read_tail(qemu, buf, n);
}

void qemu_wait(struct qemu *qemu, bool end)
{
	if (!qemu->pid)
		return;
	if (end) {
		close(qemu->pipe);
		qemu->pipe = -1;
		kill(qemu->pid, SIGTERM);
	}
	/* The program may run on for long after its recording has ended. */
	int ms = 1, how = qemu->opts->interrupt ? WNOHANG : 0;
	pid_t ended;
	while ((ended = waitpid(qemu->pid, &qemu->status, how)) == 0 || (ended < 0 && errno == EINTR)) {
		heed_interrupt(qemu);
		if (ended == 0)
			poll(NULL, 0, ms);
		ms = 2 * ms < HEED_MS ? 2 * ms : HEED_MS;
	}
	qemu->pid = 0;
}

void qemu_free(struct qemu *qemu)
{
	qemu_wait(qemu, true);
	if (qemu->pipe >= 0)
		close(qemu->pipe);
	if (qemu->tail)
		munmap(qemu->tail, sizeof *qemu->tail);
	base_buf_free(&qemu->header);
}
