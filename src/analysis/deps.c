/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependences between instructions, through registers.
 *
 * Distances: how many instructions ago a source was written. Ideal parallelism: every
 * instruction takes one step and may begin when its sources are there; a window of W
 * lets instruction i begin only when instruction i-W and all before it are done, as a
 * reorder buffer would. Branches are foreseen, memory carries no dependence. So these
 * are limits of the program, not of a machine. Pairs: what stands directly behind what,
 * and which pairs a machine could fuse.
 *
 * Registers come from the encoding where the set's operands are known, else from what
 * the trace recorded. Feeding turns each instruction into a few numbers, with what
 * follows from an encoding kept in memos that go from part to part; the order matters
 * only to join. Every interval begins anew.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "base/map.h"

enum { REGS = 256, SRCS = 6, DSTS = 4, BUCKETS = 40, WINDOWS = 8, LARGEST = 1024, NO_REG = 0 };

static const uint32_t windows[WINDOWS] = {8, 16, 32, 64, 128, 256, 1024, 0}; /* 0: no limit */

/* What a pair might be fused from. */
enum kind { OTHER, LUI, AUIPC, ADDI, SLLI, SRLI, ADD, COMPARE, ZERO_BRANCH, LOAD, STORE, JALR,
	ADRP, ADD_IMM, MOVZ, MOVK, SETS_FLAGS, FLAG_BRANCH }; /* of A64 */

/* What follows from an encoding; the counters of its key. */
struct op {
	uint8_t src[SRCS], dst[DSTS]; /* register ids, NO_REG none */
	uint8_t kind, base; /* enum kind; of an access, the base register */
	uint8_t told, pad[3]; /* the encoding tells the registers */
	uint64_t name;          /* number of its mnemonic */
};
enum { OP_WORDS = sizeof(struct op) / 8 };

struct memo {
	struct memo *next;
	struct base_map ops;   /* encoding → struct op */
	struct base_map pairs; /* of a memo: two names, dependent → count */
};

struct step {
	uint8_t src[SRCS], dst[DSTS];
	uint16_t hart;
};

enum fusion { FUSE_LUI_ADDI, FUSE_AUIPC_ADDI, FUSE_AUIPC_LOAD, FUSE_AUIPC_JALR, FUSE_SHIFT_PAIR,
	FUSE_SHIFT_ADD, FUSE_INDEXED_LOAD, FUSE_COMPARE_BRANCH, FUSE_LOAD_PAIR, FUSE_STORE_PAIR,
	FUSE_ADRP_ADD, FUSE_ADRP_LOAD, FUSE_MOV_MOVK, FUSE_FLAGS_BRANCH, FUSIONS };

static const char *const fusion_names[FUSIONS] = {"lui, addi", "auipc, addi", "auipc, load",
	"auipc, jalr", "slli, srli", "slli, add", "add, load", "compare, branch on zero", "load pair",
	"store pair", "adrp, add", "adrp, load", "movz, movk", "compare, branch on flags"};

/* The last instruction of a hart, for pairs; and where a part begins, for the seam. */
struct last {
	uint64_t next; /* the address behind it */
	uint64_t addr; /* of its access */
	uint32_t size; /* of its access, 0 none */
	uint32_t valid;
	struct op op;
};
enum { LAST_WORDS = sizeof(struct last) / 8 };

struct hart_state {
	uint64_t n, written[REGS];
	uint64_t ready[WINDOWS][REGS];
	uint64_t done[WINDOWS][LARGEST]; /* when the instruction this many ago, and all before, was */
	uint64_t end[WINDOWS];
};

struct part {
	struct base_buf stream; /* struct step */
	struct base_map harts;  /* hart → struct last; the first one is kept in `firsts` */
	struct base_map firsts;
	struct memo *memo;
	uint64_t fusions[FUSIONS];
	/* of a sum */
	struct base_map states; /* hart → pointer to struct hart_state */
	struct base_map seam;   /* hart → struct last */
	uint64_t instructions, unknown, distance[3][BUCKETS], initial;
	struct base_map pairs;
};

