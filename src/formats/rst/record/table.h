/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_TABLE_H
#define RST_TABLE_H
/*
 * The record table of RST: every record of rstf 2.13 and every older layout,
 * described once. Fields, names, reserved bits, printing, encoding and the
 * documentation's table come from here.
 *
 * A record is 24 bytes, big-endian. Bits are numbered from 0, the most significant
 * bit of byte 0, to 191. A field is one run of bits, or two (a CPU number that grew),
 * the more significant first. A layout is a type's shape under a condition: a range
 * of header versions, and for some types the value of a selecting field.
 */
#include <stdbool.h>

#include "base/bytes.h"
#include "cairn/rst.h"

/* Versions compare as numbers. 0: unknown. */
#define RST_VERSION(major, minor) ((major) << 8 | (minor))
enum {
	RST_NEWEST = RST_VERSION(2, 13),
	RST_ALWAYS = 0,
	RST_FOREVER = 0xffff,
	RST_V_CPUID10 = RST_VERSION(2, 12) /* CPU numbers of 10 bits, hpriv */
};

/* name, type, since and last version, value of the selector (enum rst_select). The
 * order of layouts of one type is the order in which they are tried. */
#define RST_LAYOUTS_OF(L) \
	L(RSTHEADER, RSTHEADER, RST_ALWAYS, RST_FOREVER, ANY) \
	L(INSTR, INSTR, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(INSTR_2_11, INSTR, RST_VERSION(1, 10), RST_VERSION(2, 11), ANY) \
	L(INSTR_1_09, INSTR, RST_ALWAYS, RST_VERSION(1, 9), ANY) \
	L(NLEVEL, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, LEVEL) \
	L(CPUINFO, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, INFO_3_SHORT) \
	L(INFO2, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, INFO_3) \
	L(CPUIDINFO, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, INFO_4) \
	L(TRACEINFO, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, ANY) \
	L(ASI, TRACEINFO, RST_ALWAYS, RST_VERSION(1, 9), ANY) \
	L(TLB, TLB, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(TLB_2_11, TLB, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	L(THREAD, THREAD, RST_ALWAYS, RST_FOREVER, ANY) \
	L(TRAP, TRAP, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(TRAP_2_11, TRAP, RST_VERSION(1, 10), RST_VERSION(2, 11), ANY) \
	L(TRAP_1_09, TRAP, RST_ALWAYS, RST_VERSION(1, 9), ANY) \
	L(TRAPEXIT, TRAPEXIT, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(TRAPEXIT_2_11, TRAPEXIT, RST_VERSION(2, 6), RST_VERSION(2, 11), ANY) \
	L(TRAPEXIT_2_05, TRAPEXIT, RST_ALWAYS, RST_VERSION(2, 5), ANY) \
	L(REGVAL, REGVAL, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(REGVAL_2_11, REGVAL, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	L(CPU, CPU, RST_ALWAYS, RST_FOREVER, ANY) \
	L(PROCESS, PROCESS, RST_ALWAYS, RST_FOREVER, ANY) \
	L(DMA, DMA, RST_ALWAYS, RST_FOREVER, ANY) \
	L(STRDESC, STRDESC, RST_ALWAYS, RST_FOREVER, ANY) \
	L(LEFTDELIM, LEFTDELIM, RST_ALWAYS, RST_FOREVER, ANY) \
	L(RIGHTDELIM, RIGHTDELIM, RST_ALWAYS, RST_FOREVER, ANY) \
	L(PREG, PREG, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(PREG_2_11, PREG, RST_VERSION(2, 5), RST_VERSION(2, 11), ANY) \
	L(CONTEXT, PREG, RST_ALWAYS, RST_VERSION(2, 4), ANY) \
	L(PHYSADDR, PHYSADDR, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(PHYSADDR_2_11, PHYSADDR, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	L(PAVADIFF, PAVADIFF, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(PAVADIFF_2_11, PAVADIFF, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	L(NULLREC, NULLREC, RST_ALWAYS, RST_FOREVER, ANY) \
	L(STRCONT, STRCONT, RST_ALWAYS, RST_FOREVER, ANY) \
	L(RECNUM, RECNUM, RST_V_CPUID10, RST_FOREVER, BIT8_SET) \
	L(FILEMARKER, RECNUM, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(RECNUM_2_11, RECNUM, RST_ALWAYS, RST_VERSION(2, 11), BIT8_SET) \
	L(FILEMARKER_2_11, RECNUM, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	L(STATUS, STATUS, RST_VERSION(2, 5), RST_FOREVER, ANY) \
	L(STATUS_2_04, STATUS, RST_ALWAYS, RST_VERSION(2, 4), ANY) \
	L(PATCH, PATCH, RST_ALWAYS, RST_FOREVER, ANY) \
	L(HWINFO, HWINFO, RST_ALWAYS, RST_FOREVER, ANY) \
	L(MEMVAL128, MEMVAL, RST_V_CPUID10, RST_FOREVER, BIT8_SET) \
	L(MEMVAL64, MEMVAL, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(MEMVAL128_2_11, MEMVAL, RST_VERSION(2, 1), RST_VERSION(2, 11), BIT8_SET) \
	L(MEMVAL64_2_11, MEMVAL, RST_VERSION(2, 1), RST_VERSION(2, 11), ANY) \
	L(BUSTRACE, BUSTRACE, RST_VERSION(2, 5), RST_FOREVER, ANY) \
	L(BUSTRACE_2_04, BUSTRACE, RST_VERSION(2, 2), RST_VERSION(2, 4), ANY) \
	L(SNOOP, SNOOP, RST_VERSION(2, 7), RST_FOREVER, ANY) \
	L(TSB_ACCESS, TSB_ACCESS, RST_VERSION(2, 9), RST_FOREVER, ANY) \
	L(TSB_ACCESS_2_08, TSB_ACCESS, RST_VERSION(2, 8), RST_VERSION(2, 8), ANY) \
	L(RFS_SECTION_HEADER, RFS_SECTION_HEADER, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	L(RFS_CW_DMA, RFS_CW, RST_VERSION(2, 10), RST_FOREVER, CW_DMA) \
	L(RFS_CW, RFS_CW, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	L(RFS_BT, RFS_BT, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	L(RFS_RST, RFS_RST, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	L(TRAPPING_INSTR, TRAPPING_INSTR, RST_VERSION(2, 13), RST_FOREVER, ANY)

/* RST_L_INSTR … : numbers of layouts, from 0. */
#define RST_L(name, type, since, last, select) RST_L_##name,
enum rst_layout_id { RST_LAYOUTS_OF(RST_L) RST_N_LAYOUTS };
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

/* `n` bits (1 to 64) from bit `bit`, right-justified. */
static inline uint64_t rst_bits(const uint8_t *p, unsigned bit, unsigned n)
{
	unsigned byte = bit / 8, skip = bit % 8;
	if (n == 64 && skip == 0)
		return base_be64(p + byte);
	uint64_t v = 0;
	for (unsigned end = (bit + n + 7) / 8; byte < end; byte++)
		v = v << 8 | p[byte];
	v >>= (8 - (bit + n) % 8) % 8;
	return n == 64 ? v : v & (((uint64_t)1 << n) - 1);
}

static inline uint64_t rst_get(const uint8_t *p, const struct rst_field *field)
{
	uint64_t v = rst_bits(p, field->bit, field->bits);
	if (field->bits2)
		v = v << field->bits2 | rst_bits(p, field->bit2, field->bits2);
	if (field->kind == RST_F_ADDR44)
		v = (uint64_t)((int64_t)(v << 24) >> 20);
	return v;
}

/* Write the low bits of `value`; numbers only. */
void rst_put(uint8_t *p, const struct rst_field *field, uint64_t value);

/* ---- what is asked for in loops ---- */

enum { RST_MAX_CPUS = 1024 };
/* Does a trace of this version have CPU numbers of 10 bits? */
static inline bool rst_is_wide(unsigned version)
{
	return version == 0 || version >= RST_V_CPUID10;
}

static inline unsigned rst_instr_cpu(const uint8_t *p, bool wide)
{
	unsigned v = base_be16(p + 2);
	return v >> 10 | (wide ? (v >> 6 & 15) << 6 : 0);
}

/* CPU of a TRAP, TRAPEXIT, REGVAL, PREG, PAVADIFF, TLB …: any record that names one; -1
 * for the others. A CPU above 1023 (CPU record) is not one. */
int rst_cpu_of(const uint8_t *p, bool wide);

enum rst_instr_bit { /* of an INSTR's byte 1 */
	                 RST_I_EA_VALID = 1 << 6,
	                 RST_I_TR = 1 << 5,
	                 RST_I_HPRIV = 1 << 4,
	                 RST_I_PR = 1 << 3,
	                 RST_I_BT = 1 << 2,
	                 RST_I_AN = 1 << 1
};
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

/* An address that a tracer put where it knew none. */
static inline bool rst_bad_address(uint64_t a)
{
	return ((a & 1) && a >> 8 == 0x314159) || a == 0x00314159;
}

#endif
