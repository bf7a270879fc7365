/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: scalar floating point. Extensions F, D, Zfh, Zfa, Zfbfmin, and their forms of C.
 *
 * A register has 64 bits; a narrower number stands in the lowest ones, below ones ("boxed"). What
 * is not boxed counts as the canonical NaN. An operation needs all bits of its operands and the
 * rounding mode; where one is not known, neither are its result and the flags that it may have
 * raised. Source: the unprivileged ISA manual (2025), the chapters of these extensions.
 */
#include "exec/riscv_float.h"
#include "exec/riscv.h"

enum { DYNAMIC = 7 };

static const struct float_format *format_of(unsigned width)
{
	switch (width) {
	case 'h':
		return &float_half;
	case 'b':
		return &float_bfloat;
	case 's':
		return &float_single;
	default:
		return &float_double;
	}
}

static unsigned bits_of(unsigned width)
{
	return width == 's' ? 32 : width == 'd' ? 64 : 16;
}

/* ---- registers ---- */

/* A number out of a register; all its bits have to be known. */
static bool read_number(const struct cairn_machine *machine, unsigned word, unsigned width,
                        uint64_t *number)
{
	struct exec_bits bits = machine->word[word];
	unsigned n = bits_of(width);
	uint64_t above = n == 64 ? 0 : ~(UINT64_MAX >> (64 - n));
	const struct float_env canonical = {0};
	if (above & bits.known & ~bits.value) {
		*number = float_default_nan(&canonical, format_of(width));
		return true;
	}
	*number = bits.value & ~above;
	return bits_all(bits);
}

static void put_bits(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits bits)
{
	exec_put(machine, op->rd, CAIRN_REG_FP, op->rd - RISCV_F, bits);
}

struct exec_bits riscv_boxed(struct exec_bits bits, unsigned width)
{
	unsigned n = bits_of(width);
	return n == 64 ? bits : bits_or(bits_zero_extend(bits, n), bits_known(UINT64_MAX << n));
}

static void put_number(struct cairn_machine *machine, const struct exec_op *op, unsigned width,
                       uint64_t number)
{
	put_bits(machine, op, riscv_boxed(bits_known(number), width));
}

/* ---- flags and rounding ---- */

/* Any of the flags that are not set may have been raised. */
static void raise_unknown(struct cairn_machine *machine)
{
	struct exec_bits may = {0, ~UINT64_C(0x1f)};
	exec_put(machine, RISCV_FFLAGS, CAIRN_REG_CSR, 1, bits_or(machine->word[RISCV_FFLAGS], may));
}

enum mode { MODE_KNOWN, MODE_UNKNOWN, MODE_RESERVED };

/* The rounding mode: in the instruction, or in frm. */
static enum mode rounding_mode(const struct cairn_machine *machine, const struct exec_op *op,
                               struct float_env *env)
{
	unsigned mode = op->enc >> 12 & 7;
	if (mode == DYNAMIC) {
		struct exec_bits frm = machine->word[RISCV_FRM];
		if ((frm.known & 7) != 7)
			return MODE_UNKNOWN;
		mode = frm.value & 7;
	}
	env->rounding = (uint8_t)mode;
	return mode <= FLOAT_NEAREST_AWAY ? MODE_KNOWN : MODE_RESERVED;
}

/* ---- results in modes that are not known ---- */

/* What all rounding modes agree on, result and flags. A reserved mode cannot have been in force,
 * for the instruction was legal. */
struct agreed {
	struct exec_bits result;
	uint64_t raised, may_raise; /* by all of them, by any */
	bool begun;
};

static void agree(struct agreed *agreed, uint64_t result, unsigned flags)
{
	if (!agreed->begun)
		*agreed = (struct agreed){bits_known(result), flags, flags, true};
	agreed->result.known &= ~(agreed->result.value ^ result);
	agreed->result.value &= agreed->result.known;
	agreed->raised &= flags;
	agreed->may_raise |= flags;
}

static void raise_agreed(struct cairn_machine *machine, const struct agreed *agreed)
{
	struct exec_bits flags = {agreed->raised, ~(agreed->may_raise & ~agreed->raised)};
	exec_put(machine, RISCV_FFLAGS, CAIRN_REG_CSR, 1, bits_or(machine->word[RISCV_FFLAGS], flags));
}

