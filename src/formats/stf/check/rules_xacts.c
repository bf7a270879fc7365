/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of transactions. Their form is judged in the span; ids are the trace's, so
 * the span leaves them in a list for fold, which keeps the set of all.
 */
#include "base/bytes.h"
#include "formats/stf/check/rules.h"

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

static void judge_message(struct stf_walk *walk, const struct message *message, struct stf_spot at)
{
	unsigned kind = message->channel - 1, bit = 1u << (message->code & 7);
	char letter = (char)('A' + kind);
	if (kind >= sizeof channels / sizeof *channels || message->code > 7)
		return; /* channel E has neither; told */
	if (!(channels[kind].has & bit))
		FIND(walk, TL_OPCODE, at, "channel %c has no opcode %u", letter, message->code);
	else if (!(channels[kind].carries & bit) && message->data)
		FIND(walk, TL_CARRIES, at,
		     "opcode %u of channel %c carries no data, but there are %u bytes", message->code,
		     letter, message->data);
	else if ((channels[kind].carries & bit) && !message->data)
		FIND(walk, TL_CARRIES, at, "opcode %u of channel %c carries data, but there is none",
		     message->code, letter);
	if (message->size < 16 && message->data > 1u << message->size)
		FIND(walk, TL_DATA, at, "%u bytes of data in a message of %u", message->data,
		     1u << message->size);
	if (message->has_address && message->size < 64 &&
	    message->address & ((UINT64_C(1) << message->size) - 1))
		FIND(walk, TL_ALIGNED, at, "address 0x%llx of a message of 2^%u bytes",
		     (unsigned long long)message->address, message->size);
	if (message->has_mask &&
	    (message->mask_bits == 0 || (message->mask_bits & (message->mask_bits - 1))))
		FIND(walk, TL_MASK_LENGTH, at, "the mask has %u bits", message->mask_bits);
}

/* p is at the channel; the record has been measured, so everything lies within it. */
static void judge_tilelink(struct stf_walk *walk, const uint8_t *p, struct stf_spot at)
{
	struct message message = {.channel = *p};
	for (const char *l = stf_tilelink_layout(*p++); l && *l; l++) {
		switch (*l) {
		case 'c':
			message.code = *p++;
			if (message.code > 7)
				FIND(walk, TL_CODE, at, "the opcode is %u", message.code);
			break;
		case 'p':
			if (*p > 7)
				FIND(walk, TL_PARAM, at, "the param is %u", *p);
			p++;
			break;
		case 'z':
			message.size = *p++;
			break;
		case 'd':
			message.data = base_le16(p);
			p += 2 + message.data;
			break;
		case 'm':
			message.mask_bits = base_le16(p);
			message.has_mask = true;
			p += 2;
			if (message.mask_bits % 8 && p[message.mask_bits / 8] >> (message.mask_bits % 8))
				FIND(walk, TL_MASK, at, "bits above the %u of the mask are set", message.mask_bits);
			p += (message.mask_bits + 7) / 8;
			break;
		case 'a':
			message.address = base_le64(p);
			message.has_address = true;
			p += 8;
			break;
		default:
			p += 8;
			break;
		}
	}
	judge_message(walk, &message, at);
}

/* ---- records ---- */

static void rules_xacts_keep(struct stf_walk *walk, uint64_t id, struct stf_spot at,
                             bool dependency)
{
	struct stf_xact_row row = {.id = id, .at = stf_spot_place(walk, at), .dependency = dependency};
	int rc = base_buf_put(&walk->sp->xact_rows, &row, sizeof row);
	if (rc < 0)
		walk->part->found.status = rc;
}

static bool clock_is_known(const struct stf_walk *walk, unsigned clock)
{
	return !walk->judge->any_clock || walk->judge->clock[clock];
}

void stf_rule_transaction(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_spot at = stf_here(walk, p);
	stf_see(walk, SEEN_XACT, p);
	if (!clock_is_known(walk, stf_TRANSACTION_clock(p)))
		FIND(walk, XACT_CLOCK, at, "the header declares no clock %u", stf_TRANSACTION_clock(p));
	rules_xacts_keep(walk, stf_TRANSACTION_id(p), at, false);
	unsigned n = stf_TRANSACTION_metadata(p);
	for (p += STF_LEN_TRANSACTION; n; n--)
		p += 1 + ((size_t)1 << *p);
	judge_tilelink(walk, p, at);
	walk->sp->xacts++;
}

void stf_rule_dependency(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_spot at = stf_here(walk, p);
	if (!clock_is_known(walk, stf_TRANSACTION_DEPENDENCY_clock(p)))
		FIND(walk, DEP_CLOCK, at, "the header declares no clock %u",
		     stf_TRANSACTION_DEPENDENCY_clock(p));
	rules_xacts_keep(walk, stf_TRANSACTION_DEPENDENCY_id(p), at, true);
}

/* ---- fold ---- */

static int fold_transaction(struct stf_judge *judge, const struct stf_xact_row *row,
                            struct check_part *part)
{
	unsigned long long id = row->id;
	if (row->id == 0)
		check_add(part, STF_RULE_XACT_ID, &row->at, "the id is 0");
	int fresh = check_set_add(&judge->ids, row->id);
	if (fresh == 0)
		check_add(part, STF_RULE_XACT_UNIQUE, &row->at, "id %llu has been there before", id);
	else if (fresh > 0 && judge->ids.used && row->id < judge->last_id)
		check_add(part, STF_RULE_XACT_ORDER, &row->at, "id %llu behind %llu", id,
		          (unsigned long long)judge->last_id);
	if (row->id > judge->last_id)
		judge->last_id = row->id;
	return fresh < 0 ? fresh : 0;
}

/* What a transaction depends on has a lower id, because ids ascend. A lower one that is missing was
 * cut off, as by a slice; any other cannot have been earlier. */
int stf_rules_fold_xacts(struct stf_judge *judge, struct stf_part *sp, struct check_part *part)
{
	if (!sp->xact_rows.len)
		return 0; /* there may be no array to count from */
	const struct stf_xact_row *row = (const void *)sp->xact_rows.data, *own = row;
	const struct stf_xact_row *end = row + sp->xact_rows.len / sizeof *row;
	for (; row < end; row++) {
		unsigned long long id = row->id;
		if (!row->dependency) {
			int rc = fold_transaction(judge, row, part);
			if (rc < 0)
				return rc;
			continue;
		}
		if (check_set_has(&judge->ids, row->id))
			continue;
		while (own < end && (own < row || own->dependency)) /* it stands behind them */
			own++;
		if (id && own < end && id < own->id)
			check_add(part, STF_RULE_DEP_CUT, &row->at,
			          "transaction %llu is not before it, as if cut off", id);
		else
			check_add(part, STF_RULE_DEP_EARLIER, &row->at,
			          "no earlier transaction has the id "
			          "%llu",
			          id);
	}
	return 0;
}
