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
#include "export/out.h"
#include "export/table.h"

enum { ROWS = 15, STRIP_COLUMNS = 120, STRIP_HEIGHT = 28, STRIP_WIDTH = 720, FINDINGS = 50 };

enum what { OVERVIEW, MIX, BRANCHES, MEMORY, CALLS, ANALYSES };

struct page {
	struct cairn *cairn;
	const char *trace;
	struct cairn_report_opts opts;
	struct out out;
	struct cairn_reader *reader;
	char *isa_string;
	/* of the analyses */
	struct analysis_job jobs[ANALYSES];
	struct cairn_result *res[ANALYSES];
	struct base_buf flame;
	char *why_not; /* there are none */
	/* of the check */
	struct cairn_check_result sum;
	struct out findings; /* rows of a table */
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
	"table,svg{break-inside:avoid}}\n</style>\n";

static void report_note(struct page *page, const char *text)
{
	out_printf(&page->out, "<p class=\"note\">");
	out_xml(&page->out, text, SIZE_MAX);
	out_printf(&page->out, "</p>\n");
}

static void report_section(struct page *page, const char *id, const char *title)
{
	out_printf(&page->out, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

/* ---- tables ---- */

static void put_cell(struct page *page, const struct cairn_column *col,
                     const struct cairn_cell *cell)
{
	char buf[TABLE_CELL];
	out_printf(&page->out, table_is_number(col) ? "<td class=\"n\">" : "<td>");
	if (!cell->known)
		out_printf(&page->out, "–");
	else if (col->kind == CAIRN_CELL_TEXT)
		out_xml(&page->out, cell->v.text, 200);
	else
		out_put(&page->out, buf, table_spell(buf, col, cell, false));
	out_printf(&page->out, "</td>");
}

/* "self_percent" as people write it. */
static void report_put_name(struct page *page, const char *name)
{
	char text[64];
	snprintf(text, sizeof text, "%s", name);
	for (char *q = text; *q; q++)
		*q = *q == '_' ? ' ' : *q;
	out_xml(&page->out, text, sizeof text);
}

/* Figures: one a line. */
static void report_put_figures(struct page *page, const struct cairn_table *table)
{
	out_printf(&page->out, "<table><tbody>\n");
	for (size_t k = 0; k < table->n_columns; k++) {
		out_printf(&page->out, "<tr><th>");
		report_put_name(page, table->columns[k].name);
		out_printf(&page->out, "</th>");
		put_cell(page, &table->columns[k], &table->cells[k]);
		out_printf(&page->out, "</tr>\n");
	}
	out_printf(&page->out, "</tbody></table>\n");
}

static void report_put_rows(struct page *page, const struct cairn_table *table, const char *caption)
{
	out_printf(&page->out, "<table><caption>%s</caption><thead><tr>", caption);
	for (size_t k = 0; k < table->n_columns; k++) {
		out_printf(&page->out, table_is_number(&table->columns[k]) ? "<th class=\"n\">" : "<th>");
		report_put_name(page, table->columns[k].name);
		out_printf(&page->out, "</th>");
	}
	out_printf(&page->out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < table->n_rows && i < ROWS; i++) {
		out_printf(&page->out, "<tr>");
		for (size_t k = 0; k < table->n_columns; k++)
			put_cell(page, &table->columns[k], &table->cells[i * table->n_columns + k]);
		out_printf(&page->out, "</tr>\n");
	}
	out_printf(&page->out, "</tbody></table>\n");
	if (table->n_rows > ROWS)
		out_printf(&page->out, "<p class=\"note\">… and %llu more</p>\n",
		           (unsigned long long)(table->n_rows - ROWS + table->n_more));
}

static void report_put_table(struct page *page, const struct cairn_result *res, const char *name,
                             const char *caption)
{
	const struct cairn_table *table = table_find(res, name);
	if (!table || !table->n_rows)
		return;
	if (table->single)
		report_put_figures(page, table);
	else
		report_put_rows(page, table, caption);
}

/* ---- strips ---- */

/* A row: the name, its highest value, and n values as a filled line. */
static void put_strip(struct page *page, const char *name, const char *figure, const double *values,
                      size_t n)
{
	double most = 0, step = (double)STRIP_WIDTH / (double)n;
	for (size_t i = 0; i < n; i++)
		most = values[i] > most ? values[i] : most;
	out_printf(&page->out, "<tr><th>");
	out_xml(&page->out, name, 64);
	out_printf(&page->out,
	           "</th><td class=\"n\">%s</td><td><svg width=\"%d\" height=\"%d\" "
	           "viewBox=\"0 0 %d %d\"><path fill=\"#4a7aa8\" d=\"M0 %d",
	           figure, STRIP_WIDTH, STRIP_HEIGHT, STRIP_WIDTH, STRIP_HEIGHT, STRIP_HEIGHT);
	for (size_t i = 0; i < n; i++)
		out_printf(&page->out, "V%.1fH%.1f", STRIP_HEIGHT * (1 - (most > 0 ? values[i] / most : 0)),
		           step * (double)(i + 1));
	out_printf(&page->out, "V%dZ\"/></svg></td></tr>\n", STRIP_HEIGHT);
}

/* A column of numbers, if there are any above zero. */
static void put_numbers(struct page *page, const struct cairn_table *table, const char *name,
                        size_t index)
{
	double v[STRIP_COLUMNS] = {0}, most = 0;
	bool real = table->columns[index].kind == CAIRN_CELL_REAL;
	char figure[32];
	for (size_t i = 0; i < table->n_rows && i < STRIP_COLUMNS; i++) {
		const struct cairn_cell *cell = &table->cells[i * table->n_columns + index];
		v[i] = !cell->known ? 0 : real ? cell->v.real : (double)cell->v.number;
		most = v[i] > most ? v[i] : most;
	}
	snprintf(figure, sizeof figure, "%.*f", real, most);
	if (most > 0)
		put_strip(page, name, figure, v, table->n_rows);
}

static void report_name_of(const struct cairn_table *table, size_t row, size_t index,
                           const char *prefix, char name[64])
{
	const struct cairn_cell *cell = &table->cells[row * table->n_columns + index];
	name[0] = 0;
	if (cell->known && table->columns[index].kind == CAIRN_CELL_TEXT)
		snprintf(name, 64, "%s%s", prefix, cell->v.text);
	else if (cell->known)
		snprintf(name, 64, "%s%llu", prefix, (unsigned long long)cell->v.number);
}

/* A column of names: for each of the first few, a strip of where it ran. A single one is shown only
 * if it is `worth` it. */
static void report_put_names(struct page *page, const struct cairn_table *table, const char *prefix,
                             size_t index, bool worth)
{
	enum { FEW = 6 };
	char seen[FEW][64], name[64];
	size_t n = 0;
	for (size_t i = 0; i < table->n_rows && n < FEW; i++) {
		size_t at = 0;
		report_name_of(table, i, index, prefix, name);
		while (at < n && strcmp(seen[at], name) != 0)
			at++;
		if (name[0] && at == n)
			memcpy(seen[n++], name, sizeof name);
	}
	for (size_t at = 0; at < n && (n > 1 || worth); at++) {
		double v[STRIP_COLUMNS] = {0};
		for (size_t i = 0; i < table->n_rows && i < STRIP_COLUMNS; i++) {
			report_name_of(table, i, index, prefix, name);
			v[i] = !strcmp(seen[at], name);
		}
		put_strip(page, seen[at], "", v, table->n_rows);
	}
}

/* Where the functions with the most instructions had them. */
static void put_places(struct page *page, const struct cairn_result *res,
                       const struct cairn_table *table)
{
	const struct cairn_table *f = table_find(res, "functions"), *w = table_find(res, "where");
	size_t at = 0;
	for (size_t i = 0; f && w && i < f->n_rows; i++) {
		double v[STRIP_COLUMNS] = {0}, most = 0;
		char figure[32];
		for (size_t k = 0; k < table->n_rows && k < STRIP_COLUMNS && at < w->n_rows; k++) {
			const struct cairn_cell *row = &w->cells[at * w->n_columns];
			if (strcmp(row[0].v.text, f->cells[i * f->n_columns].v.text) != 0 ||
			    row[1].v.number != table->cells[k * table->n_columns].v.number)
				continue;
			v[k] = row[3].v.real;
			most = v[k] > most ? v[k] : most;
			at++;
		}
		snprintf(figure, sizeof figure, "%.1f", most);
		put_strip(page, f->cells[i * f->n_columns].v.text, figure, v, table->n_rows);
	}
}

static void put_strips(struct page *page, const struct cairn_result *res)
{
	static const struct {
		const char *column, *name;
	} strips[] = {{"int", "int %"},          {"muldiv", "mul, div %"},
	              {"load", "load %"},        {"store", "store %"},
	              {"branch", "branch %"},    {"fp_vector", "fp, vector %"},
	              {"other", "other %"},      {"taken_percent", "branches taken %"},
	              {"pages", "pages so far"}, {"events", "traps"}};
	const struct cairn_table *table = table_find(res, "columns");
	if (!table || !table->n_rows) {
		report_note(page, "There are no instructions.");
		return;
	}
	out_printf(
		&page->out,
		"<table><thead><tr><th></th><th class=\"n\">most</th>"
		"<th>instructions %llu to %llu</th></tr></thead><tbody>\n",
		(unsigned long long)table->cells[0].v.number,
		(unsigned long long)table->cells[(table->n_rows - 1) * table->n_columns + 1].v.number);
	for (size_t i = 0; i < sizeof strips / sizeof *strips; i++)
		for (size_t k = 0; k < table->n_columns; k++)
			if (!strcmp(table->columns[k].name, strips[i].column))
				put_numbers(page, table, strips[i].name, k);
	for (size_t k = 0; k < table->n_columns; k++) {
		const char *name = table->columns[k].name;
		if (!strcmp(name, "mode") || !strcmp(name, "process") || !strcmp(name, "cpu"))
			report_put_names(page, table, *name == 'c' ? "cpu " : "", k, *name == 'm');
	}
	put_places(page, res, table);
	out_printf(&page->out, "</tbody></table>\n");
}

/* ---- sections ---- */

static void put_facts(struct page *page)
{
	const struct cairn_info *info = NULL;
	int rc = cairn_reader_info(page->reader, &info);
	page->out.status = rc < 0 ? rc : page->out.status;
	out_printf(&page->out, "<table><tbody>\n");
	for (size_t i = 0; rc >= 0 && i < info->n; i++) {
		const struct cairn_fact *fact = &info->facts[i];
		if (!fact->is_known)
			continue;
		if (!strcmp(fact->key, "isa_extended") && fact->text && !page->isa_string)
			page->isa_string = base_strdup(page->cairn, fact->text);
		out_printf(&page->out, "<tr><th>");
		report_put_name(page, fact->key);
		out_printf(&page->out, "</th><td>");
		if (fact->text)
			out_xml(&page->out, fact->text, 2000);
		else
			out_printf(&page->out, "%llu", (unsigned long long)fact->number);
		out_printf(&page->out, "</td></tr>\n");
	}
	out_printf(&page->out, "</tbody></table>\n");
}

/* ---- the pass over the trace ---- */

/* The calls as tables, and as a picture. */
static int report_calls(struct call_run *run, const struct call_sum *sum, struct cairn_result *res)
{
	struct page *page = run->user;
	int rc = calls_tables(run, sum, res);
	return rc < 0 ? rc : flame_put(run, sum, &page->flame);
}

static int make_jobs(struct page *page, struct call_run *calls)
{
	static const struct cairn_cache caches[] = {{32768, 8, 64}, {1 << 20, 16, 64}};
	struct cairn_analysis_opts opts = {.size = sizeof opts,
	                                   .select = page->opts.select,
	                                   .image = page->opts.image,
	                                   .isa_string = page->isa_string,
	                                   .threads = page->opts.threads};
	struct cairn_memory_opts memory_opts = {.size = sizeof memory_opts,
	                                        .caches = caches,
	                                        .n_caches = 2};
	int rc = overview_job(page->reader, &opts, STRIP_COLUMNS, &page->jobs[OVERVIEW]);
	if (rc >= 0)
		rc = mix_job(page->reader, &opts, NULL, &page->jobs[MIX]);
	if (rc >= 0)
		rc = branches_job(page->reader, &opts, "all", &page->jobs[BRANCHES]);
	if (rc >= 0)
		rc = memory_job(page->reader, &opts, &memory_opts, &page->jobs[MEMORY]);
	return rc < 0 ? rc : calls_job(page->reader, &opts, calls, &page->jobs[CALLS]);
}

static int take_finding(void *user, const struct cairn_finding *finding)
{
	struct page *page = user;
	struct out *out = &page->findings;
	if (page->n_findings++ >= FINDINGS)
		return 0;
	out_printf(out, "<tr><td>%s</td><td class=\"n\">",
	           cairn_severity_name((enum cairn_severity)finding->rule->severity));
	if (finding->known & (CAIRN_PLACE_INSN | CAIRN_PLACE_XACT))
		out_printf(out, "%llu", (unsigned long long)finding->insn);
	out_printf(out, "</td><td>");
	out_xml(out, finding->message, 500);
	out_printf(out, "</td><td>");
	out_xml(out, finding->rule->id, 100);
	out_printf(out, "</td></tr>\n");
	return out->status;
}

/* If a trace cannot have something, that is no failure of the page: the sentence stands there
 * instead. */
static int excuse(struct page *page, int rc, char **why)
{
	if (rc != CAIRN_E_UNSUPPORTED)
		return rc;
	base_free(page->cairn, *why);
	*why = base_strdup(page->cairn, cairn_error_text(page->cairn));
	return *why ? 0 : CAIRN_E_NOMEM;
}

/* Analyse and check the trace; it may not be able to have either. */
static void report_read_trace(struct page *page)
{
	struct call_run calls = {.report = report_calls, .user = page};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = page->opts.threads,
	                                .most = 10,
	                                .finding = take_finding,
	                                .user = page};
	struct cairn_checking *checking = NULL;
	page->sum.size = sizeof page->sum;
	int rc = page->out.status;
	if (rc >= 0)
		rc = cairn_check_begin(page->cairn, &opts, &page->sum, &checking);
	if (rc >= 0)
		rc = excuse(page, check_may(checking, page->reader), &page->why_unchecked);
	if (rc >= 0)
		rc = excuse(page, make_jobs(page, &calls), &page->why_not);
	struct cairn_checking *with = page->why_unchecked ? NULL : checking;
	if (rc >= 0 && !page->why_not)
		rc = analysis_run(page->reader, page->jobs, ANALYSES, with);
	else if (rc >= 0 && with)
		rc = cairn_check_part(checking, page->reader);
	int last = cairn_check_end(checking);
	for (unsigned i = 0; i < ANALYSES; i++) {
		page->res[i] = page->jobs[i].res;
		analysis_done(&page->jobs[i]);
	}
	page->out.status = rc < 0 ? rc : last;
}

/* Tables that stand side by side; ends with NULL names. */
struct shown {
	const char *table, *caption;
};

static void put_analysis(struct page *page, enum what what, const struct shown *tables)
{
	const struct cairn_result *res = page->res[what];
	if (!res) {
		if (page->out.status >= 0)
			report_note(page, page->why_not);
		return;
	}
	if (what == OVERVIEW)
		put_strips(page, res);
	out_printf(&page->out, "<div class=\"side\">\n");
	for (; tables->table; tables++) {
		out_printf(&page->out, "<div>\n");
		report_put_table(page, res, tables->table, tables->caption);
		out_printf(&page->out, "</div>\n");
	}
	out_printf(&page->out, "</div>\n");
	for (size_t i = 0; cairn_result_note(res, i); i++)
		report_note(page, cairn_result_note(res, i));
	out_flush(&page->out, 0);
}

static const char *report_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_findings(struct page *page)
{
	if (page->why_unchecked) {
		report_note(page, page->why_unchecked);
		return;
	}
	out_printf(&page->out, "<table><thead><tr><th></th><th class=\"n\">instruction</th><th></th>"
	                       "<th>rule</th></tr></thead><tbody>\n");
	out_put(&page->out, page->findings.buf.data, page->findings.buf.len);
	out_printf(&page->out,
	           "</tbody></table>\n<p>%llu error%s, %llu warning%s, %llu note%s in the "
	           "whole trace.</p>\n",
	           (unsigned long long)page->sum.errors, report_plural(page->sum.errors),
	           (unsigned long long)page->sum.warnings, report_plural(page->sum.warnings),
	           (unsigned long long)page->sum.notes, report_plural(page->sum.notes));
	if (page->n_findings > FINDINGS)
		out_printf(&page->out,
		           "<p class=\"note\">The first %d are shown; cairn check shows all.</p>\n",
		           FINDINGS);
}

/* ---- the page ---- */

static void report_put_head(struct page *page)
{
	const char *slash = strrchr(page->trace, '/'), *name = slash ? slash + 1 : page->trace;
	name = strcmp(name, "-") != 0 ? name : "standard input";
	out_printf(&page->out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	                       "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	out_xml(&page->out, name, SIZE_MAX);
	out_printf(&page->out, "</title>\n%s</head><body>\n<h1>", style);
	out_xml(&page->out, name, SIZE_MAX);
	out_printf(
		&page->out,
		"</h1>\n<nav><a href=\"#trace\">trace</a>"
		"<a href=\"#overview\">overview</a><a href=\"#mix\">mix</a><a href=\"#branches\">branches</a>"
		"<a href=\"#memory\">memory</a><a href=\"#calls\">calls</a><a href=\"#check\">check</a></nav>\n");
}

static void put_sections(struct page *page)
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
	report_section(page, "trace", "Trace");
	put_facts(page);
	report_read_trace(page);
	report_section(page, "overview", "Overview");
	put_analysis(page, OVERVIEW, overview);
	report_section(page, "mix", "Mix");
	put_analysis(page, MIX, mix);
	report_section(page, "branches", "Branches");
	put_analysis(page, BRANCHES, branches);
	report_section(page, "memory", "Memory");
	put_analysis(page, MEMORY, memory);
	report_section(page, "calls", "Calls");
	put_analysis(page, CALLS, calls);
	out_put(&page->out, page->flame.data, page->flame.len);
	report_section(page, "check", "Check");
	put_findings(page);
}

static int report_put_page(struct page *page)
{
	report_put_head(page);
	put_sections(page);
	out_printf(&page->out, "<p class=\"note\">made by cairn %s</p>\n</body></html>\n",
	           cairn_version());
	return out_flush(&page->out, 0);
}

int cairn_report(struct cairn *cairn, const char *trace, const struct cairn_report_opts *opts,
                 cairn_write_fn *write, void *user)
{
	struct page page = {.cairn = cairn, .trace = trace, .out = {.write = write, .user = user}};
	int rc = base_options(cairn, &page.opts, sizeof page.opts, opts, "report options");
	if (rc < 0)
		return rc;
	struct cairn_open_opts open_opts = {.size = sizeof open_opts,
	                                    .from = page.opts.from,
	                                    .image = page.opts.image};
	page.reader = page.opts.reader;
	base_buf_init(&page.out.buf, cairn);
	base_buf_init(&page.flame, cairn);
	base_buf_init(&page.findings.buf, cairn);
	rc = page.reader ? 0 : cairn_open(cairn, trace, &open_opts, &page.reader);
	if (rc >= 0)
		rc = report_put_page(&page);
	for (unsigned i = 0; i < ANALYSES; i++)
		cairn_result_free(page.res[i]);
	if (!page.opts.reader)
		cairn_close(page.reader);
	base_buf_free(&page.out.buf);
	base_buf_free(&page.flame);
	base_buf_free(&page.findings.buf);
	base_free(cairn, page.isa_string);
	base_free(cairn, page.why_not);
	base_free(cairn, page.why_unchecked);
	return rc;
}
