/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V vectors: floating point. V, Zvfh, Zvfhmin, Zvfbfmin, Zvfbfwma.
 *
 * An element needs all bits of its operands, else its result is not known and any flag may have been
 * raised. Where the rounding mode is not known, what all of them agree on is known.
 */
#include "exec/riscv_float.h"
#include "exec/riscv_vector.h"

static const struct float_format *format_of(const struct riscv_vector *setting, int log_bits)
{
	if (log_bits == 4)
		return setting->row->flags & RISCV_BF16 ? &float_bfloat : &float_half;
	return log_bits == 5 ? &float_single : &float_double;
}

/* Kinds of conversions, in `extra`. */
enum { FROM_INTEGER = 1, TO_INTEGER = 2, UNSIGNED = 4, TO_ZERO = 8, ODD = 16 };

/* The logarithms of bits of vs2's elements and of the destination's. */
static int log_a(const struct riscv_vector *setting)
{
	return setting->log_sew + (setting->row->flags & RISCV_A_WIDE ? 1 : 0);
}

static int log_d(const struct riscv_vector *setting)
{
	return setting->log_sew + (setting->row->flags & RISCV_D_WIDE ? 1 : 0);
}

bool riscv_vector_floats(const struct riscv_vector *setting)
{
	struct exec_bits mode = setting->machine->word[RISCV_FRM];
	unsigned extra = setting->row->flags & RISCV_CONVERTS ? setting->row->extra : 0;
	bool narrow = setting->row->flags & RISCV_BF16;
	if ((mode.known & 7) == 7 && (mode.value & 7) > FLOAT_NEAREST_AWAY)
		return false;
	return (extra & FROM_INTEGER || log_a(setting) >= 4) &&
	       (extra & TO_INTEGER || log_d(setting) >= 4) && (!narrow || setting->log_sew == 4);
}

bool riscv_may_be_nan(struct exec_bits bits, int log_eew)
{
	unsigned fraction_bits = log_eew == 4 ? 10 : log_eew == 5 ? 23 : 52;
	uint64_t all = UINT64_MAX >> (65 - (1u << log_eew)), most = bits_most(bits) & all;
	uint64_t exponent = all >> fraction_bits << fraction_bits;
	return (most & exponent) == exponent && (most & ~exponent) != 0;
}

void riscv_vector_flags(const struct riscv_vector *setting)
{
	struct exec_bits flags = {setting->raised, ~(setting->may_raise & ~setting->raised)};
	if (setting->may_raise)
		riscv_put_csr(setting->machine, RISCV_FFLAGS, 1,
		              bits_or(setting->machine->word[RISCV_FFLAGS], flags));
}

/* ---- one element in all modes that may be in force ---- */

typedef uint64_t make_function(const struct riscv_vector *setting, struct float_env *env,
                               const uint64_t *number);

static struct exec_bits in_each_mode(struct riscv_vector *setting, bool known,
                                     const uint64_t *number, make_function *make)
{
	struct exec_bits mode = setting->machine->word[RISCV_FRM], made = bits_unknown();
	uint64_t raised = 0x1f, may_raise = 0;
	bool mode_known = (mode.known & 7) == 7;
	unsigned first = mode_known ? mode.value & 7 : 0;
	unsigned last = mode_known ? mode.value & 7 : FLOAT_NEAREST_AWAY;
	for (unsigned i = first; known && i <= last; i++) {
		struct float_env env = {.rounding = (uint8_t)i};
		struct exec_bits other = bits_known(make(setting, &env, number));
		made = i == first ? other : bits_choose(bits_unknown(), made, other);
		raised &= env.flags;
		may_raise |= env.flags;
	}
	setting->raised |= known && setting->sure ? raised : 0;
	setting->may_raise |= known ? may_raise : 0x1f;
	return made;
}

/* An operand in the format of the result. */
static uint64_t widened(const struct riscv_vector *setting, struct float_env *env, uint64_t number,
                        int from)
{
	return from == log_d(setting) ? number
	                              : float_convert(env, format_of(setting, from),
	                                              format_of(setting, log_d(setting)), number);
}

