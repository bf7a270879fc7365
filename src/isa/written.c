/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions and events change; see written.h. RISC-V and SPARC are here, on top of
 * their operands; A64 in arm64_written.c. Of A32, T32 and x86-64 nothing is told: there the
 * rows of a trace are all there is.
 *
 * Sources: the RISC-V unprivileged and privileged manuals (side effects of CSRs, traps and
 * vectors; the calling conventions of SBI and Linux for results of ecall); The SPARC
 * Architecture Manual, Version 9 (windows, traps).
 */
#include "isa/written.h"

#include <string.h>

#include "base/base.h"
#include "isa/isa.h"
#include "isa/sparc.h"

enum {
	X = CAIRN_REG_INT,
	F = CAIRN_REG_FP,
	V = CAIRN_REG_VECTOR,
	CSR = CAIRN_REG_CSR,
	FLAGS = CAIRN_REG_FLAGS
};

void isa_written_add(struct isa_written *w, unsigned cls, unsigned num, unsigned count, bool sure)
{
	if (w->n == ISA_WRITTEN_MOST) {
		w->told = false;
		return;
	}
	w->reg[w->n++] = (struct isa_written_reg){.cls = (uint8_t)cls,
	                                          .num = (uint16_t)num,
	                                          .count = (uint16_t)count,
	                                          .sure = sure};
}

void isa_written_bits(struct isa_written *w, unsigned cls, unsigned num, unsigned lsb,
                      unsigned bits)
{
	isa_written_add(w, cls, num, 1, false);
	w->reg[w->n - 1].lsb = (uint8_t)lsb;
	w->reg[w->n - 1].bits = (uint8_t)bits;
}

static void written_changes(struct isa_written *w, unsigned cls, unsigned num, unsigned count)
{
	isa_written_add(w, cls, num, count, false);
}

/* ---- RISC-V ---- */

enum {
	FFLAGS = 1,
	FRM = 2,
	FCSR = 3,
	VSTART = 8,
	VXSAT = 9,
	VXRM = 10,
	VCSR = 15,
	SEED = 0x15,
	SSTATUS = 0x100,
	SIE = 0x104,
	SEPC = 0x141,
	SIP = 0x144,
	VSSTATUS = 0x200,
	VSEPC = 0x241,
	MSTATUS = 0x300,
	MIE = 0x304,
	MSTATUSH = 0x310,
	MEPC = 0x341,
	MIP = 0x344,
	MTINST = 0x34a,
	HSTATUS = 0x600,
	HTVAL = 0x643,
	HTINST = 0x64a,
	MNSTATUS = 0x744,
	VL = 0xc20,
	VTYPE = 0xc21,
	A0 = 10
};

/* Registers of the floating-point unit, or of vectors, become dirty in these. */
static void riscv_dirty(struct isa_written *w, bool rv32, unsigned lsb)
{
	static const uint16_t status[] = {MSTATUS, SSTATUS, VSSTATUS};
	for (unsigned i = 0; i < 3; i++) {
		isa_written_bits(w, CSR, status[i], lsb, 2);
		isa_written_bits(w, CSR, status[i], rv32 ? 31 : 63, 1);
	}
}

static void riscv_float_flags(struct isa_written *w)
{
	written_changes(w, CSR, FFLAGS, 1);
	written_changes(w, CSR, FCSR, 1);
}

/* How many registers a vector destination may reach over: a group begins at a multiple of its
 * size, and has at most eight. */
static unsigned written_group_of(unsigned vd)
{
	return vd & 7 ? vd & (0u - vd) & 7 : 8;
}

static unsigned vector_load_reach(uint32_t e)
{
	unsigned vd = e >> 7 & 31, fields = (e >> 29 & 7) + 1, whole = e >> 20 & 31,
			 group = written_group_of(vd);
	bool unit = (e >> 26 & 3) == 0;
	if (unit && whole == 8) /* whole registers */
		return fields;
	if (unit && whole == 11) /* a mask */
		return 1;
	return fields * (group < 8 / fields ? group : 8 / fields);
}

/* Does a vector instruction leave a mask, a sum, or one element, in one register? */
static bool is_single(uint32_t e)
{
	unsigned f3 = e >> 12 & 7, f6 = e >> 26;
	bool integer = f3 == 0 || f3 == 3 || f3 == 4, multiply = f3 == 2 || f3 == 6;
	if (integer)
		return (f6 >= 0x18 && f6 < 0x20) || f6 == 0x11 || f6 == 0x13 || f6 == 0x30 || f6 == 0x31;
	if (multiply)
		return f6 < 8 || f6 == 0x10 || (f6 >= 0x18 && f6 < 0x20) ||
		       (f6 == 0x14 && (e >> 15 & 31) < 16);
	return f6 == 1 || f6 == 3 || f6 == 5 || f6 == 7 || f6 == 0x10 || (f6 >= 0x18 && f6 < 0x20) ||
	       f6 == 0x31 || f6 == 0x33;
}

