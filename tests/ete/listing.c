/* SPDX-License-Identifier: Apache-2.0 */
#include "listing.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char *line, const char *fmt, ...)
{
	size_t n = strlen(line);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line + n, LISTING_LINE - n, fmt, ap);
	va_end(ap);
}

/* ---- packets ---- */

/* Their names and titles, and what of it they print behind. */
static const struct words {
	const char *name, *title;
} words[CAIRN_ETE_P_LAST + 1] = {
	[CAIRN_ETE_P_NOT_SYNC] = {"I_NOT_SYNC", "I Stream not synchronised"},
	[CAIRN_ETE_P_RESERVED] = {"I_RESERVED_CFG", "Reserved header for current configuration."},
	[CAIRN_ETE_P_ASYNC] = {"I_ASYNC", "Alignment Synchronisation."},
	[CAIRN_ETE_P_DISCARD] = {"I_DISCARD", "Discard."},
	[CAIRN_ETE_P_OVERFLOW] = {"I_OVERFLOW", "Overflow."},
	[CAIRN_ETE_P_TRACE_INFO] = {"I_TRACE_INFO", "Trace Info."},
	[CAIRN_ETE_P_TRACE_ON] = {"I_TRACE_ON", "Trace On."},
	[CAIRN_ETE_P_TIMESTAMP] = {"I_TIMESTAMP", "Timestamp."},
	[CAIRN_ETE_P_TS_MARKER] = {"I_TS_MARKER", "Timestamp Marker"},
	[CAIRN_ETE_P_CCNT_F1] = {"I_CCNT_F1", "Cycle Count format 1."},
	[CAIRN_ETE_P_CCNT_F2] = {"I_CCNT_F2", "Cycle Count format 2."},
	[CAIRN_ETE_P_CCNT_F3] = {"I_CCNT_F3", "Cycle Count format 3."},
	[CAIRN_ETE_P_EXCEPTION] = {"I_EXCEPT", "Exception."},
	[CAIRN_ETE_P_TRANSACTION_START] = {"I_TRANS_ST", "Transaction Start."},
	[CAIRN_ETE_P_TRANSACTION_COMMIT] = {"I_TRANS_COMMIT", "Transaction Commit."},
	[CAIRN_ETE_P_TRANSACTION_FAILURE] = {"I_TRANS_FAIL", "Transaction Fail."},
	[CAIRN_ETE_P_EVENT] = {"I_EVENT", "Trace Event."},
	[CAIRN_ETE_P_INSTRUMENTATION] = {"I_ITE", "Instrumentation"},
	[CAIRN_ETE_P_COMMIT] = {"I_COMMIT", "Commit"},
	[CAIRN_ETE_P_CANCEL_F1] = {"I_CANCEL_F1", "Cancel Format 1."},
	[CAIRN_ETE_P_CANCEL_F2] = {"I_CANCEL_F2", "Cancel Format 2."},
	[CAIRN_ETE_P_MISPREDICT] = {"I_MISPREDICT", "Mispredict."},
	[CAIRN_ETE_P_CONTEXT] = {"I_CTXT", "Context Packet."},
	[CAIRN_ETE_P_ADDR_CTXT_32_IS0] = {"I_ADDR_CTXT_L_32IS0",
                                      "Address & Context, Long, 32 bit, IS0."},
	[CAIRN_ETE_P_ADDR_CTXT_64_IS0] = {"I_ADDR_CTXT_L_64IS0",
                                      "Address & Context, Long, 64 bit, IS0."},
	[CAIRN_ETE_P_ADDR_MATCH] = {"I_ADDR_MATCH", "Exact Address Match."},
	[CAIRN_ETE_P_ADDR_SHORT_IS0] = {"I_ADDR_S_IS0", "Address, Short, IS0."},
	[CAIRN_ETE_P_ADDR_32_IS0] = {"I_ADDR_L_32IS0", "Address, Long, 32 bit, IS0."},
	[CAIRN_ETE_P_ADDR_64_IS0] = {"I_ADDR_L_64IS0", "Address, Long, 64 bit, IS0."},
	[CAIRN_ETE_P_SRC_SHORT_IS0] = {"I_SRC_ADDR_S_IS0", "Source Address, Short, IS0."},
	[CAIRN_ETE_P_SRC_SHORT_IS1] = {"I_SRC_ADDR_S_IS1", "Source Address, Short, IS1."},
	[CAIRN_ETE_P_SRC_32_IS0] = {"I_SCR_ADDR_L_32IS0", "Source Address, Long, 32 bit, IS0."},
	[CAIRN_ETE_P_Q_SHORT_IS0] = {"I_Q", "Q Packet."},
	[CAIRN_ETE_P_Q_32_IS0] = {"I_Q", "Q Packet."},
	[CAIRN_ETE_P_ATOM_F1] = {"I_ATOM_F1", "Atom format 1."},
	[CAIRN_ETE_P_ATOM_F2] = {"I_ATOM_F2", "Atom format 2."},
	[CAIRN_ETE_P_ATOM_F3] = {"I_ATOM_F3", "Atom format 3."},
	[CAIRN_ETE_P_ATOM_F4] = {"I_ATOM_F4", "Atom format 4."},
	[CAIRN_ETE_P_ATOM_F5] = {"I_ATOM_F5", "Atom format 5."},
	[CAIRN_ETE_P_ATOM_F6] = {"I_ATOM_F6", "Atom format 6."},
};

