/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of `check` over a span: one pass over the raw records with the decoded
 * instruction at hand.
 *
 * Records since the last instruction are gathered in a group: flags, and what a
 * flag makes valid. Frequent records are judged in line; what is rare is a call.
 * At the encoding the group is complete, and the rules that need all of it run.
 * A group never crosses a span, for spans end behind an instruction; a container
 * that does otherwise breaks a rule of its own.
 *
 * PCs are followed as in decoder.c.
 */
#include "formats/stf/rules.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

struct check_place stf_spot_place(const struct stf_walk *w, struct stf_spot at)
{
	struct check_place p = {.offset = at.off,
	                        .record = at.rec,
	                        .chunk = w->ss->chunk,
	                        .known = CAIRN_PLACE_OFFSET | CAIRN_PLACE_RECORD | CAIRN_PLACE_INSN};
	p.insn = w->at.n;
	if (w->ss->transactions) {
		p.insn = w->at.x;
		p.known |= CAIRN_PLACE_XACT;
	}
	if (w->ss->places_unknown)
		p.known &= ~(uint32_t)CAIRN_PLACE_RECORD;
	if (w->ss->kind == STF_SPAN_CHUNK)
		p.known |= CAIRN_PLACE_CHUNK;
	if (w->at.ctx.known & CAIRN_CTX_HART) {
		p.cpu = w->at.ctx.hart;
		p.known |= CAIRN_PLACE_CPU;
	}
	return p;
}

void stf_see_at(struct stf_walk *w, unsigned what, struct stf_spot at)
{
	if (what == SEEN_COUNT) { /* an operand, of what is known when its group is complete */
		w->g.flags |= G_OPERAND;
		w->g.operand_at = at;
		return;
	}
	if (w->sp->seen >> what & 1)
		return;
	w->sp->seen |= (uint64_t)1 << what;
	w->sp->first[what] = stf_spot_place(w, at);
}

/* ---- accesses and their contents ---- */

static void rules_walk_close_open(struct stf_walk *w, struct stf_open *o, bool bus)
{
	uint32_t need = (o->size + 7) / 8;
	if (o->got == 0 && o->size && bus)
		FIND(w, BUS_CONTENT_MISSING, o->at, "no BUS_MASTER_CONTENT follows the access");
	else if (o->got == 0 && o->size)
		FIND(w, CONTENT_MISSING, o->at, "no INST_MEM_CONTENT follows the access");
	else if (o->got == 1 && need > 1 && bus)
		FIND(w, BUS_CONTENT_WIDE, o->at, "one content for %u bytes", o->size);
	else if (o->got == 1 && need > 1) {
		w->g.flags |= G_WIDE; /* told when it is known whether the size is in bits */
		w->g.wide = *o;
	} else if (o->got != need && o->size && bus)
		FIND(w, BUS_CONTENT_COUNT, o->at, "%u contents for %u bytes", o->got, o->size);
	else if (o->got != need && o->size)
		FIND(w, CONTENT_COUNT, o->at, "%u contents for %u bytes", o->got, o->size);
	o->got = need; /* told once */
}

static inline bool is_complete(const struct stf_open *o)
{
	return o->got == (o->size + 7) / 8;
}

/* The first access of a group, or something to tell about one. */
static void open_group_memory(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	g->flags |= G_MEM;
	g->mem_at = stf_here(w, p);
	g->reads = g->writes = 0;
	g->read_bytes = g->write_bytes = g->fetch_bytes = 0;
	g->last_addr = 0;
	g->mem.size = g->mem.got = 0;
	g->n_uses = 0;
	g->in_bits = false;
}

static void judge_access(struct stf_walk *w, const uint8_t *p)
{
	unsigned type = p[13];
	if (type != 1 && type != 2)
		FIND(w, MEM_TYPE, stf_here(w, p), "the access type is %u, which is reserved", type);
	if (base_le16(p + 9) == 0)
		FIND(w, MEM_ZERO, stf_here(w, p), "the access has no size");
}

