/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a range begins: what the output would otherwise miss. Records to add are made in `extra`,
 * in the order of their descriptors; they go between the group's own.
 *
 * A range that begins where its trace begins, and begins the output, needs nothing: its header says
 * everything.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/change/change.h"
#include "formats/stf/write/write.h"
#include "isa/isa.h"

static int splice_add(struct stf_segment *segment, const uint8_t *rec, size_t n)
{
	return base_buf_put(&segment->extra, rec, n);
}

static int add_iem(struct stf_segment *segment)
{
	uint8_t rec[STF_LEN_INST_IEM] = {CAIRN_STF_INST_IEM};
	const struct stf_set *set = stf_set_of((enum cairn_isa)segment->now.isa);
	if (!set || segment->now.isa == segment->remake->writer->now.isa)
		return 0;
	stf_put_INST_IEM_iem(rec, set->iem);
	return splice_add(segment, rec, sizeof rec);
}

static int add_ids(struct stf_segment *segment)
{
	struct stf_remake *remake = segment->remake;
	uint8_t rec[STF_LEN_PROCESS_ID_EXT] = {CAIRN_STF_PROCESS_ID_EXT};
	uint32_t ids[3], told[3];
	bool new_ids = segment->cfg->new_ids;
	bool known = stf_ids_of(remake->header->cfg.new_ids, &remake->writer->now.ctx, told);
	if (!stf_ids_of(new_ids, &segment->now.ctx, ids))
		return known ? stf_remake_note(remake, "process ids are not known where a part begins", 1,
		                               remake->n + 1)
		             : 0;
	int rc = remake->drop[CAIRN_STF_PROCESS_ID_EXT]
	             ? 0
	             : stf_translate_ids(remake, new_ids, ids, segment->n);
	if (rc < 0 || remake->drop[CAIRN_STF_PROCESS_ID_EXT] ||
	    (known && !memcmp(ids, told, sizeof ids)))
		return rc;
	stf_put_process_ids(rec, ids);
	return splice_add(segment, rec, sizeof rec);
}

static int add_force_pc(struct stf_segment *segment)
{
	uint8_t rec[STF_LEN_FORCE_PC] = {CAIRN_STF_FORCE_PC};
	if (!segment->now.pc_known) /* and none was before */
		return stf_remake_note(segment->remake, "PC not known where a part begins", 1,
		                       segment->remake->n + 1);
	stf_put_FORCE_PC_pc(rec, segment->now.pc);
	return splice_add(segment, rec, sizeof rec);
}

/* Add the mode if the output is in another one, or if the group's own change of mode would
 * otherwise be taken for the mode it begins in (`changes`). */
static int add_mode(struct stf_segment *segment, bool changes)
{
	struct stf_remake *remake = segment->remake;
	unsigned bits = remake->header->cfg.event_bits;
	uint8_t rec[STF_LEN_EVENT + 8] = {CAIRN_STF_EVENT};
	const struct cairn_ctx *told = &remake->writer->now.ctx;
	if (!(segment->now.ctx.known & CAIRN_CTX_PRIV) || remake->drop[CAIRN_STF_EVENT] ||
	    (!changes && told->known & CAIRN_CTX_PRIV && told->priv == segment->now.ctx.priv))
		return 0;
	base_put_le64(stf_put_event(rec, bits, STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE, 1),
	              segment->now.ctx.priv);
	return splice_add(segment, rec, stf_event_length(bits, 1));
}

/* Can it be a walk in the instruction set in force? A trace of RV32 and RV64 walks its pages anew
 * after each change. */
static bool fits_mode(const struct stf_segment *segment, const uint8_t *rec)
{
	bool rv32 = segment->now.isa == CAIRN_ISA_RV32;
	uint32_t bytes = stf_PAGE_TABLE_WALK_page_size(rec);
	unsigned ptes = stf_PAGE_TABLE_WALK_count(rec);
	return stf_page_size(rv32, bytes, ptes) >= 0 || stf_page_size(!rv32, bytes, ptes) < 0;
}

