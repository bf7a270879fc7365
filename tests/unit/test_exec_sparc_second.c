/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC instructions that QEMU 7.2 does not know, or knows wrongly, against a second implementation: VIS 3, and
 * products of VIS 1, lane by lane in numbers of C; sums and products of floating point, fused, halved and
 * negated, in whole numbers of 4480 bits, which hold them exactly. With bits of operands that are not known,
 * what comes out as known has to be right whatever they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/exec_cases.h"
#include "isa/sparc.h"

enum { FILLED = 6, ASR = ISA_SPARC_ASR, FSR = ASR + 8, GSR = ASR + 9, FPRS = ASR + 6 };

static struct cairn *cairn;
static struct cairn_machine *machine;

static int open_machine(void **state)
{
	const struct cairn_machine_opts opts = {.size = sizeof opts};
	(void)state;
	cairn = cairn_new(NULL);
	return cairn_machine_new(cairn, CAIRN_ISA_SPARC, &opts, &machine);
}

static int close_machine(void **state)
{
	(void)state;
	cairn_machine_free(machine);
	cairn_free(cairn);
	return 0;
}

static void set_register(enum cairn_reg_class cls, unsigned num, uint64_t value, uint64_t known)
{
	uint8_t bytes[8], mask[8];
	exec_put_bytes(bytes, value, 8, false);
	exec_put_bytes(mask, known, 8, false);
	cairn_machine_set(machine, cls, num, 8, bytes, mask);
}

static uint64_t number_of(const uint8_t bytes[8])
{
	uint64_t number = 0;
	for (unsigned i = 8; i-- > 0;)
		number = number << 8 | bytes[i];
	return number;
}

static uint64_t get_register(enum cairn_reg_class cls, unsigned num, uint64_t *known)
{
	uint8_t bytes[8], mask[8];
	cairn_machine_get(machine, cls, num, 8, bytes, mask);
	*known = number_of(mask);
	return number_of(bytes);
}

/* ---- VIS: lanes ---- */

struct operands {
	uint64_t in[3]; /* rs1, rs2, rs3 */
	uint64_t ccr;
};

typedef uint64_t compute(const struct operands *of);

/* Lane `i`, 0 the lowest, of lanes of `bits` bits: as a number with a sign, and without. */
static int64_t lane(uint64_t of, unsigned i, unsigned bits)
{
	int64_t number = 0;
	for (unsigned k = 0; k < bits; k++)
		if (of >> (i * bits + k) & 1)
			number += k == bits - 1 ? -((int64_t)1 << k) : (int64_t)1 << k;
	return number;
}

static int64_t plain(uint64_t of, unsigned i, unsigned bits)
{
	return (int64_t)(of >> i * bits & ((UINT64_C(1) << bits) - 1));
}

static uint64_t put(uint64_t to, unsigned i, unsigned bits, int64_t number)
{
	return to | ((uint64_t)number & ((UINT64_C(1) << bits) - 1)) << i * bits;
}

/* The whole part of number / 2^n, and the nearest number of `bits` bits. */
static int64_t floor_of(int64_t number, unsigned n)
{
	int64_t by = (int64_t)1 << n, quotient = number / by;
	return number % by < 0 ? quotient - 1 : quotient;
}

static int64_t nearest(int64_t number, unsigned bits)
{
	int64_t most = ((int64_t)1 << (bits - 1)) - 1;
	return number > most ? most : number < -most - 1 ? -most - 1 : number;
}

#define LANES(name, bits, lanes, expression) \
	static uint64_t slow_##name(const struct operands *of) \
	{ \
		uint64_t made = 0; \
		for (unsigned i = 0; i < (lanes); i++) { \
			int64_t a = lane(of->in[0], i, bits), b = lane(of->in[1], i, bits); \
			int64_t x = plain(of->in[0], i, bits), y = plain(of->in[1], i, bits); \
			(void)a, (void)b, (void)x, (void)y; \
			made = put(made, i, bits, expression); \
		} \
		return made; \
	}
LANES(fsll16, 16, 4, x << y % 16)
LANES(fsll32, 32, 2, x << y % 32)
LANES(fsrl16, 16, 4, x >> y % 16)
LANES(fsrl32, 32, 2, x >> y % 32)
LANES(fslas16, 16, 4, nearest(a *((int64_t)1 << y % 16), 16))
LANES(fslas32, 32, 2, nearest(a *((int64_t)1 << y % 32), 32))
LANES(fsra16, 16, 4, floor_of(a, (unsigned)(y % 16)))
LANES(fsra32, 32, 2, floor_of(a, (unsigned)(y % 32)))
LANES(fmean16, 16, 4, floor_of(a + b + 1, 1))
LANES(fchksm16, 16, 4, x + y > 0xffff ? x + y + 1 : x + y)
LANES(fpadds16, 16, 4, nearest(a + b, 16))
LANES(fpadds32, 32, 2, nearest(a + b, 32))
LANES(fpsubs16, 16, 4, nearest(a - b, 16))
LANES(fpsubs32, 32, 2, nearest(a - b, 32))
LANES(fpadds16s, 16, 2, nearest(a + b, 16))
LANES(fpadds32s, 32, 1, nearest(a + b, 32))
LANES(fpsubs16s, 16, 2, nearest(a - b, 16))
LANES(fpsubs32s, 32, 1, nearest(a - b, 32))
LANES(fmul8ulx16, 16, 4, floor_of(x % 256 * b + 0x8000, 16))

