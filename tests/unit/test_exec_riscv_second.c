/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V vector instructions that QEMU 7.2 does not know, against a second implementation: elements
 * bit by bit as the manual's text has them, ciphers and hashes as the standards have them, in published
 * examples and, where libcrypto is there, of random messages. And blocks of caches: what memory holds behind them for each
 * size that a block may have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#ifdef HAVE_LIBCRYPTO
#include <openssl/evp.h>
#endif

#include "exec/riscv_vector.h"
#include "fixtures/exec_cases.h"

enum { BYTES = 32, VD = 8, VS2 = 16, VS1 = 24 }; /* vectors of 256 bits */

static struct cairn *cairn;
static struct cairn_machine *machine;

static int open_machine(void **state)
{
	const struct cairn_machine_opts opts = {.size = sizeof opts, .vector_bits = 8 * BYTES};
	(void)state;
	cairn = cairn_new(NULL);
	return cairn_machine_new(cairn, CAIRN_ISA_RV64, &opts, &machine);
}

static int close_machine(void **state)
{
	(void)state;
	cairn_machine_free(machine);
	cairn_free(cairn);
	return 0;
}

static void set_number(enum cairn_reg_class cls, unsigned num, uint64_t value)
{
	uint8_t bytes[8];
	exec_put_bytes(bytes, value, 8, false);
	cairn_machine_set(machine, cls, num, 8, bytes, NULL);
}

static void set_vectors(unsigned sew, unsigned vl)
{
	unsigned vsew = sew == 8 ? 0 : sew == 16 ? 1 : sew == 32 ? 2 : 3;
	set_number(CAIRN_REG_CSR, RISCV_VTYPE_CSR, vsew << 3);
	set_number(CAIRN_REG_CSR, RISCV_VL_CSR, vl);
	set_number(CAIRN_REG_CSR, RISCV_VSTART_CSR, 0);
	set_number(CAIRN_REG_CSR, 1, 0);
	set_number(CAIRN_REG_CSR, 2, 0);
}

static void put_vector(unsigned num, const void *bytes)
{
	cairn_machine_set(machine, CAIRN_REG_VECTOR, num, BYTES, bytes, NULL);
}

static void get_vector(unsigned num, void *bytes)
{
	uint8_t known[BYTES];
	cairn_machine_get(machine, CAIRN_REG_VECTOR, num, BYTES, bytes, known);
	for (unsigned i = 0; i < BYTES; i++)
		assert_int_equal(known[i], 0xff);
}

static const struct riscv_vector_row *row_named(const char *name)
{
	static const struct riscv_vector_row *const tables[] = {
		riscv_vector_integer_rows, riscv_vector_float_rows, riscv_vector_crypto_rows};
	for (size_t i = 0; i < 3; i++)
		for (const struct riscv_vector_row *row = tables[i]; row->name; row++)
			if (!strcmp(row->name, name))
				return row;
	fail_msg("no instruction has the name %s", name);
	return NULL;
}

/* Run an instruction on VD, VS2 and what its rs1 field is. */
static void run(const char *name, unsigned rs1, unsigned vm)
{
	const struct riscv_vector_row *row = row_named(name);
	uint32_t enc = row->match | VD << 7 | VS2 << 20 | (row->mask & RISCV_VM ? 0 : vm << 25);
	if (!(row->mask & 0x000f8000))
		enc |= (rs1 & 31) << 15;
	const struct cairn_step *step = cairn_machine_step(machine, 0x1000, enc, 4, NULL, 0);
	if (step->status != CAIRN_STEP_DONE || step->reason)
		fail_msg("%s, %08x: %s", name, enc, step->reason ? step->reason : "not done");
}

static uint64_t number_at(const uint8_t *bytes, unsigned index, unsigned bits)
{
	uint64_t number = 0;
	for (unsigned i = bits / 8; i-- > 0;)
		number = number << 8 | bytes[index * bits / 8 + i];
	return number;
}

/* ---- elements ---- */

static bool bit(uint64_t a, unsigned i)
{
	return a >> i & 1;
}

/* What an element of `d` bits becomes of one of `a` bits, one of `b` bits and what it held. */
struct element {
	uint64_t a, b, d;
	unsigned a_bits, b_bits, d_bits;
};
typedef uint64_t slow(const struct element *e);

#define SLOW(name) static uint64_t slow_##name(const struct element *e)

