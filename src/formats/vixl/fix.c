/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a state trace gives wrongly or not at all, put right from the encoding and from what
 * registers held before (reg_state.c) where that can be, and otherwise made unknown. None of
 * it is visible in the lines themselves:
 *
 * - atomics show their operand as what is stored; with one register for both the operand
 *   shown is what was loaded;
 * - LDAPUR and its kin show the whole register, then its lower half again;
 * - the simulator cannot print bytes and halfwords of LDAPR, SWP and CAS: the line has
 *   neither register nor value;
 * - flags change without a line (CFINV, RMIF, SETF8 …);
 * - STGP, STZG, STZ2G store and LD1R, LD1RQ load without a line.
 */
#include <string.h>

#include "formats/vixl/decoder.h"

static unsigned fix_field(uint32_t e, unsigned lsb, unsigned bits)
{
	return e >> lsb & ((1u << bits) - 1);
}

static enum vixl_trap loads_and_stores(uint32_t e)
{
	if ((e & 0x3b200c00) == 0x38200000) { /* LSE atomics */
		unsigned op = fix_field(e, 12, 4);
		if (op == 12)
			return (e & 0x00bf0000) == 0x00bf0000 ? VIXL_TRAP_LOAD_ACQUIRE : VIXL_TRAP_NONE;
		return op == 8 ? VIXL_TRAP_SWAP : op < 8 ? VIXL_TRAP_ATOMIC : VIXL_TRAP_NONE;
	}
	if ((e & 0x3fa07c00) == 0x08a07c00)
		return VIXL_TRAP_COMPARE;
	if ((e & 0x3f200c00) == 0x19000000)
		return fix_field(e, 22, 2) ? VIXL_TRAP_UNSCALED : VIXL_TRAP_NONE;
	return VIXL_TRAP_NONE;
}

enum vixl_trap vixl_trap_of(uint32_t e)
{
	unsigned group = e >> 24 & 0x3f;
	enum vixl_trap trap =
		group == 0x38 || group == 0x08 || group == 0x19 ? loads_and_stores(e) : VIXL_TRAP_NONE;
	if (trap != VIXL_TRAP_NONE)
		return trap;
	if (vixl_implied(e))
		return e >> 24 == 0xd9   ? VIXL_TRAP_TAGS
		       : e >> 24 <= 0x69 ? VIXL_TRAP_TAG_PAIR
		       : e >> 24 <= 0x85 ? VIXL_TRAP_BROADCAST
		                         : VIXL_TRAP_REPLICATE;
	if ((e & 0xffffff9f) == 0xd500401f) /* CFINV, XAFLAG, AXFLAG */
		return (e & 0x60) == 0x60 ? VIXL_TRAP_NONE : VIXL_TRAP_FLAGS;
	if ((e & 0xffe07c10) == 0xba000400 || (e & 0xffffbc1f) == 0x3a00080d) /* RMIF, SETF8/16 */
		return VIXL_TRAP_FLAGS;
	return VIXL_TRAP_NONE;
}

/* ---- looking for rows of the slot ---- */

static struct cairn_mem *access_of(const struct vixl_decoder *u, uint8_t kind)
{
	for (uint32_t i = u->mem0; i < u->b->n_mems; i++)
		if (u->b->mems[i].kind == kind)
			return &u->b->mems[i];
	return NULL;
}

static struct cairn_reg *register_of(const struct vixl_decoder *u, unsigned num, uint8_t role,
                                     unsigned bits)
{
	for (uint32_t i = u->reg0; i < u->b->n_regs; i++) {
		struct cairn_reg *r = &u->b->regs[i];
		if (r->cls == CAIRN_REG_INT && r->num == num && r->role == role &&
		    (!bits || r->bits == bits))
			return r;
	}
	return NULL;
}

static void fix_forget(struct cairn_mem *m)
{
	if (m)
		m->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
}

