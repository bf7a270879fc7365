/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of traces from elsewhere in the simulator's shape.
 *
 * Other traces have accesses without their registers, a whole structure as one access or
 * a pair's halves in any order, results as wide as the register whatever was written,
 * and the base of a pre-indexed access behind it. Here the bytes an instruction moved
 * are laid out again by its encoding (isa/arm64.h): for each register its line's row
 * and the accesses of its elements, linked. What does not fit the encoding stays as it
 * is; no row is dropped, and nothing is made up but what the instruction means: the
 * register a load fills, an atomic's operand where it follows from memory before and
 * after, and the rest of a register of which one lane is stored, if it was shown.
 */
#include "formats/vixl/write/canonical_slot.h"

struct vixl_canonical *vixl_canonical_new(struct cairn *cairn)
{
	struct vixl_canonical *canonical = base_alloc(cairn, sizeof *canonical);
	if (canonical && !(canonical->made = cairn_batch_new(cairn))) {
		base_free(cairn, canonical);
		return NULL;
	}
	return canonical;
}

void vixl_canonical_free(struct cairn *cairn, struct vixl_canonical *canonical)
{
	if (canonical)
		cairn_batch_free(cairn, canonical->made);
	base_free(cairn, canonical);
}

void vixl_canonical_forget(struct vixl_canonical *canonical)
{
	memset(canonical->x_known, 0, sizeof canonical->x_known);
	memset(canonical->v_known, 0, sizeof canonical->v_known);
}

/* ---- rows of the slot ---- */

bool vixl_bytes_of(const struct cairn_batch *batch, unsigned flags, uint64_t value, uint32_t bytes,
                   uint8_t *out, unsigned room)
{
	if (!(flags & CAIRN_VALUE_KNOWN) || bytes > room)
		return false;
	if (flags & CAIRN_VALUE_WIDE) {
		if (value > batch->n_bytes || bytes > batch->n_bytes - value)
			return false;
		memcpy(out, batch->bytes + value, bytes);
		return true;
	}
	for (uint32_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
	return bytes <= 8;
}

bool vixl_gather(struct vixl_canonical *canonical, uint8_t kind, unsigned n,
                 struct vixl_block *block)
{
	uint8_t seen[BLOCK] = {0};
	unsigned sum = 0;
	*block = (struct vixl_block){.lo = UINT64_MAX, .n = n, .kind = kind};
	for (uint32_t i = 0; i < canonical->n_mems; i++)
		if (vixl_is_plain(vixl_mem_at(canonical, i), kind) &&
		    vixl_mem_at(canonical, i)->addr < block->lo)
			block->lo = vixl_mem_at(canonical, i)->addr;
	for (uint32_t i = 0; i < canonical->n_mems; i++) {
		const struct cairn_mem *mem = vixl_mem_at(canonical, i);
		uint64_t at = mem->addr - block->lo;
		if (mem->kind != kind)
			continue;
		if (!vixl_is_plain(mem, kind) || n > BLOCK || at >= n || mem->size == 0 ||
		    mem->size > n - at || memchr(seen + at, 1, mem->size))
			return false;
		memset(seen + at, 1, mem->size);
		block->row[at] = mem;
		if (vixl_bytes_of(canonical->batch, mem->flags, mem->value, mem->size, block->value + at,
		                  n - (unsigned)at))
			memset(block->known + at, 1, mem->size);
		sum += mem->size;
	}
	return sum == n && n;
}

void vixl_use_block(struct vixl_canonical *canonical, uint8_t kind)
{
	for (uint32_t i = 0; i < canonical->n_mems; i++)
		canonical->mem_used[i] |= vixl_mem_at(canonical, i)->kind == kind;
}

/* The last row of a register that has not been used yet; UINT32_MAX: there is none. */
static uint32_t find_reg(const struct vixl_canonical *canonical, uint8_t cls, unsigned num,
                         uint8_t role)
{
	for (uint32_t i = canonical->n_regs; i-- > 0;) {
		const struct cairn_reg *reg = vixl_reg_at(canonical, i);
		if (!canonical->reg_used[i] && reg->cls == cls && reg->num == num && reg->role == role &&
		    reg->lsb == 0)
			return i;
	}
	return UINT32_MAX;
}

static bool has_integer(const struct cairn_reg *reg)
{
	return (reg->flags & (CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE)) == CAIRN_VALUE_KNOWN;
}

/* ---- rows of the made slot ---- */

static struct cairn_reg *canonical_put_reg(struct vixl_canonical *canonical,
                                           const struct cairn_reg *like)
{
	struct cairn_batch *to = canonical->made;
	if (to->n_regs == CAIRN_CAP_REGS)
		return NULL;
	struct cairn_reg *reg = &to->regs[to->n_regs++];
	*reg = *like;
	reg->seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events);
	return reg;
}

