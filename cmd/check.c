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
	struct cairn *c;
	const struct options *o;
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

static int check_flush(struct job *j)
{
	int rc = io_sink_write(j->out, j->buf.data, j->buf.len);
	j->buf.len = 0;
	return rc;
}

/* ---- text ---- */

static int check_put_place(struct base_buf *b, const struct cairn_finding *f)
{
	const char *comma = "";
	int rc = 0;
	if (f->known & CAIRN_PLACE_CHUNK)
		rc = base_buf_printf(b, "chunk %" PRIu64 ": ", f->chunk);
	if (rc >= 0 && (f->known & CAIRN_PLACE_OFFSET)) {
		rc = base_buf_printf(b, "byte 0x%" PRIx64, f->offset);
		comma = ", ";
	}
	if (rc >= 0 && (f->known & CAIRN_PLACE_LINE)) {
		rc = base_buf_printf(b, "%sline %" PRIu64, comma, f->line);
		comma = ", ";
	}
	if (rc >= 0 && (f->known & CAIRN_PLACE_RECORD)) {
		rc = base_buf_printf(b, "%srecord %" PRIu64, comma, f->record);
		comma = ", ";
	}
	if (rc >= 0 && (f->known & (CAIRN_PLACE_INSN | CAIRN_PLACE_XACT))) {
		rc = base_buf_printf(b, "%s%s %" PRIu64, comma,
		                     f->known & CAIRN_PLACE_XACT ? "transaction" : "instruction", f->insn);
		comma = ", ";
	}
	return rc >= 0 && *comma ? base_buf_put(b, ": ", 2) : rc;
}

static const char *check_file_of(const struct job *j, const struct cairn_finding *f)
{
	return j->o->operands[j->first + f->part];
}

/* Texts come from outside: no control characters on a terminal. */
static int check_put_text(struct base_buf *b, const char *s)
{
	size_t n = strlen(s);
	char *p = text_open(b, 4 * n);
	if (!p)
		return CAIRN_E_NOMEM;
	text_close(b, text_escape(p, s, n, false));
	return 0;
}

static int check_print_text(struct job *j, const struct cairn_finding *f)
{
	static const char *const colors[] = {"", "\033[36m", "\033[33m", "\033[31m"};
	const struct cairn_rule *rule = f->rule;
	struct base_buf *b = &j->buf;
	if (j->quiet && rule->severity == CAIRN_NOTE)
		return 0;
	int rc = check_put_text(b, check_file_of(j, f));
	if (rc >= 0)
		rc = base_buf_put(b, ": ", 2);
	if (rc >= 0)
		rc = check_put_place(b, f);
	if (rc >= 0)
		rc = base_buf_printf(b, "%s%s%s: ", j->color ? colors[rule->severity] : "",
		                     cairn_severity_name(rule->severity), j->color ? "\033[0m" : "");
	if (rc >= 0)
		rc = check_put_text(b, f->message);
	if (rc >= 0)
		rc = j->verbose ? base_buf_printf(b, " [%s: %s]\n", rule->id, rule->clause)
		                : base_buf_printf(b, " [%s]\n", rule->id);
	return rc;
}

static const char *check_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The trace: its file, or files. */
static int check_put_trace(struct job *j)
{
	int rc = check_put_text(&j->buf, j->o->operands[j->first]);
	if (rc >= 0 && j->parts > 1)
		rc = base_buf_printf(&j->buf, " and %zu more", j->parts - 1);
	return rc;
}

/* What was not shown, and the sum. */
static int sum_text(struct job *j, const struct cairn_check_result *res)
{
	struct base_buf *b = &j->buf;
	int rc = 0;
	if (j->quiet)
		return 0;
	for (size_t i = 0; i < res->n_rules && rc >= 0; i++) {
		if (res->by_rule[i] <= j->shown[i])
			continue;
		rc = check_put_trace(j);
		if (rc >= 0)
			rc = base_buf_printf(b, ": … and %" PRIu64 " more of %s\n",
			                     res->by_rule[i] - j->shown[i], res->rules[i].id);
	}
	if (rc >= 0)
		rc = check_put_trace(j);
	if (rc >= 0)
		rc =
			base_buf_printf(b, ": %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " note%s\n",
		                    res->errors, check_plural(res->errors), res->warnings,
		                    check_plural(res->warnings), res->notes, check_plural(res->notes));
	return rc;
}

/* ---- JSON ---- */

static void json_known(struct jout *js, const struct cairn_finding *f, uint32_t bit, uint64_t v)
{
	if (f->known & bit)
		jout_u64(js, v);
	else
		jout_null(js);
}

