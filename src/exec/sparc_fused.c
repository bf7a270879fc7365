/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: products with sums, rounded once (the FMA extension of UltraSPARC Architecture 2007 and of
 * SPARC64 VI), and the negated and halved operations of VIS 3. SPARC64 V, which rounds
 * such a product before it is added, is not told apart.
 *
 * Whether a negated result is negated before it is rounded or behind that is not said alike everywhere,
 * nor which sign a negated sum of 0 has: where it matters, the bits that differ are not known. NaNs
 * keep their sign.
 */
#include "exec/sparc_float.h"

static const struct float_format *format_of(const struct exec_op *op)
{
	return sparc_format_of(op->width);
}

static uint64_t negated(const struct exec_op *op, uint64_t number)
{
	return number ^ float_sign_bit(format_of(op));
}

static bool any_nan(const struct exec_op *op, const uint64_t *number, unsigned n)
{
	bool any = false;
	for (unsigned i = 0; i < n; i++)
		any |= float_is_nan(format_of(op), number[i]);
	return any;
}

static bool is_zero(const struct exec_op *op, uint64_t number)
{
	return float_classify(format_of(op), number) == FLOAT_ZERO;
}

/* A result negated behind rounding, where `before` is what comes of negating before: where both are 0,
 * the other 0. */
static uint64_t negated_result(const struct exec_op *op, uint64_t result, uint64_t before)
{
	if (float_is_nan(format_of(op), result))
		return result;
	return negated(op, is_zero(op, result) && is_zero(op, before) ? before : result);
}

/* ---- products with sums ---- */

/* Bits 8:7 of the encoding. */
enum { MULTIPLY_ADD, MULTIPLY_SUBTRACT, NEGATED_SUBTRACT, NEGATED_ADD };

static uint64_t product_and_sum(struct float_env *env, const struct exec_op *op,
                                const uint64_t *number, bool negate_product, bool negate_addend)
{
	if (any_nan(op, number, 3))
		return float_nan_of(env, format_of(op), number, 3);
	uint64_t a = negate_product ? negated(op, number[0]) : number[0];
	uint64_t c = negate_addend ? negated(op, number[2]) : number[2];
	return float_multiply_add(env, format_of(op), a, number[1], c);
}

static inline uint64_t compute_fused(struct float_env *env, const struct exec_op *op,
                                     const uint64_t *number)
{
	unsigned kind = op->enc >> 7 & 3;
	return product_and_sum(env, op, number, kind == NEGATED_SUBTRACT || kind == NEGATED_ADD,
	                       kind == MULTIPLY_SUBTRACT || kind == NEGATED_ADD);
}

/* Negated behind rounding. */
static inline uint64_t compute_fused_late(struct float_env *env, const struct exec_op *op,
                                          const uint64_t *number)
{
	struct float_env other = *env;
	uint64_t before = compute_fused(&other, op, number);
	bool subtracts = (op->enc >> 7 & 3) == NEGATED_SUBTRACT;
	return negated_result(op, product_and_sum(env, op, number, false, subtracts), before);
}

/* What comes out where rs3 is a quiet NaN is open: if the product has a signalling one, which of them
 * comes first; of 0 times infinity, whether it is invalid. False: neither. */
static bool is_open(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct float_format *format = format_of(op);
	const unsigned fields[3] = {op->enc >> 14 & 31, op->enc & 31, op->enc >> 9 & 31};
	enum float_class cls[3];
	struct exec_bits bits[3];
	for (unsigned i = 0; i < 3; i++) {
		bits[i] = sparc_read_kind(machine, op->width, fields[i]);
		cls[i] = float_classify(format, bits[i].value);
	}
	if (!bits_both(bits[0], bits[1]) || !bits_all(bits[2]) || cls[2] != FLOAT_QUIET_NAN)
		return false;
	bool signalling = cls[0] == FLOAT_SIGNALLING_NAN || cls[1] == FLOAT_SIGNALLING_NAN;
	bool invalid = (cls[0] == FLOAT_ZERO && cls[1] == FLOAT_INFINITE) ||
	               (cls[1] == FLOAT_ZERO && cls[0] == FLOAT_INFINITE);
	if (!signalling && !invalid)
		return false;
	if (sparc_has_float(machine) &&
	    sparc_raise_flags(machine, signalling ? FLOAT_INVALID : 0, FLOAT_INVALID))
		sparc_put_kind(machine, op->width, isa_sparc_rd(op->enc),
		               signalling ? bits_unknown() : bits[2]);
	return true;
}

static void run_fused(struct cairn_machine *machine, const struct exec_op *op)
{
	if (!is_open(machine, op))
		sparc_operate(machine, op, 3, compute_fused, NULL);
}

static void run_fused_negated(struct cairn_machine *machine, const struct exec_op *op)
{
	if (!is_open(machine, op))
		sparc_operate(machine, op, 3, compute_fused, compute_fused_late);
}

/* ---- halved and negated sums and products ---- */

static inline uint64_t compute_halved(struct float_env *env, const struct exec_op *op,
                                      const uint64_t *number)
{
	const uint64_t one = op->width == SPARC_SINGLE ? 0x3f800000 : UINT64_C(0x3ff) << 52;
	bool subtracts = (op->enc >> 5 & 4) != 0;
	if (any_nan(op, number, 2))
		return float_nan_of(env, format_of(op), number, 2);
	return float_multiply_add_halved(env, format_of(op), number[0], one,
	                                 subtracts ? negated(op, number[1]) : number[1], 1);
}

