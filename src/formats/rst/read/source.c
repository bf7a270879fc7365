/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the bytes come from: recognising RST, opening, and cutting into spans.
 *
 * Records have one size, so a trace can be cut anywhere; it is cut behind an
 * instruction and the registers and values that follow it, which keeps together
 * what belongs together (rst.h). A mapped file read by one thread is one span whose
 * window grows, without a copy. A stream is one growing window for one thread, or is
 * copied out in pieces.
 *
 * A trace that is packed gives its bytes through im->stream, and is a stream here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/rst/change/change.h"
#include "formats/rst/check/rules.h"
#include "formats/rst/packing/rstzip.h"
#include "formats/rst/rst.h"
#include "kit/options.h"

enum {
	PIECE = 4 << 20,         /* bytes of a span for several threads, unless stated */
	STREAM_WINDOW = 3 << 19, /* bytes read at a time from a stream */
	MAP_WINDOW = 12 << 20,   /* bytes of a map looked at before older pages are let go */
	BEHIND = 32 << 20,       /* with several threads: pages this far behind are let go */
	SIZE = CAIRN_RST_SIZE
};

/* ---- recognising ---- */

/* Do INSTRs keep their reserved bits zero and PCs aligned, and are all types known? Surer
 * where there are several, and they are what most records are. */
static int looks_like_records(const uint8_t *head, size_t n)
{
	unsigned whole = 0, instrs = 0;
	if (n < SIZE)
		return 0;
	for (size_t at = 0; at + SIZE <= n; at += SIZE, whole++) {
		const uint8_t *p = head + at;
		if (!cairn_rst_type_name(p[0]))
			return 0;
		if (p[0] == CAIRN_RST_INSTR &&
		    ((rst_INSTR_flags(p) & ~RST_I_FLAGS) || (rst_INSTR_pc_va(p) & 3)))
			return 0;
		instrs += p[0] == CAIRN_RST_INSTR;
	}
	if (whole == 1 && n != SIZE)
		return 0;
	return instrs >= 4 && 3 * instrs >= whole ? 75 : 30;
}

int rst_probe(const uint8_t *head, size_t n)
{
	static const char magic[] = "RST Header";
	if (rst_packing_of(head, n) != RST_PACKING_NONE)
		return 100;
	if (n < SIZE)
		return 0;
	if (head[0] == CAIRN_RST_RSTHEADER) {
		bool named = !memcmp(rst_RSTHEADER_magic(head), magic, sizeof magic - 1);
		bool percent = *rst_RSTHEADER_percent(head) == '%';
		if (named || percent)
			return named && percent ? 100 : named ? 90 : 80;
	}
	if (rst_begins_snapshot(head))
		return 95;
	return looks_like_records(head, n);
}

/* ---- where to cut ---- */

/* The last INSTR within p[0 … n): the place behind it, 0 when there is none. */
static size_t behind_instr(const uint8_t *p, size_t n)
{
	size_t at = n - n % SIZE;
	while (at && p[at - SIZE] != CAIRN_RST_INSTR)
		at -= SIZE;
	return at;
}

/* The last place within [p, p+n) that is behind an instruction and what may follow
 * it, found from the back; the followers may reach to `limit`. 0: there is none. */
static size_t rst_source_last_cut(const uint8_t *p, size_t n, size_t limit, bool wide)
{
	for (size_t at = behind_instr(p, n); at; at = behind_instr(p, at - SIZE)) {
		size_t end = at, far = at + (RST_GRID - 1) * (size_t)SIZE;
		int cpu = (int)rst_instr_cpu(p + at - SIZE, wide);
		while (end + SIZE <= limit && end < far && rst_follows(p + end) &&
		       rst_cpu_of(p + end, wide) == cpu)
			end += SIZE;
		if (end + SIZE <= limit && end < far)
			return end;
	}
	return 0;
}

/* The last place within [p, p+n) of the grid, in a stretch without instructions. `rec`
 * and `instr`: number of the record at p, and of the last INSTR before it. */