/* `bytes` of value in a row of the made slot. */
static void set_value(struct vixl_canonical *canonical, const uint8_t *p, unsigned bytes,
                      uint8_t *flags, uint64_t *value)
{
	*flags |= CAIRN_VALUE_KNOWN;
	*value = base_le(p, bytes < 8 ? bytes : 8);
	if (bytes <= 8)
		return;
	uint32_t at = model_batch_bytes(canonical->made, bytes);
	if (at == UINT32_MAX) {
		*flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
		return;
	}
	memcpy(canonical->made->bytes + at, p, bytes);
	*flags |= CAIRN_VALUE_WIDE;
	*value = at;
}

static void put_new_reg(struct vixl_canonical *canonical, uint8_t cls, unsigned num, uint8_t role,
                        uint8_t flags, const uint8_t *value, unsigned bytes)
{
	struct cairn_reg reg = {.cls = cls,
	                        .num = (uint16_t)num,
	                        .role = role,
	                        .bits = 8 * bytes,
	                        .flags = flags};
	if (value)
		set_value(canonical, value, bytes, &reg.flags, &reg.value);
	canonical_put_reg(canonical, &reg);
}

void vixl_put_mem(struct vixl_canonical *canonical, const struct vixl_block *block, unsigned at,
                  unsigned size, uint32_t reg, unsigned lane)
{
	struct cairn_batch *to = canonical->made;
	if (to->n_mems == CAIRN_CAP_MEMS)
		return;
	struct cairn_mem *mem = &to->mems[to->n_mems++];
	*mem = (struct cairn_mem){.addr = block->lo + at,
	                          .size = size,
	                          .kind = block->kind,
	                          .reg = (uint16_t)reg,
	                          .lane = (uint16_t)lane,
	                          .seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events)};
	for (unsigned i = at; i < at + size; i++)
		if (block->row[i]) { /* what else the access said, once */
			mem->pa = block->row[i]->pa;
			mem->attr = block->row[i]->attr;
			mem->flags |= block->row[i]->flags & CAIRN_VALUE_PA;
			break;
		}
	if (vixl_all_known(block, at, size))
		set_value(canonical, block->value + at, size, &mem->flags, &mem->value);
	mem->words = (uint16_t)((size + 7) / 8);
}

static void copy_mem(struct vixl_canonical *canonical, const struct cairn_mem *like)
{
	struct cairn_batch *to = canonical->made;
	uint8_t room[LONGEST];
	if (to->n_mems == CAIRN_CAP_MEMS)
		return;
	struct cairn_mem *mem = &to->mems[to->n_mems++];
	*mem = *like;
	mem->reg = 0;
	mem->seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events);
	if (!(like->flags & CAIRN_VALUE_WIDE))
		return;
	mem->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
	if (vixl_bytes_of(canonical->batch, like->flags, like->value, like->size, room, sizeof room))
		set_value(canonical, room, like->size, &mem->flags, &mem->value);
}

static void copy_event(struct vixl_canonical *canonical, const struct cairn_event *like)
{
	struct cairn_batch *to = canonical->made;
	bool has = like->len && like->args <= canonical->batch->n_bytes &&
	           like->len <= canonical->batch->n_bytes - like->args;
	if (to->n_events == CAIRN_CAP_EVENTS)
		return;
	struct cairn_event *event = &to->events[to->n_events++];
	*event = *like;
	event->seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events);
	uint32_t at = has ? model_batch_bytes(to, like->len) : UINT32_MAX;
	event->len = at == UINT32_MAX ? 0 : like->len;
	event->args = at == UINT32_MAX ? 0 : at;
	if (event->len)
		memcpy(to->bytes + at, canonical->batch->bytes + like->args, like->len);
}

/* ---- registers by the width that is written ---- */

/* Bytes of a scalar result of floating point; 0: it is none. */
static unsigned scalar_bytes(uint32_t encoding)
{
	static const uint8_t types[] = {4, 8, 0, 2}, to[] = {4, 8, 2, 2};
	if ((encoding & 0xff3e7c00) == 0x1e224000) /* FCVT, BFCVT */
		return to[encoding >> 15 & 3];
	if ((encoding & 0x7f000000) == 0x1e000000 || (encoding & 0xff000000) == 0x1f000000)
		return types[encoding >> 22 & 3];
	return 0;
}

/* MOVZ, MOVN, MOVK and UMOV of a W register are shown as of an X register. */
static bool is_shown_whole(uint32_t encoding)
{
	return (encoding & 0x1f800000) == 0x12800000 || (encoding & 0xbfe0fc00) == 0x0e003c00;
}

/* Bytes that are written of an integer register; the rest of it becomes zero. */
static unsigned result_bytes(const struct vixl_canonical *canonical, unsigned num)
{
	struct isa_arm64_result result;
	if (canonical->moves && num == canonical->access.status)
		return 4;
	if (canonical->moves && canonical->access.bank == ISA_ARM64_X &&
	    canonical->access.flags & ISA_ARM64_LOAD)
		return memchr(canonical->access.regs, (int)num, canonical->access.n_regs)
		           ? canonical->access.lane
		           : 8;
	if (!isa_arm64_result(canonical->in->enc, &result) || result.bank != ISA_ARM64_X ||
	    result.reg != num)
		return 8;
	return result.bytes;
}

