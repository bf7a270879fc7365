/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .zstf container, reading. Facts: docs/formats/stf.md, "The .zstf container".
 *
 *   0  "ZSTF"    4  u64 markers per chunk    12  i64 where the index begins
 *   20 zstd frames, one a chunk, back to back
 *      index: u64 count, then {i64 frame offset, u64 first PC, u64 uncompressed size}
 *
 * The index is believed when it is whole: it lies where the head says, fills
 * the rest of the file, its offsets ascend and lead to frames, and behind the last of
 * them it begins. Otherwise they are found by walking them, and by looking for the next
 * frame's magic where one is broken. A frame that ends before the next chunk begins
 * leaves bytes no row tells of: that is damage, for they may be a chunk.
 * A pipe is walked, for its index comes last. When a chunk is damaged, the rest of the pipe is
 * saved to a temporary file without a name. Its index then tells which chunks were lost, and so
 * the numbers of the instructions behind them, and with which PC each chunk begins.
 *
 * What is wrong with the index is told where it lies: behind the last chunk, by an empty span
 * of its own. So a file tells of it when a pipe does, and who asks for a region that ends
 * before is told of neither.
 *
 * A chunk that does not decompress delivers what came before the break; chunks
 * after it are whole again. When it is the first, and the header is lost with it, the
 * chunks after it are read with the first header that one of them agrees with.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "formats/stf/record/container.h"
#include "formats/stf/stf.h"

/* The largest chunk size that is accepted, so that numbers computed from it do not overflow. */
#define MOST_MARKERS ((uint64_t)1 << 40)

enum {
	FOLLOW_TIMES =
		16, /* mean number of looks at a byte of broken frames; then the rest is one chunk */
	WHOLE = 32 << 20, /* a chunk up to this size is decompressed in one go */
	PIECE = 8 << 20,  /* a larger one in pieces of this */
	HEADER_LIMIT = 1 << 24,
	ASK = 8,          /* how many chunks are looked at when the header is lost */
	BEHIND = 16 << 20 /* pages this far behind are let go */
};

/* A chunk decompressed piece by piece. */
struct stf_pieces {
	const struct cairn_codec *codec;
	void *state;
	struct cairn_codec_io io;
	bool ended;
};

static const struct cairn_codec *zstd(struct cairn *cairn)
{
	return cairn_codec_find(cairn, "zstd");
}

void stf_container_init(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	base_buf_init(&im->seen, reader->cairn);
	base_buf_init(&im->frames, reader->cairn);
	base_buf_init(&im->tail, reader->cairn);
	pthread_mutex_init(&im->pipe_lock, NULL);
}

/* ---- decompressing in pieces ---- */

static void pieces_free(struct cairn *cairn, struct stf_pieces *ps)
{
	if (!ps)
		return;
	if (ps->state)
		ps->codec->dec_close(ps->state);
	base_free(cairn, ps);
}

static struct stf_pieces *pieces_new(struct cairn *cairn, const uint8_t *comp, size_t n)
{
	struct stf_pieces *ps = base_alloc(cairn, sizeof *ps);
	if (!ps)
		return NULL;
	ps->codec = zstd(cairn);
	ps->io.in = comp;
	ps->io.in_len = n;
	int rc = ps->codec->dec_open(cairn, &ps->state);
	if (rc < 0) {
		base_fail(cairn, rc, "%s", io_codec_why(rc, NULL));
		pieces_free(cairn, ps);
		return NULL;
	}
	return ps;
}

/* Append up to `n` bytes: >= 0, or a status with a sentence. */
static int pieces_read(struct cairn *cairn, struct stf_pieces *ps, size_t n, struct base_buf *out)
{
	int rc = base_buf_reserve(out, n);
	if (rc < 0)
		return rc;
	ps->io.out = out->data + out->len;
	ps->io.out_len = n;
	while (ps->io.out_len && !ps->ended) {
		const char *why = NULL;
		size_t in = ps->io.in_len, room = ps->io.out_len;
		rc = ps->codec->decode(ps->state, &ps->io, &why);
		if (rc < 0)
			base_fail(cairn, rc, "%s%s", rc == CAIRN_E_NOMEM ? "" : "the zstd frame is damaged: ",
			          io_codec_why(rc, why));
		else if (rc == 0 && ps->io.in_len == in && ps->io.out_len == room)
			rc = base_fail(cairn, CAIRN_E_TRUNCATED, "the zstd frame ends too early");
		if (rc < 0)
			break;
		ps->ended = rc == 1;
	}
	out->len += n - ps->io.out_len;
	return rc < 0 ? rc : 0;
}

/* ---- a header that is lost ---- */

/* Do the records of [p, p+n) fit this configuration, and is an instruction among them? */
static bool container_fits(const struct cairn_stf_config *cfg, const uint8_t *p, size_t n)
{
	bool stuck;
	return stf_last_marker(cfg, p, p + n, UINT64_MAX, NULL, &stuck) && !stuck;
}

/* The configuration that a chunk's bytes agree with: what the user said, else what is
 * most frequent, else what makes its records follow one another. */
