/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_RULES_H
#define RST_RULES_H
/*
 * The rules of RST, each described once, and what judging by them shares.
 *
 * A clause is one of RST Specification 0.1.1: "4(d)", "7(a) tr", "table 2"; "New" where the
 * specification says so of itself. "rstf.h" is the layout of records, "SPARC" what
 * follows from the architecture, "practice" what readers need.
 *
 * Most rules hang on what a CPU did before, so they are judged in trace order, by a
 * machine (rules_cpu.c, rules_head.c) that could be given every record. To leave
 * threads something to do, spans are walked in parallel first (rules_walk.c): the
 * walk judges what a record says of itself and how the PC goes on, and leaves to the
 * machine, as a list of events, the records that may change or break anything else.
 * An instruction is left out only if the machine would find nothing in it and learn
 * nothing from it; so what is found does not depend on where spans end.
 */
#include "check/check.h"
#include "formats/rst/rst.h"

#define RST_RULES(R) \
	/* the stream */ \
	R(RECORD_COMPLETE, "record.complete", ERROR, "rstf.h", \
	  "a trace is whole records of 24 bytes: nothing is damaged or breaks off") \
	R(RECORD_KNOWN, "record.known", ERROR, "3(e)", "every record type is one of rstf.h") \
	R(RECORD_VERSION, "record.version", ERROR, "3(e)", \
	  "no record is newer than the version of rstf.h that the header names") \
	R(RECORD_RESERVED, "record.reserved", WARNING, "1(a)", "reserved bits are 0") \
	R(VALUE_KNOWN, "record.value", WARNING, "rstf.h", "coded values are ones that rstf.h names") \
	R(TRACE_EMPTY, "trace.empty", WARNING, "practice", "a trace holds at least one instruction") \
	R(PARTS_DROPPED, "parts.dropped", ERROR, "6", \
	  "no records are dropped between the files of a trace: each CPU goes on where it was") \
	/* the beginning */ \
	R(HEADER_FIRST, "header.first", ERROR, "2(a)", "the first record is RSTHEADER") \
	R(HEADER_PERCENT, "header.percent", ERROR, "2(a) rstf.h", "byte 3 of RSTHEADER is '%'") \
	R(HEADER_MAGIC, "header.magic", ERROR, "2(a)", "header_str starts with \"RST Header\"") \
	R(HEADER_VERSION, "header.version", ERROR, "2(a)", \
	  "the version in header_str is that of the bytes major and minor") \
	R(HEADER_PUBLISHED, "header.published", WARNING, "2(a) rstf.h", \
	  "the version is one of rstf.h, up to 2.13") \
	R(HEADER_ONCE, "header.once", ERROR, "2(a)i", "no RSTHEADER stands behind the first record") \
	R(INFO1_SECOND, "traceinfo.first", ERROR, "2(b)", \
	  "the second record is TRACEINFO NLEVEL (info 1; since 2.06)") \
	R(INFO1_LEVEL, "traceinfo.level", ERROR, "2(b) rstf.h", "the level of NLEVEL is at least 1") \
	R(INFO2_THIRD, "traceinfo.second", WARNING, "2(c) New", \
	  "the third record is TRACEINFO info 2") \
	R(INFO2_MAX, "traceinfo.max-cpu", ERROR, "2(c)", \
	  "max_cpu_id is the largest CPU number of INSTR records") \
	R(INFO2_TOTAL, "traceinfo.cpus", ERROR, "2(c)", \
	  "total_num_cpus is how many CPU numbers INSTR records have") \
	R(INFO2_FIT, "traceinfo.fit", ERROR, "2(c)", "total_num_cpus is not more than max_cpu_id + 1") \
	R(INFO2_DATES, "traceinfo.dates", ERROR, "2(c)", \
	  "a trace is not modified before it was created") \
	R(INFO2_UNMODIFIED, "traceinfo.unmodified", ERROR, "2(c)", \
	  "a trace of level 1, as it was generated, was modified when it was created") \
	R(INFO2_SPEC, "traceinfo.specification", WARNING, "2(c)", \
	  "the version of the specification is a published one: 0.1.1 or before") \
	R(MMU_PRESENT, "mmutype.present", ERROR, "2(d)", \
	  "a string \"mmutype=…\" is before the first instruction") \
	R(MMU_SHADE, "mmutype.shade", WARNING, "2(d)", \
	  "the same; traces of Shade, which is only user level, are exempt") \
	R(MMU_FORM, "mmutype.form", ERROR, "2(d)", \
	  "the string is \"mmutype=TYPE iTLB=N/N…, dTLB=N/N…\" or \"mmutype=TYPE uTLB=N/N…\"") \
	R(CPU_TYPE, "cputype.present", WARNING, "2(e) New", \
	  "a string \"cputype=TYPE\" stands before the first instruction") \
	R(NWINS, "nwins.present", ERROR, "2(f)", \
	  "a string \"nwins=N\", or HWINFO, tells the number of register windows") \
	R(NWINS_STRING, "nwins.string", WARNING, "2(f)", \
	  "it is told by a string, not by HWINFO alone") \
	R(NWINS_VALUE, "nwins.value", ERROR, "2(f) SPARC", "a processor has 3 to 32 register windows") \
	R(FIRST_PREG, "initial.preg", ERROR, "2(f)", \
	  "a PREG stands before the first INSTR or TRAP of its CPU") \
	R(FIRST_TRAP_REGS, "initial.trap-registers", ERROR, "2(f)", \
	  "a CPU that begins above trap level 0 has REGVALs of TPC and TNPC first") \
	R(FIRST_TLB, "initial.tlb", ERROR, "2(g)", \
	  "TLB records, or warm-up records, stand before the first instruction") \
	R(FIRST_TLB_ALL, "initial.tlb-complete", WARNING, "2(g)", \
	  "they specify all entries of the TLBs that mmutype names, for every CPU") \
	R(FIRST_PAVADIFF, "initial.pavadiff", ERROR, "2(h)", \
	  "a PAVADIFF stands before the first INSTR or TRAP of its CPU") \
	R(TLB_INDEX, "tlb.index", ERROR, "2(d) 2(g)", \
	  "a TLB record is of an entry that the TLBs of mmutype have") \
	/* strings, and records that belong together */ \
	R(STRING_CONT, "string.continued", ERROR, "3(a)", "STRCONT is followed by STRCONT or STRDESC") \
	R(STRING_NUL, "string.nul", ERROR, "rstf.h", "the text of STRDESC ends in a NUL") \
	R(DELIM_MATCH, "delim.match", ERROR, "rstf.h", "LEFTDELIM and RIGHTDELIM nest and match") \
	R(DELIM_LENGTH, "delim.length", WARNING, "rstf.h", \
	  "the length of delimiters is the number of bytes between them, as both say") \
	R(PATCH_PAIR, "patch.pair", ERROR, "rstf.h", "PATCH records begin and end in pairs") \
	R(PATCH_LENGTH, "patch.length", ERROR, "rstf.h", \
	  "the length of a PATCH is the number of records between its beginning and its end") \
	R(STATUS_EOF, "status.eof", ERROR, "rstf.h", "nothing follows STATUS EOF") \
	R(RFS_SNAPSHOT, "rfs.snapshot", WARNING, "rstf.h", \
	  "RFS records stand in a snapshot, whose first record is the string \"RFS v…\"") \
	R(RFS_SECTION, "rfs.section", ERROR, "rstf.h", \
	  "a section has as many records of its type as its header says") \
	R(RFS_UNKNOWN, "rfs.unknown-count", ERROR, "rstf.h", \
	  "only the RST section may have an unknown number of records") \
	R(RFS_LAST, "rfs.last", ERROR, "rstf.h", "the RST section is the last one") \
	/* annulled instructions */ \
	R(ANNUL_SLOT, "annul.present", ERROR, "3(b)", \
	  "the annulled instruction behind a branch has its record") \
	R(ANNUL_SET, "annul.set", ERROR, "3(b)", "its bit an is 1") \
	R(ANNUL_STRAY, "annul.stray", ERROR, "3(b)", "other instructions have an 0") \
	R(ANNUL_EA, "annul.ea-valid", ERROR, "3(b)", "an annulled instruction has ea_valid 0") \
	R(ANNUL_REST, "annul.fields", WARNING, "7(a) bt", "an annulled instruction has bt 0, ea_va 0") \
	/* PAVADIFF */ \
	R(PAVA_PLACE, "pavadiff.place", WARNING, "3(c)", \
	  "a PAVADIFF stands just before an INSTR of its CPU, but for the initial one") \
	R(PAVA_EA, "pavadiff.ea-valid", ERROR, "3(c)", \
	  "a PAVADIFF with ea_valid stands before an INSTR with ea_valid") \
	R(PAVA_DCTX, "pavadiff.dcontext", WARNING, "3(c) New", \
	  "a PAVADIFF with ea_valid comes before an access when the d context changes") \
	R(PAVA_PAGE, "pavadiff.page", WARNING, "3(c)", \
	  "a PAVADIFF comes when the PC reaches a page with another difference of PA and VA") \
	R(PAVA_DATA, "pavadiff.data-page", WARNING, "3(c)", \
	  "a PAVADIFF with ea_valid comes when an access reaches such a page") \
	R(PAVA_ICTX, "pavadiff.context", WARNING, "3(c) New", \
	  "a PAVADIFF comes when the i context changes") \
	R(PAVA_ALIGNED, "pavadiff.aligned", WARNING, "3(c) SPARC", \
	  "the differences of a PAVADIFF are multiples of a page, 8 KiB") \
	R(AM_ADDRESS, "am.address", ERROR, "3(g)", \
	  "while PSTATE.AM is 1, virtual addresses have 32 bits") \
	/* trap entrance */ \
	R(TRAP_PC, "trap.pc", ERROR, "4(d)", "the pc of TRAP is the PC before the trap") \
	R(TRAP_NPC, "trap.npc", ERROR, "4(d)", "the npc of TRAP is the NPC before the trap") \
	R(TRAP_TL, "trap.level", ERROR, "4(d)", "the tl of TRAP is the trap level before the trap") \
	R(TRAP_MAXTL, "trap.max-level", NOTE, "4(d) SPARC", \
	  "a trap raises the level to at most MAXTL, here taken to be 5") \
	R(TRAP_PSTATE, "trap.pstate", ERROR, "4(d)", "the pstate of TRAP is PSTATE before the trap") \
	R(TRAP_TYPE, "trap.type", ERROR, "4(d)", "ttype is a trap type, 1 to 0x1ff") \
	R(TRAP_ASYNC, "trap.async", WARNING, "4(d)", \
	  "async is 1 for interrupts, and 0 for what an instruction causes") \
	R(TRAP_SYSCALL, "trap.syscall", ERROR, "4(d)", "syscall is 0 unless a system call trapped") \
	R(TRAP_SYSCALL_NR, "trap.syscall-number", WARNING, "4(d)", \
	  "the TRAP of a system call has its number") \
	R(TRAP_INSTR, "trap.instruction", ERROR, "4(d)", \
	  "an INSTR of the CPU follows a TRAP before its next one") \
	R(TRAP_BETWEEN, "trap.between", ERROR, "4(d)", \
	  "no PREG, TRAPEXIT or MEMVAL of the CPU stands between a TRAP and its INSTR, but the " \
	  "PREG of a handler that begins with done or retry") \
	R(SYNC_PC, "trap.sync-instruction", ERROR, "4(d)", \
	  "the INSTR behind a synchronous TRAP is the instruction that trapped") \
	R(SYNC_TR, "trap.sync-tr", ERROR, "4(a)", "an instruction that traps synchronously has tr 1") \
	R(DTLB_TR, "trap.dtlb-tr", ERROR, "4(a) 4(e)", \
	  "an instruction that misses in a DTLB has tr 1") \
	R(SYNC_BT, "trap.sync-bt", ERROR, "7(a) bt", \
	  "an instruction that traps synchronously has bt 1") \
	R(SYNC_EA, "trap.sync-ea-valid", ERROR, "7(a) ea_valid", \
	  "an instruction that traps synchronously has ea_valid 1, but for MMU misses") \
	R(DTLB_EA, "trap.dtlb-ea-valid", ERROR, "7(a) ea_valid", \
	  "an instruction that misses in a DTLB has ea_valid 0") \
	R(DTLB_REGVAL, "trap.dtlb-regval", WARNING, "7(a) ea_valid New", \
	  "a REGVAL with the address stands between the TRAP of a DTLB miss and its INSTR") \
	R(ASYNC_TR, "trap.async-tr", ERROR, "4(d) asynchronous", \
	  "the INSTR behind an asynchronous TRAP has tr 1") \
	R(ASYNC_PC, "trap.async-instruction", ERROR, "4(d) asynchronous", \
	  "the INSTR behind an asynchronous TRAP is the first of its handler") \
	R(ITLB_TR, "trap.itlb-tr", ERROR, "4(d) ITLB", \
	  "the INSTR behind the TRAP of an ITLB miss has tr 1") \
	R(ITLB_PC, "trap.itlb-instruction", ERROR, "4(d) ITLB", \
	  "it is the first of the handler: the missed fetch has no record") \
	R(ITLB_PAVADIFF, "trap.itlb-pavadiff", ERROR, "4(d) ITLB", \
	  "a PAVADIFF stands between the TRAP of an ITLB miss and its INSTR") \
	R(TR_STRAY, "trap.stray-tr", ERROR, "7(a) tr", "tr is 0 where no trap occurred") \
	/* trap exit */ \
	R(LEVEL_CHANGE, "level.change", WARNING, "4(b)", \
	  "the trap level changes by TRAP, done and retry only (and by wrpr)") \
	R(EXIT_PREG, "exit.preg", ERROR, "4(f)", "a PREG of the CPU precedes done and retry") \
	R(EXIT_TL, "exit.traplevel", ERROR, "4(f)", "its traplevel is the level before done or retry") \
	R(EXIT_TT, "exit.traptype", ERROR, "4(f)", "its traptype is that of the trap being left") \
	R(EXIT_PSTATE, "exit.pstate", ERROR, "4(f)", \
	  "its pstate is that after done or retry: what it was before the trap") \
	R(EXIT_ASI, "exit.asi", ERROR, "4(f)", "its asiReg is valid: 0 is no ASI") \
	R(EXIT_CONTEXT, "exit.context", WARNING, "table 2", "it has the current MMU contexts") \
	R(EXIT_BEFORE, "exit.regval-before", NOTE, "table 2", \
	  "a REGVAL of %g7 and %sp precedes that PREG") \
	R(EXIT_AFTER, "exit.regval-after", NOTE, "4(f) optional", \
	  "REGVALs of TL, TT, TPC, TNPC follow done and retry") \
	R(EXIT_TRAPEXIT, "trapexit.present", NOTE, "3(f)", \
	  "a TRAPEXIT follows done and retry (recommended)") \
	R(TRAPEXIT_TRIGGER, "trapexit.trigger", ERROR, "4(f)", "only done and retry have a TRAPEXIT") \
	R(TRAPEXIT_TL, "trapexit.level", ERROR, "3(f) rstf.h", \
	  "the tl of TRAPEXIT is the level after done or retry") \
	/* instructions */ \
	R(EA_REQUIRED, "ea.required", ERROR, "7(a) ea_valid", \
	  "control transfers and accesses without an ASI have ea_valid 1") \
	R(EA_UNEXPECTED, "ea.unexpected", ERROR, "7(a) ea_valid", \
	  "other instructions have ea_valid 0") \
	R(EA_ZERO, "ea.zero", ERROR, "7(a) ea_va", "other instructions have ea_va 0") \
	R(EA_TARGET, "ea.target", ERROR, "7(a) ea_va", \
	  "the ea_va of a control transfer is its target when taken, else PC + 8") \
	R(TCC_FIELDS, "tcc.fields", WARNING, "7(a) bt", \
	  "a trap instruction, a control transfer, has ea_valid 1; a trap always has bt 1") \
	R(BT_UNEXPECTED, "bt.unexpected", ERROR, "7(a) bt", \
	  "instructions that transfer no control have bt 0") \
	R(BT_ALWAYS, "bt.always", ERROR, "7(a) bt", "an unconditional control transfer has bt 1") \
	R(BT_NEVER, "bt.never", ERROR, "7(a) bt", "a branch never has bt 0") \
	R(FLOW, "flow.continuous", ERROR, "3(b) SPARC", \
	  "each CPU goes on where its last instruction, delay slot or trap return says") \
	R(PC_ALIGNED, "pc.aligned", WARNING, "7(a) pc_va", "pc_va is divisible by 4") \
	R(PRIV_HPRIV, "privilege.hpriv", WARNING, "rstf.h", "hpriv and pr are not both 1") \
	R(PRIV_PSTATE, "privilege.pstate", WARNING, "7(a) SPARC", "pr is PSTATE.PRIV") \
	R(CPU_RANGE, "cpu.range", ERROR, "7(a) cpuid", "the cpuid of INSTR is at most max_cpu_id") \
	R(CPU_MAX, "cpu.max-instr", NOTE, "7(a) cpuid", \
	  "cpuid is below MAX_INSTR_CPUID, 48 (though it has 10 bits since 2.12)") \
	R(CPU_VALID, "cpu.valid", ERROR, "4(d) 4(f)", \
	  "the cpuid of other records is one that the trace has") \
	/* registers and values */ \
	R(PREG_CURRENT, "preg.current", WARNING, "7(b)", \
	  "a PREG has the current values, but on trap entrance and exit") \
	R(REGVAL_CURRENT, "regval.current", WARNING, "7(c)", \
	  "a REGVAL has the values after all records before it") \
	R(REGVAL_POST, "regval.post", WARNING, "7(c) rstf.h", \
	  "a REGVAL with postInstr stands behind its instruction") \
	R(REGVAL_TYPE, "regval.type", ERROR, "rstf.h", "regtype is 1 to 9") \
	R(REGVAL_ID, "regval.id", ERROR, "rstf.h", "regid is a register of its type") \
	R(REGVAL_QUAD, "regval.quad", ERROR, "rstf.h", \
	  "a quad register fills both values: the second type is CC or UNUSED") \
	R(MEMVAL_SIZE, "memval.size", ERROR, "rstf.h", "the size of a MEMVAL of 64 bits is 1 to 8") \
	R(MEMVAL_CONT, "memval.continued", ERROR, "rstf.h", \
	  "a MEMVAL that continues follows one of 128 bits of its CPU")

