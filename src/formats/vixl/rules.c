/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of VIXL as the engine wants them. A span is looked at twice: its lines, then
 * what became of them in batches.
 */
#include "formats/vixl/rules.h"

#define VIXL_RULE_ROW(name, id, severity, clause, text) \
	[VIXL_RULE_##name] = {"vixl." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {VIXL_RULES(VIXL_RULE_ROW)};
#undef VIXL_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == VIXL_RULE_COUNT, "a row for every rule");
_Static_assert((int)VIXL_RULE_COUNT <= (int)CAIRN_MAX_RULES, "findings are counted by rule");

static int vixl_rules_start(struct cairn_reader *r, void **state, struct check_part *p)
{
	struct vixl_judge *j = base_alloc(r->c, sizeof *j);
	(void)p;
	*state = j;
	if (!j)
		return CAIRN_E_NOMEM;
	vixl_memory_init(&j->memory, r->c, true);
	return 0;
}

static void vixl_rules_state_free(struct cairn_reader *r, void *state)
{
	struct vixl_judge *j = state;
	if (j)
		vixl_memory_free(&j->memory);
	base_free(r->c, j);
}

static int vixl_rules_begin(struct cairn_reader *r, const void *state, struct check_part *p)
{
	struct vixl_part *k = base_alloc(r->c, sizeof *k);
	(void)state;
	p->priv = k;
	if (!k)
		return CAIRN_E_NOMEM;
	vixl_memory_init(&k->memory, r->c, false);
	return 0;
}

static void vixl_rules_drop(struct cairn_reader *r, struct check_part *p)
{
	struct vixl_part *k = p->priv;
	if (k)
		vixl_memory_free(&k->memory);
	base_free(r->c, k);
	p->priv = NULL;
}

static int vixl_rules_span(struct cairn_reader *r, const void *state, struct model_span *s,
                           struct check_part *p)
{
	struct vixl_span *ss = s->priv;
	const struct vixl_window w = ss->w;
	const struct vixl_state at = ss->at;
	(void)state;
	int rc = vixl_rules_lines(r, s, p);
	if (rc >= 0)
		rc = vixl_rules_values(r, s, p);
	model_damage_free(r->c, &s->damage); /* told by the lines */
	if (s->again) {
		ss->w = w;
		ss->at = at;
		ss->finished = false;
	}
	return rc;
}

static int vixl_rules_fold(struct cairn_reader *r, void *state, struct check_part *p)
{
	struct vixl_judge *j = state;
	const struct vixl_part *k = p->priv;
	(void)r;
	int rc = vixl_rules_join(j, k, p);
	return rc < 0 ? rc : vixl_memory_join(&j->memory, &k->memory, p);
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
