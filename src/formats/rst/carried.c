/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of each CPU at a place of the trace: the registers of PREG, the trap
 * stack, differences of addresses, TLBs, who runs, and registers whose values were
 * told.
 *
 * A value is known until the instruction that changes it, told or not: most traces tell
 * values now and then only, and an old one would be a lie (specification 7(c)). What
 * instructions and traps change is told by isa/written.h; where a CPU's flow jumps, nothing
 * is known. Registers of stated windows are not kept at all: any save may come to them.
 */
#include "formats/rst/carried.h"

enum { SIZE = CAIRN_RST_SIZE, THREAD = 1, PROCESS = 2, TOLD = 4 };
enum { PRIV_TPC = 0, PRIV_TNPC = 1, PRIV_TT = 3, PRIV_PSTATE = 6, PRIV_TL = 7, PRIV_CWP = 9 };
enum { PSTATE_IE = 2, PSTATE_PRIV = 4, PSTATE_AM = 8, PSTATE_GLOBALS = 0xc01 };

int rst_carried_new(struct cairn *c, bool wide, struct rst_carried **out)
{
	struct rst_carried *k = base_alloc(c, sizeof *k);
	*out = k;
	if (!k)
		return CAIRN_E_NOMEM;
	k->c = c;
	k->wide = wide;
	k->memo = isa_written_memo_new(c);
	if (!k->memo) {
		base_free(c, k);
		*out = NULL;
		return CAIRN_E_NOMEM;
	}
	return 0;
}

void rst_carried_free(struct rst_carried *k)
{
	if (!k)
		return;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		if (k->cpus[i])
			base_free(k->c, k->cpus[i]->regs);
		base_free(k->c, k->cpus[i]);
	}
	isa_written_memo_free(k->memo);
	base_free(k->c, k->tlb);
	base_free(k->c, k->table);
	base_free(k->c, k);
}

struct rst_carried_cpu *rst_carried_cpu(struct rst_carried *k, unsigned cpu)
{
	if (!k->cpus[cpu])
		k->cpus[cpu] = base_alloc(k->c, sizeof *k->cpus[cpu]);
	return k->cpus[cpu];
}

void rst_carried_untell_regs(struct rst_carried_cpu *c)
{
	if (c && c->regs) {
		c->regs_untold = true;
		memset(c->regs->told, 0, sizeof c->regs->told);
	}
}

void rst_carried_untell(struct rst_carried *k)
{
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		struct rst_carried_cpu *c = k->cpus[i];
		if (!c)
			continue;
		c->preg_told = c->level_told = c->pc_told = c->ea_told = c->in_output = false;
		c->thread_told = c->process_told = c->slot_told = false;
		c->tlb_untold = 0;
		c->regs_untold = false;
		rst_carried_untell_regs(c);
	}
	for (size_t i = 0; i < k->n_tlb; i++) {
		k->tlb[i].told = false;
		k->cpus[rst_cpu_of(k->tlb[i].rec, k->wide)]->tlb_untold++;
	}
	k->pending &= THREAD | PROCESS;
}

/* ---- registers ---- */

static void carried_forget(struct rst_carried_cpu *c, unsigned type, unsigned id)
{
	c->regs->have[type][id] = 0;
}

static void forget_ints(struct rst_carried_cpu *c, unsigned first, unsigned end)
{
	memset(c->regs->have[RST_R_INT] + first, 0, end - first);
}

static void rst_carried_turn_window(struct rst_carried_cpu *c, bool save, bool told)
{
	struct rst_carried_regs *r = c->regs;
	unsigned to = save ? 24 : 8, from = save ? 8 : 24;
	for (unsigned i = 0; i < 8; i++) {
		r->value[RST_R_INT][to + i] = r->value[RST_R_INT][from + i];
		r->have[RST_R_INT][to + i] = r->have[RST_R_INT][from + i];
		r->told[RST_R_INT][to + i] = r->told[RST_R_INT][from + i] && told;
		c->regs_untold |= r->have[RST_R_INT][to + i] && !r->told[RST_R_INT][to + i];
	}
	forget_ints(c, save ? 8 : 16, save ? 24 : 32);
}

