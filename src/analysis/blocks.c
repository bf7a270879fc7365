/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic blocks: runs of instructions that one hart executes one behind the other, ended
 * by a branch (or only by one that is taken), by an event, or where the flow goes on
 * elsewhere. A block is known by the address where it begins.
 *
 * The table of blocks is only touched where a block ends; on the way there is a
 * comparison with the address expected next. A part cannot know whether its first
 * instructions go on with a block, so it keeps them apart, and join, which has what is
 * open behind all before, decides. An instruction is counted in the interval it is in,
 * for the block it belongs to, wherever that began: so the numbers of an interval add
 * up to its length, and an execution counts where the block began. In sets with delay
 * slots a slot begins a block of its own.
 */
#include "analysis/blocks.h"

#include <stdlib.h>
#include <string.h>

/* One hart's flow: in a part, from its first instruction there on. */
struct block_flow {
	uint64_t head_pc, head_n, head_next; /* the first block there, as far as it lies there */
	uint64_t pc, n, next; /* the block that is open: where it began, instructions, what is next */
	uint8_t in_head;      /* the first block is still open */
	uint8_t open;         /* a block is open */
	uint8_t begun;        /* there was an instruction */
	uint8_t head_breaks;  /* the first instruction cannot go on with what was before */
	uint8_t pad[4];
};
enum { FLOW_WORDS = sizeof(struct block_flow) / 8 };

static int blocks_begin(void *user, void *part)
{
	struct block_run *u = user;
	struct block_part *p = part;
	base_map_init(&p->blocks, u->c, BLOCK_WORDS);
	base_map_init(&p->harts, u->c, FLOW_WORDS);
	return 0;
}

static void blocks_end(void *user, void *part)
{
	struct block_part *p = part;
	(void)user;
	base_map_free(&p->blocks);
	base_map_free(&p->harts);
}

static int count_block(struct block_part *p, uint64_t pc, uint64_t n, uint64_t next, bool begins)
{
	struct block *b = (void *)base_map_at(&p->blocks, pc, 0);
	if (!b)
		return CAIRN_E_NOMEM;
	b->executions += begins;
	b->instructions += n;
	b->end = next > b->end ? next : b->end;
	return 0;
}

/* The open block ends here. */
static int close_block(struct block_part *p, struct block_flow *f)
{
	f->open = 0;
	if (!f->in_head)
		return count_block(p, f->pc, f->n, f->next, true);
	f->head_n = f->n;
	f->head_next = f->next;
	f->in_head = 0;
	return 0;
}

static struct block_flow *flow_of(struct block_part *p, const struct cairn_ctx *x)
{
	return (void *)base_map_at(&p->harts, x->known & CAIRN_CTX_HART ? x->hart : 0, 0);
}

/* An instruction that does not go on with the open block begins one. */
static int open_block(struct block_part *p, struct block_flow *f, const struct cairn_insn *in)
{
	if (f->open) {
		int rc = close_block(p, f);
		if (rc < 0)
			return rc;
	}
	f->open = 1;
	f->pc = in->pc;
	f->n = 0;
	if (!f->begun) {
		f->begun = f->in_head = 1;
		f->head_pc = in->pc;
		f->head_breaks = (in->flags & CAIRN_INSN_DISCONTINUITY) != 0;
	}
	return 0;
}

