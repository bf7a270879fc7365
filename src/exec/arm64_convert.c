/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: floating point to and from integers, whole numbers and other formats, moves, and comparisons
 * that set flags. Source: Arm Architecture Reference Manual for A-profile, C7.2, and its pseudocode
 * (FPToFixed, FPConvert …).
 */
#include "exec/arm64_float.h"

#define COMPUTE ARM64_COMPUTE
#define HANDLER(name) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op)
#define OPERATION(name) \
	HANDLER(name) \
	{ \
		arm64_float_elements(machine, op, 1, compute_##name); \
	}

/* `extra`: how it is rounded, by FPCR or by the instruction; bits above are the operation's. */
enum { BY_FPCR = 7, EXACT = 8, UNSIGNED = 8, LONG = 16, ROUNDING = 7 };

static void choose_rounding(struct float_env *env, const struct exec_op *op)
{
	if ((op->extra & ROUNDING) != BY_FPCR)
		env->rounding = op->extra & ROUNDING;
}

/* ---- whole numbers ---- */

COMPUTE(frint)
{
	choose_rounding(env, op);
	return float_round(env, format, number[0], op->extra & EXACT);
}

/* frint32z …: a number that has no room in 32 or 64 bits becomes the least that has. */
COMPUTE(frint_within)
{
	unsigned bits = op->extra & LONG ? 64 : 32;
	struct float_env other = *env;
	choose_rounding(&other, op);
	other.flags = 0;
	float_to_integer(&other, format, number[0], bits, true, 0);
	env->flags |= other.flags;
	if (other.flags & FLOAT_INVALID)
		return float_from_integer(&other, format, UINT64_MAX << (bits - 1), true);
	return float_round(&other, format, number[0], false);
}

OPERATION(frint)
OPERATION(frint_within)

/* ---- integers in vectors ---- */

/* Between elements of the same width; `rs2`: how many places fixed point has. */
COMPUTE(to_integer)
{
	choose_rounding(env, op);
	return float_to_fixed(env, format, number[0], 8u * op->width, !(op->extra & UNSIGNED), 0,
	                      op->rs2);
}

COMPUTE(from_integer)
{
	bool is_unsigned = op->extra & UNSIGNED;
	unsigned shift = 64 - 8u * op->width;
	uint64_t integer = is_unsigned ? number[0] : (uint64_t)((int64_t)(number[0] << shift) >> shift);
	return float_from_fixed(env, format, integer, !is_unsigned, op->rs2);
}

OPERATION(to_integer)
OPERATION(from_integer)

static void form_integer(struct exec_op *op)
{
	arm64_form_float(op);
	op->rs2 = 0;
}

/* The position of the topmost one of immh tells the width, what is below it the places. Where there
 * is none the encoding moves a constant. */
static void form_fixed(struct exec_op *op)
{
	unsigned imm = arm64_field(op, 22, 16), bits = imm >> 6 ? 64 : imm >> 5 ? 32 : 16;
	arm64_form_registers(op);
	op->width = (uint8_t)(bits / 8);
	op->rs2 = (uint16_t)(2 * bits - imm);
	if (imm < 16)
		op->run = NULL;
	op->imm = op->enc >> 28 & 1 ? 1 : (op->enc >> 30 & 1 ? 16 : 8) / op->width;
}

/* ---- integers in general registers ---- */

/* Bit 31 says how wide the integer is, bits 23 and 22 the number; fixed point has bit 21 clear. */
static void form_general(struct exec_op *op)
{
	arm64_form_float(op);
	op->rs2 = 0;
	if (!arm64_field(op, 21, 21))
		op->rs2 = (uint16_t)(64 - arm64_field(op, 15, 10));
	if (op->enc >> 17 & 1) /* from it */
		op->rs1 = arm64_source(arm64_field(op, 9, 5));
	else
		op->rd = arm64_target(arm64_field(op, 4, 0));
}

HANDLER(to_general)
{
	const struct float_format *format = arm64_float_format(op->width);
	struct exec_bits number = arm64_lane(machine, op->rs1, op->width, 0), to = bits_unknown();
	unsigned bits = op->enc >> 31 ? 64 : 32;
	struct float_env env;
	bool known = arm64_float_modes(machine, op->width, &env) && bits_all(number);
	choose_rounding(&env, op);
	if (known)
		to = bits_known(
			float_to_fixed(&env, format, number.value, bits, !(op->extra & UNSIGNED), 0, op->rs2));
	if (op->width == 2)
		env.flags &= (uint8_t)~FLOAT_FLUSHED;
	arm64_put(machine, op->rd, bits_zero_extend(to, bits));
	arm64_float_raise(machine, env.flags, known);
}

/* A number of the operation's width; the rest of the register becomes 0. */
static void put_scalar(struct cairn_machine *machine, const struct exec_op *op, unsigned width,
                       struct exec_bits bits)
{
	const struct exec_bits to[2] = {bits_zero_extend(bits, 8 * width), bits_known(0)};
	arm64_put_vector(machine, op->rd, to);
}

HANDLER(from_general)
{
	const struct float_format *format = arm64_float_format(op->width);
	struct exec_bits integer = machine->word[op->rs1], to = bits_unknown();
	bool is_signed = !(op->extra & UNSIGNED);
	struct float_env env;
	if (!(op->enc >> 31))
		integer = is_signed ? bits_sign_extend(integer, 32) : bits_zero_extend(integer, 32);
	bool known = arm64_float_modes(machine, op->width, &env) && bits_all(integer);
	if (known)
		to = bits_known(float_from_fixed(&env, format, integer.value, is_signed, op->rs2));
	put_scalar(machine, op, op->width, to);
	arm64_float_raise(machine, env.flags, known);
}

/* The lowest 32 bits of a double's whole part; Z is set if that is all of the number. Versions of
 * the manual differ in what Z is for a subnormal number that is flushed. */
HANDLER(fjcvtzs)
{
	struct exec_bits number = machine->word[op->rs1], to = bits_unknown();
	struct float_env env;
	bool known = arm64_float_modes(machine, 8, &env) && bits_all(number), same = false;
	if (known) {
		to = bits_known(float_to_word_modulo(&env, number.value));
		same = !env.flags && number.value != UINT64_C(1) << 63;
	}
	arm64_put(machine, op->rd, bits_zero_extend(to, 32));
	bool told = known && !(env.flags & FLOAT_FLUSHED);
	arm64_put_flags(machine, bits_left(bits_truth(same, told), 2));
	arm64_float_raise(machine, env.flags, known);
}

/* ---- other formats ---- */

struct exec_bits arm64_to_format(const struct cairn_machine *machine, struct float_env *env,
                                 struct exec_bits number, unsigned from, unsigned to, bool *known)
{
	struct exec_bits fpcr = machine->word[ARM64_FPCR];
	const uint32_t alternative = 1 << 26;
	bool half = from == 2 || to == 2;
	*known = *known && bits_all(number) && (!half || (fpcr.known & ~fpcr.value & alternative));
	if (!*known)
		return bits_unknown();
	struct float_env other = *env;
	other.flush_inputs = env->flush_inputs && from != 2;
	other.flush_results = env->flush_results && to != 2;
	uint64_t made =
		float_convert(&other, arm64_float_format(from), arm64_float_format(to), number.value);
	env->flags |= other.flags;
	return bits_known(made);
}

/* The format that comes out, in `extra`: bits 16 and 15. */
static void form_format(struct exec_op *op)
{
	arm64_form_float(op);
	op->extra = arm64_field(op, 16, 15) == 0 ? 4 : arm64_field(op, 16, 15) == 1 ? 8 : 2;
}

HANDLER(fcvt)
{
	struct float_env env;
	bool known = arm64_float_modes(machine, 4, &env);
	struct exec_bits number = arm64_lane(machine, op->rs1, op->width, 0);
	put_scalar(machine, op, op->extra,
	           arm64_to_format(machine, &env, number, op->width, op->extra, &known));
	arm64_float_raise(machine, env.flags, known);
}

/* To half of the width, into the lower or the upper half of the register; and back. `width` is the
 * wider one; `extra`: rounded to odd. */
static void form_narrow(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = arm64_field(op, 22, 22) ? 8 : 4;
	op->imm = 16 / op->width;
	if (op->enc >> 28 & 1)
		op->imm = 1;
}

enum { TO_ODD = 1 };

HANDLER(fcvtn)
{
	struct float_env env;
	bool modes = arm64_float_modes(machine, 4, &env), all = true;
	bool upper = op->enc >> 30 & 1 && !(op->enc >> 28 & 1);
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned n = arm64_elements(op), half = op->width / 2;
	if (upper)
		to[0] = machine->word[op->rd];
	if (op->extra == TO_ODD)
		env.rounding = FLOAT_TO_ODD;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits number = arm64_lane(machine, op->rs1, op->width, i);
		bool known = modes;
		arm64_set_lane(to, half, upper ? n + i : i,
		               arm64_to_format(machine, &env, number, op->width, half, &known));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

HANDLER(fcvtl)
{
	struct float_env env;
	bool modes = arm64_float_modes(machine, 4, &env), all = true;
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned n = arm64_elements(op), from = op->enc >> 30 & 1 ? n : 0, half = op->width / 2;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits number = arm64_lane(machine, op->rs1, half, from + i);
		bool known = modes;
		arm64_set_lane(to, op->width, i,
		               arm64_to_format(machine, &env, number, half, op->width, &known));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

/* Single precision to bfloat16: of a scalar, and into the lower or the upper half of a register. */
HANDLER(bfcvt)
{
	struct float_env env;
	bool modes = arm64_float_modes(machine, 4, &env), all = modes;
	bool upper = op->enc >> 30 & 1;
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	unsigned n = arm64_elements(op);
	if (upper)
		to[0] = machine->word[op->rd];
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits number = arm64_lane(machine, op->rs1, 4, i), made = bits_unknown();
		bool known = modes && bits_all(number);
		if (known)
			made = bits_known(float_convert(&env, &float_single, &float_bfloat, number.value));
		arm64_set_lane(to, 2, upper ? n + i : i, made);
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

static void form_bfcvt(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = 2;
	op->imm = op->enc >> 28 & 1 ? 1 : 4;
}

/* ---- signs and moves ---- */

enum { SIGN_KEPT, SIGN_CLEARED, SIGN_TURNED };

HANDLER(sign)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct exec_bits sign = bits_known(UINT64_C(1) << (8 * op->width - 1));
	for (unsigned i = 0; i < arm64_elements(op); i++) {
		struct exec_bits lane = arm64_lane(machine, op->rs1, op->width, i);
		arm64_set_lane(to, op->width, i,
		               op->extra == SIGN_CLEARED  ? bits_and(lane, bits_not(sign))
		               : op->extra == SIGN_TURNED ? bits_xor(lane, sign)
		                                          : lane);
	}
	arm64_put_vector(machine, op->rd, to);
}

uint64_t arm64_float_constant(unsigned imm, unsigned bytes)
{
	const struct float_format *format = arm64_float_format(bytes);
	uint64_t exponent = (imm >> 6 & 1 ? (UINT64_C(1) << (format->exponent_bits - 3)) - 1 : 0) << 2;
	exponent |= (imm >> 6 & 1 ? 0 : UINT64_C(1) << (format->exponent_bits - 1)) | (imm >> 4 & 3);
	return (imm >> 7 ? float_sign_bit(format) : 0) | exponent << format->fraction_bits |
	       (uint64_t)(imm & 15) << (format->fraction_bits - 4);
}

static void form_constant(struct exec_op *op)
{
	arm64_form_float(op);
	op->imm = (int64_t)arm64_float_constant(arm64_field(op, 20, 13), op->width);
}

HANDLER(constant)
{
	put_scalar(machine, op, op->width, bits_known((uint64_t)op->imm));
}

/* Between a general register and a scalar, or the upper half of a vector. */
HANDLER(move_to_general)
{
	struct exec_bits bits = arm64_lane(machine, op->rs1, op->width, 0);
	arm64_put(machine, op->rd, bits);
}
HANDLER(move_from_general)
{
	put_scalar(machine, op, op->width, machine->word[op->rs1]);
}
HANDLER(move_upper_to_general)
{
	arm64_put(machine, op->rd, machine->word[op->rs1 + 1]);
}
HANDLER(move_upper_from_general)
{
	const struct exec_bits to[2] = {machine->word[op->rd], machine->word[op->rs1]};
	arm64_put_vector(machine, op->rd, to);
}

static void form_move(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = arm64_field(op, 23, 22) == 3 ? 2 : op->enc >> 31 ? 8 : 4;
	if (op->enc >> 16 & 1)
		op->rs1 = arm64_source(arm64_field(op, 9, 5));
	else
		op->rd = arm64_target(arm64_field(op, 4, 0));
}

/* ---- comparisons ---- */

/* The condition, where there is one, in `rs3`. */
static void form_compare(struct exec_op *op)
{
	arm64_form_float(op);
	op->rs3 = (uint16_t)arm64_field(op, 15, 12);
}

/* NZCV of a comparison. */
static struct exec_bits compared(struct cairn_machine *machine, const struct exec_op *op,
                                 bool with_zero, bool signalling, struct float_env *env,
                                 bool *known)
{
	const struct float_format *format = arm64_float_format(op->width);
	struct exec_bits a = arm64_lane(machine, op->rs1, op->width, 0);
	struct exec_bits b = with_zero ? bits_known(0) : arm64_lane(machine, op->rs2, op->width, 0);
	*known = arm64_float_modes(machine, op->width, env) && bits_both(a, b);
	if (!*known)
		return (struct exec_bits){0, ~UINT64_C(15)};
	enum float_order order = float_compare(env, format, a.value, b.value, signalling);
	if (op->width == 2)
		env->flags &= (uint8_t)~FLOAT_FLUSHED;
	return bits_known(order == FLOAT_UNORDERED ? ARM64_C | ARM64_FLAG_V
	                  : order == FLOAT_EQUAL   ? ARM64_Z | ARM64_C
	                  : order == FLOAT_LESS    ? ARM64_N
	                                           : ARM64_C);
}

HANDLER(fcmp)
{
	struct float_env env;
	bool known;
	struct exec_bits flags =
		compared(machine, op, op->enc >> 3 & 1, op->enc >> 4 & 1, &env, &known);
	arm64_put_flags(machine, flags);
	arm64_float_raise(machine, env.flags, known);
}

HANDLER(fccmp)
{
	struct exec_bits holds = arm64_condition(machine, op->rs3);
	struct exec_bits otherwise = bits_known(op->enc & 15), flags = otherwise;
	struct float_env env = {0};
	bool known = true;
	if (!(holds.known & 1) || holds.value & 1)
		flags = compared(machine, op, false, op->enc >> 4 & 1, &env, &known);
	arm64_put_flags(machine, bits_choose(holds, flags, otherwise));
	/* If it is not known whether they are compared, neither is what that raises. */
	if (!(holds.known & 1))
		known = known && !env.flags;
	arm64_float_raise(machine, known ? env.flags : 0, known);
}

HANDLER(fcsel)
{
	struct exec_bits a = arm64_lane(machine, op->rs1, op->width, 0);
	struct exec_bits b = arm64_lane(machine, op->rs2, op->width, 0);
	put_scalar(machine, op, op->width, bits_choose(arm64_condition(machine, op->rs3), a, b));
}

/* ---- the tables ---- */

#define ROW(mask, match, form, run, extra) \
	{ \
		mask, match, form, {run_##run, run_##run}, 0, extra \
	}
#define ONE(opcode, run, extra) \
	ROW(0xff3ffc00, 0x1e204000 | (opcode) << 15, arm64_form_float, run, extra)
#define GENERAL(rmode, opcode, run, extra) \
	ROW(0x7f3ffc00, 0x1e200000 | (rmode) << 19 | (opcode) << 16, form_general, run, extra)
#define FIXED(rmode, opcode, run, extra) \
	ROW(0x7f3f0000, 0x1e000000 | (rmode) << 19 | (opcode) << 16, form_general, run, extra)

enum {
	NEAREST = FLOAT_NEAREST_EVEN,
	PLUS = FLOAT_UP,
	MINUS = FLOAT_DOWN,
	ZERO = FLOAT_TO_ZERO,
	AWAY = FLOAT_NEAREST_AWAY
};

const struct arm64_row arm64_scalar_convert_rows[] = {
	ONE(0x0, sign, SIGN_KEPT),
	ONE(0x1, sign, SIGN_CLEARED),
	ONE(0x2, sign, SIGN_TURNED),
	ROW(0xff3ffc00, 0x1e224000, form_format, fcvt, 0),
	ROW(0xff3ffc00, 0x1e22c000, form_format, fcvt, 0),
	ROW(0xff3ffc00, 0x1e23c000, form_format, fcvt, 0),
	ROW(0xfffffc00, 0x1e634000, form_bfcvt, bfcvt, 0),
	ONE(0x8, frint, NEAREST),
	ONE(0x9, frint, PLUS),
	ONE(0xa, frint, MINUS),
	ONE(0xb, frint, ZERO),
	ONE(0xc, frint, AWAY),
	ONE(0xe, frint, BY_FPCR | EXACT),
	ONE(0xf, frint, BY_FPCR),
	ONE(0x10, frint_within, ZERO),
	ONE(0x11, frint_within, BY_FPCR),
	ONE(0x12, frint_within, ZERO | LONG),
	ONE(0x13, frint_within, BY_FPCR | LONG),
	ROW(0xff20fc07, 0x1e202000, form_compare, fcmp, 0),
	ROW(0xff200c00, 0x1e200400, form_compare, fccmp, 0),
	ROW(0xff200c00, 0x1e200c00, form_compare, fcsel, 0),
	ROW(0xff201fe0, 0x1e201000, form_constant, constant, 0),
	ROW(0xfffffc00, 0x1e7e0000, form_move, fjcvtzs, 0),
	GENERAL(0, 0, to_general, NEAREST),
	GENERAL(1, 0, to_general, PLUS),
	GENERAL(2, 0, to_general, MINUS),
	GENERAL(3, 0, to_general, ZERO),
	GENERAL(0, 1, to_general, NEAREST | UNSIGNED),
	GENERAL(1, 1, to_general, PLUS | UNSIGNED),
	GENERAL(2, 1, to_general, MINUS | UNSIGNED),
	GENERAL(3, 1, to_general, ZERO | UNSIGNED),
	GENERAL(0, 4, to_general, AWAY),
	GENERAL(0, 5, to_general, AWAY | UNSIGNED),
	GENERAL(0, 2, from_general, 0),
	GENERAL(0, 3, from_general, UNSIGNED),
	FIXED(3, 0, to_general, ZERO),
	FIXED(3, 1, to_general, ZERO | UNSIGNED),
	FIXED(0, 2, from_general, 0),
	FIXED(0, 3, from_general, UNSIGNED),
	ROW(0x7f3ffc00, 0x1e260000, form_move, move_to_general, 0),
	ROW(0x7f3ffc00, 0x1e270000, form_move, move_from_general, 0),
	ROW(0xfffffc00, 0x9eae0000, form_move, move_upper_to_general, 0),
	ROW(0xfffffc00, 0x9eaf0000, form_move, move_upper_from_general, 0),
	{0}};

#define MISC(u, a, opcode, form, run, extra) \
	ROW(0xafbffc00, 0x0e200800 | (uint32_t)(u) << 29 | (a) << 23 | (opcode) << 12, form, run, \
	    extra), \
		ROW(0xaffffc00, 0x0e780800 | (uint32_t)(u) << 29 | (a) << 23 | (opcode) << 12, form, run, \
	        extra)
#define FLOAT arm64_form_float

const struct arm64_row arm64_convert_rows[] = {
	MISC(0, 1, 0x0f, FLOAT, sign, SIGN_CLEARED),
	MISC(1, 1, 0x0f, FLOAT, sign, SIGN_TURNED),
	MISC(0, 0, 0x18, FLOAT, frint, NEAREST),
	MISC(0, 0, 0x19, FLOAT, frint, MINUS),
	MISC(0, 1, 0x18, FLOAT, frint, PLUS),
	MISC(0, 1, 0x19, FLOAT, frint, ZERO),
	MISC(1, 0, 0x18, FLOAT, frint, AWAY),
	MISC(1, 0, 0x19, FLOAT, frint, BY_FPCR | EXACT),
	MISC(1, 1, 0x19, FLOAT, frint, BY_FPCR),
	MISC(0, 0, 0x1e, FLOAT, frint_within, ZERO),
	MISC(1, 0, 0x1e, FLOAT, frint_within, BY_FPCR),
	MISC(0, 0, 0x1f, FLOAT, frint_within, ZERO | LONG),
	MISC(1, 0, 0x1f, FLOAT, frint_within, BY_FPCR | LONG),
	MISC(0, 0, 0x1a, form_integer, to_integer, NEAREST),
	MISC(0, 0, 0x1b, form_integer, to_integer, MINUS),
	MISC(0, 0, 0x1c, form_integer, to_integer, AWAY),
	MISC(0, 1, 0x1a, form_integer, to_integer, PLUS),
	MISC(0, 1, 0x1b, form_integer, to_integer, ZERO),
	MISC(1, 0, 0x1a, form_integer, to_integer, NEAREST | UNSIGNED),
	MISC(1, 0, 0x1b, form_integer, to_integer, MINUS | UNSIGNED),
	MISC(1, 0, 0x1c, form_integer, to_integer, AWAY | UNSIGNED),
	MISC(1, 1, 0x1a, form_integer, to_integer, PLUS | UNSIGNED),
	MISC(1, 1, 0x1b, form_integer, to_integer, ZERO | UNSIGNED),
	MISC(0, 0, 0x1d, form_integer, from_integer, 0),
	MISC(1, 0, 0x1d, form_integer, from_integer, UNSIGNED),
	ROW(0xaf80fc00, 0x0f00e400, form_fixed, from_integer, 0),
	ROW(0xaf80fc00, 0x2f00e400, form_fixed, from_integer, UNSIGNED),
	ROW(0xaf80fc00, 0x0f00fc00, form_fixed, to_integer, ZERO),
	ROW(0xaf80fc00, 0x2f00fc00, form_fixed, to_integer, ZERO | UNSIGNED),
	ROW(0xbfbffc00, 0x0e216800, form_narrow, fcvtn, 0),
	ROW(0xaffffc00, 0x2e616800, form_narrow, fcvtn, TO_ODD),
	ROW(0xbfbffc00, 0x0e217800, form_narrow, fcvtl, 0),
	ROW(0xbffffc00, 0x0ea16800, form_bfcvt, bfcvt, 0),
	{0}};
