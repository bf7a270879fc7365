/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: what copies and sets of memory (FEAT_MOPS) read and write.
 *
 * Bytes that are copied are taken from memory when the sequence begins, because its own writes may lie on
 * bytes that it has yet to read. They are written when it is certain that this has been done; in between
 * memory is what both agree on. How bytes are put together to accesses is not determined: only accesses
 * that are told are accesses of a step. Of these, writes are each byte of the destination once, in blocks
 * one behind the other; reads may take more, but within 64 bytes of what they are for.
 */
#include <string.h>

#include "exec/arm64_mops.h"

enum {
	MOST_BYTES = 1 << 16, /* that are foreseen */
	PIECE = 64,
	WINDOW = 63,      /* around reads */
	MOST_WORDS = 1024 /* of accesses of a step */
};
static const uint64_t PLACE = UINT64_MAX >> 8; /* bits of an address that are no tag */

static bool is_copy(const struct exec_sequence *sequence)
{
	return sequence->words[1] < EXEC_WORDS;
}

/* ---- what memory will hold ---- */

static bool has_room(struct cairn_machine *machine)
{
	struct exec_sequence *sequence = &machine->sequence;
	if (!sequence->bytes)
		sequence->bytes = base_alloc(machine->cairn, MOST_BYTES);
	if (!sequence->known)
		sequence->known = base_alloc(machine->cairn, MOST_BYTES);
	return sequence->bytes && sequence->known;
}

/* Is each byte read before the copy itself changes it? */
static bool is_memmove(const struct exec_sequence *sequence)
{
	uint64_t ahead = sequence->from - sequence->to, behind = sequence->to - sequence->from;
	uint64_t size = sequence->size;
	bool forward = sequence->ways & MOPS_FORWARD, backward = sequence->ways & MOPS_BACKWARD;
	if (!behind)
		return true;
	/* the same place by another tag is other memory here */
	if (ahead >= size && behind >= size)
		return (ahead & PLACE) >= size && (behind & PLACE) >= size;
	return behind < size ? !forward : !backward;
}

/* A copy forward onto bytes that it has yet to read: each is what was there, or, if that has been overwritten
 * before, what is put `behind` bytes before it. */
static void may_repeat(struct exec_sequence *sequence)
{
	uint64_t behind = sequence->to - sequence->from;
	for (uint64_t i = behind; i < sequence->size; i++) {
		uint8_t before = sequence->bytes[i - behind], both = sequence->known[i - behind];
		both &= (uint8_t)(sequence->known[i] & ~(before ^ sequence->bytes[i]));
		sequence->known[i] = both;
		sequence->bytes[i] &= both;
	}
}

void mops_foresee(struct cairn_machine *machine, const struct exec_bits *data)
{
	struct exec_sequence *sequence = &machine->sequence;
	unsigned size = (unsigned)sequence->size;
	sequence->has_image = sequence->size <= MOST_BYTES && has_room(machine);
	if (!sequence->has_image)
		return;
	if (data) {
		memset(sequence->bytes, (int)(data->value & 0xff), size);
		memset(sequence->known, (int)(data->known & 0xff), size);
		return;
	}
	for (unsigned i = 0; i < size; i += PIECE)
		cairn_machine_read(machine, sequence->from + i, size - i < PIECE ? size - i : PIECE,
		                   sequence->bytes + i, sequence->known + i);
	if (is_memmove(sequence))
		return;
	if (!(sequence->ways & MOPS_BACKWARD) && sequence->to - sequence->from < size)
		may_repeat(sequence);
	else
		mops_forget(machine);
}

void mops_forget(struct cairn_machine *machine)
{
	struct exec_sequence *sequence = &machine->sequence;
	if (!sequence->has_image)
		return;
	memset(sequence->bytes, 0, (size_t)sequence->size);
	memset(sequence->known, 0, (size_t)sequence->size);
}

/* ---- writing ---- */

