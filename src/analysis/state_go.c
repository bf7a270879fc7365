/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing a state to a place. It starts at the nearest place where the index holds the registers
 * (and memory, if all of it is wanted), or at the beginning of the trace, and goes on slot by
 * slot. Single bytes of memory are looked for in older and older parts, except those whose
 * filters say that they do not touch them, until it is cheaper to read the contents of memory
 * from the index.
 */
#include "analysis/state.h"
#include "cairn/index.h"
#include "model/index.h"

enum { FEW_SPANS = 4 }; /* spans read to recall bytes before all of memory is asked for */

/* ---- where to begin ---- */

/* Does the index hold all of memory in the way this state reads it? */
static bool has_memory(const struct cairn_state *state, const struct cairn_reader *reader)
{
	const struct cairn_index *index = cairn_reader_index(reader);
	return index && index_points(index) && state->opts.memory != CAIRN_STATE_NONE &&
	       (!state->opts.big_endian || reader->format->big_endian);
}

/* The span to begin at for number `n`, -1 for the trace's beginning. What is
 * recalled later must be reachable by jumps. */
static int64_t nearest(const struct cairn_state *state, const struct cairn_reader *reader,
                       uint64_t n, uint64_t *first)
{
	const struct cairn_index *index = cairn_reader_index(reader);
	struct cairn_index_span span = {.size = sizeof span};
	*first = 1;
	bool all = state->opts.memory == CAIRN_STATE_ALL;
	if (!index || (all && !has_memory(state, reader)) ||
	    (state->opts.memory == CAIRN_STATE_NEAR && !cairn_reader_jumps(reader)))
		return -1;
	int64_t i = cairn_index_find(index, n), point;
	while (i > 0 && cairn_index_span(index, (size_t)i, &span) >= 0 && cairn_reader_jumps(reader) &&
	       !span.jumps)
		i--;
	if (all && i > 0)
		i = (point = index_point_before(index, (uint64_t)i)) < 0
		        ? -1
		        : (int64_t)index_point(index, (size_t)point).span;
	if (i <= 0 || cairn_index_span(index, (size_t)i, &span) < 0)
		return -1;
	*first = span.first;
	return i;
}

static int load_regs(struct cairn_state *state, const struct cairn_index *index, size_t span)
{
	size_t n = index_all_regs(index, span, NULL, 0);
	struct cairn_state_reg *regs = base_alloc(state->cairn, (n + 1) * sizeof *regs);
	int rc = regs ? 0 : CAIRN_E_NOMEM;
	if (regs)
		index_all_regs(index, span, regs, n);
	state->regs.lost = index_is_damaged(index) && (!n || regs[0].hart == CAIRN_NO_HART);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = regs_load(&state->regs, &regs[i]);
	base_free(state->cairn, regs);
	return rc;
}

/* What memory held at point `k`: the last whole point, and what changed from there. */
static int load_memory(struct cairn_state *state, const struct cairn_index *index, size_t k)
{
	size_t from = k;
	int rc = 0;
	while (!index_point(index, from).whole)
		from--;
	for (; from <= k && rc >= 0; from++) {
		struct index_point point = index_point(index, from);
		rc = index_hash(point.packed, point.n) == point.hash
		         ? memory_unpack(&state->memory, point.packed, point.n)
		         : CAIRN_E_DAMAGED;
	}
	return rc;
}

static int state_go_load(struct cairn_state *state, const struct cairn_index *index, size_t span)
{
	int rc = load_regs(state, index, span);
	if (rc >= 0 && state->opts.memory == CAIRN_STATE_ALL)
		rc = load_memory(state, index, (size_t)index_point_before(index, span));
	return rc;
}

static void forget_all(struct cairn_state *state)
{
	cairn_state_clear(state);
	state->memory.closed = false;
	state->at = 0;
	state->slot = 0;
	model_batch_clear(state->batch);
	model_batch_close(state->batch, 0, 0, 0, 0);
}

