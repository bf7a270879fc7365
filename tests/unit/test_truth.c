/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is claimed is true: programs run on small machines that know everything, their traces
 * tell some of it, and states, by reading, by index and of slices, may claim nothing else.
 *
 * Which values a trace tells is left to chance: registers written without a value, accesses
 * without contents or not told at all; and some traces have damaged places, behind which nothing
 * is known. A claim that chance does not bear out is a wrong answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../stf/tools.h"
#include "cairn/cairn.h"

enum { INSNS = 90000, REGS = 33, WORDS = 16, BASE = 0x100 };

static struct cairn *c;
static char dir[64];
static uint64_t seed = 7;

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static unsigned rnd(unsigned n)
{
	return (unsigned)(random_bits() >> 20) % n;
}

static void good(int rc)
{
	if (rc < 0)
		fail_msg("%s", cairn_error_text(c));
}

/* ---- what is true before each instruction ---- */

struct machine {
	uint64_t reg[REGS], word[WORDS];
};
static struct machine *truth; /* [number] */
static struct machine now;

struct path {
	char text[128];
};

static struct path path_of(const char *name)
{
	struct path path;
	snprintf(path.text, sizeof path.text, "%s/%s", dir, name);
	return path;
}

static void write_file(const char *path, struct bytes *bytes)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes->p, 1, bytes->n, f), bytes->n);
	fclose(f);
	bytes_free(bytes);
}

/* ---- RV64 in STF ---- */

static void result(struct bytes *bytes, unsigned rd, uint64_t value)
{
	now.reg[rd] = rd ? value : 0;
	if (rd && rnd(2))
		reg(bytes, rd, 1, 3, value);
}

static void access_row(struct bytes *bytes, unsigned word, bool store)
{
	if (rnd(store ? 200 : 5) == 0)
		return; /* not told */
	rec(bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", (uint64_t)BASE + 8 * word, 8u, 0u,
	    store ? 2u : 1u);
	if (rnd(3))
		rec(bytes, CAIRN_STF_INST_MEM_CONTENT, "q", now.word[word]);
}

static void riscv_step(struct bytes *bytes)
{
	unsigned rd = rnd(32), rs1 = rnd(32), rs2 = rnd(32), imm = rnd(2048), word = rnd(WORDS);
	unsigned at = BASE + 8 * word;
	uint32_t enc = 0;
	if (rnd(4) == 0)
		reg(bytes, rs1, 1, 1, now.reg[rs1]);
	switch (rnd(6)) {
	case 0:
		enc = imm << 20 | rs1 << 15 | rd << 7 | 0x13;
		result(bytes, rd, now.reg[rs1] + imm);
		break;
	case 1:
		enc = rs2 << 20 | rs1 << 15 | rd << 7 | 0x33;
		result(bytes, rd, now.reg[rs1] + now.reg[rs2]);
		break;
	case 2:
		enc = imm << 12 | rd << 7 | 0x37;
		result(bytes, rd, (uint64_t)imm << 12);
		break;
	case 3:
		enc = at << 20 | 3u << 12 | rd << 7 | 0x03;
		access_row(bytes, word, false);
		result(bytes, rd, now.word[word]);
		break;
	case 4:
		enc = at >> 5 << 25 | rs2 << 20 | 3u << 12 | (at & 31) << 7 | 0x23;
		now.word[word] = now.reg[rs2];
		access_row(bytes, word, true);
		break;
	default: { /* csrrw of mscratch */
		uint64_t old = now.reg[32];
		enc = 0x340u << 20 | rs1 << 15 | 1u << 12 | rd << 7 | 0x73;
		now.reg[32] = now.reg[rs1];
		if (rnd(2))
			reg(bytes, 0x340, 4, 3, now.reg[32]);
		result(bytes, rd, old);
		break;
	}
	}
	insn32(bytes, enc);
}

/* ---- SPARC in RST ---- */

static struct cairn_field num(const char *name, uint64_t value)
{
	return (struct cairn_field){.name = name, .value = value, .kind = CAIRN_FIELD_HEX};
}