/* ---- operations ---- */

/* `number`: operands in the order of the encoding; what they are made of to `*result`. */
typedef uint64_t compute_function(struct float_env *env, const struct float_format *format,
                                  const uint64_t *number, const struct exec_op *op);

/* What becomes of the result. */
enum result { RESULT_FLOAT, RESULT_INTEGER };

static inline __attribute__((always_inline)) void operate(struct cairn_machine *machine,
                                                          const struct exec_op *op, unsigned n,
                                                          bool rounds, enum result result,
                                                          unsigned to, compute_function *compute)
{
	const uint16_t words[3] = {op->rs1, op->rs2, op->rs3};
	struct float_env env = {0};
	uint64_t number[3] = {0, 0, 0};
	bool known = true;
	for (unsigned i = 0; i < n; i++)
		known &= read_number(machine, words[i], op->width, &number[i]);
	enum mode mode = rounds ? rounding_mode(machine, op, &env) : MODE_KNOWN;
	if (mode == MODE_RESERVED) {
		exec_stop(machine, CAIRN_STEP_ILLEGAL, "the rounding mode is reserved");
		return;
	}
	struct agreed agreed = {.result = bits_unknown()};
	unsigned first = mode == MODE_KNOWN ? env.rounding : 0;
	unsigned last = mode == MODE_KNOWN ? env.rounding : FLOAT_NEAREST_AWAY;
	for (unsigned i = first; known && i <= last; i++) {
		env = (struct float_env){.rounding = (uint8_t)i};
		uint64_t made = compute(&env, format_of(op->width), number, op);
		agree(&agreed, made, env.flags);
	}
	if (result == RESULT_INTEGER)
		riscv_put(machine, op->rd, agreed.result);
	else
		put_bits(machine, op, riscv_boxed(agreed.result, to));
	if (!known)
		raise_unknown(machine);
	else if (agreed.may_raise)
		raise_agreed(machine, &agreed);
}

#define OPERATION(name, n, rounds, result, to) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		operate(machine, op, n, rounds, result, to, compute_##name); \
	}
#define SAME op->width

/* To integers: `extra` says which. */
enum { LONG = 1, UNSIGNED = 2 };

RISCV_COMPUTE(to_integer)
{
	unsigned bits = op->extra & LONG ? 64 : 32;
	bool is_signed = !(op->extra & UNSIGNED);
	uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
	uint64_t made = float_to_integer(env, format, number[0], bits, is_signed, most);
	return bits == 32 ? (uint64_t)(int32_t)made : made;
}

/* fcvtmod.w.d */
RISCV_COMPUTE(to_integer_modulo)
{
	(void)op;
	(void)format;
	return (uint64_t)(int32_t)float_to_word_modulo(env, number[0]);
}

RISCV_COMPUTE(fround)
{
	return float_round(env, format, number[0], op->extra);
}

RISCV_COMPUTE(convert)
{
	return float_convert(env, format, format_of(op->extra), number[0]);
}

OPERATION(fadd, 2, true, RESULT_FLOAT, SAME)
OPERATION(fsub, 2, true, RESULT_FLOAT, SAME)
OPERATION(fmul, 2, true, RESULT_FLOAT, SAME)
OPERATION(fdiv, 2, true, RESULT_FLOAT, SAME)
OPERATION(fsqrt, 1, true, RESULT_FLOAT, SAME)
OPERATION(fma, 3, true, RESULT_FLOAT, SAME)
OPERATION(minmax, 2, false, RESULT_FLOAT, SAME)
OPERATION(compare, 2, false, RESULT_INTEGER, SAME)
OPERATION(fclass, 1, false, RESULT_INTEGER, SAME)
OPERATION(to_integer, 1, true, RESULT_INTEGER, SAME)
OPERATION(to_integer_modulo, 1, false, RESULT_INTEGER, SAME)
OPERATION(fround, 1, true, RESULT_FLOAT, SAME)
OPERATION(convert, 1, true, RESULT_FLOAT, op->extra)

