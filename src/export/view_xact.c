/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bus transactions as text and as JSON lines: what a channel does not carry is absent from the text
 * and null in JSON. Codes and parameters stay numbers: their names depend on the channel and the
 * protocol's specification.
 */
#include "export/view.h"

/* Numbers of the protocols and of TileLink's channels, as STF gives them. */
static const char *protocol_name(unsigned protocol)
{
	return protocol == 1 ? "tilelink" : NULL;
}

static char channel_letter(const struct cairn_xact *xact)
{
	return xact->channel >= 1 && xact->channel <= 26 ? (char)('A' + xact->channel - 1) : '?';
}

static char *put_mask(char *p, const struct cairn_batch *batch, const struct cairn_xact *xact)
{
	const uint8_t *bits = view_payload(batch, xact->mask, (xact->mask_bits + 7u) / 8);
	for (uint32_t i = 0; bits && i < xact->mask_bits; i++)
		*p++ = (char)('0' + (bits[i / 8] >> (i % 8) & 1));
	return p;
}

static void view_xact_row_of(const struct cairn_batch *batch, uint32_t at, size_t n, uint32_t index,
                             uint64_t *row)
{
	memcpy(row, batch->bytes + at + n * index, n);
}

static size_t extra_room(const struct cairn_xact *xact)
{
	return 2 * (size_t)xact->data_len + xact->mask_bits +
	       96 * ((size_t)xact->n_deps + xact->n_meta) + 4 * VIEW_INDENT;
}

/* The lines below: dependencies, metadata, data, mask. */
static char *put_extras(char *p, const struct cairn_batch *batch, const struct cairn_xact *xact)
{
	uint64_t row[3];
	const uint8_t *data = view_payload(batch, xact->data, xact->data_len);
	if (view_payload(batch, xact->deps, 24 * (uint64_t)xact->n_deps)) {
		for (uint32_t i = 0; i < xact->n_deps; i++) {
			view_xact_row_of(batch, xact->deps, 24, i, row);
			p = text_spaces(p, VIEW_INDENT);
			p = text_dec(TEXT_LIT(p, "DEPENDS id="), row[0]);
			p = text_dec(TEXT_LIT(p, " delta="), row[1]);
			p = text_dec(TEXT_LIT(p, " clock="), row[2]);
			*p++ = '\n';
		}
	}
	if (view_payload(batch, xact->meta, 16 * (uint64_t)xact->n_meta)) {
		for (uint32_t i = 0; i < xact->n_meta; i++) {
			view_xact_row_of(batch, xact->meta, 16, i, row);
			p = text_spaces(p, VIEW_INDENT);
			p = text_0x(TEXT_LIT(p, "METADATA "), row[1], row[0] <= 8 ? 2 * (unsigned)row[0] : 16);
			*p++ = '\n';
		}
	}
	if ((xact->known & CAIRN_XACT_DATA) && data) {
		p = text_spaces(p, VIEW_INDENT);
		p = text_bytes(TEXT_LIT(p, "DATA "), data, xact->data_len);
		*p++ = '\n';
	}
	if (xact->known & CAIRN_XACT_MASK) {
		p = text_spaces(p, VIEW_INDENT);
		p = put_mask(TEXT_LIT(p, "MASK "), batch, xact);
		*p++ = '\n';
	}
	return p;
}

int view_xact(struct cairn_view *view, const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_xact *xact = &batch->xacts[index];
	bool all = view->opts.show == CAIRN_VIEW_ALL;
	char *p = text_open(&view->buf, VIEW_ROW + (all ? extra_room(xact) : 0));
	if (!p)
		return CAIRN_E_NOMEM;
	view->lines++;
	p = text_dec_pad(p, batch->x0 + index, VIEW_NUMBER);
	p = text_dec(TEXT_LIT(p, "  id="), xact->id);
	p = text_dec(TEXT_LIT(p, " clock="), xact->clock);
	p = text_dec(TEXT_LIT(p, " delta="), xact->delta);
	p = TEXT_LIT(p, " channel=");
	*p++ = channel_letter(xact);
	if (xact->known & CAIRN_XACT_OP) {
		p = text_dec(TEXT_LIT(p, " code="), xact->code);
		p = text_dec(TEXT_LIT(p, " param="), xact->param);
		p = text_dec(TEXT_LIT(p, " size="), xact->size);
		p = text_0x(TEXT_LIT(p, " source="), xact->source, 1);
	}
	if (xact->known & CAIRN_XACT_ADDRESS)
		p = text_0x(TEXT_LIT(p, " address="), xact->address, 16);
	if (xact->known & CAIRN_XACT_SINK)
		p = text_0x(TEXT_LIT(p, " sink="), xact->sink, 1);
	*p++ = '\n';
	if (all)
		p = put_extras(p, batch, xact);
	text_close(&view->buf, p);
	return 0;
}

