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
 * Whether an ID is a trace unit's that we decode, nobody may have told. Then its bytes are
 * watched for an Async with a Trace Info behind it, byte by byte: so what is found does not
 * depend on the pieces they come in.
 */
#include "formats/ete/frames.h"

#include <string.h>

#include "base/bytes.h"

enum { BARRIER = 4, ASYNC_ZEROS = 11, SYNCED = 0x100, UNSEEN_MOST = 2 << 20 };
/* A word is the half words FIRST and HSYNC. */
static const uint16_t FIRST = 0xffff, HSYNC = 0x7fff;

static void frames_forget(struct ete_frames *f)
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
	frames_forget(f);
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
static size_t frames_run_at(const struct base_buf *buf, uint64_t pos)
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

/* Not before what is to be moved is less than what goes: that makes it cheap. */
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

static void count_unclaimed(struct ete_frames *f, unsigned id, int unit, uint64_t n, uint64_t off)
{
	struct ete_unclaimed *u = &f->unclaimed[id];
	if (!u->n || off < u->at)
		u->at = off;
	u->unit = unit;
	u->n += n;
}

static void frames_give_up(struct ete_frames *f, struct ete_lane *lane)
{
	const struct ete_run *first = (const struct ete_run *)(const void *)lane->runs.data;
	count_unclaimed(f, lane->id, ETE_OTHER, lane->end, lane->runs.len ? first->off : 0);
	if (f->lane_of[lane->id] == lane)
		f->lane_of[lane->id] = NULL;
	if (f->run_lane == lane)
		f->run_lane = NULL;
	ete_lane_remove(f, lane);
}

