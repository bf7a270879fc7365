/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of one trace on their way to an output.
 *
 * A record belongs to an instruction: to the next one of its CPU, to the one just before
 * it (values after), or, where it names no CPU, to the next one of anybody. So it waits,
 * in the order of the trace, until that instruction is kept or left out, and goes the
 * same way; RST_WAIT records later it is too late. What is left out is learnt from
 * (carried.c). Where a CPU comes back after instructions of it were left out, or comes for
 * the first time, it is told first what the output would otherwise miss: TLBs, PREG, the
 * trap stack, registers, who runs, the difference of addresses; and a RECNUM says how
 * many instructions of the input and of the output lie before. TLBs of all CPUs stand before
 * the first instruction of the output.
 *
 * In the middle of a long range, where nobody has anything to be told, instructions with all
 * that waits for them are copied as they lie. What waits for an INSTR that is not in sight is
 * overtaken no sooner than IN_ORDER records later.
 *
 * Several outputs may be made at once, whose ranges come in the order of the trace. They share
 * the queue and what is known of the CPUs; what each was told is its own. Each gets what it
 * would get alone (tests/unit/test_rst_parts.c), so where order is given up depends on places in
 * the input only.
 */
#include "formats/rst/change/remake.h"

enum { SIZE = CAIRN_RST_SIZE, NEAR = RST_WAIT + 2, IN_ORDER = 8192 };
enum rst_entry_state { OPEN, KEEP, DROP };
/* Since a CPU's last INSTR, which was dropped or kept, only records that may follow it have come.
 * BEHIND_OTHER: others have. */
enum { BEHIND_OTHER, BEHIND_DROPPED, BEHIND_KEPT, BEHIND_LOST /* a record that cannot be read */ };

int rst_segment_open(struct rst_remake *remake, struct cairn_reader *reader,
                     struct rst_segment *segment)
{
	const struct rst_impl *im = reader->impl;
	*segment = (struct rst_segment){.remake = remake,
	                                .reader = reader,
	                                .version = im->version,
	                                .wide = im->wide,
	                                .last_cpu = -1};
	rst_cursor_init(&segment->cursor, reader);
	rst_prologue_init(&segment->prologue, remake->cairn);
	base_buf_init(&segment->front, remake->cairn);
	base_buf_init(&segment->ids, remake->cairn);
	base_buf_init(&segment->late, remake->cairn);
	memset(segment->attention, 1, sizeof segment->attention);
	memset(segment->owner, RST_NOBODY, sizeof segment->owner);
	return rst_carried_new(remake->cairn, im->wide, &segment->carried);
}

int rst_segment_again(struct rst_segment *segment)
{
	rst_carried_free(segment->carried);
	segment->head = segment->n_q = segment->open = segment->open_loose = segment->decided = 0;
	memset(segment->direct, 0, sizeof segment->direct);
	segment->recent[0] = segment->recent[1] = segment->recent_to = 0;
	memset(segment->open_of, 0, sizeof segment->open_of);
	segment->last_cpu = -1;
	memset(segment->attention, 1, sizeof segment->attention);
	memset(segment->hole, 1, sizeof segment->hole);
	memset(segment->behind, BEHIND_OTHER, sizeof segment->behind);
	int rc = rst_carried_new(segment->remake->cairn, segment->wide, &segment->carried);
	return rc < 0 ? rc : rst_cursor_seek(&segment->cursor, 1);
}

void rst_segment_close(struct rst_segment *segment)
{
	if (!segment->reader)
		return;
	rst_carried_free(segment->carried);
	rst_prologue_free(&segment->prologue);
	base_buf_free(&segment->front);
	base_buf_free(&segment->ids);
	base_buf_free(&segment->late);
	base_free(segment->reader->cairn, segment->entry);
	base_free(segment->reader->cairn, segment->runs);
}

/* ---- the queue ---- */

/* The counter of waiting records for the stretch in which record `at` came; NULL when that is so
 * long ago that they may be overtaken. */
static size_t *count_recent(struct rst_segment *segment, uint64_t at)
{
	uint64_t now = segment->cursor.rec / IN_ORDER, then = at / IN_ORDER;
	for (; segment->recent_to < now; segment->recent_to++)
		segment->recent[(segment->recent_to + 1) % 2] = 0;
	return then + 1 >= now ? &segment->recent[then % 2] : NULL;
}

