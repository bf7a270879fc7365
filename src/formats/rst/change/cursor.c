/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a trace in runs of whole records, in trace order on one thread.
 *
 * It goes from span to span as the reader does, with a third kind of walk beside decoding and
 * single records: the bytes are handed out as they lie. The caller says how many records and
 * instructions it took, so that damage and the next span know their numbers. Records of no known
 * type are handed out like others, to keep or to leave, but they are damage and are reported.
 */
#include <string.h>

#include "formats/rst/change/change.h"

enum { SIZE = CAIRN_RST_SIZE };

void rst_cursor_init(struct rst_cursor *cursor, struct cairn_reader *reader)
{
	*cursor = (struct rst_cursor){.reader = reader, .n = 1, .rec = 1};
}

int rst_cursor_seek(struct rst_cursor *cursor, uint64_t n)
{
	cursor->at = NULL;
	cursor->fresh = false;
	cursor->n = cursor->rec = 1;
	return cairn_seek(cursor->reader, n);
}

static int rst_cursor_open_span(struct rst_cursor *cursor)
{
	struct cairn_reader *reader = cursor->reader;
	reader->started = true;
	int rc = model_span_next(reader);
	if (rc <= 0) {
		if (rc < 0)
			reader->failed = rc;
		return rc;
	}
	struct rst_span *ss = reader->span.priv;
	cursor->at = ss->at;
	cursor->fresh = true;
	cursor->n = ss->at->n;
	cursor->rec = ss->at->rec;
	return 1;
}

/* The span has ended: report what broke off, and leave the exit state. That holds only what a
 * cursor needs, the numbers. */
static void rst_cursor_close_span(struct rst_cursor *cursor)
{
	struct cairn_reader *reader = cursor->reader;
	struct rst_span *ss = reader->span.priv;
	char text[448];
	ss->finished = true;
	if (rst_end_text(ss, text, sizeof text, cursor->rec, cursor->n))
		model_damaged(reader, &reader->span, "%s", text);
	ss->at->n = cursor->n;
	ss->at->rec = cursor->rec;
	memcpy(reader->span.exit, ss->at, sizeof *ss->at);
	model_damage_move(reader->cairn, &reader->damage, &reader->span.damage);
	cursor->at = NULL;
	cursor->fresh = false;
}

int rst_cursor_next(struct rst_cursor *cursor, const uint8_t **p, size_t *records)
{
	struct cairn_reader *reader = cursor->reader;
	if (base_cancelled(reader->cairn))
		return base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
	for (;;) {
		int rc = model_strict(reader);
		if (rc < 0)
			return rc;
		struct rst_span *ss = reader->have_span ? reader->span.priv : NULL;
		if (!ss || ss->finished) {
			rc = rst_cursor_open_span(cursor);
			if (rc <= 0)
				return rc == 0 ? model_strict(reader) : rc;
			continue;
		}
		size_t n = kit_left(&ss->bytes) / SIZE;
		if (n) {
			*p = ss->bytes.window.p;
			*records = n;
			return 1;
		}
		rc = kit_fill(reader, &ss->bytes);
		if (rc < 0)
			return rc;
		if (rc == 0)
			rst_cursor_close_span(cursor);
	}
}

static void report_unknown(struct rst_cursor *cursor, const uint8_t *p, uint64_t rec, uint64_t n)
{
	struct cairn_reader *reader = cursor->reader;
	const struct rst_span *ss = reader->span.priv;
	char text[128];
	rst_bad_text(text, sizeof text, kit_offset_of(&ss->bytes, p), rec, n, p[0]);
	model_damaged(reader, &reader->span, "%s", text);
}

uint64_t rst_cursor_took(struct rst_cursor *cursor, size_t records)
{
	struct rst_span *ss = cursor->reader->span.priv;
	const uint8_t *p = ss->bytes.window.p, *const end = p + records * SIZE;
	uint64_t before = cursor->n, rec = cursor->rec;
	for (; p < end; p += SIZE, rec++) {
		cursor->n += p[0] == CAIRN_RST_INSTR;
		if (__builtin_expect(!cairn_rst_type_name(p[0]), 0))
			report_unknown(cursor, p, rec, cursor->n);
	}
	model_damage_move(cursor->reader->cairn, &cursor->reader->damage, &cursor->reader->span.damage);
	ss->bytes.window.p = end;
	cursor->rec += records;
	cursor->fresh = false;
	return cursor->n - before;
}
