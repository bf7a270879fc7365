/* SPDX-License-Identifier: Apache-2.0 */
/* Packing, slicing, merging and editing traces made by hand and at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "../stf/same.h"
#include "../stf/tools.h"
#include "base/bytes.h"
#include "cairn/cairn.h"
#include "fixtures/parts.h"

static struct cairn *c;
static char dir[] = "/tmp/cairn-change-XXXXXX";
static char paths[16][64];

/* A file of the scratch folder. */
static const char *at(unsigned index, const char *suffix)
{
	snprintf(paths[index], sizeof paths[index], "%s/%u%s", dir, index, suffix);
	return paths[index];
}

static void write_file(const char *path, const struct bytes *bytes)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes->p, 1, bytes->n, f), bytes->n);
	fclose(f);
}

static void good(int rc)
{
	if (rc < 0)
		fail_msg("%d: %s", rc, cairn_error_text(c));
}

static struct cairn_reader *open_at(const char *path, const char *from)
{
	struct cairn_reader *reader = NULL;
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	good(cairn_open(c, path, &opts, &reader));
	return reader;
}

static struct cairn_output to(const char *path)
{
	return (struct cairn_output){.size = sizeof(struct cairn_output), .path = path};
}

/* ---- traces ---- */

static struct bytes random_trace(unsigned seed, unsigned n, struct head h)
{
	struct bytes bytes = {0};
	struct cairn_stf_config cfg = config_of(h);
	head(&bytes, h);
	random_groups(&bytes, &cfg, seed, n);
	return bytes;
}

static struct head head_of(unsigned seed)
{
	static const uint32_t ids[3] = {1, 42, 43};
	return (struct head){.vlen = seed % 3 ? 128 : 0,
	                     .narrow = seed % 2,
	                     .ids = seed % 4 ? ids : NULL,
	                     .iem = seed % 5 == 4 ? 1 : 2};
}

/* ---- packing ---- */

static void convert(const char *from, struct cairn_output output)
{
	struct cairn_reader *reader = open_at(from, NULL);
	good(cairn_convert(reader, &output, NULL));
	cairn_close(reader);
}

static void assert_file(const char *path, const struct bytes *bytes)
{
	struct bytes f = bytes_of_file(path);
	assert_int_equal(f.n, bytes->n);
	assert_memory_equal(f.p, bytes->p, bytes->n);
	bytes_free(&f);
}

/* Chunk for chunk what the description of the container asks for. */
static void assert_container(const char *path, const struct bytes *stf,
                             const struct cairn_stf_config *cfg, uint64_t per_chunk)
{
	struct bytes bytes = bytes_of_file(path);
	struct container want = zstf_of(stf, cfg, per_chunk, false);
	assert_true(bytes.n >= 28);
	assert_memory_equal(bytes.p, "ZSTF", 4);
	assert_int_equal(base_le64(bytes.p + 4), per_chunk);
	uint64_t index = base_le64(bytes.p + 12), wanted = want.frames[want.chunks];
	assert_true(index <= bytes.n - 8);
	assert_int_equal(base_le64(bytes.p + index), want.chunks);
	assert_int_equal(bytes.n, index + 8 + 24 * want.chunks);
	uint64_t frame = 20;
	for (size_t i = 0; i < want.chunks; i++) {
		const uint8_t *e = bytes.p + index + 8 + 24 * i;
		const uint8_t *w = want.bytes.p + wanted + 8 + 24 * i;
		assert_int_equal(base_le64(e), frame);
		assert_memory_equal(e + 8, w + 8, 16); /* first PC, size */
		size_t n = ZSTD_findFrameCompressedSize(bytes.p + frame, index - frame);
		assert_false(ZSTD_isError(n));
		assert_int_equal(ZSTD_getFrameContentSize(bytes.p + frame, n), ZSTD_CONTENTSIZE_UNKNOWN);
		frame += n;
	}
	assert_int_equal(frame, index);
	bytes_free(&want.bytes);
	bytes_free(&bytes);
}

