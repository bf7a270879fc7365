/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: loads and stores of general and SIMD registers, element by element.
 *
 * The groups are those of the manual's table of loads and stores, chosen by bits 29
 * to 28, 26, 24, 21 and 11 to 10; one function each, which says false to what does not
 * exist. Fields that the manual wants to be all one or all zero are checked where their
 * other values mean something else one day.
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

static inline uint8_t rt(uint32_t e)
{
	return e & 31;
}
static inline uint8_t rn(uint32_t e)
{
	return e >> 5 & 31;
}
static inline uint8_t rt2(uint32_t e)
{
	return e >> 10 & 31;
}
static inline uint8_t rs(uint32_t e)
{
	return e >> 16 & 31;
}
static inline unsigned arm64_memory_size_of(uint32_t e)
{
	return e >> 30;
}
static inline int64_t imm9(uint32_t e)
{
	return isa_arm64_sign(e >> 12 & 0x1ff, 9);
}

/* `n` registers from `first` on, each of one element. */
static bool arm64_memory_move(struct isa_arm64_access *a, int flags, unsigned bank, uint8_t first,
                              unsigned n, unsigned element, unsigned lane)
{
	a->flags |= (uint32_t)flags;
	a->bank = (uint8_t)bank;
	a->n_regs = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		a->regs[i] = (first + i) & 31;
	a->element = (uint8_t)element;
	a->lane = (uint8_t)lane;
	a->elements = 1;
	return true;
}

static bool back(struct isa_arm64_access *a, unsigned writeback, int64_t imm)
{
	a->writeback = (uint8_t)writeback;
	a->imm = imm;
	return true;
}

/* Of a general register: 4 or 8 bytes; narrower loads fill four, or eight when signed. */
static unsigned arm64_memory_width(unsigned bytes)
{
	return bytes == 8 ? 8 : 4;
}

/* ---- one register ---- */

static bool prefetch(struct isa_arm64_access *a)
{
	a->flags |= ISA_ARM64_PREFETCH;
	return true;
}

/* By size, V and opc, as most groups have them. */
static bool one_register(uint32_t e, struct isa_arm64_access *a, bool may_prefetch)
{
	unsigned size = arm64_memory_size_of(e), opc = e >> 22 & 3, bytes = 1u << size;
	if (e >> 26 & 1) {
		if (opc & 2) {
			bytes = 16;
			if (size)
				return false;
		}
		return arm64_memory_move(a, opc & 1 ? LOAD : STORE, V, rt(e), 1, bytes, bytes);
	}
	if (opc < 2)
		return arm64_memory_move(a, opc ? LOAD : STORE, X, rt(e), 1, bytes,
		                         arm64_memory_width(bytes));
	if (opc == 2 && size == 3)
		return may_prefetch && prefetch(a);
	if (size + opc > 4)
		return false;
	return arm64_memory_move(a, LOAD | ISA_ARM64_SIGNED, X, rt(e), 1, bytes, opc == 2 ? 8 : 4);
}

static bool register_offset(uint32_t e, struct isa_arm64_access *a)
{
	unsigned option = e >> 13 & 7;
	if (!(option & 2) || !one_register(e, a, true))
		return false;
	unsigned bytes = a->element ? a->element : 8;
	a->index_kind = ISA_ARM64_INDEX_X;
	a->index = rs(e);
	a->extend = option == 2 ? ISA_ARM64_UXTW : option == 6 ? ISA_ARM64_SXTW : ISA_ARM64_LSL;
	a->shift = e >> 12 & 1 ? (uint8_t)__builtin_ctz(bytes) : 0;
	return true;
}