static int segment_push(struct rst_segment *segment, const uint8_t *p, int cpu,
                        enum rst_entry_state state)
{
	if (segment->head && segment->head == segment->n_q)
		segment->head = segment->n_q = 0;
	if (segment->n_q == segment->cap_q && segment->head > segment->n_q / 2) {
		memmove(segment->entry, segment->entry + segment->head,
		        (segment->n_q - segment->head) * sizeof *segment->entry);
		segment->n_q -= segment->head;
		segment->head = 0;
	}
	if (segment->n_q == segment->cap_q) {
		size_t cap = segment->cap_q ? 2 * segment->cap_q : 256;
		struct rst_entry *entry =
			base_realloc(segment->remake->cairn, segment->entry, cap * sizeof *entry);
		if (!entry)
			return CAIRN_E_NOMEM;
		segment->entry = entry;
		segment->cap_q = cap;
	}
	struct rst_entry *e = &segment->entry[segment->n_q++];
	memcpy(e->rec, p, SIZE);
	e->cpu = (int16_t)cpu;
	e->state = (uint8_t)state;
	e->output = (uint8_t)segment->output;
	e->at = segment->cursor.rec;
	e->waited = state == OPEN;
	if (state != OPEN) {
		segment->direct[segment->output]++;
		return 0;
	}
	if (p[0] == CAIRN_RST_TLB && rst_carried_await_tlb(segment->carried, p) < 0)
		return CAIRN_E_NOMEM;
	segment->open++;
	(*count_recent(segment, e->at))++;
	if (cpu < 0) {
		segment->open_loose++;
	} else {
		segment->open_of[cpu]++;
		segment->attention[cpu] = 1;
	}
	return 0;
}

/* Put records before entry `at`. */
static int segment_insert(struct rst_segment *segment, size_t at, const struct base_buf *buf)
{
	size_t n = buf->len / SIZE;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		size_t behind = segment->n_q - at; /* push may move the queue */
		rc = segment_push(segment, buf->data + i * SIZE, -1, KEEP);
		if (rc < 0)
			break;
		at = segment->n_q - 1 - behind;
		struct rst_entry entry = segment->entry[segment->n_q - 1];
		memmove(segment->entry + at + 1, segment->entry + at, behind * sizeof entry);
		segment->entry[at++] = entry;
	}
	return rc;
}

static int segment_put(struct rst_segment *segment, struct rst_remake *remake, const uint8_t *p,
                       size_t records)
{
	uint8_t out[SIZE];
	int rc = 0;
	if (segment->version == remake->version || !segment->version)
		return rst_remake_put(remake, p, records);
	for (size_t i = 0; i < records && rc >= 0; i++) {
		rc = rst_remake_convert(remake, segment->version, p + i * SIZE, out);
		if (rc > 0)
			rc = rst_remake_put(remake, out, 1);
	}
	return rc;
}

/* A decided entry leaves the queue. */
static int segment_pop(struct rst_segment *segment, const struct rst_entry *entry)
{
	if (entry->waited)
		segment->decided--;
	else
		segment->direct[entry->output]--;
	if (entry->state != KEEP)
		return 0;
	return segment_put(segment, segment->all ? segment->all[entry->output] : segment->remake,
	                   entry->rec, 1);
}

/* Write what is decided, past what is not. */
static int segment_settle(struct rst_segment *segment)
{
	size_t to = segment->head;
	int rc = 0;
	for (size_t i = segment->head; i < segment->n_q && rc >= 0; i++) {
		if (segment->entry[i].state == OPEN)
			segment->entry[to++] = segment->entry[i];
		else
			rc = segment_pop(segment, &segment->entry[i]);
	}
	segment->n_q = to;
	return rc;
}

/* Write what is decided at the queue's head. Behind a record that waits, order is kept for a while,
 * and given up at places in the input that do not depend on the output. */
static int segment_flush(struct rst_segment *segment)
{
	uint64_t stretch = segment->cursor.rec / IN_ORDER;
	int rc = 0;
	for (; rc >= 0 && segment->head < segment->n_q && segment->entry[segment->head].state != OPEN;
	     segment->head++)
		rc = segment_pop(segment, &segment->entry[segment->head]);
	if (rc < 0 || stretch == segment->stretch)
		return rc;
	segment->stretch = stretch;
	bool old =
		segment->head < segment->n_q && segment->entry[segment->head].at / IN_ORDER + 1 < stretch;
	return old ? segment_settle(segment) : 0;
}