static bool canonical_is_zero(const uint8_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* D7 and the like are the parts of a vector that are written; the rest becomes zero. */
static void part_of_vector(struct cairn_reg *reg)
{
	static const uint16_t bits[] = {64, 32, 16, 8, 128};
	if (reg->cls != CAIRN_REG_FP || reg->role != CAIRN_ROLE_DST || reg->num >= 160 || reg->lsb ||
	    reg->bits != bits[reg->num / 32])
		return;
	reg->cls = CAIRN_REG_VECTOR;
	reg->num %= 32;
	reg->flags |= CAIRN_VALUE_ZEROES;
}

void vixl_put_piece(struct vixl_canonical *canonical, const struct cairn_reg *like, unsigned lsb,
                    const uint8_t *value, unsigned bytes)
{
	struct cairn_reg reg = *like;
	reg.flags = 0;
	reg.lsb = (uint16_t)lsb;
	reg.bits = 8 * bytes;
	set_value(canonical, value, bytes, &reg.flags, &reg.value);
	canonical_put_reg(canonical, &reg);
}

/* The row of a vector, or a longer predicate, in the pieces that have lines. */
static void put_pieces(struct vixl_canonical *canonical, const struct cairn_reg *like,
                       const uint8_t *value)
{
	unsigned piece = like->cls == CAIRN_REG_PREDICATE ? 16 : 128;
	for (unsigned at = 0; at < like->bits; at += piece) {
		vixl_put_piece(canonical, like, like->lsb + at, value + at / 8, piece / 8);
	}
}

/* Copy it as it is; its value, if that lies in the batch, goes with it. */
static void copy_reg(struct vixl_canonical *canonical, const struct cairn_reg *like)
{
	uint8_t value[LONGEST];
	struct cairn_reg reg = *like;
	if (reg.flags & CAIRN_VALUE_WIDE) {
		reg.flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
		if (vixl_bytes_of(canonical->batch, like->flags, like->value, like->bits / 8, value,
		                  sizeof value))
			set_value(canonical, value, like->bits / 8, &reg.flags, &reg.value);
	}
	canonical_put_reg(canonical, &reg);
}

static void put_vector(struct vixl_canonical *canonical, const struct cairn_reg *like)
{
	uint8_t value[LONGEST];
	unsigned bytes = like->bits / 8, keep = scalar_bytes(canonical->in->enc);
	bool simd = (canonical->in->enc >> 25 & 7) == 7, zeroes = like->flags & CAIRN_VALUE_ZEROES;
	if ((zeroes && !simd) || like->bits == 0 || like->bits % 128 ||
	    !vixl_bytes_of(canonical->batch, like->flags, like->value, bytes, value, sizeof value)) {
		copy_reg(canonical, like);
		return;
	}
	if (keep == 0 || !canonical_is_zero(value + keep, bytes - keep))
		keep = VECTOR_BYTES;
	if (simd && like->role == CAIRN_ROLE_DST && like->lsb == 0 &&
	    canonical_is_zero(value + keep, bytes - keep))
		put_new_reg(canonical, like->cls, like->num, like->role, CAIRN_VALUE_ZEROES, value, keep);
	else
		put_pieces(canonical, like, value);
}

/* A row that no access took. */
static void canonical_put_rest(struct vixl_canonical *canonical, const struct cairn_reg *like)
{
	struct cairn_reg reg = *like;
	uint8_t value[LONGEST];
	part_of_vector(&reg);
	if (reg.cls == CAIRN_REG_VECTOR) {
		put_vector(canonical, &reg);
		return;
	}
	if (reg.cls == CAIRN_REG_PREDICATE && reg.bits > 16 && reg.bits % 16 == 0 &&
	    vixl_bytes_of(canonical->batch, reg.flags, reg.value, reg.bits / 8, value, sizeof value)) {
		put_pieces(canonical, &reg, value);
		return;
	}
	bool known = reg.flags & CAIRN_VALUE_KNOWN && reg.lsb == 0;
	if (reg.cls == CAIRN_REG_INT && reg.role == CAIRN_ROLE_DST && known) {
		if (is_shown_whole(canonical->in->enc) && reg.flags & CAIRN_VALUE_ZEROES) {
			reg.bits = 64;
			reg.flags = CAIRN_VALUE_KNOWN;
		} else if (!is_shown_whole(canonical->in->enc) && reg.bits == 64 && !(reg.value >> 32) &&
		           result_bytes(canonical, reg.num) == 4) {
			reg.bits = 32;
			reg.flags |= CAIRN_VALUE_ZEROES;
		}
	}
	copy_reg(canonical, &reg);
}

static void put_rests(struct vixl_canonical *canonical, uint8_t cls, unsigned num, uint8_t role)
{
	for (uint32_t i = 0; i < canonical->n_regs; i++) {
		const struct cairn_reg *reg = vixl_reg_at(canonical, i);
		if (canonical->reg_used[i] || reg->cls != cls || reg->num != num || reg->role != role)
			continue;
		canonical->reg_used[i] = 1;
		canonical_put_rest(canonical, reg);
	}
}

/* ---- general registers ---- */

static unsigned canonical_number(unsigned reg)
{
	return reg == 31 ? (unsigned)ISA_ARM64_XZR : reg;
}

/* What a load of one element leaves in its register. */
static uint64_t canonical_extended(const struct isa_arm64_access *access, uint64_t value)
{
	unsigned bits = 8u * access->element;
	if (!(access->flags & ISA_ARM64_SIGNED) || bits >= 64)
		return value;
	value = (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
	return access->lane == 4 ? value & UINT32_MAX : value;
}

/* A register's row and the access that fills it. */
static void load_x(struct vixl_canonical *canonical, const struct vixl_block *block, unsigned at,
                   unsigned reg)
{
	const struct isa_arm64_access *access = &canonical->access;
	bool known = vixl_all_known(block, at, access->element), zero = reg == 31;
	uint32_t row = find_reg(canonical, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_DST);
	struct cairn_reg r = {.cls = CAIRN_REG_INT,
	                      .num = (uint16_t)canonical_number(reg),
	                      .role = CAIRN_ROLE_DST,
	                      .bits = 8u * access->lane};
	if (row != UINT32_MAX) {
		canonical->reg_used[row] = 1;
		put_rests(canonical, CAIRN_REG_INT, canonical_number(reg),
		          CAIRN_ROLE_DST); /* shown more than once */
		r.value = vixl_reg_at(canonical, row)->value;
		r.flags = has_integer(vixl_reg_at(canonical, row)) ? (uint8_t)CAIRN_VALUE_KNOWN : 0;
	} else if (known || zero) {
		r.value =
			zero ? 0 : canonical_extended(access, base_le(block->value + at, access->element));
		r.flags = CAIRN_VALUE_KNOWN;
	} else {
		vixl_put_mem(canonical, block, at, access->element, 0, 0);
		return;
	}
	if (r.bits == 32 && r.value >> 32)
		r.bits = 64;
	r.flags |= r.bits == 32 ? (uint8_t)CAIRN_VALUE_ZEROES : 0;
	canonical_put_reg(canonical, &r);
	/* Without its value it can only stand on the register's own line. */
	vixl_put_mem(canonical, block, at, access->element,
	             known || r.bits == 8u * access->element ? canonical->made->n_regs : 0, 0);
}

static void store_x(struct vixl_canonical *canonical, const struct vixl_block *block, unsigned at,
                    unsigned reg)
{
	unsigned size = canonical->access.element;
	bool known = vixl_all_known(block, at, size);
	uint32_t row = find_reg(canonical, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC);
	if (row != UINT32_MAX)
		canonical->reg_used[row] = 1;
	if (!known) {
		vixl_put_mem(canonical, block, at, size, 0, 0);
		return;
	}
	put_new_reg(canonical, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC, 0,
	            block->value + at, size);
	vixl_put_mem(canonical, block, at, size, canonical->made->n_regs, 0);
}

static void canonical_general(struct vixl_canonical *canonical, const struct vixl_block *block)
{
	for (unsigned i = 0; i < canonical->access.n_regs; i++) {
		if (block->kind == CAIRN_MEM_READ)
			load_x(canonical, block, i * canonical->access.element, canonical->access.regs[i]);
		else
			store_x(canonical, block, i * canonical->access.element, canonical->access.regs[i]);
	}
}

/* ---- atomics ---- */

/* The operand by which `now` replaced `old` in register `reg`. */
static bool operand_of(const struct vixl_canonical *canonical, unsigned reg, uint64_t old,
                       uint64_t now, uint64_t *operand)
{
	const struct isa_arm64_access *access = &canonical->access;
	uint64_t mask = access->element >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * access->element) - 1;
	uint32_t row = find_reg(canonical, CAIRN_REG_INT, reg, CAIRN_ROLE_SRC);
	uint64_t candidates[3];
	unsigned n = 0;
	if (row != UINT32_MAX && has_integer(vixl_reg_at(canonical, row)))
		candidates[n++] = vixl_reg_at(canonical, row)->value;
	if (reg == 31 || canonical->x_known[reg])
		candidates[n++] = reg == 31 ? 0 : canonical->x[reg];
	if (access->combine == ISA_ARM64_ADD)
		candidates[n++] = now - old;
	else if (access->combine == ISA_ARM64_EOR)
		candidates[n++] = now ^ old;
	else if (access->combine == ISA_ARM64_SWP)
		candidates[n++] = now;
	for (unsigned i = 0; i < n; i++) {
		*operand = candidates[i] & mask;
		if (isa_arm64_combine(access, old & mask, *operand, 0) == (now & mask))
			return true;
	}
	return false;
}

/* Put the operand and what it was applied to; a reader makes the result again. */
static void put_operand(struct vixl_canonical *canonical, const struct vixl_block *old,
                        struct vixl_block *now)
{
	unsigned size = canonical->access.element, reg = canonical->access.operands[0];
	uint8_t room[VECTOR_BYTES];
	uint64_t operand;
	if (!operand_of(canonical, reg, base_le(old->value, size), base_le(now->value, size),
	                &operand)) {
		memset(now->known, 0, sizeof now->known); /* its value has no line */
		vixl_put_mem(canonical, now, 0, size, 0, 0);
		return;
	}
	base_put_le64(room, operand);
	put_new_reg(canonical, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC, 0, room, size);
	vixl_put_mem(canonical, now, 0, size, canonical->made->n_regs, 0);
	uint32_t row = find_reg(canonical, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC);
	if (row != UINT32_MAX)
		canonical->reg_used[row] = 1;
}

/* Did a compare and swap that is recorded with a store really store? Some writers record a write of
 * what was there. */
static bool did_swap(const struct vixl_canonical *canonical, const struct vixl_block *old,
                     const struct vixl_block *now)
{
	if (memcmp(old->value, now->value, old->n) != 0)
		return true;
	for (unsigned i = 0; i < canonical->access.n_operands; i++) {
		unsigned reg = canonical->access.operands[i];
		if (reg != 31 && canonical->x_known[reg] &&
		    base_le(now->value + i * canonical->access.element, canonical->access.element) !=
		        (canonical->x[reg] & (UINT64_MAX >> (64 - 8 * canonical->access.element))))
			return false;
	}
	return true;
}

/* Take what was loaded from the registers that hold it, if the access does not say. */
static void take_loaded(struct vixl_canonical *canonical, struct vixl_block *block)
{
	unsigned size = canonical->access.element;
	for (unsigned i = 0; i < canonical->access.n_regs; i++) {
		uint32_t row =
			find_reg(canonical, CAIRN_REG_INT, canonical->access.regs[i], CAIRN_ROLE_DST);
		if (row == UINT32_MAX || !has_integer(vixl_reg_at(canonical, row)) ||
		    vixl_all_known(block, i * size, size))
			continue;
		for (unsigned b = 0; b < size; b++)
			block->value[i * size + b] = (uint8_t)(vixl_reg_at(canonical, row)->value >> 8 * b);
		memset(block->known + i * size, 1, size);
	}
}

static bool canonical_atomic(struct vixl_canonical *canonical)
{
	const struct isa_arm64_access *access = &canonical->access;
	unsigned n = (unsigned)access->element * access->n_regs;
	struct vixl_block old, now;
	bool swap = access->combine == ISA_ARM64_CAS;
	bool wrote = vixl_gather(canonical, CAIRN_MEM_WRITE, n, &now);
	if (access->bank != ISA_ARM64_X || (access->n_regs > 1 && !swap) ||
	    !vixl_gather(canonical, CAIRN_MEM_READ, n, &old))
		return false;
	take_loaded(canonical, &old);
	if (!vixl_all_known(&old, 0, n) || (wrote ? !vixl_all_known(&now, 0, n) : !swap))
		return false;
	vixl_use_block(canonical, CAIRN_MEM_READ);
	vixl_use_block(canonical, CAIRN_MEM_WRITE);
	unsigned stores = swap && wrote && did_swap(canonical, &old, &now) ? access->n_operands : 0;
	if (stores > 1) /* CASP loads first, CAS last */
		canonical_general(canonical, &old);
	for (unsigned i = 0; i < stores; i++)
		store_x(canonical, &now, i * access->element, access->operands[i]);
	if (stores < 2)
		canonical_general(canonical, &old);
	if (!swap)
		put_operand(canonical, &old, &now);
	return true;
}

/* ---- vectors ---- */

/* All of register `reg` once it is loaded, or before it is stored. `complete`: the accesses
 * tell all of it, which `value` holds. False: it is not known. */
static bool whole_vector(struct vixl_canonical *canonical, unsigned reg, unsigned bytes, bool load,
                         uint8_t value[VECTOR_BYTES], bool complete)
{
	uint32_t row =
		find_reg(canonical, CAIRN_REG_VECTOR, reg, load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC);
	uint8_t room[LONGEST];
	if (row != UINT32_MAX) {
		const struct cairn_reg *r = vixl_reg_at(canonical, row);
		unsigned have = r->bits / 8;
		bool known = vixl_bytes_of(canonical->batch, r->flags, r->value, have, room, sizeof room);
		if (known && have >= bytes && (!load || canonical_is_zero(room + bytes, have - bytes))) {
			canonical->reg_used[row] = 1;
			memcpy(value, room, bytes);
			return true;
		}
	}
	if (complete)
		return true;
	if (!(canonical->v_known[reg] & 1))
		return false;
	memcpy(value, canonical->v[reg % 32u], bytes < VECTOR_BYTES ? bytes : VECTOR_BYTES);
	return true;
}

static void scalar_vectors(struct vixl_canonical *canonical, const struct vixl_block *block)
{
	bool load = block->kind == CAIRN_MEM_READ;
	unsigned size = canonical->access.element;
	for (unsigned i = 0; i < canonical->access.n_regs; i++) {
		uint8_t value[VECTOR_BYTES];
		if (!vixl_all_known(block, i * size, size)) {
			vixl_put_mem(canonical, block, i * size, size, 0, 0);
			continue;
		}
		memcpy(value, block->value + i * size, size);
		whole_vector(canonical, canonical->access.regs[i], size, load, value, true);
		put_new_reg(canonical, CAIRN_REG_VECTOR, canonical->access.regs[i],
		            load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC, load ? CAIRN_VALUE_ZEROES : 0, value,
		            size);
		vixl_put_mem(canonical, block, i * size, size, canonical->made->n_regs, 0);
	}
}

/* Registers `first` to `first` + n - 1 of the structure, whose elements alternate in the
 * block from `at` on, and the accesses. */
static bool canonical_structure(struct vixl_canonical *canonical, const struct vixl_block *block,
                                unsigned first, unsigned n, unsigned at)
{
	const struct isa_arm64_access *access = &canonical->access;
	bool load = block->kind == CAIRN_MEM_READ, one = access->flags & ISA_ARM64_ONE_LANE,
		 all = access->flags & ISA_ARM64_REPLICATE;
	unsigned size = access->element, lanes = one || all ? 1 : access->elements;
	unsigned bytes = one || canonical->in->enc >> 30 & 1 ? VECTOR_BYTES : 8;
	uint8_t value[4][VECTOR_BYTES];
	if (n > 4)
		return false;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned l = 0; l < bytes / size && !one; l++)
			memcpy(value[i] + l * size, block->value + at + ((all ? 0 : l) * n + i) * size, size);
		if (!whole_vector(canonical, access->regs[first + i], bytes, load, value[i], !one))
			return false;
		if (one)
			memcpy(value[i] + access->lane_index * size, block->value + at + i * size, size);
	}
	for (unsigned i = 0; i < n; i++)
		put_new_reg(canonical, CAIRN_REG_VECTOR, access->regs[first + i],
		            load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC, load ? CAIRN_VALUE_ZEROES : 0, value[i],
		            bytes);
	uint32_t base = canonical->made->n_regs - n;
	for (unsigned l = 0; l < lanes; l++)
		for (unsigned i = 0; i < n; i++)
			vixl_put_mem(canonical, block, at + (l * n + i) * size, size, base + i + 1,
			             one ? access->lane_index : l);
	return true;
}

