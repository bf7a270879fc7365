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
 */
#include "formats/stf/check/rules.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

struct check_place stf_spot_place(const struct stf_walk *walk, struct stf_spot at)
{
	struct check_place place = {.offset = at.off,
	                            .record = at.rec,
	                            .chunk = walk->ss->chunk,
	                            .known =
	                                CAIRN_PLACE_OFFSET | CAIRN_PLACE_RECORD | CAIRN_PLACE_INSN};
	place.insn = walk->at.n;
	if (walk->ss->transactions) {
		place.insn = walk->at.x;
		place.known |= CAIRN_PLACE_XACT;
	}
	if (walk->ss->places_unknown)
		place.known &= ~(uint32_t)CAIRN_PLACE_RECORD;
	if (walk->ss->kind == STF_SPAN_CHUNK)
		place.known |= CAIRN_PLACE_CHUNK;
	if (walk->at.now.ctx.known & CAIRN_CTX_HART) {
		place.cpu = walk->at.now.ctx.hart;
		place.known |= CAIRN_PLACE_CPU;
	}
	return place;
}

void stf_see_at(struct stf_walk *walk, unsigned what, struct stf_spot at)
{
	if (what == SEEN_COUNT) { /* an operand, reported by what is known when its group is complete */
		walk->at.now.group |= G_OPERAND;
		walk->group.operand_at = at;
		return;
	}
	if (walk->sp->seen >> what & 1)
		return;
	walk->sp->seen |= (uint64_t)1 << what;
	walk->sp->first[what] = stf_spot_place(walk, at);
}

/* ---- accesses and their contents ---- */

static void rules_walk_close_open(struct stf_walk *walk, struct stf_open *open, bool bus)
{
	uint32_t need = (open->size + 7) / 8;
	if (open->got == 0 && open->size && bus)
		FIND(walk, BUS_CONTENT_MISSING, open->at, "no BUS_MASTER_CONTENT follows the access");
	else if (open->got == 0 && open->size)
		FIND(walk, CONTENT_MISSING, open->at, "no INST_MEM_CONTENT follows the access");
	else if (open->got == 1 && need > 1 && bus)
		FIND(walk, BUS_CONTENT_WIDE, open->at, "one content for %u bytes", open->size);
	else if (open->got == 1 && need > 1) {
		walk->at.now.group |= G_WIDE; /* reported when it is known whether the size is in bits */
		walk->group.wide = *open;
	} else if (open->got != need && open->size && bus)
		FIND(walk, BUS_CONTENT_COUNT, open->at, "%u contents for %u bytes", open->got, open->size);
	else if (open->got != need && open->size)
		FIND(walk, CONTENT_COUNT, open->at, "%u contents for %u bytes", open->got, open->size);
	open->got = need; /* told once */
}

static inline bool is_complete(const struct stf_open *open)
{
	return open->got == (open->size + 7) / 8;
}

static inline void close_accesses(struct stf_walk *walk)
{
	struct stf_group *group = &walk->group;
	if ((walk->at.now.group & G_MEM) && !is_complete(&group->mem))
		rules_walk_close_open(walk, &group->mem, false);
	if ((walk->at.now.group & G_BUS) && !is_complete(&group->bus))
		rules_walk_close_open(walk, &group->bus, true);
}

/* The first access of a group, or something to report about one. */
static void open_group_memory(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	walk->at.now.group |= G_MEM;
	group->mem_at = stf_here(walk, p);
	group->reads = group->writes = 0;
	group->read_bytes = group->write_bytes = group->fetch_bytes = 0;
	group->last_addr = 0;
	group->mem.size = group->mem.got = 0;
	group->n_uses = 0;
	group->in_bits = false;
}

static void judge_access(struct stf_walk *walk, const uint8_t *p)
{
	unsigned type = stf_INST_MEM_ACCESS_access(p);
	if (type != 1 && type != 2)
		FIND(walk, MEM_TYPE, stf_here(walk, p), "the access type is %u, which is reserved", type);
	if (stf_INST_MEM_ACCESS_bytes(p) == 0)
		FIND(walk, MEM_ZERO, stf_here(walk, p), "the access has no size");
}

