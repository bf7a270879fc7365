/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing two traces. Equal rows are passed quickly. A pair that differs at the same place is a
 * changed row. Where the places differ, the next place where both traces are alike again is
 * looked for, and the rows before it were inserted or left out.
 *
 * Always true: rows counted as equal, changed and only in A are all rows of A;
 * equal, changed and only in B are all rows of B; replacing each hunk's rows of A
 * by those of B makes B's sequence of places out of A's. The result does not depend on where
 * batches end or on the number of threads. Memory is bounded by the window and the rows a hunk
 * keeps.
 */

#include "analysis/diff.h"
#include "cairn/index.h"

static const struct field {
	const char *name;
	uint32_t part; /* of a batch, which both readers must be able to give */
} fields[] = {{"pc", CAIRN_PC},           {"encoding", CAIRN_ENC},
              {"size", CAIRN_ENC},        {"taken", CAIRN_TARGET},
              {"target", CAIRN_TARGET},   {"flags", CAIRN_PC},
              {"context", CAIRN_CONTEXT}, {"regs", CAIRN_REGS},
              {"mems", CAIRN_MEMS},       {"values", 0},
              {"events", CAIRN_EVENTS},   {"transaction", CAIRN_XACTS}};
enum { FIELDS = sizeof fields / sizeof *fields };

struct job {
	struct cairn *cairn;
	struct diff_pool pool;
	struct cairn_diff_opts opts;
	struct cairn_diff_sum *sum;
	struct diff_what what;
	struct diff_side side, b;
	struct diff_align align;
	struct diff_hunks hunks;
};

const char *cairn_diff_field_name(unsigned bit)
{
	return bit < FIELDS ? fields[bit].name : NULL;
}

/* Compared is what both traces can hold. */
static uint32_t comparable(const struct cairn_reader *left, const struct cairn_reader *right,
                           uint32_t asked)
{
	uint32_t can = cairn_reader_can(left) & cairn_reader_can(right), got = 0;
	for (unsigned i = 0; i < FIELDS; i++)
		if ((asked >> i & 1) && (can & fields[i].part) == fields[i].part)
			got |= 1u << i;
	if (!(got & (CAIRN_DIFF_REGS | CAIRN_DIFF_MEMS | CAIRN_DIFF_TRANSACTION)))
		got &= ~(uint32_t)CAIRN_DIFF_VALUES;
	return got;
}

/* PCs and encodings are needed for the alignment, even if they are not compared. */
static void want(struct cairn_reader *reader, const struct diff_what *what,
                 const struct cairn_select *sel)
{
	uint32_t parts = CAIRN_PC | CAIRN_ENC | CAIRN_TARGET | CAIRN_XACTS | CAIRN_BYTES;
	for (unsigned i = 0; i < FIELDS; i++)
		if (what->fields >> i & 1)
			parts |= fields[i].part;
	if (what->fields & CAIRN_DIFF_REGS)
		parts |= CAIRN_REG_VALUES;
	if (what->fields & CAIRN_DIFF_MEMS)
		parts |= CAIRN_MEM_VALUES;
	if (sel)
		parts |= cairn_select_parts(sel);
	/* The rows shown tell who runs. */
	cairn_reader_want(reader, parts | CAIRN_CONTEXT);
}

/* Go to where the selection begins. 1: the trace ends before. */
static int diff_go_to(struct cairn_reader *reader, const struct cairn_select *sel, uint64_t *last)
{
	uint64_t first = 1;
	*last = UINT64_MAX;
	if (!sel || cairn_select_all(sel))
		return 0;
	cairn_select_bounds(sel, &first, last);
	if (first <= 1 || (!cairn_reader_jumps(reader) &&
	                   (cairn_select_needs_context(sel) || cairn_select_needs_records(sel))))
		return 0;
	int rc = cairn_seek(reader, first);
	if (rc != CAIRN_E_NOTFOUND)
		return rc;
	*last = 0;
	return 0;
}

static int open_sides(struct job *job, struct cairn_reader *left, struct cairn_reader *right)
{
	const struct cairn_select *sel = job->opts.select;
	uint64_t last_a, last_b, keep = (uint64_t)job->opts.context + 1;
	bool xacts = job->what.xacts;
	want(left, &job->what, sel);
	want(right, &job->what, sel);
	int rc = diff_go_to(left, sel, &last_a);
	if (rc >= 0)
		rc = diff_go_to(right, sel, &last_b);
	if (rc < 0)
		return rc;
	diff_side_open(&job->side, left, sel, last_a, keep, xacts);
	diff_side_open(&job->b, right, sel, last_b, keep, xacts);
	diff_pool_open(&job->pool, &job->side.feed, &job->b.feed, job->opts.threads);
	return diff_hunks_init(&job->hunks, job->cairn, &job->opts, job->sum, &job->side, &job->b);
}

static void advance(struct job *job, uint64_t da, uint64_t db)
{
	diff_side_advance(&job->side, da);
	diff_side_advance(&job->b, db);
}

static int equal(struct job *job, uint32_t n)
{
	int rc = diff_hunks_equal(&job->hunks, n);
	advance(job, n, n);
	return rc;
}