static int segment_decide(struct rst_segment *segment, struct rst_entry *entry, bool keep)
{
	bool tlb = entry->rec[0] == CAIRN_RST_TLB;
	if (tlb)
		keep = rst_carried_settle_tlb(segment->carried, entry->rec, keep);
	entry->state = keep ? KEEP : DROP;
	entry->output = (uint8_t)segment->output;
	segment->decided++;
	segment->open--;
	size_t *recent = count_recent(segment, entry->at);
	if (recent)
		--*recent;
	if (entry->cpu < 0)
		segment->open_loose--;
	else
		segment->open_of[entry->cpu]--;
	return tlb ? 0 : rst_carried_take(segment->carried, entry->rec, keep);
}

/* All outputs being made lose records. */
static int segment_lose(struct rst_segment *segment, const char *what, uint64_t n)
{
	if (!segment->all)
		return rst_remake_lost(segment->remake, what, 1, n);
	int rc = 0;
	for (unsigned i = 0; i < segment->n_all && rc >= 0; i++)
		if (!((struct rst_remake *)segment->all[i])->over)
			rc = rst_remake_lost(segment->all[i], what, 1, n);
	return rc;
}

/* A record of an unknown type may have been anything. No output has it, so behind it a splice
 * repeats what it knows of each CPU. */
static int segment_doubt(struct rst_segment *segment)
{
	rst_carried_lose(segment->carried);
	memset(segment->attention, 1, sizeof segment->attention);
	memset(segment->hole, 1, sizeof segment->hole);
	memset(segment->behind, BEHIND_LOST, sizeof segment->behind);
	return segment_lose(segment, "records of unknown types", segment->cursor.n);
}

/* More records wait than can be held: the oldest are given up. State among them is repeated when
 * its CPU runs. */
static int segment_give_up(struct rst_segment *segment)
{
	int rc = 0;
	for (size_t i = segment->head; i < segment->n_q && segment->open > IN_ORDER / 4 && rc >= 0;
	     i++) {
		struct rst_entry *entry = &segment->entry[i];
		unsigned type = entry->rec[0];
		if (entry->state != OPEN)
			continue;
		if (type == CAIRN_RST_TRAP || type == CAIRN_RST_MEMVAL || type == CAIRN_RST_TRAPEXIT ||
		    type == CAIRN_RST_TRAPPING_INSTR || type == CAIRN_RST_PHYSADDR || entry->cpu < 0)
			rc = segment_lose(segment, "records whose CPU does not run", 0);
		if (rc >= 0)
			rc = segment_decide(segment, entry, false);
	}
	return rc < 0 ? rc : segment_flush(segment);
}

/* ---- instructions ---- */

/* Find the first waiting entry of a CPU, and the place behind everything that the output will have
 * in any case: the last INSTR and what follows it. */
static void find_places(const struct rst_segment *segment, int cpu, size_t *first, size_t *behind)
{
	*first = segment->n_q;
	*behind = segment->head;
	for (size_t i = segment->n_q; i-- > segment->head;) {
		const struct rst_entry *entry = &segment->entry[i];
		if (entry->state == OPEN && entry->cpu == cpu)
			*first = i;
		if (entry->state == KEEP && entry->output == segment->output && *behind == segment->head)
			*behind = i + 1;
	}
}

static int put_recnum(struct rst_segment *segment, unsigned cpu)
{
	uint8_t p[SIZE] = {CAIRN_RST_RECNUM};
	if (segment->remake->version < RST_VERSION(2, 0))
		return 0;
	rst_put_RECNUM_is_recnum(p, 1);
	rst_put_RECNUM_level(p, segment->remake->level < 127 ? segment->remake->level : 127);
	rst_put_RECNUM_rectype(p, CAIRN_RST_INSTR);
	rst_put_RECNUM_cpuid(p, cpu);
	rst_put_RECNUM_outcount(p, segment->remake->kept);
	/* Parts whose counts differ by the same number would look like one without a gap: so also say
	 * that a part begins to be read here. */
	uint64_t left_out = segment->cursor.n - 1 - segment->remake->kept;
	int rc = 0;
	if (left_out == segment->remake->counted[cpu] && segment->remake->ran[cpu])
		rc = base_buf_put(&segment->front, p, SIZE);
	segment->remake->counted[cpu] = left_out;
	rst_put_RECNUM_incount(p, segment->cursor.n - 1);
	return rc < 0 ? rc : base_buf_put(&segment->front, p, SIZE);
}

/* The first difference of addresses of a CPU stands before its first TRAP. Any other stands
 * just before its INSTR (rst_segment's `late`). */
static int report_first_diff(struct rst_segment *segment, unsigned cpu, size_t first)
{
	for (size_t i = first; i < segment->n_q && !segment->remake->ran[cpu]; i++) {
		const struct rst_entry *entry = &segment->entry[i];
		if (entry->cpu != (int)cpu || entry->state != OPEN)
			continue;
		if (entry->rec[0] == CAIRN_RST_PAVADIFF)
			return 0;
		if (entry->rec[0] == CAIRN_RST_TRAP)
			return rst_carried_tell_diff(segment->carried, cpu, false, &segment->front);
	}
	return 0;
}

