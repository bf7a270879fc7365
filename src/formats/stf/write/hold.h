/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_HOLD_H
#define STF_HOLD_H
/*
 * Bytes kept back: an output that cannot be rewritten (a codec around it, a pipe)
 * must not be given a header that is not yet known to be true.
 */
#include "base/base.h"
#include "io/io.h"

struct stf_hold;

/* `path` is the output's name: a temporary file lies beside it. */
int stf_hold_new(struct cairn *cairn, const char *path, struct stf_hold **out);
int stf_hold_put(struct stf_hold *hold, const void *data, size_t n);
/* Overwrite bytes put before (all by one call of put). */
int stf_hold_patch(struct stf_hold *hold, uint64_t at, const void *p, size_t n);
/* Give everything to the sink, and keep nothing. */
int stf_hold_release(struct stf_hold *hold, struct io_sink *sink);
void stf_hold_free(struct stf_hold *hold);

#endif
