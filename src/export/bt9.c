/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches as BT9, the text format of branch prediction championships.
 *
 * A BT9 file is a graph and a walk through it: nodes are static branches, an edge says
 * that a branch went some way and which branch came next after how many instructions
 * (the one it leads to counted), and the sequence of edges is the trace. Node 0 stands
 * before the first branch and after the last one.
 *
 * The graph comes first in the file, so the walk is kept: four bytes a branch that ran.
 * Sources: the format as its public readers take it (CBP-5).
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/run.h"
#include "base/map.h"
#include "cairn/export.h"

struct node {
	uint64_t id, taken, not_taken, targets, kind, enc_size;
};
enum { NODE_WORDS = sizeof(struct node) / 8, WRITE_BYTES = 1 << 16 };

struct bt9 {
	struct cairn *c;
	struct base_map nodes;        /* pc → struct node */
	struct base_map targets;      /* pc, target → nothing */
	struct base_map ways;         /* target, instructions and taken → nothing; its row counts */
	struct base_map edges;        /* from and to, way → traversed */
	struct base_buf walk;         /* uint32_t: rows of edges */
	uint64_t n, n_last, branches; /* instructions, of them up to the last branch */
	uint64_t from;                /* node of the last branch, 0 none */
	uint64_t target;              /* and what it did */
	bool taken, have_hart;
	uint16_t hart;
};

static int take_edge(struct bt9 *t, uint64_t to)
{
	uint64_t count = t->n - t->n_last;
	uint64_t *way = base_map_at(&t->ways, t->target, count << 1 | t->taken);
	uint64_t *edge =
		way ? base_map_at(&t->edges, t->from << 32 | to, base_map_index(&t->ways, way)) : NULL;
	if (!edge)
		return CAIRN_E_NOMEM;
	++*edge;
	uint32_t row = (uint32_t)base_map_index(&t->edges, edge);
	t->n_last = t->n;
	return base_buf_put(&t->walk, &row, sizeof row);
}

static int take_branch(struct bt9 *t, const struct cairn_insn *in)
{
	struct node *node = (void *)base_map_at(&t->nodes, in->pc, 0);
	if (!node)
		return CAIRN_E_NOMEM;
	if (!node->id)
		node->id = t->nodes.n;
	bool taken = in->flags & CAIRN_INSN_TAKEN || !(in->traits & CAIRN_TRAIT_CONDITIONAL);
	uint64_t id = node->id;
	*(taken ? &node->taken : &node->not_taken) += 1;
	node->kind = in->traits;
	node->enc_size = in->enc | (uint64_t)in->size << 32;
	int rc = take_edge(t, id);
	t->from = id;
	t->taken = taken;
	t->target = in->flags & CAIRN_INSN_TARGET ? in->target : 0;
	t->branches++;
	if (rc >= 0 && in->flags & CAIRN_INSN_TARGET) {
		size_t before = t->targets.n;
		if (!base_map_at(&t->targets, in->pc, in->target))
			return CAIRN_E_NOMEM;
		node->targets += t->targets.n != before;
	}
	return rc;
}

static int take_batch(struct bt9 *t, const struct cairn_batch *b, const uint8_t *keep)
{
	int rc = 0;
	for (uint32_t i = 0; i < b->n_insns && rc >= 0; i++) {
		const struct cairn_insn *in = &b->insns[i];
		const struct cairn_ctx *x = &b->ctxs[in->ctx];
		if ((keep && !keep[i]) || in->flags & CAIRN_INSN_NOT_EXECUTED)
			continue;
		uint16_t hart = x->known & CAIRN_CTX_HART ? x->hart : 0;
		if (t->have_hart && hart != t->hart)
			return base_fail(t->c, CAIRN_E_UNSUPPORTED,
			                 "BT9 holds the branches of one processor: "
			                 "choose one with a region (cpu%u)",
			                 t->hart);
		t->have_hart = true;
		t->hart = hart;
		t->n++;
		if (in->traits & CAIRN_TRAIT_BRANCH)
			rc = take_branch(t, in);
	}
	return rc;
}

static int read_all(struct bt9 *t, struct cairn_reader *r, const struct cairn_analysis_opts *o)
{
	struct cairn_batch *b = cairn_batch_new(t->c);
	uint8_t *keep = base_alloc(t->c, CAIRN_CAP_INSNS);
	uint64_t first = 1, last = UINT64_MAX;
	bool all = !o->select || cairn_select_all(o->select);
	if (!all)
		cairn_select_bounds(o->select, &first, &last);
	cairn_reader_want(r, CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT |
	                         (all ? 0 : cairn_select_parts(o->select)));
	int rc = b && keep ? 0 : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = cairn_next(r, b)) > 0 && b->n0 <= last) {
		if (!all && b->n_insns)
			cairn_select_batch(o->select, b, keep);
		rc = take_batch(t, b, all ? NULL : keep);
	}
	if (rc >= 0 && t->branches)
		rc = take_edge(t, 0);
	base_free(t->c, keep);
	cairn_batch_free(t->c, b);
	return rc;
}

/* ---- the file ---- */

struct out {
	struct base_buf buf;
	cairn_write_fn *write;
	void *user;
};

