/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What conversions carry, kind by kind: which formats have it, and what becomes of it in
 * each format that is written. The one table of it; `cairn convert --matrix` and
 * docs/formats/conversions.md print it, tests/unit/test_convert.c proves each cell.
 *
 * A cell is "=" (read back it is the same), "~…" (carried in another way, which one) or
 * "-…" (lost: the words of the ledger). It does not depend on the source, with two
 * exceptions: to its own format a trace is copied record by record; and ETE, which is
 * made anew, keeps what only ETE names (`again`).
 */
#include <string.h>

#include <stdbool.h>

#include "base/base.h"
#include "cairn/change.h"

enum { STF, RST, ETE, VIXL, SPIKE, TARMAC, EXECLOG, SOURCES };
enum { TO_STF, TO_RST, TO_VIXL, TO_ETE, TARGETS };
static const char *const sources[] = {"STF", "RST", "ETE", "VIXL", "Spike", "Tarmac", "execlog"};
static const char *const targets[] = {"STF", "RST", "VIXL", "ETE"};
_Static_assert(sizeof sources / sizeof *sources == SOURCES, "a name for each source");

/* The instruction sets that a format's traces may hold. */
enum { RISCV = 1, ARM = 2, SPARC = 4, A64 = 8 };
static const unsigned char source_sets[] = {
	RISCV | ARM | A64 | SPARC, SPARC, ARM | A64, A64, RISCV, ARM | A64, RISCV | ARM | A64};
static const unsigned char target_sets[] = {RISCV | ARM | A64 | SPARC, SPARC, A64, ARM | A64};
static const char *const holds[] = {"STF holds RISC-V, Arm and SPARC", "RST holds SPARC only",
                                    "a state trace of VIXL holds A64 only", "ETE holds Arm only"};

#define S 1u << STF
#define R 1u << RST
#define E 1u << ETE
#define V 1u << VIXL
#define K 1u << SPIKE
#define T 1u << TARMAC
#define X 1u << EXECLOG
#define ALL S | R | E | V | K | T | X

/* What ETE has nothing of. */
#define NO_REGS "-register values"
#define NO_ACCESSES "-memory accesses"
/* Lost on the way to every format. */
#define LOST(how) \
	{ \
		"-" how, "-" how, "-" how, "-" how \
	}

