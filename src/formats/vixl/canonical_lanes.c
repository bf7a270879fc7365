/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accesses of SVE in the simulator's shape: pieces of 16 bytes of each register, and
 * below them the lanes of the piece that are active.
 *
 * Which lanes those are is in a predicate, which other traces do not show. Where the base's
 * value is known a contiguous access tells its lane by its address; else, and for gathers,
 * lanes are taken in order, each access the next lane that holds its value: a lane that
 * is not active and holds the same is told no worse by it.
 */
#include "formats/vixl/canonical_slot.h"

enum { REGS = 4, ELEMENTS = REGS * LONGEST };

struct lanes {
	struct vixl_canonical *s;
	const struct isa_arm64_access *a;
	unsigned n, vl; /* registers; bytes of one */
	uint8_t kind, role;
	uint8_t z[REGS][LONGEST];
	unsigned elements;
	unsigned lane[ELEMENTS];
	uint32_t row[ELEMENTS], at[ELEMENTS]; /* access, and the element's first byte in it */
};

static uint64_t canonical_lanes_address(const struct lanes *l, unsigned e)
{
	return vixl_mem_at(l->s, l->row[e])->addr + l->at[e];
}

/* Its value; what the access said of all of it goes with its first element. */
static void canonical_lanes_block_of(const struct lanes *l, unsigned e, struct vixl_block *k)
{
	const struct cairn_mem *m = vixl_mem_at(l->s, l->row[e]);
	uint8_t room[LONGEST];
	memset(k->known, 0, l->a->element);
	memset(k->row, 0, sizeof *k->row * l->a->element);
	k->lo = canonical_lanes_address(l, e);
	k->n = l->a->element;
	k->kind = l->kind;
	if (l->at[e] == 0)
		k->row[0] = m;
	if (!vixl_bytes_of(l->s->b, m->flags, m->value, m->size, room, sizeof room))
		return;
	memcpy(k->value, room + l->at[e], l->a->element);
	memset(k->known, 1, l->a->element);
}

/* All elements in their order; false: there are others, too. */
static bool list(struct lanes *l)
{
	unsigned size = l->a->element;
	for (uint32_t i = 0; i < l->s->n_mems; i++) {
		const struct cairn_mem *m = vixl_mem_at(l->s, i);
		if (!vixl_is_plain(m, l->kind) || !(m->flags & CAIRN_VALUE_KNOWN) || m->size % size ||
		    m->size == 0 || m->size > LONGEST || l->elements + m->size / size > ELEMENTS)
			return false;
		for (uint32_t at = 0; at < m->size; at += size, l->elements++) {
			l->row[l->elements] = i;
			l->at[l->elements] = at;
		}
	}
	return l->elements && l->elements % l->n == 0;
}

/* What the registers hold: loaded, as rows say; stored, as rows or earlier ones do. */
static bool take_registers(struct lanes *l)
{
	const struct vixl_canonical *s = l->s;
	for (unsigned i = 0; i < l->n; i++) {
		unsigned num = l->a->regs[i], have = 0;
		for (uint32_t k = 0; k < s->n_regs; k++) {
			const struct cairn_reg *r = vixl_reg_at(s, k);
			unsigned first = r->lsb / 8u, n = r->bits / 8;
			if (r->cls != CAIRN_REG_VECTOR || r->num != num || r->role != l->role ||
			    first + n > l->vl ||
			    !vixl_bytes_of(s->b, r->flags, r->value, n, l->z[i] + first, n))
				continue;
			have += n;
		}
		unsigned pieces = (1u << l->vl / VECTOR_BYTES) - 1;
		if (have == 0 && l->role == CAIRN_ROLE_SRC && (s->v_known[num] & pieces) == pieces) {
			memcpy(l->z[i], s->v[num], l->vl);
			have = l->vl;
		}
		if (have != l->vl)
			return false;
	}
	return true;
}

/* Do the registers hold in this lane what elements e and following moved? */
static bool canonical_lanes_holds(const struct lanes *l, unsigned lane, unsigned e)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct vixl_block k;
		canonical_lanes_block_of(l, e + i, &k);
		if (memcmp(l->z[i] + lane * l->a->lane, k.value, l->a->element) != 0)
			return false;
	}
	return true;
}

