/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions and events change; see written.h. RISC-V and SPARC are here, on top of
 * their operands; A64 in arm64_written.c. For A32, T32 and x86-64 nothing is known beyond the rows
 * of a trace.
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

void isa_written_add(struct isa_written *written, unsigned cls, unsigned num, unsigned count,
                     bool sure)
{
	if (written->n == ISA_WRITTEN_MOST) {
		written->told = false;
		return;
	}
	written->reg[written->n++] = (struct isa_written_reg){.cls = (uint8_t)cls,
	                                                      .num = (uint16_t)num,
	                                                      .count = (uint16_t)count,
	                                                      .sure = sure};
}

void isa_written_bits(struct isa_written *written, unsigned cls, unsigned num, unsigned lsb,
                      unsigned bits)
{
	isa_written_add(written, cls, num, 1, false);
	written->reg[written->n - 1].lsb = (uint8_t)lsb;
	written->reg[written->n - 1].bits = (uint8_t)bits;
}

static void written_changes(struct isa_written *written, unsigned cls, unsigned num, unsigned count)
{
	isa_written_add(written, cls, num, count, false);
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

/* Registers of the floating-point unit, or of vectors, become dirty in these CSRs. */
static void riscv_dirty(struct isa_written *written, bool rv32, unsigned lsb)
{
	static const uint16_t status[] = {MSTATUS, SSTATUS, VSSTATUS};
	for (unsigned i = 0; i < 3; i++) {
		isa_written_bits(written, CSR, status[i], lsb, 2);
		isa_written_bits(written, CSR, status[i], rv32 ? 31 : 63, 1);
	}
}

/* Which fields of other names change with it, riscv_alias says. */
static void riscv_float_flags(struct isa_written *written)
{
	written_changes(written, CSR, FFLAGS, 1);
}

/* How many registers a vector destination may reach over: a group begins at a multiple of its
 * size, and has at most eight. */
static unsigned written_group_of(unsigned vd)
{
	return vd & 7 ? vd & (0u - vd) & 7 : 8;
}

static unsigned vector_load_reach(uint32_t encoding)
{
	unsigned vd = encoding >> 7 & 31, fields = (encoding >> 29 & 7) + 1,
			 whole = encoding >> 20 & 31, group = written_group_of(vd);
	bool unit = (encoding >> 26 & 3) == 0;
	if (unit && whole == 8) /* whole registers */
		return fields;
	if (unit && whole == 11) /* a mask */
		return 1;
	return fields * (group < 8 / fields ? group : 8 / fields);
}

/* Does a vector instruction leave a mask, a sum, or one element, in one register? */
static bool is_single(uint32_t encoding)
{
	unsigned f3 = encoding >> 12 & 7, f6 = encoding >> 26;
	bool integer = f3 == 0 || f3 == 3 || f3 == 4, multiply = f3 == 2 || f3 == 6;
	if (integer)
		return (f6 >= 0x18 && f6 < 0x20) || f6 == 0x11 || f6 == 0x13 || f6 == 0x30 || f6 == 0x31;
	if (multiply)
		return f6 < 8 || f6 == 0x10 || (f6 >= 0x18 && f6 < 0x20) ||
		       (f6 == 0x14 && (encoding >> 15 & 31) < 16);
	return f6 == 1 || f6 == 3 || f6 == 5 || f6 == 7 || f6 == 0x10 || (f6 >= 0x18 && f6 < 0x20) ||
	       f6 == 0x31 || f6 == 0x33;
}

/* Vectors write more than the first register of their group, and registers of their own. */
static void riscv_vector(const struct cairn_op *op, struct isa_written *written)
{
	uint32_t e = op->enc;
	unsigned major = e & 0x7f, f3 = e >> 12 & 7, f6 = e >> 26, vd = e >> 7 & 31, reach = 1;
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	written_changes(written, CSR, VSTART, 1);
	riscv_dirty(written, rv32, 9);
	if (major == 0x07) {
		reach = vector_load_reach(e);
		if ((e >> 26 & 3) == 0 && (e >> 20 & 31) == 16) /* up to the first fault */
			written_changes(written, CSR, VL, 1);
	} else if (major == 0x57 && f3 == 7) {
		isa_written_add(written, CSR, VL, 2, true);
		return;
	} else if (major == 0x57 || major == 0x77) {
		bool moves = major == 0x57 && f3 == 3 && f6 == 0x27 && e >> 25 & 1; /* vmv1r … vmv8r */
		reach = moves                           ? (e >> 15 & 7) + 1
		        : major == 0x57 && is_single(e) ? 1
		                                        : written_group_of(vd);
		if (f3 == 1 || f3 == 5)
			riscv_float_flags(written);
		else if (f6 >= 0x20 && f6 < 0x30)
			written_changes(written, CSR, VXSAT, 1);
		if ((f3 == 1 || f3 == 2) && f6 == 0x10)
			return; /* leaves the vectors */
	}
	if (major != 0x27 && reach > 1)
		written_changes(written, V, vd + 1, vd + reach > 32 ? 31 - vd : reach - 1);
}

/* A return from a trap, and what a trap writes. */
static void riscv_status(struct isa_written *written)
{
	static const uint16_t status[] = {MSTATUS, SSTATUS, VSSTATUS, HSTATUS, MSTATUSH, MNSTATUS};
	for (unsigned i = 0; i < sizeof status / sizeof *status; i++)
		written_changes(written, CSR, status[i], 1);
}

static void riscv_trap(struct isa_written *written, bool call)
{
	riscv_status(written);
	written_changes(written, CSR, MEPC, 3); /* xepc, xcause, xtval */
	written_changes(written, CSR, SEPC, 3);
	written_changes(written, CSR, VSEPC, 3);
	written_changes(written, CSR, MTINST, 2);
	written_changes(written, CSR, HTVAL, 1);
	written_changes(written, CSR, HTINST, 1);
	if (call)
		written_changes(written, X, A0, 2);
}

static bool is_riscv_fp(uint32_t encoding)
{
	unsigned f5 = encoding >> 27;
	return ((encoding & 0x7f) >= 0x43 && (encoding & 0x7f) <= 0x4f && (encoding & 3) == 3) ||
	       ((encoding & 0x7f) == 0x53 && f5 != 4 && f5 != 0x1c && f5 != 0x1e);
}

static void riscv_besides(const struct cairn_op *op, struct isa_written *written)
{
	uint32_t e = op->enc, major = e & 0x7f, f3 = e >> 12 & 7;
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	for (unsigned i = 0, n = written->n; i < n; i++)
		if (written->reg[i].cls == F) {
			riscv_dirty(written, rv32, 13);
			break;
		}
	if (op->traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT)) /* ebreak: semihosting */
		riscv_trap(written, true);
	if (op->traits & CAIRN_TRAIT_XRET)
		riscv_status(written);
	if (op->size != 4)
		return;
	if (op->cls == CAIRN_CLASS_CACHE && major == 0x0f &&
	    e >> 20 == 0) /* cbo.inval: what others wrote may show */
		written->store = ISA_STORES_MAYBE;
	if (is_riscv_fp(e))
		riscv_float_flags(written);
	if (op->traits & CAIRN_TRAIT_VECTOR)
		riscv_vector(op, written);
	if (major == 0x2f && e >> 27 == 5 && f3 == (rv32 ? 3u : 4u) &&
	    e >> 7 & 31) /* amocas of a pair */
		isa_written_add(written, X, (e >> 7 & 31) + 1, 1, true);
}

