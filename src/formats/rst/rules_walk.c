/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of `check` over a span, without knowing what came before it: judges what
 * a record says of itself and how the PC goes on where that can be told, and makes
 * the list of events, the records that the machine has to see.
 *
 * An INSTR is no event if, for its CPU, within this span,
 * - the place of the PC was known before it and is known after it,
 * - no event has come since its last INSTR (a PREG, a PAVADIFF …),
 * - its mode, and whether it has an address above 32 bits, were seen since the last
 *   event that may change PSTATE, and
 * - its page, and the page of its access, were asked for since the last event.
 * All these are what the machine would look at, and it has said all it has to say
 * about them. Of other records those may be left out that only follow an
 * instruction: values behind it.
 */
#include <string.h>

#include "formats/rst/rules_cpu.h"

enum { SIZE = CAIRN_RST_SIZE, ASKED = 1024, BEGINNING = 3 };

/* What is known of a CPU. Cleared for each span: all zero. */
struct walk_cpu {
	struct rst_flow flow;
	uint64_t pc_page, ea_page; /* the last asked for, plus one */
	uint32_t asked;            /* generation of pages asked for */
	uint8_t modes;             /* combinations of mode and wide addresses seen */
	uint8_t armed;             /* an event has come since the last INSTR */
	uint8_t calm;              /* only a plain INSTR, and values behind it, have come last */
	uint8_t behind;            /* only an INSTR and what may follow it */
	uint8_t touched;           /* 2: so that `behind` is known */
};

struct walk {
	const struct rst_judge *j;
	struct check_part *part;
	struct rst_part *rp;
	uint32_t rec, insn; /* from the span's first ones */
	bool alert;         /* the record before was an event that is no INSTR */
	unsigned begins;    /* so many records may be looked at as a beginning's */
	int failed;
	uint32_t generation;
	struct {
		uint64_t key;
		uint32_t generation;
	} asked[ASKED];
	unsigned n_touched;
	uint16_t touched[RST_MAX_CPUS];
	struct walk_cpu cpus[RST_MAX_CPUS];
};

static struct rst_tell rules_walk_here(const struct walk *w, int cpu)
{
	return (struct rst_tell){.part = w->part,
	                         .rec = w->rp->rec0 + w->rec,
	                         .insn = w->rp->n0 + w->insn,
	                         .cpu = cpu};
}

/* ---- events ---- */

static void rules_walk_append(struct walk *w, struct base_buf *b, const void *p, size_t n)
{
	int rc = base_buf_put(b, p, n);
	if (rc < 0)
		w->failed = rc;
}

static void rules_walk_event(struct walk *w, int cpu, unsigned flags)
{
	struct rst_ev ev = {.rec = w->rec,
	                    .insn = w->insn,
	                    .cpu = cpu < 0 ? RST_NONE : (uint16_t)cpu,
	                    .flags = (uint16_t)flags};
	if (cpu >= 0 && w->cpus[cpu].touched > 1)
		ev.flags |= (uint16_t)(RST_EV_SEEN | (w->cpus[cpu].behind ? RST_EV_BEHIND : 0));
	rules_walk_append(w, &w->rp->events, &ev, sizeof ev);
}

static struct walk_cpu *rules_walk_touch(struct walk *w, unsigned cpu)
{
	struct walk_cpu *c = &w->cpus[cpu];
	if (!c->touched) {
		c->touched = 1;
		c->asked = ++w->generation;
		w->touched[w->n_touched++] = (uint16_t)cpu;
	}
	return c;
}

/* ---- reserved bits ---- */

static void judge_reserved(struct walk *w, const struct rst_layout *l, const uint8_t *p, int cpu)
{
	const uint64_t *mask = w->j->reserved[l->id];
	if (!((base_be64(p) & mask[0]) | (base_be64(p + 8) & mask[1]) | (base_be64(p + 16) & mask[2])))
		return;
	struct rst_tell t = rules_walk_here(w, cpu);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t v = base_be64(p + 8 * i) & mask[i];
		if (!v)
			continue;
		FIND(&t, RECORD_RESERVED, "reserved bits of %s are set: 0x%016llx of bytes %u to %u",
		     l->type_name, ULL(v), 8 * i, 8 * i + 7);
		return;
	}
}

