/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lockstep on batches made here: vectors, whose length a trace may tell only by a register, and harts
 * that take turns. Traces of programs are executed in interop_execute.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cairn/cairn.h"
#include "lockstep/lockstep.h"

enum {
	VSETIVLI_4 = 0xcd0272d7, /* vsetivli t0, 4, e32, m1, ta, ma */
	VADD = 0x022081d7,       /* vadd.vv v3, v2, v1 */
	ADDI = 0x00128293,       /* addi t0, t0, 1 */
	PC = 0x1000,
	NOP = 0xd503201f,     /* A64 from here on */
	CNTB = 0x0420e3e0,    /* cntb x0 */
	SVC = 0xd4000001,     /* svc #0 */
	SMSTART = 0xd503477f, /* smstart */
	LDR = 0xf9400083,     /* ldr x3, [x4] */
	CPYM = 0x1d4404a3,    /* cpym [x3]!, [x4]!, x5! */
	DC_ZVA = 0xd50b7426,  /* dc zva, x6 */
	DCZID_EL0 = 0xd807,
	LINUX_GETPID = 172,
	LINUX_PRCTL = 167
};

static struct cairn *c;

/* ---- a trace ---- */

struct made {
	struct cairn_batch *batch;
	uint64_t pc;
	enum cairn_isa isa;
};

static struct made made_new(void)
{
	struct made made = {.batch = cairn_batch_new(c), .pc = PC, .isa = CAIRN_ISA_RV64};
	assert_non_null(made.batch);
	made.batch->n0 = 1;
	return made;
}

/* Of this hart, or, at first, of one without a number. */
static void put_hart(struct made *made, uint16_t hart)
{
	made->batch->ctxs[made->batch->n_ctxs++] =
		(struct cairn_ctx){.known = CAIRN_CTX_HART, .hart = hart};
}

static void put_insn(struct made *made, uint32_t enc)
{
	struct cairn_batch *batch = made->batch;
	struct cairn_insn *insn = &batch->insns[batch->n_insns++];
	struct cairn_op op;
	cairn_isa_decode(made->isa, enc, 4, &op);
	*insn = (struct cairn_insn){.pc = made->pc,
	                            .enc = enc,
	                            .size = 4,
	                            .isa = (uint8_t)made->isa,
	                            .traits = op.traits,
	                            .cls = op.cls,
	                            .ctx = (uint16_t)(batch->n_ctxs ? batch->n_ctxs - 1 : 0),
	                            .reg0 = (uint16_t)batch->n_regs};
	insn[1] = (struct cairn_insn){.reg0 = insn->reg0};
	made->pc += 4;
}

/* What the last instruction does with a register of `bits`; words of 32 bits, each `word`. */
static void put_reg(struct made *made, enum cairn_reg_role role, enum cairn_reg_class cls,
                    unsigned num, unsigned bits, uint32_t word)
{
	struct cairn_batch *batch = made->batch;
	struct cairn_reg *reg = &batch->regs[batch->n_regs++];
	*reg = (struct cairn_reg){.num = (uint16_t)num,
	                          .cls = (uint8_t)cls,
	                          .role = (uint8_t)role,
	                          .bits = bits,
	                          .flags = CAIRN_VALUE_KNOWN,
	                          .value = word};
	if (bits > 64) {
		reg->flags |= CAIRN_VALUE_WIDE;
		reg->value = batch->n_bytes;
		for (unsigned i = 0; i < bits / 32; i++, batch->n_bytes += 4)
			memcpy(batch->bytes + batch->n_bytes, &word, 4);
	}
	batch->insns[batch->n_insns].reg0 = (uint16_t)batch->n_regs;
}

/* The last instruction did not complete. */
static void abort_insn(struct made *made)
{
	made->batch->insns[made->batch->n_insns - 1].flags |= CAIRN_INSN_ABORTED;
}

/* ---- walking ---- */

struct differences {
	unsigned n;
	enum lockstep_kind kind;
	unsigned cls;
	char text[256];
};

static int on_difference(void *user, const struct lockstep_difference *difference)
{
	struct differences *differences = user;
	differences->n++;
	differences->kind = difference->kind;
	differences->cls = difference->group % LOCKSTEP_CLASSES;
	strncpy(differences->text, difference->text, sizeof differences->text - 1);
	return 0;
}

