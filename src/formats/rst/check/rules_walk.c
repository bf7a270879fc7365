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

#include "formats/rst/check/rules_cpu.h"

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
	const struct rst_judge *judge;
	struct check_part *part;
	struct rst_part *rp;
	uint32_t rec, insn; /* from the span's first ones */
	bool alert;         /* the record before was an event that is no INSTR */
	unsigned begins;    /* how many records are still looked at as a beginning's */
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

static struct rst_tell rules_walk_here(const struct walk *walk, int cpu)
{
	return (struct rst_tell){.part = walk->part,
	                         .rec = walk->rp->rec0 + walk->rec,
	                         .insn = walk->rp->n0 + walk->insn,
	                         .cpu = cpu};
}

/* ---- events ---- */

static void rules_walk_append(struct walk *walk, struct base_buf *buf, const void *p, size_t n)
{
	int rc = base_buf_put(buf, p, n);
	if (rc < 0)
		walk->failed = rc;
}

static void rules_walk_event(struct walk *walk, int cpu, unsigned flags)
{
	struct rst_ev ev = {.rec = walk->rec,
	                    .insn = walk->insn,
	                    .cpu = cpu < 0 ? RST_NONE : (uint16_t)cpu,
	                    .flags = (uint16_t)flags};
	if (cpu >= 0 && walk->cpus[cpu].touched > 1)
		ev.flags |= (uint16_t)(RST_EV_SEEN | (walk->cpus[cpu].behind ? RST_EV_BEHIND : 0));
	rules_walk_append(walk, &walk->rp->events, &ev, sizeof ev);
}

static struct walk_cpu *rules_walk_touch(struct walk *walk, unsigned cpu)
{
	struct walk_cpu *walk_cpu = &walk->cpus[cpu];
	if (!walk_cpu->touched) {
		walk_cpu->touched = 1;
		walk_cpu->asked = ++walk->generation;
		walk->touched[walk->n_touched++] = (uint16_t)cpu;
	}
	return walk_cpu;
}

/* ---- reserved bits ---- */

static void judge_reserved(struct walk *walk, const struct rst_layout *layout, const uint8_t *p,
                           int cpu)
{
	const uint64_t *mask = walk->judge->reserved[layout->id];
	for (unsigned i = 0; i < 3; i++) {
		uint64_t v = base_be64(p + 8 * i) & mask[i];
		if (!v)
			continue;
		struct rst_tell tell = rules_walk_here(walk, cpu);
		FIND(&tell, RECORD_RESERVED, "reserved bits of %s are set: 0x%016llx of bytes %u to %u",
		     layout->type_name, ULL(v), 8 * i, 8 * i + 7);
		return;
	}
}

/* ---- instructions ---- */

/* Was this page asked for by this CPU since its last event? If not, note it. */
static bool asked_before(struct walk *walk, const struct walk_cpu *walk_cpu, unsigned cpu,
                         uint64_t page)
{
	uint64_t key = page << 10 | cpu;
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 54) % ASKED;
	if (walk->asked[i].key == key && walk->asked[i].generation == walk_cpu->asked)
		return true;
	walk->asked[i].key = key;
	walk->asked[i].generation = walk_cpu->asked;
	return false;
}

/* Judge what is rarely wrong with an INSTR. */
static void judge_rare(struct walk *walk, const uint8_t *p, unsigned cpu)
{
	struct rst_tell tell = rules_walk_here(walk, (int)cpu);
	uint64_t pc = rst_INSTR_pc_va(p);
	const struct rst_layout *layout = rst_layout_of(p, walk->judge->version);
	judge_reserved(walk, layout, p, (int)cpu);
	if ((pc & 3) && !rst_bad_address(pc))
		FIND(&tell, PC_ALIGNED, "the PC is 0x%llx", ULL(pc));
	if (walk->judge->wide && rst_INSTR_hpriv(p) && rst_INSTR_pr(p))
		FIND(&tell, PRIV_HPRIV, "hpriv and pr are both 1");
	if (cpu > walk->judge->max_cpu)
		FIND(&tell, CPU_RANGE, "CPU %u, but max_cpu_id is %u", cpu, walk->judge->max_cpu);
}

