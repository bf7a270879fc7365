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
		rc = stf_edit_version(m, m->packing.version, m->packing.event_bits);
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
