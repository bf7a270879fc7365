/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking frames apart.
 *
 * Byte 15 of a frame holds the lowest bits of the even bytes 0 … 14. An even byte whose
 * own lowest bit is set names the source of what follows; its bit in byte 15 then says
 * that the one byte behind it is still the old source's. Sources stay until the next
 * such byte, across frames.
 *
 * Between frames may stand words FF FF FF 7F, and within them half words FF 7F: an ID of
 * 0x7f never occurs, so neither can be taken for data. Four such words at once are a
 * barrier between unrelated pieces of trace (perf writes them where it glued buffers
 * together): the source is forgotten, and every lane begins anew.
 */
#include "formats/ete/frames.h"

#include <string.h>

#include "base/bytes.h"

enum { BARRIER = 4, FIRST_RESERVED = 0x70 };
static const uint32_t FSYNC = 0x7fffffff;
static const uint16_t HSYNC = 0x7fff;

static void forget(struct ete_frames *f)
{
	f->id = f->run_lane = -1;
	for (int i = 0; i < ETE_IDS; i++)
		f->lane_of[i] = -1;
}

void ete_frames_init(struct ete_frames *f, struct cairn *c, enum ete_framing framing)
{
	*f = (struct ete_frames){.c = c, .framing = framing};
	forget(f);
}

void ete_frames_free(struct ete_frames *f)
{
	for (size_t i = 0; i < f->n_lanes; i++) {
		base_buf_free(&f->lanes[i].bytes);
		base_buf_free(&f->lanes[i].runs);
	}
	if (f->c)
		base_free(f->c, f->lanes);
	f->lanes = NULL;
	f->n_lanes = 0;
}

static int new_lane(struct ete_frames *f, int id)
{
	struct ete_lane *p = base_realloc(f->c, f->lanes, (f->n_lanes + 1) * sizeof *p);
	if (!p)
		return CAIRN_E_NOMEM;
	f->lanes = p;
	p += f->n_lanes;
	p->id = (uint8_t)id;
	base_buf_init(&p->bytes, f->c);
	base_buf_init(&p->runs, f->c);
	f->lane_of[id] = (int)f->n_lanes++;
	return 0;
}

/* One byte of the source that owns it now; it stood at `off`. */
static int put(struct ete_frames *f, int id, uint8_t byte, uint64_t off)
{
	int rc = 0;
	if (id < 0) {
		f->ownerless++;
		return 0;
	}
	if (id == 0 || id == ETE_ID_TRIGGER)
		return 0;
	if (id >= FIRST_RESERVED) {
		if (!f->reserved++)
			f->reserved_at = off;
		return 0;
	}
	if (f->lane_of[id] < 0) {
		rc = new_lane(f, id);
		if (rc < 0)
			return rc;
	}
	struct ete_lane *lane = &f->lanes[f->lane_of[id]];
	if (f->run_lane != f->lane_of[id] || f->run_next != off) {
		struct ete_run run = {lane->bytes.len, off};
		rc = base_buf_put(&lane->runs, &run, sizeof run);
		f->run_lane = f->lane_of[id];
	}
	f->run_next = off + 1;
	return rc < 0 ? rc : base_buf_put(&lane->bytes, &byte, 1);
}

/* `at[i]`: where byte i stood. */
static int take_frame(struct ete_frames *f, const uint8_t *p, const uint64_t *at)
{
	unsigned flags = p[15];
	int rc = 0;
	for (unsigned i = 0; i < 15 && rc >= 0; i += 2, flags >>= 1) {
		bool names = p[i] & 1;
		if (!names) {
			rc = put(f, f->id, (uint8_t)(p[i] | (flags & 1)), at[i]);
			if (i < 14 && rc >= 0)
				rc = put(f, f->id, p[i + 1], at[i + 1]);
			continue;
		}
		int old = f->id, id = p[i] >> 1;
		if (i < 14)
			rc = put(f, flags & 1 ? old : id, p[i + 1], at[i + 1]);
		f->id = id;
	}
	return rc;
}

/* All of it at once, when a frame holds one source's bytes only and no ID: that is how
 * nearly all frames of a single busy source look. */
