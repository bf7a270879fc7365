/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: loads and stores of general and SIMD registers, element by element.
 *
 * The groups are those of the manual's table of loads and stores, chosen by bits 29
 * to 28, 26, 24, 21 and 11 to 10; one function each, which says false to what does not
 * exist. Fields that the manual wants to be all one or all zero are checked where later versions
 * of the architecture may use other values.
 *
 * Not here: what came after FEAT_LRCPC3, FEAT_LSE128, FEAT_THE and FEAT_GCS (unprivileged
 * atomics of FEAT_LSUI, atomics of floating point of FEAT_LSFE).
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4.1.94 (Loads and Stores).
 */
#include "isa/arm64.h"

enum {
	LOAD = ISA_ARM64_LOAD,
	STORE = ISA_ARM64_STORE,
	BOTH = LOAD | STORE,
	RMW = LOAD | STORE | ISA_ARM64_ATOMIC,
	ACQ = ISA_ARM64_ACQUIRE,
	REL = ISA_ARM64_RELEASE,
	X = ISA_ARM64_X,
	V = ISA_ARM64_V
};

static inline uint8_t rt(uint32_t encoding)
{
	return encoding & 31;
}
static inline uint8_t rn(uint32_t encoding)
{
	return encoding >> 5 & 31;
}
static inline uint8_t rt2(uint32_t encoding)
{
	return encoding >> 10 & 31;
}
static inline uint8_t rs(uint32_t encoding)
{
	return encoding >> 16 & 31;
}
static inline unsigned arm64_memory_size_of(uint32_t encoding)
{
	return encoding >> 30;
}
static inline int64_t imm9(uint32_t encoding)
{
	return isa_sign(encoding >> 12 & 0x1ff, 9);
}

/* `n` registers from `first` on, each of one element. */
static bool arm64_memory_move(struct isa_arm64_access *access, int flags, unsigned bank,
                              uint8_t first, unsigned n, unsigned element, unsigned lane)
{
	access->flags |= (uint32_t)flags;
	access->bank = (uint8_t)bank;
	access->n_regs = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		access->regs[i] = (first + i) & 31;
	access->element = (uint8_t)element;
	access->lane = (uint8_t)lane;
	access->elements = 1;
	return true;
}

static bool back(struct isa_arm64_access *access, unsigned writeback, int64_t imm)
{
	access->writeback = (uint8_t)writeback;
	access->imm = imm;
	return true;
}

/* Of a general register: 4 or 8 bytes; narrower loads fill four, or eight when signed. */
static unsigned arm64_memory_width(unsigned bytes)
{
	return bytes == 8 ? 8 : 4;
}

/* ---- one register ---- */

static bool prefetch(struct isa_arm64_access *access)
{
	access->flags |= ISA_ARM64_PREFETCH;
	return true;
}

/* By size, V and opc, as most groups have them. */
static bool one_register(uint32_t encoding, struct isa_arm64_access *access, bool may_prefetch)
{
	unsigned size = arm64_memory_size_of(encoding), opc = encoding >> 22 & 3, bytes = 1u << size;
	if (encoding >> 26 & 1) {
		if (opc & 2) {
			bytes = 16;
			if (size)
				return false;
		}
		return arm64_memory_move(access, opc & 1 ? LOAD : STORE, V, rt(encoding), 1, bytes, bytes);
	}
	if (opc < 2)
		return arm64_memory_move(access, opc ? LOAD : STORE, X, rt(encoding), 1, bytes,
		                         arm64_memory_width(bytes));
	if (opc == 2 && size == 3)
		return may_prefetch && prefetch(access);
	if (size + opc > 4)
		return false;
	return arm64_memory_move(access, LOAD | ISA_ARM64_SIGNED, X, rt(encoding), 1, bytes,
	                         opc == 2 ? 8 : 4);
}

static bool register_offset(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned option = encoding >> 13 & 7;
	if (!(option & 2) || !one_register(encoding, access, true))
		return false;
	unsigned bytes = access->element ? access->element : 8;
	access->index_kind = ISA_ARM64_INDEX_X;
	access->index = rs(encoding);
	access->extend = option == 2 ? ISA_ARM64_UXTW : option == 6 ? ISA_ARM64_SXTW : ISA_ARM64_LSL;
	access->shift = encoding >> 12 & 1 ? (uint8_t)__builtin_ctz(bytes) : 0;
	return true;
}

