/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the synthetic program.
 *
 * Functions stand in levels; a function calls only the next level, so that calls
 * nest a few deep and always return. Each is a row of basic blocks that end by
 * falling through, skipping a block, looping back over one to three, or calling.
 * Function 0 calls the others through a register, for ever. About half of the
 * encodings are compressed. All of them are valid, and those of direct branches
 * say where the branch goes, so that a trace of it holds together like a real one.
 *
 * Distances decide which branch encodings fit, and sizes decide distances; a
 * compressed branch is therefore only chosen where the farthest case fits.
 */
#include <string.h>

#include "program.h"

enum {
	BLOCKS_MIN = 5,
	BLOCKS_MORE = 8,
	PLAIN_MIN = 2,
	PLAIN_MORE = 7,
	BLOCKS = BLOCKS_MIN + BLOCKS_MORE,
	RA = 1,
	SP = 2,
	HANDLER_LENGTH = 14
};

/* A function while it is being laid out. */
struct layout {
	struct bench_program *g;
	uint64_t pc;
	uint32_t block[BLOCKS + 1]; /* first site of each */
	struct {
		uint32_t site, block;
	} jump[BLOCKS]; /* to be resolved */
	uint32_t n_jumps;
	uint8_t level;
};

static uint32_t below(struct bench_program *g, uint32_t n)
{
	return bench_below(&g->random, n);
}

static uint32_t bits(uint32_t v, unsigned from, unsigned n, unsigned to)
{
	return (v >> from & ((1u << n) - 1)) << to;
}

static uint32_t encode_branch(uint32_t enc, int64_t offset)
{
	uint32_t v = (uint32_t)offset;
	return enc | bits(v, 12, 1, 31) | bits(v, 5, 6, 25) | bits(v, 1, 4, 8) | bits(v, 11, 1, 7);
}

static uint32_t encode_cbranch(uint32_t enc, int64_t offset)
{
	uint32_t v = (uint32_t)offset;
	return enc | bits(v, 8, 1, 12) | bits(v, 3, 2, 10) | bits(v, 6, 2, 5) | bits(v, 1, 2, 3) |
	       bits(v, 5, 1, 2);
}

static uint32_t encode_jal(uint32_t enc, int64_t offset)
{
	uint32_t v = (uint32_t)offset;
	return enc | bits(v, 20, 1, 31) | bits(v, 1, 10, 21) | bits(v, 11, 1, 20) | bits(v, 12, 8, 12);
}

/* Complete the encoding of a direct branch whose target is now known. */
static void aim(struct bench_program *g, uint32_t i, uint32_t target)
{
	struct bench_site *s = &g->site[i];
	int64_t offset = (int64_t)(g->site[target].pc - s->pc);
	s->next = target;
	if (s->op == BENCH_JUMP || s->op == BENCH_CALL)
		s->enc = encode_jal(s->enc, offset);
	else
		s->enc = s->size == 2 ? encode_cbranch(s->enc, offset) : encode_branch(s->enc, offset);
}

static struct bench_site *add(struct layout *l, unsigned op, uint32_t enc, unsigned size)
{
	struct bench_site *s = &l->g->site[l->g->n++];
	memset(s, 0, sizeof *s);
	s->pc = l->pc;
	s->enc = enc;
	s->size = (uint8_t)size;
	s->op = (uint8_t)op;
	s->level = l->level;
	l->pc += size;
	return s;
}

/* Registers that compressed encodings can name, and any. */
static uint32_t few(struct layout *l)
{
	return 8 + below(l->g, 8);
}

static uint32_t any(struct layout *l)
{
	return 5 + below(l->g, 27);
}

static void use(struct bench_site *s, uint32_t dst, uint32_t a, uint32_t b)
{
	s->dst = (uint8_t)dst;
	s->src[0] = (uint8_t)a;
	s->src[1] = (uint8_t)b;
}