static void atoms(char *line, const struct cairn_ete_packet *packet)
{
	for (unsigned i = 0; i < packet->n_atoms; i++)
		add(line, "%c", packet->atoms >> i & 1 ? 'E' : 'N');
}

static void context(char *line, const struct cairn_ete_packet *packet)
{
	static const char *const security[] = {"S", "NS", "Root", "Realm"};
	unsigned c = packet->context;
	add(line, "Ctxt: %sEL%u, %s; ", c & 16 ? "AArch64," : "AArch32, ", c & 3,
	    security[(c >> 3 & 1) * 2 + (c >> 5 & 1)]);
	if (packet->flags & CAIRN_ETE_P_HAS_CTXID)
		add(line, "CID=0x%08x; ", packet->ctxid);
	if (packet->flags & CAIRN_ETE_P_HAS_VMID)
		add(line, "VMID=0x%04x; ", packet->vmid);
}

static void address(char *line, const struct cairn_ete_packet *packet)
{
	add(line, "Addr=0x%016" PRIX64, packet->address);
}

/* An address of which the lower bits were sent: these once more. */
static void updated(char *line, const struct cairn_ete_packet *packet)
{
	unsigned bits = packet->bits ? packet->bits : 32;
	address(line, packet);
	add(line, " ~[0x%" PRIX64 "]", packet->address & (((uint64_t)1 << bits) - 1));
}

static const char *exception_word(unsigned type)
{
	static const char *const w[] = {"PE Reset",     "Debug Halt", "Call",       "Trap",
	                                "System Error", "Reserved",   "Inst Debug", "Data Debug",
	                                "Reserved",     "Reserved",   "Alignment",  "Inst Fault",
	                                "Data Fault",   "Reserved",   "IRQ",        "FIQ"};
	return type < 16 ? w[type] : "Reserved";
}