SLOW(andn)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < e->d_bits; i++)
		made |= (uint64_t)(bit(e->a, i) && !bit(e->b, i)) << i;
	return made;
}
SLOW(ror)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < e->d_bits; i++)
		made |= (uint64_t)bit(e->a, (unsigned)((i + e->b) % e->d_bits)) << i;
	return made;
}
SLOW(rol)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < e->d_bits; i++)
		made |= (uint64_t)bit(e->a, i) << (i + e->b) % e->d_bits;
	return made;
}
SLOW(wsll)
{
	uint64_t made = e->a;
	for (unsigned i = 0; i < e->b % e->d_bits; i++)
		made *= 2;
	return made & UINT64_MAX >> (64 - e->d_bits);
}
SLOW(brev)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < e->d_bits; i++)
		made |= (uint64_t)bit(e->a, i) << (e->d_bits - 1 - i);
	return made;
}
SLOW(brev8)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < e->d_bits; i++)
		made |= (uint64_t)bit(e->a, i) << (i / 8 * 8 + 7 - i % 8);
	return made;
}
SLOW(rev8)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < e->d_bits; i++)
		made |= (uint64_t)bit(e->a, i) << (e->d_bits - 8 - i / 8 * 8 + i % 8);
	return made;
}
SLOW(clz)
{
	unsigned n = 0;
	while (n < e->a_bits && !bit(e->a, e->a_bits - 1 - n))
		n++;
	return n;
}
SLOW(ctz)
{
	unsigned n = 0;
	while (n < e->a_bits && !bit(e->a, n))
		n++;
	return n;
}
SLOW(cpop)
{
	unsigned n = 0;
	for (unsigned i = 0; i < e->a_bits; i++)
		n += bit(e->a, i);
	return n;
}
SLOW(clmul)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < e->d_bits; i++)
		for (unsigned k = 0; k <= i; k++)
			made ^= (uint64_t)(bit(e->a, k) && bit(e->b, i - k)) << i;
	return made;
}
SLOW(clmulh)
{
	uint64_t made = 0;
	for (unsigned i = e->d_bits; i < 2 * e->d_bits - 1; i++)
		for (unsigned k = i - e->d_bits + 1; k < e->d_bits; k++)
			made ^= (uint64_t)(bit(e->a, k) && bit(e->b, i - k)) << (i - e->d_bits);
	return made;
}

/* ---- numbers, with the host's arithmetic to nearest even ---- */

static double host_number(uint64_t bits, unsigned size)
{
	double wide;
	float narrow;
	uint32_t word = (uint32_t)bits;
	memcpy(&wide, &bits, 8);
	memcpy(&narrow, &word, 4);
	return size == 64 ? wide : narrow;
}

/* A number that is no NaN, else the canonical one. */
static uint64_t number_bits(double number, unsigned size)
{
	float narrow = (float)number;
	uint64_t bits;
	uint32_t word;
	memcpy(&bits, &number, 8);
	memcpy(&word, &narrow, 4);
	if (number != number)
		return size == 64 ? 0x7ff8000000000000 : 0x7fc00000;
	return size == 64 ? bits : word;
}

SLOW(fwadd_w)
{
	return number_bits(host_number(e->a, 64) + host_number(e->b, 32), 64);
}
SLOW(fwsub_w)
{
	return number_bits(host_number(e->a, 64) - host_number(e->b, 32), 64);
}
/* To integers towards 0, with the nearest one where there is no room. */
SLOW(to_unsigned)
{
	double number = host_number(e->a, e->a_bits);
	double end = e->d_bits == 64 ? 18446744073709551616.0 : (double)((uint64_t)1 << e->d_bits);
	if (number != number || number >= end)
		return UINT64_MAX >> (64 - e->d_bits);
	return number <= -1 ? 0 : (uint64_t)number;
}
SLOW(to_signed)
{
	double number = host_number(e->a, e->a_bits);
	double end = (double)((uint64_t)1 << (e->d_bits - 1));
	uint64_t most = UINT64_MAX >> (65 - e->d_bits);
	if (number != number || number >= end)
		return most;
	uint64_t made = number < -end ? ~most : (uint64_t)(int64_t)number;
	return made & UINT64_MAX >> (64 - e->d_bits);
}
/* BF16 is the upper half of a number of 32 bits. */
SLOW(from_bf16)
{
	return number_bits(host_number(e->a << 16, 32), 32);
}
SLOW(to_bf16)
{
	uint64_t half = e->a & 0xffff;
	if (host_number(e->a, 32) != host_number(e->a, 32))
		return 0x7fc0;
	return (e->a >> 16) + (half > 0x8000 || (half == 0x8000 && e->a >> 16 & 1));
}
/* The product of two such numbers is exact in 64 bits; with the addend far away the sum in 64 bits
 * would be rounded twice, so the test takes small numbers. */
SLOW(macc_bf16)
{
	double product = host_number(e->a << 16, 32) * host_number(e->b << 16, 32);
	return number_bits(product + host_number(e->d, 32), 32);
}

