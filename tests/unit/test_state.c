/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States against brute force: a set of single bits and bytes, told by rows in the plainest
 * way. By index, from the start and step by step, the state of a place is one and the same;
 * and what `slice` makes with an index is what it makes from all that comes before. With
 * CAIRN_TEST_DATA set, the same for real traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../stf/tools.h"
#include "base/bytes.h"
#include "cairn/cairn.h"
#include "isa/written.h"

static struct cairn *c;
static char dir[64];

static const char *path_of(const char *name)
{
	static char path[6][512];
	static unsigned next;
	char *p = path[next++ % 6];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	return p;
}

static void good(int rc)
{
	if (rc < 0)
		fail_msg("%s", cairn_error_text(c));
}

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- single facts: a bit of a register, a byte of memory ---- */

struct fact {
	uint64_t a, b; /* what it is about; b 0: free */
	uint64_t when; /* it was told */
	int value;     /* -1 not known */
	bool derived;  /* of a byte: what was said of it last was */
};

struct facts {
	struct fact *rows;
	size_t cap, n;
	uint64_t now;                        /* grows; what was told before it was lost is not known */
	uint64_t memory_lost, lost[1 << 16]; /* registers, by hart */
	bool unnamed;                        /* bytes were lost, and no hart was named since */
	uint64_t all_lost;
	struct onward {
		uint64_t pc, when; /* 0: not known */
	} onward[1 << 16];     /* where harts go on */
	uint32_t space;        /* is the last access in a space that is named? 0 none, 1 no, 2 yes */
};

static struct fact *fact_at(const struct facts *facts, uint64_t a, uint64_t b)
{
	size_t mask = facts->cap - 1; /* a power of two */
	size_t i = (size_t)((a * 0x9e3779b97f4a7c15u ^ b * 0xff51afd7ed558ccdu) >> 17);
	while (facts->rows[i & mask].b &&
	       (facts->rows[i & mask].a != a || facts->rows[i & mask].b != b))
		i++;
	return &facts->rows[i & mask];
}

static void tell(struct facts *facts, uint64_t a, uint64_t b, int value)
{
	if (2 * facts->n >= facts->cap) {
		struct fact *old = facts->rows;
		size_t cap = facts->cap;
		facts->cap = cap ? 2 * cap : 1 << 16;
		facts->rows = calloc(facts->cap, sizeof *facts->rows);
		assert_non_null(facts->rows);
		for (size_t i = 0; i < cap; i++)
			if (old[i].b)
				*fact_at(facts, old[i].a, old[i].b) = old[i];
		free(old);
	}
	struct fact *fact = fact_at(facts, a, b);
	facts->n += fact->b == 0;
	*fact = (struct fact){a, b, facts->now, value, false};
}

enum { REG = 1, MEM = 2, WIDTH = 3, MOST_BITS = 1024 };

static int value_of(const struct facts *facts, const struct fact *fact)
{
	uint64_t lost =
		fact->b >> 48 == MEM ? facts->memory_lost : facts->lost[(uint16_t)(fact->b >> 24)];
	return fact->b && fact->when >= lost ? fact->value : -1;
}

static int known(const struct facts *facts, uint64_t a, uint64_t b)
{
	return facts->cap ? value_of(facts, fact_at(facts, a, b)) : -1;
}

static uint64_t reg_key(uint16_t hart, unsigned cls, unsigned num)
{
	return (uint64_t)REG << 48 | (uint64_t)hart << 24 | cls << 16 | num;
}

static uint64_t mem_key(struct cairn_space space)
{
	return (uint64_t)MEM << 48 | (uint64_t)space.kind << 40 | space.id;
}

/* How many bits of a register were ever told: there is nothing to forget behind them. */
static uint64_t width_key(uint64_t key)
{
	return key ^ (uint64_t)(REG ^ WIDTH) << 48;
}

/* Was what a row said of a register last derived? */
static void tell_derived(struct facts *facts, uint64_t key, bool derived)
{
	tell(facts, 1, width_key(key), derived);
}

static bool is_derived(const struct facts *facts, uint64_t key)
{
	return known(facts, 1, width_key(key)) > 0;
}

static void forget_bits(struct facts *facts, uint64_t key, unsigned lsb, unsigned bits)
{
	const struct fact *width = fact_at(facts, 0, width_key(key));
	unsigned end = width->b ? (unsigned)width->value : 0;
	for (unsigned i = lsb; i < lsb + bits && i < end; i++) {
		struct fact *fact = fact_at(facts, i, key);
		fact->value = fact->b ? -1 : fact->value;
	}
}

static void tell_bit(struct facts *facts, uint64_t key, unsigned bit, int value)
{
	const struct fact *width = fact_at(facts, 0, width_key(key));
	if (!width->b || width->value <= (int)bit)
		tell(facts, 0, width_key(key), (int)bit + 1);
	tell(facts, bit, key, value);
}

/* `doubted`: a bit that is told otherwise than it was known is not known. */
static void tell_reg(struct facts *facts, const struct cairn_batch *batch, uint32_t slot,
                     const struct cairn_reg *reg, bool doubted)
{
	const struct cairn_ctx *ctx = &batch->ctxs[batch->insns[slot].ctx];
	uint64_t key =
		reg_key(ctx->known & CAIRN_CTX_HART ? ctx->hart : CAIRN_NO_HART, reg->cls, reg->num);
	bool written = reg->role == CAIRN_ROLE_DST || reg->role == CAIRN_ROLE_UNKNOWN;
	bool ran = !(batch->insns[slot].flags & CAIRN_INSN_NOT_EXECUTED);
	bool is = (reg->flags & CAIRN_VALUE_KNOWN) && (ran || !written);
	unsigned bits = reg->bits ? reg->bits : is ? 64 : MOST_BITS;
	tell_derived(facts, key, is && reg->flags & CAIRN_VALUE_DERIVED);
	if (!is)
		forget_bits(facts, key, reg->lsb, bits);
	for (unsigned i = 0; is && i < bits; i++) {
		uint64_t v = reg->value >> (i & 63);
		if (reg->flags & CAIRN_VALUE_WIDE)
			v = (uint64_t)batch->bytes[reg->value + i / 8] >> (i & 7);
		int was = known(facts, reg->lsb + i, key), now = (int)(v & 1);
		tell_bit(facts, key, reg->lsb + i, doubted && was >= 0 && was != now ? -1 : now);
	}
	/* A write of a part that clears the rest: here no register is longer than this. */
	unsigned end = reg->cls == CAIRN_REG_VECTOR ? 128 : 64;
	for (unsigned i = reg->lsb + bits; reg->flags & CAIRN_VALUE_ZEROES && i < end; i++)
		tell_bit(facts, key, i, 0);
}

