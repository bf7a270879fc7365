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
#include "formats/stf/write.h"

enum { LOOK_BACK = 1000000 }; /* where the index does not hold all that is known */

/* ---- ledgers ---- */

int stf_remake_lost(struct stf_remake *m, const char *what, uint64_t count, uint64_t n)
{
	int rc = model_ledger_add(m->c, m->done->lost, what, count, n);
	if (rc < 0 || !m->out->lossless || !count)
		return rc;
	if (!n)
		return base_fail(m->c, CAIRN_E_LOSS, "%s: the output would lose %s", m->out->path, what);
	return base_fail(m->c, CAIRN_E_LOSS, "%s: number %llu: the output would lose %s", m->out->path,
	                 (unsigned long long)n, what);
}

int stf_remake_note(struct stf_remake *m, const char *what, uint64_t count, uint64_t n)
{
	return model_ledger_add(m->c, m->done->notes, what, count, n);
}

/* ---- the output ---- */

/* What the output asks for. */
static void choose_reading(struct stf_remake *m)
{
	if (m->packing.output.sizes)
		m->reading.bits = false;
	if (m->packing.output.sources)
		m->reading.after = false;
	if (m->packing.output.initiators && m->h)
		m->h->cfg.spec_initiators = m->packing.output.initiators == 2;
}

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
	/* Walks alone do not promise that every access has its own. */
	m->withheld = ~im->header.cfg.features & CAIRN_STF_F_PTE;
	int rc = stf_packing_choose(r->c, out, &m->packing);
	if (rc >= 0)
		rc = cairn_stf_header_of(r, &m->h);
	if (rc >= 0)
		m->h->cfg = im->header.cfg; /* with what --from said */
	if (rc >= 0) {
		/* Ids are written as the output's version means them. */
		m->header_ids_new = m->h->cfg.new_ids;
		m->h->cfg.new_ids = m->h->cfg.version_minor >= 5;
	}
	m->reading = im->reading;
	choose_reading(m);
	return rc;
}

int stf_remake_history(struct stf_remake *m, const char *tool)
{
	struct cairn_stf_provenance p = {.size = sizeof p,
	                                 .command = m->out->command,
	                                 .tool = m->out->tool ? m->out->tool : tool};
	return cairn_stf_header_provenance(m->h, &p);
}

int stf_remake_open(struct stf_remake *m)
{
	const struct stf_packing *p = &m->packing;
	struct cairn_stf_write_opts o = {.size = sizeof o,
	                                 .container = p->output.zstf ? "zstf" : "stf",
	                                 .codec = p->codec ? p->codec->name : "none",
	                                 .level = p->level,
	                                 .chunk = p->output.chunk,
	                                 .threads = m->out->threads};
	int rc = m->h->has_ids ? stf_translate_ids(m, m->header_ids_new, m->h->ids, 0) : 0;
	m->header_ids_new = m->h->cfg.new_ids;
	m->ids_known = m->h->has_ids;
	memcpy(m->ids, m->h->ids, sizeof m->ids);
	if (rc >= 0)
		rc = stf_reading_tell(m->h, &m->reading);
	if (rc >= 0)
		rc = cairn_stf_create(m->c, m->out->path, &o, &m->w);
	if (rc < 0)
		return rc;
	stf_withhold(m->w, m->withheld);
	return cairn_stf_put_header_group(m->w, m->h, CAIRN_STF_FEATURES_AUTO, 1);
}

