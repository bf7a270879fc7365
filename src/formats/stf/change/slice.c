/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of its own, for the engine of changes. What a consumer needs where
 * a range begins is found by reading what comes before it: see remake.c and carried.c.
 */
#include "formats/stf/change/change.h"
#include "kit/change.h"

static int slice_begin(struct cairn_reader *reader, const struct cairn_output *out,
                       struct cairn_changed *done, const char *tool, void **output)
{
	struct stf_remake *remake;
	int rc = stf_remake_new(reader, out, done, &remake);
	*output = remake;
	if (rc >= 0)
		rc = stf_edit_version(remake, NULL, 0);
	if (rc >= 0)
		rc = stf_remake_history(remake, tool);
	if (remake)
		remake->state_comment = true;
	return rc;
}

static int slice_finish(void *output, int rc)
{
	return stf_remake_finish(output, rc);
}

static uint64_t slice_count(const void *output)
{
	const struct stf_remake *remake = output;
	return remake->n;
}

static int slice_open(struct cairn_reader *reader, void *output,
                      const struct cairn_slice_opts *opts, const char *tool, void **out)
{
	struct stf_remake *remake = output;
	struct stf_segment *segment;
	(void)tool;
	int rc = stf_segment_open(remake, reader, io_name(reader->io), &segment);
	*out = segment;
	if (rc < 0)
		return rc;
	remake->sampled = opts && opts->every != 0;
	segment->look_back = opts ? opts->look_back : UINT64_MAX;
	segment->track = !opts || opts->n_ranges > 1 || opts->every;
	segment->last = true;
	return 0;
}

static void slice_close(void *segment)
{
	stf_segment_close(segment);
}

static int slice_range(void *segment, const struct cairn_range *range,
                       const struct model_ranges *ahead, bool more)
{
	(void)ahead, (void)more;
	return stf_segment_range(segment, range->first, range->last);
}

/* Behind the last range nothing is wanted, except the trace's very end. */
static int slice_end(void *self, enum kit_cut cut, bool over, bool last)
{
	struct stf_segment *segment = self;
	(void)last;
	return over && (cut != KIT_SPLIT || segment->remake->n) ? stf_segment_end(segment) : 0;
}

static int slices_turn(void *self, void *output, size_t part)
{
	struct stf_segment *segment = self;
	segment->remake = output;
	int rc = stf_carried_output(segment->carried, (uint32_t)part);
	if (rc >= 0)
		stf_carried_untell_regs(segment->carried);
	return rc;
}

static void split_next(void *self, void *output)
{
	struct stf_segment *segment = self;
	segment->remake = output;
	segment->id_chosen = false;
	segment->id_offset = 0;
	segment->ids0 = 0;
	stf_carried_untell(segment->carried);
}

static int split_left(void *self)
{
	struct stf_segment *segment = self;
	size_t n = segment->group.len;
	return n ? stf_remake_lost(segment->remake, "bytes of records behind the last instruction", n,
	                           0)
	         : 0;
}

static const struct kit_change slicing = {.begin = slice_begin,
                                          .finish = slice_finish,
                                          .count = slice_count,
                                          .open = slice_open,
                                          .close = slice_close,
                                          .range = slice_range,
                                          .end = slice_end,
                                          .turn = slices_turn,
                                          .next = split_next,
                                          .left = split_left};

int stf_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
              const struct cairn_output *out, struct cairn_changed *done)
{
	return kit_slice(&slicing, reader, opts, out, done);
}

int stf_slices(struct cairn_reader *reader, struct model_part *parts, size_t n)
{
	return kit_slices(&slicing, reader, parts, n);
}

int stf_split(struct cairn_reader *reader, const struct model_split *split,
              const struct cairn_output *out, struct cairn_changed *done)
{
	return kit_split(&slicing, reader, split, out, done);
}
