/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_ANALYSIS_H
#define CAIRN_ANALYSIS_H
/*
 * Analyses: what a trace comes to, as tables of numbers.
 *
 * Each works on every format, on a selection, as one result or as a series over
 * intervals of instructions, and gives the same numbers on any number of threads.
 * Memory is bounded by what is distinct (encodings, branches, pages), not by the
 * length of the trace. What a trace cannot know is an unknown cell or a note,
 * never a zero.
 *
 * Instructions are those the trace holds, executed or not, unless a word says
 * otherwise; `executed` in an expression leaves the others out.
 */
#include "cairn/base.h"
#include "cairn/export.h"
#include "cairn/image.h"
#include "cairn/select.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- results ---- */

/* What a column's cells hold. */
enum cairn_cell_kind {
	CAIRN_CELL_TEXT = 0,
	CAIRN_CELL_COUNT = 1,   /* a number of things, or an instruction number */
	CAIRN_CELL_ADDRESS = 2, /* printed in hex */
	CAIRN_CELL_REAL = 3,
	CAIRN_CELL_SIGNED = 4 /* a distance: two's complement in `number` */
};

/* The head of a column. */
struct cairn_column {
	const char *name;
	uint8_t kind;        /* enum cairn_cell_kind */
	uint8_t decimals;    /* of a real, in text for people */
	const char *meaning; /* what it holds, and its unit */
};

/* One value of a table; the column's kind says which member holds it. */
struct cairn_cell {
	union {
		uint64_t number;
		double real;
		const char *text; /* maybe not UTF-8: names come from files */
	} v;
	uint8_t known; /* 0: the trace does not tell */
	uint8_t pad[7];
};

/* A table of a result. */
struct cairn_table {
	const char *name;
	size_t n_columns, n_rows;
	const struct cairn_column *columns;
	const struct cairn_cell *cells; /* n_rows times n_columns */
	uint8_t series; /* the first two columns are the interval's first and last instruction */
	uint8_t single; /* one row (an interval): a list of figures rather than a table */
	/* Rows that were left out because only so many are kept; of a series unknown. */
	uint64_t n_more;
};

struct cairn_result;

/* Free what an analysis gave. NULL is fine. */
CAIRN_API void cairn_result_free(struct cairn_result *res);
/* Table `index`, from 0; NULL past the last. Rows are sorted, the most frequent first. */
CAIRN_API const struct cairn_table *cairn_result_table(const struct cairn_result *res,
                                                       size_t index);
/* Sentence `index`, from 0, about what could not be known; NULL past the last. */
CAIRN_API const char *cairn_result_note(const struct cairn_result *res, size_t index);
/* 1 if there was a selection and it selected no instruction, so that all figures are empty. */
CAIRN_API int cairn_result_is_of_none(const struct cairn_result *res);

/* How a result is printed, and which part of it. */
enum cairn_result_form { CAIRN_FORM_TEXT = 0, CAIRN_FORM_JSON = 1, CAIRN_FORM_CSV = 2 };
struct cairn_print_opts {
	size_t size;       /* sizeof(struct cairn_print_opts) */
	uint8_t form;      /* enum cairn_result_form */
	const char *table; /* only this one; NULL: all */
	uint64_t top;      /* rows of each table (of each interval); 0: all */
	uint8_t no_names;  /* comma-separated values without the names of the columns */
};
/* Append tables as text with aligned columns, as one JSON document (an array of objects
 * for each table, one object for figures, and the notes), or as comma-separated values:
 * each table begins with its column names, an empty line stands between two.
 * Errors: CAIRN_E_NOTFOUND (no such table), CAIRN_E_INVAL, CAIRN_E_NOMEM. */
CAIRN_API int cairn_result_print(const struct cairn_result *res,
                                 const struct cairn_print_opts *opts, struct cairn_text *out);

/* ---- what all analyses take ---- */

