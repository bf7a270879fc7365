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
 *
 * The caller may not know which IDs belong to trace units that we decode. The bytes of such an ID
 * are searched for an Async with a Trace Info behind it, byte by byte, so that the result does not
 * depend on the pieces in which they come.
 */
#include "formats/ete/read/frames.h"

#include <string.h>

#include "base/bytes.h"

enum { BARRIER = 4, ASYNC_ZEROS = 11, SYNCED = 0x100, UNSEEN_MOST = 2 << 20 };
/* A word is the half words FIRST and HSYNC. */
static const uint16_t FIRST = 0xffff, HSYNC = 0x7fff;

static void frames_forget(struct ete_frames *frames)
{
	frames->id = -1;
	frames->run_lane = NULL;
	for (size_t i = 0; i < frames->n_lanes; i++)
		frames->lanes[i]->ended = true;
	memset(frames->lane_of, 0, sizeof frames->lane_of);
}

void ete_frames_init(struct ete_frames *frames, struct cairn *cairn, enum ete_framing framing)
{
	*frames = (struct ete_frames){.cairn = cairn, .framing = framing};
	frames_forget(frames);
}

/* ---- lanes ---- */

static void free_lane(struct cairn *cairn, struct ete_lane *lane)
{
	base_buf_free(&lane->bytes);
	base_buf_free(&lane->runs);
	base_free(cairn, lane);
}

void ete_frames_free(struct ete_frames *frames)
{
	for (size_t i = 0; i < frames->n_lanes; i++)
		free_lane(frames->cairn, frames->lanes[i]);
	if (frames->cairn)
		base_free(frames->cairn, frames->lanes);
	if (frames->cairn)
		base_free(frames->cairn, frames->resume);
	frames->resume = NULL;
	frames->lanes = NULL;
	frames->n_lanes = 0;
}

struct ete_lane *ete_lane_add(struct ete_frames *frames)
{
	struct ete_lane *lane = base_alloc(frames->cairn, sizeof *lane), **last;
	last = lane ? base_append(frames->cairn, &frames->lanes, &frames->n_lanes, sizeof *last) : NULL;
	if (!last) {
		base_free(frames->cairn, lane);
		return NULL;
	}
	*last = lane;
	base_buf_init(&lane->bytes, frames->cairn);
	base_buf_init(&lane->runs, frames->cairn);
	return lane;
}

void ete_lane_remove(struct ete_frames *frames, struct ete_lane *lane)
{
	size_t i = 0;
	while (frames->lanes[i] != lane)
		i++;
	frames->n_lanes--;
	memmove(frames->lanes + i, frames->lanes + i + 1,
	        (frames->n_lanes - i) * sizeof *frames->lanes);
	free_lane(frames->cairn, lane);
}

const uint8_t *ete_lane_bytes(const struct ete_lane *lane, uint64_t pos)
{
	return lane->map ? lane->map + pos : lane->bytes.data + (pos - lane->start);
}

/* The run that holds a position. */
static size_t frames_run_at(const struct base_buf *buf, uint64_t pos)
{
	const struct ete_run *runs = (const struct ete_run *)(const void *)buf->data;
	size_t lo = 0, hi = buf->len / sizeof *runs;
	while (lo < hi)
		base_halve(&lo, &hi, runs[base_half(lo, hi)].pos <= pos);
	return lo ? lo - 1 : 0;
}

uint64_t ete_runs_offset(const struct base_buf *buf, uint64_t pos)
{
	const struct ete_run *runs = (const struct ete_run *)(const void *)buf->data;
	size_t i = frames_run_at(buf, pos);
	return buf->len ? runs[i].off + (pos - runs[i].pos) : pos;
}

