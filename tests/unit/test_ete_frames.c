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

#include "formats/ete/frames.h"

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

static void put_frame(struct made *m)
{
	if (m->syncs && any(3) == 0)
		for (unsigned n = 1 + any(3); n; n--) /* four would be a barrier */
			base_buf_put(&m->out, "\xff\xff\xff\x7f", 4);
	for (unsigned i = 0; i < ETE_FRAME; i += 2) {
		if (m->syncs && i && any(20) == 0)
			base_buf_put(&m->out, "\xff\x7f", 2);
		base_buf_put(&m->out, m->frame + i, 2);
	}
	memset(m->frame, 0, sizeof m->frame);
	m->at = 0;
}

/* The next place of the frame is even: name the source, or go on with its bytes. */
static void change_to(struct made *m, int id)
{
	bool late = !m->prompt && m->at < 14 && m->id > 0 && any(3) == 0;
	m->frame[m->at] = (uint8_t)(id << 1 | 1);
	if (late) { /* one byte more is the old one's */
		m->frame[15] |= (uint8_t)(1u << m->at / 2);
		m->late = m->id;
	}
	m->id = id;
	if (++m->at == 15)
		put_frame(m);
}

static void put_byte(struct made *m, uint8_t byte)
{
	int id = m->late >= 0 ? m->late : m->id;
	m->late = -1;
	if (m->at % 2 == 0)
		m->frame[15] |= (uint8_t)((byte & 1) << m->at / 2);
	m->frame[m->at] = m->at % 2 ? byte : byte & 0xfe;
	if (id > 0)
		m->of[id].bytes[m->of[id].n++] = byte;
	if (++m->at == 15)
		put_frame(m);
}

/* Words and half words begin with FF at an even place, where no frame has it: it would be the
 * ID 0x7f, which no source has. */
