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
	struct cairn *cairn;
	struct cairn_index_opts opts;
	struct cairn_reader *reader;
	struct index_ident ident;
	struct cairn_tally totals;
	bool has_totals, can_jump;
	bool remember;           /* memory is gathered */
	bool placed;             /* a row has a place */
	bool jumps;              /* … and can be had in bounded time */
	struct index_part *open; /* the row being gathered */
	struct regs regs;        /* what is known behind all that was folded … */
	struct base_buf entry;   /* … and as rows, where `open` began, … */
	struct base_buf wide;    /* … with the values that do not fit those */
	uint32_t n_entry;
	struct base_buf rows, data;
	struct index_memory memory;
	struct cairn_sink *sink;
	char *file;          /* beside which it will lie */
	struct base_buf key; /* what it was made with */
	uint64_t spans, end;
	uint64_t base; /* where the data will lie in the file */
	struct cairn_index_stats *stats;
	pthread_mutex_t lock;  /* of: */
	struct base_buf memos; /* struct isa_written_memo *, those not in use */
};

/* ---- walks as they are gathered ---- */

/* Size of the page walked, the second argument; 0 when it is not told. */
static uint64_t walk_page(const uint8_t *walk)
{
	const uint8_t *args = walk + INDEX_LEN_WALK;
	return index_WALK_args(walk) < 2 ? 0 : base_le64(args + 8 * 1);
}

/* Where the page begins. A walk without a proper size counts as a page by itself. */
static uint64_t walk_va(const uint8_t *walk)
{
	uint64_t va = index_WALK_va(walk), size = walk_page(walk);
	return !size || (size & (size - 1)) ? va : va & ~(size - 1);
}

/* ---- registers as rows ---- */

static int index_build_put_reg(struct build *build, const struct regs_row *row)
{
	struct cairn_state_reg reg;
	uint8_t raw[INDEX_LEN_REG] = {0}, values[2][8];
	regs_tell(row, &reg);
	bool wide = reg.bits > 64 || !reg.whole;
	index_put_REG_value(raw, wide ? build->wide.len : reg.value);
	index_put_REG_told(raw, reg.told);
	index_put_REG_bits(raw, reg.bits);
	index_put_REG_hart(raw, reg.hart);
	index_put_REG_num(raw, reg.num);
	index_put_REG_cls(raw, reg.cls);
	index_put_REG_derived(raw, reg.derived);
	index_put_REG_form(raw, wide ? INDEX_WIDE : INDEX_INLINE);
	int rc = base_buf_put(&build->entry, raw, sizeof raw);
	if (rc < 0 || !wide)
		return rc;
	base_put_le64(values[0], reg.value);
	base_put_le64(values[1], reg.known);
	size_t n = (size_t)index_wide_bytes(reg.bits);
	rc = base_buf_put(&build->wide, reg.wide ? reg.wide : values[0], n);
	return rc < 0 ? rc : base_buf_put(&build->wide, reg.wide ? reg.wide_known : values[1], n);
}

/* The registers of which something is known now, in the order of their keys. */
static int index_build_snapshot(struct build *build)
{
	const struct regs_row **known;
	size_t n;
	int rc = regs_sorted(&build->regs, true, &known, &n);
	build->entry.len = build->wide.len = 0;
	build->n_entry = (uint32_t)n;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = index_build_put_reg(build, known[i]);
	base_free(build->cairn, known);
	return rc;
}

/* ---- walks ---- */

static int compare_pages(const uint8_t *left, const uint8_t *right)
{
	int d = memcmp(left + INDEX_SPACE_OF_WALK, right + INDEX_SPACE_OF_WALK, INDEX_LEN_SPACE);
	uint64_t size = walk_page(left), other = walk_page(right), va = walk_va(left),
			 vb = walk_va(right);
	return d ? d : size != other ? (size < other ? -1 : 1) : (va > vb) - (va < vb);
}

/* The walks of one page, the last one first. */
static int by_page(const void *a, const void *b)
{
	const uint8_t *x = *(const uint8_t *const *)a, *y = *(const uint8_t *const *)b;
	int d = compare_pages(x, y);
	return d ? d : (x < y) - (x > y);
}

