/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn report`: all of it on one HTML page. */
#include "cmd.h"

static const char *const formats[] = {"html", NULL};

static int report_run(const struct verb *self, struct options *options)
{
	struct session session;
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	struct cairn_report_opts opts = {.size = sizeof opts,
	                                 .from = options->value[OPT_FROM],
	                                 .select = session.select,
	                                 .image = session.image,
	                                 .threads = options->threads,
	                                 .reader = session.reader};
	session_progress(&session, false);
	int rc = cairn_report(session.cairn, session.trace, &opts, analysis_write, &session);
	session_tell_program(&session, rc);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_report = {
	.name = "report",
	.summary = "all of it on one HTML page",
	.usage = "[options] -o FILE.html TRACE [REGION…]",
	.help =
		"What the trace is, an overview, the mix, branches, memory, functions, a flame graph and\n"
		"the findings of check, in one file that needs nothing else and prints well. The trace\n"
		"is read once.\n",
	.takes = OPTION_LIST(TAKES_COMMON, TAKES(OUTPUT), TAKES_FROM, TAKES(REGION), TAKES(WHERE),
                         TAKES(IMAGE), TAKES(THREADS)),
	.formats = formats,
	.run = report_run,
};