/* What to analyse and how. */
struct cairn_analysis_opts {
	size_t size;                       /* sizeof(struct cairn_analysis_opts) */
	const struct cairn_select *select; /* NULL: everything */
	const struct cairn_image *image;   /* symbols; may be NULL */
	const char *isa_string;            /* as the trace says; may be NULL */
	uint64_t every;                    /* a series over intervals of that many instructions,
	                                    * 1 … every, every+1 … ; 0: one result */
	unsigned threads;                  /* 0: 1 */
	const char *table;                 /* only this one gets rows, so that a series of it holds
	                                    * nothing else in memory; CAIRN_E_NOTFOUND, before anything is
	                                    * read, where there is none of the name; NULL: all */
	/* Called at the end of each interval of a series; `res` has the rows so far and belongs to
	 * the analysis. Return 1 to drop these rows, 0 to keep them, < 0 to end the analysis with
	 * that status. NULL: all rows are kept. */
	int (*interval)(void *user, const struct cairn_result *res);
	void *user; /* of `interval` */
};
/* Each reads from where the reader stands to the end of what is selected. `opts` may be
 * NULL. Errors of all: CAIRN_E_INVAL, CAIRN_E_NOMEM, CAIRN_E_UNSUPPORTED (a transaction
 * trace has no instructions), and those of cairn_run. */

/* Takes a piece of what an exporter writes; < 0 ends it with that status. */
typedef int cairn_write_fn(void *user, const void *data, size_t n);

/* ---- printing a series while it is made ---- */

struct cairn_series;
/* Print a series interval by interval, so that it needs no memory for its rows. `path` is the
 * output's name ("-": none), beside which a temporary file may be made; `write` gets the text in
 * pieces. `opts`, `path` and `user` must stay. Errors: CAIRN_E_INVAL, CAIRN_E_NOMEM. */
CAIRN_API int cairn_series_new(struct cairn *cairn, const struct cairn_print_opts *opts,
                               const char *path, cairn_write_fn *write, void *user,
                               struct cairn_series **out);
/* For cairn_analysis_opts.interval, with the struct cairn_series as `user`: print an interval. */
CAIRN_API int cairn_series_interval(void *user, const struct cairn_result *res);
/* Print what cairn_series_interval has not printed: all of a result without intervals. Errors:
 * those of cairn_result_print and of `write`. */
CAIRN_API int cairn_series_end(struct cairn_series *series, const struct cairn_result *res);
/* NULL is fine. */
CAIRN_API void cairn_series_free(struct cairn_series *series);

/* ---- mix: which instructions, how often ---- */

/* `by` names what to count by: class, mnemonic, extension, size, isa, function, process,
 * privilege, cpu. A comma counts by several together ("function,class"), a space begins
 * another table. NULL: "class mnemonic extension size".
 * A function is a symbol of the image that covers the PC; CAIRN_E_INVAL without one.
 * A process is told by the first of pid, asid and ctxid that the trace knows.
 * Tables are named as they were asked for. */
CAIRN_API int cairn_mix(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                        const char *by, struct cairn_result **out);

/* ---- branches: what each did, and how well it can be foreseen ---- */

/* Tables: summary (figures), predictors, kinds, classes (of conditional branches) and
 * branches (one row for each address). Branches that did not execute are left out.
 * Classes, the first that fits: always, never; loop: one way a constant number of times
 * and the other way once, at least three times (trip: iterations); biased: one way 98 %
 * of the time; repeating and correlated: less than 0.1 bit is left to guess for who
 * knows the last eight outcomes of the branch itself, of the hart's conditional
 * branches; hard: all others.
 * `predictors`: "all", or names with sizes in bytes, like "bimodal:4K,gshare:16K,tage:64K"
 * (these are the default sizes); NULL: none. With any of them, targets are predicted
 * too: returns by a stack of 16, other indirect branches by where they went last. Each
 * hart has its own; they carry on from interval to interval, all else begins anew. */
CAIRN_API int cairn_branches(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                             const char *predictors, struct cairn_result **out);
/* The branches of one hart as BT9, the text that championship branch predictors read.
 * Keeps 4 bytes for each branch that ran.
 * Errors also: CAIRN_E_UNSUPPORTED when more than one hart is selected. */
