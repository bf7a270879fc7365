/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: steps of AES, SHA-1, SHA-256, SHA-512, SM3 and SM4. All bits of the operands have to be known.
 * Sources: Arm Architecture Reference Manual for A-profile, C7.2; FIPS 197 and FIPS 180-4.
 */
#include "exec/arm64_sve.h"
#include "exec/crypto.h"

#include <string.h>

/* A register: as two numbers or four, least significant first. */
struct block {
	uint64_t half[2];
};

struct words {
	uint32_t word[4];
};

static struct words words_of(const struct block *block)
{
	struct words words;
	for (unsigned i = 0; i < 4; i++)
		words.word[i] = (uint32_t)(block->half[i / 2] >> 32 * (i & 1));
	return words;
}

static struct block block_of(const struct words *words)
{
	struct block block;
	for (unsigned i = 0; i < 2; i++)
		block.half[i] = words->word[2 * i] | (uint64_t)words->word[2 * i + 1] << 32;
	return block;
}

/* What the destination becomes, from what it held (of sm3ss1 the third operand) and the two operands. */
typedef struct block compute_function(const struct block *d, const struct block *n,
                                      const struct block *m, const struct exec_op *op);

/* Of which operands it is made. */
enum { OF_D = 1, OF_N = 2, OF_M = 4 };

/* One block of registers; `segment` counts 128 bits, of which only SVE has more than one. */
static inline __attribute__((always_inline)) void compute_segment(
	const struct cairn_machine *machine, const struct exec_op *op, unsigned operands,
	compute_function *function, unsigned segment, struct exec_bits to[2])
{
	const uint16_t words[3] = {op->rs3, op->rs1, op->rs2};
	struct block block[3] = {{{0}}};
	bool known = true;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 2 && operands >> i & 1; k++) {
			struct exec_bits bits = machine->word[words[i] + 2 * segment + k];
			block[i].half[k] = bits.value;
			known &= bits_all(bits);
		}
	to[0] = to[1] = bits_unknown();
	if (known) {
		struct block made = function(&block[0], &block[1], &block[2], op);
		to[0] = bits_known(made.half[0]);
		to[1] = bits_known(made.half[1]);
	}
}

static inline __attribute__((always_inline)) void compute(struct cairn_machine *machine,
                                                          const struct exec_op *op,
                                                          unsigned operands,
                                                          compute_function *function)
{
	struct exec_bits to[2];
	compute_segment(machine, op, operands, function, 0, to);
	arm64_put_vector(machine, op->rd, to);
}

#define COMPUTE(name) \
	static inline struct block compute_##name(const struct block *d, const struct block *n, \
	                                          const struct block *m, const struct exec_op *op)
#define HANDLER(name, operands) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		compute(machine, op, operands, compute_##name); \
	}
#define UNUSED(x) (void)(x)

/* ---- AES ---- */

/* aese, aesd: `extra` for the way back. */
COMPUTE(aes_round)
{
	const struct block sum = {{d->half[0] ^ n->half[0], d->half[1] ^ n->half[1]}};
	struct words state = words_of(&sum), made;
	UNUSED(m);
	crypto_aes_rows(made.word, state.word, op->extra);
	return block_of(&made);
}

/* aesmc, aesimc. */
COMPUTE(aes_mix)
{
	struct words made = words_of(n);
	UNUSED(d);
	UNUSED(m);
	for (unsigned i = 0; i < 4; i++)
		made.word[i] = crypto_aes_mix(made.word[i], op->extra);
	return block_of(&made);
}

/* ---- SHA-1 ---- */

enum { CHOOSE, PARITY, MAJORITY };

COMPUTE(sha1)
{
	struct words x = words_of(d), w = words_of(m);
	uint32_t y = (uint32_t)n->half[0];
	for (unsigned i = 0; i < 4; i++) {
		uint32_t a = x.word[1], b = x.word[2], c = x.word[3];
		uint32_t mixed = op->extra == CHOOSE   ? (uint32_t)crypto_choose(a, b, c)
		                 : op->extra == PARITY ? a ^ b ^ c
		                                       : (uint32_t)crypto_majority(a, b, c);
		y += crypto_right(x.word[0], 27) + mixed + w.word[i];
		x = (struct words){{y, x.word[0], crypto_right(a, 2), b}};
		y = c;
	}
	return block_of(&x);
}

