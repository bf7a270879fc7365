/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: the rows of records that are rare, out of line from the loop of decoder.c.
 *
 * What a record tells of later instructions is kept in the state until their slot
 * comes. Rows beyond a batch's room are counted, and told where the slot ends.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/decoder.h"

struct cairn_event *decode_event_row(struct decoder *u, uint8_t kind)
{
	struct cairn_batch *b = u->b;
	if (!(u->want & CAIRN_EVENTS))
		return NULL;
	if (b->n_events >= CAIRN_CAP_EVENTS - EVENTS_FOR_DAMAGE) {
		u->dropped++;
		return NULL;
	}
	struct cairn_event *e = &b->events[b->n_events++];
	*e = (struct cairn_event){.kind = kind, .seq = u->seq++, .phase = CAIRN_ON};
	return e;
}

void decode_event_bytes(struct decoder *u, struct cairn_event *e, const uint8_t *p, size_t n,
                        bool text)
{
	uint32_t at = model_batch_bytes(u->b, n);
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	if (n)
		memcpy(u->b->bytes + at, p, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; !text && i + 8 <= n; i += 8) {
		uint64_t v = base_le64(p + i);
		memcpy(u->b->bytes + at + i, &v, 8);
	}
#endif
	e->args = at;
	e->len = (uint32_t)n;
	if (text)
		e->flags |= CAIRN_EVF_BYTES;
}

/* A new context row that begins as a copy of the one in force. */
static struct cairn_ctx *new_ctx(struct decoder *u)
{
	struct cairn_batch *b = u->b;
	if (b->n_ctxs == CAIRN_CAP_CTXS) {
		u->dropped++; /* the last row is overwritten: the newest context is right */
		return &b->ctxs[u->ctx];
	}
	b->ctxs[b->n_ctxs] = b->ctxs[u->ctx];
	u->ctx = (uint16_t)b->n_ctxs;
	return &b->ctxs[b->n_ctxs++];
}

void decode_set_priv(struct decoder *u, uint8_t priv)
{
	struct cairn_ctx *ctx = new_ctx(u);
	ctx->priv = priv;
	ctx->known |= CAIRN_CTX_PRIV;
}

static void decode_mode_change(struct decoder *u, struct cairn_event *e, uint64_t mode)
{
	/* A second one in the slot is the instruction's own. */
	bool at_once = ((u->flags & SLOT_FORCED) || !u->at->begun) && !(u->flags & SLOT_MODE_NOW);
	u->flags |= at_once ? SLOT_MODE_NOW : 0;
	if (e) {
		e->code = mode + (mode <= CAIRN_PRIV_MACHINE ? u->mode0 : 0u);
		e->phase = at_once ? CAIRN_BEFORE : CAIRN_AFTER;
	}
	if (mode > CAIRN_PRIV_MACHINE)
		return; /* no such mode: the event shows it, the context stays */
	if (at_once) {
		decode_set_priv(u, (uint8_t)mode);
	} else {
		u->flags |= SLOT_MODE_LATER;
		u->later_priv = (uint8_t)mode;
	}
}

static void decode_event(struct decoder *u, const uint8_t *p)
{
	unsigned width = u->cfg->event_bits / 8u;
	uint64_t id =
		stf_event_id(width == 8 ? base_le64(p + 1) : base_le32(p + 1), u->cfg->event_bits);
	unsigned count = p[1 + width];
	const uint8_t *data = p + 2 + width;
	uint64_t code;
	uint8_t kind = stf_event_kind(u->ours, id, &code);
	enum cairn_phase phase = stf_event_phase(u->ours, id);
	struct cairn_event *e = decode_event_row(u, kind);
	if (e) {
		e->code = code;
		e->phase = (uint8_t)phase;
		if (phase == CAIRN_BEFORE && count && (id & ~STF_EVENT_INTERRUPT) >= STF_BEFORE_TARGET_0) {
			count--;
			e->target = base_le64(data + 8 * (size_t)count);
			e->flags |= CAIRN_EVF_TARGET;
		}
		decode_event_bytes(u, e, data, (size_t)count * 8, false);
	}
	if (kind == CAIRN_EV_MODE)
		decode_mode_change(u, e, count ? base_le64(data) : UINT64_MAX);
	else if (stf_event_stops(u->ours, id))
		u->flags |= SLOT_ABORTED;
	if (stf_event_implausible(id) && !u->at->odd_event) {
		char place[128];
		u->at->odd_event = 1;
		stf_place(u->ss, place, sizeof place);
		stf_odd_event(u->r, u->s, place, id);
	}
}

