/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call trees for programs that draw them: folded stacks (one line a path), speedscope
 * (JSON), a flame graph (one SVG file that needs nothing else), and a timeline of
 * functions (Chrome trace JSON), where time is the number of instructions.
 *
 * The timeline is written while the trace is read; the others when all is known.
 */
#include <inttypes.h>
#include <string.h>

#include "export/flame.h"
#include "export/json.h"
#include "export/out.h"

enum { WIDTH = 1200, ROW = 17, MARGIN = 10, HEAD = 56, LETTER = 7 };

struct flame {
	struct call_run *run;
	struct out out;
	enum cairn_calls_form form;
	struct jout json;
};

/* ---- folded ---- */

/* Semicolons and line ends are separators, so they may not stand in a name; nor may what cannot be
 * printed. */
static int put_plain(struct base_buf *buf, const char *name)
{
	size_t n = strlen(name);
	char *p = text_open(buf, n);
	if (!p)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < n;) {
		size_t len = name[i] == ';' ? 0 : text_printable(name + i, n - i);
		p = len ? text_put(p, name + i, len) : TEXT_LIT(p, "?");
		i += len ? len : 1;
	}
	text_close(buf, p);
	return 0;
}

static int folded(struct flame *flame, const struct call_tree *tree)
{
	struct base_buf path, ends;
	int rc = 0;
	base_buf_init(&path, flame->run->cairn);
	base_buf_init(&ends, flame->run->cairn); /* size_t: length of the path to each depth */
	for (size_t i = 1; i < tree->n && rc >= 0; i++) {
		const struct call_line *line = &tree->lines[i];
		char name[20];
		path.len = line->depth > 1 ? ((const size_t *)(const void *)ends.data)[line->depth - 2] : 0;
		ends.len = (line->depth - 1) * sizeof(size_t);
		if (path.len)
			rc = base_buf_put(&path, ";", 1);
		if (rc >= 0)
			rc = put_plain(&path, call_name(flame->run, line->func, name));
		if (rc >= 0)
			rc = base_buf_put(&ends, &path.len, sizeof path.len);
		if (rc >= 0 && line->self)
			out_printf(&flame->out, "%.*s %" PRIu64 "\n", (int)path.len, (char *)path.data,
			           line->self);
		rc = rc < 0 ? rc : out_flush(&flame->out, OUT_PIECE);
	}
	base_buf_free(&path);
	base_buf_free(&ends);
	return rc;
}

/* ---- speedscope ---- */

static int speedscope(struct flame *flame, const struct call_tree *tree)
{
	struct jout *json = &flame->json;
	uint32_t path[2048];
	uint64_t whole = 0;
	jout_init(json, &flame->out.buf, false);
	jout_object(json);
	JSON_KEY(json, "$schema");
	jout_text(json, "https://www.speedscope.app/file-format-schema.json");
	JSON_PUT(json, "exporter", text, "cairn");
	JSON_KEY(json, "shared");
	jout_object(json);
	JSON_KEY(json, "frames");
	jout_array(json);
	for (size_t i = 0; i < flame->run->func_index.n; i++) {
		char name[20];
		jout_object(json);
		JSON_PUT(json, "name", text, call_name(flame->run, (uint32_t)i, name));
		jout_object_end(json);
	}
	jout_array_end(json);
	jout_object_end(json);
	JSON_KEY(json, "profiles");
	jout_array(json);
	jout_object(json);
	JSON_PUT(json, "type", text, "sampled");
	JSON_PUT(json, "name", text, "instructions");
	JSON_PUT(json, "unit", text, "none");
	JSON_KEY(json, "samples");
	jout_array(json);
	for (size_t i = 1; i < tree->n; i++) {
		const struct call_line *line = &tree->lines[i];
		path[line->depth % 2048] = line->func;
		if (!line->self)
			continue;
		whole += line->self;
		jout_array(json);
		for (uint32_t d = 1; d <= line->depth; d++)
			jout_u64(json, path[d % 2048]);
		jout_array_end(json);
		if (json->status >= 0 && out_flush(&flame->out, OUT_PIECE) < 0)
			return CAIRN_E_IO;
	}
	jout_array_end(json);
	JSON_KEY(json, "weights");
	jout_array(json);
	for (size_t i = 1; i < tree->n; i++)
		if (tree->lines[i].self)
			jout_u64(json, tree->lines[i].self);
	jout_array_end(json);
	JSON_KEY(json, "startValue");
	jout_u64(json, 0);
	JSON_KEY(json, "endValue");
	jout_u64(json, whole);
	jout_object_end(json);
	jout_array_end(json);
	jout_object_end(json);
	jout_end(json);
	return json->status;
}

