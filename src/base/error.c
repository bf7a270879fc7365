/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context: allocator, limits, cancel flag, and the errors.
 *
 * Errors are kept per thread without thread-local storage: a short list in the
 * context, one entry for each thread that ever failed. Failing is rare, so a
 * lock and a walk are cheap enough; succeeding touches none of this.
 */
#include "base/base.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_TEXT = 1536 };

struct thread_error {
	struct thread_error *next;
	pthread_t thread;
	int status;
	char text[ERROR_TEXT];
};

struct cairn {
	struct cairn_opts opts;
	pthread_mutex_t lock;
	struct thread_error *errors;
	struct io_input *inputs;
	struct io_hold *hold;
	struct io_keep *keep;
	void *formats;
	uint64_t failed_allocations; /* atomic */
	int unsaid; /* atomic: status of a thread for whose sentence there was no memory; 0: none */
};

static void *default_realloc(void *user, void *p, size_t n)
{
	(void)user;
	if (n == 0) {
		free(p);
		return NULL;
	}
	return realloc(p, n);
}

struct cairn *cairn_new(const struct cairn_opts *opts)
{
	struct cairn_opts o = {.size = sizeof o};
	if (opts) {
		if (opts->size < sizeof(size_t) || opts->size > sizeof o)
			return NULL;
		memcpy(&o, opts, opts->size);
		o.size = sizeof o;
	}
	if (!o.realloc)
		o.realloc = default_realloc;
	if (!o.max_hold)
		o.max_hold = (size_t)64 << 20;
	struct cairn *cairn = o.realloc(o.alloc_user, NULL, sizeof *cairn);
	if (!cairn)
		return NULL;
	memset(cairn, 0, sizeof *cairn);
	cairn->opts = o;
	pthread_mutex_init(&cairn->lock, NULL);
	return cairn;
}

void cairn_free(struct cairn *cairn)
{
	if (!cairn)
		return;
	for (struct thread_error *error = cairn->errors, *next; error; error = next) {
		next = error->next;
		base_free(cairn, error);
	}
	base_free(cairn, cairn->formats);
	pthread_mutex_destroy(&cairn->lock);
	cairn->opts.realloc(cairn->opts.alloc_user, cairn, 0);
}

const struct cairn_opts *base_opts(const struct cairn *cairn)
{
	return &cairn->opts;
}

size_t base_max_hold(const struct cairn *cairn)
{
	return cairn->opts.max_hold;
}

struct io_input **base_inputs(struct cairn *cairn)
{
	return &cairn->inputs;
}

struct io_hold **base_hold(struct cairn *cairn)
{
	return &cairn->hold;
}

struct io_keep **base_keep(struct cairn *cairn)
{
	return &cairn->keep;
}

void **base_formats(struct cairn *cairn)
{
	return &cairn->formats;
}

bool base_cancelled(const struct cairn *cairn)
{
	return cairn->opts.cancel && *cairn->opts.cancel;
}

/* This thread's entry; with `make`, a new one if there is none. */
static struct thread_error *mine(struct cairn *cairn, bool make)
{
	pthread_t self = pthread_self();
	pthread_mutex_lock(&cairn->lock);
	struct thread_error *error = cairn->errors;
	while (error && !pthread_equal(error->thread, self))
		error = error->next;
	if (!error && make) {
		error = cairn->opts.realloc(cairn->opts.alloc_user, NULL, sizeof *error);
		if (error) {
			memset(error, 0, sizeof *error);
			error->thread = self;
			error->next = cairn->errors;
			cairn->errors = error;
		}
	}
	pthread_mutex_unlock(&cairn->lock);
	return error;
}

int cairn_error_status(const struct cairn *cairn)
{
	const struct thread_error *error = mine((struct cairn *)(uintptr_t)cairn, false);
	return error ? error->status : __atomic_load_n(&cairn->unsaid, __ATOMIC_RELAXED);
}

const char *cairn_error_text(const struct cairn *cairn)
{
	const struct thread_error *error = mine((struct cairn *)(uintptr_t)cairn, false);
	if (error)
		return error->text;
	return __atomic_load_n(&cairn->unsaid, __ATOMIC_RELAXED) ? "out of memory" : "";
}

/* Put ": tail" behind the `n` bytes in `text`; what does not fit is cut. */
static void error_append(char text[ERROR_TEXT], int n, const char *tail)
{
	size_t at = n < 0 ? 0 : (size_t)n;
	if (at + 3 > ERROR_TEXT)
		return;
	size_t room = ERROR_TEXT - 3 - at, len = strlen(tail);
	memcpy(text + at, ": ", 2);
	memcpy(text + at + 2, tail, len < room ? len : room);
	text[at + 2 + (len < room ? len : room)] = 0;
}

