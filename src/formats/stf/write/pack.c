/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling a packing with runs of records: raw bytes through a codec, or the chunks of a .zstf.
 *
 * The code that walks the records knows where the markers are, so nothing is looked at again here:
 * the caller asks how many markers fit and never brings more. As with the writer, a full chunk is
 * cut only when the next marker has come: what follows the trace's last marker stays in the last
 * chunk, because a reader expects every chunk to have one. What follows the last marker so far is
 * kept back in a raw stream, too, so that it can be taken back if the input turns out to be
 * damaged.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/stf/change/change.h"

enum { TAIL_BYTES = 1 << 20 }; /* do not wait for a marker longer than this */

/* ---- which packing ---- */

static int pack_choose_codec(struct cairn *cairn, const struct cairn_output *out,
                             struct stf_packing *packing)
{
	const char *name = out->codec;
	if (name && !strcmp(name, "none"))
		return 0;
	packing->codec = name                   ? cairn_codec_find(cairn, name)
	                 : packing->output.zstf ? NULL
	                                        : cairn_codec_for_name(cairn, out->path);
	if (name && !packing->codec)
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "there is no codec '%s'; --version names those "
		                 "there are",
		                 name);
	if (packing->codec && !packing->codec->enc_open)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED, "the codec %s cannot write",
		                 packing->codec->name);
	if (!packing->output.zstf)
		return 0;
	if (packing->codec && strcmp(packing->codec->name, "zstd") != 0)
		return base_fail(cairn, CAIRN_E_INVAL, STF_ZSTF_CODEC, out->path, name);
	packing->codec = NULL;
	return 0;
}

int stf_packing_choose(struct cairn *cairn, const struct cairn_output *out,
                       struct stf_packing *packing)
{
	const char *to = out->to ? out->to : "stf", *options = strchr(to, ':');
	size_t n = options ? (size_t)(options - to) : strlen(to);
	bool zstf = n == 4 && !strncasecmp(to, "zstf", n);
	*packing = (struct stf_packing){.level = out->level};
	if (!zstf && (n != 3 || strncasecmp(to, "stf", n) != 0))
		return base_fail(cairn, CAIRN_E_UNSUPPORTED,
		                 "an STF trace is written as stf or zstf; it cannot become '%.*s' here",
		                 (int)n, to);
	int rc =
		stf_output_choose(cairn, out->path, zstf, options ? options + 1 : "", &packing->output);
	return rc < 0 ? rc : pack_choose_codec(cairn, out, packing);
}

/* ---- the pack ---- */

struct stf_pack {
	struct cairn *cairn;
	struct cairn_sink *sink;     /* raw */
	struct stf_chunks *chunks;   /* .zstf */
	struct base_buf buf;         /* raw: what followed the last marker; else the chunk so far … */
	const uint8_t *kept;         /* … unless it lies in the input as a whole */
	size_t n_kept, kept_most;    /* longer chunks would lie too far behind the walk */
	size_t marked;               /* .zstf: end of the last marker of the chunk so far */
	size_t cut;                  /* end of the full chunk in it, 0 not full */
	uint64_t per_chunk, markers; /* in the chunk so far */
	uint64_t chunk_pc, cut_pc;   /* where it starts, and the next */
};

static int pack_open_container(struct stf_pack *pk, const char *path,
                               const struct stf_packing *packing, unsigned threads)
{
	pk->per_chunk = packing->output.chunk ? packing->output.chunk : STF_CHUNK_DEFAULT;
	pk->kept_most = STF_BEHIND / (threads + 4); /* that many are on their way, and some */
	return stf_chunks_open(pk->cairn, path, packing->level, pk->per_chunk, threads, &pk->chunks);
}

int stf_pack_open(struct cairn *cairn, const char *path, const struct stf_packing *packing,
                  unsigned threads, struct stf_pack **out)
{
	struct stf_pack *pk = base_alloc(cairn, sizeof *pk);
	if (!pk)
		return CAIRN_E_NOMEM;
	pk->cairn = cairn;
	base_buf_init(&pk->buf, cairn);
	int rc = packing->output.zstf ? pack_open_container(pk, path, packing, threads)
	                              : io_sink_open(cairn, path, packing->codec,
	                                             packing->level ? packing->level : INT_MIN,
	                                             threads > 64 ? 64 : (int)threads, &pk->sink);
	if (rc < 0) {
		base_free(cairn, pk);
		return rc;
	}
	*out = pk;
	return 0;
}

uint64_t stf_pack_room(const struct stf_pack *pk)
{
	return pk->chunks ? pk->per_chunk - pk->markers : UINT64_MAX;
}

static size_t so_far(const struct stf_pack *pk)
{
	return pk->n_kept + pk->buf.len; /* one of them is 0 */
}

