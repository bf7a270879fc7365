/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bzip2 by libbz2. The magic alone ("BZh9") could begin a text, so the six bytes
 * that begin the first block, or end an empty stream, are looked at too.
 */
#include "io/codecs.h"

#ifdef HAVE_BZIP2
#include <bzlib.h>
#include <string.h>

struct bzip2 {
	struct cairn *cairn;
	bz_stream z;
};

static void *bzip2_alloc(void *opaque, int items, int size)
{
	return items < 0 || size < 0 ? NULL : io_alloc_items(opaque, (size_t)items, (size_t)size);
}

static struct bzip2 *bzip2_new(struct cairn *cairn)
{
	struct bzip2 *bzip2 = base_alloc(cairn, sizeof *bzip2);
	if (!bzip2)
		return NULL;
	bzip2->cairn = cairn;
	bzip2->z.bzalloc = bzip2_alloc;
	bzip2->z.bzfree = io_free_item;
	bzip2->z.opaque = cairn;
	return bzip2;
}

static int bzip2_probe(const uint8_t *head, size_t n)
{
	static const uint8_t block[6] = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
	static const uint8_t end[6] = {0x17, 0x72, 0x45, 0x38, 0x50, 0x90};
	if (n < 3 || memcmp(head, "BZh", 3) != 0)
		return 0;
	if (n > 3 && (head[3] < '1' || head[3] > '9'))
		return 0;
	if (n <= 4)
		return 40;
	size_t seen = n - 4 < sizeof block ? n - 4 : sizeof block;
	if (memcmp(head + 4, block, seen) != 0 && memcmp(head + 4, end, seen) != 0)
		return 0;
	return seen == sizeof block ? 100 : 60;
}

static void bzip2_lend(bz_stream *stream, const struct cairn_codec_io *io)
{
	size_t most = 1u << 30;
	stream->next_in = (char *)(uintptr_t)io->in;
	stream->avail_in = (unsigned)(io->in_len < most ? io->in_len : most);
	stream->next_out = (char *)io->out;
	stream->avail_out = (unsigned)(io->out_len < most ? io->out_len : most);
}

static void bzip2_settle(const bz_stream *stream, struct cairn_codec_io *io)
{
	io_codec_move(io, (size_t)((const uint8_t *)stream->next_in - io->in),
	              (size_t)((uint8_t *)stream->next_out - io->out));
}

static int bzip2_status(int rc, const char **why)
{
	switch (rc) {
	case BZ_STREAM_END:
		return 1;
	case BZ_OK:
	case BZ_RUN_OK:
	case BZ_FLUSH_OK:
	case BZ_FINISH_OK:
		return 0;
	case BZ_MEM_ERROR:
		return CAIRN_E_NOMEM;
	case BZ_DATA_ERROR_MAGIC:
		*why = "no bzip2 stream begins here";
		return CAIRN_E_DAMAGED;
	case BZ_DATA_ERROR:
		*why = "the compressed data is corrupt";
		return CAIRN_E_DAMAGED;
	default:
		*why = "libbz2 failed";
		return CAIRN_E_STATE;
	}
}

static int bzip2_dec_open(struct cairn *cairn, void **state)
{
	struct bzip2 *bzip2 = bzip2_new(cairn);
	if (!bzip2)
		return CAIRN_E_NOMEM;
	if (BZ2_bzDecompressInit(&bzip2->z, 0, 0) != BZ_OK) {
		base_free(cairn, bzip2);
		return CAIRN_E_NOMEM;
	}
	*state = bzip2;
	return 0;
}

static int bzip2_decode(void *state, struct cairn_codec_io *io, const char **why)
{
	struct bzip2 *bzip2 = state;
	bzip2_lend(&bzip2->z, io);
	int rc = BZ2_bzDecompress(&bzip2->z);
	bzip2_settle(&bzip2->z, io);
	return bzip2_status(rc, why);
}

static void bzip2_dec_close(void *state)
{
	struct bzip2 *bzip2 = state;
	BZ2_bzDecompressEnd(&bzip2->z);
	base_free(bzip2->cairn, bzip2);
}

static int bzip2_enc_open(struct cairn *cairn, int level, unsigned threads, void **state)
{
	(void)threads;
	struct bzip2 *bzip2 = bzip2_new(cairn);
	if (!bzip2)
		return CAIRN_E_NOMEM;
	if (BZ2_bzCompressInit(&bzip2->z, level, 0, 0) != BZ_OK) {
		base_free(cairn, bzip2);
		return CAIRN_E_NOMEM;
	}
	*state = bzip2;
	return 0;
}

static int bzip2_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct bzip2 *bzip2 = state;
	/* libbz2 insists that a finish, once begun, is called with just the input
	 * that was left: so it begins only when there is none. */
	if (io->in_len == 0 && !finish)
		return 0;
	bzip2_lend(&bzip2->z, io);
	int rc = BZ2_bzCompress(&bzip2->z, io->in_len ? BZ_RUN : BZ_FINISH);
	bzip2_settle(&bzip2->z, io);
	return bzip2_status(rc, why);
}

static void bzip2_enc_close(void *state)
{
	struct bzip2 *bzip2 = state;
	BZ2_bzCompressEnd(&bzip2->z);
	base_free(bzip2->cairn, bzip2);
}

const struct cairn_codec io_codec_bzip2 = {
	.size = sizeof(struct cairn_codec),
	.name = "bzip2",
	.suffix = ".bz2",
	.level_min = 1,
	.level_max = 9,
	.level_default = 9,
	.probe = bzip2_probe,
	.dec_open = bzip2_dec_open,
	.decode = bzip2_decode,
	.dec_close = bzip2_dec_close,
	.enc_open = bzip2_enc_open,
	.encode = bzip2_encode,
	.enc_close = bzip2_enc_close,
};
#endif
