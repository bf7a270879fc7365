/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE2: logic of three operands, bits that are gathered and spread, and elements that are looked for.
 */
#include "exec/arm64_sve.h"

/* ---- logic of three ---- */

enum { BSL, BSL1N, BSL2N, NBSL, EOR3, BCAX };

static struct exec_bits logic(unsigned how, struct exec_bits a, struct exec_bits b,
                              struct exec_bits c)
{
	switch (how) {
	case BSL:
		return bits_merge(c, a, b);
	case BSL1N:
		return bits_merge(c, bits_not(a), b);
	case BSL2N:
		return bits_merge(c, a, bits_not(b));
	case NBSL:
		return bits_not(bits_merge(c, a, b));
	case EOR3:
		return bits_xor(bits_xor(a, b), c);
	default:
		return bits_xor(a, bits_and(b, bits_not(c)));
	}
}

/* zdn, zm and zk. */
static void run_logic(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < machine->vector_bits / 64; i++)
		to.word[i] = logic(op->extra, machine->word[sve_z(op, 0) + i],
		                   machine->word[sve_z(op, 16) + i], machine->word[sve_z(op, 5) + i]);
	sve_put(machine, sve_z(op, 0), &to);
}

/* xar: exclusive or, turned to the right. */
static void run_turned(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op turn = *op;
	struct sve_vector to = {0};
	sve_take_places(&turn, arm64_field(op, 23, 22) << 5 | arm64_field(op, 20, 16), true);
	unsigned bits = 8u * turn.width, n = (unsigned)turn.imm;
	for (unsigned i = 0; i < sve_elements(machine, turn.width); i++) {
		struct exec_bits made = bits_xor(arm64_lane(machine, sve_z(op, 0), turn.width, i),
		                                 arm64_lane(machine, sve_z(op, 5), turn.width, i));
		if (n < bits)
			made = bits_or(bits_right(made, n), bits_left(made, bits - n));
		arm64_set_lane(to.word, turn.width, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- bits of elements ---- */

/* The bits of `from` where the mask has ones, moved together to the bottom; *n of them. */
static uint64_t gathered(uint64_t from, uint64_t mask, unsigned *n)
{
	uint64_t made = 0;
	for (*n = 0; mask; mask &= mask - 1)
		made |= (from >> __builtin_ctzll(mask) & 1) << (*n)++;
	return made;
}

static uint64_t spread(uint64_t from, uint64_t mask)
{
	uint64_t made = 0;
	for (; mask; mask &= mask - 1, from >>= 1)
		made |= (from & 1) << __builtin_ctzll(mask);
	return made;
}

enum { BEXT, BDEP, BGRP };

static uint64_t arranged(unsigned how, uint64_t from, uint64_t mask, unsigned bits)
{
	uint64_t all = UINT64_MAX >> (64 - bits);
	unsigned n, others;
	if (how == BDEP)
		return spread(from, mask);
	uint64_t low = gathered(from, mask, &n);
	if (how == BEXT || n == bits)
		return low;
	return low | gathered(from, ~mask & all, &others) << n;
}

/* What is known of `from` moves as it does; bits that come in are 0. */
static void run_arrange(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned bits = 8u * op->width;
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits from = arm64_lane(machine, sve_z(op, 5), op->width, i);
		struct exec_bits mask = arm64_lane(machine, sve_z(op, 16), op->width, i);
		struct exec_bits made = bits_unknown();
		if (bits_all(mask)) {
			made.value = arranged(op->extra, from.value, mask.value, bits);
			made.known = ~arranged(op->extra, ~from.known, mask.value, bits);
		}
		arm64_set_lane(to.word, op->width, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- search ---- */

/* match, nmatch: is an element of zn among those of zm in the same 128 bits? Bit 4: it is not. */
static void run_match(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned governing = sve_governing(op), per_segment = 16u / op->width;
	struct sve_predicate made = sve_none();
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits a = arm64_lane(machine, sve_z(op, 5), op->width, i);
		struct exec_bits any = bits_known(0);
		for (unsigned k = 0; k < per_segment; k++)
			any = bits_or(any, bits_equal(a, arm64_lane(machine, sve_z(op, 16), op->width,
			                                            i / per_segment * per_segment + k)));
		any = bits_xor(any, bits_known(arm64_field(op, 4, 4)));
		sve_set_active(&made, op->width, i,
		               bits_and(sve_active(machine, governing, op->width, i), any));
	}
	sve_test(machine, &machine->word[governing], &made, op->width);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* How many of the truths hold: as long as all are known. */
static struct exec_bits counted(struct exec_bits count, struct exec_bits truth)
{
	return bits_all(truth) ? bits_add(count, truth) : bits_unknown();
}

/* histcnt: how many active elements of zm, up to the same place, are equal to that of zn. */
static void run_histogram(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned governing = sve_governing(op);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits active = sve_active(machine, governing, op->width, i);
		struct exec_bits a = arm64_lane(machine, sve_z(op, 5), op->width, i);
		struct exec_bits count = bits_known(0);
		for (unsigned k = 0; k <= i && !bits_are_zero(active); k++) {
			struct exec_bits b = arm64_lane(machine, sve_z(op, 16), op->width, k);
			count = counted(
				count, bits_and(bits_equal(a, b), sve_active(machine, governing, op->width, k)));
		}
		arm64_set_lane(to.word, op->width, i, bits_choose(active, count, bits_known(0)));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* histseg: how many bytes of zm, in the same 128 bits, are equal to that of zn. */
static void run_histogram_of_bytes(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, 1); i++) {
		struct exec_bits a = arm64_lane(machine, sve_z(op, 5), 1, i), count = bits_known(0);
		for (unsigned k = 0; k < 16; k++)
			count = counted(count,
			                bits_equal(a, arm64_lane(machine, sve_z(op, 16), 1, (i & ~15u) + k)));
		arm64_set_lane(to.word, 1, i, count);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- tables ---- */

/* tbl of two registers; tbx, of one, leaves what there is where the index is beyond it. */
static void run_table(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned n = sve_elements(machine, op->width), first = arm64_field(op, 9, 5);
	bool keeps = arm64_field(op, 10, 10);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits index = arm64_lane(machine, sve_z(op, 16), op->width, i);
		struct exec_bits old = arm64_lane(machine, sve_z(op, 0), op->width, i);
		struct exec_bits made = bits_unknown();
		if (bits_least(index) >= (keeps ? n : 2 * n))
			made = keeps ? old : bits_known(0);
		else if (bits_all(index))
			made = arm64_lane(machine, sve_register((first + (index.value >= n)) & 31), op->width,
			                  (unsigned)index.value % n);
		arm64_set_lane(to.word, op->width, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

#define ROW(mask, match, run, extra) \
	{ \
		mask, match, run, NULL, extra, NULL, NULL \
	}
#define LOGIC(match, extra) ROW(0xffe0fc00, match, run_logic, extra)

const struct sve_row arm64_sve2_bits_rows[] = {
	LOGIC(0x04203c00, BSL),
	LOGIC(0x04603c00, BSL1N),
	LOGIC(0x04a03c00, BSL2N),
	LOGIC(0x04e03c00, NBSL),
	LOGIC(0x04203800, EOR3),
	LOGIC(0x04603800, BCAX),
	ROW(0xff20fc00, 0x04203400, run_turned, 0),
	ROW(0xff20fc00, 0x4500b000, run_arrange, BEXT),
	ROW(0xff20fc00, 0x4500b400, run_arrange, BDEP),
	ROW(0xff20fc00, 0x4500b800, run_arrange, BGRP),
	ROW(0xffa0e000, 0x45208000, run_match, 0),
	ROW(0xffa0e000, 0x45a0c000, run_histogram, 0),
	ROW(0xffe0fc00, 0x4520a000, run_histogram_of_bytes, 0),
	ROW(0xff20f800, 0x05202800, run_table, 0),
	{0}};
