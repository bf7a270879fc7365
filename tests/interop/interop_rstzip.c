/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces packed by the original rstzip programs: they unpack to the raw traces they
 * were made from, save what version 2 does not keep; what we pack of them is as small as what
 * the original packed, and unpacks to the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"
#include "formats/rst/packing/rstzip3.h"

enum { SIZE = CAIRN_RST_SIZE };

static const char *data;

static struct cairn *begin(void)
{
	data = getenv("CAIRN_TEST_DATA");
	if (!data || access(data, R_OK) < 0)
		skip();
	return cairn_new(NULL);
}

/* A file of the folder, its codec peeled. */
static struct base_buf slurp(struct cairn *cairn, const char *name)
{
	char path[4096];
	struct base_buf buf;
	struct io_source *io;
	int64_t n;
	snprintf(path, sizeof path, "%s/rst/%s", data, name);
	base_buf_init(&buf, cairn);
	if (io_open(cairn, path, &io) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	do {
		assert_true(base_buf_reserve(&buf, 1 << 20) >= 0);
		n = io_read(io, buf.data + buf.len, 1 << 20);
		assert_true(n >= 0);
		buf.len += (size_t)n;
	} while (n > 0);
	io_close(io);
	return buf;
}

static struct base_buf unpack(struct cairn *cairn, const struct base_buf *packed)
{
	struct base_buf buf;
	struct io_source *io;
	struct rst_unzip *unzip;
	int64_t n;
	base_buf_init(&buf, cairn);
	assert_int_equal(io_open_memory(cairn, packed->data, packed->len, &io), 0);
	assert_int_equal(rst_unzip_open(cairn, io, &unzip), 0);
	while ((n = rst_unzip_next(unzip, &buf)) > 0)
		;
	if (n < 0)
		fail_msg("%s", cairn_error_text(cairn));
	rst_unzip_close(unzip);
	io_close(io);
	return buf;
}

static struct base_buf pack(struct cairn *cairn, const struct base_buf *raw, bool lossy)
{
	char path[] = "/tmp/cairn-rstzip-XXXXXX";
	struct base_buf buf;
	struct cairn_sink *sink;
	struct io_source *io;
	struct rst_zip *zip;
	close(mkstemp(path));
	assert_int_equal(io_sink_open(cairn, path, NULL, INT32_MIN, 1, &sink), 0);
	assert_int_equal(rst_zip_open(cairn, sink, lossy, &zip), 0);
	if (rst_zip_put(zip, raw->data, raw->len / SIZE) < 0 || rst_zip_finish(zip) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	rst_zip_close(zip);
	assert_int_equal(cairn_sink_finish(sink), 0);
	base_buf_init(&buf, cairn);
	assert_int_equal(io_open(cairn, path, &io), 0);
	assert_true(base_buf_reserve(&buf, io_stored_size(io)) >= 0);
	while (buf.len < io_stored_size(io))
		buf.len += (size_t)io_read(io, buf.data + buf.len, io_stored_size(io) - buf.len);
	io_close(io);
	unlink(path);
	return buf;
}

static void check_same(const struct base_buf *left, const struct base_buf *right, const char *name)
{
	assert_int_equal(left->len, right->len);
	for (size_t i = 0; i < left->len; i += SIZE)
		if (memcmp(left->data + i, right->data + i, SIZE) != 0)
			fail_msg("%s: record %zu differs", name, i / SIZE + 1);
}

static void check_rz3(struct cairn *cairn, const char *packed_name, const char *raw_name,
                      bool lossy)
{
	struct base_buf packed = slurp(cairn, packed_name), out = unpack(cairn, &packed), again, raw;
	if (raw_name) {
		raw = slurp(cairn, raw_name);
		check_same(&raw, &out, packed_name);
		base_buf_free(&raw);
	}
	again = pack(cairn, &out, lossy);
	assert_in_range(again.len, 1, packed.len + packed.len / 100);
	raw = unpack(cairn, &again);
	check_same(&raw, &out, packed_name);
	base_buf_free(&packed);
	base_buf_free(&out);
	base_buf_free(&again);
	base_buf_free(&raw);
}

static void version_3_unpacks_bit_for_bit_and_packs_as_well(void **state)
{
	struct cairn *cairn = begin();
	(void)state;
	check_rz3(cairn, "small_1k.rz3", "small_1k.rst", false);
	check_rz3(cairn, "small_1k.rz3.gz", "small_1k.rst", false);
	check_rz3(cairn, "small_300k.rz3.gz", "small_300k.rst.zst", false);
	check_rz3(cairn, "v206_small.rz3.gz", "v206_small.rst.zst", false);
	check_rz3(cairn, "value_shade.rz3.gz", "value_shade.rst.zst", false);
	check_rz3(cairn, "allrec_45k.rz3.gz", "allrec_45k.rst.zst", false);
	check_rz3(cairn, "rfs_snap.rz3.gz", "rfs_snap.rst.zst", true);
	check_rz3(cairn, "medium_5m.rz3.gz", NULL, false);
	check_rz3(cairn, "mp_5m.rz3.gz", NULL, false);
	cairn_free(cairn);
}

/* The original drops the low bits of a predicted difference. */
static void whole_pages(struct base_buf *buf)
{
	for (size_t at = 0; at < buf->len; at += SIZE) {
		uint8_t *p = buf->data + at;
		if (p[0] == CAIRN_RST_PAVADIFF)
			base_put_be64(p + 8, base_be64(p + 8) >> RZ3_PAGE << RZ3_PAGE);
	}
}

/* What comes out of the original's file is what it carries of the raw one. */
static void quirks_lose_what_they_are_known_to(void **state)
{
	static const struct {
		const char *name;
		bool whole;
	} quirks[] = {{"dblpava", true}, {"g0", true},      {"lossy", false}, {"pre212", false},
	              {"rfsbt0", true},  {"rfsbt12", true}, {"rfscw", true}};
	struct cairn *cairn = begin();
	(void)state;
	for (unsigned i = 0; i < sizeof quirks / sizeof *quirks; i++) {
		char name[64];
		snprintf(name, sizeof name, "quirks/q_%s.rst", quirks[i].name);
		struct base_buf raw = slurp(cairn, name);
		strcat(name, ".rz3");
		struct base_buf packed = slurp(cairn, name), out = unpack(cairn, &packed);
		bool old = strcmp(quirks[i].name, "pre212") == 0;
		for (size_t at = 0; at < raw.len && !quirks[i].whole; at += SIZE) {
			uint8_t rec[SIZE];
			rz3_canonical(raw.data + at, RZ3_MINOR, rec);
			if (old && rec[0] == CAIRN_RST_INSTR) { /* it drops what 2.11 does not have */
				rec[1] &= (uint8_t)~RST_I_HPRIV;
				rec[2] &= 0xfc;
				rec[3] = 0;
			}
			memcpy(raw.data + at, rec, SIZE);
		}
		if (!quirks[i].whole) {
			whole_pages(&raw);
			whole_pages(&out);
		}
		check_same(&raw, &out, name);
		base_buf_free(&raw);
		base_buf_free(&packed);
		base_buf_free(&out);
	}
	cairn_free(cairn);
}

/* All REGVALs come back as postInstr, and without the ids of unused registers. */
static void as_version_2_keeps(struct base_buf *buf)
{
	for (size_t at = 0; at < buf->len; at += SIZE) {
		uint8_t rec[SIZE], *p = buf->data + at;
		if (p[0] != CAIRN_RST_REGVAL)
			continue;
		rz3_canonical(p, RZ3_MINOR, rec);
		memcpy(p, rec, SIZE);
		p[1] |= 0x80;
	}
}

static void check_rz2(struct cairn *cairn, const char *packed_name, struct base_buf raw)
{
	struct base_buf packed = slurp(cairn, packed_name), out = unpack(cairn, &packed);
	as_version_2_keeps(&raw);
	as_version_2_keeps(&out);
	check_same(&raw, &out, packed_name);
	base_buf_free(&packed);
	base_buf_free(&out);
	base_buf_free(&raw);
}

static void version_2_unpacks_to_the_raw_traces(void **state)
{
	struct cairn *cairn = begin();
	(void)state;
	check_rz2(cairn, "small_1k.rz2.gz", slurp(cairn, "small_1k.rst"));
	check_rz2(cairn, "small_300k.rz2.gz", slurp(cairn, "small_300k.rst.zst"));
	check_rz2(cairn, "value_shade.rz2.gz", slurp(cairn, "value_shade.rst.zst"));
	struct base_buf packed = slurp(cairn, "mp_5m.rz3.gz");
	check_rz2(cairn, "mp_5m.rz2.gz", unpack(cairn, &packed));
	base_buf_free(&packed);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_3_unpacks_bit_for_bit_and_packs_as_well),
		cmocka_unit_test(quirks_lose_what_they_are_known_to),
		cmocka_unit_test(version_2_unpacks_to_the_raw_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
