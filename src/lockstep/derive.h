/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOCKSTEP_DERIVE_H
#define LOCKSTEP_DERIVE_H
/* Batches with what follows from what the trace has told: see cairn_open_opts.derive. */
#include "cairn/trace.h"

/* Make a reader derive, which nothing has been read from yet. CAIRN_E_NOMEM. */
int lockstep_derive(struct cairn_reader *reader);

#endif