/* sstatus shows fields of mstatus; what else mstatus has stays. vsstatus may be what the name sstatus means. */
static void riscv_supervisor_status(struct isa_written *written, bool rv32)
{
	/* SIE; SPIE, UBE; SPP, VS; FS, XS; SUM, MXR; SPELP, SDT; UXL */
	static const uint8_t fields[][2] = {{1, 1}, {5, 2}, {8, 3}, {13, 4}, {18, 2}, {23, 2}};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		isa_written_bits(written, CSR, MSTATUS, fields[i][0], fields[i][1]);
	isa_written_bits(written, CSR, MSTATUS, rv32 ? 31 : 63, 1);
	if (!rv32)
		isa_written_bits(written, CSR, MSTATUS, 32, 2);
}

static void riscv_alias(unsigned csr, bool rv32, struct isa_written *written)
{
	static const struct {
		uint16_t num, others[5];
	} same[] = {{FCSR, {FFLAGS, FRM}},
	            {VCSR, {VXSAT, VXRM}},
	            {MSTATUS, {SSTATUS, VSSTATUS}},
	            {SSTATUS, {VSSTATUS}},
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
	/* A field of another register. */
	static const struct {
		uint16_t num, of;
		uint8_t lsb, bits;
	} fields[] = {{FFLAGS, FCSR, 0, 5}, {FRM, FCSR, 5, 3}, {VXSAT, VCSR, 0, 1}, {VXRM, VCSR, 1, 2}};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].num == csr)
			isa_written_bits(written, CSR, fields[i].of, fields[i].lsb, fields[i].bits);
	if (csr == SSTATUS)
		riscv_supervisor_status(written, rv32);
	/* In a virtual machine the supervisor's names are those of its own registers. */
	if (csr >= 0x140 && csr < 0x144)
		written_changes(written, CSR, csr + 0x100, 1);
	if (csr >= 0x240 && csr < 0x244)
		written_changes(written, CSR, csr - 0x100, 1);
	if (csr == 0x105 || csr == 0x180 || csr == 0x205 || csr == 0x280) /* stvec, satp */
		written_changes(written, CSR, csr ^ 0x300, 1);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		for (unsigned k = 0; same[i].num == csr && same[i].others[k]; k++)
			written_changes(written, CSR, same[i].others[k], 1);
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
	GSR = ISA_SPARC_ASR + 9,
	CCR = 0,
	FCC = 1
};

