/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a session: from its file or files, one after another and piece by piece,
 * into the lanes of their sources.
 *
 * Only as much of it is in memory as the cutting of spans (cut.c) asks for. A plain file without
 * frames is mapped, and its lane is the file.
 */
#include <string.h>

#include "formats/ete/format.h"

enum { READ = 64 << 10 }; /* a multiple of what a frame takes */

void ete_config_of(const struct ete_regs *regs, struct cairn_ete_config *cfg)
{
	cairn_ete_config_init(cfg);
	cfg->configr = regs->value[ETE_TRCCONFIGR];
	cfg->traceidr = regs->value[ETE_TRCTRACEIDR];
	cfg->idr0 = regs->value[ETE_TRCIDR0];
	cfg->idr1 = regs->value[ETE_TRCIDR1];
	cfg->idr2 = regs->value[ETE_TRCIDR2];
	cfg->idr8 = regs->value[ETE_TRCIDR8];
	cfg->idr9 = regs->value[ETE_TRCIDR9];
	cfg->idr10 = regs->value[ETE_TRCIDR10];
	cfg->idr11 = regs->value[ETE_TRCIDR11];
	cfg->idr12 = regs->value[ETE_TRCIDR12];
	cfg->idr13 = regs->value[ETE_TRCIDR13];
	cfg->devarch = regs->value[ETE_TRCDEVARCH];
}

