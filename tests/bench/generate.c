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
	struct bench_program g;
};

/* ---- records ---- */

static inline uint8_t *record(struct generator *w, uint8_t type, size_t len)
{
	uint8_t *p = w->p;
	*p = type;
	w->p += len;
	w->made->by_record[type]++;
	return p + 1;
}

static inline void put_word(struct generator *w, uint8_t type, uint64_t value)
{
	base_put_le64(record(w, type, 9), value);
}

static inline void put_reg(struct generator *w, uint32_t reg, unsigned role, uint64_t value)
{
	uint8_t *p = record(w, CAIRN_STF_INST_REG, 12);
	base_put_le16(p, reg & 31);
	p[2] = (uint8_t)(role << 4 | (reg < 32 ? CAIRN_REG_INT : CAIRN_REG_FP));
	base_put_le64(p + 3, value);
}

static inline void put_access(struct generator *w, unsigned kind, uint64_t addr, unsigned size,
                              uint64_t value)
{
	uint8_t *p = record(w, CAIRN_STF_INST_MEM_ACCESS, 14);
	base_put_le64(p, addr);
	base_put_le16(p + 8, (uint16_t)size);
	base_put_le16(p + 10, 0);
	p[12] = (uint8_t)kind;
	put_word(w, CAIRN_STF_INST_MEM_CONTENT, value);
}

static inline void put_insn(struct generator *w, uint32_t enc, unsigned size)
{
	if (size == 2)
		base_put_le16(record(w, CAIRN_STF_INST_16, 3), (uint16_t)enc);
	else
		base_put_le32(record(w, CAIRN_STF_INST_32, 5), enc);
	w->made->insns++;
}

static void put_event(struct generator *w, uint64_t id, uint64_t arg)
{
	uint8_t *p = record(w, CAIRN_STF_EVENT, 18);
	base_put_le64(p, id);
	p[8] = 1;
	base_put_le64(p + 9, arg);
}

static void put_ids(struct generator *w, uint32_t hart, uint32_t pid, uint32_t tid)
{
	uint8_t *p = record(w, CAIRN_STF_PROCESS_ID_EXT, 13);
	base_put_le32(p, hart);
	base_put_le32(p + 4, pid);
	base_put_le32(p + 8, tid);
}

static void put_text(struct generator *w, uint8_t type, const char *text)
{
	size_t n = strlen(text);
	uint8_t *p = record(w, type, 5 + n);
	base_put_le32(p, (uint32_t)n);
	memcpy(p + 4, text, n);
}

static void put_header(struct generator *w, enum bench_kind kind)
{
	static const char *const what[] = {"program-like, lean", "program-like, full", "random"};
	uint8_t *p;
	memcpy(record(w, CAIRN_STF_IDENTIFIER, 4), "STF", 3);
	p = record(w, CAIRN_STF_VERSION, 9);
	base_put_le32(p, 1);
	base_put_le32(p + 4, 6);
	put_text(w, CAIRN_STF_COMMENT, what[kind]);
	base_put_le16(record(w, CAIRN_STF_ISA, 3), 1);
	base_put_le16(record(w, CAIRN_STF_INST_IEM, 3), 2);
	p = record(w, CAIRN_STF_TRACE_INFO, 7);
	memcpy(p, "\x7f\x00\x01\x00\x00\x00", 6);
	put_word(w, CAIRN_STF_TRACE_INFO_FEATURE,
	         CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64 | CAIRN_STF_F_VEC);
	put_word(w, CAIRN_STF_FORCE_PC, w->pc);
	base_put_le32(record(w, CAIRN_STF_VLEN_CONFIG, 5), 128);
	put_text(w, CAIRN_STF_ISA_EXTENDED, "rv64imafdcv");
	record(w, CAIRN_STF_END_HEADER, 1);
}

/* ---- the program ---- */

static inline uint64_t access_address(struct generator *w, struct bench_site *s)
{
	uint64_t addr;
	switch (s->walk) {
	case BENCH_STACK:
		return UINT64_C(0x3ffffff000) - 256 * (uint64_t)w->depth + s->base;
	case BENCH_STRIDE:
		addr = s->base + s->at;
		s->at = s->at + s->stride < s->window ? s->at + s->stride : 0;
		return addr;
	default: /* nodes of 48 bytes, in an order that looks allocated */
		s->at = s->at * 1664525 + 1013904223;
		return UINT64_C(0x2000000000) + (s->at >> 18) * 48 + (s->enc >> 7 & 5) * 8;
	}
}

