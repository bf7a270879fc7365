/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The P0 elements that are open since a Trace Info, so far as the rules ask: how many, and
 * where the Atoms are among them.
 *
 * They are kept in runs of one kind, a number each: how many, times two, and 1 for Atoms.
 * Neighbours differ in kind, so a run of Atoms is the last one or the one before.
 */
#include <string.h>

#include "formats/ete/rules.h"

static uint32_t *run_at(const struct ete_open *o, size_t i)
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
	o->n = 0;
}

/* What is resolved is at the beginning, and given back when it is most of it. */
static void make_room(struct ete_open *o)
{
	size_t n = n_runs(o);
	if (o->head < 1024 || o->head < n / 2)
		return;
	memmove(o->runs.data, run_at(o, o->head), (n - o->head) * sizeof(uint32_t));
	o->runs.len = (n - o->head) * sizeof(uint32_t);
	o->head = 0;
}

int ete_open_add(struct ete_open *o, uint32_t n, bool atoms)
{
	uint32_t run = 2 * n + atoms;
	uint32_t *last = n_runs(o) > o->head ? run_at(o, n_runs(o) - 1) : NULL;
	o->n += n;
	if (last && (*last & 1) == atoms && *last < UINT32_MAX / 2) {
		*last += 2 * n;
		return 0;
	}
	make_room(o);
	return base_buf_put(&o->runs, &run, sizeof run);
}

void ete_open_commit(struct ete_open *o, uint64_t n)
{
	o->n -= n;
	while (n) {
		uint32_t *run = run_at(o, o->head);
		uint64_t take = *run >> 1 < n ? *run >> 1 : n;
		*run -= (uint32_t)(2 * take);
		n -= take;
		o->head += *run < 2;
	}
	if (o->head == n_runs(o))
		o->runs.len = o->head = 0;
}

void ete_open_cancel(struct ete_open *o, uint64_t n)
{
	o->n -= n;
	while (n) {
		uint32_t *run = run_at(o, n_runs(o) - 1);
		uint64_t take = *run >> 1 < n ? *run >> 1 : n;
		*run -= (uint32_t)(2 * take);
		n -= take;
		if (*run < 2)
			o->runs.len -= sizeof *run;
	}
}

bool ete_open_atom(const struct ete_open *o)
{
	size_t n = n_runs(o);
	return (n > o->head && (*run_at(o, n - 1) & 1)) ||
	       (n > o->head + 1 && (*run_at(o, n - 2) & 1));
}
