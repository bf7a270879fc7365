/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of its own. What a consumer needs where a range begins
 * is found by reading what comes before it: see remake.c and known.c.
 */
#include "formats/stf/change.h"

/* The ranges that are meant: those given, cut by the windows. */
struct wanted {
	const struct cairn_slice_opts *o;
	size_t i;
	uint64_t after; /* numbers up to it are done */
};

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

static bool next_range(struct wanted *w, struct cairn_range *out)
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

static int cut(struct stf_piece *pc, const struct cairn_slice_opts *o)
{
	struct wanted w = {.o = o};
	struct cairn_range r;
	int rc = 1;
	while (rc > 0 && next_range(&w, &r))
		rc = stf_piece_range(pc, r.first, r.last);
	/* Behind the last range nothing is wanted, but the trace's very end is. */
	return rc == 0 ? stf_piece_end(pc) : rc;
}

int stf_slice(struct cairn_reader *r, const struct cairn_slice_opts *o,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct stf_remake *m = NULL;
	struct stf_piece *pc = NULL;
	struct wanted w = {.o = o};
	struct cairn_range first = {1, UINT64_MAX};
	int rc = stf_remake_new(r, out, done, &m);
	if (rc >= 0)
		rc = stf_edit_version(m, m->packing.version, m->packing.event_bits);
	if (rc >= 0)
		rc = stf_remake_history(m, "cairn slice");
	if (rc >= 0)
		rc = stf_piece_open(m, r, io_name(r->io), &pc);
	if (rc >= 0) {
		next_range(&w, &first);
		m->state_comment = true;
		m->sampled = o->every != 0;
		pc->look_back = o->look_back;
		pc->track = o->n_ranges > 1 || o->every;
		pc->last = true;
		rc = cut(pc, o);
	}
	if (rc >= 0 && m->n == 0)
		rc = base_fail(r->c, CAIRN_E_NOTFOUND, "%s: nothing in the trace is selected",
		               io_name(r->io));
	stf_piece_close(pc);
	return stf_remake_finish(m, rc);
}
