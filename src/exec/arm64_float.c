/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: arithmetic of floating point, of scalars and vectors. Source: Arm Architecture Reference
 * Manual for A-profile, C7.2, and its pseudocode (FPAdd, FPRecipEstimate …).
 */
#include "exec/arm64_float.h"

const struct float_format *arm64_float_format(unsigned bytes)
{
	return bytes == 2 ? &float_half : bytes == 4 ? &float_single : &float_double;
}

/* ---- FPCR and FPSR ---- */

enum {
	FPCR_FZ16 = 1 << 19,
	FPCR_DN = 1 << 25,
	FPCR_FZ = 1 << 24,
	FPCR_MODES = FPCR_FZ16 | FPCR_DN | FPCR_FZ | 3 << 22,
	FPCR_OTHERS = 0x9f07 /* exceptions that trap; FIZ, AH, NEP */
};

bool arm64_float_modes(const struct cairn_machine *machine, unsigned bytes, struct float_env *env)
{
	/* by RMode */
	static const uint8_t roundings[] = {FLOAT_NEAREST_EVEN, FLOAT_UP, FLOAT_DOWN, FLOAT_TO_ZERO};
	struct exec_bits fpcr = machine->word[ARM64_FPCR];
	uint32_t needed = (FPCR_MODES & ~(bytes == 2 ? FPCR_FZ : FPCR_FZ16)) | FPCR_OTHERS;
	bool flush = fpcr.value & (bytes == 2 ? FPCR_FZ16 : FPCR_FZ);
	*env = (struct float_env){.rounding = roundings[fpcr.value >> 22 & 3],
	                          .nans = fpcr.value & FPCR_DN ? FLOAT_CANONICAL_NAN : FLOAT_FIRST_NAN,
	                          .tiny_before = true,
	                          .flush_inputs = flush,
	                          .flush_results = flush};
	return (fpcr.known & needed) == needed && !(fpcr.value & FPCR_OTHERS);
}

enum { FPSR_FLAGS = 0x9f };

void arm64_float_raise(struct cairn_machine *machine, unsigned flags, bool known)
{
	static const struct {
		uint8_t flag, bit;
	} bits[] = {{FLOAT_INVALID, 0x01},   {FLOAT_DIVIDE_BY_ZERO, 0x02}, {FLOAT_OVERFLOW, 0x04},
	            {FLOAT_UNDERFLOW, 0x08}, {FLOAT_INEXACT, 0x10},        {FLOAT_FLUSHED, 0x80}};
	struct exec_bits raised = {0, known ? UINT64_MAX : ~(uint64_t)FPSR_FLAGS};
	if (known && !flags)
		return;
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (flags & bits[i].flag) {
			raised.value |= bits[i].bit;
			raised.known |= bits[i].bit;
		}
	exec_put(machine, ARM64_FPSR, CAIRN_REG_CSR, ISA_ARM64_FPSR,
	         bits_or(machine->word[ARM64_FPSR], raised));
}

/* ---- elements ---- */

/* One element of operands; a flushed operand of half precision raises nothing. */
static struct exec_bits one_element(struct float_env *env, const struct exec_op *op,
                                    const struct exec_bits *operands, unsigned n, bool *known,
                                    arm64_compute *compute)
{
	uint64_t number[3] = {0, 0, 0};
	bool all = *known;
	for (unsigned k = 0; k < n; k++) {
		all &= bits_all(operands[k]);
		number[k] = operands[k].value;
	}
	if (!all) {
		*known = false;
		return bits_unknown();
	}
	uint64_t made = compute(env, arm64_float_format(op->width), number, op);
	if (op->width == 2)
		env->flags &= (uint8_t)~FLOAT_FLUSHED;
	return bits_known(made);
}

void arm64_float_elements(struct cairn_machine *machine, const struct exec_op *op, unsigned n,
                          arm64_compute *compute)
{
	const uint16_t words[3] = {op->rs1, op->rs2, op->rs3};
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct float_env env;
	bool modes = arm64_float_modes(machine, op->width, &env), all = true;
	for (unsigned i = 0; i < arm64_elements(op); i++) {
		struct exec_bits operands[3];
		bool known = modes;
		for (unsigned k = 0; k < n; k++)
			operands[k] =
				arm64_lane(machine, words[k], op->width, k == 1 ? arm64_second_lane(op, i) : i);
		arm64_set_lane(to, op->width, i, one_element(&env, op, operands, n, &known, compute));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

/* Pairs of neighbours, of the first operand and then of the second; of a scalar the one pair that
 * there is. */
static void pairs(struct cairn_machine *machine, const struct exec_op *op, arm64_compute *compute)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct float_env env;
	unsigned n = arm64_elements(op);
	bool modes = arm64_float_modes(machine, op->width, &env), all = true;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits operands[2];
		bool known = modes;
		for (unsigned k = 0; k < 2; k++) {
			unsigned at = 2 * i + k;
			operands[k] = at < n || n == 1 ? arm64_lane(machine, op->rs1, op->width, at)
			                               : arm64_lane(machine, op->rs2, op->width, at - n);
		}
		arm64_set_lane(to, op->width, i, one_element(&env, op, operands, 2, &known, compute));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

/* All elements become one: neighbours first. */
static void across(struct cairn_machine *machine, const struct exec_op *op, arm64_compute *compute)
{
	struct exec_bits left[8], to[2] = {bits_known(0), bits_known(0)};
	struct float_env env;
	unsigned n = arm64_elements(op);
	bool known = arm64_float_modes(machine, op->width, &env);
	for (unsigned i = 0; i < n; i++)
		left[i] = arm64_lane(machine, op->rs1, op->width, i);
	for (; n > 1; n /= 2)
		for (unsigned i = 0; i < n / 2; i++)
			left[i] = one_element(&env, op, &left[2 * i], 2, &known, compute);
	arm64_set_lane(to, op->width, 0, left[0]);
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, known);
}

/* ---- computations ---- */

#define COMPUTE ARM64_COMPUTE
#define OPERATION(name, n) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		arm64_float_elements(machine, op, n, compute_##name); \
	}
