/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace made from parts of traces: what slice, merge and edit have in common.
 *
 * Records walk from a part to the output in groups, each ending with its marker. In the
 * middle of a range they are only rewritten (rewrite.c) and put. Where a range begins
 * there is a seam: the group there gets, in the order of the specification, what the
 * output would otherwise miss: who runs, the PC, the registers that changed unseen, the
 * privilege. Page walks are told where their page is first used, for that is what they
 * mean. The header is written with the first group: only then is its PC known.
 *
 * Until a group's marker has come its records wait. Those that never get one (the bytes
 * that held it are damaged, or the trace ends) must not pass to another instruction.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cairn/index.h"
#include "formats/stf/change.h"

enum { LOOK_BACK = 1000000 }; /* for what an index does not hold */

/* ---- ledgers ---- */

int stf_remake_lost(struct stf_remake *m, const char *what, uint64_t count, uint64_t n)
{
	int rc = model_ledger_add(m->c, m->done->lost, what, count, n);
	if (rc < 0 || !m->out->lossless || !count)
		return rc;
	return base_fail(m->c, CAIRN_E_LOSS, "%s: number %llu: the output would lose %s",
	                 m->out->path, (unsigned long long)n, what);
}

int stf_remake_note(struct stf_remake *m, const char *what, uint64_t count, uint64_t n)
{
	return model_ledger_add(m->c, m->done->notes, what, count, n);
}

/* ---- the output ---- */

int stf_remake_new(struct cairn_reader *r, const struct cairn_output *out,
                   struct cairn_changed *done, struct stf_remake **pm)
{
	const struct stf_impl *im = r->impl;
	struct stf_remake *m = base_alloc(r->c, sizeof *m);
	*pm = m;
	if (!m)
		return CAIRN_E_NOMEM;
	m->c = r->c;
	m->out = out;
	m->done = done;
	base_buf_init(&m->xacts, r->c);
	int rc = stf_packing_choose(r->c, out, &m->packing);
	if (rc >= 0)
		rc = cairn_stf_header_of(r, &m->h);
	if (rc >= 0)
		m->h->cfg = im->header.cfg; /* with what --from said */
	return rc;
}

int stf_remake_history(struct stf_remake *m, const char *tool)
{
	struct cairn_stf_provenance p = {.size = sizeof p, .command = m->out->command,
	                                 .tool = m->out->tool ? m->out->tool : tool};
	return cairn_stf_header_provenance(m->h, &p);
}

static int open_writer(struct stf_remake *m)
{
	const struct stf_packing *p = &m->packing;
	struct cairn_stf_write_opts o = {.size = sizeof o, .container = p->zstf ? "zstf" : "stf",
		.codec = p->codec ? p->codec->name : "none", .level = p->level, .chunk = p->chunk,
		.threads = m->out->threads};
	int rc = cairn_stf_create(m->c, m->out->path, &o, &m->w);
	return rc < 0 ? rc : cairn_stf_put_header_group(m->w, m->h, CAIRN_STF_FEATURES_AUTO, 1);
}

int stf_remake_finish(struct stf_remake *m, int rc)
{
	if (!m)
		return rc;
	/* A trace without an instruction has a header, too. */
	if (rc >= 0 && !m->w)
		rc = open_writer(m);
	m->done->instructions = m->n;
	if (rc >= 0)
		rc = cairn_stf_finish(m->w);
	else
		cairn_stf_abort(m->w);
	cairn_stf_header_free(m->h);
	base_buf_free(&m->xacts);
	base_free(m->c, m);
	return rc;
}

/* ---- parts ---- */

int stf_piece_open(struct stf_remake *m, struct cairn_reader *r, const char *name,
                   struct stf_piece **out)
{
	const struct stf_impl *im = r->impl;
	struct stf_piece *pc = base_alloc(m->c, sizeof *pc);
	*out = pc;
	if (!pc)
		return CAIRN_E_NOMEM;
	pc->m = m;
	pc->r = r;
	pc->cfg = &im->header.cfg;
	pc->name = name;
	pc->ids0 = m->xacts.len / sizeof(struct stf_id_range);
	for (unsigned i = 0; i < 256; i++)
		pc->clocks[i] = (uint8_t)i;
	base_buf_init(&pc->group, m->c);
	base_buf_init(&pc->extra, m->c);
	stf_cursor_init(&pc->k, r);
	return stf_known_new(m->c, pc->cfg, &pc->known);
}

