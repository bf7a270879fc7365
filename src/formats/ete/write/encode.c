/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes from packets, by the same table and against the same history as the decoder, so
 * that one undoes the other. Nothing is written that the decoder would read as something
 * else: what does not fit is refused, and the history then stays as it was.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/ete/stream/table.h"

struct put {
	uint8_t *at;
	const char *why; /* what does not fit */
};

static void encode_put(struct put *put, unsigned byte)
{
	*put->at++ = (uint8_t)byte;
}

static void put_cont(struct put *put, uint64_t value)
{
	for (; value > 127; value >>= 7)
		encode_put(put, (unsigned)(value & 127) | 128);
	encode_put(put, (unsigned)value);
}

static void need(struct put *put, bool fits, const char *why)
{
	if (!fits && !put->why)
		put->why = why;
}

/* ---- addresses ---- */

static bool same_above(uint64_t left, uint64_t right, unsigned bits)
{
	return left >> bits == right >> bits;
}

static void put_long(struct put *put, const struct cairn_ete_packet *packet, bool is1, bool wide)
{
	uint64_t a = packet->address;
	encode_put(put, (unsigned)(a >> (is1 ? 1 : 2)) & 127);
	encode_put(put, is1 ? (unsigned)(a >> 8) & 255 : (unsigned)(a >> 9) & 127);
	base_put_le(put->at, wide ? 6 : 2, a >> 16);
	put->at += wide ? 6 : 2;
}

static void put_short(struct put *put, const struct ete_history *history,
                      const struct cairn_ete_packet *packet, bool is1)
{
	unsigned shift = is1 ? 1 : 2, bits = packet->bits;
	if (!bits)
		bits = same_above(packet->address, history->address[0], 7 + shift) ? 7 + shift : 15 + shift;
	need(put, bits == 7 + shift || bits == 15 + shift, "a short address has 7 or 15 bits");
	need(put, same_above(packet->address, history->address[0], bits),
	     "the address is too far from the last one for a short form");
	encode_put(put, ((unsigned)(packet->address >> shift) & 127) | (bits > 7 + shift ? 128 : 0));
	if (bits > 7 + shift)
		encode_put(put, (unsigned)(packet->address >> (7 + shift)) & 255);
}

static void put_context(struct cairn_ete_encoder *encoder, struct put *put,
                        const struct cairn_ete_packet *packet)
{
	bool vmid = (packet->context & ETE_CONTEXT_VMID) && encoder->layout.vmid_bytes;
	bool ctxid = (packet->context & ETE_CONTEXT_CTXID) && encoder->layout.ctxid_bytes;
	need(put,
	     vmid == !!(packet->flags & CAIRN_ETE_P_HAS_VMID) &&
	         ctxid == !!(packet->flags & CAIRN_ETE_P_HAS_CTXID),
	     "the identifiers that are given are not those the information byte tells");
	need(put,
	     encoder->layout.vmid_bytes > 3 || packet->vmid >> (8 * encoder->layout.vmid_bytes) == 0,
	     "the VMID has more bytes than TRCIDR2 tells");
	encode_put(put, packet->context);
	base_put_le(put->at, vmid ? encoder->layout.vmid_bytes : 0, packet->vmid);
	put->at += vmid ? encoder->layout.vmid_bytes : 0;
	base_put_le(put->at, ctxid ? 4 : 0, packet->ctxid);
	put->at += ctxid ? 4 : 0;
}

static void encode_put_address(struct cairn_ete_encoder *encoder, struct put *put,
                               const struct ete_row *row, const struct cairn_ete_packet *packet)
{
	bool is1 = packet->flags & CAIRN_ETE_P_IS1;
	need(put, row->addr == ETE_A_NONE || row->addr == ETE_A_MATCH || is1 == row->is1,
	     "the form says another instruction set");
	need(put, row->addr == ETE_A_NONE || !(packet->address & (is1 ? 1 : 3)),
	     "the address is not aligned to an instruction");
	switch (row->addr) {
	case ETE_A_MATCH:
		need(put, packet->number < 3, "the history has three entries");
		need(put,
		     packet->number < 3 && encoder->history.address[packet->number] == packet->address &&
		         encoder->history.is1[packet->number] == is1,
		     "that entry of the history is another address");
		break;
	case ETE_A_SHORT:
		put_short(put, &encoder->history, packet, row->is1);
		break;
	case ETE_A_32:
		need(put, ete_fits_32(&encoder->history, packet->address),
		     "the upper half of the address is another");
		put_long(put, packet, row->is1, false);
		break;
	case ETE_A_64:
		put_long(put, packet, row->is1, true);
		break;
	default:
		break;
	}
	if (row->context)
		put_context(encoder, put, packet);
	if (row->count)
		put_cont(put, packet->count);
	if (put->why)
		return;
	if (row->addr != ETE_A_NONE)
		ete_history_push(&encoder->history, packet->address, is1);
	if (row->context)
		encoder->history.upper = packet->context & ETE_CONTEXT_SF;
}