int stf_remake_finish(struct stf_remake *m, int rc)
{
	if (!m)
		return rc;
	/* A trace without an instruction has a header, too. */
	if (rc >= 0 && !m->w)
		rc = stf_remake_open(m);
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

int stf_segment_open(struct stf_remake *m, struct cairn_reader *r, const char *name,
                     struct stf_segment **out)
{
	const struct stf_impl *im = r->impl;
	struct stf_segment *pc = base_alloc(m->c, sizeof *pc);
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
	base_buf_init(&pc->mended, m->c);
	stf_cursor_init(&pc->k, r);
	int rc = stf_carried_new(m->c, pc->cfg, &pc->known);
	if (rc >= 0)
		pc->known->wrong = im->reading.wrong;
	return rc;
}

void stf_segment_close(struct stf_segment *pc)
{
	if (!pc)
		return;
	stf_carried_free(pc->known);
	base_buf_free(&pc->group);
	base_buf_free(&pc->extra);
	base_buf_free(&pc->mended);
	base_free(pc->r->c, pc);
}

/* ---- groups ---- */

static int put_extra(struct stf_segment *pc, size_t *at, unsigned upto)
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
static int put_records(struct stf_segment *pc, const uint8_t *p, size_t n)
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
static void remake_follow(struct stf_segment *pc, const uint8_t *p, size_t n)
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

/* Of a group whose events are left out. */
struct told_by_events {
	bool attempt; /* an event stopped the instruction, which appears again when it runs */
	bool target;  /* EVENT_PC_TARGET says where the program goes on */
};

static struct told_by_events look_at_events(const struct stf_segment *pc, const uint8_t *p,
                                            size_t n)
{
	struct told_by_events told = {0};
	unsigned bits = pc->cfg->event_bits;
	while (n && pc->m->drop[CAIRN_STF_EVENT]) {
		size_t len = (size_t)cairn_stf_record_length(pc->cfg, p, n);
		told.target |= *p == CAIRN_STF_EVENT_PC_TARGET;
		if (*p == CAIRN_STF_EVENT) {
			uint64_t id = stf_event_id(bits == 64 ? base_le64(p + 1) : base_le32(p + 1), bits);
			told.attempt |= stf_event_stops(stf_isa_is_ours(pc->cfg->isa), id);
		}
		p += len;
		n -= len;
	}
	return told;
}

/* An attempt goes with its event. What was not of the instruction stays, and stands before
 * the next. */
static int put_attempt(struct stf_segment *pc, const uint8_t *p, size_t n)
{
	struct stf_remake *m = pc->m;
	int rc = m->w ? 0 : stf_splice_start(pc);
	uint64_t bus = 0;
	while (n && rc >= 0) {
		size_t len = (size_t)cairn_stf_record_length(pc->cfg, p, n);
		bool state = *p == CAIRN_STF_INST_REG && p[3] >> 4 == CAIRN_ROLE_STATE;
		if (state || *p == CAIRN_STF_PAGE_TABLE_WALK || (anywhere(*p) && *p != CAIRN_STF_FORCE_PC))
			rc = stf_rewrite(pc, p, len);
		else
			m->dropped++;
		bus += *p == CAIRN_STF_BUS_MASTER_ACCESS;
		p += len;
		n -= len;
	}
	pc->n++;
	pc->out0 = m->n; /* walks behind do not count back to before it */
	if (rc >= 0 && bus)
		rc = stf_remake_lost(m, "bus accesses beside instructions that an event stopped", bus,
		                     pc->n - 1);
	return rc < 0 ? rc
	              : stf_remake_note(m, "instructions that an event stopped, which go with it", 1,
	                                pc->n - 1);
}

/* FORCE_PC in front of what is added, unless it is there. */
static int add_resync(struct stf_segment *pc)
{
	uint8_t rec[STF_LEN_FORCE_PC] = {CAIRN_STF_FORCE_PC};
	for (size_t at = 0; at < pc->extra.len;) {
		const uint8_t *p = pc->extra.data + at;
		if (*p == CAIRN_STF_FORCE_PC)
			return 0;
		at += (size_t)cairn_stf_record_length(&pc->m->h->cfg, p, pc->extra.len - at);
	}
	base_put_le64(rec + 1, pc->pc);
	int rc = base_buf_put(&pc->extra, rec, sizeof rec);
	if (rc < 0)
		return rc;
	memmove(pc->extra.data + sizeof rec, pc->extra.data, pc->extra.len - sizeof rec);
	memcpy(pc->extra.data, rec, sizeof rec);
	return 0;
}

/* A group that may need additions. */
static int remake_put_group(struct stf_segment *pc, const uint8_t *p, size_t n)
{
	struct stf_own own;
	struct told_by_events told = look_at_events(pc, p, n);
	stf_splice_look(pc, p, n, &own);
	struct stf_regs *before = pc->known->regs;
	int rc = stf_carried_run(pc->known, &pc->ctx, pc->n);
	if (rc >= 0 && own.forced && before == pc->known->regs)
		stf_carried_jump(pc->known);
	if (rc >= 0 && stf_mends(pc)) {
		rc = stf_mend(pc, p, n, &pc->mended);
		p = pc->mended.data;
		n = pc->mended.len;
	}
	if (rc >= 0 && told.attempt)
		rc = put_attempt(pc, p, n);
	else if (rc >= 0)
		rc = pc->seam ? stf_splice_add(pc, &own, p, n) : stf_splice_carried(pc, p, n);
	if (rc >= 0 && !told.attempt && pc->resync && !own.forced && pc->pc_known)
		rc = add_resync(pc);
	/* Records before the PROCESS_ID_EXT belong to the hart that ran until then. */
	if (before && own.ids)
		pc->known->regs = before;
	/* While a value is still to be told, a newer one among these records replaces it. */
	bool track = pc->track;
	pc->track |= pc->known->untold != 0;
	if (rc >= 0 && !told.attempt)
		rc = put_records(pc, p, n);
	pc->track = track;
	if (rc >= 0)
		remake_follow(pc, p, n);
	pc->resync = told.target || told.attempt;
	return rc;
}

/* End of the first group in [p, p+n). */
static size_t group_end(const struct stf_segment *pc, const uint8_t *p, size_t n)
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
static int drop_group(struct stf_segment *pc)
{
	size_t n = pc->group.len;
	pc->group.len = 0;
	return stf_remake_lost(pc->m, "bytes of records whose instruction is lost", n, pc->n);
}

/* A run of the range that is wanted. */
static int put_run(struct stf_segment *pc, const struct stf_run *run)
{
	const uint8_t *p = run->p;
	size_t left = run->whole;
	unsigned mends = stf_mends(pc);
	int rc = 0;
	pc->track |= (mends & STF_MEND_SOURCES) != 0;
	while (left && rc >= 0) {
		bool slow = pc->seam || pc->known->untold || mends || pc->m->drop[CAIRN_STF_EVENT];
		size_t n = slow || pc->group.len ? group_end(pc, p, left) : left;
		if (pc->group.len) {
			rc = base_buf_put(&pc->group, p, n);
			if (rc >= 0)
				rc = remake_put_group(pc, pc->group.data, pc->group.len);
			pc->group.len = 0;
		} else {
			rc = slow ? remake_put_group(pc, p, n) : put_records(pc, p, n);
		}
		p += n;
		left -= n;
	}
	return rc < 0 ? rc : base_buf_put(&pc->group, run->p + run->whole, run->n - run->whole);
}

/* ---- ranges ---- */

/* What is skipped is learnt from. */
static int skip_run(struct stf_segment *pc, const struct stf_run *run)
{
	const uint8_t *p = run->p, *end = p + run->n;
	uint64_t n = pc->n;
	enum cairn_isa isa = (enum cairn_isa)pc->isa;
	int rc = stf_carried_run(pc->known, &pc->ctx, 0);
	while (p < end && rc >= 0) {
		int64_t len = *p == CAIRN_STF_INST_32 ? STF_LEN_INST_32
		              : *p == CAIRN_STF_INST_16
		                  ? STF_LEN_INST_16
		                  : cairn_stf_record_length(pc->cfg, p, (size_t)(end - p));
		if (*p == CAIRN_STF_INST_REG || *p == CAIRN_STF_PAGE_TABLE_WALK || *p == CAIRN_STF_EVENT ||
		    *p == CAIRN_STF_FORCE_PC) {
			rc = stf_carried_take(pc->known, p, n, stf_segment_space(pc), false);
		} else if (*p == CAIRN_STF_PROCESS_ID_EXT) {
			uint32_t id[3] = {base_le32(p + 1), base_le32(p + 5), base_le32(p + 9)};
			stf_ids(pc->cfg, id, &pc->ctx);
			rc = stf_carried_run(pc->known, &pc->ctx, n);
		} else if (*p == CAIRN_STF_INST_IEM) {
			isa = stf_isa(pc->cfg, base_le16(p + 1));
		} else if (stf_type(*p)->flags & STF_MARKER) {
			stf_carried_ran(pc->known, isa, p, n);
		}
		n += stf_type(*p)->flags & STF_MARKER ? 1 : 0;
		p += len;
	}
	return rc;
}

/* Where the trace stands before what comes next. */
static void stand(struct stf_segment *pc)
{
	const struct stf_state *at = pc->k.at;
	pc->n = stf_cursor_number(&pc->k);
	pc->pc = at->pc;
	pc->pc_known = at->pc_known;
	pc->ctx = at->ctx;
	pc->isa = at->isa;
}

/* Does the index hold all that is known where its spans begin? After damage it knows less
 * than the records that can be read. */
static bool index_has_all(const struct stf_segment *pc, const struct cairn_index *x)
{
	enum { WIDEST = 1 << 16 };
	struct cairn_tally t;
	return cairn_index_totals(x, &t) >= 0 &&
	       (!t.by_record[CAIRN_STF_INST_REG] || pc->cfg->vlen <= WIDEST);
}

/* Where to begin reading so that what shall be known at `first` is. */
struct start {
	uint64_t from;
	const char *unknown; /* what is not known from further back; NULL: nothing */
};

static struct start start_for(const struct stf_segment *pc, uint64_t first)
{
	static const char all[] = "state from before the look-back is not known";
	static const char some[] = "state from before the look-back is known as far as the index "
							   "holds it (--look-back all: from the beginning)";
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
static bool should_jump(const struct stf_segment *pc, uint64_t first, uint64_t from)
{
	const struct stf_impl *im = pc->r->impl;
	if (!pc->k.at)
		return from > 1;
	uint64_t n = stf_cursor_number(&pc->k);
	if (n > first)
		return true; /* backwards */
	return im->map && from > n && from - n > (im->zstf ? im->per_chunk : 1u << 16);
}

/* Whose registers they are that the trace told of before it told who ran: the one hart's
 * that is known, if it is one. False: nobody knows. */
static bool first_hart(const struct stf_segment *pc, const struct cairn_state_reg *regs, size_t n,
                       uint32_t *hart)
{
	bool told = pc->ctx.known & CAIRN_CTX_HW_TID;
	*hart = told ? pc->ctx.hw_tid : STF_NO_HART;
	for (size_t k = 0; k < n && regs[k].hart != CAIRN_NO_HART; k++) {
		if (regs[k].hart != regs[0].hart)
			return false;
		if (!told || regs[k].hart != (uint16_t)pc->ctx.hw_tid)
			*hart = regs[k].hart;
	}
	return true;
}

/* The registers that the index knows where span `i` begins; those of no told hart, which
 * stand last, are older than the same of a hart. */
static int remake_take_regs(struct stf_segment *pc, const struct cairn_index *x, size_t i)
{
	size_t n = cairn_index_regs(x, i, NULL, 0);
	struct cairn_state_reg *regs = base_alloc(pc->m->c, (n + 1) * sizeof *regs);
	uint32_t hart;
	uint64_t whose = 0;
	int rc = 0;
	if (!regs)
		return CAIRN_E_NOMEM;
	cairn_index_regs(x, i, regs, n);
	bool sure = first_hart(pc, regs, n, &hart);
	for (size_t k = n; k > 0 && rc >= 0; k--) {
		const struct cairn_state_reg *r = &regs[k - 1];
		bool runs = (pc->ctx.known & CAIRN_CTX_HW_TID) && r->hart == (uint16_t)pc->ctx.hw_tid;
		if (r->hart != CAIRN_NO_HART)
			rc = stf_carried_set(pc->known, runs ? pc->ctx.hw_tid : r->hart, r);
		else if (sure)
			rc = stf_carried_set(pc->known, hart, r);
		else
			whose++;
	}
	base_free(pc->m->c, regs);
	if (rc < 0 || !whose)
		return rc;
	return stf_remake_note(pc->m,
	                       "registers told of before the trace told who ran: whose they "
	                       "are is not known",
	                       whose, pc->n);
}

/* The walks of all spans before `i`. */
static int take_walks(struct stf_segment *pc, const struct cairn_index *x, size_t i)
{
	struct cairn_index_walk *walks = NULL;
	size_t most = 0;
	int rc = 0;
	for (size_t span = 0; span < i && rc >= 0; span++) {
		size_t n = cairn_index_walks(x, span, NULL, 0);
		if (n > most) {
			base_free(pc->m->c, walks);
			walks = base_alloc(pc->m->c, n * sizeof *walks);
			most = n;
		}
		if (n && !walks)
			return CAIRN_E_NOMEM;
		cairn_index_walks(x, span, walks, n);
		for (size_t k = 0; k < n && rc >= 0; k++)
			rc = stf_carried_set_walk(pc->known, &walks[k]);
	}
	base_free(pc->m->c, walks);
	return rc;
}

/* What the index knows where its span begins, if that is here. */
static int remake_take_index(struct stf_segment *pc)
{
	const struct cairn_index *x = cairn_reader_index(pc->r);
	struct cairn_index_span span;
	int64_t i = x ? cairn_index_find(x, pc->n) : -1;
	if (i < 0 || cairn_index_span(x, (size_t)i, &span) < 0 || span.first != pc->n)
		return 0;
	int rc = take_walks(pc, x, (size_t)i);
	return rc < 0 ? rc : remake_take_regs(pc, x, (size_t)i);
}

/* Read on to number `first`: 1, 0 when the trace ends before, < 0. */
static int remake_go_to(struct stf_segment *pc, uint64_t first)
{
	struct stf_run run;
	struct start s = start_for(pc, first);
	bool jumped = should_jump(pc, first, s.from);
	int rc = 0;
	if (jumped) {
		rc = stf_cursor_seek(&pc->k, s.from);
		if (rc < 0)
			return rc == CAIRN_E_NOTFOUND ? 0 : rc;
		stf_carried_forget(pc->known);
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
			rc = remake_take_index(pc);
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

int stf_segment_range(struct stf_segment *pc, uint64_t first, uint64_t last)
{
	struct stf_run run;
	int rc = remake_go_to(pc, first);
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

int stf_segment_end(struct stf_segment *pc)
{
	struct stf_remake *m = pc->m;
	int rc = 0;
	if (pc->k.lost)
		return drop_group(pc);
	if (pc->group.len && stf_mends(pc)) {
		rc = stf_mend(pc, pc->group.data, pc->group.len, &pc->mended);
		if (rc >= 0) {
			pc->group.len = 0;
			rc = base_buf_put(&pc->group, pc->mended.data, pc->mended.len);
		}
	}
	const uint8_t *p = pc->group.data;
	size_t left = pc->group.len;
	if (rc < 0)
		return rc;
	if (left && !m->w) {
		pc->at_start = true;
		rc = stf_splice_start(pc);
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
