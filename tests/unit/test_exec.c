/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The execution room apart from instruction sets: arithmetic on bits that are known in part, against
 * all choices of the others; floating point, against the processor this runs on; memory and the
 * public functions of a machine.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cairn/exec.h"
#include "cairn/trace.h"
#include "exec/bits.h"
#include "exec/float.h"
#include "exec/wide.h"
#include "isa/written.h"

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* ---- bits ---- */

enum { UNKNOWN = 5 }; /* bits of an operand that are not known, at most */

static struct exec_bits random_operand(void)
{
	uint64_t value = random_bits();
	if (random_bits() % 2)
		value >>= random_bits() % 64;
	struct exec_bits bits = bits_known(random_bits() % 8 ? value : 0 - value);
	for (unsigned n = (unsigned)(random_bits() % (UNKNOWN + 1)); n; n--)
		bits.known &= ~(UINT64_C(1) << random_bits() % 64);
	bits.value &= bits.known;
	return bits;
}

/* The `which`-th value that it may have. */
static struct exec_bits choice(struct exec_bits bits, unsigned which)
{
	for (uint64_t left = ~bits.known; left; left &= left - 1, which >>= 1)
		bits.value |= which & 1 ? left & (0 - left) : 0;
	return bits_known(bits.value);
}

static unsigned choices(struct exec_bits bits)
{
	return 1u << __builtin_popcountll(~bits.known);
}

typedef struct exec_bits operation(struct exec_bits a, struct exec_bits b, unsigned n);

#define OPERATION(name, expression) \
	static struct exec_bits name(struct exec_bits a, struct exec_bits b, unsigned n) \
	{ \
		(void)a; \
		(void)b; \
		(void)n; \
		return expression; \
	}
OPERATION(try_not, bits_not(a))
OPERATION(try_and, bits_and(a, b))
OPERATION(try_or, bits_or(a, b))
OPERATION(try_xor, bits_xor(a, b))
OPERATION(try_add, bits_add(a, b))
OPERATION(try_sub, bits_sub(a, b))
OPERATION(try_carry, bits_add_carry(a, b, true))
OPERATION(try_multiply, bits_multiply(a, b))
OPERATION(try_equal, bits_equal(a, b))
OPERATION(try_less, bits_less(a, b))
OPERATION(try_less_signed, bits_less_signed(a, b))
OPERATION(try_choose, bits_choose(bits_and(a, bits_known(1)), a, b))
OPERATION(try_left, bits_left(a, n))
OPERATION(try_right, bits_right(a, n))
OPERATION(try_right_signed, bits_right_signed(a, n))
OPERATION(try_zero_extend, bits_zero_extend(a, n + 1))
OPERATION(try_sign_extend, bits_sign_extend(a, n + 1))

static void known_bits_hold_for_every_choice_of_the_others(void **state)
{
	static operation *const all[] = {try_not,         try_and,   try_or,           try_xor,
	                                 try_add,         try_sub,   try_carry,        try_multiply,
	                                 try_equal,       try_less,  try_left,         try_choose,
	                                 try_less_signed, try_right, try_right_signed, try_zero_extend,
	                                 try_sign_extend};
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct exec_bits a = random_operand(), b = random_operand();
		unsigned n = (unsigned)(random_bits() % 64);
		operation *run = all[round % (sizeof all / sizeof *all)];
		struct exec_bits made = run(a, b, n);
		assert_true((made.value & ~made.known) == 0);
		for (unsigned i = 0; i < choices(a); i++)
			for (unsigned k = 0; k < choices(b); k++) {
				struct exec_bits exact = run(choice(a, i), choice(b, k), n);
				assert_true(bits_all(exact));
				assert_true(((exact.value ^ made.value) & made.known) == 0);
			}
	}
}

