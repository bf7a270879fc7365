/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a trace in runs of whole records, in trace order on one thread. ¶ It goes from span to
 * span as the reader does, with a third kind of walk beside decoding and single records: nothing is
 * taken apart except what moves the place (markers, targets, forced PCs, ids, modes), and
 * everything else is handed out as it is. The state behind a run is the span's own, so damage is
 * reported with its place, and the next span is sealed as after any other walk.
 */
#include "formats/stf/change/change.h"

#include <string.h>

#include "base/bytes.h"

void stf_cursor_init(struct stf_cursor *cursor, struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	*cursor = (struct stf_cursor){.reader = reader};
	im->source.behind = STF_BEHIND;
}

uint64_t stf_cursor_number(const struct stf_cursor *cursor)
{
	const struct stf_impl *im = cursor->reader->impl;
	return !cursor->at ? 1 : im->header.cfg.protocol ? cursor->at->x : cursor->at->n;
}

int stf_cursor_seek(struct stf_cursor *cursor, uint64_t n)
{
	struct cairn_reader *reader = cursor->reader;
	cursor->at = NULL;
	cursor->gap = cursor->lost = false;
	return cairn_seek(reader, n);
}

/* Where a walk is, and from where its place can be found: a walk needs the PC only at its ends, so
 * the records since the last target are looked at once, at the end. */
struct pacing {
	const struct cairn_stf_config *cfg;
	struct stf_follower *now;
	const uint8_t *known;  /* the place is exact here, or a target stands here and was reached */
	const uint8_t *target; /* the last target, or `known`; what follows may not have reached it */
	struct stf_cursor *cursor;
};

/* A target stands at p; `whole` is where the last marker ended. */
static inline void target_at(struct pacing *pacing, const uint8_t *p, const uint8_t *whole)
{
	pacing->known = whole > pacing->target ? pacing->target : pacing->known;
	pacing->target = p;
}

/* Bring the place up to p. Only whole records lie between; what a rare one did to the place was
 * noted when it came. */
static void catch_up(struct pacing *pacing, const uint8_t *p, const uint8_t *whole)
{
	const uint8_t *q = whole > pacing->target ? pacing->target : pacing->known;
	while (q < p && !pacing->cfg->protocol) {
		if (*q == CAIRN_STF_INST_PC_TARGET || (*q & ~1u) == CAIRN_STF_INST_32)
			stf_follow(pacing->now, pacing->cfg, q);
		q += cairn_stf_record_length(pacing->cfg, q, (size_t)(p - q));
	}
	pacing->known = pacing->target = p;
}

/* Note which fields of the context have changed. */
static void note_context(struct stf_cursor *cursor)
{
	const struct cairn_ctx now = cursor->at->now.ctx, was = cursor->seen;
	uint32_t other = 0;
	other |= now.hw_tid != was.hw_tid ? CAIRN_CTX_HART | CAIRN_CTX_HW_TID : 0u;
	other |= now.pid != was.pid ? (uint32_t)CAIRN_CTX_PID : 0;
	other |= now.tid != was.tid ? (uint32_t)CAIRN_CTX_TID : 0;
	other |= now.asid != was.asid ? (uint32_t)CAIRN_CTX_ASID : 0;
	other |= now.priv != was.priv ? (uint32_t)CAIRN_CTX_PRIV : 0;
	cursor->varies |= other & now.known & was.known;
	if (now.known & ~(uint32_t)CAIRN_CTX_PRIV)
		cursor->seen = now;
	cursor->seen.priv = now.known & CAIRN_CTX_PRIV ? now.priv : was.priv;
	cursor->seen.known = was.known | now.known;
}

/* A record that is not a frequent one, or that lies near the window's end: returns its length and
 * notes its effect on the place; <= 0 when it cannot be measured or does not end in the window. */
static __attribute__((noinline)) int64_t cursor_rare(struct pacing *pacing, const uint8_t *p,
                                                     const uint8_t *end, const uint8_t *whole)
{
	int64_t len = cairn_stf_record_length(pacing->cfg, p, (size_t)(end - p));
	if (len <= 0)
		return len;
	switch (*p) {
	case CAIRN_STF_INST_PC_TARGET:
		target_at(pacing, p, whole);
		break;
	case CAIRN_STF_COMMENT:
	case CAIRN_STF_EVENT:
	case CAIRN_STF_EVENT_PC_TARGET:
	case CAIRN_STF_FORCE_PC:
	case CAIRN_STF_PROCESS_ID_EXT:
	case CAIRN_STF_INST_IEM:
	case CAIRN_STF_TRANSACTION:
		catch_up(pacing, p, whole);
		note_context(pacing->cursor);
		stf_follow(pacing->now, pacing->cfg, p);
		break;
	default:
		break;
	}
	return len;
}

/* Walk the window. True when it cannot go on although bytes are there: damage. */
static bool cursor_walk(struct stf_cursor *cursor, const struct cairn_stf_config *cfg,
                        struct stf_span *ss, uint64_t most, struct stf_run *run)
{
	struct stf_state *at = &ss->at;
	const uint8_t *p = ss->bytes.window.p, *const end = ss->bytes.window.end, *whole = p;
	/* Up to here two records of fixed length lie within the window. */
	const uint8_t *const safe =
		end - p < 2 * STF_LEN_LONGEST_FIXED ? NULL : end - 2 * STF_LEN_LONGEST_FIXED;
	struct pacing pacing = {.cfg = cfg, .now = &at->now, .known = p, .target = p, .cursor = cursor};
	uint64_t records = 0, markers = 0, xacts = 0;
	bool damaged = false;

