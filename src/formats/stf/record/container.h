/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_CONTAINER_LAYOUT_H
#define STF_CONTAINER_LAYOUT_H
/*
 * What a .zstf has around its frames, described as records are: its head, the index (a count,
 * then a row a chunk), and what a frame of Zstandard begins with (RFC 8878, 3.1.1).
 */
#include "formats/stf/record/table.h"

#define STF_PARTS(P) P(CONTAINER, 20) P(INDEX, 8) P(CHUNK, 24) P(FRAME, 6)

#define STF_FIELDS_CONTAINER(F, S, R) \
	F(R, magic, 4, MAGIC, NULL) F(R, markers, 8, DEC, NULL) F(R, index, 8, HEX, NULL)
#define STF_FIELDS_INDEX(F, S, R) F(R, chunks, 8, DEC, NULL)
/* Where its frame is, the PC it begins at, its size before compression. */
#define STF_FIELDS_CHUNK(F, S, R) \
	F(R, frame, 8, HEX, NULL) F(R, pc, 8, HEX, NULL) F(R, size, 8, DEC, NULL)
/* The window only where the descriptor is 0. */
#define STF_FIELDS_FRAME(F, S, R) \
	F(R, magic, 4, HEX, NULL) F(R, descriptor, 1, HEX, NULL) F(R, window, 1, HEX, NULL)

#define STF_PART(name, size) \
	enum { STF_LEN_##name = (size) }; \
	struct stf_layout_##name { \
		STF_FIELDS_##name(STF_MEMBER, STF_NOTHING, name) \
	}; \
	_Static_assert(sizeof(struct stf_layout_##name) == (size), #name); \
	STF_FIELDS_##name(STF_ACCESS, STF_NOTHING, name)
STF_PARTS(STF_PART)
#undef STF_PART

/* A row of the index that begins at p, and the length of one of so many chunks. */
static inline const uint8_t *stf_index_row(const uint8_t *p, uint64_t chunk)
{
	return p + STF_LEN_INDEX + STF_LEN_CHUNK * chunk;
}
static inline uint64_t stf_index_length(uint64_t chunks)
{
	return STF_LEN_INDEX + STF_LEN_CHUNK * chunks;
}

#endif