/* Add a walk, as if the page were first used by the group that comes. */
static int add_walk(struct stf_segment *segment, struct stf_page_walk *walk)
{
	if (!walk || segment->remake->drop[CAIRN_STF_PAGE_TABLE_WALK] ||
	    !fits_mode(segment, segment->carried->bytes.data + walk->off))
		return 0;
	int rc = stf_carried_tell_walk(segment->carried, walk);
	if (rc >= 0)
		rc = splice_add(segment, segment->carried->bytes.data + walk->off, walk->len);
	if (rc >= 0)
		stf_put_PAGE_TABLE_WALK_first_access(segment->extra.data + segment->extra.len - walk->len,
		                                     segment->remake->n);
	return rc < 0 || !stf_segment_moves_walks(segment)
	           ? rc
	           : stf_remake_note(
					 segment->remake,
					 "page walks repeated, because the output uses other ids for address spaces", 1,
					 segment->n);
}

/* Add the walks of pages that a group uses and the output has not been told. */
static int add_walks(struct stf_segment *segment, const uint8_t *p, size_t n)
{
	struct stf_carried *carried = segment->carried;
	struct stf_records rec = stf_records_in(segment->cfg, p, n);
	uint64_t space = stf_segment_space(segment);
	int rc = 0;
	if (!carried->untold)
		return 0;
	if (segment->now.pc_known)
		rc = add_walk(segment, stf_carried_walk(carried, space, segment->now.pc));
	while (rc >= 0 && stf_next(&rec)) {
		if (*rec.p == CAIRN_STF_INST_MEM_ACCESS) {
			uint64_t va = stf_INST_MEM_ACCESS_address(rec.p),
					 size = stf_group_bytes(segment, p, n, rec.p);
			rc = add_walk(segment, stf_carried_walk(carried, space, va));
			if (rc >= 0 && size > 1)
				rc = add_walk(segment, stf_carried_walk(carried, space, va + size - 1));
		} else if (*rec.p == CAIRN_STF_PAGE_TABLE_WALK) {
			/* It comes with a new walk: the old one need not be told. */
			rc = stf_carried_take(carried, rec.p, segment->n, space, true);
		}
	}
	return rc;
}

/* Look at what the group's own records say of its beginning. */
void stf_splice_look(struct stf_segment *segment, const uint8_t *p, size_t n, struct stf_own *own)
{
	struct stf_records rec = stf_records_in(segment->cfg, p, n);
	*own = (struct stf_own){0};
	while (stf_next(&rec)) {
		p = rec.p;
		bool forced = *p == CAIRN_STF_FORCE_PC, ids = *p == CAIRN_STF_PROCESS_ID_EXT;
		bool set = *p == CAIRN_STF_INST_IEM;
		uint64_t mode;
		if (forced || ids || set)
			stf_follow(&segment->now, segment->cfg, p);
		own->forced |= forced;
		own->ids |= ids;
		own->set |= set;
		own->mode |= *p == CAIRN_STF_EVENT && stf_is_mode_change(segment->cfg, p, &mode);
		if (*p == CAIRN_STF_TRANSACTION)
			stf_choose_ids(segment, p);
	}
}

/* ---- the first group of the output ---- */

static int state_comment(struct stf_segment *segment)
{
	struct stf_remake *remake = segment->remake;
	const struct stf_carried *carried = segment->carried;
	char text[512];
	const char *mode = segment->now.ctx.known & CAIRN_CTX_PRIV
	                       ? isa_priv_name(segment->now.ctx.priv & 3u)
	                       : "unknown";
	unsigned x = stf_carried_count(carried, CAIRN_REG_INT),
			 f = stf_carried_count(carried, CAIRN_REG_FP);
	if (remake->header->cfg.protocol)
		return 0;
	int n = snprintf(text, sizeof text,
	                 "cairn: begins with instruction %llu of %s; known there: %u of 32 integer "
	                 "and %u of 32 floating-point registers, %u vector registers, %u CSRs; "
	                 "privilege mode %s; process ids %s",
	                 (unsigned long long)segment->n, segment->name, x, f,
	                 stf_carried_count(carried, CAIRN_REG_VECTOR),
	                 stf_carried_count(carried, CAIRN_REG_CSR), mode,
	                 segment->now.ctx.known & CAIRN_CTX_PID ? "known" : "unknown");
	size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	int rc = cairn_stf_header_comment(remake->header, text, len);
	if (rc >= 0 && x < 31 && !remake->drop[CAIRN_STF_INST_REG])
		rc = stf_remake_note(remake, "integer registers without a known value at the beginning",
		                     32 - x, 0);
	return rc;
}

