/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as lists of what it tells, and the judge of one by another. Instructions are the same
 * when their PC is, or, where that is not known, when they write the same value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"

enum { REGS = 40, MEMS = 4, EVENTS = 8, STATE_REGS = 160, BLOCKS = 12 };

struct moment {
	unsigned n_regs, n_blocks;
	struct cairn_state_reg regs[STATE_REGS];
	struct cairn_state_block blocks[BLOCKS];
};
struct row {
	struct cairn_insn insn;
	struct cairn_ctx ctx;
	uint64_t number;
	unsigned n_regs, n_mems, n_events;
	struct cairn_reg regs[REGS];
	struct cairn_mem mems[MEMS];
	struct cairn_event events[EVENTS];
	struct moment *before, *after; /* NULL: of a trace without values */
};
struct whole {
	size_t n, room;
	struct row *rows;
	uint64_t damage;
};

/* ---- reading ---- */

static struct row *row_at(struct whole *whole, const struct cairn_batch *batch, uint32_t i)
{
	if (whole->n == whole->room) {
		whole->room = whole->room ? 2 * whole->room : 256;
		whole->rows = realloc(whole->rows, whole->room * sizeof *whole->rows);
		if (!whole->rows)
			abort();
	}
	struct row *row = &whole->rows[whole->n++];
	const struct cairn_insn *insn = &batch->insns[i];
	*row = (struct row){.insn = *insn, .ctx = batch->ctxs[insn->ctx], .number = batch->n0 + i};
	for (uint32_t k = insn[0].reg0; k < insn[1].reg0 && row->n_regs < REGS; k++)
		if (batch->regs[k].flags & CAIRN_VALUE_KNOWN && !(batch->regs[k].flags & CAIRN_VALUE_WIDE))
			row->regs[row->n_regs++] = batch->regs[k];
	for (uint32_t k = insn[0].mem0; k < insn[1].mem0 && row->n_mems < MEMS; k++)
		row->mems[row->n_mems++] = batch->mems[k];
	for (uint32_t k = insn[0].ev0; k < insn[1].ev0 && row->n_events < EVENTS; k++)
		row->events[row->n_events++] = batch->events[k];
	return row;
}

static struct cairn_reader *open_for(struct cairn *cairn, const char *path,
                                     const struct cairn_image *image)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .image = image};
	struct cairn_reader *reader = NULL;
	return cairn_open(cairn, path, &opts, &reader) < 0 ? NULL : reader;
}

static struct moment *moment_of(const struct cairn_state *state)
{
	struct moment *moment = calloc(1, sizeof *moment);
	if (!moment)
		abort();
	int64_t regs = cairn_state_regs(state, moment->regs, STATE_REGS),
			blocks = cairn_state_blocks(state, moment->blocks, BLOCKS);
	moment->n_regs = regs < STATE_REGS ? (unsigned)regs : STATE_REGS;
	moment->n_blocks = blocks < BLOCKS ? (unsigned)blocks : BLOCKS;
	return moment;
}

/* The state before and after each instruction; `apart`: each anew, and of every seventh. */
static void read_moments(struct cairn *cairn, struct whole *whole, const char *path,
                         const struct cairn_image *image, bool apart)
{
	struct cairn_reader *reader[2] = {open_for(cairn, path, image), open_for(cairn, path, image)};
	struct cairn_state *state[2] = {NULL, NULL};
	for (unsigned k = 0; k < 2; k++)
		if (!reader[k] || cairn_state_new(cairn, NULL, &state[k]) < 0)
			abort();
	for (size_t i = 0; i < whole->n; i += apart ? 7 : 1) {
		struct row *row = &whole->rows[apart ? whole->n - 1 - i : i];
		if (cairn_state_go(state[0], reader[0], row->number) < 0 ||
		    cairn_state_go_after(state[1], reader[1], row->number) < 0)
			break;
		row->before = moment_of(state[0]);
		row->after = moment_of(state[1]);
	}
	for (unsigned k = 0; k < 2; k++) {
		cairn_state_free(state[k]);
		cairn_close(reader[k]);
	}
}