static void decode_event_target(struct decoder *u, uint64_t target)
{
	u->at->target = target;
	u->at->has_target = 1;
	u->flags |= SLOT_ODD;
	struct cairn_batch *b = u->b;
	/* It belongs to the slot's last event; without one it is a branch nobody saw. */
	for (uint32_t i = b->n_events; i > b->insns[b->n_insns].ev0; i--) {
		struct cairn_event *e = &b->events[i - 1];
		if (e->kind == CAIRN_EV_EXCEPTION || e->kind == CAIRN_EV_INTERRUPT ||
		    e->kind == CAIRN_EV_SYSCALL || e->kind == CAIRN_EV_MODE) {
			e->target = target;
			e->flags |= CAIRN_EVF_TARGET;
			return;
		}
	}
	struct cairn_event *e = decode_event_row(u, CAIRN_EV_BRANCH);
	if (e) {
		e->target = target;
		e->flags |= CAIRN_EVF_TARGET;
	}
}

void decode_force_pc(struct decoder *u, uint64_t pc)
{
	bool repeats_header = !u->at->begun && (u->flags & SLOT_FORCED) && u->at->pc == pc;
	u->at->pc = pc;
	u->at->pc_known = 1;
	u->flags |= SLOT_FORCED;
	if (repeats_header)
		return;
	struct cairn_event *e = decode_event_row(u, CAIRN_EV_FORCE_PC);
	if (e) {
		e->target = pc;
		e->flags = CAIRN_EVF_TARGET;
		e->phase = CAIRN_BEFORE;
	}
}

static void decode_page_walk(struct decoder *u, const uint8_t *p)
{
	struct cairn_event *e = decode_event_row(u, CAIRN_EV_PAGE_WALK);
	if (!e)
		return;
	unsigned ptes = p[21];
	uint64_t args[2 + 2 * 255];
	args[0] = base_le64(p + 9);
	args[1] = base_le32(p + 17);
	for (unsigned i = 0; i < 2 * ptes; i++)
		args[2 + i] = base_le64(p + 22 + 8 * (size_t)i);
	size_t n = (2 + 2 * (size_t)ptes) * sizeof *args;
	uint32_t at = model_batch_bytes(u->b, n);
	e->code = base_le64(p + 1);
	e->phase = CAIRN_BEFORE;
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	memcpy(u->b->bytes + at, args, n);
	e->args = at;
	e->len = (uint32_t)n;
}

static void decode_micro_op(struct decoder *u, const uint8_t *p)
{
	struct cairn_event *e = decode_event_row(u, CAIRN_EV_MICRO_OP);
	if (!e)
		return;
	uint8_t size[8] = {p[1]};
	e->code = base_le32(p + 2);
	decode_event_bytes(u, e, size, sizeof size, false);
}

/* Words of a value wider than 8 bytes, least significant first. */
static bool wide_value(struct decoder *u, const uint8_t *p, size_t words, uint64_t *value)
{
	uint32_t at = model_batch_bytes(u->b, 8 * words);
	if (at == UINT32_MAX) {
		u->dropped++;
		return false;
	}
	memcpy(u->b->bytes + at, p, 8 * words);
	*value = at;
	return true;
}