#define PAIRS(name) \
	static void run_##name##_pairs(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		pairs(machine, op, compute_##name); \
	}
#define ACROSS(name) \
	static void run_##name##_across(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		across(machine, op, compute_##name); \
	}

COMPUTE(fadd)
{
	(void)op;
	return float_add(env, format, number[0], number[1]);
}
COMPUTE(fsub)
{
	(void)op;
	return float_subtract(env, format, number[0], number[1]);
}
COMPUTE(fabd)
{
	(void)op;
	return float_subtract(env, format, number[0], number[1]) & ~float_sign_bit(format);
}
COMPUTE(fmul)
{
	(void)op;
	return float_multiply(env, format, number[0], number[1]);
}
COMPUTE(fnmul)
{
	(void)op;
	return float_multiply(env, format, number[0], number[1]) ^ float_sign_bit(format);
}
COMPUTE(fdiv)
{
	(void)op;
	return float_divide(env, format, number[0], number[1]);
}
COMPUTE(fsqrt)
{
	(void)op;
	return float_square_root(env, format, number[0]);
}

/* A positive power of 2. */
static uint64_t power_of_2(const struct float_format *format, int exponent)
{
	return (uint64_t)(exponent + (1 << (format->exponent_bits - 1)) - 1) << format->fraction_bits;
}

/* The class that counts: a subnormal number may count as 0. */
static enum float_class class_of(const struct float_env *env, const struct float_format *format,
                                 uint64_t number)
{
	enum float_class cls = float_classify(format, number);
	return cls == FLOAT_SUBNORMAL && env->flush_inputs ? FLOAT_ZERO : cls;
}

/* 0 times infinity? */
static bool is_zero_times_infinity(const struct float_env *env, const struct float_format *format,
                                   const uint64_t *number)
{
	enum float_class a = class_of(env, format, number[0]), b = class_of(env, format, number[1]);
	return (a == FLOAT_ZERO && b == FLOAT_INFINITE) || (a == FLOAT_INFINITE && b == FLOAT_ZERO);
}

/* What was flushed is told. */
static void note_flushed(struct float_env *env, const struct float_format *format,
                         const uint64_t *number, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (env->flush_inputs && float_classify(format, number[i]) == FLOAT_SUBNORMAL)
			env->flags |= FLOAT_FLUSHED;
}

/* 0 times infinity is 2. */
COMPUTE(fmulx)
{
	(void)op;
	if (!is_zero_times_infinity(env, format, number))
		return float_multiply(env, format, number[0], number[1]);
	note_flushed(env, format, number, 2);
	return ((number[0] ^ number[1]) & float_sign_bit(format)) | power_of_2(format, 1);
}

enum { NEGATE_PRODUCT = ARM64_NEGATE_PRODUCT, NEGATE_ADDEND = ARM64_NEGATE_ADDEND };

COMPUTE(fma)
{
	uint64_t sign = float_sign_bit(format);
	return float_multiply_add(env, format, number[0] ^ (op->extra & NEGATE_PRODUCT ? sign : 0),
	                          number[1], number[2] ^ (op->extra & NEGATE_ADDEND ? sign : 0));
}

/* The greater one; a number rather than a quiet NaN. */
enum { GREATER = ARM64_GREATER, NUMBER_WINS = ARM64_NUMBER_WINS };

