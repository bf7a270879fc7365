/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report: one HTML page that needs no network and prints well.
 *
 * The trace is read once, for its rules and for all analyses together. Sections are written
 * from the results. An analysis that a trace cannot have (of a transaction trace, say) leaves
 * its sentence in the place; a trace that cannot be opened at all is an error.
 */
#include <stdio.h>
#include <string.h>

#include "cairn/check.h"
#include "export/flame.h"
#include "export/table.h"
#include "export/text.h"

enum { ROWS = 15, STRIP_COLUMNS = 120, STRIP_HEIGHT = 28, STRIP_WIDTH = 720, FINDINGS = 50 };

enum what { OVERVIEW, MIX, BRANCHES, MEMORY, CALLS, ANALYSES };

struct page {
	struct cairn *c;
	const char *trace;
	struct cairn_report_opts opts;
	struct base_buf buf;
	cairn_write_fn *write;
	void *user;
	struct cairn_reader *r;
	char *isa_string;
	/* of the analyses */
	struct analysis_job jobs[ANALYSES];
	struct cairn_result *res[ANALYSES];
	struct base_buf flame;
	char *why_not; /* there are none */
	/* of the check */
	struct cairn_check_result sum;
	struct base_buf findings; /* rows of a table */
	unsigned n_findings;
	char *why_unchecked;
};

static const char style[] =
	"<style>\n"
	"body{font:14px/1.45 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#222}\n"
	"h1{font-size:1.5rem;word-break:break-all}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid #ccc}\n"
	"table{border-collapse:collapse;margin:.7rem 0;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.1rem .7rem .1rem 0;text-align:left;vertical-align:top}th{color:#666;font-weight:normal}\n"
	"td.n,th.n{text-align:right}tbody tr:nth-child(even){background:#f6f6f4}caption{text-align:left;font-weight:600}\n"
	".side{display:flex;flex-wrap:wrap;gap:0 2.5rem}.note{color:#777}svg{max-width:100%;height:auto}\n"
	"nav a{margin-right:1rem}@media print{nav{display:none}body{margin:0;font-size:10px}h2{break-after:avoid}"
	"table,svg{break-inside:avoid}}\n"
	"</style>\n";

static int report_flush(struct page *p)
{
	int rc = p->buf.len ? p->write(p->user, p->buf.data, p->buf.len) : 0;
	p->buf.len = 0;
	return rc;
}

static int report_note(struct page *p, const char *text)
{
	int rc = base_buf_printf(&p->buf, "<p class=\"note\">");
	if (rc >= 0)
		rc = text_xml(&p->buf, text, SIZE_MAX);
	return rc < 0 ? rc : base_buf_printf(&p->buf, "</p>\n");
}

