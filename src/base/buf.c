/* SPDX-License-Identifier: Apache-2.0 */
/* A growable byte buffer. Grows by doubling, so appending is linear in total. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

void base_buf_init(struct base_buf *b, struct cairn *c)
{
	*b = (struct base_buf){.c = c};
}

void base_buf_free(struct base_buf *b)
{
	if (b->c)
		base_free(b->c, b->data);
	b->data = NULL;
	b->len = b->cap = 0;
}

int base_buf_reserve(struct base_buf *b, size_t n)
{
	if (b->cap - b->len >= n)
		return 0;
	if (n > SIZE_MAX / 2 - b->len)
		return base_fail(b->c, CAIRN_E_NOMEM, "out of memory (%zu bytes asked)", n);
	size_t cap = b->cap ? b->cap * 2 : 4096;
	if (cap < b->len + n)
		cap = b->len + n;
	uint8_t *p = base_realloc(b->c, b->data, cap);
	if (!p)
		return CAIRN_E_NOMEM;
	b->data = p;
	b->cap = cap;
	return 0;
}

int base_buf_put(struct base_buf *b, const void *data, size_t n)
{
	int rc = base_buf_reserve(b, n);
	if (rc < 0)
		return rc;
	if (n)
		memcpy(b->data + b->len, data, n);
	b->len += n;
	return 0;
}

int base_buf_printf(struct base_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return base_fail(b->c, CAIRN_E_INVAL, "a format string is wrong");
	int rc = base_buf_reserve(b, (size_t)n + 1);
	if (rc < 0)
		return rc;
	va_start(ap, fmt);
	vsnprintf((char *)b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
	return 0;
}
