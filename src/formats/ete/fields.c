/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets and elements as named fields, for printing. What a packet has follows from the
 * packet table; what an element has, from its kind.
 */
#include <stdio.h>
#include <string.h>

#include "formats/ete/table.h"
#include "isa/arm.h"

/* A list that grows; what is written stays within CAIRN_MAX_FIELDS by construction. */
struct list {
	struct cairn_field *f;
	unsigned n;
};

static void fields_number(struct list *l, const char *name, uint64_t v)
{
	l->f[l->n++] = (struct cairn_field){.name = name, .value = v, .kind = CAIRN_FIELD_DEC};
}

static void hex(struct list *l, const char *name, uint64_t v, unsigned width)
{
	l->f[l->n++] = (struct cairn_field){.name = name,
	                                    .value = v,
	                                    .kind = CAIRN_FIELD_HEX,
	                                    .width = (uint8_t)width};
}

static void named(struct list *l, const char *name, uint64_t v, const char *text)
{
	l->f[l->n++] = (struct cairn_field){.name = name,
	                                    .value = v,
	                                    .text = text,
	                                    .len = (uint32_t)strlen(text),
	                                    .kind = CAIRN_FIELD_NAME};
}

/* "EENE", oldest first. */
static void fields_atoms(struct list *l, uint32_t bits, unsigned n, char *text)
{
	for (unsigned i = 0; i < n && i < 32; i++)
		text[i] = bits >> i & 1 ? 'E' : 'N';
	l->f[l->n++] =
		(struct cairn_field){.name = "atoms", .text = text, .len = n, .kind = CAIRN_FIELD_TEXT};
}

static void fields_address(struct list *l, uint64_t a)
{
	hex(l, "address", a, 8);
}

static void instruction_set(struct list *l, unsigned is1)
{
	named(l, "is", is1, is1 ? "IS1" : "IS0");
}

static const char *security_name(unsigned s)
{
	static const char *const names[] = {"secure", "non_secure", "root", "realm"};
	return names[s & 3];
}

static void fields_context(struct list *l, const struct cairn_ete_packet *p)
{
	unsigned c = p->context, security = (c >> 3 & 1) * 2 + (c >> 5 & 1);
	fields_number(l, "el", c & 3);
	named(l, "security", security, security_name(security));
	named(l, "state", c >> 4 & 1, c & ETE_CONTEXT_SF ? "AArch64" : "AArch32");
	if (p->flags & CAIRN_ETE_P_HAS_VMID)
		hex(l, "vmid", p->vmid, 4);
	if (p->flags & CAIRN_ETE_P_HAS_CTXID)
		hex(l, "ctxid", p->ctxid, 4);
}

static void fields_cycles(struct list *l, const struct cairn_ete_packet *p)
{
	if (p->flags & CAIRN_ETE_P_CYCLES_UNKNOWN)
		l->f[l->n++] = (struct cairn_field){.name = "cycles",
		                                    .text = "unknown",
		                                    .len = 7,
		                                    .kind = CAIRN_FIELD_TEXT};
	else if (p->flags & CAIRN_ETE_P_HAS_CYCLES)
		fields_number(l, "cycles", p->cycles);
}

static void fields_trace_info(struct list *l, const struct cairn_ete_packet *p)
{
	if (p->sections & CAIRN_ETE_INFO)
		hex(l, "info", p->info, 1);
	if (p->sections & CAIRN_ETE_KEY)
		fields_number(l, "key", p->count);
	if (p->sections & CAIRN_ETE_SPEC)
		fields_number(l, "spec", p->value);
	if (p->sections & CAIRN_ETE_CYCT)
		fields_number(l, "threshold", p->cycles);
	if (p->sections & CAIRN_ETE_WNDW)
		fields_number(l, "window", p->key);
}

static const char *exception_name(unsigned m_profile, unsigned type)
{
	static const struct cairn_ete_config m = {.profile = 'M'};
	return cairn_ete_exception_name(m_profile ? &m : NULL, type);
}

