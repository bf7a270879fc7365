/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources, sinks and codecs: what goes in comes out, through every codec, any
 * nesting, files, pipes and memory; and what is damaged says so, after all that
 * was whole.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/base.h"
#include "base/bytes.h"
#include "beside.h"
#include "config.h"
#include "io/io.h"

/* ---- a codec of our own: a magic, then every byte xored, no end mark ---- */

struct xor_state {
	struct cairn *cairn;
	size_t seen; /* of the magic */
};
static const uint8_t xor_magic[4] = {'X', 'O', 'R', '1'};

static int xor_probe(const uint8_t *head, size_t n)
{
	return n >= 4 && memcmp(head, xor_magic, 4) == 0 ? 100 : 0;
}

static int xor_open(struct cairn *cairn, void **state)
{
	struct xor_state *xor_state = base_alloc(cairn, sizeof *xor_state);
	if (!xor_state)
		return CAIRN_E_NOMEM;
	xor_state->cairn = cairn;
	*state = xor_state;
	return 0;
}

static int xor_enc_open(struct cairn *cairn, int level, unsigned threads, void **state)
{
	(void)level;
	(void)threads;
	return xor_open(cairn, state);
}

static void xor_close(void *state)
{
	struct xor_state *xor_state = state;
	base_free(xor_state->cairn, xor_state);
}

static void xor_bytes(struct cairn_codec_io *io)
{
	while (io->in_len && io->out_len) {
		*io->out++ = *io->in++ ^ 0x5a;
		io->in_len--;
		io->out_len--;
	}
}

static int xor_decode(void *state, struct cairn_codec_io *io, const char **why)
{
	struct xor_state *xor_state = state;
	if (io->in_len == 0) {
		*why = "no magic";
		return xor_state->seen == 4 ? 1 : CAIRN_E_TRUNCATED;
	}
	for (; xor_state->seen < 4 && io->in_len; io->in_len--, xor_state->seen++)
		if (*io->in++ != xor_magic[xor_state->seen])
			return CAIRN_E_DAMAGED;
	xor_bytes(io);
	return 0;
}

static int xor_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct xor_state *xor_state = state;
	(void)why;
	for (; xor_state->seen < 4 && io->out_len; io->out_len--)
		*io->out++ = xor_magic[xor_state->seen++];
	xor_bytes(io);
	return finish && xor_state->seen == 4 && !io->in_len;
}

static const struct cairn_codec xor_codec = {
	.size = sizeof(struct cairn_codec),
	.name = "xor",
	.suffix = ".xor",
	.probe = xor_probe,
	.dec_open = xor_open,
	.decode = xor_decode,
	.dec_close = xor_close,
	.enc_open = xor_enc_open,
	.encode = xor_encode,
	.enc_close = xor_close,
};

/* ---- helpers ---- */

static char dir[64];
static struct cairn *ctx;

static int group_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cairn-io-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int group_down(void **state)
{
	(void)state;
	char cmd[80];
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	return system(cmd);
}

static int up(void **state)
{
	static const struct cairn_codec *const extra[] = {&xor_codec};
	(void)state;
	struct cairn_opts opts = {.size = sizeof opts, .codecs = extra, .n_codecs = 1};
	ctx = cairn_new(&opts);
	return ctx ? 0 : -1;
}

static int down(void **state)
{
	(void)state;
	cairn_free(ctx);
	return 0;
}

static const char *in_dir(const char *name)
{
	static char path[4][160];
	static unsigned turn;
	char *p = path[turn++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	return p;
}

/* Stretches that compress and stretches that do not. */
static uint8_t *make_data(size_t n)
{
	uint8_t *p = malloc(n + 1);
	uint64_t x = 88172645463325252u;
	assert_non_null(p);
	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (i >> 16) & 1 ? (uint8_t)x : (uint8_t)(i >> 4);
	}
	return p;
}

static struct base_buf encode(const char *codec, const void *data, size_t n)
{
	struct base_buf buf;
	base_buf_init(&buf, ctx);
	const struct cairn_codec *k = cairn_codec_find(ctx, codec);
	assert_non_null(k);
	assert_int_equal(io_encode_frame(ctx, k, INT_MIN, data, n, &buf), 0);
	return buf;
}

/* Read to the end in steps; the last status. */
static int drain(struct io_source *source, size_t step, struct base_buf *out)
{
	int64_t got;
	base_buf_init(out, ctx);
	do {
		assert_int_equal(base_buf_reserve(out, step), 0);
		got = io_read(source, out->data + out->len, step);
		assert_true(got <= (int64_t)step);
		if (got > 0)
			out->len += (size_t)got;
	} while (got > 0);
	assert_int_equal(io_tell(source), out->len);
	/* The end and a failure are for good. */
	uint8_t more;
	assert_int_equal(io_read(source, &more, 1), got);
	return (int)got;
}

static int decode_memory(const void *data, size_t n, size_t step, struct base_buf *out)
{
	struct io_source *source;
	int rc = io_open_memory(ctx, data, n, &source);
	base_buf_init(out, ctx);
	if (rc < 0)
		return rc;
	rc = drain(source, step, out);
	io_close(source);
	return rc;
}

static void expect_decoded(const void *in, size_t n, const void *want, size_t len, size_t step)
{
	struct base_buf out;
	int rc = decode_memory(in, n, step, &out);
	if (rc)
		print_error("%s\n", cairn_error_text(ctx));
	assert_int_equal(rc, 0);
	assert_int_equal(out.len, len);
	assert_true(len == 0 || memcmp(out.data, want, len) == 0);
	base_buf_free(&out);
}

