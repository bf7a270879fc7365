/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs that change traces, as far as no format is needed for them: options are
 * copied and checked, ledgers made, and the trace's own format does the work. Which
 * numbers a selection keeps is found here, too, by judging batches in parallel. A trace
 * becomes one of another format through batches.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/through.h"

/* ---- what was done ---- */

void cairn_changed_free(struct cairn *c, struct cairn_changed *done)
{
	cairn_ledger_free(c, done->lost);
	cairn_ledger_free(c, done->notes);
	done->lost = done->notes = NULL;
}

/* The caller's, or one of our own that nobody sees. */
struct report {
	struct cairn_changed own, *done, *callers;
	struct cairn_output out; /* the caller's, of our size */
};

static int change_begin(struct cairn *c, struct report *rep, struct cairn_changed *done,
                        const struct cairn_output *out)
{
	*rep = (struct report){.own = {.size = sizeof rep->own}, .callers = done};
	rep->done = done ? done : &rep->own;
	if (rep->done->size < sizeof rep->own || !out || out->size > sizeof *out)
		return base_fail(c, CAIRN_E_INVAL, "options of a newer library, or of unknown size");
	if (!out->path || !*out->path)
		return base_fail(c, CAIRN_E_INVAL, "an output needs a name");
	memcpy(&rep->out, out, out->size);
	if (rep->out.lossy && rep->out.lossless)
		return base_fail(c, CAIRN_E_INVAL, "an output is either lossy or lossless");
	rep->done->instructions = 0;
	rep->done->lost = model_ledger_new(c);
	rep->done->notes = model_ledger_new(c);
	return rep->done->lost && rep->done->notes ? 0 : CAIRN_E_NOMEM;
}

static int change_end(struct cairn *c, struct report *rep, int rc)
{
	if (!rep->callers)
		cairn_changed_free(c, &rep->own);
	return rc;
}

/* The format asked for where it is not the trace's own, else NULL. */
static const struct model_writer_format *other_format(const struct cairn_reader *r,
                                                      const struct cairn_output *out,
                                                      const char **options)
{
	const struct model_writer_format *f =
		r->writer_for ? r->writer_for(r->c, out->path, out->to, options) : NULL;
	return f && strcasecmp(f->of ? f->of : f->name, r->format->name) != 0 ? f : NULL;
}

/* All but convert keep the format: an output named for another one is a slip. */
int model_keep_format(const struct cairn_reader *r, const struct cairn_output *out,
                      const char *verb)
{
	const char *options;
	const struct model_writer_format *f = other_format(r, out, &options);
	if (!f)
		return 0;
	return base_fail(r->c, CAIRN_E_UNSUPPORTED,
	                 "%s: %s keeps the trace's format, %s, and %s is "
	                 "asked for: cairn convert changes it",
	                 out->path, verb, r->format->name, f->name);
}

/* To the trace's beginning, whatever was read. */
static int rewind_reader(struct cairn_reader *r)
{
	return r->started ? cairn_seek(r, 1) : 0;
}

static int cannot(struct cairn_reader *r, const char *what)
{
	return base_fail(r->c, CAIRN_E_UNSUPPORTED, "%s: %s traces cannot be %s", io_name(r->io),
	                 r->format->name, what);
}

/* ---- the verbs ---- */

int cairn_convert(struct cairn_reader *r, const struct cairn_output *out,
                  struct cairn_changed *done)
{
	struct report rep;
	const char *options = "";
	int rc = change_begin(r->c, &rep, done, out);
	const struct model_writer_format *f = rc < 0 ? NULL : other_format(r, &rep.out, &options);
	bool copies = r->format->change && r->format->change->convert;
	if (rc >= 0 && !f && !copies) /* a format whose records are not copied is made anew */
		f = r->writer_for ? r->writer_for(r->c, rep.out.path, rep.out.to, &options) : NULL;
	if (rc >= 0 && !f && !copies)
		rc = cannot(r, "packed otherwise");
	if (rc >= 0)
		rc = rewind_reader(r);
	if (rc >= 0)
		rc = f ? through_batches(&(struct cairn_merge_part){.r = r}, 1, NULL, f, options, &rep.out,
		                         rep.done)
		       : r->format->change->convert(r, &rep.out, rep.done);
	return change_end(r->c, &rep, rc);
}

static int check_ranges(struct cairn *c, const struct cairn_range *ranges, size_t n, bool ordered)
{
	for (size_t i = 0; i < n; i++) {
		if (ranges[i].first == 0 || ranges[i].first > ranges[i].last)
			return base_fail(c, CAIRN_E_INVAL, "range %zu is empty or begins at 0", i + 1);
		if (ordered && i && ranges[i].first <= ranges[i - 1].last)
			return base_fail(c, CAIRN_E_INVAL, "range %zu does not follow the one before", i + 1);
	}
	return 0;
}