static void structures(struct vixl_canonical *canonical, const struct vixl_block *block)
{
	const struct isa_arm64_access *access = &canonical->access;
	bool together = access->flags & ISA_ARM64_STRUCT;
	unsigned n = together ? access->n_regs : 1, step = block->n / access->n_regs * n;
	/* The highest register comes first. */
	for (unsigned i = access->n_regs / n; i-- > 0;)
		if (!canonical_structure(canonical, block, i * n, n, i * step))
			for (unsigned at = i * step; at < (i + 1) * step; at += access->element)
				vixl_put_mem(canonical, block, at, access->element, 0, 0);
}

/* ---- slots ---- */

/* The block of a load or store of X and V registers. */
static bool canonical_moved(struct vixl_canonical *canonical, struct vixl_block *block)
{
	const struct isa_arm64_access *access = &canonical->access;
	const uint32_t odd =
		ISA_ARM64_PREFETCH | ISA_ARM64_MOPS | ISA_ARM64_TAG | ISA_ARM64_VL | ISA_ARM64_GATHER;
	unsigned each = access->flags & (ISA_ARM64_ONE_LANE | ISA_ARM64_REPLICATE) ? 1
	                : access->elements                                         ? access->elements
	                                                                           : 1;
	if (access->flags & odd || (access->bank != ISA_ARM64_X && access->bank != ISA_ARM64_V))
		return false;
	uint8_t kind = access->flags & ISA_ARM64_LOAD ? CAIRN_MEM_READ : CAIRN_MEM_WRITE;
	return vixl_gather(canonical, kind, (unsigned)access->element * each * access->n_regs, block);
}

