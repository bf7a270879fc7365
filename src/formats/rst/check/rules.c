/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of RST for the engine: the table, preparations for the walks, and the machine's turn
 * when a span is folded.
 *
 * The engine joins the parts of a trace in several files: the machine goes on with what it knows,
 * and counts files, so that a CPU that goes on somewhere else is reported as records dropped
 * between them.
 */
#include "formats/rst/check/rules.h"

#include <string.h>

enum { SIZE = CAIRN_RST_SIZE };

#define RST_RULE_ROW(name, id, severity, clause, text) \
	[RST_RULE_##name] = {"rst." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {RST_RULES(RST_RULE_ROW) CHECK_EXECUTION_RULES};
#undef RST_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == (int)RST_RULE_COUNT + (int)CHECK_EXECUTION_COUNT,
               "a row for every rule");
_Static_assert(sizeof rules / sizeof *rules <= (int)CAIRN_MAX_RULES,
               "findings are counted by rule");

struct check_place rst_place(const struct rst_tell *tell)
{
	return (struct check_place){.record = tell->rec,
	                            .offset = (tell->rec - 1) * SIZE,
	                            .insn = tell->insn,
	                            .part = tell->part->part,
	                            .cpu = tell->cpu < 0 ? 0 : (uint32_t)tell->cpu,
	                            .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET |
	                                     CAIRN_PLACE_INSN | (tell->cpu < 0 ? 0u : CAIRN_PLACE_CPU)};
}

/* ---- before and after ---- */

static void rst_rules_state_free(struct cairn_reader *reader, void *state)
{
	struct rst_judge *judge = state;
	if (!judge)
		return;
	check_set_free(&judge->tlb);
	rst_pages_free(&judge->pages);
	base_free(reader->cairn, judge);
}

/* The walks must know the largest CPU before the machine has seen the record that says it. */
static void find_info2(struct rst_judge *judge, const struct rst_impl *im)
{
	for (size_t at = 0; at < 4 * SIZE && at + SIZE <= im->head_len; at += SIZE) {
		const uint8_t *p = im->head + at;
		const struct rst_layout *layout = rst_layout_of(p, im->version);
		if (layout && layout->id == RST_L_INFO2 && rst_INFO2_max_cpu_id(p) != 255)
			judge->max_cpu = rst_INFO2_max_cpu_id(p);
	}
}

static int rst_rules_start(struct cairn_reader *reader, void **state, struct check_part *part)
{
	const struct rst_impl *im = reader->impl;
	const uint8_t instr[SIZE] = {CAIRN_RST_INSTR};
	struct rst_judge *judge = base_alloc(reader->cairn, sizeof *judge);
	(void)part;
	if (!judge)
		return CAIRN_E_NOMEM;
	*state = judge;
	judge->cairn = reader->cairn;
	judge->version = im->version;
	judge->wide = im->wide;
	judge->max_cpu = RST_MAX_CPUS;
	judge->file = 1;
	judge->no_post = im->stream.container && !strcmp(im->stream.container, "rstzip2");
	check_set_init(&judge->tlb, reader->cairn);
	rst_pages_init(&judge->pages, reader->cairn);
	rst_kinds(judge->kind);
	for (unsigned i = 0; i < RST_N_LAYOUTS; i++)
		rst_reserved_mask(rst_layout_by_id((enum rst_layout_id)i), judge->reserved[i]);
	judge->instr_reserved = judge->reserved[rst_layout_of(instr, im->version)->id][0];
	find_info2(judge, im);
	return 0;
}

static int rst_rules_join(struct cairn_reader *reader, void *state)
{
	struct rst_impl *im = reader->impl;
	struct rst_judge *judge = state;
	im->version = judge->version;
	im->wide = judge->wide;
	judge->file++;
	judge->rec_base += judge->file_records;
	judge->file_records = 0;
	return 0;
}

static int rst_rules_end(struct cairn_reader *reader, void *state, struct check_part *part)
{
	(void)reader;
	rst_rule_end(state, part);
	return 0;
}

/* ---- parts ---- */

