/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic blocks: runs of instructions that one hart executes one after the other, ended by a
 * branch (or only by a taken branch), by an event, or where the flow continues elsewhere. The
 * address of its first instruction identifies a block.
 *
 * The table of blocks is used only where a block ends; every other instruction costs one
 * comparison with the address expected next. A part cannot know whether its first instructions
 * continue a block, so it keeps them apart, and join decides, which knows the block that is open
 * before the part. An instruction counts in the interval it is in, so that the numbers of an
 * interval add up to its length; an execution counts in the interval where the block began.
 * A delay slot begins a block of its own.
 */
#include "analysis/blocks.h"

#include <stdlib.h>
#include <string.h>

/* One hart's flow: in a part, from its first instruction there on. */
struct block_flow {
	uint64_t head_pc, head_n, head_next; /* the first block there, as far as it lies in the part */
	uint64_t pc, n, next; /* the block that is open: where it began, instructions, what is next */
	uint8_t in_head;      /* the first block is still open */
	uint8_t open;         /* a block is open */
	uint8_t begun;        /* there was an instruction */
	uint8_t head_breaks;  /* the head cannot continue what was before the part */
	uint8_t pad[4];
};
enum { FLOW_WORDS = sizeof(struct block_flow) / 8 };

static int count_block(struct block_part *part, uint64_t pc, uint64_t n, uint64_t next, bool begins)
{
	struct block *block = (void *)base_map_at(&part->blocks, pc, 0);
	if (!block)
		return CAIRN_E_NOMEM;
	block->executions += begins;
	block->instructions += n;
	block->end = next > block->end ? next : block->end;
	return 0;
}

/* The open block ends here. */
static int close_block(struct block_part *part, struct block_flow *flow)
{
	flow->open = 0;
	if (!flow->in_head)
		return count_block(part, flow->pc, flow->n, flow->next, true);
	flow->head_n = flow->n;
	flow->head_next = flow->next;
	flow->in_head = 0;
	return 0;
}

static struct block_flow *flow_of(struct block_part *part, const struct cairn_ctx *ctx)
{
	return (void *)base_map_at(&part->harts, ctx->known & CAIRN_CTX_HART ? ctx->hart : 0, 0);
}

/* An instruction that does not go on with the open block begins one. */
static int open_block(struct block_part *part, struct block_flow *flow, const struct cairn_insn *in)
{
	if (flow->open) {
		int rc = close_block(part, flow);
		if (rc < 0)
			return rc;
	}
	flow->open = 1;
	flow->pc = in->pc;
	flow->n = 0;
	if (!flow->begun) {
		flow->begun = flow->in_head = 1;
		flow->head_pc = in->pc;
		flow->head_breaks |= (in->flags & CAIRN_INSN_DISCONTINUITY) != 0;
	}
	return 0;
}

/* An instruction at an unknown address is in no block. */
static int no_block(struct block_part *part, struct block_flow *flow)
{
	part->instructions++;
	part->unplaced++;
	flow->head_breaks |= !flow->begun;
	return flow->open ? close_block(part, flow) : 0;
}