/* The bytes from `first` to `end` have been written, or `maybe` have. */
static void write_bytes(struct cairn_machine *machine, uint64_t first, uint64_t end, bool maybe)
{
	const struct exec_sequence *sequence = &machine->sequence;
	uint8_t bytes[PIECE], known[PIECE];
	for (unsigned n; first < end; first += n) {
		n = end - first < PIECE ? (unsigned)(end - first) : PIECE;
		const uint8_t *new_bytes = sequence->bytes + first, *new_known = sequence->known + first;
		if (!maybe) {
			cairn_machine_write(machine, sequence->to + first, n, new_bytes, new_known);
			continue;
		}
		cairn_machine_read(machine, sequence->to + first, n, bytes, known);
		for (unsigned i = 0; i < n; i++) {
			known[i] &= (uint8_t)(new_known[i] & ~(bytes[i] ^ new_bytes[i]));
			bytes[i] &= known[i];
		}
		cairn_machine_write(machine, sequence->to + first, n, bytes, known);
	}
}

void mops_write(struct cairn_machine *machine, uint64_t most)
{
	const struct exec_sequence *sequence = &machine->sequence;
	bool forward = sequence->ways & MOPS_FORWARD, backward = sequence->ways & MOPS_BACKWARD;
	uint64_t size = sequence->size, first, end;
	if (!most)
		return;
	if (!sequence->has_image) {
		cairn_machine_forget_memory(machine);
		return;
	}
	if (!sequence->most) {
		first = forward && !backward ? size - most : 0;
		end = backward && !forward ? most : size;
		write_bytes(machine, first, end, false);
		return;
	}
	/* What is written surely, and what is written if as few remain as may be. */
	if (forward && backward) {
		write_bytes(machine, 0, size, true);
	} else if (forward) {
		write_bytes(machine, size - most, size - sequence->most, false);
		write_bytes(machine, size - sequence->most, size - sequence->least, true);
	} else {
		write_bytes(machine, sequence->most, most, false);
		write_bytes(machine, sequence->least, sequence->most, true);
	}
}

void mops_doubt(struct cairn_machine *machine)
{
	static const uint8_t nothing[PIECE];
	const struct exec_sequence *sequence = &machine->sequence;
	if (sequence->size > MOST_BYTES) {
		cairn_machine_forget_memory(machine);
		return;
	}
	for (uint64_t i = 0; i < sequence->size; i += PIECE) {
		uint64_t left = sequence->size - i;
		cairn_machine_write(machine, sequence->to + i, left < PIECE ? (unsigned)left : PIECE,
		                    nothing, nothing);
	}
}

/* ---- accesses that are told ---- */

static bool is_write(const struct cairn_machine *machine, unsigned index)
{
	return machine->told[index].kind == CAIRN_MEM_WRITE;
}

/* Bytes of the destination change while the instruction is executed, and it may read them before that and
 * behind it. */
static bool may_change(const struct exec_sequence *sequence, uint64_t address)
{
	return address - sequence->to < sequence->size;
}

/* A byte at `address`, of which a read or a write is told. */
static struct exec_bits byte_of(struct cairn_machine *machine, uint64_t address, bool writes)
{
	const struct exec_sequence *sequence = &machine->sequence;
	uint64_t at = address - (writes ? sequence->to : sequence->from);
	if (!writes && may_change(sequence, address))
		return bits_unknown();
	if (sequence->has_image && at < sequence->size)
		return (struct exec_bits){sequence->bytes[at], sequence->known[at]};
	return writes ? bits_unknown() : exec_peek(machine, address, 1);
}

/* The access is one of the step's, at an address as far as it is determined. */
static void log_told(struct cairn_machine *machine, unsigned index, struct exec_bits address)
{
	const struct cairn_step_told *told = &machine->told[index];
	struct exec_bits words[PIECE / 8] = {{0, 0}};
	unsigned n = (told->size + 7u) / 8;
	if (!told->size || told->size > PIECE || machine->n_values + n > MOST_WORDS)
		return;
	for (unsigned i = 0; i < told->size && told->address_known; i++) {
		struct exec_bits byte = byte_of(machine, told->address + i, is_write(machine, index));
		words[i / 8].value |= (byte.value & 0xff) << i % 8 * 8;
		words[i / 8].known |= (byte.known & 0xff) << i % 8 * 8;
	}
	if (told->size % 8)
		words[n - 1] = bits_zero_extend(words[n - 1], told->size % 8 * 8);
	exec_log_access(machine, told->kind, address, told->size, words, false, told);
}