/* An INSTR whose flow takes more than adding 4. Returns its flags as an event, or -1: it is not an
 * event for this. */
static int rules_walk_step(struct walk *walk, struct walk_cpu *walk_cpu, const uint8_t *p,
                           unsigned cpu, unsigned kind)
{
	struct rst_flow before = walk_cpu->flow;
	bool known = before.flags & RST_FLOW_PC;
	bool slot = (before.flags & (RST_FLOW_PC | RST_FLOW_NPC)) == (RST_FLOW_PC | RST_FLOW_NPC);
	bool odd = rst_INSTR_tr(p);
	if (known) {
		struct rst_tell tell = rules_walk_here(walk, (int)cpu);
		rst_flow_judge(&tell, &before, p, false);
		if (rst_INSTR_an(p))
			rst_rule_annulled(&tell, p);
		else if (!odd)
			rst_rule_fields(&tell, p, kind, slot);
	}
	rst_flow_step(&walk_cpu->flow, p);
	if (odd || (kind == RST_KIND_XRET && !rst_INSTR_an(p)))
		walk_cpu->flow.flags = 0;
	else if (!before.flags && !(walk_cpu->flow.flags & RST_FLOW_SEQ))
		walk_cpu->flow.flags = 0; /* see rules_insn.c: this one makes nothing certain */
	if (!known)
		return 0;
	if (walk_cpu->flow.flags & RST_FLOW_PC)
		return RST_EV_KNOWN;
	rules_walk_append(walk, &walk->rp->flows, &before, sizeof before);
	return RST_EV_SET;
}

static inline void rules_walk_instr(struct walk *walk, const uint8_t *p)
{
	const struct rst_judge *judge = walk->judge;
	uint64_t head = base_be64(p), pc = rst_INSTR_pc_va(p), ea = rst_INSTR_ea_va(p);
	unsigned cpu = rst_instr_cpu(p, judge->wide), bits = rst_INSTR_flags(p);
	uint32_t enc = (uint32_t)head;
	unsigned kind = judge->kind[isa_sparc_key(enc)];
	struct walk_cpu *walk_cpu = &walk->cpus[cpu];
	const uint32_t plain = RST_FLOW_PC | RST_FLOW_SEQ | RST_FLOW_PAST;
	bool want = walk->alert || walk_cpu->armed, wide_ea;
	int flags = RST_EV_KNOWN;

	if (__builtin_expect(!walk_cpu->touched, 0))
		rules_walk_touch(walk, cpu);
	if (__builtin_expect((head & judge->instr_reserved) || (pc & 3) ||
	                         (bits & (RST_I_HPRIV | RST_I_PR)) == (RST_I_HPRIV | RST_I_PR) ||
	                         cpu > judge->max_cpu,
	                     0))
		judge_rare(walk, p, cpu);
	bool as_it_should = (kind == RST_KIND_PLAIN && !(bits & RST_I_EA_VALID) && !ea) ||
	                    (kind == RST_KIND_MEM && (bits & RST_I_EA_VALID));
	if (__builtin_expect(as_it_should && walk_cpu->flow.flags == plain && walk_cpu->flow.pc == pc &&
	                         !(bits & (RST_I_TR | RST_I_AN | RST_I_BT)),
	                     1)) {
		walk_cpu->flow.pc = pc + 4;
	} else {
		flags = rules_walk_step(walk, walk_cpu, p, cpu, kind);
		want |= flags != RST_EV_KNOWN || kind == RST_KIND_WATCH || (bits & RST_I_TR) ||
		        (kind == RST_KIND_ASI && (enc >> 21 & 1));
	}
	wide_ea = (bits & RST_I_EA_VALID) && ea >> 32;
	unsigned mode = (bits & (RST_I_HPRIV | RST_I_PR)) / RST_I_PR | (pc >> 32 || wide_ea ? 4u : 0);
	if (__builtin_expect(!(walk_cpu->modes >> mode & 1), 0)) {
		walk_cpu->modes |= (uint8_t)(1u << mode);
		want = true;
	}
	if (__builtin_expect(walk_cpu->pc_page != (pc >> 13) + 1, 0)) {
		walk_cpu->pc_page = (pc >> 13) + 1;
		want |= !asked_before(walk, walk_cpu, cpu, pc >> 13);
	}
	if (kind == RST_KIND_MEM && (bits & RST_I_EA_VALID) && walk_cpu->ea_page != (ea >> 13) + 1) {
		walk_cpu->ea_page = (ea >> 13) + 1;
		want |= !asked_before(walk, walk_cpu, cpu, UINT64_C(1) << 52 | ea >> 13);
	}
	if (want) {
		rules_walk_event(walk, (int)cpu, (unsigned)flags);
		if (kind == RST_KIND_WATCH || kind == RST_KIND_XRET || flags == 0) {
			walk_cpu->modes = 0; /* it may have changed PSTATE or contexts, or ended a trap */
			walk_cpu->ea_page = 0;
			walk_cpu->asked = ++walk->generation;
		}
	}
	walk_cpu->armed = 0;
	walk_cpu->calm = kind != RST_KIND_XRET && !(bits & RST_I_TR);
	walk_cpu->behind = 1;
	walk_cpu->touched = 2;
	walk->alert = false;
}

