/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 instructions that QEMU 7.2 does not know, against a second implementation, which goes bit by bit or
 * compares numbers of C: FEAT_CSSC, FEAT_CMPBR, FEAT_HBC and FEAT_LRCPC3, and, by the manual's
 * pseudocode, FEAT_MOPS, FEAT_LSE128 and FEAT_CPA. With bits of operands that are not known, what comes out as known has to be right whatever they
 * are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/exec_cases.h"
#include "fixtures/slow_mops.h"

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

/* ---- copies and sets of memory (FEAT_MOPS) ---- */

/* What of a case is known and told. */
struct telling {
	bool all_known, accesses, contents, registers, from_main;
	bool ends;  /* with an epilogue: it is not too much */
	bool open;  /* something else has happened */
	bool bytes; /* one by one, and many of them */
};

static void put_flags(unsigned nzcv, unsigned known)
{
	uint8_t bytes = (uint8_t)(nzcv & known), mask = (uint8_t)known;
	cairn_machine_set(machine, CAIRN_REG_FLAGS, 0, 1, &bytes, &mask);
}

static unsigned get_flags(unsigned *known)
{
	uint8_t bytes, mask;
	cairn_machine_get(machine, CAIRN_REG_FLAGS, 0, 1, &bytes, &mask);
	*known = mask & 15;
	return bytes;
}

static uint64_t random_mask(const struct telling *telling)
{
	uint64_t mask = telling->all_known || random_bits() & 1 << 9 ? UINT64_MAX
	                : random_bits() & 1 << 9                     ? random_bits() | random_bits()
	                                                             : ~(random_bits() & 0xff);
	return mask;
}

/* The machine, with as much of the processor's state as is told. */
static void load_machine(const struct processor *processor, const struct telling *telling)
{
	cairn_machine_forget_registers(machine);
	cairn_machine_forget_memory(machine);
	for (unsigned i = TO; i <= COUNT; i++)
		set_register(i, processor->x[i], random_mask(telling));
	put_flags(processor->nzcv, telling->all_known ? 15 : (unsigned)(random_mask(telling) & 15));
	for (unsigned i = 0; i < PAGE_BYTES; i += 8) {
		uint8_t known[8], bytes[8];
		exec_put_bytes(known, random_mask(telling), 8, false);
		for (unsigned k = 0; k < 8; k++)
			bytes[k] = processor->memory[i + k] & known[k];
		cairn_machine_write(machine, PAGE + i, 8, bytes, known);
	}
}

static void check_registers(const struct processor *processor, const char *what)
{
	for (unsigned i = TO; i <= COUNT; i++) {
		uint64_t known, made = get_register(i, &known);
		if ((made ^ processor->x[i]) & known)
			fail_msg("%s: x%u is 0x%llx, not 0x%llx", what, i, (unsigned long long)made,
			         (unsigned long long)processor->x[i]);
	}
	unsigned known, flags = get_flags(&known);
	if ((flags ^ processor->nzcv) & known)
		fail_msg("%s: NZCV is %x, not %x", what, flags, processor->nzcv);
}

/* Returns whether all memory is known. */
static bool check_memory(const struct processor *processor, const char *what)
{
	uint8_t bytes[64], known[64];
	bool all = true;
	for (unsigned i = 0; i < PAGE_BYTES; i++) {
		if (i % 64 == 0)
			cairn_machine_read(machine, PAGE + i, 64, bytes, known);
		all &= known[i % 64] == 0xff;
		if (((bytes[i % 64] ^ processor->memory[i]) & known[i % 64]) && !processor->strays)
			fail_msg("%s: byte %x is %02x, not %02x", what, i, bytes[i % 64], processor->memory[i]);
	}
	return all;
}

