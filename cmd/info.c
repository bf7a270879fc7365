/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn info`: what a file is, without reading it all (but for ETE, whose packets are
 * counted). The format tells facts; this lays them out. A key that comes several times
 * is a list.
 */
#include <string.h>

#include "cmd.h"

static bool info_seen_before(const struct cairn_info *info, size_t index)
{
	for (size_t k = 0; k < index; k++)
		if (!strcmp(info->facts[k].key, info->facts[index].key))
			return true;
	return false;
}

/* The next fact of the same key from `index` on; info->n when there is none. */
static size_t of_key(const struct cairn_info *info, const char *key, size_t index)
{
	while (index < info->n && strcmp(info->facts[index].key, key) != 0)
		index++;
	return index;
}

/* ---- text ---- */

static void text_value(struct cairn_text *text, const struct cairn_fact *fact)
{
	const char *fixed = fact->is_list && !fact->is_known ? "none"
	                    : !fact->is_known                ? "unknown"
	                    : fact->is_true_false            ? (fact->number ? "yes" : "no")
	                                                     : fact->text;
	if (fixed)
		cairn_text_escape(text, fixed);
	else
		cairn_text_printf(text, "%llu", (unsigned long long)fact->number);
}

static int text_info(struct cairn_text *text, const struct cairn_info *info)
{
	size_t width = 0;
	int rc = 0;
	for (size_t i = 0; i < info->n; i++) {
		size_t n = strlen(info->facts[i].key);
		width = n > width ? n : width;
	}
	for (size_t i = 0; i < info->n; i++) {
		const char *key = info->facts[i].key;
		if (info_seen_before(info, i))
			continue;
		for (size_t k = i; k < info->n; k = of_key(info, key, k + 1)) {
			cairn_text_printf(text, "%-*s  ", (int)width, k == i ? key : "");
			text_value(text, &info->facts[k]);
			rc = cairn_text_printf(text, "\n");
		}
	}
	return rc;
}

/* ---- JSON ---- */

static void info_json_value(struct cairn_text *text, const char *key, const struct cairn_fact *fact)
{
	if (!fact->is_known)
		cairn_json_null(text, key);
	else if (fact->is_true_false)
		cairn_json_bool(text, key, fact->number != 0);
	else if (fact->is_number)
		cairn_json_number(text, key, fact->number);
	else
		cairn_json_text(text, key, fact->text);
}

static int json_info(struct cairn_text *text, const struct cairn_info *info)
{
	cairn_json_begin(text, 1);
	for (size_t i = 0; i < info->n; i++) {
		const struct cairn_fact *fact = &info->facts[i];
		if (info_seen_before(info, i))
			continue;
		if (!fact->is_list) {
			info_json_value(text, fact->key, fact);
			continue;
		}
		cairn_json_array(text, fact->key);
		for (size_t k = i; k < info->n; k = of_key(info, fact->key, k + 1))
			if (info->facts[k].is_known)
				info_json_value(text, NULL, &info->facts[k]);
		cairn_json_close(text);
	}
	return cairn_json_end(text);
}

static int info_run(const struct verb *self, struct options *options)
{
	struct session session;
	const struct cairn_info *info;
	if (options->n_operands > 1) {
		complain("info takes one trace, and '%s' is another", options->operands[1]);
		return EXIT_COULD_NOT;
	}
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	session_progress(&session, false);
	int rc = cairn_reader_survey(session.reader, &info);
	if (rc >= 0)
		rc = options->times[OPT_JSON] ? json_info(session.text, info)
		                              : text_info(session.text, info);
	rc = session_print(&session, rc);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_info = {
	.name = "info",
	.summary = "what the file is",
	.usage = "[options] TRACE",
	.help = "Format, version, container, codec, instruction set, generators, features, comments,\n"
			"size and, where it can be told without reading everything, the number of\n"
			"instructions. Of ETE it reads all packets and counts them. With --json one\n"
			"document.\n",
	.takes = OPTION_LIST(TAKES_COMMON, TAKES(OUTPUT), TAKES_FROM, TAKES(JSON)),
	.run = info_run,
};