/* ---- other records ---- */

static bool is_value_behind(const struct walk *walk, const struct walk_cpu *cpu, const uint8_t *p)
{
	bool privileged = false;
	if (!cpu->calm)
		return false;
	if (p[0] == CAIRN_RST_MEMVAL)
		return !rst_MEMVAL64_is128(p); /* what is 128 bits wide may be continued */
	if (p[0] != CAIRN_RST_REGVAL || !rst_REGVAL_post(p) || walk->judge->no_post)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		unsigned type = rst_regtype(p, i);
		privileged |= type == RST_R_PRIV || type == RST_R_OTHER || type == RST_R_MMU;
	}
	return !privileged;
}

static void judge_regval(const struct rst_tell *tell, const uint8_t *p)
{
	static const uint8_t last[] = {0, 31, 95, 95, 8, 255, 255, 255, 255, 255};
	for (unsigned i = 0; i < 2; i++) {
		unsigned type = rst_regtype(p, i), id = rst_regid(p, i);
		uint64_t value = rst_regvalue(p, i);
		if (type == 0 || type > 9)
			FIND(tell, REGVAL_TYPE, "regtype[%u] is %u", i, type);
		else if (id > last[type] || (type == RST_R_PRIV && id > 16 && id < 64 && id != 31))
			FIND(tell, REGVAL_ID, "there is no register %u of type %s", id,
			     rst_name(rst_reg_types, type));
		else if (type == RST_R_INT && id == 0 && value)
			FIND(tell, REGVAL_CURRENT, "%%g0 is 0x%llx", ULL(value));
	}
	unsigned first = rst_regid(p, 0), second = rst_regtype(p, 1);
	if (rst_regtype(p, 0) == RST_R_FLOAT && first >= 64 && first <= 95 && second != RST_R_CC &&
	    second != RST_R_UNUSED)
		FIND(tell, REGVAL_QUAD, "a quad register, but regtype[1] is %u", second);
}

