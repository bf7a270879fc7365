/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: the rows of transactions. Dependencies wait for the transaction behind them.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/decoder.h"

void decode_dependency(struct decoder *u, const uint8_t *p)
{
	uint64_t row[3] = {base_le64(p + 1), base_le64(p + 9), p[17]};
	/* They stand side by side; what came between moves them to a new place. */
	size_t before = sizeof row * u->n_deps;
	bool grows = u->n_deps && u->deps + before == u->b->n_bytes;
	uint32_t at = model_batch_bytes(u->b, grows ? sizeof row : before + sizeof row);
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	if (!grows) {
		memcpy(u->b->bytes + at, u->b->bytes + u->deps, before);
		u->deps = at;
		at += (uint32_t)before;
	}
	memcpy(u->b->bytes + at, row, sizeof row);
	u->n_deps++;
}

static const uint8_t *decode_metadata(struct decoder *u, const uint8_t *p, struct cairn_xact *x)
{
	unsigned n = base_le16(p);
	p += 2;
	uint32_t at = model_batch_bytes(u->b, (size_t)n * 16);
	x->meta = at == UINT32_MAX ? 0 : at;
	x->n_meta = at == UINT32_MAX ? 0 : n;
	u->dropped += at == UINT32_MAX && n;
	for (unsigned i = 0; i < n; i++) {
		uint64_t row[2] = {(uint64_t)1 << p[0], 0};
		row[1] = base_le(p + 1, (unsigned)row[0]);
		if (x->n_meta)
			memcpy(u->b->bytes + x->meta + 16 * (size_t)i, row, sizeof row);
		p += 1 + row[0];
	}
	return p;
}

static uint32_t copy_bytes(struct decoder *u, const uint8_t *p, uint32_t *n)
{
	uint32_t at = model_batch_bytes(u->b, *n);
	if (at == UINT32_MAX) {
		u->dropped++;
		*n = 0;
		return 0;
	}
	if (*n)
		memcpy(u->b->bytes + at, p, *n);
	return at;
}

static uint64_t decoder_xact_take8(const uint8_t **p)
{
	uint64_t v = base_le64(*p);
	*p += 8;
	return v;
}

/* Bytes behind their number, which is cut to what there is room for. */
static uint32_t decoder_xact_take_bytes(struct decoder *u, const uint8_t **p, uint32_t *n)
{
	uint32_t stored = *n, at = copy_bytes(u, *p, n);
	*p += stored;
	return at;
}

static void decode_tilelink(struct decoder *u, const uint8_t *p, struct cairn_xact *x)
{
	uint32_t n, stored;
	x->channel = *p++;
	for (const char *l = stf_tilelink_layout(x->channel); l && *l; l++) {
		switch (*l) {
		case 'c':
			x->known |= CAIRN_XACT_OP;
			x->code = *p++;
			break;
		case 'p':
			x->param = *p++;
			break;
		case 'z':
			x->size = *p++;
			break;
		case 's':
			x->source = decoder_xact_take8(&p);
			break;
		case 'a':
			x->known |= CAIRN_XACT_ADDRESS;
			x->address = decoder_xact_take8(&p);
			break;
		case 'k':
			x->known |= CAIRN_XACT_SINK;
			x->sink = decoder_xact_take8(&p);
			break;
		case 'd':
			x->known |= CAIRN_XACT_DATA;
			x->data_len = base_le16(p);
			p += 2;
			x->data = decoder_xact_take_bytes(u, &p, &x->data_len);
			break;
		default:
			x->known |= CAIRN_XACT_MASK;
			x->mask_bits = base_le16(p);
			p += 2;
			n = stored = (x->mask_bits + 7) / 8;
			x->mask = decoder_xact_take_bytes(u, &p, &n);
			x->mask_bits = n == stored ? x->mask_bits : 0;
			break;
		}
	}
}

void decode_transaction(struct decoder *u, const uint8_t *p)
{
	struct cairn_batch *b = u->b;
	struct cairn_xact *x = &b->xacts[b->n_xacts++];
	*x = (struct cairn_xact){.id = base_le64(p + 1),
	                         .delta = base_le64(p + 9),
	                         .clock = p[17],
	                         .protocol = u->cfg->protocol,
	                         .deps = u->deps,
	                         .n_deps = u->n_deps,
	                         .rec = (uint32_t)(u->at->rec - b->rec0),
	                         .off =
	                             (uint32_t)(u->ss->abs + (uint64_t)(p - u->ss->w.base) - b->off0)};
	p = decode_metadata(u, p + 18, x);
	decode_tilelink(u, p, x);
	u->deps = u->n_deps = 0;
	u->at->x++;
	u->at->begun = 1;
	if (u->flags & SLOT_MODE_LATER)
		decode_set_priv(u, u->later_priv);
	decode_keep_target(u);
	u->flags = u->fresh;
	u->mem = u->bus = NULL;
}
