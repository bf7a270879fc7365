/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_ARM64_SVE_FLOAT_H
#define EXEC_ARM64_SVE_FLOAT_H
/*
 * SVE: floating point, element by element. Elements that are not active are not computed, and raise
 * nothing. What depends on one that may be active or not is known as far as both agree.
 */
#include "exec/arm64_sve.h"

/* `extra` of the rows: its lower bits are the computation's (arm64_float.h). */
enum { SVE_COMPUTATION = 3 };

/* `extra` of minmax and of fma. */
enum {
	MAX = ARM64_GREATER,
	MAXNM = ARM64_GREATER | ARM64_NUMBER_WINS,
	MINNM = ARM64_NUMBER_WINS,
	MIN = 0,
	MINUS_PRODUCT = ARM64_NEGATE_PRODUCT,
	MINUS_BOTH = ARM64_NEGATE_PRODUCT | ARM64_NEGATE_ADDEND,
	MINUS_ADDEND = ARM64_NEGATE_ADDEND
};

/* What all elements of a step share. */
struct sve_floats {
	struct cairn_machine *machine;
	const struct exec_op *op;
	struct float_env env;
	bool modes, flags; /* they are known */
	uint8_t before;    /* flags before this element */
};

static inline struct sve_floats sve_floats_begin(struct cairn_machine *machine,
                                                 const struct exec_op *op, unsigned size)
{
	struct sve_floats floats = {.machine = machine, .op = op, .flags = true};
	floats.modes = arm64_float_modes(machine, size, &floats.env);
	return floats;
}

static inline void sve_floats_end(struct sve_floats *floats)
{
	arm64_float_raise(floats->machine, floats->env.flags, floats->flags);
}

/* Has an element something to compute? One that may be active or not raises what is not known. */
static inline bool sve_is_computed(struct sve_floats *floats, struct exec_bits active,
                                   const struct exec_bits *number, unsigned n)
{
	bool known = floats->modes;
	for (unsigned i = 0; i < n; i++)
		known &= bits_all(number[i]);
	if (!bits_are_zero(active) && !(known && bits_all(active)))
		floats->flags = false;
	floats->before = floats->env.flags;
	return known && !bits_are_zero(active);
}

/* An element was computed. A flushed operand of half precision raises nothing, and what only may be
 * active nothing that is known. */
static inline void sve_computed(struct sve_floats *floats, unsigned size, struct exec_bits active)
{
	if (!bits_all(active))
		floats->env.flags = floats->before;
	if (size == 2)
		floats->env.flags &= (uint8_t)~FLOAT_FLUSHED;
}

/* One element of up to five operands: what is computed where it is active, else what it was. */
static inline struct exec_bits sve_compute_one(struct sve_floats *floats, unsigned size,
                                               struct exec_bits active,
                                               const struct exec_bits *operands, unsigned n,
                                               struct exec_bits old)
{
	const struct sve_row *row = floats->op->row;
	struct exec_op op = *floats->op;
	struct exec_bits made = bits_unknown();
	op.extra = row->extra & SVE_COMPUTATION;
	op.width = (uint8_t)size;
	if (sve_is_computed(floats, active, operands, n)) {
		uint64_t number[5] = {0};
		for (unsigned i = 0; i < n; i++)
			number[i] = operands[i].value;
		made = bits_known((*row->compute)(&floats->env, arm64_float_format(size), number, &op));
		sve_computed(floats, size, active);
	}
	return bits_choose(active, made, old);
}

static inline struct exec_bits sve_float_lane(const struct sve_floats *floats, unsigned word,
                                              unsigned index)
{
	return arm64_lane(floats->machine, word, floats->op->width, index);
}

static inline struct exec_bits sve_float_active(const struct sve_floats *floats, unsigned index)
{
	return sve_active(floats->machine, sve_governing(floats->op), floats->op->width, index);
}

#endif
