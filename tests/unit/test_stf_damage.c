/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STF under stress: cut short at every byte, every byte changed, containers with
 * a broken index, pipes, codecs around, jumps and threads. What is asked is
 * always the same: the instructions before the damage are exactly those of the
 * whole trace, those behind it keep their numbers where the container tells
 * them, and there is a sentence with a place.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../stf/tools.h"
#include "base/bytes.h"

static struct cairn *c;

static int setup(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

/* ---- material ---- */

/* RV32, so that the instruction set never changes: a jump cannot know it. */
static const struct head plain = {.iem = 1, .vlen = 128};

static struct bytes stream(struct head h, unsigned seed, unsigned groups)
{
	struct bytes b = {0};
	struct cairn_stf_config cfg = config_of(h);
	head(&b, h);
	random_groups(&b, &cfg, seed, groups);
	return b;
}

static struct bytes copy_of(const struct bytes *b)
{
	struct bytes out = {0};
	bytes_put(&out, b->p, b->n);
	return out;
}

/* Is `at` the end of a record? */
static bool at_a_record(const struct bytes *b, const struct cairn_stf_config *cfg, size_t at)
{
	size_t i = 0;
	while (i < at) {
		int64_t len = cairn_stf_record_length(cfg, b->p + i, b->n - i);
		assert_true(len > 0);
		i += (size_t)len;
	}
	return i == at;
}

static void assert_same(const struct notes *a, const struct notes *b, const char *what)
{
	const char *why = notes_differ(a, b);
	if (why)
		fail_msg("%s: %s", what, why);
	assert_int_equal(a->status, b->status);
}

static void assert_a_sentence(const char *text)
{
	assert_true(strlen(text) > 10);
	assert_null(strchr(text, '\n'));
}

static void assert_a_place(const char *text)
{
	assert_a_sentence(text);
	if (!strstr(text, "byte 0x") ||
	    (!strstr(text, "instruction ") && !strstr(text, "transaction ")))
		fail_msg("no place in '%s'", text);
}

static uint64_t count_of(const struct bytes *b, unsigned threads)
{
	struct cairn_reader *r;
	struct cairn_tally t;
	if (cairn_open_memory(c, b->p, b->n, NULL, &r) < 0)
		return UINT64_MAX;
	assert_int_equal(cairn_count(r, threads, &t), 0);
	cairn_close(r);
	return t.instructions;
}

static uint64_t records_of(const struct bytes *b)
{
	struct cairn_reader *r;
	struct cairn_record one;
	uint64_t n = 0;
	if (cairn_open_memory(c, b->p, b->n, NULL, &r) < 0)
		return UINT64_MAX;
	while (cairn_next_record(r, &one) > 0)
		n += one.type == CAIRN_STF_INST_32 || one.type == CAIRN_STF_INST_16;
	cairn_close(r);
	return n;
}

/* Every way to read must agree on what is there, damaged or not. Threads are slow to
 * start: they are asked every fourth time. */
static void all_ways_agree(const struct bytes *b, const struct notes *s)
{
	static unsigned calls;
	if (s->status < 0)
		return;
	assert_int_equal(count_of(b, 1), s->n_rows);
	assert_int_equal(records_of(b), s->n_rows);
	if (calls++ % 4)
		return;
	assert_int_equal(count_of(b, 3), s->n_rows);
	struct notes t = notes_run(c, b, s->what, 2);
	assert_same(s, &t, "two threads");
	assert_int_equal(s->damage, t.damage);
	notes_free(&t);
}

/* ---- a raw stream ---- */

static void check_prefix(const struct bytes *whole, const struct cairn_stf_config *cfg,
                         const struct notes *full, size_t n)
{
	struct bytes part = {.p = whole->p, .n = n};
	struct notes s = notes_of(c, &part, NOTE_ALL, NULL);
	size_t rows = 0;
	while (rows < full->n_rows && full->rows[rows].end <= n)
		rows++;
	if (s.status < 0) {
		assert_true(n < 13); /* IDENTIFIER and VERSION */
		assert_a_sentence(s.error);
		notes_free(&s);
		return;
	}
	assert_int_equal(s.n_rows, rows);
	for (size_t i = 0; i < rows; i++)
		assert_true(notes_same_row(full, i, &s, i));
	assert_int_equal(s.damage, !at_a_record(whole, cfg, n));
	if (s.damage) {
		assert_a_place(s.sentence);
		assert_non_null(strstr(s.sentence, "record "));
		assert_non_null(strstr(s.sentence, "the input ends inside"));
	}
	all_ways_agree(&part, &s);
	struct notes p = notes_pipe(c, &part, NOTE_ALL, 0);
	assert_same(&s, &p, "pipe");
	notes_free(&p);
	notes_free(&s);
}

static void every_prefix_gives_what_is_there(void **state)
{
	(void)state;
	struct head h = {.vlen = 96};
	struct cairn_stf_config cfg = config_of(h);
	struct bytes b = stream(h, 7, 25);
	struct notes full = notes_of(c, &b, NOTE_ALL, NULL);
	assert_int_equal(full.n_rows, 25);
	for (size_t n = 0; n <= b.n; n++)
		check_prefix(&b, &cfg, &full, n);
	notes_free(&full);
	bytes_free(&b);
}

static void check_change(struct bytes *b, const struct notes *full, size_t header, size_t at,
                         uint8_t to)
{
	uint8_t was = b->p[at];
	b->p[at] = to;
	struct notes s = notes_of(c, b, NOTE_ALL, NULL);
	if (s.status < 0) {
		assert_true(at < header);
		assert_a_sentence(s.error);
	}
	if (at >= header)
		for (size_t i = 0; i < full->n_rows && full->rows[i].end <= at; i++)
			assert_true(notes_same_row(full, i, &s, i));
	if (s.damage)
		assert_a_place(s.sentence);
	all_ways_agree(b, &s);
	notes_free(&s);
	b->p[at] = was;
}

static void every_changed_byte_leaves_what_is_before(void **state)
{
	(void)state;
	struct head h = {.vlen = 128};
	struct bytes b = stream(h, 3, 30), only = {0};
	head(&only, h);
	struct notes full = notes_of(c, &b, NOTE_ALL, NULL);
	for (size_t at = 0; at < b.n; at++) {
		static const uint8_t flips[] = {0xff, 0x01, 0x80, 0x2a};
		for (unsigned k = 0; k < 4; k++)
			check_change(&b, &full, only.n, at, b.p[at] ^ flips[k]);
	}
	notes_free(&full);
	bytes_free(&only);
	bytes_free(&b);
}

/* ---- containers ---- */

static void a_container_reads_as_its_stream(void **state)
{
	(void)state;
	static const uint64_t sizes[] = {1, 3, 5, 7, 60, 1000};
	struct bytes b = stream((struct head){.vlen = 512}, 11, 60);
	struct cairn_stf_config cfg = config_of((struct head){.vlen = 512});
	rec(&b, CAIRN_STF_COMMENT, "T", "behind the last instruction");
	struct notes full = notes_of(c, &b, NOTE_ALL, NULL);
	for (unsigned i = 0; i < 6; i++) {
		struct container z = zstf_of(&b, &cfg, sizes[i], false);
		struct notes s = notes_of(c, &z.bytes, NOTE_ALL, NULL);
		assert_same(&full, &s, "container");
		assert_int_equal(s.damage, 0);
		all_ways_agree(&z.bytes, &s);
		struct notes p = notes_pipe(c, &z.bytes, NOTE_ALL, 0);
		assert_same(&full, &p, "pipe");
		assert_int_equal(p.damage, 0);
		notes_free(&p);
		notes_free(&s);
		bytes_free(&z.bytes);
	}
	notes_free(&full);
	bytes_free(&b);
}

/* Rows 0 … n-1 are those of the whole trace. */
static void assert_begins(const struct notes *full, const struct notes *s, size_t n)
{
	assert_true(s->n_rows >= n);
	for (size_t i = 0; i < n; i++)
		if (!notes_same_row(full, i, s, i))
			fail_msg("row %zu differs: %s", i, notes_differ(full, s));
}

static void every_prefix_of_a_container_gives_its_chunks(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 5, 33);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, 5, false);
	struct notes full = notes_of(c, &z.bytes, NOTE_CONTEXT | NOTE_PLACES, NULL);
	assert_int_equal(full.n_rows, 33);
	for (size_t n = 0; n < z.bytes.n; n++) {
		struct bytes part = {.p = z.bytes.p, .n = n};
		struct notes s = notes_of(c, &part, full.what, NULL);
		size_t whole = 0;
		while (whole < z.chunks && z.frames[whole + 1] <= n)
			whole++;
		if (s.status < 0) {
			assert_int_equal(whole, 0);
			assert_a_sentence(s.error);
		} else {
			size_t rows = whole * 5 < 33 ? whole * 5 : 33;
			assert_begins(&full, &s, rows);
			assert_begins(&full, &s, s.n_rows);
			assert_true(s.damage > 0);
			assert_a_sentence(s.sentence);
			all_ways_agree(&part, &s);
			struct notes p = notes_pipe(c, &part, full.what, 0);
			assert_same(&s, &p, "pipe");
			notes_free(&p);
		}
		notes_free(&s);
	}
	notes_free(&full);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* What stands in the instruction's own line: the rest may tell of the gap. */