static void put(struct bytes *bytes, unsigned type, const struct cairn_field *field, unsigned n)
{
	static const struct cairn_rst_config cfg = {.version_major = 2, .version_minor = 13};
	uint8_t raw[CAIRN_RST_SIZE];
	assert_int_equal(cairn_rst_encode(&cfg, type, field, n, raw), 0);
	bytes_put(bytes, raw, sizeof raw);
}
#define PUT(b, type, ...) \
	do { \
		const struct cairn_field f_[] = {__VA_ARGS__}; \
		put(b, CAIRN_RST_##type, f_, sizeof f_ / sizeof *f_); \
	} while (0)

static uint64_t below[64][16]; /* locals and ins of the windows before */
static unsigned depth;

static void turn(bool next)
{
	uint64_t *r = now.reg;
	if (next) {
		memcpy(below[depth++], r + 16, sizeof below[0]);
		memcpy(r + 24, r + 8, 8 * sizeof *r);
		for (unsigned i = 8; i < 24; i++)
			r[i] = random_bits(); /* whatever they held */
	} else {
		memcpy(r + 8, r + 24, 8 * sizeof *r);
		memcpy(r + 16, below[--depth], sizeof below[0]);
	}
}

static void regval(struct bytes *bytes, unsigned id, unsigned post)
{
	PUT(bytes, REGVAL, num("cpuid", 0), num("post", post), num("regtype0", 1), num("regid0", id),
	    num("value0", now.reg[id]));
}

static void sparc_step(struct bytes *bytes, uint64_t pc)
{
	unsigned rd = rnd(32), rs1 = rnd(32), imm = rnd(4096), word = rnd(WORDS),
			 kind = rnd(rnd(4) ? 3 : 5);
	uint32_t at = (uint32_t)BASE + 8 * word, enc = 0;
	uint64_t value = now.reg[rs1] + imm;
	bool moves = kind == 1 || kind == 2, before = rnd(4) == 0;
	if (before)
		regval(bytes, rs1, 0);
	if (kind == 3 && depth == 64)
		kind = 0;
	if (kind == 4 && depth == 0)
		kind = 0;
	moves = kind == 1 || kind == 2;
	if (kind == 0)
		enc = 2u << 30 | rd << 25 | rs1 << 14 | 1u << 13 | imm;
	else if (moves)
		enc = 3u << 30 | rd << 25 | (kind == 1 ? 0x0bu : 0x0eu) << 19 | 1u << 13 | at;
	else
		enc = 2u << 30 | rd << 25 | (kind == 3 ? 0x3cu : 0x3du) << 19 | rs1 << 14 | 1u << 13 | imm;
	bool told = moves && (kind == 2 || rnd(5));
	PUT(bytes, INSTR, num("cpuid", 0), num("pc_va", pc), num("ea_valid", told),
	    num("ea_va", told ? at : 0), num("instr", enc));
	if (kind >= 3)
		turn(kind == 3);
	if (kind == 2)
		now.word[word] = now.reg[rd];
	else if (rd)
		now.reg[rd] = kind == 1 ? now.word[word] : value;
	if (told && rnd(3))
		PUT(bytes, MEMVAL, num("cpuid", 0), num("is128", 0), num("is_va", 1), num("size", 8),
		    num("addr", at), num("value", now.word[word]));
	if (kind != 2 && rd && rnd(2))
		regval(bytes, rd, 1);
}

static struct bytes make(bool sparc)
{
	struct bytes bytes = {0};
	struct cairn_field field[] = {
		num("major", 2),
		num("minor", 13),
		{.name = "percent", .text = "%", .len = 1, .kind = CAIRN_FIELD_TEXT},
		{.name = "magic", .text = "RST Header v2.13", .len = 16, .kind = CAIRN_FIELD_TEXT}};
	depth = 0;
	memset(&now, 0, sizeof now);
	for (unsigned i = 1; i < REGS; i++)
		now.reg[i] = random_bits();
	if (sparc)
		put(&bytes, CAIRN_RST_RSTHEADER, field, 4);
	else
		head(&bytes, (struct head){.features = CAIRN_STF_F_RV64});
	for (unsigned i = 1; i <= INSNS; i++) {
		truth[i] = now;
		if (sparc)
			sparc_step(&bytes, 0x10000 + 4 * (uint64_t)i);
		else
			riscv_step(&bytes);
	}
	return bytes;
}

/* ---- claims ---- */

static unsigned long claims, unknown;
static bool big; /* the machine's memory */

static unsigned regs_are_true(const struct cairn_state *state, const struct machine *machine)
{
	static struct cairn_state_reg regs[512];
	int64_t n = cairn_state_regs(state, regs, 512);
	unsigned told = 0;
	for (int64_t i = 0; i < n; i++) {
		const struct cairn_state_reg *reg = &regs[i];
		bool csr = reg->cls == CAIRN_REG_CSR && reg->num == 0x340;
		if ((reg->cls != CAIRN_REG_INT || reg->num > 31) && !csr)
			continue;
		if ((reg->value ^ machine->reg[csr ? 32 : reg->num]) & reg->known)
			fail_msg("register %u is claimed as %llx, and is %llx (told at %llu)", reg->num,
			         (unsigned long long)reg->value,
			         (unsigned long long)machine->reg[csr ? 32 : reg->num],
			         (unsigned long long)reg->told);
		told++;
	}
	return told;
}

static unsigned memory_is_true(const struct cairn_state *state, const struct machine *machine)
{
	uint32_t row;
	const struct cairn_batch *batch = cairn_state_batch(state, &row);
	struct cairn_space space = cairn_space_of(&batch->ctxs[batch->insns[row].ctx]);
	uint8_t bytes[8 * WORDS], known[8 * WORDS];
	unsigned told = 0;
	cairn_state_memory(state, space, BASE, sizeof bytes, bytes, known);
	for (unsigned i = 0; i < sizeof bytes; i++) {
		unsigned shift = 8 * (big ? 7 - i % 8 : i % 8);
		if (known[i])
			assert_int_equal(bytes[i], (uint8_t)(machine->word[i / 8] >> shift));
		told += known[i];
	}
	return told / 8;
}

/* How much is claimed at `n`; all of it is true. */
static unsigned claims_at(const char *path, uint64_t n, const struct machine *machine,
                          bool no_index, bool after)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .no_index = no_index};
	struct cairn_state_opts so = {.size = sizeof so};
	struct cairn_reader *reader;
	struct cairn_state *state;
	good(cairn_open(c, path, &opts, &reader));
	good(cairn_state_new(c, &so, &state));
	good(after ? cairn_state_go_after(state, reader, n - 1) : cairn_state_go(state, reader, n));
	unsigned told = regs_are_true(state, machine);
	claims += told;
	unknown += REGS - told;
	told += memory_is_true(state, machine) << 8;
	cairn_state_free(state);
	cairn_close(reader);
	return told;
}