/* Halfwords of singles become words. */
static uint64_t slow_fmuld8sux16(const struct operands *of)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < 2; i++)
		made = put(made, i, 32, lane(of->in[0], 2 * i + 1, 8) * lane(of->in[1], i, 16) * 256);
	return made;
}

static uint64_t slow_fmuld8ulx16(const struct operands *of)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < 2; i++)
		made = put(made, i, 32, plain(of->in[0], 2 * i, 8) * lane(of->in[1], i, 16));
	return made;
}

#define BYTES(name, relation) \
	static uint64_t slow_##name(const struct operands *of) \
	{ \
		uint64_t made = 0; \
		for (unsigned i = 0; i < 8; i++) \
			if (plain(of->in[0], i, 8) relation plain(of->in[1], i, 8)) \
				made |= UINT64_C(1) << i; \
		return made; \
	}
BYTES(fpcmpule8, <=)
BYTES(fpcmpune8, !=)
BYTES(fpcmpugt8, >)
BYTES(fpcmpueq8, ==)

static uint64_t slow_pdistn(const struct operands *of)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < 8; i++)
		made += (uint64_t)llabs(plain(of->in[0], i, 8) - plain(of->in[1], i, 8));
	return made;
}

/* ---- VIS: integers ---- */

/* A product bit by bit; with carries or without. */
static void product(const struct operands *of, bool carries, uint64_t made[2])
{
	made[0] = made[1] = 0;
	for (unsigned i = 0; i < 64; i++) {
		if (!(of->in[1] >> i & 1))
			continue;
		uint64_t low = of->in[0] << i, high = i ? of->in[0] >> (64 - i) : 0;
		if (carries) {
			made[0] += low;
			made[1] += high + (made[0] < low);
		} else {
			made[0] ^= low;
			made[1] ^= high;
		}
	}
}

static uint64_t slow_umulxhi(const struct operands *of)
{
	uint64_t made[2];
	product(of, true, made);
	return made[1];
}
static uint64_t slow_xmulx(const struct operands *of)
{
	uint64_t made[2];
	product(of, false, made);
	return made[0];
}
static uint64_t slow_xmulxhi(const struct operands *of)
{
	uint64_t made[2];
	product(of, false, made);
	return made[1];
}
static uint64_t slow_fpadd64(const struct operands *of)
{
	return of->in[0] + of->in[1];
}
static uint64_t slow_fpsub64(const struct operands *of)
{
	return of->in[0] - of->in[1];
}
static uint64_t slow_lzcnt(const struct operands *of)
{
	uint64_t n = 0;
	while (n < 64 && !(of->in[1] >> (63 - n) & 1))
		n++;
	return n;
}
static uint64_t slow_addxc(const struct operands *of)
{
	return of->in[0] + of->in[1] + (of->ccr >> 4 & 1);
}

/* The codes of addxccc: negative, zero, overflow and carry of 64 bits, then of 32. */
static uint64_t slow_addxccc_codes(const struct operands *of)
{
	uint64_t made = slow_addxc(of), codes = 0;
	for (unsigned wide = 0; wide < 2; wide++) {
		unsigned sign = wide ? 63 : 31;
		bool a = of->in[0] >> sign & 1, b = of->in[1] >> sign & 1, r = made >> sign & 1;
		bool zero = !(made << (63 - sign));
		bool overflow = a == b && r != a, carry = (a && b) || ((a || b) && !r);
		codes |= (uint64_t)(r << 3 | zero << 2 | overflow << 1 | carry) << 4 * wide;
	}
	return codes;
}

/* Each digit of the mask is the number of a byte of both operands, the first one's first. */
static uint64_t mask_of_lanes(uint64_t lanes, unsigned bytes)
{
	uint64_t mask = 0;
	for (unsigned digit = 0; digit < 8; digit++) { /* from the topmost on */
		bool first = lanes >> (7 - digit) / bytes & 1;
		mask = mask << 4 | (first ? digit : 8 + digit);
	}
	return mask;
}
static uint64_t slow_cmask8(const struct operands *of)
{
	return mask_of_lanes(of->in[1], 1);
}
static uint64_t slow_cmask16(const struct operands *of)
{
	return mask_of_lanes(of->in[1], 2);
}
static uint64_t slow_cmask32(const struct operands *of)
{
	return mask_of_lanes(of->in[1], 4);
}

static uint64_t slow_second(const struct operands *of)
{
	return of->in[1];
}
static uint64_t slow_movstosw(const struct operands *of)
{
	return (uint64_t)lane(of->in[1], 0, 32);
}

/* ---- the instructions of VIS ---- */

