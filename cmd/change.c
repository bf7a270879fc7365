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

/* Quote a word so that a shell would read it as it is. */
static void change_put_word(struct cairn_text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"-_./:=+,@%";
	if (*word && strspn(word, plain) == strlen(word)) {
		cairn_text_printf(text, " %s", word);
		return;
	}
	cairn_text_printf(text, " '");
	for (size_t n; *word; word += n + (word[n] == '\'')) {
		n = strcspn(word, "'");
		cairn_text_put(text, word, n);
		if (word[n])
			cairn_text_printf(text, "'\\''");
	}
	cairn_text_printf(text, "'");
}

static int report_command(struct making *making, const struct session *session)
{
	size_t n;
	struct cairn_text *text = making->command = cairn_text_new(session->cairn);
	if (!text)
		return CAIRN_E_NOMEM;
	cairn_text_printf(text, "cairn %s", session->verb->name);
	for (int i = 0; i < session->options->argc; i++)
		change_put_word(text, session->options->argv[i]);
	int rc = cairn_text_put(text, "", 1);
	making->out.command = cairn_text_get(text, &n);
	return rc;
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
		complain("a trace cannot be printed on a terminal: name a file with -o");
		return -1;
	}
	if (parse_codec(making, options->value[OPT_CODEC]) < 0)
		return -1;
	if (report_command(making, session) < 0) {
		complain_of(session->cairn);
		return -1;
	}
	return 0;
}

int making_open(struct making *making, struct session *session, const struct verb *verb,
                const struct options *options)
{
	if (options->n_operands > 1 && !option_taken(verb->takes, OPT_REGION)) {
		complain("%s takes one trace, and %s is another%s", verb->name, options->operands[1],
		         option_taken(verb->takes, OPT_BY) ? "" : " (cairn slice takes regions)");
		return -1;
	}
	if (session_open(session, verb, options) < 0)
		return -1;
	if (making_start(making, session) < 0) {
		session_finish(session, 0, 0);
		return -1;
	}
	session_progress(session, false);
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

static void json_ledger(struct cairn_text *text, const char *key, const struct cairn_ledger *ledger)
{
	cairn_json_array(text, key);
	for (size_t i = 0; ledger && i < ledger->n; i++) {
		const struct cairn_loss *loss = &ledger->losses[i];
		cairn_json_object(text, NULL);
		cairn_json_text(text, "what", loss->what);
		cairn_json_number(text, "count", loss->count);
		json_number_if(text, "first", loss->first != 0, loss->first);
		cairn_json_close(text);
	}
	cairn_json_close(text);
}

/* One document; on standard error when the trace itself went to standard output. */
static void report_json(const struct making *making, const struct session *session)
{
	struct cairn_text *text = cairn_text_new(session->cairn);
	if (!text)
		return;
	cairn_json_begin(text, 0);
	cairn_json_text(text, "output", making->out.path);
	cairn_json_number(text, "instructions", making->done.instructions);
	json_ledger(text, "lost", making->done.lost);
	json_ledger(text, "notes", making->done.notes);
	print_text(text, cairn_json_end(text), strcmp(making->out.path, "-") ? stdout : stderr);
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
	cairn_text_free(making->command);
}

/* ---- options ---- */

int option_look_back(const struct options *options, uint64_t *out)
{
	const char *back = options->value[OPT_LOOK_BACK];
	if (back && !strcmp(back, "all")) {
		*out = UINT64_MAX;
	} else if (back && (cairn_number(back, strlen(back), out) < 0 || !*out)) {
		complain("--look-back is a number of instructions, or all, not '%s'", back);
		return -1;
	}
	return 0;
}
