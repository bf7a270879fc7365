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
 * In the middle of a long range, where nobody has anything to be told and every waiting
 * record will be kept, records are copied as they lie.
 */
#include "formats/rst/remake.h"

enum { SIZE = CAIRN_RST_SIZE, NEAR = RST_WAIT + 2, IN_ORDER = 8192 };
enum rst_entry_state { OPEN, KEEP, DROP };
/* Only what may follow it has come since a CPU's last INSTR, which was kept or not; else: */
enum { BEHIND_OTHER, BEHIND_DROPPED, BEHIND_KEPT };

int rst_segment_open(struct rst_remake *m, struct cairn_reader *r, struct rst_segment *pc)
{
	const struct rst_impl *im = r->impl;
	*pc = (struct rst_segment){.m = m,
	                           .r = r,
	                           .version = im->version,
	                           .wide = im->wide,
	                           .last_cpu = -1};
	rst_cursor_init(&pc->k, r);
	rst_prologue_init(&pc->prologue, m->c);
	base_buf_init(&pc->front, m->c);
	base_buf_init(&pc->ids, m->c);
	base_buf_init(&pc->late, m->c);
	memset(pc->attention, 1, sizeof pc->attention);
	return rst_carried_new(m->c, im->wide, &pc->known);
}

int rst_segment_again(struct rst_segment *pc)
{
	rst_carried_free(pc->known);
	pc->head = pc->n_q = pc->open = pc->open_loose = 0;
	memset(pc->open_of, 0, sizeof pc->open_of);
	pc->last_cpu = -1;
	memset(pc->attention, 1, sizeof pc->attention);
	memset(pc->hole, 1, sizeof pc->hole);
	memset(pc->behind, BEHIND_OTHER, sizeof pc->behind);
	int rc = rst_carried_new(pc->m->c, pc->wide, &pc->known);
	return rc < 0 ? rc : rst_cursor_seek(&pc->k, 1);
}

void rst_segment_close(struct rst_segment *pc)
{
	if (!pc->r)
		return;
	rst_carried_free(pc->known);
	rst_prologue_free(&pc->prologue);
	base_buf_free(&pc->front);
	base_buf_free(&pc->ids);
	base_buf_free(&pc->late);
	base_free(pc->r->c, pc->q);
}

/* ---- the queue ---- */

static int segment_push(struct rst_segment *pc, const uint8_t *p, int cpu,
                        enum rst_entry_state state)
{
	if (pc->head && pc->head == pc->n_q)
		pc->head = pc->n_q = 0;
	if (pc->n_q == pc->cap_q && pc->head > pc->n_q / 2) {
		memmove(pc->q, pc->q + pc->head, (pc->n_q - pc->head) * sizeof *pc->q);
		pc->n_q -= pc->head;
		pc->head = 0;
	}
	if (pc->n_q == pc->cap_q) {
		size_t cap = pc->cap_q ? 2 * pc->cap_q : 256;
		struct rst_entry *q = base_realloc(pc->m->c, pc->q, cap * sizeof *q);
		if (!q)
			return CAIRN_E_NOMEM;
		pc->q = q;
		pc->cap_q = cap;
	}
	struct rst_entry *e = &pc->q[pc->n_q++];
	memcpy(e->rec, p, SIZE);
	e->cpu = (int16_t)cpu;
	e->state = (uint8_t)state;
	if (state != OPEN)
		return 0;
	pc->open++;
	if (cpu < 0) {
		pc->open_loose++;
	} else {
		pc->open_of[cpu]++;
		pc->attention[cpu] = 1;
	}
	return 0;
}

/* Put records before entry `at`. */
static int segment_insert(struct rst_segment *pc, size_t at, const struct base_buf *b)
{
	size_t n = b->len / SIZE;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		size_t behind = pc->n_q - at; /* push may move the queue */
		rc = segment_push(pc, b->data + i * SIZE, -1, KEEP);
		if (rc < 0)
			break;
		at = pc->n_q - 1 - behind;
		struct rst_entry e = pc->q[pc->n_q - 1];
		memmove(pc->q + at + 1, pc->q + at, behind * sizeof e);
		pc->q[at++] = e;
	}
	return rc;
}

