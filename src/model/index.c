/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading an index (docs/formats/index.md). Nothing in it is believed before the checksum over all
 * of it is right and every offset in it lies inside; then questions need no further checks. It is
 * mapped, and read where it lies.
 *
 * The state with which a span begins is the format's own; the format reads it back and refuses what
 * is impossible.
 */
#include "model/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cairn_index {
	struct cairn *cairn;
	struct io_source *io;
	const uint8_t *p;
	size_t n;
	const uint8_t *rows;
	uint64_t spans, end; /* number that follows the last */
	size_t points;       /* places of which it tells memory */
	uint32_t flags;
};

/* ---- hashing ---- */

uint64_t index_hash(const uint8_t *p, size_t n)
{
	uint64_t h = base_hash_mix(0, n);
	size_t at = 0;
	for (; n - at >= 8; at += 8)
		h = base_hash_mix(h, base_le64(p + at));
	return at < n ? base_hash_mix(h, base_le(p + at, (unsigned)(n - at))) : h;
}

uint64_t index_sum(const uint8_t *head, const uint8_t *rest, size_t n)
{
	return index_HEAD_version(head) == INDEX_VERSION
	           ? index_hash(head, INDEX_LEN_HEAD + n)
	           : base_hash_mix(index_hash(head, INDEX_LEN_HEAD), index_hash(rest, n));
}

static uint64_t page_hash(uint32_t blocks, uint64_t page, uint64_t *block)
{
	uint64_t h = base_hash_mix(1, page);
	*block = (h >> 32) * blocks >> 32;
	return base_hash_mix(2, h);
}

void index_page_put(uint8_t *filter, uint32_t blocks, uint64_t page)
{
	uint64_t block, h = page_hash(blocks, page, &block);
	for (unsigned i = 0; i < 6; i++, h >>= 9)
		filter[INDEX_BLOCK * block + (h & 511) / 8] |= (uint8_t)(1u << (h & 7));
}

bool index_page_test(const uint8_t *filter, uint32_t blocks, uint64_t page)
{
	uint64_t block, h = page_hash(blocks, page, &block);
	for (unsigned i = 0; i < 6; i++, h >>= 9)
		if (!(filter[INDEX_BLOCK * block + (h & 511) / 8] >> (h & 7) & 1))
			return false;
	return true;
}

unsigned index_reg_bit(unsigned cls, unsigned num)
{
	if (cls >= CAIRN_REG_INT && cls <= CAIRN_REG_VECTOR && num < 64)
		return 64 * (cls - CAIRN_REG_INT) + num;
	return 192 + (unsigned)(base_hash_mix(3, (uint64_t)cls << 32 | num) & 255);
}

/* ---- which trace ---- */

static int read_at(struct cairn *cairn, int fd, const char *name, uint8_t *buf, size_t n,
                   uint64_t off)
{
	for (size_t at = 0; at < n;) {
		ssize_t k = pread(fd, buf + at, n - at, (off_t)(off + at));
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return base_fail_errno(cairn, errno, "%s", name);
		if (k == 0)
			return base_fail(cairn, CAIRN_E_STATE, "%s: became shorter while it was read", name);
		at += (size_t)k;
	}
	return 0;
}

/* The hash of what lies between the ends: all of it, or blocks spread evenly. */
static int hash_between(struct cairn *cairn, int fd, const char *name, uint64_t size, uint8_t *buf,
                        uint64_t *hash)
{
	uint64_t n = size > 2 * INDEX_ENDS ? size - 2 * INDEX_ENDS : 0, at = 0;
	bool all = n <= (uint64_t)INDEX_SAMPLES * INDEX_SAMPLE;
	int rc = 0;
	for (unsigned i = 0; rc >= 0 && at < n && i < INDEX_SAMPLES; i++) {
		size_t len = n - at < INDEX_SAMPLE ? (size_t)(n - at) : INDEX_SAMPLE;
		rc = read_at(cairn, fd, name, buf, len, INDEX_ENDS + at);
		*hash = base_hash_mix(*hash, index_hash(buf, len));
		at = all ? at + len : (n - INDEX_SAMPLE) / (INDEX_SAMPLES - 1) * (i + 1);
	}
	return rc;
}

