/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command does when something fails at its N-th allocation or system call, or when a
 * signal ends it there:
 *
 *   faults PRELOAD CAIRN [STRIDE [TEXT]]   every STRIDE-th place of each command (default: a
 *                                          sample); only of those with TEXT ("view", ": alloc")
 *
 * Each command is run once undisturbed, then again for each N. It may do without what failed, and
 * then prints and writes the very same. Otherwise it ends with status 2 and a sentence, which names
 * memory where that failed. It never crashes or hangs, leaves no file behind but a whole one under its final name, and a write that
 * failed is never passed over.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 24, SECONDS = 20, SAMPLE = 14, MOST_TOLD = 8, MOST_WORDS = 24 };
#define OUT "out"

/* The inputs are made by the first lines; what others write is named out.… */
static const char *const made[] = {
	"slice $E/sort.zstf 1..1500 -o in.zstf",
	"slice $E/sort.zstf 1..1500 -o in.stf",
	"slice $E/sort-v9.rst.xz 1..800 -o in.rst",
	"convert in.rst --to rst:rstzip -o in.rz3",
	"slice $E/sort-a64.vixl.xz 1..700 -o in.vixl",
	"convert in.vixl --to ete -o in.snapshot",
	"convert in.zstf -o in-i.zstf",
	"index in-i.zstf",
	"convert $E/traps.rst -o in-harts.stf",
	"convert $E/traps.rst --to rst:rstzip -o in-harts.rz3",
	"convert in.stf --codec gzip -o in.stf.gz",
	"convert in.stf --codec zstd-seekable -o in.stf.zst",
	"convert in.rst --codec xz -o in.rst.xz",
	"convert in.vixl --codec bzip2 -o in.vixl.bz2",
};
static const char *const commands[] = {
	"info in.zstf",
	"info in.rz3",
	"info in.snapshot",
	"count in.zstf",
	"count in.rst",
	"count in.vixl",
	"count in.snapshot",
	"count in-i.zstf 700..800",
	"view -a in.zstf 1..300",
	"view -a in.rst 1..300",
	"view -a in.vixl 1..300",
	"view in.snapshot 1..300",
	"view --json -a in.zstf 1..200",
	"view --state in-i.zstf 900",
	"view --image $E/sort.elf in.stf 1..100",
	"records in.stf 1..100",
	"records in.rz3 1..100",
	"records in.vixl 1..50",
	"records in.snapshot",
	"records --elements in.snapshot",
	"check in.zstf",
	"check in.rst",
	"check in.vixl",
	"check in.snapshot",
	"diff in.zstf in.stf",
	"diff in.vixl in.snapshot",
	"find in.stf class==load -n 5",
	"find --image $E/sort.elf in.stf taken",
	"find in-i.zstf --writes x10 --before 900",
	"index in.zstf -o out.index",
	"index in.rst -o out.index",
	"index in.vixl -o out.index",
	"index in.snapshot -o out.index",
	"index in.stf.gz -o out.index",
	"index in.stf.zst -o out.index",
	"index in.rst.xz -o out.index",
	"count in.vixl.bz2 300..400",
	"convert in.zstf -o out.stf",
	"convert in.stf -o out.zstf",
	"convert in.stf --codec xz -o out.stf.xz",
	"convert in.rst --to rst:rstzip -o out.rz3",
	"convert in.vixl -o out.stf",
	"convert in.snapshot -o out.stf",
	"convert in.vixl --to ete -o out.snapshot",
	"slice in.zstf 500..900 -o out.zstf",
	"slice in.rst 300..500 -o out.rst",
	"slice in.vixl 100..300 -o out.vixl",
	"merge in.zstf in.stf -o out.zstf",
	"merge in.rst in.rst -o out.rst",
	"edit in.stf --comment changed -o out.stf",
	"split in.stf --every 500 -o out.%s.stf",
	"split in-harts.stf --by cpu -o out.%s.stf",
	"split in-harts.stf --by cpu -o out.%s.zstf",
	"split in-harts.rz3 --by cpu -o out.%s.rst",
	"mix in.zstf",
	"branches in.zstf",
	"memory in.zstf",
	"blocks in.zstf",
	"calls --image $E/sort.elf in.zstf",
	"deps in.zstf",
	"overview in.zstf",
	"simpoints --every 100 in.zstf",
	"memory --every 200 in.rst",
	"mix --by class --csv --every 300 in.zstf",
	"deps --json --every 300 in.zstf",
	"report in.zstf -o out.html",
	"report in.rst -o out.html",
};

struct outcome {
	int status; /* as from waitpid */
	bool hung;
	uint64_t allocations, calls;
	char failed[32];     /* the call or allocation that did */
	char *text, *errors; /* standard output and error */
	size_t n_text, n_errors;
	uint64_t files; /* a hash of names and bytes of what is new in the folder */
	uint64_t names; /* of names alone */
	unsigned n_files;
	bool checks; /* of the verb check: what cannot be read is a finding */
	bool infos;  /* of info: what cannot be read is unknown */
};