/* An offset of 9 bits: as it is, post-indexed, unprivileged, pre-indexed. */
static bool nine_bits(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned how = encoding >> 10 & 3;
	if (!one_register(encoding, access, how == 0))
		return false;
	access->imm = imm9(encoding);
	if (how == 2) {
		access->flags |= ISA_ARM64_UNPRIVILEGED;
		return access->bank == X;
	}
	access->writeback = how == 1   ? ISA_ARM64_POST
	                    : how == 3 ? ISA_ARM64_PRE
	                               : ISA_ARM64_NO_WRITEBACK;
	return true;
}

static bool unsigned_offset(uint32_t encoding, struct isa_arm64_access *access)
{
	if (!one_register(encoding, access, true))
		return false;
	access->imm = (int64_t)(encoding >> 10 & 0xfff) * (access->element ? access->element : 8);
	return true;
}

static bool literal(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned opc = arm64_memory_size_of(encoding);
	access->base_kind = ISA_ARM64_BASE_PC;
	access->imm = 4 * isa_sign(encoding >> 5 & 0x7ffff, 19);
	if (encoding >> 26 & 1)
		return opc < 3 && arm64_memory_move(access, LOAD, V, rt(encoding), 1, 4u << opc, 4u << opc);
	if (opc == 3)
		return prefetch(access);
	if (opc == 2)
		return arm64_memory_move(access, LOAD | ISA_ARM64_SIGNED, X, rt(encoding), 1, 4, 8);
	return arm64_memory_move(access, LOAD, X, rt(encoding), 1, 4u << opc, 4u << opc);
}

/* ldraa, ldrab. */
static bool arm64_memory_authenticated(uint32_t encoding, struct isa_arm64_access *access)
{
	if (arm64_memory_size_of(encoding) != 3 || encoding >> 26 & 1)
		return false;
	uint32_t v = (encoding >> 22 & 1) << 9 | (encoding >> 12 & 0x1ff);
	(void)arm64_memory_move(access, LOAD | ISA_ARM64_AUTHENTICATE, X, rt(encoding), 1, 8, 8);
	return back(access, encoding >> 11 & 1 ? ISA_ARM64_PRE : ISA_ARM64_NO_WRITEBACK,
	            8 * isa_sign(v, 10));
}

/* ---- two registers ---- */

static bool arm64_memory_pair(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned opc = arm64_memory_size_of(encoding), mode = encoding >> 23 & 3, scale;
	bool load = encoding >> 22 & 1, simd = encoding >> 26 & 1;
	if (opc == 3)
		return false;
	if (simd) {
		scale = 4u << opc;
		(void)arm64_memory_move(access, load ? LOAD : STORE, V, rt(encoding), 2, scale, scale);
	} else if (opc == 1) { /* ldpsw, stgp */
		if (mode == 0)
			return false;
		scale = load ? 4 : 16;
		(void)arm64_memory_move(access, load ? LOAD | ISA_ARM64_SIGNED : STORE | ISA_ARM64_TAG, X,
		                        rt(encoding), 2, load ? 4 : 8, 8);
	} else {
		scale = opc ? 8 : 4;
		(void)arm64_memory_move(access, load ? LOAD : STORE, X, rt(encoding), 2, scale, scale);
	}
	access->regs[1] = rt2(encoding);
	if (mode == 0)
		access->flags |= ISA_ARM64_NONTEMPORAL;
	return back(access,
	            mode == 1   ? ISA_ARM64_POST
	            : mode == 3 ? ISA_ARM64_PRE
	                        : ISA_ARM64_NO_WRITEBACK,
	            isa_sign(encoding >> 15 & 127, 7) * (int64_t)scale);
}

/* ---- exclusives, compare and swap, ordered ---- */

static bool casp(uint32_t encoding, struct isa_arm64_access *access, int order)
{
	unsigned bytes = encoding >> 30 & 1 ? 8 : 4;
	if (rt2(encoding) != 31 || rs(encoding) & 1 || rt(encoding) & 1)
		return false;
	access->combine = ISA_ARM64_CAS;
	access->n_operands = 2;
	access->operands[0] = rt(encoding);
	access->operands[1] = rt(encoding) + 1;
	return arm64_memory_move(access, RMW | order, X, rs(encoding), 2, bytes, bytes);
}

