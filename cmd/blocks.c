/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn blocks`: basic blocks, as a table or as vectors for SimPoint. */
#include "cmd.h"

static const char *const formats[] = {"tables", "bb", NULL};

static int blocks_work(struct session *session, const struct cairn_analysis_opts *opts,
                       struct cairn_result **res)
{
	const char *ends = session->options->value[OPT_ENDS];
	if (analysis_format(session->options, formats) == 1)
		return cairn_export_bbv(session->reader, opts, ends, analysis_write, session);
	return cairn_blocks(session->reader, opts, ends, res);
}

static int cmd_blocks_run(const struct verb *self, struct options *options)
{
	return analysis_format(options, formats) < 0 ? EXIT_COULD_NOT
	                                             : analysis_verb(self, options, blocks_work);
}

const struct verb verb_blocks = {
	.name = "blocks",
	.summary = "basic blocks and how often they ran; vectors for SimPoint",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Tables: summary and blocks, one row for each address a block begins at. --ends taken\n"
		"lets blocks go on through branches that are not taken. --to bb, or -o FILE.bb, writes\n"
		"basic block vectors of intervals of --every N instructions, as SimPoint reads them.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(ENDS), TAKES(TO)),
	.formats = formats,
	.run = cmd_blocks_run,
};