/* What is exact of exact operands is what C makes. */
static void operations_on_known_bits_are_those_of_c(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		uint64_t x = random_bits() >> random_bits() % 64, y = random_bits() >> random_bits() % 64;
		struct exec_bits a = bits_known(x), b = bits_known(y);
		unsigned n = (unsigned)(random_bits() % 64);
		assert_true(bits_add(a, b).value == x + y && bits_sub(a, b).value == x - y);
		assert_true(bits_multiply(a, b).value == x * y);
		assert_true(bits_left(a, n).value == x << n && bits_right(a, n).value == x >> n);
		assert_true(bits_right_signed(a, n).value == (uint64_t)((int64_t)x >> n));
		assert_true(bits_less(a, b).value == (x < y));
		assert_true(bits_less_signed(a, b).value == ((int64_t)x < (int64_t)y));
		assert_true(bits_equal(a, b).value == (x == y));
	}
}

/* ---- floating point ---- */

#ifdef __x86_64__
static uint64_t random_number(const struct float_format *format)
{
	unsigned e = format->exponent_bits, f = format->fraction_bits;
	uint64_t top = (UINT64_C(1) << e) - 1, ones = (UINT64_C(1) << f) - 1;
	uint64_t exponent = random_bits() & top, fraction = random_bits() & ones;
	switch (random_bits() % 8) {
	case 0:
		exponent = 0;
		break;
	case 1:
		exponent = top;
		fraction = random_bits() % 2 ? 0 : fraction;
		break;
	case 2:
		fraction = random_bits() % 2 ? 0 : ones;
		break;
	case 3:
		exponent = top / 2 + random_bits() % 8 - 4;
		break;
	case 4:
		exponent = top / 2 + random_bits() % f;
		fraction &= ones << random_bits() % f & ones;
		break;
	default:
		break;
	}
	return (random_bits() & 1) << (e + f) | exponent << f | fraction;
}

static unsigned host_flags(void)
{
	int is = fetestexcept(FE_ALL_EXCEPT);
	return (is & FE_INEXACT ? FLOAT_INEXACT : 0u) | (is & FE_UNDERFLOW ? FLOAT_UNDERFLOW : 0u) |
	       (is & FE_OVERFLOW ? FLOAT_OVERFLOW : 0u) |
	       (is & FE_DIVBYZERO ? FLOAT_DIVIDE_BY_ZERO : 0u) | (is & FE_INVALID ? FLOAT_INVALID : 0u);
}

enum host { HOST_ADD, HOST_SUB, HOST_MUL, HOST_DIV, HOST_SQRT, HOST_ROUND, HOST_INTEGER, HOSTS };

/* Called where they are, not worked out by the compiler with another rounding. */
static double (*volatile root_double)(double) = sqrt, (*volatile round_double)(double) = rint;
static float (*volatile root_single)(float) = sqrtf, (*volatile round_single)(float) = rintf;

/* On purpose: IEEE 754 says what comes of it, and clang's sanitizer need not. */
#ifdef __clang__
#define DIVIDES_BY_ZERO __attribute__((no_sanitize("float-divide-by-zero")))
#else
#define DIVIDES_BY_ZERO
#endif

DIVIDES_BY_ZERO static uint64_t host_double(enum host which, const uint64_t *operands)
{
	volatile double x, y, made = 0;
	memcpy((void *)&x, &operands[0], 8);
	memcpy((void *)&y, &operands[1], 8);
	switch (which) {
	case HOST_ADD:
		made = x + y;
		break;
	case HOST_SUB:
		made = x - y;
		break;
	case HOST_MUL:
		made = x * y;
		break;
	case HOST_DIV:
		made = x / y;
		break;
	case HOST_SQRT:
		made = root_double(x);
		break;
	case HOST_ROUND:
		made = round_double(x);
		break;
	default:
		made = (double)(int64_t)operands[0];
		break;
	}
	uint64_t bits;
	double plain = made;
	memcpy(&bits, &plain, 8);
	return bits;
}

