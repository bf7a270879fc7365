/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_BASE_H
#define CAIRN_BASE_H
/*
 * The library context and its errors.
 *
 * A `struct cairn` carries everything the library would otherwise keep in
 * globals: limits, the allocator, extra codecs, the cancel flag and the last
 * error of each thread. Everything opened from a context must be closed before
 * the context is freed. One context may be used by several threads at once.
 */
#include <stddef.h>
#include <stdint.h>

#include "cairn/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CAIRN_API __attribute__((visibility("default")))
#define CAIRN_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CAIRN_API
#define CAIRN_PRINTF(f, a)
#endif

/* What a fallible function returns: >= 0 is good, these are not. The values
 * are frozen; gaps are left for growth. */
enum cairn_status {
	CAIRN_OK = 0,
	CAIRN_E_NOMEM = -1,        /* out of memory, or the allocator refused */
	CAIRN_E_INVAL = -2,        /* the caller's arguments make no sense */
	CAIRN_E_STATE = -3,        /* the call does not fit the object's state */
	CAIRN_E_IO = -10,          /* the operating system said no */
	CAIRN_E_NOTFOUND = -11,    /* no such file, instruction or symbol */
	CAIRN_E_PIPE = -12,        /* the reader of our output went away */
	CAIRN_E_FORMAT = -20,      /* the input is none of the known formats */
	CAIRN_E_DAMAGED = -21,     /* the input breaks its format's rules */
	CAIRN_E_TRUNCATED = -22,   /* the input ends too early */
	CAIRN_E_UNSUPPORTED = -30, /* understood, but this build or version cannot */
	CAIRN_E_LIMIT = -31,       /* a limit of the context was reached */
	CAIRN_E_LOSS = -32,        /* a lossless conversion met something it would lose */
	CAIRN_E_CANCELLED = -40    /* the context's cancel flag was set */
};

struct cairn;
struct cairn_codec;

/* Options of a context. Set `size` to sizeof(struct cairn_opts); zero every
 * field you do not care about. */
struct cairn_opts {
	size_t size;
	/* Allocator: realloc semantics, n == 0 frees. NULL: the C library's. */
	void *(*realloc)(void *user, void *ptr, size_t n);
	void *alloc_user;
	/* Extra codecs, tried before the built-in ones. The array and what it
	 * points to must outlive the context. */
	const struct cairn_codec *const *codecs;
	size_t n_codecs;
	/* Largest record or compressed chunk held in memory at once, in bytes.
	 * 0: 64 MiB. */
	size_t max_hold;
	/* Polled by long work; non-zero ends it with CAIRN_E_CANCELLED. */
	const volatile int *cancel;
	/* Non-zero: names of files that a snapshot holds may lead anywhere. 0: what lies outside
	 * its folder, by name or by symbolic links, is not opened. */
	int trust_paths;
	/* Non-zero: read files into memory, as large as they are, instead of mapping them. A
	 * mapped file that somebody makes shorter kills its reader with SIGBUS
	 * (cairn_mapped_file); one that was read just ends where it ends. Without memory in
	 * proportion: cairn_open_stream with a function that reads. */
	int no_map;
};

/* Make a context. `opts` may be NULL. Returns NULL when out of memory or when
 * `opts->size` is unknown to this library. */
CAIRN_API struct cairn *cairn_new(const struct cairn_opts *opts);
CAIRN_API void cairn_free(struct cairn *cairn);

/* How many allocations of the context have failed, on any thread. Calls that need the memory
 * return CAIRN_E_NOMEM; what only adds something (names, disassembly, notes) may be missing
 * instead. Zero means that nothing is missing for lack of memory. */
CAIRN_API uint64_t cairn_failed_allocations(const struct cairn *cairn);

/* The last error of the calling thread: its status, and the whole chain of
 * causes as one sentence, outermost place first ("trace.zstf: chunk 12: …").
 * The text lives until the next failing call of this thread on `cairn`. */
CAIRN_API int cairn_error_status(const struct cairn *cairn);
CAIRN_API const char *cairn_error_text(const struct cairn *cairn);

/* Record a failure of the calling thread, a sentence in place of the last one, and return
 * `status`: for functions that the library calls (cairn_read_fn, a codec, a reducer). */
CAIRN_API int cairn_fail(struct cairn *cairn, int status, const char *fmt, ...) CAIRN_PRINTF(3, 4);

/* Of the library that runs: "1.0.0". That of the headers: CAIRN_VERSION_TEXT and its kin
 * (cairn/version.h). */
CAIRN_API const char *cairn_version(void);
/* The optional features found when the library was built, NULL-terminated:
 * "zstd 1.5.4", "lz4 1.9.4", … */
CAIRN_API const char *const *cairn_features(void);

#ifdef __cplusplus
}
#endif
#endif