/* An offset of 9 bits: as it is, post-indexed, unprivileged, pre-indexed. */
static bool nine_bits(uint32_t e, struct isa_arm64_access *a)
{
	unsigned how = e >> 10 & 3;
	if (!one_register(e, a, how == 0))
		return false;
	a->imm = imm9(e);
	if (how == 2) {
		a->flags |= ISA_ARM64_UNPRIVILEGED;
		return a->bank == X;
	}
	a->writeback = how == 1 ? ISA_ARM64_POST : how == 3 ? ISA_ARM64_PRE : ISA_ARM64_NO_WRITEBACK;
	return true;
}

static bool unsigned_offset(uint32_t e, struct isa_arm64_access *a)
{
	if (!one_register(e, a, true))
		return false;
	a->imm = (int64_t)(e >> 10 & 0xfff) * (a->element ? a->element : 8);
	return true;
}

static bool literal(uint32_t e, struct isa_arm64_access *a)
{
	unsigned opc = arm64_memory_size_of(e);
	a->base_kind = ISA_ARM64_BASE_PC;
	a->imm = 4 * isa_arm64_sign(e >> 5 & 0x7ffff, 19);
	if (e >> 26 & 1)
		return opc < 3 && arm64_memory_move(a, LOAD, V, rt(e), 1, 4u << opc, 4u << opc);
	if (opc == 3)
		return prefetch(a);
	if (opc == 2)
		return arm64_memory_move(a, LOAD | ISA_ARM64_SIGNED, X, rt(e), 1, 4, 8);
	return arm64_memory_move(a, LOAD, X, rt(e), 1, 4u << opc, 4u << opc);
}

/* ldraa, ldrab. */
static bool arm64_memory_authenticated(uint32_t e, struct isa_arm64_access *a)
{
	if (arm64_memory_size_of(e) != 3 || e >> 26 & 1)
		return false;
	uint32_t v = (e >> 22 & 1) << 9 | (e >> 12 & 0x1ff);
	(void)arm64_memory_move(a, LOAD | ISA_ARM64_AUTHENTICATE, X, rt(e), 1, 8, 8);
	return back(a, e >> 11 & 1 ? ISA_ARM64_PRE : ISA_ARM64_NO_WRITEBACK, 8 * isa_arm64_sign(v, 10));
}

/* ---- two registers ---- */

static bool arm64_memory_pair(uint32_t e, struct isa_arm64_access *a)
{
	unsigned opc = arm64_memory_size_of(e), mode = e >> 23 & 3, scale;
	bool load = e >> 22 & 1, simd = e >> 26 & 1;
	if (opc == 3)
		return false;
	if (simd) {
		scale = 4u << opc;
		(void)arm64_memory_move(a, load ? LOAD : STORE, V, rt(e), 2, scale, scale);
	} else if (opc == 1) { /* ldpsw, stgp */
		if (mode == 0)
			return false;
		scale = load ? 4 : 16;
		(void)arm64_memory_move(a, load ? LOAD | ISA_ARM64_SIGNED : STORE | ISA_ARM64_TAG, X, rt(e),
		                        2, load ? 4 : 8, 8);
	} else {
		scale = opc ? 8 : 4;
		(void)arm64_memory_move(a, load ? LOAD : STORE, X, rt(e), 2, scale, scale);
	}
	a->regs[1] = rt2(e);
	if (mode == 0)
		a->flags |= ISA_ARM64_NONTEMPORAL;
	return back(a,
	            mode == 1   ? ISA_ARM64_POST
	            : mode == 3 ? ISA_ARM64_PRE
	                        : ISA_ARM64_NO_WRITEBACK,
	            isa_arm64_sign(e >> 15 & 127, 7) * (int64_t)scale);
}

/* ---- exclusives, compare and swap, ordered ---- */

static bool casp(uint32_t e, struct isa_arm64_access *a, int order)
{
	unsigned bytes = e >> 30 & 1 ? 8 : 4;
	if (rt2(e) != 31 || rs(e) & 1 || rt(e) & 1)
		return false;
	a->combine = ISA_ARM64_CAS;
	a->n_operands = 2;
	a->operands[0] = rt(e);
	a->operands[1] = rt(e) + 1;
	return arm64_memory_move(a, RMW | order, X, rs(e), 2, bytes, bytes);
}

