/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_TABLE_H
#define STF_TABLE_H
/*
 * The record table of STF: every record type described once. Lengths, field
 * names, printing, the writer's checks, the documentation's table and the
 * fuzzer's mutations all come from here.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/record.h"
#include "cairn/stf.h"

/* Number, name, other spelling, first minor version of 1.x, flags, bytes of the fixed part (without
 * the descriptor; an event's id counts as 8), and the records with higher numbers behind which it
 * may come (order.h). */
#define STF_RECORDS(R) \
	R(1, IDENTIFIER, "STF_IDENTIFIER", 0, STF_HEADER | STF_ONCE, 3, 0) \
	R(2, VERSION, "STF_VERSION", 0, STF_HEADER | STF_ONCE, 8, 0) \
	R(3, COMMENT, "STF_COMMENT", 0, STF_HEADER | STF_BODY | STF_VARIABLE | STF_FREE, 4, \
	  STF_BIT(INST_MEM_ACCESS) | STF_BIT(BUS_MASTER_ACCESS)) \
	R(4, ISA, "STF_ISA", 0, STF_HEADER | STF_ONCE | STF_INSN_ONLY, 2, 0) \
	R(5, INST_IEM, "STF_INST_IEM", 0, STF_HEADER | STF_BODY | STF_INSN_ONLY, 2, 0) \
	R(6, TRACE_INFO, "STF_TRACE_INFO", 0, STF_HEADER | STF_VARIABLE, 6, 0) \
	R(7, TRACE_INFO_FEATURE, "STF_TRACE_INFO_FEATURE", 0, STF_HEADER | STF_ONCE, 8, 0) \
	R(8, PROCESS_ID_EXT, "STF_PROCESS_ID_EXT", 0, \
	  STF_HEADER | STF_BODY | STF_INSN_ONLY | STF_FREE, 12, 0) \
	R(9, FORCE_PC, "STF_FORCE_PC", 0, STF_HEADER | STF_BODY | STF_INSN_ONLY | STF_FREE, 8, 0) \
	R(10, VLEN_CONFIG, "STF_VLEN_CONFIG", 4, STF_HEADER | STF_ONCE | STF_INSN_ONLY, 4, 0) \
	R(11, PROTOCOL_ID, "STF_PROTOCOL_ID", 5, STF_HEADER | STF_ONCE | STF_XACT_ONLY, 1, 0) \
	R(12, CLOCK_ID, "STF_CLOCK_ID", 5, STF_HEADER | STF_XACT_ONLY | STF_VARIABLE, 3, 0) \
	R(13, ISA_EXTENDED, "STF_ISA_EXTENDED", 6, \
	  STF_HEADER | STF_ONCE | STF_INSN_ONLY | STF_VARIABLE, 4, 0) \
	R(19, END_HEADER, "STF_END_HEADER", 0, STF_HEADER | STF_ONCE, 0, 0) \
	R(31, INST_PC_TARGET, "STF_INST_PC_TARGET", 0, STF_BODY | STF_INSN_ONLY, 8, \
	  STF_BIT(INST_REG) | STF_BIT(PAGE_TABLE_WALK)) \
	R(40, INST_REG, "STF_INST_REG", 0, STF_BODY | STF_INSN_ONLY | STF_VARIABLE, 3, \
	  STF_BIT(PAGE_TABLE_WALK) | STF_BIT(INST_MEM_CONTENT) | STF_BIT(BUS_MASTER_CONTENT)) \
	R(41, INST_READY_REG, "STF_INST_READY_REG", 0, STF_BODY | STF_INSN_ONLY, 2, 0) \
	R(50, PAGE_TABLE_WALK, "STF_PAGE_TABLE_WALK", 0, STF_BODY | STF_INSN_ONLY | STF_VARIABLE, 21, \
	  0) \
	R(60, INST_MEM_ACCESS, "STF_INST_MEM_ACCESS", 0, STF_BODY | STF_INSN_ONLY | STF_OPENS, 13, \
	  STF_BIT(INST_MEM_CONTENT)) \
	R(61, INST_MEM_CONTENT, "STF_INST_MEM_CONTENT", 0, STF_BODY | STF_INSN_ONLY | STF_BOUND, 8, \
	  STF_BIT(INST_MEM_ACCESS) | STF_BIT(INST_MEM_CONTENT)) \
	R(62, BUS_MASTER_ACCESS, "STF_BUS_MASTER_ACCESS", 0, STF_BODY | STF_INSN_ONLY | STF_OPENS, 17, \
	  STF_BIT(BUS_MASTER_CONTENT)) \
	R(63, BUS_MASTER_CONTENT, "STF_BUS_MASTER_CONTENT", 0, STF_BODY | STF_INSN_ONLY | STF_BOUND, \
	  8, STF_BIT(BUS_MASTER_ACCESS) | STF_BIT(BUS_MASTER_CONTENT)) \
	R(100, EVENT, "STF_EVENT", 0, STF_BODY | STF_INSN_ONLY | STF_VARIABLE, 9, \
	  STF_BIT(EVENT_PC_TARGET)) \
	R(101, EVENT_PC_TARGET, "STF_EVENT_PC_TARGET", 0, STF_BODY | STF_INSN_ONLY | STF_BOUND, 8, \
	  STF_BIT(EVENT)) \
	R(230, INST_MICROOP, "STF_INST_MICROOP", 0, STF_BODY | STF_INSN_ONLY, 5, 0) \
	R(240, INST_32, "INST_OPCODE32", 0, STF_BODY | STF_INSN_ONLY | STF_MARKER, 4, 0) \
	R(241, INST_16, "INST_OPCODE16", 0, STF_BODY | STF_INSN_ONLY | STF_MARKER, 2, 0) \
	R(250, TRANSACTION, "STF_TRANSACTION", 5, \
	  STF_BODY | STF_XACT_ONLY | STF_MARKER | STF_VARIABLE, 19, STF_BIT(TRANSACTION_DEPENDENCY)) \
	R(251, TRANSACTION_DEPENDENCY, "STF_TRANSACTION_DEPENDENCY", 5, STF_BODY | STF_XACT_ONLY, 17, \
	  0) \
	R(255, RESERVED_END, "STF_RESERVE_END", 0, STF_BODY, 0, 0)

