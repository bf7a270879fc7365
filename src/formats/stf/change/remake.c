/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace made from parts of traces: what slice, merge and edit have in common.
 *
 * Records walk from a part to the output in groups, each ending with its marker. In the
 * middle of a range they are only rewritten (rewrite.c) and put. Where a range begins
 * there is a splice: the group there gets, in the order of the specification, what the
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
#include "formats/stf/change/change.h"
#include "formats/stf/write/write.h"
#include "model/index.h"

enum { LOOK_BACK = 1000000 }; /* where the index does not hold all that is known */

/* ---- ledgers ---- */

int stf_remake_lost(struct stf_remake *remake, const char *what, uint64_t count, uint64_t n)
{
	int rc = model_ledger_add(remake->cairn, remake->done->lost, what, count, n);
	if (rc < 0 || !remake->out->lossless || !count)
		return rc;
	if (!n)
		return base_fail(remake->cairn, CAIRN_E_LOSS, "%s: the output would lose %s",
		                 remake->out->path, what);
	return base_fail(remake->cairn, CAIRN_E_LOSS, "%s: number %llu: the output would lose %s",
	                 remake->out->path, (unsigned long long)n, what);
}

int stf_remake_note(struct stf_remake *remake, const char *what, uint64_t count, uint64_t n)
{
	return model_ledger_add(remake->cairn, remake->done->notes, what, count, n);
}

/* ---- the output ---- */

/* What the output asks for. */
static void choose_reading(struct stf_remake *remake)
{
	if (remake->packing.output.sizes)
		remake->reading.bits = false;
	if (remake->packing.output.sources)
		remake->reading.after = false;
	if (remake->packing.output.initiators && remake->header)
		remake->header->cfg.spec_initiators = remake->packing.output.initiators == 2;
}

int stf_remake_new(struct cairn_reader *reader, const struct cairn_output *out,
                   struct cairn_changed *done, struct stf_remake **pm)
{
	const struct stf_impl *im = reader->impl;
	struct stf_remake *remake = base_alloc(reader->cairn, sizeof *remake);
	*pm = remake;
	if (!remake)
		return CAIRN_E_NOMEM;
	remake->cairn = reader->cairn;
	remake->out = out;
	remake->done = done;
	base_buf_init(&remake->xacts, reader->cairn);
	/* Walks alone do not promise that every access has its own. */
	remake->withheld = ~im->header.cfg.features & CAIRN_STF_F_PTE;
	int rc = stf_packing_choose(reader->cairn, out, &remake->packing);
	if (rc >= 0)
		rc = cairn_stf_header_of(reader, &remake->header);
	if (rc >= 0)
		remake->header->cfg = im->header.cfg; /* with what --from said */
	if (rc >= 0) {
		/* Ids are written as the output's version means them. */
		remake->header_ids_new = remake->header->cfg.new_ids;
		remake->header->cfg.new_ids = remake->header->cfg.version_minor >= 5;
	}
	remake->reading = im->reading;
	choose_reading(remake);
	return rc;
}

int stf_remake_history(struct stf_remake *remake, const char *tool)
{
	struct cairn_stf_provenance provenance = {.size = sizeof provenance,
	                                          .command = remake->out->command,
	                                          .tool = remake->out->tool ? remake->out->tool : tool};
	return cairn_stf_header_provenance(remake->header, &provenance);
}

int stf_remake_open(struct stf_remake *remake)
{
	const struct stf_packing *packing = &remake->packing;
	struct cairn_stf_write_opts opts = {.size = sizeof opts,
	                                    .container = packing->output.zstf ? "zstf" : "stf",
	                                    .codec = packing->codec ? packing->codec->name : "none",
	                                    .level = packing->level,
	                                    .chunk = packing->output.chunk,
	                                    .threads = remake->out->threads};
	int rc = remake->header->has_ids
	             ? stf_translate_ids(remake, remake->header_ids_new, remake->header->ids, 0)
	             : 0;
	remake->header_ids_new = remake->header->cfg.new_ids;
	if (rc >= 0)
		rc = stf_reading_tell(remake->header, &remake->reading);
	if (rc >= 0)
		rc = cairn_stf_create(remake->cairn, remake->out->path, &opts, &remake->writer);
	if (rc < 0)
		return rc;
	stf_withhold(remake->writer, remake->withheld);
	return cairn_stf_put_header_group(remake->writer, remake->header, CAIRN_STF_FEATURES_AUTO, 1);
}