static bool exclusive(uint32_t e, struct isa_arm64_access *a)
{
	unsigned bytes = 1u << arm64_memory_size_of(e);
	bool o2 = e >> 23 & 1, load = e >> 22 & 1, o1 = e >> 21 & 1, o0 = e >> 15 & 1;
	int kind = load ? LOAD : STORE, order = o0 ? (load ? ACQ : REL) : 0;
	int swap = (load ? ACQ : 0) | (o0 ? REL : 0); /* how swaps spell it */
	if (!o2 && o1 && arm64_memory_size_of(e) < 2)
		return casp(e, a, swap);
	if (o2 && o1) {
		a->combine = ISA_ARM64_CAS;
		a->n_operands = 1;
		a->operands[0] = rt(e);
		return rt2(e) == 31 &&
		       arm64_memory_move(a, RMW | swap, X, rs(e), 1, bytes, arm64_memory_width(bytes));
	}
	if (o2) /* ordered; with o0 clear limited to a region */
		return arm64_memory_move(a, kind | (load ? ACQ : REL), X, rt(e), 1, bytes,
		                         arm64_memory_width(bytes));
	if (!load)
		a->status = rs(e);
	(void)arm64_memory_move(a, kind | order | ISA_ARM64_EXCLUSIVE, X, rt(e), o1 ? 2 : 1, bytes,
	                        arm64_memory_width(bytes));
	a->regs[1] = o1 ? rt2(e) : 0;
	return true;
}

/* ---- atomics ---- */

static const uint8_t combines[8] = {ISA_ARM64_ADD,  ISA_ARM64_CLR,  ISA_ARM64_EOR,  ISA_ARM64_SET,
                                    ISA_ARM64_SMAX, ISA_ARM64_SMIN, ISA_ARM64_UMAX, ISA_ARM64_UMIN};

/* 64 bytes at once. */
static bool arm64_memory_block(uint32_t e, struct isa_arm64_access *a)
{
	unsigned opc = e >> 12 & 7;
	if (arm64_memory_size_of(e) != 3 || e >> 22 & 3 || rt(e) > 22 || rt(e) & 1)
		return false;
	if (opc == 2 || opc == 3) /* st64bv0, st64bv: with a status */
		a->status = rs(e);
	else if ((opc != 1 && opc != 5) || rs(e) != 31)
		return false;
	return arm64_memory_move(a, opc == 5 ? LOAD : STORE, X, rt(e), 8, 8, 8);
}

static bool arm64_memory_atomic(uint32_t e, struct isa_arm64_access *a)
{
	unsigned opc = e >> 12 & 7, bytes = 1u << arm64_memory_size_of(e), o3 = e >> 15 & 1;
	int order = (e >> 23 & 1 ? ACQ : 0) | (e >> 22 & 1 ? REL : 0);
	if (e >> 26 & 1)
		return false;
	if (o3 && opc == 4 && (e >> 22 & 3) == 2 && rs(e) == 31) /* ldapr */
		return arm64_memory_move(a, LOAD | ACQ, X, rt(e), 1, bytes, arm64_memory_width(bytes));
	if (!o3)
		a->combine = combines[opc];
	else if (opc == 0)
		a->combine = ISA_ARM64_SWP;
	else if (arm64_memory_size_of(e) < 2 && opc > 0 && opc < 4) { /* of FEAT_THE, always 8 bytes */
		a->combine = opc == 1 ? ISA_ARM64_CLR : opc == 2 ? ISA_ARM64_SWP : ISA_ARM64_SET;
		bytes = 8;
	} else {
		return arm64_memory_block(e, a);
	}
	a->n_operands = 1;
	a->operands[0] = rs(e);
	return arm64_memory_move(a, RMW | order, X, rt(e), 1, bytes, arm64_memory_width(bytes));
}