/* Of each page the last walk. */
static int put_walks(struct build *build, const struct index_part *part, uint32_t *count)
{
	const uint8_t **order = base_alloc(build->cairn, ((size_t)part->n_walks + 1) * sizeof *order);
	const uint8_t *at = part->walks.data;
	int rc = order ? 0 : CAIRN_E_NOMEM;
	*count = 0;
	for (uint32_t i = 0; i < part->n_walks && order; i++) {
		order[i] = at;
		at += index_walk_bytes(at);
	}
	if (order && part->n_walks)
		qsort(order, part->n_walks, sizeof *order, by_page);
	for (uint32_t i = 0; i < part->n_walks && rc >= 0; i++) {
		if (i && compare_pages(order[i - 1], order[i]) == 0)
			continue;
		rc = base_buf_put(&build->data, order[i], (size_t)index_walk_bytes(order[i]));
		++*count;
	}
	base_free(build->cairn, order);
	return rc;
}

/* ---- rows ---- */

static int put_filter(struct build *build, const struct index_pages *pages, uint32_t *blocks)
{
	size_t bits = pages->n * BITS_A_PAGE, block_bits = 8 * INDEX_BLOCK;
	*blocks = pages->any ? INDEX_ANY_PAGE : (uint32_t)((bits + block_bits - 1) / block_bits);
	if (pages->any || *blocks == 0)
		return 0;
	size_t bytes = (size_t)*blocks * INDEX_BLOCK;
	int rc = base_buf_reserve(&build->data, bytes);
	if (rc < 0)
		return rc;
	uint8_t *filter = build->data.data + build->data.len;
	memset(filter, 0, bytes);
	for (size_t i = 0; i < pages->cap; i++)
		if (pages->rows[i])
			index_page_put(filter, *blocks, pages->rows[i] - 1);
	build->data.len += bytes;
	return 0;
}

static int index_build_put_padded(struct base_buf *out, const void *p, size_t n)
{
	static const uint8_t zeros[8];
	int rc = base_buf_put(out, p, n);
	return rc < 0 ? rc : base_buf_put(out, zeros, (size_t)(index_padded(n) - n));
}

/* What a row says of its span, but for its data. */
static void describe_row(struct build *build, const struct index_part *part, uint8_t *row)
{
	const struct cairn_tally *tally = &part->tally;
	index_put_SPAN_first(row, part->first);
	index_put_SPAN_count(row, part->count);
	index_put_SPAN_record(row, part->record);
	index_put_SPAN_offset(row, part->offset);
	index_put_SPAN_place(row, part->place);
	for (size_t i = 0; i < INDEX_MASK; i++)
		index_put_SPAN_mask(row, i, part->mask[i]);
	index_put_SPAN_executed(row, tally->executed);
	index_put_SPAN_loads(row, tally->loads);
	index_put_SPAN_stores(row, tally->stores);
	index_put_SPAN_branches(row, tally->branches);
	index_put_SPAN_branches_taken(row, tally->branches_taken);
	index_put_SPAN_events(row, tally->events);
	index_put_SPAN_accesses(row, tally->accesses);
	build->placed |= part->place != 0;
}

static int index_build_put_row(struct build *build, const struct index_part *part)
{
	uint8_t row[INDEX_LEN_SPAN] = {0};
	uint32_t reads = 0, writes = 0, walks = 0;
	describe_row(build, part, row);
	index_put_SPAN_state_len(row, (uint32_t)part->state.len);
	index_put_SPAN_n_regs(row, build->n_entry);
	index_put_SPAN_wide(row, (uint32_t)build->wide.len);
	index_put_SPAN_data(row, build->data.len); /* the base is added at the end */
	int rc = index_build_put_padded(&build->data, part->state.data, part->state.len);
	if (rc >= 0)
		rc = base_buf_put(&build->data, build->entry.data, build->entry.len);
	if (rc >= 0)
		rc = base_buf_put(&build->data, build->wide.data, build->wide.len);
	size_t before = build->data.len;
	if (rc >= 0)
		rc = put_walks(build, part, &walks);
	index_put_SPAN_n_walks(row, walks);
	index_put_SPAN_walk_bytes(row, build->data.len - before);
	if (rc >= 0)
		rc = put_filter(build, &part->reads, &reads);
	if (rc >= 0)
		rc = put_filter(build, &part->writes, &writes);
	index_put_SPAN_reads(row, reads);
	index_put_SPAN_writes(row, writes);
	build->spans++;
	return rc < 0 ? rc : base_buf_put(&build->rows, row, sizeof row);
}