static uint64_t make_plain(const struct riscv_vector *setting, struct float_env *env,
                           const uint64_t *number)
{
	return setting->row->compute(env, format_of(setting, setting->log_sew), number, setting->op);
}

static uint64_t make_wide(const struct riscv_vector *setting, struct float_env *env,
                          const uint64_t *number)
{
	const uint64_t wide[3] = {widened(setting, env, number[0], log_a(setting)),
	                          widened(setting, env, number[1], setting->log_sew), number[2]};
	return setting->row->compute(env, format_of(setting, log_d(setting)), wide, setting->op);
}

#define VALUE(name) \
	static struct exec_bits value_##name(struct riscv_vector *setting, struct exec_bits a, \
	                                     struct exec_bits b, struct exec_bits d)

static struct exec_bits computed(struct riscv_vector *setting, struct exec_bits a,
                                 struct exec_bits b, struct exec_bits c, make_function *make)
{
	const uint64_t number[3] = {a.value, b.value, c.value};
	return in_each_mode(setting, bits_both(a, b) && bits_all(c), number, make);
}

VALUE(one)
{
	(void)b, (void)d;
	return computed(setting, a, bits_known(0), bits_known(0), make_plain);
}
VALUE(two)
{
	(void)d;
	return computed(setting, a, b, bits_known(0), make_plain);
}
VALUE(swapped)
{
	(void)d;
	return computed(setting, b, a, bits_known(0), make_plain);
}
VALUE(wide)
{
	(void)d;
	return computed(setting, a, b, bits_known(0), make_wide);
}
/* Products that are added to the destination, or of it. */
VALUE(accumulated)
{
	return computed(setting, a, b, d, make_plain);
}
VALUE(multiplied)
{
	return computed(setting, d, b, a, make_plain);
}
VALUE(wide_accumulated)
{
	return computed(setting, a, b, d, make_wide);
}
/* A sum of as wide elements as the destination's, which is `b`. */
static uint64_t make_sum(const struct riscv_vector *setting, struct float_env *env,
                         const uint64_t *number)
{
	return float_add(env, format_of(setting, log_d(setting)), number[1],
	                 widened(setting, env, number[0], setting->log_sew));
}
VALUE(sum)
{
	(void)d;
	return computed(setting, a, b, bits_known(0), make_sum);
}
VALUE(not_equal)
{
	return bits_xor(value_two(setting, a, b, d), bits_known(1));
}

/* ---- without flags ---- */

VALUE(class)
{
	(void)b, (void)d;
	struct float_env env = {0};
	if (!bits_all(a))
		return bits_unknown();
	return bits_known(
		compute_fclass(&env, format_of(setting, setting->log_sew), &a.value, setting->op));
}
VALUE(second)
{
	(void)setting, (void)a, (void)d;
	return b;
}
VALUE(merge)
{
	(void)setting;
	return bits_choose(d, b, a);
}
/* The sign of the second operand, inverted or crossed with the first's, by `extra`. */
enum { SIGN_TAKEN, SIGN_INVERTED, SIGN_CROSSED };
VALUE(sign)
{
	struct exec_bits sign = bits_known(float_sign_bit(format_of(setting, setting->log_sew)));
	(void)d;
	if (setting->row->extra == SIGN_INVERTED)
		b = bits_not(b);
	if (setting->row->extra == SIGN_CROSSED)
		b = bits_xor(a, b);
	return bits_or(bits_and(a, bits_not(sign)), bits_and(b, sign));
}

/* ---- conversions ---- */

static uint64_t make_conversion(const struct riscv_vector *setting, struct float_env *env,
                                const uint64_t *number)
{
	unsigned how = setting->row->extra, bits = 1u << log_d(setting);
	bool is_signed = !(how & UNSIGNED);
	if (how & TO_ZERO)
		env->rounding = FLOAT_TO_ZERO;
	if (how & ODD)
		env->rounding = FLOAT_TO_ODD;
	if (how & TO_INTEGER)
		return float_to_integer(env, format_of(setting, log_a(setting)), *number, bits, is_signed,
		                        UINT64_MAX >> (64 - bits + is_signed));
	if (how & FROM_INTEGER)
		return float_from_integer(env, format_of(setting, log_d(setting)), *number, is_signed);
	return float_convert(env, format_of(setting, log_a(setting)),
	                     format_of(setting, log_d(setting)), *number);
}
VALUE(conversion)
{
	(void)b, (void)d;
	return computed(setting, a, bits_known(0), bits_known(0), make_conversion);
}

