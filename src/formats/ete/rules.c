/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of ETE as the engine wants them. A span begins at a Trace Info, so it can be
 * judged alone but for what that has to agree with, and for what had to be told before
 * the first P0 element; fold judges these with what the trace unit's last span left. So
 * findings do not depend on where a stream was cut.
 */
#include "formats/ete/rules.h"

#include <stdio.h>
#include <string.h>

#define ETE_RULE_ROW(name, id, severity, clause, text) \
	[ETE_RULE_##name] = {"ete." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {ETE_RULES(ETE_RULE_ROW)};
#undef ETE_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == ETE_RULE_COUNT, "a row for every rule");
_Static_assert((int)ETE_RULE_COUNT <= (int)CAIRN_MAX_RULES, "findings are counted by rule");

void ete_finding(const struct ete_found *f, unsigned rule, const struct check_place *at,
                 const char *fmt, ...)
{
	char text[400];
	va_list ap;
	bool named = f->several && f->program->name;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	check_add(f->p, rule, at, "%s%s%s", named ? f->program->name : "", named ? ": " : "", text);
}

static struct ete_found rules_found(const struct cairn_reader *r, struct check_part *p,
                                    unsigned program)
{
	const struct ete_impl *im = r->impl;
	return (struct ete_found){p, &im->programs[program], im->n_programs > 1};
}

/* ---- the trace ---- */

static int ete_rules_start(struct cairn_reader *r, void **state, struct check_part *p)
{
	const struct ete_impl *im = r->impl;
	struct ete_judge *j = base_alloc(r->c, sizeof *j);
	*state = j;
	if (!j)
		return CAIRN_E_NOMEM;
	j->units = base_alloc(r->c, (im->n_programs + 1) * sizeof *j->units);
	if (!j->units)
		return CAIRN_E_NOMEM;
	for (unsigned i = 0; i < im->n_programs; i++) {
		struct ete_found f = rules_found(r, p, i);
		ete_order_begin(&j->units[i].order);
		if (i < im->n_told && (!im->snapshot || im->snapshot->units[i].decoded))
			ete_rules_config(&f);
	}
	return 0;
}

static void ete_rules_state_free(struct cairn_reader *r, void *state)
{
	struct ete_judge *j = state;
	if (j)
		base_free(r->c, j->units);
	base_free(r->c, j);
}

/* ---- spans ---- */

static int ete_rules_begin(struct cairn_reader *r, const void *state, struct check_part *p)
{
	(void)state;
	p->priv = base_alloc(r->c, sizeof(struct ete_part));
	return p->priv ? 0 : CAIRN_E_NOMEM;
}

static void ete_rules_drop(struct cairn_reader *r, struct check_part *p)
{
	base_free(r->c, p->priv);
	p->priv = NULL;
}

static int ete_rules_span(struct cairn_reader *r, const void *state, struct model_span *s,
                          struct check_part *p)
{
	struct ete_span *sp = s->priv;
	struct ete_part *k = p->priv;
	uint64_t numbers = 0, records = 0;
	(void)state;
	if (!sp->program) { /* a session without streams: only what opening it told */
		if (!s->scanned)
			memcpy(s->exit, sp->at, r->state_size);
		return 0;
	}
	k->any = true;
	k->leads = sp->leads;
	k->last = sp->last;
	k->program = sp->unit;
	int rc = ete_rules_order(r, s, p, &records);
	if (rc >= 0)
		rc = ete_rules_flow(r, s, p, &numbers);
	if (rc < 0)
		return rc;
	if (s->again) {
		ete_span_rewind(r, sp);
		return 0;
	}
	sp->at->n += numbers;
	sp->at->rec += records;
	ete_span_leave(r, s);
	return 0;
}

static uint8_t rules_carry(uint8_t now, uint8_t before)
{
	return now == ETE_AS_BEFORE ? before : now;
}

/* What was known within the span has been judged there. */
static uint8_t asked(uint8_t now, uint8_t before)
{
	return now == ETE_AS_BEFORE ? before : ETE_MUST_NOT;
}

/* The span behind another one of the same stream. */
static void ete_rules_join(const struct ete_found *f, struct ete_judge_unit *u,
                           const struct ete_part *k)
{
	struct ete_order *o = &u->order;
	ete_order_async(f, o, &k->async_at);
	ete_order_info(f, o, &k->info, &k->info_at);
	if (k->asks) {
		struct ete_order first = k->first;
		first.gap = asked(first.gap, o->gap);
		first.address = asked(first.address, o->address);
		first.context = asked(first.context, o->context);
		ete_order_p0(f, &first, &k->first_at);
	}
	if (k->tx_at.known)
		ete_rules_info_transaction(f, u->tx, k->tx_told == ETE_TX_OPEN, &k->tx_at);
}

static int ete_rules_fold(struct cairn_reader *r, void *state, struct check_part *p)
{
	struct ete_judge *j = state;
	const struct ete_part *k = p->priv;
	if (!k->any)
		return 0;
	struct ete_found f = rules_found(r, p, k->program);
	struct ete_judge_unit *u = &j->units[k->program];
	struct ete_order before;
	if (!k->leads)
		ete_rules_join(&f, u, k);
	before = u->order;
	u->order = k->order;
	u->order.gap = rules_carry(u->order.gap, before.gap);
	u->order.address = rules_carry(u->order.address, before.address);
	u->order.context = rules_carry(u->order.context, before.context);
	u->tx = k->tx;
	if (k->last)
		ete_order_end(&f, &u->order);
	return 0;
}

const struct check_rules ete_rules = {
	.rules = rules,
	.n = ETE_RULE_COUNT,
	.damage = ETE_RULE_INPUT_COMPLETE,
	.start = ete_rules_start,
	.state_free = ete_rules_state_free,
	.begin = ete_rules_begin,
	.drop = ete_rules_drop,
	.leaves = true,
	.span = ete_rules_span,
	.fold = ete_rules_fold,
};