int ete_lane_runs(const struct ete_lane *lane, uint64_t from, uint64_t to, struct base_buf *out)
{
	size_t first = frames_run_at(&lane->runs, from), last = frames_run_at(&lane->runs, to);
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

/* Wait until less is to be moved than is dropped, which keeps this cheap. */
void ete_lane_trim(struct ete_lane *lane)
{
	size_t n = (size_t)(lane->at - lane->start);
	if (lane->map || n < lane->bytes.len / 2)
		return;
	drop_front(&lane->bytes, n);
	lane->start = lane->at;
	if (lane->runs.len)
		drop_front(&lane->runs, frames_run_at(&lane->runs, lane->at) * sizeof(struct ete_run));
}

/* ---- whose an ID is ---- */

static void count_unclaimed(struct ete_frames *frames, unsigned id, int unit, uint64_t n,
                            uint64_t off)
{
	struct ete_unclaimed *unclaimed = &frames->unclaimed[id];
	if (!unclaimed->n || off < unclaimed->at)
		unclaimed->at = off;
	unclaimed->unit = unit;
	unclaimed->n += n;
}

static void frames_give_up(struct ete_frames *frames, struct ete_lane *lane)
{
	const struct ete_run *first = (const struct ete_run *)(const void *)lane->runs.data;
	count_unclaimed(frames, lane->id, ETE_OTHER, lane->end, lane->runs.len ? first->off : 0);
	if (frames->lane_of[lane->id] == lane)
		frames->lane_of[lane->id] = NULL;
	if (frames->run_lane == lane)
		frames->run_lane = NULL;
	ete_lane_remove(frames, lane);
}

void ete_frames_settle(struct ete_frames *frames)
{
	for (size_t i = frames->n_lanes; i-- > 0;)
		if (frames->lanes[i]->unit == ETE_UNSEEN)
			frames_give_up(frames, frames->lanes[i]);
}

/* Does an ID synchronise with these bytes? An Async is eleven zeros and 80; what may stand
 * behind one of a trace unit that is decoded is a Trace Info, events, Ignores (source.c). */
static bool synchronises(struct ete_lane *lane, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (lane->zeros == SYNCED && ete_follows_async(p[i]))
			return true;
		if (p[i] == 0x80 && lane->zeros >= ASYNC_ZEROS && lane->zeros < SYNCED)
			lane->zeros = SYNCED;
		else if (p[i])
			lane->zeros = 0;
		else
			lane->zeros = lane->zeros < ASYNC_ZEROS ? lane->zeros + 1
			              : lane->zeros == SYNCED   ? 1
			                                        : ASYNC_ZEROS;
	}
	return false;
}

/* Bytes of an ID of which nothing is known have come. */
static void frames_watch(struct ete_frames *frames, struct ete_lane *lane, const uint8_t *p,
                         size_t n)
{
	if (synchronises(lane, p, n)) {
		int unit = frames->unit_of(frames->user, lane->id, true);
		for (size_t i = 0; i < frames->n_lanes; i++) /* those before a barrier, too */
			if (frames->lanes[i]->id == lane->id)
				frames->lanes[i]->unit = unit;
	} else if (lane->bytes.len > UNSEEN_MOST) {
		frames_give_up(frames, lane);
	}
}

/* ---- frames ---- */

static int lane_put(struct ete_frames *frames, struct ete_lane *lane, const uint8_t *p, size_t n,
                    uint64_t off)
{
	int rc = 0;
	if (frames->resume && off < frames->resume[lane->id].off) { /* read before */
		uint64_t skip = frames->resume[lane->id].off - off;
		if (skip >= n)
			return 0;
		p += skip;
		n -= (size_t)skip;
		off += skip;
	}
	if (frames->run_lane != lane || frames->run_next != off) {
		struct ete_run run = {lane->end, off};
		rc = base_buf_put(&lane->runs, &run, sizeof run);
	}
	frames->run_lane = lane;
	frames->run_next = off + n;
	lane->end += n;
	if (rc >= 0)
		rc = base_buf_put(&lane->bytes, p, n);
	if (rc >= 0 && lane->unit == ETE_UNSEEN)
		frames_watch(frames, lane, p, n);
	return rc;
}

/* A byte of a source that has no lane yet. */
static int put_first(struct ete_frames *frames, int id, uint8_t byte, uint64_t off)
{
	const struct ete_unclaimed *unclaimed = &frames->unclaimed[id];
	int unit = unclaimed->n      ? unclaimed->unit
	           : frames->unit_of ? frames->unit_of(frames->user, (unsigned)id, false)
	                             : 0;
	if (unit < 0 && unit != ETE_UNSEEN) {
		count_unclaimed(frames, (unsigned)id, unit, 1, off);
		return 0;
	}
	struct ete_lane *lane = frames->lane_of[id] = ete_lane_add(frames);
	if (!lane)
		return CAIRN_E_NOMEM;
	lane->id = (uint8_t)id;
	lane->unit = unit;
	if (frames->resume && frames->resume[id].begun)
		lane->start = lane->end = lane->at = 1;
	if (frames->resume && frames->resume[id].want)
		lane->want = lane->at + frames->resume[id].want;
	return lane_put(frames, lane, &byte, 1, off);
}