static int end_row(struct build *build)
{
	if (!build->open)
		return 0;
	int rc = index_build_put_row(build, build->open);
	index_part_free(build->cairn, build->open);
	build->open = NULL;
	return rc;
}

/* Parts borrow a memo of encodings each, and pass it on. */
static struct isa_written_memo *take_memo(struct build *build)
{
	struct isa_written_memo *memo = NULL;
	pthread_mutex_lock(&build->lock);
	if (build->memos.len) {
		build->memos.len -= sizeof memo;
		memcpy(&memo, build->memos.data + build->memos.len, sizeof memo);
	}
	pthread_mutex_unlock(&build->lock);
	return memo ? memo : isa_written_memo_new(build->cairn);
}

static void rest_memo(struct build *build, struct index_part *part)
{
	struct isa_written_memo *memo = part->telling.memo;
	part->telling.memo = NULL;
	pthread_mutex_lock(&build->lock);
	int rc = memo ? base_buf_put(&build->memos, &memo, sizeof memo) : 0;
	pthread_mutex_unlock(&build->lock);
	if (rc < 0)
		isa_written_memo_free(memo);
}

/* The next span in trace order; the part is ours now. */
static int index_build_fold(void *user, void *partial)
{
	struct build *build = user;
	struct index_part *part = partial;
	int rc = 0;
	rest_memo(build, part);
	/* A row has no hole in its numbering, and where nothing runs is no row. */
	if (build->open && ((build->open->count >= GRAIN && part->count) ||
	                    build->open->first + build->open->count != part->first))
		rc = end_row(build);
	/* Loads and stores of the whole trace go by class where it has no accesses. */
	if (build->has_totals && build->totals.accesses == 0)
		model_tally_end(&part->tally);
	build->end = part->first + part->count;
	if (rc >= 0)
		rc = build->open ? 0 : index_build_snapshot(build);
	if (rc >= 0 && !build->open)
		rc = index_memory_row(&build->memory, build->spans, part->first, build->sink);
	if (rc >= 0)
		rc = index_part_apply(part, &build->regs);
	if (rc >= 0 && build->memory.on)
		rc = index_memory_fold(&build->memory, part);
	if (rc >= 0 && build->open)
		rc = index_part_join(build->open, part);
	if (build->open || rc < 0)
		index_part_free(build->cairn, part);
	else
		build->open = part;
	return rc;
}

/* ---- gathering ---- */

static void free_memos(struct build *build)
{
	struct isa_written_memo *memo;
	for (; build->memos.len; build->memos.len -= sizeof memo) {
		memcpy(&memo, build->memos.data + build->memos.len - sizeof memo, sizeof memo);
		isa_written_memo_free(memo);
	}
	base_buf_free(&build->memos);
	pthread_mutex_destroy(&build->lock);
}

static struct index_part *index_build_new_part(struct build *build)
{
	struct isa_written_memo *memo = take_memo(build);
	struct index_part *part =
		memo ? index_part_new(build->cairn, memo, build->reader->format) : NULL;
	if (!part)
		isa_written_memo_free(memo);
	if (part && build->memory.on)
		index_part_remember(part, build->reader->format->big_endian);
	return part;
}

static int index_build_begin(void *user, void **partial)
{
	*partial = index_build_new_part(user);
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int index_build_tell(void *user, void *partial, struct model_span *span)
{
	struct build *build = user;
	struct index_part *part = partial;
	const struct model_format *format = build->reader->format;
	part->first = span->n0;
	if (!build->can_jump || span->seq == 0)
		return 0;
	part->place = format->place(build->reader, span);
	int rc = part->place ? format->state_put(build->reader, span->entry, &part->state) : 0;
	if (rc >= 0 && part->place && format->span_put)
		rc = format->span_put(build->reader, span, &part->state);
	return rc < 0 ? rc : 0;
}

static int index_build_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	(void)user;
	return index_part_feed(partial, batch);
}

static void index_build_drop(void *user, void *partial)
{
	struct build *build = user;
	rest_memo(build, partial);
	index_part_free(build->cairn, partial);
}