static int blocks_feed(void *user, void *part, const struct analysis_rows *r)
{
	const struct block_run *u = user;
	struct block_part *p = part;
	const struct cairn_batch *b = r->b;
	struct block_flow *f = NULL;
	uint32_t ctx = UINT32_MAX;
	const uint32_t ends = CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct cairn_insn *in = &b->insns[i];
		if (r->keep && !r->keep[i])
			continue;
		if (in->ctx != ctx) {
			ctx = in->ctx;
			f = flow_of(p, &b->ctxs[ctx]);
			if (!f)
				return CAIRN_E_NOMEM;
		}
		if (!f->open || in->pc != f->next || in->flags & CAIRN_INSN_DISCONTINUITY)
			if (open_block(p, f, in) < 0)
				return CAIRN_E_NOMEM;
		p->instructions++;
		f->n++;
		f->next = in->pc + in->size;
		bool last = in->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_EXECUTED) ||
		            (!u->only_taken && in->traits & ends);
		if (last && close_block(p, f) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

static int join_flow(struct block_run *u, struct block_part *sum, uint64_t hart,
                     const struct block_flow *f)
{
	struct block_flow *o = (void *)base_map_at(&u->open, hart, 0);
	if (!o)
		return CAIRN_E_NOMEM;
	bool goes_on = o->open && f->head_pc == o->next && !f->head_breaks;
	uint64_t n = f->in_head ? f->n : f->head_n, next = f->in_head ? f->next : f->head_next;
	uint64_t pc = goes_on ? o->pc : f->head_pc;
	int rc = count_block(sum, pc, n, next, !goes_on);
	*o = *f;
	o->pc = f->in_head ? pc : f->pc;
	/* What is open has been counted up to here; the rest will come. */
	if (rc >= 0 && f->open && !f->in_head)
		rc = count_block(sum, f->pc, f->n, f->next, true);
	return rc;
}

static int blocks_join(void *user, void *sum, void *part)
{
	struct block_run *u = user;
	struct block_part *a = sum, *b = part;
	int rc = 0;
	a->instructions += b->instructions;
	for (size_t i = 0; i < b->blocks.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&b->blocks, i);
		const struct block *x = (const void *)(row + 2);
		struct block *to = (void *)base_map_at(&a->blocks, row[0], 0);
		if (!to)
			return CAIRN_E_NOMEM;
		to->executions += x->executions;
		to->instructions += x->instructions;
		to->end = x->end > to->end ? x->end : to->end;
	}
	for (size_t i = 0; i < b->harts.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&b->harts, i);
		rc = join_flow(u, a, row[0], (const void *)(row + 2));
	}
	base_map_clear(&b->blocks);
	base_map_clear(&b->harts);
	b->instructions = 0;
	return rc;
}

/* ---- the report ---- */

static int by_instructions(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
	const struct block *p = (const void *)(x + 2), *q = (const void *)(y + 2);
	if (p->instructions != q->instructions)
		return p->instructions < q->instructions ? 1 : -1;
	return (x[0] > y[0]) - (x[0] < y[0]);
}

static void blocks_put_block(const struct block_run *u, uint64_t pc, const struct block *b,
                             uint64_t total, struct cairn_cell *row)
{
	cell_number(&row[0], pc);
	cell_number(&row[1], b->end);
	cell_text(&row[2], analysis_symbol(u->opts, pc));
	cell_number(&row[3], b->executions);
	cell_number(&row[4], b->instructions);
	cell_share(&row[5], b->instructions, total);
	cell_ratio(&row[6], (double)b->instructions, (double)b->executions);
}

static int report_tables(struct block_run *u, const struct block_part *p, struct cairn_result *res)
{
	static const struct cairn_column figures[] = {{"instructions", CAIRN_CELL_COUNT, 0},
	                                              {"blocks", CAIRN_CELL_COUNT, 0},
	                                              {"static_blocks", CAIRN_CELL_COUNT, 0},
	                                              {"mean_length", CAIRN_CELL_REAL, 2}};
	static const struct cairn_column columns[] = {
		{"pc", CAIRN_CELL_ADDRESS, 0},         {"end", CAIRN_CELL_ADDRESS, 0},
		{"function", CAIRN_CELL_TEXT, 0},      {"executions", CAIRN_CELL_COUNT, 0},
		{"instructions", CAIRN_CELL_COUNT, 0}, {"percent", CAIRN_CELL_REAL, 2},
		{"length", CAIRN_CELL_REAL, 1}};
	const uint64_t **rows = base_map_sorted(&p->blocks);
	uint64_t executions = 0;
	if (!rows)
		return CAIRN_E_NOMEM;
	if (p->blocks.n)
		qsort(rows, p->blocks.n, sizeof *rows, by_instructions);
	for (size_t i = 0; i < p->blocks.n; i++)
		executions += ((const struct block *)(const void *)(rows[i] + 2))->executions;
	struct cairn_cell *row = result_row(res, result_figures(res, "summary", figures, 4));
	cell_number(&row[0], p->instructions);
	cell_number(&row[1], executions);
	cell_number(&row[2], p->blocks.n);
	cell_ratio(&row[3], (double)p->instructions, (double)executions);
	struct result_table *t = result_table(res, "blocks", columns, 7);
	for (size_t i = 0; i < p->blocks.n; i++)
		blocks_put_block(u, rows[i][0], (const void *)(rows[i] + 2), p->instructions,
		                 result_row(res, t));
	base_free(u->c, rows);
	return 0;
}