/* Where REGVAL has a register; false: nowhere. */
static bool rst_carried_place_of(unsigned cls, unsigned num, unsigned *type, unsigned *id)
{
	*id = num;
	*type = cls == CAIRN_REG_INT ? RST_R_INT : cls == CAIRN_REG_FP ? RST_R_FLOAT : RST_R_PRIV;
	if (cls == CAIRN_REG_INT)
		return num < 32;
	if (cls == CAIRN_REG_CSR && num >= ISA_SPARC_ASR) {
		*type = num < ISA_SPARC_MMU ? RST_R_OTHER : RST_R_MMU;
		*id = num & 255;
	} else if (cls == CAIRN_REG_FLAGS) {
		*type = num ? RST_R_FCC : RST_R_CC;
		*id = 0;
	}
	return *id < 256 && (cls == CAIRN_REG_FP || cls == CAIRN_REG_CSR || cls == CAIRN_REG_FLAGS);
}

static void rst_carried_forget_pieces(struct rst_carried_cpu *c, const struct isa_written *w)
{
	for (unsigned i = 0; i < w->n && c->regs; i++)
		for (unsigned k = 0; k < w->reg[i].count; k++) {
			unsigned type, id;
			if (!rst_carried_place_of(w->reg[i].cls, w->reg[i].num + k, &type, &id))
				continue;
			carried_forget(c, type, id);
			if (type == RST_R_CC) /* %ccr goes by two names */
				carried_forget(c, RST_R_OTHER, 2);
		}
}

/* What an instruction that ran leaves unknown. */
static void rst_carried_forget_written(struct rst_carried *k, struct rst_carried_cpu *c,
                                       uint32_t enc, bool told)
{
	const struct isa_written *w = isa_written_get(k->memo, CAIRN_ISA_SPARC, enc, 4);
	if (!w->told)
		memset(c->regs->have, 0, sizeof c->regs->have);
	if (w->window)
		rst_carried_turn_window(c, w->window > 0, told);
	rst_carried_forget_pieces(c, w);
}

static void forget_event(struct rst_carried_cpu *c, enum cairn_event_kind kind)
{
	struct isa_written w;
	isa_event_written(CAIRN_ISA_SPARC, kind, &w);
	rst_carried_forget_pieces(c, &w);
}

/* Instructions of this CPU are missing before the one at `pc`. */
static void rst_carried_jump(struct rst_carried_cpu *c, uint64_t pc)
{
	if (c->has_next && c->next != pc && c->regs)
		memset(c->regs->have, 0, sizeof c->regs->have);
}

/* Registers that are not kept among the others: the trap stack and what PREG has. */
static bool take_trap_state(struct rst_carried_cpu *c, unsigned type, unsigned id, uint64_t v,
                            bool told)
{
	unsigned kind = id >= ISA_SPARC_TPC_TL ? (id - ISA_SPARC_TPC_TL) / 8 : id;
	unsigned tl = id >= ISA_SPARC_TPC_TL ? id & 7 : c->tl;
	if (type != RST_R_PRIV)
		return false;
	if (id == PRIV_TL)
		c->tl = v <= RST_CARRIED_LEVELS ? (uint8_t)v : c->tl;
	if (id == PRIV_PSTATE)
		c->pstate = (uint16_t)v;
	if (id == PRIV_TL || id == PRIV_PSTATE) {
		c->preg_told &= told;
		return true;
	}
	if (id >= ISA_SPARC_TT_TL + 8 || (id > PRIV_TT && id < ISA_SPARC_TPC_TL) ||
	    tl > RST_CARRIED_LEVELS)
		return false;
	struct rst_carried_level *l = &c->level[tl];
	if (kind == PRIV_TPC)
		l->tpc = v;
	else if (kind == PRIV_TNPC)
		l->tnpc = v;
	else if (kind == PRIV_TT)
		l->tt = (uint16_t)v;
	else
		return true; /* TSTATE: nobody asks for it */
	l->known = true;
	c->level_told &= told;
	return true;
}