static bool guess_config(const struct stf_options *opt, const uint8_t *p, size_t n,
                         struct cairn_stf_config *cfg)
{
	enum { MOST_VLEN = 65536 };
	unsigned minor = opt->version ? opt->version & 0xff : 6;
	*cfg = (struct cairn_stf_config){.version_major = 1,
	                                 .version_minor = (uint16_t)minor,
	                                 .isa = 1,
	                                 .iem = 2};
	cfg->new_ids = opt->ids ? opt->ids == 2 : minor >= 5;
	for (unsigned i = 0; i < 4; i++) {
		cfg->protocol = i > 1;
		cfg->event_bits = opt->event_bits ? opt->event_bits : i % 2 ? 32 : 64;
		for (cfg->vlen = 0; cfg->vlen <= MOST_VLEN; cfg->vlen = cfg->vlen ? cfg->vlen * 2 : 64)
			if (container_fits(cfg, p, n))
				return true;
	}
	return false;
}

/* Guess by the chunk at `comp`. A guess with vectors counts more than one without. */
static int ask_chunk(struct cairn_reader *reader, const uint8_t *comp, size_t n,
                     struct cairn_stf_config *cfg)
{
	enum { LOOK = 1 << 18 };
	const struct stf_impl *im = reader->impl;
	struct cairn_stf_config said;
	struct base_buf some;
	base_buf_init(&some, reader->cairn);
	struct stf_pieces *ps = pieces_new(reader->cairn, comp, n);
	int rc = ps ? pieces_read(reader->cairn, ps, LOOK, &some) : CAIRN_E_NOMEM;
	if (rc >= 0 && guess_config(&im->opt, some.data, some.len, &said) &&
	    (!cfg->version_major || said.vlen))
		*cfg = said;
	pieces_free(reader->cairn, ps);
	base_buf_free(&some);
	return rc == CAIRN_E_NOMEM ? rc : 0;
}

/* Go on with the configuration that the chunks agree with; if there is none, with the error `rc`.
 *  */
static int without_header(struct cairn_reader *reader, const struct cairn_stf_config *cfg, int rc,
                          const char *why)
{
	struct stf_impl *im = reader->impl;
	size_t used = strlen(im->trouble);
	char what[80] = "TileLink", vlen[24] = "";
	if (!cfg->version_major)
		return base_fail(reader->cairn, rc, "%s", why);
	im->header = (struct stf_header){.cfg = *cfg, .lost = true};
	im->head.len = 0;
	if (cfg->vlen)
		snprintf(vlen, sizeof vlen, ", VLEN %u", cfg->vlen);
	if (!cfg->protocol)
		snprintf(what, sizeof what, "RV64, event ids of %u bits%s", cfg->event_bits, vlen);
	snprintf(im->trouble + used, sizeof im->trouble - used,
	         "%sthe header is lost with chunk 0: "
	         "the chunks after it are read as version 1.%u, %s",
	         used ? "; " : "", cfg->version_minor, what);
	return 0;
}

/* ---- opening ---- */

static int next_frame(struct cairn_reader *reader, size_t skip, size_t *len);

/* Chunk `i`, which begins at `skip` of what a pipe has pending: 1, 0 there is none. */
static int container_chunk(struct cairn_reader *reader, uint64_t i, size_t skip,
                           const uint8_t **comp, size_t *n)
{
	struct stf_impl *im = reader->impl;
	if (!im->source.map) {
		int rc = next_frame(reader, skip, n);
		*comp = im->source.in.buf.data + skip;
		return rc;
	}
	if (i >= im->n_chunks)
		return 0;
	*comp = im->source.map + im->chunks[i].off;
	*n = (size_t)im->chunks[i].len;
	return 1;
}

/* Have `want` bytes of records in `head`, from `ps` and the chunks behind it. False: there are no
 * more, or a chunk is broken, which is reported when it is read. */
static bool container_read_on(struct cairn_reader *reader, struct stf_pieces **ps, uint64_t *chunk,
                              size_t *skip, size_t want)
{
	struct stf_impl *im = reader->impl;
	const uint8_t *comp;
	size_t n;
	while (im->head.len < want) {
		if (pieces_read(reader->cairn, *ps, want - im->head.len, &im->head) < 0)
			return false;
		if (!(*ps)->ended || im->head.len >= want)
			continue;
		if (container_chunk(reader, ++*chunk, *skip, &comp, &n) <= 0)
			return false;
		*skip += n;
		pieces_free(reader->cairn, *ps);
		*ps = pieces_new(reader->cairn, comp, n);
		if (!*ps)
			return false;
	}
	return true;
}

/* Read as much of the first chunk as the header needs, and of this and the next ones what may decide
 * how records are read. */
static int container_read_header(struct cairn_reader *reader, const uint8_t *comp, size_t n)
{
	struct stf_impl *im = reader->impl;
	struct stf_pieces *ps = pieces_new(reader->cairn, comp, n);
	uint64_t chunk = 0;
	int rc = ps ? 0 : CAIRN_E_NOMEM;
	im->head.len = 0;
	for (size_t step = 1 << 14; rc == 0; step *= 4) {
		int broken = pieces_read(reader->cairn, ps, step, &im->head);
		bool all = broken < 0 || ps->ended;
		if (all && im->head.len < 4 && broken < 0) {
			/* A frame that asks for what we cannot give is damage, too. */
			bool odd = broken == CAIRN_E_UNSUPPORTED || broken == CAIRN_E_LIMIT;
			rc = odd ? CAIRN_E_DAMAGED : broken;
			break;
		}
		rc = stf_header_parse(reader->cairn, &im->opt, im->head.data, im->head.len, all,
		                      &im->header);
		if (rc == 0 && im->head.len > HEADER_LIMIT)
			rc = base_fail(reader->cairn, CAIRN_E_LIMIT, "the header is larger than %d MiB",
			               HEADER_LIMIT >> 20);
	}
	size_t from = im->header.size;
	bool more = rc > 0;
	for (size_t most = STF_SURVEY; more && most <= STF_SURVEY_MOST; most *= 4) {
		more = container_read_on(reader, &ps, &chunk, &n, from + most);
		size_t have = im->head.len - from;
		stf_reading_find(im, im->head.data + from, have < most ? have : most);
		more = more && stf_reading_open(im);
	}
	pieces_free(reader->cairn, ps);
	if (rc < 0)
		base_wrap(reader->cairn, "%s: chunk 0", io_name(reader->io));
	return rc < 0 ? rc : 0;
}

