/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V vectors: cryptography of groups of four or eight elements. Zvkned, Zvknha, Zvknhb, Zvkg,
 * Zvksed, Zvksh. All bits of a group's operands have to be known. Source: the unprivileged ISA manual
 * (2025), "Cryptography Extensions: Vector Instructions".
 */
#include "exec/crypto.h"
#include "exec/riscv_vector.h"

enum { MOST_ELEMENTS = 8 };

/* Flags of a row besides those of all vectors. */
enum {
	READS_D = RISCV_CARRY,     /* the destination is an operand */
	ONE_KEY = RISCV_ROUNDS,    /* vs2 is the same group for all */
	WORDS_OF_64 = RISCV_FLOAT, /* SEW may be 64, too */
	APART = RISCV_NARROWER     /* the destination may not overlap operands */
};

/* Groups of elements, the first one lowest: what the destination held and becomes, vs2 and vs1. */
typedef uint64_t elements[MOST_ELEMENTS];

struct block {
	const struct exec_op *op;
	elements d, b, a; /* vd, vs2, vs1 */
	bool wide;        /* elements have 64 bits */
};

static bool take_elements(const struct riscv_vector *setting, unsigned number, unsigned first,
                          uint64_t *to, unsigned n)
{
	bool known = true;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits bits =
			riscv_element(riscv_vector_group_at(setting, number), first + i, setting->log_sew);
		to[i] = bits.value;
		known &= bits_all(bits);
	}
	return known;
}

static bool blocks_are_defined(const struct riscv_vector *setting, unsigned n)
{
	unsigned flags = setting->row->flags,
			 registers = setting->log_lmul > 0 ? 1u << setting->log_lmul : 1;
	unsigned key = n << setting->log_sew > 64 * setting->words
	                   ? (n << setting->log_sew) / (64 * setting->words)
	                   : 1;
	bool vs1 = setting->row->form == RISCV_FORM_VV;
	bool width = setting->sew == 32 || (flags & WORDS_OF_64 && setting->sew == 64);
	if (!width || setting->vl % n || setting->start % n || setting->vlmax < n ||
	    !riscv_vector_group(setting->vd, setting->log_lmul) ||
	    (vs1 && !riscv_vector_group(setting->vs1, setting->log_lmul)))
		return false;
	if (flags & ONE_KEY)
		return !(setting->vs2 % key) &&
		       (setting->vs2 + key <= setting->vd || setting->vd + registers <= setting->vs2);
	return riscv_vector_group(setting->vs2, setting->log_lmul) &&
	       (!(flags & APART) ||
	        (setting->vd != setting->vs2 && (!vs1 || setting->vd != setting->vs1)));
}

static void run_blocks(struct cairn_machine *machine, const struct exec_op *op,
                       void (*make)(struct block *block), unsigned n)
{
	struct riscv_vector setting;
	struct exec_bits to[RISCV_GROUP_WORDS];
	if (!riscv_vector_begin(machine, op, &setting))
		return;
	if (!blocks_are_defined(&setting, n)) {
		riscv_vector_reserved(machine, op);
		return;
	}
	if (setting.start < setting.vl) {
		struct block block = {.op = op, .wide = setting.sew == 64};
		riscv_take_group(&setting, to, setting.vd, setting.log_lmul);
		for (unsigned i = setting.start; i < setting.vl; i += n) {
			bool has_d = take_elements(&setting, setting.vd, i, block.d, n) ||
			             !(setting.row->flags & READS_D);
			bool known = take_elements(&setting, setting.vs2, setting.row->flags & ONE_KEY ? 0 : i,
			                           block.b, n);
			if (setting.row->form == RISCV_FORM_VV)
				known = take_elements(&setting, setting.vs1, i, block.a, n) && known;
			known = known && has_d;
			if (known)
				make(&block);
			for (unsigned k = 0; k < n; k++)
				riscv_put_element(to, i + k, setting.log_sew,
				                  known ? bits_known(block.d[k]) : bits_unknown());
		}
		riscv_tail(&setting, to, setting.vl, setting.log_sew, setting.log_lmul);
		riscv_put_group(&setting, to, setting.vd, setting.log_lmul);
	}
	riscv_vector_end(machine);
}