static const char *preload, *cairn, *examples, *only;
static unsigned test_number, n_failed;

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n)
{
	const unsigned char *p = data;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

static void *whole_file(const char *name, size_t *n)
{
	FILE *f = fopen(name, "rb");
	char *data = calloc(1, MOST_BYTES + 1);
	*n = f && data ? fread(data, 1, MOST_BYTES, f) : 0;
	if (f)
		fclose(f);
	return data;
}

/* What a run has left: whatever begins neither with "in" nor with a dot of the folder itself. */
static void look_at_folder(const char *folder, struct outcome *run, bool clear)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[700];
	while (dir && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    (!strcmp(folder, ".") && !strncmp(entry->d_name, "in", 2)))
			continue;
		struct stat st;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
			look_at_folder(path, run, clear);
			if (clear)
				rmdir(path);
			run->n_files++;
			continue;
		}
		size_t n;
		char *data = whole_file(path, &n);
		/* In the order of the folder, which does not change what a sum is. */
		uint64_t name = hash_bytes(0xcbf29ce484222325u, path, strlen(path));
		run->names += name;
		run->files += hash_bytes(name, data, n);
		run->n_files++;
		free(data);
		if (clear)
			unlink(path);
	}
	if (dir)
		closedir(dir);
}

static void become(const char *line, const char *fault, int report_to)
{
	static char words[4096], number[16], one_thread[] = "-j1";
	char *arguments[MOST_WORDS + 1];
	size_t n = 0, at = 0;
	arguments[n++] = (char *)(uintptr_t)cairn;
	for (const char *p = line; *p && at + 512 < sizeof words; at++) {
		arguments[n++] = words + at;
		for (; *p && *p != ' '; p++) {
			if (p[0] == '$' && p[1] == 'E') {
				at += (size_t)snprintf(words + at, 400, "%s", examples);
				p++;
			} else {
				words[at++] = *p;
			}
		}
		words[at] = 0;
		p += *p == ' ';
	}
	if (strncmp(line, "info", 4) != 0)
		arguments[n++] = one_thread;
	arguments[n] = NULL;
	snprintf(number, sizeof number, "%d", report_to);
	setenv("LD_PRELOAD", preload, 1);
	setenv("CAIRN_FAULT_REPORT", number, 1);
	if (fault)
		setenv("CAIRN_FAULT", fault, 1);
	execv(cairn, arguments);
	_exit(126);
}