/* Operands and result: s, d, x a general register, g the mask of GSR. */
static const struct instruction {
	const char *name;
	uint16_t opf;
	const char *kinds;
	compute *slow;
} instructions[] = {
	{"addxc", 0x11, "xxx", slow_addxc},
	{"addxccc", 0x13, "xxx", slow_addxc},
	{"umulxhi", 0x16, "xxx", slow_umulxhi},
	{"lzcnt", 0x17, "-xx", slow_lzcnt},
	{"cmask8", 0x1b, "-xg", slow_cmask8},
	{"cmask16", 0x1d, "-xg", slow_cmask16},
	{"cmask32", 0x1f, "-xg", slow_cmask32},
	{"fsll16", 0x21, "ddd", slow_fsll16},
	{"fsrl16", 0x23, "ddd", slow_fsrl16},
	{"fsll32", 0x25, "ddd", slow_fsll32},
	{"fsrl32", 0x27, "ddd", slow_fsrl32},
	{"fslas16", 0x29, "ddd", slow_fslas16},
	{"fsra16", 0x2b, "ddd", slow_fsra16},
	{"fslas32", 0x2d, "ddd", slow_fslas32},
	{"fsra32", 0x2f, "ddd", slow_fsra32},
	{"fmul8ulx16", 0x37, "ddd", slow_fmul8ulx16},
	{"fmuld8sux16", 0x38, "ssd", slow_fmuld8sux16},
	{"fmuld8ulx16", 0x39, "ssd", slow_fmuld8ulx16},
	{"pdistn", 0x3f, "ddx", slow_pdistn},
	{"fmean16", 0x40, "ddd", slow_fmean16},
	{"fpadd64", 0x42, "ddd", slow_fpadd64},
	{"fchksm16", 0x44, "ddd", slow_fchksm16},
	{"fpsub64", 0x46, "ddd", slow_fpsub64},
	{"fpadds16", 0x58, "ddd", slow_fpadds16},
	{"fpadds16s", 0x59, "sss", slow_fpadds16s},
	{"fpadds32", 0x5a, "ddd", slow_fpadds32},
	{"fpadds32s", 0x5b, "sss", slow_fpadds32s},
	{"fpsubs16", 0x5c, "ddd", slow_fpsubs16},
	{"fpsubs16s", 0x5d, "sss", slow_fpsubs16s},
	{"fpsubs32", 0x5e, "ddd", slow_fpsubs32},
	{"fpsubs32s", 0x5f, "sss", slow_fpsubs32s},
	{"movdtox", 0x110, "-dx", slow_second},
	{"movstouw", 0x111, "-sx", slow_second},
	{"movstosw", 0x113, "-sx", slow_movstosw},
	{"xmulx", 0x115, "xxx", slow_xmulx},
	{"xmulxhi", 0x116, "xxx", slow_xmulxhi},
	{"movxtod", 0x118, "-xd", slow_second},
	{"movwtos", 0x119, "-xs", slow_second},
	{"fpcmpule8", 0x120, "ddx", slow_fpcmpule8},
	{"fpcmpune8", 0x122, "ddx", slow_fpcmpune8},
	{"fpcmpugt8", 0x128, "ddx", slow_fpcmpugt8},
	{"fpcmpueq8", 0x12a, "ddx", slow_fpcmpueq8},
};

/* Registers of the operands, %g1 to %g3 and %d2, %d34 and %d6, whose upper halves are singles where
 * they have any; and of results, %g4 and %d40 or %f8. */
static const uint8_t integer_fields[3] = {1, 2, 3}, double_fields[3] = {2, 3, 6},
					 single_fields[3] = {2, 4, 6};
enum { INTEGER_RESULT = 4, DOUBLE_RESULT = 9, SINGLE_RESULT = 8 };

static unsigned double_number(unsigned field)
{
	return 32 + ((field & 30) | (field & 1) << 5) / 2;
}

/* An operand into its register; returns the field. */
static unsigned give(char kind, unsigned which, uint64_t value, uint64_t known)
{
	switch (kind) {
	case 'x':
		set_register(CAIRN_REG_INT, integer_fields[which], value, known);
		return integer_fields[which];
	case 'd':
		set_register(CAIRN_REG_FP, double_number(double_fields[which]), value, known);
		return double_fields[which];
	case 's':
		set_register(CAIRN_REG_FP, double_number(single_fields[which]), value << 32, known << 32);
		return single_fields[which];
	default:
		return 0;
	}
}

static unsigned field_of_result(char kind)
{
	return kind == 'x'   ? INTEGER_RESULT
	       : kind == 'd' ? DOUBLE_RESULT
	       : kind == 's' ? SINGLE_RESULT
	                     : 0;
}

static uint64_t take(char kind, uint64_t *known)
{
	uint64_t made;
	switch (kind) {
	case 'x':
		return get_register(CAIRN_REG_INT, INTEGER_RESULT, known);
	case 'g':
		made = get_register(CAIRN_REG_CSR, GSR, known);
		*known >>= 32;
		return made >> 32;
	case 'd':
		return get_register(CAIRN_REG_FP, double_number(DOUBLE_RESULT), known);
	default:
		made = get_register(CAIRN_REG_FP, double_number(SINGLE_RESULT), known);
		*known >>= 32;
		return made >> 32;
	}
}

static uint64_t room(char kind)
{
	return kind == 's' || kind == 'g' ? UINT32_MAX : UINT64_MAX;
}