/* Let the header say where the first group begins. */
int stf_splice_start(struct stf_segment *segment)
{
	struct stf_remake *remake = segment->remake;
	uint32_t ids[3];
	int rc = 0;
	if (!remake->header->cfg.protocol && (!segment->at_start || !remake->header->has_pc)) {
		if (!segment->now.pc_known && !segment->at_start)
			return base_fail(remake->cairn, CAIRN_E_DAMAGED,
			                 "%s: the PC of instruction %llu is not known: nothing before it "
			                 "tells, and the container has no index",
			                 segment->name, (unsigned long long)segment->n);
		remake->header->pc = segment->now.pc;
		remake->header->has_pc = segment->now.pc_known;
	}
	if (!segment->at_start) {
		remake->header->has_ids = stf_ids_of(segment->cfg->new_ids, &segment->now.ctx, ids) &&
		                          !remake->drop[CAIRN_STF_PROCESS_ID_EXT];
		if (remake->header->has_ids)
			memcpy(remake->header->ids, ids, sizeof ids);
		remake->header_ids_new = segment->cfg->new_ids;
		const struct stf_set *set = stf_set_of((enum cairn_isa)segment->now.isa);
		if (set)
			remake->header->cfg.iem = set->iem;
		if (remake->state_comment)
			rc = state_comment(segment);
	}
	if (remake->sampled)
		remake->header->cfg.features |= CAIRN_STF_F_SAMPLING;
	return rc < 0 ? rc : stf_remake_open(remake);
}

/* Add registers of the hart that runs now, and the walks of the pages it uses. */
int stf_splice_carried(struct stf_segment *segment, const uint8_t *p, size_t n)
{
	int rc = segment->remake->drop[CAIRN_STF_INST_REG]
	             ? 0
	             : stf_carried_tell(segment->carried, &segment->extra);
	return rc < 0 ? rc : add_walks(segment, p, n);
}

static int add_hole(struct stf_segment *segment)
{
	uint8_t rec[STF_LEN_HOLE];
	stf_put_hole(rec);
	return base_buf_put(&segment->extra, rec, sizeof rec);
}

/* A part whose mode is not known must not seem to run in the mode of the part before it. */
static int add_unknown_mode(struct stf_segment *segment)
{
	static const char text[] = STF_GAP_TEXT ": the mode is not known where a part begins";
	uint8_t rec[STF_LEN_COMMENT + sizeof text - 1] = {CAIRN_STF_COMMENT};
	stf_put_COMMENT_text(rec, sizeof text - 1);
	memcpy(rec + STF_LEN_COMMENT, text, sizeof text - 1);
	return base_buf_put(&segment->extra, rec, sizeof rec);
}

/* Add what the group that begins a range needs. */
int stf_splice_add(struct stf_segment *segment, const struct stf_own *own, const uint8_t *p,
                   size_t n)
{
	struct stf_remake *remake = segment->remake;
	bool first = !remake->writer;
	int rc = first ? stf_splice_start(segment) : 0;
	segment->splice = false;
	if (rc < 0 || remake->header->cfg.protocol || (first && segment->at_start))
		return rc;
	if (!first)
		stf_carried_untell_regs(segment->carried);
	/* Where the output begins it says that nobody knows who runs. */
	uint32_t unsaid = segment->cursor.varies & ~segment->now.ctx.known;
	bool unnamed = first && segment->lost && unsaid & CAIRN_CTX_HW_TID;
	bool told = own->mode && (own->forced || segment->at_start);
	bool modeless = !first && !told && !(segment->now.ctx.known & CAIRN_CTX_PRIV) &&
	                remake->writer->now.ctx.known & CAIRN_CTX_PRIV;
	if (unnamed || (!first && segment->hole))
		rc = add_hole(segment);
	else if (modeless)
		rc = add_unknown_mode(segment);
	segment->hole = false;
	if (rc >= 0 && !own->set)
		rc = add_iem(segment);
	if (rc >= 0 && !own->ids)
		rc = add_ids(segment);
	if (rc >= 0 && !first && !own->forced)
		rc = add_force_pc(segment);
	if (rc >= 0)
		rc = stf_splice_carried(segment, p, n);
	/* With a forced PC, and at the start of a trace, a change of mode holds at once. */
	if (rc < 0 || (own->mode && (own->forced || segment->at_start)))
		return rc;
	return add_mode(segment, own->mode);
}
