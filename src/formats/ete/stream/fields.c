/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets and elements as named fields, for printing. What a packet has follows from the
 * packet table; what an element has, from its kind.
 */
#include <string.h>

#include "formats/ete/stream/table.h"
#include "isa/arm.h"

/* A list that grows; what is written stays within CAIRN_MAX_FIELDS by construction. */
struct list {
	struct cairn_field *field;
	unsigned n;
};

static void fields_number(struct list *list, const char *name, uint64_t value)
{
	list->field[list->n++] =
		(struct cairn_field){.name = name, .value = value, .kind = CAIRN_FIELD_DEC};
}

static void hex(struct list *list, const char *name, uint64_t value, unsigned width)
{
	list->field[list->n++] = (struct cairn_field){.name = name,
	                                              .value = value,
	                                              .kind = CAIRN_FIELD_HEX,
	                                              .width = (uint8_t)width};
}

static void named(struct list *list, const char *name, uint64_t value, const char *text)
{
	list->field[list->n++] = (struct cairn_field){.name = name,
	                                              .value = value,
	                                              .text = text,
	                                              .len = (uint32_t)strlen(text),
	                                              .kind = CAIRN_FIELD_NAME};
}

/* "EENE", oldest first. */
static void fields_atoms(struct list *list, uint32_t bits, unsigned n, char *text)
{
	for (unsigned i = 0; i < n && i < 32; i++)
		text[i] = bits >> i & 1 ? 'E' : 'N';
	list->field[list->n++] =
		(struct cairn_field){.name = "atoms", .text = text, .len = n, .kind = CAIRN_FIELD_TEXT};
}

static void fields_address(struct list *list, uint64_t address)
{
	hex(list, "address", address, 8);
}

static void instruction_set(struct list *list, unsigned is1)
{
	named(list, "is", is1, is1 ? "IS1" : "IS0");
}

static const char *security_name(unsigned security)
{
	static const char *const names[] = {"secure", "non_secure", "root", "realm"};
	return names[security & 3];
}

static void fields_context(struct list *list, const struct cairn_ete_packet *packet)
{
	unsigned c = packet->context, security = (c >> 3 & 1) * 2 + (c >> 5 & 1);
	fields_number(list, "el", c & 3);
	named(list, "security", security, security_name(security));
	named(list, "state", c >> 4 & 1, c & ETE_CONTEXT_SF ? "AArch64" : "AArch32");
	if (packet->flags & CAIRN_ETE_P_HAS_VMID)
		hex(list, "vmid", packet->vmid, 4);
	if (packet->flags & CAIRN_ETE_P_HAS_CTXID)
		hex(list, "ctxid", packet->ctxid, 4);
}

static void fields_cycles(struct list *list, const struct cairn_ete_packet *packet)
{
	if (packet->flags & CAIRN_ETE_P_CYCLES_UNKNOWN)
		list->field[list->n++] = (struct cairn_field){.name = "cycles",
		                                              .text = "unknown",
		                                              .len = 7,
		                                              .kind = CAIRN_FIELD_TEXT};
	else if (packet->flags & CAIRN_ETE_P_HAS_CYCLES)
		fields_number(list, "cycles", packet->cycles);
}

static void fields_trace_info(struct list *list, const struct cairn_ete_packet *packet)
{
	if (packet->sections & CAIRN_ETE_INFO)
		hex(list, "info", packet->info, 1);
	if (packet->sections & CAIRN_ETE_KEY)
		fields_number(list, "key", packet->count);
	if (packet->sections & CAIRN_ETE_SPEC)
		fields_number(list, "spec", packet->value);
	if (packet->sections & CAIRN_ETE_CYCT)
		fields_number(list, "threshold", packet->cycles);
	if (packet->sections & CAIRN_ETE_WNDW)
		fields_number(list, "window", packet->key);
}

