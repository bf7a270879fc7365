/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_ARM64_SVE_H
#define EXEC_ARM64_SVE_H
/*
 * SVE: vectors of a length that the machine is told, and predicates, of which one bit stands for a
 * byte of a vector. Nothing here is run while the length is not known.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C8.
 */
#include "exec/arm64_float.h"

/* What one element of so many bits becomes. Operands are extended to 64 bits; of the result the
 * lower bits are taken, and of a comparison the lowest. */
typedef struct exec_bits sve_function(struct exec_bits a, struct exec_bits b, unsigned bits);

/* A row of SVE's tables: encodings by mask and value, and what runs them. */
struct sve_row {
	uint32_t mask, match;
	exec_handler *run;
	sve_function *function; /* where the handler is of many */
	uint8_t extra;
	arm64_compute *const *compute; /* the same of floating point */
	arm64_element *element;        /* the same of what Advanced SIMD has, too */
};
/* Each ends with a row without a handler. */
extern const struct sve_row arm64_sve_integer_rows[], arm64_sve_permute_rows[],
	arm64_sve_predicate_rows[], arm64_sve_count_vector_rows[], arm64_sve_float_rows[],
	arm64_sve_convert_rows[], arm64_sve_function_rows[], arm64_sve2_rows[],
	arm64_sve2_complex_rows[], arm64_sve2_bits_rows[], arm64_sve2_float_rows[],
	arm64_sve_crypto_rows[];

/* A vector, or a predicate, while it is computed. */
struct sve_vector {
	struct exec_bits word[ARM64_VECTOR];
};
struct sve_predicate {
	struct exec_bits word[ARM64_PREDICATE];
};

/* The first words of registers, by their numbers and by a field of the encoding. */
static inline unsigned sve_register(unsigned number)
{
	return ARM64_V + ARM64_VECTOR * number;
}

static inline unsigned sve_predicate_register(unsigned number)
{
	return ARM64_P + ARM64_PREDICATE * number;
}

static inline unsigned sve_z(const struct exec_op *op, unsigned low)
{
	return sve_register(op->enc >> low & 31);
}

static inline unsigned sve_p(const struct exec_op *op, unsigned low)
{
	return sve_predicate_register(op->enc >> low & 15);
}

/* The predicate of bits 12 to 10, p0 to p7. */
static inline unsigned sve_governing(const struct exec_op *op)
{
	return sve_predicate_register(op->enc >> 10 & 7);
}

/* The predicate of elements that loads up to a fault have loaded. */
enum { SVE_FFR = ARM64_P + 16 * ARM64_PREDICATE };

/* How many elements of so many bytes a vector has. */
static inline unsigned sve_elements(const struct cairn_machine *machine, unsigned size)
{
	return machine->vector_bits / 8 / size;
}

/* Bytes of an element by bits 23 and 22. */
static inline unsigned sve_size(const struct exec_op *op)
{
	return 1u << (op->enc >> 22 & 3);
}

/* The size of elements, and the places of a shift in `imm`: by the topmost one of a field, and what
 * is below it with three bits more. */
static inline void sve_take_places(struct exec_op *op, unsigned tsz_and_low, bool to_the_right)
{
	unsigned log = 31 - (unsigned)__builtin_clz(tsz_and_low >> 3), bits = 8u << log;
	op->width = (uint8_t)(1u << log);
	op->imm = to_the_right ? 2 * bits - tsz_and_low : tsz_and_low - bits;
}

/* The second operand is one element of each 128 bits. Of 2 or 4 bytes its number is in bits 20 and
 * 19 and the register one of z0 to z7, with more bits one of z0 to z15 and bit 20. */
struct sve_chosen {
	unsigned word, index;
};
static inline struct sve_chosen sve_choose(const struct exec_op *op, bool short_number)
{
	return (struct sve_chosen){sve_register(arm64_field(op, short_number ? 19 : 18, 16)),
	                           arm64_field(op, 20, short_number ? 20 : 19)};
}

/* The bit of a predicate, at `word`, for element `index` of `size` bytes: 0 or 1. */
static inline struct exec_bits sve_active(const struct cairn_machine *machine, unsigned word,
                                          unsigned size, unsigned index)
{
	unsigned at = size * index;
	return bits_and(bits_right(machine->word[word + at / 64], at % 64), bits_known(1));
}

static inline void sve_set_active(struct sve_predicate *predicate, unsigned size, unsigned index,
                                  struct exec_bits truth)
{
	unsigned at = size * index;
	struct exec_bits *word = &predicate->word[at / 64];
	uint64_t bit = UINT64_C(1) << at % 64;
	word->value = (word->value & ~bit) | (truth.value & 1) << at % 64;
	word->known = (word->known & ~bit) | (truth.known & 1) << at % 64;
}

/* A predicate of which no element is active. */
static inline struct sve_predicate sve_none(void)
{
	struct sve_predicate none;
	for (unsigned i = 0; i < ARM64_PREDICATE; i++)
		none.word[i] = bits_known(0);
	return none;
}

/* Give a register its value. */
void sve_put(struct cairn_machine *machine, unsigned word, const struct sve_vector *vector);
void sve_put_predicate(struct cairn_machine *machine, unsigned word,
                       const struct sve_predicate *predicate);
/* A scalar in the lowest element of a vector register, whose other bytes become 0. */
void sve_put_scalar(struct cairn_machine *machine, unsigned word, unsigned size,
                    struct exec_bits bits);
/* NZCV by the elements of `predicate` that `governing` selects: N the first one, Z none, C not the
 * last one. `governing` NULL: all. */
void sve_test(struct cairn_machine *machine, const struct exec_bits *governing,
              const struct sve_predicate *predicate, unsigned size);

/* ---- arm64_sve_float.c: what the row computes, of each element ---- */

/* zdn and zm where pg is active; zn and zm; zdn and zm. */
exec_handler arm64_sve_merging, arm64_sve_both, arm64_sve_destructive;

/* What runs a load, a store or a prefetch; NULL: it is not modelled. arm64_sve_memory.c */
const struct sve_row *arm64_sve_memory(uint32_t enc);

/* ---- arm64_sve_count.c ---- */

/* How many of a vector's `n` elements a pattern selects. */
unsigned arm64_sve_elements_of(unsigned pattern, unsigned n);
/* from + count or from - count, limited to what `width` bits can hold. */
uint64_t arm64_sve_saturated(uint64_t from, uint64_t count, unsigned width, bool down,
                             bool is_unsigned);
/* The same for each element of zdn. */
void arm64_sve_count_each(struct cairn_machine *machine, const struct exec_op *op,
                          struct exec_bits count, bool saturates, bool down, bool is_unsigned);

#endif