/* Is the header lost, with trouble that reading can survive? */
static bool header_is_lost(const struct stf_impl *im, int rc)
{
	return !im->opt.lenient &&
	       (rc == CAIRN_E_DAMAGED || rc == CAIRN_E_TRUNCATED || rc == CAIRN_E_FORMAT);
}

static bool is_magic(const uint8_t *p, size_t n)
{
	return n >= 4 && base_le32(p) == 0xfd2fb528;
}

static const uint8_t *next_magic(const uint8_t *p, const uint8_t *end)
{
	static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	return p < end ? memmem(p, (size_t)(end - p), magic, sizeof magic) : NULL;
}

/* The part of the file that is in memory: all of it, or the saved rest of a pipe. */
struct view {
	struct io_source *io; /* NULL: only in memory */
	const uint8_t *p;     /* at byte `from` of the file */
	uint64_t from, end;
};

static const uint8_t *at_byte(const struct view *view, uint64_t off)
{
	return view->p + (off - view->from);
}

/* Does a chunk begin at `off`? If there is no frame, the chunk or the index is wrong: the end of
 * the chunk before decides which. */
static bool offset_is_right(const struct view *view, uint64_t before, uint64_t off, uint64_t end)
{
	uint8_t head[4];
	if (before < view->from)
		return true; /* it was read before */
	if (end - off >= sizeof head && !view->io)
		memcpy(head, at_byte(view, off), sizeof head);
	if (end - off >= sizeof head &&
	    (!view->io || io_pread(view->io, off, head, sizeof head) == sizeof head) &&
	    is_magic(head, sizeof head))
		return true;
	int64_t len = io_zstd_frame_length(at_byte(view, before), (size_t)(end - before), NULL);
	return len <= 0 || before + (uint64_t)len == off;
}

/* There may be more behind it: a writer that was stopped leaves what it had begun. */
static bool index_is_whole(const struct view *view, uint64_t at)
{
	if (at < STF_LEN_CONTAINER || at < view->from || at > view->end ||
	    view->end - at < STF_LEN_INDEX)
		return false;
	const uint8_t *index = at_byte(view, at);
	uint64_t count = stf_INDEX_chunks(index);
	if (count > (view->end - at - STF_LEN_INDEX) / STF_LEN_CHUNK)
		return false;
	uint64_t before = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t off = stf_CHUNK_frame(stf_index_row(index, i));
		if (off < STF_LEN_CONTAINER || off >= at || (i ? off <= before : off != STF_LEN_CONTAINER))
			return false;
		if (i && !offset_is_right(view, before, off, at))
			return false;
		before = off;
	}
	/* A row too few would make the last chunks vanish without a word. */
	return count ? offset_is_right(view, before, at, at) : at == STF_LEN_CONTAINER;
}

/* Take the chunks from an index that is whole. */
static int read_index(struct cairn *cairn, const struct view *view, uint64_t at,
                      struct stf_chunk **chunks, uint64_t *n_chunks)
{
	const uint8_t *index = at_byte(view, at);
	uint64_t n = stf_INDEX_chunks(index);
	*chunks = base_alloc(cairn, (n + 1) * sizeof **chunks);
	if (!*chunks)
		return CAIRN_E_NOMEM;
	*n_chunks = n;
	uint64_t start = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct stf_chunk *ch = &(*chunks)[i];
		const uint8_t *row = stf_index_row(index, i);
		uint64_t next = i + 1 < n ? stf_CHUNK_frame(row + STF_LEN_CHUNK) : at;
		ch->off = stf_CHUNK_frame(row);
		ch->len = next - ch->off;
		ch->pc = stf_CHUNK_pc(row);
		ch->size = stf_CHUNK_size(row);
		ch->start = start;
		start += ch->size;
	}
	return 0;
}

/* Bytes of the chunk at `p`, which is at `here` in the file: a frame, or what is left of one up to
 * the next; 0 when the frames have ended, < 0 when more than these `n` bytes are needed. `all`: no
 * more follow. Where the head says the frames end is believed only when the bytes agree. */
static int64_t chunk_length(struct stf_impl *im, const uint8_t *p, size_t n, uint64_t here,
                            bool all)
{
	bool frame = is_magic(p, n);
	if (n == 0 || (!frame && here == im->frames_end))
		return 0;
	size_t followed;
	int64_t len = io_zstd_frame_length(p, n, &followed);
	if (len > 0)
		return len;
	if (len == 0 && !all)
		return -1;
	im->broke = true;
	im->followed += followed;
	bool enough = im->followed / FOLLOW_TIMES > here + n;
	const uint8_t *next = enough ? NULL : next_magic(p + 1, p + n); /* no record: bytes searched */
	if (next)
		return next - p;
	if (!all)
		return -1;
	uint64_t told = im->frames_end > here ? im->frames_end - here : 0;
	bool index =
		n >= STF_LEN_INDEX && stf_INDEX_chunks(p) < n && stf_index_length(stf_INDEX_chunks(p)) == n;
	if (!frame && (told == 0 || index))
		return 0;
	return told && told < n ? (int64_t)told : (int64_t)n;
}