static int blocks_report(void *user, void *sum, struct cairn_result *res)
{
	struct block_run *u = user;
	return u->report(u, sum, res);
}

static void blocks_done(void *user)
{
	base_map_free(&((struct block_run *)user)->open);
}

int blocks_run(struct cairn_reader *r, const struct cairn_analysis_opts *opts, const char *ends,
               struct block_run *u, struct cairn_result **out)
{
	static const struct analysis_kind kind = {.name = "blocks",
	                                          .order = ANALYSIS_BOUNDARY,
	                                          .parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS |
	                                                   CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS,
	                                          .part = sizeof(struct block_part),
	                                          .begin = blocks_begin,
	                                          .feed = blocks_feed,
	                                          .join = blocks_join,
	                                          .report = blocks_report,
	                                          .end = blocks_end};
	struct analysis_job job = {.kind = kind, .user = u, .done = blocks_done};
	u->c = r->c;
	u->opts = &job.opts;
	base_map_init(&u->open, r->c, FLOW_WORDS);
	int rc = analysis_opts(r, opts, &job.opts);
	u->only_taken = ends && !strcmp(ends, "taken");
	if (rc >= 0 && ends && !u->only_taken && strcmp(ends, "branch") != 0)
		rc = base_fail(r->c, CAIRN_E_INVAL,
		               "blocks end with a branch or a taken one, not with '%s'", ends);
	return analysis_do(r, &job, rc, out);
}

int cairn_blocks(struct cairn_reader *r, const struct cairn_analysis_opts *opts, const char *ends,
                 struct cairn_result **out)
{
	struct block_run u = {.report = report_tables};
	return blocks_run(r, opts, ends, &u, out);
}

/* ---- vectors for SimPoint ---- */

struct vectors {
	struct base_map ids; /* pc → id, from 1 */
	struct base_buf line;
	cairn_write_fn *write;
	void *user;
};

/* Numbers are given in the order blocks are first seen, within an interval in the order
 * of addresses. */
static int report_vector(struct block_run *u, const struct block_part *p, struct cairn_result *res)
{
	struct vectors *v = u->user;
	const uint64_t **rows = base_map_sorted(&p->blocks);
	int rc = rows ? base_buf_put(&v->line, "T", 1) : CAIRN_E_NOMEM;
	(void)res;
	for (size_t i = 0; i < p->blocks.n && rc >= 0; i++) {
		uint64_t *id = base_map_at(&v->ids, rows[i][0], 0);
		if (!id) {
			rc = CAIRN_E_NOMEM;
			break;
		}
		*id = *id ? *id : v->ids.n;
		rc = base_buf_printf(
			&v->line, ":%llu:%llu ", (unsigned long long)*id,
			(unsigned long long)((const struct block *)(const void *)(rows[i] + 2))->instructions);
	}
	base_free(u->c, rows);
	if (rc >= 0)
		rc = base_buf_put(&v->line, "\n", 1);
	if (rc >= 0 && p->instructions)
		rc = v->write(v->user, v->line.data, v->line.len);
	v->line.len = 0;
	return rc;
}

int cairn_export_bbv(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                     const char *ends, cairn_write_fn *write, void *user)
{
	struct cairn_analysis_opts own;
	struct vectors v = {.write = write, .user = user};
	struct block_run u = {.report = report_vector, .user = &v};
	struct cairn_result *none = NULL;
	int rc = analysis_opts(r, opts, &own);
	if (rc >= 0 && !own.every)
		rc = base_fail(r->c, CAIRN_E_INVAL, "vectors are made for intervals of a length (--every)");
	if (rc < 0)
		return rc;
	base_map_init(&v.ids, r->c, 1);
	base_buf_init(&v.line, r->c);
	rc = blocks_run(r, &own, ends, &u, &none);
	cairn_result_free(none);
	base_map_free(&v.ids);
	base_buf_free(&v.line);
	return rc;
}
