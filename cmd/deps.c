/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn deps`: what depends on what, and how far apart. */
#include "cmd.h"

static int deps_work(struct session *session, const struct cairn_analysis_opts *opts,
                     struct cairn_result **res)
{
	return cairn_deps(session->reader, opts, res);
}

static int deps_run(const struct verb *self, struct options *options)
{
	return analysis_verb(self, options, deps_work);
}

const struct verb verb_deps = {
	.name = "deps",
	.summary = "register dependences, ideal parallelism, pairs to fuse",
	.usage = "[options] TRACE [REGION…]",
	.help = "Tables: summary, ilp (steps and instructions a step if only registers and a window\n"
			"mattered), distances (since a source was written), fusion (pairs that could be one\n"
			"operation) and pairs (what stands directly behind what). Instructions that did not\n"
			"execute are left out.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS),
	.run = deps_run,
};
