/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For an index: where spans begin, the state there, and which inputs besides the file the trace
 * depends on.
 *
 * A place is the offset of a span's first byte in the trace, plus one. A reader can jump to it if
 * all sessions up to it are plain files without frames, so that nothing before it need be read.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "formats/ete/format.h"
#include "image/image.h"

enum { UNIT_WORDS = 4, LANE_WORDS = 3 };

/* ---- places ---- */

uint64_t ete_span_place(const struct cairn_reader *reader, const struct model_span *span)
{
	const struct ete_span *sp = span->priv;
	(void)reader;
	return sp->program && sp->placed ? ete_place(sp, sp->begin) + 1 : 0;
}

static int no_such_place(struct cairn_reader *reader, uint64_t place)
{
	return base_fail(reader->cairn, CAIRN_E_DAMAGED, "%s: no part of the trace begins at byte %llu",
	                 io_name(reader->io), (unsigned long long)(place - 1));
}

/* Begin with the lanes of a session in frames as they were at the place. */
static int place_resume(struct ete_loaded *of, const struct ete_lanes *at)
{
	struct ete_resume lanes[ETE_IDS] = {0};
	const struct ete_lane_place *first = NULL;
	size_t used;
	of->last = at->fed == of->n_map;
	for (unsigned id = 0; id < ETE_IDS;
	     id++) /* at the end of the session, other lanes have been read */
		lanes[id].off = of->last ? UINT64_MAX : 0;
	for (uint32_t i = 0; i < at->n; i++) {
		const struct ete_lane_place *place = &at->lane[i];
		lanes[place->id] = (struct ete_resume){place->off, place->want, place->begun};
		first = first && first->off <= place->off ? first : place;
	}
	if (!first || at->fed > of->n_map || first->off >= at->fed ||
	    (at->fed % ETE_FRAME && at->fed != of->n_map))
		return CAIRN_E_DAMAGED;
	for (unsigned id = 0; id < ETE_IDS; id++)
		lanes[id].off = lanes[id].off > first->off ? lanes[id].off : first->off;
	int rc = ete_frames_resume(&of->frames, first->off, (int)first->id, lanes);
	of->fed = of->frames.pos;
	if (rc >= 0)
		rc = ete_frames_take(&of->frames, of->map + of->fed, (size_t)(at->fed - of->fed), of->last,
		                     &used);
	of->fed = at->fed;
	return rc;
}

/* Go to byte `at` of a session that is open: CAIRN_E_NOTFOUND when no span begins there. */
static int place_begin_at(struct cairn_reader *reader, struct ete_loaded *of, uint64_t at)
{
	static const uint8_t async[12] = {[11] = 0x80};
	struct ete_impl *im = reader->impl;
	struct ete_lane *lane = of->frames.n_lanes ? of->frames.lanes[0] : NULL;
	const uint8_t *p = of->map ? of->map + at : NULL;
	size_t n = of->map ? (size_t)(of->n_map - at) : 0;
	int rc = 0;
	im->begun = true;
	if (of->framing != ETE_RAW) {
		const struct ete_lanes *lanes =
			&((const struct ete_state *)(const void *)reader->before)->lanes;
		for (uint32_t i = im->n_ids; i < lanes->n_ids; i++)
			ete_unit_of_id(im, lanes->ids[i], true);
		return place_resume(of, lanes);
	}
	if (!of->map)
		rc = io_seek(reader->io, at);
	if (rc >= 0 && !of->map)
		rc = io_peek(reader->io, sizeof async, &p, &n);
	if (rc >= 0 && (n < sizeof async || memcmp(p, async, sizeof async) != 0))
		return CAIRN_E_DAMAGED;
	lane->at = at;
	if (!of->map)
		of->fed = lane->start = lane->end = at;
	return rc;
}