static bool exclusive(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned bytes = 1u << arm64_memory_size_of(encoding);
	bool o2 = encoding >> 23 & 1, load = encoding >> 22 & 1, o1 = encoding >> 21 & 1,
		 o0 = encoding >> 15 & 1;
	int kind = load ? LOAD : STORE, order = o0 ? (load ? ACQ : REL) : 0;
	int swap = (load ? ACQ : 0) | (o0 ? REL : 0); /* how swaps spell it */
	if (!o2 && o1 && arm64_memory_size_of(encoding) < 2)
		return casp(encoding, access, swap);
	if (o2 && o1) {
		access->combine = ISA_ARM64_CAS;
		access->n_operands = 1;
		access->operands[0] = rt(encoding);
		return rt2(encoding) == 31 && arm64_memory_move(access, RMW | swap, X, rs(encoding), 1,
		                                                bytes, arm64_memory_width(bytes));
	}
	if (o2) /* ordered; with o0 clear limited to a region */
		return arm64_memory_move(access, kind | (load ? ACQ : REL), X, rt(encoding), 1, bytes,
		                         arm64_memory_width(bytes));
	if (!load)
		access->status = rs(encoding);
	(void)arm64_memory_move(access, kind | order | ISA_ARM64_EXCLUSIVE, X, rt(encoding), o1 ? 2 : 1,
	                        bytes, arm64_memory_width(bytes));
	access->regs[1] = o1 ? rt2(encoding) : 0;
	return true;
}

/* ---- atomics ---- */

static const uint8_t combines[8] = {ISA_ARM64_ADD,  ISA_ARM64_CLR,  ISA_ARM64_EOR,  ISA_ARM64_SET,
                                    ISA_ARM64_SMAX, ISA_ARM64_SMIN, ISA_ARM64_UMAX, ISA_ARM64_UMIN};

/* 64 bytes at once. */
static bool arm64_memory_block(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned opc = encoding >> 12 & 7;
	if (arm64_memory_size_of(encoding) != 3 || encoding >> 22 & 3 || rt(encoding) > 22 ||
	    rt(encoding) & 1)
		return false;
	if (opc == 2 || opc == 3) /* st64bv0, st64bv: with a status */
		access->status = rs(encoding);
	else if ((opc != 1 && opc != 5) || rs(encoding) != 31)
		return false;
	return arm64_memory_move(access, opc == 5 ? LOAD : STORE, X, rt(encoding), 8, 8, 8);
}

static bool arm64_memory_atomic(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned opc = encoding >> 12 & 7, bytes = 1u << arm64_memory_size_of(encoding),
			 o3 = encoding >> 15 & 1;
	int order = (encoding >> 23 & 1 ? ACQ : 0) | (encoding >> 22 & 1 ? REL : 0);
	if (encoding >> 26 & 1)
		return false;
	if (o3 && opc == 4 && (encoding >> 22 & 3) == 2 && rs(encoding) == 31) /* ldapr */
		return arm64_memory_move(access, LOAD | ACQ, X, rt(encoding), 1, bytes,
		                         arm64_memory_width(bytes));
	if (!o3)
		access->combine = combines[opc];
	else if (opc == 0)
		access->combine = ISA_ARM64_SWP;
	else if (arm64_memory_size_of(encoding) < 2 && opc > 0 &&
	         opc < 4) { /* of FEAT_THE, always 8 bytes */
		access->combine = opc == 1 ? ISA_ARM64_CLR : opc == 2 ? ISA_ARM64_SWP : ISA_ARM64_SET;
		bytes = 8;
	} else {
		return arm64_memory_block(encoding, access);
	}
	access->n_operands = 1;
	access->operands[0] = rs(encoding);
	return arm64_memory_move(access, RMW | order, X, rt(encoding), 1, bytes,
	                         arm64_memory_width(bytes));
}

