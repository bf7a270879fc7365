/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory as bytes, for an index (docs/formats/index.md): pieces in the order of space and
 * address, cut into zstd frames that each can be read alone, so that nobody holds more than
 * one of them unpacked, whatever a file claims. Written for size: an address is the distance
 * from the piece before, and masks and bytes are there only where something is to be said.
 */
#include <string.h>

#include "analysis/memory.h"
#include "cairn/io.h"
#include "io/io.h"
#include "model/index.h"

enum {
	PIECE = 64,
	FRAME = 1 << 18, /* a frame is cut when it has so many bytes … */
	MOST_RAW = 1 + INDEX_LEN_SPACE + 10 + 24 + PIECE, /* … so it never has more than these beyond */
	LEVEL = 3
};
enum piece_flag {
	NEW_SPACE = 1, /* a SPACE follows */
	ALL_TOLD = 2,  /* no mask of what was told: all of it */
	ALL_KNOWN = 4, /* no mask of what is known: what was told */
	DERIVED = 8    /* a mask of what is derived follows */
};

/* ---- packing ---- */

struct packer {
	struct base_buf raw;
	struct cairn_space space;
	bool began;    /* a frame has a space */
	uint64_t next; /* the piece behind the last */
	struct io_frame_encoder *encoder;
	struct base_buf *out;
};

static int memory_pack_end_frame(struct packer *packer)
{
	int rc = packer->raw.len
	             ? io_frame_encode(packer->encoder, packer->raw.data, packer->raw.len, packer->out)
	             : 0;
	packer->raw.len = 0;
	packer->began = false;
	return rc;
}

static uint8_t *put_space(struct packer *packer, uint8_t *to, const struct cairn_space *space)
{
	index_put_space(to, space);
	packer->space = *space;
	packer->began = true;
	packer->next = 0;
	return to + INDEX_LEN_SPACE;
}

static int pack_piece(struct packer *packer, const struct memory_piece *piece, uint64_t told)
{
	const struct cairn_space *space = &piece->space;
	int rc = base_buf_reserve(&packer->raw, MOST_RAW);
	if (rc < 0)
		return rc;
	bool other = !packer->began || space->kind != packer->space.kind ||
	             space->id != packer->space.id || space->vmid != packer->space.vmid;
	uint8_t *from = packer->raw.data + packer->raw.len, *to = from;
	*to++ = (uint8_t)((other ? NEW_SPACE : 0) | (told == UINT64_MAX ? ALL_TOLD : 0) |
	                  (piece->known == told ? ALL_KNOWN : 0) | (piece->derived ? DERIVED : 0));
	if (other)
		to = put_space(packer, to, space);
	to = base_put_varint(to, piece->at - packer->next);
	packer->next = piece->at + 1;
	if (!(*from & ALL_TOLD)) {
		base_put_le64(to, told);
		to += 8;
	}
	if (!(*from & ALL_KNOWN)) {
		base_put_le64(to, piece->known);
		to += 8;
	}
	if (*from & DERIVED) {
		base_put_le64(to, piece->derived);
		to += 8;
	}
	for (uint64_t left = piece->known; left; left &= left - 1)
		*to++ = piece->bytes[__builtin_ctzll(left)];
	packer->raw.len += (size_t)(to - from);
	return packer->raw.len < FRAME ? 0 : memory_pack_end_frame(packer);
}

int memory_pack(const struct memory *memory, bool told, struct base_buf *out)
{
	struct packer packer = {.out = out};
	const struct memory_piece **order;
	size_t n;
	int rc = memory_sorted(memory, told, &order, &n);
	base_buf_init(&packer.raw, memory->cairn);
	if (rc >= 0)
		rc = io_frame_encoder_new(memory->cairn, cairn_codec_find(memory->cairn, "zstd"), LEVEL,
		                          &packer.encoder);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = pack_piece(&packer, order[i], told ? order[i]->set : order[i]->known);
	if (rc >= 0)
		rc = memory_pack_end_frame(&packer);
	io_frame_encoder_free(packer.encoder);
	base_buf_free(&packer.raw);
	base_free(memory->cairn, order);
	return rc;
}