CAIRN_API int cairn_export_bt9(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                               cairn_write_fn *write, void *user);

/* ---- blocks: basic blocks and SimPoint ---- */

/* Tables: summary (figures) and blocks, one row for each address a block begins at. A
 * block ends with a branch (`ends` NULL or "branch") or only with one that is taken
 * ("taken"), with an instruction that did not complete or enters or leaves a trap, and
 * where the flow goes on elsewhere. An instruction counts in the interval it is in, an
 * execution where the block began. */
CAIRN_API int cairn_blocks(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                           const char *ends, struct cairn_result **out);
/* Basic block vectors of intervals of opts->every instructions, as SimPoint reads them:
 * a line "T:block:instructions :block:instructions …" for each interval. */
CAIRN_API int cairn_export_bbv(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                               const char *ends, cairn_write_fn *write, void *user);

/* How to choose simulation points. */
struct cairn_simpoints_opts {
	size_t size;      /* sizeof(struct cairn_simpoints_opts) */
	const char *ends; /* of blocks, as above */
	unsigned most;    /* clusters at most; 0: 30, or a quarter of the intervals */
	uint64_t seed;    /* of the random numbers; 0: a fixed one */
};
/* Intervals of opts->every instructions that stand for all: vectors are projected to 15
 * dimensions, clustered by k-means for each k up to `most`, and the smallest k is taken
 * whose Bayesian information criterion comes to 90 % of the way from the worst to the
 * best (Sherwood and others 2002; Hamerly and others 2005). Tables: summary (figures),
 * simpoints (simpoint, interval, first, last, weight: the part of all instructions its
 * cluster has), and clustering (k, bic). */
CAIRN_API int cairn_simpoints(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                              const struct cairn_simpoints_opts *how, struct cairn_result **out);

/* ---- memory: what was touched, how, and how soon again ---- */

/* A cache to model. */
struct cairn_cache {
	uint64_t size, ways, line; /* bytes, ways of a set, bytes */
};
/* How to analyse memory. */
struct cairn_memory_opts {
	size_t size;     /* sizeof(struct cairn_memory_opts) */
	uint64_t line;   /* bytes of a line, a power of two up to 4096; 0: 64 */
	uint64_t sample; /* distances (reuse, store_to_load, load_to_load) from one line of so many;
	                   * 0 and 1: of all, exactly */
	const struct cairn_cache *caches; /* reference models, LRU, one for each hart */
	unsigned n_caches;                /* up to 8 */
	uint8_t no_reuse;                 /* no reuse distances */
	uint8_t only_reuse; /* nothing but them: of the tables only reuse, which is the same */
	uint8_t estimate;   /* with `sample`: of all tables but sizes and caches estimates, see below */
};
/* Of the accesses of instructions, by virtual address. Tables: summary (figures, with the
 * footprint in lines and 4 KiB pages), sizes, sharing (of lines, when more than one hart
 * accesses memory), caches, reuse (distances in lines, in powers of two; the row without
 * a distance is of lines never touched before; cumulative is what a fully associative
 * cache of that many lines would hit), store_to_load and load_to_load (instructions since
 * the last store or load of a byte of it, in powers of two, below 16384; percent of all
 * loads; whole: one store wrote all of it), lines, pages and instructions (the 1000 used
 * most; pattern: constant or strided when at least 90 % of the strides are like the one
 * before; stride: of the longest run of equal ones, the first of several, unknown if none is
 * repeated).
 * `estimate`: sizes, caches and the sums of summary are exact. Numbers of lines, sharing and
 * distances are those of the lines sampled, times `sample`; the number of pages is that of one
 * page of 32, lines, pages and instructions are what 4096 instructions of 131072 used, times
 * 32. CAIRN_E_INVAL without a sample, and with intervals.
 * An access that spans several lines counts in each of them. With intervals the numbers
 * begin anew, caches and last touches go on. `how` may be NULL. */