static bool canonical_access(struct vixl_canonical *canonical)
{
	const struct isa_arm64_access *access = &canonical->access;
	struct vixl_block block;
	if (access->flags & ISA_ARM64_ATOMIC)
		return canonical_atomic(canonical);
	if (access->bank == ISA_ARM64_Z || access->bank == ISA_ARM64_P)
		return vixl_canonical_lanes(canonical);
	bool lanes = vixl_is_struct(canonical->in->enc);
	if (!canonical_moved(canonical, &block) || (lanes && !vixl_all_known(&block, 0, block.n)))
		return false;
	vixl_use_block(canonical, block.kind);
	if (access->status != ISA_ARM64_NO_REG)
		put_rests(canonical, CAIRN_REG_INT, access->status, CAIRN_ROLE_DST);
	if (access->bank == ISA_ARM64_X)
		canonical_general(canonical, &block);
	else if (lanes)
		structures(canonical, &block);
	else
		scalar_vectors(canonical, &block);
	return true;
}

/* Does the row of a register that is shown before the accesses stand behind them? */
static bool is_late(const struct vixl_canonical *canonical, unsigned num)
{
	uint32_t row = find_reg(canonical, CAIRN_REG_INT, num, CAIRN_ROLE_DST);
	return row != UINT32_MAX && canonical->n_mems &&
	       vixl_reg_at(canonical, row)->seq > vixl_mem_at(canonical, 0)->seq;
}