/* From an integer register; `extra` says of what kind. */
static void run_from_integer(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits bits = machine->word[op->rs1];
	struct float_env env = {0};
	if (!(op->extra & LONG))
		bits = op->extra & UNSIGNED ? bits_zero_extend(bits, 32) : bits_sign_extend(bits, 32);
	enum mode mode = rounding_mode(machine, op, &env);
	if (mode == MODE_RESERVED) {
		exec_stop(machine, CAIRN_STEP_ILLEGAL, "the rounding mode is reserved");
		return;
	}
	if (!bits_all(bits)) {
		put_bits(machine, op, riscv_boxed(bits_unknown(), op->width));
		raise_unknown(machine);
		return;
	}
	struct agreed agreed = {.result = bits_unknown()};
	unsigned first = mode == MODE_KNOWN ? env.rounding : 0;
	unsigned last = mode == MODE_KNOWN ? env.rounding : FLOAT_NEAREST_AWAY;
	for (unsigned i = first; i <= last; i++) {
		env = (struct float_env){.rounding = (uint8_t)i};
		uint64_t made =
			float_from_integer(&env, format_of(op->width), bits.value, !(op->extra & UNSIGNED));
		agree(&agreed, made, env.flags);
	}
	put_bits(machine, op, riscv_boxed(agreed.result, op->width));
	if (agreed.may_raise)
		raise_agreed(machine, &agreed);
}

/* ---- bits that only move ---- */

/* fsgnj and its kin: the sign of the second operand, inverted or crossed with the first's. */
enum { SIGN_TAKEN, SIGN_INVERTED, SIGN_CROSSED };

/* A number as bits, of which some may not be known. */
struct exec_bits riscv_unboxed(const struct cairn_machine *machine, unsigned word, unsigned width)
{
	uint64_t number;
	unsigned n = bits_of(width);
	struct exec_bits bits = machine->word[word];
	uint64_t above = n == 64 ? 0 : ~(UINT64_MAX >> (64 - n));
	if (read_number(machine, word, width, &number))
		return bits_known(number);
	if (above & ~bits.known)
		return bits_unknown(); /* whether it is boxed is not known */
	return n == 64 ? bits : bits_zero_extend(bits, n);
}

static void run_sign(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sign = bits_known(float_sign_bit(format_of(op->width)));
	struct exec_bits a = riscv_unboxed(machine, op->rs1, op->width);
	struct exec_bits b = riscv_unboxed(machine, op->rs2, op->width);
	if (op->extra == SIGN_INVERTED)
		b = bits_not(b);
	if (op->extra == SIGN_CROSSED)
		b = bits_xor(a, b);
	struct exec_bits made = bits_or(bits_and(a, bits_not(sign)), bits_and(b, sign));
	put_bits(machine, op, riscv_boxed(made, op->width));
}

static void run_to_bits(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits bits = bits_sign_extend(machine->word[op->rs1], bits_of(op->width));
	riscv_put(machine, op->rd, bits);
}

static void run_from_bits(struct cairn_machine *machine, const struct exec_op *op)
{
	put_bits(machine, op, riscv_boxed(machine->word[op->rs1], op->width));
}

/* RV32: the upper half of a double, and a double of two halves. */
static void run_upper_bits(struct cairn_machine *machine, const struct exec_op *op)
{
	riscv_put(machine, op->rd, bits_right_signed(machine->word[op->rs1], 32));
}

static void run_from_halves(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits low = bits_zero_extend(machine->word[op->rs1], 32);
	put_bits(machine, op, bits_or(low, bits_left(machine->word[op->rs2], 32)));
}

static struct exec_bits address_of(const struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sum = bits_add(machine->word[op->rs1], bits_known((uint64_t)op->imm));
	return riscv_address(machine, sum);
}

static void run_load(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits bits = exec_load(machine, address_of(machine, op), op->width);
	unsigned width = op->width == 2 ? 'h' : op->width == 4 ? 's' : 'd';
	put_bits(machine, op, riscv_boxed(bits, width));
}

static void run_store(struct cairn_machine *machine, const struct exec_op *op)
{
	exec_store(machine, address_of(machine, op), op->width, machine->word[op->rs2], false);
}

