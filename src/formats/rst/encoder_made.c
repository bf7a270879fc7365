/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down from other formats: what RST wants, and batches of others do not have.
 *
 * - A beginning (clause 2): header, TRACEINFO, the strings that describe the machine, and for
 *   each CPU before its first instruction its TLBs, empty, PREG, and a PAVADIFF. Where no
 *   physical address is known, PA is VA.
 * - Annulled instructions (clause 3(b)): formats without delay slots leave them out. Where
 *   one has to be is certain from the branch; its encoding is the one last seen there, or 0.
 * - Addresses (clause 7(a)): where an access or a transfer has none, the number that stood
 *   for that with tracers of the time.
 * - done and retry (clause 4(f)): the PREG before them, and where they went, which their
 *   CPU's next instruction tells. Until it comes the record stays in memory.
 * - A trap level (clause 4(b)): who begins in a handler without saying so is seen by the
 *   return from it. The level is put right just before.
 *
 * All that is made agrees with what the batches tell: their rows come first. What stands for
 * something unknown is said by a string where it first does.
 */
#include "formats/rst/encoder.h"
#include "formats/rst/rules.h"

#include <stdio.h>

enum { SIZE = CAIRN_RST_SIZE, ASI_PRIMARY = 0x82, WORDS = 1 << 15, MOST_ENTRIES = 8192 };
enum { PSTATE_IE = 2, PSTATE_PRIV = 4, PSTATE_PEF = 16 };

struct rst_word {
	uint64_t pc, space;
	uint32_t enc;
	bool known;
};

/* ---- the beginning ---- */

/* The comment before the first instruction that begins with this. */
static bool says(const struct cairn_batch *b, const char *key, char *text, size_t size)
{
	size_t n = strlen(key);
	uint32_t end = b->n_insns ? b->insns[1].ev0 : b->n_events;
	for (uint32_t i = 0; i < end; i++) {
		const struct cairn_event *e = &b->events[i];
		if (e->kind != CAIRN_EV_COMMENT || e->args > b->n_bytes || e->len < n ||
		    e->len > b->n_bytes - e->args || memcmp(b->bytes + e->args, key, n) != 0)
			continue;
		snprintf(text, size, "%.*s", (int)(e->len < size ? e->len : size - 1),
		         (const char *)b->bytes + e->args);
		return true;
	}
	return false;
}

static int encoder_made_put_text(struct rst_encoder *d, const char *text)
{
	return rst_encode_string(d, text, strlen(text));
}

/* Those before the first instruction; its slot will not tell them again. */
static int put_comments(struct rst_encoder *d, const struct cairn_batch *b)
{
	uint32_t end = b->n_insns ? b->insns[1].ev0 : b->n_events;
	int rc = 0;
	d->told_comments = b->n_insns > 0;
	for (uint32_t i = 0; i < end && rc >= 0 && d->told_comments; i++) {
		const struct cairn_event *e = &b->events[i];
		if (e->kind == CAIRN_EV_COMMENT && e->args <= b->n_bytes && e->len <= b->n_bytes - e->args)
			rc = rst_encode_string(d, (const char *)b->bytes + e->args, e->len);
	}
	return rc;
}

int rst_made_beginning(struct rst_encoder *d, const struct cairn_batch *b)
{
	char text[128] = "mmutype=none iTLB=1, dTLB=1", other[64];
	uint8_t *p = NULL;
	int rc = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (!(p = rst_encode_record(d)))
			return CAIRN_E_NOMEM;
		if (i == 0)
			rst_make_header(p, d->version);
		else if (i == 1)
			rst_make_level(p, 1, d->created);
		else
			rst_make_info2(p, 0, 1, d->created, d->created);
	}
	if (!says(b, "mmutype=", text, sizeof text))
		rc = encoder_made_put_text(d, text);
	if (rc >= 0)
		rc = put_comments(d, b);
	if (!rst_parse_mmutype(text, &d->mmu) || d->mmu.entries > MOST_ENTRIES)
		rst_parse_mmutype("mmutype=none iTLB=1, dTLB=1", &d->mmu);
	if (rc >= 0 && !says(b, "cputype=", other, sizeof other)) {
		snprintf(other, sizeof other, "cputype=%s", d->packing.cputype);
		rc = encoder_made_put_text(d, other);
	}
	if (rc >= 0 && !says(b, "nwins=", other, sizeof other)) {
		snprintf(other, sizeof other, "nwins=%u", d->packing.nwins);
		rc = encoder_made_put_text(d, other);
	}
	for (size_t at = 0, n; rc >= 0 && at < d->notes.len; at += n + 1) {
		n = strlen((const char *)d->notes.data + at);
		rc = rst_encode_string(d, (const char *)d->notes.data + at, n);
	}
	rst_kinds(d->kind);
	d->words = rc < 0 ? NULL : base_alloc(d->w->c, WORDS * sizeof *d->words);
	return rc < 0 || d->words ? rc : CAIRN_E_NOMEM;
}

