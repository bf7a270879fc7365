/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn check`: every operand is a trace, judged by its format's rules, or continues
 * the one before. Findings are the output, so damage is one, too; only what is no
 * trace at all, or cannot be opened, is said on standard error.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "export/json.h"

struct job {
	struct cairn *cairn;
	const struct options *options;
	struct io_sink *out;
	struct cairn_image *image; /* NULL: none given */
	size_t first, parts;       /* operands that are the trace's files */
	struct base_buf buf;
	bool json, color, quiet, verbose;
	struct cairn_check_result res;
	uint64_t shown[CAIRN_MAX_RULES];
	/* of all traces */
	uint64_t errors, warnings, notes;
	struct total {
		const struct cairn_rule *rule;
		uint64_t count;
	} * totals;
	size_t n_totals;
};

static int check_flush(struct job *job)
{
	int rc = io_sink_write(job->out, job->buf.data, job->buf.len);
	job->buf.len = 0;
	return rc;
}

/* ---- text ---- */

static int check_put_place(struct base_buf *buf, const struct cairn_finding *finding)
{
	const char *comma = "";
	int rc = 0;
	if (finding->known & CAIRN_PLACE_CHUNK)
		rc = base_buf_printf(buf, "chunk %" PRIu64 ": ", finding->chunk);
	if (rc >= 0 && (finding->known & CAIRN_PLACE_OFFSET)) {
		rc = base_buf_printf(buf, "byte 0x%" PRIx64, finding->offset);
		comma = ", ";
	}
	if (rc >= 0 && (finding->known & CAIRN_PLACE_LINE)) {
		rc = base_buf_printf(buf, "%sline %" PRIu64, comma, finding->line);
		comma = ", ";
	}
	if (rc >= 0 && (finding->known & CAIRN_PLACE_RECORD)) {
		rc = base_buf_printf(buf, "%srecord %" PRIu64, comma, finding->record);
		comma = ", ";
	}
	if (rc >= 0 && (finding->known & (CAIRN_PLACE_INSN | CAIRN_PLACE_XACT))) {
		rc = base_buf_printf(buf, "%s%s %" PRIu64, comma,
		                     finding->known & CAIRN_PLACE_XACT ? "transaction" : "instruction",
		                     finding->insn);
		comma = ", ";
	}
	return rc >= 0 && *comma ? base_buf_put(buf, ": ", 2) : rc;
}

static const char *check_file_of(const struct job *job, const struct cairn_finding *finding)
{
	return job->options->operands[job->first + finding->part];
}

/* Texts come from outside: no control characters on a terminal. */
static int check_put_text(struct base_buf *buf, const char *text)
{
	size_t n = strlen(text);
	char *p = text_open(buf, 4 * n);
	if (!p)
		return CAIRN_E_NOMEM;
	text_close(buf, text_escape(p, text, n, false));
	return 0;
}

static int check_print_text(struct job *job, const struct cairn_finding *finding)
{
	static const char *const colors[] = {"", "\033[36m", "\033[33m", "\033[31m"};
	const struct cairn_rule *rule = finding->rule;
	struct base_buf *buf = &job->buf;
	if (job->quiet && rule->severity == CAIRN_NOTE)
		return 0;
	int rc = check_put_text(buf, check_file_of(job, finding));
	if (rc >= 0)
		rc = base_buf_put(buf, ": ", 2);
	if (rc >= 0)
		rc = check_put_place(buf, finding);
	if (rc >= 0)
		rc = base_buf_printf(buf, "%s%s%s: ", job->color ? colors[rule->severity] : "",
		                     cairn_severity_name(rule->severity), job->color ? "\033[0m" : "");
	if (rc >= 0)
		rc = check_put_text(buf, finding->message);
	if (rc >= 0)
		rc = job->verbose ? base_buf_printf(buf, " [%s: %s]\n", rule->id, rule->clause)
		                  : base_buf_printf(buf, " [%s]\n", rule->id);
	return rc;
}

static const char *check_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The trace: its file, or files. */
static int check_put_trace(struct job *job)
{
	int rc = check_put_text(&job->buf, job->options->operands[job->first]);
	if (rc >= 0 && job->parts > 1)
		rc = base_buf_printf(&job->buf, " and %zu more", job->parts - 1);
	return rc;
}

/* What was not shown, and the sum. */
static int sum_text(struct job *job, const struct cairn_check_result *res)
{
	struct base_buf *buf = &job->buf;
	int rc = 0;
	if (job->quiet)
		return 0;
	for (size_t i = 0; i < res->n_rules && rc >= 0; i++) {
		if (res->by_rule[i] <= job->shown[i])
			continue;
		rc = check_put_trace(job);
		if (rc >= 0)
			rc = base_buf_printf(buf, ": … and %" PRIu64 " more of %s\n",
			                     res->by_rule[i] - job->shown[i], res->rules[i].id);
	}
	if (rc >= 0)
		rc = check_put_trace(job);
	if (rc >= 0)
		rc = base_buf_printf(buf,
		                     ": %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " note%s\n",
		                     res->errors, check_plural(res->errors), res->warnings,
		                     check_plural(res->warnings), res->notes, check_plural(res->notes));
	return rc;
}

/* ---- JSON ---- */

static void json_known(struct jout *js, const struct cairn_finding *finding, uint32_t bit,
                       uint64_t value)
{
	if (finding->known & bit)
		jout_u64(js, value);
	else
		jout_null(js);
}

static int check_print_json(struct job *job, const struct cairn_finding *finding)
{
	struct jout js;
	jout_init(&js, &job->buf, false);
	jout_object(&js);
	JSON_KEY(&js, "file");
	jout_text(&js, check_file_of(job, finding));
	JSON_KEY(&js, "rule");
	jout_text(&js, finding->rule->id);
	JSON_KEY(&js, "clause");
	jout_text(&js, finding->rule->clause);
	JSON_KEY(&js, "severity");
	jout_text(&js, cairn_severity_name(finding->rule->severity));
	JSON_KEY(&js, "cpu");
	json_known(&js, finding, CAIRN_PLACE_CPU, finding->cpu);
	JSON_KEY(&js, "chunk");
	json_known(&js, finding, CAIRN_PLACE_CHUNK, finding->chunk);
	JSON_KEY(&js, "record");
	json_known(&js, finding, CAIRN_PLACE_RECORD, finding->record);
	JSON_KEY(&js, "offset");
	json_known(&js, finding, CAIRN_PLACE_OFFSET, finding->offset);
	JSON_KEY(&js, "line");
	json_known(&js, finding, CAIRN_PLACE_LINE, finding->line);
	JSON_KEY(&js, "instruction");
	json_known(&js, finding, finding->known & CAIRN_PLACE_XACT ? 0 : CAIRN_PLACE_INSN,
	           finding->insn);
	JSON_KEY(&js, "transaction");
	json_known(&js, finding, CAIRN_PLACE_XACT, finding->insn);
	JSON_KEY(&js, "message");
	jout_text(&js, finding->message);
	jout_object_end(&js);
	jout_end(&js);
	return js.status;
}

static int sum_json(struct job *job)
{
	struct jout js;
	jout_init(&js, &job->buf, false);
	jout_object(&js);
	JSON_KEY(&js, "errors");
	jout_u64(&js, job->errors);
	JSON_KEY(&js, "warnings");
	jout_u64(&js, job->warnings);
	JSON_KEY(&js, "notes");
	jout_u64(&js, job->notes);
	JSON_KEY(&js, "by_rule");
	jout_object(&js);
	for (size_t i = 0; i < job->n_totals; i++) {
		if (!job->totals[i].count)
			continue;
		jout_key(&js, job->totals[i].rule->id, strlen(job->totals[i].rule->id));
		jout_u64(&js, job->totals[i].count);
	}
	jout_object_end(&js);
	jout_object_end(&js);
	jout_end(&js);
	return js.status;
}

/* ---- one trace ---- */

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct job *job = user;
	job->shown[finding->rule - job->res.rules]++;
	int rc = job->json ? check_print_json(job, finding) : check_print_text(job, finding);
	return rc < 0 || job->buf.len < 1 << 16 ? rc : check_flush(job);
}

static int add_totals(struct job *job, const struct cairn_check_result *res)
{
	job->errors += res->errors;
	job->warnings += res->warnings;
	job->notes += res->notes;
	for (size_t i = 0; i < res->n_rules; i++) {
		size_t k = 0;
		while (k < job->n_totals && job->totals[k].rule != &res->rules[i])
			k++;
		if (k == job->n_totals) {
			struct total *total = base_realloc(job->cairn, job->totals, (k + 1) * sizeof *total);
			if (!total)
				return CAIRN_E_NOMEM;
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
	if (!job->options->times[OPT_NO_PROGRESS] && !job->quiet && isatty(STDERR_FILENO))
		progress = progress_start(reader, job->options->operands[job->first + job->parts]);
	int rc = cairn_check_part(checking, reader);
	progress_stop(progress);
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
	                               .user = job};
	struct cairn_checking *checking;
	job->parts = 0;
	memset(job->shown, 0, sizeof job->shown);
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
		rc = check_flush(job);
	cairn_close(reader);
	return rc;
}

/* ---- the verb ---- */

static int list_text(struct job *job, const char *format, const struct cairn_rule *rule)
{
	(void)format;
	return base_buf_printf(&job->buf, "%-34s %-8s %-36s %s\n", rule->id,
	                       cairn_severity_name(rule->severity), rule->clause, rule->text);
}

static int list_json(struct job *job, const char *format, const struct cairn_rule *rule)
{
	struct jout js;
	jout_init(&js, &job->buf, false);
	jout_object(&js);
	JSON_KEY(&js, "rule");
	jout_text(&js, rule->id);
	JSON_KEY(&js, "format");
	jout_text(&js, format);
	JSON_KEY(&js, "severity");
	jout_text(&js, cairn_severity_name(rule->severity));
	JSON_KEY(&js, "clause");
	jout_text(&js, rule->clause);
	JSON_KEY(&js, "text");
	jout_text(&js, rule->text);
	jout_object_end(&js);
	jout_end(&js);
	return js.status;
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
	return rc < 0 ? rc : check_flush(job);
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
			rc = check_flush(job);
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
		io_sink_abort(job->out);
	else if (job->out)
		rc = io_sink_finish(job->out);
	if (rc < 0 && rc != CAIRN_E_PIPE && code >= 0)
		complain_of(job->cairn);
	base_free(job->cairn, job->totals);
	base_buf_free(&job->buf);
	cairn_image_free(job->image);
	if (code == CAIRN_E_PIPE || rc == CAIRN_E_PIPE)
		return close_context(job->cairn, EXIT_FINE);
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
	base_buf_init(&job.buf, job.cairn);
	int rc = option_image(job.cairn, options, &job.image);
	if (rc >= 0)
		rc = io_sink_open(job.cairn, out, NULL, INT_MIN, 1, &job.out);
	if (rc >= 0)
		rc = rules ? list_rules(&job) : check_all(&job);
	return check_finish(&job, rc);
}

const struct verb verb_check = {
	.name = "check",
	.summary = "every violation of the format's specification",
	.usage = "[options] TRACE… | --rules",
	.help =
		"Each finding is a line: the place, how bad it is, what is wrong, and the rule's name.\n"
		"Errors are what the specification forbids, warnings what is probably not meant, notes\n"
		"where practice and specification differ. Damage is a finding. The first 100 findings\n"
		"of each rule are shown, all are counted; --all-findings shows every one. -v names the\n"
		"clauses, -q leaves out notes and sums. --rules lists the rules. With --json one object\n"
		"a line, the last one with the sums. The exit code is 1 when there are errors.\n"
		"There are rules for STF, RST, ETE and VIXL. An RST file that begins without RSTHEADER\n"
		"continues the trace of the file before it: cairn check part0.rst part1.rst part2.rst\n"
		"With the program (--image, or a snapshot's own) ETE is also judged by its flow.\n",
	.takes = OPTION_LIST(TAKES_COMMON, TAKES(OUTPUT), TAKES_FROM, TAKES(IMAGE), TAKES(JSON),
                         TAKES(THREADS), TAKES(RULES), TAKES(ALL_FINDINGS)),
	.run = cmd_check_run,
};
