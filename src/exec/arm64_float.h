/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_ARM64_FLOAT_H
#define EXEC_ARM64_FLOAT_H
/*
 * A64: floating point of scalars and of vectors, whose elements are computed alike.
 *
 * A computation needs all bits of an element's operands and the modes of FPCR; where one is not
 * known, neither are its result and the flags that it may have raised.
 */
#include "exec/arm64.h"
#include "exec/float.h"

const struct float_format *arm64_float_format(unsigned bytes);

/* The modes of FPCR for numbers of so many bytes. False: they are not known, or of a kind that is
 * not modelled (FEAT_AFP, exceptions that trap). */
bool arm64_float_modes(const struct cairn_machine *machine, unsigned bytes, struct float_env *env);
/* Flags that were raised go to FPSR; `known` false: any may have been. */
void arm64_float_raise(struct cairn_machine *machine, unsigned flags, bool known);

/* The number that eight bits of an encoding stand for: the manual's VFPExpandImm. */
uint64_t arm64_float_constant(unsigned imm, unsigned bytes);

/* What one element becomes. */
typedef uint64_t arm64_compute(struct float_env *env, const struct float_format *format,
                               const uint64_t *number, const struct exec_op *op);
#define ARM64_COMPUTE(name) \
	static inline uint64_t compute_##name(struct float_env *env, \
	                                      const struct float_format *format, \
	                                      const uint64_t *number, const struct exec_op *op)

/* Computations that SVE has, too. Their meaning of `extra`: ARM64_NEGATE_…, ARM64_GREATER …. */
enum {
	ARM64_NEGATE_PRODUCT = 1, /* of a sum of a product, fma */
	ARM64_NEGATE_ADDEND = 2,
	ARM64_GREATER = 1, /* of minmax */
	ARM64_NUMBER_WINS = 2
};
extern arm64_compute *const arm64_fadd,
	*const arm64_fsub, *const arm64_fabd,
						   *const arm64_fmul,
							   *const arm64_fdiv,
								   *const arm64_fsqrt,
									   *const arm64_fmulx,
										   *const arm64_fma,
											   *const arm64_minmax,
												   *const arm64_frecps,
													   *const arm64_frsqrts,
														   *const arm64_frecpe,
															   *const arm64_frsqrte,
																   *const arm64_frecpx;
/* One number to another format, where the modes are known. Half precision may have another meaning
 * (FPCR.AHP), which is not modelled; it is not flushed. */
struct exec_bits arm64_to_format(const struct cairn_machine *machine, struct float_env *env,
                                 struct exec_bits number, unsigned from, unsigned to, bool *known);

/* A number of half precision as one of single precision, exactly; signalling NaNs stay so. */
uint64_t arm64_widened(uint64_t number, bool flush);
/* A sum and the products of a pair of bfloat16 elements with another: the step of BFDOT. */
struct exec_bits arm64_bfloat_dot(const struct cairn_machine *machine, struct exec_bits sum,
                                  struct exec_bits a, struct exec_bits b);

/* Each element of the first `n` operands; the upper part of the register becomes 0. */
void arm64_float_elements(struct cairn_machine *machine, const struct exec_op *op, unsigned n,
                          arm64_compute *compute);

/* Operands of scalars and vectors: how wide elements are, and how many there are. */
void arm64_form_float(struct exec_op *op);

#endif
