/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a range begins: what the output would otherwise miss. Records to add are made in
 * `extra`, in the order of their descriptors; they go between the group's own.
 *
 * A range that begins where its trace begins, and begins the output, needs nothing: its
 * header says it all.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/change.h"
#include "isa/isa.h"

static int splice_add(struct stf_segment *pc, const uint8_t *rec, size_t n)
{
	return base_buf_put(&pc->extra, rec, n);
}

static int add_iem(struct stf_segment *pc)
{
	uint8_t rec[STF_LEN_INST_IEM] = {CAIRN_STF_INST_IEM};
	const struct stf_set *set = stf_set_of((enum cairn_isa)pc->isa);
	if (!set || pc->isa == pc->m->isa)
		return 0;
	pc->m->isa = pc->isa;
	base_put_le16(rec + 1, set->iem);
	return splice_add(pc, rec, sizeof rec);
}

/* The ids in force, as their part has them. */
static bool splice_ids_of(const struct stf_segment *pc, uint32_t ids[3])
{
	const struct cairn_ctx *x = &pc->ctx;
	if (!(x->known & CAIRN_CTX_PID))
		return false;
	bool new_ids = pc->cfg->new_ids;
	ids[0] = new_ids ? x->hw_tid : x->pid;
	ids[1] = new_ids ? x->pid : x->tid;
	ids[2] = new_ids ? x->tid : x->asid;
	return true;
}

static int add_ids(struct stf_segment *pc)
{
	struct stf_remake *m = pc->m;
	uint8_t rec[STF_LEN_PROCESS_ID_EXT] = {CAIRN_STF_PROCESS_ID_EXT};
	uint32_t ids[3];
	if (!splice_ids_of(pc, ids))
		return m->ids_known ? stf_remake_note(m, "process ids are not known where a part begins", 1,
		                                      m->n + 1)
		                    : 0;
	int rc =
		m->drop[CAIRN_STF_PROCESS_ID_EXT] ? 0 : stf_translate_ids(m, pc->cfg->new_ids, ids, pc->n);
	if (rc < 0 || m->drop[CAIRN_STF_PROCESS_ID_EXT] ||
	    (m->ids_known && !memcmp(ids, m->ids, sizeof ids)))
		return rc;
	m->ids_known = 1;
	memcpy(m->ids, ids, sizeof ids);
	for (int i = 0; i < 3; i++)
		base_put_le32(rec + 1 + 4 * i, ids[i]);
	return splice_add(pc, rec, sizeof rec);
}

static int add_force_pc(struct stf_segment *pc)
{
	uint8_t rec[STF_LEN_FORCE_PC] = {CAIRN_STF_FORCE_PC};
	if (!pc->pc_known)
		return stf_remake_note(pc->m, "PC not known where a part begins", 1, pc->m->n + 1);
	base_put_le64(rec + 1, pc->pc);
	return splice_add(pc, rec, sizeof rec);
}

/* With another mode than the output stands in, or where the group's own change of mode
 * would otherwise be taken for the mode it begins in (`changes`). */
static int add_mode(struct stf_segment *pc, bool changes)
{
	struct stf_remake *m = pc->m;
	unsigned width = m->h->cfg.event_bits / 8u;
	uint8_t rec[2 + 8 + 8] = {CAIRN_STF_EVENT};
	if (!(pc->ctx.known & CAIRN_CTX_PRIV) || m->drop[CAIRN_STF_EVENT] ||
	    (!changes && m->priv_known && m->priv == pc->ctx.priv))
		return 0;
	m->priv_known = 1;
	m->priv = pc->ctx.priv;
	if (width == 8)
		base_put_le64(rec + 1, STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE);
	else
		base_put_le32(rec + 1, (uint32_t)(STF_EVENT_SPECIAL >> 32) | STF_EVENT_MODE_CHANGE);
	rec[1 + width] = 1;
	base_put_le64(rec + 2 + width, pc->ctx.priv);
	return splice_add(pc, rec, 2 + width + 8);
}

