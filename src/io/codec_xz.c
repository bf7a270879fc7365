/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xz by liblzma. A hostile header may ask for a dictionary of 4 GiB, so decoding
 * has a memory limit; xz -9 needs 65 MiB. Each decode stops at its stream's end:
 * concatenation and padding are the caller's work, as with every other codec.
 */
#include "io/codecs.h"

#include <lzma.h>
#include <string.h>

#define XZ_DECODE_MEMORY ((uint64_t)512 << 20)
#define XZ_ENCODE_MEMORY ((uint64_t)1 << 30) /* worker threads are given up beyond this */

enum { XZ_THREADS = 256 };

/* Where a decoder is that began at a block; XZ_STREAM: one that began with the stream. */
enum xz_stage { XZ_STREAM, XZ_HEADER, XZ_BLOCK, XZ_INDEX, XZ_FOOTER };

struct xz {
	struct cairn *cairn;
	lzma_allocator alloc;
	lzma_stream z;
	enum xz_stage stage;
	lzma_check check;
	uint8_t head[LZMA_BLOCK_HEADER_SIZE_MAX]; /* of the next block, or the footer */
	size_t n_head;
	lzma_block block;
	lzma_filter filters[LZMA_FILTERS_MAX + 1];
	lzma_index *index;
};

static struct xz *xz_new(struct cairn *cairn)
{
	struct xz *xz = base_alloc(cairn, sizeof *xz);
	if (!xz)
		return NULL;
	xz->cairn = cairn;
	xz->alloc = (lzma_allocator){.alloc = io_alloc_items, .free = io_free_item, .opaque = cairn};
	xz->z = (lzma_stream)LZMA_STREAM_INIT;
	xz->filters[0].id = LZMA_VLI_UNKNOWN;
	xz->z.allocator = &xz->alloc;
	return xz;
}

static void xz_drop_filters(struct xz *xz)
{
	for (size_t i = 0; i < LZMA_FILTERS_MAX && xz->filters[i].id != LZMA_VLI_UNKNOWN; i++)
		base_free(xz->cairn, xz->filters[i].options);
	xz->filters[0].id = LZMA_VLI_UNKNOWN;
}

static void xz_close(void *state)
{
	struct xz *xz = state;
	lzma_end(&xz->z);
	xz_drop_filters(xz);
	lzma_index_end(xz->index, &xz->alloc);
	base_free(xz->cairn, xz);
}

static int xz_probe(const uint8_t *head, size_t n)
{
	static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
	return io_magic(head, n, magic, sizeof magic);
}

static int xz_status(lzma_ret rc, const char **why)
{
	switch (rc) {
	case LZMA_STREAM_END:
		return 1;
	case LZMA_OK:
	case LZMA_BUF_ERROR: /* nothing could be done just now */
		return 0;
	case LZMA_MEM_ERROR:
		return CAIRN_E_NOMEM;
	case LZMA_MEMLIMIT_ERROR:
		*why = "decoding it would take more than 512 MiB of memory";
		return CAIRN_E_LIMIT;
	case LZMA_OPTIONS_ERROR:
		*why = "it uses a filter or option that liblzma does not know";
		return CAIRN_E_UNSUPPORTED;
	case LZMA_FORMAT_ERROR:
		*why = "no xz stream begins here";
		return CAIRN_E_DAMAGED;
	case LZMA_DATA_ERROR:
		*why = "the compressed data is corrupt";
		return CAIRN_E_DAMAGED;
	default:
		*why = "liblzma failed";
		return CAIRN_E_STATE;
	}
}

static int xz_run(struct xz *xz, struct cairn_codec_io *io, lzma_action action, const char **why)
{
	xz->z.next_in = io->in;
	xz->z.avail_in = io->in_len;
	xz->z.next_out = io->out;
	xz->z.avail_out = io->out_len;
	lzma_ret rc = lzma_code(&xz->z, action);
	io_codec_move(io, io->in_len - xz->z.avail_in, io->out_len - xz->z.avail_out);
	return xz_status(rc, why);
}

static int xz_dec_reset(void *state)
{
	struct xz *xz = state;
	xz->stage = XZ_STREAM;
	lzma_ret rc = lzma_stream_decoder(&xz->z, XZ_DECODE_MEMORY, 0);
	return rc == LZMA_OK ? 0 : CAIRN_E_NOMEM;
}

static int xz_dec_open(struct cairn *cairn, void **state)
{
	struct xz *xz = xz_new(cairn);
	if (!xz)
		return CAIRN_E_NOMEM;
	int rc = xz_dec_reset(xz);
	if (rc < 0)
		xz_close(xz);
	else
		*state = xz;
	return rc;
}

/* ---- beginning at a block ---- */

int io_xz_open_blocks(struct cairn *cairn, unsigned check, void **state)
{
	struct xz *xz = xz_new(cairn);
	if (!xz)
		return CAIRN_E_NOMEM;
	xz->check = (lzma_check)check;
	xz->stage = XZ_HEADER;
	*state = xz;
	return 0;
}