/* Take a byte of the present source; it stood at `off`. */
static int frames_put(struct ete_frames *frames, int id, uint8_t byte, uint64_t off)
{
	if (id < 0) {
		frames->ownerless++;
		return 0;
	}
	if (id == 0 || id == ETE_ID_TRIGGER)
		return 0;
	if (id >= ETE_FIRST_RESERVED) {
		if (!frames->reserved++)
			frames->reserved_at = off;
		return 0;
	}
	struct ete_lane *lane = frames->lane_of[id];
	return lane ? lane_put(frames, lane, &byte, 1, off) : put_first(frames, id, byte, off);
}

/* `at[i]`: where byte i stood. */
static int take_frame(struct ete_frames *frames, const uint8_t *p, const uint64_t *at)
{
	unsigned flags = p[15];
	int rc = 0;
	for (unsigned i = 0; i < 15 && rc >= 0; i += 2, flags >>= 1) {
		bool names = p[i] & 1;
		if (!names) {
			rc = frames_put(frames, frames->id, (uint8_t)(p[i] | (flags & 1)), at[i]);
			if (i < 14 && rc >= 0)
				rc = frames_put(frames, frames->id, p[i + 1], at[i + 1]);
			continue;
		}
		int old = frames->id, id = p[i] >> 1;
		if (i < 14)
			rc = frames_put(frames, flags & 1 ? old : id, p[i + 1], at[i + 1]);
		frames->id = id;
	}
	return rc;
}

/* All of it at once, when a frame holds one source's bytes only and no ID: that is how
 * nearly all frames of a single busy source look. */
static int take_plain(struct ete_frames *frames, const uint8_t *p, uint64_t off, bool *taken)
{
	uint8_t out[15];
	uint64_t a = base_le64(p), b = base_le64(p + 8);
	*taken = false;
	if ((a | (b & 0x00ffffffffffffff)) & 0x0001000100010001 || frames->id <= 0 ||
	    frames->id >= ETE_FIRST_RESERVED || !frames->lane_of[frames->id])
		return 0;
	memcpy(out, p, 15);
	for (unsigned i = 0; i < 8; i++)
		out[2 * i] = (uint8_t)(out[2 * i] | (p[15] >> i & 1));
	*taken = true;
	return lane_put(frames, frames->lane_of[frames->id], out, sizeof out, off);
}

static void note_broken(struct ete_frames *frames, uint64_t off)
{
	if (!frames->broken++)
		frames->broken_at = off;
}

/* The bytes end within a frame: its last bytes may be those of a source that is not decoded. */
static void end_broken(struct ete_frames *frames, uint64_t off)
{
	note_broken(frames, off);
	frames->cut_short = true;
	frames->broken_id = frames->id;
}

static void frames_barrier(struct ete_frames *frames, uint64_t behind)
{
	frames_forget(frames);
	frames->resets++;
	frames->reset_at = behind;
}

/* Drop everything before the byte at `pos`. If its own frame does not name its source, the source
 * is the one that owned the frame's beginning. */
int ete_frames_resume(struct ete_frames *frames, uint64_t pos, int id,
                      const struct ete_resume *resume)
{
	frames->resume = base_alloc(frames->cairn, ETE_IDS * sizeof *resume);
	if (!frames->resume)
		return CAIRN_E_NOMEM;
	memcpy(frames->resume, resume, ETE_IDS * sizeof *resume);
	frames->pos = pos - pos % ETE_FRAME;
	frames->id = id;
	return 0;
}

