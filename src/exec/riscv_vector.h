/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_RISCV_VECTOR_H
#define EXEC_RISCV_VECTOR_H
/*
 * RISC-V: vectors. What the files of these instructions share: the setting of vtype and vl under
 * which one runs, elements of register groups, and the engine that most instructions have in common.
 *
 * The registers of a group lie one behind the other in the machine's words, so element `i` of a group
 * is found by its place alone. Results are made in a copy of the destination, because it may be a
 * source, too.
 *
 * An agnostic element keeps its value or becomes all ones: known are the ones that it had. Encodings
 * that are reserved under the vtype in force make unknown what they may write. Where vtype, vl, vstart
 * or VLEN is not known, all that the encoding may write is unknown. Source: the unprivileged ISA
 * manual (2025), "V" and the chapters of the vector extensions.
 */
#include "exec/riscv.h"

enum {
	RISCV_MOST_VECTOR_BITS = 1024,
	RISCV_GROUP_WORDS = 8 * RISCV_MOST_VECTOR_BITS / 64, /* of the largest group of registers */
	RISCV_VSTART_CSR = 0x008,
	RISCV_VXSAT_CSR = 0x009,
	RISCV_VXRM_CSR = 0x00a,
	RISCV_VCSR_CSR = 0x00f,
	RISCV_VL_CSR = 0xc20,
	RISCV_VTYPE_CSR,
	RISCV_VLENB_CSR
};

struct riscv_vector;

/* What an element becomes of an element of vs2, the second operand, and what the destination
 * held. The first two are extended to 64 bits as the row says; of the result the lowest bits count. */
typedef struct exec_bits riscv_vector_value(struct riscv_vector *setting, struct exec_bits a,
                                            struct exec_bits b, struct exec_bits d);
struct float_env;
struct float_format;
typedef uint64_t riscv_vector_compute(struct float_env *env, const struct float_format *format,
                                      const uint64_t *number, const struct exec_op *op);

/* What the second operand is. */
enum riscv_vector_form {
	RISCV_FORM_VV,
	RISCV_FORM_VX,
	RISCV_FORM_VI, /* a signed constant */
	RISCV_FORM_VU, /* an unsigned one */
	RISCV_FORM_V6, /* of six bits */
	RISCV_FORM_VF,
	RISCV_FORM_V /* there is none */
};

/* Flags of a row. */
enum {
	RISCV_A_SIGNED = 1, /* operands are sign-extended, else zero-extended */
	RISCV_B_SIGNED = 2,
	RISCV_SIGNED = RISCV_A_SIGNED | RISCV_B_SIGNED,
	RISCV_D_WIDE = 4, /* elements of the destination have 2 * SEW bits */
	RISCV_A_WIDE = 8, /* those of vs2 have */
	RISCV_D_MASK = 16,
	RISCV_CARRY = 32,     /* v0 is an operand, which the function gets as `d`, and no mask */
	RISCV_ROUNDS = 64,    /* by vxrm */
	RISCV_FLOAT = 128,    /* elements are floating-point numbers */
	RISCV_NARROWER = 256, /* those of vs2 have SEW / 2, 4 or 8 bits, by `extra` */
	RISCV_CONVERTS = 512, /* between numbers and integers, by `extra` */
	RISCV_BF16 = 1024     /* numbers of 16 bits are BF16 */
};

/* `extra` of a reduction: a sum whose order implementations choose. */
enum { RISCV_ANY_ORDER = 128 };
/* The same of what moves elements, for the scalar ones of all tables. */
enum { RISCV_SLIDE_1_UP = 1, RISCV_SLIDE_1_DOWN };

/* A row of the tables. */
struct riscv_vector_row {
	const char *name;
	uint32_t mask, match;
	exec_handler *run;
	riscv_vector_value *value;
	riscv_vector_compute *compute;
	uint16_t flags;
	uint8_t form, extra;
};

extern const struct riscv_vector_row riscv_vector_setting_rows[], riscv_vector_memory_rows[],
	riscv_vector_integer_rows[], riscv_vector_mask_rows[], riscv_vector_float_rows[],
	riscv_vector_crypto_rows[];

/* The row of an encoding; NULL: there is none. */
const struct riscv_vector_row *riscv_vector_row_of(uint32_t enc);

/* ---- the setting ---- */

struct riscv_vector {
	struct cairn_machine *machine;
	const struct exec_op *op;
	const struct riscv_vector_row *row;
	unsigned words; /* of a register */
	unsigned vd, vs1, vs2;
	int log_sew, log_lmul; /* of bits, of registers */
	unsigned sew, vl, start, vlmax;
	unsigned width; /* bits of elements of vs2, at work */
	bool masked, tail_agnostic, mask_agnostic;
	bool sure;            /* the element at work is active, else it may be */
	unsigned rounding;    /* vxrm */
	struct exec_bits sat; /* truth: the element at work saturated */
	uint64_t raised,
		may_raise; /* floating-point flags by all of, by any of what may have been done */
};