/* Vectors write more than the first register of their group, and registers of their own. */
static void riscv_vector(const struct cairn_op *op, struct isa_written *w)
{
	uint32_t e = op->enc;
	unsigned major = e & 0x7f, f3 = e >> 12 & 7, f6 = e >> 26, vd = e >> 7 & 31, reach = 1;
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	written_changes(w, CSR, VSTART, 1);
	riscv_dirty(w, rv32, 9);
	if (major == 0x07) {
		reach = vector_load_reach(e);
		if ((e >> 26 & 3) == 0 && (e >> 20 & 31) == 16) /* up to the first fault */
			written_changes(w, CSR, VL, 1);
	} else if (major == 0x57 && f3 == 7) {
		isa_written_add(w, CSR, VL, 2, true);
		return;
	} else if (major == 0x57 || major == 0x77) {
		bool moves = major == 0x57 && f3 == 3 && f6 == 0x27 && e >> 25 & 1; /* vmv1r … vmv8r */
		reach = moves                           ? (e >> 15 & 7) + 1
		        : major == 0x57 && is_single(e) ? 1
		                                        : written_group_of(vd);
		if (f3 == 1 || f3 == 5)
			riscv_float_flags(w);
		else if (f6 >= 0x20 && f6 < 0x30)
			written_changes(w, CSR, VXSAT, 1), written_changes(w, CSR, VCSR, 1);
		if ((f3 == 1 || f3 == 2) && f6 == 0x10)
			return; /* leaves the vectors */
	}
	if (major != 0x27 && reach > 1)
		written_changes(w, V, vd + 1, vd + reach > 32 ? 31 - vd : reach - 1);
}

/* A return from a trap, and what a trap writes. */
static void riscv_status(struct isa_written *w)
{
	static const uint16_t status[] = {MSTATUS, SSTATUS, VSSTATUS, HSTATUS, MSTATUSH, MNSTATUS};
	for (unsigned i = 0; i < sizeof status / sizeof *status; i++)
		written_changes(w, CSR, status[i], 1);
}

static void riscv_trap(struct isa_written *w, bool call)
{
	riscv_status(w);
	written_changes(w, CSR, MEPC, 3); /* xepc, xcause, xtval */
	written_changes(w, CSR, SEPC, 3);
	written_changes(w, CSR, VSEPC, 3);
	written_changes(w, CSR, MTINST, 2);
	written_changes(w, CSR, HTVAL, 1);
	written_changes(w, CSR, HTINST, 1);
	if (call)
		written_changes(w, X, A0, 2);
}

static bool is_riscv_fp(uint32_t e)
{
	unsigned f5 = e >> 27;
	return ((e & 0x7f) >= 0x43 && (e & 0x7f) <= 0x4f && (e & 3) == 3) ||
	       ((e & 0x7f) == 0x53 && f5 != 4 && f5 != 0x1c && f5 != 0x1e);
}

static void riscv_besides(const struct cairn_op *op, struct isa_written *w)
{
	uint32_t e = op->enc, major = e & 0x7f, f3 = e >> 12 & 7;
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	for (unsigned i = 0, n = w->n; i < n; i++)
		if (w->reg[i].cls == F) {
			riscv_dirty(w, rv32, 13);
			break;
		}
	if (op->traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT)) /* ebreak: semihosting */
		riscv_trap(w, true);
	if (op->traits & CAIRN_TRAIT_XRET)
		riscv_status(w);
	if (op->size != 4)
		return;
	if (is_riscv_fp(e))
		riscv_float_flags(w);
	if (op->traits & CAIRN_TRAIT_VECTOR)
		riscv_vector(op, w);
	if (major == 0x2f && e >> 27 == 5 && f3 == (rv32 ? 3u : 4u) &&
	    e >> 7 & 31) /* amocas of a pair */
		isa_written_add(w, X, (e >> 7 & 31) + 1, 1, true);
}

