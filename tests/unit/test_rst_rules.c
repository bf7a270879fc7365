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
#include "formats/rst/rules.h"

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

static void put(uint8_t *p, const char *name, uint64_t v)
{
	const struct rst_layout *l = rst_layout_of(p, RST_NEWEST);
	assert_non_null(l);
	const struct rst_field *f = rst_field_named(l, name);
	if (!f)
		fail_msg("%s has no field %s", l->name, name);
	rst_put(p, f, v);
}

/* "cpuid", 1, "tl", 2, NULL */
static void fields(uint8_t *p, va_list ap)
{
	const char *name;
	while ((name = va_arg(ap, const char *)))
		put(p, name, va_arg(ap, uint64_t));
}
#define U(x) ((uint64_t)(x))

static uint8_t *add(struct trace *t, int name, unsigned type, ...)
{
	va_list ap;
	assert_true(t->n < MOST);
	uint8_t *p = t->rec[t->n];
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
		t->at[name] = t->n;
	t->n++;
	return p;
}
#define R(x) CAIRN_RST_##x

static void text(struct trace *t, int name, unsigned type, const char *s)
{
	uint8_t *p = add(t, name, type, NULL);
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

static void insn(struct trace *t, int name, uint32_t enc, unsigned bits, uint64_t ea)
{
	uint8_t *p = add(t, name, R(INSTR), "pc_va", t->pc, "instr", U(enc), "ea_va", ea, NULL);
	p[1] = (uint8_t)bits;
	t->pc += 4;
}

/* User code at USER with one difference, data and the handlers with others. */
enum { USER = 0x10000, DATA = 0x20000, OTHER = 0x24000, KERNEL = 0x1000000, CTX = 0x2a5 };
enum { USER_DIFF = 0x400000, DATA_DIFF = 0x800000, KERNEL_DIFF = 0xa00000, PSTATE = 0x12 };

static void user_pava(struct trace *t, int name, bool data)
{
	add(t, name, R(PAVADIFF), "icontext", U(CTX), "dcontext", U(CTX), "pc_pa_va", U(USER_DIFF),
	    "ea_valid", U(data), "ea_pa_va", U(data ? DATA_DIFF : 0), NULL);
}

static void kernel_pava(struct trace *t, int name)
{
	add(t, name, R(PAVADIFF), "dcontext", U(CTX), "pc_pa_va", U(KERNEL_DIFF), NULL);
}

static void tlb_entry(struct trace *t, int name, unsigned data, uint64_t va, uint64_t diff)
{
	add(t, name, R(TLB), "tlb", U(data), "tte_tag", va | CTX, "tte_data",
	    UINT64_C(1) << 63 | (va + diff), NULL);
}

/* The seven records from the first instruction of a handler to its end. */
static void handler(struct trace *t, int name, unsigned tt, uint64_t back, bool done, unsigned bits)
{
	t->pc = KERNEL + (tt << 5);
	insn(t, name, ADD, PR | bits, 0);
	add(t, name + 1, R(REGVAL), "regtype0", U(RST_R_INT), "regid0", U(7), "value0", U(7),
	    "regtype1", U(RST_R_INT), "regid1", U(14), "value1", U(14), NULL);
	add(t, name + 2, R(PREG), "traplevel", U(1), "traptype", U(tt & 0xff), "pstate", U(PSTATE),
	    "asi", U(0x82), "primA", U(CTX), "primD", U(CTX), NULL);
	insn(t, name + 3, done ? DONE : RETRY, PR | EA | BT, back);
	add(t, name + 4, R(REGVAL), "post", U(1), "regtype0", U(RST_R_PRIV), "regid0", U(7), "regtype1",
	    U(RST_R_PRIV), "regid1", U(3), NULL);
	add(t, name + 5, R(REGVAL), "post", U(1), "regtype0", U(RST_R_PRIV), "regtype1", U(RST_R_PRIV),
	    "regid1", U(1), NULL);
	add(t, name + 6, R(TRAPEXIT), "tl", U(0), NULL);
	t->pc = back;
}

static void trap(struct trace *t, int name, unsigned tt, bool async, unsigned syscall)
{
	add(t, name, R(TRAP), "async", U(async), "ttype", U(tt), "pstate", U(PSTATE), "syscall",
	    U(syscall), "pc", t->pc, "npc", t->pc + 4, NULL);
}

static void traps(struct trace *t)
{
	uint64_t pc = t->pc;
	trap(t, SYS_TRAP, 0x16d, false, 5);
	insn(t, SYS, TA, EA | TR | BT, KERNEL + (0x16d << 5));
	kernel_pava(t, SYS_PAVA);
	handler(t, SYS_HANDLER, 0x16d, pc + 4, true, 0);
	user_pava(t, SYS_BACK, false);
	insn(t, SYS_NEXT, ADD, 0, 0);

	pc = t->pc;
	trap(t, D_TRAP, 0x68, false, 0);
	add(t, D_EA, R(REGVAL), "regtype0", U(RST_R_MMU), "regid0", U(48), "value0", U(DATA),
	    "regtype1", U(RST_R_UNUSED), NULL);
	insn(t, D_MISS, LDX, TR | BT, 0);
	kernel_pava(t, D_PAVA);
	handler(t, D_HANDLER, 0x68, pc, false, 0);
	user_pava(t, D_BACK, true);
	insn(t, D_AGAIN, LDX, EA, DATA + 8);

	pc = t->pc;
	trap(t, I_TRAP, 0x64, false, 0);
	kernel_pava(t, I_PAVA);
	handler(t, I_HANDLER, 0x64, pc, false, TR);
	user_pava(t, I_BACK, false);
	insn(t, I_AGAIN, ADD, 0, 0);

	pc = t->pc;
	trap(t, A_TRAP, 0x4e, true, 0);
	kernel_pava(t, A_PAVA);
	handler(t, A_HANDLER, 0x4e, pc, false, TR);
	user_pava(t, A_BACK, false);
	insn(t, A_AGAIN, ADD, 0, 0);
}

static void beginning(struct trace *t)
{
	uint8_t *p = add(t, HDR, R(RSTHEADER), "major", U(2), "minor", U(13), NULL);
	memcpy(p + 3, "%RST Header v2.13", 17);
	add(t, INFO1, R(TRACEINFO), "rtype2", U(2), "level", U(1), NULL);
	add(t, INFO2, R(TRACEINFO), "rtype2", U(3), "total_num_cpus", U(1), "spec_minor", U(1),
	    "spec_sub_minor", U(1), "date_created", U(1000), "date_modified", U(1000), NULL);
	text(t, MMU1, R(STRCONT), "mmutype=spitfire iTLB=1");
	text(t, MMU2, R(STRDESC), ", dTLB=1/1");
	text(t, CPUTYPE, R(STRDESC), "cputype=spitfire");
	text(t, NWINS_STR, R(STRDESC), "nwins=8");
	add(t, PREG0, R(PREG), "pstate", U(PSTATE), "asi", U(0x82), "primA", U(CTX), "primD", U(CTX),
	    NULL);
	tlb_entry(t, TLB_I, 0, USER, USER_DIFF);
	tlb_entry(t, TLB_D, 1, DATA, DATA_DIFF);
	add(t, -1, R(TLB), "op", U(1), "tlb", U(1), "tlb_no", U(1), NULL);
	user_pava(t, PAVA0, false);
}

static void clean(struct trace *t)
{
	memset(t, 0, sizeof *t);
	beginning(t);
	t->pc = USER;
	insn(t, FIRST, ADD, 0, 0);
	insn(t, ALU, ADD, 0, 0);
	user_pava(t, LOAD_PAVA, true);
	insn(t, LOAD, LDX, EA, DATA);
	add(t, VALUE, R(REGVAL), "post", U(1), "regtype0", U(RST_R_INT), "regid0", U(1), "value0", U(9),
	    "regtype1", U(RST_R_UNUSED), NULL);
	add(t, -1, R(MEMVAL), "is128", U(0), "is_va", U(1), "size", U(8), "addr", U(DATA), "value",
	    U(9), NULL);
	insn(t, BRANCH, BNE_A_4, EA, t->pc + 8);
	insn(t, SLOT, ADD, AN, 0);
	insn(t, JUMP, BA_4, EA | BT, t->pc + 16);
	insn(t, JUMP_SLOT, ADD, 0, 0);
	t->pc += 8;
	insn(t, NEVER, BN, EA, t->pc + 8);
	insn(t, -1, NOP, 0, 0);
	insn(t, CALL, CALL_4, EA | BT, t->pc + 16);
	insn(t, CALL_SLOT, NOP, 0, 0);
	t->pc += 8;
	insn(t, BEHIND, ADD, 0, 0);
	add(t, WIDE, R(MEMVAL), "is128", U(1), "addr", U(DATA), NULL);
	add(t, WIDE_CONT, R(MEMVAL), "is128", U(1), "is_cont", U(1), NULL);
	add(t, QUAD, R(REGVAL), "regtype0", U(RST_R_FLOAT), "regid0", U(64), "regtype1", U(RST_R_CC),
	    NULL);
	text(t, STR1, R(STRCONT), "twenty-three characters");
	text(t, STR2, R(STRDESC), "");
	add(t, LEFT, R(LEFTDELIM), "id", U(3), "what", U(257), NULL);
	add(t, -1, R(NULLREC), NULL);
	add(t, RIGHT, R(RIGHTDELIM), "id", U(3), "what", U(257), NULL);
	add(t, PATCH1, R(PATCH), "begin", U(1), "id", U(4), "length", U(2), NULL);
	insn(t, -1, ADD, 0, 0);
	insn(t, -1, ADD, 0, 0);
	add(t, PATCH2, R(PATCH), "id", U(4), NULL);
	traps(t);
	insn(t, LAST, ADD, 0, 0);
	add(t, STATUS, R(STATUS), "status", U(2), NULL);
}

/* ---- changing it ---- */

static uint8_t *rec(struct trace *t, enum name name)
{
	return t->rec[t->at[name]];
}

static void set(struct trace *t, enum name name, const char *field, uint64_t v)
{
	put(rec(t, name), field, v);
}

static void insert(struct trace *t, enum name before, const uint8_t *p)
{
	unsigned i = t->at[before];
	assert_true(t->n < MOST);
	memmove(t->rec[i + 1], t->rec[i], (t->n - i) * SIZE);
	memcpy(t->rec[i], p, SIZE);
	t->n++;
	for (unsigned k = 0; k < NAMES; k++)
		t->at[k] += t->at[k] >= i;
}

static void copy_before(struct trace *t, enum name before, enum name what)
{
	uint8_t p[SIZE];
	memcpy(p, rec(t, what), SIZE);
	insert(t, before, p);
}

static void drop(struct trace *t, enum name name)
{
	unsigned i = t->at[name];
	memmove(t->rec[i], t->rec[i + 1], (t->n - i - 1) * SIZE);
	t->n--;
	for (unsigned k = 0; k < NAMES; k++)
		t->at[k] -= t->at[k] > i;
}

static void bits(struct trace *t, enum name name, unsigned on, unsigned off)
{
	uint8_t *p = rec(t, name);
	p[1] = (uint8_t)((p[1] | on) & ~off);
}

/* A record of a type that is all zero but for byte 1. */
static void bare_before(struct trace *t, enum name before, unsigned type, unsigned byte1)
{
	const uint8_t p[SIZE] = {(uint8_t)type, (uint8_t)byte1};
	insert(t, before, p);
}

static void section(struct trace *t, enum name before, unsigned type, uint64_t n)
{
	uint8_t p[SIZE] = {CAIRN_RST_RFS_SECTION_HEADER, (uint8_t)type};
	for (unsigned i = 0; i < 8; i++)
		p[8 + i] = (uint8_t)(n >> (56 - 8 * i));
	insert(t, before, p);
}

/* The trace as the RST section of a snapshot with one address. */
static void snapshot(struct trace *t, uint64_t n_cw, uint64_t n_rst)
{
	uint8_t p[SIZE] = {CAIRN_RST_STRDESC, 'R', 'F', 'S', ' ', 'v', '1', '.', '0', '0'};
	const uint8_t cw[SIZE] = {CAIRN_RST_RFS_CW, 0, 2};
	insert(t, HDR, p);
	section(t, HDR, CAIRN_RST_RFS_CW, n_cw);
	insert(t, HDR, cw);
	section(t, HDR, CAIRN_RST_RFS_RST, n_rst);
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
static void (*const mistakes[RST_RULE_COUNT])(struct trace *t) = {RST_RULES(MISTAKE_ROW)};
#define ID_ROW(name, id, severity, clause, text) [RST_RULE_##name] = "rst." id,
static const char *const ids[RST_RULE_COUNT] = {RST_RULES(ID_ROW)};

/* ---- judging ---- */

struct seen {
	struct cairn_check_result res;
	struct base_buf text;
	unsigned parts; /* bits: findings in part 0, 1 */
};

static int on_finding(void *user, const struct cairn_finding *f)
{
	struct seen *s = user;
	s->parts |= 1u << f->part;
	return base_buf_printf(
		&s->text, "%s part %u record %llu byte %llu instruction %llu cpu %u: %s\n", f->rule->id,
		f->part, (unsigned long long)f->record, (unsigned long long)f->offset,
		(unsigned long long)f->insn, f->cpu, f->message);
}

/* In two files where the trace is cut. */
static void judge(struct cairn *c, const struct trace *t, const char *from, unsigned threads,
                  struct seen *s)
{
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .from = from};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = 1000,
	                                .finding = on_finding,
	                                .user = s};
	struct cairn_checking *k;
	struct cairn_reader *r[2] = {NULL, NULL};
	unsigned first = t->cut ? t->cut : t->n;
	memset(s, 0, sizeof *s);
	base_buf_init(&s->text, c);
	assert_int_equal(cairn_check_begin(c, &opts, &s->res, &k), 0);
	assert_int_equal(cairn_open_memory(c, t->rec, first * SIZE + t->odd_bytes, &open, &r[0]), 0);
	assert_int_equal(cairn_check_part(k, r[0]), 0);
	if (t->cut) {
		open.part_of = cairn_reader_format(r[0]);
		assert_int_equal(cairn_open_memory(c, t->rec[first], (t->n - first) * SIZE, &open, &r[1]),
		                 0);
		assert_int_equal(cairn_reader_is_part(r[1]), 1);
		assert_int_equal(cairn_check_part(k, r[1]), 0);
	}
	assert_int_equal(cairn_check_end(k), 0);
	cairn_close(r[0]);
	cairn_close(r[1]);
	base_buf_put(&s->text, "", 1);
}