/* FEAT_LSE128 and the pairs of FEAT_THE: both registers are operand and result. */
static bool atomic_pair(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned opc = encoding >> 12 & 7, o3 = encoding >> 15 & 1;
	bool the = o3 && opc;
	if (arm64_memory_size_of(encoding) > the)
		return false;
	if (opc == 1)
		access->combine = ISA_ARM64_CLR;
	else if (opc == 3)
		access->combine = ISA_ARM64_SET;
	else if (o3 && (opc == 0 || opc == 2))
		access->combine = ISA_ARM64_SWP;
	else
		return false;
	if (rt(encoding) == 31 || rs(encoding) == 31)
		return false;
	(void)arm64_memory_move(access,
	                        RMW | (encoding >> 23 & 1 ? ACQ : 0) | (encoding >> 22 & 1 ? REL : 0),
	                        X, rt(encoding), 2, 8, 8);
	access->regs[1] = rs(encoding);
	access->n_operands = 2;
	access->operands[0] = rt(encoding);
	access->operands[1] = rs(encoding);
	return true;
}

/* ---- the group of FEAT_LRCPC2, MTE, MOPS, FEAT_THE, FEAT_GCS ---- */

static bool ordered_unscaled(uint32_t encoding, struct isa_arm64_access *access)
{
	if (!one_register(encoding, access, false))
		return false;
	access->flags |= access->flags & LOAD ? ACQ : REL;
	access->imm = imm9(encoding);
	return true;
}

/* FEAT_LRCPC3: pairs, and with the base moved on. */
static bool ordered_moving(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned bytes = arm64_memory_size_of(encoding) & 1 ? 8 : 4, low = encoding >> 12 & 15;
	bool load = encoding >> 22 & 1, two = !(encoding >> 23 & 1);
	if (arm64_memory_size_of(encoding) < 2 || low > two || (!two && rs(encoding)))
		return false;
	(void)arm64_memory_move(access, load ? LOAD | ACQ : STORE | REL, X, rt(encoding), two ? 2 : 1,
	                        bytes, bytes);
	if (two)
		access->regs[1] = rs(encoding);
	if (low)
		return true;
	int64_t step = bytes * (two ? 2 : 1);
	return back(access, load ? ISA_ARM64_POST : ISA_ARM64_PRE, load ? step : -step);
}

static bool arm64_memory_tags(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned opc = encoding >> 22 & 3, how = encoding >> 10 & 3;
	if (arm64_memory_size_of(encoding) != 3 || encoding >> 26 & 1)
		return false;
	access->flags = ISA_ARM64_TAG;
	access->element = 16;
	access->elements = 1;
	if (how == 0) {
		access->imm = opc == 1 ? 16 * imm9(encoding) : 0;
		access->flags |= opc & 1 ? LOAD : STORE;
		access->flags |= opc == 0 ? ISA_ARM64_ZERO : 0;
		if (opc != 1) { /* as many as the system says */
			access->element = 0;
			access->elements = 0;
		}
		return opc == 1 || !(encoding & 0x1ff000);
	}
	access->flags |= STORE | (opc & 1 ? ISA_ARM64_ZERO : 0u);
	access->elements = opc & 2 ? 2 : 1;
	return back(access,
	            how == 1   ? ISA_ARM64_POST
	            : how == 3 ? ISA_ARM64_PRE
	                       : ISA_ARM64_NO_WRITEBACK,
	            16 * imm9(encoding));
}

/* cpy*, set*: the base is the destination; a source is the index. */
static bool mops(uint32_t encoding, struct isa_arm64_access *access)
{
	bool set = (encoding >> 22 & 3) == 3;
	uint8_t d = rt(encoding), s = rs(encoding), n = rn(encoding);
	if (arm64_memory_size_of(encoding) || d == s || d == n || s == n || d == 31 ||
	    (!set && s == 31))
		return false;
	if (set && (encoding >> 14 & 3) == 3)
		return false;
	access->flags = ISA_ARM64_MOPS | STORE | (set ? 0u : LOAD);
	access->base = d;
	access->count = n;
	if (set) {
		access->flags |= encoding >> 26 & 1 ? ISA_ARM64_TAG : 0;
		access->bank = X;
		access->n_regs = 1;
		access->regs[0] = s;
		access->element = 1;
		access->lane = 1;
	} else {
		access->index_kind = ISA_ARM64_INDEX_X;
		access->index = s;
		access->element = 1;
	}
	return true;
}

