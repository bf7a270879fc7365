/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call trees for programs that draw them: folded stacks (one line a path), speedscope
 * (JSON), a flame graph (one SVG file that needs nothing else), and a timeline of
 * functions (Chrome trace JSON), where time is the number of instructions.
 *
 * The timeline is written while the trace is read; the others when all is known.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/flame.h"
#include "export/json.h"

enum { PIECE = 1 << 16, WIDTH = 1200, ROW = 17, MARGIN = 10, HEAD = 56, LETTER = 7 };

struct out {
	struct call_run *u;
	struct base_buf buf;
	cairn_write_fn *write; /* NULL: all of it stays in buf */
	void *user;
	enum cairn_calls_form form;
	struct jout json;
};

static int flame_flush(struct out *o, size_t least)
{
	if (!o->write || o->buf.len < least || !o->buf.len)
		return 0;
	int rc = o->write(o->user, o->buf.data, o->buf.len);
	o->buf.len = 0;
	return rc;
}

/* ---- folded ---- */

/* Semicolons and line ends separate: they may not stand in a name, nor what does not print. */
static int put_plain(struct base_buf *b, const char *name)
{
	size_t n = strlen(name);
	char *p = text_open(b, n);
	if (!p)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < n;) {
		size_t len = name[i] == ';' ? 0 : text_printable(name + i, n - i);
		p = len ? text_put(p, name + i, len) : TEXT_LIT(p, "?");
		i += len ? len : 1;
	}
	text_close(b, p);
	return 0;
}

static int folded(struct out *o, const struct call_tree *t)
{
	struct base_buf path, ends;
	int rc = 0;
	base_buf_init(&path, o->buf.c);
	base_buf_init(&ends, o->buf.c); /* size_t: length of the path to each depth */
	for (size_t i = 1; i < t->n && rc >= 0; i++) {
		const struct call_line *l = &t->lines[i];
		char name[20];
		path.len = l->depth > 1 ? ((const size_t *)(const void *)ends.data)[l->depth - 2] : 0;
		ends.len = (l->depth - 1) * sizeof(size_t);
		if (path.len)
			rc = base_buf_put(&path, ";", 1);
		if (rc >= 0)
			rc = put_plain(&path, call_name(o->u, l->func, name));
		if (rc >= 0)
			rc = base_buf_put(&ends, &path.len, sizeof path.len);
		if (rc >= 0 && l->self)
			rc = base_buf_printf(&o->buf, "%.*s %" PRIu64 "\n", (int)path.len, (char *)path.data,
			                     l->self);
		rc = rc < 0 ? rc : flame_flush(o, PIECE);
	}
	base_buf_free(&path);
	base_buf_free(&ends);
	return rc;
}

/* ---- speedscope ---- */

