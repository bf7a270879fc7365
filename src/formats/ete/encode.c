/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes from packets, by the same table and against the same history as the decoder, so
 * that one undoes the other. Nothing is written that the decoder would read as something
 * else: what does not fit is refused, and the history then stays as it was.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/ete/table.h"

struct put {
	uint8_t *at;
	const char *why; /* what does not fit */
};

static void encode_put(struct put *o, unsigned b)
{
	*o->at++ = (uint8_t)b;
}

static void put_cont(struct put *o, uint64_t v)
{
	for (; v > 127; v >>= 7)
		encode_put(o, (unsigned)(v & 127) | 128);
	encode_put(o, (unsigned)v);
}

static void need(struct put *o, bool fits, const char *why)
{
	if (!fits && !o->why)
		o->why = why;
}

/* ---- addresses ---- */

static bool same_above(uint64_t a, uint64_t b, unsigned bits)
{
	return a >> bits == b >> bits;
}

static void put_long(struct put *o, const struct cairn_ete_packet *p, bool is1, bool wide)
{
	uint64_t a = p->address;
	encode_put(o, (unsigned)(a >> (is1 ? 1 : 2)) & 127);
	encode_put(o, is1 ? (unsigned)(a >> 8) & 255 : (unsigned)(a >> 9) & 127);
	base_put_le(o->at, wide ? 6 : 2, a >> 16);
	o->at += wide ? 6 : 2;
}

static void put_short(struct put *o, const struct ete_history *h, const struct cairn_ete_packet *p,
                      bool is1)
{
	unsigned shift = is1 ? 1 : 2, bits = p->bits;
	if (!bits)
		bits = same_above(p->address, h->address[0], 7 + shift) ? 7 + shift : 15 + shift;
	need(o, bits == 7 + shift || bits == 15 + shift, "a short address has 7 or 15 bits");
	need(o, same_above(p->address, h->address[0], bits),
	     "the address is too far from the last one for a short form");
	encode_put(o, ((unsigned)(p->address >> shift) & 127) | (bits > 7 + shift ? 128 : 0));
	if (bits > 7 + shift)
		encode_put(o, (unsigned)(p->address >> (7 + shift)) & 255);
}

static void put_context(struct cairn_ete_encoder *e, struct put *o,
                        const struct cairn_ete_packet *p)
{
	bool vmid = (p->context & ETE_CONTEXT_VMID) && e->layout.vmid_bytes;
	bool ctxid = (p->context & ETE_CONTEXT_CTXID) && e->layout.ctxid_bytes;
	need(o,
	     vmid == !!(p->flags & CAIRN_ETE_P_HAS_VMID) &&
	         ctxid == !!(p->flags & CAIRN_ETE_P_HAS_CTXID),
	     "the identifiers that are given are not those the information byte tells");
	need(o, e->layout.vmid_bytes > 3 || p->vmid >> (8 * e->layout.vmid_bytes) == 0,
	     "the VMID has more bytes than TRCIDR2 tells");
	encode_put(o, p->context);
	base_put_le(o->at, vmid ? e->layout.vmid_bytes : 0, p->vmid);
	o->at += vmid ? e->layout.vmid_bytes : 0;
	base_put_le(o->at, ctxid ? 4 : 0, p->ctxid);
	o->at += ctxid ? 4 : 0;
}

static void encode_put_address(struct cairn_ete_encoder *e, struct put *o, const struct ete_row *r,
                               const struct cairn_ete_packet *p)
{
	bool is1 = p->flags & CAIRN_ETE_P_IS1;
	need(o, r->addr == ETE_A_NONE || r->addr == ETE_A_MATCH || is1 == r->is1,
	     "the form says another instruction set");
	need(o, r->addr == ETE_A_NONE || !(p->address & (is1 ? 1 : 3)),
	     "the address is not aligned to an instruction");
	switch (r->addr) {
	case ETE_A_MATCH:
		need(o, p->number < 3, "the history has three entries");
		need(o,
		     p->number < 3 && e->h.address[p->number] == p->address && e->h.is1[p->number] == is1,
		     "that entry of the history is another address");
		break;
	case ETE_A_SHORT:
		put_short(o, &e->h, p, r->is1);
		break;
	case ETE_A_32:
		need(o, ete_fits_32(&e->h, p->address), "the upper half of the address is another");
		put_long(o, p, r->is1, false);
		break;
	case ETE_A_64:
		put_long(o, p, r->is1, true);
		break;
	default:
		break;
	}
	if (r->context)
		put_context(e, o, p);
	if (r->count)
		put_cont(o, p->count);
	if (o->why)
		return;
	if (r->addr != ETE_A_NONE)
		ete_history_push(&e->h, p->address, is1);
	if (r->context)
		e->h.upper = p->context & ETE_CONTEXT_SF;
}