/* Each access of the step is one of those that are told. */
static void check_accesses(const struct processor *processor, const struct cairn_step *step,
                           const char *what)
{
	for (unsigned i = 0; i < step->n_accesses; i++) {
		const struct cairn_step_access *access = &step->accesses[i];
		bool found = false;
		for (unsigned k = 0; k < processor->n_told && !found; k++) {
			const struct cairn_step_told *told = &processor->told[k];
			found = told->kind == access->kind && told->size == access->size &&
			        !((told->address ^ access->address) & access->address_known);
			for (unsigned b = 0; b < told->size && found; b++) {
				unsigned word = access->word + b / 8, shift = b % 8 * 8;
				found =
					!(((told->bytes[b] ^ step->value[word] >> shift) & step->known[word] >> shift) &
				      0xff);
			}
		}
		if (!found)
			fail_msg("%s: an access of %u at 0x%llx", what, access->size,
			         (unsigned long long)access->address);
	}
}

/* The trace tells registers behind the instruction, in some order, wholly or in part. */
static void tell_registers(const struct processor *processor, struct telling *telling)
{
	unsigned first = (unsigned)random_bits() & 3;
	for (unsigned k = 0; k < 4; k++) {
		unsigned i = (first + k) & 3;
		uint64_t known, mask = random_mask(telling);
		unsigned flags;
		if (random_bits() >> 20 & 1)
			continue;
		/* what is known stays known: a set that forgets ends what the machine knows of the rest */
		if (i == 3) {
			(void)get_flags(&flags);
			put_flags(processor->nzcv, flags | (unsigned)(mask & 15));
		} else {
			(void)get_register(TO + i, &known);
			set_register(TO + i, processor->x[TO + i], known | mask);
		}
		check_registers(processor, "told");
	}
}

/* Behind an instruction that is interrupted, because something remains, comes itself. */
static bool step_both(struct processor *processor, const struct operation *of, enum stage stage,
                      struct telling *telling, bool again)
{
	char what[128];
	uint32_t enc = mops_encoding(of, stage);
	uint64_t amount = random_bits() & 1 << 9 ? random_bits() % 64 : 16 * (random_bits() % 20);
	if (telling->bytes) /* more accesses than are taken */
		amount = 512 + 16 * (random_bits() % 6);
	if (of->sets && of->other)
		amount &= ~(uint64_t)15;
	snprintf(what, sizeof what, "%08x, option %c, size 0x%llx, to 0x%llx, from 0x%llx", enc,
	         processor->option_a ? 'A' : 'B', (unsigned long long)processor->x[COUNT],
	         (unsigned long long)processor->x[TO], (unsigned long long)processor->x[FROM]);
	slow_mops(processor, of, stage, amount, telling->bytes ? 1 : 16);
	if (!telling->contents)
		for (unsigned i = 0; i < processor->n_told; i++)
			processor->told[i].bytes = NULL;
	const struct cairn_step *step =
		cairn_machine_step(machine, 0x10000 + 4 * stage, enc, 4, processor->told,
	                       telling->accesses ? processor->n_told : 0);
	for (unsigned i = 0; i < processor->n_told; i++)
		processor->told[i].bytes = processor->bytes[i];
	if (step->status != CAIRN_STEP_DONE)
		fail_msg("%s: not done", what);
	again = again && processor->x[COUNT];
	uint64_t next = 0x10000 + 4 * (uint64_t)stage + (again ? 0 : 4);
	if ((step->next ^ next) & step->next_known)
		fail_msg("%s: goes elsewhere", what);
	check_accesses(processor, step, what);
	check_registers(processor, what);
	for (unsigned i = TO; i < COUNT && telling->all_known && !telling->from_main; i++) {
		uint64_t known;
		(void)get_register(i, &known); /* whatever is open, it lies in the page */
		assert_true((known | (2 * PAGE_BYTES - 1)) == UINT64_MAX || !telling->ends ||
		            telling->open);
	}
	check_memory(processor, what);
	if (telling->registers)
		tell_registers(processor, telling);
	return again;
}

