/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_SERIES_H
#define EXPORT_SERIES_H
/*
 * Printing a result while it is made: a series is written interval by interval, so that it
 * needs no memory for its rows.
 */
#include "cairn/analysis.h"

struct series;

/* `path` is the output's name, beside which a temporary file may lie; `write` gets pieces. What
 * the pointers name must stay. */
int series_new(struct cairn *cairn, const struct cairn_print_opts *opts, const char *path,
               cairn_write_fn *write, void *user, struct series **out);
/* What `interval` of cairn_analysis_opts is; `user` is a struct series. */
int series_interval(void *user, const struct cairn_result *res);
/* Write all that is left of the result, the same whose intervals were seen, if any were. */
int series_end(struct series *series, const struct cairn_result *res);
/* NULL is fine. */
void series_free(struct series *series);

#endif
