/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: what computes on general registers with the length of vectors, and what ends a loop over
 * them. Source: Arm Architecture Reference Manual for A-profile, C8.2.
 */
#include "exec/arm64_sve.h"

enum { DECREMENT = 1, UNSIGNED = 2, IN_PREDICATES = 4 };

static const char no_length[] = "the length of vectors is not known";

unsigned arm64_sve_elements_of(unsigned pattern, unsigned n)
{
	unsigned asked = pattern <= 8 ? pattern : pattern <= 13 ? 16u << (pattern - 9) : 0;
	switch (pattern) {
	case 0: /* a power of two */
		return 1u << (31 - __builtin_clz(n));
	case 29:
		return n - n % 4;
	case 30:
		return n - n % 3;
	case 31:
		return n;
	default:
		return asked <= n ? asked : 0;
	}
}

/* How many elements the encoding counts. The length of vectors is known. */
static uint64_t counted(const struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned n = machine->vector_bits / (8u << arm64_field(op, 23, 22));
	return arm64_sve_elements_of(arm64_field(op, 9, 5), n) * (arm64_field(op, 19, 16) + 1);
}

static void run_count(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits made = bits_unknown();
	if (machine->vector_bits)
		made = bits_known(counted(machine, op));
	else
		exec_undetermined(machine, no_length);
	arm64_put(machine, op->rd, made);
}

static void run_increment(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits made = bits_unknown();
	if (machine->vector_bits) {
		struct exec_bits count = bits_known(counted(machine, op)), from = machine->word[op->rs1];
		made = op->extra & DECREMENT ? bits_sub(from, count) : bits_add(from, count);
	} else {
		exec_undetermined(machine, no_length);
	}
	arm64_put(machine, op->rd, made);
}

uint64_t arm64_sve_saturated(uint64_t from, uint64_t count, unsigned width, bool down,
                             bool is_unsigned)
{
	unsigned above = 64 - width;
	uint64_t made;
	int64_t signed_made;
	count <<= above;
	from <<= above;
	if (is_unsigned) {
		if (down)
			return __builtin_sub_overflow(from, count, &made) ? 0 : made >> above;
		return (__builtin_add_overflow(from, count, &made) ? UINT64_MAX : made) >> above;
	}
	if (down ? __builtin_sub_overflow((int64_t)from, (int64_t)count, &signed_made)
	         : __builtin_add_overflow((int64_t)from, (int64_t)count, &signed_made))
		signed_made = down ? INT64_MIN : INT64_MAX;
	return (uint64_t)(signed_made >> above);
}

static void run_saturating(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned width = arm64_field(op, 20, 20) ? 64 : 32;
	struct exec_bits from = bits_zero_extend(machine->word[op->rs1], width), made = bits_unknown();
	if (!machine->vector_bits)
		exec_undetermined(machine, no_length);
	else if (bits_all(from))
		made = bits_known(arm64_sve_saturated(from.value, counted(machine, op), width,
		                                      op->extra & DECREMENT, op->extra & UNSIGNED));
	arm64_put(machine, op->rd, made);
}

void arm64_sve_count_each(struct cairn_machine *machine, const struct exec_op *op,
                          struct exec_bits count, bool saturates, bool down, bool is_unsigned)
{
	struct sve_vector to = {0};
	unsigned bits = 8u * op->width;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits from = arm64_lane(machine, sve_z(op, 0), op->width, i);
		struct exec_bits made = down ? bits_sub(from, count) : bits_add(from, count);
		if (saturates && !bits_both(from, count))
			made = bits_unknown();
		else if (saturates)
			made =
				bits_known(arm64_sve_saturated(from.value, count.value, bits, down, is_unsigned));
		arm64_set_lane(to.word, op->width, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_count_vector(struct cairn_machine *machine, const struct exec_op *op)
{
	arm64_sve_count_each(machine, op, bits_known(counted(machine, op)), !arm64_field(op, 20, 20),
	                     arm64_field(op, 20, 20) ? arm64_field(op, 10, 10)
	                                             : arm64_field(op, 11, 11),
	                     arm64_field(op, 10, 10));
}

/* rn and a multiple of the length of a vector or of a predicate. */
static void run_add_length(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits made = bits_unknown();
	if (machine->vector_bits) {
		int64_t unit = machine->vector_bits / (op->extra & IN_PREDICATES ? 64 : 8);
		made = bits_add(machine->word[op->rs1], bits_known((uint64_t)(op->imm * unit)));
	} else {
		exec_undetermined(machine, no_length);
	}
	arm64_put(machine, op->rd, made);
}

/* ctermeq, ctermne: N where the loop ends, else V is the opposite of C. */
static void run_end_of_loop(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned width = arm64_field(op, 22, 22) ? 64 : 32;
	struct exec_bits flags = machine->word[ARM64_NZCV], one = bits_known(1);
	struct exec_bits ends = bits_equal(bits_zero_extend(machine->word[op->rs1], width),
	                                   bits_zero_extend(machine->word[op->rs2], width));
	if (arm64_field(op, 4, 4))
		ends = bits_xor(ends, one);
	struct exec_bits carry = bits_and(bits_right(flags, 1), one);
	struct exec_bits goes_on = bits_and(bits_xor(ends, one), bits_xor(carry, one));
	struct exec_bits kept = bits_and(flags, bits_known(ARM64_Z | ARM64_C));
	arm64_put_flags(machine, bits_or(bits_or(kept, bits_left(ends, 3)), goes_on));
}

static void form_count(struct exec_op *op)
{
	op->rd = arm64_target(arm64_field(op, 4, 0));
	op->rs1 = arm64_source(arm64_field(op, 4, 0));
}

static void form_length(struct exec_op *op)
{
	op->imm = (int64_t)(arm64_field(op, 10, 5) ^ 32) - 32;
	op->rd = arm64_or_sp(arm64_field(op, 4, 0));
	op->rs1 = arm64_or_sp(arm64_field(op, 20, 16));
}

static void form_read_length(struct exec_op *op)
{
	form_length(op);
	op->rd = arm64_target(arm64_field(op, 4, 0));
	op->rs1 = EXEC_ZERO;
}

#define ROW(mask, match, form, handler, extra) \
	{ \
		mask, match, form, {handler, NULL}, 0, extra \
	}

const struct arm64_row arm64_sve_count_rows[] = {
	ROW(0xff30fc00, 0x0420e000, form_count, run_count, 0),
	ROW(0xff30fc00, 0x0430e000, form_count, run_increment, 0),
	ROW(0xff30fc00, 0x0430e400, form_count, run_increment, DECREMENT),
	ROW(0xff20fc00, 0x0420f000, form_count, run_saturating, 0),
	ROW(0xff20fc00, 0x0420f400, form_count, run_saturating, UNSIGNED),
	ROW(0xff20fc00, 0x0420f800, form_count, run_saturating, DECREMENT),
	ROW(0xff20fc00, 0x0420fc00, form_count, run_saturating, DECREMENT | UNSIGNED),
	ROW(0xffe0f800, 0x04205000, form_length, run_add_length, 0),
	ROW(0xffe0f800, 0x04605000, form_length, run_add_length, IN_PREDICATES),
	ROW(0xfffff800, 0x04bf5000, form_read_length, run_add_length, 0),
	ROW(0xffa0fc0f, 0x25a02000, arm64_form_dnm, run_end_of_loop, 0),
	{0}};

const struct sve_row arm64_sve_count_vector_rows[] = {
	{0xff30f800, 0x0430c000, run_count_vector, NULL, 0},
	{0xff30f000, 0x0420c000, run_count_vector, NULL, 0},
	{0}};