static int take_regval(struct rst_carried *k, struct rst_carried_cpu *c, const uint8_t *p,
                       bool told)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned type = p[2 + i], id = p[4 + i];
		uint64_t v = base_be64(p + 8 + 8 * i);
		if (type == 0 || type >= RST_CARRIED_TYPES || type == RST_R_UNUSED ||
		    type == RST_R_WININT || take_trap_state(c, type, id, v, told))
			continue;
		if (!c->regs && !(c->regs = base_alloc(k->c, sizeof *c->regs)))
			return CAIRN_E_NOMEM;
		if (type == RST_R_CC || type == RST_R_FCC) {
			v = id;
			id = 0;
		}
		if (type == RST_R_FLOAT && id >= 64 && id < 96) {
			if (i == 1)
				continue; /* half of one */
			c->regs->low[id - 64] = base_be64(p + 16);
		}
		c->regs->value[type][id] = v;
		c->regs->have[type][id] = 1;
		c->regs->told[type][id] = told;
		c->regs_untold |= !told;
		if (type == RST_R_FLOAT && id >= 64)
			break;
	}
	return 0;
}

/* ---- traps ---- */

static void take_preg(struct rst_carried_cpu *c, const uint8_t *p, bool told)
{
	c->asi = p[1];
	c->tl = p[4] <= RST_CARRIED_LEVELS ? p[4] : RST_CARRIED_LEVELS;
	c->tt = p[5];
	c->after = base_be16(p + 6);
	if (!c->has_preg || c->tl == 0 || c->anew)
		c->pstate = c->after;
	c->anew = false;
	memcpy(c->contexts, p + 16, 8);
	c->has_preg = true;
	c->preg_told = told;
}

static void take_trap(struct rst_carried_cpu *c, const uint8_t *p, bool told)
{
	unsigned tl = (p[1] & 15) + 1u, tt = base_be16(p + 2) & 0x3ff;
	c->pstate = base_be16(p + 4);
	c->tl = (uint8_t)(tl <= RST_CARRIED_LEVELS ? tl : RST_CARRIED_LEVELS);
	c->tt = (uint8_t)tt;
	c->level[c->tl] = (struct rst_carried_level){.tpc = base_be64(p + 8),
	                                             .tnpc = base_be64(p + 16),
	                                             .tt = (uint16_t)tt,
	                                             .pstate = c->pstate,
	                                             .known = true};
	c->trapped = !(p[1] >> 7);
	/* Privileged, without interrupts, with 64-bit addresses, and globals of its own: of the
	 * MMU for its misses, of interrupts for their vector, else the alternate ones. */
	uint16_t globals = tt >= 0x64 && tt <= 0x6f ? 0x400 : tt == 0x60 ? 0x800 : 1;
	c->pstate =
		(uint16_t)((c->pstate & ~(PSTATE_IE | PSTATE_AM | PSTATE_GLOBALS)) | PSTATE_PRIV | globals);
	c->preg_told &= told;
	c->level_told &= told;
	c->has_next = false;
	forget_event(c, CAIRN_EV_EXCEPTION);
}

/* A user's instruction right behind the one that a trap stopped: the handler ran but was not
 * traced, so the trap level ends here. The rules of check assume the same. */
void rst_carried_go_on(struct rst_carried *known, unsigned cpu, const uint8_t *p)
{
	struct rst_carried_cpu *c = known->cpus[cpu];
	if (!c || !c->stopped || !c->tl || p[1] & (RST_I_PR | RST_I_HPRIV))
		return;
	c->stopped = false;
	c->pstate = c->level[c->tl].pstate;
	c->level[c->tl--].known = false;
	c->tt = (uint8_t)c->level[c->tl].tt;
}

