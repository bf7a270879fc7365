/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: conversions between formats of floating point and to and from integers.
 */
#include "exec/arm64_sve_float.h"

/* What a conversion of formats is, in `extra` of its row. */
enum {
	FROM = 0, /* the binary logarithms of bytes */
	TO = 2,
	TOP = 16, /* the narrower element is the one with the odd number, and the other is kept */
	TO_ODD = 32,
	TO_BFLOAT = 64
};

static struct exec_bits to_bfloat(struct float_env *env, struct exec_bits number, bool *known)
{
	*known = *known && bits_all(number);
	return *known ? bits_known(float_convert(env, &float_single, &float_bfloat, number.value))
	              : bits_unknown();
}

/* One element, of which the predicate is not known to be false. */
static struct exec_bits to_format(struct sve_floats *floats, struct exec_bits active,
                                  struct exec_bits number)
{
	unsigned extra = floats->op->extra, from = 1u << (extra & 3), to = 1u << (extra >> TO & 3);
	bool known = floats->modes;
	floats->before = floats->env.flags;
	number = bits_zero_extend(number, 8 * from);
	struct exec_bits made = extra & TO_BFLOAT ? to_bfloat(&floats->env, number, &known)
	                                          : arm64_to_format(floats->machine, &floats->env,
	                                                            number, from, to, &known);
	floats->flags &= known && bits_all(active);
	if (!bits_all(active))
		floats->env.flags = floats->before;
	return bits_zero_extend(made, 8 * to);
}

