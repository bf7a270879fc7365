/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of one instruction: its encoding, its change of flow, its accesses.
 *
 * They run when the instruction's record group is complete. An instruction that an
 * exception or interrupt stopped may have done less than its encoding says (and
 * appears again when it runs), so for it only what must not be there is judged.
 */
#include "base/bytes.h"
#include "formats/stf/check/rules.h"
#include "formats/stf/record/accesses.h"
#include "isa/isa.h"

enum { SRET = 0x10200073, ILLEGAL_INST = 2 };

/* ---- the encoding ---- */

/* The spaces the instruction set leaves to its users: anything may be there. */
static bool is_custom(uint32_t enc)
{
	unsigned major = enc & 0x7f;
	return major == 0x0b || major == 0x2b || major == 0x5b || major == 0x7b;
}

void stf_rule_encoding(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op,
                       unsigned size)
{
	uint32_t enc = stf_encoding(p);
	if (walk->riscv && ((enc & 3) == 3) != (size == 4)) {
		FIND(walk, INST_LENGTH, stf_here(walk, p), "0x%x is an encoding of %s bits", enc,
		     size == 4 ? "16" : "32 or more");
		return;
	}
	if (op->cls != CAIRN_CLASS_ILLEGAL || (walk->at.now.group & G_ABORTED) || is_custom(enc))
		return;
	const char *mode = cairn_isa_name((enum cairn_isa)walk->at.now.isa);
	FIND(walk, INST_ENCODING, stf_here(walk, p),
	     "0x%0*x is no instruction of %s, and no event says so", (int)size * 2, enc,
	     mode ? mode : "the encoding mode");
}

/* ---- change of flow ---- */

static void judge_target(struct stf_walk *walk, const struct cairn_op *op, unsigned size)
{
	const struct stf_group *group = &walk->group;
	uint32_t t = op->traits;
	if (walk->at.now.group & G_FAULT) {
		FIND(walk, TARGET_EXCEPTION, group->target_at, "an exception stopped the instruction");
		return;
	}
	if (t & CAIRN_TRAIT_XRET) {
		if (!stf_isa_is_ours(walk->cfg->isa))
			FIND(walk, TARGET_XRET, group->target_at, "the instruction returns from a trap");
		return;
	}
	if (!(t & CAIRN_TRAIT_BRANCH)) {
		FIND(walk, TARGET_BRANCH, group->target_at, "the instruction is not a branch");
		return;
	}
	if ((t & CAIRN_TRAIT_INDIRECT) || !walk->at.now.pc_known)
		return;
	uint64_t mask = walk->at.now.isa == CAIRN_ISA_RV32 ? 0xffffffff : UINT64_MAX;
	uint64_t target = (walk->at.now.pc + (uint64_t)op->offset) & mask;
	if (target == (group->target & mask))
		return;
	if ((t & CAIRN_TRAIT_CONDITIONAL) &&
	    (group->target & mask) == ((walk->at.now.pc + size) & mask))
		FIND(walk, TARGET_UNTAKEN, group->target_at,
		     "the target is the next instruction; the branch "
		     "goes to 0x%llx when taken",
		     (unsigned long long)target);
	else
		FIND(walk, TARGET_ADDRESS, group->target_at, "the target is 0x%llx, by the encoding 0x%llx",
		     (unsigned long long)group->target, (unsigned long long)target);
}

void stf_rule_flow(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op,
                   unsigned size)
{
	uint32_t flags = walk->at.now.group;
	if (flags & G_MICRO)
		return; /* what micro-ops do is not in the encoding */
	if (flags & G_TARGET) {
		if (op->cls != CAIRN_CLASS_ILLEGAL && op->cls != CAIRN_CLASS_UNKNOWN)
			judge_target(walk, op, size);
	} else if (!(op->traits & CAIRN_TRAIT_CONDITIONAL) && !(flags & (G_ABORTED | G_EVENT_TARGET))) {
		FIND(walk, TARGET_MISSING, stf_here(walk, p), "the jump has no INST_PC_TARGET");
	}
}

/* ---- accesses ---- */

/* SPARC's lddfa and stdfa: in some address spaces they move 64 bytes. */
static bool may_be_block(const struct cairn_op *op)
{
	return op->isa == CAIRN_ISA_SPARC && op->enc >> 30 == 3 && (op->enc >> 19 & 0x3b) == 0x33;
}

