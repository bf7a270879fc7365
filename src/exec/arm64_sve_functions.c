/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: parts of approximations of functions: powers of two, sines and cosines. The tables are the
 * manual's (FPExpA, FPTrigMAdd): fractions of 2^(i/32) and 2^(i/64), and coefficients of the series.
 */
#include "exec/arm64_sve.h"

/* ---- powers of two ---- */

static const uint16_t exponentials_half[] = {
	0x0,   0x16,  0x2d,  0x45,  0x5d,  0x75,  0x8e,  0xa8,  0xc2,  0xdc,  0xf8,
	0x114, 0x130, 0x14d, 0x16b, 0x189, 0x1a8, 0x1c8, 0x1e8, 0x209, 0x22b, 0x24e,
	0x271, 0x295, 0x2ba, 0x2e0, 0x306, 0x32e, 0x356, 0x37f, 0x3a9, 0x3d4};
static const uint32_t exponentials_single[] = {
	0x0,      0x164d2,  0x2cd87,  0x43a29,  0x5aac3,  0x71f62,  0x8980f,  0xa14d5,
	0xb95c2,  0xd1adf,  0xea43a,  0x1031dc, 0x11c3d3, 0x135a2b, 0x14f4f0, 0x16942d,
	0x1837f0, 0x19e046, 0x1b8d3a, 0x1d3eda, 0x1ef532, 0x20b051, 0x227043, 0x243516,
	0x25fed7, 0x27cd94, 0x29a15b, 0x2b7a3a, 0x2d583f, 0x2f3b79, 0x3123f6, 0x3311c4,
	0x3504f3, 0x36fd92, 0x38fbaf, 0x3aff5b, 0x3d08a4, 0x3f179a, 0x412c4d, 0x4346cd,
	0x45672a, 0x478d75, 0x49b9be, 0x4bec15, 0x4e248c, 0x506334, 0x52a81e, 0x54f35b,
	0x5744fd, 0x599d16, 0x5bfbb8, 0x5e60f5, 0x60ccdf, 0x633f89, 0x65b907, 0x68396a,
	0x6ac0c7, 0x6d4f30, 0x6fe4ba, 0x728177, 0x75257d, 0x77d0df, 0x7a83b3, 0x7d3e0c};
