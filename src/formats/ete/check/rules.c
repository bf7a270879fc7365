/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of ETE for the engine. A span begins at a Trace Info. So it can be judged alone, except
 * for what the Trace Info has to agree with, and for what had to come before the first P0 element;
 * fold judges these by what the trace unit's last span left. So findings do not depend on where a
 * stream was cut.
 */
#include "formats/ete/check/rules.h"

#include <stdio.h>
#include <string.h>

#define ETE_RULE_ROW(name, id, severity, clause, text) \
	[ETE_RULE_##name] = {"ete." id, clause, text, CAIRN_##severity},
static const struct cairn_rule rules[] = {ETE_RULES(ETE_RULE_ROW) CHECK_EXECUTION_RULES};
#undef ETE_RULE_ROW
_Static_assert(sizeof rules / sizeof *rules == (int)ETE_RULE_COUNT + (int)CHECK_EXECUTION_COUNT,
               "a row for every rule");
_Static_assert(sizeof rules / sizeof *rules <= (int)CAIRN_MAX_RULES,
               "findings are counted by rule");

void ete_finding(const struct ete_found *found, unsigned rule, const struct check_place *at,
                 const char *fmt, ...)
{
	char text[400];
	va_list ap;
	bool named = found->several && found->program->name;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	check_add(found->part, rule, at, "%s%s%s", named ? found->program->name : "", named ? ": " : "",
	          text);
}

static struct ete_found rules_found(const struct cairn_reader *reader, struct check_part *part,
                                    unsigned program)
{
	const struct ete_impl *im = reader->impl;
	return (struct ete_found){part, &im->programs[program], im->n_programs > 1};
}

/* ---- the trace ---- */

static int ete_rules_start(struct cairn_reader *reader, void **state, struct check_part *part)
{
	const struct ete_impl *im = reader->impl;
	struct ete_judge *judge = base_alloc(reader->cairn, sizeof *judge);
	*state = judge;
	if (!judge)
		return CAIRN_E_NOMEM;
	judge->units = base_alloc(reader->cairn, (im->n_programs + 1) * sizeof *judge->units);
	if (!judge->units)
		return CAIRN_E_NOMEM;
	for (unsigned i = 0; i < im->n_programs; i++) {
		struct ete_found found = rules_found(reader, part, i);
		ete_order_begin(&judge->units[i].order);
		if (i < im->n_told && (!im->snapshot || im->snapshot->units[i].decoded))
			ete_rules_config(&found);
	}
	return 0;
}

static void ete_rules_state_free(struct cairn_reader *reader, void *state)
{
	struct ete_judge *judge = state;
	if (judge)
		base_free(reader->cairn, judge->units);
	base_free(reader->cairn, judge);
}

/* ---- spans ---- */

static int ete_rules_begin(struct cairn_reader *reader, const void *state, struct check_part *part)
{
	(void)state;
	part->priv = base_alloc(reader->cairn, sizeof(struct ete_part));
	return part->priv ? 0 : CAIRN_E_NOMEM;
}

static void ete_rules_drop(struct cairn_reader *reader, struct check_part *part)
{
	base_free(reader->cairn, part->priv);
	part->priv = NULL;
}

static int ete_rules_span(struct cairn_reader *reader, const void *state, struct model_span *span,
                          struct check_part *part)
{
	struct ete_span *sp = span->priv;
	struct ete_part *k = part->priv;
	uint64_t numbers = 0, records = 0;
	(void)state;
	if (!sp->program) { /* a session without streams: only what opening it reported */
		if (!span->scanned)
			memcpy(span->exit, sp->at, reader->state_size);
		return 0;
	}
	k->any = true;
	k->leads = sp->leads;
	k->last = sp->last;
	k->program = sp->unit;
	int rc = ete_rules_order(reader, span, part, &records);
	if (rc >= 0)
		rc = ete_rules_flow(reader, span, part, &numbers);
	if (rc < 0)
		return rc;
	if (span->again) {
		ete_span_rewind(reader, sp);
		return 0;
	}
	sp->at->n += numbers;
	sp->at->rec += records;
	ete_span_leave(reader, span);
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

/* Join the next span of the same stream. */
static void ete_rules_join(const struct ete_found *found, struct ete_judge_unit *unit,
                           const struct ete_part *part)
{
	struct ete_order *order = &unit->order;
	ete_order_async(found, order, &part->async_at);
	ete_order_info(found, order, &part->info, &part->info_at);
	if (part->asks) {
		struct ete_order first = part->first;
		first.gap = asked(first.gap, order->gap);
		first.address = asked(first.address, order->address);
		first.context = asked(first.context, order->context);
		ete_order_p0(found, &first, &part->first_at);
	}
	if (part->tx_at.known)
		ete_rules_info_transaction(found, unit->tx, part->tx_told == ETE_TX_OPEN, &part->tx_at);
}

static int ete_rules_fold(struct cairn_reader *reader, void *state, struct check_part *part)
{
	struct ete_judge *judge = state;
	const struct ete_part *k = part->priv;
	if (!k->any)
		return 0;
	struct ete_found found = rules_found(reader, part, k->program);
	struct ete_judge_unit *unit = &judge->units[k->program];
	struct ete_order before;
	if (!k->leads)
		ete_rules_join(&found, unit, k);
	before = unit->order;
	unit->order = k->order;
	unit->order.gap = rules_carry(unit->order.gap, before.gap);
	unit->order.address = rules_carry(unit->order.address, before.address);
	unit->order.context = rules_carry(unit->order.context, before.context);
	unit->tx = k->tx;
	if (k->last)
		ete_order_end(&found, &unit->order);
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
