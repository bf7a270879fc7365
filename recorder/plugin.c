/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A QEMU user-mode plugin that tells `cairn capture` what a program executes, as the
 * stream of formats/capture/stream.h.
 *
 * QEMU calls back before each instruction and after each memory access. What an
 * instruction did is known only when its thread is about to run the next one: each is
 * held until then, and the last until the exit. A system call is told at once, for it may
 * never come back; what it changed is told as state before the instruction behind it.
 *
 * Several threads call back at once; one lock orders them, and the order in which it is
 * taken is the order of the trace.
 *
 * The buffer is memory shared with the command, which takes from there what was not
 * written when the program ended: no way to die loses an instruction. A child that the
 * program forks records nothing.
 *
 * Arguments: fd=N (the pipe), tail=N (the memory), regs=on|off, start=PC, start_n=N,
 * stop=PC, stop_n=N, most=N, text=0xADDR (where the ELF file has its code), fixed=N (1:
 * start is an address as the program runs, 2: stop is).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/recorder.h"

#define EXPORT __attribute__((visibility("default")))

static struct recorder the; /* a plugin is one program: QEMU hands some calls no pointer */

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                               char **argv);

/* QEMU 9 refuses what older ones require; it reads the number after loading us. */
__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_read_register"))
		qemu_plugin_version = 2;
}

static void lock(struct recorder *recorder)
{
	for (unsigned n = 0; atomic_flag_test_and_set_explicit(&recorder->lock, memory_order_acquire);
	     n++)
		if (n > 100)
			sched_yield();
}

static void unlock(struct recorder *recorder)
{
	atomic_flag_clear_explicit(&recorder->lock, memory_order_release);
}

/* ---- QEMU's callbacks ---- */

static struct thread *thread_of(struct recorder *recorder, unsigned vcpu, uint64_t pc)
{
	if (vcpu >= THREADS || (!recorder->threads[vcpu] && recorder->next_thread == CAPTURE_THREADS))
		return NULL;
	if (!recorder->threads[vcpu]) {
		struct thread *thread = calloc(1, sizeof *thread);
		if (!thread)
			return NULL;
		thread->cpu = machine_cpu(&recorder->machine, vcpu);
		/* Without registers, too: how long vectors are is told in any case. */
		if (!recorder->blind && !machine_prepare(&recorder->machine, thread->cpu, pc) &&
		    recorder->want_regs) {
			free(thread);
			return NULL;
		}
		thread->number = recorder->next_thread++;
		recorder->threads[vcpu] = thread;
	}
	return recorder->threads[vcpu];
}

/* Does recording begin with it? */
static bool plugin_begins(struct recorder *recorder, const struct insn *in)
{
	if (recorder->has_start ? !in->starts : recorder->executed < recorder->start_n) {
		recorder->before++;
		return false;
	}
	atomic_store(&recorder->phase, RECORDING);
	return true;
}

static bool is_over(const struct recorder *recorder, const struct insn *in,
                    const struct thread *thread)
{
	/* Those held have run, too. */
	uint64_t n = recorder->recorded + (thread->current != NULL && !recorder_again(thread, in));
	return (in->stops && n) || recorder->executed > recorder->stop_n || n >= recorder->most;
}

/* Memory is looked at after an atomic has replaced it; where no register has what was
 * there, it is looked at before, too. */
static void keep_old(struct recorder *recorder, struct thread *thread, const struct insn *in)
{
	thread->old = 0;
	thread->old_addr = thread->regs[in->old_base];
	thread->has_old =
		machine_look(&recorder->machine, thread->old_addr, &thread->old, in->old_bytes);
}

static void plugin_run(struct recorder *recorder, unsigned vcpu, struct insn *in)
{
	struct thread *thread = thread_of(recorder, vcpu, in->pc);
	recorder->executed += !(thread && recorder_again(thread, in));
	if (atomic_load(&recorder->phase) == WAITING && !plugin_begins(recorder, in))
		return;
	if (!thread) {
		tell_end(recorder, CAPTURE_FAILED);
		return;
	}
	bool over = is_over(recorder, in, thread);
	if (thread->current)
		tell(recorder, thread, in, NULL);
	else if (!over)
		tell_state(recorder, thread);
	if (over) {
		tell_open(recorder);
		tell_end(recorder, CAPTURE_STOPPED);
	}
	if (recorder->ended)
		return;
	if (!in->defined)
		tell_define(recorder, in);
	thread->current = in;
	thread->n_accesses = 0;
	if (in->old_bytes && recorder->want_regs)
		keep_old(recorder, thread, in);
}

