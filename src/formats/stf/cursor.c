/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a trace in runs of whole records, in trace order on one thread.
 *
 * It is the reader's own way from span to span, with a third kind of walk beside
 * decoding and single records: nothing is taken apart but what moves the place
 * (markers, targets, forced PCs, ids, modes), and what lies between is handed out
 * as it is. The state behind a run is the span's own, so damage is told with its
 * place and the next span is sealed as after any other walk.
 */
#include "formats/stf/change.h"

#include <string.h>

#include "base/bytes.h"

void stf_cursor_init(struct stf_cursor *k, struct cairn_reader *r)
{
	struct stf_impl *im = r->impl;
	*k = (struct stf_cursor){.r = r};
	im->behind = STF_BEHIND;
}

uint64_t stf_cursor_number(const struct stf_cursor *k)
{
	const struct stf_impl *im = k->r->impl;
	return !k->at ? 1 : im->header.cfg.protocol ? k->at->x : k->at->n;
}

int stf_cursor_seek(struct stf_cursor *k, uint64_t n)
{
	struct cairn_reader *r = k->r;
	k->at = NULL;
	k->gap = k->lost = false;
	return cairn_seek(r, n);
}

/* An event may be a change of mode; at a group's end it is in force. */
static void note_event(const struct cairn_stf_config *cfg, const uint8_t *p, struct stf_state *at)
{
	unsigned width = cfg->event_bits / 8u;
	uint64_t id = stf_event_id(width == 8 ? base_le64(p + 1) : base_le32(p + 1), cfg->event_bits);
	if (id != (STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE) || p[1 + width] == 0)
		return;
	uint64_t mode = base_le64(p + 2 + width);
	if (mode > CAIRN_PRIV_MACHINE)
		return;
	at->ctx.priv = (uint8_t)mode;
	at->ctx.known |= CAIRN_CTX_PRIV;
}

/* Records that move the place but are not frequent. */
static void note_rare(const struct cairn_stf_config *cfg, const uint8_t *p, struct stf_state *at)
{
	switch (*p) {
	case CAIRN_STF_EVENT:
		note_event(cfg, p, at);
		break;
	case CAIRN_STF_EVENT_PC_TARGET:
		at->target = base_le64(p + 1);
		at->has_target = 1;
		break;
	case CAIRN_STF_FORCE_PC:
		at->pc = base_le64(p + 1);
		at->pc_known = 1;
		break;
	case CAIRN_STF_PROCESS_ID_EXT: {
		uint32_t id[3] = {base_le32(p + 1), base_le32(p + 5), base_le32(p + 9)};
		stf_ids(cfg, id, &at->ctx);
		break;
	}
	case CAIRN_STF_INST_IEM:
		at->isa = (uint8_t)stf_isa(cfg, base_le16(p + 1));
		break;
	default:
		break;
	}
}

/* Length of a record that is not one of the frequent ones, whose effect on the place is
 * noted; <= 0 when it cannot be measured or does not end in the window. */
static int64_t rare(const struct cairn_stf_config *cfg, const uint8_t *p, const uint8_t *end,
                    struct stf_state *at)
{
	int64_t len = cairn_stf_record_length(cfg, p, (size_t)(end - p));
	if (len > 0)
		note_rare(cfg, p, at);
	return len;
}

/* Walk the window. True when it cannot go on although bytes are there: damage. What is
 * needed for each instruction is kept out of the state, which lies in memory. */
static bool walk(struct stf_span *ss, const struct cairn_stf_config *cfg, uint64_t most,
                 struct stf_run *run)
{
	struct stf_state *at = &ss->at;
	const uint8_t *p = ss->w.p, *const end = ss->w.end, *whole = p;
	/* Up to here a record of fixed length lies within the window. */
	const uint8_t *const safe = end - p < STF_LEN_LONGEST_FIXED
	                                    ? NULL : end - STF_LEN_LONGEST_FIXED;
	uint64_t records = 0, markers = 0, xacts = 0, pc = at->pc, target = at->target;
	bool damaged = false, has_target = at->has_target;
	int64_t len;