/* A case: where and how much, so that often both places overlap. */
static void random_processor(struct processor *processor, const struct operation *of)
{
	static const uint64_t great[] = {UINT64_MAX,         0x8000000000000000, 0x7fffffffffffffff,
	                                 0x7fffffffffffffef, 0x0080000000000000, 0x007fffffffffffff,
	                                 0x7ffffffffffffff0, 0x7ffffffffffffff8, 0x0123456789abcdef};
	bool aligned = of->sets && of->other;
	memset(processor, 0, sizeof *processor);
	processor->option_a = random_bits() >> 7 & 1;
	processor->prefers_backward = random_bits() >> 7 & 1;
	processor->nzcv = (unsigned)random_bits() & 15;
	processor->x[TO] = PAGE + 640 + random_bits() % 640;
	processor->x[FROM] = processor->x[TO] - 300 + random_bits() % 600;
	if (random_bits() % 8 == 0)
		processor->x[FROM] = processor->x[TO];
	if (random_bits() % 8 == 0) /* a tag */
		processor->x[random_bits() & 1 << 9 ? TO : FROM] |= random_bits() << 56;
	if (of->sets)
		processor->x[FROM] = random_bits();
	processor->x[COUNT] = random_bits() % (random_bits() & 1 << 8 ? 20 : 320);
	if (random_bits() % 8 == 0)
		processor->x[COUNT] = great[random_bits() % (sizeof great / sizeof *great)];
	if (aligned) {
		processor->x[TO] &= ~UINT64_C(15);
		if (processor->x[COUNT] <= 0x7ffffffffffffff0)
			processor->x[COUNT] &= ~UINT64_C(15);
	}
	for (unsigned i = 0; i < PAGE_BYTES; i++)
		processor->memory[i] = (uint8_t)(random_bits() >> 9);
}

/* Where everything was known, the end of it is. */
static void check_whole(const struct processor *begun, const struct processor *processor,
                        const struct operation *of, const struct telling *telling)
{
	uint64_t known, size = begun->x[COUNT], to = begun->x[TO], from = begun->x[FROM];
	bool any_way = !of->sets && of->other && !telling->from_main &&
	               (from >= to + size || to >= from + size || from == to);
	bool repeats = !of->sets && !of->other && from < to && to < from + size;
	(void)get_register(COUNT, &known);
	assert_true(known == UINT64_MAX);
	(void)get_register(TO, &known);
	assert_true(any_way || known == UINT64_MAX);
	(void)get_register(FROM, &known);
	assert_true(any_way || known == UINT64_MAX);
	assert_true(check_memory(processor, "at the end") || repeats || processor->strays);
}

/* In between something else happens: another instruction, or others write memory. */
static void disturb(struct processor *processor)
{
	unsigned at = (unsigned)random_bits() % PAGE_BYTES;
	uint8_t byte = (uint8_t)(random_bits() >> 9), known = 0xff;
	if (!processor->option_a && random_bits() & 1 << 9) { /* movz */
		processor->x[COUNT] = random_bits() % 16 * 16;
		cairn_machine_step(machine, 0x20000,
		                   0xd2800000 | (uint32_t)processor->x[COUNT] << 5 | COUNT, 4, NULL, 0);
	} else {
		processor->memory[at] = byte;
		cairn_machine_write(machine, PAGE + at, 1, &byte, &known);
	}
}

static void one_sequence(const struct operation *of, struct telling *telling)
{
	static struct processor processor, begun;
	random_processor(&processor, of);
	processor.does_more = random_bits() >> 9 & 1;
	if (telling->bytes && processor.x[COUNT] < 1000)
		processor.x[COUNT] += 300 & ~15;
	begun = processor;
	bool disturbed = random_bits() % 8 == 0;
	telling->ends = processor.x[COUNT] < 1000;
	telling->open = disturbed;
	if (telling->from_main)
		slow_mops(&processor, of, PROLOGUE, random_bits() % 64 & ~15u, 16);
	load_machine(&processor, telling);
	if (!telling->from_main)
		step_both(&processor, of, PROLOGUE, telling, false);
	if (disturbed)
		disturb(&processor);
	while (step_both(&processor, of, MAIN, telling, random_bits() % 8 == 0))
		;
	if (!telling->ends)
		return;
	step_both(&processor, of, EPILOGUE, telling, false);
	if (telling->all_known && !telling->registers && !disturbed)
		check_whole(&begun, &processor, of, telling);
}