static void riscv_alias(unsigned csr, struct isa_written *w)
{
	static const struct {
		uint16_t num, others[5];
	} same[] = {{FFLAGS, {FCSR}},
	            {FRM, {FCSR}},
	            {FCSR, {FFLAGS, FRM}},
	            {VXSAT, {VCSR}},
	            {VXRM, {VCSR}},
	            {VCSR, {VXSAT, VXRM}},
	            {MSTATUS, {SSTATUS, VSSTATUS}},
	            {SSTATUS, {MSTATUS, VSSTATUS}},
	            {VSSTATUS, {SSTATUS}},
	            {MIE, {SIE, 0x604, 0x204}},
	            {SIE, {MIE, 0x204}},
	            {0x604, {MIE, 0x204}},
	            {0x204, {SIE, MIE, 0x604}},
	            {VL, {0}},
	            {0x303, {SIE}},
	            {0x7a0, {0x7a1, 0x7a2, 0x7a3}},
	            {0x350, {0x351, 0x352, 0x353}},
	            {0x150, {0x151, 0x152, 0x153}},
	            {0x250, {0x251, 0x252, 0x253}}};
	/* In a virtual machine the supervisor's names are those of its own registers. */
	if (csr >= 0x140 && csr < 0x144)
		written_changes(w, CSR, csr + 0x100, 1);
	if (csr >= 0x240 && csr < 0x244)
		written_changes(w, CSR, csr - 0x100, 1);
	if (csr == 0x105 || csr == 0x180 || csr == 0x205 || csr == 0x280) /* stvec, satp */
		written_changes(w, CSR, csr ^ 0x300, 1);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		for (unsigned k = 0; same[i].num == csr && same[i].others[k]; k++)
			written_changes(w, CSR, same[i].others[k], 1);
}

static bool riscv_volatile(unsigned csr)
{
	static const uint16_t pending[] = {MIP,   SIP,   0x244, 0x644, 0x645, SEED,  0xfb0,
	                                   0xdb0, 0xeb0, 0x35c, 0x15c, 0x25c, 0xe12, 0xda0};
	if ((csr & 0xf60) == 0xb00 || (csr & 0xf60) == 0xc00) /* counters; vl and vtype are not */
		return true;
	for (size_t i = 0; i < sizeof pending / sizeof *pending; i++)
		if (csr == pending[i])
			return true;
	return false;
}

/* ---- SPARC ---- */

enum {
	PR_CWP = 9,
	PR_WSTATE = 14,
	PR_GL = 16,
	TICK = ISA_SPARC_ASR + 4,
	PC_ASR = ISA_SPARC_ASR + 5,
	FSR = ISA_SPARC_ASR + 8,
	FPRS = ISA_SPARC_ASR + 6,
	ASI = ISA_SPARC_ASR + 3,
	CCR = 0,
	FCC = 1
};

/* Every name of four bytes of the floating-point registers, counted from %f0. */
static void sparc_unit(struct isa_written *w, unsigned unit)
{
	if (unit < 32)
		written_changes(w, F, unit, 1);
	written_changes(w, F, 32 + unit / 2, 1);
	written_changes(w, F, 64 + (unit & ~3u), 1);
	if ((unit & ~3u) != unit / 4)
		written_changes(w, F, 64 + unit / 4, 1);
}

static void sparc_float_alias(unsigned num, struct isa_written *w)
{
	unsigned unit = num < 32 ? num : num < 64 ? 2 * (num - 32) : num - 64;
	unsigned step = num < 32 ? 1 : 2, n = num < 64 ? 1 : 2;
	for (unsigned k = 0; k < n; k++) {
		sparc_unit(w, (unit & 63) + k * step);
		if (step == 2 && unit < 32)
			written_changes(w, F, (unit & 63) + k * step + 1, 1);
	}
}

/* Traps take other globals, and may take another window, in no record of the trace. */
static void sparc_trap(struct isa_written *w, bool back)
{
	written_changes(w, X, 1, 31);
	written_changes(w, CSR, 0, 8); /* %tpc … %tl */
	written_changes(w, CSR, PR_CWP, PR_GL - PR_CWP + 1);
	written_changes(w, CSR, ISA_SPARC_TPC_TL, 32);
	if (!back)
		return;
	written_changes(w, CSR, ASI, 1);
	written_changes(w, FLAGS, CCR, 1);
}

