/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding numbers. Forwards it is one run: each span keeps the first ones it has, and
 * folding ends the run when there are enough. The last ones without an index are the same
 * run to the end, each span keeping its last ones. With one the trace is read backwards in
 * windows of spans that double while nothing is found: what lies near is found at once,
 * and what is far in little more than one reading on all threads.
 */
#include <string.h>

#include "analysis/find.h"

/* ---- results ---- */

struct numbers {
	struct base_buf buf; /* uint64_t, ascending */
	uint64_t count;      /* of all that were met, kept or not */
};

static size_t find_length(const struct numbers *n)
{
	return n->buf.len / sizeof(uint64_t);
}

struct find {
	struct cairn *c;
	struct cairn_find_opts o;
	bool counting;        /* numbers are not kept */
	uint64_t first, last; /* that are looked at now */
	uint64_t most;        /* that are wanted now */
	struct numbers all;
};

struct part {
	struct numbers found;
	uint8_t keep[CAIRN_CAP_INSNS + CAIRN_CAP_XACTS];
};

/* Leave out what is too old when only the last ones are wanted; not every time. */
static void find_trim(const struct find *f, struct numbers *n, size_t slack)
{
	size_t have = find_length(n);
	if (!f->o.last || have <= f->most || have - f->most < slack)
		return;
	size_t out = (size_t)(have - f->most) * sizeof(uint64_t);
	memmove(n->buf.data, n->buf.data + out, n->buf.len - out);
	n->buf.len -= out;
}

static bool find_enough(const struct find *f, const struct numbers *n)
{
	return !f->counting && !f->o.last && find_length(n) >= f->most;
}

static int find_add(const struct find *f, struct numbers *n, uint64_t number)
{
	if (number < f->first || number > f->last || find_enough(f, n))
		return 0;
	n->count++;
	return f->counting ? 0 : base_buf_put(&n->buf, &number, sizeof number);
}

/* ---- the reducer ---- */

static int find_begin(void *user, void **partial)
{
	struct find *f = user;
	struct part *p = base_alloc(f->c, sizeof *p);
	if (!p)
		return CAIRN_E_NOMEM;
	base_buf_init(&p->found.buf, f->c);
	*partial = p;
	return 0;
}

static int find_feed(void *user, void *partial, const struct cairn_batch *b)
{
	const struct find *f = user;
	struct part *p = partial;
	uint32_t n = b->n_insns ? b->n_insns : b->n_xacts, left = n;
	uint64_t n0 = b->n_insns ? b->n0 : b->x0;
	if (find_enough(f, &p->found))
		return 0;
	if (f->o.select)
		left = cairn_select_batch(f->o.select, b, p->keep);
	else
		memset(p->keep, 1, n);
	if (left && f->o.touch)
		left = cairn_touch_batch(f->o.touch, b, p->keep);
	int rc = 0;
	for (uint32_t i = 0; i < n && left && rc >= 0; i++)
		if (p->keep[i]) {
			rc = find_add(f, &p->found, n0 + i);
			left--;
		}
	find_trim(f, &p->found, 4096);
	return rc;
}

static void find_drop(void *user, void *partial)
{
	struct find *f = user;
	struct part *p = partial;
	base_buf_free(&p->found.buf);
	base_free(f->c, p);
}

static int find_fold(void *user, void *partial)
{
	struct find *f = user;
	struct part *p = partial;
	size_t n = find_length(&p->found), have = find_length(&f->all);
	if (!f->o.last && n > f->most - have)
		n = (size_t)(f->most - have);
	int rc = n ? base_buf_put(&f->all.buf, p->found.buf.data, n * sizeof(uint64_t)) : 0;
	f->all.count += p->found.count;
	find_trim(f, &f->all, 1);
	find_drop(user, partial);
	return rc < 0 ? rc : find_enough(f, &f->all);
}

static int analysis_find_run(struct find *f, struct cairn_reader *r)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = find_begin,
	                                         .feed = find_feed,
	                                         .fold = find_fold,
	                                         .drop = find_drop};
	if (f->o.select)
		model_bound(r, f->o.select);
	return cairn_run(r, &red, f, f->last, f->o.threads);
}

/* ---- forwards ---- */

static int forwards(struct find *f, struct cairn_reader *r)
{
	const struct cairn_select *s = f->o.select;
	bool jump = f->first > 1 && (cairn_reader_jumps(r) || !s ||
	                             !(cairn_select_needs_context(s) || cairn_select_needs_records(s)));
	int rc = 0;
	if (jump || r->started || r->skip_to)
		rc = cairn_seek(r, jump ? f->first : 1);
	if (rc == CAIRN_E_NOTFOUND)
		return 0; /* all of it lies behind the end */
	return rc < 0 ? rc : analysis_find_run(f, r);
}

/* ---- backwards, with an index ---- */

struct window {
	size_t from, to; /* spans */
};