static void on_insn(unsigned vcpu, void *user)
{
	struct recorder *recorder = &the;
	if (atomic_load_explicit(&recorder->phase, memory_order_relaxed) == DONE)
		return;
	lock(recorder);
	if (!recorder->ended)
		plugin_run(recorder, vcpu, user);
	unlock(recorder);
}

/* Did a store that depends on what is there leave that as it was? QEMU tells of it with the
 * value that was to be stored. With registers, these say it. */
static bool refused(const struct recorder *recorder, const struct thread *thread,
                    const struct access *access)
{
	uint64_t now[2] = {0, 0};
	const struct access *read = access - 1;
	if ((recorder->want_regs && access->size <= 8) || !thread->current->compares ||
	    !(access->kind & CAPTURE_WRITE) || thread->n_accesses < 2 || read->kind & CAPTURE_WRITE ||
	    read->addr != access->addr || read->size != access->size)
		return false;
	machine_memory(&recorder->machine, access->addr, now, access->size);
	return memcmp(now, access->value, access->size) != 0 && !memcmp(now, read->value, access->size);
}

/* One access more of what the thread runs. */
static void plugin_add_access(struct recorder *recorder, struct thread *thread, uint32_t info,
                              uint64_t vaddr, uint8_t size)
{
	struct access *access = &thread->accesses[thread->n_accesses++];
	access->addr = vaddr;
	access->size = size;
	access->kind = CAPTURE_VALUE;
	access->kind |= qemu_plugin_mem_is_store(info) ? CAPTURE_WRITE : CAPTURE_READ;
	access->value[0] = access->value[1] = 0;
	bool helped = thread->current->atomic && recorder->parallel;
	if (machine_moved(&recorder->machine, info, helped, (uint8_t *)access->value, size)) {
		access->kind |= CAPTURE_MOVED;
		if (helped && thread->current->combines && access->kind & CAPTURE_WRITE)
			access->kind |= CAPTURE_OPERAND;
		thread->n_accesses -= refused(recorder, thread, access);
		return;
	}
	machine_memory(&recorder->machine, vaddr, access->value, size);
	if (thread->current->old_bytes == size && thread->has_old && thread->old_addr == vaddr) {
		access->kind |= CAPTURE_OLD;
		access->old = thread->old;
	}
}

static void on_memory(unsigned vcpu, uint32_t info, uint64_t vaddr, void *user)
{
	struct recorder *recorder = &the;
	(void)user;
	if (atomic_load_explicit(&recorder->phase, memory_order_relaxed) != RECORDING ||
	    vcpu >= THREADS)
		return;
	lock(recorder);
	struct thread *thread = recorder->threads[vcpu];
	unsigned shift = qemu_plugin_mem_size_shift(info);
	if (thread && thread->current && !recorder->ended) {
		if (thread->n_accesses == CAPTURE_MOST_ACCESSES || shift > 4)
			recorder->lost_accesses++;
		else
			plugin_add_access(recorder, thread, info, vaddr, (uint8_t)(1u << shift));
	}
	unlock(recorder);
}

static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2,
                       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct recorder *recorder = &the;
	uint64_t args[1 + CAPTURE_ARGS] = {(uint64_t)num, a1, a2, a3, a4, a5, a6};
	(void)id;
	(void)a7;
	(void)a8;
	if (atomic_load(&recorder->phase) != RECORDING || vcpu >= THREADS)
		return;
	lock(recorder);
	if (!recorder->ended && recorder->threads[vcpu] && recorder->threads[vcpu]->current)
		tell(recorder, recorder->threads[vcpu], NULL, args);
	unlock(recorder);
}

/* A thread begins, perhaps with the number of one that has ended. */
static void on_thread(qemu_plugin_id_t id, unsigned vcpu)
{
	struct recorder *recorder = &the;
	(void)id;
	if (vcpu >= THREADS)
		return;
	lock(recorder);
	recorder->parallel |= vcpu != 0;
	struct thread *thread = recorder->threads[vcpu];
	if (thread && thread->current && !recorder->ended)
		tell(recorder, thread, NULL, NULL);
	free(thread);
	recorder->threads[vcpu] = NULL;
	unlock(recorder);
}

/* ---- translation ---- */