static void fields_exception(struct list *l, const struct cairn_ete_packet *p)
{
	const char *name = exception_name(p->flags & CAIRN_ETE_P_M_PROFILE, p->number);
	if (name)
		named(l, "type", p->number, name);
	else
		fields_number(l, "type", p->number);
	fields_number(l, "e", p->info);
	if (p->flags & CAIRN_ETE_P_FAULT_PENDING)
		fields_number(l, "fault_pending", 1);
}

static void fields_conditional(struct list *l, const struct cairn_ete_packet *p)
{
	switch (p->type) {
	case CAIRN_ETE_P_COND_INST_F1:
		fields_number(l, "key", p->count);
		break;
	case CAIRN_ETE_P_COND_INST_F3:
		fields_number(l, "count", p->count);
		fields_number(l, "p", p->number);
		break;
	case CAIRN_ETE_P_COND_RESULT_F1:
		fields_number(l, "ci", p->number & 3);
		fields_number(l, "key0", p->value);
		hex(l, "result0", p->result & 15, 1);
		if (p->number < 4) {
			fields_number(l, "key1", p->key);
			hex(l, "result1", p->result >> 4, 1);
		}
		break;
	case CAIRN_ETE_P_COND_RESULT_F3:
		hex(l, "tokens", p->number, 2);
		break;
	default:
		break;
	}
}

static void with_address(struct list *l, const struct ete_row *r, const struct cairn_ete_packet *p)
{
	if (r->addr == ETE_A_MATCH)
		fields_number(l, "entry", p->number);
	if (r->addr != ETE_A_NONE) {
		fields_address(l, p->address);
		instruction_set(l, p->flags & CAIRN_ETE_P_IS1);
	}
	if (r->addr == ETE_A_SHORT)
		fields_number(l, "bits", p->bits);
	if (r->context)
		fields_context(l, p);
	if (r->count)
		fields_number(l, "count", p->count);
}

/* Of packets that are their header: only some have something to tell beside the name. */
static void from_header(struct list *l, const struct ete_row *r, const struct cairn_ete_packet *p,
                        char *text)
{
	if (p->n_atoms)
		fields_atoms(l, p->atoms, p->n_atoms, text);
	if (p->type == CAIRN_ETE_P_CANCEL_F2 || p->type == CAIRN_ETE_P_CANCEL_F3)
		fields_number(l, "cancel", p->count);
	else if (p->type == CAIRN_ETE_P_EVENT)
		hex(l, "events", p->number, 1);
	else if (p->type != CAIRN_ETE_P_MISPREDICT && r->form == ETE_NUMBERED && r->last > r->first)
		fields_number(l, "number", p->number);
	if (r->form == ETE_NUMBERED && p->type >= CAIRN_ETE_P_CANCEL_F2 &&
	    p->type < CAIRN_ETE_P_MISPREDICT)
		fields_number(l, "mispredict", 1);
}

static void of_type(struct list *l, const struct ete_row *r, const struct cairn_ete_packet *p,
                    char *text)
{
	switch (r->form) {
	case ETE_ATOMS:
	case ETE_NUMBERED:
		from_header(l, r, p, text);
		break;
	case ETE_TRACE_INFO:
		fields_trace_info(l, p);
		break;
	case ETE_TIMESTAMP:
		hex(l, "time", p->value, 8);
		fields_number(l, "bits", p->bits);
		fields_cycles(l, p);
		break;
	case ETE_EXCEPTION:
		fields_exception(l, p);
		break;
	case ETE_CCNT_F1:
	case ETE_CCNT_F2:
	case ETE_CCNT_F3:
		fields_cycles(l, p);
		if (p->flags & CAIRN_ETE_P_HAS_COUNT)
			fields_number(l, "commit", p->count);
		break;
	case ETE_COUNT:
		if (p->type == CAIRN_ETE_P_COND_INST_F1)
			fields_conditional(l, p);
		else
			fields_number(l, p->type == CAIRN_ETE_P_COMMIT ? "commit" : "cancel", p->count);
		if (p->type == CAIRN_ETE_P_CANCEL_F1_MISPREDICT)
			fields_number(l, "mispredict", 1);
		break;
	case ETE_ITE:
		fields_number(l, "el", p->number);
		hex(l, "payload", p->value, 8);
		break;
	case ETE_ADDRESS:
		with_address(l, r, p);
		break;
	default:
		fields_conditional(l, p);
		break;
	}
}

