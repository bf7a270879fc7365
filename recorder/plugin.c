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

#include "recorder/machine.h"
#include "recorder/qemu_plugin.h"

#define EXPORT __attribute__((visibility("default")))

enum { THREADS = 4096, TABLE_MIN = 1 << 16 };

/* One instruction as translated; the same encoding at the same place is the same one. */
struct insn {
	struct insn *chain;
	uint64_t pc;
	uint32_t enc, next_enc, id;
	uint8_t size;
	uint8_t old_bytes, old_base; /* of an atomic that keeps what it loads nowhere */
	bool defined, next_known, starts, stops;
};

struct access {
	uint64_t addr, value[2], old;
	uint8_t size, kind;
};

struct thread {
	void *cpu;
	uint32_t number;            /* in the stream: QEMU's is used again when a thread ends */
	const struct insn *current; /* has run or is running, not told yet */
	unsigned n_accesses;
	struct access accesses[CAPTURE_MOST_ACCESSES];
	uint64_t old, old_addr;     /* what is about to be replaced */
	bool has_old;
	bool known;                 /* regs holds what was told last */
	uint64_t regs[MACHINE_PARTS][64];
};

enum phase { WAITING, RECORDING, DONE };

static struct recorder {
	struct machine machine;
	int api, fd;
	struct capture_tail *tail;
	atomic_flag lock;
	bool want_regs, ended;
	_Atomic unsigned phase; /* enum phase */
	struct insn **table;
	size_t n_slots, n_insns;
	struct thread *threads[THREADS];
	uint32_t last, next_thread; /* the thread that was told last */
	uint32_t next_id, lost_accesses;
	uint64_t executed, recorded, before;
	uint64_t start, start_n, stop, stop_n, most, text, fixed;
	bool has_start, has_stop;
} the; /* a plugin is one program: QEMU hands some calls no pointer */

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

/* ---- the stream ---- */

/* Nobody reads any more, or nothing more can be told. */
static void give_up(struct recorder *r)
{
	atomic_store(&r->phase, DONE);
	r->ended = true;
}

static void flush(struct recorder *r)
{
	struct capture_tail *t = r->tail;
	size_t at = 0;
	while (at < t->used && !r->ended) {
		ssize_t n = write(r->fd, t->data + at, t->used - at);
		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno != EINTR)
			give_up(r);
	}
	/* Who reads knows how much came through the pipe: it takes what is behind that. Until
	 * both are stored it would take nothing twice, for `used` bytes at the old base came. */
	__atomic_store_n(&t->used, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&t->base, t->base + at, __ATOMIC_SEQ_CST);
}

static uint8_t *room(struct recorder *r)
{
	if (CAPTURE_BUFFER - r->tail->used < CAPTURE_MOST)
		flush(r);
	return r->tail->data + r->tail->used;
}

/* The record that ends at p is complete: from now on it survives. */
static void commit(struct recorder *r, const uint8_t *p)
{
	__atomic_store_n(&r->tail->used, (uint64_t)(p - r->tail->data), __ATOMIC_RELEASE);
}

static uint8_t *put(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, 8);
	return p + 8;
}

static uint8_t *head(uint8_t *p, unsigned type, unsigned a, unsigned b, unsigned c, uint32_t id)
{
	return put(p, type | a << 8 | b << 16 | c << 24 | (uint64_t)id << 32);
}

static void end(struct recorder *r, unsigned why)
{
	if (r->ended)
		return;
	uint8_t *p = head(room(r), CAPTURE_END, why, 0, 0, r->lost_accesses);
	commit(r, put(p, r->before));
	flush(r);
	give_up(r);
}

static void define(struct recorder *r, struct insn *in)
{
	in->id = r->next_id++;
	in->defined = true;
	uint8_t *p = head(room(r), CAPTURE_DEF, in->size, in->next_known, 0, in->id);
	p = put(p, in->pc);
	commit(r, put(p, in->enc | (uint64_t)in->next_enc << 32));
}

static void tell_thread(struct recorder *r, const struct thread *t)
{
	if (t->number == r->last)
		return;
	r->last = t->number;
	commit(r, head(room(r), CAPTURE_THREAD, 0, 0, 0, t->number));
}

