/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: loads and stores. Which registers go to which addresses is said by isa_arm64_access, once,
 * when an encoding is translated. Source: Arm Architecture Reference Manual for A-profile, C3.2,
 * C6.2.
 */
#include "exec/arm64.h"

/* exec_op of an access: rd and rs3 are the registers, rs1 the base, rs2 an index or what is
 * combined, `width` the bytes of one access, `imm` the offset, `extra` how a general register is
 * filled. */
enum { FILL_ZEROS, FILL_SIGN_32, FILL_SIGN_64 };
enum mode { OFFSET, PRE, POST, INDEX, LITERAL, N_MODES };

/* ---- addresses ---- */

/* An index is extended and shifted as `imm` says. */
enum { SHIFT = 7, UNSIGNED_32 = 8, SIGNED_32 = 16 };

static struct exec_bits index_of(const struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits index = machine->word[op->rs2];
	if (op->imm & UNSIGNED_32)
		index = bits_zero_extend(index, 32);
	if (op->imm & SIGNED_32)
		index = bits_sign_extend(index, 32);
	return bits_left(index, op->imm & SHIFT);
}

static inline struct exec_bits address_of(const struct cairn_machine *machine,
                                          const struct exec_op *op, enum mode mode)
{
	struct exec_bits imm = bits_known((uint64_t)op->imm);
	switch (mode) {
	case LITERAL:
		return bits_known(machine->pc + (uint64_t)op->imm);
	case POST:
		return machine->word[op->rs1];
	case INDEX:
		return bits_add(machine->word[op->rs1], index_of(machine, op));
	default:
		return bits_add(machine->word[op->rs1], imm);
	}
}

static inline void move_base(struct cairn_machine *machine, const struct exec_op *op,
                             struct exec_bits address, enum mode mode)
{
	if (mode == POST)
		address = bits_add(address, bits_known((uint64_t)op->imm));
	if (mode == PRE || mode == POST)
		arm64_put(machine, op->rs1, address);
}

static inline struct exec_bits next_address(struct exec_bits address, const struct exec_op *op)
{
	return bits_add(address, bits_known(op->width));
}

static enum mode mode_of(const struct isa_arm64_access *access)
{
	if (access->base_kind == ISA_ARM64_BASE_PC)
		return LITERAL;
	if (access->index_kind != ISA_ARM64_NO_INDEX)
		return INDEX;
	return access->writeback == ISA_ARM64_PRE    ? PRE
	       : access->writeback == ISA_ARM64_POST ? POST
	                                             : OFFSET;
}

/* ---- registers ---- */

static inline struct exec_bits filled(struct exec_bits bits, const struct exec_op *op)
{
	if (op->extra == FILL_ZEROS)
		return bits;
	bits = bits_sign_extend(bits, 8u * op->width);
	return op->extra == FILL_SIGN_32 ? bits_zero_extend(bits, 32) : bits;
}

/* A general register and memory. */
static inline void load_x(struct cairn_machine *machine, const struct exec_op *op, unsigned word,
                          struct exec_bits address)
{
	arm64_put(machine, word, filled(exec_load(machine, address, op->width), op));
}

static inline void store_x(struct cairn_machine *machine, const struct exec_op *op, unsigned word,
                           struct exec_bits address)
{
	exec_store(machine, address, op->width, machine->word[word], false);
}

/* A vector register, whose upper part becomes 0. */
static inline void load_v(struct cairn_machine *machine, const struct exec_op *op, unsigned word,
                          struct exec_bits address)
{
	struct exec_bits bits[2] = {bits_known(0), bits_known(0)};
	if (op->width == 16)
		exec_load_16(machine, address, bits);
	else
		bits[0] = exec_load(machine, address, op->width);
	arm64_put_vector(machine, word, bits);
}

static inline void store_v(struct cairn_machine *machine, const struct exec_op *op, unsigned word,
                           struct exec_bits address)
{
	if (op->width == 16)
		exec_store_16(machine, address, &machine->word[word]);
	else
		exec_store(machine, address, op->width, machine->word[word], false);
}