static void judge_values(const struct rst_tell *tell, const struct rst_layout *layout,
                         const uint8_t *p)
{
	for (const struct rst_field *field = layout->fields; field->name; field++) {
		if (field->kind != RST_F_NAME)
			continue;
		uint64_t v = rst_get(p, field);
		bool unused = p[0] == CAIRN_RST_STATUS && v == 0 && rst_STATUS_status(p) != 4 &&
		              field->names != rst_statuses;
		if (!unused && !rst_name(field->names, v))
			FIND(tell, VALUE_KNOWN, "%s of %s is %llu, which has no meaning", field->name,
			     layout->type_name, ULL(v));
	}
}

/* Judge what a record that is not an INSTR says by itself. */
static void judge_fields(struct walk *walk, const uint8_t *p, int cpu)
{
	struct rst_tell tell = rules_walk_here(walk, cpu);
	const struct rst_judge *judge = walk->judge;
	const struct rst_layout *layout = rst_layout_of(p, judge->version);
	if (!layout) {
		FIND(&tell, RECORD_KNOWN, "no record has type %u", p[0]);
		return;
	}
	unsigned since = rst_type_since(p[0]);
	if (judge->version && since > judge->version)
		FIND(&tell, RECORD_VERSION, "%s came with version %u.%02u; the header says %u.%02u",
		     layout->type_name, since >> 8, since & 255, judge->version >> 8, judge->version & 255);
	else
		judge_reserved(walk, layout, p, cpu);
	if (cpu >= 0 && (unsigned)cpu > judge->max_cpu)
		FIND(&tell, CPU_VALID, "%s of CPU %d, but max_cpu_id is %u", layout->type_name, cpu,
		     judge->max_cpu);
	switch (p[0]) {
	case CAIRN_RST_REGVAL:
		judge_regval(&tell, p);
		break;
	case CAIRN_RST_MEMVAL:
		if (!rst_MEMVAL64_is128(p) && (rst_MEMVAL64_size(p) == 0 || rst_MEMVAL64_size(p) > 8))
			FIND(&tell, MEMVAL_SIZE, "the size is %u", rst_MEMVAL64_size(p));
		break;
	case CAIRN_RST_STRDESC:
		if (rst_text_length(p) == RST_SIZE_STRDESC_text)
			FIND(&tell, STRING_NUL, "the text has no NUL");
		break;
	case CAIRN_RST_TRACEINFO:
	case CAIRN_RST_PAVADIFF:
	case CAIRN_RST_TLB:
	case CAIRN_RST_PREG:
	case CAIRN_RST_TRAP:
		break;
	default:
		judge_values(&tell, layout, p);
		break;
	}
}

/* Records that concern neither the CPUs nor the beginning of a trace. */
static bool is_aside(unsigned type)
{
	return type == CAIRN_RST_DMA || type == CAIRN_RST_NULLREC || type == CAIRN_RST_PROCESS ||
	       type == CAIRN_RST_THREAD || type == CAIRN_RST_BUSTRACE || type == CAIRN_RST_SNOOP;
}

/* A snapshot's sections may have any number of records: they are kept as runs. What a CPU does in
 * them does not matter. */
static void in_snapshot(struct walk *walk, const uint8_t *p, int cpu)
{
	const struct base_buf *buf = &walk->rp->events;
	struct rst_ev *last = buf->len ? (struct rst_ev *)(void *)(buf->data + buf->len) - 1 : NULL;
	if (last && p[0] == p[-SIZE] && last->rec + last->more + 1 == walk->rec)
		last->more++;
	else
		rules_walk_event(walk, cpu, 0);
	walk->alert = true;
}