/* ---- flame graph ---- */

/* A warm colour that belongs to the name. */
static void colour(const char *name, unsigned rgb[3])
{
	uint32_t h = 2166136261u;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	rgb[0] = 205 + h % 50;
	rgb[1] = 80 + (h >> 8) % 130;
	rgb[2] = 30 + (h >> 16) % 50;
}

/* Lets one click into a frame and back; without scripts the picture is still whole. */
static const char script[] =
	"<script><![CDATA[\nvar gs=[].slice.call(document.querySelectorAll('g.f')),W=%d,M=%d;\n"
	"function fit(x0,w0,d0){gs.forEach(function(g){\n"
	"var x=+g.dataset.x,w=+g.dataset.w,d=+g.dataset.d,above=d<d0&&x<=x0&&x+w>=x0+w0,\n"
	"inside=d>=d0&&x>=x0&&x+w<=x0+w0,r=g.querySelector('rect'),t=g.querySelector('text');\n"
	"g.style.display=above||inside?'':'none';if(!above&&!inside)return;\n"
	"var a=above?0:(x-x0)/w0,b=above?1:w/w0,px=M+a*(W-2*M),pw=Math.max(b*(W-2*M),.3);\n"
	"r.setAttribute('x',px);r.setAttribute('width',pw);r.style.opacity=above?.5:1;\n"
	"if(t){var n=g.dataset.n,k=Math.floor((pw-6)/7);t.setAttribute('x',px+3);\n"
	"t.textContent=k<3?'':n.length<=k?n:n.slice(0,k-2)+'..';}});}\n"
	"gs.forEach(function(g){g.style.cursor='pointer';g.onclick=function(){\n"
	"fit(+g.dataset.x,+g.dataset.w,+g.dataset.d);};});\n"
	"document.getElementById('all').onclick=function(){fit(0,1,0);};\n]]></script>\n";

static void flame_rect(struct flame *flame, const struct call_line *line, uint64_t value,
                       uint64_t whole, unsigned height)
{
	char buf[20];
	const char *name = call_name(flame->run, line->func, buf);
	struct out *out = &flame->out;
	unsigned rgb[3];
	double inner = WIDTH - 2 * MARGIN;
	double at = (double)value / (double)whole, part = (double)line->total / (double)whole;
	double px = MARGIN + at * inner, width = part * inner;
	unsigned y = height - MARGIN - (line->depth) * ROW;
	int letters = (int)((width - 6) / LETTER);
	colour(name, rgb);
	out_printf(out, "<g class=\"f\" data-x=\"%.9g\" data-w=\"%.9g\" data-d=\"%u\" data-n=\"", at,
	           part, line->depth);
	out_xml(out, name, 200);
	out_printf(out, "\"><title>");
	out_xml(out, name, 400);
	out_printf(
		out,
		" (%" PRIu64 " instructions, %.2f%%; %" PRIu64 " of its own)</title>"
		"<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"rgb(%u,%u,%u)\" rx=\"1\"/>"
		"<text x=\"%.2f\" y=\"%u\">",
		line->total, 100 * part, line->self, px, y, width, ROW - 1, rgb[0], rgb[1], rgb[2], px + 3,
		y + 12);
	if (letters >= 3)
		out_xml(out, name, strlen(name) > (size_t)letters ? (size_t)letters - 2 : SIZE_MAX);
	out_printf(out, "</text></g>\n");
}

