/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 instructions that QEMU 7.2 does not know, against a second implementation, which goes bit by bit or
 * compares numbers of C: FEAT_CSSC, FEAT_CMPBR, FEAT_HBC and FEAT_LRCPC3. With bits of operands that are not
 * known, what comes out as known has to be right whatever they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/exec_cases.h"

enum { N = 9, M = 10, D = 11, FILLED = 6 };

static struct cairn *cairn;
static struct cairn_machine *machine;

static int open_machine(void **state)
{
	const struct cairn_machine_opts opts = {.size = sizeof opts};
	(void)state;
	cairn = cairn_new(NULL);
	return cairn_machine_new(cairn, CAIRN_ISA_A64, &opts, &machine);
}

static int close_machine(void **state)
{
	(void)state;
	cairn_machine_free(machine);
	cairn_free(cairn);
	return 0;
}

static void set_register(unsigned num, uint64_t value, uint64_t known)
{
	uint8_t bytes[8], mask[8];
	exec_put_bytes(bytes, value, 8, false);
	exec_put_bytes(mask, known, 8, false);
	cairn_machine_set(machine, CAIRN_REG_INT, num, 8, bytes, mask);
}

static uint64_t number_of(const uint8_t bytes[8])
{
	uint64_t number = 0;
	for (unsigned i = 8; i-- > 0;)
		number = number << 8 | bytes[i];
	return number;
}

static uint64_t get_register(unsigned num, uint64_t *known)
{
	uint8_t bytes[8], mask[8];
	cairn_machine_get(machine, CAIRN_REG_INT, num, 8, bytes, mask);
	*known = number_of(mask);
	return number_of(bytes);
}

/* ---- the second implementation ---- */

/* A number of the lowest `bits` bits, as C has it. */
static int64_t as_signed(uint64_t a, unsigned bits)
{
	int64_t value = 0;
	for (unsigned i = 0; i < bits; i++)
		if (a >> i & 1)
			value = i == bits - 1 ? (int64_t)((uint64_t)value - (UINT64_C(1) << i))
			                      : (int64_t)((uint64_t)value + (UINT64_C(1) << i));
	return value;
}

static uint64_t as_unsigned(uint64_t a, unsigned bits)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bits; i++)
		value += (a >> i & 1) << i;
	return value;
}

struct operands {
	uint64_t a, b; /* b: a register, or the constant's field */
	unsigned bits;
};
typedef uint64_t compute(struct operands of);

static uint64_t slow_abs(struct operands of)
{
	int64_t a = as_signed(of.a, of.bits);
	return as_unsigned(a < 0 ? 0 - (uint64_t)a : (uint64_t)a, of.bits);
}
static uint64_t slow_cnt(struct operands of)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < of.bits; i++)
		n += of.a >> i & 1;
	return n;
}
static uint64_t slow_ctz(struct operands of)
{
	unsigned n = 0;
	while (n < of.bits && !(of.a >> n & 1))
		n++;
	return n;
}
static uint64_t slow_smax(struct operands of)
{
	int64_t a = as_signed(of.a, of.bits), b = as_signed(of.b, of.bits);
	return as_unsigned((uint64_t)(a > b ? a : b), of.bits);
}
static uint64_t slow_smin(struct operands of)
{
	int64_t a = as_signed(of.a, of.bits), b = as_signed(of.b, of.bits);
	return as_unsigned((uint64_t)(a < b ? a : b), of.bits);
}
static uint64_t slow_umax(struct operands of)
{
	uint64_t a = as_unsigned(of.a, of.bits), b = as_unsigned(of.b, of.bits);
	return a > b ? a : b;
}
static uint64_t slow_umin(struct operands of)
{
	uint64_t a = as_unsigned(of.a, of.bits), b = as_unsigned(of.b, of.bits);
	return a < b ? a : b;
}
static uint64_t slow_gt(struct operands of)
{
	return as_signed(of.a, of.bits) > as_signed(of.b, of.bits);
}
static uint64_t slow_ge(struct operands of)
{
	return as_signed(of.a, of.bits) >= as_signed(of.b, of.bits);
}
static uint64_t slow_lt(struct operands of)
{
	return as_signed(of.a, of.bits) < as_signed(of.b, of.bits);
}
static uint64_t slow_hi(struct operands of)
{
	return as_unsigned(of.a, of.bits) > as_unsigned(of.b, of.bits);
}
static uint64_t slow_hs(struct operands of)
{
	return as_unsigned(of.a, of.bits) >= as_unsigned(of.b, of.bits);
}
static uint64_t slow_lo(struct operands of)
{
	return as_unsigned(of.a, of.bits) < as_unsigned(of.b, of.bits);
}
static uint64_t slow_eq(struct operands of)
{
	return as_unsigned(of.a, of.bits) == as_unsigned(of.b, of.bits);
}
static uint64_t slow_ne(struct operands of)
{
	return as_unsigned(of.a, of.bits) != as_unsigned(of.b, of.bits);
}

