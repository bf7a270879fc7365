/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: what moves elements of vectors about, puts several into one, or makes them of constants.
 * Source: Arm Architecture Reference Manual for A-profile, C7.2.
 */
#include "exec/arm64.h"
#include "exec/wide.h"

#define HANDLER(name) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op)

static bool is_whole(const struct exec_op *op)
{
	return op->enc >> 30 & 1;
}

/* Elements of the width that bits 23 and 22 say. */
static void form_size(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = (uint8_t)(1u << arm64_field(op, 23, 22));
	op->imm = op->enc >> 28 & 1 ? 1 : (is_whole(op) ? 16 : 8) / op->width;
}

static void form_bytes(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = 1;
	op->imm = is_whole(op) ? 16 : 8;
}

/* ---- the order of elements ---- */

/* Element `index` of the first operand, and behind its last one of the second. */
static struct exec_bits joined_lane(const struct cairn_machine *machine, const struct exec_op *op,
                                    unsigned index)
{
	unsigned n = arm64_elements(op);
	return index < n ? arm64_lane(machine, op->rs1, op->width, index)
	                 : arm64_lane(machine, op->rs2, op->width, index - n);
}

/* uzp, trn, zip: bits 13 and 12 say which, bit 14 which half. */
HANDLER(permute)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned n = arm64_elements(op), part = arm64_field(op, 14, 14), how = arm64_field(op, 13, 12);
	for (unsigned i = 0; i < n; i++) {
		unsigned second = i & 1 ? n : 0;
		unsigned from = how == 1   ? 2 * i + part
		                : how == 2 ? (i & ~1u) + part + second
		                           : i / 2 + part * (n / 2) + second;
		arm64_set_lane(to, op->width, i, joined_lane(machine, op, from));
	}
	arm64_put_vector(machine, op->rd, to);
}

HANDLER(ext)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned first = arm64_field(op, 14, 11);
	for (unsigned i = 0; i < arm64_elements(op); i++)
		arm64_set_lane(to, 1, i, joined_lane(machine, op, first + i));
	arm64_put_vector(machine, op->rd, to);
}

/* rev16, rev32, rev64: elements in the other order within containers of `extra` bytes. */
HANDLER(rev)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned last = op->extra / op->width - 1u;
	for (unsigned i = 0; i < arm64_elements(op); i++)
		arm64_set_lane(to, op->width, i, arm64_lane(machine, op->rs1, op->width, i ^ last));
	arm64_put_vector(machine, op->rd, to);
}

/* tbl, tbx: bits 14 and 13 say how many registers the table has, one behind the other. An index
 * beyond it gives 0 or, of tbx, leaves what there is. */
HANDLER(table)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned bytes = 16 * (arm64_field(op, 14, 13) + 1), first = arm64_field(op, 9, 5);
	bool keeps = op->enc >> 12 & 1;
	for (unsigned i = 0; i < arm64_elements(op); i++) {
		struct exec_bits index = arm64_lane(machine, op->rs2, 1, i), made = bits_unknown();
		unsigned at = (unsigned)index.value;
		if (bits_least(index) >= bytes)
			made = keeps ? arm64_lane(machine, op->rd, 1, i) : bits_known(0);
		else if (bits_all(index))
			made =
				arm64_lane(machine, ARM64_V + ARM64_VECTOR * ((first + at / 16) & 31), 1, at % 16);
		arm64_set_lane(to, 1, i, made);
	}
	arm64_put_vector(machine, op->rd, to);
}

/* ---- one element ---- */

/* The position of the lowest one of imm5 says how wide elements are, what is above it which. */
static unsigned form_imm5(struct exec_op *op)
{
	unsigned imm5 = arm64_field(op, 20, 16), log = (unsigned)__builtin_ctz(imm5 | 16);
	arm64_form_registers(op);
	op->width = (uint8_t)(1u << log);
	op->imm = op->enc >> 28 & 1 ? 1 : (is_whole(op) ? 16 : 8) / op->width;
	op->extra = (uint8_t)(imm5 >> (log + 1));
	return log;
}