static void make(struct made *m, size_t n, bool syncs)
{
	int ids[SOURCES];
	memset(m, 0, sizeof *m);
	base_buf_init(&m->out, ctx);
	m->syncs = syncs;
	m->id = m->late = -1;
	for (unsigned i = 0; i < SOURCES; i++)
		ids[i] = 1 + (int)any(ETE_FIRST_RESERVED - 1);
	unsigned often = 2 + any(40);
	for (size_t i = 0; i < n; i++) {
		if (m->at % 2 == 0 && (m->id < 0 || any(often) == 0))
			change_to(m, any(8) ? ids[any(SOURCES)] : 0);
		put_byte(m, m->id || m->late >= 0 ? (uint8_t)any(256) : 0);
	}
	while (m->at) {
		if (m->at % 2 == 0 && m->id)
			change_to(m, 0);
		else
			put_byte(m, 0);
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

static void slow_byte(struct slow *s, int id, uint8_t byte)
{
	if (id > 0 && id < ETE_FIRST_RESERVED)
		s->of[id].bytes[s->of[id].n++] = byte;
	else if (id >= ETE_FIRST_RESERVED && id != ETE_ID_TRIGGER)
		s->reserved++;
}

static void slow_frame(struct slow *s, const uint8_t *p, int *id)
{
	for (unsigned i = 0; i < 15; i++) {
		if (i % 2) {
			slow_byte(s, *id, p[i]);
		} else if (!(p[i] & 1)) {
			slow_byte(s, *id, (uint8_t)(p[i] | (p[15] >> i / 2 & 1)));
		} else if (i < 14) { /* the byte behind is the new one's, or still the old one's */
			int old = *id;
			*id = p[i] >> 1;
			slow_byte(s, p[15] >> i / 2 & 1 ? old : *id, p[i + 1]);
			i++;
		} else {
			*id = p[i] >> 1;
		}
	}
}

/* All of it is copied at every step: footers away, then words and half words, then frames. */
static void read_slowly(struct slow *s, const struct base_buf *in, enum ete_framing framing)
{
	static uint8_t p[4 * MOST];
	uint8_t frame[ETE_FRAME];
	size_t n = 0, have = 0, words = 0;
	int id = -1;
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < in->len; i++)
		if (framing != ETE_FRAMES_BLOCKS || i % ETE_BLOCK < ETE_BLOCK - ETE_FOOTER)
			p[n++] = in->data[i];
	for (size_t i = 0; i < n; i += 2) {
		if (n - i >= 4 && !memcmp(p + i, "\xff\xff\xff\x7f", 4)) {
			s->broken += have != 0;
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
			slow_frame(s, frame, &id);
	}
	s->broken += have || n % 2;
}

/* ---- comparing ---- */

/* In pieces of random sizes. */
static void take(struct ete_frames *f, const struct base_buf *in, enum ete_framing framing)
{
	size_t at = 0, upto = 0, used, piece = 1 + any(3000);
	ete_frames_init(f, ctx, framing);
	do {
		size_t n = 1 + any((unsigned)piece);
		upto = n < in->len - upto ? upto + n : in->len;
		assert_int_equal(ete_frames_take(f, in->data + at, upto - at, upto == in->len, &used), 0);
		at += used;
	} while (upto < in->len);
	assert_int_equal(at, in->len);
}

/* A source's bytes, of all its lanes: each barrier begins a new one. */
static void same_lanes(const struct ete_frames *f, const struct lane want[ETE_IDS],
                       const struct base_buf *in)
{
	size_t done[ETE_IDS] = {0};
	for (size_t i = 0; i < f->n_lanes; i++) {
		const struct ete_lane *l = f->lanes[i];
		const struct lane *w = &want[l->id];
		assert_true(l->bytes.len <= w->n - done[l->id]);
		assert_memory_equal(l->bytes.data, w->bytes + done[l->id], l->bytes.len);
		for (size_t k = 0; k < l->bytes.len; k++) /* where it stood, all but the lowest bit */
			assert_int_equal(in->data[ete_runs_offset(&l->runs, k)] & 0xfe,
			                 l->bytes.data[k] & 0xfe);
		done[l->id] += l->bytes.len;
	}
	for (unsigned id = 1; id < ETE_FIRST_RESERVED; id++)
		assert_int_equal(done[id], want[id].n);
}

static const enum ete_framing framings[] = {ETE_FRAMES, ETE_FRAMES_SYNC, ETE_FRAMES_BLOCKS};

static void test_frames_come_apart_as_they_were_put_together(void **state)
{
	static struct made m;
	struct ete_frames f;
	(void)state;
	for (uint32_t round = 0; seed = 1 + 100 * round, round < ROUNDS; round++)
		for (unsigned k = 0; k < 3; k++) {
			make(&m, 1 + any(MOST / 2), framings[k] != ETE_FRAMES);
			if (framings[k] == ETE_FRAMES_BLOCKS)
				put_in_blocks(&m.out);
			take(&f, &m.out, framings[k]);
			same_lanes(&f, m.of, &m.out);
			assert_int_equal(f.broken + f.reserved + f.ownerless + f.resets, 0);
			ete_frames_free(&f);
			base_buf_free(&m.out);
		}
}

/* Bytes lost, changed and added, and the end cut off. */
static void damage(struct base_buf *b)
{
	for (unsigned n = any(6); n && b->len > 64; n--) {
		size_t at = any((unsigned)b->len - 32), few = 1 + any(24);
		switch (any(3)) {
		case 0:
			memmove(b->data + at, b->data + at + few, b->len - at - few);
			b->len -= few;
			break;
		case 1:
			b->data[at] = (uint8_t)any(256);
			break;
		default:
			memmove(b->data + at + few, b->data + at, b->len - at - few);
		}
	}
	if (any(2))
		b->len -= any((unsigned)b->len);
}

static void test_damaged_frames_are_read_as_far_as_they_go(void **state)
{
	static struct made m;
	static struct slow s;
	struct ete_frames f;
	uint64_t broken = 0;
	(void)state;
	for (uint32_t round = 0; seed = 7 + 100 * round, round < ROUNDS; round++)
		for (unsigned k = 1; k < 3; k++) {
			make(&m, 100 + any(MOST / 2), true);
			if (framings[k] == ETE_FRAMES_BLOCKS)
				put_in_blocks(&m.out);
			damage(&m.out);
			take(&f, &m.out, framings[k]);
			read_slowly(&s, &m.out, framings[k]);
			same_lanes(&f, s.of, &m.out);
			assert_int_equal(f.broken, s.broken);
			assert_int_equal(f.reserved, s.reserved);
			broken += f.broken;
			ete_frames_free(&f);
			base_buf_free(&m.out);
		}
	assert_true(broken > ROUNDS);
}

/* A stream cut short gives of each source the beginning. */
static void test_a_truncated_stream_gives_beginnings(void **state)
{
	static struct made m;
	struct ete_frames f;
	(void)state;
	for (uint32_t round = 0; seed = 3 + 100 * round, round < ROUNDS; round++)
		for (unsigned k = 0; k < 3; k++) {
			make(&m, 3000, framings[k] != ETE_FRAMES);
			if (framings[k] == ETE_FRAMES_BLOCKS)
				put_in_blocks(&m.out);
			m.out.len = 1 + any((unsigned)m.out.len - 1);
			take(&f, &m.out, framings[k]);
			for (size_t i = 0; i < f.n_lanes; i++) {
				const struct ete_lane *l = f.lanes[i];
				assert_true(l->bytes.len <= m.of[l->id].n);
				assert_memory_equal(l->bytes.data, m.of[l->id].bytes, l->bytes.len);
			}
			assert_true(f.broken <= 1);
			ete_frames_free(&f);
			base_buf_free(&m.out);
		}
}

static void test_blocks_are_recognised(void **state)
{
	static struct made m;
	(void)state;
	for (uint32_t round = 0; seed = 5 + 100 * round, round < ROUNDS; round++) {
		make(&m, 4000 + any(MOST / 2), true);
		assert_false(ete_frames_in_blocks(ctx, m.out.data, m.out.len));
		put_in_blocks(&m.out);
		assert_true(ete_frames_in_blocks(ctx, m.out.data, m.out.len));
		assert_true(ete_frames_in_blocks(ctx, m.out.data, 4096));
		assert_false(ete_frames_in_blocks(ctx, m.out.data, ETE_BLOCK));
		base_buf_free(&m.out);
	}
}

/* ---- IDs that nobody told of ---- */

/* Which IDs synchronised, in that order. */
struct seen {
	unsigned ids[ETE_IDS], n;
};

static int see(void *user, unsigned id, bool synced)
{
	struct seen *s = user;
	if (!synced)
		return ETE_UNSEEN;
	s->ids[s->n] = id;
	return (int)s->n++;
}

static void put_all(struct made *m, int id, const void *p, size_t n)
{
	const uint8_t *q = p;
	if (m->at % 2)
		put_byte(m, 0);
	if (m->id != id)
		change_to(m, id);
	for (size_t i = 0; i < n; i++)
		put_byte(m, q[i]);
}

static void test_an_id_is_a_unit_when_it_synchronises(void **state)
{
	static const uint8_t async[13] = {[11] = 0x80, 0x01}, few[13] = {1, [11] = 0x80, 0x01},
						 other[13] = {[11] = 0x80, 0x42}, event[15] = {[13] = 0x80, 0x71};
	static struct made m;
	struct ete_frames f;
	struct seen s = {.n = 0};
	(void)state;
	for (size_t piece = 1; piece < 200; piece = piece * 2 + 1) {
		size_t at = 0, used;
		memset(&m, 0, sizeof m);
		memset(&s, 0, sizeof s);
		base_buf_init(&m.out, ctx);
		m.id = m.late = -1;
		m.prompt = true;
		put_all(&m, 3, few, sizeof few); /* ten zeros are none */
		put_all(&m, 9, "\xff\xff\xff\xff", 4);
		put_all(&m, 9, async, sizeof async);
		put_all(&m, 5, other, sizeof other);
		put_all(&m, 3, async, sizeof async);
		put_all(&m, 7, event, sizeof event);
		put_all(&m, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
		ete_frames_init(&f, ctx, ETE_FRAMES);
		f.unit_of = see;
		f.user = &s;
		for (size_t upto = 0; upto < m.out.len;) {
			upto = piece < m.out.len - upto ? upto + piece : m.out.len;
			assert_int_equal(
				ete_frames_take(&f, m.out.data + at, upto - at, upto == m.out.len, &used), 0);
			at += used;
		}
		ete_frames_settle(&f);
		assert_int_equal(s.n, 3);
		assert_int_equal(s.ids[0], 9);
		assert_int_equal(s.ids[1], 3);
		assert_int_equal(s.ids[2], 7);
		assert_int_equal(f.n_lanes, 3);
		for (size_t i = 0; i < f.n_lanes; i++)
			assert_true(f.lanes[i]->id != 9 || f.lanes[i]->bytes.len >= 17); /* nothing is lost */
		assert_int_equal(f.unclaimed[5].unit, ETE_OTHER);
		assert_true(f.unclaimed[5].n >= 13);
		ete_frames_free(&f);
		base_buf_free(&m.out);
	}
}

/* What never synchronises is not kept for ever. */
static void test_other_data_is_given_up(void **state)
{
	static uint8_t frame[ETE_FRAME] = {0x21, 1, 2, 3, 4, 5};
	struct ete_frames f;
	struct seen s = {.n = 0};
	size_t used;
	(void)state;
	ete_frames_init(&f, ctx, ETE_FRAMES);
	f.unit_of = see;
	f.user = &s;
	for (unsigned i = 0; i < 1 << 18; i++) {
		assert_int_equal(ete_frames_take(&f, frame, sizeof frame, false, &used), 0);
		assert_true(f.n_lanes == 0 || f.lanes[0]->bytes.len <= 4 << 20);
	}
	assert_int_equal(f.n_lanes, 0);
	assert_int_equal(f.unclaimed[0x10].unit, ETE_OTHER);
	assert_int_equal(f.unclaimed[0x10].n, 14 << 18);
	assert_int_equal(f.unclaimed[0x10].at, 1);
	ete_frames_free(&f);
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
