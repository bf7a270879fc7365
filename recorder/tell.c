/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of formats/capture/stream.h, written: what an instruction did, which of the
 * registers changed.
 *
 * The buffer is memory shared with the command, which takes from there what was not
 * written when the program ended: no way to die loses an instruction.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "recorder/recorder.h"

/* ---- the stream ---- */

/* Nobody reads any more, or nothing more can be told. */
static void tell_give_up(struct recorder *r)
{
	atomic_store(&r->phase, DONE);
	r->ended = true;
}

static void tell_flush(struct recorder *r)
{
	struct capture_tail *t = r->tail;
	size_t at = 0;
	while (at < t->used && !r->ended) {
		ssize_t n = write(r->fd, t->data + at, (size_t)t->used - at);
		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno != EINTR)
			tell_give_up(r);
	}
	/* Who reads knows how much came through the pipe: it takes what is behind that. Until
	 * both are stored it would take nothing twice, for `used` bytes at the old base came. */
	__atomic_store_n(&t->used, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&t->base, t->base + at, __ATOMIC_SEQ_CST);
}

static uint8_t *tell_room(struct recorder *r)
{
	if (CAPTURE_BUFFER - r->tail->used < CAPTURE_MOST)
		tell_flush(r);
	return r->tail->data + r->tail->used;
}

/* The record that ends at p is complete: from now on it survives. */
static void tell_commit(struct recorder *r, const uint8_t *p)
{
	__atomic_store_n(&r->tail->used, (uint64_t)(p - r->tail->data), __ATOMIC_RELEASE);
}

/* The stream is little-endian on every machine. */
static uint8_t *tell_put(uint8_t *p, uint64_t v)
{
	base_put_le64(p, v);
	return p + 8;
}

/* Bytes as memory has them. */
static uint8_t *put_bytes(uint8_t *p, const uint64_t *v, unsigned n)
{
	memcpy(p, v, n);
	return p + n;
}

static uint8_t *tell_head(uint8_t *p, unsigned type, unsigned a, unsigned b, unsigned c,
                          uint32_t id)
{
	return tell_put(p, type | a << 8 | b << 16 | c << 24 | (uint64_t)id << 32);
}

void tell_end(struct recorder *r, unsigned why)
{
	if (r->ended)
		return;
	uint8_t *p = tell_head(tell_room(r), CAPTURE_END, why, 0, 0, r->lost_accesses);
	tell_commit(r, tell_put(p, r->before));
	tell_flush(r);
	tell_give_up(r);
}

void tell_define(struct recorder *r, struct insn *in)
{
	in->id = r->next_id++;
	in->defined = true;
	uint8_t *p = tell_head(tell_room(r), CAPTURE_DEF, in->size, in->next_known, 0, in->id);
	p = tell_put(p, in->pc);
	tell_commit(r, tell_put(p, in->enc | (uint64_t)in->next_enc << 32));
}

static void tell_thread(struct recorder *r, const struct thread *t)
{
	if (t->number == r->last)
		return;
	r->last = t->number;
	tell_commit(r, tell_head(tell_room(r), CAPTURE_THREAD, 0, 0, 0, t->number));
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
	if (bytes == 4)
		*old = machine_word(now);
	else
		memcpy(old, now, bytes);
	memcpy(&c->value[c->words], old, bytes == 16 ? 16 : 8);
	c->words += bytes == 16 ? 2 : 1;
}

static bool tell_differs(const uint64_t *old, const uint8_t *now, unsigned bytes)
{
	return bytes == 4 ? *old != machine_word(now) : memcmp(now, old, bytes) != 0;
}

/* One part, as it stands in memory. */
static bool compare_part(struct recorder *r, struct thread *t, unsigned k, struct changes *c)
{
	struct machine *m = &r->machine;
	const struct machine_part *p = &m->parts[k];
	uint64_t space[MACHINE_WORDS], *old = t->regs[k];
	unsigned stride, step = p->bytes == 16 ? 2 : 1;
	const uint8_t *now = machine_part(m, t->cpu, k, space, &stride);
	if (!now)
		return false;
	for (unsigned i = 0; i < p->n; i++, now += stride, old += step) {
		if (p->bytes == 8 && stride == 8 && i + 4 <= p->n && t->known && !memcmp(now, old, 32)) {
			i += 3;
			now += 24;
			old += 3;
		} else if (!t->known || tell_differs(old, now, p->bytes)) {
			changed(c, old, p->first + i, now, p->bytes);
		}
	}
	return true;
}