#define HANDLER(name) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op)
#define MOVES(what, mode) \
	HANDLER(what##_##mode) \
	{ \
		struct exec_bits address = address_of(machine, op, mode); \
		what(machine, op, op->rd, address); \
		move_base(machine, op, address, mode); \
	}
#define MOVES_PAIR(what, mode) \
	HANDLER(what##_pair_##mode) \
	{ \
		struct exec_bits address = address_of(machine, op, mode); \
		what(machine, op, op->rd, address); \
		what(machine, op, op->rs3, next_address(address, op)); \
		move_base(machine, op, address, mode); \
	}
#define ALL(what) \
	MOVES(what, OFFSET) \
	MOVES(what, PRE) \
	MOVES(what, POST) \
	MOVES(what, INDEX) \
	MOVES(what, LITERAL) \
	MOVES_PAIR(what, OFFSET) \
	MOVES_PAIR(what, PRE) \
	MOVES_PAIR(what, POST)
#define LISTED(what) \
	{ \
		run_##what##_OFFSET, run_##what##_PRE, run_##what##_POST, run_##what##_INDEX, \
			run_##what##_LITERAL \
	}
#define LISTED_PAIR(what) \
	{ \
		run_##what##_pair_OFFSET, run_##what##_pair_PRE, run_##what##_pair_POST, NULL, NULL \
	}
ALL(load_x)
ALL(store_x)
ALL(load_v)
ALL(store_v)

/* [pair][vector][store][mode] */
static exec_handler *const plain[2][2][2][N_MODES] = {
	{{LISTED(load_x), LISTED(store_x)}, {LISTED(load_v), LISTED(store_v)}},
	{{LISTED_PAIR(load_x), LISTED_PAIR(store_x)}, {LISTED_PAIR(load_v), LISTED_PAIR(store_v)}}};

/* ---- exclusives ---- */

/* Whether an exclusive store succeeds depends on what no trace holds. If the trace has the store,
 * it succeeded. */
static void store_exclusive(struct cairn_machine *machine, const struct exec_op *op, bool pair)
{
	struct exec_bits address = machine->word[op->rs1];
	bool stored = exec_told(machine, CAIRN_MEM_WRITE, 0) != NULL;
	exec_store(machine, address, op->width, machine->word[op->rs2], !stored);
	if (pair)
		exec_store(machine, next_address(address, op), op->width, machine->word[op->rs3], !stored);
	if (!stored)
		exec_undetermined(machine, "whether an exclusive store succeeds is not determined");
	/* 1 where it fails */
	arm64_put(machine, op->rd, stored ? bits_known(0) : bits_truth(false, false));
}

HANDLER(store_exclusive)
{
	store_exclusive(machine, op, false);
}

HANDLER(store_exclusive_pair)
{
	store_exclusive(machine, op, true);
}

/* ---- atomics ---- */

static struct exec_bits combined(const struct exec_op *op, struct exec_bits old,
                                 struct exec_bits operand)
{
	unsigned bits = 8u * op->width;
	struct exec_bits a = bits_sign_extend(old, bits), b = bits_sign_extend(operand, bits);
	operand = bits_zero_extend(operand, bits);
	switch (op->extra) {
	case ISA_ARM64_ADD:
		return bits_add(old, operand);
	case ISA_ARM64_CLR:
		return bits_and(old, bits_not(operand));
	case ISA_ARM64_EOR:
		return bits_xor(old, operand);
	case ISA_ARM64_SET:
		return bits_or(old, operand);
	case ISA_ARM64_SMAX:
		return bits_choose(bits_less_signed(a, b), b, a);
	case ISA_ARM64_SMIN:
		return bits_choose(bits_less_signed(a, b), a, b);
	case ISA_ARM64_UMAX:
		return bits_choose(bits_less(old, operand), operand, old);
	case ISA_ARM64_UMIN:
		return bits_choose(bits_less(old, operand), old, operand);
	default:
		return operand;
	}
}

HANDLER(atomic)
{
	struct exec_bits address = machine->word[op->rs1], operand = machine->word[op->rs2];
	struct exec_bits old = exec_load(machine, address, op->width);
	exec_store(machine, address, op->width, combined(op, old, operand), false);
	arm64_put(machine, op->rd, old);
}

/* Of 128 bits: both registers are combined with memory, and get what it held. */
HANDLER(atomic_pair)
{
	struct exec_bits address = machine->word[op->rs1], old[2], made[2];
	exec_load_16(machine, address, old);
	made[0] = combined(op, old[0], machine->word[op->rd]);
	made[1] = combined(op, old[1], machine->word[op->rs3]);
	exec_store_16(machine, address, made);
	arm64_put(machine, op->rd, old[0]);
	arm64_put(machine, op->rs3, old[1]);
}

/* Compare and swap: the store takes place where memory holds what was expected. */
static void swap_if(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits same,
                    unsigned words)
{
	struct exec_bits address = machine->word[op->rs1];
	bool told = exec_told(machine, CAIRN_MEM_WRITE, 0) != NULL;
	if (same.known & 1 && !(same.value & 1))
		return;
	for (unsigned i = 0; i < words; i++) {
		struct exec_bits desired = machine->word[op->rs2 < EXEC_WORDS ? op->rs2 + i : op->rs2];
		if (i && op->rs2 + i == ARM64_SP)
			desired = bits_known(0);
		exec_store(machine, i ? next_address(address, op) : address, op->width, desired,
		           !(same.known & 1) && !told);
	}
}

HANDLER(compare_swap)
{
	struct exec_bits expected = machine->word[op->rs3];
	struct exec_bits old = exec_load(machine, machine->word[op->rs1], op->width);
	swap_if(machine, op, bits_equal(old, bits_zero_extend(expected, 8u * op->width)), 1);
	arm64_put(machine, op->rd, old);
}

/* Of two registers; the second of x30 is zero. */
HANDLER(compare_swap_pair)
{
	struct exec_bits address = machine->word[op->rs1], low = machine->word[op->rs3];
	bool last = op->rs3 + 1 == ARM64_SP;
	struct exec_bits high = last ? bits_known(0) : machine->word[op->rs3 + 1];
	struct exec_bits old = exec_load(machine, address, op->width);
	struct exec_bits above = exec_load(machine, next_address(address, op), op->width);
	struct exec_bits same = bits_and(bits_equal(old, bits_zero_extend(low, 8u * op->width)),
	                                 bits_equal(above, bits_zero_extend(high, 8u * op->width)));
	swap_if(machine, op, same, 2);
	arm64_put(machine, op->rd, old);
	arm64_put(machine, last ? EXEC_NOWHERE : op->rd + 1, above);
}

HANDLER(prefetch)
{
	(void)machine;
	(void)op;
}

/* ---- structures of vectors ---- */

/* exec_op of ld1 … st4: `rd` is the number of the first register, `rs3` says how many there are and
 * how many elements each has, or which one, and how they lie in memory. The base moves on by `imm`
 * or, where that is 0, by `rs2`; `extra` says whether it does. */
enum {
	REGISTERS = 7,
	ELEMENTS_SHIFT = 3,
	ELEMENTS = 31,
	LANE_SHIFT = 8,
	LANE = 15,
	ALTERNATE = 1 << 12, /* elements of the registers alternate in memory */
	ONE_LANE = 1 << 13,
	REPLICATE = 1 << 14, /* one element fills the register */
	LOADS = 1 << 15
};

/* One element of one register; what is loaded goes to `to`. */
static void move_element(struct cairn_machine *machine, const struct exec_op *op, unsigned word,
                         unsigned lane, unsigned place, struct exec_bits *to)
{
	struct exec_bits address =
		bits_add(machine->word[op->rs1], bits_known((uint64_t)place * op->width));
	unsigned last = op->rs3 & REPLICATE ? (op->enc >> 30 & 1 ? 16u : 8u) / op->width : lane + 1;
	if (!(op->rs3 & LOADS)) {
		exec_store(machine, address, op->width, arm64_lane(machine, word, op->width, lane), false);
		return;
	}
	struct exec_bits bits = exec_load(machine, address, op->width);
	for (unsigned i = lane; i < last; i++)
		arm64_set_lane(to, op->width, i, bits);
}

HANDLER(structures)
{
	unsigned n = op->rs3 & REGISTERS, elements = op->rs3 >> ELEMENTS_SHIFT & ELEMENTS;
	unsigned lane = op->rs3 >> LANE_SHIFT & LANE, word[4];
	struct exec_bits to[4][2];
	for (unsigned i = 0; i < n; i++) {
		word[i] = ARM64_V + ARM64_VECTOR * ((op->rd + i) & 31);
		for (unsigned k = 0; k < 2; k++)
			to[i][k] = op->rs3 & ONE_LANE ? machine->word[word[i] + k] : bits_known(0);
	}
	for (unsigned k = 0; k < n * elements; k++) {
		bool alternate = op->rs3 & ALTERNATE;
		unsigned i = alternate ? k % n : k / elements, e = alternate ? k / n : k % elements;
		move_element(machine, op, word[i], lane + e, k, to[i]);
	}
	for (unsigned i = 0; i < n && op->rs3 & LOADS; i++)
		arm64_put_vector(machine, word[i], to[i]);
	if (op->extra)
		arm64_put(machine, op->rs1,
		          bits_add(machine->word[op->rs1],
		                   op->imm ? bits_known((uint64_t)op->imm) : machine->word[op->rs2]));
}

static void form_structures(const struct isa_arm64_access *access, struct exec_op *op)
{
	const uint32_t flags = access->flags;
	op->rd = access->regs[0];
	op->rs2 = access->index_kind == ISA_ARM64_INDEX_X ? arm64_source(access->index) : EXEC_ZERO;
	op->rs3 =
		(uint16_t)(access->n_regs | access->elements << ELEMENTS_SHIFT |
	               access->lane_index << LANE_SHIFT | (flags & ISA_ARM64_STRUCT ? ALTERNATE : 0) |
	               (flags & ISA_ARM64_ONE_LANE ? ONE_LANE : 0) |
	               (flags & ISA_ARM64_REPLICATE ? REPLICATE : 0) |
	               (flags & ISA_ARM64_LOAD ? LOADS : 0));
	op->imm = access->imm;
	op->extra = access->writeback != ISA_ARM64_NO_WRITEBACK;
	op->run = run_structures;
}

/* ---- tags, and addresses that are signed ---- */

/* Stored tags do not show in memory. `rs3`: how many blocks of 16 bytes are zeroed. */
HANDLER(tag_stores)
{
	static const struct exec_bits zeros[2] = {{0, UINT64_MAX}, {0, UINT64_MAX}};
	enum mode mode = op->extra;
	struct exec_bits address = address_of(machine, op, mode);
	for (unsigned i = 0; i < op->rs3; i++)
		exec_store_16(machine, bits_add(address, bits_known(16 * (uint64_t)i)), zeros);
	move_base(machine, op, address, mode);
}

HANDLER(tag_load)
{
	const uint64_t tag = UINT64_C(15) << 56;
	struct exec_bits before = machine->word[op->rs3];
	arm64_put(machine, op->rd, (struct exec_bits){before.value & ~tag, before.known & ~tag});
	exec_undetermined(machine, "tags of memory are not determined");
}

/* ldg, stg, st2g, stzg, stz2g. */
static bool form_tags(const struct isa_arm64_access *access, struct exec_op *op)
{
	if (!access->elements) /* ldgm … are not for user code */
		return false;
	op->imm = access->imm;
	op->extra = (uint8_t)mode_of(access);
	op->rd = arm64_target(op->enc & 31);
	op->rs3 = access->flags & ISA_ARM64_ZERO ? access->elements : 0;
	op->run = run_tag_stores;
	if (access->flags & ISA_ARM64_LOAD) {
		op->rs3 = arm64_source(op->enc & 31);
		op->run = run_tag_load;
	}
	return true;
}

/* ldraa, ldrab: how many bits of the base are the address is not known, but 16 at least. */
HANDLER(load_authenticated)
{
	struct exec_bits base = machine->word[op->rs1];
	base.value &= 0xffff;
	base.known &= 0xffff;
	struct exec_bits address = bits_add(base, bits_known((uint64_t)op->imm));
	exec_undetermined(machine, "signatures of pointers are not determined");
	load_x(machine, op, op->rd, address);
	if (op->rs3)
		arm64_put(machine, op->rs1, address);
}

/* ---- translation ---- */

/* What the manual leaves open when registers coincide is not modelled. */
static bool is_open(const struct isa_arm64_access *access)
{
	bool load = access->flags & ISA_ARM64_LOAD, x = access->bank == ISA_ARM64_X;
	if (access->flags & ISA_ARM64_ATOMIC)
		return access->n_regs == 2 && access->regs[0] == access->regs[1];
	if (load && access->n_regs == 2 && access->regs[0] == access->regs[1])
		return true;
	for (unsigned i = 0; i < access->n_regs; i++) {
		bool base = x && access->writeback != ISA_ARM64_NO_WRITEBACK && access->base != 31 &&
		            access->regs[i] == access->base;
		if (base || access->regs[i] == access->status)
			return true;
	}
	return access->status == access->base && access->base != 31;
}

static uint16_t register_word(const struct isa_arm64_access *access, unsigned number)
{
	if (access->bank == ISA_ARM64_V)
		return (uint16_t)(ARM64_V + ARM64_VECTOR * number);
	return access->flags & ISA_ARM64_LOAD ? arm64_target(number) : arm64_source(number);
}

static void form_plain(const struct isa_arm64_access *access, struct exec_op *op)
{
	enum mode mode = mode_of(access);
	bool store = access->flags & ISA_ARM64_STORE;
	op->rd = register_word(access, access->regs[0]);
	op->rs3 = register_word(access, access->regs[1]);
	op->imm = access->imm;
	if (mode == INDEX) {
		op->rs2 = arm64_source(access->index);
		op->imm = access->shift | (access->extend == ISA_ARM64_UXTW   ? UNSIGNED_32
		                           : access->extend == ISA_ARM64_SXTW ? SIGNED_32
		                                                              : 0);
	}
	if (access->flags & ISA_ARM64_SIGNED)
		op->extra = access->lane == 8 ? FILL_SIGN_64 : FILL_SIGN_32;
	op->run = plain[access->n_regs == 2][access->bank == ISA_ARM64_V][store][mode];
}

static void form_atomic(const struct isa_arm64_access *access, struct exec_op *op)
{
	op->rd = arm64_target(access->regs[0]);
	op->rs3 = arm64_source(access->regs[0]);
	op->rs2 = arm64_source(access->operands[0]);
	op->extra = access->combine;
	if (access->combine != ISA_ARM64_CAS && access->n_regs == 2) {
		op->rs3 = arm64_target(access->regs[1]);
		op->run = run_atomic_pair;
	} else if (access->combine != ISA_ARM64_CAS)
		op->run = run_atomic;
	else
		op->run = access->n_regs == 2 ? run_compare_swap_pair : run_compare_swap;
}

static void form_store_exclusive(const struct isa_arm64_access *access, struct exec_op *op)
{
	op->rd = arm64_target(access->status);
	op->rs2 = arm64_source(access->regs[0]);
	op->rs3 = arm64_source(access->regs[1]);
	op->run = access->n_regs == 2 ? run_store_exclusive_pair : run_store_exclusive;
}

/* Not modelled: FEAT_THE, FEAT_LS64, FEAT_GCS. */
static bool is_modelled(uint32_t enc, const struct isa_arm64_access *access)
{
	bool pair =
		(enc & 0xbf200c00) == 0x19200000; /* of FEAT_LSE128, or of FEAT_THE, if by these bits */
	bool late = (pair && enc & 0x8000 && enc & 0x7000) ||
	            (enc & 0xbf200800) == 0x19200800 || /* FEAT_THE */
	            (enc & 0x3f20fc00) == 0x38209000 || (enc & 0x3f20fc00) == 0x3820a000 ||
	            (enc & 0x3f20fc00) == 0x3820b000 || /* FEAT_THE, FEAT_LS64 */
	            (enc & 0xffffec00) == 0xd91f0c00;   /* gcsstr */
	return !late && access->n_regs <= 4;
}

bool arm64_translate_memory(struct exec_op *op)
{
	struct isa_arm64_access access;
	if (!isa_arm64_access(op->enc, &access))
		return false;
	if (access.flags & ISA_ARM64_PREFETCH) {
		op->run = run_prefetch;
		return true;
	}
	if (access.flags & ISA_ARM64_MOPS)
		return arm64_translate_mops(&access, op);
	if (!is_modelled(op->enc, &access) || is_open(&access))
		return false;
	op->rs1 = arm64_or_sp(access.base);
	op->width = access.element;
	if (access.flags & ISA_ARM64_TAG && !access.n_regs)
		return form_tags(&access, op);
	if (access.flags & ISA_ARM64_AUTHENTICATE) {
		op->rd = arm64_target(access.regs[0]);
		op->imm = access.imm;
		op->rs3 = access.writeback == ISA_ARM64_PRE;
		op->run = run_load_authenticated;
	} else if ((op->enc & 0xbe000000) == 0x0c000000)
		form_structures(&access, op);
	else if (access.flags & ISA_ARM64_ATOMIC)
		form_atomic(&access, op);
	else if (access.status != ISA_ARM64_NO_REG)
		form_store_exclusive(&access, op);
	else
		form_plain(&access, op);
	return true;
}