static void rules_walk_other(struct walk *walk, const uint8_t *p)
{
	int cpu = rst_cpu_of(p, walk->judge->wide);
	unsigned flags = 0;
	judge_fields(walk, p, cpu);
	if (is_aside(p[0])) {
		if (walk->alert || walk->begins) {
			rules_walk_event(walk, -1, 0);
			walk->begins -= walk->begins != 0;
		}
		walk->alert = false;
		return;
	}
	if (p[0] == CAIRN_RST_RFS_CW || p[0] == CAIRN_RST_RFS_BT) {
		in_snapshot(walk, p, cpu);
		return;
	}
	if (cpu < 0) {
		rules_walk_event(walk, -1, 0);
		walk->alert = true;
		walk->begins = BEGINNING;
		return;
	}
	struct walk_cpu *walk_cpu = rules_walk_touch(walk, (unsigned)cpu);
	if (!walk->alert && is_value_behind(walk, walk_cpu, p))
		return;
	/* From here on the walk does not know how the PC goes on; the machine may. */
	if (p[0] == CAIRN_RST_TRAP || rst_counts_insns(p) || rst_tells_npc(p)) {
		if (walk_cpu->flow.flags & RST_FLOW_PC) {
			rules_walk_append(walk, &walk->rp->flows, &walk_cpu->flow, sizeof walk_cpu->flow);
			flags = RST_EV_SET;
		}
		walk_cpu->flow.flags = 0;
	}
	rules_walk_event(walk, cpu, flags);
	walk->alert = true;
	walk_cpu->armed = 1;
	walk_cpu->calm = 0;
	if (!rst_follows(p)) {
		walk_cpu->behind = 0;
		walk_cpu->touched = 2;
	}
	walk_cpu->modes = 0;
	walk_cpu->pc_page = walk_cpu->ea_page = 0;
	walk_cpu->asked = ++walk->generation;
}

/* ---- the span ---- */

static void rules_walk_report_end(struct walk *walk, const struct rst_span *ss)
{
	size_t left = kit_left(&ss->bytes) % SIZE;
	struct rst_tell tell = rules_walk_here(walk, -1);
	if (ss->bytes.broken)
		FIND(&tell, RECORD_COMPLETE, "%s", ss->bytes.why);
	else if (left)
		FIND(&tell, RECORD_COMPLETE, "the input ends inside a record: %zu of its 24 bytes %s there",
		     left, left == 1 ? "is" : "are");
}

/* Put where the CPUs stand whose PC the machine did not follow. */
static void put_exits(struct walk *walk)
{
	for (unsigned i = 0; i < walk->n_touched; i++) {
		const struct walk_cpu *cpu = &walk->cpus[walk->touched[i]];
		struct rst_exit exit = {.flow = cpu->flow,
		                        .cpu = walk->touched[i],
		                        .behind = cpu->behind,
		                        .behind_known = cpu->touched > 1};
		rules_walk_append(walk, &walk->rp->exits, &exit, sizeof exit);
	}
}

int rst_rules_span(struct cairn_reader *reader, const void *state, struct model_span *span,
                   struct check_part *part)
{
	struct rst_span *ss = span->priv;
	struct walk *walk = base_alloc(reader->cairn, sizeof *walk);
	if (!walk)
		return CAIRN_E_NOMEM;
	walk->judge = state;
	walk->part = part;
	walk->rp = part->priv;
	walk->rp->base = ss->bytes.window.p;
	walk->rp->rec0 = ss->at->rec;
	walk->rp->n0 = ss->at->n;
	walk->alert = true;
	walk->begins = BEGINNING;
	const uint8_t *p = ss->bytes.window.p, *const end = ss->bytes.window.end;
	for (; end - p >= SIZE && !walk->failed; p += SIZE, walk->rec++) {
		if (p[0] == CAIRN_RST_INSTR) {
			rules_walk_instr(walk, p);
			walk->insn++;
		} else {
			rules_walk_other(walk, p);
		}
	}
	ss->bytes.window.p = p;
	rules_walk_report_end(walk, ss);
	put_exits(walk);
	walk->rp->records = walk->rec;
	walk->rp->insns = walk->insn;
	if (span->again)
		ss->bytes.window = ss->first;
	else
		ss->finished = true;
	int rc = walk->failed ? walk->failed : part->found.status;
	base_free(reader->cairn, walk);
	return rc;
}
