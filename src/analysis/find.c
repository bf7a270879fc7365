/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding numbers. The first ones take one run: each span keeps its first ones, and folding ends
 * the run when there are enough. The last ones take, without an index, a run to the end in which
 * each span keeps its last ones. With an index the trace is read backwards in windows of spans
 * that double while nothing is found: near results come at once, and far ones in little more
 * than one reading on all threads.
 */
#include <string.h>

#include "analysis/find.h"

/* ---- results ---- */

struct numbers {
	struct base_buf buf; /* uint64_t, ascending */
	uint64_t count;      /* of all that were met, kept or not */
};

static size_t find_length(const struct numbers *numbers)
{
	return numbers->buf.len / sizeof(uint64_t);
}

struct find {
	struct cairn *cairn;
	struct cairn_find_opts opts;
	bool counting;        /* numbers are not kept */
	uint64_t first, last; /* that are looked at now */
	uint64_t most;        /* that are wanted now */
	struct numbers all;
};

struct part {
	struct numbers found;
	uint8_t keep[CAIRN_CAP_INSNS + CAIRN_CAP_XACTS];
};

/* Drop numbers that are too old when only the last ones are wanted; not each time. */
static void find_trim(const struct find *find, struct numbers *numbers, size_t slack)
{
	size_t have = find_length(numbers);
	if (!find->opts.last || have <= find->most || have - find->most < slack)
		return;
	size_t out = (size_t)(have - find->most) * sizeof(uint64_t);
	memmove(numbers->buf.data, numbers->buf.data + out, numbers->buf.len - out);
	numbers->buf.len -= out;
}

static bool find_enough(const struct find *find, const struct numbers *numbers)
{
	return !find->counting && !find->opts.last && find_length(numbers) >= find->most;
}

static int find_add(const struct find *find, struct numbers *numbers, uint64_t number)
{
	if (number < find->first || number > find->last || find_enough(find, numbers))
		return 0;
	numbers->count++;
	return find->counting ? 0 : base_buf_put(&numbers->buf, &number, sizeof number);
}

/* ---- the reducer ---- */

static int find_begin(void *user, void **partial)
{
	struct find *find = user;
	struct part *part = base_alloc(find->cairn, sizeof *part);
	if (!part)
		return CAIRN_E_NOMEM;
	base_buf_init(&part->found.buf, find->cairn);
	*partial = part;
	return 0;
}

static int find_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	const struct find *find = user;
	struct part *part = partial;
	uint32_t n = batch->n_insns ? batch->n_insns : batch->n_xacts, left = n;
	uint64_t n0 = batch->n_insns ? batch->n0 : batch->x0;
	if (find_enough(find, &part->found))
		return 0;
	if (find->opts.select)
		left = cairn_select_batch(find->opts.select, batch, part->keep);
	else
		memset(part->keep, 1, n);
	if (left && find->opts.touch)
		left = cairn_touch_batch(find->opts.touch, batch, part->keep);
	int rc = 0;
	for (uint32_t i = 0; i < n && left && rc >= 0; i++)
		if (part->keep[i]) {
			rc = find_add(find, &part->found, n0 + i);
			left--;
		}
	find_trim(find, &part->found, 4096);
	return rc;
}

static void find_drop(void *user, void *partial)
{
	struct find *find = user;
	struct part *part = partial;
	base_buf_free(&part->found.buf);
	base_free(find->cairn, part);
}

static int find_fold(void *user, void *partial)
{
	struct find *find = user;
	struct part *part = partial;
	size_t n = find_length(&part->found), have = find_length(&find->all);
	if (!find->opts.last && n > find->most - have)
		n = (size_t)(find->most - have);
	int rc = n ? base_buf_put(&find->all.buf, part->found.buf.data, n * sizeof(uint64_t)) : 0;
	find->all.count += part->found.count;
	find_trim(find, &find->all, 1);
	find_drop(user, partial);
	return rc < 0 ? rc : find_enough(find, &find->all);
}

static int analysis_find_run(struct find *find, struct cairn_reader *reader)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = find_begin,
	                                         .feed = find_feed,
	                                         .fold = find_fold,
	                                         .drop = find_drop};
	if (find->opts.select)
		cairn_select_bound(find->opts.select, reader);
	return cairn_run(reader, &red, find, find->last, find->opts.threads);
}

/* ---- forwards ---- */

static int forwards(struct find *find, struct cairn_reader *reader)
{
	const struct cairn_select *select = find->opts.select;
	bool jump = find->first > 1 &&
	            (cairn_reader_jumps(reader) || !select ||
	             !(cairn_select_needs_context(select) || cairn_select_needs_records(select)));
	int rc = 0;
	if (jump || reader->started || reader->skip_to)
		rc = cairn_seek(reader, jump ? find->first : 1);
	if (rc == CAIRN_E_NOTFOUND)
		return 0; /* all of it lies behind the end */
	return rc < 0 ? rc : analysis_find_run(find, reader);
}

/* ---- backwards, with an index ---- */

struct window {
	size_t from, to; /* spans */
};

static bool may_hold(const struct find *find, const struct cairn_index *index, size_t span)
{
	return !find->opts.touch || cairn_touch_span(find->opts.touch, index, span);
}

/* The next window before span `to` and not before `least`: spans that may hold something, at most
 * `width`. */
