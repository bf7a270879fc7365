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
static int parse_codec(struct making *making, const char *text)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	if (!text)
		return 0;
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	if (n >= sizeof making->codec) {
		complain("there is no codec '%s'", text);
		return -1;
	}
	memcpy(making->codec, text, n);
	making->out.codec = making->codec;
	if (!colon)
		return 0;
	char *end;
	errno = 0;
	long level = strtol(colon + 1, &end, 10);
	if (end == colon + 1 || *end || errno || level < -200000 || level > 1000 || level == 0) {
		complain("--codec is CODEC or CODEC:LEVEL, not '%s'", text);
		return -1;
	}
	making->out.level = (int)level;
	return 0;
}

/* As a shell would take it again. */
static int change_put_word(struct base_buf *buf, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"-_./:=+,@%";
	int rc = base_buf_put(buf, " ", 1);
	if (*word && strspn(word, plain) == strlen(word))
		return rc < 0 ? rc : base_buf_put(buf, word, strlen(word));
	if (rc >= 0)
		rc = base_buf_put(buf, "'", 1);
	for (; *word && rc >= 0; word++)
		rc = *word == '\'' ? base_buf_put(buf, "'\\''", 4) : base_buf_put(buf, word, 1);
	return rc < 0 ? rc : base_buf_put(buf, "'", 1);
}

static int report_command(struct making *making, const struct session *session)
{
	struct base_buf *buf = &making->command;
	base_buf_init(buf, session->cairn);
	int rc = base_buf_printf(buf, "cairn %s", session->verb->name);
	for (int i = 0; i < session->options->argc && rc >= 0; i++)
		rc = change_put_word(buf, session->options->argv[i]);
	return rc < 0 ? rc : base_buf_put(buf, "", 1);
}

int making_start(struct making *making, const struct session *session)
{
	const struct options *options = session->options;
	*making = (struct making){.done.size = sizeof making->done};
	making->out =
		(struct cairn_output){.size = sizeof making->out,
	                          .to = options->value[OPT_TO],
	                          .path = options->value[OPT_OUTPUT] ? options->value[OPT_OUTPUT] : "-",
	                          .threads = options->threads,
	                          .lossless = options->times[OPT_LOSSLESS] != 0,
	                          .lossy = options->times[OPT_LOSSY] != 0};
	if (!strcmp(making->out.path, "-") && isatty(STDOUT_FILENO)) {
		complain("a trace is nothing for a terminal: name a file with -o");
		return -1;
	}
	if (parse_codec(making, options->value[OPT_CODEC]) < 0)
		return -1;
	if (report_command(making, session) < 0) {
		complain_of(session->cairn);
		return -1;
	}
	making->out.command = (const char *)making->command.data;
	return 0;
}

/* "what (3, first at number 100)" */
static void change_tell(const struct session *session, const struct cairn_ledger *ledger,
                        const char *verb)
{
	for (size_t i = 0; ledger && i < ledger->n; i++) {
		const struct cairn_loss *loss = &ledger->losses[i];
		unsigned long long count = loss->count, first = loss->first;
		char more[80] = "";
		if (first && count > 1)
			snprintf(more, sizeof more, " (%llu, first at number %llu)", count, first);
		else if (first)
			snprintf(more, sizeof more, " (at number %llu)", first);
		else if (count > 1)
			snprintf(more, sizeof more, " (%llu)", count);
		complain("%s: %s%s%s", session->trace, verb, loss->what, more);
	}
}

static void json_ledger(struct jout *json, const struct cairn_ledger *ledger)
{
	jout_array(json);
	for (size_t i = 0; ledger && i < ledger->n; i++) {
		jout_object(json);
		JSON_KEY(json, "what");
		jout_text(json, ledger->losses[i].what);
		JSON_KEY(json, "count");
		jout_u64(json, ledger->losses[i].count);
		JSON_KEY(json, "first");
		if (ledger->losses[i].first)
			jout_u64(json, ledger->losses[i].first);
		else
			jout_null(json);
		jout_object_end(json);
	}
	jout_array_end(json);
}

/* One document; on standard error when the trace itself went to standard output. */
static void report_json(const struct making *making, const struct session *session)
{
	struct base_buf buf;
	struct jout json;
	base_buf_init(&buf, session->cairn);
	jout_init(&json, &buf, false);
	jout_object(&json);
	JSON_KEY(&json, "output");
	jout_text(&json, making->out.path);
	JSON_KEY(&json, "instructions");
	jout_u64(&json, making->done.instructions);
	JSON_KEY(&json, "lost");
	json_ledger(&json, making->done.lost);
	JSON_KEY(&json, "notes");
	json_ledger(&json, making->done.notes);
	jout_object_end(&json);
	jout_end(&json);
	if (json.status >= 0)
		fwrite(buf.data, 1, buf.len, strcmp(making->out.path, "-") ? stdout : stderr);
	base_buf_free(&buf);
}

void making_end(struct making *making, const struct session *session, int rc)
{
	bool json = session->options->times[OPT_JSON] != 0;
	if (rc >= 0 && json)
		report_json(making, session);
	if (rc >= 0 && !json)
		change_tell(session, making->done.lost, "lost: ");
	if (rc >= 0 && !json && !session->options->times[OPT_QUIET])
		change_tell(session, making->done.notes, "");
	cairn_changed_free(session->cairn, &making->done);
	base_buf_free(&making->command);
}

/* ---- options ---- */

int option_look_back(const struct options *options, uint64_t *out)
{
	const char *back = options->value[OPT_LOOK_BACK];
	if (back && !strcmp(back, "all")) {
		*out = UINT64_MAX;
	} else if (back && (options_parse_number(back, strlen(back), out) < 0 || !*out)) {
		complain("--look-back is a number of instructions, or all, not '%s'", back);
		return -1;
	}
	return 0;
}
