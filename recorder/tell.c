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
static void tell_give_up(struct recorder *recorder)
{
	atomic_store(&recorder->phase, DONE);
	recorder->ended = true;
}

static void tell_flush(struct recorder *recorder)
{
	struct capture_tail *tail = recorder->tail;
	size_t at = 0;
	while (at < tail->used && !recorder->ended) {
		ssize_t n = write(recorder->fd, tail->data + at, (size_t)tail->used - at);
		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno != EINTR)
			tell_give_up(recorder);
	}
	/* Who reads knows how much came through the pipe: it takes what is behind that. Until
	 * both are stored it would take nothing twice, for `used` bytes at the old base came. */
	__atomic_store_n(&tail->used, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&tail->base, tail->base + at, __ATOMIC_SEQ_CST);
}

static uint8_t *tell_room(struct recorder *recorder)
{
	if (CAPTURE_BUFFER - recorder->tail->used < CAPTURE_MOST)
		tell_flush(recorder);
	return recorder->tail->data + recorder->tail->used;
}

/* The record that ends at p is complete: from now on it survives. */
static void tell_commit(struct recorder *recorder, const uint8_t *p)
{
	__atomic_store_n(&recorder->tail->used, (uint64_t)(p - recorder->tail->data), __ATOMIC_RELEASE);
}

/* The stream is little-endian on every machine. */
static uint8_t *tell_put(uint8_t *p, uint64_t value)
{
	base_put_le64(p, value);
	return p + sizeof value;
}

/* Bytes as memory has them. */
static uint8_t *put_bytes(uint8_t *p, const uint64_t *values, unsigned n)
{
	memcpy(p, values, n);
	return p + n;
}

void tell_end(struct recorder *recorder, unsigned why)
{
	if (recorder->ended)
		return;
	uint8_t *p = tell_room(recorder), *end = capture_begin_END(p);
	capture_put_END_why(p, (uint8_t)why);
	capture_put_END_lost(p, recorder->lost_accesses);
	capture_put_END_before(p, recorder->before);
	tell_commit(recorder, end);
	tell_flush(recorder);
	tell_give_up(recorder);
}

void tell_define(struct recorder *recorder, struct insn *in)
{
	uint8_t *p = tell_room(recorder), *end = capture_begin_DEF(p);
	in->id = recorder->next_id++;
	in->defined = true;
	capture_put_DEF_bytes(p, in->size);
	capture_put_DEF_next_known(p, in->next_known);
	capture_put_DEF_id(p, in->id);
	capture_put_DEF_pc(p, in->pc);
	capture_put_DEF_encoding(p, in->enc);
	capture_put_DEF_next(p, in->next_enc);
	tell_commit(recorder, end);
}

static void tell_thread(struct recorder *recorder, const struct thread *thread)
{
	if (thread->number == recorder->last)
		return;
	uint8_t *p = tell_room(recorder), *end = capture_begin_THREAD(p);
	recorder->last = thread->number;
	capture_put_THREAD_thread(p, thread->number);
	tell_commit(recorder, end);
}

/* What the CPU has, before the first registers. */
static void tell_cpu(struct recorder *recorder)
{
	const struct machine *machine = &recorder->machine;
	unsigned missing = recorder->want_regs ? machine->missing : 0;
	recorder->cpu_told = true;
	if (!machine->vector_bytes && !missing)
		return;
	uint8_t *p = tell_room(recorder), *end = capture_begin_CPU(p);
	capture_put_CPU_missing(p, (uint8_t)missing);
	capture_put_CPU_vector(p, (uint16_t)machine->vector_bytes);
	tell_commit(recorder, end);
}

/* Nothing can hold vectors whose length changes: then the recording ends. */
static bool tell_resized(struct recorder *recorder, const struct thread *thread)
{
	struct machine *machine = &recorder->machine;
	if (!machine->vector_bytes || machine_same_vectors(machine, thread->cpu))
		return false;
	tell_end(recorder, CAPTURE_RESIZED);
	return true;
}

/* ---- registers ---- */