int stf_remake_finish(struct stf_remake *remake, int rc)
{
	if (!remake)
		return rc;
	/* A trace without an instruction has a header, too. */
	if (rc >= 0 && !remake->writer)
		rc = stf_remake_open(remake);
	remake->done->instructions = remake->n;
	if (rc >= 0)
		rc = cairn_stf_finish(remake->writer);
	else
		cairn_stf_abort(remake->writer);
	cairn_stf_header_free(remake->header);
	base_buf_free(&remake->xacts);
	base_free(remake->cairn, remake);
	return rc;
}

/* ---- parts ---- */

int stf_segment_open(struct stf_remake *remake, struct cairn_reader *reader, const char *name,
                     struct stf_segment **out)
{
	const struct stf_impl *im = reader->impl;
	struct stf_segment *segment = base_alloc(remake->cairn, sizeof *segment);
	*out = segment;
	if (!segment)
		return CAIRN_E_NOMEM;
	remake->resync = false;
	segment->remake = remake;
	segment->reader = reader;
	segment->cfg = &im->header.cfg;
	segment->name = name;
	segment->ids0 = remake->xacts.len / sizeof(struct stf_id_range);
	for (unsigned i = 0; i < 256; i++)
		segment->clocks[i] = (uint8_t)i;
	base_buf_init(&segment->group, remake->cairn);
	base_buf_init(&segment->extra, remake->cairn);
	base_buf_init(&segment->mended, remake->cairn);
	stf_cursor_init(&segment->cursor, reader);
	int rc = stf_carried_new(remake->cairn, segment->cfg, &segment->carried);
	if (rc >= 0)
		segment->carried->wrong = im->reading.wrong;
	return rc;
}

void stf_segment_close(struct stf_segment *segment)
{
	if (!segment)
		return;
	stf_carried_free(segment->carried);
	base_buf_free(&segment->group);
	base_buf_free(&segment->extra);
	base_buf_free(&segment->mended);
	base_free(segment->reader->cairn, segment);
}

/* ---- groups ---- */

static int put_extra(struct stf_segment *segment, size_t *at, unsigned upto)
{
	const struct stf_remake *remake = segment->remake;
	int rc = 0;
	while (*at < segment->extra.len && segment->extra.data[*at] <= upto && rc >= 0) {
		const uint8_t *p = segment->extra.data + *at;
		size_t len =
			(size_t)cairn_stf_record_length(&remake->header->cfg, p, segment->extra.len - *at);
		rc = cairn_stf_put_record(remake->writer, p, len);
		*at += len;
	}
	return rc;
}

int stf_half_record(const struct stf_segment *segment)
{
	return base_fail(segment->remake->cairn, CAIRN_E_STATE, "a group holds half a record");
}

/* Records of one or more groups, with what is to be added to the first. */
static int put_records(struct stf_segment *segment, const uint8_t *p, size_t n)
{
	struct stf_records rec = stf_records_in(segment->cfg, p, n);
	size_t at = 0;
	int rc = 0;
	while (rc >= 0 && stf_next(&rec)) {
		if (at < segment->extra.len)
			rc = put_extra(segment, &at, *rec.p < CAIRN_STF_FORCE_PC ? CAIRN_STF_FORCE_PC : *rec.p);
		if (rc >= 0)
			rc = stf_rewrite(segment, rec.p, rec.len);
	}
	segment->extra.len = 0;
	return rc >= 0 && rec.left ? stf_half_record(segment) : rc;
}