static int report_section(struct page *p, const char *id, const char *title)
{
	return base_buf_printf(&p->buf, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

/* ---- tables ---- */

static int put_cell(struct page *p, const struct cairn_column *col, const struct cairn_cell *cell)
{
	char buf[TABLE_CELL];
	int rc = base_buf_printf(&p->buf, table_is_number(col) ? "<td class=\"n\">" : "<td>");
	if (rc >= 0 && !cell->known)
		rc = base_buf_put(&p->buf, "–", strlen("–"));
	else if (rc >= 0 && col->kind == CAIRN_CELL_TEXT)
		rc = text_xml(&p->buf, cell->v.text, 200);
	else if (rc >= 0)
		rc = base_buf_put(&p->buf, buf, table_spell(buf, col, cell, false));
	return rc < 0 ? rc : base_buf_printf(&p->buf, "</td>");
}

/* "self_percent" as people write it. */
static int report_put_name(struct page *p, const char *name)
{
	char text[64];
	snprintf(text, sizeof text, "%s", name);
	for (char *q = text; *q; q++)
		*q = *q == '_' ? ' ' : *q;
	return text_xml(&p->buf, text, sizeof text);
}

/* Figures: one a line. */
static int report_put_figures(struct page *p, const struct cairn_table *t)
{
	int rc = base_buf_printf(&p->buf, "<table><tbody>\n");
	for (size_t k = 0; k < t->n_columns && rc >= 0; k++) {
		rc = base_buf_printf(&p->buf, "<tr><th>");
		if (rc >= 0)
			rc = report_put_name(p, t->columns[k].name);
		if (rc >= 0)
			rc = base_buf_printf(&p->buf, "</th>");
		if (rc >= 0)
			rc = put_cell(p, &t->columns[k], &t->cells[k]);
		if (rc >= 0)
			rc = base_buf_printf(&p->buf, "</tr>\n");
	}
	return rc < 0 ? rc : base_buf_printf(&p->buf, "</tbody></table>\n");
}

static int report_put_rows(struct page *p, const struct cairn_table *t, const char *caption)
{
	int rc = base_buf_printf(&p->buf, "<table><caption>%s</caption><thead><tr>", caption);
	for (size_t k = 0; k < t->n_columns && rc >= 0; k++) {
		rc =
			base_buf_printf(&p->buf, table_is_number(&t->columns[k]) ? "<th class=\"n\">" : "<th>");
		if (rc >= 0)
			rc = report_put_name(p, t->columns[k].name);
		if (rc >= 0)
			rc = base_buf_printf(&p->buf, "</th>");
	}
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < t->n_rows && i < ROWS && rc >= 0; i++) {
		rc = base_buf_printf(&p->buf, "<tr>");
		for (size_t k = 0; k < t->n_columns && rc >= 0; k++)
			rc = put_cell(p, &t->columns[k], &t->cells[i * t->n_columns + k]);
		if (rc >= 0)
			rc = base_buf_printf(&p->buf, "</tr>\n");
	}
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "</tbody></table>\n");
	if (rc >= 0 && t->n_rows > ROWS)
		rc = base_buf_printf(&p->buf, "<p class=\"note\">… and %llu more</p>\n",
		                     (unsigned long long)(t->n_rows - ROWS + t->n_more));
	return rc;
}

static int report_put_table(struct page *p, const struct cairn_result *res, const char *name,
                            const char *caption)
{
	const struct cairn_table *t = table_find(res, name);
	if (!t || !t->n_rows)
		return 0;
	return t->single ? report_put_figures(p, t) : report_put_rows(p, t, caption);
}

/* ---- strips ---- */

/* A row: the name, its highest value, and n values as a filled line. */
static int put_strip(struct page *p, const char *name, const char *figure, const double *v,
                     size_t n)
{
	double most = 0, step = (double)STRIP_WIDTH / (double)n;
	for (size_t i = 0; i < n; i++)
		most = v[i] > most ? v[i] : most;
	int rc = base_buf_printf(&p->buf, "<tr><th>");
	if (rc >= 0)
		rc = text_xml(&p->buf, name, 64);
	if (rc >= 0)
		rc = base_buf_printf(&p->buf,
		                     "</th><td class=\"n\">%s</td><td><svg width=\"%d\" height=\"%d\" "
		                     "viewBox=\"0 0 %d %d\"><path fill=\"#4a7aa8\" d=\"M0 %d",
		                     figure, STRIP_WIDTH, STRIP_HEIGHT, STRIP_WIDTH, STRIP_HEIGHT,
		                     STRIP_HEIGHT);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = base_buf_printf(&p->buf, "V%.1fH%.1f",
		                     STRIP_HEIGHT * (1 - (most > 0 ? v[i] / most : 0)),
		                     step * (double)(i + 1));
	return rc < 0 ? rc : base_buf_printf(&p->buf, "V%dZ\"/></svg></td></tr>\n", STRIP_HEIGHT);
}

/* A column of numbers, if there are any above zero. */
static int put_numbers(struct page *p, const struct cairn_table *t, const char *name, size_t k)
{
	double v[STRIP_COLUMNS] = {0}, most = 0;
	bool real = t->columns[k].kind == CAIRN_CELL_REAL;
	char figure[32];
	for (size_t i = 0; i < t->n_rows && i < STRIP_COLUMNS; i++) {
		const struct cairn_cell *c = &t->cells[i * t->n_columns + k];
		v[i] = !c->known ? 0 : real ? c->v.real : (double)c->v.number;
		most = v[i] > most ? v[i] : most;
	}
	snprintf(figure, sizeof figure, "%.*f", real, most);
	return most > 0 ? put_strip(p, name, figure, v, t->n_rows) : 0;
}