DIVIDES_BY_ZERO static uint64_t host_single(enum host which, const uint64_t *operands)
{
	volatile float x, y, made = 0;
	uint32_t low[2] = {(uint32_t)operands[0], (uint32_t)operands[1]}, bits;
	memcpy((void *)&x, &low[0], 4);
	memcpy((void *)&y, &low[1], 4);
	switch (which) {
	case HOST_ADD:
		made = x + y;
		break;
	case HOST_SUB:
		made = x - y;
		break;
	case HOST_MUL:
		made = x * y;
		break;
	case HOST_DIV:
		made = x / y;
		break;
	case HOST_SQRT:
		made = root_single(x);
		break;
	case HOST_ROUND:
		made = round_single(x);
		break;
	default:
		made = (float)(int64_t)operands[0];
		break;
	}
	float plain = made;
	memcpy(&bits, &plain, 4);
	return bits;
}

static uint64_t own_number(struct float_env *env, const struct float_format *format,
                           enum host which, const uint64_t *operands)
{
	switch (which) {
	case HOST_ADD:
		return float_add(env, format, operands[0], operands[1]);
	case HOST_SUB:
		return float_subtract(env, format, operands[0], operands[1]);
	case HOST_MUL:
		return float_multiply(env, format, operands[0], operands[1]);
	case HOST_DIV:
		return float_divide(env, format, operands[0], operands[1]);
	case HOST_SQRT:
		return float_square_root(env, format, operands[0]);
	case HOST_ROUND:
		return float_round(env, format, operands[0], true);
	default:
		return float_from_integer(env, format, operands[0], true);
	}
}

#endif

/* Results, and flags, where the processor detects tininess as the environment does. */
static void floating_point_is_that_of_the_processor(void **state)
{
#ifndef __x86_64__
	(void)state;
	skip(); /* others round some operations twice, or have other flags */
#else
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	(void)state;
	for (unsigned round = 0; round < 400000; round++) {
		bool wide = random_bits() % 2;
		const struct float_format *format = wide ? &float_double : &float_single;
		enum host which = (enum host)(random_bits() % HOSTS);
		uint64_t operands[2] = {random_number(format), random_number(format)};
		struct float_env env = {.rounding = (uint8_t)(random_bits() % 4)};
		if (which == HOST_INTEGER)
			operands[0] = random_bits() >> random_bits() % 64;
		if (fesetround(modes[env.rounding]) != 0)
			skip(); /* an emulator without rounding modes */
		feclearexcept(FE_ALL_EXCEPT);
		uint64_t theirs = wide ? host_double(which, operands) : host_single(which, operands);
		unsigned flags = host_flags();
		fesetround(FE_TONEAREST);
		uint64_t ours = own_number(&env, format, which, operands);
		bool nan = float_is_nan(format, ours);
		if (nan ? !float_is_nan(format, theirs) : ours != theirs)
			fail_msg("%u: %d of %llx and %llx: %llx, by the processor %llx", env.rounding,
			         (int)which, (unsigned long long)operands[0], (unsigned long long)operands[1],
			         (unsigned long long)ours, (unsigned long long)theirs);
		assert_int_equal(env.flags, flags);
	}
#endif
}

/* Sums of products are exact before they are rounded: held against the sum in 128 bits of numbers
 * whose products have no more. */
static void products_are_added_before_they_are_rounded(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 200000; round++) {
		int64_t a = (int64_t)(random_bits() >> 11), b = (int64_t)(random_bits() >> 11);
		int64_t c = (int64_t)(random_bits() >> 11);
		unsigned shift = (unsigned)(random_bits() % 50);
		struct float_env env = {.rounding = (uint8_t)(random_bits() % 4)}, other = env;
		/* a * b + c * 2^shift as an integer, rounded once from its upper and lower half. */
		struct wide sum = wide_add(wide_product((uint64_t)a, (uint64_t)b),
		                           wide_left((struct wide){0, (uint64_t)c}, shift));
		struct float_env exact = {0};
		uint64_t x = float_from_integer(&exact, &float_double, (uint64_t)a, false);
		uint64_t y = float_from_integer(&exact, &float_double, (uint64_t)b, false);
		uint64_t z = float_from_integer(&exact, &float_double, (uint64_t)c, false);
		z = z ? z + ((uint64_t)shift << 52) : 0;
		assert_int_equal(exact.flags, 0);
		uint64_t ours = float_multiply_add(&env, &float_double, x, y, z);
		/* The topmost 63 bits, and whether anything is below: enough for rounding to 53. */
		unsigned down = 0;
		while (!wide_is_zero(wide_right(sum, down + 63)))
			down++;
		uint64_t top = wide_right(sum, down).low << 1;
		bool rest = wide_any_below(sum, down);
		uint64_t theirs = float_from_integer(&other, &float_double, top | rest, false);
		theirs = theirs ? theirs + (uint64_t)down * (UINT64_C(1) << 52) - (UINT64_C(1) << 52) : 0;
		if (wide_is_zero(sum))
			continue;
		assert_true(ours == theirs);
		assert_int_equal(env.flags, other.flags);
	}
}

