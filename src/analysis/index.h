/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_INDEX_H
#define ANALYSIS_INDEX_H
/* What an index gathers of a span: index_gather.c collects, index_build.c writes. */
#include "analysis/state.h"
#include "cairn/export.h"
#include "io/io.h"
#include "model/index.h"

/* ---- index_gather.c ---- */

enum { INDEX_MOST_PAGES = 1 << 16 };

/* A set of numbers of pages, or of words; once there are too many, it holds all. */
struct index_pages {
	struct cairn *cairn;
	unsigned bits;  /* of an address that are within a page */
	uint64_t *rows; /* page + 1, 0 free */
	size_t cap, n;
	uint64_t last; /* page + 1 put last */
	bool any;
};
void index_pages_free(struct index_pages *pages);
int index_pages_add(struct index_pages *pages, uint64_t addr, uint64_t size);
int index_pages_join(struct index_pages *to, const struct index_pages *from);

/* A hart comes at `pc` that the part has not met: whether it goes on where it was is known when the
 * parts are put together. */
struct index_arrival {
	uint64_t pc, n; /* `n`: its number */
	uint16_t hart;
	bool resumes;         /* decided by index_part_apply */
	struct memory memory; /* gathered since the arrival before it */
};

struct index_part {
	uint64_t first, count, record, offset, place;
	bool seen; /* a batch told where it begins */
	struct base_buf state;
	struct regs regs; /* as the span leaves them */
	bool cleared;     /* what memory held before the part is unknown behind it */
	uint64_t mask[INDEX_MASK];
	struct base_buf walks; /* as rows of the index */
	uint32_t n_walks;
	struct index_pages reads, writes;
	struct index_arrival *arrivals;
	size_t n_arrivals, cap_arrivals;
	struct memory memory; /* as the span leaves it, since the last arrival */
	bool memory_is_told;  /* … which is gathered, and did not become too much */
	struct state_telling telling;
	struct cairn_tally tally;
};
/* The memo is lent. */
struct index_part *index_part_new(struct cairn *cairn, struct isa_written_memo *memo,
                                  const struct model_format *format);
void index_part_free(struct cairn *cairn, struct index_part *part);
int index_part_feed(struct index_part *part, const struct cairn_batch *batch);
/* Join `next`, which comes behind it, to `part`. Registers are not joined. */
int index_part_join(struct index_part *part, const struct index_part *next);
/* Gather memory, too. */
void index_part_remember(struct index_part *part, bool big_endian);
/* What is known behind `part` if `regs` is what was known before. */
int index_part_apply(struct index_part *part, struct regs *regs);

/* ---- index_memory.c ---- */

/* Memory of an index while it is made: what is known at some of its rows. */
struct index_memory {
	struct cairn *cairn;
	struct memory now;     /* behind all that was folded */
	struct memory changes; /* since the last point */
	_Atomic bool on;       /* looked at by those who gather */
	uint64_t budget,
		total; /* bytes of the file that may be spent, in a trace of `total` instructions */
	uint64_t spent, since; /* … so far, and since the last whole point */
	struct {
		uint64_t pieces, bytes;
	} last[2];            /* how well the last point was packed, of changes and whole */
	struct base_buf rows; /* the points */
	uint32_t n;
};
/* `total` 0: not known. */
void index_memory_begin(struct index_memory *memory, struct cairn *cairn, uint64_t budget,
                        uint64_t total);
void index_memory_free(struct index_memory *memory);
int index_memory_fold(struct index_memory *memory, const struct index_part *part);
/* A row begins: write a point if that is worth it. */
int index_memory_row(struct index_memory *memory, uint64_t row, uint64_t first,
                     struct cairn_sink *out);

#endif