static size_t last_grid_cut(const uint8_t *p, size_t n, uint64_t rec, uint64_t instr)
{
	size_t count = n / SIZE, skip = (size_t)((rec - 1) % RST_GRID);
	for (size_t k = (skip + count) / RST_GRID; k > 0 && k * RST_GRID > skip; k--) {
		size_t i = k * RST_GRID - skip, near = behind_instr(p, i * SIZE) / SIZE;
		if (i < count && p[i * SIZE] != CAIRN_RST_INSTR &&
		    rst_grid_cut(rec + i, near ? rec + near - 1 : instr))
			return i * SIZE;
	}
	return 0;
}

/* As struct kit_source_rules has it. */
static int64_t source_border(struct cairn_reader *reader, const void *begin, size_t want,
                             size_t have)
{
	struct rst_impl *im = reader->impl;
	const struct kit_source *source = &im->source;
	const uint8_t *p = begin;
	uint64_t rec = (source->map ? source->at : source->in.at) / SIZE + 1;
	size_t end = rst_source_last_cut(p, want, have, im->wide);
	if (!end)
		end = last_grid_cut(p, want, rec, im->instr);
	size_t near = behind_instr(p, end);
	if (near)
		im->instr = rec + near / SIZE - 1;
	return (int64_t)end;
}

static const struct kit_source_rules source_rules = {.piece = PIECE,
                                                     .window = MAP_WINDOW,
                                                     .read = STREAM_WINDOW,
                                                     .behind = BEHIND,
                                                     .border = source_border};

uint64_t rst_instr_before(const struct rst_impl *im, uint64_t rec)
{
	const uint8_t *map = im->source.map;
	uint64_t have = map ? im->source.map_len / SIZE : 0;
	if (rec - 1 > have)
		return 0;
	for (uint64_t i = rec - 1; i > 0 && rec - i < RST_GRID; i--)
		if (map[(i - 1) * SIZE] == CAIRN_RST_INSTR)
			return i;
	return 0;
}

/* ---- opening ---- */

static const struct kit_option reading[] = {
	{"version", "MAJOR.MINOR", "read as this version", KIT_VERSION,
     KIT_AT(struct rst_impl, version), .least = RST_VERSION(1, 0), .most = RST_VERSION(255, 255)},
	{"piece", "BYTES", "what a thread works on at a time", KIT_NUMBER,
     KIT_AT(struct rst_impl, source.piece), .least = SIZE, .most = 999999999},
};
const struct kit_options rst_reading_options = {"rst", "reading RST", reading,
                                                sizeof reading / sizeof *reading};

/* The header's place: first, or behind the sections of a snapshot. */
static const uint8_t *source_find_header(const uint8_t *p, size_t n)
{
	uint64_t records = n / SIZE, at = 0;
	if (!records)
		return NULL;
	if (p[0] == CAIRN_RST_RSTHEADER)
		return p;
	if (!rst_begins_snapshot(p))
		return NULL;
	for (at = 1; at < records && p[at * SIZE] == CAIRN_RST_RFS_SECTION_HEADER;) {
		const uint8_t *section = p + at * SIZE;
		bool is_rest = rst_RFS_SECTION_HEADER_section_type(section) == CAIRN_RST_RFS_RST;
		uint64_t count = is_rest ? 0 : rst_RFS_SECTION_HEADER_n_records(section);
		if (count >= records - at)
			return NULL;
		at += 1 + count;
	}
	return at < records && p[at * SIZE] == CAIRN_RST_RSTHEADER ? p + at * SIZE : NULL;
}

static int source_read_head(struct cairn_reader *reader)
{
	struct rst_impl *im = reader->impl;
	const void *begin;
	const uint8_t *p, *header;
	size_t n;
	bool all;
	int rc = kit_source_head(reader, &im->source, RST_HEAD, &begin, &n, &all);
	if (rc < 0)
		return rc;
	if (im->source.in.broken && n < SIZE) /* else it is told where it is met */
		return base_fail(reader->cairn, im->source.in.broken, "%s: %s", io_name(reader->io),
		                 im->source.in.why);
	p = begin;
	header = source_find_header(p, n);
	if (header && !im->version_stated)
		im->version = rst_version_of(header);
	im->wide = rst_is_wide(im->version);
	im->rfs = n >= SIZE && rst_begins_snapshot(p);
	if (header) { /* facts stand behind it */
		n -= (size_t)(header - p);
		p = header;
	}
	im->head_len = n < RST_HEAD ? n : (size_t)RST_HEAD;
	im->head_len -= im->head_len % SIZE;
	im->head = base_alloc(reader->cairn, im->head_len ? im->head_len : 1);
	if (!im->head)
		return CAIRN_E_NOMEM;
	if (im->head_len)
		memcpy(im->head, p, im->head_len);
	return 0;
}