/* fli: a constant by its number (Zfa, "Load-Immediate Instructions"), as a double. */
static void run_constant(struct cairn_machine *machine, const struct exec_op *op)
{
	static const uint64_t constants[32] = {
		0xbff0000000000000, 0x0010000000000000, 0x3ef0000000000000, 0x3f00000000000000,
		0x3f70000000000000, 0x3f80000000000000, 0x3fb0000000000000, 0x3fc0000000000000,
		0x3fd0000000000000, 0x3fd4000000000000, 0x3fd8000000000000, 0x3fdc000000000000,
		0x3fe0000000000000, 0x3fe4000000000000, 0x3fe8000000000000, 0x3fec000000000000,
		0x3ff0000000000000, 0x3ff4000000000000, 0x3ff8000000000000, 0x3ffc000000000000,
		0x4000000000000000, 0x4004000000000000, 0x4008000000000000, 0x4010000000000000,
		0x4020000000000000, 0x4030000000000000, 0x4060000000000000, 0x4070000000000000,
		0x40e0000000000000, 0x40f0000000000000, 0x7ff0000000000000, 0x7ff8000000000000};
	static const uint64_t least[] = {0x0400, 0x00800000, 0x0010000000000000};
	unsigned index = op->enc >> 15 & 31;
	struct float_env env = {0};
	uint64_t number =
		index == 1 ? least[op->width == 'h'   ? 0
	                       : op->width == 's' ? 1
	                                          : 2]
				   : float_convert(&env, &float_double, format_of(op->width), constants[index]);
	put_number(machine, op, op->width, number);
}

/* ---- how operands are encoded ---- */

static uint16_t number_register(const struct exec_op *op, unsigned low)
{
	return (uint16_t)(RISCV_F + (op->enc >> low & 31));
}

/* All of them floating-point registers. */
static void form_f(struct exec_op *op)
{
	op->rd = number_register(op, 7);
	op->rs1 = number_register(op, 15);
	op->rs2 = number_register(op, 20);
	op->rs3 = number_register(op, 27);
}

/* The result is an integer register. */
static void form_to_x(struct exec_op *op)
{
	form_f(op);
	op->rd = riscv_target(op->enc >> 7 & 31);
}

/* The operands are. */
static void form_from_x(struct exec_op *op)
{
	riscv_form_r(op);
	op->rd = number_register(op, 7);
}

static void form_load(struct exec_op *op)
{
	riscv_form_i(op);
	op->rd = number_register(op, 7);
}

static void form_store(struct exec_op *op)
{
	riscv_form_s(op);
	op->rs2 = number_register(op, 20);
}

/* Compressed: the integer forms with a floating-point register in place of the one that moves. */
static void form_cl(struct exec_op *op)
{
	riscv_form_cl(op);
	op->rd = (uint16_t)(RISCV_F + 8 + (op->enc >> 2 & 7));
}

static void form_cs(struct exec_op *op)
{
	riscv_form_cs(op);
	op->rs2 = (uint16_t)(RISCV_F + 8 + (op->enc >> 2 & 7));
}

static void form_cl_sp(struct exec_op *op)
{
	riscv_form_cl_sp(op);
	op->rd = number_register(op, 7);
}

static void form_cs_sp(struct exec_op *op)
{
	riscv_form_cs_sp(op);
	op->rs2 = number_register(op, 2);
}

/* ---- the table ---- */

#define ROW(name, form, run, width, extra) \
	{ \
		name, form_##form, {run_##run, run_##run}, width, extra \
	}
#define ROW_64(name, form, run, width, extra) \
	{ \
		name, form_##form, {run_##run, NULL}, width, extra \
	}
#define ROW_32(name, form, run, width, extra) \
	{ \
		name, form_##form, {NULL, run_##run}, width, extra \
	}
#define EACH(name, form, run, extra) \
	ROW(name ".s", form, run, 's', extra), ROW(name ".d", form, run, 'd', extra), \
		ROW(name ".h", form, run, 'h', extra)
#define INTEGERS(w, width) \
	ROW("fcvt.w." w, to_x, to_integer, width, 0), \
		ROW("fcvt.wu." w, to_x, to_integer, width, UNSIGNED), \
		ROW_64("fcvt.l." w, to_x, to_integer, width, LONG), \
		ROW_64("fcvt.lu." w, to_x, to_integer, width, LONG | UNSIGNED), \
		ROW("fcvt." w ".w", from_x, from_integer, width, 0), \
		ROW("fcvt." w ".wu", from_x, from_integer, width, UNSIGNED), \
		ROW_64("fcvt." w ".l", from_x, from_integer, width, LONG), \
		ROW_64("fcvt." w ".lu", from_x, from_integer, width, LONG | UNSIGNED)