static void form_element(struct exec_op *op)
{
	form_imm5(op);
}

static void form_from_general(struct exec_op *op)
{
	form_imm5(op);
	op->rs1 = arm64_source(arm64_field(op, 9, 5));
}

static void form_to_general(struct exec_op *op)
{
	form_imm5(op);
	op->rd = arm64_target(arm64_field(op, 4, 0));
}

static void form_element_to_element(struct exec_op *op)
{
	unsigned log = form_imm5(op);
	op->rs2 = (uint16_t)(arm64_field(op, 14, 11) >> log);
}

static void fill_all(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits bits)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	for (unsigned i = 0; i < arm64_elements(op); i++)
		arm64_set_lane(to, op->width, i, bits);
	arm64_put_vector(machine, op->rd, to);
}

HANDLER(dup_element)
{
	fill_all(machine, op, arm64_lane(machine, op->rs1, op->width, op->extra));
}

HANDLER(dup_general)
{
	fill_all(machine, op, machine->word[op->rs1]);
}

static void insert(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits bits)
{
	struct exec_bits to[2] = {machine->word[op->rd], machine->word[op->rd + 1]};
	arm64_set_lane(to, op->width, op->extra, bits);
	arm64_put_vector(machine, op->rd, to);
}

HANDLER(ins_general)
{
	insert(machine, op, machine->word[op->rs1]);
}

HANDLER(ins_element)
{
	insert(machine, op, arm64_lane(machine, op->rs1, op->width, op->rs2));
}

HANDLER(umov)
{
	arm64_put(machine, op->rd, arm64_lane(machine, op->rs1, op->width, op->extra));
}

HANDLER(smov)
{
	struct exec_bits lane = arm64_lane(machine, op->rs1, op->width, op->extra);
	lane = bits_sign_extend(lane, 8u * op->width);
	arm64_put(machine, op->rd, is_whole(op) ? lane : bits_zero_extend(lane, 32));
}

/* ---- constants ---- */

/* Eight bytes that are made of 8 bits: the manual's AdvSIMDExpandImm. */
static uint64_t expanded(const struct exec_op *op)
{
	uint64_t imm = arm64_field(op, 18, 16) << 5 | arm64_field(op, 9, 5), made = 0;
	unsigned cmode = arm64_field(op, 15, 12), by = 8 * (cmode >> 1 & 3);
	bool inverse = op->enc >> 29 & 1;
	if (cmode < 8)
		return (imm << by) * UINT64_C(0x100000001);
	if (cmode < 12)
		return (imm << (by & 8)) * UINT64_C(0x1000100010001);
	if (cmode < 14) /* ones come in */
		return (cmode & 1 ? imm << 16 | 0xffff : imm << 8 | 0xff) * UINT64_C(0x100000001);
	if (cmode == 14 && !inverse)
		return imm * UINT64_C(0x0101010101010101);
	if (cmode == 14) {
		for (unsigned i = 0; i < 8; i++)
			made |= imm >> i & 1 ? UINT64_C(0xff) << 8 * i : 0;
		return made;
	}
	/* floating point */
	uint64_t sign = imm >> 7, turned = imm >> 6 & 1, low = imm & 63;
	if (op->enc >> 11 & 1)
		return (sign << 15 | (turned ? 3u : 4u) << 12 | low << 6) * UINT64_C(0x1000100010001);
	if (inverse)
		return sign << 63 | (turned ? UINT64_C(0xff) : UINT64_C(0x100)) << 54 | low << 48;
	return (sign << 31 | (turned ? UINT64_C(0x1f) : UINT64_C(0x20)) << 25 | low << 19) *
	       UINT64_C(0x100000001);
}

enum { MOVE, MOVE_INVERSE, OR, CLEAR };

