/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of VIXL for the engine. A span is looked at twice: at its lines, then at what they
 * became in batches.
 */
#include "formats/vixl/check/rules.h"

#define VIXL_RULE_ROW(name, id, severity, clause, text) \
	[VIXL_RULE_##name] = {"vixl." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {VIXL_RULES(VIXL_RULE_ROW) CHECK_EXECUTION_RULES};
#undef VIXL_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == (int)VIXL_RULE_COUNT + (int)CHECK_EXECUTION_COUNT,
               "a row for every rule");
_Static_assert(sizeof rules / sizeof *rules <= (int)CAIRN_MAX_RULES,
               "findings are counted by rule");

static int vixl_rules_start(struct cairn_reader *reader, void **state, struct check_part *part)
{
	struct vixl_judge *judge = base_alloc(reader->cairn, sizeof *judge);
	(void)part;
	*state = judge;
	if (!judge)
		return CAIRN_E_NOMEM;
	vixl_memory_init(&judge->memory, reader->cairn, true);
	return 0;
}

static void vixl_rules_state_free(struct cairn_reader *reader, void *state)
{
	struct vixl_judge *judge = state;
	if (judge)
		vixl_memory_free(&judge->memory);
	base_free(reader->cairn, judge);
}

static int vixl_rules_begin(struct cairn_reader *reader, const void *state, struct check_part *part)
{
	struct vixl_part *k = base_alloc(reader->cairn, sizeof *k);
	(void)state;
	part->priv = k;
	if (!k)
		return CAIRN_E_NOMEM;
	vixl_memory_init(&k->memory, reader->cairn, false);
	return 0;
}

static void vixl_rules_drop(struct cairn_reader *reader, struct check_part *part)
{
	struct vixl_part *k = part->priv;
	if (k)
		vixl_memory_free(&k->memory);
	base_free(reader->cairn, k);
	part->priv = NULL;
}

static int vixl_rules_span(struct cairn_reader *reader, const void *state, struct model_span *span,
                           struct check_part *part)
{
	struct vixl_span *ss = span->priv;
	const struct kit_window window = ss->text.bytes.window;
	const struct text_place at = ss->text.at;
	const struct vixl_onward onward = ss->onward;
	(void)state;
	int rc = vixl_rules_lines(reader, span, part);
	if (rc >= 0)
		rc = vixl_rules_values(reader, span, part);
	model_damage_free(reader->cairn, &span->damage); /* told by the lines */
	if (span->again) {
		ss->text.bytes.window = window;
		ss->text.at = at;
		ss->text.finished = false;
		ss->onward = onward;
	}
	return rc;
}

static int vixl_rules_fold(struct cairn_reader *reader, void *state, struct check_part *part)
{
	struct vixl_judge *judge = state;
	const struct vixl_part *k = part->priv;
	(void)reader;
	int rc = vixl_rules_join(judge, k, part);
	return rc < 0 ? rc : vixl_memory_join(&judge->memory, &k->memory, part);
}

const struct check_rules vixl_rules = {
	.rules = rules,
	.n = VIXL_RULE_COUNT,
	.damage = VIXL_RULE_INPUT_COMPLETE,
	.start = vixl_rules_start,
	.state_free = vixl_rules_state_free,
	.begin = vixl_rules_begin,
	.drop = vixl_rules_drop,
	.span = vixl_rules_span,
	.fold = vixl_rules_fold,
};
