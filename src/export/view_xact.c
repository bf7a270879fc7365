/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bus transactions as text and as JSON lines: what a channel does not carry is
 * absent from the text and null in JSON. Codes and parameters keep their numbers:
 * their names depend on the channel and the protocol's specification.
 */
#include "export/view.h"

/* Numbers of the protocols and of TileLink's channels, as STF gives them. */
static const char *protocol_name(unsigned protocol)
{
	return protocol == 1 ? "tilelink" : NULL;
}

static char channel_letter(const struct cairn_xact *x)
{
	return x->channel >= 1 && x->channel <= 26 ? (char)('A' + x->channel - 1) : '?';
}

static char *put_mask(char *p, const struct cairn_batch *b, const struct cairn_xact *x)
{
	const uint8_t *bits = view_payload(b, x->mask, (x->mask_bits + 7u) / 8);
	for (uint32_t i = 0; bits && i < x->mask_bits; i++)
		*p++ = (char)('0' + (bits[i / 8] >> (i % 8) & 1));
	return p;
}

static void view_xact_row_of(const struct cairn_batch *b, uint32_t at, size_t n, uint32_t i,
                             uint64_t *row)
{
	memcpy(row, b->bytes + at + n * i, n);
}

static size_t extra_room(const struct cairn_xact *x)
{
	return 2 * (size_t)x->data_len + x->mask_bits + 96 * ((size_t)x->n_deps + x->n_meta) +
	       4 * VIEW_INDENT;
}

/* The lines below: dependencies, metadata, data, mask. */
static char *put_extras(char *p, const struct cairn_batch *b, const struct cairn_xact *x)
{
	uint64_t row[3];
	const uint8_t *data = view_payload(b, x->data, x->data_len);
	if (view_payload(b, x->deps, 24 * (uint64_t)x->n_deps)) {
		for (uint32_t i = 0; i < x->n_deps; i++) {
			view_xact_row_of(b, x->deps, 24, i, row);
			p = text_spaces(p, VIEW_INDENT);
			p = text_dec(TEXT_LIT(p, "DEPENDS id="), row[0]);
			p = text_dec(TEXT_LIT(p, " delta="), row[1]);
			p = text_dec(TEXT_LIT(p, " clock="), row[2]);
			*p++ = '\n';
		}
	}
	if (view_payload(b, x->meta, 16 * (uint64_t)x->n_meta)) {
		for (uint32_t i = 0; i < x->n_meta; i++) {
			view_xact_row_of(b, x->meta, 16, i, row);
			p = text_spaces(p, VIEW_INDENT);
			p = text_0x(TEXT_LIT(p, "METADATA "), row[1], row[0] <= 8 ? 2 * (unsigned)row[0] : 16);
			*p++ = '\n';
		}
	}
	if ((x->known & CAIRN_XACT_DATA) && data) {
		p = text_spaces(p, VIEW_INDENT);
		p = text_bytes(TEXT_LIT(p, "DATA "), data, x->data_len);
		*p++ = '\n';
	}
	if (x->known & CAIRN_XACT_MASK) {
		p = text_spaces(p, VIEW_INDENT);
		p = put_mask(TEXT_LIT(p, "MASK "), b, x);
		*p++ = '\n';
	}
	return p;
}

int view_xact(struct cairn_view *v, const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_xact *x = &b->xacts[i];
	bool all = v->opts.show == CAIRN_VIEW_ALL;
	char *p = text_open(&v->buf, VIEW_ROW + (all ? extra_room(x) : 0));
	if (!p)
		return CAIRN_E_NOMEM;
	v->lines++;
	p = text_dec_pad(p, b->x0 + i, VIEW_NUMBER);
	p = text_dec(TEXT_LIT(p, "  id="), x->id);
	p = text_dec(TEXT_LIT(p, " clock="), x->clock);
	p = text_dec(TEXT_LIT(p, " delta="), x->delta);
	p = TEXT_LIT(p, " channel=");
	*p++ = channel_letter(x);
	if (x->known & CAIRN_XACT_OP) {
		p = text_dec(TEXT_LIT(p, " code="), x->code);
		p = text_dec(TEXT_LIT(p, " param="), x->param);
		p = text_dec(TEXT_LIT(p, " size="), x->size);
		p = text_0x(TEXT_LIT(p, " source="), x->source, 1);
	}
	if (x->known & CAIRN_XACT_ADDRESS)
		p = text_0x(TEXT_LIT(p, " address="), x->address, 16);
	if (x->known & CAIRN_XACT_SINK)
		p = text_0x(TEXT_LIT(p, " sink="), x->sink, 1);
	*p++ = '\n';
	if (all)
		p = put_extras(p, b, x);
	text_close(&v->buf, p);
	return 0;
}