/* What lies at an address: small numbers, pointers, zeros. */
static inline uint64_t content(struct generator *w, const struct bench_site *s, uint64_t addr)
{
	uint64_t v;
	switch (s->walk) {
	case BENCH_STACK:
		v = w->reg[s->enc & 31];
		break;
	case BENCH_STRIDE:
		v = (addr >> 3 & 255) * (s->enc >> 20 & 3);
		break;
	default:
		v = UINT64_C(0x2000000000) + ((addr * 2654435761u) >> 12 & 0x3fff) * 48;
		break;
	}
	return s->mem_size == 8 ? v : v & ((UINT64_C(1) << 8 * s->mem_size) - 1);
}

static void put_operands(struct generator *w, struct bench_site *s, uint64_t addr, uint64_t value)
{
	uint64_t a = w->reg[s->src[0]], result = a;
	if (s->op == BENCH_LOAD || s->op == BENCH_STORE)
		a = w->reg[s->src[0]] = addr & ~UINT64_C(0xff);
	if (s->src[0])
		put_reg(w, s->src[0], CAIRN_ROLE_SRC, a);
	if (s->src[1])
		put_reg(w, s->src[1], CAIRN_ROLE_SRC, s->op == BENCH_STORE ? value : w->reg[s->src[1]]);
	if (!s->dst)
		return;
	if (s->op == BENCH_LOAD)
		result = value;
	else if (s->op == BENCH_PLAIN)
		result = s->src[1] ? (a + w->reg[s->src[1]]) & 0xffffffffff : a + (s->enc >> 20 & 31);
	else
		result = s->pc + s->size;
	w->reg[s->dst] = result;
	put_reg(w, s->dst, CAIRN_ROLE_DST, result);
}

/* Where it goes; *taken says whether that is a jump. */
static inline uint32_t follow(struct generator *w, struct bench_site *s, bool *taken)
{
	uint32_t i = w->site;
	*taken = true;
	switch (s->op) {
	case BENCH_BRANCH:
		*taken = (bench_random(&w->random) >> 56) < s->trips;
		return *taken ? s->next : i + 1;
	case BENCH_LOOP:
		if (s->left == 0)
			s->left = 1 + bench_below(&w->random, s->trips);
		*taken = --s->left != 0;
		return *taken ? s->next : i + 1;
	case BENCH_JUMP:
		return s->next;
	case BENCH_CALL:
		w->stack[w->depth++] = i + 1;
		return s->next;
	case BENCH_CALL_ANY:
		w->stack[w->depth++] = i + 1;
		return w->g
		    .entry[1u + s->level * BENCH_PER_LEVEL + bench_below(&w->random, BENCH_PER_LEVEL)];
	case BENCH_RETURN:
		return w->stack[--w->depth];
	case BENCH_TRAP_RETURN:
		return w->resume;
	default:
		*taken = false;
		return i + 1;
	}
}

static inline void step(struct generator *w)
{
	struct bench_site *s = &w->g.site[w->site];
	uint64_t addr = 0, value = 0;
	bool taken, memory = s->op == BENCH_LOAD || s->op == BENCH_STORE;
	uint32_t next = follow(w, s, &taken);
	if (taken) {
		put_word(w, CAIRN_STF_INST_PC_TARGET, w->g.site[next].pc);
		w->made->taken += s->op != BENCH_TRAP_RETURN;
	}
	if (memory) {
		addr = access_address(w, s);
		value = content(w, s, addr);
	}
	if (w->full)
		put_operands(w, s, addr, value);
	if (memory) {
		bool load = s->op == BENCH_LOAD;
		put_access(w, load ? CAIRN_MEM_READ : CAIRN_MEM_WRITE, addr, s->mem_size, value);
		w->made->loads += load;
		w->made->stores += !load;
	}
	if (s->op == BENCH_TRAP_RETURN)
		put_event(w, EVENT_MODE, MODE_USER);
	put_insn(w, s->enc, s->size);
	w->site = next;
}

/* The next instruction is interrupted; the handler runs and returns to it. */
static void trap(struct generator *w)
{
	const struct bench_site *s = &w->g.site[w->site];
	put_event(w, EVENT_TIMER, 0);
	put_word(w, CAIRN_STF_EVENT_PC_TARGET, w->g.site[w->g.handler].pc);
	put_event(w, EVENT_MODE, MODE_MACHINE);
	if (bench_below(&w->random, 8) == 0) {
		w->pid = (w->pid + 1) % 3;
		put_ids(w, 0, 100 + w->pid, 100 + w->pid);
	}
	put_insn(w, s->enc, s->size);
	w->resume = w->site;
	w->site = w->g.handler;
}

static void dump_state(struct generator *w)
{
	for (uint32_t i = 1; i < 64; i++)
		put_reg(w, i, CAIRN_ROLE_STATE, w->reg[i]);
}