static int segment_put(struct rst_segment *pc, const uint8_t *p, size_t records)
{
	uint8_t out[SIZE];
	int rc = 0;
	if (pc->version == pc->m->version || !pc->version)
		return rst_remake_put(pc->m, p, records);
	for (size_t i = 0; i < records && rc >= 0; i++) {
		rc = rst_remake_convert(pc->m, pc->version, p + i * SIZE, out);
		if (rc > 0)
			rc = rst_remake_put(pc->m, out, 1);
	}
	return rc;
}

/* What is decided goes out, over what is not. */
static int segment_settle(struct rst_segment *pc)
{
	size_t to = pc->head;
	int rc = 0;
	for (size_t i = pc->head; i < pc->n_q && rc >= 0; i++) {
		if (pc->q[i].state == OPEN)
			pc->q[to++] = pc->q[i];
		else if (pc->q[i].state == KEEP)
			rc = segment_put(pc, pc->q[i].rec, 1);
	}
	pc->n_q = to;
	return rc;
}

/* What is decided at the queue's head goes out; order is kept as long as is reasonable. */
static int segment_flush(struct rst_segment *pc)
{
	int rc = 0;
	for (; rc >= 0 && pc->head < pc->n_q && pc->q[pc->head].state != OPEN; pc->head++)
		if (pc->q[pc->head].state == KEEP)
			rc = segment_put(pc, pc->q[pc->head].rec, 1);
	return rc >= 0 && pc->n_q - pc->head > IN_ORDER ? segment_settle(pc) : rc;
}

static int segment_decide(struct rst_segment *pc, struct rst_entry *e, bool keep)
{
	e->state = keep ? KEEP : DROP;
	pc->open--;
	if (e->cpu < 0)
		pc->open_loose--;
	else
		pc->open_of[e->cpu]--;
	return rst_carried_take(pc->known, e->rec, keep);
}

/* More wait than can be held: the oldest give up. State is told again when its CPU runs. */
static int segment_give_up(struct rst_segment *pc)
{
	int rc = 0;
	for (size_t i = pc->head; i < pc->n_q && pc->open > IN_ORDER / 4 && rc >= 0; i++) {
		struct rst_entry *e = &pc->q[i];
		unsigned type = e->rec[0];
		if (e->state != OPEN)
			continue;
		if (type == CAIRN_RST_TRAP || type == CAIRN_RST_MEMVAL || type == CAIRN_RST_TRAPEXIT ||
		    type == CAIRN_RST_TRAPPING_INSTR || type == CAIRN_RST_PHYSADDR || e->cpu < 0)
			rc = rst_remake_lost(pc->m, "records whose CPU does not run", 1, 0);
		if (rc >= 0)
			rc = segment_decide(pc, e, false);
	}
	return rc < 0 ? rc : segment_flush(pc);
}

/* ---- instructions ---- */

/* The first entry of a CPU that still waits, and the place behind the last INSTR. */
static void find_places(const struct rst_segment *pc, int cpu, size_t *first, size_t *behind)
{
	*first = pc->n_q;
	*behind = pc->head;
	for (size_t i = pc->n_q; i-- > pc->head;) {
		const struct rst_entry *e = &pc->q[i];
		if (e->state == OPEN && e->cpu == cpu)
			*first = i;
		if (e->rec[0] == CAIRN_RST_INSTR && *behind == pc->head)
			*behind = i + 1;
	}
}

static int put_recnum(struct rst_segment *pc, unsigned cpu)
{
	uint8_t p[SIZE] = {CAIRN_RST_RECNUM};
	if (pc->m->version < RST_VERSION(2, 0))
		return 0;
	p[1] = (uint8_t)(0x80 | (pc->m->level < 127 ? pc->m->level : 127));
	p[2] = CAIRN_RST_INSTR;
	p[3] = (uint8_t)cpu;
	p[4] = (uint8_t)(cpu >> 8 << 6);
	rst_put_be64(p + 16, pc->m->n);
	/* Parts whose counts differ by the same would look like one without a gap: then it is
	 * said, too, that a part begins to be read here. */
	uint64_t left_out = pc->k.n - 1 - pc->m->n;
	int rc = 0;
	if (left_out && left_out == pc->m->counted[cpu] && pc->m->ran[cpu])
		rc = base_buf_put(&pc->front, p, SIZE);
	pc->m->counted[cpu] = left_out;
	rst_put_be64(p + 8, pc->k.n - 1);
	return rc < 0 ? rc : base_buf_put(&pc->front, p, SIZE);
}

