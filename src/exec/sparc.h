/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_SPARC_H
#define EXEC_SPARC_H
/*
 * SPARC V9: where registers lie, and what the files of this set offer to each other.
 *
 * Registers of the window in force have fixed words. When the window turns, the locals and ins
 * of the one that is left go to a frame, and come back from it. Frames form a ring: what
 * would not fit takes the place of the oldest, and a frame that was taken back is unknown.
 *
 * Sources of all files: The SPARC Architecture Manual, Version 9, appendix A; for what it leaves
 * to implementations, and for VIS, the SPARC Joint Programming Specification 1 (JPS1).
 */
#include "exec/machine.h"
#include "isa/sparc.h"

enum {
	SPARC_R = 0,  /* %g0 is not here: EXEC_ZERO, EXEC_NOWHERE */
	SPARC_D = 32, /* %d62 first, %d0 last: so the lower half of a quad register comes first */
	SPARC_CCR = 64,
	SPARC_Y,
	SPARC_ASI,
	SPARC_FPRS,
	SPARC_GSR,
	SPARC_FSR,
	SPARC_FCC, /* the condition codes of FSR again: %fcc0 in bits 1:0, and so on */
	SPARC_PC,
	SPARC_NPC,
	SPARC_PSTATE,
	SPARC_CWP, /* only matters if it is set from outside */
	SPARC_CANSAVE,
	SPARC_CANRESTORE,
	SPARC_CLEANWIN,
	SPARC_OTHERWIN,
	/* value: the step before had no delay slot, so that control goes on behind this one */
	SPARC_STRAIGHT,
	SPARC_TOP, /* value: the frame that comes back next */
	SPARC_FRAMES,
	SPARC_FRAME = 16, /* words of one: locals, ins */
	SPARC_MOST_FRAMES = 32
};

/* What runs an encoding. */
struct sparc_row {
	exec_handler *run;
	void (*form)(struct exec_op *op); /* how operands are encoded; NULL: rs1, rs2 or simm13, rd */
	uint8_t width, extra;
};

/* The row of an encoding, which is legal; NULL where this file has none. */
const struct sparc_row *sparc_integer_row(uint32_t enc);
const struct sparc_row *sparc_control_row(uint32_t enc);
const struct sparc_row *sparc_memory_row(uint32_t enc);
const struct sparc_row *sparc_float_row(uint32_t enc);
const struct sparc_row *sparc_quad_row(uint32_t enc);
const struct sparc_row *sparc_fused_row(uint32_t enc);
const struct sparc_row *sparc_vis_row(uint32_t enc);
const struct sparc_row *sparc_vis3_row(uint32_t enc);

/* The word of integer register `number`, to be read and to be written. */
static inline uint16_t sparc_source(unsigned number)
{
	return (uint16_t)(number ? SPARC_R + number : EXEC_ZERO);
}

static inline uint16_t sparc_target(unsigned number)
{
	return (uint16_t)(number ? SPARC_R + number : EXEC_NOWHERE);
}

/* The second operand: a register or a constant. */
static inline struct exec_bits sparc_second(const struct cairn_machine *machine,
                                            const struct exec_op *op)
{
	return op->rs2 == EXEC_NOWHERE ? bits_known((uint64_t)op->imm) : machine->word[op->rs2];
}

/* Make it a constant: the lowest `bits` bits of the encoding, sign-extended. */
static inline void sparc_constant(struct exec_op *op, unsigned bits)
{
	op->rs2 = EXEC_NOWHERE;
	op->imm = (int32_t)(op->enc << (32 - bits)) >> (32 - bits);
}

static inline void sparc_put(struct cairn_machine *machine, unsigned word, struct exec_bits bits)
{
	exec_put(machine, word, CAIRN_REG_INT, word - SPARC_R, bits);
}

static inline void sparc_put_ccr(struct cairn_machine *machine, struct exec_bits bits)
{
	exec_put(machine, SPARC_CCR, CAIRN_REG_FLAGS, 0, bits);
}