static int state_go_start(struct cairn_state *state, struct cairn_reader *reader, uint64_t n)
{
	uint64_t first;
	int64_t span = nearest(state, reader, n, &first);
	int rc = 0;
	forget_all(state);
	if (span > 0 &&
	    (rc = state_go_load(state, cairn_reader_index(reader), (size_t)span)) == CAIRN_E_DAMAGED) {
		index_distrust(reader);
		return state_go_start(state, reader, n); /* without its memory */
	}
	if (rc >= 0 && (first > 1 || reader->started || reader->skip_to || reader->jumped))
		rc = cairn_seek(reader, first);
	if (rc < 0)
		return rc;
	state->from = first;
	state->peeked = 0;
	state->telling.big = state->opts.big_endian || reader->format->big_endian;
	state->telling.silent = reader->format->silent;
	state->telling.switches = reader->format->switches;
	state->reader = reader;
	return 0;
}

/* Is going on from here no farther than beginning anew? */
static bool state_go_may_go_on(const struct cairn_state *state, const struct cairn_reader *reader,
                               uint64_t n)
{
	uint64_t first;
	if (state->reader != reader || n < state->at)
		return false;
	nearest(state, reader, n, &first);
	return first <= state->at;
}

/* ---- going ---- */

static int not_there(const struct cairn_state *state, uint64_t n, const char *why)
{
	return base_fail(state->cairn, CAIRN_E_NOTFOUND, "%s: number %llu %s",
	                 io_name(state->reader->io), (unsigned long long)n, why);
}

/* The next batch, without what lies before the place where reading began. */
static int next_batch(struct cairn_state *state)
{
	struct cairn_batch *batch = state->batch;
	int rc = cairn_next(state->reader, batch);
	if (rc <= 0) {
		model_batch_clear(batch);
		model_batch_close(batch, 0, 0, 0, 0);
		state->slot = 0;
		return rc;
	}
	uint64_t before = state->from > batch->n0 ? state->from - batch->n0 : 0;
	state->slot = before < batch->n_insns ? (uint32_t)before : batch->n_insns;
	return 1;
}

/* Add everything before number `n`; the batch at hand then holds it, in the slot s->slot. */
static int walk_to(struct cairn_state *state, uint64_t n)
{
	for (;;) {
		struct cairn_batch *batch = state->batch;
		bool here = batch->n_insns && n < batch->n0 + batch->n_insns;
		if (here && n < batch->n0)
			return not_there(state, n, "is missing from the trace");
		uint32_t to = here ? (uint32_t)(n - batch->n0) : batch->n_insns + 1;
		int rc = cairn_state_step(state, batch, state->slot, to);
		state->slot = to;
		if (rc >= 0 && !here)
			rc = next_batch(state);
		if (rc == 0 && !here)
			return not_there(state, n, "is past the end of the trace");
		if (rc < 0 || here)
			return rc;
	}
}

static int may_go(struct cairn_state *state, const struct cairn_reader *reader, uint64_t n)
{
	uint32_t can = cairn_reader_can(reader);
	if (n == 0)
		return base_fail(state->cairn, CAIRN_E_INVAL, "instructions are numbered from 1");
	if (can & CAIRN_XACTS)
		return base_fail(state->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: bus transactions have no state of registers and memory",
		                 io_name(reader->io));
	if (!(can & (CAIRN_REG_VALUES | CAIRN_MEM_VALUES)))
		return base_fail(state->cairn, CAIRN_E_UNSUPPORTED, "%s: %s traces hold no values",
		                 io_name(reader->io), reader->format->name);
	return 0;
}

int cairn_state_go(struct cairn_state *state, struct cairn_reader *reader, uint64_t n)
{
	int rc = may_go(state, reader, n);
	if (rc >= 0 && !state_go_may_go_on(state, reader, n))
		rc = state_go_start(state, reader, n);
	if (rc >= 0)
		rc = walk_to(state, n);
	if (rc >= 0 && state->peeked != n)
		rc = cairn_state_peek(state, state->batch, state->slot);
	if (rc < 0) {
		state->reader = NULL; /* where it is, is not known */
		return rc;
	}
	state->at = state->peeked = n;
	state->row = state->slot;
	return 0;
}

int cairn_state_go_after(struct cairn_state *state, struct cairn_reader *reader, uint64_t n)
{
	int rc = cairn_state_go(state, reader, n);
	if (rc >= 0)
		rc = cairn_state_step(state, state->batch, state->slot, state->slot + 1);
	if (rc < 0) {
		state->reader = NULL;
		return rc;
	}
	state->slot++;
	state->at = n + 1;
	return 0;
}

