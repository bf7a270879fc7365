/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn info`: what a file is, without reading it all (but for ETE, whose packets are
 * counted). The format tells facts; this lays them out. A key that comes several times
 * is a list.
 */
#include <string.h>

#include "cmd.h"
#include "export/json.h"

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

static int text_value(struct base_buf *buf, const struct cairn_fact *fact)
{
	const char *fixed = fact->is_list && !fact->is_known ? "none"
	                    : !fact->is_known                ? "unknown"
	                    : fact->is_true_false            ? (fact->number ? "yes" : "no")
	                                                     : fact->text;
	size_t n = fixed ? strlen(fixed) : 20;
	char *p = text_open(buf, 4 * n + 1);
	if (!p)
		return CAIRN_E_NOMEM;
	p = fixed ? text_escape(p, fixed, n, false) : text_dec(p, fact->number);
	*p++ = '\n';
	text_close(buf, p);
	return 0;
}

static int text_info(struct base_buf *buf, const struct cairn_info *info)
{
	size_t width = 0;
	int rc = 0;
	for (size_t i = 0; i < info->n; i++) {
		size_t n = strlen(info->facts[i].key);
		width = n > width ? n : width;
	}
	for (size_t i = 0; i < info->n && rc >= 0; i++) {
		const char *key = info->facts[i].key;
		if (info_seen_before(info, i))
			continue;
		rc = base_buf_printf(buf, "%-*s  ", (int)width, key);
		for (size_t k = i; k < info->n && rc >= 0; k = of_key(info, key, k + 1)) {
			if (k != i)
				rc = base_buf_printf(buf, "%*s  ", (int)width, "");
			if (rc >= 0)
				rc = text_value(buf, &info->facts[k]);
		}
	}
	return rc;
}

/* ---- JSON ---- */

static void info_json_value(struct jout *json, const struct cairn_fact *fact)
{
	if (!fact->is_known)
		jout_null(json);
	else if (fact->is_true_false)
		jout_bool(json, fact->number != 0);
	else if (fact->is_number)
		jout_u64(json, fact->number);
	else
		jout_text(json, fact->text);
}

static int json_info(struct base_buf *buf, const struct cairn_info *info)
{
	struct jout json;
	jout_init(&json, buf, true);
	jout_object(&json);
	for (size_t i = 0; i < info->n; i++) {
		const struct cairn_fact *fact = &info->facts[i];
		if (info_seen_before(info, i))
			continue;
		jout_key(&json, fact->key, strlen(fact->key));
		if (!fact->is_list) {
			info_json_value(&json, fact);
			continue;
		}
		jout_array(&json);
		for (size_t k = i; k < info->n; k = of_key(info, fact->key, k + 1))
			if (info->facts[k].is_known)
				info_json_value(&json, &info->facts[k]);
		jout_array_end(&json);
	}
	jout_object_end(&json);
	jout_end(&json);
	return json.status;
}

static int info_run(const struct verb *self, struct options *options)
{
	struct session session;
	const struct cairn_info *info;
	struct base_buf buf;
	if (options->n_operands > 1) {
		complain("info takes one trace, and '%s' is one too many", options->operands[1]);
		return EXIT_COULD_NOT;
	}
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	base_buf_init(&buf, session.cairn);
	session_progress(&session, false);
	int rc = cairn_reader_survey(session.reader, &info);
	if (rc >= 0)
		rc = options->times[OPT_JSON] ? json_info(&buf, info) : text_info(&buf, info);
	if (rc >= 0)
		rc = io_sink_write(session.out, buf.data, buf.len);
	base_buf_free(&buf);
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
	.takes = OPTION_LIST(TAKES_TRACE),
	.run = info_run,
};
