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

static void lock(struct recorder *r)
{
	for (unsigned n = 0; atomic_flag_test_and_set_explicit(&r->lock, memory_order_acquire); n++)
		if (n > 100)
			sched_yield();
}

static void unlock(struct recorder *r)
{
	atomic_flag_clear_explicit(&r->lock, memory_order_release);
}

/* ---- QEMU's callbacks ---- */

static struct thread *thread_of(struct recorder *r, unsigned vcpu, uint64_t pc)
{
	if (vcpu >= THREADS || (!r->threads[vcpu] && r->next_thread == CAPTURE_THREADS))
		return NULL;
	if (!r->threads[vcpu]) {
		struct thread *t = calloc(1, sizeof *t);
		if (!t)
			return NULL;
		t->cpu = machine_cpu(&r->machine, vcpu);
		if (r->want_regs && !machine_prepare(&r->machine, t->cpu, pc)) {
			free(t);
			return NULL;
		}
		t->number = r->next_thread++;
		r->threads[vcpu] = t;
	}
	return r->threads[vcpu];
}

/* Does recording begin with it? */
static bool plugin_begins(struct recorder *r, const struct insn *in)
{
	if (r->has_start ? !in->starts : r->executed < r->start_n) {
		r->before++;
		return false;
	}
	atomic_store(&r->phase, RECORDING);
	return true;
}

static bool is_over(const struct recorder *r, const struct insn *in, const struct thread *t)
{
	/* Those held have run, too. */
	uint64_t n = r->recorded + (t->current != NULL && !recorder_again(t, in));
	return (in->stops && n) || r->executed > r->stop_n || n >= r->most;
}

/* Memory is looked at after an atomic has replaced it; where no register has what was
 * there, it is looked at before, too. */
static void keep_old(struct recorder *r, struct thread *t, const struct insn *in)
{
	t->old = 0;
	t->old_addr = t->regs[0][in->old_base];
	t->has_old = machine_look(&r->machine, t->old_addr, &t->old, in->old_bytes);
}

static void plugin_run(struct recorder *r, unsigned vcpu, struct insn *in)
{
	struct thread *t = thread_of(r, vcpu, in->pc);
	r->executed += !(t && recorder_again(t, in));
	if (atomic_load(&r->phase) == WAITING && !plugin_begins(r, in))
		return;
	if (!t) {
		tell_end(r, CAPTURE_FAILED);
		return;
	}
	bool over = is_over(r, in, t);
	if (t->current)
		tell(r, t, in, NULL);
	else if (!over)
		tell_state(r, t);
	if (over) {
		tell_open(r);
		tell_end(r, CAPTURE_STOPPED);
	}
	if (r->ended)
		return;
	if (!in->defined)
		tell_define(r, in);
	t->current = in;
	t->n_accesses = 0;
	if (in->old_bytes && r->want_regs)
		keep_old(r, t, in);
}

static void on_insn(unsigned vcpu, void *user)
{
	struct recorder *r = &the;
	if (atomic_load_explicit(&r->phase, memory_order_relaxed) == DONE)
		return;
	lock(r);
	if (!r->ended)
		plugin_run(r, vcpu, user);
	unlock(r);
}

/* Did a store that depends on what is there leave that as it was? QEMU tells of it with the
 * value that was to be stored. With registers, these say it. */
static bool refused(const struct recorder *r, const struct thread *t, const struct access *a)
{
	uint64_t now[2] = {0, 0};
	const struct access *read = a - 1;
	if ((r->want_regs && a->size <= 8) || !t->current->compares || !(a->kind & CAPTURE_WRITE) ||
	    t->n_accesses < 2 || read->kind & CAPTURE_WRITE || read->addr != a->addr ||
	    read->size != a->size)
		return false;
	machine_memory(&r->machine, a->addr, now, a->size);
	return memcmp(now, a->value, a->size) != 0 && !memcmp(now, read->value, a->size);
}

/* One access more of what the thread runs. */
static void plugin_add_access(struct recorder *r, struct thread *t, uint32_t info, uint64_t vaddr,
                              uint8_t size)
{
	struct access *a = &t->accesses[t->n_accesses++];
	a->addr = vaddr;
	a->size = size;
	a->kind = CAPTURE_VALUE;
	a->kind |= qemu_plugin_mem_is_store(info) ? CAPTURE_WRITE : CAPTURE_READ;
	a->value[0] = a->value[1] = 0;
	bool helped = t->current->atomic && r->parallel;
	if (machine_moved(&r->machine, info, helped, (uint8_t *)a->value, size)) {
		a->kind |= CAPTURE_MOVED;
		if (helped && t->current->combines && a->kind & CAPTURE_WRITE)
			a->kind |= CAPTURE_OPERAND;
		t->n_accesses -= refused(r, t, a);
		return;
	}
	machine_memory(&r->machine, vaddr, a->value, size);
	if (t->current->old_bytes == size && t->has_old && t->old_addr == vaddr) {
		a->kind |= CAPTURE_OLD;
		a->old = t->old;
	}
}

static void on_memory(unsigned vcpu, uint32_t info, uint64_t vaddr, void *user)
{
	struct recorder *r = &the;
	(void)user;
	if (atomic_load_explicit(&r->phase, memory_order_relaxed) != RECORDING || vcpu >= THREADS)
		return;
	lock(r);
	struct thread *t = r->threads[vcpu];
	unsigned shift = qemu_plugin_mem_size_shift(info);
	if (t && t->current && !r->ended) {
		if (t->n_accesses == CAPTURE_MOST_ACCESSES || shift > 4)
			r->lost_accesses++;
		else
			plugin_add_access(r, t, info, vaddr, (uint8_t)(1u << shift));
	}
	unlock(r);
}

