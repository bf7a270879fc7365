/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xz, block by block. The Index at the end of each stream lists its blocks (.xz file
 * format, section 4), so the places where decoding can begin are known before reading. A block
 * does not hold the type of its check, which is in the stream's header, so a mark keeps the type.
 * A decoder that begins at a block goes on through the other blocks, the Index and the footer, and
 * ends with the stream.
 */
#include <lzma.h>

#include "base/bytes.h"
#include "io/source.h"

#define INDEX_MEMORY ((uint64_t)64 << 20)

/* ---- the list ---- */

/* The index of the stream that ends at *end, which moves to where it begins; NULL when
 * this is none. */
static lzma_index *stream_index(const uint8_t *map, size_t *end)
{
	lzma_stream_flags foot, head;
	lzma_index *x = NULL;
	uint64_t memory = INDEX_MEMORY;
	size_t padding = 0, at = *end, pos;
	while (at >= 4 && base_le32(map + at - 4) == 0) {
		at -= 4;
		padding += 4;
	}
	if (at < 2 * LZMA_STREAM_HEADER_SIZE ||
	    lzma_stream_footer_decode(&foot, map + at - LZMA_STREAM_HEADER_SIZE) != LZMA_OK ||
	    foot.backward_size > at - 2 * LZMA_STREAM_HEADER_SIZE)
		return NULL;
	pos = at - LZMA_STREAM_HEADER_SIZE - (size_t)foot.backward_size;
	if (lzma_index_buffer_decode(&x, &memory, NULL, map, &pos, at - LZMA_STREAM_HEADER_SIZE) !=
	    LZMA_OK)
		return NULL;
	uint64_t size = lzma_index_file_size(x);
	if (size > at || lzma_stream_header_decode(&head, map + at - size) != LZMA_OK ||
	    lzma_stream_flags_compare(&head, &foot) != LZMA_OK ||
	    lzma_index_stream_flags(x, &foot) != LZMA_OK ||
	    lzma_index_stream_padding(x, padding) != LZMA_OK) {
		lzma_index_end(x, NULL);
		return NULL;
	}
	*end = at - (size_t)size;
	return x;
}

/* The index of all streams of the file; NULL when they do not account for it. */
static lzma_index *file_index(const uint8_t *map, size_t n)
{
	lzma_index *all = stream_index(map, &n);
	while (all && n) {
		lzma_index *x = stream_index(map, &n);
		if (!x || lzma_index_cat(x, all, NULL) != LZMA_OK) {
			lzma_index_end(x, NULL);
			lzma_index_end(all, NULL);
			return NULL;
		}
		all = x;
	}
	return all;
}

static int xz_list(struct io_source *source, uint64_t step)
{
	lzma_index *x = file_index(source->map, source->map_len);
	lzma_index_iter it;
	uint64_t last = 0;
	int rc = 0;
	if (!x)
		return 0; /* then it cannot be read to its end either */
	lzma_index_iter_init(&it, x);
	while (rc >= 0 && !lzma_index_iter_next(&it, LZMA_INDEX_ITER_NONEMPTY_BLOCK)) {
		uint8_t check = (uint8_t)it.stream.flags->check;
		uint64_t out = it.block.uncompressed_file_offset;
		struct base_buf data;
		if (out < last + step)
			continue;
		last = out;
		base_buf_init(&data, source->cairn);
		rc = io_encode_frame(source->cairn, &io_codec_zstd, 1, &check, 1, &data);
		if (rc >= 0)
			rc = io_marks_add(source, it.block.compressed_file_offset, out, 0, data.data, data.len);
		base_buf_free(&data);
	}
	lzma_index_end(x, NULL);
	return rc;
}

/* ---- a decoder for what is left of a stream ---- */

static int xz_resume(struct cairn *cairn, unsigned bits, uint8_t last, const uint8_t *data,
                     size_t n, void **state)
{
	(void)last;
	if (n != 1 || bits || data[0] > LZMA_CHECK_ID_MAX)
		return CAIRN_E_DAMAGED;
	return io_xz_open_blocks(cairn, data[0], state);
}

const struct io_restart io_xz_restart = {.list = xz_list, .resume = xz_resume};