static size_t first_line(const struct notes *s, size_t i)
{
	const uint8_t *p = s->text.p + s->rows[i].at;
	return (size_t)((const uint8_t *)memchr(p, '\n', s->rows[i].len) - p);
}

static void assert_ends(const struct notes *full, const struct notes *s, size_t from)
{
	for (size_t i = from; i < full->n_rows; i++) {
		size_t k = 0;
		while (k < s->n_rows && s->rows[k].n != full->rows[i].n)
			k++;
		if (k == s->n_rows)
			fail_msg("instruction %zu is gone", i + 1);
		size_t n = first_line(full, i);
		if (i > from) {
			assert_true(notes_same_row(full, i, s, k));
		} else if (first_line(s, k) != n ||
		           memcmp(full->text.p + full->rows[i].at, s->text.p + s->rows[k].at, n) != 0) {
			fail_msg("instruction %zu: %.*s, not %.*s", i + 1, (int)first_line(s, k),
			         (const char *)s->text.p + s->rows[k].at, (int)n,
			         (const char *)full->text.p + full->rows[i].at);
		}
	}
}

enum { PER_CHUNK = 5 };

/* Number and PC of a row: what does not hang on the instruction set. */
static size_t before_target(const struct notes *s, size_t i)
{
	const uint8_t *p = s->text.p + s->rows[i].at;
	const uint8_t *t = memmem(p, s->rows[i].len, " target", 7);
	assert_non_null(t);
	return (size_t)(t - p);
}