void ete_frames_settle(struct ete_frames *f)
{
	for (size_t i = f->n_lanes; i-- > 0;)
		if (f->lanes[i]->unit == ETE_UNSEEN)
			frames_give_up(f, f->lanes[i]);
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

/* The bytes of an ID nobody told of have come. */
static void frames_watch(struct ete_frames *f, struct ete_lane *lane, const uint8_t *p, size_t n)
{
	if (synchronises(lane, p, n)) {
		int unit = f->unit_of(f->user, lane->id, true);
		for (size_t i = 0; i < f->n_lanes; i++) /* those before a barrier, too */
			if (f->lanes[i]->id == lane->id)
				f->lanes[i]->unit = unit;
	} else if (lane->bytes.len > UNSEEN_MOST) {
		frames_give_up(f, lane);
	}
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
	if (rc >= 0)
		rc = base_buf_put(&lane->bytes, p, n);
	if (rc >= 0 && lane->unit == ETE_UNSEEN)
		frames_watch(f, lane, p, n);
	return rc;
}

/* A byte of a source that has no lane yet. */
static int put_first(struct ete_frames *f, int id, uint8_t byte, uint64_t off)
{
	const struct ete_unclaimed *u = &f->unclaimed[id];
	int unit = u->n ? u->unit : f->unit_of ? f->unit_of(f->user, (unsigned)id, false) : 0;
	if (unit < 0 && unit != ETE_UNSEEN) {
		count_unclaimed(f, (unsigned)id, unit, 1, off);
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
static int frames_put(struct ete_frames *f, int id, uint8_t byte, uint64_t off)
{
	if (id < 0) {
		f->ownerless++;
		return 0;
	}
	if (id == 0 || id == ETE_ID_TRIGGER)
		return 0;
	if (id >= ETE_FIRST_RESERVED) {
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
			rc = frames_put(f, f->id, (uint8_t)(p[i] | (flags & 1)), at[i]);
			if (i < 14 && rc >= 0)
				rc = frames_put(f, f->id, p[i + 1], at[i + 1]);
			continue;
		}
		int old = f->id, id = p[i] >> 1;
		if (i < 14)
			rc = frames_put(f, flags & 1 ? old : id, p[i + 1], at[i + 1]);
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
	    f->id >= ETE_FIRST_RESERVED || !f->lane_of[f->id])
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

/* The bytes end within a frame: its own bytes may be those of a source that is not decoded. */
static void end_broken(struct ete_frames *f, uint64_t off)
{
	note_broken(f, off);
	f->cut_short = true;
	f->broken_id = f->id;
}

static void frames_barrier(struct ete_frames *f, uint64_t behind)
{
	frames_forget(f);
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

/* A half word of a frame; `at`: where it stands. */
static int take_half(struct ete_frames *f, uint16_t half, uint64_t at)
{
	f->words = 0;
	if (half == HSYNC)
		return 0;
	for (unsigned i = 0; i < 2; i++, f->have++) {
		f->frame[f->have] = (uint8_t)(half >> 8 * i);
		f->places[f->have] = at + i;
	}
	if (f->have < ETE_FRAME)
		return 0;
	f->have = 0;
	return take_frame(f, f->frame, f->places);
}

static void take_word(struct ete_frames *f, uint64_t behind)
{
	if (f->have) /* nowhere but between frames: this one was cut short */
		note_broken(f, f->places[0]);
	f->have = 0;
	if (++f->words == BARRIER)
		frames_barrier(f, behind);
}

/* Frames with synchronisation words between them and half words in them. A word may lie on
 * both sides of a block's end. */
static int take_synced(struct ete_frames *f, const uint8_t *p, size_t n, bool last, size_t *used)
{
	size_t at = 0;
	int rc = 0;
	for (; n - at >= 2 && rc >= 0; at += 2) {
		uint64_t place = f->pos + at;
		uint16_t half = base_le16(p + at);
		if (f->framing == ETE_FRAMES_BLOCKS && place % ETE_BLOCK >= ETE_BLOCK - ETE_FOOTER)
			continue;
		if (f->half && half == HSYNC) {
			f->half = false;
			take_word(f, place + 2);
			continue;
		}
		if (f->half)
			rc = take_half(f, FIRST, f->half_at);
		f->half = half == FIRST;
		f->half_at = place;
		if (!f->half && rc >= 0)
			rc = take_half(f, half, place);
	}
	if (last && f->half && rc >= 0)
		rc = take_half(f, FIRST, f->half_at);
	if (last && (f->have || at < n))
		end_broken(f, f->have ? f->places[0] : f->pos + at);
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
		static const uint8_t fsyncs[ETE_FRAME] = {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
		                                          0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f};
		if (p[at] == 0xff && !memcmp(p + at, fsyncs, ETE_FRAME)) {
			frames_barrier(f, f->pos + at + ETE_FRAME);
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
		end_broken(f, f->pos + at);
	*used = last ? n : at;
	return rc;
}

/* What is wrong with frames: the less, the likelier they are read as they were written. */
static uint64_t oddities(struct cairn *c, const uint8_t *p, size_t n, enum ete_framing framing)
{
	struct ete_frames f;
	size_t used;
	ete_frames_init(&f, c, framing);
	int rc = ete_frames_take(&f, p, n, false, &used);
	uint64_t found = rc < 0 ? UINT64_MAX : f.broken + f.reserved;
	ete_frames_free(&f);
	return found;
}

bool ete_frames_in_blocks(struct cairn *c, const uint8_t *p, size_t n)
{
	if (n < 2 * (size_t)ETE_BLOCK)
		return false;
	uint64_t plain = oddities(c, p, n, ETE_FRAMES_SYNC);
	return plain && oddities(c, p, n, ETE_FRAMES_BLOCKS) < (plain + 3) / 4;
}

int ete_frames_take(struct ete_frames *f, const uint8_t *p, size_t n, bool last, size_t *used)
{
	int rc = f->framing == ETE_FRAMES ? take_aligned(f, p, n, last, used)
	                                  : take_synced(f, p, n, last, used);
	f->pos += *used;
	if (last)
		frames_forget(f);
	return rc;
}