static inline void mem_access(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	uint64_t addr = stf_INST_MEM_ACCESS_address(p);
	uint32_t size = stf_INST_MEM_ACCESS_bytes(p);
	if (__builtin_expect(walk->bits, 0)) {
		stf_see(walk, SEEN_BITS, p);
		size = stf_bits_to_bytes(size, NULL);
	}
	if (!(walk->at.now.group & G_MEM))
		open_group_memory(walk, p);
	else if (!is_complete(&group->mem))
		rules_walk_close_open(walk, &group->mem, false);
	group->mem.at = stf_here(walk, p);
	group->mem.size = size;
	group->mem.got = 0;
	uint32_t is_write = stf_INST_MEM_ACCESS_access(p) == 2;
	group->writes += is_write;
	group->reads += stf_INST_MEM_ACCESS_access(p) == 1;
	group->write_bytes += is_write ? size : 0;
	group->read_bytes += stf_INST_MEM_ACCESS_access(p) == 1 ? size : 0;
	/* An atomic writes where it has read. */
	if (__builtin_expect(addr < group->last_addr, 0))
		walk->at.now.group |= G_DISORDER;
	group->last_addr = addr;
	if (__builtin_expect(addr == walk->at.now.pc && !is_write && walk->at.now.pc_known, 0)) {
		walk->at.now.group |= G_FETCH;
		group->fetch_bytes += size;
	}
	if (__builtin_expect((unsigned)stf_INST_MEM_ACCESS_access(p) - 1 > 1 || size == 0, 0))
		judge_access(walk, p);
	if (__builtin_expect(stf_INST_MEM_ACCESS_attributes(p) != 0, 0))
		stf_see(walk, SEEN_ATTRIBUTE, p);
	if (__builtin_expect(walk->pages, 0))
		stf_rule_page_access(walk, p);
}

static void judge_content(struct stf_walk *walk, const struct stf_open *open, const uint8_t *p,
                          bool bus)
{
	uint64_t v = stf_INST_MEM_CONTENT_value(p);
	unsigned used = open->size % 8;
	if (open->got != (open->size + 7) / 8 || used == 0 || v >> (8 * used) == 0)
		return;
	if (walk->bits && !bus && open->size == 1) { /* or 8 bytes: the encoding tells */
		walk->at.now.group |= G_NARROW;
		walk->group.narrow_at = stf_here(walk, p);
		walk->group.narrow = v;
		return;
	}
	if (bus)
		FIND(walk, BUS_CONTENT_JUSTIFIED, stf_here(walk, p), "0x%llx does not fit into %u bytes",
		     (unsigned long long)v, used);
	else
		FIND(walk, CONTENT_JUSTIFIED, stf_here(walk, p), "0x%llx does not fit into %u bytes",
		     (unsigned long long)v, used);
}

static inline void mem_content(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_open *open = &walk->group.mem;
	if (__builtin_expect(walk->group.prev != CAIRN_STF_INST_MEM_ACCESS &&
	                         walk->group.prev != CAIRN_STF_INST_MEM_CONTENT,
	                     0)) {
		FIND(walk, CONTENT_ORPHAN, stf_here(walk, p), "there is no INST_MEM_ACCESS before it");
		open->size = open->got = 0;
		return;
	}
	if (__builtin_expect(open->got == 0 && open->size == 0, 0))
		return; /* of an orphan, or of an access without a size, which has been reported */
	open->got++;
	if (__builtin_expect(open->size % 8 != 0, 1))
		judge_content(walk, open, p, false);
}

static void bus_access(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	if ((walk->at.now.group & G_BUS) && !is_complete(&group->bus))
		rules_walk_close_open(walk, &group->bus, true);
	walk->at.now.group |= G_BUS;
	group->bus = (struct stf_open){.at = stf_here(walk, p), .size = stf_BUS_MASTER_ACCESS_bytes(p)};
	if (stf_BUS_MASTER_ACCESS_access(p) != 1 && stf_BUS_MASTER_ACCESS_access(p) != 2)
		FIND(walk, BUS_TYPE, group->bus.at, "the access type is %u, which is reserved",
		     stf_BUS_MASTER_ACCESS_access(p));
	if (stf_BUS_MASTER_ACCESS_initiator(p) > 6)
		FIND(walk, BUS_INITIATOR, group->bus.at, "the initiator is %u, which is reserved",
		     stf_BUS_MASTER_ACCESS_initiator(p));
	else if (stf_BUS_MASTER_ACCESS_initiator(p) == 0)
		stf_see(walk, SEEN_BUS_ZERO, p);
	if (group->bus.size == 0)
		FIND(walk, BUS_ZERO, group->bus.at, "the access has no size");
	if (stf_BUS_MASTER_ACCESS_attributes(p))
		stf_see(walk, SEEN_ATTRIBUTE, p);
}

