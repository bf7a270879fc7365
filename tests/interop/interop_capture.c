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
	struct cairn_reader *r;
	struct cairn_batch *b;
};

struct pair {
	struct cairn *c;
	struct side a, b;
	uint64_t n, apart, differ; /* instructions; how far stacks are apart; values that are */
};

static void record(struct side *s, const char *folder, const char *arch, const char *sample,
                   const char *more)
{
	char command[16384], qemu[4096];
	snprintf(s->path, sizeof s->path, "/tmp/cairn-capture-%d-%s.stf", (int)getpid(),
	         folder ? "other" : "path");
	snprintf(qemu, sizeof qemu, "%s%sqemu-%s", folder ? folder : "", folder ? "/" : "", arch);
	snprintf(command, sizeof command,
	         "env -i PATH=\"$PATH\" '%s/cairn' capture -q %s --qemu '%s' "
	         "-o '%s' -- '%s/examples/%s' > /dev/null 2> /dev/null",
	         getenv("CAIRN_BUILD"), more, qemu, s->path, getenv("CAIRN_SOURCE"), sample);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* Equal, or one is nearer to the stack's beginning than the other. */
static void values(struct pair *p, uint64_t a, uint64_t b)
{
	if (a == b)
		return;
	if (!p->differ++)
		p->apart = b - a;
	if (b - a != p->apart)
		fail_msg("instruction %llu: 0x%llx and 0x%llx", (unsigned long long)p->n,
		         (unsigned long long)a, (unsigned long long)b);
}

static void wide(struct pair *p, uint64_t at, uint64_t bt)
{
	uint64_t a[2], b[2];
	memcpy(a, p->a.b->bytes + at, sizeof a);
	memcpy(b, p->b.b->bytes + bt, sizeof b);
	values(p, a[0], b[0]);
	values(p, a[1], b[1]);
}

static void registers(struct pair *p, uint32_t i)
{
	const struct cairn_batch *a = p->a.b, *b = p->b.b;
	uint32_t x = a->insns[i].reg0, y = b->insns[i].reg0;
	/* Those it begins with are all of them, and a CPU may begin with others. */
	if (p->n == 1)
		return;
	assert_int_equal(a->insns[i + 1].reg0 - x, b->insns[i + 1].reg0 - y);
	for (; x < a->insns[i + 1].reg0; x++, y++) {
		const struct cairn_reg *r = &a->regs[x], *s = &b->regs[y];
		assert_int_equal(r->num, s->num);
		assert_int_equal(r->cls, s->cls);
		assert_int_equal(r->role, s->role);
		assert_int_equal(r->flags, s->flags);
		if (r->flags & CAIRN_VALUE_WIDE)
			wide(p, r->value, s->value);
		else
			values(p, r->value, s->value);
	}
}

static void accesses(struct pair *p, uint32_t i)
{
	const struct cairn_batch *a = p->a.b, *b = p->b.b;
	uint32_t x = a->insns[i].mem0, y = b->insns[i].mem0;
	assert_int_equal(a->insns[i + 1].mem0 - x, b->insns[i + 1].mem0 - y);
	for (; x < a->insns[i + 1].mem0; x++, y++) {
		const struct cairn_mem *m = &a->mems[x], *k = &b->mems[y];
		assert_int_equal(m->kind, k->kind);
		assert_int_equal(m->size, k->size);
		values(p, m->addr, k->addr);
		if (!(m->flags & k->flags & CAIRN_VALUE_KNOWN))
			continue;
		if (m->flags & CAIRN_VALUE_WIDE)
			wide(p, m->value, k->value);
		else
			values(p, m->value, k->value);
	}
}

static void open_side(struct pair *p, struct side *s)
{
	assert_int_equal(cairn_open(p->c, s->path, NULL, &s->r), 0);
	s->b = cairn_batch_new(p->c);
}

static void close_side(struct pair *p, struct side *s)
{
	cairn_close(s->r);
	cairn_batch_free(p->c, s->b);
	unlink(s->path);
}

static void compare(const char *arch, const char *sample, const char *more)
{
	struct pair p = {.c = cairn_new(NULL)};
	int rc;
	record(&p.a, NULL, arch, sample, more);
	record(&p.b, getenv("CAIRN_TEST_QEMU"), arch, sample, more);
	open_side(&p, &p.a);
	open_side(&p, &p.b);
	while ((rc = cairn_next(p.a.r, p.a.b)) > 0) {
		assert_int_equal(cairn_next(p.b.r, p.b.b), 1);
		assert_int_equal(p.a.b->n_insns, p.b.b->n_insns);
		for (uint32_t i = 0; i < p.a.b->n_insns; i++) {
			const struct cairn_insn *x = &p.a.b->insns[i], *y = &p.b.b->insns[i];
			p.n++;
			assert_int_equal(x->pc, y->pc);
			assert_int_equal(x->enc, y->enc);
			assert_int_equal(x->flags, y->flags);
			registers(&p, i);
			accesses(&p, i);
		}
	}
	assert_int_equal(rc, 0);
	assert_int_equal(cairn_next(p.b.r, p.b.b), 0);
	assert_true(p.n > 2000);
	close_side(&p, &p.a);
	close_side(&p, &p.b);
	cairn_free(p.c);
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