enum stf_flag {
	STF_HEADER = 1 << 0, /* may stand in the header */
	STF_BODY = 1 << 1,   /* may stand after it */
	STF_ONCE = 1 << 2,
	STF_INSN_ONLY = 1 << 3, /* not in transaction traces */
	STF_XACT_ONLY = 1 << 4, /* only in transaction traces */
	STF_MARKER = 1 << 5,    /* ends a group; counted, numbered, cut after */
	STF_VARIABLE = 1 << 6,  /* more follows the fixed part */
	/* of its order within a group */
	STF_FREE = 1 << 7,  /* may stand anywhere, and decides nothing */
	STF_BOUND = 1 << 8, /* stands right behind the records that its row names, nowhere else */
	STF_OPENS = 1 << 9  /* the record with the next number, its content, must follow */
};

/* STF_BIT(INST_REG) …: one record of a set of them. */
#define STF_INDEX(num, name, alias, since, flags, fixed, behind) STF_INDEX_##name,
enum stf_index { STF_RECORDS(STF_INDEX) STF_INDEX_COUNT };
#undef STF_INDEX
_Static_assert(STF_INDEX_COUNT <= 32, "a set of records has 32 bits");
#define STF_BIT(name) (UINT32_C(1) << STF_INDEX_##name)

/* STF_LEN_INST_32 … : bytes of the fixed part, descriptor included. */
#define STF_LEN(num, name, alias, since, flags, fixed, behind) STF_LEN_##name = 1 + (fixed),
enum stf_len {
	STF_RECORDS(STF_LEN) STF_LEN_DESCRIPTOR = 1,
	STF_LEN_LONGEST_FIXED = 18,
	STF_LONGEST_WALK = STF_LEN_PAGE_TABLE_WALK + 16 * 255
};
#undef STF_LEN

/* The fields of each record behind its descriptor, in order.
 *
 * F(record, field, bytes, kind, names): a field at a fixed place; for text and lists it is their
 * length. S(record, printed name, kind, names): something else that is printed, whose place depends
 * on what stands before it. */