/* A group that is not put. */
static void remake_follow(struct stf_segment *segment, const uint8_t *p, size_t n)
{
	struct stf_records rec = stf_records_in(segment->cfg, p, n);
	while (stf_next(&rec))
		stf_follow(&segment->now, segment->cfg, rec.p);
}

/* Of a group whose events are left out. */
struct told_by_events {
	bool attempt; /* an event stopped the instruction, which appears again when it runs */
	bool target;  /* EVENT_PC_TARGET says where the program goes on */
};

static struct told_by_events look_at_events(const struct stf_segment *segment, const uint8_t *p,
                                            size_t n)
{
	struct stf_records rec = stf_records_in(segment->cfg, p, n);
	struct told_by_events told = {0};
	bool ours = stf_isa_is_ours(segment->cfg->isa);
	while (segment->remake->drop[CAIRN_STF_EVENT] && stf_next(&rec)) {
		told.target |= *rec.p == CAIRN_STF_EVENT_PC_TARGET;
		told.attempt |= *rec.p == CAIRN_STF_EVENT &&
		                stf_event_stops(ours, stf_event_id_of(rec.p, segment->cfg->event_bits));
	}
	return told;
}

/* An attempt is left out with its event. What does not belong to the instruction stays, and stands
 * before the next. */
static int put_attempt(struct stf_segment *segment, const uint8_t *p, size_t n)
{
	struct stf_remake *remake = segment->remake;
	struct stf_records rec = stf_records_in(segment->cfg, p, n);
	int rc = remake->writer ? 0 : stf_splice_start(segment);
	uint64_t bus = 0;
	while (rc >= 0 && stf_next(&rec)) {
		bool state = *rec.p == CAIRN_STF_INST_REG && stf_reg_role(rec.p) == CAIRN_ROLE_STATE;
		if (state || *rec.p == CAIRN_STF_PAGE_TABLE_WALK || *rec.p < CAIRN_STF_FORCE_PC) {
			rc = stf_rewrite(segment, rec.p, rec.len);
		} else {
			stf_follow(&segment->now, segment->cfg, rec.p);
			remake->dropped++;
		}
		bus += *rec.p == CAIRN_STF_BUS_MASTER_ACCESS;
	}
	segment->n++;
	segment->out0 = remake->n; /* walks behind do not count back to before it */
	if (rc >= 0 && bus)
		rc = stf_remake_lost(remake, "bus accesses beside instructions that an event stopped", bus,
		                     segment->n - 1);
	return rc < 0 ? rc
	              : stf_remake_note(remake, "instructions that an event stopped, which go with it",
	                                1, segment->n - 1);
}

/* FORCE_PC in front of what is added, unless it is there. */
static int add_resync(struct stf_segment *segment)
{
	uint8_t rec[STF_LEN_FORCE_PC] = {CAIRN_STF_FORCE_PC};
	struct stf_records at =
		stf_records_in(&segment->remake->header->cfg, segment->extra.data, segment->extra.len);
	while (stf_next(&at))
		if (*at.p == CAIRN_STF_FORCE_PC)
			return 0;
	stf_put_FORCE_PC_pc(rec, segment->now.pc);
	int rc = base_buf_put(&segment->extra, rec, sizeof rec);
	if (rc < 0)
		return rc;
	memmove(segment->extra.data + sizeof rec, segment->extra.data, segment->extra.len - sizeof rec);
	memcpy(segment->extra.data, rec, sizeof rec);
	return 0;
}