static void a_clean_trace_breaks_no_rule(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	struct seen s;
	clean(&t);
	judge(c, &t, NULL, 1, &s);
	assert_string_equal((const char *)s.text.data, "");
	assert_int_equal(s.res.errors + s.res.warnings + s.res.notes, 0);
	base_buf_free(&s.text);
	cairn_free(c);
}

static void every_rule_fires_alone(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	unsigned wrong = 0;
	for (unsigned i = 0; i < RST_RULE_COUNT; i++) {
		struct seen s;
		clean(&t);
		mistakes[i](&t);
		judge(c, &t, NULL, 1, &s);
		uint64_t all = s.res.errors + s.res.warnings + s.res.notes;
		if (s.res.by_rule[i] == 0 || s.res.by_rule[i] != all) {
			print_message("# %s: %llu of %llu findings\n%s\n", ids[i],
			              (unsigned long long)s.res.by_rule[i], (unsigned long long)all,
			              (const char *)s.text.data);
			wrong++;
		}
		base_buf_free(&s.text);
	}
	cairn_free(c);
	assert_int_equal(wrong, 0);
}

/* The first of the two files ends inside a record. */
static void judge_broken_off(struct cairn *c, const struct trace *t, struct seen *s)
{
	static uint8_t first[MOST * SIZE];
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .from = "rst"};
	struct cairn_check_opts opts = {.size = sizeof opts, .finding = on_finding, .user = s};
	struct cairn_checking *k;
	struct cairn_reader *r[2];
	size_t n = t->cut * SIZE;
	memset(s, 0, sizeof *s);
	base_buf_init(&s->text, c);
	memcpy(first, t->rec, n + 12);
	assert_int_equal(cairn_check_begin(c, &opts, &s->res, &k), 0);
	assert_int_equal(cairn_open_memory(c, first, n + 12, &open, &r[0]), 0);
	assert_int_equal(cairn_check_part(k, r[0]), 0);
	assert_int_equal(cairn_open_memory(c, t->rec[t->cut], (t->n - t->cut) * SIZE, &open, &r[1]), 0);
	assert_int_equal(cairn_check_part(k, r[1]), 0);
	assert_int_equal(cairn_check_end(k), 0);
	cairn_close(r[0]);
	cairn_close(r[1]);
	base_buf_put(&s->text, "", 1);
}

