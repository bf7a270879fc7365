/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn view --state`: what the trace has told of registers and memory by some
 * instruction. The instruction's own line stands behind the state before it, or in front
 * of the state after it.
 */
#include "print.h"

struct job {
	struct session *s;
	struct cairn_state *state;
	struct cairn_text *text;
	struct cairn_state_show show;
	struct cairn_state_range *ranges;
};

/* The one number that the regions come to. */
static int one_number(const struct session *s, uint64_t *n)
{
	uint64_t last;
	if (!cairn_select_all(s->select) && cairn_select_numbers(s->select, 0, n, &last) == 1 &&
	    *n == last && cairn_select_numbers(s->select, 1, &(uint64_t){0}, &last) == 0)
		return 0;
	return base_fail(s->c, CAIRN_E_INVAL,
	                 "--state takes the number of one instruction: cairn view "
	                 "--state TRACE 123456");
}

static int parse_memory(struct job *j)
{
	const struct options *o = j->s->o;
	int rc = 0;
	j->ranges = base_alloc(j->s->c, (o->n_memories + 1) * sizeof *j->ranges);
	if (!j->ranges)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < o->n_memories && rc >= 0; i++)
		rc = cairn_addresses(j->s->c, o->memories[i], j->s->image, &j->ranges[i].first,
		                     &j->ranges[i].last);
	j->show.ranges = j->ranges;
	j->show.n_ranges = o->n_memories;
	return rc;
}

static int state_go(struct job *j)
{
	const struct options *o = j->s->o;
	bool some = o->times[OPT_REGS] || o->times[OPT_MEMS] || o->n_memories;
	j->show.regs = !some || o->times[OPT_REGS] || (o->n_memories && !o->times[OPT_MEMS]);
	j->show.memory = !some || o->times[OPT_MEMS] || o->n_memories;
	struct cairn_state_opts opts = {.size = sizeof opts,
	                                .memory = o->n_memories    ? CAIRN_STATE_NEAR
	                                          : j->show.memory ? CAIRN_STATE_ALL
	                                                           : CAIRN_STATE_NONE};
	int rc = cairn_state_new(j->s->c, &opts, &j->state);
	if (rc < 0)
		return rc;
	cairn_reader_want(j->s->r, cairn_state_parts(j->state));
	return j->show.after ? cairn_state_go_after(j->state, j->s->r, j->show.n)
	                     : cairn_state_go(j->state, j->s->r, j->show.n);
}

/* Memory is that of who runs there. */
static int recall(struct job *j)
{
	static const struct cairn_ctx none;
	uint32_t row;
	const struct cairn_batch *b = cairn_state_batch(j->state, &row);
	uint16_t ctx = b->insns[row].ctx;
	struct cairn_space space = cairn_space_of(ctx < b->n_ctxs ? &b->ctxs[ctx] : &none);
	int rc = 0;
	j->show.isa = (enum cairn_isa)b->insns[row].isa;
	for (size_t i = 0; i < j->show.n_ranges && rc >= 0; i++) {
		uint64_t first = j->ranges[i].first, more = j->ranges[i].last - first;
		j->ranges[i].space = space;
		rc = cairn_state_recall(j->state, j->s->r, space, first,
		                        more == UINT64_MAX ? more : more + 1);
	}
	return rc;
}

static int state_put_line(struct job *j)
{
	struct printing p;
	struct cairn_view *v;
	const char *text;
	size_t n;
	uint32_t row;
	if (j->show.json)
		return 0;
	print_init(&p, j->s);
	p.opts.bare = 1;
	p.opts.show = 0;
	int rc = cairn_view_new(j->s->c, &p.opts, &v);
	if (rc < 0)
		return rc;
	rc = cairn_view_batch(v, cairn_state_batch(j->state, &row));
	if (rc >= 0)
		rc = cairn_view_take(v, &p.shown, &text, &n);
	if (rc >= 0)
		rc = io_sink_write(j->s->out, text, n);
	cairn_view_free(v);
	return rc;
}

static int put_state(struct job *j)
{
	size_t n;
	int rc = cairn_text_state(j->text, j->state, &j->show);
	const char *text = cairn_text_get(j->text, &n);
	return rc < 0 ? rc : io_sink_write(j->s->out, text, n);
}

static int state_work(struct job *j)
{
	int rc = one_number(j->s, &j->show.n);
	if (rc >= 0)
		rc = parse_memory(j);
	if (rc >= 0)
		rc = state_go(j);
	if (rc >= 0)
		rc = recall(j);
	if (rc >= 0 && j->show.after)
		rc = state_put_line(j);
	if (rc >= 0)
		rc = put_state(j);
	return rc < 0 || j->show.after ? rc : state_put_line(j);
}

int view_state(const struct verb *self, struct options *o)
{
	struct session s;
	struct job j = {.s = &s,
	                .show = {.size = sizeof j.show,
	                         .after = o->times[OPT_AFTER] != 0,
	                         .json = o->times[OPT_JSON] != 0}};
	if (o->value[OPT_WHERE]) {
		complain("--state takes the number of one instruction, and no expression");
		return EXIT_COULD_NOT;
	}
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	j.text = cairn_text_new(s.c);
	session_progress(&s, false);
	int rc = j.text ? state_work(&j) : CAIRN_E_NOMEM;
	cairn_text_free(j.text);
	cairn_state_free(j.state);
	base_free(s.c, j.ranges);
	return session_finish(&s, rc, EXIT_FINE);
}
