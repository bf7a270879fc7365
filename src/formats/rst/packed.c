/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packed trace as the stream of bytes that the reader wants: sections are unpacked
 * one at a time, and what one held is handed out before the next is asked for.
 */
#include "formats/rst/rst.h"
#include "formats/rst/rstzip.h"

struct packed {
	struct rst_unzip *zip;
	struct base_buf buf; /* a section */
	size_t at;           /* of which this much has been handed out */
};

static int64_t packed_read(struct cairn_reader *r, void *self, void *buf, size_t n)
{
	struct packed *p = self;
	(void)r;
	if (p->at == p->buf.len) {
		p->at = p->buf.len = 0;
		int64_t got = rst_unzip_next(p->zip, &p->buf);
		if (got <= 0)
			return got;
	}
	if (n > p->buf.len - p->at)
		n = p->buf.len - p->at;
	memcpy(buf, p->buf.data + p->at, n);
	p->at += n;
	return (int64_t)n;
}

/* What a section means hangs on all before it: only the beginning can be gone back to. */
static int packed_restart(struct cairn_reader *r, void *self, uint64_t place)
{
	struct packed *p = self;
	struct rst_unzip *zip = NULL;
	(void)place;
	int rc = io_seek(r->io, 0);
	if (rc >= 0)
		rc = rst_unzip_open(r->c, r->io, &zip);
	if (rc < 0)
		return rc;
	rst_unzip_close(p->zip);
	p->zip = zip;
	p->at = p->buf.len = 0;
	return 0;
}

static void packed_close(struct cairn_reader *r, void *self)
{
	struct packed *p = self;
	rst_unzip_close(p->zip);
	base_buf_free(&p->buf);
	base_free(r->c, p);
}

int rst_open_packed(struct cairn_reader *r)
{
	struct rst_impl *im = r->impl;
	const uint8_t *head;
	size_t n;
	struct rst_unzip_info info;
	int rc = io_peek(r->io, RST_ZIP_HEAD, &head, &n);
	if (rc < 0 && n == 0)
		return base_wrap(r->c, "%s", io_name(r->io));
	if (rst_packing_of(head, n) == RST_PACKING_NONE)
		return 0;
	struct packed *p = base_alloc(r->c, sizeof *p);
	if (!p)
		return CAIRN_E_NOMEM;
	base_buf_init(&p->buf, r->c);
	rc = rst_unzip_open(r->c, r->io, &p->zip);
	if (rc < 0) {
		base_free(r->c, p);
		return base_wrap(r->c, "%s", io_name(r->io));
	}
	rst_unzip_info(p->zip, &info);
	im->stream = (struct rst_stream){.read = packed_read,
	                                 .close = packed_close,
	                                 .restart = packed_restart,
	                                 .self = p,
	                                 .container = rst_packing_name(info.packing)};
	return 0;
}