static void write_file(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static struct base_buf read_file(const char *path)
{
	struct base_buf buf;
	base_buf_init(&buf, ctx);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t got;
	do {
		assert_int_equal(base_buf_reserve(&buf, 65536), 0);
		got = fread(buf.data + buf.len, 1, 65536, f);
		buf.len += got;
	} while (got);
	fclose(f);
	return buf;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

#define EACH_CODEC(k) for (size_t i_ = 0; (k = cairn_codec_at(ctx, i_)) != NULL; i_++)

/* ---- codecs ---- */

static void every_codec_round_trips(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 1000, 1 << 20, (5 << 20) + 77};
	uint8_t *data = make_data(sizes[4]);
	const struct cairn_codec *codec;
	EACH_CODEC(codec)
	{
		for (size_t i = 0; i < 5; i++) {
			struct base_buf buf = encode(codec->name, data, sizes[i]);
			expect_decoded(buf.data, buf.len, data, sizes[i], 300000);
			expect_decoded(buf.data, buf.len, data, sizes[i], i < 3 ? 1 : 4099);
			base_buf_free(&buf);
		}
	}
	free(data);
}

static void concatenated_streams_are_one_input(void **state)
{
	(void)state;
	static const char *const names[] = {"gzip", "xz", "zstd", "zstd-seekable", "bzip2", "lz4"};
	uint8_t *data = make_data(300000);
	for (size_t i = 0; i < 6; i++) {
		if (!cairn_codec_find(ctx, names[i]))
			continue;
		struct base_buf all;
		base_buf_init(&all, ctx);
		size_t cuts[] = {0, 100, 100, 200000, 300000}; /* one of them is empty */
		for (size_t j = 0; j < 4; j++) {
			struct base_buf buf = encode(names[i], data + cuts[j], cuts[j + 1] - cuts[j]);
			base_buf_put(&all, buf.data, buf.len);
			base_buf_free(&buf);
		}
		expect_decoded(all.data, all.len, data, 300000, 100000);
		expect_decoded(all.data, all.len, data, 300000, 999);
		base_buf_free(&all);
	}
	free(data);
}

static void skippable_frames_are_skipped(void **state)
{
	(void)state;
	static const uint8_t skip[] = {0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
	static const char *const names[] = {"zstd", "lz4"};
	for (size_t i = 0; i < 2; i++) {
		if (!cairn_codec_find(ctx, names[i]))
			continue;
		struct base_buf all, buf = encode(names[i], "hello", 5);
		base_buf_init(&all, ctx);
		base_buf_put(&all, skip, sizeof skip);
		base_buf_put(&all, buf.data, buf.len);
		base_buf_put(&all, skip, sizeof skip);
		struct io_source *source;
		assert_int_equal(io_open_memory(ctx, all.data, all.len, &source), 0);
		assert_string_equal(io_codec(source), names[i]);
		io_close(source);
		expect_decoded(all.data, all.len, "hello", 5, 100);
		base_buf_free(&all);
		base_buf_free(&buf);
	}
}

static struct base_buf nest(const char *const *codecs, size_t n, const void *data, size_t len)
{
	struct base_buf buf;
	base_buf_init(&buf, ctx);
	base_buf_put(&buf, data, len);
	for (size_t i = n; i-- > 0;) {
		struct base_buf outer = encode(codecs[i], buf.data, buf.len);
		base_buf_free(&buf);
		buf = outer;
	}
	return buf;
}

static void nested_codecs_are_peeled(void **state)
{
	(void)state;
	static const char *const codecs[] = {"gzip", "xz", "zstd"};
	uint8_t *data = make_data(200000);
	struct base_buf buf = nest(codecs, 3, data, 200000);
	struct io_source *source;
	assert_int_equal(io_open_memory(ctx, buf.data, buf.len, &source), 0);
	assert_string_equal(io_codec(source), "gzip+xz+zstd");
	size_t n;
	assert_null(io_map(source, &n));
	assert_int_equal(io_stored_size(source), buf.len);
	io_close(source);
	expect_decoded(buf.data, buf.len, data, 200000, 5000);
	/* Damage deep inside says where it is. */
	struct base_buf out, inner = encode("zstd", data, 200000);
	inner.data[inner.len / 2] ^= 0x55;
	struct base_buf outer = encode("gzip", inner.data, inner.len);
	assert_int_equal(decode_memory(outer.data, outer.len, 4096, &out), CAIRN_E_DAMAGED);
	assert_non_null(strstr(cairn_error_text(ctx), "zstd inside gzip: byte "));
	base_buf_free(&out);
	base_buf_free(&inner);
	base_buf_free(&outer);
	base_buf_free(&buf);
	free(data);
}

static void nesting_has_an_end(void **state)
{
	(void)state;
	static const char *const codecs[9] = {"gzip", "gzip", "gzip", "gzip", "gzip",
	                                      "gzip", "gzip", "gzip", "gzip"};
	struct base_buf buf = nest(codecs, 8, "x", 1);
	expect_decoded(buf.data, buf.len, "x", 1, 10);
	base_buf_free(&buf);
	buf = nest(codecs, 9, "x", 1);
	struct io_source *source;
	assert_int_equal(io_open_memory(ctx, buf.data, buf.len, &source), CAIRN_E_LIMIT);
	assert_non_null(strstr(cairn_error_text(ctx), "more than 8 times"));
	base_buf_free(&buf);
}

static void truncation_delivers_what_is_whole(void **state)
{
	(void)state;
	char text[600];
	const struct cairn_codec *codec;
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(i * i / 7);
	EACH_CODEC(codec)
	{
		if (codec == &xor_codec) /* has no end to miss */
			continue;
		struct base_buf buf = encode(codec->name, text, sizeof text), out;
		for (size_t n = 8; n < buf.len; n++) {
			int rc = decode_memory(buf.data, n, 64, &out);
			assert_true(out.len <= sizeof text);
			assert_memory_equal(out.data, text, out.len);
			/* Cut between its frame and its table, zstd-seekable is plain zstd;
			 * a single byte more cannot be told from garbage. */
			if (strcmp(codec->name, "zstd-seekable") == 0 && out.len == sizeof text)
				assert_true(rc == 0 || rc == CAIRN_E_DAMAGED || rc == CAIRN_E_TRUNCATED);
			else
				assert_int_equal(rc, CAIRN_E_TRUNCATED);
			base_buf_free(&out);
		}
		base_buf_free(&buf);
	}
	/* Large: nearly everything is delivered. */
	uint8_t *data = make_data(1 << 20);
	struct base_buf buf = encode("gzip", data, 1 << 20), out;
	assert_int_equal(decode_memory(buf.data, buf.len - 8, 70000, &out), CAIRN_E_TRUNCATED);
	assert_int_equal(out.len, (1 << 20));
	base_buf_free(&out);
	assert_int_equal(decode_memory(buf.data, buf.len / 2, 70000, &out), CAIRN_E_TRUNCATED);
	assert_true(out.len > 1 << 18);
	assert_memory_equal(out.data, data, out.len);
	char want[96];
	snprintf(want, sizeof want, "gzip: byte %zu of the compressed input: the input ends",
	         buf.len / 2);
	assert_non_null(strstr(cairn_error_text(ctx), want));
	base_buf_free(&out);
	base_buf_free(&buf);
	free(data);
}

static void flipped_bytes_are_survived(void **state)
{
	(void)state;
	char text[300];
	const struct cairn_codec *codec;
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(i * i / 7);
	EACH_CODEC(codec)
	{
		struct base_buf buf = encode(codec->name, text, sizeof text), out;
		size_t caught = 0;
		for (size_t i = 0; i < buf.len; i++) {
			buf.data[i] ^= (uint8_t)(1u << i % 8);
			int rc = decode_memory(buf.data, buf.len, 64, &out);
			caught += rc < 0;
			if (rc < 0)
				assert_true(strlen(cairn_error_text(ctx)) > 10);
			base_buf_free(&out);
			buf.data[i] ^= 0xff;
			decode_memory(buf.data, buf.len, 64, &out);
			base_buf_free(&out);
			buf.data[i] ^= (uint8_t)(0xff ^ 1u << i % 8);
		}
		/* All carry checksums; a broken magic is another matter. */
		if (codec != &xor_codec)
			assert_true(caught > buf.len / 2);
		base_buf_free(&buf);
	}
}

static void damage_says_where(void **state)
{
	(void)state;
	uint8_t *data = make_data(1 << 20);
	struct base_buf buf = encode("gzip", data, 1 << 20), out;
	memset(buf.data + buf.len / 2, 0xff, 64);
	assert_int_equal(decode_memory(buf.data, buf.len, 70000, &out), CAIRN_E_DAMAGED);
	unsigned long long at = 0;
	assert_int_equal(sscanf(cairn_error_text(ctx), "gzip: byte %llu of the compressed", &at), 1);
	assert_in_range(at, buf.len / 2, buf.len);
	assert_true(out.len > 1 << 18);
	base_buf_free(&out);
	base_buf_free(&buf);
	buf = encode("zstd", data, 1 << 20);
	memset(buf.data + buf.len / 2, 0xff, 200000);
	assert_int_equal(decode_memory(buf.data, buf.len, 70000, &out), CAIRN_E_DAMAGED);
	assert_int_equal(sscanf(cairn_error_text(ctx), "zstd: byte %llu of the compressed", &at), 1);
	assert_in_range(at, buf.len / 4, buf.len);
	assert_true(out.len > 1 << 17);
	base_buf_free(&out);
	base_buf_free(&buf);
	free(data);
}

static void what_follows_a_stream(void **state)
{
	(void)state;
	static const char *const names[] = {"gzip", "xz", "zstd", "bzip2", "lz4"};
	uint8_t zeros[5000] = {0};
	for (size_t i = 0; i < 5; i++) {
		if (!cairn_codec_find(ctx, names[i]))
			continue;
		struct base_buf buf = encode(names[i], "hello", 5), out;
		char want[64];
		snprintf(want, sizeof want, "%s: byte %zu of the compressed input: something else",
		         names[i], buf.len);
		size_t len = buf.len;
		base_buf_put(&buf, "garbage", 7);
		assert_int_equal(decode_memory(buf.data, buf.len, 100, &out), CAIRN_E_DAMAGED);
		assert_int_equal(out.len, 5);
		assert_non_null(strstr(cairn_error_text(ctx), want));
		base_buf_free(&out);
		buf.len = len;
		base_buf_put(&buf, zeros, sizeof zeros);
		bool padded = i < 2;
		assert_int_equal(decode_memory(buf.data, buf.len, 100, &out), padded ? 0 : CAIRN_E_DAMAGED);
		base_buf_free(&out);
		assert_int_equal(decode_memory(buf.data, buf.len - 1, 100, &out),
		                 i == 0 ? 0 : CAIRN_E_DAMAGED);
		base_buf_free(&out);
		if (padded) { /* and another stream after it */
			base_buf_put(&buf, buf.data, len);
			expect_decoded(buf.data, buf.len, "hellohello", 10, 100);
		}
		base_buf_free(&buf);
	}
}

static void too_large_a_window_is_refused(void **state)
{
	(void)state;
	/* A frame header that asks for 256 MiB, and an empty last block. */
	static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0};
	static const uint8_t fits[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 1, 0, 0};
	struct base_buf out;
	assert_int_equal(decode_memory(frame, sizeof frame, 10, &out), CAIRN_E_LIMIT);
	base_buf_free(&out);
	assert_non_null(strstr(cairn_error_text(ctx), "128 MiB"));
	expect_decoded(fits, sizeof fits, "", 0, 10);
}

static void codecs_are_found_by_name_and_suffix(void **state)
{
	(void)state;
	assert_ptr_equal(cairn_codec_at(ctx, 0), &xor_codec);
	assert_ptr_equal(cairn_codec_find(ctx, "xor"), &xor_codec);
	assert_null(cairn_codec_find(ctx, "rar"));
	assert_string_equal(cairn_codec_for_name(ctx, "a/b.stf.zst")->name, "zstd");
	assert_string_equal(cairn_codec_for_name(ctx, "x.xz")->name, "xz");
	assert_ptr_equal(cairn_codec_for_name(ctx, "x.xor"), &xor_codec);
	assert_null(cairn_codec_for_name(ctx, ".gz"));
	assert_null(cairn_codec_for_name(ctx, "x.stf"));
}

/* ---- sources ---- */

static void plain_memory(void **state)
{
	(void)state;
	struct io_source *source;
	const uint8_t *p;
	size_t n;
	char buf[8];
	assert_int_equal(io_open_memory(ctx, "0123456789", 10, &source), 0);
	assert_string_equal(io_codec(source), "none");
	assert_int_equal(io_stored_size(source), 10);
	assert_int_equal(io_peek(source, 4, &p, &n), 0);
	assert_int_equal(n, 4); /* not all there is: who guesses at a format looks at a head only */
	assert_int_equal(io_peek(source, 40, &p, &n), 0);
	assert_int_equal(n, 10);
	assert_int_equal(io_read(source, buf, 4), 4);
	assert_memory_equal(buf, "0123", 4);
	assert_int_equal(io_tell(source), 4);
	assert_int_equal(io_stored_tell(source), 4);
	assert_int_equal(io_pread(source, 8, buf, 8), 2);
	assert_memory_equal(buf, "89", 2);
	assert_int_equal(io_pread(source, 10, buf, 8), 0);
	assert_int_equal(io_pread(source, UINT64_MAX, buf, 8), 0);
	assert_memory_equal(io_map(source, &n), "0123456789", 10);
	assert_int_equal(n, 10);
	io_done(source, 5);
	io_close(source);
	expect_decoded(NULL, 0, "", 0, 10);
}

static void plain_files(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 5, 65535, 65536, 65537, 20 << 20};
	uint8_t *data = make_data(sizes[5]);
	const char *path = in_dir("plain");
	for (size_t i = 0; i < 6; i++) {
		struct io_source *source;
		struct base_buf out;
		size_t n;
		write_file(path, data, sizes[i]);
		assert_int_equal(io_open(ctx, path, &source), 0);
		assert_string_equal(io_name(source), path);
		assert_int_equal(io_stored_size(source), sizes[i]);
		const uint8_t *map = io_map(source, &n);
		assert_non_null(map);
		assert_int_equal(n, sizes[i]);
		assert_true(n == 0 || memcmp(map, data, n) == 0);
		io_done(source, n); /* the pages are dropped … */
		assert_int_equal(io_stored_tell(source), n >= 8 << 20 ? n : 0);
		assert_int_equal(drain(source, 100000, &out), 0); /* … and come again */
		assert_int_equal(out.len, n);
		assert_true(n == 0 || memcmp(out.data, data, n) == 0);
		assert_int_equal(io_stored_tell(source), n);
		base_buf_free(&out);
		io_close(source);
	}
	free(data);
}