static void report_name_of(const struct cairn_table *t, size_t row, size_t k, const char *prefix,
                           char name[64])
{
	const struct cairn_cell *c = &t->cells[row * t->n_columns + k];
	name[0] = 0;
	if (c->known && t->columns[k].kind == CAIRN_CELL_TEXT)
		snprintf(name, 64, "%s%s", prefix, c->v.text);
	else if (c->known)
		snprintf(name, 64, "%s%llu", prefix, (unsigned long long)c->v.number);
}

/* A column of what there was most of: for each of the first few a strip of where it was. One
 * alone is told only if it is `worth` it. */
static int report_put_names(struct page *p, const struct cairn_table *t, const char *prefix,
                            size_t k, bool worth)
{
	enum { FEW = 6 };
	char seen[FEW][64], name[64];
	size_t n = 0;
	int rc = 0;
	for (size_t i = 0; i < t->n_rows && n < FEW; i++) {
		size_t at = 0;
		report_name_of(t, i, k, prefix, name);
		while (at < n && strcmp(seen[at], name) != 0)
			at++;
		if (name[0] && at == n)
			memcpy(seen[n++], name, sizeof name);
	}
	for (size_t at = 0; at < n && (n > 1 || worth) && rc >= 0; at++) {
		double v[STRIP_COLUMNS] = {0};
		for (size_t i = 0; i < t->n_rows && i < STRIP_COLUMNS; i++) {
			report_name_of(t, i, k, prefix, name);
			v[i] = !strcmp(seen[at], name);
		}
		rc = put_strip(p, seen[at], "", v, t->n_rows);
	}
	return rc;
}

/* Where the functions with the most instructions had them. */
static int put_places(struct page *p, const struct cairn_result *res, const struct cairn_table *t)
{
	const struct cairn_table *f = table_find(res, "functions"), *w = table_find(res, "where");
	int rc = 0;
	size_t at = 0;
	for (size_t i = 0; f && w && i < f->n_rows && rc >= 0; i++) {
		double v[STRIP_COLUMNS] = {0}, most = 0;
		char figure[32];
		for (size_t k = 0; k < t->n_rows && k < STRIP_COLUMNS && at < w->n_rows; k++) {
			const struct cairn_cell *row = &w->cells[at * w->n_columns];
			if (strcmp(row[0].v.text, f->cells[i * f->n_columns].v.text) != 0 ||
			    row[1].v.number != t->cells[k * t->n_columns].v.number)
				continue;
			v[k] = row[3].v.real;
			most = v[k] > most ? v[k] : most;
			at++;
		}
		snprintf(figure, sizeof figure, "%.1f", most);
		rc = put_strip(p, f->cells[i * f->n_columns].v.text, figure, v, t->n_rows);
	}
	return rc;
}

static int put_strips(struct page *p, const struct cairn_result *res)
{
	static const struct {
		const char *column, *name;
	} strips[] = {{"int", "int %"},          {"muldiv", "mul, div %"},
	              {"load", "load %"},        {"store", "store %"},
	              {"branch", "branch %"},    {"fp_vector", "fp, vector %"},
	              {"other", "other %"},      {"taken_percent", "branches taken %"},
	              {"pages", "pages so far"}, {"events", "traps"}};
	const struct cairn_table *t = table_find(res, "columns");
	if (!t || !t->n_rows)
		return report_note(p, "There are no instructions.");
	int rc =
		base_buf_printf(&p->buf,
	                    "<table><thead><tr><th></th><th class=\"n\">most</th>"
	                    "<th>instructions %llu to %llu</th></tr></thead><tbody>\n",
	                    (unsigned long long)t->cells[0].v.number,
	                    (unsigned long long)t->cells[(t->n_rows - 1) * t->n_columns + 1].v.number);
	for (size_t i = 0; i < sizeof strips / sizeof *strips && rc >= 0; i++)
		for (size_t k = 0; k < t->n_columns && rc >= 0; k++)
			if (!strcmp(t->columns[k].name, strips[i].column))
				rc = put_numbers(p, t, strips[i].name, k);
	for (size_t k = 0; k < t->n_columns && rc >= 0; k++) {
		const char *name = t->columns[k].name;
		if (!strcmp(name, "mode") || !strcmp(name, "process") || !strcmp(name, "cpu"))
			rc = report_put_names(p, t, *name == 'c' ? "cpu " : "", k, *name == 'm');
	}
	if (rc >= 0)
		rc = put_places(p, res, t);
	return rc < 0 ? rc : base_buf_printf(&p->buf, "</tbody></table>\n");
}

