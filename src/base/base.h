/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BASE_H
#define BASE_BASE_H
/*
 * Inside view of the context: allocation, failing with a sentence, limits. Every room may use this;
 * it uses no other room.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/base.h"

/* Allocation through the context's allocator. base_alloc returns zeroed memory.
 * All return NULL and record CAIRN_E_NOMEM when they cannot. */
void *base_alloc(struct cairn *cairn, uint64_t n);
void *base_realloc(struct cairn *cairn, void *p, uint64_t n);
void base_free(struct cairn *cairn, void *p);
char *base_strdup(struct cairn *cairn, const char *text);
/* The number that the `n` characters of a text are as C spells it; false: they are none. */
bool base_number(const char *text, size_t n, uint64_t *out);
/* Room for one more behind the `n` elements of an array that has room for *cap: `array` points to
 * its pointer. It grows by doubling, from `first` elements of `size` bytes. >= 0, or CAIRN_E_NOMEM
 * and all is as it was. */
int base_grow(struct cairn *cairn, void *array, size_t *cap, size_t n, size_t size, size_t first);
/* The same for a short array that keeps no capacity: a zeroed element behind the *n it has, which
 * is then counted. NULL when out of memory. */
void *base_append(struct cairn *cairn, void *array, size_t *n, size_t size);

/* Record a failure for this thread and return `status`: base_fail starts a new
 * chain with the deepest cause, base_wrap puts a place in front of the chain
 * ("chunk 12" before "INST_REG needs 8 bytes"). */
int base_fail(struct cairn *cairn, int status, const char *fmt, ...) CAIRN_PRINTF(3, 4);
int base_wrap(struct cairn *cairn, const char *fmt, ...) CAIRN_PRINTF(2, 3);
/* base_fail with strerror(err) appended, CAIRN_E_NOTFOUND for ENOENT,
 * CAIRN_E_PIPE for EPIPE, else CAIRN_E_IO. */
int base_fail_errno(struct cairn *cairn, int err, const char *fmt, ...) CAIRN_PRINTF(3, 4);

bool base_cancelled(const struct cairn *cairn);
size_t base_max_hold(const struct cairn *cairn);
const struct cairn_opts *base_opts(const struct cairn *cairn);
/* What src/io keeps with the context: the files that are read, outputs that wait, and what is
 * to be kept of one that fails. */
struct io_input;
struct io_hold;
struct io_keep;
struct io_input **base_inputs(struct cairn *cairn);
struct io_hold **base_hold(struct cairn *cairn);
struct io_keep **base_keep(struct cairn *cairn);
/* The formats of the context, which src/open.c makes of opts.formats when it first needs them. Freed
 * with the context as one piece of memory. */
void **base_formats(struct cairn *cairn);

/* A struct of the caller's that the library fills begins with its size (cairn/cairn.h). base_sized:
 * may it be filled? CAIRN_E_INVAL when the size is not set; `name` is what the sentence calls it.
 * base_give: fill it from the library's own of `size` bytes, as far as both go. base_take: the
 * reverse, into zeros. */
int base_sized(struct cairn *cairn, const void *theirs, const char *name);
void base_give(void *theirs, const void *own, size_t size);
void base_take(void *own, const void *theirs, size_t size);
/* Copy the caller's options over the library's own of `size` bytes; NULL changes nothing.
 * CAIRN_E_INVAL when they are of a newer library; `name` is what the sentence calls them. */
int base_options(struct cairn *cairn, void *own, size_t size, const void *theirs, const char *name);

/* A growable byte buffer. */
struct base_buf {
	struct cairn *cairn;
	uint8_t *data;
	size_t len, cap;
};
void base_buf_init(struct base_buf *buf, struct cairn *cairn);
void base_buf_free(struct base_buf *buf);
/* Make room for `n` more bytes; >= 0 or CAIRN_E_NOMEM. */
int base_buf_reserve(struct base_buf *buf, size_t n);
int base_buf_put(struct base_buf *buf, const void *data, size_t n);
int base_buf_printf(struct base_buf *buf, const char *fmt, ...) CAIRN_PRINTF(2, 3);
int base_buf_vprintf(struct base_buf *buf, const char *fmt, va_list ap) CAIRN_PRINTF(2, 0);

/* A binary search over rows lo to hi - 1 is `while (lo < hi)` with a call of base_halve, which is told
 * whether row base_half(lo, hi) comes before what is sought. At the end `lo` is the number of rows
 * that do. */
static inline size_t base_half(size_t lo, size_t hi)
{
	return lo + (hi - lo) / 2;
}
static inline void base_halve(size_t *lo, size_t *hi, bool before)
{
	if (before)
		*lo = base_half(*lo, *hi) + 1;
	else
		*hi = base_half(*lo, *hi);
}

/* Bring what is at `p` into the cache. gcc drops calls of a function that does nothing else, as
 * without effect, but for the empty statement here. */
static inline void base_prefetch(const void *p)
{
	__builtin_prefetch(p);
	__asm__ volatile("");
}

/* The commit this is built from, or "unknown". */
const char *base_git_sha(void);

#endif