/* ---- the other layouts ---- */

static void put_trace_info(struct cairn_ete_encoder *e, struct put *o,
                           const struct cairn_ete_packet *p)
{
	const uint64_t field[] = {p->info, p->count, p->value, p->cycles, p->key};
	need(o, !(p->sections & ~0x1f), "there are no such sections");
	encode_put(o, p->sections);
	for (unsigned i = 0; i < 5; i++) {
		need(o, field[i] <= UINT32_MAX, "the spec depth has 32 bits");
		if (p->sections >> i & 1)
			put_cont(o, field[i]);
		else
			need(o, !field[i], "a value without its section");
	}
	if (o->why)
		return;
	ete_history_reset(&e->h);
	e->h.threshold = p->cycles;
}

static unsigned time_bits(const struct ete_history *h, uint64_t value)
{
	for (unsigned bits = 7; bits <= 56; bits += 7)
		if (same_above(value, h->time, bits))
			return bits;
	return 64;
}

static void put_timestamp(struct cairn_ete_encoder *e, struct put *o,
                          const struct cairn_ete_packet *p)
{
	unsigned bits = p->bits ? p->bits : time_bits(&e->h, p->value), n = bits / 7;
	need(o, bits == 64 || (bits % 7 == 0 && bits <= 56), "a timestamp has 7, 14 … 56 or 64 bits");
	need(o, bits == 64 || same_above(p->value, e->h.time, bits < 64 ? bits : 0),
	     "the upper bits of the timestamp are others than those before");
	if (o->why)
		return;
	for (unsigned i = 0; i < n && i < 8; i++)
		encode_put(o, ((unsigned)(p->value >> 7 * i) & 127) | (i + 1 < n ? 128 : 0));
	if (bits == 64)
		encode_put(o, (unsigned)(p->value >> 56));
	if (p->flags & CAIRN_ETE_P_HAS_CYCLES) {
		need(o, p->cycles <= e->layout.cc_mask, "the cycle count is wider than TRCIDR2.CCSIZE");
		put_cont(o, p->cycles);
	}
	if (!o->why)
		e->h.time = p->value;
}

static void encode_put_exception(struct cairn_ete_encoder *e, struct put *o,
                                 const struct cairn_ete_packet *p)
{
	bool more = p->flags & CAIRN_ETE_P_LONG_FORM;
	unsigned type = p->number;
	if (p->type != CAIRN_ETE_P_EXCEPTION) {
		type = p->type == CAIRN_ETE_P_PE_RESET ? ETE_TYPE_PE_RESET : ETE_TYPE_TRANSACTION_FAILURE;
		need(o, e->layout.ete, "ETMv4 has no such packet");
		encode_put(o, type << 1 | 1);
		encode_put(o, ETE_RESET_TAIL);
		ete_history_push(&e->h, 0, 0);
		return;
	}
	need(o,
	     more || !e->layout.ete ||
	         (type != ETE_TYPE_PE_RESET && type != ETE_TYPE_TRANSACTION_FAILURE),
	     "in ETE this type is a packet of its own");
	need(o, type < (more ? 1u << 10 : 1u << 5), "the exception's type does not fit");
	need(o, p->info < 4, "the address interpretation has two bits");
	need(o, more || !(p->flags & CAIRN_ETE_P_FAULT_PENDING), "a pending fault needs the long form");
	encode_put(o, (more ? 128u : 0) | (p->info & 2u) << 5 | (type & 31) << 1 | (p->info & 1u));
	if (more)
		encode_put(o, (p->flags & CAIRN_ETE_P_FAULT_PENDING ? 32u : 0) | type >> 5);
}

