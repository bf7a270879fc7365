/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_EXPORT_H
#define CAIRN_EXPORT_H
/*
 * Traces as text and as JSON lines: what `cairn view` and `cairn records` print,
 * into memory, for whoever wants it elsewhere.
 *
 * Numbers in JSON: addresses and values are strings "0x…", what is counted is a
 * number, what is not known is null. Runs of bytes (a transaction's data) are hex
 * in the order they lie, without "0x"; a mask is its bits, bit 0 first.
 */
#include "cairn/base.h"
#include "cairn/find.h"
#include "cairn/image.h"
#include "cairn/io.h"
#include "cairn/select.h"
#include "cairn/state.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- instructions and transactions ---- */

struct cairn_view; /* serves one thread at a time */

/* Which child rows a view prints. */
enum cairn_view_show { /* lines below the instruction; JSON has them all */
	                   CAIRN_VIEW_REGS = 1u << 0,
	                   CAIRN_VIEW_MEMS = 1u << 1,
	                   CAIRN_VIEW_EVENTS = 1u << 2,
	                   CAIRN_VIEW_ALL = 7u
};

/* What a view prints, and how. */
struct cairn_view_opts {
	size_t size;                       /* sizeof(struct cairn_view_opts) */
	const struct cairn_reader *reader; /* names events */
	const struct cairn_image *image;   /* symbols; may be NULL */
	const struct cairn_select *select; /* which instructions; NULL: all */
	const char *isa_string;            /* "rv64gcv_zba", as the trace says; may be NULL */
	uint32_t show;                     /* enum cairn_view_show */
	uint8_t json, color, disasm;       /* yes or no */
	uint8_t bare;                      /* only what is selected: neither what belongs to no
	                                     * instruction nor damage elsewhere */
	const struct cairn_touch *touch;   /* and only those that touch it; NULL: all */
	uint8_t lines;                     /* the image's source lines, when they were read */
	uint8_t ends;                      /* keep where each instruction's text ends, for
	                                     * cairn_view_take_some; a bare view always does */
};

/* All pointers of the options must outlive the view.
 * Errors: CAIRN_E_INVAL, CAIRN_E_NOMEM. */
CAIRN_API int cairn_view_new(struct cairn *cairn, const struct cairn_view_opts *opts,
                             struct cairn_view **out);
/* Free a view, and the text it keeps. */
CAIRN_API void cairn_view_free(struct cairn_view *view);
/* The parts of a batch such a view looks at, for cairn_reader_want. */
CAIRN_API uint32_t cairn_view_parts(const struct cairn_view_opts *opts);

/* Forget everything printed: a new piece of a trace begins. */
CAIRN_API void cairn_view_begin(struct cairn_view *view);
/* Print a batch; the lines are kept until taken. CAIRN_E_NOMEM. */
CAIRN_API int cairn_view_batch(struct cairn_view *view, const struct cairn_batch *batch);
/* Bytes of text kept. */
CAIRN_API size_t cairn_view_held(const struct cairn_view *view);
/* Take the lines kept; the text is valid until the next call with `view`. Whether the
 * first instruction of a piece needs a line about its context depends on what was
 * printed before it, maybe by another view: `shown` carries that from take to take,
 * in trace order (all zero at first). CAIRN_E_NOMEM. */
CAIRN_API int cairn_view_take(struct cairn_view *view, struct cairn_ctx *shown, const char **text,
                              size_t *n);
/* The same, but at most `*most` instructions (transactions), and the rest is thrown away; *most
 * becomes how many were taken. For a view that is bare or keeps ends. */
CAIRN_API int cairn_view_take_some(struct cairn_view *view, struct cairn_ctx *shown,
                                   const char **text, size_t *n, uint64_t *most);
/* Instructions and transactions printed since the view was made. */
CAIRN_API uint64_t cairn_view_lines(const struct cairn_view *view);
/* Why there is no disassembly although it was asked for: a sentence, or NULL. */
CAIRN_API const char *cairn_view_no_disasm(const struct cairn_view *view);

/* ---- text ---- */

struct cairn_text; /* a growing text; serves one thread at a time */

/* NULL when out of memory. */
CAIRN_API struct cairn_text *cairn_text_new(struct cairn *cairn);
/* Free a text. */
CAIRN_API void cairn_text_free(struct cairn_text *text);
/* Forget what it holds, and that something failed. */
CAIRN_API void cairn_text_clear(struct cairn_text *text);
/* The bytes so far, not terminated. */
CAIRN_API const char *cairn_text_get(const struct cairn_text *text, size_t *n);
/* Append. A failure of these three and of cairn_json_… stays with the text: what follows does
 * nothing and fails the same way, so that it is enough to look at the last call. CAIRN_E_NOMEM. */