static int check_print_json(struct job *j, const struct cairn_finding *f)
{
	struct jout js;
	jout_init(&js, &j->buf, false);
	jout_object(&js);
	JSON_KEY(&js, "file");
	jout_text(&js, check_file_of(j, f));
	JSON_KEY(&js, "rule");
	jout_text(&js, f->rule->id);
	JSON_KEY(&js, "clause");
	jout_text(&js, f->rule->clause);
	JSON_KEY(&js, "severity");
	jout_text(&js, cairn_severity_name(f->rule->severity));
	JSON_KEY(&js, "cpu");
	json_known(&js, f, CAIRN_PLACE_CPU, f->cpu);
	JSON_KEY(&js, "chunk");
	json_known(&js, f, CAIRN_PLACE_CHUNK, f->chunk);
	JSON_KEY(&js, "record");
	json_known(&js, f, CAIRN_PLACE_RECORD, f->record);
	JSON_KEY(&js, "offset");
	json_known(&js, f, CAIRN_PLACE_OFFSET, f->offset);
	JSON_KEY(&js, "line");
	json_known(&js, f, CAIRN_PLACE_LINE, f->line);
	JSON_KEY(&js, "instruction");
	json_known(&js, f, f->known & CAIRN_PLACE_XACT ? 0 : CAIRN_PLACE_INSN, f->insn);
	JSON_KEY(&js, "transaction");
	json_known(&js, f, CAIRN_PLACE_XACT, f->insn);
	JSON_KEY(&js, "message");
	jout_text(&js, f->message);
	jout_object_end(&js);
	jout_end(&js);
	return js.status;
}

static int sum_json(struct job *j)
{
	struct jout js;
	jout_init(&js, &j->buf, false);
	jout_object(&js);
	JSON_KEY(&js, "errors");
	jout_u64(&js, j->errors);
	JSON_KEY(&js, "warnings");
	jout_u64(&js, j->warnings);
	JSON_KEY(&js, "notes");
	jout_u64(&js, j->notes);
	JSON_KEY(&js, "by_rule");
	jout_object(&js);
	for (size_t i = 0; i < j->n_totals; i++) {
		if (!j->totals[i].count)
			continue;
		jout_key(&js, j->totals[i].rule->id, strlen(j->totals[i].rule->id));
		jout_u64(&js, j->totals[i].count);
	}
	jout_object_end(&js);
	jout_object_end(&js);
	jout_end(&js);
	return js.status;
}

/* ---- one trace ---- */

static int on_finding(void *user, const struct cairn_finding *f)
{
	struct job *j = user;
	j->shown[f->rule - j->res.rules]++;
	int rc = j->json ? check_print_json(j, f) : check_print_text(j, f);
	return rc < 0 || j->buf.len < 1 << 16 ? rc : check_flush(j);
}

static int add_totals(struct job *j, const struct cairn_check_result *res)
{
	j->errors += res->errors;
	j->warnings += res->warnings;
	j->notes += res->notes;
	for (size_t i = 0; i < res->n_rules; i++) {
		size_t k = 0;
		while (k < j->n_totals && j->totals[k].rule != &res->rules[i])
			k++;
		if (k == j->n_totals) {
			struct total *t = base_realloc(j->c, j->totals, (k + 1) * sizeof *t);
			if (!t)
				return CAIRN_E_NOMEM;
			j->totals = t;
			j->totals[j->n_totals++] = (struct total){.rule = &res->rules[i]};
		}
		j->totals[k].count += res->by_rule[i];
	}
	return 0;
}

static int open_operand(struct job *j, size_t i, const char *part_of, struct cairn_reader **r)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = j->o->value[OPT_FROM],
	                               .lenient = 1,
	                               .no_index = 1,
	                               .part_of = part_of,
	                               .image = j->image};
	int rc = cairn_open(j->c, j->o->operands[i], &opts, r);
	if (rc >= 0)
		rc = image_fits(j->c, j->image, j->o->operands[i], *r);
	if (rc < 0) {
		cairn_close(*r);
		*r = NULL;
	}
	return rc;
}

static int check_part(struct job *j, struct cairn_checking *k, struct cairn_reader *r)
{
	struct progress *progress = NULL;
	if (!j->o->times[OPT_NO_PROGRESS] && !j->quiet && isatty(STDERR_FILENO))
		progress = progress_start(r, j->o->operands[j->first + j->parts]);
	int rc = cairn_check_part(k, r);
	progress_stop(progress);
	j->parts++;
	return rc;
}

/* Check the file *r and those behind it that continue its trace. The last one read is
 * left in *r, the next operand's reader, if it could be opened, in *next. */
static int check_parts(struct job *j, struct cairn_checking *k, struct cairn_reader **r,
                       struct cairn_reader **next, bool *failed)
{
	for (;;) {
		int rc = check_part(j, k, *r);
		size_t i = j->first + j->parts;
		if (rc < 0 || i == j->o->n_operands)
			return rc;
		rc = open_operand(j, i, cairn_reader_format(*r), next);
		if (rc < 0) {
			complain_of(j->c);
			*failed = true;
			return 0;
		}
		if (!cairn_reader_is_part(*next) ||
		    strcmp(cairn_reader_format(*r), cairn_reader_format(*next)) != 0)
			return 0;
		cairn_close(*r);
		*r = *next;
		*next = NULL;
	}
}

