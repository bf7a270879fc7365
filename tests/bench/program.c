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
	struct bench_program *program;
	uint64_t pc;
	uint32_t block[BLOCKS + 1]; /* first site of each */
	struct {
		uint32_t site, block;
	} jump[BLOCKS]; /* to be resolved */
	uint32_t n_jumps;
	uint8_t level;
};

static uint32_t below(struct bench_program *program, uint32_t n)
{
	return bench_below(&program->random, n);
}

static uint32_t bits(uint32_t value, unsigned from, unsigned n, unsigned to)
{
	return (value >> from & ((1u << n) - 1)) << to;
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
static void aim(struct bench_program *program, uint32_t index, uint32_t target)
{
	struct bench_site *site = &program->site[index];
	int64_t offset = (int64_t)(program->site[target].pc - site->pc);
	site->next = target;
	if (site->op == BENCH_JUMP || site->op == BENCH_CALL)
		site->enc = encode_jal(site->enc, offset);
	else
		site->enc =
			site->size == 2 ? encode_cbranch(site->enc, offset) : encode_branch(site->enc, offset);
}

static struct bench_site *add(struct layout *layout, unsigned op, uint32_t enc, unsigned size)
{
	struct bench_site *site = &layout->program->site[layout->program->n++];
	memset(site, 0, sizeof *site);
	site->pc = layout->pc;
	site->enc = enc;
	site->size = (uint8_t)size;
	site->op = (uint8_t)op;
	site->level = layout->level;
	layout->pc += size;
	return site;
}

/* Registers that compressed encodings can name, and any. */
static uint32_t few(struct layout *layout)
{
	return 8 + below(layout->program, 8);
}

static uint32_t any(struct layout *layout)
{
	return 5 + below(layout->program, 27);
}

static void use(struct bench_site *site, uint32_t dst, uint32_t a, uint32_t b)
{
	site->dst = (uint8_t)dst;
	site->src[0] = (uint8_t)a;
	site->src[1] = (uint8_t)b;
}

static void add_integer(struct layout *layout)
{
	static const uint32_t rr[] = {
		0x00000033, 0x40000033, 0x00004033, 0x00006033,
		0x00007033, 0x02000033, 0x0000003b, 0x00003033}; /* add sub xor or and mul addw sltu */
	static const uint32_t ri[] = {0x00000013, 0x00007013, 0x0000001b, 0x00004013};
	uint32_t d = any(layout), a = any(layout), b = any(layout),
			 imm = 1 + below(layout->program, 31);
	uint32_t cd = few(layout), cb = few(layout);
	switch (below(layout->program, 8)) {
	case 0:
		use(add(layout, BENCH_PLAIN, 0x0001 | d << 7 | imm << 2, 2), d, d, 0); /* c.addi */
		break;
	case 1:
		use(add(layout, BENCH_PLAIN, 0x4001 | d << 7 | imm << 2, 2), d, 0, 0); /* c.li */
		break;
	case 2:
		use(add(layout, BENCH_PLAIN, 0x8002 | d << 7 | b << 2, 2), d, b, 0); /* c.mv */
		break;
	case 3:
		use(add(layout, BENCH_PLAIN, 0x9002 | d << 7 | b << 2, 2), d, d, b); /* c.add */
		break;
	case 4: /* c.sub c.xor c.or c.and */
		use(add(layout, BENCH_PLAIN,
		        0x8c01 | (cd - 8) << 7 | below(layout->program, 4) << 5 | (cb - 8) << 2, 2),
		    cd, cd, cb);
		break;
	case 5:
		use(add(layout, BENCH_PLAIN, ri[below(layout->program, 4)] | d << 7 | a << 15 | imm << 20,
		        4),
		    d, a, 0);
		break;
	default:
		use(add(layout, BENCH_PLAIN, rr[below(layout->program, 8)] | d << 7 | a << 15 | b << 20, 4),
		    d, a, b);
		break;
	}
}

static void add_float(struct layout *layout)
{
	static const uint32_t rr[] = {0x02007053, 0x0a007053, 0x12007053, 0x22000053};
	uint32_t d = any(layout), a = any(layout), b = any(layout);
	use(add(layout, BENCH_PLAIN, rr[below(layout->program, 4)] | d << 7 | a << 15 | b << 20, 4),
	    32 + d, 32 + a, 32 + b);
}

static void add_access(struct layout *layout, bool store)
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
	struct bench_site *site;
	uint32_t kind = below(layout->program, 10), d = any(layout), a = any(layout),
			 imm = below(layout->program, 32) * 8;
	unsigned op = store ? BENCH_STORE : BENCH_LOAD;
	uint32_t reg;
	if (kind < 4) { /* c.lw c.ld c.sw c.sd */
		bool wide = kind < 3;
		reg = few(layout);
		a = few(layout);
		site = add(layout, op,
		           (wide ? 0x6000u : 0x4000u) | (store ? 0x8000u : 0) | bits(imm, 3, 3, 10) |
		               (a - 8) << 7 | (reg - 8) << 2,
		           2);
		site->mem_size = wide ? 8 : 4;
	} else if (kind < 6) { /* c.ldsp c.sdsp */
		reg = d;
		a = SP;
		site = add(layout, op,
		           store ? 0xe002 | bits(imm, 3, 3, 10) | reg << 2
		                 : 0x6002 | bits(imm, 3, 2, 5) | reg << 7,
		           2);
		site->mem_size = 8;
	} else {
		uint32_t i = below(layout->program, 5);
		reg = d + (i == 4 ? 32 : 0);
		site =
			add(layout, op,
		        store ? stores[i].enc | bits(imm, 0, 5, 7) | a << 15 | d << 20 | bits(imm, 5, 7, 25)
		              : loads[i].enc | d << 7 | a << 15 | imm << 20,
		        4);
		site->mem_size = store ? stores[i].bytes : loads[i].bytes;
	}
	use(site, store ? 0 : reg, a, store ? reg : 0);
	site->walk = (uint8_t)(a == SP                     ? BENCH_STACK
	                       : below(layout->program, 3) ? BENCH_STRIDE
	                                                   : BENCH_POINTER);
	site->stride = site->mem_size * (1 + below(layout->program, 8) / 6 * 7);
	site->window = site->stride << (6 + below(layout->program, 10));
	site->base = site->walk == BENCH_STACK
	                 ? imm
	                 : UINT64_C(0x40000000) + below(layout->program, 4096) * 65536ull;
}