static void copies_and_sets_are_the_manuals(void **state)
{
	(void)state;
	exec_seed("mops", 8);
	for (unsigned k = 0; k < 60000; k++) {
		uint64_t random = random_bits();
		const struct operation of = {random & 1, random >> 1 & 1, (unsigned)(random >> 2) & 15};
		struct telling telling = {.all_known = random >> 10 & 1,
		                          .accesses = random >> 11 & 1,
		                          .contents = random >> 12 & 1,
		                          .registers = random >> 13 & 1,
		                          .from_main = (random >> 14 & 3) == 0,
		                          .bytes = (random >> 16 & 31) == 0};
		one_sequence(&of, &telling);
	}
}

/* What accesses and flags tell together is enough to know all, but where a copy in option A may have gone in
 * either direction. */
static void accesses_tell_how_much_is_done(void **state)
{
	static struct processor processor;
	struct telling telling = {.all_known = true, .accesses = true};
	unsigned told = 0;
	(void)state;
	for (unsigned k = 0; k < 4000; k++) {
		const struct operation of = {k & 1, k >> 1 & 1, k >> 2 & 15};
		uint64_t known;
		random_processor(&processor, &of);
		if (processor.x[COUNT] >= 1000)
			continue;
		load_machine(&processor, &telling);
		step_both(&processor, &of, PROLOGUE, &telling, false);
		put_flags(processor.nzcv, 15);
		step_both(&processor, &of, MAIN, &telling, false);
		if (!processor.n_told || (!of.sets && of.other && processor.option_a))
			continue;
		for (unsigned i = TO; i <= COUNT; i++) {
			(void)get_register(i, &known);
			if (known != UINT64_MAX)
				fail_msg("%08x, option %c: x%u is not known", mops_encoding(&of, MAIN),
				         processor.option_a ? 'A' : 'B', i);
		}
		told++;
	}
	assert_true(told > 1000);
}

/* A copy that may go either way has gone the way that its first accesses go. */
static void accesses_tell_the_direction(void **state)
{
	static struct processor processor;
	struct telling telling = {.all_known = true, .accesses = true, .ends = true};
	unsigned told = 0;
	(void)state;
	for (unsigned k = 0; k < 3000; k++) {
		const struct operation of = {false, true, k & 15};
		uint64_t known, size;
		random_processor(&processor, &of);
		size = processor.x[COUNT];
		if (size >= 1000)
			continue;
		load_machine(&processor, &telling);
		step_both(&processor, &of, PROLOGUE, &telling, false);
		bool some = processor.n_told && processor.x[COUNT];
		step_both(&processor, &of, MAIN, &telling, false);
		step_both(&processor, &of, EPILOGUE, &telling, false);
		for (unsigned i = TO; i <= COUNT && some; i++) {
			(void)get_register(i, &known);
			assert_true(known == UINT64_MAX);
		}
		told += some;
	}
	assert_true(told > 300);
}

/* The first write is where the prologue finds its destination, the others are behind it, whatever is told. */
static void writes_have_their_places(void **state)
{
	const struct operation of = {true, false, 0};
	struct cairn_step_told told[3];
	(void)state;
	for (unsigned wrong = 0; wrong < 3; wrong++) {
		for (unsigned i = 0; i < 3; i++)
			told[i] = (struct cairn_step_told){.address = PAGE + 8 * i,
			                                   .size = 8,
			                                   .kind = CAIRN_MEM_WRITE,
			                                   .address_known = 1};
		told[wrong].address ^= 0x400;
		set_register(TO, PAGE, UINT64_MAX);
		set_register(FROM, 7, UINT64_MAX);
		set_register(COUNT, 100, UINT64_MAX);
		const struct cairn_step *step =
			cairn_machine_step(machine, 0x10000, mops_encoding(&of, PROLOGUE), 4, told, 3);
		assert_int_equal(step->n_accesses, 3);
		for (unsigned i = 0; i < 3; i++)
			assert_true(step->accesses[i].address_known == UINT64_MAX &&
			            step->accesses[i].address == PAGE + 8 * i);
	}
}

