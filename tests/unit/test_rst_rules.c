/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rule of RST is broken once, alone: in a clean trace, with traps of all kinds,
 * one thing is changed, and exactly that rule must fire. Also: the clean trace breaks
 * none, findings depend neither on threads nor on where spans and files end, and
 * docs/formats/rst-rules.md lists the rules as they are (UPDATE=1 rewrites it).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "cairn/cairn.h"
#include "check/list.h"
#include "fixtures/rules_page.h"
#include "formats/rst/check/rules.h"

/* ---- a trace as records with names ---- */

enum { SIZE = CAIRN_RST_SIZE, MOST = 512 };

/* The records that are changed. */
enum name {
	HDR,
	INFO1,
	INFO2,
	MMU1,
	MMU2,
	CPUTYPE,
	NWINS_STR,
	PREG0,
	TLB_I,
	TLB_D,
	PAVA0,
	FIRST,
	ALU,
	LOAD_PAVA,
	LOAD,
	VALUE,
	BRANCH,
	SLOT,
	JUMP,
	JUMP_SLOT,
	NEVER,
	CALL,
	CALL_SLOT,
	BEHIND,
	WIDE,
	WIDE_CONT,
	QUAD,
	STR1,
	STR2,
	LEFT,
	RIGHT,
	PATCH1,
	PATCH2,
	STATUS,
	/* a system call */
	SYS_TRAP,
	SYS,
	SYS_PAVA,
	SYS_HANDLER,
	SYS_REGS,
	SYS_PREG,
	SYS_DONE,
	SYS_TL,
	SYS_TPC,
	SYS_EXIT,
	SYS_BACK,
	SYS_NEXT,
	/* a miss in the DTLB, in the ITLB, an interrupt */
	D_TRAP,
	D_EA,
	D_MISS,
	D_PAVA,
	D_HANDLER,
	D_REGS,
	D_PREG,
	D_RETRY,
	D_TL,
	D_TPC,
	D_EXIT,
	D_BACK,
	D_AGAIN,
	I_TRAP,
	I_PAVA,
	I_HANDLER,
	I_REGS,
	I_PREG,
	I_RETRY,
	I_TL,
	I_TPC,
	I_EXIT,
	I_BACK,
	I_AGAIN,
	A_TRAP,
	A_PAVA,
	A_HANDLER,
	A_REGS,
	A_PREG,
	A_RETRY,
	A_TL,
	A_TPC,
	A_EXIT,
	A_BACK,
	A_AGAIN,
	LAST,
	NAMES
};

struct trace {
	unsigned n, cut; /* records; where a second file begins (0: it does not) */
	uint8_t rec[MOST][SIZE];
	unsigned at[NAMES];
	uint64_t pc;        /* of the next instruction */
	unsigned odd_bytes; /* behind the last record */
};

static void put(uint8_t *p, const char *name, uint64_t value)
{
	const struct rst_layout *layout = rst_layout_of(p, RST_NEWEST);
	assert_non_null(layout);
	const struct rst_field *field = rst_field_named(layout, name);
	if (!field)
		fail_msg("%s has no field %s", layout->name, name);
	rst_put(p, field, value);
}

/* "cpuid", 1, "tl", 2, NULL */
static void fields(uint8_t *p, va_list ap)
{
	const char *name;
	while ((name = va_arg(ap, const char *)))
		put(p, name, va_arg(ap, uint64_t));
}
#define U(x) ((uint64_t)(x))

static uint8_t *add(struct trace *trace, int name, unsigned type, ...)
{
	va_list ap;
	assert_true(trace->n < MOST);
	uint8_t *p = trace->rec[trace->n];
	memset(p, 0, SIZE);
	p[0] = (uint8_t)type;
	if (type == CAIRN_RST_TRACEINFO || type == CAIRN_RST_MEMVAL) {
		/* what chooses the layout comes first */
		va_start(ap, type);
		const char *first = va_arg(ap, const char *);
		uint64_t v = va_arg(ap, uint64_t);
		va_end(ap);
		p[1] = (uint8_t)(type == CAIRN_RST_MEMVAL && !strcmp(first, "is128") ? v << 7 : v);
		if (v == 3)
			p[8] = 1; /* not CPUINFO */
	}
	va_start(ap, type);
	fields(p, ap);
	va_end(ap);
	if (name >= 0)
		trace->at[name] = trace->n;
	trace->n++;
	return p;
}
#define R(x) CAIRN_RST_##x

static void text(struct trace *trace, int name, unsigned type, const char *s)
{
	uint8_t *p = add(trace, name, type, NULL);
	memcpy(p + 1, s, strlen(s) < 23 ? strlen(s) : 23);
}

enum { EA = RST_I_EA_VALID, TR = RST_I_TR, PR = RST_I_PR, BT = RST_I_BT, AN = RST_I_AN };
enum encoding {
	ADD = 0x82006001,
	NOP = 0x01000000,
	LDX = 0xc2586000,
	BNE_A_4 = 0x32800004,
	BA_4 = 0x10800004,
	BN = 0x00800004,
	CALL_4 = 0x40000004,
	TA = 0x91d0206d,
	DONE = 0x81f00000,
	RETRY = 0x83f00000,
	WRPR_TPC = 0x81900001,
	WRPR_TL_0 = 0x8f902000
};

static void insn(struct trace *trace, int name, uint32_t enc, unsigned bits, uint64_t ea)
{
	uint8_t *p = add(trace, name, R(INSTR), "pc_va", trace->pc, "instr", U(enc), "ea_va", ea, NULL);
	p[1] = (uint8_t)bits;
	trace->pc += 4;
}

/* User code at USER with one difference, data and the handlers with others. */
enum { USER = 0x10000, DATA = 0x20000, OTHER = 0x24000, KERNEL = 0x1000000, CTX = 0x2a5 };
enum { USER_DIFF = 0x400000, DATA_DIFF = 0x800000, KERNEL_DIFF = 0xa00000, PSTATE = 0x12 };

static void user_pava(struct trace *trace, int name, bool data)
{
	add(trace, name, R(PAVADIFF), "icontext", U(CTX), "dcontext", U(CTX), "pc_pa_va", U(USER_DIFF),
	    "ea_valid", U(data), "ea_pa_va", U(data ? DATA_DIFF : 0), NULL);
}

static void kernel_pava(struct trace *trace, int name)
{
	add(trace, name, R(PAVADIFF), "dcontext", U(CTX), "pc_pa_va", U(KERNEL_DIFF), NULL);
}

static void tlb_entry(struct trace *trace, int name, unsigned data, uint64_t va, uint64_t diff)
{
	add(trace, name, R(TLB), "tlb", U(data), "tte_tag", va | CTX, "tte_data",
	    UINT64_C(1) << 63 | (va + diff), NULL);
}

/* The seven records from the first instruction of a handler to its end. */
static void handler(struct trace *trace, int name, unsigned tt, uint64_t back, bool done,
                    unsigned bits)
{
	trace->pc = KERNEL + (tt << 5);
	insn(trace, name, ADD, PR | bits, 0);
	add(trace, name + 1, R(REGVAL), "regtype0", U(RST_R_INT), "regid0", U(7), "value0", U(7),
	    "regtype1", U(RST_R_INT), "regid1", U(14), "value1", U(14), NULL);
	add(trace, name + 2, R(PREG), "traplevel", U(1), "traptype", U(tt & 0xff), "pstate", U(PSTATE),
	    "asi", U(0x82), "primA", U(CTX), "primD", U(CTX), NULL);
	insn(trace, name + 3, done ? DONE : RETRY, PR | EA | BT, back);
	add(trace, name + 4, R(REGVAL), "post", U(1), "regtype0", U(RST_R_PRIV), "regid0", U(7),
	    "regtype1", U(RST_R_PRIV), "regid1", U(3), NULL);
	add(trace, name + 5, R(REGVAL), "post", U(1), "regtype0", U(RST_R_PRIV), "regtype1",
	    U(RST_R_PRIV), "regid1", U(1), NULL);
	add(trace, name + 6, R(TRAPEXIT), "tl", U(0), NULL);
	trace->pc = back;
}