int rst_open(struct cairn_reader *reader, const char *options)
{
	struct rst_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	kit_source_init(reader->cairn, &im->source, &source_rules);
	reader->state_size = sizeof(struct rst_state);
	reader->can = CAIRN_EVERYTHING & ~(uint32_t)CAIRN_XACTS;
	reader->isa = CAIRN_ISA_SPARC;
	int rc = kit_options_parse(reader->cairn, &rst_reading_options, options, im, NULL);
	im->version_stated = im->version != 0;
	if (rc >= 0)
		rc = rst_open_packed(reader);
	if (rc < 0)
		return rc;
	im->source.in.read = im->stream.read;
	im->source.in.self = im->stream.self;
	im->source.restart = im->stream.restart;
	reader->no_jumps = im->stream.container != NULL;
	kit_source_open(reader, &im->source, !im->stream.container);
	return source_read_head(reader);
}

void rst_close(struct cairn_reader *reader)
{
	struct rst_impl *im = reader->impl;
	if (!im)
		return;
	if (im->stream.close)
		im->stream.close(reader, im->stream.self);
	kit_source_close(&im->source);
	base_free(reader->cairn, im->head);
	base_free(reader->cairn, im);
}

/* ---- cutting ---- */

int rst_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct rst_impl *im = reader->impl;
	struct rst_span *ss = base_alloc(reader->cairn, sizeof *ss);
	if (!ss)
		return CAIRN_E_NOMEM;
	base_buf_init(&ss->bytes.buf, reader->cairn);
	span->priv = ss;
	int rc = kit_cut(reader, &im->source, &ss->bytes, alone);
	if (rc <= 0)
		rst_drop(reader, span);
	return rc;
}

void rst_drop(struct cairn_reader *reader, struct model_span *span)
{
	struct rst_span *ss = span->priv;
	if (!ss)
		return;
	base_buf_free(&ss->bytes.buf);
	base_free(reader->cairn, ss->bad);
	base_free(reader->cairn, ss->at);
	base_free(reader->cairn, ss);
	span->priv = NULL;
}

int rst_restart(struct cairn_reader *reader, uint64_t place)
{
	struct rst_impl *im = reader->impl;
	im->instr = rst_instr_before(im, place / SIZE + 1);
	return kit_source_restart(reader, &im->source, place);
}

int rst_seek(struct cairn_reader *reader, uint64_t n)
{
	(void)n;
	return rst_restart(reader, 0);
}

int rst_worker_new(struct cairn_reader *reader, void **out)
{
	struct rst_worker *worker = base_alloc(reader->cairn, sizeof *worker);
	if (!worker)
		return CAIRN_E_NOMEM;
	worker->memo = isa_memo_new(reader->cairn);
	if (!worker->memo) {
		base_free(reader->cairn, worker);
		return CAIRN_E_NOMEM;
	}
	for (unsigned key = 0; key < 256; key++) {
		uint32_t enc = isa_sparc_example(key);
		if (enc || key == ISA_SPARC_K_ILLEGAL)
			cairn_isa_decode(CAIRN_ISA_SPARC, enc, 4, &worker->quick[key]);
		rst_fast_op(&worker->quick[key], &worker->fast[key]);
		if (!worker->quick[key].isa)
			worker->fast[key].what = RST_FAST_ASK;
	}
	*out = worker;
	return 0;
}

void rst_worker_free(struct cairn_reader *reader, void *worker)
{
	struct rst_worker *w = worker;
	isa_memo_free(w->memo);
	base_free(reader->cairn, w);
}

const char *rst_record_name(const struct cairn_reader *reader, unsigned type)
{
	(void)reader;
	const char *name = cairn_rst_type_name(type);
	return name ? name : "UNKNOWN";
}

bool rst_is_part(const struct cairn_reader *reader)
{
	const struct rst_impl *im = reader->impl;
	return im->head_len >= SIZE && cairn_rst_type_name(im->head[0]) && !im->rfs &&
	       im->head[0] != CAIRN_RST_RSTHEADER;
}
