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
#include "formats/vixl/canonical_slot.h"

struct vixl_canonical *vixl_canonical_new(struct cairn *c)
{
	struct vixl_canonical *s = base_alloc(c, sizeof *s);
	if (s && !(s->made = cairn_batch_new(c))) {
		base_free(c, s);
		return NULL;
	}
	return s;
}

void vixl_canonical_free(struct cairn *c, struct vixl_canonical *s)
{
	if (s)
		cairn_batch_free(c, s->made);
	base_free(c, s);
}

void vixl_canonical_forget(struct vixl_canonical *s)
{
	memset(s->x_known, 0, sizeof s->x_known);
	memset(s->v_known, 0, sizeof s->v_known);
}

/* ---- rows of the slot ---- */

bool vixl_bytes_of(const struct cairn_batch *b, unsigned flags, uint64_t value, uint32_t bytes,
                   uint8_t *out, unsigned room)
{
	if (!(flags & CAIRN_VALUE_KNOWN) || bytes > room)
		return false;
	if (flags & CAIRN_VALUE_WIDE) {
		if (value > b->n_bytes || bytes > b->n_bytes - value)
			return false;
		memcpy(out, b->bytes + value, bytes);
		return true;
	}
	for (uint32_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
	return bytes <= 8;
}

bool vixl_gather(struct vixl_canonical *s, uint8_t kind, unsigned n, struct vixl_block *k)
{
	uint8_t seen[BLOCK] = {0};
	unsigned sum = 0;
	*k = (struct vixl_block){.lo = UINT64_MAX, .n = n, .kind = kind};
	for (uint32_t i = 0; i < s->n_mems; i++)
		if (vixl_is_plain(vixl_mem_at(s, i), kind) && vixl_mem_at(s, i)->addr < k->lo)
			k->lo = vixl_mem_at(s, i)->addr;
	for (uint32_t i = 0; i < s->n_mems; i++) {
		const struct cairn_mem *m = vixl_mem_at(s, i);
		uint64_t at = m->addr - k->lo;
		if (m->kind != kind)
			continue;
		if (!vixl_is_plain(m, kind) || n > BLOCK || at >= n || m->size == 0 || m->size > n - at ||
		    memchr(seen + at, 1, m->size))
			return false;
		memset(seen + at, 1, m->size);
		k->row[at] = m;
		if (vixl_bytes_of(s->b, m->flags, m->value, m->size, k->value + at, n - (unsigned)at))
			memset(k->known + at, 1, m->size);
		sum += m->size;
	}
	return sum == n && n;
}

void vixl_use_block(struct vixl_canonical *s, uint8_t kind)
{
	for (uint32_t i = 0; i < s->n_mems; i++)
		s->mem_used[i] |= vixl_mem_at(s, i)->kind == kind;
}

/* The last row of a register that is not used yet; UINT32_MAX: there is none. */
static uint32_t find_reg(const struct vixl_canonical *s, uint8_t cls, unsigned num, uint8_t role)
{
	for (uint32_t i = s->n_regs; i-- > 0;) {
		const struct cairn_reg *r = vixl_reg_at(s, i);
		if (!s->reg_used[i] && r->cls == cls && r->num == num && r->role == role && r->lsb == 0)
			return i;
	}
	return UINT32_MAX;
}

static bool has_integer(const struct cairn_reg *r)
{
	return (r->flags & (CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE)) == CAIRN_VALUE_KNOWN;
}

/* ---- rows of the made slot ---- */

static struct cairn_reg *canonical_put_reg(struct vixl_canonical *s, const struct cairn_reg *like)
{
	struct cairn_batch *to = s->made;
	if (to->n_regs == CAIRN_CAP_REGS)
		return NULL;
	struct cairn_reg *r = &to->regs[to->n_regs++];
	*r = *like;
	r->seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events);
	return r;
}

/* `bytes` of value in a row of the made slot. */
static void set_value(struct vixl_canonical *s, const uint8_t *p, unsigned bytes, uint8_t *flags,
                      uint64_t *value)
{
	*flags |= CAIRN_VALUE_KNOWN;
	*value = base_le(p, bytes < 8 ? bytes : 8);
	if (bytes <= 8)
		return;
	uint32_t at = model_batch_bytes(s->made, bytes);
	if (at == UINT32_MAX) {
		*flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
		return;
	}
	memcpy(s->made->bytes + at, p, bytes);
	*flags |= CAIRN_VALUE_WIDE;
	*value = at;
}

