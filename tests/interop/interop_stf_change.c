/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real STF traces, cut at random and joined again: the same instructions, whatever the
 * cuts. And every packing of them keeps every byte.
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
#include <sys/stat.h>

#include "../stf/same.h"
#include "../stf/tools.h"

enum { LARGEST = 300000, PIECES = 4 };

static struct cairn *c;
static char dir[] = "/tmp/cairn-change-XXXXXX";

static void good(int rc, const char *path)
{
	if (rc < 0)
		fail_msg("%s: %s", path, cairn_error_text(c));
}

static struct cairn_reader *open_at(const char *path)
{
	struct cairn_reader *reader = NULL;
	good(cairn_open(c, path, NULL, &reader), path);
	return reader;
}

static void cut(const char *path, uint64_t first, uint64_t last, const char *to)
{
	struct cairn_range range = {first, last};
	struct cairn_slice_opts opts = {.size = sizeof opts, .ranges = &range, .n_ranges = 1};
	struct cairn_output out = {.size = sizeof out, .path = to, .threads = 2};
	struct cairn_reader *reader = open_at(path);
	good(cairn_slice(reader, &opts, &out, NULL), path);
	cairn_close(reader);
}

static void join(char names[][64], unsigned n, const char *to)
{
	struct cairn_merge_part parts[PIECES] = {0};
	struct cairn_output out = {.size = sizeof out, .path = to};
	for (unsigned i = 0; i < n; i++) {
		parts[i].reader = open_at(names[i]);
		parts[i].name = names[i];
	}
	good(cairn_merge(parts, n, &out, NULL), to);
	for (unsigned i = 0; i < n; i++)
		cairn_close(parts[i].reader);
}

static void cut_and_join(const char *path, unsigned round)
{
	struct same_trace left, right;
	char names[PIECES][64], whole[64];
	uint64_t splices[PIECES] = {1};
	unsigned n = 1;
	if (same_read(c, path, &left) < 0 || left.n < 2 || left.n > LARGEST) {
		same_free(&left);
		return;
	}
	for (; n < PIECES && splices[n - 1] < left.n; n++)
		splices[n] = splices[n - 1] + 1 + (uint64_t)rand() % (left.n / 2 + 1);
	while (splices[n - 1] > left.n)
		n--;
	for (unsigned i = 0; i < n; i++) {
		snprintf(names[i], sizeof names[i], "%s/%u%s", dir, i, round % 2 ? ".zstf" : ".stf");
		cut(path, splices[i], i + 1 < n ? splices[i + 1] - 1 : UINT64_MAX, names[i]);
	}
	snprintf(whole, sizeof whole, "%s/whole.stf", dir);
	join(names, n, whole);
	good(same_read(c, whole, &right), whole);
	assert_int_equal(left.n, right.n);
	for (size_t i = 0, k = 0; i < left.n; i++) {
		bool splice = k < n && splices[k] == i + 1;
		k += splice;
		const char *why = same_differ(&left.rows[i], &right.rows[i], splice);
		if (why)
			fail_msg("%s: instruction %zu%s: %s", path, i + 1, splice ? " (splice)" : "", why);
	}
	same_free(&left);
	same_free(&right);
}

static void convert(const char *from, const char *to, const char *format, const char *codec)
{
	struct cairn_output out = {.size = sizeof out,
	                           .path = to,
	                           .to = format,
	                           .codec = codec,
	                           .threads = 2};
	struct cairn_reader *reader = open_at(from);
	good(cairn_convert(reader, &out, NULL), from);
	cairn_close(reader);
}

static void pack(const char *path)
{
	static const struct {
		const char *to, *codec;
	} ways[] = {{"zstf:chunk=1", NULL}, {"zstf:chunk=7", NULL}, {"zstf:chunk=100000", NULL},
	            {"stf", "gzip"},        {"stf", "xz"},          {"stf", "zstd"},
	            {"stf", "bzip2"},       {"stf", "lz4"}};
	char raw[64], packed[64], again[64];
	snprintf(raw, sizeof raw, "%s/raw", dir);
	snprintf(packed, sizeof packed, "%s/packed", dir);
	snprintf(again, sizeof again, "%s/again", dir);
	convert(path, raw, "stf", "none");
	struct bytes left = bytes_of_file(raw), right;
	if (strcmp(path + strlen(path) - 5, ".zstf") != 0) {
		right = bytes_of_file(path);
		assert_int_equal(left.n, right.n);
		assert_memory_equal(left.p, right.p, left.n);
		bytes_free(&right);
	}
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (ways[i].codec && !cairn_codec_find(c, ways[i].codec))
			continue;
		if (i < 2 && left.n > 300000) /* a file of chunks of 1 is far larger than its trace */
			continue;
		convert(raw, packed, ways[i].to, ways[i].codec);
		convert(packed, again, "stf", "none");
		right = bytes_of_file(again);
		assert_int_equal(left.n, right.n);
		assert_memory_equal(left.p, right.p, left.n);
		bytes_free(&right);
	}
	bytes_free(&left);
}

static bool usable(const char *path)
{
	struct stat st;
	struct cairn_reader *reader = NULL;
	if (stat(path, &st) < 0 || st.st_size > 4 << 20 || cairn_open(c, path, NULL, &reader) < 0)
		return false;
	cairn_close(reader);
	return true;
}

static void each_file(void (*f)(const char *path, unsigned round))
{
	const char *data = getenv("CAIRN_TEST_DATA");
	glob_t g = {0};
	char pattern[2][512];
	snprintf(pattern[0], sizeof pattern[0], "%s/stf/*stf", data ? data : "/nonexistent");
	snprintf(pattern[1], sizeof pattern[1], "%s/stf/*/*stf", data ? data : "/nonexistent");
	glob(pattern[0], 0, NULL, &g);
	glob(pattern[1], GLOB_APPEND, NULL, &g);
	if (g.gl_pathc == 0)
		skip();
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (usable(g.gl_pathv[i]))
			f(g.gl_pathv[i], (unsigned)i);
	globfree(&g);
}

static void one_cut(const char *path, unsigned round)
{
	struct stat st;
	unsigned rounds = stat(path, &st) == 0 && st.st_size < 15000 ? 4 : 1;
	for (unsigned i = 0; i < rounds; i++)
		cut_and_join(path, round + i);
}

static void one_pack(const char *path, unsigned round)
{
	(void)round;
	struct stat st;
	/* Small when packed is not small: a day has only so many hours. */
	if (stat(path, &st) == 0 && (st.st_size < 30000 || (st.st_size > 80000 && st.st_size < 300000)))
		pack(path);
}

static void test_cuts_and_joins(void **state)
{
	(void)state;
	srand(1);
	each_file(one_cut);
}

static void test_packings(void **state)
{
	(void)state;
	each_file(one_pack);
}

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return c && mkdtemp(dir) ? 0 : -1;
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cuts_and_joins),
	                                   cmocka_unit_test(test_packings)};
	return cmocka_run_group_tests_name("stf_change", tests, setup, teardown);
}
