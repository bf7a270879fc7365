/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: what an access moved, told by registers.
 *
 * QEMU before 9.2 does not tell it, so the recorder looks at memory after the access, where
 * another thread may have written meanwhile. A register that took what was loaded, or gave
 * what was stored, has no such doubt; what an atomic stored follows from what it loaded and
 * its operand, as that was before it ran. A64's plain loads and stores are in decoder.c, which
 * tells their registers, too; here are its atomics, and all of RISC-V and SPARC.
 */
#include "formats/capture/decoder.h"
#include "isa/arm64.h"

/* ---- which registers ---- */

static uint8_t moved_general(unsigned reg)
{
	return (uint8_t)(reg ? reg : CAPTURE_ZERO);
}

static uint8_t a64(unsigned reg)
{
	return (uint8_t)(reg == 31 ? CAPTURE_ZERO : reg);
}

static void riscv_short(uint32_t e, bool wide, struct capture_move *m)
{
	unsigned f3 = e >> 13 & 7;
	bool sp = (e & 3) == 2, store = f3 > 4;
	bool fp = (f3 & 3) == 1 || ((f3 & 3) == 3 && !wide);
	unsigned reg = !sp ? 8 + (e >> 2 & 7) : store ? e >> 2 & 31 : e >> 7 & 31;
	if ((e & 3) == 1 || !(f3 & 3))
		return;
	m->reg = fp ? (uint8_t)(CAPTURE_FP + reg) : moved_general(reg);
}

static void riscv_atomic(uint32_t e, struct capture_move *m)
{
	static const struct {
		uint8_t funct5, combine;
	} all[] = {{0, ISA_ARM64_ADD},   {1, ISA_ARM64_SWP},   {4, ISA_ARM64_EOR},
	           {8, ISA_ARM64_SET},   {16, ISA_ARM64_SMIN}, {20, ISA_ARM64_SMAX},
	           {24, ISA_ARM64_UMIN}, {28, ISA_ARM64_UMAX}, {12, ISA_ARM64_CLR},
	           {5, ISA_ARM64_CAS}};
	unsigned funct5 = e >> 27;
	if (funct5 == 3) { /* sc: a store; its destination says whether it was done */
		m->reg = moved_general(e >> 20 & 31);
		return;
	}
	m->reg = moved_general(e >> 7 & 31);
	m->data = moved_general(e >> 20 & 31);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].funct5 == funct5)
			m->combine = all[i].combine;
	m->inverted = funct5 == 12; /* and: bits that are not in the operand go */
	m->compare = m->combine == ISA_ARM64_CAS ? m->reg : CAPTURE_NO_REG;
}

static void moved_riscv(const struct cairn_op *op, struct capture_move *m)
{
	uint32_t e = op->enc;
	unsigned f3 = e >> 12 & 7;
	bool scalar = f3 >= 1 && f3 <= 3;
	if (op->size == 2)
		riscv_short(e, op->isa == CAIRN_ISA_RV64, m);
	else if ((e & 0x7f) == 0x03)
		m->reg = moved_general(e >> 7 & 31);
	else if ((e & 0x7f) == 0x07 && scalar)
		m->reg = (uint8_t)(CAPTURE_FP + (e >> 7 & 31));
	else if ((e & 0x7f) == 0x23)
		m->reg = moved_general(e >> 20 & 31);
	else if ((e & 0x7f) == 0x27 && scalar)
		m->reg = (uint8_t)(CAPTURE_FP + (e >> 20 & 31));
	else if ((e & 0x7f) == 0x2f)
		riscv_atomic(e, m);
}

static void moved_arm64(const struct cairn_op *op, struct capture_move *m)
{
	struct isa_arm64_access a;
	if (!isa_arm64_access(op->enc, &a) || !(a.flags & ISA_ARM64_ATOMIC) || a.n_regs != 1 ||
	    a.n_operands != 1)
		return;
	m->reg = a64(a.regs[0]);
	m->data = a64(a.operands[0]);
	m->combine = a.combine;
	m->compare = a.combine == ISA_ARM64_CAS ? m->reg : CAPTURE_NO_REG;
}

