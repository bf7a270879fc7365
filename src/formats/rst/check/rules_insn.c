/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of one INSTR, and how the PC goes on from one to the next.
 *
 * SPARC has a PC and an NPC: an instruction goes to NPC, and what it says about flow
 * takes effect one later. Annulled instructions have records, so a record always
 * leads to the next. A flow starts unknown; the first instruction of a CPU may stand
 * in a delay slot, so only the one behind the second is certain.
 *
 * After an instruction that is not where it should be, it is taken for one outside a
 * delay slot. The walk of a span, which begins without knowledge, relies on that: two
 * instructions of which the first does not branch lead to the same place whatever
 * was before them.
 */
#include "formats/rst/check/rules.h"

enum { SIZE = CAIRN_RST_SIZE };

/* ---- flow ---- */

void rst_flow_judge(const struct rst_tell *tell, const struct rst_flow *flow, const uint8_t *p,
                    bool joined)
{
	uint64_t pc = rst_INSTR_pc_va(p);
	bool an = rst_INSTR_an(p);
	if (!(flow->flags & RST_FLOW_PAST))
		return;
	if ((flow->flags & RST_FLOW_PC) && flow->pc != pc && joined)
		FIND(tell, PARTS_DROPPED,
		     "the CPU goes on at 0x%llx; the file before ends where 0x%llx follows", ULL(pc),
		     ULL(flow->pc));
	else if ((flow->flags & RST_FLOW_PC) && flow->pc != pc && (flow->flags & RST_FLOW_ANNUL))
		FIND(tell, ANNUL_SLOT,
		     "the annulled instruction at 0x%llx behind a branch has no record; 0x%llx follows",
		     ULL(flow->pc), ULL(pc));
	else if ((flow->flags & RST_FLOW_PC) && flow->pc != pc)
		FIND(tell, FLOW, "the PC is 0x%llx; behind the instruction before it should be 0x%llx",
		     ULL(pc), ULL(flow->pc));
	else if ((flow->flags & RST_FLOW_ANNUL) && !an)
		FIND(tell, ANNUL_SET, "the branch before annuls the instruction, but an is 0");
	else if (!(flow->flags & RST_FLOW_ANNUL) && an)
		FIND(tell, ANNUL_STRAY, "an is 1, but no branch before annuls the instruction");
}

void rst_flow_step(struct rst_flow *f, const uint8_t *p)
{
	uint64_t pc = rst_INSTR_pc_va(p);
	uint32_t enc = rst_INSTR_instr(p), was = f->flags;
	uint32_t flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	bool where = !(was & RST_FLOW_PC) || f->pc == pc; /* as expected */
	if (!where || (was & RST_FLOW_SEQ)) {
		f->pc = pc + 4;
		flags |= RST_FLOW_PC;
	} else if (was & RST_FLOW_NPC) {
		f->pc = f->npc;
		flags |= RST_FLOW_PC;
	}
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	if (!rst_INSTR_an(p) && isa_sparc_is_dcti(flow)) {
		bool sure = flow != ISA_SPARC_COND && flow != ISA_SPARC_NEVER;
		bool taken = rst_INSTR_bt(p) || sure;
		uint64_t ea = rst_INSTR_ea_va(p);
		bool ea_known = rst_INSTR_ea_valid(p) && !rst_bad_address(ea);
		if (isa_sparc_annuls(enc, flow, taken))
			flags |= RST_FLOW_ANNUL;
		if (taken && (ea_known || flow < ISA_SPARC_JMPL)) {
			bool direct = flow < ISA_SPARC_JMPL && !(ea_known && rst_INSTR_bt(p));
			f->npc = direct ? pc + (uint64_t)isa_sparc_offset(enc) : ea;
			flags = (flags & ~(uint32_t)RST_FLOW_SEQ) | RST_FLOW_NPC;
		} else if (taken) {
			flags &= ~(uint32_t)RST_FLOW_SEQ;
		}
	}
	f->flags = flags;
}

/* ---- fields ---- */

