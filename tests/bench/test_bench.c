/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generated traces are what the benchmark believes them to be: they read
 * back with the right counts, and the program-like ones hold together. This also
 * is a second opinion on the reader, for nothing of the library made them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/cairn.h"
#include "generate.h"

enum { INSNS = 450000 };

static const char *const names[BENCH_KINDS] = {"lean", "full", "random"};
static char folder[] = "/tmp/cairn-bench-XXXXXX";
static struct bench_made made[BENCH_KINDS];

static const char *path(unsigned kind, const char *suffix)
{
	static char buf[128];
	snprintf(buf, sizeof buf, "%s/%s.%s", folder, names[kind], suffix);
	return buf;
}

static int make_all(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (unsigned k = 0; k < BENCH_KINDS; k++) {
		char stf[128];
		strcpy(stf, path(k, "stf"));
		if (bench_generate((enum bench_kind)k, INSNS, stf, path(k, "zstf"), &made[k]) < 0)
			return -1;
	}
	return 0;
}

static int remove_all(void **state)
{
	(void)state;
	for (unsigned k = 0; k < BENCH_KINDS; k++) {
		unlink(path(k, "stf"));
		unlink(path(k, "zstf"));
	}
	return rmdir(folder);
}

static struct cairn_reader *open_trace(struct cairn *cairn, unsigned kind, const char *suffix)
{
	struct cairn_reader *reader = NULL;
	int rc = cairn_open(cairn, path(kind, suffix), NULL, &reader);
	if (rc < 0)
		fail_msg("%s", cairn_error_text(cairn));
	return reader;
}

static void counts_are_those_written(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	for (unsigned i = 0; i < 4 * BENCH_KINDS; i++) {
		const struct bench_made *m = &made[i / 4];
		struct cairn_reader *reader = open_trace(cairn, i / 4, i & 1 ? "zstf" : "stf");
		struct cairn_tally tally = {.size = sizeof tally};
		assert_int_equal(cairn_count(reader, i & 2 ? 2 : 1, &tally), 0);
		assert_int_equal(tally.instructions, INSNS);
		assert_int_equal(tally.records, m->records);
		assert_memory_equal(tally.by_record, m->by_record, sizeof tally.by_record);
		if (i / 4 != BENCH_RANDOM) {
			assert_int_equal(tally.loads, m->loads);
			assert_int_equal(tally.stores, m->stores);
			assert_int_equal(tally.branches_taken, m->taken);
		}
		assert_int_equal(cairn_damage_count(reader), 0);
		cairn_close(reader);
	}
	cairn_free(cairn);
}

/* Where the instruction after row `index` stands. */
static uint64_t next_pc(const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *in = &batch->insns[index];
	for (uint32_t e = in->ev0; e < in[1].ev0; e++)
		if ((in->flags & CAIRN_INSN_ABORTED) && (batch->events[e].flags & CAIRN_EVF_TARGET))
			return batch->events[e].target;
	return in->flags & CAIRN_INSN_TAKEN ? in->target : in->pc + in->size;
}

/* What the row says about itself, against its encoding. */
static void check_insn(const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *in = &batch->insns[index];
	struct cairn_op op;
	cairn_isa_decode(CAIRN_ISA_RV64, in->enc, in->size, &op);
	assert_int_not_equal(op.cls, CAIRN_CLASS_ILLEGAL);
	if (in->flags & CAIRN_INSN_ABORTED)
		return;
	if (op.traits & CAIRN_TRAIT_BRANCH && !(op.traits & CAIRN_TRAIT_INDIRECT))
		assert_int_equal(in->target, in->pc + (uint64_t)op.offset);
	else if (in->flags & CAIRN_INSN_TAKEN)
		assert_true(op.traits & (CAIRN_TRAIT_INDIRECT | CAIRN_TRAIT_XRET));
	uint32_t mems = in[1].mem0 - in->mem0;
	assert_int_equal(mems, (op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) != 0);
	if (mems) {
		const struct cairn_mem *mem = &batch->mems[in->mem0];
		assert_int_equal(mem->size, op.mem_size);
		assert_int_equal(mem->kind,
		                 op.traits & CAIRN_TRAIT_LOAD ? CAIRN_MEM_READ : CAIRN_MEM_WRITE);
		assert_int_equal(mem->flags, CAIRN_VALUE_KNOWN);
	}
}

static void programs_hold_together(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	for (unsigned i = 0; i < 4; i++) {
		struct cairn_reader *reader = open_trace(cairn, i / 2, i & 1 ? "zstf" : "stf");
		uint64_t n = 0, regs = 0, pc = 0;
		int rc;
		while ((rc = cairn_next(reader, batch)) == 1) {
			for (uint32_t k = 0; k < batch->n_insns; k++) {
				if (n++)
					assert_int_equal(batch->insns[k].pc, pc);
				check_insn(batch, k);
				pc = next_pc(batch, k);
			}
			regs += batch->n_regs;
		}
		assert_int_equal(rc, 0);
		assert_int_equal(n, INSNS);
		assert_int_equal(regs, made[i / 2].by_record[CAIRN_STF_INST_REG]);
		assert_int_equal(cairn_damage_count(reader), 0);
		cairn_close(reader);
	}
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* A jump lands in a chunk whose PC the container tells. */
static void every_chunk_begins_where_the_index_says(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn), *in_order = cairn_batch_new(cairn);
	struct cairn_reader *all = open_trace(cairn, BENCH_FULL, "stf");
	struct cairn_reader *reader = open_trace(cairn, BENCH_FULL, "zstf");
	in_order->n_insns = 0;
	for (uint64_t n = 1; n <= INSNS; n += BENCH_CHUNK) {
		assert_int_equal(cairn_seek(reader, n), 0);
		assert_int_equal(cairn_next(reader, batch), 1);
		assert_int_equal(batch->n0, n);
		while (in_order->n0 + in_order->n_insns <= n)
			assert_int_equal(cairn_next(all, in_order), 1);
		assert_int_equal(batch->insns[0].pc, in_order->insns[n - in_order->n0].pc);
	}
	cairn_close(reader);
	cairn_close(all);
	cairn_batch_free(cairn, batch);
	cairn_batch_free(cairn, in_order);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_written),
		cmocka_unit_test(programs_hold_together),
		cmocka_unit_test(every_chunk_begins_where_the_index_says),
	};
	return cmocka_run_group_tests_name("bench", tests, make_all, remove_all);
}