static void bus_content(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_open *open = &walk->group.bus;
	if (walk->group.prev != CAIRN_STF_BUS_MASTER_ACCESS &&
	    walk->group.prev != CAIRN_STF_BUS_MASTER_CONTENT) {
		FIND(walk, BUS_CONTENT_ORPHAN, stf_here(walk, p),
		     "there is no BUS_MASTER_ACCESS before it");
		*open = (struct stf_open){0};
		return;
	}
	if (open->size == 0)
		return;
	open->got++;
	judge_content(walk, open, p, true);
}

/* ---- registers ---- */

static void judge_reg(struct stf_walk *walk, const uint8_t *p)
{
	static const uint16_t highest[] = {0, 31, 31, 31, 0xfff};
	struct stf_spot at = stf_here(walk, p);
	unsigned type = stf_reg_class(p), operand = (stf_reg_role(p) & 3), num = stf_INST_REG_reg(p);
	bool ours = stf_isa_is_ours(walk->cfg->isa);
	const struct stf_bank *bank = stf_bank_at((enum cairn_isa)walk->at.now.isa, type, num);
	if (ours && !bank)
		FIND(walk, REG_NUMBER, at, "there is no %s register %u",
		     type <= 4 ? stf_name(stf_reg_types, type) : "such", num);
	else if (!ours && (type < 1 || type > 4))
		FIND(walk, REG_TYPE, at, "the register type is %u, which is reserved", type);
	else if (!ours && type == 1 && num == 32)
		FIND(walk, REG_PC, at, "integer register 32");
	else if (!ours && num > highest[type])
		FIND(walk, REG_NUMBER, at, "there is no %s register %u", stf_name(stf_reg_types, type),
		     num);
	if (operand == 0)
		FIND(walk, REG_OPERAND, at, "the operand type is 0, which is reserved");
	if (stf_INST_REG_kind(p) >> 6)
		FIND(walk, REG_BITS, at, "bits 23:22 are %u", stf_INST_REG_kind(p) >> 6);
}

static inline void reg(struct stf_walk *walk, const uint8_t *p)
{
	unsigned num = stf_INST_REG_reg(p), meta = stf_INST_REG_kind(p);
	/* Frequent: integer and floating-point operands with a number that exists. */
	bool plain = (meta == 0x21 || meta == 0x31 || meta == 0x22 || meta == 0x32) && num < 32;
	stf_see(walk, meta >> 4 == CAIRN_ROLE_STATE ? SEEN_STATE : walk->operand, p);
	if (walk->follow)
		stf_rule_reg(walk, p);
	if (__builtin_expect(!plain, 0)) {
		if ((meta & 15) == CAIRN_REG_VECTOR)
			stf_see(walk, SEEN_VECTOR, p);
		judge_reg(walk, p);
	}
}

static void micro_op(struct stf_walk *walk, const uint8_t *p)
{
	stf_see(walk, SEEN_MICRO_OP, p);
	walk->at.now.group |= G_MICRO;
	if (stf_INST_MICROOP_bytes(p) != 2 && stf_INST_MICROOP_bytes(p) != 4)
		FIND(walk, MICRO_OP_SIZE, stf_here(walk, p), "a micro-op of %u bytes",
		     stf_INST_MICROOP_bytes(p));
	else if (stf_INST_MICROOP_bytes(p) == 2 && stf_INST_MICROOP_micro_op(p) >> 16)
		FIND(walk, MICRO_OP_BITS, stf_here(walk, p), "0x%08x does not fit into 2 bytes",
		     stf_INST_MICROOP_micro_op(p));
}

/* ---- what changes the state ---- */