int cairn_slice(struct cairn_reader *r, const struct cairn_slice_opts *opts,
                const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn_slice_opts o = {.size = sizeof o};
	struct report rep;
	int rc = change_begin(r->c, &rep, done, out);
	if (rc >= 0 && opts && opts->size > sizeof o)
		rc = base_fail(r->c, CAIRN_E_INVAL, "slice options of a newer library");
	if (rc < 0)
		return change_end(r->c, &rep, rc);
	if (opts)
		memcpy(&o, opts, opts->size);
	rc = check_ranges(r->c, o.ranges, o.n_ranges, true);
	if (rc >= 0 && o.every && (o.window == 0 || o.window > o.every))
		rc = base_fail(r->c, CAIRN_E_INVAL, "a window holds 1 to %llu instructions, not %llu",
		               (unsigned long long)o.every, (unsigned long long)o.window);
	bool own = r->format->change && r->format->change->slice;
	const struct model_writer_format *f = NULL;
	const char *options = "";
	if (rc >= 0 && own)
		rc = model_keep_format(r, &rep.out, "slice");
	else if (rc >= 0)
		rc = through_writer(r, &rep.out, &f, &options);
	if (rc >= 0)
		rc = rewind_reader(r);
	if (rc >= 0)
		rc = own ? r->format->change->slice(r, &o, &rep.out, rep.done)
		         : through_batches(&(struct cairn_merge_part){.r = r}, 1, &o, f, options, &rep.out,
		                           rep.done);
	return change_end(r->c, &rep, rc);
}

int cairn_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
                struct cairn_changed *done)
{
	if (n == 0)
		return CAIRN_E_INVAL;
	struct cairn *c = parts[0].r->c;
	const struct model_format *f = parts[0].r->format;
	struct report rep;
	int rc = change_begin(c, &rep, done, out);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		rc = check_ranges(c, parts[i].ranges, parts[i].n_ranges, false);
		if (rc >= 0 && parts[i].r->format != f)
			rc = base_fail(c, CAIRN_E_UNSUPPORTED, "%s is %s and %s is %s: convert one first",
			               io_name(parts[0].r->io), f->name, io_name(parts[i].r->io),
			               parts[i].r->format->name);
	}
	bool own = f->change && f->change->merge;
	const struct model_writer_format *to = NULL;
	const char *options = "";
	if (rc >= 0 && own)
		rc = model_keep_format(parts[0].r, &rep.out, "merge");
	else if (rc >= 0)
		rc = through_writer(parts[0].r, &rep.out, &to, &options);
	if (rc >= 0)
		rc = own ? f->change->merge(parts, n, &rep.out, rep.done)
		         : through_batches(parts, n, NULL, to, options, &rep.out, rep.done);
	return change_end(c, &rep, rc);
}

int cairn_edit(struct cairn_reader *r, const struct cairn_edit_opts *opts,
               const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn_edit_opts o = {.size = sizeof o};
	struct report rep;
	int rc = change_begin(r->c, &rep, done, out);
	if (rc >= 0 && (!opts || opts->size > sizeof o))
		rc = base_fail(r->c, CAIRN_E_INVAL, "edit options of a newer library");
	if (rc < 0)
		return change_end(r->c, &rep, rc);
	memcpy(&o, opts, opts->size);
	if (!r->format->change || !r->format->change->edit)
		rc = cannot(r, "edited");
	if (rc >= 0)
		rc = model_keep_format(r, &rep.out, "edit");
	if (rc >= 0)
		rc = rewind_reader(r);
	if (rc >= 0)
		rc = r->format->change->edit(r, &o, &rep.out, rep.done);
	return change_end(r->c, &rep, rc);
}

/* ---- the ranges of a slice ---- */

/* The window that ends behind number n - 1, cut to begin at n. */
static bool window_at(const struct cairn_slice_opts *o, uint64_t n, struct cairn_range *w)
{
	uint64_t start = (n - 1) / o->every * o->every + 1;
	if (n - start >= o->window) {
		if (start > UINT64_MAX - o->every)
			return false;
		n = start += o->every;
	}
	w->first = n;
	w->last = start + (o->window - 1) < start ? UINT64_MAX : start + (o->window - 1);
	return true;
}

bool model_range_next(struct model_ranges *w, struct cairn_range *out)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	const struct cairn_slice_opts *o = w->o;
	size_t n = o->n_ranges ? o->n_ranges : 1;
	for (; w->i < n && w->after != UINT64_MAX; w->i++) {
		struct cairn_range r = o->n_ranges ? o->ranges[w->i] : all, win;
		if (r.first <= w->after)
			r.first = w->after + 1;
		if (r.first > r.last)
			continue;
		if (o->every) {
			if (!window_at(o, r.first, &win) || win.first > r.last)
				continue;
			r.first = win.first;
			r.last = win.last < r.last ? win.last : r.last;
		}
		w->after = r.last;
		*out = r;
		return true;
	}
	return false;
}