/* ---- instructions ---- */

/* Was this page asked for by this CPU since its last event? Then it is. */
static bool asked_before(struct walk *w, const struct walk_cpu *c, unsigned cpu, uint64_t page)
{
	uint64_t key = page << 10 | cpu;
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 54) % ASKED;
	if (w->asked[i].key == key && w->asked[i].generation == c->asked)
		return true;
	w->asked[i].key = key;
	w->asked[i].generation = c->asked;
	return false;
}

/* What an INSTR says that is rarely wrong. */
static void judge_rare(struct walk *w, const uint8_t *p, unsigned cpu)
{
	struct rst_tell t = rules_walk_here(w, (int)cpu);
	uint64_t pc = base_be64(p + 8);
	const struct rst_layout *l = rst_layout_of(p, w->j->version);
	judge_reserved(w, l, p, (int)cpu);
	if ((pc & 3) && !rst_bad_address(pc))
		FIND(&t, PC_ALIGNED, "the PC is 0x%llx", ULL(pc));
	if (w->j->wide && (p[1] & RST_I_HPRIV) && (p[1] & RST_I_PR))
		FIND(&t, PRIV_HPRIV, "hpriv and pr are both 1");
	if (cpu > w->j->max_cpu)
		FIND(&t, CPU_RANGE, "CPU %u, but max_cpu_id is %u", cpu, w->j->max_cpu);
}

/* An INSTR about whose flow there is more to do than to add 4. Returns its flags as an
 * event, or -1: it is none for this. */
static int rules_walk_step(struct walk *w, struct walk_cpu *c, const uint8_t *p, unsigned cpu,
                           unsigned kind)
{
	struct rst_flow before = c->flow;
	bool known = before.flags & RST_FLOW_PC;
	bool slot = (before.flags & (RST_FLOW_PC | RST_FLOW_NPC)) == (RST_FLOW_PC | RST_FLOW_NPC);
	bool odd = p[1] & RST_I_TR;
	if (known) {
		struct rst_tell t = rules_walk_here(w, (int)cpu);
		rst_flow_judge(&t, &before, p, false);
		if (p[1] & RST_I_AN)
			rst_rule_annulled(&t, p);
		else if (!odd)
			rst_rule_fields(&t, p, kind, slot);
	}
	rst_flow_step(&c->flow, p);
	if (odd || (kind == RST_CARRIED_XRET && !(p[1] & RST_I_AN)))
		c->flow.flags = 0;
	else if (!before.flags && !(c->flow.flags & RST_FLOW_SEQ))
		c->flow.flags = 0; /* see rules_insn.c: this one makes nothing certain */
	if (!known)
		return 0;
	if (c->flow.flags & RST_FLOW_PC)
		return RST_EV_KNOWN;
	rules_walk_append(w, &w->rp->flows, &before, sizeof before);
	return RST_EV_SET;
}

