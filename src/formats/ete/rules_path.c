/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where speculation went: the program is followed at once, as the trace unit did, so that
 * what a Cancel takes back is known, too. The rules ask for one thing: whether that was a
 * context synchronisation event, and what came behind it.
 *
 * Of each P0 element that is open there is what held before it; taking it back is going
 * back there. Only the youngest are kept: older ones that are canceled are not judged, and
 * neither is what comes until an address tells where execution stands.
 */
#include "formats/ete/rules.h"

static struct ete_path_p0 *p0_at(struct ete_path *p, uint64_t i)
{
	return &p->open[i % ETE_PATH];
}

/* ---- where it stands ---- */

static void rules_path_lose_address(struct ete_path *p)
{
	p->now.no_addr = true;
	p->now.waiting = false;
}

static void set_isa(struct ete_path *p)
{
	struct ete_path_at *at = &p->now;
	at->isa = at->is1 ? CAIRN_ISA_T32 : at->aarch64 ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
}

void ete_path_context(struct ete_path *p, const struct cairn_ete_packet *packet)
{
	unsigned c = packet->context, security = (c >> 3 & 1) * 2 + (c >> 5 & 1);
	if (!p->code)
		return;
	p->now.aarch64 = c & ETE_CONTEXT_SF;
	p->now.no_ctxt = false;
	if (packet->flags & CAIRN_ETE_P_HAS_VMID) {
		p->now.has_vmid = true;
		p->now.vmid = packet->vmid;
	}
	if (packet->flags & CAIRN_ETE_P_HAS_CTXID) {
		p->now.has_ctxid = true;
		p->now.ctxid = packet->ctxid;
	}
	p->now.view = (uint16_t)ete_code_view(
		p->code, &(struct image_seer){.space = image_space_of(c & 3, security),
	                                  .has_vmid = p->now.has_vmid,
	                                  .vmid = p->now.vmid,
	                                  .has_ctxid = p->now.has_ctxid,
	                                  .ctxid = p->now.ctxid});
	set_isa(p);
}

void ete_path_address(struct ete_path *p, uint64_t address, bool is1)
{
	p->now.addr = address;
	p->now.is1 = is1;
	p->now.no_addr = p->now.waiting = p->now.no_push = false;
	set_isa(p);
}

void ete_path_jump(struct ete_path *p, bool flush)
{
	rules_path_lose_address(p);
	if (flush)
		p->now.depth = 0;
}

void ete_path_info(struct ete_path *p)
{
	ete_path_jump(p, true);
	p->now.no_ctxt = p->now.no_push = true;
	p->now.has_vmid = p->now.has_ctxid = false;
}

void ete_path_forget(struct ete_path *p)
{
	p->head = p->tail = p->returned = 0;
	ete_path_info(p);
}

void ete_path_open(struct ete_path *p, const struct cairn_ete_config *cfg, struct ete_code *code)
{
	p->code = cfg->idr8 && code->image ? code : NULL;
	p->stacked = ete_stacked(cfg);
	ete_path_forget(p);
}

/* ---- P0 elements ---- */

static struct ete_path_p0 *rules_path_add(struct ete_path *p)
{
	struct ete_path_p0 *e;
	if (p->tail > p->head)
		p0_at(p, p->tail - 1)->followed = true;
	if (p->tail - p->head == ETE_PATH)
		p->head++;
	e = p0_at(p, p->tail++);
	*e = (struct ete_path_p0){.before = p->now};
	return e;
}

/* An indirect branch without an address behind it. */
static void rules_path_resolve(struct ete_path *p)
{
	struct ete_path_at *at = &p->now;
	if (!at->waiting)
		return;
	at->waiting = false;
	at->no_addr = !at->depth;
	if (!at->depth)
		return;
	at->depth--;
	at->addr = p->stack[at->top].addr;
	at->isa = p->stack[at->top].isa;
	at->is1 = at->isa == CAIRN_ISA_T32;
	at->top = (uint8_t)((at->top + ETE_STACK - 1) % ETE_STACK);
}

static void rules_path_push(struct ete_path *p, struct ete_path_p0 *e, const struct ete_block *b)
{
	struct ete_path_at *at = &p->now;
	if (!p->stacked || at->no_push)
		return;
	at->top = (uint8_t)((at->top + 1) % ETE_STACK);
	e->pushed = true;
	e->pushed_at = at->top;
	e->slot = p->stack[at->top];
	p->stack[at->top] = (struct ete_path_slot){b->end, b->isa};
	at->depth = (uint8_t)(at->depth + (at->depth < ETE_STACK));
}

