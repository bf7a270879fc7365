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

int model_fail_empty(const struct cairn_reader *reader)
{
	return base_fail(reader->cairn, CAIRN_E_NOTFOUND, "%s: the selection is empty",
	                 io_name(reader->io));
}

int model_fail_empty_parts(const struct cairn_merge_part *parts, size_t n)
{
	size_t whole = 0;
	while (whole < n && parts[whole].n_ranges)
		whole++;
	return whole < n ? 0 : model_fail_empty(parts[0].reader);
}

/* ---- what was done ---- */

void cairn_changed_free(struct cairn *cairn, struct cairn_changed *done)
{
	cairn_ledger_free(cairn, done->lost);
	cairn_ledger_free(cairn, done->notes);
	done->lost = done->notes = NULL;
}

/* The caller's struct, or one of our own that nobody sees. */
struct report {
	struct cairn_changed own, *done, *callers;
	struct cairn_output out; /* the caller's, of our size */
};

static int change_begin(struct cairn *cairn, struct report *rep, struct cairn_changed *done,
                        const struct cairn_output *out)
{
	*rep = (struct report){.own = {.size = sizeof rep->own}, .callers = done};
	rep->done = done ? done : &rep->own;
	if (rep->done->size < sizeof rep->own || !out || out->size > sizeof *out)
		return base_fail(cairn, CAIRN_E_INVAL, "options of a newer library, or of unknown size");
	if (!out->path || !*out->path)
		return base_fail(cairn, CAIRN_E_INVAL, "an output needs a name");
	memcpy(&rep->out, out, out->size);
	if (rep->out.lossy && rep->out.lossless)
		return base_fail(cairn, CAIRN_E_INVAL, "an output is either lossy or lossless");
	rep->done->instructions = 0;
	rep->done->lost = model_ledger_new(cairn);
	rep->done->notes = model_ledger_new(cairn);
	return rep->done->lost && rep->done->notes ? 0 : CAIRN_E_NOMEM;
}

static int change_end(struct cairn *cairn, struct report *rep, int rc)
{
	if (!rep->callers)
		cairn_changed_free(cairn, &rep->own);
	return rc;
}

int model_each_word(struct cairn *cairn, const char *format, const char *list,
                    int (*take)(void *self, const char *word), void *self)
{
	char word[64];
	int rc = 0;
	while (*list && rc >= 0) {
		size_t n = strcspn(list, ",");
		if (n >= sizeof word)
			return base_fail(cairn, CAIRN_E_INVAL, "%s has no '%.*s…'", format, 60, list);
		memcpy(word, list, n);
		word[n] = 0;
		rc = take(self, word);
		list += n + (list[n] == ',');
	}
	return rc;
}

/* The format that is asked for if it is not the trace's own, else NULL. */
static const struct model_writer_format *other_format(const struct cairn_reader *reader,
                                                      const struct cairn_output *out,
                                                      const char **options)
{
	const struct model_writer_format *format =
		reader->writer_for ? reader->writer_for(reader->cairn, out->path, out->to, options) : NULL;
	return format && strcasecmp(format->of ? format->of : format->name, reader->format->name) != 0
	           ? format
	           : NULL;
}

/* All verbs but convert keep the format: an output named for another one is a slip. */
int model_keep_format(const struct cairn_reader *reader, const struct cairn_output *out,
                      const char *verb)
{
	const char *options;
	const struct model_writer_format *format = other_format(reader, out, &options);
	if (!format)
		return 0;
	return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
	                 "%s: %s keeps the trace's format, %s, and %s is "
	                 "asked for: cairn convert changes it",
	                 out->path, verb, reader->format->name, format->name);
}

/* Go to the trace's beginning, whatever has been read. */
static int rewind_reader(struct cairn_reader *reader)
{
	return reader->started ? cairn_seek(reader, 1) : 0;
}

static int cannot(struct cairn_reader *reader, const char *what)
{
	return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED, "%s: %s traces cannot be %s",
	                 io_name(reader->io), reader->format->name, what);
}

/* ---- the verbs ---- */