static const uint64_t exponentials_double[] = {UINT64_C(0x0),
                                               UINT64_C(0x2c9a3e778061),
                                               UINT64_C(0x59b0d3158574),
                                               UINT64_C(0x874518759bc8),
                                               UINT64_C(0xb5586cf9890f),
                                               UINT64_C(0xe3ec32d3d1a2),
                                               UINT64_C(0x11301d0125b51),
                                               UINT64_C(0x1429aaea92de0),
                                               UINT64_C(0x172b83c7d517b),
                                               UINT64_C(0x1a35beb6fcb75),
                                               UINT64_C(0x1d4873168b9aa),
                                               UINT64_C(0x2063b88628cd6),
                                               UINT64_C(0x2387a6e756238),
                                               UINT64_C(0x26b4565e27cdd),
                                               UINT64_C(0x29e9df51fdee1),
                                               UINT64_C(0x2d285a6e4030b),
                                               UINT64_C(0x306fe0a31b715),
                                               UINT64_C(0x33c08b26416ff),
                                               UINT64_C(0x371a7373aa9cb),
                                               UINT64_C(0x3a7db34e59ff7),
                                               UINT64_C(0x3dea64c123422),
                                               UINT64_C(0x4160a21f72e2a),
                                               UINT64_C(0x44e086061892d),
                                               UINT64_C(0x486a2b5c13cd0),
                                               UINT64_C(0x4bfdad5362a27),
                                               UINT64_C(0x4f9b2769d2ca7),
                                               UINT64_C(0x5342b569d4f82),
                                               UINT64_C(0x56f4736b527da),
                                               UINT64_C(0x5ab07dd485429),
                                               UINT64_C(0x5e76f15ad2148),
                                               UINT64_C(0x6247eb03a5585),
                                               UINT64_C(0x6623882552225),
                                               UINT64_C(0x6a09e667f3bcd),
                                               UINT64_C(0x6dfb23c651a2f),
                                               UINT64_C(0x71f75e8ec5f74),
                                               UINT64_C(0x75feb564267c9),
                                               UINT64_C(0x7a11473eb0187),
                                               UINT64_C(0x7e2f336cf4e62),
                                               UINT64_C(0x82589994cce13),
                                               UINT64_C(0x868d99b4492ed),
                                               UINT64_C(0x8ace5422aa0db),
                                               UINT64_C(0x8f1ae99157736),
                                               UINT64_C(0x93737b0cdc5e5),
                                               UINT64_C(0x97d829fde4e50),
                                               UINT64_C(0x9c49182a3f090),
                                               UINT64_C(0xa0c667b5de565),
                                               UINT64_C(0xa5503b23e255d),
                                               UINT64_C(0xa9e6b5579fdbf),
                                               UINT64_C(0xae89f995ad3ad),
                                               UINT64_C(0xb33a2b84f15fb),
                                               UINT64_C(0xb7f76f2fb5e47),
                                               UINT64_C(0xbcc1e904bc1d2),
                                               UINT64_C(0xc199bdd85529c),
                                               UINT64_C(0xc67f12e57d14b),
                                               UINT64_C(0xcb720dcef9069),
                                               UINT64_C(0xd072d4a07897c),
                                               UINT64_C(0xd5818dcfba487),
                                               UINT64_C(0xda9e603db3285),
                                               UINT64_C(0xdfc97337b9b5f),
                                               UINT64_C(0xe502ee78b3ff6),
                                               UINT64_C(0xea4afa2a490da),
                                               UINT64_C(0xefa1bee615a27),
                                               UINT64_C(0xf50765b6e4540),
                                               UINT64_C(0xfa7c1819e90d8)};

/* fexpa: the lower bits are a fraction of an octave, those above become the exponent. */
static uint64_t exponential(unsigned size, uint64_t number)
{
	switch (size) {
	case 2:
		return exponentials_half[number & 31] | (number >> 5 & 0x1f) << 10;
	case 4:
		return exponentials_single[number & 63] | (number >> 6 & 0xff) << 23;
	default:
		return exponentials_double[number & 63] | (number >> 6 & 0x7ff) << 52;
	}
}

static struct exec_bits exponential_of(struct exec_bits number, struct exec_bits other,
                                       unsigned bits)
{
	(void)other;
	return bits_all(number) ? bits_known(exponential(bits / 8, number.value)) : bits_unknown();
}

/* fscale: number[0] times two to the power of the integer number[1]. */
static uint64_t scaled(struct float_env *env, const struct float_format *format,
                       const uint64_t *number, const struct exec_op *op)
{
	const int greatest = (1 << (format->exponent_bits - 1)) - 1, shift = 64 - 8 * op->width;
	const uint64_t one = (uint64_t)greatest << format->fraction_bits;
	int64_t power = (int64_t)(number[1] << shift) >> shift;
	uint64_t made = number[0];
	enum float_class cls = float_classify(format, made);
	if (cls == FLOAT_ZERO || cls >= FLOAT_INFINITE ||
	    (cls == FLOAT_SUBNORMAL && env->flush_inputs) || power == 0)
		return float_multiply(env, format, made, one);
	if (power < 0) /* far below what any number has left */
		return float_multiply_add_halved(env, format, made, one, made & float_sign_bit(format),
		                                 power < -4 * greatest ? (unsigned)(4 * greatest)
		                                                       : (unsigned)-power);
	for (power = power > 4 * greatest ? 4 * greatest : power; power > 0; power -= greatest) {
		uint64_t by = power < greatest ? (uint64_t)power : (uint64_t)greatest;
		made = float_multiply(env, format, made, one + (by << format->fraction_bits));
	}
	return made;
}

/* ---- sines and cosines ---- */

/* Of x and, from the eighth on, of 1. */
static const uint64_t series_half[16] = {0x3c00, 0xb155, 0x2030, 0, 0, 0, 0, 0,
                                         0x3c00, 0xb800, 0x293a, 0, 0, 0, 0, 0};
