/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan and seal: what a span does to the state, learnt in one fast walk without
 * knowing where the trace stood before it, and the composition of entry and
 * effect, in trace order.
 *
 * The walk remembers, for each CPU, its last two instructions and its last record of
 * each kind that changes state; seal applies these to the entry. The waiting records
 * at the exit are among the last RST_WAIT of such kinds: what is older waits no more.
 *
 * The walk is also `count`. Whether an instruction with tr was stopped by its trap
 * follows from the TRAP record before it; if that lies in the span before, the
 * instruction is looked at again when sealing.
 */
#include <stdio.h>
#include <string.h>

#include "formats/rst/rst.h"
#include "isa/sparc.h"

enum { SIZE = CAIRN_RST_SIZE };

struct scan {
	struct rst_worker *worker;
	struct rst_span *ss;
	struct cairn_tally *tally;
	struct cairn *cairn;
	struct rst_ids ids; /* since the last INSTR */
	uint64_t waits;     /* records of kinds that wait */
	bool wide;
	int failed;
};

/* What is seen of the record's CPU. */
static struct rst_seen *scan_touch(struct scan *sc, const uint8_t *p)
{
	struct rst_worker *worker = sc->worker;
	unsigned cpu = (unsigned)rst_cpu_of(p, sc->wide);
	struct rst_seen *seen = &worker->seen[cpu];
	if (!seen->touched) {
		seen->touched = 1;
		worker->touched[worker->n_touched++] = (uint16_t)cpu;
	}
	return seen;
}

static void scan_resumes(struct rst_seen *seen, const uint8_t *p)
{
	seen->resume2 = seen->resume;
	seen->resume = p;
}

static void rst_scan_note_bad(struct scan *sc, const uint8_t *p, uint64_t records, uint64_t insns)
{
	struct rst_span *ss = sc->ss;
	if (!ss->bad)
		ss->bad = base_alloc(sc->cairn, MODEL_DAMAGE_KEPT * sizeof *ss->bad);
	if (!ss->bad) {
		sc->failed = CAIRN_E_NOMEM;
		return;
	}
	if (ss->n_bad < MODEL_DAMAGE_KEPT)
		ss->bad[ss->n_bad] = (struct rst_bad){.rec = records, .n = insns, .type = p[0]};
	ss->n_bad++;
}

/* What was seen before does not count any more. */
static void scan_lose(struct scan *sc, const uint8_t *p)
{
	struct rst_worker *worker = sc->worker;
	for (unsigned i = 0; i < worker->n_touched; i++)
		worker->seen[worker->touched[i]] = (struct rst_seen){0};
	worker->n_touched = 0;
	sc->ids.told = 0;
	sc->ss->lost = p;
	sc->ss->lost_waits = sc->waits;
}

/* Records that touch the state but are not frequent. */
static void rst_scan_rare(struct scan *sc, const uint8_t *p, uint64_t records, uint64_t insns)
{
	struct rst_seen *seen;
	if (rst_waits(p[0]))
		sc->worker->waits[sc->waits++ % RST_WAIT] = p;
	switch (p[0]) {
	case CAIRN_RST_PAVADIFF:
		seen = scan_touch(sc, p);
		seen->diff = p;
		if (rst_PAVADIFF_ea_valid(p))
			seen->ea_diff = p;
		break;
	case CAIRN_RST_PHYSADDR:
		scan_touch(sc, p)->phys = p;
		break;
	case CAIRN_RST_TRAP:
		seen = scan_touch(sc, p);
		seen->trap_at = sc->waits;
		seen->trap_pc = rst_TRAP_pc(p);
		seen->stopping = rst_trap_stops(p);
		if (rst_TRAP_npc(p) != seen->trap_pc + 4)
			scan_resumes(seen, p);
		break;
	case CAIRN_RST_REGVAL:
		if (rst_tells_npc(p))
			scan_touch(sc, p)->npc = p;
		else if (rst_tells_resume(p))
			scan_resumes(scan_touch(sc, p), p);
		break;
	case CAIRN_RST_THREAD:
	case CAIRN_RST_PROCESS:
		rst_ids_take(&sc->ids, p);
		break;
	default:
		if (__builtin_expect(!cairn_rst_type_name(p[0]), 0)) {
			rst_scan_note_bad(sc, p, records, insns);
			scan_lose(sc, p);
		}
		break;
	}
}

/* ---- counting ---- */

