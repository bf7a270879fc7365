/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making an index: one run over the trace for the totals (the format's fast count),
 * one that decodes every span on any thread, and folds them in trace order into
 * rows of some ten thousand instructions each. Small spans are joined: a seek
 * walks on from the row's first one.
 *
 * The file is written at the end, for its head tells how much there is; what is
 * gathered is a few hundred bytes a row. A trace that changed meanwhile gets no
 * index.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/index.h"

enum {
	GRAIN = 65536,
	BITS_A_PAGE = 12,
	MARKS_APART = 2 << 20,  /* decoded bytes between places where decoding can begin */
	MOST_REACH = 256 << 20, /* what may have to be decoded to get to a place … */
	SMALL = 8 << 20,        /* … in a trace that is one piece */
	MEMORY_SHARE = 8 /* memory takes at most this part of the trace's size … */,
	MEMORY_LEAST = 64 << 10 /* … or so many bytes */
};

struct build {
	struct cairn *c;
	struct cairn_index_opts opts;
	struct cairn_reader *r;
	struct index_ident ident;
	struct cairn_tally totals;
	bool has_totals, can_jump;
	bool remember;           /* memory is gathered */
	bool placed;             /* a row has a place */
	bool jumps;              /* … that can be had in bounded time */
	struct index_part *open; /* the row being gathered */
	struct regs regs;        /* what is known behind all that was folded … */
	struct base_buf entry;   /* … and as rows, where `open` began, … */
	struct base_buf wide;    /* … with the values that do not fit those */
	uint32_t n_entry;
	struct base_buf rows, data;
	struct index_memory memory;
	struct io_sink *sink;
	char *file;          /* beside which it will lie */
	struct base_buf key; /* what it was made with */
	uint64_t spans, end;
	uint64_t base; /* where the data will lie in the file */
	struct cairn_index_stats *stats;
	pthread_mutex_t lock;  /* of: */
	struct base_buf memos; /* struct isa_written_memo *, those that nobody uses */
};

/* ---- walks as they are gathered ---- */

static size_t walk_bytes(const uint8_t *walk)
{
	return INDEX_WALK + 8 * (size_t)base_le32(walk + INDEX_WALK_ARGS);
}

/* Size of the page walked, the second argument; 0 when it is not told. */
static uint64_t walk_page(const uint8_t *walk)
{
	return base_le32(walk + INDEX_WALK_ARGS) < 2 ? 0 : base_le64(walk + INDEX_WALK + 8);
}

/* Where the page begins; of no proper size each address is its own. */
static uint64_t walk_va(const uint8_t *walk)
{
	uint64_t va = base_le64(walk + INDEX_WALK_VA), size = walk_page(walk);
	return !size || (size & (size - 1)) ? va : va & ~(size - 1);
}

/* ---- registers as rows ---- */

static int index_build_put_reg(struct build *u, const struct regs_row *row)
{
	struct cairn_state_reg r;
	uint8_t raw[INDEX_REG] = {0};
	regs_tell(row, &r);
	bool wide = r.bits > 64 || !r.whole;
	base_put_le64(raw + INDEX_REG_VALUE, wide ? u->wide.len : r.value);
	base_put_le64(raw + INDEX_REG_TOLD, r.told);
	base_put_le32(raw + INDEX_REG_BITS, r.bits);
	base_put_le16(raw + INDEX_REG_HART, r.hart);
	base_put_le16(raw + INDEX_REG_NUM, r.num);
	raw[INDEX_REG_CLS] = r.cls;
	raw[INDEX_REG_FORM] = wide ? INDEX_WIDE : INDEX_INLINE;
	int rc = base_buf_put(&u->entry, raw, sizeof raw);
	if (rc < 0 || !wide)
		return rc;
	base_put_le64(raw, r.value);
	base_put_le64(raw + 8, r.known);
	size_t n = (size_t)index_wide_bytes(r.bits);
	rc = base_buf_put(&u->wide, r.wide ? r.wide : raw, n);
	return rc < 0 ? rc : base_buf_put(&u->wide, r.wide ? r.wide_known : raw + 8, n);
}

/* The registers of which something is known now, in the order of their keys. */
static int index_build_snapshot(struct build *u)
{
	const struct regs_row **known;
	size_t n;
	int rc = regs_sorted(&u->regs, &known, &n);
	u->entry.len = u->wide.len = 0;
	u->n_entry = (uint32_t)n;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = index_build_put_reg(u, known[i]);
	base_free(u->c, known);
	return rc;
}

/* ---- walks ---- */

/* The walks of one page, the last one last. */
static int by_page(const void *a, const void *b)
{
	const uint8_t *x = *(const uint8_t *const *)a, *y = *(const uint8_t *const *)b;
	int d = memcmp(x + INDEX_WALK_KIND, y + INDEX_WALK_KIND, INDEX_WALK_ARGS - INDEX_WALK_KIND);
	uint64_t size = walk_page(x), other = walk_page(y), va = walk_va(x), vb = walk_va(y);
	return d               ? d
	       : size != other ? (size < other ? -1 : 1)
	       : va != vb      ? (va < vb ? -1 : 1)
	                       : (x > y) - (x < y);
}

static bool same_page(const uint8_t *x, const uint8_t *y)
{
	return !memcmp(x + INDEX_WALK_KIND, y + INDEX_WALK_KIND, INDEX_WALK_ARGS - INDEX_WALK_KIND) &&
	       walk_page(x) == walk_page(y) && walk_va(x) == walk_va(y);
}

/* Of each page the last walk. */
static int put_walks(struct build *u, const struct index_part *p, uint32_t *count)
{
	const uint8_t **order = base_alloc(u->c, ((size_t)p->n_walks + 1) * sizeof *order);
	const uint8_t *at = p->walks.data;
	int rc = order ? 0 : CAIRN_E_NOMEM;
	*count = 0;
	for (uint32_t i = 0; i < p->n_walks && order; i++) {
		order[i] = at;
		at += walk_bytes(at);
	}
	if (order && p->n_walks)
		qsort(order, p->n_walks, sizeof *order, by_page);
	for (uint32_t i = 0; i < p->n_walks && rc >= 0; i++) {
		if (i + 1 < p->n_walks && same_page(order[i], order[i + 1]))
			continue;
		rc = base_buf_put(&u->data, order[i], walk_bytes(order[i]));
		++*count;
	}
	base_free(u->c, order);
	return rc;
}

/* ---- rows ---- */

static int put_filter(struct build *u, const struct index_pages *s, uint32_t *blocks)
{
	size_t bits = s->n * BITS_A_PAGE, block_bits = 8 * INDEX_BLOCK;
	*blocks = s->any ? INDEX_ANY_PAGE : (uint32_t)((bits + block_bits - 1) / block_bits);
	if (s->any || *blocks == 0)
		return 0;
	size_t bytes = (size_t)*blocks * INDEX_BLOCK;
	int rc = base_buf_reserve(&u->data, bytes);
	if (rc < 0)
		return rc;
	uint8_t *filter = u->data.data + u->data.len;
	memset(filter, 0, bytes);
	for (size_t i = 0; i < s->cap; i++)
		if (s->rows[i])
			index_page_put(filter, *blocks, s->rows[i] - 1);
	u->data.len += bytes;
	return 0;
}

static int index_build_put_row(struct build *u, const struct index_part *p)
{
	static const uint8_t zeros[8];
	uint8_t row[INDEX_ROW] = {0};
	uint32_t reads = 0, writes = 0, walks = 0;
	const struct cairn_tally *t = &p->tally;
	const uint64_t counts[] = {t->executed,       t->loads,  t->stores,  t->branches,
	                           t->branches_taken, t->events, t->accesses};
	base_put_le64(row + INDEX_SPAN_FIRST, p->first);
	base_put_le64(row + INDEX_SPAN_COUNT, p->count);
	base_put_le64(row + INDEX_SPAN_RECORD, p->record);
	base_put_le64(row + INDEX_SPAN_OFFSET, p->offset);
	base_put_le64(row + INDEX_SPAN_PLACE, p->place);
	u->placed |= p->place != 0;
	base_put_le32(row + INDEX_SPAN_STATE_LEN, (uint32_t)p->state.len);
	base_put_le32(row + INDEX_SPAN_REGS, u->n_entry);
	base_put_le64(row + INDEX_SPAN_DATA, u->data.len); /* the base is added at the end */
	int rc = base_buf_put(&u->data, p->state.data, p->state.len);
	if (rc >= 0)
		rc = base_buf_put(&u->data, zeros, (8 - p->state.len % 8) % 8);
	if (rc >= 0)
		rc = base_buf_put(&u->data, u->entry.data, u->entry.len);
	if (rc >= 0)
		rc = base_buf_put(&u->data, u->wide.data, u->wide.len);
	size_t before = u->data.len;
	if (rc >= 0)
		rc = put_walks(u, p, &walks);
	base_put_le32(row + INDEX_SPAN_WIDE, (uint32_t)u->wide.len);
	base_put_le32(row + INDEX_SPAN_WALKS, walks);
	base_put_le64(row + INDEX_SPAN_WALK_BYTES, u->data.len - before);
	if (rc >= 0)
		rc = put_filter(u, &p->reads, &reads);
	if (rc >= 0)
		rc = put_filter(u, &p->writes, &writes);
	base_put_le32(row + INDEX_SPAN_READS, reads);
	base_put_le32(row + INDEX_SPAN_WRITES, writes);
	for (size_t i = 0; i < INDEX_MASK; i++)
		base_put_le64(row + INDEX_SPAN_MASK + 8 * i, p->mask[i]);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		base_put_le64(row + INDEX_SPAN_COUNTS + 8 * i, counts[i]);
	u->spans++;
	return rc < 0 ? rc : base_buf_put(&u->rows, row, sizeof row);
}

static int end_row(struct build *u)
{
	if (!u->open)
		return 0;
	int rc = index_build_put_row(u, u->open);
	index_part_free(u->c, u->open);
	u->open = NULL;
	return rc;
}

/* Parts borrow a memo of encodings each, and pass it on. */
static struct isa_written_memo *take_memo(struct build *u)
{
	struct isa_written_memo *m = NULL;
	pthread_mutex_lock(&u->lock);
	if (u->memos.len) {
		u->memos.len -= sizeof m;
		memcpy(&m, u->memos.data + u->memos.len, sizeof m);
	}
	pthread_mutex_unlock(&u->lock);
	return m ? m : isa_written_memo_new(u->c);
}

static void rest_memo(struct build *u, struct index_part *p)
{
	struct isa_written_memo *m = p->telling.memo;
	p->telling.memo = NULL;
	pthread_mutex_lock(&u->lock);
	int rc = m ? base_buf_put(&u->memos, &m, sizeof m) : 0;
	pthread_mutex_unlock(&u->lock);
	if (rc < 0)
		isa_written_memo_free(m);
}

/* The next span in trace order; the part is ours now. */
static int index_build_fold(void *user, void *partial)
{
	struct build *u = user;
	struct index_part *p = partial;
	int rc = 0;
	rest_memo(u, p);
	/* A row has no hole in its numbering, and where nothing runs is no row. */
	if (u->open &&
	    ((u->open->count >= GRAIN && p->count) || u->open->first + u->open->count != p->first))
		rc = end_row(u);
	/* Loads and stores of the whole trace go by class where it has no accesses. */
	if (u->has_totals && u->totals.accesses == 0)
		cairn_tally_end(&p->tally);
	u->end = p->first + p->count;
	if (rc >= 0)
		rc = u->open ? 0 : index_build_snapshot(u);
	if (rc >= 0 && !u->open)
		rc = index_memory_row(&u->memory, u->spans, p->first, u->sink);
	if (rc >= 0)
		rc = index_part_apply(p, &u->regs);
	if (rc >= 0 && u->memory.on)
		rc = index_memory_fold(&u->memory, p);
	if (rc >= 0 && u->open)
		rc = index_part_join(u->open, p);
	if (u->open || rc < 0)
		index_part_free(u->c, p);
	else
		u->open = p;
	return rc;
}

/* ---- gathering ---- */

static void free_memos(struct build *u)
{
	struct isa_written_memo *m;
	for (; u->memos.len; u->memos.len -= sizeof m) {
		memcpy(&m, u->memos.data + u->memos.len - sizeof m, sizeof m);
		isa_written_memo_free(m);
	}
	base_buf_free(&u->memos);
	pthread_mutex_destroy(&u->lock);
}

static struct index_part *index_build_new_part(struct build *u)
{
	struct isa_written_memo *memo = take_memo(u);
	struct index_part *p = memo ? index_part_new(u->c, memo, u->r->format->silent) : NULL;
	if (!p)
		isa_written_memo_free(memo);
	if (p && u->memory.on)
		index_part_remember(p, u->r->format->big_endian);
	return p;
}

static int index_build_begin(void *user, void **partial)
{
	*partial = index_build_new_part(user);
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int index_build_tell(void *user, void *partial, struct model_span *s)
{
	struct build *u = user;
	struct index_part *p = partial;
	const struct model_format *f = u->r->format;
	p->first = s->n0;
	if (!u->can_jump || s->seq == 0)
		return 0;
	p->place = f->place(u->r, s);
	int rc = p->place ? f->state_put(u->r, s->entry, &p->state) : 0;
	if (rc >= 0 && p->place && f->span_put)
		rc = f->span_put(u->r, s, &p->state);
	return rc < 0 ? rc : 0;
}

static int index_build_feed(void *user, void *partial, const struct cairn_batch *b)
{
	(void)user;
	return index_part_feed(partial, b);
}

static void index_build_drop(void *user, void *partial)
{
	struct build *u = user;
	rest_memo(u, partial);
	index_part_free(u->c, partial);
}

/* A format that is read by one thread has no spans of its own: batches are counted. */
static int gather_in_order(struct build *u)
{
	struct cairn_batch *b = cairn_batch_new(u->c);
	struct index_part *p = NULL;
	int rc = b ? 0 : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = cairn_next(u->r, b)) > 0) {
		if (!p) {
			p = index_build_new_part(u);
			if (!p) {
				rc = CAIRN_E_NOMEM;
				break;
			}
			p->first = b->n_insns || !b->n_xacts ? b->n0 : b->x0;
		}
		rc = index_part_feed(p, b);
		if (rc >= 0 && p->count >= GRAIN) {
			rc = index_build_fold(u, p);
			p = NULL;
		}
	}
	if (p && rc >= 0)
		rc = index_build_fold(u, p);
	else if (p)
		index_build_drop(u, p);
	cairn_batch_free(u->c, b);
	return rc;
}