/* The first difference of addresses of a CPU stands before its first TRAP. Any other stands
 * just before its INSTR (rst_segment's `late`). */
static int report_first_diff(struct rst_segment *pc, unsigned cpu, size_t first)
{
	for (size_t i = first; i < pc->n_q && !pc->m->ran[cpu]; i++) {
		const struct rst_entry *e = &pc->q[i];
		if (e->cpu != (int)cpu || e->state != OPEN)
			continue;
		if (e->rec[0] == CAIRN_RST_PAVADIFF)
			return 0;
		if (e->rec[0] == CAIRN_RST_TRAP)
			return rst_carried_tell_diff(pc->known, cpu, false, &pc->front);
	}
	return 0;
}

/* Is the state of its seam, which waits, another than the known one? */
static bool begins_anew(const struct rst_segment *pc, unsigned cpu)
{
	bool counted = false;
	for (size_t i = pc->head; i < pc->n_q && pc->open_of[cpu]; i++) {
		const struct rst_entry *e = &pc->q[i];
		if (e->state != OPEN || e->cpu != (int)cpu)
			continue;
		counted |= rst_counts_insns(e->rec);
		if (counted && e->rec[0] == CAIRN_RST_PREG)
			return true;
	}
	return false;
}

/* An INSTR is kept whose CPU has something to be told. */
static int segment_tell(struct rst_segment *pc, unsigned cpu, const uint8_t *p)
{
	size_t first, behind;
	int rc = 0;
	pc->front.len = pc->ids.len = 0;
	find_places(pc, (int)cpu, &first, &behind);
	if (pc->hole[cpu])
		rc = put_recnum(pc, cpu);
	pc->hole[cpu] = 0;
	if (pc->known->cpus[cpu] && begins_anew(pc, cpu))
		pc->known->cpus[cpu]->preg_told = pc->known->cpus[cpu]->level_told = true;
	if (rc >= 0)
		rc = rst_carried_tell(pc->known, cpu, p, &pc->front, &pc->ids);
	if (rc >= 0)
		rc = report_first_diff(pc, cpu, first);
	if (rc >= 0 && first < behind) {
		rc = segment_insert(pc, behind, &pc->ids);
		if (rc >= 0) {
			find_places(pc, (int)cpu, &first, &behind);
			rc = segment_insert(pc, first, &pc->front);
		}
		return rc;
	}
	if (rc >= 0)
		rc = segment_insert(pc, behind, &pc->ids);
	if (rc >= 0) {
		find_places(pc, (int)cpu, &first, &behind);
		rc = segment_insert(pc, behind, &pc->front);
	}
	return rc;
}

static int decide_waiting(struct rst_segment *pc, int cpu, bool keep)
{
	size_t left = pc->open_loose + pc->open_of[cpu], i = pc->n_q;
	int rc = 0;
	while (left && i > pc->head) { /* they came late */
		const struct rst_entry *e = &pc->q[--i];
		left -= e->state == OPEN && (e->cpu == cpu || e->cpu < 0);
	}
	for (; i < pc->n_q && pc->open_loose + pc->open_of[cpu] && rc >= 0; i++) {
		struct rst_entry *e = &pc->q[i];
		if (e->state == OPEN && (e->cpu == cpu || e->cpu < 0))
			rc = segment_decide(pc, e, keep);
	}
	return rc;
}

/* ---- the beginning of an output ---- */

/* CPUs that run from here on, as far as what is ahead can be looked at: else any may. */
static void segment_look_ahead(const struct rst_segment *pc, uint8_t runs[RST_MAX_CPUS],
                               unsigned wanted)
{
	const struct rst_impl *im = pc->r->impl;
	struct model_ranges w = pc->ahead ? *pc->ahead : (struct model_ranges){0};
	struct cairn_range range = {pc->k.n, pc->last};
	uint64_t n = pc->k.n;
	if (!im->map || pc->any_ahead) {
		memset(runs, 1, RST_MAX_CPUS);
		return;
	}
	const uint8_t *p = im->map + (pc->k.rec - 1) * SIZE, *const end = im->map + im->map_len;
	for (; wanted && end - p >= SIZE; p += SIZE) {
		if (p[0] != CAIRN_RST_INSTR)
			continue;
		if (n > range.last && (!pc->ahead || !model_range_next(&w, &range)))
			return;
		unsigned cpu = rst_instr_cpu(p, pc->wide);
		if (n++ >= range.first && !runs[cpu]) {
			runs[cpu] = 1;
			wanted -= pc->known->cpus[cpu] && pc->known->cpus[cpu]->tlb_untold;
		}
	}
}