static void compressed_files(void **state)
{
	(void)state;
	size_t len = 12 << 20;
	uint8_t *data = make_data(len);
	struct base_buf buf = encode("lz4", data, len), out;
	const char *path = in_dir("named.gz"); /* names do not matter */
	write_file(path, buf.data, buf.len);
	struct io_source *source;
	assert_int_equal(io_open(ctx, path, &source), 0);
	assert_string_equal(io_codec(source), "lz4");
	const uint8_t *p;
	size_t n;
	assert_int_equal(io_peek(source, 1 << 20, &p, &n), 0); /* as much as can be shown */
	assert_true(n >= 65536);
	assert_memory_equal(p, data, n);
	uint8_t first[100];
	assert_int_equal(io_read(source, first, 100), 100);
	assert_int_equal(io_peek(source, 65536, &p, &n), 0);
	assert_true(n >= 65536);
	assert_memory_equal(p, data + 100, n);
	base_buf_init(&out, ctx);
	for (int64_t got = 1; got > 0; out.len += (size_t)got) {
		base_buf_reserve(&out, 1 << 20);
		got = io_read(source, out.data + out.len, out.len % 3 ? 1 << 20 : 1000);
		assert_true(got >= 0);
	}
	assert_int_equal(out.len, len - 100);
	assert_true(memcmp(out.data, data + 100, out.len) == 0);
	assert_int_equal(io_tell(source), len);
	assert_int_equal(io_stored_tell(source), io_stored_size(source));
	assert_int_equal(io_pread(source, 0, first, 1), CAIRN_E_STATE);
	io_close(source);
	base_buf_free(&out);
	base_buf_free(&buf);
	free(data);
}

