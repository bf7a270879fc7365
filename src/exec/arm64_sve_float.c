/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: floating point, element by element. Elements that are not active are not computed, and raise
 * nothing. What depends on one that may be active or not is known as far as both agree.
 */
#include "exec/arm64_sve.h"

/* `extra` of the rows: its lower bits are the computation's (arm64_float.h). */
enum { COMPUTATION = 3, REVERSED = 4 };

/* What all elements of a step share. */
struct floats {
	struct cairn_machine *machine;
	const struct exec_op *op;
	struct float_env env;
	bool modes, flags; /* they are known */
	uint8_t before;    /* flags before this element */
};

static struct floats floats_begin(struct cairn_machine *machine, const struct exec_op *op,
                                  unsigned size)
{
	struct floats floats = {.machine = machine, .op = op, .flags = true};
	floats.modes = arm64_float_modes(machine, size, &floats.env);
	return floats;
}

static void floats_end(struct floats *floats)
{
	arm64_float_raise(floats->machine, floats->env.flags, floats->flags);
}

/* Has an element something to compute? One that may be active or not raises what is not known. */
static bool is_computed(struct floats *floats, struct exec_bits active,
                        const struct exec_bits *number, unsigned n)
{
	bool known = floats->modes;
	for (unsigned i = 0; i < n; i++)
		known &= bits_all(number[i]);
	if (!bits_are_zero(active) && !(known && bits_all(active)))
		floats->flags = false;
	floats->before = floats->env.flags;
	return known && !bits_are_zero(active);
}

/* An element was computed. A flushed operand of half precision raises nothing, and what only may be
 * active nothing that is known. */
static void computed(struct floats *floats, unsigned size, struct exec_bits active)
{
	if (!bits_all(active))
		floats->env.flags = floats->before;
	if (size == 2)
		floats->env.flags &= (uint8_t)~FLOAT_FLUSHED;
}

/* One element: what is computed where it is active, else what it was. */
static struct exec_bits one(struct floats *floats, unsigned size, struct exec_bits active,
                            const struct exec_bits *operands, unsigned n, struct exec_bits old)
{
	const struct sve_row *row = floats->op->row;
	struct exec_op op = *floats->op;
	struct exec_bits made = bits_unknown();
	op.extra = row->extra & COMPUTATION;
	op.width = (uint8_t)size;
	if (is_computed(floats, active, operands, n)) {
		uint64_t number[3] = {0, 0, 0};
		for (unsigned i = 0; i < n; i++)
			number[i] = operands[i].value;
		made = bits_known((*row->compute)(&floats->env, arm64_float_format(size), number, &op));
		computed(floats, size, active);
	}
	return bits_choose(active, made, old);
}

static struct exec_bits lane(const struct floats *floats, unsigned word, unsigned index)
{
	return arm64_lane(floats->machine, word, floats->op->width, index);
}

static struct exec_bits active_of(const struct floats *floats, unsigned index)
{
	return sve_active(floats->machine, sve_governing(floats->op), floats->op->width, index);
}

/* ---- arithmetic ---- */