int cairn_convert(struct cairn_reader *reader, const struct cairn_output *out,
                  struct cairn_changed *done)
{
	struct report rep;
	const char *options = "";
	int rc = change_begin(reader->cairn, &rep, done, out);
	const struct model_writer_format *format =
		rc < 0 ? NULL : other_format(reader, &rep.out, &options);
	bool copies = reader->format->change && reader->format->change->convert;
	if (rc >= 0 && !format && !copies) /* a format whose records are not copied is made anew */
		format = reader->writer_for
		             ? reader->writer_for(reader->cairn, rep.out.path, rep.out.to, &options)
		             : NULL;
	if (rc >= 0 && !format && !copies)
		rc = cannot(reader, "packed otherwise");
	if (rc >= 0 && !format && reader->derivation) /* what is derived is no record of the trace */
		rc = through_writer(reader, &rep.out, &format, &options);
	if (rc >= 0)
		rc = rewind_reader(reader);
	if (rc >= 0)
		rc = format ? through_batches(&(struct cairn_merge_part){.reader = reader}, 1, NULL, format,
		                              options, &rep.out, rep.done)
		            : reader->format->change->convert(reader, &rep.out, rep.done);
	return change_end(reader->cairn, &rep, rc);
}

static int check_ranges(struct cairn *cairn, const struct cairn_range *ranges, size_t n,
                        bool ordered)
{
	for (size_t i = 0; i < n; i++) {
		if (ranges[i].first == 0 || ranges[i].first > ranges[i].last)
			return base_fail(cairn, CAIRN_E_INVAL, "range %zu is empty or begins at 0", i + 1);
		if (ordered && i && ranges[i].first <= ranges[i - 1].last)
			return base_fail(cairn, CAIRN_E_INVAL, "range %zu does not follow the one before",
			                 i + 1);
	}
	return 0;
}

int cairn_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
                const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn_slice_opts slice_opts = {.size = sizeof slice_opts};
	struct report rep;
	int rc = change_begin(reader->cairn, &rep, done, out);
	if (rc >= 0 && opts && opts->size > sizeof slice_opts)
		rc = base_fail(reader->cairn, CAIRN_E_INVAL, "slice options of a newer library");
	if (rc < 0)
		return change_end(reader->cairn, &rep, rc);
	if (opts)
		memcpy(&slice_opts, opts, opts->size);
	rc = check_ranges(reader->cairn, slice_opts.ranges, slice_opts.n_ranges, true);
	if (rc >= 0 && slice_opts.every &&
	    (slice_opts.window == 0 || slice_opts.window > slice_opts.every))
		rc = base_fail(reader->cairn, CAIRN_E_INVAL,
		               "a window holds 1 to %llu instructions, not %llu",
		               (unsigned long long)slice_opts.every, (unsigned long long)slice_opts.window);
	bool own = reader->format->change && reader->format->change->slice;
	const struct model_writer_format *format = NULL;
	const char *options = "";
	if (rc >= 0 && own)
		rc = model_keep_format(reader, &rep.out, "slice");
	else if (rc >= 0)
		rc = through_writer(reader, &rep.out, &format, &options);
	if (rc >= 0)
		rc = rewind_reader(reader);
	if (rc >= 0)
		rc = own ? reader->format->change->slice(reader, &slice_opts, &rep.out, rep.done)
		         : through_batches(&(struct cairn_merge_part){.reader = reader}, 1, &slice_opts,
		                           format, options, &rep.out, rep.done);
	return change_end(reader->cairn, &rep, rc);
}