/* fcvt …: in elements of the wider format. */
static void run_format(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned from = 1u << (op->extra & 3), narrow = 1u << (op->extra >> TO & 3);
	bool top = op->extra & TOP, widens = from < narrow;
	unsigned size = widens ? narrow : from;
	struct sve_floats floats = sve_floats_begin(machine, op, 4);
	struct sve_vector to = {0};
	if (op->extra & TO_ODD)
		floats.env.rounding = FLOAT_TO_ODD;
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), size, i);
		struct exec_bits given = arm64_lane(machine, sve_z(op, 5), size, i), made = bits_unknown();
		struct exec_bits old = arm64_lane(machine, sve_z(op, 0), size, i);
		if (top && widens)
			given = bits_right(given, 4 * size);
		if (!bits_are_zero(active))
			made = to_format(&floats, active, given);
		if (top && !widens)
			made = bits_or(bits_left(made, 4 * size), bits_zero_extend(old, 4 * size));
		arm64_set_lane(to.word, size, i, bits_choose(active, made, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
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

static struct exec_bits converted(struct sve_floats *floats, bool to_integer,
                                  struct exec_bits given, unsigned number_size,
                                  unsigned integer_size)
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
	struct sve_floats floats = sve_floats_begin(machine, op, number_size);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), size, i);
		struct exec_bits given =
			bits_zero_extend(arm64_lane(machine, sve_z(op, 5), size, i), 8 * from);
		struct exec_bits made = bits_unknown();
		if (sve_is_computed(&floats, active, &given, 1)) {
			made = converted(&floats, to_integer, given, number_size, integer_size);
			sve_computed(&floats, number_size, active);
			if (!to_integer)
				made = bits_zero_extend(made, 8 * number_size);
		}
		arm64_set_lane(to.word, size, i,
		               bits_choose(active, made, arm64_lane(machine, sve_z(op, 0), size, i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* frintn …: bits 18 to 16 say how. */
static void run_round(struct cairn_machine *machine, const struct exec_op *op)
{
	static const uint8_t roundings[] = {FLOAT_NEAREST_EVEN, FLOAT_UP, FLOAT_DOWN, FLOAT_TO_ZERO,
	                                    FLOAT_NEAREST_AWAY};
	unsigned how = arm64_field(op, 18, 16);
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	if (how < sizeof roundings)
		floats.env.rounding = roundings[how];
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits active = sve_float_active(&floats, i),
						 given = sve_float_lane(&floats, sve_z(op, 5), i);
		struct exec_bits made = bits_unknown();
		if (sve_is_computed(&floats, active, &given, 1)) {
			made = bits_known(float_round(&floats.env, arm64_float_format(op->width), given.value,
			                              how == 6 /* frintx */));
			sve_computed(&floats, op->width, active);
		}
		arm64_set_lane(to.word, op->width, i,
		               bits_choose(active, made, sve_float_lane(&floats, sve_z(op, 0), i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* The exponent, as if there were no limits to it. */
static uint64_t exponent(struct float_env *env, const struct float_format *format, uint64_t number)
{
	unsigned fraction_bits = format->fraction_bits, exponent_bits = format->exponent_bits;
	uint64_t least = UINT64_C(1) << (fraction_bits + exponent_bits);
	uint64_t bias = (UINT64_C(1) << (exponent_bits - 1)) - 1;
	uint64_t fraction = number & ((UINT64_C(1) << fraction_bits) - 1);
	switch (float_classify(format, number)) {
	case FLOAT_INFINITE:
		return least - 1;
	case FLOAT_NORMAL:
		return ((number & ~least) >> fraction_bits) - bias;
	case FLOAT_SUBNORMAL:
		if (!env->flush_inputs)
			return 64 - (uint64_t)__builtin_clzll(fraction) - fraction_bits - bias;
		env->flags |= FLOAT_FLUSHED;
		break;
	default:
		break;
	}
	env->flags |= FLOAT_INVALID; /* of 0 and of what is no number */
	return least;
}

/* flogb: bits 18 and 17 say how wide elements are. */
static void run_exponent(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned size = 1u << arm64_field(op, 18, 17);
	struct sve_floats floats = sve_floats_begin(machine, op, size);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), size, i);
		struct exec_bits given = arm64_lane(machine, sve_z(op, 5), size, i), made = bits_unknown();
		if (sve_is_computed(&floats, active, &given, 1)) {
			made = bits_known(exponent(&floats.env, arm64_float_format(size), given.value));
			sve_computed(&floats, size, active);
		}
		arm64_set_lane(to.word, size, i,
		               bits_choose(active, made, arm64_lane(machine, sve_z(op, 0), size, i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

#define ROW(mask, match, run) \
	{ \
		mask, match, run, NULL, 0, NULL, NULL \
	}
enum { HALF = 1, SINGLE = 2, DOUBLE = 3 };
#define FORMAT(match, from, to, extra) \
	{ \
		0xffffe000, match, run_format, NULL, (from) | (to) << TO | (extra), NULL, NULL \
	}

const struct sve_row arm64_sve_convert_rows[] = {FORMAT(0x6588a000, SINGLE, HALF, 0),
                                                 FORMAT(0x6589a000, HALF, SINGLE, 0),
                                                 FORMAT(0x65c8a000, DOUBLE, HALF, 0),
                                                 FORMAT(0x65c9a000, HALF, DOUBLE, 0),
                                                 FORMAT(0x65caa000, DOUBLE, SINGLE, 0),
                                                 FORMAT(0x65cba000, SINGLE, DOUBLE, 0),
                                                 FORMAT(0x6488a000, SINGLE, HALF, TOP),
                                                 FORMAT(0x64caa000, DOUBLE, SINGLE, TOP),
                                                 FORMAT(0x6489a000, HALF, SINGLE, TOP),
                                                 FORMAT(0x64cba000, SINGLE, DOUBLE, TOP),
                                                 FORMAT(0x650aa000, DOUBLE, SINGLE, TO_ODD),
                                                 FORMAT(0x640aa000, DOUBLE, SINGLE, TO_ODD | TOP),
                                                 FORMAT(0x658aa000, SINGLE, HALF, TO_BFLOAT),
                                                 FORMAT(0x648aa000, SINGLE, HALF, TO_BFLOAT | TOP),
                                                 ROW(0xff38e000, 0x6500a000, run_round),
                                                 ROW(0xff38e000, 0x6510a000, run_integer),
                                                 ROW(0xfff9e000, 0x6518a000, run_exponent),
                                                 ROW(0xff38e000, 0x6518a000, run_integer),
                                                 {0}};
