/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: integer loads and stores, and atomics. Extensions I, A, Zabha, Zacas, Zalasr, Zilsd, and
 * their forms of C, Zcb, Zclsd and Zcmp. Source: the unprivileged ISA manual (2025).
 */
#include "exec/riscv.h"

#include "isa/isa.h"

enum { SIGNED = 1 }; /* riscv_row.extra of loads */

static struct exec_bits address_of(const struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sum = bits_add(machine->word[op->rs1], bits_known((uint64_t)op->imm));
	return riscv_address(machine, sum);
}

static struct exec_bits extended(struct exec_bits bits, unsigned bytes, bool is_signed)
{
	return bytes == 8 ? bits : is_signed ? bits_sign_extend(bits, 8 * bytes) : bits;
}

static void run_load(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits bits = exec_load(machine, address_of(machine, op), op->width);
	riscv_put(machine, op->rd, extended(bits, op->width, op->extra & SIGNED));
}

static void run_store(struct cairn_machine *machine, const struct exec_op *op)
{
	exec_store(machine, address_of(machine, op), op->width, machine->word[op->rs2], false);
}

/* ---- pairs of RV32: Zilsd, Zclsd ---- */

/* The word of the register with the next number; of x0 again x0. */
static unsigned next_of(unsigned word)
{
	return word < EXEC_WORDS ? word + 1 : word;
}

static struct exec_bits joined(struct exec_bits low, struct exec_bits high)
{
	return bits_or(bits_zero_extend(low, 32), bits_left(high, 32));
}

static void put_pair(struct cairn_machine *machine, unsigned word, struct exec_bits bits)
{
	riscv_put(machine, word, bits_sign_extend(bits, 32));
	riscv_put(machine, next_of(word), bits_right_signed(bits, 32));
}

static void run_load_pair(struct cairn_machine *machine, const struct exec_op *op)
{
	put_pair(machine, op->rd, exec_load(machine, address_of(machine, op), 8));
}

static void run_store_pair(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits pair = joined(machine->word[op->rs2], machine->word[next_of(op->rs2)]);
	exec_store(machine, address_of(machine, op), 8, pair, false);
}

/* ---- blocks of caches: Zicboz, Zicbom ---- */

enum { PAGE = 4096, PIECE = 64 };

/* Where the block lies, as far as that is known: its address, or that of its page. */
static struct exec_bits block_of(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned size = machine->block_bytes ? machine->block_bytes : (unsigned)PAGE;
	struct exec_bits address = riscv_address(machine, machine->word[op->rs1]);
	if (machine->block_bytes)
		return bits_and(address, bits_known(~(uint64_t)(size - 1)));
	exec_undetermined(machine, "how large a block of a cache is, is not known");
	return (struct exec_bits){address.value & ~(uint64_t)(size - 1),
	                          address.known & ~(uint64_t)(size - 1)};
}

static void run_block_zero(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address = riscv_address(machine, machine->word[op->rs1]), block, piece;
	unsigned size = machine->block_bytes;
	if (exec_zero_told(machine))
		return;
	block = block_of(machine, op);
	if (!size) /* so that nobody takes it for an access of one byte */
		exec_log_access(machine, CAIRN_MEM_WRITE, block, 1, NULL, true, NULL);
	for (unsigned at = 0; at < size; at += PIECE) {
		piece = bits_add(block, bits_known(at));
		exec_log_access(machine, CAIRN_MEM_WRITE, piece, size < PIECE ? size : (unsigned)PIECE,
		                NULL, false, NULL);
	}
	if (!bits_all(address)) {
		cairn_machine_forget_memory(machine);
		return;
	}
	if (!size) {
		exec_zero_perhaps(machine, block.value, block.value + PAGE);
		exec_poke(machine, address.value, 1, bits_known(0));
	}
	for (unsigned at = 0; at < size; at += size < 8 ? size : 8)
		exec_poke(machine, block.value + at, size < 8 ? size : 8, bits_known(0));
}

/* What was written to the block may be lost, and what others wrote may show. */
static void run_block_invalidate(struct cairn_machine *machine, const struct exec_op *op)
{
	static const uint8_t nothing[PIECE];
	unsigned size = machine->block_bytes ? machine->block_bytes : (unsigned)PAGE;
	bool known = bits_all(riscv_address(machine, machine->word[op->rs1]));
	struct exec_bits block = block_of(machine, op);
	exec_undetermined(machine, "what a block of memory holds behind cbo.inval is not determined");
	exec_log_access(machine, CAIRN_MEM_WRITE, block, 1, NULL, true, NULL);
	machine->known[machine->n_values - 1] = 0;
	if (!known)
		cairn_machine_forget_memory(machine);
	for (unsigned at = 0; at < size && known; at += PIECE)
		cairn_machine_write(machine, block.value + at, size < PIECE ? size : (unsigned)PIECE,
		                    nothing, nothing);
}

/* ---- atomics ---- */

