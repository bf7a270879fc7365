/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_ACCESSES_H
#define STF_ACCESSES_H
/*
 * What accesses an encoding must have: `check` holds traces to it, and a conversion says beforehand
 * where its source does not have them so.
 */
#include <stdbool.h>

#include "cairn/isa.h"

/* Zcmp and Zcmt: cm.push and cm.pop access their registers in any order, cm.jt may be shown to
 * read its table. */
bool stf_is_sequence(const struct cairn_op *op);
/* Does the encoding say at all what is accessed? */
bool stf_judges_accesses(const struct cairn_op *op);
/* … and that the addresses ascend? */
bool stf_judges_order(const struct cairn_op *op);
/* How many directions lack an access. `reads` and `writes` are there (`any`: some are, perhaps of
 * neither kind), and one may be the fetch. */
unsigned stf_lacking_accesses(const struct cairn_op *op, bool any, unsigned reads, unsigned writes,
                              bool fetch);

#endif
