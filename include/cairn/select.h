/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_SELECT_H
#define CAIRN_SELECT_H
/*
 * Selections: which instructions of a trace are meant. A selection is the union
 * of regions, cut with an expression. It judges batches row by row; it also
 * tells the lowest and highest instruction number it can match, so that a
 * reader need not read the rest.
 *
 *   regions      1000..2000  1000..  ..2000  1000+50  r100..r200
 *                @main  @main+0x10  0x80000000-0x80000fff  cpu1  pid42  tid7
 *                a comma intersects: cpu1,@main
 *   expressions  class==load && addr>=0x1000 && !(pc in @main)
 */
#include "cairn/base.h"
#include "cairn/image.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_select;

/* `image` may be NULL (symbols are then refused with a sentence); it must outlive
 * the selection. NULL when out of memory. */
CAIRN_API struct cairn_select *cairn_select_new(struct cairn *c, const struct cairn_image *image);
CAIRN_API void cairn_select_free(struct cairn_select *s);
/* Add one region to the union. CAIRN_E_INVAL with a sentence that points at the
 * offending character, CAIRN_E_NOTFOUND for an unknown symbol. */
CAIRN_API int cairn_select_region(struct cairn_select *s, const char *text);
/* Set the expression (once). `isa` tells which register names are meant. */
CAIRN_API int cairn_select_where(struct cairn_select *s, const char *text);
/* Nothing added: everything is selected. */
CAIRN_API int cairn_select_all(const struct cairn_select *s);
/* Bounds by instruction number (1 and UINT64_MAX when open). Only tight when the
 * whole union is bounded by numbers. */
CAIRN_API void cairn_select_bounds(const struct cairn_select *s, uint64_t *first, uint64_t *last);
/* Do the regions or the expression look at contexts (cpu, pid, …)? Then a reader
 * must not jump, for a context holds from where it was set. */
CAIRN_API int cairn_select_needs_context(const struct cairn_select *s);
/* Do they name records (r100..r200)? */
CAIRN_API int cairn_select_needs_records(const struct cairn_select *s);
/* The parts of a batch it looks at (enum cairn_part). */
CAIRN_API uint32_t cairn_select_parts(const struct cairn_select *s);
/* Judge a batch: sets keep[i] to 1 or 0 for rows 0 … n_insns-1 (n_xacts-1 in a
 * batch of transactions). Returns how many are kept. Thread-safe. */
CAIRN_API uint32_t cairn_select_batch(const struct cairn_select *s, const struct cairn_batch *b,
                                      uint8_t *keep);
/* Judge a record by its number and instruction: 1 or 0. Only number regions count. */
CAIRN_API int cairn_select_record(const struct cairn_select *s, const struct cairn_record *rec);

#ifdef __cplusplus
}
#endif
#endif