/* Tags of addresses do not matter to the direction. */
static void copies_that_overlap_have_a_direction(void **state)
{
	const struct operation of = {false, true, 0};
	unsigned known;
	(void)state;
	for (unsigned tags = 0; tags < 4; tags++) {
		set_register(TO, PAGE | (uint64_t)(tags & 1) << 59, UINT64_MAX);
		set_register(FROM, (PAGE + 1) | (uint64_t)(tags >> 1) << 60, UINT64_MAX);
		set_register(COUNT, 2, UINT64_MAX);
		put_flags(15, 15);
		cairn_machine_step(machine, 0x10000, mops_encoding(&of, PROLOGUE), 4, NULL, 0);
		assert_int_equal(get_flags(&known), 0);
		assert_int_equal(known, 13);
	}
}

/* The same place by two tags: a copy forward may repeat what it has put there, which shows by one of them. */
static void tags_hide_that_places_overlap(void **state)
{
	const uint64_t tag = UINT64_C(3) << 56;
	const struct operation of = {false, false, 0};
	uint8_t bytes[32], known[32];
	(void)state;
	cairn_machine_forget_memory(machine);
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(17 * i);
	cairn_machine_write(machine, tag | PAGE, sizeof bytes, bytes, NULL);
	set_register(TO, PAGE + 8, UINT64_MAX);
	set_register(FROM, tag | PAGE, UINT64_MAX);
	set_register(COUNT, sizeof bytes, UINT64_MAX);
	for (unsigned stage = PROLOGUE; stage <= EPILOGUE; stage++)
		cairn_machine_step(machine, 0x10000 + 4 * stage, mops_encoding(&of, (enum stage)stage), 4,
		                   NULL, 0);
	cairn_machine_read(machine, PAGE + 8, sizeof bytes, bytes, known);
	for (unsigned i = 8; i < sizeof bytes; i++)
		assert_int_equal(known[i], 0);
}

/* LLVM's names of the encodings. */
static void encodings_have_their_names(void **state)
{
	static const char *const suffixes[] = {"",   "wt",   "rt",   "t",   "wn", "wtwn", "rtwn", "twn",
	                                       "rn", "wtrn", "rtrn", "trn", "n",  "wtn",  "rtn",  "tn"};
	static const char *const set_suffixes[] = {"", "t", "n", "tn"};
	struct cairn_disasm *disasm;
	(void)state;
	if (cairn_disasm_new(cairn, CAIRN_ISA_A64, NULL, &disasm) < 0)
		skip();
	for (unsigned k = 0; k < 3 * 64; k++) {
		const struct operation of = {k & 1, k >> 1 & 1, k >> 2 & 15};
		enum stage stage = (enum stage)(k / 64);
		char want[64];
		const char *text;
		snprintf(want, sizeof want, "%s%s%c%s", of.sets ? "set" : "cpy",
		         of.sets == of.other ? (of.sets ? "g" : "f") : "", "pme"[stage],
		         of.sets ? set_suffixes[of.options & 3] : suffixes[of.options]);
		size_t n = cairn_disasm_text(disasm, 0, mops_encoding(&of, stage), 4, &text);
		size_t length = strlen(want);
		if (n <= length || strncmp(text, want, length) != 0 ||
		    (text[length] != ' ' && text[length] != '\t'))
			fail_msg("%08x is %.*s, not %s", mops_encoding(&of, stage), (int)n, text, want);
	}
	cairn_disasm_free(disasm);
}

/* Sizes and addresses of a set with tags are multiples of 16. */
static void tags_need_whole_blocks(void **state)
{
	static const struct {
		uint64_t to, count;
		bool traps;
	} cases[] = {{PAGE, 16, false},
	             {PAGE, 8, true},
	             {PAGE + 8, 16, true},
	             {PAGE + 8, 0, false},
	             {PAGE, UINT64_MAX, false}};
	const struct operation of = {true, true, 0};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		set_register(TO, cases[i].to, UINT64_MAX);
		set_register(COUNT, cases[i].count, UINT64_MAX);
		set_register(FROM, 1, UINT64_MAX);
		const struct cairn_step *step =
			cairn_machine_step(machine, 0x10000, mops_encoding(&of, PROLOGUE), 4, NULL, 0);
		assert_int_equal(step->status, cases[i].traps ? CAIRN_STEP_TRAP : CAIRN_STEP_DONE);
	}
}