void stf_piece_close(struct stf_piece *pc)
{
	if (!pc)
		return;
	stf_known_free(pc->known);
	base_buf_free(&pc->group);
	base_buf_free(&pc->extra);
	base_free(pc->m->c, pc);
}

/* ---- what is added at a seam ---- */

static int add(struct stf_piece *pc, const uint8_t *rec, size_t n)
{
	return base_buf_put(&pc->extra, rec, n);
}

static int add_iem(struct stf_piece *pc)
{
	uint8_t rec[STF_LEN_INST_IEM] = {CAIRN_STF_INST_IEM};
	unsigned iem = pc->isa == CAIRN_ISA_RV32 ? 1 : pc->isa == CAIRN_ISA_RV64 ? 2 : 0;
	if (!iem || pc->isa == pc->m->isa)
		return 0;
	pc->m->isa = pc->isa;
	base_put_le16(rec + 1, (uint16_t)iem);
	return add(pc, rec, sizeof rec);
}

/* The ids in force, as the output has them. */
static bool ids_of(const struct stf_piece *pc, uint32_t ids[3])
{
	const struct cairn_ctx *x = &pc->ctx;
	if (!(x->known & CAIRN_CTX_PID))
		return false;
	bool new_ids = pc->m->h->cfg.new_ids;
	ids[0] = new_ids ? x->hw_tid : x->pid;
	ids[1] = new_ids ? x->pid : x->tid;
	ids[2] = new_ids ? x->tid : x->asid;
	return true;
}

static int add_ids(struct stf_piece *pc)
{
	struct stf_remake *m = pc->m;
	uint8_t rec[STF_LEN_PROCESS_ID_EXT] = {CAIRN_STF_PROCESS_ID_EXT};
	uint32_t ids[3];
	if (!ids_of(pc, ids))
		return m->ids_known ? stf_remake_note(m, "process ids are not known where a part begins",
		                                      1, m->n + 1)
		                    : 0;
	if (m->drop[CAIRN_STF_PROCESS_ID_EXT] || (m->ids_known && !memcmp(ids, m->ids, sizeof ids)))
		return 0;
	m->ids_known = 1;
	memcpy(m->ids, ids, sizeof ids);
	for (int i = 0; i < 3; i++)
		base_put_le32(rec + 1 + 4 * i, ids[i]);
	return add(pc, rec, sizeof rec);
}

static int add_force_pc(struct stf_piece *pc)
{
	uint8_t rec[STF_LEN_FORCE_PC] = {CAIRN_STF_FORCE_PC};
	if (!pc->pc_known)
		return stf_remake_note(pc->m, "PC not known where a part begins", 1, pc->m->n + 1);
	base_put_le64(rec + 1, pc->pc);
	return add(pc, rec, sizeof rec);
}

/* With another mode than the output stands in, or where the group's own change of mode
 * would otherwise be taken for the mode it begins in (`changes`). */
static int add_mode(struct stf_piece *pc, bool changes)
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
	return add(pc, rec, 2 + width + 8);
}

/* A walk, as the page is used by the group that comes. */
static int add_walk(struct stf_piece *pc, struct stf_page_walk *w)
{
	if (!w || pc->m->drop[CAIRN_STF_PAGE_TABLE_WALK])
		return 0;
	w->told = true;
	pc->known->untold--;
	int rc = add(pc, pc->known->bytes.data + w->off, w->len);
	if (rc >= 0)
		base_put_le64(pc->extra.data + pc->extra.len - w->len + 9, pc->m->n);
	return rc;
}

/* The walks of the pages that a group uses and the output has not been told. */
static int add_walks(struct stf_piece *pc, const uint8_t *p, size_t n)
{
	struct stf_known *k = pc->known;
	uint64_t space = stf_piece_space(pc);
	int rc = 0;
	if (!k->untold)
		return 0;
	if (pc->pc_known)
		rc = add_walk(pc, stf_known_walk(k, space, pc->pc));
	while (n && rc >= 0) {
		size_t len = (size_t)cairn_stf_record_length(pc->cfg, p, n);
		if (*p == CAIRN_STF_INST_MEM_ACCESS) {
			uint64_t va = base_le64(p + 1), size = base_le16(p + 9);
			rc = add_walk(pc, stf_known_walk(k, space, va));
			if (rc >= 0 && size > 1)
				rc = add_walk(pc, stf_known_walk(k, space, va + size - 1));
		} else if (*p == CAIRN_STF_PAGE_TABLE_WALK) {
			/* It comes with a new one: the old need not be told. */
			rc = stf_known_take(k, p, pc->n, space, true);
		}
		p += len;
		n -= len;
	}
	return rc;
}

