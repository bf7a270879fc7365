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
#include "formats/rst/packing/rstzip.h"

#include <stdio.h>

#include "formats/rst/packing/rstzip2.h"
#include "formats/rst/packing/rstzip3.h"

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
	struct cairn *cairn;
	struct rst_unzip_info info;
	struct rz3_unpack *rz3;
	struct rz2_unpack *rz2;
	int failed; /* returned from now on, with this sentence */
	bool ended;
	char why[512];
};

int rstzip_load(struct cairn *cairn, struct io_source *io, uint64_t n, struct base_buf *buf,
                uint64_t *taken)
{
	enum { STEP = 1 << 20 };
	if (n > base_max_hold(cairn))
		return base_fail(cairn, CAIRN_E_LIMIT,
		                 "it says it has %llu bytes, more than is held at once",
		                 (unsigned long long)n);
	while (n > 0) {
		size_t want = n < STEP ? (size_t)n : STEP;
		int rc = base_buf_reserve(buf, want);
		if (rc < 0)
			return rc;
		int64_t got = io_read(io, buf->data + buf->len, want);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return base_fail(cairn, CAIRN_E_TRUNCATED, "the input ends %llu bytes early",
			                 (unsigned long long)n);
		buf->len += (size_t)got;
		n -= (uint64_t)got;
		*taken += (uint64_t)got;
	}
	return 0;
}

static int rstzip_read_head(struct cairn *cairn, struct io_source *io, uint8_t *head, size_t n)
{
	size_t at = 0;
	while (at < n) {
		int64_t got = io_read(io, head + at, n - at);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return base_fail(cairn, CAIRN_E_TRUNCATED,
			                 "its rstzip header ends after %zu of %zu bytes", at, n);
		at += (size_t)got;
	}
	return 0;
}

static int open_rz3(struct rst_unzip *unzip, struct io_source *io)
{
	uint8_t head[RZ3_HEADER];
	int rc = rstzip_read_head(unzip->cairn, io, head, sizeof head);
	if (rc < 0)
		return rc;
	unzip->info.bytes = sizeof head;
	unzip->info.major = rst_RZ3_FILE_major(head);
	unzip->info.minor = rst_RZ3_FILE_minor(head);
	if (unzip->info.major != RZ3_MAJOR || unzip->info.minor > RZ3_MINOR || unzip->info.minor == 14)
		return base_fail(unzip->cairn, CAIRN_E_UNSUPPORTED,
		                 "packed by rstzip %u.%02u; 3.20 and older can be read, 3.14 beta cannot",
		                 unzip->info.major, unzip->info.minor);
	return rz3_unpack_open(unzip->cairn, io, unzip->info.minor, &unzip->rz3);
}

static int open_rz2(struct rst_unzip *unzip, struct io_source *io)
{
	uint8_t head[RZ2_HEADER + 1];
	int rc = rstzip_read_head(unzip->cairn, io, head, RZ2_HEADER);
	if (rc < 0)
		return rc;
	head[RZ2_HEADER] = 0;
	unzip->info.bytes = RZ2_HEADER;
	const char *version = strstr((const char *)head, "Rstzip2 version: ");
	const char *cpus = strstr((const char *)head, "Numcpus=");
	if (version)
		sscanf(version + 17, "%2u.%2u", &unzip->info.major, &unzip->info.minor);
	if (!cpus || sscanf(cpus + 8, "%4u", &unzip->info.cpus) != 1)
		return base_fail(unzip->cairn, CAIRN_E_DAMAGED, "its rstzip 2 header does not say Numcpus");
	return rz2_unpack_open(unzip->cairn, io, unzip->info.cpus, &unzip->rz2);
}

int rst_unzip_open(struct cairn *cairn, struct io_source *io, struct rst_unzip **out)
{
	const uint8_t *head;
	size_t n;
	*out = NULL;
	int rc = io_peek(io, RST_ZIP_HEAD, &head, &n);
	if (rc < 0)
		return rc;
	struct rst_unzip *unzip = base_alloc(cairn, sizeof *unzip);
	if (!unzip)
		return CAIRN_E_NOMEM;
	unzip->cairn = cairn;
	unzip->info.packing = rst_packing_of(head, n);
	switch (unzip->info.packing) {
	case RST_PACKING_RZ3:
		rc = open_rz3(unzip, io);
		break;
	case RST_PACKING_RZ2:
		rc = open_rz2(unzip, io);
		break;
	case RST_PACKING_RZ1:
		rc = base_fail(
			cairn, CAIRN_E_UNSUPPORTED,
			"packed by rstzip version 1, which is not documented; unpack it with the program that packed it");
		break;
	default:
		rc = base_fail(cairn, CAIRN_E_FORMAT, "not packed by rstzip");
	}
	if (rc < 0) {
		rst_unzip_close(unzip);
		return rc;
	}
	*out = unzip;
	return 0;
}

