/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETE traces of one core, on which processes take turns, split in one pass: each part is the
 * slice that is made of the trace for it alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/parts.h"

enum { ADD = 0x91000400, B_NEXT = 0x14000001, BATCHES = 4, MANY = 600 };

static char path[64];

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

/* Up to eight processes run adds, few or many, and timestamps come between them. Each ends with a
 * branch to where the next one goes on: a context is told behind a branch. */
static void put_batch(struct cairn_writer *writer, struct cairn_batch *batch, uint64_t n0,
                      unsigned processes, uint64_t *pc)
{
	batch->n0 = n0;
	batch->have = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_CONTEXT | CAIRN_EVENTS | CAIRN_TARGET;
	batch->n_insns = MANY;
	batch->n_ctxs = (uint16_t)processes;
	batch->n_events = 0;
	for (unsigned i = 0; i < processes; i++)
		batch->ctxs[i] =
			(struct cairn_ctx){.known = CAIRN_CTX_HART | CAIRN_CTX_CTXID, .ctxid = 100 + i};
	unsigned who = below(processes), stay = 2 + below(40);
	for (unsigned i = 0; i < MANY; i++) {
		struct cairn_insn *in = &batch->insns[i];
		bool leaves = below(stay) == 0;
		*in = (struct cairn_insn){.pc = *pc,
		                          .enc = leaves ? B_NEXT : ADD,
		                          .size = 4,
		                          .isa = CAIRN_ISA_A64,
		                          .ctx = (uint16_t)who,
		                          .cls = leaves ? CAIRN_CLASS_JUMP : CAIRN_CLASS_INT,
		                          .flags = leaves ? CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET : 0,
		                          .target = leaves ? *pc + 4 : 0,
		                          .ev0 = (uint16_t)batch->n_events};
		*pc += 4;
		if (leaves)
			who = below(processes);
		if (below(30) == 0 && i + 1 < MANY)
			batch->events[batch->n_events++] =
				(struct cairn_event){.kind = CAIRN_EV_TIMESTAMP, .code = batch->n0 + i};
	}
	for (unsigned i = MANY; i < MANY + 2; i++) {
		memset(&batch->insns[i], 0, sizeof batch->insns[i]);
		batch->insns[i].ev0 = (uint16_t)batch->n_events;
	}
	if (cairn_put(writer, batch) < 0)
		fail_msg("%s", cairn_error_text(parts_cairn));
}

static void put_trace(unsigned processes)
{
	struct cairn_writer *writer;
	struct cairn_batch *batch = cairn_batch_new(parts_cairn);
	uint64_t pc = 0x10000;
	assert_non_null(batch);
	assert_int_equal(cairn_create(parts_cairn, path, NULL, &writer), 0);
	for (unsigned i = 0; i < BATCHES; i++)
		put_batch(writer, batch, 1 + (uint64_t)MANY * i, processes, &pc);
	assert_int_equal(cairn_finish(writer, NULL), 0);
	cairn_batch_free(parts_cairn, batch);
}

static void parts_of_processes(void **state)
{
	const struct parts_way way = {.cairn = parts_cairn, .dir = parts_dir, .suffix = ".ete"};
	unsigned parts = 0;
	(void)state;
	for (unsigned seed = 0; seed < 12; seed++) {
		srand(seed);
		snprintf(path, sizeof path, "%s/%u.snapshot", parts_dir, seed);
		put_trace(1 + seed % 8);
		parts += parts_are_slices(&way, path, CAIRN_SPLIT_TID);
	}
	assert_true(parts > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_processes)};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, parts_open, parts_close);
}
