/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a trace in runs of whole records, in trace order on one thread.
 *
 * It is the reader's own way from span to span, with a third kind of walk beside
 * decoding and single records: the bytes are handed out as they lie. Who takes them
 * says how many records and instructions that was, so that damage and the next span
 * know their numbers. Records of no known type are handed out like the others: they
 * are the taker's to keep or to leave, but they are damage, and told.
 */
#include <string.h>

#include "formats/rst/change.h"

enum { SIZE = CAIRN_RST_SIZE };

void rst_cursor_init(struct rst_cursor *k, struct cairn_reader *r)
{
	*k = (struct rst_cursor){.r = r, .n = 1, .rec = 1};
}

int rst_cursor_seek(struct rst_cursor *k, uint64_t n)
{
	k->at = NULL;
	k->fresh = false;
	k->n = k->rec = 1;
	return cairn_seek(k->r, n);
}

static int rst_cursor_open_span(struct rst_cursor *k)
{
	struct cairn_reader *r = k->r;
	r->started = true;
	int rc = model_span_next(r);
	if (rc <= 0) {
		if (rc < 0)
			r->failed = rc;
		return rc;
	}
	struct rst_span *ss = r->span.priv;
	k->at = ss->at;
	k->fresh = true;
	k->n = ss->at->n;
	k->rec = ss->at->rec;
	return 1;
}

/* No more of this span: tell what broke off, leave the exit state. It holds what a cursor
 * needs, the numbers. */
static void rst_cursor_close_span(struct rst_cursor *k)
{
	struct cairn_reader *r = k->r;
	struct rst_span *ss = r->span.priv;
	char text[448];
	ss->finished = true;
	if (rst_end_text(ss, text, sizeof text, k->rec, k->n))
		model_damaged(r, &r->span, "%s", text);
	ss->at->n = k->n;
	ss->at->rec = k->rec;
	memcpy(r->span.exit, ss->at, sizeof *ss->at);
	model_damage_move(r->c, &r->damage, &r->span.damage);
	k->at = NULL;
	k->fresh = false;
}

int rst_cursor_next(struct rst_cursor *k, const uint8_t **p, size_t *records)
{
	struct cairn_reader *r = k->r;
	if (base_cancelled(r->c))
		return base_fail(r->c, CAIRN_E_CANCELLED, "cancelled");
	for (;;) {
		int rc = model_strict(r);
		if (rc < 0)
			return rc;
		struct rst_span *ss = r->have_span ? r->span.priv : NULL;
		if (!ss || ss->finished) {
			rc = rst_cursor_open_span(k);
			if (rc <= 0)
				return rc == 0 ? model_strict(r) : rc;
			continue;
		}
		size_t n = (size_t)(ss->w.end - ss->w.p) / SIZE;
		if (n) {
			*p = ss->w.p;
			*records = n;
			return 1;
		}
		rc = rst_window_fill(r, &r->span);
		if (rc < 0)
			return rc;
		if (rc == 0)
			rst_cursor_close_span(k);
	}
}

static void report_unknown(struct rst_cursor *k, const uint8_t *p, uint64_t rec, uint64_t n)
{
	struct cairn_reader *r = k->r;
	const struct rst_span *ss = r->span.priv;
	char text[128];
	rst_bad_text(text, sizeof text, ss->abs + (uint64_t)(p - ss->w.base), rec, n, p[0]);
	model_damaged(r, &r->span, "%s", text);
}

void rst_cursor_took(struct rst_cursor *k, size_t records, uint64_t instrs)
{
	struct rst_span *ss = k->r->span.priv;
	const uint8_t *p = ss->w.p, *const end = p + records * SIZE;
	uint64_t n = k->n, rec = k->rec;
	for (; p < end; p += SIZE, rec++) {
		n += p[0] == CAIRN_RST_INSTR;
		if (__builtin_expect(!cairn_rst_type_name(p[0]), 0))
			report_unknown(k, p, rec, n);
	}
	model_damage_move(k->r->c, &k->r->damage, &k->r->span.damage);
	ss->w.p = end;
	k->rec += records;
	k->n += instrs;
	k->fresh = false;
}
