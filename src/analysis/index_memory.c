/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an index tells of memory: at some of its rows (points) what is known there, written
 * to the file while the trace is read. A point is what is different from the one before, or
 * all of it when the differences since the last whole one have become as large: so to read
 * what was known somewhere costs at most about twice what it takes to tell it, and writing
 * all points twice what changed.
 *
 * An index must not become as large as its trace. So there is a budget in proportion to
 * it, and a row becomes a point when the part of it that belongs to the trace up to there
 * suffices. A trace that writes random numbers to random places has few points, far apart;
 * whether packing one is worth trying is judged by how well the last one was packed. All this depends on
 * nothing but the trace, so the file is the same for any number of threads.
 */
#include "analysis/index.h"

enum {
	PIECE_BYTES = 4,        /* packed, as long as there is no experience */
	MOST_MEMORY = 512 << 20 /* for what is known; beyond, there are no more points */
};

void index_memory_begin(struct index_memory *memory, struct cairn *cairn, uint64_t budget,
                        uint64_t total)
{
	memory->cairn = memory->now.cairn = memory->changes.cairn = cairn;
	memory->now.max_bytes = memory->changes.max_bytes = MOST_MEMORY;
	memory->changes.remember = true;
	memory->budget = budget;
	memory->total = total;
	for (unsigned i = 0; i < 2; i++) {
		memory->last[i].pieces = 1;
		memory->last[i].bytes = PIECE_BYTES;
	}
	memory->on = true;
	base_buf_init(&memory->rows, cairn);
}

static void index_memory_stop(struct index_memory *memory)
{
	memory_free(&memory->now);
	memory_free(&memory->changes);
	memory->on = false;
}

void index_memory_free(struct index_memory *memory)
{
	if (!memory->cairn)
		return;
	index_memory_stop(memory);
	base_buf_free(&memory->rows);
}

static int memory_fold(struct index_memory *memory, const struct index_part *part)
{
	static const struct memory forgotten = {.closed = true};
	int rc = 0;
	for (size_t i = 0; i < part->n_arrivals && rc >= 0; i++) {
		const struct index_arrival *arrival = &part->arrivals[i];
		rc = memory_apply(&memory->now, &arrival->memory, &memory->changes);
		if (rc >= 0 && !arrival->resumes)
			rc = memory_apply(&memory->now, &forgotten, &memory->changes);
	}
	return rc < 0 ? rc : memory_apply(&memory->now, &part->memory, &memory->changes);
}

int index_memory_fold(struct index_memory *memory, const struct index_part *part)
{
	int rc = memory->on && part->memory_is_told ? memory_fold(memory, part) : CAIRN_E_LIMIT;
	if (rc != CAIRN_E_LIMIT)
		return rc;
	index_memory_stop(memory);
	return 0;
}

/* ---- points ---- */

static uint64_t share(uint64_t of, uint64_t part, uint64_t whole)
{
	return (uint64_t)((double)of * ((double)part / (double)whole));
}

static uint64_t expected(const struct index_memory *memory, bool whole)
{
	return share(memory->last[whole].bytes, whole ? memory->now.n : memory->changes.n,
	             memory->last[whole].pieces);
}

static int put_point(struct index_memory *memory, uint64_t row, bool whole,
                     const struct base_buf *packed, struct cairn_sink *out)
{
	uint8_t raw[INDEX_LEN_POINT];
	index_put_POINT_span(raw, row);
	index_put_POINT_at(raw, io_sink_tell(out));
	index_put_POINT_length(raw, packed->len);
	index_put_POINT_hash(raw, index_hash(packed->data, packed->len));
	index_put_POINT_whole(raw, whole);
	memory->spent += packed->len;
	memory->since = whole ? 0 : memory->since + packed->len;
	memory->n++;
	memory_free(&memory->changes);
	memory->changes.closed = false;
	int rc = cairn_sink_write(out, packed->data, packed->len);
	return rc < 0 ? rc : base_buf_put(&memory->rows, raw, sizeof raw);
}

int index_memory_row(struct index_memory *memory, uint64_t row, uint64_t first,
                     struct cairn_sink *out)
{
	if (!memory->on || row == 0 || memory->n == UINT32_MAX)
		return 0;
	uint64_t may =
		memory->total
			? share(memory->budget, first < memory->total ? first : memory->total, memory->total)
			: memory->budget;
	uint64_t part = expected(memory, false), all = expected(memory, true);
	bool whole = memory->n == 0 || memory->changes.closed || memory->since + part > all;
	if (memory->spent + (whole ? all : part) > may)
		return 0;
	struct base_buf packed;
	base_buf_init(&packed, memory->cairn);
	int rc = memory_pack(whole ? &memory->now : &memory->changes, !whole, &packed);
	size_t pieces = whole ? memory->now.n : memory->changes.n;
	if (rc >= 0 && pieces) {
		memory->last[whole].pieces = pieces;
		memory->last[whole].bytes = packed.len;
	}
	if (rc >= 0 && memory->spent + packed.len <= may)
		rc = put_point(memory, row, whole, &packed, out);
	base_buf_free(&packed);
	return rc;
}
