/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of records as the specification has them, made from what their writer meant (reading.c):
 * sizes in bytes, sources as they were before the instruction, initiators with the output's
 * numbers.
 *
 * What a register held before is its last value in the trace (carried.c). Without one the false
 * source is left out, and counted.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/change/change.h"

unsigned stf_mends(const struct stf_segment *segment)
{
	const struct stf_reading *is = &((const struct stf_impl *)segment->reader->impl)->reading;
	const struct stf_remake *remake = segment->remake;
	return (is->bits && !remake->reading.bits ? STF_MEND_SIZES : 0u) |
	       (is->after && !remake->reading.after ? STF_MEND_SOURCES : 0u) |
	       (!segment->cfg->spec_initiators != !remake->header->cfg.spec_initiators
	            ? STF_MEND_MASTERS
	            : 0u);
}

/* ---- the group's instruction ---- */

struct group {
	struct stf_segment *pc;
	const uint8_t *p, *end;
	struct cairn_op op;
	struct cairn_operands operands;
	bool any; /* there is an instruction */
};

static struct stf_records group_records(const struct group *group)
{
	return stf_records_in(group->pc->cfg, group->p, (size_t)(group->end - group->p));
}

/* Its encoding is the last record; an INST_IEM may come before. */
static void find_insn(struct group *group)
{
	enum cairn_isa isa = (enum cairn_isa)group->pc->now.isa;
	struct stf_records rec = group_records(group);
	while (stf_next(&rec)) {
		const uint8_t *p = rec.p;
		if (*p == CAIRN_STF_INST_IEM)
			isa = stf_isa(group->pc->cfg, stf_INST_IEM_iem(p));
		if (*p != CAIRN_STF_INST_32 && *p != CAIRN_STF_INST_16)
			continue;
		unsigned size = *p == CAIRN_STF_INST_32 ? 4 : 2;
		uint32_t enc = stf_encoding(p);
		group->any = true;
		isa = stf_variant(group->pc->cfg, isa);
		cairn_isa_decode(isa, enc, size, &group->op);
		if (cairn_isa_operands(isa, enc, size, &group->operands) < 0)
			group->operands.n_dst = 0;
	}
}

uint32_t stf_group_bytes(struct stf_segment *segment, const uint8_t *p, size_t n,
                         const uint8_t *access)
{
	struct group group = {.pc = segment, .p = p, .end = p + n};
	uint32_t size = stf_INST_MEM_ACCESS_bytes(access);
	if (!((const struct stf_impl *)segment->reader->impl)->reading.bits ||
	    (stf_mends(segment) & STF_MEND_SIZES))
		return size;
	find_insn(&group);
	return stf_bits_to_bytes(size, group.any ? &group.op : NULL);
}

/* ---- sources ---- */

static bool mend_is_changed(const struct group *group, unsigned cls, unsigned num)
{
	struct stf_records rec = group_records(group);
	for (unsigned i = 0; i < group->operands.n_dst; i++)
		if (group->operands.dst[i].cls == cls && group->operands.dst[i].num == num)
			return true;
	while (stf_next(&rec))
		if (*rec.p == CAIRN_STF_INST_REG &&
		    stf_INST_REG_kind(rec.p) == (cls | CAIRN_ROLE_DST << 4) &&
		    stf_INST_REG_reg(rec.p) == num)
			return true;
	return false;
}

/* Does a source say something else than what its register held before? */
static bool is_false(const struct group *group, const uint8_t *p)
{
	const struct stf_reading *is = &((const struct stf_impl *)group->pc->reader->impl)->reading;
	unsigned cls = stf_reg_class(p);
	return stf_reg_role(p) == CAIRN_ROLE_SRC && (!group->any || is->wrong >> cls & 1 ||
	                                             mend_is_changed(group, cls, stf_INST_REG_reg(p)));
}

static int mend_source(const struct group *group, const uint8_t *p, size_t len,
                       struct base_buf *out)
{
	struct stf_segment *segment = group->pc;
	uint8_t rec[STF_LEN_INST_REG + 8];
	uint64_t before;
	if (!is_false(group, p))
		return base_buf_put(out, p, len);
	if (len != sizeof rec ||
	    !stf_carried_value(segment->carried, stf_reg_class(p), stf_INST_REG_reg(p), &before))
		return stf_remake_lost(segment->remake, "sources of which only a later value was recorded",
		                       1, segment->n);
	memcpy(rec, p, sizeof rec);
	stf_put_reg_value(rec, before);
	int rc = base_buf_put(out, rec, sizeof rec);
	return rc < 0 ? rc
	              : stf_remake_note(segment->remake,
	                                "sources that got the value of before the instruction", 1,
	                                segment->n);
}

/* ---- all ---- */

static int mend_size(const struct group *group, const uint8_t *p, size_t len, struct base_buf *out)
{
	struct stf_segment *segment = group->pc;
	size_t at = out->len;
	int rc = base_buf_put(out, p, len);
	if (rc < 0)
		return rc;
	stf_put_INST_MEM_ACCESS_bytes(
		out->data + at,
		(uint16_t)stf_bits_to_bytes(stf_INST_MEM_ACCESS_bytes(p), group->any ? &group->op : NULL));
	return stf_remake_note(segment->remake, "sizes of accesses that were in bits", 1, segment->n);
}

static int mend_master(const struct group *group, const uint8_t *p, size_t len,
                       struct base_buf *out)
{
	struct stf_segment *segment = group->pc;
	size_t at = out->len;
	uint8_t who = stf_initiator(segment->cfg, stf_BUS_MASTER_ACCESS_initiator(p));
	int number = stf_initiator_number(&segment->remake->header->cfg, who);
	int rc = base_buf_put(out, p, len);
	if (rc < 0 ||
	    (who == CAIRN_BY_OTHER && stf_BUS_MASTER_ACCESS_initiator(p) > STF_LAST_INITIATOR))
		return rc; /* in neither numbering */
	uint8_t other = segment->remake->header->cfg.spec_initiators ? UINT8_MAX : 0;
	stf_put_BUS_MASTER_ACCESS_initiator(out->data + at, number >= 0 ? (uint8_t)number : other);
	return number >= 0 ? 0
	                   : stf_remake_lost(segment->remake, "kinds of bus masters without a number",
	                                     1, segment->n);
}

int stf_mend(struct stf_segment *segment, const uint8_t *p, size_t n, struct base_buf *out)
{
	unsigned what = stf_mends(segment);
	struct group group = {.pc = segment, .p = p, .end = p + n};
	struct stf_records rec = group_records(&group);
	int rc = 0;
	out->len = 0;
	find_insn(&group);
	while (rc >= 0 && stf_next(&rec)) {
		if (*rec.p == CAIRN_STF_INST_MEM_ACCESS && (what & STF_MEND_SIZES))
			rc = mend_size(&group, rec.p, rec.len, out);
		else if (*rec.p == CAIRN_STF_INST_REG && (what & STF_MEND_SOURCES))
			rc = mend_source(&group, rec.p, rec.len, out);
		else if (*rec.p == CAIRN_STF_BUS_MASTER_ACCESS && (what & STF_MEND_MASTERS))
			rc = mend_master(&group, rec.p, rec.len, out);
		else
			rc = base_buf_put(out, rec.p, rec.len);
	}
	return rc >= 0 && rec.left ? stf_half_record(segment) : rc;
}
