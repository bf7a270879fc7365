/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cutting: from the bytes of sources to spans.
 *
 * A span ends at the first place, at least a piece behind its beginning, where reading
 * can begin (flow.h). What is still open there is decided within LOOK bytes (what is open
 * for longer than CAIRN_ETE_WINDOW is given up), so a span is its bytes and so many
 * behind them; nothing else of a source need be in memory.
 *
 * Of several sources that one's span comes first whose bytes, LOOK included, are complete
 * first; where the session ends, in the order of their first bytes. So each source has at
 * most one unfinished span in memory, however seldom another one writes, and a file gives
 * the same as a pipe.
 */

#include "formats/ete/format.h"

enum {
	LOOK = CAIRN_ETE_WINDOW + (64 << 10),
	PACKET = 256,
	/* Length of a span. Copied ones are longer, because LOOK bytes are copied with each. */
	MAPPED = 64 << 10,
	COPIED = 256 << 10,
	FAR = 1 << 30, /* limit of bytes without a place where reading can begin */
	BEHIND = 32 << 20
};

uint64_t ete_place(const struct ete_span *sp, uint64_t pos)
{
	return sp->of->base + (sp->runs.len ? ete_runs_offset(&sp->runs, pos) : pos);
}

/* ---- where a span ends ---- */

/* The first place at or behind `from` where a span may begin, and the address it tells before
 * its first P0 element; the lane's end when there is none. */
static int find_place(struct cairn_reader *reader, struct ete_lane *lane, uint64_t from)
{
	const struct ete_impl *im = reader->impl;
	struct cairn_ete_flow_opts opts = {.size = sizeof opts};
	struct cairn_ete_flow *flow;
	struct cairn_ete_step step;
	lane->cut = lane->end;
	lane->ahead_known = false;
	if (from >= lane->end)
		return 0;
	int rc = cairn_ete_flow_open(reader->cairn, &im->programs[lane->unit].cfg, &opts,
	                             ete_lane_bytes(lane, lane->at), (size_t)(lane->end - lane->at),
	                             lane->at, &flow);
	if (rc < 0)
		return rc;
	rc = cairn_ete_flow_sync_set(flow, from);
	if (rc >= 0)
		rc = cairn_ete_flow_sync_forward(flow);
	if (rc >= 0)
		lane->cut = cairn_ete_flow_tell(flow);
	while (rc >= 0 && (rc = cairn_ete_flow_next(flow, &step)) > 0) {
		if (step.kind != CAIRN_ETE_STEP_ELEMENT || step.element->kind == CAIRN_ETE_TRACE_ON ||
		    (lane->ahead_known && ete_settles(step.element)) ||
		    step.offset >= lane->cut + CAIRN_ETE_WINDOW)
			break;
		if (step.element->kind == CAIRN_ETE_ADDRESS) {
			lane->ahead = step.element->address;
			lane->ahead_known = true;
		}
	}
	cairn_ete_flow_close(flow);
	return rc == CAIRN_E_NOTFOUND ? 0 : rc < 0 ? rc : 0;
}

/* How far following a span may have to look. What is open is given up a packet behind the window,
 * and zeros may all be one packet. UINT64_MAX: those bytes have not come yet. */
static uint64_t look_until(const struct ete_lane *lane)
{
	uint64_t pos = lane->cut + CAIRN_ETE_WINDOW, look = lane->cut + LOOK;
	if (look < lane->end) {
		const uint8_t *p = ete_lane_bytes(lane, pos), *end = ete_lane_bytes(lane, lane->end);
		for (; p < end && !*p; p++)
			pos++;
		look = pos + PACKET < look ? look : pos + PACKET;
	}
	return look < lane->end ? look : lane->ended ? lane->end : UINT64_MAX;
}

/* Are the bytes of the next span there? */
static int look_for_span(struct cairn_reader *reader, struct ete_lane *lane)
{
	const struct ete_impl *im = reader->impl;
	size_t piece = im->piece ? im->piece : lane->map ? MAPPED : COPIED;
	uint64_t have = lane->end - lane->at, least = piece + (uint64_t)LOOK;
	if (!lane->want)
		lane->want = lane->at + least;
	if (!lane->ended && lane->end < lane->want)
		return 0;
	int rc = find_place(reader, lane, piece < have ? lane->at + piece : lane->end);
	if (rc < 0)
		return rc;
	lane->look = look_until(lane);
	lane->ready = lane->look != UINT64_MAX;
	if (!lane->ready && have > FAR)
		return base_fail(reader->cairn, CAIRN_E_LIMIT,
		                 "%s: nowhere within %u bytes does the trace synchronise",
		                 io_name(reader->io), (unsigned)FAR);
	lane->want = lane->end + (have > least ? have : least);
	return 0;
}