/* Every name of four bytes of the floating-point registers, counted from %f0. */
static void sparc_unit(struct isa_written *written, unsigned unit)
{
	if (unit < 32)
		written_changes(written, F, unit, 1);
	written_changes(written, F, 32 + unit / 2, 1);
	written_changes(written, F, 64 + (unit & ~3u), 1);
	if ((unit & ~3u) != unit / 4)
		written_changes(written, F, 64 + unit / 4, 1);
}

static void sparc_float_alias(unsigned num, struct isa_written *written)
{
	unsigned unit = num < 32 ? num : num < 64 ? 2 * (num - 32) : num - 64;
	unsigned step = num < 32 ? 1 : 2, n = num < 64 ? 1 : 2;
	for (unsigned k = 0; k < n; k++) {
		sparc_unit(written, (unit & 63) + k * step);
		if (step == 2 && unit < 32)
			written_changes(written, F, (unit & 63) + k * step + 1, 1);
	}
}

/* Traps take other globals, and may take another window, without a record in the trace. */
static void sparc_trap(struct isa_written *written, bool back)
{
	written_changes(written, X, 1, 31);
	written_changes(written, CSR, 0, 8); /* %tpc … %tl */
	written_changes(written, CSR, PR_CWP, PR_GL - PR_CWP + 1);
	written_changes(written, CSR, ISA_SPARC_TPC_TL, 32);
	if (!back)
		return;
	written_changes(written, CSR, ASI, 1);
	written_changes(written, FLAGS, CCR, 1);
}

/* The condition codes in FSR: fcc0, and fcc1 to fcc3. */
static void sparc_fcc_alias(struct isa_written *written)
{
	isa_written_bits(written, CSR, FSR, 10, 2);
	isa_written_bits(written, CSR, FSR, 32, 6);
}

/* A floating-point operation leaves the rounding direction, the traps that are enabled and the like in FSR, and what
 * enables the unit in FPRS. */
static void sparc_float_status(uint32_t encoding, struct isa_written *written)
{
	isa_written_bits(written, CSR, FSR, 0, 17); /* cexc, aexc, fcc0, qne, ftt; FCC has the others */
	isa_written_bits(written, CSR, FPRS, 0, 2);
	written_changes(written, FLAGS, FCC, 1);
	if ((encoding >> 19 & 63) != 0x36)
		return;
	switch (encoding >> 5 & 0x1ff) {
	case 0x18:
	case 0x1a: /* alignaddr */
		isa_written_bits(written, CSR, GSR, 0, 3);
		break;
	case 0x19:
	case 0x1b:
	case 0x1d:
	case 0x1f: /* bmask, cmask8, cmask16, cmask32 */
		isa_written_bits(written, CSR, GSR, 32, 32);
		break;
	case 0x81: /* siam */
		isa_written_bits(written, CSR, GSR, 25, 3);
		break;
	default:
		break;
	}
}