/* Judge what a scalar instruction must have accessed. */
static void rules_flow_judge_size(struct stf_walk *walk, const struct cairn_op *op)
{
	struct stf_group *group = &walk->group;
	uint64_t want = (uint64_t)op->mem_size * op->mem_count;
	if (!want || (may_be_block(op) && group->read_bytes + group->write_bytes == 64))
		return;
	/* Where sizes are in bits, some are in bytes after all, and were taken for an eighth. */
	uint64_t told = walk->bits ? 1 : 8, is = walk->bits ? 8 : 1;
	bool read_bits = group->reads && is * group->read_bytes == told * want;
	bool write_bits = group->writes && is * group->write_bytes == told * want;
	if (!walk->bits && (read_bits || write_bits)) {
		stf_see_at(walk, SEEN_BITS, group->mem_at);
		group->in_bits = true;
	}
	/* An access without a size has been reported. */
	if (group->read_bytes && group->read_bytes != want && !read_bits)
		FIND(walk, MEM_SIZE, group->mem_at, "%llu bytes are read, by the encoding %llu",
		     (unsigned long long)group->read_bytes, (unsigned long long)want);
	if (group->write_bytes && group->write_bytes != want && !write_bits)
		FIND(walk, MEM_SIZE, group->mem_at, "%llu bytes are written, by the encoding %llu",
		     (unsigned long long)group->write_bytes, (unsigned long long)want);
}

static void judge_missing(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op)
{
	const struct stf_group *group = &walk->group;
	bool any = walk->at.now.group & G_MEM, read = any && group->reads;
	unsigned lacks = stf_lacking_accesses(op, any, any ? group->reads : 0, any ? group->writes : 0,
	                                      walk->at.now.group & G_FETCH);
	bool reads = (op->traits & CAIRN_TRAIT_LOAD) && !read && !(walk->at.now.group & G_FETCH);
	if (lacks && reads)
		HOLD(walk, COND_ACCESS, MEM_MISSING, stf_here(walk, p),
		     "the instruction reads memory, but has "
		     "no read");
	if (lacks > reads)
		HOLD(walk, COND_ACCESS, MEM_MISSING, stf_here(walk, p),
		     "the instruction writes memory, but "
		     "has no write");
}

/* Take the fetch of the instruction, if there is one, out of the accesses. */
static void judge_fetch(struct stf_walk *walk, const struct cairn_op *op, unsigned size)
{
	struct stf_group *group = &walk->group;
	bool loads = op->traits & CAIRN_TRAIT_LOAD;
	uint64_t want = (uint64_t)op->mem_size * op->mem_count;
	if (!(walk->at.now.group & G_FETCH) || group->fetch_bytes != size ||
	    (loads && group->read_bytes == want))
		return;
	FIND(walk, MEM_FETCH, group->mem_at, "the access is the fetch of the instruction");
	group->reads--;
	group->read_bytes -= size;
}

