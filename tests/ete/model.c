/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct item {
	struct cairn_ete_element e;
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

static struct item *append(struct model *m, uint64_t offset, unsigned kind)
{
	struct item *it;
	if (m->n == m->room)
		m->items = realloc(m->items, (m->room = m->room * 2 + 256) * sizeof *m->items);
	it = &m->items[m->n++];
	*it = (struct item){.e = {.offset = offset, .kind = (uint8_t)kind},
	                    .fate = OPEN,
	                    .p0 = cairn_ete_is_p0(m->cfg, kind)};
	if (it->p0)
		m->resume = CAIRN_ETE_AT_START;
	return it;
}

static size_t open_p0(const struct model *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		n += m->items[i].p0 && m->items[i].fate == OPEN;
	return n;
}

static void commit(struct model *m, size_t count)
{
	for (size_t i = 0; i < m->n && count; i++)
		if (m->items[i].p0 && m->items[i].fate == OPEN) {
			m->items[i].fate = RESOLVED;
			count--;
		}
}

static bool survives(const struct item *it)
{
	return it->e.kind >= CAIRN_ETE_CYCLES;
}

/* A context goes with its exception. */
static void follow(struct model *m)
{
	for (size_t i = m->n; i-- > 1;)
		if (m->items[i - 1].with_next && m->items[i].fate == GONE)
			m->items[i - 1].fate = GONE;
}

static void cancel(struct model *m, size_t count)
{
	for (size_t i = m->n; i-- > 0 && count;) {
		struct item *it = &m->items[i];
		if (it->p0 && it->fate == OPEN)
			count--;
		if ((!it->p0 && !survives(it)) || (it->p0 && it->fate == OPEN))
			it->fate = GONE;
	}
	follow(m);
}

static void mispredict(struct model *m)
{
	for (size_t i = m->n; i-- > 0;) {
		struct item *it = &m->items[i];
		if (it->fate == OPEN && it->e.kind == CAIRN_ETE_ATOMS) {
			it->e.atoms ^= 1;
			return;
		}
		if (it->e.kind == CAIRN_ETE_ADDRESS)
			it->fate = GONE;
	}
}

/* Nothing that is open will be resolved. */
static uint32_t give_up(struct model *m)
{
	uint32_t lost = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct item *it = &m->items[i];
		lost += it->p0 && it->fate == OPEN;
		if (lost && it->fate == OPEN && !survives(it))
			it->fate = GONE;
	}
	follow(m);
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].e.kind == CAIRN_ETE_MARKER && m->items[i].waits) {
			m->items[i].waits = false;
			m->items[i].e.flags |= CAIRN_ETE_IGNORED;
		}
	return lost;
}

static struct item *waiting(struct model *m, unsigned kind)
{
	for (size_t i = m->n; i-- > 0;)
		if (m->items[i].e.kind == kind && m->items[i].waits && m->items[i].fate != GONE)
			return &m->items[i];
	return NULL;
}

static void atoms(struct model *m, const struct cairn_ete_packet *p)
{
	for (unsigned i = 0; i < p->n_atoms; i++) {
		struct item *it = append(m, p->offset, CAIRN_ETE_ATOMS);
		it->e.atoms = p->atoms >> i & 1;
		it->e.n_atoms = 1;
	}
}

static void context(struct model *m, const struct cairn_ete_packet *p)
{
	struct item it, *exception = waiting(m, CAIRN_ETE_EXCEPTION);
	size_t at = exception ? (size_t)(exception - m->items) : 0;
	if (p->flags & CAIRN_ETE_P_HAS_VMID)
		m->vmid = p->vmid;
	if (p->flags & CAIRN_ETE_P_HAS_CTXID)
		m->ctxid = p->ctxid;
	m->ids |= p->flags & (CAIRN_ETE_P_HAS_VMID | CAIRN_ETE_P_HAS_CTXID);
	append(m, p->offset, CAIRN_ETE_CONTEXT);
	it = m->items[m->n - 1];
	it.e.el = p->context & 3;
	it.e.aarch64 = p->context >> 4 & 1;
	it.e.security = (uint8_t)((p->context >> 3 & 1) * 2 + (p->context >> 5 & 1));
	it.e.vmid = m->vmid;
	it.e.ctxid = m->ctxid;
	it.e.flags = m->ids;
	it.with_next = exception != NULL;
	if (!exception)
		at = m->n - 1;
	memmove(m->items + at + 1, m->items + at, (m->n - 1 - at) * sizeof it);
	m->items[at] = it;
}