static void put_cycle_count(struct cairn_ete_encoder *e, struct put *o, const struct ete_row *r,
                            const struct cairn_ete_packet *p)
{
	bool opt = e->layout.commit_opt, unknown = p->flags & CAIRN_ETE_P_CYCLES_UNKNOWN;
	uint32_t cycles = p->cycles - e->h.threshold;
	int64_t commit = (int64_t)p->count - 1;
	need(o, unknown || p->cycles >= e->h.threshold, "fewer cycles than the threshold");
	need(o, !opt || !p->count, "cycle counts have no commits (TRCIDR0.COMMOPT)");
	need(o, !unknown || (r->form == ETE_CCNT_F1 && !p->cycles), "only format 1 has unknown counts");
	if (r->form == ETE_CCNT_F1) {
		need(o, cycles < 1u << 21 || unknown, "the cycle count has 21 bits");
		if (!opt)
			put_cont(o, p->count);
		if (!unknown)
			put_cont(o, cycles);
		return;
	}
	if (r->form == ETE_CCNT_F2 && p->number)
		commit = (int64_t)p->count - e->layout.maxspec + 15;
	need(o, opt || p->count, "a commit of nothing");
	if (opt)
		commit = 0;
	if (r->form == ETE_CCNT_F2) {
		need(o, cycles < 16 && commit >= 0 && commit < 16, "the counts have 4 bits");
		encode_put(o, (unsigned)commit << 4 | cycles);
	} else {
		need(o, cycles < 4 && commit >= 0 && commit < 4, "the counts have 2 bits");
		o->at[-1] = (uint8_t)(r->first | (unsigned)commit << 2 | cycles);
	}
}

static void put_result(struct put *o, uint64_t key, unsigned result)
{
	need(o, key <= UINT32_MAX, "a key has 32 bits");
	encode_put(o, result | (unsigned)(key & 7) << 4 | (key > 7 ? 128u : 0));
	if (key > 7)
		put_cont(o, key >> 3);
}

static void put_conditional(struct put *o, const struct ete_row *r,
                            const struct cairn_ete_packet *p)
{
	switch (r->form) {
	case ETE_COND_INST_F3:
		need(o, p->number < 2 && p->count >= p->number && p->count - p->number < 64,
		     "the counts do not fit");
		encode_put(o, (p->count - p->number) << 1 | (p->number & 1u));
		break;
	case ETE_COND_RESULT_F3:
		need(o, p->number < 1 << 12, "the tokens have 12 bits");
		o->at[-1] = (uint8_t)(r->first | p->number >> 8);
		encode_put(o, p->number);
		break;
	default:
		put_result(o, p->value, p->result & 15);
		if (p->number < 4)
			put_result(o, p->key, p->result >> 4);
		else
			need(o, !p->key && !(p->result >> 4), "one result only");
		break;
	}
}

/* ---- headers ---- */

/* The header of the row's that tells this number, these atoms and this count. */
static uint8_t encode_find_header(struct put *o, const struct ete_row *r,
                                  const struct cairn_ete_packet *p)
{
	for (unsigned h = r->first; h <= (r->last2 ? r->last2 : r->last); h++) {
		uint32_t atoms;
		unsigned number = r->form == ETE_ATOMS ? 0 : h - ete_number_base(r);
		if ((h > r->last && h < r->first2) ||
		    ete_header_atoms(p->type, (uint8_t)h, &atoms) != p->n_atoms || atoms != p->atoms)
			continue;
		if (number == p->number &&
		    (r->form == ETE_COND_RESULT_F1 || ete_header_cancels(p->type, (uint8_t)h) == p->count))
			return (uint8_t)h;
	}
	need(o, false, "no header of this type tells that");
	return 0;
}

static uint8_t encode_header(struct put *o, const struct ete_row *r,
                             const struct cairn_ete_packet *p)
{
	switch (r->form) {
	case ETE_ATOMS:
	case ETE_NUMBERED:
	case ETE_COND_RESULT_F1:
		return encode_find_header(o, r, p);
	case ETE_ADDRESS:
		return (uint8_t)(r->first + (r->addr == ETE_A_MATCH ? p->number : 0));
	case ETE_TIMESTAMP:
		return (uint8_t)(r->first + !!(p->flags & CAIRN_ETE_P_HAS_CYCLES));
	case ETE_CCNT_F1:
		return (uint8_t)(r->first + !!(p->flags & CAIRN_ETE_P_CYCLES_UNKNOWN));
	case ETE_CCNT_F2:
		need(o, p->number < 2, "a format 2 cycle count is 0C or 0D");
		return (uint8_t)(r->first + p->number);
	default:
		return r->first;
	}
}