/* ---- the instructions ---- */

enum constant { REGISTER, SIGNED_8, UNSIGNED_8, UNSIGNED_6 };
/* By the diagrams of the manual, C6.2: the encoding with its registers 0, how wide numbers are where
 * bit 31 is clear and where it is set (0: it never is), and what the second operand is. */
static const struct instruction {
	const char *name;
	uint32_t match;
	uint8_t bits, bits_64, constant;
	bool branches;
	compute *slow;
} instructions[] = {
	{"abs", 0x5ac02000, 32, 64, REGISTER, false, slow_abs},
	{"cnt", 0x5ac01c00, 32, 64, REGISTER, false, slow_cnt},
	{"ctz", 0x5ac01800, 32, 64, REGISTER, false, slow_ctz},
	{"smax", 0x1ac06000, 32, 64, REGISTER, false, slow_smax},
	{"umax", 0x1ac06400, 32, 64, REGISTER, false, slow_umax},
	{"smin", 0x1ac06800, 32, 64, REGISTER, false, slow_smin},
	{"umin", 0x1ac06c00, 32, 64, REGISTER, false, slow_umin},
	{"smax, constant", 0x11c00000, 32, 64, SIGNED_8, false, slow_smax},
	{"umax, constant", 0x11c40000, 32, 64, UNSIGNED_8, false, slow_umax},
	{"smin, constant", 0x11c80000, 32, 64, SIGNED_8, false, slow_smin},
	{"umin, constant", 0x11cc0000, 32, 64, UNSIGNED_8, false, slow_umin},
	{"cbgt", 0x74000000, 32, 64, REGISTER, true, slow_gt},
	{"cbge", 0x74200000, 32, 64, REGISTER, true, slow_ge},
	{"cbhi", 0x74400000, 32, 64, REGISTER, true, slow_hi},
	{"cbhs", 0x74600000, 32, 64, REGISTER, true, slow_hs},
	{"cbeq", 0x74c00000, 32, 64, REGISTER, true, slow_eq},
	{"cbne", 0x74e00000, 32, 64, REGISTER, true, slow_ne},
	{"cbbgt", 0x74008000, 8, 0, REGISTER, true, slow_gt},
	{"cbbge", 0x74208000, 8, 0, REGISTER, true, slow_ge},
	{"cbbhi", 0x74408000, 8, 0, REGISTER, true, slow_hi},
	{"cbbhs", 0x74608000, 8, 0, REGISTER, true, slow_hs},
	{"cbbeq", 0x74c08000, 8, 0, REGISTER, true, slow_eq},
	{"cbbne", 0x74e08000, 8, 0, REGISTER, true, slow_ne},
	{"cbhgt", 0x7400c000, 16, 0, REGISTER, true, slow_gt},
	{"cbhge", 0x7420c000, 16, 0, REGISTER, true, slow_ge},
	{"cbhhi", 0x7440c000, 16, 0, REGISTER, true, slow_hi},
	{"cbhhs", 0x7460c000, 16, 0, REGISTER, true, slow_hs},
	{"cbheq", 0x74c0c000, 16, 0, REGISTER, true, slow_eq},
	{"cbhne", 0x74e0c000, 16, 0, REGISTER, true, slow_ne},
	{"cbgt, constant", 0x75000000, 32, 64, UNSIGNED_6, true, slow_gt},
	{"cblt, constant", 0x75200000, 32, 64, UNSIGNED_6, true, slow_lt},
	{"cbhi, constant", 0x75400000, 32, 64, UNSIGNED_6, true, slow_hi},
	{"cblo, constant", 0x75600000, 32, 64, UNSIGNED_6, true, slow_lo},
	{"cbeq, constant", 0x75c00000, 32, 64, UNSIGNED_6, true, slow_eq},
	{"cbne, constant", 0x75e00000, 32, 64, UNSIGNED_6, true, slow_ne},
};

