/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn diff`: the library finds the hunks; this lays them out. A row is printed
 * by the library's view, whose number is replaced by those of both traces.
 *
 * Everything is in the order of the traces, and the first hunk is the first
 * divergence. What is not shown is counted.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

enum { CONTEXT_ROWS = 3, KEPT_ROWS = 16, LIMIT = 20, NUMBER = 9 };

struct side {
	const char *name;
	struct cairn_reader *reader;
	struct cairn_view *view;
	struct cairn_ctx shown;
};

struct job {
	struct session *session;
	struct side side, b;
	struct cairn_diff_opts opts;
	struct cairn_diff_sum sum;
	uint64_t first_a, first_b; /* of the first hunk */
	bool executed;             /* only instructions that executed are compared */
	bool color;
};

/* ---- rows ---- */

/* The view's lines of one row. The line about the context is left out at the
 * beginning of a hunk unless it is what differs. */
static int row_text(struct side *side, const struct cairn_diff_row *row, bool first,
                    const char **text, size_t *n)
{
	const struct cairn_batch *batch = row->batch;
	if (first && batch->n_ctxs)
		side->shown = batch->ctxs[0];
	if (row->fields & CAIRN_DIFF_CONTEXT)
		side->shown = (struct cairn_ctx){.known = UINT32_MAX};
	cairn_view_begin(side->view);
	int rc = cairn_view_batch(side->view, batch);
	return rc < 0 ? rc : cairn_view_take(side->view, &side->shown, text, n);
}

static void diff_put_number(struct cairn_text *out, uint64_t n)
{
	if (n)
		cairn_text_printf(out, "%*llu", NUMBER, (unsigned long long)n);
	else
		cairn_text_printf(out, "%*s", NUMBER, "");
}

/* One line: the mark, both numbers if the line begins with the view's, the rest. */
static int diff_put_line(struct job *job, char mark, const struct cairn_diff_row *row,
                         const char *p, size_t n)
{
	struct cairn_text *out = job->session->text;
	const char *paint = !job->color ? "" : mark == '-' ? "\033[31m" : mark == '+' ? "\033[32m" : "";
	size_t skip = 0;
	while (skip < n && p[skip] == ' ')
		skip++;
	size_t digits = skip;
	while (digits < n && isdigit((unsigned char)p[digits]))
		digits++;
	cairn_text_printf(out, "%s%c", paint, mark);
	if (digits > skip && skip < NUMBER) {
		diff_put_number(out, row->a);
		cairn_text_printf(out, " ");
		diff_put_number(out, row->b);
		p += digits;
		n -= digits;
	} else if (skip) {
		cairn_text_printf(out, "%*s", NUMBER + 1, "");
	}
	cairn_text_put(out, p, n);
	return cairn_text_printf(out, "%s\n", *paint ? "\033[0m" : "");
}

static int diff_put_row(struct job *job, struct side *side, char mark,
                        const struct cairn_diff_row *row, bool first)
{
	const char *text;
	size_t n;
	int rc = row_text(side, row, first, &text, &n);
	while (rc >= 0 && n) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) : n;
		rc = diff_put_line(job, mark, row, text, len);
		n -= end ? len + 1 : len;
		text += len + 1;
	}
	return rc;
}

static int put_more(struct job *job, char mark, uint64_t count, uint32_t kept)
{
	if (count <= kept)
		return 0;
	return cairn_text_printf(job->session->text, "%c… %llu more\n", mark,
	                         (unsigned long long)(count - kept));
}

/* ---- a hunk as text ---- */

static void put_fields(struct cairn_text *out, uint32_t fields)
{
	const char *comma = "";
	for (unsigned i = 0; cairn_diff_field_name(i); i++)
		if (fields >> i & 1) {
			cairn_text_printf(out, "%s%s", comma, cairn_diff_field_name(i));
			comma = ", ";
		}
}

static void diff_put_range(struct cairn_text *out, const char *name, uint64_t first, uint64_t count)
{
	unsigned long long from = first, to = first + count - 1;
	if (count == 0)
		cairn_text_printf(out, "%s before %llu", name, from);
	else if (count == 1)
		cairn_text_printf(out, "%s %llu", name, from);
	else
		cairn_text_printf(out, "%s %llu..%llu", name, from, to);
}

static int diff_put_head(struct job *job, const struct cairn_diff_hunk *hunk)
{
	struct cairn_text *out = job->session->text;
	cairn_text_printf(out, "%s@@ ", job->color ? "\033[36m" : "");
	diff_put_range(out, "A", hunk->a_first, hunk->a_count);
	cairn_text_printf(out, ", ");
	diff_put_range(out, "B", hunk->b_first, hunk->b_count);
	cairn_text_printf(out, " @@ %s", hunk->kind == CAIRN_DIFF_CHANGED ? "changed: " : "");
	if (hunk->kind == CAIRN_DIFF_CHANGED)
		put_fields(out, hunk->fields);
	if (hunk->kind == CAIRN_DIFF_EDIT && hunk->a_count)
		cairn_text_printf(out, "%llu only in A", (unsigned long long)hunk->a_count);
	if (hunk->kind == CAIRN_DIFF_EDIT && hunk->b_count)
		cairn_text_printf(out, "%s%llu only in B", hunk->a_count ? ", " : "",
		                  (unsigned long long)hunk->b_count);
	if (hunk->lost)
		cairn_text_printf(out, "; nothing alike within %u", job->opts.window);
	return cairn_text_printf(out, "%s\n", job->color ? "\033[0m" : "");
}

static int text_hunk(struct job *job, const struct cairn_diff_hunk *hunk)
{
	int rc = diff_put_head(job, hunk);
	for (uint32_t i = 0; i < hunk->n_before && rc >= 0; i++)
		rc = diff_put_row(job, &job->side, ' ', &hunk->before[i], i == 0);
	/* Changed rows stand in pairs, what was replaced one side after the other. */
	bool pairs = hunk->kind == CAIRN_DIFF_CHANGED;
	for (uint32_t i = 0; i < hunk->n_a && rc >= 0; i++) {
		rc = diff_put_row(job, &job->side, '-', &hunk->a[i], i == 0 && !hunk->n_before);
		if (pairs && rc >= 0)
			rc = diff_put_row(job, &job->b, '+', &hunk->b[i], i == 0);
	}
	if (rc >= 0)
		rc = put_more(job, pairs ? '!' : '-', hunk->a_count, hunk->n_a);
	for (uint32_t i = 0; i < hunk->n_b && !pairs && rc >= 0; i++)
		rc = diff_put_row(job, &job->b, '+', &hunk->b[i], i == 0);
	if (rc >= 0 && !pairs)
		rc = put_more(job, '+', hunk->b_count, hunk->n_b);
	for (uint32_t i = 0; i < hunk->n_after && rc >= 0; i++)
		rc = diff_put_row(job, &job->side, ' ', &hunk->after[i], i == 0);
	return rc;
}

/* ---- a hunk as JSON ---- */

static void json_fields(struct cairn_text *text, const char *key, uint32_t fields)
{
	cairn_json_array(text, key);
	for (unsigned i = 0; cairn_diff_field_name(i); i++)
		if (fields >> i & 1)
			cairn_json_text(text, NULL, cairn_diff_field_name(i));
	cairn_json_close(text);
}

static int json_rows(struct cairn_text *out, const char *key, struct side *side,
                     const struct cairn_diff_row *rows, uint32_t n)
{
	int rc = 0;
	cairn_json_array(out, key);
	for (uint32_t i = 0; i < n && rc >= 0; i++) {
		const char *text = "";
		size_t len = 0;
		rc = row_text(side, &rows[i], true, &text, &len);
		const char *end = rc < 0 ? NULL : memchr(text, '\n', len);
		if (rc >= 0)
			cairn_json_raw(out, NULL, text, end ? (size_t)(end - text) : len);
	}
	cairn_json_close(out);
	return rc;
}

static int json_side(struct cairn_text *text, const char *key, struct side *side, uint64_t first,
                     uint64_t count, const struct cairn_diff_row *rows, uint32_t n)
{
	cairn_json_object(text, key);
	cairn_json_number(text, "first", first);
	cairn_json_number(text, "count", count);
	int rc = json_rows(text, "rows", side, rows, n);
	cairn_json_close(text);
	return rc;
}

static int json_hunk(struct job *job, const struct cairn_diff_hunk *hunk)
{
	struct cairn_text *text = job->session->text;
	cairn_json_begin(text, 0);
	cairn_json_number(text, "difference", hunk->number);
	cairn_json_text(text, "kind",
	                hunk->kind == CAIRN_DIFF_CHANGED ? "changed"
	                : !hunk->b_count                 ? "only_a"
	                : !hunk->a_count                 ? "only_b"
	                                                 : "replaced");
	json_fields(text, "fields", hunk->fields);
	cairn_json_bool(text, "within_window", !hunk->lost);
	int rc = json_rows(text, "before", &job->side, hunk->before, hunk->n_before);
	if (rc >= 0)
		rc = json_side(text, "a", &job->side, hunk->a_first, hunk->a_count, hunk->a, hunk->n_a);
	if (rc >= 0)
		rc = json_side(text, "b", &job->b, hunk->b_first, hunk->b_count, hunk->b, hunk->n_b);
	if (rc >= 0)
		rc = json_rows(text, "after", &job->side, hunk->after, hunk->n_after);
	return rc < 0 ? rc : cairn_json_end(text);
}

static int hunk(void *user, const struct cairn_diff_hunk *of)
{
	struct job *job = user;
	if (of->number == 1) {
		job->first_a = of->a_first;
		job->first_b = of->b_first;
	}
	int rc = job->session->options->times[OPT_JSON] ? json_hunk(job, of) : text_hunk(job, of);
	return session_print(job->session, rc);
}

/* ---- the summary ---- */

static int text_sum(struct job *job)
{
	const struct cairn_diff_sum *sum = &job->sum;
	struct cairn_text *out = job->session->text;
	const char *what = sum->transactions ? "transaction" : "instruction";
	uint64_t limit = job->opts.limit;
	if (sum->hunks && limit && sum->hunks > limit)
		cairn_text_printf(out, "… %llu more difference%s (--limit 0 shows all)\n",
		                  (unsigned long long)(sum->hunks - limit),
		                  sum->hunks - limit == 1 ? "" : "s");
	if (sum->hunks)
		cairn_text_printf(out, "%-12s  first at %s %llu of A, %llu of B\n", "different", what,
		                  (unsigned long long)job->first_a, (unsigned long long)job->first_b);
	const struct {
		const char *name;
		uint64_t n;
	} rows[] = {{"differences", sum->hunks},
	            {"equal", sum->equal},
	            {"changed", sum->changed},
	            {"only in A", sum->only_a},
	            {"only in B", sum->only_b}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cairn_text_printf(out, "%-12s  %llu\n", rows[i].name, (unsigned long long)rows[i].n);
	cairn_text_printf(out, "%-12s  ", "compared");
	if (sum->compared)
		put_fields(out, sum->compared);
	else
		cairn_text_printf(out, "nothing that both tell");
	return cairn_text_printf(
		out, "%s\n",
		job->executed && sum->compared ? "; of instructions that executed (-w true: of all)" : "");
}

static int json_sum(struct job *job)
{
	const struct cairn_diff_sum *sum = &job->sum;
	struct cairn_text *text = job->session->text;
	cairn_json_begin(text, 0);
	cairn_json_number(text, "differences", sum->hunks);
	cairn_json_number(text, "equal", sum->equal);
	cairn_json_number(text, "changed", sum->changed);
	cairn_json_number(text, "only_a", sum->only_a);
	cairn_json_number(text, "only_b", sum->only_b);
	json_fields(text, "compared", sum->compared);
	cairn_json_bool(text, "executed_only", job->executed);
	return cairn_json_end(text);
}

/* ---- options ---- */

static int parse_ignore(const char *text, uint32_t *fields)
{
	while (text && *text) {
		size_t n = strcspn(text, ",");
		unsigned i = 0;
		const char *name;
		for (; (name = cairn_diff_field_name(i)); i++)
			if (strlen(name) == n && !memcmp(name, text, n))
				break;
		if (!name) {
			complain("--ignore knows pc, encoding, size, taken, target, flags, context, regs, "
			         "mems, values, events and transaction, not '%.*s'",
			         (int)n, text);
			return -1;
		}
		*fields &= ~(1u << i);
		text += n + (text[n] == ',');
	}
	return 0;
}

static int diff_parse(struct job *job, const struct options *options)
{
	uint64_t window = CAIRN_DIFF_WINDOW;
	bool all = options->times[OPT_ALL] != 0;
	job->opts = (struct cairn_diff_opts){
		.size = sizeof job->opts,
		.context = CONTEXT_ROWS,
		.rows = KEPT_ROWS,
		.limit = LIMIT,
		.threads = options->threads,
		.hunk = hunk,
		.user = job,
		.fields = CAIRN_DIFF_DEFAULT |
	              (all || options->times[OPT_REGS] ? (uint32_t)CAIRN_DIFF_REGS : 0) |
	              (all || options->times[OPT_MEMS] ? (uint32_t)CAIRN_DIFF_MEMS : 0) |
	              (all || options->times[OPT_EVENTS] ? (uint32_t)CAIRN_DIFF_EVENTS : 0)};
	if (options_number(options, OPT_WINDOW, CAIRN_DIFF_WINDOW_MAX, &window) < 0 ||
	    options_number(options, OPT_LIMIT, UINT64_MAX, &job->opts.limit) < 0 ||
	    parse_ignore(options->value[OPT_IGNORE], &job->opts.fields) < 0)
		return -1;
	if (window == 0) {
		complain("--window is at least 1");
		return -1;
	}
	job->opts.window = (uint32_t)window;
	if (job->opts.fields == 0) {
		complain("everything is ignored: nothing is left to compare");
		return -1;
	}
	if (options->n_operands != 2) {
		complain("diff compares two traces; usage: cairn diff %s", job->session->verb->usage);
		return -1;
	}
	return 0;
}

/* ---- running ---- */

/* What --ete and the like say is for those of the two traces that are ETE. */
static bool refuse_unused(const struct job *job, const struct options *options)
{
	if (says_of_ete(options, job->side.reader) || says_of_ete(options, job->b.reader))
		return false;
	complain("--ete and --transactions say how ETE is read, and neither %s nor %s is ETE",
	         job->side.name, job->b.name);
	return true;
}

static int open_b(struct job *job, const struct options *options)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = options->value[OPT_FROM],
	                               .strict = options->times[OPT_STRICT] != 0,
	                               .image = job->session->image};
	return cairn_open(job->session->cairn, job->b.name, &opts, &job->b.reader);
}

static int make_view(struct job *job, struct side *side)
{
	const struct cairn_info *info;
	const struct options *options = job->session->options;
	uint32_t f = job->opts.fields;
	struct cairn_view_opts opts = {.size = sizeof opts,
	                               .reader = side->reader,
	                               .image = job->session->image,
	                               .json = options->times[OPT_JSON] != 0,
	                               .disasm = options->times[OPT_NO_DISASM] == 0,
	                               .show =
	                                   (f & CAIRN_DIFF_REGS ? (uint32_t)CAIRN_VIEW_REGS : 0) |
	                                   (f & CAIRN_DIFF_MEMS ? (uint32_t)CAIRN_VIEW_MEMS : 0) |
	                                   (f & CAIRN_DIFF_EVENTS ? (uint32_t)CAIRN_VIEW_EVENTS : 0)};
	int rc = cairn_reader_info(side->reader, &info);
	for (size_t i = 0; rc >= 0 && i < info->n; i++)
		if (info->facts[i].is_known && !strcmp(info->facts[i].key, "isa_extended"))
			opts.isa_string = info->facts[i].text;
	return rc < 0 ? rc : cairn_view_new(job->session->cairn, &opts, &side->view);
}

static int diff_put_names(struct cairn_text *out, const char *first, const char *second)
{
	cairn_text_printf(out, "--- A ");
	cairn_text_escape(out, first);
	cairn_text_printf(out, "\n+++ B ");
	cairn_text_escape(out, second);
	return cairn_text_printf(out, "\n");
}

static int diff_work(struct job *job, const struct options *options)
{
	int rc = make_view(job, &job->side);
	if (rc >= 0)
		rc = make_view(job, &job->b);
	if (rc < 0)
		return rc;
	/* What did not execute is a row in one format, missing in another, and a no-op in a third. */
	job->executed = !options->times[OPT_WHERE] && strcmp(cairn_reader_format(job->side.reader),
	                                                     cairn_reader_format(job->b.reader)) != 0;
	if (job->executed) {
		rc = cairn_select_where(job->session->select, "!annulled && !aborted");
		if (rc < 0)
			return rc;
	}
	if (!cairn_select_all(job->session->select))
		job->opts.select = job->session->select;
	session_progress(job->session, true);
	bool json = options->times[OPT_JSON] != 0;
	if (!json)
		rc = diff_put_names(job->session->text, job->side.name, job->b.name);
	job->sum.size = sizeof job->sum;
	if (rc >= 0)
		rc = cairn_diff(job->side.reader, job->b.reader, &job->opts, &job->sum);
	if (rc < 0)
		return rc;
	int answer = rc;
	rc = json ? json_sum(job) : text_sum(job);
	if (json || answer || !options->times[OPT_QUIET])
		rc = session_print(job->session, rc);
	return rc < 0 ? rc : answer;
}

static int cmd_diff_run(const struct verb *self, struct options *options)
{
	struct session session = {.verb = self};
	struct job job = {.session = &session};
	if (diff_parse(&job, options) < 0 || refuse_twice(options) < 0)
		return EXIT_COULD_NOT;
	struct options one = *options;
	one.n_operands = 1;
	if (session_open(&session, self, &one) < 0)
		return EXIT_COULD_NOT;
	job.side = (struct side){.name = options->operands[0], .reader = session.reader};
	job.b = (struct side){.name = options->operands[1]};
	job.color = option_color(options);
	int rc = open_b(&job, options);
	bool refused = rc >= 0 && refuse_unused(&job, options);
	if (rc >= 0 && !refused)
		rc = diff_work(&job, options);
	const char *why = job.side.view ? cairn_view_no_disasm(job.side.view) : NULL;
	if (why && rc >= 0 && !options->times[OPT_QUIET])
		complain("%s", why);
	uint64_t damage = complain_of_damage(options, job.b.name, job.b.reader);
	progress_stop(session.progress);
	session.progress = NULL;
	cairn_view_free(job.side.view);
	cairn_view_free(job.b.view);
	bool lacks = lacks_program(job.b.reader);
	cairn_close(job.b.reader);
	/* When nothing was compared, the traces were not found to be equal. */
	bool nothing = rc == 0 && job.opts.select && job.sum.equal == 0;
	bool unknown =
		rc == 0 && !refused && job.sum.equal == 0 && (lacks || lacks_program(session.reader));
	if (unknown)
		complain_of_program(lacks_program(session.reader) ? job.side.name : job.b.name);
	else if (nothing)
		complain("%s and %s: the selection is empty", job.side.name, job.b.name);
	int code = session_finish(&session, rc,
	                          unknown || refused   ? EXIT_COULD_NOT
	                          : rc == 1 || nothing ? EXIT_NO
	                                               : EXIT_FINE);
	return damage ? EXIT_COULD_NOT : code;
}

const struct verb verb_diff = {
	.name = "diff",
	.summary = "where two traces differ, instruction by instruction",
	.usage = "[options] A B",
	.help =
		"Compares PCs, encodings, outcomes of branches and contexts; with -r, -m and -e also\n"
		"registers, memory accesses and events. Where one trace has instructions that the other\n"
		"lacks, the traces are aligned again, within a window. Each difference is shown with its\n"
		"surroundings: - is only in A, + only in B, and the numbers of both traces come first.\n"
		"What one of the traces does not know is no difference. Regions (-R) apply to both.\n"
		"Traces of different formats are compared by what executed, because formats record the\n"
		"rest differently. Exit code 1: they differ.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(REGS),
                         TAKES(MEMS), TAKES(EVENTS), TAKES(ALL), TAKES(NO_DISASM), TAKES(THREADS),
                         TAKES(IGNORE), TAKES(WINDOW), TAKES(LIMIT)),
	.ways = VERB_COMPARES,
	.run = cmd_diff_run,
};