/* What is in rs1: v0 … of vector operands, x9 or f9, or a constant. */
static const struct {
	const char *name;
	slow *slow;
	unsigned least, most; /* SEW */
	int a_wide, d_wide;
} elements[] = {
	{"vandn.vv", slow_andn, 8, 64, 0, 0},
	{"vandn.vx", slow_andn, 8, 64, 0, 0},
	{"vror.vv", slow_ror, 8, 64, 0, 0},
	{"vror.vx", slow_ror, 8, 64, 0, 0},
	{"vror.vi", slow_ror, 8, 64, 0, 0},
	{"vrol.vv", slow_rol, 8, 64, 0, 0},
	{"vrol.vx", slow_rol, 8, 64, 0, 0},
	{"vwsll.vv", slow_wsll, 8, 32, 0, 1},
	{"vwsll.vx", slow_wsll, 8, 32, 0, 1},
	{"vwsll.vi", slow_wsll, 8, 32, 0, 1},
	{"vbrev8.v", slow_brev8, 8, 64, 0, 0},
	{"vrev8.v", slow_rev8, 8, 64, 0, 0},
	{"vbrev.v", slow_brev, 8, 64, 0, 0},
	{"vclz.v", slow_clz, 8, 64, 0, 0},
	{"vctz.v", slow_ctz, 8, 64, 0, 0},
	{"vcpop.v", slow_cpop, 8, 64, 0, 0},
	{"vclmul.vv", slow_clmul, 64, 64, 0, 0},
	{"vclmul.vx", slow_clmul, 64, 64, 0, 0},
	{"vclmulh.vv", slow_clmulh, 64, 64, 0, 0},
	{"vclmulh.vx", slow_clmulh, 64, 64, 0, 0},
	{"vfwadd.wv", slow_fwadd_w, 32, 32, 1, 1},
	{"vfwadd.wf", slow_fwadd_w, 32, 32, 1, 1},
	{"vfwsub.wv", slow_fwsub_w, 32, 32, 1, 1},
	{"vfwsub.wf", slow_fwsub_w, 32, 32, 1, 1},
	{"vfcvt.rtz.xu.f.v", slow_to_unsigned, 32, 64, 0, 0},
	{"vfcvt.rtz.x.f.v", slow_to_signed, 32, 64, 0, 0},
	{"vfwcvt.rtz.xu.f.v", slow_to_unsigned, 32, 32, 0, 1},
	{"vfwcvt.rtz.x.f.v", slow_to_signed, 32, 32, 0, 1},
	{"vfncvt.rtz.xu.f.w", slow_to_unsigned, 16, 32, 1, 0},
	{"vfncvt.rtz.x.f.w", slow_to_signed, 16, 32, 1, 0},
	{"vfwcvtbf16.f.f.v", slow_from_bf16, 16, 16, 0, 1},
	{"vfncvtbf16.f.f.w", slow_to_bf16, 16, 16, 1, 0},
	{"vfwmaccbf16.vv", slow_macc_bf16, 16, 16, 0, 1},
	{"vfwmaccbf16.vf", slow_macc_bf16, 16, 16, 0, 1},
};

static void random_vector(uint8_t *bytes, const char *name, unsigned bits)
{
	for (unsigned i = 0; i < 2 * BYTES; i += bits / 8) {
		uint64_t number = random_integer();
		if (name[1] == 'f' && bits >= 32 && random_bits() % 4)
			number = exec_random_number(bits / 8);
		if (!strncmp(name, "vfwmacc", 7)) /* between 1 and 16 */
			number = bits == 16 ? 0x3f80 + random_bits() % 0x200
			                    : 0x3f800000 + random_bits() % 0x2000000;
		exec_put_bytes(bytes + i, number, bits / 8, false);
	}
}

/* One instruction on random registers; masked where `vm` is 0. */
static void try_elements(size_t which, unsigned sew, unsigned vm)
{
	const char *name = elements[which].name;
	unsigned form = row_named(name)->form, rs1 = form == RISCV_FORM_VV ? VS1 : 9;
	struct element e = {.a_bits = sew << elements[which].a_wide,
	                    .b_bits = sew,
	                    .d_bits = sew << elements[which].d_wide};
	uint8_t a[2 * BYTES], b[2 * BYTES], d[2 * BYTES], mask[2 * BYTES], made[2 * BYTES];
	unsigned vl = (unsigned)(random_bits() % (8 * BYTES / sew + 1));
	random_vector(a, name, e.a_bits);
	random_vector(b, name, e.b_bits);
	random_vector(d, name, e.d_bits);
	random_vector(mask, "v", 8);
	if (form == RISCV_FORM_VU || form == RISCV_FORM_V6)
		rs1 = (unsigned)random_bits() & 31;
	for (unsigned i = 0; i < 2; i++) {
		put_vector(VS2 + i, a + i * BYTES);
		put_vector(VD + i, d + i * BYTES);
	}
	put_vector(VS1, b);
	put_vector(0, mask);
	set_number(CAIRN_REG_INT, 9, number_at(b, 0, sew));
	set_number(CAIRN_REG_FP, 9, number_at(b, 0, sew) | (sew < 64 ? UINT64_MAX << sew : 0));
	set_vectors(sew, vl);
	run(name, rs1, vm);
	get_vector(VD, made);
	get_vector(VD + 1, made + BYTES);
	for (unsigned i = 0; i < 2 * 8 * BYTES / e.d_bits; i++) {
		bool active = i < vl && (vm || bit(mask[i / 8], i % 8));
		e.a = i < vl ? number_at(a, i, e.a_bits) : 0;
		e.b = form == RISCV_FORM_VV ? number_at(b, i % (8 * BYTES / sew), sew)
		      : form == RISCV_FORM_VU || form == RISCV_FORM_V6 ? rs1
		                                                       : number_at(b, 0, sew);
		e.d = number_at(d, i, e.d_bits);
		uint64_t expected = active ? elements[which].slow(&e) : e.d;
		if (number_at(made, i, e.d_bits) != expected)
			fail_msg("%s, element %u of %u bits: %llx of %llx and %llx, expected %llx", name, i,
			         sew, (unsigned long long)number_at(made, i, e.d_bits), (unsigned long long)e.a,
			         (unsigned long long)e.b, (unsigned long long)expected);
	}
}