static void leave_trap(struct rst_carried_cpu *c, bool retry, bool told)
{
	const struct rst_carried_level *l = &c->level[c->tl];
	c->pstate = c->after;
	c->has_slot = retry && c->tl && l->known && l->tnpc != l->tpc + 4;
	c->slot = l->tpc;
	c->npc = l->tnpc;
	c->slot_told = told;
	if (c->tl)
		c->level[c->tl--].known = false;
	c->tt = (uint8_t)c->level[c->tl].tt;
	c->preg_told &= told;
	c->has_next = false;
}

/* Where a transfer goes behind its delay slot. */
static void take_transfer(struct rst_carried_cpu *c, const uint8_t *p, bool told)
{
	uint32_t enc = base_be32(p + 4);
	uint64_t ea = base_be64(p + 16);
	bool ea_known = (p[1] & RST_I_EA_VALID) && !rst_bad_address(ea);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	if (!isa_sparc_is_dcti(flow) || (!ea_known && flow >= ISA_SPARC_JMPL))
		return;
	c->slot = base_be64(p + 8) + 4;
	c->npc = ea_known ? ea : base_be64(p + 8) + (uint64_t)isa_sparc_offset(enc);
	c->has_slot = true;
	c->slot_told = told;
}

static void take_instr(struct rst_carried *k, unsigned cpu, const uint8_t *p, bool told)
{
	struct rst_carried_cpu *c = k->cpus[cpu];
	uint32_t enc = base_be32(p + 4);
	if (k->pending & THREAD) {
		memcpy(c->thread, k->thread, SIZE);
		c->has_thread = true;
		c->thread_told = told && k->pending & (THREAD * TOLD);
	}
	if (k->pending & PROCESS) {
		memcpy(c->process, k->process, SIZE);
		c->has_process = true;
		c->process_told = told && k->pending & (PROCESS * TOLD);
	}
	k->pending = 0;
	uint64_t pc = base_be64(p + 8);
	rst_carried_go_on(k, cpu, p);
	c->stopped = c->trapped && c->tl && c->level[c->tl].known && c->level[c->tl].tpc == pc;
	c->trapped = false;
	rst_carried_jump(c, pc);
	c->next = c->has_slot && c->slot == pc ? c->npc : pc + 4;
	c->has_next = true;
	c->has_slot = c->anew = false;
	if (p[1] & RST_I_AN)
		return;
	if (p[1] & RST_I_BT)
		take_transfer(c, p, told);
	if (c->regs)
		rst_carried_forget_written(k, c, enc, told);
	if (enc >> 19 == (2u << 11 | 0x3e) || enc >> 19 == (2u << 11 | 1u << 6 | 0x3e))
		leave_trap(c, enc >> 25 & 1, told);
}

/* ---- TLBs ---- */

static uint32_t tlb_key(const uint8_t *p, unsigned cpu)
{
	return (uint32_t)cpu << 19 | (uint32_t)(p[1] >> 6 & 1) << 18 | (uint32_t)(p[4] >> 6) << 16 |
	       base_be16(p + 2);
}

static size_t tlb_place(const struct rst_carried *k, uint32_t key)
{
	size_t mask = k->cap_table - 1, at = (key * UINT32_C(2654435761)) & mask;
	while (k->table[at]) {
		const uint8_t *rec = k->tlb[k->table[at] - 1].rec;
		if (tlb_key(rec, (unsigned)rst_cpu_of(rec, k->wide)) == key)
			break;
		at = (at + 1) & mask;
	}
	return at;
}