/* ---- and back ---- */

struct unpacker {
	const uint8_t *p, *end;
	struct memory_piece piece;
	bool began;
	uint64_t next;
};

static bool memory_pack_take_number(struct unpacker *unpacker, uint64_t *values)
{
	*values = 0;
	for (unsigned shift = 0; shift < 64 && unpacker->p < unpacker->end; shift += 7) {
		uint8_t b = *unpacker->p++;
		*values |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

static bool take_mask(struct unpacker *unpacker, uint64_t *mask)
{
	if (unpacker->end - unpacker->p < 8)
		return false;
	*mask = base_le64(unpacker->p);
	unpacker->p += 8;
	return true;
}

static bool take_space(struct unpacker *unpacker)
{
	if (unpacker->end - unpacker->p < INDEX_LEN_SPACE)
		return false;
	unpacker->piece.space = index_space(unpacker->p);
	unpacker->p += INDEX_LEN_SPACE;
	unpacker->began = true;
	unpacker->next = 0;
	return true;
}

static bool take_piece(struct unpacker *unpacker)
{
	uint8_t flags = *unpacker->p++;
	uint64_t skip;
	if (flags > (NEW_SPACE | ALL_TOLD | ALL_KNOWN | DERIVED) ||
	    ((flags & NEW_SPACE) && !take_space(unpacker)) || !unpacker->began ||
	    !memory_pack_take_number(unpacker, &skip))
		return false;
	unpacker->piece.at = unpacker->next + skip;
	unpacker->next = unpacker->piece.at + 1;
	unpacker->piece.set = UINT64_MAX;
	if (!(flags & ALL_TOLD) && !take_mask(unpacker, &unpacker->piece.set))
		return false;
	unpacker->piece.known = unpacker->piece.set;
	if (!(flags & ALL_KNOWN) && !take_mask(unpacker, &unpacker->piece.known))
		return false;
	unpacker->piece.derived = 0;
	if ((flags & DERIVED) && !take_mask(unpacker, &unpacker->piece.derived))
		return false;
	if ((unpacker->piece.known & ~unpacker->piece.set) ||
	    (unpacker->piece.derived & ~unpacker->piece.known) ||
	    unpacker->piece.at > UINT64_MAX / PIECE ||
	    unpacker->end - unpacker->p < __builtin_popcountll(unpacker->piece.known))
		return false;
	memset(unpacker->piece.bytes, 0, PIECE);
	for (uint64_t left = unpacker->piece.known; left; left &= left - 1)
		unpacker->piece.bytes[__builtin_ctzll(left)] = *unpacker->p++;
	return true;
}

static int unpack_frame(struct memory *memory, const uint8_t *p, size_t n)
{
	struct unpacker unpacker = {.p = p, .end = p + n};
	int rc = 0;
	while (unpacker.p < unpacker.end && rc >= 0)
		rc = take_piece(&unpacker) ? memory_take(memory, &unpacker.piece, unpacker.piece.set)
		                           : CAIRN_E_DAMAGED;
	return rc;
}

int memory_unpack(struct memory *memory, const uint8_t *p, size_t n)
{
	struct io_frame_decoder *decoder;
	struct base_buf raw;
	base_buf_init(&raw, memory->cairn);
	int rc = io_frame_decoder_new(memory->cairn, cairn_codec_find(memory->cairn, "zstd"), &decoder);
	while (n && rc >= 0) {
		size_t used = 0;
		raw.len = 0;
		rc = io_frame_decode(decoder, p, n, FRAME, FRAME + MOST_RAW, &raw, &used);
		if (rc != CAIRN_E_NOMEM && (rc < 0 || used == 0))
			rc = CAIRN_E_DAMAGED;
		if (rc >= 0)
			rc = unpack_frame(memory, raw.data, raw.len);
		p += used;
		n -= used;
	}
	io_frame_decoder_free(decoder);
	base_buf_free(&raw);
	return rc;
}