static void elements_are_those_of_the_second_implementation(void **state)
{
	const char *wanted = getenv("CAIRN_LONG");
	unsigned rounds = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 100;
	(void)state;
	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
		exec_seed(elements[i].name, 32);
		for (unsigned round = 0; round < rounds; round++)
			for (unsigned sew = elements[i].least; sew <= elements[i].most; sew *= 2)
				if (strncmp(elements[i].name, "vfncvt.rtz", 10) || sew == 32 || sew == 16)
					try_elements(i, sew, round & 1);
	}
}

/* ---- ciphers ---- */

/* One step on two groups of four words, both alike. */
static void step_blocks(const char *name, unsigned rs1, void *d, const void *b, unsigned size)
{
	uint8_t bytes[BYTES];
	memcpy(bytes, d, size);
	memcpy(bytes + BYTES - size, d, size);
	put_vector(VD, bytes);
	memcpy(bytes, b, size);
	memcpy(bytes + BYTES - size, b, size);
	put_vector(VS2, bytes);
	set_vectors(32, BYTES / 4);
	run(name, rs1, 1);
	get_vector(VD, bytes);
	assert_memory_equal(bytes, bytes + BYTES - size, size);
	memcpy(d, bytes, size);
}

static void aes_keys(uint8_t keys[15][16], const uint8_t *key, unsigned rounds)
{
	bool large = rounds == 14;
	memcpy(keys, key, large ? 32 : 16);
	for (unsigned i = large ? 2 : 1; i <= rounds; i++) {
		if (large)
			memcpy(keys[i], keys[i - 2], 16);
		step_blocks(large ? "vaeskf2.vi" : "vaeskf1.vi", i, keys[i], keys[i - 1], 16);
	}
}

static void aes_encrypt(uint8_t keys[15][16], unsigned rounds, uint8_t *block)
{
	step_blocks("vaesz.vs", 0, block, keys[0], 16);
	for (unsigned i = 1; i < rounds; i++)
		step_blocks(i & 1 ? "vaesem.vv" : "vaesem.vs", 0, block, keys[i], 16);
	step_blocks(rounds == 10 ? "vaesef.vv" : "vaesef.vs", 0, block, keys[rounds], 16);
}

static void aes_decrypt(uint8_t keys[15][16], unsigned rounds, uint8_t *block)
{
	step_blocks("vaesz.vs", 0, block, keys[rounds], 16);
	for (unsigned i = rounds - 1; i; i--)
		step_blocks(i & 1 ? "vaesdm.vv" : "vaesdm.vs", 0, block, keys[i], 16);
	step_blocks(rounds == 10 ? "vaesdf.vv" : "vaesdf.vs", 0, block, keys[0], 16);
}

static uint32_t big_word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void turn_words(uint8_t *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		exec_put_bytes(bytes + 4 * i, big_word(bytes + 4 * i), 4, false);
}

static void sm4_encrypt(const uint8_t *key, const uint8_t *from, uint8_t *to)
{
	static const uint32_t system_key[] = {0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc};
	uint8_t keys[9][16], block[16];
	for (unsigned i = 0; i < 4; i++)
		exec_put_bytes(keys[0] + 4 * i, big_word(key + 4 * i) ^ system_key[i], 4, false);
	for (unsigned i = 0; i < 8; i++)
		step_blocks("vsm4k.vi", i, keys[i + 1], keys[i], 16);
	memcpy(block, from, 16);
	turn_words(block, 4);
	for (unsigned i = 0; i < 8; i++)
		step_blocks(i & 1 ? "vsm4r.vv" : "vsm4r.vs", 0, block, keys[i + 1], 16);
	turn_words(block, 4);
	for (unsigned i = 0; i < 4; i++)
		memcpy(to + 4 * i, block + 12 - 4 * i, 4);
}

