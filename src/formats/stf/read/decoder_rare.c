/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of rare records, out of line from the loop of decoder.c.
 *
 * What a record says of later instructions is kept in the state until their slot comes. Rows beyond
 * a batch's room are counted, and reported where the slot ends.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/read/decoder.h"

static struct cairn_event *decode_event_row(struct decoder *decoder, uint8_t kind)
{
	return kit_event(&decoder->rows, kind, CAIRN_ON);
}

/* Its arguments: words, or bytes as they are. */
static void decode_event_bytes(struct decoder *decoder, struct cairn_event *event, const uint8_t *p,
                               size_t n, bool text)
{
	uint32_t at = kit_payload(&decoder->rows, n);
	if (at == UINT32_MAX)
		return;
	if (n)
		memcpy(decoder->rows.batch->bytes + at, p, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; !text && i + 8 <= n; i += 8) {
		uint64_t v = base_le64(p + i);
		memcpy(decoder->rows.batch->bytes + at + i, &v, 8);
	}
#endif
	event->args = at;
	event->len = (uint32_t)n;
	if (text)
		event->flags |= CAIRN_EVF_BYTES;
}

void decode_context(struct decoder *decoder)
{
	decoder->ctx = kit_context(&decoder->rows, &decoder->at->now.ctx);
}

static void decode_mode_change(struct decoder *decoder, struct cairn_event *event, uint64_t mode)
{
	bool exists = mode <= CAIRN_PRIV_MACHINE, at_once = stf_follow_mode(&decoder->at->now, mode);
	if (event) {
		event->code = mode + (exists ? decoder->mode0 : 0u);
		event->phase = at_once ? CAIRN_BEFORE : CAIRN_AFTER;
	}
	if (exists && at_once)
		decode_context(decoder);
}

static void decode_event(struct decoder *decoder, const uint8_t *p)
{
	unsigned bits = decoder->cfg->event_bits, count = stf_event_count(p, bits);
	uint64_t id = stf_event_id_of(p, bits);
	const uint8_t *data = stf_event_data(p, bits);
	uint64_t code;
	uint8_t kind = stf_event_kind(decoder->ours, id, &code);
	enum cairn_phase phase = stf_event_phase(decoder->ours, id);
	struct cairn_event *event = decode_event_row(decoder, kind);
	if (event) {
		event->code = code;
		event->phase = (uint8_t)phase;
		event->flags = CAIRN_EVF_RECORD;
		if (phase == CAIRN_BEFORE && count && stf_event_holds_target(id)) {
			count--;
			event->target = base_le64(data + 8 * (size_t)count);
			event->flags |= CAIRN_EVF_TARGET;
		}
		decode_event_bytes(decoder, event, data, (size_t)count * 8, false);
	}
	if (kind == CAIRN_EV_MODE)
		decode_mode_change(decoder, event, count ? base_le64(data) : UINT64_MAX);
	else if (stf_event_stops(decoder->ours, id))
		decoder->at->now.group |= SLOT_ABORTED;
	if (stf_event_implausible(id) && !decoder->at->odd_event) {
		char place[128];
		decoder->at->odd_event = 1;
		stf_place(decoder->ss, place, sizeof place);
		stf_odd_event(decoder->reader, decoder->span, place, id);
	}
}

static void decode_event_target(struct decoder *decoder, uint64_t target)
{
	stf_follow_target(&decoder->at->now, target);
	decoder->at->now.group |= SLOT_ODD;
	struct cairn_batch *batch = decoder->rows.batch;
	/* It belongs to the slot's last event; without one it is a branch that no event names. */
	for (uint32_t i = batch->n_events; i > batch->insns[batch->n_insns].ev0; i--) {
		struct cairn_event *event = &batch->events[i - 1];
		if (event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT ||
		    event->kind == CAIRN_EV_SYSCALL || event->kind == CAIRN_EV_MODE) {
			event->target = target;
			event->flags |= CAIRN_EVF_TARGET;
			return;
		}
	}
	struct cairn_event *event = decode_event_row(decoder, CAIRN_EV_BRANCH);
	if (event) {
		event->target = target;
		event->flags |= CAIRN_EVF_TARGET;
	}
}

void decode_forced(struct decoder *decoder, uint64_t pc)
{
	stf_follow_force(&decoder->at->now, pc);
	struct cairn_event *event = decode_event_row(decoder, CAIRN_EV_FORCE_PC);
	if (event) {
		event->target = pc;
		event->flags = CAIRN_EVF_TARGET;
		event->phase = CAIRN_BEFORE;
	}
}

static void decode_force_pc(struct decoder *decoder, uint64_t pc)
{
	const struct stf_follower *now = &decoder->at->now;
	bool repeats_header = !now->begun && (now->group & STF_FORCED) && now->pc == pc;
	if (!repeats_header)
		decode_forced(decoder, pc);
}