/* ---- sections ---- */

static int put_facts(struct page *p)
{
	const struct cairn_info *info;
	int rc = cairn_reader_info(p->r, &info);
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "<table><tbody>\n");
	for (size_t i = 0; rc >= 0 && i < info->n; i++) {
		const struct cairn_fact *f = &info->facts[i];
		if (!f->is_known)
			continue;
		if (!strcmp(f->key, "isa_extended") && f->text && !p->isa_string)
			p->isa_string = base_strdup(p->c, f->text);
		rc = base_buf_printf(&p->buf, "<tr><th>");
		if (rc >= 0)
			rc = report_put_name(p, f->key);
		if (rc >= 0)
			rc = base_buf_printf(&p->buf, "</th><td>");
		if (rc >= 0)
			rc = f->text ? text_xml(&p->buf, f->text, 2000)
			             : base_buf_printf(&p->buf, "%llu", (unsigned long long)f->number);
		if (rc >= 0)
			rc = base_buf_printf(&p->buf, "</td></tr>\n");
	}
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "</tbody></table>\n");
	return rc;
}

/* ---- the pass over the trace ---- */

/* The calls as tables, and as a picture. */
static int report_calls(struct call_run *u, const struct call_sum *sum, struct cairn_result *res)
{
	struct page *p = u->user;
	int rc = calls_tables(u, sum, res);
	return rc < 0 ? rc : flame_put(u, sum, &p->flame);
}

static int make_jobs(struct page *p, struct call_run *calls)
{
	static const struct cairn_cache caches[] = {{32768, 8, 64}, {1 << 20, 16, 64}};
	struct cairn_analysis_opts o = {.size = sizeof o,
	                                .select = p->opts.select,
	                                .image = p->opts.image,
	                                .isa_string = p->isa_string,
	                                .threads = p->opts.threads};
	struct cairn_memory_opts m = {.size = sizeof m, .caches = caches, .n_caches = 2};
	int rc = overview_job(p->r, &o, STRIP_COLUMNS, &p->jobs[OVERVIEW]);
	if (rc >= 0)
		rc = mix_job(p->r, &o, NULL, &p->jobs[MIX]);
	if (rc >= 0)
		rc = branches_job(p->r, &o, "all", &p->jobs[BRANCHES]);
	if (rc >= 0)
		rc = memory_job(p->r, &o, &m, &p->jobs[MEMORY]);
	return rc < 0 ? rc : calls_job(p->r, &o, calls, &p->jobs[CALLS]);
}

static int take_finding(void *user, const struct cairn_finding *f)
{
	struct page *p = user;
	struct base_buf *b = &p->findings;
	if (p->n_findings++ >= FINDINGS)
		return 0;
	int rc = base_buf_printf(b, "<tr><td>%s</td><td class=\"n\">",
	                         cairn_severity_name((enum cairn_severity)f->rule->severity));
	if (rc >= 0 && f->known & (CAIRN_PLACE_INSN | CAIRN_PLACE_XACT))
		rc = base_buf_printf(b, "%llu", (unsigned long long)f->insn);
	if (rc >= 0)
		rc = base_buf_printf(b, "</td><td>");
	if (rc >= 0)
		rc = text_xml(b, f->message, 500);
	if (rc >= 0)
		rc = base_buf_printf(b, "</td><td>");
	if (rc >= 0)
		rc = text_xml(b, f->rule->id, 100);
	return rc < 0 ? rc : base_buf_printf(b, "</td></tr>\n");
}

/* What a trace cannot have is no failure of the page: its sentence stands there instead. */
static int excuse(struct page *p, int rc, char **why)
{
	if (rc != CAIRN_E_UNSUPPORTED)
		return rc;
	base_free(p->c, *why);
	*why = base_strdup(p->c, cairn_error_text(p->c));
	return *why ? 0 : CAIRN_E_NOMEM;
}