void rst_made_free(struct rst_encoder *d)
{
	base_free(d->w->c, d->words);
}

/* Empty TLBs; those of all CPUs stand before the first instruction (clause 2(g)), as long as the
 * beginning can be added to. */
static int put_tlbs(struct rst_encoder *d, unsigned cpu)
{
	size_t from = d->out.len;
	for (unsigned which = 0; which < 2; which++)
		for (unsigned no = 0; no < d->mmu.n[which]; no++)
			for (unsigned i = 0; i < d->mmu.size[which][no]; i++) {
				uint8_t *p = rst_encode_record(d);
				if (!p)
					return CAIRN_E_NOMEM;
				p[0] = CAIRN_RST_TLB;
				p[1] = (uint8_t)(0x80 | which << 6);
				rst_put_be16(p + 2, (uint16_t)i);
				p[4] = (uint8_t)(no << 6 | (cpu & 63));
				p[5] = (uint8_t)(cpu >> 6 << 4);
			}
	size_t n = (d->out.len - from) / SIZE;
	if (d->n_cpus == 1) {
		int rc = rst_pack_put(d->pk, d->out.data, d->out.len / SIZE);
		d->tlb_at = rst_pack_records(d->pk);
		d->out.len = 0;
		return rc;
	}
	int rc = rst_pack_insert(d->pk, d->tlb_at, d->out.data + from, n);
	if (rc > 0) {
		d->tlb_at += n;
		d->out.len = from;
	}
	return rc < 0 ? rc : 0;
}

/* Does the slot tell what a PREG would? */
static bool has_preg(const struct rst_slot *s)
{
	for (uint32_t i = s->reg; i < s->reg1; i++)
		if (rst_is_preg(&s->b->regs[i], s->reg1 - i))
			return true;
	return false;
}

static int encoder_made_put_preg(struct rst_encoder *d, const struct rst_preg *v)
{
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	rst_make_preg(p, v);
	return 0;
}

int rst_made_cpu(struct rst_encoder *d, struct rst_encoder_cpu *c, const struct rst_slot *s)
{
	const struct cairn_ctx *x = s->x;
	bool privileged = x->known & CAIRN_CTX_PRIV && x->priv;
	c->pstate = (uint16_t)(PSTATE_IE | PSTATE_PEF | (privileged ? PSTATE_PRIV : 0));
	c->prim = x->known & CAIRN_CTX_ASID ? (uint16_t)x->asid : 0;
	int rc = put_tlbs(d, s->cpu);
	const struct rst_preg v = {.cpu = (uint16_t)s->cpu,
	                           .pstate = c->pstate,
	                           .asi = ASI_PRIMARY,
	                           .primary = c->prim};
	return rc < 0 || has_preg(s) ? rc : encoder_made_put_preg(d, &v);
}

static int say_once(struct rst_encoder *d, bool *said, const char *text)
{
	if (*said)
		return 0;
	*said = true;
	return encoder_made_put_text(d, text);
}

int rst_made_diff(struct rst_encoder *d)
{
	return d->own ? 0
	              : say_once(d, &d->told_diff,
	                         "cairn: physical addresses are not known: "
	                         "PAVADIFF has PA = VA");
}

/* By what the batches tell; else as SPARC does it: that of the nucleus in a trap, else the
 * primary one. */
uint16_t rst_made_asid(const struct rst_encoder_cpu *c, const struct cairn_ctx *x)
{
	return x->known & CAIRN_CTX_ASID ? (uint16_t)x->asid : c->tl ? 0 : c->prim;
}

/* ---- between two instructions of a CPU ---- */

static uint64_t encoder_made_space_of(const struct rst_slot *s)
{
	const struct cairn_ctx *x = s->x;
	return (uint64_t)(x->known & CAIRN_CTX_PID ? x->pid : 0) << 32 |
	       (x->known & CAIRN_CTX_ASID ? x->asid : 0);
}