static void decode_page_walk(struct decoder *decoder, const uint8_t *p)
{
	struct cairn_event *event = decode_event_row(decoder, CAIRN_EV_PAGE_WALK);
	if (!event)
		return;
	unsigned ptes = stf_PAGE_TABLE_WALK_count(p);
	uint64_t args[2 + 2 * 255];
	args[0] = stf_PAGE_TABLE_WALK_first_access(p);
	args[1] = stf_PAGE_TABLE_WALK_page_size(p);
	for (unsigned i = 0; i < 2 * ptes; i++)
		args[2 + i] = base_le64(p + STF_LEN_PAGE_TABLE_WALK + 8 * (size_t)i);
	event->code = stf_PAGE_TABLE_WALK_va(p);
	event->phase = CAIRN_BEFORE;
	kit_args(&decoder->rows, event, args, 2 + 2 * (size_t)ptes);
}

static void decode_micro_op(struct decoder *decoder, const uint8_t *p)
{
	struct cairn_event *event = decode_event_row(decoder, CAIRN_EV_MICRO_OP);
	if (!event)
		return;
	uint64_t bytes = stf_INST_MICROOP_bytes(p);
	event->code = stf_INST_MICROOP_micro_op(p);
	kit_args(&decoder->rows, event, &bytes, 1);
}

static void decode_vector_reg(struct decoder *decoder, const uint8_t *p)
{
	struct cairn_reg *row = kit_reg(&decoder->rows);
	if (!row)
		return;
	row->num = stf_INST_REG_reg(p);
	row->cls = CAIRN_REG_VECTOR;
	row->role = stf_reg_role(p) <= 3 ? stf_reg_role(p) : CAIRN_ROLE_UNKNOWN;
	row->bits = decoder->cfg->vlen ? decoder->cfg->vlen : 64;
	kit_value(&decoder->rows, p + STF_LEN_INST_REG, 8 * (size_t)stf_vector_words(decoder->cfg),
	          &row->value, &row->flags);
}

/* A row but for its number and value. `kind` is byte 3 of INST_REG. */
static struct cairn_reg reg_kind(unsigned kind, uint32_t int_bits)
{
	uint8_t cls = kind & 15, role = (uint8_t)(kind >> 4);
	return (struct cairn_reg){.bits = cls == CAIRN_REG_FP ? 64 : int_bits,
	                          .cls = cls <= CAIRN_REG_CSR ? cls : CAIRN_REG_UNKNOWN,
	                          .role = role <= CAIRN_ROLE_DST ? role : CAIRN_ROLE_UNKNOWN,
	                          .flags = CAIRN_VALUE_KNOWN};
}

/* A register of a set whose numbers are cairn's (sets.c), or a source that was read late. */
static void decode_other_reg(struct decoder *decoder, const uint8_t *p)
{
	struct cairn_reg *row = kit_reg(&decoder->rows);
	if (!row)
		return;
	uint16_t seq = row->seq;
	*row = reg_kind(stf_INST_REG_kind(p), decoder->worker->int_bits);
	row->value = stf_reg_value(p);
	row->num = stf_INST_REG_reg(p);
	row->seq = seq;
	const struct stf_bank *bank =
		decoder->ours ? stf_bank_at((enum cairn_isa)decoder->at->now.isa, row->cls, row->num)
					  : NULL;
	if (bank) {
		row->cls = bank->cls;
		row->num = (uint16_t)(bank->first + (row->num - bank->number));
		row->bits = bank->bits ? bank->bits : row->bits;
		if (row->cls == CAIRN_REG_PREDICATE && decoder->cfg->vlen > 8u * row->bits)
			row->bits = (uint16_t)(decoder->cfg->vlen < 512 ? decoder->cfg->vlen / 8 : 64);
	}
}

static void decode_ready_reg(struct decoder *decoder, uint16_t num)
{
	struct cairn_reg *row = kit_reg(&decoder->rows);
	if (!row)
		return;
	row->num = num;
	row->cls = CAIRN_REG_INT;
	row->role = CAIRN_ROLE_READY;
}

/* A further content of one access: the value becomes wide. */
static void more_content(struct decoder *decoder, struct cairn_mem *mem, uint64_t value)
{
	struct cairn_batch *batch = decoder->rows.batch;
	if (mem->words == UINT16_MAX) {
		decoder->rows.dropped++;
		return;
	}
	bool grows = (mem->flags & CAIRN_VALUE_WIDE) && mem->value + 8u * mem->words == batch->n_bytes;
	uint32_t at = kit_payload(&decoder->rows, grows ? 8 : 8 * ((size_t)mem->words + 1));
	if (at == UINT32_MAX)
		return;
	if (!grows) {
		if (mem->flags & CAIRN_VALUE_WIDE)
			memcpy(batch->bytes + at, batch->bytes + mem->value, 8 * (size_t)mem->words);
		else
			base_put_le64(batch->bytes + at, mem->value);
		mem->value = at;
		mem->flags |= CAIRN_VALUE_WIDE;
		at += 8 * (uint32_t)mem->words;
	}
	base_put_le64(batch->bytes + at, value);
	mem->words++;
}

