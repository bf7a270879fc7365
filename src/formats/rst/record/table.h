/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_TABLE_H
#define RST_TABLE_H
/*
 * The record table of RST: every record of rstf 2.13 and every older layout,
 * described once (fields.h). Fields, getters and putters, names, reserved bits,
 * printing, encoding and the documentation's table come from here.
 *
 * A record is 24 bytes, big-endian. Bits are numbered from 0, the most significant
 * bit of byte 0, to 191. A field is one run of bits, or two (a CPU number that grew),
 * the more significant first. A layout is a type's shape under a condition: a range
 * of header versions, and for some types the value of a selecting field.
 */
#include <stdbool.h>

#include "base/bytes.h"
#include "cairn/rst.h"
#include "formats/rst/record/fields.h"

/* RST_L_INSTR … : numbers of layouts, from 0. */
#define RST_L(name, type, since, last, select) RST_L_##name,
enum rst_layout_id { RST_LAYOUTS_OF(RST_L, RST_L) RST_N_LAYOUTS };
#undef RST_L

/* When a layout applies, beyond its versions. */
enum rst_select {
	RST_SELECT_ANY,
	RST_SELECT_LEVEL,        /* TRACEINFO: rtype2 is 2 */
	RST_SELECT_INFO_3_SHORT, /* rtype2 is 3 and bytes 8 to 23 are zero */
	RST_SELECT_INFO_3,       /* rtype2 is 3 */
	RST_SELECT_INFO_4,
	RST_SELECT_BIT8_SET, /* the top bit of byte 1 */
	RST_SELECT_CW_DMA    /* RFS_CW: reftype 6 or 7 */
};

enum rst_field_kind {
	RST_F_HEX,
	RST_F_DEC,
	RST_F_NAME,
	RST_F_TEXT,  /* whole bytes, ends at a NUL or with the field */
	RST_F_BYTES, /* whole bytes without known meaning */
	RST_F_ADDR44 /* address bits 43:4, sign extended */
};

struct rst_name {
	uint64_t value;
	const char *name;
};

struct rst_field {
	const char *name;             /* NULL ends a list */
	const struct rst_name *names; /* ends with name NULL */
	uint8_t kind;                 /* enum rst_field_kind */
	uint8_t bit, bits;            /* the only run of bits, or the more significant one */
	uint8_t bit2, bits2;          /* the less significant one; 0 bits: none */
};

struct rst_layout {
	const char *name;      /* "PAVADIFF", "MEMVAL128": the layout's */
	const char *type_name; /* the record type's */
	const struct rst_field *fields;
	uint16_t since, last;     /* header versions */
	uint8_t type, select, id; /* enum cairn_rst_type, rst_select, rst_layout_id */
};

/* The layout of a record in a trace of this version (0: the newest). A type newer than
 * the version gets its oldest layout. NULL: no such type. */
const struct rst_layout *rst_layout_of(const uint8_t *p, unsigned version);
const struct rst_layout *rst_layout_by_id(enum rst_layout_id id);
/* First version that has this type; RST_FOREVER when none has. Types 0, 1 and 10 and
 * those above 34 are none. */
unsigned rst_type_since(unsigned type);
/* Name of a value, NULL when it has none. */
const char *rst_name(const struct rst_name *names, uint64_t value);
/* Bits that no field of the layout covers, as three big-endian words of the record:
 * keep the answer, it is computed. */
void rst_reserved_mask(const struct rst_layout *layout, uint64_t mask[3]);
/* The field with the CPU number, or NULL. */
const struct rst_field *rst_layout_cpu(const struct rst_layout *layout);
/* cairn_rst_fields of a record whose layout is known. */
int rst_fields_of(const struct rst_layout *layout, const uint8_t *p, struct cairn_field *fields);
/* The named field of a layout, or NULL. */
const struct rst_field *rst_field_named(const struct rst_layout *layout, const char *name);

