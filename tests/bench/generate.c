/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of the synthetic program, and random ones.
 *
 * The program-like kinds walk the program (program.c) with an interpreter of its
 * control flow alone: loops count down, branches are taken by chance, calls push
 * where they return to. Addresses stride, follow the stack, or jump about a heap;
 * registers hold values that depend on earlier ones. So the next PC is always the
 * target or the following instruction, and compression finds what it finds in
 * real traces. Nothing is computed that the program would compute.
 *
 * The full kind also takes a timer interrupt now and then: the interrupted
 * instruction is recorded, aborted, and recorded again after the handler.
 *
 * The random kind is a worst case for a reader: no order in the records, no
 * pattern in the encodings, nothing to predict.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cairn/stf.h"
#include "generate.h"
#include "pack.h"
#include "program.h"

enum {
	ROOM = BENCH_CHUNK * 320, /* more than any chunk takes */
	DUMP_EVERY = 100000,
	TRAP_EVERY = 20000,
	MODE_USER = 0,
	MODE_MACHINE = 3
};
#define EVENT_TIMER (UINT64_C(1) << 63 | 7)
#define EVENT_MODE (UINT64_C(1) << 62)

struct generator {
	uint8_t *p; /* where the next record goes */
	uint8_t *room;
	struct bench_made *made;
	uint64_t random;
	bool full;
	uint64_t reg[64];
	uint64_t pc; /* of the next instruction */
	uint32_t stack[BENCH_LEVELS + 2];
	uint32_t depth;
	uint32_t site;   /* the next instruction */
	uint32_t resume; /* what the handler returns to */
	uint32_t pid;
	struct bench_program program;
};

/* ---- records ---- */

static inline uint8_t *record(struct generator *generator, uint8_t type, size_t len)
{
	uint8_t *p = generator->p;
	*p = type;
	generator->p += len;
	generator->made->by_record[type]++;
	return p + 1;
}

static inline void put_word(struct generator *generator, uint8_t type, uint64_t value)
{
	base_put_le64(record(generator, type, 9), value);
}

static inline void put_reg(struct generator *generator, uint32_t reg, unsigned role, uint64_t value)
{
	uint8_t *p = record(generator, CAIRN_STF_INST_REG, 12);
	base_put_le16(p, reg & 31);
	p[2] = (uint8_t)(role << 4 | (reg < 32 ? CAIRN_REG_INT : CAIRN_REG_FP));
	base_put_le64(p + 3, value);
}

static inline void put_access(struct generator *generator, unsigned kind, uint64_t addr,
                              unsigned size, uint64_t value)
{
	uint8_t *p = record(generator, CAIRN_STF_INST_MEM_ACCESS, 14);
	base_put_le64(p, addr);
	base_put_le16(p + 8, (uint16_t)size);
	base_put_le16(p + 10, 0);
	p[12] = (uint8_t)kind;
	put_word(generator, CAIRN_STF_INST_MEM_CONTENT, value);
}

static inline void put_insn(struct generator *generator, uint32_t enc, unsigned size)
{
	if (size == 2)
		base_put_le16(record(generator, CAIRN_STF_INST_16, 3), (uint16_t)enc);
	else
		base_put_le32(record(generator, CAIRN_STF_INST_32, 5), enc);
	generator->made->insns++;
}

static void put_event(struct generator *generator, uint64_t id, uint64_t arg)
{
	uint8_t *p = record(generator, CAIRN_STF_EVENT, 18);
	base_put_le64(p, id);
	p[8] = 1;
	base_put_le64(p + 9, arg);
}

static void put_ids(struct generator *generator, uint32_t hart, uint32_t pid, uint32_t tid)
{
	uint8_t *p = record(generator, CAIRN_STF_PROCESS_ID_EXT, 13);
	base_put_le32(p, hart);
	base_put_le32(p + 4, pid);
	base_put_le32(p + 8, tid);
}

static void put_text(struct generator *generator, uint8_t type, const char *text)
{
	size_t n = strlen(text);
	uint8_t *p = record(generator, type, 5 + n);
	base_put_le32(p, (uint32_t)n);
	memcpy(p + 4, text, n);
}

