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
#include "formats/vixl/write/canonical_slot.h"

enum { REGS = 4, ELEMENTS = REGS * LONGEST };

struct lanes {
	struct vixl_canonical *canonical;
	const struct isa_arm64_access *access;
	unsigned n, vl; /* registers; bytes of one */
	uint8_t kind, role;
	uint8_t z[REGS][LONGEST];
	unsigned elements;
	unsigned lane[ELEMENTS];
	uint32_t row[ELEMENTS], at[ELEMENTS]; /* access, and the element's first byte in it */
};

static uint64_t canonical_lanes_address(const struct lanes *lanes, unsigned element)
{
	return vixl_mem_at(lanes->canonical, lanes->row[element])->addr + lanes->at[element];
}

/* Its value; what the access said of all of it goes with its first element. */
static void canonical_lanes_block_of(const struct lanes *lanes, unsigned element,
                                     struct vixl_block *block)
{
	const struct cairn_mem *mem = vixl_mem_at(lanes->canonical, lanes->row[element]);
	uint8_t room[LONGEST];
	memset(block->known, 0, lanes->access->element);
	memset(block->row, 0, sizeof *block->row * lanes->access->element);
	block->lo = canonical_lanes_address(lanes, element);
	block->n = lanes->access->element;
	block->kind = lanes->kind;
	if (lanes->at[element] == 0)
		block->row[0] = mem;
	if (!vixl_bytes_of(lanes->canonical->batch, mem->flags, mem->value, mem->size, room,
	                   sizeof room))
		return;
	memcpy(block->value, room + lanes->at[element], lanes->access->element);
	memset(block->known, 1, lanes->access->element);
}

/* All elements in their order; false: there are others, too. */
static bool list(struct lanes *lanes)
{
	unsigned size = lanes->access->element;
	for (uint32_t i = 0; i < lanes->canonical->n_mems; i++) {
		const struct cairn_mem *mem = vixl_mem_at(lanes->canonical, i);
		if (!vixl_is_plain(mem, lanes->kind) || !(mem->flags & CAIRN_VALUE_KNOWN) ||
		    mem->size % size || mem->size == 0 || mem->size > LONGEST ||
		    lanes->elements + mem->size / size > ELEMENTS)
			return false;
		for (uint32_t at = 0; at < mem->size; at += size, lanes->elements++) {
			lanes->row[lanes->elements] = i;
			lanes->at[lanes->elements] = at;
		}
	}
	return lanes->elements && lanes->elements % lanes->n == 0;
}

/* What the registers hold: loaded, as rows say; stored, as rows or earlier ones do. */
static bool take_registers(struct lanes *lanes)
{
	const struct vixl_canonical *canonical = lanes->canonical;
	for (unsigned i = 0; i < lanes->n; i++) {
		unsigned num = lanes->access->regs[i], have = 0;
		for (uint32_t k = 0; k < canonical->n_regs; k++) {
			const struct cairn_reg *reg = vixl_reg_at(canonical, k);
			unsigned first = reg->lsb / 8u, n = reg->bits / 8;
			if (reg->cls != CAIRN_REG_VECTOR || reg->num != num || reg->role != lanes->role ||
			    first + n > lanes->vl ||
			    !vixl_bytes_of(canonical->batch, reg->flags, reg->value, n, lanes->z[i] + first, n))
				continue;
			have += n;
		}
		unsigned pieces = (1u << lanes->vl / VECTOR_BYTES) - 1;
		if (have == 0 && lanes->role == CAIRN_ROLE_SRC &&
		    (canonical->v_known[num] & pieces) == pieces) {
			memcpy(lanes->z[i], canonical->v[num], lanes->vl);
			have = lanes->vl;
		}
		if (have != lanes->vl)
			return false;
	}
	return true;
}

/* Do the registers hold in this lane what elements e and following moved? */
static bool canonical_lanes_holds(const struct lanes *lanes, unsigned lane, unsigned element)
{
	for (unsigned i = 0; i < lanes->n; i++) {
		struct vixl_block block;
		canonical_lanes_block_of(lanes, element + i, &block);
		if (memcmp(lanes->z[i] + lane * lanes->access->lane, block.value, lanes->access->element) !=
		    0)
			return false;
	}
	return true;
}

static bool find_lanes(struct lanes *lanes)
{
	const struct vixl_canonical *canonical = lanes->canonical;
	const struct isa_arm64_access *access = lanes->access;
	unsigned step = lanes->n * access->element, count = lanes->vl / access->lane, next = 0;
	bool index = access->index_kind == ISA_ARM64_INDEX_X && access->index != 31;
	bool told = !(access->flags & ISA_ARM64_GATHER) && access->base_kind == ISA_ARM64_BASE_X &&
	            canonical->x_known[access->base] && (!index || canonical->x_known[access->index]);
	uint64_t first = told ? isa_arm64_address(access, canonical->x[access->base],
	                                          index ? canonical->x[access->index] : 0, lanes->vl)
	                      : 0;
	for (unsigned e = 0; e < lanes->elements; e += lanes->n) {
		uint64_t off = canonical_lanes_address(lanes, e) - first;
		for (unsigned i = 1; i < lanes->n; i++)
			if (canonical_lanes_address(lanes, e + i) !=
			    canonical_lanes_address(lanes, e) + i * access->element)
				return false;
		if (told && (off % step || off / step < next || off / step >= count))
			return false;
		unsigned lane = told ? (unsigned)(off / step) : next;
		while (lane < count && !canonical_lanes_holds(lanes, lane, e) && !told)
			lane++;
		if (lane >= count || !canonical_lanes_holds(lanes, lane, e))
			return false;
		lanes->lane[e] = lane;
		next = lane + 1;
	}
	return true;
}