static void exception_type(struct list *list, bool m_profile, unsigned type)
{
	static const struct cairn_ete_config config = {.profile = 'M'};
	const char *name = cairn_ete_exception_name(m_profile ? &config : NULL, type);
	if (name)
		named(list, "type", type, name);
	else
		fields_number(list, "type", type);
}

static void fields_exception(struct list *list, const struct cairn_ete_packet *packet)
{
	exception_type(list, packet->flags & CAIRN_ETE_P_M_PROFILE, packet->number);
	fields_number(list, "e", packet->info);
	if (packet->flags & CAIRN_ETE_P_FAULT_PENDING)
		fields_number(list, "fault_pending", 1);
}

static void fields_conditional(struct list *list, const struct cairn_ete_packet *packet)
{
	switch (packet->type) {
	case CAIRN_ETE_P_COND_INST_F1:
		fields_number(list, "key", packet->count);
		break;
	case CAIRN_ETE_P_COND_INST_F3:
		fields_number(list, "count", packet->count);
		fields_number(list, "p", packet->number);
		break;
	case CAIRN_ETE_P_COND_RESULT_F1:
		fields_number(list, "ci", packet->number & 3);
		fields_number(list, "key0", packet->value);
		hex(list, "result0", packet->result & 15, 1);
		if (packet->number < 4) {
			fields_number(list, "key1", packet->key);
			hex(list, "result1", packet->result >> 4, 1);
		}
		break;
	case CAIRN_ETE_P_COND_RESULT_F3:
		hex(list, "tokens", packet->number, 2);
		break;
	default:
		break;
	}
}

static void with_address(struct list *list, const struct ete_row *row,
                         const struct cairn_ete_packet *packet)
{
	if (row->addr == ETE_A_MATCH)
		fields_number(list, "entry", packet->number);
	if (row->addr != ETE_A_NONE) {
		fields_address(list, packet->address);
		instruction_set(list, packet->flags & CAIRN_ETE_P_IS1);
	}
	if (row->addr == ETE_A_SHORT)
		fields_number(list, "bits", packet->bits);
	if (row->context)
		fields_context(list, packet);
	if (row->count)
		fields_number(list, "count", packet->count);
}

/* Packets that are nothing but their header: only some have fields beside the name. */
static void from_header(struct list *list, const struct ete_row *row,
                        const struct cairn_ete_packet *packet, char *text)
{
	if (packet->n_atoms)
		fields_atoms(list, packet->atoms, packet->n_atoms, text);
	if (packet->type == CAIRN_ETE_P_CANCEL_F2 || packet->type == CAIRN_ETE_P_CANCEL_F3)
		fields_number(list, "cancel", packet->count);
	else if (packet->type == CAIRN_ETE_P_EVENT)
		hex(list, "events", packet->number, 1);
	else if (packet->type != CAIRN_ETE_P_MISPREDICT && row->form == ETE_NUMBERED &&
	         row->last > row->first)
		fields_number(list, "number", packet->number);
	if (row->form == ETE_NUMBERED && packet->type >= CAIRN_ETE_P_CANCEL_F2 &&
	    packet->type < CAIRN_ETE_P_MISPREDICT)
		fields_number(list, "mispredict", 1);
}

static void of_type(struct list *list, const struct ete_row *row,
                    const struct cairn_ete_packet *packet, char *text)
{
	switch (row->form) {
	case ETE_ATOMS:
	case ETE_NUMBERED:
		from_header(list, row, packet, text);
		break;
	case ETE_TRACE_INFO:
		fields_trace_info(list, packet);
		break;
	case ETE_TIMESTAMP:
		hex(list, "time", packet->value, 8);
		fields_number(list, "bits", packet->bits);
		fields_cycles(list, packet);
		break;
	case ETE_EXCEPTION:
		fields_exception(list, packet);
		break;
	case ETE_CCNT_F1:
	case ETE_CCNT_F2:
	case ETE_CCNT_F3:
		fields_cycles(list, packet);
		if (packet->flags & CAIRN_ETE_P_HAS_COUNT)
			fields_number(list, "commit", packet->count);
		break;
	case ETE_COUNT:
		if (packet->type == CAIRN_ETE_P_COND_INST_F1)
			fields_conditional(list, packet);
		else
			fields_number(list, packet->type == CAIRN_ETE_P_COMMIT ? "commit" : "cancel",
			              packet->count);
		if (packet->type == CAIRN_ETE_P_CANCEL_F1_MISPREDICT)
			fields_number(list, "mispredict", 1);
		break;
	case ETE_ITE:
		fields_number(list, "el", packet->number);
		hex(list, "payload", packet->value, 8);
		break;
	case ETE_ADDRESS:
		with_address(list, row, packet);
		break;
	default:
		fields_conditional(list, packet);
		break;
	}
}