static void from_hex(uint8_t *to, const char *text)
{
	for (; *text; text += 2)
		*to++ = (uint8_t)strtoul((char[]){text[0], text[1], 0}, NULL, 16);
}

static void expect_bytes(const uint8_t *bytes, const char *text)
{
	uint8_t expected[64];
	from_hex(expected, text);
	assert_memory_equal(bytes, expected, strlen(text) / 2);
}

/* FIPS 197, appendix C; GB/T 32907, appendix A. */
static void ciphers_are_those_of_the_standards_examples(void **state)
{
	uint8_t key[32], keys[15][16], block[16];
	(void)state;
	for (unsigned i = 0; i < 32; i++)
		key[i] = (uint8_t)i;
	for (unsigned rounds = 10; rounds <= 14; rounds += 4) {
		from_hex(block, "00112233445566778899aabbccddeeff");
		aes_keys(keys, key, rounds);
		aes_encrypt(keys, rounds, block);
		expect_bytes(block, rounds == 10 ? "69c4e0d86a7b0430d8cdb78070b4c55a"
		                                 : "8ea2b7ca516745bfeafc49904b496089");
		aes_decrypt(keys, rounds, block);
		expect_bytes(block, "00112233445566778899aabbccddeeff");
	}
	from_hex(key, "0123456789abcdeffedcba9876543210");
	sm4_encrypt(key, key, block);
	expect_bytes(block, "681edf34d206965e86b3e94f536e4246");
}

/* ---- hashes ---- */

/* The product of two numbers of `n` words of 32 bits. */
static void multiply(uint32_t *to, const uint32_t *a, const uint32_t *b, unsigned n)
{
	memset(to, 0, 2 * n * sizeof *to);
	for (unsigned i = 0; i < n; i++) {
		uint64_t carry = 0;
		for (unsigned k = 0; k < n; k++) {
			carry += to[i + k] + (uint64_t)a[i] * b[k];
			to[i + k] = (uint32_t)carry;
			carry >>= 32;
		}
		to[i + n] = (uint32_t)carry;
	}
}

/* The first 64 bits behind the point of a prime's cube root: the greatest number whose cube is at most
 * prime * 2^192. */
static uint64_t root_bits(unsigned prime)
{
	uint32_t root[4] = {0};
	for (unsigned i = 68; i-- > 0;) {
		uint32_t square[8], cube[16], wide[8] = {0};
		root[i / 32] |= 1u << i % 32;
		multiply(square, root, root, 4);
		memcpy(wide, root, sizeof root);
		multiply(cube, square, wide, 8);
		bool more = false;
		for (unsigned k = 7; k < 16; k++)
			more |= cube[k] != 0;
		if (more || cube[6] >= prime)
			root[i / 32] &= ~(1u << i % 32);
	}
	return root[0] | (uint64_t)root[1] << 32;
}

static unsigned prime_number(unsigned index)
{
	unsigned n = 2;
	for (unsigned i = 2;; i++) {
		bool is = true;
		for (unsigned k = 2; k * k <= i; k++)
			is &= i % k != 0;
		if (is && !index--) {
			n = i;
			break;
		}
	}
	return n;
}

/* Four words in a register, and back. */
static void put_words(unsigned num, const uint64_t *words, unsigned bits)
{
	uint8_t bytes[BYTES] = {0};
	for (unsigned i = 0; i < 4; i++)
		exec_put_bytes(bytes + i * bits / 8, words[i], bits / 8, false);
	put_vector(num, bytes);
}

static void get_words(unsigned num, uint64_t *words, unsigned bits)
{
	uint8_t bytes[BYTES];
	get_vector(num, bytes);
	for (unsigned i = 0; i < 4; i++)
		words[i] = number_at(bytes, i, bits);
}

/* One block of SHA-256 or SHA-512, by the number of bits; `state` is a to h. */
static void sha2_block(uint64_t *state, const uint8_t *block, unsigned bits)
{
	unsigned rounds = bits == 32 ? 64 : 80;
	uint64_t w[80 + 4];
	uint64_t pair[2][4] = {{state[5], state[4], state[1], state[0]},
	                       {state[7], state[6], state[3], state[2]}};
	for (unsigned i = 0; i < 16; i++) {
		w[i] = 0;
		for (unsigned k = 0; k < bits / 8; k++)
			w[i] = w[i] << 8 | block[i * bits / 8 + k];
	}
	set_vectors(bits, 4);
	for (unsigned i = 16; i < rounds; i += 4) {
		const uint64_t middle[4] = {w[i - 12], w[i - 7], w[i - 6], w[i - 5]};
		put_words(VD, w + i - 16, bits);
		put_words(VS2, middle, bits);
		put_words(VS1, w + i - 4, bits);
		run("vsha2ms.vv", VS1, 1);
		get_words(VD, w + i, bits);
	}
	for (unsigned i = 0; i < rounds; i += 2) {
		uint64_t sum[4];
		for (unsigned k = 0; k < 4; k++)
			sum[k] = w[i / 4 * 4 + k] + (root_bits(prime_number(i / 4 * 4 + k)) >> (64 - bits));
		put_words(VD, pair[(i / 2 + 1) & 1], bits);
		put_words(VS2, pair[i / 2 & 1], bits);
		put_words(VS1, sum, bits);
		run(i & 2 ? "vsha2ch.vv" : "vsha2cl.vv", VS1, 1);
		get_words(VD, pair[(i / 2 + 1) & 1], bits);
	}
	const uint64_t *one = pair[0], *two = pair[1];
	const uint64_t made[8] = {one[3], one[2], two[3], two[2], one[1], one[0], two[1], two[0]};
	for (unsigned i = 0; i < 8; i++)
		state[i] += made[i];
}