static void address(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *it = waiting(m, CAIRN_ETE_EXCEPTION);
	if (!it)
		it = waiting(m, CAIRN_ETE_Q);
	if (!it)
		it = append(m, p->offset, CAIRN_ETE_ADDRESS);
	it->waits = false;
	it->e.address = p->address;
	it->e.is1 = p->flags & CAIRN_ETE_P_IS1;
	it->e.flags |= CAIRN_ETE_HAS_ADDRESS;
}

static void info(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *it = append(m, p->offset, CAIRN_ETE_TRACE_INFO);
	it->e.number = p->info;
	it->e.count = (uint32_t)p->value;
	it->e.cycles = p->cycles;
	m->ids = 0;
	m->vmid = m->ctxid = 0;
	m->out_of_step = false;
}

static void exception(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *it = append(m, p->offset, CAIRN_ETE_EXCEPTION);
	it->waits = true;
	it->e.number = p->number;
	if (p->info == 2)
		it->e.flags |= CAIRN_ETE_ALSO_TARGET;
	if (p->flags & CAIRN_ETE_P_FAULT_PENDING)
		it->e.flags |= CAIRN_ETE_FAULT_PENDING;
	if (m->cfg->profile == 'M') {
		it->e.flags |= CAIRN_ETE_M_PROFILE;
		return;
	}
	if (p->number == 1 || p->number == 4)
		it->e.flags |= CAIRN_ETE_INEXACT;
	if (p->number >= 16)
		it->e.flags |= CAIRN_ETE_SOFT;
}

static void q(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *it = append(m, p->offset, CAIRN_ETE_Q);
	it->e.count = p->count;
	if (p->flags & CAIRN_ETE_P_HAS_COUNT)
		it->e.flags |= CAIRN_ETE_HAS_COUNT;
	it->waits = p->type >= CAIRN_ETE_P_Q_COUNT;
	if (it->waits)
		return;
	it->e.address = p->address;
	it->e.is1 = p->flags & CAIRN_ETE_P_IS1;
	it->e.flags |= CAIRN_ETE_HAS_ADDRESS;
}

static void timestamp(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *mark = waiting(m, CAIRN_ETE_MARKER), *it;
	if (mark) {
		mark->waits = false;
		mark->e.value = p->value;
		mark->e.flags |= p->value ? 0 : CAIRN_ETE_UNKNOWN;
	}
	it = append(m, p->offset, CAIRN_ETE_TIMESTAMP);
	it->e.value = p->value;
	it->e.flags = p->value ? 0 : CAIRN_ETE_UNKNOWN;
	if (m->cfg->idr0 >> 23 & 1)
		it->e.flags |= CAIRN_ETE_MARKED;
	if ((p->flags & CAIRN_ETE_P_HAS_CYCLES) && (m->cfg->configr & 16)) {
		it->e.flags |= CAIRN_ETE_HAS_CYCLES;
		it->e.cycles = p->cycles;
	}
}

static void marker(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *old = waiting(m, CAIRN_ETE_MARKER);
	if (old) {
		old->waits = false;
		old->e.flags |= CAIRN_ETE_IGNORED;
	}
	append(m, p->offset, CAIRN_ETE_MARKER)->waits = true;
}

static void cycles(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *it;
	commit(m, p->count);
	it = append(m, p->offset, CAIRN_ETE_CYCLES);
	it->e.cycles = p->cycles;
	it->e.count = p->count;
	it->e.depth = (uint32_t)open_p0(m);
	if (p->flags & CAIRN_ETE_P_HAS_COUNT)
		it->e.flags |= CAIRN_ETE_HAS_COUNT;
	if (p->flags & CAIRN_ETE_P_CYCLES_UNKNOWN)
		it->e.flags |= CAIRN_ETE_UNKNOWN;
}