/* FEAT_THE: compare and swap. */
static bool rcwcas(uint32_t encoding, struct isa_arm64_access *access)
{
	bool two = encoding >> 10 & 1;
	if (arm64_memory_size_of(encoding) > 1 || encoding >> 12 & 15 ||
	    (two && (rs(encoding) & 1 || rt(encoding) & 1)))
		return false;
	access->combine = ISA_ARM64_CAS;
	access->n_operands = two ? 2 : 1;
	access->operands[0] = rt(encoding);
	access->operands[1] = (rt(encoding) + two) & 31;
	return arm64_memory_move(access,
	                         RMW | (encoding >> 23 & 1 ? ACQ : 0) | (encoding >> 22 & 1 ? REL : 0),
	                         X, rs(encoding), two ? 2 : 1, 8, 8);
}

static bool mixed(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned how = encoding >> 10 & 3;
	bool high = encoding >> 21 & 1, simd = encoding >> 26 & 1;
	if (!high && how == 1)
		return mops(encoding, access);
	if (simd)
		return !high && how == 2 && ordered_unscaled(encoding, access);
	if (high && arm64_memory_size_of(encoding) == 3)
		return arm64_memory_tags(encoding, access);
	if (high)
		return how == 0 ? atomic_pair(encoding, access) : how >= 2 && rcwcas(encoding, access);
	if (how == 0)
		return ordered_unscaled(encoding, access);
	if (how == 2)
		return ordered_moving(encoding, access);
	bool user = encoding >> 12 & 1; /* gcsstr, gcssttr */
	if ((encoding & 0xffffec00) != 0xd91f0c00)
		return false;
	return arm64_memory_move(access, STORE | (user ? ISA_ARM64_UNPRIVILEGED : 0), X, rt(encoding),
	                         1, 8, 8);
}

/* ---- SIMD structures ---- */

/* The base moves on by a register, or by all that was moved. */
static bool structure_back(uint32_t encoding, struct isa_arm64_access *access)
{
	if (!(encoding >> 23 & 1))
		return true;
	access->writeback = ISA_ARM64_POST;
	if (rs(encoding) != 31) {
		access->index_kind = ISA_ARM64_INDEX_X;
		access->index = rs(encoding);
	} else {
		access->imm = (int64_t)access->element * access->elements * access->n_regs;
	}
	return true;
}

static bool whole_registers(uint32_t encoding, struct isa_arm64_access *access)
{
	/* by opcode: how many registers; with 8, and their elements alternate */
	static const uint8_t counts[16] = {
		[0] = 4 | 8, [2] = 4, [4] = 3 | 8, [6] = 3, [7] = 1, [8] = 2 | 8, [10] = 2};
	unsigned count = counts[encoding >> 12 & 15], bytes = 1u << (encoding >> 10 & 3),
			 q = encoding >> 30 & 1;
	bool post = encoding >> 23 & 1;
	if (!count || encoding >> 21 & 1 || (!post && rs(encoding)) || (count & 8 && bytes == 8 && !q))
		return false;
	(void)arm64_memory_move(
		access, (encoding >> 22 & 1 ? LOAD : STORE) | (count & 8 ? ISA_ARM64_STRUCT : 0), V,
		rt(encoding), count & 7, bytes, bytes);
	access->elements = (uint8_t)((q ? 16 : 8) / bytes);
	return structure_back(encoding, access);
}