void ete_session_release(struct cairn *cairn, struct ete_loaded *of)
{
	if (!of || __atomic_sub_fetch(&of->users, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < of->n_own; i++)
		io_close(of->io[i]);
	base_free(cairn, of->io);
	base_buf_free(&of->piece);
	ete_frames_free(&of->frames);
	base_free(cairn, of);
}

/* ---- files ---- */

static int open_files(struct cairn_reader *reader, struct model_span *span, struct ete_loaded *of)
{
	const struct ete_session *from = of->from;
	int rc = 0;
	of->io = base_alloc(reader->cairn, (from ? from->n_files + 1 : 1) * sizeof *of->io);
	if (!of->io)
		return CAIRN_E_NOMEM;
	if (!from)
		of->io[of->n_io++] = reader->io;
	for (size_t i = 0; from && i < from->n_files; i++) {
		rc = io_open_regular(reader->cairn, from->files[i], &of->io[i]);
		if (rc == CAIRN_E_NOMEM || rc == CAIRN_E_CANCELLED)
			return rc;
		if (rc < 0) { /* the other sessions are there */
			model_damaged(reader, span, "%s: %s", from->name, cairn_error_text(reader->cairn));
			break;
		}
		of->n_own = ++of->n_io;
	}
	if (of->n_io == 1 && (!from || from->n_files == 1))
		of->map = io_map(of->io[0], &of->n_map);
	return 0;
}

/* Read up to `n` bytes, fewer only at the end. A file that breaks off is used up to there. */
static int64_t read_some(struct cairn_reader *reader, struct model_span *span,
                         struct ete_loaded *of, uint8_t *to, size_t n)
{
	size_t have = 0;
	while (have < n && of->file < of->n_io) {
		int64_t got = io_read(of->io[of->file], to + have, n - have);
		if (got == CAIRN_E_NOMEM || got == CAIRN_E_CANCELLED)
			return got;
		if (got < 0)
			model_damaged(reader, span, "byte 0x%llx: %s", (unsigned long long)(of->fed + have),
			              cairn_error_text(reader->cairn));
		if (got <= 0)
			of->file++;
		else
			have += (size_t)got;
	}
	return (int64_t)have;
}

/* ---- lanes ---- */

/* Which of the session's units uses this ID; -1 none, -2 one that is not decoded. */
static int unit_of(const struct ete_snapshot *snap, const struct ete_session *from, unsigned id)
{
	int other = -1;
	for (size_t i = 0; i < from->n_units; i++) {
		const struct ete_unit *unit = &snap->units[from->units[i]];
		if (unit->decoded && (unit->regs.value[ETE_TRCTRACEIDR] & 0x7f) == id)
			return (int)from->units[i];
		if (!unit->decoded)
			other = -2;
	}
	return other;
}

static int unit_of_id(void *user, unsigned id, bool synced)
{
	const struct cairn_reader *reader = user;
	struct ete_impl *im = reader->impl;
	return im->snapshot ? unit_of(im->snapshot, im->now->from, id) : ete_unit_of_id(im, id, synced);
}

/* Who wrote a session without frames. */
static int single_unit(struct cairn_reader *reader, struct model_span *span,
                       const struct ete_loaded *of)
{
	const struct ete_impl *im = reader->impl;
	const struct ete_snapshot *snap = im->snapshot;
	const struct ete_session *from = of->from;
	if (!from)
		return 0;
	if (from->n_units == 0)
		return -1;
	if (from->n_units > 1)
		model_damaged(reader, span,
		              "%s: bytes of one source, but %zu are said to have written "
		              "them; read as %s's",
		              from->name, from->n_units, snap->units[from->units[0]].name);
	return snap->units[from->units[0]].decoded ? (int)from->units[0] : -2;
}

static int add_single(struct cairn_reader *reader, struct model_span *span, struct ete_loaded *of)
{
	struct ete_lane *lane = ete_lane_add(&of->frames);
	if (!lane)
		return CAIRN_E_NOMEM;
	lane->unit = single_unit(reader, span, of);
	if (of->map) {
		lane->map = of->map;
		of->fed = lane->end = of->n_map;
		of->last = true;
	}
	return 0;
}

/* ---- what is wrong with what has come ---- */

/* Report an ID whose bytes were left out. */
static void complain_of_id(struct cairn_reader *reader, struct model_span *span,
                           const struct ete_loaded *of, unsigned id)
{
	const struct ete_unclaimed *unclaimed = &of->frames.unclaimed[id];
	const struct ete_impl *im = reader->impl;
	unsigned long long at = of->base + unclaimed->at, n = unclaimed->n;
	if (unclaimed->n && unclaimed->unit == ETE_OTHER)
		model_noted(reader, span,
		            "byte 0x%llx: trace ID 0x%02x never synchronises as ETE or ETMv4; its "
		            "%llu byte%s are left out",
		            at, id, n, n == 1 ? "" : "s");
	else if (unclaimed->n && unclaimed->unit == ETE_NOBODY && im->snapshot)
		model_damaged(reader, span,
		              "byte 0x%llx: no trace source of the snapshot has the ID "
		              "0x%02x; its %llu byte%s cannot be decoded",
		              at, id, n, n == 1 ? "" : "s");
	else if (unclaimed->n && unclaimed->unit == ETE_NOBODY)
		model_noted(reader, span,
		            "byte 0x%llx: no registers are given for trace ID 0x%02x (--ete "
		            "0x%02x:trcidr0=0x…); its %llu byte%s are left out",
		            at, id, id, n, n == 1 ? "" : "s");
}

/* Was the session written by anybody whose bytes are decoded? */
static bool is_ours(const struct cairn_reader *reader, const struct ete_loaded *of)
{
	const struct ete_impl *im = reader->impl;
	bool ours = !of->from || of->from->n_units == 0;
	for (size_t i = 0; of->from && i < of->from->n_units; i++)
		ours |= im->snapshot->units[of->from->units[i]].decoded;
	return ours;
}

/* The number of broken frames, without one at the end that may hold only another source's bytes. */
static uint64_t broken_frames(const struct ete_frames *frames)
{
	bool others = frames->cut_short && frames->broken_id >= 0 &&
	              frames->unclaimed[frames->broken_id].n &&
	              frames->unclaimed[frames->broken_id].unit != ETE_NOBODY;
	return frames->broken - (others ? 1 : 0);
}

static void session_complain(struct cairn_reader *reader, struct model_span *span,
                             struct ete_loaded *of)
{
	struct ete_frames *frames = &of->frames;
	const struct ete_impl *im = reader->impl;
	ete_frames_settle(frames);
	uint64_t broken = broken_frames(frames);
	if (!is_ours(reader, of))
		return;
	if (of->framing == ETE_RAW && frames->lanes[0]->unit == ETE_NOBODY)
		model_damaged(reader, span,
		              "%s: no trace source is said to have written it; its %llu "
		              "bytes cannot be decoded",
		              of->from->name, (unsigned long long)frames->lanes[0]->end);
	for (unsigned id = 0; id < ETE_IDS; id++)
		complain_of_id(reader, span, of, id);
	if (!im->snapshot && of->framing != ETE_RAW && im->n_ids == 0)
		model_damaged(reader, span, "none of its trace IDs synchronises as ETE or ETMv4");
	if (frames->reserved)
		model_damaged(reader, span, "byte 0x%llx: %llu bytes belong to IDs that no source can have",
		              (unsigned long long)(of->base + frames->reserved_at),
		              (unsigned long long)frames->reserved);
	if (broken)
		model_damaged(reader, span, "byte 0x%llx: %llu frame%s of less than 16 bytes",
		              (unsigned long long)(of->base + frames->broken_at),
		              (unsigned long long)broken, broken == 1 ? "" : "s");
	span->overall = span->damage.kept;
}

/* ---- feeding ---- */

static int feed_single(struct cairn_reader *reader, struct model_span *span, struct ete_loaded *of)
{
	struct ete_lane *lane = of->frames.lanes[0];
	if (lane->unit < 0) /* counted, not kept */
		lane->bytes.len = 0;
	int rc = base_buf_reserve(&lane->bytes, READ);
	if (rc < 0)
		return rc;
	int64_t n = read_some(reader, span, of, lane->bytes.data + lane->bytes.len, READ);
	if (n < 0)
		return (int)n;
	lane->bytes.len += (size_t)n;
	lane->end += (uint64_t)n;
	of->fed += (uint64_t)n;
	of->last = lane->ended = n < READ;
	return 0;
}

static int feed_framed(struct cairn_reader *reader, struct model_span *span, struct ete_loaded *of)
{
	const uint8_t *p;
	size_t n, used, held = of->piece.len;
	int rc;
	if (of->map) {
		size_t left = of->n_map - (size_t)of->fed;
		p = of->map + of->fed;
		n = left < READ ? left : READ;
		of->last = n == left;
		rc = ete_frames_take(&of->frames, p, n, of->last, &used);
		of->fed += used;
		return rc;
	}
	rc = base_buf_reserve(&of->piece, READ);
	int64_t got = rc < 0 ? rc : read_some(reader, span, of, of->piece.data + held, READ);
	if (got < 0)
		return (int)got;
	of->fed += (uint64_t)got;
	of->last = got < READ;
	n = held + (size_t)got;
	rc = ete_frames_take(&of->frames, of->piece.data, n, of->last, &used);
	of->piece.len = n - used;
	memmove(of->piece.data, of->piece.data + used, n - used);
	return rc;
}

int ete_session_feed(struct cairn_reader *reader, struct model_span *span, struct ete_loaded *of)
{
	int rc = of->framing == ETE_RAW ? feed_single(reader, span, of) : feed_framed(reader, span, of);
	if (rc >= 0 && of->last && !of->frames.resume) /* otherwise not all of it was seen */
		session_complain(reader, span, of);
	return rc;
}

/* ---- a session ---- */

/* No snapshot says whether frames with synchronisation words stand in a DSTREAM's blocks. */
static int settle_framing(const struct cairn_reader *reader, struct ete_loaded *of)
{
	enum { LOOK = 64 << 10 };
	const struct ete_impl *im = reader->impl;
	const uint8_t *p = of->map;
	size_t n = of->n_map;
	if (of->framing != ETE_FRAMES_SYNC || !im->snapshot || of->n_io == 0)
		return 0;
	if (im->framing_given) {
		of->framing = im->framing;
	} else {
		int rc = p ? 0 : io_peek(of->io[0], LOOK, &p, &n);
		if (rc < 0)
			return rc == CAIRN_E_NOMEM ? rc : 0; /* what is wrong is reported when it is read */
		if (ete_frames_in_blocks(reader->cairn, p, n < LOOK ? n : LOOK))
			of->framing = ETE_FRAMES_BLOCKS;
	}
	of->frames.framing = of->framing;
	return 0;
}

/* Notes from opening are reported with the first span. */
static void session_report_notes(struct cairn_reader *reader, struct model_span *span)
{
	struct ete_impl *im = reader->impl;
	for (size_t i = 0; im->snapshot && i < im->snapshot->n_notes && !im->noted; i++)
		(im->snapshot->notes[i].lost ? model_damaged : model_noted)(reader, span, "%s",
		                                                            im->snapshot->notes[i].text);
	im->noted = true;
}

int ete_session_next(struct cairn_reader *reader, struct model_span *span)
{
	struct ete_impl *im = reader->impl;
	const struct ete_snapshot *snap = im->snapshot;
	if (im->session == (snap ? snap->n_sessions : 1))
		return 0;
	struct ete_loaded *of = base_alloc(reader->cairn, sizeof *of);
	if (!of)
		return CAIRN_E_NOMEM;
	im->now = of;
	of->users = 1;
	of->base = im->base;
	of->from = snap ? &snap->sessions[im->session] : NULL;
	of->name = snap && snap->n_sessions > 1 ? of->from->name : NULL;
	of->framing = snap ? of->from->framing : im->framing;
	im->session++;
	base_buf_init(&of->piece, reader->cairn);
	ete_frames_init(&of->frames, reader->cairn, of->framing);
	of->frames.unit_of = unit_of_id;
	of->frames.user = reader;
	session_report_notes(reader, span);
	int rc = open_files(reader, span, of);
	im->unplaced |= of->map ? of->framing >= ETE_FRAMES_SYNC
	                        : snap || of->framing != ETE_RAW || !io_can_seek(reader->io);
	if (rc >= 0 && of->framing == ETE_RAW)
		rc = add_single(reader, span, of);
	else if (rc >= 0)
		rc = settle_framing(reader, of);
	if (rc >= 0 && of->last) {
		of->frames.lanes[0]->ended = true;
		session_complain(reader, span, of);
	}
	return rc < 0 ? rc : 1;
}
