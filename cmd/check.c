/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn check`: every operand is a trace, judged by its format's rules, or continues
 * the one before. Findings are the output, so damage is one, too; only what is no
 * trace at all, or cannot be opened, is said on standard error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

struct job {
	struct cairn *cairn;
	const struct options *options;
	struct cairn_sink *out;
	struct cairn_image *image; /* NULL: none given */
	size_t first, parts;       /* operands that are the trace's files */
	struct cairn_text *text;   /* not written yet */
	bool json, color, quiet, verbose;
	struct cairn_check_result res;
	uint64_t shown[CAIRN_MAX_RULES];
	/* of all traces */
	uint64_t errors, warnings, notes, executed, not_modelled, values, determined;
	struct total {
		const struct cairn_rule *rule;
		uint64_t count;
	} * totals;
	size_t n_totals;
};

/* ---- text ---- */

static void check_put_place(struct cairn_text *text, const struct cairn_finding *finding)
{
	const struct {
		uint32_t known;
		const char *name;
		uint64_t value;
	} places[] = {{CAIRN_PLACE_LINE, "line", finding->line},
	              {CAIRN_PLACE_RECORD, "record", finding->record},
	              {CAIRN_PLACE_INSN | CAIRN_PLACE_XACT,
	               finding->known & CAIRN_PLACE_XACT ? "transaction" : "instruction",
	               finding->insn}};
	const char *comma = "";
	if (finding->known & CAIRN_PLACE_CHUNK)
		cairn_text_printf(text, "chunk %" PRIu64 ": ", finding->chunk);
	if (finding->known & CAIRN_PLACE_OFFSET) {
		cairn_text_printf(text, "byte 0x%" PRIx64, finding->offset);
		comma = ", ";
	}
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (finding->known & places[i].known) {
			cairn_text_printf(text, "%s%s %" PRIu64, comma, places[i].name, places[i].value);
			comma = ", ";
		}
	if (*comma)
		cairn_text_printf(text, ": ");
}

static const char *check_file_of(const struct job *job, const struct cairn_finding *finding)
{
	return job->options->operands[job->first + finding->part];
}

static int check_print_text(struct job *job, const struct cairn_finding *finding)
{
	static const char *const colors[] = {"", "\033[36m", "\033[33m", "\033[31m"};
	const struct cairn_rule *rule = finding->rule;
	struct cairn_text *text = job->text;
	if (job->quiet && rule->severity == CAIRN_NOTE)
		return 0;
	cairn_text_escape(text, check_file_of(job, finding));
	cairn_text_printf(text, ": ");
	check_put_place(text, finding);
	cairn_text_printf(text, "%s%s%s: ", job->color ? colors[rule->severity] : "",
	                  cairn_severity_name(rule->severity), job->color ? "\033[0m" : "");
	cairn_text_escape(text, finding->message);
	return job->verbose ? cairn_text_printf(text, " [%s: %s]\n", rule->id, rule->clause)
	                    : cairn_text_printf(text, " [%s]\n", rule->id);
}

static const char *check_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The trace: its file, or files. */
static void check_put_trace(struct job *job)
{
	cairn_text_escape(job->text, job->options->operands[job->first]);
	if (job->parts > 1)
		cairn_text_printf(job->text, " and %zu more", job->parts - 1);
}

/* How much of the trace could be judged by executing it. */
static void check_put_executed(struct job *job, const struct cairn_check_result *res)
{
	struct cairn_text *text = job->text;
	check_put_trace(job);
	cairn_text_printf(text, ": executed %" PRIu64 " instruction%s", res->executed,
	                  check_plural(res->executed));
	if (res->not_modelled)
		cairn_text_printf(text, " (%" PRIu64 " not modelled)", res->not_modelled);
	cairn_text_printf(text, "; %" PRIu64 " of %" PRIu64 " values follow from earlier ones\n",
	                  res->determined, res->values);
}

/* What was not shown, and the sum. */
static int sum_text(struct job *job, const struct cairn_check_result *res)
{
	struct cairn_text *text = job->text;
	if (job->quiet)
		return 0;
	for (size_t i = 0; i < res->n_rules; i++) {
		if (res->by_rule[i] <= job->shown[i])
			continue;
		check_put_trace(job);
		cairn_text_printf(text, ": … and %" PRIu64 " more of %s\n", res->by_rule[i] - job->shown[i],
		                  res->rules[i].id);
	}
	if (job->options->times[OPT_EXECUTE])
		check_put_executed(job, res);
	check_put_trace(job);
	return cairn_text_printf(text,
	                         ": %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " note%s\n",
	                         res->errors, check_plural(res->errors), res->warnings,
	                         check_plural(res->warnings), res->notes, check_plural(res->notes));
}

/* ---- JSON ---- */

static int check_print_json(struct job *job, const struct cairn_finding *finding)
{
	struct cairn_text *text = job->text;
	uint32_t known = finding->known;
	bool xact = known & CAIRN_PLACE_XACT;
	cairn_json_begin(text, 0);
	cairn_json_text(text, "file", check_file_of(job, finding));
	cairn_json_text(text, "rule", finding->rule->id);
	cairn_json_text(text, "clause", finding->rule->clause);
	cairn_json_text(text, "severity", cairn_severity_name(finding->rule->severity));
	json_number_if(text, "cpu", known & CAIRN_PLACE_CPU, finding->cpu);
	json_number_if(text, "chunk", known & CAIRN_PLACE_CHUNK, finding->chunk);
	json_number_if(text, "record", known & CAIRN_PLACE_RECORD, finding->record);
	json_number_if(text, "offset", known & CAIRN_PLACE_OFFSET, finding->offset);
	json_number_if(text, "line", known & CAIRN_PLACE_LINE, finding->line);
	json_number_if(text, "instruction", !xact && known & CAIRN_PLACE_INSN, finding->insn);
	json_number_if(text, "transaction", xact, finding->insn);
	cairn_json_text(text, "message", finding->message);
	return cairn_json_end(text);
}

static int sum_json(struct job *job)
{
	struct cairn_text *text = job->text;
	cairn_json_begin(text, 0);
	cairn_json_number(text, "errors", job->errors);
	cairn_json_number(text, "warnings", job->warnings);
	cairn_json_number(text, "notes", job->notes);
	if (job->options->times[OPT_EXECUTE]) {
		cairn_json_number(text, "executed", job->executed);
		cairn_json_number(text, "not_modelled", job->not_modelled);
		cairn_json_number(text, "values", job->values);
		cairn_json_number(text, "determined", job->determined);
	}
	cairn_json_object(text, "by_rule");
	for (size_t i = 0; i < job->n_totals; i++)
		if (job->totals[i].count)
			cairn_json_number(text, job->totals[i].rule->id, job->totals[i].count);
	cairn_json_close(text);
	return cairn_json_end(text);
}

/* ---- one trace ---- */

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct job *job = user;
	job->shown[finding->rule - job->res.rules]++;
	int rc = job->json ? check_print_json(job, finding) : check_print_text(job, finding);
	size_t held;
	cairn_text_get(job->text, &held);
	return rc < 0 || held < 1 << 16 ? rc : cairn_text_write(job->text, job->out);
}

static int add_totals(struct job *job, const struct cairn_check_result *res)
{
	job->errors += res->errors;
	job->warnings += res->warnings;
	job->notes += res->notes;
	job->executed += res->executed;
	job->not_modelled += res->not_modelled;
	job->values += res->values;
	job->determined += res->determined;
	for (size_t i = 0; i < res->n_rules; i++) {
		size_t k = 0;
		while (k < job->n_totals && strcmp(job->totals[k].rule->id, res->rules[i].id) != 0)
			k++;
		if (k == job->n_totals) {
			struct total *total = realloc(job->totals, (k + 1) * sizeof *total);
			if (!total)
				return cairn_fail(job->cairn, CAIRN_E_NOMEM, "out of memory");
			job->totals = total;
			job->totals[job->n_totals++] = (struct total){.rule = &res->rules[i]};
		}
		job->totals[k].count += res->by_rule[i];
	}
	return 0;
}

static int open_operand(struct job *job, size_t index, const char *part_of,
                        struct cairn_reader **reader)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = job->options->value[OPT_FROM],
	                               .lenient = 1,
	                               .no_index = 1,
	                               .part_of = part_of,
	                               .image = job->image};
	int rc = cairn_open(job->cairn, job->options->operands[index], &opts, reader);
	if (rc >= 0)
		rc = ete_options_fit(job->cairn, job->options, job->options->operands[index], *reader);
	if (rc >= 0)
		rc = image_fits(job->cairn, job->image, job->options->operands[index], *reader);
	if (rc < 0) {
		cairn_close(*reader);
		*reader = NULL;
	}
	return rc;
}

static int check_part(struct job *job, struct cairn_checking *checking, struct cairn_reader *reader)
{
	struct progress *progress = NULL;
	const char *trace = job->options->operands[job->first + job->parts];
	if (!job->options->times[OPT_NO_PROGRESS] && !job->quiet && isatty(STDERR_FILENO))
		progress = progress_start(reader, trace);
	int rc = cairn_check_part(checking, reader);
	progress_stop(progress);
	complain_of_notes(job->options, trace, reader);
	job->parts++;
	return rc;
}

/* Check the file *r and those behind it that continue its trace. The last one read is
 * left in *r, the next operand's reader, if it could be opened, in *next. */
static int check_parts(struct job *job, struct cairn_checking *checking,
                       struct cairn_reader **reader, struct cairn_reader **next, bool *failed)
{
	for (;;) {
		int rc = check_part(job, checking, *reader);
		size_t i = job->first + job->parts;
		if (rc < 0 || i == job->options->n_operands)
			return rc;
		rc = open_operand(job, i, cairn_reader_format(*reader), next);
		if (rc < 0) {
			complain_of(job->cairn);
			*failed = true;
			return 0;
		}
		if (!cairn_reader_is_part(*next) ||
		    strcmp(cairn_reader_format(*reader), cairn_reader_format(*next)) != 0)
			return 0;
		cairn_close(*reader);
		*reader = *next;
		*next = NULL;
	}
}

static int check_trace(struct job *job, struct cairn_reader *reader, struct cairn_reader **next,
                       bool *failed)
{
	struct cairn_check_opts how = {.size = sizeof how,
	                               .threads = job->options->threads,
	                               .most = job->options->times[OPT_ALL_FINDINGS] ? UINT64_MAX : 0,
	                               .finding = on_finding,
	                               .user = job,
	                               .execute = (int)job->options->times[OPT_EXECUTE]};
	struct cairn_checking *checking;
	job->parts = 0;
	memset(job->shown, 0, sizeof job->shown);
	job->res.size = sizeof job->res;
	int rc = cairn_check_begin(job->cairn, &how, &job->res, &checking);
	if (rc >= 0) {
		rc = check_parts(job, checking, &reader, next, failed);
		int last = cairn_check_end(checking);
		rc = rc < 0 ? rc : last;
	}
	if (rc >= 0)
		rc = add_totals(job, &job->res);
	if (rc >= 0 && !job->json)
		rc = sum_text(job, &job->res);
	if (rc >= 0)
		rc = cairn_text_write(job->text, job->out);
	if (rc >= 0 && lacks_program(reader) && !job->options->times[OPT_QUIET])
		complain_of_program(job->options->operands[job->first]);
	cairn_close(reader);
	return rc;
}

/* ---- the verb ---- */

static int list_text(struct job *job, const char *format, const struct cairn_rule *rule)
{
	(void)format;
	return cairn_text_printf(job->text, "%-34s %-8s %-36s %s\n", rule->id,
	                         cairn_severity_name(rule->severity), rule->clause, rule->text);
}

static int list_json(struct job *job, const char *format, const struct cairn_rule *rule)
{
	cairn_json_begin(job->text, 0);
	cairn_json_text(job->text, "rule", rule->id);
	cairn_json_text(job->text, "format", format);
	cairn_json_text(job->text, "severity", cairn_severity_name(rule->severity));
	cairn_json_text(job->text, "clause", rule->clause);
	cairn_json_text(job->text, "text", rule->text);
	return cairn_json_end(job->text);
}

static int list_rules(struct job *job)
{
	const struct cairn_rule *rules;
	const char *format;
	size_t n;
	int rc = 0;
	for (size_t i = 0; rc >= 0 && (rules = cairn_rules(i, &format, &n)); i++)
		for (size_t k = 0; k < n && rc >= 0; k++)
			rc = job->json ? list_json(job, format, &rules[k]) : list_text(job, format, &rules[k]);
	return rc < 0 ? rc : cairn_text_write(job->text, job->out);
}

static int check_all(struct job *job)
{
	int worst = EXIT_FINE;
	struct cairn_reader *reader = NULL, *next = NULL;
	for (size_t i = 0; i < job->options->n_operands;) {
		bool failed = false;
		int rc = reader ? 0 : open_operand(job, i, NULL, &reader);
		job->first = i;
		job->parts = 1;
		if (rc >= 0)
			rc = check_trace(job, reader, &next, &failed);
		i += job->parts + failed; /* which one was complained of */
		reader = next;
		next = NULL;
		if (rc == CAIRN_E_PIPE) {
			cairn_close(reader);
			return rc;
		}
		if (rc < 0)
			complain_of(job->cairn);
		if (rc < 0 || failed)
			worst = EXIT_COULD_NOT;
	}
	if (job->json) {
		int rc = sum_json(job);
		if (rc >= 0)
			rc = cairn_text_write(job->text, job->out);
		if (rc < 0)
			return rc;
	}
	return worst != EXIT_FINE ? worst : job->errors ? EXIT_NO : EXIT_FINE;
}

/* `code` is an exit code or a status. */
static int check_finish(struct job *job, int code)
{
	const char *name = job->options->value[OPT_OUTPUT];
	int rc = 0;
	if (code < 0 && code != CAIRN_E_PIPE)
		complain_of(job->cairn);
	if (job->out && code < 0 && name && strcmp(name, "-") != 0)
		cairn_sink_discard(job->out);
	else if (job->out)
		rc = cairn_sink_finish(job->out);
	if (rc < 0 && rc != CAIRN_E_PIPE && code >= 0)
		complain_of(job->cairn);
	free(job->totals);
	cairn_text_free(job->text);
	cairn_image_free(job->image);
	if (code == CAIRN_E_PIPE || rc == CAIRN_E_PIPE)
		return close_context(job->cairn, EXIT_FINE);
	if (code >= 0 && rc >= 0)
		complain_of_time(job->options, job->options->n_operands == 1 ? job->options->operands[0]
		                                                             : job->options->verb);
	return close_context(job->cairn, code < 0 || rc < 0 ? EXIT_COULD_NOT : code);
}

static int cmd_check_run(const struct verb *self, struct options *options)
{
	const char *out = options->value[OPT_OUTPUT] ? options->value[OPT_OUTPUT] : "-";
	bool rules = options->times[OPT_RULES];
	struct job job = {.options = options,
	                  .json = options->times[OPT_JSON],
	                  .color = option_color(options),
	                  .quiet = options->times[OPT_QUIET],
	                  .verbose = options->times[OPT_VERBOSE]};
	if (options->n_operands == 0 && !rules) {
		complain("no trace was named; usage: cairn %s %s", self->name, self->usage);
		return EXIT_COULD_NOT;
	}
	job.cairn = open_context(options);
	if (!job.cairn)
		return EXIT_COULD_NOT;
	job.text = cairn_text_new(job.cairn);
	int rc = job.text ? option_image(job.cairn, options, &job.image) : CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = cairn_sink_open(job.cairn, out, &job.out);
	if (rc >= 0)
		rc = rules ? list_rules(&job) : check_all(&job);
	return check_finish(&job, rc);
}

const struct verb verb_check = {
	.name = "check",
	.summary = "every violation of the format's specification",
	.usage = "[options] TRACE… | --rules",
	.help =
		"Each finding is a line: the place, the severity, what is wrong, and the rule's name.\n"
		"Errors break the specification, warnings are probably mistakes, notes say where practice\n"
		"and specification differ. Damage is a finding. All findings are counted, and the first\n"
		"100 of each rule are shown, or all with --all-findings. -v names the clauses of the\n"
		"specification, -q leaves out notes and sums. With --json, each line is an object, and\n"
		"the last one has the sums. The exit code is 1 when there are errors. There are rules for\n"
		"STF, RST, ETE and VIXL. An RST file that begins without RSTHEADER continues the trace of\n"
		"the file before it: cairn check part0.rst part1.rst part2.rst With the program (--image,\n"
		"or a snapshot's own), the flow of ETE is checked, too. With --execute the instructions are\n"
		"executed, and registers, memory and branches of any format compared.\n",
	.takes = OPTION_LIST(TAKES_COMMON, TAKES(OUTPUT), TAKES_FROM, TAKES(IMAGE), TAKES(JSON),
                         TAKES(THREADS), TAKES(RULES), TAKES(ALL_FINDINGS), TAKES(EXECUTE)),
	.run = cmd_check_run,
};