/* ---- estimates of 7 bits ---- */

/* A finite number other than 0 as 1.fraction * 2^(exponent - bias); subnormal ones have exponents
 * below 1. */
static int normalised(const struct float_format *format, uint64_t a, uint64_t *fraction)
{
	unsigned f = format->fraction_bits;
	uint64_t ones = ((uint64_t)1 << f) - 1;
	int exponent = (int)(a >> f & ((1u << format->exponent_bits) - 1));
	*fraction = a & ones;
	if (exponent)
		return exponent;
	for (exponent = 1; !(*fraction >> f); exponent--)
		*fraction <<= 1;
	*fraction &= ones;
	return exponent;
}

/* Of 1 / x, where x is in the middle of the i-th of 128 parts of [1, 2): the 7 bits behind the first. */
static uint64_t reciprocal_bits(unsigned i)
{
	unsigned x = 257 + 2 * i;
	return (131072 + x) / (2 * x) - 128;
}

/* Of 1 / sqrt(x), where x is in the middle of the i-th of 64 parts of [2, 4), or from 64 on of
 * [1, 2): the nearest of them. */
static uint64_t root_bits(unsigned i)
{
	uint64_t x = (uint64_t)(129 + 2 * (i & 63)) << (i < 64 ? 1 : 0), n = 127;
	while (n && (2 * n + 255) * (2 * n + 255) * x > (uint64_t)512 * 512 * 128)
		n--;
	return n;
}

/* The number of a zero, an infinity or a NaN. */
static uint64_t special(struct float_env *env, const struct float_format *format, uint64_t a,
                        enum float_class cls)
{
	uint64_t infinity = (((uint64_t)1 << format->exponent_bits) - 1) << format->fraction_bits;
	uint64_t sign = a & float_sign_bit(format);
	if (cls == FLOAT_ZERO) {
		env->flags |= FLOAT_DIVIDE_BY_ZERO;
		return sign | infinity;
	}
	if (cls == FLOAT_INFINITE)
		return sign;
	env->flags |= cls == FLOAT_SIGNALLING_NAN ? FLOAT_INVALID : 0;
	return float_default_nan(env, format);
}

static bool is_special(enum float_class cls)
{
	return cls == FLOAT_ZERO || cls >= FLOAT_INFINITE;
}

RISCV_COMPUTE(reciprocal)
{
	unsigned f = format->fraction_bits;
	uint64_t sign = *number & float_sign_bit(format), fraction;
	enum float_class cls = float_classify(format, *number);
	(void)op;
	if (is_special(cls))
		return special(env, format, *number, cls);
	int bias = (1 << (format->exponent_bits - 1)) - 1;
	int exponent = normalised(format, *number, &fraction);
	if (exponent < -1) { /* has no room */
		uint64_t infinity = (((uint64_t)1 << format->exponent_bits) - 1) << f;
		bool finite =
			env->rounding == FLOAT_TO_ZERO || env->rounding == (sign ? FLOAT_UP : FLOAT_DOWN);
		env->flags |= FLOAT_INEXACT | FLOAT_OVERFLOW;
		return sign | (infinity - finite);
	}
	uint64_t made = reciprocal_bits((unsigned)(fraction >> (f - 7))) << (f - 7);
	int to = 2 * bias - 1 - exponent;
	if (to < 1) {
		made = (made | (uint64_t)1 << f) >> (1 - to);
		to = 0;
	}
	return sign | (uint64_t)to << f | made;
}