static int rst_rules_begin(struct cairn_reader *reader, const void *state, struct check_part *part)
{
	(void)state;
	struct rst_part *rp = base_alloc(reader->cairn, sizeof *rp);
	if (!rp)
		return CAIRN_E_NOMEM;
	part->priv = rp;
	base_buf_init(&rp->events, reader->cairn);
	base_buf_init(&rp->flows, reader->cairn);
	base_buf_init(&rp->exits, reader->cairn);
	return 0;
}

static void rst_rules_drop(struct cairn_reader *reader, struct check_part *part)
{
	struct rst_part *rp = part->priv;
	if (!rp)
		return;
	base_buf_free(&rp->events);
	base_buf_free(&rp->flows);
	base_buf_free(&rp->exits);
	base_free(reader->cairn, rp);
	part->priv = NULL;
}

/* ---- the machine's turn ---- */

static void rules_record(struct rst_judge *judge, struct rst_tell *tell, const uint8_t *p,
                         unsigned flags)
{
	rst_rule_head(judge, tell, p);
	if (tell->cpu >= 0 && p[0] != CAIRN_RST_RFS_CW && p[0] != CAIRN_RST_RFS_BT)
		rst_rule_cpu(judge, tell, p, flags);
	memcpy(judge->prev, p, SIZE);
	judge->prev_rec = judge->rec_base + tell->rec;
	judge->prev_cpu = tell->cpu;
	if (p[0] == CAIRN_RST_INSTR)
		return;
	judge->prev_at = rst_place(tell);
	judge->prev_first = p[0] == CAIRN_RST_PAVADIFF && !(judge->cpus[tell->cpu].know & RST_STARTED);
}

void rst_judge_forget_cpu(struct rst_cpu_judge *judge)
{
	const uint32_t keep =
		RST_SEEN_PREG | RST_SEEN_PAVA | RST_SEEN_TPC | RST_SEEN_TNPC | RST_STARTED;
	judge->flow.flags = 0;
	judge->trap = RST_T_NONE;
	judge->pstate_known = 0;
	judge->know = (judge->know & keep) | RST_LOST;
	for (unsigned k = 0; k < RST_LEVELS; k++)
		judge->level[k].known = 0;
}

void rst_judge_forget(struct rst_judge *judge)
{
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		rst_judge_forget_cpu(&judge->cpus[i]);
	judge->lost = true;
	judge->prev_rec = 0;
	judge->in_section = false;
}

static int rst_rules_fold(struct cairn_reader *reader, void *state, struct check_part *part)
{
	struct rst_judge *judge = state;
	const struct rst_part *rp = part->priv;
	const struct rst_ev *ev = (const void *)rp->events.data;
	const struct rst_flow *flow = (const void *)rp->flows.data;
	const struct rst_exit *exits = (const void *)rp->exits.data;
	for (size_t i = 0; i < rp->events.len / sizeof *ev && !judge->failed; i++) {
		const uint8_t *p = rp->base + (size_t)ev[i].rec * SIZE;
		struct rst_tell tell = {.part = part,
		                        .rec = rp->rec0 + ev[i].rec,
		                        .insn = rp->n0 + ev[i].insn,
		                        .cpu = ev[i].cpu == RST_NONE ? -1 : ev[i].cpu};
		if (ev[i].flags & RST_EV_SET)
			judge->cpus[ev[i].cpu].flow = *flow++;
		rules_record(judge, &tell, p, ev[i].flags);
		for (uint32_t k = 0; k < ev[i].more; k++) {
			p += SIZE;
			tell.rec++;
			tell.cpu = rst_cpu_of(p, judge->wide);
			rules_record(judge, &tell, p, 0);
		}
	}
	for (size_t i = 0; i < rp->exits.len / sizeof *exits; i++) {
		struct rst_cpu_judge *cpu_judge = &judge->cpus[exits[i].cpu];
		if (exits[i].flow.flags & RST_FLOW_PC)
			cpu_judge->flow = exits[i].flow;
		if (exits[i].behind_known)
			cpu_judge->know =
				(cpu_judge->know & ~(uint32_t)RST_BEHIND) | (exits[i].behind ? RST_BEHIND : 0);
	}
	judge->file_records += rp->records;
	judge->insns += rp->insns;
	if (part->found.count[RST_RULE_RECORD_COMPLETE]) {
		judge->damaged = true;
		rst_judge_forget(judge);
	}
	return judge->failed ? base_fail(reader->cairn, judge->failed, "out of memory") : 0;
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