static void force_pc(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	uint64_t pc = stf_FORCE_PC_pc(p);
	if ((walk->at.now.group & STF_FORCED) && group->forced != pc)
		FIND(walk, FORCE_PC_TWICE, stf_here(walk, p), "the instruction already has FORCE_PC 0x%llx",
		     (unsigned long long)group->forced);
	if (walk->riscv && (pc & 1))
		FIND(walk, PC_ODD, stf_here(walk, p), "FORCE_PC is 0x%llx", (unsigned long long)pc);
	if (!walk->at.now.pc_known && !walk->at.now.begun)
		FIND(walk, FORCE_PC_HEADER, stf_here(walk, p),
		     "the first FORCE_PC stands behind the header");
	group->forced = pc;
	stf_follow_force(&walk->at.now, pc);
}

static void process_id(struct stf_walk *walk, const uint8_t *p)
{
	uint32_t id[3];
	stf_process_ids(p, id);
	stf_see(walk, SEEN_PROCESS, p);
	if (walk->cfg->new_ids && walk->cfg->version_minor < 6)
		stf_see(walk, SEEN_IDS, p);
	struct cairn_ctx before = walk->at.now.ctx;
	stf_follow_ids(&walk->at.now, walk->cfg, p);
	stf_regs_forget(walk);
	if (before.known & CAIRN_CTX_PID &&
	    (before.pid != walk->at.now.ctx.pid || before.tid != walk->at.now.ctx.tid ||
	     before.hw_tid != walk->at.now.ctx.hw_tid || before.asid != walk->at.now.ctx.asid))
		walk->at.now.group |= G_SWITCH;
	walk->page_ok = walk->code_page = UINT64_MAX;
	uint64_t *told = base_map_at(&walk->sp->ids, (uint64_t)id[0] << 32 | id[1], id[2]);
	struct stf_id_row row = {.id = {id[0], id[1], id[2]},
	                         .at = stf_spot_place(walk, stf_here(walk, p))};
	int rc = !told ? CAIRN_E_NOMEM : *told ? 0 : base_buf_put(&walk->sp->id_rows, &row, sizeof row);
	if (rc < 0)
		walk->part->found.status = rc;
	else
		*told = 1;
}

static void iem(struct stf_walk *walk, const uint8_t *p)
{
	unsigned v = stf_INST_IEM_iem(p);
	walk->iem = true;
	stf_follow(&walk->at.now, walk->cfg, p);
	if (walk->at.now.isa == CAIRN_ISA_RV64)
		stf_see(walk, SEEN_RV64, p);
	if (stf_isa_is_ours(walk->cfg->isa) && walk->at.now.isa)
		return; /* A32 and T32 change often: that was reported for the header */
	if (v == 0 || v == 0xffff || (v > 2 && walk->cfg->isa == 1))
		FIND(walk, IEM_VALUE, stf_here(walk, p), "INST_IEM is 0x%x, which is reserved", v);
	else
		FIND(walk, IEM_BODY, stf_here(walk, p), "INST_IEM behind the header");
}

static void rules_walk_comment(struct stf_walk *walk, const uint8_t *p, size_t len)
{
	size_t n;
	const char *text = stf_text(p, len, &n);
	stf_follow_rare(&walk->at.now, walk->cfg, p); /* it may tell of a gap */
	if (n && text[n - 1] == 0)
		FIND(walk, COMMENT_NUL, stf_here(walk, p), "the text of %zu bytes ends in a NUL", n);
}

/* Nothing comes that the records behind the last instruction could belong to. */
static void leave_trailing(struct stf_walk *walk)
{
	if (!walk->group.prev)
		return;
	walk->sp->trailing = true;
	walk->sp->trailing_at = stf_spot_place(walk, walk->group.first);
	close_accesses(walk);
}

static void end_record(struct stf_walk *walk, const uint8_t *p)
{
	leave_trailing(walk);
	stf_see(walk, SEEN_END, p);
	walk->sp->ended_by_255 = true;
	walk->sp->end_at = stf_spot_place(walk, stf_here(walk, p));
}

/* The grammar says what is wrong (order.h), unless there is a rule of its own for that. */
static void rules_walk_judge_order(struct stf_walk *walk, const uint8_t *p)
{
	const struct stf_group *group = &walk->group;
	const struct stf_type *before = stf_type(group->prev), *type = stf_type(*p);
	enum stf_order_fault fault = stf_order_of(group->prev, *p, false);
	bool told = *p == CAIRN_STF_PAGE_TABLE_WALK && (walk->at.now.group & G_MEM);
	bool due =
		*p == CAIRN_STF_EVENT_PC_TARGET && (walk->at.now.group & G_EVENT) && group->targets_due;
	if (!(type->flags & STF_BODY))
		return;
	if ((fault == STF_ORDER_DESCENDS && !told) || (fault == STF_ORDER_ORPHAN && due))
		FIND(walk, GROUP_ORDER, stf_here(walk, p), "%s behind %s", type->name, before->name);
	else if (fault == STF_ORDER_BETWEEN && (type->flags & STF_FREE))
		FIND(walk, GROUP_ORDER, stf_here(walk, p), "%s between %s and its %s", type->name,
		     before->name, stf_type(group->prev + 1u)->name);
}