/* Walk the batch and free it. */
static struct differences walk(struct made *made, unsigned vector_bits,
                               struct lockstep_counts *counts)
{
	struct differences differences = {0};
	const struct lockstep_opts opts = {.isa_string = "rv64gcv",
	                                   .vector_bits = vector_bits,
	                                   .differs = on_difference,
	                                   .user = &differences,
	                                   .most_texts = 8};
	struct lockstep *lockstep;
	if (!made->batch->n_ctxs)
		made->batch->n_ctxs = 1;
	assert_int_equal(lockstep_new(c, &opts, &lockstep), 0);
	assert_int_equal(lockstep_batch(lockstep, made->batch), 0);
	*counts = *lockstep_counts(lockstep);
	lockstep_free(lockstep);
	cairn_batch_free(c, made->batch);
	return differences;
}

/* ---- tests ---- */

/* A vector register that is told whole tells VLEN, where the header does not. */
static void vectors_are_compared(void **state)
{
	(void)state;
	for (unsigned bits = 128; bits <= 512; bits *= 2)
		for (unsigned how = 0; how < 4; how++) {
			bool by_header = how & 1, wrong = how & 2;
			struct lockstep_counts counts;
			struct made made = made_new();
			put_insn(&made, VSETIVLI_4);
			put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_VECTOR, 1, bits, 3);
			put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_VECTOR, 2, bits, 40);
			/* Nothing else needs vstart to be known. */
			put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_CSR, 8, 64, 0);
			put_insn(&made, VADD);
			put_reg(&made, CAIRN_ROLE_DST, CAIRN_REG_VECTOR, 3, bits, wrong ? 44 : 43);
			struct differences found = walk(&made, by_header ? bits : 0, &counts);
			assert_int_equal(counts.not_modelled, 0);
			assert_int_equal(found.n, wrong ? 1 : 0);
			if (wrong) {
				assert_int_equal(found.kind, LOCKSTEP_REGISTER);
				assert_int_equal(found.cls, CAIRN_REG_VECTOR);
				assert_non_null(strstr(found.text, "v3"));
			}
		}
}

/* No length is known, so nothing is said of what a vector instruction makes. */
static void without_a_length_nothing_is_claimed(void **state)
{
	(void)state;
	struct lockstep_counts counts;
	struct made made = made_new();
	put_insn(&made, VSETIVLI_4);
	put_insn(&made, VADD);
	put_insn(&made, ADDI);
	put_reg(&made, CAIRN_ROLE_DST, CAIRN_REG_INT, 5, 64, 77);
	assert_int_equal(walk(&made, 0, &counts).n, 0);
	assert_int_equal(counts.determined, 0);
}

/* ---- the length of SVE's vectors ---- */

enum tells { NOTHING, REPORT, ONE_PREDICATE, WHOLE_REGISTER };

/* A report has every predicate, of which each may be told in pieces. */
static void tell_length(struct made *made, enum tells how, unsigned bits)
{
	unsigned n = how == REPORT ? 17 : how == ONE_PREDICATE ? 1 : 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned lsb = 0; lsb < bits / 8; lsb += 16) {
			put_reg(made, CAIRN_ROLE_STATE, CAIRN_REG_PREDICATE, i, 16, 0xffff);
			made->batch->regs[made->batch->n_regs - 1].lsb = (uint16_t)lsb;
		}
	if (how == WHOLE_REGISTER)
		put_reg(made, CAIRN_ROLE_STATE, CAIRN_REG_VECTOR, 32, bits, 5);
}

/* Does cntb have a result of which something is known, behind `between`, with `x8` before it? */
static uint64_t counts_bytes(enum tells how, unsigned bits, uint32_t between, uint32_t x8,
                             uint32_t result, unsigned *differ)
{
	struct lockstep_counts counts;
	struct made made = made_new();
	made.isa = CAIRN_ISA_A64;
	put_insn(&made, between);
	if (x8)
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 8, 64, x8);
	tell_length(&made, how, bits);
	put_insn(&made, CNTB);
	put_reg(&made, CAIRN_ROLE_DST, CAIRN_REG_INT, 0, 64, result);
	*differ = walk(&made, 0, &counts).n;
	return counts.determined;
}

/* One predicate may be told in part; all of them, or a whole vector, tell the length. */
static void the_length_of_sve_is_learned(void **state)
{
	unsigned differ;
	(void)state;
	for (unsigned bits = 128; bits <= 2048; bits += 128) {
		assert_int_equal(counts_bytes(NOTHING, bits, NOP, 0, bits / 8, &differ), 0);
		assert_int_equal(counts_bytes(ONE_PREDICATE, bits, NOP, 0, bits / 8, &differ), 0);
		assert_int_equal(counts_bytes(REPORT, bits, NOP, 0, bits / 8, &differ), 1);
		assert_int_equal(differ, 0);
		assert_int_equal(counts_bytes(WHOLE_REGISTER, bits, NOP, 0, bits / 8, &differ), 1);
		assert_int_equal(differ, 0);
		counts_bytes(REPORT, bits, NOP, 0, bits / 8 + 1, &differ);
		assert_int_equal(differ, 1);
	}
}