/* A format that is read by one thread has no spans of its own: batches are counted. */
static int gather_in_order(struct build *build)
{
	struct cairn_batch *batch = cairn_batch_new(build->cairn);
	struct index_part *part = NULL;
	int rc = batch ? 0 : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = cairn_next(build->reader, batch)) > 0) {
		if (!part) {
			part = index_build_new_part(build);
			if (!part) {
				rc = CAIRN_E_NOMEM;
				break;
			}
			part->first = batch->n_insns || !batch->n_xacts ? batch->n0 : batch->x0;
		}
		rc = index_part_feed(part, batch);
		if (rc >= 0 && part->count >= GRAIN) {
			rc = index_build_fold(build, part);
			part = NULL;
		}
	}
	if (part && rc >= 0)
		rc = index_build_fold(build, part);
	else if (part)
		index_build_drop(build, part);
	cairn_batch_free(build->cairn, batch);
	return rc;
}

static int index_build_gather(struct build *build)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = index_build_begin,
	                                             .feed = index_build_feed,
	                                             .fold = index_build_fold,
	                                             .drop = index_build_drop};
	cairn_reader_want(build->reader, CAIRN_EVERYTHING);
	int rc = build->reader->format->scan
	             ? model_run_spans(build->reader, &reducer, index_build_tell, NULL, false, build,
	                               build->opts.threads)
	             : gather_in_order(build);
	return rc < 0 ? rc : end_row(build);
}

/* ---- the file ---- */

static uint32_t flags_of(const struct build *build)
{
	uint64_t damage = cairn_damage_count(build->reader);
	bool xacts = cairn_reader_can(build->reader) & CAIRN_XACTS;
	/* Totals do not say that an outcome is unknown, that something is damaged, or what else should
	 * be known of the trace. */
	bool has_totals = build->has_totals && !build->totals.outcomes_unknown && !damage &&
	                  !cairn_reader_note(build->reader, 0);
	return (build->jumps ? (uint32_t)INDEX_JUMPS : 0) | (damage ? (uint32_t)INDEX_DAMAGED : 0) |
	       (xacts ? (uint32_t)INDEX_TRANSACTIONS : 0) |
	       (has_totals ? (uint32_t)INDEX_HAS_TOTALS : 0);
}

/* Where everything will lie; what is told of memory stands before the rows. Where the data begins. */
static uint64_t arrange(const struct build *build, const struct base_buf *marks, uint8_t *head)
{
	uint64_t at = build->memory.n ? io_sink_tell(build->sink) : INDEX_LEN_HEAD;
	index_put_HEAD_rows(head, at);
	index_put_HEAD_totals(head, at += build->rows.len);
	index_put_HEAD_from(head, at += INDEX_LEN_TOTALS);
	index_put_HEAD_from_len(head, (uint32_t)build->key.len);
	index_put_HEAD_marks(head, at += index_padded(build->key.len));
	index_put_HEAD_marks_len(head, marks->len);
	at += index_padded(marks->len);
	index_put_HEAD_points(head, build->memory.n ? at : 0);
	index_put_HEAD_n_points(head, build->memory.n);
	at += build->memory.rows.len;
	index_put_HEAD_size(head, at + build->data.len + INDEX_SUM);
	return at;
}

static void index_build_put_head(const struct build *build, uint8_t *head)
{
	memcpy(head, INDEX_MAGIC, sizeof INDEX_MAGIC - 1);
	index_put_HEAD_version(head, build->memory.n ? INDEX_WITH_MEMORY : INDEX_VERSION);
	index_put_HEAD_flags(head, flags_of(build));
	index_put_HEAD_trace_size(head, build->ident.size);
	index_put_HEAD_trace_time(head, build->ident.time);
	index_put_HEAD_trace_first(head, build->ident.first);
	index_put_HEAD_trace_last(head, build->ident.last);
	index_put_HEAD_spans(head, build->spans);
	index_put_HEAD_end(head, build->end ? build->end : 1);
}

/* All but `missing`, which the numbers tell. */
static int put_totals(const struct build *build, struct base_buf *out)
{
	uint8_t totals[INDEX_LEN_TOTALS];
#define PUT(room, record, field, bytes, about) \
	index_put_TOTALS_##field(totals, build->totals.field);
#define PUT_ALL(room, record, field, count, bytes, about) \
	for (size_t i = 0; i < (count); i++) \
		index_put_TOTALS_##field(totals, i, build->totals.field[i]);
	INDEX_FIELDS_TOTALS(PUT, PUT_ALL, index, TOTALS)
#undef PUT
#undef PUT_ALL
	return base_buf_put(out, totals, sizeof totals);
}

