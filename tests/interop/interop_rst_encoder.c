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
	struct cairn_reader *r;
	struct cairn_writer *w;
	struct cairn_ledger *ledger = NULL;
	struct cairn_batch *b = cairn_batch_new(c);
	struct cairn_create_opts o = {.size = sizeof o, .lossless = 1};
	int rc;
	if (cairn_open(c, from, NULL, &r) < 0 || cairn_create(c, to, &o, &w) < 0 ||
	    cairn_writer_from(w, r) < 0)
		fail_msg("%s", cairn_error_text(c));
	while ((rc = cairn_next(r, b)) == 1)
		if (cairn_put(w, b) < 0)
			fail_msg("%s: %s", from, cairn_error_text(c));
	assert_int_equal(rc, 0);
	if (cairn_finish(w, &ledger) < 0)
		fail_msg("%s: %s", from, cairn_error_text(c));
	assert_int_equal(ledger->n, 0);
	cairn_ledger_free(c, ledger);
	cairn_batch_free(c, b);
	cairn_close(r);
}

/* Rows on the way to an instruction: batches end where records say, so what stands
 * between two instructions may be split over last slots. */
struct walk {
	struct cairn_reader *r;
	struct cairn_batch *b;
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

static void take_rows(struct walk *k, const struct cairn_insn *row)
{
	const struct cairn_batch *b = k->b;
	for (uint32_t i = row[0].reg0; i < row[1].reg0; i++, k->regs++) {
		struct cairn_reg x = b->regs[i];
		if (x.flags & CAIRN_VALUE_WIDE)
			mix(&k->hash[0], b->bytes + x.value, x.bits / 8);
		x.value = x.flags & CAIRN_VALUE_WIDE ? 0 : x.value;
		x.seq = 0;
		mix(&k->hash[0], &x, sizeof x);
	}
	for (uint32_t i = row[0].mem0; i < row[1].mem0; i++, k->mems++) {
		struct cairn_mem x = b->mems[i];
		if (x.flags & CAIRN_VALUE_WIDE)
			mix(&k->hash[1], b->bytes + x.value, 8u * x.words);
		x.value = x.flags & CAIRN_VALUE_WIDE ? 0 : x.value;
		x.seq = 0;
		mix(&k->hash[1], &x, sizeof x);
	}
	for (uint32_t i = row[0].ev0; i < row[1].ev0; i++, k->events++) {
		struct cairn_event x = b->events[i];
		mix(&k->hash[2], b->bytes + x.args, x.len);
		x.args = 0;
		x.seq = 0;
		mix(&k->hash[2], &x, sizeof x);
	}
}

/* To the next instruction, or the end. */
static void walk_next(struct walk *k)
{
	k->regs = k->mems = k->events = 0;
	memset(k->hash, 0, sizeof k->hash);
	k->row = NULL;
	while (k->state == 1) {
		const struct cairn_insn *row = &k->b->insns[k->i];
		take_rows(k, row);
		if (k->i++ < k->b->n_insns) {
			k->row = row;
			return;
		}
		k->i = 0;
		k->state = cairn_next(k->r, k->b);
	}
}

static void walk_open(struct walk *k, const char *name)
{
	memset(k, 0, sizeof *k);
	if (cairn_open(c, name, NULL, &k->r) < 0)
		fail_msg("%s", cairn_error_text(c));
	k->b = cairn_batch_new(c);
	k->state = cairn_next(k->r, k->b);
	walk_next(k);
}

static void walk_close(struct walk *k)
{
	cairn_batch_free(c, k->b);
	cairn_close(k->r);
}

static uint64_t compare(const char *one, const char *two)
{
	struct walk a, b;
	uint64_t n = 0;
	walk_open(&a, one);
	walk_open(&b, two);
	for (; a.row && b.row; walk_next(&a), walk_next(&b)) {
		const struct cairn_insn *ra = a.row, *rb = b.row;
		n = a.b->n0 + (uint64_t)(ra - a.b->insns);
		if (ra->pc != rb->pc || ra->target != rb->target || ra->enc != rb->enc ||
		    ra->flags != rb->flags || ra->traits != rb->traits || ra->cls != rb->cls)
			fail_msg("instruction %llu: %llx %x flags %x, not %llx %x flags %x",
			         (unsigned long long)n, (unsigned long long)rb->pc, rb->enc, rb->flags,
			         (unsigned long long)ra->pc, ra->enc, ra->flags);
		if (memcmp(&a.b->ctxs[ra->ctx], &b.b->ctxs[rb->ctx], sizeof *a.b->ctxs) != 0)
			fail_msg("instruction %llu: context", (unsigned long long)n);
		if (a.regs != b.regs || a.mems != b.mems || a.events != b.events ||
		    memcmp(a.hash, b.hash, sizeof a.hash) != 0)
			fail_msg("instruction %llu: %llu registers, %llu accesses, %llu events, not %llu, "
			         "%llu, %llu (or other ones)",
			         (unsigned long long)n, (unsigned long long)b.regs, (unsigned long long)b.mems,
			         (unsigned long long)b.events, (unsigned long long)a.regs,
			         (unsigned long long)a.mems, (unsigned long long)a.events);
	}
	assert_true(a.row == NULL && b.row == NULL && !memcmp(a.hash, b.hash, sizeof a.hash));
	walk_close(&a);
	walk_close(&b);
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