static int diff_part(struct job *job, uint64_t da, uint64_t db, bool lost)
{
	int rc = diff_hunks_edit(&job->hunks, da, db, lost);
	advance(job, da, db);
	return rc;
}

/* Compare `na` and `nb` rows that lie ready in one batch each; neither is 0. */
static int diff_compare(struct job *job, struct diff_row left, uint32_t na, struct diff_row right,
                        uint32_t nb)
{
	uint32_t n = na < nb ? na : nb, done = diff_run(&job->what, left, right, n);
	if (done)
		return equal(job, done);
	if (diff_same_place(&job->what, left, right)) {
		uint32_t differ = diff_fields(&job->what, left, right);
		if (!differ)
			return equal(job, 1);
		int rc = diff_hunks_changed(&job->hunks, differ);
		advance(job, 1, 1);
		return rc;
	}
	uint64_t da, db;
	int rc = diff_align(&job->align, &job->what, &job->side, &job->b, &da, &db);
	return rc < 0 ? rc : diff_part(job, da, db, rc == 1);
}

static int go_along(struct job *job)
{
	for (;;) {
		struct diff_row left = {0}, right = {0};
		if (base_cancelled(job->cairn))
			return base_fail(job->cairn, CAIRN_E_CANCELLED, "cancelled");
		int64_t rc = diff_side_ahead(&job->side, 1);
		if (rc >= 0)
			rc = diff_side_ahead(&job->b, 1);
		if (rc < 0)
			return (int)rc;
		uint32_t na = diff_side_run(&job->side, &left), nb = diff_side_run(&job->b, &right);
		if (!na && !nb)
			return diff_hunks_end(&job->hunks);
		rc = na && nb ? diff_compare(job, left, na, right, nb) : diff_part(job, na, nb, false);
		if (rc < 0)
			return (int)rc;
	}
}

static int diff_prepare(struct job *job, const struct cairn_diff_opts *opts,
                        struct cairn_reader *left, struct cairn_reader *right)
{
	int rc = base_options(job->cairn, &job->opts, sizeof job->opts, opts, "comparison options");
	if (rc < 0)
		return rc;
	if (left == right || left->cairn != right->cairn)
		return base_fail(job->cairn, CAIRN_E_INVAL, "two readers of one context are compared");
	if (!job->opts.fields)
		job->opts.fields = CAIRN_DIFF_DEFAULT;
	if (!job->opts.window)
		job->opts.window = CAIRN_DIFF_WINDOW;
	if (job->opts.window > CAIRN_DIFF_WINDOW_MAX)
		return base_fail(job->cairn, CAIRN_E_INVAL, "the window is at most %d instructions",
		                 CAIRN_DIFF_WINDOW_MAX);
	if (job->opts.context > 1000 || job->opts.rows > 100000)
		return base_fail(job->cairn, CAIRN_E_INVAL,
		                 "at most 1000 rows around a difference and 100000 of it are kept");
	bool xa = cairn_reader_can(left) & CAIRN_XACTS, xb = cairn_reader_can(right) & CAIRN_XACTS;
	if (xa != xb)
		return base_fail(job->cairn, CAIRN_E_INVAL,
		                 "%s holds transactions, %s holds instructions: they cannot be compared",
		                 io_name(xa ? left->io : right->io), io_name(xa ? right->io : left->io));
	job->align = (struct diff_align){.cairn = job->cairn, .window = job->opts.window};
	job->what =
		(struct diff_what){.xacts = xa, .fields = comparable(left, right, job->opts.fields)};
	job->what.by_pc = (job->what.fields & CAIRN_DIFF_PC) != 0;
	if (xa)
		job->what.fields &= CAIRN_DIFF_TRANSACTION | CAIRN_DIFF_VALUES;
	job->sum->compared = job->what.fields;
	job->sum->transactions = xa;
	return 0;
}

int cairn_diff(struct cairn_reader *left, struct cairn_reader *right,
               const struct cairn_diff_opts *opts, struct cairn_diff_sum *sum)
{
	struct cairn_diff_sum own = {.size = sizeof own};
	if (sum && base_sized(left->cairn, sum, "cairn_diff_sum") < 0)
		return CAIRN_E_INVAL;
	struct job *job = base_alloc(left->cairn, sizeof *job);
	if (!job)
		return CAIRN_E_NOMEM;
	job->cairn = left->cairn;
	job->sum = &own;
	int rc = diff_prepare(job, opts, left, right);
	if (rc >= 0) {
		rc = open_sides(job, left, right);
		if (rc >= 0)
			rc = go_along(job);
		diff_pool_stop(&job->pool);
		if (job->hunks.cairn)
			diff_hunks_free(&job->hunks);
		if (job->side.cairn)
			diff_side_close(&job->side);
		if (job->b.cairn)
			diff_side_close(&job->b);
		diff_pool_close(&job->pool);
		diff_align_free(&job->align);
	}
	base_free(left->cairn, job);
	if (sum)
		base_give(sum, &own, sizeof own);
	return rc < 0 ? rc : own.hunks > 0;
}