static inline void rules_walk_instr(struct walk *w, const uint8_t *p)
{
	const struct rst_judge *j = w->j;
	uint64_t head = base_be64(p), pc = base_be64(p + 8), ea = base_be64(p + 16);
	unsigned cpu = rst_instr_cpu(p, j->wide), bits = p[1];
	uint32_t enc = (uint32_t)head;
	unsigned kind = j->kind[isa_sparc_key(enc)];
	struct walk_cpu *c = &w->cpus[cpu];
	const uint32_t plain = RST_FLOW_PC | RST_FLOW_SEQ | RST_FLOW_PAST;
	bool want = w->alert || c->armed, wide_ea;
	int flags = RST_EV_KNOWN;

	if (__builtin_expect(!c->touched, 0))
		rules_walk_touch(w, cpu);
	if (__builtin_expect((head & j->instr_reserved) || (pc & 3) ||
	                         (bits & (RST_I_HPRIV | RST_I_PR)) == (RST_I_HPRIV | RST_I_PR) ||
	                         cpu > j->max_cpu,
	                     0))
		judge_rare(w, p, cpu);
	bool as_it_should = (kind == RST_CARRIED_PLAIN && !(bits & RST_I_EA_VALID) && !ea) ||
	                    (kind == RST_CARRIED_MEM && (bits & RST_I_EA_VALID));
	if (__builtin_expect(as_it_should && c->flow.flags == plain && c->flow.pc == pc &&
	                         !(bits & (RST_I_TR | RST_I_AN | RST_I_BT)),
	                     1)) {
		c->flow.pc = pc + 4;
	} else {
		flags = rules_walk_step(w, c, p, cpu, kind);
		want |= flags != RST_EV_KNOWN || kind == RST_CARRIED_WATCH || (bits & RST_I_TR) ||
		        (kind == RST_CARRIED_ASI && (enc >> 21 & 1));
	}
	wide_ea = (bits & RST_I_EA_VALID) && ea >> 32;
	unsigned mode = (bits >> 3 & 3) | (pc >> 32 || wide_ea ? 4u : 0);
	if (__builtin_expect(!(c->modes >> mode & 1), 0)) {
		c->modes |= (uint8_t)(1u << mode);
		want = true;
	}
	if (__builtin_expect(c->pc_page != (pc >> 13) + 1, 0)) {
		c->pc_page = (pc >> 13) + 1;
		want |= !asked_before(w, c, cpu, pc >> 13);
	}
	if (kind == RST_CARRIED_MEM && (bits & RST_I_EA_VALID) && c->ea_page != (ea >> 13) + 1) {
		c->ea_page = (ea >> 13) + 1;
		want |= !asked_before(w, c, cpu, UINT64_C(1) << 52 | ea >> 13);
	}
	if (want) {
		rules_walk_event(w, (int)cpu, (unsigned)flags);
		if (kind == RST_CARRIED_WATCH || kind == RST_CARRIED_XRET || flags == 0) {
			c->modes = 0; /* it may have changed PSTATE or contexts, or ended a trap */
			c->ea_page = 0;
			c->asked = ++w->generation;
		}
	}
	c->armed = 0;
	c->calm = kind != RST_CARRIED_XRET && !(bits & RST_I_TR);
	c->behind = 1;
	c->touched = 2;
	w->alert = false;
}

/* ---- other records ---- */

static bool is_value_behind(const struct walk *w, const struct walk_cpu *c, const uint8_t *p)
{
	bool privileged = false;
	if (!c->calm)
		return false;
	if (p[0] == CAIRN_RST_MEMVAL)
		return !(p[1] >> 7); /* what is 128 bits wide may be continued */
	if (p[0] != CAIRN_RST_REGVAL || !(p[1] >> 7) || w->j->no_post)
		return false;
	for (unsigned i = 2; i < 4; i++)
		privileged |= p[i] == RST_R_PRIV || p[i] == RST_R_OTHER || p[i] == RST_R_MMU;
	return !privileged;
}

static void judge_regval(const struct rst_tell *t, const uint8_t *p)
{
	static const uint8_t last[] = {0, 31, 95, 95, 8, 255, 255, 255, 255, 255};
	for (unsigned i = 0; i < 2; i++) {
		unsigned type = p[2 + i], id = p[4 + i];
		uint64_t value = base_be64(p + 8 + 8 * i);
		if (type == 0 || type > 9)
			FIND(t, REGVAL_TYPE, "regtype[%u] is %u", i, type);
		else if (id > last[type] || (type == RST_R_PRIV && id > 16 && id < 64 && id != 31))
			FIND(t, REGVAL_ID, "there is no register %u of type %s", id,
			     rst_name(rst_reg_types, type));
		else if (type == RST_R_INT && id == 0 && value)
			FIND(t, REGVAL_CURRENT, "%%g0 is 0x%llx", ULL(value));
	}
	if (p[2] == RST_R_FLOAT && p[4] >= 64 && p[4] <= 95 && p[3] != RST_R_CC && p[3] != RST_R_UNUSED)
		FIND(t, REGVAL_QUAD, "a quad register, but regtype[1] is %u", p[3]);
}

