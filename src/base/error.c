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
	uint64_t failed_allocations; /* atomic */
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
	struct cairn *c = o.realloc(o.alloc_user, NULL, sizeof *c);
	if (!c)
		return NULL;
	memset(c, 0, sizeof *c);
	c->opts = o;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void cairn_free(struct cairn *c)
{
	if (!c)
		return;
	for (struct thread_error *e = c->errors, *next; e; e = next) {
		next = e->next;
		base_free(c, e);
	}
	pthread_mutex_destroy(&c->lock);
	c->opts.realloc(c->opts.alloc_user, c, 0);
}

const struct cairn_opts *base_opts(const struct cairn *c)
{
	return &c->opts;
}

size_t base_max_hold(const struct cairn *c)
{
	return c->opts.max_hold;
}

struct io_input **base_inputs(struct cairn *c)
{
	return &c->inputs;
}

struct io_hold **base_hold(struct cairn *c)
{
	return &c->hold;
}

struct io_keep **base_keep(struct cairn *cairn)
{
	return &cairn->keep;
}

bool base_cancelled(const struct cairn *c)
{
	return c->opts.cancel && *c->opts.cancel;
}

/* This thread's entry; with `make`, a new one if there is none. */
static struct thread_error *mine(struct cairn *c, bool make)
{
	pthread_t self = pthread_self();
	pthread_mutex_lock(&c->lock);
	struct thread_error *e = c->errors;
	while (e && !pthread_equal(e->thread, self))
		e = e->next;
	if (!e && make) {
		e = c->opts.realloc(c->opts.alloc_user, NULL, sizeof *e);
		if (e) {
			memset(e, 0, sizeof *e);
			e->thread = self;
			e->next = c->errors;
			c->errors = e;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return e;
}

int cairn_error_status(const struct cairn *c)
{
	const struct thread_error *e = mine((struct cairn *)(uintptr_t)c, false);
	return e ? e->status : 0;
}

const char *cairn_error_text(const struct cairn *c)
{
	const struct thread_error *e = mine((struct cairn *)(uintptr_t)c, false);
	return e ? e->text : "";
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

static int fail_v(struct cairn *c, int status, const char *tail, const char *fmt, va_list ap)
{
	struct thread_error *e = mine(c, true);
	if (!e)
		return status;
	e->status = status;
	/* The arguments may point into the text being replaced. */
	char text[ERROR_TEXT];
	int n = vsnprintf(text, sizeof text, fmt, ap);
	if (tail)
		error_append(text, n, tail);
	memcpy(e->text, text, sizeof text);
	return status;
}

int base_fail(struct cairn *c, int status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fail_v(c, status, NULL, fmt, ap);
	va_end(ap);
	return status;
}

int base_fail_errno(struct cairn *c, int err, const char *fmt, ...)
{
	int status = err == ENOENT   ? CAIRN_E_NOTFOUND
	             : err == EPIPE  ? CAIRN_E_PIPE
	             : err == ENOMEM ? CAIRN_E_NOMEM
	                             : CAIRN_E_IO;
	va_list ap;
	va_start(ap, fmt);
	fail_v(c, status, strerror(err), fmt, ap);
	va_end(ap);
	return status;
}

int base_wrap(struct cairn *c, const char *fmt, ...)
{
	struct thread_error *e = mine(c, true);
	if (!e)
		return CAIRN_E_NOMEM;
	char text[ERROR_TEXT];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	error_append(text, n, e->text);
	memcpy(e->text, text, sizeof text);
	return e->status;
}

void *base_realloc(struct cairn *c, void *p, uint64_t n)
{
	/* What a machine cannot address is more than it has. */
	void *q = n <= PTRDIFF_MAX ? c->opts.realloc(c->opts.alloc_user, p, n ? (size_t)n : 1) : NULL;
	if (!q) {
		__atomic_add_fetch(&c->failed_allocations, 1, __ATOMIC_RELAXED);
		base_fail(c, CAIRN_E_NOMEM, "out of memory (%llu bytes asked)", (unsigned long long)n);
	}
	return q;
}

uint64_t cairn_failed_allocations(const struct cairn *c)
{
	return __atomic_load_n(&c->failed_allocations, __ATOMIC_RELAXED);
}

void *base_alloc(struct cairn *c, uint64_t n)
{
	void *p = base_realloc(c, NULL, n);
	if (p)
		memset(p, 0, (size_t)n);
	return p;
}

void base_free(struct cairn *c, void *p)
{
	if (p)
		c->opts.realloc(c->opts.alloc_user, p, 0);
}

char *base_strdup(struct cairn *c, const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = base_realloc(c, NULL, n);
	if (p)
		memcpy(p, s, n);
	return p;
}
