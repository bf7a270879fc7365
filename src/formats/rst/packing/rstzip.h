/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_RSTZIP_H
#define RST_RSTZIP_H
/*
 * rstzip: the packings that belong to RST because they know its records. Version 3
 * is read and written, version 2 is read, version 1 is only recognised.
 *
 * Both are streams: what a section means depends on all that came before it, so one
 * thread unpacks, from the beginning. The codec around a packing (gzip) is none of
 * our business: the source has peeled it, the sink adds it.
 */
#include "io/io.h"

enum rst_packing {
	RST_PACKING_NONE = 0,
	RST_PACKING_RZ1 = 1, /* recognised, not readable */
	RST_PACKING_RZ2 = 2,
	RST_PACKING_RZ3 = 3
};

enum {
	RST_ZIP_HEAD = 16,               /* bytes rst_packing_of wants to see */
	RST_ZIP_SECTION_RECORDS = 131072 /* of a section of version 3 at most */
};

/* The packing that the first bytes of a file (codec peeled) show. */
enum rst_packing rst_packing_of(const uint8_t *head, size_t n);
/* "rstzip3"; "none" for no packing. */
const char *rst_packing_name(enum rst_packing p);

/* ---- reading ---- */

struct rst_unzip;

/* Begin to unpack the bytes of `io`, which stays the caller's and is read from where
 * it stands. Which packing it is follows from its first bytes.
 * Errors: CAIRN_E_UNSUPPORTED (version 1, or a version of 3 whose layout is not
 * known), CAIRN_E_FORMAT (no packing), CAIRN_E_TRUNCATED, CAIRN_E_DAMAGED, those of
 * io_read, CAIRN_E_NOMEM. */
int rst_unzip_open(struct cairn *cairn, struct io_source *io, struct rst_unzip **out);
void rst_unzip_close(struct rst_unzip *unzip); /* NULL is fine */

/* Append the raw records of the next section (version 2: block) to `out`. Returns
 * their number, 0 only at the end, or a status. At damage the records of the section
 * that could be unpacked come first; then the call fails, now and ever after, with the
 * section and the record (of the whole trace), both from 1. What follows damage
 * cannot be told: the meaning of a section hangs on all records before it.
 * Errors: CAIRN_E_DAMAGED, CAIRN_E_TRUNCATED, CAIRN_E_LIMIT, those of io_read,
 * CAIRN_E_NOMEM, CAIRN_E_CANCELLED. */
int64_t rst_unzip_next(struct rst_unzip *unzip, struct base_buf *out);

struct rst_unzip_info {
	enum rst_packing packing;
	unsigned major, minor; /* of the packer, as the file says */
	uint64_t sections;     /* unpacked so far */
	uint64_t records;
	uint64_t bytes; /* packed bytes taken so far */
	unsigned cpus;  /* version 2: its Numcpus; 0: any number */
};
void rst_unzip_info(const struct rst_unzip *unzip, struct rst_unzip_info *info);

/* For both versions: append `n` bytes of input to `buf`, as far as there are as many; *taken grows
 * by their number. */
int rstzip_load(struct cairn *cairn, struct io_source *io, uint64_t n, struct base_buf *buf,
                uint64_t *taken);

/* ---- writing (version 3.20) ---- */

struct rst_zip;

/* Begin to write a packed trace to `sink`, which stays the caller's. Version 3 cannot
 * carry every bit of every record. Without `lossy`, a record that would not come back
 * as it went in is refused; with it, it is written and counted. */
int rst_zip_open(struct cairn *cairn, struct cairn_sink *sink, bool lossy, struct rst_zip **out);
/* Pack `n` raw records of 24 bytes.
 * Errors: CAIRN_E_LOSS (the record, counted from 1, and the field that would be
 * lost), those of cairn_sink_write, CAIRN_E_NOMEM, CAIRN_E_LIMIT (predictors of very many
 * CPUs), CAIRN_E_CANCELLED. An error stays. */
int rst_zip_put(struct rst_zip *zip, const uint8_t *records, size_t n);
/* Write what is still held. The sink is left open. */
int rst_zip_finish(struct rst_zip *zip);
void rst_zip_close(struct rst_zip *zip); /* NULL is fine */

/* What a lossy writer dropped: the number of records that came out changed, per kind
 * of loss. `what` is "INSTR.ea_va", "PREG.reserved bits". Returns how many kinds there
 * are; the array is valid until the next call with `z`. */
struct rst_zip_loss {
	const char *what;
	uint64_t records;
	uint64_t first; /* the first such record, from 1 */
};
size_t rst_zip_losses(const struct rst_zip *zip, const struct rst_zip_loss **out);

#endif