static int bt9_flush(struct out *o, size_t least)
{
	if (o->buf.len < least || !o->buf.len)
		return 0;
	int rc = o->write(o->user, o->buf.data, o->buf.len);
	o->buf.len = 0;
	return rc;
}

static int put_header(const struct bt9 *t, struct out *o)
{
	return base_buf_printf(
		&o->buf,
		"BT9_SPA_TRACE_FORMAT\n"
		"# made by cairn\n"
		"bt9_minor_version: 0\nhas_physical_address: 0\n"
		"total_instruction_count: %" PRIu64 "\nbranch_instruction_count: %" PRIu64 "\n"
		"unique_branch_count: %zu\nunique_edge_count: %zu\n"
		"BT9_NODES\n#NODE id virtual_address physical_address opcode size\nNODE 0 0 - 0 0\n",
		t->n, t->branches, t->nodes.n, t->edges.n);
}

static int put_node(struct out *o, const uint64_t *row)
{
	const struct node *n = (const void *)(row + 2);
	uint32_t traits = (uint32_t)n->kind;
	const char *what = traits & CAIRN_TRAIT_CALL     ? "CALL"
	                   : traits & CAIRN_TRAIT_RETURN ? "RET"
	                                                 : "JMP";
	const char *how = traits & CAIRN_TRAIT_INDIRECT ? "IND" : "DIR";
	return base_buf_printf(&o->buf,
	                       "NODE %" PRIu64 " 0x%" PRIx64 " - 0x%x %u class: %s+%s+%s "
	                       "behavior: %s+%s taken_cnt: %" PRIu64 " not_taken_cnt: %" PRIu64
	                       " tgt_cnt: %" PRIu64 "\n",
	                       n->id, row[0], (uint32_t)n->enc_size, (unsigned)(n->enc_size >> 32),
	                       what, how, traits & CAIRN_TRAIT_CONDITIONAL ? "CND" : "UCD",
	                       !n->not_taken ? "AT"
	                       : !n->taken   ? "NT"
	                                     : "DYN",
	                       n->targets > 1 ? "IND" : "DIR", n->taken, n->not_taken, n->targets);
}

static int put_edge(const struct bt9 *t, struct out *o, size_t i)
{
	const uint64_t *edge = base_map_row(&t->edges, i),
				   *way = base_map_row(&t->ways, (size_t)edge[1]);
	return base_buf_printf(&o->buf,
	                       "EDGE %zu %" PRIu64 " %" PRIu64 " %c 0x%" PRIx64 " - %" PRIu64
	                       " traverse_cnt: %" PRIu64 "\n",
	                       i, edge[0] >> 32, edge[0] & UINT32_MAX, way[1] & 1 ? 'T' : 'N', way[0],
	                       way[1] >> 1, edge[2]);
}

static int bt9_put_all(const struct bt9 *t, struct out *o)
{
	int rc = put_header(t, o);
	for (size_t i = 0; i < t->nodes.n && rc >= 0; i++) {
		rc = put_node(o, base_map_row(&t->nodes, i));
		rc = rc < 0 ? rc : bt9_flush(o, WRITE_BYTES);
	}
	if (rc >= 0)
		rc = base_buf_printf(
			&o->buf, "BT9_EDGES\n"
					 "#EDGE id src_id dest_id taken br_virt_target br_phy_target inst_cnt\n");
	for (size_t i = 0; i < t->edges.n && rc >= 0; i++) {
		rc = put_edge(t, o, i);
		rc = rc < 0 ? rc : bt9_flush(o, WRITE_BYTES);
	}
	if (rc >= 0)
		rc = base_buf_printf(&o->buf, "BT9_EDGE_SEQUENCE\n");
	const uint32_t *walk = (const void *)t->walk.data;
	for (size_t i = 0; i < t->walk.len / sizeof *walk && rc >= 0; i++) {
		rc = base_buf_printf(&o->buf, "%u\n", walk[i]);
		rc = rc < 0 ? rc : bt9_flush(o, WRITE_BYTES);
	}
	if (rc >= 0)
		rc = base_buf_printf(&o->buf, "EOF\n");
	return rc < 0 ? rc : bt9_flush(o, 0);
}

int cairn_export_bt9(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                     cairn_write_fn *write, void *user)
{
	struct cairn_analysis_opts own;
	struct bt9 t = {.c = r->c};
	struct out o = {.write = write, .user = user};
	int rc = analysis_opts(r, opts, &own);
	if (rc < 0)
		return rc;
	base_map_init(&t.nodes, r->c, NODE_WORDS);
	base_map_init(&t.targets, r->c, 0);
	base_map_init(&t.ways, r->c, 0);
	base_map_init(&t.edges, r->c, 1);
	base_buf_init(&t.walk, r->c);
	base_buf_init(&o.buf, r->c);
	rc = read_all(&t, r, &own);
	if (rc >= 0)
		rc = bt9_put_all(&t, &o);
	base_map_free(&t.nodes);
	base_map_free(&t.targets);
	base_map_free(&t.ways);
	base_map_free(&t.edges);
	base_buf_free(&t.walk);
	base_buf_free(&o.buf);
	return rc;
}