/* With the first chunk the header is lost, and the mode it told: RV64 is taken for it. */
static void assert_ends_without_header(const struct notes *full, const struct notes *s)
{
	size_t gone = full->n_rows - s->n_rows;
	if (gone > PER_CHUNK || !s->n_rows)
		fail_msg("%zu of %zu rows: %s", s->n_rows, full->n_rows, s->sentence);
	for (size_t i = 0; i < s->n_rows; i++) {
		size_t n = before_target(full, gone + i);
		if (before_target(s, i) != n ||
		    memcmp(full->text.p + full->rows[gone + i].at, s->text.p + s->rows[i].at, n) != 0)
			fail_msg("row %zu: %.*s", i, (int)before_target(s, i),
			         (const char *)s->text.p + s->rows[i].at);
	}
}

static bool header_lost(const struct notes *s)
{
	return s->damage && strstr(s->sentence, "the header is lost");
}

static void check_frame_change(struct container *z, const struct notes *full, size_t at, uint8_t to,
                               bool checksums)
{
	uint8_t was = z->bytes.p[at];
	z->bytes.p[at] = to;
	struct notes s = notes_of(c, &z->bytes, 0, NULL);
	size_t chunk = 0;
	while (z->frames[chunk + 1] <= at)
		chunk++;
	if (s.status < 0) {
		assert_int_equal(chunk, 0);
		assert_a_sentence(s.error);
	} else {
		assert_begins(full, &s, chunk * PER_CHUNK);
		if (s.damage)
			assert_a_sentence(s.sentence);
		if (header_lost(&s))
			assert_ends_without_header(full, &s);
		else if (checksums && s.damage && chunk > 0) /* what is left of a header may be wrong */
			assert_ends(full, &s, (chunk + 1) * PER_CHUNK);
		else if (checksums && !s.damage)
			assert_same(full, &s, "no damage");
		all_ways_agree(&z->bytes, &s);
	}
	notes_free(&s);
	z->bytes.p[at] = was;
}

static void check_every_frame_byte(bool checksums)
{
	struct bytes b = stream(plain, 9, 23);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, PER_CHUNK, checksums);
	struct notes full = notes_of(c, &z.bytes, 0, NULL);
	for (size_t at = z.frames[0]; at < z.frames[z.chunks]; at++) {
		check_frame_change(&z, &full, at, z.bytes.p[at] ^ 0xff, checksums);
		check_frame_change(&z, &full, at, z.bytes.p[at] ^ 0x10, checksums);
	}
	notes_free(&full);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

static void a_changed_byte_of_a_chunk_costs_that_chunk(void **state)
{
	(void)state;
	check_every_frame_byte(true);
}

static void a_changed_byte_that_nothing_guards_crashes_nothing(void **state)
{
	(void)state;
	check_every_frame_byte(false);
}

