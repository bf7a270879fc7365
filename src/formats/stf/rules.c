/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of STF as the engine wants them: the table, and the judgements that
 * need more than one span. A span's walk (rules_walk.c) leaves what it cannot
 * decide; fold decides it with what the spans before have told, in trace order.
 */
#include "formats/stf/rules.h"

#include <string.h>

#define STF_RULE_ROW(name, id, severity, clause, text) \
	[STF_RULE_##name] = {"stf." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {STF_RULES(STF_RULE_ROW)};
#undef STF_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == STF_RULE_COUNT, "a row for every rule");
_Static_assert((int)STF_RULE_COUNT <= (int)CAIRN_MAX_RULES, "findings are counted by rule");

static const struct check_place nowhere;

static void stf_rules_state_free(struct cairn_reader *r, void *state)
{
	struct stf_judge *j = state;
	if (!j)
		return;
	base_map_free(&j->walked);
	base_map_free(&j->used);
	stf_who_free(&j->who);
	check_set_free(&j->ids);
	base_free(r->c, j->isa_extended);
	base_free(r->c, j);
}

static int stf_rules_start(struct cairn_reader *r, void **state, struct check_part *p)
{
	struct stf_judge *j = base_alloc(r->c, sizeof *j);
	if (!j)
		return CAIRN_E_NOMEM;
	*state = j;
	stf_rules_init_pages(r->c, &j->walked, &j->used);
	stf_who_init(&j->who, r->c);
	check_set_init(&j->ids, r->c);
	return stf_rules_header(r, j, p);
}

static int stf_rules_begin(struct cairn_reader *r, const void *state, struct check_part *p)
{
	(void)state;
	struct stf_part *sp = base_alloc(r->c, sizeof *sp);
	if (!sp)
		return CAIRN_E_NOMEM;
	p->priv = sp;
	base_map_init(&sp->used, r->c, 1);
	base_map_init(&sp->ids, r->c, 1);
	base_buf_init(&sp->page_rows, r->c);
	base_buf_init(&sp->id_rows, r->c);
	base_buf_init(&sp->ext_rows, r->c);
	base_buf_init(&sp->xact_rows, r->c);
	return 0;
}

static void stf_rules_drop(struct cairn_reader *r, struct check_part *p)
{
	struct stf_part *sp = p->priv;
	if (!sp)
		return;
	base_map_free(&sp->used);
	base_map_free(&sp->ids);
	base_buf_free(&sp->page_rows);
	base_buf_free(&sp->id_rows);
	base_buf_free(&sp->ext_rows);
	base_buf_free(&sp->xact_rows);
	base_free(r->c, sp);
	p->priv = NULL;
}

/* ---- joining spans ---- */

static void fold_seen(struct stf_judge *j, const struct stf_part *sp)
{
	for (unsigned i = 0; i < SEEN_COUNT; i++)
		if ((sp->seen & ~j->seen) >> i & 1)
			j->first[i] = sp->first[i];
	j->seen |= sp->seen;
}

/* Records behind the last instruction, and record 255, are judged when it is known
 * what follows. */
static void fold_ends(struct stf_judge *j, const struct stf_part *sp, struct check_part *p)
{
	bool groups = sp->insns || sp->xacts;
	if (j->cut && sp->chunk)
		check_add(p, STF_RULE_CONTAINER_CUT, &j->cut_at,
		          "the chunk ends inside an instruction's records");
	j->cut = sp->chunk && sp->trailing;
	j->cut_at = sp->trailing_at;
	if (j->ended_by_255 && sp->record_first) {
		check_add(p, STF_RULE_END_LAST, &j->end_at, "records follow record 255");
		j->ended_by_255 = false;
	}
	if (sp->ended_by_255) {
		j->ended_by_255 = true;
		j->end_at = sp->end_at;
	}
	if (groups)
		j->trailing = false;
	if (sp->trailing && !j->trailing) {
		j->trailing = true;
		j->trailing_at = sp->trailing_at;
	}
	j->damaged |= sp->damaged;
	j->insns += sp->insns;
	j->xacts += sp->xacts;
}

/* Does this make the trace one of several threads or cores? */
int stf_rules_take_ids(struct stf_judge *j, const struct stf_id_row *row, bool new_ids)
{
	uint64_t bits;
	int rc = stf_who_runs(&j->who, row->id, new_ids, &bits);
	const unsigned seen[2] = {bits & CAIRN_STF_F_MULTI_THREAD ? SEEN_THREADS : SEEN_COUNT,
	                          bits & CAIRN_STF_F_MULTI_CORE ? SEEN_CORES : SEEN_COUNT};
	for (unsigned i = 0; i < 2; i++) {
		if (seen[i] == SEEN_COUNT || (j->seen >> seen[i] & 1))
			continue;
		j->seen |= UINT64_C(1) << seen[i];
		j->first[seen[i]] = row->at;
	}
	return rc;
}

static int fold_ids(struct stf_judge *j, const struct stf_part *sp, bool new_ids)
{
	const struct stf_id_row *row = (const void *)sp->id_rows.data;
	int rc = 0;
	for (size_t n = sp->id_rows.len / sizeof *row; n && rc >= 0; n--, row++)
		rc = stf_rules_take_ids(j, row, new_ids);
	return rc;
}

static int stf_rules_fold(struct cairn_reader *r, void *state, struct check_part *p)
{
	const struct stf_impl *im = r->impl;
	struct stf_judge *j = state;
	struct stf_part *sp = p->priv;
	if (sp->any_group) {
		stf_rule_join(p, &j->tail, sp->head_forced, sp->head_mode, &sp->head);
		j->tail = sp->tail;
	}
	stf_rule_mode_cause(p, &sp->head_change, j->causes);
	if (sp->insns)
		j->causes = sp->causes;
	if (sp->damaged) { /* what came next is lost */
		j->tail.kind = TAIL_NONE;
		j->causes = CAUSE_XRET | CAUSE_EVENT;
	}
	fold_seen(j, sp);
	if (fold_ids(j, sp, im->header.cfg.new_ids) < 0)
		return base_fail(r->c, CAIRN_E_NOMEM, "out of memory");
	stf_rules_fold_extensions(j, sp, p);
	fold_ends(j, sp, p);
	stf_rules_fold_regs(j, sp, p);
	int rc = stf_rules_fold_pages(j, sp, p);
	return rc < 0 ? rc : stf_rules_fold_xacts(j, sp, p);
}

/* ---- the whole ---- */

static void judge_seen(struct cairn_reader *r, const struct stf_judge *j, struct check_part *p)
{
	const struct stf_impl *im = r->impl;
	const struct cairn_stf_config *cfg = &im->header.cfg;
	if ((j->seen >> SEEN_BUS_ZERO & 1) && !cfg->spec_initiators)
		check_add(p, STF_RULE_BUS_NUMBERING, &j->first[SEEN_BUS_ZERO],
		          "the initiator is 0: Core by the specification (--from stf:initiators=spec), "
		          "invalid in the public library, which counts from 1");
	if ((j->seen >> SEEN_BITS & 1) && im->reading.bits)
		check_add(p, STF_RULE_MEM_BITS, &j->first[SEEN_BITS],
		          "the trace counts bits, which "
		          "follows from the encodings; cairn edit --to stf:sizes=bytes mends it");
	else if (j->seen >> SEEN_BITS & 1)
		check_add(p, STF_RULE_MEM_BITS, &j->first[SEEN_BITS],
		          "the access is 8 times as large as "
		          "the encoding tells");
	if ((j->seen >> SEEN_OPERAND & 1) && im->reading.after)
		check_add(p, STF_RULE_REG_SOURCES, &j->first[SEEN_OPERAND],
		          "sources hold what registers "
		          "held after the instruction; cairn edit --to stf:sources=before mends it");
	if (j->seen >> SEEN_EVENT_IEM & 1)
		check_add(p, STF_RULE_EVENT_IEM, &j->first[SEEN_EVENT_IEM],
		          "field 2 of ILLEGAL_INST is not the encoding mode");
	if (j->seen >> SEEN_KEPT & 1)
		check_add(p, STF_RULE_EVENT_NOOP, &j->first[SEEN_KEPT],
		          "the encoding that could not be executed is kept");
	if (j->seen >> SEEN_IDS & 1)
		check_add(p, STF_RULE_PROCESS_MEANING, &j->first[SEEN_IDS],
		          "PROCESS_ID_EXT is taken as hardware thread, PID, TID; "
		          "the draft means TGID, TID, ASID");
	if (cfg->version_minor >= 4 && (j->seen >> SEEN_END & 1))
		check_add(p, STF_RULE_END_PRESENT, &j->first[SEEN_END],
		          "record 255 in version %u.%u: the public reader fails on it", cfg->version_major,
		          cfg->version_minor);
	if (cfg->version_minor < 4 && !(j->seen >> SEEN_END & 1))
		check_add(p, STF_RULE_END_ABSENT, &nowhere,
		          "the trace does not end with record 255; the public tools write none");
}

static int stf_rules_end(struct cairn_reader *r, void *state, struct check_part *p)
{
	const struct stf_judge *j = state;
	judge_seen(r, j, p);
	if (j->insns + j->xacts == 0 && !j->damaged)
		check_add(p, STF_RULE_TRACE_EMPTY, &nowhere, "the trace holds no %s",
		          j->insn_trace ? "instruction" : "transaction");
	else if (j->trailing && !j->damaged)
		check_add(p, STF_RULE_TRACE_TRAILING, &j->trailing_at,
		          "this record and what follows stand behind the last %s and belong to "
		          "none; the public tools lose them",
		          j->insn_trace ? "instruction" : "transaction");
	if (!j->damaged && j->insns + j->xacts)
		stf_rules_features(r, j, p);
	return 0;
}

const struct check_rules stf_rules = {
	.rules = rules,
	.n = STF_RULE_COUNT,
	.damage = STF_RULE_RECORD_COMPLETE,
	.start = stf_rules_start,
	.end = stf_rules_end,
	.state_free = stf_rules_state_free,
	.begin = stf_rules_begin,
	.drop = stf_rules_drop,
	.span = stf_rules_span,
	.fold = stf_rules_fold,
};