static void put_new_reg(struct vixl_canonical *s, uint8_t cls, unsigned num, uint8_t role,
                        uint8_t flags, const uint8_t *value, unsigned bytes)
{
	struct cairn_reg r = {.cls = cls,
	                      .num = (uint16_t)num,
	                      .role = role,
	                      .bits = 8 * bytes,
	                      .flags = flags};
	if (value)
		set_value(s, value, bytes, &r.flags, &r.value);
	canonical_put_reg(s, &r);
}

void vixl_put_mem(struct vixl_canonical *s, const struct vixl_block *k, unsigned at, unsigned size,
                  uint32_t reg, unsigned lane)
{
	struct cairn_batch *to = s->made;
	if (to->n_mems == CAIRN_CAP_MEMS)
		return;
	struct cairn_mem *m = &to->mems[to->n_mems++];
	*m = (struct cairn_mem){.addr = k->lo + at,
	                        .size = size,
	                        .kind = k->kind,
	                        .reg = (uint16_t)reg,
	                        .lane = (uint16_t)lane,
	                        .seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events)};
	for (unsigned i = at; i < at + size; i++)
		if (k->row[i]) { /* what else the access said, once */
			m->pa = k->row[i]->pa;
			m->attr = k->row[i]->attr;
			m->flags |= k->row[i]->flags & CAIRN_VALUE_PA;
			break;
		}
	if (vixl_all_known(k, at, size))
		set_value(s, k->value + at, size, &m->flags, &m->value);
	m->words = (uint16_t)((size + 7) / 8);
}

static void copy_mem(struct vixl_canonical *s, const struct cairn_mem *like)
{
	struct cairn_batch *to = s->made;
	uint8_t room[LONGEST];
	if (to->n_mems == CAIRN_CAP_MEMS)
		return;
	struct cairn_mem *m = &to->mems[to->n_mems++];
	*m = *like;
	m->reg = 0;
	m->seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events);
	if (!(like->flags & CAIRN_VALUE_WIDE))
		return;
	m->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
	if (vixl_bytes_of(s->b, like->flags, like->value, like->size, room, sizeof room))
		set_value(s, room, like->size, &m->flags, &m->value);
}

static void copy_event(struct vixl_canonical *s, const struct cairn_event *like)
{
	struct cairn_batch *to = s->made;
	bool has = like->len && like->args <= s->b->n_bytes && like->len <= s->b->n_bytes - like->args;
	if (to->n_events == CAIRN_CAP_EVENTS)
		return;
	struct cairn_event *e = &to->events[to->n_events++];
	*e = *like;
	e->seq = (uint16_t)(to->n_regs + to->n_mems + to->n_events);
	uint32_t at = has ? model_batch_bytes(to, like->len) : UINT32_MAX;
	e->len = at == UINT32_MAX ? 0 : like->len;
	e->args = at == UINT32_MAX ? 0 : at;
	if (e->len)
		memcpy(to->bytes + at, s->b->bytes + like->args, like->len);
}

/* ---- registers by the width that is written ---- */

/* Bytes of a scalar result of floating point; 0: it is none. */
static unsigned scalar_bytes(uint32_t e)
{
	static const uint8_t types[] = {4, 8, 0, 2}, to[] = {4, 8, 2, 2};
	if ((e & 0xff3e7c00) == 0x1e224000) /* FCVT, BFCVT */
		return to[e >> 15 & 3];
	if ((e & 0x7f000000) == 0x1e000000 || (e & 0xff000000) == 0x1f000000)
		return types[e >> 22 & 3];
	return 0;
}

/* MOVZ, MOVN, MOVK and UMOV of a W register are shown as of an X register. */
static bool is_shown_whole(uint32_t e)
{
	return (e & 0x1f800000) == 0x12800000 || (e & 0xbfe0fc00) == 0x0e003c00;
}

/* Bytes that are written of an integer register; the rest of it becomes zero. */
static unsigned result_bytes(const struct vixl_canonical *s, unsigned num)
{
	struct isa_arm64_result r;
	if (s->moves && num == s->a.status)
		return 4;
	if (s->moves && s->a.bank == ISA_ARM64_X && s->a.flags & ISA_ARM64_LOAD)
		return memchr(s->a.regs, (int)num, s->a.n_regs) ? s->a.lane : 8;
	if (!isa_arm64_result(s->in->enc, &r) || r.bank != ISA_ARM64_X || r.reg != num)
		return 8;
	return r.bytes;
}