extern const struct rst_name rst_add_demap[], rst_tlb_types[], rst_reg_types[], rst_delims[],
	rst_analyzers[], rst_statuses[], rst_commands[], rst_categories[], rst_bus_types[],
	rst_snoop_types[], rst_ref_types[], rst_info_types[], rst_section_types[], rst_device_types[];

/* ---- values of fields ---- */

/* A file may need only some of those that are made for it. */
#define RST_ACCESSOR static inline __attribute__((unused))

/* With a constant place each of these is a few instructions. The compiler judges their size before
 * it knows the place, so it is told to inline them. */
#define RST_INLINE static inline __attribute__((always_inline))

/* `n` bytes (1 to 8), big-endian; where n is a constant, one load or store for the usual sizes. */
RST_INLINE uint64_t rst_load(const uint8_t *p, unsigned n)
{
	return n == 8   ? base_be64(p)
	       : n == 4 ? base_be32(p)
	       : n == 2 ? base_be16(p)
	       : n == 1 ? *p
	                : base_be(p, n);
}

RST_INLINE void rst_store(uint8_t *p, unsigned n, uint64_t value)
{
	if (n == 8)
		base_put_be64(p, value);
	else if (n == 4)
		base_put_be32(p, (uint32_t)value);
	else if (n == 2)
		base_put_be16(p, (uint16_t)value);
	else
		for (; n; n--)
			*p++ = (uint8_t)(value >> 8 * (n - 1));
}

RST_INLINE uint64_t rst_ones(unsigned bits)
{
	return UINT64_MAX >> (64 - bits);
}

/* `n` bits (1 to 64) from bit `bit`, right-justified; they lie in at most 8 bytes. */
RST_INLINE uint64_t rst_bits(const uint8_t *p, unsigned bit, unsigned n)
{
	unsigned bytes = (bit % 8 + n + 7) / 8, behind = 8 * bytes - bit % 8 - n;
	return rst_load(p + bit / 8, bytes) >> behind & rst_ones(n);
}

RST_INLINE void rst_put_bits(uint8_t *p, unsigned bit, unsigned n, uint64_t value)
{
	unsigned bytes = (bit % 8 + n + 7) / 8, behind = 8 * bytes - bit % 8 - n;
	uint64_t mask = rst_ones(n) << behind, rest = rst_load(p + bit / 8, bytes) & ~mask;
	rst_store(p + bit / 8, bytes, rest | (value << behind & mask));
}

/* One run of bits, or two, the second the less significant. Two within 16 bits take one load. */
RST_INLINE uint64_t rst_runs(const uint8_t *p, unsigned bit, unsigned bits, unsigned bit2,
                             unsigned bits2)
{
	unsigned first = (bit < bit2 ? bit : bit2) & ~7u;
	if (!bits2)
		return rst_bits(p, bit, bits);
	if (bit + bits > first + 16 || bit2 + bits2 > first + 16)
		return rst_bits(p, bit, bits) << bits2 | rst_bits(p, bit2, bits2);
	unsigned v = base_be16(p + first / 8);
	return (v >> (first + 16 - bit - bits) & rst_ones(bits)) << bits2 |
	       (v >> (first + 16 - bit2 - bits2) & rst_ones(bits2));
}

/* A number as its field says. Of an address the bits 43:4 are told. */
RST_INLINE uint64_t rst_read(const uint8_t *p, unsigned kind, unsigned bit, unsigned bits,
                             unsigned bit2, unsigned bits2)
{
	uint64_t v = rst_runs(p, bit, bits, bit2, bits2);
	return kind == RST_F_ADDR44 ? (uint64_t)((int64_t)(v << 24) >> 20) : v;
}

/* Writes the low bits of `value`. */
RST_INLINE void rst_write(uint8_t *p, unsigned kind, unsigned bit, unsigned bits, unsigned bit2,
                          unsigned bits2, uint64_t value)
{
	value = kind == RST_F_ADDR44 ? value >> 4 : value;
	rst_put_bits(p, bit, bits, value >> bits2);
	if (bits2)
		rst_put_bits(p, bit2, bits2, value);
}