CAIRN_API int cairn_text_put(struct cairn_text *text, const void *bytes, size_t n);
/* Append as printf does. */
CAIRN_API int cairn_text_printf(struct cairn_text *text, const char *fmt, ...) CAIRN_PRINTF(2, 3);
/* Words from outside, harmless for terminals and lines: control characters and bytes that are
 * not UTF-8 become \n, \t or \xNN, a backslash is doubled. */
CAIRN_API int cairn_text_escape(struct cairn_text *text, const char *words);
/* Write all to a sink, and clear the text. Errors also: cairn_sink_write's. */
CAIRN_API int cairn_text_write(struct cairn_text *text, struct cairn_sink *sink);
/* Bytes of the first character of `n` bytes of text; 0 when it is not UTF-8, or controls a
 * terminal or hides what is around it. */
CAIRN_API size_t cairn_printable(const char *text, size_t n);

/* ---- JSON ---- */

/* Begin a document, which is an object, behind what the text holds. `pretty`: one member a line,
 * for people; else all in one line. In the functions below, `key` is the name of a member of an
 * object, and NULL for a member of an array. */
CAIRN_API void cairn_json_begin(struct cairn_text *text, int pretty);
/* End the document. Errors of all calls since its beginning: CAIRN_E_NOMEM, CAIRN_E_LIMIT (more
 * than 63 levels), CAIRN_E_STATE (closed too often). */
CAIRN_API int cairn_json_end(struct cairn_text *text);
/* Open an object or an array, which is closed with cairn_json_close. */
CAIRN_API void cairn_json_object(struct cairn_text *text, const char *key);
CAIRN_API void cairn_json_array(struct cairn_text *text, const char *key);
CAIRN_API void cairn_json_close(struct cairn_text *text);
/* Bytes that are not UTF-8 become U+FFFD; NULL is null. */
CAIRN_API void cairn_json_text(struct cairn_text *text, const char *key, const char *value);
CAIRN_API void cairn_json_number(struct cairn_text *text, const char *key, uint64_t value);
CAIRN_API void cairn_json_bool(struct cairn_text *text, const char *key, int value);
CAIRN_API void cairn_json_null(struct cairn_text *text, const char *key);
/* Something that is JSON already. */
CAIRN_API void cairn_json_raw(struct cairn_text *text, const char *key, const char *json, size_t n);

/* ---- records ---- */

/* Append a record as one line: number, byte offset, name, every field. CAIRN_E_NOMEM. */
CAIRN_API int cairn_text_record(struct cairn_text *text, const struct cairn_record *rec, int json);

/* ---- the state at a place ---- */

/* What of a state is printed, and how. */
struct cairn_state_show {
	size_t size;                /* sizeof(struct cairn_state_show) */
	uint64_t n;                 /* number of the instruction, for the heading */
	uint8_t after;              /* the state is that after it; 0: before it */
	uint8_t regs, memory, json; /* yes or no: registers, memory, as JSON */
	enum cairn_isa isa;         /* whose names the registers get */
	/* Print only these bytes of memory; none: all that are known. */
	const struct cairn_state_range *ranges;
	size_t n_ranges;
};
/* Bytes of memory. */
struct cairn_state_range {
	struct cairn_space space;
	uint64_t first, last; /* addresses, inclusive */
};
/* Append a state: a line for each register of which something is known, with the number of the
 * instruction whose row says so last, and a line for each 16 bytes of memory. Unknown digits are
 * '?'. JSON is one document. CAIRN_E_NOMEM. */
CAIRN_API int cairn_text_state(struct cairn_text *text, const struct cairn_state *state,
                               const struct cairn_state_show *show);

/* ---- counting a part of a trace ---- */

/* Count the rows of a batch that `keep` marks; NULL: all, with what belongs to no instruction.
 * Records are not counted, for a batch has none. A tally begins with its size and zeros. The three
 * functions return CAIRN_E_INVAL, and do nothing, when a size is not set. */
CAIRN_API int cairn_tally_batch(struct cairn_tally *tally, const struct cairn_batch *batch,
                                const uint8_t *keep);
/* Add the counts of `part` to `sum`. */
CAIRN_API int cairn_tally_add(struct cairn_tally *sum, const struct cairn_tally *part);
/* Complete a sum, once, when nothing is added any more. */
CAIRN_API int cairn_tally_end(struct cairn_tally *sum);

#ifdef __cplusplus
}
#endif
#endif
