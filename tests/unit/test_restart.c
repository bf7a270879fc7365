/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning again in the middle of what is compressed: wherever a source is told to go,
 * the same bytes come as by reading from the beginning, with marks and without, for every
 * packing; where there are to be marks there are; and marks that lie do no harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "config.h"
#include "io/io.h"

enum { SIZE = 3 << 19, STEP = 128 << 10, READ = 3000 };

static struct cairn *c;
static uint8_t *data;
static uint64_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* Words that come back, so that windows matter. */
static int make_data(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	data = malloc(SIZE);
	for (size_t i = 0; i < SIZE;) {
		size_t n = 4 + rnd(60), from = i > 20000 && rnd(3) ? i - 1 - rnd(20000) : SIZE;
		for (size_t k = 0; k < n && i < SIZE; k++, i++)
			data[i] = from == SIZE ? (uint8_t)rnd(256) : data[from + k];
	}
	return c && data ? 0 : -1;
}

static int drop_data(void **state)
{
	(void)state;
	free(data);
	cairn_free(c);
	return 0;
}

/* ---- packings ---- */

/* Streams of `piece` bytes one after another. */
static struct base_buf pack(const char *codec, size_t piece)
{
	struct base_buf buf;
	base_buf_init(&buf, c);
	for (size_t at = 0; at < SIZE; at += piece)
		assert_int_equal(io_encode_frame(c, cairn_codec_find(c, codec), INT_MIN, data + at,
		                                 SIZE - at < piece ? SIZE - at : piece, &buf),
		                 0);
	return buf;
}

/* One xz stream with a block for every `block` bytes. */
static void xz_blocks(struct base_buf *buf, const uint8_t *p, size_t n, size_t block,
                      lzma_check check)
{
	lzma_stream z = LZMA_STREAM_INIT;
	assert_int_equal(lzma_easy_encoder(&z, 1, check), LZMA_OK);
	for (size_t at = 0; at < n; at += block) {
		bool last = n - at <= block;
		z.next_in = p + at;
		z.avail_in = last ? n - at : block;
		lzma_ret rc;
		do {
			assert_int_equal(base_buf_reserve(buf, 1 << 16), 0);
			z.next_out = buf->data + buf->len;
			z.avail_out = 1 << 16;
			rc = lzma_code(&z, last ? LZMA_FINISH : LZMA_FULL_FLUSH);
			buf->len += (1 << 16) - z.avail_out;
		} while (rc == LZMA_OK);
		assert_int_equal(rc, LZMA_STREAM_END);
	}
	lzma_end(&z);
}

/* ---- checking ---- */

static struct io_source *open_memory(const struct base_buf *buf)
{
	struct io_source *source;
	assert_int_equal(io_open_memory(c, buf->data, buf->len, &source), 0);
	return source;
}

static void expect(struct io_source *source, uint64_t off)
{
	static uint8_t got[READ];
	size_t want = off >= SIZE ? 0 : SIZE - off < READ ? (size_t)(SIZE - off) : READ, have = 0;
	assert_int_equal(io_seek(source, off), 0);
	assert_int_equal(io_tell(source), off < SIZE ? off : SIZE);
	for (int64_t n = 1; have < want && n > 0; have += (size_t)n) {
		n = io_read(source, got + have, want - have);
		assert_true(n >= 0);
	}
	assert_int_equal(have, want);
	assert_memory_equal(got, data + (off < SIZE ? off : 0), want);
}

static void expect_anywhere(struct io_source *source, unsigned places)
{
	expect(source, SIZE - 1);
	expect(source, 0);
	expect(source, SIZE + 5);
	for (unsigned i = 0; i < places; i++)
		expect(source, i % 7 ? rnd(SIZE) : rnd(SIZE) / STEP * STEP);
	/* on to the end, through whatever else the file holds */
	static uint8_t rest[SIZE];
	assert_int_equal(io_seek(source, SIZE / 3), 0);
	size_t have = SIZE / 3;
	for (int64_t n; (n = io_read(source, rest, 100000)) != 0; have += (size_t)n) {
		assert_true(n > 0);
		assert_memory_equal(rest, data + have, (size_t)n);
	}
	assert_int_equal(have, SIZE);
}