RISCV_COMPUTE(reciprocal_root)
{
	unsigned f = format->fraction_bits;
	uint64_t fraction;
	enum float_class cls = float_classify(format, *number);
	bool negative = *number & float_sign_bit(format);
	(void)op;
	if (negative && cls != FLOAT_ZERO && cls < FLOAT_QUIET_NAN) {
		env->flags |= FLOAT_INVALID;
		return float_default_nan(env, format);
	}
	if (is_special(cls))
		return special(env, format, *number, cls);
	int bias = (1 << (format->exponent_bits - 1)) - 1;
	int exponent = normalised(format, *number, &fraction);
	unsigned index = ((unsigned)exponent & 1) << 6 | (unsigned)(fraction >> (f - 6));
	int to = (3 * bias - 1 - exponent) / 2;
	return (uint64_t)to << f | root_bits(index) << (f - 7);
}

/* ---- one element to a register ---- */

static void run_to_number(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	if (!riscv_vector_begin(machine, op, &setting))
		return;
	if (!riscv_vector_floats(&setting)) {
		riscv_vector_reserved(machine, op);
		return;
	}
	struct exec_bits bits =
		riscv_element(riscv_vector_group_at(&setting, setting.vs2), 0, setting.log_sew);
	exec_put(machine, RISCV_F + setting.vd, CAIRN_REG_FP, setting.vd,
	         riscv_boxed(bits, setting.sew == 16   ? 'h'
	                           : setting.sew == 32 ? 's'
	                                               : 'd'));
	riscv_vector_end(machine);
}

/* ---- the table ---- */

#define ROW(name, mask, match, run, value, compute, flags, form, extra) \
	{ \
		name, mask, match, run, value, compute, RISCV_FLOAT | (flags), RISCV_FORM_##form, extra \
	}