static struct rst_word *word_at(struct rst_encoder *d, uint64_t pc)
{
	return &d->words[(pc >> 2 ^ pc >> 17) % WORDS];
}

/* Where an open INSTR went. */
static void encoder_made_close_open(struct rst_encoder *d, struct rst_encoder_cpu *c, uint64_t to)
{
	uint8_t *p = d->out.data + c->open_at;
	p[1] |= RST_I_EA_VALID;
	rst_put_be64(p + 16, to);
	if (c->first_at) { /* so that is what TPC and TNPC were */
		bool retry = isa_sparc_flow(base_be32(p + 4)) == ISA_SPARC_RETRY;
		p -= c->first_at;
		rst_put_be64(p + 8, retry ? to : to - 4);
		rst_put_be64(p + 16, retry ? to + 4 : to);
		c->first_at = 0;
	}
	c->flow.npc = to;
	c->flow.flags |= RST_C_NPC;
	c->open = false;
	d->n_open--;
}

/* The annulled instruction that the branch before asks for. */
static int put_annulled(struct rst_encoder *d, struct rst_slot *s)
{
	struct rst_encoder_cpu *c = s->c;
	uint64_t pc = c->flow.pc + 4;
	const struct rst_word *w = word_at(d, pc);
	bool known = w->known && w->pc == pc && w->space == encoder_made_space_of(s);
	int rc = known ? 0
	               : say_once(d, &d->told_words,
	                          "cairn: 0 stands for encodings of annulled "
	                          "instructions that are not known");
	uint8_t *p = rc < 0 ? NULL : rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	rst_make_instr(p, s->cpu, RST_I_AN | c->mode, known ? w->enc : 0, pc, 0);
	rst_step(&c->flow, p);
	return 0;
}

/* The slot's trap that came before its instruction, if it has one. */
static const struct cairn_event *trap_before(const struct rst_slot *s)
{
	for (uint32_t i = s->ev; i < s->ev1; i++) {
		const struct cairn_event *e = &s->b->events[i];
		bool trap = e->kind == CAIRN_EV_EXCEPTION || e->kind == CAIRN_EV_INTERRUPT;
		if (trap && (!s->insn || e->phase == CAIRN_BEFORE))
			return e;
	}
	return NULL;
}

int rst_made_between(struct rst_encoder *d, struct rst_slot *s)
{
	struct rst_encoder_cpu *c = s->c;
	const struct cairn_event *trap = c->open || c->owes_slot ? trap_before(s) : NULL;
	if (!s->insn && !trap)
		return 0;
	if (c->open && !trap)
		encoder_made_close_open(d, c, s->insn->pc);
	else if (c->open && rst_is_told_trap(s, trap))
		encoder_made_close_open(d, c, cairn_event_arg(s->b, trap, 6));
	else if (c->open && c->flow.flags & RST_C_NPC) /* as its trap was entered */
		encoder_made_close_open(d, c, c->flow.npc);
	if (!c->owes_slot)
		return 0;
	c->owes_slot = false;
	if (!trap && s->insn->flags & CAIRN_INSN_ANNULLED && s->insn->pc == c->flow.pc + 4)
		return 0;
	return put_annulled(d, s);
}

/* A program goes on behind a trap whose handler the trace does not have. Where that is not
 * where it was stopped (a signal's handler returns), a PREG says that it left the level. */
int rst_made_return(struct rst_encoder *d, const struct rst_slot *s)
{
	struct rst_encoder_cpu *c = s->c;
	const struct rst_saved *l = &c->levels[0];
	c->tl = 0;
	c->pstate = l->pstate;
	if (s->insn->pc == l->pc || s->insn->pc == l->npc)
		return 0;
	const struct rst_preg v = {.cpu = (uint16_t)s->cpu,
	                           .pstate = l->pstate,
	                           .asi = ASI_PRIMARY,
	                           .primary = c->prim};
	return encoder_made_put_preg(d, &v);
}

int rst_made_address(struct rst_encoder *d, const struct rst_slot *s, unsigned *bits, uint64_t *ea)
{
	bool ran = !(s->insn->flags & CAIRN_INSN_NOT_EXECUTED);
	if (ran && !(*bits & RST_I_EA_VALID) &&
	    d->kind[isa_sparc_key(s->insn->enc)] == RST_CARRIED_MEM) {
		*bits |= RST_I_EA_VALID;
		*ea = RST_NO_EA;
	}
	return !(*bits & RST_I_EA_VALID) || *ea != RST_NO_EA
	           ? 0
	           : say_once(d, &d->told_eas,
	                      "cairn: 0x31415921 stands for addresses that are not known");
}