static void form_constant(struct exec_op *op)
{
	unsigned cmode = arm64_field(op, 15, 12);
	bool inverse = op->enc >> 29 & 1;
	arm64_form_registers(op);
	op->imm = (int64_t)expanded(op);
	op->extra = cmode < 12 && cmode & 1 ? (inverse ? CLEAR : OR)
	            : cmode < 14 && inverse ? MOVE_INVERSE
	                                    : MOVE;
}

HANDLER(constant)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct exec_bits imm = bits_known((uint64_t)op->imm);
	for (unsigned i = 0; i < (is_whole(op) ? 2u : 1u); i++) {
		struct exec_bits before = machine->word[op->rd + i];
		to[i] = op->extra == MOVE           ? imm
		        : op->extra == MOVE_INVERSE ? bits_not(imm)
		        : op->extra == OR           ? bits_or(before, imm)
		                                    : bits_and(before, bits_not(imm));
	}
	arm64_put_vector(machine, op->rd, to);
}

/* ---- several into one ---- */

enum { SUM, GREATEST, LEAST };

static struct exec_bits extended(const struct exec_op *op, struct exec_bits bits)
{
	unsigned n = 8u * op->width;
	return op->enc >> 29 & 1 ? bits_zero_extend(bits, n) : bits_sign_extend(bits, n);
}

static struct exec_bits joined(const struct exec_op *op, struct exec_bits a, struct exec_bits b)
{
	struct exec_bits less = op->enc >> 29 & 1 ? bits_less(a, b) : bits_less_signed(a, b);
	return op->extra == SUM        ? bits_add(a, b)
	       : op->extra == GREATEST ? bits_choose(less, b, a)
	                               : bits_choose(less, a, b);
}

/* Neighbours of the first operand, and then of the second. */
HANDLER(pairs)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	for (unsigned i = 0; i < arm64_elements(op); i++) {
		struct exec_bits a = extended(op, joined_lane(machine, op, 2 * i));
		struct exec_bits b = extended(op, joined_lane(machine, op, 2 * i + 1));
		arm64_set_lane(to, op->width, i, joined(op, a, b));
	}
	arm64_put_vector(machine, op->rd, to);
}

/* addp of a scalar: both halves of a register. */
HANDLER(pair)
{
	const struct exec_bits to[2] = {bits_add(machine->word[op->rs1], machine->word[op->rs1 + 1]),
	                                bits_known(0)};
	arm64_put_vector(machine, op->rd, to);
}

/* Neighbours become one element of twice the width; bit 14 adds it to what there is. */
HANDLER(pairs_long)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned wide = 2u * op->width;
	for (unsigned i = 0; i < arm64_elements(op) / 2; i++) {
		struct exec_bits a = extended(op, arm64_lane(machine, op->rs1, op->width, 2 * i));
		struct exec_bits b = extended(op, arm64_lane(machine, op->rs1, op->width, 2 * i + 1));
		struct exec_bits made = bits_add(a, b);
		if (op->enc >> 14 & 1)
			made = bits_add(made, arm64_lane(machine, op->rd, wide, i));
		arm64_set_lane(to, wide, i, made);
	}
	arm64_put_vector(machine, op->rd, to);
}

/* All elements become one, of sums that are long one of twice the width: bit 12 is set of those
 * that are not. */
HANDLER(across)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct exec_bits made = extended(op, arm64_lane(machine, op->rs1, op->width, 0));
	bool is_long = arm64_field(op, 16, 12) == 3;
	for (unsigned i = 1; i < arm64_elements(op); i++)
		made = joined(op, made, extended(op, arm64_lane(machine, op->rs1, op->width, i)));
	arm64_set_lane(to, is_long ? 2u * op->width : op->width, 0, made);
	arm64_put_vector(machine, op->rd, to);
}

/* ---- products of several ---- */

enum { FIRST_UNSIGNED = 1, SECOND_UNSIGNED = 2 };