static void put_header(struct generator *generator, enum bench_kind kind)
{
	static const char *const what[] = {"program-like, lean", "program-like, full", "random"};
	uint8_t *p;
	memcpy(record(generator, CAIRN_STF_IDENTIFIER, 4), "STF", 3);
	p = record(generator, CAIRN_STF_VERSION, 9);
	base_put_le32(p, 1);
	base_put_le32(p + 4, 6);
	put_text(generator, CAIRN_STF_COMMENT, what[kind]);
	base_put_le16(record(generator, CAIRN_STF_ISA, 3), 1);
	base_put_le16(record(generator, CAIRN_STF_INST_IEM, 3), 2);
	p = record(generator, CAIRN_STF_TRACE_INFO, 7);
	memcpy(p, "\x7f\x00\x01\x00\x00\x00", 6);
	put_word(generator, CAIRN_STF_TRACE_INFO_FEATURE,
	         CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64 | CAIRN_STF_F_VEC);
	put_word(generator, CAIRN_STF_FORCE_PC, generator->pc);
	base_put_le32(record(generator, CAIRN_STF_VLEN_CONFIG, 5), 128);
	put_text(generator, CAIRN_STF_ISA_EXTENDED, "rv64imafdcv");
	record(generator, CAIRN_STF_END_HEADER, 1);
}

/* ---- the program ---- */

static inline uint64_t access_address(struct generator *generator, struct bench_site *site)
{
	uint64_t addr;
	switch (site->walk) {
	case BENCH_STACK:
		return UINT64_C(0x3ffffff000) - 256 * (uint64_t)generator->depth + site->base;
	case BENCH_STRIDE:
		addr = site->base + site->at;
		site->at = site->at + site->stride < site->window ? site->at + site->stride : 0;
		return addr;
	default: /* nodes of 48 bytes, in an order that looks allocated */
		site->at = site->at * 1664525 + 1013904223;
		return UINT64_C(0x2000000000) + (site->at >> 18) * 48 + (site->enc >> 7 & 5) * 8;
	}
}

/* What lies at an address: small numbers, pointers, zeros. */
static inline uint64_t content(struct generator *generator, const struct bench_site *site,
                               uint64_t addr)
{
	uint64_t v;
	switch (site->walk) {
	case BENCH_STACK:
		v = generator->reg[site->enc & 31];
		break;
	case BENCH_STRIDE:
		v = (addr >> 3 & 255) * (site->enc >> 20 & 3);
		break;
	default:
		v = UINT64_C(0x2000000000) + ((addr * 2654435761u) >> 12 & 0x3fff) * 48;
		break;
	}
	return site->mem_size == 8 ? v : v & ((UINT64_C(1) << 8 * site->mem_size) - 1);
}

static void put_operands(struct generator *generator, struct bench_site *site, uint64_t addr,
                         uint64_t value)
{
	uint64_t a = generator->reg[site->src[0]], result = a;
	if (site->op == BENCH_LOAD || site->op == BENCH_STORE)
		a = generator->reg[site->src[0]] = addr & ~UINT64_C(0xff);
	if (site->src[0])
		put_reg(generator, site->src[0], CAIRN_ROLE_SRC, a);
	if (site->src[1])
		put_reg(generator, site->src[1], CAIRN_ROLE_SRC,
		        site->op == BENCH_STORE ? value : generator->reg[site->src[1]]);
	if (!site->dst)
		return;
	if (site->op == BENCH_LOAD)
		result = value;
	else if (site->op == BENCH_PLAIN)
		result = site->src[1] ? (a + generator->reg[site->src[1]]) & 0xffffffffff
		                      : a + (site->enc >> 20 & 31);
	else
		result = site->pc + site->size;
	generator->reg[site->dst] = result;
	put_reg(generator, site->dst, CAIRN_ROLE_DST, result);
}

