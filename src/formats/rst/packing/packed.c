/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packed trace as the stream of bytes that the reader wants: sections are unpacked
 * one at a time, and what one held is handed out before the next is asked for.
 */
#include "formats/rst/packing/rstzip.h"
#include "formats/rst/rst.h"

struct packed {
	struct rst_unzip *zip;
	struct base_buf buf; /* a section */
	size_t at;           /* of which this much has been handed out */
};

static int64_t packed_read(struct cairn_reader *reader, void *self, void *buf, size_t n)
{
	struct packed *packed = self;
	(void)reader;
	if (packed->at == packed->buf.len) {
		packed->at = packed->buf.len = 0;
		int64_t got = rst_unzip_next(packed->zip, &packed->buf);
		if (got <= 0)
			return got;
	}
	if (n > packed->buf.len - packed->at)
		n = packed->buf.len - packed->at;
	memcpy(buf, packed->buf.data + packed->at, n);
	packed->at += n;
	return (int64_t)n;
}

/* What a section means depends on all before it, so only the beginning can be gone back to. */
static int packed_restart(struct cairn_reader *reader, void *self, uint64_t place)
{
	struct packed *packed = self;
	struct rst_unzip *zip = NULL;
	(void)place;
	int rc = io_seek(reader->io, 0);
	if (rc >= 0)
		rc = rst_unzip_open(reader->cairn, reader->io, &zip);
	if (rc < 0)
		return rc;
	rst_unzip_close(packed->zip);
	packed->zip = zip;
	packed->at = packed->buf.len = 0;
	return 0;
}

static void packed_close(struct cairn_reader *reader, void *self)
{
	struct packed *packed = self;
	rst_unzip_close(packed->zip);
	base_buf_free(&packed->buf);
	base_free(reader->cairn, packed);
}

int rst_open_packed(struct cairn_reader *reader)
{
	struct rst_impl *im = reader->impl;
	const uint8_t *head;
	size_t n;
	struct rst_unzip_info info;
	int rc = io_peek(reader->io, RST_ZIP_HEAD, &head, &n);
	if (rc < 0 && n == 0)
		return base_wrap(reader->cairn, "%s", io_name(reader->io));
	if (rst_packing_of(head, n) == RST_PACKING_NONE)
		return 0;
	struct packed *packed = base_alloc(reader->cairn, sizeof *packed);
	if (!packed)
		return CAIRN_E_NOMEM;
	base_buf_init(&packed->buf, reader->cairn);
	rc = rst_unzip_open(reader->cairn, reader->io, &packed->zip);
	if (rc < 0) {
		base_free(reader->cairn, packed);
		return base_wrap(reader->cairn, "%s", io_name(reader->io));
	}
	rst_unzip_info(packed->zip, &info);
	im->stream = (struct rst_stream){.read = packed_read,
	                                 .close = packed_close,
	                                 .restart = packed_restart,
	                                 .self = packed,
	                                 .container = rst_packing_name(info.packing)};
	return 0;
}