static int check_trace(struct job *j, struct cairn_reader *r, struct cairn_reader **next,
                       bool *failed)
{
	struct cairn_check_opts how = {.size = sizeof how,
	                               .threads = j->o->threads,
	                               .most = j->o->times[OPT_ALL_FINDINGS] ? UINT64_MAX : 0,
	                               .finding = on_finding,
	                               .user = j};
	struct cairn_checking *k;
	j->parts = 0;
	memset(j->shown, 0, sizeof j->shown);
	int rc = cairn_check_begin(j->c, &how, &j->res, &k);
	if (rc >= 0) {
		rc = check_parts(j, k, &r, next, failed);
		int last = cairn_check_end(k);
		rc = rc < 0 ? rc : last;
	}
	if (rc >= 0)
		rc = add_totals(j, &j->res);
	if (rc >= 0 && !j->json)
		rc = sum_text(j, &j->res);
	if (rc >= 0)
		rc = check_flush(j);
	cairn_close(r);
	return rc;
}

/* ---- the verb ---- */

static int list_text(struct job *j, const char *format, const struct cairn_rule *rule)
{
	(void)format;
	return base_buf_printf(&j->buf, "%-34s %-8s %-36s %s\n", rule->id,
	                       cairn_severity_name(rule->severity), rule->clause, rule->text);
}

static int list_json(struct job *j, const char *format, const struct cairn_rule *rule)
{
	struct jout js;
	jout_init(&js, &j->buf, false);
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

static int list_rules(struct job *j)
{
	const struct cairn_rule *rules;
	const char *format;
	size_t n;
	int rc = 0;
	for (size_t i = 0; rc >= 0 && (rules = cairn_rules(i, &format, &n)); i++)
		for (size_t k = 0; k < n && rc >= 0; k++)
			rc = j->json ? list_json(j, format, &rules[k]) : list_text(j, format, &rules[k]);
	return rc < 0 ? rc : check_flush(j);
}

static int check_all(struct job *j)
{
	int worst = EXIT_FINE;
	struct cairn_reader *r = NULL, *next = NULL;
	for (size_t i = 0; i < j->o->n_operands;) {
		bool failed = false;
		int rc = r ? 0 : open_operand(j, i, NULL, &r);
		j->first = i;
		j->parts = 1;
		if (rc >= 0)
			rc = check_trace(j, r, &next, &failed);
		i += j->parts + failed; /* which one was complained of */
		r = next;
		next = NULL;
		if (rc == CAIRN_E_PIPE) {
			cairn_close(r);
			return rc;
		}
		if (rc < 0)
			complain_of(j->c);
		if (rc < 0 || failed)
			worst = EXIT_COULD_NOT;
	}
	if (j->json) {
		int rc = sum_json(j);
		if (rc >= 0)
			rc = check_flush(j);
		if (rc < 0)
			return rc;
	}
	return worst != EXIT_FINE ? worst : j->errors ? EXIT_NO : EXIT_FINE;
}

/* `code` is an exit code or a status. */
static int check_finish(struct job *j, int code)
{
	const char *name = j->o->value[OPT_OUTPUT];
	int rc = 0;
	if (code < 0 && code != CAIRN_E_PIPE)
		complain_of(j->c);
	if (j->out && code < 0 && name && strcmp(name, "-") != 0)
		io_sink_abort(j->out);
	else if (j->out)
		rc = io_sink_finish(j->out);
	if (rc < 0 && rc != CAIRN_E_PIPE && code >= 0)
		complain_of(j->c);
	base_free(j->c, j->totals);
	base_buf_free(&j->buf);
	cairn_image_free(j->image);
	if (code == CAIRN_E_PIPE || rc == CAIRN_E_PIPE)
		return close_context(j->c, EXIT_FINE);
	return close_context(j->c, code < 0 || rc < 0 ? EXIT_COULD_NOT : code);
}

static int cmd_check_run(const struct verb *self, struct options *o)
{
	const char *out = o->value[OPT_OUTPUT] ? o->value[OPT_OUTPUT] : "-";
	bool rules = o->times[OPT_RULES];
	struct job j = {.o = o,
	                .json = o->times[OPT_JSON],
	                .color = option_color(o),
	                .quiet = o->times[OPT_QUIET],
	                .verbose = o->times[OPT_VERBOSE]};
	if (o->n_operands == 0 && !rules) {
		complain("no trace was named; usage: cairn %s %s", self->name, self->usage);
		return EXIT_COULD_NOT;
	}
	j.c = open_context(o);
	if (!j.c)
		return EXIT_COULD_NOT;
	base_buf_init(&j.buf, j.c);
	int rc = option_image(j.c, o, &j.image);
	if (rc >= 0)
		rc = io_sink_open(j.c, out, NULL, INT_MIN, 1, &j.out);
	if (rc >= 0)
		rc = rules ? list_rules(&j) : check_all(&j);
	return check_finish(&j, rc);
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
