/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record from a part to the output. Nearly all are copied; changed are those whose
 * meaning depends on the header (width of event ids, meaning of process ids) or on
 * where in a trace they stand (a walk's first access, a transaction's id and clock).
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/change/change.h"

/* ---- events ---- */

static int rewrite_event(struct stf_segment *segment, const uint8_t *p, size_t len)
{
	struct stf_remake *remake = segment->remake;
	unsigned from = segment->cfg->event_bits, to = remake->header->cfg.event_bits;
	uint64_t id = stf_event_id_of(p, from);
	uint8_t rec[STF_LEN_EVENT + 255 * 8];
	unsigned count = stf_event_count(p, from);
	const uint8_t *words = stf_event_data(p, from);
	if (from == to)
		return cairn_stf_put_record(remake->writer, p, len);
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	if (to == 32 && code > 0x3fffffff)
		return base_fail(remake->cairn, CAIRN_E_INVAL,
		                 "%s: instruction %llu: the event 0x%llx does not fit ids of 32 bits",
		                 segment->name, (unsigned long long)segment->n, (unsigned long long)id);
	memcpy(stf_put_event(rec, to, id, count), words, 8 * (size_t)count);
	return cairn_stf_put_record(remake->writer, rec, stf_event_length(to, count));
}

/* ---- who runs ---- */

/* hardware thread, PID, TID  <->  TGID, TID, ASID */
int stf_translate_ids(struct stf_remake *remake, bool from, uint32_t ids[3], uint64_t n)
{
	const uint32_t in[3] = {ids[0], ids[1], ids[2]};
	bool to = remake->header->cfg.new_ids;
	if (from == to)
		return 0;
	if (to) {
		ids[0] = 0;
		ids[1] = in[0];
		ids[2] = in[1];
		return in[2] ? stf_remake_lost(remake, "address space ids", 1, n) : 0;
	}
	ids[0] = in[1];
	ids[1] = in[2];
	ids[2] = 0;
	return in[0] ? stf_remake_lost(remake, "hardware thread ids", 1, n) : 0;
}

static int rewrite_ids(struct stf_segment *segment, const uint8_t *p)
{
	struct stf_remake *remake = segment->remake;
	uint32_t in[3];
	stf_process_ids(p, in);
	uint8_t rec[STF_LEN_PROCESS_ID_EXT] = {CAIRN_STF_PROCESS_ID_EXT};
	int rc = stf_carried_run(segment->carried, &segment->now.ctx, segment->n);
	if (rc < 0)
		return rc;
	rc = stf_translate_ids(remake, segment->cfg->new_ids, in, segment->n);
	stf_put_process_ids(rec, in);
	return rc < 0 ? rc : cairn_stf_put_record(remake->writer, rec, sizeof rec);
}

/* ---- page walks ---- */

/* A walk's first access is an index from 0 in the output. If that lay before the range, the page is
 * used here for the first time. */
static int rewrite_walk(struct stf_segment *segment, const uint8_t *p, size_t len)
{
	struct stf_remake *remake = segment->remake;
	uint8_t rec[STF_LONGEST_WALK];
	uint64_t index = stf_PAGE_TABLE_WALK_first_access(p), here = segment->n - 1;
	if (index >= here)
		index = remake->n + (index - here);
	else if (here - index <= remake->n - segment->out0)
		index = remake->n - (here - index);
	else
		index = remake->n;
	memcpy(rec, p, len);
	stf_put_PAGE_TABLE_WALK_first_access(rec, index);
	return cairn_stf_put_record(remake->writer, rec, len);
}

/* ---- transactions ---- */

static struct stf_id_range *xacts_of(const struct stf_remake *remake, size_t *n)
{
	*n = remake->xacts.len / sizeof(struct stf_id_range);
	return (void *)remake->xacts.data;
}

int stf_xact_add(struct stf_remake *remake, uint64_t id, size_t from)
{
	size_t n;
	struct stf_id_range *range = xacts_of(remake, &n), add = {id, id};
	if (id > remake->max_id)
		remake->max_id = id;
	if (n > from && range[n - 1].last + 1 == id) {
		range[n - 1].last = id;
		return 0;
	}
	return base_buf_put(&remake->xacts, &add, sizeof add);
}

bool stf_xact_has(const struct stf_remake *remake, uint64_t id, size_t from)
{
	size_t n;
	const struct stf_id_range *range = xacts_of(remake, &n);
	/* Newest first: most dependencies are on what came shortly before. */
	for (size_t i = n; i > from; i--)
		if (id >= range[i - 1].first && id <= range[i - 1].last)
			return true;
	return false;
}

