/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs that a machine could fuse, in random RISC-V code, against the bits of encodings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/rows.h"

enum { MANY = 1000, ROUNDS = 100 };

static int deps(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                const void *arg, struct cairn_result **res)
{
	(void)arg;
	return cairn_deps(reader, opts, res);
}

/* ---- code ---- */

static uint64_t draw(uint64_t *x, uint64_t n)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % n;
}

static uint32_t some_encoding(uint64_t *seed)
{
	/* lui, auipc, addi, addiw, slli, srli, srai, add, slt, sltu, slti, sltiu, jalr, lw, ld, sw, sd,
	 * beq, bne, sub: of which registers are left open */
	static const struct {
		uint32_t enc;
		bool rd, rs1, rs2;
	} kinds[] = {
		{0x37, 1, 0, 0},       {0x17, 1, 0, 0},       {0x00100013, 1, 1, 0}, {0x0010001b, 1, 1, 0},
		{0x00201013, 1, 1, 0}, {0x00205013, 1, 1, 0}, {0x40205013, 1, 1, 0}, {0x33, 1, 1, 1},
		{0x2033, 1, 1, 1},     {0x3033, 1, 1, 1},     {0x00102013, 1, 1, 0}, {0x00103013, 1, 1, 0},
		{0x67, 1, 1, 0},       {0x2003, 1, 1, 0},     {0x3003, 1, 1, 0},     {0x2023, 0, 1, 1},
		{0x3023, 0, 1, 1},     {0x463, 0, 1, 0},      {0x1463, 0, 1, 0},     {0x40000033, 1, 1, 1}};
	size_t k = draw(seed, sizeof kinds / sizeof *kinds);
	uint32_t a = 5 + (uint32_t)draw(seed, 2), b = 5 + (uint32_t)draw(seed, 2), e = kinds[k].enc;
	e |= kinds[k].rd ? (5 + (uint32_t)draw(seed, 2)) << 7 : 0;
	e |= kinds[k].rs1 ? a << 15 : 0;
	e |= kinds[k].rs2 ? b << 20 : 0;
	if ((e & 0x7f) == 0x63 && draw(seed, 2)) /* mostly against zero */
		e |= (a == 5 ? 6u : 5u) << 20;
	return e;
}

