/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn branches`: what each branch did, and how well it can be foreseen. */
#include "cmd.h"

static const char *const formats[] = {"tables", "bt9", NULL};

static int branches_work(struct session *session, const struct cairn_analysis_opts *opts,
                         struct cairn_result **res)
{
	if (analysis_format(session->options, formats) == 1)
		return cairn_export_bt9(session->reader, opts, analysis_write, session);
	return cairn_branches(session->reader, opts, session->options->value[OPT_PREDICTOR], res);
}

static int branches_run(const struct verb *self, struct options *options)
{
	return analysis_format(options, formats) < 0 ? EXIT_COULD_NOT
	                                             : analysis_verb(self, options, branches_work);
}

const struct verb verb_branches = {
	.name = "branches",
	.summary = "branches: taken, targets, loops, entropy, predictors",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Tables: summary, kinds, classes and branches (one row for each address), and with\n"
		"--predictor also predictors: what reference predictors missed, per 1000 instructions\n"
		"(--predictor all is bimodal:4K,gshare:16K,tage:64K). --to bt9, or -o FILE.bt9, writes\n"
		"the branches as championship predictors read them.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(PREDICTOR), TAKES(TO)),
	.formats = formats,
	.run = branches_run,
};
