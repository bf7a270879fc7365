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
	struct bytes bytes = {0};
	struct cairn_stf_config cfg = config_of(h);
	head(&bytes, h);
	random_groups(&bytes, &cfg, seed, groups);
	return bytes;
}

static struct bytes copy_of(const struct bytes *bytes)
{
	struct bytes out = {0};
	bytes_put(&out, bytes->p, bytes->n);
	return out;
}

/* Is `at` the end of a record? */
static bool at_a_record(const struct bytes *bytes, const struct cairn_stf_config *cfg, size_t at)
{
	size_t i = 0;
	while (i < at) {
		int64_t len = cairn_stf_record_length(cfg, bytes->p + i, bytes->n - i);
		assert_true(len > 0);
		i += (size_t)len;
	}
	return i == at;
}

static void assert_same(const struct notes *left, const struct notes *right, const char *what)
{
	const char *why = notes_differ(left, right);
	if (why)
		fail_msg("%s: %s", what, why);
	assert_int_equal(left->status, right->status);
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

static uint64_t count_of(const struct bytes *bytes, unsigned threads)
{
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	if (cairn_open_memory(c, bytes->p, bytes->n, NULL, &reader) < 0)
		return UINT64_MAX;
	assert_int_equal(cairn_count(reader, threads, &tally), 0);
	cairn_close(reader);
	return tally.instructions;
}

static uint64_t records_of(const struct bytes *bytes)
{
	struct cairn_reader *reader;
	struct cairn_record one;
	uint64_t n = 0;
	if (cairn_open_memory(c, bytes->p, bytes->n, NULL, &reader) < 0)
		return UINT64_MAX;
	while (cairn_next_record(reader, &one) > 0)
		n += one.type == CAIRN_STF_INST_32 || one.type == CAIRN_STF_INST_16;
	cairn_close(reader);
	return n;
}

/* Every way to read must agree on what is there, damaged or not. Threads are slow to
 * start: they are asked every fourth time. */
static void all_ways_agree(const struct bytes *bytes, const struct notes *notes)
{
	static unsigned calls;
	if (notes->status < 0)
		return;
	assert_int_equal(count_of(bytes, 1), notes->n_rows);
	assert_int_equal(records_of(bytes), notes->n_rows);
	if (calls++ % 4)
		return;
	assert_int_equal(count_of(bytes, 3), notes->n_rows);
	struct notes t = notes_run(c, bytes, notes->what, 2);
	assert_same(notes, &t, "two threads");
	assert_int_equal(notes->damage, t.damage);
	notes_free(&t);
}

/* ---- a raw stream ---- */

static void check_prefix(const struct bytes *whole, const struct cairn_stf_config *cfg,
                         const struct notes *full, size_t header, size_t n)
{
	bool cut = !at_a_record(whole, cfg, n);
	struct bytes part = {.p = whole->p, .n = n};
	struct notes notes = notes_of(c, &part, NOTE_ALL, NULL);
	size_t rows = 0;
	while (rows < full->n_rows && full->rows[rows].end <= n)
		rows++;
	if (notes.status < 0) {
		assert_true(n < 13); /* IDENTIFIER and VERSION */
		assert_a_sentence(notes.error);
		notes_free(&notes);
		return;
	}
	assert_int_equal(notes.n_rows, rows);
	for (size_t i = 0; i < rows; i++)
		assert_true(notes_same_row(full, i, &notes, i));
	assert_int_equal(notes.damage, cut || n < header);
	if (notes.damage) {
		if (cut)
			assert_a_place(notes.sentence);
		assert_non_null(strstr(notes.sentence, "record "));
		assert_non_null(
			strstr(notes.sentence, cut ? "the input ends inside" : "the header breaks off"));
	}
	all_ways_agree(&part, &notes);
	struct notes p = notes_pipe(c, &part, NOTE_ALL, 0);
	assert_same(&notes, &p, "pipe");
	notes_free(&p);
	notes_free(&notes);
}

static void every_prefix_gives_what_is_there(void **state)
{
	(void)state;
	struct head h = {.vlen = 96};
	struct cairn_stf_config cfg = config_of(h);
	struct bytes bytes = stream(h, 7, 25), only = {0};
	head(&only, h);
	struct notes full = notes_of(c, &bytes, NOTE_ALL, NULL);
	assert_int_equal(full.n_rows, 25);
	for (size_t n = 0; n <= bytes.n; n++)
		check_prefix(&bytes, &cfg, &full, only.n, n);
	notes_free(&full);
	bytes_free(&only);
	bytes_free(&bytes);
}

static void check_change(struct bytes *bytes, const struct notes *full, size_t header, size_t at,
                         uint8_t to)
{
	uint8_t was = bytes->p[at];
	bytes->p[at] = to;
	struct notes notes = notes_of(c, bytes, NOTE_ALL, NULL);
	if (notes.status < 0) {
		assert_true(at < header);
		assert_a_sentence(notes.error);
	}
	if (at >= header)
		for (size_t i = 0; i < full->n_rows && full->rows[i].end <= at; i++)
			assert_true(notes_same_row(full, i, &notes, i));
	if (notes.damage)
		assert_a_place(notes.sentence);
	all_ways_agree(bytes, &notes);
	notes_free(&notes);
	bytes->p[at] = was;
}

static void every_changed_byte_leaves_what_is_before(void **state)
{
	(void)state;
	struct head h = {.vlen = 128};
	struct bytes bytes = stream(h, 3, 30), only = {0};
	head(&only, h);
	struct notes full = notes_of(c, &bytes, NOTE_ALL, NULL);
	for (size_t at = 0; at < bytes.n; at++) {
		static const uint8_t flips[] = {0xff, 0x01, 0x80, 0x2a};
		for (unsigned k = 0; k < 4; k++)
			check_change(&bytes, &full, only.n, at, bytes.p[at] ^ flips[k]);
	}
	notes_free(&full);
	bytes_free(&only);
	bytes_free(&bytes);
}

/* ---- containers ---- */

static void a_container_reads_as_its_stream(void **state)
{
	(void)state;
	static const uint64_t sizes[] = {1, 3, 5, 7, 60, 1000};
	struct bytes bytes = stream((struct head){.vlen = 512}, 11, 60);
	struct cairn_stf_config cfg = config_of((struct head){.vlen = 512});
	rec(&bytes, CAIRN_STF_COMMENT, "T", "behind the last instruction");
	struct notes full = notes_of(c, &bytes, NOTE_ALL, NULL);
	for (unsigned i = 0; i < 6; i++) {
		struct container container = zstf_of(&bytes, &cfg, sizes[i], false);
		struct notes notes = notes_of(c, &container.bytes, NOTE_ALL, NULL);
		assert_same(&full, &notes, "container");
		assert_int_equal(notes.damage, 0);
		all_ways_agree(&container.bytes, &notes);
		struct notes p = notes_pipe(c, &container.bytes, NOTE_ALL, 0);
		assert_same(&full, &p, "pipe");
		assert_int_equal(p.damage, 0);
		notes_free(&p);
		notes_free(&notes);
		bytes_free(&container.bytes);
	}
	notes_free(&full);
	bytes_free(&bytes);
}

/* Rows 0 … n-1 are those of the whole trace. */
static void assert_begins(const struct notes *full, const struct notes *notes, size_t n)
{
	assert_true(notes->n_rows >= n);
	for (size_t i = 0; i < n; i++)
		if (!notes_same_row(full, i, notes, i))
			fail_msg("row %zu differs: %s", i, notes_differ(full, notes));
}

static void every_prefix_of_a_container_gives_its_chunks(void **state)
{
	(void)state;
	struct bytes bytes = stream(plain, 5, 33);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, 5, false);
	struct notes full = notes_of(c, &container.bytes, NOTE_CONTEXT | NOTE_PLACES, NULL);
	assert_int_equal(full.n_rows, 33);
	for (size_t n = 0; n < container.bytes.n; n++) {
		struct bytes part = {.p = container.bytes.p, .n = n};
		struct notes notes = notes_of(c, &part, full.what, NULL);
		size_t whole = 0;
		while (whole < container.chunks && container.frames[whole + 1] <= n)
			whole++;
		if (notes.status < 0) {
			assert_int_equal(whole, 0);
			assert_a_sentence(notes.error);
		} else {
			size_t rows = whole * 5 < 33 ? whole * 5 : 33;
			assert_begins(&full, &notes, rows);
			assert_begins(&full, &notes, notes.n_rows);
			assert_true(notes.damage > 0);
			assert_a_sentence(notes.sentence);
			all_ways_agree(&part, &notes);
			struct notes p = notes_pipe(c, &part, full.what, 0);
			assert_same(&notes, &p, "pipe");
			notes_free(&p);
		}
		notes_free(&notes);
	}
	notes_free(&full);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* What stands in the instruction's own line: the rest may tell of the gap. */
static size_t first_line(const struct notes *notes, size_t index)
{
	const uint8_t *p = notes->text.p + notes->rows[index].at;
	return (size_t)((const uint8_t *)memchr(p, '\n', notes->rows[index].len) - p);
}

static void assert_ends(const struct notes *full, const struct notes *notes, size_t from)
{
	for (size_t i = from; i < full->n_rows; i++) {
		size_t k = 0;
		while (k < notes->n_rows && notes->rows[k].n != full->rows[i].n)
			k++;
		if (k == notes->n_rows)
			fail_msg("instruction %zu is gone", i + 1);
		size_t n = first_line(full, i);
		if (i > from) {
			assert_true(notes_same_row(full, i, notes, k));
		} else if (first_line(notes, k) != n || memcmp(full->text.p + full->rows[i].at,
		                                               notes->text.p + notes->rows[k].at, n) != 0) {
			fail_msg("instruction %zu: %.*s, not %.*s", i + 1, (int)first_line(notes, k),
			         (const char *)notes->text.p + notes->rows[k].at, (int)n,
			         (const char *)full->text.p + full->rows[i].at);
		}
	}
}

enum { PER_CHUNK = 5 };

/* Number and PC of a row: what does not hang on the instruction set. */
static size_t before_target(const struct notes *notes, size_t index)
{
	const uint8_t *p = notes->text.p + notes->rows[index].at;
	const uint8_t *t = memmem(p, notes->rows[index].len, " target", 7);
	assert_non_null(t);
	return (size_t)(t - p);
}

/* With the first chunk the header is lost, and the mode it told: RV64 is taken for it. */
static void assert_ends_without_header(const struct notes *full, const struct notes *notes)
{
	size_t gone = full->n_rows - notes->n_rows;
	if (gone > PER_CHUNK || !notes->n_rows)
		fail_msg("%zu of %zu rows: %s", notes->n_rows, full->n_rows, notes->sentence);
	for (size_t i = 0; i < notes->n_rows; i++) {
		size_t n = before_target(full, gone + i);
		if (before_target(notes, i) != n || memcmp(full->text.p + full->rows[gone + i].at,
		                                           notes->text.p + notes->rows[i].at, n) != 0)
			fail_msg("row %zu: %.*s", i, (int)before_target(notes, i),
			         (const char *)notes->text.p + notes->rows[i].at);
	}
}

static bool header_lost(const struct notes *notes)
{
	return notes->damage && strstr(notes->sentence, "the header is lost");
}

static void check_frame_change(struct container *container, const struct notes *full, size_t at,
                               uint8_t to, bool checksums)
{
	uint8_t was = container->bytes.p[at];
	container->bytes.p[at] = to;
	struct notes notes = notes_of(c, &container->bytes, 0, NULL);
	size_t chunk = 0;
	while (container->frames[chunk + 1] <= at)
		chunk++;
	if (notes.status < 0) {
		assert_int_equal(chunk, 0);
		assert_a_sentence(notes.error);
	} else {
		assert_begins(full, &notes, chunk * PER_CHUNK);
		if (notes.damage)
			assert_a_sentence(notes.sentence);
		if (header_lost(&notes))
			assert_ends_without_header(full, &notes);
		else if (checksums && notes.damage && chunk > 0) /* what is left of a header may be wrong */
			assert_ends(full, &notes, (chunk + 1) * PER_CHUNK);
		else if (checksums && !notes.damage)
			assert_same(full, &notes, "no damage");
		all_ways_agree(&container->bytes, &notes);
	}
	notes_free(&notes);
	container->bytes.p[at] = was;
}

static void check_every_frame_byte(bool checksums)
{
	struct bytes bytes = stream(plain, 9, 23);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, PER_CHUNK, checksums);
	struct notes full = notes_of(c, &container.bytes, 0, NULL);
	for (size_t at = container.frames[0]; at < container.frames[container.chunks]; at++) {
		check_frame_change(&container, &full, at, container.bytes.p[at] ^ 0xff, checksums);
		check_frame_change(&container, &full, at, container.bytes.p[at] ^ 0x10, checksums);
	}
	notes_free(&full);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
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
	struct bytes bytes = stream(plain, 21, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, PER_CHUNK, false);
	struct notes full = notes_of(c, &container.bytes, 0, NULL);
	for (size_t lost = 0; lost < container.chunks; lost++) {
		struct bytes d = copy_of(&container.bytes);
		memset(d.p + container.frames[lost], 0,
		       container.frames[lost + 1] - container.frames[lost]);
		struct notes notes = notes_of(c, &d, 0, NULL);
		assert_int_equal(notes.status, 0);
		assert_int_equal(notes.damage, lost ? 1 : 2); /* the header is lost with the first */
		assert_int_equal(notes.n_rows,
		                 full.n_rows - (lost + 1 < container.chunks || full.n_rows % PER_CHUNK == 0
		                                    ? PER_CHUNK
		                                    : full.n_rows % PER_CHUNK));
		char place[48];
		snprintf(place, sizeof place, lost ? "chunk %zu: byte " : "lost with chunk %zu", lost);
		assert_non_null(strstr(notes.sentence, place));
		assert_begins(&full, &notes, lost * PER_CHUNK);
		if (lost)
			assert_ends(&full, &notes, (lost + 1) * PER_CHUNK);
		else
			assert_ends_without_header(&full, &notes);
		all_ways_agree(&d, &notes);
		struct notes p = notes_pipe(c, &d, 0, 0); /* it knows the numbers, but not the PCs */
		assert_int_equal(p.damage, notes.damage);
		assert_int_equal(p.n_rows, notes.n_rows);
		for (size_t i = 0; i < p.n_rows; i++)
			assert_int_equal(p.rows[i].n, notes.rows[i].n);
		notes_free(&p);
		notes_free(&notes);
		bytes_free(&d);
	}
	notes_free(&full);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* ---- the index ---- */

static void check_index(const struct container *container, const struct notes *full, size_t at,
                        unsigned n, uint64_t value, bool reported)
{
	struct bytes bytes = copy_of(&container->bytes);
	base_put_le(bytes.p + at, n, value);
	struct notes notes = notes_of(c, &bytes, full->what, NULL);
	if (notes_differ(full, &notes))
		fail_msg("byte %zu set to 0x%llx: %s", at, (unsigned long long)value,
		         notes.status < 0 ? notes.error : notes_differ(full, &notes));
	if (reported != (notes.damage > 0))
		fail_msg("byte %zu set to 0x%llx: %s", at, (unsigned long long)value,
		         notes.damage ? notes.sentence : "nothing said");
	all_ways_agree(&bytes, &notes);
	notes_free(&notes);
	bytes_free(&bytes);
}

static void the_index_is_not_needed(void **state)
{
	(void)state;
	struct bytes bytes = stream(plain, 13, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, PER_CHUNK, false);
	struct notes full = notes_of(c, &container.bytes, NOTE_ALL, NULL);
	static const uint64_t counts[] = {0, 1, 7, 9, 1000, UINT64_MAX, UINT64_C(1) << 60};
	size_t index = container.frames[container.chunks];
	assert_int_equal(container.chunks, 8);
	for (unsigned i = 0; i < 7; i++)
		check_index(&container, &full, index, 8, counts[i], true);
	for (unsigned i = 0; i < 7; i++) {
		check_index(&container, &full, 12, 8, counts[i], true);                 /* where it is */
		check_index(&container, &full, index + 8 + 24 * 3, 8, counts[i], true); /* an offset */
		check_index(&container, &full, index + 8 + 24 * 3 + 8, 8, counts[i], true);   /* a PC */
		check_index(&container, &full, index + 8 + 24 * 3 + 16, 8, counts[i], false); /* a size */
	}
	check_index(&container, &full, index + 8 + 24 * 3, 8, container.frames[3] + 1, true);
	check_index(&container, &full, index + 8 + 24 * 3, 8, container.frames[3] - 1, true);
	check_index(&container, &full, index + 8, 8, 21, true);
	check_index(&container, &full, 4, 8, 6, true); /* the chunk size: the records decide */
	check_index(&container, &full, 4, 8, 1, true);
	for (size_t i = 1; i + 1 < container.chunks; i++) /* points to a frame, but not to its own */
		check_index(&container, &full, index + 8 + 24 * i, 8, container.frames[i + 1], true);
	notes_free(&full);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

static void a_chunk_size_of_zero_is_refused(void **state)
{
	(void)state;
	struct bytes bytes = stream(plain, 13, 10);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, PER_CHUNK, false);
	memset(container.bytes.p + 4, 0, 8);
	struct notes notes = notes_of(c, &container.bytes, NOTE_ALL, NULL);
	assert_int_equal(notes.status, CAIRN_E_DAMAGED);
	assert_non_null(strstr(notes.error, "byte 0x4"));
	notes_free(&notes);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* Each unit is a frame's head inside a raw block of the frame before: every one of the
 * third of a million frames leads through all the others and does not end. */
static void frames_within_frames_take_no_square_of_time(void **state)
{
	(void)state;
	static const uint8_t unit[9] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 6 << 3, 0, 0};
	struct bytes bytes = stream(plain, 14, 10);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, PER_CHUNK, false);
	struct notes before = notes_of(c, &bytes, NOTE_ALL, NULL);
	container.bytes.n = container.frames[container.chunks];
	memset(container.bytes.p + 12, 0, 8);
	for (size_t i = 0; i < 3000000; i += sizeof unit)
		bytes_put(&container.bytes, unit, sizeof unit);
	clock_t start = clock();
	struct notes notes = notes_of(c, &container.bytes, NOTE_ALL, NULL);
	assert_in_range((clock() - start) / CLOCKS_PER_SEC, 0, 20);
	assert_begins(&before, &notes, before.n_rows - 1);
	notes_free(&notes);
	notes_free(&before);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

static void every_changed_byte_of_head_and_index_is_survived(void **state)
{
	(void)state;
	struct bytes bytes = stream(plain, 17, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, PER_CHUNK, false);
	struct notes full = notes_of(c, &container.bytes, NOTE_ALL, NULL);
	for (size_t at = 4; at < container.bytes.n; at++) {
		if (at == 20)
			at = container.frames[container.chunks];
		container.bytes.p[at] ^= 0xff;
		struct notes notes = notes_of(c, &container.bytes, NOTE_ALL, NULL);
		assert_same(&full, &notes, "index");
		all_ways_agree(&container.bytes, &notes);
		struct notes p = notes_pipe(c, &container.bytes, NOTE_ALL, (unsigned)(at % 3));
		assert_same(&full, &p, "pipe");
		notes_free(&p);
		notes_free(&notes);
		container.bytes.p[at] ^= 0xff;
	}
	notes_free(&full);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* ---- codecs around ---- */

static void a_codec_around_changes_nothing(void **state)
{
	(void)state;
	static const char *const codecs[] = {"gzip", "xz", "zstd", "bzip2", "lz4"};
	struct bytes bytes = stream((struct head){.vlen = 128}, 31, 3000);
	struct cairn_stf_config cfg = config_of((struct head){.vlen = 128});
	struct container container = zstf_of(&bytes, &cfg, 100, false);
	struct notes full = notes_of(c, &bytes, NOTE_ALL, NULL);
	unsigned found = 0;
	for (unsigned i = 0; i < 10; i++) {
		struct bytes w = wrapped(c, i & 1 ? &container.bytes : &bytes, codecs[i / 2]);
		if (w.n == 0)
			continue;
		found++;
		struct notes notes = notes_of(c, &w, NOTE_ALL, NULL);
		assert_same(&full, &notes, codecs[i / 2]);
		assert_int_equal(notes.damage, 0);
		for (unsigned threads = 0; threads <= 3; threads++) {
			struct notes p = notes_pipe(c, &w, NOTE_ALL, threads);
			assert_same(&full, &p, "pipe");
			notes_free(&p);
		}
		notes_free(&notes);
		bytes_free(&w);
	}
	assert_true(found >= 6);
	notes_free(&full);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* A codec that breaks off: what came before is delivered, in every way of reading. */
static void a_truncated_codec_gives_what_came_before(void **state)
{
	(void)state;
	struct bytes bytes = stream((struct head){.vlen = 128}, 33, 2000);
	struct notes full = notes_of(c, &bytes, NOTE_CONTEXT, NULL);
	struct bytes w = wrapped(c, &bytes, "gzip");
	for (size_t n = w.n / 8; n < w.n; n += w.n / 8) {
		struct bytes part = {.p = w.p, .n = n};
		struct notes notes = notes_of(c, &part, NOTE_CONTEXT, NULL);
		assert_int_equal(notes.status, 0);
		assert_int_equal(notes.damage, 1);
		assert_a_place(notes.sentence);
		assert_true(notes.n_rows > 0);
		assert_begins(&full, &notes, notes.n_rows);
		all_ways_agree(&part, &notes);
		notes_free(&notes);
	}
	notes_free(&full);
	bytes_free(&w);
	bytes_free(&bytes);
}

/* ---- seeking ---- */

static void check_seek(struct cairn_reader *reader, const struct notes *full, uint64_t n)
{
	struct cairn_batch *batch = cairn_batch_new(c);
	struct notes notes = {0};
	if (cairn_seek(reader, n) < 0)
		fail_msg("seek %llu: %s", (unsigned long long)n, cairn_error_text(c));
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_true(batch->n0 <= n);
	assert_true(batch->n0 + batch->n_insns > n);
	do
		notes_batch(&notes, reader, batch);
	while (cairn_next(reader, batch) > 0);
	assert_int_equal(cairn_damage_count(reader), 0);
	size_t skip_rows = (size_t)(n - notes.rows[0].n);
	assert_int_equal(notes.n_rows - skip_rows, full->n_rows - (n - 1));
	for (size_t i = n - 1; i < full->n_rows; i++)
		if (!notes_same_row(full, i, &notes, skip_rows + i - (n - 1)))
			fail_msg("seek %llu: instruction %zu is another: %.300s", (unsigned long long)n, i + 1,
			         (const char *)notes.text.p + notes.rows[skip_rows + i - (n - 1)].at);
	notes_free(&notes);
	cairn_batch_free(c, batch);
}

static void every_instruction_can_be_sought(void **state)
{
	(void)state;
	struct bytes bytes = stream(plain, 41, 60);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, 7, false);
	struct notes full = notes_of(c, &container.bytes, 0, NULL);
	struct cairn_reader *reader, *raw;
	assert_int_equal(cairn_open_memory(c, container.bytes.p, container.bytes.n, NULL, &reader), 0);
	assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, NULL, &raw), 0);
	for (uint64_t n = 1; n <= 60; n++) {
		check_seek(reader, &full, n);
		check_seek(raw, &full, n);
	}
	for (uint64_t n = 60; n > 0; n -= 3)
		check_seek(reader, &full, n);
	assert_int_equal(cairn_seek(reader, 0), CAIRN_E_INVAL);
	assert_int_equal(cairn_seek(reader, 64), CAIRN_E_NOTFOUND);
	cairn_close(raw);
	cairn_close(reader);
	notes_free(&full);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* Run from a position: as far as the last one asked for, on every number of threads. */
static void what_a_jump_does_not_know_it_says(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct cairn_stf_config cfg = config_of(plain);
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	head(&bytes, plain);
	rec(&bytes, CAIRN_STF_PROCESS_ID_EXT, "www", 1u, 2u, 3u);
	event64(&bytes, UINT64_C(1) << 62, 1, 3);
	for (unsigned i = 0; i < 20; i++)
		insn32(&bytes, NOP);
	struct container container = zstf_of(&bytes, &cfg, 5, false);
	assert_int_equal(cairn_open_memory(c, container.bytes.p, container.bytes.n, NULL, &reader), 0);
	assert_int_equal(cairn_seek(reader, 12), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n0, 11);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].known, 0);
	assert_false(batch->have & CAIRN_PLACES);
	assert_int_equal(cairn_seek(reader, 1), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->ctxs[batch->insns[4].ctx].pid, 2);
	assert_true(batch->have & CAIRN_PLACES);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* ---- threads ---- */

