/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn slice`: regions of a trace as a trace of their own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static int slice_parse_options(const struct options *options, struct cairn_slice_opts *opts)
{
	const char *w = options->value[OPT_WINDOWS];
	if (w) {
		const char *colon = strchr(w, ':');
		if (!colon || cairn_number(w, (size_t)(colon - w), &opts->every) < 0 ||
		    cairn_number(colon + 1, strlen(colon + 1), &opts->window) < 0 || opts->every == 0 ||
		    opts->window == 0) {
			complain("--windows is N:K, of every N instructions the first K, not '%s'", w);
			return -1;
		}
	}
	return option_look_back(options, &opts->look_back);
}

/* Which numbers are meant. Where the trace must be read for that, another reader does (*own): not
 * every input can be read again. */
static int find_ranges(struct session *session, struct cairn_range **ranges, size_t *n,
                       struct cairn_reader **own)
{
	uint64_t a, b;
	int rc = 0;
	if (cairn_select_numbers(session->select, 0, &a, &b) < 0 && strcmp(session->trace, "-") != 0) {
		struct cairn_open_opts opts = {.size = sizeof opts,
		                               .from = session->options->value[OPT_FROM],
		                               .image = session->image,
		                               .strict = session->options->times[OPT_STRICT] != 0};
		rc = cairn_open(session->cairn, session->trace, &opts, own);
	}
	return rc < 0 ? rc
	              : cairn_ranges(*own ? *own : session->reader, session->select,
	                             session->options->threads, ranges, n);
}

/* Of two readers of the trace, report the damage of the one that met more: the other one met
 * nothing else. */
static void damage_of_either(struct session *session, struct cairn_reader *own)
{
	if (own && cairn_damage_count(own) > cairn_damage_count(session->reader)) {
		struct cairn_reader *less = session->reader;
		progress_stop(session->progress); /* it looks at the reader */
		session->progress = NULL;
		session->reader = own;
		own = less;
	}
	cairn_close(own);
}

/* Returns the exit code; *made: there is a slice, whatever the code is. */
static int cmd_slice_cut(const struct verb *self, struct options *options, bool *made)
{
	struct cairn_slice_opts opts = {.size = sizeof opts};
	struct cairn_range *ranges = NULL;
	struct cairn_reader *own = NULL;
	struct session session;
	struct making making;
	int answer = EXIT_FINE;
	*made = false;
	if (slice_parse_options(options, &opts) < 0 ||
	    making_open(&making, &session, self, options) < 0)
		return EXIT_COULD_NOT;
	int rc = find_ranges(&session, &ranges, &opts.n_ranges, &own);
	opts.ranges = ranges;
	bool nothing = rc >= 0 && opts.n_ranges == 0;
	if (rc >= 0 && !nothing)
		rc = cairn_slice(session.reader, &opts, &making.out, &making.done);
	if (nothing || (rc == CAIRN_E_NOTFOUND && cairn_error_status(session.cairn) == rc)) {
		answer = complain_of_nothing(&session);
		rc = 0;
	}
	*made = rc >= 0 && answer == EXIT_FINE;
	cairn_ranges_free(session.cairn, ranges);
	making_end(&making, &session, rc);
	damage_of_either(&session, own);
	return session_finish(&session, rc, answer);
}

/* ---- simpoints ---- */

/* The field of a line of comma-separated numbers, or -1. */
static int slice_field(const char *line, int column, uint64_t *values)
{
	for (; column > 0; column--) {
		line = strchr(line, ',');
		if (!line)
			return -1;
		line++;
	}
	return cairn_number(line, strcspn(line, ",\r\n"), values);
}

/* Which column of the header has that name, or -1. */
static int slice_column_of(const char *line, const char *name)
{
	for (int i = 0;; i++) {
		size_t n = strcspn(line, ",\r\n");
		if (strlen(name) == n && !strncmp(line, name, n))
			return i;
		line += n;
		if (*line++ != ',')
			return -1;
	}
}

/* "part-%.zstf" and 3: "part-3.zstf". NULL when out of memory. */
static char *slice_numbered(const char *name, uint64_t number)
{
	const char *at = strchr(name, '%');
	size_t n = strlen(name) + 24;
	char *out = malloc(n);
	if (out)
		snprintf(out, n, "%.*s%llu%s", (int)(at - name), name, (unsigned long long)number, at + 1);
	return out;
}

/* Make one slice of these intervals; returns the exit code. */
static int cut_point(const struct verb *self, const struct options *options, char **regions,
                     size_t n, uint64_t number, bool *made)
{
	struct options mine = *options;
	const char *name = options->value[OPT_OUTPUT];
	bool each = name && strchr(name, '%');
	mine.regions = (const char **)(uintptr_t)regions;
	mine.n_regions = n;
	char *out = each ? slice_numbered(name, number) : NULL;
	*made = false;
	if (each && !out) {
		complain("out of memory");
		return EXIT_COULD_NOT;
	}
	if (each)
		mine.value[OPT_OUTPUT] = out;
	int code = each && refuse_same(out, options->value[OPT_SIMPOINTS], "the table of simpoints") < 0
	               ? EXIT_COULD_NOT
	               : cmd_slice_cut(self, &mine, made);
	free(out);
	return code;
}

/* Take the intervals from a table; where the output has a %, each becomes a slice of its own.
 * Slices of a damaged trace are made, too. */
static int slice_cut_points(const struct verb *self, const struct options *options, FILE *file,
                            bool *made)
{
	const char *path = options->value[OPT_SIMPOINTS], *name = options->value[OPT_OUTPUT];
	bool each = name && strchr(name, '%');
	char line[512], *regions[1024];
	size_t n = 0;
	int first = -1, last = -1, id = -1, code = EXIT_FINE;
	if (fgets(line, sizeof line, file)) {
		first = slice_column_of(line, "first");
		last = slice_column_of(line, "last");
		id = slice_column_of(line, "simpoint");
	}
	*made = first >= 0 && last >= 0 && id >= 0;
	if (!*made) {
		complain("%s: not a table of simpoints; cairn simpoints --csv --table simpoints prints one",
		         path);
		return EXIT_COULD_NOT;
	}
	while (*made && fgets(line, sizeof line, file)) {
		uint64_t a, b, number;
		char *region = malloc(64);
		*made = region && n < sizeof regions / sizeof *regions &&
		        slice_field(line, first, &a) >= 0 && slice_field(line, last, &b) >= 0 &&
		        slice_field(line, id, &number) >= 0;
		if (!*made) {
			complain("%s: line %zu is not a simpoint", path, n + 2);
			free(region);
			code = EXIT_COULD_NOT;
			break;
		}
		snprintf(region, 64, "%llu..%llu", (unsigned long long)a, (unsigned long long)b);
		regions[n++] = region;
		int one = each ? cut_point(self, options, &regions[n - 1], 1, number, made) : EXIT_FINE;
		code = one != EXIT_FINE ? one : code;
	}
	if (*made && !each && n)
		code = cut_point(self, options, regions, n, 0, made);
	if (*made && !n) {
		complain("%s: it has no simpoints", path);
		code = EXIT_NO;
	}
	while (n)
		free(regions[--n]);
	return code;
}

static int slice_run(const struct verb *self, struct options *options)
{
	const char *path = options->value[OPT_SIMPOINTS];
	bool made;
	if (!path)
		return cmd_slice_cut(self, options, &made);
	if (options->n_regions || options->n_operands > 1 || options->value[OPT_WHERE]) {
		complain("--simpoints cannot be combined with regions");
		return EXIT_COULD_NOT;
	}
	FILE *f = fopen(path, "r");
	if (!f) {
		complain("%s: %s", path, strerror(errno));
		return EXIT_COULD_NOT;
	}
	/* All slices in one context, so that none is left if one fails. */
	int code = EXIT_COULD_NOT;
	options->cairn = open_context(options);
	if (options->cairn && cairn_outputs_begin(options->cairn) >= 0) {
		code = slice_cut_points(self, options, f, &made);
		if (cairn_outputs_end(options->cairn, made) < 0) {
			complain_of(options->cairn);
			code = EXIT_COULD_NOT;
		}
	}
	fclose(f);
	return close_context(options->cairn, code);
}

const struct verb verb_slice = {
	.name = "slice",
	.summary = "regions of a trace as a trace of their own",
	.usage = "[options] -o FILE TRACE [REGION…]",
	.help =
		"Several regions are a union. Each begins with what is known there: the PC, the context,\n"
		"the last values of registers, the walks of its pages. That comes from an index (cairn\n"
		"index), or from reading what comes before: all of it, or --look-back N instructions.\n"
		"--windows 1M:10k takes the first 10000 of every million instructions. --simpoints FILE\n"
		"takes the intervals that cairn simpoints --csv --table simpoints wrote. With a % in the\n"
		"output's name (-o point-%.zstf), each becomes a trace of its own; if one fails, or a\n"
		"signal ends the run, none is left.\n",
	.takes = OPTION_LIST(TAKES_CHANGE, TAKES(REGION), TAKES(WHERE), TAKES(WINDOWS),
                         TAKES(LOOK_BACK), TAKES(SIMPOINTS)),
	.run = slice_run,
};
