/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where speculation went. The program is followed as soon as packets come, before they are
 * committed, so that the instructions that a Cancel takes back are known. The rules ask only
 * whether one of them was a context synchronisation event, and what came after it.
 *
 * For each unresolved P0 element the state before it is kept, and a Cancel restores it. Only the
 * youngest are kept: when older ones are canceled, nothing is judged until an address tells where
 * execution stands.
 */
#include "formats/ete/check/rules.h"

static struct ete_path_p0 *p0_at(struct ete_path *path, uint64_t index)
{
	return &path->open[index % ETE_PATH];
}

/* ---- where it stands ---- */

static void rules_path_lose_address(struct ete_path *path)
{
	path->now.no_addr = true;
	path->now.waiting = false;
}

static void set_isa(struct ete_path *path)
{
	struct ete_path_at *at = &path->now;
	at->isa = at->is1 ? CAIRN_ISA_T32 : at->aarch64 ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
}

void ete_path_context(struct ete_path *path, const struct cairn_ete_packet *packet)
{
	unsigned c = packet->context, security = (c >> 3 & 1) * 2 + (c >> 5 & 1);
	if (!path->code)
		return;
	path->now.aarch64 = c & ETE_CONTEXT_SF;
	path->now.no_ctxt = false;
	if (packet->flags & CAIRN_ETE_P_HAS_VMID) {
		path->now.has_vmid = true;
		path->now.vmid = packet->vmid;
	}
	if (packet->flags & CAIRN_ETE_P_HAS_CTXID) {
		path->now.has_ctxid = true;
		path->now.ctxid = packet->ctxid;
	}
	path->now.view = (uint16_t)ete_code_view(
		path->code, &(struct image_seer){.space = image_space_of(c & 3, security),
	                                     .has_vmid = path->now.has_vmid,
	                                     .vmid = path->now.vmid,
	                                     .has_ctxid = path->now.has_ctxid,
	                                     .ctxid = path->now.ctxid});
	set_isa(path);
}

void ete_path_address(struct ete_path *path, uint64_t address, bool is1)
{
	path->now.addr = address;
	path->now.is1 = is1;
	path->now.no_addr = path->now.waiting = path->now.no_push = false;
	set_isa(path);
}

void ete_path_jump(struct ete_path *path, bool flush)
{
	rules_path_lose_address(path);
	if (flush)
		path->now.depth = 0;
}

void ete_path_info(struct ete_path *path)
{
	ete_path_jump(path, true);
	path->now.no_ctxt = path->now.no_push = true;
	path->now.has_vmid = path->now.has_ctxid = false;
}

void ete_path_forget(struct ete_path *path)
{
	path->head = path->tail = path->returned = 0;
	ete_path_info(path);
}

void ete_path_open(struct ete_path *path, const struct cairn_ete_config *cfg, struct ete_code *code)
{
	path->code = cfg->idr8 && code->image ? code : NULL;
	path->stacked = ete_stacked(cfg);
	ete_path_forget(path);
}

/* ---- P0 elements ---- */

static struct ete_path_p0 *rules_path_add(struct ete_path *path)
{
	struct ete_path_p0 *p0;
	if (path->tail > path->head)
		p0_at(path, path->tail - 1)->followed = true;
	if (path->tail - path->head == ETE_PATH)
		path->head++;
	p0 = p0_at(path, path->tail++);
	*p0 = (struct ete_path_p0){.before = path->now};
	return p0;
}

/* An indirect branch without an address behind it. */
static void rules_path_resolve(struct ete_path *path)
{
	struct ete_path_at *at = &path->now;
	if (!at->waiting)
		return;
	at->waiting = false;
	at->no_addr = !at->depth;
	if (!at->depth)
		return;
	at->depth--;
	at->addr = path->stack[at->top].addr;
	at->isa = path->stack[at->top].isa;
	at->is1 = at->isa == CAIRN_ISA_T32;
	at->top = (uint8_t)((at->top + ETE_STACK - 1) % ETE_STACK);
}

static void rules_path_push(struct ete_path *path, struct ete_path_p0 *p0,
                            const struct ete_block *block)
{
	struct ete_path_at *at = &path->now;
	if (!path->stacked || at->no_push)
		return;
	at->top = (uint8_t)((at->top + 1) % ETE_STACK);
	p0->pushed = true;
	p0->pushed_at = at->top;
	p0->slot = path->stack[at->top];
	path->stack[at->top] = (struct ete_path_slot){block->end, block->isa};
	at->depth = (uint8_t)(at->depth + (at->depth < ETE_STACK));
}

