/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn simpoints`: the intervals of a trace that stand for all of it. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static const char *const formats[] = {"tables", "simpoints", "weights", NULL};

/* The two files SimPoint writes: "interval number" and "weight number". */
static int write_points(struct session *session, const struct cairn_result *res, bool weights)
{
	const struct cairn_table *table = NULL;
	int rc = 0;
	for (size_t i = 0; (table = cairn_result_table(res, i)) && strcmp(table->name, "simpoints");
	     i++)
		;
	for (size_t i = 0; table && i < table->n_rows && rc >= 0; i++) {
		const struct cairn_cell *row = table->cells + i * table->n_columns;
		char line[64];
		unsigned long long number = row[0].v.number, interval = row[1].v.number;
		int n = weights ? snprintf(line, sizeof line, "%.9g %llu\n", row[4].v.real, number)
		                : snprintf(line, sizeof line, "%llu %llu\n", interval, number);
		rc = analysis_write(session, line, (size_t)n);
	}
	return rc;
}

static int simpoints_work(struct session *session, const struct cairn_analysis_opts *opts,
                          struct cairn_result **res)
{
	struct cairn_simpoints_opts how = {.size = sizeof how,
	                                   .ends = session->options->value[OPT_ENDS]};
	int format = analysis_format(session->options, formats);
	uint64_t most = 0;
	analysis_number(session->options, OPT_CLUSTERS, 0, &most);
	how.most = most > UINT32_MAX ? UINT32_MAX : (unsigned)most;
	int rc = cairn_simpoints(session->reader, opts, &how, res);
	if (rc >= 0 && format > 0) {
		rc = write_points(session, *res, format == 2);
		cairn_result_free(*res);
		*res = NULL;
	}
	return rc;
}

static int simpoints_run(const struct verb *self, struct options *options)
{
	uint64_t most;
	if (!options->times[OPT_EVERY] && options->n_operands) {
		complain("simpoints needs the length of an interval, for example --every 10M");
		return EXIT_COULD_NOT;
	}
	if (analysis_number(options, OPT_CLUSTERS, 0, &most) < 0 ||
	    analysis_format(options, formats) < 0)
		return EXIT_COULD_NOT;
	return analysis_verb(self, options, simpoints_work);
}

const struct verb verb_simpoints = {
	.name = "simpoints",
	.summary = "the intervals that stand for the whole trace, with weights",
	.usage = "--every N [options] TRACE [REGION…]",
	.help =
		"Compares intervals of --every N instructions by the basic blocks that they ran, and\n"
		"groups similar ones into clusters. For each cluster it names the interval in the middle,\n"
		"and the part of the trace that it stands for. --to simpoints and --to weights write the\n"
		"files of the SimPoint program; cairn slice --simpoints cuts what --csv printed.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(ENDS), TAKES(CLUSTERS), TAKES(TO)),
	.formats = formats,
	.run = simpoints_run,
};