/* An encoding with registers and, of a branch, a distance; the constant is its second operand. */
static uint32_t encode(const struct instruction *of, bool is_64, unsigned constant, int distance)
{
	uint32_t enc = of->match | (uint32_t)is_64 << 31;
	if (of->constant == UNSIGNED_6)
		enc |= constant << 15;
	else if (of->constant != REGISTER)
		enc |= constant << 10;
	else if (of->match >> 30 == 0 || of->branches) /* two registers */
		enc |= M << 16;
	return of->branches ? enc | N | ((uint32_t)distance & 0x1ff) << 5 : enc | N << 5 | D;
}

static uint64_t second_operand(const struct instruction *of, unsigned constant, uint64_t b)
{
	return of->constant == REGISTER   ? b
	       : of->constant == SIGNED_8 ? (uint64_t)as_signed(constant, 8)
	                                  : constant;
}

/* What the machine claims, from operands of which some bits are known, against every filling tried. */
static void judge(const struct instruction *of, bool is_64, uint64_t a, uint64_t b, uint64_t known)
{
	unsigned constant = (unsigned)random_bits() & (of->constant == UNSIGNED_6 ? 63 : 255);
	int distance = (int)(random_bits() & 0x1ff) - 256;
	uint32_t enc = encode(of, is_64, constant, distance);
	set_register(N, a, known);
	set_register(M, b, known);
	const struct cairn_step *step = cairn_machine_step(machine, 0x10000, enc, 4, NULL, 0);
	if (step->status != CAIRN_STEP_DONE)
		fail_msg("%s, %08x: not done", of->name, enc);
	uint64_t claimed = 0, made = of->branches ? step->taken : get_register(D, &claimed);
	if (of->branches)
		claimed = step->taken_known;
	if (known == UINT64_MAX && claimed != (of->branches ? 1 : UINT64_MAX))
		fail_msg("%s, %08x of 0x%llx, 0x%llx: not all is known", of->name, enc,
		         (unsigned long long)a, (unsigned long long)b);
	if (of->branches && known == UINT64_MAX)
		assert_int_equal(step->next, 0x10000 + (made ? 4 * distance : 4));
	for (unsigned i = 0; i < FILLED; i++) {
		uint64_t fill_a = i ? random_bits() & ~known : 0, fill_b = i ? random_bits() & ~known : 0;
		uint64_t right = of->slow((struct operands){
			(a & known) | fill_a, second_operand(of, constant, (b & known) | fill_b),
			is_64 ? of->bits_64 : of->bits});
		if ((made ^ right) & claimed)
			fail_msg("%s, %08x of 0x%llx, 0x%llx, known 0x%llx: 0x%llx, not 0x%llx", of->name, enc,
			         (unsigned long long)((a & known) | fill_a),
			         (unsigned long long)((b & known) | fill_b), (unsigned long long)known,
			         (unsigned long long)made, (unsigned long long)right);
	}
}

static void what_qemu_does_not_know(void **state)
{
	unsigned cases = 0;
	(void)state;
	exec_seed("second", 4);
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
		for (unsigned k = 0; k < 2000; k++) {
			const struct instruction *of = &instructions[i];
			uint64_t a = random_integer(), b = random_bits() & 7 ? random_integer() : a;
			uint64_t mask = k & 1   ? UINT64_MAX
			                : k & 2 ? random_bits() | random_bits()
			                        : ~random_integer();
			judge(of, of->bits_64 && random_bits() >> 9 & 1, a, b, mask);
			cases++;
		}
	printf("# %u cases\n", cases);
}

/* bc.cond goes where b.cond goes. */
static void hinted_branches_are_branches(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4096; i++) {
		uint8_t nzcv = random_bits() & 15, known = random_bits() & 15;
		uint32_t enc = 0x54000000 | ((uint32_t)random_bits() & 0xffffe0) | (i & 15);
		struct cairn_step steps[2];
		for (unsigned hinted = 0; hinted < 2; hinted++) {
			cairn_machine_set(machine, CAIRN_REG_FLAGS, 0, 1, &nzcv, &known);
			steps[hinted] = *cairn_machine_step(machine, 0x10000, enc | hinted << 4, 4, NULL, 0);
			assert_int_equal(steps[hinted].status, CAIRN_STEP_DONE);
		}
		assert_int_equal(steps[0].taken, steps[1].taken);
		assert_int_equal(steps[0].taken_known, steps[1].taken_known);
		assert_int_equal(steps[0].next, steps[1].next);
	}
}

/* ---- loads and stores that differ only in what others see, and when (FEAT_LRCPC3) ---- */