static void trap(struct trace *trace, int name, unsigned tt, bool async, unsigned syscall)
{
	add(trace, name, R(TRAP), "async", U(async), "ttype", U(tt), "pstate", U(PSTATE), "syscall",
	    U(syscall), "pc", trace->pc, "npc", trace->pc + 4, NULL);
}

static void traps(struct trace *trace)
{
	uint64_t pc = trace->pc;
	trap(trace, SYS_TRAP, 0x16d, false, 5);
	insn(trace, SYS, TA, EA | TR | BT, KERNEL + (0x16d << 5));
	kernel_pava(trace, SYS_PAVA);
	handler(trace, SYS_HANDLER, 0x16d, pc + 4, true, 0);
	user_pava(trace, SYS_BACK, false);
	insn(trace, SYS_NEXT, ADD, 0, 0);

	pc = trace->pc;
	trap(trace, D_TRAP, 0x68, false, 0);
	add(trace, D_EA, R(REGVAL), "regtype0", U(RST_R_MMU), "regid0", U(48), "value0", U(DATA),
	    "regtype1", U(RST_R_UNUSED), NULL);
	insn(trace, D_MISS, LDX, TR | BT, 0);
	kernel_pava(trace, D_PAVA);
	handler(trace, D_HANDLER, 0x68, pc, false, 0);
	user_pava(trace, D_BACK, true);
	insn(trace, D_AGAIN, LDX, EA, DATA + 8);

	pc = trace->pc;
	trap(trace, I_TRAP, 0x64, false, 0);
	kernel_pava(trace, I_PAVA);
	handler(trace, I_HANDLER, 0x64, pc, false, TR);
	user_pava(trace, I_BACK, false);
	insn(trace, I_AGAIN, ADD, 0, 0);

	pc = trace->pc;
	trap(trace, A_TRAP, 0x4e, true, 0);
	kernel_pava(trace, A_PAVA);
	handler(trace, A_HANDLER, 0x4e, pc, false, TR);
	user_pava(trace, A_BACK, false);
	insn(trace, A_AGAIN, ADD, 0, 0);
}

static void beginning(struct trace *trace)
{
	uint8_t *p = add(trace, HDR, R(RSTHEADER), "major", U(2), "minor", U(13), NULL);
	memcpy(p + 3, "%RST Header v2.13", 17);
	add(trace, INFO1, R(TRACEINFO), "rtype2", U(2), "level", U(1), NULL);
	add(trace, INFO2, R(TRACEINFO), "rtype2", U(3), "total_num_cpus", U(1), "spec_minor", U(1),
	    "spec_sub_minor", U(1), "date_created", U(1000), "date_modified", U(1000), NULL);
	text(trace, MMU1, R(STRCONT), "mmutype=spitfire iTLB=1");
	text(trace, MMU2, R(STRDESC), ", dTLB=1/1");
	text(trace, CPUTYPE, R(STRDESC), "cputype=spitfire");
	text(trace, NWINS_STR, R(STRDESC), "nwins=8");
	add(trace, PREG0, R(PREG), "pstate", U(PSTATE), "asi", U(0x82), "primA", U(CTX), "primD",
	    U(CTX), NULL);
	tlb_entry(trace, TLB_I, 0, USER, USER_DIFF);
	tlb_entry(trace, TLB_D, 1, DATA, DATA_DIFF);
	add(trace, -1, R(TLB), "op", U(1), "tlb", U(1), "tlb_no", U(1), NULL);
	user_pava(trace, PAVA0, false);
}

static void clean(struct trace *trace)
{
	memset(trace, 0, sizeof *trace);
	beginning(trace);
	trace->pc = USER;
	insn(trace, FIRST, ADD, 0, 0);
	insn(trace, ALU, ADD, 0, 0);
	user_pava(trace, LOAD_PAVA, true);
	insn(trace, LOAD, LDX, EA, DATA);
	add(trace, VALUE, R(REGVAL), "post", U(1), "regtype0", U(RST_R_INT), "regid0", U(1), "value0",
	    U(9), "regtype1", U(RST_R_UNUSED), NULL);
	add(trace, -1, R(MEMVAL), "is128", U(0), "is_va", U(1), "size", U(8), "addr", U(DATA), "value",
	    U(9), NULL);
	insn(trace, BRANCH, BNE_A_4, EA, trace->pc + 8);
	insn(trace, SLOT, ADD, AN, 0);
	insn(trace, JUMP, BA_4, EA | BT, trace->pc + 16);
	insn(trace, JUMP_SLOT, ADD, 0, 0);
	trace->pc += 8;
	insn(trace, NEVER, BN, EA, trace->pc + 8);
	insn(trace, -1, NOP, 0, 0);
	insn(trace, CALL, CALL_4, EA | BT, trace->pc + 16);
	insn(trace, CALL_SLOT, NOP, 0, 0);
	trace->pc += 8;
	insn(trace, BEHIND, ADD, 0, 0);
	add(trace, WIDE, R(MEMVAL), "is128", U(1), "addr", U(DATA), NULL);
	add(trace, WIDE_CONT, R(MEMVAL), "is128", U(1), "is_cont", U(1), NULL);
	add(trace, QUAD, R(REGVAL), "regtype0", U(RST_R_FLOAT), "regid0", U(64), "regtype1",
	    U(RST_R_CC), NULL);
	text(trace, STR1, R(STRCONT), "twenty-three characters");
	text(trace, STR2, R(STRDESC), "");
	add(trace, LEFT, R(LEFTDELIM), "id", U(3), "what", U(257), NULL);
	add(trace, -1, R(NULLREC), NULL);
	add(trace, RIGHT, R(RIGHTDELIM), "id", U(3), "what", U(257), NULL);
	add(trace, PATCH1, R(PATCH), "begin", U(1), "id", U(4), "length", U(2), NULL);
	insn(trace, -1, ADD, 0, 0);
	insn(trace, -1, ADD, 0, 0);
	add(trace, PATCH2, R(PATCH), "id", U(4), NULL);
	traps(trace);
	insn(trace, LAST, ADD, 0, 0);
	add(trace, STATUS, R(STATUS), "status", U(2), NULL);
}

/* ---- changing it ---- */

static uint8_t *rec(struct trace *trace, enum name name)
{
	return trace->rec[trace->at[name]];
}

static void set(struct trace *trace, enum name name, const char *field, uint64_t value)
{
	put(rec(trace, name), field, value);
}

static void insert(struct trace *trace, enum name before, const uint8_t *p)
{
	unsigned i = trace->at[before];
	assert_true(trace->n < MOST);
	memmove(trace->rec[i + 1], trace->rec[i], (trace->n - i) * SIZE);
	memcpy(trace->rec[i], p, SIZE);
	trace->n++;
	for (unsigned k = 0; k < NAMES; k++)
		trace->at[k] += trace->at[k] >= i;
}

static void copy_before(struct trace *trace, enum name before, enum name what)
{
	uint8_t p[SIZE];
	memcpy(p, rec(trace, what), SIZE);
	insert(trace, before, p);
}

static void drop(struct trace *trace, enum name name)
{
	unsigned i = trace->at[name];
	memmove(trace->rec[i], trace->rec[i + 1], (trace->n - i - 1) * SIZE);
	trace->n--;
	for (unsigned k = 0; k < NAMES; k++)
		trace->at[k] -= trace->at[k] > i;
}