struct run {
	struct cairn *c;
	const struct cairn_analysis_opts *opts;
	pthread_mutex_t lock; /* of `rest` and `names` */
	struct memo *rest;
	struct base_map names; /* pointer of a constant name → nothing */
};

/* ---- memos ---- */

static struct memo *memo_take(struct run *u)
{
	pthread_mutex_lock(&u->lock);
	struct memo *m = u->rest;
	u->rest = m ? m->next : NULL;
	pthread_mutex_unlock(&u->lock);
	if (m || !(m = base_alloc(u->c, sizeof *m)))
		return m;
	base_map_init(&m->ops, u->c, OP_WORDS);
	base_map_init(&m->pairs, u->c, 1);
	return m;
}

static void memo_rest(struct run *u, struct memo *m)
{
	if (!m)
		return;
	pthread_mutex_lock(&u->lock);
	m->next = u->rest;
	u->rest = m;
	pthread_mutex_unlock(&u->lock);
}

static void memos_free(struct run *u)
{
	for (struct memo *m; (m = u->rest) != NULL;) {
		u->rest = m->next;
		base_map_free(&m->ops);
		base_map_free(&m->pairs);
		base_free(u->c, m);
	}
}

/* ---- encodings ---- */

/* One number for each register that can carry a dependence. */
static uint8_t reg_id(unsigned cls, unsigned num)
{
	switch (cls) {
	case CAIRN_REG_INT:
		return (uint8_t)(1 + num % 64);
	case CAIRN_REG_FP:
		return (uint8_t)(65 + num % 64);
	case CAIRN_REG_VECTOR:
		return (uint8_t)(129 + num % 64);
	case CAIRN_REG_FLAGS:
		return 193;
	case CAIRN_REG_PREDICATE:
		return (uint8_t)(194 + num % 16);
	default:
		return NO_REG; /* control registers: their order is not the program's dataflow */
	}
}

static uint8_t kind_of(const char *name, const struct cairn_op *op, const struct cairn_operands *o)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} kinds[] = {{"lui", LUI}, {"c.lui", LUI}, {"auipc", AUIPC}, {"addi", ADDI}, {"addiw", ADDI},
		{"c.addi", ADDI}, {"c.addiw", ADDI}, {"slli", SLLI}, {"c.slli", SLLI}, {"srli", SRLI},
		{"c.srli", SRLI}, {"srai", SRLI}, {"c.srai", SRLI}, {"add", ADD}, {"c.add", ADD},
		{"slt", COMPARE}, {"sltu", COMPARE}, {"slti", COMPARE}, {"sltiu", COMPARE}, {"jalr", JALR},
		{"c.jalr", JALR}, {"c.jr", JALR}, {"c.beqz", ZERO_BRANCH}, {"c.bnez", ZERO_BRANCH}};
	for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	if (op->cls == CAIRN_CLASS_LOAD && !(op->traits & CAIRN_TRAIT_VECTOR))
		return LOAD;
	if (op->cls == CAIRN_CLASS_STORE && !(op->traits & CAIRN_TRAIT_VECTOR))
		return STORE;
	bool equality = name && (!strcmp(name, "beq") || !strcmp(name, "bne"));
	return equality && o->n_src == 1 ? ZERO_BRANCH : OTHER;
}