/* Where it goes; *taken says whether that is a jump. */
static inline uint32_t follow(struct generator *generator, struct bench_site *site, bool *taken)
{
	uint32_t i = generator->site;
	*taken = true;
	switch (site->op) {
	case BENCH_BRANCH:
		*taken = (bench_random(&generator->random) >> 56) < site->trips;
		return *taken ? site->next : i + 1;
	case BENCH_LOOP:
		if (site->left == 0)
			site->left = 1 + bench_below(&generator->random, site->trips);
		*taken = --site->left != 0;
		return *taken ? site->next : i + 1;
	case BENCH_JUMP:
		return site->next;
	case BENCH_CALL:
		generator->stack[generator->depth++] = i + 1;
		return site->next;
	case BENCH_CALL_ANY:
		generator->stack[generator->depth++] = i + 1;
		return generator->program.entry[1u + site->level * BENCH_PER_LEVEL +
		                                bench_below(&generator->random, BENCH_PER_LEVEL)];
	case BENCH_RETURN:
		return generator->stack[--generator->depth];
	case BENCH_TRAP_RETURN:
		return generator->resume;
	default:
		*taken = false;
		return i + 1;
	}
}

static inline void step(struct generator *generator)
{
	struct bench_site *site = &generator->program.site[generator->site];
	uint64_t addr = 0, value = 0;
	bool taken, memory = site->op == BENCH_LOAD || site->op == BENCH_STORE;
	uint32_t next = follow(generator, site, &taken);
	if (taken) {
		put_word(generator, CAIRN_STF_INST_PC_TARGET, generator->program.site[next].pc);
		generator->made->taken += site->op != BENCH_TRAP_RETURN;
	}
	if (memory) {
		addr = access_address(generator, site);
		value = content(generator, site, addr);
	}
	if (generator->full)
		put_operands(generator, site, addr, value);
	if (memory) {
		bool load = site->op == BENCH_LOAD;
		put_access(generator, load ? CAIRN_MEM_READ : CAIRN_MEM_WRITE, addr, site->mem_size, value);
		generator->made->loads += load;
		generator->made->stores += !load;
	}
	if (site->op == BENCH_TRAP_RETURN)
		put_event(generator, EVENT_MODE, MODE_USER);
	put_insn(generator, site->enc, site->size);
	generator->site = next;
}

/* The next instruction is interrupted; the handler runs and returns to it. */
static void trap(struct generator *generator)
{
	const struct bench_site *site = &generator->program.site[generator->site];
	put_event(generator, EVENT_TIMER, 0);
	put_word(generator, CAIRN_STF_EVENT_PC_TARGET,
	         generator->program.site[generator->program.handler].pc);
	put_event(generator, EVENT_MODE, MODE_MACHINE);
	if (bench_below(&generator->random, 8) == 0) {
		generator->pid = (generator->pid + 1) % 3;
		put_ids(generator, 0, 100 + generator->pid, 100 + generator->pid);
	}
	put_insn(generator, site->enc, site->size);
	generator->resume = generator->site;
	generator->site = generator->program.handler;
}

static void dump_state(struct generator *generator)
{
	for (uint32_t i = 1; i < 64; i++)
		put_reg(generator, i, CAIRN_ROLE_STATE, generator->reg[i]);
}

static void run_program(struct generator *generator, uint64_t upto)
{
	while (generator->made->insns < upto) {
		uint64_t n = generator->made->insns;
		if (generator->full && n % DUMP_EVERY == 0)
			dump_state(generator);
		bool handling = generator->site < generator->program.entry[BENCH_FUNCTIONS - 1];
		if (generator->full && n % TRAP_EVERY == TRAP_EVERY / 2 && !handling)
			trap(generator);
		else
			step(generator);
	}
	generator->pc = generator->program.site[generator->site].pc;
}

/* ---- random ---- */

static void put_walk(struct generator *generator, uint64_t value)
{
	unsigned n = 1 + (value & 3);
	uint8_t *p = record(generator, CAIRN_STF_PAGE_TABLE_WALK, 22 + 16 * (size_t)n);
	base_put_le64(p, value);
	base_put_le64(p + 8, generator->made->insns);
	base_put_le32(p + 16, 4096);
	p[20] = (uint8_t)n;
	for (unsigned i = 0; i < 2 * n; i++)
		base_put_le64(p + 21 + 8 * (size_t)i, bench_random(&generator->random));
}