/* Is a walk of the mode of encoding that is in force? Where both are, pages are walked anew. */
static bool fits_mode(const struct stf_segment *pc, const uint8_t *rec)
{
	enum { SMALLEST = 4096, SV32_LEVELS = 2 };
	bool two = rec[21] == SV32_LEVELS;
	return base_le32(rec + 17) != SMALLEST || two == (pc->isa == CAIRN_ISA_RV32);
}

/* A walk, as the page is used by the group that comes. */
static int add_walk(struct stf_segment *pc, struct stf_page_walk *w)
{
	if (!w || pc->m->drop[CAIRN_STF_PAGE_TABLE_WALK] ||
	    !fits_mode(pc, pc->known->bytes.data + w->off))
		return 0;
	int rc = stf_carried_tell_walk(pc->known, w);
	if (rc >= 0)
		rc = splice_add(pc, pc->known->bytes.data + w->off, w->len);
	if (rc >= 0)
		base_put_le64(pc->extra.data + pc->extra.len - w->len + 9, pc->m->n);
	return rc;
}

/* The walks of the pages that a group uses and the output has not been told. */
static int add_walks(struct stf_segment *pc, const uint8_t *p, size_t n)
{
	struct stf_carried *k = pc->known;
	const uint8_t *group = p;
	size_t group_n = n;
	uint64_t space = stf_segment_space(pc);
	int rc = 0;
	if (!k->untold)
		return 0;
	if (pc->pc_known)
		rc = add_walk(pc, stf_carried_walk(k, space, pc->pc));
	while (n && rc >= 0) {
		size_t len = (size_t)cairn_stf_record_length(pc->cfg, p, n);
		if (*p == CAIRN_STF_INST_MEM_ACCESS) {
			uint64_t va = base_le64(p + 1), size = stf_group_bytes(pc, group, group_n, p);
			rc = add_walk(pc, stf_carried_walk(k, space, va));
			if (rc >= 0 && size > 1)
				rc = add_walk(pc, stf_carried_walk(k, space, va + size - 1));
		} else if (*p == CAIRN_STF_PAGE_TABLE_WALK) {
			/* It comes with a new one: the old need not be told. */
			rc = stf_carried_take(k, p, pc->n, space, true);
		}
		p += len;
		n -= len;
	}
	return rc;
}

static bool is_mode_change(const struct cairn_stf_config *cfg, const uint8_t *p)
{
	uint64_t id =
		stf_event_id(cfg->event_bits == 64 ? base_le64(p + 1) : base_le32(p + 1), cfg->event_bits);
	return id == (STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE);
}

/* What the group's own records say of its beginning. */
void stf_splice_look(struct stf_segment *pc, const uint8_t *p, size_t n, struct stf_own *own)
{
	*own = (struct stf_own){0};
	while (n) {
		size_t len = (size_t)cairn_stf_record_length(pc->cfg, p, n);
		if (*p == CAIRN_STF_FORCE_PC) {
			pc->pc = base_le64(p + 1);
			pc->pc_known = true;
			own->forced = true;
		}
		if (*p == CAIRN_STF_PROCESS_ID_EXT) {
			uint32_t id[3] = {base_le32(p + 1), base_le32(p + 5), base_le32(p + 9)};
			stf_ids(pc->cfg, id, &pc->ctx);
			own->ids = true;
		}
		own->mode |= *p == CAIRN_STF_EVENT && is_mode_change(pc->cfg, p);
		if (*p == CAIRN_STF_TRANSACTION)
			stf_choose_ids(pc, p);
		p += len;
		n -= len;
	}
}

/* ---- the first group of the output ---- */

