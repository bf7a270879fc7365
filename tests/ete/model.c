/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct item {
	struct cairn_ete_element element;
	enum { OPEN, RESOLVED, GONE } fate; /* of a P0 element; others are OPEN */
	bool p0, waits;
	bool with_next; /* the context of an exception */
};

struct model {
	const struct cairn_ete_config *cfg;
	struct item *items;
	size_t n, room;
	bool out_of_step, aligned;
	uint8_t resume;
	uint16_t ids;
	uint32_t vmid, ctxid;
};

static struct item *append(struct model *model, uint64_t offset, unsigned kind)
{
	struct item *it;
	if (model->n == model->room)
		model->items =
			realloc(model->items, (model->room = model->room * 2 + 256) * sizeof *model->items);
	it = &model->items[model->n++];
	*it = (struct item){.element = {.offset = offset, .kind = (uint8_t)kind},
	                    .fate = OPEN,
	                    .p0 = cairn_ete_is_p0(model->cfg, kind)};
	if (it->p0)
		model->resume = CAIRN_ETE_AT_START;
	return it;
}

static size_t open_p0(const struct model *model)
{
	size_t n = 0;
	for (size_t i = 0; i < model->n; i++)
		n += model->items[i].p0 && model->items[i].fate == OPEN;
	return n;
}

static void commit(struct model *model, size_t count)
{
	for (size_t i = 0; i < model->n && count; i++)
		if (model->items[i].p0 && model->items[i].fate == OPEN) {
			model->items[i].fate = RESOLVED;
			count--;
		}
}

static bool survives(const struct item *it)
{
	return it->element.kind >= CAIRN_ETE_CYCLES;
}

/* A context goes with its exception. */
static void follow(struct model *model)
{
	for (size_t i = model->n; i-- > 1;)
		if (model->items[i - 1].with_next && model->items[i].fate == GONE)
			model->items[i - 1].fate = GONE;
}

static void cancel(struct model *model, size_t count)
{
	for (size_t i = model->n; i-- > 0 && count;) {
		struct item *it = &model->items[i];
		if (it->p0 && it->fate == OPEN)
			count--;
		if ((!it->p0 && !survives(it)) || (it->p0 && it->fate == OPEN))
			it->fate = GONE;
	}
	follow(model);
}

static void mispredict(struct model *model)
{
	for (size_t i = model->n; i-- > 0;) {
		struct item *it = &model->items[i];
		if (it->fate == OPEN && it->element.kind == CAIRN_ETE_ATOMS) {
			it->element.atoms ^= 1;
			return;
		}
		if (it->element.kind == CAIRN_ETE_ADDRESS)
			it->fate = GONE;
	}
}

/* Nothing that is open will be resolved. */
static uint32_t give_up(struct model *model)
{
	uint32_t lost = 0;
	for (size_t i = 0; i < model->n; i++) {
		struct item *it = &model->items[i];
		lost += it->p0 && it->fate == OPEN;
		if (lost && it->fate == OPEN && !survives(it))
			it->fate = GONE;
	}
	follow(model);
	for (size_t i = 0; i < model->n; i++)
		if (model->items[i].element.kind == CAIRN_ETE_MARKER && model->items[i].waits) {
			model->items[i].waits = false;
			model->items[i].element.flags |= CAIRN_ETE_IGNORED;
		}
	return lost;
}

static struct item *waiting(struct model *model, unsigned kind)
{
	for (size_t i = model->n; i-- > 0;)
		if (model->items[i].element.kind == kind && model->items[i].waits &&
		    model->items[i].fate != GONE)
			return &model->items[i];
	return NULL;
}

static void atoms(struct model *model, const struct cairn_ete_packet *packet)
{
	for (unsigned i = 0; i < packet->n_atoms; i++) {
		struct item *it = append(model, packet->offset, CAIRN_ETE_ATOMS);
		it->element.atoms = packet->atoms >> i & 1;
		it->element.n_atoms = 1;
	}
}