/* What is skipped is learnt from. */
static int skip_run(struct stf_segment *segment, const struct stf_run *run)
{
	struct stf_records rec = stf_records_in(segment->cfg, run->p, run->n);
	uint64_t n = segment->n;
	int rc = stf_carried_run(segment->carried, &segment->now.ctx, 0);
	while (rc >= 0 && stf_next(&rec)) {
		const uint8_t *p = rec.p;
		if (*p == CAIRN_STF_INST_REG || *p == CAIRN_STF_PAGE_TABLE_WALK || *p == CAIRN_STF_EVENT ||
		    *p == CAIRN_STF_FORCE_PC || *p == CAIRN_STF_COMMENT || *p == CAIRN_STF_INST_PC_TARGET ||
		    *p == CAIRN_STF_EVENT_PC_TARGET) {
			rc = stf_carried_take(segment->carried, p, n, stf_segment_space(segment), false);
		} else if (*p == CAIRN_STF_PROCESS_ID_EXT) {
			stf_follow_ids(&segment->now, segment->cfg, p);
			rc = stf_carried_run(segment->carried, &segment->now.ctx, n);
		} else if (*p == CAIRN_STF_INST_IEM) {
			stf_follow(&segment->now, segment->cfg, p);
		} else if (stf_is_marker(*p)) {
			stf_carried_ran(segment->carried, (enum cairn_isa)segment->now.isa, p, n++);
		}
	}
	return rc;
}

/* Behind lost bytes: no record can say that the PC, or the context, is not known any more, and what
 * follows would get a false one. */
static int leave_out(struct stf_segment *segment, const uint8_t *p, size_t n, const char *what)
{
	int rc = skip_run(segment, &(struct stf_run){.p = p, .n = n});
	if (rc >= 0)
		rc = stf_remake_lost(segment->remake, what, 1, segment->n);
	remake_follow(segment, p, n);
	segment->n++;
	return rc;
}

static bool is_unplaced(const struct stf_segment *segment, const struct stf_own *own)
{
	const struct stf_remake *remake = segment->remake;
	return segment->splice && !segment->now.pc_known && !own->forced && remake->writer &&
	       remake->writer->now.pc_known && !remake->header->cfg.protocol;
}

/* The same for the context, where that has changed before. */
static bool is_unnamed(const struct stf_segment *segment)
{
	const struct stf_remake *remake = segment->remake;
	return segment->splice && segment->lost && remake->writer && !remake->header->cfg.protocol &&
	       remake->writer->now.ctx.known & segment->cursor.varies & ~segment->now.ctx.known;
}

/* A group that may need additions. */
static int remake_put_group(struct stf_segment *segment, const uint8_t *p, size_t n)
{
	struct stf_own own;
	struct told_by_events told = look_at_events(segment, p, n);
	stf_splice_look(segment, p, n, &own);
	if (is_unplaced(segment, &own) || is_unnamed(segment))
		return leave_out(segment, p, n, is_unnamed(segment) ? STF_LOST_WHO : STF_LOST_PLACE);
	struct stf_regs *before = segment->carried->regs;
	int rc = stf_carried_run(segment->carried, &segment->now.ctx, segment->n);
	if (rc >= 0 && stf_segment_moves_walks(segment))
		rc = stf_carried_listener(segment->carried,
		                          segment->remake->header->cfg.new_ids ? segment->now.ctx.pid : 0,
		                          stf_segment_space(segment));
	if (rc >= 0 && own.forced &&
	    (before == segment->carried->regs ||
	     !stf_carried_resumes(segment->carried, segment->now.pc)))
		stf_carried_jump(segment->carried);
	if (rc >= 0 && stf_mends(segment)) {
		rc = stf_mend(segment, p, n, &segment->mended);
		p = segment->mended.data;
		n = segment->mended.len;
	}
	if (rc >= 0 && told.attempt)
		rc = put_attempt(segment, p, n);
	else if (rc >= 0)
		rc = segment->splice ? stf_splice_add(segment, &own, p, n)
		                     : stf_splice_carried(segment, p, n);
	if (rc >= 0 && !told.attempt && segment->remake->resync && !own.forced && segment->now.pc_known)
		rc = add_resync(segment);
	/* Records before the PROCESS_ID_EXT belong to the hart that ran until then. */
	if (before && own.ids)
		stf_carried_run_again(segment->carried, before);
	/* If a value has still to be told, a newer one among these records replaces it. */
	bool track = segment->track;
	segment->track |= segment->carried->untold != 0;
	if (rc >= 0 && !told.attempt)
		rc = put_records(segment, p, n);
	segment->track = track;
	segment->remake->resync = told.target || told.attempt;
	return rc;
}