static void add_plain(struct layout *layout)
{
	uint32_t kind = below(layout->program, 100);
	if (kind < 33)
		add_access(layout, false);
	else if (kind < 50)
		add_access(layout, true);
	else if (kind < 56)
		add_float(layout);
	else
		add_integer(layout);
}

static struct bench_site *add_branch(struct layout *layout, unsigned op, uint32_t to)
{
	static const uint32_t conditions[] = {0x00000063, 0x00001063, 0x00004063, 0x00007063};
	uint32_t c = below(layout->program, 2), a = few(layout), b = any(layout);
	struct bench_site *site;
	layout->jump[layout->n_jumps].site = layout->program->n;
	layout->jump[layout->n_jumps++].block = to;
	if (op == BENCH_JUMP)
		return add(layout, op, 0x0000006f, 4);
	if (below(layout->program, 2)) {
		site = add(layout, op, (c ? 0xc001u : 0xe001u) | (a - 8) << 7, 2); /* c.beqz c.bnez */
		use(site, 0, a, 0);
	} else {
		site = add(layout, op, conditions[below(layout->program, 4)] | a << 15 | b << 20, 4);
		use(site, 0, a, b);
	}
	return site;
}

static void add_call(struct layout *layout, uint32_t f)
{
	bool any_function = f == 0 || below(layout->program, 4) == 0;
	uint32_t callee =
		1u + layout->level * BENCH_PER_LEVEL + below(layout->program, BENCH_PER_LEVEL);
	struct bench_site *site = any_function ? add(layout, BENCH_CALL_ANY, 0x9002 | 15 << 7, 2)
	                                       : add(layout, BENCH_CALL, 0x0000006f | RA << 7, 4);
	use(site, RA, any_function ? 15 : 0, 0);
	if (!any_function) /* it is laid out already */
		aim(layout->program, layout->program->n - 1, layout->program->entry[callee]);
}

/* How a block ends, the last one of a function apart. */
static void add_end(struct layout *layout, uint32_t f, uint32_t b, uint32_t blocks)
{
	uint32_t kind = below(layout->program, 100);
	if (f == 0 || (kind < 16 && layout->level < BENCH_LEVELS)) {
		add_call(layout, f);
	} else if (kind < 45 && b + 2 < blocks) {
		add_branch(layout, BENCH_BRANCH, b + 2)->trips =
			(uint16_t)(16 + below(layout->program, 200));
	} else if (kind < 70) {
		uint32_t back = below(layout->program, b < 2 ? b + 1 : 3);
		add_branch(layout, BENCH_LOOP, b - back)->trips =
			(uint16_t)(2 + below(layout->program, 30));
	} else if (kind < 75 && b + 2 < blocks) {
		add_branch(layout, BENCH_JUMP, b + 2);
	}
}

static void resolve(struct layout *layout)
{
	struct bench_program *program = layout->program;
	for (uint32_t i = 0; i < layout->n_jumps; i++) {
		uint32_t at = layout->jump[i].site, target = layout->block[layout->jump[i].block];
		struct bench_site *site = &program->site[at];
		aim(program, at, target);
		/* What loops over a call or another loop multiplies. */
		for (uint32_t j = target; j < at && site->op == BENCH_LOOP; j++)
			if (program->site[j].op == BENCH_CALL || program->site[j].op == BENCH_CALL_ANY ||
			    program->site[j].op == BENCH_LOOP)
				site->trips = 2;
	}
}

static void add_function(struct bench_program *program, uint32_t f, uint64_t *pc)
{
	struct layout layout = {.program = program,
	                        .pc = *pc,
	                        .level = (uint8_t)(f ? 1 + (f - 1) / BENCH_PER_LEVEL : 0)};
	uint32_t blocks = BLOCKS_MIN + below(program, BLOCKS_MORE);
	program->entry[f] = program->n;
	for (uint32_t b = 0; b < blocks; b++) {
		layout.block[b] = program->n;
		for (uint32_t n = PLAIN_MIN + below(program, PLAIN_MORE); n; n--)
			add_plain(&layout);
		if (b + 1 < blocks)
			add_end(&layout, f, b, blocks);
	}
	if (f)
		use(add(&layout, BENCH_RETURN, 0x8002 | RA << 7, 2), 0, RA, 0);
	else
		add_branch(&layout, BENCH_JUMP, 0);
	resolve(&layout);
	*pc = (layout.pc + 15) & ~UINT64_C(15);
}

void bench_program_make(struct bench_program *program, uint64_t seed)
{
	uint64_t pc = 0x80000000;
	memset(program, 0, sizeof *program);
	program->random = seed;
	struct layout handler = {.program = program, .pc = pc};
	for (unsigned i = 0; i < HANDLER_LENGTH; i++)
		add_plain(&handler);
	add(&handler, BENCH_TRAP_RETURN, 0x30200073, 4);
	pc = 0x80001000;
	for (uint32_t f = BENCH_FUNCTIONS; f--;) /* callees first: their place is known */
		add_function(program, f, &pc);
}
