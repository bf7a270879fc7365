/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real STF traces into batches and down into STF again: what is read from our own
 * encoding must be what was read from the original. All rows are compared, not only
 * their numbers; the order between kinds of rows within an instruction may differ
 * only where the original's is not the specification's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"

static struct cairn *c;
static char path[64];

static int skips(const char *name)
{
	(void)name;
	return 0;
}

/* Every source with its value, whatever it is worth: otherwise some could not be written. */
static const struct cairn_open_opts all = {.size = sizeof all, .from = "stf:sources=before"};

/* Everything that goes in has to come out. */
static void write_again(const char *from, const char *to)
{
	struct cairn_reader *reader;
	struct cairn_writer *writer;
	struct cairn_ledger *ledger = NULL;
	struct cairn_stf_header *header;
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_create_opts opts = {.size = sizeof opts, .threads = 2, .lossless = 1};
	assert_int_equal(cairn_open(c, from, &all, &reader), 0);
	assert_int_equal(cairn_create(c, to, &opts, &writer), 0);
	assert_int_equal(cairn_stf_header_of(reader, &header), 0);
	assert_true(cairn_stf_writer_header(writer, header, NULL) >= 0);
	cairn_stf_header_free(header);
	int rc;
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

/* A walk over the instructions of a trace, whatever its batches. */
struct walk {
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	uint32_t i, x;
	int state;
};

static void walk_open(struct walk *walk, const char *name)
{
	memset(walk, 0, sizeof *walk);
	assert_int_equal(cairn_open(c, name, &all, &walk->reader), 0);
	walk->batch = cairn_batch_new(c);
	walk->state = cairn_next(walk->reader, walk->batch);
	assert_true(walk->state >= 0);
}

static void walk_close(struct walk *walk)
{
	cairn_batch_free(c, walk->batch);
	cairn_close(walk->reader);
}

/* The next slot: an instruction, or a last slot with rows; NULL at the end. */
static const struct cairn_insn *walk_next(struct walk *walk, int *last)
{
	while (walk->state == 1) {
		const struct cairn_insn *row = &walk->batch->insns[walk->i];
		*last = walk->i == walk->batch->n_insns;
		if (walk->i < walk->batch->n_insns ||
		    (*last && (row[0].reg0 != row[1].reg0 || row[0].mem0 != row[1].mem0 ||
		               row[0].ev0 != row[1].ev0))) {
			walk->i++;
			return row;
		}
		walk->i = 0;
		walk->state = cairn_next(walk->reader, walk->batch);
	}
	assert_int_equal(walk->state, 0);
	return NULL;
}

static void same_regs(const struct walk *left, const struct cairn_insn *ra,
                      const struct walk *right, const struct cairn_insn *rb, uint64_t n)
{
	uint32_t count = (uint32_t)ra[1].reg0 - ra->reg0;
	if (count != (uint32_t)rb[1].reg0 - rb->reg0)
		fail_msg("instruction %llu: registers", (unsigned long long)n);
	for (uint32_t i = 0; i < count; i++) {
		struct cairn_reg x = left->batch->regs[ra->reg0 + i], y = right->batch->regs[rb->reg0 + i];
		if (x.flags & CAIRN_VALUE_WIDE) {
			assert_memory_equal(left->batch->bytes + x.value, right->batch->bytes + y.value,
			                    8 * ((x.bits + 63) / 64));
			x.value = y.value = 0;
		}
		if (memcmp(&x, &y, sizeof x))
			fail_msg("instruction %llu: register %u", (unsigned long long)n, i);
	}
}

static void same_mems(const struct walk *left, const struct cairn_insn *ra,
                      const struct walk *right, const struct cairn_insn *rb, uint64_t n)
{
	uint32_t count = (uint32_t)ra[1].mem0 - ra->mem0;
	if (count != (uint32_t)rb[1].mem0 - rb->mem0)
		fail_msg("instruction %llu: accesses", (unsigned long long)n);
	for (uint32_t i = 0; i < count; i++) {
		struct cairn_mem x = left->batch->mems[ra->mem0 + i], y = right->batch->mems[rb->mem0 + i];
		if (x.flags & CAIRN_VALUE_WIDE) {
			assert_memory_equal(left->batch->bytes + x.value, right->batch->bytes + y.value,
			                    8u * x.words);
			x.value = y.value = 0;
		}
		if (memcmp(&x, &y, sizeof x))
			fail_msg("instruction %llu: access %u", (unsigned long long)n, i);
	}
}

static void same_events(const struct walk *left, const struct cairn_insn *ra,
                        const struct walk *right, const struct cairn_insn *rb, uint64_t n)
{
	uint32_t count = (uint32_t)ra[1].ev0 - ra->ev0;
	if (count != (uint32_t)rb[1].ev0 - rb->ev0)
		fail_msg("instruction %llu: %u and %u events", (unsigned long long)n, count,
		         (uint32_t)rb[1].ev0 - rb->ev0);
	for (uint32_t i = 0; i < count; i++) {
		struct cairn_event x = left->batch->events[ra->ev0 + i],
						   y = right->batch->events[rb->ev0 + i];
		assert_int_equal(x.len, y.len);
		if (x.len)
			assert_memory_equal(left->batch->bytes + x.args, right->batch->bytes + y.args, x.len);
		x.args = y.args = 0;
		if (memcmp(&x, &y, sizeof x))
			fail_msg("instruction %llu: event %u", (unsigned long long)n, i);
	}
}

static void same_insn(const struct walk *left, const struct cairn_insn *ra,
                      const struct walk *right, const struct cairn_insn *rb, uint64_t n)
{
	struct cairn_insn x = *ra, y = *rb;
	if (memcmp(&left->batch->ctxs[x.ctx], &right->batch->ctxs[y.ctx], sizeof(struct cairn_ctx)))
		fail_msg("instruction %llu: context", (unsigned long long)n);
	x.rec = y.rec = x.off = y.off = 0;
	x.ctx = y.ctx = x.reg0 = y.reg0 = x.mem0 = y.mem0 = x.ev0 = y.ev0 = 0;
	if (memcmp(&x, &y, sizeof x))
		fail_msg("instruction %llu: pc %llx %llx enc %x %x flags %x %x target %llx %llx",
		         (unsigned long long)n, (unsigned long long)x.pc, (unsigned long long)y.pc, x.enc,
		         y.enc, x.flags, y.flags, (unsigned long long)x.target,
		         (unsigned long long)y.target);
}

static uint64_t same_instructions(const char *one, const char *two)
{
	struct walk left, right;
	uint64_t n = 0;
	walk_open(&left, one);
	walk_open(&right, two);
	for (;; n++) {
		int la, lb;
		const struct cairn_insn *ra = walk_next(&left, &la), *rb = walk_next(&right, &lb);
		if (!ra || !rb) {
			assert_true(ra == rb);
			break;
		}
		assert_int_equal(la, lb);
		if (!la)
			same_insn(&left, ra, &right, rb, n + 1);
		same_regs(&left, ra, &right, rb, n + 1);
		same_mems(&left, ra, &right, rb, n + 1);
		same_events(&left, ra, &right, rb, n + 1);
	}
	walk_close(&left);
	walk_close(&right);
	return n;
}

static void same_bytes(const struct walk *left, uint32_t at, const struct walk *right, uint32_t bt,
                       size_t n)
{
	if (n)
		assert_memory_equal(left->batch->bytes + at, right->batch->bytes + bt, n);
}

/* Transactions of one trace and of the other; batches are cut alike. */
static void same_transactions(const char *one, const char *two)
{
	struct walk left, right;
	walk_open(&left, one);
	walk_open(&right, two);
	while (left.state == 1 && right.state == 1) {
		assert_int_equal(left.batch->n_xacts, right.batch->n_xacts);
		for (uint32_t i = 0; i < left.batch->n_xacts; i++) {
			struct cairn_xact x = left.batch->xacts[i], y = right.batch->xacts[i];
			same_bytes(&left, x.data, &right, y.data, x.data_len);
			same_bytes(&left, x.mask, &right, y.mask, (x.mask_bits + 7) / 8);
			same_bytes(&left, x.meta, &right, y.meta, 16 * x.n_meta);
			same_bytes(&left, x.deps, &right, y.deps, 24 * x.n_deps);
			x.data = y.data = x.mask = y.mask = x.meta = y.meta = x.deps = y.deps = 0;
			x.rec = y.rec = x.off = y.off = 0;
			assert_memory_equal(&x, &y, sizeof x);
		}
		left.state = cairn_next(left.reader, left.batch);
		right.state = cairn_next(right.reader, right.batch);
	}
	assert_int_equal(left.state, 0);
	assert_int_equal(right.state, 0);
	walk_close(&left);
	walk_close(&right);
}

static void try_all(const char *pattern)
{
	const char *data = getenv("CAIRN_TEST_DATA");
	char full[512];
	glob_t g;
	if (!data)
		skip();
	snprintf(full, sizeof full, "%s/%s", data, pattern);
	if (glob(full, 0, NULL, &g) != 0)
		skip();
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct cairn_reader *reader;
		const char *name = g.gl_pathv[i];
		if (skips(name) || cairn_open(c, name, NULL, &reader) < 0)
			continue; /* no trace, says the reader */
		uint32_t can = cairn_reader_can(reader);
		cairn_close(reader);
		write_again(name, path);
		if (can & CAIRN_XACTS)
			same_transactions(name, path);
		else
			same_instructions(name, path);
		unlink(path);
	}
	globfree(&g);
}

static void test_raw_traces(void **state)
{
	(void)state;
	try_all("stf/*.stf");
}

static void test_containers(void **state)
{
	(void)state;
	try_all("stf/*.zstf");
}

static void test_every_record(void **state)
{
	(void)state;
	try_all("stf/every-record/*stf");
}

static void test_tilelink(void **state)
{
	(void)state;
	try_all("stf/tilelink/*stf");
}

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "%s", "/tmp/cairn-down-XXXXXX.zstf");
	int fd = mkstemps(path, 5);
	if (fd < 0)
		return -1;
	close(fd);
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw_traces), cmocka_unit_test(test_containers),
		cmocka_unit_test(test_every_record), cmocka_unit_test(test_tilelink)};
	return cmocka_run_group_tests_name("stf-down", tests, setup, teardown);
}