/* End of the first group in [p, p+n). */
static size_t group_end(const struct stf_segment *segment, const uint8_t *p, size_t n)
{
	struct stf_records at = stf_records_in(segment->cfg, p, n);
	while (stf_next(&at))
		if (stf_is_marker(*at.p))
			return n - at.left + at.len;
	return n - at.left;
}

/* Drop records that will not get their marker. */
static int drop_group(struct stf_segment *segment)
{
	size_t n = segment->group.len;
	segment->group.len = 0;
	return stf_remake_lost(segment->remake, "bytes of records whose instruction is lost", n,
	                       segment->n);
}

/* Put a run of the range that is wanted. */
static int put_run(struct stf_segment *segment, const struct stf_run *run)
{
	const uint8_t *p = run->p;
	size_t left = run->whole;
	unsigned mends = stf_mends(segment);
	/* Its first records belong to the hart that ran until then. */
	int rc = stf_carried_run(segment->carried, &segment->now.ctx, 0);
	bool moves = stf_segment_moves_walks(segment);
	segment->track |= (mends & STF_MEND_SOURCES) || moves;
	while (left && rc >= 0) {
		bool slow = segment->splice || segment->carried->untold || mends || moves ||
		            segment->remake->drop[CAIRN_STF_EVENT];
		size_t n = slow || segment->group.len ? group_end(segment, p, left) : left;
		if (segment->group.len) {
			rc = base_buf_put(&segment->group, p, n);
			if (rc >= 0)
				rc = remake_put_group(segment, segment->group.data, segment->group.len);
			segment->group.len = 0;
		} else {
			rc = slow ? remake_put_group(segment, p, n) : put_records(segment, p, n);
		}
		p += n;
		left -= n;
	}
	return rc < 0 ? rc : base_buf_put(&segment->group, run->p + run->whole, run->n - run->whole);
}

/* ---- ranges ---- */

/* Note where the trace stands before what comes next. */
static void stand(struct stf_segment *segment)
{
	segment->n = stf_cursor_number(&segment->cursor);
	segment->now = segment->cursor.at->now;
}

/* Does the index hold all that is known where its spans begin? After damage it knows less
 * than the records that can be read. */
static bool index_has_all(const struct stf_segment *segment, const struct cairn_index *index)
{
	enum { WIDEST = 1 << 16 };
	struct cairn_tally tally = {.size = sizeof tally};
	return cairn_index_totals(index, &tally) >= 0 &&
	       (!tally.by_record[CAIRN_STF_INST_REG] || segment->cfg->vlen <= WIDEST);
}

/* Where to begin reading so that the state at `first` will be known. */
struct start {
	uint64_t from;
	const char *unknown; /* what is not known from further back; NULL: nothing */
};

static struct start start_for(const struct stf_segment *segment, uint64_t first)
{
	static const char all[] = "state from before the look-back is not known";
	static const char some[] = "state from before the look-back is known as far as the index "
							   "holds it (--look-back all: from the beginning)";
	const struct cairn_index *index =
		cairn_reader_jumps(segment->reader) ? cairn_reader_index(segment->reader) : NULL;
	struct cairn_index_span span = {.size = sizeof span};
	uint64_t look = segment->look_back;
	bool has_all = index && index_has_all(segment, index);
	if (look == 0)
		look = !index ? UINT64_MAX : has_all ? 0 : LOOK_BACK;
	struct start start = {.from = first > look ? first - look : 1};
	start.unknown = start.from > 1 ? index ? has_all ? NULL : some : all : NULL;
	int64_t i = index ? cairn_index_find(index, start.from) : -1;
	/* Go to where the index has the state; forward, too, if nothing else is needed. */
	while (i >= 0 && look != UINT64_MAX) {
		if (cairn_index_span(index, (size_t)i, &span) < 0)
			break;
		start.from = span.first;
		if (span.jumps)
			break;
		i--;
	}
	return start;
}