static void interruption(struct model *m, const struct cairn_ete_packet *p)
{
	bool overflow = p->type == CAIRN_ETE_P_OVERFLOW;
	uint32_t lost = give_up(m);
	append(m, p->offset, overflow ? CAIRN_ETE_OVERFLOW : CAIRN_ETE_DISCARD)->e.count = lost;
	m->out_of_step = true;
	m->aligned = false;
	m->resume = overflow ? CAIRN_ETE_AFTER_OVERFLOW : CAIRN_ETE_AFTER_DISCARD;
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
static void ranged(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *it;
	if (p->type >= CAIRN_ETE_P_CONTEXT && p->type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
		context(m, p);
	if (p->type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 && p->type <= CAIRN_ETE_P_ADDR_64_IS1) {
		address(m, p);
	} else if (p->type >= CAIRN_ETE_P_SRC_MATCH && p->type <= CAIRN_ETE_P_SRC_64_IS1) {
		it = append(m, p->offset, CAIRN_ETE_SOURCE);
		it->e.address = p->address;
		it->e.is1 = p->flags & CAIRN_ETE_P_IS1;
		it->e.flags = CAIRN_ETE_HAS_ADDRESS;
	} else if (p->type >= CAIRN_ETE_P_Q_MATCH && p->type <= CAIRN_ETE_P_Q) {
		q(m, p);
	} else if (p->n_atoms && p->type >= CAIRN_ETE_P_ATOM_F1) {
		atoms(m, p);
	} else if (p->type >= CAIRN_ETE_P_CANCEL_F1 && p->type <= CAIRN_ETE_P_MISPREDICT) {
		atoms(m, p);
		cancel(m, p->count);
		if (p->type != CAIRN_ETE_P_CANCEL_F1)
			mispredict(m);
	}
}

static void one(struct model *m, const struct cairn_ete_packet *p)
{
	struct item *it;
	/* of an interruption a Trace On knows when only events were between it and Async */
	if (p->type == CAIRN_ETE_P_ASYNC)
		m->aligned = true;
	else if (m->out_of_step && !m->aligned && p->type == CAIRN_ETE_P_INSTRUMENTATION)
		m->resume = CAIRN_ETE_AT_START;
	switch (p->type) {
	case CAIRN_ETE_P_TRACE_INFO:
		info(m, p);
		break;
	case CAIRN_ETE_P_EVENT:
		append(m, p->offset, CAIRN_ETE_EVENT)->e.number = p->number;
		break;
	case CAIRN_ETE_P_INSTRUMENTATION:
		it = append(m, p->offset, CAIRN_ETE_INSTRUMENTATION);
		it->e.el = p->number & 3;
		it->e.value = p->value;
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
		it = append(m, p->offset,
		            p->type < CAIRN_ETE_P_COND_INST_F1 ? CAIRN_ETE_DATA_SYNC
		                                               : CAIRN_ETE_CONDITIONAL);
		it->e.number = p->type;
		it->e.value = p->value;
		it->e.count = p->count;
		it->e.depth = p->key;
		it->e.atoms = p->number;
		it->e.n_atoms = p->result;
		break;
	case CAIRN_ETE_P_OVERFLOW:
	case CAIRN_ETE_P_DISCARD:
		interruption(m, p);
		break;
	case CAIRN_ETE_P_TRACE_ON:
		append(m, p->offset, CAIRN_ETE_TRACE_ON)->e.number = m->resume;
		m->resume = CAIRN_ETE_AT_START;
		break;
	case CAIRN_ETE_P_TIMESTAMP:
		timestamp(m, p);
		break;
	case CAIRN_ETE_P_TS_MARKER:
		marker(m, p);
		break;
	case CAIRN_ETE_P_CCNT_F1:
	case CAIRN_ETE_P_CCNT_F2:
	case CAIRN_ETE_P_CCNT_F3:
		cycles(m, p);
		break;
	case CAIRN_ETE_P_EXCEPTION:
		exception(m, p);
		break;
	case CAIRN_ETE_P_COMMIT:
		commit(m, p->count);
		break;
	default:
		if (bare_element(p->type))
			append(m, p->offset, bare_element(p->type));
		else
			ranged(m, p);
		break;
	}
	while (open_p0(m) > m->cfg->idr8)
		commit(m, 1);
}

/* ---- what is left, in order ---- */

static bool decides(const struct cairn_ete_element *e, bool *failed)
{
	switch (e->kind) {
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
		return e->kind < CAIRN_ETE_CYCLES;
	}
}

/* How the transaction that is open before row i ends: the row, and its flag (0: well). */
static size_t outcome(struct cairn_ete_element *e, size_t n, size_t i, unsigned *flag)
{
	for (; i < n; i++) {
		switch (e[i].kind) {
		case CAIRN_ETE_TRANSACTION_COMMIT:
			*flag = 0;
			return i;
		case CAIRN_ETE_TRANSACTION_FAILED: {
			bool failed = false;
			for (size_t k = i + 1; k < n; k++)
				if (decides(&e[k], &failed))
					break;
			*flag = failed ? CAIRN_ETE_DISCARDED : CAIRN_ETE_OUTCOME_UNKNOWN;
			return i;
		}
		case CAIRN_ETE_TRACE_INFO:
			if (e[i].number & CAIRN_ETE_INFO_TRANSACTION)
				break;
			/* fall through */
		case CAIRN_ETE_TRANSACTION_START:
		case CAIRN_ETE_OVERFLOW:
		case CAIRN_ETE_DISCARD:
		case CAIRN_ETE_END:
			*flag = CAIRN_ETE_OUTCOME_UNKNOWN;
			return i;
		default:
			break;
		}
	}
	return n;
}

static void transactions(struct cairn_ete_element *e, size_t n)
{
	bool open = false, failed;
	unsigned flag = 0;
	size_t until = 0;
	for (size_t i = 0; i < n; i++) {
		bool was = open;
		if (i == until && open)
			was = open = false;
		if (e[i].kind == CAIRN_ETE_TRANSACTION_START ||
		    (e[i].kind == CAIRN_ETE_TRACE_INFO && !was &&
		     (e[i].number & CAIRN_ETE_INFO_TRANSACTION))) {
			open = true;
			until = outcome(e, n, i + 1, &flag);
			continue;
		}
		if (e[i].kind == CAIRN_ETE_TRANSACTION_FAILED) {
			for (size_t k = i + 1; k < n; k++)
				if (decides(&e[k], &failed)) {
					if (!failed)
						e[i].kind = CAIRN_ETE_TRANSACTION_UNKNOWN;
					break;
				}
		}
		if (!was || e[i].kind == CAIRN_ETE_TRACE_INFO)
			continue;
		e[i].flags |= CAIRN_ETE_IN_TRANSACTION;
		if (flag == CAIRN_ETE_OUTCOME_UNKNOWN)
			e[i].flags |= CAIRN_ETE_OUTCOME_UNKNOWN;
		else if (flag &&
		         ((e[i].kind >= CAIRN_ETE_ATOMS && e[i].kind < CAIRN_ETE_TRANSACTION_START) ||
		          e[i].kind == CAIRN_ETE_ADDRESS))
			e[i].flags |= (uint16_t)flag;
	}
}

static size_t collect(struct model *m, int keep, struct cairn_ete_element *out)
{
	size_t n = 0, kept = 0;
	int state = -1; /* not known, AArch32, AArch64 */
	for (size_t i = 0; i < m->n; i++) {
		struct cairn_ete_element *e = &m->items[i].e;
		if (m->items[i].fate == GONE)
			continue;
		if (e->kind == CAIRN_ETE_TRACE_INFO)
			state = -1;
		if (e->kind == CAIRN_ETE_CONTEXT)
			state = e->aarch64;
		if (e->kind != CAIRN_ETE_CONTEXT && (e->flags & CAIRN_ETE_HAS_ADDRESS))
			e->isa = e->is1      ? CAIRN_ISA_T32
			         : state < 0 ? CAIRN_ISA_UNKNOWN
			         : state     ? CAIRN_ISA_A64
			                     : CAIRN_ISA_A32;
		out[n++] = *e;
	}
	transactions(out, n);
	for (size_t i = 0; i < n; i++)
		if (keep || !(out[i].flags & CAIRN_ETE_DISCARDED))
			out[kept++] = out[i];
	return kept;
}

size_t ete_model(const struct cairn_ete_config *cfg, int keep, const struct cairn_ete_packet *p,
                 size_t n, uint64_t end, struct cairn_ete_element **out)
{
	struct model m = {.cfg = cfg, .out_of_step = true};
	size_t kept;
	uint32_t lost;
	for (size_t i = 0; i < n; i++)
		one(&m, &p[i]);
	lost = give_up(&m);
	append(&m, end, CAIRN_ETE_END)->e.count = lost;
	*out = calloc(m.n + 1, sizeof **out);
	kept = collect(&m, keep, *out);
	free(m.items);
	return kept;
}

size_t ete_flatten(const struct cairn_ete_element *e, size_t n, struct cairn_ete_element *out)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (e[i].kind == CAIRN_ETE_NO_SYNC)
			continue;
		if (e[i].kind != CAIRN_ETE_ATOMS) {
			out[k++] = e[i];
			continue;
		}
		for (unsigned a = 0; a < e[i].n_atoms; a++) {
			out[k] = e[i];
			out[k].n_atoms = 1;
			out[k++].atoms = e[i].atoms >> a & 1;
		}
	}
	return k;
}
