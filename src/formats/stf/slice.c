/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of its own. What a consumer needs where a range begins
 * is found by reading what comes before it: see remake.c and carried.c.
 */
#include "formats/stf/change.h"

static int stf_slice_cut(struct stf_segment *pc, const struct cairn_slice_opts *o)
{
	struct model_ranges w = {.o = o};
	struct cairn_range r;
	int rc = 1;
	while (rc > 0 && model_range_next(&w, &r))
		rc = stf_segment_range(pc, r.first, r.last);
	/* Behind the last range nothing is wanted, but the trace's very end is. */
	return rc == 0 ? stf_segment_end(pc) : rc;
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
		rc = base_fail(reader->c, CAIRN_E_NOTFOUND, "%s: nothing in the trace is selected",
		               io_name(reader->io));
	return stf_remake_finish(remake, rc);
}

int stf_slice(struct cairn_reader *r, const struct cairn_slice_opts *o,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct stf_remake *m = NULL;
	struct stf_segment *pc = NULL;
	struct model_ranges w = {.o = o};
	struct cairn_range first = {1, UINT64_MAX};
	int rc = slice_begin(r, out, done, "cairn slice", &m);
	if (rc >= 0)
		rc = stf_segment_open(m, r, io_name(r->io), &pc);
	if (rc >= 0) {
		model_range_next(&w, &first);
		m->sampled = o->every != 0;
		pc->look_back = o->look_back;
		pc->track = o->n_ranges > 1 || o->every;
		pc->last = true;
		rc = stf_slice_cut(pc, o);
	}
	stf_segment_close(pc);
	return slice_finish(r, m, rc);
}

/* ---- several slices at once ---- */

/* What each slice has for itself; they share what is known of the trace. */
struct slot {
	struct stf_remake *m;
	bool resync;
};

static int begin_all(struct cairn_reader *reader, struct model_part *parts, size_t n,
                     struct slot *slots, struct stf_segment **pc)
{
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = slice_begin(reader, &parts[i].out, &parts[i].done, "cairn slice", &slots[i].m);
	if (rc >= 0)
		rc = stf_segment_open(slots[0].m, reader, io_name(reader->io), pc);
	/* All slices learn from the records as they were read, so none may change them. */
	if (rc >= 0 && stf_mends(*pc))
		return CAIRN_E_UNSUPPORTED;
	return rc;
}

static int stf_slice_put_range(struct stf_segment *pc, struct slot *slot,
                               const struct model_part_range *range)
{
	pc->m = slot->m;
	pc->resync = slot->resync;
	int rc = stf_carried_output(pc->known, range->part);
	if (rc < 0)
		return rc;
	stf_carried_untell_regs(pc->known);
	rc = stf_segment_range(pc, range->range.first, range->range.last);
	slot->resync = pc->resync;
	return rc == 0 ? stf_segment_end(pc) : rc;
}

int stf_slices(struct cairn_reader *reader, struct model_part *parts, size_t n)
{
	size_t n_ranges;
	struct stf_segment *pc = NULL;
	struct slot *slots = base_alloc(reader->c, n * sizeof *slots);
	struct model_part_range *ranges = model_part_ranges(reader->c, parts, n, &n_ranges);
	int rc = slots && ranges ? begin_all(reader, parts, n, slots, &pc) : CAIRN_E_NOMEM;
	if (rc >= 0) {
		pc->look_back = UINT64_MAX;
		pc->track = pc->last = true;
	}
	for (size_t i = 0; i < n_ranges && rc >= 0; i++)
		rc = stf_slice_put_range(pc, &slots[ranges[i].part], &ranges[i]);
	stf_segment_close(pc);
	for (size_t i = 0; slots && i < n; i++)
		if (slots[i].m)
			rc = slice_finish(reader, slots[i].m, rc);
	base_free(reader->c, slots);
	base_free(reader->c, ranges);
	return rc;
}

/* ---- parts of equal size ---- */

/* One part; `at_end` when there is none. */
static int stf_slice_put_part(struct stf_segment *pc, struct stf_remake *m,
                              const struct model_split *s, uint64_t part, bool *at_end)
{
	uint64_t first = (part - 1) * s->every + 1;
	int rc = stf_edit_version(m, NULL, 0);
	if (rc >= 0)
		rc = stf_remake_history(m, "cairn split");
	if (rc < 0)
		return rc;
	m->state_comment = true;
	pc->m = m;
	pc->id_chosen = false;
	pc->id_offset = 0;
	pc->ids0 = 0;
	rc = stf_segment_range(pc, first, first + (s->every - 1));
	*at_end = rc == 0;
	if (rc == 0 && m->n)
		rc = stf_segment_end(pc);
	return rc;
}

int stf_split(struct cairn_reader *r, const struct model_split *s, const struct cairn_output *out,
              struct cairn_changed *done)
{
	struct stf_remake *m = NULL;
	struct stf_segment *pc = NULL;
	uint64_t sum = 0;
	bool at_end = false;
	int rc = 0;
	for (uint64_t part = 1; rc >= 0 && !at_end; part++) {
		struct cairn_output to = *out;
		rc = s->name(s->user, part, &to.path);
		if (rc >= 0)
			rc = stf_remake_new(r, &to, done, &m);
		if (rc >= 0 && !pc) {
			rc = stf_segment_open(m, r, io_name(r->io), &pc);
			if (rc >= 0) {
				pc->look_back = s->look_back;
				pc->track = pc->last = true;
			}
		} else if (rc >= 0) {
			stf_carried_untell(pc->known);
		}
		if (rc >= 0)
			rc = stf_slice_put_part(pc, m, s, part, &at_end);
		uint64_t n = m ? m->n : 0;
		bool empty = rc >= 0 && n == 0;
		sum += n;
		if (empty && part > 1 && pc->group.len)
			rc = stf_remake_lost(m, "bytes of records behind the last instruction", pc->group.len,
			                     0);
		empty = empty && rc >= 0;
		rc = stf_remake_finish(m, empty ? CAIRN_E_NOTFOUND : rc);
		m = NULL;
		if (empty)
			rc = part > 1
			         ? 0
			         : base_fail(r->c, CAIRN_E_NOTFOUND, "%s: the trace is empty", io_name(r->io));
		else if (rc >= 0)
			rc = s->made(s->user, n);
	}
	stf_segment_close(pc);
	done->instructions = sum;
	return rc;
}