static void context(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item it, *exception = waiting(model, CAIRN_ETE_EXCEPTION);
	size_t at = exception ? (size_t)(exception - model->items) : 0;
	if (packet->flags & CAIRN_ETE_P_HAS_VMID)
		model->vmid = packet->vmid;
	if (packet->flags & CAIRN_ETE_P_HAS_CTXID)
		model->ctxid = packet->ctxid;
	model->ids |= packet->flags & (CAIRN_ETE_P_HAS_VMID | CAIRN_ETE_P_HAS_CTXID);
	append(model, packet->offset, CAIRN_ETE_CONTEXT);
	it = model->items[model->n - 1];
	it.element.el = packet->context & 3;
	it.element.aarch64 = packet->context >> 4 & 1;
	it.element.security = (uint8_t)((packet->context >> 3 & 1) * 2 + (packet->context >> 5 & 1));
	it.element.vmid = model->vmid;
	it.element.ctxid = model->ctxid;
	it.element.flags = model->ids;
	it.with_next = exception != NULL;
	if (!exception)
		at = model->n - 1;
	memmove(model->items + at + 1, model->items + at, (model->n - 1 - at) * sizeof it);
	model->items[at] = it;
}

static void address(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *it = waiting(model, CAIRN_ETE_EXCEPTION);
	if (!it)
		it = waiting(model, CAIRN_ETE_Q);
	if (!it)
		it = append(model, packet->offset, CAIRN_ETE_ADDRESS);
	it->waits = false;
	it->element.address = packet->address;
	it->element.is1 = packet->flags & CAIRN_ETE_P_IS1;
	it->element.flags |= CAIRN_ETE_HAS_ADDRESS;
}

static void info(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *it = append(model, packet->offset, CAIRN_ETE_TRACE_INFO);
	it->element.number = packet->info;
	it->element.count = (uint32_t)packet->value;
	it->element.cycles = packet->cycles;
	model->ids = 0;
	model->vmid = model->ctxid = 0;
	model->out_of_step = false;
}

static void exception(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *it = append(model, packet->offset, CAIRN_ETE_EXCEPTION);
	it->waits = true;
	it->element.number = packet->number;
	if (packet->info == 2)
		it->element.flags |= CAIRN_ETE_ALSO_TARGET;
	if (packet->flags & CAIRN_ETE_P_FAULT_PENDING)
		it->element.flags |= CAIRN_ETE_FAULT_PENDING;
	if (model->cfg->profile == 'M') {
		it->element.flags |= CAIRN_ETE_M_PROFILE;
		return;
	}
	if (packet->number == 1 || packet->number == 4)
		it->element.flags |= CAIRN_ETE_INEXACT;
	if (packet->number >= 16)
		it->element.flags |= CAIRN_ETE_SOFT;
}

static void q(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *it = append(model, packet->offset, CAIRN_ETE_Q);
	it->element.count = packet->count;
	if (packet->flags & CAIRN_ETE_P_HAS_COUNT)
		it->element.flags |= CAIRN_ETE_HAS_COUNT;
	it->waits = packet->type >= CAIRN_ETE_P_Q_COUNT;
	if (it->waits)
		return;
	it->element.address = packet->address;
	it->element.is1 = packet->flags & CAIRN_ETE_P_IS1;
	it->element.flags |= CAIRN_ETE_HAS_ADDRESS;
}

static void timestamp(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *mark = waiting(model, CAIRN_ETE_MARKER), *it;
	if (mark) {
		mark->waits = false;
		mark->element.value = packet->value;
		mark->element.flags |= packet->value ? 0 : CAIRN_ETE_UNKNOWN;
	}
	it = append(model, packet->offset, CAIRN_ETE_TIMESTAMP);
	it->element.value = packet->value;
	it->element.flags = packet->value ? 0 : CAIRN_ETE_UNKNOWN;
	if (model->cfg->idr0 >> 23 & 1)
		it->element.flags |= CAIRN_ETE_MARKED;
	if ((packet->flags & CAIRN_ETE_P_HAS_CYCLES) && (model->cfg->configr & 16)) {
		it->element.flags |= CAIRN_ETE_HAS_CYCLES;
		it->element.cycles = packet->cycles;
	}
}