static void sparc_moves(uint32_t e, struct isa_written *w)
{
	unsigned op3 = e >> 19 & 63, rd = e >> 25 & 31;
	switch (op3) {
	case 0x2b:
	case 0x31:
	case 0x39:
	case 0x3c:
	case 0x3d: /* flushw, saved, return, save, restore */
		written_changes(w, CSR, PR_CWP, PR_WSTATE - PR_CWP);
		break;
	case 0x32:
		if (rd == ISA_SPARC_PSTATE || rd == ISA_SPARC_TL || rd == PR_CWP || rd == PR_GL)
			sparc_trap(w, false);
		break;
	case 0x33: /* the hypervisor's, which are not told one by one */
		sparc_trap(w, false);
		break;
	case 0x34:
	case 0x35:
	case 0x36:
	case 0x37:
		written_changes(w, CSR, FSR, 1);
		written_changes(w, CSR, FPRS, 1);
		written_changes(w, FLAGS, FCC, 1);
		break;
	case 0x3a: /* may trap: a system's results are in %o0, %o1 and the carry */
		if (e >> 25 & 15) {
			written_changes(w, X, 8, 2);
			written_changes(w, FLAGS, CCR, 1);
		}
		break;
	case 0x3e:
		sparc_trap(w, true);
		break;
	default:
		break;
	}
	w->window = op3 == 0x3c ? 1 : op3 == 0x3d || op3 == 0x39 ? -1 : 0;
}

static void sparc_besides(const struct cairn_op *op, struct isa_written *w)
{
	uint32_t e = op->enc;
	unsigned op3 = e >> 19 & 63, rd = e >> 25 & 31, first = (rd & 30) | (rd & 1) << 5;
	bool loads = op->traits & CAIRN_TRAIT_LOAD;
	if (e >> 30 == 2)
		sparc_moves(e, w);
	if (e >> 30 == 3 && op3 == 0x1e) /* stxa may write a register of the MMU */
		written_changes(w, CSR, ISA_SPARC_MMU, 256);
	if (e >> 30 == 3 && loads && op->mem_size > 16) { /* a block: eight registers */
		isa_written_add(w, F, 32 + first / 2, 8, true);
		written_changes(w, F, 64, 64);
		if (first < 32)
			written_changes(w, F, first, 16);
	}
	if (e >> 30 == 3 && loads && op3 >= 0x20 && op3 < 0x3c)
		written_changes(w, CSR, FPRS, 1);
}

/* ---- together ---- */

static void add_aliases(enum cairn_isa isa, struct isa_written *w)
{
	for (unsigned i = 0, n = w->n; i < n; i++)
		if (w->reg[i].count == 1 && w->reg[i].bits == 0 && w->reg[i].cls != X)
			isa_aliases(isa, w->reg[i].cls, w->reg[i].num, w);
}

/* Of a set whose operands are not known here: what surely writes no register. */
static bool writes_nothing(const struct cairn_op *op)
{
	bool flow = (op->cls == CAIRN_CLASS_BRANCH || op->cls == CAIRN_CLASS_JUMP) &&
	            !(op->traits & (CAIRN_TRAIT_CALL | CAIRN_TRAIT_LOAD));
	return flow || op->cls == CAIRN_CLASS_NOP || op->cls == CAIRN_CLASS_FENCE ||
	       op->cls == CAIRN_CLASS_CACHE;
}

static void from_operands(enum cairn_isa isa, const struct cairn_op *op, struct isa_written *w)
{
	struct cairn_operands o;
	int rc = cairn_isa_operands(isa, op->enc, op->size, &o);
	w->told = rc >= 0 || (rc == CAIRN_E_UNSUPPORTED && op->mem_size > 16); /* SPARC's blocks */
	for (unsigned i = 0; i < o.n_dst; i++)
		isa_written_add(w, o.dst[i].cls, o.dst[i].num, 1, true);
}

/* A store is sure where nothing but a trap can keep it from being done. */
static void store_of(const struct cairn_op *op, struct isa_written *w)
{
	bool maybe =
		op->traits & (CAIRN_TRAIT_RESERVED_SC | CAIRN_TRAIT_VECTOR | CAIRN_TRAIT_CONDITIONAL) ||
		isa_is_cas(op);
	if (!(op->traits & CAIRN_TRAIT_STORE) || op->traits & CAIRN_TRAIT_PREFETCH)
		return;
	if (w->store == ISA_STORES_NOT)
		w->store = maybe ? ISA_STORES_MAYBE : ISA_STORES;
	if (w->store == ISA_STORES_TAGS)
		w->store = ISA_STORES_NOT;
	w->bytes =
		w->store == ISA_STORES
			? (uint16_t)(op->mem_size * (op->traits & CAIRN_TRAIT_ATOMIC ? 1 : op->mem_count))
			: 0;
}