/* The marks of a file, having read it. */
static struct base_buf marks_of(const struct base_buf *b, uint64_t *reach)
{
	static uint8_t buf[100000];
	struct base_buf marks;
	struct io_source *source = open_memory(b);
	int64_t n;
	base_buf_init(&marks, c);
	assert_int_equal(io_mark(source, STEP), 0);
	while ((n = io_read(source, buf, 1 + rnd(sizeof buf - 1))) > 0)
		;
	assert_int_equal(n, 0);
	*reach = io_marks_reach(source);
	assert_int_equal(io_marks_put(source, &marks), 0);
	io_close(source);
	return marks;
}

/* `most`: the reach is at most that. */
static void check_packing(struct base_buf buf, uint64_t most)
{
	uint64_t reach;
	struct base_buf marks = marks_of(&buf, &reach);
	struct io_source *source = open_memory(&buf);
	assert_true(io_can_seek(source));
	assert_true(reach <= most);
	expect_anywhere(source, 6);
	assert_int_equal(io_marks_get(source, marks.data, marks.len), 0);
	expect_anywhere(source, 24);
	io_close(source);
	base_buf_free(&marks);
	base_buf_free(&buf);
}

static void gzip_begins_anywhere(void **state)
{
	(void)state;
	check_packing(pack("gzip", SIZE), 4 * STEP);
	check_packing(pack("gzip", SIZE / 3), 4 * STEP);
	check_packing(pack("gzip", 1000), 2 * STEP);
}

/* Stored blocks, fixed ones, and members that are empty. */
static void odd_gzip_begins_anywhere(void **state)
{
	static const int levels[] = {0, 1, 9},
					 strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct base_buf buf, empty;
		z_stream z = {0};
		base_buf_init(&buf, c);
		base_buf_init(&empty, c);
		assert_int_equal(deflateInit2(&z, levels[i], Z_DEFLATED, 31, 8, strategies[i]), Z_OK);
		assert_int_equal(base_buf_reserve(&buf, deflateBound(&z, SIZE) + 1000000), 0);
		z.next_in = data;
		z.next_out = buf.data;
		z.avail_out = (uInt)buf.cap;
		for (size_t at = 0; at < SIZE; at += STEP / 2) {
			z.avail_in = STEP / 2;
			assert_int_equal(deflate(&z, i == 1 ? Z_PARTIAL_FLUSH : Z_NO_FLUSH), Z_OK);
		}
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		buf.len = z.total_out;
		deflateEnd(&z);
		assert_int_equal(io_encode_frame(c, cairn_codec_find(c, "gzip"), 6, "", 0, &empty), 0);
		base_buf_put(&buf, empty.data, empty.len);
		base_buf_put(&buf, "\0\0\0", 3); /* padding */
		base_buf_free(&empty);
		check_packing(buf, 4 * STEP);
	}
}

static void xz_begins_at_blocks(void **state)
{
	(void)state;
	static const lzma_check checks[] = {LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_SHA256};
	struct base_buf buf;
	for (unsigned i = 0; i < 3; i++) {
		base_buf_init(&buf, c);
		xz_blocks(&buf, data, SIZE, STEP + 77, checks[i]);
		check_packing(buf, 2 * STEP);
	}
	/* two streams checked differently, with padding between and after them */
	base_buf_init(&buf, c);
	xz_blocks(&buf, data, SIZE / 2, STEP / 3, LZMA_CHECK_CRC64);
	base_buf_put(&buf, "\0\0\0\0\0\0\0\0", 8);
	xz_blocks(&buf, data + SIZE / 2, SIZE - SIZE / 2, STEP, LZMA_CHECK_NONE);
	base_buf_put(&buf, "\0\0\0\0", 4);
	check_packing(buf, 2 * STEP);
	base_buf_init(&buf, c);
	xz_blocks(&buf, data, SIZE, SIZE, LZMA_CHECK_CRC64);
	check_packing(buf, SIZE);
}

static void streams_begin_anywhere(void **state)
{
	(void)state;
	static const char *const codecs[] = {
		"zstd",  "zstd-seekable", "xz",
#ifdef HAVE_BZIP2
		"bzip2",
#endif
#ifdef HAVE_LZ4
		"lz4",
#endif
	};
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		check_packing(pack(codecs[i], STEP / 2), 2 * STEP);
		check_packing(pack(codecs[i], SIZE), i == 1 ? 1 << 20 : SIZE);
	}
}