/* What machines of 32 bits take, against what the compiler has. */
static void products_and_quotients_have_128_bits(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		uint64_t a = random_bits() >> random_bits() % 64, b = random_bits() >> random_bits() % 64;
		struct wide product = wide_product_by_halves(a, b), other = wide_product(a, b);
		uint64_t rest, quotient, left = a ? b % a : 0;
		assert_true(product.high == other.high && product.low == other.low);
		assert_true(product.low == a * b);
		if (!a)
			continue;
		struct wide dividend = wide_add(product, (struct wide){0, left});
		if (dividend.high >= a) /* the quotient would have no room */
			continue;
		quotient = wide_divide_by_bits(dividend, a, &rest);
		assert_true(quotient == b && rest == left);
		assert_true(wide_divide(dividend, a, &rest) == b && rest == left);
	}
}

/* ---- a machine ---- */

static void memory_is_known_bit_by_bit_and_forgotten_whole(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_machine *machine;
	uint8_t bytes[64], known[64], some[3] = {0x12, 0x34, 0x56}, mask[3] = {0xff, 0x0f, 0};
	(void)state;
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_RV64, NULL, &machine), 0);
	cairn_machine_write(machine, 0xffe, 3, some, mask);
	cairn_machine_read(machine, 0xffc, 8, bytes, known);
	const uint8_t expected[8] = {0, 0, 0xff, 0x0f, 0, 0, 0, 0};
	assert_memory_equal(known, expected, 8);
	assert_int_equal(bytes[2], 0x12);
	assert_int_equal(bytes[3] & 0x0f, 0x04);
	for (uint64_t at = 0; at < 4000; at++) /* many pieces */
		cairn_machine_write(machine, at << 20, 3, some, NULL);
	cairn_machine_read(machine, UINT64_C(1234) << 20, 3, bytes, known);
	assert_memory_equal(bytes, some, 3);
	cairn_machine_forget_memory(machine);
	cairn_machine_read(machine, 0xffc, 8, bytes, known);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(known[i], 0);
	cairn_machine_free(machine);
	cairn_free(cairn);
}

static void a_machine_says_what_it_has_no_model_of(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_machine *machine;
	uint8_t bytes[8] = {0}, known[8];
	(void)state;
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_T32, NULL, &machine), CAIRN_E_UNSUPPORTED);
	assert_null(machine);
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_RV64, NULL, &machine), 0);
	for (unsigned i = 0; i < 32; i++)
		cairn_machine_set(machine, CAIRN_REG_INT, i, 8, bytes, NULL);
	const struct cairn_step *step = cairn_machine_step(machine, 0x1000, 0x0000000b, 4, NULL, 0);
	assert_int_equal(step->status, CAIRN_STEP_ILLEGAL);
	step = cairn_machine_step(machine, 0x1000, 0x00000073, 4, NULL, 0); /* ecall */
	assert_int_equal(step->status, CAIRN_STEP_TRAP);
	step = cairn_machine_step(machine, 0x1000, 0x68054573, 4, NULL, 0); /* hlv.w a0, (a0) */
	assert_int_equal(step->status, CAIRN_STEP_NOT_MODELLED);
	assert_non_null(step->reason);
	assert_int_equal(cairn_machine_get(machine, CAIRN_REG_INT, 10, 8, bytes, known), 8);
	assert_int_equal(known[0], 0);
	cairn_machine_get(machine, CAIRN_REG_INT, 11, 8, bytes, known);
	assert_int_equal(known[0], 0xff);
	/* A store to an address that is not known may have written anything. */
	cairn_machine_write(machine, 64, 8, bytes, NULL);
	cairn_machine_step(machine, 0x1000, 0x00b53023, 4, NULL, 0); /* sd a1, 0(a0) */
	cairn_machine_read(machine, 64, 8, bytes, known);
	assert_int_equal(known[0], 0);
	cairn_machine_free(machine);
	cairn_free(cairn);
}

