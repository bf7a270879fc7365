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
 *
 * In all headers, unless a comment says otherwise:
 * - A function that returns a cairn_status returns CAIRN_OK or a positive answer, and on failure
 *   leaves a sentence for cairn_error_text.
 * - What a function makes in `*out` belongs to the caller and is freed by the function of its
 *   kind (..._free, ..._close, ..._discard); these accept NULL.
 * - Texts and arrays that a function returns, or that a struct points to, belong to the object
 *   they come from and live as long as it.
 * - An object serves one thread at a time.
 * - Reserved members and padding are 0.
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
	CAIRN_E_IO = -10,          /* the operating system refused to read or write */
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
struct cairn_format;

/* Options of a context. Set `size` to sizeof(struct cairn_opts); zero every
 * field you do not care about. */
struct cairn_opts {
	size_t size;
	/* Allocator: works like realloc, and frees when n is 0. NULL: the C library's. */
	void *(*realloc)(void *user, void *ptr, size_t n);
	void *alloc_user; /* handed to it as `user` */
	/* Extra codecs, tried before the built-in ones. The array and what it
	 * points to must outlive the context. */
	const struct cairn_codec *const *codecs;
	size_t n_codecs;
	/* Largest record or compressed chunk held in memory at once, in bytes.
	 * 0: 64 MiB. */
	size_t max_hold;
	/* Long work looks at it often; non-zero ends that work with CAIRN_E_CANCELLED. NULL: never. */
	const volatile int *cancel;
	/* Non-zero: a snapshot may name files anywhere. 0: files outside its folder, by name or by
	 * symbolic links, are not opened. */
	int trust_paths;
	/* Non-zero: read whole files into memory instead of mapping them. When another process makes
	 * a mapped file shorter, its reader gets SIGBUS (cairn_mapped_file); a file that was read
	 * into memory is not affected. cairn_open_stream does neither and needs little memory. */
	int no_map;
	/* Formats of the program's own (cairn/format.h), asked before those of the library. The array
	 * and what it points to must outlive the context. */
	const struct cairn_format *const *formats;
	size_t n_formats;
};

/* Make a context. `opts` may be NULL. Returns NULL when out of memory or when
 * `opts->size` is unknown to this library. */
CAIRN_API struct cairn *cairn_new(const struct cairn_opts *opts);
/* Free a context, after everything that was opened from it. */
CAIRN_API void cairn_free(struct cairn *cairn);

/* How many allocations of the context have failed, on any thread. Calls that need the memory
 * return CAIRN_E_NOMEM; additions (names, disassembly, notes) may be missing instead. Zero means
 * that nothing is missing for lack of memory. */
CAIRN_API uint64_t cairn_failed_allocations(const struct cairn *cairn);

/* The status of the calling thread's last error; CAIRN_OK when there was none. */
CAIRN_API int cairn_error_status(const struct cairn *cairn);
/* The whole chain of its causes as one sentence, outermost place first ("trace.zstf: chunk 12:
 * …"). The text lives until the next failing call of this thread on `cairn`. */
CAIRN_API const char *cairn_error_text(const struct cairn *cairn);

/* Set the calling thread's last error to `status` and a sentence, and return `status`. For
 * functions that the library calls (cairn_read_fn, a codec, a reducer). */
CAIRN_API int cairn_fail(struct cairn *cairn, int status, const char *fmt, ...) CAIRN_PRINTF(3, 4);

/* The version of the library that runs: "1.0.0". CAIRN_VERSION_TEXT (cairn/version.h) is the
 * version of the headers. */
CAIRN_API const char *cairn_version(void);
/* The optional features found when the library was built, NULL-terminated:
 * "zstd 1.5.4", "lz4 1.9.4", … */
CAIRN_API const char *const *cairn_features(void);

#ifdef __cplusplus
}
#endif
#endif