/* ---- the other layouts ---- */

static void put_trace_info(struct cairn_ete_encoder *encoder, struct put *put,
                           const struct cairn_ete_packet *packet)
{
	const uint64_t field[] = {packet->info, packet->count, packet->value, packet->cycles,
	                          packet->key};
	need(put, !(packet->sections & ~0x1f), "there are no such sections");
	encode_put(put, packet->sections);
	for (unsigned i = 0; i < 5; i++) {
		need(put, field[i] <= UINT32_MAX, "the spec depth has 32 bits");
		if (packet->sections >> i & 1)
			put_cont(put, field[i]);
		else
			need(put, !field[i], "a value without its section");
	}
	if (put->why)
		return;
	ete_history_reset(&encoder->history);
	encoder->history.threshold = packet->cycles;
}

static unsigned time_bits(const struct ete_history *history, uint64_t value)
{
	for (unsigned bits = 7; bits <= 56; bits += 7)
		if (same_above(value, history->time, bits))
			return bits;
	return 64;
}

static void put_timestamp(struct cairn_ete_encoder *encoder, struct put *put,
                          const struct cairn_ete_packet *packet)
{
	unsigned bits = packet->bits ? packet->bits : time_bits(&encoder->history, packet->value),
			 n = bits / 7;
	need(put, bits == 64 || (bits % 7 == 0 && bits <= 56), "a timestamp has 7, 14 … 56 or 64 bits");
	need(put, bits == 64 || same_above(packet->value, encoder->history.time, bits < 64 ? bits : 0),
	     "the upper bits of the timestamp are others than those before");
	if (put->why)
		return;
	for (unsigned i = 0; i < n && i < 8; i++)
		encode_put(put, ((unsigned)(packet->value >> 7 * i) & 127) | (i + 1 < n ? 128 : 0));
	if (bits == 64)
		encode_put(put, (unsigned)(packet->value >> 56));
	if (packet->flags & CAIRN_ETE_P_HAS_CYCLES) {
		need(put, packet->cycles <= encoder->layout.cc_mask,
		     "the cycle count is wider than TRCIDR2.CCSIZE");
		put_cont(put, packet->cycles);
	}
	if (!put->why)
		encoder->history.time = packet->value;
}

static void encode_put_exception(struct cairn_ete_encoder *encoder, struct put *put,
                                 const struct cairn_ete_packet *packet)
{
	bool more = packet->flags & CAIRN_ETE_P_LONG_FORM;
	unsigned type = packet->number;
	if (packet->type != CAIRN_ETE_P_EXCEPTION) {
		type =
			packet->type == CAIRN_ETE_P_PE_RESET ? ETE_TYPE_PE_RESET : ETE_TYPE_TRANSACTION_FAILURE;
		need(put, encoder->layout.ete, "ETMv4 has no such packet");
		encode_put(put, type << 1 | 1);
		encode_put(put, ETE_RESET_TAIL);
		ete_history_push(&encoder->history, 0, 0);
		return;
	}
	need(put,
	     more || !encoder->layout.ete ||
	         (type != ETE_TYPE_PE_RESET && type != ETE_TYPE_TRANSACTION_FAILURE),
	     "in ETE this type is a packet of its own");
	need(put, type < (more ? 1u << 10 : 1u << 5), "the exception's type does not fit");
	need(put, packet->info < 4, "the address interpretation has two bits");
	need(put, more || !(packet->flags & CAIRN_ETE_P_FAULT_PENDING),
	     "a pending fault needs the long form");
	encode_put(put, (more ? 128u : 0) | (packet->info & 2u) << 5 | (type & 31) << 1 |
	                    (packet->info & 1u));
	if (more)
		encode_put(put, (packet->flags & CAIRN_ETE_P_FAULT_PENDING ? 32u : 0) | type >> 5);
}