/* Find the chunks behind those known by walking the frames from byte `from` on. */
static int walk_frames(struct cairn_reader *reader, uint64_t from)
{
	struct stf_impl *im = reader->impl;
	size_t cap = im->n_chunks;
	const uint8_t *p = im->source.map + from, *stop = im->source.map + im->source.map_len;
	while (p < stop) {
		int64_t len = chunk_length(im, p, (size_t)(stop - p), (uint64_t)(p - im->source.map), true);
		if (len <= 0)
			break; /* what follows the frames: the index, or its remains */
		if (im->n_chunks == cap) {
			cap = cap ? cap * 2 : 64;
			struct stf_chunk *chunk = base_realloc(reader->cairn, im->chunks, cap * sizeof *chunk);
			if (!chunk)
				return CAIRN_E_NOMEM;
			im->chunks = chunk;
		}
		im->chunks[im->n_chunks++] =
			(struct stf_chunk){.off = (uint64_t)(p - im->source.map), .len = (uint64_t)len};
		p += len;
	}
	return 0;
}

static int find_chunks(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	const struct view all = {.io = im->rest ? NULL : reader->io,
	                         .p = im->source.map,
	                         .end = im->source.map_len};
	im->indexed = index_is_whole(&all, im->frames_end);
	return im->indexed ? read_index(reader->cairn, &all, im->frames_end, &im->chunks, &im->n_chunks)
	                   : walk_frames(reader, STF_LEN_CONTAINER);
}

static int open_mapped(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	int rc = find_chunks(reader);
	if (rc < 0)
		return rc;
	if (im->n_chunks == 0)
		return base_fail(reader->cairn, CAIRN_E_TRUNCATED, "%s: the container holds no chunk",
		                 io_name(reader->io));
	rc = container_read_header(reader, im->source.map + im->chunks[0].off,
	                           (size_t)im->chunks[0].len);
	if (!header_is_lost(im, rc) || im->n_chunks == 1)
		return rc;
	char why[sizeof im->source.in.why];
	snprintf(why, sizeof why, "%s", cairn_error_text(reader->cairn));
	struct cairn_stf_config cfg = {0};
	int asked = 0;
	for (uint64_t i = 1; i < im->n_chunks && i <= ASK && !cfg.vlen && asked >= 0; i++)
		asked =
			ask_chunk(reader, im->source.map + im->chunks[i].off, (size_t)im->chunks[i].len, &cfg);
	return asked < 0 ? asked : without_header(reader, &cfg, rc, why);
}

/* Read the next frame of a pipe into pending[skip..skip+*len): 1, 0 at the end of the frames. */
static int next_frame(struct cairn_reader *reader, size_t skip, size_t *len)
{
	struct stf_impl *im = reader->impl;
	for (size_t want = skip + (1 << 18);; want *= 2) {
		int rc = model_stream_fill(reader, &im->source.in, want);
		if (rc < 0)
			return rc;
		*len = 0;
		if (!im->source.in.buf.data)
			return 0; /* nothing followed the header */
		int64_t n = chunk_length(im, im->source.in.buf.data + skip, im->source.in.buf.len - skip,
		                         im->stream_at + skip, im->source.in.eof);
		if (n >= 0) {
			*len = (size_t)n;
			return n > 0;
		}
		if (im->source.in.buf.len > base_max_hold(reader->cairn))
			return base_fail(reader->cairn, CAIRN_E_LIMIT,
			                 "%s: chunk %llu is larger than the %zu bytes "
			                 "that are held in memory",
			                 io_name(reader->io), (unsigned long long)im->next_chunk,
			                 base_max_hold(reader->cairn));
	}
}

static int open_pipe(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	size_t len;
	memmove(im->source.in.buf.data, im->source.in.buf.data + STF_LEN_CONTAINER,
	        im->source.in.buf.len - STF_LEN_CONTAINER);
	im->source.in.buf.len -= STF_LEN_CONTAINER;
	im->stream_at = STF_LEN_CONTAINER;
	int rc = next_frame(reader, 0, &len);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return base_fail(reader->cairn, CAIRN_E_TRUNCATED, "%s: the container holds no chunk",
		                 io_name(reader->io));
	rc = container_read_header(reader, im->source.in.buf.data, len);
	if (!header_is_lost(im, rc))
		return rc;
	char why[sizeof im->source.in.why];
	snprintf(why, sizeof why, "%s", cairn_error_text(reader->cairn));
	struct cairn_stf_config cfg = {0};
	int asked = 0;
	size_t skip = len;
	for (int i = 0; i < ASK && !cfg.vlen && asked >= 0 && next_frame(reader, skip, &len) > 0; i++) {
		asked = ask_chunk(reader, im->source.in.buf.data + skip, len, &cfg);
		skip += len;
	}
	return asked < 0 ? asked : without_header(reader, &cfg, rc, why);
}