static int blocks_feed(void *user, void *part, const struct analysis_rows *rows)
{
	const struct block_run *run = user;
	struct block_part *block_part = part;
	const struct cairn_batch *batch = rows->batch;
	struct block_flow *flow = NULL;
	uint32_t ctx = UINT32_MAX;
	const uint32_t ends = CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL;
	for (uint32_t i = rows->from; i < rows->to; i++) {
		const struct cairn_insn *in = &batch->insns[i];
		if (rows->keep && !rows->keep[i])
			continue;
		if (in->ctx != ctx) {
			ctx = in->ctx;
			flow = flow_of(block_part, &batch->ctxs[ctx]);
			if (!flow)
				return CAIRN_E_NOMEM;
		}
		if (__builtin_expect(in->flags & CAIRN_INSN_PC_UNKNOWN, 0)) {
			if (no_block(block_part, flow) < 0)
				return CAIRN_E_NOMEM;
			continue;
		}
		if (!flow->open || in->pc != flow->next || in->flags & CAIRN_INSN_DISCONTINUITY)
			if (open_block(block_part, flow, in) < 0)
				return CAIRN_E_NOMEM;
		block_part->instructions++;
		flow->n++;
		flow->next = in->pc + in->size;
		bool last = in->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_EXECUTED) ||
		            (!run->only_taken && in->traits & ends);
		if (last && close_block(block_part, flow) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

static int join_flow(struct block_run *run, struct block_part *sum, uint64_t hart,
                     const struct block_flow *flow)
{
	struct block_flow *block_flow = (void *)base_map_at(&run->open, hart, 0);
	if (!block_flow)
		return CAIRN_E_NOMEM;
	if (!flow->begun) { /* all of it at unknown addresses */
		block_flow->open = 0;
		return 0;
	}
	bool goes_on = block_flow->open && flow->head_pc == block_flow->next && !flow->head_breaks;
	uint64_t n = flow->in_head ? flow->n : flow->head_n,
			 next = flow->in_head ? flow->next : flow->head_next;
	uint64_t pc = goes_on ? block_flow->pc : flow->head_pc;
	int rc = count_block(sum, pc, n, next, !goes_on);
	*block_flow = *flow;
	block_flow->pc = flow->in_head ? pc : flow->pc;
	/* What is open has been counted up to here; the rest will follow. */
	if (rc >= 0 && flow->open && !flow->in_head)
		rc = count_block(sum, flow->pc, flow->n, flow->next, true);
	return rc;
}

static int blocks_join(void *user, void *sum, void *part)
{
	struct block_run *run = user;
	struct block_part *left = sum, *right = part;
	int rc = 0;
	left->instructions += right->instructions;
	left->unplaced += right->unplaced;
	for (size_t i = 0; i < right->blocks.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&right->blocks, i);
		const struct block *block = (const void *)(row + 2);
		struct block *to = (void *)base_map_at(&left->blocks, row[0], 0);
		if (!to)
			return CAIRN_E_NOMEM;
		to->executions += block->executions;
		to->instructions += block->instructions;
		to->end = block->end > to->end ? block->end : to->end;
	}
	for (size_t i = 0; i < right->harts.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&right->harts, i);
		rc = join_flow(run, left, row[0], (const void *)(row + 2));
	}
	return rc;
}

/* ---- the report ---- */

static int by_instructions(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
	const struct block *block = (const void *)(x + 2), *q = (const void *)(y + 2);
	if (block->instructions != q->instructions)
		return block->instructions < q->instructions ? 1 : -1;
	return (x[0] > y[0]) - (x[0] < y[0]);
}

static void blocks_put_block(const struct block_run *run, uint64_t pc, const struct block *block,
                             uint64_t total, struct cairn_cell *row)
{
	cell_number(&row[0], pc);
	cell_number(&row[1], block->end);
	cell_text(&row[2], analysis_symbol(run->opts, pc));
	cell_number(&row[3], block->executions);
	cell_number(&row[4], block->instructions);
	cell_share(&row[5], block->instructions, total);
	cell_ratio(&row[6], (double)block->instructions, (double)block->executions);
}

static int report_tables(struct block_run *run, const struct block_part *part,
                         struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		ADDRESS("pc", "address of its first instruction"),
		ADDRESS("end", "address of its last instruction"),
		TEXT("function", "the symbol that covers it"),
		COUNT("executions", "how often it ran"),
		COUNT("instructions", "instructions that ran in it"),
		REAL("percent", 2, "part of all instructions, in percent"),
		REAL("length", 1, "instructions of one run, on average")};
	const uint64_t **rows = base_map_sorted(&part->blocks);
	uint64_t executions = 0;
	if (!rows)
		return CAIRN_E_NOMEM;
	if (part->blocks.n)
		qsort(rows, part->blocks.n, sizeof *rows, by_instructions);
	for (size_t i = 0; i < part->blocks.n; i++)
		executions += ((const struct block *)(const void *)(rows[i] + 2))->executions;
	const struct result_figure figures[] = {
		{COUNT("instructions", "instructions in blocks"), part->instructions},
		{COUNT("blocks", "blocks that ran"), executions},
		{COUNT("static_blocks", "different blocks"), part->blocks.n},
		{REAL("mean_length", 2, "instructions of a block, on average"), 0}};
	struct cairn_cell *row = result_summary(res, figures, 4);
	cell_ratio(&row[3], (double)(part->instructions - part->unplaced), (double)executions);
	struct result_table *table = result_table(res, "blocks", columns, 7);
	for (size_t i = 0; i < part->blocks.n; i++)
		blocks_put_block(run, rows[i][0], (const void *)(rows[i] + 2), part->instructions,
		                 result_row(res, table));
	base_free(run->cairn, rows);
	return 0;
}