static bool find_lanes(struct lanes *l)
{
	const struct vixl_canonical *s = l->s;
	const struct isa_arm64_access *a = l->a;
	unsigned step = l->n * a->element, count = l->vl / a->lane, next = 0;
	bool index = a->index_kind == ISA_ARM64_INDEX_X && a->index != 31;
	bool told = !(a->flags & ISA_ARM64_GATHER) && a->base_kind == ISA_ARM64_BASE_X &&
	            s->x_known[a->base] && (!index || s->x_known[a->index]);
	uint64_t first =
		told ? isa_arm64_address(a, s->x[a->base], index ? s->x[a->index] : 0, l->vl) : 0;
	for (unsigned e = 0; e < l->elements; e += l->n) {
		uint64_t off = canonical_lanes_address(l, e) - first;
		for (unsigned i = 1; i < l->n; i++)
			if (canonical_lanes_address(l, e + i) != canonical_lanes_address(l, e) + i * a->element)
				return false;
		if (told && (off % step || off / step < next || off / step >= count))
			return false;
		unsigned lane = told ? (unsigned)(off / step) : next;
		while (lane < count && !canonical_lanes_holds(l, lane, e) && !told)
			lane++;
		if (lane >= count || !canonical_lanes_holds(l, lane, e))
			return false;
		l->lane[e] = lane;
		next = lane + 1;
	}
	return true;
}

/* One piece of each register, and its lanes; a store without any shows nothing. */
static void put_chunk(const struct lanes *l, unsigned chunk, unsigned *e)
{
	struct vixl_canonical *s = l->s;
	unsigned per = VECTOR_BYTES / l->a->lane, end = *e;
	while (end < l->elements && l->lane[end] / per == chunk)
		end += l->n;
	if (end == *e && l->role == CAIRN_ROLE_SRC)
		return;
	for (unsigned i = 0; i < l->n; i++) {
		struct cairn_reg r = {.cls = CAIRN_REG_VECTOR, .num = l->a->regs[i], .role = l->role};
		vixl_put_piece(s, &r, chunk * 128, l->z[i] + chunk * VECTOR_BYTES, VECTOR_BYTES);
	}
	uint32_t base = s->made->n_regs - l->n;
	for (; *e < end; *e += l->n)
		for (unsigned i = 0; i < l->n; i++) {
			struct vixl_block k;
			canonical_lanes_block_of(l, *e + i, &k);
			vixl_put_mem(s, &k, 0, l->a->element, base + i + 1,
			             l->lane[*e] * l->a->lane / l->a->element);
		}
}

static void use_registers(struct vixl_canonical *s, uint8_t cls, unsigned num, uint8_t role)
{
	for (uint32_t i = 0; i < s->n_regs; i++) {
		const struct cairn_reg *r = vixl_reg_at(s, i);
		s->reg_used[i] |= r->cls == cls && r->num == num && r->role == role;
	}
}

static bool predicated(struct lanes *l)
{
	unsigned e = 0;
	if (!list(l) || !take_registers(l) || !find_lanes(l))
		return false;
	vixl_use_block(l->s, l->kind);
	for (unsigned i = 0; i < l->n; i++)
		use_registers(l->s, CAIRN_REG_VECTOR, l->a->regs[i], l->role);
	for (unsigned chunk = 0; chunk < l->vl / VECTOR_BYTES; chunk++)
		put_chunk(l, chunk, &e);
	return true;
}

/* LDR and STR of all of a register: a line for each piece, with its access. */
static bool canonical_lanes_whole(struct lanes *l)
{
	struct vixl_block k;
	bool p = l->a->bank == ISA_ARM64_P;
	unsigned piece = p ? 2 : VECTOR_BYTES, n = p ? l->vl / 8 : l->vl;
	uint8_t cls = p ? CAIRN_REG_PREDICATE : CAIRN_REG_VECTOR;
	struct cairn_reg r = {.cls = cls, .num = l->a->regs[0], .role = l->role};
	if (!vixl_gather(l->s, l->kind, n, &k) || !vixl_all_known(&k, 0, n))
		return false;
	vixl_use_block(l->s, l->kind);
	use_registers(l->s, cls, l->a->regs[0], l->role);
	for (unsigned at = 0; at < n; at += piece) {
		vixl_put_piece(l->s, &r, 8 * at, k.value + at, piece);
		vixl_put_mem(l->s, &k, at, piece, l->s->made->n_regs, 0);
	}
	return true;
}

bool vixl_canonical_lanes(struct vixl_canonical *s)
{
	const struct isa_arm64_access *a = &s->a;
	const uint32_t odd = ISA_ARM64_REPLICATE | ISA_ARM64_PREFETCH | ISA_ARM64_ONE_LANE;
	bool load = a->flags & ISA_ARM64_LOAD;
	struct lanes l = {.s = s,
	                  .a = a,
	                  .n = a->n_regs,
	                  .vl = s->vl < VECTOR_BYTES ? VECTOR_BYTES : s->vl,
	                  .kind = load ? CAIRN_MEM_READ : CAIRN_MEM_WRITE,
	                  .role = load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC};
	if (a->flags & odd || l.vl % VECTOR_BYTES || !a->element || !a->lane || a->element > 8 ||
	    a->n_regs > REGS || (a->n_regs > 1 && !(a->flags & ISA_ARM64_STRUCT)))
		return false;
	return a->predicate == ISA_ARM64_NO_REG ? a->n_regs == 1 && canonical_lanes_whole(&l)
	                                        : predicated(&l);
}
