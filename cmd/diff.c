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
#include "export/json.h"

enum { CONTEXT_ROWS = 3, KEPT_ROWS = 16, LIMIT = 20, NUMBER = 9 };

struct side {
	const char *name;
	struct cairn_reader *r;
	struct cairn_view *view;
	struct cairn_ctx shown;
};

struct job {
	struct session *s;
	struct side a, b;
	struct cairn_diff_opts opts;
	struct cairn_diff_sum sum;
	struct base_buf out;
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
	const struct cairn_batch *b = row->batch;
	if (first && b->n_ctxs)
		side->shown = b->ctxs[0];
	if (row->fields & CAIRN_DIFF_CONTEXT)
		side->shown = (struct cairn_ctx){.known = UINT32_MAX};
	cairn_view_begin(side->view);
	int rc = cairn_view_batch(side->view, b);
	return rc < 0 ? rc : cairn_view_take(side->view, &side->shown, text, n);
}

static int diff_put_number(struct base_buf *b, uint64_t n)
{
	return n ? base_buf_printf(b, "%*llu", NUMBER, (unsigned long long)n)
	         : base_buf_printf(b, "%*s", NUMBER, "");
}

/* One line: the mark, both numbers if the line begins with the view's, the rest. */
static int diff_put_line(struct job *j, char mark, const struct cairn_diff_row *row, const char *p,
                         size_t n)
{
	struct base_buf *b = &j->out;
	const char *paint = !j->color ? "" : mark == '-' ? "\033[31m" : mark == '+' ? "\033[32m" : "";
	size_t skip = 0;
	while (skip < n && p[skip] == ' ')
		skip++;
	size_t digits = skip;
	while (digits < n && isdigit((unsigned char)p[digits]))
		digits++;
	int rc = base_buf_printf(b, "%s%c", paint, mark);
	if (digits > skip && skip < NUMBER) {
		if (rc >= 0)
			rc = diff_put_number(b, row->a);
		if (rc >= 0)
			rc = base_buf_printf(b, " ");
		if (rc >= 0)
			rc = diff_put_number(b, row->b);
		p += digits;
		n -= digits;
	} else if (skip && rc >= 0) {
		rc = base_buf_printf(b, "%*s", NUMBER + 1, "");
	}
	if (rc >= 0)
		rc = base_buf_put(b, p, n);
	return rc < 0 ? rc : base_buf_printf(b, "%s\n", *paint ? "\033[0m" : "");
}

static int diff_put_row(struct job *j, struct side *side, char mark,
                        const struct cairn_diff_row *row, bool first)
{
	const char *text;
	size_t n;
	int rc = row_text(side, row, first, &text, &n);
	while (rc >= 0 && n) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) : n;
		rc = diff_put_line(j, mark, row, text, len);
		n -= end ? len + 1 : len;
		text += len + 1;
	}
	return rc;
}

static int put_more(struct job *j, char mark, uint64_t count, uint32_t kept)
{
	if (count <= kept)
		return 0;
	return base_buf_printf(&j->out, "%c… %llu more\n", mark, (unsigned long long)(count - kept));
}

/* ---- a hunk as text ---- */

static int put_fields(struct base_buf *b, uint32_t fields)
{
	int rc = 0;
	bool any = false;
	for (unsigned i = 0; cairn_diff_field_name(i) && rc >= 0; i++)
		if (fields >> i & 1) {
			rc = base_buf_printf(b, "%s%s", any ? ", " : "", cairn_diff_field_name(i));
			any = true;
		}
	return rc;
}

static int diff_put_range(struct base_buf *b, const char *name, uint64_t first, uint64_t count)
{
	unsigned long long from = first, to = first + count - 1;
	if (count == 0)
		return base_buf_printf(b, "%s before %llu", name, from);
	if (count == 1)
		return base_buf_printf(b, "%s %llu", name, from);
	return base_buf_printf(b, "%s %llu..%llu", name, from, to);
}