static struct exec_bits amo_second(struct exec_bits a, struct exec_bits b)
{
	(void)a;
	return b;
}
static struct exec_bits amo_min(struct exec_bits a, struct exec_bits b)
{
	return bits_choose(bits_less_signed(a, b), a, b);
}
static struct exec_bits amo_max(struct exec_bits a, struct exec_bits b)
{
	return bits_choose(bits_less_signed(a, b), b, a);
}
static struct exec_bits amo_minu(struct exec_bits a, struct exec_bits b)
{
	return bits_choose(bits_less(a, b), a, b);
}
static struct exec_bits amo_maxu(struct exec_bits a, struct exec_bits b)
{
	return bits_choose(bits_less(a, b), b, a);
}

/* By bits 31:29 of the encoding; amoadd and amoswap have others of bits 28:27. */
static struct exec_bits amo_result(const struct exec_op *op, struct exec_bits a, struct exec_bits b)
{
	static struct exec_bits (*const of[8])(struct exec_bits, struct exec_bits) = {
		bits_add, bits_xor, bits_or, bits_and, amo_min, amo_max, amo_minu, amo_maxu};
	return (op->enc >> 27 & 3) == 1 ? amo_second(a, b) : of[op->enc >> 29](a, b);
}

static void run_amo(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address = riscv_address(machine, machine->word[op->rs1]);
	struct exec_bits operand = extended(machine->word[op->rs2], op->width, true);
	struct exec_bits before = extended(exec_load(machine, address, op->width), op->width, true);
	exec_store(machine, address, op->width, amo_result(op, before, operand), false);
	riscv_put(machine, op->rd, before);
}

/* Whether a store-conditional succeeds depends on what no trace holds. If the trace has the store
 * or its result, that decides. */
static void run_store_conditional(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address = riscv_address(machine, machine->word[op->rs1]);
	bool stored = exec_told(machine, CAIRN_MEM_WRITE, 0) != NULL;
	exec_store(machine, address, op->width, machine->word[op->rs2], !stored);
	if (!stored)
		exec_undetermined(machine, "whether a store-conditional succeeds is not determined");
	/* A failure gives a code other than 0; which one is left open. */
	riscv_put(machine, op->rd, stored ? bits_known(0) : bits_unknown());
}

/* Compare and swap: the store takes place where memory holds what rd held before. */
static void compare_and_swap(struct cairn_machine *machine, struct exec_bits address,
                             unsigned width, struct exec_bits expected, struct exec_bits desired,
                             struct exec_bits *before)
{
	*before = exec_load(machine, address, width);
	struct exec_bits same =
		bits_equal(*before, width < 8 ? bits_zero_extend(expected, 8 * width) : expected);
	bool told = exec_told(machine, CAIRN_MEM_WRITE, 0) != NULL;
	if (same.known & 1 ? same.value & 1 : true)
		exec_store(machine, address, width, desired, !(same.known & 1) && !told);
}

static void run_amocas(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits before, expected = op->rd < EXEC_WORDS ? machine->word[op->rd] : bits_known(0);
	struct exec_bits address = riscv_address(machine, machine->word[op->rs1]);
	compare_and_swap(machine, address, op->width, expected, machine->word[op->rs2], &before);
	riscv_put(machine, op->rd, extended(before, op->width, true));
}

/* amocas.d of RV32: pairs of registers. */
static void run_amocas_pair(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address = riscv_address(machine, machine->word[op->rs1]), before;
	struct exec_bits desired = joined(machine->word[op->rs2], machine->word[next_of(op->rs2)]);
	struct exec_bits expected = bits_known(0);
	if (op->rd < EXEC_WORDS)
		expected = joined(machine->word[op->rd], machine->word[op->rd + 1]);
	compare_and_swap(machine, address, 8, expected, desired, &before);
	put_pair(machine, op->rd, before);
}

/* ---- Zcmp: registers to the stack and back ---- */

/* Registers ra, s0, s1, s2 … in the order of the list. */
static unsigned listed_register(unsigned index)
{
	return index == 0 ? 1 : index < 3 ? 7 + index : 15 + index;
}

/* The list's bytes, rounded up to 16, and those that the encoding adds. */
static int64_t stack_bytes(const struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned bytes = isa_riscv_listed(op->enc) * (riscv_is_narrow(machine) ? 4 : 8);
	return ((bytes + 15) & ~15u) + (op->enc >> 2 & 3) * 16;
}

static struct exec_bits stack_pointer(const struct cairn_machine *machine, int64_t change)
{
	struct exec_bits to = bits_add(machine->word[RISCV_X + 2], bits_known((uint64_t)change));
	return riscv_is_narrow(machine) ? bits_sign_extend(to, 32) : to;
}