static bool is_source(const struct cairn_reg *reg)
{
	return reg->role == CAIRN_ROLE_SRC && reg->flags & CAIRN_VALUE_KNOWN;
}

/* The same operand, named before in its slot. */
static bool is_named(const struct cairn_batch *batch, uint32_t slot, const struct cairn_reg *reg)
{
	for (const struct cairn_reg *x = &batch->regs[batch->insns[slot].reg0]; x < reg; x++)
		if (is_source(x) && x->cls == reg->cls && x->num == reg->num && x->lsb == reg->lsb)
			return true;
	return false;
}

static void forget_all(struct facts *facts, unsigned what, uint16_t hart);

static void tell_access(struct facts *facts, const struct cairn_mem *mem, struct cairn_space space,
                        uint64_t addr, uint64_t size, const uint8_t *p, uint64_t n, bool big)
{
	uint32_t kind = space.kind == CAIRN_SPACE_PHYSICAL ? facts->space
	                : space.kind == CAIRN_SPACE_ONE    ? 1
	                                                   : 2;
	if (facts->space && kind != facts->space)
		forget_all(facts, MEM, 0);
	facts->space = kind;
	for (uint64_t i = 0; i < size; i++) {
		uint64_t at = big ? mem->size - 1 - i : i;
		bool is = p && at < n && (!big || n >= mem->size);
		if (is || mem->kind != CAIRN_MEM_READ)
			tell(facts, addr + i, mem_key(space), is ? p[at] : -1);
		if (is)
			fact_at(facts, addr + i, mem_key(space))->derived = mem->flags & CAIRN_VALUE_DERIVED;
	}
}

static void tell_mem(struct facts *facts, const struct cairn_batch *batch, uint32_t slot,
                     const struct cairn_mem *mem)
{
	struct cairn_space va = cairn_space_of(&batch->ctxs[batch->insns[slot].ctx]);
	struct cairn_space pa = {.kind = CAIRN_SPACE_PHYSICAL};
	bool insn = mem->initiator == CAIRN_BY_INSN;
	bool big = batch->insns[slot].isa == CAIRN_ISA_SPARC;
	bool ran = !(batch->insns[slot].flags & CAIRN_INSN_NOT_EXECUTED) ||
	           mem->kind != CAIRN_MEM_WRITE || !insn;
	uint8_t word[8];
	const uint8_t *p = mem->flags & CAIRN_VALUE_WIDE ? batch->bytes + mem->value : word;
	base_put_le64(word, mem->value);
	if (!(mem->flags & CAIRN_VALUE_KNOWN) || !ran)
		p = NULL;
	uint64_t n = mem->flags & CAIRN_VALUE_WIDE ? 8u * mem->words : 8;
	if (!(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN))
		tell_access(facts, mem, insn || (mem->flags & CAIRN_VALUE_PA) ? va : pa, mem->addr,
		            mem->size, p, n, big);
	else if (mem->kind != CAIRN_MEM_READ && !(mem->flags & CAIRN_VALUE_PA))
		forget_all(facts, MEM, 0);
	uint64_t room = insn ? 4096 - mem->pa % 4096 : UINT64_MAX;
	if (mem->flags & CAIRN_VALUE_PA)
		tell_access(facts, mem, pa, mem->pa, mem->size < room ? mem->size : room, p, n, big);
}

/* A gap and damage before the instruction; or damage in it. */
static void lose(struct facts *facts, const struct cairn_batch *batch, uint32_t slot, bool behind)
{
	for (uint32_t e = batch->insns[slot].ev0; e < batch->insns[slot + 1].ev0; e++)
		if ((batch->events[e].kind == CAIRN_EV_GAP && !behind) ||
		    (batch->events[e].kind == CAIRN_EV_DAMAGE &&
		     behind == (batch->events[e].phase != CAIRN_BEFORE))) {
			facts->memory_lost = facts->all_lost = ++facts->now;
			facts->unnamed = true;
			for (size_t i = 0; i < sizeof facts->lost / sizeof *facts->lost; i++)
				facts->lost[i] = facts->now;
		}
}

/* ---- what is written without being told, bit by bit ---- */

static uint16_t hart_at(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_ctx *ctx = &batch->ctxs[batch->insns[slot].ctx];
	return ctx->known & CAIRN_CTX_HART ? ctx->hart : CAIRN_NO_HART;
}

static void forget_pieces(struct facts *facts, uint16_t hart, const struct isa_written *written)
{
	for (unsigned i = 0; i < written->n; i++) {
		const struct isa_written_reg *reg = &written->reg[i];
		for (unsigned n = 0; n < reg->count; n++)
			forget_bits(facts, reg_key(hart, reg->cls, reg->num + n), reg->lsb,
			            reg->bits ? reg->bits : MOST_BITS);
	}
}

static void forget_all(struct facts *facts, unsigned what, uint16_t hart)
{
	*(what == MEM ? &facts->memory_lost : &facts->lost[hart]) = ++facts->now;
}

/* What eight registers hold goes to eight others, and nobody knows the rest of the window. */
static void turn(struct facts *facts, uint16_t hart, bool next)
{
	unsigned from = next ? 8 : 24, to = next ? 24 : 8;
	for (unsigned k = 0; k < 8; k++)
		for (unsigned i = 0; i < 64; i++)
			tell_bit(facts, reg_key(hart, CAIRN_REG_INT, to + k), i,
			         known(facts, i, reg_key(hart, CAIRN_REG_INT, from + k)));
	for (unsigned k = 8; k < 32; k++)
		if (k / 8 != to / 8)
			forget_bits(facts, reg_key(hart, CAIRN_REG_INT, k), 0, MOST_BITS);
}

static bool results(const struct cairn_batch *batch, uint32_t slot)
{
	for (uint32_t k = batch->insns[slot].reg0; k < batch->insns[slot + 1].reg0; k++)
		if (batch->regs[k].role == CAIRN_ROLE_DST || batch->regs[k].role == CAIRN_ROLE_UNKNOWN)
			return true;
	return false;
}

static void forget_events(struct facts *facts, const struct cairn_batch *batch, uint32_t slot,
                          bool before)
{
	for (uint32_t e = batch->insns[slot].ev0; e < batch->insns[slot + 1].ev0; e++)
		if ((batch->events[e].phase == CAIRN_BEFORE) == before) {
			struct isa_written written;
			isa_event_written(batch->insns[slot].isa, batch->events[e].kind, &written);
			forget_pieces(facts, hart_at(batch, slot), &written);
		}
}