/* Is it the same address? A `left` of 32 bits is compared by these only. */
static bool is_same(uint64_t left, uint64_t right)
{
	return left == right || (!(left >> 32) && (uint32_t)left == (uint32_t)right);
}

static void judge_dcti(const struct rst_tell *tell, const uint8_t *p, bool in_slot)
{
	uint32_t enc = rst_INSTR_instr(p);
	uint64_t pc = rst_INSTR_pc_va(p), ea = rst_INSTR_ea_va(p);
	bool taken = rst_INSTR_bt(p), ea_valid = rst_INSTR_ea_valid(p);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	if (!ea_valid)
		FIND(tell, EA_REQUIRED, "a control transfer with ea_valid 0");
	if (flow == ISA_SPARC_NEVER && taken)
		FIND(tell, BT_NEVER, "a branch never with bt 1");
	else if (flow != ISA_SPARC_NEVER && flow != ISA_SPARC_COND && !taken)
		FIND(tell, BT_ALWAYS, "an unconditional control transfer with bt 0");
	else if (ea_valid && !rst_bad_address(ea) && flow < ISA_SPARC_JMPL) {
		uint64_t want = taken ? pc + (uint64_t)isa_sparc_offset(enc) : pc + 8;
		if (!is_same(ea, want) && !(in_slot && !taken))
			FIND(tell, EA_TARGET, "ea_va is 0x%llx; the branch goes to 0x%llx when%s taken",
			     ULL(ea), ULL(want), taken ? "" : " not");
	}
}

static void judge_tcc(const struct rst_tell *tell, const uint8_t *p)
{
	uint32_t enc = rst_INSTR_instr(p);
	if (isa_sparc_flow(enc) != ISA_SPARC_TCC)
		return; /* tn: a transfer or none */
	if ((enc >> 25 & 15) == 8 && !rst_INSTR_bt(p))
		FIND(tell, TCC_FIELDS, "a trap always, but there is no trap, and bt is 0");
	else if (!rst_INSTR_ea_valid(p))
		FIND(tell, TCC_FIELDS, "a trap instruction with ea_valid 0");
}

void rst_rule_fields(const struct rst_tell *tell, const uint8_t *p, unsigned kind, bool in_slot)
{
	bool ea_valid = rst_INSTR_ea_valid(p), taken = rst_INSTR_bt(p);
	uint64_t ea = rst_INSTR_ea_va(p);
	if (kind == RST_KIND_DCTI && isa_sparc_flow(rst_INSTR_instr(p)) == ISA_SPARC_NONE)
		return; /* no instruction of V9 */
	if (kind == RST_KIND_DCTI) {
		judge_dcti(tell, p, in_slot);
		return;
	}
	if (kind == RST_KIND_TCC) {
		judge_tcc(tell, p);
		return;
	}
	if (kind == RST_KIND_XRET) {
		if (!taken)
			FIND(tell, BT_ALWAYS, "done or retry with bt 0");
		return;
	}
	if (taken)
		FIND(tell, BT_UNEXPECTED, "the instruction transfers no control, but bt is 1");
	if (kind == RST_KIND_MEM && !ea_valid)
		FIND(tell, EA_REQUIRED, "an access to memory with ea_valid 0");
	if (kind != RST_KIND_PLAIN && kind != RST_KIND_WATCH)
		return;
	if (ea_valid)
		FIND(tell, EA_UNEXPECTED, "the instruction has no address, but ea_valid is 1");
	else if (ea)
		FIND(tell, EA_ZERO, "the instruction has no address, but ea_va is 0x%llx", ULL(ea));
}

void rst_rule_annulled(const struct rst_tell *tell, const uint8_t *p)
{
	uint64_t ea = rst_INSTR_ea_va(p);
	if (rst_INSTR_ea_valid(p))
		FIND(tell, ANNUL_EA, "the instruction is annulled, but ea_valid is 1");
	else if (rst_INSTR_bt(p) || ea)
		FIND(tell, ANNUL_REST, "the instruction is annulled, but bt is %d and ea_va 0x%llx",
		     rst_INSTR_bt(p), ULL(ea));
}