/* ---- behind an instruction ---- */

static bool is_leaving(enum isa_sparc_flow flow)
{
	return flow == ISA_SPARC_DONE || flow == ISA_SPARC_RETRY;
}

void rst_made_note(struct rst_encoder *d, const struct rst_slot *s, const uint8_t *p)
{
	struct rst_encoder_cpu *c = s->c;
	uint32_t enc = base_be32(p + 4);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	uint64_t pc = base_be64(p + 8);
	bool stopped = s->insn->flags & CAIRN_INSN_NOT_EXECUTED;
	*word_at(d, pc) =
		(struct rst_word){.pc = pc, .space = encoder_made_space_of(s), .enc = enc, .known = true};
	c->mode = p[1] & (RST_I_PR | RST_I_HPRIV);
	c->owes_slot = !stopped && isa_sparc_annuls(enc, flow, p[1] & RST_I_BT);
	if (stopped || !is_leaving(flow) || p[1] & RST_I_EA_VALID)
		return;
	const struct rst_saved *l = c->tl ? &c->levels[c->tl - 1] : NULL;
	c->open = true;
	c->open_at = d->out.len - SIZE;
	c->first_at = c->first_at ? d->out.len - c->first_at : 0;
	d->n_open++;
	if (l && l->pc != RST_NO_PC) {
		c->flow.npc = flow == ISA_SPARC_RETRY ? l->pc : l->npc;
		c->flow.flags |= RST_C_NPC;
	}
}

/* A CPU has not told that it is at this level. */
int rst_made_level(struct rst_encoder *d, struct rst_slot *s, unsigned tl)
{
	bool leaves = s->insn && is_leaving(isa_sparc_flow(s->insn->enc)) &&
	              !(s->insn->flags & CAIRN_INSN_NOT_EXECUTED);
	if (!leaves || tl == s->c->tl || tl == 0 || tl >= RST_SAVED_LEVELS)
		return 0;
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	rst_make_regval(p, s->cpu, false, RST_R_PRIV, ISA_SPARC_TL, tl);
	if (!(s->c->flow.flags & RST_C_NPC)) { /* nothing has run (clause 2(f)) */
		if (!(p = rst_encode_record(d)))
			return CAIRN_E_NOMEM;
		rst_make_regval(p, s->cpu, false, RST_R_PRIV, ISA_SPARC_TPC, RST_NO_PC);
		rst_more_regval(p, RST_R_PRIV, ISA_SPARC_TNPC, RST_NO_PC);
		s->c->first_at = d->out.len;
	}
	s->c->tl = (uint8_t)tl;
	s->c->levels[tl - 1] = (struct rst_saved){.pc = RST_NO_PC,
	                                          .npc = RST_NO_PC,
	                                          .pstate = (uint16_t)(s->c->pstate & ~PSTATE_PRIV)};
	return 0;
}

int rst_made_leaving(struct rst_encoder *d, struct rst_slot *s)
{
	struct rst_encoder_cpu *c = s->c;
	int rc = c->tl ? 0 : rst_made_level(d, s, 1);
	const struct rst_saved *l = &c->levels[c->tl ? c->tl - 1 : 0];
	if (rc < 0 || s->has_preg)
		return rc;
	const struct rst_preg v = {.cpu = (uint16_t)s->cpu,
	                           .pstate = l->pstate,
	                           .asi = ASI_PRIMARY,
	                           .tl = c->tl,
	                           .tt = l->tt,
	                           .primary = c->prim};
	c->pstate = l->pstate;
	return encoder_made_put_preg(d, &v);
}

/* ---- on the way out ---- */

size_t rst_made_ready(struct rst_encoder *d, bool all)
{
	size_t n = d->out.len;
	if (d->own || !d->n_open)
		return n;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		struct rst_encoder_cpu *c = d->cpus[i];
		if (c && c->open && all) /* as its trap was entered, if that is known */
			encoder_made_close_open(d, c, c->flow.flags & RST_C_NPC ? c->flow.npc : RST_NO_EA);
		else if (c && c->open && c->open_at - c->first_at < n)
			n = c->open_at - c->first_at;
	}
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		if (d->cpus[i] && d->cpus[i]->open)
			d->cpus[i]->open_at -= n;
	return n;
}