/* A position-independent program lies elsewhere than its file says. */
static void plugin_move(struct recorder *recorder)
{
	uint64_t (*start_code)(void);
	MACHINE_FIND(start_code, "qemu_plugin_start_code");
	if (!recorder->text || !start_code)
		return;
	uint64_t bias = start_code() - (recorder->text - 1);
	recorder->start += recorder->fixed & 1 ? 0 : bias;
	recorder->stop += recorder->fixed & 2 ? 0 : bias;
	recorder->text = 0;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct recorder *recorder = &the;
	size_t n = qemu_plugin_tb_n_insns(tb);
	(void)id;
	if (atomic_load(&recorder->phase) == DONE)
		return;
	lock(recorder);
	plugin_move(recorder);
	if (n > 1 && recorder->want_regs && machine_needs_single_step(&recorder->machine))
		tell_end(recorder, CAPTURE_FAILED);
	for (size_t i = 0; i < n && !recorder->ended; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);
		machine_at(&recorder->machine, qemu_plugin_insn_vaddr(insn), qemu_plugin_insn_haddr(insn));
		struct insn *in = size == 2 || size == 4 ? recorder_insn(recorder, insn, size) : NULL;
		if (!in) {
			tell_end(recorder, CAPTURE_FAILED);
			break;
		}
		/* The first asks for the length of vectors in any case. */
		bool reads = recorder->want_regs || (!recorder->blind && !recorder->machine.ready);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
		                                       reads ? QEMU_CB_READ_REGS : QEMU_CB_NO_REGS, in);
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_CB_NO_REGS, QEMU_MEM_BOTH, in);
	}
	unlock(recorder);
}

static void on_exit_of_guest(qemu_plugin_id_t id, void *user)
{
	struct recorder *recorder = user;
	(void)id;
	lock(recorder);
	tell_open(recorder);
	tell_end(recorder, CAPTURE_EXITED);
	unlock(recorder);
}

/* A process that the program forks goes its own way. */
static void on_fork(void)
{
	struct recorder *recorder = &the;
	recorder->ended = true;
	atomic_store(&recorder->phase, DONE);
	close(recorder->fd);
	munmap(recorder->tail, sizeof *recorder->tail);
	atomic_flag_clear(&recorder->lock);
}

/* ---- the beginning ---- */

static bool plugin_argument(struct recorder *recorder, const char *text, int *tail)
{
	char *eq = strchr(text, '='), *rest;
	if (!eq)
		return false;
	uint64_t v = strtoull(eq + 1, &rest, 0);
#define NAMED(key) (strlen(key) == (size_t)(eq - text) && !memcmp(text, key, (size_t)(eq - text)))
	if (NAMED("regs")) {
		recorder->want_regs = !strcmp(eq + 1, "on");
		return true;
	}
	if (NAMED("fd"))
		recorder->fd = (int)v;
	else if (NAMED("tail"))
		*tail = (int)v;
	else if (NAMED("start"))
		recorder->start = v, recorder->has_start = true;
	else if (NAMED("stop"))
		recorder->stop = v, recorder->has_stop = true;
	else if (NAMED("start_n"))
		recorder->start_n = v;
	else if (NAMED("stop_n"))
		recorder->stop_n = v;
	else if (NAMED("most"))
		recorder->most = v;
	else if (NAMED("text"))
		recorder->text = v + 1; /* 0: not given */
	else if (NAMED("fixed"))
		recorder->fixed = v;
	else
		return false;
	return !*rest && rest > eq + 1;
#undef NAMED
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                        char **argv)
{
	struct recorder *recorder = &the;
	int tail = -1;
	recorder->fd = -1;
	recorder->stop_n = recorder->most = UINT64_MAX;
	for (int i = 0; i < argc; i++)
		if (!plugin_argument(recorder, argv[i], &tail)) {
			fprintf(stderr, "cairn recorder: '%s' is no argument of it\n", argv[i]);
			return -1;
		}
	recorder->tail =
		tail < 0 ? MAP_FAILED
				 : mmap(NULL, sizeof *recorder->tail, PROT_READ | PROT_WRITE, MAP_SHARED, tail, 0);
	if (recorder->fd < 0 || recorder->tail == MAP_FAILED || info->system_emulation) {
		fprintf(stderr, "cairn recorder: this is for cairn capture, which starts QEMU itself\n");
		return -1;
	}
	close(tail);
	(void)fcntl(recorder->fd, F_SETFD, FD_CLOEXEC);
	recorder->api = info->version.cur;
	const char *missing = machine_find(&recorder->machine, info->target_name, recorder->api);
	recorder->blind = missing != NULL;
	if (missing && recorder->want_regs) {
		fprintf(stderr, "cairn recorder: this QEMU lacks %s\n", missing);
		return -1;
	}
	pthread_atfork(NULL, NULL, on_fork);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_init_cb(id, on_thread);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_atexit_cb(id, on_exit_of_guest, recorder);
	return 0;
}
