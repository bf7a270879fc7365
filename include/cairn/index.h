/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_INDEX_H
#define CAIRN_INDEX_H
/*
 * The index of a trace: a file beside it, TRACE.cai, that says of each span (some
 * ten thousand instructions) where it begins and in which state, what registers
 * held, which registers are written and which pages are touched in it, and counts; at
 * many spans also what memory held.
 *
 * Never required. cairn_open finds it, and believes it only while the trace is
 * the one it was made of (its size, time and both ends are the same). Then
 * cairn_seek jumps to any span of what can be read anywhere (.zstf, a plain file, gzip,
 * zstd of several frames, xz of several blocks) with contexts and places known; other
 * traces still get the summaries.
 */
#include "cairn/base.h"
#include "cairn/isa.h"
#include "cairn/state.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_index;

/* ---- making one ---- */

/* How to make an index. */
struct cairn_index_opts {
	size_t size;        /* sizeof(struct cairn_index_opts) */
	const char *from;   /* as cairn_open_opts */
	const char *output; /* NULL: TRACE.cai, where it will be found */
	unsigned threads;   /* 0: 1 */
	/* As cairn_open_opts: the program, where the format needs one. The index is then used only
	 * with the same program. */
	const struct cairn_image *image;
	/* Called once the trace is read, with its reader: for damage and notes. NULL: not. */
	void (*read)(void *user, const struct cairn_reader *reader);
	void *user;
};

/* What an index that was made holds. */
struct cairn_index_stats {
	size_t size; /* sizeof(struct cairn_index_stats) */
	uint64_t spans, instructions, transactions, bytes, damage;
	uint8_t jumps;  /* cairn_seek can jump to its spans */
	uint64_t reach; /* of a compressed trace: the most bytes to decode for a jump; without jumps,
	                * the bytes that must be decoded as one piece. 0: nothing is compressed, or
	                * the compression is part of the format */
	char why[512];  /* a sentence: why there are no jumps, and what to do about it; else "" */
};

/* Read the trace and write its index, which appears when it is complete. A damaged
 * trace is indexed as far as it can be read. `stats` may be NULL.
 * Errors: those of cairn_open and reading; CAIRN_E_INVAL (standard input; the output
 * is the trace), CAIRN_E_STATE (no plain file, or it changed meanwhile), CAIRN_E_IO,
 * CAIRN_E_NOMEM. */
CAIRN_API int cairn_index_build(struct cairn *cairn, const char *trace,
                                const struct cairn_index_opts *opts,
                                struct cairn_index_stats *stats);

/* ---- finding one ---- */

/* What is put behind the trace's name, where no other is given. */
#define CAIRN_INDEX_SUFFIX ".cai"

/* Open an index and verify that it is whole and that of the trace as it is now.
 * `path` NULL: TRACE.cai. Errors: CAIRN_E_NOTFOUND, CAIRN_E_DAMAGED, CAIRN_E_STATE
 * (stale), CAIRN_E_UNSUPPORTED (of a newer version), CAIRN_E_IO, CAIRN_E_NOMEM. */
CAIRN_API int cairn_index_open(struct cairn *cairn, const char *trace, const char *path,
                               struct cairn_index **out);
/* Close an index that cairn_index_open gave. */
CAIRN_API void cairn_index_close(struct cairn_index *index);
/* The index that cairn_open found and uses, NULL when there is none. Belongs to the reader. */
CAIRN_API const struct cairn_index *cairn_reader_index(const struct cairn_reader *reader);
/* Why the file beside the trace is not used: a sentence, or NULL. */
CAIRN_API const char *cairn_reader_index_note(const struct cairn_reader *reader);
/* Does cairn_seek arrive with contexts and places known? */
CAIRN_API int cairn_reader_jumps(const struct cairn_reader *reader);

/* ---- asking it ---- */

/* One span of an index. */
struct cairn_index_span {
	size_t size;             /* sizeof(struct cairn_index_span) */
	uint64_t first, count;   /* numbers of instructions (transactions) */
	uint64_t record, offset; /* of its first record; UINT64_MAX unknown */
	uint64_t executed, loads, stores, branches, branches_taken, events;
	uint8_t jumps; /* reading can begin here */
};

/* A walk of page tables that stands in a span. */
struct cairn_index_walk {
	struct cairn_space space; /* whose page it is */
	uint32_t n_args;
	uint64_t va;
	uint64_t n;          /* the instruction it stands before */
	const uint8_t *args; /* n_args numbers of 8 bytes, least significant first: as of
	                           * CAIRN_EV_PAGE_WALK. As long as the index is open */
	uint64_t reserved;
};

/* How many spans there are. */
CAIRN_API size_t cairn_index_spans(const struct cairn_index *index);
/* Get span `i`, from 0. CAIRN_E_NOTFOUND past the last. */
CAIRN_API int cairn_index_span(const struct cairn_index *index, size_t i,
                               struct cairn_index_span *span);
/* The span that holds instruction (transaction) `n`, the last one before it in a gap;
 * CAIRN_E_NOTFOUND past the end. */
CAIRN_API int64_t cairn_index_find(const struct cairn_index *index, uint64_t n);
/* The totals of the whole trace, as cairn_count gives them. CAIRN_E_NOTFOUND when they are not
 * complete (the trace is damaged, or its format is not counted by scanning), CAIRN_E_INVAL when
 * the size is not set. */
CAIRN_API int cairn_index_totals(const struct cairn_index *index, struct cairn_tally *tally);
/* Registers of which something is known where span `i` begins, in the order of hart, class
 * and number. Returns how many there are and fills at most `max`. */
CAIRN_API size_t cairn_index_regs(const struct cairn_index *index, size_t i,
                                  struct cairn_state_reg *regs, size_t max);
/* The walks of span `i`: of each page of an address space the last one. Returns how many
 * there are and fills at most `max`. A walk lives until the page is walked again, so what
 * lives where a span begins is the last of each page in the spans before it. */
CAIRN_API size_t cairn_index_walks(const struct cairn_index *index, size_t i,
                                   struct cairn_index_walk *walks, size_t max);
/* At how many places the index holds the contents of memory, from where a state with all of
 * memory (cairn/state.h) can start, and how many bytes of the file they take. 0 of a trace without
 * values. */
CAIRN_API size_t cairn_index_memory(const struct cairn_index *index, uint64_t *bytes);
/* Is the register written in span `i`? 0: certainly not; 1: maybe. */
CAIRN_API int cairn_index_writes_reg(const struct cairn_index *index, size_t i,
                                     enum cairn_reg_class cls, unsigned num);
/* Does anything read a byte of addr … addr + size - 1 in span `i`, by this virtual or physical
 * address? 0: certainly not; 1: maybe. */
CAIRN_API int cairn_index_reads(const struct cairn_index *index, size_t i, uint64_t addr,
                                uint64_t size);
/* The same for writes. */
CAIRN_API int cairn_index_writes(const struct cairn_index *index, size_t i, uint64_t addr,
                                 uint64_t size);

#ifdef __cplusplus
}
#endif
#endif