static struct bytes index_of(const char *path, unsigned threads)
{
	char name[600];
	struct cairn_index_opts opts = {.size = sizeof opts, .threads = threads};
	good(cairn_index_build(c, path, &opts, NULL));
	snprintf(name, sizeof name, "%s.cai", path);
	return bytes_of_file(name);
}

static uint64_t places[64]; /* numbers of the first instructions behind damaged places */
static unsigned n_places;

static void note_place(uint64_t n)
{
	if (n > 1 && n + 600 < INSNS && n_places < 64)
		places[n_places++] = n;
}

/* Registers that a slice begins with are those of the whole there. */
static void slice_is_true(const char *path, const char *to, uint64_t n)
{
	struct path file = path_of(to);
	const char *part = file.text;
	struct cairn_range range = {n, n + 300};
	struct cairn_slice_opts opts = {.size = sizeof opts, .ranges = &range, .n_ranges = 1};
	struct cairn_output out = {.size = sizeof out, .path = part};
	struct cairn_reader *reader;
	good(cairn_open(c, path, NULL, &reader));
	good(cairn_slice(reader, &opts, &out, NULL));
	cairn_close(reader);
	unsigned whole = claims_at(path, n, &truth[n], true, false) & 255;
	unsigned mine = claims_at(part, 1, &truth[n], true, false) & 255;
	/* Of the instruction before which records are missing, a state takes nothing. */
	assert_true(n_places ? mine >= whole : mine == whole);
	claims_at(part, 200, &truth[n + 199], true, false);
}

/* Some chunks of a packed STF cannot be read: their instructions are missing, and those behind
 * them keep their numbers. */
static void write_broken_stf(const char *path, struct bytes *bytes)
{
	struct path raw = path_of("raw.stf");
	struct cairn_output out = {.size = sizeof out, .path = path, .to = "stf:chunk=1500"};
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	uint64_t next = 1;
	write_file(raw.text, bytes);
	good(cairn_open(c, raw.text, NULL, &reader));
	good(cairn_convert(reader, &out, NULL));
	cairn_close(reader);
	unlink(raw.text);
	struct bytes packed = bytes_of_file(path);
	for (unsigned i = 0; i < 10; i++)
		memset(packed.p + packed.n / 10 + rnd((unsigned)(packed.n / 10 * 8)), 0xee, 16);
	write_file(path, &packed);
	good(cairn_open(c, path, NULL, &reader));
	while (cairn_next(reader, batch) > 0) {
		if (!batch->n_insns)
			continue;
		if (batch->n0 != next)
			note_place(batch->n0);
		next = batch->n0 + batch->n_insns;
	}
	cairn_close(reader);
	cairn_batch_free(c, batch);
}