static void add_integer(struct layout *l)
{
	static const uint32_t rr[] = {
		0x00000033, 0x40000033, 0x00004033, 0x00006033,
		0x00007033, 0x02000033, 0x0000003b, 0x00003033}; /* add sub xor or and mul addw sltu */
	static const uint32_t ri[] = {0x00000013, 0x00007013, 0x0000001b, 0x00004013};
	uint32_t d = any(l), a = any(l), b = any(l), imm = 1 + below(l->g, 31);
	uint32_t cd = few(l), cb = few(l);
	switch (below(l->g, 8)) {
	case 0:
		use(add(l, BENCH_PLAIN, 0x0001 | d << 7 | imm << 2, 2), d, d, 0); /* c.addi */
		break;
	case 1:
		use(add(l, BENCH_PLAIN, 0x4001 | d << 7 | imm << 2, 2), d, 0, 0); /* c.li */
		break;
	case 2:
		use(add(l, BENCH_PLAIN, 0x8002 | d << 7 | b << 2, 2), d, b, 0); /* c.mv */
		break;
	case 3:
		use(add(l, BENCH_PLAIN, 0x9002 | d << 7 | b << 2, 2), d, d, b); /* c.add */
		break;
	case 4: /* c.sub c.xor c.or c.and */
		use(add(l, BENCH_PLAIN, 0x8c01 | (cd - 8) << 7 | below(l->g, 4) << 5 | (cb - 8) << 2, 2),
		    cd, cd, cb);
		break;
	case 5:
		use(add(l, BENCH_PLAIN, ri[below(l->g, 4)] | d << 7 | a << 15 | imm << 20, 4), d, a, 0);
		break;
	default:
		use(add(l, BENCH_PLAIN, rr[below(l->g, 8)] | d << 7 | a << 15 | b << 20, 4), d, a, b);
		break;
	}
}

static void add_float(struct layout *l)
{
	static const uint32_t rr[] = {0x02007053, 0x0a007053, 0x12007053, 0x22000053};
	uint32_t d = any(l), a = any(l), b = any(l);
	use(add(l, BENCH_PLAIN, rr[below(l->g, 4)] | d << 7 | a << 15 | b << 20, 4), 32 + d, 32 + a,
	    32 + b);
}

static void add_access(struct layout *l, bool store)
{
	/* 32 bits: opcode and width; 16 bits: opcode. Bytes of the access. */
	static const struct {
		uint32_t enc;
		uint8_t bytes;
	} loads[] = {{0x00003003, 8},
	             {0x00002003, 4},
	             {0x00004003, 1},
	             {0x00005003, 2},
	             {0x00003007, 8}},
	  stores[] = {{0x00003023, 8},
	              {0x00002023, 4},
	              {0x00000023, 1},
	              {0x00001023, 2},
	              {0x00003027, 8}};
	struct bench_site *s;
	uint32_t kind = below(l->g, 10), d = any(l), a = any(l), imm = below(l->g, 32) * 8;
	unsigned op = store ? BENCH_STORE : BENCH_LOAD;
	uint32_t reg;
	if (kind < 4) { /* c.lw c.ld c.sw c.sd */
		bool wide = kind < 3;
		reg = few(l);
		a = few(l);
		s = add(l, op,
		        (wide ? 0x6000u : 0x4000u) | (store ? 0x8000u : 0) | bits(imm, 3, 3, 10) |
		            (a - 8) << 7 | (reg - 8) << 2,
		        2);
		s->mem_size = wide ? 8 : 4;
	} else if (kind < 6) { /* c.ldsp c.sdsp */
		reg = d;
		a = SP;
		s = add(l, op,
		        store ? 0xe002 | bits(imm, 3, 3, 10) | reg << 2
		              : 0x6002 | bits(imm, 3, 2, 5) | reg << 7,
		        2);
		s->mem_size = 8;
	} else {
		uint32_t i = below(l->g, 5);
		reg = d + (i == 4 ? 32 : 0);
		s = add(l, op,
		        store ? stores[i].enc | bits(imm, 0, 5, 7) | a << 15 | d << 20 | bits(imm, 5, 7, 25)
		              : loads[i].enc | d << 7 | a << 15 | imm << 20,
		        4);
		s->mem_size = store ? stores[i].bytes : loads[i].bytes;
	}
	use(s, store ? 0 : reg, a, store ? reg : 0);
	s->walk = (uint8_t)(a == SP ? BENCH_STACK : below(l->g, 3) ? BENCH_STRIDE : BENCH_POINTER);
	s->stride = s->mem_size * (1 + below(l->g, 8) / 6 * 7);
	s->window = s->stride << (6 + below(l->g, 10));
	s->base = s->walk == BENCH_STACK ? imm : UINT64_C(0x40000000) + below(l->g, 4096) * 65536ull;
}

static void add_plain(struct layout *l)
{
	uint32_t kind = below(l->g, 100);
	if (kind < 33)
		add_access(l, false);
	else if (kind < 50)
		add_access(l, true);
	else if (kind < 56)
		add_float(l);
	else
		add_integer(l);
}

