/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_RST_H
#define CAIRN_RST_H
/*
 * RST, the trace format of SPARC simulators, at the record level: exact. Taking a
 * record apart and putting it together again gives the same bytes. All records of
 * rstf 2.13, and the older layouts, which the header's version chooses.
 */
#include "cairn/base.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every record has this many bytes; the first is its type. */
enum { CAIRN_RST_SIZE = 24 };

/* Record types (rstf.h 2.13; older names: 4 ASI, 11 TIMESTAMP, 17 CONTEXT). */
enum cairn_rst_type {
	CAIRN_RST_RSTHEADER = 2,
	CAIRN_RST_INSTR = 3,
	CAIRN_RST_TRACEINFO = 4,
	CAIRN_RST_TLB = 5,
	CAIRN_RST_THREAD = 6,
	CAIRN_RST_TRAP = 7,
	CAIRN_RST_TRAPEXIT = 8,
	CAIRN_RST_REGVAL = 9,
	CAIRN_RST_CPU = 11,
	CAIRN_RST_PROCESS = 12,
	CAIRN_RST_DMA = 13,
	CAIRN_RST_STRDESC = 14,
	CAIRN_RST_LEFTDELIM = 15,
	CAIRN_RST_RIGHTDELIM = 16,
	CAIRN_RST_PREG = 17,
	CAIRN_RST_PHYSADDR = 18,
	CAIRN_RST_PAVADIFF = 19,
	CAIRN_RST_NULLREC = 20,
	CAIRN_RST_STRCONT = 21,
	CAIRN_RST_RECNUM = 22,
	CAIRN_RST_STATUS = 23,
	CAIRN_RST_PATCH = 24,
	CAIRN_RST_HWINFO = 25,
	CAIRN_RST_MEMVAL = 26,
	CAIRN_RST_BUSTRACE = 27,
	CAIRN_RST_SNOOP = 28,
	CAIRN_RST_TSB_ACCESS = 29,
	CAIRN_RST_RFS_SECTION_HEADER = 30,
	CAIRN_RST_RFS_CW = 31,
	CAIRN_RST_RFS_BT = 32,
	CAIRN_RST_RFS_RST = 33,
	CAIRN_RST_TRAPPING_INSTR = 34
};

/* What decides the layout of records: the version in the header; 0.0 when there is
 * no header means the newest. */
struct cairn_rst_config {
	uint16_t version_major, version_minor;
};

/* "INSTR", or NULL when RST has no such record. */
CAIRN_API const char *cairn_rst_type_name(unsigned type);

/* Take the record of CAIRN_RST_SIZE bytes at `rec` apart into named fields (at most
 * CAIRN_MAX_FIELDS). Views point into `rec`. Reserved bits appear, as reserved0,
 * reserved8 and reserved16 (the words of the record at these bytes), only where one
 * is set. Returns the number of fields, or CAIRN_E_DAMAGED for an unknown type. */
CAIRN_API int cairn_rst_fields(const struct cairn_rst_config *cfg, const uint8_t *rec,
                               struct cairn_field *fields);
/* The reverse: a record of this type from fields in any order; what is not given is
 * zero. Where a type has several layouts, the names and values choose.
 * CAIRN_E_INVAL: no layout of that type has these fields, or a value does not fit. */
CAIRN_API int cairn_rst_encode(const struct cairn_rst_config *cfg, unsigned type,
                               const struct cairn_field *fields, unsigned n, uint8_t *rec);

#ifdef __cplusplus
}
#endif
#endif
