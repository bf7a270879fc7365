/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KIT_CHANGE_H
#define KIT_CHANGE_H
/*
 * One engine for formats that are cut record by record: ranges of a trace as one output, as
 * several at once, and as parts of equal size one after another.
 *
 * A format brings outputs, and a segment: the trace on its way into them, with what is known of
 * it. The engine says which range comes next, whose it is, and when an output is complete.
 */
#include "model/model.h"

enum kit_cut { KIT_SLICE, KIT_SLICES, KIT_SPLIT };

struct kit_change {
	/* Begin an output with `tool` in its history. *output stays NULL where there is nothing to
	 * finish. */
	int (*begin)(struct cairn_reader *reader, const struct cairn_output *out,
	             struct cairn_changed *done, const char *tool, void **output);
	/* Complete it, or after a failure (rc < 0) leave no file; frees it. Returns rc, or what failed.
	 *  */
	int (*finish)(void *output, int rc);
	uint64_t (*count)(const void *output); /* instructions in it */
	/* The trace's segment, at its beginning. `opts`: those of a slice, NULL where all that comes
	 * before a range is read. */
	int (*open)(struct cairn_reader *reader, void *output, const struct cairn_slice_opts *opts,
	            const char *tool, void **segment);
	void (*close)(void *segment); /* NULL is fine */
	/* Append a range to the output: 1, 0 when the trace ended before, < 0. `ahead`: the ranges
	 * behind it, NULL where they are not known; `more`: there are some. */
	int (*range)(void *segment, const struct cairn_range *range, const struct model_ranges *ahead,
	             bool more);
	/* No more ranges of this output come (`last`), or not for now. `over`: the trace has been read,
	 * and its end is wanted. */
	int (*end)(void *segment, enum kit_cut cut, bool over, bool last);
	/* ---- several at once ---- */
	/* Get all outputs, and the ranges in their order; NULL: a segment need not know. */
	int (*share)(void *segment, void *const *outputs, size_t n,
	             const struct model_part_range *ranges, size_t n_ranges);
	int (*turn)(void *segment, void *output, size_t part); /* whose range comes next */
	/* ---- one after another ---- */
	void (*next)(void *segment,
	             void *output); /* another output begins, which has been told nothing */
	int (*left)(void *segment); /* count what is behind the last instruction as lost */
};

int kit_slice(const struct kit_change *change, struct cairn_reader *reader,
              const struct cairn_slice_opts *opts, const struct cairn_output *out,
              struct cairn_changed *done);
int kit_slices(const struct kit_change *change, struct cairn_reader *reader,
               struct model_part *parts, size_t n);
int kit_split(const struct kit_change *change, struct cairn_reader *reader,
              const struct model_split *split, const struct cairn_output *out,
              struct cairn_changed *done);

#endif