/* FEAT_LSE128 and the pairs of FEAT_THE: both registers are operand and result. */
static bool atomic_pair(uint32_t e, struct isa_arm64_access *a)
{
	unsigned opc = e >> 12 & 7, o3 = e >> 15 & 1;
	bool the = o3 && opc;
	if (arm64_memory_size_of(e) > the)
		return false;
	if (opc == 1)
		a->combine = ISA_ARM64_CLR;
	else if (opc == 3)
		a->combine = ISA_ARM64_SET;
	else if (o3 && (opc == 0 || opc == 2))
		a->combine = ISA_ARM64_SWP;
	else
		return false;
	if (rt(e) == 31 || rs(e) == 31)
		return false;
	(void)arm64_memory_move(a, RMW | (e >> 23 & 1 ? ACQ : 0) | (e >> 22 & 1 ? REL : 0), X, rt(e), 2,
	                        8, 8);
	a->regs[1] = rs(e);
	a->n_operands = 2;
	a->operands[0] = rt(e);
	a->operands[1] = rs(e);
	return true;
}

/* ---- the group of FEAT_LRCPC2, MTE, MOPS, FEAT_THE, FEAT_GCS ---- */

static bool ordered_unscaled(uint32_t e, struct isa_arm64_access *a)
{
	if (!one_register(e, a, false))
		return false;
	a->flags |= a->flags & LOAD ? ACQ : REL;
	a->imm = imm9(e);
	return true;
}

/* FEAT_LRCPC3: pairs, and with the base moved on. */
static bool ordered_moving(uint32_t e, struct isa_arm64_access *a)
{
	unsigned bytes = arm64_memory_size_of(e) & 1 ? 8 : 4, low = e >> 12 & 15;
	bool load = e >> 22 & 1, two = !(e >> 23 & 1);
	if (arm64_memory_size_of(e) < 2 || low > two || (!two && rs(e)))
		return false;
	(void)arm64_memory_move(a, load ? LOAD | ACQ : STORE | REL, X, rt(e), two ? 2 : 1, bytes,
	                        bytes);
	if (two)
		a->regs[1] = rs(e);
	if (low)
		return true;
	int64_t step = bytes * (two ? 2 : 1);
	return back(a, load ? ISA_ARM64_POST : ISA_ARM64_PRE, load ? step : -step);
}

static bool arm64_memory_tags(uint32_t e, struct isa_arm64_access *a)
{
	unsigned opc = e >> 22 & 3, how = e >> 10 & 3;
	if (arm64_memory_size_of(e) != 3 || e >> 26 & 1)
		return false;
	a->flags = ISA_ARM64_TAG;
	a->element = 16;
	a->elements = 1;
	if (how == 0) {
		a->imm = opc == 1 ? 16 * imm9(e) : 0;
		a->flags |= opc & 1 ? LOAD : STORE;
		a->flags |= opc == 0 ? ISA_ARM64_ZERO : 0;
		if (opc != 1) { /* as many as the system says */
			a->element = 0;
			a->elements = 0;
		}
		return opc == 1 || !(e & 0x1ff000);
	}
	a->flags |= STORE | (opc & 1 ? ISA_ARM64_ZERO : 0u);
	a->elements = opc & 2 ? 2 : 1;
	return back(a,
	            how == 1   ? ISA_ARM64_POST
	            : how == 3 ? ISA_ARM64_PRE
	                       : ISA_ARM64_NO_WRITEBACK,
	            16 * imm9(e));
}

