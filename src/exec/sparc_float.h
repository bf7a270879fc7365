/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_SPARC_FLOAT_H
#define EXEC_SPARC_FLOAT_H
/*
 * SPARC V9: what operations on numbers of 32, 64 and 128 bits have in common: modes, flags,
 * comparisons and moves.
 */
#include "exec/float.h"
#include "exec/sparc.h"

/* sparc_row.width and extra: what operands and results are. */
enum {
	SPARC_SINGLE = 's',
	SPARC_DOUBLE = 'd',
	SPARC_QUAD = 'q',
	SPARC_INTEGER = 'i',
	SPARC_LONG = 'x'
};

/* Of all but quads. */
const struct float_format *sparc_format_of(unsigned kind);
struct exec_bits sparc_read_kind(const struct cairn_machine *machine, unsigned kind,
                                 unsigned field);
void sparc_put_kind(struct cairn_machine *machine, unsigned kind, unsigned field,
                    struct exec_bits bits);

/* FPRS.DL and DU: the ones in `sure` are set; a processor may set the other one as well (JPS1,
 * FPRS). */
enum { SPARC_DIRTY_LOWER = 1, SPARC_DIRTY_UPPER = 2 };
void sparc_mark_dirty(struct cairn_machine *machine, uint64_t sure);

/* Rounding modes that may be in force, a bit for each of enum float_rounding. */
unsigned sparc_rounding_modes(const struct cairn_machine *machine);
/* The environment of an operation in one of them. */
struct float_env sparc_environment(unsigned rounding);
/* Is FSR.NS known to be 0? Else what becomes of subnormal numbers is not known. */
bool sparc_keeps_subnormals(const struct cairn_machine *machine);
/* Does a tiny result trap also where it is exact? */
bool sparc_traps_when_tiny(const struct cairn_machine *machine);
/* The flags of an operation become the current ones, and are added to those accrued. `maybe` has
 * those that are sure, too. False: one is enabled to trap, and the step is that. */
bool sparc_raise_flags(struct cairn_machine *machine, unsigned sure, unsigned maybe);

/* What an operation makes: bits that are known, flags that are raised and that may be. */
struct sparc_outcome {
	struct exec_bits bits;
	unsigned sure, maybe;
};
static inline struct sparc_outcome sparc_no_outcome(void)
{
	return (struct sparc_outcome){.sure = UINT32_MAX};
}
/* Another one that is possible, too. */
static inline void sparc_outcome_add(struct sparc_outcome *outcome, uint64_t made, unsigned flags)
{
	bool first = !outcome->bits.known && outcome->sure == UINT32_MAX;
	struct exec_bits bits = bits_known(made);
	outcome->bits = first ? bits : bits_choose(bits_unknown(), outcome->bits, bits);
	outcome->sure &= flags;
	outcome->maybe |= flags;
}

/* ---- operations on numbers of 32 and 64 bits, and on integers ---- */

typedef uint64_t sparc_compute(struct float_env *env, const struct exec_op *op,
                               const uint64_t *number);

static inline bool sparc_is_subnormal(unsigned kind, uint64_t number)
{
	return (kind == SPARC_SINGLE || kind == SPARC_DOUBLE) &&
	       float_classify(sparc_format_of(kind), number) == FLOAT_SUBNORMAL;
}

/* The outcome in one mode, tiny numbers being detected before or after rounding. Returns what is
 * made where they are detected before. */
static inline __attribute__((always_inline)) uint64_t sparc_outcome_in(
	unsigned mode, const struct exec_op *op, const uint64_t *number, sparc_compute *compute,
	struct sparc_outcome *outcome, unsigned *flags)
{
	struct float_env env = sparc_environment(mode), other = env;
	uint64_t made = compute(&env, op, number);
	sparc_outcome_add(outcome, made, env.flags);
	other.tiny_before = false;
	if (env.flags & FLOAT_UNDERFLOW) {
		uint64_t late = compute(&other, op, number);
		sparc_outcome_add(outcome, late, other.flags);
	}
	*flags |= env.flags;
	return made;
}