/* The lane whose span comes next; *out NULL: more bytes must come first. */
static int next_lane(struct cairn_reader *reader, struct ete_loaded *of, struct ete_lane **out)
{
	uint64_t least = UINT64_MAX;
	*out = NULL;
	for (size_t i = 0; i < of->frames.n_lanes; i++) {
		struct ete_lane *lane = of->frames.lanes[i];
		if (lane->unit < 0 || lane->at == lane->end)
			continue;
		int rc = lane->ready ? 0 : look_for_span(reader, lane);
		if (rc < 0)
			return rc;
		uint64_t place = ete_runs_offset(&lane->runs, lane->at);
		if (lane->ready && place < least) {
			least = place;
			*out = lane;
		}
	}
	return 0;
}

/* The next lane that has a span, of this session or the next one: 1, 0, < 0. */
static int find_lane(struct cairn_reader *reader, struct model_span *span, struct ete_lane **lane)
{
	struct ete_impl *im = reader->impl;
	*lane = NULL;
	for (;;) {
		struct ete_loaded *of = im->now;
		int rc = of ? next_lane(reader, of, lane) : ete_session_next(reader, span);
		if (rc < 0 || *lane)
			return rc < 0 ? rc : 1;
		if (!of && rc == 0)
			return 0;
		if (of && of->last) {
			im->base += of->fed;
			ete_session_release(reader->cairn, of);
			im->now = NULL;
		} else if (of) {
			rc = ete_session_feed(reader, span, of);
			if (rc < 0)
				return rc;
		}
	}
}

/* ---- spans ---- */

/* The span's own bytes, and those behind it that it may need. */
static int cut_take_bytes(struct ete_span *sp, const struct ete_lane *lane)
{
	if (lane->map) {
		sp->p = lane->map;
		sp->n = (size_t)lane->end;
		sp->whole = true;
		return 0;
	}
	sp->from = lane->at;
	sp->n = (size_t)(lane->look - lane->at);
	sp->whole = lane->ended && lane->look == lane->end;
	int rc = base_buf_put(&sp->bytes, ete_lane_bytes(lane, lane->at), sp->n);
	if (rc >= 0)
		rc = ete_lane_runs(lane, lane->at, lane->look, &sp->runs);
	sp->p = sp->bytes.data;
	return rc;
}

/* What an index needs to begin with this span: where each lane stands. Not if there are more lanes
 * than it keeps, nor across a barrier, nor if one stands too far behind: its bytes would have to be
 * sought among all the others. */
static int note_lanes(struct cairn_reader *reader, struct ete_span *sp, const struct ete_loaded *of)
{
	const struct ete_frames *frames = &of->frames;
	uint64_t least = of->fed;
	struct ete_lanes *to = base_alloc(reader->cairn, sizeof *to);
	if (!to)
		return CAIRN_E_NOMEM;
	const struct ete_impl *im = reader->impl;
	sp->lanes = to;
	to->fed = of->fed;
	for (unsigned id = 0; id < ETE_IDS && !im->snapshot; id++) {
		if (frames->unclaimed[id].unit == ETE_OTHER) {
			sp->placed = false;
			return 0;
		}
		if (im->unit_of_id[id] >= 0 && (unsigned)im->unit_of_id[id] >= to->n_ids)
			to->n_ids = (unsigned)im->unit_of_id[id] + 1;
		if (im->unit_of_id[id] >= 0)
			to->ids[im->unit_of_id[id]] = (uint8_t)id;
	}
	for (size_t i = 0; i < frames->n_lanes; i++) {
		const struct ete_lane *lane = frames->lanes[i];
		bool waits = lane->at < lane->end;
		if (lane->unit == ETE_UNSEEN) { /* from here on it might look different */
			sp->placed = false;
			return 0;
		}
		uint64_t off = waits ? ete_runs_offset(&lane->runs, lane->at) : of->fed;
		if (lane->unit < 0)
			continue;
		if (to->n == ETE_PLACED_LANES || (waits && off < frames->reset_at)) {
			sp->placed = false;
			return 0;
		}
		least = off < least ? off : least;
		to->lane[to->n++] = (struct ete_lane_place){
			.id = lane->id,
			.begun = lane->at > 0,
			.off = off,
			.want = lane->ready || lane->want <= lane->at ? 0 : lane->want - lane->at};
	}
	sp->placed = of->fed - least <= ETE_FAR_BACK;
	return 0;
}

/* Keep what the first Trace Info of a unit says, for a writer of the same trace. */
static int note_info(struct cairn_reader *reader, struct ete_program *program,
                     const struct ete_span *sp)
{
	enum { LOOK_FOR_INFO = 16 };
	struct cairn_ete_packets *in;
	struct cairn_ete_packet packet;
	int rc = cairn_ete_packets_open(reader->cairn, &program->cfg, sp->p, sp->n, sp->from, &in);
	uint32_t told = ETE_TOLD;
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < LOOK_FOR_INFO && cairn_ete_packets_next(in, &packet) > 0; i++)
		if (packet.type == CAIRN_ETE_P_TRACE_INFO) {
			told |= (uint32_t)packet.info << ETE_TOLD_INFO | (packet.cycles & ETE_TOLD_THRESHOLD);
			break;
		}
	cairn_ete_packets_close(in);
	__atomic_store_n(&program->told, told, __ATOMIC_RELAXED);
	return 0;
}