static bool canonical_is_zero(const uint8_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* D7 and the like are the parts of a vector that are written; the rest becomes zero. */
static void part_of_vector(struct cairn_reg *r)
{
	static const uint16_t bits[] = {64, 32, 16, 8, 128};
	if (r->cls != CAIRN_REG_FP || r->role != CAIRN_ROLE_DST || r->num >= 160 || r->lsb ||
	    r->bits != bits[r->num / 32])
		return;
	r->cls = CAIRN_REG_VECTOR;
	r->num %= 32;
	r->flags |= CAIRN_VALUE_ZEROES;
}

void vixl_put_piece(struct vixl_canonical *s, const struct cairn_reg *like, unsigned lsb,
                    const uint8_t *value, unsigned bytes)
{
	struct cairn_reg r = *like;
	r.flags = 0;
	r.lsb = (uint16_t)lsb;
	r.bits = 8 * bytes;
	set_value(s, value, bytes, &r.flags, &r.value);
	canonical_put_reg(s, &r);
}

/* The row of a vector, or a longer predicate, in the pieces that have lines. */
static void put_pieces(struct vixl_canonical *s, const struct cairn_reg *like, const uint8_t *value)
{
	unsigned piece = like->cls == CAIRN_REG_PREDICATE ? 16 : 128;
	for (unsigned at = 0; at < like->bits; at += piece) {
		vixl_put_piece(s, like, like->lsb + at, value + at / 8, piece / 8);
	}
}

/* As it is; its value, if it lies in the batch, goes with it. */
static void copy_reg(struct vixl_canonical *s, const struct cairn_reg *like)
{
	uint8_t value[LONGEST];
	struct cairn_reg r = *like;
	if (r.flags & CAIRN_VALUE_WIDE) {
		r.flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
		if (vixl_bytes_of(s->b, like->flags, like->value, like->bits / 8, value, sizeof value))
			set_value(s, value, like->bits / 8, &r.flags, &r.value);
	}
	canonical_put_reg(s, &r);
}

static void put_vector(struct vixl_canonical *s, const struct cairn_reg *like)
{
	uint8_t value[LONGEST];
	unsigned bytes = like->bits / 8, keep = scalar_bytes(s->in->enc);
	bool simd = (s->in->enc >> 25 & 7) == 7, zeroes = like->flags & CAIRN_VALUE_ZEROES;
	if ((zeroes && !simd) || like->bits == 0 || like->bits % 128 ||
	    !vixl_bytes_of(s->b, like->flags, like->value, bytes, value, sizeof value)) {
		copy_reg(s, like);
		return;
	}
	if (keep == 0 || !canonical_is_zero(value + keep, bytes - keep))
		keep = VECTOR_BYTES;
	if (simd && like->role == CAIRN_ROLE_DST && like->lsb == 0 &&
	    canonical_is_zero(value + keep, bytes - keep))
		put_new_reg(s, like->cls, like->num, like->role, CAIRN_VALUE_ZEROES, value, keep);
	else
		put_pieces(s, like, value);
}

/* A row that no access took. */
static void canonical_put_rest(struct vixl_canonical *s, const struct cairn_reg *like)
{
	struct cairn_reg r = *like;
	uint8_t value[LONGEST];
	part_of_vector(&r);
	if (r.cls == CAIRN_REG_VECTOR) {
		put_vector(s, &r);
		return;
	}
	if (r.cls == CAIRN_REG_PREDICATE && r.bits > 16 && r.bits % 16 == 0 &&
	    vixl_bytes_of(s->b, r.flags, r.value, r.bits / 8, value, sizeof value)) {
		put_pieces(s, &r, value);
		return;
	}
	bool known = r.flags & CAIRN_VALUE_KNOWN && r.lsb == 0;
	if (r.cls == CAIRN_REG_INT && r.role == CAIRN_ROLE_DST && known) {
		if (is_shown_whole(s->in->enc) && r.flags & CAIRN_VALUE_ZEROES) {
			r.bits = 64;
			r.flags = CAIRN_VALUE_KNOWN;
		} else if (!is_shown_whole(s->in->enc) && r.bits == 64 && !(r.value >> 32) &&
		           result_bytes(s, r.num) == 4) {
			r.bits = 32;
			r.flags |= CAIRN_VALUE_ZEROES;
		}
	}
	copy_reg(s, &r);
}

static void put_rests(struct vixl_canonical *s, uint8_t cls, unsigned num, uint8_t role)
{
	for (uint32_t i = 0; i < s->n_regs; i++) {
		const struct cairn_reg *r = vixl_reg_at(s, i);
		if (s->reg_used[i] || r->cls != cls || r->num != num || r->role != role)
			continue;
		s->reg_used[i] = 1;
		canonical_put_rest(s, r);
	}
}

/* ---- general registers ---- */

static unsigned canonical_number(unsigned reg)
{
	return reg == 31 ? (unsigned)ISA_ARM64_XZR : reg;
}

/* What a load of one element leaves in its register. */
static uint64_t canonical_extended(const struct isa_arm64_access *a, uint64_t v)
{
	unsigned bits = 8u * a->element;
	if (!(a->flags & ISA_ARM64_SIGNED) || bits >= 64)
		return v;
	v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
	return a->lane == 4 ? v & UINT32_MAX : v;
}

/* A register's row and the access that fills it. */
static void load_x(struct vixl_canonical *s, const struct vixl_block *k, unsigned at, unsigned reg)
{
	const struct isa_arm64_access *a = &s->a;
	bool known = vixl_all_known(k, at, a->element), zero = reg == 31;
	uint32_t row = find_reg(s, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_DST);
	struct cairn_reg r = {.cls = CAIRN_REG_INT,
	                      .num = (uint16_t)canonical_number(reg),
	                      .role = CAIRN_ROLE_DST,
	                      .bits = 8u * a->lane};
	if (row != UINT32_MAX) {
		s->reg_used[row] = 1;
		put_rests(s, CAIRN_REG_INT, canonical_number(reg),
		          CAIRN_ROLE_DST); /* shown more than once */
		r.value = vixl_reg_at(s, row)->value;
		r.flags = has_integer(vixl_reg_at(s, row)) ? (uint8_t)CAIRN_VALUE_KNOWN : 0;
	} else if (known || zero) {
		r.value = zero ? 0 : canonical_extended(a, base_le(k->value + at, a->element));
		r.flags = CAIRN_VALUE_KNOWN;
	} else {
		vixl_put_mem(s, k, at, a->element, 0, 0);
		return;
	}
	if (r.bits == 32 && r.value >> 32)
		r.bits = 64;
	r.flags |= r.bits == 32 ? (uint8_t)CAIRN_VALUE_ZEROES : 0;
	canonical_put_reg(s, &r);
	/* Without its value it can only stand on the register's own line. */
	vixl_put_mem(s, k, at, a->element, known || r.bits == 8u * a->element ? s->made->n_regs : 0, 0);
}

static void store_x(struct vixl_canonical *s, const struct vixl_block *k, unsigned at, unsigned reg)
{
	unsigned size = s->a.element;
	bool known = vixl_all_known(k, at, size);
	uint32_t row = find_reg(s, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC);
	if (row != UINT32_MAX)
		s->reg_used[row] = 1;
	if (!known) {
		vixl_put_mem(s, k, at, size, 0, 0);
		return;
	}
	put_new_reg(s, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC, 0, k->value + at, size);
	vixl_put_mem(s, k, at, size, s->made->n_regs, 0);
}

static void canonical_general(struct vixl_canonical *s, const struct vixl_block *k)
{
	for (unsigned i = 0; i < s->a.n_regs; i++) {
		if (k->kind == CAIRN_MEM_READ)
			load_x(s, k, i * s->a.element, s->a.regs[i]);
		else
			store_x(s, k, i * s->a.element, s->a.regs[i]);
	}
}

/* ---- atomics ---- */

/* What register `reg` gave when `now` replaced `old`. */
static bool operand_of(const struct vixl_canonical *s, unsigned reg, uint64_t old, uint64_t now,
                       uint64_t *operand)
{
	const struct isa_arm64_access *a = &s->a;
	uint64_t mask = a->element >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * a->element) - 1;
	uint32_t row = find_reg(s, CAIRN_REG_INT, reg, CAIRN_ROLE_SRC);
	uint64_t candidates[3];
	unsigned n = 0;
	if (row != UINT32_MAX && has_integer(vixl_reg_at(s, row)))
		candidates[n++] = vixl_reg_at(s, row)->value;
	if (reg == 31 || s->x_known[reg])
		candidates[n++] = reg == 31 ? 0 : s->x[reg];
	if (a->combine == ISA_ARM64_ADD)
		candidates[n++] = now - old;
	else if (a->combine == ISA_ARM64_EOR)
		candidates[n++] = now ^ old;
	else if (a->combine == ISA_ARM64_SWP)
		candidates[n++] = now;
	for (unsigned i = 0; i < n; i++) {
		*operand = candidates[i] & mask;
		if (isa_arm64_combine(a, old & mask, *operand, 0) == (now & mask))
			return true;
	}
	return false;
}