#define BLOCKS(name, n) \
	static void make_##name(struct block *block); \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		run_blocks(machine, op, make_##name, n); \
	} \
	static void make_##name(struct block *block)

static uint32_t word(uint64_t a)
{
	return (uint32_t)a;
}

/* The constant in place of vs1. */
static unsigned constant(const struct block *block)
{
	return block->op->enc >> 15 & 31;
}

/* ---- AES ---- */

enum { FINAL = 1, BACKWARDS = 2 };

BLOCKS(aes, 4)
{
	unsigned how = block->op->extra;
	uint32_t state[4], made[4];
	for (unsigned i = 0; i < 4; i++)
		state[i] = word(block->d[i]);
	crypto_aes_rows(made, state, how & BACKWARDS);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t key = word(block->b[i]);
		if (how & FINAL)
			block->d[i] = made[i] ^ key;
		else if (how & BACKWARDS)
			block->d[i] = crypto_aes_mix(made[i] ^ key, true);
		else
			block->d[i] = crypto_aes_mix(made[i], false) ^ key;
	}
}

BLOCKS(aes_zero, 4)
{
	for (unsigned i = 0; i < 4; i++)
		block->d[i] ^= block->b[i];
}

/* The words of a round key: each is the one before it and one of another key. */
static void put_keys(struct block *block, uint32_t first, const uint64_t *others)
{
	for (unsigned i = 0; i < 4; i++)
		block->d[i] = first ^= word(others[i]);
}

/* Of numbers that are none of a round, bit 3 counts as the other way round. */
BLOCKS(aes_key_128, 4)
{
	unsigned round = constant(block) & 15;
	if (round > 10 || !round)
		round ^= 8;
	uint32_t last = crypto_aes_substitute_word(crypto_right(word(block->b[3]), 8));
	put_keys(block, last ^ crypto_aes_constant(round - 1), block->b);
}

BLOCKS(aes_key_256, 4)
{
	unsigned round = constant(block) & 15;
	if (round < 2 || round > 14)
		round ^= 8;
	uint32_t last = word(block->b[3]);
	const elements before = {block->d[0], block->d[1], block->d[2], block->d[3]};
	uint32_t made = crypto_aes_substitute_word(round & 1 ? last : crypto_right(last, 8));
	put_keys(block, made ^ (round & 1 ? 0 : crypto_aes_constant(round / 2 - 1)), before);
}

/* ---- SHA-2 ---- */

static uint64_t sigma_0(const struct block *block, uint64_t a)
{
	return block->wide ? crypto_sigma_512(a, 1, 8, 7) : crypto_sigma_256(word(a), 7, 18, 3);
}

static uint64_t sigma_1(const struct block *block, uint64_t a)
{
	return block->wide ? crypto_sigma_512(a, 19, 61, 6) : crypto_sigma_256(word(a), 17, 19, 10);
}

static uint64_t sum_0(const struct block *block, uint64_t a)
{
	return block->wide ? crypto_sum_512(a, 28, 34, 39) : crypto_sum_256(word(a), 2, 13, 22);
}

static uint64_t sum_1(const struct block *block, uint64_t a)
{
	return block->wide ? crypto_sum_512(a, 14, 18, 41) : crypto_sum_256(word(a), 6, 11, 25);
}

static uint64_t room(const struct block *block, uint64_t a)
{
	return block->wide ? a : word(a);
}

/* Four words of the message's schedule: w has 0 to 3, 4 and 9 to 11, 12 to 15, and then 16 on. */
BLOCKS(sha2_schedule, 4)
{
	const uint64_t *d = block->d, *b = block->b, *a = block->a;
	uint64_t w[20] = {d[0], d[1], d[2], d[3], b[0], 0,    0,    0,
	                  0,    b[1], b[2], b[3], a[0], a[1], a[2], a[3]};
	for (unsigned i = 16; i < 20; i++)
		w[i] = room(block,
		            sigma_1(block, w[i - 2]) + w[i - 7] + sigma_0(block, w[i - 15]) + w[i - 16]);
	for (unsigned i = 0; i < 4; i++)
		block->d[i] = w[16 + i];
}