/* Fill *setting. False: nothing more is to be done, because something of the setting is not known. */
bool riscv_vector_begin(struct cairn_machine *machine, const struct exec_op *op,
                        struct riscv_vector *setting);
/* All that the encoding may write is unknown. */
void riscv_vector_forget(struct cairn_machine *machine, const struct exec_op *op,
                         const char *reason);
/* The same of what is reserved. */
void riscv_vector_reserved(struct cairn_machine *machine, const struct exec_op *op);
/* Does the group begin where one of 2^log_emul registers may? */
bool riscv_vector_group(unsigned number, int log_emul);
/* May a destination overlap a source so? By numbers, logarithms of registers, bits of elements. */
bool riscv_vector_apart(unsigned vd, int emul_d, unsigned eew_d, unsigned vs, int emul_s,
                        unsigned eew_s);
/* vstart becomes 0 behind each vector instruction. */
void riscv_vector_end(struct cairn_machine *machine);
/* A register of the machine gets a value. */
void riscv_put_csr(struct cairn_machine *machine, unsigned word, unsigned number,
                   struct exec_bits bits);

static inline unsigned riscv_vector_words(const struct cairn_machine *machine)
{
	return machine->vector_bits / 64;
}

static inline struct exec_bits *riscv_vector_group_at(const struct riscv_vector *setting,
                                                      unsigned number)
{
	return &setting->machine->word[RISCV_V + number * setting->words];
}

/* ---- elements ---- */

static inline struct exec_bits riscv_element(const struct exec_bits *group, unsigned index,
                                             int log_eew)
{
	unsigned bit = index << log_eew, n = 1u << log_eew;
	struct exec_bits word = group[bit / 64];
	return log_eew == 6 ? word : bits_zero_extend(bits_right(word, bit % 64), n);
}

static inline void riscv_put_element(struct exec_bits *group, unsigned index, int log_eew,
                                     struct exec_bits bits)
{
	unsigned bit = index << log_eew, shift = bit % 64;
	struct exec_bits *word = &group[bit / 64];
	uint64_t mask = UINT64_MAX >> (64 - (1u << log_eew)) << shift;
	word->value = (word->value & ~mask) | (bits.value << shift & mask);
	word->known = (word->known & ~mask) | (bits.known << shift & mask);
}

/* What an agnostic element may be: it keeps its value or becomes all ones. */
static inline struct exec_bits riscv_agnostic(struct exec_bits bits)
{
	return (struct exec_bits){bits.value, bits.value};
}

/* Whether the mask, if there is one, has element `i` active. */
static inline struct exec_bits riscv_active(const struct riscv_vector *setting, unsigned index)
{
	return setting->masked ? riscv_element(&setting->machine->word[RISCV_V], index, 0)
	                       : bits_known(1);
}

/* An element becomes `made` where it is active; a mask that is not known leaves what both agree on. */
void riscv_settle(const struct riscv_vector *setting, struct exec_bits *to, unsigned i, int log_eew,
                  struct exec_bits active, struct exec_bits made);
/* The destination's tail behind element `vl`, and of a mask. */
void riscv_tail(const struct riscv_vector *setting, struct exec_bits *to, unsigned vl, int log_eew,
                int log_emul);
void riscv_tail_of_mask(const struct riscv_vector *setting, struct exec_bits *to);
/* Copy a group; give it to the machine. */
void riscv_take_group(const struct riscv_vector *setting, struct exec_bits *to, unsigned number,
                      int log_emul);
void riscv_put_group(const struct riscv_vector *setting, const struct exec_bits *from,
                     unsigned number, int log_emul);
/* The second operand where it is no vector; `bits` of it count. */
struct exec_bits riscv_vector_scalar(const struct riscv_vector *setting);
/* The flags that an instruction raised. */
void riscv_vector_flags(const struct riscv_vector *setting);
/* Are there numbers of this SEW, and is frm a rounding mode, as far as known? */
bool riscv_vector_floats(const struct riscv_vector *setting);
/* May a number of 2^log_eew bits be a NaN? */
bool riscv_may_be_nan(struct exec_bits bits, int log_eew);

/* Handlers: of rows with a function of elements; the same of reductions; of what puts a scalar into
 * element 0; of what moves elements to other places. */
exec_handler riscv_vector_elements, riscv_vector_reduce, riscv_vector_first_element,
	riscv_vector_move;

/* ---- tables ---- */

/* By funct6 and funct3; masked or not. OPF: rs1 decides as well. */
#define RISCV_OPV(f6, f3) ((uint32_t)(f6) << 26 | (uint32_t)(f3) << 12 | 0x57)
enum {
	RISCV_ANY_MASK = 0xfc00707f,
	RISCV_WITH_VM = 0xfe00707f,
	RISCV_WITH_RS1 = 0xfc0ff07f,
	RISCV_VM = 1 << 25
};
enum { RISCV_OPIVV, RISCV_OPFVV, RISCV_OPMVV, RISCV_OPIVI, RISCV_OPIVX, RISCV_OPFVF, RISCV_OPMVX };

#endif