static void run_program(struct generator *w, uint64_t upto)
{
	while (w->made->insns < upto) {
		uint64_t n = w->made->insns;
		if (w->full && n % DUMP_EVERY == 0)
			dump_state(w);
		bool handling = w->site < w->g.entry[BENCH_FUNCTIONS - 1];
		if (w->full && n % TRAP_EVERY == TRAP_EVERY / 2 && !handling)
			trap(w);
		else
			step(w);
	}
	w->pc = w->g.site[w->site].pc;
}

/* ---- random ---- */

static void put_walk(struct generator *w, uint64_t x)
{
	unsigned n = 1 + (x & 3);
	uint8_t *p = record(w, CAIRN_STF_PAGE_TABLE_WALK, 22 + 16 * (size_t)n);
	base_put_le64(p, x);
	base_put_le64(p + 8, w->made->insns);
	base_put_le32(p + 16, 4096);
	p[20] = (uint8_t)n;
	for (unsigned i = 0; i < 2 * n; i++)
		base_put_le64(p + 21 + 8 * (size_t)i, bench_random(&w->random));
}

static void put_rare(struct generator *w, uint64_t x)
{
	uint8_t *p;
	switch (x & 7) {
	case 0:
		put_event(w, x >> 8 & 15, x);
		break;
	case 1:
		put_word(w, CAIRN_STF_FORCE_PC, x);
		w->pc = x;
		break;
	case 2:
		put_ids(w, x >> 8 & 3, (uint32_t)(x >> 16 & 15), (uint32_t)(x >> 24 & 15));
		break;
	case 3:
		put_walk(w, x);
		break;
	case 4:
		p = record(w, CAIRN_STF_INST_MICROOP, 6);
		p[0] = 4;
		base_put_le32(p + 1, (uint32_t)(x >> 8));
		break;
	case 5:
		base_put_le16(record(w, CAIRN_STF_INST_READY_REG, 3), x >> 8 & 31);
		break;
	case 6: /* a vector register */
		p = record(w, CAIRN_STF_INST_REG, 20);
		base_put_le16(p, x >> 8 & 31);
		p[2] = CAIRN_ROLE_DST << 4 | CAIRN_REG_VECTOR;
		base_put_le64(p + 3, x);
		base_put_le64(p + 11, ~x);
		break;
	default:
		put_text(w, CAIRN_STF_COMMENT, "random");
		break;
	}
}

static void run_random(struct generator *w, uint64_t upto)
{
	while (w->made->insns < upto) {
		uint64_t x = bench_random(&w->random), target = 0;
		bool taken = false;
		for (unsigned n = x & 3; n; n--) {
			uint64_t y = bench_random(&w->random);
			if ((y & 63) == 0) {
				put_rare(w, y >> 6);
			} else if ((y & 3) == 0) {
				put_access(w, 1 + (y >> 2 & 1), y, 1u << (y >> 3 & 3), y >> 8);
			} else if ((y & 3) == 1 && !taken) {
				put_word(w, CAIRN_STF_INST_PC_TARGET, target = y >> 2);
				taken = true;
			} else {
				put_reg(w, y >> 8 & 63, 1 + (unsigned)(y >> 16 & 3) % 3, y);
			}
		}
		unsigned size = x & 4 ? 2 : 4;
		put_insn(w, (uint32_t)(x >> 8), size);
		w->pc = taken ? target : w->pc + size;
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
	struct generator *w = calloc(1, sizeof *w);
	struct bench_pack *pack = NULL;
	int rc = -1;

	memset(made, 0, sizeof *made);
	if (!w || !(w->room = malloc(ROOM)))
		goto out;
	pack = bench_pack_open(stf, zstf);
	if (!pack)
		goto out;
	w->made = made;
	w->random = 42;
	w->full = kind == BENCH_FULL;
	bench_program_make(&w->g, 1);
	w->site = w->g.entry[0];
	w->pc = w->g.site[w->site].pc;
	w->p = w->room;
	put_header(w, kind);
	for (rc = 0; rc == 0 && made->insns < insns; w->p = w->room) {
		uint64_t upto = insns - made->insns < BENCH_CHUNK ? insns : made->insns + BENCH_CHUNK;
		uint64_t pc = w->pc;
		if (kind == BENCH_RANDOM)
			run_random(w, upto);
		else
			run_program(w, upto);
		made->bytes += (uint64_t)(w->p - w->room);
		rc = bench_pack_chunk(pack, w->room, (size_t)(w->p - w->room), pc);
	}
	add_up(made);
out:
	if (pack && bench_pack_close(pack) < 0)
		rc = -1;
	if (w)
		free(w->room);
	free(w);
	return rc;
}