int stf_container_open(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	const uint8_t *head = im->source.map;
	size_t n = im->source.map_len;
	if (!head) {
		int rc = model_stream_fill(reader, &im->source.in, STF_LEN_CONTAINER);
		if (rc < 0)
			return rc;
		head = im->source.in.buf.data;
		n = im->source.in.buf.len;
	}
	if (n < STF_LEN_CONTAINER)
		return base_fail(reader->cairn, CAIRN_E_TRUNCATED,
		                 "%s: byte 0x%zx: the container's head needs "
		                 "%d bytes",
		                 io_name(reader->io), n, STF_LEN_CONTAINER);
	im->per_chunk = stf_CONTAINER_markers(head);
	im->frames_end = stf_CONTAINER_index(head);
	if (im->per_chunk == 0)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED,
		                 "%s: byte 0x4: the container says its chunks "
		                 "hold 0 instructions",
		                 io_name(reader->io));
	if (im->per_chunk > MOST_MARKERS)
		im->per_chunk = MOST_MARKERS;
	return im->source.map ? open_mapped(reader) : open_pipe(reader);
}

/* ---- spans ---- */

/* The frames of a pipe have ended: only the index should follow. Keep as many of its bytes as it
 * should have. */
static int container_read_tail(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	size_t whole = stf_index_length(im->next_chunk);
	int rc = model_stream_fill(reader, &im->source.in, 1);
	im->tail_at = im->stream_at;
	while (rc >= 0 && im->source.in.buf.len) {
		size_t n = im->source.in.buf.len, room = whole - im->tail.len;
		rc = base_buf_put(&im->tail, im->source.in.buf.data, n < room ? n : room);
		im->stream_at += n;
		im->source.in.buf.len = 0;
		if (rc >= 0)
			rc = model_stream_fill(reader, &im->source.in, PIECE);
	}
	return rc;
}

/* Behind the last chunk: a span without records, in which the index is judged. */
static int cut_end(struct cairn_reader *reader, struct stf_span *ss)
{
	static const uint8_t nothing[1];
	struct stf_impl *im = reader->impl;
	int rc = im->ended || im->chunks || im->rest_chunks ? 0 : container_read_tail(reader);
	if (rc < 0 || im->ended)
		return rc;
	im->ended = true;
	ss->kind = STF_SPAN_END;
	ss->bytes.window.base = ss->bytes.window.p = ss->bytes.window.end = nothing;
	return 1;
}

/* ---- a pipe with a damaged frame ---- */

/* As io_read, of the saved rest. */
static int64_t container_read_rest(struct cairn_reader *reader, void *self, void *buf, size_t n)
{
	const struct stf_impl *im = reader->impl;
	uint64_t read = im->stream_at + im->source.in.buf.len - im->rest_at;
	size_t left = im->rest_len - (size_t)read;
	(void)self;
	n = n < left ? n : left;
	memcpy(buf, im->rest + read, n);
	return (int64_t)n;
}

void stf_container_close(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	if (im->rest)
		io_file_unmap(reader->cairn, im->rest, im->rest_len);
	base_free(reader->cairn, im->rest_chunks);
	base_free(reader->cairn, im->chunks);
	base_buf_free(&im->seen);
	base_buf_free(&im->frames);
	base_buf_free(&im->tail);
	pthread_mutex_destroy(&im->pipe_lock);
}

static int cannot_save(struct cairn_reader *reader)
{
	return base_fail_errno(reader->cairn, errno,
	                       "%s: the rest of the pipe cannot be saved to reach its index",
	                       io_name(reader->io));
}

/* Write what is pending and then all the rest of the pipe. Returns the number of bytes. */
static int64_t save_rest_to(struct cairn_reader *reader, FILE *file)
{
	struct stf_impl *im = reader->impl;
	int64_t sum = 0;
	int rc = 0;
	do {
		size_t left = im->source.in.buf.len;
		if (left && fwrite(im->source.in.buf.data, 1, left, file) != left)
			return cannot_save(reader);
		sum += (int64_t)left;
		im->source.in.buf.len = 0;
		rc = model_stream_fill(reader, &im->source.in, PIECE);
	} while (rc >= 0 && im->source.in.buf.len);
	if (rc >= 0 && fflush(file))
		rc = cannot_save(reader);
	return rc < 0 ? rc : sum;
}

/* Take the chunks from the index at the end of the pipe, if it is whole. If it has fewer chunks
 * before this place than were read, frames are walked on, and its rows only looked up. */
static int find_rest_chunks(struct cairn_reader *reader, const struct view *left)
{
	struct stf_impl *im = reader->impl;
	uint64_t at = 0;
	if (!index_is_whole(left, im->frames_end))
		return 0;
	int rc = read_index(reader->cairn, left, im->frames_end, &im->rest_chunks, &im->n_chunks);
	if (rc < 0)
		return rc;
	while (at < im->n_chunks && im->rest_chunks[at].off + im->rest_chunks[at].len <= left->from)
		at++;
	im->rest_walked = at < im->next_chunk || im->n_chunks == 0;
	return 0;
}

/* Save the rest of the pipe from byte `from` on. Bytes that are gone are 0. */
static int save_from(struct cairn_reader *reader, uint64_t from)
{
	struct stf_impl *im = reader->impl;
	static const uint8_t gone[STF_LEN_CONTAINER];
	size_t before = (size_t)(im->stream_at - from);
	FILE *file = tmpfile();
	if (!file || (before && fwrite(gone, 1, before, file) != before)) {
		int rc = cannot_save(reader);
		if (file)
			fclose(file);
		return rc;
	}
	im->rest_at = from;
	int64_t n = save_rest_to(reader, file);
	int rc = n < 0 ? (int)n : 0;
	if (n > 0)
		rc = io_file_map(reader->cairn, io_name(reader->io), fileno(file), (size_t)n + before,
		                 &im->rest, &im->rest_len);
	fclose(file);
	return rc;
}