static void ready(void)
{
	cairn_machine_forget_registers(machine);
	set_register(CAIRN_REG_CSR, FPRS, 4, UINT64_MAX);
	set_register(CAIRN_REG_CSR, GSR, 0, UINT64_MAX);
}

static uint64_t some_known(unsigned k)
{
	return k & 1 ? UINT64_MAX : k & 2 ? random_bits() | random_bits() : ~random_integer();
}

static uint64_t random_lanes(void)
{
	uint64_t number = 0;
	unsigned bits = 8u << random_bits() % 3;
	if (random_bits() % 2)
		return random_integer();
	for (unsigned i = 0; i < 64; i += bits)
		number |= (random_integer() & ((UINT64_C(1) << bits) - 1)) << i;
	return number;
}

/* What the machine claims against every filling of what it was not told. */
static void judge(const struct instruction *of, struct operands in, const uint64_t *known,
                  uint64_t codes_known)
{
	uint64_t claimed, claimed_codes, all = room(of->kinds[2]);
	bool whole = (known[0] & known[1]) == UINT64_MAX && codes_known == UINT64_MAX;
	uint32_t enc = 2u << 30 | 0x36 << 19 | (uint32_t)of->opf << 5;
	ready();
	set_register(CAIRN_REG_FLAGS, 0, in.ccr, codes_known);
	enc |= give(of->kinds[0], 0, in.in[0], known[0]) << 14;
	enc |= give(of->kinds[1], 1, in.in[1], known[1]);
	enc |= field_of_result(of->kinds[2]) << 25;
	if (cairn_machine_step(machine, 0x10000, enc, 4, NULL, 0)->status != CAIRN_STEP_DONE)
		fail_msg("%s, %08x: not done", of->name, enc);
	uint64_t made = take(of->kinds[2], &claimed);
	uint64_t codes = get_register(CAIRN_REG_FLAGS, 0, &claimed_codes);
	if (whole && (claimed & all) != all)
		fail_msg("%s, %08x: not all is known", of->name, enc);
	for (unsigned i = 0; i < FILLED; i++) {
		struct operands filled = in;
		for (unsigned k = 0; k < 2; k++) {
			filled.in[k] = (in.in[k] & known[k]) | (i ? random_bits() & ~known[k] : 0);
			filled.in[k] &= room(of->kinds[k]);
		}
		filled.ccr = (in.ccr & codes_known) | (random_bits() & ~codes_known & 0xff);
		uint64_t right = of->slow(&filled);
		uint64_t right_codes = of->opf == 0x13 ? slow_addxccc_codes(&filled) : filled.ccr;
		if (((made ^ right) & claimed & all) || ((codes ^ right_codes) & claimed_codes & 0xff))
			fail_msg("%s, %08x of 0x%llx, 0x%llx: 0x%llx, not 0x%llx", of->name, enc,
			         (unsigned long long)filled.in[0], (unsigned long long)filled.in[1],
			         (unsigned long long)made, (unsigned long long)right);
	}
}

static void vis_is_what_lanes_make(void **state)
{
	unsigned cases = 0;
	(void)state;
	exec_seed("vis", 4);
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
		for (unsigned k = 0; k < 4000; k++) {
			uint64_t known[2] = {some_known(k), some_known(k)};
			uint64_t codes_known = k & 1 ? UINT64_MAX : random_bits() | ~UINT64_C(0xff);
			struct operands in = {{random_lanes(), random_lanes(), 0}, random_bits() & 0xff};
			if (random_bits() % 8 == 0)
				in.in[1] = in.in[0];
			judge(&instructions[i], in, known, codes_known);
			cases++;
		}
	printf("# %u cases\n", cases);
}

/* ---- floating point in whole numbers ---- */

/* A number is words of 32 bits, the lowest first, times 2^-SCALE. */
enum { WORDS = 140, SCALE = 2200 };
struct big {
	uint32_t word[WORDS];
};

static bool big_bit(const struct big *of, int at)
{
	return at >= 0 && of->word[at / 32] >> at % 32 & 1;
}

static int big_top(const struct big *of)
{
	int at = WORDS * 32 - 1;
	while (at >= 0 && !big_bit(of, at))
		at--;
	return at; /* -1: it is 0 */
}