static void judge_values(const struct rst_tell *t, const struct rst_layout *l, const uint8_t *p)
{
	for (const struct rst_field *f = l->fields; f->name; f++) {
		if (f->kind != RST_F_NAME)
			continue;
		uint64_t v = rst_get(p, f);
		bool unused = p[0] == CAIRN_RST_STATUS && v == 0 && p[1] != 4 && f->names != rst_statuses;
		if (!unused && !rst_name(f->names, v))
			FIND(t, VALUE_KNOWN, "%s of %s is %llu, which has no meaning", f->name, l->type_name,
			     ULL(v));
	}
}

/* What a record that is no INSTR says of itself. */
static void judge_fields(struct walk *w, const uint8_t *p, int cpu)
{
	struct rst_tell t = rules_walk_here(w, cpu);
	const struct rst_judge *j = w->j;
	const struct rst_layout *l = rst_layout_of(p, j->version);
	if (!l) {
		FIND(&t, RECORD_KNOWN, "no record has type %u", p[0]);
		return;
	}
	unsigned since = rst_type_since(p[0]);
	if (j->version && since > j->version)
		FIND(&t, RECORD_VERSION, "%s came with version %u.%02u; the header says %u.%02u",
		     l->type_name, since >> 8, since & 255, j->version >> 8, j->version & 255);
	else
		judge_reserved(w, l, p, cpu);
	if (cpu >= 0 && (unsigned)cpu > j->max_cpu)
		FIND(&t, CPU_VALID, "%s of CPU %d, but max_cpu_id is %u", l->type_name, cpu, j->max_cpu);
	switch (p[0]) {
	case CAIRN_RST_REGVAL:
		judge_regval(&t, p);
		break;
	case CAIRN_RST_MEMVAL:
		if (!(p[1] >> 7) && ((p[3] & 15) == 0 || (p[3] & 15) > 8))
			FIND(&t, MEMVAL_SIZE, "the size is %u", p[3] & 15);
		break;
	case CAIRN_RST_STRDESC:
		if (!memchr(p + 1, 0, SIZE - 1))
			FIND(&t, STRING_NUL, "the text has no NUL");
		break;
	case CAIRN_RST_TRACEINFO:
	case CAIRN_RST_PAVADIFF:
	case CAIRN_RST_TLB:
	case CAIRN_RST_PREG:
	case CAIRN_RST_TRAP:
		break;
	default:
		judge_values(&t, l, p);
		break;
	}
}

/* Records that neither the CPUs nor the beginning of a trace have to do with. */
static bool is_aside(unsigned type)
{
	return type == CAIRN_RST_DMA || type == CAIRN_RST_NULLREC || type == CAIRN_RST_PROCESS ||
	       type == CAIRN_RST_THREAD || type == CAIRN_RST_BUSTRACE || type == CAIRN_RST_SNOOP;
}

/* A snapshot's sections may have any number of records: they are kept as runs. What a
 * CPU of theirs does is no matter. */
static void in_snapshot(struct walk *w, const uint8_t *p, int cpu)
{
	const struct base_buf *b = &w->rp->events;
	struct rst_ev *last = b->len ? (struct rst_ev *)(void *)(b->data + b->len) - 1 : NULL;
	if (last && p[0] == p[-SIZE] && last->rec + last->more + 1 == w->rec)
		last->more++;
	else
		rules_walk_event(w, cpu, 0);
	w->alert = true;
}