static inline void mem_access(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	uint64_t addr = base_le64(p + 1);
	uint32_t size = base_le16(p + 9);
	if (__builtin_expect(w->bits, 0)) {
		stf_see(w, SEEN_BITS, p);
		size = stf_bits_to_bytes(size, NULL);
	}
	if (!(g->flags & G_MEM))
		open_group_memory(w, p);
	else if (!is_complete(&g->mem))
		rules_walk_close_open(w, &g->mem, false);
	g->mem.at = stf_here(w, p);
	g->mem.size = size;
	g->mem.got = 0;
	uint32_t is_write = p[13] == 2;
	g->writes += is_write;
	g->reads += p[13] == 1;
	g->write_bytes += is_write ? size : 0;
	g->read_bytes += p[13] == 1 ? size : 0;
	/* An atomic writes where it has read. */
	if (__builtin_expect(addr < g->last_addr, 0))
		g->flags |= G_DISORDER;
	g->last_addr = addr;
	if (__builtin_expect(addr == w->at.pc && !is_write && w->at.pc_known, 0)) {
		g->flags |= G_FETCH;
		g->fetch_bytes += size;
	}
	if (__builtin_expect((unsigned)p[13] - 1 > 1 || size == 0, 0))
		judge_access(w, p);
	if (__builtin_expect(base_le16(p + 11) != 0, 0))
		stf_see(w, SEEN_ATTRIBUTE, p);
	if (__builtin_expect(w->pages, 0))
		stf_rule_page_access(w, p);
}

static void judge_content(struct stf_walk *w, const struct stf_open *o, const uint8_t *p, bool bus)
{
	uint64_t v = base_le64(p + 1);
	unsigned used = o->size % 8;
	if (o->got != (o->size + 7) / 8 || used == 0 || v >> (8 * used) == 0)
		return;
	if (w->bits && !bus && o->size == 1) { /* or 8 bytes: the encoding tells */
		w->g.flags |= G_NARROW;
		w->g.narrow_at = stf_here(w, p);
		w->g.narrow = v;
		return;
	}
	if (bus)
		FIND(w, BUS_CONTENT_JUSTIFIED, stf_here(w, p), "0x%llx does not fit into %u bytes",
		     (unsigned long long)v, used);
	else
		FIND(w, CONTENT_JUSTIFIED, stf_here(w, p), "0x%llx does not fit into %u bytes",
		     (unsigned long long)v, used);
}

static inline void mem_content(struct stf_walk *w, const uint8_t *p)
{
	struct stf_open *o = &w->g.mem;
	if (__builtin_expect(
			w->g.prev != CAIRN_STF_INST_MEM_ACCESS && w->g.prev != CAIRN_STF_INST_MEM_CONTENT, 0)) {
		FIND(w, CONTENT_ORPHAN, stf_here(w, p), "there is no INST_MEM_ACCESS before it");
		o->size = o->got = 0;
		return;
	}
	if (__builtin_expect(o->got == 0 && o->size == 0, 0))
		return; /* of an orphan, or of an access without a size: told already */
	o->got++;
	if (__builtin_expect(o->size % 8 != 0, 1))
		judge_content(w, o, p, false);
}

static void bus_access(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	if ((g->flags & G_BUS) && !is_complete(&g->bus))
		rules_walk_close_open(w, &g->bus, true);
	g->flags |= G_BUS;
	g->bus = (struct stf_open){.at = stf_here(w, p), .size = base_le16(p + 9)};
	if (p[17] != 1 && p[17] != 2)
		FIND(w, BUS_TYPE, g->bus.at, "the access type is %u, which is reserved", p[17]);
	if (p[11] > 6)
		FIND(w, BUS_INITIATOR, g->bus.at, "the initiator is %u, which is reserved", p[11]);
	else if (p[11] == 0)
		stf_see(w, SEEN_BUS_ZERO, p);
	if (g->bus.size == 0)
		FIND(w, BUS_ZERO, g->bus.at, "the access has no size");
	if (base_le32(p + 13))
		stf_see(w, SEEN_ATTRIBUTE, p);
}

static void bus_content(struct stf_walk *w, const uint8_t *p)
{
	struct stf_open *o = &w->g.bus;
	if (w->g.prev != CAIRN_STF_BUS_MASTER_ACCESS && w->g.prev != CAIRN_STF_BUS_MASTER_CONTENT) {
		FIND(w, BUS_CONTENT_ORPHAN, stf_here(w, p), "there is no BUS_MASTER_ACCESS before it");
		*o = (struct stf_open){0};
		return;
	}
	if (o->size == 0)
		return;
	o->got++;
	judge_content(w, o, p, true);
}

/* ---- registers ---- */