static uint64_t fix_ones(unsigned bytes)
{
	return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

/* ---- one by one ---- */

/* A line without register and value: the size is the encoding's, the value the
 * register's that was loaded. */
static void complete_load(struct vixl_decoder *u, unsigned rt, unsigned size)
{
	struct cairn_mem *m = access_of(u, CAIRN_MEM_READ);
	struct cairn_reg *r = rt == 31 ? NULL : register_of(u, rt, CAIRN_ROLE_DST, 0);
	if (!m || m->size)
		return;
	m->size = size;
	if (!r || !(r->flags & CAIRN_VALUE_KNOWN))
		return;
	uint64_t v = r->value & fix_ones(size);
	vixl_mem_value(u, m, &v, size);
	m->reg = (uint16_t)(r - u->b->regs + 1);
}

/* The operand's register shows what was loaded when it is the target, too: `operand` is what
 * it held before. */
static void restore_operand(struct vixl_decoder *u, unsigned rs, struct cairn_mem *m, unsigned size)
{
	struct cairn_reg *r = register_of(u, rs, CAIRN_ROLE_SRC, 0);
	uint64_t operand;
	bool known = vixl_reg_state(u, rs, &operand);
	if (r && known)
		r->value = operand & fix_ones(r->bits / 8);
	else if (r)
		r->flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
	if (m && known)
		m->value = operand & fix_ones(size);
	else
		fix_forget(m);
}

static void fix_atomic(struct vixl_decoder *u, uint32_t e, bool swap)
{
	unsigned size = 1u << (e >> 30), rs = fix_field(e, 16, 5), rt = fix_field(e, 0, 5);
	complete_load(u, rt, size);
	struct cairn_mem *read = access_of(u, CAIRN_MEM_READ), *m = access_of(u, CAIRN_MEM_WRITE);
	if (vixl_same_register(e))
		restore_operand(u, rs, m, size);
	if (swap || !m)
		return;
	if (!read || !(read->flags & CAIRN_VALUE_KNOWN) || !(m->flags & CAIRN_VALUE_KNOWN)) {
		fix_forget(m);
		return;
	}
	struct isa_arm64_access a;
	if (isa_arm64_access(e, &a))
		m->value = isa_arm64_combine(&a, read->value, m->value, 0) & fix_ones(size);
	else
		fix_forget(m);
}

/* CASB, CASH: what was loaded into Rs is never shown. Where something was stored, it was
 * what Rs held. */
static void fix_compare(struct vixl_decoder *u, uint32_t e)
{
	struct cairn_mem *m = access_of(u, CAIRN_MEM_READ);
	unsigned rs = fix_field(e, 16, 5);
	uint64_t value;
	if (!m || m->size)
		return;
	m->size = 1u << (e >> 30);
	bool known = access_of(u, CAIRN_MEM_WRITE) && rs != 31 && vixl_reg_state(u, rs, &value);
	if (known) {
		value &= fix_ones(m->size);
		vixl_mem_value(u, m, &value, m->size);
	}
	if (rs == 31 || !(u->want & CAIRN_REGS) || register_of(u, rs, CAIRN_ROLE_DST, 0))
		return;
	struct cairn_reg *r = vixl_reg(u, CAIRN_REG_INT, rs, CAIRN_ROLE_DST);
	if (!r)
		return;
	r->bits = 32;
	r->flags = CAIRN_VALUE_ZEROES | (known ? (uint8_t)CAIRN_VALUE_KNOWN : 0);
	r->value = known ? value : 0;
}

/* The first line tells the register, the second only where it came from. */
static void fix_unscaled(struct vixl_decoder *u, uint32_t e)
{
	unsigned size = 1u << (e >> 30), rt = fix_field(e, 0, 5);
	struct cairn_reg *x = register_of(u, rt, CAIRN_ROLE_DST, 64);
	struct cairn_reg *w = register_of(u, rt, CAIRN_ROLE_DST, 32);
	struct cairn_mem *m = access_of(u, CAIRN_MEM_READ);
	if (x && w && w > x) {
		w->bits = 64;
		w->value = x->value;
		w->flags = x->flags;
	}
	if (!m)
		return;
	m->size = size;
	struct cairn_reg *r = x ? x : w;
	if (rt == 31 || !r || !(r->flags & CAIRN_VALUE_KNOWN)) {
		fix_forget(m);
		return;
	}
	uint64_t v = r->value & fix_ones(size);
	vixl_mem_value(u, m, &v, size);
}

static void fix_flags(struct vixl_decoder *u)
{
	for (uint32_t i = u->reg0; i < u->b->n_regs; i++)
		if (u->b->regs[i].cls == CAIRN_REG_FLAGS)
			return;
	struct cairn_reg *r =
		u->want & CAIRN_REGS ? vixl_reg(u, CAIRN_REG_FLAGS, 0, CAIRN_ROLE_DST) : NULL;
	uint64_t nzcv;
	if (!r)
		return;
	r->bits = 4;
	if (vixl_reg_state_flags(u, &nzcv)) {
		r->value = nzcv;
		r->flags = CAIRN_VALUE_KNOWN;
	}
}

/* Where: from the base's own line, if it is advanced, or from what it held before. */
static bool address_of(struct vixl_decoder *u, const struct isa_arm64_access *a, uint64_t *addr)
{
	uint64_t base, index = 0;
	struct cairn_reg *after =
		a->writeback == ISA_ARM64_NO_WRITEBACK ? NULL : register_of(u, a->base, CAIRN_ROLE_DST, 64);
	if (after && (after->flags & CAIRN_VALUE_KNOWN)) {
		*addr = after->value - (a->writeback == ISA_ARM64_POST ? (uint64_t)a->imm : 0);
		return true;
	}
	if (a->base_kind != ISA_ARM64_BASE_X || !vixl_reg_state(u, a->base, &base))
		return false;
	if (a->index_kind == ISA_ARM64_INDEX_X && a->index != 31 &&
	    !vixl_reg_state(u, a->index, &index))
		return false;
	*addr = isa_arm64_address(a, base, index, 0);
	return true;
}

/* An access nobody showed. */
static struct cairn_mem *implied(struct vixl_decoder *u, uint8_t kind, uint32_t size)
{
	struct isa_arm64_access a;
	struct cairn_mem *m = u->want & CAIRN_MEMS ? vixl_mem(u, kind, 0, size) : NULL;
	if (m && !(isa_arm64_access(u->flow.enc, &a) && address_of(u, &a, &m->addr)))
		m->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
	return m;
}

/* STZG, STZ2G: zeros. */
static void fix_tags(struct vixl_decoder *u, uint32_t e)
{
	static const uint64_t zeros[4];
	uint32_t size = e >> 23 & 1 ? 32 : 16;
	struct cairn_mem *m = implied(u, CAIRN_MEM_WRITE, size);
	if (m)
		vixl_mem_value(u, m, zeros, size);
}

/* STGP: two registers. */
static void fix_tag_pair(struct vixl_decoder *u, uint32_t e)
{
	const unsigned regs[2] = {fix_field(e, 0, 5), fix_field(e, 10, 5)};
	struct cairn_mem *m = implied(u, CAIRN_MEM_WRITE, 16);
	uint64_t v[2] = {0, 0};
	bool known = m != NULL;
	for (unsigned i = 0; i < 2 && known; i++)
		known = regs[i] == 31 || vixl_reg_state(u, regs[i], &v[i]);
	if (known)
		vixl_mem_value(u, m, v, 16);
}

/* LD1R: whichever lane is not zero holds what was loaded (zero may be a lane that is not
 * active), extended or not. */
static void fix_broadcast(struct vixl_decoder *u, uint32_t e)
{
	struct isa_arm64_access a;
	if (!isa_arm64_access(e, &a))
		return;
	struct cairn_mem *m = implied(u, CAIRN_MEM_READ, a.element);
	for (uint32_t i = u->reg0; m && i < u->b->n_regs; i++) {
		const struct cairn_reg *r = &u->b->regs[i];
		const uint8_t *p = u->b->bytes + r->value;
		if (r->cls != CAIRN_REG_VECTOR || r->num != fix_field(e, 0, 5) ||
		    (~r->flags & (CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE)))
			continue;
		for (unsigned at = 0; at < r->bits / 8u; at += a.lane) {
			uint64_t v = base_le(p + at, a.lane) & fix_ones(a.element);
			if (base_le(p + at, a.lane)) {
				vixl_mem_value(u, m, &v, a.element);
				return;
			}
		}
	}
}

void vixl_fix(struct vixl_decoder *u)
{
	uint32_t e = u->flow.enc;
	enum vixl_trap trap = vixl_trap_of(e);
	if (__builtin_expect(trap == VIXL_TRAP_NONE, 1))
		return;
	switch (trap) {
	case VIXL_TRAP_ATOMIC:
	case VIXL_TRAP_SWAP:
		fix_atomic(u, e, trap == VIXL_TRAP_SWAP);
		break;
	case VIXL_TRAP_LOAD_ACQUIRE:
		complete_load(u, fix_field(e, 0, 5), 1u << (e >> 30));
		break;
	case VIXL_TRAP_COMPARE:
		fix_compare(u, e);
		break;
	case VIXL_TRAP_UNSCALED:
		fix_unscaled(u, e);
		break;
	case VIXL_TRAP_FLAGS:
		fix_flags(u);
		break;
	case VIXL_TRAP_TAGS:
		fix_tags(u, e);
		break;
	case VIXL_TRAP_TAG_PAIR:
		fix_tag_pair(u, e);
		break;
	case VIXL_TRAP_BROADCAST:
		fix_broadcast(u, e);
		break;
	case VIXL_TRAP_REPLICATE:
		implied(u, CAIRN_MEM_READ, e >> 21 & 1 ? 32 : 16);
		break;
	default:
		break;
	}
}