/* Take a half word of a frame; `at`: where it stands. */
static int take_half(struct ete_frames *frames, uint16_t half, uint64_t at)
{
	frames->words = 0;
	if (half == HSYNC)
		return 0;
	for (unsigned i = 0; i < 2; i++, frames->have++) {
		frames->frame[frames->have] = (uint8_t)(half >> 8 * i);
		frames->places[frames->have] = at + i;
	}
	if (frames->have < ETE_FRAME)
		return 0;
	frames->have = 0;
	return take_frame(frames, frames->frame, frames->places);
}

static void take_word(struct ete_frames *frames, uint64_t behind)
{
	if (frames->have) /* these stand only between frames: this frame was cut short */
		note_broken(frames, frames->places[0]);
	frames->have = 0;
	if (++frames->words == BARRIER)
		frames_barrier(frames, behind);
}

/* Frames with synchronisation words between them and half words in them. A word may lie on
 * both sides of a block's end. */
static int take_synced(struct ete_frames *frames, const uint8_t *p, size_t n, bool last,
                       size_t *used)
{
	size_t at = 0;
	int rc = 0;
	for (; n - at >= 2 && rc >= 0; at += 2) {
		uint64_t place = frames->pos + at;
		uint16_t half = base_le16(p + at);
		if (frames->framing == ETE_FRAMES_BLOCKS && place % ETE_BLOCK >= ETE_BLOCK - ETE_FOOTER)
			continue;
		if (frames->half && half == HSYNC) {
			frames->half = false;
			take_word(frames, place + 2);
			continue;
		}
		if (frames->half)
			rc = take_half(frames, FIRST, frames->half_at);
		frames->half = half == FIRST;
		frames->half_at = place;
		if (!frames->half && rc >= 0)
			rc = take_half(frames, half, place);
	}
	if (last && frames->half && rc >= 0)
		rc = take_half(frames, FIRST, frames->half_at);
	if (last && (frames->have || at < n))
		end_broken(frames, frames->have ? frames->places[0] : frames->pos + at);
	*used = last ? n : at;
	return rc;
}

/* Frames at multiples of 16; between them whole barriers only. */
static int take_aligned(struct ete_frames *frames, const uint8_t *p, size_t n, bool last,
                        size_t *used)
{
	uint64_t places[ETE_FRAME];
	int rc = 0;
	size_t at = 0;
	for (; n - at >= ETE_FRAME && rc >= 0; at += ETE_FRAME) {
		static const uint8_t fsyncs[ETE_FRAME] = {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
		                                          0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f};
		if (p[at] == 0xff && !memcmp(p + at, fsyncs, ETE_FRAME)) {
			frames_barrier(frames, frames->pos + at + ETE_FRAME);
			continue;
		}
		bool taken;
		rc = take_plain(frames, p + at, frames->pos + at, &taken);
		if (rc >= 0 && !taken) {
			for (unsigned i = 0; i < ETE_FRAME; i++)
				places[i] = frames->pos + at + i;
			rc = take_frame(frames, p + at, places);
		}
	}
	if (last && at < n)
		end_broken(frames, frames->pos + at);
	*used = last ? n : at;
	return rc;
}

/* The number of oddities in frames. The fewer there are, the likelier they are read as they were
 * written. */
static uint64_t oddities(struct cairn *cairn, const uint8_t *p, size_t n, enum ete_framing framing)
{
	struct ete_frames frames;
	size_t used;
	ete_frames_init(&frames, cairn, framing);
	int rc = ete_frames_take(&frames, p, n, false, &used);
	uint64_t found = rc < 0 ? UINT64_MAX : frames.broken + frames.reserved;
	ete_frames_free(&frames);
	return found;
}

bool ete_frames_in_blocks(struct cairn *cairn, const uint8_t *p, size_t n)
{
	if (n < 2 * (size_t)ETE_BLOCK)
		return false;
	uint64_t plain = oddities(cairn, p, n, ETE_FRAMES_SYNC);
	return plain && oddities(cairn, p, n, ETE_FRAMES_BLOCKS) < (plain + 3) / 4;
}

int ete_frames_take(struct ete_frames *frames, const uint8_t *p, size_t n, bool last, size_t *used)
{
	int rc = frames->framing == ETE_FRAMES ? take_aligned(frames, p, n, last, used)
	                                       : take_synced(frames, p, n, last, used);
	frames->pos += *used;
	if (last)
		frames_forget(frames);
	return rc;
}
