/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INDEX_H
#define MODEL_INDEX_H
/*
 * The layout of an index file (docs/formats/index.md), and what its reader and
 * its writer share.
 */
#include "base/record.h"
#include "cairn/index.h"
#include "model/model.h"

#define INDEX_MAGIC "CAIRNIDX"

enum {
	INDEX_VERSION = 11,
	INDEX_WITH_MEMORY = 12, /* … of one that holds memory */
	INDEX_BLOCK = 64,       /* bytes of a block of a page filter */
	INDEX_ENDS = 64 << 10,  /* bytes hashed at each end of the trace */
	INDEX_SAMPLES = 128,    /* blocks hashed between them, */
	INDEX_SAMPLE = 4 << 10, /* each of so many bytes */
	INDEX_MASK = 7,         /* words of a mask of written registers */
	INDEX_SUM = 8,          /* bytes of the hash at the end */
	INDEX_READ_BITS = 12,   /* the filter of reads knows pages of 4 KiB, */
	INDEX_WRITE_BITS = 3    /* that of writes, for searches of who wrote, words of 8 bytes */
};
#define INDEX_ANY_PAGE UINT32_MAX

enum index_flag {
	INDEX_JUMPS = 1,
	INDEX_DAMAGED = 2,
	INDEX_TRANSACTIONS = 4,
	INDEX_HAS_TOTALS = 8
};
enum index_reg_form {
	INDEX_INLINE = 0, /* in the row; all bits of it are known */
	INDEX_WIDE = 1    /* the row has the offset among the span's wide values; there its bytes,
	                   * then as many of a mask of those known */
};

/* The class of a register row that tells no register: where a hart goes on that does not run. */
enum { INDEX_RESUMES = 255 };

/* Its parts, field by field (base/record.h): index_SPAN_first(p), INDEX_LEN_SPAN … */
#define INDEX_RECORDS(R) R(HEAD) R(TOTALS) R(SPAN) R(REG) R(WALK) R(POINT) R(SPACE)

#define INDEX_FIELDS_HEAD(F, A, ...) \
	A(__VA_ARGS__, magic, 8, 1, "`CAIRNIDX`") \
	F(__VA_ARGS__, version, 4, "version, 11 or 12") \
	F(__VA_ARGS__, flags, 4, "flags, see below") \
	F(__VA_ARGS__, size, 8, "size of this file") \
	F(__VA_ARGS__, trace_size, 8, "the trace: its size") \
	F(__VA_ARGS__, trace_time, 8, "its time") \
	F(__VA_ARGS__, trace_first, 8, "hash of its first 64 KiB") \
	F(__VA_ARGS__, trace_last, 8, "hash of its last 64 KiB and of samples") \
	F(__VA_ARGS__, spans, 8, "number of spans") \
	F(__VA_ARGS__, end, 8, "the number that follows the last instruction (transaction)") \
	F(__VA_ARGS__, rows, 8, "offset of the rows") \
	F(__VA_ARGS__, totals, 8, "offset of the totals") \
	F(__VA_ARGS__, from, 8, "offset of the `--from` text") \
	F(__VA_ARGS__, from_len, 4, "its length, 0 when none was given") \
	F(__VA_ARGS__, n_points, 4, "version 12: number of points, at least 1; 11: 0") \
	F(__VA_ARGS__, marks, 8, "offset of the marks") \
	F(__VA_ARGS__, marks_len, 8, "their length, 0 when there are none") \
	F(__VA_ARGS__, points, 8, "version 12: offset of the points; 11: 0")

/* As struct cairn_tally has them. */
#define INDEX_FIELDS_TOTALS(F, A, ...) \
	F(__VA_ARGS__, instructions, 8, "instructions") \
	F(__VA_ARGS__, executed, 8, "executed") \
	F(__VA_ARGS__, transactions, 8, "transactions") \
	F(__VA_ARGS__, records, 8, "records") \
	F(__VA_ARGS__, loads, 8, "loads") \
	F(__VA_ARGS__, stores, 8, "stores") \
	F(__VA_ARGS__, branches, 8, "branches") \
	F(__VA_ARGS__, branches_taken, 8, "branches taken") \
	F(__VA_ARGS__, events, 8, "events") \
	F(__VA_ARGS__, contexts, 8, "contexts") \
	A(__VA_ARGS__, by_record, 256, 8, "records by type") \
	F(__VA_ARGS__, class_loads, 8, "loads by class") \
	F(__VA_ARGS__, class_stores, 8, "stores by class") \
	F(__VA_ARGS__, accesses, 8, "accesses")

