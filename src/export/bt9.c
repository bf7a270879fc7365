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

#include "analysis/run.h"
#include "base/map.h"
#include "export/out.h"

struct node {
	uint64_t id, taken, not_taken, targets, kind, enc_size;
};
enum { NODE_WORDS = sizeof(struct node) / 8 };

struct bt9 {
	struct cairn *cairn;
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
	/* Branches left out because an edge would have to give what is unknown: their address, whether
	 * they were taken, or where that led. */
	uint64_t unplaced, open, untold;
};

static int take_edge(struct bt9 *bt9, uint64_t to)
{
	uint64_t count = bt9->n - bt9->n_last;
	uint64_t *way = base_map_at(&bt9->ways, bt9->target, count << 1 | bt9->taken);
	uint64_t *edge =
		way ? base_map_at(&bt9->edges, bt9->from << 32 | to, base_map_index(&bt9->ways, way))
			: NULL;
	if (!edge)
		return CAIRN_E_NOMEM;
	++*edge;
	uint32_t row = (uint32_t)base_map_index(&bt9->edges, edge);
	bt9->n_last = bt9->n;
	return base_buf_put(&bt9->walk, &row, sizeof row);
}

static int take_branch(struct bt9 *bt9, const struct cairn_insn *in)
{
	struct node *node = (void *)base_map_at(&bt9->nodes, in->pc, 0);
	if (!node)
		return CAIRN_E_NOMEM;
	if (!node->id)
		node->id = bt9->nodes.n;
	bool taken = !(in->flags & CAIRN_INSN_NOT_TAKEN);
	uint64_t id = node->id;
	*(taken ? &node->taken : &node->not_taken) += 1;
	node->kind = in->traits;
	node->enc_size = in->enc | (uint64_t)in->size << 32;
	int rc = take_edge(bt9, id);
	bt9->from = id;
	bt9->taken = taken;
	bt9->target = in->target;
	bt9->branches++;
	size_t before = bt9->targets.n;
	if (rc < 0 || !base_map_at(&bt9->targets, in->pc, in->target))
		return rc < 0 ? rc : CAIRN_E_NOMEM;
	node->targets += bt9->targets.n != before;
	return rc;
}

/* Does the trace hold everything that an edge says? */
static bool is_told(struct bt9 *bt9, const struct cairn_insn *in)
{
	bool open = in->traits & CAIRN_TRAIT_CONDITIONAL &&
	            !(in->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN));
	uint64_t *missing = in->flags & CAIRN_INSN_PC_UNKNOWN  ? &bt9->unplaced
	                    : open                             ? &bt9->open
	                    : !(in->flags & CAIRN_INSN_TARGET) ? &bt9->untold
	                                                       : NULL;
	if (missing)
		++*missing;
	return !missing;
}

static int take_batch(struct bt9 *bt9, const struct cairn_batch *batch, const uint8_t *keep)
{
	int rc = 0;
	for (uint32_t i = 0; i < batch->n_insns && rc >= 0; i++) {
		const struct cairn_insn *in = &batch->insns[i];
		const struct cairn_ctx *ctx = &batch->ctxs[in->ctx];
		if ((keep && !keep[i]) || in->flags & CAIRN_INSN_NOT_EXECUTED)
			continue;
		uint16_t hart = ctx->known & CAIRN_CTX_HART ? ctx->hart : 0;
		if (bt9->have_hart && hart != bt9->hart)
			return base_fail(bt9->cairn, CAIRN_E_UNSUPPORTED,
			                 "BT9 holds the branches of one processor: "
			                 "choose one with a region (cpu%u)",
			                 bt9->hart);
		bt9->have_hart = true;
		bt9->hart = hart;
		bt9->n++;
		if (in->traits & CAIRN_TRAIT_BRANCH && is_told(bt9, in))
			rc = take_branch(bt9, in);
	}
	return rc;
}

static int read_all(struct bt9 *bt9, struct cairn_reader *reader,
                    const struct cairn_analysis_opts *opts)
{
	struct cairn_batch *batch = cairn_batch_new(bt9->cairn);
	uint8_t *keep = base_alloc(bt9->cairn, CAIRN_CAP_INSNS);
	uint64_t first = 1, last = UINT64_MAX;
	bool all = !opts->select || cairn_select_all(opts->select);
	if (!all)
		cairn_select_bounds(opts->select, &first, &last);
	cairn_reader_want(reader, CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT |
	                              (all ? 0 : cairn_select_parts(opts->select)));
	int rc = batch && keep ? 0 : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0 && batch->n0 <= last) {
		if (!all && batch->n_insns)
			cairn_select_batch(opts->select, batch, keep);
		rc = take_batch(bt9, batch, all ? NULL : keep);
	}
	if (rc >= 0 && bt9->branches)
		rc = take_edge(bt9, 0);
	base_free(bt9->cairn, keep);
	cairn_batch_free(bt9->cairn, batch);
	return rc;
}

/* ---- the file ---- */