/* ---- what must not matter ---- */

static void same_text(struct cairn *c, const struct trace *t, const char *from, unsigned threads,
                      const char *want)
{
	struct seen s;
	judge(c, t, from, threads, &s);
	assert_string_equal((const char *)s.text.data, want);
	base_buf_free(&s.text);
}

static void findings_do_not_depend_on_threads_or_spans(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	for (unsigned i = 0; i < RST_RULE_COUNT; i++) {
		struct seen s;
		clean(&t);
		mistakes[i](&t);
		judge(c, &t, "rst", 1, &s);
		const char *want = (const char *)s.text.data;
		same_text(c, &t, "rst", 3, want);
		same_text(c, &t, "rst:piece=24", 2, want);
		same_text(c, &t, "rst:piece=72", 1, want);
		same_text(c, &t, "rst:piece=240", 1, want);
		base_buf_free(&s.text);
	}
	cairn_free(c);
}

/* A second file may begin at any record but the first. */
static void files_may_be_cut_anywhere(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	clean(&t);
	for (t.cut = 1; t.cut < t.n; t.cut++) {
		struct seen s;
		judge(c, &t, "rst", 1 + t.cut % 2, &s);
		assert_string_equal((const char *)s.text.data, "");
		base_buf_free(&s.text);
	}
	clean(&t);
	mistake_FLOW(&t);
	mistake_EXIT_PREG(&t);
	for (t.cut = 1; t.cut < t.n; t.cut++) {
		struct seen s;
		bool between = t.cut > t.at[CALL_SLOT] && t.cut <= t.at[PATCH1] + 1;
		judge(c, &t, "rst", 1, &s);
		assert_int_equal(s.res.errors, 2);
		assert_int_equal(s.res.by_rule[RST_RULE_EXIT_PREG], 1);
		assert_int_equal(s.res.by_rule[RST_RULE_PARTS_DROPPED], between);
		assert_int_equal(s.res.by_rule[RST_RULE_FLOW], !between);
		base_buf_free(&s.text);
	}
	cairn_free(c);
}