static int take_plain(struct ete_frames *f, const uint8_t *p, uint64_t off, bool *taken)
{
	uint8_t out[15];
	uint64_t a = base_le64(p), b = base_le64(p + 8);
	*taken = false;
	if ((a | (b & 0x00ffffffffffffff)) & 0x0001000100010001 || f->id <= 0 ||
	    f->id >= FIRST_RESERVED || f->lane_of[f->id] < 0)
		return 0;
	memcpy(out, p, 15);
	for (unsigned i = 0; i < 8; i++)
		out[2 * i] = (uint8_t)(out[2 * i] | (p[15] >> i & 1));
	struct ete_lane *lane = &f->lanes[f->lane_of[f->id]];
	struct ete_run run = {lane->bytes.len, off};
	*taken = true;
	f->run_lane = -1;
	int rc = base_buf_put(&lane->runs, &run, sizeof run);
	return rc < 0 ? rc : base_buf_put(&lane->bytes, out, sizeof out);
}

static void note_broken(struct ete_frames *f, uint64_t off)
{
	if (!f->broken++)
		f->broken_at = off;
}

/* Synchronisation words from `at` on: how many bytes. */
static size_t skip_sync(struct ete_frames *f, const uint8_t *p, size_t n, size_t at)
{
	size_t words = 0;
	while (n - at - 4 * words >= 4 && base_le32(p + at + 4 * words) == FSYNC)
		words++;
	if (f->framing == ETE_FRAMES) /* whole barriers only: frames stay at multiples of 16 */
		words -= words % BARRIER;
	if (words >= BARRIER) {
		forget(f);
		f->resets++;
	}
	return 4 * words;
}

/* Gather a frame from half words without those that synchronise. How many bytes were
 * used; *whole: there are 16. */
static size_t gather(const uint8_t *p, size_t n, size_t at, uint8_t *frame, uint64_t *places,
                     bool *whole)
{
	size_t used = 0;
	unsigned have = 0;
	while (have < ETE_FRAME && n - at - used >= 2) {
		const uint8_t *q = p + at + used;
		if (n - at - used >= 4 && base_le32(q) == FSYNC)
			break; /* nowhere but between frames: this one was cut short */
		used += 2;
		if (base_le16(q) == HSYNC)
			continue;
		for (unsigned i = 0; i < 2; i++, have++) {
			frame[have] = q[i];
			places[have] = (uint64_t)(q - p) + i;
		}
	}
	*whole = have == ETE_FRAME;
	return used;
}

static int take_synced(struct ete_frames *f, const uint8_t *p, size_t n)
{
	uint8_t frame[ETE_FRAME];
	uint64_t places[ETE_FRAME];
	int rc = 0;
	for (size_t at = 0; at < n && rc >= 0;) {
		size_t skipped = skip_sync(f, p, n, at);
		at += skipped;
		if (at == n)
			break;
		bool whole;
		size_t used = gather(p, n, at, frame, places, &whole);
		if (whole)
			rc = take_frame(f, frame, places);
		else
			note_broken(f, at);
		at += used;
		if (n - at < 2 && at < n) /* an odd last byte */
			at = n;
	}
	return rc;
}

static int take_aligned(struct ete_frames *f, const uint8_t *p, size_t n)
{
	uint64_t places[ETE_FRAME];
	int rc = 0;
	size_t at = 0;
	while (n - at >= ETE_FRAME && rc >= 0) {
		size_t skipped = skip_sync(f, p, n, at);
		if (skipped) {
			at += skipped;
			continue;
		}
		bool taken;
		rc = take_plain(f, p + at, at, &taken);
		if (rc >= 0 && !taken) {
			for (unsigned i = 0; i < ETE_FRAME; i++)
				places[i] = at + i;
			rc = take_frame(f, p + at, places);
		}
		at += ETE_FRAME;
	}
	if (at < n)
		note_broken(f, at);
	return rc;
}

int ete_frames_take(struct ete_frames *f, const uint8_t *p, size_t n)
{
	return f->framing == ETE_FRAMES_SYNC ? take_synced(f, p, n) : take_aligned(f, p, n);
}

uint64_t ete_lane_offset(const struct ete_lane *lane, uint64_t pos)
{
	const struct ete_run *runs = (const struct ete_run *)(const void *)lane->runs.data;
	size_t lo = 0, hi = lane->runs.len / sizeof *runs;
	if (!hi)
		return pos;
	while (hi - lo > 1) { /* the last run that does not begin behind it */
		size_t mid = lo + (hi - lo) / 2;
		if (runs[mid].pos <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return runs[lo].off + (pos - runs[lo].pos);
}