static int speedscope(struct out *o, const struct call_tree *t)
{
	struct jout *j = &o->json;
	uint32_t path[2048];
	uint64_t whole = 0;
	jout_init(j, &o->buf, false);
	jout_object(j);
	JSON_KEY(j, "$schema");
	jout_text(j, "https://www.speedscope.app/file-format-schema.json");
	JSON_KEY(j, "exporter");
	jout_text(j, "cairn");
	JSON_KEY(j, "shared");
	jout_object(j);
	JSON_KEY(j, "frames");
	jout_array(j);
	for (size_t i = 0; i < o->u->func_index.n; i++) {
		char name[20];
		jout_object(j);
		JSON_KEY(j, "name");
		jout_text(j, call_name(o->u, (uint32_t)i, name));
		jout_object_end(j);
	}
	jout_array_end(j);
	jout_object_end(j);
	JSON_KEY(j, "profiles");
	jout_array(j);
	jout_object(j);
	JSON_KEY(j, "type");
	jout_text(j, "sampled");
	JSON_KEY(j, "name");
	jout_text(j, "instructions");
	JSON_KEY(j, "unit");
	jout_text(j, "none");
	JSON_KEY(j, "samples");
	jout_array(j);
	for (size_t i = 1; i < t->n; i++) {
		const struct call_line *l = &t->lines[i];
		path[l->depth % 2048] = l->func;
		if (!l->self)
			continue;
		whole += l->self;
		jout_array(j);
		for (uint32_t d = 1; d <= l->depth; d++)
			jout_u64(j, path[d % 2048]);
		jout_array_end(j);
		if (j->status >= 0 && flame_flush(o, PIECE) < 0)
			return CAIRN_E_IO;
	}
	jout_array_end(j);
	JSON_KEY(j, "weights");
	jout_array(j);
	for (size_t i = 1; i < t->n; i++)
		if (t->lines[i].self)
			jout_u64(j, t->lines[i].self);
	jout_array_end(j);
	JSON_KEY(j, "startValue");
	jout_u64(j, 0);
	JSON_KEY(j, "endValue");
	jout_u64(j, whole);
	jout_object_end(j);
	jout_array_end(j);
	jout_object_end(j);
	jout_end(j);
	return j->status;
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

/* What lets one click into a frame and back; without scripts the picture is still whole. */
static const char script[] =
	"<script><![CDATA[\n"
	"var gs=[].slice.call(document.querySelectorAll('g.f')),W=%d,M=%d;\n"
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
	"document.getElementById('all').onclick=function(){fit(0,1,0);};\n"
	"]]></script>\n";

static int flame_rect(struct out *o, const struct call_line *l, uint64_t x, uint64_t whole,
                      unsigned height)
{
	char buf[20];
	const char *name = call_name(o->u, l->func, buf);
	unsigned rgb[3];
	double inner = WIDTH - 2 * MARGIN;
	double at = (double)x / (double)whole, part = (double)l->total / (double)whole;
	double px = MARGIN + at * inner, width = part * inner;
	unsigned y = height - MARGIN - (l->depth) * ROW;
	int letters = (int)((width - 6) / LETTER);
	colour(name, rgb);
	int rc = base_buf_printf(
		&o->buf, "<g class=\"f\" data-x=\"%.9g\" data-w=\"%.9g\" data-d=\"%u\" data-n=\"", at, part,
		l->depth);
	if (rc >= 0)
		rc = text_xml(&o->buf, name, 200);
	if (rc >= 0)
		rc = base_buf_printf(&o->buf, "\"><title>");
	if (rc >= 0)
		rc = text_xml(&o->buf, name, 400);
	if (rc >= 0)
		rc = base_buf_printf(
			&o->buf,
			" (%" PRIu64 " instructions, %.2f%%; %" PRIu64 " of its own)</title>"
			"<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"rgb(%u,%u,%u)\" rx=\"1\"/>"
			"<text x=\"%.2f\" y=\"%u\">",
			l->total, 100 * part, l->self, px, y, width, ROW - 1, rgb[0], rgb[1], rgb[2], px + 3,
			y + 12);
	if (rc >= 0 && letters >= 3)
		rc = text_xml(&o->buf, name,
		              strlen(name) > (size_t)letters ? (size_t)letters - 2 : SIZE_MAX);
	return rc < 0 ? rc : base_buf_printf(&o->buf, "</text></g>\n");
}

static int flame(struct out *o, const struct call_tree *t, const struct call_sum *sum)
{
	uint64_t whole = sum->count.instructions, least = whole / (WIDTH * 4);
	uint64_t at[2048] = {0}; /* where the next child of each depth begins */
	unsigned deepest = 0;
	for (size_t i = 1; i < t->n; i++)
		if (t->lines[i].total > least && t->lines[i].depth > deepest)
			deepest = t->lines[i].depth;
	unsigned height = HEAD + MARGIN + deepest * ROW;
	int rc = base_buf_printf(
		&o->buf,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
		"font-family=\"monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fdf8ee\"/>\n"
		"<text x=\"%d\" y=\"24\" font-size=\"16\">%" PRIu64
		" instructions, by who called whom</text>\n"
		"<text id=\"all\" x=\"%d\" y=\"42\" fill=\"#666\">width is instructions; click a frame to "
		"look into it, here for all</text>\n",
		WIDTH, height, WIDTH, height, MARGIN, whole, MARGIN);
	for (size_t i = 1; i < t->n && rc >= 0; i++) {
		const struct call_line *l = &t->lines[i];
		uint64_t x = at[l->depth];
		at[l->depth] += l->total;
		at[l->depth + 1] = x;
		if (l->total > least)
			rc = flame_rect(o, l, x, whole, height);
		rc = rc < 0 ? rc : flame_flush(o, PIECE);
	}
	if (rc >= 0)
		rc = base_buf_printf(&o->buf, script, WIDTH, MARGIN);
	return rc < 0 ? rc : base_buf_printf(&o->buf, "</svg>\n");
}

/* ---- timeline ---- */

static int timeline_step(struct call_run *u, uint64_t hart, bool begins, uint32_t func, uint64_t n)
{
	struct out *o = u->user;
	struct jout *j = &o->json;
	char name[20];
	jout_object(j);
	JSON_KEY(j, "name");
	jout_text(j, call_name(u, func, name));
	JSON_KEY(j, "ph");
	jout_text(j, begins ? "B" : "E");
	JSON_KEY(j, "ts");
	jout_u64(j, n);
	JSON_KEY(j, "pid");
	jout_u64(j, 1);
	JSON_KEY(j, "tid");
	jout_u64(j, hart);
	jout_object_end(j);
	return j->status < 0 ? j->status : flame_flush(o, PIECE);
}

static int flame_report(struct call_run *u, const struct call_sum *sum, struct cairn_result *res)
{
	struct out *o = u->user;
	struct call_tree t;
	(void)res;
	if (o->form == CAIRN_CALLS_TIMELINE)
		return 0;
	int rc = call_tree_new(u, sum, &t);
	if (rc < 0)
		return rc;
	rc = o->form == CAIRN_CALLS_FOLDED       ? folded(o, &t)
	     : o->form == CAIRN_CALLS_SPEEDSCOPE ? speedscope(o, &t)
	                                         : flame(o, &t, sum);
	call_tree_free(u, &t);
	return rc;
}

int flame_put(struct call_run *u, const struct call_sum *sum, struct base_buf *to)
{
	struct out o = {.u = u, .buf = *to};
	struct call_tree t;
	int rc = call_tree_new(u, sum, &t);
	if (rc < 0)
		return rc;
	rc = flame(&o, &t, sum);
	call_tree_free(u, &t);
	*to = o.buf;
	return rc;
}

int cairn_export_calls(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                       enum cairn_calls_form form, cairn_write_fn *write, void *user)
{
	struct analysis_job job;
	struct out o = {.write = write, .user = user, .form = form};
	struct call_run u = {.report = flame_report, .user = &o};
	struct cairn_result *none = NULL;
	int rc = calls_job(r, opts, &u, &job);
	if (rc >= 0 && job.opts.every)
		rc = base_fail(r->c, CAIRN_E_INVAL,
		               "a picture of calls is of one interval: choose a region "
		               "instead of a series");
	o.u = &u;
	base_buf_init(&o.buf, r->c);
	if (form == CAIRN_CALLS_TIMELINE) {
		u.step = timeline_step;
		jout_init(&o.json, &o.buf, false);
		jout_object(&o.json);
		JSON_KEY(&o.json, "displayTimeUnit");
		jout_text(&o.json, "ns");
		JSON_KEY(&o.json, "traceEvents");
		jout_array(&o.json);
	}
	rc = analysis_do(r, &job, rc, &none);
	cairn_result_free(none);
	if (rc >= 0 && form == CAIRN_CALLS_TIMELINE) {
		jout_array_end(&o.json);
		jout_object_end(&o.json);
		jout_end(&o.json);
		rc = o.json.status;
	}
	if (rc >= 0)
		rc = flame_flush(&o, 0);
	base_buf_free(&o.buf);
	return rc;
}