static int tlb_grow(struct rst_carried *k)
{
	size_t cap = k->cap_tlb ? 2 * k->cap_tlb : 256;
	struct rst_carried_tlb *tlb = base_realloc(k->c, k->tlb, cap * sizeof *tlb);
	if (!tlb)
		return CAIRN_E_NOMEM;
	k->tlb = tlb;
	k->cap_tlb = cap;
	uint32_t *table = base_alloc(k->c, 2 * cap * sizeof *table);
	if (!table)
		return CAIRN_E_NOMEM;
	base_free(k->c, k->table);
	k->table = table;
	k->cap_table = 2 * cap;
	for (size_t i = 0; i < k->n_tlb; i++) {
		const uint8_t *rec = k->tlb[i].rec;
		k->table[tlb_place(k, tlb_key(rec, (unsigned)rst_cpu_of(rec, k->wide)))] = (uint32_t)i + 1;
	}
	return 0;
}

static int take_tlb(struct rst_carried *k, struct rst_carried_cpu *c, const uint8_t *p,
                    unsigned cpu, bool told)
{
	int rc = k->n_tlb == k->cap_tlb ? tlb_grow(k) : 0;
	if (rc < 0)
		return rc;
	size_t at = tlb_place(k, tlb_key(p, cpu));
	if (!k->table[at]) {
		k->tlb[k->n_tlb].told = true;
		k->table[at] = (uint32_t)++k->n_tlb;
	}
	struct rst_carried_tlb *e = &k->tlb[k->table[at] - 1];
	c->tlb_untold += (unsigned)!told - (unsigned)!e->told;
	memcpy(e->rec, p, SIZE);
	e->told = told;
	return 0;
}

/* ---- learning ---- */

static void take_diff(struct rst_carried_cpu *c, const uint8_t *p, bool told)
{
	c->pc_diff = base_be64(p + 8);
	c->ictx = base_be16(p + 4);
	if ((p[1] >> 7) || !c->has_ea) /* else the field says nothing */
		c->dctx = base_be16(p + 6);
	c->has_pc = true;
	c->pc_told = told;
	if (told) {
		c->told_dctx = c->dctx;
		c->in_output = true;
	}
	if (p[1] >> 7) {
		c->ea_diff = base_be64(p + 16);
		c->has_ea = true;
		c->ea_told = told;
	}
}

/* Where a filter has left instructions out, the CPU goes on elsewhere. */
static void take_count(struct rst_carried_cpu *c, const uint8_t *p)
{
	if (!rst_counts_insns(p) || !rst_counts_gap(p, &c->left_out, &c->count_level))
		return;
	c->anew = true;
	c->has_slot = false;
}

int rst_carried_take(struct rst_carried *k, const uint8_t *p, bool told)
{
	int cpu = p[0] == CAIRN_RST_INSTR ? (int)rst_instr_cpu(p, k->wide) : rst_cpu_of(p, k->wide);
	struct rst_carried_cpu *c = NULL;
	if (p[0] == CAIRN_RST_THREAD || p[0] == CAIRN_RST_PROCESS) {
		bool thread = p[0] == CAIRN_RST_THREAD;
		unsigned bit = thread ? THREAD : PROCESS;
		memcpy(thread ? k->thread : k->process, p, SIZE);
		k->pending = (uint8_t)((k->pending & ~(bit * TOLD)) | bit | (told ? bit * TOLD : 0));
		return 0;
	}
	if (cpu < 0)
		return 0;
	if (!(c = rst_carried_cpu(k, (unsigned)cpu)))
		return CAIRN_E_NOMEM;
	switch (p[0]) {
	case CAIRN_RST_INSTR:
		take_instr(k, (unsigned)cpu, p, told);
		return 0;
	case CAIRN_RST_REGVAL:
		return take_regval(k, c, p, told);
	case CAIRN_RST_PREG:
		take_preg(c, p, told);
		return 0;
	case CAIRN_RST_TRAP:
		take_trap(c, p, told);
		return 0;
	case CAIRN_RST_TRAPEXIT:
		c->has_next = false;
		forget_event(c, CAIRN_EV_TRAP_RETURN);
		return 0;
	case CAIRN_RST_PAVADIFF:
		take_diff(c, p, told);
		return 0;
	case CAIRN_RST_RECNUM:
		take_count(c, p);
		return 0;
	case CAIRN_RST_TLB:
		return take_tlb(k, c, p, (unsigned)cpu, told);
	default:
		return 0;
	}
}