static int state_comment(struct stf_segment *pc)
{
	struct stf_remake *m = pc->m;
	const struct stf_carried *k = pc->known;
	char text[512];
	const char *mode =
		pc->ctx.known & CAIRN_CTX_PRIV ? isa_priv_name(pc->ctx.priv & 3u) : "unknown";
	unsigned x = stf_carried_count(k, CAIRN_REG_INT), f = stf_carried_count(k, CAIRN_REG_FP);
	if (m->h->cfg.protocol)
		return 0;
	int n = snprintf(text, sizeof text,
	                 "cairn: begins with instruction %llu of %s; known there: %u of 32 integer "
	                 "and %u of 32 floating-point registers, %u vector registers, %u CSRs; "
	                 "privilege mode %s; process ids %s",
	                 (unsigned long long)pc->n, pc->name, x, f,
	                 stf_carried_count(k, CAIRN_REG_VECTOR), stf_carried_count(k, CAIRN_REG_CSR),
	                 mode, pc->ctx.known & CAIRN_CTX_PID ? "known" : "unknown");
	size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	int rc = cairn_stf_header_comment(m->h, text, len);
	if (rc >= 0 && x < 31 && !m->drop[CAIRN_STF_INST_REG])
		rc = stf_remake_note(m, "integer registers without a known value at the beginning", 32 - x,
		                     0);
	return rc;
}

/* The header says where the first group begins. */
int stf_splice_start(struct stf_segment *pc)
{
	struct stf_remake *m = pc->m;
	uint32_t ids[3];
	int rc = 0;
	if (!m->h->cfg.protocol && (!pc->at_start || !m->h->has_pc)) {
		if (!pc->pc_known && !pc->at_start)
			return base_fail(m->c, CAIRN_E_DAMAGED,
			                 "%s: the PC of instruction %llu is not known: nothing before it "
			                 "tells, and the container has no index",
			                 pc->name, (unsigned long long)pc->n);
		m->h->pc = pc->pc;
		m->h->has_pc = pc->pc_known;
	}
	if (!pc->at_start) {
		m->h->has_ids = splice_ids_of(pc, ids) && !m->drop[CAIRN_STF_PROCESS_ID_EXT];
		if (m->h->has_ids)
			memcpy(m->h->ids, ids, sizeof ids);
		m->header_ids_new = pc->cfg->new_ids;
		const struct stf_set *set = stf_set_of((enum cairn_isa)pc->isa);
		if (set)
			m->h->cfg.iem = set->iem;
		if (m->state_comment)
			rc = state_comment(pc);
	}
	if (m->sampled)
		m->h->cfg.features |= CAIRN_STF_F_SAMPLING;
	m->isa = (uint8_t)stf_isa(&m->h->cfg, m->h->cfg.iem);
	return rc < 0 ? rc : stf_remake_open(m);
}

/* Registers of who runs now, and the walks of the pages it uses. */
int stf_splice_carried(struct stf_segment *pc, const uint8_t *p, size_t n)
{
	int rc = pc->m->drop[CAIRN_STF_INST_REG] ? 0 : stf_carried_tell(pc->known, &pc->extra);
	return rc < 0 ? rc : add_walks(pc, p, n);
}

/* What the group that begins a range needs. */
int stf_splice_add(struct stf_segment *pc, const struct stf_own *own, const uint8_t *p, size_t n)
{
	struct stf_remake *m = pc->m;
	bool first = !m->w;
	int rc = first ? stf_splice_start(pc) : 0;
	pc->seam = false;
	if (rc < 0 || m->h->cfg.protocol || (first && pc->at_start))
		return rc;
	if (!first)
		stf_carried_untell_regs(pc->known);
	rc = add_iem(pc);
	if (rc >= 0 && !own->ids)
		rc = add_ids(pc);
	if (rc >= 0 && !first && !own->forced)
		rc = add_force_pc(pc);
	if (rc >= 0)
		rc = stf_splice_carried(pc, p, n);
	/* With a forced PC, and where a trace begins, a change of mode holds at once. */
	if (rc < 0 || (own->mode && (own->forced || pc->at_start)))
		return rc;
	return add_mode(pc, own->mode);
}
