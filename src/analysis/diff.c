/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing two traces: go along both, quickly while they are alike; where a pair
 * differs at the same place, note it and go on; where the places differ, look for
 * where the traces go on alike and note what was left out.
 *
 * Always true: rows counted as equal, changed and only in A are all rows of A;
 * equal, changed and only in B are all rows of B; replacing each hunk's rows of A
 * by those of B makes B's sequence of places out of A's. Neither where batches end
 * nor the number of threads has any say in the result. Memory is bounded by the
 * window and the rows a hunk keeps.
 */
#include <string.h>

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
	struct cairn *c;
	struct diff_pool pool;
	struct cairn_diff_opts opts;
	struct cairn_diff_sum *sum;
	struct diff_what what;
	struct diff_side a, b;
	struct diff_align align;
	struct diff_hunks hunks;
};

const char *cairn_diff_field_name(unsigned bit)
{
	return bit < FIELDS ? fields[bit].name : NULL;
}

/* What is compared is what both can know. */
static uint32_t comparable(const struct cairn_reader *a, const struct cairn_reader *b,
                           uint32_t asked)
{
	uint32_t can = cairn_reader_can(a) & cairn_reader_can(b), got = 0;
	for (unsigned i = 0; i < FIELDS; i++)
		if ((asked >> i & 1) && (can & fields[i].part) == fields[i].part)
			got |= 1u << i;
	if (!(got & (CAIRN_DIFF_REGS | CAIRN_DIFF_MEMS | CAIRN_DIFF_TRANSACTION)))
		got &= ~(uint32_t)CAIRN_DIFF_VALUES;
	return got;
}

/* PCs and encodings are looked at for the alignment, compared or not. */
static void want(struct cairn_reader *r, const struct diff_what *w, const struct cairn_select *sel)
{
	uint32_t parts = CAIRN_PC | CAIRN_ENC | CAIRN_TARGET | CAIRN_XACTS | CAIRN_BYTES;
	for (unsigned i = 0; i < FIELDS; i++)
		if (w->fields >> i & 1)
			parts |= fields[i].part;
	if (w->fields & CAIRN_DIFF_REGS)
		parts |= CAIRN_REG_VALUES;
	if (w->fields & CAIRN_DIFF_MEMS)
		parts |= CAIRN_MEM_VALUES;
	if (sel)
		parts |= cairn_select_parts(sel);
	/* The rows shown tell who runs. */
	cairn_reader_want(r, parts | CAIRN_CONTEXT);
}

/* Go to where the selection begins. 1: the trace ends before. */
static int diff_go_to(struct cairn_reader *r, const struct cairn_select *sel, uint64_t *last)
{
	uint64_t first = 1;
	*last = UINT64_MAX;
	if (!sel || cairn_select_all(sel))
		return 0;
	cairn_select_bounds(sel, &first, last);
	if (first <= 1 || (!cairn_reader_jumps(r) &&
	                   (cairn_select_needs_context(sel) || cairn_select_needs_records(sel))))
		return 0;
	int rc = cairn_seek(r, first);
	if (rc != CAIRN_E_NOTFOUND)
		return rc;
	*last = 0;
	return 0;
}

static int open_sides(struct job *j, struct cairn_reader *a, struct cairn_reader *b)
{
	const struct cairn_select *sel = j->opts.select;
	uint64_t last_a, last_b, keep = (uint64_t)j->opts.context + 1;
	bool xacts = j->what.xacts;
	want(a, &j->what, sel);
	want(b, &j->what, sel);
	int rc = diff_go_to(a, sel, &last_a);
	if (rc >= 0)
		rc = diff_go_to(b, sel, &last_b);
	if (rc < 0)
		return rc;
	diff_side_open(&j->a, a, sel, last_a, keep, xacts);
	diff_side_open(&j->b, b, sel, last_b, keep, xacts);
	diff_pool_open(&j->pool, &j->a.feed, &j->b.feed, j->opts.threads);
	return diff_hunks_init(&j->hunks, j->c, &j->opts, j->sum, &j->a, &j->b);
}

static void advance(struct job *j, uint64_t da, uint64_t db)
{
	diff_side_advance(&j->a, da);
	diff_side_advance(&j->b, db);
}

static int equal(struct job *j, uint32_t n)
{
	int rc = diff_hunks_equal(&j->hunks, n);
	advance(j, n, n);
	return rc;
}

static int diff_part(struct job *j, uint64_t da, uint64_t db, bool lost)
{
	int rc = diff_hunks_edit(&j->hunks, da, db, lost);
	advance(j, da, db);
	return rc;
}