static void encode_payload(struct cairn_ete_encoder *e, struct put *o, const struct ete_row *r,
                           const struct cairn_ete_packet *p)
{
	switch (r->form) {
	case ETE_ATOMS:
	case ETE_NUMBERED:
		break;
	case ETE_EXTENSION:
		memset(o->at, 0, ETE_ASYNC_SIZE - 2);
		o->at += ETE_ASYNC_SIZE - 2;
		encode_put(o, 0x80);
		break;
	case ETE_TRACE_INFO:
		put_trace_info(e, o, p);
		break;
	case ETE_TIMESTAMP:
		put_timestamp(e, o, p);
		break;
	case ETE_EXCEPTION:
		encode_put_exception(e, o, p);
		break;
	case ETE_CCNT_F1:
	case ETE_CCNT_F2:
	case ETE_CCNT_F3:
		put_cycle_count(e, o, r, p);
		break;
	case ETE_COUNT:
		put_cont(o, p->count);
		break;
	case ETE_ITE:
		need(o, p->number < 256, "the exception level has a byte");
		encode_put(o, p->number);
		base_put_le64(o->at, p->value);
		o->at += 8;
		break;
	case ETE_ADDRESS:
		encode_put_address(e, o, r, p);
		break;
	default:
		put_conditional(o, r, p);
		break;
	}
}

/* Three packets share their header with another one; its row decides what exists. */
static unsigned encode_row_of(unsigned type)
{
	switch (type) {
	case CAIRN_ETE_P_DISCARD:
	case CAIRN_ETE_P_OVERFLOW:
		return CAIRN_ETE_P_ASYNC;
	case CAIRN_ETE_P_PE_RESET:
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		return CAIRN_ETE_P_EXCEPTION;
	default:
		return type;
	}
}

int cairn_ete_encode(struct cairn_ete_encoder *e, const struct cairn_ete_packet *p, uint8_t *out)
{
	const struct ete_row *r;
	struct put o = {out, NULL};
	if (p->type > CAIRN_ETE_P_LAST || !ete_row_exists(&ete_rows[encode_row_of(p->type)], &e->cfg))
		return base_fail(e->c, CAIRN_E_INVAL, "packet type %u: none in this configuration",
		                 p->type);
	r = &ete_rows[encode_row_of(p->type)];
	encode_put(&o, encode_header(&o, r, p));
	if (p->type == CAIRN_ETE_P_DISCARD || p->type == CAIRN_ETE_P_OVERFLOW)
		encode_put(&o, p->type == CAIRN_ETE_P_DISCARD ? 3 : 5);
	else
		encode_payload(e, &o, r, p);
	if (o.why)
		return base_fail(e->c, CAIRN_E_INVAL, "%s: %s", ete_rows[p->type].name, o.why);
	return (int)(o.at - out);
}

unsigned cairn_ete_address_type(const struct cairn_ete_encoder *e, uint64_t address, int is1)
{
	const struct ete_history *h = &e->h;
	unsigned s = is1 ? 1 : 0;
	for (unsigned i = 0; i < 3; i++)
		if (h->address[i] == address && h->is1[i] == s)
			return CAIRN_ETE_P_ADDR_MATCH;
	if (same_above(address, h->address[0], is1 ? 16 : 17))
		return CAIRN_ETE_P_ADDR_SHORT_IS0 + s;
	return (ete_fits_32(h, address) ? CAIRN_ETE_P_ADDR_32_IS0 : CAIRN_ETE_P_ADDR_64_IS0) + s;
}

int cairn_ete_encoder_open(struct cairn *c, const struct cairn_ete_config *cfg,
                           struct cairn_ete_encoder **out)
{
	struct cairn_ete_encoder *e = base_alloc(c, sizeof *e);
	*out = e;
	if (!e)
		return CAIRN_E_NOMEM;
	e->c = c;
	e->cfg = *cfg;
	ete_layout(&e->layout, cfg);
	ete_history_reset(&e->h);
	return 0;
}

void cairn_ete_encoder_close(struct cairn_ete_encoder *e)
{
	if (e)
		base_free(e->c, e);
}