/* It may be another one behind what changes it, and behind a system call that is not known. */
static void the_length_of_sve_is_forgotten(void **state)
{
	unsigned differ;
	(void)state;
	assert_int_equal(counts_bytes(REPORT, 256, SMSTART, 0, 32, &differ), 0);
	assert_int_equal(counts_bytes(REPORT, 256, SVC, 0, 32, &differ), 0);
	assert_int_equal(counts_bytes(REPORT, 256, SVC, LINUX_PRCTL, 32, &differ), 0);
	assert_int_equal(counts_bytes(REPORT, 256, SVC, LINUX_GETPID, 32, &differ), 1);
	assert_int_equal(differ, 0);
}

/* An access of which the trace says nothing has nothing to do with that of the instruction before it. */
static void accesses_are_compared_with_their_own(void **state)
{
	(void)state;
	struct lockstep_counts counts;
	struct made made = made_new();
	made.isa = CAIRN_ISA_A64;
	put_insn(&made, LDR);
	put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 4, 64, 0x8000);
	put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 6, 64, 0x9000);
	put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_CSR, DCZID_EL0, 64, 4);
	made.batch->mems[made.batch->n_mems++] =
		(struct cairn_mem){.addr = 0x8000, .size = 8, .kind = CAIRN_MEM_READ};
	made.batch->insns[1].mem0 = 1;
	put_insn(&made, DC_ZVA);
	made.batch->insns[1].mem0 = made.batch->insns[2].mem0 = 1;
	struct differences found = walk(&made, 0, &counts);
	assert_int_equal(found.n, 0);
}

/* A copy that is aborted has done some of it; a load has not. */
static void what_is_aborted_may_have_done_a_part(void **state)
{
	(void)state;
	for (unsigned copies = 0; copies < 2; copies++) {
		struct lockstep_counts counts;
		struct made made = made_new();
		made.isa = CAIRN_ISA_A64;
		put_insn(&made, NOP);
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 3, 64, 0x1000);
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 4, 64, 0x2000);
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 5, 64, 0x100);
		put_insn(&made, copies ? CPYM : LDR);
		abort_insn(&made);
		put_insn(&made, NOP);
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 3, 64, 0x1010);
		assert_int_equal(walk(&made, 0, &counts).n, copies ? 0 : 1);
	}
}

/* A hart that comes back is judged where it goes on; elsewhere nothing of it is known any more. */
static void a_hart_that_comes_back_elsewhere_is_not_judged(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 4; how++) {
		bool elsewhere = how & 1, wrong = how & 2;
		struct lockstep_counts counts;
		struct made made = made_new();
		put_hart(&made, 0);
		put_insn(&made, ADDI);
		put_reg(&made, CAIRN_ROLE_DST, CAIRN_REG_INT, 5, 64, 10);
		uint64_t onward = made.pc;
		put_hart(&made, 1);
		made.pc = 0x8000;
		put_insn(&made, ADDI);
		put_reg(&made, CAIRN_ROLE_DST, CAIRN_REG_INT, 5, 64, 500);
		put_hart(&made, 0);
		made.pc = elsewhere ? onward + 0x100 : onward;
		put_insn(&made, ADDI);
		put_reg(&made, CAIRN_ROLE_DST, CAIRN_REG_INT, 5, 64, wrong ? 12 : 11);
		struct differences found = walk(&made, 0, &counts);
		assert_int_equal(found.n, wrong && !elsewhere ? 1 : 0);
		assert_int_equal(counts.determined, elsewhere ? 0 : 1);
	}
}

static int start(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_are_compared),
		cmocka_unit_test(without_a_length_nothing_is_claimed),
		cmocka_unit_test(the_length_of_sve_is_learned),
		cmocka_unit_test(the_length_of_sve_is_forgotten),
		cmocka_unit_test(accesses_are_compared_with_their_own),
		cmocka_unit_test(what_is_aborted_may_have_done_a_part),
		cmocka_unit_test(a_hart_that_comes_back_elsewhere_is_not_judged),
	};
	return cmocka_run_group_tests(tests, start, finish);
}