#define RST_RULE_ENUM(name, id, severity, clause, text) RST_RULE_##name,
enum rst_rule { RST_RULES(RST_RULE_ENUM) RST_RULE_COUNT };
#undef RST_RULE_ENUM

extern const struct check_rules rst_rules;

/* ---- where something is found ---- */

struct rst_tell {
	struct check_part *part;
	uint64_t rec, insn; /* of the record at hand, from 1 in its file */
	int cpu;            /* -1: none */
};
struct check_place rst_place(const struct rst_tell *tell);
#define FIND(t, rule, ...) \
	do { \
		struct check_place place_ = rst_place(t); \
		check_add((t)->part, RST_RULE_##rule, &place_, __VA_ARGS__); \
	} while (0)
#define ULL(x) ((unsigned long long)(x))

/* ---- how the PC goes on (rules_insn.c) ---- */

enum rst_flow_flag {
	RST_FLOW_PC = 1,    /* pc, where the next instruction should be, is known */
	RST_FLOW_NPC = 2,   /* so is npc, where the one after it should be */
	RST_FLOW_SEQ = 4,   /* the one after it should be right behind it */
	RST_FLOW_PAST = 8,  /* the instruction before is known */
	RST_FLOW_ANNUL = 16 /* the next is an annulled delay slot */
};
struct rst_flow {
	uint64_t pc, npc;
	uint32_t flags;
};
/* The INSTR at p is the next of its CPU: is it where it should be? `joined`: it is the
 * first in a file. */
void rst_flow_judge(const struct rst_tell *tell, const struct rst_flow *flow, const uint8_t *p,
                    bool joined);
/* The INSTR at p ran, or was annulled: where the next one should be. */
void rst_flow_step(struct rst_flow *f, const uint8_t *p);

/* ---- what an instruction's word means for the rules ---- */

/* Rules that an INSTR without tr and an obeys or breaks by itself. */
void rst_rule_fields(const struct rst_tell *tell, const uint8_t *p, unsigned kind, bool in_slot);
/* Those of an annulled one. */
void rst_rule_annulled(const struct rst_tell *tell, const uint8_t *p);

/* ---- what a span leaves to the machine ---- */

enum rst_ev_flag {
	RST_EV_KNOWN = 1, /* the walk has judged how the PC goes on, and still knows it */
	RST_EV_SET = 2,   /* the part's next flow is where the CPU stood before it */
	RST_EV_SEEN = 4,  /* the walk has seen enough of this CPU to know RST_EV_BEHIND: */
	RST_EV_BEHIND = 8 /* only what may follow an INSTR stands between it and the CPU's last */
};
struct rst_ev {
	uint32_t rec, insn; /* from the span's first ones */
	uint32_t more;      /* how many records of its type follow it directly and are events, too */
	uint16_t cpu;       /* RST_NONE */
	uint16_t flags;
};

struct rst_part {
	const uint8_t *base; /* the span's records; they live until it is folded */
	uint64_t rec0, n0;   /* numbers of the first record and instruction */
	uint64_t records, insns;
	struct base_buf events; /* struct rst_ev */
	struct base_buf flows;  /* struct rst_flow */
	struct base_buf exits;  /* struct rst_exit */
};

/* Where a CPU stands at the end of a span. */
struct rst_exit {
	struct rst_flow flow; /* without RST_FLOW_PC: the machine knows better */
	uint16_t cpu;
	bool behind, behind_known; /* RST_BEHIND */
};

/* ---- the machine's state ---- */

enum rst_trap_state {
	RST_T_NONE,
	RST_T_SYNC,
	RST_T_ASYNC,
	RST_T_ITLB,   /* a TRAP waits for its INSTR */
	RST_T_STOPPED /* the next INSTR is the handler's first */
};

enum { RST_LEVELS = 17 };
enum rst_level_flag {
	RST_SAVED_PC = 1,
	RST_SAVED_NPC = 2,
	RST_SAVED_TT = 4,
	RST_SAVED_PSTATE = 8,
	RST_SAVED_ANNUL = 16
};
struct rst_level { /* what was saved when this level was entered */
	uint64_t pc, npc;
	uint16_t tt, pstate;
	uint32_t known; /* enum rst_level_flag */
};

enum rst_know { /* of a CPU */
	            RST_KNOW_TL = 1,
	            RST_KNOW_ASI = 2,
	            RST_KNOW_PRIM = 4,
	            RST_KNOW_SEC = 8,
	            RST_KNOW_ICTX = 16,
	            RST_KNOW_DCTX = 32,
	            RST_KNOW_PC_DIFF = 64,
	            RST_KNOW_EA_DIFF = 128,
	            RST_SEEN_PREG = 256,
	            RST_SEEN_PAVA = 512,
	            RST_SEEN_TPC = 1024,
	            RST_SEEN_TNPC = 2048,
	            RST_STARTED = 4096, /* its first INSTR or TRAP has been judged */
	            /* since its last INSTR */
	            RST_HELD_REGVAL = 1 << 13,
	            RST_HELD_PAVA = 1 << 14,
	            RST_HELD_EA = 1 << 15,
	            RST_HELD_PREG = 1 << 16,
	            RST_HELD_G7 = 1 << 17,
	            RST_HELD_SP = 1 << 18,
	            /* its last INSTR was done or retry, and what has followed it */
	            RST_LEFT = 1 << 19,
	            RST_LEFT_TRAPEXIT = 1 << 20,
	            RST_LEFT_TL = 1 << 21,
	            RST_LEFT_TT = 1 << 22,
	            RST_LEFT_TPC = 1 << 23,
	            RST_LEFT_TNPC = 1 << 24,
	            RST_BEHIND = 1 << 25, /* only what may follow an INSTR has come since */
	            /* already reported, until what it was judged by changes */
	            RST_TOLD_PRIV = 1 << 26,
	            RST_TOLD_AM = 1 << 27,
	            RST_TOLD_ICTX = 1 << 28,
	            RST_LOST = 1 << 29, /* what came before its next INSTR is lost */
	            RST_TOLD_NPC =
	                1 << 30 /* told_pc and told_npc hold if the CPU's next INSTR is at that PC */
};

struct rst_cpu_judge {
	struct rst_flow flow;
	uint64_t pc_diff, ea_diff;
	uint64_t trap_pc;
	uint64_t told_pc, told_npc;
	uint64_t left_out;   /* instructions, by its last RECNUM, */
	uint8_t count_level; /* which is of this level */
	struct check_place left_at, preg_at;
	uint32_t know;        /* enum rst_know */
	uint32_t file;        /* of its last INSTR, from 1 */
	uint32_t tlb_entries; /* specified before the first instruction */
	uint16_t icontext, dcontext, prim, sec;
	uint16_t pstate, pstate_known; /* which bits */
	uint16_t trap_tt;
	uint8_t trap; /* enum rst_trap_state */
	uint8_t tl, asi;
	uint8_t preg[CAIRN_RST_SIZE];
	struct rst_level level[RST_LEVELS];
};

/* Differences of pages (rules_pages.c). It grows with the pages that a trace touches, up to a limit
 * behind which no new ones are learnt. */
struct rst_pages {
	struct cairn *cairn;
	uint64_t *key, *diff; /* key 0: free */
	size_t used, cap;
	uint8_t sizes; /* bits: TLB entries of this size were seen */
	bool globals;
};
void rst_pages_init(struct rst_pages *pages, struct cairn *cairn);
void rst_pages_free(struct rst_pages *pages);
/* What a TLB record says. */
int rst_pages_tlb(struct rst_pages *pages, const uint8_t *p, unsigned cpu);
/* A page of code or data of a CPU. */
struct rst_page {
	uint64_t va;
	unsigned cpu, context;
	bool data;
};
/* It has this difference. */
int rst_pages_learn(struct rst_pages *pages, struct rst_page page, uint64_t diff);
/* Is its difference known? */
bool rst_pages_know(const struct rst_pages *pages, struct rst_page page, uint64_t *diff);

enum { RST_NESTED = 256 }; /* delimiters and patches within each other, to this depth */
struct rst_open_pair {
	struct check_place at;
	uint64_t rec; /* counted over all files */
	uint32_t length;
	uint8_t id;
};

/* A recommendation, reported once with the count, where it was first not followed. */
struct rst_advice {
	struct check_place at;
	uint64_t count;
};

struct rst_judge {
	/* not changed while spans are walked */
	struct cairn *cairn;
	unsigned version;
	bool wide;
	unsigned max_cpu; /* by TRACEINFO info 2; else the highest there is */
	uint64_t reserved[RST_N_LAYOUTS][3];
	uint64_t instr_reserved;
	bool no_post; /* packed by rstzip 2, which drops postInstr */
	uint8_t kind[256];
	uint32_t file; /* the file being read, from 1 */

	/* changed by the machine, in trace order */
	int failed;            /* no memory */
	uint64_t rec_base;     /* records of the files before */
	uint64_t file_records; /* and of this one so far */
	bool damaged;
	uint64_t insns;
	uint8_t head; /* records of the beginning that have been judged */
	bool middle;  /* the trace begins in the middle */
	bool lost;    /* or has been damaged: nothing is known of what was open */
	bool begun;   /* its first INSTR has come */
	struct check_place info2_at, text_at;
	uint8_t info2[CAIRN_RST_SIZE], level;
	/* strings */
	char text[512];
	size_t text_len;
	bool has_mmu, has_cputype, has_nwins, has_regwins, shade, any_tlb, warm;
	unsigned tlb_size;    /* entries of all TLBs of a CPU, by mmutype; 0 unknown */
	struct rst_mmu mmu;   /* while it is known */
	struct rst_tlb_high { /* until it is: the highest entry, from 1 */
		uint32_t entry;
		struct check_place at;
	} tlb_high[2];
	struct check_set tlb;
	/* the record before */
	uint64_t prev_rec; /* counted over all files; 0: there is none */
	struct check_place prev_at;
	int prev_cpu;
	uint8_t prev[CAIRN_RST_SIZE];
	bool prev_first; /* it was a PAVADIFF of a CPU that has not run */
	/* pairs and sections */
	struct rst_open_pair delim[RST_NESTED], patch[RST_NESTED];
	unsigned n_delim, n_patch;
	bool snapshot, told_rfs, in_section;
	uint8_t section;
	uint64_t section_left, section_from;
	struct check_place section_at;
	/* the whole */
	uint64_t ran[RST_MAX_CPUS / 64]; /* CPUs with INSTRs */
	bool told_max;
	struct rst_advice before, after, trapexit;
	struct rst_pages pages;
	struct rst_cpu_judge cpus[RST_MAX_CPUS];
};

/* rules_walk.c */
int rst_rules_span(struct cairn_reader *reader, const void *state, struct model_span *span,
                   struct check_part *part);
/* Everything before is lost: nothing is known except that there was something. */
void rst_judge_forget(struct rst_judge *judge);
void rst_judge_forget_cpu(struct rst_cpu_judge *judge);
/* rules_head.c: a record that belongs to no CPU, or to the beginning. */
void rst_rule_head(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p);
/* The first INSTR of the trace, or its end without one. */
void rst_rule_begun(struct rst_judge *judge, const struct rst_tell *tell);
/* Is the entry of a TLB record one that exists? */
void rst_rule_tlb_entry(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p);
/* What is open at the end. */
void rst_rule_end(struct rst_judge *judge, struct check_part *part);
/* rules_cpu.c */
void rst_rule_cpu(struct rst_judge *judge, struct rst_tell *tell, const uint8_t *p, unsigned flags);

#endif