/* Gather `want` bytes; are they there? */
static bool xz_gather(struct xz *xz, struct cairn_codec_io *io, size_t want)
{
	size_t left = xz->n_head < want ? want - xz->n_head : 0;
	size_t n = left < io->in_len ? left : io->in_len;
	memcpy(xz->head + xz->n_head, io->in, n);
	xz->n_head += n;
	io_codec_move(io, n, 0);
	return xz->n_head >= want;
}

static lzma_ret xz_start_block(struct xz *xz)
{
	xz_drop_filters(xz);
	xz->block = (lzma_block){.version = 1,
	                         .check = xz->check,
	                         .filters = xz->filters,
	                         .header_size = lzma_block_header_size_decode(xz->head[0])};
	xz->n_head = 0;
	lzma_ret rc = lzma_block_header_decode(&xz->block, &xz->alloc, xz->head);
	if (rc != LZMA_OK) {
		xz->filters[0].id = LZMA_VLI_UNKNOWN; /* liblzma has freed what it made */
		return rc;
	}
	/* Stands for "unknown", too: then starting it fails. */
	if (lzma_raw_decoder_memusage(xz->filters) - 1 > XZ_DECODE_MEMORY)
		return LZMA_MEMLIMIT_ERROR;
	xz->stage = XZ_BLOCK;
	return lzma_block_decoder(&xz->z, &xz->block);
}

/* What comes behind a block: another one, or the Index, which begins with a zero. */
static int xz_next_block(struct xz *xz, struct cairn_codec_io *io, const char **why)
{
	uint64_t memory = XZ_DECODE_MEMORY;
	lzma_ret rc = LZMA_OK;
	if (io->in_len && xz->n_head == 0 && *io->in == 0) {
		xz->stage = XZ_INDEX;
		lzma_index_end(xz->index, &xz->alloc);
		xz->index = NULL;
		rc = lzma_index_decoder(&xz->z, &xz->index, memory);
	} else if (xz_gather(xz, io, 1)) {
		if (xz_gather(xz, io, lzma_block_header_size_decode(xz->head[0])))
			rc = xz_start_block(xz);
	}
	return xz_status(rc, why);
}

static int xz_decode_blocks(struct xz *xz, struct cairn_codec_io *io, const char **why)
{
	if (xz->stage == XZ_HEADER)
		return xz_next_block(xz, io, why);
	if (xz->stage == XZ_FOOTER)
		return xz_gather(xz, io, LZMA_STREAM_HEADER_SIZE);
	int rc = xz_run(xz, io, LZMA_RUN, why);
	if (rc <= 0)
		return rc;
	xz->stage = xz->stage == XZ_BLOCK ? XZ_HEADER : XZ_FOOTER;
	return 0;
}

static int xz_decode(void *state, struct cairn_codec_io *io, const char **why)
{
	struct xz *xz = state;
	return xz->stage == XZ_STREAM ? xz_run(xz, io, LZMA_RUN, why) : xz_decode_blocks(xz, io, why);
}

static lzma_ret xz_start_threads(struct xz *xz, int level, unsigned threads)
{
	lzma_mt mt = {.preset = (uint32_t)level, .check = LZMA_CHECK_CRC64};
	mt.threads = threads < XZ_THREADS ? threads : XZ_THREADS;
	while (mt.threads > 1 && lzma_stream_encoder_mt_memusage(&mt) > XZ_ENCODE_MEMORY)
		mt.threads--;
	return mt.threads > 1 ? lzma_stream_encoder_mt(&xz->z, &mt) : LZMA_OPTIONS_ERROR;
}

static int xz_enc_open(struct cairn *cairn, int level, unsigned threads, void **state)
{
	struct xz *xz = xz_new(cairn);
	if (!xz)
		return CAIRN_E_NOMEM;
	lzma_ret rc = threads > 1 ? xz_start_threads(xz, level, threads) : LZMA_OPTIONS_ERROR;
	if (rc != LZMA_OK)
		rc = lzma_easy_encoder(&xz->z, (uint32_t)level, LZMA_CHECK_CRC64);
	if (rc != LZMA_OK) {
		xz_close(xz);
		return CAIRN_E_NOMEM;
	}
	*state = xz;
	return 0;
}

static int xz_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	return xz_run(state, io, finish ? LZMA_FINISH : LZMA_RUN, why);
}

const struct cairn_codec io_codec_xz = {
	.size = sizeof(struct cairn_codec),
	.name = "xz",
	.suffix = ".xz",
	.level_min = 0,
	.level_max = 9,
	.level_default = 6,
	.probe = xz_probe,
	.dec_open = xz_dec_open,
	.decode = xz_decode,
	.dec_reset = xz_dec_reset,
	.dec_close = xz_close,
	.enc_open = xz_enc_open,
	.encode = xz_encode,
	.enc_close = xz_close,
};