static void bits(struct trace *trace, enum name name, unsigned on, unsigned off)
{
	uint8_t *p = rec(trace, name);
	p[1] = (uint8_t)((p[1] | on) & ~off);
}

/* A record of a type that is all zero but for byte 1. */
static void bare_before(struct trace *trace, enum name before, unsigned type, unsigned byte1)
{
	const uint8_t p[SIZE] = {(uint8_t)type, (uint8_t)byte1};
	insert(trace, before, p);
}

static void section(struct trace *trace, enum name before, unsigned type, uint64_t n)
{
	uint8_t p[SIZE] = {CAIRN_RST_RFS_SECTION_HEADER, (uint8_t)type};
	for (unsigned i = 0; i < 8; i++)
		p[8 + i] = (uint8_t)(n >> (56 - 8 * i));
	insert(trace, before, p);
}

/* The trace as the RST section of a snapshot with one address. */
static void snapshot(struct trace *trace, uint64_t n_cw, uint64_t n_rst)
{
	uint8_t p[SIZE] = {CAIRN_RST_STRDESC, 'R', 'F', 'S', ' ', 'v', '1', '.', '0', '0'};
	const uint8_t cw[SIZE] = {CAIRN_RST_RFS_CW, 0, 2};
	insert(trace, HDR, p);
	section(trace, HDR, CAIRN_RST_RFS_CW, n_cw);
	insert(trace, HDR, cw);
	section(trace, HDR, CAIRN_RST_RFS_RST, n_rst);
}

/* ---- one mistake for each rule ---- */

#define MISTAKE(rule) static void mistake_##rule(struct trace *t)