int cairn_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
                struct cairn_changed *done)
{
	if (n == 0)
		return CAIRN_E_INVAL;
	struct cairn *cairn = parts[0].reader->cairn;
	const struct model_format *format = parts[0].reader->format;
	struct report rep;
	int rc = change_begin(cairn, &rep, done, out);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		rc = check_ranges(cairn, parts[i].ranges, parts[i].n_ranges, false);
		if (rc >= 0 && parts[i].reader->format != format)
			rc = base_fail(cairn, CAIRN_E_UNSUPPORTED, "%s is %s and %s is %s: convert one first",
			               io_name(parts[0].reader->io), format->name, io_name(parts[i].reader->io),
			               parts[i].reader->format->name);
	}
	bool own = format->change && format->change->merge;
	const struct model_writer_format *to = NULL;
	const char *options = "";
	if (rc >= 0 && own)
		rc = model_keep_format(parts[0].reader, &rep.out, "merge");
	else if (rc >= 0)
		rc = through_writer(parts[0].reader, &rep.out, &to, &options);
	if (rc >= 0)
		rc = own ? format->change->merge(parts, n, &rep.out, rep.done)
		         : through_batches(parts, n, NULL, to, options, &rep.out, rep.done);
	return change_end(cairn, &rep, rc);
}

static bool changes_more(const struct cairn_edit_opts *opts)
{
	return opts->n_comments || opts->features || opts->isa_string || opts->generator ||
	       opts->n_drop || opts->event_bits || opts->version;
}

int cairn_edit(struct cairn_reader *reader, const struct cairn_edit_opts *opts,
               const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn_edit_opts edit_opts = {.size = sizeof edit_opts};
	struct report rep;
	int rc = change_begin(reader->cairn, &rep, done, out);
	if (rc >= 0 && (!opts || opts->size > sizeof edit_opts))
		rc = base_fail(reader->cairn, CAIRN_E_INVAL, "edit options of a newer library");
	if (rc < 0)
		return change_end(reader->cairn, &rep, rc);
	memcpy(&edit_opts, opts, opts->size);
	if (!reader->format->change || !reader->format->change->edit)
		rc = cannot(reader, "edited");
	if (rc >= 0)
		rc = model_keep_format(reader, &rep.out, "edit");
	const struct model_writer_format *format = NULL;
	const char *options = "";
	bool derives = rc >= 0 && reader->derivation; /* what is derived is no record of the trace */
	if (derives && changes_more(&edit_opts))
		rc = base_fail(
			reader->cairn, CAIRN_E_INVAL,
			"--derive changes nothing else in the same run: edit its output in another one");
	else if (derives)
		rc = through_writer(reader, &rep.out, &format, &options);
	if (rc >= 0)
		rc = rewind_reader(reader);
	if (rc >= 0)
		rc = format ? through_batches(&(struct cairn_merge_part){.reader = reader}, 1, NULL, format,
		                              options, &rep.out, rep.done)
		            : reader->format->change->edit(reader, &edit_opts, &rep.out, rep.done);
	return change_end(reader->cairn, &rep, rc);
}

/* ---- the ranges of a slice ---- */

/* The window that ends behind number n - 1, cut to begin at n. */
static bool window_at(const struct cairn_slice_opts *opts, uint64_t n, struct cairn_range *range)
{
	uint64_t start = (n - 1) / opts->every * opts->every + 1;
	if (n - start >= opts->window) {
		if (start > UINT64_MAX - opts->every)
			return false;
		n = start += opts->every;
	}
	range->first = n;
	range->last = start + (opts->window - 1) < start ? UINT64_MAX : start + (opts->window - 1);
	return true;
}