/* The low bits of `value` where they lie in the record's word of 64 bits. */
RST_INLINE uint64_t rst_in_word(unsigned bit, unsigned bits, unsigned bit2, unsigned bits2,
                                uint64_t value)
{
	uint64_t low = bits2 ? (value & rst_ones(bits2)) << (64 - bit2 % 64 - bits2) : 0;
	return low | (value >> bits2 & rst_ones(bits)) << (64 - bit % 64 - bits);
}

/* The same of a field of the table. */
static inline uint64_t rst_get(const uint8_t *p, const struct rst_field *field)
{
	return rst_read(p, field->kind, field->bit, field->bits, field->bit2, field->bits2);
}
static inline void rst_put(uint8_t *p, const struct rst_field *field, uint64_t value)
{
	rst_write(p, field->kind, field->bit, field->bits, field->bit2, field->bits2, value);
}

/* A kind of fields.h: the macro that makes its getter and putter, its names, enum rst_field_kind.
 * A place: the four numbers of struct rst_field. */
#define RST_KIND_HEX RST_NUMBER, NULL, RST_F_HEX
#define RST_KIND_DEC RST_NUMBER, NULL, RST_F_DEC
#define RST_KIND_NAME(names) RST_NUMBER, names, RST_F_NAME
#define RST_KIND_ADDR44 RST_NUMBER, NULL, RST_F_ADDR44
#define RST_KIND_TEXT RST_STRING, NULL, RST_F_TEXT
#define RST_KIND_BYTES RST_STRING, NULL, RST_F_BYTES
#define RST_PLACE_W(byte, bytes) 8 * (byte), 8 * (bytes), 0, 0
#define RST_PLACE_B(byte, high, bits) 8 * (byte) + 7 - (high), bits, 0, 0
#define RST_PLACE_TWO(byte, high, bits, byte2, high2, bits2) \
	8 * (byte) + 7 - (high), bits, 8 * (byte2) + 7 - (high2), bits2

/* The smallest unsigned type for so many bits. */
#define RST_IF(condition, type, other) __builtin_choose_expr(condition, (type)0, other)
#define RST_UINT(bits) \
	__typeof__(RST_IF((bits) > 32, uint64_t, \
	                  RST_IF((bits) > 16, uint32_t, RST_IF((bits) > 8, uint16_t, (uint8_t)0))))

/* Of each number: RST_AT_INSTR_bt, its first bit; rst_INSTR_bt(p), its value in the record at p;
 * rst_put_INSTR_bt(p, value), which writes the low bits of the value; rst_in_INSTR_bt(value), these
 * bits in the word of 64 bits that the field is part of. */