/* A filter's count that says so excuses that instructions are missing; one that says
 * nothing is missing does not. */
static void counts_tell_what_was_left_out(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	for (unsigned i = 0; i < 6; i++) {
		const uint64_t left_out = i / 2;
		struct seen s;
		clean(&t);
		uint8_t *p = rec(&t, BEHIND), cpu = p[2] >> 2;
		memset(p, 0, 24);
		p[0] = CAIRN_RST_RECNUM;
		p[1] = 0x81;
		p[2] = CAIRN_RST_INSTR;
		p[3] = cpu;
		put(p, "incount", 1000 + left_out);
		put(p, "outcount", 1000);
		judge(c, &t, "rst", 1 + i % 2, &s);
		assert_int_equal(s.res.by_rule[RST_RULE_FLOW], left_out == 0);
		assert_int_equal(s.res.errors, left_out == 0);
		base_buf_free(&s.text);
	}
	cairn_free(c);
}

/* What is lost to damage is not told a second time by what follows. */
static void damage_is_told_alone(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	for (unsigned i = 0; i < 100; i++) {
		struct seen s;
		clean(&t);
		t.cut = i + 1;
		if (t.cut < t.at[PAVA0] + 1 || t.cut + 3 >= t.n)
			continue;
		/* Three records are lost, and half of another. */
		memmove(t.rec[t.cut], t.rec[t.cut + 3], (t.n - t.cut - 3) * SIZE);
		t.n -= 3;
		judge_broken_off(c, &t, &s);
		assert_int_equal(s.res.by_rule[RST_RULE_RECORD_COMPLETE], 1);
		if (s.res.errors + s.res.warnings + s.res.notes != 1)
			fail_msg("cut at %u:\n%s", t.cut, (const char *)s.text.data);
		base_buf_free(&s.text);
	}
	cairn_free(c);
}