static void forget_written(struct facts *facts, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *in = &batch->insns[slot];
	struct isa_written written = {.n = 0};
	if (slot < batch->n_insns && !(in->flags & CAIRN_INSN_NOT_EXECUTED)) {
		if (!(in->flags & CAIRN_INSN_ENC_UNKNOWN))
			isa_written((enum cairn_isa)(in->isa | in->variant), in->enc, in->size, &written);
		if (written.window)
			turn(facts, hart_at(batch, slot), written.window > 0);
		forget_pieces(facts, hart_at(batch, slot), &written);
		if (!written.told && !results(batch, slot))
			forget_all(facts, REG, hart_at(batch, slot));
	}
	for (uint32_t k = in->reg0; k < in[1].reg0; k++) {
		struct isa_written others = {.n = 0};
		isa_aliases(in->isa, batch->regs[k].cls, batch->regs[k].num, &others);
		if (batch->regs[k].role == CAIRN_ROLE_DST || batch->regs[k].role == CAIRN_ROLE_UNKNOWN)
			forget_pieces(facts, hart_at(batch, slot), &others);
	}
}

static void forget_stored(struct facts *facts, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *in = &batch->insns[slot];
	struct isa_written written = {.n = 0};
	uint64_t bytes = 0;
	bool sc = false, failed = false, attempted = false;
	if (slot == batch->n_insns || in->flags & CAIRN_INSN_NOT_EXECUTED ||
	    !(in->traits & CAIRN_TRAIT_STORE))
		return;
	isa_written((enum cairn_isa)(in->isa | in->variant), in->enc, in->size, &written);
	for (uint32_t k = in->mem0; k < in[1].mem0; k++) {
		bool own = batch->mems[k].initiator == CAIRN_BY_INSN;
		attempted |= own && batch->mems[k].flags & CAIRN_VALUE_NOT_WRITTEN;
		if (own &&
		    (batch->mems[k].kind == CAIRN_MEM_WRITE || batch->mems[k].kind == CAIRN_MEM_UNKNOWN))
			bytes += batch->mems[k].size ? batch->mems[k].size : written.bytes;
	}
	for (uint32_t k = in->reg0; k < in[1].reg0 && in->traits & CAIRN_TRAIT_RESERVED_SC && !sc;
	     k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		sc = reg->role == CAIRN_ROLE_DST && reg->cls == CAIRN_REG_INT &&
		     reg->flags & CAIRN_VALUE_KNOWN;
		failed = sc && reg->value;
	}
	if (written.store != ISA_STORES_NOT && !attempted && (bytes ? bytes < written.bytes : !failed))
		forget_all(facts, MEM, 0);
}

/* Where the hart of a slot goes on: where its last event leads, or its branch, or behind it. */
static void go_onward(struct facts *facts, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	struct onward *onward = &facts->onward[hart_at(batch, slot)];
	const struct cairn_event *leads = NULL, *stops = NULL;
	uint32_t missing = CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_NOT_EXECUTED;
	bool branch = insn->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET);
	for (uint32_t e = insn->ev0; e < insn[1].ev0; e++) {
		const struct cairn_event *event = &batch->events[e];
		if (event->phase == CAIRN_BEFORE)
			continue;
		leads = event->flags & CAIRN_EVF_TARGET ? event : leads;
		stops = event->kind >= CAIRN_EV_EXCEPTION && event->kind <= CAIRN_EV_TRAP_RETURN ? event
		                                                                                 : stops;
	}
	onward->when = ++facts->now;
	onward->pc = leads                            ? leads->target
	             : insn->flags & CAIRN_INSN_TAKEN ? insn->target
	                                              : insn->pc + insn->size;
	if (leads ? stops > leads
	          : stops || insn->flags & missing ||
	                (insn->flags & CAIRN_INSN_TAKEN
	                     ? !(insn->flags & CAIRN_INSN_TARGET)
	                     : branch && !(insn->flags & CAIRN_INSN_NOT_TAKEN)))
		onward->when = 0;
}

static void tell_slot(struct facts *facts, const struct cairn_batch *batch, uint32_t slot,
                      bool whole)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	lose(facts, batch, slot, false);
	static uint16_t last = CAIRN_NO_HART; /* who ran before */
	bool switches = false;
	for (uint32_t e = insn->ev0; e < insn[1].ev0; e++)
		switches |= batch->events[e].kind == CAIRN_EV_FORCE_PC;
	switches &= last != CAIRN_NO_HART && hart_at(batch, slot) != CAIRN_NO_HART &&
	            last != hart_at(batch, slot);
	last = whole && slot < batch->n_insns ? hart_at(batch, slot) : last;
	const struct onward *onward = &facts->onward[hart_at(batch, slot)];
	bool resumes = switches && onward->when > facts->all_lost && onward->pc == insn->pc;
	if (slot < batch->n_insns && insn->flags & CAIRN_INSN_DISCONTINUITY && !resumes) {
		forget_all(facts, REG, hart_at(batch, slot));
		forget_all(facts, MEM, 0);
	}
	for (int after = 0; after < (whole ? 2 : 1); after++) {
		bool first =
			facts->unnamed && slot < batch->n_insns && hart_at(batch, slot) != CAIRN_NO_HART;
		if (after && first) { /* those told before may be its own, or another's */
			forget_all(facts, REG, CAIRN_NO_HART);
			facts->unnamed = false;
		}
		if (after)
			forget_written(facts, batch, slot);
		else
			forget_events(facts, batch, slot, true);
		for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
			const struct cairn_reg *reg = &batch->regs[k];
			bool dst = reg->role == CAIRN_ROLE_DST || reg->role == CAIRN_ROLE_UNKNOWN;
			bool alone = !whole && is_source(reg);
			if (reg->role != CAIRN_ROLE_READY && dst == (after == 1) &&
			    (dst || (reg->flags & CAIRN_VALUE_KNOWN)) && !(alone && is_named(batch, slot, reg)))
				tell_reg(facts, batch, slot, reg, alone);
		}
		for (uint32_t k = insn->reg0; k < insn[1].reg0 && after; k++)
			if (isa_is_volatile(insn->isa, batch->regs[k].cls, batch->regs[k].num))
				forget_bits(facts,
				            reg_key(hart_at(batch, slot), batch->regs[k].cls, batch->regs[k].num),
				            0, MOST_BITS);
		if (after) {
			forget_events(facts, batch, slot, false);
			forget_stored(facts, batch, slot);
		}
		for (uint32_t k = insn->mem0; k < insn[1].mem0; k++) {
			const struct cairn_mem *mem = &batch->mems[k];
			bool is = mem->flags & CAIRN_VALUE_KNOWN;
			bool writes = mem->kind == CAIRN_MEM_WRITE || (mem->kind == CAIRN_MEM_UNKNOWN && !is);
			if (writes == (after == 1) && (is || writes) && !(mem->flags & CAIRN_VALUE_NOT_WRITTEN))
				tell_mem(facts, batch, slot, mem);
		}
	}
	if (whole && slot < batch->n_insns)
		go_onward(facts, batch, slot);
	if (whole)
		lose(facts, batch, slot, true);
}