static bool may_hold(const struct find *f, const struct cairn_index *x, size_t span)
{
	return !f->o.touch || cairn_touch_span(f->o.touch, x, span);
}

/* The next window before span `to`, not before `least`: spans that may hold something, at
 * most `width`. */
static bool window_before(const struct find *f, const struct cairn_index *x, size_t to,
                          size_t least, size_t width, struct window *w)
{
	while (to > least && !may_hold(f, x, to - 1))
		to--;
	if (to == least)
		return false;
	w->to = to--;
	while (to > least && w->to - to < width && may_hold(f, x, to - 1))
		to--;
	w->from = to;
	return true;
}

/* What was found in a window comes before what was found so far. */
static int search_window(struct find *f, struct cairn_reader *r, const struct cairn_index *x,
                         const struct window *w, uint64_t first, uint64_t last)
{
	struct numbers later = f->all;
	struct cairn_index_span a, z;
	int rc = cairn_index_span(x, w->from, &a);
	if (rc >= 0)
		rc = cairn_index_span(x, w->to - 1, &z);
	if (rc < 0)
		return rc;
	uint64_t end = z.first + z.count - 1;
	f->first = a.first > first ? a.first : first;
	f->last = end < last ? end : last;
	f->most = f->o.most - find_length(&later);
	base_buf_init(&f->all.buf, f->c);
	rc = f->last < f->first ? 0 : cairn_seek(r, f->first);
	if (rc >= 0 && f->last >= f->first)
		rc = analysis_find_run(f, r);
	if (rc >= 0)
		rc = base_buf_put(&f->all.buf, later.buf.data, later.buf.len);
	base_buf_free(&later.buf);
	return rc;
}

static int backwards(struct find *f, struct cairn_reader *r)
{
	enum { WIDEST = 64 };
	const struct cairn_index *x = cairn_reader_index(r);
	uint64_t first = f->first, last = f->last;
	int64_t low = cairn_index_find(x, first), high = cairn_index_find(x, last);
	size_t to = high < 0 ? cairn_index_spans(x) : (size_t)high + 1, width = 1;
	struct window w;
	int rc = 0;
	if (low < 0) /* all of it lies behind the end */
		return 0;
	while (rc >= 0 && find_length(&f->all) < f->o.most &&
	       window_before(f, x, to, (size_t)low, width, &w)) {
		rc = search_window(f, r, x, &w, first, last);
		to = w.from;
		width = width < WIDEST ? 2 * width : width;
	}
	return rc;
}

/* ---- */

static uint32_t find_parts_of(const struct cairn_find_opts *o)
{
	uint32_t parts = o->select ? cairn_select_parts(o->select) : 0;
	return parts | (o->touch ? touch_parts(o->touch) : 0) | CAIRN_XACTS;
}

static int find_start(struct cairn_reader *r, const struct cairn_find_opts *opts, struct find *f)
{
	*f = (struct find){.c = r->c, .first = 1, .last = UINT64_MAX};
	base_buf_init(&f->all.buf, r->c);
	if (opts->size > sizeof f->o)
		return base_fail(r->c, CAIRN_E_INVAL, "find options of a newer library");
	memcpy(&f->o, opts, opts->size);
	f->o.threads = f->o.threads ? f->o.threads : 1;
	f->most = f->o.most = f->o.most ? f->o.most : UINT64_MAX;
	f->o.last = f->o.last && f->o.most != UINT64_MAX;
	if (f->o.select)
		cairn_select_bounds(f->o.select, &f->first, &f->last);
	if (f->o.before && f->o.before - 1 < f->last)
		f->last = f->o.before - 1;
	return f->first <= f->last;
}

static int find(struct find *f, struct cairn_reader *r)
{
	uint32_t want = r->want;
	cairn_reader_want(r, find_parts_of(&f->o));
	int rc = f->o.last && !f->counting && cairn_reader_jumps(r) ? backwards(f, r) : forwards(f, r);
	cairn_reader_want(r, want);
	return rc;
}

int cairn_find(struct cairn_reader *r, const struct cairn_find_opts *opts, struct cairn_found *out)
{
	struct find f;
	int rc = find_start(r, opts, &f);
	if (rc > 0)
		rc = find(&f, r);
	out->n = find_length(&f.all);
	out->numbers = (void *)f.all.buf.data;
	return rc;
}

int cairn_find_count(struct cairn_reader *r, const struct cairn_find_opts *opts, uint64_t *count)
{
	struct find f;
	int rc = find_start(r, opts, &f);
	f.counting = true;
	f.o.last = 0;
	if (rc > 0)
		rc = find(&f, r);
	*count = f.all.count;
	base_buf_free(&f.all.buf);
	return rc;
}

void cairn_found_free(struct cairn *c, struct cairn_found *found)
{
	base_free(c, found->numbers);
	*found = (struct cairn_found){0};
}