/* Head, rows, totals, options, marks, points, data, checksum: all but memory. */
static int assemble(struct build *build, const struct base_buf *marks, struct base_buf *out)
{
	uint8_t head[INDEX_LEN_HEAD] = {0}, sum[INDEX_SUM];
	uint64_t data = arrange(build, marks, head);
	for (uint64_t i = 0; i < build->spans; i++) {
		uint8_t *row = build->rows.data + INDEX_LEN_SPAN * i;
		index_put_SPAN_data(row, data + index_SPAN_data(row));
	}
	index_build_put_head(build, head);
	int rc = base_buf_put(out, head, sizeof head);
	if (rc >= 0)
		rc = base_buf_put(out, build->rows.data, build->rows.len);
	if (rc >= 0)
		rc = put_totals(build, out);
	if (rc >= 0)
		rc = index_build_put_padded(out, build->key.data, build->key.len);
	if (rc >= 0)
		rc = index_build_put_padded(out, marks->data, marks->len);
	if (rc >= 0)
		rc = base_buf_put(out, build->memory.rows.data, build->memory.rows.len);
	if (rc >= 0)
		rc = base_buf_put(out, build->data.data, build->data.len);
	if (rc < 0)
		return rc;
	base_put_le64(sum, index_sum(out->data, out->data + INDEX_LEN_HEAD, out->len - INDEX_LEN_HEAD));
	return base_buf_put(out, sum, sizeof sum);
}

/* The file, in which the head has its place before memory, unless it cannot be gone back to. */
static int begin_file(struct build *build)
{
	static const uint8_t head[INDEX_LEN_HEAD];
	const struct cairn_tally *tally = &build->totals;
	char *path = build->opts.output ? base_strdup(build->cairn, build->opts.output)
	                                : index_path(build->cairn, build->file);
	int rc =
		path ? io_sink_open(build->cairn, path, NULL, INT_MIN, 1, &build->sink) : CAIRN_E_NOMEM;
	base_free(build->cairn, path);
	if (rc < 0)
		return rc;
	build->remember =
		(cairn_reader_can(build->reader) & CAIRN_MEM_VALUES) && io_sink_seekable(build->sink);
	if (!build->remember)
		return 0;
	uint64_t budget = build->ident.size / MEMORY_SHARE;
	index_memory_begin(&build->memory, build->cairn, budget < MEMORY_LEAST ? MEMORY_LEAST : budget,
	                   build->has_totals ? tally->instructions + tally->missing : 0);
	return cairn_sink_write(build->sink, head, sizeof head);
}

static int end_file(struct build *build)
{
	struct index_ident now;
	struct base_buf out, marks;
	base_buf_init(&out, build->cairn);
	base_buf_init(&marks, build->cairn);
	int rc = index_identify(build->cairn, build->file, &now);
	if (rc >= 0 && memcmp(&now, &build->ident, sizeof now) != 0)
		rc =
			base_fail(build->cairn, CAIRN_E_STATE, "%s: changed while it was indexed", build->file);
	if (rc >= 0)
		rc = io_marks_put(build->reader->io, &marks);
	if (rc >= 0)
		rc = assemble(build, &marks, &out);
	size_t room = build->remember ? INDEX_LEN_HEAD : 0; /* the head has been given its place */
	if (rc >= 0)
		rc = cairn_sink_write(build->sink, out.data + room, out.len - room);
	if (rc >= 0 && room)
		rc = io_sink_pwrite(build->sink, 0, out.data, room);
	build->stats->bytes = io_sink_tell(build->sink);
	if (rc >= 0)
		rc = cairn_sink_finish(build->sink);
	else
		cairn_sink_discard(build->sink);
	build->sink = NULL;
	base_buf_free(&out);
	base_buf_free(&marks);
	return rc;
}

/* ---- all of it ---- */

static int open_trace(struct build *build, const char *trace)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = build->opts.from,
	                               .no_index = 1,
	                               .image = build->opts.image};
	cairn_close(build->reader);
	build->reader = NULL;
	return cairn_open(build->cairn, trace, &opts, &build->reader);
}

