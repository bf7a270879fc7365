/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_SHAPE_H
#define VIXL_SHAPE_H
/*
 * The rows of an instruction in the shape the simulator tells them: which register each
 * access is of, in accesses of an element each, in its order, and registers by the
 * width that is written. Traces from elsewhere say less, or in other pieces; what is
 * missing follows from the encoding and from what registers held.
 */
#include "cairn/trace.h"

struct vixl_shape;

/* NULL: out of memory. */
struct vixl_shape *vixl_shape_new(struct cairn *c);
void vixl_shape_free(struct cairn *c, struct vixl_shape *s);

/* Registers are another thread's now. */
void vixl_shape_forget(struct vixl_shape *s);
/* The slot `row` of `b` as the first slot of a batch that lives until the next call, or NULL:
 * it has accesses, and is to be told as it is. Slots are given in their order. */
const struct cairn_batch *vixl_shape_slot(struct vixl_shape *s, const struct cairn_batch *b,
                                          uint32_t row);

#endif