COMPUTE(minmax)
{
	bool quiet[2], nan[2];
	for (unsigned i = 0; i < 2; i++) {
		quiet[i] = float_classify(format, number[i]) == FLOAT_QUIET_NAN;
		nan[i] = float_is_nan(format, number[i]);
	}
	unsigned which;
	if (op->extra & NUMBER_WINS && quiet[0] != quiet[1] && !(nan[0] && nan[1])) {
		note_flushed(env, format, number, 2);
		which = quiet[0];
	} else if (nan[0] || nan[1]) {
		/* Operands are taken apart before NaNs are looked at. */
		note_flushed(env, format, number, 2);
		return float_nan_of(env, format, number, 2);
	} else {
		enum float_order order = float_compare(env, format, number[0], number[1], false);
		/* -0 is less than +0. */
		bool less =
			order == FLOAT_LESS || (order == FLOAT_EQUAL && number[0] & float_sign_bit(format));
		which = less == ((op->extra & GREATER) != 0);
	}
	if (class_of(env, format, number[which]) == FLOAT_ZERO)
		return number[which] & float_sign_bit(format);
	return number[which];
}

/* 2 - a * b, and (3 - a * b) / 2, which are 2 and 1.5 for 0 times infinity. */
static uint64_t step(struct float_env *env, const struct float_format *format,
                     const uint64_t *given, bool root)
{
	const uint64_t number[2] = {given[0] ^ float_sign_bit(format), given[1]};
	uint64_t two = power_of_2(format, 1), half = UINT64_C(1) << (format->fraction_bits - 1);
	if (float_is_nan(format, number[0]) || float_is_nan(format, number[1])) {
		note_flushed(env, format, number, 2);
		return float_nan_of(env, format, number, 2);
	}
	if (is_zero_times_infinity(env, format, number)) {
		note_flushed(env, format, number, 2);
		return root ? power_of_2(format, 0) | half : two;
	}
	return float_multiply_add_halved(env, format, number[0], number[1], root ? two | half : two,
	                                 root);
}

COMPUTE(frecps)
{
	(void)op;
	return step(env, format, number, false);
}
COMPUTE(frsqrts)
{
	(void)op;
	return step(env, format, number, true);
}

/* ---- comparisons that make a mask ---- */

/* `extra`: which orders count; of magnitudes; with 0, the other way round. */
enum { LESS = 1, EQUAL = 2, MORE = 4, MAGNITUDES = 8 };

static uint64_t compared(struct float_env *env, const struct float_format *format, uint64_t a,
                         uint64_t b, unsigned how)
{
	enum float_order order = float_compare(env, format, a, b, how != EQUAL);
	bool holds = (order == FLOAT_LESS && how & LESS) || (order == FLOAT_EQUAL && how & EQUAL) ||
	             (order == FLOAT_GREATER && how & MORE);
	return holds ? UINT64_MAX : 0;
}

COMPUTE(fcm)
{
	uint64_t mask = op->extra & MAGNITUDES ? ~float_sign_bit(format) : UINT64_MAX;
	return compared(env, format, number[0] & mask, number[1] & mask, op->extra & 7);
}
COMPUTE(fcm_zero)
{
	return compared(env, format, number[0], 0, op->extra & 7);
}

/* ---- estimates ---- */

/* The manual's RecipEstimate and RecipSqrtEstimate: of 9 bits, to 9 bits. */
static unsigned reciprocal(unsigned a)
{
	a = a * 2 + 1;
	return ((1u << 19) / a + 1) / 2;
}

static unsigned reciprocal_root(unsigned a)
{
	a = a < 256 ? a * 2 + 1 : ((a >> 1 << 1) + 1) * 2;
	unsigned b = 512;
	while (a * (b + 1) * (b + 1) < 1u << 28)
		b++;
	return (b + 1) / 2;
}

/* Sign, exponent and a fraction of 52 bits, whose topmost ones are kept. */
static uint64_t composed(const struct float_format *format, uint64_t sign, int exponent,
                         uint64_t fraction)
{
	return sign | (uint64_t)exponent << format->fraction_bits |
	       fraction >> (52 - format->fraction_bits);
}

static int top_exponent(const struct float_format *format)
{
	return (1 << format->exponent_bits) - 1;
}

/* The result of an overflow, as rounding has it. */
static uint64_t overflowed(struct float_env *env, const struct float_format *format, uint64_t sign)
{
	env->flags |= FLOAT_OVERFLOW | FLOAT_INEXACT;
	bool infinite =
		env->rounding == FLOAT_NEAREST_EVEN || env->rounding == (sign ? FLOAT_DOWN : FLOAT_UP);
	uint64_t infinity = composed(format, sign, top_exponent(format), 0);
	return infinite ? infinity : infinity - 1;
}

static uint64_t fraction_of(const struct float_format *format, uint64_t number)
{
	return number << (64 - format->fraction_bits) >> 12;
}