#define INDEX_FIELDS_SPAN(F, A, ...) \
	F(__VA_ARGS__, first, 8, "number of the first instruction (transaction)") \
	F(__VA_ARGS__, count, 8, "how many") \
	F(__VA_ARGS__, record, 8, "number of the first record; all ones: unknown") \
	F(__VA_ARGS__, offset, 8, "its byte offset after decompression; all ones: unknown") \
	F(__VA_ARGS__, place, 8, "place: the format's own, below; 0: reading cannot begin here") \
	F(__VA_ARGS__, state_len, 4, "length of the entry state") \
	F(__VA_ARGS__, n_regs, 4, "number of registers") \
	F(__VA_ARGS__, data, 8, "offset of the span's data") \
	F(__VA_ARGS__, reads, 4, "blocks of the filter of pages read; all ones: any page") \
	F(__VA_ARGS__, writes, 4, "blocks of the filter of words written; all ones: any word") \
	A(__VA_ARGS__, mask, 7, 8, "mask of registers written, seven words") \
	F(__VA_ARGS__, executed, 8, "count of executed instructions") \
	F(__VA_ARGS__, loads, 8, "of loads") \
	F(__VA_ARGS__, stores, 8, "of stores") \
	F(__VA_ARGS__, branches, 8, "of branches") \
	F(__VA_ARGS__, branches_taken, 8, "of branches taken") \
	F(__VA_ARGS__, events, 8, "of events") \
	F(__VA_ARGS__, accesses, 8, "of accesses") \
	F(__VA_ARGS__, wide, 4, "bytes of wide register values, a multiple of 8") \
	F(__VA_ARGS__, n_walks, 4, "number of page walks") \
	F(__VA_ARGS__, walk_bytes, 8, "their bytes")

#define INDEX_FIELDS_REG(F, A, ...) \
	F(__VA_ARGS__, value, 8, "value; or, form 1, where it lies among the span's wide values") \
	F(__VA_ARGS__, told, 8, "number of the instruction that told of it last") \
	F(__VA_ARGS__, bits, 4, "width in bits, at least 1") \
	F(__VA_ARGS__, hart, 2, "hart; all ones when the trace does not tell") \
	F(__VA_ARGS__, num, 2, "number") \
	F(__VA_ARGS__, cls, 1, \
	  "class (`enum cairn_reg_class`); 255: no register, but the PC at which the hart goes on, which does not run") \
	F(__VA_ARGS__, form, 1, "form") \
	F(__VA_ARGS__, derived, 1, "1: what was said of it last was derived; else 0") \
	A(__VA_ARGS__, zero, 5, 1, "0")

/* An address space, in a walk and in the memory of a point. */
#define INDEX_FIELDS_SPACE(F, A, ...) \
	F(__VA_ARGS__, kind, 4, "address space (`enum cairn_space_kind`)") \
	F(__VA_ARGS__, id, 4, "its process or address space identifier") \
	F(__VA_ARGS__, vmid, 4, "its virtual machine, 0 not told")

/* The arguments follow. */
#define INDEX_FIELDS_WALK(F, A, ...) \
	F(__VA_ARGS__, va, 8, "virtual address") \
	F(__VA_ARGS__, number, 8, "number of the instruction it stands before") \
	INDEX_FIELDS_SPACE(F, A, __VA_ARGS__) \
	F(__VA_ARGS__, args, 4, "number of arguments") \
	F(__VA_ARGS__, zero, 8, "0")

#define INDEX_FIELDS_POINT(F, A, ...) \
	F(__VA_ARGS__, span, 8, "number of the span, from 0; never the first one") \
	F(__VA_ARGS__, at, 8, "offset of its memory, between the head and the rows") \
	F(__VA_ARGS__, length, 8, "length") \
	F(__VA_ARGS__, hash, 8, "hash of it") \
	F(__VA_ARGS__, whole, 8, \
	  "1: whole, all that is known; 0: what is different from the point before")

