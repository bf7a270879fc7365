/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_TABLE_H
#define STF_TABLE_H
/*
 * The record table of STF: every record type described once. Lengths, field
 * names, printing, the writer's checks, the documentation's table and the
 * fuzzer's mutations all come from here.
 */
#include <stdbool.h>

#include "cairn/stf.h"

/* number, name, other spelling, first minor version of 1.x, flags, bytes of the
 * part of fixed length (without the descriptor; an event's id counts as 8). */
#define STF_RECORDS(R) \
	R(1, IDENTIFIER, "STF_IDENTIFIER", 0, STF_HEADER | STF_ONCE, 3) \
	R(2, VERSION, "STF_VERSION", 0, STF_HEADER | STF_ONCE, 8) \
	R(3, COMMENT, "STF_COMMENT", 0, STF_HEADER | STF_BODY | STF_VARIABLE, 4) \
	R(4, ISA, "STF_ISA", 0, STF_HEADER | STF_ONCE | STF_INSN_ONLY, 2) \
	R(5, INST_IEM, "STF_INST_IEM", 0, STF_HEADER | STF_BODY | STF_INSN_ONLY, 2) \
	R(6, TRACE_INFO, "STF_TRACE_INFO", 0, STF_HEADER | STF_VARIABLE, 6) \
	R(7, TRACE_INFO_FEATURE, "STF_TRACE_INFO_FEATURE", 0, STF_HEADER | STF_ONCE, 8) \
	R(8, PROCESS_ID_EXT, "STF_PROCESS_ID_EXT", 0, STF_HEADER | STF_BODY | STF_INSN_ONLY, 12) \
	R(9, FORCE_PC, "STF_FORCE_PC", 0, STF_HEADER | STF_BODY | STF_INSN_ONLY, 8) \
	R(10, VLEN_CONFIG, "STF_VLEN_CONFIG", 4, STF_HEADER | STF_ONCE | STF_INSN_ONLY, 4) \
	R(11, PROTOCOL_ID, "STF_PROTOCOL_ID", 5, STF_HEADER | STF_ONCE | STF_XACT_ONLY, 1) \
	R(12, CLOCK_ID, "STF_CLOCK_ID", 5, STF_HEADER | STF_XACT_ONLY | STF_VARIABLE, 3) \
	R(13, ISA_EXTENDED, "STF_ISA_EXTENDED", 6, \
	  STF_HEADER | STF_ONCE | STF_INSN_ONLY | STF_VARIABLE, 4) \
	R(19, END_HEADER, "STF_END_HEADER", 0, STF_HEADER | STF_ONCE, 0) \
	R(31, INST_PC_TARGET, "STF_INST_PC_TARGET", 0, STF_BODY | STF_INSN_ONLY, 8) \
	R(40, INST_REG, "STF_INST_REG", 0, STF_BODY | STF_INSN_ONLY | STF_VARIABLE, 3) \
	R(41, INST_READY_REG, "STF_INST_READY_REG", 0, STF_BODY | STF_INSN_ONLY, 2) \
	R(50, PAGE_TABLE_WALK, "STF_PAGE_TABLE_WALK", 0, STF_BODY | STF_INSN_ONLY | STF_VARIABLE, 21) \
	R(60, INST_MEM_ACCESS, "STF_INST_MEM_ACCESS", 0, STF_BODY | STF_INSN_ONLY, 13) \
	R(61, INST_MEM_CONTENT, "STF_INST_MEM_CONTENT", 0, STF_BODY | STF_INSN_ONLY, 8) \
	R(62, BUS_MASTER_ACCESS, "STF_BUS_MASTER_ACCESS", 0, STF_BODY | STF_INSN_ONLY, 17) \
	R(63, BUS_MASTER_CONTENT, "STF_BUS_MASTER_CONTENT", 0, STF_BODY | STF_INSN_ONLY, 8) \
	R(100, EVENT, "STF_EVENT", 0, STF_BODY | STF_INSN_ONLY | STF_VARIABLE, 9) \
	R(101, EVENT_PC_TARGET, "STF_EVENT_PC_TARGET", 0, STF_BODY | STF_INSN_ONLY, 8) \
	R(230, INST_MICROOP, "STF_INST_MICROOP", 0, STF_BODY | STF_INSN_ONLY, 5) \
	R(240, INST_32, "INST_OPCODE32", 0, STF_BODY | STF_INSN_ONLY | STF_MARKER, 4) \
	R(241, INST_16, "INST_OPCODE16", 0, STF_BODY | STF_INSN_ONLY | STF_MARKER, 2) \
	R(250, TRANSACTION, "STF_TRANSACTION", 5, \
	  STF_BODY | STF_XACT_ONLY | STF_MARKER | STF_VARIABLE, 19) \
	R(251, TRANSACTION_DEPENDENCY, "STF_TRANSACTION_DEPENDENCY", 5, STF_BODY | STF_XACT_ONLY, 17) \
	R(255, RESERVED_END, "STF_RESERVE_END", 0, STF_BODY, 0)

enum stf_flag {
	STF_HEADER = 1 << 0, /* may stand in the header */
	STF_BODY = 1 << 1,   /* may stand after it */
	STF_ONCE = 1 << 2,
	STF_INSN_ONLY = 1 << 3, /* not in transaction traces */
	STF_XACT_ONLY = 1 << 4, /* only in transaction traces */
	STF_MARKER = 1 << 5,    /* ends a group; counted, numbered, cut after */
	STF_VARIABLE = 1 << 6   /* more follows the fixed part */
};

/* STF_LEN_INST_32 … : bytes of the fixed part, descriptor included. */
#define STF_LEN(num, name, alias, since, flags, fixed) STF_LEN_##name = 1 + (fixed),
enum stf_len { STF_RECORDS(STF_LEN) STF_LEN_LONGEST_FIXED = 18 };
#undef STF_LEN

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

#endif
