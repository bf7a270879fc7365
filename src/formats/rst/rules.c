/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of RST as the engine wants them: the table, what is prepared for the
 * walks, and the machine's turn when a span is folded.
 *
 * The parts of a trace in several files are joined by the engine: the machine goes on
 * with what it knows, and counts files, so that a CPU that goes on elsewhere than it
 * stood is told as records dropped between them.
 */
#include "formats/rst/rules.h"

#include <string.h>

enum { SIZE = CAIRN_RST_SIZE };

#define RST_RULE_ROW(name, id, severity, clause, text) \
	[RST_RULE_##name] = {"rst." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {RST_RULES(RST_RULE_ROW)};
#undef RST_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == RST_RULE_COUNT, "a row for every rule");
_Static_assert((int)RST_RULE_COUNT <= (int)CAIRN_MAX_RULES, "findings are counted by rule");

struct check_place rst_place(const struct rst_tell *t)
{
	return (struct check_place){.record = t->rec,
	                            .offset = (t->rec - 1) * SIZE,
	                            .insn = t->insn,
	                            .part = t->part->part,
	                            .cpu = t->cpu < 0 ? 0 : (uint32_t)t->cpu,
	                            .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET |
	                                     CAIRN_PLACE_INSN | (t->cpu < 0 ? 0u : CAIRN_PLACE_CPU)};
}

/* ---- before and after ---- */

static void rst_rules_state_free(struct cairn_reader *r, void *state)
{
	struct rst_judge *j = state;
	if (!j)
		return;
	check_set_free(&j->tlb);
	rst_pages_free(&j->pages);
	base_free(r->c, j);
}

/* The walks must know the largest CPU before the machine has seen what says it. */
static void find_info2(struct rst_judge *j, const struct rst_impl *im)
{
	for (size_t at = 0; at < 4 * SIZE && at + SIZE <= im->head_len; at += SIZE) {
		const uint8_t *p = im->head + at;
		const struct rst_layout *l = rst_layout_of(p, im->version);
		if (l && l->id == RST_L_INFO2 && p[2] != 255)
			j->max_cpu = p[2];
	}
}

static int rst_rules_start(struct cairn_reader *r, void **state, struct check_part *p)
{
	const struct rst_impl *im = r->impl;
	const uint8_t instr[SIZE] = {CAIRN_RST_INSTR};
	struct rst_judge *j = base_alloc(r->c, sizeof *j);
	(void)p;
	if (!j)
		return CAIRN_E_NOMEM;
	*state = j;
	j->c = r->c;
	j->version = im->version;
	j->wide = im->wide;
	j->max_cpu = RST_MAX_CPUS;
	j->file = 1;
	j->no_post = im->stream.container && !strcmp(im->stream.container, "rstzip2");
	check_set_init(&j->tlb, r->c);
	rst_pages_init(&j->pages, r->c);
	rst_kinds(j->kind);
	for (unsigned i = 0; i < RST_N_LAYOUTS; i++)
		rst_reserved_mask(rst_layout_by_id((enum rst_layout_id)i), j->reserved[i]);
	j->instr_reserved = j->reserved[rst_layout_of(instr, im->version)->id][0];
	find_info2(j, im);
	return 0;
}

static int rst_rules_join(struct cairn_reader *r, void *state)
{
	struct rst_impl *im = r->impl;
	struct rst_judge *j = state;
	im->version = j->version;
	im->wide = j->wide;
	j->file++;
	j->rec_base += j->file_records;
	j->file_records = 0;
	return 0;
}

static int rst_rules_end(struct cairn_reader *r, void *state, struct check_part *p)
{
	(void)r;
	rst_rule_end(state, p);
	return 0;
}

/* ---- parts ---- */

static int rst_rules_begin(struct cairn_reader *r, const void *state, struct check_part *p)
{
	(void)state;
	struct rst_part *rp = base_alloc(r->c, sizeof *rp);
	if (!rp)
		return CAIRN_E_NOMEM;
	p->priv = rp;
	base_buf_init(&rp->events, r->c);
	base_buf_init(&rp->flows, r->c);
	base_buf_init(&rp->exits, r->c);
	return 0;
}

static void rst_rules_drop(struct cairn_reader *r, struct check_part *p)
{
	struct rst_part *rp = p->priv;
	if (!rp)
		return;
	base_buf_free(&rp->events);
	base_buf_free(&rp->flows);
	base_buf_free(&rp->exits);
	base_free(r->c, rp);
	p->priv = NULL;
}

/* ---- the machine's turn ---- */

static void rules_record(struct rst_judge *j, struct rst_tell *t, const uint8_t *p, unsigned flags)
{
	rst_rule_head(j, t, p);
	if (t->cpu >= 0 && p[0] != CAIRN_RST_RFS_CW && p[0] != CAIRN_RST_RFS_BT)
		rst_rule_cpu(j, t, p, flags);
	memcpy(j->prev, p, SIZE);
	j->prev_rec = j->rec_base + t->rec;
	j->prev_cpu = t->cpu;
	if (p[0] == CAIRN_RST_INSTR)
		return;
	j->prev_at = rst_place(t);
	j->prev_first = p[0] == CAIRN_RST_PAVADIFF && !(j->cpus[t->cpu].know & RST_STARTED);
}

void rst_judge_forget_cpu(struct rst_cpu_judge *c)
{
	const uint32_t keep =
		RST_SEEN_PREG | RST_SEEN_PAVA | RST_SEEN_TPC | RST_SEEN_TNPC | RST_STARTED;
	c->flow.flags = 0;
	c->trap = RST_T_NONE;
	c->pstate_known = 0;
	c->know = (c->know & keep) | RST_LOST;
	for (unsigned k = 0; k < RST_LEVELS; k++)
		c->level[k].known = 0;
}

void rst_judge_forget(struct rst_judge *j)
{
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		rst_judge_forget_cpu(&j->cpus[i]);
	j->lost = true;
	j->prev_rec = 0;
	j->in_section = false;
}

static int rst_rules_fold(struct cairn_reader *r, void *state, struct check_part *part)
{
	struct rst_judge *j = state;
	const struct rst_part *rp = part->priv;
	const struct rst_ev *ev = (const void *)rp->events.data;
	const struct rst_flow *flow = (const void *)rp->flows.data;
	const struct rst_exit *exits = (const void *)rp->exits.data;
	for (size_t i = 0; i < rp->events.len / sizeof *ev && !j->failed; i++) {
		const uint8_t *p = rp->base + (size_t)ev[i].rec * SIZE;
		struct rst_tell t = {.part = part,
		                     .rec = rp->rec0 + ev[i].rec,
		                     .insn = rp->n0 + ev[i].insn,
		                     .cpu = ev[i].cpu == RST_NONE ? -1 : ev[i].cpu};
		if (ev[i].flags & RST_EV_SET)
			j->cpus[ev[i].cpu].flow = *flow++;
		rules_record(j, &t, p, ev[i].flags);
		for (uint32_t k = 0; k < ev[i].more; k++) {
			p += SIZE;
			t.rec++;
			t.cpu = rst_cpu_of(p, j->wide);
			rules_record(j, &t, p, 0);
		}
	}
	for (size_t i = 0; i < rp->exits.len / sizeof *exits; i++) {
		struct rst_cpu_judge *c = &j->cpus[exits[i].cpu];
		if (exits[i].flow.flags & RST_FLOW_PC)
			c->flow = exits[i].flow;
		if (exits[i].behind_known)
			c->know = (c->know & ~(uint32_t)RST_BEHIND) | (exits[i].behind ? RST_BEHIND : 0);
	}
	j->file_records += rp->records;
	j->insns += rp->insns;
	if (part->found.count[RST_RULE_RECORD_COMPLETE]) {
		j->damaged = true;
		rst_judge_forget(j);
	}
	return j->failed ? base_fail(r->c, j->failed, "out of memory") : 0;
}

bool rst_is_part(const struct cairn_reader *r)
{
	const struct rst_impl *im = r->impl;
	return im->head_len >= SIZE && cairn_rst_type_name(im->head[0]) && !im->rfs &&
	       im->head[0] != CAIRN_RST_RSTHEADER;
}

const struct check_rules rst_rules = {
	.rules = rules,
	.n = RST_RULE_COUNT,
	.damage = RST_RULE_RECORD_COMPLETE,
	.start = rst_rules_start,
	.join = rst_rules_join,
	.end = rst_rules_end,
	.state_free = rst_rules_state_free,
	.begin = rst_rules_begin,
	.drop = rst_rules_drop,
	.span = rst_rules_span,
	.fold = rst_rules_fold,
};