/* The operand and what it went to; the reader makes the result of it again. */
static void put_operand(struct vixl_canonical *s, const struct vixl_block *old,
                        struct vixl_block *now)
{
	unsigned size = s->a.element, reg = s->a.operands[0];
	uint8_t room[VECTOR_BYTES];
	uint64_t operand;
	if (!operand_of(s, reg, base_le(old->value, size), base_le(now->value, size), &operand)) {
		memset(now->known, 0, sizeof now->known); /* its value has no line */
		vixl_put_mem(s, now, 0, size, 0, 0);
		return;
	}
	base_put_le64(room, operand);
	put_new_reg(s, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC, 0, room, size);
	vixl_put_mem(s, now, 0, size, s->made->n_regs, 0);
	uint32_t row = find_reg(s, CAIRN_REG_INT, canonical_number(reg), CAIRN_ROLE_SRC);
	if (row != UINT32_MAX)
		s->reg_used[row] = 1;
}

/* Did a compare and swap that is told to have stored really do so? Some tell a write of
 * what was there. */
static bool did_swap(const struct vixl_canonical *s, const struct vixl_block *old,
                     const struct vixl_block *now)
{
	if (memcmp(old->value, now->value, old->n) != 0)
		return true;
	for (unsigned i = 0; i < s->a.n_operands; i++) {
		unsigned reg = s->a.operands[i];
		if (reg != 31 && s->x_known[reg] &&
		    base_le(now->value + i * s->a.element, s->a.element) !=
		        (s->x[reg] & (UINT64_MAX >> (64 - 8 * s->a.element))))
			return false;
	}
	return true;
}

