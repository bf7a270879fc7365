/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: scalar cryptography on integer registers. Extensions Zkne, Zknd, Zknh, Zksed, Zksh. Source:
 * the unprivileged ISA manual (2025), "Cryptography Extensions: Scalar & Entropy Source".
 */
#include "exec/crypto.h"
#include "exec/riscv.h"

/* All bits of the operands have to be known, but of those that only turn and add without carries. */
typedef uint64_t compute_function(const struct exec_op *op, uint64_t a, uint64_t b);

static inline void compute(struct cairn_machine *machine, const struct exec_op *op,
                           compute_function *function)
{
	struct exec_bits a = machine->word[op->rs1], b = machine->word[op->rs2];
	riscv_put(machine, op->rd,
	          bits_both(a, b) ? bits_known(function(op, a.value, b.value)) : bits_unknown());
}

#define COMPUTE(name) \
	static uint64_t compute_##name(const struct exec_op *op, uint64_t a, uint64_t b); \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		compute(machine, op, compute_##name); \
	} \
	static uint64_t compute_##name(const struct exec_op *op, uint64_t a, uint64_t b)
#define UNUSED ((void)op, (void)a, (void)b)

static uint64_t extended(uint32_t a)
{
	return (uint64_t)(int32_t)a;
}

/* ---- AES ---- */

enum { BACKWARDS = 1, MIXES = 2 };