/* What is told of bytes that are copied is what will be in memory. */
static void learn(struct cairn_machine *machine, unsigned index)
{
	struct exec_sequence *sequence = &machine->sequence;
	const struct cairn_step_told *told = &machine->told[index];
	uint64_t base = is_write(machine, index) ? sequence->to : sequence->from;
	for (unsigned i = 0; i < told->size && told->bytes && told->address_known; i++) {
		uint64_t address = told->address + i, at = address - base;
		if (!sequence->has_image || at >= sequence->size ||
		    (!is_write(machine, index) && may_change(sequence, address)))
			continue;
		sequence->bytes[at] = told->bytes[i];
		sequence->known[at] = 0xff;
	}
}

/* Reads may take more than is copied. */
static void take_reads(struct cairn_machine *machine)
{
	const struct exec_sequence *sequence = &machine->sequence;
	uint64_t last = sequence->from + sequence->size - 1;
	struct exec_bits window = mops_between(sequence->from & ~(uint64_t)WINDOW, last | WINDOW, 1);
	for (unsigned i = 0; i < machine->n_told && is_copy(sequence); i++)
		if (!is_write(machine, i)) {
			log_told(machine, i, window);
			learn(machine, i);
			machine->used[i] = 1;
		}
}

/* Where a write lies in the destination, if it does. */
static bool lies_at(const struct cairn_machine *machine, unsigned index, uint64_t *at,
                    uint64_t *end)
{
	const struct cairn_step_told *told = &machine->told[index];
	*at = told->address - machine->sequence.to;
	*end = *at + told->size;
	return told->size && *at < machine->sequence.size;
}

/* The first write that has not been taken and holds the byte that comes next; else the first. */
static unsigned next_write(const struct cairn_machine *machine, unsigned first, uint64_t next,
                           bool forward, bool *found)
{
	for (unsigned i = first; i < machine->n_told; i++) {
		uint64_t at, end;
		if (machine->used[i] || !is_write(machine, i) || !lies_at(machine, i, &at, &end))
			continue;
		*found = forward ? at <= next && next < end : at < next && next <= end;
		if (*found)
			return i;
	}
	*found = false;
	return first;
}

/* Take all writes in the order in which bytes are written, the first of them at `next`. Gives where the
 * next one would begin. */
static uint64_t take_writes(struct cairn_machine *machine, uint64_t next, bool forward)
{
	const struct exec_sequence *sequence = &machine->sequence;
	for (unsigned first = 0;;) {
		while (first < machine->n_told && (machine->used[first] || !is_write(machine, first)))
			first++;
		if (first == machine->n_told)
			return next;
		bool found;
		unsigned i = next_write(machine, first, next, forward, &found);
		uint64_t at, end, size = machine->told[i].size;
		bool inside = lies_at(machine, i, &at, &end);
		struct exec_bits address = bits_known(sequence->to + (forward ? next : next - size));
		/* an access may take place more than once */
		bool again = inside && (forward ? end <= next : at >= next);
		if (found)
			address = bits_known(machine->told[i].address);
		else if (again)
			address = mops_between(sequence->to, sequence->to + sequence->size - 1, 1);
		log_told(machine, i, address);
		learn(machine, i);
		machine->used[i] = 1;
		if (found)
			next = forward ? end : at;
		else if (!again)
			next = forward ? next + size : next - size;
	}
}

