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
	f->id = -1;
	f->run_lane = NULL;
	for (size_t i = 0; i < f->n_lanes; i++)
		f->lanes[i]->ended = true;
	memset(f->lane_of, 0, sizeof f->lane_of);
}

void ete_frames_init(struct ete_frames *f, struct cairn *c, enum ete_framing framing)
{
	*f = (struct ete_frames){.c = c, .framing = framing};
	forget(f);
}

/* ---- lanes ---- */

static void free_lane(struct cairn *c, struct ete_lane *lane)
{
	base_buf_free(&lane->bytes);
	base_buf_free(&lane->runs);
	base_free(c, lane);
}

void ete_frames_free(struct ete_frames *f)
{
	for (size_t i = 0; i < f->n_lanes; i++)
		free_lane(f->c, f->lanes[i]);
	if (f->c)
		base_free(f->c, f->lanes);
	if (f->c)
		base_free(f->c, f->resume);
	f->resume = NULL;
	f->lanes = NULL;
	f->n_lanes = 0;
}

struct ete_lane *ete_lane_add(struct ete_frames *f)
{
	struct ete_lane **p = f->lanes, *lane = base_alloc(f->c, sizeof *lane);
	if (lane && !(f->n_lanes & (f->n_lanes - 1))) /* room for a power of two */
		p = base_realloc(f->c, f->lanes, (f->n_lanes ? 2 * f->n_lanes : 1) * sizeof *p);
	if (!lane || !p) {
		base_free(f->c, lane);
		return NULL;
	}
	f->lanes = p;
	f->lanes[f->n_lanes++] = lane;
	base_buf_init(&lane->bytes, f->c);
	base_buf_init(&lane->runs, f->c);
	return lane;
}

void ete_lane_remove(struct ete_frames *f, struct ete_lane *lane)
{
	size_t i = 0;
	while (f->lanes[i] != lane)
		i++;
	f->n_lanes--;
	memmove(f->lanes + i, f->lanes + i + 1, (f->n_lanes - i) * sizeof *f->lanes);
	free_lane(f->c, lane);
}

const uint8_t *ete_lane_bytes(const struct ete_lane *lane, uint64_t pos)
{
	return lane->map ? lane->map + pos : lane->bytes.data + (pos - lane->start);
}

