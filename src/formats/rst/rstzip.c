/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rstzip, the front: which packing a file has, one way to read them, and the writer's
 * promise.
 *
 * The promise: a record that went in comes out. What version 3 never carries is known
 * from a record alone (rz3_canonical), so a record is judged before it is packed, and
 * the refusal can name it and the field. The packer sees to everything that depends
 * on neighbours. Whether it did is not taken on trust: a section is unpacked again and
 * compared before it is written.
 */
#include "formats/rst/rstzip.h"

#include <stdio.h>

#include "formats/rst/rstzip2.h"
#include "formats/rst/rstzip3.h"

enum rst_packing rst_packing_of(const uint8_t *head, size_t n)
{
	if (n >= 16 && memcmp(head, RZ3_MAGIC, 16) == 0)
		return RST_PACKING_RZ3;
	if (n >= 15 && memcmp(head, "RZ2 -- Rstzip2 ", 15) == 0)
		return RST_PACKING_RZ2;
	return n >= 4 && memcmp(head, "RZ1 ", 4) == 0 ? RST_PACKING_RZ1 : RST_PACKING_NONE;
}

const char *rst_packing_name(enum rst_packing p)
{
	static const char *const names[] = {"none", "rstzip1", "rstzip2", "rstzip3"};
	return names[p];
}

/* ---- reading ---- */

struct rst_unzip {
	struct cairn *c;
	struct rst_unzip_info info;
	struct rz3_unpack *rz3;
	struct rz2_unpack *rz2;
	int failed; /* to be returned from now on, with this sentence */
	bool ended;
	char why[512];
};

static int rstzip_read_head(struct cairn *c, struct io_source *io, uint8_t *head, size_t n)
{
	size_t at = 0;
	while (at < n) {
		int64_t got = io_read(io, head + at, n - at);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return base_fail(c, CAIRN_E_TRUNCATED, "its rstzip header ends after %zu of %zu bytes",
			                 at, n);
		at += (size_t)got;
	}
	return 0;
}

static int open_rz3(struct rst_unzip *z, struct io_source *io)
{
	uint8_t head[RZ3_HEADER];
	int rc = rstzip_read_head(z->c, io, head, sizeof head);
	if (rc < 0)
		return rc;
	z->info.bytes = sizeof head;
	z->info.major = head[16];
	z->info.minor = head[17];
	if (z->info.major != RZ3_MAJOR || z->info.minor > RZ3_MINOR || z->info.minor == 14)
		return base_fail(z->c, CAIRN_E_UNSUPPORTED,
		                 "packed by rstzip %u.%02u; 3.20 and older can be read, 3.14 beta cannot",
		                 z->info.major, z->info.minor);
	return rz3_unpack_open(z->c, io, z->info.minor, &z->rz3);
}

static int open_rz2(struct rst_unzip *z, struct io_source *io)
{
	uint8_t head[RZ2_HEADER + 1];
	int rc = rstzip_read_head(z->c, io, head, RZ2_HEADER);
	if (rc < 0)
		return rc;
	head[RZ2_HEADER] = 0;
	z->info.bytes = RZ2_HEADER;
	const char *version = strstr((const char *)head, "Rstzip2 version: ");
	const char *cpus = strstr((const char *)head, "Numcpus=");
	if (version)
		sscanf(version + 17, "%2u.%2u", &z->info.major, &z->info.minor);
	if (!cpus || sscanf(cpus + 8, "%4u", &z->info.cpus) != 1)
		return base_fail(z->c, CAIRN_E_DAMAGED, "its rstzip 2 header does not say Numcpus");
	return rz2_unpack_open(z->c, io, z->info.cpus, &z->rz2);
}

int rst_unzip_open(struct cairn *c, struct io_source *io, struct rst_unzip **out)
{
	const uint8_t *head;
	size_t n;
	*out = NULL;
	int rc = io_peek(io, RST_ZIP_HEAD, &head, &n);
	if (rc < 0)
		return rc;
	struct rst_unzip *z = base_alloc(c, sizeof *z);
	if (!z)
		return CAIRN_E_NOMEM;
	z->c = c;
	z->info.packing = rst_packing_of(head, n);
	switch (z->info.packing) {
	case RST_PACKING_RZ3:
		rc = open_rz3(z, io);
		break;
	case RST_PACKING_RZ2:
		rc = open_rz2(z, io);
		break;
	case RST_PACKING_RZ1:
		rc = base_fail(c, CAIRN_E_UNSUPPORTED,
		               "packed by rstzip version 1, which nobody has described; "
		               "unpack it with the program that packed it");
		break;
	default:
		rc = base_fail(c, CAIRN_E_FORMAT, "not packed by rstzip");
	}
	if (rc < 0) {
		rst_unzip_close(z);
		return rc;
	}
	*out = z;
	return 0;
}

