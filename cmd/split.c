/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn split`: one trace as several, by hart, process, thread or interval. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* The list is printed when all parts have been made. */
static int report_part(void *user, const char *path, uint64_t instructions)
{
	struct session *session = user;
	return cairn_text_printf(session->text, "%s  %llu\n", path, (unsigned long long)instructions);
}

static int split_parse_options(const struct options *options, struct cairn_split_opts *opts)
{
	static const char *const bys[] = {NULL, "cpu", "pid", "tid"};
	const char *by = options->value[OPT_BY], *every = options->value[OPT_EVERY];
	if (!by == !every) {
		complain("split needs either --by cpu, pid or tid, or --every N");
		return -1;
	}
	for (int i = 1; by && i <= CAIRN_SPLIT_TID; i++)
		if (!strcmp(by, bys[i]))
			opts->by = i;
	if (by && opts->by == CAIRN_SPLIT_COUNT) {
		complain("--by is cpu, pid or tid, not '%s'", by);
		return -1;
	}
	if (every && (cairn_number(every, strlen(every), &opts->every) < 0 || opts->every == 0)) {
		complain("--every is a number of instructions, not '%s'", every);
		return -1;
	}
	return 0;
}

static int split_run(const struct verb *self, struct options *options)
{
	struct session session;
	struct cairn_split_opts opts = {.size = sizeof opts,
	                                .from = options->value[OPT_FROM],
	                                .strict = options->times[OPT_STRICT] != 0,
	                                .threads = options->threads,
	                                .part = report_part,
	                                .user = &session};
	struct making making;
	if (split_parse_options(options, &opts) < 0)
		return EXIT_COULD_NOT;
	if (!options->value[OPT_OUTPUT]) {
		complain("name the parts with -o: 'part-%%s.rst'");
		return EXIT_COULD_NOT;
	}
	if (making_open(&making, &session, self, options) < 0)
		return EXIT_COULD_NOT;
	int rc = cairn_split(session.reader, &opts, &making.out, &making.done);
	if (!options->times[OPT_QUIET])
		rc = print_text(session.text, rc, stdout);
	else
		cairn_text_free(session.text);
	session.text = NULL;
	making_end(&making, &session, rc);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_split = {
	.name = "split",
	.summary = "a trace as several: one per hart or interval",
	.usage = "--by cpu|pid|tid [options] -o PATTERN TRACE | --every N [options] -o PATTERN TRACE",
	.help =
		"Each part is a trace of its own, as cairn slice makes it; together the parts are the\n"
		"whole. PATTERN is the output's name with %s, which becomes the number of the processor,\n"
		"process or thread, or with --every N the number of the part: 0001, 0002 … The parts and\n"
		"their instructions are listed. If one part fails, or a signal ends the run, no part is\n"
		"left.\n",
	.takes = OPTION_LIST(TAKES_CHANGE, TAKES(BY), TAKES(EVERY)),
	.run = split_run,
};