void isa_written(enum cairn_isa isa, uint32_t enc, unsigned size, struct isa_written *w)
{
	struct cairn_op op;
	memset(w, 0, sizeof *w);
	cairn_isa_decode(isa, enc, size, &op);
	if (op.cls == CAIRN_CLASS_ILLEGAL)
		return;
	switch (op.isa) {
	case CAIRN_ISA_RV32:
	case CAIRN_ISA_RV64:
		from_operands(isa, &op, w);
		riscv_besides(&op, w);
		break;
	case CAIRN_ISA_SPARC:
		from_operands(isa, &op, w);
		sparc_besides(&op, w);
		break;
	case CAIRN_ISA_A64:
		w->told = true;
		isa_arm64_written(&op, w);
		break;
	default:
		w->told = writes_nothing(&op);
		break;
	}
	add_aliases(isa, w);
	store_of(&op, w);
}

void isa_event_written(enum cairn_isa isa, enum cairn_event_kind kind, struct isa_written *w)
{
	bool call = kind == CAIRN_EV_SYSCALL, back = kind == CAIRN_EV_TRAP_RETURN;
	memset(w, 0, sizeof *w);
	w->told = true;
	if (!call && !back && kind != CAIRN_EV_EXCEPTION && kind != CAIRN_EV_INTERRUPT)
		return;
	if (isa == CAIRN_ISA_SPARC) {
		sparc_trap(w, back);
	} else if (isa == CAIRN_ISA_A64) {
		isa_arm64_event_written(kind, w);
	} else if (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64) {
		if (back)
			riscv_status(w);
		else
			riscv_trap(w, call);
	}
}

void isa_aliases(enum cairn_isa isa, unsigned cls, unsigned num, struct isa_written *w)
{
	if (isa == CAIRN_ISA_A64) {
		if ((cls == V && num < 64) || cls == F) {
			written_changes(w, V, num % 32, 1);
			written_changes(w, V, 32 + num % 32, 1);
			for (unsigned part = 0; part < 5 && cls == F; part++)
				written_changes(w, F, 32 * part + num % 32, 1);
		}
	} else if (isa == CAIRN_ISA_SPARC) {
		if (cls == F)
			sparc_float_alias(num, w);
		else if (cls == CSR && num < 4)
			written_changes(w, CSR, ISA_SPARC_TPC_TL + 8 * num, 8);
		else if (cls == CSR && num >= ISA_SPARC_TPC_TL && num < ISA_SPARC_TPC_TL + 32)
			written_changes(w, CSR, (num - ISA_SPARC_TPC_TL) / 8, 1);
		else if (cls == CSR && num == FSR)
			written_changes(w, FLAGS, FCC, 1);
		else if (cls == FLAGS && num == FCC)
			written_changes(w, CSR, FSR, 1);
	} else if (cls == CSR) {
		riscv_alias(num, w);
	}
}

bool isa_is_volatile(enum cairn_isa isa, unsigned cls, unsigned num)
{
	if (isa == CAIRN_ISA_SPARC)
		return (cls == X && num >= ISA_SPARC_WIN) ||
		       (cls == CSR &&
		        (num == TICK || num == PC_ASR || num == 4 || num == ISA_SPARC_ASR + 7)) ||
		       cls == CAIRN_REG_PC;
	if (cls == CAIRN_REG_PC)
		return true;
	if (isa == CAIRN_ISA_A64) /* timers, counters, random numbers, pending interrupts */
		return cls == CSR && ((num & 0xff80) == 0xdf00 || (num & 0xfff8) == 0xd920 ||
		                      num == 0xc608 || num == 0xdce3 || num == 0xdce8 || num == 0xdcea ||
		                      num == 0xdcf3 || (num & 0xffc0) == 0xc640);
	return (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64) && cls == CSR && riscv_volatile(num);
}

/* ---- the memo ---- */

enum { MEMO_BITS = 11 };

struct isa_written_memo {
	struct cairn *c;
	struct slot {
		uint64_t key;
		struct isa_written w;
	} slot[1 << MEMO_BITS];
};

struct isa_written_memo *isa_written_memo_new(struct cairn *c)
{
	struct isa_written_memo *m = base_alloc(c, sizeof *m);
	if (m)
		m->c = c;
	return m;
}

void isa_written_memo_free(struct isa_written_memo *m)
{
	if (m)
		base_free(m->c, m);
}

const struct isa_written *isa_written_get(struct isa_written_memo *m, enum cairn_isa isa,
                                          uint32_t enc, unsigned size)
{
	uint64_t key = enc | (uint64_t)isa << 32 | (uint64_t)(uint8_t)size << 40 | UINT64_C(1) << 63;
	struct slot *s = &m->slot[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MEMO_BITS)];
	if (s->key != key) {
		isa_written(isa, enc, size, &s->w);
		s->key = key;
	}
	return &s->w;
}
