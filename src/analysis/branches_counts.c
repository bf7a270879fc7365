/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches: what only adds up, wherever it comes from: what followed which history, and
 * where indirect branches went. It is kept in maps, and of branches that run often in
 * cells, as many as there can be histories: few branches run most of the time.
 */
#include <string.h>

#include "analysis/branches.h"

static struct branch_counts *counts_take(struct branch_run *u)
{
	pthread_mutex_lock(&u->lock);
	struct branch_counts *n = u->rest;
	u->rest = n ? n->next : NULL;
	pthread_mutex_unlock(&u->lock);
	if (n || !(n = base_alloc(u->c, sizeof *n)))
		return n;
	base_map_init(&n->local, u->c, 2);
	base_map_init(&n->global, u->c, 2);
	base_map_init(&n->targets, u->c, 1);
	base_map_init(&n->busy, u->c, 1);
	return n;
}

void branch_counts_rest(struct branch_run *u, struct branch_counts *n)
{
	pthread_mutex_lock(&u->lock);
	n->next = u->rest;
	u->rest = n;
	pthread_mutex_unlock(&u->lock);
}

void branch_counts_free(struct branch_run *u, struct branch_counts *n)
{
	if (!n)
		return;
	base_map_free(&n->local);
	base_map_free(&n->global);
	base_map_free(&n->targets);
	base_map_free(&n->busy);
	base_free(u->c, n->cells);
	base_free(u->c, n);
}

bool branch_have_counts(struct branch_run *u, struct branch_part *p)
{
	if (!p->counts)
		p->counts = counts_take(u);
	return p->counts != NULL;
}

/* Into the maps with what the cells have. */
static int empty_cells(struct branch_counts *n)
{
	for (size_t i = 0; i < n->busy.n; i++) {
		uint64_t pc = base_map_row(&n->busy, i)[0];
		uint32_t *cells = n->cells + i * BRANCH_CELLS;
		for (unsigned k = 0; k < BRANCH_CELLS; k += 2) {
			struct base_map *m = k < BRANCH_ALL ? &n->local : &n->global;
			uint64_t *row = cells[k] | cells[k + 1] ? base_map_at(m, pc, k % BRANCH_ALL / 2) : NULL;
			if (!row && cells[k] | cells[k + 1])
				return CAIRN_E_NOMEM;
			for (unsigned taken = 0; taken < 2 && row; taken++)
				row[taken] += cells[k + taken];
		}
		memset(cells, 0, BRANCH_CELLS * sizeof *cells);
	}
	return 0;
}

uint32_t branch_busy_row(struct branch_counts *n, uint64_t pc)
{
	enum { FIRST = 64, MOST = 2048 };
	if (n->busy.n == n->n_rows) {
		size_t rows = n->n_rows ? 2 * n->n_rows : FIRST;
		uint32_t *cells =
			rows > MOST ? NULL
						: base_realloc(n->busy.c, n->cells, rows * BRANCH_CELLS * sizeof *cells);
		if (!cells)
			return 0;
		memset(cells + n->n_rows * BRANCH_CELLS, 0,
		       (rows - n->n_rows) * BRANCH_CELLS * sizeof *cells);
		n->cells = cells;
		n->n_rows = rows;
	}
	uint64_t *row = base_map_at(&n->busy, pc, 0);
	return row ? (uint32_t)base_map_index(&n->busy, row) + 1 : 0;
}

int branch_counts_add(struct branch_counts *to, struct branch_counts *from)
{
	int rc = empty_cells(from);
	if (rc >= 0)
		rc = base_map_add(&to->local, &from->local);
	if (rc >= 0)
		rc = base_map_add(&to->global, &from->global);
	if (rc >= 0)
		rc = base_map_add(&to->targets, &from->targets);
	base_map_clear(&from->local);
	base_map_clear(&from->global);
	base_map_clear(&from->targets);
	return rc;
}

struct branch_counts *branches_counts(struct branch_run *u, struct branch_part *p)
{
	int rc = branch_have_counts(u, p) ? empty_cells(p->counts) : CAIRN_E_NOMEM;
	for (struct branch_counts *n = u->opts->every ? NULL : u->rest; n && rc >= 0; n = n->next)
		rc = branch_counts_add(p->counts, n);
	return rc < 0 ? NULL : p->counts;
}

int branch_count_history(struct base_map *m, uint64_t pc, uint8_t history, uint64_t taken,
                         uint64_t n)
{
	uint64_t *row = base_map_at(m, pc, history);
	if (!row)
		return CAIRN_E_NOMEM;
	row[taken] += n;
	return 0;
}