static int diff_put_head(struct job *j, const struct cairn_diff_hunk *h)
{
	struct base_buf *b = &j->out;
	int rc = base_buf_printf(b, "%s@@ ", j->color ? "\033[36m" : "");
	if (rc >= 0)
		rc = diff_put_range(b, "A", h->a_first, h->a_count);
	if (rc >= 0)
		rc = base_buf_printf(b, ", ");
	if (rc >= 0)
		rc = diff_put_range(b, "B", h->b_first, h->b_count);
	if (rc >= 0)
		rc = base_buf_printf(b, " @@ %s", h->kind == CAIRN_DIFF_CHANGED ? "changed: " : "");
	if (rc >= 0 && h->kind == CAIRN_DIFF_CHANGED)
		rc = put_fields(b, h->fields);
	if (rc >= 0 && h->kind == CAIRN_DIFF_EDIT && h->a_count)
		rc = base_buf_printf(b, "%llu only in A", (unsigned long long)h->a_count);
	if (rc >= 0 && h->kind == CAIRN_DIFF_EDIT && h->b_count)
		rc = base_buf_printf(b, "%s%llu only in B", h->a_count ? ", " : "",
		                     (unsigned long long)h->b_count);
	if (rc >= 0 && h->lost)
		rc = base_buf_printf(b, "; nothing alike within %u", j->opts.window);
	return rc < 0 ? rc : base_buf_printf(b, "%s\n", j->color ? "\033[0m" : "");
}

static int text_hunk(struct job *j, const struct cairn_diff_hunk *h)
{
	int rc = diff_put_head(j, h);
	for (uint32_t i = 0; i < h->n_before && rc >= 0; i++)
		rc = diff_put_row(j, &j->a, ' ', &h->before[i], i == 0);
	/* Changed rows stand in pairs, what was replaced one side after the other. */
	bool pairs = h->kind == CAIRN_DIFF_CHANGED;
	for (uint32_t i = 0; i < h->n_a && rc >= 0; i++) {
		rc = diff_put_row(j, &j->a, '-', &h->a[i], i == 0 && !h->n_before);
		if (pairs && rc >= 0)
			rc = diff_put_row(j, &j->b, '+', &h->b[i], i == 0);
	}
	if (rc >= 0)
		rc = put_more(j, pairs ? '!' : '-', h->a_count, h->n_a);
	for (uint32_t i = 0; i < h->n_b && !pairs && rc >= 0; i++)
		rc = diff_put_row(j, &j->b, '+', &h->b[i], i == 0);
	if (rc >= 0 && !pairs)
		rc = put_more(j, '+', h->b_count, h->n_b);
	for (uint32_t i = 0; i < h->n_after && rc >= 0; i++)
		rc = diff_put_row(j, &j->a, ' ', &h->after[i], i == 0);
	return rc;
}

/* ---- a hunk as JSON ---- */

static void json_fields(struct jout *w, uint32_t fields)
{
	jout_array(w);
	for (unsigned i = 0; cairn_diff_field_name(i); i++)
		if (fields >> i & 1)
			jout_text(w, cairn_diff_field_name(i));
	jout_array_end(w);
}

static void json_rows(struct jout *w, struct side *side, const struct cairn_diff_row *rows,
                      uint32_t n)
{
	jout_array(w);
	for (uint32_t i = 0; i < n; i++) {
		const char *text = "";
		size_t len = 0;
		int rc = row_text(side, &rows[i], true, &text, &len);
		if (rc < 0) {
			w->status = rc;
			break;
		}
		const char *end = memchr(text, '\n', len);
		jout_raw(w, text, end ? (size_t)(end - text) : len);
	}
	jout_array_end(w);
}

static void json_side(struct jout *w, struct side *side, uint64_t first, uint64_t count,
                      const struct cairn_diff_row *rows, uint32_t n)
{
	jout_object(w);
	JSON_KEY(w, "first");
	jout_u64(w, first);
	JSON_KEY(w, "count");
	jout_u64(w, count);
	JSON_KEY(w, "rows");
	json_rows(w, side, rows, n);
	jout_object_end(w);
}