int stf_container_save(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	if (!im->zstf || im->source.map || reader->started)
		return 0;
	int rc = save_from(reader, 0);
	if (rc < 0 || !im->rest)
		return rc;
	im->source.map = im->rest;
	im->source.map_len = im->rest_len;
	return find_chunks(reader);
}

/* Save the rest of the pipe, and look for the index in it. */
static int save_rest(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	int rc = save_from(reader, im->stream_at);
	im->source.in.eof = false; /* reading goes on in what was saved */
	im->source.in.read = im->rest ? container_read_rest : NULL;
	const struct view left = {.p = im->rest,
	                          .from = im->rest_at,
	                          .end = im->rest_at + im->rest_len};
	return rc < 0 || !im->rest ? rc : find_rest_chunks(reader, &left);
}

/* Is what the index has as one chunk several whole frames, one behind the other? If one is damaged,
 * its length cannot be trusted either, and no frame begins behind it. */
static bool holds_several(const uint8_t *p, uint64_t n)
{
	unsigned frames = 0;
	for (uint64_t at = 0; at < n; frames++) {
		int64_t len = io_zstd_frame_length(p + at, (size_t)(n - at), NULL);
		if (len <= 0 || (uint64_t)len > n - at)
			return false;
		at += (uint64_t)len;
	}
	return frames > 1;
}

static int cut_pipe(struct cairn_reader *reader, struct stf_span *ss);

/* Take what the index says of the span's chunk. */
static void take_index_row(struct stf_span *ss, const struct stf_chunk *chunk)
{
	ss->frame_at = chunk->off;
	ss->size_hint = chunk->size;
	ss->index_pc = chunk->pc;
	ss->index_off = chunk->start;
	ss->has_index_pc = ss->chunk > 0;
}

/* The next chunk by the index. One whose bytes were taken for an earlier frame has none left. If
 * the index has lost a row, frames are walked from there on. */
static int cut_rest(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	if (im->next_chunk == im->n_chunks)
		return cut_end(reader, ss);
	const struct stf_chunk *ch = &im->rest_chunks[im->next_chunk];
	uint64_t from = ch->off < im->rest_at ? im->rest_at : ch->off, to = ch->off + ch->len;
	ss->comp = im->rest + (from - im->rest_at);
	ss->comp_len = to > from ? (size_t)(to - from) : 0;
	if (ch->off >= im->rest_at && holds_several(ss->comp, ss->comp_len)) {
		im->rest_walked = true;
		im->stream_at = ch->off;
		return cut_pipe(reader, ss);
	}
	take_index_row(ss, ch);
	return 1;
}

static int cut_pipe(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	size_t len;
	if (im->rest_chunks && !im->rest_walked)
		return cut_rest(reader, ss);
	int rc = next_frame(reader, 0, &len);
	if (rc >= 0 && im->broke && !im->rest) {
		rc = save_rest(reader);
		return rc < 0 ? rc : cut_pipe(reader, ss);
	}
	if (rc <= 0)
		return rc < 0 ? rc : cut_end(reader, ss);
	ss->frame_at = im->stream_at;
	ss->comp_buf = im->source.in.buf;
	base_buf_init(&im->source.in.buf, reader->cairn);
	rc = base_buf_put(&im->source.in.buf, ss->comp_buf.data + len, ss->comp_buf.len - len);
	ss->comp = ss->comp_buf.data;
	ss->comp_len = len;
	if (rc >= 0)
		rc = base_buf_put(&im->frames, &ss->frame_at, sizeof ss->frame_at);
	im->stream_at += len;
	__atomic_store_n(&reader->done, io_stored_tell(reader->io), __ATOMIC_RELAXED);
	return rc < 0 ? rc : 1;
}

/* Do the frames that were walked agree with the index about this chunk? */
static bool row_fits(const struct stf_impl *im, uint64_t chunk)
{
	const uint64_t *frames = (const void *)im->frames.data;
	uint64_t walked = im->frames.len / sizeof *frames;
	if (chunk >= walked || chunk >= im->n_chunks)
		return false;
	uint64_t walked_to = im->rest ? im->rest_at : im->tail_at;
	uint64_t next = chunk + 1 < walked ? frames[chunk + 1] : walked_to;
	const struct stf_chunk *row = &im->rest_chunks[chunk];
	return row->off == frames[chunk] && row->off + row->len == next;
}

int stf_container_look_up(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	int rc = 0;
	if (im->chunks || ss->has_index_pc || ss->chunk == 0)
		return 0;
	pthread_mutex_lock(&im->pipe_lock);
	if (!im->rest && !im->looked_up) {
		const struct view tail = {.p = im->tail.data,
		                          .from = im->tail_at,
		                          .end = im->tail_at + im->tail.len};
		im->looked_up = true;
		if (!im->tail_at)
			rc = save_rest(reader);
		else if (im->tail_at == im->frames_end)
			rc = find_rest_chunks(reader, &tail);
	}
	if (rc >= 0 && im->rest_chunks && row_fits(im, ss->chunk))
		take_index_row(ss, &im->rest_chunks[ss->chunk]);
	pthread_mutex_unlock(&im->pipe_lock);
	return rc;
}

/* Has the index lost a row? Then what follows is walked. */
static int mistrust(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	const struct stf_chunk *ch = &im->chunks[im->next_chunk];
	if (!im->indexed || !holds_several(im->source.map + ch->off, ch->len))
		return 0;
	uint64_t from = ch->off;
	im->n_chunks = im->next_chunk;
	im->indexed = false;
	return walk_frames(reader, from);
}