static struct exec_bits byte_of(const struct cairn_machine *machine, unsigned word, unsigned index,
                                bool is_unsigned)
{
	struct exec_bits lane = arm64_lane(machine, word, 1, index);
	return is_unsigned ? lane : bits_sign_extend(lane, 8);
}

/* The sum of so many products of bytes, and what is there. */
static struct exec_bits dot(const struct cairn_machine *machine, const struct exec_op *op,
                            struct exec_bits sum, unsigned first, unsigned second, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		struct exec_bits a = byte_of(machine, op->rs1, first + k, op->extra & FIRST_UNSIGNED);
		struct exec_bits b = byte_of(machine, op->rs2, second + k, op->extra & SECOND_UNSIGNED);
		sum = bits_add(sum, bits_multiply(a, b));
	}
	return sum;
}

static void form_dot(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = 4;
	op->imm = is_whole(op) ? 4 : 2;
}

static void form_dot_element(struct exec_op *op)
{
	form_dot(op);
	unsigned index = arm64_field(op, 11, 11) << 1 | arm64_field(op, 21, 21);
	op->imm |= ARM64_INDEXED | (int64_t)index << ARM64_INDEX_SHIFT;
}

HANDLER(dot)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	for (unsigned i = 0; i < arm64_elements(op); i++)
		arm64_set_lane(to, 4, i,
		               dot(machine, op, arm64_lane(machine, op->rd, 4, i), 4 * i,
		                   4 * arm64_second_lane(op, i), 4));
	arm64_put_vector(machine, op->rd, to);
}

/* Matrices of two rows of eight bytes make one of two by two. */
HANDLER(matrix)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	for (unsigned i = 0; i < 4; i++)
		arm64_set_lane(
			to, 4, i,
			dot(machine, op, arm64_lane(machine, op->rd, 4, i), 8 * (i / 2), 8 * (i % 2), 8));
	arm64_put_vector(machine, op->rd, to);
}

void arm64_carryless(struct exec_bits a, struct exec_bits b, struct exec_bits to[2])
{
	struct wide product = wide_carryless(a.value, b.value);
	bool known = bits_both(a, b);
	to[0] = known ? bits_known(product.low) : bits_unknown();
	to[1] = known ? bits_known(product.high) : bits_unknown();
}

HANDLER(polynomial)
{
	unsigned half = is_whole(op) ? 1 : 0;
	struct exec_bits to[2];
	arm64_carryless(machine->word[op->rs1 + half], machine->word[op->rs2 + half], to);
	arm64_put_vector(machine, op->rd, to);
}

/* ---- logic of three ---- */

static struct exec_bits turned(struct exec_bits a, unsigned right)
{
	return right ? bits_or(bits_right(a, right), bits_left(a, 64 - right)) : a;
}

static void form_three(struct exec_op *op)
{
	arm64_form_registers(op);
	op->rs3 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 14, 10));
}

enum { EOR3, BCAX, RAX1, XAR };

HANDLER(logic_of_three)
{
	struct exec_bits to[2];
	for (unsigned i = 0; i < 2; i++) {
		struct exec_bits a = machine->word[op->rs1 + i], b = machine->word[op->rs2 + i];
		struct exec_bits c = machine->word[op->rs3 + i];
		to[i] = op->extra == EOR3   ? bits_xor(bits_xor(a, b), c)
		        : op->extra == BCAX ? bits_xor(a, bits_and(b, bits_not(c)))
		        : op->extra == RAX1 ? bits_xor(a, turned(b, 63))
		                            : turned(bits_xor(a, b), arm64_field(op, 15, 10));
	}
	arm64_put_vector(machine, op->rd, to);
}

/* ---- the table ---- */