struct changes {
	unsigned n, words;
	uint8_t num[CAPTURE_REGS + 8];
	uint64_t value[CAPTURE_MOST_WORDS];
};

/* What of a thread's registers is compared: by bits of their numbers below the flags, where QEMU is
 * asked for each, and by enum machine_may. */
struct extent {
	uint64_t which;
	unsigned besides;
};
static const struct extent tell_all = {UINT64_MAX, UINT32_MAX};

/* One value that is not what it was. */
static void changed(struct changes *changes, uint64_t *old, unsigned num, const uint8_t *now,
                    unsigned bytes)
{
	unsigned words = (bytes + 7) / 8;
	changes->num[changes->n++] = (uint8_t)num;
	if (bytes == 4)
		*old = machine_word(now);
	else
		memcpy(old, now, bytes);
	memcpy(&changes->value[changes->words], old, 8 * (size_t)words);
	changes->words += words;
}

static bool tell_differs(const uint64_t *old, const uint8_t *now, unsigned bytes)
{
	return bytes == 4 ? *old != machine_word(now) : memcmp(now, old, bytes) != 0;
}

/* One part, as it stands in memory. */
static bool compare_part(struct recorder *recorder, struct thread *thread, unsigned index,
                         struct changes *changes)
{
	struct machine *machine = &recorder->machine;
	const struct machine_part *part = &machine->parts[index];
	uint64_t space[32 * MACHINE_VALUE], *old = thread->regs + part->word;
	unsigned stride, step = (part->bytes + 7u) / 8;
	const uint8_t *now = machine_part(machine, thread->cpu, index, space, &stride);
	if (!now)
		return false;
	for (unsigned i = 0; i < part->n; i++, now += stride, old += step) {
		if (part->bytes == 8 && stride == 8 && i + 4 <= part->n && thread->known &&
		    !memcmp(now, old, 32)) {
			i += 3;
			now += 24;
			old += 3;
		} else if (!thread->known || tell_differs(old, now, part->bytes)) {
			changed(changes, old, part->first + i, now, part->bytes);
		}
	}
	return true;
}

/* Those of `which`, asked for one by one; what is in neither bank always. */
static bool ask_part(struct recorder *recorder, struct thread *thread, unsigned index,
                     uint64_t which, struct changes *changes)
{
	const struct machine_part *part = &recorder->machine.parts[index];
	unsigned step = (part->bytes + 7u) / 8;
	for (unsigned i = 0; i < part->n; i++) {
		unsigned num = part->first + i;
		uint64_t v[MACHINE_VALUE], *old = thread->regs + part->word + (size_t)i * step;
		if (num < CAPTURE_FLAGS && !(which >> num & 1))
			continue;
		if (!machine_one(&recorder->machine, thread->cpu, index, i, v))
			return false;
		const uint8_t *now = machine_place(v, part->bytes);
		if (!thread->known || tell_differs(old, now, part->bytes))
			changed(changes, old, num, now, part->bytes);
	}
	return true;
}

/* Add what changed since the last time within the extent; false when registers cannot be read. */
static bool tell_compare(struct recorder *recorder, struct thread *thread, struct extent extent,
                         struct changes *changes)
{
	const struct machine *machine = &recorder->machine;
	extent = thread->known ? extent : tell_all;
	for (unsigned k = 0; k < machine->n_parts; k++) {
		const struct machine_part *part = &machine->parts[k];
		if (part->absent || (part->may && !(extent.besides & part->may)))
			continue;
		if (machine_asks(machine) ? !ask_part(recorder, thread, k, extent.which, changes)
		                          : !compare_part(recorder, thread, k, changes))
			return false;
	}
	thread->known = true;
	return true;
}

/* What an instruction did to registers. A signal's handler begins with other values in many,
 * but always with the stack pointer elsewhere. */