/* ---- comparing ---- */

static size_t count(const struct facts *facts, unsigned what)
{
	size_t n = 0;
	for (size_t i = 0; i < facts->cap; i++)
		n += facts->rows[i].b >> 48 == what && value_of(facts, &facts->rows[i]) >= 0;
	return n;
}

static void same_regs(const struct cairn_state *state, const struct facts *facts)
{
	static struct cairn_state_reg regs[1 << 14], again;
	int64_t n = cairn_state_regs(state, regs, 1 << 14);
	size_t bits = 0;
	assert_true(n >= 0 && n <= 1 << 14);
	for (int64_t i = 0; i < n; i++) {
		const struct cairn_state_reg *reg = &regs[i];
		uint64_t key = reg_key(reg->hart, reg->cls, reg->num), mine = 0;
		for (unsigned k = 0; k < reg->bits; k++) {
			bool is =
				(reg->wide ? (uint64_t)reg->wide_known[k / 8] >> (k & 7) : reg->known >> (k & 63)) &
				1;
			int v = reg->wide ? reg->wide[k / 8] >> (k & 7) & 1 : (int)(reg->value >> (k & 63) & 1);
			assert_int_equal(known(facts, k, key), is ? v : -1);
			assert_true(is || v == 0);
			mine += is;
		}
		assert_true(mine > 0);
		assert_int_equal(reg->whole, mine == reg->bits);
		assert_int_equal(reg->derived, is_derived(facts, key));
		bits += mine;
		assert_int_equal(
			cairn_state_reg(state, reg->hart, (enum cairn_reg_class)reg->cls, reg->num, &again), 1);
		assert_true(again.value == reg->value && again.told == reg->told);
	}
	assert_int_equal(bits, count(facts, REG));
}

static void same_memory(const struct cairn_state *state, const struct facts *facts)
{
	int64_t n = cairn_state_blocks(state, NULL, 0);
	struct cairn_state_block *block = calloc((size_t)n + 1, sizeof *block);
	size_t bytes = 0;
	assert_non_null(block);
	assert_int_equal(cairn_state_blocks(state, block, (size_t)n), n);
	for (int64_t i = 0; i < n; i++) {
		uint8_t derived[64];
		cairn_state_memory_derived(state, block[i].space, block[i].addr, 64, derived);
		for (unsigned k = 0; k < 64; k++) {
			uint64_t addr = block[i].addr + k, key = mem_key(block[i].space);
			bool is = block[i].known >> k & 1;
			assert_int_equal(known(facts, addr, key), is ? block[i].bytes[k] : -1);
			assert_int_equal(derived[k], is && fact_at(facts, addr, key)->derived);
			bytes += is;
		}
	}
	assert_int_equal(bytes, count(facts, MEM));
	free(block);
}

static struct cairn_state *state_of(uint32_t memory)
{
	struct cairn_state_opts opts = {.size = sizeof opts, .memory = memory};
	struct cairn_state *state;
	good(cairn_state_new(c, &opts, &state));
	return state;
}

static struct cairn_reader *open_it(const char *path, bool no_index)
{
	struct cairn_reader *reader;
	struct cairn_open_opts opts = {.size = sizeof opts, .no_index = no_index};
	good(cairn_open(c, path, &opts, &reader));
	return reader;
}

/* Bytes that are known, and some around them, recalled by index. */
static void same_recalled(struct cairn_state *state, struct cairn_reader *reader,
                          const struct facts *facts)
{
	for (unsigned tries = 0, found = 0; tries < 4000 && found < 12; tries++) {
		const struct fact *fact =
			&facts->rows[((uint64_t)rnd(1u << 31) << 20 | rnd(1 << 20)) % facts->cap];
		if (fact->b >> 48 != MEM)
			continue;
		struct cairn_space space = {.kind = fact->b >> 40 & 255, .id = (uint32_t)fact->b};
		uint64_t addr = fact->a - rnd(70);
		uint8_t bytes[128], is[128], derived[128];
		good(cairn_state_recall(state, reader, space, addr, sizeof bytes));
		cairn_state_memory(state, space, addr, sizeof bytes, bytes, is);
		cairn_state_memory_derived(state, space, addr, sizeof derived, derived);
		for (unsigned i = 0; i < sizeof bytes; i++) {
			assert_int_equal(known(facts, addr + i, fact->b), is[i] ? bytes[i] : -1);
			assert_int_equal(derived[i], is[i] && fact_at(facts, addr + i, fact->b)->derived);
		}
		found++;
	}
}

/* Whatever the way, the registers have the same widths and are told of by the same. */
static void same_as_first(const struct cairn_state *state, bool first)
{
	static struct cairn_state_reg left[1 << 14], right[1 << 14];
	static int64_t n;
	if (first)
		n = cairn_state_regs(state, left, 1 << 14);
	assert_int_equal(cairn_state_regs(state, right, 1 << 14), n);
	for (int64_t i = 0; i < n; i++)
		assert_true(left[i].told == right[i].told && left[i].bits == right[i].bits &&
		            left[i].hart == right[i].hart && left[i].num == right[i].num &&
		            left[i].cls == right[i].cls);
}

/* Compare at number `n`, of which the facts hold. */
static void same_everywhere(const char *path, const struct facts *facts, uint64_t n, bool after)
{
	static const uint32_t kinds[] = {CAIRN_STATE_ALL, CAIRN_STATE_NEAR, CAIRN_STATE_NONE};
	for (unsigned k = 0; k < 6; k++) {
		struct cairn_reader *reader = open_it(path, k & 1);
		struct cairn_state *state = state_of(kinds[k / 2]);
		uint32_t row;
		good(after ? cairn_state_go_after(state, reader, n) : cairn_state_go(state, reader, n));
		assert_int_equal(cairn_state_batch(state, &row)->n0 + row, n);
		same_regs(state, facts);
		same_as_first(state, k == 0);
		if (kinds[k / 2] == CAIRN_STATE_ALL)
			same_memory(state, facts);
		if (kinds[k / 2] == CAIRN_STATE_NEAR)
			same_recalled(state, reader, facts);
		cairn_state_free(state);
		cairn_close(reader);
	}
}

