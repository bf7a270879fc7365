/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_FIND_H
#define CAIRN_FIND_H
/*
 * Where in a trace something is so, or happened: the numbers of the instructions
 * (transactions) a selection means, or of those that touch a register or bytes of memory;
 * the first of them, or the last before a place.
 *
 * An index makes looking for the last ones fast: the trace is then read backwards, part by
 * part, and of touches only parts whose masks and filters do not exclude them. Without one
 * it is read forwards once, and no more is held than was asked for.
 */
#include "cairn/base.h"
#include "cairn/image.h"
#include "cairn/index.h"
#include "cairn/select.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- touches ---- */

/* Who writes (reads) a register or any byte of a range of memory. */
struct cairn_touch;

/* `text` is a register by either of its names ("x5", "t0", "sp"), in whatever instruction
 * set a row is; an address, 0x80001000; a range 0x80001000+8, 0x80001000-0x80001007; or
 * @symbol, the symbol's whole extent, when there is an image. Written is what an instruction
 * that ran did write; a register that was read is a row of role SRC. Accesses to memory are
 * anybody's, by virtual or physical address; those of unknown kind are both.
 * Errors: CAIRN_E_INVAL, CAIRN_E_NOTFOUND (no such symbol), CAIRN_E_NOMEM. */
CAIRN_API int cairn_touch_new(struct cairn *cairn, const char *text, int writes,
                              const struct cairn_image *image, struct cairn_touch **out);
CAIRN_API void cairn_touch_free(struct cairn_touch *touch);
/* Clear keep[i] of the rows 0 … n_insns - 1 that are set and do not touch it. How many are
 * left. Thread-safe. */
CAIRN_API uint32_t cairn_touch_batch(const struct cairn_touch *touch,
                                     const struct cairn_batch *batch, uint8_t *keep);
/* 0: certainly nothing in span `i` of the index touches it. */
CAIRN_API int cairn_touch_span(const struct cairn_touch *touch, const struct cairn_index *index,
                               size_t i);

/* Does the trace tell anybody's: is there an instruction that has any register it writes
 * (reads), any access that writes (reads)? 1, or 0: nothing is known of it then. Read from the
 * beginning, to the first such; the position is lost. Errors: those of cairn_seek, cairn_next. */
CAIRN_API int cairn_touch_told(struct cairn_reader *reader, const struct cairn_touch *touch);

/* ---- finding ---- */

struct cairn_find_opts {
	size_t size;                       /* sizeof(struct cairn_find_opts) */
	const struct cairn_select *select; /* which are meant; NULL: all */
	const struct cairn_touch *touch;   /* and only those that touch it; may be NULL */
	uint64_t before;                   /* only numbers below; 0: all */
	uint64_t most;                     /* how many at most; 0: all */
	int last;                          /* the last ones rather than the first */
	unsigned threads;                  /* 0: 1 */
};

struct cairn_found {
	size_t size; /* sizeof(struct cairn_found) */
	size_t n;
	uint64_t *numbers; /* ascending */
};

/* Find them. The reader may have been read from or not; a stream that cannot be read again
 * must not. What was found before an error is in `out`. Free with cairn_found_free.
 * Errors: CAIRN_E_INVAL, those of cairn_seek and cairn_run. */
CAIRN_API int cairn_find(struct cairn_reader *reader, const struct cairn_find_opts *opts,
                         struct cairn_found *out);
CAIRN_API void cairn_found_free(struct cairn *cairn, struct cairn_found *found);
/* How many there are; `most` and `last` are not looked at. */
CAIRN_API int cairn_find_count(struct cairn_reader *reader, const struct cairn_find_opts *opts,
                               uint64_t *count);

/* ---- programs ---- */

/* Where a position-independent ELF file was loaded, by what the trace's beginning runs: 1 and
 * *base, for cairn_image_add("FILE@0xBASE"), when at least 16 addresses hold what the file
 * holds there, none holds anything else, and no other place comes near; 0 when the file has
 * addresses of its own, or they may be right and no others can be proven. `trace` is opened as with `from` and read from its beginning.
 * Errors: CAIRN_E_NOTFOUND, with a sentence that asks for the address, when it does not show
 * or there are several; those of cairn_image_add, cairn_open and cairn_next. */
CAIRN_API int cairn_image_place(struct cairn *cairn, const char *path, const char *trace,
                                const char *from, uint64_t *base);
/* Is it the program that ran? How many addresses of the trace's beginning (its first 65536
 * instructions, or 4 million where the image has nothing of those; each address once) hold in
 * the image what was executed there, how many something else, and the lowest of these. What a program's loader may write is left out. Errors:
 * those of cairn_open and cairn_next. */
struct cairn_image_match {
	size_t size; /* sizeof(struct cairn_image_match) */
	uint64_t same, other, first;
};
CAIRN_API int cairn_image_match(struct cairn *cairn, const struct cairn_image *image,
                                const char *trace, const char *from, struct cairn_image_match *out);
/* The program that a trace's comment names ("program: bin/sort"), as cairn_image_add takes it.
 * The path is tried as it is, from the trace's folder, and its name alone beside the trace. 1
 * when such a file has the build-id that another comment names ("build-id: 0a1b…") or, where
 * none does, when what the trace's beginning runs is still what that file holds, and when it
 * shows where a position-independent one was loaded, as above; else 0. */
CAIRN_API int cairn_image_recorded(struct cairn *cairn, const char *trace, const char *from,
                                   char *spec, size_t n);

#ifdef __cplusplus
}
#endif
#endif