/* ---- pointers that are checked (FEAT_CPA) ---- */

struct long_number {
	uint64_t low, high;
};

static struct long_number long_signed(uint64_t a)
{
	return (struct long_number){a, a >> 63 ? UINT64_MAX : 0};
}

/* Of 128 bits, by adding the first number, shifted, for each bit of the second. */
static struct long_number long_product(struct long_number a, struct long_number b)
{
	struct long_number sum = {0, 0};
	for (unsigned i = 0; i < 128; i++) {
		if ((i < 64 ? b.low >> i : b.high >> (i - 64)) & 1) {
			uint64_t before = sum.low;
			sum.low += a.low;
			sum.high += a.high + (sum.low < before);
		}
		a.high = a.high << 1 | a.low >> 63;
		a.low <<= 1;
	}
	return sum;
}

/* PointerAddCheck and PointerMultiplyAddCheck, where the system has the checks on. */
static uint64_t slow_check(uint64_t result, uint64_t base, bool overflow)
{
	bool marked_before = (base >> 55 & 1) != (base >> 54 & 1);
	if (result >> 56 == base >> 56 && !marked_before && !overflow)
		return result;
	return (result & ((UINT64_C(1) << 54) - 1)) | base >> 55 << 55 |
	       (uint64_t) !(base >> 55 & 1) << 54;
}

enum { A = 12, POINTER_ADD = 0x9a002000, POINTER_MULTIPLY = 0x9b600000 };

static uint64_t slow_pointer(uint32_t enc, const uint64_t x[3], bool checks)
{
	bool multiplies = enc >> 24 & 1;
	uint64_t base = x[multiplies ? 2 : 0], by = x[1] << (enc >> 10 & 7);
	bool subtracts = multiplies ? enc >> 15 & 1 : enc >> 30 & 1, overflow = false;
	if (multiplies) {
		struct long_number product = long_product(long_signed(x[0]), long_signed(x[1]));
		by = product.low;
		overflow = product.high != long_signed(product.low).high;
	}
	uint64_t result = subtracts ? base - by : base + by;
	return checks ? slow_check(result, base, overflow) : result;
}

static uint64_t random_pointer(void)
{
	uint64_t top = random_bits() & 1 << 9 ? 0 : random_bits() << 56;
	return random_bits() & 1 << 9 ? random_integer() : top | random_bits() >> 20;
}

static void checked_pointers(void **state)
{
	static const unsigned numbers[3] = {N, M, A};
	unsigned sure = 0;
	(void)state;
	exec_seed("pointers", 8);
	for (unsigned k = 0; k < 40000; k++) {
		uint32_t enc = k & 1 ? POINTER_MULTIPLY | (uint32_t)(random_bits() >> 9 & 1) << 15 | A << 10
		                     : POINTER_ADD | (uint32_t)(random_bits() >> 9 & 1) << 30 |
		                           (uint32_t)(random_bits() >> 9 & 7) << 10;
		uint64_t x[3] = {random_pointer(), random_pointer(), random_pointer()}, known, claimed;
		if (k & 1 && k & 2)
			x[0] = (x[0] & 0xff) - 128;
		known = k & 4 ? UINT64_MAX : k & 8 ? random_bits() | random_bits() : ~random_integer();
		for (unsigned i = 0; i < 3; i++)
			set_register(numbers[i], x[i] & known, known);
		enc |= M << 16 | N << 5 | D;
		const struct cairn_step *step = cairn_machine_step(machine, 0x10000, enc, 4, NULL, 0);
		assert_int_equal(step->status, CAIRN_STEP_DONE);
		uint64_t made = get_register(D, &claimed);
		for (unsigned i = 0; i < FILLED; i++) {
			uint64_t filled[3];
			for (unsigned n = 0; n < 3; n++)
				filled[n] = (x[n] & known) | (random_bits() & ~known);
			uint64_t right = slow_pointer(enc, filled, i & 1);
			if ((made ^ right) & claimed)
				fail_msg("%08x of 0x%llx, 0x%llx, 0x%llx: 0x%llx, not 0x%llx", enc,
				         (unsigned long long)filled[0], (unsigned long long)filled[1],
				         (unsigned long long)filled[2], (unsigned long long)made,
				         (unsigned long long)right);
		}
		/* what no check could mark is known, and the rest of what it would */
		bool same = slow_pointer(enc, x, false) == slow_pointer(enc, x, true);
		if (known == UINT64_MAX)
			assert_true(claimed == UINT64_MAX ||
			            (!same && (claimed | UINT64_MAX << 54) == UINT64_MAX));
		sure += known == UINT64_MAX && same;
	}
	assert_true(sure > 1000);
}