static void details(char *line, const struct cairn_ete_packet *packet)
{
	switch (packet->type) {
	case CAIRN_ETE_P_EXCEPTION:
		add(line, ";  %s; %s", exception_word(packet->number),
		    packet->info == 2 ? "Ret Addr Follows, Match Prev;" : "Ret Addr Follows;");
		break;
	case CAIRN_ETE_P_TIMESTAMP:
		add(line, "; Updated val = 0x%" PRIx64, packet->value);
		break;
	case CAIRN_ETE_P_CCNT_F1:
	case CAIRN_ETE_P_CCNT_F2:
	case CAIRN_ETE_P_CCNT_F3:
		add(line, "; Count=0x%x", packet->cycles);
		break;
	case CAIRN_ETE_P_INSTRUMENTATION:
		add(line, "; EL%u; Payload=0x%" PRIx64, packet->number, packet->value);
		break;
	case CAIRN_ETE_P_COMMIT:
		add(line, "; Commit(%u)", packet->count);
		break;
	case CAIRN_ETE_P_CANCEL_F1:
		add(line, "; Cancel(%u)", packet->count);
		break;
	case CAIRN_ETE_P_CANCEL_F2:
		add(line, "; ");
		if (packet->n_atoms) {
			add(line, "Atom: ");
			atoms(line, packet);
			add(line, ", ");
		}
		add(line, "Cancel(%u), Mispredict", packet->count);
		break;
	case CAIRN_ETE_P_MISPREDICT:
		add(line, "; Mispredict");
		break;
	case CAIRN_ETE_P_ADDR_MATCH:
		add(line, ", [%u]; ", packet->number);
		address(line, packet);
		add(line, "; ");
		break;
	case CAIRN_ETE_P_Q_SHORT_IS0:
	case CAIRN_ETE_P_Q_32_IS0:
		add(line, "; Count(%u); ", packet->count);
		updated(line, packet);
		break;
	case CAIRN_ETE_P_ADDR_SHORT_IS0:
	case CAIRN_ETE_P_SRC_SHORT_IS0:
	case CAIRN_ETE_P_SRC_SHORT_IS1:
		add(line, "; ");
		updated(line, packet);
		break;
	case CAIRN_ETE_P_CONTEXT:
		add(line, "; ");
		context(line, packet);
		break;
	default:
		if (packet->n_atoms) {
			add(line, "; ");
			atoms(line, packet);
		} else if (packet->type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 &&
		           packet->type < CAIRN_ETE_P_Q_MATCH) {
			add(line, "; ");
			address(line, packet);
			add(line, "; ");
			if (packet->type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
				context(line, packet);
		}
		break;
	}
}

static void trace_info(char *line, const struct cairn_ete_packet *packet, int synced)
{
	add(line, "; INFO=0x%x { CC.%u, TSTATE.%u }", packet->info, packet->info & 1u,
	    packet->info >> 6 & 1u);
	if (packet->sections & CAIRN_ETE_CYCT)
		add(line, "; CC_THRESHOLD=0x%x", packet->cycles);
	if (!synced)
		add(line, "; Decoder Sync point TINFO");
}

void listing_packet(const struct cairn_ete_packet *packet, int synced, char *line)
{
	const struct words *w = &words[packet->type];
	*line = 0;
	add(line, "%s : %s", w->name ? w->name : cairn_ete_packet_name(packet->type),
	    w->title ? w->title : "?");
	if (packet->type == CAIRN_ETE_P_RESERVED && packet->header == 7)
		add(line, "[I_EXCEPT_RTN]");
	if (packet->type == CAIRN_ETE_P_TRACE_INFO)
		trace_info(line, packet, synced);
	else
		details(line, packet);
}

/* ---- elements ---- */

static const char *security_letter(unsigned s)
{
	static const char *const w[] = {"S", "N", "Root", "Realm"};
	return w[s & 3];
}

static void element_context(const struct cairn_ete_element *element, char *line)
{
	add(line, "PE_CONTEXT((ISA=%s) EL%u%s; %s; ", element->aarch64 ? "A64" : "A32", element->el,
	    security_letter(element->security), element->aarch64 ? "64-bit" : "32-bit");
	if (element->flags & CAIRN_ETE_HAS_VMID)
		add(line, "VMID=0x%x; ", element->vmid);
	if (element->flags & CAIRN_ETE_HAS_CTXID)
		add(line, "CTXTID=0x%x; ", element->ctxid);
	add(line, ")");
}

static const char *no_sync_word(unsigned reason, int later)
{
	switch (reason) {
	case CAIRN_ETE_AT_START:
		return later ? "reset-decoder" : "init-decoder";
	default:
		return "bad-packet";
	}
}

void listing_element(const struct cairn_ete_element *element, int later, char *line)
{
	strcpy(line, "OCSD_GEN_TRC_ELEM_");
	switch (element->kind) {
	case CAIRN_ETE_NO_SYNC:
		add(line, "NO_SYNC( [%s])", no_sync_word(element->number, later));
		break;
	case CAIRN_ETE_OVERFLOW:
		add(line, "NO_SYNC( [overflow])");
		break;
	case CAIRN_ETE_DISCARD:
		add(line, "NO_SYNC( [discard])");
		break;
	case CAIRN_ETE_END:
		add(line, "EO_TRACE( [end-of-trace])");
		break;
	case CAIRN_ETE_TRACE_ON:
		add(line, "TRACE_ON( [%s])",
		    element->number == CAIRN_ETE_AFTER_OVERFLOW ? "overflow" : "begin or filter");
		break;
	case CAIRN_ETE_CONTEXT:
		element_context(element, line);
		break;
	case CAIRN_ETE_EXCEPTION:
		add(line, "EXCEPTION(pref ret addr:0x%" PRIx64 "%s; excep num (0x%02x) )", element->address,
		    element->flags & CAIRN_ETE_ALSO_TARGET ? " [addr also prev br tgt]" : "",
		    element->number);
		break;
	case CAIRN_ETE_TRANSACTION_START:
		add(line, "MEMTRANS(Start)");
		break;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		add(line, "MEMTRANS(Commit)");
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		add(line, "MEMTRANS(Fail)");
		break;
	case CAIRN_ETE_CYCLES:
		add(line, "CYCLE_COUNT( [CC=%u]; )", element->cycles);
		break;
	case CAIRN_ETE_TIMESTAMP:
		add(line, "TIMESTAMP( [ TS=0x%012" PRIx64 "]; )", element->value);
		break;
	case CAIRN_ETE_MARKER:
		add(line, "SYNC_MARKER( [Timestamp marker(0x00000000)])");
		break;
	case CAIRN_ETE_EVENT:
		add(line, "EVENT( Numbered:%u; )", element->number);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		add(line, "INSTRUMENTATION(EL%u; 0x%016" PRIx64 ")", element->el, element->value);
		break;
	default:
		*line = 0;
		break;
	}
}
