/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn merge`: traces one after another as one. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd.h"

struct inputs {
	struct cairn_merge_part *parts;
	struct cairn_range *ranges;
	size_t n, n_ranges;
};

/* Regions are ranges in the order given, and one may be given twice. */
static int parse_ranges(struct session *session, struct inputs *in)
{
	const struct options *options = session->options;
	int rc = 0;
	for (size_t i = 0; i < options->n_regions && rc >= 0; i++) {
		struct cairn_select *sel = cairn_select_new(session->cairn, NULL);
		struct cairn_range *range = &in->ranges[in->n_ranges++];
		rc = sel ? cairn_select_region(sel, options->regions[i]) : CAIRN_E_NOMEM;
		if (rc >= 0 && cairn_select_numbers(sel, 0, &range->first, &range->last) < 0)
			rc = cairn_fail(session->cairn, CAIRN_E_INVAL,
			                "%s: merge takes regions by number (1000..2000); "
			                "cairn slice takes all",
			                options->regions[i]);
		cairn_select_free(sel);
	}
	return rc;
}

/* All traces are open at once, and each may need a descriptor. */
static void allow_files(size_t n)
{
	enum { OTHERS = 64 };
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= n + OTHERS)
		return;
	limit.rlim_cur = limit.rlim_max < n + OTHERS ? limit.rlim_max : (rlim_t)(n + OTHERS);
	(void)setrlimit(RLIMIT_NOFILE,
	                &limit); /* opening a trace fails with a sentence if that is not enough */
}

static int open_parts(struct session *session, struct inputs *in)
{
	const struct options *options = session->options;
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = options->value[OPT_FROM],
	                               .strict = options->times[OPT_STRICT] != 0};
	int rc = option_image(session->cairn, options, &session->image);
	opts.image = session->image;
	if (rc >= 0)
		rc = parse_ranges(session, in);
	allow_files(options->n_operands);
	for (size_t i = 0; i < options->n_operands && rc >= 0; i++) {
		struct cairn_merge_part *part = &in->parts[i];
		rc = cairn_open(session->cairn, options->operands[i], &opts, &part->reader);
		if (rc < 0)
			break;
		part->name = options->operands[i];
		if ((rc = image_fits(session->cairn, session->image, options->operands[i], part->reader)) <
		    0) {
			cairn_close(part->reader);
			break;
		}
		part->ranges = in->n_ranges ? in->ranges : NULL;
		part->n_ranges = in->n_ranges;
		in->n++;
	}
	return rc;
}

/* What --ete and the like say is for those of the parts that are ETE. */
static int fit_parts(const struct session *session, const struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (says_of_ete(session->options, in->parts[i].reader))
			return 0;
	return ete_options_fit(session->cairn, session->options, in->parts[0].name,
	                       in->parts[0].reader);
}

/* Report the damage of all parts, each with its name. */
static int close_parts(struct session *session, struct inputs *in, int rc)
{
	int code = EXIT_FINE;
	for (size_t i = 0; i < in->n; i++) {
		struct session one = *session;
		one.trace = in->parts[i].name;
		one.reader = in->parts[i].reader;
		if (session_damage(&one, rc))
			code = EXIT_COULD_NOT;
		cairn_close(one.reader);
	}
	return code;
}

static int merge_run(const struct verb *self, struct options *options)
{
	struct session session = {.verb = self, .options = options};
	struct making making;
	if (options->n_operands == 0) {
		complain("no trace was named; usage: cairn %s %s", self->name, self->usage);
		return EXIT_COULD_NOT;
	}
	if (refuse_twice(options) < 0)
		return EXIT_COULD_NOT;
	session.trace = options->operands[0];
	session.cairn = open_context(options);
	struct inputs in = {.parts = calloc(options->n_operands, sizeof *in.parts),
	                    .ranges = calloc(options->n_regions + 1, sizeof *in.ranges)};
	if (session.cairn && (!in.parts || !in.ranges))
		complain("out of memory");
	if (!session.cairn || !in.parts || !in.ranges || making_start(&making, &session) < 0) {
		free(in.parts);
		free(in.ranges);
		return close_context(session.cairn, EXIT_COULD_NOT);
	}
	int rc = open_parts(&session, &in);
	if (rc >= 0)
		rc = fit_parts(&session, &in);
	if (rc >= 0)
		rc = cairn_merge(in.parts, in.n, &making.out, &making.done);
	if (rc < 0 && rc != CAIRN_E_PIPE)
		complain_of(session.cairn);
	session.trace = making.out.path;
	making_end(&making, &session, rc);
	int code = close_parts(&session, &in, rc);
	if (rc >= 0)
		complain_of_time(options, session.trace);
	cairn_image_free(session.image);
	free(in.parts);
	free(in.ranges);
	return close_context(session.cairn, rc < 0 && rc != CAIRN_E_PIPE ? EXIT_COULD_NOT : code);
}

const struct verb verb_merge = {
	.name = "merge",
	.summary = "traces one after another as one",
	.usage = "[options] -o FILE TRACE…",
	.help =
		"Each trace has its own header; the headers must agree where they cannot be converted.\n"
		"Where a trace begins behind another, its first PC is forced. -R takes only that range of\n"
		"each trace; several ranges are taken in the order given and may repeat. Comments and\n"
		"generators of all traces are kept.\n",
	.takes = OPTION_LIST(TAKES_CHANGE, TAKES(REGION)),
	.input = "one of the traces",
	.run = merge_run,
};
