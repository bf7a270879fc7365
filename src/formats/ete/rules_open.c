/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The P0 elements that are open since a Trace Info, so far as the rules ask: how many, how
 * many Atoms are among them, and Exceptions that others came behind.
 *
 * They are kept in runs of one kind, a number each: how many, times four, and the kind. An
 * Exception is a run of its own.
 */
#include <string.h>

#include "formats/ete/rules.h"

enum { FOLLOWED = ETE_OPEN_EXCEPTION + 1, KIND = 3 };

static uint32_t *rules_open_run_at(const struct ete_open *o, size_t i)
{
	return (uint32_t *)(void *)o->runs.data + i;
}

static size_t n_runs(const struct ete_open *o)
{
	return o->runs.len / sizeof(uint32_t);
}

void ete_open_forget(struct ete_open *o)
{
	o->runs.len = o->head = 0;
	o->n = o->atoms = 0;
}

/* What is resolved is at the beginning, and given back when it is most of it. */
static void rules_open_make_room(struct ete_open *o)
{
	size_t n = n_runs(o);
	if (o->head < 1024 || o->head < n / 2)
		return;
	memmove(o->runs.data, rules_open_run_at(o, o->head), (n - o->head) * sizeof(uint32_t));
	o->runs.len = (n - o->head) * sizeof(uint32_t);
	o->head = 0;
}

int ete_open_add(struct ete_open *o, uint32_t n, enum ete_open_kind kind)
{
	uint32_t run = 4 * n + kind;
	uint32_t *last = n_runs(o) > o->head ? rules_open_run_at(o, n_runs(o) - 1) : NULL;
	o->n += n;
	o->atoms += kind == ETE_OPEN_ATOMS ? n : 0;
	if (last && (*last & KIND) == ETE_OPEN_EXCEPTION)
		++*last;
	else if (last && (*last & KIND) == kind && *last < UINT32_MAX / 2) {
		*last += 4 * n;
		return 0;
	}
	rules_open_make_room(o);
	return base_buf_put(&o->runs, &run, sizeof run);
}

/* Take up to n of a run: how many. */
static uint64_t rules_open_take(struct ete_open *o, uint32_t *run, uint64_t n)
{
	uint64_t got = *run / 4 < n ? *run / 4 : n;
	*run -= (uint32_t)(4 * got);
	o->n -= got;
	o->atoms -= (*run & KIND) == ETE_OPEN_ATOMS ? got : 0;
	return got;
}

void ete_open_commit(struct ete_open *o, uint64_t n)
{
	while (n) {
		uint32_t *run = rules_open_run_at(o, o->head);
		n -= rules_open_take(o, run, n);
		o->head += *run < 4;
	}
	if (o->head == n_runs(o))
		o->runs.len = o->head = 0;
}

unsigned ete_open_cancel(struct ete_open *o, uint64_t n)
{
	unsigned followed = 0;
	while (n) {
		uint32_t *run = rules_open_run_at(o, n_runs(o) - 1);
		followed += (*run & KIND) == FOLLOWED;
		n -= rules_open_take(o, run, n);
		if (*run < 4)
			o->runs.len -= sizeof *run;
	}
	return followed;
}