/* ---- JSON ---- */

static void number_if(struct jout *j, bool known, uint64_t value)
{
	if (known)
		jout_u64(j, value);
	else
		jout_null(j);
}

static void hex_if(struct jout *j, bool known, uint64_t value, unsigned digits)
{
	if (known)
		jout_hex(j, value, digits);
	else
		jout_null(j);
}

static void view_xact_put_head(struct jout *j, const struct cairn_xact *x, uint64_t n)
{
	bool op = x->known & CAIRN_XACT_OP;
	char channel = channel_letter(x);
	JSON_KEY(j, "n");
	jout_u64(j, n);
	JSON_KEY(j, "id");
	jout_u64(j, x->id);
	JSON_KEY(j, "delta");
	jout_u64(j, x->delta);
	JSON_KEY(j, "clock");
	jout_u64(j, x->clock);
	JSON_KEY(j, "protocol");
	jout_text(j, protocol_name(x->protocol));
	JSON_KEY(j, "channel");
	jout_text_n(j, channel == '?' ? NULL : &channel, 1);
	JSON_KEY(j, "code");
	number_if(j, op, x->code);
	JSON_KEY(j, "param");
	number_if(j, op, x->param);
	JSON_KEY(j, "size");
	number_if(j, op, x->size);
	JSON_KEY(j, "source");
	hex_if(j, op, x->source, 1);
	JSON_KEY(j, "address");
	hex_if(j, x->known & CAIRN_XACT_ADDRESS, x->address, 16);
}

static void put_payload(struct jout *j, const struct cairn_batch *b, const struct cairn_xact *x)
{
	const uint8_t *data = view_payload(b, x->data, x->data_len);
	JSON_KEY(j, "data");
	if ((x->known & CAIRN_XACT_DATA) && data)
		jout_bytes(j, data, x->data_len);
	else
		jout_null(j);
	JSON_KEY(j, "mask");
	if (x->known & CAIRN_XACT_MASK) {
		char *p = text_open(j->out, (size_t)x->mask_bits + 2);
		if (!p) {
			j->status = CAIRN_E_NOMEM;
			return;
		}
		*p++ = '"';
		p = put_mask(p, b, x);
		*p++ = '"';
		text_close(j->out, p);
		j->after_key = false;
	} else {
		jout_null(j);
	}
	JSON_KEY(j, "sink");
	hex_if(j, x->known & CAIRN_XACT_SINK, x->sink, 1);
}

static void put_lists(struct jout *j, const struct cairn_batch *b, const struct cairn_xact *x)
{
	uint64_t row[3];
	JSON_KEY(j, "metadata");
	jout_array(j);
	if (view_payload(b, x->meta, 16 * (uint64_t)x->n_meta)) {
		for (uint32_t i = 0; i < x->n_meta; i++) {
			view_xact_row_of(b, x->meta, 16, i, row);
			jout_hex(j, row[1], row[0] <= 8 ? 2 * (unsigned)row[0] : 16);
		}
	}
	jout_array_end(j);
	JSON_KEY(j, "dependencies");
	jout_array(j);
	if (view_payload(b, x->deps, 24 * (uint64_t)x->n_deps)) {
		for (uint32_t i = 0; i < x->n_deps; i++) {
			view_xact_row_of(b, x->deps, 24, i, row);
			jout_object(j);
			JSON_KEY(j, "id");
			jout_u64(j, row[0]);
			JSON_KEY(j, "delta");
			jout_u64(j, row[1]);
			JSON_KEY(j, "clock");
			jout_u64(j, row[2]);
			jout_object_end(j);
		}
	}
	jout_array_end(j);
}

int view_json_xact(struct cairn_view *v, const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_xact *x = &b->xacts[i];
	struct jout j;
	jout_init(&j, &v->buf, false);
	jout_object(&j);
	view_xact_put_head(&j, x, b->x0 + i);
	put_payload(&j, b, x);
	put_lists(&j, b, x);
	jout_object_end(&j);
	jout_end(&j);
	v->lines++;
	return j.status;
}