/* By the diagrams of the manual, C6.2 and C7.2: bits that both encodings have in common are `shared`. */
static const struct alike {
	const char *name;
	uint32_t ordered, plain, shared;
} alike[] = {
	{"stlur, ldapur of vectors", 0x1d000800, 0x3c000000, 0xc0dff01f},
	{"stl1", 0x0d018400, 0x0d008400, 0x4000001f},
	{"ldap1", 0x0d418400, 0x0d408400, 0x4000001f},
	{"stilp, before", 0x99000800, 0x29bf0000, 0x0000001f},
	{"stilp, before, 64 bits", 0xd9000800, 0xa9bf0000, 0x0000001f},
	{"stilp", 0x99001800, 0x29000000, 0x0000001f},
	{"stilp, 64 bits", 0xd9001800, 0xa9000000, 0x0000001f},
	{"ldiapp, behind", 0x99400800, 0x28c10000, 0x0000001f},
	{"ldiapp, behind, 64 bits", 0xd9400800, 0xa8c10000, 0x0000001f},
	{"ldiapp", 0x99401800, 0x29400000, 0x0000001f},
	{"ldiapp, 64 bits", 0xd9401800, 0xa9400000, 0x0000001f},
};

enum { BASE = 20, OTHER = 21, ADDRESS = 0x40000, REACH = 512 };

/* A machine with the same in it each time; runs the encoding. */
static struct cairn_step run_anew(uint32_t enc, uint64_t seed,
                                  uint8_t state[32 * 16 + 32 * 8 + 2 * REACH])
{
	uint8_t known[16], *to = state;
	cairn_machine_forget_memory(machine);
	for (unsigned i = 0; i < 32; i++) {
		uint8_t bytes[16];
		exec_put_bytes(bytes, seed * (2 * i + 1), 8, false);
		exec_put_bytes(bytes + 8, seed * (2 * i + 7), 8, false);
		cairn_machine_set(machine, CAIRN_REG_VECTOR, i, 16, bytes, NULL);
		if (i < 31)
			set_register(i, i == BASE ? ADDRESS : seed * (3 * i + 5), UINT64_MAX);
	}
	for (unsigned i = 0; i < 2 * REACH; i += 8) {
		uint8_t bytes[8];
		exec_put_bytes(bytes, seed * (5 * i + 11), 8, false);
		cairn_machine_write(machine, ADDRESS - REACH + i, 8, bytes, NULL);
	}
	struct cairn_step step = *cairn_machine_step(machine, 0x10000, enc, 4, NULL, 0);
	for (unsigned i = 0; i < 32; i++, to += 16)
		cairn_machine_get(machine, CAIRN_REG_VECTOR, i, 16, to, known);
	for (unsigned i = 0; i < 31; i++, to += 8)
		cairn_machine_get(machine, CAIRN_REG_INT, i, 8, to, known);
	for (unsigned i = 0; i < 2 * REACH; i += 8, to += 8)
		cairn_machine_read(machine, ADDRESS - REACH + i, 8, to, known);
	return step;
}

static void ordered_accesses_are_accesses(void **state)
{
	static uint8_t first[32 * 16 + 32 * 8 + 2 * REACH], second[sizeof first];
	(void)state;
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		for (unsigned k = 0; k < 400; k++) {
			const struct alike *of = &alike[i];
			uint32_t fields = (uint32_t)random_bits() & of->shared;
			if (of->ordered == 0x1d000800 && fields & 0x00800000)
				fields &= 0x3fffffff; /* of 16 bytes there is one size only */
			bool pair = of->ordered >> 31;
			unsigned other = (fields & 31) == OTHER ? OTHER + 1 : OTHER;
			if (pair && (fields & 31) == BASE)
				continue;
			fields |= BASE << 5;
			uint64_t seed = random_bits() | 1;
			struct cairn_step ordered =
				run_anew(of->ordered | fields | (pair ? other << 16 : 0), seed, first);
			struct cairn_step plain =
				run_anew(of->plain | fields | (pair ? other << 10 : 0), seed, second);
			if (ordered.status != CAIRN_STEP_DONE || plain.status != CAIRN_STEP_DONE ||
			    !ordered.n_accesses || ordered.n_accesses != plain.n_accesses ||
			    memcmp(first, second, sizeof first) != 0)
				fail_msg("%s: %08x is not as %08x", of->name, of->ordered | fields,
				         of->plain | fields);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_qemu_does_not_know),
		cmocka_unit_test(hinted_branches_are_branches),
		cmocka_unit_test(ordered_accesses_are_accesses),
	};
	return cmocka_run_group_tests(tests, open_machine, close_machine);
}
