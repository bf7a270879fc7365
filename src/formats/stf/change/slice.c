/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of its own. What a consumer needs where a range begins
 * is found by reading what comes before it: see remake.c and carried.c.
 */
#include "formats/stf/change/change.h"

static int stf_slice_cut(struct stf_segment *segment, const struct cairn_slice_opts *opts)
{
	struct model_ranges ranges = {.opts = opts};
	struct cairn_range range;
	int rc = 1;
	while (rc > 0 && model_range_next(&ranges, &range))
		rc = stf_segment_range(segment, range.first, range.last);
	/* Behind the last range nothing is wanted, but the trace's very end is. */
	return rc == 0 ? stf_segment_end(segment) : rc;
}

static int slice_begin(struct cairn_reader *reader, const struct cairn_output *out,
                       struct cairn_changed *done, const char *tool, struct stf_remake **remake)
{
	int rc = stf_remake_new(reader, out, done, remake);
	if (rc >= 0)
		rc = stf_edit_version(*remake, NULL, 0);
	if (rc >= 0)
		rc = stf_remake_history(*remake, tool);
	if (*remake)
		(*remake)->state_comment = true;
	return rc;
}

static int slice_finish(struct cairn_reader *reader, struct stf_remake *remake, int rc)
{
	if (rc >= 0 && remake->n == 0)
		rc = base_fail(reader->cairn, CAIRN_E_NOTFOUND, "%s: nothing in the trace is selected",
		               io_name(reader->io));
	return stf_remake_finish(remake, rc);
}

int stf_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct stf_remake *remake = NULL;
	struct stf_segment *segment = NULL;
	struct model_ranges ranges = {.opts = opts};
	struct cairn_range first = {1, UINT64_MAX};
	int rc = slice_begin(reader, out, done, "cairn slice", &remake);
	if (rc >= 0)
		rc = stf_segment_open(remake, reader, io_name(reader->io), &segment);
	if (rc >= 0) {
		model_range_next(&ranges, &first);
		remake->sampled = opts->every != 0;
		segment->look_back = opts->look_back;
		segment->track = opts->n_ranges > 1 || opts->every;
		segment->last = true;
		rc = stf_slice_cut(segment, opts);
	}
	stf_segment_close(segment);
	return slice_finish(reader, remake, rc);
}

/* ---- several slices at once ---- */

/* What each slice has for itself; they share what is known of the trace. */
struct slot {
	struct stf_remake *remake;
	bool resync;
};

static int begin_all(struct cairn_reader *reader, struct model_part *parts, size_t n,
                     struct slot *slots, struct stf_segment **segment)
{
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = slice_begin(reader, &parts[i].out, &parts[i].done, "cairn slice", &slots[i].remake);
	if (rc >= 0)
		rc = stf_segment_open(slots[0].remake, reader, io_name(reader->io), segment);
	return rc;
}

static int stf_slice_put_range(struct stf_segment *segment, struct slot *slot,
                               const struct model_part_range *range)
{
	segment->remake = slot->remake;
	segment->resync = slot->resync;
	int rc = stf_carried_output(segment->carried, (uint32_t)range->part);
	if (rc < 0)
		return rc;
	stf_carried_untell_regs(segment->carried);
	rc = stf_segment_range(segment, range->range.first, range->range.last);
	slot->resync = segment->resync;
	return rc == 0 ? stf_segment_end(segment) : rc;
}

int stf_slices(struct cairn_reader *reader, struct model_part *parts, size_t n)
{
	size_t n_ranges;
	struct stf_segment *segment = NULL;
	struct slot *slots = base_alloc(reader->cairn, n * sizeof *slots);
	struct model_part_range *ranges = model_part_ranges(reader->cairn, parts, n, &n_ranges);
	int rc = slots && ranges ? begin_all(reader, parts, n, slots, &segment) : CAIRN_E_NOMEM;
	if (rc >= 0) {
		segment->look_back = UINT64_MAX;
		segment->track = segment->last = true;
	}
	for (size_t i = 0; i < n_ranges && rc >= 0; i++)
		rc = stf_slice_put_range(segment, &slots[ranges[i].part], &ranges[i]);
	stf_segment_close(segment);
	for (size_t i = 0; slots && i < n; i++)
		if (slots[i].remake)
			rc = slice_finish(reader, slots[i].remake, rc);
	base_free(reader->cairn, slots);
	base_free(reader->cairn, ranges);
	return rc;
}

/* ---- parts of equal size ---- */

/* One part; `at_end` when there is none. */
static int stf_slice_put_part(struct stf_segment *segment, struct stf_remake *remake,
                              const struct model_split *split, uint64_t part, bool *at_end)
{
	uint64_t first = (part - 1) * split->every + 1;
	int rc = stf_edit_version(remake, NULL, 0);
	if (rc >= 0)
		rc = stf_remake_history(remake, "cairn split");
	if (rc < 0)
		return rc;
	remake->state_comment = true;
	segment->remake = remake;
	segment->id_chosen = false;
	segment->id_offset = 0;
	segment->ids0 = 0;
	rc = stf_segment_range(segment, first, first + (split->every - 1));
	*at_end = rc == 0;
	if (rc == 0 && remake->n)
		rc = stf_segment_end(segment);
	return rc;
}

int stf_split(struct cairn_reader *reader, const struct model_split *split,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct stf_remake *remake = NULL;
	struct stf_segment *segment = NULL;
	uint64_t sum = 0;
	bool at_end = false;
	int rc = 0;
	for (uint64_t part = 1; rc >= 0 && !at_end; part++) {
		struct cairn_output to = *out;
		rc = split->name(split->user, part, &to.path);
		if (rc >= 0)
			rc = stf_remake_new(reader, &to, done, &remake);
		if (rc >= 0 && !segment) {
			rc = stf_segment_open(remake, reader, io_name(reader->io), &segment);
			if (rc >= 0) {
				segment->look_back = UINT64_MAX;
				segment->track = segment->last = true;
			}
		} else if (rc >= 0) {
			stf_carried_untell(segment->carried);
		}
		if (rc >= 0)
			rc = stf_slice_put_part(segment, remake, split, part, &at_end);
		uint64_t n = remake ? remake->n : 0;
		bool empty = rc >= 0 && n == 0;
		sum += n;
		if (empty && part > 1 && segment->group.len)
			rc = stf_remake_lost(remake, "bytes of records behind the last instruction",
			                     segment->group.len, 0);
		empty = empty && rc >= 0;
		rc = stf_remake_finish(remake, empty ? CAIRN_E_NOTFOUND : rc);
		remake = NULL;
		if (empty)
			rc = part > 1 ? 0
			              : base_fail(reader->cairn, CAIRN_E_NOTFOUND, "%s: the trace is empty",
			                          io_name(reader->io));
		else if (rc >= 0)
			rc = split->made(split->user, n);
	}
	stf_segment_close(segment);
	done->instructions = sum;
	return rc;
}