/* ---- registers ---- */

struct changes {
	unsigned n, words;
	uint8_t num[CAPTURE_REGS + 8];
	uint64_t value[2 * CAPTURE_REGS];
};

/* One value that is not what it was. */
static void changed(struct changes *c, uint64_t *old, unsigned num, const uint8_t *now,
                    unsigned bytes)
{
	c->num[c->n++] = (uint8_t)num;
	memcpy(old, now, bytes);
	memcpy(&c->value[c->words], old, bytes == 16 ? 16 : 8);
	c->words += bytes == 16 ? 2 : 1;
}

/* What changed since the last time; false when registers cannot be read. */
static bool compare(struct recorder *r, struct thread *t, struct changes *c)
{
	struct machine *m = &r->machine;
	c->n = c->words = 0;
	for (unsigned k = 0; k < m->n_parts; k++) {
		const struct machine_part *p = &m->parts[k];
		uint64_t space[MACHINE_WORDS];
		unsigned stride, step = p->bytes == 16 ? 2 : 1;
		const uint8_t *now = machine_part(m, t->cpu, k, space, &stride);
		uint64_t *old = t->regs[k];
		if (!now)
			return false;
		for (unsigned i = 0; i < p->n; i++, now += stride, old += step) {
			if (p->bytes == 8 && stride == 8 && i + 4 <= p->n && t->known &&
			    !memcmp(now, old, 32)) {
				i += 3;
				now += 24;
				old += 3;
			} else if (!t->known || memcmp(now, old, p->bytes) != 0) {
				changed(c, old, p->first + i, now, p->bytes);
			}
		}
	}
	t->known = true;
	return true;
}

static uint8_t *put_changes(uint8_t *p, const struct changes *c)
{
	memset(p + (c->n & ~7u), 0, 8);
	memcpy(p, c->num, c->n);
	p += (c->n + 7) & ~7u;
	memcpy(p, c->value, 8 * (size_t)c->words);
	return p + 8 * (size_t)c->words;
}

/* ---- one instruction ---- */

static uint8_t *put_accesses(uint8_t *p, const struct thread *t)
{
	for (unsigned i = 0; i < t->n_accesses; i++) {
		const struct access *a = &t->accesses[i];
		p = put(p, a->kind | (uint64_t)a->size << 8);
		p = put(p, a->addr);
		p = put(p, a->value[0]);
		if (a->size > 8)
			p = put(p, a->value[1]);
		if (a->kind & CAPTURE_OLD)
			p = put(p, a->old);
	}
	return p;
}

/* Tell the thread's current instruction. `next`: what it runs now; NULL: not known.
 * `args`: of a system call. */
static void tell(struct recorder *r, struct thread *t, const struct insn *next,
                 const uint64_t *args)
{
	const struct insn *in = t->current;
	struct changes c = {0};
	bool jumped = next && next->pc != in->pc + in->size;
	t->current = NULL;
	if (next && r->want_regs && !compare(r, t, &c)) {
		end(r, CAPTURE_FAILED);
		return;
	}
	tell_thread(r, t);
	unsigned flags = (jumped ? (unsigned)CAPTURE_NEXT : 0) | (args ? (unsigned)CAPTURE_SYSCALL : 0);
	flags |= !next && !args ? (unsigned)CAPTURE_OPEN : 0;
	uint8_t *p = head(room(r), CAPTURE_EXEC, c.n, t->n_accesses, flags, in->id);
	p = c.n ? put_changes(p, &c) : p;
	p = t->n_accesses ? put_accesses(p, t) : p;
	p = jumped ? put(p, next->pc) : p;
	for (unsigned i = 0; args && i <= CAPTURE_ARGS; i++)
		p = put(p, args[i]);
	commit(r, p);
	r->recorded++;
}

/* The thread runs again, or for the first time: how its registers stand. */
static void tell_state(struct recorder *r, struct thread *t)
{
	struct changes c = {0};
	if (!r->want_regs)
		return;
	if (!compare(r, t, &c)) {
		end(r, CAPTURE_FAILED);
		return;
	}
	tell_thread(r, t);
	uint8_t *p = head(room(r), CAPTURE_STATE, c.n, 0, 0, 0);
	if (c.n)
		commit(r, put_changes(p, &c));
}