COMPUTE(frecpe)
{
	(void)op;
	uint64_t sign = number[0] & float_sign_bit(format), fraction = fraction_of(format, number[0]);
	int exponent = (int)(number[0] >> format->fraction_bits) & top_exponent(format);
	int above = top_exponent(format) - 2; /* of 1 / number */
	note_flushed(env, format, number, 1);
	switch (class_of(env, format, number[0])) {
	case FLOAT_QUIET_NAN:
	case FLOAT_SIGNALLING_NAN:
		return float_nan_of(env, format, number, 1);
	case FLOAT_INFINITE:
		return sign;
	case FLOAT_ZERO:
		env->flags |= FLOAT_DIVIDE_BY_ZERO;
		return composed(format, sign, top_exponent(format), 0);
	default:
		break;
	}
	if (exponent == 0 && fraction >> 50 == 0)
		return overflowed(env, format, sign);
	if (env->flush_results && exponent >= above) {
		env->flags |= FLOAT_UNDERFLOW;
		return sign;
	}
	if (exponent == 0) {
		bool half = fraction >> 51;
		exponent = half ? 0 : -1;
		fraction = fraction << (half ? 1 : 2) & (UINT64_MAX >> 12);
	}
	uint64_t made = (uint64_t)(reciprocal(256 | (unsigned)(fraction >> 44)) & 255) << 44;
	exponent = above - exponent;
	if (exponent <= 0) {
		made = (made | UINT64_C(1) << 52) >> (1 - exponent);
		exponent = 0;
	}
	return composed(format, sign, exponent, made);
}

COMPUTE(frsqrte)
{
	(void)op;
	uint64_t sign = number[0] & float_sign_bit(format), fraction = fraction_of(format, number[0]);
	int exponent = (int)(number[0] >> format->fraction_bits) & top_exponent(format);
	enum float_class cls = class_of(env, format, number[0]);
	note_flushed(env, format, number, 1);
	if (cls >= FLOAT_QUIET_NAN)
		return float_nan_of(env, format, number, 1);
	if (cls == FLOAT_ZERO) {
		env->flags |= FLOAT_DIVIDE_BY_ZERO;
		return composed(format, sign, top_exponent(format), 0);
	}
	if (sign) {
		env->flags |= FLOAT_INVALID;
		return float_default_nan(env, format);
	}
	if (cls == FLOAT_INFINITE)
		return 0;
	if (exponent == 0) {
		for (; !(fraction >> 51); fraction <<= 1)
			exponent--;
		fraction = fraction << 1 & (UINT64_MAX >> 12);
	}
	unsigned scaled = (unsigned)(exponent & 1 ? 128 | fraction >> 45 : 256 | fraction >> 44);
	/* 44, 380, 3068 */
	int twice = 3 * ((1 << (format->exponent_bits - 1)) - 1) - 1;
	return composed(format, 0, (twice - exponent) / 2,
	                (uint64_t)(reciprocal_root(scaled) & 255) << 44);
}

COMPUTE(frecpx)
{
	(void)op;
	uint64_t sign = number[0] & float_sign_bit(format);
	int exponent = (int)(number[0] >> format->fraction_bits) & top_exponent(format);
	note_flushed(env, format, number, 1);
	if (float_is_nan(format, number[0]))
		return float_nan_of(env, format, number, 1);
	return composed(format, sign,
	                exponent ? top_exponent(format) - exponent : top_exponent(format) - 1, 0);
}

arm64_compute *const arm64_fadd = compute_fadd, *const arm64_fsub = compute_fsub,
					 *const arm64_fabd = compute_fabd, *const arm64_fmul = compute_fmul,
					 *const arm64_fdiv = compute_fdiv, *const arm64_fsqrt = compute_fsqrt,
					 *const arm64_fmulx = compute_fmulx, *const arm64_fma = compute_fma,
					 *const arm64_minmax = compute_minmax, *const arm64_frecps = compute_frecps,
					 *const arm64_frsqrts = compute_frsqrts, *const arm64_frecpe = compute_frecpe,
					 *const arm64_frsqrte = compute_frsqrte, *const arm64_frecpx = compute_frecpx;

/* ---- complex numbers, half precision into single ---- */

static struct exec_bits negated(const struct exec_op *op, struct exec_bits number, bool negate)
{
	return negate ? bits_xor(number, bits_known(float_sign_bit(arm64_float_format(op->width))))
	              : number;
}

/* A number and its imaginary part lie beside each other. fcadd adds the second operand turned by 90
 * degrees or, with `extra`, by 270. */
