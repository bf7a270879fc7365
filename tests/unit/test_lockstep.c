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
	NOP = 0xd503201f,        /* of A64 */
	CPYM = 0x1d4404a3,       /* cpym [x3]!, [x4]!, x5! */
	LDR = 0xf9400083,        /* ldr x3, [x4] */
	PC = 0x1000
};

static struct cairn *c;

/* ---- a trace ---- */

struct made {
	struct cairn_batch *batch;
	uint64_t pc;
};

static struct made made_new(void)
{
	struct made made = {.batch = cairn_batch_new(c), .pc = PC};
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
	cairn_isa_decode(CAIRN_ISA_RV64, enc, 4, &op);
	*insn = (struct cairn_insn){.pc = made->pc,
	                            .enc = enc,
	                            .size = 4,
	                            .isa = CAIRN_ISA_RV64,
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

/* The same of A64, which may be aborted. */
static void put_a64(struct made *made, uint32_t enc, bool aborted)
{
	put_insn(made, enc);
	struct cairn_insn *insn = &made->batch->insns[made->batch->n_insns - 1];
	struct cairn_op op;
	cairn_isa_decode(CAIRN_ISA_A64, enc, 4, &op);
	insn->isa = CAIRN_ISA_A64;
	insn->traits = op.traits;
	insn->cls = op.cls;
	insn->flags = aborted ? CAIRN_INSN_ABORTED : 0;
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

/* A copy that is aborted has done some of it; a load has not. */
static void what_is_aborted_may_have_done_a_part(void **state)
{
	(void)state;
	for (unsigned copies = 0; copies < 2; copies++) {
		struct lockstep_counts counts;
		struct made made = made_new();
		put_a64(&made, NOP, false);
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 3, 64, 0x1000);
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 4, 64, 0x2000);
		put_reg(&made, CAIRN_ROLE_STATE, CAIRN_REG_INT, 5, 64, 0x100);
		put_a64(&made, copies ? CPYM : LDR, true);
		put_a64(&made, NOP, false);
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
		cmocka_unit_test(what_is_aborted_may_have_done_a_part),
		cmocka_unit_test(a_hart_that_comes_back_elsewhere_is_not_judged),
	};
	return cmocka_run_group_tests(tests, start, finish);
}
