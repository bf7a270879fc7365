/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_CHANGE_H
#define CAIRN_CHANGE_H
/*
 * Changing traces within their format, record by record: another packing, a part as a
 * trace of its own, traces one after another, another header. Records are copied
 * exactly; batches are not involved, so nothing the model does not know gets lost.
 *
 * The input is never touched. The output has its name only when all has gone well.
 * Damaged input: what can be read is written, the loss is counted by the reader
 * (cairn_damage_count), and the output is a valid trace of what is left.
 */
#include "cairn/base.h"
#include "cairn/select.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the new trace goes and how it is packed. */
struct cairn_output {
	size_t size;         /* sizeof(struct cairn_output) */
	const char *path;    /* "-": standard output */
	const char *to;      /* "FORMAT[:option,…]"; NULL: by the name, else the input's format */
	const char *codec;   /* "gzip", "none"; NULL: by the name */
	int level;           /* of compression; 0: the codec's default */
	unsigned threads;    /* for compression; 0: 1 */
	int lossless;        /* the first loss ends it with CAIRN_E_LOSS and leaves no file */
	const char *tool;    /* who changes the trace, for its history: "cairn slice" */
	const char *command; /* the command line, for its history; may be NULL */
	int lossy;           /* what a packing (rstzip) cannot keep is dropped and counted in
	                      * `lost`, where it would otherwise be refused */
};

/* What was done. Free with cairn_changed_free, after a failure too. */
struct cairn_changed {
	size_t size;                /* sizeof(struct cairn_changed) */
	uint64_t instructions;      /* in the output; transactions in a transaction trace */
	struct cairn_ledger *lost;  /* what the output does not hold of what it was made from */
	struct cairn_ledger *notes; /* what a user of it should know */
};
/* Free both ledgers of `done`, not `done` itself. */
CAIRN_API void cairn_changed_free(struct cairn *cairn, struct cairn_changed *done);

/* All of the following may fail with CAIRN_E_INVAL (options that make no sense, with a
 * sentence), CAIRN_E_UNSUPPORTED (the format cannot do it), CAIRN_E_STATE (the input
 * cannot be read again, the output must be seekable), CAIRN_E_LOSS, and with what
 * reading and writing fail with. `done` may be NULL; its size must be set.
 * Readers are read from their beginning, whatever was read before. */

/* To the trace's own format: change the packing only, container, codec, chunks. Nothing is
 * added, so that packing back gives the same bytes. To another format, asked for by `to` or
 * by the output's name: through batches (cairn_put); what that format cannot carry is in
 * done->lost. */
CAIRN_API int cairn_convert(struct cairn_reader *reader, const struct cairn_output *out,
                            struct cairn_changed *done);

/* What conversions carry: one row for each kind of information, format it is read from and
 * format it is written to. */
enum cairn_carried {
	CAIRN_CARRY_NONE = 0,      /* the source has no such thing */
	CAIRN_CARRY_EXACTLY = 1,   /* read back it is the same */
	CAIRN_CARRY_OTHERWISE = 2, /* in another way: `how` */
	CAIRN_CARRY_LOST = 3,      /* `how` is what it is called in the ledger */
	CAIRN_CARRY_REFUSED = 4    /* the pair makes no sense: `how` is why */
};
/* One row of that table. */
struct cairn_carry {
	size_t size;           /* sizeof(struct cairn_carry) */
	const char *kind;      /* "mem-physical" */
	const char *meaning;   /* "physical addresses of accesses" */
	const char *from, *to; /* as cairn_reader_format has them */
	enum cairn_carried carried;
	const char *how; /* NULL where there is nothing to say */
};
/* Row `index`, from 0, in the order of kind, source and target: 1, or 0 past the last;
 * CAIRN_E_INVAL when out->size is not set. */
CAIRN_API int cairn_matrix(size_t index, struct cairn_carry *out);

/* ---- parts of a trace ---- */

/* Instructions (transactions) by number, from 1, inclusive. */
struct cairn_range {
	uint64_t first, last;
};
/* The numbers that a selection keeps, as sorted, disjoint ranges; free with cairn_ranges_free.
 * A selection by more than numbers reads the trace, on `threads` threads. A trace that cannot be
 * read twice (a pipe, a file compressed as a whole) then needs one reader for this and another
 * one for the cut. Errors: those of cairn_run. */
CAIRN_API int cairn_ranges(struct cairn_reader *reader, const struct cairn_select *select,
                           unsigned threads, struct cairn_range **out, size_t *n);