/* At `places` places on the way, by all means; step by step everywhere near them. */
static void check_trace(const char *path, uint64_t insns, unsigned places)
{
	struct cairn_index_opts opts = {.size = sizeof opts, .threads = 2};
	struct facts facts = {0};
	good(cairn_index_build(c, path, &opts, NULL));
	struct cairn_reader *reader = open_it(path, true), *steps = open_it(path, false);
	struct cairn_state *walking = state_of(CAIRN_STATE_ALL);
	struct cairn_batch *batch = cairn_batch_new(c);
	uint64_t step = insns / places + 1, next = 1 + rnd((uint32_t)step);
	unsigned seen = 0;
	tell(&facts, 0, 1, -1);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i <= batch->n_insns; i++) {
			bool look = i < batch->n_insns && batch->n0 + i == next;
			if (look) {
				tell_slot(&facts, batch, i, false);
				same_everywhere(path, &facts, next, false);
				good(cairn_state_go(walking, steps, next));
				same_memory(walking, &facts);
			}
			tell_slot(&facts, batch, i, true);
			if (look && seen++ % 3 == 0)
				same_everywhere(path, &facts, next, true);
			if (look)
				next += seen % 4 ? 1 + rnd((uint32_t)(2 * step)) : 1;
		}
	assert_true(seen >= places / 2);
	assert_int_equal(cairn_state_go(walking, steps, insns + 1), CAIRN_E_NOTFOUND);
	assert_int_equal(cairn_state_go(walking, steps, 0), CAIRN_E_INVAL);
	cairn_batch_free(c, batch);
	cairn_state_free(walking);
	cairn_close(steps);
	cairn_close(reader);
	free(facts.rows);
}

/* ---- STF ---- */

static void write_file(const char *path, const struct bytes *bytes)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes->p, 1, bytes->n, f), bytes->n);
	fclose(f);
}

static uint64_t address(void)
{
	return 0x80000000u + 4096 * (uint64_t)(rnd(8) ? rnd(40) : rnd(3000)) + rnd(200);
}

static void vector(struct bytes *bytes, uint32_t vlen, unsigned role)
{
	rec(bytes, CAIRN_STF_INST_REG, "hb", rnd(32), 3u | role << 4);
	for (uint32_t i = 0; i < (vlen + 63) / 64; i++) {
		uint8_t word[8];
		base_put_le64(word, seed * 77 + i);
		bytes_put(bytes, word, 8);
	}
}

/* Groups with all that makes a state: registers of each class, accesses that come back to
 * their pages, walks of those, processes, instructions that did not retire. */
