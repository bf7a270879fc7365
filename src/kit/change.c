/* SPDX-License-Identifier: Apache-2.0 */
/* See change.h. */
#include "kit/change.h"

#define SLICE "cairn slice"
#define SPLIT "cairn split"

/* An output without an instruction is not made. */
static int change_finish(const struct kit_change *change, const struct cairn_reader *reader,
                         void *output, int rc)
{
	if (rc >= 0 && change->count(output) == 0)
		rc = model_fail_empty(reader);
	return output ? change->finish(output, rc) : rc;
}

static int slice_ranges(const struct kit_change *change, void *segment,
                        const struct cairn_slice_opts *opts)
{
	struct model_ranges ranges = {.opts = opts};
	struct cairn_range range, next;
	bool have = model_range_next(&ranges, &range);
	int rc = 1;
	while (rc > 0 && have) {
		bool more = model_range_next(&ranges, &next);
		const struct model_ranges behind = {.opts = opts, .after = range.last};
		rc = change->range(segment, &range, more ? &behind : NULL, more);
		range = next;
		have = more;
	}
	return rc < 0 ? rc : change->end(segment, KIT_SLICE, rc == 0, true);
}

int kit_slice(const struct kit_change *change, struct cairn_reader *reader,
              const struct cairn_slice_opts *opts, const struct cairn_output *out,
              struct cairn_changed *done)
{
	void *output = NULL, *segment = NULL;
	int rc = change->begin(reader, out, done, SLICE, &output);
	if (rc >= 0)
		rc = change->open(reader, output, opts, SLICE, &segment);
	if (rc >= 0)
		rc = slice_ranges(change, segment, opts);
	change->close(segment);
	return change_finish(change, reader, output, rc);
}

/* ---- several at once ---- */

static int slices_put(const struct kit_change *change, void *segment, void *const *outputs,
                      const struct model_part_range *range, size_t *left)
{
	int rc = change->turn(segment, outputs[range->part], range->part);
	if (rc >= 0)
		rc = change->range(segment, &range->range, NULL, true);
	return rc < 0 ? rc : change->end(segment, KIT_SLICES, rc == 0, --left[range->part] == 0);
}

int kit_slices(const struct kit_change *change, struct cairn_reader *reader,
               struct model_part *parts, size_t n)
{
	size_t n_ranges, left[MODEL_AT_ONCE];
	void *segment = NULL, **outputs = base_alloc(reader->cairn, n * sizeof *outputs);
	struct model_part_range *ranges = model_part_ranges(reader->cairn, parts, n, &n_ranges);
	int rc = outputs && ranges ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		rc = change->begin(reader, &parts[i].out, &parts[i].done, SLICE, &outputs[i]);
		left[i] = parts[i].n_ranges;
	}
	if (rc >= 0)
		rc = change->open(reader, outputs[0], NULL, SLICE, &segment);
	if (rc >= 0 && change->share)
		rc = change->share(segment, outputs, n, ranges, n_ranges);
	for (size_t i = 0; i < n_ranges && rc >= 0; i++)
		rc = slices_put(change, segment, outputs, &ranges[i], left);
	change->close(segment);
	for (size_t i = 0; outputs && i < n; i++)
		rc = outputs[i] ? change_finish(change, reader, outputs[i], rc) : rc;
	base_free(reader->cairn, outputs);
	base_free(reader->cairn, ranges);
	return rc;
}

/* ---- one after another ---- */

/* Put part number `part`: 1, or 0 when the trace is over. */
static int split_put(const struct kit_change *change, struct cairn_reader *reader,
                     const struct model_split *split, uint64_t part, void *output, void **segment)
{
	const struct cairn_range range = {(part - 1) * split->every + 1, part * split->every};
	int rc = 0;
	if (*segment)
		change->next(*segment, output);
	else
		rc = change->open(reader, output, NULL, SPLIT, segment);
	if (rc >= 0)
		rc = change->range(*segment, &range, NULL, true);
	bool over = rc == 0;
	if (rc >= 0)
		rc = change->end(*segment, KIT_SPLIT, over, true);
	return rc < 0 ? rc : !over;
}

int kit_split(const struct kit_change *change, struct cairn_reader *reader,
              const struct model_split *split, const struct cairn_output *out,
              struct cairn_changed *done)
{
	void *segment = NULL;
	uint64_t sum = 0;
	int rc = 1;
	for (uint64_t part = 1; rc > 0; part++) {
		struct cairn_output to = *out;
		void *output = NULL;
		rc = split->name(split->user, part, &to.path);
		if (rc >= 0)
			rc = change->begin(reader, &to, done, SPLIT, &output);
		if (rc >= 0)
			rc = split_put(change, reader, split, part, output, &segment);
		int more = rc;
		uint64_t n = output ? change->count(output) : 0;
		sum += n;
		if (rc >= 0 && n == 0 && part > 1)
			rc = change->left(segment);
		bool empty = rc >= 0 && n == 0;
		if (output)
			rc = change->finish(output, empty ? CAIRN_E_NOTFOUND : rc);
		if (empty)
			rc = part > 1 ? 0
			              : base_fail(reader->cairn, CAIRN_E_NOTFOUND, "%s: the trace is empty",
			                          io_name(reader->io));
		else if (rc >= 0)
			rc = split->made(split->user, n);
		rc = rc < 0 ? rc : more;
	}
	change->close(segment);
	done->instructions = sum;
	return rc;
}