static void put_cycle_count(struct cairn_ete_encoder *encoder, struct put *put,
                            const struct ete_row *row, const struct cairn_ete_packet *packet)
{
	bool opt = encoder->layout.commit_opt, unknown = packet->flags & CAIRN_ETE_P_CYCLES_UNKNOWN;
	uint32_t cycles = packet->cycles - encoder->history.threshold;
	int64_t commit = (int64_t)packet->count - 1;
	need(put, unknown || packet->cycles >= encoder->history.threshold,
	     "fewer cycles than the threshold");
	need(put, !opt || !packet->count, "cycle counts have no commits (TRCIDR0.COMMOPT)");
	need(put, !unknown || (row->form == ETE_CCNT_F1 && !packet->cycles),
	     "only format 1 has unknown counts");
	if (row->form == ETE_CCNT_F1) {
		need(put, cycles < 1u << 21 || unknown, "the cycle count has 21 bits");
		if (!opt)
			put_cont(put, packet->count);
		if (!unknown)
			put_cont(put, cycles);
		return;
	}
	if (row->form == ETE_CCNT_F2 && packet->number)
		commit = (int64_t)packet->count - encoder->layout.maxspec + 15;
	need(put, opt || packet->count, "a commit of nothing");
	if (opt)
		commit = 0;
	if (row->form == ETE_CCNT_F2) {
		need(put, cycles < 16 && commit >= 0 && commit < 16, "the counts have 4 bits");
		encode_put(put, (unsigned)commit << 4 | cycles);
	} else {
		need(put, cycles < 4 && commit >= 0 && commit < 4, "the counts have 2 bits");
		put->at[-1] = (uint8_t)(row->first | (unsigned)commit << 2 | cycles);
	}
}

static void put_result(struct put *put, uint64_t key, unsigned result)
{
	need(put, key <= UINT32_MAX, "a key has 32 bits");
	encode_put(put, result | (unsigned)(key & 7) << 4 | (key > 7 ? 128u : 0));
	if (key > 7)
		put_cont(put, key >> 3);
}

static void put_conditional(struct put *put, const struct ete_row *row,
                            const struct cairn_ete_packet *packet)
{
	switch (row->form) {
	case ETE_COND_INST_F3:
		need(put,
		     packet->number < 2 && packet->count >= packet->number &&
		         packet->count - packet->number < 64,
		     "the counts do not fit");
		encode_put(put, (packet->count - packet->number) << 1 | (packet->number & 1u));
		break;
	case ETE_COND_RESULT_F3:
		need(put, packet->number < 1 << 12, "the tokens have 12 bits");
		put->at[-1] = (uint8_t)(row->first | packet->number >> 8);
		encode_put(put, packet->number);
		break;
	default:
		put_result(put, packet->value, packet->result & 15);
		if (packet->number < 4)
			put_result(put, packet->key, packet->result >> 4);
		else
			need(put, !packet->key && !(packet->result >> 4), "one result only");
		break;
	}
}

/* ---- headers ---- */

/* The header of the row with this number, these atoms and this count. */
static uint8_t encode_find_header(struct put *put, const struct ete_row *row,
                                  const struct cairn_ete_packet *packet)
{
	for (unsigned h = row->first; h <= (row->last2 ? row->last2 : row->last); h++) {
		uint32_t atoms;
		unsigned number = row->form == ETE_ATOMS ? 0 : h - ete_number_base(row);
		if ((h > row->last && h < row->first2) ||
		    ete_header_atoms(packet->type, (uint8_t)h, &atoms) != packet->n_atoms ||
		    atoms != packet->atoms)
			continue;
		if (number == packet->number &&
		    (row->form == ETE_COND_RESULT_F1 ||
		     ete_header_cancels(packet->type, (uint8_t)h) == packet->count))
			return (uint8_t)h;
	}
	need(put, false, "no header of this type tells that");
	return 0;
}