static void places_in_a_second_file_are_its_own(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	struct seen s;
	char want[128];
	clean(&t);
	bits(&t, A_HANDLER, 0, TR);
	t.cut = t.at[SYS_NEXT];
	judge(c, &t, "rst", 1, &s);
	unsigned at = t.at[A_HANDLER] - t.cut, insns = 1;
	for (unsigned i = t.cut; i < t.at[A_HANDLER]; i++)
		insns += t.rec[i][0] == CAIRN_RST_INSTR;
	snprintf(want, sizeof want,
	         "rst.trap.async-tr part 1 record %u byte %u instruction %u cpu 0:", at + 1, at * SIZE,
	         insns);
	assert_non_null(strstr((const char *)s.text.data, want));
	assert_int_equal(s.parts, 2);
	base_buf_free(&s.text);
	cairn_free(c);
}

/* ---- what is no mistake ---- */

static void nothing_is_found(struct cairn *c, const struct trace *t)
{
	same_text(c, t, "rst", 1, "");
	same_text(c, t, "rst:piece=96", 2, "");
}

/* How many records stand together: PAVADIFF with its INSTR, values with their base. */
static unsigned together(const struct trace *t, unsigned i)
{
	unsigned n = 1;
	while (i + n < t->n && (t->rec[i + n - 1][0] == CAIRN_RST_PAVADIFF ||
	                        (t->rec[i + n][0] == CAIRN_RST_MEMVAL && t->rec[i + n][1] >> 5 & 1)))
		n++;
	return n;
}