static uint8_t a64_kind_of(uint32_t e, const struct cairn_op *op)
{
	static const struct {
		uint32_t mask, value;
		uint8_t kind;
	} kinds[] = {{0x9f000000, 0x90000000, ADRP}, {0xff800000, 0x91000000, ADD_IMM},
		{0x7f800000, 0x52800000, MOVZ}, {0x7f800000, 0x72800000, MOVK},
		{0x7f00001f, 0x7100001f, SETS_FLAGS},  /* cmp with an immediate, */
		{0x7f20001f, 0x6b00001f, SETS_FLAGS},  /* with a register, */
		{0x7f80001f, 0x7200001f, SETS_FLAGS},  /* tst with an immediate, */
		{0x7f20001f, 0x6a00001f, SETS_FLAGS},  /* with a register */
		{0xff000010, 0x54000000, FLAG_BRANCH}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((e & kinds[i].mask) == kinds[i].value)
			return kinds[i].kind;
	bool plain = !(op->traits & (CAIRN_TRAIT_VECTOR | CAIRN_TRAIT_ATOMIC));
	return !plain ? OTHER : op->cls == CAIRN_CLASS_LOAD ? LOAD : op->cls == CAIRN_CLASS_STORE ? STORE : OTHER;
}

static int name_number(struct run *u, const char *name, uint64_t *out)
{
	pthread_mutex_lock(&u->lock);
	uint64_t *at = base_map_at(&u->names, (uintptr_t)name, 0);
	*out = at ? base_map_index(&u->names, at) : 0;
	pthread_mutex_unlock(&u->lock);
	return at ? 0 : CAIRN_E_NOMEM;
}

static int fill_op(struct run *u, const struct cairn_insn *in, struct op *out)
{
	struct cairn_operands o;
	struct cairn_op op;
	const char *name, *ext;
	bool has = !(in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
	cairn_isa_decode(in->isa, has ? in->enc : 0, in->size, &op);
	cairn_isa_mnemonic(in->isa, has ? in->enc : 0, in->size, &name, &ext);
	memset(out, 0, sizeof *out);
	if (has && cairn_isa_operands(in->isa, in->enc, in->size, &o) >= 0) {
		for (unsigned k = 0; k < o.n_src; k++)
			out->src[k] = reg_id(o.src[k].cls, o.src[k].num);
		for (unsigned k = 0; k < o.n_dst; k++)
			out->dst[k] = reg_id(o.dst[k].cls, o.dst[k].num);
		out->kind = in->isa == CAIRN_ISA_A64 ? a64_kind_of(in->enc, &op) : kind_of(name, &op, &o);
		out->base = out->src[0];
		out->told = 1;
	}
	return name_number(u, name && has ? name : cairn_class_name(in->cls), &out->name);
}

/* From the rows of the trace, where the encoding does not tell. */
static bool regs_of_rows(const struct cairn_batch *b, uint32_t i, struct op *op)
{
	unsigned n_src = 0, n_dst = 0;
	for (uint32_t k = b->insns[i].reg0; k < b->insns[i + 1].reg0; k++) {
		const struct cairn_reg *r = &b->regs[k];
		uint8_t id = reg_id(r->cls, r->num);
		if (r->role == CAIRN_ROLE_SRC && n_src < SRCS && id)
			op->src[n_src++] = id;
		else if (r->role == CAIRN_ROLE_DST && n_dst < DSTS && id)
			op->dst[n_dst++] = id;
	}
	return n_src + n_dst > 0;
}

/* ---- parts ---- */

static int begin(void *user, void *part)
{
	struct run *u = user;
	struct part *p = part;
	base_buf_init(&p->stream, u->c);
	base_map_init(&p->harts, u->c, LAST_WORDS);
	base_map_init(&p->firsts, u->c, LAST_WORDS);
	base_map_init(&p->states, u->c, 1);
	base_map_init(&p->seam, u->c, LAST_WORDS);
	base_map_init(&p->pairs, u->c, 1);
	return 0;
}

static void end(void *user, void *part)
{
	struct run *u = user;
	struct part *p = part;
	for (size_t i = 0; i < p->states.n; i++)
		base_free(u->c, (void *)(uintptr_t)base_map_row(&p->states, i)[2]);
	memo_rest(u, p->memo);
	base_buf_free(&p->stream);
	base_map_free(&p->harts);
	base_map_free(&p->firsts);
	base_map_free(&p->states);
	base_map_free(&p->seam);
	base_map_free(&p->pairs);
}

static size_t held(const void *part)
{
	return ((const struct part *)part)->stream.len;
}

/* ---- pairs ---- */

static bool reads(const struct op *op, uint8_t reg)
{
	return reg && memchr(op->src, reg, SRCS) != NULL;
}

/* The pair two instructions make, FUSIONS when none. */
static unsigned fusion_of(const struct last *a, const struct last *b)
{
	uint8_t d = a->op.dst[0];
	bool same = d && b->op.dst[0] == d, uses = reads(&b->op, d);
	switch ((enum kind)a->op.kind) {
	case LUI:
		return b->op.kind == ADDI && uses && same ? FUSE_LUI_ADDI : FUSIONS;
	case AUIPC:
		return !uses                ? FUSIONS
		       : b->op.kind == JALR ? FUSE_AUIPC_JALR
		       : b->op.kind == LOAD && b->op.base == d ? FUSE_AUIPC_LOAD
		       : b->op.kind == ADDI && same            ? FUSE_AUIPC_ADDI : FUSIONS;
	case SLLI:
		return !uses || !same       ? FUSIONS
		       : b->op.kind == SRLI ? FUSE_SHIFT_PAIR
		       : b->op.kind == ADD  ? FUSE_SHIFT_ADD : FUSIONS;
	case ADD:
		return b->op.kind == LOAD && b->op.base == d && same ? FUSE_INDEXED_LOAD : FUSIONS;
	case COMPARE:
		return b->op.kind == ZERO_BRANCH && uses ? FUSE_COMPARE_BRANCH : FUSIONS;
	case ADRP:
		return b->op.kind == LOAD && b->op.base == d ? FUSE_ADRP_LOAD
		       : b->op.kind == ADD_IMM && uses && same ? FUSE_ADRP_ADD : FUSIONS;
	case MOVZ:
	case MOVK:
		return b->op.kind == MOVK && same ? FUSE_MOV_MOVK : FUSIONS;
	case SETS_FLAGS:
		return b->op.kind == FLAG_BRANCH ? FUSE_FLAGS_BRANCH : FUSIONS;
	case LOAD:
	case STORE:
		if (b->op.kind != a->op.kind || !a->size || a->size != b->size || a->op.base != b->op.base ||
		    (b->addr != a->addr + a->size && b->addr + b->size != a->addr))
			return FUSIONS;
		/* the first load must not change the second one's address */
		return a->op.kind == STORE ? FUSE_STORE_PAIR : d == b->op.base ? FUSIONS : FUSE_LOAD_PAIR;
	default:
		return FUSIONS;
	}
}

static int take_pair(struct base_map *pairs, uint64_t *fusions, const struct last *a,
                     const struct last *b)
{
	bool depends = false;
	for (unsigned k = 0; k < DSTS; k++)
		depends = depends || reads(&b->op, a->op.dst[k]);
	uint64_t *n = base_map_at(pairs, a->op.name << 32 | b->op.name, depends);
	unsigned f = fusion_of(a, b);
	if (!n)
		return CAIRN_E_NOMEM;
	++*n;
	if (f < FUSIONS)
		fusions[f]++;
	return 0;
}

/* ---- feeding ---- */

static int feed_one(struct run *u, struct part *p, const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *in = &b->insns[i];
	const struct cairn_ctx *x = &b->ctxs[in->ctx];
	uint64_t hart = x->known & CAIRN_CTX_HART ? x->hart : 0;
	size_t known = p->memo->ops.n;
	bool has = !(in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
	uint64_t key = (has ? in->enc : in->cls) | (uint64_t)in->isa << 32 | (uint64_t)in->size << 40;
	struct op *at = (void *)base_map_at(&p->memo->ops, key, !has);
	if (!at || (p->memo->ops.n != known && fill_op(u, in, at) < 0))
		return CAIRN_E_NOMEM;
	struct last now = {.next = in->pc + in->size, .valid = 1, .op = *at};
	if (!at->told && !regs_of_rows(b, i, &now.op))
		p->unknown++;
	if (in[1].mem0 == in->mem0 + 1) {
		now.addr = b->mems[in->mem0].addr;
		now.size = b->mems[in->mem0].size;
	}
	struct step s = {.hart = (uint16_t)hart};
	memcpy(s.src, now.op.src, sizeof s.src);
	memcpy(s.dst, now.op.dst, sizeof s.dst);
	p->instructions++;
	struct last *before = (void *)base_map_at(&p->harts, hart, 0);
	if (!before || base_buf_put(&p->stream, &s, sizeof s) < 0)
		return CAIRN_E_NOMEM;
	int rc = 0;
	if (!before->valid) {
		now.op.name = at->name;
		struct last *first = (void *)base_map_at(&p->firsts, hart, 0);
		if (!first)
			return CAIRN_E_NOMEM;
		*first = now;
		first->next = in->pc; /* here: its own address */
	} else if (before->next == in->pc) {
		rc = take_pair(&p->memo->pairs, p->fusions, before, &now);
	}
	*before = now;
	return rc;
}

static int feed(void *user, void *part, const struct analysis_rows *r)
{
	struct run *u = user;
	struct part *p = part;
	if (!p->memo && !(p->memo = memo_take(u)))
		return CAIRN_E_NOMEM;
	for (uint32_t i = r->from; i < r->to; i++) {
		if (r->b->insns[i].flags & CAIRN_INSN_NOT_EXECUTED || (r->keep && !r->keep[i]))
			continue;
		if (feed_one(u, p, r->b, i) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

/* ---- joining ---- */

static struct hart_state *state_of(struct run *u, struct part *sum, uint64_t hart)
{
	uint64_t *at = base_map_at(&sum->states, hart, 0);
	if (at && !*at)
		*at = (uintptr_t)base_alloc(u->c, sizeof(struct hart_state));
	return at ? (struct hart_state *)(uintptr_t)*at : NULL;
}

static unsigned bucket(uint64_t n)
{
	return n ? 64u - (unsigned)__builtin_clzll(n) : 0;
}

static void take_distances(struct part *sum, const struct hart_state *h, const struct step *s)
{
	for (unsigned k = 0; k < SRCS; k++) {
		uint8_t r = s->src[k];
		if (r == NO_REG)
			continue;
		unsigned cls = r >= 129 && r < 193 ? 2 : r >= 65 && r < 129;
		if (h->written[r])
			sum->distance[cls][bucket(h->n - h->written[r])]++;
		else
			sum->initial++; /* its value is from before */
	}
}

static void take_window(struct hart_state *h, const struct step *s, unsigned w)
{
	uint64_t begin = 0, size = windows[w];
	for (unsigned k = 0; k < SRCS; k++)
		begin = h->ready[w][s->src[k]] > begin ? h->ready[w][s->src[k]] : begin;
	if (size && h->n > size && h->done[w][(h->n - size) % LARGEST] > begin)
		begin = h->done[w][(h->n - size) % LARGEST];
	begin++;
	for (unsigned k = 0; k < DSTS; k++)
		if (s->dst[k])
			h->ready[w][s->dst[k]] = begin;
	h->end[w] = begin > h->end[w] ? begin : h->end[w];
	h->done[w][h->n % LARGEST] = h->end[w];
}

static int join(void *user, void *sum, void *part)
{
	struct run *u = user;
	struct part *a = sum, *p = part;
	const struct step *s = (const void *)p->stream.data;
	int rc = 0;
	for (size_t left = p->stream.len / sizeof *s; left; left--, s++) {
		struct hart_state *h = state_of(u, a, s->hart);
		if (!h)
			return CAIRN_E_NOMEM;
		h->n++;
		take_distances(a, h, s);
		for (unsigned w = 0; w < WINDOWS; w++)
			take_window(h, s, w);
		for (unsigned k = 0; k < DSTS; k++)
			if (s->dst[k])
				h->written[s->dst[k]] = h->n;
	}
	/* The pair on both sides of the seam. */
	for (size_t i = 0; i < p->firsts.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&p->firsts, i);
		const struct last *first = (const void *)(row + 2);
		struct last *before = (void *)base_map_at(&a->seam, row[0], 0);
		if (!before)
			return CAIRN_E_NOMEM;
		if (before->valid && before->next == first->next)
			rc = take_pair(&a->pairs, a->fusions, before, first);
		const uint64_t *end_row = base_map_find(&p->harts, row[0], 0);
		memcpy(before, end_row, sizeof *before);
	}
	if (rc >= 0 && p->memo && u->opts->every) {
		rc = base_map_add(&a->pairs, &p->memo->pairs);
		base_map_clear(&p->memo->pairs);
	}
	memo_rest(u, p->memo);
	p->memo = NULL;
	for (unsigned k = 0; k < FUSIONS; k++)
		a->fusions[k] += p->fusions[k];
	memset(p->fusions, 0, sizeof p->fusions);
	a->instructions += p->instructions;
	a->unknown += p->unknown;
	p->instructions = p->unknown = 0;
	p->stream.len = 0;
	base_map_clear(&p->harts);
	base_map_clear(&p->firsts);
	return rc;
}

/* ---- report ---- */

static void put_windows(const struct part *p, bool none, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {{"window", CAIRN_CELL_COUNT, 0},
		{"steps", CAIRN_CELL_COUNT, 0}, {"ilp", CAIRN_CELL_REAL, 2}};
	struct result_table *t = result_table(res, "ilp", columns, 3);
	for (unsigned w = 0; w < WINDOWS && !none; w++) {
		uint64_t longest = 0;
		for (size_t i = 0; i < p->states.n; i++) {
			const struct hart_state *h = (const void *)(uintptr_t)base_map_row(&p->states, i)[2];
			longest = h->end[w] > longest ? h->end[w] : longest;
		}
		struct cairn_cell *row = result_row(res, t);
		if (windows[w])
			cell_number(&row[0], windows[w]);
		cell_number(&row[1], longest);
		cell_ratio(&row[2], (double)p->instructions, (double)longest);
	}
}

static void put_distances(const struct part *p, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {{"instructions_from", CAIRN_CELL_COUNT, 0},
		{"instructions_to", CAIRN_CELL_COUNT, 0}, {"int", CAIRN_CELL_COUNT, 0},
		{"fp", CAIRN_CELL_COUNT, 0}, {"vector", CAIRN_CELL_COUNT, 0},
		{"percent", CAIRN_CELL_REAL, 2}, {"cumulative", CAIRN_CELL_REAL, 2}};
	struct result_table *t = result_table(res, "distances", columns, 7);
	uint64_t all = 0, sum = 0;
	for (unsigned k = 0; k < BUCKETS; k++)
		all += p->distance[0][k] + p->distance[1][k] + p->distance[2][k];
	for (unsigned k = 0; k < BUCKETS; k++) {
		uint64_t n = p->distance[0][k] + p->distance[1][k] + p->distance[2][k];
		if (!n)
			continue;
		sum += n;
		struct cairn_cell *row = result_row(res, t);
		cell_number(&row[0], k ? (uint64_t)1 << (k - 1) : 0);
		cell_number(&row[1], k ? ((uint64_t)1 << k) - 1 : 0);
		for (unsigned cls = 0; cls < 3; cls++)
			cell_number(&row[2 + cls], p->distance[cls][k]);
		cell_share(&row[5], n, all);
		cell_share(&row[6], sum, all);
	}
}

struct pair {
	const char *first, *second;
	bool depends;
	uint64_t count;
};

static int by_count(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	int d = strcmp(x->first, y->first);
	d = d ? d : strcmp(x->second, y->second);
	return d ? d : (int)x->depends - (int)y->depends;
}

/* Other threads may be adding names. */
static const char *name_of(struct run *u, uint64_t number)
{
	pthread_mutex_lock(&u->lock);
	const char *name = (const char *)(uintptr_t)base_map_row(&u->names, number)[0];
	pthread_mutex_unlock(&u->lock);
	return name;
}

static int put_pairs(struct run *u, const struct part *p, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {{"first", CAIRN_CELL_TEXT, 0},
		{"second", CAIRN_CELL_TEXT, 0}, {"dependent", CAIRN_CELL_TEXT, 0},
		{"count", CAIRN_CELL_COUNT, 0}, {"percent", CAIRN_CELL_REAL, 2}};
	size_t n = p->pairs.n;
	struct pair *pairs = base_alloc(u->c, (n + 1) * sizeof *pairs);
	struct result_table *t = result_table(res, "pairs", columns, 5);
	if (!pairs)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const uint64_t *row = base_map_row(&p->pairs, i);
		pairs[i] = (struct pair){name_of(u, row[0] >> 32), name_of(u, row[0] & UINT32_MAX), row[1],
			row[2]};
	}
	if (n)
		qsort(pairs, n, sizeof *pairs, by_count);
	for (size_t i = 0; i < n; i++) {
		struct cairn_cell *row = result_row(res, t);
		cell_text(&row[0], pairs[i].first);
		cell_text(&row[1], pairs[i].second);
		cell_text(&row[2], pairs[i].depends ? "yes" : "no");
		cell_number(&row[3], pairs[i].count);
		cell_share(&row[4], pairs[i].count, p->instructions);
	}
	base_free(u->c, pairs);
	return 0;
}

static void put_fusions(const struct part *p, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {{"candidate", CAIRN_CELL_TEXT, 0},
		{"count", CAIRN_CELL_COUNT, 0}, {"percent", CAIRN_CELL_REAL, 2}};
	struct result_table *t = result_table(res, "fusion", columns, 3);
	for (unsigned k = 0; k < FUSIONS; k++) {
		if (!p->fusions[k])
			continue;
		struct cairn_cell *row = result_row(res, t);
		cell_text(&row[0], fusion_names[k]);
		cell_number(&row[1], p->fusions[k]);
		cell_share(&row[2], p->fusions[k], p->instructions);
	}
}

static int report(void *user, void *sum, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {{"executed", CAIRN_CELL_COUNT, 0},
		{"registers_unknown", CAIRN_CELL_COUNT, 0}, {"sources", CAIRN_CELL_COUNT, 0},
		{"sources_from_before", CAIRN_CELL_COUNT, 0}};
	struct run *u = user;
	struct part *p = sum;
	int rc = 0;
	for (struct memo *m = u->opts->every ? NULL : u->rest; m && rc >= 0; m = m->next) {
		rc = base_map_add(&p->pairs, &m->pairs);
		base_map_clear(&m->pairs);
	}
	if (rc < 0)
		return rc;
	uint64_t sources = p->initial;
	for (unsigned k = 0; k < BUCKETS; k++)
		sources += p->distance[0][k] + p->distance[1][k] + p->distance[2][k];
	struct cairn_cell *row = result_row(res, result_figures(res, "summary", columns, 4));
	cell_number(&row[0], p->instructions);
	cell_number(&row[1], p->unknown);
	cell_number(&row[2], sources);
	cell_number(&row[3], p->initial);
	bool none = p->instructions && p->unknown == p->instructions;
	if (none) { /* nothing would depend on anything */
		row[2].known = row[3].known = 0;
		result_note(res, "the trace does not tell registers, and neither do encodings here: there are "
		            "no distances and no parallelism to tell");
	} else if (p->unknown) {
		result_note(res, "of %.1f %% of the instructions the registers are not known: parallelism is "
		            "too high", 100 * (double)p->unknown / (double)p->instructions);
	}
	put_windows(p, none, res);
	put_distances(p, res);
	put_fusions(p, res);
	return put_pairs(u, p, res);
}

static void done(void *user)
{
	struct run *u = user;
	memos_free(u);
	pthread_mutex_destroy(&u->lock);
	base_map_free(&u->names);
	base_free(u->c, u);
}

int cairn_deps(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
               struct cairn_result **out)
{
	static const struct analysis_kind kind = {.name = "deps", .order = ANALYSIS_SEQUENTIAL,
		.parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_CONTEXT | CAIRN_REGS | CAIRN_MEMS,
		.part = sizeof(struct part), .begin = begin, .feed = feed, .join = join, .report = report,
		.end = end, .held = held};
	struct analysis_job job;
	int rc = analysis_job(r, opts, &kind, sizeof(struct run), done, &job);
	struct run *u = rc < 0 ? NULL : job.user;
	if (u) {
		u->c = r->c;
		u->opts = &job.opts;
		base_map_init(&u->names, r->c, 0);
		pthread_mutex_init(&u->lock, NULL);
	}
	return analysis_do(r, &job, rc, out);
}