/* Add to the chunk: without copying as long as it is one piece of the input. */
static int pack_gather(struct stf_pack *pk, const uint8_t *p, size_t n, bool kept)
{
	bool goes_on = !pk->buf.len && (!pk->n_kept || p == pk->kept + pk->n_kept);
	if (kept && goes_on && pk->n_kept + n <= pk->kept_most) {
		pk->kept = pk->n_kept ? pk->kept : p;
		pk->n_kept += n;
		return 0;
	}
	int rc = base_buf_put(&pk->buf, pk->kept, pk->n_kept);
	pk->n_kept = 0;
	return rc < 0 ? rc : base_buf_put(&pk->buf, p, n);
}

static int stf_pack_hand_on(struct stf_pack *pk, size_t cut)
{
	int rc;
	if (pk->n_kept) {
		rc = stf_chunks_put_kept(pk->chunks, pk->kept, cut, pk->chunk_pc);
		pk->kept += cut;
		pk->n_kept -= cut;
	} else {
		rc = stf_chunks_put(pk->chunks, &pk->buf, cut, pk->chunk_pc, 0);
	}
	pk->chunk_pc = pk->cut_pc;
	pk->marked = pk->cut = 0;
	return rc;
}

int stf_pack_header(struct stf_pack *pk, const uint8_t *p, size_t n)
{
	if (pk->sink)
		return cairn_sink_write(pk->sink, p, n);
	pk->marked = n;
	return base_buf_put(&pk->buf, p, n);
}

static int pack_add_bytes(struct stf_pack *pk, const uint8_t *p, size_t n, bool kept)
{
	int rc = 0;
	if (pk->cut && so_far(pk) - pk->cut > TAIL_BYTES)
		rc = stf_pack_hand_on(pk, pk->cut);
	if (pk->sink && pk->buf.len > TAIL_BYTES) {
		rc = cairn_sink_write(pk->sink, pk->buf.data, pk->buf.len);
		pk->buf.len = 0;
	}
	return rc < 0 ? rc : pack_gather(pk, p, n, kept);
}

int stf_pack_bytes(struct stf_pack *pk, const uint8_t *p, size_t n)
{
	return pack_add_bytes(pk, p, n, false);
}

static int raw_run(struct stf_pack *pk, const struct stf_run *run)
{
	int rc = cairn_sink_write(pk->sink, pk->buf.data, pk->buf.len);
	pk->buf.len = 0;
	return rc < 0 ? rc : cairn_sink_write(pk->sink, run->p, run->whole);
}

static int chunk_run(struct stf_pack *pk, const struct stf_run *run, uint64_t pc)
{
	int rc = pk->cut ? stf_pack_hand_on(pk, pk->cut) : 0;
	if (rc >= 0)
		rc = pack_gather(pk, run->p, run->whole, run->kept);
	pk->marked = so_far(pk);
	pk->markers += run->markers;
	if (pk->markers == pk->per_chunk) {
		pk->markers = 0;
		pk->cut = pk->marked;
		pk->cut_pc = pc;
	}
	return rc;
}

int stf_pack_run(struct stf_pack *pk, const struct stf_run *run, uint64_t pc)
{
	int rc = 0;
	if (run->markers)
		rc = pk->chunks ? chunk_run(pk, run, pc) : raw_run(pk, run);
	if (rc >= 0 && run->n > run->whole)
		rc = pack_add_bytes(pk, run->p + run->whole, run->n - run->whole, run->kept);
	return rc;
}

size_t stf_pack_take_back(struct stf_pack *pk)
{
	size_t n = so_far(pk) - pk->marked;
	*(pk->n_kept ? &pk->n_kept : &pk->buf.len) = pk->marked;
	return n;
}

int stf_pack_finish(struct stf_pack *pk)
{
	int rc = 0;
	struct cairn *cairn = pk->cairn;
	if (pk->chunks) {
		if (so_far(pk))
			rc = stf_pack_hand_on(pk, so_far(pk));
		if (rc >= 0)
			rc = stf_chunks_finish(pk->chunks);
		else
			stf_chunks_abort(pk->chunks);
	} else {
		rc = cairn_sink_write(pk->sink, pk->buf.data, pk->buf.len);
		if (rc >= 0)
			rc = cairn_sink_finish(pk->sink);
		else
			cairn_sink_discard(pk->sink);
	}
	base_buf_free(&pk->buf);
	base_free(cairn, pk);
	return rc;
}

void stf_pack_abort(struct stf_pack *pk)
{
	if (!pk)
		return;
	if (pk->chunks)
		stf_chunks_abort(pk->chunks);
	else
		cairn_sink_discard(pk->sink);
	base_buf_free(&pk->buf);
	base_free(pk->cairn, pk);
}