static void judge_reg(struct stf_walk *w, const uint8_t *p)
{
	static const uint16_t highest[] = {0, 31, 31, 31, 0xfff};
	struct stf_spot at = stf_here(w, p);
	unsigned type = p[3] & 15, operand = p[3] >> 4 & 3, num = base_le16(p + 1);
	bool ours = stf_isa_is_ours(w->cfg->isa);
	const struct stf_bank *k = stf_bank_at((enum cairn_isa)w->at.isa, type, num);
	if (ours && !k)
		FIND(w, REG_NUMBER, at, "there is no %s register %u",
		     type <= 4 ? stf_name(stf_reg_types, type) : "such", num);
	else if (!ours && (type < 1 || type > 4))
		FIND(w, REG_TYPE, at, "the register type is %u, which is reserved", type);
	else if (!ours && type == 1 && num == 32)
		FIND(w, REG_PC, at, "integer register 32");
	else if (!ours && num > highest[type])
		FIND(w, REG_NUMBER, at, "there is no %s register %u", stf_name(stf_reg_types, type), num);
	if (operand == 0)
		FIND(w, REG_OPERAND, at, "the operand type is 0, which is reserved");
	if (p[3] >> 6)
		FIND(w, REG_BITS, at, "bits 23:22 are %u", p[3] >> 6);
}

static inline void reg(struct stf_walk *w, const uint8_t *p)
{
	unsigned num = base_le16(p + 1), meta = p[3];
	/* Frequent: integer and floating-point operands with a number that exists. */
	bool plain = (meta == 0x21 || meta == 0x31 || meta == 0x22 || meta == 0x32) && num < 32;
	stf_see(w, meta >> 4 == CAIRN_ROLE_STATE ? SEEN_STATE : w->operand, p);
	if (w->follow)
		stf_rule_reg(w, p);
	if (__builtin_expect(!plain, 0)) {
		if ((meta & 15) == CAIRN_REG_VECTOR)
			stf_see(w, SEEN_VECTOR, p);
		judge_reg(w, p);
	}
}

static void micro_op(struct stf_walk *w, const uint8_t *p)
{
	stf_see(w, SEEN_MICRO_OP, p);
	w->g.flags |= G_MICRO;
	if (p[1] != 2 && p[1] != 4)
		FIND(w, MICRO_OP_SIZE, stf_here(w, p), "a micro-op of %u bytes", p[1]);
	else if (p[1] == 2 && base_le32(p + 2) >> 16)
		FIND(w, MICRO_OP_BITS, stf_here(w, p), "0x%08x does not fit into 2 bytes",
		     base_le32(p + 2));
}

/* ---- what changes the state ---- */

static void force_pc(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	uint64_t pc = base_le64(p + 1);
	if ((g->flags & G_FORCED) && g->forced != pc)
		FIND(w, FORCE_PC_TWICE, stf_here(w, p), "the instruction already has FORCE_PC 0x%llx",
		     (unsigned long long)g->forced);
	if (w->riscv && (pc & 1))
		FIND(w, PC_ODD, stf_here(w, p), "FORCE_PC is 0x%llx", (unsigned long long)pc);
	if (!w->at.pc_known && !w->at.begun)
		FIND(w, FORCE_PC_HEADER, stf_here(w, p), "the first FORCE_PC stands behind the header");
	g->flags |= G_FORCED;
	g->forced = pc;
	w->at.pc = pc;
	w->at.pc_known = 1;
}

static void process_id(struct stf_walk *w, const uint8_t *p)
{
	uint32_t id[3] = {base_le32(p + 1), base_le32(p + 5), base_le32(p + 9)};
	stf_see(w, SEEN_PROCESS, p);
	if (w->cfg->new_ids && w->cfg->version_minor < 6)
		stf_see(w, SEEN_IDS, p);
	struct cairn_ctx before = w->at.ctx;
	stf_ids(w->cfg, id, &w->at.ctx);
	stf_regs_forget(w);
	if (before.known & CAIRN_CTX_PID &&
	    (before.pid != w->at.ctx.pid || before.tid != w->at.ctx.tid ||
	     before.hw_tid != w->at.ctx.hw_tid || before.asid != w->at.ctx.asid))
		w->g.flags |= G_SWITCH;
	w->page_ok = w->code_page = UINT64_MAX;
	uint64_t *told = base_map_at(&w->sp->ids, (uint64_t)id[0] << 32 | id[1], id[2]);
	struct stf_id_row row = {.id = {id[0], id[1], id[2]}, .at = stf_spot_place(w, stf_here(w, p))};
	int rc = !told ? CAIRN_E_NOMEM : *told ? 0 : base_buf_put(&w->sp->id_rows, &row, sizeof row);
	if (rc < 0)
		w->part->found.status = rc;
	else
		*told = 1;
}

