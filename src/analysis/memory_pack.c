/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory as bytes, for an index (docs/formats/index.md): pieces in the order of space and
 * address, cut into zstd frames that each can be read alone, so that nobody holds more than
 * one of them unpacked, whatever a file claims. Written for size: an address is the distance
 * from the piece before, and masks and bytes are there only where something is to be said.
 */
#include <string.h>

#include "analysis/memory.h"
#include "base/bytes.h"
#include "cairn/io.h"
#include "io/io.h"

enum {
	PIECE = 64,
	FRAME = 1 << 18,                     /* a frame is cut when it has so many bytes … */
	MOST_RAW = 1 + 12 + 10 + 16 + PIECE, /* … so it never has more than these beyond */
	LEVEL = 3
};
enum piece_flag {
	NEW_SPACE = 1, /* kind, id, vmid follow: 4 bytes each */
	ALL_TOLD = 2,  /* no mask of what was told: all of it */
	ALL_KNOWN = 4  /* no mask of what is known: what was told */
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

static int memory_pack_end_frame(struct packer *p)
{
	int rc = p->raw.len ? io_frame_encode(p->encoder, p->raw.data, p->raw.len, p->out) : 0;
	p->raw.len = 0;
	p->began = false;
	return rc;
}

static uint8_t *memory_pack_put_number(uint8_t *to, uint64_t v)
{
	for (; v >> 7; v >>= 7)
		*to++ = (uint8_t)(v | 0x80);
	*to++ = (uint8_t)v;
	return to;
}

static uint8_t *put_space(struct packer *p, uint8_t *to, const struct cairn_space *s)
{
	base_put_le32(to, s->kind);
	base_put_le32(to + 4, s->id);
	base_put_le32(to + 8, s->vmid);
	p->space = *s;
	p->began = true;
	p->next = 0;
	return to + 12;
}

static int pack_piece(struct packer *p, const struct memory_piece *m, uint64_t told)
{
	const struct cairn_space *s = &m->space;
	int rc = base_buf_reserve(&p->raw, MOST_RAW);
	if (rc < 0)
		return rc;
	bool other =
		!p->began || s->kind != p->space.kind || s->id != p->space.id || s->vmid != p->space.vmid;
	uint8_t *from = p->raw.data + p->raw.len, *to = from + 1;
	*from = (uint8_t)((other ? NEW_SPACE : 0) | (told == UINT64_MAX ? ALL_TOLD : 0) |
	                  (m->known == told ? ALL_KNOWN : 0));
	if (other)
		to = put_space(p, to, s);
	to = memory_pack_put_number(to, m->at - p->next);
	p->next = m->at + 1;
	if (!(*from & ALL_TOLD)) {
		base_put_le64(to, told);
		to += 8;
	}
	if (!(*from & ALL_KNOWN)) {
		base_put_le64(to, m->known);
		to += 8;
	}
	for (uint64_t left = m->known; left; left &= left - 1)
		*to++ = m->bytes[__builtin_ctzll(left)];
	p->raw.len += (size_t)(to - from);
	return p->raw.len < FRAME ? 0 : memory_pack_end_frame(p);
}

int memory_pack(const struct memory *m, bool told, struct base_buf *out)
{
	struct packer p = {.out = out};
	const struct memory_piece **order;
	size_t n;
	int rc = memory_sorted(m, told, &order, &n);
	base_buf_init(&p.raw, m->c);
	if (rc >= 0)
		rc = io_frame_encoder_new(m->c, cairn_codec_find(m->c, "zstd"), LEVEL, &p.encoder);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = pack_piece(&p, order[i], told ? order[i]->set : order[i]->known);
	if (rc >= 0)
		rc = memory_pack_end_frame(&p);
	io_frame_encoder_free(p.encoder);
	base_buf_free(&p.raw);
	base_free(m->c, order);
	return rc;
}

/* ---- and back ---- */

struct unpacker {
	const uint8_t *p, *end;
	struct memory_piece piece;
	bool began;
	uint64_t next;
};

static bool memory_pack_take_number(struct unpacker *u, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 64 && u->p < u->end; shift += 7) {
		uint8_t b = *u->p++;
		*v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

static bool take_mask(struct unpacker *u, uint64_t *mask)
{
	if (u->end - u->p < 8)
		return false;
	*mask = base_le64(u->p);
	u->p += 8;
	return true;
}

static bool take_space(struct unpacker *u)
{
	if (u->end - u->p < 12)
		return false;
	u->piece.space = (struct cairn_space){.kind = base_le32(u->p),
	                                      .id = base_le32(u->p + 4),
	                                      .vmid = base_le32(u->p + 8)};
	u->p += 12;
	u->began = true;
	u->next = 0;
	return true;
}

static bool take_piece(struct unpacker *u)
{
	uint8_t flags = *u->p++;
	uint64_t skip;
	if (flags > (NEW_SPACE | ALL_TOLD | ALL_KNOWN) || ((flags & NEW_SPACE) && !take_space(u)) ||
	    !u->began || !memory_pack_take_number(u, &skip))
		return false;
	u->piece.at = u->next + skip;
	u->next = u->piece.at + 1;
	u->piece.set = UINT64_MAX;
	if (!(flags & ALL_TOLD) && !take_mask(u, &u->piece.set))
		return false;
	u->piece.known = u->piece.set;
	if (!(flags & ALL_KNOWN) && !take_mask(u, &u->piece.known))
		return false;
	if ((u->piece.known & ~u->piece.set) || u->piece.at > UINT64_MAX / PIECE ||
	    u->end - u->p < __builtin_popcountll(u->piece.known))
		return false;
	memset(u->piece.bytes, 0, PIECE);
	for (uint64_t left = u->piece.known; left; left &= left - 1)
		u->piece.bytes[__builtin_ctzll(left)] = *u->p++;
	return true;
}

static int unpack_frame(struct memory *m, const uint8_t *p, size_t n)
{
	struct unpacker u = {.p = p, .end = p + n};
	int rc = 0;
	while (u.p < u.end && rc >= 0)
		rc = take_piece(&u) ? memory_take(m, &u.piece, u.piece.set) : CAIRN_E_DAMAGED;
	return rc;
}

int memory_unpack(struct memory *m, const uint8_t *p, size_t n)
{
	struct io_frame_decoder *d;
	struct base_buf raw;
	base_buf_init(&raw, m->c);
	int rc = io_frame_decoder_new(m->c, cairn_codec_find(m->c, "zstd"), &d);
	while (n && rc >= 0) {
		size_t used = 0;
		raw.len = 0;
		rc = io_frame_decode(d, p, n, FRAME, FRAME + MOST_RAW, &raw, &used);
		if (rc != CAIRN_E_NOMEM && (rc < 0 || used == 0))
			rc = CAIRN_E_DAMAGED;
		if (rc >= 0)
			rc = unpack_frame(m, raw.data, raw.len);
		p += used;
		n -= used;
	}
	io_frame_decoder_free(d);
	base_buf_free(&raw);
	return rc;
}