static void write_code(const char *path, uint64_t seed)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_writer *writer;
	assert_int_equal(cairn_create(cairn, path, NULL, &writer), 0);
	batch->n_insns = MANY;
	batch->n_ctxs = 1;
	batch->n0 = 1;
	batch->have = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_MEMS;
	memset(batch->ctxs, 0, sizeof *batch->ctxs);
	memset(batch->insns, 0, (MANY + 2) * sizeof *batch->insns);
	for (unsigned i = 0; i < MANY; i++) {
		struct cairn_insn *in = &batch->insns[i];
		struct cairn_op op;
		*in = (struct cairn_insn){.pc = 0x10000 + 4 * (uint64_t)i,
		                          .enc = some_encoding(&seed),
		                          .size = 4,
		                          .isa = CAIRN_ISA_RV64,
		                          .mem0 = (uint16_t)batch->n_mems};
		cairn_isa_decode(CAIRN_ISA_RV64, in->enc, 4, &op);
		in->cls = op.cls;
		in->traits = op.traits;
		if ((in->enc & 0x7f) == 0x67) {
			in->target = in->pc + 4;
			in->flags = CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
		} else if ((in->enc & 0x7f) == 0x63) {
			in->flags = CAIRN_INSN_NOT_TAKEN;
		}
		bool load = (in->enc & 0x7f) == 0x03;
		if (!load && (in->enc & 0x7f) != 0x23)
			continue;
		unsigned size = (in->enc >> 12 & 7) == 2 ? 4 : 8;
		batch->mems[batch->n_mems++] =
			(struct cairn_mem){.addr = 0x20000 + size * draw(&seed, 4),
		                       .size = size,
		                       .kind = load ? CAIRN_MEM_READ : CAIRN_MEM_WRITE,
		                       .initiator = CAIRN_BY_INSN,
		                       .flags = CAIRN_VALUE_KNOWN};
	}
	batch->insns[MANY].mem0 = batch->insns[MANY + 1].mem0 = (uint16_t)batch->n_mems;
	if (cairn_put(writer, batch) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	assert_int_equal(cairn_finish(writer, NULL), 0);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- pairs ---- */

/* What two instructions side by side could be, by their bits; NULL: nothing. */
static const char *pair_of(const struct trace *trace, size_t index)
{
	const struct row *left = &trace->rows[index], *right = &trace->rows[index + 1];
	uint32_t x = left->in.enc, y = right->in.enc, rd = x >> 7 & 31;
	bool into = (y >> 7 & 31) == rd, from1 = (y >> 15 & 31) == rd, from2 = (y >> 20 & 31) == rd;
	uint32_t kx = x & 0xfe00707f, ky = y & 0xfe00707f, sx = x & 0x707f, sy = y & 0x707f;
	bool loads = (y & 0x7f) == 0x03, adds = sy == 0x13 || sy == 0x1b;
	if ((x & 0x7f) == 0x37)
		return adds && from1 && into ? "lui, addi" : NULL;
	if ((x & 0x7f) == 0x17)
		return !from1         ? NULL
		       : sy == 0x67   ? "auipc, jalr"
		       : loads        ? "auipc, load"
		       : adds && into ? "auipc, addi"
		                      : NULL;
	if (sx == 0x1013)
		return sy == 0x5013 && from1 && into            ? "slli, srli"
		       : ky == 0x33 && (from1 || from2) && into ? "slli, add"
		                                                : NULL;
	if (kx == 0x33)
		return loads && from1 && into ? "add, load" : NULL;
	if (kx == 0x2033 || kx == 0x3033 || sx == 0x2013 || sx == 0x3013)
		return (sy == 0x63 || sy == 0x1063) && !(y >> 20 & 31) && from1 ? "compare, branch on zero"
		                                                                : NULL;
	if (((x & 0x7f) != 0x03 && (x & 0x7f) != 0x23) || sx != sy || (x >> 15 & 31) != (y >> 15 & 31))
		return NULL;
	uint64_t p = trace->mems[left->mem0].addr, q = trace->mems[right->mem0].addr,
			 size = trace->mems[left->mem0].size;
	if (q != p + size && p != q + size)
		return NULL;
	return (x & 0x7f) == 0x23 ? "store pair" : rd == (y >> 15 & 31) ? NULL : "load pair";
}

static void pairs_are_those_of_the_bits(void **state)
{
	static const char *const names[] = {
		"lui, addi",  "auipc, addi", "auipc, load", "auipc, jalr",
		"slli, srli", "slli, add",   "add, load",   "compare, branch on zero",
		"load pair",  "store pair"};
	uint64_t all[10] = {0};
	char path[64];
	(void)state;
	snprintf(path, sizeof path, "/tmp/cairn-fusion-%d.stf", (int)getpid());
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		uint64_t want[10] = {0}, told = 0, sum = 0;
		struct trace trace;
		write_code(path, seed);
		trace_read(&trace, path);
		assert_int_equal(trace.n, MANY);
		for (size_t i = 0; i + 1 < trace.n; i++) {
			const char *name = pair_of(&trace, i);
			for (size_t k = 0; k < 10; k++)
				want[k] += name && !strcmp(name, names[k]);
		}
		struct cairn_result *res = analyse(&trace, deps, NULL, 1 + (unsigned)(seed % 3), 0, NULL);
		const struct cairn_table *table = table_of(res, "fusion");
		for (size_t k = 0; k < 10; k++) {
			uint64_t got = 0;
			for (size_t row = 0; row < table->n_rows; row++)
				got += strcmp(text_of(table, row, "candidate"), names[k])
				           ? 0
				           : number_of(table, row, "count");
			if (got != want[k])
				fail_msg("seed %d: %s is %d, not %d", (int)seed, names[k], (int)got, (int)want[k]);
			told += got;
			all[k] += got;
		}
		for (size_t row = 0; row < table->n_rows; row++)
			sum += number_of(table, row, "count");
		assert_int_equal(sum, told); /* no others */
		cairn_result_free(res);
		trace_free(&trace);
	}
	for (size_t k = 0; k < 10; k++)
		assert_true(all[k] > 20);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_those_of_the_bits)};
	return cmocka_run_group_tests_name("fusion", tests, NULL, NULL);
}