static int index_build_gather(struct build *u)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = index_build_begin,
	                                             .feed = index_build_feed,
	                                             .fold = index_build_fold,
	                                             .drop = index_build_drop};
	cairn_reader_want(u->r, CAIRN_EVERYTHING);
	int rc = u->r->format->scan ? model_run_spans(u->r, &reducer, index_build_tell, NULL, false, u,
	                                              u->opts.threads)
	                            : gather_in_order(u);
	return rc < 0 ? rc : end_row(u);
}

/* ---- the file ---- */

static uint32_t flags_of(const struct build *u)
{
	uint64_t damage = cairn_damage_count(u->r);
	bool xacts = cairn_reader_can(u->r) & CAIRN_XACTS;
	return (u->jumps ? (uint32_t)INDEX_JUMPS : 0) | (damage ? (uint32_t)INDEX_DAMAGED : 0) |
	       (xacts ? (uint32_t)INDEX_TRANSACTIONS : 0) |
	       (u->has_totals && !damage ? (uint32_t)INDEX_HAS_TOTALS : 0);
}

struct places {
	uint64_t rows, totals, from, marks, points, data; /* offsets in the file */
	uint32_t from_len;
	uint64_t marks_len;
};

static void index_build_put_head(const struct build *u, uint8_t head[INDEX_HEAD],
                                 const struct places *at)
{
	memcpy(head, INDEX_MAGIC, 8);
	base_put_le32(head + INDEX_AT_VERSION, u->memory.n ? INDEX_WITH_MEMORY : INDEX_VERSION);
	base_put_le32(head + INDEX_AT_FLAGS, flags_of(u));
	base_put_le64(head + INDEX_AT_SIZE, at->data + u->data.len + 8);
	base_put_le64(head + INDEX_AT_TRACE_SIZE, u->ident.size);
	base_put_le64(head + INDEX_AT_TRACE_TIME, u->ident.time);
	base_put_le64(head + INDEX_AT_TRACE_FIRST, u->ident.first);
	base_put_le64(head + INDEX_AT_TRACE_LAST, u->ident.last);
	base_put_le64(head + INDEX_AT_SPANS, u->spans);
	base_put_le64(head + INDEX_AT_END, u->end ? u->end : 1);
	base_put_le64(head + INDEX_AT_ROWS, at->rows);
	base_put_le64(head + INDEX_AT_TOTALS, at->totals);
	base_put_le64(head + INDEX_AT_FROM, at->from);
	base_put_le32(head + INDEX_AT_FROM_LEN, at->from_len);
	base_put_le64(head + INDEX_AT_MARKS, at->marks);
	base_put_le64(head + INDEX_AT_MARKS_LEN, at->marks_len);
	base_put_le32(head + INDEX_AT_POINTS_N, u->memory.n);
	base_put_le64(head + INDEX_AT_POINTS, u->memory.n ? at->points : 0);
}