/* cpy*, set*: the base is the destination; a source is the index. */
static bool mops(uint32_t e, struct isa_arm64_access *a)
{
	bool set = (e >> 22 & 3) == 3;
	uint8_t d = rt(e), s = rs(e), n = rn(e);
	if (arm64_memory_size_of(e) || d == s || d == n || s == n || d == 31 || (!set && s == 31))
		return false;
	if (set && (e >> 14 & 3) == 3)
		return false;
	a->flags = ISA_ARM64_MOPS | STORE | (set ? 0u : LOAD);
	a->base = d;
	a->count = n;
	if (set) {
		a->flags |= e >> 26 & 1 ? ISA_ARM64_TAG : 0;
		a->bank = X;
		a->n_regs = 1;
		a->regs[0] = s;
		a->element = 1;
		a->lane = 1;
	} else {
		a->index_kind = ISA_ARM64_INDEX_X;
		a->index = s;
		a->element = 1;
	}
	return true;
}

/* FEAT_THE: compare and swap. */
static bool rcwcas(uint32_t e, struct isa_arm64_access *a)
{
	bool two = e >> 10 & 1;
	if (arm64_memory_size_of(e) > 1 || e >> 12 & 15 || (two && (rs(e) & 1 || rt(e) & 1)))
		return false;
	a->combine = ISA_ARM64_CAS;
	a->n_operands = two ? 2 : 1;
	a->operands[0] = rt(e);
	a->operands[1] = (rt(e) + two) & 31;
	return arm64_memory_move(a, RMW | (e >> 23 & 1 ? ACQ : 0) | (e >> 22 & 1 ? REL : 0), X, rs(e),
	                         two ? 2 : 1, 8, 8);
}

static bool mixed(uint32_t e, struct isa_arm64_access *a)
{
	unsigned how = e >> 10 & 3;
	bool high = e >> 21 & 1, simd = e >> 26 & 1;
	if (!high && how == 1)
		return mops(e, a);
	if (simd)
		return !high && how == 2 && ordered_unscaled(e, a);
	if (high && arm64_memory_size_of(e) == 3)
		return arm64_memory_tags(e, a);
	if (high)
		return how == 0 ? atomic_pair(e, a) : how >= 2 && rcwcas(e, a);
	if (how == 0)
		return ordered_unscaled(e, a);
	if (how == 2)
		return ordered_moving(e, a);
	bool user = e >> 12 & 1; /* gcsstr, gcssttr */
	if ((e & 0xffffec00) != 0xd91f0c00)
		return false;
	return arm64_memory_move(a, STORE | (user ? ISA_ARM64_UNPRIVILEGED : 0), X, rt(e), 1, 8, 8);
}

/* ---- SIMD structures ---- */

/* The base moves on by a register, or by all that was moved. */
static bool structure_back(uint32_t e, struct isa_arm64_access *a)
{
	if (!(e >> 23 & 1))
		return true;
	a->writeback = ISA_ARM64_POST;
	if (rs(e) != 31) {
		a->index_kind = ISA_ARM64_INDEX_X;
		a->index = rs(e);
	} else {
		a->imm = (int64_t)a->element * a->elements * a->n_regs;
	}
	return true;
}

static bool whole_registers(uint32_t e, struct isa_arm64_access *a)
{
	/* by opcode: how many registers; with 8, and their elements alternate */
	static const uint8_t counts[16] = {
		[0] = 4 | 8, [2] = 4, [4] = 3 | 8, [6] = 3, [7] = 1, [8] = 2 | 8, [10] = 2};
	unsigned count = counts[e >> 12 & 15], bytes = 1u << (e >> 10 & 3), q = e >> 30 & 1;
	bool post = e >> 23 & 1;
	if (!count || e >> 21 & 1 || (!post && rs(e)) || (count & 8 && bytes == 8 && !q))
		return false;
	(void)arm64_memory_move(a, (e >> 22 & 1 ? LOAD : STORE) | (count & 8 ? ISA_ARM64_STRUCT : 0), V,
	                        rt(e), count & 7, bytes, bytes);
	a->elements = (uint8_t)((q ? 16 : 8) / bytes);
	return structure_back(e, a);
}