/* A frame cut out, or overwritten: the container still tells the numbers. */
static void chunks_after_a_lost_one_keep_their_numbers(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 21, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, PER_CHUNK, false);
	struct notes full = notes_of(c, &z.bytes, 0, NULL);
	for (size_t lost = 0; lost < z.chunks; lost++) {
		struct bytes d = copy_of(&z.bytes);
		memset(d.p + z.frames[lost], 0, z.frames[lost + 1] - z.frames[lost]);
		struct notes s = notes_of(c, &d, 0, NULL);
		assert_int_equal(s.status, 0);
		assert_int_equal(s.damage, lost ? 1 : 2); /* the header is lost with the first */
		assert_int_equal(s.n_rows,
		                 full.n_rows - (lost + 1 < z.chunks || full.n_rows % PER_CHUNK == 0
		                                    ? PER_CHUNK
		                                    : full.n_rows % PER_CHUNK));
		char place[48];
		snprintf(place, sizeof place, lost ? "chunk %zu: byte " : "lost with chunk %zu", lost);
		assert_non_null(strstr(s.sentence, place));
		assert_begins(&full, &s, lost * PER_CHUNK);
		if (lost)
			assert_ends(&full, &s, (lost + 1) * PER_CHUNK);
		else
			assert_ends_without_header(&full, &s);
		all_ways_agree(&d, &s);
		struct notes p = notes_pipe(c, &d, 0, 0); /* it knows the numbers, but not the PCs */
		assert_int_equal(p.damage, s.damage);
		assert_int_equal(p.n_rows, s.n_rows);
		for (size_t i = 0; i < p.n_rows; i++)
			assert_int_equal(p.rows[i].n, s.rows[i].n);
		notes_free(&p);
		notes_free(&s);
		bytes_free(&d);
	}
	notes_free(&full);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* ---- the index ---- */

static void check_index(const struct container *z, const struct notes *full, size_t at, unsigned n,
                        uint64_t value, bool reported)
{
	struct bytes d = copy_of(&z->bytes);
	base_put_le(d.p + at, n, value);
	struct notes s = notes_of(c, &d, full->what, NULL);
	if (notes_differ(full, &s))
		fail_msg("byte %zu set to 0x%llx: %s", at, (unsigned long long)value,
		         s.status < 0 ? s.error : notes_differ(full, &s));
	if (reported != (s.damage > 0))
		fail_msg("byte %zu set to 0x%llx: %s", at, (unsigned long long)value,
		         s.damage ? s.sentence : "nothing said");
	all_ways_agree(&d, &s);
	notes_free(&s);
	bytes_free(&d);
}

static void the_index_is_not_needed(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 13, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, PER_CHUNK, false);
	struct notes full = notes_of(c, &z.bytes, NOTE_ALL, NULL);
	static const uint64_t counts[] = {0, 1, 7, 9, 1000, UINT64_MAX, UINT64_C(1) << 60};
	size_t index = z.frames[z.chunks];
	assert_int_equal(z.chunks, 8);
	for (unsigned i = 0; i < 7; i++)
		check_index(&z, &full, index, 8, counts[i], true);
	for (unsigned i = 0; i < 7; i++) {
		check_index(&z, &full, 12, 8, counts[i], true);                       /* where it is */
		check_index(&z, &full, index + 8 + 24 * 3, 8, counts[i], true);       /* an offset */
		check_index(&z, &full, index + 8 + 24 * 3 + 8, 8, counts[i], true);   /* a PC */
		check_index(&z, &full, index + 8 + 24 * 3 + 16, 8, counts[i], false); /* a size */
	}
	check_index(&z, &full, index + 8 + 24 * 3, 8, z.frames[3] + 1, true);
	check_index(&z, &full, index + 8 + 24 * 3, 8, z.frames[3] - 1, true);
	check_index(&z, &full, index + 8, 8, 21, true);
	check_index(&z, &full, 4, 8, 6, true); /* the chunk size: the records decide */
	check_index(&z, &full, 4, 8, 1, true);
	for (size_t i = 1; i + 1 < z.chunks; i++) /* points to a frame, but not to its own */
		check_index(&z, &full, index + 8 + 24 * i, 8, z.frames[i + 1], true);
	notes_free(&full);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

static void a_chunk_size_of_zero_is_refused(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 13, 10);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, PER_CHUNK, false);
	memset(z.bytes.p + 4, 0, 8);
	struct notes s = notes_of(c, &z.bytes, NOTE_ALL, NULL);
	assert_int_equal(s.status, CAIRN_E_DAMAGED);
	assert_non_null(strstr(s.error, "byte 0x4"));
	notes_free(&s);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* Each unit is a frame's head inside a raw block of the frame before: every one of the
 * third of a million frames leads through all the others and does not end. */