/* Compare what lies ready of both: na and nb rows in one batch each, not 0. */
static int diff_compare(struct job *j, struct diff_row a, uint32_t na, struct diff_row b,
                        uint32_t nb)
{
	uint32_t n = na < nb ? na : nb, done = diff_run(&j->what, a, b, n);
	if (done)
		return equal(j, done);
	if (diff_same_place(&j->what, a, b)) {
		uint32_t differ = diff_fields(&j->what, a, b);
		if (!differ)
			return equal(j, 1);
		int rc = diff_hunks_changed(&j->hunks, differ);
		advance(j, 1, 1);
		return rc;
	}
	uint64_t da, db;
	int rc = diff_align(&j->align, &j->what, &j->a, &j->b, &da, &db);
	return rc < 0 ? rc : diff_part(j, da, db, rc == 1);
}

static int go_along(struct job *j)
{
	for (;;) {
		struct diff_row a = {0}, b = {0};
		if (base_cancelled(j->c))
			return base_fail(j->c, CAIRN_E_CANCELLED, "cancelled");
		int64_t rc = diff_side_ahead(&j->a, 1);
		if (rc >= 0)
			rc = diff_side_ahead(&j->b, 1);
		if (rc < 0)
			return (int)rc;
		uint32_t na = diff_side_run(&j->a, &a), nb = diff_side_run(&j->b, &b);
		if (!na && !nb)
			return diff_hunks_end(&j->hunks);
		rc = na && nb ? diff_compare(j, a, na, b, nb) : diff_part(j, na, nb, false);
		if (rc < 0)
			return (int)rc;
	}
}

static int diff_prepare(struct job *j, const struct cairn_diff_opts *opts, struct cairn_reader *a,
                        struct cairn_reader *b)
{
	if (opts->size > sizeof j->opts)
		return base_fail(j->c, CAIRN_E_INVAL, "options of a newer library");
	if (a == b || a->c != b->c)
		return base_fail(j->c, CAIRN_E_INVAL, "two readers of one context are compared");
	memcpy(&j->opts, opts, opts->size);
	if (!j->opts.fields)
		j->opts.fields = CAIRN_DIFF_DEFAULT;
	if (!j->opts.window)
		j->opts.window = CAIRN_DIFF_WINDOW;
	if (j->opts.window > CAIRN_DIFF_WINDOW_MAX)
		return base_fail(j->c, CAIRN_E_INVAL, "the window is at most %d instructions",
		                 CAIRN_DIFF_WINDOW_MAX);
	if (j->opts.context > 1000 || j->opts.rows > 100000)
		return base_fail(j->c, CAIRN_E_INVAL,
		                 "at most 1000 rows around a difference and 100000 "
		                 "of it are kept");
	bool xa = cairn_reader_can(a) & CAIRN_XACTS, xb = cairn_reader_can(b) & CAIRN_XACTS;
	if (xa != xb)
		return base_fail(j->c, CAIRN_E_INVAL,
		                 "%s holds transactions, %s holds instructions: "
		                 "they cannot be compared",
		                 io_name(xa ? a->io : b->io), io_name(xa ? b->io : a->io));
	j->align = (struct diff_align){.c = j->c, .window = j->opts.window};
	j->what = (struct diff_what){.xacts = xa, .fields = comparable(a, b, j->opts.fields)};
	j->what.by_pc = (j->what.fields & CAIRN_DIFF_PC) != 0;
	if (xa)
		j->what.fields &= CAIRN_DIFF_TRANSACTION | CAIRN_DIFF_VALUES;
	j->sum->compared = j->what.fields;
	j->sum->transactions = xa;
	return 0;
}

int cairn_diff(struct cairn_reader *a, struct cairn_reader *b, const struct cairn_diff_opts *opts,
               struct cairn_diff_sum *sum)
{
	struct cairn_diff_sum none;
	sum = sum ? sum : &none;
	*sum = (struct cairn_diff_sum){0};
	struct job *j = base_alloc(a->c, sizeof *j);
	if (!j)
		return CAIRN_E_NOMEM;
	j->c = a->c;
	j->sum = sum;
	int rc = diff_prepare(j, opts, a, b);
	if (rc >= 0) {
		rc = open_sides(j, a, b);
		if (rc >= 0)
			rc = go_along(j);
		diff_pool_stop(&j->pool);
		if (j->hunks.c)
			diff_hunks_free(&j->hunks);
		if (j->a.c)
			diff_side_close(&j->a);
		if (j->b.c)
			diff_side_close(&j->b);
		diff_pool_close(&j->pool);
		diff_align_free(&j->align);
	}
	base_free(a->c, j);
	return rc < 0 ? rc : sum->hunks > 0;
}