	run->p = p;
	run->pc = pc;
	run->pc_known = at->pc_known;
	while (p < end) {
		records++;
		if (__builtin_expect(p > safe, 0)) {
			len = cairn_stf_record_length(cfg, p, (size_t)(end - p));
			if (len <= 0) {
				damaged = len < 0;
				records--;
				break;
			}
		}
		switch (*p) {
		case CAIRN_STF_INST_32:
			pc += 4;
			p += STF_LEN_INST_32;
			break;
		case CAIRN_STF_INST_16:
			pc += 2;
			p += STF_LEN_INST_16;
			break;
		case CAIRN_STF_INST_MEM_ACCESS:
			p += STF_LEN_INST_MEM_ACCESS;
			/* Its content follows but rarely not. */
			if (__builtin_expect(p <= safe, 1) && *p == CAIRN_STF_INST_MEM_CONTENT) {
				p += STF_LEN_INST_MEM_CONTENT;
				records++;
			}
			continue;
		case CAIRN_STF_INST_MEM_CONTENT:
			p += STF_LEN_INST_MEM_CONTENT;
			continue;
		case CAIRN_STF_INST_PC_TARGET:
			target = base_le64(p + 1);
			p += STF_LEN_INST_PC_TARGET;
			/* Its marker follows but rarely not. */
			has_target = __builtin_expect(p > safe, 0) ||
			             (*p != CAIRN_STF_INST_32 && *p != CAIRN_STF_INST_16);
			if (has_target)
				continue;
			p += *p == CAIRN_STF_INST_32 ? STF_LEN_INST_32 : STF_LEN_INST_16;
			records++;
			pc = target;
			at->pc_known = 1;
			whole = p;
			if (++markers == most)
				goto out;
			continue;
		case CAIRN_STF_INST_REG:
			if (__builtin_expect((p[3] & 15) != CAIRN_REG_VECTOR, 1)) {
				p += STF_LEN_INST_REG + 8;
				for (; p <= safe && *p == CAIRN_STF_INST_REG &&
				       (p[3] & 15) != CAIRN_REG_VECTOR; records++)
					p += STF_LEN_INST_REG + 8;
				continue;
			}
			/* fallthrough */
		default:
			at->pc = pc;
			at->target = target;
			at->has_target = has_target;
			len = rare(cfg, p, end, at);
			if (len <= 0) {
				damaged = len < 0;
				records--;
				goto out;
			}
			pc = at->pc;
			target = at->target;
			has_target = at->has_target;
			if (*p != CAIRN_STF_TRANSACTION) {
				p += len;
				continue;
			}
			p += len;
			xacts++;
			break;
		}
		if (has_target) {
			pc = target;
			has_target = false;
			at->pc_known = 1;
		}
		whole = p;
		if (++markers == most)
			break;
	}
out:
	at->pc = pc;
	at->target = target;
	at->has_target = has_target;
	at->n += markers - xacts;
	at->x += xacts;
	at->rec += records;
	at->begun |= markers != 0;
	ss->w.p = p;
	run->n = (size_t)(p - run->p);
	run->whole = (size_t)(whole - run->p);
	run->markers = markers;
	return damaged;
}

/* The next span, its header passed: 1, 0, < 0. */
static int open_span(struct stf_cursor *k)
{
	struct cairn_reader *r = k->r;
	const struct stf_impl *im = r->impl;
	int rc = model_span_next(r);
	if (rc <= 0) {
		if (rc < 0)
			r->failed = rc;
		return rc;
	}
	struct stf_span *ss = r->span.priv;
	k->at = &ss->at;
	if (ss->header) {
		ss->w.p += im->header.size;
		ss->at.rec += im->header.records;
		if (im->header.has_pc) {
			ss->at.pc = im->header.pc;
			ss->at.pc_known = 1;
		}
	}
	return 1;
}

/* No more of this span: tell what broke off, leave the exit state. */
static void close_span(struct stf_cursor *k)
{
	struct cairn_reader *r = k->r;
	struct stf_span *ss = r->span.priv;
	ss->finished = true;
	if (ss->stopped || ss->w.p < ss->w.end) {
		stf_damage_at(r, &r->span);
		ss->at.damaged = 1;
		k->lost = true;
	}
	ss->at.off = ss->abs + (uint64_t)(ss->w.p - ss->w.base);
	memcpy(r->span.exit, &ss->at, sizeof ss->at);
	model_damage_move(r->c, &r->damage, &r->span.damage);
	k->end = ss->at;
	k->at = &k->end;
}

int stf_cursor_ready(struct stf_cursor *k)
{
	struct cairn_reader *r = k->r;
	int rc = model_strict(r);
	if (rc < 0)
		return rc;
	const struct stf_span *ss = r->have_span ? r->span.priv : NULL;
	if (ss && !ss->finished)
		return 1;
	r->started = true;
	rc = open_span(k);
	return rc == 0 ? model_strict(r) : rc;
}

int stf_cursor_next(struct stf_cursor *k, uint64_t most, struct stf_run *run)
{
	struct cairn_reader *r = k->r;
	const struct stf_impl *im = r->impl;
	if (base_cancelled(r->c))
		return base_fail(r->c, CAIRN_E_CANCELLED, "cancelled");
	for (;;) {
		int rc = stf_cursor_ready(k);
		if (rc <= 0)
			return rc;
		struct stf_span *ss = r->span.priv;
		bool damaged = walk(ss, &im->header.cfg, most, run);
		if (run->n) {
			run->kept = im->map && run->p >= im->map && run->p < im->map + im->map_len;
			k->gap = k->lost;
			k->lost = false;
			return 1;
		}
		rc = damaged || ss->stopped ? 0 : stf_window_fill(r, &r->span);
		if (rc < 0)
			return rc;
		if (rc == 0)
			close_span(k);
	}
}