/* ---- A64 ---- */

static void registers_of_a64_are_parts_of_each_other(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_machine *machine;
	uint8_t bytes[16], known[16], ones[16];
	(void)state;
	memset(ones, 0xff, sizeof ones);
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_A64, NULL, &machine), 0);
	/* s3 is the lowest part of v3. */
	assert_int_equal(cairn_machine_set(machine, CAIRN_REG_FP, 32 + 3, 4, ones, NULL), 4);
	assert_int_equal(cairn_machine_get(machine, CAIRN_REG_VECTOR, 3, 16, bytes, known), 16);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(known[i], i < 4 ? 0xff : 0);
	/* The flags are the upper bits of the system register, whose others are 0. */
	bytes[0] = 9;
	assert_int_equal(cairn_machine_set(machine, CAIRN_REG_FLAGS, 0, 1, bytes, NULL), 1);
	assert_int_equal(cairn_machine_get(machine, CAIRN_REG_CSR, 0xda10, 8, bytes, known), 8);
	assert_int_equal(bytes[3], 0x90);
	assert_int_equal(known[0] & known[1] & known[2] & known[3], 0xff);
	bytes[3] = 0x60;
	cairn_machine_set(machine, CAIRN_REG_CSR, 0xda10, 8, bytes, NULL);
	cairn_machine_get(machine, CAIRN_REG_FLAGS, 0, 1, bytes, known);
	assert_int_equal(bytes[0], 6);
	/* The zero register cannot be set. */
	assert_int_equal(cairn_machine_set(machine, CAIRN_REG_INT, 33, 8, ones, NULL), 8);
	cairn_machine_get(machine, CAIRN_REG_INT, 33, 8, bytes, known);
	assert_int_equal(bytes[0], 0);
	assert_int_equal(cairn_machine_get(machine, CAIRN_REG_PREDICATE, 0, 8, bytes, known), 0);
	cairn_machine_free(machine);
	cairn_free(cairn);
}

/* Whether an exclusive store was done is believed from the trace, and so are accesses of 16 bytes,
 * also where they are told as two. */
static void accesses_of_a64_are_believed(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_machine *machine;
	uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, got[16], known[16];
	struct cairn_step_told told[2] = {{.address = 0x1000,
	                                   .bytes = bytes,
	                                   .size = 8,
	                                   .kind = CAIRN_MEM_WRITE,
	                                   .address_known = 1}};
	(void)state;
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_A64, NULL, &machine), 0);
	const struct cairn_step *step =
		cairn_machine_step(machine, 0, 0xc8007c41, 4, NULL, 0); /* stxr w0, x1, [x2] */
	assert_int_equal(step->accesses[0].maybe, 1);
	assert_non_null(step->reason);
	cairn_machine_get(machine, CAIRN_REG_INT, 0, 8, got, known);
	assert_int_equal(known[0], 0xfe);
	step = cairn_machine_step(machine, 0, 0xc8007c41, 4, told, 1);
	assert_int_equal(step->accesses[0].maybe, 0);
	cairn_machine_get(machine, CAIRN_REG_INT, 0, 8, got, known);
	assert_true(got[0] == 0 && known[0] == 0xff);
	cairn_machine_read(machine, 0x1000, 8, got, known);
	assert_memory_equal(got, bytes, 8);
	told[0].kind = CAIRN_MEM_READ;
	told[1] = told[0];
	told[1].address += 8;
	told[1].bytes += 8;
	step = cairn_machine_step(machine, 0, 0x3dc00043, 4, told, 2); /* ldr q3, [x2] */
	assert_int_equal(step->n_accesses, 2);
	cairn_machine_get(machine, CAIRN_REG_VECTOR, 3, 16, got, known);
	assert_memory_equal(got, bytes, 9);
	told[0].size = 16;
	step = cairn_machine_step(machine, 0, 0x3dc00044, 4, told, 1); /* ldr q4, [x2] */
	assert_int_equal(step->accesses[0].size, 16);
	cairn_machine_get(machine, CAIRN_REG_VECTOR, 4, 16, got, known);
	assert_memory_equal(got, bytes, 16);
	cairn_machine_free(machine);
	cairn_free(cairn);
}

