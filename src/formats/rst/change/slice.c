/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of its own, for the engine of changes. What a consumer needs where
 * a range begins is found by reading what comes before it: see segment.c and carried.c.
 */
#include "formats/rst/change/remake.h"
#include "kit/change.h"

static int slice_begin(struct cairn_reader *reader, const struct cairn_output *out,
                       struct cairn_changed *done, const char *tool, void **output)
{
	struct rst_remake *remake = base_alloc(reader->cairn, sizeof *remake);
	(void)tool; /* the segment that opens the output has it */
	*output = remake;
	return remake ? rst_remake_init(remake, reader->cairn, out, done) : CAIRN_E_NOMEM;
}

static int slice_finish(void *output, int rc)
{
	struct rst_remake *remake = output;
	struct cairn *cairn = remake->cairn;
	rc = rst_remake_finish(remake, rc);
	base_free(cairn, remake);
	return rc;
}

static uint64_t slice_count(const void *output)
{
	const struct rst_remake *remake = output;
	return remake->n;
}

static int slice_open(struct cairn_reader *reader, void *output,
                      const struct cairn_slice_opts *opts, const char *tool, void **out)
{
	struct rst_segment *segment = base_alloc(reader->cairn, sizeof *segment);
	*out = segment;
	int rc = segment ? rst_segment_open(output, reader, segment) : CAIRN_E_NOMEM;
	if (rc < 0)
		return rc;
	segment->tool = tool;
	segment->look_back = opts ? opts->look_back : UINT64_MAX;
	return 0;
}

static void slice_close(void *self)
{
	struct rst_segment *segment = self;
	if (!segment)
		return;
	struct cairn *cairn = segment->reader->cairn;
	rst_segment_close(segment);
	base_free(cairn, segment);
}

static int slice_range(void *self, const struct cairn_range *range,
                       const struct model_ranges *ahead, bool more)
{
	struct rst_segment *segment = self;
	segment->ahead = ahead;
	segment->first = range->first;
	return rst_segment_range(segment, range->first, range->last, more);
}

/* The end of the trace is wanted with its last instruction. */
static int slice_end(void *self, enum kit_cut cut, bool over, bool last)
{
	struct rst_segment *segment = self;
	switch (cut) {
	case KIT_SLICE:
		return rst_segment_end(segment, over && segment->cursor.n > segment->first);
	case KIT_SLICES:
		return last ? rst_segment_over(segment) : 0;
	default:
		return rst_segment_wait(segment, over);
	}
}

/* ---- several slices at once ---- */

/* Find out which CPUs run in each output, as far as the trace can be looked at. */
static int slices_share(void *self, void *const *outputs, size_t n,
                        const struct model_part_range *ranges, size_t n_ranges)
{
	struct rst_segment *segment = self;
	const struct rst_impl *im = segment->reader->impl;
	uint64_t number = 1;
	size_t at = 0;
	segment->all = outputs;
	segment->n_all = (unsigned)n;
	if (!im->source.map)
		return 0;
	uint8_t(*runs)[RST_MAX_CPUS] = base_alloc(segment->reader->cairn, n * sizeof *runs);
	segment->runs = runs;
	if (!runs)
		return CAIRN_E_NOMEM;
	const uint8_t *p = im->source.map, *const end = p + im->source.map_len;
	for (; at < n_ranges && end - p >= CAIRN_RST_SIZE; p += CAIRN_RST_SIZE) {
		if (p[0] != CAIRN_RST_INSTR)
			continue;
		if (number >= ranges[at].range.first)
			runs[ranges[at].part][rst_instr_cpu(p, segment->wide)] = 1;
		at += number++ == ranges[at].range.last;
	}
	return 0;
}

static int slices_turn(void *segment, void *output, size_t part)
{
	(void)output;
	rst_segment_output(segment, (unsigned)part);
	return 0;
}

/* ---- parts of equal size ---- */

static void split_next(void *self, void *output)
{
	struct rst_segment *segment = self;
	segment->remake = output;
	segment->begun = false;
	rst_segment_untell(segment);
}

static int split_left(void *self)
{
	struct rst_segment *segment = self;
	size_t n = segment->n_q - segment->head;
	return n ? rst_remake_lost(segment->remake, "records behind the last instruction", n, 0) : 0;
}

static const struct kit_change slicing = {.begin = slice_begin,
                                          .finish = slice_finish,
                                          .count = slice_count,
                                          .open = slice_open,
                                          .close = slice_close,
                                          .range = slice_range,
                                          .end = slice_end,
                                          .share = slices_share,
                                          .turn = slices_turn,
                                          .next = split_next,
                                          .left = split_left};

int rst_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
              const struct cairn_output *out, struct cairn_changed *done)
{
	return kit_slice(&slicing, reader, opts, out, done);
}

int rst_slices(struct cairn_reader *reader, struct model_part *parts, size_t n)
{
	return kit_slices(&slicing, reader, parts, n);
}

int rst_split(struct cairn_reader *reader, const struct model_split *split,
              const struct cairn_output *out, struct cairn_changed *done)
{
	return kit_split(&slicing, reader, split, out, done);
}