static void sparc_moves(uint32_t encoding, struct isa_written *written)
{
	unsigned op3 = encoding >> 19 & 63, rd = encoding >> 25 & 31;
	switch (op3) {
	case 0x2b:
	case 0x31:
	case 0x39:
	case 0x3c:
	case 0x3d: /* flushw, saved, return, save, restore */
		written_changes(written, CSR, PR_CWP, PR_WSTATE - PR_CWP);
		break;
	case 0x32:
		if (rd == ISA_SPARC_PSTATE || rd == ISA_SPARC_TL || rd == PR_CWP || rd == PR_GL)
			sparc_trap(written, false);
		break;
	case 0x33: /* registers of the hypervisor, which are not told apart */
		sparc_trap(written, false);
		break;
	case 0x34:
	case 0x35:
	case 0x36:
	case 0x37:
		sparc_float_status(encoding, written);
		break;
	case 0x3a: /* may trap: a system's results are in %o0, %o1 and the carry */
		if (encoding >> 25 & 15) {
			written_changes(written, X, 8, 2);
			written_changes(written, FLAGS, CCR, 1);
		}
		break;
	case 0x3e:
		sparc_trap(written, true);
		break;
	default:
		break;
	}
	written->window = op3 == 0x3c ? 1 : op3 == 0x3d || op3 == 0x39 ? -1 : 0;
}

static void sparc_besides(const struct cairn_op *op, struct isa_written *written)
{
	uint32_t e = op->enc;
	unsigned op3 = e >> 19 & 63, rd = e >> 25 & 31, first = (rd & 30) | (rd & 1) << 5;
	bool loads = op->traits & CAIRN_TRAIT_LOAD;
	if (e >> 30 == 2)
		sparc_moves(e, written);
	if (e >> 30 == 3 && op3 == 0x1e) /* stxa may write a register of the MMU */
		written_changes(written, CSR, ISA_SPARC_MMU, 256);
	/* A block: eight registers from a multiple of 16 on. lddfa by %asi may load one. */
	bool block = op->mem_size > 16;
	if (e >> 30 == 3 && loads && first % 16 == 0 && (block || (op3 == 0x33 && e >> 13 & 1))) {
		isa_written_add(written, F, 32 + first / 2, 8, block);
		written_changes(written, F, 64, 64);
		if (first < 32)
			written_changes(written, F, first, 16);
	}
	if (e >> 30 == 3 && loads && op3 >= 0x20 && op3 < 0x3c)
		isa_written_bits(written, CSR, FPRS, 0, 2);
	if (e >> 30 == 3 && op3 == 0x25) /* stfsr leaves no trap type behind */
		isa_written_bits(written, CSR, FSR, 14, 3);
}

/* ---- together ---- */

static void add_aliases(enum cairn_isa isa, struct isa_written *written)
{
	for (unsigned i = 0, n = written->n; i < n; i++)
		if (written->reg[i].count == 1 && written->reg[i].bits == 0 && written->reg[i].cls != X)
			isa_aliases(isa, written->reg[i].cls, written->reg[i].num, written);
}

/* For a set whose operands are not known here: does the instruction surely write no register? */
static bool writes_nothing(const struct cairn_op *op)
{
	bool flow = (op->cls == CAIRN_CLASS_BRANCH || op->cls == CAIRN_CLASS_JUMP) &&
	            !(op->traits & (CAIRN_TRAIT_CALL | CAIRN_TRAIT_LOAD));
	return flow || op->cls == CAIRN_CLASS_NOP || op->cls == CAIRN_CLASS_FENCE ||
	       op->cls == CAIRN_CLASS_CACHE;
}

static void from_operands(enum cairn_isa isa, const struct cairn_op *op,
                          struct isa_written *written)
{
	struct cairn_operands operands;
	int rc = cairn_isa_operands(isa, op->enc, op->size, &operands);
	written->told =
		rc >= 0 || (rc == CAIRN_E_UNSUPPORTED && op->mem_size > 16); /* SPARC's blocks */
	for (unsigned i = 0; i < operands.n_dst; i++)
		isa_written_add(written, operands.dst[i].cls, operands.dst[i].num, 1, true);
}

/* A store is sure if only a trap can prevent it. */
static void store_of(const struct cairn_op *op, struct isa_written *written)
{
	bool maybe =
		op->traits & (CAIRN_TRAIT_RESERVED_SC | CAIRN_TRAIT_VECTOR | CAIRN_TRAIT_CONDITIONAL) ||
		isa_is_cas(op);
	if (!(op->traits & CAIRN_TRAIT_STORE) || op->traits & CAIRN_TRAIT_PREFETCH)
		return;
	if (written->store == ISA_STORES_NOT)
		written->store = maybe ? ISA_STORES_MAYBE : ISA_STORES;
	if (written->store == ISA_STORES_TAGS)
		written->store = ISA_STORES_NOT;
	written->bytes =
		written->store == ISA_STORES
			? (uint16_t)(op->mem_size * (op->traits & CAIRN_TRAIT_ATOMIC ? 1 : op->mem_count))
			: 0;
}