static int json_hunk(struct job *j, const struct cairn_diff_hunk *h)
{
	struct jout w;
	jout_init(&w, &j->out, false);
	jout_object(&w);
	JSON_KEY(&w, "difference");
	jout_u64(&w, h->number);
	JSON_KEY(&w, "kind");
	jout_text(&w, h->kind == CAIRN_DIFF_CHANGED ? "changed"
	              : !h->b_count                 ? "only_a"
	              : !h->a_count                 ? "only_b"
	                                            : "replaced");
	JSON_KEY(&w, "fields");
	json_fields(&w, h->fields);
	JSON_KEY(&w, "within_window");
	jout_bool(&w, !h->lost);
	JSON_KEY(&w, "before");
	json_rows(&w, &j->a, h->before, h->n_before);
	JSON_KEY(&w, "a");
	json_side(&w, &j->a, h->a_first, h->a_count, h->a, h->n_a);
	JSON_KEY(&w, "b");
	json_side(&w, &j->b, h->b_first, h->b_count, h->b, h->n_b);
	JSON_KEY(&w, "after");
	json_rows(&w, &j->a, h->after, h->n_after);
	jout_object_end(&w);
	jout_end(&w);
	return w.status;
}

static int hunk(void *user, const struct cairn_diff_hunk *h)
{
	struct job *j = user;
	if (h->number == 1) {
		j->first_a = h->a_first;
		j->first_b = h->b_first;
	}
	int rc = j->s->o->times[OPT_JSON] ? json_hunk(j, h) : text_hunk(j, h);
	if (rc >= 0)
		rc = io_sink_write(j->s->out, j->out.data, j->out.len);
	j->out.len = 0;
	return rc;
}

/* ---- the summary ---- */

static int text_sum(struct job *j)
{
	const struct cairn_diff_sum *sum = &j->sum;
	struct base_buf *b = &j->out;
	const char *what = sum->transactions ? "transaction" : "instruction";
	uint64_t limit = j->opts.limit;
	int rc = 0;
	if (sum->hunks && limit && sum->hunks > limit)
		rc = base_buf_printf(b, "… %llu more difference%s (--limit 0 shows all)\n",
		                     (unsigned long long)(sum->hunks - limit),
		                     sum->hunks - limit == 1 ? "" : "s");
	if (sum->hunks && rc >= 0)
		rc = base_buf_printf(b, "%-12s  first at %s %llu of A, %llu of B\n", "different", what,
		                     (unsigned long long)j->first_a, (unsigned long long)j->first_b);
	const struct {
		const char *name;
		uint64_t n;
	} rows[] = {{"differences", sum->hunks},
	            {"equal", sum->equal},
	            {"changed", sum->changed},
	            {"only in A", sum->only_a},
	            {"only in B", sum->only_b}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows && rc >= 0; i++)
		rc = base_buf_printf(b, "%-12s  %llu\n", rows[i].name, (unsigned long long)rows[i].n);
	if (rc >= 0)
		rc = base_buf_printf(b, "%-12s  ", "compared");
	if (rc >= 0)
		rc = sum->compared ? put_fields(b, sum->compared)
		                   : base_buf_printf(b, "nothing that both tell");
	return rc < 0 ? rc
	              : base_buf_printf(b, "%s\n",
	                                j->executed && sum->compared
	                                    ? "; of instructions that executed (-w true: of all)"
	                                    : "");
}