/* Analyse and check it; either may be what this trace cannot have. */
static int report_read_trace(struct page *p)
{
	struct call_run calls = {.report = report_calls, .user = p};
	struct cairn_check_opts o = {.size = sizeof o,
	                             .threads = p->opts.threads,
	                             .most = 10,
	                             .finding = take_finding,
	                             .user = p};
	struct cairn_checking *k = NULL;
	int rc = cairn_check_begin(p->c, &o, &p->sum, &k);
	if (rc >= 0)
		rc = excuse(p, check_may(k, p->r), &p->why_unchecked);
	if (rc >= 0)
		rc = excuse(p, make_jobs(p, &calls), &p->why_not);
	struct cairn_checking *with = p->why_unchecked ? NULL : k;
	if (rc >= 0 && !p->why_not)
		rc = analysis_run(p->r, p->jobs, ANALYSES, with);
	else if (rc >= 0 && with)
		rc = cairn_check_part(k, p->r);
	int last = cairn_check_end(k);
	for (unsigned i = 0; i < ANALYSES; i++) {
		p->res[i] = p->jobs[i].res;
		analysis_done(&p->jobs[i]);
	}
	return rc < 0 ? rc : last;
}

/* Tables that stand side by side; ends with NULL names. */
struct shown {
	const char *table, *caption;
};

static int put_analysis(struct page *p, enum what what, const struct shown *tables)
{
	const struct cairn_result *res = p->res[what];
	if (!res)
		return report_note(p, p->why_not);
	int rc = what == OVERVIEW ? put_strips(p, res) : 0;
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "<div class=\"side\">\n");
	for (; rc >= 0 && tables->table; tables++) {
		rc = base_buf_printf(&p->buf, "<div>\n");
		if (rc >= 0)
			rc = report_put_table(p, res, tables->table, tables->caption);
		if (rc >= 0)
			rc = base_buf_printf(&p->buf, "</div>\n");
	}
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "</div>\n");
	for (size_t i = 0; rc >= 0 && cairn_result_note(res, i); i++)
		rc = report_note(p, cairn_result_note(res, i));
	return rc < 0 ? rc : report_flush(p);
}

static int put_flame(struct page *p)
{
	int rc = p->flame.len ? base_buf_put(&p->buf, p->flame.data, p->flame.len) : 0;
	return rc < 0 ? rc : report_flush(p);
}

static const char *report_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static int put_findings(struct page *p)
{
	if (p->why_unchecked)
		return report_note(p, p->why_unchecked);
	int rc = base_buf_printf(&p->buf,
	                         "<table><thead><tr><th></th><th class=\"n\">instruction</th><th></th>"
	                         "<th>rule</th></tr></thead><tbody>\n");
	if (rc >= 0)
		rc = base_buf_put(&p->buf, p->findings.data, p->findings.len);
	if (rc >= 0)
		rc =
			base_buf_printf(&p->buf,
		                    "</tbody></table>\n<p>%llu error%s, %llu warning%s, %llu note%s in the "
		                    "whole trace.</p>\n",
		                    (unsigned long long)p->sum.errors, report_plural(p->sum.errors),
		                    (unsigned long long)p->sum.warnings, report_plural(p->sum.warnings),
		                    (unsigned long long)p->sum.notes, report_plural(p->sum.notes));
	if (rc >= 0 && p->n_findings > FINDINGS)
		rc = base_buf_printf(&p->buf,
		                     "<p class=\"note\">The first %d are shown; cairn check shows all."
		                     "</p>\n",
		                     FINDINGS);
	return rc < 0 ? rc : report_flush(p);
}

/* ---- the page ---- */

static int report_put_head(struct page *p)
{
	const char *slash = strrchr(p->trace, '/'), *name = slash ? slash + 1 : p->trace;
	name = strcmp(name, "-") != 0 ? name : "standard input";
	int rc = base_buf_printf(&p->buf,
	                         "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	                         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	if (rc >= 0)
		rc = text_xml(&p->buf, name, SIZE_MAX);
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "</title>\n%s</head><body>\n<h1>", style);
	if (rc >= 0)
		rc = text_xml(&p->buf, name, SIZE_MAX);
	return rc < 0
	           ? rc
	           : base_buf_printf(
					 &p->buf,
					 "</h1>\n<nav><a href=\"#trace\">trace</a>"
					 "<a href=\"#overview\">overview</a><a href=\"#mix\">mix</a><a href=\"#branches\">branches</a>"
					 "<a href=\"#memory\">memory</a><a href=\"#calls\">calls</a><a href=\"#check\">check</a></nav>\n");
}