/* All TLBs as they are now, of every CPU that will run: clause 2(g) wants them before the
 * first instruction. */
static int begin_tlb(struct rst_segment *pc, unsigned cpu)
{
	uint8_t runs[RST_MAX_CPUS];
	unsigned wanted = 0;
	int rc = 0;
	memcpy(runs, pc->m->comes, sizeof runs);
	for (size_t i = pc->head; i < pc->n_q && rc >= 0; i++)
		if (pc->q[i].state == OPEN && pc->q[i].rec[0] == CAIRN_RST_TLB && pc->q[i].cpu != (int)cpu)
			rc = segment_decide(pc, &pc->q[i], false);
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		wanted += i != cpu && !runs[i] && pc->known->cpus[i] && pc->known->cpus[i]->tlb_untold;
	if (rc >= 0 && wanted)
		segment_look_ahead(pc, runs, wanted + 1);
	for (unsigned i = 0; i < RST_MAX_CPUS && rc >= 0; i++) {
		if (i == cpu || !runs[i] || !pc->known->cpus[i] || !pc->known->cpus[i]->tlb_untold)
			continue;
		pc->front.len = 0;
		rc = rst_carried_tell_tlb(pc->known, i, &pc->front);
		for (size_t at = 0; at < pc->front.len && rc >= 0; at += SIZE) {
			uint8_t out[SIZE];
			rc = rst_remake_convert(pc->m, pc->version, pc->front.data + at, out);
			if (rc > 0)
				rc = rst_remake_tlb(pc->m, i, out, 1);
		}
	}
	return rc;
}

static int segment_open_output(struct rst_segment *pc, unsigned cpu)
{
	int rc = rst_remake_open(pc->m, &pc->prologue, pc->tool, NULL, 0);
	if (rc >= 0)
		rc = begin_tlb(pc, cpu);
	return rc < 0 ? rc : rst_remake_tlb_ahead(pc->m, cpu);
}

/* Differences of addresses that would not stand just before their INSTR, of a CPU that has
 * run: they are learnt, and told there. */
static int take_back_diffs(struct rst_segment *pc, unsigned cpu, bool *any)
{
	int rc = 0;
	*any = false;
	for (size_t i = pc->head; i + 1 < pc->n_q && pc->open_of[cpu] && rc >= 0; i++) {
		struct rst_entry *e = &pc->q[i];
		if (e->state != OPEN || e->cpu != (int)cpu || e->rec[0] != CAIRN_RST_PAVADIFF)
			continue;
		*any = true;
		rc = segment_decide(pc, e, false);
	}
	return rc;
}

static int keep_instr(struct rst_segment *pc, unsigned cpu, const uint8_t *p)
{
	int rc = 0;
	if (!pc->m->pk)
		rc = segment_open_output(pc, cpu);
	else if (!pc->begun)
		rc = rst_remake_join(pc->m, &pc->prologue);
	pc->begun = true;
	rst_carried_go_on(pc->known, cpu, p);
	if (pc->hole[cpu])
		rst_carried_untell_regs(pc->known->cpus[cpu]);
	bool due = pc->attention[cpu] && (pc->hole[cpu] || rst_carried_untold(pc->known->cpus[cpu], p));
	bool moved = false;
	if (rc >= 0 && due)
		rc = segment_tell(pc, cpu, p);
	if (rc >= 0 && pc->m->ran[cpu])
		rc = take_back_diffs(pc, cpu, &moved);
	if (rc >= 0)
		rc = decide_waiting(pc, (int)cpu, true);
	pc->late.len = 0;
	if (rc >= 0 && (due || moved)) /* what its own PAVADIFF does not say */
		rc = rst_carried_tell_diff(pc->known, cpu, p[1] & RST_I_EA_VALID, &pc->late);
	pc->m->ran[cpu] = 1;
	pc->behind[cpu] = BEHIND_KEPT;
	for (size_t i = 0; i < pc->late.len && rc >= 0; i += SIZE)
		rc = segment_push(pc, pc->late.data + i, -1, KEEP);
	if (rc >= 0)
		rc = segment_push(pc, p, (int)cpu, KEEP);
	if (rc >= 0)
		rc = rst_carried_take(pc->known, p, true);
	pc->attention[cpu] = rst_carried_cpu(pc->known, cpu) && rst_carried_any(pc->known->cpus[cpu]);
	return rc < 0 ? rc : segment_flush(pc);
}

