/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CoreSight frames from a generator: bytes of random sources, mixed at random, in every
 * packing there is. They come apart as they were put together, whatever the pieces they are
 * read in; and of damaged frames comes what a second, slow reader makes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/ete/read/frames.h"

enum { SOURCES = 9, MOST = 1 << 15, ROUNDS = 60 };

static struct cairn *ctx;
static uint32_t seed;

static unsigned any(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* ---- the generator ---- */

struct lane {
	uint8_t bytes[MOST];
	size_t n;
};

struct made {
	struct lane of[ETE_IDS];
	struct base_buf out;
	uint8_t frame[ETE_FRAME];
	unsigned at;  /* in the frame */
	int id, late; /* whose the next byte is; whose one byte more, behind its change: -1 none */
	bool prompt;  /* changes are never late */
	bool syncs;   /* words between frames, half words within */
};

static void put_frame(struct made *made)
{
	if (made->syncs && any(3) == 0)
		for (unsigned n = 1 + any(3); n; n--) /* four would be a barrier */
			base_buf_put(&made->out, "\xff\xff\xff\x7f", 4);
	for (unsigned i = 0; i < ETE_FRAME; i += 2) {
		if (made->syncs && i && any(20) == 0)
			base_buf_put(&made->out, "\xff\x7f", 2);
		base_buf_put(&made->out, made->frame + i, 2);
	}
	memset(made->frame, 0, sizeof made->frame);
	made->at = 0;
}

/* The next place of the frame is even: name the source, or go on with its bytes. */
static void change_to(struct made *made, int id)
{
	bool late = !made->prompt && made->at < 14 && made->id > 0 && any(3) == 0;
	made->frame[made->at] = (uint8_t)(id << 1 | 1);
	if (late) { /* one byte more is the old one's */
		made->frame[15] |= (uint8_t)(1u << made->at / 2);
		made->late = made->id;
	}
	made->id = id;
	if (++made->at == 15)
		put_frame(made);
}

static void put_byte(struct made *made, uint8_t byte)
{
	int id = made->late >= 0 ? made->late : made->id;
	made->late = -1;
	if (made->at % 2 == 0)
		made->frame[15] |= (uint8_t)((byte & 1) << made->at / 2);
	made->frame[made->at] = made->at % 2 ? byte : byte & 0xfe;
	if (id > 0)
		made->of[id].bytes[made->of[id].n++] = byte;
	if (++made->at == 15)
		put_frame(made);
}

/* Words and half words begin with FF at an even place, where no frame has it: it would be the
 * ID 0x7f, which no source has. */
static void make(struct made *made, size_t n, bool syncs)
{
	int ids[SOURCES];
	memset(made, 0, sizeof *made);
	base_buf_init(&made->out, ctx);
	made->syncs = syncs;
	made->id = made->late = -1;
	for (unsigned i = 0; i < SOURCES; i++)
		ids[i] = 1 + (int)any(ETE_FIRST_RESERVED - 1);
	unsigned often = 2 + any(40);
	for (size_t i = 0; i < n; i++) {
		if (made->at % 2 == 0 && (made->id < 0 || any(often) == 0))
			change_to(made, any(8) ? ids[any(SOURCES)] : 0);
		put_byte(made, made->id || made->late >= 0 ? (uint8_t)any(256) : 0);
	}
	while (made->at) {
		if (made->at % 2 == 0 && made->id)
			change_to(made, 0);
		else
			put_byte(made, 0);
	}
}

/* In the blocks of a DSTREAM: what stands in its footers is no trace. */
static void put_in_blocks(struct base_buf *from)
{
	struct base_buf to;
	base_buf_init(&to, ctx);
	for (size_t i = 0; i < from->len; i += ETE_BLOCK - ETE_FOOTER) {
		size_t left = from->len - i,
			   n = left < ETE_BLOCK - ETE_FOOTER ? left : ETE_BLOCK - ETE_FOOTER;
		base_buf_put(&to, from->data + i, n);
		for (unsigned k = 0; n == ETE_BLOCK - ETE_FOOTER && k < ETE_FOOTER; k++) {
			uint8_t byte = (uint8_t)any(256);
			base_buf_put(&to, &byte, 1);
		}
	}
	base_buf_free(from);
	*from = to;
}

/* ---- a slow reader ---- */

struct slow {
	struct lane of[ETE_IDS];
	uint64_t broken, reserved;
};

static void slow_byte(struct slow *slow, int id, uint8_t byte)
{
	if (id > 0 && id < ETE_FIRST_RESERVED)
		slow->of[id].bytes[slow->of[id].n++] = byte;
	else if (id >= ETE_FIRST_RESERVED && id != ETE_ID_TRIGGER)
		slow->reserved++;
}

static void slow_frame(struct slow *slow, const uint8_t *p, int *id)
{
	for (unsigned i = 0; i < 15; i++) {
		if (i % 2) {
			slow_byte(slow, *id, p[i]);
		} else if (!(p[i] & 1)) {
			slow_byte(slow, *id, (uint8_t)(p[i] | (p[15] >> i / 2 & 1)));
		} else if (i < 14) { /* the byte behind is the new one's, or still the old one's */
			int old = *id;
			*id = p[i] >> 1;
			slow_byte(slow, p[15] >> i / 2 & 1 ? old : *id, p[i + 1]);
			i++;
		} else {
			*id = p[i] >> 1;
		}
	}
}

/* All of it is copied at every step: footers away, then words and half words, then frames. */
static void read_slowly(struct slow *slow, const struct base_buf *in, enum ete_framing framing)
{
	static uint8_t p[4 * MOST];
	uint8_t frame[ETE_FRAME];
	size_t n = 0, have = 0, words = 0;
	int id = -1;
	memset(slow, 0, sizeof *slow);
	for (size_t i = 0; i < in->len; i++)
		if (framing != ETE_FRAMES_BLOCKS || i % ETE_BLOCK < ETE_BLOCK - ETE_FOOTER)
			p[n++] = in->data[i];
	for (size_t i = 0; i < n; i += 2) {
		if (n - i >= 4 && !memcmp(p + i, "\xff\xff\xff\x7f", 4)) {
			slow->broken += have != 0;
			have = 0;
			i += 2;
			id = ++words == 4 ? -1 : id;
			continue;
		}
		words = 0;
		if (n - i < 2 || !memcmp(p + i, "\xff\x7f", 2))
			continue;
		memcpy(frame + have, p + i, 2);
		have = (have + 2) % ETE_FRAME;
		if (!have)
			slow_frame(slow, frame, &id);
	}
	slow->broken += have || n % 2;
}

/* ---- comparing ---- */

/* In pieces of random sizes. */
static void take(struct ete_frames *frames, const struct base_buf *in, enum ete_framing framing)
{
	size_t at = 0, upto = 0, used, piece = 1 + any(3000);
	ete_frames_init(frames, ctx, framing);
	do {
		size_t n = 1 + any((unsigned)piece);
		upto = n < in->len - upto ? upto + n : in->len;
		assert_int_equal(ete_frames_take(frames, in->data + at, upto - at, upto == in->len, &used),
		                 0);
		at += used;
	} while (upto < in->len);
	assert_int_equal(at, in->len);
}

/* A source's bytes, of all its lanes: each barrier begins a new one. */
static void same_lanes(const struct ete_frames *frames, const struct lane want[ETE_IDS],
                       const struct base_buf *in)
{
	size_t done[ETE_IDS] = {0};
	for (size_t i = 0; i < frames->n_lanes; i++) {
		const struct ete_lane *lane = frames->lanes[i];
		const struct lane *w = &want[lane->id];
		assert_true(lane->bytes.len <= w->n - done[lane->id]);
		assert_memory_equal(lane->bytes.data, w->bytes + done[lane->id], lane->bytes.len);
		for (size_t k = 0; k < lane->bytes.len; k++) /* where it stood, all but the lowest bit */
			assert_int_equal(in->data[ete_runs_offset(&lane->runs, k)] & 0xfe,
			                 lane->bytes.data[k] & 0xfe);
		done[lane->id] += lane->bytes.len;
	}
	for (unsigned id = 1; id < ETE_FIRST_RESERVED; id++)
		assert_int_equal(done[id], want[id].n);
}

static const enum ete_framing framings[] = {ETE_FRAMES, ETE_FRAMES_SYNC, ETE_FRAMES_BLOCKS};

static void test_frames_come_apart_as_they_were_put_together(void **state)
{
	static struct made made;
	struct ete_frames frames;
	(void)state;
	for (uint32_t round = 0; seed = 1 + 100 * round, round < ROUNDS; round++)
		for (unsigned k = 0; k < 3; k++) {
			make(&made, 1 + any(MOST / 2), framings[k] != ETE_FRAMES);
			if (framings[k] == ETE_FRAMES_BLOCKS)
				put_in_blocks(&made.out);
			take(&frames, &made.out, framings[k]);
			same_lanes(&frames, made.of, &made.out);
			assert_int_equal(frames.broken + frames.reserved + frames.ownerless + frames.resets, 0);
			ete_frames_free(&frames);
			base_buf_free(&made.out);
		}
}

/* Bytes lost, changed and added, and the end cut off. */
static void damage(struct base_buf *buf)
{
	for (unsigned n = any(6); n && buf->len > 64; n--) {
		size_t at = any((unsigned)buf->len - 32), few = 1 + any(24);
		switch (any(3)) {
		case 0:
			memmove(buf->data + at, buf->data + at + few, buf->len - at - few);
			buf->len -= few;
			break;
		case 1:
			buf->data[at] = (uint8_t)any(256);
			break;
		default:
			memmove(buf->data + at + few, buf->data + at, buf->len - at - few);
		}
	}
	if (any(2))
		buf->len -= any((unsigned)buf->len);
}

static void test_damaged_frames_are_read_as_far_as_they_go(void **state)
{
	static struct made made;
	static struct slow slow;
	struct ete_frames frames;
	uint64_t broken = 0;
	(void)state;
	for (uint32_t round = 0; seed = 7 + 100 * round, round < ROUNDS; round++)
		for (unsigned k = 1; k < 3; k++) {
			make(&made, 100 + any(MOST / 2), true);
			if (framings[k] == ETE_FRAMES_BLOCKS)
				put_in_blocks(&made.out);
			damage(&made.out);
			take(&frames, &made.out, framings[k]);
			read_slowly(&slow, &made.out, framings[k]);
			same_lanes(&frames, slow.of, &made.out);
			assert_int_equal(frames.broken, slow.broken);
			assert_int_equal(frames.reserved, slow.reserved);
			broken += frames.broken;
			ete_frames_free(&frames);
			base_buf_free(&made.out);
		}
	assert_true(broken > ROUNDS);
}

/* A stream cut short gives of each source the beginning. */
static void test_a_truncated_stream_gives_beginnings(void **state)
{
	static struct made made;
	struct ete_frames frames;
	(void)state;
	for (uint32_t round = 0; seed = 3 + 100 * round, round < ROUNDS; round++)
		for (unsigned k = 0; k < 3; k++) {
			make(&made, 3000, framings[k] != ETE_FRAMES);
			if (framings[k] == ETE_FRAMES_BLOCKS)
				put_in_blocks(&made.out);
			made.out.len = 1 + any((unsigned)made.out.len - 1);
			take(&frames, &made.out, framings[k]);
			for (size_t i = 0; i < frames.n_lanes; i++) {
				const struct ete_lane *lane = frames.lanes[i];
				assert_true(lane->bytes.len <= made.of[lane->id].n);
				assert_memory_equal(lane->bytes.data, made.of[lane->id].bytes, lane->bytes.len);
			}
			assert_true(frames.broken <= 1);
			ete_frames_free(&frames);
			base_buf_free(&made.out);
		}
}

static void test_blocks_are_recognised(void **state)
{
	static struct made made;
	(void)state;
	for (uint32_t round = 0; seed = 5 + 100 * round, round < ROUNDS; round++) {
		make(&made, 4000 + any(MOST / 2), true);
		assert_false(ete_frames_in_blocks(ctx, made.out.data, made.out.len));
		put_in_blocks(&made.out);
		assert_true(ete_frames_in_blocks(ctx, made.out.data, made.out.len));
		assert_true(ete_frames_in_blocks(ctx, made.out.data, 4096));
		assert_false(ete_frames_in_blocks(ctx, made.out.data, ETE_BLOCK));
		base_buf_free(&made.out);
	}
}

/* ---- IDs that nobody told of ---- */

/* Which IDs synchronised, in that order. */
struct seen {
	unsigned ids[ETE_IDS], n;
};

static int see(void *user, unsigned id, bool synced)
{
	struct seen *seen = user;
	if (!synced)
		return ETE_UNSEEN;
	seen->ids[seen->n] = id;
	return (int)seen->n++;
}

static void put_all(struct made *made, int id, const void *p, size_t n)
{
	const uint8_t *q = p;
	if (made->at % 2)
		put_byte(made, 0);
	if (made->id != id)
		change_to(made, id);
	for (size_t i = 0; i < n; i++)
		put_byte(made, q[i]);
}

static void test_an_id_is_a_unit_when_it_synchronises(void **state)
{
	static const uint8_t async[13] = {[11] = 0x80, 0x01}, few[13] = {1, [11] = 0x80, 0x01},
						 other[13] = {[11] = 0x80, 0x42}, event[15] = {[13] = 0x80, 0x71};
	static struct made made;
	struct ete_frames frames;
	struct seen seen = {.n = 0};
	(void)state;
	for (size_t piece = 1; piece < 200; piece = piece * 2 + 1) {
		size_t at = 0, used;
		memset(&made, 0, sizeof made);
		memset(&seen, 0, sizeof seen);
		base_buf_init(&made.out, ctx);
		made.id = made.late = -1;
		made.prompt = true;
		put_all(&made, 3, few, sizeof few); /* ten zeros are none */
		put_all(&made, 9, "\xff\xff\xff\xff", 4);
		put_all(&made, 9, async, sizeof async);
		put_all(&made, 5, other, sizeof other);
		put_all(&made, 3, async, sizeof async);
		put_all(&made, 7, event, sizeof event);
		put_all(&made, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
		ete_frames_init(&frames, ctx, ETE_FRAMES);
		frames.unit_of = see;
		frames.user = &seen;
		for (size_t upto = 0; upto < made.out.len;) {
			upto = piece < made.out.len - upto ? upto + piece : made.out.len;
			assert_int_equal(ete_frames_take(&frames, made.out.data + at, upto - at,
			                                 upto == made.out.len, &used),
			                 0);
			at += used;
		}
		ete_frames_settle(&frames);
		assert_int_equal(seen.n, 3);
		assert_int_equal(seen.ids[0], 9);
		assert_int_equal(seen.ids[1], 3);
		assert_int_equal(seen.ids[2], 7);
		assert_int_equal(frames.n_lanes, 3);
		for (size_t i = 0; i < frames.n_lanes; i++)
			assert_true(frames.lanes[i]->id != 9 ||
			            frames.lanes[i]->bytes.len >= 17); /* nothing is lost */
		assert_int_equal(frames.unclaimed[5].unit, ETE_OTHER);
		assert_true(frames.unclaimed[5].n >= 13);
		ete_frames_free(&frames);
		base_buf_free(&made.out);
	}
}

/* What never synchronises is not kept for ever. */
static void test_other_data_is_given_up(void **state)
{
	static uint8_t frame[ETE_FRAME] = {0x21, 1, 2, 3, 4, 5};
	struct ete_frames frames;
	struct seen seen = {.n = 0};
	size_t used;
	(void)state;
	ete_frames_init(&frames, ctx, ETE_FRAMES);
	frames.unit_of = see;
	frames.user = &seen;
	for (unsigned i = 0; i < 1 << 18; i++) {
		assert_int_equal(ete_frames_take(&frames, frame, sizeof frame, false, &used), 0);
		assert_true(frames.n_lanes == 0 || frames.lanes[0]->bytes.len <= 4 << 20);
	}
	assert_int_equal(frames.n_lanes, 0);
	assert_int_equal(frames.unclaimed[0x10].unit, ETE_OTHER);
	assert_int_equal(frames.unclaimed[0x10].n, 14 << 18);
	assert_int_equal(frames.unclaimed[0x10].at, 1);
	ete_frames_free(&frames);
}

static int setup(void **state)
{
	(void)state;
	ctx = cairn_new(NULL);
	return ctx ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_come_apart_as_they_were_put_together),
		cmocka_unit_test(test_damaged_frames_are_read_as_far_as_they_go),
		cmocka_unit_test(test_a_truncated_stream_gives_beginnings),
		cmocka_unit_test(test_blocks_are_recognised),
		cmocka_unit_test(test_an_id_is_a_unit_when_it_synchronises),
		cmocka_unit_test(test_other_data_is_given_up),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