static bool window_before(const struct find *find, const struct cairn_index *index, size_t to,
                          size_t least, size_t width, struct window *window)
{
	while (to > least && !may_hold(find, index, to - 1))
		to--;
	if (to == least)
		return false;
	window->to = to--;
	while (to > least && window->to - to < width && may_hold(find, index, to - 1))
		to--;
	window->from = to;
	return true;
}

/* What was found in a window comes before what was found so far. */
static int search_window(struct find *find, struct cairn_reader *reader,
                         const struct cairn_index *index, const struct window *window,
                         uint64_t first, uint64_t last)
{
	struct numbers later = find->all;
	struct cairn_index_span span = {.size = sizeof span}, z = {.size = sizeof z};
	int rc = cairn_index_span(index, window->from, &span);
	if (rc >= 0)
		rc = cairn_index_span(index, window->to - 1, &z);
	if (rc < 0)
		return rc;
	uint64_t end = z.first + z.count - 1;
	find->first = span.first > first ? span.first : first;
	find->last = end < last ? end : last;
	find->most = find->opts.most - find_length(&later);
	base_buf_init(&find->all.buf, find->cairn);
	rc = find->last < find->first ? 0 : cairn_seek(reader, find->first);
	if (rc >= 0 && find->last >= find->first)
		rc = analysis_find_run(find, reader);
	if (rc >= 0)
		rc = base_buf_put(&find->all.buf, later.buf.data, later.buf.len);
	base_buf_free(&later.buf);
	return rc;
}

static int backwards(struct find *find, struct cairn_reader *reader)
{
	enum { WIDEST = 64 };
	const struct cairn_index *index = cairn_reader_index(reader);
	uint64_t first = find->first, last = find->last;
	int64_t low = cairn_index_find(index, first), high = cairn_index_find(index, last);
	size_t to = high < 0 ? cairn_index_spans(index) : (size_t)high + 1, width = 1;
	struct window window;
	int rc = 0;
	if (low < 0) /* all of it lies behind the end */
		return 0;
	while (rc >= 0 && find_length(&find->all) < find->opts.most &&
	       window_before(find, index, to, (size_t)low, width, &window)) {
		rc = search_window(find, reader, index, &window, first, last);
		to = window.from;
		width = width < WIDEST ? 2 * width : width;
	}
	return rc;
}

/* ---- */

static uint32_t find_parts_of(const struct cairn_find_opts *opts)
{
	uint32_t parts = opts->select ? cairn_select_parts(opts->select) : 0;
	return parts | (opts->touch ? touch_parts(opts->touch) : 0) | CAIRN_XACTS;
}

static int find_start(struct cairn_reader *reader, const struct cairn_find_opts *opts,
                      struct find *find)
{
	*find = (struct find){.cairn = reader->cairn, .first = 1, .last = UINT64_MAX};
	base_buf_init(&find->all.buf, reader->cairn);
	int rc = base_options(reader->cairn, &find->opts, sizeof find->opts, opts, "find options");
	if (rc < 0)
		return rc;
	find->opts.threads = find->opts.threads ? find->opts.threads : 1;
	find->most = find->opts.most = find->opts.most ? find->opts.most : UINT64_MAX;
	find->opts.last = find->opts.last && find->opts.most != UINT64_MAX;
	if (find->opts.select)
		cairn_select_bounds(find->opts.select, &find->first, &find->last);
	if (find->opts.before && find->opts.before - 1 < find->last)
		find->last = find->opts.before - 1;
	return find->first <= find->last;
}

static int find(struct find *finding, struct cairn_reader *reader)
{
	uint32_t want = reader->want;
	cairn_reader_want(reader, find_parts_of(&finding->opts));
	int rc = finding->opts.last && !finding->counting && cairn_reader_jumps(reader)
	             ? backwards(finding, reader)
	             : forwards(finding, reader);
	cairn_reader_want(reader, want);
	return rc;
}

int cairn_find(struct cairn_reader *reader, const struct cairn_find_opts *opts,
               struct cairn_found *out)
{
	struct find f;
	/* A caller who cannot take the numbers could not free them. */
	if (base_sized(reader->cairn, out, "cairn_found") < 0)
		return CAIRN_E_INVAL;
	if (out->size < offsetof(struct cairn_found, numbers) + sizeof out->numbers)
		return base_fail(reader->cairn, CAIRN_E_INVAL, "a struct cairn_found holds the numbers");
	int rc = find_start(reader, opts, &f);
	if (rc > 0)
		rc = find(&f, reader);
	const struct cairn_found own = {.n = find_length(&f.all), .numbers = (void *)f.all.buf.data};
	base_give(out, &own, sizeof own);
	return rc;
}

int cairn_find_count(struct cairn_reader *reader, const struct cairn_find_opts *opts,
                     uint64_t *count)
{
	struct find f;
	int rc = find_start(reader, opts, &f);
	f.counting = true;
	f.opts.last = 0;
	if (rc > 0)
		rc = find(&f, reader);
	*count = f.all.count;
	base_buf_free(&f.all.buf);
	return rc;
}

void cairn_found_free(struct cairn *cairn, struct cairn_found *found)
{
	const struct cairn_found none = {0};
	base_free(cairn, found->numbers);
	base_give(found, &none, sizeof none);
}
