/* SPDX-License-Identifier: Apache-2.0 */
/* A growable byte buffer, which grows by doubling, so that appending is linear in total; and
 * numbers from text. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void base_buf_init(struct base_buf *buf, struct cairn *cairn)
{
	*buf = (struct base_buf){.cairn = cairn};
}

void base_buf_free(struct base_buf *buf)
{
	if (buf->cairn)
		base_free(buf->cairn, buf->data);
	buf->data = NULL;
	buf->len = buf->cap = 0;
}

int base_buf_reserve(struct base_buf *buf, size_t n)
{
	if (buf->cap - buf->len >= n)
		return 0;
	if (n > SIZE_MAX / 2 - buf->len)
		return base_fail(buf->cairn, CAIRN_E_NOMEM, "out of memory (%zu bytes asked)", n);
	size_t cap = buf->cap ? buf->cap * 2 : 4096;
	if (cap < buf->len + n)
		cap = buf->len + n;
	uint8_t *p = base_realloc(buf->cairn, buf->data, cap);
	if (!p)
		return CAIRN_E_NOMEM;
	buf->data = p;
	buf->cap = cap;
	return 0;
}

int base_buf_put(struct base_buf *buf, const void *data, size_t n)
{
	int rc = base_buf_reserve(buf, n);
	if (rc < 0)
		return rc;
	if (n)
		memcpy(buf->data + buf->len, data, n);
	buf->len += n;
	return 0;
}

int base_buf_vprintf(struct base_buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return base_fail(buf->cairn, CAIRN_E_INVAL, "a format string is wrong");
	int rc = base_buf_reserve(buf, (size_t)n + 1);
	if (rc < 0)
		return rc;
	vsnprintf((char *)buf->data + buf->len, (size_t)n + 1, fmt, ap);
	buf->len += (size_t)n;
	return 0;
}

int base_buf_printf(struct base_buf *buf, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int rc = base_buf_vprintf(buf, fmt, ap);
	va_end(ap);
	return rc;
}

bool base_number(const char *text, size_t n, uint64_t *out)
{
	char copy[32], *end;
	if (n == 0 || n >= sizeof copy || *text < '0' || *text > '9')
		return false;
	memcpy(copy, text, n);
	copy[n] = 0;
	errno = 0;
	*out = strtoull(copy, &end, 0);
	return !*end && !errno;
}