/* Free ranges, with the context of the reader. */
CAIRN_API void cairn_ranges_free(struct cairn *cairn, struct cairn_range *ranges);

/* What cairn_slice keeps. */
struct cairn_slice_opts {
	size_t size;                      /* sizeof(struct cairn_slice_opts) */
	const struct cairn_range *ranges; /* sorted, disjoint; none: everything */
	size_t n_ranges;
	/* Of every `every` instructions of the trace the first `window`; 0: all. */
	uint64_t every, window;
	/* How many instructions before a range to read to learn the state at its beginning
	 * (registers, page walks, privilege, process). UINT64_MAX: all. 0: back to the last place
	 * whose state an index holds, without an index all; of a damaged trace, whose index knows
	 * less, at most a million. */
	uint64_t look_back;
};
/* Make ranges of a trace a trace of their own: its header, its starting PC, and what is
 * known where each range begins. CAIRN_E_NOTFOUND when there is nothing in the ranges. */
CAIRN_API int cairn_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
                          const struct cairn_output *out, struct cairn_changed *done);

/* One of the traces that follow each other, or ranges of it. Ranges are taken in the
 * order given, and may come again. */
struct cairn_merge_part {
	struct cairn_reader *reader;
	const char *name;
	const struct cairn_range *ranges; /* none: everything */
	size_t n_ranges;
};
/* Traces one after another as one. They must agree in what cannot be converted.
 * Parts may share a reader. */
CAIRN_API int cairn_merge(const struct cairn_merge_part *parts, size_t n,
                          const struct cairn_output *out, struct cairn_changed *done);

/* ---- a trace as several ---- */

/* How a trace is divided. */
enum cairn_split_by {
	CAIRN_SPLIT_COUNT = 0, /* so many instructions (transactions) to a part */
	CAIRN_SPLIT_CPU = 1,   /* a part for each hart … */
	CAIRN_SPLIT_PID = 2,
	CAIRN_SPLIT_TID = 3
};
/* How cairn_split divides a trace. */
struct cairn_split_opts {
	size_t size;        /* sizeof(struct cairn_split_opts) */
	int by;             /* enum cairn_split_by */
	uint64_t every;     /* of CAIRN_SPLIT_COUNT */
	const char *from;   /* as in cairn_open_opts: by hart, process or thread the trace is */
	int strict;         /* opened anew for each part */
	uint64_t look_back; /* of no effect: a split reads all, so each part knows what came before */
	unsigned threads;   /* to find out who runs; 0: 1 */
	/* Called for each part once all are complete; < 0 ends the split with that status. May be
	 * NULL. */
	int (*part)(void *user, const char *path, uint64_t instructions);
	void *user;
};
/* Make several traces of one, each as cairn_slice would, together all of it. out->path has
 * one %s, which becomes the hart, process or thread ("unknown" where the trace does not
 * tell), or the part's number from 0001. After a failure none of the parts is left.
 * done->instructions: of all parts.
 * Errors, beyond those of cairn_slice: CAIRN_E_INVAL (the pattern; a part would be the
 * trace itself), CAIRN_E_NOTFOUND (nothing tells who runs), CAIRN_E_LIMIT (more than 4096
 * parts by hart, process or thread), CAIRN_E_STATE (a pipe). */
CAIRN_API int cairn_split(struct cairn_reader *reader, const struct cairn_split_opts *opts,
                          const struct cairn_output *out, struct cairn_changed *done);

/* ---- the header, and kinds of records ---- */

/* What cairn_edit changes. */
struct cairn_edit_opts {
	size_t size;                 /* sizeof(struct cairn_edit_opts) */
	const char *const *comments; /* appended */
	size_t n_comments;
	const char *features;    /* "+PTE,-SIMPOINT"; NULL: none */
	const char *isa_string;  /* "rv64gcv_zba", "" removes it; NULL: as it is */
	const char *generator;   /* "NAME-OR-NUMBER[,1.2.3[,comment]]": who made it; NULL */
	const char *const *drop; /* names of record types to leave out */
	size_t n_drop;
	unsigned event_bits; /* width of event ids: 32 or 64; 0: as it is */
	const char *version; /* "1.5"; NULL: as it is */
};
/* Change the header, and leave out kinds of records. CAIRN_E_LOSS also when a change would lose
 * something that `drop` does not name, and `out->lossless` is set. */
CAIRN_API int cairn_edit(struct cairn_reader *reader, const struct cairn_edit_opts *opts,
                         const struct cairn_output *out, struct cairn_changed *done);

#ifdef __cplusplus
}
#endif
#endif