static int big_compare(const struct big *a, const struct big *b)
{
	for (unsigned i = WORDS; i-- > 0;)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

static struct big big_add(const struct big *a, const struct big *b)
{
	struct big made;
	uint64_t carry = 0;
	for (unsigned i = 0; i < WORDS; i++) {
		carry += (uint64_t)a->word[i] + b->word[i];
		made.word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return made;
}

static struct big big_sub(const struct big *a, const struct big *b)
{
	struct big made;
	int64_t borrow = 0;
	for (unsigned i = 0; i < WORDS; i++) {
		borrow += (int64_t)a->word[i] - b->word[i];
		made.word[i] = (uint32_t)borrow;
		borrow = borrow < 0 ? -1 : 0;
	}
	return made;
}

/* Set the bits of `value` from bit `at` on. */
static void big_put(struct big *to, uint64_t value, int at)
{
	for (int i = 0; i < 64; i++)
		if (value >> i & 1)
			to->word[(at + i) / 32] |= 1u << (at + i) % 32;
}

/* Formats: bits of the fraction, and of the exponent. */
struct format {
	unsigned fraction, exponent;
};
static const struct format formats[2] = {{23, 8}, {52, 11}};

struct number {
	bool sign, nan, signalling, infinite;
	uint64_t significand; /* of a finite number: times 2^exponent */
	int exponent;
};

static struct number read_number(const struct format *of, uint64_t bits)
{
	uint64_t fraction = bits & ((UINT64_C(1) << of->fraction) - 1);
	int exponent = (int)(bits >> of->fraction & ((1u << of->exponent) - 1));
	int most = (1 << of->exponent) - 1, bias = most / 2;
	struct number made = {.sign = bits >> (of->fraction + of->exponent) & 1};
	if (exponent == most) {
		made.nan = fraction != 0;
		made.infinite = !fraction;
		made.signalling = made.nan && !(fraction >> (of->fraction - 1));
		return made;
	}
	made.significand = exponent ? fraction | UINT64_C(1) << of->fraction : fraction;
	made.exponent = (exponent ? exponent : 1) - bias - (int)of->fraction;
	return made;
}

/* FSR's: to nearest, to 0, up, down; and its flags. */
enum { NEAREST, TO_ZERO, UP, DOWN };
enum { INEXACT = 1, UNDERFLOWS = 4, OVERFLOWS = 8, INVALID = 16 };

/* One thing that an instruction may make. */
struct answer {
	uint64_t bits;
	unsigned flags;
};

static uint64_t signed_bits(const struct format *of, bool sign, uint64_t bits)
{
	return (uint64_t)sign << (of->fraction + of->exponent) | bits;
}

/* The greatest multiple of 2^quantum that is not above the number, in such units; what is left, as:
 * 0 nothing, 1 less than half, 2 half, 3 more. */
static uint64_t units_of(const struct big *of, int quantum, unsigned *left)
{
	uint64_t units = 0;
	bool any = false;
	for (int at = big_top(of); at >= quantum; at--)
		units = units << 1 | big_bit(of, at);
	for (int at = 0; at < quantum - 1; at++)
		any |= big_bit(of, at);
	bool half = quantum > 0 && big_bit(of, quantum - 1);
	*left = half ? (any ? 3 : 2) : any;
	return units;
}

/* Round an exact number other than 0. `late`: whether it is tiny is decided by what it would be rounded to
 * if exponents had no bound. */
static struct answer rounded(const struct format *of, bool sign, const struct big *exact,
                             unsigned mode, bool late)
{
	int bias = (1 << (of->exponent - 1)) - 1, precision = (int)of->fraction + 1;
	int least = 1 - bias - (int)of->fraction + SCALE; /* the place of the least subnormal number */
	int top = big_top(exact), quantum = top - precision + 1;
	struct answer made = {0, 0};
	unsigned left;
	bool tiny = top < 1 - bias + SCALE;
	for (unsigned bounded = 0; bounded < 2; bounded++) {
		if (bounded && quantum < least)
			quantum = least;
		made.bits = units_of(exact, quantum, &left);
		bool up = mode == NEAREST ? left == 3 || (left == 2 && made.bits & 1)
		          : mode == UP    ? left && !sign
		          : mode == DOWN  ? left && sign
		                          : false;
		made.bits += up;
		if (!bounded && late && quantum + precision == 1 - bias + SCALE && made.bits >> precision)
			tiny = false;
	}
	made.flags = left ? INEXACT : 0;
	if (left && tiny)
		made.flags |= UNDERFLOWS;
	/* The exponent's field counts on where the fraction's ends. */
	made.bits += (uint64_t)(quantum - least) << of->fraction;
	uint64_t infinity = ((UINT64_C(1) << of->exponent) - 1) << of->fraction;
	if (made.bits >= infinity) {
		bool greatest = mode == TO_ZERO || mode == (sign ? UP : DOWN);
		made = (struct answer){infinity - greatest, OVERFLOWS | INEXACT};
	}
	made.bits = signed_bits(of, sign, made.bits);
	return made;
}

/* ---- instructions of floating point ---- */

/* first * second + third, halved, negated. */
enum { PRODUCT = 1, SUM = 2, MINUS = 4, HALVED = 8, NEGATED = 16, WIDENED = 32 };
static const struct float_instruction {
	const char *name;
	uint16_t op3, opf; /* of op3 0x37 bits 8:5 */
	uint8_t does;
} float_instructions[] = {
	{"fmadd", 0x37, 1, PRODUCT | SUM},
	{"fmsub", 0x37, 5, PRODUCT | SUM | MINUS},
	{"fnmsub", 0x37, 9, PRODUCT | SUM | MINUS | NEGATED},
	{"fnmadd", 0x37, 13, PRODUCT | SUM | NEGATED},
	{"fnadd", 0x34, 0x51, SUM | NEGATED},
	{"fnmul", 0x34, 0x59, PRODUCT | NEGATED},
	{"fhadd", 0x34, 0x61, SUM | HALVED},
	{"fhsub", 0x34, 0x65, SUM | MINUS | HALVED},
	{"fnhadd", 0x34, 0x71, SUM | HALVED | NEGATED},
	{"fnsmuld", 0x34, 0x79, PRODUCT | NEGATED | WIDENED},
};

/* What may come out, in a list. */
struct answers {
	struct answer answer[16];
	unsigned n;
};

static void allow(struct answers *answers, uint64_t bits, unsigned flags)
{
	answers->answer[answers->n++] = (struct answer){bits, flags};
}

/* A NaN made quiet, and wide. */
static uint64_t quieted(const struct format *from, const struct format *to, uint64_t bits)
{
	bits |= UINT64_C(1) << (from->fraction - 1);
	if (from == to)
		return bits;
	return bits >> 31 << 63 | UINT64_C(0x7ff) << 52 | (bits & 0x7fffff) << 29;
}

/* Operands of which one is a NaN: the one in the last place, but signalling ones before quiet ones. */
static void allow_nans(struct answers *answers, const struct float_instruction *of,
                       const struct format *from, const struct format *to, const uint64_t *bits,
                       unsigned n)
{
	struct number number[3] = {{0}};
	unsigned quiet = 3, signalling = 3;
	for (unsigned i = 0; i < n; i++) {
		number[i] = read_number(from, bits[i]);
		if (number[i].signalling)
			signalling = i;
		else if (number[i].nan)
			quiet = i;
	}
	unsigned flags = signalling < 3 ? INVALID : 0;
	allow(answers, quieted(from, to, bits[signalling < 3 ? signalling : quiet]), flags);
	/* Of a product that is made first, or of converted operands, a quiet one may be taken: then any bits
	 * are allowed, as the machine knows none. */
	bool third = n == 3 && number[2].nan && !number[2].signalling;
	bool wide =
		of->does & WIDENED && number[0].signalling && number[1].nan && !number[1].signalling;
	if ((third && signalling < 2) || wide) {
		allow(answers, 0, flags);
		allow(answers, UINT64_MAX, flags);
	}
	bool zero[2] = {false, false};
	for (unsigned i = 0; i < 2; i++)
		zero[i] = !number[i].nan && !number[i].infinite && !number[i].significand;
	if (third && ((zero[0] && number[1].infinite) || (zero[1] && number[0].infinite)))
		allow(answers, answers->answer[0].bits, INVALID);
}

/* A term of a sum: infinite, or exact. */
struct term {
	bool sign, infinite;
	struct big size;
};

/* false: 0 times infinity. */
static bool product_term(const struct number *a, const struct number *b, struct term *to)
{
	memset(to, 0, sizeof *to);
	to->sign = a->sign != b->sign;
	to->infinite = a->infinite || b->infinite;
	if (to->infinite)
		return (a->infinite || a->significand) && (b->infinite || b->significand);
	for (unsigned i = 0; i < 64; i++)
		if (b->significand >> i & 1) {
			struct big part = {{0}};
			big_put(&part, a->significand, SCALE + a->exponent + b->exponent + (int)i);
			to->size = big_add(&to->size, &part);
		}
	return true;
}

static void plain_term(const struct number *a, struct term *to)
{
	memset(to, 0, sizeof *to);
	to->sign = a->sign;
	to->infinite = a->infinite;
	if (!a->infinite)
		big_put(&to->size, a->significand, SCALE + a->exponent);
}

/* The sum of two terms; false: infinity minus infinity. A sum of 0 that no term's sign tells has the
 * sign of the mode. */
static bool sum_terms(const struct term *a, const struct term *b, unsigned mode, struct term *to)
{
	int order = big_compare(&a->size, &b->size);
	*to = *a;
	if (a->infinite || b->infinite) {
		*to = a->infinite ? *a : *b;
		return !(a->infinite && b->infinite && a->sign != b->sign);
	}
	if (a->sign == b->sign) {
		to->size = big_add(&a->size, &b->size);
	} else if (order == 0) {
		memset(&to->size, 0, sizeof to->size);
		to->sign = mode == DOWN;
	} else {
		to->sign = order > 0 ? a->sign : b->sign;
		to->size = order > 0 ? big_sub(&a->size, &b->size) : big_sub(&b->size, &a->size);
	}
	return true;
}

/* What the term becomes in the format. */
static struct answer number_of_term(const struct format *of, const struct term *term, unsigned mode,
                                    bool late)
{
	uint64_t infinity = ((UINT64_C(1) << of->exponent) - 1) << of->fraction;
	if (term->infinite || big_top(&term->size) < 0)
		return (struct answer){signed_bits(of, term->sign, term->infinite ? infinity : 0), 0};
	return rounded(of, term->sign, &term->size, mode, late);
}

/* All that may come out of finite and infinite operands. A number that is tiny may be one before or
 * behind rounding; negated may be what is exact, or what is rounded, and a sum of 0 have any sign then. */
static void allow_numbers(struct answers *answers, const struct float_instruction *of,
                          const struct format *to, const struct number *number, unsigned mode)
{
	struct term first, second, term;
	bool valid = true;
	uint64_t infinity = ((UINT64_C(1) << to->exponent) - 1) << to->fraction;
	if (of->does & PRODUCT)
		valid = product_term(&number[0], &number[1], &first);
	else
		plain_term(&number[0], &first);
	term = first;
	if (of->does & SUM && valid) {
		plain_term(&number[of->does & PRODUCT ? 2 : 1], &second);
		second.sign ^= (of->does & MINUS) != 0;
		valid = sum_terms(&first, &second, mode, &term);
	}
	if (!valid) { /* the default NaN */
		allow(answers, infinity | ((UINT64_C(1) << to->fraction) - 1), INVALID);
		return;
	}
	if (of->does & HALVED)
		for (unsigned i = 0; i < WORDS; i++)
			term.size.word[i] =
				term.size.word[i] >> 1 | (i + 1 < WORDS ? term.size.word[i + 1] << 31 : 0);
	for (unsigned late = 0; late < 2; late++) {
		struct answer made = number_of_term(to, &term, mode, late);
		uint64_t sign = signed_bits(to, true, 0);
		if (!(of->does & NEGATED)) {
			allow(answers, made.bits, made.flags);
			continue;
		}
		struct term other = term;
		other.sign = !term.sign;
		struct answer before = number_of_term(to, &other, mode, late);
		allow(answers, made.bits ^ sign, made.flags);
		allow(answers, before.bits, before.flags);
		if (of->does & SUM && !(made.bits & ~sign) && !(before.bits & ~sign))
			allow(answers, made.bits, made.flags);
	}
}

static void allow_all(struct answers *answers, const struct float_instruction *of, bool is_double,
                      const uint64_t *bits, unsigned mode)
{
	const struct format *from = &formats[is_double];
	const struct format *to = &formats[is_double || of->does & WIDENED];
	unsigned n = of->op3 == 0x37 ? 3 : 2;
	struct number number[3] = {{0}};
	bool nan = false;
	answers->n = 0;
	for (unsigned i = 0; i < n; i++) {
		number[i] = read_number(from, bits[i]);
		nan |= number[i].nan;
	}
	if (nan)
		allow_nans(answers, of, from, to, bits, n);
	else
		allow_numbers(answers, of, to, number, mode);
}

/* Bits that all answers have alike. */
static uint64_t agreed(const struct answers *answers, bool flags)
{
	uint64_t same = UINT64_MAX;
	for (unsigned i = 1; i < answers->n; i++)
		same &= flags ? ~(uint64_t)(answers->answer[i].flags ^ answers->answer[0].flags)
		              : ~(answers->answer[i].bits ^ answers->answer[0].bits);
	return same;
}

static void judge_float(const struct float_instruction *of, bool is_double, const uint64_t *in,
                        const uint64_t *known, unsigned mode)
{
	char kind = is_double ? 'd' : 's', result = is_double || of->does & WIDENED ? 'd' : 's';
	uint64_t claimed, claimed_flags, all = room(result);
	bool whole = (known[0] & known[1] & known[2]) == UINT64_MAX;
	uint32_t enc = 2u << 30 | (uint32_t)of->op3 << 19 | (uint32_t)(of->opf + is_double) << 5;
	ready();
	set_register(CAIRN_REG_CSR, FSR, (uint64_t)mode << 30, UINT64_MAX);
	enc |= give(kind, 0, in[0], known[0]) << 14 | give(kind, 1, in[1], known[1]);
	if (of->op3 == 0x37)
		enc |= give(kind, 2, in[2], known[2]) << 9;
	enc |= field_of_result(result) << 25;
	if (cairn_machine_step(machine, 0x10000, enc, 4, NULL, 0)->status != CAIRN_STEP_DONE)
		fail_msg("%s, %08x: not done", of->name, enc);
	uint64_t made = take(result, &claimed);
	uint64_t flags = get_register(CAIRN_REG_CSR, FSR, &claimed_flags);
	for (unsigned i = 0; i < FILLED; i++) {
		struct answers answers;
		uint64_t filled[3];
		for (unsigned k = 0; k < 3; k++) {
			filled[k] = (in[k] & known[k]) | (i ? random_bits() & ~known[k] : 0);
			filled[k] &= room(kind);
		}
		allow_all(&answers, of, is_double, filled, mode);
		uint64_t same = agreed(&answers, false) & all, same_flags = agreed(&answers, true) & 0x1f;
		for (unsigned k = 0; k < answers.n; k++)
			if (((made ^ answers.answer[k].bits) & claimed & all) ||
			    ((flags ^ answers.answer[k].flags) & claimed_flags & 0x1f))
				fail_msg(
					"%s, %08x of 0x%llx, 0x%llx, 0x%llx: 0x%llx and 0x%llx, not 0x%llx and 0x%x",
					of->name, enc, (unsigned long long)filled[0], (unsigned long long)filled[1],
					(unsigned long long)filled[2], (unsigned long long)made,
					(unsigned long long)(flags & 0x1f), (unsigned long long)answers.answer[k].bits,
					answers.answer[k].flags);
		if (whole && ((claimed & all) != same || (claimed_flags & 0x1f) != same_flags))
			fail_msg("%s, %08x of 0x%llx, 0x%llx, 0x%llx: known 0x%llx, not 0x%llx", of->name, enc,
			         (unsigned long long)filled[0], (unsigned long long)filled[1],
			         (unsigned long long)filled[2], (unsigned long long)(claimed & all),
			         (unsigned long long)same);
		if (whole)
			break;
	}
}

/* A number near the others: sums cancel, or nearly so. */
static uint64_t near(uint64_t number, bool is_double)
{
	unsigned fraction = is_double ? 52 : 23, exponent = is_double ? 11 : 8;
	uint64_t steps = random_bits() % 4;
	number ^= (random_bits() & 1) << (fraction + exponent);
	return random_bits() % 2 ? number + steps : number + (steps << fraction);
}

static void random_operands(uint64_t *in, bool is_double)
{
	unsigned size = is_double ? 8 : 4;
	for (unsigned i = 0; i < 3; i++)
		in[i] = exec_random_number(size);
	switch (random_bits() % 8) {
	case 0:
		in[1] = near(in[0], is_double);
		break;
	case 1:
		in[1] = is_double ? UINT64_C(0x3ff) << 52 : 0x3f800000;
		in[2] = near(in[0], is_double);
		break;
	case 2: { /* the addend is where the product is */
		unsigned fraction = is_double ? 52 : 23, most = is_double ? 0x7ff : 0xff;
		uint64_t sum = (in[0] >> fraction & most) + (in[1] >> fraction & most) - most / 2;
		in[2] = (in[2] & ~((uint64_t)most << fraction)) | ((sum + random_bits() % 3) & most)
		                                                      << fraction;
		break;
	}
	default:
		break;
	}
	for (unsigned i = 0; i < 3; i++)
		in[i] &= is_double ? UINT64_MAX : UINT32_MAX;
}

static void floats_are_what_whole_numbers_make(void **state)
{
	const char *wanted = getenv("CAIRN_LONG");
	unsigned tries = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 4000, cases = 0;
	(void)state;
	exec_seed("fused", 4);
	for (size_t i = 0; i < sizeof float_instructions / sizeof *float_instructions; i++)
		for (unsigned k = 0; k < 2 * tries; k++) {
			const struct float_instruction *of = &float_instructions[i];
			bool is_double = k & 1 && !(of->does & WIDENED);
			uint64_t in[3], known[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
			random_operands(in, is_double);
			if (k % 16 > 13)
				known[random_bits() % 3] = some_known(2);
			judge_float(of, is_double, in, known, (unsigned)random_bits() & 3);
			cases++;
		}
	printf("# %u cases\n", cases);
}

/* ---- flcmp ---- */

static unsigned slow_order(const struct format *of, uint64_t a, uint64_t b)
{
	struct number x = read_number(of, a), y = read_number(of, b);
	uint64_t sign = signed_bits(of, true, 0);
	if (x.nan || y.nan)
		return y.nan ? 3 : 2;
	/* Numbers without their sign have the order of their bits, and -0 comes before 0. */
	if (x.sign != y.sign)
		return x.sign;
	return x.sign ? (a & ~sign) > (b & ~sign) : a < b;
}

static void orders_are_those_of_bits(void **state)
{
	(void)state;
	exec_seed("flcmp", 4);
	for (unsigned k = 0; k < 8000; k++) {
		bool is_double = k & 1;
		const struct format *format = &formats[is_double];
		char kind = is_double ? 'd' : 's';
		unsigned which = random_bits() & 3, at = which ? 30 + 2 * which : 10;
		uint64_t in[3], claimed, all = room(kind), before = random_bits() & UINT64_C(0x3fc0000fff);
		random_operands(in, is_double);
		if (random_bits() % 8 == 0)
			in[0] = in[1] ^ (random_bits() & 1 ? signed_bits(format, true, 0) : 0);
		uint64_t known[2] = {k % 8 > 5 ? some_known(2) : UINT64_MAX, UINT64_MAX};
		ready();
		set_register(CAIRN_REG_CSR, FSR, before, UINT64_MAX);
		uint32_t enc = 2u << 30 | which << 25 | 0x36 << 19 | (is_double ? 0x152u : 0x151u) << 5;
		enc |= give(kind, 0, in[0], known[0]) << 14 | give(kind, 1, in[1], known[1]);
		assert_int_equal(cairn_machine_step(machine, 0x10000, enc, 4, NULL, 0)->status,
		                 CAIRN_STEP_DONE);
		uint64_t fsr = get_register(CAIRN_REG_CSR, FSR, &claimed);
		if (known[0] == UINT64_MAX)
			assert_true(claimed == UINT64_MAX);
		for (unsigned i = 0; i < FILLED; i++) {
			uint64_t a = ((in[0] & known[0]) | (random_bits() & ~known[0])) & all;
			uint64_t right =
				(before & ~(UINT64_C(3) << at)) | (uint64_t)slow_order(format, a, in[1]) << at;
			if ((fsr ^ right) & claimed)
				fail_msg("flcmp, %08x of 0x%llx, 0x%llx: 0x%llx", enc, (unsigned long long)a,
				         (unsigned long long)in[1], (unsigned long long)fsr);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vis_is_what_lanes_make),
		cmocka_unit_test(floats_are_what_whole_numbers_make),
		cmocka_unit_test(orders_are_those_of_bits),
	};
	return cmocka_run_group_tests(tests, open_machine, close_machine);
}