/* The same program on two CPUs, record by record. */
static void cpus_interleave_freely(void **state)
{
	(void)state;
	static struct trace t, u;
	struct cairn *c = cairn_new(NULL);
	clean(&t);
	set(&t, INFO2, "max_cpu_id", 5);
	set(&t, INFO2, "total_num_cpus", 2);
	memset(&u, 0, sizeof u);
	for (unsigned i = 0, n; i < t.n; i += n) {
		n = together(&t, i);
		memcpy(u.rec[u.n], t.rec[i], n * SIZE);
		u.n += n;
		if (!rst_layout_cpu(rst_layout_of(t.rec[i], RST_NEWEST)) || i < t.at[PREG0])
			continue;
		memcpy(u.rec[u.n], t.rec[i], n * SIZE);
		for (unsigned k = 0; k < n; k++, u.n++)
			put(u.rec[u.n], "cpuid", 5);
	}
	for (unsigned i = 0; i < u.n; i++)
		if (u.rec[i][0] == CAIRN_RST_PATCH && (u.rec[i][1] & 1))
			put(u.rec[i], "length", 4);
	nothing_is_found(c, &u);
	cairn_free(c);
}

static void what_handlers_write_is_not_expected(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	clean(&t);
	/* wrpr %tpc in a handler: retry goes elsewhere. */
	set(&t, D_HANDLER, "instr", WRPR_TPC);
	set(&t, D_RETRY, "ea_va", USER);
	set(&t, D_AGAIN, "pc_va", USER);
	t.n = t.at[D_AGAIN] + 1;
	nothing_is_found(c, &t);
	/* The same without wrpr is a mistake. */
	set(&t, D_HANDLER, "instr", ADD);
	struct seen s;
	judge(c, &t, "rst", 1, &s);
	assert_int_equal(s.res.by_rule[RST_RULE_EA_TARGET], 1);
	assert_int_equal(s.res.errors, 1);
	base_buf_free(&s.text);
	cairn_free(c);
}

/* An interrupt between a branch and its slot: the NPC of TRAP is the target. */
static void traps_keep_delay_slots(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	struct seen s;
	clean(&t);
	uint64_t branch = base_be64(rec(&t, SYS_NEXT) + 8), target = branch + 16;
	set(&t, SYS_NEXT, "instr", BA_4);
	set(&t, SYS_NEXT, "ea_va", target);
	bits(&t, SYS_NEXT, EA | BT, 0);
	set(&t, D_TRAP, "npc", target);
	set(&t, I_TRAP, "pc", target);
	set(&t, I_TRAP, "npc", target + 4);
	set(&t, I_RETRY, "ea_va", target);
	set(&t, I_AGAIN, "pc_va", target);
	t.n = t.at[A_TRAP];
	nothing_is_found(c, &t);
	set(&t, D_TRAP, "npc", branch + 8);
	judge(c, &t, "rst", 1, &s);
	assert_int_equal(s.res.by_rule[RST_RULE_TRAP_NPC], 1);
	base_buf_free(&s.text);
	cairn_free(c);
}