/* Where the writes that are told begin and end. False: they tell nothing. */
static bool writes_span(const struct cairn_machine *machine, uint64_t *first, uint64_t *end)
{
	unsigned writes = 0;
	*first = UINT64_MAX;
	*end = 0;
	for (unsigned i = 0; i < machine->n_told; i++) {
		uint64_t at, to;
		if (!is_write(machine, i))
			continue;
		if (!machine->told[i].address_known)
			return false;
		writes++;
		if (!lies_at(machine, i, &at, &to))
			continue;
		*first = at < *first ? at : *first;
		*end = to > *end ? to : *end;
	}
	return writes != 0 && machine->n_told < EXEC_MOST_ACCESSES;
}

/* Writes of which it is not known in which direction they go on, or from where. */
static void take_any(struct cairn_machine *machine)
{
	const struct exec_sequence *sequence = &machine->sequence;
	struct exec_bits place = mops_between(sequence->to, sequence->to + sequence->size - 1, 1);
	for (unsigned i = 0; i < machine->n_told; i++)
		if (is_write(machine, i)) {
			log_told(machine, i, place);
			learn(machine, i);
			machine->used[i] = machine->told[i].address_known;
		}
}

static bool is_within(const struct exec_sequence *sequence, uint64_t remain)
{
	return remain >= sequence->least && remain <= sequence->most;
}

/* Which way the writes go, and how many bytes remained before them. False: that is open. */
static bool find_way(const struct cairn_machine *machine, bool *forward, uint64_t *remain)
{
	const struct exec_sequence *sequence = &machine->sequence;
	uint64_t first, end;
	bool may_forward = sequence->ways & MOPS_FORWARD, may_backward = sequence->ways & MOPS_BACKWARD;
	if (!sequence->most || !writes_span(machine, &first, &end))
		return false;
	bool exact = sequence->least == sequence->most;
	bool fits_forward = may_forward && end && is_within(sequence, sequence->size - first);
	bool fits_backward = may_backward && is_within(sequence, end);
	if (exact && may_forward != may_backward)
		fits_forward = !(fits_backward = may_backward); /* whatever is told */
	if (!fits_forward && !fits_backward)
		return false;
	if (fits_forward && fits_backward && (!exact || first || end != sequence->size))
		return false;
	*forward = fits_forward;
	*remain = exact ? sequence->most : fits_forward ? sequence->size - first : end;
	return true;
}

bool mops_accesses(struct cairn_machine *machine)
{
	struct exec_sequence *sequence = &machine->sequence;
	uint64_t size = sequence->size, remain;
	bool forward;
	if (machine->n_told)
		take_reads(machine);
	if (!machine->n_told || !find_way(machine, &forward, &remain)) {
		take_any(machine);
		sequence->least = 0;
		return true;
	}
	uint64_t next = take_writes(machine, forward ? size - remain : remain, forward);
	remain = forward ? size - next : next;
	if (remain > sequence->most || (forward && next > size) || remain % sequence->unit)
		return false;
	/* Both ways have done the whole, if it is not known which has done it. */
	if (remain)
		sequence->ways &= forward ? MOPS_FORWARD : MOPS_BACKWARD;
	sequence->least = sequence->most = remain;
	return true;
}

void mops_believe(struct cairn_machine *machine)
{
	static const uint8_t nothing[PIECE];
	const struct exec_sequence *sequence = &machine->sequence;
	for (unsigned i = 0; i < machine->n_told; i++) {
		const struct cairn_step_told *told = &machine->told[i];
		if (!machine->used[i] || !told->address_known || (!told->bytes && !is_write(machine, i)))
			continue;
		for (unsigned at = 0; at < told->size; at += PIECE) {
			unsigned n = told->size - at < PIECE ? told->size - at : PIECE;
			/* what was read from bytes that are written has gone */
			if (!is_write(machine, i) && (told->address + at - sequence->to < sequence->size ||
			                              sequence->to - told->address - at < n))
				continue;
			if (told->bytes)
				cairn_machine_write(machine, told->address + at, n, told->bytes + at, NULL);
			else if (!sequence->has_image)
				cairn_machine_write(machine, told->address + at, n, nothing, nothing);
		}
	}
}