static void iem(struct stf_walk *w, const uint8_t *p)
{
	unsigned v = base_le16(p + 1);
	w->iem = true;
	w->at.isa = (uint8_t)stf_isa(w->cfg, v);
	if (w->at.isa == CAIRN_ISA_RV64)
		stf_see(w, SEEN_RV64, p);
	if (stf_isa_is_ours(w->cfg->isa) && w->at.isa)
		return; /* A32 and T32 change often: told in the header */
	if (v == 0 || v == 0xffff || (v > 2 && w->cfg->isa == 1))
		FIND(w, IEM_VALUE, stf_here(w, p), "INST_IEM is 0x%x, which is reserved", v);
	else
		FIND(w, IEM_BODY, stf_here(w, p), "INST_IEM behind the header");
}

static void rules_walk_comment(struct stf_walk *w, const uint8_t *p, size_t len)
{
	if (len > 5 && p[len - 1] == 0)
		FIND(w, COMMENT_NUL, stf_here(w, p), "the text of %zu bytes ends in a NUL", len - 5);
}

static void end_record(struct stf_walk *w, const uint8_t *p)
{
	stf_see(w, SEEN_END, p);
	w->sp->ended_by_255 = true;
	w->sp->end_at = stf_spot_place(w, stf_here(w, p));
}

/* What may stand anywhere, also between an access and its content: it leaves the order as
 * it was. */
static inline bool stands_anywhere(unsigned type)
{
	return type == CAIRN_STF_COMMENT || type == CAIRN_STF_PROCESS_ID_EXT ||
	       type == CAIRN_STF_FORCE_PC || type == CAIRN_STF_INST_IEM;
}

/* Descriptors ascend within a group, but for what may be repeated or stand anywhere. */
static bool may_follow(unsigned prev, unsigned now)
{
	if (stands_anywhere(now))
		return true;
	switch (now) {
	case CAIRN_STF_TRANSACTION: /* behind its dependencies */
		return true;
	case CAIRN_STF_INST_PC_TARGET:
		return prev == CAIRN_STF_INST_REG || prev == CAIRN_STF_INST_READY_REG ||
		       prev == CAIRN_STF_PAGE_TABLE_WALK;
	case CAIRN_STF_INST_REG:
	case CAIRN_STF_INST_READY_REG:
		return prev <= CAIRN_STF_BUS_MASTER_CONTENT;
	case CAIRN_STF_INST_MEM_ACCESS:
		return prev == CAIRN_STF_INST_MEM_CONTENT;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		return prev == CAIRN_STF_BUS_MASTER_CONTENT;
	case CAIRN_STF_EVENT:
		return prev == CAIRN_STF_EVENT_PC_TARGET;
	default:
		return false;
	}
}

static void rules_walk_judge_order(struct stf_walk *w, const uint8_t *p)
{
	const struct stf_type *before = stf_type(w->g.prev), *t = stf_type(*p);
	if (may_follow(w->g.prev, *p) || !(t->flags & STF_BODY))
		return;
	if (*p == CAIRN_STF_PAGE_TABLE_WALK && (w->g.flags & G_MEM))
		return; /* has a rule of its own */
	FIND(w, GROUP_ORDER, stf_here(w, p), "%s behind %s", t->name, before->name);
}

static void judge_type(struct stf_walk *w, const uint8_t *p)
{
	const struct stf_type *t = stf_type(*p);
	if (!(t->flags & STF_BODY))
		FIND(w, HEADER_GROUP, stf_here(w, p), "%s behind the header", t->name);
	else if ((t->flags & STF_INSN_ONLY) && w->ss->transactions)
		FIND(w, KIND_XACTS, stf_here(w, p), "%s in a transaction trace", t->name);
	else if ((t->flags & STF_XACT_ONLY) && !w->ss->transactions)
		FIND(w, KIND_INSNS, stf_here(w, p), "%s in an instruction trace", t->name);
	if (t->since > w->cfg->version_minor && (t->flags & STF_BODY))
		FIND(w, RECORD_VERSION, stf_here(w, p), "%s came with version 1.%u; the trace claims %u.%u",
		     t->name, t->since, w->cfg->version_major, w->cfg->version_minor);
}