/* Those of `which`, asked for one by one; what is in neither bank always. */
static bool ask_part(struct recorder *r, struct thread *t, unsigned k, uint64_t which,
                     struct changes *c)
{
	const struct machine_part *p = &r->machine.parts[k];
	unsigned step = p->bytes == 16 ? 2 : 1;
	for (unsigned i = 0; i < p->n; i++) {
		unsigned num = p->first + i;
		uint64_t v[2], *old = t->regs[k] + (size_t)i * step;
		if (num < CAPTURE_FLAGS && !(which >> num & 1))
			continue;
		if (!machine_one(&r->machine, t->cpu, k, i, v))
			return false;
		const uint8_t *now = machine_place(v, p->bytes);
		if (!t->known || tell_differs(old, now, p->bytes))
			changed(c, old, num, now, p->bytes);
	}
	return true;
}

/* What changed since the last time, at most `which`, where it pays to know that; false when
 * registers cannot be read. */
static bool tell_compare(struct recorder *r, struct thread *t, uint64_t which, struct changes *c)
{
	const struct machine *m = &r->machine;
	c->n = c->words = 0;
	which = t->known ? which : UINT64_MAX;
	for (unsigned k = 0; k < m->n_parts; k++)
		if (machine_asks(m) ? !ask_part(r, t, k, which, c) : !compare_part(r, t, k, c))
			return false;
	t->known = true;
	return true;
}

/* What an instruction did to registers. A signal's handler begins with other values in many,
 * but always with the stack pointer elsewhere. */
static bool compare_after(struct recorder *r, struct thread *t, const struct insn *in, bool jumped,
                          struct changes *c)
{
	const struct machine *m = &r->machine;
	uint64_t may = UINT64_MAX, sp = UINT64_C(1) << machine_sp(m);
	if (machine_asks(m))
		may = machine_candidates(m, in->enc, in->size);
	if (!tell_compare(r, t, jumped ? may | sp : may, c))
		return false;
	if (!jumped || may & sp || !memchr(c->num, (int)machine_sp(m), c->n))
		return true;
	struct changes rest;
	if (!tell_compare(r, t, UINT64_MAX, &rest))
		return false;
	memcpy(c->num + c->n, rest.num, rest.n);
	memcpy(c->value + c->words, rest.value, 8 * (size_t)rest.words);
	c->n += rest.n;
	c->words += rest.words;
	return true;
}

static uint8_t *put_changes(uint8_t *p, const struct changes *c)
{
	memset(p + (c->n & ~7u), 0, 8);
	memcpy(p, c->num, c->n);
	p += (c->n + 7) & ~7u;
	for (unsigned i = 0; i < c->words; i++)
		p = tell_put(p, c->value[i]);
	return p;
}

/* ---- one instruction ---- */

static uint8_t *put_accesses(uint8_t *p, const struct thread *t)
{
	for (unsigned i = 0; i < t->n_accesses; i++) {
		const struct access *a = &t->accesses[i];
		p = tell_put(p, a->kind | (uint64_t)a->size << 8);
		p = tell_put(p, a->addr);
		p = put_bytes(p, a->value, a->size > 8 ? 16 : 8);
		if (a->kind & CAPTURE_OLD)
			p = put_bytes(p, &a->old, 8);
	}
	return p;
}

void tell(struct recorder *r, struct thread *t, const struct insn *next, const uint64_t *args)
{
	const struct insn *in = t->current;
	struct changes c;
	c.n = c.words = 0;
	bool jumped = next && next->pc != in->pc + in->size, again = recorder_again(t, next);
	t->current = NULL;
	if (next && r->want_regs && !compare_after(r, t, in, jumped, &c)) {
		tell_end(r, CAPTURE_FAILED);
		return;
	}
	tell_thread(r, t);
	unsigned flags = (jumped ? (unsigned)CAPTURE_NEXT : 0) | (args ? (unsigned)CAPTURE_SYSCALL : 0);
	flags |= !next && !args ? (unsigned)CAPTURE_OPEN : 0;
	uint8_t *p = tell_head(tell_room(r), CAPTURE_EXEC, c.n, t->n_accesses, flags, in->id);
	p = c.n ? put_changes(p, &c) : p;
	p = t->n_accesses ? put_accesses(p, t) : p;
	p = jumped ? tell_put(p, next->pc) : p;
	for (unsigned i = 0; args && i <= CAPTURE_ARGS; i++)
		p = tell_put(p, args[i]);
	tell_commit(r, p);
	r->recorded += !again;
}

void tell_state(struct recorder *r, struct thread *t)
{
	struct changes c;
	c.n = c.words = 0;
	if (!r->want_regs)
		return;
	if (!tell_compare(r, t, UINT64_MAX, &c)) {
		tell_end(r, CAPTURE_FAILED);
		return;
	}
	tell_thread(r, t);
	uint8_t *p = tell_head(tell_room(r), CAPTURE_STATE, c.n, 0, 0, 0);
	if (c.n)
		tell_commit(r, put_changes(p, &c));
}

void tell_open(struct recorder *r)
{
	for (unsigned i = 0; i < THREADS && !r->ended; i++)
		if (r->threads[i] && r->threads[i]->current)
			tell(r, r->threads[i], NULL, NULL);
}