/* Not of other address spaces: those may be little endian, or of blocks. */
static void moved_sparc(const struct cairn_op *op, struct capture_move *m)
{
	uint32_t e = op->enc, op3 = e >> 19 & 63;
	unsigned rd = e >> 25 & 31;
	bool here = !(e & 1 << 13) && ((e >> 5 & 0xff) == 0x80 || (e >> 5 & 0xff) == 0x82);
	if (e >> 30 != 3)
		return;
	if (op3 == 0x3c || op3 == 0x3e) { /* cas, casx */
		if (!here)
			return;
		m->reg = m->data = moved_general(rd);
		m->compare = moved_general(e & 31);
		m->combine = ISA_ARM64_CAS;
	} else if (op3 == 0x0d || op3 == 0x0f) { /* ldstub, swap */
		m->reg = moved_general(rd);
		m->data = op3 == 0x0d ? (uint8_t)CAPTURE_ONES : m->reg;
		m->combine = ISA_ARM64_SWP;
	} else if (op3 == 0x20 || op3 == 0x24) { /* singles */
		m->reg = (uint8_t)(CAPTURE_FP + rd / 2);
		m->half = rd & 1 ? 2 : 1;
	} else if (op3 == 0x23 || op3 == 0x27) { /* doubles */
		m->reg = (uint8_t)(CAPTURE_FP + ((rd & 30) | (rd & 1) << 5) / 2);
	} else if (op3 < 0x10) {
		m->pair = op3 == 3 || op3 == 7;
		m->reg = m->pair ? (uint8_t)(rd & 30) : moved_general(rd);
	}
}

void capture_move(const struct cairn_op *op, struct capture_move *m)
{
	*m = (struct capture_move){.reg = CAPTURE_NO_REG,
	                           .data = CAPTURE_NO_REG,
	                           .compare = CAPTURE_NO_REG};
	if (!(op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)))
		return;
	if (op->isa == CAIRN_ISA_A64)
		moved_arm64(op, m);
	else if (op->isa == CAIRN_ISA_SPARC)
		moved_sparc(op, m);
	else
		moved_riscv(op, m);
}

/* ---- what they hold ---- */

static bool moved_holds(const struct decoder *u, unsigned reg, uint64_t *v)
{
	*v = reg == CAPTURE_ONES ? UINT64_MAX : reg < CAPTURE_REGS ? u->t->value[reg][0] : 0;
	return reg < CAPTURE_REGS ? u->t->has[reg] || (reg == 0 && u->im->isa != CAIRN_ISA_A64)
	                          : reg != CAPTURE_NO_REG;
}

/* All that is moved, as memory has it. */
static bool moved_whole(const struct decoder *u, const struct capture_move *m, uint64_t *v)
{
	uint64_t low = 0;
	if (!(u->im->flags & CAPTURE_REGISTERS) || !moved_holds(u, m->reg, v) ||
	    (m->pair && !moved_holds(u, m->reg | 1u, &low)))
		return false;
	if (m->pair)
		*v = *v << 32 | (low & UINT32_MAX);
	*v >>= m->half == 1 ? 32 : 0;
	return true;
}

static uint64_t moved_cut(uint64_t v, unsigned size)
{
	return v & (UINT64_MAX >> (64 - 8 * size));
}

void capture_give(const struct decoder *u, const struct capture_insn *in, struct capture_given *g)
{
	const struct capture_move *m = &in->move;
	bool regs = u->im->flags & CAPTURE_REGISTERS;
	g->has_data =
		m->combine ? regs && moved_holds(u, m->data, &g->data) : moved_whole(u, m, &g->data);
	g->data = m->inverted ? ~g->data : g->data;
	g->has_compare = regs && moved_holds(u, m->compare, &g->compare);
}

bool capture_loaded(const struct decoder *u, const struct capture_insn *in, unsigned size,
                    uint64_t *v)
{
	const struct capture_move *m = &in->move;
	if (m->reg >= CAPTURE_REGS || size > 8 || capture_hidden(u, m->reg) ||
	    (m->pair && capture_hidden(u, m->reg | 1u)) || !moved_whole(u, m, v))
		return false;
	*v = moved_cut(*v, size);
	return true;
}

bool capture_stored(const struct capture_insn *in, const struct capture_given *g, unsigned size,
                    const uint64_t *old, uint64_t *v)
{
	struct isa_arm64_access a = {.combine = in->move.combine, .element = (uint8_t)size};
	if (!g->has_data || size > 8)
		return false;
	*v = moved_cut(g->data, size);
	if (!a.combine || a.combine == ISA_ARM64_SWP)
		return true;
	if (!old || (a.combine == ISA_ARM64_CAS && !g->has_compare))
		return false;
	*v = isa_arm64_combine(&a, *old, g->data, g->compare);
	return true;
}

bool capture_refused(const struct capture_insn *in, const struct capture_given *g, unsigned size,
                     const uint64_t *old)
{
	return in->move.combine == ISA_ARM64_CAS && g->has_compare && old && size <= 8 &&
	       moved_cut(*old, size) != moved_cut(g->compare, size);
}