static struct cairn_tally tally_of(const struct bytes *bytes, unsigned threads)
{
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	assert_int_equal(cairn_open_memory(c, bytes->p, bytes->n, NULL, &reader), 0);
	assert_int_equal(cairn_count(reader, threads, &tally), 0);
	cairn_close(reader);
	return tally;
}

/* The same sums from the instructions. */
static struct cairn_tally tally_by_batches(const struct bytes *bytes)
{
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_open_memory(c, bytes->p, bytes->n, NULL, &reader), 0);
	while (cairn_next(reader, batch) > 0)
		cairn_tally_batch(&tally, batch, NULL);
	cairn_tally_end(&tally);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return tally;
}

static void assert_tallies(const struct cairn_tally *left, const struct cairn_tally *right)
{
	assert_int_equal(left->instructions, right->instructions);
	assert_int_equal(left->executed, right->executed);
	assert_int_equal(left->loads, right->loads);
	assert_int_equal(left->stores, right->stores);
	assert_int_equal(left->class_loads, right->class_loads);
	assert_int_equal(left->class_stores, right->class_stores);
	assert_int_equal(left->branches, right->branches);
	assert_int_equal(left->branches_taken, right->branches_taken);
}

static void check_threads(const struct bytes *bytes, const struct notes *full)
{
	struct cairn_tally by_batches = tally_by_batches(bytes), one = tally_of(bytes, 1);
	assert_tallies(&by_batches, &one);
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct notes notes = notes_run(c, bytes, NOTE_ALL, threads);
		assert_same(full, &notes, "threads");
		notes_free(&notes);
		struct notes p = notes_pipe(c, bytes, NOTE_ALL, threads);
		assert_same(full, &p, "pipe and threads");
		notes_free(&p);
		struct cairn_tally tally = tally_of(bytes, threads);
		assert_tallies(&one, &tally);
		assert_int_equal(one.records, tally.records);
		assert_int_equal(one.events, tally.events);
		assert_int_equal(one.contexts, tally.contexts);
		assert_memory_equal(one.by_record, tally.by_record, sizeof tally.by_record);
	}
}