bool model_range_next(struct model_ranges *ranges, struct cairn_range *out)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	const struct cairn_slice_opts *opts = ranges->opts;
	size_t n = opts->n_ranges ? opts->n_ranges : 1;
	for (; ranges->i < n && ranges->after != UINT64_MAX; ranges->i++) {
		struct cairn_range range = opts->n_ranges ? opts->ranges[ranges->i] : all, win;
		if (range.first <= ranges->after)
			range.first = ranges->after + 1;
		if (range.first > range.last)
			continue;
		if (opts->every) {
			if (!window_at(opts, range.first, &win) || win.first > range.last)
				continue;
			range.first = win.first;
			range.last = win.last < range.last ? win.last : range.last;
		}
		ranges->after = range.last;
		*out = range;
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

int model_add_range(struct base_buf *buf, uint64_t first, uint64_t last)
{
	struct cairn_range add = {first, last};
	struct cairn_range *tail = buf->len ? (void *)(buf->data + buf->len - sizeof add) : NULL;
	if (tail && tail->last + 1 == first) {
		tail->last = last;
		return 0;
	}
	return base_buf_put(buf, &add, sizeof add);
}

/* ---- which numbers a selection keeps ---- */

struct judge {
	struct cairn *cairn;
	const struct cairn_select *select;
	struct base_buf ranges; /* struct cairn_range */
};

static int judge_begin(void *user, void **partial)
{
	struct judge *judge = user;
	struct base_buf *buf = base_alloc(judge->cairn, sizeof *buf);
	if (!buf)
		return CAIRN_E_NOMEM;
	base_buf_init(buf, judge->cairn);
	*partial = buf;
	return 0;
}

static int judge_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct judge *judge = user;
	uint8_t keep[CAIRN_CAP_INSNS > CAIRN_CAP_XACTS ? CAIRN_CAP_INSNS : CAIRN_CAP_XACTS];
	uint32_t n = batch->n_insns ? batch->n_insns : batch->n_xacts;
	uint64_t n0 = batch->n_insns ? batch->n0 : batch->x0;
	uint32_t kept = cairn_select_batch(judge->select, batch, keep);
	if (kept == 0)
		return 0;
	if (kept == n)
		return model_add_range(partial, n0, n0 + n - 1);
	int rc = 0;
	for (uint32_t i = 0; i < n && rc >= 0; i++)
		if (keep[i])
			rc = model_add_range(partial, n0 + i, n0 + i);
	return rc;
}

static void judge_drop(void *user, void *partial)
{
	struct judge *judge = user;
	base_buf_free(partial);
	base_free(judge->cairn, partial);
}

static int judge_fold(void *user, void *partial)
{
	struct judge *judge = user;
	struct base_buf *buf = partial;
	const struct cairn_range *range = (const void *)buf->data;
	int rc = 0;
	for (size_t i = 0; i < buf->len / sizeof *range && rc >= 0; i++)
		rc = model_add_range(&judge->ranges, range[i].first, range[i].last);
	judge_drop(user, partial);
	return rc;
}

static int judge_trace(struct cairn_reader *reader, struct judge *judge, unsigned threads)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = judge_begin,
	                                         .feed = judge_feed,
	                                         .fold = judge_fold,
	                                         .drop = judge_drop};
	const struct cairn_select *select = judge->select;
	uint64_t first, last;
	cairn_select_bounds(select, &first, &last);
	bool jump =
		first > 1 && !cairn_select_needs_context(select) && !cairn_select_needs_records(select);
	int rc = cairn_seek(reader, jump ? first : 1);
	if (rc == CAIRN_E_NOTFOUND)
		return 0; /* all of it lies behind the end */
	uint32_t want = reader->want;
	cairn_reader_want(reader, cairn_select_parts(select));
	cairn_select_bound(select, reader);
	if (rc >= 0)
		rc = cairn_run(reader, &red, judge, last, threads);
	cairn_reader_want(reader, want);
	return rc;
}

int cairn_ranges(struct cairn_reader *reader, const struct cairn_select *select, unsigned threads,
                 struct cairn_range **out, size_t *n)
{
	struct judge judge = {.cairn = reader->cairn, .select = select};
	uint64_t first, last;
	int rc, more = 1;
	base_buf_init(&judge.ranges, reader->cairn);
	*out = NULL;
	*n = 0;
	rc = cairn_select_numbers(select, 0, &first, &last);
	if (rc == CAIRN_E_STATE) {
		rc = judge_trace(reader, &judge, threads);
	} else {
		for (size_t i = 0; rc >= 0 && more > 0; i++) {
			more = cairn_select_numbers(select, i, &first, &last);
			if (more > 0)
				rc = model_add_range(&judge.ranges, first, last);
		}
	}
	if (rc < 0) {
		base_buf_free(&judge.ranges);
		return rc;
	}
	*out = (void *)judge.ranges.data;
	*n = judge.ranges.len / sizeof **out;
	return 0;
}

void cairn_ranges_free(struct cairn *cairn, struct cairn_range *ranges)
{
	base_free(cairn, ranges);
}