/* Two rounds, with the lower or, by `extra`, the upper two words of the schedule. */
BLOCKS(sha2_rounds, 4)
{
	uint64_t f = block->b[0], e = block->b[1], b = block->b[2], a = block->b[3];
	uint64_t h = block->d[0], g = block->d[1], d = block->d[2], c = block->d[3];
	for (unsigned i = 0; i < 2; i++) {
		uint64_t sum =
			h + sum_1(block, e) + crypto_choose(e, f, g) + block->a[2 * block->op->extra + i];
		uint64_t other = sum_0(block, a) + crypto_majority(a, b, c);
		h = g;
		g = f;
		f = e;
		e = room(block, d + sum);
		d = c;
		c = b;
		b = a;
		a = room(block, sum + other);
	}
	block->d[0] = f;
	block->d[1] = e;
	block->d[2] = b;
	block->d[3] = a;
}

/* ---- GCM: a product of polynomials whose bits stand the other way round in bytes ---- */

static struct exec_bits turned(uint64_t low, uint64_t high)
{
	return bits_reverse_in_bytes(bits_known(low | high << 32));
}

/* The destination times vs2; before that vs1, if there is one, is added. */
BLOCKS(ghash, 4)
{
	bool adds = block->op->extra;
	uint64_t sum[2], product[2] = {0, 0}, factor[2];
	for (unsigned i = 0; i < 2; i++) {
		unsigned k = 2 * i;
		sum[i] = turned(block->d[k], block->d[k + 1]).value;
		if (adds)
			sum[i] ^= turned(block->a[k], block->a[k + 1]).value;
		factor[i] = turned(block->b[k], block->b[k + 1]).value;
	}
	for (unsigned i = 0; i < 128; i++) {
		uint64_t is = 0 - (sum[i / 64] >> i % 64 & 1), over = 0 - (factor[1] >> 63);
		product[0] ^= factor[0] & is;
		product[1] ^= factor[1] & is;
		factor[1] = factor[1] << 1 | factor[0] >> 63;
		factor[0] = factor[0] << 1 ^ (over & 0x87);
	}
	for (unsigned i = 0; i < 4; i++)
		block->d[i] = word(bits_reversed_in_bytes(product[i / 2]) >> 32 * (i & 1));
}

/* ---- SM4 ---- */

/* A constant of the key schedule. */
static uint32_t sm4_constant(unsigned number)
{
	uint32_t made = 0;
	for (unsigned i = 0; i < 4; i++)
		made = made << 8 | (uint8_t)(7 * (4 * number + i));
	return made;
}

/* Four rounds on four words, each of which becomes itself and what the three behind it give. */
BLOCKS(sm4_rounds, 4)
{
	uint32_t x[8] = {word(block->d[0]), word(block->d[1]), word(block->d[2]), word(block->d[3])};
	for (unsigned i = 0; i < 4; i++) {
		uint32_t sum = x[i + 1] ^ x[i + 2] ^ x[i + 3] ^ word(block->b[i]);
		block->d[i] = x[i + 4] = x[i] ^ crypto_sm4_mix(crypto_sm4_substitute_word(sum));
	}
}

BLOCKS(sm4_keys, 4)
{
	unsigned round = constant(block) & 7;
	uint32_t x[8] = {word(block->b[0]), word(block->b[1]), word(block->b[2]), word(block->b[3])};
	for (unsigned i = 0; i < 4; i++) {
		uint32_t sum = x[i + 1] ^ x[i + 2] ^ x[i + 3] ^ sm4_constant(4 * round + i);
		block->d[i] = x[i + 4] = x[i] ^ crypto_sm4_key(crypto_sm4_substitute_word(sum));
	}
}

/* ---- SM3: words have their first byte lowest ---- */

static uint32_t big(uint64_t a)
{
	return __builtin_bswap32((uint32_t)a);
}

static uint32_t sm3_p0(uint32_t a)
{
	return a ^ crypto_left(a, 9) ^ crypto_left(a, 17);
}

static uint32_t sm3_p1(uint32_t a)
{
	return a ^ crypto_left(a, 15) ^ crypto_left(a, 23);
}

/* Eight words of the message's expansion of the sixteen before them. */
BLOCKS(sm3_expand, 8)
{
	uint32_t w[24];
	for (unsigned i = 0; i < 8; i++) {
		w[i] = big(block->a[i]);
		w[i + 8] = big(block->b[i]);
	}
	for (unsigned i = 16; i < 24; i++) {
		w[i] = sm3_p1(w[i - 16] ^ w[i - 9] ^ crypto_left(w[i - 3], 15)) ^
		       crypto_left(w[i - 13], 7) ^ w[i - 6];
		block->d[i - 16] = big(w[i]);
	}
}

