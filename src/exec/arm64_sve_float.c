/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: arithmetic and comparisons of floating point.
 */
#include "exec/arm64_sve_float.h"

/* `extra` of a row, beside what is the computation's. */
enum { REVERSED = 4 };

/* ---- arithmetic ---- */

/* zdn and zm where pg is active. */
void arm64_sve_merging(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old = sve_float_lane(&floats, sve_z(op, 0), i),
						 other = sve_float_lane(&floats, sve_z(op, 5), i);
		const struct exec_bits operands[2] = {op->extra & REVERSED ? other : old,
		                                      op->extra & REVERSED ? old : other};
		arm64_set_lane(
			to.word, op->width, i,
			sve_compute_one(&floats, op->width, sve_float_active(&floats, i), operands, 2, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* The constant that bit 5 chooses: of sums 0.5 or 1, of a product 0.5 or 2, of others 0 or 1. */
static struct exec_bits constant(const struct exec_op *op)
{
	enum { ONE_HALF = 0x60, ONE = 0x70, TWO = 0x00 };
	unsigned what = arm64_field(op, 18, 16);
	bool second = arm64_field(op, 5, 5);
	if (what >= 4 && !second)
		return bits_known(0);
	return bits_known(arm64_float_constant(!second ? ONE_HALF : what == 2 ? TWO : ONE, op->width));
}

static void run_constant(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old = sve_float_lane(&floats, sve_z(op, 0), i), other = constant(op);
		const struct exec_bits operands[2] = {op->extra & REVERSED ? other : old,
		                                      op->extra & REVERSED ? old : other};
		arm64_set_lane(
			to.word, op->width, i,
			sve_compute_one(&floats, op->width, sve_float_active(&floats, i), operands, 2, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* zn, and zm of what has two operands. */
void arm64_sve_both(struct cairn_machine *machine, const struct exec_op *op)
{
	bool is_estimate = arm64_field(op, 13, 13);
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		const struct exec_bits operands[2] = {sve_float_lane(&floats, sve_z(op, 5), i),
		                                      sve_float_lane(&floats, sve_z(op, 16), i)};
		arm64_set_lane(to.word, op->width, i,
		               sve_compute_one(&floats, op->width, bits_known(1), operands,
		                               is_estimate ? 1 : 2, bits_unknown()));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* zdn and zm. */
void arm64_sve_destructive(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		const struct exec_bits operands[2] = {sve_float_lane(&floats, sve_z(op, 0), i),
		                                      sve_float_lane(&floats, sve_z(op, 5), i)};
		arm64_set_lane(
			to.word, op->width, i,
			sve_compute_one(&floats, op->width, bits_known(1), operands, 2, bits_unknown()));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* Of zn where pg is active. */
static void run_one(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits operand = sve_float_lane(&floats, sve_z(op, 5), i);
		arm64_set_lane(to.word, op->width, i,
		               sve_compute_one(&floats, op->width, sve_float_active(&floats, i), &operand,
		                               1, sve_float_lane(&floats, sve_z(op, 0), i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* fmla …: zda and zn * zm; with bit 15 za and zdn * zm, of which za is at bit 16 and zm at bit 5. */
static void run_multiply_add(struct cairn_machine *machine, const struct exec_op *op)
{
	bool accumulates = !arm64_field(op, 15, 15);
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits d = sve_float_lane(&floats, sve_z(op, 0), i),
						 n = sve_float_lane(&floats, sve_z(op, 5), i);
		struct exec_bits m = sve_float_lane(&floats, sve_z(op, 16), i);
		const struct exec_bits operands[3] = {accumulates ? n : d, accumulates ? m : n,
		                                      accumulates ? d : m};
		arm64_set_lane(
			to.word, op->width, i,
			sve_compute_one(&floats, op->width, sve_float_active(&floats, i), operands, 3, d));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* fmla, fmls and fmul by an element of each 128 bits. */
static void run_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned size = arm64_field(op, 23, 23) ? op->width : 2;
	struct sve_chosen chosen = sve_choose(op, size == 8);
	if (size == 2)
		chosen.index |= arm64_field(op, 22, 22) << 2;
	struct sve_floats floats = sve_floats_begin(machine, op, size);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		unsigned other = i / (16 / size) * (16 / size) + chosen.index;
		const struct exec_bits operands[3] = {arm64_lane(machine, sve_z(op, 5), size, i),
		                                      arm64_lane(machine, chosen.word, size, other),
		                                      arm64_lane(machine, sve_z(op, 0), size, i)};
		arm64_set_lane(to.word, size, i,
		               sve_compute_one(&floats, size, bits_known(1), operands,
		                               arm64_field(op, 13, 13) ? 2 : 3, bits_unknown()));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* ---- complex numbers ---- */

static struct exec_bits negated(const struct exec_op *op, struct exec_bits number, bool negate)
{
	return negate ? bits_xor(number, bits_known(float_sign_bit(arm64_float_format(op->width))))
	              : number;
}

/* fcadd: the second operand is turned by 90 degrees or, with bit 16, by 270. */
static void run_complex_add(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		bool imaginary = i & 1;
		struct exec_bits old = sve_float_lane(&floats, sve_z(op, 0), i);
		const struct exec_bits operands[2] = {
			old, negated(op, sve_float_lane(&floats, sve_z(op, 5), i ^ 1),
		                 imaginary == (arm64_field(op, 16, 16) != 0))};
		arm64_set_lane(
			to.word, op->width, i,
			sve_compute_one(&floats, op->width, sve_float_active(&floats, i), operands, 2, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* fcmla: the product is turned `turns` times by 90 degrees; its second factor at `pair` of each 128
 * bits, or, with -1, beside the first. */
static void complex_multiply_add(struct cairn_machine *machine, const struct exec_op *op,
                                 unsigned second, unsigned turns, int pair, bool is_predicated)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	unsigned per_part = 16u / op->width;
	bool odd = turns & 1;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		bool imaginary = i & 1;
		unsigned other = pair < 0 ? i & ~1u : i / per_part * per_part + 2 * (unsigned)pair;
		bool negate = imaginary ? turns >= 2 : turns == 1 || turns == 2;
		struct exec_bits old = sve_float_lane(&floats, sve_z(op, 0), i);
		const struct exec_bits operands[3] = {
			sve_float_lane(&floats, sve_z(op, 5), (i & ~1u) + odd),
			negated(op, sve_float_lane(&floats, second, other + (imaginary != odd)), negate), old};
		struct exec_bits active = is_predicated ? sve_float_active(&floats, i) : bits_known(1);
		arm64_set_lane(to.word, op->width, i,
		               sve_compute_one(&floats, op->width, active, operands, 3, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

static void run_complex(struct cairn_machine *machine, const struct exec_op *op)
{
	complex_multiply_add(machine, op, sve_z(op, 16), arm64_field(op, 14, 13), -1, true);
}

static void run_complex_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op sized = *op;
	bool single = arm64_field(op, 22, 22);
	struct sve_chosen chosen = sve_choose(op, single);
	sized.width = single ? 4 : 2;
	complex_multiply_add(machine, &sized, chosen.word, arm64_field(op, 11, 10), (int)chosen.index,
	                     false);
}

/* ---- of all elements one ---- */

enum { MOST_ELEMENTS = ARM64_MOST_VECTOR_BITS / 16 };

/* Neighbours first; what changes nothing stands for elements that are not active, and for those that
 * a length of no power of two lacks. */
static void run_reduce(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	const struct float_format *format = arm64_float_format(op->width);
	unsigned what = arm64_field(op, 18, 16), n = sve_elements(machine, op->width), size = 1;
	uint64_t infinity = ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
	uint64_t nothing = what == 0   ? 0
	                   : what < 6  ? float_default_nan(&floats.env, format)
	                   : what == 6 ? infinity | float_sign_bit(format)
	                               : infinity;
	struct exec_bits left[MOST_ELEMENTS];
	while (size < n)
		size *= 2;
	for (unsigned i = 0; i < size; i++)
		left[i] = i < n ? bits_choose(sve_float_active(&floats, i),
		                              sve_float_lane(&floats, sve_z(op, 5), i), bits_known(nothing))
		                : bits_known(nothing);
	for (; size > 1; size /= 2)
		for (unsigned i = 0; i < size / 2; i++)
			left[i] =
				sve_compute_one(&floats, op->width, bits_known(1), &left[2 * i], 2, bits_unknown());
	sve_put_scalar(machine, sve_z(op, 0), op->width, left[0]);
	sve_floats_end(&floats);
}

/* fadda: one after the other, to the lowest element of zdn. */
static void run_add_in_order(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct exec_bits sum = sve_float_lane(&floats, sve_z(op, 0), 0);
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		const struct exec_bits operands[2] = {sum, sve_float_lane(&floats, sve_z(op, 5), i)};
		sum = sve_compute_one(&floats, op->width, sve_float_active(&floats, i), operands, 2, sum);
	}
	sve_put_scalar(machine, sve_z(op, 0), op->width, sum);
	sve_floats_end(&floats);
}

/* ---- comparisons ---- */

/* `extra`: which orders count; of magnitudes. */
enum { LESS = 1, EQUAL = 2, MORE = 4, NO_ORDER = 8, MAGNITUDES = 16 };

static struct exec_bits compared(struct sve_floats *floats, struct exec_bits active,
                                 struct exec_bits a, struct exec_bits b)
{
	const struct float_format *format = arm64_float_format(floats->op->width);
	unsigned how = floats->op->extra;
	const struct exec_bits number[2] = {a, b};
	struct exec_bits holds = bits_unknown();
	if (sve_is_computed(floats, active, number, 2)) {
		uint64_t mask = how & MAGNITUDES ? ~float_sign_bit(format) : UINT64_MAX;
		bool quiet = (how & EQUAL && !(how & MORE) && !(how & LESS)) || how & NO_ORDER;
		enum float_order order =
			float_compare(&floats->env, format, a.value & mask, b.value & mask, !quiet);
		unsigned is = order == FLOAT_LESS      ? LESS
		              : order == FLOAT_EQUAL   ? EQUAL
		              : order == FLOAT_GREATER ? MORE
		                                       : NO_ORDER;
		holds = bits_known((how & is) != 0);
		sve_computed(floats, floats->op->width, active);
	}
	return bits_choose(active, bits_and(holds, bits_known(1)), bits_known(0));
}

static void run_compare(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_predicate made = sve_none();
	bool zero = (op->enc & 0xff38e000) == 0x65102000;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
		sve_set_active(&made, op->width, i,
		               compared(&floats, sve_float_active(&floats, i),
		                        sve_float_lane(&floats, sve_z(op, 5), i),
		                        zero ? bits_known(0) : sve_float_lane(&floats, sve_z(op, 16), i)));
	sve_put_predicate(machine, sve_p(op, 0), &made);
	sve_floats_end(&floats);
}

/* ---- the table ---- */

#define ROW(mask, match, run, extra, compute) \
	{ \
		mask, match, run, NULL, extra, &compute \
	}
#define MERGING(match, compute, extra) ROW(0xff3fe000, match, arm64_sve_merging, extra, compute)
#define CONSTANT(match, compute, extra) ROW(0xff3fe3c0, match, run_constant, extra, compute)
#define COMPARE(match, extra) \
	{ \
		0xff20e010, match, run_compare, NULL, extra, NULL \
	}
#define WITH_ZERO(match, extra) \
	{ \
		0xff3fe010, match, run_compare, NULL, extra, NULL \
	}
const struct sve_row arm64_sve_float_rows[] = {
	MERGING(0x65008000, arm64_fadd, 0),
	MERGING(0x65018000, arm64_fsub, 0),
	MERGING(0x65028000, arm64_fmul, 0),
	MERGING(0x65038000, arm64_fsub, REVERSED),
	MERGING(0x65048000, arm64_minmax, MAXNM),
	MERGING(0x65058000, arm64_minmax, MINNM),
	MERGING(0x65068000, arm64_minmax, MAX),
	MERGING(0x65078000, arm64_minmax, MIN),
	MERGING(0x65088000, arm64_fabd, 0),
	MERGING(0x650a8000, arm64_fmulx, 0),
	MERGING(0x650c8000, arm64_fdiv, REVERSED),
	MERGING(0x650d8000, arm64_fdiv, 0),
	CONSTANT(0x65188000, arm64_fadd, 0),
	CONSTANT(0x65198000, arm64_fsub, 0),
	CONSTANT(0x651a8000, arm64_fmul, 0),
	CONSTANT(0x651b8000, arm64_fsub, REVERSED),
	CONSTANT(0x651c8000, arm64_minmax, MAXNM),
	CONSTANT(0x651d8000, arm64_minmax, MINNM),
	CONSTANT(0x651e8000, arm64_minmax, MAX),
	CONSTANT(0x651f8000, arm64_minmax, MIN),
	ROW(0xff20fc00, 0x65000000, arm64_sve_both, 0, arm64_fadd),
	ROW(0xff20fc00, 0x65000400, arm64_sve_both, 0, arm64_fsub),
	ROW(0xff20fc00, 0x65000800, arm64_sve_both, 0, arm64_fmul),
	ROW(0xff20fc00, 0x65001800, arm64_sve_both, 0, arm64_frecps),
	ROW(0xff20fc00, 0x65001c00, arm64_sve_both, 0, arm64_frsqrts),
	ROW(0xff3ffc00, 0x650e3000, arm64_sve_both, 0, arm64_frecpe),
	ROW(0xff3ffc00, 0x650f3000, arm64_sve_both, 0, arm64_frsqrte),
	ROW(0xff206000, 0x65200000, run_multiply_add, 0, arm64_fma),
	ROW(0xff206000, 0x65202000, run_multiply_add, MINUS_PRODUCT, arm64_fma),
	ROW(0xff206000, 0x65204000, run_multiply_add, MINUS_BOTH, arm64_fma),
	ROW(0xff206000, 0x65206000, run_multiply_add, MINUS_ADDEND, arm64_fma),
	ROW(0xffa0fc00, 0x64200000, run_by_element, 0, arm64_fma),
	ROW(0xffa0fc00, 0x64a00000, run_by_element, 0, arm64_fma),
	ROW(0xffa0fc00, 0x64200400, run_by_element, MINUS_PRODUCT, arm64_fma),
	ROW(0xffa0fc00, 0x64a00400, run_by_element, MINUS_PRODUCT, arm64_fma),
	ROW(0xffa0fc00, 0x64202000, run_by_element, 0, arm64_fmul),
	ROW(0xffa0fc00, 0x64a02000, run_by_element, 0, arm64_fmul),
	ROW(0xff3ee000, 0x64008000, run_complex_add, 0, arm64_fadd),
	ROW(0xff208000, 0x64000000, run_complex, 0, arm64_fma),
	ROW(0xffe0f000, 0x64a01000, run_complex_by_element, 0, arm64_fma),
	ROW(0xffe0f000, 0x64e01000, run_complex_by_element, 0, arm64_fma),
	ROW(0xff3fe000, 0x65002000, run_reduce, 0, arm64_fadd),
	ROW(0xff3fe000, 0x65042000, run_reduce, MAXNM, arm64_minmax),
	ROW(0xff3fe000, 0x65052000, run_reduce, MINNM, arm64_minmax),
	ROW(0xff3fe000, 0x65062000, run_reduce, MAX, arm64_minmax),
	ROW(0xff3fe000, 0x65072000, run_reduce, MIN, arm64_minmax),
	ROW(0xff3fe000, 0x65182000, run_add_in_order, 0, arm64_fadd),
	ROW(0xff3fe000, 0x650ca000, run_one, 0, arm64_frecpx),
	ROW(0xff3fe000, 0x650da000, run_one, 0, arm64_fsqrt),
	COMPARE(0x65004000, MORE | EQUAL),
	COMPARE(0x65004010, MORE),
	COMPARE(0x65006000, EQUAL),
	COMPARE(0x65006010, LESS | MORE | NO_ORDER),
	COMPARE(0x6500c000, NO_ORDER),
	COMPARE(0x6500c010, MORE | EQUAL | MAGNITUDES),
	COMPARE(0x6500e010, MORE | MAGNITUDES),
	WITH_ZERO(0x65102000, MORE | EQUAL),
	WITH_ZERO(0x65102010, MORE),
	WITH_ZERO(0x65112000, LESS),
	WITH_ZERO(0x65112010, LESS | EQUAL),
	WITH_ZERO(0x65122000, EQUAL),
	WITH_ZERO(0x65132000, LESS | MORE | NO_ORDER),
	{0}};