static void run_push(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned width = riscv_is_narrow(machine) ? 4 : 8, n = isa_riscv_listed(op->enc);
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits at = stack_pointer(machine, -(int64_t)(width * (i + 1)));
		unsigned number = listed_register(n - 1 - i);
		exec_store(machine, riscv_address(machine, at), width, machine->word[RISCV_X + number],
		           false);
	}
	riscv_put(machine, RISCV_X + 2, stack_pointer(machine, -stack_bytes(machine, op)));
}

enum { POP = 0, POP_RETURN = 1, POP_RETURN_ZERO = 2 };

static void run_pop(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned width = riscv_is_narrow(machine) ? 4 : 8, n = isa_riscv_listed(op->enc);
	struct exec_bits top = stack_pointer(machine, stack_bytes(machine, op));
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits at = bits_sub(top, bits_known(width * (i + 1)));
		struct exec_bits bits = exec_load(machine, riscv_address(machine, at), width);
		riscv_put(machine, RISCV_X + listed_register(n - 1 - i), extended(bits, width, true));
	}
	if (op->extra == POP_RETURN_ZERO)
		riscv_put(machine, RISCV_X + 10, bits_known(0));
	riscv_put(machine, RISCV_X + 2, top);
	if (op->extra != POP)
		exec_branch(
			machine, bits_truth(true, true),
			riscv_address(machine, bits_and(machine->word[RISCV_X + 1], bits_known(~UINT64_C(1)))));
}

/* ---- the table ---- */

#define LOAD(name, form, width, how) \
	{ \
		name, riscv_form_##form, {run_load, run_load}, width, how \
	}
#define STORE(name, form, width) \
	{ \
		name, riscv_form_##form, {run_store, run_store}, width, 0 \
	}
/* A doubleword is one register of RV64, and two of RV32. */
#define LOAD_8(name, form) \
	{ \
		name, riscv_form_##form, {run_load, run_load_pair}, 8, SIGNED \
	}
#define STORE_8(name, form) \
	{ \
		name, riscv_form_##form, {run_store, run_store_pair}, 8, 0 \
	}
#define AMO(name, run, width) \
	{ \
		name, riscv_form_r, {run_##run, run_##run}, width, 0 \
	}
#define AMOS(name) \
	AMO(name ".w", amo, 4), AMO(name ".d", amo, 8), AMO(name ".b", amo, 1), AMO(name ".h", amo, 2)
#define STACK(name, run, extra) \
	{ \
		name, riscv_form_none, {run_##run, run_##run}, 0, extra \
	}

const struct riscv_row riscv_memory_rows[] = {
	LOAD("lb", i, 1, SIGNED),
	LOAD("lh", i, 2, SIGNED),
	LOAD("lw", i, 4, SIGNED),
	LOAD_8("ld", i),
	LOAD("lbu", i, 1, 0),
	LOAD("lhu", i, 2, 0),
	LOAD("lwu", i, 4, 0),
	STORE("sb", s, 1),
	STORE("sh", s, 2),
	STORE("sw", s, 4),
	STORE_8("sd", s),
	{"cbo.zero", riscv_form_i, {run_block_zero, run_block_zero}, 0, 0},
	{"cbo.inval", riscv_form_i, {run_block_invalidate, run_block_invalidate}, 0, 0},
	/* C, Zcb, Zclsd */
	LOAD("c.lw", cl, 4, SIGNED),
	LOAD_8("c.ld", cl),
	STORE("c.sw", cs, 4),
	STORE_8("c.sd", cs),
	LOAD("c.lwsp", cl_sp, 4, SIGNED),
	LOAD_8("c.ldsp", cl_sp),
	STORE("c.swsp", cs_sp, 4),
	STORE_8("c.sdsp", cs_sp),
	LOAD("c.lbu", cl_byte, 1, 0),
	LOAD("c.lhu", cl_byte, 2, 0),
	LOAD("c.lh", cl_byte, 2, SIGNED),
	STORE("c.sb", cs_byte, 1),
	STORE("c.sh", cs_byte, 2),
	/* A, Zabha, Zacas */
	{"lr.w", riscv_form_r, {run_load, run_load}, 4, SIGNED},
	{"lr.d", riscv_form_r, {run_load, run_load}, 8, SIGNED},
	AMO("sc.w", store_conditional, 4),
	AMO("sc.d", store_conditional, 8),
	AMOS("amoswap"),
	AMOS("amoadd"),
	AMOS("amoxor"),
	AMOS("amoand"),
	AMOS("amoor"),
	AMOS("amomin"),
	AMOS("amomax"),
	AMOS("amominu"),
	AMOS("amomaxu"),
	AMO("amocas.b", amocas, 1),
	AMO("amocas.h", amocas, 2),
	AMO("amocas.w", amocas, 4),
	{"amocas.d", riscv_form_r, {run_amocas, run_amocas_pair}, 8, 0},
	/* Zcmp */
	STACK("cm.push", push, 0),
	STACK("cm.pop", pop, POP),
	STACK("cm.popret", pop, POP_RETURN),
	STACK("cm.popretz", pop, POP_RETURN_ZERO),
	{NULL}};