/* Copy a record with another id and clock: both at the same places in either type. */
static int put_xact(struct stf_segment *segment, const uint8_t *p, size_t len, uint64_t id)
{
	if (id == stf_TRANSACTION_id(p) &&
	    segment->clocks[stf_TRANSACTION_clock(p)] == stf_TRANSACTION_clock(p))
		return cairn_stf_put_record(segment->remake->writer, p, len);
	segment->extra.len = 0; /* transaction traces have nothing else to add */
	int rc = base_buf_put(&segment->extra, p, len);
	if (rc < 0)
		return rc;
	stf_put_TRANSACTION_id(segment->extra.data, id);
	stf_put_TRANSACTION_clock(segment->extra.data, segment->clocks[stf_TRANSACTION_clock(p)]);
	rc = cairn_stf_put_record(segment->remake->writer, segment->extra.data, len);
	segment->extra.len = 0;
	return rc;
}

static int rewrite_transaction(struct stf_segment *segment, const uint8_t *p, size_t len)
{
	struct stf_remake *remake = segment->remake;
	uint64_t id = stf_TRANSACTION_id(p);
	int rc = stf_xact_add(remake, id + segment->id_offset, segment->ids0);
	return rc < 0 ? rc : put_xact(segment, p, len, id + segment->id_offset);
}

/* A dependency on another transaction of the part, or of a part whose ids were kept. */
static int rewrite_dependency(struct stf_segment *segment, const uint8_t *p, size_t len)
{
	struct stf_remake *remake = segment->remake;
	uint64_t id = stf_TRANSACTION_id(p) + segment->id_offset;
	if (stf_xact_has(remake, id, segment->id_offset ? segment->ids0 : 0))
		return put_xact(segment, p, len, id);
	if (segment->id_offset)
		return stf_remake_lost(remake, "dependencies on transactions that were cut off", 1,
		                       segment->n);
	int rc = stf_remake_note(remake, "dependencies on transactions that are not in the output", 1,
	                         segment->n);
	return rc < 0 ? rc : put_xact(segment, p, len, id);
}

/* Ids that come again are moved behind all others. The part's first transaction decides,
 * but its dependencies come before it. */
void stf_choose_ids(struct stf_segment *segment, const uint8_t *p)
{
	const struct stf_remake *remake = segment->remake;
	uint64_t id = stf_TRANSACTION_id(p);
	if (!segment->id_chosen && remake->xacts.len && id <= remake->max_id)
		segment->id_offset = remake->max_id + 1 - id;
	segment->id_chosen = true;
}

/* ---- all ---- */

static int rewrite_marker(struct stf_segment *segment, const uint8_t *p, size_t len)
{
	segment->n++;
	segment->remake->n++;
	if (*p != CAIRN_STF_TRANSACTION)
		return cairn_stf_put_record(segment->remake->writer, p, len);
	return rewrite_transaction(segment, p, len);
}

int stf_rewrite(struct stf_segment *segment, const uint8_t *p, size_t len)
{
	struct stf_remake *remake = segment->remake;
	int rc = 0;
	stf_follow(&segment->now, segment->cfg, p);
	if (remake->drop[*p]) {
		remake->dropped++;
		return 0;
	}
	switch (*p) {
	case CAIRN_STF_INST_32:
	case CAIRN_STF_INST_16:
	case CAIRN_STF_TRANSACTION:
		if (segment->track)
			stf_carried_ran(segment->carried, (enum cairn_isa)segment->now.isa, p, segment->n);
		return rewrite_marker(segment, p, len);
	case CAIRN_STF_INST_REG:
	case CAIRN_STF_EVENT:
	case CAIRN_STF_FORCE_PC:
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_EVENT_PC_TARGET:
	case CAIRN_STF_PAGE_TABLE_WALK:
	case CAIRN_STF_COMMENT:
		if (segment->track)
			rc =
				stf_carried_take(segment->carried, p, segment->n, stf_segment_space(segment), true);
		if (rc >= 0 && *p == CAIRN_STF_EVENT)
			return rewrite_event(segment, p, len);
		if (rc >= 0 && *p == CAIRN_STF_PAGE_TABLE_WALK)
			return rewrite_walk(segment, p, len);
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		return rewrite_ids(segment, p);
	case CAIRN_STF_TRANSACTION_DEPENDENCY:
		return rewrite_dependency(segment, p, len);
	default:
		break;
	}
	return rc < 0 ? rc : cairn_stf_put_record(remake->writer, p, len);
}