static void judge_type(struct stf_walk *walk, const uint8_t *p)
{
	const struct stf_type *type = stf_type(*p);
	if (!(type->flags & STF_BODY))
		FIND(walk, HEADER_GROUP, stf_here(walk, p), "%s behind the header", type->name);
	else if ((type->flags & STF_INSN_ONLY) && walk->ss->transactions)
		FIND(walk, KIND_XACTS, stf_here(walk, p), "%s in a transaction trace", type->name);
	else if ((type->flags & STF_XACT_ONLY) && !walk->ss->transactions)
		FIND(walk, KIND_INSNS, stf_here(walk, p), "%s in an instruction trace", type->name);
	if (type->since > walk->cfg->version_minor && (type->flags & STF_BODY))
		FIND(walk, RECORD_VERSION, stf_here(walk, p),
		     "%s came with version 1.%u; the trace claims %u.%u", type->name, type->since,
		     walk->cfg->version_major, walk->cfg->version_minor);
}

static void rules_walk_rare(struct stf_walk *walk, const uint8_t *p, size_t len)
{
	const struct stf_type *type = stf_type(*p);
	const uint16_t kinds = STF_INSN_ONLY | STF_XACT_ONLY;
	if (!(type->flags & STF_BODY) || type->since ||
	    ((type->flags & kinds) && walk->ss->transactions) || (type->flags & STF_XACT_ONLY))
		judge_type(walk, p);
	switch (*p) {
	case CAIRN_STF_COMMENT:
		rules_walk_comment(walk, p, len);
		break;
	case CAIRN_STF_INST_IEM:
		iem(walk, p);
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		process_id(walk, p);
		break;
	case CAIRN_STF_FORCE_PC:
		force_pc(walk, p);
		break;
	case CAIRN_STF_PAGE_TABLE_WALK:
		stf_rule_page_walk(walk, p);
		break;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		bus_access(walk, p);
		break;
	case CAIRN_STF_BUS_MASTER_CONTENT:
		bus_content(walk, p);
		break;
	case CAIRN_STF_EVENT:
		stf_rule_event(walk, p);
		break;
	case CAIRN_STF_EVENT_PC_TARGET:
		if (walk->group.prev <= *p) /* it ascends, but that is not all it needs */
			rules_walk_judge_order(walk, p);
		stf_rule_event_target(walk, p);
		break;
	case CAIRN_STF_INST_MICROOP:
		micro_op(walk, p);
		break;
	case CAIRN_STF_TRANSACTION:
		if (walk->ss->transactions)
			stf_rule_transaction(walk, p);
		walk->at.x++;
		stf_follow(&walk->at.now, walk->cfg, p);
		break;
	case CAIRN_STF_TRANSACTION_DEPENDENCY:
		if (walk->ss->transactions)
			stf_rule_dependency(walk, p);
		break;
	case CAIRN_STF_RESERVED_END:
		end_record(walk, p);
		break;
	default:
		break;
	}
}

/* ---- the instruction ---- */

static void first_insn(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_spot at = stf_here(walk, p);
	if (!walk->at.now.pc_known)
		FIND(walk, FORCE_PC_FIRST, at, "there is no FORCE_PC before the first instruction");
	if (!walk->judge->has[CAIRN_STF_INST_IEM] && !walk->iem)
		FIND(walk, IEM_FIRST, at, "there is no INST_IEM before the first instruction");
	if (!(walk->at.now.group & G_MODE))
		FIND(walk, MODE_START, at,
		     "no MODE_CHANGE tells the mode of the first instruction; "
		     "many traces have none");
}

