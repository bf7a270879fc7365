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

static void atoms(char *line, const struct cairn_ete_packet *p)
{
	for (unsigned i = 0; i < p->n_atoms; i++)
		add(line, "%c", p->atoms >> i & 1 ? 'E' : 'N');
}

static void context(char *line, const struct cairn_ete_packet *p)
{
	static const char *const security[] = {"S", "NS", "Root", "Realm"};
	unsigned c = p->context;
	add(line, "Ctxt: %sEL%u, %s; ", c & 16 ? "AArch64," : "AArch32, ", c & 3,
	    security[(c >> 3 & 1) * 2 + (c >> 5 & 1)]);
	if (p->flags & CAIRN_ETE_P_HAS_CTXID)
		add(line, "CID=0x%08x; ", p->ctxid);
	if (p->flags & CAIRN_ETE_P_HAS_VMID)
		add(line, "VMID=0x%04x; ", p->vmid);
}

static void address(char *line, const struct cairn_ete_packet *p)
{
	add(line, "Addr=0x%016" PRIX64, p->address);
}

/* An address of which the lower bits were sent: these once more. */
static void updated(char *line, const struct cairn_ete_packet *p)
{
	unsigned bits = p->bits ? p->bits : 32;
	address(line, p);
	add(line, " ~[0x%" PRIX64 "]", p->address & (((uint64_t)1 << bits) - 1));
}

static const char *exception_word(unsigned type)
{
	static const char *const w[] = {"PE Reset",     "Debug Halt", "Call",       "Trap",
	                                "System Error", "Reserved",   "Inst Debug", "Data Debug",
	                                "Reserved",     "Reserved",   "Alignment",  "Inst Fault",
	                                "Data Fault",   "Reserved",   "IRQ",        "FIQ"};
	return type < 16 ? w[type] : "Reserved";
}

static void details(char *line, const struct cairn_ete_packet *p)
{
	switch (p->type) {
	case CAIRN_ETE_P_EXCEPTION:
		add(line, ";  %s; %s", exception_word(p->number),
		    p->info == 2 ? "Ret Addr Follows, Match Prev;" : "Ret Addr Follows;");
		break;
	case CAIRN_ETE_P_TIMESTAMP:
		add(line, "; Updated val = 0x%" PRIx64, p->value);
		break;
	case CAIRN_ETE_P_CCNT_F1:
	case CAIRN_ETE_P_CCNT_F2:
	case CAIRN_ETE_P_CCNT_F3:
		add(line, "; Count=0x%x", p->cycles);
		break;
	case CAIRN_ETE_P_INSTRUMENTATION:
		add(line, "; EL%u; Payload=0x%" PRIx64, p->number, p->value);
		break;
	case CAIRN_ETE_P_COMMIT:
		add(line, "; Commit(%u)", p->count);
		break;
	case CAIRN_ETE_P_CANCEL_F1:
		add(line, "; Cancel(%u)", p->count);
		break;
	case CAIRN_ETE_P_CANCEL_F2:
		add(line, "; ");
		if (p->n_atoms) {
			add(line, "Atom: ");
			atoms(line, p);
			add(line, ", ");
		}
		add(line, "Cancel(%u), Mispredict", p->count);
		break;
	case CAIRN_ETE_P_MISPREDICT:
		add(line, "; Mispredict");
		break;
	case CAIRN_ETE_P_ADDR_MATCH:
		add(line, ", [%u]; ", p->number);
		address(line, p);
		add(line, "; ");
		break;
	case CAIRN_ETE_P_Q_SHORT_IS0:
	case CAIRN_ETE_P_Q_32_IS0:
		add(line, "; Count(%u); ", p->count);
		updated(line, p);
		break;
	case CAIRN_ETE_P_ADDR_SHORT_IS0:
	case CAIRN_ETE_P_SRC_SHORT_IS0:
	case CAIRN_ETE_P_SRC_SHORT_IS1:
		add(line, "; ");
		updated(line, p);
		break;
	case CAIRN_ETE_P_CONTEXT:
		add(line, "; ");
		context(line, p);
		break;
	default:
		if (p->n_atoms) {
			add(line, "; ");
			atoms(line, p);
		} else if (p->type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 && p->type < CAIRN_ETE_P_Q_MATCH) {
			add(line, "; ");
			address(line, p);
			add(line, "; ");
			if (p->type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
				context(line, p);
		}
		break;
	}
}

static void trace_info(char *line, const struct cairn_ete_packet *p, int synced)
{
	add(line, "; INFO=0x%x { CC.%u, TSTATE.%u }", p->info, p->info & 1u, p->info >> 6 & 1u);
	if (p->sections & CAIRN_ETE_CYCT)
		add(line, "; CC_THRESHOLD=0x%x", p->cycles);
	if (!synced)
		add(line, "; Decoder Sync point TINFO");
}

void listing_packet(const struct cairn_ete_packet *p, int synced, char *line)
{
	const struct words *w = &words[p->type];
	*line = 0;
	add(line, "%s : %s", w->name ? w->name : cairn_ete_packet_name(p->type),
	    w->title ? w->title : "?");
	if (p->type == CAIRN_ETE_P_RESERVED && p->header == 7)
		add(line, "[I_EXCEPT_RTN]");
	if (p->type == CAIRN_ETE_P_TRACE_INFO)
		trace_info(line, p, synced);
	else
		details(line, p);
}

/* ---- elements ---- */

static const char *security_letter(unsigned s)
{
	static const char *const w[] = {"S", "N", "Root", "Realm"};
	return w[s & 3];
}

static void element_context(const struct cairn_ete_element *e, char *line)
{
	add(line, "PE_CONTEXT((ISA=%s) EL%u%s; %s; ", e->aarch64 ? "A64" : "A32", e->el,
	    security_letter(e->security), e->aarch64 ? "64-bit" : "32-bit");
	if (e->flags & CAIRN_ETE_HAS_VMID)
		add(line, "VMID=0x%x; ", e->vmid);
	if (e->flags & CAIRN_ETE_HAS_CTXID)
		add(line, "CTXTID=0x%x; ", e->ctxid);
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

void listing_element(const struct cairn_ete_element *e, int later, char *line)
{
	strcpy(line, "OCSD_GEN_TRC_ELEM_");
	switch (e->kind) {
	case CAIRN_ETE_NO_SYNC:
		add(line, "NO_SYNC( [%s])", no_sync_word(e->number, later));
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
		    e->number == CAIRN_ETE_AFTER_OVERFLOW ? "overflow" : "begin or filter");
		break;
	case CAIRN_ETE_CONTEXT:
		element_context(e, line);
		break;
	case CAIRN_ETE_EXCEPTION:
		add(line, "EXCEPTION(pref ret addr:0x%" PRIx64 "%s; excep num (0x%02x) )", e->address,
		    e->flags & CAIRN_ETE_ALSO_TARGET ? " [addr also prev br tgt]" : "", e->number);
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
		add(line, "CYCLE_COUNT( [CC=%u]; )", e->cycles);
		break;
	case CAIRN_ETE_TIMESTAMP:
		add(line, "TIMESTAMP( [ TS=0x%012" PRIx64 "]; )", e->value);
		break;
	case CAIRN_ETE_MARKER:
		add(line, "SYNC_MARKER( [Timestamp marker(0x00000000)])");
		break;
	case CAIRN_ETE_EVENT:
		add(line, "EVENT( Numbered:%u; )", e->number);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		add(line, "INSTRUMENTATION(EL%u; 0x%016" PRIx64 ")", e->el, e->value);
		break;
	default:
		*line = 0;
		break;
	}
}