/* What was loaded, from the registers that hold it, where the access does not tell. */
static void take_loaded(struct vixl_canonical *s, struct vixl_block *k)
{
	unsigned size = s->a.element;
	for (unsigned i = 0; i < s->a.n_regs; i++) {
		uint32_t row = find_reg(s, CAIRN_REG_INT, s->a.regs[i], CAIRN_ROLE_DST);
		if (row == UINT32_MAX || !has_integer(vixl_reg_at(s, row)) ||
		    vixl_all_known(k, i * size, size))
			continue;
		for (unsigned b = 0; b < size; b++)
			k->value[i * size + b] = (uint8_t)(vixl_reg_at(s, row)->value >> 8 * b);
		memset(k->known + i * size, 1, size);
	}
}

static bool canonical_atomic(struct vixl_canonical *s)
{
	const struct isa_arm64_access *a = &s->a;
	unsigned n = (unsigned)a->element * a->n_regs;
	struct vixl_block old, now;
	bool swap = a->combine == ISA_ARM64_CAS;
	bool wrote = vixl_gather(s, CAIRN_MEM_WRITE, n, &now);
	if (a->bank != ISA_ARM64_X || (a->n_regs > 1 && !swap) ||
	    !vixl_gather(s, CAIRN_MEM_READ, n, &old))
		return false;
	take_loaded(s, &old);
	if (!vixl_all_known(&old, 0, n) || (wrote ? !vixl_all_known(&now, 0, n) : !swap))
		return false;
	vixl_use_block(s, CAIRN_MEM_READ);
	vixl_use_block(s, CAIRN_MEM_WRITE);
	unsigned stores = swap && wrote && did_swap(s, &old, &now) ? a->n_operands : 0;
	if (stores > 1) /* CASP loads first, CAS last */
		canonical_general(s, &old);
	for (unsigned i = 0; i < stores; i++)
		store_x(s, &now, i * a->element, a->operands[i]);
	if (stores < 2)
		canonical_general(s, &old);
	if (!swap)
		put_operand(s, &old, &now);
	return true;
}

/* ---- vectors ---- */

/* All of register `reg` once it is loaded, or before it is stored. `complete`: the accesses
 * tell all of it, which `value` holds. False: it is not known. */