void isa_written(enum cairn_isa isa, uint32_t enc, unsigned size, struct isa_written *written)
{
	struct cairn_op op;
	memset(written, 0, sizeof *written);
	cairn_isa_decode(isa, enc, size, &op);
	if (op.cls == CAIRN_CLASS_ILLEGAL)
		return;
	switch (op.isa) {
	case CAIRN_ISA_RV32:
	case CAIRN_ISA_RV64:
		from_operands(isa, &op, written);
		riscv_besides(&op, written);
		break;
	case CAIRN_ISA_SPARC:
		from_operands(isa, &op, written);
		sparc_besides(&op, written);
		break;
	case CAIRN_ISA_A64:
		written->told = true;
		isa_arm64_written(&op, written);
		break;
	default:
		written->told = writes_nothing(&op);
		break;
	}
	add_aliases(isa, written);
	store_of(&op, written);
}

void isa_event_written(enum cairn_isa isa, enum cairn_event_kind kind, struct isa_written *written)
{
	bool call = kind == CAIRN_EV_SYSCALL, back = kind == CAIRN_EV_TRAP_RETURN;
	memset(written, 0, sizeof *written);
	written->told = true;
	if (!call && !back && kind != CAIRN_EV_EXCEPTION && kind != CAIRN_EV_INTERRUPT)
		return;
	if (isa == CAIRN_ISA_SPARC) {
		sparc_trap(written, back);
		if (call) /* whether it failed is in the carry */
			written_changes(written, FLAGS, CCR, 1);
	} else if (isa == CAIRN_ISA_A64) {
		isa_arm64_event_written(kind, written);
	} else if (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64) {
		if (back)
			riscv_status(written);
		else
			riscv_trap(written, call);
	}
}

void isa_aliases(enum cairn_isa isa, unsigned cls, unsigned num, struct isa_written *written)
{
	if (isa == CAIRN_ISA_A64) {
		if ((cls == V && num < 64) || cls == F) {
			written_changes(written, V, num % 32, 1);
			written_changes(written, V, 32 + num % 32, 1);
			for (unsigned part = 0; part < 5 && cls == F; part++)
				written_changes(written, F, 32 * part + num % 32, 1);
		}
	} else if (isa == CAIRN_ISA_SPARC) {
		if (cls == F)
			sparc_float_alias(num, written);
		else if (cls == CSR && num < 4)
			written_changes(written, CSR, ISA_SPARC_TPC_TL + 8 * num, 8);
		else if (cls == CSR && num >= ISA_SPARC_TPC_TL && num < ISA_SPARC_TPC_TL + 32)
			written_changes(written, CSR, (num - ISA_SPARC_TPC_TL) / 8, 1);
		else if (cls == CSR && num == FSR)
			written_changes(written, FLAGS, FCC, 1);
		else if (cls == FLAGS && num == FCC)
			sparc_fcc_alias(written);
	} else if (cls == CSR) {
		riscv_alias(num, isa == CAIRN_ISA_RV32, written);
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
	struct cairn *cairn;
	struct slot {
		uint64_t key;
		struct isa_written written;
	} slot[1 << MEMO_BITS];
};

struct isa_written_memo *isa_written_memo_new(struct cairn *cairn)
{
	struct isa_written_memo *memo = base_alloc(cairn, sizeof *memo);
	if (memo)
		memo->cairn = cairn;
	return memo;
}

void isa_written_memo_free(struct isa_written_memo *memo)
{
	if (memo)
		base_free(memo->cairn, memo);
}

const struct isa_written *isa_written_get(struct isa_written_memo *memo, enum cairn_isa isa,
                                          uint32_t enc, unsigned size)
{
	uint64_t key = enc | (uint64_t)isa << 32 | (uint64_t)(uint8_t)size << 40 | UINT64_C(1) << 63;
	struct slot *slot = &memo->slot[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MEMO_BITS)];
	if (slot->key != key) {
		isa_written(isa, enc, size, &slot->written);
		slot->key = key;
	}
	return &slot->written;
}