static void run_fcadd(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct float_env env;
	bool modes = arm64_float_modes(machine, op->width, &env), all = true;
	for (unsigned i = 0; i < arm64_elements(op); i++) {
		struct exec_bits operands[2] = {arm64_lane(machine, op->rs1, op->width, i),
		                                arm64_lane(machine, op->rs2, op->width, i ^ 1)};
		bool known = modes, imaginary = i & 1;
		operands[1] = negated(op, operands[1], imaginary == op->extra);
		arm64_set_lane(to, op->width, i, one_element(&env, op, operands, 2, &known, compute_fadd));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

COMPUTE(plain_fma)
{
	(void)op;
	return float_multiply_add(env, format, number[0], number[1], number[2]);
}

/* `extra`: how often the product is turned by 90 degrees. */
static void run_fcmla(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct float_env env;
	bool modes = arm64_float_modes(machine, op->width, &env), all = true, odd = op->extra & 1;
	for (unsigned i = 0; i < arm64_elements(op); i++) {
		bool imaginary = i & 1, known = modes;
		unsigned pair = op->imm & ARM64_INDEXED ? 2 * arm64_second_lane(op, i) : i & ~1u;
		struct exec_bits operands[3] = {
			arm64_lane(machine, op->rs1, op->width, (i & ~1u) + odd),
			arm64_lane(machine, op->rs2, op->width, pair + (imaginary != odd)),
			arm64_lane(machine, op->rd, op->width, i)};
		bool negate = imaginary ? op->extra >= 2 : op->extra == 1 || op->extra == 2;
		operands[1] = negated(op, operands[1], negate);
		arm64_set_lane(to, op->width, i,
		               one_element(&env, op, operands, 3, &known, compute_plain_fma));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

uint64_t arm64_widened(uint64_t number, bool flush)
{
	struct float_env env = {.flush_inputs = flush};
	if (!float_is_nan(&float_half, number))
		return float_convert(&env, &float_half, &float_single, number);
	return (number & 0x8000) << 16 | UINT64_C(0x7f800000) | (number & 0x3ff) << 13;
}

/* fmlal, fmlsl: products of half precision, which are exact, are added to numbers of single
 * precision. `extra`: NEGATE_PRODUCT; the upper halves. */
enum { UPPER = 4 };

static void run_fmlal(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct float_env half, env;
	bool modes = arm64_float_modes(machine, 2, &half) && arm64_float_modes(machine, 4, &env);
	bool all = modes;
	unsigned n = arm64_elements(op), from = op->extra & UPPER ? n : 0;
	if (!modes)
		env.flags = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned other = op->imm & ARM64_INDEXED ? arm64_second_lane(op, i) : from + i;
		struct exec_bits operands[3] = {arm64_lane(machine, op->rs1, 2, from + i),
		                                arm64_lane(machine, op->rs2, 2, other),
		                                arm64_lane(machine, op->rd, 4, i)};
		bool known = modes && bits_both(operands[0], operands[1]);
		if (known && op->extra & NEGATE_PRODUCT)
			operands[0].value ^= 0x8000;
		for (unsigned k = 0; k < 2 && known; k++)
			operands[k].value = arm64_widened(operands[k].value, half.flush_inputs);
		arm64_set_lane(to, 4, i, one_element(&env, op, operands, 3, &known, compute_plain_fma));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

/* ---- numbers of 16 bits that are the upper halves of single precision (FEAT_BF16) ---- */

/* bfmlalb, bfmlalt (UPPER): products of every other element are added to numbers of single precision. */
static void run_bfmlal(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	struct float_env env;
	bool modes = arm64_float_modes(machine, 4, &env), all = true;
	for (unsigned i = 0; i < 4; i++) {
		unsigned from = 2 * i + (op->enc >> 30 & 1);
		unsigned other = op->imm & ARM64_INDEXED ? arm64_second_lane(op, i) : from;
		struct exec_bits operands[3] = {bits_left(arm64_lane(machine, op->rs1, 2, from), 16),
		                                bits_left(arm64_lane(machine, op->rs2, 2, other), 16),
		                                arm64_lane(machine, op->rd, 4, i)};
		bool known = modes;
		arm64_set_lane(to, 4, i, one_element(&env, op, operands, 3, &known, compute_plain_fma));
		all &= known;
	}
	arm64_put_vector(machine, op->rd, to);
	arm64_float_raise(machine, env.flags, all);
}

/* Each step is rounded to odd, without subnormal numbers and flags, unless FPCR.EBF says otherwise. */
struct exec_bits arm64_bfloat_dot(const struct cairn_machine *machine, struct exec_bits sum,
                                  struct exec_bits a, struct exec_bits b)
{
	enum { FPCR_EBF = 1 << 13 };
	struct exec_bits fpcr = machine->word[ARM64_FPCR];
	struct float_env env = {.rounding = FLOAT_TO_ODD,
	                        .nans = FLOAT_CANONICAL_NAN,
	                        .tiny_before = true,
	                        .to_infinity = true,
	                        .flush_inputs = true,
	                        .flush_results = true};
	bool known = bits_both(a, b) && bits_all(sum);
	if (!known || !(fpcr.known & FPCR_EBF) || fpcr.value & FPCR_EBF)
		return bits_unknown();
	uint64_t low =
		float_multiply(&env, &float_single, a.value << 16 & UINT32_MAX, b.value << 16 & UINT32_MAX);
	uint64_t high = float_multiply(&env, &float_single, a.value & 0xffff0000, b.value & 0xffff0000);
	low = float_add(&env, &float_single, low, high);
	return bits_known(float_add(&env, &float_single, sum.value, low));
}

static void run_bfdot(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	for (unsigned i = 0; i < arm64_elements(op); i++)
		arm64_set_lane(to, 4, i,
		               arm64_bfloat_dot(machine, arm64_lane(machine, op->rd, 4, i),
		                                arm64_lane(machine, op->rs1, 4, i),
		                                arm64_lane(machine, op->rs2, 4, arm64_second_lane(op, i))));
	arm64_put_vector(machine, op->rd, to);
}

/* Matrices of two rows of four elements make one of two by two. */
static void run_bfmmla(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	for (unsigned i = 0; i < 4; i++) {
		struct exec_bits sum = arm64_lane(machine, op->rd, 4, i);
		for (unsigned k = 0; k < 2; k++)
			sum = arm64_bfloat_dot(machine, sum, arm64_lane(machine, op->rs1, 4, (i & 2) + k),
			                       arm64_lane(machine, op->rs2, 4, 2 * (i & 1) + k));
		arm64_set_lane(to, 4, i, sum);
	}
	arm64_put_vector(machine, op->rd, to);
}

/* ---- estimates of integers ---- */

/* Of fractions of 32 bits: below 1/2, or 1/4, the result has no room. */
struct exec_bits arm64_integer_estimate(struct exec_bits a, bool of_root)
{
	unsigned top = (unsigned)(a.value >> 23);
	bool fits = of_root ? top >= 128 : top >= 256;
	if (!bits_all(a))
		return bits_unknown();
	if (!fits)
		return bits_known(UINT32_MAX);
	return bits_known((uint64_t)(of_root ? reciprocal_root(top) : reciprocal(top)) << 23);
}

static void run_urecpe(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[2] = {bits_known(0), bits_known(0)};
	for (unsigned i = 0; i < arm64_elements(op); i++)
		arm64_set_lane(to, 4, i,
		               arm64_integer_estimate(arm64_lane(machine, op->rs1, 4, i), op->extra));
	arm64_put_vector(machine, op->rd, to);
}

OPERATION(fadd, 2)
OPERATION(fsub, 2)
OPERATION(fabd, 2)
OPERATION(fmul, 2)
OPERATION(fnmul, 2)
OPERATION(fmulx, 2)
OPERATION(fdiv, 2)
OPERATION(fsqrt, 1)
OPERATION(fma, 3)
OPERATION(minmax, 2)
OPERATION(frecps, 2)
OPERATION(frsqrts, 2)
OPERATION(fcm, 2)
OPERATION(fcm_zero, 1)
OPERATION(frecpe, 1)
OPERATION(frsqrte, 1)
OPERATION(frecpx, 1)
PAIRS(fadd)
PAIRS(minmax)
ACROSS(minmax)

/* ---- operands ---- */

/* Bits 23 and 22 of scalars. */
static uint8_t scalar_bytes(const struct exec_op *op)
{
	static const uint8_t bytes[] = {4, 8, 0, 2};
	return bytes[arm64_field(op, 23, 22)];
}

void arm64_form_float(struct exec_op *op)
{
	uint32_t enc = op->enc;
	arm64_form_registers(op);
	if ((enc & 0x7e000000) == 0x1e000000) { /* scalars of their own group */
		op->width = scalar_bytes(op);
		op->imm = 1;
		if (enc >> 24 & 1)
			op->rs3 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 14, 10));
		return;
	}
	/* Of the groups of vectors those of half precision have bit 21 clear, or 22 to 19 set. */
	bool half = !(enc >> 21 & 1) || (enc & 0x007c0000) == 0x00780000;
	op->width = half ? 2 : enc >> 22 & 1 ? 8 : 4;
	op->imm = enc >> 28 & 1 ? 1 : (enc >> 30 & 1 ? 16 : 8) / op->width;
}

/* The second operand is one element: of half precision, H:L:M tells which, of v0 to v15. */
static void form_by_element(struct exec_op *op)
{
	unsigned size = arm64_field(op, 23, 22), h = arm64_field(op, 11, 11);
	unsigned l = arm64_field(op, 21, 21), m = arm64_field(op, 20, 20);
	arm64_form_registers(op);
	op->width = size == 0 ? 2 : size == 2 ? 4 : 8;
	unsigned index = size == 0 ? h << 2 | l << 1 | m : size == 2 ? h << 1 | l : h;
	if (size == 0)
		op->rs2 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 19, 16));
	op->imm = op->enc >> 28 & 1 && op->enc >> 30 & 1 ? 1 : (op->enc >> 30 & 1 ? 16 : 8) / op->width;
	op->imm |= ARM64_INDEXED | (int64_t)index << ARM64_INDEX_SHIFT;
}

/* One pair of a scalar: bit 29 tells single or double precision from half. */
static void form_scalar_pair(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = !(op->enc >> 29 & 1) ? 2 : op->enc >> 22 & 1 ? 8 : 4;
	op->imm = 1;
}

static void form_across(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = op->enc >> 29 & 1 ? 4 : 2;
	op->imm = (op->enc >> 30 & 1 ? 16 : 8) / op->width;
}

/* Complex numbers: how far they are turned, and of one element which. */
static void form_complex(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = (uint8_t)(1u << arm64_field(op, 23, 22));
	op->imm = (op->enc >> 30 & 1 ? 16 : 8) / op->width;
	op->extra = (uint8_t)(op->enc >> 13 & 1 ? arm64_field(op, 12, 12) : arm64_field(op, 12, 11));
}

static void form_complex_element(struct exec_op *op)
{
	unsigned h = arm64_field(op, 11, 11), l = arm64_field(op, 21, 21);
	form_complex(op);
	op->extra = (uint8_t)arm64_field(op, 14, 13);
	op->imm |= ARM64_INDEXED | (int64_t)(op->width == 2 ? h << 1 | l : h) << ARM64_INDEX_SHIFT;
}

static void form_widening(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = 4;
	op->imm = op->enc >> 30 & 1 ? 4 : 2;
}

static void form_widening_element(struct exec_op *op)
{
	unsigned h = arm64_field(op, 11, 11), l = arm64_field(op, 21, 21);
	form_widening(op);
	op->rs2 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 19, 16));
	op->imm |= ARM64_INDEXED | (int64_t)(h << 2 | l << 1 | arm64_field(op, 20, 20))
	                               << ARM64_INDEX_SHIFT;
}