static void rules_walk_rare(struct stf_walk *w, const uint8_t *p, size_t len)
{
	const struct stf_type *t = stf_type(*p);
	const uint16_t kinds = STF_INSN_ONLY | STF_XACT_ONLY;
	if (!(t->flags & STF_BODY) || t->since || ((t->flags & kinds) && w->ss->transactions) ||
	    (t->flags & STF_XACT_ONLY))
		judge_type(w, p);
	switch (*p) {
	case CAIRN_STF_COMMENT:
		rules_walk_comment(w, p, len);
		break;
	case CAIRN_STF_INST_IEM:
		iem(w, p);
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		process_id(w, p);
		break;
	case CAIRN_STF_FORCE_PC:
		force_pc(w, p);
		break;
	case CAIRN_STF_PAGE_TABLE_WALK:
		stf_rule_page_walk(w, p);
		break;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		bus_access(w, p);
		break;
	case CAIRN_STF_BUS_MASTER_CONTENT:
		bus_content(w, p);
		break;
	case CAIRN_STF_EVENT:
		stf_rule_event(w, p);
		break;
	case CAIRN_STF_EVENT_PC_TARGET:
		stf_rule_event_target(w, p);
		break;
	case CAIRN_STF_INST_MICROOP:
		micro_op(w, p);
		break;
	case CAIRN_STF_TRANSACTION:
		if (w->ss->transactions)
			stf_rule_transaction(w, p);
		break;
	case CAIRN_STF_TRANSACTION_DEPENDENCY:
		if (w->ss->transactions)
			stf_rule_dependency(w, p);
		break;
	case CAIRN_STF_RESERVED_END:
		end_record(w, p);
		break;
	default:
		break;
	}
}

/* ---- the instruction ---- */

static void first_insn(struct stf_walk *w, const uint8_t *p)
{
	struct stf_spot at = stf_here(w, p);
	if (!w->at.pc_known)
		FIND(w, FORCE_PC_FIRST, at, "there is no FORCE_PC before the first instruction");
	if (!w->judge->has[CAIRN_STF_INST_IEM] && !w->iem)
		FIND(w, IEM_FIRST, at, "there is no INST_IEM before the first instruction");
	if (!(w->g.flags & G_MODE))
		FIND(w, MODE_START, at,
		     "no MODE_CHANGE tells the mode of the first instruction; "
		     "many traces have none");
}

/* What the group before left open, now that this one is known. */
static void rules_walk_join(struct stf_walk *w, const uint8_t *p)
{
	struct stf_part *sp = w->sp;
	struct check_place at = stf_spot_place(w, stf_here(w, p));
	/* Another thread goes on where it stood, in its mode. */
	bool forced = w->g.flags & (G_FORCED | G_SWITCH), mode = w->g.flags & (G_MODE | G_SWITCH);
	if (!sp->any_group) {
		sp->any_group = true;
		sp->head_forced = forced;
		sp->head_mode = mode;
		sp->head = at;
	} else {
		stf_rule_join(w->part, &sp->tail, forced, mode, &at);
	}
	sp->tail.kind = TAIL_NONE;
}

#define SPECIAL (CAIRN_TRAIT_VECTOR | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_CSR)

/* What few traces ask for. */
static __attribute__((noinline)) void judge_extra(struct stf_walk *w, const uint8_t *p,
                                                  const struct cairn_op *op)
{
	if (w->named && !*isa_memo_note(op) && !(w->g.flags & G_ABORTED)) {
		*isa_memo_note(op) = 1;
		stf_rule_extension(w, p, op);
	}
	if (w->pages)
		stf_rule_pages_used(w, p);
}

