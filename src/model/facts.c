/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a file: an ordered list that a format fills and `info` prints. */
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
	struct cairn_fact *fact = facts_add(facts, key);
	char *text = n < 0 || !fact ? NULL : base_realloc(facts->cairn, NULL, (size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	if (!text)
		return facts->status = CAIRN_E_NOMEM;
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
	if (fact) {
		fact->number = number;
		fact->is_number = fact->is_known = 1;
	}
	return facts->status;
}

int model_fact_unknown(struct model_facts *facts, const char *key)
{
	facts_add(facts, key);
	return facts->status;
}

int model_fact_maybe(struct model_facts *facts, const char *key, const char *text)
{
	return text ? model_fact_text(facts, key, "%s", text) : model_fact_unknown(facts, key);
}

int model_fact_known(struct model_facts *facts, const char *key, bool known, uint64_t number)
{
	return known ? model_fact_number(facts, key, number) : model_fact_unknown(facts, key);
}

int model_fact_format(struct model_facts *facts, const struct cairn_reader *reader,
                      unsigned version)
{
	model_fact_text(facts, "format", "%s", reader->format->name);
	return model_fact_known(facts, "version", version != 0, version);
}

int model_fact_packing(struct model_facts *facts, const struct cairn_reader *reader, unsigned isa)
{
	model_fact_text(facts, "container", "none");
	model_fact_text(facts, "codec", "%s", io_codec(reader->io));
	return model_fact_maybe(facts, "isa", isa ? cairn_isa_name((enum cairn_isa)isa) : NULL);
}

int model_fact_size(struct model_facts *facts, uint64_t size)
{
	return model_fact_known(facts, "size", size != IO_UNKNOWN, size);
}

int model_fact_empty_list(struct model_facts *facts, const char *key)
{
	struct cairn_fact *fact = facts_add(facts, key);
	if (fact)
		fact->is_list = 1;
	return facts->status;
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