/* Join this group with what the one before left open. */
static void rules_walk_join(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_part *sp = walk->sp;
	struct check_place at = stf_spot_place(walk, stf_here(walk, p));
	/* Another thread continues where it stood, in its own mode. */
	bool forced = walk->at.now.group & (STF_FORCED | G_SWITCH),
		 mode = walk->at.now.group & (G_MODE | G_SWITCH);
	if (!sp->any_group) {
		sp->any_group = true;
		sp->head_forced = forced;
		sp->head_mode = mode;
		sp->head = at;
	} else {
		stf_rule_join(walk->part, &sp->tail, forced, mode, &at);
	}
	sp->tail.kind = TAIL_NONE;
}

#define SPECIAL (CAIRN_TRAIT_VECTOR | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_CSR)

/* What few traces ask for. */
static __attribute__((noinline)) void judge_extra(struct stf_walk *walk, const uint8_t *p,
                                                  const struct cairn_op *op)
{
	if (walk->named && !*isa_memo_note(op) && !(walk->at.now.group & G_ABORTED)) {
		*isa_memo_note(op) = 1;
		stf_rule_extension(walk, p, op);
	}
	if (walk->pages)
		stf_rule_pages_used(walk, p);
}

/* In line for both lengths: a call would cost a tenth of the walk. */
static inline __attribute__((always_inline)) void insn(struct stf_walk *walk, const uint8_t *p,
                                                       uint32_t enc, unsigned size)
{
	struct stf_state *at = &walk->at;
	struct stf_group *group = &walk->group;
	const struct cairn_op *op =
		isa_memo_get(walk->memo, stf_variant(walk->cfg, at->now.isa), enc, size);
	uint32_t t = op->traits, flags = at->now.group;

	if (__builtin_expect(!at->now.begun, 0))
		first_insn(walk, p);
	if (__builtin_expect(!walk->sp->any_group || walk->sp->tail.kind, 0))
		rules_walk_join(walk, p);
	if (__builtin_expect(
			(walk->riscv && ((enc & 3) == 3) != (size == 4)) || op->cls == CAIRN_CLASS_ILLEGAL, 0))
		stf_rule_encoding(walk, p, op, size);
	if ((t & CAIRN_TRAIT_BRANCH) || (flags & G_TARGET))
		stf_rule_flow(walk, p, op, size);
	if ((t & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) || (flags & G_MEM))
		stf_rule_memory(walk, p, op, size);
	if (__builtin_expect((flags & (G_BUS | G_MEM)) != 0, 0)) {
		close_accesses(walk);
		if ((walk->at.now.group & G_WIDE) && !group->in_bits)
			FIND(walk, CONTENT_WIDE, group->wide.at, "one content for %u bytes", group->wide.size);
		if ((walk->at.now.group & G_NARROW) && op->mem_size == 1)
			FIND(walk, CONTENT_JUSTIFIED, group->narrow_at, "0x%llx does not fit into 1 bytes",
			     (unsigned long long)group->narrow);
	}
	if (__builtin_expect((flags & G_RARE) || (t & SPECIAL), 0)) {
		stf_rule_special(walk, p, op);
		if (flags & G_RARE)
			stf_rule_group_events(walk, op, size);
	}
	if (__builtin_expect(walk->extra, 0))
		judge_extra(walk, p, op);
	if (__builtin_expect(walk->follow, 0))
		stf_rule_regs(walk, enc, size);
	stf_follow_insn(&at->now, size);
	at->n++;
	walk->sp->insns++;
	group->prev = 0;
}

static inline void pc_target(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	uint64_t target = stf_INST_PC_TARGET_pc(p);
	if (__builtin_expect(walk->at.now.group & G_TARGET, 0))
		FIND(walk, TARGET_TWICE, stf_here(walk, p), "the instruction already has a target");
	walk->at.now.group |= G_TARGET;
	group->target = target;
	group->target_at = stf_here(walk, p);
	stf_follow_target(&walk->at.now, target);
	if (__builtin_expect(walk->riscv && (target & 1), 0))
		FIND(walk, PC_ODD, group->target_at, "INST_PC_TARGET is 0x%llx",
		     (unsigned long long)target);
}

static void first_of_group(struct stf_walk *walk, const uint8_t *p)
{
	walk->sp->any_record = true;
	if (walk->sp->ended_by_255) {
		check_add(walk->part, STF_RULE_END_LAST, &walk->sp->end_at, "records follow record 255");
		walk->sp->ended_by_255 = false;
	}
	walk->group.first = stf_here(walk, p);
}