#define STF_FIELDS_IDENTIFIER(F, S, R) F(R, magic, 3, MAGIC, NULL)
#define STF_FIELDS_VERSION(F, S, R) F(R, major, 4, DEC, NULL) F(R, minor, 4, DEC, NULL)
#define STF_FIELDS_COMMENT(F, S, R) F(R, text, 4, TEXT32, NULL)
#define STF_FIELDS_ISA(F, S, R) F(R, isa, 2, NAME, stf_isas)
#define STF_FIELDS_INST_IEM(F, S, R) F(R, iem, 2, NAME, stf_iems)
#define STF_FIELDS_TRACE_INFO(F, S, R) \
	F(R, generator, 1, NAME, stf_generators) \
	F(R, major, 1, DEC, NULL) \
	F(R, minor, 1, DEC, NULL) \
	F(R, minor_minor, 1, DEC, NULL) \
	F(R, comment, 2, TEXT16, NULL)
#define STF_FIELDS_TRACE_INFO_FEATURE(F, S, R) F(R, features, 8, HEX, NULL)
/* Hardware thread, PID, TID since 1.5; TGID, TID, ASID before: see new_ids. */
#define STF_FIELDS_PROCESS_ID_EXT(F, S, R) \
	F(R, hw_tid, 4, DEC, NULL) F(R, pid, 4, DEC, NULL) F(R, tid, 4, DEC, NULL)
#define STF_FIELDS_FORCE_PC(F, S, R) F(R, pc, 8, HEX, NULL)
#define STF_FIELDS_VLEN_CONFIG(F, S, R) F(R, vlen, 4, DEC, NULL)
#define STF_FIELDS_PROTOCOL_ID(F, S, R) F(R, protocol, 1, NAME, stf_protocols)
#define STF_FIELDS_CLOCK_ID(F, S, R) F(R, clock, 1, DEC, NULL) F(R, clock_name, 2, TEXT16, NULL)
#define STF_FIELDS_ISA_EXTENDED(F, S, R) F(R, isa, 4, TEXT32, NULL)
#define STF_FIELDS_END_HEADER(F, S, R)
#define STF_FIELDS_INST_PC_TARGET(F, S, R) F(R, pc, 8, HEX, NULL)
/* One byte holds the kind of register (low) and of operand (high). */
#define STF_FIELDS_INST_REG(F, S, R) \
	F(R, reg, 2, DEC, NULL) \
	F(R, kind, 1, LOW, stf_reg_types) \
	S(R, operand, HIGH, stf_operands) \
	S(R, value, REG_VALUE, NULL)
#define STF_FIELDS_INST_READY_REG(F, S, R) F(R, reg, 2, DEC, NULL)
#define STF_FIELDS_PAGE_TABLE_WALK(F, S, R) \
	F(R, va, 8, HEX, NULL) \
	F(R, first_access, 8, DEC, NULL) \
	F(R, page_size, 4, HEX, NULL) \
	F(R, count, 1, PTES, NULL)
#define STF_FIELDS_INST_MEM_ACCESS(F, S, R) \
	F(R, address, 8, HEX, NULL) \
	F(R, bytes, 2, DEC, NULL) \
	F(R, attributes, 2, HEX, NULL) \
	F(R, access, 1, NAME, stf_accesses)
#define STF_FIELDS_INST_MEM_CONTENT(F, S, R) F(R, value, 8, HEX, NULL)
#define STF_FIELDS_BUS_MASTER_ACCESS(F, S, R) \
	F(R, address, 8, HEX, NULL) \
	F(R, bytes, 2, DEC, NULL) \
	F(R, initiator, 1, NAME, stf_initiators) \
	F(R, index, 1, DEC, NULL) \
	F(R, attributes, 4, HEX, NULL) \
	F(R, access, 1, NAME, stf_accesses)
#define STF_FIELDS_BUS_MASTER_CONTENT(F, S, R) F(R, value, 8, HEX, NULL)
/* With ids of 32 bits everything behind the id stands 4 bytes lower: see stf_event_id_of and the
 * like. */