/* The second operand is a pair of elements of 16 bits. */
static void form_pair_element(struct exec_op *op)
{
	form_widening(op);
	op->imm |= ARM64_INDEXED | (int64_t)(arm64_field(op, 11, 11) << 1 | arm64_field(op, 21, 21))
	                               << ARM64_INDEX_SHIFT;
}

/* ---- the table ---- */

#define ROW(mask, match, form, run, extra) \
	{ \
		mask, match, form, {run_##run, run_##run}, 0, extra \
	}
/* Of scalars: two operands, one, three. */
#define TWO(opcode, run, extra) \
	ROW(0xff20fc00, 0x1e200800 | (opcode) << 12, arm64_form_float, run, extra)
#define ONE(opcode, run, extra) \
	ROW(0xff3ffc00, 0x1e204000 | (opcode) << 15, arm64_form_float, run, extra)
#define THREE(o1, o0, extra) \
	ROW(0xff208000, 0x1f000000 | (o1) << 21 | (o0) << 15, arm64_form_float, fma, extra)
/* "Three same" and "two registers, miscellaneous" of vectors and their scalars, by U, a and the
 * lowest bits of the opcode: of single and double precision, and of half. */
#define SAME(u, a, opcode, run, extra) \
	ROW(0xafa0fc00, 0x0e20c400 | (uint32_t)(u) << 29 | (a) << 23 | (opcode) << 11, \
	    arm64_form_float, run, extra), \
		ROW(0xafe0fc00, 0x0e400400 | (uint32_t)(u) << 29 | (a) << 23 | (opcode) << 11, \
	        arm64_form_float, run, extra)
#define MISC(u, a, opcode, run, extra) \
	ROW(0xafbffc00, 0x0e200800 | (uint32_t)(u) << 29 | (a) << 23 | (opcode) << 12, \
	    arm64_form_float, run, extra), \
		ROW(0xaffffc00, 0x0e780800 | (uint32_t)(u) << 29 | (a) << 23 | (opcode) << 12, \
	        arm64_form_float, run, extra)
#define BY_ELEMENT(u, opcode, run, extra) \
	ROW(0xaf80f400, 0x0f801000 | (uint32_t)(u) << 29 | (opcode) << 12, form_by_element, run, \
	    extra), \
		ROW(0xafc0f400, 0x0f001000 | (uint32_t)(u) << 29 | (opcode) << 12, form_by_element, run, \
	        extra)

const struct arm64_row arm64_scalar_rows[] = {TWO(0, fmul, 0),
                                              TWO(1, fdiv, 0),
                                              TWO(2, fadd, 0),
                                              TWO(3, fsub, 0),
                                              TWO(4, minmax, GREATER),
                                              TWO(5, minmax, 0),
                                              TWO(6, minmax, GREATER | NUMBER_WINS),
                                              TWO(7, minmax, NUMBER_WINS),
                                              TWO(8, fnmul, 0),
                                              ONE(3, fsqrt, 0),
                                              THREE(0, 0, 0),
                                              THREE(0, 1, NEGATE_PRODUCT),
                                              THREE(1, 0, NEGATE_PRODUCT | NEGATE_ADDEND),
                                              THREE(1, 1, NEGATE_ADDEND),
                                              {0}};

const struct arm64_row arm64_float_rows[] = {
	SAME(0, 0, 0, minmax, GREATER | NUMBER_WINS),
	SAME(0, 0, 1, fma, 0),
	SAME(0, 0, 2, fadd, 0),
	SAME(0, 0, 3, fmulx, 0),
	SAME(0, 0, 4, fcm, EQUAL),
	SAME(0, 0, 6, minmax, GREATER),
	SAME(0, 0, 7, frecps, 0),
	SAME(0, 1, 0, minmax, NUMBER_WINS),
	SAME(0, 1, 1, fma, NEGATE_PRODUCT),
	SAME(0, 1, 2, fsub, 0),
	SAME(0, 1, 6, minmax, 0),
	SAME(0, 1, 7, frsqrts, 0),
	SAME(1, 0, 0, minmax_pairs, GREATER | NUMBER_WINS),
	SAME(1, 0, 2, fadd_pairs, 0),
	SAME(1, 0, 3, fmul, 0),
	SAME(1, 0, 4, fcm, MORE | EQUAL),
	SAME(1, 0, 5, fcm, MORE | EQUAL | MAGNITUDES),
	SAME(1, 0, 6, minmax_pairs, GREATER),
	SAME(1, 0, 7, fdiv, 0),
	SAME(1, 1, 0, minmax_pairs, NUMBER_WINS),
	SAME(1, 1, 2, fabd, 0),
	SAME(1, 1, 4, fcm, MORE),
	SAME(1, 1, 5, fcm, MORE | MAGNITUDES),
	SAME(1, 1, 6, minmax_pairs, 0),
	MISC(0, 1, 0x0c, fcm_zero, MORE),
	MISC(0, 1, 0x0d, fcm_zero, EQUAL),
	MISC(0, 1, 0x0e, fcm_zero, LESS),
	MISC(1, 1, 0x0c, fcm_zero, MORE | EQUAL),
	MISC(1, 1, 0x0d, fcm_zero, LESS | EQUAL),
	MISC(0, 1, 0x1d, frecpe, 0),
	MISC(0, 1, 0x1f, frecpx, 0),
	MISC(1, 1, 0x1d, frsqrte, 0),
	MISC(1, 1, 0x1f, fsqrt, 0),
	BY_ELEMENT(0, 0, fma, 0),
	BY_ELEMENT(0, 4, fma, NEGATE_PRODUCT),
	BY_ELEMENT(0, 8, fmul, 0),
	BY_ELEMENT(1, 8, fmulx, 0),
	/* one pair, and all elements */
	ROW(0xdfbffc00, 0x5e30d800, form_scalar_pair, fadd_pairs, 0),
	ROW(0xdfbffc00, 0x5e30c800, form_scalar_pair, minmax_pairs, GREATER | NUMBER_WINS),
	ROW(0xdfbffc00, 0x5eb0c800, form_scalar_pair, minmax_pairs, NUMBER_WINS),
	ROW(0xdfbffc00, 0x5e30f800, form_scalar_pair, minmax_pairs, GREATER),
	ROW(0xdfbffc00, 0x5eb0f800, form_scalar_pair, minmax_pairs, 0),
	ROW(0x9ffffc00, 0x0e30c800, form_across, minmax_across, GREATER | NUMBER_WINS),
	ROW(0x9ffffc00, 0x0eb0c800, form_across, minmax_across, NUMBER_WINS),
	ROW(0x9ffffc00, 0x0e30f800, form_across, minmax_across, GREATER),
	ROW(0x9ffffc00, 0x0eb0f800, form_across, minmax_across, 0),
	/* FEAT_FCMA, FEAT_FHM */
	ROW(0xbf20ec00, 0x2e00e400, form_complex, fcadd, 0),
	ROW(0xbf20e400, 0x2e00c400, form_complex, fcmla, 0),
	ROW(0xbf009400, 0x2f001000, form_complex_element, fcmla, 0),
	ROW(0xbfe0fc00, 0x0e20ec00, form_widening, fmlal, 0),
	ROW(0xbfe0fc00, 0x0ea0ec00, form_widening, fmlal, NEGATE_PRODUCT),
	ROW(0xbfe0fc00, 0x2e20cc00, form_widening, fmlal, UPPER),
	ROW(0xbfe0fc00, 0x2ea0cc00, form_widening, fmlal, UPPER | NEGATE_PRODUCT),
	ROW(0xbfc0f400, 0x0f800000, form_widening_element, fmlal, 0),
	ROW(0xbfc0f400, 0x0f804000, form_widening_element, fmlal, NEGATE_PRODUCT),
	ROW(0xbfc0f400, 0x2f808000, form_widening_element, fmlal, UPPER),
	ROW(0xbfc0f400, 0x2f80c000, form_widening_element, fmlal, UPPER | NEGATE_PRODUCT),
	/* numbers of 16 bits */
	ROW(0xbfe0fc00, 0x2e40fc00, form_widening, bfdot, 0),
	ROW(0xbfc0f400, 0x0f40f000, form_pair_element, bfdot, 0),
	ROW(0xffe0fc00, 0x6e40ec00, form_widening, bfmmla, 0),
	ROW(0xbfe0fc00, 0x2ec0fc00, form_widening, bfmlal, 0),
	ROW(0xbfc0f400, 0x0fc0f000, form_widening_element, bfmlal, 0),
	/* estimates of integers */
	ROW(0xbffffc00, 0x0ea1c800, form_widening, urecpe, 0),
	ROW(0xbffffc00, 0x2ea1c800, form_widening, urecpe, 1),
	{0}};