static struct bench_site *add_branch(struct layout *l, unsigned op, uint32_t to)
{
	static const uint32_t conditions[] = {0x00000063, 0x00001063, 0x00004063, 0x00007063};
	uint32_t c = below(l->g, 2), a = few(l), b = any(l);
	struct bench_site *s;
	l->jump[l->n_jumps].site = l->g->n;
	l->jump[l->n_jumps++].block = to;
	if (op == BENCH_JUMP)
		return add(l, op, 0x0000006f, 4);
	if (below(l->g, 2)) {
		s = add(l, op, (c ? 0xc001u : 0xe001u) | (a - 8) << 7, 2); /* c.beqz c.bnez */
		use(s, 0, a, 0);
	} else {
		s = add(l, op, conditions[below(l->g, 4)] | a << 15 | b << 20, 4);
		use(s, 0, a, b);
	}
	return s;
}

static void add_call(struct layout *l, uint32_t f)
{
	bool any_function = f == 0 || below(l->g, 4) == 0;
	uint32_t callee = 1u + l->level * BENCH_PER_LEVEL + below(l->g, BENCH_PER_LEVEL);
	struct bench_site *s = any_function ? add(l, BENCH_CALL_ANY, 0x9002 | 15 << 7, 2)
	                                    : add(l, BENCH_CALL, 0x0000006f | RA << 7, 4);
	use(s, RA, any_function ? 15 : 0, 0);
	if (!any_function) /* it is laid out already */
		aim(l->g, l->g->n - 1, l->g->entry[callee]);
}

/* How a block ends, the last one of a function apart. */
static void add_end(struct layout *l, uint32_t f, uint32_t b, uint32_t blocks)
{
	uint32_t kind = below(l->g, 100);
	if (f == 0 || (kind < 16 && l->level < BENCH_LEVELS)) {
		add_call(l, f);
	} else if (kind < 45 && b + 2 < blocks) {
		add_branch(l, BENCH_BRANCH, b + 2)->trips = (uint16_t)(16 + below(l->g, 200));
	} else if (kind < 70) {
		uint32_t back = below(l->g, b < 2 ? b + 1 : 3);
		add_branch(l, BENCH_LOOP, b - back)->trips = (uint16_t)(2 + below(l->g, 30));
	} else if (kind < 75 && b + 2 < blocks) {
		add_branch(l, BENCH_JUMP, b + 2);
	}
}

static void resolve(struct layout *l)
{
	struct bench_program *g = l->g;
	for (uint32_t i = 0; i < l->n_jumps; i++) {
		uint32_t at = l->jump[i].site, target = l->block[l->jump[i].block];
		struct bench_site *s = &g->site[at];
		aim(g, at, target);
		/* What loops over a call or another loop multiplies. */
		for (uint32_t j = target; j < at && s->op == BENCH_LOOP; j++)
			if (g->site[j].op == BENCH_CALL || g->site[j].op == BENCH_CALL_ANY ||
			    g->site[j].op == BENCH_LOOP)
				s->trips = 2;
	}
}

static void add_function(struct bench_program *g, uint32_t f, uint64_t *pc)
{
	struct layout l = {.g = g,
	                   .pc = *pc,
	                   .level = (uint8_t)(f ? 1 + (f - 1) / BENCH_PER_LEVEL : 0)};
	uint32_t blocks = BLOCKS_MIN + below(g, BLOCKS_MORE);
	g->entry[f] = g->n;
	for (uint32_t b = 0; b < blocks; b++) {
		l.block[b] = g->n;
		for (uint32_t n = PLAIN_MIN + below(g, PLAIN_MORE); n; n--)
			add_plain(&l);
		if (b + 1 < blocks)
			add_end(&l, f, b, blocks);
	}
	if (f)
		use(add(&l, BENCH_RETURN, 0x8002 | RA << 7, 2), 0, RA, 0);
	else
		add_branch(&l, BENCH_JUMP, 0);
	resolve(&l);
	*pc = (l.pc + 15) & ~UINT64_C(15);
}

void bench_program_make(struct bench_program *g, uint64_t seed)
{
	uint64_t pc = 0x80000000;
	memset(g, 0, sizeof *g);
	g->random = seed;
	struct layout handler = {.g = g, .pc = pc};
	for (unsigned i = 0; i < HANDLER_LENGTH; i++)
		add_plain(&handler);
	add(&handler, BENCH_TRAP_RETURN, 0x30200073, 4);
	pc = 0x80001000;
	for (uint32_t f = BENCH_FUNCTIONS; f--;) /* callees first: their place is known */
		add_function(g, f, &pc);
}
