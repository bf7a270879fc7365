/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn calls`: who called whom, as tables and as pictures. */
#include "cmd.h"

/* In the order of enum cairn_calls_form. */
static const char *const formats[] = {"tables", "folded", "speedscope", "svg", "timeline", NULL};

static int calls_work(struct session *session, const struct cairn_analysis_opts *opts,
                      struct cairn_result **res)
{
	int form = analysis_format(session->options, formats);
	if (form > 0)
		return cairn_export_calls(session->reader, opts, (enum cairn_calls_form)form,
		                          analysis_write, session);
	return cairn_calls(session->reader, opts, res);
}

static int calls_run(const struct verb *self, struct options *options)
{
	return analysis_format(options, formats) < 0 ? EXIT_COULD_NOT
	                                             : analysis_verb(self, options, calls_work);
}

const struct verb verb_calls = {
	.name = "calls",
	.summary = "who called whom: functions, call tree, flame graph, timeline",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Tables: summary, functions and tree. Symbols come from --image; without symbols, a\n"
		"function is the address that was called. --to svg (or -o FILE.svg) draws a flame graph,\n"
		"--to speedscope and --to folded write stacks for other programs, and --to timeline\n"
		"writes calls over time as Chrome trace JSON, in instructions.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(TO)),
	.formats = formats,
	.run = calls_run,
};