static void rules_walk_other(struct walk *w, const uint8_t *p)
{
	int cpu = rst_cpu_of(p, w->j->wide);
	unsigned flags = 0;
	judge_fields(w, p, cpu);
	if (is_aside(p[0])) {
		if (w->alert || w->begins) {
			rules_walk_event(w, -1, 0);
			w->begins -= w->begins != 0;
		}
		w->alert = false;
		return;
	}
	if (p[0] == CAIRN_RST_RFS_CW || p[0] == CAIRN_RST_RFS_BT) {
		in_snapshot(w, p, cpu);
		return;
	}
	if (cpu < 0) {
		rules_walk_event(w, -1, 0);
		w->alert = true;
		w->begins = BEGINNING;
		return;
	}
	struct walk_cpu *c = rules_walk_touch(w, (unsigned)cpu);
	if (!w->alert && is_value_behind(w, c, p))
		return;
	/* From here on the walk cannot tell how the PC goes on; the machine may. */
	if (p[0] == CAIRN_RST_TRAP || rst_counts_insns(p) || rst_tells_npc(p)) {
		if (c->flow.flags & RST_FLOW_PC) {
			rules_walk_append(w, &w->rp->flows, &c->flow, sizeof c->flow);
			flags = RST_EV_SET;
		}
		c->flow.flags = 0;
	}
	rules_walk_event(w, cpu, flags);
	w->alert = true;
	c->armed = 1;
	c->calm = 0;
	if (!rst_follows(p)) {
		c->behind = 0;
		c->touched = 2;
	}
	c->modes = 0;
	c->pc_page = c->ea_page = 0;
	c->asked = ++w->generation;
}

/* ---- the span ---- */

static void rules_walk_report_end(struct walk *w, const struct rst_span *ss)
{
	size_t left = (size_t)(ss->w.end - ss->w.p) % SIZE;
	struct rst_tell t = rules_walk_here(w, -1);
	if (ss->broken)
		FIND(&t, RECORD_COMPLETE, "%s", ss->why);
	else if (left)
		FIND(&t, RECORD_COMPLETE, "the input ends inside a record: %zu of its 24 bytes %s there",
		     left, left == 1 ? "is" : "are");
}

/* Where the CPUs stand whose PC the machine did not follow. */
static void put_exits(struct walk *w)
{
	for (unsigned i = 0; i < w->n_touched; i++) {
		const struct walk_cpu *c = &w->cpus[w->touched[i]];
		struct rst_exit x = {.flow = c->flow,
		                     .cpu = w->touched[i],
		                     .behind = c->behind,
		                     .behind_known = c->touched > 1};
		rules_walk_append(w, &w->rp->exits, &x, sizeof x);
	}
}

int rst_rules_span(struct cairn_reader *r, const void *state, struct model_span *s,
                   struct check_part *part)
{
	struct rst_span *ss = s->priv;
	struct walk *w = base_alloc(r->c, sizeof *w);
	if (!w)
		return CAIRN_E_NOMEM;
	w->j = state;
	w->part = part;
	w->rp = part->priv;
	w->rp->base = ss->w.p;
	w->rp->rec0 = ss->at->rec;
	w->rp->n0 = ss->at->n;
	w->alert = true;
	w->begins = BEGINNING;
	const uint8_t *p = ss->w.p, *const end = ss->w.end;
	for (; end - p >= SIZE && !w->failed; p += SIZE, w->rec++) {
		if (p[0] == CAIRN_RST_INSTR) {
			rules_walk_instr(w, p);
			w->insn++;
		} else {
			rules_walk_other(w, p);
		}
	}
	ss->w.p = p;
	rules_walk_report_end(w, ss);
	put_exits(w);
	w->rp->records = w->rec;
	w->rp->insns = w->insn;
	if (s->again)
		ss->w = ss->first;
	else
		ss->finished = true;
	int rc = w->failed ? w->failed : part->found.status;
	base_free(r->c, w);
	return rc;
}