static int flame_graph(struct flame *flame, const struct call_tree *tree,
                       const struct call_sum *sum)
{
	uint64_t whole = sum->count.instructions, least = whole / (WIDTH * 4);
	uint64_t at[2048] = {0}; /* where the next child of each depth begins */
	unsigned deepest = 0;
	for (size_t i = 1; i < tree->n; i++)
		if (tree->lines[i].total > least && tree->lines[i].depth > deepest)
			deepest = tree->lines[i].depth;
	unsigned height = HEAD + MARGIN + deepest * ROW;
	out_printf(
		&flame->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
		"font-family=\"monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fdf8ee\"/>\n"
		"<text x=\"%d\" y=\"24\" font-size=\"16\">%" PRIu64
		" instructions, by who called whom</text>\n"
		"<text id=\"all\" x=\"%d\" y=\"42\" fill=\"#666\">width is instructions; click a frame to enlarge it, here to show all</text>\n",
		WIDTH, height, WIDTH, height, MARGIN, whole, MARGIN);
	for (size_t i = 1; i < tree->n; i++) {
		const struct call_line *line = &tree->lines[i];
		uint64_t x = at[line->depth];
		at[line->depth] += line->total;
		at[line->depth + 1] = x;
		if (line->total > least)
			flame_rect(flame, line, x, whole, height);
		out_flush(&flame->out, OUT_PIECE);
	}
	out_printf(&flame->out, script, WIDTH, MARGIN);
	out_printf(&flame->out, "</svg>\n");
	return flame->out.status;
}

/* ---- timeline ---- */

static int timeline_step(struct call_run *run, uint64_t hart, bool begins, uint32_t func,
                         uint64_t n)
{
	struct flame *flame = run->user;
	struct jout *json = &flame->json;
	char name[20];
	jout_object(json);
	JSON_PUT(json, "name", text, call_name(run, func, name));
	JSON_PUT(json, "ph", text, begins ? "B" : "E");
	JSON_PUT(json, "ts", u64, n);
	JSON_PUT(json, "pid", u64, 1);
	JSON_PUT(json, "tid", u64, hart);
	jout_object_end(json);
	return json->status < 0 ? json->status : out_flush(&flame->out, OUT_PIECE);
}

static int flame_report(struct call_run *run, const struct call_sum *sum, struct cairn_result *res)
{
	struct flame *flame = run->user;
	struct call_tree tree;
	(void)res;
	if (flame->form == CAIRN_CALLS_TIMELINE)
		return 0;
	int rc = call_tree_new(run, sum, &tree);
	if (rc < 0)
		return rc;
	rc = flame->form == CAIRN_CALLS_FOLDED       ? folded(flame, &tree)
	     : flame->form == CAIRN_CALLS_SPEEDSCOPE ? speedscope(flame, &tree)
	                                             : flame_graph(flame, &tree, sum);
	call_tree_free(run, &tree);
	return rc;
}

int flame_put(struct call_run *run, const struct call_sum *sum, struct base_buf *to)
{
	struct flame flame = {.run = run, .out = {.buf = *to}};
	struct call_tree tree;
	int rc = call_tree_new(run, sum, &tree);
	if (rc < 0)
		return rc;
	rc = flame_graph(&flame, &tree, sum);
	call_tree_free(run, &tree);
	*to = flame.out.buf;
	return rc;
}

int cairn_export_calls(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                       enum cairn_calls_form form, cairn_write_fn *write, void *user)
{
	struct analysis_job job;
	struct flame flame = {.out = {.write = write, .user = user}, .form = form};
	struct call_run run = {.report = flame_report, .user = &flame};
	struct cairn_result *none = NULL;
	int rc = calls_job(reader, opts, &run, &job);
	if (rc >= 0 && job.opts.every)
		rc =
			base_fail(reader->cairn, CAIRN_E_INVAL,
		              "a picture of calls shows one interval: choose a region instead of a series");
	flame.run = &run;
	base_buf_init(&flame.out.buf, reader->cairn);
	if (form == CAIRN_CALLS_TIMELINE) {
		run.step = timeline_step;
		jout_init(&flame.json, &flame.out.buf, false);
		jout_object(&flame.json);
		JSON_KEY(&flame.json, "displayTimeUnit");
		jout_text(&flame.json, "ns");
		JSON_KEY(&flame.json, "traceEvents");
		jout_array(&flame.json);
	}
	rc = analysis_do(reader, &job, rc, &none);
	result_leave_notes(reader, none);
	if (rc >= 0 && form == CAIRN_CALLS_TIMELINE) {
		jout_array_end(&flame.json);
		jout_object_end(&flame.json);
		jout_end(&flame.json);
		rc = flame.json.status;
	}
	if (rc >= 0)
		rc = out_flush(&flame.out, 0);
	base_buf_free(&flame.out.buf);
	return rc;
}
