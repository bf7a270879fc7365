/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copy real STF traces record by record: the records must come out with the same
 * bytes, and a container must get the chunks, PCs and sizes that the program which
 * made the trace gave it (compressed bytes may differ).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "cairn/cairn.h"

enum { LARGEST = 4 << 20 }; /* compressed; what is beyond takes too long for every day */

struct bytes {
	uint8_t *p;
	size_t n;
};

static struct bytes slurp(const char *path)
{
	struct bytes bytes = {0};
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	bytes.n = (size_t)ftell(f);
	rewind(f);
	bytes.p = malloc(bytes.n + 1);
	assert_int_equal(fread(bytes.p, 1, bytes.n, f), bytes.n);
	fclose(f);
	return bytes;
}

static int is_container(const struct bytes *bytes)
{
	return bytes->n > 28 && memcmp(bytes->p, "ZSTF", 4) == 0;
}

/* Places of a container's index; 0 when it is none or its index is not there. */
static uint64_t chunks_of(const struct bytes *bytes, const uint8_t **entries)
{
	uint64_t end = is_container(bytes) ? base_le64(bytes->p + 12) : 0;
	if (!end || end > bytes->n - 8)
		return 0;
	*entries = bytes->p + end + 8;
	uint64_t count = base_le64(bytes->p + end);
	return count <= (bytes->n - end - 8) / 24 ? count : 0;
}

static struct bytes records_of(const struct bytes *bytes)
{
	struct bytes out = {0};
	const uint8_t *entry = NULL;
	uint64_t count = chunks_of(bytes, &entry);
	for (uint64_t i = 0; i < count; i++, entry += 24) {
		uint64_t at = base_le64(entry), size = base_le64(entry + 16);
		size_t frame = ZSTD_findFrameCompressedSize(bytes->p + at, bytes->n - at);
		assert_false(ZSTD_isError(frame));
		out.p = realloc(out.p, out.n + size + 1);
		assert_int_equal(ZSTD_decompress(out.p + out.n, size, bytes->p + at, frame), size);
		out.n += size;
	}
	if (!count) {
		out.p = malloc(bytes->n + 1);
		memcpy(out.p, bytes->p, bytes->n);
		out.n = bytes->n;
	}
	return out;
}

static void copy(struct cairn *cairn, struct cairn_reader *reader, const char *to,
                 const struct cairn_stf_write_opts *opts)
{
	struct cairn_stf_writer *writer = NULL;
	struct cairn_record rec;
	int rc = cairn_stf_create(cairn, to, opts, &writer);
	while (rc >= 0 && (rc = cairn_next_record(reader, &rec)) > 0)
		rc = cairn_stf_put_record(writer, rec.data, rec.size);
	if (rc < 0)
		fail_msg("%s", cairn_error_text(cairn));
	assert_int_equal(cairn_stf_finish(writer), 0);
}

static void compare(const struct bytes *before, const struct bytes *after)
{
	struct bytes left = records_of(before), right = records_of(after);
	assert_int_equal(left.n, right.n);
	assert_memory_equal(left.p, right.p, left.n);
	const uint8_t *x = NULL, *y = NULL;
	uint64_t count = chunks_of(before, &x);
	assert_int_equal(count, chunks_of(after, &y));
	for (uint64_t i = 0; i < count; i++) /* pc and size of each chunk */
		assert_memory_equal(x + 24 * i + 8, y + 24 * i + 8, 16);
	free(left.p);
	free(right.p);
}

static void copy_one(const char *path, const char *to)
{
	struct bytes before = slurp(path);
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader = NULL;
	const uint8_t *entry;
	int container = is_container(&before);
	if ((container && !chunks_of(&before, &entry)) || cairn_open(cairn, path, NULL, &reader) < 0) {
		print_message("%s cannot be read\n", path);
		goto out;
	}
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .threads = 2, .container = "stf"};
	if (container) {
		opts.container = "zstf";
		opts.chunk = base_le32(before.p + 4);
	}
	copy(cairn, reader, to, &opts);
	struct bytes after = slurp(to);
	compare(&before, &after);
	free(after.p);
out:
	cairn_close(reader);
	cairn_free(cairn);
	free(before.p);
}

static void test_copies(void **state)
{
	(void)state;
	const char *data = getenv("CAIRN_TEST_DATA");
	glob_t g = {0};
	char pattern[2][512], to[] = "/tmp/cairn-copy-XXXXXX";
	snprintf(pattern[0], sizeof pattern[0], "%s/stf/*stf", data ? data : "/nonexistent");
	snprintf(pattern[1], sizeof pattern[1], "%s/stf/*/*stf", data ? data : "/nonexistent");
	glob(pattern[0], 0, NULL, &g);
	glob(pattern[1], GLOB_APPEND, NULL, &g);
	if (g.gl_pathc == 0)
		skip();
	int fd = mkstemp(to);
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "rb");
		assert_non_null(f);
		fseek(f, 0, SEEK_END);
		long size = ftell(f);
		fclose(f);
		if (size <= LARGEST)
			copy_one(g.gl_pathv[i], to);
	}
	unlink(to);
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
	return cmocka_run_group_tests_name("stf_copy", tests, NULL, NULL);
}
