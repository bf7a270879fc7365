/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn edit`: another header, another version, fewer kinds of records. */
#include "cmd.h"

static int edit_run(const struct verb *self, struct options *options)
{
	struct session session;
	struct making making;
	if (making_open(&making, &session, self, options) < 0)
		return EXIT_COULD_NOT;
	struct cairn_edit_opts opts = {.size = sizeof opts,
	                               .comments = options->comments,
	                               .n_comments = options->n_comments,
	                               .features = options->value[OPT_FEATURE],
	                               .isa_string = options->value[OPT_ISA_STRING],
	                               .generator = options->value[OPT_GENERATOR],
	                               .drop = options->drops,
	                               .n_drop = options->n_drops};
	int rc = cairn_edit(session.reader, &opts, &making.out, &making.done);
	making_end(&making, &session, rc);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_edit = {
	.name = "edit",
	.summary = "header fields, features, comments; record types left out; version",
	.usage = "[options] -o FILE TRACE",
	.help =
		"The input stays as it is. --to stf:version=1.5 and --to stf:events=32 write another\n"
		"version, or event ids of another width. --to stf:sizes=bytes,sources=before corrects\n"
		"sizes in bits and source values from after the instruction. Features that the records\n"
		"prove are declared by themselves; --feature is for what only you know (SAMPLING,\n"
		"SIMPOINT …). With --derive the output has what follows from the trace, too; then\n"
		"nothing else is changed.\n",
	.takes = OPTION_LIST(TAKES_MAKING, TAKES(FROM), TAKES(STRICT), TAKES(NO_PROGRESS),
                         TAKES(COMMENT), TAKES(FEATURE), TAKES(ISA_STRING), TAKES(GENERATOR),
                         TAKES(DROP), TAKES(DERIVE)),
	.run = edit_run,
};