int cairn_ete_packet_fields(const struct cairn_ete_packet *p, const uint8_t *bytes,
                            struct cairn_field *fields, char *text)
{
	struct list l = {fields, 0};
	if (p->type > CAIRN_ETE_P_LAST)
		return 0;
	if (bytes)
		l.f[l.n++] = (struct cairn_field){.name = "bytes",
		                                  .text = (const char *)bytes,
		                                  .len = p->size,
		                                  .kind = CAIRN_FIELD_BYTES};
	if (ete_rows[p->type].form != ETE_NO_FORM)
		of_type(&l, &ete_rows[p->type], p, text);
	if (p->flags & CAIRN_ETE_P_OVERLAP)
		fields_number(&l, "overlap", 1);
	else if (p->flags & CAIRN_ETE_P_UNUSUAL)
		fields_number(&l, "unusual", 1);
	return (int)l.n;
}

/* ---- elements ---- */

static void flag(struct list *l, const struct cairn_ete_element *e, unsigned bit, const char *name)
{
	if (e->flags & bit)
		fields_number(l, name, 1);
}

static void isa(struct list *l, const struct cairn_ete_element *e)
{
	named(l, "isa", e->isa, cairn_isa_name(e->isa));
}

static void element_address(struct list *l, const struct cairn_ete_element *e)
{
	fields_address(l, e->address);
	isa(l, e);
}

static void element_context(struct list *l, const struct cairn_ete_element *e)
{
	fields_number(l, "el", e->el);
	named(l, "security", e->security, security_name(e->security));
	named(l, "state", e->aarch64, e->aarch64 ? "AArch64" : "AArch32");
	if (e->flags & CAIRN_ETE_HAS_VMID)
		hex(l, "vmid", e->vmid, 4);
	if (e->flags & CAIRN_ETE_HAS_CTXID)
		hex(l, "ctxid", e->ctxid, 4);
}

static void element_exception(struct list *l, const struct cairn_ete_element *e)
{
	const char *name = exception_name(e->flags & CAIRN_ETE_M_PROFILE, e->number);
	if (name)
		named(l, "type", e->number, name);
	else
		fields_number(l, "type", e->number);
	element_address(l, e);
	flag(l, e, CAIRN_ETE_ALSO_TARGET, "also_target");
	flag(l, e, CAIRN_ETE_INEXACT, "inexact");
	flag(l, e, CAIRN_ETE_FAULT_PENDING, "fault_pending");
}

/* A value that may be unknown: NULL text is what is known. */
static void known(struct list *l, bool is_known, const char *name, uint64_t v, bool as_hex)
{
	if (!is_known)
		l->f[l->n++] = (struct cairn_field){.name = name,
		                                    .text = "unknown",
		                                    .len = 7,
		                                    .kind = CAIRN_FIELD_TEXT};
	else if (as_hex)
		hex(l, name, v, 8);
	else
		fields_number(l, name, v);
}

static void element_time(struct list *l, const struct cairn_ete_element *e)
{
	bool unknown = e->flags & CAIRN_ETE_UNKNOWN;
	switch (e->kind) {
	case CAIRN_ETE_CYCLES:
		known(l, !unknown, "cycles", e->cycles, false);
		if (e->flags & CAIRN_ETE_HAS_COUNT)
			fields_number(l, "commit", e->count);
		fields_number(l, "depth", e->depth);
		break;
	case CAIRN_ETE_TIMESTAMP:
		known(l, !unknown, "time", e->value, true);
		if (e->flags & CAIRN_ETE_HAS_CYCLES)
			fields_number(l, "cycles", e->cycles);
		flag(l, e, CAIRN_ETE_MARKED, "marked");
		break;
	default:
		if (!(e->flags & CAIRN_ETE_IGNORED))
			known(l, !unknown, "time", e->value, true);
		flag(l, e, CAIRN_ETE_IGNORED, "ignored");
		break;
	}
}

