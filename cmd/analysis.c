/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs that count up share: their options, and printing what came out. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

enum { TOP_FOR_PEOPLE = 20 };

int analysis_number(const struct options *options, enum option_id id, uint64_t otherwise,
                    uint64_t *out)
{
	*out = otherwise;
	return options_number(options, id, UINT64_MAX, out);
}

int analysis_write(void *user, const void *data, size_t n)
{
	struct session *session = user;
	return cairn_sink_write(session->out, data, n);
}

int analysis_format(const struct options *options, const char *const *names)
{
	const char *to = options->value[OPT_TO], *out = options->value[OPT_OUTPUT];
	const char *dot = out ? strrchr(out, '.') : NULL;
	char known[128] = "";
	for (int i = 0; names[i]; i++) {
		if (to ? !strcmp(to, names[i]) : dot && !strcmp(dot + 1, names[i]))
			return i;
		size_t n = strlen(known);
		snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", names[i]);
	}
	if (!to)
		return 0;
	complain("%s is written as %s, not as '%s'", options->verb, known, to);
	return -1;
}

static int analysis_parse(const struct options *options, uint64_t *every,
                          struct cairn_print_opts *print)
{
	bool json = options->times[OPT_JSON], csv = options->times[OPT_CSV];
	if (json && csv) {
		complain("choose --json or --csv, not both");
		return -1;
	}
	*print = (struct cairn_print_opts){.size = sizeof *print,
	                                   .form = json  ? CAIRN_FORM_JSON
	                                           : csv ? CAIRN_FORM_CSV
	                                                 : CAIRN_FORM_TEXT,
	                                   .table = options->value[OPT_TABLE]};
	if (analysis_number(options, OPT_TOP, json || csv ? 0 : TOP_FOR_PEOPLE, &print->top) < 0 ||
	    analysis_number(options, OPT_EVERY, 0, every) < 0)
		return -1;
	if (options->times[OPT_EVERY] && *every == 0) {
		complain("--every is at least 1");
		return -1;
	}
	return 0;
}

static void analysis_report_notes(const struct session *session, const struct cairn_result *res)
{
	const char *note;
	for (size_t i = 0; (note = cairn_result_note(res, i)) && !session->options->times[OPT_QUIET];
	     i++)
		complain("%s: %s", session->trace, note);
}

int analysis_verb(const struct verb *self, const struct options *options, analysis_fn *work)
{
	struct cairn_analysis_opts opts = {.size = sizeof opts,
	                                   .threads = options->threads,
	                                   .table = options->value[OPT_TABLE]};
	struct cairn_print_opts print;
	struct cairn_result *res = NULL;
	struct cairn_series *series = NULL;
	struct session session;
	const char *out = options->value[OPT_OUTPUT] ? options->value[OPT_OUTPUT] : "-";
	uint64_t last;
	if (analysis_parse(options, &opts.every, &print) < 0 ||
	    session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	opts.select = session.select;
	opts.image = session.image;
	opts.isa_string = session_fact(&session, "isa_extended");
	int rc = cairn_series_new(session.cairn, &print, out, analysis_write, &session, &series);
	opts.interval = cairn_series_interval;
	opts.user = series;
	if (rc >= 0)
		rc = session_seek(&session, &last);
	session_progress(&session, false);
	if (rc >= 0) /* zeros are an answer, too, as in count */
		rc = work(&session, &opts, &res);
	progress_stop(session.progress);
	session.progress = NULL;
	if (rc >= 0 && res)
		session.none = cairn_result_is_of_none(res);
	if (rc >= 0 && res)
		rc = cairn_series_end(series, res);
	if (rc >= 0 && res && print.form != CAIRN_FORM_JSON)
		analysis_report_notes(&session, res);
	session.told = res != NULL; /* what was not told, too */
	cairn_result_free(res);
	cairn_series_free(series);
	return session_finish(&session, rc, EXIT_FINE);
}
