/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of transactions. Dependencies wait for the transaction behind them. */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/read/decoder.h"

void decode_dependency(struct decoder *decoder, const uint8_t *p)
{
	uint64_t row[3] = {stf_TRANSACTION_DEPENDENCY_id(p), stf_TRANSACTION_DEPENDENCY_delta(p),
	                   stf_TRANSACTION_DEPENDENCY_clock(p)};
	/* They lie side by side; if something came between, they move to a new place. */
	size_t before = sizeof row * decoder->n_deps;
	bool grows = decoder->n_deps && decoder->deps + before == decoder->rows.batch->n_bytes;
	uint32_t at = kit_payload(&decoder->rows, grows ? sizeof row : before + sizeof row);
	if (at == UINT32_MAX)
		return;
	if (!grows) {
		memcpy(decoder->rows.batch->bytes + at, decoder->rows.batch->bytes + decoder->deps, before);
		decoder->deps = at;
		at += (uint32_t)before;
	}
	memcpy(decoder->rows.batch->bytes + at, row, sizeof row);
	decoder->n_deps++;
}

static const uint8_t *decode_metadata(struct decoder *decoder, const uint8_t *p,
                                      struct cairn_xact *xact)
{
	unsigned n = stf_TRANSACTION_metadata(p);
	p += STF_LEN_TRANSACTION;
	uint32_t at = kit_payload(&decoder->rows, (size_t)n * 16);
	xact->meta = at == UINT32_MAX ? 0 : at;
	xact->n_meta = at == UINT32_MAX ? 0 : n;
	for (unsigned i = 0; i < n; i++) {
		uint64_t row[2] = {(uint64_t)1 << *p++};
		row[1] = base_le(p, (unsigned)row[0]);
		if (xact->n_meta)
			memcpy(decoder->rows.batch->bytes + xact->meta + 16 * (size_t)i, row, sizeof row);
		p += row[0];
	}
	return p;
}

static uint32_t copy_bytes(struct decoder *decoder, const uint8_t *p, uint32_t *n)
{
	uint32_t at = kit_payload(&decoder->rows, *n);
	if (at == UINT32_MAX) {
		*n = 0;
		return 0;
	}
	if (*n)
		memcpy(decoder->rows.batch->bytes + at, p, *n);
	return at;
}

/* Take bytes, whose number comes first and is cut to the room there is. */
static uint32_t decoder_xact_take_bytes(struct decoder *decoder, const uint8_t **p, uint32_t *n)
{
	uint32_t stored = *n, at = copy_bytes(decoder, *p, n);
	*p += stored;
	return at;
}

static void decode_tilelink(struct decoder *decoder, const uint8_t *p, struct cairn_xact *xact)
{
	xact->channel = *p++;
	for (const char *l = stf_tilelink_layout(xact->channel); l && *l; l++) {
		const struct stf_tilelink *field = stf_tilelink_field(*l);
		uint8_t *member = (uint8_t *)xact + field->member;
		uint64_t value = base_get_uint(p, field->width);
		uint32_t n = (uint32_t)(*l == 'm' ? (value + 7) / 8 : value), stored = n;
		p += field->width;
		xact->known |= field->known;
		if (*l == 'd') {
			xact->data = decoder_xact_take_bytes(decoder, &p, &n);
			xact->data_len = n;
		} else if (*l == 'm') {
			xact->mask = decoder_xact_take_bytes(decoder, &p, &n);
			xact->mask_bits = n == stored ? (uint32_t)value : 0;
		} else if (field->width == 1) {
			*member = (uint8_t)value;
		} else {
			memcpy(member, &value, sizeof value);
		}
	}
}

void decode_transaction(struct decoder *decoder, const uint8_t *p)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct cairn_xact *xact = &batch->xacts[batch->n_xacts++];
	*xact =
		(struct cairn_xact){.id = stf_TRANSACTION_id(p),
	                        .delta = stf_TRANSACTION_delta(p),
	                        .clock = stf_TRANSACTION_clock(p),
	                        .protocol = decoder->cfg->protocol,
	                        .deps = decoder->deps,
	                        .n_deps = decoder->n_deps,
	                        .rec = (uint32_t)(decoder->at->rec - batch->rec0),
	                        .off = (uint32_t)(kit_offset_of(&decoder->ss->bytes, p) - batch->off0)};
	const uint8_t *record = p;
	p = decode_metadata(decoder, p, xact);
	decode_tilelink(decoder, p, xact);
	decoder->deps = decoder->n_deps = 0;
	decoder->at->x++;
	bool mode = decoder->at->now.group & STF_MODE_LATER;
	stf_follow(&decoder->at->now, decoder->cfg, record);
	if (mode)
		decode_context(decoder);
	decode_begin_slot(decoder);
	decoder->mem = decoder->bus = NULL;
}