static void marker(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *old = waiting(model, CAIRN_ETE_MARKER);
	if (old) {
		old->waits = false;
		old->element.flags |= CAIRN_ETE_IGNORED;
	}
	append(model, packet->offset, CAIRN_ETE_MARKER)->waits = true;
}

static void cycles(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *it;
	commit(model, packet->count);
	it = append(model, packet->offset, CAIRN_ETE_CYCLES);
	it->element.cycles = packet->cycles;
	it->element.count = packet->count;
	it->element.depth = (uint32_t)open_p0(model);
	if (packet->flags & CAIRN_ETE_P_HAS_COUNT)
		it->element.flags |= CAIRN_ETE_HAS_COUNT;
	if (packet->flags & CAIRN_ETE_P_CYCLES_UNKNOWN)
		it->element.flags |= CAIRN_ETE_UNKNOWN;
}

static void interruption(struct model *model, const struct cairn_ete_packet *packet)
{
	bool overflow = packet->type == CAIRN_ETE_P_OVERFLOW;
	uint32_t lost = give_up(model);
	append(model, packet->offset, overflow ? CAIRN_ETE_OVERFLOW : CAIRN_ETE_DISCARD)
		->element.count = lost;
	model->out_of_step = true;
	model->aligned = false;
	model->resume = overflow ? CAIRN_ETE_AFTER_OVERFLOW : CAIRN_ETE_AFTER_DISCARD;
}

/* Packets that are an element without more: which one, 0 another packet. */
static unsigned bare_element(unsigned type)
{
	switch (type) {
	case CAIRN_ETE_P_EXCEPTION_RETURN:
		return CAIRN_ETE_EXCEPTION_RETURN;
	case CAIRN_ETE_P_FUNCTION_RETURN:
		return CAIRN_ETE_FUNCTION_RETURN;
	case CAIRN_ETE_P_PE_RESET:
		return CAIRN_ETE_PE_RESET;
	case CAIRN_ETE_P_TRANSACTION_START:
		return CAIRN_ETE_TRANSACTION_START;
	case CAIRN_ETE_P_TRANSACTION_COMMIT:
		return CAIRN_ETE_TRANSACTION_COMMIT;
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		return CAIRN_ETE_TRANSACTION_FAILED;
	default:
		return 0;
	}
}