static int json_sum(struct job *j)
{
	const struct cairn_diff_sum *sum = &j->sum;
	struct jout w;
	jout_init(&w, &j->out, false);
	jout_object(&w);
	JSON_KEY(&w, "differences");
	jout_u64(&w, sum->hunks);
	JSON_KEY(&w, "equal");
	jout_u64(&w, sum->equal);
	JSON_KEY(&w, "changed");
	jout_u64(&w, sum->changed);
	JSON_KEY(&w, "only_a");
	jout_u64(&w, sum->only_a);
	JSON_KEY(&w, "only_b");
	jout_u64(&w, sum->only_b);
	JSON_KEY(&w, "compared");
	json_fields(&w, sum->compared);
	JSON_KEY(&w, "executed_only");
	jout_bool(&w, j->executed);
	jout_object_end(&w);
	jout_end(&w);
	return w.status;
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

static int diff_parse(struct job *j, const struct options *o)
{
	uint64_t window = CAIRN_DIFF_WINDOW;
	bool all = o->times[OPT_ALL] != 0;
	j->opts = (struct cairn_diff_opts){
		.size = sizeof j->opts,
		.context = CONTEXT_ROWS,
		.rows = KEPT_ROWS,
		.limit = LIMIT,
		.threads = o->threads,
		.hunk = hunk,
		.user = j,
		.fields = CAIRN_DIFF_DEFAULT | (all || o->times[OPT_REGS] ? (uint32_t)CAIRN_DIFF_REGS : 0) |
	              (all || o->times[OPT_MEMS] ? (uint32_t)CAIRN_DIFF_MEMS : 0) |
	              (all || o->times[OPT_EVENTS] ? (uint32_t)CAIRN_DIFF_EVENTS : 0)};
	if (options_number(o, OPT_WINDOW, CAIRN_DIFF_WINDOW_MAX, &window) < 0 ||
	    options_number(o, OPT_LIMIT, UINT64_MAX, &j->opts.limit) < 0 ||
	    parse_ignore(o->value[OPT_IGNORE], &j->opts.fields) < 0)
		return -1;
	if (window == 0) {
		complain("--window is at least 1");
		return -1;
	}
	j->opts.window = (uint32_t)window;
	if (j->opts.fields == 0) {
		complain("nothing is left to compare");
		return -1;
	}
	if (o->n_operands != 2) {
		complain("diff compares two traces; usage: cairn diff %s", j->s->verb->usage);
		return -1;
	}
	return 0;
}

/* ---- running ---- */

static int open_b(struct job *j, const struct options *o)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = o->value[OPT_FROM],
	                               .strict = o->times[OPT_STRICT] != 0,
	                               .image = j->s->image};
	return cairn_open(j->s->c, j->b.name, &opts, &j->b.r);
}

static int make_view(struct job *j, struct side *side)
{
	const struct cairn_info *info;
	const struct options *o = j->s->o;
	uint32_t f = j->opts.fields;
	struct cairn_view_opts v = {.size = sizeof v,
	                            .reader = side->r,
	                            .image = j->s->image,
	                            .json = o->times[OPT_JSON] != 0,
	                            .disasm = o->times[OPT_NO_DISASM] == 0,
	                            .show = (f & CAIRN_DIFF_REGS ? (uint32_t)CAIRN_VIEW_REGS : 0) |
	                                    (f & CAIRN_DIFF_MEMS ? (uint32_t)CAIRN_VIEW_MEMS : 0) |
	                                    (f & CAIRN_DIFF_EVENTS ? (uint32_t)CAIRN_VIEW_EVENTS : 0)};
	int rc = cairn_reader_info(side->r, &info);
	for (size_t i = 0; rc >= 0 && i < info->n; i++)
		if (info->facts[i].is_known && !strcmp(info->facts[i].key, "isa_extended"))
			v.isa_string = info->facts[i].text;
	return rc < 0 ? rc : cairn_view_new(j->s->c, &v, &side->view);
}

static int diff_put_names(struct base_buf *b, const char *first, const char *second)
{
	char *p = text_open(b, 4 * (strlen(first) + strlen(second)) + 32);
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_escape(TEXT_LIT(p, "--- A "), first, strlen(first), false);
	p = text_escape(TEXT_LIT(p, "\n+++ B "), second, strlen(second), false);
	*p++ = '\n';
	text_close(b, p);
	return 0;
}