/* Does the state that waits for its splice differ from what is known? */
static bool begins_anew(const struct rst_segment *segment, unsigned cpu)
{
	bool counted = false;
	for (size_t i = segment->head; i < segment->n_q && segment->open_of[cpu]; i++) {
		const struct rst_entry *entry = &segment->entry[i];
		if (entry->state != OPEN || entry->cpu != (int)cpu)
			continue;
		counted |= rst_counts_insns(entry->rec);
		if (counted && entry->rec[0] == CAIRN_RST_PREG)
			return true;
	}
	return false;
}

/* An INSTR is kept: put what its CPU has to be told. */
static int segment_tell(struct rst_segment *segment, unsigned cpu, const uint8_t *p)
{
	size_t first, behind;
	int rc = 0;
	segment->front.len = segment->ids.len = 0;
	find_places(segment, (int)cpu, &first, &behind);
	if (segment->hole[cpu])
		rc = put_recnum(segment, cpu);
	segment->hole[cpu] = 0;
	if (segment->carried->cpus[cpu] && begins_anew(segment, cpu)) {
		rst_tell(&segment->carried->cpus[cpu]->preg_told, segment->output);
		rst_tell(&segment->carried->cpus[cpu]->level_told, segment->output);
	}
	if (rc >= 0)
		rc = rst_carried_tell(segment->carried, cpu, p, &segment->front, &segment->ids);
	if (rc >= 0)
		rc = rst_remake_note(
			segment->remake,
			"PREG as last recorded: an instruction has written its ASI or PSTATE since",
			segment->carried->stale, segment->cursor.n);
	segment->carried->stale = 0;
	if (rc >= 0)
		rc = report_first_diff(segment, cpu, first);
	bool apart = first < behind;
	if (rc >= 0)
		rc = segment_insert(segment, behind, &segment->ids);
	if (rc >= 0) {
		find_places(segment, (int)cpu, &first, &behind);
		rc = segment_insert(segment, apart ? first : behind, &segment->front);
	}
	return rc;
}

static int decide_waiting(struct rst_segment *segment, int cpu, bool keep)
{
	size_t left = segment->open_loose + segment->open_of[cpu], i = segment->n_q;
	int rc = 0;
	while (left && i > segment->head) { /* they came late */
		const struct rst_entry *entry = &segment->entry[--i];
		left -= entry->state == OPEN && (entry->cpu == cpu || entry->cpu < 0);
	}
	for (; i < segment->n_q && segment->open_loose + segment->open_of[cpu] && rc >= 0; i++) {
		struct rst_entry *entry = &segment->entry[i];
		if (entry->state == OPEN && (entry->cpu == cpu || entry->cpu < 0))
			rc = segment_decide(segment, entry, keep);
	}
	return rc;
}

/* ---- the beginning of an output ---- */

/* Look ahead for CPUs that run from here on; where that is not possible, any may. */
static void segment_look_ahead(const struct rst_segment *segment, uint8_t runs[RST_MAX_CPUS],
                               const uint8_t lacks[RST_MAX_CPUS], unsigned wanted)
{
	const struct rst_impl *im = segment->reader->impl;
	struct model_ranges ranges = segment->ahead ? *segment->ahead : (struct model_ranges){0};
	struct cairn_range range = {segment->cursor.n, segment->last};
	uint64_t n = segment->cursor.n;
	if (segment->all && segment->runs) {
		for (unsigned i = 0; i < RST_MAX_CPUS; i++)
			runs[i] |= segment->runs[segment->output][i];
		return;
	}
	if (!im->source.map || segment->any_ahead || segment->all) {
		memset(runs, 1, RST_MAX_CPUS);
		return;
	}
	const uint8_t *const map = im->source.map, *const end = map + im->source.map_len;
	const uint8_t *p = map + (segment->cursor.rec - 1) * SIZE;
	for (; wanted && end - p >= SIZE; p += SIZE) {
		if (p[0] != CAIRN_RST_INSTR)
			continue;
		if (n > range.last && (!segment->ahead || !model_range_next(&ranges, &range)))
			return;
		unsigned cpu = rst_instr_cpu(p, segment->wide);
		if (n++ >= range.first && !runs[cpu]) {
			runs[cpu] = 1;
			wanted -= lacks[cpu];
		}
	}
}

