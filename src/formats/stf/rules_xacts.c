/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of transactions. Their form is judged in the span; ids are the trace's, so
 * the span leaves them in a list for fold, which keeps the set of all.
 */
#include "base/bytes.h"
#include "formats/stf/rules.h"

/* ---- protocol data ---- */

/* Opcodes that a channel has, and those whose messages carry data: bits by opcode, from
 * channel A. (TileLink 1.8.1, "Summary of message opcodes".) */
static const struct {
	uint8_t has, carries;
} channels[] = {{0xff, 0x0f}, {0xff, 0x0f}, {0xf7, 0xa2}, {0x77, 0x22}};

struct message {
	unsigned channel, code, size, data, mask_bits;
	uint64_t address;
	bool has_address, has_mask;
};

static void judge_message(struct stf_walk *w, const struct message *m, struct stf_spot at)
{
	unsigned kind = m->channel - 1, bit = 1u << (m->code & 7);
	char letter = (char)('A' + kind);
	if (kind >= sizeof channels / sizeof *channels || m->code > 7)
		return; /* channel E has neither; told */
	if (!(channels[kind].has & bit))
		FIND(w, TL_OPCODE, at, "channel %c has no opcode %u", letter, m->code);
	else if (!(channels[kind].carries & bit) && m->data)
		FIND(w, TL_CARRIES, at, "opcode %u of channel %c carries no data, but there are %u bytes",
		     m->code, letter, m->data);
	else if ((channels[kind].carries & bit) && !m->data)
		FIND(w, TL_CARRIES, at, "opcode %u of channel %c carries data, but there is none", m->code,
		     letter);
	if (m->size < 16 && m->data > 1u << m->size)
		FIND(w, TL_DATA, at, "%u bytes of data in a message of %u", m->data, 1u << m->size);
	if (m->has_address && m->size < 64 && m->address & ((UINT64_C(1) << m->size) - 1))
		FIND(w, TL_ALIGNED, at, "address 0x%llx of a message of 2^%u bytes",
		     (unsigned long long)m->address, m->size);
	if (m->has_mask && (m->mask_bits == 0 || (m->mask_bits & (m->mask_bits - 1))))
		FIND(w, TL_MASK_LENGTH, at, "the mask has %u bits", m->mask_bits);
}

/* p is at the channel; the record has been measured, so everything lies within it. */
static void judge_tilelink(struct stf_walk *w, const uint8_t *p, struct stf_spot at)
{
	struct message m = {.channel = *p};
	for (const char *l = stf_tilelink_layout(*p++); l && *l; l++) {
		switch (*l) {
		case 'c':
			m.code = *p++;
			if (m.code > 7)
				FIND(w, TL_CODE, at, "the opcode is %u", m.code);
			break;
		case 'p':
			if (*p > 7)
				FIND(w, TL_PARAM, at, "the param is %u", *p);
			p++;
			break;
		case 'z':
			m.size = *p++;
			break;
		case 'd':
			m.data = base_le16(p);
			p += 2 + m.data;
			break;
		case 'm':
			m.mask_bits = base_le16(p);
			m.has_mask = true;
			if (m.mask_bits % 8 && p[2 + m.mask_bits / 8] >> (m.mask_bits % 8))
				FIND(w, TL_MASK, at, "bits above the %u of the mask are set", m.mask_bits);
			p += 2 + (m.mask_bits + 7) / 8;
			break;
		case 'a':
			m.address = base_le64(p);
			m.has_address = true;
			p += 8;
			break;
		default:
			p += 8;
			break;
		}
	}
	judge_message(w, &m, at);
}

/* ---- records ---- */

static void rules_xacts_keep(struct stf_walk *w, uint64_t id, struct stf_spot at, bool dependency)
{
	struct stf_xact_row row = {.id = id, .at = stf_spot_place(w, at), .dependency = dependency};
	int rc = base_buf_put(&w->sp->xact_rows, &row, sizeof row);
	if (rc < 0)
		w->part->found.status = rc;
}

static bool clock_is_known(const struct stf_walk *w, unsigned clock)
{
	return !w->judge->any_clock || w->judge->clock[clock];
}

void stf_rule_transaction(struct stf_walk *w, const uint8_t *p)
{
	struct stf_spot at = stf_here(w, p);
	stf_see(w, SEEN_XACT, p);
	if (!clock_is_known(w, p[17]))
		FIND(w, XACT_CLOCK, at, "the header declares no clock %u", p[17]);
	rules_xacts_keep(w, base_le64(p + 1), at, false);
	unsigned n = base_le16(p + 18);
	for (p += STF_LEN_TRANSACTION; n; n--)
		p += 1 + ((size_t)1 << *p);
	judge_tilelink(w, p, at);
	w->at.x++;
	w->at.begun = 1;
	w->sp->xacts++;
}

void stf_rule_dependency(struct stf_walk *w, const uint8_t *p)
{
	struct stf_spot at = stf_here(w, p);
	if (!clock_is_known(w, p[17]))
		FIND(w, DEP_CLOCK, at, "the header declares no clock %u", p[17]);
	rules_xacts_keep(w, base_le64(p + 1), at, true);
}

/* ---- fold ---- */

static int fold_transaction(struct stf_judge *j, const struct stf_xact_row *row,
                            struct check_part *p)
{
	unsigned long long id = row->id;
	if (row->id == 0)
		check_add(p, STF_RULE_XACT_ID, &row->at, "the id is 0");
	int fresh = check_set_add(&j->ids, row->id);
	if (fresh == 0)
		check_add(p, STF_RULE_XACT_UNIQUE, &row->at, "id %llu has been there before", id);
	else if (fresh > 0 && j->ids.used && row->id < j->last_id)
		check_add(p, STF_RULE_XACT_ORDER, &row->at, "id %llu behind %llu", id,
		          (unsigned long long)j->last_id);
	if (row->id > j->last_id)
		j->last_id = row->id;
	return fresh < 0 ? fresh : 0;
}

/* What a transaction depends on has a lower id, for ids ascend: a lower one that is not
 * there was cut off, as a slice does; any other cannot have been earlier. */
int stf_rules_fold_xacts(struct stf_judge *j, struct stf_part *sp, struct check_part *p)
{
	if (!sp->xact_rows.len)
		return 0; /* there may be no array to count from */
	const struct stf_xact_row *row = (const void *)sp->xact_rows.data, *own = row;
	const struct stf_xact_row *end = row + sp->xact_rows.len / sizeof *row;
	for (; row < end; row++) {
		unsigned long long id = row->id;
		if (!row->dependency) {
			int rc = fold_transaction(j, row, p);
			if (rc < 0)
				return rc;
			continue;
		}
		if (check_set_has(&j->ids, row->id))
			continue;
		while (own < end && (own < row || own->dependency)) /* it stands behind them */
			own++;
		if (id && own < end && id < own->id)
			check_add(p, STF_RULE_DEP_CUT, &row->at,
			          "transaction %llu does not stand "
			          "before it, as if cut off",
			          id);
		else
			check_add(p, STF_RULE_DEP_EARLIER, &row->at,
			          "no earlier transaction has the id "
			          "%llu",
			          id);
	}
	return 0;
}