static uint64_t index_build_padded(uint64_t n)
{
	return (n + 7) & ~(uint64_t)7;
}

static int index_build_put_padded(struct base_buf *out, const void *p, size_t n)
{
	static const uint8_t zeros[8];
	int rc = base_buf_put(out, p, n);
	return rc < 0 ? rc : base_buf_put(out, zeros, (size_t)(index_build_padded(n) - n));
}

/* Where everything will lie; what is told of memory stands before the rows. */
static struct places arrange(const struct build *u, const struct base_buf *marks)
{
	struct places at = {.rows = u->memory.n ? io_sink_tell(u->sink) : INDEX_HEAD,
	                    .marks_len = marks->len,
	                    .from_len = (uint32_t)u->key.len};
	at.totals = at.rows + u->rows.len;
	at.from = at.totals + 8 * INDEX_TOTALS;
	at.marks = at.from + index_build_padded(at.from_len);
	at.points = at.marks + index_build_padded(at.marks_len);
	at.data = at.points + u->memory.rows.len;
	return at;
}

static int put_totals(const struct build *u, struct base_buf *out)
{
	uint8_t totals[8 * INDEX_TOTALS];
	uint64_t counts[INDEX_TOTALS];
	memcpy(counts, &u->totals, sizeof counts); /* all but `missing`, which the numbers tell */
	for (size_t i = 0; i < INDEX_TOTALS; i++)
		base_put_le64(totals + 8 * i, counts[i]);
	return base_buf_put(out, totals, sizeof totals);
}