/* ---- atomics of 128 bits (FEAT_LSE128) ---- */

static uint64_t slow_combined(unsigned which, uint64_t old, uint64_t operand)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < 64; i++) {
		bool is = old >> i & 1, with = operand >> i & 1;
		made |= (uint64_t)(which == 0 ? is && !with : which == 1 ? is || with : with) << i;
	}
	return made;
}

static void atomics_of_two_registers(void **state)
{
	static const uint32_t matches[3] = {0x19201000, 0x19203000,
	                                    0x19208000}; /* ldclrp, ldsetp, swpp */
	(void)state;
	exec_seed("pairs", 16);
	for (unsigned k = 0; k < 6000; k++) {
		uint64_t operand[2] = {random_bits(), random_bits()},
				 old[2] = {random_bits(), random_bits()};
		uint64_t known = k & 8 ? UINT64_MAX : random_bits() | random_bits(), claimed;
		uint32_t enc =
			matches[k % 3] | (uint32_t)(random_bits() >> 9 & 3) << 22 | M << 16 | N << 5 | D;
		set_register(N, PAGE, UINT64_MAX);
		for (unsigned i = 0; i < 2; i++) {
			uint8_t bytes[8], mask[8];
			set_register(i ? M : D, operand[i] & known, known);
			exec_put_bytes(bytes, old[i] & known, 8, false);
			exec_put_bytes(mask, known, 8, false);
			cairn_machine_write(machine, PAGE + 8 * i, 8, bytes, mask);
		}
		const struct cairn_step *step = cairn_machine_step(machine, 0x10000, enc, 4, NULL, 0);
		assert_int_equal(step->status, CAIRN_STEP_DONE);
		assert_int_equal(step->n_accesses, 2);
		for (unsigned i = 0; i < 2; i++) {
			uint8_t bytes[8], mask[8];
			uint64_t made = get_register(i ? M : D, &claimed);
			assert_true(claimed == known && made == (old[i] & known));
			cairn_machine_read(machine, PAGE + 8 * i, 8, bytes, mask);
			uint64_t right = slow_combined(k % 3, old[i], operand[i]);
			assert_true(!((number_of(bytes) ^ right) & number_of(mask)));
			assert_true((number_of(mask) & known) == known);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_qemu_does_not_know),
		cmocka_unit_test(hinted_branches_are_branches),
		cmocka_unit_test(ordered_accesses_are_accesses),
		cmocka_unit_test(copies_and_sets_are_the_manuals),
		cmocka_unit_test(accesses_tell_how_much_is_done),
		cmocka_unit_test(accesses_tell_the_direction),
		cmocka_unit_test(writes_have_their_places),
		cmocka_unit_test(copies_that_overlap_have_a_direction),
		cmocka_unit_test(tags_hide_that_places_overlap),
		cmocka_unit_test(encodings_have_their_names),
		cmocka_unit_test(tags_need_whole_blocks),
		cmocka_unit_test(checked_pointers),
		cmocka_unit_test(atomics_of_two_registers),
	};
	return cmocka_run_group_tests(tests, open_machine, close_machine);
}