/* All TLBs as they are now, of every CPU that will run: clause 2(g) wants them before the
 * first instruction. */
static int begin_tlb(struct rst_segment *segment, unsigned cpu)
{
	const struct rst_carried *carried = segment->carried;
	uint8_t runs[RST_MAX_CPUS], lacks[RST_MAX_CPUS] = {0};
	unsigned wanted = 0;
	int rc = 0;
	memcpy(runs, segment->remake->comes, sizeof runs);
	for (size_t i = 0; i < carried->n_tlb; i++)
		if (!rst_is_told(&carried->tlb[i].told, segment->output))
			lacks[rst_cpu_of(carried->tlb[i].rec, segment->wide)] = 1;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		wanted += i != cpu && !runs[i] && lacks[i];
	if (wanted)
		segment_look_ahead(segment, runs, lacks, wanted + 1);
	for (unsigned i = 0; i < RST_MAX_CPUS && rc >= 0; i++) {
		if (i == cpu || !runs[i] || !lacks[i])
			continue;
		segment->front.len = 0;
		rc = rst_carried_tell_tlb(segment->carried, i, true, &segment->front);
		for (size_t at = 0; at < segment->front.len && rc >= 0; at += SIZE) {
			uint8_t out[SIZE];
			rc = rst_remake_convert(segment->remake, segment->version, segment->front.data + at,
			                        out);
			if (rc > 0)
				rc = rst_remake_tlb(segment->remake, i, out, 1);
		}
	}
	return rc;
}

static int segment_open_output(struct rst_segment *segment, unsigned cpu)
{
	int rc = rst_remake_open(segment->remake, &segment->prologue, segment->tool, NULL, 0);
	if (rc >= 0)
		rc = begin_tlb(segment, cpu);
	return rc < 0 ? rc : rst_remake_tlb_ahead(segment->remake, cpu);
}

/* The last record in the queue that this output has or may have. */
static size_t find_last(const struct rst_segment *segment)
{
	size_t i = segment->n_q;
	while (i-- > segment->head) {
		const struct rst_entry *entry = &segment->entry[i];
		if (entry->state == OPEN || (entry->state == KEEP && entry->output == segment->output))
			return i;
	}
	return segment->head;
}

/* Take back differences of addresses that would not stand just before their INSTR, for a CPU that
 * has run: they are learnt, and put there. */
static int take_back_diffs(struct rst_segment *segment, unsigned cpu, bool *any)
{
	int rc = 0;
	*any = false;
	size_t last = segment->open_of[cpu] ? find_last(segment) : 0;
	for (size_t i = segment->head; i < last && segment->open_of[cpu] && rc >= 0; i++) {
		struct rst_entry *entry = &segment->entry[i];
		if (entry->state != OPEN || entry->cpu != (int)cpu || entry->rec[0] != CAIRN_RST_PAVADIFF)
			continue;
		*any = true;
		rc = segment_decide(segment, entry, false);
	}
	return rc;
}

static int keep_instr(struct rst_segment *segment, unsigned cpu, const uint8_t *p)
{
	int rc = 0;
	if (!segment->remake->pk)
		rc = segment_open_output(segment, cpu);
	else if (!segment->begun)
		rc = rst_remake_join(segment->remake, &segment->prologue);
	segment->begun = true;
	if (segment->owner[cpu] != segment->output && segment->owner[cpu] != RST_NOBODY)
		segment->attention[cpu] = segment->hole[cpu] = 1; /* its last INSTR is elsewhere */
	segment->owner[cpu] = (uint8_t)segment->output;
	rst_carried_go_on(segment->carried, cpu, p);
	if (segment->hole[cpu])
		rst_carried_untell_regs(segment->carried->cpus[cpu]);
	bool due = segment->attention[cpu] &&
	           (segment->hole[cpu] || rst_carried_untold(segment->carried, cpu, p));
	bool moved = false;
	if (rc >= 0 && due)
		rc = segment_tell(segment, cpu, p);
	if (rc >= 0 && segment->remake->ran[cpu])
		rc = take_back_diffs(segment, cpu, &moved);
	if (rc >= 0)
		rc = decide_waiting(segment, (int)cpu, true);
	segment->late.len = 0;
	if (rc >= 0 && (due || moved)) /* what its own PAVADIFF does not say */
		rc = rst_carried_tell_diff(segment->carried, cpu, rst_INSTR_ea_valid(p), &segment->late);
	segment->remake->ran[cpu] = 1;
	segment->remake->kept++;
	segment->behind[cpu] = BEHIND_KEPT;
	for (size_t i = 0; i < segment->late.len && rc >= 0; i += SIZE)
		rc = segment_push(segment, segment->late.data + i, -1, KEEP);
	if (rc >= 0)
		rc = segment_push(segment, p, (int)cpu, KEEP);
	if (rc >= 0)
		rc = rst_carried_take(segment->carried, p, true);
	segment->attention[cpu] =
		rst_carried_cpu(segment->carried, cpu) && rst_carried_any(segment->carried, cpu);
	return rc < 0 ? rc : segment_flush(segment);
}