static void names_that_cannot_be_opened(void **state)
{
	(void)state;
	struct io_source *source;
	char want[200];
	assert_int_equal(io_open(ctx, dir, &source), CAIRN_E_IO);
	snprintf(want, sizeof want, "%s: is a directory", dir);
	assert_string_equal(cairn_error_text(ctx), want);
	const char *path = in_dir("missing");
	assert_int_equal(io_open(ctx, path, &source), CAIRN_E_NOTFOUND);
	snprintf(want, sizeof want, "%s: No such file or directory", path);
	assert_string_equal(cairn_error_text(ctx), want);
	assert_int_equal(io_open(ctx, "", &source), CAIRN_E_NOTFOUND);
	assert_string_equal(cairn_error_text(ctx), "the name of the input is empty");
	io_close(NULL);
}

struct feed {
	int fd;
	const uint8_t *data;
	size_t n;
};

static void *feed_pipe(void *arg)
{
	struct feed *feed = arg;
	size_t done = 0;
	while (done < feed->n) {
		size_t part = feed->n - done < 7777 ? feed->n - done : 7777;
		ssize_t put = write(feed->fd, feed->data + done, part);
		if (put <= 0)
			break;
		done += (size_t)put;
	}
	close(feed->fd);
	return NULL;
}

static void from_pipe(const uint8_t *data, size_t n, const uint8_t *want, size_t len,
                      const char *codec)
{
	int fd[2];
	char path[32];
	pthread_t t;
	assert_int_equal(pipe(fd), 0);
	struct feed feed = {fd[1], data, n};
	assert_int_equal(pthread_create(&t, NULL, feed_pipe, &feed), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
	struct io_source *source;
	struct base_buf out;
	size_t map_len;
	assert_int_equal(io_open(ctx, path, &source), 0);
	assert_string_equal(io_codec(source), codec);
	assert_null(io_map(source, &map_len));
	assert_int_equal(io_stored_size(source), IO_UNKNOWN);
	assert_int_equal(drain(source, 70000, &out), 0);
	assert_int_equal(out.len, len);
	assert_true(len == 0 || memcmp(out.data, want, len) == 0);
	assert_int_equal(io_stored_tell(source), n);
	base_buf_free(&out);
	io_close(source);
	pthread_join(t, NULL);
	close(fd[0]);
}

static void pipes(void **state)
{
	(void)state;
	static const char *const codecs[] = {"gzip", "xz", "zstd"};
	size_t len = 1 << 20;
	uint8_t *data = make_data(len);
	struct base_buf buf = nest(codecs, 3, data, len), seek = encode("zstd-seekable", data, len);
	from_pipe(data, len, data, len, "none");
	from_pipe(data, 0, data, 0, "none");
	from_pipe(buf.data, buf.len, data, len, "gzip+xz+zstd");
	from_pipe(seek.data, seek.len, data, len, "zstd"); /* the table is out of reach */
	base_buf_free(&seek);
	base_buf_free(&buf);
	free(data);
}

static void files_of_the_kernel(void **state)
{
	(void)state;
	struct io_source *source;
	struct base_buf out;
	assert_int_equal(io_open(ctx, "/proc/self/status", &source), 0);
	assert_int_equal(drain(source, 100, &out), 0);
	assert_true(out.len > 100);
	assert_int_equal(io_stored_size(source), out.len);
	base_buf_free(&out);
	io_close(source);
	assert_int_equal(io_open(ctx, "/dev/null", &source), 0);
	assert_int_equal(drain(source, 100, &out), 0);
	assert_int_equal(out.len, 0);
	base_buf_free(&out);
	io_close(source);
}

static void cancelling_ends_reading(void **state)
{
	(void)state;
	volatile int cancel = 0;
	struct cairn_opts opts = {.size = sizeof opts, .cancel = &cancel};
	struct cairn *cairn = cairn_new(&opts);
	struct base_buf b = encode("gzip", "hello", 5);
	struct io_source *source;
	char buf[1];
	assert_int_equal(io_open(cairn, "/dev/zero", &source), 0);
	cancel = 1;
	uint8_t *big = malloc(1 << 20);
	while (io_read(source, big, 1 << 20) > 0) /* what is buffered comes first */
		;
	assert_int_equal(cairn_error_status(cairn), CAIRN_E_CANCELLED);
	free(big);
	io_close(source);
	assert_int_equal(io_open_memory(cairn, b.data, b.len, &source), CAIRN_E_CANCELLED);
	cancel = 0;
	assert_int_equal(io_open_memory(cairn, b.data, b.len, &source), 0);
	assert_int_equal(io_read(source, buf, 1), 1);
	io_close(source);
	base_buf_free(&b);
	cairn_free(cairn);
}

/* ---- seekable zstd ---- */

static void seekable_zstd(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 1 << 20, (1 << 20) + 1, (5 << 20) + 12345};
	uint8_t *data = make_data(sizes[4]);
	for (size_t i = 0; i < 5; i++) {
		struct base_buf buf = encode("zstd-seekable", data, sizes[i]);
		struct io_source *source;
		assert_int_equal(io_open_memory(ctx, buf.data, buf.len, &source), 0);
		assert_string_equal(io_codec(source), "zstd-seekable");
		assert_non_null(cairn_codec_find(ctx, io_codec(source)));
		struct base_buf out;
		assert_int_equal(drain(source, 100000, &out), 0);
		assert_int_equal(out.len, sizes[i]);
		base_buf_free(&out);
		io_close(source);
		/* Any zstd reads it. */
		uint8_t *plain = malloc(sizes[i] + 1);
		assert_int_equal(ZSTD_decompress(plain, sizes[i] + 1, buf.data, buf.len), sizes[i]);
		free(plain);
		base_buf_free(&buf);
	}
	free(data);
}