/* The next chunk of a file. */
static int cut_mapped(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	if (ss->chunk == im->n_chunks)
		return cut_end(reader, ss);
	int rc = mistrust(reader);
	if (rc < 0)
		return rc;
	const struct stf_chunk *ch = &im->chunks[ss->chunk];
	ss->comp = im->source.map + ch->off;
	ss->comp_len = (size_t)ch->len;
	ss->frame_at = ch->off;
	ss->size_hint = ch->size;
	ss->index_pc = ch->pc;
	ss->index_off = ch->start;
	ss->has_index_pc = im->indexed && ss->chunk > 0;
	__atomic_store_n(&reader->done, ch->off, __ATOMIC_RELAXED);
	if (ch->off > BEHIND)
		io_done(reader->io, ch->off - BEHIND);
	return 1;
}

int stf_container_cut(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	bool pipe = !im->chunks;
	if (pipe)
		pthread_mutex_lock(&im->pipe_lock);
	ss->kind = STF_SPAN_CHUNK;
	ss->chunk = im->next_chunk;
	ss->header = ss->chunk == 0;
	int rc = pipe ? cut_pipe(reader, ss) : cut_mapped(reader, ss);
	if (rc > 0 && ss->kind == STF_SPAN_CHUNK) /* the end may be asked for again meanwhile */
		im->next_chunk++;
	if (pipe)
		pthread_mutex_unlock(&im->pipe_lock);
	return rc;
}

/* ---- judging the index ---- */

void stf_container_forget(struct stf_impl *im)
{
	im->seen.len = 0;
	im->ended = false;
}

int stf_container_saw(struct cairn_reader *reader, const struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	const struct stf_state *at = &ss->at;
	struct stf_begin seen = {.pc = at->now.pc,
	                         .off = at->off,
	                         .pc_known = at->now.pc_known & STF_PC_TOLD,
	                         .broken = ss->after_damage};
	if (im->seen.len == 0)
		im->seen_first = ss->chunk;
	return base_buf_put(&im->seen, &seen, sizeof seen);
}

/* The index, NULL when it is not usable. */
static const uint8_t *usable_index(const struct stf_impl *im)
{
	const uint64_t *frames = (const void *)im->frames.data;
	if (im->chunks)
		return im->indexed ? im->source.map + im->frames_end : NULL;
	if (im->rest && im->rest_chunks)
		return im->rest_walked ? NULL : im->rest + (im->frames_end - im->rest_at);
	if (im->tail_at != im->frames_end || im->tail.len != stf_index_length(im->next_chunk) ||
	    stf_INDEX_chunks(im->tail.data) != im->next_chunk)
		return NULL;
	for (uint64_t i = 0; i < im->next_chunk; i++)
		if (stf_CHUNK_frame(stf_index_row(im->tail.data, i)) != frames[i])
			return NULL;
	return im->tail.data;
}

/* Which chunks to compare with the index: those that were reached from the one before, from the
 * first that a jump could have gone to. */
static uint64_t first_compared(const struct cairn_reader *reader, const struct stf_span *ss)
{
	const struct stf_impl *im = reader->impl;
	uint64_t n = ss->transactions ? ss->at.x : ss->at.n;
	uint64_t from = im->seen_first,
			 place = reader->skip_to ? (reader->skip_to - 1) / im->per_chunk : 0;
	return (n > reader->skip_to && place > from ? place : from) + 1;
}

/* Does the index have another PC than the records? */
static bool other_pc(const struct stf_span *ss, const struct stf_begin *seen, const uint8_t *row)
{
	return seen->pc_known && !ss->transactions && seen->pc != stf_CHUNK_pc(row);
}

static void compare_pcs(struct cairn_reader *reader, struct model_span *span, const uint8_t *index)
{
	const struct stf_impl *im = reader->impl;
	const struct stf_span *ss = span->priv;
	const struct stf_begin *seen = (const void *)im->seen.data, *odd = NULL;
	uint64_t chunk = 0, more = 0, count = im->seen.len / sizeof *seen;
	char others[64] = "";
	for (uint64_t i = first_compared(reader, ss); i < im->seen_first + count; i++) {
		const struct stf_begin *one = seen + (i - im->seen_first);
		if (!other_pc(ss, one, stf_index_row(index, i)))
			continue;
		if (odd) {
			more++;
			continue;
		}
		odd = one;
		chunk = i;
	}
	if (more)
		snprintf(others, sizeof others, "; %llu more chunk%s", (unsigned long long)more,
		         more == 1 ? " differs" : "s differ");
	if (odd)
		model_damaged(reader, span,
		              "chunk %llu: begins at PC 0x%llx by the records, 0x%llx by the index%s",
		              (unsigned long long)chunk, (unsigned long long)odd->pc,
		              (unsigned long long)stf_CHUNK_pc(stf_index_row(index, chunk)), others);
}

void stf_container_doubt(struct cairn_reader *reader, struct model_span *span, bool usable,
                         uint64_t size)
{
	const struct stf_impl *im = reader->impl;
	uint64_t last = im->chunks ? im->n_chunks : im->next_chunk;
	if (im->source.in.broken)
		model_damaged(reader, span, "chunk %llu: %s", (unsigned long long)last, im->source.in.why);
	else if (!usable)
		model_damaged(reader, span,
		              "the index is not usable (it should lie at byte 0x%llx of %llu): the chunks "
		              "were found by walking them",
		              (unsigned long long)im->frames_end, (unsigned long long)size);
}