static int blocks_report(void *user, void *sum, struct cairn_result *res)
{
	struct block_run *run = user;
	const struct block_part *part = sum;
	if (part->unplaced)
		result_note(res, "of some instructions the address is not known: they are in no block");
	return run->report(run, part, res);
}

static void blocks_done(void *user)
{
	base_map_free(&((struct block_run *)user)->open);
}

int blocks_run(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
               const char *ends, struct block_run *run, struct cairn_result **out)
{
	static const struct analysis_kind kind = {
		.name = "blocks",
		.order = ANALYSIS_BOUNDARY,
		.parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS,
		.part = sizeof(struct block_part),
		.maps = {{offsetof(struct block_part, blocks), BLOCK_WORDS},
	             {offsetof(struct block_part, harts), FLOW_WORDS}},
		.n_maps = 2,
		.feed = blocks_feed,
		.join = blocks_join,
		.report = blocks_report};
	struct analysis_job job = {.kind = kind, .user = run, .done = blocks_done};
	run->cairn = reader->cairn;
	run->opts = &job.opts;
	base_map_init(&run->open, reader->cairn, FLOW_WORDS);
	int rc = analysis_opts(reader, opts, &job.opts);
	run->only_taken = ends && !strcmp(ends, "taken");
	if (rc >= 0 && ends && !run->only_taken && strcmp(ends, "branch") != 0)
		rc = base_fail(reader->cairn, CAIRN_E_INVAL,
		               "blocks end with a branch or a taken one, not with '%s'", ends);
	return analysis_do(reader, &job, rc, out);
}

int cairn_blocks(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                 const char *ends, struct cairn_result **out)
{
	struct block_run run = {.report = report_tables};
	return blocks_run(reader, opts, ends, &run, out);
}

/* ---- vectors for SimPoint ---- */

struct vectors {
	struct base_map ids; /* pc → id, from 1 */
	struct base_buf line;
	cairn_write_fn *write;
	void *user;
};

/* Numbers are given in the order in which blocks are first seen, within an interval in the order of
 * addresses. */
static int report_vector(struct block_run *run, const struct block_part *part,
                         struct cairn_result *res)
{
	struct vectors *vectors = run->user;
	const uint64_t **rows = base_map_sorted(&part->blocks);
	int rc = rows ? base_buf_put(&vectors->line, "T", 1) : CAIRN_E_NOMEM;
	(void)res;
	for (size_t i = 0; i < part->blocks.n && rc >= 0; i++) {
		uint64_t *id = base_map_at(&vectors->ids, rows[i][0], 0);
		if (!id) {
			rc = CAIRN_E_NOMEM;
			break;
		}
		*id = *id ? *id : vectors->ids.n;
		rc = base_buf_printf(
			&vectors->line, ":%llu:%llu ", (unsigned long long)*id,
			(unsigned long long)((const struct block *)(const void *)(rows[i] + 2))->instructions);
	}
	base_free(run->cairn, rows);
	if (rc >= 0)
		rc = base_buf_put(&vectors->line, "\n", 1);
	if (rc >= 0 && part->instructions)
		rc = vectors->write(vectors->user, vectors->line.data, vectors->line.len);
	vectors->line.len = 0;
	return rc;
}

int cairn_export_bbv(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                     const char *ends, cairn_write_fn *write, void *user)
{
	struct cairn_analysis_opts own;
	struct vectors vectors = {.write = write, .user = user};
	struct block_run run = {.report = report_vector, .user = &vectors};
	struct cairn_result *none = NULL;
	int rc = analysis_opts(reader, opts, &own);
	if (rc >= 0 && !own.every)
		rc = base_fail(reader->cairn, CAIRN_E_INVAL,
		               "vectors are made for intervals of a length (--every)");
	if (rc < 0)
		return rc;
	base_map_init(&vectors.ids, reader->cairn, 1);
	base_buf_init(&vectors.line, reader->cairn);
	rc = blocks_run(reader, &own, ends, &run, &none);
	result_leave_notes(reader, none);
	base_map_free(&vectors.ids);
	base_buf_free(&vectors.line);
	return rc;
}