static int put_sections(struct page *p)
{
	static const struct shown overview[] = {{"functions", "Where most instructions are"},
	                                        {NULL, NULL}};
	static const struct shown mix[] = {{"class", "By class"},
	                                   {"mnemonic", "By mnemonic"},
	                                   {"extension", "By extension"},
	                                   {"size", "By size"},
	                                   {NULL, NULL}};
	static const struct shown branches[] = {{"summary", ""},
	                                        {"predictors", "Reference predictors"},
	                                        {"classes", "Conditional branches"},
	                                        {"kinds", "Kinds"},
	                                        {"branches", "Most executed"},
	                                        {NULL, NULL}};
	static const struct shown memory[] = {{"summary", ""},
	                                      {"caches", "Reference caches"},
	                                      {"sizes", "Sizes"},
	                                      {"sharing", "Sharing"},
	                                      {"reuse", "Reuse distance in lines"},
	                                      {"pages", "Pages used most"},
	                                      {"instructions", "Instructions that access most"},
	                                      {NULL, NULL}};
	static const struct shown calls[] = {{"functions", "Functions"}, {"summary", ""}, {NULL, NULL}};
	int rc = report_section(p, "trace", "Trace");
	if (rc >= 0)
		rc = put_facts(p);
	if (rc >= 0)
		rc = report_read_trace(p);
	if (rc >= 0)
		rc = report_section(p, "overview", "Overview");
	if (rc >= 0)
		rc = put_analysis(p, OVERVIEW, overview);
	if (rc >= 0)
		rc = report_section(p, "mix", "Mix");
	if (rc >= 0)
		rc = put_analysis(p, MIX, mix);
	if (rc >= 0)
		rc = report_section(p, "branches", "Branches");
	if (rc >= 0)
		rc = put_analysis(p, BRANCHES, branches);
	if (rc >= 0)
		rc = report_section(p, "memory", "Memory");
	if (rc >= 0)
		rc = put_analysis(p, MEMORY, memory);
	if (rc >= 0)
		rc = report_section(p, "calls", "Calls");
	if (rc >= 0)
		rc = put_analysis(p, CALLS, calls);
	if (rc >= 0)
		rc = put_flame(p);
	if (rc >= 0)
		rc = report_section(p, "check", "Check");
	return rc < 0 ? rc : put_findings(p);
}

static int report_put_page(struct page *p)
{
	int rc = report_put_head(p);
	if (rc >= 0)
		rc = put_sections(p);
	if (rc >= 0)
		rc = base_buf_printf(&p->buf, "<p class=\"note\">made by cairn %s</p>\n</body></html>\n",
		                     cairn_version());
	return rc < 0 ? rc : report_flush(p);
}

int cairn_report(struct cairn *c, const char *trace, const struct cairn_report_opts *opts,
                 cairn_write_fn *write, void *user)
{
	struct page p = {.c = c, .trace = trace, .write = write, .user = user};
	if (opts && opts->size > sizeof p.opts)
		return base_fail(c, CAIRN_E_INVAL, "options of a newer library");
	if (opts)
		memcpy(&p.opts, opts, opts->size);
	struct cairn_open_opts o = {.size = sizeof o, .from = p.opts.from, .image = p.opts.image};
	p.r = p.opts.reader;
	base_buf_init(&p.buf, c);
	base_buf_init(&p.flame, c);
	base_buf_init(&p.findings, c);
	int rc = p.r ? 0 : cairn_open(c, trace, &o, &p.r);
	if (rc >= 0)
		rc = report_put_page(&p);
	for (unsigned i = 0; i < ANALYSES; i++)
		cairn_result_free(p.res[i]);
	if (!p.opts.reader)
		cairn_close(p.r);
	base_buf_free(&p.buf);
	base_buf_free(&p.flame);
	base_buf_free(&p.findings);
	base_free(c, p.isa_string);
	base_free(c, p.why_not);
	base_free(c, p.why_unchecked);
	return rc;
}