static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2,
                       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct recorder *r = &the;
	uint64_t args[1 + CAPTURE_ARGS] = {(uint64_t)num, a1, a2, a3, a4, a5, a6};
	(void)id;
	(void)a7;
	(void)a8;
	if (atomic_load(&r->phase) != RECORDING || vcpu >= THREADS)
		return;
	lock(r);
	if (!r->ended && r->threads[vcpu] && r->threads[vcpu]->current)
		tell(r, r->threads[vcpu], NULL, args);
	unlock(r);
}

/* A thread begins, perhaps with the number of one that has ended. */
static void on_thread(qemu_plugin_id_t id, unsigned vcpu)
{
	struct recorder *r = &the;
	(void)id;
	if (vcpu >= THREADS)
		return;
	lock(r);
	r->parallel |= vcpu != 0;
	struct thread *t = r->threads[vcpu];
	if (t && t->current && !r->ended)
		tell(r, t, NULL, NULL);
	free(t);
	r->threads[vcpu] = NULL;
	unlock(r);
}

/* ---- translation ---- */

/* A position-independent program lies elsewhere than its file says. */
static void plugin_move(struct recorder *r)
{
	uint64_t (*start_code)(void);
	void *p = dlsym(RTLD_DEFAULT, "qemu_plugin_start_code");
	memcpy(&start_code, &p, sizeof p);
	if (!r->text || !p)
		return;
	uint64_t bias = start_code() - (r->text - 1);
	r->start += r->fixed & 1 ? 0 : bias;
	r->stop += r->fixed & 2 ? 0 : bias;
	r->text = 0;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct recorder *r = &the;
	size_t n = qemu_plugin_tb_n_insns(tb);
	(void)id;
	if (atomic_load(&r->phase) == DONE)
		return;
	lock(r);
	plugin_move(r);
	if (n > 1 && r->want_regs && machine_needs_single_step(&r->machine))
		tell_end(r, CAPTURE_FAILED);
	for (size_t i = 0; i < n && !r->ended; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);
		machine_at(&r->machine, qemu_plugin_insn_vaddr(insn), qemu_plugin_insn_haddr(insn));
		struct insn *in = size == 2 || size == 4 ? recorder_insn(r, insn, size) : NULL;
		if (!in) {
			tell_end(r, CAPTURE_FAILED);
			break;
		}
		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_insn, r->want_regs ? QEMU_CB_READ_REGS : QEMU_CB_NO_REGS, in);
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_CB_NO_REGS, QEMU_MEM_BOTH, in);
	}
	unlock(r);
}

static void on_exit_of_guest(qemu_plugin_id_t id, void *user)
{
	struct recorder *r = user;
	(void)id;
	lock(r);
	tell_open(r);
	tell_end(r, CAPTURE_EXITED);
	unlock(r);
}

/* A process that the program forks goes its own way. */
static void on_fork(void)
{
	struct recorder *r = &the;
	r->ended = true;
	atomic_store(&r->phase, DONE);
	close(r->fd);
	munmap(r->tail, sizeof *r->tail);
	atomic_flag_clear(&r->lock);
}

/* ---- the beginning ---- */

static bool plugin_argument(struct recorder *r, const char *text, int *tail)
{
	char *eq = strchr(text, '='), *rest;
	if (!eq)
		return false;
	uint64_t v = strtoull(eq + 1, &rest, 0);
#define NAMED(key) (strlen(key) == (size_t)(eq - text) && !memcmp(text, key, (size_t)(eq - text)))
	if (NAMED("regs")) {
		r->want_regs = !strcmp(eq + 1, "on");
		return true;
	}
	if (NAMED("fd"))
		r->fd = (int)v;
	else if (NAMED("tail"))
		*tail = (int)v;
	else if (NAMED("start"))
		r->start = v, r->has_start = true;
	else if (NAMED("stop"))
		r->stop = v, r->has_stop = true;
	else if (NAMED("start_n"))
		r->start_n = v;
	else if (NAMED("stop_n"))
		r->stop_n = v;
	else if (NAMED("most"))
		r->most = v;
	else if (NAMED("text"))
		r->text = v + 1; /* 0: not given */
	else if (NAMED("fixed"))
		r->fixed = v;
	else
		return false;
	return !*rest && rest > eq + 1;
#undef NAMED
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                        char **argv)
{
	struct recorder *r = &the;
	int tail = -1;
	r->fd = -1;
	r->stop_n = r->most = UINT64_MAX;
	for (int i = 0; i < argc; i++)
		if (!plugin_argument(r, argv[i], &tail)) {
			fprintf(stderr, "cairn recorder: '%s' is no argument of it\n", argv[i]);
			return -1;
		}
	r->tail = tail < 0 ? MAP_FAILED
	                   : mmap(NULL, sizeof *r->tail, PROT_READ | PROT_WRITE, MAP_SHARED, tail, 0);
	if (r->fd < 0 || r->tail == MAP_FAILED || info->system_emulation) {
		fprintf(stderr, "cairn recorder: this is for cairn capture, which starts QEMU itself\n");
		return -1;
	}
	close(tail);
	(void)fcntl(r->fd, F_SETFD, FD_CLOEXEC);
	r->api = info->version.cur;
	const char *missing = machine_find(&r->machine, info->target_name, r->api);
	if (missing && r->want_regs) {
		fprintf(stderr, "cairn recorder: this QEMU lacks %s\n", missing);
		return -1;
	}
	pthread_atfork(NULL, NULL, on_fork);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_init_cb(id, on_thread);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_atexit_cb(id, on_exit_of_guest, r);
	return 0;
}