static int drop_instr(struct rst_segment *pc, unsigned cpu, const uint8_t *p)
{
	int rc = decide_waiting(pc, (int)cpu, false);
	if (rc >= 0)
		rc = rst_carried_take(pc->known, p, false);
	pc->attention[cpu] = pc->hole[cpu] = 1;
	pc->behind[cpu] = BEHIND_DROPPED;
	return rc < 0 ? rc : segment_flush(pc);
}

int rst_segment_leave(struct rst_segment *pc)
{
	int rc = 0;
	for (size_t i = pc->head; i < pc->n_q && rc >= 0; i++)
		if (pc->q[i].state == OPEN)
			rc = segment_decide(pc, &pc->q[i], false);
	return rc < 0 ? rc : segment_flush(pc);
}

int rst_segment_await(struct rst_segment *pc, const uint8_t *p, unsigned cpu)
{
	return segment_push(pc, p, (int)cpu, OPEN);
}

/* CPU that a record waits for, -1: whoever is next. */
static int waits_for(const struct rst_segment *pc, const uint8_t *p)
{
	bool mine = rst_waits(p[0]) || p[0] == CAIRN_RST_PAVADIFF || p[0] == CAIRN_RST_PHYSADDR ||
	            p[0] == CAIRN_RST_TLB || p[0] == CAIRN_RST_RECNUM;
	return mine ? rst_cpu_of(p, pc->wide) : -1;
}

/* One record, whose instruction (if it is one) is kept or not. */
static int segment_one(struct rst_segment *pc, const uint8_t *p, bool keep)
{
	int rc = 0;
	if (rst_prologue_take(&pc->prologue, p, &rc))
		return rc;
	if (p[0] == CAIRN_RST_INSTR) {
		unsigned cpu = rst_instr_cpu(p, pc->wide);
		rc = keep ? keep_instr(pc, cpu, p) : drop_instr(pc, cpu, p);
		pc->last_cpu = (int)cpu;
		return rc;
	}
	int of = rst_cpu_of(p, pc->wide);
	if (of >= 0 && rst_follows(p) && pc->behind[of]) {
		bool kept = pc->behind[of] == BEHIND_KEPT;
		rc = kept ? segment_push(pc, p, of, KEEP) : 0;
		if (rc >= 0)
			rc = rst_carried_take(pc->known, p, kept);
		return rc < 0 ? rc : segment_flush(pc);
	}
	if (of >= 0)
		pc->behind[of] = BEHIND_OTHER;
	pc->last_cpu = -1;
	if (!cairn_rst_type_name(p[0]))
		return rst_remake_lost(pc->m, "records of unknown types", 1, pc->k.n);
	if (pc->open >= IN_ORDER / 2)
		rc = segment_give_up(pc);
	return rc < 0 ? rc : segment_push(pc, p, waits_for(pc, p), OPEN);
}

/* ---- runs ---- */

/* As many records as can be copied as they lie; 0 none. `instrs`: INSTRs among them, at
 * most `most`. */
static size_t plain_run(const struct rst_segment *pc, const uint8_t *p, size_t records,
                        uint64_t most, uint64_t *instrs)
{
	size_t i = 0;
	uint64_t n = 0;
	for (; i < records; i++, p += SIZE) {
		if (__builtin_expect(p[0] == CAIRN_RST_INSTR, 1)) {
			if (n == most || pc->attention[rst_instr_cpu(p, pc->wide)])
				break;
			n++;
			continue;
		}
		int cpu = waits_for(pc, p);
		if ((cpu >= 0 && pc->attention[cpu]) || p[0] == CAIRN_RST_RSTHEADER ||
		    !cairn_rst_type_name(p[0]))
			break;
	}
	*instrs = n;
	return i;
}

static int segment_learn(struct rst_segment *pc, const uint8_t *p, size_t records, bool told)
{
	int rc = 0;
	for (size_t i = 0; i < records && rc >= 0; i++)
		rc = rst_carried_take(pc->known, p + i * SIZE, told);
	return rc;
}

