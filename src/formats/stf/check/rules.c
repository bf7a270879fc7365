/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of STF for the engine: the table, and the judgements that need more than one span. A
 * span's walk (rules_walk.c) leaves what it cannot decide; fold decides it, in trace order, by what
 * the spans before have said.
 */
#include "formats/stf/check/rules.h"

#include <string.h>

#define STF_RULE_ROW(name, id, severity, clause, text) \
	[STF_RULE_##name] = {"stf." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {STF_RULES(STF_RULE_ROW) CHECK_EXECUTION_RULES};
#undef STF_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == (int)STF_RULE_COUNT + (int)CHECK_EXECUTION_COUNT,
               "a row for every rule");
_Static_assert(sizeof rules / sizeof *rules <= (int)CAIRN_MAX_RULES,
               "findings are counted by rule");

static const struct check_place nowhere;

static void stf_rules_state_free(struct cairn_reader *reader, void *state)
{
	struct stf_judge *judge = state;
	if (!judge)
		return;
	base_map_free(&judge->walked);
	base_map_free(&judge->used);
	stf_who_free(&judge->who);
	check_set_free(&judge->ids);
	base_free(reader->cairn, judge->isa_extended);
	base_free(reader->cairn, judge);
}

static int stf_rules_start(struct cairn_reader *reader, void **state, struct check_part *part)
{
	struct stf_judge *judge = base_alloc(reader->cairn, sizeof *judge);
	if (!judge)
		return CAIRN_E_NOMEM;
	*state = judge;
	stf_rules_init_pages(reader->cairn, &judge->walked, &judge->used);
	stf_who_init(&judge->who, reader->cairn);
	check_set_init(&judge->ids, reader->cairn);
	return stf_rules_header(reader, judge, part);
}

static int stf_rules_begin(struct cairn_reader *reader, const void *state, struct check_part *part)
{
	(void)state;
	struct stf_part *sp = base_alloc(reader->cairn, sizeof *sp);
	if (!sp)
		return CAIRN_E_NOMEM;
	part->priv = sp;
	base_map_init(&sp->used, reader->cairn, 1);
	base_map_init(&sp->ids, reader->cairn, 1);
	base_buf_init(&sp->page_rows, reader->cairn);
	base_buf_init(&sp->id_rows, reader->cairn);
	base_buf_init(&sp->ext_rows, reader->cairn);
	base_buf_init(&sp->xact_rows, reader->cairn);
	return 0;
}

static void stf_rules_drop(struct cairn_reader *reader, struct check_part *part)
{
	struct stf_part *sp = part->priv;
	if (!sp)
		return;
	base_map_free(&sp->used);
	base_map_free(&sp->ids);
	base_buf_free(&sp->page_rows);
	base_buf_free(&sp->id_rows);
	base_buf_free(&sp->ext_rows);
	base_buf_free(&sp->xact_rows);
	base_free(reader->cairn, sp);
	part->priv = NULL;
}

/* ---- joining spans ---- */

static void fold_seen(struct stf_judge *judge, const struct stf_part *sp)
{
	for (unsigned i = 0; i < SEEN_COUNT; i++)
		if ((sp->seen & ~judge->seen) >> i & 1)
			judge->first[i] = sp->first[i];
	judge->seen |= sp->seen;
}

/* Records behind the last instruction, and record 255, are judged once it is known what follows. */
static void fold_ends(struct stf_judge *judge, const struct stf_part *sp, struct check_part *part)
{
	bool groups = sp->insns || sp->xacts;
	if (judge->cut && sp->chunk)
		check_add(part, STF_RULE_CONTAINER_CUT, &judge->cut_at,
		          "the chunk ends inside an instruction's records");
	judge->cut = sp->chunk && sp->trailing;
	judge->cut_at = sp->trailing_at;
	if (judge->ended_by_255 && sp->any_record) {
		check_add(part, STF_RULE_END_LAST, &judge->end_at, "records follow record 255");
		judge->ended_by_255 = false;
	}
	if (sp->ended_by_255) {
		judge->ended_by_255 = true;
		judge->end_at = sp->end_at;
	}
	if (groups)
		judge->trailing = false;
	if (sp->trailing && !judge->trailing) {
		judge->trailing = true;
		judge->trailing_at = sp->trailing_at;
	}
	judge->damaged |= sp->damaged;
	judge->insns += sp->insns;
	judge->xacts += sp->xacts;
}

/* Does this make the trace one of several threads or cores? */
int stf_rules_take_ids(struct stf_judge *judge, const struct stf_id_row *row, bool new_ids)
{
	uint64_t bits;
	int rc = stf_who_runs(&judge->who, row->id, new_ids, &bits);
	const unsigned seen[2] = {bits & CAIRN_STF_F_MULTI_THREAD ? SEEN_THREADS : SEEN_COUNT,
	                          bits & CAIRN_STF_F_MULTI_CORE ? SEEN_CORES : SEEN_COUNT};
	for (unsigned i = 0; i < 2; i++) {
		if (seen[i] == SEEN_COUNT || (judge->seen >> seen[i] & 1))
			continue;
		judge->seen |= UINT64_C(1) << seen[i];
		judge->first[seen[i]] = row->at;
	}
	return rc;
}