static int fail_v(struct cairn *cairn, int status, const char *tail, const char *fmt, va_list ap)
{
	/* Allocations of other libraries are counted, too: where one failed, something may be missing.
	 *  */
	if (status == CAIRN_E_NOMEM)
		__atomic_add_fetch(&cairn->failed_allocations, 1, __ATOMIC_RELAXED);
	struct thread_error *error = mine(cairn, true);
	if (!error) {
		__atomic_store_n(&cairn->unsaid, status, __ATOMIC_RELAXED);
		return status;
	}
	error->status = status;
	/* The arguments may point into the text being replaced. */
	char text[ERROR_TEXT];
	int n = vsnprintf(text, sizeof text, fmt, ap);
	if (tail)
		error_append(text, n, tail);
	memcpy(error->text, text, sizeof text);
	return status;
}

int cairn_fail(struct cairn *cairn, int status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fail_v(cairn, status, NULL, fmt, ap);
	va_end(ap);
	return status;
}

int base_fail(struct cairn *cairn, int status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fail_v(cairn, status, NULL, fmt, ap);
	va_end(ap);
	return status;
}

int base_fail_errno(struct cairn *cairn, int err, const char *fmt, ...)
{
	int status = err == ENOENT   ? CAIRN_E_NOTFOUND
	             : err == EPIPE  ? CAIRN_E_PIPE
	             : err == ENOMEM ? CAIRN_E_NOMEM
	             : err == EFAULT ? CAIRN_E_STATE
	                             : CAIRN_E_IO;
	/* What is written may lie in a mapped file whose last pages are gone. */
	const char *why =
		err == EFAULT ? "the file it comes from became shorter while it was read" : strerror(err);
	va_list ap;
	va_start(ap, fmt);
	fail_v(cairn, status, why, fmt, ap);
	va_end(ap);
	return status;
}

int base_wrap(struct cairn *cairn, const char *fmt, ...)
{
	struct thread_error *error = mine(cairn, true);
	if (!error)
		return cairn_error_status(cairn) ? cairn_error_status(cairn) : CAIRN_E_NOMEM;
	char text[ERROR_TEXT];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	error_append(text, n, error->text);
	memcpy(error->text, text, sizeof text);
	return error->status;
}

void *base_realloc(struct cairn *cairn, void *p, uint64_t n)
{
	/* What a machine cannot address is more than it has. */
	void *q =
		n <= PTRDIFF_MAX ? cairn->opts.realloc(cairn->opts.alloc_user, p, n ? (size_t)n : 1) : NULL;
	if (!q)
		base_fail(cairn, CAIRN_E_NOMEM, "out of memory (%llu bytes asked)", (unsigned long long)n);
	return q;
}

uint64_t cairn_failed_allocations(const struct cairn *cairn)
{
	return __atomic_load_n(&cairn->failed_allocations, __ATOMIC_RELAXED);
}

void *base_alloc(struct cairn *cairn, uint64_t n)
{
	void *p = base_realloc(cairn, NULL, n);
	if (p)
		memset(p, 0, (size_t)n);
	return p;
}

void base_free(struct cairn *cairn, void *p)
{
	if (p)
		cairn->opts.realloc(cairn->opts.alloc_user, p, 0);
}

int base_grow(struct cairn *cairn, void *array, size_t *cap, size_t n, size_t size, size_t first)
{
	void *old;
	if (n < *cap)
		return 0;
	size_t more = *cap ? 2 * *cap : first;
	memcpy(&old, array, sizeof old);
	void *p = base_realloc(cairn, old, (uint64_t)more * size);
	if (!p)
		return CAIRN_E_NOMEM;
	memcpy(array, &p, sizeof p);
	*cap = more;
	return 0;
}

void *base_append(struct cairn *cairn, void *array, size_t *n, size_t size)
{
	char *rows;
	size_t cap = *n & (*n - 1) ? *n + 1 : *n; /* there is room up to the next power of two */
	if (base_grow(cairn, array, &cap, *n, size, 1) < 0)
		return NULL;
	memcpy(&rows, array, sizeof rows);
	return memset(rows + (*n)++ * size, 0, size);
}

char *base_strdup(struct cairn *cairn, const char *text)
{
	size_t n = strlen(text) + 1;
	char *p = base_realloc(cairn, NULL, n);
	if (p)
		memcpy(p, text, n);
	return p;
}