static const char *codec_now(const struct base_buf *buf)
{
	static char name[32];
	struct io_source *source;
	assert_int_equal(io_open_memory(ctx, buf->data, buf->len, &source), 0);
	snprintf(name, sizeof name, "%s", io_codec(source));
	io_close(source);
	return name;
}

static void untrue_seek_tables(void **state)
{
	(void)state;
	size_t len = (3 << 20) + 5;
	uint8_t *data = make_data(len);
	struct base_buf b = encode("zstd-seekable", data, len);
	uint8_t *table = b.data + b.len - 9 - 4 * 8, *foot = b.data + b.len - 9;
	assert_int_equal(base_le32(foot), 4);
	assert_int_equal(base_le32(table + 4), 1 << 20);
	/* What does not add up is plain zstd: every bit of the frame but the decoded
	 * sizes and the descriptor's two unused bits. */
	for (uint8_t *p = table - 8; p < b.data + b.len; p++) {
		for (int bit = 0; bit < 8; bit++) {
			bool size = p >= table && p < foot && (p - table) % 8 >= 4;
			bool magic = p >= table - 8 && p < table;
			if (size || magic || (p == foot + 4 && bit < 2))
				continue;
			*p ^= (uint8_t)(1 << bit);
			assert_string_equal(codec_now(&b), "zstd");
			*p ^= (uint8_t)(1 << bit);
		}
	}
	table[-8] ^= 1; /* still skippable, but no seek table's number */
	assert_string_equal(codec_now(&b), "zstd");
	table[-8] ^= 1;
	expect_decoded(b.data, b.len, data, len, 100000);
	/* A decoded size that is not so harms nobody: frames are found by their own headers. */
	base_put_le32(table + 8 + 4, (1 << 20) + 1);
	assert_string_equal(codec_now(&b), "zstd-seekable");
	expect_decoded(b.data, b.len, data, len, 100000);
	base_buf_free(&b);
	free(data);
}

/* ---- sinks ---- */

static void sinks_write_files(void **state)
{
	(void)state;
	size_t len = (3 << 20) + 1;
	uint8_t *data = make_data(len);
	const char *path = in_dir("out");
	char temp[200];
	const struct cairn_codec *codec = NULL;
	size_t i = 0;
	do { /* without a codec first */
		for (int threads = 1; threads <= 4; threads += 3) {
			struct cairn_sink *sink;
			unlink(path);
			assert_int_equal(io_sink_open(ctx, path, codec, INT_MIN, threads, &sink), 0);
			assert_true(unfinished(path, temp, sizeof temp));
			assert_int_equal(io_sink_seekable(sink), codec == NULL);
			for (size_t at = 0, n = 1; at < len; at += n, n = n * 3 % 400000 + 1) {
				n = n < len - at ? n : len - at;
				assert_int_equal(cairn_sink_write(sink, data + at, n), 0);
			}
			assert_int_equal(io_sink_tell(sink), len);
			assert_int_equal(io_sink_flush(sink), 0);
			assert_false(exists(path));
			assert_int_equal(cairn_sink_finish(sink), 0);
			assert_true(exists(path));
			assert_false(unfinished(path, temp, sizeof temp));
			struct io_source *source;
			struct base_buf out;
			assert_int_equal(io_open(ctx, path, &source), 0);
			assert_string_equal(io_codec(source), codec ? codec->name : "none");
			assert_int_equal(drain(source, 100000, &out), 0);
			assert_int_equal(out.len, len);
			assert_true(memcmp(out.data, data, len) == 0);
			base_buf_free(&out);
			io_close(source);
		}
		codec = cairn_codec_at(ctx, i++);
	} while (codec);
	free(data);
}