static int drop_instr(struct rst_segment *segment, unsigned cpu, const uint8_t *p)
{
	rst_carried_go_on(segment->carried, cpu, p);
	int rc = decide_waiting(segment, (int)cpu, false);
	if (rc >= 0)
		rc = rst_carried_take(segment->carried, p, false);
	segment->attention[cpu] = segment->hole[cpu] = 1;
	segment->behind[cpu] = BEHIND_DROPPED;
	return rc < 0 ? rc : segment_flush(segment);
}

int rst_segment_leave(struct rst_segment *segment)
{
	int rc = 0;
	for (size_t i = segment->head; i < segment->n_q && rc >= 0; i++)
		if (segment->entry[i].state == OPEN)
			rc = segment_decide(segment, &segment->entry[i], false);
	return rc < 0 ? rc : segment_flush(segment);
}

int rst_segment_await(struct rst_segment *segment, const uint8_t *p, unsigned cpu)
{
	return segment_push(segment, p, (int)cpu, OPEN);
}

/* The CPU that a record waits for; -1: the next one, whichever that is. */
static int waits_for(const struct rst_segment *segment, const uint8_t *p)
{
	bool mine = rst_waits(p[0]) || p[0] == CAIRN_RST_PAVADIFF || p[0] == CAIRN_RST_PHYSADDR ||
	            p[0] == CAIRN_RST_TLB || p[0] == CAIRN_RST_RECNUM;
	return mine ? rst_cpu_of(p, segment->wide) : -1;
}

/* What directly follows an INSTR goes where that goes. */
static int segment_follow(struct rst_segment *segment, const uint8_t *p, unsigned cpu)
{
	bool kept = segment->behind[cpu] == BEHIND_KEPT;
	unsigned output = segment->output;
	int rc = 0;
	if (segment->all && kept)
		rst_segment_output(segment, segment->owner[cpu]);
	if (kept)
		rc = segment_push(segment, p, (int)cpu, KEEP);
	if (rc >= 0)
		rc = rst_carried_take(segment->carried, p, kept);
	if (segment->all)
		rst_segment_output(segment, output);
	return rc < 0 ? rc : segment_flush(segment);
}

/* Take one record; if it is an instruction, it is kept or not. */
static int segment_one(struct rst_segment *segment, const uint8_t *p, bool keep)
{
	int rc = 0;
	if (rst_prologue_take(&segment->prologue, p, &rc))
		return rc;
	if (p[0] == CAIRN_RST_INSTR) {
		unsigned cpu = rst_instr_cpu(p, segment->wide);
		rc = keep ? keep_instr(segment, cpu, p) : drop_instr(segment, cpu, p);
		segment->last_cpu = (int)cpu;
		return rc;
	}
	int of = rst_cpu_of(p, segment->wide);
	bool lost = of >= 0 && segment->behind[of] == BEHIND_LOST;
	if (lost && rst_follows(p)) /* of an instruction that was lost */
		return segment_lose(segment, "values of lost instructions", segment->cursor.n);
	if (of >= 0 && rst_follows(p) && segment->behind[of])
		return segment_follow(segment, p, (unsigned)of);
	if (of >= 0 && !lost)
		segment->behind[of] = BEHIND_OTHER;
	segment->last_cpu = -1;
	if (!cairn_rst_type_name(p[0]))
		return segment_doubt(segment);
	if (segment->open >= IN_ORDER / 2)
		rc = segment_give_up(segment);
	return rc < 0 ? rc : segment_push(segment, p, waits_for(segment, p), OPEN);
}

/* ---- runs ---- */

/* How many records wait for the INSTR right behind them, and for no other; 0 if that is not so. */
static size_t plain_group(const struct rst_segment *segment, const uint8_t *p, size_t records)
{
	size_t n = 0;
	while (n < records && p[n * SIZE] != CAIRN_RST_INSTR)
		n++;
	if (n == records)
		return 0;
	int cpu = (int)rst_instr_cpu(p + n * SIZE, segment->wide);
	for (size_t i = 0; i < n; i++, p += SIZE) {
		int of = rst_cpu_of(p, segment->wide);
		if ((of >= 0 && (of != cpu || segment->behind[of] == BEHIND_LOST)) ||
		    p[0] == CAIRN_RST_RSTHEADER || !cairn_rst_type_name(p[0]) ||
		    (p[0] == CAIRN_RST_PAVADIFF && i + 1 < n))
			return 0;
	}
	return n;
}