/* Head, rows, totals, options, marks, points, data, checksum: all but memory. */
static int assemble(struct build *u, const struct base_buf *marks, struct base_buf *out)
{
	uint8_t head[INDEX_HEAD] = {0}, sum[8];
	struct places at = arrange(u, marks);
	for (uint64_t i = 0; i < u->spans; i++) {
		uint8_t *to = u->rows.data + INDEX_ROW * i + INDEX_SPAN_DATA;
		base_put_le64(to, at.data + base_le64(to));
	}
	index_build_put_head(u, head, &at);
	int rc = base_buf_put(out, head, sizeof head);
	if (rc >= 0)
		rc = base_buf_put(out, u->rows.data, u->rows.len);
	if (rc >= 0)
		rc = put_totals(u, out);
	if (rc >= 0)
		rc = index_build_put_padded(out, u->key.data, at.from_len);
	if (rc >= 0)
		rc = index_build_put_padded(out, marks->data, marks->len);
	if (rc >= 0)
		rc = base_buf_put(out, u->memory.rows.data, u->memory.rows.len);
	if (rc >= 0)
		rc = base_buf_put(out, u->data.data, u->data.len);
	if (rc < 0)
		return rc;
	base_put_le64(sum, !u->memory.n ? index_hash(out->data, out->len)
	                                : index_hash_around(index_hash(head, sizeof head),
	                                                    index_hash(out->data + INDEX_HEAD,
	                                                               out->len - INDEX_HEAD)));
	return base_buf_put(out, sum, sizeof sum);
}