static void put_header(const struct bt9 *bt9, struct out *out)
{
	out_printf(
		out,
		"BT9_SPA_TRACE_FORMAT\n# made by cairn\nbt9_minor_version: 0\nhas_physical_address: 0\n"
		"total_instruction_count: %" PRIu64 "\nbranch_instruction_count: %" PRIu64 "\n"
		"unique_branch_count: %zu\nunique_edge_count: %zu\n"
		"BT9_NODES\n#NODE id virtual_address physical_address opcode size\nNODE 0 0 - 0 0\n",
		bt9->n, bt9->branches, bt9->nodes.n, bt9->edges.n);
}

static void put_node(struct out *out, const uint64_t *row)
{
	const struct node *node = (const void *)(row + 2);
	uint32_t traits = (uint32_t)node->kind;
	const char *what = traits & CAIRN_TRAIT_CALL     ? "CALL"
	                   : traits & CAIRN_TRAIT_RETURN ? "RET"
	                                                 : "JMP";
	const char *how = traits & CAIRN_TRAIT_INDIRECT ? "IND" : "DIR";
	out_printf(out,
	           "NODE %" PRIu64 " 0x%" PRIx64 " - 0x%x %u class: %s+%s+%s "
	           "behavior: %s+%s taken_cnt: %" PRIu64 " not_taken_cnt: %" PRIu64 " tgt_cnt: %" PRIu64
	           "\n",
	           node->id, row[0], (uint32_t)node->enc_size, (unsigned)(node->enc_size >> 32), what,
	           how, traits & CAIRN_TRAIT_CONDITIONAL ? "CND" : "UCD",
	           !node->not_taken ? "AT"
	           : !node->taken   ? "NT"
	                            : "DYN",
	           node->targets > 1 ? "IND" : "DIR", node->taken, node->not_taken, node->targets);
}

static void put_edge(const struct bt9 *bt9, struct out *out, size_t index)
{
	const uint64_t *edge = base_map_row(&bt9->edges, index),
				   *way = base_map_row(&bt9->ways, (size_t)edge[1]);
	out_printf(out,
	           "EDGE %zu %" PRIu64 " %" PRIu64 " %c 0x%" PRIx64 " - %" PRIu64
	           " traverse_cnt: %" PRIu64 "\n",
	           index, edge[0] >> 32, edge[0] & UINT32_MAX, way[1] & 1 ? 'T' : 'N', way[0],
	           way[1] >> 1, edge[2]);
}

static int bt9_put_all(const struct bt9 *bt9, struct out *out)
{
	put_header(bt9, out);
	for (size_t i = 0; i < bt9->nodes.n && out_flush(out, OUT_PIECE) >= 0; i++)
		put_node(out, base_map_row(&bt9->nodes, i));
	out_printf(out, "BT9_EDGES\n"
	                "#EDGE id src_id dest_id taken br_virt_target br_phy_target inst_cnt\n");
	for (size_t i = 0; i < bt9->edges.n && out_flush(out, OUT_PIECE) >= 0; i++)
		put_edge(bt9, out, i);
	out_printf(out, "BT9_EDGE_SEQUENCE\n");
	const uint32_t *walk = (const void *)bt9->walk.data;
	for (size_t i = 0; i < bt9->walk.len / sizeof *walk && out_flush(out, OUT_PIECE) >= 0; i++)
		out_printf(out, "%u\n", walk[i]);
	out_printf(out, "EOF\n");
	return out_flush(out, 0);
}

static void bt9_note(struct cairn_reader *reader, const char *what, uint64_t n)
{
	if (n)
		model_noted(reader, NULL, "%s of %llu branches is not known: they are left out", what,
		            (unsigned long long)n);
}

int cairn_export_bt9(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                     cairn_write_fn *write, void *user)
{
	struct cairn_analysis_opts own;
	struct bt9 bt9 = {.cairn = reader->cairn};
	struct out out = {.write = write, .user = user};
	int rc = analysis_opts(reader, opts, &own);
	if (rc < 0)
		return rc;
	base_map_init(&bt9.nodes, reader->cairn, NODE_WORDS);
	base_map_init(&bt9.targets, reader->cairn, 0);
	base_map_init(&bt9.ways, reader->cairn, 0);
	base_map_init(&bt9.edges, reader->cairn, 1);
	base_buf_init(&bt9.walk, reader->cairn);
	base_buf_init(&out.buf, reader->cairn);
	rc = read_all(&bt9, reader, &own);
	bt9_note(reader, "the address", bt9.unplaced);
	bt9_note(reader, "the outcome", bt9.open);
	bt9_note(reader, "the target", bt9.untold);
	if (rc >= 0)
		rc = bt9_put_all(&bt9, &out);
	base_map_free(&bt9.nodes);
	base_map_free(&bt9.targets);
	base_map_free(&bt9.ways);
	base_map_free(&bt9.edges);
	base_buf_free(&bt9.walk);
	base_buf_free(&out.buf);
	return rc;
}