/* Is every access an element of a register whose row says so, and nothing before it that
 * comes behind? */
static bool is_shaped(const struct vixl_canonical *canonical)
{
	for (uint32_t i = 0; i < canonical->n_mems; i++) {
		const struct cairn_mem *mem = vixl_mem_at(canonical, i);
		bool own = canonical->regs != canonical->renamed && mem->reg > canonical->in[0].reg0 &&
		           mem->reg <= canonical->in[1].reg0;
		const struct cairn_reg *reg =
			own ? vixl_reg_at(canonical, mem->reg - 1u - canonical->in[0].reg0) : NULL;
		bool x = reg && reg->cls == CAIRN_REG_INT && mem->kind == CAIRN_MEM_WRITE;
		if (!reg || mem->size != canonical->access.element || (x && reg->bits != 8 * mem->size))
			return false;
	}
	return !(canonical->access.writeback == ISA_ARM64_PRE &&
	         is_late(canonical, canonical->access.base)) &&
	       !(canonical->access.status != ISA_ARM64_NO_REG &&
	         is_late(canonical, canonical->access.status));
}

static bool is_linked(const struct vixl_canonical *canonical)
{
	for (uint32_t i = 0; i < canonical->n_mems; i++)
		if (vixl_mem_at(canonical, i)->reg)
			return true;
	return false;
}