int index_identify(struct cairn *cairn, const char *trace, struct index_ident *id)
{
	struct stat st;
	int rc = 0, fd = open(trace, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return base_fail_errno(cairn, errno, "%s", trace);
	uint8_t *buf = base_alloc(cairn, INDEX_ENDS);
	if (!buf)
		rc = CAIRN_E_NOMEM;
	else if (fstat(fd, &st) < 0)
		rc = base_fail_errno(cairn, errno, "%s", trace);
	else if (!S_ISREG(st.st_mode))
		rc = base_fail(cairn, CAIRN_E_STATE, "%s: no plain file: it cannot have an index", trace);
	if (rc < 0)
		goto out;
	id->size = (uint64_t)st.st_size;
	id->time = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	size_t n = id->size < INDEX_ENDS ? (size_t)id->size : INDEX_ENDS;
	rc = read_at(cairn, fd, trace, buf, n, 0);
	id->first = index_hash(buf, n);
	if (rc >= 0)
		rc = read_at(cairn, fd, trace, buf, n, id->size - n);
	id->last = index_hash(buf, n);
	if (rc >= 0)
		rc = hash_between(cairn, fd, trace, id->size, buf, &id->last);
out:
	base_free(cairn, buf);
	close(fd);
	return rc;
}

char *index_path(struct cairn *cairn, const char *trace)
{
	size_t n = strlen(trace);
	char *path = base_alloc(cairn, n + sizeof CAIRN_INDEX_SUFFIX);
	if (path) {
		memcpy(path, trace, n);
		memcpy(path + n, CAIRN_INDEX_SUFFIX, sizeof CAIRN_INDEX_SUFFIX);
	}
	return path;
}

/* ---- opening ---- */

static const uint8_t *index_row_of(const struct cairn_index *index, size_t row)
{
	return index->rows + INDEX_LEN_SPAN * row;
}

static uint64_t filter_bytes(uint32_t blocks)
{
	return blocks == INDEX_ANY_PAGE ? 0 : (uint64_t)blocks * INDEX_BLOCK;
}

/* A span's row, and where the parts of its data lie. */
struct parts {
	const uint8_t *row, *state, *regs, *wide, *walks, *reads, *writes;
};

static uint64_t data_bytes(const uint8_t *row)
{
	return index_padded(index_SPAN_state_len(row)) +
	       (uint64_t)INDEX_LEN_REG * index_SPAN_n_regs(row) + index_SPAN_wide(row) +
	       filter_bytes(index_SPAN_reads(row)) + filter_bytes(index_SPAN_writes(row));
}

static struct parts index_parts_of(const struct cairn_index *index, size_t span)
{
	const uint8_t *row = index_row_of(index, span);
	struct parts parts = {.row = row, .state = index->p + index_SPAN_data(row)};
	parts.regs = parts.state + index_padded(index_SPAN_state_len(row));
	parts.wide = parts.regs + (size_t)INDEX_LEN_REG * index_SPAN_n_regs(row);
	parts.walks = parts.wide + index_SPAN_wide(row);
	parts.reads = parts.walks + index_SPAN_walk_bytes(row);
	parts.writes = parts.reads + filter_bytes(index_SPAN_reads(row));
	return parts;
}

static bool lies_inside(const struct cairn_index *index, uint64_t at, uint64_t n)
{
	uint64_t end = index->n - INDEX_SUM;
	return at >= INDEX_LEN_HEAD && at <= end && n <= end - at;
}

/* Do wide values lie among those of their span? */
static bool regs_are_right(const struct parts *parts)
{
	const uint8_t *p = parts->regs;
	for (uint32_t k = index_SPAN_n_regs(parts->row); k > 0; k--, p += INDEX_LEN_REG) {
		uint32_t bits = index_REG_bits(p), room = index_SPAN_wide(parts->row);
		bool wide = index_REG_form(p) == INDEX_WIDE;
		if (bits == 0 || index_REG_derived(p) > 1 ||
		    (!wide && (index_REG_form(p) != INDEX_INLINE || bits > 64)))
			return false;
		if (wide &&
		    (index_REG_value(p) > room || 2 * index_wide_bytes(bits) > room - index_REG_value(p)))
			return false;
	}
	return true;
}

/* Do the walks exactly fill the place they have? */
static bool walks_are_right(const struct parts *parts)
{
	uint64_t left = index_SPAN_walk_bytes(parts->row);
	const uint8_t *p = parts->walks;
	for (uint32_t k = index_SPAN_n_walks(parts->row); k > 0; k--) {
		if (left < INDEX_LEN_WALK || left < index_walk_bytes(p))
			return false;
		left -= index_walk_bytes(p);
		p += index_walk_bytes(p);
	}
	return left == 0;
}

static bool rows_are_right(const struct cairn_index *index)
{
	uint64_t next = 1;
	for (size_t i = 0; i < index->spans; i++) {
		const uint8_t *row = index_row_of(index, i);
		uint64_t first = index_SPAN_first(row), count = index_SPAN_count(row);
		uint64_t walks = index_SPAN_walk_bytes(row);
		if (first < next || count > UINT64_MAX - first || walks > index->n ||
		    !lies_inside(index, index_SPAN_data(row), data_bytes(row) + walks))
			return false;
		struct parts parts = index_parts_of(index, i);
		if (!regs_are_right(&parts) || !walks_are_right(&parts))
			return false;
		next = first + count;
	}
	return next <= index->end;
}

static int index_wrong(struct cairn_index *index, int status, const char *what)
{
	return base_fail(index->cairn, status, "%s: %s", io_name(index->io), what);
}

/* Memory, if there is any, lies between the head and the rows. */
static bool sum_is_right(const struct cairn_index *index)
{
	bool memory = index_HEAD_version(index->p) == INDEX_WITH_MEMORY;
	uint64_t rest = memory ? index_HEAD_rows(index->p) : INDEX_LEN_HEAD;
	size_t end = index->n - INDEX_SUM;
	return rest >= INDEX_LEN_HEAD && rest <= end &&
	       index_sum(index->p, index->p + rest, end - (size_t)rest) == base_le64(index->p + end);
}

/* In the order of their spans, the first one whole, each in the room for memory. */
static bool points_are_right(struct cairn_index *index)
{
	uint64_t at = index_HEAD_points(index->p), rows = index_HEAD_rows(index->p), before = 0;
	size_t n = index_HEAD_n_points(index->p);
	if (n == 0 || !lies_inside(index, at, (uint64_t)n * INDEX_LEN_POINT) || at < rows)
		return false;
	for (size_t k = 0; k < n; k++) {
		const uint8_t *p = index->p + at + INDEX_LEN_POINT * k;
		uint64_t span = index_POINT_span(p), from = index_POINT_at(p);
		if (span <= before || span >= index->spans || from < INDEX_LEN_HEAD || from > rows ||
		    index_POINT_length(p) > rows - from || (k == 0 && !index_POINT_whole(p)))
			return false;
		before = span;
	}
	index->points = n;
	return true;
}

static int check_whole(struct cairn_index *index)
{
	const uint8_t *p = index->p;
	if (index->n < INDEX_LEN_HEAD + INDEX_SUM ||
	    memcmp(index_at_HEAD_magic(p), INDEX_MAGIC, sizeof INDEX_MAGIC - 1) != 0)
		return index_wrong(index, CAIRN_E_DAMAGED, "is no index");
	uint32_t version = index_HEAD_version(p);
	if (version != INDEX_VERSION && version != INDEX_WITH_MEMORY)
		return base_fail(
			index->cairn, CAIRN_E_UNSUPPORTED,
			"%s: has version %u, which this cairn does not read; cairn index makes it again",
			io_name(index->io), version);
	if (index_HEAD_size(p) != index->n)
		return index_wrong(index, CAIRN_E_DAMAGED, "is not whole");
	if (!sum_is_right(index))
		return index_wrong(index, CAIRN_E_DAMAGED, "is damaged: its checksum is wrong");
	index->flags = index_HEAD_flags(p);
	index->spans = index_HEAD_spans(p);
	index->end = index_HEAD_end(p);
	index->rows = p + index_HEAD_rows(p);
	if (index->spans > index->n / INDEX_LEN_SPAN ||
	    !lies_inside(index, index_HEAD_rows(p), index->spans * INDEX_LEN_SPAN) ||
	    !lies_inside(index, index_HEAD_totals(p), INDEX_LEN_TOTALS) ||
	    !lies_inside(index, index_HEAD_from(p), index_HEAD_from_len(p)) ||
	    (index_HEAD_marks_len(p) &&
	     !lies_inside(index, index_HEAD_marks(p), index_HEAD_marks_len(p))) ||
	    !rows_are_right(index) || (version == INDEX_WITH_MEMORY && !points_are_right(index)))
		return index_wrong(index, CAIRN_E_DAMAGED, "is damaged: it contradicts itself");
	return 0;
}

static int check_fresh(struct cairn_index *index, const char *trace)
{
	struct index_ident id;
	const uint8_t *p = index->p;
	int rc = index_identify(index->cairn, trace, &id);
	if (rc < 0)
		return rc;
	return id.size == index_HEAD_trace_size(p) && id.time == index_HEAD_trace_time(p) &&
	               id.first == index_HEAD_trace_first(p) && id.last == index_HEAD_trace_last(p)
	           ? 0
	           : index_wrong(index, CAIRN_E_STATE,
	                         "is stale: the trace has changed since it was made");
}

int cairn_index_open(struct cairn *cairn, const char *trace, const char *path,
                     struct cairn_index **out)
{
	*out = NULL;
	struct cairn_index *index = base_alloc(cairn, sizeof *index);
	char *beside = path ? NULL : index_path(cairn, trace);
	int rc = index && (path || beside) ? 0 : CAIRN_E_NOMEM;
	if (rc >= 0) {
		index->cairn = cairn;
		rc = io_open(cairn, path ? path : beside, &index->io);
	}
	base_free(cairn, beside);
	if (rc >= 0) {
		index->p = io_map(index->io, &index->n);
		rc = index->p ? check_whole(index) : index_wrong(index, CAIRN_E_DAMAGED, "is no index");
	}
	if (rc >= 0)
		rc = check_fresh(index, trace);
	if (rc < 0) {
		cairn_index_close(index);
		return rc;
	}
	*out = index;
	return 0;
}

void cairn_index_close(struct cairn_index *index)
{
	if (!index)
		return;
	if (index->io)
		io_close(index->io);
	base_free(index->cairn, index);
}

/* ---- asking ---- */

size_t cairn_index_spans(const struct cairn_index *index)
{
	return (size_t)index->spans;
}

int cairn_index_span(const struct cairn_index *index, size_t i, struct cairn_index_span *span)
{
	if (i >= index->spans)
		return base_fail(index->cairn, CAIRN_E_NOTFOUND, "%s: there is no span %zu",
		                 io_name(index->io), i);
	const uint8_t *row = index_row_of(index, i);
	const struct cairn_index_span own = {.first = index_SPAN_first(row),
	                                     .count = index_SPAN_count(row),
	                                     .record = index_SPAN_record(row),
	                                     .offset = index_SPAN_offset(row),
	                                     .executed = index_SPAN_executed(row),
	                                     .loads = index_SPAN_loads(row),
	                                     .stores = index_SPAN_stores(row),
	                                     .branches = index_SPAN_branches(row),
	                                     .branches_taken = index_SPAN_branches_taken(row),
	                                     .events = index_SPAN_events(row),
	                                     .jumps = (index->flags & INDEX_JUMPS) &&
	                                              (i == 0 || index_SPAN_place(row) != 0)};
	int rc = base_sized(index->cairn, span, "cairn_index_span");
	base_give(span, &own, sizeof own);
	return rc;
}

int64_t cairn_index_find(const struct cairn_index *index, uint64_t n)
{
	if (n < 1 || n >= index->end || index->spans == 0)
		return CAIRN_E_NOTFOUND;
	size_t lo = 0, hi = (size_t)index->spans;
	while (lo < hi)
		base_halve(&lo, &hi, index_SPAN_first(index_row_of(index, base_half(lo, hi))) <= n);
	return lo ? (int64_t)lo - 1 : 0;
}

int cairn_index_totals(const struct cairn_index *index, struct cairn_tally *tally)
{
	struct cairn_tally own = {.size = sizeof own};
	int rc = base_sized(index->cairn, tally, "cairn_tally");
	if (rc < 0)
		return rc;
	if (!(index->flags & INDEX_HAS_TOTALS))
		return CAIRN_E_NOTFOUND;
	const uint8_t *p = index->p + index_HEAD_totals(index->p);
#define TAKE(room, record, field, bytes, about) own.field = index_TOTALS_##field(p);
#define TAKE_ALL(room, record, field, count, bytes, about) \
	for (size_t i = 0; i < (count); i++) \
		own.field[i] = index_TOTALS_##field(p, i);
	INDEX_FIELDS_TOTALS(TAKE, TAKE_ALL, index, TOTALS)
#undef TAKE
#undef TAKE_ALL
	uint64_t has = own.instructions + own.transactions; /* numbers without one are missing */
	own.missing = index->end - 1 > has ? index->end - 1 - has : 0;
	base_give(tally, &own, sizeof own);
	return 0;
}

static uint64_t index_ones(uint32_t bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static struct cairn_state_reg reg_at(const struct parts *parts, size_t index)
{
	const uint8_t *p = parts->regs + INDEX_LEN_REG * index;
	uint32_t bits = index_REG_bits(p);
	struct cairn_state_reg reg = {.value = index_REG_value(p),
	                              .known = index_ones(bits),
	                              .told = index_REG_told(p),
	                              .bits = bits,
	                              .hart = index_REG_hart(p),
	                              .num = index_REG_num(p),
	                              .cls = index_REG_cls(p),
	                              .derived = index_REG_derived(p),
	                              .whole = 1};
	if (index_REG_form(p) == INDEX_INLINE)
		return reg;
	const uint8_t *wide = parts->wide + reg.value, *known = wide + index_wide_bytes(bits);
	reg.value = base_le64(wide);
	reg.known = base_le64(known);
	for (uint32_t at = 0; at < bits && reg.whole; at += 64)
		reg.whole = !(~base_le64(known + at / 8) & index_ones(bits - at));
	if (bits > 64) {
		reg.wide = wide;
		reg.wide_known = known;
	}
	return reg;
}

/* The register rows of a span; without `resumes` those that are registers. */
static size_t index_regs(const struct cairn_index *index, size_t row, bool resumes,
                         struct cairn_state_reg *regs, size_t max)
{
	if (row >= index->spans)
		return 0;
	struct parts parts = index_parts_of(index, row);
	uint32_t rows = index_SPAN_n_regs(parts.row);
	size_t n = 0;
	for (uint32_t k = 0; k < rows; k++) {
		struct cairn_state_reg reg = reg_at(&parts, k);
		if (!resumes && reg.cls == INDEX_RESUMES)
			continue;
		if (n < max)
			regs[n] = reg;
		n++;
	}
	return n;
}

size_t cairn_index_regs(const struct cairn_index *index, size_t row, struct cairn_state_reg *regs,
                        size_t max)
{
	return index_regs(index, row, false, regs, max);
}

size_t index_all_regs(const struct cairn_index *index, size_t row, struct cairn_state_reg *regs,
                      size_t max)
{
	return index_regs(index, row, true, regs, max);
}

size_t cairn_index_walks(const struct cairn_index *index, size_t row,
                         struct cairn_index_walk *walks, size_t max)
{
	if (row >= index->spans)
		return 0;
	struct parts parts = index_parts_of(index, row);
	const uint8_t *p = parts.walks;
	uint32_t n = index_SPAN_n_walks(parts.row);
	for (size_t k = 0; k < n && k < max; k++, p += index_walk_bytes(p))
		walks[k] = (struct cairn_index_walk){.va = index_WALK_va(p),
		                                     .n = index_WALK_number(p),
		                                     .n_args = index_WALK_args(p),
		                                     .args = p + INDEX_LEN_WALK,
		                                     .space = index_space(p + INDEX_SPACE_OF_WALK)};
	return n;
}

int cairn_index_writes_reg(const struct cairn_index *index, size_t row, enum cairn_reg_class cls,
                           unsigned num)
{
	if (row >= index->spans)
		return 0;
	unsigned bit = index_reg_bit(cls, num);
	return index_SPAN_mask(index_row_of(index, row), bit / 64) >> bit % 64 & 1;
}

static int may_touch(const uint8_t *filter, uint32_t blocks, unsigned bits, uint64_t addr,
                     uint64_t size)
{
	enum { MOST = 16384 };
	if (blocks == 0 || size == 0)
		return 0;
	uint64_t to = size - 1 > UINT64_MAX - addr ? UINT64_MAX : addr + size - 1;
	uint64_t page = addr >> bits, last = to >> bits;
	if (blocks == INDEX_ANY_PAGE || last - page >= MOST)
		return 1;
	for (;; page++) {
		if (index_page_test(filter, blocks, page))
			return 1;
		if (page == last)
			return 0;
	}
}

int cairn_index_reads(const struct cairn_index *index, size_t row, uint64_t addr, uint64_t size)
{
	if (row >= index->spans)
		return 0;
	struct parts parts = index_parts_of(index, row);
	return may_touch(parts.reads, index_SPAN_reads(parts.row), INDEX_READ_BITS, addr, size);
}

int cairn_index_writes(const struct cairn_index *index, size_t row, uint64_t addr, uint64_t size)
{
	if (row >= index->spans)
		return 0;
	struct parts parts = index_parts_of(index, row);
	return may_touch(parts.writes, index_SPAN_writes(parts.row), INDEX_WRITE_BITS, addr, size);
}

/* ---- memory ---- */

size_t index_points(const struct cairn_index *index)
{
	return index->points;
}

bool index_is_damaged(const struct cairn_index *index)
{
	return index->flags & INDEX_DAMAGED;
}

struct index_point index_point(const struct cairn_index *index, size_t number)
{
	const uint8_t *p = index->p + index_HEAD_points(index->p) + INDEX_LEN_POINT * number;
	return (struct index_point){.span = index_POINT_span(p),
	                            .hash = index_POINT_hash(p),
	                            .packed = index->p + index_POINT_at(p),
	                            .n = (size_t)index_POINT_length(p),
	                            .whole = index_POINT_whole(p) != 0};
}

int64_t index_point_before(const struct cairn_index *index, uint64_t span)
{
	size_t lo = 0, hi = index->points;
	while (lo < hi)
		base_halve(&lo, &hi, index_point(index, base_half(lo, hi)).span <= span);
	return (int64_t)lo - 1;
}

size_t cairn_index_memory(const struct cairn_index *index, uint64_t *bytes)
{
	*bytes = index->points ? index_HEAD_rows(index->p) - INDEX_LEN_HEAD : 0;
	return index->points;
}

void index_distrust(struct cairn_reader *reader)
{
	reader->index->points = 0;
	index_wrong(reader->index, CAIRN_E_DAMAGED, "is damaged: its memory is wrong");
	base_free(reader->cairn, reader->index_note);
	reader->index_note = base_strdup(reader->cairn, cairn_error_text(reader->cairn));
}

/* ---- for the reader ---- */

int index_key(struct cairn_reader *reader, const char *from, struct base_buf *out)
{
	int rc = base_buf_put(out, from, from ? strlen(from) : 0);
	return rc < 0 || !reader->format->depends ? rc : reader->format->depends(reader, out);
}

/* Was the index made with the same options, and of the same program? */
static int check_key(struct cairn_reader *reader, const char *from)
{
	const struct cairn_index *index = reader->index;
	size_t n = from ? strlen(from) : 0;
	struct base_buf key;
	base_buf_init(&key, reader->cairn);
	int rc = index_key(reader, from, &key);
	uint32_t len = index_HEAD_from_len(index->p);
	const uint8_t *made = index->p + index_HEAD_from(index->p);
	if (rc >= 0 && (key.len != len || (len && memcmp(made, key.data, len) != 0)))
		rc = index_wrong(
			reader->index, CAIRN_E_STATE,
			len < n || (n && memcmp(made, key.data, n) != 0) || key.len == n
				? "was made with another --from"
				: "was made with another program (--image), or files it names have changed");
	base_buf_free(&key);
	return rc;
}

/* Where decoding of the trace can begin, if it is packed. */
static int take_marks(struct cairn_reader *reader)
{
	const uint8_t *p = reader->index->p;
	uint64_t n = index_HEAD_marks_len(p);
	int rc = n ? io_marks_get(reader->io, p + index_HEAD_marks(p), (size_t)n) : 0;
	if (rc >= 0)
		return 0;
	rc = index_wrong(reader->index, rc,
	                 "is damaged: it describes a packing that the trace does not have");
	cairn_index_close(reader->index);
	reader->index = NULL;
	return rc;
}

void index_attach(struct cairn_reader *reader, const char *trace, const char *from)
{
	char *path = index_path(reader->cairn, trace);
	struct stat st;
	if (path && strcmp(trace, "-") && stat(path, &st) == 0) {
		int rc = cairn_index_open(reader->cairn, trace, path, &reader->index);
		if (rc >= 0 && (rc = check_key(reader, from)) < 0) {
			cairn_index_close(reader->index);
			reader->index = NULL;
		}
		if (rc >= 0)
			rc = take_marks(reader);
		if (rc < 0)
			reader->index_note = base_strdup(reader->cairn, cairn_error_text(reader->cairn));
	}
	base_free(reader->cairn, path);
}

const struct cairn_index *cairn_reader_index(const struct cairn_reader *reader)
{
	return reader->index;
}

const char *cairn_reader_index_note(const struct cairn_reader *reader)
{
	return reader->index_note;
}

int cairn_reader_jumps(const struct cairn_reader *reader)
{
	return reader->index && (reader->index->flags & INDEX_JUMPS) && reader->format->jump;
}

int index_seek(struct cairn_reader *reader, uint64_t n)
{
	struct cairn_index *index = reader->index;
	if (!cairn_reader_jumps(reader))
		return 0;
	int64_t i = cairn_index_find(index, n);
	if (i < 0 && n > 1)
		return base_fail(reader->cairn, CAIRN_E_NOTFOUND,
		                 "%s: number %llu is past the end of the trace", io_name(reader->io),
		                 (unsigned long long)n);
	while (i > 0 && index_SPAN_place(index_row_of(index, (size_t)i)) == 0)
		i--;
	if (i <= 0)
		return 0;
	struct parts parts = index_parts_of(index, (size_t)i);
	int rc = reader->format->state_get(reader, parts.state, index_SPAN_state_len(parts.row),
	                                   reader->before);
	if (rc >= 0)
		rc = reader->format->jump(reader, index_SPAN_place(parts.row));
	return rc < 0 ? rc : 1;
}

int index_facts(const struct cairn_index *index, struct model_facts *facts)
{
	struct cairn_tally tally = {.size = sizeof tally};
	bool counted = cairn_index_totals(index, &tally) >= 0;
	for (size_t i = 0; i < facts->info.n && counted; i++) {
		struct cairn_fact *fact = &facts->info.facts[i];
		bool xacts = !strcmp(fact->key, "transactions");
		if (fact->is_known || !(xacts || !strcmp(fact->key, "instructions")))
			continue;
		fact->number = xacts ? tally.transactions : tally.instructions;
		fact->is_number = fact->is_known = 1;
	}
	return model_fact_text(facts, "index", "%llu span%s, %s", (unsigned long long)index->spans,
	                       index->spans == 1 ? "" : "s",
	                       index->flags & INDEX_JUMPS ? "can be jumped in" : "summaries only");
}