COMPUTE(sha1h)
{
	UNUSED(d);
	UNUSED(m);
	UNUSED(op);
	return (struct block){{crypto_right((uint32_t)n->half[0], 2), 0}};
}

COMPUTE(sha1su0)
{
	UNUSED(op);
	return (struct block){
		{d->half[1] ^ d->half[0] ^ m->half[0], n->half[0] ^ d->half[1] ^ m->half[1]}};
}

COMPUTE(sha1su1)
{
	struct words t = words_of(d), other = words_of(n);
	UNUSED(m);
	UNUSED(op);
	for (unsigned i = 0; i < 4; i++)
		t.word[i] = crypto_right(t.word[i] ^ (i < 3 ? other.word[i + 1] : 0), 31);
	t.word[3] ^= crypto_right(t.word[0], 31);
	return block_of(&t);
}

/* ---- SHA-256 ---- */

/* `extra`: the second half of the state is wanted. */
COMPUTE(sha256)
{
	const struct words first = words_of(op->extra ? n : d), second = words_of(op->extra ? d : n);
	const struct words w = words_of(m);
	struct words out;
	uint32_t s[8];
	memcpy(s, first.word, sizeof first.word);
	memcpy(s + 4, second.word, sizeof second.word);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t sum = s[7] +
		               (crypto_right(s[4], 6) ^ crypto_right(s[4], 11) ^ crypto_right(s[4], 25)) +
		               (uint32_t)crypto_choose(s[4], s[5], s[6]) + w.word[i];
		uint32_t last = sum +
		                (crypto_right(s[0], 2) ^ crypto_right(s[0], 13) ^ crypto_right(s[0], 22)) +
		                (uint32_t)crypto_majority(s[0], s[1], s[2]);
		s[3] += sum;
		memmove(s + 1, s, 7 * sizeof *s);
		s[0] = last;
	}
	memcpy(out.word, op->extra ? s + 4 : s, sizeof out.word);
	return block_of(&out);
}

COMPUTE(sha256su0)
{
	struct words made = words_of(d), after = words_of(n), t = made;
	UNUSED(m);
	UNUSED(op);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t a = i < 3 ? t.word[i + 1] : after.word[0];
		made.word[i] += crypto_right(a, 7) ^ crypto_right(a, 18) ^ a >> 3;
	}
	return block_of(&made);
}

COMPUTE(sha256su1)
{
	struct words made = words_of(d), b = words_of(n), c = words_of(m);
	UNUSED(op);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t a = i < 2 ? c.word[i + 2] : made.word[i - 2];
		made.word[i] += (crypto_right(a, 17) ^ crypto_right(a, 19) ^ a >> 10) +
		                (i < 3 ? b.word[i + 1] : c.word[0]);
	}
	return block_of(&made);
}

/* ---- SHA-512 ---- */

COMPUTE(sha512h)
{
	uint64_t y = m->half[1];
	UNUSED(op);
	uint64_t high =
		crypto_choose(y, n->half[0], n->half[1]) + crypto_sum_512(y, 14, 18, 41) + d->half[1];
	uint64_t sum = high + m->half[0];
	return (struct block){
		{crypto_choose(sum, y, n->half[0]) + crypto_sum_512(sum, 14, 18, 41) + d->half[0], high}};
}

COMPUTE(sha512h2)
{
	uint64_t x = n->half[0], low = m->half[0], above = m->half[1];
	UNUSED(op);
	uint64_t high = crypto_majority(x, above, low) + crypto_sum_512(low, 28, 34, 39) + d->half[1];
	return (struct block){
		{crypto_majority(high, low, above) + crypto_sum_512(high, 28, 34, 39) + d->half[0], high}};
}

COMPUTE(sha512su0)
{
	uint64_t a = d->half[1], b = n->half[0];
	UNUSED(m);
	UNUSED(op);
	return (struct block){{d->half[0] + (crypto_right_64(a, 1) ^ crypto_right_64(a, 8) ^ a >> 7),
	                       d->half[1] + (crypto_right_64(b, 1) ^ crypto_right_64(b, 8) ^ b >> 7)}};
}

COMPUTE(sha512su1)
{
	struct block made;
	UNUSED(op);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t a = n->half[i];
		made.half[i] =
			d->half[i] + (crypto_right_64(a, 19) ^ crypto_right_64(a, 61) ^ a >> 6) + m->half[i];
	}
	return made;
}

/* ---- SM3 ---- */