static uint8_t encode_header(struct put *put, const struct ete_row *row,
                             const struct cairn_ete_packet *packet)
{
	switch (row->form) {
	case ETE_ATOMS:
	case ETE_NUMBERED:
	case ETE_COND_RESULT_F1:
		return encode_find_header(put, row, packet);
	case ETE_ADDRESS:
		return (uint8_t)(row->first + (row->addr == ETE_A_MATCH ? packet->number : 0));
	case ETE_TIMESTAMP:
		return (uint8_t)(row->first + !!(packet->flags & CAIRN_ETE_P_HAS_CYCLES));
	case ETE_CCNT_F1:
		return (uint8_t)(row->first + !!(packet->flags & CAIRN_ETE_P_CYCLES_UNKNOWN));
	case ETE_CCNT_F2:
		need(put, packet->number < 2, "a format 2 cycle count is 0C or 0D");
		return (uint8_t)(row->first + packet->number);
	default:
		return row->first;
	}
}

static void encode_payload(struct cairn_ete_encoder *encoder, struct put *put,
                           const struct ete_row *row, const struct cairn_ete_packet *packet)
{
	switch (row->form) {
	case ETE_ATOMS:
	case ETE_NUMBERED:
		break;
	case ETE_EXTENSION:
		memset(put->at, 0, ETE_ASYNC_SIZE - 2);
		put->at += ETE_ASYNC_SIZE - 2;
		encode_put(put, 0x80);
		break;
	case ETE_TRACE_INFO:
		put_trace_info(encoder, put, packet);
		break;
	case ETE_TIMESTAMP:
		put_timestamp(encoder, put, packet);
		break;
	case ETE_EXCEPTION:
		encode_put_exception(encoder, put, packet);
		break;
	case ETE_CCNT_F1:
	case ETE_CCNT_F2:
	case ETE_CCNT_F3:
		put_cycle_count(encoder, put, row, packet);
		break;
	case ETE_COUNT:
		put_cont(put, packet->count);
		break;
	case ETE_ITE:
		need(put, packet->number < 256, "the exception level has a byte");
		encode_put(put, packet->number);
		base_put_le64(put->at, packet->value);
		put->at += 8;
		break;
	case ETE_ADDRESS:
		encode_put_address(encoder, put, row, packet);
		break;
	default:
		put_conditional(put, row, packet);
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

int cairn_ete_encode(struct cairn_ete_encoder *encoder, const struct cairn_ete_packet *packet,
                     uint8_t *out)
{
	const struct ete_row *row;
	struct put put = {out, NULL};
	if (packet->type > CAIRN_ETE_P_LAST ||
	    !ete_row_exists(&ete_rows[encode_row_of(packet->type)], &encoder->cfg))
		return base_fail(encoder->cairn, CAIRN_E_INVAL,
		                 "packet type %u: none in this configuration", packet->type);
	row = &ete_rows[encode_row_of(packet->type)];
	encode_put(&put, encode_header(&put, row, packet));
	if (packet->type == CAIRN_ETE_P_DISCARD || packet->type == CAIRN_ETE_P_OVERFLOW)
		encode_put(&put, packet->type == CAIRN_ETE_P_DISCARD ? 3 : 5);
	else
		encode_payload(encoder, &put, row, packet);
	if (put.why)
		return base_fail(encoder->cairn, CAIRN_E_INVAL, "%s: %s", ete_rows[packet->type].name,
		                 put.why);
	return (int)(put.at - out);
}

unsigned cairn_ete_address_type(const struct cairn_ete_encoder *encoder, uint64_t address, int is1)
{
	const struct ete_history *history = &encoder->history;
	unsigned s = is1 ? 1 : 0;
	for (unsigned i = 0; i < 3; i++)
		if (history->address[i] == address && history->is1[i] == s)
			return CAIRN_ETE_P_ADDR_MATCH;
	if (same_above(address, history->address[0], is1 ? 16 : 17))
		return CAIRN_ETE_P_ADDR_SHORT_IS0 + s;
	return (ete_fits_32(history, address) ? CAIRN_ETE_P_ADDR_32_IS0 : CAIRN_ETE_P_ADDR_64_IS0) + s;
}

int cairn_ete_encoder_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                           struct cairn_ete_encoder **out)
{
	struct cairn_ete_encoder *encoder = base_alloc(cairn, sizeof *encoder);
	*out = encoder;
	if (!encoder)
		return CAIRN_E_NOMEM;
	encoder->cairn = cairn;
	encoder->cfg = *cfg;
	ete_layout(&encoder->layout, cfg);
	ete_history_reset(&encoder->history);
	return 0;
}

void cairn_ete_encoder_close(struct cairn_ete_encoder *encoder)
{
	if (encoder)
		base_free(encoder->cairn, encoder);
}