static inline uint64_t compute_sum(struct float_env *env, const struct exec_op *op,
                                   const uint64_t *number)
{
	return float_add(env, format_of(op), number[0], number[1]);
}

/* Of the negated operands, where none is a NaN. */
static uint64_t of_negated(struct float_env *env, const struct exec_op *op, const uint64_t *number,
                           sparc_compute *compute)
{
	const uint64_t other[2] = {negated(op, number[0]), negated(op, number[1])};
	return compute(env, op, any_nan(op, number, 2) ? number : other);
}

static uint64_t negated_late(struct float_env *env, const struct exec_op *op,
                             const uint64_t *number, sparc_compute *compute)
{
	struct float_env other = *env;
	uint64_t before = of_negated(&other, op, number, compute);
	return negated_result(op, compute(env, op, number), before);
}

#define NEGATED(name, compute) \
	static inline uint64_t compute_##name(struct float_env *env, const struct exec_op *op, \
	                                      const uint64_t *number) \
	{ \
		return of_negated(env, op, number, compute); \
	} \
	static inline uint64_t compute_##name##_late(struct float_env *env, const struct exec_op *op, \
	                                             const uint64_t *number) \
	{ \
		return negated_late(env, op, number, compute); \
	} \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		sparc_operate(machine, op, 2, compute_##name, compute_##name##_late); \
	}
NEGATED(fnadd, compute_sum)
NEGATED(fnhadd, compute_halved)

static void run_halved(struct cairn_machine *machine, const struct exec_op *op)
{
	sparc_operate(machine, op, 2, compute_halved, NULL);
}

static inline uint64_t compute_fnmul(struct float_env *env, const struct exec_op *op,
                                     const uint64_t *number)
{
	bool nan = any_nan(op, number, 2);
	return float_multiply(env, format_of(op), nan ? number[0] : negated(op, number[0]), number[1]);
}

/* The sign of a product of 0 is no matter of rounding. */
static inline uint64_t compute_fnmul_late(struct float_env *env, const struct exec_op *op,
                                          const uint64_t *number)
{
	uint64_t product = float_multiply(env, format_of(op), number[0], number[1]);
	return float_is_nan(format_of(op), product) ? product : negated(op, product);
}

static void run_fnmul(struct cairn_machine *machine, const struct exec_op *op)
{
	sparc_operate(machine, op, 2, compute_fnmul, compute_fnmul_late);
}

/* A product of singles as a double is exact. Of NaNs the same is open as of fsmuld. */
static inline uint64_t compute_fnsmuld(struct float_env *env, const struct exec_op *op,
                                       const uint64_t *number)
{
	const struct float_format *format = format_of(op);
	if (any_nan(op, number, 2))
		return float_convert(env, format, &float_double, float_nan_of(env, format, number, 2));
	uint64_t a = float_convert(env, format, &float_double, negated(op, number[0]));
	uint64_t b = float_convert(env, format, &float_double, number[1]);
	return float_multiply(env, &float_double, a, b);
}

static void run_fnsmuld(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_single(machine, op->enc >> 14 & 31);
	struct exec_bits b = sparc_single(machine, op->enc & 31);
	bool open = bits_both(a, b) && float_classify(&float_single, a.value) == FLOAT_SIGNALLING_NAN &&
	            float_classify(&float_single, b.value) == FLOAT_QUIET_NAN;
	if (!open)
		sparc_operate(machine, op, 2, compute_fnsmuld, NULL);
	else if (sparc_has_float(machine) && sparc_raise_flags(machine, FLOAT_INVALID, FLOAT_INVALID))
		sparc_put_double(machine, isa_sparc_rd(op->enc), bits_unknown());
}

/* ---- the tables ---- */

#define WIDTHS(opf, run) \
	{opf, {run, NULL, SPARC_SINGLE, SPARC_SINGLE}}, \
	{ \
		(opf) + 1, \
		{ \
			run, NULL, SPARC_DOUBLE, SPARC_DOUBLE \
		} \
	}

static const struct sparc_row *operation_row(unsigned opf)
{
	static const struct {
		uint16_t opf;
		struct sparc_row row;
	} all[] = {
		WIDTHS(0x51, run_fnadd),  WIDTHS(0x59, run_fnmul),
		WIDTHS(0x61, run_halved), WIDTHS(0x65, run_halved),
		WIDTHS(0x71, run_fnhadd), {0x79, {run_fnsmuld, NULL, SPARC_SINGLE, SPARC_DOUBLE}},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].opf == opf)
			return &all[i].row;
	return NULL;
}

const struct sparc_row *sparc_fused_row(uint32_t enc)
{
	static const struct sparc_row rows[2][2] = {
		{{run_fused, NULL, SPARC_SINGLE, SPARC_SINGLE},
	     {run_fused, NULL, SPARC_DOUBLE, SPARC_DOUBLE}},
		{{run_fused_negated, NULL, SPARC_SINGLE, SPARC_SINGLE},
	     {run_fused_negated, NULL, SPARC_DOUBLE, SPARC_DOUBLE}}};
	unsigned op3 = isa_sparc_op3(enc), size = enc >> 5 & 3;
	if (enc >> 30 == 2 && op3 == 0x34)
		return operation_row(enc >> 5 & 511);
	if (enc >> 30 == 2 && op3 == 0x37 && (size == 1 || size == 2))
		return &rows[enc >> 8 & 1][size - 1];
	return NULL;
}
