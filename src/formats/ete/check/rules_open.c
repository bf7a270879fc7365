/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The P0 elements that are open since a Trace Info, so far as the rules ask: how many, how
 * many Atoms are among them, and Exceptions that others came behind.
 *
 * They are kept in runs of one kind, a number each: how many, times four, and the kind. An
 * Exception is a run of its own.
 */
#include <string.h>

#include "formats/ete/check/rules.h"

enum { FOLLOWED = ETE_OPEN_EXCEPTION + 1, KIND = 3 };

static uint32_t *rules_open_run_at(const struct ete_open *open, size_t index)
{
	return (uint32_t *)(void *)open->runs.data + index;
}

static size_t n_runs(const struct ete_open *open)
{
	return open->runs.len / sizeof(uint32_t);
}

void ete_open_forget(struct ete_open *open)
{
	open->runs.len = open->head = 0;
	open->n = open->atoms = 0;
}

/* Elements that are resolved lie at the beginning. Give back their room when it is most of it. */
static void rules_open_make_room(struct ete_open *open)
{
	size_t n = n_runs(open);
	if (open->head < 1024 || open->head < n / 2)
		return;
	memmove(open->runs.data, rules_open_run_at(open, open->head),
	        (n - open->head) * sizeof(uint32_t));
	open->runs.len = (n - open->head) * sizeof(uint32_t);
	open->head = 0;
}

int ete_open_add(struct ete_open *open, uint32_t n, enum ete_open_kind kind)
{
	uint32_t run = 4 * n + kind;
	uint32_t *last = n_runs(open) > open->head ? rules_open_run_at(open, n_runs(open) - 1) : NULL;
	open->n += n;
	open->atoms += kind == ETE_OPEN_ATOMS ? n : 0;
	if (last && (*last & KIND) == ETE_OPEN_EXCEPTION)
		++*last;
	else if (last && (*last & KIND) == kind && *last < UINT32_MAX / 2) {
		*last += 4 * n;
		return 0;
	}
	rules_open_make_room(open);
	return base_buf_put(&open->runs, &run, sizeof run);
}

/* Take up to n elements of a run; returns how many. */
static uint64_t rules_open_take(struct ete_open *open, uint32_t *run, uint64_t n)
{
	uint64_t got = *run / 4 < n ? *run / 4 : n;
	*run -= (uint32_t)(4 * got);
	open->n -= got;
	open->atoms -= (*run & KIND) == ETE_OPEN_ATOMS ? got : 0;
	return got;
}

void ete_open_commit(struct ete_open *open, uint64_t n)
{
	while (n) {
		uint32_t *run = rules_open_run_at(open, open->head);
		n -= rules_open_take(open, run, n);
		open->head += *run < 4;
	}
	if (open->head == n_runs(open))
		open->runs.len = open->head = 0;
}

unsigned ete_open_cancel(struct ete_open *open, uint64_t n)
{
	unsigned followed = 0;
	while (n) {
		uint32_t *run = rules_open_run_at(open, n_runs(open) - 1);
		followed += (*run & KIND) == FOLLOWED;
		n -= rules_open_take(open, run, n);
		if (*run < 4)
			open->runs.len -= sizeof *run;
	}
	return followed;
}
