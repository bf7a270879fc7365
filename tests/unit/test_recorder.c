/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Record the sample program again and compare with the sample trace: which
 * instructions ran and where branches went must be the same under any QEMU.
 * (Addresses on the stack may differ, so values are not compared.) The encodings
 * of the recorder are checked one by one besides.
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
#include "recorder/riscv.h"

static void test_decode(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		unsigned size;
		struct rv_op op;
	} cases[] = {
		{0x0005b503, 4, {.int_dest = 10}},                                  /* ld a0,0(a1) */
		{0x00b53023, 4, {0}},                                               /* sd a1,0(a0) */
		{0xfed59de3, 4, {.flow = FLOW_BRANCH, .offset = -6}},               /* bne */
		{0xd65ff0ef, 4, {.int_dest = 1, .flow = FLOW_JUMP, .offset = -668}},/* jal ra */
		{0xff8780e7, 4, {.int_dest = 1, .flow = FLOW_JUMP_REG, .base = 15, .offset = -8}},
		{0x00000073, 4, {.flow = FLOW_ECALL}},
		{0x00100073, 4, {0}},                                               /* ebreak */
		{0xc0002573, 4, {.int_dest = 10}},                                  /* rdcycle a0 */
		{0x00b6b52f, 4, {.int_dest = 10, .amo = true}},                     /* amoadd.d */
		{0x1005b52f, 4, {.int_dest = 10}},                                  /* lr.d a0 */
		{0x18b6b52f, 4, {.int_dest = 10}},                                  /* sc.d a0 */
		{0xc2351553, 4, {.int_dest = 10}},                                  /* fcvt.lu.d */
		{0xa2a51553, 4, {.int_dest = 10}},                                  /* flt.d a0 */
		{0xe2050553, 4, {.int_dest = 10}},                                  /* fmv.x.d */
		{0xf2050553, 4, {.fp_dest = 11}},                                   /* fmv.d.x fa0 */
		{0x02b57553, 4, {.fp_dest = 11}},                                   /* fadd.d fa0 */
		{0x0005b507, 4, {.fp_dest = 11}},                                   /* fld fa0 */
		{0x6ab576c3, 4, {.fp_dest = 14}},                                   /* fmadd.d fa3 */
		{0x05a1, 2, {.int_dest = 11}},                                      /* addi a1,8 */
		{0xa001, 2, {.flow = FLOW_JUMP}},                                   /* j . */
		{0xc509, 2, {.flow = FLOW_BRANCH, .offset = 10}},                   /* beqz a0 */
		{0x8082, 2, {.flow = FLOW_JUMP_REG, .base = 1}},                    /* ret */
		{0x9782, 2, {.int_dest = 1, .flow = FLOW_JUMP_REG, .base = 15}},    /* jalr a5 */
		{0x8522, 2, {.int_dest = 10}},                                      /* mv a0,s0 */
		{0x6588, 2, {.int_dest = 10}},                                      /* ld a0,8(a1) */
		{0xe588, 2, {0}},                                                   /* sd a0,8(a1) */
		{0x2588, 2, {.fp_dest = 11}},                                       /* fld fa0 */
		{0x60a2, 2, {.int_dest = 1}},                                       /* ld ra,8(sp) */
		{0x2522, 2, {.fp_dest = 11}},                                       /* fld fa0,8(sp) */
		{0x9002, 2, {0}},                                                   /* ebreak */
		{0x8d89, 2, {.int_dest = 11}},                                      /* sub a1,a0 */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rv_op op;
		rv_decode(cases[i].enc, cases[i].size, &op);
		const struct rv_op *want = &cases[i].op;
		if (op.int_dest != want->int_dest || op.fp_dest != want->fp_dest ||
		    op.flow != want->flow || op.base != want->base || op.amo != want->amo ||
		    op.offset != want->offset)
			fail_msg("0x%x: x%u f%d flow %u base %u amo %d offset %lld", cases[i].enc,
			         op.int_dest, op.fp_dest - 1, op.flow, op.base, op.amo,
			         (long long)op.offset);
	}
}

static int has_qemu(void)
{
#ifdef SANITIZED
	return 0;
#endif
	return system("command -v qemu-riscv64 >/dev/null 2>&1") == 0;
}

static void record(const char *out)
{
	char command[2048];
	snprintf(command, sizeof command,
	         "cd '%s' && CHUNK=7000 bash '%s/scripts/record.sh' '%s/cairn' '%s' "
	         "examples/sort.elf >/dev/null",
	         getenv("CAIRN_SOURCE"), getenv("CAIRN_SOURCE"), getenv("CAIRN_BUILD"), out);
	assert_int_equal(system(command), 0);
}

struct side {
	struct cairn_reader *r;
	struct cairn_batch *b;
	uint32_t i;
};

static const struct cairn_insn *next(struct side *s)
{
	while (s->i >= s->b->n_insns) {
		int rc = cairn_next(s->r, s->b);
		assert_true(rc >= 0);
		if (rc == 0)
			return NULL;
		s->i = 0;
	}
	return &s->b->insns[s->i++];
}

static void test_record(void **state)
{
	(void)state;
	if (!has_qemu() || !getenv("CAIRN_SOURCE") || !getenv("CAIRN_BUILD"))
		skip();
	char dir[] = "/tmp/cairn-recorder-XXXXXX", out[64], sample[1024];
	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof out, "%s/sort.zstf", dir);
	snprintf(sample, sizeof sample, "%s/examples/sort.zstf", getenv("CAIRN_SOURCE"));
	record(out);
	struct cairn *c = cairn_new(NULL);
	struct side old = {.b = cairn_batch_new(c)}, new = {.b = cairn_batch_new(c)};
	assert_int_equal(cairn_open(c, sample, NULL, &old.r), 0);
	assert_int_equal(cairn_open(c, out, NULL, &new.r), 0);
	const struct cairn_insn *a, *b;
	uint64_t n = 0;
	while (a = next(&old), b = next(&new), a && b) {
		n++;
		assert_int_equal(a->pc, b->pc);
		assert_int_equal(a->enc, b->enc);
		assert_int_equal(a->flags & CAIRN_INSN_TAKEN, b->flags & CAIRN_INSN_TAKEN);
		if (a->flags & CAIRN_INSN_TAKEN)
			assert_int_equal(a->target, b->target);
	}
	assert_null(a);
	assert_null(b);
	assert_int_equal(n, 38617);
	cairn_close(old.r);
	cairn_close(new.r);
	cairn_batch_free(c, old.b);
	cairn_batch_free(c, new.b);
	cairn_free(c);
	unlink(out);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_decode),
		cmocka_unit_test(test_record)};
	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
