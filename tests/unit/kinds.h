/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_KINDS_H
#define UNIT_KINDS_H
/*
 * Kinds of information, one at a time: a batch that has it, and what of it a trace tells.
 */
#include "base/base.h"
#include "cairn/cairn.h"

/* A batch of a short program of a set, with that kind of information in it. NULL when the
 * set has no such thing. */
struct cairn_batch *kind_batch(struct cairn *cairn, const char *kind, enum cairn_isa isa);
/* What a trace tells of it, as text; empty: nothing. -1: no such kind is known here. */
int kind_text(struct cairn *cairn, const char *path, const char *from, const char *kind,
              struct base_buf *out);

/* What batches tell, of all kinds at once. At the end each kind by its number, its name and
 * what was told of it; NULL behind the last. */
struct kind_all;
struct kind_all *kind_all_new(struct cairn *cairn);
void kind_all_look(struct kind_all *all, const struct cairn_batch *batch);
const char *kind_all_get(struct kind_all *all, size_t index, const char **text);
void kind_all_free(struct kind_all *all);

#endif