static void judge_memory(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op,
                         unsigned size)
{
	struct stf_group *group = &walk->group;
	uint32_t t = op->traits;
	bool memory = t & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	bool aborted = walk->at.now.group & G_ABORTED;
	if (!stf_judges_accesses(op) || walk->at.now.group & G_MICRO)
		return;
	if (walk->at.now.group & G_MEM) {
		judge_fetch(walk, op, size);
		if (!memory && stf_is_sequence(op) && (op->traits & CAIRN_TRAIT_BRANCH) && !group->writes)
			return;
		if (!memory && group->reads + group->writes)
			FIND(walk, MEM_UNEXPECTED, group->mem_at, "the instruction does not access memory");
		else if (memory && !(t & CAIRN_TRAIT_LOAD) && group->reads)
			FIND(walk, MEM_DIRECTION, group->mem_at, "a store reads");
		else if (memory && !(t & CAIRN_TRAIT_STORE) && group->writes)
			FIND(walk, MEM_DIRECTION, group->mem_at, "a load writes");
		else if (memory && !aborted && !(t & CAIRN_TRAIT_VECTOR))
			rules_flow_judge_size(walk, op);
		if ((walk->at.now.group & G_DISORDER) && stf_judges_order(op))
			FIND(walk, MEM_ORDER, group->mem_at, "the addresses of the accesses descend");
	}
	bool wrong_way = (walk->at.now.group & G_MEM) && group->reads + group->writes;
	uint32_t ways = t & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	bool both = ways == (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	/* If an access has the wrong direction, the missing one is the same mistake. */
	if (memory && !aborted && (!wrong_way || both))
		judge_missing(walk, p, op);
}

void stf_rule_memory(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op,
                     unsigned size)
{
	const struct stf_group *group = &walk->group;
	uint32_t t = op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	if (walk->at.now.group & G_MEM) {
		check_meet(walk->part, COND_ACCESS);
		if (!(walk->at.now.group & (G_FETCH | G_DISORDER)) && group->reads + group->writes == 1 &&
		    ((t == CAIRN_TRAIT_LOAD && group->read_bytes == op->mem_size) ||
		     (t == CAIRN_TRAIT_STORE && group->write_bytes == op->mem_size)) &&
		    op->mem_count == 1)
			return; /* what nearly all are */
	}
	judge_memory(walk, p, op, size);
}

/* ---- the rest ---- */

/* sret leaves machine mode, and a trap leaves user mode. */
static bool must_leave(const struct stf_walk *walk, const struct cairn_op *op)
{
	unsigned priv = walk->at.now.ctx.priv;
	if (!(walk->at.now.ctx.known & CAIRN_CTX_PRIV))
		return false;
	return op->traits & CAIRN_TRAIT_XRET && !(walk->at.now.group & G_ABORTED)
	           ? op->enc == SRET && priv == CAIRN_PRIV_MACHINE
	           : priv == CAIRN_PRIV_USER;
}

/* Did the machine refuse the encoding? Then nothing of its kind ran. */
static bool was_illegal(const struct stf_walk *walk)
{
	if (walk->at.now.group & G_FAULT)
		for (unsigned i = 0; i < walk->group.n_events; i++)
			if (walk->group.event[i].id == ILLEGAL_INST)
				return true;
	return false;
}

void stf_rule_special(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op)
{
	uint32_t t = op->traits, flags = walk->at.now.group;
	struct stf_part *sp = walk->sp;
	if ((t & CAIRN_TRAIT_VECTOR) && !was_illegal(walk)) {
		stf_see(walk, SEEN_VECTOR, p);
		if (!walk->cfg->vlen && !(flags & G_ABORTED) && !walk->judge->has[CAIRN_STF_VLEN_CONFIG] &&
		    walk->cfg->version_minor >= 4 && !stf_isa_is_ours(walk->cfg->isa))
			FIND(walk, VLEN_INSN, stf_here(walk, p),
			     "a vector instruction, but the header has no "
			     "VLEN_CONFIG");
	}
	if ((t & CAIRN_TRAIT_SYSCALL) && !(flags & G_EVENT) && !stf_isa_is_ours(walk->cfg->isa))
		HOLD(walk, COND_EVENT, EVENT_MISSING, stf_here(walk, p),
		     "an environment call without EVENT");
	if ((t & (CAIRN_TRAIT_XRET | CAIRN_TRAIT_CSR)) || (flags & (STF_MODE_LATER | G_EVENT)))
		stf_rule_modes(walk, p, op);
	if (flags & G_OPERAND)
		stf_see_at(walk, op->cls == CAIRN_CLASS_DIV ? SEEN_DIV_OPERAND : SEEN_OPERAND,
		           walk->group.operand_at);
	bool user =
		(walk->at.now.ctx.known & CAIRN_CTX_PRIV) && walk->at.now.ctx.priv == CAIRN_PRIV_USER;
	if ((t & CAIRN_TRAIT_XRET) && !(flags & (G_ABORTED | G_TARGET | G_EVENT_TARGET)))
		sp->tail.kind = TAIL_XRET;
	else if ((flags & G_ABORTED) && !(flags & G_EVENT_TARGET))
		sp->tail.kind = TAIL_EVENT;
	else if ((flags & G_FAULT) && user && walk->riscv)
		sp->tail.kind = TAIL_TARGET;
	if (sp->tail.kind) {
		sp->tail.mode = (flags & G_MODE) != 0;
		sp->tail.leaves = walk->riscv && must_leave(walk, op);
		sp->tail.at = stf_spot_place(walk, stf_here(walk, p));
	}
}

void stf_rule_join(struct check_part *part, const struct stf_tail_state *tail, bool forced,
                   bool mode, const struct check_place *at)
{
	if (tail->kind == TAIL_NONE)
		return;
	if (tail->kind == TAIL_TARGET) {
		if (!mode && !tail->mode)
			check_hold(part, COND_MODE, STF_RULE_MODE_PRIVILEGED, &tail->at,
			           "an exception in user "
			           "mode, but no MODE_CHANGE");
		return;
	}
	if (!forced && tail->kind == TAIL_XRET)
		check_add(part, STF_RULE_FLOW_XRET, &tail->at,
		          "no FORCE_PC tells where the return from the "
		          "trap goes on");
	else if (!forced)
		check_add(part, STF_RULE_FLOW_EVENT, &tail->at,
		          "neither EVENT_PC_TARGET nor FORCE_PC tells "
		          "which PC follows");
	else if (!mode && !tail->mode && tail->leaves)
		check_hold(part, COND_MODE, STF_RULE_MODE_FORCE_PC, at,
		           "FORCE_PC behind %s, but no "
		           "MODE_CHANGE",
		           tail->kind == TAIL_XRET ? "sret in machine mode" : "a trap in user mode");
}
