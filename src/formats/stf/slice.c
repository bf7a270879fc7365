/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of its own. What a consumer needs where a range begins
 * is found by reading what comes before it: see remake.c and known.c.
 */
#include "formats/stf/change.h"

static int cut(struct stf_piece *pc, const struct cairn_slice_opts *o)
{
	struct model_ranges w = {.o = o};
	struct cairn_range r;
	int rc = 1;
	while (rc > 0 && model_range_next(&w, &r))
		rc = stf_piece_range(pc, r.first, r.last);
	/* Behind the last range nothing is wanted, but the trace's very end is. */
	return rc == 0 ? stf_piece_end(pc) : rc;
}

int stf_slice(struct cairn_reader *r, const struct cairn_slice_opts *o,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct stf_remake *m = NULL;
	struct stf_piece *pc = NULL;
	struct model_ranges w = {.o = o};
	struct cairn_range first = {1, UINT64_MAX};
	int rc = stf_remake_new(r, out, done, &m);
	if (rc >= 0)
		rc = stf_edit_version(m, NULL, 0);
	if (rc >= 0)
		rc = stf_remake_history(m, "cairn slice");
	if (rc >= 0)
		rc = stf_piece_open(m, r, io_name(r->io), &pc);
	if (rc >= 0) {
		model_range_next(&w, &first);
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

/* ---- parts of equal size ---- */

/* One part; `at_end` when there is none. */
static int put_part(struct stf_piece *pc, struct stf_remake *m, const struct model_split *s,
                    uint64_t part, bool *at_end)
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
	rc = stf_piece_range(pc, first, first + (s->every - 1));
	*at_end = rc == 0;
	if (rc == 0 && m->n)
		rc = stf_piece_end(pc);
	return rc;
}

int stf_split(struct cairn_reader *r, const struct model_split *s, const struct cairn_output *out,
              struct cairn_changed *done)
{
	struct stf_remake *m = NULL;
	struct stf_piece *pc = NULL;
	uint64_t sum = 0;
	bool at_end = false;
	int rc = 0;
	for (uint64_t part = 1; rc >= 0 && !at_end; part++) {
		struct cairn_output to = *out;
		rc = s->name(s->user, part, &to.path);
		if (rc >= 0)
			rc = stf_remake_new(r, &to, done, &m);
		if (rc >= 0 && !pc) {
			rc = stf_piece_open(m, r, io_name(r->io), &pc);
			if (rc >= 0) {
				pc->look_back = s->look_back;
				pc->track = pc->last = true;
			}
		} else if (rc >= 0) {
			stf_known_untell(pc->known);
		}
		if (rc >= 0)
			rc = put_part(pc, m, s, part, &at_end);
		uint64_t n = m ? m->n : 0;
		bool empty = rc >= 0 && n == 0;
		sum += n;
		if (empty && part > 1 && pc->group.len)
			rc = stf_remake_lost(m, "bytes of records behind the last instruction", pc->group.len, 0);
		empty = empty && rc >= 0;
		rc = stf_remake_finish(m, empty ? CAIRN_E_NOTFOUND : rc);
		m = NULL;
		if (empty)
			rc = part > 1 ? 0 : base_fail(r->c, CAIRN_E_NOTFOUND, "%s: the trace is empty",
			                              io_name(r->io));
		else if (rc >= 0)
			rc = s->made(s->user, n);
	}
	stf_piece_close(pc);
	done->instructions = sum;
	return rc;
}
