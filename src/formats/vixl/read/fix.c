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

#include "formats/vixl/read/decoder.h"

static unsigned fix_field(uint32_t encoding, unsigned lsb, unsigned bits)
{
	return encoding >> lsb & ((1u << bits) - 1);
}

static enum vixl_trap loads_and_stores(uint32_t encoding)
{
	if ((encoding & 0x3b200c00) == 0x38200000) { /* LSE atomics */
		unsigned op = fix_field(encoding, 12, 4);
		if (op == 12)
			return (encoding & 0x00bf0000) == 0x00bf0000 ? VIXL_TRAP_LOAD_ACQUIRE : VIXL_TRAP_NONE;
		return op == 8 ? VIXL_TRAP_SWAP : op < 8 ? VIXL_TRAP_ATOMIC : VIXL_TRAP_NONE;
	}
	if ((encoding & 0x3fa07c00) == 0x08a07c00)
		return VIXL_TRAP_COMPARE;
	if ((encoding & 0x3f200c00) == 0x19000000)
		return fix_field(encoding, 22, 2) ? VIXL_TRAP_UNSCALED : VIXL_TRAP_NONE;
	return VIXL_TRAP_NONE;
}

enum vixl_trap vixl_trap_of(uint32_t encoding)
{
	unsigned group = encoding >> 24 & 0x3f;
	enum vixl_trap trap = group == 0x38 || group == 0x08 || group == 0x19
	                          ? loads_and_stores(encoding)
	                          : VIXL_TRAP_NONE;
	if (trap != VIXL_TRAP_NONE)
		return trap;
	if (vixl_implied(encoding))
		return encoding >> 24 == 0xd9   ? VIXL_TRAP_TAGS
		       : encoding >> 24 <= 0x69 ? VIXL_TRAP_TAG_PAIR
		       : encoding >> 24 <= 0x85 ? VIXL_TRAP_BROADCAST
		                                : VIXL_TRAP_REPLICATE;
	if ((encoding & 0xffffff9f) == 0xd500401f) /* CFINV, XAFLAG, AXFLAG */
		return (encoding & 0x60) == 0x60 ? VIXL_TRAP_NONE : VIXL_TRAP_FLAGS;
	if ((encoding & 0xffe07c10) == 0xba000400 ||
	    (encoding & 0xffffbc1f) == 0x3a00080d) /* RMIF, SETF8/16 */
		return VIXL_TRAP_FLAGS;
	return VIXL_TRAP_NONE;
}

/* ---- looking for rows of the slot ---- */

static struct cairn_mem *access_of(const struct vixl_decoder *decoder, uint8_t kind)
{
	for (uint32_t i = decoder->rows.mem0; i < decoder->rows.batch->n_mems; i++)
		if (decoder->rows.batch->mems[i].kind == kind)
			return &decoder->rows.batch->mems[i];
	return NULL;
}

static struct cairn_reg *register_of(const struct vixl_decoder *decoder, unsigned num, uint8_t role,
                                     unsigned bits)
{
	for (uint32_t i = decoder->rows.reg0; i < decoder->rows.batch->n_regs; i++) {
		struct cairn_reg *reg = &decoder->rows.batch->regs[i];
		if (reg->cls == CAIRN_REG_INT && reg->num == num && reg->role == role &&
		    (!bits || reg->bits == bits))
			return reg;
	}
	return NULL;
}

static void fix_forget(struct cairn_mem *mem)
{
	if (mem)
		mem->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
}

