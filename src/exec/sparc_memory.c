/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: loads, stores and atomics of integer registers, by address spaces.
 *
 * Of the address spaces that an instruction can state, those of the primary context are memory as
 * the machine has it. What others hold is not known, and a store to one may be to that memory under
 * another name.
 */
#include "exec/sparc.h"

/* ---- address spaces ---- */

/* Spaces whose loads do not fault cannot be stored to. */
static enum sparc_space space_of(const struct exec_op *op, unsigned asi)
{
	enum { PRIMARY = 0x80, NO_FAULT = 2, LITTLE = 8 };
	bool loads = op->cls == CAIRN_CLASS_LOAD;
	if ((asi & ~(unsigned)(LITTLE | (loads ? NO_FAULT : 0))) != PRIMARY)
		return SPARC_SPACE_OTHER;
	return asi & LITTLE ? SPARC_SPACE_LITTLE : SPARC_SPACE_PRIMARY;
}

/* Forms that state no space have the one in force, whose order of bytes is PSTATE's. */
static enum sparc_space space_in_force(const struct cairn_machine *machine)
{
	enum { CURRENT_LITTLE_ENDIAN = 9 };
	return machine->word[SPARC_PSTATE].value >> CURRENT_LITTLE_ENDIAN & 1 ? SPARC_SPACE_LITTLE
	                                                                      : SPARC_SPACE_PRIMARY;
}

int sparc_stated_asi(const struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits asi = machine->word[SPARC_ASI];
	if (!isa_sparc_has_constant(op->enc))
		return (int)(op->enc >> 5 & 0xff);
	return bits_all(asi) ? (int)asi.value : -1;
}

static enum sparc_space stated_space(const struct cairn_machine *machine, const struct exec_op *op)
{
	int asi = sparc_stated_asi(machine, op);
	return asi < 0 ? SPARC_SPACE_OTHER : space_of(op, (unsigned)asi);
}

enum { SIGNED = 1 }; /* sparc_row.extra */

enum sparc_space sparc_space(const struct cairn_machine *machine, const struct exec_op *op)
{
	return op->extra & SPARC_STATED ? stated_space(machine, op) : space_in_force(machine);
}

/* ---- accesses ---- */

bool sparc_address_of(struct cairn_machine *machine, const struct exec_op *op,
                      struct exec_bits *address)
{
	struct exec_bits second = sparc_second(machine, op);
	*address = sparc_address(machine, bits_add(machine->word[op->rs1], second));
	return !sparc_is_misaligned(machine, *address, op->width);
}

struct exec_bits sparc_swapped(struct exec_bits bits, unsigned size)
{
	unsigned shift = 64 - 8 * size;
	bits = (struct exec_bits){__builtin_bswap64(bits.value), __builtin_bswap64(bits.known)};
	return bits_right(bits, shift);
}

struct exec_bits sparc_load(struct cairn_machine *machine, const struct exec_op *op,
                            struct exec_bits address, unsigned size)
{
	enum sparc_space space = sparc_space(machine, op);
	if (space == SPARC_SPACE_OTHER) {
		exec_undetermined(machine, "what this address space holds is not determined");
		return bits_zero_extend(bits_unknown(), 8 * size);
	}
	struct exec_bits bits = exec_load(machine, address, size);
	return space == SPARC_SPACE_LITTLE ? sparc_swapped(bits, size) : bits;
}

void sparc_store(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits address,
                 unsigned size, struct exec_bits bits, bool maybe)
{
	enum sparc_space space = sparc_space(machine, op);
	if (space == SPARC_SPACE_OTHER) {
		exec_undetermined(machine, "what a store to this address space changes is not determined");
		cairn_machine_forget_memory(machine);
		return;
	}
	exec_store(machine, address, size,
	           space == SPARC_SPACE_LITTLE ? sparc_swapped(bits, size) : bits, maybe);
}

static struct exec_bits extended(struct exec_bits bits, const struct exec_op *op)
{
	return op->extra & SIGNED ? bits_sign_extend(bits, 8 * op->width) : bits;
}

static void run_load(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_address_of(machine, op, &address))
		sparc_put(machine, op->rd, extended(sparc_load(machine, op, address, op->width), op));
}

/* What a store writes: the register in the place of a destination. */
static struct exec_bits stored(const struct cairn_machine *machine, const struct exec_op *op)
{
	return machine->word[sparc_source(op->enc >> 25 & 31)];
}

static void run_store(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_address_of(machine, op, &address))
		sparc_store(machine, op, address, op->width, stored(machine, op), false);
}

/* ---- pairs: the register with the even number has the upper half ---- */