/* One block of SM3, whose state is in the order of its bytes. */
static void sm3_block(uint8_t *state, const uint8_t *block)
{
	uint8_t w[68 * 4 + 16], before[BYTES];
	memcpy(w, block, 64);
	memcpy(before, state, BYTES);
	set_vectors(32, 8);
	for (unsigned i = 16; i < 68; i += 8) {
		put_vector(VS1, w + 4 * (i - 16));
		put_vector(VS2, w + 4 * (i - 8));
		run("vsm3me.vv", VS1, 1);
		uint8_t made[BYTES];
		get_vector(VD, made);
		memcpy(w + (size_t)4 * i, made, i + 8 <= 68 ? BYTES : 16);
	}
	for (unsigned i = 0; i < 32; i++) {
		put_vector(VD, state);
		put_vector(VS2, w + (size_t)8 * i);
		run("vsm3c.vi", i, 1);
		get_vector(VD, state);
	}
	for (unsigned i = 0; i < BYTES; i++)
		state[i] ^= before[i];
}

static void from_words(uint8_t *to, const uint64_t *words, unsigned bits)
{
	for (unsigned i = 0; i < 8; i++)
		exec_put_bytes(to + i * bits / 8, words[i], bits / 8, true);
}

static const uint64_t sha512_start[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                         0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                         0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/* The hash of a message that fits into one block. */
static void hash_short(const char *name, const uint8_t *message, size_t n, uint8_t *to)
{
	bool sm3 = !strcmp(name, "sm3");
	unsigned bits = !strcmp(name, "sha512") ? 64 : 32, size = 2 * bits;
	uint8_t block[128] = {0};
	uint64_t state[8];
	memcpy(block, message, n);
	block[n] = 0x80;
	exec_put_bytes(block + size - 8, 8 * n, 8, true);
	if (sm3) {
		from_hex(to, "7380166f4914b2b9172442d7da8a0600a96f30bc163138aae38dee4db0fb0e4e");
		sm3_block(to, block);
		return;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] = sha512_start[i] >> (64 - bits);
	sha2_block(state, block, bits);
	from_words(to, state, bits);
}

/* FIPS 180-4 and GB/T 32905, their examples "abc". */
static void hashes_are_those_of_the_standards_examples(void **state)
{
	uint8_t made[64];
	(void)state;
	hash_short("sha256", (const uint8_t *)"abc", 3, made);
	expect_bytes(made, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_short("sha512", (const uint8_t *)"abc", 3, made);
	expect_bytes(made, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	                   "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
	hash_short("sm3", (const uint8_t *)"abc", 3, made);
	expect_bytes(made, "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0");
}

/* SP 800-38D, 6.3: bit 0 is the highest of the first byte. */
static void gcm_product(uint8_t *to, const uint8_t *x, const uint8_t *y)
{
	uint8_t v[16], z[16] = {0};
	memcpy(v, y, 16);
	for (unsigned i = 0; i < 128; i++) {
		for (unsigned k = 0; k < 16 && bit(x[i / 8], 7 - i % 8); k++)
			z[k] ^= v[k];
		bool last = v[15] & 1;
		for (unsigned k = 16; k-- > 0;)
			v[k] = (uint8_t)(v[k] >> 1 | (k ? v[k - 1] << 7 : 0));
		v[0] ^= last ? 0xe1 : 0;
	}
	memcpy(to, z, 16);
}

static void products_are_those_of_gcm(void **state)
{
	(void)state;
	exec_seed("vghsh", 32);
	for (unsigned round = 0; round < 200; round++) {
		uint8_t y[16], h[16], x[BYTES], sum[16], expected[16];
		for (unsigned i = 0; i < 16; i++) {
			y[i] = (uint8_t)random_bits();
			h[i] = (uint8_t)random_bits();
			x[i] = x[i + 16] = (uint8_t)random_bits();
			sum[i] = y[i] ^ x[i];
		}
		gcm_product(expected, sum, h);
		put_vector(VS1, x);
		step_blocks("vghsh.vv", VS1, y, h, 16);
		assert_memory_equal(y, expected, 16);
		gcm_product(expected, y, h);
		step_blocks("vgmul.vv", 0, y, h, 16);
		assert_memory_equal(y, expected, 16);
	}
}

/* ---- libcrypto ---- */

#ifdef HAVE_LIBCRYPTO
static void libcrypto_cipher(const EVP_CIPHER *cipher, const uint8_t *key, const uint8_t *from,
                             uint8_t *to)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n = 0;
	assert_int_equal(EVP_EncryptInit_ex(ctx, cipher, NULL, key, NULL), 1);
	EVP_CIPHER_CTX_set_padding(ctx, 0);
	assert_int_equal(EVP_EncryptUpdate(ctx, to, &n, from, 16), 1);
	EVP_CIPHER_CTX_free(ctx);
}

static void random_messages(unsigned round)
{
	uint8_t key[32], block[32], ours[64], theirs[64], keys[15][16];
	unsigned rounds = round & 1 ? 14 : 10;
	for (unsigned i = 0; i < 32; i++) {
		key[i] = (uint8_t)random_bits();
		block[i] = (uint8_t)random_bits();
	}
	aes_keys(keys, key, rounds);
	memcpy(ours, block, 16);
	aes_encrypt(keys, rounds, ours);
	libcrypto_cipher(round & 1 ? EVP_aes_256_ecb() : EVP_aes_128_ecb(), key, block, theirs);
	assert_memory_equal(ours, theirs, 16);
	aes_decrypt(keys, rounds, ours);
	assert_memory_equal(ours, block, 16);
	sm4_encrypt(key, block, ours);
	libcrypto_cipher(EVP_sm4_ecb(), key, block, theirs);
	assert_memory_equal(ours, theirs, 16);
	const char *const names[] = {"sha256", "sha512", "sm3"};
	const EVP_MD *const hashes[] = {EVP_sha256(), EVP_sha512(), EVP_sm3()};
	for (unsigned i = 0; i < 3; i++) {
		unsigned n = 0;
		hash_short(names[i], block, round % 32, ours);
		assert_int_equal(EVP_Digest(block, round % 32, theirs, &n, hashes[i], NULL), 1);
		assert_memory_equal(ours, theirs, n);
	}
}
#endif

static void random_messages_are_those_of_libcrypto(void **state)
{
	(void)state;
#ifndef HAVE_LIBCRYPTO
	skip();
#else
	const char *wanted = getenv("CAIRN_LONG");
	unsigned rounds = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 24;
	exec_seed("libcrypto", 32);
	for (unsigned round = 0; round < rounds; round++)
		random_messages(round);
#endif
}

/* ---- blocks of caches ---- */

enum { CBO_INVAL, CBO_CLEAN, CBO_FLUSH, CBO_ZERO = 4, PREFETCH, OPS, PAGE = 4096, AREA = 3 * PAGE };
static const uint64_t area = 0x10000;

struct memory {
	uint8_t bytes[AREA], known[AREA];
};

static unsigned below(unsigned n)
{
	return (unsigned)(random_bits() >> 33) % n;
}

static uint32_t block_encoding(unsigned what, unsigned rs1)
{
	if (what == PREFETCH)
		return 0x6013 | rs1 << 15 | (uint32_t[]){0, 1, 3}[below(3)] << 20;
	return 0x200f | rs1 << 15 | what << 20;
}

/* What a byte holds if it is in the block. */
static void slow_covered(unsigned what, uint8_t *byte, uint8_t *known)
{
	*byte = 0;
	*known = what == CBO_ZERO ? 0xff : 0;
}

/* All that is common to every size that the block may have; `size` 0: any. */
static void slow_block(unsigned what, uint64_t address, unsigned size, struct memory *memory)
{
	if (what != CBO_ZERO && what != CBO_INVAL)
		return;
	for (unsigned i = 0; i < AREA; i++) {
		uint8_t byte = 0, known = 0;
		bool first = true;
		for (unsigned one = size ? size : 1; one <= (size ? size : (unsigned)PAGE); one *= 2) {
			uint8_t its = memory->bytes[i], its_known = memory->known[i];
			if ((area + i) / one == address / one)
				slow_covered(what, &its, &its_known);
			known = first ? its_known : (uint8_t)(known & its_known & ~(byte ^ its));
			byte = its;
			first = false;
		}
		memory->known[i] = known;
		memory->bytes[i] = byte & known;
	}
}

static void fill_memory(struct cairn_machine *of, struct memory *memory)
{
	for (unsigned i = 0; i < AREA; i++) {
		static const uint8_t masks[4] = {0xff, 0, 0x5a, 0xff};
		memory->known[i] = masks[below(4)];
		memory->bytes[i] = (uint8_t)(below(3) ? below(256) : 0) & memory->known[i];
	}
	for (unsigned i = 0; i < AREA; i += 64)
		cairn_machine_write(of, area + i, 64, memory->bytes + i, memory->known + i);
}

static void same_memory(struct cairn_machine *of, const struct memory *memory)
{
	for (unsigned i = 0; i < AREA; i += 64) {
		uint8_t bytes[64], known[64];
		cairn_machine_read(of, area + i, 64, bytes, known);
		assert_memory_equal(known, memory->known + i, 64);
		assert_memory_equal(bytes, memory->bytes + i, 64);
	}
}

static void check_accesses(const struct cairn_step *step, unsigned what, unsigned size,
                           uint64_t address)
{
	unsigned bytes = 0;
	bool writes = what == CBO_ZERO && size;
	for (unsigned i = 0; i < step->n_accesses; i++) {
		const struct cairn_step_access *access = &step->accesses[i];
		assert_true(what == CBO_ZERO || what == CBO_INVAL);
		assert_int_equal(access->maybe, !writes);
		if (writes)
			assert_int_equal(access->address, address / size * size + bytes);
		bytes += access->size;
	}
	if (writes)
		assert_int_equal(bytes, size);
}

static void one_block(unsigned what, unsigned given)
{
	enum { RS1 = 5 };
	const struct cairn_machine_opts opts = {.size = sizeof opts, .block_bytes = given};
	bool is_size = given <= PAGE && !(given & (given - 1));
	unsigned size = is_size ? given : 0;
	struct memory memory;
	struct cairn_machine *of;
	uint64_t address = area + PAGE + below(PAGE);
	uint8_t bytes[8];
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_RV64, &opts, &of), 0);
	exec_put_bytes(bytes, address, 8, false);
	cairn_machine_set(of, CAIRN_REG_INT, RS1, 8, bytes, NULL);
	fill_memory(of, &memory);
	uint32_t enc = block_encoding(what, RS1);
	const struct cairn_step *step = cairn_machine_step(of, 0x1000, enc, 4, NULL, 0);
	assert_int_equal(step->status, CAIRN_STEP_DONE);
	assert_int_equal(step->n_regs, 0);
	check_accesses(step, what, size, address);
	slow_block(what, address, size, &memory);
	same_memory(of, &memory);
	/* A trace that tells what is zeroed is believed, also that it was something else. */
	uint8_t told_bytes[64];
	for (unsigned i = 0; i < sizeof told_bytes; i++)
		told_bytes[i] = (uint8_t)below(256);
	const struct cairn_step_told told[2] = {{.address = area + 64 * below(AREA / 64 / 2),
	                                         .size = 64,
	                                         .kind = CAIRN_MEM_WRITE,
	                                         .address_known = 1},
	                                        {.address = area + AREA - 64,
	                                         .size = 64,
	                                         .kind = CAIRN_MEM_WRITE,
	                                         .address_known = 1,
	                                         .bytes = told_bytes}};
	step = cairn_machine_step(of, 0x1004, block_encoding(CBO_ZERO, RS1), 4, told, 2);
	assert_int_equal(step->n_accesses, 2);
	memset(memory.bytes + (told[0].address - area), 0, 64);
	memset(memory.known + (told[0].address - area), 0xff, 64);
	memcpy(memory.bytes + AREA - 64, told_bytes, 64);
	memset(memory.known + AREA - 64, 0xff, 64);
	same_memory(of, &memory);
	/* Of an unknown address nothing is left. */
	cairn_machine_forget_registers(of);
	cairn_machine_step(of, 0x1008, block_encoding(what, RS1), 4, NULL, 0);
	if (what == CBO_ZERO || what == CBO_INVAL)
		memset(&memory, 0, sizeof memory);
	same_memory(of, &memory);
	cairn_machine_free(of);
}

static void blocks_hold_what_every_size_of_them_leaves(void **state)
{
	(void)state;
	static const unsigned sizes[] = {0, 1, 4, 16, 64, 128, 4096, 48, 8192};
	exec_seed("cbo", 64);
	for (unsigned what = 0; what < OPS; what++)
		for (unsigned i = 0; i < sizeof sizes / sizeof *sizes && what != 3; i++)
			for (unsigned again = 0; again < 6; again++)
				one_block(what, sizes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_those_of_the_second_implementation),
		cmocka_unit_test(ciphers_are_those_of_the_standards_examples),
		cmocka_unit_test(hashes_are_those_of_the_standards_examples),
		cmocka_unit_test(products_are_those_of_gcm),
		cmocka_unit_test(random_messages_are_those_of_libcrypto),
		cmocka_unit_test(blocks_hold_what_every_size_of_them_leaves),
	};
	return cmocka_run_group_tests(tests, open_machine, close_machine);
}
