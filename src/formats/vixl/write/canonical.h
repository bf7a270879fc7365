/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_CANONICAL_H
#define VIXL_CANONICAL_H
/*
 * The rows of an instruction as the simulator prints them: which register each access belongs to,
 * accesses of one element each in its order, and registers with the width that is written. Traces
 * from elsewhere say less, or in other pieces; what is missing follows from the encoding and from
 * what registers held.
 */
#include "cairn/trace.h"

struct vixl_canonical;

/* NULL: out of memory. */
struct vixl_canonical *vixl_canonical_new(struct cairn *cairn);
void vixl_canonical_free(struct cairn *cairn, struct vixl_canonical *canonical);

/* Registers are another thread's now. */
void vixl_canonical_forget(struct vixl_canonical *canonical);
/* The slot `row` of `batch` as the first slot of a batch that lives until the next call, or NULL:
 * it has accesses, and is to be printed as it is. Slots are given in their order. */
const struct cairn_batch *vixl_canonical_slot(struct vixl_canonical *canonical,
                                              const struct cairn_batch *batch, uint32_t row);

#endif
