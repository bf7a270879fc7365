/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn edit`: another header, another version, fewer kinds of records. */
#include "cmd.h"

static int edit_run(const struct verb *self, struct options *o)
{
	struct session s;
	struct making m;
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	if (o->n_operands > 1) {
		complain("edit takes one trace; %s is one too many (regions: cairn slice)", o->operands[1]);
		session_finish(&s, 0, 0);
		return EXIT_COULD_NOT;
	}
	if (making_start(&m, &s) < 0) {
		session_finish(&s, 0, 0);
		return EXIT_COULD_NOT;
	}
	struct cairn_edit_opts opts = {.size = sizeof opts,
	                               .comments = o->comments,
	                               .n_comments = o->n_comments,
	                               .features = o->value[OPT_FEATURE],
	                               .isa_string = o->value[OPT_ISA_STRING],
	                               .generator = o->value[OPT_GENERATOR],
	                               .drop = o->drops,
	                               .n_drop = o->n_drops};
	session_progress(&s, false);
	int rc = cairn_edit(s.r, &opts, &m.out, &m.done);
	making_end(&m, &s, rc);
	return session_finish(&s, rc, EXIT_FINE);
}

const struct verb verb_edit = {
	.name = "edit",
	.summary = "header fields, features, comments; record types left out; version",
	.usage = "[options] -o FILE TRACE",
	.help =
		"The trace is written anew; the input stays as it is. --to stf:version=1.5 and\n"
		"--to stf:events=32 write another version, or another width of event ids; --to\n"
		"stf:sizes=bytes,sources=before mends sizes in bits and late source values. What records\n"
		"make true of a trace is declared by itself; --feature is for what only you know\n"
		"(SAMPLING, SIMPOINT …).\n",
	.takes = OPTION_LIST(TAKES_CHANGE, TAKES(COMMENT), TAKES(FEATURE), TAKES(ISA_STRING),
                         TAKES(GENERATOR), TAKES(DROP)),
	.run = edit_run,
};