/* Piece by piece: those that the row covers hold its value, those above it zero if the row says so.
 *  */
static void remember_vector(struct vixl_canonical *canonical, const struct cairn_reg *reg,
                            const uint8_t *value, bool known)
{
	unsigned first = reg->lsb / 8u, end = first + reg->bits / 8, num = reg->num % 32u;
	uint8_t now[LONGEST] = {0};
	bool zeroes = reg->flags & CAIRN_VALUE_ZEROES;
	if (end > LONGEST || first % VECTOR_BYTES || (end % VECTOR_BYTES && !zeroes))
		return;
	canonical->vl = end > canonical->vl ? end : canonical->vl;
	if (known)
		memcpy(now + first, value, end - first);
	for (unsigned i = first / VECTOR_BYTES; i < LONGEST / VECTOR_BYTES; i++) {
		bool covered = i * VECTOR_BYTES < end;
		if (!covered && !zeroes)
			break;
		memcpy(canonical->v[num] + i * VECTOR_BYTES, now + i * VECTOR_BYTES, VECTOR_BYTES);
		canonical->v_known[num] =
			(uint16_t)((canonical->v_known[num] & ~(1u << i)) | (unsigned)(known || !covered) << i);
	}
}

/* Remember what registers hold behind these rows: those of the state, or the others. */
static void canonical_remember(struct vixl_canonical *canonical, bool state)
{
	for (uint32_t i = 0; i < canonical->n_regs; i++) {
		const struct cairn_reg *reg = vixl_reg_at(canonical, i);
		unsigned bytes = reg->bits / 8;
		uint8_t room[LONGEST];
		bool source = reg->role == CAIRN_ROLE_SRC, zeroes = reg->flags & CAIRN_VALUE_ZEROES;
		if (state != (reg->role == CAIRN_ROLE_STATE) || reg->num > 31 ||
		    reg->role == CAIRN_ROLE_READY)
			continue;
		bool known =
			vixl_bytes_of(canonical->batch, reg->flags, reg->value, bytes, room, sizeof room);
		if (reg->cls == CAIRN_REG_INT && reg->lsb == 0 && (bytes == 8 || !source)) {
			canonical->x_known[reg->num] =
				has_integer(reg) && (bytes == 8 || (bytes < 8 && zeroes));
			canonical->x[reg->num] = reg->value;
		} else if (reg->cls == CAIRN_REG_VECTOR && (bytes >= VECTOR_BYTES || zeroes)) {
			remember_vector(canonical, reg, room, known);
		} else if (reg->cls == CAIRN_REG_VECTOR && !source) {
			canonical->v_known[reg->num] = 0;
		}
	}
}

