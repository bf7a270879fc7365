/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state after an instruction and the state before the next are of one moment: what both
 * know is the same, in every given trace of every format that tells registers. Between them
 * may lie what the trace does not show (a gap, a forced PC); there nothing is compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "given.h"

enum { MOST = 200000, MOST_ROWS = 8192 };

static struct cairn *c;
static unsigned traces, wrong;
static uint64_t compared;

static bool is_gap(const struct cairn_batch *batch, uint32_t slot)
{
	if (batch->insns[slot].flags & CAIRN_INSN_DISCONTINUITY)
		return true;
	for (uint32_t k = batch->insns[slot].ev0; k < batch->insns[slot + 1].ev0; k++)
		switch (batch->events[k].kind) {
		case CAIRN_EV_GAP:
		case CAIRN_EV_DAMAGE:
			return true;
		case CAIRN_EV_EXCEPTION:
		case CAIRN_EV_INTERRUPT: /* a trap between the two changes registers */
			if (batch->events[k].phase == CAIRN_BEFORE)
				return true;
			break;
		default:
			break;
		}
	return false;
}

/* Does the row tell of the time before its instruction? System registers change by traps
 * and by devices, too, which such rows tell. */
static bool is_before(const struct cairn_reg *reg)
{
	if (reg->cls == CAIRN_REG_CSR && reg->role == CAIRN_ROLE_STATE)
		return false;
	return (reg->role == CAIRN_ROLE_SRC || reg->role == CAIRN_ROLE_STATE) &&
	       reg->flags & CAIRN_VALUE_KNOWN;
}

/* The slot's registers after the instruction before it (`was`), and before its own. */
static void compare(const char *path, struct cairn_state *state, const struct cairn_batch *batch,
                    uint32_t slot, struct cairn_state_reg *was)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	const struct cairn_ctx *ctx = &batch->ctxs[insn->ctx];
	uint16_t hart = ctx->known & CAIRN_CTX_HART ? ctx->hart : CAIRN_NO_HART;
	uint32_t n = insn[1].reg0 - insn->reg0;
	if (n > MOST_ROWS || is_gap(batch, slot))
		return;
	for (uint32_t k = 0; k < n; k++) {
		const struct cairn_reg *reg = &batch->regs[insn->reg0 + k];
		cairn_state_reg(state, hart, (enum cairn_reg_class)reg->cls, reg->num, &was[k]);
	}
	assert_true(cairn_state_peek(state, batch, slot) >= 0);
	for (uint32_t k = 0; k < n; k++) {
		const struct cairn_reg *reg = &batch->regs[insn->reg0 + k];
		struct cairn_state_reg now;
		if (!is_before(reg))
			continue;
		cairn_state_reg(state, hart, (enum cairn_reg_class)reg->cls, reg->num, &now);
		uint64_t both = now.known & was[k].known;
		compared += both != 0;
		if (!((now.value ^ was[k].value) & both))
			continue;
		if (wrong++ < 20)
			print_message("%s: %llu: register %u of class %u: 0x%llx after, 0x%llx before\n", path,
			              (unsigned long long)(batch->n0 + slot), reg->num, reg->cls,
			              (unsigned long long)was[k].value, (unsigned long long)now.value);
	}
}

/* Files with something of every record are no programs: their values are drawn by lot. */
static bool is_made_up(const char *path)
{
	return strstr(path, "/every-record/") || strstr(path, "allrec");
}

static void one(const char *path)
{
	struct cairn_reader *reader = NULL;
	struct cairn_state *state = NULL;
	struct cairn_state_opts opts = {.size = sizeof opts, .memory = CAIRN_STATE_NONE};
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_state_reg *was = calloc(MOST_ROWS, sizeof *was);
	uint64_t n = 0;
	assert_non_null(batch);
	assert_non_null(was);
	if (!is_made_up(path) && cairn_open(c, path, NULL, &reader) >= 0 &&
	    cairn_reader_can(reader) & CAIRN_REG_VALUES) {
		traces++;
		assert_true(cairn_state_new(c, &opts, &state) >= 0);
		while (n < MOST && cairn_next(reader, batch) == 1) {
			n += batch->n_insns;
			for (uint32_t slot = 0; slot <= batch->n_insns; slot++) {
				compare(path, state, batch, slot, was);
				assert_true(cairn_state_step(state, batch, slot, slot + 1) >= 0);
			}
		}
	}
	cairn_state_free(state);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	free(was);
}

static void the_state_before_an_instruction_is_that_after_the_one_before_it(void **state)
{
	(void)state;
	if (!given_traces(one))
		skip();
	print_message("%u traces, %llu values compared\n", traces, (unsigned long long)compared);
	assert_true(traces > 0 && compared > 0);
	assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_before_an_instruction_is_that_after_the_one_before_it),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