CAIRN_API int cairn_memory(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                           const struct cairn_memory_opts *how, struct cairn_result **out);

/* ---- calls: who called whom ---- */

/* Tables: summary (figures), functions (instructions of its own, and with all it called,
 * counted once however often it is on the stack), tree (paths, depth first). A function
 * is a symbol of the image, or without one the address that was called.
 * A return throws away the frames above the one it goes to (frames_unwound); where no
 * frame fits it goes on with another stack, or a new one (stack_switches,
 * returns_unmatched). A jump to the beginning of another symbol is a tail call. Traps are
 * frames. Paths are kept to a depth of 1024. Stacks go on from interval to interval. */
CAIRN_API int cairn_calls(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                          struct cairn_result **out);

/* Forms of cairn_export_calls. */
enum cairn_calls_form {
	CAIRN_CALLS_FOLDED = 1,     /* a line for each path: "main;f;g 120" */
	CAIRN_CALLS_SPEEDSCOPE = 2, /* JSON */
	CAIRN_CALLS_FLAME = 3,      /* SVG, self-contained */
	CAIRN_CALLS_TIMELINE = 4    /* Chrome trace JSON; time is instructions */
};
/* Errors also: CAIRN_E_INVAL for a series. */
CAIRN_API int cairn_export_calls(struct cairn_reader *reader,
                                 const struct cairn_analysis_opts *opts, enum cairn_calls_form form,
                                 cairn_write_fn *write, void *user);

/* ---- deps: what depends on what ---- */

/* Dependences through registers of instructions that executed. Tables: summary (figures),
 * ilp (for windows of 8 to 1024 instructions, and without one: how many steps it takes if
 * each instruction takes one, begins when its sources are there, and no sooner than
 * everything a window before it is done), distances (instructions since a source was
 * written, in powers of two), fusion (pairs a machine could treat as one), pairs (what
 * stands directly behind what, and whether it reads its result). Every interval begins
 * anew; harts run side by side. */
CAIRN_API int cairn_deps(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                         struct cairn_result **out);

/* ---- overview: the whole trace at once ---- */

/* Tables: summary (figures), columns (the trace in at most so many equal pieces: classes
 * in percent, branches taken, events, pages of data first touched there and so far, the
 * mode, hart and process that had the most instructions), functions (the eight with the
 * most instructions; without an image, pages of code), where (their part of each column).
 * `columns` is up to 512, 0: 64; with opts->every a column has so many instructions, and
 * there are as many as it takes (a million at most). */
CAIRN_API int cairn_overview(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                             unsigned columns, struct cairn_result **out);
/* The result as strips for a terminal: 26 characters of names and figures, then one character for
 * each column; with opts->every at most `columns` side by side, the next ones below. Errors:
 * CAIRN_E_INVAL (no overview), CAIRN_E_NOMEM. */
CAIRN_API int cairn_overview_text(const struct cairn_result *res, struct cairn_text *out);

/* ---- report: all of it on a page ---- */

/* What a report is about. */
struct cairn_report_opts {
	size_t size;                       /* sizeof(struct cairn_report_opts) */
	const char *from;                  /* as cairn_open_opts */
	const struct cairn_select *select; /* what is analysed; NULL: everything */
	const struct cairn_image *image;   /* symbols; may be NULL */
	unsigned threads;                  /* 0: 1 */
	struct cairn_reader *reader;       /* reads that trace, and stands at its beginning, so that the
	                                    * caller can show progress; NULL: the trace is opened */
};
/* Write one HTML file that needs nothing else: what the trace is, an overview, the mix,
 * branches, memory, functions, a flame graph, and what cairn_check finds (in all of the
 * trace). The trace is read once: "-" is standard input.
 * Errors: those of cairn_open and of the analyses; CAIRN_E_INVAL. */
CAIRN_API int cairn_report(struct cairn *cairn, const char *trace,
                           const struct cairn_report_opts *opts, cairn_write_fn *write, void *user);

#ifdef __cplusplus
}
#endif
#endif
