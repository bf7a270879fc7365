/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the flow goes, from what is logged of an instruction and of the one after it.
 *
 * Only branches that are taken have a line, and only when branches are logged. Where
 * they are not, the next address tells, unless a branch goes to the instruction behind
 * it: then it is not known whether it was taken. Nor is it of the last instruction of a log without
 * such a line, which may be cut off there. A line that is damaged reads as other text. So
 * what contradicts the encoding or the next address is not believed, and where text stands
 * behind an indirect branch the next address is not its target. The pseudo-instructions of the
 * simulator (HLT with numbers of its own) go where their Branch line says, for data
 * follow them.
 */
#include <string.h>

#include "formats/vixl/read/decoder.h"

static bool is_direct(const struct cairn_op *op)
{
	return (op->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_INDIRECT)) == CAIRN_TRAIT_BRANCH;
}

enum {
	MAY_BRANCH =
		CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT
};

uint32_t vixl_outcome(const struct vixl_flow *flow, const struct cairn_op *op, bool logged,
                      const uint64_t *next, uint64_t *target)
{
	bool direct = is_direct(op) && flow->pc_known;
	uint32_t flags = 0;
	*target = 0;
	if (direct) {
		*target = flow->pc + (uint64_t)op->offset;
		flags = CAIRN_INSN_TARGET;
	}
	/* A Branch line to another address is that of an instruction whose line was lost, and so is
	 * one of an instruction that does not branch, where it might have stood between them. */
	bool others = flow->branched &&
	              ((direct && flow->target_known && flow->target != *target) ||
	               (flow->text_first && !(op->traits & MAY_BRANCH) && !vixl_is_hlt(flow->enc)));
	if (flow->branched && !others) {
		*target = flow->target;
		return CAIRN_INSN_TAKEN | (flow->target_known ? (uint32_t)CAIRN_INSN_TARGET : 0);
	}
	if (!(op->traits & CAIRN_TRAIT_BRANCH))
		return 0;
	if (op->traits & CAIRN_TRAIT_CONDITIONAL) {
		/* If the next instruction is somewhere else, the Branch line may have been lost. */
		bool fits = !others && !flow->last && (!next || !flow->pc_known || *next == flow->pc + 4);
		if (logged)
			return fits ? flags | CAIRN_INSN_NOT_TAKEN : flags;
		if (!next || !direct || *target == flow->pc + 4)
			return flags;
		if (*next == flow->pc + 4)
			return flags | CAIRN_INSN_NOT_TAKEN;
		return *next == *target ? flags | CAIRN_INSN_TAKEN : flags;
	}
	flags |= CAIRN_INSN_TAKEN;
	if (!direct && next && flow->pc_known && !flow->text &&
	    !((op->traits & CAIRN_TRAIT_RETURN) && flow->rows)) {
		*target = *next;
		flags |= CAIRN_INSN_TARGET;
	}
	return flags;
}

uint64_t vixl_follow(const struct vixl_flow *flow, const struct cairn_op *op, bool logged,
                     uint64_t *next)
{
	*next = 0;
	if (flow->elsewhere)
		return VIXL_F_BEGUN | VIXL_F_END;
	if (flow->branched) {
		*next = flow->target;
		if (!flow->target_known)
			return VIXL_F_BEGUN;
		if (flow->target == 0)
			return VIXL_F_BEGUN | VIXL_F_END;
		bool trace = vixl_is_hlt(flow->enc) && (flow->enc >> 5 & 0xffff) == VIXL_HLT_TRACE;
		bool gap = trace && flow->pc_known && flow->target != flow->pc + VIXL_TRACE_BYTES;
		return VIXL_F_BEGUN | VIXL_F_NEXT | (gap ? VIXL_F_GAP : 0);
	}
	if (!flow->pc_known || vixl_is_hlt(flow->enc) || (op->traits & CAIRN_TRAIT_XRET))
		return VIXL_F_BEGUN;
	*next = flow->pc + 4;
	if (!(op->traits & CAIRN_TRAIT_BRANCH))
		return VIXL_F_BEGUN | VIXL_F_NEXT;
	if (op->traits & CAIRN_TRAIT_CONDITIONAL)
		return logged ? VIXL_F_BEGUN | VIXL_F_NEXT : VIXL_F_BEGUN;
	if (!is_direct(op))
		return VIXL_F_BEGUN;
	*next = flow->pc + (uint64_t)op->offset;
	return VIXL_F_BEGUN | VIXL_F_NEXT;
}

bool vixl_is_elsewhere(const char *p, size_t n)
{
	size_t own = sizeof VIXL_ELSEWHERE - 1;
	return n >= own && !memcmp(p, VIXL_ELSEWHERE, own);
}

bool vixl_is_ours(const char *p, size_t n)
{
	size_t own = sizeof VIXL_OURS - 1;
	return n >= own && !memcmp(p, VIXL_OURS, own);
}

bool vixl_is_foreign(uint32_t enc)
{
	enum { PRINTF = 0xdeb1, FEATURES = 0xdeb5, FEATURES_LAST = 0xdeb9 };
	unsigned imm = enc >> 5 & 0xffff;
	if (enc >> 24 != 0xd4)
		return false;
	return !vixl_is_hlt(enc) ||
	       !(imm == PRINTF || imm == VIXL_HLT_LOG || (imm >= FEATURES && imm <= FEATURES_LAST));
}

unsigned vixl_implied(uint32_t enc)
{
	enum { READ = 1u << CAIRN_MEM_READ, WRITE = 1u << CAIRN_MEM_WRITE };
	switch (enc >> 24) {
	case 0x68: /* STGP, after and before */
	case 0x69: /* STGP, at an offset; with L it is LDPSW, which is shown */
		return enc & 1u << 22 ? 0 : WRITE;
	case 0xd9: /* STZG, STZ2G; STG and ST2G write tags only; LDAPUR and others have bit 21 0 */
		return (enc & 0x00600000) == 0x00600000 && (enc & 0xc00) ? WRITE : 0;
	case 0x84:
	case 0x85: /* LD1RB, LD1RSW …: load one element and broadcast it */
		return (enc & 0xfe408000) == 0x84408000 ? READ : 0;
	case 0xa4:
	case 0xa5: /* LD1RQ*, LD1RO*: load 16 (32) bytes and replicate them */
		return (enc & 0xfe40e000) == 0xa4000000 || (enc & 0xfe50e000) == 0xa4002000 ? READ : 0;
	default:
		return 0;
	}
}