int ete_jump(struct cairn_reader *reader, uint64_t place)
{
	struct ete_impl *im = reader->impl;
	struct model_span nowhere = {0};
	int rc = ete_seek(reader, 1);
	while (rc >= 0 && (rc = ete_session_next(reader, &nowhere)) > 0) {
		struct ete_loaded *of = im->now;
		model_damage_free(reader->cairn, &nowhere.damage); /* reported when it is read in order */
		if (im->unplaced)
			break;
		uint64_t at = place - 1 - of->base;
		if (!of->map || at < of->n_map) {
			rc = place_begin_at(reader, of, at);
			return rc == CAIRN_E_DAMAGED ? no_such_place(reader, place) : rc < 0 ? rc : 0;
		}
		im->base += of->n_map;
		ete_session_release(reader->cairn, of);
		im->now = NULL;
	}
	return rc < 0 ? rc : no_such_place(reader, place);
}

/* ---- states ---- */

/* In frames without a snapshot, units with no bytes so far need not be kept. */
static size_t units_of(const struct ete_impl *im, const struct ete_state *st)
{
	static const struct ete_unit_state none;
	size_t n = im->n_programs;
	while (!im->snapshot && n > 1 && !memcmp(&st->units[n - 1], &none, sizeof none))
		n--;
	return n;
}

int ete_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out)
{
	const struct ete_impl *im = reader->impl;
	const struct ete_state *st = state;
	uint8_t words[8 * UNIT_WORDS];
	base_put_le64(words, st->n);
	base_put_le64(words + 8, st->rec);
	size_t n = units_of(im, st);
	base_put_le64(words + 16, n);
	int rc = base_buf_put(out, words, 24);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct ete_unit_state *unit_state = &st->units[i];
		base_put_le64(words, unit_state->ctx.known | (uint64_t)unit_state->ctx.hart << 32 |
		                         (uint64_t)unit_state->ctx.priv << 48 |
		                         (uint64_t)unit_state->ctx.security << 56);
		base_put_le64(words + 8, unit_state->ctx.vmid | (uint64_t)unit_state->no_addr << 32 |
		                             (uint64_t)unit_state->waiting << 33 |
		                             (uint64_t)unit_state->no_stack << 34 |
		                             (uint64_t)unit_state->returned << 35 |
		                             (uint64_t)unit_state->any << 36 |
		                             (uint64_t)unit_state->restarts << 37);
		base_put_le64(words + 16, unit_state->ctx.ctxid);
		base_put_le64(words + 24, unit_state->addr);
		rc = base_buf_put(out, words, sizeof words);
	}
	return rc;
}

int ete_span_put(const struct cairn_reader *reader, const struct model_span *span,
                 struct base_buf *out)
{
	const struct ete_span *sp = span->priv;
	const struct ete_lanes *at = sp->lanes;
	uint8_t words[8 * LANE_WORDS];
	(void)reader;
	if (!at)
		return 0;
	base_put_le64(words, at->fed);
	base_put_le64(words + 8, at->n_ids);
	int rc = base_buf_put(out, words, 16);
	if (rc >= 0)
		rc = base_buf_put(out, at->ids, at->n_ids);
	for (uint32_t i = 0; i < at->n && rc >= 0; i++) {
		base_put_le64(words, at->lane[i].id | (uint64_t)at->lane[i].begun << 32);
		base_put_le64(words + 8, at->lane[i].off);
		base_put_le64(words + 16, at->lane[i].want);
		rc = base_buf_put(out, words, sizeof words);
	}
	return rc;
}

/* The lanes behind a state. */
static bool get_lanes(struct ete_lanes *at, const uint8_t *p, size_t n)
{
	if (n == 0)
		return true;
	if (n < 16)
		return false;
	uint64_t n_ids = base_le64(p + 8), left = n - 16;
	if (n_ids > ETE_FIRST_RESERVED || n_ids > left || (left - n_ids) % (8 * LANE_WORDS) ||
	    (left - n_ids) / (8 * LANE_WORDS) > ETE_PLACED_LANES)
		return false;
	at->fed = base_le64(p);
	at->n_ids = (uint32_t)n_ids;
	at->n = (uint32_t)((left - n_ids) / (8 * LANE_WORDS));
	memcpy(at->ids, p + 16, at->n_ids);
	for (uint32_t i = 0; i < at->n_ids; i++)
		if (at->ids[i] == 0 || at->ids[i] >= ETE_FIRST_RESERVED)
			return false;
	p += 16 + n_ids;
	for (uint32_t i = 0; i < at->n; i++, p += 8 * LANE_WORDS) {
		uint64_t a = base_le64(p);
		at->lane[i] = (struct ete_lane_place){.id = (uint32_t)a,
		                                      .begun = (uint32_t)(a >> 32) & 1,
		                                      .off = base_le64(p + 8),
		                                      .want = base_le64(p + 16)};
		if (at->lane[i].id >= ETE_IDS || at->lane[i].off > at->fed ||
		    at->fed - at->lane[i].off > ETE_FAR_BACK || at->lane[i].want > UINT64_MAX / 2)
			return false;
	}
	return true;
}