MISTAKE(RECORD_COMPLETE)
{
	t->odd_bytes = 5;
}
MISTAKE(RECORD_KNOWN)
{
	bare_before(t, BEHIND, 100, 0);
}
MISTAKE(RECORD_VERSION)
{
	set(t, HDR, "minor", 12);
	memcpy(rec(t, HDR) + 4, "RST Header v2.12", 16);
	bare_before(t, BEHIND, CAIRN_RST_TRAPPING_INSTR, 0);
}
MISTAKE(RECORD_RESERVED)
{
	rec(t, ALU)[3] |= 1;
}
MISTAKE(VALUE_KNOWN)
{
	bare_before(t, BEHIND, CAIRN_RST_HWINFO, 0);
}
MISTAKE(TRACE_EMPTY)
{
	t->n = t->at[FIRST];
}
MISTAKE(PARTS_DROPPED)
{
	drop(t, BEHIND);
	t->cut = t->at[WIDE];
}
MISTAKE(HEADER_FIRST)
{
	drop(t, HDR);
}
MISTAKE(HEADER_PERCENT)
{
	rec(t, HDR)[3] = '#';
}
MISTAKE(HEADER_MAGIC)
{
	rec(t, HDR)[4] = 'X';
}
MISTAKE(HEADER_VERSION)
{
	rec(t, HDR)[18] = '9'; /* v2.93 */
}
MISTAKE(HEADER_PUBLISHED)
{
	set(t, HDR, "minor", 14);
	memcpy(rec(t, HDR) + 4, "RST Header v2.14", 16);
}
MISTAKE(HEADER_ONCE)
{
	copy_before(t, BEHIND, HDR);
}
MISTAKE(INFO1_SECOND)
{
	drop(t, INFO1);
}
MISTAKE(INFO1_LEVEL)
{
	set(t, INFO1, "level", 0);
}
MISTAKE(INFO2_THIRD)
{
	memset(rec(t, INFO2) + 8, 0, 16); /* now it is CPUINFO */
}
MISTAKE(INFO2_MAX)
{
	set(t, INFO2, "max_cpu_id", 3);
}
MISTAKE(INFO2_TOTAL)
{
	set(t, INFO2, "total_num_cpus", 0);
}
MISTAKE(INFO2_FIT)
{
	set(t, INFO2, "total_num_cpus", 2);
}
MISTAKE(INFO2_DATES)
{
	set(t, INFO2, "date_modified", 999);
}
MISTAKE(INFO2_UNMODIFIED)
{
	set(t, INFO2, "date_modified", 1001);
}
MISTAKE(INFO2_SPEC)
{
	set(t, INFO2, "spec_sub_minor", 2);
}
MISTAKE(NWINS_VALUE)
{
	rec(t, NWINS_STR)[7] = '0';
}
MISTAKE(TLB_INDEX)
{
	set(t, TLB_D, "tlb_index", 1);
}
MISTAKE(DELIM_LENGTH)
{
	set(t, LEFT, "length", 25);
	set(t, RIGHT, "length", 24);
}
MISTAKE(MMU_PRESENT)
{
	drop(t, MMU1);
	drop(t, MMU2);
}
MISTAKE(MMU_SHADE)
{
	uint8_t p[SIZE] = {CAIRN_RST_HWINFO, 0, 2, 6};
	mistake_MMU_PRESENT(t);
	insert(t, PREG0, p);
}
MISTAKE(MMU_FORM)
{
	rec(t, MMU1)[23] = ':';
}
MISTAKE(CPU_TYPE)
{
	drop(t, CPUTYPE);
}
MISTAKE(NWINS)
{
	drop(t, NWINS_STR);
}
MISTAKE(NWINS_STRING)
{
	uint8_t p[SIZE] = {CAIRN_RST_HWINFO, 0, 6, 15, [15] = 8};
	insert(t, PREG0, p);
	drop(t, NWINS_STR);
}
MISTAKE(FIRST_PREG)
{
	drop(t, PREG0);
}
MISTAKE(FIRST_TRAP_REGS)
{
	set(t, PREG0, "traplevel", 1);
	set(t, PAVA0, "icontext", 0);
	t->n = t->at[ALU];
}
MISTAKE(FIRST_TLB)
{
	drop(t, TLB_I);
	drop(t, TLB_D);
	t->rec[t->at[PAVA0] - 1][0] = CAIRN_RST_NULLREC;
	memset(t->rec[t->at[PAVA0] - 1] + 1, 0, SIZE - 1);
}
MISTAKE(FIRST_TLB_ALL)
{
	drop(t, TLB_D);
}
MISTAKE(FIRST_PAVADIFF)
{
	drop(t, PAVA0);
}
MISTAKE(STRING_CONT)
{
	drop(t, STR2);
}
MISTAKE(STRING_NUL)
{
	memset(rec(t, STR2) + 1, 'x', 23);
}
MISTAKE(DELIM_MATCH)
{
	set(t, RIGHT, "id", 9);
}
MISTAKE(PATCH_PAIR)
{
	drop(t, PATCH2);
}
MISTAKE(PATCH_LENGTH)
{
	set(t, PATCH1, "length", 3);
}
MISTAKE(STATUS_EOF)
{
	copy_before(t, BEHIND, STATUS);
}
MISTAKE(RFS_SNAPSHOT)
{
	section(t, LAST, CAIRN_RST_RFS_RST, INT64_MAX);
}
MISTAKE(RFS_SECTION)
{
	snapshot(t, 1, 5);
}
MISTAKE(RFS_UNKNOWN)
{
	snapshot(t, INT64_MAX, INT64_MAX);
}
MISTAKE(RFS_LAST)
{
	snapshot(t, 1, INT64_MAX);
	section(t, STATUS, CAIRN_RST_RFS_CW, 0);
	drop(t, STATUS);
}
MISTAKE(ANNUL_SLOT)
{
	drop(t, SLOT);
}
MISTAKE(ANNUL_SET)
{
	bits(t, SLOT, 0, AN);
}
MISTAKE(ANNUL_STRAY)
{
	bits(t, ALU, AN, 0);
}
MISTAKE(ANNUL_EA)
{
	bits(t, SLOT, EA, 0);
}
MISTAKE(ANNUL_REST)
{
	bits(t, SLOT, BT, 0);
}
MISTAKE(PAVA_PLACE)
{
	copy_before(t, STR1, D_BACK);
}
MISTAKE(PAVA_EA)
{
	set(t, I_BACK, "ea_valid", 1);
	set(t, I_BACK, "ea_pa_va", DATA_DIFF);
}
MISTAKE(PAVA_DCTX)
{
	set(t, LOAD_PAVA, "dcontext", 7);
}
MISTAKE(PAVA_PAGE)
{
	uint8_t p[SIZE];
	memcpy(p, rec(t, TLB_I), SIZE);
	put(p, "tte_data", UINT64_C(1) << 63 | (USER + DATA_DIFF));
	insert(t, BEHIND, p);
}
MISTAKE(PAVA_DATA)
{
	uint8_t p[SIZE];
	memcpy(p, rec(t, TLB_D), SIZE);
	put(p, "tlb_no", 1);
	put(p, "tte_tag", OTHER | CTX);
	put(p, "tte_data", UINT64_C(1) << 63 | (OTHER + USER_DIFF));
	insert(t, PAVA0, p);
	put(rec(t, D_AGAIN), "ea_va", OTHER);
	set(t, D_BACK, "ea_valid", 0);
	set(t, D_BACK, "ea_pa_va", 0);
}
MISTAKE(PAVA_ICTX)
{
	drop(t, SYS_PAVA);
}
MISTAKE(PAVA_ALIGNED)
{
	set(t, A_BACK, "pc_pa_va", USER_DIFF | 0x10);
}
MISTAKE(AM_ADDRESS)
{
	set(t, PREG0, "pstate", PSTATE | 8);
	put(rec(t, LOAD), "ea_va", UINT64_C(0x100000000));
	for (unsigned i = 0; i < t->n; i++)
		if (t->rec[i][0] == CAIRN_RST_TRAP || t->rec[i][0] == CAIRN_RST_PREG)
			put(t->rec[i], "pstate", PSTATE | 8);
}
MISTAKE(TRAP_PC)
{
	set(t, A_TRAP, "pc", USER);
	set(t, A_RETRY, "ea_va", USER);
	set(t, A_AGAIN, "pc_va", USER);
	set(t, LAST, "pc_va", USER + 4);
	set(t, A_TRAP, "npc", USER + 4);
}
MISTAKE(TRAP_NPC)
{
	set(t, A_TRAP, "npc", USER);
	set(t, LAST, "pc_va", USER);
}
MISTAKE(TRAP_TL)
{
	set(t, A_TRAP, "tl", 1);
	set(t, A_PREG, "traplevel", 2);
	set(t, A_TL, "value0", 1);
	set(t, A_EXIT, "tl", 1);
	set(t, A_BACK, "icontext", 0);
}
MISTAKE(TRAP_MAXTL)
{
	uint8_t p[SIZE];
	memcpy(p, rec(t, D_EA), SIZE); /* REGVALs at the start: TPC and TNPC */
	memset(p + 1, 0, SIZE - 1);
	p[2] = p[3] = RST_R_PRIV;
	p[5] = 1;
	set(t, PREG0, "traplevel", 5);
	insert(t, TLB_I, p);
	for (unsigned i = 0; i < t->n; i++) {
		uint8_t *q = t->rec[i];
		if (q[0] == CAIRN_RST_TRAP)
			put(q, "tl", 5);
		else if (q[0] == CAIRN_RST_PREG && q != rec(t, PREG0))
			put(q, "traplevel", 6);
		else if (q[0] == CAIRN_RST_TRAPEXIT)
			put(q, "tl", 5);
		else if (q[0] == CAIRN_RST_REGVAL && q[2] == RST_R_PRIV && q[4] == 7)
			put(q, "value0", 5);
		else if (q[0] == CAIRN_RST_PAVADIFF)
			memset(q + 4, 0, 4); /* contexts */
	}
}
MISTAKE(TRAP_PSTATE)
{
	set(t, A_TRAP, "pstate", PSTATE | 0x100);
}
MISTAKE(TRAP_TYPE)
{
	set(t, A_TRAP, "ttype", 0x34e);
}
MISTAKE(TRAP_ASYNC)
{
	set(t, A_TRAP, "ttype", 0x80);
	set(t, A_PREG, "traptype", 0x80);
}
MISTAKE(TRAP_SYSCALL)
{
	set(t, A_TRAP, "syscall", 3);
}
MISTAKE(TRAP_SYSCALL_NR)
{
	set(t, SYS_TRAP, "syscall", 0);
}
MISTAKE(TRAP_INSTR)
{
	copy_before(t, A_TRAP, A_TRAP);
	set(t, A_TRAP, "tl", 1);
	set(t, A_TRAP, "pstate", 0x14);
	set(t, A_PREG, "traplevel", 2);
	set(t, A_PREG, "pstate", 0x14);
	t->n = t->at[A_TL];
}
MISTAKE(TRAP_BETWEEN)
{
	copy_before(t, D_EA, WIDE);
}
MISTAKE(SYNC_PC)
{
	drop(t, SYS);
}
MISTAKE(SYNC_TR)
{
	bits(t, SYS, 0, TR);
}
MISTAKE(DTLB_TR)
{
	bits(t, D_MISS, 0, TR);
}
MISTAKE(SYNC_BT)
{
	bits(t, D_MISS, 0, BT);
}
MISTAKE(SYNC_EA)
{
	bits(t, SYS, 0, EA);
}
MISTAKE(DTLB_EA)
{
	bits(t, D_MISS, EA, 0);
}
MISTAKE(DTLB_REGVAL)
{
	drop(t, D_EA);
}
MISTAKE(ASYNC_TR)
{
	bits(t, A_HANDLER, 0, TR);
}
MISTAKE(ASYNC_PC)
{
	/* The interrupted instruction once more. */
	uint64_t pc = base_be64(rec(t, A_TRAP) + 8);
	set(t, A_HANDLER, "pc_va", pc);
	set(t, A_RETRY, "pc_va", pc + 4);
}
MISTAKE(ITLB_TR)
{
	bits(t, I_HANDLER, 0, TR);
}
MISTAKE(ITLB_PC)
{
	uint64_t pc = base_be64(rec(t, I_TRAP) + 8);
	set(t, I_HANDLER, "pc_va", pc);
	set(t, I_RETRY, "pc_va", pc + 4);
}
MISTAKE(ITLB_PAVADIFF)
{
	/* In a trace of one context and one difference. */
	drop(t, I_PAVA);
	for (unsigned i = 0; i < t->n; i++) {
		uint8_t *q = t->rec[i];
		if (q[0] == CAIRN_RST_PAVADIFF) {
			put(q, "icontext", 0);
			put(q, "dcontext", 0);
			put(q, "pc_pa_va", USER_DIFF);
		}
		if (q[0] == CAIRN_RST_PREG) {
			put(q, "primA", 0);
			put(q, "primD", 0);
		}
	}
}
MISTAKE(TR_STRAY)
{
	bits(t, ALU, TR, 0);
}
MISTAKE(LEVEL_CHANGE)
{
	const uint8_t p[SIZE] = {
		CAIRN_RST_REGVAL, 0, RST_R_PRIV, RST_R_UNUSED, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3};
	insert(t, STR1, p);
	t->n = t->at[LEFT];
}
MISTAKE(EXIT_PREG)
{
	drop(t, A_PREG);
}
MISTAKE(EXIT_TL)
{
	set(t, A_PREG, "traplevel", 0);
}
MISTAKE(EXIT_TT)
{
	set(t, A_PREG, "traptype", 0x4d);
}
MISTAKE(EXIT_PSTATE)
{
	set(t, A_PREG, "pstate", PSTATE | 0x100);
}
MISTAKE(EXIT_ASI)
{
	set(t, A_PREG, "asi", 0);
}
MISTAKE(EXIT_CONTEXT)
{
	set(t, A_PREG, "secD", 5);
}
MISTAKE(EXIT_BEFORE)
{
	drop(t, A_REGS);
}
MISTAKE(EXIT_AFTER)
{
	drop(t, A_TPC);
}
MISTAKE(EXIT_TRAPEXIT)
{
	drop(t, A_EXIT);
}
MISTAKE(TRAPEXIT_TRIGGER)
{
	copy_before(t, LEFT, A_EXIT);
}
MISTAKE(TRAPEXIT_TL)
{
	set(t, A_EXIT, "tl", 1);
}
MISTAKE(EA_REQUIRED)
{
	bits(t, BRANCH, 0, EA);
}
MISTAKE(EA_UNEXPECTED)
{
	bits(t, ALU, EA, 0);
}
MISTAKE(EA_ZERO)
{
	set(t, ALU, "ea_va", 8);
}
MISTAKE(EA_TARGET)
{
	set(t, BRANCH, "ea_va", USER);
}
MISTAKE(TCC_FIELDS)
{
	set(t, ALU, "instr", TA);
}
MISTAKE(BT_UNEXPECTED)
{
	bits(t, ALU, BT, 0);
}
MISTAKE(BT_ALWAYS)
{
	bits(t, CALL, 0, BT);
}
MISTAKE(BT_NEVER)
{
	bits(t, NEVER, BT, 0);
	set(t, NEVER, "ea_va", base_be64(rec(t, NEVER) + 8) + 8);
}
MISTAKE(FLOW)
{
	drop(t, BEHIND);
}
MISTAKE(PC_ALIGNED)
{
	/* The first one, by itself: where it comes from is not known. */
	t->n = t->at[ALU];
	set(t, FIRST, "pc_va", USER + 2);
}
MISTAKE(PRIV_HPRIV)
{
	set(t, ALU, "hpriv", 1);
	set(t, ALU, "pr", 1);
}
MISTAKE(PRIV_PSTATE)
{
	set(t, ALU, "pr", 1);
}
MISTAKE(CPU_RANGE)
{
	uint8_t p[SIZE];
	memcpy(p, rec(t, ALU), SIZE);
	put(p, "cpuid", 9);
	insert(t, ALU, p);
}
MISTAKE(CPU_MAX)
{
	set(t, INFO2, "max_cpu_id", 50);
	for (unsigned i = 0; i < t->n; i++)
		if (rst_layout_cpu(rst_layout_of(t->rec[i], RST_NEWEST)))
			put(t->rec[i], "cpuid", 50);
}
MISTAKE(CPU_VALID)
{
	set(t, VALUE, "cpuid", 9);
	set(t, VALUE, "post", 0);
}
MISTAKE(PREG_CURRENT)
{
	copy_before(t, LEFT, PREG0);
	t->rec[t->at[LEFT] - 1][1] = 0x80; /* the ASI */
}
MISTAKE(REGVAL_CURRENT)
{
	set(t, VALUE, "regid0", 0);
}
MISTAKE(REGVAL_POST)
{
	copy_before(t, PREG0, VALUE);
}
MISTAKE(REGVAL_TYPE)
{
	set(t, VALUE, "regtype1", 10);
}
MISTAKE(REGVAL_ID)
{
	set(t, VALUE, "regid0", 32);
}
MISTAKE(REGVAL_QUAD)
{
	set(t, QUAD, "regtype1", RST_R_FLOAT);
}
MISTAKE(MEMVAL_SIZE)
{
	put(t->rec[t->at[VALUE] + 1], "size", 9);
}
MISTAKE(MEMVAL_CONT)
{
	drop(t, WIDE);
}