#define STF_FIELDS_EVENT(F, S, R) F(R, event, 8, EVENT_ID, NULL) F(R, count, 1, EVENT_DATA, NULL)
#define STF_FIELDS_EVENT_PC_TARGET(F, S, R) F(R, pc, 8, HEX, NULL)
#define STF_FIELDS_INST_MICROOP(F, S, R) F(R, bytes, 1, DEC, NULL) F(R, micro_op, 4, HEX, NULL)
#define STF_FIELDS_INST_32(F, S, R) F(R, encoding, 4, HEX, NULL)
#define STF_FIELDS_INST_16(F, S, R) F(R, encoding, 2, HEX, NULL)
#define STF_FIELDS_TRANSACTION(F, S, R) \
	F(R, id, 8, DEC, NULL) \
	F(R, delta, 8, DEC, NULL) \
	F(R, clock, 1, DEC, NULL) \
	F(R, metadata, 2, METADATA, NULL) \
	S(R, channel, PROTOCOL, NULL)
#define STF_FIELDS_TRANSACTION_DEPENDENCY(F, S, R) \
	F(R, id, 8, DEC, NULL) F(R, delta, 8, DEC, NULL) F(R, clock, 1, DEC, NULL)
#define STF_FIELDS_RESERVED_END(F, S, R)