struct own {
	bool forced, ids, mode;
};

static bool is_mode_change(const struct cairn_stf_config *cfg, const uint8_t *p)
{
	uint64_t id = stf_event_id(cfg->event_bits == 64 ? base_le64(p + 1) : base_le32(p + 1),
	                           cfg->event_bits);
	return id == (STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE);
}

/* What the group's own records say of its beginning. */
static void look_at(struct stf_piece *pc, const uint8_t *p, size_t n, struct own *own)
{
	*own = (struct own){0};
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

static int state_comment(struct stf_piece *pc)
{
	struct stf_remake *m = pc->m;
	static const char *const modes[] = {"user", "supervisor", "hypervisor", "machine"};
	const struct stf_known *k = pc->known;
	char text[512];
	const char *mode = pc->ctx.known & CAIRN_CTX_PRIV ? modes[pc->ctx.priv & 3] : "unknown";
	unsigned x = stf_known_count(k, CAIRN_REG_INT), f = stf_known_count(k, CAIRN_REG_FP);
	if (m->h->cfg.protocol)
		return 0;
	int n = snprintf(text, sizeof text,
	                 "cairn: begins with instruction %llu of %s; known there: %u of 32 integer "
	                 "and %u of 32 floating-point registers, %u vector registers, %u CSRs; "
	                 "privilege mode %s; process ids %s",
	                 (unsigned long long)pc->n, pc->name, x, f,
	                 stf_known_count(k, CAIRN_REG_VECTOR), stf_known_count(k, CAIRN_REG_CSR),
	                 mode, pc->ctx.known & CAIRN_CTX_PID ? "known" : "unknown");
	size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	int rc = cairn_stf_header_comment(m->h, text, len);
	if (rc >= 0 && x < 31 && !m->drop[CAIRN_STF_INST_REG])
		rc = stf_remake_note(m, "integer registers without a known value at the beginning",
		                     32 - x, 0);
	return rc;
}

/* The header says where the first group begins. */
static int start_output(struct stf_piece *pc)
{
	struct stf_remake *m = pc->m;
	uint32_t ids[3];
	int rc = 0;
	if (!m->h->cfg.protocol && (!pc->at_start || !m->h->has_pc)) {
		if (!pc->pc_known && !pc->at_start)
			return base_fail(m->c, CAIRN_E_DAMAGED,
			                 "%s: the PC of instruction %llu is not known: nothing before it "
			                 "tells, and the container has no index", pc->name,
			                 (unsigned long long)pc->n);
		m->h->pc = pc->pc;
		m->h->has_pc = pc->pc_known;
	}
	if (!pc->at_start) {
		m->h->has_ids = ids_of(pc, ids) && !m->drop[CAIRN_STF_PROCESS_ID_EXT];
		if (m->h->has_ids)
			memcpy(m->h->ids, ids, sizeof ids);
		if (pc->isa == CAIRN_ISA_RV32 || pc->isa == CAIRN_ISA_RV64)
			m->h->cfg.iem = pc->isa == CAIRN_ISA_RV32 ? 1 : 2;
		if (m->state_comment)
			rc = state_comment(pc);
	}
	if (m->sampled)
		m->h->cfg.features |= CAIRN_STF_F_SAMPLING;
	m->isa = (uint8_t)stf_isa(&m->h->cfg, m->h->cfg.iem);
	m->ids_known = m->h->has_ids;
	memcpy(m->ids, m->h->ids, sizeof m->ids);
	return rc < 0 ? rc : open_writer(m);
}

/* ---- groups ---- */

static int put_extra(struct stf_piece *pc, size_t *at, unsigned upto)
{
	const struct stf_remake *m = pc->m;
	int rc = 0;
	while (*at < pc->extra.len && pc->extra.data[*at] <= upto && rc >= 0) {
		const uint8_t *p = pc->extra.data + *at;
		size_t len = (size_t)cairn_stf_record_length(&m->h->cfg, p, pc->extra.len - *at);
		rc = cairn_stf_put_record(m->w, p, len);
		*at += len;
	}
	return rc;
}

/* These may stand anywhere in a group: they do not say how far it has come. */
static bool anywhere(unsigned type)
{
	return type == CAIRN_STF_COMMENT || type == CAIRN_STF_PROCESS_ID_EXT ||
	       type == CAIRN_STF_FORCE_PC || type == CAIRN_STF_INST_IEM;
}

/* Records of one or more groups, with what is to be added to the first. */
static int put_records(struct stf_piece *pc, const uint8_t *p, size_t n)
{
	size_t at = 0;
	int rc = 0;
	while (n && rc >= 0) {
		int64_t len = cairn_stf_record_length(pc->cfg, p, n);
		if (len <= 0)
			return base_fail(pc->m->c, CAIRN_E_STATE, "a group holds half a record");
		if (at < pc->extra.len)
			rc = put_extra(pc, &at, anywhere(*p) ? CAIRN_STF_FORCE_PC : *p);
		if (rc >= 0)
			rc = stf_rewrite(pc, p, (size_t)len);
		p += len;
		n -= (size_t)len;
	}
	pc->extra.len = 0;
	return rc;
}

/* Where a group leaves the PC. */
static void follow(struct stf_piece *pc, const uint8_t *p, size_t n)
{
	uint64_t target = 0;
	bool has_target = false;
	while (n) {
		size_t len = (size_t)cairn_stf_record_length(pc->cfg, p, n);
		if (*p == CAIRN_STF_FORCE_PC) {
			pc->pc = base_le64(p + 1);
			pc->pc_known = true;
		} else if (*p == CAIRN_STF_INST_PC_TARGET || *p == CAIRN_STF_EVENT_PC_TARGET) {
			target = base_le64(p + 1);
			has_target = true;
		} else if (*p == CAIRN_STF_INST_32 || *p == CAIRN_STF_INST_16) {
			pc->pc = has_target ? target : pc->pc + len - 1;
			pc->pc_known |= has_target;
		}
		p += len;
		n -= len;
	}
}

/* Registers of who runs now, and the walks of the pages it uses. */
static int add_known(struct stf_piece *pc, const uint8_t *p, size_t n)
{
	int rc = pc->m->drop[CAIRN_STF_INST_REG] ? 0 : stf_known_tell(pc->known, &pc->extra);
	return rc < 0 ? rc : add_walks(pc, p, n);
}

/* What the group that begins a range needs. */
static int add_seam(struct stf_piece *pc, const struct own *own, const uint8_t *p, size_t n)
{
	struct stf_remake *m = pc->m;
	bool first = !m->w;
	int rc = first ? start_output(pc) : 0;
	pc->seam = false;
	if (rc < 0 || m->h->cfg.protocol || (first && pc->at_start))
		return rc;
	rc = add_iem(pc);
	if (rc >= 0 && !own->ids)
		rc = add_ids(pc);
	if (rc >= 0 && !first && !own->forced)
		rc = add_force_pc(pc);
	if (rc >= 0)
		rc = add_known(pc, p, n);
	/* With a forced PC, and where a trace begins, a change of mode holds at once. */
	if (rc < 0 || (own->mode && (own->forced || pc->at_start)))
		return rc;
	return add_mode(pc, own->mode);
}

/* A group that may need additions. */
static int put_group(struct stf_piece *pc, const uint8_t *p, size_t n)
{
	struct own own;
	look_at(pc, p, n, &own);
	int rc = stf_known_run(pc->known, &pc->ctx);
	if (rc >= 0)
		rc = pc->seam ? add_seam(pc, &own, p, n) : add_known(pc, p, n);
	if (rc >= 0)
		rc = put_records(pc, p, n);
	if (rc >= 0)
		follow(pc, p, n);
	return rc;
}

/* End of the first group in [p, p+n). */
static size_t group_end(const struct stf_piece *pc, const uint8_t *p, size_t n)
{
	size_t at = 0;
	while (at < n) {
		const struct stf_type *t = stf_type(p[at]);
		int64_t len = cairn_stf_record_length(pc->cfg, p + at, n - at);
		if (len <= 0)
			break;
		at += (size_t)len;
		if (t->flags & STF_MARKER)
			break;
	}
	return at;
}

/* Records that will not get their marker. */
static int drop_group(struct stf_piece *pc)
{
	size_t n = pc->group.len;
	pc->group.len = 0;
	return stf_remake_lost(pc->m, "bytes of records whose instruction is lost", n, pc->n);
}

/* A run of the range that is wanted. */
static int put_run(struct stf_piece *pc, const struct stf_run *run)
{
	const uint8_t *p = run->p;
	size_t left = run->whole;
	int rc = 0;
	while (left && rc >= 0) {
		bool slow = pc->seam || pc->known->untold;
		size_t n = slow || pc->group.len ? group_end(pc, p, left) : left;
		if (pc->group.len) {
			rc = base_buf_put(&pc->group, p, n);
			if (rc >= 0)
				rc = put_group(pc, pc->group.data, pc->group.len);
			pc->group.len = 0;
		} else {
			rc = slow ? put_group(pc, p, n) : put_records(pc, p, n);
		}
		p += n;
		left -= n;
	}
	return rc < 0 ? rc : base_buf_put(&pc->group, run->p + run->whole, run->n - run->whole);
}

/* ---- ranges ---- */

/* What is skipped is learnt from. */
static int skip_run(struct stf_piece *pc, const struct stf_run *run)
{
	const uint8_t *p = run->p, *end = p + run->n;
	uint64_t n = pc->n;
	int rc = stf_known_run(pc->known, &pc->ctx);
	while (p < end && rc >= 0) {
		int64_t len = *p == CAIRN_STF_INST_32   ? STF_LEN_INST_32
		              : *p == CAIRN_STF_INST_16 ? STF_LEN_INST_16
		                  : cairn_stf_record_length(pc->cfg, p, (size_t)(end - p));
		if (*p == CAIRN_STF_INST_REG || *p == CAIRN_STF_PAGE_TABLE_WALK) {
			rc = stf_known_take(pc->known, p, n, stf_piece_space(pc), false);
		} else if (*p == CAIRN_STF_PROCESS_ID_EXT) {
			uint32_t id[3] = {base_le32(p + 1), base_le32(p + 5), base_le32(p + 9)};
			stf_ids(pc->cfg, id, &pc->ctx);
			rc = stf_known_run(pc->known, &pc->ctx);
		}
		n += stf_type(*p)->flags & STF_MARKER ? 1 : 0;
		p += len;
	}
	return rc;
}

/* Where the trace stands before what comes next. */
static void stand(struct stf_piece *pc)
{
	const struct stf_state *at = pc->k.at;
	pc->n = stf_cursor_number(&pc->k);
	pc->pc = at->pc;
	pc->pc_known = at->pc_known;
	pc->ctx = at->ctx;
	pc->isa = at->isa;
}

/* Does the index hold all that is known where its spans begin? It has neither walks nor
 * registers wider than 64 bits. */
static bool index_has_all(const struct stf_piece *pc, const struct cairn_index *x)
{
	struct cairn_tally t;
	if (cairn_index_totals(x, &t) < 0)
		return false;
	return !t.by_record[CAIRN_STF_PAGE_TABLE_WALK] &&
	       (!t.by_record[CAIRN_STF_INST_REG] || pc->cfg->vlen <= 64);
}

/* Where to begin reading so that what shall be known at `first` is. */
struct start {
	uint64_t from;
	const char *unknown; /* what is not known from further back; NULL: nothing */
};

static struct start start_for(const struct stf_piece *pc, uint64_t first)
{
	static const char all[] = "state from before the look-back is not known";
	static const char some[] = "page walks and vector values are known from the look-back only "
	                           "(--look-back all: from the beginning)";
	const struct cairn_index *x = cairn_reader_jumps(pc->r) ? cairn_reader_index(pc->r) : NULL;
	struct cairn_index_span span;
	uint64_t look = pc->look_back;
	bool has_all = x && index_has_all(pc, x);
	if (look == 0)
		look = !x ? UINT64_MAX : has_all ? 0 : LOOK_BACK;
	struct start s = {.from = first > look ? first - look : 1};
	s.unknown = s.from > 1 ? x ? has_all ? NULL : some : all : NULL;
	int64_t i = x ? cairn_index_find(x, s.from) : -1;
	/* To where the index tells the state; forward too, where nothing else is needed. */
	while (i >= 0 && look != UINT64_MAX) {
		if (cairn_index_span(x, (size_t)i, &span) < 0)
			break;
		s.from = span.first;
		if (span.jumps)
			break;
		i--;
	}
	return s;
}

/* Is it worth jumping to `from`, or must it be? */
static bool should_jump(const struct stf_piece *pc, uint64_t first, uint64_t from)
{
	const struct stf_impl *im = pc->r->impl;
	if (!pc->k.at)
		return from > 1;
	uint64_t n = stf_cursor_number(&pc->k);
	if (n > first)
		return true; /* backwards */
	return im->map && from > n && from - n > (im->zstf ? im->per_chunk : 1u << 16);
}

/* What the index knows where its span begins, if that is here. */
static int take_index(struct stf_piece *pc)
{
	enum { REGS = STF_KNOWN_SLOTS };
	const struct cairn_index *x = cairn_reader_index(pc->r);
	struct cairn_index_span span;
	int64_t i = x ? cairn_index_find(x, pc->n) : -1;
	int rc = 0;
	if (i < 0 || cairn_index_span(x, (size_t)i, &span) < 0 || span.first != pc->n)
		return 0;
	size_t n = cairn_index_regs(x, (size_t)i, NULL, 0);
	struct cairn_index_reg *regs = base_alloc(pc->m->c, (n ? n : 1) * sizeof *regs);
	if (!regs)
		return CAIRN_E_NOMEM;
	n = cairn_index_regs(x, (size_t)i, regs, n);
	for (size_t k = 0; k < n && rc >= 0; k++) {
		uint32_t hart = regs[k].hart == CAIRN_INDEX_NO_HART ? STF_NO_HART : regs[k].hart;
		rc = stf_known_set(pc->known, hart, regs[k].cls, regs[k].num, regs[k].value);
	}
	base_free(pc->m->c, regs);
	return rc;
}

/* Read on to number `first`: 1, 0 when the trace ends before, < 0. */
static int go_to(struct stf_piece *pc, uint64_t first)
{
	struct stf_run run;
	struct start s = start_for(pc, first);
	bool jumped = should_jump(pc, first, s.from);
	int rc = 0;
	if (jumped) {
		rc = stf_cursor_seek(&pc->k, s.from);
		if (rc < 0)
			return rc == CAIRN_E_NOTFOUND ? 0 : rc;
		stf_known_forget(pc->known);
		if (s.unknown)
			rc = stf_remake_note(pc->m, s.unknown, 1, first);
		if (rc < 0)
			return rc;
	}
	for (;;) {
		rc = stf_cursor_ready(&pc->k);
		if (rc <= 0)
			return rc;
		stand(pc);
		if (jumped)
			rc = take_index(pc);
		jumped = false;
		if (rc < 0 || pc->n >= first)
			return rc < 0 ? rc : 1;
		rc = stf_cursor_next(&pc->k, first - pc->n, &run);
		if (rc > 0)
			rc = skip_run(pc, &run);
		else if (rc == 0)
			return 0;
		if (rc < 0)
			return rc;
	}
}

int stf_piece_range(struct stf_piece *pc, uint64_t first, uint64_t last)
{
	struct stf_run run;
	int rc = go_to(pc, first);
	if (rc <= 0)
		return rc;
	pc->seam = true;
	pc->at_start = pc->n == 1;
	pc->out0 = pc->m->n;
	pc->group.len = 0;
	while (pc->n <= last) {
		rc = stf_cursor_next(&pc->k, last - pc->n + 1 ? last - pc->n + 1 : UINT64_MAX, &run);
		if (rc <= 0)
			return rc;
		if (pc->k.gap) {
			/* After the hole nothing is certain but what the container tells. */
			rc = drop_group(pc);
			pc->seam = true;
			pc->at_start = false;
			pc->pc = run.pc;
			pc->pc_known = run.pc_known;
			pc->ctx.known = 0;
			pc->n = stf_cursor_number(&pc->k) - run.markers;
			pc->out0 = pc->m->n;
		}
		if (rc >= 0)
			rc = put_run(pc, &run);
		if (rc < 0)
			return rc;
	}
	return 1;
}

int stf_piece_end(struct stf_piece *pc)
{
	struct stf_remake *m = pc->m;
	const uint8_t *p = pc->group.data;
	size_t left = pc->group.len;
	int rc = 0;
	if (pc->k.lost)
		return drop_group(pc);
	if (left && !m->w) {
		pc->at_start = true;
		rc = start_output(pc);
	}
	/* The next part's first instruction must not get them; comments belong to none. */
	while (left && rc >= 0) {
		size_t len = (size_t)cairn_stf_record_length(pc->cfg, p, left);
		if (pc->last || *p == CAIRN_STF_COMMENT)
			rc = stf_rewrite(pc, p, len);
		else
			rc = stf_remake_lost(m, "records behind the last instruction of a part", 1, 0);
		p += len;
		left -= len;
	}
	pc->group.len = 0;
	return rc;
}