static int by_first(const void *a, const void *b)
{
	const struct model_part_range *x = a, *y = b;
	return (x->range.first > y->range.first) - (x->range.first < y->range.first);
}

struct model_part_range *model_part_ranges(struct cairn *cairn, const struct model_part *parts,
                                           size_t n, size_t *n_ranges)
{
	size_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += parts[i].n_ranges;
	struct model_part_range *all = base_alloc(cairn, (sum ? sum : 1) * sizeof *all);
	*n_ranges = sum;
	if (!all)
		return NULL;
	for (size_t i = 0, at = 0; i < n; i++)
		for (size_t k = 0; k < parts[i].n_ranges; k++)
			all[at++] = (struct model_part_range){parts[i].ranges[k], i};
	qsort(all, sum, sizeof *all, by_first);
	return all;
}

/* ---- which numbers a selection keeps ---- */

struct judge {
	struct cairn *c;
	const struct cairn_select *select;
	struct base_buf ranges; /* struct cairn_range */
};

static int change_add_range(struct base_buf *b, uint64_t first, uint64_t last)
{
	struct cairn_range add = {first, last};
	struct cairn_range *tail = b->len ? (void *)(b->data + b->len - sizeof add) : NULL;
	if (tail && tail->last + 1 == first) {
		tail->last = last;
		return 0;
	}
	return base_buf_put(b, &add, sizeof add);
}

static int judge_begin(void *user, void **partial)
{
	struct judge *j = user;
	struct base_buf *b = base_alloc(j->c, sizeof *b);
	if (!b)
		return CAIRN_E_NOMEM;
	base_buf_init(b, j->c);
	*partial = b;
	return 0;
}

static int judge_feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct judge *j = user;
	uint8_t keep[CAIRN_CAP_INSNS > CAIRN_CAP_XACTS ? CAIRN_CAP_INSNS : CAIRN_CAP_XACTS];
	uint32_t n = b->n_insns ? b->n_insns : b->n_xacts;
	uint64_t n0 = b->n_insns ? b->n0 : b->x0;
	uint32_t kept = cairn_select_batch(j->select, b, keep);
	if (kept == 0)
		return 0;
	if (kept == n)
		return change_add_range(partial, n0, n0 + n - 1);
	int rc = 0;
	for (uint32_t i = 0; i < n && rc >= 0; i++)
		if (keep[i])
			rc = change_add_range(partial, n0 + i, n0 + i);
	return rc;
}

static void judge_drop(void *user, void *partial)
{
	struct judge *j = user;
	base_buf_free(partial);
	base_free(j->c, partial);
}

static int judge_fold(void *user, void *partial)
{
	struct judge *j = user;
	struct base_buf *b = partial;
	const struct cairn_range *r = (const void *)b->data;
	int rc = 0;
	for (size_t i = 0; i < b->len / sizeof *r && rc >= 0; i++)
		rc = change_add_range(&j->ranges, r[i].first, r[i].last);
	judge_drop(user, partial);
	return rc;
}

static int judge_trace(struct cairn_reader *r, struct judge *j, unsigned threads)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = judge_begin,
	                                         .feed = judge_feed,
	                                         .fold = judge_fold,
	                                         .drop = judge_drop};
	const struct cairn_select *s = j->select;
	uint64_t first, last;
	cairn_select_bounds(s, &first, &last);
	bool jump = first > 1 && !cairn_select_needs_context(s) && !cairn_select_needs_records(s);
	int rc = cairn_seek(r, jump ? first : 1);
	if (rc == CAIRN_E_NOTFOUND)
		return 0; /* all of it lies behind the end */
	uint32_t want = r->want;
	cairn_reader_want(r, cairn_select_parts(s));
	model_bound(r, s);
	if (rc >= 0)
		rc = cairn_run(r, &red, j, last, threads);
	cairn_reader_want(r, want);
	return rc;
}

int cairn_ranges(struct cairn_reader *r, const struct cairn_select *s, unsigned threads,
                 struct cairn_range **out, size_t *n)
{
	struct judge j = {.c = r->c, .select = s};
	uint64_t first, last;
	int rc, more = 1;
	base_buf_init(&j.ranges, r->c);
	*out = NULL;
	*n = 0;
	rc = cairn_select_numbers(s, 0, &first, &last);
	if (rc == CAIRN_E_STATE) {
		rc = judge_trace(r, &j, threads);
	} else {
		for (size_t i = 0; rc >= 0 && more > 0; i++) {
			more = cairn_select_numbers(s, i, &first, &last);
			if (more > 0)
				rc = change_add_range(&j.ranges, first, last);
		}
	}
	if (rc < 0) {
		base_buf_free(&j.ranges);
		return rc;
	}
	*out = (void *)j.ranges.data;
	*n = j.ranges.len / sizeof **out;
	return 0;
}

void cairn_ranges_free(struct cairn *c, struct cairn_range *ranges)
{
	base_free(c, ranges);
}