const struct cairn_batch *cairn_state_batch(const struct cairn_state *state, uint32_t *row)
{
	const struct cairn_batch *batch = state->batch;
	*row = state->row;
	return state->at ? batch : NULL;
}

/* ---- looking further back ---- */

/* What a span tells of memory, on its own. */
static int report_span(struct cairn_state *old, struct cairn_reader *reader, size_t index,
                       const struct cairn_index_span *span)
{
	uint64_t end = span->first + span->count;
	forget_all(old);
	int rc = load_regs(old, cairn_reader_index(reader), index);
	if (rc >= 0)
		rc = cairn_seek(reader, span->first);
	old->reader = reader;
	old->telling.silent = reader->format->silent;
	old->telling.switches = reader->format->switches;
	old->from = span->first;
	while (rc >= 0 && (rc = next_batch(old)) > 0) {
		const struct cairn_batch *batch = old->batch;
		uint64_t left = end > batch->n0 ? end - batch->n0 : 0;
		rc = cairn_state_step(old, batch, old->slot,
		                      left < batch->n_insns ? (uint32_t)left : batch->n_insns + 1);
		if (batch->n_insns && left <= batch->n_insns)
			break;
	}
	return rc;
}

static int state_go_fill(struct cairn_state *state, const struct cairn_state *old,
                         const struct cairn_space *space, uint64_t addr, uint64_t size)
{
	int rc = 0;
	while (size && rc >= 0) {
		uint64_t k = 64 - addr % 64 < size ? 64 - addr % 64 : size;
		rc = memory_fill(&state->memory, space, addr, k, &old->memory);
		addr += k;
		size -= k;
	}
	return rc;
}

static bool may_tell(const struct cairn_index *index, size_t row, uint64_t addr, uint64_t size)
{
	return cairn_index_reads(index, row, addr, size) || cairn_index_writes(index, row, addr, size);
}

/* Where span `index` begins, the index may hold all that is older: 1, or 0 when it does not. */
static int recall_point(struct cairn_state *state, struct cairn_state *old,
                        struct cairn_reader *reader, int64_t index, const struct cairn_space *space,
                        uint64_t addr, uint64_t size)
{
	const struct cairn_index *x = cairn_reader_index(reader);
	int64_t point = has_memory(state, reader) ? index_point_before(x, (uint64_t)index) : -1;
	if (point < 0 || index_point(x, (size_t)point).span != (uint64_t)index)
		return 0;
	forget_all(old);
	int rc = load_memory(old, x, (size_t)point);
	if (rc == CAIRN_E_DAMAGED) {
		index_distrust(reader);
		return 0;
	}
	if (rc >= 0)
		rc = state_go_fill(state, old, space, addr, size);
	return rc < 0 ? rc : 1;
}

int cairn_state_recall(struct cairn_state *state, struct cairn_reader *reader,
                       struct cairn_space space, uint64_t addr, uint64_t size)
{
	const struct cairn_index *index = cairn_reader_index(reader);
	int64_t i = index && state->from > 1 && state->opts.memory == CAIRN_STATE_NEAR
	                ? cairn_index_find(index, state->from)
	                : 0;
	struct cairn_state_opts opts = state->opts;
	struct cairn_state *old;
	struct cairn_index_span span = {.size = sizeof span};
	unsigned read = 0;
	if (i <= 0 || memory_all_set(&state->memory, &space, addr, size))
		return 0;
	int rc = cairn_state_new(state->cairn, &opts, &old);
	state->reader = NULL; /* the reader goes elsewhere */
	while (rc >= 0 && i-- > 0 && !memory_all_set(&state->memory, &space, addr, size)) {
		if (!may_tell(index, (size_t)i, addr, size))
			continue;
		rc = ++read > FEW_SPANS ? recall_point(state, old, reader, i + 1, &space, addr, size) : 0;
		if (rc)
			break;
		rc = cairn_index_span(index, (size_t)i, &span);
		if (rc >= 0)
			rc = report_span(old, reader, (size_t)i, &span);
		if (rc >= 0)
			rc = state_go_fill(state, old, &space, addr, size);
		if (old->memory.closed) /* what is older does not count for any of these bytes */
			break;
	}
	cairn_state_free(old);
	return rc < 0 ? rc : 0;
}