int cairn_ete_packet_fields(const struct cairn_ete_packet *packet, const uint8_t *bytes,
                            struct cairn_field *fields, char *text)
{
	struct list list = {fields, 0};
	if (packet->type > CAIRN_ETE_P_LAST)
		return 0;
	if (bytes)
		list.field[list.n++] = (struct cairn_field){.name = "bytes",
		                                            .text = (const char *)bytes,
		                                            .len = packet->size,
		                                            .kind = CAIRN_FIELD_BYTES};
	if (ete_rows[packet->type].form != ETE_NO_FORM)
		of_type(&list, &ete_rows[packet->type], packet, text);
	if (packet->flags & CAIRN_ETE_P_OVERLAP)
		fields_number(&list, "overlap", 1);
	else if (packet->flags & CAIRN_ETE_P_UNUSUAL)
		fields_number(&list, "unusual", 1);
	return (int)list.n;
}

/* ---- elements ---- */

static void flag(struct list *list, const struct cairn_ete_element *element, unsigned bit,
                 const char *name)
{
	if (element->flags & bit)
		fields_number(list, name, 1);
}

static void isa(struct list *list, const struct cairn_ete_element *element)
{
	named(list, "isa", element->isa, cairn_isa_name(element->isa));
}

static void element_address(struct list *list, const struct cairn_ete_element *element)
{
	fields_address(list, element->address);
	isa(list, element);
}

static void element_context(struct list *list, const struct cairn_ete_element *element)
{
	fields_number(list, "el", element->el);
	named(list, "security", element->security, security_name(element->security));
	named(list, "state", element->aarch64, element->aarch64 ? "AArch64" : "AArch32");
	if (element->flags & CAIRN_ETE_HAS_VMID)
		hex(list, "vmid", element->vmid, 4);
	if (element->flags & CAIRN_ETE_HAS_CTXID)
		hex(list, "ctxid", element->ctxid, 4);
}

static void element_exception(struct list *list, const struct cairn_ete_element *element)
{
	exception_type(list, element->flags & CAIRN_ETE_M_PROFILE, element->number);
	element_address(list, element);
	flag(list, element, CAIRN_ETE_ALSO_TARGET, "also_target");
	flag(list, element, CAIRN_ETE_INEXACT, "inexact");
	flag(list, element, CAIRN_ETE_FAULT_PENDING, "fault_pending");
}

/* A value that may be unknown: `text` NULL stands for that. */
static void known(struct list *list, bool is_known, const char *name, uint64_t value, bool as_hex)
{
	if (!is_known)
		list->field[list->n++] = (struct cairn_field){.name = name,
		                                              .text = "unknown",
		                                              .len = 7,
		                                              .kind = CAIRN_FIELD_TEXT};
	else if (as_hex)
		hex(list, name, value, 8);
	else
		fields_number(list, name, value);
}