static void frames_within_frames_take_no_square_of_time(void **state)
{
	(void)state;
	static const uint8_t unit[9] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 6 << 3, 0, 0};
	struct bytes b = stream(plain, 14, 10);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, PER_CHUNK, false);
	struct notes before = notes_of(c, &b, NOTE_ALL, NULL);
	z.bytes.n = z.frames[z.chunks];
	memset(z.bytes.p + 12, 0, 8);
	for (size_t i = 0; i < 3000000; i += sizeof unit)
		bytes_put(&z.bytes, unit, sizeof unit);
	clock_t start = clock();
	struct notes s = notes_of(c, &z.bytes, NOTE_ALL, NULL);
	assert_in_range((clock() - start) / CLOCKS_PER_SEC, 0, 20);
	assert_begins(&before, &s, before.n_rows - 1);
	notes_free(&s);
	notes_free(&before);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

static void every_changed_byte_of_head_and_index_is_survived(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 17, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, PER_CHUNK, false);
	struct notes full = notes_of(c, &z.bytes, NOTE_ALL, NULL);
	for (size_t at = 4; at < z.bytes.n; at++) {
		if (at == 20)
			at = z.frames[z.chunks];
		z.bytes.p[at] ^= 0xff;
		struct notes s = notes_of(c, &z.bytes, NOTE_ALL, NULL);
		assert_same(&full, &s, "index");
		all_ways_agree(&z.bytes, &s);
		struct notes p = notes_pipe(c, &z.bytes, NOTE_ALL, (unsigned)(at % 3));
		assert_same(&full, &p, "pipe");
		notes_free(&p);
		notes_free(&s);
		z.bytes.p[at] ^= 0xff;
	}
	notes_free(&full);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* ---- codecs around ---- */

static void a_codec_around_changes_nothing(void **state)
{
	(void)state;
	static const char *const codecs[] = {"gzip", "xz", "zstd", "bzip2", "lz4"};
	struct bytes b = stream((struct head){.vlen = 128}, 31, 3000);
	struct cairn_stf_config cfg = config_of((struct head){.vlen = 128});
	struct container z = zstf_of(&b, &cfg, 100, false);
	struct notes full = notes_of(c, &b, NOTE_ALL, NULL);
	unsigned found = 0;
	for (unsigned i = 0; i < 10; i++) {
		struct bytes w = wrapped(c, i & 1 ? &z.bytes : &b, codecs[i / 2]);
		if (w.n == 0)
			continue;
		found++;
		struct notes s = notes_of(c, &w, NOTE_ALL, NULL);
		assert_same(&full, &s, codecs[i / 2]);
		assert_int_equal(s.damage, 0);
		for (unsigned threads = 0; threads <= 3; threads++) {
			struct notes p = notes_pipe(c, &w, NOTE_ALL, threads);
			assert_same(&full, &p, "pipe");
			notes_free(&p);
		}
		notes_free(&s);
		bytes_free(&w);
	}
	assert_true(found >= 6);
	notes_free(&full);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* A codec that breaks off: what came before is delivered, in every way of reading. */
static void a_truncated_codec_gives_what_came_before(void **state)
{
	(void)state;
	struct bytes b = stream((struct head){.vlen = 128}, 33, 2000);
	struct notes full = notes_of(c, &b, NOTE_CONTEXT, NULL);
	struct bytes w = wrapped(c, &b, "gzip");
	for (size_t n = w.n / 8; n < w.n; n += w.n / 8) {
		struct bytes part = {.p = w.p, .n = n};
		struct notes s = notes_of(c, &part, NOTE_CONTEXT, NULL);
		assert_int_equal(s.status, 0);
		assert_int_equal(s.damage, 1);
		assert_a_place(s.sentence);
		assert_true(s.n_rows > 0);
		assert_begins(&full, &s, s.n_rows);
		all_ways_agree(&part, &s);
		notes_free(&s);
	}
	notes_free(&full);
	bytes_free(&w);
	bytes_free(&b);
}

/* ---- seeking ---- */

static void check_seek(struct cairn_reader *r, const struct notes *full, uint64_t n)
{
	struct cairn_batch *b = cairn_batch_new(c);
	struct notes s = {0};
	if (cairn_seek(r, n) < 0)
		fail_msg("seek %llu: %s", (unsigned long long)n, cairn_error_text(c));
	assert_int_equal(cairn_next(r, b), 1);
	assert_true(b->n0 <= n);
	assert_true(b->n0 + b->n_insns > n);
	do
		notes_batch(&s, r, b);
	while (cairn_next(r, b) > 0);
	assert_int_equal(cairn_damage_count(r), 0);
	size_t skip_rows = (size_t)(n - s.rows[0].n);
	assert_int_equal(s.n_rows - skip_rows, full->n_rows - (n - 1));
	for (size_t i = n - 1; i < full->n_rows; i++)
		if (!notes_same_row(full, i, &s, skip_rows + i - (n - 1)))
			fail_msg("seek %llu: instruction %zu is another: %.300s", (unsigned long long)n, i + 1,
			         (const char *)s.text.p + s.rows[skip_rows + i - (n - 1)].at);
	notes_free(&s);
	cairn_batch_free(c, b);
}

static void every_instruction_can_be_sought(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 41, 60);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, 7, false);
	struct notes full = notes_of(c, &z.bytes, 0, NULL);
	struct cairn_reader *r, *raw;
	assert_int_equal(cairn_open_memory(c, z.bytes.p, z.bytes.n, NULL, &r), 0);
	assert_int_equal(cairn_open_memory(c, b.p, b.n, NULL, &raw), 0);
	for (uint64_t n = 1; n <= 60; n++) {
		check_seek(r, &full, n);
		check_seek(raw, &full, n);
	}
	for (uint64_t n = 60; n > 0; n -= 3)
		check_seek(r, &full, n);
	assert_int_equal(cairn_seek(r, 0), CAIRN_E_INVAL);
	assert_int_equal(cairn_seek(r, 64), CAIRN_E_NOTFOUND);
	cairn_close(raw);
	cairn_close(r);
	notes_free(&full);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* Run from a position: as far as the last one asked for, on every number of threads. */