/* In line for both lengths: a call would cost a tenth of the walk. */
static inline __attribute__((always_inline)) void insn(struct stf_walk *w, const uint8_t *p,
                                                       uint32_t enc, unsigned size)
{
	struct stf_state *at = &w->at;
	struct stf_group *g = &w->g;
	const struct cairn_op *op = isa_memo_get(w->memo, stf_variant(w->cfg, at->isa), enc, size);
	uint32_t t = op->traits, flags = g->flags;
	uint64_t next = at->pc + size;

	if (__builtin_expect(!at->begun, 0))
		first_insn(w, p);
	if (__builtin_expect(!w->sp->any_group || w->sp->tail.kind, 0))
		rules_walk_join(w, p);
	if (__builtin_expect(
			(w->riscv && ((enc & 3) == 3) != (size == 4)) || op->cls == CAIRN_CLASS_ILLEGAL, 0))
		stf_rule_encoding(w, p, op, size);
	if ((t & CAIRN_TRAIT_BRANCH) || (flags & G_TARGET))
		stf_rule_flow(w, p, op, size);
	if ((t & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) || (flags & G_MEM))
		stf_rule_memory(w, p, op, size);
	if (__builtin_expect((flags & (G_BUS | G_MEM)) != 0, 0)) {
		if ((flags & G_MEM) && !is_complete(&g->mem))
			rules_walk_close_open(w, &g->mem, false);
		if ((flags & G_BUS) && !is_complete(&g->bus))
			rules_walk_close_open(w, &g->bus, true);
		if ((g->flags & G_WIDE) && !g->in_bits)
			FIND(w, CONTENT_WIDE, g->wide.at, "one content for %u bytes", g->wide.size);
		if ((g->flags & G_NARROW) && op->mem_size == 1)
			FIND(w, CONTENT_JUSTIFIED, g->narrow_at, "0x%llx does not fit into 1 bytes",
			     (unsigned long long)g->narrow);
	}
	if (__builtin_expect((flags & G_RARE) || (t & SPECIAL), 0)) {
		stf_rule_special(w, p, op);
		if (flags & G_RARE)
			stf_rule_group_events(w, op, size);
	}
	if (__builtin_expect(w->extra, 0))
		judge_extra(w, p, op);
	if (__builtin_expect(w->follow, 0))
		stf_rule_regs(w, enc, size);
	if (at->has_target) {
		next = at->target;
		at->has_target = 0;
		at->pc_known = 1;
	}
	at->pc = next;
	at->n++;
	at->begun = 1;
	if (__builtin_expect(flags & G_MODE, 0) && g->later_priv <= CAIRN_PRIV_MACHINE) {
		at->ctx.priv = g->later_priv;
		at->ctx.known |= CAIRN_CTX_PRIV;
	}
	w->sp->insns++;
	g->flags = 0;
	g->prev = 0;
}

static inline void pc_target(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	uint64_t target = base_le64(p + 1);
	if (__builtin_expect(g->flags & G_TARGET, 0))
		FIND(w, TARGET_TWICE, stf_here(w, p), "the instruction already has a target");
	g->flags |= G_TARGET;
	g->target = w->at.target = target;
	g->target_at = stf_here(w, p);
	w->at.has_target = 1;
	if (__builtin_expect(w->riscv && (target & 1), 0))
		FIND(w, PC_ODD, g->target_at, "INST_PC_TARGET is 0x%llx", (unsigned long long)target);
}

static void first_of_group(struct stf_walk *w, const uint8_t *p)
{
	if (!w->sp->record_first) {
		w->sp->record_first = true;
		w->sp->first_record = stf_spot_place(w, stf_here(w, p));
	}
	if (w->sp->ended_by_255 && *p != CAIRN_STF_RESERVED_END) {
		check_add(w->part, STF_RULE_END_LAST, &w->sp->end_at, "records follow record 255");
		w->sp->ended_by_255 = false;
	}
	w->g.first = stf_here(w, p);
}

/* ---- the loop ---- */

/* One record of `len` bytes, already measured. */
static inline void rules_walk_judge(struct stf_walk *w, const uint8_t *p, size_t len)
{
	unsigned type = *p;
	if (w->g.prev == 0)
		first_of_group(w, p);
	else if (__builtin_expect(type < w->g.prev, 0))
		rules_walk_judge_order(w, p);
	switch (type) {
	case CAIRN_STF_INST_32:
		if (__builtin_expect(w->ss->transactions, 0))
			judge_type(w, p);
		insn(w, p, base_le32(p + 1), 4);
		break;
	case CAIRN_STF_INST_16:
		if (__builtin_expect(w->ss->transactions, 0))
			judge_type(w, p);
		insn(w, p, base_le16(p + 1), 2);
		break;
	case CAIRN_STF_INST_PC_TARGET:
		pc_target(w, p);
		w->g.prev = (uint8_t)type;
		break;
	case CAIRN_STF_INST_REG:
		reg(w, p);
		w->g.prev = (uint8_t)type;
		break;
	case CAIRN_STF_INST_MEM_ACCESS:
		mem_access(w, p);
		w->g.prev = (uint8_t)type;
		break;
	case CAIRN_STF_INST_MEM_CONTENT:
		mem_content(w, p);
		w->g.prev = (uint8_t)type;
		break;
	default:
		rules_walk_rare(w, p, len);
		if (type == CAIRN_STF_TRANSACTION || type == CAIRN_STF_RESERVED_END)
			w->g.prev = 0;
		else if (w->g.prev == 0 || !stands_anywhere(type))
			w->g.prev = (uint8_t)type;
		break;
	}
	w->at.rec++;
}