/* The run that holds a position. */
static size_t run_at(const struct base_buf *buf, uint64_t pos)
{
	const struct ete_run *runs = (const struct ete_run *)(const void *)buf->data;
	size_t lo = 0, hi = buf->len / sizeof *runs;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (runs[mid].pos <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

uint64_t ete_runs_offset(const struct base_buf *buf, uint64_t pos)
{
	const struct ete_run *runs = (const struct ete_run *)(const void *)buf->data;
	size_t i = run_at(buf, pos);
	return buf->len ? runs[i].off + (pos - runs[i].pos) : pos;
}

int ete_lane_runs(const struct ete_lane *lane, uint64_t from, uint64_t to, struct base_buf *out)
{
	size_t first = run_at(&lane->runs, from), last = run_at(&lane->runs, to);
	if (!lane->runs.len)
		return 0;
	return base_buf_put(out, lane->runs.data + first * sizeof(struct ete_run),
	                    (last + 1 - first) * sizeof(struct ete_run));
}

static void drop_front(struct base_buf *buf, size_t n)
{
	buf->len -= n;
	memmove(buf->data, buf->data + n, buf->len);
}

/* Not before what is to be moved is less than what goes: that makes it cheap. */
void ete_lane_trim(struct ete_lane *lane)
{
	size_t n = (size_t)(lane->at - lane->start);
	if (lane->map || n < lane->bytes.len / 2)
		return;
	drop_front(&lane->bytes, n);
	lane->start = lane->at;
	if (lane->runs.len)
		drop_front(&lane->runs, run_at(&lane->runs, lane->at) * sizeof(struct ete_run));
}

/* ---- frames ---- */

static int lane_put(struct ete_frames *f, struct ete_lane *lane, const uint8_t *p, size_t n,
                    uint64_t off)
{
	int rc = 0;
	if (f->resume && off < f->resume[lane->id].off) { /* read before */
		uint64_t skip = f->resume[lane->id].off - off;
		if (skip >= n)
			return 0;
		p += skip;
		n -= (size_t)skip;
		off += skip;
	}
	if (f->run_lane != lane || f->run_next != off) {
		struct ete_run run = {lane->end, off};
		rc = base_buf_put(&lane->runs, &run, sizeof run);
	}
	f->run_lane = lane;
	f->run_next = off + n;
	lane->end += n;
	return rc < 0 ? rc : base_buf_put(&lane->bytes, p, n);
}

/* A byte of a source that has no lane yet. */
static int put_first(struct ete_frames *f, int id, uint8_t byte, uint64_t off)
{
	struct ete_unclaimed *u = &f->unclaimed[id];
	int unit = u->n ? u->unit : f->unit_of ? f->unit_of(f->user, (unsigned)id) : 0;
	if (unit < 0) {
		u->unit = unit;
		if (!u->n++)
			u->at = off;
		return 0;
	}
	struct ete_lane *lane = f->lane_of[id] = ete_lane_add(f);
	if (!lane)
		return CAIRN_E_NOMEM;
	lane->id = (uint8_t)id;
	lane->unit = unit;
	if (f->resume && f->resume[id].begun)
		lane->start = lane->end = lane->at = 1;
	if (f->resume && f->resume[id].want)
		lane->want = lane->at + f->resume[id].want;
	return lane_put(f, lane, &byte, 1, off);
}

/* One byte of the source that owns it now; it stood at `off`. */
static int put(struct ete_frames *f, int id, uint8_t byte, uint64_t off)
{
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
	struct ete_lane *lane = f->lane_of[id];
	return lane ? lane_put(f, lane, &byte, 1, off) : put_first(f, id, byte, off);
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
	    f->id >= FIRST_RESERVED || !f->lane_of[f->id])
		return 0;
	memcpy(out, p, 15);
	for (unsigned i = 0; i < 8; i++)
		out[2 * i] = (uint8_t)(out[2 * i] | (p[15] >> i & 1));
	*taken = true;
	return lane_put(f, f->lane_of[f->id], out, sizeof out, off);
}

static void note_broken(struct ete_frames *f, uint64_t off)
{
	if (!f->broken++)
		f->broken_at = off;
}

static void barrier(struct ete_frames *f, uint64_t behind)
{
	forget(f);
	f->resets++;
	f->reset_at = behind;
}

/* Before the byte at `pos` all is dropped; so if its own frame does not name its source, who
 * owned the frame's beginning is its source. */
int ete_frames_resume(struct ete_frames *f, uint64_t pos, int id, const struct ete_resume *resume)
{
	f->resume = base_alloc(f->c, ETE_IDS * sizeof *resume);
	if (!f->resume)
		return CAIRN_E_NOMEM;
	memcpy(f->resume, resume, ETE_IDS * sizeof *resume);
	f->pos = pos - pos % ETE_FRAME;
	f->id = id;
	return 0;
}

/* Frames with synchronisation words between them and half words in them. */
static int take_synced(struct ete_frames *f, const uint8_t *p, size_t n, bool last, size_t *used)
{
	size_t at = 0;
	int rc = 0;
	while (n - at >= (last ? 2 : 4) && rc >= 0) {
		const uint8_t *q = p + at;
		if (n - at >= 4 && base_le32(q) == FSYNC) {
			if (f->have) /* nowhere but between frames: this one was cut short */
				note_broken(f, f->places[0]);
			f->have = 0;
			if (++f->words == BARRIER)
				barrier(f, f->pos + at + 4);
			at += 4;
			continue;
		}
		f->words = 0;
		at += 2;
		if (base_le16(q) == HSYNC)
			continue;
		for (unsigned i = 0; i < 2; i++, f->have++) {
			f->frame[f->have] = q[i];
			f->places[f->have] = f->pos + at - 2 + i;
		}
		if (f->have == ETE_FRAME) {
			f->have = 0;
			rc = take_frame(f, f->frame, f->places);
		}
	}
	if (last && (f->have || at < n))
		note_broken(f, f->have ? f->places[0] : f->pos + at);
	*used = last ? n : at;
	return rc;
}

/* Frames at multiples of 16; between them whole barriers only. */
static int take_aligned(struct ete_frames *f, const uint8_t *p, size_t n, bool last, size_t *used)
{
	uint64_t places[ETE_FRAME];
	int rc = 0;
	size_t at = 0;
	for (; n - at >= ETE_FRAME && rc >= 0; at += ETE_FRAME) {
		static const uint8_t fsyncs[ETE_FRAME] = {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff,
			0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f};
		if (p[at] == 0xff && !memcmp(p + at, fsyncs, ETE_FRAME)) {
			barrier(f, f->pos + at + ETE_FRAME);
			continue;
		}
		bool taken;
		rc = take_plain(f, p + at, f->pos + at, &taken);
		if (rc >= 0 && !taken) {
			for (unsigned i = 0; i < ETE_FRAME; i++)
				places[i] = f->pos + at + i;
			rc = take_frame(f, p + at, places);
		}
	}
	if (last && at < n)
		note_broken(f, f->pos + at);
	*used = last ? n : at;
	return rc;
}

int ete_frames_take(struct ete_frames *f, const uint8_t *p, size_t n, bool last, size_t *used)
{
	int rc = f->framing == ETE_FRAMES ? take_aligned(f, p, n, last, used)
	                                  : take_synced(f, p, n, last, used);
	f->pos += *used;
	if (last)
		forget(f);
	return rc;
}
