/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verbs that make a trace have in common: the options that say where it goes
 * and how it is packed, the command line for its history, and telling what was lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "export/json.h"

/* "zstd:19" */
static int parse_codec(struct making *m, const char *text)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	if (!text)
		return 0;
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	if (n >= sizeof m->codec) {
		complain("there is no codec '%s'", text);
		return -1;
	}
	memcpy(m->codec, text, n);
	m->out.codec = m->codec;
	if (!colon)
		return 0;
	char *end;
	errno = 0;
	long level = strtol(colon + 1, &end, 10);
	if (end == colon + 1 || *end || errno || level < -200000 || level > 1000 || level == 0) {
		complain("--codec is CODEC or CODEC:LEVEL, not '%s'", text);
		return -1;
	}
	m->out.level = (int)level;
	return 0;
}

/* As a shell would take it again. */
static int change_put_word(struct base_buf *b, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"-_./:=+,@%";
	int rc = base_buf_put(b, " ", 1);
	if (*word && strspn(word, plain) == strlen(word))
		return rc < 0 ? rc : base_buf_put(b, word, strlen(word));
	if (rc >= 0)
		rc = base_buf_put(b, "'", 1);
	for (; *word && rc >= 0; word++)
		rc = *word == '\'' ? base_buf_put(b, "'\\''", 4) : base_buf_put(b, word, 1);
	return rc < 0 ? rc : base_buf_put(b, "'", 1);
}

static int report_command(struct making *m, const struct session *s)
{
	struct base_buf *b = &m->command;
	base_buf_init(b, s->c);
	int rc = base_buf_printf(b, "cairn %s", s->verb->name);
	for (int i = 0; i < s->o->argc && rc >= 0; i++)
		rc = change_put_word(b, s->o->argv[i]);
	return rc < 0 ? rc : base_buf_put(b, "", 1);
}

int making_start(struct making *m, const struct session *s)
{
	const struct options *o = s->o;
	*m = (struct making){.done.size = sizeof m->done};
	m->out = (struct cairn_output){.size = sizeof m->out,
	                               .to = o->value[OPT_TO],
	                               .path = o->value[OPT_OUTPUT] ? o->value[OPT_OUTPUT] : "-",
	                               .threads = o->threads,
	                               .lossless = o->times[OPT_LOSSLESS] != 0,
	                               .lossy = o->times[OPT_LOSSY] != 0};
	if (!strcmp(m->out.path, "-") && isatty(STDOUT_FILENO)) {
		complain("a trace is nothing for a terminal: name a file with -o");
		return -1;
	}
	if (parse_codec(m, o->value[OPT_CODEC]) < 0)
		return -1;
	if (report_command(m, s) < 0) {
		complain_of(s->c);
		return -1;
	}
	m->out.command = (const char *)m->command.data;
	return 0;
}

/* "what (3, first at number 100)" */
static void change_tell(const struct session *s, const struct cairn_ledger *l, const char *verb)
{
	for (size_t i = 0; l && i < l->n; i++) {
		const struct cairn_loss *x = &l->losses[i];
		unsigned long long count = x->count, first = x->first;
		char more[80] = "";
		if (first && count > 1)
			snprintf(more, sizeof more, " (%llu, first at number %llu)", count, first);
		else if (first)
			snprintf(more, sizeof more, " (at number %llu)", first);
		else if (count > 1)
			snprintf(more, sizeof more, " (%llu)", count);
		complain("%s: %s%s%s", s->trace, verb, x->what, more);
	}
}

static void json_ledger(struct jout *j, const struct cairn_ledger *l)
{
	jout_array(j);
	for (size_t i = 0; l && i < l->n; i++) {
		jout_object(j);
		JSON_KEY(j, "what");
		jout_text(j, l->losses[i].what);
		JSON_KEY(j, "count");
		jout_u64(j, l->losses[i].count);
		JSON_KEY(j, "first");
		if (l->losses[i].first)
			jout_u64(j, l->losses[i].first);
		else
			jout_null(j);
		jout_object_end(j);
	}
	jout_array_end(j);
}

/* One document; on standard error when the trace itself went to standard output. */
static void report_json(const struct making *m, const struct session *s)
{
	struct base_buf b;
	struct jout j;
	base_buf_init(&b, s->c);
	jout_init(&j, &b, false);
	jout_object(&j);
	JSON_KEY(&j, "output");
	jout_text(&j, m->out.path);
	JSON_KEY(&j, "instructions");
	jout_u64(&j, m->done.instructions);
	JSON_KEY(&j, "lost");
	json_ledger(&j, m->done.lost);
	JSON_KEY(&j, "notes");
	json_ledger(&j, m->done.notes);
	jout_object_end(&j);
	jout_end(&j);
	if (j.status >= 0)
		fwrite(b.data, 1, b.len, strcmp(m->out.path, "-") ? stdout : stderr);
	base_buf_free(&b);
}

void making_end(struct making *m, const struct session *s, int rc)
{
	bool json = s->o->times[OPT_JSON] != 0;
	if (rc >= 0 && json)
		report_json(m, s);
	if (rc >= 0 && !json)
		change_tell(s, m->done.lost, "lost: ");
	if (rc >= 0 && !json && !s->o->times[OPT_QUIET])
		change_tell(s, m->done.notes, "");
	cairn_changed_free(s->c, &m->done);
	base_buf_free(&m->command);
}

/* ---- options ---- */

int option_look_back(const struct options *o, uint64_t *out)
{
	const char *back = o->value[OPT_LOOK_BACK];
	if (back && !strcmp(back, "all")) {
		*out = UINT64_MAX;
	} else if (back && (options_parse_number(back, strlen(back), out) < 0 || !*out)) {
		complain("--look-back is a number of instructions, or all, not '%s'", back);
		return -1;
	}
	return 0;
}