/* Walk the window's whole records; 1 when a record cannot be measured. */
static int rules_walk_walk(struct stf_walk *w)
{
	const struct cairn_stf_config *cfg = w->cfg;
	const uint8_t *p = w->ss->w.p, *const end = w->ss->w.end;
	int64_t len = 0;
	w->off0 = w->ss->abs - (uint64_t)(uintptr_t)w->ss->w.base;
	while (p < end) {
		switch (end - p >= STF_LEN_LONGEST_FIXED ? *p : 0) {
		case CAIRN_STF_INST_32:
			len = STF_LEN_INST_32;
			break;
		case CAIRN_STF_INST_16:
			len = STF_LEN_INST_16;
			break;
		case CAIRN_STF_INST_PC_TARGET:
		case CAIRN_STF_INST_MEM_CONTENT:
			len = STF_LEN_INST_MEM_CONTENT;
			break;
		case CAIRN_STF_INST_MEM_ACCESS:
			len = STF_LEN_INST_MEM_ACCESS;
			break;
		case CAIRN_STF_INST_REG:
			len = STF_LEN_INST_REG + 8;
			if ((p[3] & 15) != CAIRN_REG_VECTOR)
				break;
			/* fallthrough */
		default:
			len = cairn_stf_record_length(cfg, p, (size_t)(end - p));
			break;
		}
		if (__builtin_expect(len <= 0, 0))
			break;
		rules_walk_judge(w, p, (size_t)len);
		p += len;
	}
	w->ss->w.p = p;
	return len < 0;
}

/* Why the record where the walk stopped cannot be read. */
static void report_stop(struct stf_walk *w)
{
	const struct stf_span *ss = w->ss;
	const uint8_t *p = ss->w.p;
	size_t left = (size_t)(ss->w.end - p);
	struct stf_spot at = stf_here(w, p);
	const struct stf_type *t = left ? stf_type(*p) : NULL;
	if (ss->stopped)
		FIND(w, RECORD_COMPLETE, at, "%s", ss->why);
	else if (*p == 0)
		FIND(w, RECORD_RESERVED, at, "descriptor 0; what follows cannot be read");
	else if (!t)
		FIND(w, RECORD_KNOWN, at, "no record has descriptor 0x%02x; what follows cannot be read",
		     *p);
	else if (cairn_stf_record_length(w->cfg, p, left) == 0)
		FIND(w, RECORD_COMPLETE, at, "the input ends inside %s: %zu byte%s of it %s there", t->name,
		     left, left == 1 ? "" : "s", left == 1 ? "is" : "are");
	else if (*p == CAIRN_STF_INST_REG)
		FIND(w, VLEN_REG, at,
		     "a vector register, but the header has no VLEN_CONFIG with a size; "
		     "what follows cannot be read");
	else if (*p != CAIRN_STF_TRANSACTION)
		FIND(w, RECORD_COMPLETE, at,
		     "%s says it is longer than 4 GiB; what follows cannot be "
		     "read",
		     t->name);
	else if (w->judge->insn_trace)
		FIND(w, PROTOCOL_PRESENT, at,
		     "a TRANSACTION, but the header has no PROTOCOL_ID; "
		     "what follows cannot be read");
	else if (w->cfg->protocol != 1)
		FIND(w, PROTOCOL_VALUE, at,
		     "a TRANSACTION of protocol %u cannot be read, nor can what "
		     "follows",
		     w->cfg->protocol);
	else {
		size_t q = STF_LEN_TRANSACTION;
		unsigned n = base_le16(p + 18);
		for (; n && q < left && p[q] <= 3; n--)
			q += 1 + ((size_t)1 << p[q]);
		if (n)
			FIND(w, XACT_METADATA, at,
			     "metadata element of type %u; what follows cannot be "
			     "read",
			     q < left ? p[q] : 0);
		else
			FIND(w, TL_CHANNEL, at, "channel %u; what follows cannot be read", q < left ? p[q] : 0);
	}
}

