/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ending of an output's name gives its form, as that of a trace gives its format: x.csv,
 * x.json. An option that says something else is refused as a slip. So is an unknown ending where it
 * would have to decide: nobody wants a table in x.parquet, and text under the name of a trace would
 * be taken for one.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"

/* Further endings of what --to names. */
static const struct {
	const char *format, *ending;
} others[] = {{"speedscope", "json"}, {"timeline", "json"}, {"html", "htm"},
              {"tables", "txt"},      {"tables", "json"},   {"tables", "csv"}};

/* What stands behind the last dot of the file's name, or NULL. */
static const char *ending_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;
	const char *dot = name ? strrchr(name, '.') : NULL;
	return dot && dot != name && dot[1] && strncmp(path, "/dev/", 5) != 0 ? dot + 1 : NULL;
}

static bool has_format(const struct verb *verb, const char *name)
{
	for (size_t i = 0; verb->formats && verb->formats[i]; i++)
		if (!strcmp(verb->formats[i], name))
			return true;
	return false;
}

static bool names_format(const char *format, const char *ending)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].format, format) && !strcasecmp(others[i].ending, ending))
			return true;
	return !strcasecmp(format, ending);
}

/* Does this ending belong to a form of any verb? */
static bool endings_is_known(const char *ending)
{
	static const char *const all[] = {"json", "jsonl", "csv", "htm"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcasecmp(ending, all[i]))
			return true;
	const struct verb *verb;
	for (size_t i = 0; (verb = verb_at(i)); i++)
		if (has_format(verb, ending))
			return true;
	return false;
}

int refuse_trace_name(const char *what, const char *writes, const char *out)
{
	struct cairn *cairn = cairn_new(NULL);
	const char *format = cairn ? cairn_format_for_name(cairn, out) : NULL;
	const struct cairn_codec *codec = cairn && !format ? cairn_codec_for_name(cairn, out) : NULL;
	const char *ending = ending_of(out);
	int rc = -1;
	if (format)
		complain("%s writes %s, and %s names a trace (%s)", what, writes, out, format);
	else if (codec)
		complain("%s writes %s, and %s names a file that %s has packed", what, writes, out,
		         codec->name);
	else if (ending && !strcasecmp(ending, "cai") && strcmp(writes, "an index") != 0)
		complain("%s writes %s, and %s names an index", what, writes, out);
	else if (!cairn)
		complain("out of memory");
	else
		rc = 0;
	cairn_free(cairn);
	return rc;
}

static int refuse_text_name(const struct verb *verb, const char *writes, const char *ending,
                            const char *out)
{
	complain("%s writes %s, and %s does not end like one: .%s is of text%s", verb->name, writes,
	         out, ending, option_taken(verb->takes, OPT_TO) ? " (--to writes to any name)" : "");
	return -1;
}

static int endings_contradicts(const char *option, const char *value, const char *out)
{
	complain("--%s%s%s contradicts the name %s", option, value ? " " : "", value ? value : "", out);
	return -1;
}

static int endings_unknown(const struct verb *verb, const char *ending, bool csv)
{
	char known[256] = "";
	bool page = has_format(verb, "html"); /* and nothing else */
	size_t n =
		page ? 0 : (size_t)snprintf(known, sizeof known, ".txt, .json%s", csv ? ", .csv" : "");
	for (size_t i = page ? 0 : 1; verb->formats && verb->formats[i] && n < sizeof known; i++)
		n +=
			(size_t)snprintf(known + n, sizeof known - n, "%s.%s", n ? ", " : "", verb->formats[i]);
	complain("%s writes %s, and the ending .%s is unknown%s", verb->name, known, ending,
	         page  ? ""
	         : csv ? " (--json and --csv write to any name)"
	               : " (--json writes to any name)");
	return -1;
}

/* Refuse options of tables beside a --to of something else. */
static int judge_tables(const struct verb *verb, const struct options *options)
{
	const char *to = options->value[OPT_TO];
	const char *other = options->times[OPT_JSON]    ? "json"
	                    : options->times[OPT_CSV]   ? "csv"
	                    : options->times[OPT_TABLE] ? "table"
	                                                : NULL;
	if (!to || !other || !has_format(verb, "tables") || !strcmp(to, "tables"))
		return 0;
	complain("--%s contradicts --to %s", other, to);
	return -1;
}

/* What the options say outright; 1 when they decide, 0 when the name must, or -1. */
static int judge_options(const struct verb *verb, const struct options *options, const char *out,
                         const char *ending)
{
	const char *to = option_taken(verb->takes, OPT_TO) ? options->value[OPT_TO] : NULL;
	bool json = options->times[OPT_JSON], csv = options->times[OPT_CSV],
		 known = endings_is_known(ending);
	if (to && known && !names_format(to, ending))
		return endings_contradicts("to", to, out);
	if (json && known && strncasecmp(ending, "json", 4) != 0)
		return endings_contradicts("json", NULL, out);
	if (csv && known && strcasecmp(ending, "csv") != 0)
		return endings_contradicts("csv", NULL, out);
	return json || csv || (to && strcmp(to, "tables") != 0);
}

int settle_form(const struct verb *verb, struct options *options)
{
	const char *out = options->value[OPT_OUTPUT], *ending = ending_of(out);
	bool csv = option_taken(verb->takes, OPT_CSV), analysis = csv || verb->formats;
	if (judge_tables(verb, options) < 0)
		return -1;
	if (!ending)
		return 0;
	if (option_taken(verb->takes, OPT_CODEC)) /* formats for endings are the library's */
		return options->value[OPT_TO] || !endings_is_known(ending)
		           ? 0
		           : refuse_text_name(verb, "a trace", ending, out);
	if (verb == &verb_index) /* an index may have any name but one of something else */
		return endings_is_known(ending) ? refuse_text_name(verb, "an index", ending, out)
		                                : refuse_trace_name(verb->name, "an index", out);
	if (!has_format(verb, ending) && refuse_trace_name(verb->name, "text", out) < 0)
		return -1;
	int decided = judge_options(verb, options, out, ending);
	if (decided != 0)
		return decided < 0 ? -1 : 0;
	bool json = option_taken(verb->takes, OPT_JSON);
	if (json && (!strcasecmp(ending, "json") || !strcasecmp(ending, "jsonl")))
		options->times[OPT_JSON] = 1;
	else if (csv && !strcasecmp(ending, "csv"))
		options->times[OPT_CSV] = 1;
	else if (has_format(verb, ending) || (has_format(verb, "html") && names_format("html", ending)))
		return 0;
	else if (analysis ? strcasecmp(ending, "txt") != 0 || !json : endings_is_known(ending))
		return endings_unknown(verb, ending, csv);
	return 0;
}