/* Is it worth jumping to `from`, or must it be? */
static bool should_jump(const struct stf_segment *segment, uint64_t first, uint64_t from)
{
	const struct stf_impl *im = segment->reader->impl;
	if (!segment->cursor.at)
		return from > 1;
	uint64_t n = stf_cursor_number(&segment->cursor);
	if (n > first)
		return true; /* backwards */
	return im->source.map && from > n && from - n > (im->zstf ? im->per_chunk : 1u << 16);
}

/* Whose registers were told before any record named a hart: those of the only hart known. False:
 * there is not just one. */
static bool first_hart(const struct stf_segment *segment, const struct cairn_state_reg *regs,
                       size_t n, uint32_t *hart)
{
	bool told = segment->now.ctx.known & CAIRN_CTX_HW_TID;
	*hart = told ? segment->now.ctx.hw_tid : STF_NO_HART;
	for (size_t k = 0; k < n && regs[k].hart != CAIRN_NO_HART; k++) {
		if (regs[k].hart != regs[0].hart)
			return false;
		if (!told || regs[k].hart != (uint16_t)segment->now.ctx.hw_tid)
			*hart = regs[k].hart;
	}
	return true;
}

/* Take the registers that the index has where the span begins. Those of an unnamed hart come last,
 * and are older than the same ones of a hart. */
static int remake_take_regs(struct stf_segment *segment, const struct cairn_index *index,
                            size_t span)
{
	size_t n = index_all_regs(index, span, NULL, 0);
	struct cairn_state_reg *regs = base_alloc(segment->remake->cairn, (n + 1) * sizeof *regs);
	uint32_t hart;
	uint64_t whose = 0;
	int rc = 0;
	if (!regs)
		return CAIRN_E_NOMEM;
	index_all_regs(index, span, regs, n);
	bool sure = first_hart(segment, regs, n, &hart);
	for (size_t k = n; k > 0 && rc >= 0; k--) {
		const struct cairn_state_reg *reg = &regs[k - 1];
		bool runs = (segment->now.ctx.known & CAIRN_CTX_HW_TID) &&
		            reg->hart == (uint16_t)segment->now.ctx.hw_tid;
		if (reg->hart != CAIRN_NO_HART)
			rc = stf_carried_set(segment->carried, runs ? segment->now.ctx.hw_tid : reg->hart, reg);
		else if (sure)
			rc = stf_carried_set(segment->carried, hart, reg);
		else
			whose++;
	}
	base_free(segment->remake->cairn, regs);
	if (rc < 0 || !whose)
		return rc;
	return stf_remake_note(
		segment->remake,
		"registers recorded before the trace says who runs: whose they are is unknown", whose,
		segment->n);
}

/* The walks of all spans before `i`. */
static int take_walks(struct stf_segment *segment, const struct cairn_index *index, size_t i)
{
	struct cairn_index_walk *walks = NULL;
	size_t most = 0;
	int rc = 0;
	for (size_t span = 0; span < i && rc >= 0; span++) {
		size_t n = cairn_index_walks(index, span, NULL, 0);
		if (n > most) {
			base_free(segment->remake->cairn, walks);
			walks = base_alloc(segment->remake->cairn, n * sizeof *walks);
			most = n;
		}
		if (n && !walks)
			return CAIRN_E_NOMEM;
		cairn_index_walks(index, span, walks, n);
		for (size_t k = 0; k < n && rc >= 0; k++)
			rc = stf_carried_set_walk(segment->carried, &walks[k]);
	}
	base_free(segment->remake->cairn, walks);
	return rc;
}

/* Take what the index has where its span begins, if that is here. */
static int remake_take_index(struct stf_segment *segment)
{
	const struct cairn_index *index = cairn_reader_index(segment->reader);
	struct cairn_index_span span = {.size = sizeof span};
	int64_t i = index ? cairn_index_find(index, segment->n) : -1;
	if (i < 0 || cairn_index_span(index, (size_t)i, &span) < 0 || span.first != segment->n)
		return 0;
	int rc = take_walks(segment, index, (size_t)i);
	return rc < 0 ? rc : remake_take_regs(segment, index, (size_t)i);
}

