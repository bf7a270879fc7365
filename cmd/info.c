/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn info`: what a file is, without reading it all (but for ETE, whose packets are
 * counted). The format tells facts; this lays them out. A key that comes several times
 * is a list.
 */
#include <string.h>

#include "cmd.h"
#include "export/json.h"

static bool info_seen_before(const struct cairn_info *info, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(info->facts[k].key, info->facts[i].key))
			return true;
	return false;
}

/* The next fact of the same key from `i` on; info->n when there is none. */
static size_t of_key(const struct cairn_info *info, const char *key, size_t i)
{
	while (i < info->n && strcmp(info->facts[i].key, key) != 0)
		i++;
	return i;
}

/* ---- text ---- */

static int text_value(struct base_buf *b, const struct cairn_fact *f)
{
	const char *fixed = f->is_list && !f->is_known ? "none"
	                    : !f->is_known             ? "unknown"
	                    : f->is_true_false         ? (f->number ? "yes" : "no")
	                                               : f->text;
	size_t n = fixed ? strlen(fixed) : 20;
	char *p = text_open(b, 4 * n + 1);
	if (!p)
		return CAIRN_E_NOMEM;
	p = fixed ? text_escape(p, fixed, n, false) : text_dec(p, f->number);
	*p++ = '\n';
	text_close(b, p);
	return 0;
}

static int text_info(struct base_buf *b, const struct cairn_info *info)
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
		rc = base_buf_printf(b, "%-*s  ", (int)width, key);
		for (size_t k = i; k < info->n && rc >= 0; k = of_key(info, key, k + 1)) {
			if (k != i)
				rc = base_buf_printf(b, "%*s  ", (int)width, "");
			if (rc >= 0)
				rc = text_value(b, &info->facts[k]);
		}
	}
	return rc;
}

/* ---- JSON ---- */

static void info_json_value(struct jout *j, const struct cairn_fact *f)
{
	if (!f->is_known)
		jout_null(j);
	else if (f->is_true_false)
		jout_bool(j, f->number != 0);
	else if (f->is_number)
		jout_u64(j, f->number);
	else
		jout_text(j, f->text);
}

static int json_info(struct base_buf *b, const struct cairn_info *info)
{
	struct jout j;
	jout_init(&j, b, true);
	jout_object(&j);
	for (size_t i = 0; i < info->n; i++) {
		const struct cairn_fact *f = &info->facts[i];
		if (info_seen_before(info, i))
			continue;
		jout_key(&j, f->key, strlen(f->key));
		if (!f->is_list) {
			info_json_value(&j, f);
			continue;
		}
		jout_array(&j);
		for (size_t k = i; k < info->n; k = of_key(info, f->key, k + 1))
			if (info->facts[k].is_known)
				info_json_value(&j, &info->facts[k]);
		jout_array_end(&j);
	}
	jout_object_end(&j);
	jout_end(&j);
	return j.status;
}

static int info_run(const struct verb *self, struct options *o)
{
	struct session s;
	const struct cairn_info *info;
	struct base_buf b;
	if (o->n_operands > 1) {
		complain("info takes one trace, and '%s' is one too many", o->operands[1]);
		return EXIT_COULD_NOT;
	}
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	base_buf_init(&b, s.c);
	session_progress(&s, false);
	int rc = cairn_reader_survey(s.r, &info);
	if (rc >= 0)
		rc = o->times[OPT_JSON] ? json_info(&b, info) : text_info(&b, info);
	if (rc >= 0)
		rc = io_sink_write(s.out, b.data, b.len);
	base_buf_free(&b);
	return session_finish(&s, rc, EXIT_FINE);
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
