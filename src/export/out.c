/* SPDX-License-Identifier: Apache-2.0 */
/* Text on its way to its reader: appending and writing. */
#include "export/out.h"

void out_printf(struct out *out, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (out->status >= 0)
		out->status = base_buf_vprintf(&out->buf, fmt, ap);
	va_end(ap);
}

void out_put(struct out *out, const void *bytes, size_t n)
{
	if (out->status >= 0)
		out->status = base_buf_put(&out->buf, bytes, n);
}

void out_xml(struct out *out, const char *text, size_t most)
{
	if (out->status >= 0)
		out->status = text_xml(&out->buf, text, most);
}

int out_flush(struct out *out, size_t least)
{
	if (out->status < 0 || !out->write || out->buf.len < least || !out->buf.len)
		return out->status;
	int rc = out->write(out->user, out->buf.data, out->buf.len);
	out->status = rc < 0 ? rc : 0;
	out->buf.len = 0;
	return out->status;
}