/* How much DC ZVA zeroes stands in DCZID_EL0. */
static void a_block_that_is_zeroed_has_the_size_that_is_known(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_machine *machine;
	uint8_t bytes[64], known[64], address[8] = {0x48, 0x10};
	(void)state;
	memset(bytes, 0xf0, sizeof bytes);
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_A64, NULL, &machine), 0);
	cairn_machine_write(machine, 0x1000, 64, bytes, NULL);
	cairn_machine_write(machine, 0x1040, 64, bytes, NULL);
	cairn_machine_write(machine, 0x1080, 64, bytes, NULL);
	cairn_machine_set(machine, CAIRN_REG_INT, 1, 8, address, NULL);
	cairn_machine_step(machine, 0, 0xd50b7421, 4, NULL, 0); /* dc zva, x1 */
	cairn_machine_read(machine, 0x1040, 64, bytes, known);
	for (unsigned i = 0; i < 64; i++) {
		bool sure = i >= 8 && i < 12;
		assert_int_equal(known[i], sure ? 0xff : 0x0f);
		assert_int_equal(bytes[i], 0);
	}
	memset(bytes, 0xf0, sizeof bytes);
	cairn_machine_write(machine, 0x1000, 64, bytes, NULL);
	cairn_machine_write(machine, 0x1080, 64, bytes, NULL);
	const uint8_t block[8] = {4}; /* 64 bytes */
	cairn_machine_set(machine, CAIRN_REG_CSR, 0xd807, 8, block, NULL);
	const struct cairn_step *step = cairn_machine_step(machine, 0, 0xd50b7421, 4, NULL, 0);
	assert_int_equal(step->accesses[0].size, 64);
	for (uint64_t at = 0x1000; at < 0x10c0; at += 64) {
		cairn_machine_read(machine, at, 64, bytes, known);
		assert_int_equal(bytes[0], at == 0x1040 ? 0 : 0xf0);
		assert_int_equal(bytes[63], at == 0x1040 ? 0 : 0xf0);
		assert_int_equal(known[63], 0xff);
	}
	cairn_machine_free(machine);
	cairn_free(cairn);
}

/* ---- what is written ---- */

static bool is_named(const struct isa_written *written, const struct cairn_step_reg *reg)
{
	for (unsigned i = 0; i < written->n; i++) {
		const struct isa_written_reg *row = &written->reg[i];
		if (row->cls == ISA_ANY_CLASS ||
		    (row->cls == reg->cls && reg->num >= row->num && reg->num - row->num < row->count))
			return true;
	}
	return false;
}

static void set_vectors(struct cairn_machine *machine, uint64_t random)
{
	/* vstart; vl; vtype of elements of 8 bits in groups of up to 8 registers, and of others */
	const uint64_t values[3] = {random & 1, 2 + (random >> 1 & 1),
	                            random & 4 ? random >> 3 & 3 : random >> 3 & 0x1f};
	static const uint16_t numbers[3] = {0x008, 0xc20, 0xc21};
	for (unsigned i = 0; i < 3; i++) {
		uint8_t bytes[8] = {(uint8_t)values[i]};
		cairn_machine_set(machine, CAIRN_REG_CSR, numbers[i], 8, bytes, NULL);
	}
}