static void decode_vector_reg(struct decoder *u, const uint8_t *p)
{
	struct cairn_batch *b = u->b;
	uint32_t words = stf_vector_words(u->cfg);
	if (b->n_regs == CAIRN_CAP_REGS) {
		u->dropped++;
		return;
	}
	struct cairn_reg row = {.num = base_le16(p + 1),
	                        .cls = CAIRN_REG_VECTOR,
	                        .seq = u->seq++,
	                        .role = p[3] >> 4 <= 3 ? p[3] >> 4 : CAIRN_ROLE_UNKNOWN,
	                        .bits = u->cfg->vlen ? u->cfg->vlen : 64};
	if (words == 1) {
		row.value = base_le64(p + 4);
		row.flags = CAIRN_VALUE_KNOWN;
	} else if (wide_value(u, p + 4, words, &row.value)) {
		row.flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE;
	}
	b->regs[b->n_regs++] = row;
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
static void decode_other_reg(struct decoder *u, const uint8_t *p)
{
	struct cairn_batch *b = u->b;
	struct cairn_reg row = reg_kind(p[3], u->w->int_bits);
	if (b->n_regs == CAIRN_CAP_REGS) {
		u->dropped++;
		return;
	}
	row.value = base_le64(p + 4);
	row.num = base_le16(p + 1);
	row.seq = u->seq++;
	const struct stf_bank *k =
		u->ours ? stf_bank_at((enum cairn_isa)u->at->isa, row.cls, row.num) : NULL;
	if (k) {
		row.cls = k->cls;
		row.num = (uint16_t)(k->first + (row.num - k->number));
		row.bits = k->bits ? k->bits : row.bits;
	}
	b->regs[b->n_regs++] = row;
}

static void decode_ready_reg(struct decoder *u, uint16_t num)
{
	struct cairn_batch *b = u->b;
	if (b->n_regs == CAIRN_CAP_REGS) {
		u->dropped++;
		return;
	}
	b->regs[b->n_regs++] = (struct cairn_reg){.num = num,
	                                          .cls = CAIRN_REG_INT,
	                                          .role = CAIRN_ROLE_READY,
	                                          .seq = u->seq++};
}

/* A second and further content of one access: the value becomes wide. */
static void more_content(struct decoder *u, struct cairn_mem *m, uint64_t value)
{
	struct cairn_batch *b = u->b;
	if (m->words == UINT16_MAX) {
		u->dropped++;
		return;
	}
	bool grows = (m->flags & CAIRN_VALUE_WIDE) && m->value + 8u * m->words == b->n_bytes;
	uint32_t at = model_batch_bytes(b, grows ? 8 : 8 * ((size_t)m->words + 1));
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	if (!grows) {
		if (m->flags & CAIRN_VALUE_WIDE)
			memcpy(b->bytes + at, b->bytes + m->value, 8 * (size_t)m->words);
		else
			base_put_le64(b->bytes + at, m->value);
		m->value = at;
		m->flags |= CAIRN_VALUE_WIDE;
		at += 8 * (uint32_t)m->words;
	}
	base_put_le64(b->bytes + at, value);
	m->words++;
}

static struct cairn_mem *decoder_rare_mem_row(struct decoder *u)
{
	struct cairn_batch *b = u->b;
	if (b->n_mems == CAIRN_CAP_MEMS) {
		u->dropped++;
		return NULL;
	}
	struct cairn_mem *m = &b->mems[b->n_mems++];
	*m = (struct cairn_mem){.seq = u->seq++};
	return m;
}

static void decode_content(struct decoder *u, struct cairn_mem **last, uint8_t initiator,
                           uint64_t value)
{
	if (!(u->want & CAIRN_MEMS))
		return;
	if (!*last) { /* a content without its access: kept, its address unknown */
		*last = decoder_rare_mem_row(u);
		if (!*last)
			return;
		(*last)->initiator = initiator;
		(*last)->flags = CAIRN_VALUE_ADDR_UNKNOWN;
	}
	struct cairn_mem *m = *last;
	if (m->words == 0) {
		m->value = value;
		m->flags |= CAIRN_VALUE_KNOWN;
		m->words = 1;
	} else {
		more_content(u, m, value);
	}
}

static void decode_bus_access(struct decoder *u, const uint8_t *p)
{
	u->bus = NULL;
	if (!(u->want & CAIRN_MEMS) || !(u->bus = decoder_rare_mem_row(u)))
		return;
	struct cairn_mem *m = u->bus;
	m->addr = base_le64(p + 1);
	m->size = base_le16(p + 9);
	m->initiator = stf_initiator(u->cfg, p[11]);
	m->unit = p[12];
	m->attr = base_le32(p + 13);
	m->kind = p[17] <= 2 ? p[17] : CAIRN_MEM_UNKNOWN;
}

/* A record that is only known as itself: header records in the body. */
static void decode_other(struct decoder *u, const uint8_t *p, size_t len)
{
	struct cairn_event *e =
		decode_event_row(u, p[0] == CAIRN_STF_COMMENT ? CAIRN_EV_COMMENT : CAIRN_EV_FORMAT);
	if (!e)
		return;
	if (p[0] == CAIRN_STF_COMMENT) {
		decode_event_bytes(u, e, p + 5, len - 5, true);
	} else {
		e->code = (uint64_t)p[0] << 32; /* apart from special events, which are below */
		decode_event_bytes(u, e, p + 1, len - 1, true);
	}
}

/* ---- what records mean (reading.c) ---- */

/* Is a register changed by the instruction, by its encoding or a row? */
static bool decoder_rare_is_changed(const struct cairn_reg *r, const struct cairn_reg *reg,
                                    const struct cairn_reg *reg_end, const struct cairn_operands *o)
{
	for (; reg < reg_end; reg++)
		if (reg->role == CAIRN_ROLE_DST && reg->cls == r->cls && reg->num == r->num)
			return true;
	for (unsigned i = 0; i < o->n_dst; i++)
		if (o->dst[i].cls == r->cls && o->dst[i].num == r->num)
			return true;
	return false;
}

/* A source that was read late tells what its register held before only if the instruction
 * left it alone. */
static void settle_sources(const struct decoder *u, const struct cairn_insn *row,
                           struct cairn_reg *reg, const struct cairn_reg *reg_end)
{
	struct cairn_operands o = {0};
	bool asked = false;
	for (struct cairn_reg *r = reg; r < reg_end; r++) {
		if (r->role != CAIRN_ROLE_SRC)
			continue;
		if (!asked && row)
			cairn_isa_operands((enum cairn_isa)(row->isa | row->variant), row->enc, row->size, &o);
		asked = true;
		if (row && !(u->reading->wrong >> r->cls & 1) &&
		    !decoder_rare_is_changed(r, reg, reg_end, &o))
			continue;
		r->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
		r->value = 0;
	}
}

void decode_settle(struct decoder *u, const struct cairn_insn *row, struct cairn_reg *reg,
                   const struct cairn_reg *reg_end, struct cairn_mem *mem,
                   const struct cairn_mem *mem_end)
{
	const struct cairn_op *op =
		row && u->reading->bits
			? isa_memo_get(u->w->memo, (enum cairn_isa)(row->isa | row->variant), row->enc,
	                       row->size)
			: NULL;
	for (; u->reading->bits && mem < mem_end; mem++)
		if (mem->initiator == CAIRN_BY_INSN)
			mem->size = stf_bits_to_bytes(mem->size, op);
	if (u->reading->after)
		settle_sources(u, row, reg, reg_end);
}

void decode_know_isa(struct decoder *u, enum cairn_isa isa)
{
	struct stf_worker *w = u->w;
	uint32_t int_bits = isa == CAIRN_ISA_RV32 ? 32 : 64;
	u->key[0] = stf_code_key(stf_variant(u->cfg, isa), 2);
	u->key[1] = stf_code_key(stf_variant(u->cfg, isa), 4);
	if (w->int_bits == int_bits)
		return;
	w->int_bits = int_bits;
	for (unsigned i = 0; i < 256; i++) {
		struct cairn_reg row = reg_kind(i, int_bits);
		memcpy(w->reg[i].word, &row.bits, sizeof w->reg[i]);
		bool source = i >> 4 == CAIRN_ROLE_SRC && u->reading->after;
		if ((i & 15) == CAIRN_REG_VECTOR || u->ours || source)
			w->reg[i].word[0] = 0;
	}
}

static void decode_iem(struct decoder *u, const uint8_t *p)
{
	enum cairn_isa isa = stf_isa(u->cfg, base_le16(p + 1));
	decode_know_isa(u, isa);
	struct cairn_event *e = decode_event_row(u, CAIRN_EV_MODE_ISA);
	if (e) {
		e->code = isa;
		e->phase = CAIRN_BEFORE;
	}
	/* "Shall precede the very first instruction encoding record and every change":
	 * it stands before the instruction that is the first of the new mode. */
	u->at->isa = (uint8_t)isa;
}

static void decode_process(struct decoder *u, const uint8_t *p)
{
	uint32_t id[3] = {base_le32(p + 1), base_le32(p + 5), base_le32(p + 9)};
	stf_ids(u->cfg, id, new_ctx(u));
}

void decode_keep_target(struct decoder *u)
{
	if ((u->flags & SLOT_TARGET) && !u->at->has_target) {
		u->at->target = u->target;
		u->at->has_target = 1;
	}
	u->fresh = u->at->pc_known & STF_PC_TOLD && !u->at->has_target ? 0 : SLOT_ODD;
}

int decode_rare(struct decoder *u, const uint8_t *p, size_t len)
{
	switch (*p) {
	case CAIRN_STF_INST_REG:
		if (!(u->want & CAIRN_REGS))
			break;
		if ((p[3] & 15) == CAIRN_REG_VECTOR)
			decode_vector_reg(u, p);
		else
			decode_other_reg(u, p);
		if (p[3] >> 4 == CAIRN_ROLE_SRC && u->reading->after)
			u->flags |= SLOT_SETTLE;
		break;
	case CAIRN_STF_INST_READY_REG:
		if (u->want & CAIRN_REGS)
			decode_ready_reg(u, base_le16(p + 1));
		break;
	case CAIRN_STF_INST_MEM_CONTENT:
		decode_content(u, &u->mem, CAIRN_BY_INSN, base_le64(p + 1));
		break;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		u->flags |= SLOT_BUS;
		decode_bus_access(u, p);
		break;
	case CAIRN_STF_BUS_MASTER_CONTENT:
		u->flags |= SLOT_BUS;
		decode_content(u, &u->bus, CAIRN_BY_OTHER, base_le64(p + 1));
		break;
	case CAIRN_STF_PAGE_TABLE_WALK:
		decode_page_walk(u, p);
		break;
	case CAIRN_STF_EVENT:
		decode_event(u, p);
		break;
	case CAIRN_STF_EVENT_PC_TARGET:
		decode_event_target(u, base_le64(p + 1));
		break;
	case CAIRN_STF_FORCE_PC:
		decode_force_pc(u, base_le64(p + 1));
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		decode_process(u, p);
		break;
	case CAIRN_STF_INST_IEM:
		decode_iem(u, p);
		break;
	case CAIRN_STF_INST_MICROOP:
		decode_micro_op(u, p);
		break;
	case CAIRN_STF_TRANSACTION_DEPENDENCY:
		decode_dependency(u, p);
		break;
	case CAIRN_STF_TRANSACTION:
		decode_transaction(u, p);
		return 1;
	default:
		decode_other(u, p, len);
		break;
	}
	return 0;
}