/* ---- the loop ---- */

/* Judge one record of `len` bytes, already measured. */
static inline void rules_walk_judge(struct stf_walk *walk, const uint8_t *p, size_t len)
{
	unsigned type = *p;
	if (walk->group.prev == 0)
		first_of_group(walk, p);
	else if (__builtin_expect(type < walk->group.prev, 0))
		rules_walk_judge_order(walk, p);
	switch (type) {
	case CAIRN_STF_INST_32:
		if (__builtin_expect(walk->ss->transactions, 0))
			judge_type(walk, p);
		insn(walk, p, stf_INST_32_encoding(p), 4);
		break;
	case CAIRN_STF_INST_16:
		if (__builtin_expect(walk->ss->transactions, 0))
			judge_type(walk, p);
		insn(walk, p, stf_INST_16_encoding(p), 2);
		break;
	case CAIRN_STF_INST_PC_TARGET:
		pc_target(walk, p);
		walk->group.prev = (uint8_t)type;
		break;
	case CAIRN_STF_INST_REG:
		reg(walk, p);
		walk->group.prev = (uint8_t)type;
		break;
	case CAIRN_STF_INST_MEM_ACCESS:
		mem_access(walk, p);
		walk->group.prev = (uint8_t)type;
		break;
	case CAIRN_STF_INST_MEM_CONTENT:
		mem_content(walk, p);
		walk->group.prev = (uint8_t)type;
		break;
	default:
		rules_walk_rare(walk, p, len);
		if (type == CAIRN_STF_TRANSACTION || type == CAIRN_STF_RESERVED_END)
			walk->group.prev = 0;
		else if (walk->group.prev == 0 || !(stf_type(type)->flags & STF_FREE))
			walk->group.prev = (uint8_t)type;
		break;
	}
	walk->at.rec++;
}

/* Walk the window's whole records; 1 when a record cannot be measured. */
static int rules_walk_walk(struct stf_walk *walk)
{
	const struct cairn_stf_config *cfg = walk->cfg;
	const uint8_t *p = walk->ss->bytes.window.p, *const end = walk->ss->bytes.window.end;
	int64_t len = 0;
	walk->off0 = walk->ss->bytes.abs - (uint64_t)(uintptr_t)walk->ss->bytes.window.base;
	while (p < end) {
		len = stf_length(cfg, p, (size_t)(end - p));
		if (__builtin_expect(len <= 0, 0))
			break;
		rules_walk_judge(walk, p, (size_t)len);
		p += len;
	}
	walk->ss->bytes.window.p = p;
	return len < 0;
}

/* Why the record where the walk stopped cannot be read. */
static void report_stop(struct stf_walk *walk)
{
	const struct stf_span *ss = walk->ss;
	const uint8_t *p = ss->bytes.window.p;
	size_t left = kit_left(&ss->bytes);
	struct stf_spot at = stf_here(walk, p);
	const struct stf_type *type = left ? stf_type(*p) : NULL;
	if (ss->stopped)
		FIND(walk, RECORD_COMPLETE, at, "%s", ss->bytes.why);
	else if (*p == 0)
		FIND(walk, RECORD_RESERVED, at, "descriptor 0; what follows cannot be read");
	else if (!type)
		FIND(walk, RECORD_KNOWN, at, "no record has descriptor 0x%02x; what follows cannot be read",
		     *p);
	else if (cairn_stf_record_length(walk->cfg, p, left) == 0)
		FIND(walk, RECORD_COMPLETE, at, "the input ends inside %s: %zu byte%s of it %s there",
		     type->name, left, left == 1 ? "" : "s", left == 1 ? "is" : "are");
	else if (*p == CAIRN_STF_INST_REG)
		FIND(walk, VLEN_REG, at,
		     "a vector register, but the header has no VLEN_CONFIG with a size; "
		     "what follows cannot be read");
	else if (*p != CAIRN_STF_TRANSACTION)
		FIND(walk, RECORD_COMPLETE, at,
		     "%s says it is longer than 4 GiB; what follows cannot be "
		     "read",
		     type->name);
	else if (!walk->judge->has[CAIRN_STF_PROTOCOL_ID])
		FIND(walk, PROTOCOL_PRESENT, at,
		     "a TRANSACTION, but the header has no PROTOCOL_ID; "
		     "what follows cannot be read");
	else if (walk->judge->insn_trace)
		FIND(walk, KIND_INSNS, at,
		     "a TRANSACTION in an instruction trace; what follows cannot be read");
	else if (walk->cfg->protocol != 1)
		FIND(walk, PROTOCOL_VALUE, at,
		     "a TRANSACTION of protocol %u cannot be read, nor can what "
		     "follows",
		     walk->cfg->protocol);
	else {
		size_t q = STF_LEN_TRANSACTION;
		unsigned n = stf_TRANSACTION_metadata(p);
		for (; n && q < left && p[q] <= 3; n--)
			q += 1 + ((size_t)1 << p[q]);
		if (n)
			FIND(walk, XACT_METADATA, at,
			     "metadata element of type %u; what follows cannot be "
			     "read",
			     q < left ? p[q] : 0);
		else
			FIND(walk, TL_CHANNEL, at, "channel %u; what follows cannot be read",
			     q < left ? p[q] : 0);
	}
}