void rst_unzip_close(struct rst_unzip *unzip)
{
	if (!unzip)
		return;
	rz3_unpack_close(unzip->rz3);
	rz2_unpack_close(unzip->rz2);
	base_free(unzip->cairn, unzip);
}

int64_t rst_unzip_next(struct rst_unzip *unzip, struct base_buf *out)
{
	uint64_t n = 0;
	if (unzip->failed)
		return base_fail(unzip->cairn, unzip->failed, "%s", unzip->why);
	if (unzip->ended)
		return 0;
	if (base_cancelled(unzip->cairn))
		return base_fail(unzip->cairn, CAIRN_E_CANCELLED, "cancelled");
	int rc;
	do
		rc = unzip->rz3 ? rz3_unpack_next(unzip->rz3, out, &n, &unzip->info.bytes)
		                : rz2_unpack_next(unzip->rz2, out, &n, &unzip->info.bytes);
	while (rc > 0 && n == 0);
	unzip->info.records += n;
	unzip->info.sections += rc > 0;
	unzip->ended = rc == 0;
	if (rc < 0) {
		unzip->failed = rc;
		snprintf(unzip->why, sizeof unzip->why, "%s", cairn_error_text(unzip->cairn));
	}
	return n ? (int64_t)n : rc;
}

void rst_unzip_info(const struct rst_unzip *unzip, struct rst_unzip_info *info)
{
	*info = unzip->info;
}

/* ---- writing ---- */

enum { MOST_LOSSES = 128, LOSS_NAME = 40 };