static void put_rare(struct generator *generator, uint64_t value)
{
	uint8_t *p;
	switch (value & 7) {
	case 0:
		put_event(generator, value >> 8 & 15, value);
		break;
	case 1:
		put_word(generator, CAIRN_STF_FORCE_PC, value);
		generator->pc = value;
		break;
	case 2:
		put_ids(generator, value >> 8 & 3, (uint32_t)(value >> 16 & 15),
		        (uint32_t)(value >> 24 & 15));
		break;
	case 3:
		put_walk(generator, value);
		break;
	case 4:
		p = record(generator, CAIRN_STF_INST_MICROOP, 6);
		p[0] = 4;
		base_put_le32(p + 1, (uint32_t)(value >> 8));
		break;
	case 5:
		base_put_le16(record(generator, CAIRN_STF_INST_READY_REG, 3), value >> 8 & 31);
		break;
	case 6: /* a vector register */
		p = record(generator, CAIRN_STF_INST_REG, 20);
		base_put_le16(p, value >> 8 & 31);
		p[2] = CAIRN_ROLE_DST << 4 | CAIRN_REG_VECTOR;
		base_put_le64(p + 3, value);
		base_put_le64(p + 11, ~value);
		break;
	default:
		put_text(generator, CAIRN_STF_COMMENT, "random");
		break;
	}
}

static void run_random(struct generator *generator, uint64_t upto)
{
	while (generator->made->insns < upto) {
		uint64_t x = bench_random(&generator->random), target = 0;
		bool taken = false;
		for (unsigned n = x & 3; n; n--) {
			uint64_t y = bench_random(&generator->random);
			if ((y & 63) == 0) {
				put_rare(generator, y >> 6);
			} else if ((y & 3) == 0) {
				put_access(generator, 1 + (y >> 2 & 1), y, 1u << (y >> 3 & 3), y >> 8);
			} else if ((y & 3) == 1 && !taken) {
				put_word(generator, CAIRN_STF_INST_PC_TARGET, target = y >> 2);
				taken = true;
			} else {
				put_reg(generator, y >> 8 & 63, 1 + (unsigned)(y >> 16 & 3) % 3, y);
			}
		}
		unsigned size = x & 4 ? 2 : 4;
		put_insn(generator, (uint32_t)(x >> 8), size);
		generator->pc = taken ? target : generator->pc + size;
	}
}

/* ---- a trace ---- */

static void add_up(struct bench_made *made)
{
	made->records = 0;
	for (unsigned i = 0; i < 256; i++)
		made->records += made->by_record[i];
}

int bench_generate(enum bench_kind kind, uint64_t insns, const char *stf, const char *zstf,
                   struct bench_made *made)
{
	struct generator *generator = calloc(1, sizeof *generator);
	struct bench_pack *pack = NULL;
	int rc = -1;

	memset(made, 0, sizeof *made);
	if (!generator || !(generator->room = malloc(ROOM)))
		goto out;
	pack = bench_pack_open(stf, zstf);
	if (!pack)
		goto out;
	generator->made = made;
	generator->random = 42;
	generator->full = kind == BENCH_FULL;
	bench_program_make(&generator->program, 1);
	generator->site = generator->program.entry[0];
	generator->pc = generator->program.site[generator->site].pc;
	generator->p = generator->room;
	put_header(generator, kind);
	for (rc = 0; rc == 0 && made->insns < insns; generator->p = generator->room) {
		uint64_t upto = insns - made->insns < BENCH_CHUNK ? insns : made->insns + BENCH_CHUNK;
		uint64_t pc = generator->pc;
		if (kind == BENCH_RANDOM)
			run_random(generator, upto);
		else
			run_program(generator, upto);
		made->bytes += (uint64_t)(generator->p - generator->room);
		rc = bench_pack_chunk(pack, generator->room, (size_t)(generator->p - generator->room), pc);
	}
	add_up(made);
out:
	if (pack && bench_pack_close(pack) < 0)
		rc = -1;
	if (generator)
		free(generator->room);
	free(generator);
	return rc;
}