static void an_aborted_sink_leaves_nothing(void **state)
{
	(void)state;
	const char *path = in_dir("kept");
	char temp[200];
	struct cairn_sink *sink;
	write_file(path, "old", 3);
	assert_int_equal(io_sink_open(ctx, path, NULL, INT_MIN, 1, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, "new stuff", 9), 0);
	assert_int_equal(io_sink_flush(sink), 0);
	assert_true(unfinished(path, temp, sizeof temp));
	struct base_buf buf = read_file(temp); /* what a kill would leave */
	assert_int_equal(buf.len, 9);
	base_buf_free(&buf);
	cairn_sink_discard(sink);
	assert_false(unfinished(path, temp, sizeof temp));
	buf = read_file(path);
	assert_int_equal(buf.len, 3);
	base_buf_free(&buf);
	cairn_sink_discard(NULL);
}

static void written_bytes_can_be_changed(void **state)
{
	(void)state;
	size_t len = 700000;
	uint8_t *data = make_data(len);
	const char *path = in_dir("patched");
	struct cairn_sink *sink;
	assert_int_equal(io_sink_open(ctx, path, NULL, INT_MIN, 1, &sink), 0);
	for (size_t at = 0; at < len; at += 7000)
		assert_int_equal(cairn_sink_write(sink, data + at, 7000), 0);
	/* In the file, across the edge, in the buffer. */
	static const size_t places[] = {0, 5, 524000, 690000, 699990};
	for (size_t i = 0; i < 5; i++) {
		size_t n = i == 2 ? 100000 : 10;
		memset(data + places[i], (int)i + 65, n);
		assert_int_equal(io_sink_pwrite(sink, places[i], data + places[i], n), 0);
	}
	assert_int_equal(io_sink_pwrite(sink, 699991, data, 10), CAIRN_E_INVAL);
	assert_int_equal(io_sink_pwrite(sink, UINT64_MAX, data, 10), CAIRN_E_INVAL);
	assert_int_equal(cairn_sink_write(sink, "end", 3), 0);
	assert_int_equal(cairn_sink_finish(sink), 0);
	struct base_buf buf = read_file(path);
	assert_int_equal(buf.len, len + 3);
	assert_true(memcmp(buf.data, data, len) == 0);
	assert_memory_equal(buf.data + len, "end", 3);
	base_buf_free(&buf);
	assert_int_equal(io_sink_open(ctx, path, cairn_codec_find(ctx, "gzip"), INT_MIN, 1, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, "x", 1), 0);
	assert_int_equal(io_sink_pwrite(sink, 0, "y", 1), CAIRN_E_STATE);
	cairn_sink_discard(sink);
	free(data);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	struct cairn_sink *sink;
	uint8_t *data = make_data(1 << 20);
	assert_int_equal(io_sink_open(ctx, "/dev/full", NULL, INT_MIN, 1, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, "x", 1), 0); /* still buffered */
	assert_int_equal(io_sink_flush(sink), CAIRN_E_IO);
	assert_string_equal(cairn_error_text(ctx), "/dev/full: No space left on device");
	assert_int_equal(cairn_sink_write(sink, "x", 1), CAIRN_E_IO);
	base_fail(ctx, CAIRN_E_INVAL, "something else");
	assert_int_equal(cairn_sink_finish(sink), CAIRN_E_IO);
	assert_string_equal(cairn_error_text(ctx), "/dev/full: No space left on device");
	assert_true(exists("/dev/full"));
	const struct cairn_codec *codec = cairn_codec_find(ctx, "gzip");
	assert_int_equal(io_sink_open(ctx, "/dev/full", codec, 1, 1, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, data, 1 << 20), CAIRN_E_IO);
	assert_int_equal(cairn_sink_finish(sink), CAIRN_E_IO);
	assert_int_equal(io_sink_open(ctx, "/dev/full", codec, 1, 1, &sink), 0);
	assert_int_equal(cairn_sink_finish(sink), CAIRN_E_IO);
	assert_int_equal(io_sink_open(ctx, "/dev/null", codec, 1, 1, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, data, 1 << 20), 0);
	assert_int_equal(cairn_sink_finish(sink), 0);
	free(data);
}