/* One piece of each register, and its lanes; a store without any shows nothing. */
static void put_chunk(const struct lanes *lanes, unsigned chunk, unsigned *element)
{
	struct vixl_canonical *canonical = lanes->canonical;
	unsigned per = VECTOR_BYTES / lanes->access->lane, end = *element;
	while (end < lanes->elements && lanes->lane[end] / per == chunk)
		end += lanes->n;
	if (end == *element && lanes->role == CAIRN_ROLE_SRC)
		return;
	for (unsigned i = 0; i < lanes->n; i++) {
		struct cairn_reg reg = {.cls = CAIRN_REG_VECTOR,
		                        .num = lanes->access->regs[i],
		                        .role = lanes->role};
		vixl_put_piece(canonical, &reg, chunk * 128, lanes->z[i] + chunk * VECTOR_BYTES,
		               VECTOR_BYTES);
	}
	uint32_t base = canonical->made->n_regs - lanes->n;
	for (; *element < end; *element += lanes->n)
		for (unsigned i = 0; i < lanes->n; i++) {
			struct vixl_block block;
			canonical_lanes_block_of(lanes, *element + i, &block);
			vixl_put_mem(canonical, &block, 0, lanes->access->element, base + i + 1,
			             lanes->lane[*element] * lanes->access->lane / lanes->access->element);
		}
}

static void use_registers(struct vixl_canonical *canonical, uint8_t cls, unsigned num, uint8_t role)
{
	for (uint32_t i = 0; i < canonical->n_regs; i++) {
		const struct cairn_reg *reg = vixl_reg_at(canonical, i);
		canonical->reg_used[i] |= reg->cls == cls && reg->num == num && reg->role == role;
	}
}

static bool predicated(struct lanes *lanes)
{
	unsigned e = 0;
	if (!list(lanes) || !take_registers(lanes) || !find_lanes(lanes))
		return false;
	vixl_use_block(lanes->canonical, lanes->kind);
	for (unsigned i = 0; i < lanes->n; i++)
		use_registers(lanes->canonical, CAIRN_REG_VECTOR, lanes->access->regs[i], lanes->role);
	for (unsigned chunk = 0; chunk < lanes->vl / VECTOR_BYTES; chunk++)
		put_chunk(lanes, chunk, &e);
	return true;
}

/* LDR and STR of all of a register: a line for each piece, with its access. */
static bool canonical_lanes_whole(struct lanes *lanes)
{
	struct vixl_block block;
	bool p = lanes->access->bank == ISA_ARM64_P;
	unsigned piece = p ? 2 : VECTOR_BYTES, n = p ? lanes->vl / 8 : lanes->vl;
	uint8_t cls = p ? CAIRN_REG_PREDICATE : CAIRN_REG_VECTOR;
	struct cairn_reg reg = {.cls = cls, .num = lanes->access->regs[0], .role = lanes->role};
	if (!vixl_gather(lanes->canonical, lanes->kind, n, &block) || !vixl_all_known(&block, 0, n))
		return false;
	vixl_use_block(lanes->canonical, lanes->kind);
	use_registers(lanes->canonical, cls, lanes->access->regs[0], lanes->role);
	for (unsigned at = 0; at < n; at += piece) {
		vixl_put_piece(lanes->canonical, &reg, 8 * at, block.value + at, piece);
		vixl_put_mem(lanes->canonical, &block, at, piece, lanes->canonical->made->n_regs, 0);
	}
	return true;
}

bool vixl_canonical_lanes(struct vixl_canonical *canonical)
{
	const struct isa_arm64_access *access = &canonical->access;
	const uint32_t odd = ISA_ARM64_REPLICATE | ISA_ARM64_PREFETCH | ISA_ARM64_ONE_LANE;
	bool load = access->flags & ISA_ARM64_LOAD;
	struct lanes lanes = {.canonical = canonical,
	                      .access = access,
	                      .n = access->n_regs,
	                      .vl = canonical->vl < VECTOR_BYTES ? VECTOR_BYTES : canonical->vl,
	                      .kind = load ? CAIRN_MEM_READ : CAIRN_MEM_WRITE,
	                      .role = load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC};
	if (access->flags & odd || lanes.vl % VECTOR_BYTES || !access->element || !access->lane ||
	    access->element > 8 || access->n_regs > REGS ||
	    (access->n_regs > 1 && !(access->flags & ISA_ARM64_STRUCT)))
		return false;
	return access->predicate == ISA_ARM64_NO_REG
	           ? access->n_regs == 1 && canonical_lanes_whole(&lanes)
	           : predicated(&lanes);
}