static int make_span(struct cairn_reader *reader, struct ete_span *sp, struct ete_loaded *of,
                     struct ete_lane *lane)
{
	const struct ete_impl *im = reader->impl;
	base_buf_init(&sp->bytes, reader->cairn);
	base_buf_init(&sp->runs, reader->cairn);
	int rc = cut_take_bytes(sp, lane);
	if (rc < 0)
		return rc;
	sp->of = of;
	__atomic_add_fetch(&of->users, 1, __ATOMIC_RELAXED);
	sp->unit = (unsigned)lane->unit;
	sp->program = &im->programs[lane->unit];
	sp->begin = lane->at;
	sp->end = lane->cut;
	sp->leads = lane->at == 0;
	if (sp->leads && !sp->program->told)
		rc = note_info(reader, &im->programs[lane->unit], sp);
	sp->placed = !im->unplaced;
	if (rc >= 0 && sp->placed && of->framing != ETE_RAW)
		rc = note_lanes(reader, sp, of);
	if (rc < 0)
		return rc;
	sp->last = lane->ended && lane->cut == lane->end;
	sp->ahead = lane->ahead;
	sp->ahead_known = lane->ahead_known;
	lane->at = lane->cut;
	lane->ready = false;
	lane->want = 0;
	if (sp->last)
		ete_lane_remove(&of->frames, lane);
	else
		ete_lane_trim(lane);
	return 0;
}

static void report_progress(struct cairn_reader *reader, const struct ete_span *sp)
{
	const struct ete_impl *im = reader->impl;
	uint64_t done = ete_place(sp, sp->end), total = im->snapshot ? 0 : io_stored_size(reader->io);
	size_t n;
	bool mapped = !im->snapshot && io_map(reader->io, &n);
	if (mapped && done > BEHIND)
		io_done(reader->io, done - BEHIND);
	if (!im->snapshot && !mapped)
		done = io_stored_tell(reader->io);
	reader->total = total == IO_UNKNOWN ? 0 : total;
	__atomic_store_n(&reader->done, done, __ATOMIC_RELAXED);
}

int ete_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct ete_impl *im = reader->impl;
	struct ete_lane *lane;
	struct ete_span *sp = NULL;
	(void)alone;
	im->begun = true;
	int rc = find_lane(reader, span, &lane);
	/* Damage of a session without spans has to be reported, too. */
	if (rc > 0 || (rc == 0 && span->damage.count)) {
		sp = base_alloc(reader->cairn, sizeof *sp);
		if (!sp || (lane && (rc = make_span(reader, sp, im->now, lane)) < 0))
			rc = CAIRN_E_NOMEM;
		else
			rc = 1;
	}
	span->priv = sp;
	if (rc <= 0) {
		model_damage_free(reader->cairn, &span->damage);
		ete_drop(reader, span);
		return rc;
	}
	sp->finished = !lane;
	if (lane)
		report_progress(reader, sp);
	return 1;
}

void ete_drop(struct cairn_reader *reader, struct model_span *span)
{
	struct ete_span *sp = span->priv;
	if (!sp)
		return;
	ete_span_rewind(reader, sp);
	cairn_ete_elements_close(sp->elements);
	base_free(reader->cairn, sp->bad);
	base_free(reader->cairn, sp->at);
	base_free(reader->cairn, sp->lanes);
	base_buf_free(&sp->bytes);
	base_buf_free(&sp->runs);
	ete_session_release(reader->cairn, sp->of);
	base_free(reader->cairn, sp);
	span->priv = NULL;
}

bool ete_rewinds(const struct cairn_reader *reader)
{
	const struct ete_impl *im = reader->impl;
	size_t n;
	return im->snapshot || io_map(reader->io, &n) || io_can_seek(reader->io);
}

int ete_seek(struct cairn_reader *reader, uint64_t n)
{
	struct ete_impl *im = reader->impl;
	size_t size;
	int rc = 0;
	(void)n;
	if (im->begun && !ete_rewinds(reader))
		return base_fail(reader->cairn, CAIRN_E_STATE, "%s: a stream cannot be read again",
		                 io_name(reader->io));
	if (im->begun && !im->snapshot && !io_map(reader->io, &size))
		rc = io_seek(reader->io, 0);
	if (rc < 0)
		return rc;
	ete_session_release(reader->cairn, im->now);
	im->now = NULL;
	im->session = 0;
	im->base = 0;
	im->begun = im->unplaced = false;
	return 0;
}
