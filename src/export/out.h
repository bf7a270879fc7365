/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_OUT_H
#define EXPORT_OUT_H
/*
 * Text that is buffered and written in pieces. The first failure (out of memory, a write that
 * fails) is kept and later text is dropped: check `status` once at the end.
 */
#include "cairn/analysis.h"
#include "export/text.h"

enum { OUT_PIECE = 1 << 16 };

struct out {
	struct base_buf buf;
	cairn_write_fn *write; /* NULL: all of it stays in buf */
	void *user;
	int status;
};

void out_printf(struct out *out, const char *fmt, ...) CAIRN_PRINTF(2, 3);
void out_put(struct out *out, const void *bytes, size_t n);
/* A text for XML and HTML, at most so many bytes of it. */
void out_xml(struct out *out, const char *text, size_t most);
/* Write what there is, if it is at least so much; the status. */
int out_flush(struct out *out, size_t least);

#endif
