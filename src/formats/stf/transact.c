/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing transactions. A row of the model becomes its dependencies' records and the
 * transaction's own; which fields it has the channel says (draft, "STF Transaction
 * Protocols"). What a consumer relies on is checked: ids ascend, clocks are declared,
 * a dependency is on what came before, sizes fit.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/build.h"

static int transact_refuse(struct stf_build *b, const char *fmt, ...) CAIRN_PRINTF(2, 3);
static int transact_refuse(struct stf_build *b, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return base_fail(b->w->c, CAIRN_E_INVAL, "%s: transaction %llu: %s", b->w->path,
	                 (unsigned long long)b->n + 1, text);
}

static bool has_clock(const struct stf_build *b, uint64_t id)
{
	const struct cairn_stf_header *h = b->header;
	for (size_t i = 0; i < h->n_clocks; i++)
		if (h->clocks[i].id == id)
			return true;
	return h->n_clocks == 0; /* a trace may name none */
}

static bool transact_inside(uint64_t at, uint64_t n, size_t n_bytes)
{
	return n == 0 || (at <= n_bytes && n <= n_bytes - at);
}

static uint64_t word(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static int transact_check(struct stf_build *b, const struct cairn_xact *x, uint64_t id,
                          size_t n_bytes)
{
	const char *layout = stf_tilelink_layout(x->channel);
	bool data = layout && strchr(layout, 'd'), mask = layout && strchr(layout, 'm');
	if (!layout)
		return transact_refuse(b, "TileLink has the channels 1 to 5 (A to E), not %u", x->channel);
	if (b->n && id <= b->last_id)
		return transact_refuse(b, "ids ascend: %llu does not come after %llu",
		                       (unsigned long long)id, (unsigned long long)b->last_id);
	if (!has_clock(b, x->clock))
		return transact_refuse(b, "clock %u is not declared in the header", x->clock);
	if (x->n_meta > UINT16_MAX)
		return transact_refuse(b, "%u elements of metadata are too many", x->n_meta);
	if (data && x->data_len > UINT16_MAX)
		return transact_refuse(b, "%u bytes of data are too many", x->data_len);
	if (mask && x->mask_bits > UINT16_MAX)
		return transact_refuse(b, "a mask of %u bits is too long", x->mask_bits);
	if (data && mask && x->data_len && x->mask_bits && x->data_len != x->mask_bits && !b->lost)
		return transact_refuse(b, "the mask has %u bits for %u bytes of data", x->mask_bits,
		                       x->data_len);
	if ((data && !transact_inside(x->data, x->data_len, n_bytes)) ||
	    (mask && !transact_inside(x->mask, (x->mask_bits + 7u) / 8, n_bytes)) ||
	    !transact_inside(x->meta, 16 * (uint64_t)x->n_meta, n_bytes) ||
	    !transact_inside(x->deps, 24 * (uint64_t)x->n_deps, n_bytes))
		return transact_refuse(b, "data, mask, metadata or dependencies lie outside of `bytes`");
	return 0;
}

static int put_dependencies(struct stf_build *b, struct stf_group *g, const struct cairn_xact *x,
                            uint64_t id, const uint8_t *bytes)
{
	int rc = 0;
	for (uint32_t i = 0; i < x->n_deps && rc >= 0; i++) {
		const uint8_t *row = bytes + x->deps + 24 * (size_t)i;
		uint64_t on = word(row), clock = word(row + 16);
		if (on >= id)
			return transact_refuse(
				b, "a dependency is on an earlier transaction: %llu is not before %llu",
				(unsigned long long)on, (unsigned long long)id);
		if (!b->lost && (b->n == 0 || on < b->first_id))
			return transact_refuse(b, "it depends on transaction %llu, which is not in the trace",
			                       (unsigned long long)on);
		if (clock > UINT8_MAX || !has_clock(b, clock))
			return transact_refuse(b, "clock %llu of a dependency is not declared in the header",
			                       (unsigned long long)clock);
		uint8_t rec[18] = {CAIRN_STF_TRANSACTION_DEPENDENCY};
		base_put_le64(rec + 1, on);
		base_put_le64(rec + 9, word(row + 8));
		rec[17] = (uint8_t)clock;
		rc = base_buf_put(&g->buf, rec, sizeof rec);
		g->records++;
	}
	return rc;
}

static int put_metadata(struct stf_build *b, struct stf_group *g, const struct cairn_xact *x,
                        const uint8_t *bytes)
{
	int rc = 0;
	for (uint32_t i = 0; i < x->n_meta && rc >= 0; i++) {
		uint64_t width = word(bytes + x->meta + 16 * (size_t)i);
		uint64_t value = word(bytes + x->meta + 16 * (size_t)i + 8);
		if (width != 1 && width != 2 && width != 4 && width != 8)
			return transact_refuse(b, "metadata has elements of 1, 2, 4 or 8 bytes, not %llu",
			                       (unsigned long long)width);
		if (width < 8 && value >> (8 * width))
			return transact_refuse(b, "metadata 0x%llx does not fit %llu bytes",
			                       (unsigned long long)value, (unsigned long long)width);
		uint8_t element[9] = {(uint8_t)__builtin_ctzll(width)};
		base_put_le(element + 1, (unsigned)width, value);
		rc = base_buf_put(&g->buf, element, 1 + (size_t)width);
	}
	return rc;
}

static int transact_put_number(struct stf_group *g, unsigned width, uint64_t value)
{
	uint8_t p[8];
	base_put_le(p, width, value);
	return base_buf_put(&g->buf, p, width);
}

static int put_list(struct stf_group *g, uint32_t count, const uint8_t *bytes, size_t at, size_t n)
{
	int rc = transact_put_number(g, 2, count);
	return rc < 0 || !n ? rc : base_buf_put(&g->buf, bytes + at, n);
}

static int put_channel(struct stf_group *g, const struct cairn_xact *x, const uint8_t *bytes)
{
	int rc = transact_put_number(g, 1, x->channel);
	for (const char *l = stf_tilelink_layout(x->channel); *l && rc >= 0; l++) {
		switch (*l) {
		case 'c':
			rc = transact_put_number(g, 1, x->code);
			break;
		case 'p':
			rc = transact_put_number(g, 1, x->param);
			break;
		case 'z':
			rc = transact_put_number(g, 1, x->size);
			break;
		case 's':
			rc = transact_put_number(g, 8, x->source);
			break;
		case 'a':
			rc = transact_put_number(g, 8, x->address);
			break;
		case 'k':
			rc = transact_put_number(g, 8, x->sink);
			break;
		case 'd':
			rc = put_list(g, x->data_len, bytes, x->data, x->data_len);
			break;
		default:
			rc = put_list(g, x->mask_bits, bytes, x->mask, (x->mask_bits + 7u) / 8);
			break;
		}
	}
	return rc;
}

int cairn_stf_put_transaction(struct cairn_stf_writer *w, const struct cairn_xact *x,
                              const uint8_t *bytes, size_t n_bytes)
{
	int rc = stf_build_ready(w, true);
	if (rc < 0)
		return rc;
	struct stf_build *b = w->build;
	struct stf_group *g = &b->next->group;
	uint64_t id = x->id ? x->id : b->last_id + 1;
	stf_group_clear(g);
	if ((rc = transact_check(b, x, id, n_bytes)) < 0)
		return rc;
	if (b->front.len)
		rc = base_buf_put(&g->buf, b->front.data, b->front.len);
	g->records = b->front_records + 1;
	if (rc >= 0)
		rc = put_dependencies(b, g, x, id, bytes);
	uint8_t head[20] = {CAIRN_STF_TRANSACTION};
	base_put_le64(head + 1, id);
	base_put_le64(head + 9, x->delta);
	head[17] = x->clock;
	base_put_le16(head + 18, (uint16_t)x->n_meta);
	if (rc >= 0)
		rc = base_buf_put(&g->buf, head, sizeof head);
	if (rc >= 0)
		rc = put_metadata(b, g, x, bytes);
	if (rc >= 0)
		rc = put_channel(g, x, bytes);
	if (rc >= 0)
		rc = stf_append(w, g->buf.data, g->buf.len, g->records, true, 0);
	if (rc < 0)
		return rc;
	b->first_id = b->n ? b->first_id : id;
	b->last_id = id;
	b->front.len = 0;
	b->front_records = 0;
	b->n++;
	return 0;
}