/* ---- QEMU's callbacks ---- */

static struct thread *thread_of(struct recorder *r, unsigned vcpu)
{
	if (vcpu >= THREADS || (!r->threads[vcpu] && r->next_thread == CAPTURE_THREADS))
		return NULL;
	if (!r->threads[vcpu]) {
		struct thread *t = calloc(1, sizeof *t);
		if (!t)
			return NULL;
		t->cpu = machine_cpu(&r->machine, vcpu);
		if (r->want_regs && !machine_prepare(&r->machine, t->cpu)) {
			free(t);
			return NULL;
		}
		t->number = r->next_thread++;
		r->threads[vcpu] = t;
	}
	return r->threads[vcpu];
}

/* Everything that is held is told; what it did to registers is not known any more. */
static void stop(struct recorder *r)
{
	for (unsigned i = 0; i < THREADS && !r->ended; i++)
		if (r->threads[i] && r->threads[i]->current)
			tell(r, r->threads[i], NULL, NULL);
	end(r, CAPTURE_STOPPED);
}

/* Does recording begin with it? */
static bool begins(struct recorder *r, const struct insn *in)
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
	uint64_t n = r->recorded + (t->current != NULL);
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

static void run(struct recorder *r, unsigned vcpu, struct insn *in)
{
	struct thread *t = thread_of(r, vcpu);
	r->executed++;
	if (atomic_load(&r->phase) == WAITING && !begins(r, in))
		return;
	if (!t) {
		end(r, CAPTURE_FAILED);
		return;
	}
	bool over = is_over(r, in, t);
	if (t->current)
		tell(r, t, in, NULL);
	else if (!over)
		tell_state(r, t);
	if (over)
		stop(r);
	if (r->ended)
		return;
	if (!in->defined)
		define(r, in);
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
		run(r, vcpu, user);
	unlock(r);
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
		if (t->n_accesses == CAPTURE_MOST_ACCESSES || shift > 4) {
			r->lost_accesses++;
		} else {
			struct access *a = &t->accesses[t->n_accesses++];
			a->addr = vaddr;
			a->size = (uint8_t)(1u << shift);
			a->kind = CAPTURE_VALUE;
			a->kind |= qemu_plugin_mem_is_store(info) ? CAPTURE_WRITE : CAPTURE_READ;
			a->value[0] = 0;
			machine_memory(&r->machine, vaddr, a->value, a->size);
			if (t->current->old_bytes == a->size && t->has_old && t->old_addr == vaddr) {
				a->kind |= CAPTURE_OLD;
				a->old = t->old;
			}
		}
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
	struct thread *t = r->threads[vcpu];
	if (t && t->current && !r->ended)
		tell(r, t, NULL, NULL);
	free(t);
	r->threads[vcpu] = NULL;
	unlock(r);
}

/* ---- translation ---- */