/* Two rounds; s is the state A to H. */
BLOCKS(sm3_rounds, 8)
{
	uint32_t s[8], w[8];
	for (unsigned i = 0; i < 8; i++) {
		s[i] = big(block->d[i]);
		w[i] = big(block->b[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		unsigned round = 2 * constant(block) + i;
		bool early = round < 16;
		uint32_t turned_a = crypto_left(s[0], 12);
		uint32_t t = crypto_left(early ? 0x79cc4519 : 0x7a879d8a, round % 32);
		uint32_t first = crypto_left(turned_a + s[4] + t, 7);
		uint32_t f = early ? s[0] ^ s[1] ^ s[2] : word(crypto_majority(s[0], s[1], s[2]));
		uint32_t g = early ? s[4] ^ s[5] ^ s[6] : word(crypto_choose(s[4], s[5], s[6]));
		uint32_t one = f + s[3] + (first ^ turned_a) + (w[i] ^ w[i + 4]);
		uint32_t two = g + s[7] + first + w[i];
		s[3] = s[2];
		s[2] = crypto_left(s[1], 9);
		s[1] = s[0];
		s[0] = one;
		s[7] = s[6];
		s[6] = crypto_left(s[5], 19);
		s[5] = s[4];
		s[4] = sm3_p0(two);
	}
	for (unsigned i = 0; i < 8; i++)
		block->d[i] = big(s[i]);
}

/* ---- the table ---- */

#define OPP(f6) ((uint32_t)(f6) << 26 | 0x02002077)
#define ROW(name, mask, match, run, flags, form, extra) \
	{ \
		name, mask, match, run_##run, NULL, NULL, flags, RISCV_FORM_##form, extra \
	}
#define THREE(name, f6, run, flags, form, extra) \
	ROW(name, RISCV_WITH_VM, OPP(f6), run, flags, form, extra)
/* By vs1: of a key for each group, and of one for all. */
#define TWO(name, vs1, run, extra) \
	ROW(name ".vv", RISCV_WITH_RS1 | RISCV_VM, OPP(0x28) | (vs1) << 15, run, READS_D, V, extra)
#define SHARED(name, vs1, run, extra) \
	ROW(name ".vs", RISCV_WITH_RS1 | RISCV_VM, OPP(0x29) | (vs1) << 15, run, READS_D | ONE_KEY, V, \
	    extra)
#define BOTH(name, vs1, run, extra) TWO(name, vs1, run, extra), SHARED(name, vs1, run, extra)

/* clang-format off */
const struct riscv_vector_row riscv_vector_crypto_rows[] = {
	BOTH("vaesdm", 0, aes, BACKWARDS),
	BOTH("vaesdf", 1, aes, BACKWARDS | FINAL),
	BOTH("vaesem", 2, aes, 0),
	BOTH("vaesef", 3, aes, FINAL),
	SHARED("vaesz", 7, aes_zero, 0),
	THREE("vaeskf1.vi", 0x22, aes_key_128, 0, VU, 0),
	THREE("vaeskf2.vi", 0x2a, aes_key_256, READS_D, VU, 0),
	THREE("vsha2ms.vv", 0x2d, sha2_schedule, READS_D | WORDS_OF_64 | APART, VV, 0),
	THREE("vsha2ch.vv", 0x2e, sha2_rounds, READS_D | WORDS_OF_64 | APART, VV, 1),
	THREE("vsha2cl.vv", 0x2f, sha2_rounds, READS_D | WORDS_OF_64 | APART, VV, 0),
	THREE("vghsh.vv", 0x2c, ghash, READS_D, VV, 1),
	TWO("vgmul", 17, ghash, 0),
	BOTH("vsm4r", 16, sm4_rounds, 0),
	THREE("vsm4k.vi", 0x21, sm4_keys, 0, VU, 0),
	THREE("vsm3me.vv", 0x20, sm3_expand, APART, VV, 0),
	THREE("vsm3c.vi", 0x2b, sm3_rounds, READS_D | APART, VU, 0),
	{NULL}};
/* clang-format on */