#define ROW(mask, match, form, run, extra) \
	{ \
		mask, match, form, {run_##run, run_##run}, 0, extra \
	}

const struct arm64_row arm64_permute_rows[] = {
	ROW(0xbf208c00, 0x0e000800, form_size, permute, 0),
	ROW(0xbfe08400, 0x2e000000, form_bytes, ext, 0),
	ROW(0xbf3ffc00, 0x0e200800, form_size, rev, 8),
	ROW(0xbf3ffc00, 0x2e200800, form_size, rev, 4),
	ROW(0xbf3ffc00, 0x0e201800, form_size, rev, 2),
	ROW(0xbfe08c00, 0x0e000000, form_bytes, table, 0),
	/* one element */
	ROW(0xbfe0fc00, 0x0e000400, form_element, dup_element, 0),
	ROW(0xffe0fc00, 0x5e000400, form_element, dup_element, 0),
	ROW(0xbfe0fc00, 0x0e000c00, form_from_general, dup_general, 0),
	ROW(0xffe0fc00, 0x4e001c00, form_from_general, ins_general, 0),
	ROW(0xffe08400, 0x6e000400, form_element_to_element, ins_element, 0),
	ROW(0xbfe0fc00, 0x0e003c00, form_to_general, umov, 0),
	ROW(0xbfe0fc00, 0x0e002c00, form_to_general, smov, 0),
	ROW(0x9ff80400, 0x0f000400, form_constant, constant, 0),
	/* several into one */
	ROW(0xbf20fc00, 0x0e20bc00, form_size, pairs, SUM),
	ROW(0x9f20fc00, 0x0e20a400, form_size, pairs, GREATEST),
	ROW(0x9f20fc00, 0x0e20ac00, form_size, pairs, LEAST),
	ROW(0xfffffc00, 0x5ef1b800, form_size, pair, SUM),
	ROW(0x9f3ffc00, 0x0e202800, form_size, pairs_long, SUM),
	ROW(0x9f3ffc00, 0x0e206800, form_size, pairs_long, SUM),
	ROW(0x9f3ffc00, 0x0e303800, form_size, across, SUM),
	ROW(0xbf3ffc00, 0x0e31b800, form_size, across, SUM),
	ROW(0x9f3ffc00, 0x0e30a800, form_size, across, GREATEST),
	ROW(0x9f3ffc00, 0x0e31a800, form_size, across, LEAST),
	/* products */
	ROW(0xbfe0fc00, 0x0e809400, form_dot, dot, 0),
	ROW(0xbfe0fc00, 0x2e809400, form_dot, dot, FIRST_UNSIGNED | SECOND_UNSIGNED),
	ROW(0xbfe0fc00, 0x0e809c00, form_dot, dot, FIRST_UNSIGNED),
	ROW(0xbfc0f400, 0x0f80e000, form_dot_element, dot, 0),
	ROW(0xbfc0f400, 0x2f80e000, form_dot_element, dot, FIRST_UNSIGNED | SECOND_UNSIGNED),
	ROW(0xbfc0f400, 0x0f80f000, form_dot_element, dot, FIRST_UNSIGNED),
	ROW(0xbfc0f400, 0x0f00f000, form_dot_element, dot, SECOND_UNSIGNED),
	ROW(0xffe0fc00, 0x4e80a400, form_dot, matrix, 0),
	ROW(0xffe0fc00, 0x6e80a400, form_dot, matrix, FIRST_UNSIGNED | SECOND_UNSIGNED),
	ROW(0xffe0fc00, 0x4e80ac00, form_dot, matrix, FIRST_UNSIGNED),
	ROW(0xbfe0fc00, 0x0ee0e000, form_bytes, polynomial, 0),
	/* FEAT_SHA3 */
	ROW(0xffe08000, 0xce000000, form_three, logic_of_three, EOR3),
	ROW(0xffe08000, 0xce200000, form_three, logic_of_three, BCAX),
	ROW(0xffe0fc00, 0xce608c00, form_three, logic_of_three, RAX1),
	ROW(0xffe00000, 0xce800000, form_three, logic_of_three, XAR),
	{0}};