#define MISTAKE_ROW(name, id, severity, clause, text) [RST_RULE_##name] = mistake_##name,
static void (*const mistakes[RST_RULE_COUNT])(struct trace *trace) = {RST_RULES(MISTAKE_ROW)};
#define ID_ROW(name, id, severity, clause, text) [RST_RULE_##name] = "rst." id,
static const char *const ids[RST_RULE_COUNT] = {RST_RULES(ID_ROW)};

/* ---- judging ---- */

struct seen {
	struct cairn_check_result res;
	struct base_buf text;
	unsigned parts; /* bits: findings in part 0, 1 */
};

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct seen *seen = user;
	seen->parts |= 1u << finding->part;
	return base_buf_printf(&seen->text,
	                       "%s part %u record %llu byte %llu instruction %llu cpu %u: %s\n",
	                       finding->rule->id, finding->part, (unsigned long long)finding->record,
	                       (unsigned long long)finding->offset, (unsigned long long)finding->insn,
	                       finding->cpu, finding->message);
}

/* In two files where the trace is cut. */
static void judge(struct cairn *cairn, const struct trace *trace, const char *from,
                  unsigned threads, struct seen *seen)
{
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .from = from};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = 1000,
	                                .finding = on_finding,
	                                .user = seen};
	struct cairn_checking *checking;
	struct cairn_reader *reader[2] = {NULL, NULL};
	unsigned first = trace->cut ? trace->cut : trace->n;
	memset(seen, 0, sizeof *seen);
	base_buf_init(&seen->text, cairn);
	seen->res.size = sizeof seen->res;
	assert_int_equal(cairn_check_begin(cairn, &opts, &seen->res, &checking), 0);
	assert_int_equal(
		cairn_open_memory(cairn, trace->rec, first * SIZE + trace->odd_bytes, &open, &reader[0]),
		0);
	assert_int_equal(cairn_check_part(checking, reader[0]), 0);
	if (trace->cut) {
		open.part_of = cairn_reader_format(reader[0]);
		assert_int_equal(cairn_open_memory(cairn, trace->rec[first], (trace->n - first) * SIZE,
		                                   &open, &reader[1]),
		                 0);
		assert_int_equal(cairn_reader_is_part(reader[1]), 1);
		assert_int_equal(cairn_check_part(checking, reader[1]), 0);
	}
	assert_int_equal(cairn_check_end(checking), 0);
	cairn_close(reader[0]);
	cairn_close(reader[1]);
	base_buf_put(&seen->text, "", 1);
}

static void a_clean_trace_breaks_no_rule(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	struct seen seen;
	clean(&trace);
	judge(cairn, &trace, NULL, 1, &seen);
	assert_string_equal((const char *)seen.text.data, "");
	assert_int_equal(seen.res.errors + seen.res.warnings + seen.res.notes, 0);
	base_buf_free(&seen.text);
	cairn_free(cairn);
}

static void every_rule_fires_alone(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	unsigned wrong = 0;
	for (unsigned i = 0; i < RST_RULE_COUNT; i++) {
		struct seen seen;
		clean(&trace);
		mistakes[i](&trace);
		judge(cairn, &trace, NULL, 1, &seen);
		uint64_t all = seen.res.errors + seen.res.warnings + seen.res.notes;
		if (seen.res.by_rule[i] == 0 || seen.res.by_rule[i] != all) {
			print_message("# %s: %llu of %llu findings\n%s\n", ids[i],
			              (unsigned long long)seen.res.by_rule[i], (unsigned long long)all,
			              (const char *)seen.text.data);
			wrong++;
		}
		base_buf_free(&seen.text);
	}
	cairn_free(cairn);
	assert_int_equal(wrong, 0);
}

