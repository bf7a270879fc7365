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

void index_memory_begin(struct index_memory *m, struct cairn *c, uint64_t budget, uint64_t total)
{
	m->c = m->now.c = m->changes.c = c;
	m->now.max_bytes = m->changes.max_bytes = MOST_MEMORY;
	m->changes.remember = true;
	m->budget = budget;
	m->total = total;
	for (unsigned i = 0; i < 2; i++) {
		m->last[i].pieces = 1;
		m->last[i].bytes = PIECE_BYTES;
	}
	m->on = true;
	base_buf_init(&m->rows, c);
}

static void index_memory_stop(struct index_memory *m)
{
	memory_free(&m->now);
	memory_free(&m->changes);
	m->on = false;
}

void index_memory_free(struct index_memory *m)
{
	if (!m->c)
		return;
	index_memory_stop(m);
	base_buf_free(&m->rows);
}

int index_memory_fold(struct index_memory *m, const struct index_part *p)
{
	int rc =
		m->on && p->memory_is_told ? memory_apply(&m->now, &p->memory, &m->changes) : CAIRN_E_LIMIT;
	if (rc != CAIRN_E_LIMIT)
		return rc;
	index_memory_stop(m);
	return 0;
}

/* ---- points ---- */

static uint64_t share(uint64_t of, uint64_t part, uint64_t whole)
{
	return (uint64_t)((double)of * ((double)part / (double)whole));
}

static uint64_t expected(const struct index_memory *m, bool whole)
{
	return share(m->last[whole].bytes, whole ? m->now.n : m->changes.n, m->last[whole].pieces);
}

static int put_point(struct index_memory *m, uint64_t row, bool whole,
                     const struct base_buf *packed, struct io_sink *out)
{
	uint8_t raw[INDEX_POINT] = {0};
	base_put_le64(raw + INDEX_POINT_SPAN, row);
	base_put_le64(raw + INDEX_POINT_AT, io_sink_tell(out));
	base_put_le64(raw + INDEX_POINT_LEN, packed->len);
	base_put_le64(raw + INDEX_POINT_HASH, index_hash(packed->data, packed->len));
	raw[INDEX_POINT_WHOLE] = whole;
	m->spent += packed->len;
	m->since = whole ? 0 : m->since + packed->len;
	m->n++;
	memory_free(&m->changes);
	m->changes.closed = false;
	int rc = io_sink_write(out, packed->data, packed->len);
	return rc < 0 ? rc : base_buf_put(&m->rows, raw, sizeof raw);
}

int index_memory_row(struct index_memory *m, uint64_t row, uint64_t first, struct io_sink *out)
{
	if (!m->on || row == 0 || m->n == UINT32_MAX)
		return 0;
	uint64_t may =
		m->total ? share(m->budget, first < m->total ? first : m->total, m->total) : m->budget;
	uint64_t part = expected(m, false), all = expected(m, true);
	bool whole = m->n == 0 || m->changes.closed || m->since + part > all;
	if (m->spent + (whole ? all : part) > may)
		return 0;
	struct base_buf packed;
	base_buf_init(&packed, m->c);
	int rc = memory_pack(whole ? &m->now : &m->changes, !whole, &packed);
	size_t pieces = whole ? m->now.n : m->changes.n;
	if (rc >= 0 && pieces) {
		m->last[whole].pieces = pieces;
		m->last[whole].bytes = packed.len;
	}
	if (rc >= 0 && m->spent + packed.len <= may)
		rc = put_point(m, row, whole, &packed, out);
	base_buf_free(&packed);
	return rc;
}