/* The file, in which the head has its place before memory, unless it cannot be gone back to. */
static int begin_file(struct build *u)
{
	static const uint8_t head[INDEX_HEAD];
	const struct cairn_tally *t = &u->totals;
	char *path = u->opts.output ? base_strdup(u->c, u->opts.output) : index_path(u->c, u->file);
	int rc = path ? io_sink_open(u->c, path, NULL, INT_MIN, 1, &u->sink) : CAIRN_E_NOMEM;
	base_free(u->c, path);
	if (rc < 0)
		return rc;
	u->remember = (cairn_reader_can(u->r) & CAIRN_MEM_VALUES) && io_sink_seekable(u->sink);
	if (!u->remember)
		return 0;
	uint64_t budget = u->ident.size / MEMORY_SHARE;
	index_memory_begin(&u->memory, u->c, budget < MEMORY_LEAST ? MEMORY_LEAST : budget,
	                   u->has_totals ? t->instructions + t->missing : 0);
	return io_sink_write(u->sink, head, sizeof head);
}

static int end_file(struct build *u)
{
	struct index_ident now;
	struct base_buf out, marks;
	base_buf_init(&out, u->c);
	base_buf_init(&marks, u->c);
	int rc = index_identify(u->c, u->file, &now);
	if (rc >= 0 && memcmp(&now, &u->ident, sizeof now) != 0)
		rc = base_fail(u->c, CAIRN_E_STATE, "%s: changed while it was indexed", u->file);
	if (rc >= 0)
		rc = io_marks_put(u->r->io, &marks);
	if (rc >= 0)
		rc = assemble(u, &marks, &out);
	size_t room = u->remember ? INDEX_HEAD : 0; /* the head has been given its place */
	if (rc >= 0)
		rc = io_sink_write(u->sink, out.data + room, out.len - room);
	if (rc >= 0 && room)
		rc = io_sink_pwrite(u->sink, 0, out.data, room);
	u->stats->bytes = io_sink_tell(u->sink);
	if (rc >= 0)
		rc = io_sink_finish(u->sink);
	else
		io_sink_abort(u->sink);
	u->sink = NULL;
	base_buf_free(&out);
	base_buf_free(&marks);
	return rc;
}