/* The first of the two files ends inside a record. */
static void judge_broken_off(struct cairn *cairn, const struct trace *trace, struct seen *seen)
{
	static uint8_t first[MOST * SIZE];
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .from = "rst"};
	struct cairn_check_opts opts = {.size = sizeof opts, .finding = on_finding, .user = seen};
	struct cairn_checking *checking;
	struct cairn_reader *reader[2];
	size_t n = trace->cut * SIZE;
	memset(seen, 0, sizeof *seen);
	base_buf_init(&seen->text, cairn);
	memcpy(first, trace->rec, n + 12);
	seen->res.size = sizeof seen->res;
	assert_int_equal(cairn_check_begin(cairn, &opts, &seen->res, &checking), 0);
	assert_int_equal(cairn_open_memory(cairn, first, n + 12, &open, &reader[0]), 0);
	assert_int_equal(cairn_check_part(checking, reader[0]), 0);
	assert_int_equal(cairn_open_memory(cairn, trace->rec[trace->cut],
	                                   (trace->n - trace->cut) * SIZE, &open, &reader[1]),
	                 0);
	assert_int_equal(cairn_check_part(checking, reader[1]), 0);
	assert_int_equal(cairn_check_end(checking), 0);
	cairn_close(reader[0]);
	cairn_close(reader[1]);
	base_buf_put(&seen->text, "", 1);
}

/* ---- what must not matter ---- */

static void same_text(struct cairn *cairn, const struct trace *trace, const char *from,
                      unsigned threads, const char *want)
{
	struct seen seen;
	judge(cairn, trace, from, threads, &seen);
	assert_string_equal((const char *)seen.text.data, want);
	base_buf_free(&seen.text);
}

static void findings_do_not_depend_on_threads_or_spans(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	for (unsigned i = 0; i < RST_RULE_COUNT; i++) {
		struct seen seen;
		clean(&trace);
		mistakes[i](&trace);
		judge(cairn, &trace, "rst", 1, &seen);
		const char *want = (const char *)seen.text.data;
		same_text(cairn, &trace, "rst", 3, want);
		same_text(cairn, &trace, "rst:piece=24", 2, want);
		same_text(cairn, &trace, "rst:piece=72", 1, want);
		same_text(cairn, &trace, "rst:piece=240", 1, want);
		base_buf_free(&seen.text);
	}
	cairn_free(cairn);
}

/* A second file may begin at any record but the first. */
static void files_may_be_cut_anywhere(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	clean(&trace);
	for (trace.cut = 1; trace.cut < trace.n; trace.cut++) {
		struct seen seen;
		judge(cairn, &trace, "rst", 1 + trace.cut % 2, &seen);
		assert_string_equal((const char *)seen.text.data, "");
		base_buf_free(&seen.text);
	}
	clean(&trace);
	mistake_FLOW(&trace);
	mistake_EXIT_PREG(&trace);
	for (trace.cut = 1; trace.cut < trace.n; trace.cut++) {
		struct seen seen;
		bool between = trace.cut > trace.at[CALL_SLOT] && trace.cut <= trace.at[PATCH1] + 1;
		judge(cairn, &trace, "rst", 1, &seen);
		assert_int_equal(seen.res.errors, 2);
		assert_int_equal(seen.res.by_rule[RST_RULE_EXIT_PREG], 1);
		assert_int_equal(seen.res.by_rule[RST_RULE_PARTS_DROPPED], between);
		assert_int_equal(seen.res.by_rule[RST_RULE_FLOW], !between);
		base_buf_free(&seen.text);
	}
	cairn_free(cairn);
}

/* A filter's count that says so excuses that instructions are missing; one that says
 * nothing is missing does not. */
static void counts_tell_what_was_left_out(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	for (unsigned i = 0; i < 6; i++) {
		const uint64_t left_out = i / 2;
		struct seen seen;
		clean(&trace);
		uint8_t *p = rec(&trace, BEHIND), cpu = p[2] >> 2;
		memset(p, 0, 24);
		p[0] = CAIRN_RST_RECNUM;
		p[1] = 0x81;
		p[2] = CAIRN_RST_INSTR;
		p[3] = cpu;
		put(p, "incount", 1000 + left_out);
		put(p, "outcount", 1000);
		judge(cairn, &trace, "rst", 1 + i % 2, &seen);
		assert_int_equal(seen.res.by_rule[RST_RULE_FLOW], left_out == 0);
		assert_int_equal(seen.res.errors, left_out == 0);
		base_buf_free(&seen.text);
	}
	cairn_free(cairn);
}

/* What is lost to damage is not told a second time by what follows. */
static void damage_is_told_alone(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	for (unsigned i = 0; i < 100; i++) {
		struct seen seen;
		clean(&trace);
		trace.cut = i + 1;
		if (trace.cut < trace.at[PAVA0] + 1 || trace.cut + 3 >= trace.n)
			continue;
		/* Three records are lost, and half of another. */
		memmove(trace.rec[trace.cut], trace.rec[trace.cut + 3], (trace.n - trace.cut - 3) * SIZE);
		trace.n -= 3;
		judge_broken_off(cairn, &trace, &seen);
		assert_int_equal(seen.res.by_rule[RST_RULE_RECORD_COMPLETE], 1);
		if (seen.res.errors + seen.res.warnings + seen.res.notes != 1)
			fail_msg("cut at %u:\n%s", trace.cut, (const char *)seen.text.data);
		base_buf_free(&seen.text);
	}
	cairn_free(cairn);
}

static void places_in_a_second_file_are_its_own(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	struct seen seen;
	char want[128];
	clean(&trace);
	bits(&trace, A_HANDLER, 0, TR);
	trace.cut = trace.at[SYS_NEXT];
	judge(cairn, &trace, "rst", 1, &seen);
	unsigned at = trace.at[A_HANDLER] - trace.cut, insns = 1;
	for (unsigned i = trace.cut; i < trace.at[A_HANDLER]; i++)
		insns += trace.rec[i][0] == CAIRN_RST_INSTR;
	snprintf(want, sizeof want,
	         "rst.trap.async-tr part 1 record %u byte %u instruction %u cpu 0:", at + 1, at * SIZE,
	         insns);
	assert_non_null(strstr((const char *)seen.text.data, want));
	assert_int_equal(seen.parts, 2);
	base_buf_free(&seen.text);
	cairn_free(cairn);
}

/* ---- what is no mistake ---- */

static void nothing_is_found(struct cairn *cairn, const struct trace *trace)
{
	same_text(cairn, trace, "rst", 1, "");
	same_text(cairn, trace, "rst:piece=96", 2, "");
}

/* How many records stand together: PAVADIFF with its INSTR, values with their base. */
static unsigned together(const struct trace *trace, unsigned index)
{
	unsigned n = 1;
	while (index + n < trace->n &&
	       (trace->rec[index + n - 1][0] == CAIRN_RST_PAVADIFF ||
	        (trace->rec[index + n][0] == CAIRN_RST_MEMVAL && trace->rec[index + n][1] >> 5 & 1)))
		n++;
	return n;
}

/* The same program on two CPUs, record by record. */
static void cpus_interleave_freely(void **state)
{
	(void)state;
	static struct trace trace, u;
	struct cairn *cairn = cairn_new(NULL);
	clean(&trace);
	set(&trace, INFO2, "max_cpu_id", 5);
	set(&trace, INFO2, "total_num_cpus", 2);
	memset(&u, 0, sizeof u);
	for (unsigned i = 0, n; i < trace.n; i += n) {
		n = together(&trace, i);
		memcpy(u.rec[u.n], trace.rec[i], n * SIZE);
		u.n += n;
		if (!rst_layout_cpu(rst_layout_of(trace.rec[i], RST_NEWEST)) || i < trace.at[PREG0])
			continue;
		memcpy(u.rec[u.n], trace.rec[i], n * SIZE);
		for (unsigned k = 0; k < n; k++, u.n++)
			put(u.rec[u.n], "cpuid", 5);
	}
	for (unsigned i = 0; i < u.n; i++)
		if (u.rec[i][0] == CAIRN_RST_PATCH && (u.rec[i][1] & 1))
			put(u.rec[i], "length", 4);
	nothing_is_found(cairn, &u);
	cairn_free(cairn);
}