/* Two columns of the next state of two registers. */
COMPUTE(aes_round)
{
	const uint32_t state[4] = {(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b, (uint32_t)(b >> 32)};
	uint32_t made[4];
	crypto_aes_rows(made, state, op->extra & BACKWARDS);
	for (unsigned i = 0; i < 2 && op->extra & MIXES; i++)
		made[i] = crypto_aes_mix(made[i], op->extra & BACKWARDS);
	return made[0] | (uint64_t)made[1] << 32;
}

COMPUTE(aes_mix)
{
	UNUSED;
	return crypto_aes_mix((uint32_t)a, true) | (uint64_t)crypto_aes_mix((uint32_t)(a >> 32), true)
	                                               << 32;
}

/* There are eleven rounds; numbers above are reserved. */
static void run_aes_key_1(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned round = op->enc >> 20 & 15;
	struct exec_bits a = machine->word[op->rs1], made = bits_unknown();
	if (round > 10)
		exec_undetermined(machine, "the number of the round is reserved");
	if (round <= 10 && bits_all(a)) {
		uint32_t word = (uint32_t)(a.value >> 32);
		word = crypto_aes_substitute_word(round == 10 ? word : crypto_right(word, 8));
		word ^= round == 10 ? 0 : crypto_aes_constant(round);
		made = bits_known(word | (uint64_t)word << 32);
	}
	riscv_put(machine, op->rd, made);
}

COMPUTE(aes_key_2)
{
	UNUSED;
	uint32_t low = (uint32_t)(a >> 32) ^ (uint32_t)b;
	return low | (uint64_t)(low ^ (uint32_t)(b >> 32)) << 32;
}

/* RV32: what one byte adds to a column. */
COMPUTE(aes_byte)
{
	unsigned shift = op->enc >> 30 << 3;
	uint32_t made = crypto_aes_substitute((uint8_t)(b >> shift), op->extra & BACKWARDS);
	if (op->extra & MIXES)
		made = crypto_aes_mix(made, op->extra & BACKWARDS);
	return extended((uint32_t)a ^ crypto_left(made, shift));
}

/* ---- SM4 ---- */

/* The same of SM4, whose words have their first byte highest; `extra`: of the key schedule. */
COMPUTE(sm4)
{
	unsigned shift = op->enc >> 30 << 3;
	uint32_t x = (uint32_t)crypto_sm4_substitute((uint8_t)(b >> shift)) << 24;
	x = op->extra ? crypto_sm4_key(x) : crypto_sm4_mix(x);
	return extended((uint32_t)a ^ crypto_left(__builtin_bswap32(x), shift));
}

/* ---- SHA-2, SM3: sums without carries ---- */

/* Places by which a sum's three parts turn right; the last one is shifted where the highest bit is
 * set, and is the word itself where it is 0. */
enum { SHIFTED = 0x80 };
struct turns {
	uint8_t by[3];
};
enum { SUM_0, SUM_1, SIGMA_0, SIGMA_1 };
static const struct turns of_256[] = {{{2, 13, 22}},
                                      {{6, 11, 25}},
                                      {{7, 18, SHIFTED | 3}},
                                      {{17, 19, SHIFTED | 10}}};
static const struct turns of_512[] = {{{28, 34, 39}},
                                      {{14, 18, 41}},
                                      {{1, 8, SHIFTED | 7}},
                                      {{19, 61, SHIFTED | 6}}};
static const struct turns of_sm3[] = {{{0, 23, 15}}, {{0, 17, 9}}};

static struct exec_bits turned_sum(const struct turns *turns, struct exec_bits a, unsigned width)
{
	struct exec_bits sum = bits_known(0);
	for (unsigned i = 0; i < 3; i++) {
		unsigned n = turns->by[i] & ~(unsigned)SHIFTED;
		struct exec_bits part = bits_right(a, n);
		if (n && !(turns->by[i] & SHIFTED))
			part = bits_or(part, bits_left(a, width - n));
		sum = bits_xor(sum, part);
	}
	return sum;
}

static void run_sum_32(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct turns *turns = op->width ? of_sm3 : of_256;
	struct exec_bits a = bits_zero_extend(machine->word[op->rs1], 32);
	riscv_put(machine, op->rd, bits_sign_extend(turned_sum(turns + op->extra, a, 32), 32));
}

static void run_sum_64(struct cairn_machine *machine, const struct exec_op *op)
{
	riscv_put(machine, op->rd, turned_sum(of_512 + op->extra, machine->word[op->rs1], 64));
}

/* RV32: half of such a sum of two registers; `width`: the upper half, which has its own first. */
static void run_sum_half(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits first = machine->word[op->rs1], second = machine->word[op->rs2];
	struct exec_bits low = op->width ? second : first, high = op->width ? first : second;
	struct exec_bits both = bits_or(bits_zero_extend(low, 32), bits_left(high, 32));
	struct exec_bits sum = turned_sum(of_512 + op->extra, both, 64);
	riscv_put(machine, op->rd, bits_sign_extend(op->width ? bits_right(sum, 32) : sum, 32));
}

/* ---- the table ---- */

#define ROW(name, run, width, extra) \
	{ \
		name, riscv_form_r, {run_##run, run_##run}, width, extra \
	}
#define ROW_64(name, run, width, extra) \
	{ \
		name, riscv_form_r, {run_##run, NULL}, width, extra \
	}
#define ROW_32(name, run, width, extra) \
	{ \
		name, riscv_form_r, {NULL, run_##run}, width, extra \
	}

const struct riscv_row riscv_crypto_rows[] = {ROW_64("aes64es", aes_round, 0, 0),
                                              ROW_64("aes64esm", aes_round, 0, MIXES),
                                              ROW_64("aes64ds", aes_round, 0, BACKWARDS),
                                              ROW_64("aes64dsm", aes_round, 0, BACKWARDS | MIXES),
                                              ROW_64("aes64im", aes_mix, 0, 0),
                                              ROW_64("aes64ks1i", aes_key_1, 0, 0),
                                              ROW_64("aes64ks2", aes_key_2, 0, 0),
                                              ROW_32("aes32esi", aes_byte, 0, 0),
                                              ROW_32("aes32esmi", aes_byte, 0, MIXES),
                                              ROW_32("aes32dsi", aes_byte, 0, BACKWARDS),
                                              ROW_32("aes32dsmi", aes_byte, 0, BACKWARDS | MIXES),
                                              ROW("sha256sum0", sum_32, 0, SUM_0),
                                              ROW("sha256sum1", sum_32, 0, SUM_1),
                                              ROW("sha256sig0", sum_32, 0, SIGMA_0),
                                              ROW("sha256sig1", sum_32, 0, SIGMA_1),
                                              ROW_64("sha512sum0", sum_64, 0, SUM_0),
                                              ROW_64("sha512sum1", sum_64, 0, SUM_1),
                                              ROW_64("sha512sig0", sum_64, 0, SIGMA_0),
                                              ROW_64("sha512sig1", sum_64, 0, SIGMA_1),
                                              ROW_32("sha512sum0r", sum_half, 0, SUM_0),
                                              ROW_32("sha512sum1r", sum_half, 0, SUM_1),
                                              ROW_32("sha512sig0l", sum_half, 0, SIGMA_0),
                                              ROW_32("sha512sig0h", sum_half, 1, SIGMA_0),
                                              ROW_32("sha512sig1l", sum_half, 0, SIGMA_1),
                                              ROW_32("sha512sig1h", sum_half, 1, SIGMA_1),
                                              ROW("sm3p0", sum_32, 1, 0),
                                              ROW("sm3p1", sum_32, 1, 1),
                                              ROW("sm4ed", sm4, 0, 0),
                                              ROW("sm4ks", sm4, 0, 1),
                                              {NULL}};