static void what_a_jump_does_not_know_it_says(void **state)
{
	(void)state;
	struct bytes b = {0};
	struct cairn_stf_config cfg = config_of(plain);
	struct cairn_reader *r;
	struct cairn_batch *batch = cairn_batch_new(c);
	head(&b, plain);
	rec(&b, CAIRN_STF_PROCESS_ID_EXT, "www", 1u, 2u, 3u);
	event64(&b, UINT64_C(1) << 62, 1, 3);
	for (unsigned i = 0; i < 20; i++)
		insn32(&b, NOP);
	struct container z = zstf_of(&b, &cfg, 5, false);
	assert_int_equal(cairn_open_memory(c, z.bytes.p, z.bytes.n, NULL, &r), 0);
	assert_int_equal(cairn_seek(r, 12), 0);
	assert_int_equal(cairn_next(r, batch), 1);
	assert_int_equal(batch->n0, 11);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].known, 0);
	assert_false(batch->have & CAIRN_PLACES);
	assert_int_equal(cairn_seek(r, 1), 0);
	assert_int_equal(cairn_next(r, batch), 1);
	assert_int_equal(batch->ctxs[batch->insns[4].ctx].pid, 2);
	assert_true(batch->have & CAIRN_PLACES);
	cairn_close(r);
	cairn_batch_free(c, batch);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* ---- threads ---- */

static struct cairn_tally tally_of(const struct bytes *b, unsigned threads)
{
	struct cairn_reader *r;
	struct cairn_tally t;
	assert_int_equal(cairn_open_memory(c, b->p, b->n, NULL, &r), 0);
	assert_int_equal(cairn_count(r, threads, &t), 0);
	cairn_close(r);
	return t;
}

/* The same sums from the instructions. */
static struct cairn_tally tally_by_batches(const struct bytes *b)
{
	struct cairn_reader *r;
	struct cairn_tally t = {0};
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_open_memory(c, b->p, b->n, NULL, &r), 0);
	while (cairn_next(r, batch) > 0)
		cairn_tally_batch(&t, batch, NULL);
	cairn_tally_end(&t);
	cairn_close(r);
	cairn_batch_free(c, batch);
	return t;
}

static void assert_tallies(const struct cairn_tally *a, const struct cairn_tally *b)
{
	assert_int_equal(a->instructions, b->instructions);
	assert_int_equal(a->executed, b->executed);
	assert_int_equal(a->loads, b->loads);
	assert_int_equal(a->stores, b->stores);
	assert_int_equal(a->class_loads, b->class_loads);
	assert_int_equal(a->class_stores, b->class_stores);
	assert_int_equal(a->branches, b->branches);
	assert_int_equal(a->branches_taken, b->branches_taken);
}