	*run = (struct stf_run){.p = p, .pc = at->now.pc, .pc_known = at->now.pc_known};
	while (p < end && markers < most) {
		unsigned kind = __builtin_expect(p <= safe, 1) ? *p : 0;
		/* Their lengths by arithmetic: which of the two comes is hard to guess. */
		if ((kind & ~1u) == CAIRN_STF_INST_32) {
			do {
				p += STF_LEN_INST_32 - 2 * (size_t)(kind & 1);
				kind = *p;
				records++;
				markers++;
			} while ((kind & ~1u) == CAIRN_STF_INST_32 && p <= safe && markers < most);
			whole = p;
			continue;
		}
		records++;
		if (kind == CAIRN_STF_INST_MEM_ACCESS) {
			p += STF_LEN_INST_MEM_ACCESS;
			/* Its content follows but rarely not. */
			if (__builtin_expect(*p == CAIRN_STF_INST_MEM_CONTENT, 1)) {
				p += STF_LEN_INST_MEM_CONTENT;
				records++;
			}
		} else if (kind == CAIRN_STF_INST_REG && stf_reg_class(p) != CAIRN_REG_VECTOR) {
			p += STF_LEN_INST_REG + 8;
			for (; p <= safe && *p == CAIRN_STF_INST_REG && stf_reg_class(p) != CAIRN_REG_VECTOR;
			     records++)
				p += STF_LEN_INST_REG + 8;
		} else if (kind == CAIRN_STF_INST_PC_TARGET) {
			target_at(&pacing, p, whole);
			p += STF_LEN_INST_PC_TARGET;
		} else {
			int64_t len = cursor_rare(&pacing, p, end, whole);
			if (len <= 0) {
				damaged = len < 0;
				records--;
				break;
			}
			bool xact = *p == CAIRN_STF_TRANSACTION;
			bool marker = xact || (*p & ~1u) == CAIRN_STF_INST_32;
			p += len;
			whole = marker ? p : whole;
			markers += marker;
			xacts += xact;
		}
	}
	catch_up(&pacing, p, whole);
	note_context(cursor);
	at->n += markers - xacts;
	at->x += xacts;
	at->rec += records;
	ss->bytes.window.p = p;
	run->n = (size_t)(p - run->p);
	run->whole = (size_t)(whole - run->p);
	run->markers = markers;
	return damaged;
}

/* The next span, its header passed: 1, 0, < 0. */
static int stf_cursor_open_span(struct stf_cursor *cursor)
{
	struct cairn_reader *reader = cursor->reader;
	const struct stf_impl *im = reader->impl;
	int rc = model_span_next(reader);
	if (rc <= 0) {
		if (rc < 0)
			reader->failed = rc;
		return rc;
	}
	struct stf_span *ss = reader->span.priv;
	cursor->at = &ss->at;
	if (ss->header)
		stf_pass_header(&im->header, ss, &ss->at);
	return 1;
}

/* The span has ended: report what broke off, and leave the exit state. */
static void stf_cursor_close_span(struct stf_cursor *cursor)
{
	struct cairn_reader *reader = cursor->reader;
	struct stf_span *ss = reader->span.priv;
	ss->finished = true;
	if (ss->stopped || kit_left(&ss->bytes) > 0) {
		stf_damage_at(reader, &reader->span);
		ss->at.damaged = 1;
		cursor->lost = true;
	}
	stf_follow_end(&ss->at.now);
	ss->at.off = kit_offset(&ss->bytes);
	memcpy(reader->span.exit, &ss->at, sizeof ss->at);
	model_damage_move(reader->cairn, &reader->damage, &reader->span.damage);
	cursor->end = ss->at;
	cursor->at = &cursor->end;
}

int stf_cursor_ready(struct stf_cursor *cursor)
{
	struct cairn_reader *reader = cursor->reader;
	int rc = model_strict(reader);
	if (rc < 0)
		return rc;
	const struct stf_span *ss = reader->have_span ? reader->span.priv : NULL;
	if (ss && !ss->finished)
		return 1;
	reader->started = true;
	rc = stf_cursor_open_span(cursor);
	return rc == 0 ? model_strict(reader) : rc;
}

int stf_cursor_next(struct stf_cursor *cursor, uint64_t most, struct stf_run *run)
{
	struct cairn_reader *reader = cursor->reader;
	const struct stf_impl *im = reader->impl;
	uint64_t upto = 0;
	if (base_cancelled(reader->cairn))
		return base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
	for (;;) {
		int rc = stf_cursor_ready(cursor);
		if (rc <= 0)
			return rc;
		struct stf_span *ss = reader->span.priv;
		/* A hole may take up some of the numbers, or all. */
		uint64_t n = stf_cursor_number(cursor);
		if (!upto)
			upto = most > UINT64_MAX - n ? UINT64_MAX : n + most;
		bool damaged = cursor_walk(cursor, &im->header.cfg, ss, upto > n ? upto - n : 0, run);
		if (run->n || n >= upto) {
			run->kept = im->source.map && run->p >= im->source.map &&
			            run->p < im->source.map + im->source.map_len;
			cursor->gap = cursor->lost;
			cursor->lost = false;
			return 1;
		}
		rc = damaged || ss->stopped ? 0 : stf_window_fill(reader, &reader->span);
		if (rc < 0)
			return rc;
		if (rc == 0)
			stf_cursor_close_span(cursor);
	}
}