/* As many records as can be copied as they lie: whole groups of an INSTR with what waits for it and
 * what follows it. 0: none. `instrs`: INSTRs among them, at most `most`. */
static size_t plain_run(struct rst_segment *segment, const uint8_t *p, size_t records,
                        uint64_t most, uint64_t *instrs)
{
	size_t i = 0;
	uint64_t n = 0;
	int last = segment->last_cpu;
	while (i < records) {
		const uint8_t *rec = p + i * SIZE;
		if (__builtin_expect(rec[0] == CAIRN_RST_INSTR, 1)) {
			unsigned cpu = rst_instr_cpu(rec, segment->wide);
			if (n == most || segment->attention[cpu] || segment->owner[cpu] != segment->output)
				break;
			segment->behind[cpu] = BEHIND_KEPT;
			last = (int)cpu;
			n++;
			i++;
			continue;
		}
		if (rst_follows(rec) && last >= 0 && rst_cpu_of(rec, segment->wide) == last) {
			i++;
			continue;
		}
		size_t group = plain_group(segment, rec, records - i);
		const uint8_t *instr = rec + group * SIZE;
		unsigned cpu = group ? rst_instr_cpu(instr, segment->wide) : 0;
		if (!group || n == most || segment->attention[cpu] ||
		    segment->owner[cpu] != segment->output)
			break;
		last = -1;
		i += group;
	}
	segment->last_cpu = last;
	*instrs = n;
	return i;
}

/* Learn from a plain run in the order in which its records would be learnt from one by one: what
 * waits for an INSTR is learnt when that comes. `last`: CPU of the INSTR just before, -1: none. */
static int segment_learn(struct rst_segment *segment, const uint8_t *p, size_t records, int last)
{
	bool waits = false;
	int rc = 0;
	for (size_t i = 0; i < records && rc >= 0; i++, p += SIZE) {
		bool instr = p[0] == CAIRN_RST_INSTR;
		bool follows =
			!instr && rst_follows(p) && last >= 0 && rst_cpu_of(p, segment->wide) == last;
		if (!instr && !follows && !waits) {
			const uint8_t *next = p;
			while (next[0] != CAIRN_RST_INSTR)
				next += SIZE;
			rst_carried_go_on(segment->carried, rst_instr_cpu(next, segment->wide), next);
		}
		waits = !instr && !follows;
		if (!follows)
			last = instr ? (int)rst_instr_cpu(p, segment->wide) : -1;
		rc = rst_carried_take(segment->carried, p, true);
	}
	return rc;
}

/* Learn from a plain run behind which nothing is left out: its CPUs need not be told anything again
 * except differences of addresses. */
static int segment_learn_diffs(struct rst_segment *segment, const uint8_t *p, size_t records)
{
	int rc = 0;
	for (size_t i = 0; i < records && rc >= 0; i++, p += SIZE)
		if (p[0] == CAIRN_RST_PAVADIFF)
			rc = rst_carried_take(segment->carried, p, true);
	return rc;
}