/* ---- telling ---- */

/* Does the INSTR stand in a delay slot of which the output does not know where it leads? */
static bool in_slot(const struct rst_carried_cpu *c, const uint8_t *p)
{
	return c->has_slot && !c->slot_told && c->slot == base_be64(p + 8) && c->tl < 7;
}

bool rst_carried_untold(const struct rst_carried_cpu *c, const uint8_t *p)
{
	return c && (in_slot(c, p) || (c->has_preg && !c->preg_told) || (c->tl && !c->level_told) ||
	             c->tlb_untold || c->regs_untold || (c->has_thread && !c->thread_told) ||
	             (c->has_process && !c->process_told) || (c->has_pc && !c->pc_told) ||
	             (c->has_ea && !c->ea_told && p[1] & RST_I_EA_VALID));
}

bool rst_carried_any(const struct rst_carried_cpu *c)
{
	static const uint8_t any[SIZE] = {CAIRN_RST_INSTR, RST_I_EA_VALID};
	return rst_carried_untold(c, any) || (c && c->has_slot && !c->slot_told);
}

static int report_regval(unsigned cpu, struct base_buf *out, unsigned type, unsigned id, uint64_t v,
                         bool pair)
{
	uint8_t p[SIZE], *last = out->len >= SIZE ? out->data + out->len - SIZE : NULL;
	if (pair && last && last[0] == CAIRN_RST_REGVAL && last[3] == RST_R_UNUSED &&
	    !(last[2] == RST_R_FLOAT && last[4] >= 64)) {
		rst_more_regval(last, type, id, v);
		return 0;
	}
	rst_make_regval(p, cpu, false, type, id, v);
	return base_buf_put(out, p, SIZE);
}

static int report_preg(const struct rst_carried_cpu *c, unsigned cpu, struct base_buf *out)
{
	uint8_t p[SIZE];
	const struct rst_preg v = {.cpu = (uint16_t)cpu,
	                           .pstate = c->pstate,
	                           .asi = c->asi,
	                           .tl = c->tl,
	                           .tt = c->tl ? c->tt : 0};
	rst_make_preg(p, &v);
	memcpy(p + 16, c->contexts, 8);
	return base_buf_put(out, p, SIZE);
}

/* The trap stack: the level in force by the plain registers, those below by their own. */
static int report_levels(const struct rst_carried_cpu *c, unsigned cpu, struct base_buf *out)
{
	int rc = 0;
	for (unsigned tl = 1; tl <= c->tl && rc >= 0; tl++) {
		const struct rst_carried_level *l = &c->level[tl];
		bool now = tl == c->tl;
		if (!l->known || (!now && tl > 7))
			continue;
		rc = report_regval(cpu, out, RST_R_PRIV, now ? (unsigned)PRIV_TPC : ISA_SPARC_TPC_TL + tl,
		                   l->tpc, false);
		if (rc >= 0) /* one record: rst_tells_resume */
			rc = report_regval(cpu, out, RST_R_PRIV,
			                   now ? (unsigned)PRIV_TNPC : ISA_SPARC_TNPC_TL + tl, l->tnpc, true);
		if (rc >= 0)
			rc = report_regval(cpu, out, RST_R_PRIV, now ? (unsigned)PRIV_TT : ISA_SPARC_TT_TL + tl,
			                   l->tt, false);
	}
	return rc;
}