/* Why there are no jumps, and what makes a file that has them. */
static void say_why(const struct build *build, const char *trace)
{
	struct cairn_index_stats *st = build->stats;
	const struct io_source *io = build->reader->io;
	const struct model_format *format = build->reader->format;
	const char *to = format->change ? format->jumping : build->reader->jumping;
	if (!format->scan || !format->jump)
		snprintf(st->why, sizeof st->why, "%s is read from its beginning", format->name);
	else if (format->no_jumps)
		snprintf(st->why, sizeof st->why,
		         "%s; cairn convert %s -o NAME%s makes files that can be jumped in",
		         format->no_jumps, trace, format->jumping);
	else if (!build->can_jump || !build->placed)
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

static int index_build_build(struct build *build, const char *trace)
{
	const char *from = build->opts.from;
	int rc = open_trace(build, trace);
	if (rc >= 0) /* of a directory, its snapshot.ini */
		build->file = base_strdup(build->cairn, io_name(build->reader->io));
	if (rc >= 0)
		rc = build->file ? index_identify(build->cairn, build->file, &build->ident) : CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = index_key(build->reader, from && *from == '?' ? from + 1 : from, &build->key);
	if (rc >= 0 && build->reader->format->scan) {
		build->totals.size = sizeof build->totals;
		rc = cairn_count(build->reader, build->opts.threads, &build->totals);
		build->has_totals = rc >= 0;
		if (rc >= 0)
			rc = open_trace(build, trace);
	}
	if (rc < 0)
		return rc;
	build->can_jump = build->reader->format->jump && build->reader->format->scan &&
	                  !build->reader->no_jumps && io_can_seek(build->reader->io);
	rc = build->can_jump ? io_mark(build->reader->io, MARKS_APART) : 0;
	if (rc >= 0)
		rc = begin_file(build);
	if (rc >= 0)
		rc = index_build_gather(build);
	/* In what is one long stream each jump would be reading it from its beginning. */
	build->stats->reach = io_marks_reach(build->reader->io);
	uint64_t most = build->stats->reach < io_tell(build->reader->io) ? MOST_REACH : SMALL;
	build->jumps =
		build->can_jump && (build->placed || build->spans <= 1) && build->stats->reach <= most;
	if (rc >= 0)
		rc = end_file(build);
	build->stats->spans = build->spans;
	bool xacts = cairn_reader_can(build->reader) & CAIRN_XACTS;
	*(xacts ? &build->stats->transactions : &build->stats->instructions) =
		build->end ? build->end - 1 : 0;
	build->stats->damage = cairn_damage_count(build->reader);
	if (build->opts.read)
		build->opts.read(build->opts.user, build->reader);
	build->stats->jumps = build->jumps;
	if (!build->jumps)
		say_why(build, trace);
	return rc;
}

int cairn_index_build(struct cairn *cairn, const char *trace, const struct cairn_index_opts *opts,
                      struct cairn_index_stats *stats)
{
	struct cairn_index_stats own = {.size = sizeof own};
	struct build build = {.cairn = cairn, .stats = &own, .regs.cairn = cairn};
	if (stats && base_sized(cairn, stats, "cairn_index_stats") < 0)
		return CAIRN_E_INVAL;
	if (opts && opts->size > sizeof build.opts)
		return base_fail(cairn, CAIRN_E_INVAL, "options of a newer library");
	if (opts)
		memcpy(&build.opts, opts, opts->size);
	const char *out = build.opts.output;
	if (strcmp(trace, "-") == 0)
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "standard input cannot have an index: it is read "
		                 "only once");
	if (out && (strcmp(out, "-") == 0 || cairn_same_file(out, trace)))
		return base_fail(cairn, CAIRN_E_INVAL, "%s: an index is written to a file of its own", out);
	build.opts.threads = build.opts.threads ? build.opts.threads : 1;
	base_buf_init(&build.entry, cairn);
	base_buf_init(&build.wide, cairn);
	base_buf_init(&build.rows, cairn);
	base_buf_init(&build.data, cairn);
	base_buf_init(&build.key, cairn);
	base_buf_init(&build.memos, cairn);
	pthread_mutex_init(&build.lock, NULL);
	int rc = index_build_build(&build, trace);
	cairn_sink_discard(build.sink);
	index_memory_free(&build.memory);
	index_part_free(cairn, build.open);
	regs_free(&build.regs);
	base_buf_free(&build.entry);
	base_buf_free(&build.wide);
	base_buf_free(&build.rows);
	base_buf_free(&build.data);
	base_buf_free(&build.key);
	free_memos(&build);
	base_free(cairn, build.file);
	cairn_close(build.reader);
	if (stats)
		base_give(stats, &own, sizeof own);
	return rc;
}