static void test_packings_keep_every_byte(void **state)
{
	(void)state;
	static const uint64_t chunks[] = {1, 7, 100000};
	static const char *const codecs[] = {"none", "gzip", "xz", "zstd", "bzip2", "lz4"};
	for (unsigned seed = 0; seed < 8; seed++) {
		struct head head = head_of(seed);
		struct cairn_stf_config cfg = config_of(head);
		struct bytes bytes = random_trace(seed, 60 + 25 * seed, head);
		if (seed == 6)
			rec(&bytes, CAIRN_STF_COMMENT, "T", "behind the last instruction");
		write_file(at(0, ".stf"), &bytes);
		for (unsigned i = 0; i < 3; i++) {
			char spec[32];
			struct cairn_output output = to(at(1, ".zstf"));
			snprintf(spec, sizeof spec, "zstf:chunk=%u", (unsigned)chunks[i]);
			output.to = spec;
			output.threads = i + 1;
			convert(paths[0], output);
			if (seed != 6) /* the writer of this test cuts before a tail */
				assert_container(paths[1], &bytes, &cfg, chunks[i]);
			convert(paths[1], to(at(2, ".stf")));
			assert_file(paths[2], &bytes);
			convert(paths[1], to(at(3, ".zstf"))); /* other chunks */
			convert(paths[3], to(paths[2]));
			assert_file(paths[2], &bytes);
		}
		for (unsigned i = 0; i < 6; i++) {
			struct cairn_output output = to(at(4, ".packed"));
			if (!cairn_codec_find(c, codecs[i]) && i)
				continue;
			output.codec = codecs[i];
			convert(paths[0], output);
			convert(paths[4], to(paths[2]));
			assert_file(paths[2], &bytes);
		}
		bytes_free(&bytes);
	}
}

/* Longer than the windows it is looked at through: where a chunk begins, and at which PC, must
 * not depend on them. */
static void test_windows_do_not_show(void **state)
{
	(void)state;
	struct head head = head_of(1);
	struct cairn_stf_config cfg = config_of(head);
	struct bytes bytes = random_trace(77, 400000, head);
	struct cairn_output output = to(at(1, ".zstf"));
	char name[128];
	output.to = "zstf:chunk=2501";
	assert_true(bytes.n > 9u << 20);
	write_file(at(0, ".stf"), &bytes);
	convert(paths[0], output);
	assert_container(paths[1], &bytes, &cfg, 2501);
	struct bytes one = bytes_of_file(paths[1]);
	snprintf(name, sizeof name, "cat %s", paths[0]);
	FILE *f = popen(name, "r");
	assert_non_null(f);
	snprintf(name, sizeof name, "/dev/fd/%d", fileno(f));
	convert(name, output);
	pclose(f);
	assert_file(paths[1], &one);
	bytes_free(&one);
	bytes_free(&bytes);
}

/* ---- cutting and joining ---- */

static void slice(const char *from, uint64_t first, uint64_t last, const char *path)
{
	struct cairn_reader *reader = open_at(from, NULL);
	struct cairn_range range = {first, last};
	struct cairn_slice_opts opts = {.size = sizeof opts,
	                                .ranges = &range,
	                                .n_ranges = 1,
	                                .look_back = UINT64_MAX};
	struct cairn_output out = to(path);
	good(cairn_slice(reader, &opts, &out, NULL));
	cairn_close(reader);
}

static void merge(unsigned first, unsigned n, const char *path)
{
	struct cairn_merge_part parts[8] = {0};
	struct cairn_output out = to(path);
	for (unsigned i = 0; i < n; i++) {
		parts[i].reader = open_at(paths[first + i], NULL);
		parts[i].name = paths[first + i];
	}
	good(cairn_merge(parts, n, &out, NULL));
	for (unsigned i = 0; i < n; i++)
		cairn_close(parts[i].reader);
}

static void assert_same(const char *a, const char *b, const uint64_t *splices, unsigned n_splices)
{
	struct same_trace x, y;
	good(same_read(c, a, &x));
	good(same_read(c, b, &y));
	assert_int_equal(x.n, y.n);
	for (size_t i = 0; i < x.n; i++) {
		bool splice = false;
		for (unsigned k = 0; k < n_splices; k++)
			splice |= splices[k] == i + 1;
		const char *why = same_differ(&x.rows[i], &y.rows[i], splice);
		if (why)
			fail_msg("instruction %zu%s: %s", i + 1, splice ? " (splice)" : "", why);
	}
	same_free(&x);
	same_free(&y);
}