/* ---- JSON ---- */

static void view_xact_put_head(struct jout *json, const struct cairn_xact *xact, uint64_t n)
{
	bool op = xact->known & CAIRN_XACT_OP;
	char channel = channel_letter(xact);
	JSON_PUT(json, "n", u64, n);
	JSON_PUT(json, "id", u64, xact->id);
	JSON_PUT(json, "delta", u64, xact->delta);
	JSON_PUT(json, "clock", u64, xact->clock);
	JSON_PUT(json, "protocol", text, protocol_name(xact->protocol));
	JSON_PUT(json, "channel", text_n, channel == '?' ? NULL : &channel, 1);
	JSON_PUT(json, "code", u64_if, op, xact->code);
	JSON_PUT(json, "param", u64_if, op, xact->param);
	JSON_PUT(json, "size", u64_if, op, xact->size);
	JSON_PUT(json, "source", hex_if, op, xact->source, 1);
	JSON_PUT(json, "address", hex_if, xact->known & CAIRN_XACT_ADDRESS, xact->address, 16);
}

static void put_payload(struct jout *json, const struct cairn_batch *batch,
                        const struct cairn_xact *xact)
{
	const uint8_t *data = view_payload(batch, xact->data, xact->data_len);
	JSON_KEY(json, "data");
	if ((xact->known & CAIRN_XACT_DATA) && data)
		jout_bytes(json, data, xact->data_len);
	else
		jout_null(json);
	JSON_KEY(json, "mask");
	if (xact->known & CAIRN_XACT_MASK) {
		char *p = text_open(json->out, (size_t)xact->mask_bits + 2);
		if (!p) {
			json->status = CAIRN_E_NOMEM;
			return;
		}
		*p++ = '"';
		p = put_mask(p, batch, xact);
		*p++ = '"';
		text_close(json->out, p);
		json->after_key = false;
	} else {
		jout_null(json);
	}
	JSON_PUT(json, "sink", hex_if, xact->known & CAIRN_XACT_SINK, xact->sink, 1);
}

static void put_lists(struct jout *json, const struct cairn_batch *batch,
                      const struct cairn_xact *xact)
{
	uint64_t row[3];
	JSON_KEY(json, "metadata");
	jout_array(json);
	if (view_payload(batch, xact->meta, 16 * (uint64_t)xact->n_meta)) {
		for (uint32_t i = 0; i < xact->n_meta; i++) {
			view_xact_row_of(batch, xact->meta, 16, i, row);
			jout_hex(json, row[1], row[0] <= 8 ? 2 * (unsigned)row[0] : 16);
		}
	}
	jout_array_end(json);
	JSON_KEY(json, "dependencies");
	jout_array(json);
	if (view_payload(batch, xact->deps, 24 * (uint64_t)xact->n_deps)) {
		for (uint32_t i = 0; i < xact->n_deps; i++) {
			view_xact_row_of(batch, xact->deps, 24, i, row);
			jout_object(json);
			JSON_PUT(json, "id", u64, row[0]);
			JSON_PUT(json, "delta", u64, row[1]);
			JSON_PUT(json, "clock", u64, row[2]);
			jout_object_end(json);
		}
	}
	jout_array_end(json);
}

int view_json_xact(struct cairn_view *view, const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_xact *xact = &batch->xacts[index];
	struct jout json;
	jout_init(&json, &view->buf, false);
	jout_object(&json);
	view_xact_put_head(&json, xact, batch->x0 + index);
	put_payload(&json, batch, xact);
	put_lists(&json, batch, xact);
	jout_object_end(&json);
	jout_end(&json);
	view->lines++;
	return json.status;
}