/* See rst_tells_npc. */
static int rst_carried_report_slot(struct rst_carried_cpu *c, unsigned cpu, struct base_buf *out)
{
	uint8_t p[SIZE];
	rst_make_regval(p, cpu, false, RST_R_PRIV, ISA_SPARC_TPC_TL + c->tl + 1u, c->slot);
	rst_more_regval(p, RST_R_PRIV, ISA_SPARC_TNPC_TL + c->tl + 1u, c->npc);
	c->slot_told = true;
	return base_buf_put(out, p, SIZE);
}

static int report_regs(struct rst_carried_cpu *c, unsigned cpu, struct base_buf *out)
{
	struct rst_carried_regs *r = c->regs;
	int rc = 0;
	c->regs_untold = false;
	for (unsigned type = 1; type < RST_CARRIED_TYPES && r; type++)
		for (unsigned id = 0; id < 256 && rc >= 0; id++) {
			if (!r->have[type][id] || r->told[type][id])
				continue;
			r->told[type][id] = 1;
			bool cc = type == RST_R_CC || type == RST_R_FCC;
			bool quad = type == RST_R_FLOAT && id >= 64 && id < 96;
			uint64_t v = r->value[type][id];
			rc = report_regval(cpu, out, type, cc ? (unsigned)v : id, cc ? 0 : v, !quad);
			if (rc >= 0 && quad) {
				uint8_t *p = out->data + out->len - SIZE;
				rst_put_be64(p + 16, r->low[id - 64]);
			}
		}
	return rc;
}

int rst_carried_tell_tlb(struct rst_carried *k, unsigned cpu, struct base_buf *out)
{
	struct rst_carried_cpu *c = k->cpus[cpu];
	int rc = 0;
	for (size_t i = 0; c && i < k->n_tlb && c->tlb_untold && rc >= 0; i++) {
		struct rst_carried_tlb *e = &k->tlb[i];
		if (e->told || (unsigned)rst_cpu_of(e->rec, k->wide) != cpu)
			continue;
		e->told = true;
		c->tlb_untold--;
		rc = base_buf_put(out, e->rec, SIZE);
	}
	return rc;
}

int rst_carried_tell(struct rst_carried *k, unsigned cpu, const uint8_t *p, struct base_buf *out,
                     struct base_buf *ids)
{
	struct rst_carried_cpu *c = k->cpus[cpu];
	int rc = rst_carried_tell_tlb(k, cpu, out);
	if (rc < 0 || !c)
		return rc;
	if (c->has_preg && !c->preg_told)
		rc = report_preg(c, cpu, out);
	if (rc >= 0 && c->tl && !c->level_told)
		rc = report_levels(c, cpu, out);
	if (rc >= 0 && c->regs_untold)
		rc = report_regs(c, cpu, out);
	if (rc >= 0 && in_slot(c, p))
		rc = rst_carried_report_slot(c, cpu, out);
	if (rc >= 0 && c->has_process && !c->process_told)
		rc = base_buf_put(ids, c->process, SIZE);
	if (rc >= 0 && c->has_thread && !c->thread_told)
		rc = base_buf_put(ids, c->thread, SIZE);
	c->preg_told = c->level_told = c->process_told = c->thread_told = true;
	return rc;
}

int rst_carried_tell_diff(struct rst_carried *k, unsigned cpu, bool ea_valid, struct base_buf *out)
{
	struct rst_carried_cpu *c = k->cpus[cpu];
	uint8_t p[SIZE];
	bool ea = ea_valid && c && c->has_ea;
	if (!c || !c->has_pc || (c->pc_told && (c->ea_told || !ea)))
		return 0;
	/* The d context changes with ea_valid only (clause 3(c)). */
	if (ea || !c->in_output)
		c->told_dctx = c->dctx;
	rst_make_pavadiff(p, cpu, c->ictx, c->pc_diff, ea, c->told_dctx, c->ea_diff);
	c->pc_told = c->in_output = true;
	c->ea_told |= ea;
	return base_buf_put(out, p, SIZE);
}