static void threads_change_nothing(void **state)
{
	(void)state;
	static const uint32_t ids[] = {3, 2, 1};
	for (unsigned seed = 1; seed <= 2; seed++) {
		struct head head = {.vlen = 128, .ids = ids, .narrow = seed & 1};
		struct cairn_stf_config cfg = config_of(head);
		struct bytes bytes = stream(head, seed, 40000);
		rec(&bytes, CAIRN_STF_COMMENT, "T", "behind the last instruction");
		struct notes full = notes_of(c, &bytes, NOTE_ALL, NULL);
		assert_int_equal(full.n_rows, 40000);
		check_threads(&bytes, &full);
		struct container container = zstf_of(&bytes, &cfg, 199, false);
		check_threads(&container.bytes, &full);
		bytes_free(&container.bytes);
		notes_free(&full);
		bytes_free(&bytes);
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

static struct bytes lines_run(const struct bytes *bytes, unsigned threads)
{
	struct bytes out = {0};
	struct cairn_reader *reader;
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = line_begin,
	                            .feed_record = line_feed,
	                            .fold = line_fold,
	                            .drop = line_drop};
	assert_int_equal(cairn_open_memory(c, bytes->p, bytes->n, NULL, &reader), 0);
	assert_int_equal(cairn_run(reader, &red, &out, UINT64_MAX, threads), 0);
	cairn_close(reader);
	return out;
}

static struct bytes lines_in_order(const struct bytes *bytes)
{
	struct bytes out = {0};
	struct cairn_reader *reader;
	struct cairn_record one;
	assert_int_equal(cairn_open_memory(c, bytes->p, bytes->n, NULL, &reader), 0);
	while (cairn_next_record(reader, &one) > 0)
		line_feed(NULL, &out, &one);
	cairn_close(reader);
	return out;
}

static void check_lines(const struct bytes *bytes)
{
	struct bytes one = lines_in_order(bytes);
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct bytes s = lines_run(bytes, threads);
		assert_int_equal(s.n, one.n);
		assert_memory_equal(s.p, one.p, s.n);
		bytes_free(&s);
	}
	bytes_free(&one);
}