/* ---- all of it ---- */

static int open_trace(struct build *u, const char *trace)
{
	struct cairn_open_opts o = {.size = sizeof o,
	                            .from = u->opts.from,
	                            .no_index = 1,
	                            .image = u->opts.image};
	cairn_close(u->r);
	u->r = NULL;
	return cairn_open(u->c, trace, &o, &u->r);
}

/* Why there are no jumps, and what makes a file that has them. */
static void say_why(const struct build *u, const char *trace)
{
	struct cairn_index_stats *st = u->stats;
	const struct io_source *io = u->r->io;
	const struct model_format *f = u->r->format;
	const char *to = !f->change || !strcmp(f->name, "STF") ? ".zstf"
	                 : !strcmp(f->name, "RST")             ? ".rst"
	                                                       : NULL;
	if (!f->scan || !f->jump)
		snprintf(st->why, sizeof st->why, "%s is read from its beginning", f->name);
	else if (!strcmp(f->name, "ETE"))
		snprintf(
			st->why, sizeof st->why,
			"compressed frames, and those with synchronisation "
			"words or in several files, are taken apart from their beginning; cairn convert %s -o NAME.snapshot makes files that can be jumped in",
			trace);
	else if (!u->can_jump || !u->placed)
		snprintf(st->why, sizeof st->why,
		         "it is packed so that each part hangs on all before it; "
		         "cairn convert %s -o NAME%s makes a file that can be jumped in",
		         trace, to ? to : "");
	else
		snprintf(st->why, sizeof st->why,
		         "%s can only be decoded from the beginning of a piece, "
		         "and one has %llu MiB; cairn convert %s%s -o NAME%s makes a file that can be "
		         "jumped in",
		         io_codec(io), (unsigned long long)(st->reach >> 20),
		         to ? "" : "--codec zstd-seekable ", trace, to ? to : ".zst");
}