/* Put state before the instruction's line, and what is recorded there. */
static void put_before(struct vixl_canonical *canonical)
{
	const struct cairn_insn *in = canonical->in;
	uint32_t e = in[0].ev0, r = 0;
	while (e < in[1].ev0 || r < canonical->n_regs) {
		bool state = r < canonical->n_regs && vixl_reg_at(canonical, r)->role == CAIRN_ROLE_STATE;
		bool event = e < in[1].ev0 && canonical->batch->events[e].phase == CAIRN_BEFORE;
		if (r < canonical->n_regs && !state) {
			r++;
		} else if (e < in[1].ev0 && !event) {
			e++;
		} else if (state &&
		           (!event || vixl_reg_at(canonical, r)->seq <= canonical->batch->events[e].seq)) {
			canonical->reg_used[r] = 1;
			canonical_put_rest(canonical, vixl_reg_at(canonical, r++));
		} else {
			copy_event(canonical, &canonical->batch->events[e++]);
		}
	}
}

/* Put all that is left, in its order. */
static void put_after(struct vixl_canonical *canonical)
{
	uint32_t r = 0, m = 0, e = canonical->in[0].ev0;
	const uint32_t end = canonical->in[1].ev0;
	for (;;) {
		while (r < canonical->n_regs && canonical->reg_used[r])
			r++;
		while (m < canonical->n_mems && canonical->mem_used[m])
			m++;
		while (e < end && canonical->batch->events[e].phase == CAIRN_BEFORE)
			e++;
		unsigned at_r = r < canonical->n_regs ? vixl_reg_at(canonical, r)->seq : UINT32_MAX;
		unsigned at_m = m < canonical->n_mems ? vixl_mem_at(canonical, m)->seq : UINT32_MAX;
		unsigned at_e = e < end ? canonical->batch->events[e].seq : UINT32_MAX;
		if (r < canonical->n_regs && at_r <= at_m && at_r <= at_e)
			canonical_put_rest(canonical, vixl_reg_at(canonical, r++));
		else if (m < canonical->n_mems && at_m <= at_e)
			copy_mem(canonical, vixl_mem_at(canonical, m++));
		else if (e < end)
			copy_event(canonical, &canonical->batch->events[e++]);
		else
			return;
	}
}

/* Logs call a vector of SVE and its lowest part by one number. */
static void canonical_rename(struct vixl_canonical *canonical)
{
	const struct cairn_reg *regs = &canonical->batch->regs[canonical->in->reg0];
	canonical->regs = regs;
	for (uint32_t i = 0; i < canonical->n_regs; i++) {
		if (regs[i].cls != CAIRN_REG_VECTOR || regs[i].num < ISA_ARM64_Z0 ||
		    regs[i].num >= ISA_ARM64_Z0 + 32)
			continue;
		if (canonical->regs == regs)
			memcpy(canonical->renamed, regs, canonical->n_regs * sizeof *regs);
		canonical->regs = canonical->renamed;
		canonical->renamed[i].num = (uint16_t)(regs[i].num - ISA_ARM64_Z0);
	}
}

const struct cairn_batch *vixl_canonical_slot(struct vixl_canonical *canonical,
                                              const struct cairn_batch *batch, uint32_t row)
{
	const struct cairn_insn *in = &batch->insns[row];
	canonical->batch = batch;
	canonical->in = in;
	canonical->n_regs = (uint32_t)in[1].reg0 - in[0].reg0;
	canonical->n_mems = (uint32_t)in[1].mem0 - in[0].mem0;
	if (canonical->n_regs > MOST_REGS || canonical->n_mems > MOST_MEMS)
		return NULL;
	canonical_rename(canonical);
	memset(canonical->reg_used, 0, canonical->n_regs);
	memset(canonical->mem_used, 0, canonical->n_mems);
	canonical->moves = isa_arm64_access(in->enc, &canonical->access) &&
	                   !(canonical->access.flags & ISA_ARM64_PREFETCH);
	bool moves = canonical->moves && canonical->n_mems;
	canonical_remember(canonical, true);
	if (moves && is_shaped(canonical)) {
		canonical_remember(canonical, false);
		return NULL;
	}
	model_batch_clear(canonical->made);
	put_before(canonical);
	if (moves && canonical->access.writeback == ISA_ARM64_PRE)
		put_rests(canonical, CAIRN_REG_INT, canonical->access.base, CAIRN_ROLE_DST);
	if (moves && !canonical_access(canonical) && is_linked(canonical)) {
		canonical_remember(canonical, false);
		return NULL;
	}
	canonical_remember(canonical, false);
	put_after(canonical);
	canonical->made->n_insns = 1;
	canonical->made->insns[0] = *in;
	canonical->made->insns[0].reg0 = canonical->made->insns[0].mem0 =
		canonical->made->insns[0].ev0 = 0;
	canonical->made->n0 = batch->n0 + row;
	canonical->made->have = batch->have;
	model_batch_close(canonical->made, canonical->made->n_regs, canonical->made->n_mems,
	                  canonical->made->n_events, 0);
	return canonical->made;
}
