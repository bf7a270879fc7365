/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H
/* Loops over two arrays of numbers, which machines execute and traces hold. */
#include "cairn/cairn.h"

struct bench_loop {
	const char *name;
	const uint32_t *code;
	unsigned n;     /* instructions */
	unsigned bytes; /* of a number */
	unsigned vector_bits;
};
extern const struct bench_loop bench_float_loop, bench_vector_loop;

/* A machine that knows the arrays. */
int bench_loop_new(const struct bench_loop *loop, struct cairn *cairn, struct cairn_machine **out);
/* Execute one instruction; *pc: where it is and then where the next one is, 0: the first of a loop that
 * begins anew. NULL: something is not determined. */
const struct cairn_step *bench_loop_step(const struct bench_loop *loop,
                                         struct cairn_machine *machine, uint64_t *pc);
/* Write a trace of one loop, with registers and accesses and their values. */
int bench_loop_write(const struct bench_loop *loop, struct cairn *cairn, const char *path);

#endif
