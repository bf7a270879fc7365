/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of their own. What a consumer needs where a range begins
 * is found by reading what comes before it: see segment.c and carried.c.
 */
#include "formats/rst/change/remake.h"

static int rst_slice_cut(struct rst_segment *segment, const struct cairn_slice_opts *opts)
{
	struct model_ranges ranges = {.opts = opts};
	struct cairn_range range, next;
	bool have = model_range_next(&ranges, &range), ended = false;
	int rc = 1;
	while (rc > 0 && have) {
		bool more = model_range_next(&ranges, &next);
		struct model_ranges behind = {.opts = opts, .after = range.last, .i = 0};
		segment->ahead = more ? &behind : NULL;
		rc = rst_segment_range(segment, range.first, range.last, more);
		/* The trace is over, and its end is wanted with its last instruction. */
		ended = rc == 0 && segment->cursor.n > range.first;
		range = next;
		have = more;
	}
	return rc < 0 ? rc : rst_segment_end(segment, ended);
}

int rst_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct rst_remake remake;
	struct rst_segment segment = {.remake = &remake};
	int rc = rst_remake_init(&remake, reader->cairn, out, done);
	if (rc >= 0)
		rc = rst_segment_open(&remake, reader, &segment);
	if (rc >= 0) {
		segment.tool = "cairn slice";
		segment.look_back = opts->look_back;
		rc = rst_slice_cut(&segment, opts);
	}
	if (rc >= 0 && remake.n == 0)
		rc = base_fail(reader->cairn, CAIRN_E_NOTFOUND, "%s: nothing in the trace is selected",
		               io_name(reader->io));
	rst_segment_close(&segment);
	return rst_remake_finish(&remake, rc);
}

/* ---- several slices at once ---- */

/* Which CPUs run in each output, as far as the trace can be looked at; NULL: any may. */
static int slices_look_ahead(const struct rst_segment *segment,
                             const struct model_part_range *ranges, size_t n,
                             uint8_t (**out)[RST_MAX_CPUS])
{
	const struct rst_impl *im = segment->reader->impl;
	uint64_t number = 1;
	size_t at = 0;
	*out = NULL;
	if (!im->source.map)
		return 0;
	uint8_t(*runs)[RST_MAX_CPUS] =
		base_alloc(segment->reader->cairn, segment->n_all * sizeof *runs);
	if (!runs)
		return CAIRN_E_NOMEM;
	const uint8_t *p = im->source.map, *const end = p + im->source.map_len;
	for (; at < n && end - p >= CAIRN_RST_SIZE; p += CAIRN_RST_SIZE) {
		if (p[0] != CAIRN_RST_INSTR)
			continue;
		if (number >= ranges[at].range.first)
			runs[ranges[at].part][rst_instr_cpu(p, segment->wide)] = 1;
		at += number++ == ranges[at].range.last;
	}
	*out = runs;
	return 0;
}

static int slices_put(struct rst_segment *segment, const struct model_part_range *range,
                      size_t *left)
{
	rst_segment_output(segment, (unsigned)range->part);
	int rc = rst_segment_range(segment, range->range.first, range->range.last, true);
	return rc >= 0 && --left[range->part] == 0 ? rst_segment_over(segment) : rc;
}

int rst_slices(struct cairn_reader *reader, struct model_part *parts, size_t n)
{
	struct cairn *cairn = reader->cairn;
	size_t n_ranges, begun = 0, left[MODEL_AT_ONCE];
	struct rst_segment segment = {.remake = NULL};
	struct rst_remake *remakes = base_alloc(cairn, n * sizeof *remakes);
	uint8_t(*runs)[RST_MAX_CPUS] = NULL;
	struct model_part_range *ranges = model_part_ranges(cairn, parts, n, &n_ranges);
	int rc = remakes && ranges ? 0 : CAIRN_E_NOMEM;
	for (; begun < n && rc >= 0; begun++) {
		rc = rst_remake_init(&remakes[begun], cairn, &parts[begun].out, &parts[begun].done);
		left[begun] = parts[begun].n_ranges;
	}
	if (rc >= 0)
		rc = rst_segment_open(&remakes[0], reader, &segment);
	segment.all = remakes;
	segment.n_all = (unsigned)n;
	if (rc >= 0)
		rc = slices_look_ahead(&segment, ranges, n_ranges, &runs);
	segment.runs = (const void *)runs;
	segment.tool = "cairn slice";
	segment.look_back = UINT64_MAX;
	for (size_t i = 0; i < n_ranges && rc >= 0; i++)
		rc = slices_put(&segment, &ranges[i], left);
	rst_segment_close(&segment);
	for (size_t i = 0; i < begun; i++)
		rc = rst_remake_finish(&remakes[i], rc);
	base_free(cairn, runs);
	base_free(cairn, remakes);
	base_free(cairn, ranges);
	return rc;
}

/* ---- parts of equal size ---- */

static int rst_slice_put_part(struct rst_segment *segment, struct rst_remake *remake,
                              const struct model_split *split, uint64_t part, bool *at_end)
{
	uint64_t first = (part - 1) * split->every + 1;
	segment->remake = remake;
	segment->begun = false;
	int rc = rst_segment_range(segment, first, first + (split->every - 1), true);
	*at_end = rc == 0;
	return rc < 0 ? rc : rst_segment_wait(segment, rc == 0);
}

int rst_split(struct cairn_reader *reader, const struct model_split *split,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct rst_remake remake;
	struct rst_segment segment = {.remake = NULL};
	uint64_t sum = 0;
	bool at_end = false;
	int rc = 0;
	for (uint64_t part = 1; rc >= 0 && !at_end; part++) {
		struct cairn_output to = *out;
		rc = split->name(split->user, part, &to.path);
		if (rc < 0)
			break;
		rc = rst_remake_init(&remake, reader->cairn, &to, done);
		if (rc >= 0 && part == 1)
			rc = rst_segment_open(&remake, reader, &segment);
		else if (rc >= 0)
			rst_segment_untell(&segment);
		segment.tool = "cairn split";
		segment.look_back = UINT64_MAX;
		if (rc >= 0)
			rc = rst_slice_put_part(&segment, &remake, split, part, &at_end);
		uint64_t n = remake.n;
		bool empty = rc >= 0 && n == 0;
		sum += n;
		if (empty && part > 1 && segment.n_q > segment.head)
			rc = rst_remake_lost(&remake, "records behind the last instruction",
			                     segment.n_q - segment.head, 0);
		empty = empty && rc >= 0;
		rc = rst_remake_finish(&remake, empty ? CAIRN_E_NOTFOUND : rc);
		if (empty)
			rc = part > 1 ? 0
			              : base_fail(reader->cairn, CAIRN_E_NOTFOUND, "%s: the trace is empty",
			                          io_name(reader->io));
		else if (rc >= 0)
			rc = split->made(split->user, n);
	}
	if (segment.remake)
		rst_segment_close(&segment);
	done->instructions = sum;
	return rc;
}
