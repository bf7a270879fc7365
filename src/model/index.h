/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INDEX_H
#define MODEL_INDEX_H
/*
 * The layout of an index file (docs/formats/index.md), and what its reader and
 * its writer share.
 */
#include "base/bytes.h"
#include "cairn/index.h"
#include "model/model.h"

#define INDEX_MAGIC "CAIRNIDX"

enum {
	INDEX_VERSION = 7,
	INDEX_WITH_MEMORY = 8,  /* … of one that holds memory */
	INDEX_HEAD = 128,       /* bytes of the head */
	INDEX_ROW = 192,        /* of a span's row */
	INDEX_REG = 32,         /* of a register */
	INDEX_WALK = 40,        /* of a page walk, without its arguments */
	INDEX_POINT = 40,       /* of a place at which it tells memory */
	INDEX_BLOCK = 64,       /* of a block of a page filter */
	INDEX_TOTALS = 269,     /* 64-bit counts */
	INDEX_ENDS = 64 << 10,  /* bytes hashed at each end of the trace */
	INDEX_SAMPLES = 128,    /* blocks hashed between them, */
	INDEX_SAMPLE = 4 << 10, /* each of so many bytes */
	INDEX_MASK = 7,         /* words of a mask of written registers */
	INDEX_READ_BITS = 12,   /* the filter of reads knows pages of 4 KiB, */
	INDEX_WRITE_BITS = 3    /* that of writes, for who asks who wrote, words of 8 bytes */
};
#define INDEX_ANY_PAGE UINT32_MAX

enum index_flag {
	INDEX_JUMPS = 1,
	INDEX_DAMAGED = 2,
	INDEX_TRANSACTIONS = 4,
	INDEX_HAS_TOTALS = 8
};

/* Offsets in the head. */
enum {
	INDEX_AT_VERSION = 8,
	INDEX_AT_FLAGS = 12,
	INDEX_AT_SIZE = 16,
	INDEX_AT_TRACE_SIZE = 24,
	INDEX_AT_TRACE_TIME = 32,
	INDEX_AT_TRACE_FIRST = 40,
	INDEX_AT_TRACE_LAST = 48,
	INDEX_AT_SPANS = 56,
	INDEX_AT_END = 64,
	INDEX_AT_ROWS = 72,
	INDEX_AT_TOTALS = 80,
	INDEX_AT_FROM = 88,
	INDEX_AT_FROM_LEN = 96,
	INDEX_AT_POINTS_N = 100,
	INDEX_AT_MARKS = 104,
	INDEX_AT_MARKS_LEN = 112,
	INDEX_AT_POINTS = 120
};
/* Offsets in a span's row. */
enum {
	INDEX_SPAN_FIRST = 0,
	INDEX_SPAN_COUNT = 8,
	INDEX_SPAN_RECORD = 16,
	INDEX_SPAN_OFFSET = 24,
	INDEX_SPAN_PLACE = 32,
	INDEX_SPAN_STATE_LEN = 40,
	INDEX_SPAN_REGS = 44,
	INDEX_SPAN_DATA = 48,
	INDEX_SPAN_READS = 56,
	INDEX_SPAN_WRITES = 60,
	INDEX_SPAN_MASK = 64,
	INDEX_SPAN_COUNTS = 120,
	INDEX_SPAN_WIDE = 176,
	INDEX_SPAN_WALKS = 180,
	INDEX_SPAN_WALK_BYTES = 184
};
/* Offsets in a register, and how its value is there. */
enum {
	INDEX_REG_VALUE = 0,
	INDEX_REG_TOLD = 8,
	INDEX_REG_BITS = 16,
	INDEX_REG_HART = 20,
	INDEX_REG_NUM = 22,
	INDEX_REG_CLS = 24,
	INDEX_REG_FORM = 25
};
enum index_reg_form {
	INDEX_INLINE = 0, /* in the row; all bits of it are known */
	INDEX_WIDE = 1    /* the row has the offset among the span's wide values; there its bytes,
	                   * then as many of a mask of those known */
};
/* Offsets in a walk; the arguments follow. */
enum {
	INDEX_WALK_VA = 0,
	INDEX_WALK_NUMBER = 8,
	INDEX_WALK_KIND = 16,
	INDEX_WALK_ID = 20,
	INDEX_WALK_VMID = 24,
	INDEX_WALK_ARGS = 28
};
/* Offsets in a point. */
enum {
	INDEX_POINT_SPAN = 0,
	INDEX_POINT_AT = 8,
	INDEX_POINT_LEN = 16,
	INDEX_POINT_HASH = 24,
	INDEX_POINT_WHOLE = 32
};
/* Bytes of a register's value among the wide ones. */
static inline uint64_t index_wide_bytes(uint32_t bits)
{
	return ((uint64_t)bits + 63) / 64 * 8;
}

/* What makes a trace the one that was indexed. */
struct index_ident {
	uint64_t size, time, first, last;
};

/* CAIRN_E_STATE when it is no plain file. */
int index_identify(struct cairn *cairn, const char *trace, struct index_ident *id);
uint64_t index_hash(const uint8_t *p, size_t n);
/* Of an index that holds memory: of its head, and of all from `rows` on, that is without the
 * memory, which has hashes of its own and is only looked at where it is asked for. */
uint64_t index_hash_around(uint64_t head, uint64_t rest);
/* A file's name with the suffix; NULL: no memory. */
char *index_path(struct cairn *cairn, const char *trace);

/* Set the bits of a page (a word) in a filter of `blocks` blocks; are they all set? */
void index_page_put(uint8_t *filter, uint32_t blocks, uint64_t page);
bool index_page_test(const uint8_t *filter, uint32_t blocks, uint64_t page);
/* The bit of a register in the mask of those written. */
unsigned index_reg_bit(unsigned cls, unsigned num);

/* ---- memory ---- */

/* What memory held where a span begins: all of it, or what is different from the point
 * before. `packed` as memory_pack makes it, of the hash told. */
struct index_point {
	uint64_t span, hash;
	const uint8_t *packed;
	size_t n;
	bool whole;
};
size_t index_points(const struct cairn_index *index);
struct index_point index_point(const struct cairn_index *index, size_t k);
/* The last one at or before the beginning of a span; -1: none. */
int64_t index_point_before(const struct cairn_index *index, uint64_t span);
/* What a reader's index tells of memory is wrong: it is not asked again. */
void index_distrust(struct cairn_reader *reader);

/* ---- for the reader ---- */

/* What an index was made with, besides the trace's file: the options, and what the format
 * says it depends on. Appended. */
int index_key(struct cairn_reader *reader, const char *from, struct base_buf *out);
/* Look beside the trace; what is there and is not believed leaves a note. `from` as
 * the trace was opened. */
void index_attach(struct cairn_reader *reader, const char *trace, const char *from);
/* Jump to the span that holds n: 1, 0 when the index does not help, < 0. */
int index_seek(struct cairn_reader *reader, uint64_t n);
/* Add what the index knows to the facts of a trace. */
int index_facts(const struct cairn_index *index, struct model_facts *facts);

#endif