/* Loads, stores and branches of an instruction that ran or was stopped. */
static inline void count_traits(struct rst_worker *worker, struct cairn_tally *tally,
                                const uint8_t *p, bool stopped, uint64_t by)
{
	uint32_t traits = rst_op(worker, rst_INSTR_instr(p))->traits;
	if (traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) {
		tally->class_loads += traits & CAIRN_TRAIT_LOAD ? by : 0;
		tally->class_stores += traits & CAIRN_TRAIT_STORE ? by : 0;
		if (rst_INSTR_ea_valid(p) && !rst_INSTR_an(p)) {
			tally->loads += traits & CAIRN_TRAIT_LOAD ? by : 0;
			tally->stores += traits & CAIRN_TRAIT_STORE ? by : 0;
			tally->accesses += by;
		}
	} else if (traits & CAIRN_TRAIT_BRANCH) {
		tally->branches += by;
		if ((rst_INSTR_flags(p) & (RST_I_BT | RST_I_AN)) == RST_I_BT && !stopped)
			tally->branches_taken += by;
	}
}

/* An instruction with tr or an. */
static void count_odd(struct scan *sc, const uint8_t *p)
{
	struct rst_worker *worker = sc->worker;
	struct cairn_tally *tally = sc->tally;
	struct rst_seen *seen = scan_touch(sc, p);
	bool stopped = seen->trap_at && seen->stopping && seen->trap_pc == rst_INSTR_pc_va(p) &&
	               sc->waits - seen->trap_at < RST_WAIT;
	if (rst_INSTR_tr(p) && !seen->trap_at && !seen->last && !sc->ss->lost) {
		worker->unsure_tick[worker->n_unsure] = (uint32_t)sc->waits;
		worker->unsure[worker->n_unsure++] = p;
	}
	seen->last = p;
	seen->trap_at = 0;
	stopped = stopped && rst_INSTR_tr(p);
	tally->executed += !stopped && !rst_INSTR_an(p);
	count_traits(worker, tally, p, stopped, 1);
}

/* After the entry is known: was this one stopped by a trap that waits there? */
static void count_unsure(struct rst_worker *worker, struct cairn_tally *tally, const uint8_t *p,
                         const struct rst_state *at, unsigned cpu, uint32_t tick)
{
	const uint8_t *trap = NULL;
	for (uint16_t i = at->cpus[cpu].first; i != RST_NONE; i = at->waiting[i].next)
		if (at->waiting[i].rec[0] == CAIRN_RST_TRAP && tick - at->waiting[i].tick <= RST_WAIT)
			trap = at->waiting[i].rec;
	if (!trap || !rst_trap_stops(trap) || rst_TRAP_pc(trap) != rst_INSTR_pc_va(p))
		return;
	tally->executed -= !rst_INSTR_an(p);
	count_traits(worker, tally, p, false, (uint64_t)-1);
	count_traits(worker, tally, p, true, 1);
}

/* ---- the walk ---- */

enum { AHEAD = 2048 }; /* bytes: the processor alone looks ahead to the end of a page at most */

static inline __attribute__((always_inline)) void rst_scan_walk(struct scan *sc,
                                                                const bool counting)
{
	const uint8_t *p = sc->ss->bytes.window.p, *const end = sc->ss->bytes.window.end;
	struct rst_worker *worker = sc->worker;
	struct cairn_tally *tally = sc->tally;
	const bool wide = sc->wide;
	uint64_t insns = sc->ss->insns, records = sc->ss->records, executed = 0;

	for (; end - p >= SIZE; p += SIZE, records++) {
		__builtin_prefetch((const void *)((uintptr_t)p + AHEAD));
		if (__builtin_expect(p[0] != CAIRN_RST_INSTR, 0)) {
			if (counting)
				tally->by_record[p[0]]++;
			rst_scan_rare(sc, p, records, insns);
			continue;
		}
		unsigned cpu = rst_instr_cpu(p, wide);
		insns++;
		if (counting) {
			if (__builtin_expect(rst_INSTR_flags(p) & (RST_I_TR | RST_I_AN), 0)) {
				count_odd(sc, p);
			} else {
				executed++;
				worker->seen[cpu].trap_at = 0;
				worker->seen[cpu].last = p;
				count_traits(worker, tally, p, false, 1);
			}
		} else {
			struct rst_seen *seen = &worker->seen[cpu];
			if (__builtin_expect(!seen->touched, 0))
				scan_touch(sc, p);
			seen->last2 = seen->last;
			seen->last = p;
			if (__builtin_expect(sc->ids.told, 0)) {
				rst_ids_add(&seen->ids, &sc->ids);
				sc->ids.told = 0;
			}
		}
	}
	if (counting) {
		tally->by_record[CAIRN_RST_INSTR] += insns - sc->ss->insns;
		tally->executed += executed;
	}
	sc->ss->bytes.window.p = p;
	sc->ss->insns = insns;
	sc->ss->records = records;
}

