/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: what a conversion could not carry over, counted by kind, in the
 * order first met. Kinds are few (they name parts of the model, not values), so
 * a list is searched. A writer that names too many has them counted together
 * rather than growing without bound.
 */
#include "base/bytes.h"
#include "model/model.h"

#include <stddef.h>
#include <string.h>

enum { KINDS = 256 };
static const char other[] = "other things";

struct cairn_ledger *model_ledger_new(struct cairn *cairn)
{
	struct cairn_ledger *ledger = base_alloc(cairn, sizeof *ledger);
	if (!ledger)
		return NULL;
	ledger->losses = base_alloc(cairn, KINDS * sizeof *ledger->losses);
	if (!ledger->losses) {
		base_free(cairn, ledger);
		return NULL;
	}
	return ledger;
}

void cairn_ledger_free(struct cairn *cairn, struct cairn_ledger *ledger)
{
	if (!ledger)
		return;
	for (size_t i = 0; i < ledger->n; i++)
		base_free(cairn, (char *)(uintptr_t)ledger->losses[i].what);
	base_free(cairn, ledger->losses);
	base_free(cairn, ledger);
}

int model_ledger_add(struct cairn *cairn, struct cairn_ledger *ledger, const char *what,
                     uint64_t count, uint64_t n)
{
	struct cairn_loss *row = ledger->losses, *end = row + ledger->n;
	if (count == 0)
		return 0;
	while (row < end && strcmp(row->what, what) != 0)
		row++;
	if (row == end && ledger->n >= KINDS - 1 && what != other)
		return model_ledger_add(cairn, ledger, other, count, n);
	if (row == end) {
		char *text = base_strdup(cairn, what);
		if (!text)
			return CAIRN_E_NOMEM;
		*row = (struct cairn_loss){.what = text, .first = n};
		ledger->n++;
	}
	row->count += count;
	/* What was lost in the header, before the first instruction, stays the first. */
	if (n < row->first)
		row->first = n;
	return 0;
}

int model_ledger_join(struct cairn *cairn, struct cairn_ledger *to, const struct cairn_ledger *from)
{
	int rc = 0;
	for (size_t i = 0; from && i < from->n && rc >= 0; i++)
		rc = model_ledger_add(cairn, to, from->losses[i].what, from->losses[i].count,
		                      from->losses[i].first);
	return rc;
}

const char model_lost_rows[] = "registers and accesses of instructions that were left out";
const char model_lost_elements[] =
	"which register or lane an access is of, where the instruction does not tell it";
const char model_lost_drawing[] =
	"how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly";
const char model_lost_outcome[] = "outcomes of branches that are not known";
const char model_lost_last_outcome[] = "that the last instruction, a branch, was not taken";
const char model_lost_inferred[] = "that instructions are only inferred";

const char *model_lost_event(unsigned kind)
{
	static const struct {
		uint8_t kind;
		const char *what;
	} rows[] = {{CAIRN_EV_DAMAGE, "damaged places"},
	            {CAIRN_EV_GAP, "gaps"},
	            {CAIRN_EV_COMMENT, "comments"},
	            {CAIRN_EV_EXCEPTION, "exceptions"},
	            {CAIRN_EV_INTERRUPT, "interrupts"},
	            {CAIRN_EV_SYSCALL, "system calls"},
	            {CAIRN_EV_TRAP_RETURN, "trap returns"},
	            {CAIRN_EV_BRANCH, "branches without their instruction"},
	            {CAIRN_EV_MODE, "changes of mode"},
	            {CAIRN_EV_PAGE_WALK, "page walks"},
	            {CAIRN_EV_TLB, "TLB events"},
	            {CAIRN_EV_SNOOP, "snoops"},
	            {CAIRN_EV_MICRO_OP, "micro-operations"},
	            {CAIRN_EV_TIMESTAMP, "timestamps"},
	            {CAIRN_EV_CYCLES, "cycle counts"},
	            {CAIRN_EV_MARKER, "markers"},
	            {CAIRN_EV_TRACE_ON, "places where tracing began"},
	            {CAIRN_EV_ATOM, "branch outcomes without their instruction"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].kind == kind)
			return rows[i].what;
	return "events that the target has no record for; view -a shows them";
}

bool model_event_follows(uint32_t traits, uint64_t next, const struct cairn_event *event,
                         const uint8_t *args)
{
	uint32_t by = event->kind == CAIRN_EV_SYSCALL       ? CAIRN_TRAIT_SYSCALL
	              : event->kind == CAIRN_EV_TRAP_RETURN ? CAIRN_TRAIT_XRET
	                                                    : 0;
	if (!(traits & by) || event->phase == CAIRN_BEFORE || event->flags & CAIRN_EVF_TARGET)
		return false;
	return !event->len || (event->len == 8 && args && base_le64(args) == next);
}

int model_lose_context(struct cairn_writer *writer, struct cairn_ctx *last,
                       const struct cairn_ctx *ctx, uint32_t kept, uint64_t n)
{
#define PART(member) offsetof(struct cairn_ctx, member), sizeof ctx->member
	static const struct {
		uint32_t bit;
		bool alone; /* 0 is the id of a program that runs alone: losing it is no loss */
		size_t at, size;
		const char *what;
	} rows[] = {
		{CAIRN_CTX_HART, true, PART(hart), "hart numbers"},
		{CAIRN_CTX_PRIV, false, PART(priv), "privilege levels"},
		{CAIRN_CTX_SECURITY, false, PART(security), "security states"},
		{CAIRN_CTX_HW_TID, true, PART(hw_tid), "hardware thread ids"},
		{CAIRN_CTX_PID, true, PART(pid), "process ids"},
		{CAIRN_CTX_TID, true, PART(tid), "thread ids"},
		{CAIRN_CTX_ASID, false, PART(asid), "address space ids"},
		{CAIRN_CTX_VMID, false, PART(vmid), "virtual machine ids"},
		{CAIRN_CTX_CTXID, false, PART(ctxid), "context ids"},
	};
#undef PART
	const struct cairn_ctx before = *last, zero = {0};
	int rc = 0;
	if (!memcmp(last, ctx, sizeof *ctx))
		return 0;
	*last = *ctx;
	for (size_t i = 0; i < sizeof rows / sizeof *rows && rc >= 0; i++) {
		const char *now = (const char *)ctx + rows[i].at, *old = (const char *)&before + rows[i].at;
		bool same = before.known & rows[i].bit && !memcmp(now, old, rows[i].size);
		bool told = !(rows[i].alone && !memcmp(now, &zero, rows[i].size));
		if (ctx->known & ~kept & rows[i].bit && told && !same)
			rc = model_lost(writer, 1, n, rows[i].what);
	}
	return rc;
}