static bool compare_after(struct recorder *recorder, struct thread *thread, const struct insn *in,
                          bool jumped, struct changes *changes)
{
	const struct machine *machine = &recorder->machine;
	struct extent extent = {UINT64_MAX, in->besides};
	uint64_t sp = UINT64_C(1) << machine_sp(machine), may = UINT64_MAX;
	if (machine_asks(machine))
		may = machine_candidates(machine, in->enc, in->size);
	extent.which = jumped ? may | sp : may;
	if (!tell_compare(recorder, thread, extent, changes))
		return false;
	if (!jumped || may & sp || !memchr(changes->num, (int)machine_sp(machine), changes->n))
		return true;
	return tell_compare(recorder, thread, tell_all, changes);
}

static uint8_t *put_changes(uint8_t *p, const struct changes *changes)
{
	memset(p + (changes->n & ~7u), 0, 8);
	memcpy(p, changes->num, changes->n);
	p += capture_numbers_length(changes->n);
	for (unsigned i = 0; i < changes->words; i++)
		p = tell_put(p, changes->value[i]);
	return p;
}

/* ---- one instruction ---- */

static uint8_t *put_accesses(uint8_t *p, const struct thread *thread)
{
	for (unsigned i = 0; i < thread->n_accesses; i++) {
		const struct access *access = &thread->accesses[i];
		memset(p, 0, CAPTURE_LEN_ACCESS);
		capture_put_ACCESS_kind(p, access->kind);
		capture_put_ACCESS_bytes(p, access->size);
		capture_put_ACCESS_address(p, access->addr);
		p = put_bytes(p + CAPTURE_LEN_ACCESS, access->value, capture_value_length(access->size));
		if (access->kind & CAPTURE_OLD)
			p = put_bytes(p, &access->old, 8);
	}
	return p;
}

void tell(struct recorder *recorder, struct thread *thread, const struct insn *next,
          const uint64_t *args)
{
	const struct insn *in = thread->current;
	struct changes changes;
	changes.n = changes.words = 0;
	bool jumped = next && next->pc != in->pc + in->size, again = recorder_again(thread, next);
	thread->current = NULL;
	if (next && recorder->want_regs && !compare_after(recorder, thread, in, jumped, &changes)) {
		tell_end(recorder, CAPTURE_FAILED);
		return;
	}
	if (next && in->resizes && recorder->want_regs && tell_resized(recorder, thread))
		return;
	tell_thread(recorder, thread);
	unsigned flags = (jumped ? (unsigned)CAPTURE_NEXT : 0) | (args ? (unsigned)CAPTURE_SYSCALL : 0);
	flags |= !next && !args ? (unsigned)CAPTURE_OPEN : 0;
	uint8_t *exec = tell_room(recorder), *p = capture_begin_EXEC(exec);
	capture_put_EXEC_registers(exec, (uint8_t)changes.n);
	capture_put_accesses(exec, thread->n_accesses, flags);
	capture_put_EXEC_id(exec, in->id);
	p = changes.n ? put_changes(p, &changes) : p;
	p = thread->n_accesses ? put_accesses(p, thread) : p;
	p = jumped ? tell_put(p, next->pc) : p;
	for (unsigned i = 0; args && i <= CAPTURE_ARGS; i++)
		p = tell_put(p, args[i]);
	tell_commit(recorder, p);
	recorder->recorded += !again;
}

void tell_state(struct recorder *recorder, struct thread *thread)
{
	struct changes changes;
	changes.n = changes.words = 0;
	if (!recorder->cpu_told)
		tell_cpu(recorder);
	if (!recorder->want_regs)
		return;
	if (!tell_compare(recorder, thread, tell_all, &changes)) {
		tell_end(recorder, CAPTURE_FAILED);
		return;
	}
	if (tell_resized(recorder, thread))
		return;
	tell_thread(recorder, thread);
	uint8_t *state = tell_room(recorder), *p = capture_begin_STATE(state);
	capture_put_STATE_registers(state, (uint8_t)changes.n);
	if (changes.n)
		tell_commit(recorder, put_changes(p, &changes));
}

void tell_open(struct recorder *recorder)
{
	for (unsigned i = 0; i < THREADS && !recorder->ended; i++)
		if (recorder->threads[i] && recorder->threads[i]->current)
			tell(recorder, recorder->threads[i], NULL, NULL);
}