/* What executes an instruction and what says which registers it changes know the sets apart from
 * each other: of random encodings both name the same registers. */
static void compare_with_written(enum cairn_isa isa, unsigned tries)
{
	struct cairn *c = cairn_new(NULL);
	struct cairn_machine *machine;
	uint64_t random = 88172645463325252u, stepped = 0;
	const struct cairn_machine_opts opts = {.size = sizeof opts, .vector_bits = 128};
	assert_int_equal(cairn_machine_new(c, isa, &opts, &machine), 0);
	while (stepped < tries) {
		struct isa_written written;
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		bool riscv = isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64;
		bool compressed = riscv && (random & 3) != 3;
		if (riscv)
			set_vectors(machine, random >> 40);
		uint32_t enc = (uint32_t)random & (compressed ? 0xffff : 0xffffffff);
		const struct cairn_step *step =
			cairn_machine_step(machine, 0x10000, enc, compressed ? 2 : 4, NULL, 0);
		if (step->status != CAIRN_STEP_DONE)
			continue;
		stepped++;
		isa_written(isa, enc, compressed ? 2 : 4, &written);
		for (unsigned i = 0; i < step->n_regs; i++)
			if (!is_named(&written, &step->regs[i]))
				fail_msg(
					"%s 0x%08x writes register %u of class %u, which isa_written does not name",
					cairn_isa_name(isa), enc, step->regs[i].num, step->regs[i].cls);
		for (unsigned i = 0; i < step->n_accesses; i++)
			if (step->accesses[i].kind == CAIRN_MEM_WRITE && written.store == ISA_STORES_NOT)
				fail_msg("%s 0x%08x stores, which isa_written does not say", cairn_isa_name(isa),
				         enc);
	}
	cairn_machine_free(machine);
	cairn_free(c);
}

/* Which of A64's stores of tags store bytes as well. */
static void stores_of_tags_may_store_bytes(void **state)
{
	static const struct {
		uint32_t enc;
		enum isa_store store;
	} cases[] = {{0xd9200820, ISA_STORES_NOT},   /* stg */
	             {0xd9600820, ISA_STORES},       /* stzg */
	             {0x69000420, ISA_STORES},       /* stgp */
	             {0x1dc104a3, ISA_STORES_MAYBE}, /* setgp */
	             {0x19c104a3, ISA_STORES_MAYBE}, /* setp */
	             {0x190404a3, ISA_STORES_MAYBE} /* cpyfp */};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct isa_written written;
		isa_written(CAIRN_ISA_A64, cases[i].enc, 4, &written);
		assert_int_equal(written.store, cases[i].store);
	}
}

static void steps_write_what_written_names(void **state)
{
	(void)state;
	compare_with_written(CAIRN_ISA_RV32, 300000);
	compare_with_written(CAIRN_ISA_RV64, 300000);
	compare_with_written(CAIRN_ISA_A64, 300000);
	compare_with_written(CAIRN_ISA_SPARC, 300000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_write_what_written_names),
		cmocka_unit_test(stores_of_tags_may_store_bytes),
		cmocka_unit_test(known_bits_hold_for_every_choice_of_the_others),
		cmocka_unit_test(operations_on_known_bits_are_those_of_c),
		cmocka_unit_test(floating_point_is_that_of_the_processor),
		cmocka_unit_test(products_are_added_before_they_are_rounded),
		cmocka_unit_test(products_and_quotients_have_128_bits),
		cmocka_unit_test(memory_is_known_bit_by_bit_and_forgotten_whole),
		cmocka_unit_test(a_machine_says_what_it_has_no_model_of),
		cmocka_unit_test(registers_of_a64_are_parts_of_each_other),
		cmocka_unit_test(accesses_of_a64_are_believed),
		cmocka_unit_test(a_block_that_is_zeroed_has_the_size_that_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