/* Ancillary state. */
static inline void sparc_put_state(struct cairn_machine *machine, unsigned word, unsigned number,
                                   struct exec_bits bits)
{
	exec_put(machine, word, CAIRN_REG_CSR, ISA_SPARC_ASR + number, bits);
}

/* One bit, as a truth. */
static inline struct exec_bits sparc_bit(struct exec_bits bits, unsigned n)
{
	return bits_and(bits_right(bits, n), bits_known(1));
}

static inline struct exec_bits sparc_not(struct exec_bits truth)
{
	return bits_xor(truth, bits_known(1));
}

/* An address as PSTATE.AM makes it, 32 or 64 bits. */
struct exec_bits sparc_address(struct cairn_machine *machine, struct exec_bits bits);
/* Is an address known not to be a multiple of `size`, a power of two? Then the step is a trap. */
bool sparc_is_misaligned(struct cairn_machine *machine, struct exec_bits address, unsigned size);

/* `size` bytes, up to 8, of the address space that the instruction states, or of the one in force: rows
 * say in `extra` which. */
enum { SPARC_STATED = 2 };
struct exec_bits sparc_load(struct cairn_machine *machine, const struct exec_op *op,
                            struct exec_bits address, unsigned size);
void sparc_store(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits address,
                 unsigned size, struct exec_bits bits, bool maybe);
/* The address space that an instruction states; -1: it is in %asi, and not known. */
int sparc_stated_asi(const struct cairn_machine *machine, const struct exec_op *op);
/* What the machine has of the address space of an access: its memory, the same in the other order of
 * bytes, or nothing. */
enum sparc_space { SPARC_SPACE_PRIMARY, SPARC_SPACE_LITTLE, SPARC_SPACE_OTHER };
enum sparc_space sparc_space(const struct cairn_machine *machine, const struct exec_op *op);
/* `size` bytes in the other order. */
struct exec_bits sparc_swapped(struct exec_bits bits, unsigned size);
/* The address of an access of `width` bytes; false: it is not aligned, and the step is a trap. */
bool sparc_address_of(struct cairn_machine *machine, const struct exec_op *op,
                      struct exec_bits *address);

/* Condition codes by the encodings: %fcc0 to %fcc3 are 0 to 3. */
enum { SPARC_ICC = 4, SPARC_XCC = 6 };
/* Does condition `cond` of branches hold? */
struct exec_bits sparc_condition(const struct cairn_machine *machine, unsigned codes,
                                 unsigned cond);
/* Does the value of a register fulfil condition `cond` of BPr? */
struct exec_bits sparc_register_condition(struct exec_bits bits, unsigned cond);

/* Set the condition codes as subcc does. */
void sparc_put_difference_codes(struct cairn_machine *machine, struct exec_bits a,
                                struct exec_bits b);

/* Is floating point on? Else the step is a trap. */
bool sparc_has_float(struct cairn_machine *machine);
/* Registers by the fields of encodings; a single is in the lowest 32 bits. */
struct exec_bits sparc_single(const struct cairn_machine *machine, unsigned field);
struct exec_bits sparc_double(const struct cairn_machine *machine, unsigned field);
void sparc_put_single(struct cairn_machine *machine, unsigned field, struct exec_bits bits);
void sparc_put_double(struct cairn_machine *machine, unsigned field, struct exec_bits bits);
void sparc_put_fsr(struct cairn_machine *machine, struct exec_bits fsr);
/* FSR has got other condition codes. */
void sparc_take_codes(struct cairn_machine *machine);

/* The window before comes, or the next one. False: that is a trap. */
bool sparc_restore_window(struct cairn_machine *machine);
bool sparc_save_window(struct cairn_machine *machine);
/* Forget what lies in windows that are not in force. */
void sparc_forget_frames(struct cairn_machine *machine);

#endif