struct rst_zip {
	struct cairn *cairn;
	struct cairn_sink *sink;
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

int rst_zip_open(struct cairn *cairn, struct cairn_sink *sink, bool lossy, struct rst_zip **out)
{
	uint8_t head[RZ3_HEADER] = RZ3_MAGIC;
	rst_put_RZ3_FILE_major(head, RZ3_MAJOR);
	rst_put_RZ3_FILE_minor(head, RZ3_MINOR);
	*out = NULL;
	struct rst_zip *zip = base_alloc(cairn, sizeof *zip);
	if (!zip)
		return CAIRN_E_NOMEM;
	zip->cairn = cairn;
	zip->sink = sink;
	zip->lossy = lossy;
	base_buf_init(&zip->packed, cairn);
	base_buf_init(&zip->unpacked, cairn);
	int rc = rz3_pack_open(cairn, &zip->pack);
	if (rc >= 0)
		rc = rz3_unpack_open(cairn, NULL, RZ3_MINOR, &zip->proof);
	if (rc >= 0 && !(zip->records = base_alloc(cairn, (size_t)RZ3_SECTION * CAIRN_RST_SIZE)))
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = cairn_sink_write(sink, head, sizeof head);
	if (rc < 0) {
		rst_zip_close(zip);
		return rc;
	}
	*out = zip;
	return 0;
}

void rst_zip_close(struct rst_zip *zip)
{
	if (!zip)
		return;
	rz3_pack_close(zip->pack);
	rz3_unpack_close(zip->proof);
	base_buf_free(&zip->packed);
	base_buf_free(&zip->unpacked);
	base_free(zip->cairn, zip->records);
	base_free(zip->cairn, zip);
}

static int zip_failed(struct rst_zip *zip, int rc)
{
	zip->failed = rc;
	snprintf(zip->why, sizeof zip->why, "%s", cairn_error_text(zip->cairn));
	return rc;
}

/* Does the packed section give back the records it was made of? */
static int prove(struct rst_zip *zip)
{
	struct io_source *io;
	uint64_t n = 0, taken = 0;
	size_t same = 0;
	int rc = io_open_memory(zip->cairn, zip->packed.data, zip->packed.len, &io);
	if (rc < 0)
		return rc;
	zip->unpacked.len = 0;
	rz3_unpack_from(zip->proof, io);
	rc = rz3_unpack_next(zip->proof, &zip->unpacked, &n, &taken);
	io_close(io);
	if (rc == CAIRN_E_NOMEM ||
	    (n == zip->n && memcmp(zip->unpacked.data, zip->records, zip->n * CAIRN_RST_SIZE) == 0))
		return rc;
	while (same < n && memcmp(zip->unpacked.data + same * CAIRN_RST_SIZE,
	                          zip->records + same * CAIRN_RST_SIZE, CAIRN_RST_SIZE) == 0)
		same++;
	return base_fail(zip->cairn, CAIRN_E_LOSS, "record %llu does not come back as it was packed",
	                 (unsigned long long)(zip->packed_records + same + 1));
}

static int rstzip_flush(struct rst_zip *zip)
{
	if (zip->n == 0)
		return 0;
	if (base_cancelled(zip->cairn))
		return base_fail(zip->cairn, CAIRN_E_CANCELLED, "cancelled");
	zip->packed.len = 0;
	int rc = rz3_pack_section(zip->pack, zip->records, zip->n, &zip->packed);
	if (rc >= 0)
		rc = prove(zip);
	zip->packed_records += zip->n;
	zip->n = 0;
	return rc < 0 ? rc : cairn_sink_write(zip->sink, zip->packed.data, zip->packed.len);
}

/* Count one more record with this kind of loss. Kinds beyond the table share its last row. */
static void count_loss(struct rst_zip *zip, const char *what)
{
	size_t i = 0;
	while (i < zip->n_losses && strcmp(zip->names[i], what) != 0)
		i++;
	if (i == MOST_LOSSES)
		what = "other", i--;
	if (i == zip->n_losses) {
		snprintf(zip->names[i], LOSS_NAME, "%s", what);
		zip->losses[i] = (struct rst_zip_loss){.first = zip->total + 1, .what = zip->names[i]};
		zip->n_losses++;
	}
	zip->losses[i].records++;
}

static int rstzip_lose(struct rst_zip *zip, const char *type, const char *field)
{
	char what[LOSS_NAME];
	snprintf(what, sizeof what, "%s.%s", type, field);
	if (zip->lossy) {
		count_loss(zip, what);
		return 0;
	}
	return base_fail(zip->cairn, CAIRN_E_LOSS,
	                 "record %llu: rstzip 3 does not keep %s of this %s (lossy packing drops it)",
	                 (unsigned long long)zip->total + 1, field, type);
}

/* Name what differs between a record and what would come back: the fields that do, and
 * the reserved bits. */
static int name_losses(struct rst_zip *zip, const uint8_t *rec, const uint8_t *canon)
{
	const struct rst_layout *layout = rst_layout_of(rec, zip->version);
	uint64_t mask[3];
	int rc = 0;
	bool reserved = !layout;
	for (const struct rst_field *field = layout ? layout->fields : NULL;
	     rc >= 0 && field && field->name; field++)
		if (field->kind != RST_F_TEXT && field->kind != RST_F_BYTES &&
		    rst_get(rec, field) != rst_get(canon, field))
			rc = rstzip_lose(zip, layout->type_name, field->name);
	if (layout)
		rst_reserved_mask(layout, mask);
	for (unsigned i = 0; layout && i < 3; i++)
		reserved |= ((base_be64(rec + 8 * i) ^ base_be64(canon + 8 * i)) & mask[i]) != 0;
	if (rc >= 0 && reserved)
		rc = rstzip_lose(zip, layout ? layout->type_name : "record", "reserved bits");
	return rc;
}

static int rstzip_judge(struct rst_zip *zip, const uint8_t *rec, const uint8_t *canon)
{
	if (rec[0] == CAIRN_RST_RSTHEADER)
		zip->version = rst_version_of(rec);
	if (rec[0] == CAIRN_RST_RFS_BT && !zip->lossy)
		return base_fail(zip->cairn, CAIRN_E_LOSS,
		                 "record %llu: RFS_BT cannot be packed: the original rstzip 3 "
		                 "does not read its own (lossy packing writes it, for this program)",
		                 (unsigned long long)zip->total + 1);
	if (rec[0] == CAIRN_RST_RFS_BT)
		count_loss(zip, "RFS_BT for other programs");
	return memcmp(rec, canon, CAIRN_RST_SIZE) == 0 ? 0 : name_losses(zip, rec, canon);
}

int rst_zip_put(struct rst_zip *zip, const uint8_t *records, size_t n)
{
	if (zip->failed)
		return base_fail(zip->cairn, zip->failed, "%s", zip->why);
	for (size_t i = 0; i < n; i++, records += CAIRN_RST_SIZE) {
		uint8_t *canon = zip->records + zip->n * CAIRN_RST_SIZE;
		rz3_canonical(records, RZ3_MINOR, canon);
		int rc = 0;
		if (memcmp(records, canon, CAIRN_RST_SIZE) != 0 || records[0] == CAIRN_RST_RSTHEADER ||
		    records[0] == CAIRN_RST_RFS_BT)
			rc = rstzip_judge(zip, records, canon);
		if (rc >= 0 && ++zip->n == RZ3_SECTION)
			rc = rstzip_flush(zip);
		if (rc < 0)
			return zip_failed(zip, rc);
		zip->total++;
	}
	return 0;
}

int rst_zip_finish(struct rst_zip *zip)
{
	if (zip->failed)
		return base_fail(zip->cairn, zip->failed, "%s", zip->why);
	int rc = rstzip_flush(zip);
	return rc < 0 ? zip_failed(zip, rc) : 0;
}

size_t rst_zip_losses(const struct rst_zip *zip, const struct rst_zip_loss **out)
{
	*out = zip->losses;
	return zip->n_losses;
}