static void pipes_out(void **state)
{
	(void)state;
	int fd[2];
	char path[32], buf[8];
	struct cairn_sink *sink;
	assert_int_equal(pipe(fd), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", fd[1]);
	assert_int_equal(io_sink_open(ctx, path, NULL, INT_MIN, 1, &sink), 0);
	assert_false(io_sink_seekable(sink));
	assert_int_equal(cairn_sink_write(sink, "hello", 5), 0);
	assert_int_equal(io_sink_pwrite(sink, 0, "j", 1), CAIRN_E_STATE);
	assert_int_equal(cairn_sink_finish(sink), 0);
	assert_int_equal(read(fd[0], buf, 8), 5);
	assert_int_equal(io_sink_open(ctx, path, NULL, INT_MIN, 1, &sink), 0);
	close(fd[0]);
	close(fd[1]);
	assert_int_equal(cairn_sink_write(sink, "hello", 5), 0);
	assert_int_equal(cairn_sink_finish(sink), CAIRN_E_PIPE);
}

static void sinks_that_cannot_be(void **state)
{
	(void)state;
	struct cairn_sink *sink;
	const struct cairn_codec *codec = cairn_codec_find(ctx, "zstd");
	assert_int_equal(io_sink_open(ctx, dir, NULL, INT_MIN, 1, &sink), CAIRN_E_IO);
	assert_non_null(strstr(cairn_error_text(ctx), ": is a directory"));
	assert_int_equal(io_sink_open(ctx, "", NULL, INT_MIN, 1, &sink), CAIRN_E_INVAL);
	assert_int_equal(io_sink_open(ctx, in_dir("no/such/dir"), NULL, INT_MIN, 1, &sink),
	                 CAIRN_E_NOTFOUND);
	assert_non_null(strstr(cairn_error_text(ctx), "no/such/dir: No such"));
	assert_int_equal(io_sink_open(ctx, in_dir("x"), codec, 99, 1, &sink), CAIRN_E_INVAL);
	assert_string_equal(cairn_error_text(ctx), "zstd has the levels 1 to 22, not 99");
	char temp[200];
	assert_false(unfinished(in_dir("x"), temp, sizeof temp));
	struct cairn_codec only = *codec;
	only.enc_open = NULL;
	assert_int_equal(io_sink_open(ctx, in_dir("x"), &only, INT_MIN, 1, &sink), CAIRN_E_UNSUPPORTED);
}

static void links_and_modes_are_kept(void **state)
{
	(void)state;
	const char *path = in_dir("target"), *link = in_dir("link");
	struct stat st;
	struct cairn_sink *sink;
	write_file(path, "old", 3);
	chmod(path, 0640);
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(io_sink_open(ctx, link, NULL, INT_MIN, 1, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, "newer", 5), 0);
	assert_int_equal(cairn_sink_finish(sink), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void outputs_that_are_the_input(void **state)
{
	(void)state;
	const char *path = in_dir("same"), *other = in_dir("other");
	write_file(path, "a", 1);
	assert_true(cairn_same_file(path, path));
	assert_false(cairn_same_file(other, path));
	assert_false(cairn_same_file(path, other));
	assert_false(cairn_same_file("-", path));
	assert_false(cairn_same_file("/dev/null", "/dev/null"));
}

/* ---- frames ---- */

/* A zstd frame as .zstf chunks have them: no content size, several blocks. */
static struct base_buf sizeless_frame(const uint8_t *data, size_t n)
{
	struct base_buf buf;
	base_buf_init(&buf, ctx);
	base_buf_reserve(&buf, ZSTD_compressBound(n) + 1000);
	ZSTD_CCtx *e = ZSTD_createCCtx();
	ZSTD_inBuffer in = {data, n / 2, 0};
	ZSTD_outBuffer out = {buf.data, buf.cap, 0};
	assert_false(ZSTD_isError(ZSTD_compressStream2(e, &out, &in, ZSTD_e_flush)));
	in.size = n;
	assert_int_equal(ZSTD_compressStream2(e, &out, &in, ZSTD_e_end), 0);
	ZSTD_freeCCtx(e);
	buf.len = out.pos;
	assert_true(ZSTD_getFrameContentSize(buf.data, buf.len) == ZSTD_CONTENTSIZE_UNKNOWN);
	return buf;
}

static void frame_decoders_are_reused(void **state)
{
	(void)state;
	size_t len = 900000;
	uint8_t *data = make_data(len);
	const struct cairn_codec *codec;
	EACH_CODEC(codec)
	{
		struct io_frame_encoder *encoder;
		struct io_frame_decoder *decoder;
		assert_int_equal(io_frame_encoder_new(ctx, codec, 1, &encoder),
		                 codec == &xor_codec ? CAIRN_E_INVAL : 0);
		if (codec == &xor_codec)
			continue;
		assert_int_equal(io_frame_decoder_new(ctx, codec, &decoder), 0);
		for (size_t i = 0; i < 6; i++) {
			size_t n = len >> i * 4, used, hints[] = {0, 10, n, 2 * n, SIZE_MAX};
			struct base_buf buf, out;
			base_buf_init(&buf, ctx);
			base_buf_init(&out, ctx);
			assert_int_equal(io_frame_encode(encoder, data, n, &buf), 0);
			size_t one = buf.len;
			base_buf_put(&buf, "tail", 4);
			assert_int_equal(
				io_frame_decode(decoder, buf.data, buf.len, hints[i % 5], n, &out, &used), 0);
			/* The seek table is another frame. */
			if (strcmp(codec->name, "zstd-seekable") != 0)
				assert_int_equal(used, one);
			assert_int_equal(out.len, n);
			assert_memory_equal(out.data, data, n);
			if (n) {
				out.len = 0;
				assert_int_equal(io_frame_decode(decoder, buf.data, buf.len, n, n - 1, &out, &used),
				                 CAIRN_E_LIMIT);
				assert_int_equal(out.len, n - 1);
			}
			base_buf_free(&buf);
			base_buf_free(&out);
		}
		io_frame_encoder_free(encoder);
		io_frame_decoder_free(decoder);
	}
	free(data);
}

static void zstd_frames_without_a_size(void **state)
{
	(void)state;
	size_t len = 900000, used;
	uint8_t *data = make_data(len);
	const struct cairn_codec *codec = cairn_codec_find(ctx, "zstd");
	struct base_buf buf = sizeless_frame(data, len), out;
	struct io_frame_decoder *decoder;
	assert_int_equal(io_frame_decoder_new(ctx, codec, &decoder), 0);
	static const size_t hints[] = {0, 1, 900000, 899999, 100000000};
	for (size_t i = 0; i < 5; i++) {
		base_buf_init(&out, ctx);
		base_buf_put(&out, "before", 6); /* decoding appends */
		assert_int_equal(
			io_frame_decode(decoder, buf.data, buf.len, hints[i], 64 << 20, &out, &used), 0);
		assert_int_equal(used, buf.len);
		assert_int_equal(out.len, len + 6);
		assert_true(memcmp(out.data + 6, data, len) == 0);
		assert_true(out.cap < 2 << 20);
		base_buf_free(&out);
	}
	base_buf_init(&out, ctx);
	assert_int_equal(io_frame_decode(decoder, buf.data, buf.len - 1, len, 64 << 20, &out, &used),
	                 CAIRN_E_TRUNCATED);
	assert_true(out.len > len / 2 && memcmp(out.data, data, out.len) == 0);
	out.len = 0;
	memset(buf.data + buf.len / 2, 0xff, 140000);
	assert_true(io_frame_decode(decoder, buf.data, buf.len, len, 64 << 20, &out, &used) < 0);
	assert_int_equal(strncmp(cairn_error_text(ctx), "zstd: byte ", 11), 0);
	assert_true(out.len > len / 8);
	base_buf_free(&out);
	base_buf_free(&buf);
	io_frame_decoder_free(decoder);
	free(data);
}

static void damaged_frames_are_survived(void **state)
{
	(void)state;
	uint8_t *data = make_data(3000);
	const struct cairn_codec *codec;
	EACH_CODEC(codec)
	{
		struct base_buf buf = encode(codec->name, data, 3000), out;
		struct io_frame_decoder *decoder;
		assert_int_equal(io_frame_decoder_new(ctx, codec, &decoder), 0);
		base_buf_init(&out, ctx);
		for (size_t i = 0; i < buf.len; i++) {
			size_t used;
			out.len = 0;
			buf.data[i] ^= (uint8_t)(0x11 + i);
			io_frame_decode(decoder, buf.data, buf.len, 3000, 1 << 20, &out, &used);
			buf.data[i] ^= (uint8_t)(0x11 + i);
			out.len = 0;
			int rc = io_frame_decode(decoder, buf.data, i, 3000, 1 << 20, &out, &used);
			assert_true(rc < 0 || codec == &xor_codec || strcmp(codec->name, "zstd-seekable") == 0);
			assert_true(out.len <= 3000);
			assert_true(!out.len || memcmp(out.data, data, out.len) == 0);
		}
		io_frame_decoder_free(decoder);
		base_buf_free(&out);
		base_buf_free(&buf);
	}
	free(data);
}

static void lengths_of_zstd_frames(void **state)
{
	(void)state;
	uint8_t *data = make_data(300000);
	static const size_t sizes[] = {0, 1, 255, 256, 70000, 300000};
	for (size_t i = 0; i < 6; i++) {
		struct base_buf buf = encode("zstd", data, sizes[i]), c = sizeless_frame(data, sizes[i]);
		size_t one = buf.len, two = c.len;
		base_buf_put(&buf, "more", 4);
		assert_int_equal(io_zstd_frame_length(buf.data, buf.len, NULL), one);
		assert_int_equal(io_zstd_frame_length(buf.data, one, NULL), one);
		assert_int_equal(io_zstd_frame_length(c.data, two, NULL), two);
		for (size_t n = 0; n < one; n += n < 50 ? 1 : 997)
			assert_int_equal(io_zstd_frame_length(buf.data, n, NULL), 0);
		base_buf_free(&buf);
		base_buf_free(&c);
	}
	static const uint8_t skip[] = {0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c', 'd'};
	for (size_t n = 0; n < sizeof skip; n++)
		assert_int_equal(io_zstd_frame_length(skip, n, NULL), n < 11 ? 0 : 11);
	assert_true(io_zstd_frame_length((const uint8_t *)"not zstd", 8, NULL) < 0);
	assert_true(io_zstd_frame_length((const uint8_t *)"n", 1, NULL) < 0);
	static const uint8_t reserved[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 7, 0, 0, 0};
	assert_true(io_zstd_frame_length(reserved, sizeof reserved, NULL) < 0); /* block type 3 */
	free(data);
}

/* ---- the rest ---- */

/* An allocator that gives up after some calls, and knows what is still held. */
struct miser {
	int left, held;
};

static void *miserly(void *user, void *p, size_t n)
{
	struct miser *miser = user;
	if (n == 0) {
		miser->held -= p != NULL;
		free(p);
		return NULL;
	}
	if (miser->left-- <= 0)
		return NULL;
	miser->held += p == NULL;
	return realloc(p, n);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint8_t *data = make_data(100000), buf[1000];
	const struct cairn_codec *codec;
	EACH_CODEC(codec)
	{
		struct base_buf b = encode(codec->name, data, 100000);
		for (int left = 1; left < 40; left++) {
			struct miser miser = {.left = left};
			struct cairn_opts opts = {.size = sizeof opts,
			                          .realloc = miserly,
			                          .alloc_user = &miser};
			struct cairn *cairn = cairn_new(&opts);
			struct io_source *source;
			struct cairn_sink *sink;
			assert_non_null(cairn);
			if (io_open_memory(cairn, b.data, b.len, &source) >= 0) {
				int64_t got;
				while ((got = io_read(source, buf, sizeof buf)) > 0)
					;
				assert_true(got == 0 || got == CAIRN_E_NOMEM);
				io_close(source);
			}
			miser.left = left;
			if (io_sink_open(cairn, "/dev/null", codec, INT_MIN, 1, &sink) >= 0) {
				cairn_sink_write(sink, data, 100000);
				int rc = cairn_sink_finish(sink);
				assert_true(rc == 0 || rc == CAIRN_E_NOMEM);
			}
			cairn_free(cairn);
			assert_int_equal(miser.held, 0);
		}
		base_buf_free(&b);
	}
	free(data);
}

static void versions_are_told(void **state)
{
	(void)state;
	char text[32];
	snprintf(text, sizeof text, "%d.%d.%d", CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR,
	         CAIRN_VERSION_PATCH);
	assert_string_equal(cairn_version(), text);
	assert_string_equal(cairn_version(), CAIRN_VERSION_TEXT);
	assert_int_equal(CAIRN_VERSION,
	                 CAIRN_VERSION_MAJOR * 10000 + CAIRN_VERSION_MINOR * 100 + CAIRN_VERSION_PATCH);
	const char *const *f = cairn_features();
	assert_int_equal(strncmp(f[0], "zstd ", 5), 0);
	size_t n = 0;
	for (; f[n]; n++)
		assert_true(strchr(f[n], ' ') && strchr(f[n], '.') && !strchr(f[n], ','));
	assert_true(n >= 3);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_codec_round_trips),
		TEST(concatenated_streams_are_one_input),
		TEST(skippable_frames_are_skipped),
		TEST(nested_codecs_are_peeled),
		TEST(nesting_has_an_end),
		TEST(truncation_delivers_what_is_whole),
		TEST(flipped_bytes_are_survived),
		TEST(damage_says_where),
		TEST(what_follows_a_stream),
		TEST(too_large_a_window_is_refused),
		TEST(codecs_are_found_by_name_and_suffix),
		TEST(plain_memory),
		TEST(plain_files),
		TEST(compressed_files),
		TEST(names_that_cannot_be_opened),
		TEST(pipes),
		TEST(files_of_the_kernel),
		TEST(cancelling_ends_reading),
		TEST(seekable_zstd),
		TEST(untrue_seek_tables),
		TEST(sinks_write_files),
		TEST(an_aborted_sink_leaves_nothing),
		TEST(written_bytes_can_be_changed),
		TEST(a_full_disk_is_an_error),
		TEST(pipes_out),
		TEST(sinks_that_cannot_be),
		TEST(links_and_modes_are_kept),
		TEST(outputs_that_are_the_input),
		TEST(frame_decoders_are_reused),
		TEST(zstd_frames_without_a_size),
		TEST(damaged_frames_are_survived),
		TEST(lengths_of_zstd_frames),
		TEST(memory_may_run_out),
		TEST(versions_are_told),
	};
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, group_up, group_down);
}