static bool one_lane(uint32_t encoding, struct isa_arm64_access *access)
{
	unsigned scale = encoding >> 14 & 3, size = encoding >> 10 & 3, s = encoding >> 12 & 1,
			 q = encoding >> 30 & 1;
	unsigned n = ((encoding >> 12 & 2) | (encoding >> 21 & 1)) + 1, lane = q << 3 | s << 2 | size;
	bool load = encoding >> 22 & 1, post = encoding >> 23 & 1;
	int flags = (load ? LOAD : STORE) | (n > 1 ? ISA_ARM64_STRUCT : 0);
	if (!post && rs(encoding)) { /* ldap1, stl1 */
		if (rs(encoding) != 1 || n != 1 || scale != 2 || s || size != 1)
			return false;
		flags |= load ? ACQ : REL;
	}
	if (scale == 3) {
		if (!load || s)
			return false;
		(void)arm64_memory_move(access, flags | ISA_ARM64_REPLICATE, V, rt(encoding), n, 1u << size,
		                        1u << size);
		return structure_back(encoding, access);
	}
	if ((scale == 1 && size & 1) || (scale == 2 && size > 1) || (scale == 2 && size == 1 && s))
		return false;
	unsigned log = scale == 2 && size == 1 ? 3 : scale;
	(void)arm64_memory_move(access, flags | ISA_ARM64_ONE_LANE, V, rt(encoding), n, 1u << log,
	                        1u << log);
	access->lane_index = (uint8_t)(lane >> log);
	return structure_back(encoding, access);
}

/* ---- all ---- */

bool isa_arm64_plain_access(uint32_t encoding, struct isa_arm64_access *access)
{
	bool simd = encoding >> 26 & 1, high = encoding >> 24 & 1;
	access->base = rn(encoding);
	switch (encoding >> 28 & 3) {
	case 0:
		if (!simd)
			return !high && exclusive(encoding, access);
		if (encoding >> 31)
			return false;
		return high ? one_lane(encoding, access) : whole_registers(encoding, access);
	case 1:
		return high ? mixed(encoding, access) : literal(encoding, access);
	case 2:
		return arm64_memory_pair(encoding, access);
	default:
		if (high)
			return unsigned_offset(encoding, access);
		if (!(encoding >> 21 & 1))
			return nine_bits(encoding, access);
		if (encoding >> 10 & 1)
			return arm64_memory_authenticated(encoding, access);
		return encoding >> 11 & 1 ? register_offset(encoding, access)
		                          : arm64_memory_atomic(encoding, access);
	}
}

/* ---- addresses and values ---- */

static uint64_t arm64_memory_extended(const struct isa_arm64_access *access, uint64_t index)
{
	if (access->extend == ISA_ARM64_UXTW)
		index = (uint32_t)index;
	else if (access->extend == ISA_ARM64_SXTW)
		index = (uint64_t)(int64_t)(int32_t)(uint32_t)index;
	return index << access->shift;
}

uint64_t isa_arm64_address(const struct isa_arm64_access *access, uint64_t base, uint64_t index,
                           unsigned vl)
{
	if (access->writeback == ISA_ARM64_POST || access->flags & ISA_ARM64_MOPS)
		return base;
	uint64_t unit = access->flags & ISA_ARM64_IMM_VL ? vl / access->lane * access->element : 1;
	if (access->index_kind != ISA_ARM64_NO_INDEX)
		base += arm64_memory_extended(access, index);
	return base + (uint64_t)access->imm * unit;
}

uint64_t isa_arm64_base_after(const struct isa_arm64_access *access, uint64_t base, uint64_t index)
{
	if (access->writeback == ISA_ARM64_NO_WRITEBACK)
		return base;
	return base + (access->index_kind == ISA_ARM64_INDEX_X ? index : (uint64_t)access->imm);
}

uint64_t isa_arm64_combine(const struct isa_arm64_access *access, uint64_t old, uint64_t operand,
                           uint64_t expected)
{
	unsigned bits = access->element * 8u;
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	old &= mask;
	operand &= mask;
	int64_t so = (int64_t)(old << (64 - bits)), sn = (int64_t)(operand << (64 - bits));
	switch (access->combine) {
	case ISA_ARM64_ADD:
		return (old + operand) & mask;
	case ISA_ARM64_CLR:
		return old & ~operand;
	case ISA_ARM64_EOR:
		return old ^ operand;
	case ISA_ARM64_SET:
		return old | operand;
	case ISA_ARM64_SMAX:
		return so > sn ? old : operand;
	case ISA_ARM64_SMIN:
		return so < sn ? old : operand;
	case ISA_ARM64_UMAX:
		return old > operand ? old : operand;
	case ISA_ARM64_UMIN:
		return old < operand ? old : operand;
	case ISA_ARM64_SWP:
		return operand;
	case ISA_ARM64_CAS:
		return old == (expected & mask) ? operand : old;
	default:
		return old;
	}
}