static void what_handlers_write_is_not_expected(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	clean(&trace);
	/* wrpr %tpc in a handler: retry goes elsewhere. */
	set(&trace, D_HANDLER, "instr", WRPR_TPC);
	set(&trace, D_RETRY, "ea_va", USER);
	set(&trace, D_AGAIN, "pc_va", USER);
	trace.n = trace.at[D_AGAIN] + 1;
	nothing_is_found(cairn, &trace);
	/* The same without wrpr is a mistake. */
	set(&trace, D_HANDLER, "instr", ADD);
	struct seen seen;
	judge(cairn, &trace, "rst", 1, &seen);
	assert_int_equal(seen.res.by_rule[RST_RULE_EA_TARGET], 1);
	assert_int_equal(seen.res.errors, 1);
	base_buf_free(&seen.text);
	cairn_free(cairn);
}

/* An interrupt between a branch and its slot: the NPC of TRAP is the target. */
static void traps_keep_delay_slots(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	struct seen seen;
	clean(&trace);
	uint64_t branch = base_be64(rec(&trace, SYS_NEXT) + 8), target = branch + 16;
	set(&trace, SYS_NEXT, "instr", BA_4);
	set(&trace, SYS_NEXT, "ea_va", target);
	bits(&trace, SYS_NEXT, EA | BT, 0);
	set(&trace, D_TRAP, "npc", target);
	set(&trace, I_TRAP, "pc", target);
	set(&trace, I_TRAP, "npc", target + 4);
	set(&trace, I_RETRY, "ea_va", target);
	set(&trace, I_AGAIN, "pc_va", target);
	trace.n = trace.at[A_TRAP];
	nothing_is_found(cairn, &trace);
	set(&trace, D_TRAP, "npc", branch + 8);
	judge(cairn, &trace, "rst", 1, &seen);
	assert_int_equal(seen.res.by_rule[RST_RULE_TRAP_NPC], 1);
	base_buf_free(&seen.text);
	cairn_free(cairn);
}

/* A system call that comes back elsewhere (a signal's handler) in a trace without handlers. */
static void a_user_s_instruction_has_left_the_trap(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	struct seen seen;
	clean(&trace);
	trace.n = trace.at[SYS] + 1;
	trace.pc = USER + 0x400;
	insn(&trace, SYS_NEXT, ADD, 0, 0);
	trap(&trace, D_TRAP, 0x16d, false, 5);
	insn(&trace, D_MISS, TA, EA | TR | BT, KERNEL + (0x16d << 5));
	judge(cairn, &trace, "rst", 1, &seen);
	assert_int_equal(seen.res.by_rule[RST_RULE_LEVEL_CHANGE], 1);
	assert_int_equal(seen.res.errors, 0);
	assert_int_equal(seen.res.warnings, 1);
	base_buf_free(&seen.text);
	cairn_free(cairn);
}

/* Clause 2 does not say which of them comes first. */
static void mmutype_may_come_behind_the_tlbs(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	clean(&trace);
	copy_before(&trace, PAVA0, MMU1);
	copy_before(&trace, PAVA0, MMU2);
	drop(&trace, MMU2);
	drop(&trace, MMU1);
	nothing_is_found(cairn, &trace);
	cairn_free(cairn);
}

/* Clause 4(d) has the handler's first INSTR behind the TRAP, 4(f) a PREG before each done and
 * retry: where these are one, the PREG stands between. */
static void a_handler_may_begin_with_its_end(void **state)
{
	(void)state;
	static struct trace trace;
	static const enum name traps[][6] = {{A_PAVA, A_HANDLER, A_REGS, A_PREG, A_RETRY, A_TRAP},
	                                     {I_PAVA, I_HANDLER, I_REGS, I_PREG, I_RETRY, I_TRAP}};
	struct cairn *cairn = cairn_new(NULL);
	for (unsigned i = 0; i < 2; i++) {
		const enum name *n = traps[i];
		clean(&trace);
		uint64_t pc = base_be64(trace.rec[trace.at[n[1]]] + 8);
		copy_before(&trace, n[0], n[2]);
		copy_before(&trace, n[0], n[3]);
		set(&trace, n[4], "pc_va", pc);
		set(&trace, n[4], "tr", 1);
		drop(&trace, n[3]);
		drop(&trace, n[2]);
		drop(&trace, n[1]);
		nothing_is_found(cairn, &trace);

		struct seen seen; /* a handler that begins otherwise has no PREG before that */
		clean(&trace);
		copy_before(&trace, n[0], n[3]);
		judge(cairn, &trace, NULL, 1, &seen);
		assert_int_equal(seen.res.by_rule[RST_RULE_TRAP_BETWEEN], 1);
		assert_int_equal(seen.res.errors, 1);
		assert_int_equal(seen.res.warnings + seen.res.notes, 0);
		base_buf_free(&seen.text);
	}
	cairn_free(cairn);
}

static void redundant_pavadiffs_are_allowed(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	clean(&trace);
	copy_before(&trace, LOAD_PAVA, PAVA0);
	copy_before(&trace, ALU, PAVA0);
	copy_before(&trace, I_BACK, I_BACK);
	nothing_is_found(cairn, &trace);
	cairn_free(cairn);
}

static void a_snapshot_is_judged_by_its_rst_section(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	clean(&trace);
	snapshot(&trace, 1, INT64_MAX);
	nothing_is_found(cairn, &trace);
	clean(&trace);
	snapshot(&trace, 1, trace.n);
	nothing_is_found(cairn, &trace);
	cairn_free(cairn);
}

static void a_part_alone_is_told_as_one(void **state)
{
	(void)state;
	static struct trace trace;
	struct cairn *cairn = cairn_new(NULL);
	struct seen seen;
	for (unsigned i = 3; clean(&trace), i < trace.at[LAST]; i++) {
		memmove(trace.rec[0], trace.rec[i], (trace.n - i) * SIZE);
		trace.n -= i;
		judge(cairn, &trace, "rst", 1, &seen);
		assert_int_equal(seen.res.by_rule[RST_RULE_HEADER_FIRST], 1);
		if (seen.res.errors + seen.res.warnings + seen.res.notes != 1)
			fail_msg("from %u:\n%s", i, (const char *)seen.text.data);
		base_buf_free(&seen.text);
	}
	cairn_free(cairn);
}

static void only_parts_join(void **state)
{
	(void)state;
	static struct trace trace;
	static const char junk[48] = "This is no trace, but text of 48 bytes or so.";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .part_of = "RST"};
	struct cairn_check_opts opts = {.size = sizeof opts};
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_checking *checking;
	struct cairn_reader *reader, *q;
	clean(&trace);
	assert_int_equal(cairn_open_memory(cairn, junk, sizeof junk, &open, &reader), CAIRN_E_FORMAT);
	assert_int_equal(cairn_open_memory(cairn, trace.rec, trace.n * SIZE, &open, &reader), 0);
	assert_int_equal(cairn_open_memory(cairn, trace.rec, trace.n * SIZE, &open, &q), 0);
	assert_int_equal(cairn_reader_is_part(q), 0);
	assert_int_equal(cairn_check_begin(cairn, &opts, &res, &checking), 0);
	assert_int_equal(cairn_check_part(checking, reader), 0);
	assert_int_equal(cairn_check_part(checking, q), CAIRN_E_INVAL);
	assert_int_equal(cairn_check_end(checking), 0);
	assert_int_equal(res.errors + res.warnings + res.notes, 0);
	cairn_close(reader);
	cairn_close(q);
	cairn_free(cairn);
}

