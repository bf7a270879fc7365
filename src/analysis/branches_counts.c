/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches: counts that can be added in any order: which outcome followed which history, and where
 * indirect branches went. Maps hold them. Of the few branches that run most often an array with a
 * cell for every possible history holds them, which is faster.
 */
#include <string.h>

#include "analysis/branches.h"

static struct branch_counts *counts_take(struct branch_run *run)
{
	pthread_mutex_lock(&run->lock);
	struct branch_counts *counts = run->rest;
	run->rest = counts ? counts->next : NULL;
	pthread_mutex_unlock(&run->lock);
	if (counts || !(counts = base_alloc(run->cairn, sizeof *counts)))
		return counts;
	base_map_init(&counts->local, run->cairn, 2);
	base_map_init(&counts->global, run->cairn, 2);
	base_map_init(&counts->targets, run->cairn, 1);
	base_map_init(&counts->busy, run->cairn, 1);
	return counts;
}

void branch_counts_rest(struct branch_run *run, struct branch_counts *counts)
{
	pthread_mutex_lock(&run->lock);
	counts->next = run->rest;
	run->rest = counts;
	pthread_mutex_unlock(&run->lock);
}

void branch_counts_free(struct branch_run *run, struct branch_counts *counts)
{
	if (!counts)
		return;
	base_map_free(&counts->local);
	base_map_free(&counts->global);
	base_map_free(&counts->targets);
	base_map_free(&counts->busy);
	base_free(run->cairn, counts->cells);
	base_free(run->cairn, counts);
}

bool branch_have_counts(struct branch_run *run, struct branch_part *part)
{
	if (!part->counts)
		part->counts = counts_take(run);
	return part->counts != NULL;
}

/* Move what the cells hold into the maps. */
static int empty_cells(struct branch_counts *counts)
{
	for (size_t i = 0; i < counts->busy.n; i++) {
		uint64_t pc = base_map_row(&counts->busy, i)[0];
		uint32_t *cells = counts->cells + i * BRANCH_CELLS;
		for (unsigned k = 0; k < BRANCH_CELLS; k += 2) {
			struct base_map *map = k < BRANCH_ALL ? &counts->local : &counts->global;
			uint64_t *row =
				cells[k] | cells[k + 1] ? base_map_at(map, pc, k % BRANCH_ALL / 2) : NULL;
			if (!row && cells[k] | cells[k + 1])
				return CAIRN_E_NOMEM;
			for (unsigned taken = 0; taken < 2 && row; taken++)
				row[taken] += cells[k + taken];
		}
		memset(cells, 0, BRANCH_CELLS * sizeof *cells);
	}
	return 0;
}

uint32_t branch_busy_row(struct branch_counts *counts, uint64_t pc)
{
	enum { FIRST = 64, MOST = 2048 };
	if (counts->busy.n == counts->n_rows) {
		size_t rows = counts->n_rows ? 2 * counts->n_rows : FIRST;
		uint32_t *cells = rows > MOST ? NULL
		                              : base_realloc(counts->busy.cairn, counts->cells,
		                                             rows * BRANCH_CELLS * sizeof *cells);
		if (!cells)
			return 0;
		memset(cells + counts->n_rows * BRANCH_CELLS, 0,
		       (rows - counts->n_rows) * BRANCH_CELLS * sizeof *cells);
		counts->cells = cells;
		counts->n_rows = rows;
	}
	uint64_t *row = base_map_at(&counts->busy, pc, 0);
	return row ? (uint32_t)base_map_index(&counts->busy, row) + 1 : 0;
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

struct branch_counts *branches_counts(struct branch_run *run, struct branch_part *part)
{
	int rc = branch_have_counts(run, part) ? empty_cells(part->counts) : CAIRN_E_NOMEM;
	for (struct branch_counts *counts = run->opts->every ? NULL : run->rest; counts && rc >= 0;
	     counts = counts->next)
		rc = branch_counts_add(part->counts, counts);
	return rc < 0 ? NULL : part->counts;
}

int branch_count_history(struct base_map *map, uint64_t pc, uint8_t history, uint64_t taken,
                         uint64_t n)
{
	uint64_t *row = base_map_at(map, pc, history);
	if (!row)
		return CAIRN_E_NOMEM;
	row[taken] += n;
	return 0;
}