static void group(struct bytes *bytes, uint32_t vlen, bool ids)
{
	if (ids && rnd(9000) == 0)
		rec(bytes, CAIRN_STF_PROCESS_ID_EXT, "www", vlen ? rnd(3) : 2, 5 + rnd(2), 9u);
	if (rnd(3) == 0)
		reg(bytes, rnd(32), 1, 1 + rnd(2), seed);
	if (rnd(2) == 0)
		reg(bytes, rnd(32), 1 + rnd(2), 3, seed);
	if (rnd(2000) == 0)
		reg(bytes, rnd(4096), 4, 3, seed);
	if (vlen && rnd(50) == 0)
		vector(bytes, vlen, 1 + rnd(3));
	if (rnd(4) == 0) {
		uint64_t addr = address();
		unsigned size = rnd(30) ? 1u << rnd(4) : 8 * rnd(9);
		if (rnd(30) == 0)
			rec(bytes, CAIRN_STF_PAGE_TABLE_WALK, "qqwbqqqq", addr, 1ull, 4096u, 2u, 1ull, seed,
			    2ull, seed);
		rec(bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", addr, size, 0u, 1 + rnd(2));
		for (unsigned k = rnd(40) ? 1 + rnd(size > 8 ? size / 8 : 1) : 0; k; k--)
			rec(bytes, CAIRN_STF_INST_MEM_CONTENT, "q", seed * k);
	}
	if (rnd(400) == 0)
		event64(bytes, 5, 0, 0);
	/* nop; addi, add; csrrw of fcsr and mstatus; fadd.d, vadd.vv into v8, vsetivli; sd, sc.d; mret */
	static const uint32_t encs[] = {NOP,        0x00108093, 0x00208133, 0x003090f3,
	                                0x300090f3, 0x02107053, 0x02108457, 0xcd027057,
	                                0x0020b023, 0x1820b0af, 0x30200073};
	insn32(bytes, encs[rnd(6) ? rnd(3) / 2 : rnd(20000) ? rnd(8) : 8 + rnd(3)]);
}

static const char *make(const char *name, unsigned n, uint32_t vlen, bool ids)
{
	static const uint32_t first_ids[] = {1, 5, 9};
	struct bytes bytes = {0};
	const char *path = path_of(name);
	seed = n + vlen;
	head(&bytes, (struct head){.vlen = vlen,
	                           .ids = ids && vlen ? first_ids : NULL,
	                           .features = CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64});
	for (unsigned i = 0; i < n; i++)
		group(&bytes, vlen, ids);
	write_file(path, &bytes);
	bytes_free(&bytes);
	return path;
}

static const char *packed(const char *from, const char *name, const char *to)
{
	const char *path = path_of(name);
	struct cairn_reader *reader = open_it(from, true);
	struct cairn_output output = {.size = sizeof output, .path = path, .to = to};
	good(cairn_convert(reader, &output, NULL));
	cairn_close(reader);
	return path;
}

static void states_of_stf(void **state)
{
	(void)state;
	check_trace(make("a.stf", 150000, 0, false), 150000, 6);
	check_trace(make("v.stf", 150000, 256, true), 150000, 6);
	check_trace(packed(make("z.stf", 140000, 96, true), "z.zstf", "zstf:chunk=777"), 140000, 6);
	check_trace(make("one.stf", 1, 0, false), 1, 1);
}

static void states_of_streams(void **state)
{
	(void)state;
	check_trace(packed(make("s.stf", 140000, 128, true), "s.stf.gz", "stf"), 140000, 3);
}

/* Bytes of some chunks are not what they were: gaps, behind which nothing is known. */
static void states_of_damaged_traces(void **state)
{
	(void)state;
	char path[512];
	snprintf(path, sizeof path, "%s",
	         packed(make("d.stf", 200000, 128, true), "d.zstf", "zstf:chunk=3000"));
	struct bytes bytes = bytes_of_file(path);
	for (unsigned i = 1; i < 4; i++)
		memset(bytes.p + bytes.n / 4 * i, 0x55, 40);
	write_file(path, &bytes);
	bytes_free(&bytes);
	struct cairn_reader *reader = open_it(path, true);
	struct cairn_batch *batch = cairn_batch_new(c);
	uint64_t last = 0;
	while (cairn_next(reader, batch) > 0)
		last = batch->n_insns ? batch->n0 + batch->n_insns - 1 : last;
	assert_true(cairn_damage_count(reader) >= 3);
	cairn_batch_free(c, batch);
	cairn_close(reader);
	check_trace(path, last, 6);
}

/* Where memory is told of by the index: that it is, the same as by reading (above), and what
 * becomes of a byte of it that is wrong. */
static uint64_t memory_in_index(const char *path, size_t *points)
{
	struct cairn_index *index;
	uint64_t bytes;
	good(cairn_index_open(c, path, NULL, &index));
	*points = cairn_index_memory(index, &bytes);
	cairn_index_close(index);
	return bytes;
}

/* All memory before `n`, as blocks. */
static int64_t blocks_at(const char *path, bool no_index, uint64_t n, bool big,
                         struct cairn_state_block **blocks, const char *note)
{
	struct cairn_reader *reader = open_it(path, no_index);
	struct cairn_state_opts opts = {.size = sizeof opts, .big_endian = big};
	struct cairn_state *state;
	good(cairn_state_new(c, &opts, &state));
	good(cairn_state_go(state, reader, n));
	int64_t count = cairn_state_blocks(state, NULL, 0);
	*blocks = calloc((size_t)count + 1, sizeof **blocks);
	assert_non_null(*blocks);
	assert_int_equal(cairn_state_blocks(state, *blocks, (size_t)count), count);
	if (note)
		assert_non_null(strstr(cairn_reader_index_note(reader), note));
	else
		assert_null(cairn_reader_index_note(reader));
	cairn_state_free(state);
	cairn_close(reader);
	return count;
}

static void same_blocks(const char *path, uint64_t n, bool big, const char *note)
{
	struct cairn_state_block *left, *right;
	int64_t count = blocks_at(path, true, n, big, &left, NULL);
	assert_true(count > 20);
	assert_int_equal(blocks_at(path, false, n, big, &right, note), count);
	assert_memory_equal(left, right, (size_t)count * sizeof *left);
	free(left);
	free(right);
}

static void memory_is_in_the_index(void **state)
{
	(void)state;
	enum { HEAD = 128 };
	char path[512], index[520];
	size_t points;
	snprintf(path, sizeof path, "%s", make("m.stf", 400000, 128, true));
	snprintf(index, sizeof index, "%s.cai", path);
	good(cairn_index_build(c, path, NULL, NULL));
	uint64_t bytes = memory_in_index(path, &points);
	struct bytes whole = bytes_of_file(index), trace = bytes_of_file(path);
	assert_true(points >= 4 && bytes > 10000 && bytes <= trace.n / 8);
	for (unsigned i = 0; i < 12; i++)
		same_blocks(path, 1 + rnd(399999), i == 3, NULL);
	for (unsigned i = 0; i < 6; i++) { /* the last point is the one used, but not the only one */
		uint64_t at = HEAD + bytes * (5 + i) / 11;
		whole.p[at < HEAD + bytes ? at : HEAD + bytes - 1] ^= 0x40;
	}
	write_file(index, &whole);
	same_blocks(path, 399000, false, "its memory is wrong");
	struct cairn_reader *reader = open_it(path, false);
	assert_non_null(cairn_reader_index(reader)); /* all else of it is believed */
	cairn_close(reader);
	bytes_free(&whole);
	bytes_free(&trace);
}

/* More than an index may hold: numbers without rule everywhere. What is there is right. */
static void memory_has_a_budget(void **state)
{
	(void)state;
	struct bytes b = {0};
	size_t points;
	char path[512];
	snprintf(path, sizeof path, "%s", path_of("w.stf"));
	seed = 4;
	head(&b, (struct head){.features = CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64});
	for (unsigned i = 0; i < 600000; i++) {
		bool often = i < 200000 || i > 420000;
		uint64_t addr = 0x80000000u + 64 * (uint64_t)rnd(often ? 30 : 1 << 16);
		rec(&b, CAIRN_STF_INST_MEM_ACCESS, "qhhb", addr, 8u, 0u, 2u);
		rec(&b, CAIRN_STF_INST_MEM_CONTENT, "q", seed);
		insn32(&b, NOP);
	}
	write_file(path, &b);
	good(cairn_index_build(c, path, NULL, NULL));
	uint64_t bytes = memory_in_index(path, &points);
	assert_true(points > 0 && bytes <= b.n / 8);
	for (unsigned i = 0; i < 8; i++)
		same_blocks(path, 70000 * (i + 1), false, NULL);
	bytes_free(&b);
}

/* ---- RST ---- */

static struct cairn_field num(const char *name, uint64_t value)
{
	return (struct cairn_field){.name = name, .value = value, .kind = CAIRN_FIELD_HEX};
}

static void put(struct bytes *bytes, unsigned type, const struct cairn_field *field, unsigned n)
{
	static const struct cairn_rst_config cfg = {.version_major = 2, .version_minor = 13};
	uint8_t raw[CAIRN_RST_SIZE];
	assert_int_equal(cairn_rst_encode(&cfg, type, field, n, raw), 0);
	bytes_put(bytes, raw, sizeof raw);
}
#define PUT(b, type, ...) \
	do { \
		const struct cairn_field f_[] = {__VA_ARGS__}; \
		put(b, CAIRN_RST_##type, f_, sizeof f_ / sizeof *f_); \
	} while (0)

static void regval(struct bytes *bytes, unsigned cpu, unsigned post)
{
	/* integer, float, other, privileged, mmu … */
	unsigned type = rnd(8) ? 1 + rnd(2) : 1 + rnd(6), id = type == 3 ? rnd(96) : rnd(32);
	PUT(bytes, REGVAL, num("cpuid", cpu), num("post", post), num("regtype0", type),
	    num("regid0", id), num("value0", seed), num("regtype1", rnd(2) ? 1 : 0),
	    num("regid1", rnd(32)), num("value1", seed * 3));
}

static void rst_step(struct bytes *bytes, uint64_t pcs[3])
{
	enum { LDX = 0xc25a2008, STX = 0xc2722008 };
	/* nop; add, addcc; save, restore; fadds, faddd; wrpr of %tl; ldd; ta; stxa */
	static const uint32_t simple[] = {0x01000000, 0x82006001, 0x94802001, 0x9de3bf50,
	                                  0x81e80000, 0x85a00822, 0x89a08846, 0x93902000,
	                                  0xd41a0000, 0x91d02000, 0xc0f04400};
	unsigned cpu = rnd(3), kind = rnd(4), which = rnd(8) ? rnd(4) / 2 : rnd(11);
	if (rnd(1500) == 0)
		pcs[cpu] += 4096; /* where it ran meanwhile nobody tells */
	uint64_t pc = pcs[cpu];
	pcs[cpu] += 4;
	uint64_t ea = (0x40000 + address()) & ~7ull;
	if (rnd(500) == 0)
		PUT(bytes, PAVADIFF, num("cpuid", cpu), num("icontext", 7 + rnd(2)),
		    num("pc_pa_va", 0x100000), num("ea_valid", rnd(2)), num("ea_pa_va", 0x10000));
	if (rnd(6) == 0)
		regval(bytes, cpu, 0);
	if (rnd(900) == 0)
		PUT(bytes, DMA, num("iswrite", 1), num("nbytes", rnd(3) ? 64 : 60000),
		    num("start_pa", ea + 0x10000));
	PUT(bytes, INSTR, num("cpuid", cpu), num("pc_va", pc), num("ea_valid", kind < 2),
	    num("ea_va", ea),
	    num("instr", kind == 0   ? LDX
	                 : kind == 1 ? STX
	                             : simple[which]));
	if (kind < 2 && rnd(8))
		PUT(bytes, MEMVAL, num("cpuid", cpu), num("is128", 0), num("is_va", 1), num("size", 8),
		    num("addr", ea), num("value", seed));
	if (rnd(3) == 0)
		regval(bytes, cpu, 1);
}

static void states_of_rst(void **state)
{
	(void)state;
	enum { N = 160000 };
	struct bytes bytes = {0};
	uint64_t pcs[3] = {0x10000, 0x8000000, 0x20000000};
	const char *path = path_of("r.rst");
	struct cairn_field field[] = {
		num("major", 2),
		num("minor", 13),
		{.name = "percent", .text = "%", .len = 1, .kind = CAIRN_FIELD_TEXT},
		{.name = "magic", .text = "RST Header v2.13", .len = 16, .kind = CAIRN_FIELD_TEXT}};
	seed = 5;
	put(&bytes, CAIRN_RST_RSTHEADER, field, 4);
	for (unsigned i = 0; i < N; i++)
		rst_step(&bytes, pcs);
	write_file(path, &bytes);
	bytes_free(&bytes);
	check_trace(path, N, 6);
}

/* ---- VIXL ---- */

/* A simulator's log of which lines of registers are missing here and there, as a log is that was
 * filtered: what the instruction wrote is then unknown. */
static void states_of_logs(void **state)
{
	(void)state;
	char command[1024], line[4096];
	const char *path = path_of("v.vixl"), *examples = getenv("EXAMPLES");
	unsigned dropped = 0;
	if (!examples)
		skip();
	snprintf(command, sizeof command, "xz -dc '%s/sort-a64.vixl.xz'", examples);
	FILE *from = popen(command, "r"), *to = fopen(path, "wb");
	assert_true(from && to);
	seed = 9;
	while (fgets(line, sizeof line, from)) {
		bool value =
			line[0] == '#' && strchr(line, ':') && !strstr(line, "<-") && !strstr(line, "->");
		if (value && rnd(4) == 0)
			dropped++;
		else
			fputs(line, to);
	}
	assert_int_equal(pclose(from), 0);
	assert_int_equal(fclose(to), 0);
	assert_true(dropped > 300);
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_reader *reader = open_it(path, true);
	good(cairn_count(reader, 1, &tally));
	cairn_close(reader);
	check_trace(path, tally.instructions, 40);
}

/* What a log does not show and follows is derived, by any way to the place: what atomics store, and
 * NZCV behind an instruction that changes it without a line. */
static void states_of_derived_values(void **state)
{
	(void)state;
	enum { INSNS = 200000 };
	const char *path = path_of("derived.vixl");
	FILE *to = fopen(path, "wb");
	assert_non_null(to);
	seed = 12;
	for (unsigned i = 0; i < INSNS; i++) {
		unsigned pc = 0x400000 + 4 * i, which = i < 1000 || !rnd(100) ? rnd(40) : 40;
		unsigned addr = 0x10000 + 4 * rnd(4000), value = rnd(3);
		if (which < 18)
			fprintf(
				to,
				"0x%016x  f8220017\t\tldadd x2, x23, [x0]\n#            x23: 0x%016x <- 0x%016x\n"
				"#       x2<63:0>: 0x%016x -> 0x%016x\n",
				pc, value, addr, value + 1, addr);
		else if (which < 36)
			fprintf(to, "0x%016x  f9400001\t\tldr x1, [x0]\n#             x1: 0x%016x <- 0x%016x\n",
			        pc, value, addr);
		else if (i % 60000 == 1000)
			fprintf(to, "0x%016x  eb01003f\t\tcmp x1, x1\n# NZCV: N:0 Z:1 C:1 V:0\n", pc);
		else if (i % 60000 == 50000)
			fprintf(to, "0x%016x  d500401f\t\tcfinv\n", pc);
		else
			fprintf(to, "0x%016x  d503201f\t\tnop\n", pc);
	}
	assert_int_equal(fclose(to), 0);
	check_trace(path, INSNS, 12);
	struct cairn_state *all = state_of(CAIRN_STATE_ALL);
	struct cairn_reader *reader = open_it(path, false);
	uint8_t derived[1 << 16];
	good(cairn_state_go(all, reader, INSNS));
	size_t n = cairn_state_memory_derived(all, (struct cairn_space){.kind = CAIRN_SPACE_ONE},
	                                      0x10000, sizeof derived, derived);
	assert_true(n > 100 && n < sizeof derived / 2);
	cairn_state_free(all);
	cairn_close(reader);
}

/* ---- slices ---- */

static struct bytes sliced(const char *from, bool indexed, uint64_t look_back,
                           const struct cairn_range *ranges, size_t n)
{
	const char *path = path_of("slice.stf");
	struct cairn_reader *reader = open_it(from, !indexed);
	struct cairn_slice_opts opts = {.size = sizeof opts,
	                                .ranges = ranges,
	                                .n_ranges = n,
	                                .look_back = look_back};
	struct cairn_output out = {.size = sizeof out, .path = path, .to = "stf"};
	struct cairn_changed done = {.size = sizeof done};
	good(cairn_slice(reader, &opts, &out, &done));
	if (indexed)
		for (size_t i = 0; i < done.notes->n; i++)
			assert_null(strstr(done.notes->losses[i].what, "look-back"));
	cairn_changed_free(c, &done);
	cairn_close(reader);
	return bytes_of_file(path);
}

static void same_slices(const char *made, uint64_t insns)
{
	char path[512];
	snprintf(path, sizeof path, "%s", made);
	good(cairn_index_build(c, path, NULL, NULL));
	for (unsigned i = 0; i < 6; i++) {
		uint64_t a = 1 + rnd((uint32_t)insns), z = a + rnd(i & 1 ? 60000 : 50);
		struct cairn_range range[2] = {{a, z}, {z + 1 + rnd(80000), UINT64_MAX}};
		range[1].last = range[1].first + 2000;
		struct bytes x = sliced(path, true, 0, range, 1 + (i & 2) / 2);
		struct bytes y = sliced(path, false, UINT64_MAX, range, 1 + (i & 2) / 2);
		assert_true(x.n > 100);
		assert_int_equal(x.n, y.n);
		assert_memory_equal(x.p, y.p, x.n);
		bytes_free(&x);
		bytes_free(&y);
	}
}

static void slices_need_no_look_back(void **state)
{
	(void)state;
	same_slices(make("sl.stf", 250000, 256, true), 250000);
	same_slices(packed(make("sm.stf", 250000, 64, true), "sm.zstf", "zstf:chunk=1000"), 250000);
	same_slices(make("sn.stf", 250000, 0, true), 250000); /* who runs is told later */
}

/* ---- pieces of registers ---- */

static void bits_are_told_one_by_one(void **state)
{
	(void)state;
	struct cairn_batch *batch = cairn_batch_new(c);
	struct facts facts = {0};
	struct cairn_state *s = state_of(CAIRN_STATE_NONE);
	seed = 11;
	batch->n_ctxs = 1;
	batch->ctxs[0] = (struct cairn_ctx){.known = CAIRN_CTX_HART, .hart = 4};
	tell(&facts, 0, 1, -1);
	for (unsigned round = 0; round < 4000; round++) {
		unsigned width = rnd(8) ? rnd(65) : rnd(400);
		batch->insns[0] = (struct cairn_insn){0};
		batch->insns[1] = (struct cairn_insn){.reg0 = 1};
		batch->insns[2] = batch->insns[1];
		batch->n_insns = 1;
		batch->n_regs = 1;
		batch->n0 = round + 1;
		batch->n_bytes = 64;
		for (unsigned i = 0; i < 64; i++)
			batch->bytes[i] = (uint8_t)rnd(256);
		batch->regs[0] = (struct cairn_reg){
			.num = (uint16_t)rnd(6),
			.cls = CAIRN_REG_VECTOR,
			.role = CAIRN_ROLE_DST,
			.bits = width,
			.value = seed,
			.lsb = (uint16_t)(rnd(3) && width ? rnd(300) : 0),
			.flags = rnd(4) && (width == 0 || width <= 64) ? CAIRN_VALUE_KNOWN : 0};
		if (width > 64 && rnd(4)) {
			batch->regs[0].flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE;
			batch->regs[0].value = rnd(8);
		}
		good(cairn_state_step(s, batch, 0, 1));
		tell_slot(&facts, batch, 0, true);
		if (round % 16 == 0)
			same_regs(s, &facts);
	}
	cairn_state_free(s);
	cairn_batch_free(c, batch);
	free(facts.rows);
}

static void memory_has_a_limit(void **state)
{
	(void)state;
	struct cairn_reader *reader = open_it(make("l.stf", 50000, 0, false), true);
	struct cairn_state_opts opts = {.size = sizeof opts, .max_bytes = 100000};
	struct cairn_state *s;
	good(cairn_state_new(c, &opts, &s));
	assert_int_equal(cairn_state_go(s, reader, 49000), CAIRN_E_LIMIT);
	cairn_state_free(s);
	cairn_close(reader);
}

/* ---- real ones ---- */

static void real_traces(void **state)
{
	(void)state;
	const char *data = getenv("CAIRN_TEST_DATA");
	static const char *const names[] = {
		"stf/every-record/vlen512.stf", "stf/core_riscv-98d94d8.zstf",
		"stf/bmi_mm.bare-c0f235e.stf",  "rst/small_1k.rst",
		"rst/value_shade.rst.zst",      "rst/allrec_45k.rst.zst",
		"rst/multi/part0.rst.zst"};
	if (!data)
		skip();
	seed = 3;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char from[1024];
		struct cairn_tally tally = {.size = sizeof tally};
		snprintf(from, sizeof from, "%s/%s", data, names[i]);
		const char *path = path_of(strrchr(names[i], '/') + 1);
		if (access(from, R_OK) != 0)
			continue;
		assert_int_equal(symlink(from, path), 0);
		struct cairn_reader *reader = open_it(path, true);
		good(cairn_count(reader, 1, &tally));
		cairn_close(reader);
		check_trace(path, tally.instructions, 4);
	}
}

static int tidy(void **state)
{
	(void)state;
	DIR *d = opendir(dir);
	for (struct dirent *entry; d && (entry = readdir(d));)
		if (entry->d_name[0] != '.')
			unlink(path_of(entry->d_name));
	closedir(d);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_are_told_one_by_one),
		cmocka_unit_test(states_of_stf),
		cmocka_unit_test(states_of_streams),
		cmocka_unit_test(states_of_damaged_traces),
		cmocka_unit_test(memory_is_in_the_index),
		cmocka_unit_test(memory_has_a_budget),
		cmocka_unit_test(states_of_rst),
		cmocka_unit_test(states_of_logs),
		cmocka_unit_test(states_of_derived_values),
		cmocka_unit_test(slices_need_no_look_back),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(real_traces),
	};
	strcpy(dir, "/tmp/cairn-state-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, tidy);
	cairn_free(c);
	return failed;
}