/* ---- the table ---- */

/* Which values of one field are found, and by one rule alone. */
static void judge_field(struct cairn *cairn, enum name name, const char *field, uint64_t value,
                        unsigned rule, bool is_found)
{
	struct trace trace;
	struct seen seen;
	clean(&trace);
	set(&trace, name, field, value);
	judge(cairn, &trace, NULL, 1, &seen);
	for (unsigned i = 0; i < RST_RULE_COUNT; i++)
		if ((seen.res.by_rule[i] != 0) != (is_found && i == rule))
			fail_msg("%s = %llu:\n%s", field, (unsigned long long)value,
			         (const char *)seen.text.data);
	base_buf_free(&seen.text);
}

static void values_are_judged_at_their_bounds(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	(void)state;
	judge_field(cairn, I_BACK, "dcontext", 7, RST_RULE_PAVA_DCTX, false); /* without ea_valid */
	judge_field(cairn, LOAD_PAVA, "dcontext", 0, RST_RULE_PAVA_DCTX, true);
	judge_field(cairn, INFO2, "spec_sub_minor", 0, RST_RULE_INFO2_SPEC, false);
	judge_field(cairn, INFO2, "spec_minor", 2, RST_RULE_INFO2_SPEC, true);
	judge_field(cairn, INFO2, "spec_major", 1, RST_RULE_INFO2_SPEC, true);
	judge_field(cairn, TLB_D, "tlb_no", 2, RST_RULE_TLB_INDEX, false);
	judge_field(cairn, TLB_I, "tlb_index", 1, RST_RULE_TLB_INDEX, true);
	judge_field(cairn, LEFT, "length", 24, RST_RULE_DELIM_LENGTH, false);
	judge_field(cairn, LEFT, "length", 72, RST_RULE_DELIM_LENGTH, false);
	judge_field(cairn, LEFT, "length", 73, RST_RULE_DELIM_LENGTH, true);
	cairn_free(cairn);
}

/* As many CPUs as its fields can say, and more. */
static void a_byte_says_no_more_than_255_cpus(void **state)
{
	enum { CPUS = 256 };
	struct cairn *cairn = cairn_new(NULL);
	(void)state;
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		struct rst_judge *judge = calloc(1, sizeof *judge);
		struct check_part part = {.cairn = cairn};
		assert_non_null(judge);
		check_list_init(&part.found, cairn, 100);
		for (unsigned i = 0; i < CPUS; i++)
			judge->ran[i / 64] |= UINT64_C(1) << (i & 63);
		judge->max_cpu = RST_MAX_CPUS;
		judge->insns = CPUS;
		judge->info2[0] = CAIRN_RST_TRACEINFO;
		judge->info2[2] = 255;
		judge->info2[3] = wrong ? 200 : 255;
		rst_rule_end(judge, &part);
		assert_int_equal(part.found.count[RST_RULE_INFO2_TOTAL], wrong);
		check_list_free(&part.found);
		free(judge);
	}
	cairn_free(cairn);
}

static void names_of_rules_are_their_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RST_RULE_COUNT; i++)
		for (unsigned k = i + 1; k < RST_RULE_COUNT; k++)
			assert_string_not_equal(ids[i], ids[k]);
}

static const char page_head[] =
	"# The rules of RST\n\n"
	"What `cairn check` judges an RST trace by. This page is made from the rule table\n"
	"(`UPDATE=1 build/tests/unit/test_rst_rules` rewrites it).\n\n"
	"Clauses are those of RST Specification 0.1.1; *New* is what it marks so. `rstf.h` is the\n"
	"layout of records that it refers to, SPARC what follows from the architecture, practice\n"
	"what readers need. An **error** is what the specification forbids; a **warning** what\n"
	"it newly asks for, or what is probably not meant; a **note** what it recommends.\n\n"
	"What a CPU did is followed for each CPU by itself, for their records interleave freely\n"
	"(clause 5). What is not known, at the beginning or behind a `wrpr`, is learnt from the\n"
	"next record that says it. After a finding the record is believed, so that one mistake is\n"
	"told once. What every following instruction would break again (mode, addresses above 32\n"
	"bits, context) is told once until something changes; notes are told once a trace, with\n"
	"their number.\n\n"
	"- Redundant PAVADIFFs are allowed (3(d)). Whether one is missing is judged by the pages\n"
	"  that TLB records and earlier PAVADIFFs tell of: so these are warnings.\n"
	"- Traps that hardware performs (4(c)) and the contents of ihash (7(a)) are not specified,\n"
	"  nor is how CPUs interleave (5(a)): there is nothing to judge.\n"
	"- A program that goes on behind a trap without done or retry, as in traces of user level\n"
	"  only, has left the trap: that is told by `rst.level.change`, and nothing else.\n"
	"- rstzip 2 drops postInstr; in its traces `rst.regval.post` is not judged.\n\n"
	"A trace in several files (clause 6) is judged as one: `cairn check part0 part1 part2`. A\n"
	"file that does not begin with RSTHEADER continues the one before it. Findings name the\n"
	"file and the place within it.\n\n";

static void the_page_of_rules_is_true(void **state)
{
	(void)state;
	rules_page("RST", page_head, RULES_PAGE);
}

/* SEED=FOLDER leaves the mistakes there as seeds of fuzz_rst_check. */
static void write_seeds(const char *folder)
{
	static struct trace trace;
	for (unsigned i = 0; i < RST_RULE_COUNT; i++) {
		char path[512];
		clean(&trace);
		mistakes[i](&trace);
		snprintf(path, sizeof path, "%s/%s", folder, ids[i] + 4);
		FILE *f = fopen(path, "wb");
		assert_non_null(f);
		fputc((int)(i % 64), f);
		assert_int_equal(fwrite(trace.rec, SIZE, trace.n, f), trace.n);
		fclose(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_trace_breaks_no_rule),
		cmocka_unit_test(every_rule_fires_alone),
		cmocka_unit_test(findings_do_not_depend_on_threads_or_spans),
		cmocka_unit_test(counts_tell_what_was_left_out),
		cmocka_unit_test(files_may_be_cut_anywhere),
		cmocka_unit_test(damage_is_told_alone),
		cmocka_unit_test(places_in_a_second_file_are_its_own),
		cmocka_unit_test(cpus_interleave_freely),
		cmocka_unit_test(what_handlers_write_is_not_expected),
		cmocka_unit_test(traps_keep_delay_slots),
		cmocka_unit_test(a_user_s_instruction_has_left_the_trap),
		cmocka_unit_test(mmutype_may_come_behind_the_tlbs),
		cmocka_unit_test(a_handler_may_begin_with_its_end),
		cmocka_unit_test(redundant_pavadiffs_are_allowed),
		cmocka_unit_test(a_snapshot_is_judged_by_its_rst_section),
		cmocka_unit_test(a_part_alone_is_told_as_one),
		cmocka_unit_test(only_parts_join),
		cmocka_unit_test(values_are_judged_at_their_bounds),
		cmocka_unit_test(a_byte_says_no_more_than_255_cpus),
		cmocka_unit_test(names_of_rules_are_their_own),
		cmocka_unit_test(the_page_of_rules_is_true),
	};
	if (getenv("SEED"))
		write_seeds(getenv("SEED"));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