/* In little-endian spaces each word has its bytes in that order, not both together. */
static struct exec_bits halves_swapped(const struct cairn_machine *machine,
                                       const struct exec_op *op, struct exec_bits pair)
{
	if (sparc_space(machine, op) != SPARC_SPACE_LITTLE)
		return pair;
	return bits_or(bits_right(pair, 32), bits_left(pair, 32));
}

/* Some spaces load 16 bytes. */
static bool is_quad(const struct exec_op *op)
{
	unsigned asi = op->enc >> 5 & 0xff;
	return op->extra & SPARC_STATED && (isa_sparc_has_constant(op->enc) || asi < 0x80);
}

static void run_load_pair(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address, pair = bits_unknown();
	bool other = sparc_space(machine, op) == SPARC_SPACE_OTHER;
	if (!sparc_address_of(machine, op, &address))
		return;
	pair = halves_swapped(machine, op, sparc_load(machine, op, address, 8));
	bool quad = other && is_quad(op);
	unsigned rd = op->enc >> 25 & 31;
	sparc_put(machine, sparc_target(rd), quad ? bits_unknown() : bits_right(pair, 32));
	sparc_put(machine, SPARC_R + rd + 1, quad ? bits_unknown() : bits_zero_extend(pair, 32));
}

static void run_store_pair(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (!sparc_address_of(machine, op, &address))
		return;
	struct exec_bits low =
		bits_zero_extend(machine->word[SPARC_R + ((op->enc >> 25 & 31) | 1)], 32);
	struct exec_bits pair = bits_or(low, bits_left(stored(machine, op), 32));
	sparc_store(machine, op, address, 8, halves_swapped(machine, op, pair), false);
}

/* ---- atomics ---- */

static void run_ldstub(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (!sparc_address_of(machine, op, &address))
		return;
	struct exec_bits before = sparc_load(machine, op, address, 1);
	sparc_store(machine, op, address, 1, bits_known(0xff), false);
	sparc_put(machine, op->rd, before);
}

static void run_swap(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (!sparc_address_of(machine, op, &address))
		return;
	struct exec_bits before = sparc_load(machine, op, address, 4);
	sparc_store(machine, op, address, 4, bits_zero_extend(stored(machine, op), 32), false);
	sparc_put(machine, op->rd, before);
}

/* Compare and swap: rs2 is what is expected, and rs1 alone the address. */
static void run_cas(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address = sparc_address(machine, machine->word[op->rs1]);
	struct exec_bits expected = machine->word[op->rs2], desired = stored(machine, op);
	if (sparc_is_misaligned(machine, address, op->width))
		return;
	struct exec_bits before = sparc_load(machine, op, address, op->width);
	if (op->width == 4) {
		expected = bits_zero_extend(expected, 32);
		desired = bits_zero_extend(desired, 32);
	}
	struct exec_bits same = bits_equal(before, expected);
	bool told = exec_told(machine, CAIRN_MEM_WRITE, 0) != NULL, unknown = !(same.known & 1);
	if (unknown || same.value & 1)
		sparc_store(machine, op, address, op->width, desired, unknown && !told);
	sparc_put(machine, op->rd, before);
}

/* ---- how operands are encoded ---- */

/* Where the field of a constant says that the space is in %asi, it is one. */
static void form_cas(struct exec_op *op)
{
	op->rs2 = sparc_source(op->enc & 31);
}

/* ---- the table: by op3; those that state a space are 0x10 above ---- */

#define BOTH(op3, run, width, how) \
	[op3] = {run_##run, NULL, width, how}, \
	[(op3) | 0x10] = {run_##run, NULL, width, (how) | SPARC_STATED}

const struct sparc_row *sparc_memory_row(uint32_t enc)
{
	static const struct sparc_row rows[64] = {
		BOTH(0x00, load, 4, 0),
		BOTH(0x01, load, 1, 0),
		BOTH(0x02, load, 2, 0),
		BOTH(0x03, load_pair, 8, 0),
		BOTH(0x04, store, 4, 0),
		BOTH(0x05, store, 1, 0),
		BOTH(0x06, store, 2, 0),
		BOTH(0x07, store_pair, 8, 0),
		BOTH(0x08, load, 4, SIGNED),
		BOTH(0x09, load, 1, SIGNED),
		BOTH(0x0a, load, 2, SIGNED),
		BOTH(0x0b, load, 8, 0),
		BOTH(0x0d, ldstub, 1, 0),
		BOTH(0x0e, store, 8, 0),
		BOTH(0x0f, swap, 4, 0),
		[0x3c] = {run_cas, form_cas, 4, SPARC_STATED},
		[0x3e] = {run_cas, form_cas, 8, SPARC_STATED},
	};
	return enc >> 30 == 3 && rows[isa_sparc_op3(enc)].run ? &rows[isa_sparc_op3(enc)] : NULL;
}