/* What the P0 instruction of a block did. */
static void rules_path_outcome(struct ete_path *p, struct ete_path_p0 *e, const struct ete_block *b,
                               bool taken)
{
	struct ete_path_at *at = &p->now;
	bool branch = b->kind == ISA_ARM_DIRECT || b->kind == ISA_ARM_INDIRECT;
	if (taken && ete_is_event(b->kind, b->flags))
		e->event = (uint8_t)(b->kind == ISA_ARM_ISB ? ETE_EVENT_ISB : ETE_EVENT_RETURN);
	at->addr = b->end;
	if (!branch || !taken)
		return;
	if (b->flags & ISA_ARM_LINK)
		rules_path_push(p, e, b);
	at->waiting = b->kind == ISA_ARM_INDIRECT;
	at->addr = b->target;
	if (b->kind == ISA_ARM_DIRECT)
		at->isa = b->target_isa;
	at->is1 = at->isa == CAIRN_ISA_T32;
}

static void atom(struct ete_path *p, bool taken)
{
	const struct ete_path_at *at = &p->now;
	struct ete_path_p0 *e = rules_path_add(p);
	const struct ete_block *b;
	uint32_t n = 0;
	e->atom = true;
	e->taken = taken;
	rules_path_resolve(p);
	if (at->no_addr || at->no_ctxt)
		return;
	b = ete_code_block(p->code, at->addr, at->isa, at->view);
	while (b && b->kind == ISA_ARM_NONE && n < ETE_CODE_FAR) {
		n += b->n;
		b = ete_code_block(p->code, b->end, at->isa, at->view);
	}
	if (b && b->kind != ISA_ARM_NONE)
		rules_path_outcome(p, e, b, taken);
	else
		rules_path_lose_address(p);
}

/* It is a P0 instruction, and taken. */
static void rules_path_source(struct ete_path *p, const struct cairn_ete_packet *packet)
{
	struct ete_path_p0 *e = rules_path_add(p);
	const struct ete_block *b = NULL;
	ete_path_address(p, packet->address, packet->flags & CAIRN_ETE_P_IS1);
	if (!p->now.no_ctxt)
		b = ete_code_block(p->code, p->now.addr, p->now.isa, p->now.view);
	if (b && b->n == 1 && b->kind != ISA_ARM_NONE)
		rules_path_outcome(p, e, b, true);
	else
		rules_path_lose_address(p);
}

void ete_path_p0(struct ete_path *p, const struct cairn_ete_packet *packet, uint32_t n)
{
	if (!p->code)
		return;
	if (packet->n_atoms) {
		for (uint32_t i = 0; i < n; i++)
			atom(p, packet->atoms >> i & 1);
	} else if (packet->type >= CAIRN_ETE_P_SRC_MATCH && packet->type < CAIRN_ETE_P_Q_MATCH) {
		rules_path_source(p, packet);
	} else {
		rules_path_add(p);
		if (packet->type == CAIRN_ETE_P_TRANSACTION_START)
			return;
		rules_path_lose_address(p);
		if (packet->type >= CAIRN_ETE_P_Q_MATCH && packet->type < CAIRN_ETE_P_Q_COUNT)
			ete_path_address(p, packet->address, packet->flags & CAIRN_ETE_P_IS1);
	}
}

/* ---- resolved ---- */

void ete_path_commit(struct ete_path *p, uint64_t n, uint64_t depth)
{
	uint64_t kept = p->tail - p->head, older = depth > kept ? depth - kept : 0;
	if (n > older)
		p->head += n - older < kept ? n - older : kept;
}

/* Take the youngest back; which event it was, if others came behind it. */
static unsigned undo(struct ete_path *p)
{
	const struct ete_path_p0 *e = p0_at(p, --p->tail);
	if (e->pushed)
		p->stack[e->pushed_at] = e->slot;
	p->now = e->before;
	if (p->returned > p->tail + 1) /* it was on a way that this one led to */
		p->returned = 0;
	if (e->followed && e->event == ETE_EVENT_RETURN)
		p->returned = p->tail + 1;
	return e->followed ? e->event : 0;
}

unsigned ete_path_cancel(struct ete_path *p, uint64_t n)
{
	unsigned events = 0;
	while (n && p->tail > p->head) {
		events |= undo(p);
		n--;
	}
	if (n)
		ete_path_info(p); /* what held there is forgotten */
	return events;
}

unsigned ete_path_mispredict(struct ete_path *p)
{
	const struct ete_path_p0 *e = p->tail > p->head ? p0_at(p, p->tail - 1) : NULL;
	struct ete_path_at now = p->now;
	unsigned events;
	bool taken;
	if (!e || !e->atom) { /* it stands further back */
		rules_path_lose_address(p);
		return 0;
	}
	taken = !e->taken;
	events = undo(p);
	atom(p, taken);
	p->now.no_ctxt = now.no_ctxt; /* contexts behind it stay */
	p->now.aarch64 = now.aarch64;
	p->now.has_vmid = now.has_vmid;
	p->now.vmid = now.vmid;
	p->now.has_ctxid = now.has_ctxid;
	p->now.ctxid = now.ctxid;
	p->now.view = now.view;
	return events;
}