#define RST_NUMBER(layout, field, kind, bit, bits, bit2, bits2) \
	enum { RST_AT_##layout##_##field = bit }; \
	RST_ACCESSOR RST_UINT(bits + bits2) rst_##layout##_##field(const uint8_t *p) \
	{ \
		return (RST_UINT(bits + bits2)) rst_read(p, kind, bit, bits, bit2, bits2); \
	} \
	RST_ACCESSOR void rst_put_##layout##_##field(uint8_t *p, uint64_t value) \
	{ \
		rst_write(p, kind, bit, bits, bit2, bits2, value); \
	} \
	RST_ACCESSOR uint64_t rst_in_##layout##_##field(uint64_t value) \
	{ \
		return rst_in_word(bit, bits, bit2, bits2, value); \
	}
/* Of each text: RST_SIZE_STRDESC_text, its bytes; rst_STRDESC_text(p), where it begins;
 * rst_put_STRDESC_text(p, text, n), which writes the first n of them. */
#define RST_STRING(layout, field, kind, bit, bits, bit2, bits2) \
	enum { RST_AT_##layout##_##field = bit, RST_SIZE_##layout##_##field = (bits) / 8 }; \
	RST_ACCESSOR const char *rst_##layout##_##field(const uint8_t *p) \
	{ \
		return (const char *)p + (bit) / 8; \
	} \
	RST_ACCESSOR void rst_put_##layout##_##field(uint8_t *p, const void *text, size_t n) \
	{ \
		memcpy(p + (bit) / 8, text, n); \
	}
/* Calls a macro with arguments that are macros themselves. */
#define RST_APPLY(macro, ...) macro(__VA_ARGS__)
#define RST_MAKE(layout, field, way, names, kind, ...) way(layout, field, kind, __VA_ARGS__)
#define RST_ACCESS(layout, field, kind, place) \
	RST_APPLY(RST_MAKE, layout, field, RST_KIND_##kind, RST_PLACE_##place)
#define RST_ACCESS_GROUP(layout, field, place) RST_ACCESS(layout, field, HEX, place)
#define RST_ACCESSES(name, type, since, last, select) RST_FIELDS_##name(RST_ACCESS, name)
RST_LAYOUTS_OF(RST_ACCESSES, RST_ACCESSES)
RST_GROUPS(RST_ACCESS_GROUP)
#undef RST_ACCESSES

/* RST_CLEAR_RESERVED(INSTR, p) sets the bits of the record to 0 that are neither its type nor a
 * field's, by masks of its three words. Only for layouts without texts. */
#define RST_COVER(word, field, kind, place) | RST_APPLY(rst_cover, word, RST_PLACE_##place)
#define RST_CLEAR_RESERVED(layout, p) \
	rst_keep(p, RST_TYPE_WORD(0xff) RST_FIELDS_##layout(RST_COVER, 0), \
	         0 RST_FIELDS_##layout(RST_COVER, 1), 0 RST_FIELDS_##layout(RST_COVER, 2))
#define RST_TYPE_WORD(type) ((uint64_t)(type) << 56)

RST_INLINE uint64_t rst_cover(unsigned word, unsigned bit, unsigned bits, unsigned bit2,
                              unsigned bits2)
{
	return bit / 64 == word ? rst_in_word(bit, bits, bit2, bits2, UINT64_MAX) : 0;
}
RST_INLINE void rst_keep(uint8_t *p, uint64_t word0, uint64_t word1, uint64_t word2)
{
	base_put_be64(p, base_be64(p) & word0);
	base_put_be64(p + 8, base_be64(p + 8) & word1);
	base_put_be64(p + 16, base_be64(p + 16) & word2);
}

/* ---- what is asked for in loops ---- */

enum { RST_MAX_CPUS = 1024 };
/* Does a trace of this version have CPU numbers of 10 bits? */
static inline bool rst_is_wide(unsigned version)
{
	return version == 0 || version >= RST_V_CPUID10;
}

static inline unsigned rst_instr_cpu(const uint8_t *p, bool wide)
{
	return rst_INSTR_cpuid(p) &
	       (wide ? RST_MAX_CPUS - 1u : 63u); /* INSTR_2_11 has the lower 6 bits */
}

static inline unsigned rst_pavadiff_cpu(const uint8_t *p, bool wide)
{
	return wide ? rst_PAVADIFF_cpuid(p) : rst_PAVADIFF_2_11_cpuid(p);
}

/* CPU of a TRAP, TRAPEXIT, REGVAL, PREG, PAVADIFF, TLB …: any record that names one; -1
 * for the others. A CPU above 1023 (CPU record) is not one. */
int rst_cpu_of(const uint8_t *p, bool wide);

/* Flags of an INSTR, in the byte that holds them. */
#define RST_FLAG(field) 1 << (RST_AT_INSTR_flags + 7 - RST_AT_INSTR_##field)
enum rst_instr_bit {
	RST_I_EA_VALID = RST_FLAG(ea_valid),
	RST_I_TR = RST_FLAG(tr),
	RST_I_HPRIV = RST_FLAG(hpriv),
	RST_I_PR = RST_FLAG(pr),
	RST_I_BT = RST_FLAG(bt),
	RST_I_AN = RST_FLAG(an),
	RST_I_FLAGS = RST_I_EA_VALID | RST_I_TR | RST_I_HPRIV | RST_I_PR | RST_I_BT | RST_I_AN
};
#undef RST_FLAG
enum { /* of a REGVAL's regtypes */
	   RST_R_INT = 1,
	   RST_R_FLOAT,
	   RST_R_PRIV,
	   RST_R_OTHER,
	   RST_R_UNUSED,
	   RST_R_CC,
	   RST_R_FCC,
	   RST_R_WININT,
	   RST_R_MMU
};

enum { /* of PSTATE */
	   PSTATE_IE = 2,
	   PSTATE_PRIV = 4,
	   PSTATE_AM = 8,
	   PSTATE_PEF = 16,
	   PSTATE_GLOBALS = 0xc01
};

/* Reference types of an RFS_CW. */
enum { RST_REF_FETCH = 1, RST_REF_PREFETCH = 4, RST_REF_DMA_READ = 6, RST_REF_DMA_WRITE };
static inline bool rst_is_dma(unsigned reftype)
{
	return reftype == RST_REF_DMA_READ || reftype == RST_REF_DMA_WRITE;
}

/* The i-th register of a REGVAL, 0 or 1. */
#define RST_EITHER(name, type, field) \
	RST_ACCESSOR type name(const uint8_t *p, unsigned i) \
	{ \
		return i ? rst_REGVAL_##field##1(p) : rst_REGVAL_##field##0(p); \
	}
RST_EITHER(rst_regtype, uint8_t, regtype)
RST_EITHER(rst_regid, uint8_t, regid)
RST_EITHER(rst_regvalue, uint64_t, value)
static inline void rst_put_reg(uint8_t *p, unsigned index, unsigned type, unsigned id,
                               uint64_t value)
{
	if (index) {
		rst_put_REGVAL_regtype1(p, type);
		rst_put_REGVAL_regid1(p, id);
		rst_put_REGVAL_value1(p, value);
	} else {
		rst_put_REGVAL_regtype0(p, type);
		rst_put_REGVAL_regid0(p, id);
		rst_put_REGVAL_value0(p, value);
	}
}

/* The contexts of a PREG, for instructions and for data. */
static inline void rst_put_PREG_primary(uint8_t *p, uint16_t context)
{
	rst_put_PREG_primA(p, context);
	rst_put_PREG_primD(p, context);
}
static inline void rst_put_PREG_secondary(uint8_t *p, uint16_t context)
{
	rst_put_PREG_secA(p, context);
	rst_put_PREG_secD(p, context);
}

/* Which entry of the TLBs of a system a TLB record is of. */
static inline uint32_t rst_tlb_entry(const uint8_t *p, unsigned cpu)
{
	return cpu << 19 | (uint32_t)rst_TLB_tlb(p) << 18 | (uint32_t)rst_TLB_tlb_no(p) << 16 |
	       rst_TLB_tlb_index(p);
}

/* How much of a STRDESC or STRCONT is text. */
static inline size_t rst_text_length(const uint8_t *p)
{
	return strnlen(rst_STRDESC_text(p), RST_SIZE_STRDESC_text);
}

/* As much of it as `size` bytes hold, with a NUL: its length. */
static inline size_t rst_text_add(const uint8_t *p, char *to, size_t size)
{
	size_t n = rst_text_length(p);
	n = n < size ? n : size - 1;
	memcpy(to, rst_STRDESC_text(p), n);
	to[n] = 0;
	return n;
}

/* The version that an RSTHEADER names. */
static inline unsigned rst_version_of(const uint8_t *p)
{
	return (unsigned)RST_VERSION(rst_RSTHEADER_major(p), rst_RSTHEADER_minor(p));
}

/* Does a snapshot begin with this record? */
static inline bool rst_begins_snapshot(const uint8_t *p)
{
	return p[0] == CAIRN_RST_STRDESC && !memcmp(rst_STRDESC_text(p), "RFS v", 5);
}

/* An address that a tracer put where it knew none. */
static inline bool rst_bad_address(uint64_t a)
{
	return ((a & 1) && a >> 8 == 0x314159) || a == 0x00314159;
}

#endif