static struct whole *read_all(struct cairn *cairn, const char *path,
                              const struct cairn_image *image, bool apart)
{
	struct whole *whole = calloc(1, sizeof *whole);
	struct cairn_reader *reader = open_for(cairn, path, image);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	if (!whole || !batch)
		abort();
	if (!reader) { /* damaged beyond reading */
		cairn_batch_free(cairn, batch);
		whole->damage = 1;
		return whole;
	}
	int rc;
	while ((rc = cairn_next(reader, batch)) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			row_at(whole, batch, i);
	whole->damage = cairn_damage_count(reader) + (rc < 0);
	bool values = cairn_reader_can(reader) & (CAIRN_REG_VALUES | CAIRN_MEM_VALUES);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	if (values)
		read_moments(cairn, whole, path, image, apart);
	return whole;
}

struct whole *whole_read(struct cairn *cairn, const char *path, const struct cairn_image *image)
{
	return read_all(cairn, path, image, false);
}

struct whole *whole_read_apart(struct cairn *cairn, const char *path,
                               const struct cairn_image *image)
{
	return read_all(cairn, path, image, true);
}

void whole_free(struct whole *whole)
{
	for (size_t i = 0; whole && i < whole->n; i++) {
		free(whole->rows[i].before);
		free(whole->rows[i].after);
	}
	if (whole)
		free(whole->rows);
	free(whole);
}

/* ---- asking ---- */

uint64_t whole_size(const struct whole *whole)
{
	return whole->n;
}

uint64_t whole_damage(const struct whole *whole)
{
	return whole->damage;
}

uint64_t whole_hart(const struct whole *whole, uint64_t i)
{
	const struct cairn_ctx *ctx = &whole->rows[i].ctx;
	return ctx->known & CAIRN_CTX_HART ? ctx->hart : CAIRN_NO_HART;
}

uint64_t whole_number(const struct whole *whole, uint64_t i)
{
	return whole->rows[i].number;
}

bool whole_tells(const struct whole *whole, uint64_t i)
{
	const struct row *row = &whole->rows[i];
	bool accesses = row->insn.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	for (unsigned k = 0; k < row->n_events; k++)
		if (row->events[k].kind == CAIRN_EV_DAMAGE)
			return false;
	return !(row->insn.flags & CAIRN_INSN_ENC_UNKNOWN) && (!accesses || row->n_mems);
}

/* What a load writes is there twice. */
static const struct cairn_reg *result_of(const struct row *row)
{
	for (unsigned k = 0; k < row->n_regs && !(row->insn.traits & CAIRN_TRAIT_LOAD); k++)
		if (row->regs[k].role == CAIRN_ROLE_DST)
			return &row->regs[k];
	return NULL;
}

/* The same instruction in the whole trace; NULL: nothing tells which it is. */
static const struct row *row_like(const struct whole *whole, const struct row *row)
{
	const struct cairn_reg *result = result_of(row);
	for (size_t i = 0; i < whole->n; i++) {
		const struct row *other = &whole->rows[i];
		const struct cairn_reg *same = result ? result_of(other) : NULL;
		if (!(row->insn.flags & CAIRN_INSN_PC_UNKNOWN)
		        ? other->insn.pc == row->insn.pc
		        : same && same->num == result->num && same->value == result->value)
			return other;
	}
	return NULL;
}

uint64_t whole_like(const struct whole *whole, const struct whole *part, uint64_t i)
{
	const struct row *like = row_like(whole, &part->rows[i]);
	return like ? (uint64_t)(like - whole->rows) : UINT64_MAX;
}

/* ---- judging a row ---- */

#define CLAIM(what, holds) \
	do { \
		if (!(holds)) \
			return what; \
	} while (0)

static const char *judge_ctx(const struct cairn_ctx *whole, const struct cairn_ctx *part)
{
	uint32_t known = part->known;
	CLAIM("the hart", !(known & CAIRN_CTX_HART) ||
	                      (whole->known & CAIRN_CTX_HART && whole->hart == part->hart));
	/* A writer that has to tell a process tells 0. */
	known &= whole->known | (uint32_t)CAIRN_CTX_HART | (uint32_t)CAIRN_CTX_PRIV;
	CLAIM("the process", !(known & CAIRN_CTX_PID) || whole->pid == part->pid);
	CLAIM("the thread", !(known & CAIRN_CTX_TID) || whole->tid == part->tid);
	CLAIM("the mode", !(known & CAIRN_CTX_PRIV) ||
	                      (whole->known & CAIRN_CTX_PRIV && whole->priv == part->priv));
	return NULL;
}

static const char *judge_insn(const struct cairn_insn *whole, const struct cairn_insn *part,
                              uint32_t outcome)
{
	CLAIM("the PC", part->flags & CAIRN_INSN_PC_UNKNOWN || part->pc == whole->pc);
	CLAIM("the encoding", part->flags & CAIRN_INSN_ENC_UNKNOWN ||
	                          (part->enc == whole->enc && part->size == whole->size));
	CLAIM("whether it ran or was taken", !(part->flags & outcome & ~whole->flags));
	CLAIM("the target", !(part->flags & CAIRN_INSN_TARGET) ||
	                        (whole->flags & CAIRN_INSN_TARGET && part->target == whole->target));
	return NULL;
}

/* Is a value what the whole trace knows at this moment? */
static bool moment_has(const struct moment *moment, uint16_t hart, unsigned cls, unsigned num,
                       uint64_t value, uint64_t known)
{
	for (unsigned i = 0; moment && i < moment->n_regs; i++) {
		const struct cairn_state_reg *reg = &moment->regs[i];
		if (reg->cls == cls && reg->num == num && (reg->hart == hart || hart == CAIRN_NO_HART) &&
		    !(known & ~reg->known) && (value & known) == (reg->value & known))
			return true;
	}
	return false;
}

static const char *judge_regs(const struct row *whole, const struct row *part)
{
	uint16_t hart = part->ctx.known & CAIRN_CTX_HART ? part->ctx.hart : CAIRN_NO_HART;
	for (unsigned i = 0; i < part->n_regs; i++) {
		const struct cairn_reg *reg = &part->regs[i], *same = NULL;
		for (unsigned k = 0; k < whole->n_regs && !same; k++)
			if (whole->regs[k].cls == reg->cls && whole->regs[k].num == reg->num &&
			    whole->regs[k].lsb == reg->lsb && whole->regs[k].role == reg->role &&
			    whole->regs[k].value == reg->value)
				same = &whole->regs[k];
		/* A slice tells where it begins what was known. */
		uint64_t bits = reg->bits && reg->bits < 64 ? (UINT64_C(1) << reg->bits) - 1 : UINT64_MAX;
		if (!same && reg->role == CAIRN_ROLE_STATE && reg->lsb == 0 &&
		    moment_has(whole->before, hart, reg->cls, reg->num, reg->value, bits))
			continue;
		/* RST: with TPC and TNPC a part tells where a CPU stands; a PREG has to tell all. */
		if (!same && reg->role == CAIRN_ROLE_STATE && reg->cls == CAIRN_REG_CSR &&
		    part->insn.isa == CAIRN_ISA_SPARC)
			continue;
		CLAIM("the value of a register", same);
	}
	return NULL;
}

static const char *judge_mems(const struct row *whole, const struct row *part)
{
	for (unsigned i = 0; i < part->n_mems; i++) {
		const struct cairn_mem *mem = &part->mems[i];
		bool same = mem->flags & CAIRN_VALUE_ADDR_UNKNOWN;
		for (unsigned k = 0; k < whole->n_mems && !same; k++)
			same =
				whole->mems[k].kind == mem->kind && whole->mems[k].addr == mem->addr &&
				whole->mems[k].size == mem->size &&
				(!(mem->flags & CAIRN_VALUE_KNOWN) ||
			     (whole->mems[k].flags & CAIRN_VALUE_KNOWN && whole->mems[k].value == mem->value));
		CLAIM("an access", same || mem->kind == CAIRN_MEM_FETCH);
	}
	return NULL;
}

static const char *judge_events(const struct row *whole, const struct row *part)
{
	for (unsigned i = 0; i < part->n_events; i++) {
		const struct cairn_event *event = &part->events[i];
		/* A trace unit in software ends a stretch with an exception of its own. */
		bool same = event->kind < CAIRN_EV_EXCEPTION || event->kind > CAIRN_EV_TRAP_RETURN ||
		            part->insn.isa == CAIRN_ISA_A64;
		for (unsigned k = 0; k < whole->n_events && !same; k++)
			same =
				whole->events[k].kind == event->kind && whole->events[k].code == event->code &&
				(!(event->flags & CAIRN_EVF_TARGET) || (whole->events[k].flags & CAIRN_EVF_TARGET &&
			                                            whole->events[k].target == event->target));
		CLAIM("an event", same);
	}
	return NULL;
}

static const char *judge_row(const struct row *whole, const struct row *part, unsigned how)
{
	uint32_t branch = how & WHOLE_NO_OUTCOMES ? 0 : CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN;
	const char *why = judge_ctx(&whole->ctx, &part->ctx);
	why = why ? why : judge_insn(&whole->insn, &part->insn, branch | CAIRN_INSN_NOT_EXECUTED);
	why = why ? why : judge_regs(whole, part);
	why = why ? why : judge_mems(whole, part);
	return why ? why : judge_events(whole, part);
}

const char *whole_differ(const struct whole *a, uint64_t i, const struct whole *b, uint64_t k)
{
	const char *why = judge_row(&a->rows[i], &b->rows[k], 0);
	return why ? why : judge_row(&b->rows[k], &a->rows[i], 0);
}

/* ---- judging a moment ---- */

static bool memory_has(const struct moment *moment, uint64_t addr, uint8_t byte)
{
	for (unsigned i = 0; i < moment->n_blocks; i++) {
		const struct cairn_state_block *block = &moment->blocks[i];
		if (addr - block->addr < 64 && block->known >> (addr - block->addr) & 1 &&
		    block->bytes[addr - block->addr] == byte)
			return true;
	}
	return false;
}

static const char *judge_moment(const struct moment *whole, const struct moment *part, int only,
                                char where[64])
{
	if (!part || !whole)
		return NULL;
	for (unsigned i = 0; i < part->n_regs; i++) {
		const struct cairn_state_reg *reg = &part->regs[i];
		if ((only >= 0 && reg->hart != only) || reg->cls == CAIRN_REG_CSR)
			continue; /* with TPC and TNPC a part of an RST says where a CPU stands */
		if (moment_has(whole, reg->hart, reg->cls, reg->num, reg->value, reg->known))
			continue;
		snprintf(where, 64, "register %u of class %u of hart %u is 0x%llx", reg->num, reg->cls,
		         reg->hart, (unsigned long long)reg->value);
		return where;
	}
	for (unsigned i = 0; i < part->n_blocks && only < 0; i++)
		for (unsigned k = 0; k < 64; k++)
			if (part->blocks[i].known >> k & 1 &&
			    !memory_has(whole, part->blocks[i].addr + k, part->blocks[i].bytes[k])) {
				snprintf(where, 64, "byte 0x%llx is 0x%02x",
				         (unsigned long long)part->blocks[i].addr + k, part->blocks[i].bytes[k]);
				return where;
			}
	return NULL;
}

/* ---- the whole ---- */

unsigned whole_judge(const struct whole *whole, const struct whole *part, unsigned how,
                     char why[512])
{
	unsigned states = how & WHOLE_STATES;
	unsigned wrong = 0;
	char place[64];
	for (size_t i = 0; i < part->n; i++) {
		const struct row *row = &part->rows[i], *like = row_like(whole, row);
		const char *what = NULL, *when = "row";
		int only = states == WHOLE_OWN ? (int)whole_hart(part, i) : -1;
		bool judged = states != WHOLE_NONE;
		if (like) {
			what = judge_row(like, row, how);
			if (!what && judged && (what = judge_moment(like->before, row->before, only, place)))
				when = "state before";
			if (!what && judged && (what = judge_moment(like->after, row->after, only, place)))
				when = "state after";
		} else if (!(row->insn.flags & CAIRN_INSN_PC_UNKNOWN)) {
			what = "the PC: nothing ran there";
		}
		if (what && !wrong++)
			snprintf(why, 512, "%s of instruction %llu (PC 0x%llx, number %llu of the whole): %s",
			         when, (unsigned long long)row->number, (unsigned long long)row->insn.pc,
			         (unsigned long long)(like ? like->number : 0), what);
	}
	return wrong;
}

bool whole_same(const struct whole *a, const struct whole *b, char why[512])
{
	char place[64];
	snprintf(why, 512, "%zu instructions, not %zu", b->n, a->n);
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		const struct row *left = &a->rows[i], *right = &b->rows[i];
		const char *what = whole_differ(a, i, b, i);
		for (unsigned k = 0; k < 2 && !what && left->before && right->before; k++) {
			what = judge_moment(left->before, right->before, -1, place);
			what = what ? what : judge_moment(left->after, right->after, -1, place);
			left = &b->rows[i];
			right = &a->rows[i];
		}
		if (!what)
			continue;
		snprintf(why, 512, "instruction %llu: %s", (unsigned long long)a->rows[i].number, what);
		return false;
	}
	return a->n == b->n;
}