static bool whole_vector(struct vixl_canonical *s, unsigned reg, unsigned bytes, bool load,
                         uint8_t value[VECTOR_BYTES], bool complete)
{
	uint32_t row = find_reg(s, CAIRN_REG_VECTOR, reg, load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC);
	uint8_t room[LONGEST];
	if (row != UINT32_MAX) {
		const struct cairn_reg *r = vixl_reg_at(s, row);
		unsigned have = r->bits / 8;
		bool known = vixl_bytes_of(s->b, r->flags, r->value, have, room, sizeof room);
		if (known && have >= bytes && (!load || canonical_is_zero(room + bytes, have - bytes))) {
			s->reg_used[row] = 1;
			memcpy(value, room, bytes);
			return true;
		}
	}
	if (complete)
		return true;
	if (!(s->v_known[reg] & 1))
		return false;
	memcpy(value, s->v[reg % 32u], bytes < VECTOR_BYTES ? bytes : VECTOR_BYTES);
	return true;
}

static void scalar_vectors(struct vixl_canonical *s, const struct vixl_block *k)
{
	bool load = k->kind == CAIRN_MEM_READ;
	unsigned size = s->a.element;
	for (unsigned i = 0; i < s->a.n_regs; i++) {
		uint8_t value[VECTOR_BYTES];
		if (!vixl_all_known(k, i * size, size)) {
			vixl_put_mem(s, k, i * size, size, 0, 0);
			continue;
		}
		memcpy(value, k->value + i * size, size);
		whole_vector(s, s->a.regs[i], size, load, value, true);
		put_new_reg(s, CAIRN_REG_VECTOR, s->a.regs[i], load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC,
		            load ? CAIRN_VALUE_ZEROES : 0, value, size);
		vixl_put_mem(s, k, i * size, size, s->made->n_regs, 0);
	}
}

/* Registers `first` to `first` + n - 1 of the structure, whose elements alternate in the
 * block from `at` on, and the accesses. */
static bool canonical_structure(struct vixl_canonical *s, const struct vixl_block *k,
                                unsigned first, unsigned n, unsigned at)
{
	const struct isa_arm64_access *a = &s->a;
	bool load = k->kind == CAIRN_MEM_READ, one = a->flags & ISA_ARM64_ONE_LANE,
		 all = a->flags & ISA_ARM64_REPLICATE;
	unsigned size = a->element, lanes = one || all ? 1 : a->elements;
	unsigned bytes = one || s->in->enc >> 30 & 1 ? VECTOR_BYTES : 8;
	uint8_t value[4][VECTOR_BYTES];
	if (n > 4)
		return false;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned l = 0; l < bytes / size && !one; l++)
			memcpy(value[i] + l * size, k->value + at + ((all ? 0 : l) * n + i) * size, size);
		if (!whole_vector(s, a->regs[first + i], bytes, load, value[i], !one))
			return false;
		if (one)
			memcpy(value[i] + a->lane_index * size, k->value + at + i * size, size);
	}
	for (unsigned i = 0; i < n; i++)
		put_new_reg(s, CAIRN_REG_VECTOR, a->regs[first + i], load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC,
		            load ? CAIRN_VALUE_ZEROES : 0, value[i], bytes);
	uint32_t base = s->made->n_regs - n;
	for (unsigned l = 0; l < lanes; l++)
		for (unsigned i = 0; i < n; i++)
			vixl_put_mem(s, k, at + (l * n + i) * size, size, base + i + 1,
			             one ? a->lane_index : l);
	return true;
}

static void structures(struct vixl_canonical *s, const struct vixl_block *k)
{
	const struct isa_arm64_access *a = &s->a;
	bool together = a->flags & ISA_ARM64_STRUCT;
	unsigned n = together ? a->n_regs : 1, step = k->n / a->n_regs * n;
	/* The highest register comes first. */
	for (unsigned i = a->n_regs / n; i-- > 0;)
		if (!canonical_structure(s, k, i * n, n, i * step))
			for (unsigned at = i * step; at < (i + 1) * step; at += a->element)
				vixl_put_mem(s, k, at, a->element, 0, 0);
}

/* ---- slots ---- */

/* The block of a load or store of X and V registers. */
static bool canonical_moved(struct vixl_canonical *s, struct vixl_block *k)
{
	const struct isa_arm64_access *a = &s->a;
	const uint32_t odd =
		ISA_ARM64_PREFETCH | ISA_ARM64_MOPS | ISA_ARM64_TAG | ISA_ARM64_VL | ISA_ARM64_GATHER;
	unsigned each = a->flags & (ISA_ARM64_ONE_LANE | ISA_ARM64_REPLICATE) ? 1
	                : a->elements                                         ? a->elements
	                                                                      : 1;
	if (a->flags & odd || (a->bank != ISA_ARM64_X && a->bank != ISA_ARM64_V))
		return false;
	uint8_t kind = a->flags & ISA_ARM64_LOAD ? CAIRN_MEM_READ : CAIRN_MEM_WRITE;
	return vixl_gather(s, kind, (unsigned)a->element * each * a->n_regs, k);
}