static const uint64_t series_single[16] = {
	0x3f800000, 0xbe2aaaab, 0x3c088886, 0xb95008b9, 0x36369d6d, 0, 0, 0,
	0x3f800000, 0xbf000000, 0x3d2aaaa6, 0xbab60705, 0x37cd37cc, 0, 0, 0};
static const uint64_t series_double[16] = {
	UINT64_C(0x3ff0000000000000), UINT64_C(0xbfc5555555555543),
	UINT64_C(0x3f8111111110f30c), UINT64_C(0xbf2a01a019b92fc6),
	UINT64_C(0x3ec71de351f3d22b), UINT64_C(0xbe5ae5e2b60f7b91),
	UINT64_C(0x3de5d8408868552f), 0,
	UINT64_C(0x3ff0000000000000), UINT64_C(0xbfe0000000000000),
	UINT64_C(0x3fa5555555555536), UINT64_C(0xbf56c16c16c13a0b),
	UINT64_C(0x3efa01a019b1e8d8), UINT64_C(0xbe927e4f7282f468),
	UINT64_C(0x3e21ee96d2641b13), UINT64_C(0xbda8f76380fbb401)};

/* ftmad: a coefficient, by the immediate and the sign of number[1], is added to the product of
 * number[0] and the magnitude of number[1]. */
static uint64_t series_step(struct float_env *env, const struct float_format *format,
                            const uint64_t *number, const struct exec_op *op)
{
	uint64_t sign = float_sign_bit(format);
	unsigned which = arm64_field(op, 18, 16) + (number[1] & sign ? 8 : 0);
	const uint64_t *series = op->width == 2   ? series_half
	                         : op->width == 4 ? series_single
	                                          : series_double;
	return float_multiply_add(env, format, number[0], number[1] & ~sign, series[which]);
}

/* ftsmul: the square of number[0] with the sign that the lowest bit of number[1] says. */
static uint64_t square(struct float_env *env, const struct float_format *format,
                       const uint64_t *number, const struct exec_op *op)
{
	uint64_t sign = float_sign_bit(format);
	uint64_t made = float_multiply(env, format, number[0], number[0]);
	(void)op;
	return float_is_nan(format, made) ? made : (made & ~sign) | (number[1] & 1 ? sign : 0);
}

/* ftssel: the number or 1, by the lowest bit of the other, and its sign, by the next. */
static struct exec_bits selected(struct exec_bits number, struct exec_bits other, unsigned bits)
{
	struct exec_bits sign = bits_known(UINT64_C(1) << (bits - 1));
	struct exec_bits one = bits_known(arm64_float_constant(0x70, bits / 8));
	struct exec_bits quadrant = bits_right(other, 1);
	return bits_choose(other, bits_choose(quadrant, bits_xor(one, sign), one),
	                   bits_choose(quadrant, bits_xor(number, sign), number));
}

/* ---- elements ---- */

static void run_integers(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct sve_row *row = op->row;
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
		arm64_set_lane(to.word, op->width, i,
		               row->function(arm64_lane(machine, sve_z(op, 5), op->width, i),
		                             arm64_lane(machine, sve_z(op, 16), op->width, i),
		                             8u * op->width));
	sve_put(machine, sve_z(op, 0), &to);
}

static arm64_compute *const compute_scaled = scaled, *const compute_step = series_step,
							*const compute_square = square;

const struct sve_row arm64_sve_function_rows[] = {
	{0xff3ffc00, 0x0420b800, run_integers, exponential_of, 0, NULL},
	{0xff20fc00, 0x0420b000, run_integers, selected, 0, NULL},
	{0xff3fe000, 0x65098000, arm64_sve_merging, NULL, 0, &compute_scaled},
	{0xff38fc00, 0x65108000, arm64_sve_destructive, NULL, 0, &compute_step},
	{0xff20fc00, 0x65000c00, arm64_sve_both, NULL, 0, &compute_square},
	{0}};