/* A system call that comes back elsewhere (a signal's handler) in a trace without handlers. */
static void a_user_s_instruction_has_left_the_trap(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	struct seen s;
	clean(&t);
	t.n = t.at[SYS] + 1;
	t.pc = USER + 0x400;
	insn(&t, SYS_NEXT, ADD, 0, 0);
	trap(&t, D_TRAP, 0x16d, false, 5);
	insn(&t, D_MISS, TA, EA | TR | BT, KERNEL + (0x16d << 5));
	judge(c, &t, "rst", 1, &s);
	assert_int_equal(s.res.by_rule[RST_RULE_LEVEL_CHANGE], 1);
	assert_int_equal(s.res.errors, 0);
	assert_int_equal(s.res.warnings, 1);
	base_buf_free(&s.text);
	cairn_free(c);
}

/* Clause 2 does not say which of them comes first. */
static void mmutype_may_come_behind_the_tlbs(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	clean(&t);
	copy_before(&t, PAVA0, MMU1);
	copy_before(&t, PAVA0, MMU2);
	drop(&t, MMU2);
	drop(&t, MMU1);
	nothing_is_found(c, &t);
	cairn_free(c);
}

/* Clause 4(d) has the handler's first INSTR behind the TRAP, 4(f) a PREG before each done and
 * retry: where these are one, the PREG stands between. */
static void a_handler_may_begin_with_its_end(void **state)
{
	(void)state;
	static struct trace t;
	static const enum name traps[][6] = {{A_PAVA, A_HANDLER, A_REGS, A_PREG, A_RETRY, A_TRAP},
	                                     {I_PAVA, I_HANDLER, I_REGS, I_PREG, I_RETRY, I_TRAP}};
	struct cairn *c = cairn_new(NULL);
	for (unsigned i = 0; i < 2; i++) {
		const enum name *n = traps[i];
		clean(&t);
		uint64_t pc = base_be64(t.rec[t.at[n[1]]] + 8);
		copy_before(&t, n[0], n[2]);
		copy_before(&t, n[0], n[3]);
		set(&t, n[4], "pc_va", pc);
		set(&t, n[4], "tr", 1);
		drop(&t, n[3]);
		drop(&t, n[2]);
		drop(&t, n[1]);
		nothing_is_found(c, &t);

		struct seen s; /* a handler that begins otherwise has no PREG before that */
		clean(&t);
		copy_before(&t, n[0], n[3]);
		judge(c, &t, NULL, 1, &s);
		assert_int_equal(s.res.by_rule[RST_RULE_TRAP_BETWEEN], 1);
		assert_int_equal(s.res.errors, 1);
		assert_int_equal(s.res.warnings + s.res.notes, 0);
		base_buf_free(&s.text);
	}
	cairn_free(c);
}

static void redundant_pavadiffs_are_allowed(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	clean(&t);
	copy_before(&t, LOAD_PAVA, PAVA0);
	copy_before(&t, ALU, PAVA0);
	copy_before(&t, I_BACK, I_BACK);
	nothing_is_found(c, &t);
	cairn_free(c);
}

static void a_snapshot_is_judged_by_its_rst_section(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	clean(&t);
	snapshot(&t, 1, INT64_MAX);
	nothing_is_found(c, &t);
	clean(&t);
	snapshot(&t, 1, t.n);
	nothing_is_found(c, &t);
	cairn_free(c);
}

static void a_part_alone_is_told_as_one(void **state)
{
	(void)state;
	static struct trace t;
	struct cairn *c = cairn_new(NULL);
	struct seen s;
	for (unsigned i = 3; clean(&t), i < t.at[LAST]; i++) {
		memmove(t.rec[0], t.rec[i], (t.n - i) * SIZE);
		t.n -= i;
		judge(c, &t, "rst", 1, &s);
		assert_int_equal(s.res.by_rule[RST_RULE_HEADER_FIRST], 1);
		if (s.res.errors + s.res.warnings + s.res.notes != 1)
			fail_msg("from %u:\n%s", i, (const char *)s.text.data);
		base_buf_free(&s.text);
	}
	cairn_free(c);
}