static bool canonical_access(struct vixl_canonical *s)
{
	const struct isa_arm64_access *a = &s->a;
	struct vixl_block k;
	if (a->flags & ISA_ARM64_ATOMIC)
		return canonical_atomic(s);
	if (a->bank == ISA_ARM64_Z || a->bank == ISA_ARM64_P)
		return vixl_canonical_lanes(s);
	bool lanes = vixl_is_struct(s->in->enc);
	if (!canonical_moved(s, &k) || (lanes && !vixl_all_known(&k, 0, k.n)))
		return false;
	vixl_use_block(s, k.kind);
	if (a->status != ISA_ARM64_NO_REG)
		put_rests(s, CAIRN_REG_INT, a->status, CAIRN_ROLE_DST);
	if (a->bank == ISA_ARM64_X)
		canonical_general(s, &k);
	else if (lanes)
		structures(s, &k);
	else
		scalar_vectors(s, &k);
	return true;
}

/* Does the row of a register that is shown before the accesses stand behind them? */
static bool is_late(const struct vixl_canonical *s, unsigned num)
{
	uint32_t row = find_reg(s, CAIRN_REG_INT, num, CAIRN_ROLE_DST);
	return row != UINT32_MAX && s->n_mems && vixl_reg_at(s, row)->seq > vixl_mem_at(s, 0)->seq;
}

/* Is every access an element of a register whose row says so, and nothing before it that
 * comes behind? */
static bool is_shaped(const struct vixl_canonical *s)
{
	for (uint32_t i = 0; i < s->n_mems; i++) {
		const struct cairn_mem *m = vixl_mem_at(s, i);
		bool own = m->reg > s->in[0].reg0 && m->reg <= s->in[1].reg0;
		const struct cairn_reg *r = own ? &s->b->regs[m->reg - 1] : NULL;
		bool x = r && r->cls == CAIRN_REG_INT && m->kind == CAIRN_MEM_WRITE;
		if (!r || m->size != s->a.element || (x && r->bits != 8 * m->size))
			return false;
	}
	return !(s->a.writeback == ISA_ARM64_PRE && is_late(s, s->a.base)) &&
	       !(s->a.status != ISA_ARM64_NO_REG && is_late(s, s->a.status));
}

static bool is_linked(const struct vixl_canonical *s)
{
	for (uint32_t i = 0; i < s->n_mems; i++)
		if (vixl_mem_at(s, i)->reg)
			return true;
	return false;
}

/* Piece by piece: those the row covers hold its value, those above it zero if it says so. */
static void remember_vector(struct vixl_canonical *s, const struct cairn_reg *r,
                            const uint8_t *value, bool known)
{
	unsigned first = r->lsb / 8u, end = first + r->bits / 8, num = r->num % 32u;
	uint8_t now[LONGEST] = {0};
	bool zeroes = r->flags & CAIRN_VALUE_ZEROES;
	if (end > LONGEST || first % VECTOR_BYTES || (end % VECTOR_BYTES && !zeroes))
		return;
	s->vl = end > s->vl ? end : s->vl;
	if (known)
		memcpy(now + first, value, end - first);
	for (unsigned i = first / VECTOR_BYTES; i < LONGEST / VECTOR_BYTES; i++) {
		bool covered = i * VECTOR_BYTES < end;
		if (!covered && !zeroes)
			break;
		memcpy(s->v[num] + i * VECTOR_BYTES, now + i * VECTOR_BYTES, VECTOR_BYTES);
		s->v_known[num] =
			(uint16_t)((s->v_known[num] & ~(1u << i)) | (unsigned)(known || !covered) << i);
	}
}