/* struct stf_layout_INST_REG …: where the fields are. */
#define STF_MEMBER(record, field, bytes, kind, names) BASE_MEMBER(stf, record, field, bytes, )
#define STF_NOTHING(record, field, kind, names)
#define STF_LAYOUT(num, name, alias, since, flags, fixed, behind) \
	struct stf_layout_##name { \
		uint8_t descriptor; \
		STF_FIELDS_##name(STF_MEMBER, STF_NOTHING, name) \
	}; \
	_Static_assert(sizeof(struct stf_layout_##name) == 1 + (fixed), #name);
STF_RECORDS(STF_LAYOUT)
#undef STF_LAYOUT

/* stf_INST_REG_reg(p), stf_put_INST_REG_reg(p, value) …: fields of the record that begins at p. */
#define STF_ACCESS(record, field, bytes, kind, names) BASE_ACCESS(stf, record, field, bytes, )
#define STF_ACCESSES(num, name, alias, since, flags, fixed, behind) \
	STF_FIELDS_##name(STF_ACCESS, STF_NOTHING, name)
STF_RECORDS(STF_ACCESSES)
#undef STF_ACCESSES

/* Does it end a group? STF_MARKER, without the table. */
static inline bool stf_is_marker(unsigned type)
{
	return type == CAIRN_STF_INST_32 || type == CAIRN_STF_INST_16 || type == CAIRN_STF_TRANSACTION;
}

/* The encoding of a marker, INST_32 or INST_16. */
static inline uint32_t stf_encoding(const uint8_t *p)
{
	return p[0] == CAIRN_STF_INST_32 ? stf_INST_32_encoding(p) : stf_INST_16_encoding(p);
}

/* INST_REG: enum cairn_reg_class, enum cairn_role, and a value of 64 bits. */
static inline uint8_t stf_reg_class(const uint8_t *p)
{
	return stf_INST_REG_kind(p) & 15;
}
static inline uint8_t stf_reg_role(const uint8_t *p)
{
	return stf_INST_REG_kind(p) >> 4;
}
static inline uint64_t stf_reg_value(const uint8_t *p)
{
	return base_le64(p + STF_LEN_INST_REG);
}
static inline void stf_put_reg_value(uint8_t *p, uint64_t value)
{
	base_put_le64(p + STF_LEN_INST_REG, value);
}

/* PAGE_TABLE_WALK: its length, where its i-th entry lies, and the entry. */
static inline size_t stf_walk_length(unsigned count)
{
	return STF_LEN_PAGE_TABLE_WALK + 16 * (size_t)count;
}
static inline uint64_t stf_walk_address(const uint8_t *p, size_t index)
{
	return base_le64(p + STF_LEN_PAGE_TABLE_WALK + 16 * index);
}
static inline uint64_t stf_walk_entry(const uint8_t *p, size_t index)
{
	return base_le64(p + STF_LEN_PAGE_TABLE_WALK + 16 * index + 8);
}

/* PROCESS_ID_EXT: its ids in their order, whatever they mean. */
static inline void stf_process_ids(const uint8_t *p, uint32_t ids[3])
{
	ids[0] = stf_PROCESS_ID_EXT_hw_tid(p);
	ids[1] = stf_PROCESS_ID_EXT_pid(p);
	ids[2] = stf_PROCESS_ID_EXT_tid(p);
}
static inline void stf_put_process_ids(uint8_t *p, const uint32_t ids[3])
{
	stf_put_PROCESS_ID_EXT_hw_tid(p, ids[0]);
	stf_put_PROCESS_ID_EXT_pid(p, ids[1]);
	stf_put_PROCESS_ID_EXT_tid(p, ids[2]);
}

/* cairn_stf_record_length, in line for frequent records. */
static inline int64_t stf_length(const struct cairn_stf_config *cfg, const uint8_t *p, size_t n)
{
	switch (n >= STF_LEN_LONGEST_FIXED ? *p : 0) {
	case CAIRN_STF_INST_32:
		return STF_LEN_INST_32;
	case CAIRN_STF_INST_16:
		return STF_LEN_INST_16;
	case CAIRN_STF_INST_MEM_ACCESS:
		return STF_LEN_INST_MEM_ACCESS;
	case CAIRN_STF_INST_MEM_CONTENT:
	case CAIRN_STF_INST_PC_TARGET:
		return STF_LEN_INST_MEM_CONTENT;
	case CAIRN_STF_INST_REG:
		if (stf_reg_class(p) != CAIRN_REG_VECTOR)
			return STF_LEN_INST_REG + 8;
		/* fallthrough */
	default:
		return cairn_stf_record_length(cfg, p, n);
	}
}

/* Records that lie one behind the other; between two calls of stf_next, `p` and `len` are one of
 * them. */
struct stf_records {
	const struct cairn_stf_config *cfg;
	const uint8_t *p;
	size_t left; /* bytes from `p` on */
	size_t len;
};
static inline struct stf_records stf_records_in(const struct cairn_stf_config *cfg,
                                                const uint8_t *p, size_t n)
{
	return (struct stf_records){.cfg = cfg, .p = p, .left = n};
}
/* Go to the first or the next record; false where none can be measured. */
static inline bool stf_next(struct stf_records *at)
{
	if (at->len) { /* nothing may lie nowhere */
		at->p += at->len;
		at->left -= at->len;
	}
	int64_t len = stf_length(at->cfg, at->p, at->left);
	at->len = len > 0 ? (size_t)len : 0;
	return len > 0;
}

enum stf_field_kind {
	STF_F_HEX,
	STF_F_DEC,
	STF_F_NAME,  /* `width` bytes */
	STF_F_MAGIC, /* 3 bytes of text */
	STF_F_TEXT16,
	STF_F_TEXT32, /* u16 or u32 length, then text */
	STF_F_LOW,
	STF_F_HIGH, /* nibbles of one byte, named */
	STF_F_REG_VALUE,
	STF_F_EVENT_ID,
	STF_F_EVENT_DATA,
	STF_F_PTES,
	STF_F_METADATA,
	STF_F_PROTOCOL
};

struct stf_name {
	uint64_t value;
	const char *name;
};

struct stf_field {
	const char *name;
	const struct stf_name *names; /* ends with name NULL */
	uint8_t kind;                 /* enum stf_field_kind */
	uint8_t width;
	uint8_t name_len;
};

struct stf_type {
	const char *name, *alias;
	const struct stf_field *fields; /* ends with name NULL */
	uint32_t bit, behind;           /* sets of records: itself; the row's last column */
	uint16_t flags;                 /* enum stf_flag */
	uint8_t number, since, fixed;
};

/* The description of a record number, NULL when STF has no such record. */
const struct stf_type *stf_type(unsigned number);
/* Name of a value in a table, NULL when it has none. */
const char *stf_name(const struct stf_name *names, uint64_t value);

extern const struct stf_name stf_generators[], stf_isas[], stf_iems[], stf_features[],
	stf_protocols[], stf_operands[], stf_reg_types[], stf_accesses[], stf_initiators[],
	stf_channels[], stf_modes[];

/* The text at the end of a COMMENT, TRACE_INFO, CLOCK_ID or ISA_EXTENDED of `len` bytes. */
static inline const char *stf_text(const uint8_t *p, size_t len, size_t *n)
{
	size_t fixed = STF_LEN_DESCRIPTOR + (size_t)stf_type(*p)->fixed;
	*n = len - fixed;
	return (const char *)p + fixed;
}

/* cairn_stf_fields of a record already measured. */
int stf_fields_of(const struct cairn_stf_config *cfg, const uint8_t *p, size_t len,
                  struct cairn_field *fields);

/* Bits of an event's id, whatever its width on disk: moved to the 64-bit places. */
#define STF_EVENT_INTERRUPT (1ull << 63)
#define STF_EVENT_SPECIAL (1ull << 62)
enum { STF_EVENT_MODE_CHANGE = 0 }; /* with STF_EVENT_SPECIAL */

/* An event id as stored, widened to the 64-bit form. */
static inline uint64_t stf_event_id(uint64_t stored, unsigned bits)
{
	if (bits == 64)
		return stored;
	return (stored & 0x3fffffff) | (stored & 0x80000000u ? STF_EVENT_INTERRUPT : 0) |
	       (stored & 0x40000000u ? STF_EVENT_SPECIAL : 0);
}
/* EVENT: its length, its id in the 64-bit form, how many words it has, and where they are. */
static inline size_t stf_event_length(unsigned bits, unsigned count)
{
	return STF_LEN_EVENT - 8 + bits / 8 + 8 * (size_t)count;
}
static inline uint64_t stf_event_id_of(const uint8_t *p, unsigned bits)
{
	return stf_event_id(base_get_uint(p + offsetof(struct stf_layout_EVENT, event), bits / 8),
	                    bits);
}
static inline unsigned stf_event_count(const uint8_t *p, unsigned bits)
{
	return p[offsetof(struct stf_layout_EVENT, event) + bits / 8];
}
static inline const uint8_t *stf_event_data(const uint8_t *p, unsigned bits)
{
	return p + stf_event_length(bits, 0);
}
/* Begin an EVENT with the id (in its 64-bit form) and `count` words; returns where they go. An id
 * that does not fit 32 bits is the caller's concern. */
static inline uint8_t *stf_put_event(uint8_t *p, unsigned bits, uint64_t id, unsigned count)
{
	uint64_t marks = STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL;
	uint8_t *id_at = p + offsetof(struct stf_layout_EVENT, event);
	p[0] = CAIRN_STF_EVENT;
	base_put_uint(id_at, bits / 8, bits == 64 ? id : (id & ~marks) | (id & marks) >> 32);
	id_at[bits / 8] = (uint8_t)count;
	return p + stf_event_length(bits, 0);
}
/* Name of a widened event id; `buf` (32 bytes) serves ids without a fixed name. */
const char *stf_event_name(uint64_t id, char *buf);

/* Words of 64 bits in a vector register's value; 0: cannot be measured. */
static inline uint32_t stf_vector_words(const struct cairn_stf_config *cfg)
{
	if (cfg->vlen)
		return cfg->vlen / 64 + (cfg->vlen % 64 != 0);
	return cfg->version_minor <= 3 ? 1 : 0;
}

/* A page size of RISC-V: its shift, and how many PTEs lead to one in Sv39 or Sv32, and in
 * Sv48. */
struct stf_page_size {
	uint8_t shift, n39, n48;
	bool rv32;
};
enum { STF_PAGE_SIZES = 6, STF_NO_PAGE_SIZE = -1, STF_NO_PAGE_DEPTH = -2 };
extern const struct stf_page_size stf_page_sizes[STF_PAGE_SIZES];
/* The row of a page of `bytes` to which `ptes` PTEs lead. STF_NO_PAGE_SIZE, or
 * STF_NO_PAGE_DEPTH where only their number is wrong. */
int stf_page_size(bool rv32, uint32_t bytes, unsigned ptes);

/* How TileLink fields follow each other on a channel (draft, "STF Transaction
 * Protocols"): letters c code, p param, z size, s source, d data, a address,
 * m mask, k sink. NULL for no such channel. */
const char *stf_tilelink_layout(unsigned channel);
/* What a letter stands for. Of a list (d, m) the width is that of the count before it. */
struct stf_tilelink {
	char letter;
	uint8_t width;
	uint8_t known;   /* enum cairn_xact_known */
	uint16_t member; /* its place in struct cairn_xact */
	const char *name;
};
const struct stf_tilelink *stf_tilelink_field(char letter);

#endif