static void rst_scan_close_tally(struct cairn_tally *tally, const struct rst_span *ss)
{
	tally->instructions = ss->insns;
	tally->records = ss->records;
	tally->events = tally->by_record[CAIRN_RST_TRAP];
	tally->contexts = tally->by_record[CAIRN_RST_THREAD] + tally->by_record[CAIRN_RST_PROCESS];
}

int rst_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally)
{
	const struct rst_impl *im = reader->impl;
	struct rst_span *ss = span->priv;
	struct scan sc = {.worker = span->worker,
	                  .ss = ss,
	                  .tally = tally,
	                  .cairn = reader->cairn,
	                  .wide = im->wide};
	memset(sc.worker->seen, 0, sizeof sc.worker->seen);
	sc.worker->n_touched = sc.worker->n_unsure = 0;
	ss->first = ss->bytes.window;
	ss->tally = tally;
	ss->lost = NULL;
	ss->lost_waits = 0;
	for (;;) {
		if (tally)
			rst_scan_walk(&sc, true);
		else
			rst_scan_walk(&sc, false);
		if (sc.failed)
			return sc.failed;
		if (!ss->bytes.window.more)
			break;
		int rc = kit_fill(reader, &ss->bytes);
		if (rc < 0)
			return rc;
	}
	ss->waits = sc.waits;
	ss->ids = sc.ids;
	if (tally)
		rst_scan_close_tally(tally, ss);
	else
		ss->bytes.window = ss->first; /* one window: not alone */
	return 0;
}

/* ---- sealing ---- */

/* What the span did to one CPU. */
static void compose_cpu(struct rst_cpu *cpu, const struct rst_seen *seen)
{
	const uint8_t *notes[] = {seen->ea_diff, seen->diff};
	const uint8_t *moves[] = {seen->resume2, seen->resume, seen->npc, seen->last2, seen->last};
	const size_t n = sizeof moves / sizeof *moves;
	for (size_t i = 1; i < n; i++) /* in the order of the trace; NULLs first */
		for (size_t k = i; k > 0 && moves[k - 1] > moves[k]; k--) {
			const uint8_t *p = moves[k];
			moves[k] = moves[k - 1];
			moves[k - 1] = p;
		}
	for (size_t i = 0; i < n; i++)
		if (moves[i] && moves[i][0] == CAIRN_RST_INSTR)
			rst_step(cpu, moves[i]);
		else if (moves[i])
			rst_note(cpu, moves[i]);
	for (unsigned i = 0; i < 2; i++)
		if (notes[i])
			rst_note(cpu, notes[i]);
	if (seen->phys && (!seen->last || seen->phys > seen->last))
		rst_note(cpu, seen->phys);
	if (seen->diff && seen->last && seen->diff < seen->last)
		cpu->flags = (uint16_t)(cpu->flags & ~RST_C_FETCHED);
	rst_ids_of_cpu(cpu, &seen->ids);
}

/* The number of a record of the span. */
static uint64_t scan_number_of(const struct rst_span *ss, const uint8_t *p)
{
	const uint8_t *first = ss->first.p;
	return ss->at->rec + (uint64_t)(p - first) / SIZE;
}

/* Does this record stand behind an INSTR of its CPU, but for others that do, and for no
 * place where the trace may be cut? */
static bool is_follower(const struct rst_span *ss, const uint8_t *p, int cpu, bool wide)
{
	uint64_t rec = scan_number_of(ss, p), grid = rec - (rec - 1) % RST_GRID;
	const uint8_t *first = ss->first.p;
	if (!rst_follows(p))
		return false;
	while (p > first) {
		p -= SIZE;
		if (p[0] == CAIRN_RST_INSTR)
			return (int)rst_instr_cpu(p, wide) == cpu &&
			       (scan_number_of(ss, p) >= grid || !rst_grid_cut(grid, scan_number_of(ss, p)));
		if (!rst_follows(p) || rst_cpu_of(p, wide) != cpu)
			return false;
	}
	return false;
}

/* The records that wait at the span's end: those that waited where it began and those of
 * its last RST_WAIT that wait, but for those whose CPU ran since. */