static void element_conditional(struct list *l, const struct cairn_ete_element *e)
{
	struct cairn_ete_packet p = {.type = (uint8_t)e->number,
	                             .value = e->value,
	                             .key = e->depth,
	                             .count = e->count,
	                             .number = (uint16_t)e->atoms,
	                             .result = e->n_atoms};
	const struct ete_row *r = &ete_rows[p.type & CAIRN_ETE_P_LAST];
	named(l, "packet", e->number, r->name);
	if (r->form != ETE_NUMBERED)
		fields_conditional(l, &p);
	else if (r->last > r->first)
		fields_number(l, "number", p.number);
}

static void of_kind(struct list *l, const struct cairn_ete_element *e, char *text)
{
	switch (e->kind) {
	case CAIRN_ETE_NO_SYNC:
		named(l, "reason", e->number, cairn_ete_reason_text(e->number));
		fields_number(l, "skipped", e->value);
		fields_number(l, "lost", e->count);
		break;
	case CAIRN_ETE_TRACE_ON:
		named(l, "reason", e->number, cairn_ete_reason_text(e->number));
		break;
	case CAIRN_ETE_TRACE_INFO:
		hex(l, "info", e->number, 1);
		fields_number(l, "spec", e->count);
		fields_number(l, "threshold", e->cycles);
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_LOST:
	case CAIRN_ETE_END:
		fields_number(l, "lost", e->count);
		break;
	case CAIRN_ETE_ATOMS:
		fields_atoms(l, e->atoms, e->n_atoms, text);
		break;
	case CAIRN_ETE_EXCEPTION:
		element_exception(l, e);
		break;
	case CAIRN_ETE_ADDRESS:
	case CAIRN_ETE_SOURCE:
		element_address(l, e);
		break;
	case CAIRN_ETE_Q:
		if (e->flags & CAIRN_ETE_HAS_COUNT)
			fields_number(l, "count", e->count);
		if (e->flags & CAIRN_ETE_HAS_ADDRESS)
			element_address(l, e);
		break;
	case CAIRN_ETE_CONTEXT:
		element_context(l, e);
		break;
	case CAIRN_ETE_CYCLES:
	case CAIRN_ETE_TIMESTAMP:
	case CAIRN_ETE_MARKER:
		element_time(l, e);
		break;
	case CAIRN_ETE_EVENT:
		hex(l, "events", e->number, 1);
		break;
	case CAIRN_ETE_CONDITIONAL:
	case CAIRN_ETE_DATA_SYNC:
		element_conditional(l, e);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		fields_number(l, "el", e->el);
		hex(l, "payload", e->value, 8);
		break;
	default:
		break;
	}
}

int cairn_ete_element_fields(const struct cairn_ete_element *e, struct cairn_field *fields,
                             char *text)
{
	struct list l = {fields, 0};
	of_kind(&l, e, text);
	flag(&l, e, CAIRN_ETE_IN_TRANSACTION, "in_transaction");
	flag(&l, e, CAIRN_ETE_DISCARDED, "discarded");
	flag(&l, e, CAIRN_ETE_OUTCOME_UNKNOWN, "outcome_unknown");
	return (int)l.n;
}