/* The span has been walked: what stands behind its last instruction. */
static void end_span(struct stf_walk *w, bool damaged)
{
	struct stf_span *ss = w->ss;
	struct stf_part *sp = w->sp;
	sp->chunk = ss->kind == STF_SPAN_CHUNK;
	sp->damaged = damaged || ss->stopped || ss->w.p < ss->w.end;
	sp->causes = (uint8_t)((w->caused[0] + 1 == w->at.n ? CAUSE_XRET : 0) |
	                       (w->caused[1] + 1 == w->at.n ? CAUSE_EVENT : 0));
	if (sp->damaged) {
		report_stop(w);
		return;
	}
	if (w->g.prev) {
		sp->trailing = true;
		sp->trailing_at = stf_spot_place(w, w->g.first);
		if ((w->g.flags & G_MEM) && !is_complete(&w->g.mem))
			rules_walk_close_open(w, &w->g.mem, false);
		if ((w->g.flags & G_BUS) && !is_complete(&w->g.bus))
			rules_walk_close_open(w, &w->g.bus, true);
	}
}

/* Behind the last chunk: as many bytes as the index tells? */
static void judge_sizes(const struct stf_impl *im, const struct stf_span *ss,
                        struct check_part *part)
{
	struct stf_size size;
	for (uint64_t i = 0; stf_container_size(im, ss, i, &size); i++) {
		struct check_place at = {.offset = size.at,
		                         .chunk = size.chunk,
		                         .known = CAIRN_PLACE_OFFSET | CAIRN_PLACE_CHUNK};
		if (size.odd)
			check_add(part, STF_RULE_CONTAINER_SIZE, &at,
			          "the chunk has %llu bytes, the index says "
			          "%llu",
			          (unsigned long long)size.found, (unsigned long long)size.told);
	}
}

int stf_rules_span(struct cairn_reader *r, const void *state, struct model_span *s,
                   struct check_part *part)
{
	const struct stf_impl *im = r->impl;
	struct stf_span *ss = s->priv;
	struct stf_worker *worker = s->worker;
	if (ss->kind == STF_SPAN_END) {
		judge_sizes(im, ss, part);
		return part->found.status;
	}
	if (stf_need_memo(r->c, worker) < 0)
		return CAIRN_E_NOMEM;
	struct stf_walk w = {.r = r,
	                     .cfg = &im->header.cfg,
	                     .judge = state,
	                     .part = part,
	                     .sp = part->priv,
	                     .ss = ss,
	                     .memo = worker->memo,
	                     .at = ss->at,
	                     .riscv = im->header.cfg.isa == 1,
	                     .bits = im->reading.bits,
	                     .follow =
	                         im->reading.sources && !im->reading.after && im->header.cfg.isa == 1,
	                     .page_ok = UINT64_MAX,
	                     .code_page = UINT64_MAX,
	                     .named = ((const struct stf_judge *)state)->isa_extended,
	                     .operand = SEEN_OPERAND,
	                     .pages = im->header.cfg.features & CAIRN_STF_F_PTE};
	if (im->header.cfg.features & CAIRN_STF_F_INT_DIV_OPERAND_VALUE)
		w.operand = SEEN_COUNT; /* whose it is, the instruction tells */
	w.extra = w.pages || w.named;
	bool damaged = false;
	int rc = 0;
	stf_span_mark(ss);
	if (ss->header) {
		ss->w.p += im->header.size;
		w.at.rec += im->header.records;
		w.at.pc = im->header.pc;
		w.at.pc_known = im->header.has_pc;
	}
	for (;;) {
		damaged = rules_walk_walk(&w);
		if (damaged || ss->stopped)
			break;
		if (base_cancelled(r->c))
			return base_fail(r->c, CAIRN_E_CANCELLED, "cancelled");
		rc = stf_span_more(r, s);
		if (rc < 0)
			return rc;
		if (rc == 0)
			break;
	}
	w.off0 = ss->abs - (uint64_t)(uintptr_t)ss->w.base;
	end_span(&w, damaged);
	if (s->again && (rc = stf_span_rewind(r, s)) < 0)
		return rc;
	ss->finished = !s->again;
	return part->found.status;
}
