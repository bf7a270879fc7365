/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_ARM64_H
#define EXEC_ARM64_H
/*
 * A64: where registers lie, and what the files of this set offer to each other.
 *
 * General registers are words of 64 bits; what writes 32 bits clears the upper ones. Vectors have
 * room for SVE's greatest length; what writes the 128 bits of one clears those above.
 */
#include "exec/machine.h"
#include "isa/arm64.h"

enum {
	ARM64_X = 0, /* x0 to x30 */
	ARM64_SP = 31,
	ARM64_NZCV, /* 4 bits */
	ARM64_FPCR,
	ARM64_FPSR,
	ARM64_TPIDR, /* TPIDR_EL0 */
	ARM64_TPIDRRO,
	ARM64_CTR,
	ARM64_DCZID,
	ARM64_MOST_VECTOR_BITS = 2048,
	ARM64_VECTOR = ARM64_MOST_VECTOR_BITS / 64, /* words of a vector register */
	ARM64_PREDICATE = ARM64_VECTOR / 8,
	ARM64_V = 64, /* the lowest two words of each, of which the others are SVE's */
	ARM64_P = ARM64_V + 32 * ARM64_VECTOR, /* p0 to p15, FFR */
	ARM64_ALL_WORDS = ARM64_P + 17 * ARM64_PREDICATE
};

/* The bits of NZCV. */
enum { ARM64_N = 8, ARM64_Z = 4, ARM64_C = 2, ARM64_FLAG_V = 1 };

/* A row of the tables: encodings by mask and value, how their operands are encoded, and what runs
 * them with registers of 32 bits and, with the topmost bit set, of 64. An encoding that the decoder
 * knows fits one row or none. */
struct arm64_row {
	uint32_t mask, match;
	void (*operands)(struct exec_op *op);
	exec_handler *run[2];
	uint8_t width, extra;
};
/* Each ends with a row without operands. */
extern const struct arm64_row arm64_integer_rows[], arm64_control_rows[], arm64_scalar_rows[],
	arm64_scalar_convert_rows[], arm64_float_rows[], arm64_convert_rows[], arm64_vector_rows[],
	arm64_permute_rows[], arm64_crypto_rows[], arm64_sve_count_rows[];

/* Loads and stores, by isa/arm64.h's description of the access: arm64_memory.c. */
bool arm64_translate_memory(struct exec_op *op);
/* Copies and sets of memory by three instructions, of that description: arm64_mops.c. */
bool arm64_translate_mops(const struct isa_arm64_access *access, struct exec_op *op);
/* Registers of the sequence under way may have been told, or forgotten. */
void arm64_sequence_told(struct cairn_machine *machine);
/* What works on Z and P registers: arm64_sve.c. */
bool arm64_translate_sve(struct exec_op *op);

/* The word of general register `number`, to be read and to be written; 31 is zero or, for
 * addresses and what computes them, SP. */
static inline uint16_t arm64_source(unsigned number)
{
	return (uint16_t)(number == 31 ? EXEC_ZERO : ARM64_X + number);
}

static inline uint16_t arm64_target(unsigned number)
{
	return (uint16_t)(number == 31 ? EXEC_NOWHERE : ARM64_X + number);
}

static inline uint16_t arm64_or_sp(unsigned number)
{
	return (uint16_t)(ARM64_X + number);
}

/* Bits `high` to `low` of the encoding. */
static inline uint32_t arm64_field(const struct exec_op *op, unsigned high, unsigned low)
{
	return op->enc >> low & (UINT32_MAX >> (31 - (high - low)));
}

static inline void arm64_put(struct cairn_machine *machine, unsigned word, struct exec_bits bits)
{
	exec_put(machine, word, CAIRN_REG_INT, word - ARM64_X, bits);
}

static inline void arm64_put_flags(struct cairn_machine *machine, struct exec_bits nzcv)
{
	exec_put(machine, ARM64_NZCV, CAIRN_REG_FLAGS, 0, bits_zero_extend(nzcv, 4));
}

/* All of a vector register as Advanced SIMD has it, of which `word` is the first word. */
static inline void arm64_put_vector(struct cairn_machine *machine, unsigned word,
                                    const struct exec_bits *bits)
{
	exec_put_words(machine, word, CAIRN_REG_VECTOR, (word - ARM64_V) / ARM64_VECTOR, bits, 2);
	if (machine->vector_bits)
		for (unsigned i = 2; i < ARM64_VECTOR; i++)
			machine->word[word + i] = bits_known(0);
}

/* Element `index`, of `size` bytes, of a vector register; bits above it are 0. */
static inline struct exec_bits arm64_lane(const struct cairn_machine *machine, unsigned word,
                                          unsigned size, unsigned index)
{
	unsigned at = index * size;
	struct exec_bits bits = machine->word[word + at / 8];
	return size == 8 ? bits : bits_zero_extend(bits_right(bits, at % 8 * 8), 8 * size);
}

/* Put an element of a result, which holds zeros where nothing was put. */
static inline void arm64_set_lane(struct exec_bits *to, unsigned size, unsigned index,
                                  struct exec_bits bits)
{
	unsigned at = index * size, shift = at % 8 * 8;
	uint64_t mask = UINT64_MAX >> (64 - 8 * size);
	to += at / 8;
	to->value = (to->value & ~(mask << shift)) | (bits.value & mask) << shift;
	to->known = (to->known & ~(mask << shift)) | (bits.known & mask) << shift;
}

/* What one element of a vector of integers becomes: arm64_lane.h. */
struct arm64_lane;
typedef struct exec_bits arm64_element(struct arm64_lane *lane, struct exec_bits a,
                                       struct exec_bits b, struct exec_bits c);

/* 64 bits by 64 bits without carries. */
void arm64_carryless(struct exec_bits a, struct exec_bits b, struct exec_bits to[2]);
/* The estimate of the reciprocal of a fraction of 32 bits, or of its root's. */
struct exec_bits arm64_integer_estimate(struct exec_bits a, bool of_root);

/* exec_op of what works on vectors: `width` bytes of an element, `imm` how many elements there are,
 * and, where the second operand is one element of a register for all, which one. */
enum { ARM64_ELEMENTS = 0xff, ARM64_INDEXED = 0x100, ARM64_INDEX_SHIFT = 12 };
static inline unsigned arm64_elements(const struct exec_op *op)
{
	return op->imm & ARM64_ELEMENTS;
}
static inline unsigned arm64_second_lane(const struct exec_op *op, unsigned index)
{
	return op->imm & ARM64_INDEXED ? (unsigned)(op->imm >> ARM64_INDEX_SHIFT) : index;
}

/* rd, rs1, rs2 as vector registers, and as rs3 rd. */
static inline void arm64_form_registers(struct exec_op *op)
{
	op->rd = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 4, 0));
	op->rs1 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 9, 5));
	op->rs2 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 20, 16));
	op->rs3 = op->rd;
}

/* A system register that is modelled, by the number that batches have. */
struct exec_place arm64_system_place(unsigned num);

/* Does the condition hold? */
struct exec_bits arm64_condition(const struct cairn_machine *machine, unsigned condition);

/* How operands are encoded: arm64_integer.c. */
void arm64_form_none(struct exec_op *op);
/* The manual's DecodeBitMasks, of an encoding that exists: a run of ones, turned, in elements of 2
 * to 64 bits. */
uint64_t arm64_run_of_ones(unsigned n, unsigned turn, unsigned imms);
void arm64_form_dnm(struct exec_op *op); /* rd, rn, rm, and ra as rs3 */

#endif