static bool one_lane(uint32_t e, struct isa_arm64_access *a)
{
	unsigned scale = e >> 14 & 3, size = e >> 10 & 3, s = e >> 12 & 1, q = e >> 30 & 1;
	unsigned n = ((e >> 12 & 2) | (e >> 21 & 1)) + 1, lane = q << 3 | s << 2 | size;
	bool load = e >> 22 & 1, post = e >> 23 & 1;
	int flags = (load ? LOAD : STORE) | (n > 1 ? ISA_ARM64_STRUCT : 0);
	if (!post && rs(e)) { /* ldap1, stl1 */
		if (rs(e) != 1 || n != 1 || scale != 2 || s || size != 1)
			return false;
		flags |= load ? ACQ : REL;
	}
	if (scale == 3) {
		if (!load || s)
			return false;
		(void)arm64_memory_move(a, flags | ISA_ARM64_REPLICATE, V, rt(e), n, 1u << size,
		                        1u << size);
		return structure_back(e, a);
	}
	if ((scale == 1 && size & 1) || (scale == 2 && size > 1) || (scale == 2 && size == 1 && s))
		return false;
	unsigned log = scale == 2 && size == 1 ? 3 : scale;
	(void)arm64_memory_move(a, flags | ISA_ARM64_ONE_LANE, V, rt(e), n, 1u << log, 1u << log);
	a->lane_index = (uint8_t)(lane >> log);
	return structure_back(e, a);
}

/* ---- all ---- */

bool isa_arm64_plain_access(uint32_t e, struct isa_arm64_access *a)
{
	bool simd = e >> 26 & 1, high = e >> 24 & 1;
	a->base = rn(e);
	switch (e >> 28 & 3) {
	case 0:
		if (!simd)
			return !high && exclusive(e, a);
		if (e >> 31)
			return false;
		return high ? one_lane(e, a) : whole_registers(e, a);
	case 1:
		return high ? mixed(e, a) : literal(e, a);
	case 2:
		return arm64_memory_pair(e, a);
	default:
		if (high)
			return unsigned_offset(e, a);
		if (!(e >> 21 & 1))
			return nine_bits(e, a);
		if (e >> 10 & 1)
			return arm64_memory_authenticated(e, a);
		return e >> 11 & 1 ? register_offset(e, a) : arm64_memory_atomic(e, a);
	}
}

/* ---- addresses and values ---- */

static uint64_t arm64_memory_extended(const struct isa_arm64_access *a, uint64_t index)
{
	if (a->extend == ISA_ARM64_UXTW)
		index = (uint32_t)index;
	else if (a->extend == ISA_ARM64_SXTW)
		index = (uint64_t)(int64_t)(int32_t)(uint32_t)index;
	return index << a->shift;
}

uint64_t isa_arm64_address(const struct isa_arm64_access *a, uint64_t base, uint64_t index,
                           unsigned vl)
{
	if (a->writeback == ISA_ARM64_POST || a->flags & ISA_ARM64_MOPS)
		return base;
	uint64_t unit = a->flags & ISA_ARM64_IMM_VL ? vl / a->lane * a->element : 1;
	if (a->index_kind != ISA_ARM64_NO_INDEX)
		base += arm64_memory_extended(a, index);
	return base + (uint64_t)a->imm * unit;
}

uint64_t isa_arm64_base_after(const struct isa_arm64_access *a, uint64_t base, uint64_t index)
{
	if (a->writeback == ISA_ARM64_NO_WRITEBACK)
		return base;
	return base + (a->index_kind == ISA_ARM64_INDEX_X ? index : (uint64_t)a->imm);
}

uint64_t isa_arm64_combine(const struct isa_arm64_access *a, uint64_t old, uint64_t operand,
                           uint64_t expected)
{
	unsigned bits = a->element * 8u;
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	old &= mask;
	operand &= mask;
	int64_t so = (int64_t)(old << (64 - bits)), sn = (int64_t)(operand << (64 - bits));
	switch (a->combine) {
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