static int diff_work(struct job *j, const struct options *o)
{
	int rc = open_b(j, o);
	if (rc >= 0)
		rc = make_view(j, &j->a);
	if (rc >= 0)
		rc = make_view(j, &j->b);
	if (rc < 0)
		return rc;
	/* What did not execute one format has, another leaves out, a third tells by a no-op. */
	j->executed = !o->times[OPT_WHERE] &&
	              strcmp(cairn_reader_format(j->a.r), cairn_reader_format(j->b.r)) != 0;
	if (j->executed) {
		rc = cairn_select_where(j->s->select, "!annulled && !aborted");
		if (rc < 0)
			return rc;
	}
	if (!cairn_select_all(j->s->select))
		j->opts.select = j->s->select;
	session_progress(j->s, true);
	bool json = o->times[OPT_JSON] != 0;
	if (!json)
		rc = diff_put_names(&j->out, j->a.name, j->b.name);
	if (rc >= 0)
		rc = cairn_diff(j->a.r, j->b.r, &j->opts, &j->sum);
	if (rc < 0)
		return rc;
	int answer = rc;
	rc = json ? json_sum(j) : text_sum(j);
	if (rc >= 0 && (json || answer || !o->times[OPT_QUIET]))
		rc = io_sink_write(j->s->out, j->out.data, j->out.len);
	return rc < 0 ? rc : answer;
}

static int cmd_diff_run(const struct verb *self, struct options *o)
{
	struct session s = {.verb = self};
	struct job j = {.s = &s};
	if (diff_parse(&j, o) < 0 || refuse_twice(o) < 0)
		return EXIT_COULD_NOT;
	struct options one = *o;
	one.n_operands = 1;
	if (session_open(&s, self, &one) < 0)
		return EXIT_COULD_NOT;
	j.a = (struct side){.name = o->operands[0], .r = s.r};
	j.b = (struct side){.name = o->operands[1]};
	j.color = option_color(o);
	base_buf_init(&j.out, s.c);
	int rc = diff_work(&j, o);
	const char *why = j.a.view ? cairn_view_no_disasm(j.a.view) : NULL;
	if (why && rc >= 0 && !o->times[OPT_QUIET])
		complain("%s", why);
	uint64_t damage = complain_of_damage(o, j.b.name, j.b.r);
	progress_stop(s.progress);
	s.progress = NULL;
	cairn_view_free(j.a.view);
	cairn_view_free(j.b.view);
	bool lacks = lacks_program(j.b.r);
	cairn_close(j.b.r);
	base_buf_free(&j.out);
	/* Two traces of which nothing was compared were not found to be equal. */
	bool nothing = rc == 0 && j.opts.select && j.sum.equal == 0;
	bool unknown = rc == 0 && j.sum.equal == 0 && (lacks || lacks_program(s.r));
	if (unknown)
		complain_of_program(lacks_program(s.r) ? j.a.name : j.b.name);
	else if (nothing)
		complain("%s and %s: nothing in the traces is selected", j.a.name, j.b.name);
	int code = session_finish(&s, rc,
	                          unknown              ? EXIT_COULD_NOT
	                          : rc == 1 || nothing ? EXIT_NO
	                                               : EXIT_FINE);
	return damage ? EXIT_COULD_NOT : code;
}

const struct verb verb_diff = {
	.name = "diff",
	.summary = "where two traces differ, instruction by instruction",
	.usage = "[options] A B",
	.help =
		"Compares PCs, encodings, outcomes of branches and contexts, with -r, -m and -e also\n"
		"registers, memory accesses and events. Where instructions were inserted or left out\n"
		"the traces are aligned again, within a window. Each difference is shown with what\n"
		"stands around it: - only in A, + only in B, the numbers of both traces first. What\n"
		"one of the traces does not know is no difference. Regions (-R) apply to both. Traces\n"
		"of two formats are compared by what executed, for each tells the rest in its own way.\n"
		"Exit code 1: they differ.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(REGS),
                         TAKES(MEMS), TAKES(EVENTS), TAKES(ALL), TAKES(NO_DISASM), TAKES(THREADS),
                         TAKES(IGNORE), TAKES(WINDOW), TAKES(LIMIT)),
	.run = cmd_diff_run,
};