#define OPV(name, f6, group, value, compute, flags, form, extra) \
	ROW(name, RISCV_ANY_MASK, RISCV_OPV(f6, RISCV_##group), riscv_vector_elements, value_##value, \
	    compute, flags, form, extra)
#define VV(name, f6, value, compute, flags, extra) \
	OPV(name ".vv", f6, OPFVV, value, compute, flags, VV, extra)
#define VF(name, f6, value, compute, flags, extra) \
	OPV(name ".vf", f6, OPFVF, value, compute, flags, VF, extra)
#define VV_VF(name, f6, value, compute, flags, extra) \
	VV(name, f6, value, compute, flags, extra), VF(name, f6, value, compute, flags, extra)
#define WIDER(name, f6, compute) \
	OPV(name ".wv", f6, OPFVV, wide, compute, RISCV_D_WIDE | RISCV_A_WIDE, VV, 0), \
		OPV(name ".wf", f6, OPFVF, wide, compute, RISCV_D_WIDE | RISCV_A_WIDE, VF, 0)
#define UNARY(name, f6, rs1, value, compute, flags, extra) \
	ROW(name, RISCV_WITH_RS1, RISCV_OPV(f6, RISCV_OPFVV) | (rs1) << 15, riscv_vector_elements, \
	    value_##value, compute, flags, V, extra)
#define CONVERT(name, rs1, flags, extra) \
	UNARY(name, 0x12, rs1, conversion, NULL, RISCV_CONVERTS | (flags), extra)
#define REDUCE(name, f6, value, compute, flags, extra) \
	ROW(name ".vs", RISCV_ANY_MASK, RISCV_OPV(f6, RISCV_OPFVV), riscv_vector_reduce, \
	    value_##value, compute, flags, VV, extra)
#define SCALAR(name, f6, vm, run, value, flags) \
	ROW(name, RISCV_WITH_VM, RISCV_OPV(f6, RISCV_OPFVF) | (vm) << 25, run, value, NULL, flags, VF, \
	    0)

enum { MASK = RISCV_D_MASK, WIDE = RISCV_D_WIDE, NARROW = RISCV_A_WIDE, SIGNED = RISCV_A_SIGNED };

/* clang-format off */
const struct riscv_vector_row riscv_vector_float_rows[] = {
	VV_VF("vfadd", 0x00, two, compute_fadd, 0, 0),
	VV_VF("vfsub", 0x02, two, compute_fsub, 0, 0),
	VF("vfrsub", 0x27, swapped, compute_fsub, 0, 0),
	VV_VF("vfmul", 0x24, two, compute_fmul, 0, 0),
	VV_VF("vfdiv", 0x20, two, compute_fdiv, 0, 0),
	VF("vfrdiv", 0x21, swapped, compute_fdiv, 0, 0),
	VV_VF("vfmin", 0x04, two, compute_minmax, 0, 0),
	VV_VF("vfmax", 0x06, two, compute_minmax, 0, GREATER),
	VV_VF("vfsgnj", 0x08, sign, NULL, 0, SIGN_TAKEN),
	VV_VF("vfsgnjn", 0x09, sign, NULL, 0, SIGN_INVERTED),
	VV_VF("vfsgnjx", 0x0a, sign, NULL, 0, SIGN_CROSSED),
	VV_VF("vmfeq", 0x18, two, compute_compare, MASK, ORDER_EQUAL | QUIET),
	VV_VF("vmfle", 0x19, two, compute_compare, MASK, ORDER_LESS | ORDER_EQUAL),
	VV_VF("vmflt", 0x1b, two, compute_compare, MASK, ORDER_LESS),
	VV_VF("vmfne", 0x1c, not_equal, compute_compare, MASK, ORDER_EQUAL | QUIET),
	VF("vmfgt", 0x1d, swapped, compute_compare, MASK, ORDER_LESS),
	VF("vmfge", 0x1f, swapped, compute_compare, MASK, ORDER_LESS | ORDER_EQUAL),
	VV_VF("vfmadd", 0x28, multiplied, compute_fma, 0, 0),
	VV_VF("vfnmadd", 0x29, multiplied, compute_fma, 0, NEGATE_PRODUCT | NEGATE_ADDEND),
	VV_VF("vfmsub", 0x2a, multiplied, compute_fma, 0, NEGATE_ADDEND),
	VV_VF("vfnmsub", 0x2b, multiplied, compute_fma, 0, NEGATE_PRODUCT),
	VV_VF("vfmacc", 0x2c, accumulated, compute_fma, 0, 0),
	VV_VF("vfnmacc", 0x2d, accumulated, compute_fma, 0, NEGATE_PRODUCT | NEGATE_ADDEND),
	VV_VF("vfmsac", 0x2e, accumulated, compute_fma, 0, NEGATE_ADDEND),
	VV_VF("vfnmsac", 0x2f, accumulated, compute_fma, 0, NEGATE_PRODUCT),
	VV_VF("vfwadd", 0x30, wide, compute_fadd, WIDE, 0),
	VV_VF("vfwsub", 0x32, wide, compute_fsub, WIDE, 0),
	WIDER("vfwadd", 0x34, compute_fadd),
	WIDER("vfwsub", 0x36, compute_fsub),
	VV_VF("vfwmul", 0x38, wide, compute_fmul, WIDE, 0),
	VV_VF("vfwmaccbf16", 0x3b, wide_accumulated, compute_fma, WIDE | RISCV_BF16, 0),
	VV_VF("vfwmacc", 0x3c, wide_accumulated, compute_fma, WIDE, 0),
	VV_VF("vfwnmacc", 0x3d, wide_accumulated, compute_fma, WIDE, NEGATE_PRODUCT | NEGATE_ADDEND),
	VV_VF("vfwmsac", 0x3e, wide_accumulated, compute_fma, WIDE, NEGATE_ADDEND),
	VV_VF("vfwnmsac", 0x3f, wide_accumulated, compute_fma, WIDE, NEGATE_PRODUCT),
	/* of one operand */
	UNARY("vfsqrt.v", 0x13, 0, one, compute_fsqrt, 0, 0),
	UNARY("vfrsqrt7.v", 0x13, 4, one, compute_reciprocal_root, 0, 0),
	UNARY("vfrec7.v", 0x13, 5, one, compute_reciprocal, 0, 0),
	UNARY("vfclass.v", 0x13, 16, class, NULL, 0, 0),
	CONVERT("vfcvt.xu.f.v", 0, 0, TO_INTEGER | UNSIGNED),
	CONVERT("vfcvt.x.f.v", 1, 0, TO_INTEGER),
	CONVERT("vfcvt.f.xu.v", 2, 0, FROM_INTEGER | UNSIGNED),
	CONVERT("vfcvt.f.x.v", 3, SIGNED, FROM_INTEGER),
	CONVERT("vfcvt.rtz.xu.f.v", 6, 0, TO_INTEGER | UNSIGNED | TO_ZERO),
	CONVERT("vfcvt.rtz.x.f.v", 7, 0, TO_INTEGER | TO_ZERO),
	CONVERT("vfwcvt.xu.f.v", 8, WIDE, TO_INTEGER | UNSIGNED),
	CONVERT("vfwcvt.x.f.v", 9, WIDE, TO_INTEGER),
	CONVERT("vfwcvt.f.xu.v", 10, WIDE, FROM_INTEGER | UNSIGNED),
	CONVERT("vfwcvt.f.x.v", 11, WIDE | SIGNED, FROM_INTEGER),
	CONVERT("vfwcvt.f.f.v", 12, WIDE, 0),
	CONVERT("vfwcvtbf16.f.f.v", 13, WIDE | RISCV_BF16, 0),
	CONVERT("vfwcvt.rtz.xu.f.v", 14, WIDE, TO_INTEGER | UNSIGNED | TO_ZERO),
	CONVERT("vfwcvt.rtz.x.f.v", 15, WIDE, TO_INTEGER | TO_ZERO),
	CONVERT("vfncvt.xu.f.w", 16, NARROW, TO_INTEGER | UNSIGNED),
	CONVERT("vfncvt.x.f.w", 17, NARROW, TO_INTEGER),
	CONVERT("vfncvt.f.xu.w", 18, NARROW, FROM_INTEGER | UNSIGNED),
	CONVERT("vfncvt.f.x.w", 19, NARROW | SIGNED, FROM_INTEGER),
	CONVERT("vfncvt.f.f.w", 20, NARROW, 0),
	CONVERT("vfncvt.rod.f.f.w", 21, NARROW, ODD),
	CONVERT("vfncvt.rtz.xu.f.w", 22, NARROW, TO_INTEGER | UNSIGNED | TO_ZERO),
	CONVERT("vfncvt.rtz.x.f.w", 23, NARROW, TO_INTEGER | TO_ZERO),
	CONVERT("vfncvtbf16.f.f.w", 29, NARROW | RISCV_BF16, 0),
	/* reductions */
	REDUCE("vfredusum", 0x01, sum, NULL, 0, RISCV_ANY_ORDER),
	REDUCE("vfredosum", 0x03, sum, NULL, 0, 0),
	REDUCE("vfredmin", 0x05, two, compute_minmax, 0, 0),
	REDUCE("vfredmax", 0x07, two, compute_minmax, 0, GREATER),
	REDUCE("vfwredusum", 0x31, sum, NULL, WIDE, RISCV_ANY_ORDER),
	REDUCE("vfwredosum", 0x33, sum, NULL, WIDE, 0),
	/* one number */
	ROW("vfmv.f.s", RISCV_WITH_RS1 | RISCV_VM, RISCV_OPV(0x10, RISCV_OPFVV) | RISCV_VM,
	    run_to_number, NULL, NULL, 0, V, 0),
	SCALAR("vfmv.s.f", 0x10, 1, riscv_vector_first_element, NULL, 0),
	SCALAR("vfmerge.vfm", 0x17, 0, riscv_vector_elements, value_merge, RISCV_CARRY),
	SCALAR("vfmv.v.f", 0x17, 1, riscv_vector_elements, value_second, 0),
	ROW("vfslide1up.vf", RISCV_ANY_MASK, RISCV_OPV(0x0e, RISCV_OPFVF), riscv_vector_move, NULL,
	    NULL, 0, VF, RISCV_SLIDE_1_UP),
	ROW("vfslide1down.vf", RISCV_ANY_MASK, RISCV_OPV(0x0f, RISCV_OPFVF), riscv_vector_move, NULL,
	    NULL, 0, VF, RISCV_SLIDE_1_DOWN),
	{NULL}};
/* clang-format on */