static void element_time(struct list *list, const struct cairn_ete_element *element)
{
	bool unknown = element->flags & CAIRN_ETE_UNKNOWN;
	switch (element->kind) {
	case CAIRN_ETE_CYCLES:
		known(list, !unknown, "cycles", element->cycles, false);
		if (element->flags & CAIRN_ETE_HAS_COUNT)
			fields_number(list, "commit", element->count);
		fields_number(list, "depth", element->depth);
		break;
	case CAIRN_ETE_TIMESTAMP:
		known(list, !unknown, "time", element->value, true);
		if (element->flags & CAIRN_ETE_HAS_CYCLES)
			fields_number(list, "cycles", element->cycles);
		flag(list, element, CAIRN_ETE_MARKED, "marked");
		break;
	default:
		if (!(element->flags & CAIRN_ETE_IGNORED))
			known(list, !unknown, "time", element->value, true);
		flag(list, element, CAIRN_ETE_IGNORED, "ignored");
		break;
	}
}

static void element_conditional(struct list *list, const struct cairn_ete_element *element)
{
	struct cairn_ete_packet packet = {.type = (uint8_t)element->number,
	                                  .value = element->value,
	                                  .key = element->depth,
	                                  .count = element->count,
	                                  .number = (uint16_t)element->atoms,
	                                  .result = element->n_atoms};
	const struct ete_row *row = &ete_rows[packet.type & CAIRN_ETE_P_LAST];
	named(list, "packet", element->number, row->name);
	if (row->form != ETE_NUMBERED)
		fields_conditional(list, &packet);
	else if (row->last > row->first)
		fields_number(list, "number", packet.number);
}

static void of_kind(struct list *list, const struct cairn_ete_element *element, char *text)
{
	switch (element->kind) {
	case CAIRN_ETE_NO_SYNC:
		named(list, "reason", element->number, cairn_ete_reason_text(element->number));
		fields_number(list, "skipped", element->value);
		fields_number(list, "lost", element->count);
		break;
	case CAIRN_ETE_TRACE_ON:
		named(list, "reason", element->number, cairn_ete_reason_text(element->number));
		break;
	case CAIRN_ETE_TRACE_INFO:
		hex(list, "info", element->number, 1);
		fields_number(list, "spec", element->count);
		fields_number(list, "threshold", element->cycles);
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_LOST:
	case CAIRN_ETE_END:
		fields_number(list, "lost", element->count);
		break;
	case CAIRN_ETE_ATOMS:
		fields_atoms(list, element->atoms, element->n_atoms, text);
		break;
	case CAIRN_ETE_EXCEPTION:
		element_exception(list, element);
		break;
	case CAIRN_ETE_ADDRESS:
	case CAIRN_ETE_SOURCE:
		element_address(list, element);
		break;
	case CAIRN_ETE_Q:
		if (element->flags & CAIRN_ETE_HAS_COUNT)
			fields_number(list, "count", element->count);
		if (element->flags & CAIRN_ETE_HAS_ADDRESS)
			element_address(list, element);
		break;
	case CAIRN_ETE_CONTEXT:
		element_context(list, element);
		break;
	case CAIRN_ETE_CYCLES:
	case CAIRN_ETE_TIMESTAMP:
	case CAIRN_ETE_MARKER:
		element_time(list, element);
		break;
	case CAIRN_ETE_EVENT:
		hex(list, "events", element->number, 1);
		break;
	case CAIRN_ETE_CONDITIONAL:
	case CAIRN_ETE_DATA_SYNC:
		element_conditional(list, element);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		fields_number(list, "el", element->el);
		hex(list, "payload", element->value, 8);
		break;
	default:
		break;
	}
}

int cairn_ete_element_fields(const struct cairn_ete_element *element, struct cairn_field *fields,
                             char *text)
{
	struct list list = {fields, 0};
	of_kind(&list, element, text);
	flag(&list, element, CAIRN_ETE_IN_TRANSACTION, "in_transaction");
	flag(&list, element, CAIRN_ETE_DISCARDED, "discarded");
	flag(&list, element, CAIRN_ETE_OUTCOME_UNKNOWN, "outcome_unknown");
	return (int)list.n;
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

/* Numbers of the M profile are those of the core's exceptions, but interrupts from 8 on are 0x200 +
 * n. */
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
