/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as regions and expressions: each line is a region, or an expression
 * if it begins with '?'. Whatever was understood judges two small batches, one
 * of instructions and one of transactions, with all parts and with none.
 * Asserted: refusing comes with a sentence; the count is that of the rows kept;
 * no row outside the bounds is kept; asking twice gives the same answer.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ROWS = 6, MAX_LINES = 16 };

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* Row i has i register rows, accesses and events, of all kinds in turn. */
struct fixture {
	struct cairn_insn insns[ROWS + 2];
	struct cairn_reg regs[32];
	struct cairn_mem mems[32];
	struct cairn_event events[32];
	struct cairn_ctx ctxs[2];
	struct cairn_xact xacts[ROWS];
	uint8_t bytes[64];
	struct cairn_batch insn_batch, xact_batch;
};

static void fill_children(struct fixture *fixture)
{
	for (uint32_t i = 0; i < 32; i++) {
		uint8_t flags = (uint8_t)(i & 7);
		fixture->bytes[i] = (uint8_t)('a' + i);
		fixture->regs[i] = (struct cairn_reg){.value = i * 3,
		                                      .bits = 32 * (i & 7),
		                                      .num = (uint16_t)i,
		                                      .cls = (uint8_t)(i % 9),
		                                      .role = (uint8_t)(i % 5),
		                                      .flags = flags};
		fixture->mems[i] = (struct cairn_mem){.addr = 0x1000 + 8 * i,
		                                      .pa = i,
		                                      .value = i * 5,
		                                      .size = i,
		                                      .kind = (uint8_t)(i % 5),
		                                      .flags = (uint8_t)(i & 31)};
		fixture->events[i] = (struct cairn_event){.code = i,
		                                          .target = i,
		                                          .args = 7 * i,
		                                          .len = 4 * i,
		                                          .kind = (uint8_t)(i % 20),
		                                          .phase = (uint8_t)(i % 3),
		                                          .flags = (uint8_t)(i & 3)};
	}
}

static void fill(struct fixture *fixture)
{
	static const uint8_t isas[] = {CAIRN_ISA_RV64, CAIRN_ISA_A64, CAIRN_ISA_SPARC, 200};
	memset(fixture, 0, sizeof *fixture);
	fill_children(fixture);
	for (uint32_t i = 0; i < ROWS + 2; i++) {
		uint16_t row = (uint16_t)(i <= ROWS ? i * (i + 1) / 2 : 28);
		fixture->insns[i] = (struct cairn_insn){.pc = 0x8000 + 4 * i,
		                                        .target = 0x8000,
		                                        .enc = 0x13 * i,
		                                        .traits = 1u << i,
		                                        .flags = 0x37u << i & 0x3ff,
		                                        .rec = 2 * i,
		                                        .ctx = (uint16_t)(i % 3),
		                                        .reg0 = row,
		                                        .mem0 = row,
		                                        .ev0 = row,
		                                        .size = 4,
		                                        .isa = isas[i & 3],
		                                        .cls = (uint8_t)i};
	}
	fixture->ctxs[0] = (struct cairn_ctx){.known = 3, .hart = 1, .priv = 3};
	fixture->ctxs[1] = (struct cairn_ctx){.known = 0x1ff, .pid = 42, .tid = 7};
	for (uint32_t i = 0; i < ROWS; i++)
		fixture->xacts[i] = (struct cairn_xact){.id = i, .address = 0x100 * i, .known = (uint8_t)i};
	fixture->insn_batch = (struct cairn_batch){.n0 = 1000,
	                                           .rec0 = 100,
	                                           .have = CAIRN_EVERYTHING,
	                                           .n_insns = ROWS,
	                                           .n_regs = 28,
	                                           .n_mems = 28,
	                                           .n_events = 28,
	                                           .n_ctxs = 2,
	                                           .n_bytes = sizeof fixture->bytes,
	                                           .insns = fixture->insns,
	                                           .regs = fixture->regs,
	                                           .mems = fixture->mems,
	                                           .events = fixture->events,
	                                           .ctxs = fixture->ctxs,
	                                           .bytes = fixture->bytes};
	fixture->xact_batch = (struct cairn_batch){.x0 = 1,
	                                           .have = CAIRN_EVERYTHING,
	                                           .n_xacts = ROWS,
	                                           .insns = fixture->insns + ROWS,
	                                           .xacts = fixture->xacts};
}

static void judge(const struct cairn_select *select, struct cairn_batch *batch)
{
	uint8_t keep[ROWS], again[ROWS];
	uint64_t first, last, n0 = batch->n_insns ? batch->n0 : batch->x0;
	cairn_select_bounds(select, &first, &last);
	check(first <= last);
	uint32_t count = cairn_select_batch(select, batch, keep);
	check(cairn_select_batch(select, batch, again) == count);
	check(memcmp(keep, again, ROWS) == 0);
	for (uint32_t i = 0; i < ROWS; i++) {
		check(keep[i] <= 1);
		check(!keep[i] || (n0 + i >= first && n0 + i <= last));
		count -= keep[i];
	}
	check(count == 0);
	batch->have = 0;
	cairn_select_batch(select, batch, keep);
	batch->have = CAIRN_EVERYTHING;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct fixture fixture;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_select *select = cairn ? cairn_select_new(cairn, NULL) : NULL;
	char *text = malloc(n + 1);
	if (!select || !text)
		abort();
	if (n)
		memcpy(text, data, n);
	text[n] = '\0';
	char *line = text;
	for (int i = 0; i < MAX_LINES && line; i++) {
		char *end = strchr(line, '\n');
		if (end)
			*end = '\0';
		int rc =
			*line == '?' ? cairn_select_where(select, line + 1) : cairn_select_region(select, line);
		check(rc >= 0 || (cairn_error_status(cairn) == rc && *cairn_error_text(cairn)));
		line = end ? end + 1 : NULL;
	}
	fill(&fixture);
	judge(select, &fixture.insn_batch);
	judge(select, &fixture.xact_batch);
	struct cairn_record rec = {.number = 104, .insn = 1002};
	cairn_select_record(select, &rec);
	free(text);
	cairn_select_free(select);
	cairn_free(cairn);
	return 0;
}