static void records_are_the_same_on_threads(void **state)
{
	(void)state;
	struct bytes bytes = stream(plain, 51, 30000);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, 300, false);
	check_lines(&bytes);
	check_lines(&container.bytes);
	memset(container.bytes.p + container.frames[40], 0xff, 200);
	check_lines(&container.bytes);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* ---- chunks larger than what is held at once ---- */

enum { BIG_COMMENT = 300000, BIG_GROUPS = 130 };

static struct bytes big_stream(void)
{
	struct bytes bytes = {0};
	char *text = malloc(BIG_COMMENT + 1);
	assert_non_null(text);
	head(&bytes, plain);
	for (unsigned i = 0; i < BIG_GROUPS; i++) {
		memset(text, 'a' + (int)(i % 26), BIG_COMMENT);
		text[BIG_COMMENT - i] = 0; /* so that pieces end everywhere */
		rec(&bytes, CAIRN_STF_COMMENT, "T", text);
		rec(&bytes, CAIRN_STF_INST_PC_TARGET, "q", (uint64_t)i * 64);
		insn32(&bytes, NOP);
		insn16(&bytes, C_NOP);
	}
	free(text);
	return bytes;
}

/* PCs and places of all instructions. */
static struct bytes places_of(const struct bytes *bytes, uint64_t *damage)
{
	struct bytes out = {0};
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_open_memory(c, bytes->p, bytes->n, NULL, &reader), 0);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			bytes_printf(&out, "%llu %llx %llu %llu %u\n", (unsigned long long)batch->n0 + i,
			             (unsigned long long)batch->insns[i].pc,
			             (unsigned long long)batch->rec0 + batch->insns[i].rec,
			             (unsigned long long)batch->off0 + batch->insns[i].off,
			             batch->insns[i + 1].ev0 - batch->insns[i].ev0);
	*damage = cairn_damage_count(reader);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return out;
}

