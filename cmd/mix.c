/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn mix`: which instructions a trace holds, and how many of each. */
#include "cmd.h"

static int mix_work(struct session *session, const struct cairn_analysis_opts *opts,
                    struct cairn_result **res)
{
	return cairn_mix(session->reader, opts, session->options->value[OPT_BY], res);
}

static int mix_run(const struct verb *self, struct options *options)
{
	return analysis_verb(self, options, mix_work);
}

const struct verb verb_mix = {
	.name = "mix",
	.summary = "which instructions: by class, mnemonic, extension, function …",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Counts every instruction of the trace; --where executed leaves out those that did not\n"
		"run. --by names the fields to count by: class, mnemonic, extension, size, isa, function\n"
		"(needs --image), process, privilege, cpu. A comma counts by several together (--by\n"
		"function,class), a space begins another table. The default is four tables: class,\n"
		"mnemonic, extension and size.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(BY)),
	.run = mix_run,
};
