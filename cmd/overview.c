/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn overview`: the whole trace on one screen. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"

enum { HEAD = 26, USUAL = 80, LEAST = 8, MOST = 512 };

/* The width of the terminal, or what COLUMNS says. */
static unsigned overview_width(const struct options *options)
{
	struct winsize winsize;
	const char *text = getenv("COLUMNS"), *out = options->value[OPT_OUTPUT];
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;
	if (!n && (!out || !strcmp(out, "-")) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &winsize) == 0)
		n = winsize.ws_col;
	n = n ? n : USUAL;
	n = n > HEAD + LEAST ? n - HEAD : LEAST;
	return (unsigned)(n > MOST ? MOST : n);
}

static bool wants_tables(const struct options *options)
{
	return options->times[OPT_JSON] || options->times[OPT_CSV] || options->times[OPT_TABLE];
}

static int overview_work(struct session *session, const struct cairn_analysis_opts *opts,
                         struct cairn_result **res)
{
	uint64_t columns = 0;
	bool tables = wants_tables(session->options);
	analysis_number(session->options, OPT_WIDTH, overview_width(session->options), &columns);
	int rc = cairn_overview(session->reader, opts,
	                        columns > UINT32_MAX ? UINT32_MAX : (unsigned)columns, res);
	if (rc < 0 || tables)
		return rc;
	struct cairn_text *text = cairn_text_new(session->cairn);
	rc = text ? cairn_overview_text(*res, text) : CAIRN_E_NOMEM;
	size_t n;
	const char *p = text ? cairn_text_get(text, &n) : NULL;
	if (rc >= 0)
		rc = analysis_write(session, p, n);
	cairn_text_free(text);
	session->none = cairn_result_is_of_none(*res);
	session_tell_program(session, rc);
	cairn_result_free(*res);
	*res = NULL;
	return rc;
}

static int overview_run(const struct verb *self, struct options *options)
{
	uint64_t columns;
	if (options->times[OPT_TOP] && !wants_tables(options)) {
		complain("--top needs tables: --table, --json or --csv");
		return EXIT_COULD_NOT;
	}
	return analysis_number(options, OPT_WIDTH, 0, &columns) < 0
	           ? EXIT_COULD_NOT
	           : analysis_verb(self, options, overview_work);
}

const struct verb verb_overview = {
	.name = "overview",
	.summary = "the whole trace on one screen",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"A strip for each class of instructions, taken branches, pages touched so far, traps,\n"
		"mode, processor, process, and the functions (--image) or code pages with the most\n"
		"instructions; as wide as the terminal, or --width columns. The ruler counts\n"
		"instructions: a region shows more detail. With --every N, a column has N instructions,\n"
		"and what does not fit on the screen follows below. --json and --csv give the numbers.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(WIDTH)),
	.run = overview_run,
};