/* Before the range: everything is left out. */
static int segment_skip(struct rst_segment *pc, uint64_t first)
{
	const uint8_t *p;
	size_t n;
	int rc = 1;
	while (pc->k.n < first && (rc = rst_cursor_next(&pc->k, &p, &n)) > 0) {
		uint64_t left = first - pc->k.n, instrs = 0;
		size_t i = 0;
		for (; i < n && instrs < left && rc >= 0; i++) {
			instrs += p[i * SIZE] == CAIRN_RST_INSTR;
			rc = segment_one(pc, p + i * SIZE, false);
		}
		if (rc < 0)
			return rc;
		rst_cursor_took(&pc->k, i, instrs);
	}
	return rc < 0 ? rc : pc->k.n >= first;
}

/* The records before the first instruction. */
static int read_prologue(struct rst_segment *pc)
{
	const uint8_t *p;
	size_t n;
	int rc = 1;
	while (!pc->prologue.complete && (rc = rst_cursor_next(&pc->k, &p, &n)) > 0) {
		if (p[0] == CAIRN_RST_INSTR) {
			pc->prologue.complete = true;
			break;
		}
		rc = segment_one(pc, p, false);
		if (rc < 0)
			return rc;
		rst_cursor_took(&pc->k, 1, 0);
	}
	return rc < 0 ? rc : pc->prologue.complete;
}

int rst_segment_range(struct rst_segment *pc, uint64_t first, uint64_t last, bool more)
{
	const uint8_t *p;
	size_t n;
	int rc = read_prologue(pc);
	if (rc > 0)
		rc = rst_segment_jump(pc, first);
	if (rc >= 0)
		rc = segment_skip(pc, first);
	if (rc <= 0)
		return rc;
	pc->last = last;
	while (pc->k.n <= last && (rc = rst_cursor_next(&pc->k, &p, &n)) > 0) {
		uint64_t left = last - pc->k.n, instrs = p[0] == CAIRN_RST_INSTR;
		bool settled = pc->n_q - pc->head == pc->open && !pc->open_loose;
		size_t run =
			left > NEAR && settled && pc->m->pk ? plain_run(pc, p, n, left - NEAR, &instrs) : 0;
		if (run) {
			rc = segment_put(pc, p, run);
			if (rc >= 0 && more)
				rc = segment_learn(pc, p, run, true);
			pc->last_cpu = -1;
			memset(pc->behind, BEHIND_OTHER, sizeof pc->behind);
		} else {
			run = 1;
			instrs = p[0] == CAIRN_RST_INSTR;
			rc = segment_one(pc, p, true);
		}
		if (rc < 0)
			return rc;
		rst_cursor_took(&pc->k, run, instrs);
	}
	return rc < 0 ? rc : rc > 0 || pc->k.n > last;
}

/* What directly follows the last instruction is its own. */
static int followers(struct rst_segment *pc)
{
	const uint8_t *p;
	size_t n;
	int rc;
	while ((rc = rst_cursor_next(&pc->k, &p, &n)) > 0) {
		if (!rst_follows(p) || pc->last_cpu < 0 || rst_cpu_of(p, pc->wide) != pc->last_cpu)
			break;
		rc = segment_one(pc, p, true);
		if (rc < 0)
			return rc;
		rst_cursor_took(&pc->k, 1, 0);
	}
	return rc < 0 ? rc : 0;
}

int rst_segment_end(struct rst_segment *pc, bool end)
{
	int rc = end ? 0 : followers(pc);
	for (size_t i = pc->head; i < pc->n_q && rc >= 0; i++)
		if (pc->q[i].state == OPEN)
			pc->q[i].state = end && pc->m->pk ? KEEP : DROP;
	pc->open = pc->open_loose = 0;
	memset(pc->open_of, 0, sizeof pc->open_of);
	return rc < 0 ? rc : segment_flush(pc);
}

/* ---- one output after another ---- */

void rst_segment_untell(struct rst_segment *pc)
{
	rst_carried_untell(pc->known);
	memset(pc->attention, 1, sizeof pc->attention);
	memset(pc->hole, 1, sizeof pc->hole);
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		pc->behind[i] = pc->behind[i] ? BEHIND_DROPPED : BEHIND_OTHER;
	pc->last_cpu = -1;
}

int rst_segment_wait(struct rst_segment *pc, bool end)
{
	int rc = end ? 0 : followers(pc);
	if (rc < 0)
		return rc;
	return end ? rst_segment_end(pc, true) : segment_settle(pc);
}