static void decode_content(struct decoder *decoder, struct cairn_mem **last, uint8_t initiator,
                           uint64_t value)
{
	if (!*last) { /* a content without its access: kept, its address unknown */
		*last = kit_mem(&decoder->rows);
		if (!*last)
			return;
		(*last)->initiator = initiator;
		(*last)->flags = CAIRN_VALUE_ADDR_UNKNOWN;
	}
	struct cairn_mem *mem = *last;
	if (mem->words == 0) {
		mem->value = value;
		mem->flags |= CAIRN_VALUE_KNOWN;
		mem->words = 1;
	} else {
		more_content(decoder, mem, value);
	}
}

static void decode_bus_access(struct decoder *decoder, const uint8_t *p)
{
	struct cairn_mem *mem = decoder->bus = kit_mem(&decoder->rows);
	if (!mem)
		return;
	mem->addr = stf_BUS_MASTER_ACCESS_address(p);
	mem->size = stf_BUS_MASTER_ACCESS_bytes(p);
	mem->initiator = stf_initiator(decoder->cfg, stf_BUS_MASTER_ACCESS_initiator(p));
	mem->unit = stf_BUS_MASTER_ACCESS_index(p);
	mem->attr = stf_BUS_MASTER_ACCESS_attributes(p);
	mem->kind =
		stf_BUS_MASTER_ACCESS_access(p) <= 2 ? stf_BUS_MASTER_ACCESS_access(p) : CAIRN_MEM_UNKNOWN;
}

/* A record that is known only by its type: header records in the body. */
static void decode_other(struct decoder *decoder, const uint8_t *p, size_t len)
{
	uint64_t count = UINT64_MAX;
	size_t text = STF_LEN_COMMENT;
	bool gap = stf_is_gap(p, &count, &text);
	if (gap) {
		stf_follow_gap(&decoder->at->now);
		decode_context(decoder);
	}
	struct cairn_event *event =
		decode_event_row(decoder, gap                         ? CAIRN_EV_GAP
	                              : p[0] == CAIRN_STF_COMMENT ? CAIRN_EV_COMMENT
	                                                          : CAIRN_EV_FORMAT);
	if (!event)
		return;
	if (gap) {
		event->code = count;
		event->phase = CAIRN_BEFORE;
	}
	if (p[0] == CAIRN_STF_COMMENT) {
		decode_event_bytes(decoder, event, p + text, len - text, true);
	} else {
		event->code = (uint64_t)p[0] << 32; /* except for special events, which are below */
		decode_event_bytes(decoder, event, p + STF_LEN_DESCRIPTOR, len - STF_LEN_DESCRIPTOR, true);
	}
}

/* ---- what records mean (reading.c) ---- */

/* Does the instruction change a register, by its encoding or by a row? */
static bool decoder_rare_is_changed(const struct cairn_reg *r, const struct cairn_reg *reg,
                                    const struct cairn_reg *reg_end,
                                    const struct cairn_operands *operands)
{
	for (; reg < reg_end; reg++)
		if (reg->role == CAIRN_ROLE_DST && reg->cls == r->cls && reg->num == r->num)
			return true;
	for (unsigned i = 0; i < operands->n_dst; i++)
		if (operands->dst[i].cls == r->cls && operands->dst[i].num == r->num)
			return true;
	return false;
}

/* A source that was read late holds what was before only if the instruction left its register
 * alone. */
static void settle_sources(const struct decoder *decoder, const struct cairn_insn *row,
                           struct cairn_reg *reg, const struct cairn_reg *reg_end)
{
	struct cairn_operands operands = {0};
	bool asked = false;
	for (struct cairn_reg *r = reg; r < reg_end; r++) {
		if (r->role != CAIRN_ROLE_SRC)
			continue;
		if (!asked && row)
			cairn_isa_operands((enum cairn_isa)(row->isa | row->variant), row->enc, row->size,
			                   &operands);
		asked = true;
		if (row && !(decoder->reading->wrong >> r->cls & 1) &&
		    !decoder_rare_is_changed(r, reg, reg_end, &operands))
			continue;
		r->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
		r->value = 0;
	}
}