/* The outcome in all modes that may be in force. An exact one is the same in all, but for the
 * sign of 0. `or_else`: what else the operation may make; NULL: nothing. */
static inline __attribute__((always_inline)) struct sparc_outcome sparc_outcome_of(
	const struct cairn_machine *machine, const struct exec_op *op, const uint64_t *number,
	unsigned n, sparc_compute *compute, sparc_compute *or_else)
{
	struct sparc_outcome outcome = sparc_no_outcome();
	unsigned modes = sparc_rounding_modes(machine), flags = 0;
	bool subnormal = false;
	for (unsigned i = 0; i < n; i++)
		subnormal |= sparc_is_subnormal(op->width, number[i]);
	for (unsigned mode = 0; mode < 4; mode++) {
		if (!(modes >> mode & 1))
			continue;
		uint64_t made = sparc_outcome_in(mode, op, number, compute, &outcome, &flags);
		subnormal |= flags & FLOAT_UNDERFLOW || sparc_is_subnormal(op->extra, made);
		if (or_else)
			sparc_outcome_in(mode, op, number, or_else, &outcome, &flags);
		if (!(flags & FLOAT_INEXACT) && made << 1 && made != float_sign_bit(&float_single))
			break;
	}
	if (subnormal && !sparc_keeps_subnormals(machine))
		outcome = (struct sparc_outcome){{0, 0}, 0, 0x1f};
	return outcome;
}

/* Numbers of kind op->width stand in rs2, in rs1 and rs2, or in rs1, rs2 and rs3; what comes out is
 * of kind op->extra. */
static inline __attribute__((always_inline)) void sparc_operate(struct cairn_machine *machine,
                                                                const struct exec_op *op,
                                                                unsigned n, sparc_compute *compute,
                                                                sparc_compute *or_else)
{
	const unsigned fields[3] = {n == 1 ? op->enc & 31 : op->enc >> 14 & 31, op->enc & 31,
	                            op->enc >> 9 & 31};
	struct sparc_outcome outcome = {{0, 0}, 0, 0x1f};
	uint64_t number[3] = {0, 0, 0};
	bool known = true;
	if (!sparc_has_float(machine))
		return;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits bits = sparc_read_kind(machine, op->width, fields[i]);
		number[i] = bits.value;
		known &= bits_all(bits);
	}
	if (known)
		outcome = sparc_outcome_of(machine, op, number, n, compute, or_else);
	if (sparc_traps_when_tiny(machine) && bits_all(outcome.bits) &&
	    sparc_is_subnormal(op->extra, outcome.bits.value))
		exec_stop(machine, CAIRN_STEP_TRAP, "a floating-point exception");
	else if (sparc_raise_flags(machine, outcome.sure, outcome.maybe))
		sparc_put_kind(machine, op->extra, isa_sparc_rd(op->enc), outcome.bits);
}

#define SPARC_OPERATION(name, n, expression) \
	static inline uint64_t compute_##name(struct float_env *env, const struct exec_op *op, \
	                                      const uint64_t *number) \
	{ \
		const struct float_format *format = sparc_format_of(op->width); \
		(void)format; \
		return expression; \
	} \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		sparc_operate(machine, op, n, compute_##name, NULL); \
	}

/* ---- comparisons and moves ---- */

/* Condition codes 0 to 3 of FSR. */
void sparc_put_codes(struct cairn_machine *machine, unsigned which, struct exec_bits codes);
/* What a comparison makes of them. */
struct exec_bits sparc_codes_of(enum float_order order);

/* sparc_row.extra of moves: what becomes of the sign */
enum { SPARC_SIGN_KEPT, SPARC_SIGN_INVERTED, SPARC_SIGN_CLEARED };
/* How moves on conditions are encoded: `extra` has codes and condition, or the condition. */
void sparc_form_move_on_codes(struct exec_op *op);
void sparc_form_move_on_register(struct exec_op *op);
/* Does the condition of such a move hold? */
struct exec_bits sparc_moves_on_codes(const struct cairn_machine *machine,
                                      const struct exec_op *op);
struct exec_bits sparc_moves_on_register(const struct cairn_machine *machine,
                                         const struct exec_op *op);

#endif
