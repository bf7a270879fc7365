/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_SPILL_H
#define IO_SPILL_H
/*
 * Bytes that are kept until they can be written: an output that cannot be rewritten (through a
 * codec or a pipe), until its header is final; table rows, until the rows before them are there.
 */
#include "base/base.h"
#include "io/io.h"

struct io_spill;

/* `path` is the output's name: a temporary file lies beside it, when there are more than `keep`
 * bytes. */
int io_spill_new(struct cairn *cairn, const char *path, size_t keep, struct io_spill **out);
int io_spill_put(struct io_spill *spill, const void *data, size_t n);
/* Overwrite bytes put before (all by one call of put). */
int io_spill_patch(struct io_spill *spill, uint64_t at, const void *p, size_t n);
/* Give everything in pieces of any length, and keep nothing. */
int io_spill_release(struct io_spill *spill, io_give_fn *give, void *user);
void io_spill_free(struct io_spill *spill);

#endif