void decode_settle(struct decoder *decoder, const struct cairn_insn *row, struct cairn_reg *reg,
                   const struct cairn_reg *reg_end, struct cairn_mem *mem,
                   const struct cairn_mem *mem_end)
{
	const struct cairn_op *op =
		row && decoder->reading->bits
			? isa_memo_get(decoder->worker->memo, (enum cairn_isa)(row->isa | row->variant),
	                       row->enc, row->size)
			: NULL;
	for (; decoder->reading->bits && mem < mem_end; mem++)
		if (mem->initiator == CAIRN_BY_INSN)
			mem->size = stf_bits_to_bytes(mem->size, op);
	if (decoder->reading->after)
		settle_sources(decoder, row, reg, reg_end);
}

void decode_know_isa(struct decoder *decoder, enum cairn_isa isa)
{
	struct stf_worker *worker = decoder->worker;
	uint32_t int_bits = isa == CAIRN_ISA_RV32 ? 32 : 64;
	decoder->key[0] = stf_code_key(stf_variant(decoder->cfg, isa), 2);
	decoder->key[1] = stf_code_key(stf_variant(decoder->cfg, isa), 4);
	if (worker->int_bits == int_bits)
		return;
	worker->int_bits = int_bits;
	for (unsigned i = 0; i < 256; i++) {
		struct cairn_reg row = reg_kind(i, int_bits);
		memcpy(worker->reg[i].word, &row.bits, sizeof worker->reg[i]);
		bool source = i >> 4 == CAIRN_ROLE_SRC && decoder->reading->after;
		if ((i & 15) == CAIRN_REG_VECTOR || decoder->ours || source)
			worker->reg[i].word[0] = 0;
	}
}

static void decode_iem(struct decoder *decoder, const uint8_t *p)
{
	enum cairn_isa isa = stf_isa(decoder->cfg, stf_INST_IEM_iem(p));
	decode_know_isa(decoder, isa);
	struct cairn_event *event = decode_event_row(decoder, CAIRN_EV_MODE_ISA);
	if (event) {
		event->code = isa;
		event->phase = CAIRN_BEFORE;
	}
	/* "Shall precede the very first instruction encoding record and every change":
	 * it stands before the instruction that is the first of the new mode. */
	decoder->at->now.isa = (uint8_t)isa;
}

static void decode_process(struct decoder *decoder, const uint8_t *p)
{
	stf_follow_ids(&decoder->at->now, decoder->cfg, p);
	decode_context(decoder);
}

void decode_begin_slot(struct decoder *decoder)
{
	struct stf_follower *now = &decoder->at->now;
	decoder->fresh = now->pc_known & STF_PC_TOLD ? 0 : SLOT_ODD;
	now->group = now->group & STF_GOES ? STF_GOES | SLOT_ODD : decoder->fresh;
}

int decode_rare(struct decoder *decoder, const uint8_t *p, size_t len)
{
	switch (*p) {
	case CAIRN_STF_INST_REG:
		if (stf_reg_class(p) == CAIRN_REG_VECTOR)
			decode_vector_reg(decoder, p);
		else
			decode_other_reg(decoder, p);
		if (stf_reg_role(p) == CAIRN_ROLE_SRC && decoder->reading->after)
			decoder->at->now.group |= SLOT_SETTLE;
		break;
	case CAIRN_STF_INST_READY_REG:
		decode_ready_reg(decoder, stf_INST_READY_REG_reg(p));
		break;
	case CAIRN_STF_INST_MEM_CONTENT:
		decode_content(decoder, &decoder->mem, CAIRN_BY_INSN, stf_INST_MEM_CONTENT_value(p));
		break;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		decoder->at->now.group |= SLOT_BUS;
		decode_bus_access(decoder, p);
		break;
	case CAIRN_STF_BUS_MASTER_CONTENT:
		decoder->at->now.group |= SLOT_BUS;
		decode_content(decoder, &decoder->bus, CAIRN_BY_OTHER, stf_BUS_MASTER_CONTENT_value(p));
		break;
	case CAIRN_STF_PAGE_TABLE_WALK:
		decode_page_walk(decoder, p);
		break;
	case CAIRN_STF_EVENT:
		decode_event(decoder, p);
		break;
	case CAIRN_STF_EVENT_PC_TARGET:
		decode_event_target(decoder, stf_EVENT_PC_TARGET_pc(p));
		break;
	case CAIRN_STF_FORCE_PC:
		decode_force_pc(decoder, stf_FORCE_PC_pc(p));
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		decode_process(decoder, p);
		break;
	case CAIRN_STF_INST_IEM:
		decode_iem(decoder, p);
		break;
	case CAIRN_STF_INST_MICROOP:
		decode_micro_op(decoder, p);
		break;
	case CAIRN_STF_TRANSACTION_DEPENDENCY:
		decode_dependency(decoder, p);
		break;
	case CAIRN_STF_TRANSACTION:
		decode_transaction(decoder, p);
		return 1;
	default:
		decode_other(decoder, p, len);
		break;
	}
	return 0;
}