/* zdn and zm where pg is active. */
void arm64_sve_merging(struct cairn_machine *machine, const struct exec_op *op)
{
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old = lane(&floats, sve_z(op, 0), i),
						 other = lane(&floats, sve_z(op, 5), i);
		const struct exec_bits operands[2] = {op->extra & REVERSED ? other : old,
		                                      op->extra & REVERSED ? old : other};
		arm64_set_lane(to.word, op->width, i,
		               one(&floats, op->width, active_of(&floats, i), operands, 2, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
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
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old = lane(&floats, sve_z(op, 0), i), other = constant(op);
		const struct exec_bits operands[2] = {op->extra & REVERSED ? other : old,
		                                      op->extra & REVERSED ? old : other};
		arm64_set_lane(to.word, op->width, i,
		               one(&floats, op->width, active_of(&floats, i), operands, 2, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* zn, and zm of what has two operands. */
void arm64_sve_both(struct cairn_machine *machine, const struct exec_op *op)
{
	bool is_estimate = arm64_field(op, 13, 13);
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		const struct exec_bits operands[2] = {lane(&floats, sve_z(op, 5), i),
		                                      lane(&floats, sve_z(op, 16), i)};
		arm64_set_lane(
			to.word, op->width, i,
			one(&floats, op->width, bits_known(1), operands, is_estimate ? 1 : 2, bits_unknown()));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* zdn and zm. */
void arm64_sve_destructive(struct cairn_machine *machine, const struct exec_op *op)
{
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		const struct exec_bits operands[2] = {lane(&floats, sve_z(op, 0), i),
		                                      lane(&floats, sve_z(op, 5), i)};
		arm64_set_lane(to.word, op->width, i,
		               one(&floats, op->width, bits_known(1), operands, 2, bits_unknown()));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* Of zn where pg is active. */
static void run_one(struct cairn_machine *machine, const struct exec_op *op)
{
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits operand = lane(&floats, sve_z(op, 5), i);
		arm64_set_lane(to.word, op->width, i,
		               one(&floats, op->width, active_of(&floats, i), &operand, 1,
		                   lane(&floats, sve_z(op, 0), i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* fmla …: zda and zn * zm; with bit 15 za and zdn * zm, of which za is at bit 16 and zm at bit 5. */
static void run_multiply_add(struct cairn_machine *machine, const struct exec_op *op)
{
	bool accumulates = !arm64_field(op, 15, 15);
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits d = lane(&floats, sve_z(op, 0), i), n = lane(&floats, sve_z(op, 5), i);
		struct exec_bits m = lane(&floats, sve_z(op, 16), i);
		const struct exec_bits operands[3] = {accumulates ? n : d, accumulates ? m : n,
		                                      accumulates ? d : m};
		arm64_set_lane(to.word, op->width, i,
		               one(&floats, op->width, active_of(&floats, i), operands, 3, d));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* fmla, fmls and fmul by an element of each 128 bits. */
static void run_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned size = arm64_field(op, 23, 23) ? (arm64_field(op, 22, 22) ? 8 : 4) : 2;
	unsigned second = sve_register(arm64_field(op, size == 8 ? 19 : 18, 16));
	unsigned chosen = size == 8   ? arm64_field(op, 20, 20)
	                  : size == 4 ? arm64_field(op, 20, 19)
	                              : arm64_field(op, 22, 22) << 2 | arm64_field(op, 20, 19);
	struct floats floats = floats_begin(machine, op, size);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		unsigned other = i / (16 / size) * (16 / size) + chosen;
		const struct exec_bits operands[3] = {arm64_lane(machine, sve_z(op, 5), size, i),
		                                      arm64_lane(machine, second, size, other),
		                                      arm64_lane(machine, sve_z(op, 0), size, i)};
		arm64_set_lane(to.word, size, i,
		               one(&floats, size, bits_known(1), operands, arm64_field(op, 13, 13) ? 2 : 3,
		                   bits_unknown()));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
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
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		bool imaginary = i & 1;
		struct exec_bits old = lane(&floats, sve_z(op, 0), i);
		const struct exec_bits operands[2] = {old,
		                                      negated(op, lane(&floats, sve_z(op, 5), i ^ 1),
		                                              imaginary == (arm64_field(op, 16, 16) != 0))};
		arm64_set_lane(to.word, op->width, i,
		               one(&floats, op->width, active_of(&floats, i), operands, 2, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* fcmla: the product is turned `turns` times by 90 degrees; its second factor at `pair` of each 128
 * bits, or, with -1, beside the first. */
static void complex_multiply_add(struct cairn_machine *machine, const struct exec_op *op,
                                 unsigned second, unsigned turns, int pair, bool is_predicated)
{
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	unsigned per_part = 16u / op->width;
	bool odd = turns & 1;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		bool imaginary = i & 1;
		unsigned other = pair < 0 ? i & ~1u : i / per_part * per_part + 2 * (unsigned)pair;
		bool negate = imaginary ? turns >= 2 : turns == 1 || turns == 2;
		struct exec_bits old = lane(&floats, sve_z(op, 0), i);
		const struct exec_bits operands[3] = {
			lane(&floats, sve_z(op, 5), (i & ~1u) + odd),
			negated(op, lane(&floats, second, other + (imaginary != odd)), negate), old};
		struct exec_bits active = is_predicated ? active_of(&floats, i) : bits_known(1);
		arm64_set_lane(to.word, op->width, i, one(&floats, op->width, active, operands, 3, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

static void run_complex(struct cairn_machine *machine, const struct exec_op *op)
{
	complex_multiply_add(machine, op, sve_z(op, 16), arm64_field(op, 14, 13), -1, true);
}

static void run_complex_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op sized = *op;
	bool single = arm64_field(op, 22, 22);
	sized.width = single ? 4 : 2;
	complex_multiply_add(machine, &sized, sve_register(arm64_field(op, single ? 19 : 18, 16)),
	                     arm64_field(op, 11, 10),
	                     (int)(single ? arm64_field(op, 20, 20) : arm64_field(op, 20, 19)), false);
}

/* ---- of all elements one ---- */

enum { MOST_ELEMENTS = ARM64_MOST_VECTOR_BITS / 16 };

/* Neighbours first; what changes nothing stands for elements that are not active, and for those that
 * a length of no power of two lacks. */
static void run_reduce(struct cairn_machine *machine, const struct exec_op *op)
{
	struct floats floats = floats_begin(machine, op, op->width);
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
		left[i] = i < n ? bits_choose(active_of(&floats, i), lane(&floats, sve_z(op, 5), i),
		                              bits_known(nothing))
		                : bits_known(nothing);
	for (; size > 1; size /= 2)
		for (unsigned i = 0; i < size / 2; i++)
			left[i] = one(&floats, op->width, bits_known(1), &left[2 * i], 2, bits_unknown());
	sve_put_scalar(machine, sve_z(op, 0), op->width, left[0]);
	floats_end(&floats);
}

/* fadda: one after the other, to the lowest element of zdn. */
static void run_add_in_order(struct cairn_machine *machine, const struct exec_op *op)
{
	struct floats floats = floats_begin(machine, op, op->width);
	struct exec_bits sum = lane(&floats, sve_z(op, 0), 0);
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		const struct exec_bits operands[2] = {sum, lane(&floats, sve_z(op, 5), i)};
		sum = one(&floats, op->width, active_of(&floats, i), operands, 2, sum);
	}
	sve_put_scalar(machine, sve_z(op, 0), op->width, sum);
	floats_end(&floats);
}

/* ---- comparisons ---- */

/* `extra`: which orders count; of magnitudes. */
enum { LESS = 1, EQUAL = 2, MORE = 4, NO_ORDER = 8, MAGNITUDES = 16 };

static struct exec_bits compared(struct floats *floats, struct exec_bits active, struct exec_bits a,
                                 struct exec_bits b)
{
	const struct float_format *format = arm64_float_format(floats->op->width);
	unsigned how = floats->op->extra;
	const struct exec_bits number[2] = {a, b};
	struct exec_bits holds = bits_unknown();
	if (is_computed(floats, active, number, 2)) {
		uint64_t mask = how & MAGNITUDES ? ~float_sign_bit(format) : UINT64_MAX;
		bool quiet = (how & EQUAL && !(how & MORE) && !(how & LESS)) || how & NO_ORDER;
		enum float_order order =
			float_compare(&floats->env, format, a.value & mask, b.value & mask, !quiet);
		unsigned is = order == FLOAT_LESS      ? LESS
		              : order == FLOAT_EQUAL   ? EQUAL
		              : order == FLOAT_GREATER ? MORE
		                                       : NO_ORDER;
		holds = bits_known((how & is) != 0);
		computed(floats, floats->op->width, active);
	}
	return bits_choose(active, bits_and(holds, bits_known(1)), bits_known(0));
}

static void run_compare(struct cairn_machine *machine, const struct exec_op *op)
{
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_predicate made = sve_none();
	bool zero = (op->enc & 0xff38e000) == 0x65102000;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
		sve_set_active(&made, op->width, i,
		               compared(&floats, active_of(&floats, i), lane(&floats, sve_z(op, 5), i),
		                        zero ? bits_known(0) : lane(&floats, sve_z(op, 16), i)));
	sve_put_predicate(machine, sve_p(op, 0), &made);
	floats_end(&floats);
}

/* ---- conversions ---- */

/* By bits 22, 17 and 16: bytes of what is converted and of what comes out. */
static void conversion_sizes(const struct exec_op *op, unsigned *from, unsigned *to)
{
	static const uint8_t formats[2][4][2] = {{{4, 2}, {2, 4}}, {{8, 2}, {2, 8}, {8, 4}, {4, 8}}};
	const uint8_t *sizes = formats[arm64_field(op, 22, 22)][arm64_field(op, 17, 16)];
	*from = sizes[0];
	*to = sizes[1];
}

/* fcvt: in elements of the wider format. */
static void run_format(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned from, to_size;
	struct floats floats = floats_begin(machine, op, 4);
	struct sve_vector to = {0};
	conversion_sizes(op, &from, &to_size);
	unsigned size = from > to_size ? from : to_size;
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), size, i);
		struct exec_bits whole = arm64_lane(machine, sve_z(op, 5), size, i), made = bits_unknown();
		struct exec_bits number = bits_zero_extend(whole, 8 * from);
		bool known = floats.modes;
		if (!bits_are_zero(active)) {
			floats.before = floats.env.flags;
			made = arm64_to_format(machine, &floats.env, number, from, to_size, &known);
			floats.flags &= known && bits_all(active);
			if (!bits_all(active))
				floats.env.flags = floats.before;
			made = bits_zero_extend(made, 8 * to_size);
		}
		arm64_set_lane(to.word, size, i,
		               bits_choose(active, made, arm64_lane(machine, sve_z(op, 0), size, i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* Bytes of the number and of the integer of scvtf and fcvtzs. */
static void integer_sizes(const struct exec_op *op, unsigned *number, unsigned *integer)
{
	unsigned what = arm64_field(op, 18, 17);
	switch (arm64_field(op, 23, 22)) {
	case 1:
		*number = 2;
		*integer = 1u << what;
		break;
	case 2:
		*number = *integer = 4;
		break;
	default:
		*number = what == 2 ? 4 : 8;
		*integer = what == 0 ? 4 : 8;
		break;
	}
}

static struct exec_bits converted(struct floats *floats, bool to_integer, struct exec_bits given,
                                  unsigned number_size, unsigned integer_size)
{
	const struct float_format *format = arm64_float_format(number_size);
	bool is_unsigned = arm64_field(floats->op, 16, 16);
	if (to_integer) {
		floats->env.rounding = FLOAT_TO_ZERO;
		return bits_known(float_to_fixed(&floats->env, format, given.value, 8 * integer_size,
		                                 !is_unsigned, 0, 0));
	}
	if (!is_unsigned)
		given = bits_sign_extend(given, 8 * integer_size);
	return bits_known(float_from_fixed(&floats->env, format, given.value, !is_unsigned, 0));
}

/* scvtf, ucvtf, fcvtzs, fcvtzu: in elements of the wider of both. */
static void run_integer(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned number_size, integer_size;
	bool to_integer = arm64_field(op, 20, 19) == 3;
	integer_sizes(op, &number_size, &integer_size);
	unsigned size = number_size > integer_size ? number_size : integer_size;
	unsigned from = to_integer ? number_size : integer_size;
	struct floats floats = floats_begin(machine, op, number_size);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), size, i);
		struct exec_bits given =
			bits_zero_extend(arm64_lane(machine, sve_z(op, 5), size, i), 8 * from);
		struct exec_bits made = bits_unknown();
		if (is_computed(&floats, active, &given, 1)) {
			made = converted(&floats, to_integer, given, number_size, integer_size);
			computed(&floats, number_size, active);
			if (!to_integer)
				made = bits_zero_extend(made, 8 * number_size);
		}
		arm64_set_lane(to.word, size, i,
		               bits_choose(active, made, arm64_lane(machine, sve_z(op, 0), size, i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
}

/* frintn …: bits 18 to 16 say how. */
static void run_round(struct cairn_machine *machine, const struct exec_op *op)
{
	static const uint8_t roundings[] = {FLOAT_NEAREST_EVEN, FLOAT_UP, FLOAT_DOWN, FLOAT_TO_ZERO,
	                                    FLOAT_NEAREST_AWAY};
	unsigned how = arm64_field(op, 18, 16);
	struct floats floats = floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	if (how < sizeof roundings)
		floats.env.rounding = roundings[how];
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits active = active_of(&floats, i), given = lane(&floats, sve_z(op, 5), i);
		struct exec_bits made = bits_unknown();
		if (is_computed(&floats, active, &given, 1)) {
			made = bits_known(float_round(&floats.env, arm64_float_format(op->width), given.value,
			                              how == 6 /* frintx */));
			computed(&floats, op->width, active);
		}
		arm64_set_lane(to.word, op->width, i,
		               bits_choose(active, made, lane(&floats, sve_z(op, 0), i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	floats_end(&floats);
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
#define CONVERT(mask, match, run) \
	{ \
		mask, match, run, NULL, 0, NULL \
	}
enum {
	MAX = ARM64_GREATER,
	MAXNM = ARM64_GREATER | ARM64_NUMBER_WINS,
	MINNM = ARM64_NUMBER_WINS,
	MIN = 0,
	MINUS_PRODUCT = ARM64_NEGATE_PRODUCT,
	MINUS_BOTH = ARM64_NEGATE_PRODUCT | ARM64_NEGATE_ADDEND,
	MINUS_ADDEND = ARM64_NEGATE_ADDEND
};

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
	CONVERT(0xff38e000, 0x6500a000, run_round),
	CONVERT(0xfffee000, 0x6588a000, run_format),
	CONVERT(0xfffce000, 0x65c8a000, run_format),
	CONVERT(0xff38e000, 0x6510a000, run_integer),
	CONVERT(0xff38e000, 0x6518a000, run_integer),
	{0}};