const char *cairn_ete_element_name(unsigned kind)
{
	static const char *const names[] = {[CAIRN_ETE_NO_SYNC] = "NO_SYNC",
	                                    [CAIRN_ETE_TRACE_INFO] = "TRACE_INFO",
	                                    [CAIRN_ETE_TRACE_ON] = "TRACE_ON",
	                                    [CAIRN_ETE_OVERFLOW] = "OVERFLOW",
	                                    [CAIRN_ETE_DISCARD] = "DISCARD",
	                                    [CAIRN_ETE_LOST] = "LOST",
	                                    [CAIRN_ETE_END] = "END",
	                                    [CAIRN_ETE_ATOMS] = "ATOMS",
	                                    [CAIRN_ETE_EXCEPTION] = "EXCEPTION",
	                                    [CAIRN_ETE_PE_RESET] = "PE_RESET",
	                                    [CAIRN_ETE_SOURCE] = "SOURCE",
	                                    [CAIRN_ETE_Q] = "Q",
	                                    [CAIRN_ETE_EXCEPTION_RETURN] = "EXCEPTION_RETURN",
	                                    [CAIRN_ETE_FUNCTION_RETURN] = "FUNCTION_RETURN",
	                                    [CAIRN_ETE_TRANSACTION_START] = "TRANSACTION_START",
	                                    [CAIRN_ETE_ADDRESS] = "ADDRESS",
	                                    [CAIRN_ETE_CONTEXT] = "CONTEXT",
	                                    [CAIRN_ETE_TRANSACTION_COMMIT] = "TRANSACTION_COMMIT",
	                                    [CAIRN_ETE_TRANSACTION_FAILED] = "TRANSACTION_FAILED",
	                                    [CAIRN_ETE_TRANSACTION_UNKNOWN] = "TRANSACTION_UNKNOWN",
	                                    [CAIRN_ETE_CYCLES] = "CYCLES",
	                                    [CAIRN_ETE_TIMESTAMP] = "TIMESTAMP",
	                                    [CAIRN_ETE_MARKER] = "TS_MARKER",
	                                    [CAIRN_ETE_EVENT] = "EVENT",
	                                    [CAIRN_ETE_INSTRUMENTATION] = "INSTRUMENTATION",
	                                    [CAIRN_ETE_CONDITIONAL] = "CONDITIONAL",
	                                    [CAIRN_ETE_DATA_SYNC] = "DATA_SYNC"};
	return kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

const char *cairn_ete_reason_text(unsigned reason)
{
	static const char *const texts[] = {
		[CAIRN_ETE_AT_START] = "start",
		[CAIRN_ETE_AFTER_OVERFLOW] = "overflow",
		[CAIRN_ETE_AFTER_DISCARD] = "discard",
		[CAIRN_ETE_BAD_PACKET] = "reserved or broken packet",
		[CAIRN_ETE_BAD_COMMIT] = "commit of more P0 elements than there are",
		[CAIRN_ETE_BAD_CANCEL] = "cancel of more P0 elements than there are",
		[CAIRN_ETE_NO_ADDRESS] = "exception without its return address",
		[CAIRN_ETE_BAD_DEPTH] = "Trace Info with another speculation depth",
		[CAIRN_ETE_NO_TRACE_INFO] = "packets before Trace Info",
		[CAIRN_ETE_INCOMPLETE] = "the trace ends within a packet"};
	return reason < sizeof texts / sizeof texts[0] ? texts[reason] : "unknown";
}

/* M-profile numbers are those of the core's exceptions, but its interrupts from 8 on are 0x200 + n. */
const char *cairn_ete_exception_name(const struct cairn_ete_config *cfg, unsigned type)
{
	static const char *const m_names[27] = {
		NULL,      "PE_RESET", "NMI",  "HARD_FAULT", "MEM_MANAGE",   "BUS_FAULT",     "USAGE_FAULT",
		NULL,      NULL,       NULL,   NULL,         "SVC",          "DEBUG_MONITOR", NULL,
		"PEND_SV", "SYS_TICK", "IRQ0", "IRQ1",       "IRQ2",         "IRQ3",          "IRQ4",
		"IRQ5",    "IRQ6",     "IRQ7", "DEBUG_HALT", "LAZY_FP_PUSH", "LOCKUP"};
	if (cfg && cfg->profile == 'M')
		return type < 27 ? m_names[type] : NULL;
	return isa_arm_exception_name(type);
}