static void only_parts_join(void **state)
{
	(void)state;
	static struct trace t;
	static const char junk[48] = "This is no trace, but text of 48 bytes or so.";
	struct cairn *c = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .part_of = "RST"};
	struct cairn_check_opts opts = {.size = sizeof opts};
	struct cairn_check_result res;
	struct cairn_checking *k;
	struct cairn_reader *r, *q;
	clean(&t);
	assert_int_equal(cairn_open_memory(c, junk, sizeof junk, &open, &r), CAIRN_E_FORMAT);
	assert_int_equal(cairn_open_memory(c, t.rec, t.n * SIZE, &open, &r), 0);
	assert_int_equal(cairn_open_memory(c, t.rec, t.n * SIZE, &open, &q), 0);
	assert_int_equal(cairn_reader_is_part(q), 0);
	assert_int_equal(cairn_check_begin(c, &opts, &res, &k), 0);
	assert_int_equal(cairn_check_part(k, r), 0);
	assert_int_equal(cairn_check_part(k, q), CAIRN_E_INVAL);
	assert_int_equal(cairn_check_end(k), 0);
	assert_int_equal(res.errors + res.warnings + res.notes, 0);
	cairn_close(r);
	cairn_close(q);
	cairn_free(c);
}

/* ---- the table ---- */

/* Which values of one field are found, and by one rule alone. */
static void judge_field(struct cairn *c, enum name name, const char *field, uint64_t v,
                        unsigned rule, bool is_found)
{
	struct trace t;
	struct seen s;
	clean(&t);
	set(&t, name, field, v);
	judge(c, &t, NULL, 1, &s);
	for (unsigned i = 0; i < RST_RULE_COUNT; i++)
		if ((s.res.by_rule[i] != 0) != (is_found && i == rule))
			fail_msg("%s = %llu:\n%s", field, (unsigned long long)v, (const char *)s.text.data);
	base_buf_free(&s.text);
}

static void values_are_judged_at_their_bounds(void **state)
{
	struct cairn *c = cairn_new(NULL);
	(void)state;
	judge_field(c, I_BACK, "dcontext", 7, RST_RULE_PAVA_DCTX, false); /* without ea_valid */
	judge_field(c, LOAD_PAVA, "dcontext", 0, RST_RULE_PAVA_DCTX, true);
	judge_field(c, INFO2, "spec_sub_minor", 0, RST_RULE_INFO2_SPEC, false);
	judge_field(c, INFO2, "spec_minor", 2, RST_RULE_INFO2_SPEC, true);
	judge_field(c, INFO2, "spec_major", 1, RST_RULE_INFO2_SPEC, true);
	judge_field(c, TLB_D, "tlb_no", 2, RST_RULE_TLB_INDEX, false);
	judge_field(c, TLB_I, "tlb_index", 1, RST_RULE_TLB_INDEX, true);
	judge_field(c, LEFT, "length", 24, RST_RULE_DELIM_LENGTH, false);
	judge_field(c, LEFT, "length", 72, RST_RULE_DELIM_LENGTH, false);
	judge_field(c, LEFT, "length", 73, RST_RULE_DELIM_LENGTH, true);
	cairn_free(c);
}

/* As many CPUs as its fields can say, and more. */
static void a_byte_says_no_more_than_255_cpus(void **state)
{
	enum { CPUS = 256 };
	struct cairn *c = cairn_new(NULL);
	(void)state;
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		struct rst_judge *j = calloc(1, sizeof *j);
		struct check_part part = {.c = c};
		assert_non_null(j);
		check_list_init(&part.found, c, 100);
		for (unsigned i = 0; i < CPUS; i++)
			j->ran[i / 64] |= UINT64_C(1) << (i & 63);
		j->max_cpu = RST_MAX_CPUS;
		j->insns = CPUS;
		j->info2[0] = CAIRN_RST_TRACEINFO;
		j->info2[2] = 255;
		j->info2[3] = wrong ? 200 : 255;
		rst_rule_end(j, &part);
		assert_int_equal(part.found.count[RST_RULE_INFO2_TOTAL], wrong);
		check_list_free(&part.found);
		free(j);
	}
	cairn_free(c);
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
	static struct trace t;
	for (unsigned i = 0; i < RST_RULE_COUNT; i++) {
		char path[512];
		clean(&t);
		mistakes[i](&t);
		snprintf(path, sizeof path, "%s/%s", folder, ids[i] + 4);
		FILE *f = fopen(path, "wb");
		assert_non_null(f);
		fputc((int)(i % 64), f);
		assert_int_equal(fwrite(t.rec, SIZE, t.n, f), t.n);
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
