/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_DIFF_H
#define CAIRN_DIFF_H
/*
 * Differences of two traces, instruction by instruction, whatever their formats.
 *
 * Two instructions stand at the same place when their PCs are equal (their
 * encodings, where PCs are not compared or not known). At the same place, what
 * else differs makes a changed instruction. Where the places differ, instructions
 * were inserted or left out: the nearest place where both traces go on alike is
 * looked for within a window. What one trace does not know is no difference.
 */
#include "cairn/base.h"
#include "cairn/select.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What of two instructions is compared. */
enum cairn_diff_field {
	CAIRN_DIFF_PC = 1u << 0,
	CAIRN_DIFF_ENCODING = 1u << 1, /* and the instruction set */
	CAIRN_DIFF_SIZE = 1u << 2,     /* bytes of encoding */
	CAIRN_DIFF_TAKEN = 1u << 3,
	CAIRN_DIFF_TARGET = 1u << 4,
	CAIRN_DIFF_FLAGS = 1u << 5,   /* annulled, aborted, discarded */
	CAIRN_DIFF_CONTEXT = 1u << 6, /* who runs */
	CAIRN_DIFF_REGS = 1u << 7,    /* which registers … */
	CAIRN_DIFF_MEMS = 1u << 8,    /* which accesses … */
	CAIRN_DIFF_VALUES = 1u << 9,  /* … and their values */
	CAIRN_DIFF_EVENTS = 1u << 10,
	CAIRN_DIFF_TRANSACTION = 1u << 11, /* the fields of a bus transaction */
	CAIRN_DIFF_DEFAULT = CAIRN_DIFF_PC | CAIRN_DIFF_ENCODING | CAIRN_DIFF_SIZE | CAIRN_DIFF_TAKEN |
	                     CAIRN_DIFF_TARGET | CAIRN_DIFF_FLAGS | CAIRN_DIFF_CONTEXT |
	                     CAIRN_DIFF_VALUES | CAIRN_DIFF_TRANSACTION,
	CAIRN_DIFF_ALL = (1u << 12) - 1
};
/* "pc", "encoding" … by bit number; NULL past the last. */
CAIRN_API const char *cairn_diff_field_name(unsigned bit);

/* How many instructions ahead to look for a common place: by default, and at most. */
enum { CAIRN_DIFF_WINDOW = 65536, CAIRN_DIFF_WINDOW_MAX = 1 << 22 };

/* An instruction (or transaction) kept for showing: a batch that holds it alone. */
struct cairn_diff_row {
	uint64_t a, b;   /* its number in either trace, 0 where it is not */
	uint32_t fields; /* of a changed pair: what differs */
	const struct cairn_batch *batch;
};

/* The kind of a hunk. */
enum cairn_diff_kind {
	CAIRN_DIFF_CHANGED = 1, /* the same places, a_count == b_count, other contents */
	CAIRN_DIFF_EDIT = 2     /* instructions of A are missing in B, or of B in A */
};

/* A run of differing instructions. Of long ones only the first rows are kept. */
struct cairn_diff_hunk {
	uint64_t number;           /* from 1 */
	uint64_t a_first, b_first; /* numbers; of an empty side: of what comes next */
	uint64_t a_count, b_count;
	uint32_t fields; /* CHANGED: everything that differs somewhere in it */
	uint8_t kind;    /* enum cairn_diff_kind */
	uint8_t lost;    /* EDIT: nothing alike was found within the window */
	uint32_t n_before, n_a, n_b, n_after;
	const struct cairn_diff_row *before, *a, *b, *after; /* the first and last: equal rows */
};

/* What a comparison counted: runs of differences, and instructions (transactions). */
struct cairn_diff_sum {
	size_t size; /* sizeof(struct cairn_diff_sum) */
	uint64_t hunks, equal, changed, only_a, only_b;
	uint32_t compared;    /* fields both traces can know */
	uint8_t transactions; /* transactions were compared, not instructions */
};

/* How to compare. */
struct cairn_diff_opts {
	size_t size;                       /* sizeof(struct cairn_diff_opts) */
	uint32_t fields;                   /* enum cairn_diff_field; 0: the default ones */
	uint32_t window;                   /* instructions; 0: CAIRN_DIFF_WINDOW */
	uint32_t context;                  /* equal rows kept on each side of a hunk */
	uint32_t rows;                     /* rows of each trace kept in a hunk; 0: 16 */
	unsigned threads;                  /* 0: 1; more than 3 make no difference */
	uint64_t limit;                    /* hunks handed out, the rest is counted; 0: all */
	const struct cairn_select *select; /* applied to both traces; NULL: all */
	int (*hunk)(void *user, const struct cairn_diff_hunk *hunk); /* < 0 ends the run */
	void *user;
};

/* Compare two readers of one context from where they stand (with a selection: from
 * where it begins).
 * Returns 1 when something differs, 0 when nothing does.
 * Errors: CAIRN_E_INVAL (a transaction trace with another kind), those of reading,
 * with the trace's name in front. */
CAIRN_API int cairn_diff(struct cairn_reader *left, struct cairn_reader *right,
                         const struct cairn_diff_opts *opts, struct cairn_diff_sum *sum);

#ifdef __cplusplus
}
#endif
#endif