static int into_file(const char *name)
{
	return open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

static bool ended_in_time(pid_t child, int *status)
{
	struct timespec pause = {0, 300000};
	time_t end = time(NULL) + SECONDS;
	for (;;) {
		pid_t got = waitpid(child, status, WNOHANG);
		if (got == child)
			return true;
		if (time(NULL) > end)
			break;
		nanosleep(&pause, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, status, 0);
	return false;
}

static struct outcome run_command(const char *line, const char *fault)
{
	struct outcome run = {.checks = !strncmp(line, "check", 5), .infos = !strncmp(line, "info", 4)};
	int fds[2];
	char counts[128] = "";
	if (pipe(fds) < 0)
		abort();
	pid_t child = fork();
	if (child == 0) {
		dup2(into_file("../stdout"), STDOUT_FILENO);
		dup2(into_file("../stderr"), STDERR_FILENO);
		dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
		close(fds[0]);
		become(line, fault, fds[1]);
	}
	close(fds[1]);
	run.hung = !ended_in_time(child, &run.status);
	ssize_t n = read(fds[0], counts, sizeof counts - 1);
	close(fds[0]);
	unsigned long long allocations = 0, calls = 0;
	if (n > 0)
		sscanf(counts, "%llu %llu %31s", &allocations, &calls, run.failed);
	run.allocations = allocations;
	run.calls = calls;
	run.text = whole_file("../stdout", &run.n_text);
	run.errors = whole_file("../stderr", &run.n_errors);
	return run;
}

static void let_go(struct outcome *run)
{
	free(run->text);
	free(run->errors);
}

static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list;
}

/* Of an input that cannot be read, what could be is delivered: then the output has its name. */
static bool leaves_something(const struct outcome *well, const struct outcome *run)
{
	static const char *const reading[] = {"read", "pread", "open", "lseek", "mmap", NULL};
	if (!run->n_files || run->files == well->files)
		return false;
	return !is_one_of(run->failed, reading) || run->names != well->names;
}

static bool same_results(const struct outcome *x, const struct outcome *y)
{
	return x->n_text == y->n_text && !memcmp(x->text, y->text, x->n_text) && x->files == y->files &&
	       x->n_files == y->n_files;
}

/* What is wrong with how a disturbed run went; NULL: nothing. */
static const char *judge(const struct outcome *well, const struct outcome *run, const char *kind)
{
	static const char *const writing[] = {"write", "pwrite", "rename", "fsync", NULL};
	bool wrote = is_one_of(run->failed, writing), ended = !strcmp(kind, "term");
	if (run->hung)
		return "it hangs";
	if (!WIFEXITED(run->status) && !(ended && WTERMSIG(run->status) == SIGTERM))
		return "it crashes";
	if (leaves_something(well, run))
		return "it leaves something behind";
	if (ended)
		return NULL;
	int status = WEXITSTATUS(run->status);
	if (wrote && status != 2)
		return "a failed write is passed over";
	if (status == 2 && !strcmp(kind, "alloc") && *run->errors && !strstr(run->errors, "memory"))
		return "it blames something else";
	if (status == 2 || (status == 1 && well->checks && strcmp(kind, "alloc") != 0))
		return *run->errors || status == 1 ? NULL : "it says nothing";
	if (status != WEXITSTATUS(well->status))
		return "its exit status is another, but not 2";
	if (well->infos && strcmp(kind, "alloc") != 0 && strstr(run->text, "unknown"))
		return NULL;
	return same_results(well, run) ? NULL : "it ends as if nothing had failed, with other results";
}

static void disturb(const char *line, const struct outcome *well, const char *kind, uint64_t most,
                    uint64_t stride, uint64_t offset)
{
	unsigned wrong = 0;
	uint64_t tried = 0;
	char title[256];
	snprintf(title, sizeof title, "%s: %s", line, kind);
	if (only && !strstr(title, only))
		return;
	for (uint64_t at = 1 + offset % stride; at <= most; at += stride, tried++) {
		char fault[64];
		snprintf(fault, sizeof fault, "%s:%llu", kind, (unsigned long long)at);
		struct outcome run = run_command(line, fault);
		look_at_folder(".", &run, true);
		const char *why = judge(well, &run, kind);
		if (why && wrong++ < MOST_TOLD)
			printf("# %s (%s): %s, status 0x%x: %.*s\n", fault, run.failed, why,
			       (unsigned)run.status, (int)strcspn(run.errors, "\n"), run.errors);
		let_go(&run);
	}
	n_failed += wrong > 0;
	printf("%sok %u - %s at %llu of %llu places\n", wrong ? "not " : "", ++test_number, title,
	       (unsigned long long)tried, (unsigned long long)most);
	fflush(stdout);
}

static void try_command(const char *line, uint64_t stride, uint64_t offset)
{
	struct outcome well = run_command(line, NULL);
	look_at_folder(".", &well, true);
	if (!WIFEXITED(well.status) || WEXITSTATUS(well.status) > 1 || !well.calls) {
		printf("not ok %u - %s: undisturbed: status 0x%x, %.*s\n", ++test_number, line,
		       (unsigned)well.status, (int)strcspn(well.errors, "\n"), well.errors);
		n_failed++;
	} else {
		uint64_t step = stride ? stride : well.allocations / SAMPLE + 1;
		disturb(line, &well, "alloc", well.allocations, step, offset * 7919);
		step = stride ? stride : well.calls / SAMPLE + 1;
		disturb(line, &well, "call", well.calls, step, offset * 7919);
		disturb(line, &well, "term", well.calls, step * 2, offset * 104729);
	}
	let_go(&well);
}

static bool make_inputs(void)
{
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		struct outcome run = run_command(made[i], NULL);
		bool fine = WIFEXITED(run.status) && WEXITSTATUS(run.status) == 0;
		if (!fine)
			printf("Bail out! %s: %s\n", made[i], run.errors);
		let_go(&run);
		if (!fine)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/cairn-faults-XXXXXX", removal[64];
	uint64_t stride = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	only = argc > 4 ? argv[4] : NULL;
	examples = getenv("EXAMPLES");
	if (argc < 3 || !examples || !(preload = realpath(argv[1], NULL)) ||
	    !(cairn = realpath(argv[2], NULL))) {
		fprintf(stderr, "usage: EXAMPLES=FOLDER faults PRELOAD CAIRN [STRIDE [TEXT]]\n");
		return 2;
	}
	examples = realpath(examples, NULL);
	if (!mkdtemp(folder) || chdir(folder) < 0 || mkdir("w", 0700) < 0 || chdir("w") < 0)
		return 2;
	bool fine = make_inputs();
	unsigned n = sizeof commands / sizeof *commands;
	for (unsigned i = 0; i < n && fine; i++)
		try_command(commands[i], stride, i + 1);
	printf("1..%u\n", test_number);
	snprintf(removal, sizeof removal, "rm -rf %s", folder);
	return system(removal) != 0 || !fine || n_failed;
}
