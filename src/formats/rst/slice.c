/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of their own. What a consumer needs where a range begins
 * is found by reading what comes before it: see piece.c and known.c.
 */
#include "formats/rst/remake.h"

static int cut(struct rst_piece *pc, const struct cairn_slice_opts *o)
{
	struct model_ranges w = {.o = o};
	struct cairn_range r, next;
	bool have = model_range_next(&w, &r), ended = false;
	int rc = 1;
	while (rc > 0 && have) {
		bool more = model_range_next(&w, &next);
		rc = rst_piece_range(pc, r.first, r.last, more);
		/* The trace is over, and its end is wanted with its last instruction. */
		ended = rc == 0 && pc->k.n > r.first;
		r = next;
		have = more;
	}
	return rc < 0 ? rc : rst_piece_end(pc, ended);
}

int rst_slice(struct cairn_reader *r, const struct cairn_slice_opts *o,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct rst_remake m;
	struct rst_piece pc = {.m = &m};
	int rc = rst_remake_init(&m, r->c, out, done);
	if (rc >= 0)
		rc = rst_piece_open(&m, r, &pc);
	if (rc >= 0) {
		pc.tool = "cairn slice";
		pc.look_back = o->look_back;
		rc = cut(&pc, o);
	}
	if (rc >= 0 && m.n == 0)
		rc = base_fail(r->c, CAIRN_E_NOTFOUND, "%s: nothing in the trace is selected",
		               io_name(r->io));
	rst_piece_close(&pc);
	return rst_remake_finish(&m, rc);
}