static void replay_waiting(const struct rst_span *ss, const struct rst_worker *worker,
                           struct rst_state *at, bool wide)
{
	uint64_t since = ss->waits - ss->lost_waits, n = since < RST_WAIT ? since : (uint64_t)RST_WAIT;
	const struct rst_waiting *old;
	const uint8_t *before = NULL; /* the one before in the ring, */
	int of = -1;                  /* and whose follower it is */
	for (unsigned i = 0; i < RST_MAX_CPUS && at->n_waiting; i++)
		while (worker->seen[i].last && at->cpus[i].first != RST_NONE)
			rst_waited(at, i);
	for (uint64_t i = ss->waits - n; i < ss->waits; i++) {
		const uint8_t *p = worker->waits[i % RST_WAIT];
		int cpu = rst_cpu_of(p, wide);
		uint32_t tick = at->tick + (uint32_t)i;
		while ((old = rst_overdue(at, tick)))
			rst_waited(at, old->cpu);
		/* Long runs of followers are not walked again for each. */
		bool same = before && before == p - SIZE && (scan_number_of(ss, p) - 1) % RST_GRID;
		bool follows = same ? rst_follows(p) && cpu == of : is_follower(ss, p, cpu, wide);
		bool ran = worker->seen[cpu].last && worker->seen[cpu].last > ss->lost;
		if (!follows && !(worker->seen[cpu].last > p) &&
		    (ran || !rst_is_orphan(at, p, (unsigned)cpu)))
			rst_wait(at, p, (unsigned)cpu, tick);
		before = p;
		of = follows ? cpu : -1;
	}
}

/* What stood before the span, or stands at its end, of records that name who runs next; and
 * the last INSTR. */
static void compose_instrs(const struct rst_span *ss, struct rst_state *out, bool wide)
{
	const uint8_t *first = ss->first.p, *end = first + ss->records * SIZE, *last = end;
	if (ss->insns) {
		while (first[0] != CAIRN_RST_INSTR)
			first += SIZE;
		do
			last -= SIZE;
		while (last[0] != CAIRN_RST_INSTR);
		rst_ids_of_cpu(&out->cpus[rst_instr_cpu(first, wide)], &out->ids);
		out->ids.told = 0;
		out->instr = scan_number_of(ss, last);
	}
	rst_ids_add(&out->ids, &ss->ids);
}

/* Where the span ends, from where it began. */
static void rst_scan_compose(const struct rst_span *ss, const struct rst_worker *worker,
                             struct rst_state *out, bool wide)
{
	memcpy(out, ss->at, sizeof *out);
	if (ss->lost)
		rst_lose(out);
	if (!ss->bytes.alone)
		compose_instrs(ss, out, wide);
	/* Alone nothing comes behind it, and of a stream the records seen are gone. */
	for (unsigned i = 0; i < worker->n_touched && !ss->bytes.alone; i++)
		compose_cpu(&out->cpus[worker->touched[i]], &worker->seen[worker->touched[i]]);
	if (!ss->bytes.alone)
		replay_waiting(ss, worker, out, wide);
	out->n += ss->insns;
	out->rec += ss->records;
	out->tick = ss->at->tick + (uint32_t)ss->waits;
}

/* Damage met while counting, now that its number is known. */
static void rst_scan_report_bad(struct cairn_reader *reader, struct model_span *span)
{
	struct rst_span *ss = span->priv;
	char text[448];
	for (uint64_t i = 0; i < ss->n_bad; i++) {
		if (i >= MODEL_DAMAGE_KEPT) {
			span->damage.count += ss->n_bad - i;
			break;
		}
		const struct rst_bad *bad = &ss->bad[i];
		rst_bad_text(text, sizeof text, ss->bytes.begin + bad->rec * SIZE, ss->at->rec + bad->rec,
		             ss->at->n + bad->n, bad->type);
		model_damaged(reader, span, "%s", text);
	}
	if (rst_end_text(ss, text, sizeof text, ss->at->rec + ss->records, ss->at->n + ss->insns))
		model_damaged(reader, span, "%s", text);
}

int rst_seal(struct cairn_reader *reader, const void *before, struct model_span *span)
{
	const struct rst_impl *im = reader->impl;
	struct rst_span *ss = span->priv;
	struct rst_worker *worker = span->worker;
	ss->at = base_alloc(reader->cairn, sizeof *ss->at);
	if (!ss->at)
		return CAIRN_E_NOMEM;
	if (span->seq == 0)
		rst_state_init(ss->at);
	else
		memcpy(ss->at, before, sizeof *ss->at);
	span->n0 = ss->at->n;
	if (!span->scanned)
		return 0;
	for (unsigned i = 0; i < worker->n_unsure && !ss->bytes.alone; i++)
		count_unsure(worker, ss->tally, worker->unsure[i], ss->at,
		             rst_instr_cpu(worker->unsure[i], im->wide),
		             ss->at->tick + worker->unsure_tick[i]);
	rst_scan_compose(ss, worker, (struct rst_state *)span->exit, im->wide);
	span->n1 = ss->at->n + ss->insns;
	if (span->counting)
		rst_scan_report_bad(reader, span);
	return 0;
}