static void a_huge_chunk_is_read_in_pieces(void **state)
{
	(void)state;
	struct bytes bytes = big_stream();
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, 250, true); /* the second chunk is small */
	uint64_t damage;
	struct bytes raw = places_of(&bytes, &damage), packed = places_of(&container.bytes, &damage);
	assert_int_equal(damage, 0);
	assert_int_equal(container.chunks, 2);
	assert_int_equal(raw.n, packed.n);
	assert_memory_equal(raw.p, packed.p, raw.n);
	check_lines(&bytes);
	check_lines(&container.bytes);
	for (unsigned threads = 1; threads <= 2; threads++)
		assert_int_equal(count_of(&container.bytes, threads), 2 * BIG_GROUPS);
	/* broken in the middle: the pieces before, and the chunk behind */
	memset(container.bytes.p + (container.frames[0] + container.frames[1]) * 3 / 4, 0xff, 64);
	struct bytes part = places_of(&container.bytes, &damage);
	assert_true(damage >= 1);
	size_t n = 0;
	while (n < part.n && part.p[n] == raw.p[n])
		n++;
	assert_true(n > raw.n / 4);
	assert_non_null(memmem(part.p, part.n, "\n251 ", 5));
	check_lines(&container.bytes);
	bytes_free(&part);
	bytes_free(&raw);
	bytes_free(&packed);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
}

/* ---- strictly ---- */

static void strictly_the_first_damage_ends_it(void **state)
{
	(void)state;
	struct bytes bytes = stream(plain, 61, 40);
	struct cairn_stf_config cfg = config_of(plain);
	struct container container = zstf_of(&bytes, &cfg, PER_CHUNK, false);
	struct cairn_open_opts opts = {.size = sizeof opts, .strict = 1};
	struct cairn_reader *reader;
	memset(container.bytes.p + container.frames[3], 0, 8);
	assert_int_equal(cairn_open_memory(c, container.bytes.p, container.bytes.n, &opts, &reader), 0);
	struct notes notes = notes_reader(c, reader, 0);
	assert_int_equal(notes.status, CAIRN_E_DAMAGED);
	assert_non_null(strstr(notes.error, "chunk 3: byte 0x"));
	assert_int_equal(notes.n_rows, 3 * PER_CHUNK);
	notes_free(&notes);
	cairn_close(reader);
	bytes_free(&container.bytes);
	bytes_free(&bytes);
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