/* Packets that come in ranges of types. */
static void ranged(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *it;
	if (packet->type >= CAIRN_ETE_P_CONTEXT && packet->type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
		context(model, packet);
	if (packet->type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 && packet->type <= CAIRN_ETE_P_ADDR_64_IS1) {
		address(model, packet);
	} else if (packet->type >= CAIRN_ETE_P_SRC_MATCH && packet->type <= CAIRN_ETE_P_SRC_64_IS1) {
		it = append(model, packet->offset, CAIRN_ETE_SOURCE);
		it->element.address = packet->address;
		it->element.is1 = packet->flags & CAIRN_ETE_P_IS1;
		it->element.flags = CAIRN_ETE_HAS_ADDRESS;
	} else if (packet->type >= CAIRN_ETE_P_Q_MATCH && packet->type <= CAIRN_ETE_P_Q) {
		q(model, packet);
	} else if (packet->n_atoms && packet->type >= CAIRN_ETE_P_ATOM_F1) {
		atoms(model, packet);
	} else if (packet->type >= CAIRN_ETE_P_CANCEL_F1 && packet->type <= CAIRN_ETE_P_MISPREDICT) {
		atoms(model, packet);
		cancel(model, packet->count);
		if (packet->type != CAIRN_ETE_P_CANCEL_F1)
			mispredict(model);
	}
}

static void one(struct model *model, const struct cairn_ete_packet *packet)
{
	struct item *it;
	/* of an interruption a Trace On knows when only events were between it and Async */
	if (packet->type == CAIRN_ETE_P_ASYNC)
		model->aligned = true;
	else if (model->out_of_step && !model->aligned && packet->type == CAIRN_ETE_P_INSTRUMENTATION)
		model->resume = CAIRN_ETE_AT_START;
	switch (packet->type) {
	case CAIRN_ETE_P_TRACE_INFO:
		info(model, packet);
		break;
	case CAIRN_ETE_P_EVENT:
		append(model, packet->offset, CAIRN_ETE_EVENT)->element.number = packet->number;
		break;
	case CAIRN_ETE_P_INSTRUMENTATION:
		it = append(model, packet->offset, CAIRN_ETE_INSTRUMENTATION);
		it->element.el = packet->number & 3;
		it->element.value = packet->value;
		break;
	case CAIRN_ETE_P_NUM_DS_MARKER:
	case CAIRN_ETE_P_UNNUM_DS_MARKER:
	case CAIRN_ETE_P_COND_INST_F1:
	case CAIRN_ETE_P_COND_INST_F2:
	case CAIRN_ETE_P_COND_INST_F3:
	case CAIRN_ETE_P_COND_FLUSH:
	case CAIRN_ETE_P_COND_RESULT_F1:
	case CAIRN_ETE_P_COND_RESULT_F2:
	case CAIRN_ETE_P_COND_RESULT_F3:
	case CAIRN_ETE_P_COND_RESULT_F4:
		it = append(model, packet->offset,
		            packet->type < CAIRN_ETE_P_COND_INST_F1 ? CAIRN_ETE_DATA_SYNC
		                                                    : CAIRN_ETE_CONDITIONAL);
		it->element.number = packet->type;
		it->element.value = packet->value;
		it->element.count = packet->count;
		it->element.depth = packet->key;
		it->element.atoms = packet->number;
		it->element.n_atoms = packet->result;
		break;
	case CAIRN_ETE_P_OVERFLOW:
	case CAIRN_ETE_P_DISCARD:
		interruption(model, packet);
		break;
	case CAIRN_ETE_P_TRACE_ON:
		append(model, packet->offset, CAIRN_ETE_TRACE_ON)->element.number = model->resume;
		model->resume = CAIRN_ETE_AT_START;
		break;
	case CAIRN_ETE_P_TIMESTAMP:
		timestamp(model, packet);
		break;
	case CAIRN_ETE_P_TS_MARKER:
		marker(model, packet);
		break;
	case CAIRN_ETE_P_CCNT_F1:
	case CAIRN_ETE_P_CCNT_F2:
	case CAIRN_ETE_P_CCNT_F3:
		cycles(model, packet);
		break;
	case CAIRN_ETE_P_EXCEPTION:
		exception(model, packet);
		break;
	case CAIRN_ETE_P_COMMIT:
		commit(model, packet->count);
		break;
	default:
		if (bare_element(packet->type))
			append(model, packet->offset, bare_element(packet->type));
		else
			ranged(model, packet);
		break;
	}
	while (open_p0(model) > model->cfg->idr8)
		commit(model, 1);
}

/* ---- what is left, in order ---- */

static bool decides(const struct cairn_ete_element *element, bool *failed)
{
	switch (element->kind) {
	case CAIRN_ETE_TRACE_ON:
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_END:
		*failed = false;
		return true;
	case CAIRN_ETE_TRACE_INFO:
		return false;
	default:
		*failed = true;
		return element->kind < CAIRN_ETE_CYCLES;
	}
}

/* How the transaction that is open before row i ends: the row, and its flag (0: well). */
static size_t outcome(struct cairn_ete_element *element, size_t n, size_t index, unsigned *flag)
{
	for (; index < n; index++) {
		switch (element[index].kind) {
		case CAIRN_ETE_TRANSACTION_COMMIT:
			*flag = 0;
			return index;
		case CAIRN_ETE_TRANSACTION_FAILED: {
			bool failed = false;
			for (size_t k = index + 1; k < n; k++)
				if (decides(&element[k], &failed))
					break;
			*flag = failed ? CAIRN_ETE_DISCARDED : CAIRN_ETE_OUTCOME_UNKNOWN;
			return index;
		}
		case CAIRN_ETE_TRACE_INFO:
			if (element[index].number & CAIRN_ETE_INFO_TRANSACTION)
				break;
			/* fall through */
		case CAIRN_ETE_TRANSACTION_START:
		case CAIRN_ETE_OVERFLOW:
		case CAIRN_ETE_DISCARD:
		case CAIRN_ETE_END:
			*flag = CAIRN_ETE_OUTCOME_UNKNOWN;
			return index;
		default:
			break;
		}
	}
	return n;
}

static void transactions(struct cairn_ete_element *element, size_t n)
{
	bool open = false, failed;
	unsigned flag = 0;
	size_t until = 0;
	for (size_t i = 0; i < n; i++) {
		bool was = open;
		if (i == until && open)
			was = open = false;
		if (element[i].kind == CAIRN_ETE_TRANSACTION_START ||
		    (element[i].kind == CAIRN_ETE_TRACE_INFO && !was &&
		     (element[i].number & CAIRN_ETE_INFO_TRANSACTION))) {
			open = true;
			until = outcome(element, n, i + 1, &flag);
			continue;
		}
		if (element[i].kind == CAIRN_ETE_TRANSACTION_FAILED) {
			for (size_t k = i + 1; k < n; k++)
				if (decides(&element[k], &failed)) {
					if (!failed)
						element[i].kind = CAIRN_ETE_TRANSACTION_UNKNOWN;
					break;
				}
		}
		if (!was || element[i].kind == CAIRN_ETE_TRACE_INFO)
			continue;
		element[i].flags |= CAIRN_ETE_IN_TRANSACTION;
		if (flag == CAIRN_ETE_OUTCOME_UNKNOWN)
			element[i].flags |= CAIRN_ETE_OUTCOME_UNKNOWN;
		else if (flag && ((element[i].kind >= CAIRN_ETE_ATOMS &&
		                   element[i].kind < CAIRN_ETE_TRANSACTION_START) ||
		                  element[i].kind == CAIRN_ETE_ADDRESS))
			element[i].flags |= (uint16_t)flag;
	}
}

static size_t collect(struct model *model, int keep, struct cairn_ete_element *out)
{
	size_t n = 0, kept = 0;
	int state = -1; /* not known, AArch32, AArch64 */
	for (size_t i = 0; i < model->n; i++) {
		struct cairn_ete_element *element = &model->items[i].element;
		if (model->items[i].fate == GONE)
			continue;
		if (element->kind == CAIRN_ETE_TRACE_INFO)
			state = -1;
		if (element->kind == CAIRN_ETE_CONTEXT)
			state = element->aarch64;
		if (element->kind != CAIRN_ETE_CONTEXT && (element->flags & CAIRN_ETE_HAS_ADDRESS))
			element->isa = element->is1 ? CAIRN_ISA_T32
			               : state < 0  ? CAIRN_ISA_UNKNOWN
			               : state      ? CAIRN_ISA_A64
			                            : CAIRN_ISA_A32;
		out[n++] = *element;
	}
	transactions(out, n);
	for (size_t i = 0; i < n; i++)
		if (keep || !(out[i].flags & CAIRN_ETE_DISCARDED))
			out[kept++] = out[i];
	return kept;
}

size_t ete_model(const struct cairn_ete_config *cfg, int keep,
                 const struct cairn_ete_packet *packet, size_t n, uint64_t end,
                 struct cairn_ete_element **out)
{
	struct model model = {.cfg = cfg, .out_of_step = true};
	size_t kept;
	uint32_t lost;
	for (size_t i = 0; i < n; i++)
		one(&model, &packet[i]);
	lost = give_up(&model);
	append(&model, end, CAIRN_ETE_END)->element.count = lost;
	*out = calloc(model.n + 1, sizeof **out);
	kept = collect(&model, keep, *out);
	free(model.items);
	return kept;
}

size_t ete_flatten(const struct cairn_ete_element *element, size_t n, struct cairn_ete_element *out)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (element[i].kind == CAIRN_ETE_NO_SYNC)
			continue;
		if (element[i].kind != CAIRN_ETE_ATOMS) {
			out[k++] = element[i];
			continue;
		}
		for (unsigned a = 0; a < element[i].n_atoms; a++) {
			out[k] = element[i];
			out[k].n_atoms = 1;
			out[k++].atoms = element[i].atoms >> a & 1;
		}
	}
	return k;
}