/* A state's words are `a` to `d`, or `e` to `h`, from the last lane on. */
COMPUTE(sm3ss1)
{
	uint32_t a = words_of(n).word[3], constant = words_of(m).word[3], e = words_of(d).word[3];
	UNUSED(op);
	return (struct block){{0, (uint64_t)crypto_left(crypto_left(a, 12) + constant + e, 7) << 32}};
}

/* sm3tt1a … sm3tt2b by bits 11 and 10; bits 13 and 12 say which word of the message. */
COMPUTE(sm3tt)
{
	const struct words state = words_of(d);
	uint32_t a = state.word[3], b = state.word[2], c = state.word[1], made;
	uint32_t word = words_of(m).word[arm64_field(op, 13, 12)], last = words_of(n).word[3];
	bool second = op->enc >> 11 & 1;
	if (!(op->enc >> 10 & 1))
		made = a ^ b ^ c;
	else
		made = (uint32_t)(second ? crypto_choose(a, b, c) : crypto_majority(a, b, c));
	made += state.word[0] + word + (second ? last : last ^ crypto_left(a, 12));
	if (second)
		made ^= crypto_left(made, 9) ^ crypto_left(made, 17);
	return block_of(&(struct words){{c, crypto_left(b, second ? 19 : 9), a, made}});
}

static uint32_t sm3_spread(uint32_t a)
{
	return a ^ crypto_left(a, 15) ^ crypto_left(a, 23);
}

COMPUTE(sm3partw1)
{
	const struct words first = words_of(d), second = words_of(n), last = words_of(m);
	struct words made;
	UNUSED(op);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t before = i < 3 ? last.word[i + 1] : made.word[0];
		made.word[i] = sm3_spread(first.word[i] ^ second.word[i] ^ crypto_left(before, 15));
	}
	return block_of(&made);
}

COMPUTE(sm3partw2)
{
	const struct words first = words_of(d), second = words_of(n), third = words_of(m);
	struct words made;
	uint32_t mixed[4];
	UNUSED(op);
	for (unsigned i = 0; i < 4; i++) {
		mixed[i] = second.word[i] ^ crypto_left(third.word[i], 7);
		made.word[i] = first.word[i] ^ mixed[i];
	}
	made.word[3] ^= sm3_spread(crypto_left(mixed[0], 15));
	return block_of(&made);
}

/* ---- SM4 ---- */

/* Four rounds; `keys` of the key schedule. */
static struct block sm4_rounds(struct words state, const struct words *keys, bool schedule)
{
	for (unsigned i = 0; i < 4; i++) {
		uint32_t mixed = crypto_sm4_substitute_word(state.word[1] ^ state.word[2] ^ state.word[3] ^
		                                            keys->word[i]);
		mixed = schedule ? crypto_sm4_key(mixed) : crypto_sm4_mix(mixed);
		mixed ^= state.word[0];
		memmove(state.word, state.word + 1, 3 * sizeof *state.word);
		state.word[3] = mixed;
	}
	return block_of(&state);
}

COMPUTE(sm4e)
{
	const struct words keys = words_of(n);
	UNUSED(m);
	UNUSED(op);
	return sm4_rounds(words_of(d), &keys, false);
}

COMPUTE(sm4ekey)
{
	const struct words constants = words_of(m);
	UNUSED(d);
	UNUSED(op);
	return sm4_rounds(words_of(n), &constants, true);
}

HANDLER(aes_round, OF_D | OF_N)
HANDLER(aes_mix, OF_N)
HANDLER(sha1, OF_D | OF_N | OF_M)
HANDLER(sha1h, OF_N)
HANDLER(sha1su0, OF_D | OF_N | OF_M)
HANDLER(sha1su1, OF_D | OF_N)
HANDLER(sha256, OF_D | OF_N | OF_M)
HANDLER(sha256su0, OF_D | OF_N)
HANDLER(sha256su1, OF_D | OF_N | OF_M)
HANDLER(sha512h, OF_D | OF_N | OF_M)
HANDLER(sha512h2, OF_D | OF_N | OF_M)
HANDLER(sha512su0, OF_D | OF_N)
HANDLER(sha512su1, OF_D | OF_N | OF_M)
HANDLER(sm3ss1, OF_D | OF_N | OF_M)
HANDLER(sm3tt, OF_D | OF_N | OF_M)
HANDLER(sm3partw1, OF_D | OF_N | OF_M)
HANDLER(sm3partw2, OF_D | OF_N | OF_M)
HANDLER(sm4e, OF_D | OF_N)
HANDLER(sm4ekey, OF_N | OF_M)

