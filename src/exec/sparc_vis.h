/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_SPARC_VIS_H
#define EXEC_SPARC_VIS_H
/*
 * SPARC V9: lanes of double registers, and what VIS 1 to 3 have in common. Lane 0 is the least
 * significant.
 */
#include "exec/sparc.h"

/* Lane `index` of lanes of `bits` bits, as a signed number. */
static inline struct exec_bits sparc_lane(struct exec_bits from, unsigned index, unsigned bits)
{
	return bits_sign_extend(bits_right(from, index * bits), bits);
}

static inline struct exec_bits sparc_plain_lane(struct exec_bits from, unsigned index,
                                                unsigned bits)
{
	return bits_zero_extend(bits_right(from, index * bits), bits);
}

/* The lane set in a number that has zeros there. */
static inline struct exec_bits sparc_with_lane(struct exec_bits to, unsigned index, unsigned bits,
                                               struct exec_bits value)
{
	return bits_or(to, bits_left(bits_zero_extend(value, bits), index * bits));
}

/* Give a field of GSR a value. */
void sparc_put_gsr(struct cairn_machine *machine, unsigned low, unsigned bits,
                   struct exec_bits value);

#endif