#define CONVERT(name, from, to) ROW(name, f, convert, from, to)

const struct riscv_row riscv_float_rows[] = {
	ROW("flw", load, load, 4, 0),
	ROW("fld", load, load, 8, 0),
	ROW("flh", load, load, 2, 0),
	ROW("fsw", store, store, 4, 0),
	ROW("fsd", store, store, 8, 0),
	ROW("fsh", store, store, 2, 0),
	EACH("fadd", f, fadd, 0),
	EACH("fsub", f, fsub, 0),
	EACH("fmul", f, fmul, 0),
	EACH("fdiv", f, fdiv, 0),
	EACH("fsqrt", f, fsqrt, 0),
	EACH("fmadd", f, fma, 0),
	EACH("fmsub", f, fma, NEGATE_ADDEND),
	EACH("fnmsub", f, fma, NEGATE_PRODUCT),
	EACH("fnmadd", f, fma, NEGATE_PRODUCT | NEGATE_ADDEND),
	EACH("fsgnj", f, sign, SIGN_TAKEN),
	EACH("fsgnjn", f, sign, SIGN_INVERTED),
	EACH("fsgnjx", f, sign, SIGN_CROSSED),
	EACH("fmin", f, minmax, 0),
	EACH("fmax", f, minmax, GREATER),
	EACH("feq", to_x, compare, ORDER_EQUAL | QUIET),
	EACH("flt", to_x, compare, ORDER_LESS),
	EACH("fle", to_x, compare, ORDER_LESS | ORDER_EQUAL),
	EACH("fclass", to_x, fclass, 0),
	INTEGERS("s", 's'),
	INTEGERS("d", 'd'),
	INTEGERS("h", 'h'),
	CONVERT("fcvt.s.d", 'd', 's'),
	CONVERT("fcvt.s.h", 'h', 's'),
	CONVERT("fcvt.d.s", 's', 'd'),
	CONVERT("fcvt.d.h", 'h', 'd'),
	CONVERT("fcvt.h.s", 's', 'h'),
	CONVERT("fcvt.h.d", 'd', 'h'),
	CONVERT("fcvt.s.bf16", 'b', 's'),
	CONVERT("fcvt.bf16.s", 's', 'b'),
	ROW("fmv.x.w", to_x, to_bits, 's', 0),
	ROW_64("fmv.x.d", to_x, to_bits, 'd', 0),
	ROW("fmv.x.h", to_x, to_bits, 'h', 0),
	ROW("fmv.w.x", from_x, from_bits, 's', 0),
	ROW_64("fmv.d.x", from_x, from_bits, 'd', 0),
	ROW("fmv.h.x", from_x, from_bits, 'h', 0),
	/* Zfa */
	EACH("fli", f, constant, 0),
	EACH("fminm", f, minmax, NAN_WINS),
	EACH("fmaxm", f, minmax, NAN_WINS | GREATER),
	EACH("fround", f, fround, false),
	EACH("froundnx", f, fround, true),
	EACH("fltq", to_x, compare, ORDER_LESS | QUIET),
	EACH("fleq", to_x, compare, ORDER_LESS | ORDER_EQUAL | QUIET),
	ROW("fcvtmod.w.d", to_x, to_integer_modulo, 'd', 0),
	ROW_32("fmvh.x.d", to_x, upper_bits, 'd', 0),
	ROW_32("fmvp.d.x", from_x, from_halves, 'd', 0),
	/* C */
	ROW("c.fld", cl, load, 8, 0),
	ROW_32("c.flw", cl, load, 4, 0),
	ROW("c.fsd", cs, store, 8, 0),
	ROW_32("c.fsw", cs, store, 4, 0),
	ROW("c.fldsp", cl_sp, load, 8, 0),
	ROW_32("c.flwsp", cl_sp, load, 4, 0),
	ROW("c.fsdsp", cs_sp, store, 8, 0),
	ROW_32("c.fswsp", cs_sp, store, 4, 0),
	{NULL}};