int ete_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state)
{
	const struct ete_impl *im = reader->impl;
	struct ete_state *st = state;
	size_t units = n < 24 || base_le64(p + 16) > im->n_programs ? 0 : (size_t)base_le64(p + 16);
	size_t size = 24 + 8 * UNIT_WORDS * units;
	memset(state, 0, reader->state_size);
	if (n < size || base_le64(p) == 0 || base_le64(p + 8) == 0 ||
	    (units != im->n_programs && (im->snapshot || !units)) ||
	    !get_lanes(&st->lanes, p + size, n - size))
		return base_fail(reader->cairn, CAIRN_E_DAMAGED,
		                 "a state of %zu trace units makes no sense", im->n_programs);
	st->n = base_le64(p);
	st->rec = base_le64(p + 8);
	p += 24;
	for (size_t i = 0; i < units; i++, p += 8 * UNIT_WORDS) {
		struct ete_unit_state *unit_state = &st->units[i];
		uint64_t a = base_le64(p), b = base_le64(p + 8);
		unit_state->ctx = (struct cairn_ctx){.known = (uint32_t)a,
		                                     .hart = (uint16_t)(a >> 32),
		                                     .priv = (uint8_t)(a >> 48),
		                                     .security = (uint8_t)(a >> 56),
		                                     .vmid = (uint32_t)b,
		                                     .ctxid = base_le64(p + 16)};
		unit_state->addr = base_le64(p + 24);
		unit_state->no_addr = b >> 32 & 1;
		unit_state->waiting = b >> 33 & 1;
		unit_state->no_stack = b >> 34 & 1;
		unit_state->returned = b >> 35 & 1;
		unit_state->any = b >> 36 & 1;
		unit_state->restarts = b >> 37 & 1;
	}
	return 0;
}

/* ---- what else decides ---- */

static uint64_t hash_file(uint64_t hash, const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return base_hash_mix(hash, 0);
	hash = base_hash_mix(hash, (uint64_t)st.st_size);
	hash = base_hash_mix(hash, (uint64_t)st.st_mtim.tv_sec);
	return base_hash_mix(hash, (uint64_t)st.st_mtim.tv_nsec);
}

/* The program's bytes and, for a snapshot, registers and the files of the sessions. */
int ete_depends(struct cairn_reader *reader, struct base_buf *out)
{
	const struct ete_impl *im = reader->impl;
	const struct ete_snapshot *snap = im->snapshot;
	const struct cairn_image *last = NULL;
	uint64_t h = 0, program = 0;
	h = base_hash_mix(h, (uint64_t)im->only_told << 8 | im->framing);
	for (size_t i = 0; i < im->n_told; i++) {
		const struct ete_program *p = &im->programs[i];
		const struct cairn_ete_config *config = &p->cfg;
		bool anyone = !snap && im->framing != ETE_RAW && !im->only_told && i + 1 == im->n_told;
		const uint32_t words[] = {config->configr,     anyone ? 0 : config->traceidr,
		                          config->devarch,     config->idr0,
		                          config->idr1,        config->idr2,
		                          config->idr8,        config->protocol,
		                          config->profile,     p->level,
		                          anyone ? 0 : p->hart};
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			h = base_hash_mix(h, words[k]);
		if (p->image && p->image != last)
			program = image_fingerprint(p->image);
		last = p->image;
		h = base_hash_mix(h, p->image ? program : 1);
	}
	for (size_t i = 0; snap && i < snap->n_sessions; i++)
		for (size_t k = 0; k < snap->sessions[i].n_files; k++)
			h = hash_file(h, snap->sessions[i].files[k]);
	return base_buf_printf(out, "\nete %016llx", (unsigned long long)h);
}