static void check_threads(const struct bytes *b, const struct notes *full)
{
	struct cairn_tally by_batches = tally_by_batches(b), one = tally_of(b, 1);
	assert_tallies(&by_batches, &one);
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct notes s = notes_run(c, b, NOTE_ALL, threads);
		assert_same(full, &s, "threads");
		notes_free(&s);
		struct notes p = notes_pipe(c, b, NOTE_ALL, threads);
		assert_same(full, &p, "pipe and threads");
		notes_free(&p);
		struct cairn_tally t = tally_of(b, threads);
		assert_tallies(&one, &t);
		assert_int_equal(one.records, t.records);
		assert_int_equal(one.events, t.events);
		assert_int_equal(one.contexts, t.contexts);
		assert_memory_equal(one.by_record, t.by_record, sizeof t.by_record);
	}
}

static void threads_change_nothing(void **state)
{
	(void)state;
	static const uint32_t ids[] = {3, 2, 1};
	for (unsigned seed = 1; seed <= 2; seed++) {
		struct head h = {.vlen = 128, .ids = ids, .narrow = seed & 1};
		struct cairn_stf_config cfg = config_of(h);
		struct bytes b = stream(h, seed, 40000);
		rec(&b, CAIRN_STF_COMMENT, "T", "behind the last instruction");
		struct notes full = notes_of(c, &b, NOTE_ALL, NULL);
		assert_int_equal(full.n_rows, 40000);
		check_threads(&b, &full);
		struct container z = zstf_of(&b, &cfg, 199, false);
		check_threads(&z.bytes, &full);
		bytes_free(&z.bytes);
		notes_free(&full);
		bytes_free(&b);
	}
}

/* ---- records on threads ---- */

static int line_begin(void *user, void **partial)
{
	(void)user;
	*partial = calloc(1, sizeof(struct bytes));
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int line_feed(void *user, void *partial, const struct cairn_record *one)
{
	(void)user;
	bytes_printf(partial, "%llu at %llu of %llu: %s, %u bytes, %u fields\n",
	             (unsigned long long)one->number, (unsigned long long)one->offset,
	             (unsigned long long)one->insn, one->name, one->size, one->n_fields);
	return 0;
}

static int line_fold(void *user, void *partial)
{
	const struct bytes *part = partial;
	bytes_put(user, part->p, part->n);
	bytes_free(partial);
	free(partial);
	return 0;
}

static void line_drop(void *user, void *partial)
{
	(void)user;
	bytes_free(partial);
	free(partial);
}

static struct bytes lines_run(const struct bytes *b, unsigned threads)
{
	struct bytes out = {0};
	struct cairn_reader *r;
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = line_begin,
	                            .feed_record = line_feed,
	                            .fold = line_fold,
	                            .drop = line_drop};
	assert_int_equal(cairn_open_memory(c, b->p, b->n, NULL, &r), 0);
	assert_int_equal(cairn_run(r, &red, &out, UINT64_MAX, threads), 0);
	cairn_close(r);
	return out;
}

static struct bytes lines_in_order(const struct bytes *b)
{
	struct bytes out = {0};
	struct cairn_reader *r;
	struct cairn_record one;
	assert_int_equal(cairn_open_memory(c, b->p, b->n, NULL, &r), 0);
	while (cairn_next_record(r, &one) > 0)
		line_feed(NULL, &out, &one);
	cairn_close(r);
	return out;
}

static void check_lines(const struct bytes *b)
{
	struct bytes one = lines_in_order(b);
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct bytes s = lines_run(b, threads);
		assert_int_equal(s.n, one.n);
		assert_memory_equal(s.p, one.p, s.n);
		bytes_free(&s);
	}
	bytes_free(&one);
}

static void records_are_the_same_on_threads(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 51, 30000);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, 300, false);
	check_lines(&b);
	check_lines(&z.bytes);
	memset(z.bytes.p + z.frames[40], 0xff, 200);
	check_lines(&z.bytes);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* ---- chunks larger than what is held at once ---- */

enum { BIG_COMMENT = 300000, BIG_GROUPS = 130 };

static struct bytes big_stream(void)
{
	struct bytes b = {0};
	char *text = malloc(BIG_COMMENT + 1);
	assert_non_null(text);
	head(&b, plain);
	for (unsigned i = 0; i < BIG_GROUPS; i++) {
		memset(text, 'a' + (int)(i % 26), BIG_COMMENT);
		text[BIG_COMMENT - i] = 0; /* so that pieces end everywhere */
		rec(&b, CAIRN_STF_COMMENT, "T", text);
		rec(&b, CAIRN_STF_INST_PC_TARGET, "q", (uint64_t)i * 64);
		insn32(&b, NOP);
		insn16(&b, C_NOP);
	}
	free(text);
	return b;
}