#define INDEX_RECORD(name) BASE_RECORD(index, INDEX, name)
INDEX_RECORDS(INDEX_RECORD)
#undef INDEX_RECORD
_Static_assert(INDEX_LEN_HEAD == 128 && INDEX_LEN_SPAN == 192,
               "what follows lies at multiples of 8");

/* An address space as it lies in the file; where that of a walk is. */
static inline struct cairn_space index_space(const uint8_t *p)
{
	return (struct cairn_space){.kind = index_SPACE_kind(p),
	                            .id = index_SPACE_id(p),
	                            .vmid = index_SPACE_vmid(p)};
}
static inline void index_put_space(uint8_t *p, const struct cairn_space *space)
{
	index_put_SPACE_kind(p, space->kind);
	index_put_SPACE_id(p, space->id);
	index_put_SPACE_vmid(p, space->vmid);
}
enum { INDEX_SPACE_OF_WALK = offsetof(struct index_layout_WALK, kind) };
/* Bytes of a walk, with its arguments. */
static inline uint64_t index_walk_bytes(const uint8_t *p)
{
	return INDEX_LEN_WALK + 8 * (uint64_t)index_WALK_args(p);
}
/* Up to a multiple of 8. */
static inline uint64_t index_padded(uint64_t n)
{
	return (n + 7) & ~(uint64_t)7;
}
/* Bytes of a register's value among the wide ones. */
static inline uint64_t index_wide_bytes(uint32_t bits)
{
	return ((uint64_t)bits + 63) / 64 * 8;
}

/* What identifies the trace that was indexed. */
struct index_ident {
	uint64_t size, time, first, last;
};

/* CAIRN_E_STATE when it is no plain file. */
int index_identify(struct cairn *cairn, const char *trace, struct index_ident *id);
uint64_t index_hash(const uint8_t *p, size_t n);
/* The hash at the end, by the version in the head: of the head and the `n` bytes of `rest` behind
 * it. If the index holds memory, `rest` begins with the rows, behind the memory, which has hashes
 * of its own and is only looked at when needed. */
uint64_t index_sum(const uint8_t *head, const uint8_t *rest, size_t n);
/* A file's name with the suffix; NULL: no memory. */
char *index_path(struct cairn *cairn, const char *trace);

/* Set the bits of a page (a word) in a filter of `blocks` blocks; are they all set? */
void index_page_put(uint8_t *filter, uint32_t blocks, uint64_t page);
bool index_page_test(const uint8_t *filter, uint32_t blocks, uint64_t page);
/* The bit of a register in the mask of those written. */
unsigned index_reg_bit(unsigned cls, unsigned num);

/* As cairn_index_regs, with rows of INDEX_RESUMES. */
size_t index_all_regs(const struct cairn_index *index, size_t row, struct cairn_state_reg *regs,
                      size_t max);

/* ---- memory ---- */

/* Could a part of the trace not be read? */
bool index_is_damaged(const struct cairn_index *index);
/* What memory held where a span begins: all of it, or what differs from the point before. `packed`
 * as memory_pack makes it; `hash` is its hash. */
struct index_point {
	uint64_t span, hash;
	const uint8_t *packed;
	size_t n;
	bool whole;
};
size_t index_points(const struct cairn_index *index);
struct index_point index_point(const struct cairn_index *index, size_t number);
/* The last one at or before the beginning of a span; -1: none. */
int64_t index_point_before(const struct cairn_index *index, uint64_t span);
/* What a reader's index holds of memory is wrong: do not ask it again. */
void index_distrust(struct cairn_reader *reader);

/* ---- for the reader ---- */

/* What an index was made with, besides the trace's file: the options, and what the format
 * says it depends on. Appended. */
int index_key(struct cairn_reader *reader, const char *from, struct base_buf *out);
/* Look beside the trace; an index that is there and not believed leaves a note. `from` as the trace
 * was opened. */
void index_attach(struct cairn_reader *reader, const char *trace, const char *from);
/* Jump to the span that holds n: 1, 0 when the index does not help, < 0. */
int index_seek(struct cairn_reader *reader, uint64_t n);
/* Add what the index knows to the facts of a trace. */
int index_facts(const struct cairn_index *index, struct model_facts *facts);

#endif