/* What registers hold after these rows: those of the state, or the others. */
static void canonical_remember(struct vixl_canonical *s, bool state)
{
	for (uint32_t i = 0; i < s->n_regs; i++) {
		const struct cairn_reg *r = vixl_reg_at(s, i);
		unsigned bytes = r->bits / 8;
		uint8_t room[LONGEST];
		bool source = r->role == CAIRN_ROLE_SRC, zeroes = r->flags & CAIRN_VALUE_ZEROES;
		if (state != (r->role == CAIRN_ROLE_STATE) || r->num > 31 || r->role == CAIRN_ROLE_READY)
			continue;
		bool known = vixl_bytes_of(s->b, r->flags, r->value, bytes, room, sizeof room);
		if (r->cls == CAIRN_REG_INT && r->lsb == 0 && (bytes == 8 || !source)) {
			s->x_known[r->num] = has_integer(r) && (bytes == 8 || (bytes < 8 && zeroes));
			s->x[r->num] = r->value;
		} else if (r->cls == CAIRN_REG_VECTOR && (bytes >= VECTOR_BYTES || zeroes)) {
			remember_vector(s, r, room, known);
		} else if (r->cls == CAIRN_REG_VECTOR && !source) {
			s->v_known[r->num] = 0;
		}
	}
}

/* State before the instruction's line, and what is told there. */
static void put_before(struct vixl_canonical *s)
{
	const struct cairn_insn *in = s->in;
	uint32_t e = in[0].ev0, r = 0;
	while (e < in[1].ev0 || r < s->n_regs) {
		bool state = r < s->n_regs && vixl_reg_at(s, r)->role == CAIRN_ROLE_STATE;
		bool event = e < in[1].ev0 && s->b->events[e].phase == CAIRN_BEFORE;
		if (r < s->n_regs && !state) {
			r++;
		} else if (e < in[1].ev0 && !event) {
			e++;
		} else if (state && (!event || vixl_reg_at(s, r)->seq <= s->b->events[e].seq)) {
			s->reg_used[r] = 1;
			canonical_put_rest(s, vixl_reg_at(s, r++));
		} else {
			copy_event(s, &s->b->events[e++]);
		}
	}
}

/* All that is left, in its order. */
static void put_after(struct vixl_canonical *s)
{
	uint32_t r = 0, m = 0, e = s->in[0].ev0;
	const uint32_t end = s->in[1].ev0;
	for (;;) {
		while (r < s->n_regs && s->reg_used[r])
			r++;
		while (m < s->n_mems && s->mem_used[m])
			m++;
		while (e < end && s->b->events[e].phase == CAIRN_BEFORE)
			e++;
		unsigned at_r = r < s->n_regs ? vixl_reg_at(s, r)->seq : UINT32_MAX;
		unsigned at_m = m < s->n_mems ? vixl_mem_at(s, m)->seq : UINT32_MAX;
		unsigned at_e = e < end ? s->b->events[e].seq : UINT32_MAX;
		if (r < s->n_regs && at_r <= at_m && at_r <= at_e)
			canonical_put_rest(s, vixl_reg_at(s, r++));
		else if (m < s->n_mems && at_m <= at_e)
			copy_mem(s, vixl_mem_at(s, m++));
		else if (e < end)
			copy_event(s, &s->b->events[e++]);
		else
			return;
	}
}

const struct cairn_batch *vixl_canonical_slot(struct vixl_canonical *s, const struct cairn_batch *b,
                                              uint32_t row)
{
	const struct cairn_insn *in = &b->insns[row];
	s->b = b;
	s->in = in;
	s->n_regs = (uint32_t)in[1].reg0 - in[0].reg0;
	s->n_mems = (uint32_t)in[1].mem0 - in[0].mem0;
	if (s->n_regs > MOST_REGS || s->n_mems > MOST_MEMS)
		return NULL;
	memset(s->reg_used, 0, s->n_regs);
	memset(s->mem_used, 0, s->n_mems);
	s->moves = isa_arm64_access(in->enc, &s->a) && !(s->a.flags & ISA_ARM64_PREFETCH);
	bool moves = s->moves && s->n_mems;
	canonical_remember(s, true);
	if (moves && is_shaped(s)) {
		canonical_remember(s, false);
		return NULL;
	}
	model_batch_clear(s->made);
	put_before(s);
	if (moves && s->a.writeback == ISA_ARM64_PRE)
		put_rests(s, CAIRN_REG_INT, s->a.base, CAIRN_ROLE_DST);
	if (moves && !canonical_access(s) && is_linked(s)) {
		canonical_remember(s, false);
		return NULL;
	}
	canonical_remember(s, false);
	put_after(s);
	s->made->n_insns = 1;
	s->made->insns[0] = *in;
	s->made->insns[0].reg0 = s->made->insns[0].mem0 = s->made->insns[0].ev0 = 0;
	s->made->n0 = b->n0 + row;
	s->made->have = b->have;
	model_batch_close(s->made, s->made->n_regs, s->made->n_mems, s->made->n_events, 0);
	return s->made;
}