void stf_container_judge(struct cairn_reader *reader, struct model_span *span)
{
	const struct stf_impl *im = reader->impl;
	const uint8_t *index = usable_index(im);
	uint64_t size = im->chunks ? im->source.map_len
	                : im->rest ? im->rest_at + im->rest_len
	                           : im->stream_at;
	uint64_t end = im->frames_end + stf_index_length(im->next_chunk);
	if (!im->index_told)
		stf_container_doubt(reader, span, index != NULL, size);
	if (!index)
		return;
	compare_pcs(reader, span, index);
	if (end < size)
		model_damaged(
			reader, span,
			"byte 0x%llx: %llu bytes behind the index are in no chunk of it: its writer was stopped before it listed them",
			(unsigned long long)end, (unsigned long long)(size - end));
}

bool stf_container_size(const struct stf_impl *im, const struct stf_span *end, uint64_t index,
                        struct stf_size *size)
{
	const struct stf_begin *seen = (const void *)im->seen.data;
	uint64_t count = im->seen.len / sizeof *seen;
	const uint8_t *rows = usable_index(im);
	if (!rows || index >= count)
		return false;
	bool last = index + 1 == count;
	uint64_t chunk = im->seen_first + index, off = last ? end->at.off : seen[index + 1].off;
	*size = (struct stf_size){.chunk = chunk,
	                          .at = off,
	                          .found = off - seen[index].off,
	                          .told = stf_CHUNK_size(stf_index_row(rows, chunk))};
	size->odd = size->told != size->found && !(last ? end->after_damage : seen[index + 1].broken);
	return true;
}

static void whole_window(struct stf_span *ss)
{
	ss->bytes.window.base = ss->bytes.window.p = ss->bytes.buf.data;
	ss->bytes.window.end = ss->bytes.buf.data + ss->bytes.buf.len;
}

/* The chunk breaks off behind its window. */
static void container_break(const struct cairn_reader *reader, struct stf_span *ss)
{
	ss->bytes.broken = true;
	snprintf(ss->bytes.why, sizeof ss->bytes.why, "%s", cairn_error_text(reader->cairn));
	ss->bytes.window.more = false;
}

/* Decompress the chunk, or its first piece. */
int stf_container_load(struct cairn_reader *reader, struct model_span *span)
{
	const struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	struct stf_worker *worker = span->worker;
	size_t used = 0,
		   limit = base_max_hold(reader->cairn) < WHOLE ? base_max_hold(reader->cairn) : WHOLE;
	int rc = 0;
	if (!worker->frames)
		rc = io_frame_decoder_new(reader->cairn, zstd(reader->cairn), &worker->frames);
	if (rc < 0)
		return rc;
	ss->bytes.buf.len = 0;
	ss->bytes.window.more = false;
	/* The index may claim anything; a frame never holds 20000 times its size. */
	size_t hint = ss->size_hint > limit ? limit : (size_t)ss->size_hint;
	if (hint / 20000 > ss->comp_len)
		hint = 0;
	rc =
		io_frame_decode(worker->frames, ss->comp, ss->comp_len, hint, limit, &ss->bytes.buf, &used);
	if (rc == CAIRN_E_LIMIT) {
		ss->bytes.buf.len = 0;
		pieces_free(reader->cairn, ss->pieces);
		ss->pieces = pieces_new(reader->cairn, ss->comp, ss->comp_len);
		rc = ss->pieces ? pieces_read(reader->cairn, ss->pieces, PIECE, &ss->bytes.buf)
		                : CAIRN_E_NOMEM;
		ss->bytes.window.more = true;
	} else if (rc >= 0 && used < ss->comp_len) {
		rc = base_fail(reader->cairn, CAIRN_E_DAMAGED,
		               "%zu bytes behind the chunk's frame are in no "
		               "chunk of the index",
		               ss->comp_len - used);
	}
	if (rc == CAIRN_E_NOMEM || rc == CAIRN_E_CANCELLED)
		return rc;
	if (ss->header && im->header.lost) {
		if (rc >= 0)
			rc = base_fail(reader->cairn, CAIRN_E_DAMAGED, "no STF header begins here");
		ss->bytes.buf.len = 0; /* do not read it by what other chunks agree with */
	}
	if (rc < 0) {
		container_break(reader, ss);
	}
	whole_window(ss);
	return 0;
}

int stf_container_fill(struct cairn_reader *reader, struct stf_span *ss)
{
	size_t kept = kit_left(&ss->bytes);
	ss->bytes.abs += (uint64_t)(ss->bytes.window.p - ss->bytes.window.base);
	memmove(ss->bytes.buf.data, ss->bytes.window.p, kept);
	ss->bytes.buf.len = kept;
	int rc = 0;
	if (kept > base_max_hold(reader->cairn))
		rc = base_fail(reader->cairn, CAIRN_E_LIMIT,
		               "a record of more than %zu bytes is larger than what "
		               "is held in memory",
		               kept);
	if (rc >= 0)
		rc = pieces_read(reader->cairn, ss->pieces, PIECE, &ss->bytes.buf);
	whole_window(ss);
	if (rc == CAIRN_E_NOMEM)
		return rc;
	if (rc < 0) {
		container_break(reader, ss);
	} else if (ss->pieces->ended) {
		ss->bytes.window.more = false;
	}
	return ss->bytes.buf.len > kept;
}

void stf_container_drop(struct cairn_reader *reader, struct stf_span *ss)
{
	pieces_free(reader->cairn, ss->pieces);
	ss->pieces = NULL;
}