/* PCs and places of all instructions. */
static struct bytes places_of(const struct bytes *b, uint64_t *damage)
{
	struct bytes out = {0};
	struct cairn_reader *r;
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_open_memory(c, b->p, b->n, NULL, &r), 0);
	while (cairn_next(r, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			bytes_printf(&out, "%llu %llx %llu %llu %u\n", (unsigned long long)batch->n0 + i,
			             (unsigned long long)batch->insns[i].pc,
			             (unsigned long long)batch->rec0 + batch->insns[i].rec,
			             (unsigned long long)batch->off0 + batch->insns[i].off,
			             batch->insns[i + 1].ev0 - batch->insns[i].ev0);
	*damage = cairn_damage_count(r);
	cairn_close(r);
	cairn_batch_free(c, batch);
	return out;
}

static void a_huge_chunk_is_read_in_pieces(void **state)
{
	(void)state;
	struct bytes b = big_stream();
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, 250, true); /* the second chunk is small */
	uint64_t damage;
	struct bytes raw = places_of(&b, &damage), packed = places_of(&z.bytes, &damage);
	assert_int_equal(damage, 0);
	assert_int_equal(z.chunks, 2);
	assert_int_equal(raw.n, packed.n);
	assert_memory_equal(raw.p, packed.p, raw.n);
	check_lines(&b);
	check_lines(&z.bytes);
	for (unsigned threads = 1; threads <= 2; threads++)
		assert_int_equal(count_of(&z.bytes, threads), 2 * BIG_GROUPS);
	/* broken in the middle: the pieces before, and the chunk behind */
	memset(z.bytes.p + (z.frames[0] + z.frames[1]) * 3 / 4, 0xff, 64);
	struct bytes part = places_of(&z.bytes, &damage);
	assert_true(damage >= 1);
	size_t n = 0;
	while (n < part.n && part.p[n] == raw.p[n])
		n++;
	assert_true(n > raw.n / 4);
	assert_non_null(memmem(part.p, part.n, "\n251 ", 5));
	check_lines(&z.bytes);
	bytes_free(&part);
	bytes_free(&raw);
	bytes_free(&packed);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

/* ---- strictly ---- */

static void strictly_the_first_damage_ends_it(void **state)
{
	(void)state;
	struct bytes b = stream(plain, 61, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container z = zstf_of(&b, &cfg, PER_CHUNK, false);
	struct cairn_open_opts opts = {.size = sizeof opts, .strict = 1};
	struct cairn_reader *r;
	memset(z.bytes.p + z.frames[3], 0, 8);
	assert_int_equal(cairn_open_memory(c, z.bytes.p, z.bytes.n, &opts, &r), 0);
	struct notes s = notes_reader(c, r, 0);
	assert_int_equal(s.status, CAIRN_E_DAMAGED);
	assert_non_null(strstr(s.error, "chunk 3: byte 0x"));
	assert_int_equal(s.n_rows, 3 * PER_CHUNK);
	notes_free(&s);
	cairn_close(r);
	bytes_free(&z.bytes);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix_gives_what_is_there),
		cmocka_unit_test(every_changed_byte_leaves_what_is_before),
		cmocka_unit_test(a_container_reads_as_its_stream),
		cmocka_unit_test(every_prefix_of_a_container_gives_its_chunks),
		cmocka_unit_test(a_changed_byte_of_a_chunk_costs_that_chunk),
		cmocka_unit_test(a_changed_byte_that_nothing_guards_crashes_nothing),
		cmocka_unit_test(chunks_after_a_lost_one_keep_their_numbers),
		cmocka_unit_test(the_index_is_not_needed),
		cmocka_unit_test(a_chunk_size_of_zero_is_refused),
		cmocka_unit_test(frames_within_frames_take_no_square_of_time),
		cmocka_unit_test(every_changed_byte_of_head_and_index_is_survived),
		cmocka_unit_test(a_codec_around_changes_nothing),
		cmocka_unit_test(a_truncated_codec_gives_what_came_before),
		cmocka_unit_test(every_instruction_can_be_sought),
		cmocka_unit_test(what_a_jump_does_not_know_it_says),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(records_are_the_same_on_threads),
		cmocka_unit_test(a_huge_chunk_is_read_in_pieces),
		cmocka_unit_test(strictly_the_first_damage_ends_it),
	};
	return cmocka_run_group_tests_name("stf_damage", tests, setup, teardown);
}