/* What the P0 instruction of a block did. */
static void rules_path_outcome(struct ete_path *path, struct ete_path_p0 *p0,
                               const struct ete_block *block, bool taken)
{
	struct ete_path_at *at = &path->now;
	bool branch = block->kind == ISA_ARM_DIRECT || block->kind == ISA_ARM_INDIRECT;
	if (taken && ete_is_event(block->kind, block->flags))
		p0->event = (uint8_t)(block->kind == ISA_ARM_ISB ? ETE_EVENT_ISB : ETE_EVENT_RETURN);
	at->addr = block->end;
	if (!branch || !taken)
		return;
	if (block->flags & ISA_ARM_LINK)
		rules_path_push(path, p0, block);
	at->waiting = block->kind == ISA_ARM_INDIRECT;
	at->addr = block->target;
	if (block->kind == ISA_ARM_DIRECT)
		at->isa = block->target_isa;
	at->is1 = at->isa == CAIRN_ISA_T32;
}

static void atom(struct ete_path *path, bool taken)
{
	const struct ete_path_at *at = &path->now;
	struct ete_path_p0 *p0 = rules_path_add(path);
	const struct ete_block *block;
	uint32_t n = 0;
	p0->atom = true;
	p0->taken = taken;
	rules_path_resolve(path);
	if (at->no_addr || at->no_ctxt)
		return;
	block = ete_code_block(path->code, at->addr, at->isa, at->view);
	while (block && block->kind == ISA_ARM_NONE && n < ETE_CODE_FAR) {
		n += block->n;
		block = ete_code_block(path->code, block->end, at->isa, at->view);
	}
	if (block && block->kind != ISA_ARM_NONE)
		rules_path_outcome(path, p0, block, taken);
	else
		rules_path_lose_address(path);
}

/* It is a P0 instruction, and taken. */
static void rules_path_source(struct ete_path *path, const struct cairn_ete_packet *packet)
{
	struct ete_path_p0 *p0 = rules_path_add(path);
	const struct ete_block *block = NULL;
	ete_path_address(path, packet->address, packet->flags & CAIRN_ETE_P_IS1);
	if (!path->now.no_ctxt)
		block = ete_code_block(path->code, path->now.addr, path->now.isa, path->now.view);
	if (block && block->n == 1 && block->kind != ISA_ARM_NONE)
		rules_path_outcome(path, p0, block, true);
	else
		rules_path_lose_address(path);
}

void ete_path_p0(struct ete_path *path, const struct cairn_ete_packet *packet, uint32_t n)
{
	if (!path->code)
		return;
	if (packet->n_atoms) {
		for (uint32_t i = 0; i < n; i++)
			atom(path, packet->atoms >> i & 1);
	} else if (packet->type >= CAIRN_ETE_P_SRC_MATCH && packet->type < CAIRN_ETE_P_Q_MATCH) {
		rules_path_source(path, packet);
	} else {
		rules_path_add(path);
		if (packet->type == CAIRN_ETE_P_TRANSACTION_START)
			return;
		rules_path_lose_address(path);
		if (packet->type >= CAIRN_ETE_P_Q_MATCH && packet->type < CAIRN_ETE_P_Q_COUNT)
			ete_path_address(path, packet->address, packet->flags & CAIRN_ETE_P_IS1);
	}
}

/* ---- resolved ---- */

void ete_path_commit(struct ete_path *path, uint64_t n, uint64_t depth)
{
	uint64_t kept = path->tail - path->head, older = depth > kept ? depth - kept : 0;
	if (n > older)
		path->head += n - older < kept ? n - older : kept;
}

/* Take the youngest back. Returns which event it was, if others came behind it. */
static unsigned undo(struct ete_path *path)
{
	const struct ete_path_p0 *p0 = p0_at(path, --path->tail);
	if (p0->pushed)
		path->stack[p0->pushed_at] = p0->slot;
	path->now = p0->before;
	if (path->returned > path->tail + 1) /* it was on a way that this one led to */
		path->returned = 0;
	if (p0->followed && p0->event == ETE_EVENT_RETURN)
		path->returned = path->tail + 1;
	return p0->followed ? p0->event : 0;
}

unsigned ete_path_cancel(struct ete_path *path, uint64_t n)
{
	unsigned events = 0;
	while (n && path->tail > path->head) {
		events |= undo(path);
		n--;
	}
	if (n)
		ete_path_info(path); /* what held there is forgotten */
	return events;
}

unsigned ete_path_mispredict(struct ete_path *path)
{
	const struct ete_path_p0 *p0 = path->tail > path->head ? p0_at(path, path->tail - 1) : NULL;
	struct ete_path_at now = path->now;
	unsigned events;
	bool taken;
	if (!p0 || !p0->atom) { /* it stands further back */
		rules_path_lose_address(path);
		return 0;
	}
	taken = !p0->taken;
	events = undo(path);
	atom(path, taken);
	path->now.no_ctxt = now.no_ctxt; /* contexts behind it stay */
	path->now.aarch64 = now.aarch64;
	path->now.has_vmid = now.has_vmid;
	path->now.vmid = now.vmid;
	path->now.has_ctxid = now.has_ctxid;
	path->now.ctxid = now.ctxid;
	path->now.view = now.view;
	return events;
}
