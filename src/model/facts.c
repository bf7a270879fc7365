/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a file: an ordered list a format fills and `info` prints. */
#include "model/model.h"

#include <stdio.h>

static struct cairn_fact *facts_add(struct model_facts *facts, const char *key)
{
	if (facts->status >= 0)
		facts->status = base_grow(facts->cairn, &facts->info.facts, &facts->cap, facts->info.n,
		                          sizeof *facts->info.facts, 32);
	if (facts->status < 0)
		return NULL;
	struct cairn_fact *fact = &facts->info.facts[facts->info.n];
	*fact = (struct cairn_fact){.key = key};
	facts->info.n++;
	return fact;
}

static int facts_add_text(struct model_facts *facts, const char *key, bool list, const char *fmt,
                          va_list ap)
{
	char buf[256];
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(buf, sizeof buf, fmt, ap);
	char *text = n < 0 ? NULL : base_realloc(facts->cairn, NULL, (size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	if (!text)
		return facts->status = CAIRN_E_NOMEM;
	struct cairn_fact *fact = facts_add(facts, key);
	if (!fact) {
		base_free(facts->cairn, text);
		return facts->status;
	}
	fact->text = text;
	fact->is_known = 1;
	fact->is_list = list;
	return 0;
}

int model_fact_text(struct model_facts *facts, const char *key, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int rc = facts_add_text(facts, key, false, fmt, ap);
	va_end(ap);
	return rc;
}

int model_fact_list(struct model_facts *facts, const char *key, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int rc = facts_add_text(facts, key, true, fmt, ap);
	va_end(ap);
	return rc;
}

int model_fact_number(struct model_facts *facts, const char *key, uint64_t number)
{
	struct cairn_fact *fact = facts_add(facts, key);
	if (!fact)
		return CAIRN_E_NOMEM;
	fact->number = number;
	fact->is_number = fact->is_known = 1;
	return 0;
}

int model_fact_number_if(struct model_facts *facts, const char *key, bool known, uint64_t number)
{
	return known ? model_fact_number(facts, key, number) : model_fact_unknown(facts, key);
}

int model_fact_unknown(struct model_facts *facts, const char *key)
{
	return facts_add(facts, key) ? 0 : CAIRN_E_NOMEM;
}

int model_fact_empty_list(struct model_facts *facts, const char *key)
{
	struct cairn_fact *fact = facts_add(facts, key);
	if (!fact)
		return CAIRN_E_NOMEM;
	fact->is_list = 1;
	return 0;
}

void model_facts_free(struct model_facts *facts)
{
	for (size_t i = 0; i < facts->info.n; i++)
		base_free(facts->cairn, (char *)(uintptr_t)facts->info.facts[i].text);
	base_free(facts->cairn, facts->info.facts);
	facts->info = (struct cairn_info){0};
	facts->cap = 0;
	facts->status = 0;
}
