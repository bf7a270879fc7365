/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples' programs recorded under two versions of QEMU: the one on the path and that in
 * the folder CAIRN_TEST_QEMU, which has to have plugins (--enable-plugins). What ran, every
 * register and every access must be the same, but for where each puts the stack: values may
 * differ, all by the same distance.
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

#include "cairn/cairn.h"

struct side {
	char path[4096];
	struct cairn_reader *reader;
	struct cairn_batch *batch;
};

struct pair {
	struct cairn *cairn;
	struct side side, b;
	uint64_t n, apart, differ; /* instructions; how far stacks are apart; values that are */
};

static void record(struct side *side, const char *folder, const char *arch, const char *sample,
                   const char *more)
{
	char command[16384], qemu[4096];
	snprintf(side->path, sizeof side->path, "/tmp/cairn-capture-%d-%s.stf", (int)getpid(),
	         folder ? "other" : "path");
	snprintf(qemu, sizeof qemu, "%s%sqemu-%s", folder ? folder : "", folder ? "/" : "", arch);
	snprintf(command, sizeof command,
	         "env -i PATH=\"$PATH\" '%s/cairn' capture -q %s --qemu '%s' "
	         "-o '%s' -- '%s/examples/%s' > /dev/null 2> /dev/null",
	         getenv("CAIRN_BUILD"), more, qemu, side->path, getenv("CAIRN_SOURCE"), sample);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* Equal, or one is nearer to the stack's beginning than the other. */
static void values(struct pair *pair, uint64_t a, uint64_t b)
{
	if (a == b)
		return;
	if (!pair->differ++)
		pair->apart = b - a;
	if (b - a != pair->apart)
		fail_msg("instruction %llu: 0x%llx and 0x%llx", (unsigned long long)pair->n,
		         (unsigned long long)a, (unsigned long long)b);
}

static void wide(struct pair *pair, uint64_t at, uint64_t bt)
{
	uint64_t a[2], b[2];
	memcpy(a, pair->side.batch->bytes + at, sizeof a);
	memcpy(b, pair->b.batch->bytes + bt, sizeof b);
	values(pair, a[0], b[0]);
	values(pair, a[1], b[1]);
}

static void registers(struct pair *pair, uint32_t index)
{
	const struct cairn_batch *left = pair->side.batch, *right = pair->b.batch;
	uint32_t x = left->insns[index].reg0, y = right->insns[index].reg0;
	/* Those it begins with are all of them, and a CPU may begin with others. */
	if (pair->n == 1)
		return;
	assert_int_equal(left->insns[index + 1].reg0 - x, right->insns[index + 1].reg0 - y);
	for (; x < left->insns[index + 1].reg0; x++, y++) {
		const struct cairn_reg *reg = &left->regs[x], *s = &right->regs[y];
		assert_int_equal(reg->num, s->num);
		assert_int_equal(reg->cls, s->cls);
		assert_int_equal(reg->role, s->role);
		assert_int_equal(reg->flags, s->flags);
		if (reg->flags & CAIRN_VALUE_WIDE)
			wide(pair, reg->value, s->value);
		else
			values(pair, reg->value, s->value);
	}
}

static void accesses(struct pair *pair, uint32_t index)
{
	const struct cairn_batch *left = pair->side.batch, *right = pair->b.batch;
	uint32_t x = left->insns[index].mem0, y = right->insns[index].mem0;
	assert_int_equal(left->insns[index + 1].mem0 - x, right->insns[index + 1].mem0 - y);
	for (; x < left->insns[index + 1].mem0; x++, y++) {
		const struct cairn_mem *mem = &left->mems[x], *k = &right->mems[y];
		assert_int_equal(mem->kind, k->kind);
		assert_int_equal(mem->size, k->size);
		values(pair, mem->addr, k->addr);
		if (!(mem->flags & k->flags & CAIRN_VALUE_KNOWN))
			continue;
		if (mem->flags & CAIRN_VALUE_WIDE)
			wide(pair, mem->value, k->value);
		else
			values(pair, mem->value, k->value);
	}
}

static void open_side(struct pair *pair, struct side *side)
{
	assert_int_equal(cairn_open(pair->cairn, side->path, NULL, &side->reader), 0);
	side->batch = cairn_batch_new(pair->cairn);
}

static void close_side(struct pair *pair, struct side *side)
{
	cairn_close(side->reader);
	cairn_batch_free(pair->cairn, side->batch);
	unlink(side->path);
}

static void compare(const char *arch, const char *sample, const char *more)
{
	struct pair pair = {.cairn = cairn_new(NULL)};
	int rc;
	record(&pair.side, NULL, arch, sample, more);
	record(&pair.b, getenv("CAIRN_TEST_QEMU"), arch, sample, more);
	open_side(&pair, &pair.side);
	open_side(&pair, &pair.b);
	while ((rc = cairn_next(pair.side.reader, pair.side.batch)) > 0) {
		assert_int_equal(cairn_next(pair.b.reader, pair.b.batch), 1);
		assert_int_equal(pair.side.batch->n_insns, pair.b.batch->n_insns);
		for (uint32_t i = 0; i < pair.side.batch->n_insns; i++) {
			const struct cairn_insn *x = &pair.side.batch->insns[i], *y = &pair.b.batch->insns[i];
			pair.n++;
			assert_int_equal(x->pc, y->pc);
			assert_int_equal(x->enc, y->enc);
			assert_int_equal(x->flags, y->flags);
			registers(&pair, i);
			accesses(&pair, i);
		}
	}
	assert_int_equal(rc, 0);
	assert_int_equal(cairn_next(pair.b.reader, pair.b.batch), 0);
	assert_true(pair.n > 2000);
	close_side(&pair, &pair.side);
	close_side(&pair, &pair.b);
	cairn_free(pair.cairn);
}

static void both_ways(const char *arch, const char *sample)
{
	if (!getenv("CAIRN_TEST_QEMU"))
		skip();
	compare(arch, sample, "");
	compare(arch, sample, "--no-regs");
}

static void test_riscv(void **state)
{
	(void)state;
	both_ways("riscv64", "sort.elf");
}

static void test_arm64(void **state)
{
	(void)state;
	both_ways("aarch64", "sort-a64.elf");
}

static void test_sparc(void **state)
{
	(void)state;
	both_ways("sparc64", "sort-v9.elf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_riscv), cmocka_unit_test(test_arm64),
	                                   cmocka_unit_test(test_sparc)};
	return cmocka_run_group_tests_name("interop_capture", tests, NULL, NULL);
}
