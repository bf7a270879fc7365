/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a trace as a trace of their own. What a consumer needs where a range begins
 * is found by reading what comes before it: see segment.c and carried.c.
 */
#include "formats/rst/remake.h"

static int rst_slice_cut(struct rst_segment *pc, const struct cairn_slice_opts *o)
{
	struct model_ranges w = {.o = o};
	struct cairn_range r, next;
	bool have = model_range_next(&w, &r), ended = false;
	int rc = 1;
	while (rc > 0 && have) {
		bool more = model_range_next(&w, &next);
		struct model_ranges behind = {.o = o, .after = r.last, .i = 0};
		pc->ahead = more ? &behind : NULL;
		rc = rst_segment_range(pc, r.first, r.last, more);
		/* The trace is over, and its end is wanted with its last instruction. */
		ended = rc == 0 && pc->k.n > r.first;
		r = next;
		have = more;
	}
	return rc < 0 ? rc : rst_segment_end(pc, ended);
}

int rst_slice(struct cairn_reader *r, const struct cairn_slice_opts *o,
              const struct cairn_output *out, struct cairn_changed *done)
{
	struct rst_remake m;
	struct rst_segment pc = {.m = &m};
	int rc = rst_remake_init(&m, r->c, out, done);
	if (rc >= 0)
		rc = rst_segment_open(&m, r, &pc);
	if (rc >= 0) {
		pc.tool = "cairn slice";
		pc.look_back = o->look_back;
		rc = rst_slice_cut(&pc, o);
	}
	if (rc >= 0 && m.n == 0)
		rc = base_fail(r->c, CAIRN_E_NOTFOUND, "%s: nothing in the trace is selected",
		               io_name(r->io));
	rst_segment_close(&pc);
	return rst_remake_finish(&m, rc);
}

/* ---- parts of equal size ---- */

static int rst_slice_put_part(struct rst_segment *pc, struct rst_remake *m,
                              const struct model_split *s, uint64_t part, bool *at_end)
{
	uint64_t first = (part - 1) * s->every + 1;
	pc->m = m;
	pc->begun = false;
	int rc = rst_segment_range(pc, first, first + (s->every - 1), true);
	*at_end = rc == 0;
	return rc < 0 ? rc : rst_segment_wait(pc, rc == 0);
}

int rst_split(struct cairn_reader *r, const struct model_split *s, const struct cairn_output *out,
              struct cairn_changed *done)
{
	struct rst_remake m;
	struct rst_segment pc = {.m = NULL};
	uint64_t sum = 0;
	bool at_end = false;
	int rc = 0;
	for (uint64_t part = 1; rc >= 0 && !at_end; part++) {
		struct cairn_output to = *out;
		rc = s->name(s->user, part, &to.path);
		if (rc < 0)
			break;
		rc = rst_remake_init(&m, r->c, &to, done);
		if (rc >= 0 && part == 1)
			rc = rst_segment_open(&m, r, &pc);
		else if (rc >= 0)
			rst_segment_untell(&pc);
		pc.tool = "cairn split";
		pc.look_back = s->look_back;
		if (rc >= 0)
			rc = rst_slice_put_part(&pc, &m, s, part, &at_end);
		uint64_t n = m.n;
		bool empty = rc >= 0 && n == 0;
		sum += n;
		if (empty && part > 1 && pc.n_q > pc.head)
			rc = rst_remake_lost(&m, "records behind the last instruction", pc.n_q - pc.head, 0);
		empty = empty && rc >= 0;
		rc = rst_remake_finish(&m, empty ? CAIRN_E_NOTFOUND : rc);
		if (empty)
			rc = part > 1
			         ? 0
			         : base_fail(r->c, CAIRN_E_NOTFOUND, "%s: the trace is empty", io_name(r->io));
		else if (rc >= 0)
			rc = s->made(s->user, n);
	}
	if (pc.m)
		rst_segment_close(&pc);
	done->instructions = sum;
	return rc;
}