void rst_unzip_close(struct rst_unzip *z)
{
	if (!z)
		return;
	rz3_unpack_close(z->rz3);
	rz2_unpack_close(z->rz2);
	base_free(z->c, z);
}

int64_t rst_unzip_next(struct rst_unzip *z, struct base_buf *out)
{
	uint64_t n = 0;
	if (z->failed)
		return base_fail(z->c, z->failed, "%s", z->why);
	if (z->ended)
		return 0;
	if (base_cancelled(z->c))
		return base_fail(z->c, CAIRN_E_CANCELLED, "cancelled");
	int rc;
	do
		rc = z->rz3 ? rz3_unpack_next(z->rz3, out, &n, &z->info.bytes)
		            : rz2_unpack_next(z->rz2, out, &n, &z->info.bytes);
	while (rc > 0 && n == 0);
	z->info.records += n;
	z->info.sections += rc > 0;
	z->ended = rc == 0;
	if (rc < 0) {
		z->failed = rc;
		snprintf(z->why, sizeof z->why, "%s", cairn_error_text(z->c));
	}
	return n ? (int64_t)n : rc;
}

void rst_unzip_info(const struct rst_unzip *z, struct rst_unzip_info *info)
{
	*info = z->info;
}

/* ---- writing ---- */

enum { MOST_LOSSES = 128, LOSS_NAME = 40 };

struct rst_zip {
	struct cairn *c;
	struct io_sink *sink;
	struct rz3_pack *pack;
	struct rz3_unpack *proof;
	struct base_buf packed, unpacked;
	uint8_t *records; /* canonical, of the section that is being gathered */
	size_t n;
	uint64_t total, packed_records;
	unsigned version; /* of the trace's header: for the names of fields */
	bool lossy;
	int failed;
	char why[512];
	size_t n_losses;
	struct rst_zip_loss losses[MOST_LOSSES];
	char names[MOST_LOSSES][LOSS_NAME];
};

int rst_zip_open(struct cairn *c, struct io_sink *sink, bool lossy, struct rst_zip **out)
{
	uint8_t head[RZ3_HEADER] = RZ3_MAGIC;
	head[16] = RZ3_MAJOR;
	head[17] = RZ3_MINOR;
	*out = NULL;
	struct rst_zip *z = base_alloc(c, sizeof *z);
	if (!z)
		return CAIRN_E_NOMEM;
	z->c = c;
	z->sink = sink;
	z->lossy = lossy;
	base_buf_init(&z->packed, c);
	base_buf_init(&z->unpacked, c);
	int rc = rz3_pack_open(c, &z->pack);
	if (rc >= 0)
		rc = rz3_unpack_open(c, NULL, RZ3_MINOR, &z->proof);
	if (rc >= 0 && !(z->records = base_alloc(c, (size_t)RZ3_SECTION * CAIRN_RST_SIZE)))
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = io_sink_write(sink, head, sizeof head);
	if (rc < 0) {
		rst_zip_close(z);
		return rc;
	}
	*out = z;
	return 0;
}

void rst_zip_close(struct rst_zip *z)
{
	if (!z)
		return;
	rz3_pack_close(z->pack);
	rz3_unpack_close(z->proof);
	base_buf_free(&z->packed);
	base_buf_free(&z->unpacked);
	base_free(z->c, z->records);
	base_free(z->c, z);
}

static int zip_failed(struct rst_zip *z, int rc)
{
	z->failed = rc;
	snprintf(z->why, sizeof z->why, "%s", cairn_error_text(z->c));
	return rc;
}

/* Does the packed section give back the records it was made from? */
static int prove(struct rst_zip *z)
{
	struct io_source *io;
	uint64_t n = 0, taken = 0;
	size_t same = 0;
	int rc = io_open_memory(z->c, z->packed.data, z->packed.len, &io);
	if (rc < 0)
		return rc;
	z->unpacked.len = 0;
	rz3_unpack_from(z->proof, io);
	rc = rz3_unpack_next(z->proof, &z->unpacked, &n, &taken);
	io_close(io);
	if (n == z->n && memcmp(z->unpacked.data, z->records, z->n * CAIRN_RST_SIZE) == 0)
		return rc;
	while (same < n && memcmp(z->unpacked.data + same * CAIRN_RST_SIZE,
	                          z->records + same * CAIRN_RST_SIZE, CAIRN_RST_SIZE) == 0)
		same++;
	return base_fail(z->c, CAIRN_E_LOSS, "record %llu does not come back as it was packed",
	                 (unsigned long long)(z->packed_records + same + 1));
}