/* Before the range everything is left out. */
static int segment_skip(struct rst_segment *segment, uint64_t first)
{
	const uint8_t *p;
	size_t n;
	int rc = 1;
	while (segment->cursor.n < first && (rc = rst_cursor_next(&segment->cursor, &p, &n)) > 0) {
		for (size_t i = 0; i < n && segment->cursor.n < first && rc >= 0; i++, p += SIZE) {
			rc = segment_one(segment, p, false);
			if (rc >= 0)
				rst_cursor_took(&segment->cursor, 1);
		}
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : segment->cursor.n >= first;
}

/* The records before the first instruction. */
static int read_prologue(struct rst_segment *segment)
{
	const uint8_t *p;
	size_t n;
	int rc = 1;
	while (!segment->prologue.complete && (rc = rst_cursor_next(&segment->cursor, &p, &n)) > 0) {
		if (p[0] == CAIRN_RST_INSTR) {
			segment->prologue.complete = true;
			break;
		}
		rc = segment_one(segment, p, false);
		if (rc < 0)
			return rc;
		rst_cursor_took(&segment->cursor, 1);
	}
	return rc < 0 ? rc : segment->prologue.complete;
}

/* Copy a plain run, up to the next place where order is looked after. Returns the number of
 * records; 0: none can be copied. `more`: another range follows. */
static size_t segment_copy(struct rst_segment *segment, const uint8_t *p, size_t records,
                           uint64_t last, bool more, int *rc)
{
	uint64_t left = last - segment->cursor.n, found;
	size_t near = IN_ORDER - segment->cursor.rec % IN_ORDER;
	int last_cpu = segment->last_cpu;
	count_recent(segment, segment->cursor.rec);
	if (left <= NEAR || !segment->remake->pk || segment->decided || segment->open_loose ||
	    segment->direct[segment->output] || segment->recent[0] || segment->recent[1])
		return 0;
	size_t run = plain_run(segment, p, records < near ? records : near, left - NEAR, &found);
	if (!run)
		return 0;
	segment->remake->kept += found;
	*rc = segment_put(segment, segment->remake, p, run);
	if (*rc >= 0)
		*rc =
			more ? segment_learn(segment, p, run, last_cpu) : segment_learn_diffs(segment, p, run);
	if (*rc >= 0)
		*rc = segment_flush(segment);
	return run;
}

int rst_segment_range(struct rst_segment *segment, uint64_t first, uint64_t last, bool more)
{
	const uint8_t *p;
	size_t n;
	int rc = read_prologue(segment);
	if (rc > 0)
		rc = rst_segment_jump(segment, first);
	if (rc >= 0)
		rc = segment_skip(segment, first);
	if (rc <= 0)
		return rc;
	segment->last = last;
	while (segment->cursor.n <= last && (rc = rst_cursor_next(&segment->cursor, &p, &n)) > 0) {
		size_t run = segment_copy(segment, p, n, last, more, &rc);
		if (!run) {
			run = 1;
			rc = segment_one(segment, p, true);
		}
		if (rc < 0)
			return rc;
		rst_cursor_took(&segment->cursor, run);
	}
	return rc < 0 ? rc : rc > 0 || segment->cursor.n > last;
}

/* What directly follows the last instruction belongs to it. */
static int followers(struct rst_segment *segment)
{
	const uint8_t *p;
	size_t n;
	int rc;
	while ((rc = rst_cursor_next(&segment->cursor, &p, &n)) > 0) {
		if (!rst_follows(p) || segment->last_cpu < 0 ||
		    rst_cpu_of(p, segment->wide) != segment->last_cpu)
			break;
		rc = segment_one(segment, p, true);
		if (rc < 0)
			return rc;
		rst_cursor_took(&segment->cursor, 1);
	}
	return rc < 0 ? rc : 0;
}

int rst_segment_end(struct rst_segment *segment, bool end)
{
	int rc = end ? 0 : followers(segment);
	for (size_t i = segment->head; i < segment->n_q && rc >= 0; i++)
		if (segment->entry[i].state == OPEN)
			segment->entry[i].state = end && segment->remake->pk ? KEEP : DROP;
	segment->decided += segment->open;
	segment->open = segment->open_loose = 0;
	segment->recent[0] = segment->recent[1] = 0;
	memset(segment->open_of, 0, sizeof segment->open_of);
	return rc < 0 ? rc : segment_flush(segment);
}

/* ---- several outputs at once ---- */

void rst_segment_output(struct rst_segment *segment, unsigned output)
{
	segment->output = segment->carried->output = output;
	segment->remake = segment->all[output];
}

int rst_segment_over(struct rst_segment *segment)
{
	unsigned output = segment->output;
	int rc = followers(segment);
	for (size_t i = segment->head; i < segment->n_q && rc >= 0; i++) {
		struct rst_entry *entry = &segment->entry[i];
		if (entry->state != KEEP || entry->output != output)
			continue;
		rc = segment_put(segment, segment->remake, entry->rec, 1);
		entry->state = DROP;
	}
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		if (segment->behind[i] == BEHIND_KEPT && segment->owner[i] == output)
			segment->behind[i] = BEHIND_DROPPED;
	segment->remake->over = true;
	return rc;
}

/* ---- one output after another ---- */

void rst_segment_untell(struct rst_segment *segment)
{
	rst_carried_untell(segment->carried);
	memset(segment->attention, 1, sizeof segment->attention);
	memset(segment->hole, 1, sizeof segment->hole);
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		if (segment->behind[i] == BEHIND_KEPT)
			segment->behind[i] = BEHIND_DROPPED;
	segment->last_cpu = -1;
}

int rst_segment_wait(struct rst_segment *segment, bool end)
{
	int rc = end ? 0 : followers(segment);
	if (rc < 0)
		return rc;
	return end ? rst_segment_end(segment, true) : segment_settle(segment);
}
