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

/* Make one from a text. `text` is a register by either of its names ("x5", "t0", "sp"), in whatever
 * instruction set a row is; an address, 0x80001000; a range 0x80001000+8, 0x80001000-0x80001007; or
 * @symbol, the symbol's whole extent, when there is an image. Written is what an instruction that
 * ran did write; a register that was read is a row of role SRC. Accesses to memory are anybody's,
 * by virtual or physical address; those of unknown kind are both. Errors: CAIRN_E_INVAL,
 * CAIRN_E_NOTFOUND (no such symbol), CAIRN_E_NOMEM. */
CAIRN_API int cairn_touch_new(struct cairn *cairn, const char *text, int writes,
                              const struct cairn_image *image, struct cairn_touch **out);
/* Free a touch. */
CAIRN_API void cairn_touch_free(struct cairn_touch *touch);
/* Set keep[i] to 0 where row i (0 … n_insns - 1) does not touch it. Returns how many stay set.
 * Thread-safe. */
CAIRN_API uint32_t cairn_touch_batch(const struct cairn_touch *touch,
                                     const struct cairn_batch *batch, uint8_t *keep);
/* Has cairn_touch_batch met an access whose address is not known, which may have been to the place? 1 or 0;
 * 0 for registers. */
CAIRN_API int cairn_touch_unsure(const struct cairn_touch *touch);
/* 0: certainly nothing in span `i` of the index touches it. */
CAIRN_API int cairn_touch_span(const struct cairn_touch *touch, const struct cairn_index *index,
                               size_t i);

/* Does the trace record such things at all: has any instruction a register that it writes (reads),
 * or an access that writes (reads)? 1 or 0; with 0 a search without results means nothing. Reads
 * from the beginning to the first one, and loses the position. Errors: those of cairn_seek and
 * cairn_next. */
CAIRN_API int cairn_touch_told(struct cairn_reader *reader, const struct cairn_touch *touch);

/* ---- finding ---- */

/* What to find. */
struct cairn_find_opts {
	size_t size;                       /* sizeof(struct cairn_find_opts) */
	const struct cairn_select *select; /* which are meant; NULL: all */
	const struct cairn_touch *touch;   /* and only those that touch it; may be NULL */
	uint64_t before;                   /* only numbers below; 0: all */
	uint64_t most;                     /* how many at most; 0: all */
	int last;                          /* the last ones rather than the first */
	unsigned threads;                  /* 0: 1 */
};

/* What was found. */
struct cairn_found {
	size_t size; /* sizeof(struct cairn_found) */
	size_t n;
	uint64_t *numbers; /* of the instructions (transactions), ascending */
};

/* Find them. The reader may have been read from or not; a stream that cannot be read again
 * must not. What was found before an error is in `out`. Free with cairn_found_free.
 * Errors: CAIRN_E_INVAL, those of cairn_seek and cairn_run. */
CAIRN_API int cairn_find(struct cairn_reader *reader, const struct cairn_find_opts *opts,
                         struct cairn_found *out);
/* Free the numbers, not `found` itself. */
CAIRN_API void cairn_found_free(struct cairn *cairn, struct cairn_found *found);
/* How many there are; `most` and `last` are not looked at. */
CAIRN_API int cairn_find_count(struct cairn_reader *reader, const struct cairn_find_opts *opts,
                               uint64_t *count);

/* ---- programs ---- */

/* Find where a position-independent ELF file was loaded, by the instructions at the beginning of
 * the trace. 1 and *base, for cairn_image_add("FILE@0xBASE"), when at least 16 addresses hold the
 * file's bytes, none holds others, and no other base comes near. 0 when the file's own addresses
 * hold, or may hold and no others can be proven. `trace` is opened as with `from` and read from
 * its beginning.
 * Errors: CAIRN_E_NOTFOUND, with a sentence that asks for the address, when there is no such base
 * or there are several; those of cairn_image_add, cairn_open and cairn_next. */
CAIRN_API int cairn_image_place(struct cairn *cairn, const char *path, const char *trace,
                                const char *from, uint64_t *base);
/* How well an image fits a trace. */
struct cairn_image_match {
	size_t size;    /* sizeof(struct cairn_image_match) */
	uint64_t same;  /* addresses where the image holds the instruction that ran */
	uint64_t other; /* addresses where it holds something else */
	uint64_t first; /* the lowest of these */
};
/* Is it the program that ran? Compares the trace's first 65536 instructions, or 4 million where
 * the image has none of those, each address once, and leaves out what a program's loader may
 * write. Errors: those of cairn_open and cairn_next. */
CAIRN_API int cairn_image_match(struct cairn *cairn, const struct cairn_image *image,
                                const char *trace, const char *from, struct cairn_image_match *out);
/* Find the program that a comment of the trace names ("program: bin/sort"), and put it into `spec`
 * (`n` bytes) as cairn_image_add takes it. The path is tried as it is, from the trace's folder,
 * and as a name beside the trace. 1 when such a file has the build-id that another comment names
 * ("build-id: 0a1b…") or, without such a comment, still holds the instructions at the trace's
 * beginning; a position-independent file must also be placed, as with cairn_image_place. Else 0. */
CAIRN_API int cairn_image_recorded(struct cairn *cairn, const char *trace, const char *from,
                                   char *spec, size_t n);

#ifdef __cplusplus
}
#endif
#endif
