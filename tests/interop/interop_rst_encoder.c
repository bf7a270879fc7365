/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real RST traces into batches and down into RST again: every row that is read from our
 * own records must be the row that was read from the original's. The packed forms are
 * taken on the way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/cairn.h"

static struct cairn *c;
static char folder[] = "/tmp/cairn-rst-down-XXXXXX";

static void write_again(const char *from, const char *to)
{
	struct cairn_reader *reader;
	struct cairn_writer *writer;
	struct cairn_ledger *ledger = NULL;
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_create_opts opts = {.size = sizeof opts, .lossless = 1};
	int rc;
	if (cairn_open(c, from, NULL, &reader) < 0 || cairn_create(c, to, &opts, &writer) < 0 ||
	    cairn_writer_from(writer, reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	while ((rc = cairn_next(reader, batch)) == 1)
		if (cairn_put(writer, batch) < 0)
			fail_msg("%s: %s", from, cairn_error_text(c));
	assert_int_equal(rc, 0);
	if (cairn_finish(writer, &ledger) < 0)
		fail_msg("%s: %s", from, cairn_error_text(c));
	assert_int_equal(ledger->n, 0);
	cairn_ledger_free(c, ledger);
	cairn_batch_free(c, batch);
	cairn_close(reader);
}

/* Rows on the way to an instruction: batches end where records say, so what stands
 * between two instructions may be split over last slots. */
struct walk {
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	uint32_t i;
	int state;
	const struct cairn_insn *row; /* NULL: the end */
	uint64_t regs, mems, events, hash[3];
};

static void mix(uint64_t *hash, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*hash = (*hash ^ ((const uint8_t *)p)[i]) * UINT64_C(0x100000001b3);
}

static void take_rows(struct walk *walk, const struct cairn_insn *row)
{
	const struct cairn_batch *batch = walk->batch;
	for (uint32_t i = row[0].reg0; i < row[1].reg0; i++, walk->regs++) {
		struct cairn_reg x = batch->regs[i];
		if (x.flags & CAIRN_VALUE_WIDE)
			mix(&walk->hash[0], batch->bytes + x.value, x.bits / 8);
		x.value = x.flags & CAIRN_VALUE_WIDE ? 0 : x.value;
		x.seq = 0;
		mix(&walk->hash[0], &x, sizeof x);
	}
	for (uint32_t i = row[0].mem0; i < row[1].mem0; i++, walk->mems++) {
		struct cairn_mem x = batch->mems[i];
		if (x.flags & CAIRN_VALUE_WIDE)
			mix(&walk->hash[1], batch->bytes + x.value, 8u * x.words);
		x.value = x.flags & CAIRN_VALUE_WIDE ? 0 : x.value;
		x.seq = 0;
		mix(&walk->hash[1], &x, sizeof x);
	}
	for (uint32_t i = row[0].ev0; i < row[1].ev0; i++, walk->events++) {
		struct cairn_event x = batch->events[i];
		mix(&walk->hash[2], batch->bytes + x.args, x.len);
		x.args = 0;
		x.seq = 0;
		mix(&walk->hash[2], &x, sizeof x);
	}
}

/* To the next instruction, or the end. */
static void walk_next(struct walk *walk)
{
	walk->regs = walk->mems = walk->events = 0;
	memset(walk->hash, 0, sizeof walk->hash);
	walk->row = NULL;
	while (walk->state == 1) {
		const struct cairn_insn *row = &walk->batch->insns[walk->i];
		take_rows(walk, row);
		if (walk->i++ < walk->batch->n_insns) {
			walk->row = row;
			return;
		}
		walk->i = 0;
		walk->state = cairn_next(walk->reader, walk->batch);
	}
}

static void walk_open(struct walk *walk, const char *name)
{
	memset(walk, 0, sizeof *walk);
	if (cairn_open(c, name, NULL, &walk->reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	walk->batch = cairn_batch_new(c);
	walk->state = cairn_next(walk->reader, walk->batch);
	walk_next(walk);
}

static void walk_close(struct walk *walk)
{
	cairn_batch_free(c, walk->batch);
	cairn_close(walk->reader);
}

static uint64_t compare(const char *one, const char *two)
{
	struct walk left, right;
	uint64_t n = 0;
	walk_open(&left, one);
	walk_open(&right, two);
	for (; left.row && right.row; walk_next(&left), walk_next(&right)) {
		const struct cairn_insn *ra = left.row, *rb = right.row;
		n = left.batch->n0 + (uint64_t)(ra - left.batch->insns);
		if (ra->pc != rb->pc || ra->target != rb->target || ra->enc != rb->enc ||
		    ra->flags != rb->flags || ra->traits != rb->traits || ra->cls != rb->cls)
			fail_msg("instruction %llu: %llx %x flags %x, not %llx %x flags %x",
			         (unsigned long long)n, (unsigned long long)rb->pc, rb->enc, rb->flags,
			         (unsigned long long)ra->pc, ra->enc, ra->flags);
		if (memcmp(&left.batch->ctxs[ra->ctx], &right.batch->ctxs[rb->ctx],
		           sizeof *left.batch->ctxs) != 0)
			fail_msg("instruction %llu: context", (unsigned long long)n);
		if (left.regs != right.regs || left.mems != right.mems || left.events != right.events ||
		    memcmp(left.hash, right.hash, sizeof left.hash) != 0)
			fail_msg("instruction %llu: %llu registers, %llu accesses, %llu events, not %llu, "
			         "%llu, %llu (or other ones)",
			         (unsigned long long)n, (unsigned long long)right.regs,
			         (unsigned long long)right.mems, (unsigned long long)right.events,
			         (unsigned long long)left.regs, (unsigned long long)left.mems,
			         (unsigned long long)left.events);
	}
	assert_true(left.row == NULL && right.row == NULL &&
	            !memcmp(left.hash, right.hash, sizeof left.hash));
	walk_close(&left);
	walk_close(&right);
	return n;
}

static void trace(const char *name, const char *as)
{
	char from[1024], to[128];
	const char *data = getenv("CAIRN_TEST_DATA");
	if (!data)
		skip();
	snprintf(from, sizeof from, "%s/rst/%s", data, name);
	snprintf(to, sizeof to, "%s/%s", folder, as);
	if (access(from, R_OK) < 0)
		skip();
	write_again(from, to);
	assert_true(compare(from, to) > 500);
	unlink(to);
}

static void a_whole_run_comes_back(void **state)
{
	(void)state;
	trace("small_300k.rst.zst", "x.rst");
}

static void a_trace_that_ends_anywhere_comes_back(void **state)
{
	(void)state;
	trace("small_1k.rst", "x.rst.gz");
}

static void values_come_back(void **state)
{
	(void)state;
	trace("value_shade.rz3.gz", "x.rz3");
}

static void several_cpus_come_back(void **state)
{
	(void)state;
	trace("mp_5m.rz3.gz", "x.rst");
}

static void an_older_version_comes_back(void **state)
{
	(void)state;
	trace("v206_small.rst.zst", "x.rst");
}

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return mkdtemp(folder) && c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	rmdir(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_run_comes_back),
		cmocka_unit_test(a_trace_that_ends_anywhere_comes_back),
		cmocka_unit_test(values_come_back),
		cmocka_unit_test(several_cpus_come_back),
		cmocka_unit_test(an_older_version_comes_back),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
