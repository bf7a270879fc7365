/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xz by liblzma. A hostile header may ask for a dictionary of 4 GiB, so decoding
 * has a memory limit; xz -9 needs 65 MiB. Each decode stops at its stream's end:
 * concatenation and padding are the caller's work, as with every other codec.
 */
#include "io/codecs.h"

#include <lzma.h>

#define XZ_DECODE_MEMORY ((uint64_t)512 << 20)
#define XZ_ENCODE_MEMORY ((uint64_t)1 << 30) /* worker threads are given up beyond this */

enum { XZ_THREADS = 256 };

struct xz {
	struct cairn *c;
	lzma_allocator alloc;
	lzma_stream z;
};

static struct xz *xz_new(struct cairn *c)
{
	struct xz *x = base_alloc(c, sizeof *x);
	if (!x)
		return NULL;
	x->c = c;
	x->alloc = (lzma_allocator){.alloc = io_alloc_items, .free = io_free_item, .opaque = c};
	x->z = (lzma_stream)LZMA_STREAM_INIT;
	x->z.allocator = &x->alloc;
	return x;
}

static void xz_close(void *state)
{
	struct xz *x = state;
	lzma_end(&x->z);
	base_free(x->c, x);
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

static int xz_run(struct xz *x, struct cairn_codec_io *io, lzma_action action, const char **why)
{
	x->z.next_in = io->in;
	x->z.avail_in = io->in_len;
	x->z.next_out = io->out;
	x->z.avail_out = io->out_len;
	lzma_ret rc = lzma_code(&x->z, action);
	io->in = x->z.next_in;
	io->in_len = x->z.avail_in;
	io->out = x->z.next_out;
	io->out_len = x->z.avail_out;
	return xz_status(rc, why);
}

static int xz_dec_reset(void *state)
{
	struct xz *x = state;
	lzma_ret rc = lzma_stream_decoder(&x->z, XZ_DECODE_MEMORY, 0);
	return rc == LZMA_OK ? 0 : CAIRN_E_NOMEM;
}

static int xz_dec_open(struct cairn *c, void **state)
{
	struct xz *x = xz_new(c);
	if (!x)
		return CAIRN_E_NOMEM;
	int rc = xz_dec_reset(x);
	if (rc < 0)
		xz_close(x);
	else
		*state = x;
	return rc;
}

static int xz_decode(void *state, struct cairn_codec_io *io, const char **why)
{
	return xz_run(state, io, LZMA_RUN, why);
}

static lzma_ret xz_start_threads(struct xz *x, int level, unsigned threads)
{
	lzma_mt mt = {.preset = (uint32_t)level, .check = LZMA_CHECK_CRC64};
	mt.threads = threads < XZ_THREADS ? threads : XZ_THREADS;
	while (mt.threads > 1 && lzma_stream_encoder_mt_memusage(&mt) > XZ_ENCODE_MEMORY)
		mt.threads--;
	return mt.threads > 1 ? lzma_stream_encoder_mt(&x->z, &mt) : LZMA_OPTIONS_ERROR;
}

static int xz_enc_open(struct cairn *c, int level, unsigned threads, void **state)
{
	struct xz *x = xz_new(c);
	if (!x)
		return CAIRN_E_NOMEM;
	lzma_ret rc = threads > 1 ? xz_start_threads(x, level, threads) : LZMA_OPTIONS_ERROR;
	if (rc != LZMA_OK)
		rc = lzma_easy_encoder(&x->z, (uint32_t)level, LZMA_CHECK_CRC64);
	if (rc != LZMA_OK) {
		xz_close(x);
		return CAIRN_E_NOMEM;
	}
	*state = x;
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