/* Bytes were lost before the run: nothing is certain there except what the container says. */
static void cross_hole(struct stf_segment *segment, const struct stf_run *run)
{
	stf_carried_lose(segment->carried);
	segment->lost = segment->hole = true;
	segment->now.pc = run->pc;
	segment->now.pc_known = run->pc_known;
	segment->now.ctx.known = 0;
	segment->now.group = 0;
	segment->n = stf_cursor_number(&segment->cursor) - run->markers;
}

/* Read on to number `first`: 1, 0 when the trace ends before, < 0. */
static int remake_go_to(struct stf_segment *segment, uint64_t first)
{
	struct stf_run run;
	struct start start = start_for(segment, first);
	bool jumped = should_jump(segment, first, start.from);
	int rc = 0;
	if (jumped) {
		rc = stf_cursor_seek(&segment->cursor, start.from);
		if (rc < 0)
			return rc == CAIRN_E_NOTFOUND ? 0 : rc;
		stf_carried_forget(segment->carried);
		if (start.unknown)
			rc = stf_remake_note(segment->remake, start.unknown, 1, first);
		if (rc < 0)
			return rc;
	}
	for (;;) {
		rc = stf_cursor_ready(&segment->cursor);
		if (rc <= 0)
			return rc;
		stand(segment);
		if (jumped || !segment->carried->pc_known)
			stf_carried_at(segment->carried, segment->now.pc_known, segment->now.pc);
		if (jumped)
			rc = remake_take_index(segment);
		jumped = false;
		if (rc < 0 || segment->n >= first)
			return rc < 0 ? rc : 1;
		rc = stf_cursor_next(&segment->cursor, first - segment->n, &run);
		if (rc > 0 && segment->cursor.gap)
			cross_hole(segment, &run);
		if (rc > 0)
			rc = skip_run(segment, &run);
		else if (rc == 0)
			return 0;
		if (rc < 0)
			return rc;
	}
}

int stf_segment_range(struct stf_segment *segment, uint64_t first, uint64_t last)
{
	struct stf_run run;
	int rc = remake_go_to(segment, first);
	if (rc <= 0)
		return rc;
	segment->splice = true;
	segment->hole = false;
	segment->at_start = segment->n == 1;
	segment->out0 = segment->remake->n;
	segment->group.len = 0;
	while (segment->n <= last) {
		rc = stf_cursor_next(&segment->cursor,
		                     last - segment->n + 1 ? last - segment->n + 1 : UINT64_MAX, &run);
		if (rc <= 0)
			return rc;
		if (segment->cursor.gap) {
			rc = drop_group(segment);
			cross_hole(segment, &run);
			segment->splice = true;
			segment->at_start = false;
			segment->out0 = segment->remake->n;
		}
		if (rc >= 0)
			rc = put_run(segment, &run);
		if (rc < 0)
			return rc;
	}
	return 1;
}

int stf_segment_end(struct stf_segment *segment)
{
	struct stf_remake *remake = segment->remake;
	int rc = 0;
	if (segment->cursor.lost)
		return drop_group(segment);
	if (segment->group.len && stf_mends(segment)) {
		rc = stf_mend(segment, segment->group.data, segment->group.len, &segment->mended);
		if (rc >= 0) {
			segment->group.len = 0;
			rc = base_buf_put(&segment->group, segment->mended.data, segment->mended.len);
		}
	}
	if (rc < 0)
		return rc;
	if (segment->group.len && !remake->writer) {
		segment->at_start = true;
		rc = stf_splice_start(segment);
	}
	/* The next part's first instruction must not get them; comments belong to no instruction. */
	struct stf_records at = stf_records_in(segment->cfg, segment->group.data, segment->group.len);
	while (rc >= 0 && stf_next(&at)) {
		if (segment->last || *at.p == CAIRN_STF_COMMENT)
			rc = stf_rewrite(segment, at.p, at.len);
		else
			rc = stf_remake_lost(remake, "records behind the last instruction of a part", 1, 0);
	}
	segment->group.len = 0;
	return rc;
}