static const struct row {
	const char *kind, *meaning;
	unsigned has;            /* a bit for each source */
	const char *to[TARGETS]; /* STF, RST, VIXL, ETE */
	const char *again;       /* ETE to ETE, where it differs */
} rows[] = {
	{"pc", "addresses of instructions", ALL, {"=", "=", "=", "="}},
	{"encoding",
     "their encodings",
     ALL,
     {"=", "=", "=", "=in the program of a snapshot; a bare stream (x.ete) loses it"}},
	{"set", "instruction set and mode of each", ALL, {"=", "=", "=", "="}},
	{"taken",
     "which branches were taken",
     ALL,
     {"=", "=", "=of the last instruction only where it was taken", "="}},
	{"target", "where taken branches went", ALL, {"=", "=", "=", "="}},
	{"taken-open", "branches whose outcome is unknown", V | K | T | X,
     LOST("outcomes of branches that are not known")},
	{"forced-pc",
     "jumps of the flow for reasons outside the program",
     S | R | E | V | K | T | X,
     {"=FORCE_PC, which stands at the first instruction and at SPARC's delay slots, too",
      "=the PC of the next INSTR", "=the address of the next line", "=a new address"}},
	{"annulled",
     "instructions fetched in a delay slot that did not run",
     R,
     {"-instructions that did not execute", "=", "-instructions that did not execute",
      "-instructions that did not execute"}},
	{"aborted",
     "instructions that an event stopped",
     S | R | K,
     {"=", "=", "-instructions that did not execute", "-instructions that did not execute"}},
	{"discarded",
     "instructions of transactions that failed, with --transactions keep",
     E,
     {"-instructions that did not execute", "-instructions whose transaction was thrown away",
      "-instructions that did not execute", "-instructions that did not execute"},
     "="},
	{"inferred", "that only the address behind an exception tells that an instruction ran", E,
     LOST("that instructions are only inferred"), "="},
	{"reg-write", "registers written, whole", S | R | V | K | T | X, {"=", "=", "=", NO_REGS}},
	{"reg-zeroing",
     "writes of a part that zero the rest (w3, d7)",
     V | T,
     {"~as a write of the whole register", "~as a write of the whole register", "=", NO_REGS}},
	{"reg-part",
     "other writes of parts of registers",
     0,
     {"-parts of registers, for STF records whole ones", "-registers that SPARC does not have",
      "-parts of integer registers", NO_REGS}},
	{"reg-unvalued",
     "registers written with a value that is not known",
     V,
     {"-registers without a value", "-registers without a value", "=", NO_REGS}},
	{"reg-state", "registers as they were before", S | R | V | T, {"=", "=", "=", NO_REGS}},
	{"reg-read",
     "registers read as operands",
     S | V,
     {"=", "-which registers are operands (their values are kept)", "-operands that are not stored",
      NO_REGS}},
	{"reg-ready",
     "dependencies that a tool removed",
     S,
     {"=", "-dependencies removed by a tool", "-operands that are not stored", NO_REGS}},
	{"reg-fp",
     "floating-point registers (of A64: parts of vector registers)",
     S | R | K,
     {"=", "=", "-registers a state trace does not have", NO_REGS}},
	{"reg-vector",
     "vector registers (up to 128 bits)",
     S | V | K | T,
     {"=", "-registers that SPARC does not have", "=", NO_REGS}},
	{"reg-vector-piece",
     "pieces of vector registers: beyond 128 bits (SVE), stored",
     V,
     {"-parts of registers, for STF records whole ones", "-registers that SPARC does not have", "=",
      NO_REGS}},
	{"reg-predicate",
     "predicate registers of SVE",
     S | V,
     {"=as CSRs, in cairn's numbers", "-registers that SPARC does not have", "=", NO_REGS}},
	{"reg-flags",
     "condition codes",
     S | R | V | T,
     {"=as CSRs, in cairn's numbers", "=", "=", NO_REGS}},
	{"reg-system",
     "CSRs, system and privileged registers",
     S | R | K | T,
     {"=", "=", "-registers a state trace does not have", NO_REGS}},
	{"reg-system-part",
     "parts of system registers (FPCR's fields, 32 bits of 64)",
     V | T,
     {"-parts of registers, for STF records whole ones", "-registers that SPARC does not have",
      "-registers a state trace does not have", NO_REGS}},
	{"mem-access",
     "accesses: address, size, read or write, in order",
     S | R | V | K | T,
     {"=", "=", "=", NO_ACCESSES}},
	{"mem-value", "their values", S | R | V | K | T, {"=", "=", "=", NO_ACCESSES}},
	{"mem-unvalued",
     "accesses whose value is not known",
     S | R | V | K | X,
     {"=", "=", "-sizes of accesses whose value is not known", NO_ACCESSES}},
	{"mem-further",
     "further accesses of an instruction",
     S | V | K | T,
     {"=", "~MEMVAL; without a value they are lost", "=", NO_ACCESSES}},
	{"mem-lane",
     "the register, or element of it, an access belongs to",
     V,
     {"~told by the encoding", "~told by the encoding", "=", NO_ACCESSES}},
	{"mem-lane-active",
     "the same where a predicate or a mask decides",
     V,
     {"-which register or lane an access is of, where the instruction does not tell it",
      "-which register or lane an access is of, where the instruction does not tell it", "=",
      NO_ACCESSES}},
	{"mem-physical",
     "physical addresses of accesses",
     R | T,
     {"-physical addresses", "=", "-physical addresses", NO_ACCESSES}},
	{"mem-attributes",
     "attributes of accesses, as the format has them",
     S,
     {"=", "-attributes of accesses", "-attributes of accesses", NO_ACCESSES}},
	{"mem-fetch",
     "fetches of instructions, with their physical address",
     R,
     {"-instruction fetches", "=", "-prefetches, fetches and accesses of unknown kind",
      NO_ACCESSES}},
	{"mem-prefetch",
     "prefetches",
     R,
     {"-prefetches", "=", "-prefetches, fetches and accesses of unknown kind", NO_ACCESSES}},
	{"mem-nowhere",
     "accesses at an address that is not known (of RST: but the physical one)",
     R | V,
     {"-accesses without an address", "-values in memory at unknown addresses", "=", NO_ACCESSES}},
	{"mem-not-done",
     "accesses that were tried and did not happen",
     0,
     {"-accesses that did not happen", "-accesses that did not happen",
      "-accesses that did not happen", NO_ACCESSES}},
	{"mem-master",
     "accesses by other masters, at virtual addresses",
     S | R,
     {"=", "-accesses of other masters than DMA", "-accesses by others than the instruction",
      NO_ACCESSES}},
	{"mem-master-pa",
     "accesses by other masters, at physical addresses",
     R,
     {"-accesses without an address", "=", "-accesses by others than the instruction",
      NO_ACCESSES}},
	{"exception",
     "exceptions, with their code",
     S | R | E | K | T,
     {"=", "=", "-exceptions", "~type Trap"},
     "="},
	{"interrupt",
     "interrupts, with their code",
     S | R | E | K | T,
     {"=", "=", "-interrupts", "~type IRQ"},
     "="},
	{"system-call",
     "system calls, with their code",
     S | R | E | K,
     {"=", "=", "~the instruction itself (SVC, HVC, SMC)", "~type Call"},
     "="},
	{"handler",
     "where an event went",
     S | K | T,
     {"=", "~the next INSTR", "-exceptions", "~the next address"}},
	{"event-args",
     "what an event tells besides (addresses, tval)",
     S | R | E | K,
     {"=", "-arguments of events", "-exceptions", "-arguments of events"},
     "="},
	{"event-apart",
     "events between instructions, that stopped none",
     S | R | E | T,
     {"=", "=", "-interrupts", "~as exceptions of Arm's types"},
     "="},
	{"event-apart-riscv",
     "the same in a trace of RISC-V",
     K,
     {"~on a no-op of its own, stopped by it", "~before the next instruction", "-interrupts",
      "~before the next instruction"},
     "="},
	{"trap-return",
     "returns from traps",
     E,
     {"~the instruction itself (ERET)", "-trap returns", "~the instruction itself (ERET)",
      "~the instruction itself (ERET)"},
     "="},
	{"trap-exit", "the same, with what SPARC's restore", R, LOST("trap returns")},
	{"privilege", "privilege levels", S | R | E | K | T, {"=", "=", "-privilege levels", "="}},
	{"security",
     "security states",
     E | T,
     {"-security states", "-security states", "-security states", "="}},
	{"hart",
     "harts, cores",
     S | R | E | K | T | X,
     {"=the hardware thread of PROCESS_ID_EXT", "=", "-hart numbers",
      "=a stream for each, in a snapshot or with frames=1"},
     "="},
	{"process", "process and thread ids", S | R, {"=", "=", "-process ids", "-process ids"}},
	{"hw-thread",
     "hardware thread ids",
     S,
     {"=", "~the number of the CPU", "-hardware thread ids", "-hardware thread ids"}},
	{"asid",
     "address space ids",
     R,
     {"-address space ids", "=in PAVADIFF", "-address space ids", "-address space ids"}},
	{"vmid",
     "virtual machine ids",
     E,
     {"-virtual machine ids", "-virtual machine ids", "-virtual machine ids", "="}},
	{"context-id",
     "context ids (of RST: threads above 32 bits)",
     R | E,
     {"-context ids", "~the thread of THREAD", "-context ids", "="}},
	{"timestamp", "timestamps", R | E, {"-timestamps", "=", "-timestamps", "="}},
	{"cycles", "cycle counts", E, {"-cycle counts", "-cycle counts", "-cycle counts", "="}},
	{"comment",
     "comments, lines of other programs",
     S | R | V | K | T | X,
     {"=", "=", "=", "-comments"}},
	{"derived",
     "that values were derived by executing (convert --derive), of those that are kept",
     S | R | V,
     {"=a comment marks them", "=a comment marks them", "=a line of cairn's marks them",
      "-comments"}},
	{"page-walk", "page table walks", S, {"=", "-page walks", "-page walks", "-page walks"}},
	{"tlb", "entries of TLBs", R, LOST("TLB events")},
	{"gap",
     "places where instructions are missing",
     S | E | K | V,
     {"=", "-gaps", "-gaps", "-why instructions are missing"},
     "="},
	{"damage",
     "damaged places",
     S | R | E | V | K | T | X,
     {"~gaps", "-damaged places", "-damaged places", "-damaged places"}},
	{"micro-op",
     "micro-operations",
     S,
     {"=", "-micro-operations", "-micro-operations", "-micro-operations"}},
	{"marker", "markers, events of the trace unit", E, LOST("markers"), "="},
	{"trace-on",
     "places where tracing began again",
     E,
     {"-places where tracing began", "-places where tracing began", "-places where tracing began",
      "="}},
	{"lone-branch",
     "branches seen without their instruction",
     R | V,
     {"-branches without their instruction", "-branches without their instruction", "=",
      "-branches without their instruction"}},
	{"lone-atom", "outcomes of branches seen without them (ETE without a program)", E,
     LOST("branch outcomes without their instruction")},
	{"own-records", "what only the format names", S | R | E | V | T,
     LOST("events that the target has no record for; view -a shows them"), "="},
	{"words",
     "the trace's own disassembly",
     V | K | T | X,
     {"~made again from the encoding when shown", "~made again from the encoding when shown", "=",
      "~made again from the encoding when shown"}},
	{"bus-transactions",
     "transactions on a bus, a trace of its own",
     S,
     {"=", "-transactions", "-transactions", "-transactions"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void matrix_row(size_t index, struct cairn_carry *out)
{
	const struct row *row = &rows[index / (SOURCES * TARGETS)];
	unsigned from = (unsigned)(index / TARGETS % SOURCES), to = (unsigned)(index % TARGETS);
	bool same = !strcmp(sources[from], targets[to]);
	const char *cell = row->to[to];
	memset(out, 0, sizeof *out); /* what lies between its members, too */
	out->kind = row->kind;
	out->meaning = row->meaning;
	out->from = sources[from];
	out->to = targets[to];
	if (!(source_sets[from] & target_sets[to])) {
		out->carried = CAIRN_CARRY_REFUSED;
		out->how = holds[to];
		return;
	}
	if (same)
		cell = from != ETE ? "=" : row->again ? row->again : cell;
	if (!(row->has >> from & 1))
		return;
	out->carried = *cell == '='   ? CAIRN_CARRY_EXACTLY
	               : *cell == '~' ? CAIRN_CARRY_OTHERWISE
	                              : CAIRN_CARRY_LOST;
	out->how = cell[1] ? cell + 1 : NULL;
}

int cairn_matrix(size_t index, struct cairn_carry *out)
{
	struct cairn_carry own;
	/* First, so that a loop over the rows ends whatever it was given. */
	if (index >= (size_t)ROWS * SOURCES * TARGETS)
		return 0;
	if (base_sized(NULL, out, "cairn_carry") < 0)
		return CAIRN_E_INVAL;
	matrix_row(index, &own);
	base_give(out, &own, sizeof own);
	return 1;
}