static void test_slices_merge_to_the_whole(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 40; seed++) {
		unsigned n = 20 + seed * 7, pieces = 2 + seed % 4;
		struct bytes bytes = random_trace(seed, n, head_of(seed));
		uint64_t splices[6] = {1};
		write_file(at(0, ".stf"), &bytes);
		struct cairn_output output = to(at(1, ".zstf"));
		output.to = "zstf:chunk=5";
		convert(paths[0], output);
		srand(seed);
		for (unsigned i = 1; i < pieces; i++)
			splices[i] = splices[i - 1] + 1 + (uint64_t)rand() % (n / pieces);
		for (unsigned i = 0; i < pieces; i++)
			slice(paths[seed % 2], splices[i], i + 1 < pieces ? splices[i + 1] - 1 : UINT64_MAX,
			      at(2 + i, seed % 3 ? ".stf" : ".zstf"));
		merge(2, pieces, at(8, ".stf"));
		assert_same(paths[0], paths[8], splices, pieces);
		bytes_free(&bytes);
	}
}

/* ---- parts by who runs ---- */

/* How many parts there were, where there was more than one; `broken` bytes are damaged. */
static unsigned try_parts(unsigned seed, unsigned broken)
{
	static const struct parts_way ways[] = {
		{.suffix = ".stf"},
		{.suffix = ".zstf", .from = "stf:sizes=bits", .to = "stf:sizes=bytes"},
		{.suffix = ".stf.zst"},
		{.suffix = ".stf", .from = "stf:sources=after", .to = "stf:sources=before"},
		{.suffix = ".zstf"},
		{.suffix = ".stf", .from = "stf:initiators=library", .to = "stf:initiators=spec"}};
	enum { HEAD = 300, WAYS = sizeof ways / sizeof *ways };
	struct parts_way way = ways[seed % WAYS];
	struct bytes bytes = random_trace(seed, 20 + seed % 150 * 4, head_of(seed));
	unsigned several = 0;
	way.cairn = c;
	way.dir = dir;
	srand(seed);
	for (unsigned i = 0; i < broken && bytes.n > HEAD; i++)
		bytes.p[HEAD + (size_t)rand() % (bytes.n - HEAD)] = 0xee;
	write_file(at(0, ".stf"), &bytes);
	for (int by = CAIRN_SPLIT_CPU; by <= CAIRN_SPLIT_TID; by++)
		several += parts_are_slices(&way, paths[0], by) > 1;
	bytes_free(&bytes);
	return several;
}

static void test_parts_are_slices(void **state)
{
	unsigned several = 0;
	(void)state;
	for (unsigned seed = 0; seed < 120; seed++)
		several += try_parts(seed, 0);
	assert_true(several > 60);
}

static void test_parts_of_damaged_traces(void **state)
{
	const char *more = getenv("CAIRN_LONG");
	unsigned several = 0, seeds = more ? 20 * (unsigned)atoi(more) : 150;
	(void)state;
	for (unsigned seed = 0; seed < seeds; seed++) {
		several += try_parts(seed, 1 + seed % 8);
	}
	assert_true(several > 60);
}

static void setup_dir(void)
{
	c = cairn_new(NULL);
	assert_non_null(c);
	assert_non_null(mkdtemp(dir));
}

static int setup(void **state)
{
	(void)state;
	setup_dir();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	char command[64];
	cairn_free(c);
	snprintf(command, sizeof command, "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packings_keep_every_byte),
		cmocka_unit_test(test_windows_do_not_show),
		cmocka_unit_test(test_slices_merge_to_the_whole),
		cmocka_unit_test(test_parts_are_slices),
		cmocka_unit_test(test_parts_of_damaged_traces),
	};
	return cmocka_run_group_tests_name("stf_change", tests, setup, teardown);
}