static uint64_t fix_ones(unsigned bytes)
{
	return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

/* ---- one by one ---- */

/* A line without register and value: the encoding has the size, and the register that was loaded
 * has the value. */
static void complete_load(struct vixl_decoder *decoder, unsigned rt, unsigned size)
{
	struct cairn_mem *mem = access_of(decoder, CAIRN_MEM_READ);
	struct cairn_reg *reg = rt == 31 ? NULL : register_of(decoder, rt, CAIRN_ROLE_DST, 0);
	if (!mem || mem->size)
		return;
	mem->size = size;
	if (!reg || !(reg->flags & CAIRN_VALUE_KNOWN))
		return;
	uint64_t v = reg->value & fix_ones(size);
	vixl_mem_value(decoder, mem, &v, size);
	mem->reg = (uint16_t)(reg - decoder->rows.batch->regs + 1);
}

/* The operand's register shows what was loaded if it is also the target: `operand` is what it held
 * before. */
static void restore_operand(struct vixl_decoder *decoder, unsigned rs, struct cairn_mem *mem,
                            unsigned size)
{
	struct cairn_reg *reg = register_of(decoder, rs, CAIRN_ROLE_SRC, 0);
	uint64_t operand;
	bool known = vixl_reg_state(decoder, rs, &operand);
	if (reg && known) {
		reg->value = operand & fix_ones(reg->bits / 8);
		reg->flags |= CAIRN_VALUE_DERIVED;
	} else if (reg) {
		reg->flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
	}
	if (mem && known) {
		mem->value = operand & fix_ones(size);
		mem->flags |= CAIRN_VALUE_DERIVED;
	} else {
		fix_forget(mem);
	}
}

static void fix_atomic(struct vixl_decoder *decoder, uint32_t encoding, bool swap)
{
	unsigned size = 1u << (encoding >> 30), rs = fix_field(encoding, 16, 5),
			 rt = fix_field(encoding, 0, 5);
	complete_load(decoder, rt, size);
	struct cairn_mem *read = access_of(decoder, CAIRN_MEM_READ),
					 *mem = access_of(decoder, CAIRN_MEM_WRITE);
	if (vixl_same_register(encoding))
		restore_operand(decoder, rs, mem, size);
	if (swap || !mem)
		return;
	if (!read || !(read->flags & CAIRN_VALUE_KNOWN) || !(mem->flags & CAIRN_VALUE_KNOWN)) {
		fix_forget(mem);
		return;
	}
	struct isa_arm64_access access;
	if (!isa_arm64_access(encoding, &access)) {
		fix_forget(mem);
		return;
	}
	mem->value = isa_arm64_combine(&access, read->value, mem->value, 0) & fix_ones(size);
	mem->flags |= CAIRN_VALUE_DERIVED;
}

/* CASB, CASH: what was loaded into Rs is never shown. Where something was stored, it was
 * what Rs held. */
static void fix_compare(struct vixl_decoder *decoder, uint32_t encoding)
{
	struct cairn_mem *mem = access_of(decoder, CAIRN_MEM_READ);
	unsigned rs = fix_field(encoding, 16, 5);
	uint64_t value;
	if (!mem || mem->size)
		return;
	mem->size = 1u << (encoding >> 30);
	bool known =
		access_of(decoder, CAIRN_MEM_WRITE) && rs != 31 && vixl_reg_state(decoder, rs, &value);
	if (known) {
		value &= fix_ones(mem->size);
		vixl_mem_value(decoder, mem, &value, mem->size);
		mem->flags |= CAIRN_VALUE_DERIVED;
	}
	if (rs == 31 || !(decoder->rows.want & CAIRN_REGS) ||
	    register_of(decoder, rs, CAIRN_ROLE_DST, 0))
		return;
	struct cairn_reg *reg = vixl_reg(decoder, CAIRN_REG_INT, rs, CAIRN_ROLE_DST);
	if (!reg)
		return;
	reg->bits = 32;
	reg->flags =
		CAIRN_VALUE_ZEROES | CAIRN_VALUE_DERIVED | (known ? (uint8_t)CAIRN_VALUE_KNOWN : 0);
	reg->value = known ? value : 0;
}

/* The first line gives the register, the second only where it came from. */
static void fix_unscaled(struct vixl_decoder *decoder, uint32_t encoding)
{
	unsigned size = 1u << (encoding >> 30), rt = fix_field(encoding, 0, 5);
	struct cairn_reg *reg = register_of(decoder, rt, CAIRN_ROLE_DST, 64);
	struct cairn_reg *w = register_of(decoder, rt, CAIRN_ROLE_DST, 32);
	struct cairn_mem *mem = access_of(decoder, CAIRN_MEM_READ);
	if (reg && w && w > reg) {
		w->bits = 64;
		w->value = reg->value;
		w->flags = reg->flags;
	}
	if (!mem)
		return;
	mem->size = size;
	struct cairn_reg *r = reg ? reg : w;
	if (rt == 31 || !r || !(r->flags & CAIRN_VALUE_KNOWN)) {
		fix_forget(mem);
		return;
	}
	uint64_t v = r->value & fix_ones(size);
	vixl_mem_value(decoder, mem, &v, size);
}

static void fix_flags(struct vixl_decoder *decoder)
{
	for (uint32_t i = decoder->rows.reg0; i < decoder->rows.batch->n_regs; i++)
		if (decoder->rows.batch->regs[i].cls == CAIRN_REG_FLAGS)
			return;
	struct cairn_reg *reg = vixl_reg(decoder, CAIRN_REG_FLAGS, 0, CAIRN_ROLE_DST);
	uint64_t nzcv;
	if (!reg)
		return;
	reg->bits = 4;
	reg->flags = CAIRN_VALUE_DERIVED;
	if (vixl_reg_state_flags(decoder, &nzcv)) {
		reg->value = nzcv;
		reg->flags |= CAIRN_VALUE_KNOWN;
	}
}

/* The address: from the base's own line, if the base is advanced, or from what it held before. */
static bool address_of(struct vixl_decoder *decoder, const struct isa_arm64_access *access,
                       uint64_t *addr)
{
	uint64_t base, index = 0;
	struct cairn_reg *after = access->writeback == ISA_ARM64_NO_WRITEBACK
	                              ? NULL
	                              : register_of(decoder, access->base, CAIRN_ROLE_DST, 64);
	if (after && (after->flags & CAIRN_VALUE_KNOWN)) {
		*addr = after->value - (access->writeback == ISA_ARM64_POST ? (uint64_t)access->imm : 0);
		return true;
	}
	if (access->base_kind != ISA_ARM64_BASE_X || !vixl_reg_state(decoder, access->base, &base))
		return false;
	if (access->index_kind == ISA_ARM64_INDEX_X && access->index != 31 &&
	    !vixl_reg_state(decoder, access->index, &index))
		return false;
	*addr = isa_arm64_address(access, base, index, 0);
	return true;
}

/* An access nobody showed. */
static struct cairn_mem *implied(struct vixl_decoder *decoder, uint8_t kind, uint32_t size)
{
	struct isa_arm64_access access;
	struct cairn_mem *mem = vixl_mem(decoder, kind, 0, size);
	if (!mem)
		return NULL;
	mem->flags |= CAIRN_VALUE_DERIVED;
	if (!isa_arm64_access(decoder->flow.enc, &access) || !address_of(decoder, &access, &mem->addr))
		mem->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
	return mem;
}

/* STZG, STZ2G: zeros. */
static void fix_tags(struct vixl_decoder *decoder, uint32_t encoding)
{
	static const uint64_t zeros[4];
	uint32_t size = encoding >> 23 & 1 ? 32 : 16;
	struct cairn_mem *mem = implied(decoder, CAIRN_MEM_WRITE, size);
	if (mem)
		vixl_mem_value(decoder, mem, zeros, size);
}

/* STGP: two registers. */
static void fix_tag_pair(struct vixl_decoder *decoder, uint32_t encoding)
{
	const unsigned regs[2] = {fix_field(encoding, 0, 5), fix_field(encoding, 10, 5)};
	struct cairn_mem *mem = implied(decoder, CAIRN_MEM_WRITE, 16);
	uint64_t v[2] = {0, 0};
	bool known = mem != NULL;
	for (unsigned i = 0; i < 2 && known; i++)
		known = regs[i] == 31 || vixl_reg_state(decoder, regs[i], &v[i]);
	if (known)
		vixl_mem_value(decoder, mem, v, 16);
}

/* LD1R: whichever lane is not zero holds what was loaded (zero may be a lane that is not
 * active), extended or not. */
static void fix_broadcast(struct vixl_decoder *decoder, uint32_t encoding)
{
	struct isa_arm64_access access;
	if (!isa_arm64_access(encoding, &access))
		return;
	struct cairn_mem *mem = implied(decoder, CAIRN_MEM_READ, access.element);
	for (uint32_t i = decoder->rows.reg0; mem && i < decoder->rows.batch->n_regs; i++) {
		const struct cairn_reg *reg = &decoder->rows.batch->regs[i];
		const uint8_t *p = decoder->rows.batch->bytes + reg->value;
		if (reg->cls != CAIRN_REG_VECTOR || reg->num != fix_field(encoding, 0, 5) ||
		    (~reg->flags & (CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE)))
			continue;
		for (unsigned at = 0; at < reg->bits / 8u; at += access.lane) {
			uint64_t v = base_le(p + at, access.lane) & fix_ones(access.element);
			if (base_le(p + at, access.lane)) {
				vixl_mem_value(decoder, mem, &v, access.element);
				return;
			}
		}
	}
}

void vixl_fix(struct vixl_decoder *decoder)
{
	uint32_t e = decoder->flow.enc;
	enum vixl_trap trap = vixl_trap_of(e);
	if (__builtin_expect(trap == VIXL_TRAP_NONE, 1))
		return;
	switch (trap) {
	case VIXL_TRAP_ATOMIC:
	case VIXL_TRAP_SWAP:
		fix_atomic(decoder, e, trap == VIXL_TRAP_SWAP);
		break;
	case VIXL_TRAP_LOAD_ACQUIRE:
		complete_load(decoder, fix_field(e, 0, 5), 1u << (e >> 30));
		break;
	case VIXL_TRAP_COMPARE:
		fix_compare(decoder, e);
		break;
	case VIXL_TRAP_UNSCALED:
		fix_unscaled(decoder, e);
		break;
	case VIXL_TRAP_FLAGS:
		fix_flags(decoder);
		break;
	case VIXL_TRAP_TAGS:
		fix_tags(decoder, e);
		break;
	case VIXL_TRAP_TAG_PAIR:
		fix_tag_pair(decoder, e);
		break;
	case VIXL_TRAP_BROADCAST:
		fix_broadcast(decoder, e);
		break;
	case VIXL_TRAP_REPLICATE:
		implied(decoder, CAIRN_MEM_READ, e >> 21 & 1 ? 32 : 16);
		break;
	default:
		break;
	}
}