/* ---- SVE2: each 128 bits ---- */

static void each_segment(struct cairn_machine *machine, const struct exec_op *op, unsigned operands,
                         compute_function *function)
{
	struct exec_op registers = *op;
	struct sve_vector to = {0};
	arm64_form_registers(&registers);
	for (unsigned i = 0; i < machine->vector_bits / 128; i++)
		compute_segment(machine, &registers, operands, function, i, &to.word[2 * i]);
	sve_put(machine, registers.rd, &to);
}

#define SVE_HANDLER(name, operands) \
	static void run_sve_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		each_segment(machine, op, operands, compute_##name); \
	}

/* aesmc, aesimc of zdn. */
COMPUTE(aes_mix_of_itself)
{
	UNUSED(n);
	return compute_aes_mix(d, d, m, op);
}

COMPUTE(rax1)
{
	UNUSED(d);
	UNUSED(op);
	return (struct block){{n->half[0] ^ crypto_right_64(m->half[0], 63),
	                       n->half[1] ^ crypto_right_64(m->half[1], 63)}};
}

SVE_HANDLER(aes_round, OF_D | OF_N)
SVE_HANDLER(aes_mix_of_itself, OF_D)
SVE_HANDLER(sm4e, OF_D | OF_N)
SVE_HANDLER(sm4ekey, OF_N | OF_M)
SVE_HANDLER(rax1, OF_N | OF_M)

#define SVE_ROW(mask, match, name, extra) \
	{ \
		mask, match, run_sve_##name, NULL, extra, NULL, NULL \
	}

const struct sve_row arm64_sve_crypto_rows[] = {
	SVE_ROW(0xffffffe0, 0x4520e000, aes_mix_of_itself, 0),
	SVE_ROW(0xffffffe0, 0x4520e400, aes_mix_of_itself, 1),
	SVE_ROW(0xfffffc00, 0x4522e000, aes_round, 0),
	SVE_ROW(0xfffffc00, 0x4522e400, aes_round, 1),
	SVE_ROW(0xfffffc00, 0x4523e000, sm4e, 0),
	SVE_ROW(0xffe0fc00, 0x4520f000, sm4ekey, 0),
	SVE_ROW(0xffe0fc00, 0x4520f400, rax1, 0),
	{0}};

/* ---- the table ---- */

#define TWO(match, run, extra) \
	{ \
		0xfffffc00, match, arm64_form_registers, {run_##run, run_##run}, 0, extra \
	}
#define THREE(match, run, extra) \
	{ \
		0xffe0fc00, match, arm64_form_registers, {run_##run, run_##run}, 0, extra \
	}

static void form_four(struct exec_op *op)
{
	arm64_form_registers(op);
	op->rs3 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 14, 10));
}

const struct arm64_row arm64_crypto_rows[] = {
	TWO(0x4e284800, aes_round, 0),
	TWO(0x4e285800, aes_round, 1),
	TWO(0x4e286800, aes_mix, 0),
	TWO(0x4e287800, aes_mix, 1),
	THREE(0x5e000000, sha1, CHOOSE),
	THREE(0x5e001000, sha1, PARITY),
	THREE(0x5e002000, sha1, MAJORITY),
	THREE(0x5e003000, sha1su0, 0),
	TWO(0x5e280800, sha1h, 0),
	TWO(0x5e281800, sha1su1, 0),
	THREE(0x5e004000, sha256, 0),
	THREE(0x5e005000, sha256, 1),
	TWO(0x5e282800, sha256su0, 0),
	THREE(0x5e006000, sha256su1, 0),
	THREE(0xce608000, sha512h, 0),
	THREE(0xce608400, sha512h2, 0),
	TWO(0xcec08000, sha512su0, 0),
	THREE(0xce608800, sha512su1, 0),
	{0xffe08000, 0xce400000, form_four, {run_sm3ss1, run_sm3ss1}, 0, 0},
	{0xffe0c000, 0xce408000, arm64_form_registers, {run_sm3tt, run_sm3tt}, 0, 0},
	THREE(0xce60c000, sm3partw1, 0),
	THREE(0xce60c400, sm3partw2, 0),
	TWO(0xcec08400, sm4e, 0),
	THREE(0xce60c800, sm4ekey, 0),
	{0}};