static int rstzip_flush(struct rst_zip *z)
{
	if (z->n == 0)
		return 0;
	if (base_cancelled(z->c))
		return base_fail(z->c, CAIRN_E_CANCELLED, "cancelled");
	z->packed.len = 0;
	int rc = rz3_pack_section(z->pack, z->records, z->n, &z->packed);
	if (rc >= 0)
		rc = prove(z);
	z->packed_records += z->n;
	z->n = 0;
	return rc < 0 ? rc : io_sink_write(z->sink, z->packed.data, z->packed.len);
}

/* One more record of this kind of loss. Kinds beyond the table share its last row. */
static void count_loss(struct rst_zip *z, const char *what)
{
	size_t i = 0;
	while (i < z->n_losses && strcmp(z->names[i], what) != 0)
		i++;
	if (i == MOST_LOSSES)
		what = "other", i--;
	if (i == z->n_losses) {
		snprintf(z->names[i], LOSS_NAME, "%s", what);
		z->losses[i] = (struct rst_zip_loss){.first = z->total + 1, .what = z->names[i]};
		z->n_losses++;
	}
	z->losses[i].records++;
}

static int rstzip_lose(struct rst_zip *z, const char *type, const char *field)
{
	char what[LOSS_NAME];
	snprintf(what, sizeof what, "%s.%s", type, field);
	if (z->lossy) {
		count_loss(z, what);
		return 0;
	}
	return base_fail(z->c, CAIRN_E_LOSS,
	                 "record %llu: rstzip 3 does not keep %s of this %s (lossy packing drops it)",
	                 (unsigned long long)z->total + 1, field, type);
}

/* Name what differs between a record and what would come back: the fields that do, and
 * the reserved bits. */
static int name_losses(struct rst_zip *z, const uint8_t *rec, const uint8_t *canon)
{
	const struct rst_layout *l = rst_layout_of(rec, z->version);
	uint64_t mask[3];
	int rc = 0;
	bool reserved = !l;
	for (const struct rst_field *f = l ? l->fields : NULL; rc >= 0 && f && f->name; f++)
		if (f->kind != RST_F_TEXT && f->kind != RST_F_BYTES && rst_get(rec, f) != rst_get(canon, f))
			rc = rstzip_lose(z, l->type_name, f->name);
	if (l)
		rst_reserved_mask(l, mask);
	for (unsigned i = 0; l && i < 3; i++)
		reserved |= ((base_be64(rec + 8 * i) ^ base_be64(canon + 8 * i)) & mask[i]) != 0;
	if (rc >= 0 && reserved)
		rc = rstzip_lose(z, l ? l->type_name : "record", "reserved bits");
	return rc;
}

static int rstzip_judge(struct rst_zip *z, const uint8_t *rec, const uint8_t *canon)
{
	if (rec[0] == CAIRN_RST_RSTHEADER)
		z->version = RST_VERSION((unsigned)rec[1], rec[2]);
	if (rec[0] == CAIRN_RST_RFS_BT && !z->lossy)
		return base_fail(z->c, CAIRN_E_LOSS,
		                 "record %llu: RFS_BT cannot be packed: the original rstzip 3 "
		                 "does not read its own (lossy packing writes it, for this program)",
		                 (unsigned long long)z->total + 1);
	if (rec[0] == CAIRN_RST_RFS_BT)
		count_loss(z, "RFS_BT for other programs");
	return memcmp(rec, canon, CAIRN_RST_SIZE) == 0 ? 0 : name_losses(z, rec, canon);
}

int rst_zip_put(struct rst_zip *z, const uint8_t *records, size_t n)
{
	if (z->failed)
		return base_fail(z->c, z->failed, "%s", z->why);
	for (size_t i = 0; i < n; i++, records += CAIRN_RST_SIZE) {
		uint8_t *canon = z->records + z->n * CAIRN_RST_SIZE;
		rz3_canonical(records, RZ3_MINOR, canon);
		int rc = 0;
		if (memcmp(records, canon, CAIRN_RST_SIZE) != 0 || records[0] == CAIRN_RST_RSTHEADER ||
		    records[0] == CAIRN_RST_RFS_BT)
			rc = rstzip_judge(z, records, canon);
		if (rc >= 0 && ++z->n == RZ3_SECTION)
			rc = rstzip_flush(z);
		if (rc < 0)
			return zip_failed(z, rc);
		z->total++;
	}
	return 0;
}

int rst_zip_finish(struct rst_zip *z)
{
	if (z->failed)
		return base_fail(z->c, z->failed, "%s", z->why);
	int rc = rstzip_flush(z);
	return rc < 0 ? zip_failed(z, rc) : 0;
}

size_t rst_zip_losses(const struct rst_zip *z, const struct rst_zip_loss **out)
{
	*out = z->losses;
	return z->n_losses;
}