static int fold_ids(struct stf_judge *judge, const struct stf_part *sp, bool new_ids)
{
	const struct stf_id_row *row = (const void *)sp->id_rows.data;
	int rc = 0;
	for (size_t n = sp->id_rows.len / sizeof *row; n && rc >= 0; n--, row++)
		rc = stf_rules_take_ids(judge, row, new_ids);
	return rc;
}

static int stf_rules_fold(struct cairn_reader *reader, void *state, struct check_part *part)
{
	const struct stf_impl *im = reader->impl;
	struct stf_judge *judge = state;
	struct stf_part *sp = part->priv;
	if (sp->any_group) {
		stf_rule_join(part, &judge->tail, sp->head_forced, sp->head_mode, &sp->head);
		judge->tail = sp->tail;
	}
	stf_rule_mode_cause(part, &sp->head_change, judge->causes);
	if (sp->insns)
		judge->causes = sp->causes;
	if (sp->damaged) { /* what came next is lost */
		judge->tail.kind = TAIL_NONE;
		judge->causes = CAUSE_XRET | CAUSE_EVENT;
	}
	fold_seen(judge, sp);
	if (fold_ids(judge, sp, im->header.cfg.new_ids) < 0)
		return base_fail(reader->cairn, CAIRN_E_NOMEM, "out of memory");
	stf_rules_fold_extensions(judge, sp, part);
	fold_ends(judge, sp, part);
	stf_rules_fold_regs(judge, sp, part);
	int rc = stf_rules_fold_pages(judge, sp, part);
	return rc < 0 ? rc : stf_rules_fold_xacts(judge, sp, part);
}

/* ---- the whole ---- */

static void judge_seen(struct cairn_reader *reader, const struct stf_judge *judge,
                       struct check_part *part)
{
	const struct stf_impl *im = reader->impl;
	const struct cairn_stf_config *cfg = &im->header.cfg;
	if ((judge->seen >> SEEN_BUS_ZERO & 1) && !cfg->spec_initiators)
		check_add(part, STF_RULE_BUS_NUMBERING, &judge->first[SEEN_BUS_ZERO],
		          "the initiator is 0: Core by the specification (--from stf:initiators=spec), "
		          "invalid in the public library, which counts from 1");
	if ((judge->seen >> SEEN_BITS & 1) && im->reading.bits)
		check_add(part, STF_RULE_MEM_BITS, &judge->first[SEEN_BITS],
		          "the trace counts bits, which "
		          "follows from the encodings; cairn edit --to stf:sizes=bytes mends it");
	else if (judge->seen >> SEEN_BITS & 1)
		check_add(part, STF_RULE_MEM_BITS, &judge->first[SEEN_BITS],
		          "the access is 8 times as large as "
		          "the encoding tells");
	if ((judge->seen >> SEEN_OPERAND & 1) && im->reading.after)
		check_add(part, STF_RULE_REG_SOURCES, &judge->first[SEEN_OPERAND],
		          "sources hold what registers "
		          "held after the instruction; cairn edit --to stf:sources=before mends it");
	if (judge->seen >> SEEN_EVENT_IEM & 1)
		check_add(part, STF_RULE_EVENT_IEM, &judge->first[SEEN_EVENT_IEM],
		          "field 2 of ILLEGAL_INST is not the encoding mode");
	if (judge->seen >> SEEN_KEPT & 1)
		check_add(part, STF_RULE_EVENT_NOOP, &judge->first[SEEN_KEPT],
		          "the encoding that could not be executed is kept");
	if (judge->seen >> SEEN_IDS & 1)
		check_add(part, STF_RULE_PROCESS_MEANING, &judge->first[SEEN_IDS],
		          "PROCESS_ID_EXT is taken as hardware thread, PID, TID; "
		          "the draft means TGID, TID, ASID");
	if (cfg->version_minor >= 4 && (judge->seen >> SEEN_END & 1))
		check_add(part, STF_RULE_END_PRESENT, &judge->first[SEEN_END],
		          "record 255 in version %u.%u: the public reader fails on it", cfg->version_major,
		          cfg->version_minor);
	if (cfg->version_minor < 4 && !(judge->seen >> SEEN_END & 1))
		check_add(part, STF_RULE_END_ABSENT, &nowhere,
		          "the trace does not end with record 255; the public tools write none");
}

static int stf_rules_end(struct cairn_reader *reader, void *state, struct check_part *part)
{
	const struct stf_judge *judge = state;
	judge_seen(reader, judge, part);
	if (judge->insns + judge->xacts == 0 && !judge->damaged)
		check_add(part, STF_RULE_TRACE_EMPTY, &nowhere, "the trace holds no %s",
		          judge->insn_trace ? "instruction" : "transaction");
	else if (judge->trailing && !judge->damaged)
		check_add(part, STF_RULE_TRACE_TRAILING, &judge->trailing_at,
		          "this record and what follows stand behind the last %s and belong to "
		          "none; the public tools lose them",
		          judge->insn_trace ? "instruction" : "transaction");
	if (!judge->damaged && judge->insns + judge->xacts)
		stf_rules_features(reader, judge, part);
	return 0;
}

const struct check_rules stf_rules = {
	.rules = rules,
	.n = STF_RULE_COUNT,
	.damage = STF_RULE_RECORD_COMPLETE,
	.leaves = true,
	.start = stf_rules_start,
	.end = stf_rules_end,
	.state_free = stf_rules_state_free,
	.begin = stf_rules_begin,
	.drop = stf_rules_drop,
	.span = stf_rules_span,
	.fold = stf_rules_fold,
};