static size_t slot_of(const struct recorder *r, uint64_t pc)
{
	return (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (r->n_slots - 1);
}

static bool grow(struct recorder *r)
{
	size_t old_n = r->n_slots;
	struct insn **old = r->table, **made;
	if (r->n_insns < old_n)
		return true;
	made = calloc(old_n ? 2 * old_n : TABLE_MIN, sizeof *made);
	if (!made)
		return old_n != 0;
	r->table = made;
	r->n_slots = old_n ? 2 * old_n : TABLE_MIN;
	for (size_t i = 0; i < old_n; i++)
		for (struct insn *in = old[i], *next; in; in = next) {
			size_t k = slot_of(r, in->pc);
			next = in->chain;
			in->chain = made[k];
			made[k] = in;
		}
	free(old);
	return true;
}

/* The bytes of an instruction, by the version's way. */
static uint32_t encoding(const struct recorder *r, const struct qemu_plugin_insn *insn, size_t size)
{
	uint8_t b[4] = {0};
	void *p = dlsym(RTLD_DEFAULT, "qemu_plugin_insn_data");
	if (r->api >= 3) {
		size_t (*copy)(const struct qemu_plugin_insn *, void *, size_t);
		memcpy(&copy, &p, sizeof p);
		copy(insn, b, size);
	} else {
		const void *(*view)(const struct qemu_plugin_insn *);
		memcpy(&view, &p, sizeof p);
		memcpy(b, view(insn), size);
	}
	uint32_t v = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	return r->machine.big_endian ? __builtin_bswap32(v) : v;
}

/* An atomic whose destination is the zero register: which register has its address, and of
 * how many bytes it is. */
static void note_atomic(const struct recorder *r, struct insn *in)
{
	uint32_t e = in->enc, funct5 = e >> 27;
	if (!r->machine.target || r->machine.big_endian || in->size != 4)
		return;
	if (r->machine.target[0] == 'r' && (e & 0xfff) == 0x2f && funct5 != 2 && funct5 != 3) {
		in->old_bytes = (uint8_t)(1u << (e >> 12 & 3));
		in->old_base = e >> 15 & 31;
	} else if (r->machine.target[0] == 'a' && (e & 0x3b200c1f) == 0x3820001f) {
		in->old_bytes = (uint8_t)(1u << (e >> 30));
		in->old_base = e >> 5 & 31;
	}
}

static struct insn *insn_of(struct recorder *r, const struct qemu_plugin_insn *insn, size_t size)
{
	uint64_t pc = qemu_plugin_insn_vaddr(insn);
	uint32_t enc = encoding(r, insn, size);
	if (!grow(r))
		return NULL;
	struct insn **at = &r->table[slot_of(r, pc)];
	for (struct insn *in = *at; in; in = in->chain)
		if (in->pc == pc && in->enc == enc && in->size == size)
			return in;
	struct insn *in = calloc(1, sizeof *in);
	if (!in)
		return NULL;
	*in = (struct insn){.chain = *at, .pc = pc, .enc = enc, .size = (uint8_t)size,
		.starts = r->has_start && pc == r->start, .stops = r->has_stop && pc == r->stop};
	if (r->machine.big_endian && machine_look(&r->machine, pc + 4, &in->next_enc, 4)) {
		in->next_enc = __builtin_bswap32(in->next_enc);
		in->next_known = true;
	}
	note_atomic(r, in);
	*at = in;
	r->n_insns++;
	return in;
}

/* A position-independent program lies elsewhere than its file says. */
static void move(struct recorder *r)
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
	move(r);
	if (n > 1 && r->want_regs && machine_needs_single_step(&r->machine))
		end(r, CAPTURE_FAILED);
	for (size_t i = 0; i < n && !r->ended; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);
		struct insn *in = size == 2 || size == 4 ? insn_of(r, insn, size) : NULL;
		if (!in) {
			end(r, CAPTURE_FAILED);
			break;
		}
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
			r->want_regs ? QEMU_CB_READ_REGS : QEMU_CB_NO_REGS, in);
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_CB_NO_REGS, QEMU_MEM_BOTH, in);
	}
	unlock(r);
}

static void on_exit_of_guest(qemu_plugin_id_t id, void *user)
{
	struct recorder *r = user;
	(void)id;
	lock(r);
	for (unsigned i = 0; i < THREADS && !r->ended; i++)
		if (r->threads[i] && r->threads[i]->current)
			tell(r, r->threads[i], NULL, NULL);
	end(r, CAPTURE_EXITED);
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

static bool argument(struct recorder *r, const char *text, int *tail)
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
		if (!argument(r, argv[i], &tail)) {
			fprintf(stderr, "cairn recorder: '%s' is no argument of it\n", argv[i]);
			return -1;
		}
	r->tail = tail < 0 ? MAP_FAILED : mmap(NULL, sizeof *r->tail, PROT_READ | PROT_WRITE, MAP_SHARED,
	                                       tail, 0);
	if (r->fd < 0 || r->tail == MAP_FAILED || info->system_emulation) {
		fprintf(stderr, "cairn recorder: this is for cairn capture, which starts QEMU itself\n");
		return -1;
	}
	close(tail);
	(void)fcntl(r->fd, F_SETFD, FD_CLOEXEC);
	r->api = info->version.cur;
	const char *missing = machine_find(&r->machine, info->target_name);
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