/* Some records with values have no known type. */
static void write_broken_rst(const char *path, struct bytes *bytes)
{
	uint64_t next = 1;
	for (size_t at = 0; at < bytes->n; at += CAIRN_RST_SIZE) {
		next += bytes->p[at] == CAIRN_RST_INSTR;
		if (bytes->p[at] != CAIRN_RST_REGVAL || rnd(3000))
			continue;
		bytes->p[at] = 0xee;
		note_place(next);
	}
	write_file(path, bytes);
}

static void check_at(const char *path, const char *to, uint64_t n, unsigned i)
{
	unsigned read = claims_at(path, n, &truth[n], true, false);
	assert_int_equal(claims_at(path, n, &truth[n], false, false), read);
	claims_at(path, n, &truth[n], i & 1, true);
	if (i % 3 == 0)
		slice_is_true(path, to, n);
}

/* What an STF made of an RST tells of the places behind damage is true, too. */
static void check_converted(const char *path)
{
	struct path file = path_of("c.stf");
	struct cairn_output out = {.size = sizeof out, .path = file.text};
	struct cairn_reader *reader;
	good(cairn_open(c, path, NULL, &reader));
	good(cairn_convert(reader, &out, NULL));
	cairn_close(reader);
	for (unsigned i = 0; i < n_places; i++)
		for (unsigned k = 0; k < 12; k++)
			claims_at(file.text, places[i] + k, &truth[places[i] + k], true, false);
	unlink(file.text);
}

static void check(bool sparc, const char *name, const char *to,
                  void (*write)(const char *path, struct bytes *bytes))
{
	claims = unknown = 0;
	big = sparc;
	for (unsigned round = 0; round < 2; round++) {
		struct bytes bytes = make(sparc);
		struct path file = path_of(name);
		const char *path = file.text;
		n_places = 0;
		write(path, &bytes);
		assert_true(write == write_file || n_places > 3);
		struct bytes one = index_of(path, 1), three = index_of(path, 3);
		assert_int_equal(one.n, three.n);
		assert_memory_equal(one.p, three.p, one.n);
		bytes_free(&one);
		bytes_free(&three);
		for (unsigned i = 0; i < 12 && !n_places; i++)
			check_at(path, to, i < 4 ? 65530 + rnd(3000) : 2 + rnd(INSNS - 600), i);
		for (unsigned i = 0; i < n_places; i++)
			check_at(path, to, places[i] + 1 + rnd(12), 0);
		if (sparc)
			check_converted(path);
	}
	/* Enough of both, or nothing was tested. */
	assert_true(claims > 500 && unknown > 100);
}

static void claims_of_stf(void **state)
{
	(void)state;
	check(false, "t.stf", "s.stf", write_file);
}

static void claims_of_broken_stf(void **state)
{
	(void)state;
	check(false, "t.zstf", "s.stf", write_broken_stf);
}

static void claims_of_rst(void **state)
{
	(void)state;
	check(true, "t.rst", "s.rst", write_file);
}

static void claims_of_broken_rst(void **state)
{
	(void)state;
	check(true, "t.rst", "s.rst", write_broken_rst);
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cairn-truth-XXXXXX");
	truth = calloc(INSNS + 1, sizeof *truth);
	c = cairn_new(NULL);
	return !mkdtemp(dir) || !truth || !c;
}

static int end(void **state)
{
	static const char *const names[] = {"t.stf",      "t.stf.cai", "s.stf",     "t.zstf",
	                                    "t.zstf.cai", "t.rst",     "t.rst.cai", "s.rst"};
	(void)state;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		unlink(path_of(names[i]).text);
	rmdir(dir);
	free(truth);
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_of_stf),
		cmocka_unit_test(claims_of_broken_stf),
		cmocka_unit_test(claims_of_rst),
		cmocka_unit_test(claims_of_broken_rst),
	};
	return cmocka_run_group_tests_name("truth", tests, begin, end);
}