/* The span has been walked: take what stands behind its last instruction. */
static void end_span(struct stf_walk *walk, bool damaged)
{
	struct stf_span *ss = walk->ss;
	struct stf_part *sp = walk->sp;
	sp->chunk = ss->kind == STF_SPAN_CHUNK;
	sp->damaged = damaged || ss->stopped || kit_left(&ss->bytes) > 0;
	sp->causes = (uint8_t)((walk->caused[0] + 1 == walk->at.n ? CAUSE_XRET : 0) |
	                       (walk->caused[1] + 1 == walk->at.n ? CAUSE_EVENT : 0));
	if (sp->damaged)
		report_stop(walk);
	else
		leave_trailing(walk);
	stf_follow_end(&walk->at.now);
	walk->at.off = kit_offset(&ss->bytes);
	walk->at.gap = 0;
	walk->at.damaged = sp->damaged;
}

/* Behind the last chunk: are there as many bytes as the index says? */
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

int stf_rules_span(struct cairn_reader *reader, const void *state, struct model_span *span,
                   struct check_part *part)
{
	const struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	struct stf_worker *worker = span->worker;
	if (ss->kind == STF_SPAN_END) {
		judge_sizes(im, ss, part);
		memcpy(span->exit, &ss->at, sizeof ss->at);
		return part->found.status;
	}
	if (stf_need_memo(reader->cairn, worker) < 0)
		return CAIRN_E_NOMEM;
	struct stf_walk walk = {.reader = reader,
	                        .cfg = &im->header.cfg,
	                        .judge = state,
	                        .part = part,
	                        .sp = part->priv,
	                        .ss = ss,
	                        .memo = worker->memo,
	                        .at = ss->at,
	                        .riscv = im->header.cfg.isa == 1,
	                        .bits = im->reading.bits,
	                        .follow = im->reading.sources && !im->reading.after &&
	                                  im->header.cfg.isa == 1,
	                        .page_ok = UINT64_MAX,
	                        .code_page = UINT64_MAX,
	                        .named = ((const struct stf_judge *)state)->isa_extended,
	                        .operand = SEEN_OPERAND,
	                        .pages = im->header.cfg.features & CAIRN_STF_F_PTE};
	if (im->header.cfg.features & CAIRN_STF_F_INT_DIV_OPERAND_VALUE)
		walk.operand = SEEN_COUNT; /* whose it is, the instruction tells */
	walk.extra = walk.pages || walk.named;
	bool damaged = false;
	int rc = 0;
	stf_span_mark(ss);
	if (ss->header)
		stf_pass_header(&im->header, ss, &walk.at);
	for (;;) {
		damaged = rules_walk_walk(&walk);
		if (damaged || ss->stopped)
			break;
		if (base_cancelled(reader->cairn))
			return base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
		rc = stf_span_more(reader, span);
		if (rc < 0)
			return rc;
		if (rc == 0)
			break;
	}
	walk.off0 = ss->bytes.abs - (uint64_t)(uintptr_t)ss->bytes.window.base;
	end_span(&walk, damaged);
	if (!span->scanned)
		memcpy(span->exit, &walk.at, sizeof walk.at);
	if (span->again && (rc = stf_span_rewind(reader, span)) < 0)
		return rc;
	ss->finished = !span->again;
	return part->found.status;
}
