/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes: as a packed trace if they begin like one, else as records. Whatever
 * records there are then, their canonical forms are packed and unpacked. Asserted:
 * failing comes with a sentence, and stays; canonical is canonical; what was packed
 * comes back, exactly, all of it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "formats/rst/packing/rstzip3.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 20, SIZE = CAIRN_RST_SIZE };

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* All records, or the first MOST bytes and a section. < 0: it ended in a sentence. */
static int64_t unpack(struct cairn *cairn, const void *data, size_t n, struct base_buf *out)
{
	struct io_source *io;
	struct rst_unzip *unzip;
	check(io_open_memory(cairn, data, n, &io) == 0);
	int64_t rc = rst_unzip_open(cairn, io, &unzip);
	if (rc >= 0) {
		do {
			size_t before = out->len;
			rc = rst_unzip_next(unzip, out);
			check(rc <= 0 ? out->len == before : out->len == before + (size_t)rc * SIZE);
		} while (rc > 0 && out->len < MOST);
		if (rc < 0)
			check(rst_unzip_next(unzip, out) == rc);
		rst_unzip_close(unzip);
	}
	check(rc >= 0 || *cairn_error_text(cairn));
	io_close(io);
	return rc;
}

static void pack(struct cairn *cairn, const struct base_buf *records, struct base_buf *out)
{
	uint8_t head[RZ3_HEADER] = RZ3_MAGIC;
	struct rz3_pack *k;
	head[16] = RZ3_MAJOR;
	head[17] = RZ3_MINOR;
	check(base_buf_put(out, head, sizeof head) == 0 && rz3_pack_open(cairn, &k) == 0);
	for (size_t at = 0; at < records->len;) {
		size_t left = (records->len - at) / SIZE, take = left < RZ3_SECTION ? left : RZ3_SECTION;
		check(rz3_pack_section(k, records->data + at, take, out) == 0);
		at += take * SIZE;
	}
	rz3_pack_close(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf records, packed, back;
	base_buf_init(&records, cairn);
	base_buf_init(&packed, cairn);
	base_buf_init(&back, cairn);
	check(cairn != NULL);
	if (rst_packing_of(data, n) != RST_PACKING_NONE)
		unpack(cairn, data, n, &records);
	else
		check(base_buf_put(&records, data, n - n % SIZE) == 0);
	if (records.len > MOST)
		records.len = MOST - MOST % SIZE;
	for (size_t at = 0; at < records.len; at += SIZE) {
		uint8_t once[SIZE], twice[SIZE];
		rz3_canonical(records.data + at, RZ3_MINOR, once);
		rz3_canonical(once, RZ3_MINOR, twice);
		check(memcmp(once, twice, SIZE) == 0);
		memcpy(records.data + at, once, SIZE);
	}
	pack(cairn, &records, &packed);
	check(unpack(cairn, packed.data, packed.len, &back) == 0);
	check(back.len == records.len && (!back.len || !memcmp(back.data, records.data, back.len)));
	base_buf_free(&records);
	base_buf_free(&packed);
	base_buf_free(&back);
	cairn_free(cairn);
	return 0;
}