/* Codecs around one another, and none at all. */
static void others_are_read_again(void **state)
{
	(void)state;
	struct base_buf inner = pack("zstd", STEP), buf, plain;
	base_buf_init(&buf, c);
	base_buf_init(&plain, c);
	assert_int_equal(
		io_encode_frame(c, cairn_codec_find(c, "gzip"), 1, inner.data, inner.len, &buf), 0);
	base_buf_free(&inner);
	check_packing(buf, SIZE);
	base_buf_put(&plain, data, SIZE);
	check_packing(plain, 0);
}

/* Whatever the marks say: refused, or bytes of some kind, or a sentence. */
static void lies_do_no_harm(void **state)
{
	(void)state;
	static uint8_t buf[READ];
	struct base_buf b = pack("gzip", SIZE), x;
	uint64_t reach;
	struct base_buf marks = marks_of(&b, &reach);
	base_buf_init(&x, c);
	xz_blocks(&x, data, SIZE, STEP, LZMA_CHECK_CRC32);
	struct base_buf xmarks = marks_of(&x, &reach);
	unsigned believed = 0, wrong = 0;
	for (unsigned i = 0; i < 400; i++) {
		bool gzip = i % 2;
		struct base_buf *m = gzip ? &marks : &xmarks;
		struct io_source *source = open_memory(gzip ? &b : &x);
		size_t at = rnd(rnd(2) ? 200 : (uint32_t)m->len);
		uint8_t old = m->data[at];
		m->data[at] = (uint8_t)rnd(256);
		if (io_marks_get(source, m->data, m->len - (i % 10 == 0)) >= 0) {
			believed++;
			for (unsigned k = 0; k < 4; k++)
				if (io_seek(source, rnd(SIZE)) < 0 || io_read(source, buf, sizeof buf) < 0)
					wrong++;
			/* who goes back to the beginning is safe again */
			assert_int_equal(io_marks_get(source, (const uint8_t[8]){0}, 8), 0);
			expect(source, 12345);
		}
		m->data[at] = old;
		io_close(source);
	}
	assert_true(believed > 50 && believed < 390);
	assert_true(wrong > 0);
	struct io_source *source = open_memory(&b);
	assert_true(io_marks_get(source, marks.data, 7) < 0);
	assert_int_equal(io_marks_get(source, NULL, 0), 0);
	assert_true(io_marks_get(source, marks.data, marks.len - 1) < 0);
	assert_true(io_marks_get(source, (const uint8_t *)"\377\377\377\377\377\377\377\377", 8) < 0);
	io_close(source);
	base_buf_free(&marks);
	base_buf_free(&xmarks);
	base_buf_free(&b);
	base_buf_free(&x);
}

/* Damage behind a place does not keep anybody from going before it. */
static void damage_is_left_behind(void **state)
{
	(void)state;
	struct base_buf b = pack("gzip", SIZE), marks;
	static uint8_t buf[100000];
	uint64_t reach;
	int64_t n;
	marks = marks_of(&b, &reach);
	memset(b.data + b.len / 2, 0xff, 2000);
	struct io_source *source = open_memory(&b);
	assert_int_equal(io_marks_get(source, marks.data, marks.len), 0);
	while ((n = io_read(source, buf, sizeof buf)) > 0)
		;
	assert_int_equal(n, CAIRN_E_DAMAGED);
	expect(source, 1000);
	expect(source, SIZE - READ - 30000); /* and behind it, where a place lies behind the damage */
	expect(source, SIZE / 4);
	io_close(source);
	base_buf_free(&marks);
	base_buf_free(&b);
}

static void pipes_are_read_once(void **state)
{
	(void)state;
	FILE *f = popen("printf abc", "r");
	struct io_source *source;
	char path[32];
	snprintf(path, sizeof path, "/dev/fd/%d", fileno(f));
	assert_int_equal(io_open(c, path, &source), 0);
	/* so short that it was read whole */
	assert_int_equal(io_can_seek(source), io_seek(source, 1) >= 0);
	io_close(source);
	pclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_begins_anywhere),  cmocka_unit_test(odd_gzip_begins_anywhere),
		cmocka_unit_test(xz_begins_at_blocks),   cmocka_unit_test(streams_begin_anywhere),
		cmocka_unit_test(others_are_read_again), cmocka_unit_test(lies_do_no_harm),
		cmocka_unit_test(damage_is_left_behind), cmocka_unit_test(pipes_are_read_once),
	};
	return cmocka_run_group_tests(tests, make_data, drop_data);
}
