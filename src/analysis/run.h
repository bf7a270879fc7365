/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_RUN_H
#define ANALYSIS_RUN_H
/*
 * What every analysis is made of: parts that are fed in parallel and joined in trace
 * order. The run cuts batches at the borders of intervals, judges the selection, and
 * turns parts into the result.
 */
#include "analysis/result.h"
#include "model/model.h"

enum analysis_order {
	/* The order of instructions does not matter: a part may hold pieces from anywhere. */
	ANALYSIS_COMMUTATIVE,
	/* A part holds what follows on in the trace; what is open at its ends join closes. */
	ANALYSIS_BOUNDARY,
	/* Feeding only extracts; join does the work. Parts are joined as soon as may be. */
	ANALYSIS_SEQUENTIAL
};

/* Rows [from, to) of a batch, of which keep marks those selected (NULL: all). */
struct analysis_rows {
	const struct cairn_batch *b;
	const uint8_t *keep;
	uint32_t from, to;
};

struct analysis_kind {
	const char *name;
	enum analysis_order order;
	uint32_t parts;  /* of the batch it looks at (enum cairn_part) */
	size_t part;     /* bytes of a part */
	/* Make a zeroed part ready. */
	int (*begin)(void *user, void *part);
	int (*feed)(void *user, void *part, const struct analysis_rows *rows);
	/* `part` comes behind everything in `sum`, a part of its own; leaves it empty. */
	int (*join)(void *user, void *sum, void *part);
	/* An interval, or all, is complete: put its rows into the result. */
	int (*report)(void *user, void *sum, struct cairn_result *res);
	/* Free what it holds. */
	void (*end)(void *user, void *part);
	/* Bytes it holds, of a sequential one. */
	size_t (*held)(const void *part);
};

/* Feed, join and report everything; `res` is made here and belongs to the caller. */
int analysis_run(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                 const struct analysis_kind *kind, void *user, struct cairn_result **res);
/* The options, whatever version of the library they were made for. */
int analysis_opts(struct cairn_reader *r, const struct cairn_analysis_opts *given,
                  struct cairn_analysis_opts *own);

/* The name of the symbol that covers an address, NULL when there is none. */
static inline const char *analysis_symbol(const struct cairn_analysis_opts *opts, uint64_t addr)
{
	const struct cairn_symbol *s = opts->image ? cairn_image_symbol_at(opts->image, addr) : NULL;
	return s ? s->name : NULL;
}

#endif
