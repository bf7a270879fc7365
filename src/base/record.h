/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H
/*
 * Records of little-endian fields, each described once: a room lists the fields of a record in
 * their order, and from the list come its layout, its length, and typed functions that get and put
 * each field. A list is a macro of the room,
 *
 *     #define ROOM_FIELDS_NAME(F, A, ...) \
 *         F(__VA_ARGS__, field, bytes, "what it is") \
 *         A(__VA_ARGS__, field, count, bytes, "what they are")
 *
 * where F is a number and A an array of numbers. BASE_RECORD(room, ROOM, NAME) declares:
 *
 *     struct room_layout_NAME, ROOM_LEN_NAME
 *     room_NAME_field(p), room_put_NAME_field(p, value)          of F, in the record that begins at p
 *     room_NAME_field(p, i), room_put_NAME_field(p, i, value)    of A
 *     room_at_NAME_field(p)                                      where the bytes of A begin
 *
 * The texts are for the page of the format, which a test compares with the lists.
 */
#include <stddef.h>

#include "base/bytes.h"

typedef uint8_t base_uint_1;
typedef uint16_t base_uint_2;
typedef uint32_t base_uint_3, base_uint_4;
typedef uint64_t base_uint_8;

/* A file may need only some of the functions made here. */
#define BASE_ACCESSOR static inline __attribute__((unused))

/* A number of 1 to 8 bytes. With a constant number of bytes one load or store. */
static inline uint64_t base_get_uint(const uint8_t *p, unsigned bytes)
{
	return bytes == 8   ? base_le64(p)
	       : bytes == 4 ? base_le32(p)
	       : bytes == 2 ? base_le16(p)
	                    : base_le(p, bytes);
}

static inline void base_put_uint(uint8_t *p, unsigned bytes, uint64_t value)
{
	if (bytes == 8)
		base_put_le64(p, value);
	else if (bytes == 4)
		base_put_le32(p, (uint32_t)value);
	else if (bytes == 2)
		base_put_le16(p, (uint16_t)value);
	else
		base_put_le(p, bytes, value);
}

#define BASE_MEMBER(room, record, field, bytes, about) uint8_t field[bytes];
#define BASE_MEMBERS(room, record, field, count, bytes, about) uint8_t field[(count) * (bytes)];

#define BASE_ACCESS(room, record, field, bytes, about) \
	BASE_ACCESSOR base_uint_##bytes room##_##record##_##field(const uint8_t *p) \
	{ \
		return (base_uint_##bytes)base_get_uint( \
			p + offsetof(struct room##_layout_##record, field), bytes); \
	} \
	BASE_ACCESSOR void room##_put_##record##_##field(uint8_t *p, base_uint_##bytes value) \
	{ \
		base_put_uint(p + offsetof(struct room##_layout_##record, field), bytes, value); \
	}

#define BASE_ACCESSES(room, record, field, count, bytes, about) \
	BASE_ACCESSOR const uint8_t *room##_at_##record##_##field(const uint8_t *p) \
	{ \
		return p + offsetof(struct room##_layout_##record, field); \
	} \
	BASE_ACCESSOR base_uint_##bytes room##_##record##_##field(const uint8_t *p, size_t i) \
	{ \
		return (base_uint_##bytes)base_get_uint(room##_at_##record##_##field(p) + (bytes)*i, \
		                                        bytes); \
	} \
	BASE_ACCESSOR void room##_put_##record##_##field(uint8_t *p, size_t i, \
	                                                 base_uint_##bytes value) \
	{ \
		base_put_uint(p + offsetof(struct room##_layout_##record, field) + (bytes)*i, bytes, \
		              value); \
	}

#define BASE_RECORD(room, ROOM, record) \
	struct room##_layout_##record { \
		ROOM##_FIELDS_##record(BASE_MEMBER, BASE_MEMBERS, room, record) \
	}; \
	enum { ROOM##_LEN_##record = sizeof(struct room##_layout_##record) }; \
	ROOM##_FIELDS_##record(BASE_ACCESS, BASE_ACCESSES, room, record)

#endif