static int index_build_build(struct build *u, const char *trace)
{
	int rc = open_trace(u, trace);
	if (rc >= 0) /* of a directory, its snapshot.ini */
		u->file = base_strdup(u->c, io_name(u->r->io));
	if (rc >= 0)
		rc = u->file ? index_identify(u->c, u->file, &u->ident) : CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = index_key(u->r, u->opts.from, &u->key);
	if (rc >= 0 && u->r->format->scan) {
		rc = cairn_count(u->r, u->opts.threads, &u->totals);
		u->has_totals = rc >= 0;
		if (rc >= 0)
			rc = open_trace(u, trace);
	}
	if (rc < 0)
		return rc;
	u->can_jump =
		u->r->format->jump && u->r->format->scan && !u->r->no_jumps && io_can_seek(u->r->io);
	rc = u->can_jump ? io_mark(u->r->io, MARKS_APART) : 0;
	if (rc >= 0)
		rc = begin_file(u);
	if (rc >= 0)
		rc = index_build_gather(u);
	/* In what is one long stream each jump would be reading it from its beginning. */
	u->stats->reach = io_marks_reach(u->r->io);
	uint64_t most = u->stats->reach < io_tell(u->r->io) ? MOST_REACH : SMALL;
	u->jumps = u->can_jump && (u->placed || u->spans <= 1) && u->stats->reach <= most;
	if (rc >= 0)
		rc = end_file(u);
	u->stats->spans = u->spans;
	bool xacts = cairn_reader_can(u->r) & CAIRN_XACTS;
	*(xacts ? &u->stats->transactions : &u->stats->instructions) = u->end ? u->end - 1 : 0;
	u->stats->damage = cairn_damage_count(u->r);
	u->stats->jumps = u->jumps;
	if (!u->jumps)
		say_why(u, trace);
	return rc;
}

int cairn_index_build(struct cairn *c, const char *trace, const struct cairn_index_opts *opts,
                      struct cairn_index_stats *stats)
{
	struct cairn_index_stats none;
	struct build u = {.c = c, .stats = stats ? stats : &none, .regs.c = c};
	*u.stats = (struct cairn_index_stats){0};
	if (opts && opts->size > sizeof u.opts)
		return base_fail(c, CAIRN_E_INVAL, "options of a newer library");
	if (opts)
		memcpy(&u.opts, opts, opts->size);
	const char *out = u.opts.output;
	if (strcmp(trace, "-") == 0)
		return base_fail(c, CAIRN_E_INVAL,
		                 "standard input cannot have an index: it is read "
		                 "only once");
	if (out && (strcmp(out, "-") == 0 || io_sink_clobbers(out, trace)))
		return base_fail(c, CAIRN_E_INVAL, "%s: an index is written to a file of its own", out);
	u.opts.threads = u.opts.threads ? u.opts.threads : 1;
	base_buf_init(&u.entry, c);
	base_buf_init(&u.wide, c);
	base_buf_init(&u.rows, c);
	base_buf_init(&u.data, c);
	base_buf_init(&u.key, c);
	base_buf_init(&u.memos, c);
	pthread_mutex_init(&u.lock, NULL);
	int rc = index_build_build(&u, trace);
	io_sink_abort(u.sink);
	index_memory_free(&u.memory);
	index_part_free(c, u.open);
	regs_free(&u.regs);
	base_buf_free(&u.entry);
	base_buf_free(&u.wide);
	base_buf_free(&u.rows);
	base_buf_free(&u.data);
	base_buf_free(&u.key);
	free_memos(&u);
	base_free(c, u.file);
	cairn_close(u.r);
	return rc;
}
