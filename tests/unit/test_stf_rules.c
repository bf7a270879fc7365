/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rule of STF is broken once, alone: a clean trace is built record by record,
 * with one mistake in it, and exactly that rule must fire. Also: clean traces break
 * none, findings do not depend on threads or packing, and docs/formats/stf-rules.md
 * lists the rules as they are (UPDATE=1 rewrites it).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/bytes.h"
#include "cairn/cairn.h"
#include "fixtures/rules_page.h"
#include "formats/stf/check/rules.h"

/* ---- building records ---- */

enum { MOST = 4 << 20, MOST_CUTS = 64 };

struct trace {
	uint8_t *p;
	size_t n;
	const char *from;      /* of the open options */
	size_t cut[MOST_CUTS]; /* where a container's chunks end */
	uint64_t cut_pc[MOST_CUTS];
	unsigned cuts, per_chunk;
	int wrong_size; /* added to the size of the last chunk in the index */
	uint64_t pc;    /* address of the next instruction */
	uint64_t insns;
};

static void bytes(struct trace *trace, const void *p, size_t n)
{
	assert_true(trace->n + n <= MOST);
	memcpy(trace->p + trace->n, p, n);
	trace->n += n;
}

static void num(struct trace *trace, uint64_t value, unsigned width)
{
	uint8_t b[8];
	base_put_le(b, width, value);
	bytes(trace, b, width);
}

static void rec(struct trace *trace, unsigned type)
{
	num(trace, type, 1);
}

/* What the header says; every `no_` leaves a record out. */
struct head {
	unsigned major, minor, isa, iem, generator, vlen;
	uint64_t features;
	const char *comment, *isa_extended;
	size_t comment_len;
	bool no_identifier, no_version, no_comment, no_isa, no_iem, no_info, no_feature, no_process,
		no_pc, no_end, iem_first, isa_twice, comment_second, clock;
};

#define SHA "built from cairn 4ac1f0d9b2"
enum { PC = 0x80000000u };
static const struct head plain = {.major = 1,
                                  .minor = 6,
                                  .isa = 1,
                                  .iem = 2,
                                  .generator = 6,
                                  .comment = SHA,
                                  .features = CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64 |
                                              CAIRN_STF_F_EVENT | CAIRN_STF_F_PROCESS_ID};

static void comment(struct trace *trace, const char *text, size_t n)
{
	rec(trace, CAIRN_STF_COMMENT);
	num(trace, n, 4);
	bytes(trace, text, n);
}

static void info(struct trace *trace, unsigned generator)
{
	rec(trace, CAIRN_STF_TRACE_INFO);
	num(trace, generator, 1);
	num(trace, 0x000001, 3);
	num(trace, 0, 2);
}

static void isa(struct trace *trace, unsigned value)
{
	rec(trace, CAIRN_STF_ISA);
	num(trace, value, 2);
}

static void iem(struct trace *trace, unsigned value)
{
	rec(trace, CAIRN_STF_INST_IEM);
	num(trace, value, 2);
}

static void process(struct trace *trace, uint32_t a, uint32_t b, uint32_t c)
{
	rec(trace, CAIRN_STF_PROCESS_ID_EXT);
	num(trace, a, 4);
	num(trace, b, 4);
	num(trace, c, 4);
}

static void force_pc(struct trace *trace, uint64_t pc)
{
	rec(trace, CAIRN_STF_FORCE_PC);
	num(trace, pc, 8);
	trace->pc = pc;
}

static void clock_id(struct trace *trace, unsigned id)
{
	rec(trace, CAIRN_STF_CLOCK_ID);
	num(trace, id, 1);
	num(trace, 3, 2);
	bytes(trace, "clk", 3);
}

static void begin_header(struct trace *trace, const struct head *head)
{
	if (!head->no_identifier)
		bytes(trace, "\001STF", 4);
	if (head->comment_second)
		comment(trace, "early", 5);
	if (!head->no_version) {
		rec(trace, CAIRN_STF_VERSION);
		num(trace, head->major, 4);
		num(trace, head->minor, 4);
	}
	if (!head->no_comment)
		comment(trace, head->comment,
		        head->comment_len ? head->comment_len : strlen(head->comment));
}

static void end_header(struct trace *trace, const struct head *head)
{
	if (!head->no_info)
		info(trace, head->generator);
	if (!head->no_feature) {
		rec(trace, CAIRN_STF_TRACE_INFO_FEATURE);
		num(trace, head->features, 8);
	}
}

static void header(struct trace *trace, struct head head)
{
	begin_header(trace, &head);
	if (head.iem_first)
		iem(trace, head.iem);
	if (!head.no_isa)
		isa(trace, head.isa);
	if (head.isa_twice)
		isa(trace, head.isa);
	if (!head.no_iem && !head.iem_first)
		iem(trace, head.iem);
	end_header(trace, &head);
	if (!head.no_process)
		process(trace, 0, 7, 7);
	if (!head.no_pc)
		force_pc(trace, PC);
	trace->pc = PC;
	if (head.vlen) {
		rec(trace, CAIRN_STF_VLEN_CONFIG);
		num(trace, head.vlen, 4);
	}
	if (head.clock)
		clock_id(trace, 1);
	if (head.isa_extended) {
		rec(trace, CAIRN_STF_ISA_EXTENDED);
		num(trace, strlen(head.isa_extended), 4);
		bytes(trace, head.isa_extended, strlen(head.isa_extended));
	}
	if (!head.no_end)
		rec(trace, CAIRN_STF_END_HEADER);
}

/* ---- records of the body ---- */

enum encoding {
	NOP = 0x13,
	CUSTOM = 0x0b,
	LD = 0x0005b503,
	SD = 0x00a5b023,
	LW = 0x0005a503,
	BEQ8 = 0x00000463,
	JAL8 = 0x0080006f,
	ECALL = 0x73,
	MRET = 0x30200073,
	VADD = 0x022180d7,
	VLE8 = 0x02058087,
	AMOADD = 0x00a5b52f,
	SRET = 0x10200073,
	ANDN = 0x40c5f533,
	CSRR_MSTATUS = 0x300022f3,
	DIV = 0x02c5c533
};
#define INTERRUPT (1ull << 63)
#define MODE_CHANGE (1ull << 62)
enum { ADDR = 0x4000 };

static void insn(struct trace *trace, uint32_t enc)
{
	rec(trace, CAIRN_STF_INST_32);
	num(trace, enc, 4);
	trace->pc += 4;
	trace->insns++;
}

static void insn16(struct trace *trace, uint32_t enc)
{
	rec(trace, CAIRN_STF_INST_16);
	num(trace, enc, 2);
	trace->pc += 2;
	trace->insns++;
}

static void event(struct trace *trace, uint64_t id, unsigned n, ...)
{
	va_list ap;
	va_start(ap, n);
	rec(trace, CAIRN_STF_EVENT);
	num(trace, id, 8);
	num(trace, n, 1);
	for (unsigned i = 0; i < n; i++)
		num(trace, va_arg(ap, uint64_t), 8);
	va_end(ap);
}
#define U(x) ((uint64_t)(x))

static void target(struct trace *trace, unsigned type, uint64_t pc)
{
	rec(trace, type);
	num(trace, pc, 8);
}
#define pc_target(t, pc) target(t, CAIRN_STF_INST_PC_TARGET, pc)
#define event_target(t, pc) target(t, CAIRN_STF_EVENT_PC_TARGET, pc)

static void access(struct trace *trace, uint64_t addr, unsigned size, unsigned type)
{
	rec(trace, CAIRN_STF_INST_MEM_ACCESS);
	num(trace, addr, 8);
	num(trace, size, 2);
	num(trace, 0, 2);
	num(trace, type, 1);
}

static void content(struct trace *trace, uint64_t value)
{
	rec(trace, CAIRN_STF_INST_MEM_CONTENT);
	num(trace, value, 8);
}

static void bus(struct trace *trace, unsigned size, unsigned initiator, unsigned type)
{
	rec(trace, CAIRN_STF_BUS_MASTER_ACCESS);
	num(trace, ADDR, 8);
	num(trace, size, 2);
	num(trace, initiator, 1);
	num(trace, 0, 1);
	num(trace, 0, 4);
	num(trace, type, 1);
}

static void bus_content(struct trace *trace, uint64_t value)
{
	rec(trace, CAIRN_STF_BUS_MASTER_CONTENT);
	num(trace, value, 8);
}

static void load(struct trace *trace)
{
	access(trace, ADDR, 8, 1);
	content(trace, 0x1122334455667788);
	insn(trace, LD);
}

static void reg(struct trace *trace, unsigned number, unsigned meta)
{
	rec(trace, CAIRN_STF_INST_REG);
	num(trace, number, 2);
	num(trace, meta, 1);
	num(trace, 5, 8);
}

static void reg_value(struct trace *trace, unsigned number, unsigned meta, uint64_t value)
{
	reg(trace, number, meta);
	trace->n -= 8;
	num(trace, value, 8);
}

static void micro_op(struct trace *trace, unsigned size, uint32_t op)
{
	rec(trace, CAIRN_STF_INST_MICROOP);
	num(trace, size, 1);
	num(trace, op, 4);
}

/* A walk of three levels to a page of 4 KiB, or what a test makes of it. */
static void walk(struct trace *trace, uint64_t va, uint64_t index, uint32_t size, unsigned n,
                 uint64_t last)
{
	rec(trace, CAIRN_STF_PAGE_TABLE_WALK);
	num(trace, va, 8);
	num(trace, index, 8);
	num(trace, size, 4);
	num(trace, n, 1);
	unsigned shift = size == 0x200000 ? 21 : 12;
	for (unsigned i = 0; i < n; i++) {
		uint64_t table = 0x81000000 + 0x1000 * (uint64_t)i,
				 entry = va >> (shift + 9 * (n - 1 - i)) & 511;
		num(trace, table + 8 * entry, 8);
		num(trace, i + 1 == n ? last : (table + 0x1000) >> 12 << 10 | 1, 8);
	}
}
enum { LEAF = 0x204800cf };

static void mode(struct trace *trace, uint64_t m)
{
	event(trace, MODE_CHANGE, 1, m);
}

/* ---- the clean beginnings and ends ---- */

static struct head with(uint64_t features)
{
	struct head head = plain;
	head.features |= features;
	return head;
}

static void start_as(struct trace *trace, struct head head)
{
	header(trace, head);
	mode(trace, 3);
	insn(trace, NOP);
}

static void start(struct trace *trace)
{
	start_as(trace, plain);
}

static void finish(struct trace *trace)
{
	insn(trace, NOP);
	pc_target(trace, trace->pc + 8);
	insn(trace, JAL8);
	trace->pc += 4;
	insn16(trace, 1);
}

/* Pages: in supervisor mode, so that addresses are translated. */
static void start_pages(struct trace *trace)
{
	header(trace, with(CAIRN_STF_F_PTE));
	mode(trace, 1);
	insn(trace, NOP);
}

static void end_pages(struct trace *trace)
{
	walk(trace, ADDR, trace->insns, 4096, 3, LEAF);
	load(trace);
	finish(trace);
}

static void start_vector(struct trace *trace)
{
	struct head head = with(CAIRN_STF_F_VEC);
	head.vlen = 128;
	start_as(trace, head);
	insn(trace, VADD);
}

/* ---- transactions ---- */

static void xact_header(struct trace *trace, unsigned protocol, bool clocks)
{
	struct head head = plain;
	head.features = CAIRN_STF_F_TRANSACTIONS;
	begin_header(trace, &head);
	end_header(trace, &head);
	rec(trace, CAIRN_STF_PROTOCOL_ID);
	num(trace, protocol, 1);
	if (clocks)
		clock_id(trace, 1);
}

/* Channel E unless a test says more. */
static void xact(struct trace *trace, uint64_t id, unsigned clock)
{
	rec(trace, CAIRN_STF_TRANSACTION);
	num(trace, id, 8);
	num(trace, 1, 8);
	num(trace, clock, 1);
	num(trace, 0, 2);
	num(trace, 5, 1);
	num(trace, 9, 8);
}

/* Channel A with one byte of data and a mask of 4 bits. */
static void xact_a(struct trace *trace, unsigned code, unsigned param, unsigned size, unsigned data,
                   unsigned mask)
{
	rec(trace, CAIRN_STF_TRANSACTION);
	num(trace, 10, 8);
	num(trace, 1, 8);
	num(trace, 1, 1);
	num(trace, 0, 2);
	num(trace, 1, 1);
	num(trace, code, 1);
	num(trace, param, 1);
	num(trace, size, 1);
	num(trace, 4, 8);
	num(trace, data, 2);
	for (unsigned i = 0; i < data; i++)
		num(trace, i, 1);
	num(trace, 0x100, 8);
	num(trace, 4, 2);
	num(trace, mask, 1);
}

/* Channel C without data. */
static void xact_c(struct trace *trace, unsigned code)
{
	rec(trace, CAIRN_STF_TRANSACTION);
	num(trace, 10, 8);
	num(trace, 1, 8);
	num(trace, 1, 1);
	num(trace, 0, 2);
	num(trace, 3, 1);
	num(trace, code, 1);
	num(trace, 0, 2);
	num(trace, 4, 8);
	num(trace, 0, 2);
	num(trace, 0x100, 8);
}

static void depend(struct trace *trace, uint64_t id, unsigned clock)
{
	rec(trace, CAIRN_STF_TRANSACTION_DEPENDENCY);
	num(trace, id, 8);
	num(trace, 1, 8);
	num(trace, clock, 1);
}

static void start_xacts(struct trace *trace)
{
	xact_header(trace, 1, true);
	rec(trace, CAIRN_STF_END_HEADER);
	xact(trace, 5, 1);
	depend(trace, 5, 1);
	xact(trace, 6, 1);
}

/* ---- the mistakes: one function a rule ---- */

#define BREAK(rule) static void break_##rule(struct trace *t)
/* A mistake between a clean start and a clean end. */
#define WITHIN(rule, ...) \
	BREAK(rule) \
	{ \
		start(t); \
		__VA_ARGS__ finish(t); \
	}
#define HEAD(rule, ...) \
	BREAK(rule) \
	{ \
		struct head h = plain; \
		__VA_ARGS__ start_as(t, h); \
		finish(t); \
	}

BREAK(RECORD_COMPLETE)
{
	start(t);
	finish(t);
	t->n--;
}
WITHIN(RECORD_KNOWN, rec(t, 0x77);)
WITHIN(RECORD_RESERVED, rec(t, 0);)
HEAD(RECORD_VERSION, h.minor = 5; h.isa_extended = "rv64imac";)
WITHIN(GROUP_ORDER, force_pc(t, t->pc); mode(t, 3); pc_target(t, t->pc + 8); insn(t, BEQ8);
       t->pc += 4;)
BREAK(TRACE_EMPTY)
{
	header(t, plain);
}
BREAK(TRACE_TRAILING)
{
	start(t);
	finish(t);
	comment(t, "late", 4);
}
static void cut_here(struct trace *trace)
{
	trace->cut_pc[trace->cuts] = trace->pc;
	trace->cut[trace->cuts++] = trace->n;
}
BREAK(CONTAINER_CUT)
{
	start(t);
	t->per_chunk = (unsigned)t->insns;
	comment(t, "split", 5);
	cut_here(t);
	insn(t, NOP);
}
BREAK(CONTAINER_SIZE)
{
	start(t);
	finish(t);
	t->per_chunk = 100;
	t->wrong_size = 1;
}
HEAD(END_ABSENT, h.minor = 3;)
BREAK(END_LAST)
{
	struct head h = plain;
	h.minor = 3;
	start_as(t, h);
	rec(t, 255);
	finish(t);
}
BREAK(END_PRESENT)
{
	start(t);
	finish(t);
	rec(t, 255);
}
HEAD(IDENTIFIER_FIRST, h.no_identifier = true; t->from = "stf";)
HEAD(VERSION_SECOND, h.comment_second = true;)
HEAD(VERSION_KNOWN, h.minor = 9;)
HEAD(HEADER_END, h.no_end = true;)
HEAD(HEADER_ONCE, h.isa_twice = true;)
WITHIN(HEADER_GROUP, info(t, 6);)
HEAD(HEADER_ISA, h.no_isa = true;)
HEAD(HEADER_TRACE_INFO, h.no_info = true;)
HEAD(HEADER_FEATURE, h.no_feature = true;)
HEAD(HEADER_COMMENT, h.no_comment = true;)
HEAD(HEADER_PROCESS_ID, h.no_process = true; h.features &= ~(uint64_t)CAIRN_STF_F_PROCESS_ID;)
HEAD(ISA_BEFORE_IEM, h.iem_first = true;)
HEAD(ISA_VALUE, h.isa = 7;)
BREAK(ISA_ASSIGNED)
{
	struct head h = plain;
	h.isa = 2;
	h.iem = 8;
	h.features &= ~(uint64_t)CAIRN_STF_F_RV64;
	header(t, h);
	mode(t, 1);
	insn(t, 0xd503201f);
	insn(t, 0xd503201f);
}
HEAD(ISA_EXTENDED_XLEN, h.isa_extended = "rv32imac";)
BREAK(ISA_EXTENDED_INSN)
{
	struct head h = plain;
	h.isa_extended = "rv64i2p1_m2p0_ac_zba1p0";
	start_as(t, h);
	insn(t, ANDN);
	insn(t, ANDN);
	finish(t);
}
HEAD(IEM_FIRST, h.no_iem = true;)
HEAD(IEM_VALUE, h.iem = 5;)
WITHIN(IEM_BODY, iem(t, 2);)
HEAD(GENERATOR_RESERVED, h.generator = 0;)
HEAD(GENERATOR_KNOWN, h.generator = 0x99;)
HEAD(COMMENT_SHA, h.comment = "made on a Monday";)
HEAD(COMMENT_NUL, h.comment_len = sizeof SHA;)
HEAD(VLEN_VALUE, h.vlen = 96;)
HEAD(VLEN_INSN, h.features |= CAIRN_STF_F_VEC; start_as(t, h); insn(t, VADD); finish(t); return;)
WITHIN(VLEN_REG, reg(t, 1, 0x33);)
HEAD(FEATURE_UNSEEN, h.features |= CAIRN_STF_F_DATA_ATTRIBUTE;)
WITHIN(FEATURE_UNDECLARED, reg(t, 1, 0x21);)
WITHIN(FEATURE_PARTIAL, walk(t, ADDR, t->insns, 4096, 3, LEAF); insn(t, NOP);)
HEAD(FEATURE_RV64, h.features &= ~(uint64_t)CAIRN_STF_F_RV64;)
HEAD(FEATURE_UNKNOWN, h.features |= 1u << 30;)
HEAD(KIND_INSNS, h.clock = true;)
BREAK(KIND_XACTS)
{
	start_xacts(t);
	force_pc(t, PC);
	xact(t, 7, 1);
}
WITHIN(PROTOCOL_PRESENT, xact(t, 1, 1);)
BREAK(PROTOCOL_VALUE)
{
	xact_header(t, 2, true);
	rec(t, CAIRN_STF_END_HEADER);
	xact(t, 1, 1);
}
BREAK(CLOCK_PRESENT)
{
	xact_header(t, 1, false);
	rec(t, CAIRN_STF_END_HEADER);
	xact(t, 1, 0);
	xact(t, 2, 4);
}
BREAK(CLOCK_RESERVED)
{
	xact_header(t, 1, true);
	clock_id(t, 0);
	rec(t, CAIRN_STF_END_HEADER);
	xact(t, 1, 1);
}
BREAK(CLOCK_ONCE)
{
	xact_header(t, 1, true);
	clock_id(t, 1);
	rec(t, CAIRN_STF_END_HEADER);
	xact(t, 1, 1);
}
HEAD(FORCE_PC_FIRST, h.no_pc = true;)
BREAK(FORCE_PC_HEADER)
{
	struct head h = plain;
	h.no_pc = true;
	header(t, h);
	force_pc(t, PC);
	mode(t, 3);
	insn(t, NOP);
	finish(t);
}
WITHIN(FORCE_PC_TWICE, force_pc(t, PC); force_pc(t, PC + 64);)
BREAK(PC_ODD)
{
	start(t);
	force_pc(t, PC + 1);
	insn(t, NOP);
}
WITHIN(TARGET_BRANCH, pc_target(t, t->pc + 4); insn(t, NOP);)
WITHIN(TARGET_XRET, pc_target(t, t->pc + 4); insn(t, MRET);)
WITHIN(TARGET_EXCEPTION, pc_target(t, t->pc + 8); event(t, 0, 1, t->pc + 8);
       event_target(t, t->pc + 4); insn(t, BEQ8);)
WITHIN(TARGET_UNTAKEN, pc_target(t, t->pc + 4); insn(t, BEQ8);)
WITHIN(TARGET_ADDRESS, pc_target(t, t->pc + 12); insn(t, BEQ8); t->pc += 8;)
WITHIN(TARGET_MISSING, insn(t, JAL8);)
WITHIN(TARGET_TWICE, pc_target(t, t->pc + 8); pc_target(t, t->pc + 8); insn(t, BEQ8); t->pc += 4;)
WITHIN(FLOW_XRET, insn(t, MRET);)
WITHIN(FLOW_EVENT, event(t, 0, 1, t->pc); insn(t, NOP);)
WITHIN(EVENT_TARGET, event_target(t, t->pc + 4); insn(t, NOP);)
BREAK(MODE_START)
{
	header(t, plain);
	insn(t, NOP);
	mode(t, 3);
	insn(t, NOP);
	finish(t);
}
WITHIN(MODE_VALUE, mode(t, 7); insn(t, NOP);)
#define TO_USER \
	insn(t, MRET); \
	force_pc(t, PC); \
	mode(t, 0); \
	insn(t, NOP);
WITHIN(MODE_FORCE_PC, TO_USER event(t, 13, 3, t->pc, U(LD), U(ADDR)); insn(t, LD); force_pc(t, PC);)
WITHIN(MODE_PRIVILEGED, TO_USER insn(t, MRET); force_pc(t, PC); mode(t, 0);)
WITHIN(MODE_CSR, TO_USER insn(t, CSRR_MSTATUS);)
WITHIN(MODE_CAUSE, mode(t, 0); insn(t, NOP);)
WITHIN(MODE_SAME, mode(t, 3); insn(t, NOP);)
WITHIN(EVENT_WIDTH, event(t, 0x123456789, 0); event_target(t, t->pc + 4); insn(t, NOP);)
WITHIN(EVENT_ID, event(t, 14, 0); event_target(t, t->pc + 4); insn(t, NOP);)
WITHIN(EVENT_FIELDS, event(t, INTERRUPT | 7, 0); event_target(t, t->pc + 4); insn(t, NOP);)
BREAK(EVENT_EXTENDED)
{
	struct head h = plain;
	h.iem = 1;
	h.features &= ~(uint64_t)CAIRN_STF_F_RV64;
	start_as(t, h);
	event(t, INTERRUPT | 7, 1, U(0xffffffff80000000));
	event_target(t, t->pc + 4);
	insn(t, NOP);
	finish(t);
}
WITHIN(EVENT_PC, event(t, 13, 3, t->pc + 4, U(LD), U(ADDR)); event_target(t, t->pc + 4);
       insn(t, LD);)
WITHIN(EVENT_ENCODING, event(t, 13, 3, t->pc, U(3), U(ADDR)); event_target(t, t->pc + 4);
       insn(t, LD);)
WITHIN(EVENT_IEM, event(t, 2, 3, t->pc, U(0), U(0x40)); event_target(t, t->pc + 4); insn(t, NOP);)
WITHIN(EVENT_NOOP, event(t, 2, 3, t->pc, U(0xffffffff), U(2)); event_target(t, t->pc + 4);
       insn(t, 0xffffffff);)
WITHIN(EVENT_INSN, event(t, 11, 1, U(1)); event_target(t, t->pc + 4); insn(t, NOP);)
WITHIN(EVENT_ECALL, event(t, 8, 1, U(1)); event_target(t, t->pc + 4); insn(t, ECALL);)
WITHIN(EVENT_MISSING, insn(t, ECALL); event(t, 11, 1, U(1)); event_target(t, t->pc + 4);
       insn(t, ECALL);)
WITHIN(INST_LENGTH, insn(t, 1);)
WITHIN(INST_ENCODING, insn16(t, 0);)
WITHIN(MEM_MISSING, insn(t, LD); load(t);)
WITHIN(MEM_UNEXPECTED, access(t, ADDR, 8, 1); content(t, 1); insn(t, NOP);)
WITHIN(MEM_FETCH, access(t, t->pc, 4, 1); content(t, NOP); insn(t, NOP);)
WITHIN(MEM_DIRECTION, access(t, ADDR, 8, 2); content(t, 1); insn(t, LD);)
WITHIN(MEM_SIZE, access(t, ADDR, 4, 1); content(t, 1); insn(t, LD);)
WITHIN(MEM_BITS, access(t, ADDR, 64, 1); content(t, 1); insn(t, LD);)
WITHIN(MEM_ORDER, access(t, ADDR + 4, 4, 1); content(t, 1); access(t, ADDR, 4, 1); content(t, 1);
       insn(t, LD);)
WITHIN(MEM_TYPE, access(t, ADDR, 8, 9); content(t, 1); insn(t, LD);)
WITHIN(MEM_ZERO, access(t, ADDR, 0, 1); insn(t, LD);)
WITHIN(CONTENT_MISSING, access(t, ADDR, 8, 1); insn(t, LD);)
WITHIN(CONTENT_ORPHAN, content(t, 1); insn(t, NOP);)
WITHIN(CONTENT_COUNT, access(t, ADDR, 8, 1); content(t, 1); content(t, 2); insn(t, LD);)
BREAK(CONTENT_WIDE)
{
	start_vector(t);
	access(t, ADDR, 16, 1);
	content(t, 1);
	insn(t, VLE8);
	finish(t);
}
WITHIN(CONTENT_JUSTIFIED, access(t, ADDR, 4, 1); content(t, U(1) << 32); insn(t, LW);)
WITHIN(BUS_TYPE, bus(t, 8, 3, 0); bus_content(t, 1);)
WITHIN(BUS_INITIATOR, bus(t, 8, 9, 1); bus_content(t, 1);)
WITHIN(BUS_NUMBERING, bus(t, 8, 0, 1); bus_content(t, 1);)
WITHIN(BUS_ZERO, bus(t, 0, 3, 1);)
WITHIN(BUS_CONTENT_MISSING, bus(t, 8, 3, 1);)
WITHIN(BUS_CONTENT_ORPHAN, bus_content(t, 1);)
WITHIN(BUS_CONTENT_COUNT, bus(t, 8, 3, 1); bus_content(t, 1); bus_content(t, 1);)
WITHIN(BUS_CONTENT_WIDE, bus(t, 16, 3, 1); bus_content(t, 1);)
WITHIN(BUS_CONTENT_JUSTIFIED, bus(t, 2, 3, 1); bus_content(t, 0x10000);)
BREAK(WALK_FIRST)
{
	start_pages(t);
	load(t);
	end_pages(t);
}
HEAD(WALK_REQUIRED, h.features |= CAIRN_STF_F_PTE;)
BREAK(WALK_ORDER)
{
	start_pages(t);
	walk(t, ADDR, t->insns, 4096, 3, LEAF);
	insn(t, NOP);
	access(t, ADDR, 8, 1);
	content(t, 1);
	walk(t, ADDR, t->insns, 4096, 3, LEAF);
	insn(t, LD);
}
/* A further walk with one thing wrong about it. */
#define WALKS(rule, ...) \
	BREAK(rule) \
	{ \
		start_pages(t); \
		walk(t, __VA_ARGS__); \
		insn(t, NOP); \
		end_pages(t); \
	}
WALKS(WALK_INDEX, ADDR, t->insns + 1, 4096, 3, LEAF)
BREAK(WALK_ACCESS)
{
	start_pages(t);
	walk(t, ADDR, t->insns, 4096, 3, LEAF);
	load(t); /* the first, number 1 */
	insn(t, NOP);
	insn(t, NOP);
	walk(t, ADDR, 2, 4096, 3, LEAF);
	insn(t, NOP);
	end_pages(t);
}
WALKS(WALK_CANONICAL, 0x4000000000, t->insns, 4096, 3, LEAF)
BREAK(WALK_TABLE)
{
	start_pages(t);
	walk(t, ADDR, t->insns, 4096, 3, LEAF);
	base_put_le64(t->p + t->n - 32, 0x81009000); /* the second PTE */
	insn(t, NOP);
	end_pages(t);
}
WALKS(WALK_SUPERPAGE, ADDR, t->insns, 0x200000, 2, LEAF | 1 << 10)
BREAK(WALK_WRITABLE)
{
	start_pages(t);
	walk(t, ADDR, t->insns, 4096, 3, LEAF & ~4u);
	load(t);
	for (unsigned i = 0; i < 2; i++) { /* the first of them is stopped */
		access(t, ADDR, 8, 2);
		content(t, 1);
		if (i == 0) {
			event(t, 15, 3, t->pc, U(SD), U(ADDR));
			event_target(t, t->pc);
			t->pc -= 4;
		}
		insn(t, SD);
	}
	end_pages(t);
}
WALKS(WALK_DEPTH, ADDR, t->insns, 4096, 2, LEAF)
WALKS(WALK_SIZE, ADDR, t->insns, 8192, 3, LEAF)
WALKS(WALK_LEAF, ADDR, t->insns, 4096, 3, 0x20400001)
BREAK(WALK_POINTER)
{
	start_pages(t);
	walk(t, ADDR, t->insns, 4096, 3, LEAF);
	base_put_le64(t->p + t->n - 40, LEAF); /* the first PTE */
	insn(t, NOP);
	end_pages(t);
}
BREAK(WALK_SPACE)
{
	struct head h = with(CAIRN_STF_F_PTE);
	h.features &= ~(uint64_t)CAIRN_STF_F_PROCESS_ID;
	h.no_process = true;
	header(t, h);
	mode(t, 1);
	insn(t, NOP);
	end_pages(t);
}
#define REGS(rule, number, meta) \
	BREAK(rule) \
	{ \
		start_as(t, with(CAIRN_STF_F_OPERAND_VALUE)); \
		reg(t, 1, 0x21); \
		reg(t, number, meta); \
		finish(t); \
	}
REGS(REG_TYPE, 1, 0x25)
REGS(REG_OPERAND, 1, 0x01)
REGS(REG_BITS, 1, 0x61)
REGS(REG_NUMBER, 40, 0x22)
REGS(REG_PC, 32, 0x21)
BREAK(REG_CONTRADICTION)
{
	start_as(t, with(CAIRN_STF_F_OPERAND_VALUE));
	reg_value(t, 1, 0x31, 1);
	insn(t, 0x00108093);
	reg_value(t, 1, 0x21, 2);
	insn(t, 0x00008113); /* mv x2, x1 */
	finish(t);
}
BREAK(REG_SOURCES)
{
	start_as(t, with(CAIRN_STF_F_OPERAND_VALUE));
	for (uint64_t x = 1; x < 5; x++) { /* addi x1, x1, 1 */
		reg_value(t, 1, 0x21, x);
		reg_value(t, 1, 0x31, x);
		insn(t, 0x00108093);
	}
	finish(t);
}
#define MICRO(rule, size, op) \
	BREAK(rule) \
	{ \
		start_as(t, with(CAIRN_STF_F_MICROOP)); \
		micro_op(t, size, op); \
		finish(t); \
	}
MICRO(MICRO_OP_SIZE, 3, 1)
MICRO(MICRO_OP_BITS, 2, 0x10000)
HEAD(MICRO_OP_REQUIRED, h.features |= CAIRN_STF_F_MICROOP;)
BREAK(PROCESS_MEANING)
{
	struct head h = plain;
	h.minor = 5;
	start_as(t, h);
	process(t, 0, 8, 8);
	finish(t);
}
#define XACTS(rule, ...) \
	BREAK(rule) \
	{ \
		start_xacts(t); \
		__VA_ARGS__ xact(t, 20, 1); \
	}
BREAK(XACT_ID)
{
	xact_header(t, 1, true);
	rec(t, CAIRN_STF_END_HEADER);
	xact(t, 0, 1);
	xact(t, 1, 1);
}
XACTS(XACT_UNIQUE, xact(t, 6, 1);)
XACTS(XACT_ORDER, xact(t, 12, 1); xact(t, 11, 1);)
XACTS(XACT_CLOCK, xact(t, 10, 3);)
BREAK(XACT_METADATA)
{
	start_xacts(t);
	rec(t, CAIRN_STF_TRANSACTION);
	num(t, 10, 8);
	num(t, 1, 8);
	num(t, 1, 1);
	num(t, 1, 2);
	num(t, 4, 1);
	num(t, 0, 8);
	num(t, 0, 8);
}
XACTS(DEP_EARLIER, depend(t, 11, 1); xact(t, 10, 1);)
XACTS(DEP_CUT, depend(t, 2, 1); xact(t, 10, 1);)
XACTS(DEP_CLOCK, depend(t, 6, 9); xact(t, 10, 1);)
BREAK(TL_CHANNEL)
{
	start_xacts(t);
	xact(t, 10, 1);
	t->p[t->n - 9] = 6;
}
XACTS(TL_CODE, xact_a(t, 8, 0, 0, 1, 1);)
XACTS(TL_OPCODE, xact_c(t, 3);)
XACTS(TL_CARRIES, xact_a(t, 4, 0, 0, 1, 1);)
XACTS(TL_ALIGNED, xact_a(t, 0, 0, 10, 1, 1);)
XACTS(TL_MASK_LENGTH, xact_a(t, 0, 0, 0, 1, 1); t->p[t->n - 3] = 3;)
XACTS(TL_PARAM, xact_a(t, 0, 8, 0, 1, 1);)
XACTS(TL_DATA, xact_a(t, 0, 0, 1, 3, 1);)
XACTS(TL_MASK, xact_a(t, 0, 0, 0, 1, 0x19);)

#define BROKEN(name, id, severity, clause, text) [STF_RULE_##name] = break_##name,
static void (*const mistakes[])(struct trace *trace) = {STF_RULES(BROKEN)};
#define NAMED(name, id, severity, clause, text) [STF_RULE_##name] = "stf." id,
static const char *const ids[] = {STF_RULES(NAMED)};

/* ---- checking ---- */

struct seen {
	char *text;
	size_t n;
	struct cairn_check_result res;
	bool chunks; /* print them */
	uint64_t size;
};

static int note(void *user, const struct cairn_finding *finding)
{
	struct seen *seen = user;
	size_t room = MOST - seen->n;
	if (finding->known & CAIRN_PLACE_OFFSET)
		assert_true(finding->offset <= seen->size);
	assert_true(finding->rule && finding->message && finding->message[0]);
	int n = snprintf(seen->text + seen->n, room, "%s %x %llu %llu %llu %s\n", finding->rule->id,
	                 finding->known & ~(uint32_t)CAIRN_PLACE_CHUNK,
	                 (unsigned long long)finding->offset, (unsigned long long)finding->record,
	                 (unsigned long long)finding->insn, finding->message);
	assert_true(n > 0 && (size_t)n < room);
	seen->n += (size_t)n;
	return 0;
}

/* The same bytes as a container: chunks end at the trace's cuts. */
static uint8_t *pack(const struct trace *trace, size_t *n)
{
	size_t room = 4096 + 2 * trace->n + 64 * (size_t)trace->cuts, at = 20, from = 0;
	uint8_t *z = malloc(room), *row;
	uint64_t off[MOST_CUTS + 1], size[MOST_CUTS + 1];
	assert_non_null(z);
	for (unsigned i = 0; i <= trace->cuts; i++) {
		size_t to = i < trace->cuts ? trace->cut[i] : trace->n;
		off[i] = at;
		size[i] = to - from;
		size_t got = ZSTD_compress(z + at, room - at, trace->p + from, to - from, 3);
		assert_false(ZSTD_isError(got));
		at += got;
		from = to;
	}
	memcpy(z, "ZSTF", 4);
	base_put_le64(z + 4, trace->per_chunk);
	base_put_le64(z + 12, at);
	base_put_le64(z + at, trace->cuts + 1);
	row = z + at + 8;
	for (unsigned i = 0; i <= trace->cuts; i++, row += 24) {
		base_put_le64(row, off[i]);
		base_put_le64(row + 8, i ? trace->cut_pc[i - 1] : 0);
		base_put_le64(row + 16, size[i] + (i == trace->cuts ? (uint64_t)trace->wrong_size : 0));
	}
	*n = (size_t)(row - z);
	return z;
}

static void check_bytes(const struct trace *trace, const uint8_t *p, size_t n, unsigned threads,
                        uint64_t most, struct seen *seen)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .from = trace->from, .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = most,
	                                .finding = note,
	                                .user = seen};
	struct cairn_reader *reader;
	seen->n = 0;
	seen->size = trace->n;
	if (!seen->text)
		seen->text = malloc(MOST);
	assert_non_null(seen->text);
	seen->text[0] = 0;
	if (cairn_open_memory(cairn, p, n, &open, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	seen->res.size = sizeof seen->res;
	if (cairn_check(reader, &opts, &seen->res) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	cairn_close(reader);
	cairn_free(cairn);
}

static void check_trace(const struct trace *trace, unsigned threads, uint64_t most,
                        struct seen *seen)
{
	if (!trace->per_chunk) {
		check_bytes(trace, trace->p, trace->n, threads, most, seen);
		return;
	}
	size_t n;
	uint8_t *z = pack(trace, &n);
	check_bytes(trace, z, n, threads, most, seen);
	free(z);
}

static struct trace new_trace(void)
{
	struct trace trace = {.p = malloc(MOST)};
	assert_non_null(trace.p);
	return trace;
}

static void is_clean(void (*make)(struct trace *trace))
{
	struct trace trace = new_trace();
	struct seen seen = {0};
	make(&trace);
	check_trace(&trace, 1, 0, &seen);
	if (seen.n)
		fail_msg("%s", seen.text);
	free(seen.text);
	free(trace.p);
}

/* ---- tests ---- */

static void clean_plain(struct trace *trace)
{
	start(trace);
	load(trace);
	access(trace, ADDR, 8, 2);
	content(trace, 1);
	insn(trace, SD);
	access(trace, ADDR, 8, 1);
	content(trace, 1);
	access(trace, ADDR, 8, 2);
	content(trace, 2);
	insn(trace, AMOADD);
	access(trace, 0x4ffe, 2, 1); /* an access in two parts */
	content(trace, 1);
	access(trace, 0x5000, 6, 1);
	content(trace, 1);
	insn(trace, LD);
	insn(trace, BEQ8);
	pc_target(trace, trace->pc + 8);
	insn(trace, BEQ8);
	trace->pc += 4;
	event(trace, 13, 3, trace->pc, U(LD), U(0x9000));
	event_target(trace, PC);
	insn(trace, LD);
	trace->pc = PC;
	insn(trace, MRET);
	force_pc(trace, 0x9000);
	mode(trace, 0);
	process(trace, 0, 2, 3);
	event(trace, 8, 1, U(64));
	insn(trace, ECALL);
	bus(trace, 16, 3, 1);
	bus_content(trace, 1);
	bus_content(trace, 1);
	finish(trace);
}

static void clean_lean(struct trace *trace)
{
	start(trace);
	insn(trace, LD); /* no accesses at all: none is missing */
	finish(trace);
}

static void clean_custom(struct trace *trace)
{
	start(trace);
	load(trace);
	access(trace, ADDR, 8, 1); /* the specification does not say what it does */
	content(trace, 1);
	insn(trace, CUSTOM);
	finish(trace);
}

static void clean_pages(struct trace *trace)
{
	start_pages(trace);
	end_pages(trace);
}

static void store(struct trace *trace)
{
	access(trace, ADDR, 8, 2);
	content(trace, 1);
	insn(trace, SD);
}

/* Of pages of several sizes the one that was walked last counts. */
static void remap(struct trace *trace, uint64_t small, uint64_t large)
{
	start_pages(trace);
	walk(trace, ADDR, trace->insns, 4096, 3, small);
	load(trace);
	walk(trace, ADDR, trace->insns, 0x200000, 2, large);
	store(trace);
	end_pages(trace);
}
static void clean_remapped(struct trace *trace)
{
	remap(trace, LEAF & ~4u, LEAF);
}

static void clean_vector(struct trace *trace)
{
	start_vector(trace);
	access(trace, ADDR, 16, 1);
	content(trace, 1);
	content(trace, 1);
	insn(trace, VLE8);
	insn(trace, VLE8); /* all elements masked off */
	finish(trace);
}

static void clean_transactions(struct trace *trace)
{
	start_xacts(trace);
	xact_a(trace, 1, 2, 0, 1, 5);
}

static void clean_old(struct trace *trace)
{
	struct head head = plain;
	head.minor = 3;
	start_as(trace, head);
	process(trace, 1, 2, 3);
	finish(trace);
	rec(trace, 255);
}

static void clean_extended(struct trace *trace)
{
	struct head head =
		with(CAIRN_STF_F_OPERAND_VALUE | CAIRN_STF_F_REG_STATE | CAIRN_STF_F_MICROOP);
	head.isa_extended = "rv64imafdc_zba";
	header(trace, head);
	reg(trace, 0x300, 0x14);
	reg(trace, 5, 0x21);
	pc_target(trace, trace->pc + 8);
	mode(trace, 3);
	micro_op(trace, 2, 0x1234);
	micro_op(trace, 4, 0x12345678);
	insn(trace, BEQ8);
	trace->pc += 4;
	comment(trace, "in between", 10);
	finish(trace);
}

/* Where a group begins anew, the first mode is its own and the second what follows. */
static void clean_two_modes(struct trace *trace)
{
	header(trace, plain);
	mode(trace, 1);
	mode(trace, 0);
	insn(trace, SRET);
	force_pc(trace, PC);
	event(trace, 8, 1, U(64));
	insn(trace, ECALL);
	force_pc(trace, PC + 64);
	mode(trace, 3);
	mode(trace, 0);
	insn(trace, MRET);
	force_pc(trace, PC);
	insn(trace, NOP);
}

/* Traps and returns within machine mode. */
static void clean_machine(struct trace *trace)
{
	start(trace);
	event(trace, INTERRUPT | 7, 1, U(0));
	event_target(trace, PC + 0x100);
	insn(trace, NOP);
	trace->pc = PC + 0x100;
	insn(trace, CSRR_MSTATUS);
	insn(trace, MRET);
	force_pc(trace, PC);
	event(trace, 13, 3, trace->pc, U(LD), U(ADDR));
	insn(trace, LD);
	force_pc(trace, PC + 0x200);
	insn(trace, MRET);
	force_pc(trace, PC);
	finish(trace);
}

/* Accesses and targets of what stands in for the instruction. */
static void clean_micro_ops(struct trace *trace)
{
	start_as(trace, with(CAIRN_STF_F_MICROOP));
	access(trace, ADDR, 8, 1);
	content(trace, 1);
	micro_op(trace, 4, LD);
	insn(trace, NOP);
	micro_op(trace, 4, NOP);
	insn(trace, SD);
	pc_target(trace, trace->pc + 8);
	micro_op(trace, 4, JAL8);
	insn(trace, NOP);
	trace->pc += 4;
	finish(trace);
}

/* An access that its page fault stops has no walk. */
static void clean_stopped(struct trace *trace)
{
	start_pages(trace);
	access(trace, 0x9000, 8, 1);
	content(trace, 0);
	event(trace, 13, 3, trace->pc, U(LD), U(0x9000));
	event_target(trace, PC);
	insn(trace, LD);
	trace->pc = PC;
	end_pages(trace);
}

static void clean_threads(struct trace *trace)
{
	start_as(trace, with(CAIRN_STF_F_MULTI_CORE | CAIRN_STF_F_MULTI_THREAD |
	                     CAIRN_STF_F_SYSTEMCALL_VALUE | CAIRN_STF_F_INT_DIV_OPERAND_VALUE));
	process(trace, 1, 7, 8);
	reg(trace, 1, 0x21);
	insn(trace, DIV);
	event(trace, 11, 1, U(64));
	insn(trace, ECALL);
	finish(trace);
}

static void clean_named(struct trace *trace)
{
	struct head head = plain;
	head.isa_extended = "rv64gc_zbb";
	start_as(trace, head);
	insn(trace, ANDN);
	insn(trace, DIV);
	insn(trace, CSRR_MSTATUS);
	finish(trace);
}

static void a_clean_trace_breaks_no_rule(void **state)
{
	(void)state;
	is_clean(clean_plain);
	is_clean(clean_lean);
	is_clean(clean_custom);
	is_clean(clean_pages);
	is_clean(clean_vector);
	is_clean(clean_transactions);
	is_clean(clean_old);
	is_clean(clean_extended);
	is_clean(clean_two_modes);
	is_clean(clean_machine);
	is_clean(clean_micro_ops);
	is_clean(clean_stopped);
	is_clean(clean_threads);
	is_clean(clean_named);
}

/* What was found in a trace of one's own. */
static unsigned found(void (*make)(struct trace *trace), unsigned rule)
{
	struct trace trace = new_trace();
	struct seen seen = {0};
	make(&trace);
	check_trace(&trace, 1, 0, &seen);
	unsigned n = (unsigned)seen.res.by_rule[rule];
	for (unsigned i = 0; i < STF_RULE_COUNT; i++)
		if (i != rule && seen.res.by_rule[i])
			fail_msg("not only %s:\n%s", ids[rule], seen.text);
	free(seen.text);
	free(trace.p);
	return n;
}

static void wide_encoding(struct trace *trace)
{
	start(trace);
	event(trace, 13, 3, trace->pc, U(0xffffffff00000000) | LD, U(ADDR));
	event_target(trace, trace->pc + 4);
	insn(trace, LD);
	finish(trace);
}

static void wide_mode_of_encoding(struct trace *trace)
{
	start(trace);
	event(trace, 2, 3, trace->pc, U(0), U(0x10002));
	event_target(trace, trace->pc + 4);
	insn(trace, NOP);
	finish(trace);
}

static void metadata_of_rv64_is_extended_by_zeros(void **state)
{
	(void)state;
	assert_int_equal(found(wide_encoding, STF_RULE_EVENT_EXTENDED), 1);
	struct trace trace = new_trace();
	struct seen seen = {0};
	wide_mode_of_encoding(&trace);
	check_trace(&trace, 1, 0, &seen);
	assert_int_equal(seen.res.by_rule[STF_RULE_EVENT_EXTENDED], 1);
	free(seen.text);
	free(trace.p);
}

static void protocol_astray(struct trace *trace)
{
	struct head head = plain;
	begin_header(trace, &head);
	isa(trace, 1);
	iem(trace, 2);
	end_header(trace, &head);
	process(trace, 0, 7, 7);
	force_pc(trace, PC);
	rec(trace, CAIRN_STF_PROTOCOL_ID);
	num(trace, 1, 1);
	rec(trace, CAIRN_STF_END_HEADER);
	mode(trace, 3);
	insn(trace, NOP);
	finish(trace);
}

static void a_protocol_among_instructions_is_one_finding(void **state)
{
	(void)state;
	assert_int_equal(found(protocol_astray, STF_RULE_KIND_INSNS), 1);
}

/* Instructions among transactions are astray; where they are as many, the trace is not empty. */
static void as_many_instructions_make_no_trace_empty(void **state)
{
	(void)state;
	struct trace trace = new_trace();
	struct seen seen = {0};
	start_xacts(&trace);
	insn(&trace, NOP);
	insn(&trace, NOP);
	check_trace(&trace, 1, 0, &seen);
	assert_int_equal(seen.res.by_rule[STF_RULE_KIND_XACTS], 2);
	assert_int_equal(seen.res.by_rule[STF_RULE_TRACE_EMPTY], 0);
	free(seen.text);
	free(trace.p);
}

/* From user mode with an EVENT_PC_TARGET, and no mode of the handler. */
static void silent_trap(struct trace *t)
{
	start(t);
	TO_USER
	event(t, 13, 3, t->pc, U(LD), U(ADDR));
	event_target(t, PC);
	insn(t, LD);
	t->pc = PC;
	finish(t);
}

static void supervisor_mret(struct trace *trace)
{
	start(trace);
	insn(trace, MRET);
	force_pc(trace, PC);
	mode(trace, 1);
	insn(trace, MRET);
	force_pc(trace, PC);
	mode(trace, 0);
	finish(trace);
}

static void silent_rise(struct trace *t)
{
	start(t);
	TO_USER
	mode(t, 3);
	finish(t);
}

static void sret_of_machine(struct trace *trace)
{
	start(trace);
	insn(trace, SRET);
	force_pc(trace, PC);
	finish(trace);
}

static void modes_change_where_something_changes_them(void **state)
{
	(void)state;
	assert_int_equal(found(silent_trap, STF_RULE_MODE_PRIVILEGED), 1);
	assert_int_equal(found(supervisor_mret, STF_RULE_MODE_PRIVILEGED), 1);
	assert_int_equal(found(silent_rise, STF_RULE_MODE_CAUSE), 1);
	assert_int_equal(found(sret_of_machine, STF_RULE_MODE_FORCE_PC), 1);
}

static void remapped_read_only(struct trace *trace)
{
	remap(trace, LEAF, LEAF & ~4u);
}

static void the_page_walked_last_counts(void **state)
{
	(void)state;
	is_clean(clean_remapped);
	assert_int_equal(found(remapped_read_only, STF_RULE_WALK_WRITABLE), 1);
}

/* A page of 2 MiB that instruction 1 uses first, walked again with that index, or a later one. */
static void walk_large_again(struct trace *trace, uint64_t index)
{
	start_pages(trace);
	walk(trace, ADDR, trace->insns, 0x200000, 2, LEAF);
	load(trace);
	insn(trace, NOP);
	insn(trace, NOP);
	walk(trace, ADDR, index, 0x200000, 2, LEAF);
	insn(trace, NOP);
	end_pages(trace);
}
static void large_first_used(struct trace *trace)
{
	walk_large_again(trace, 1);
}
static void large_used_later(struct trace *trace)
{
	walk_large_again(trace, 2);
}

static void the_index_of_a_large_page_is_judged(void **state)
{
	(void)state;
	is_clean(large_first_used);
	assert_int_equal(found(large_used_later, STF_RULE_WALK_ACCESS), 1);
}

/* A header of transactions without PROTOCOL_ID lacks that, and nothing else. */
static void lacks_protocol(struct trace *trace)
{
	struct head head = plain;
	head.features = CAIRN_STF_F_TRANSACTIONS;
	begin_header(trace, &head);
	end_header(trace, &head);
	clock_id(trace, 1);
	rec(trace, CAIRN_STF_END_HEADER);
	xact(trace, 1, 1);
}

static void a_protocol_that_transactions_lack_is_one_finding(void **state)
{
	(void)state;
	assert_int_equal(found(lacks_protocol, STF_RULE_PROTOCOL_PRESENT), 1);
}

/* Without vectors, vector instructions are illegal. */
static void illegal_vector(struct trace *trace)
{
	start_as(trace, with(CAIRN_STF_F_EVENT));
	event(trace, 2, 3, trace->pc, U(VADD), U(2));
	event_target(trace, trace->pc + 4);
	insn(trace, VADD);
	finish(trace);
}

static void an_illegal_instruction_is_none_of_its_kind(void **state)
{
	(void)state;
	assert_int_equal(found(illegal_vector, STF_RULE_EVENT_NOOP), 1);
}

static void with_feature(struct trace *trace, uint64_t feature)
{
	start_as(trace, with(feature));
	finish(trace);
}
#define FEATURED(name, feature) \
	static void name(struct trace *t) \
	{ \
		with_feature(t, feature); \
	}
FEATURED(declares_threads, CAIRN_STF_F_MULTI_THREAD)
FEATURED(declares_cores, CAIRN_STF_F_MULTI_CORE)
FEATURED(declares_calls, CAIRN_STF_F_SYSTEMCALL_VALUE)
FEATURED(declares_divisions, CAIRN_STF_F_INT_DIV_OPERAND_VALUE)

static void second_thread(struct trace *trace)
{
	start(trace);
	process(trace, 0, 7, 8);
	finish(trace);
}

static void second_core(struct trace *trace)
{
	start(trace);
	process(trace, 1, 8, 8);
	finish(trace);
}

static void other_operand(struct trace *trace)
{
	start_as(trace, with(CAIRN_STF_F_INT_DIV_OPERAND_VALUE));
	reg(trace, 1, 0x21);
	insn(trace, DIV);
	reg(trace, 1, 0x21);
	finish(trace);
}

static void features_of_threads_calls_and_divisions_are_judged(void **state)
{
	(void)state;
	assert_int_equal(found(declares_threads, STF_RULE_FEATURE_UNSEEN), 1);
	assert_int_equal(found(declares_cores, STF_RULE_FEATURE_UNSEEN), 1);
	assert_int_equal(found(declares_calls, STF_RULE_FEATURE_UNSEEN), 1);
	assert_int_equal(found(declares_divisions, STF_RULE_FEATURE_UNSEEN), 1);
	assert_int_equal(found(second_thread, STF_RULE_FEATURE_UNDECLARED), 1);
	assert_int_equal(found(second_core, STF_RULE_FEATURE_UNDECLARED), 1);
	assert_int_equal(found(other_operand, STF_RULE_FEATURE_UNDECLARED), 1);
}

/* Offsets of the records behind the header. */
static size_t body_records(const struct trace *trace, size_t *at, size_t most)
{
	struct cairn_stf_config cfg = {.isa = 1,
	                               .iem = 2,
	                               .event_bits = 64,
	                               .vlen = 128,
	                               .version_major = 1,
	                               .version_minor = 6,
	                               .protocol = 1};
	size_t n = 0;
	bool body = false;
	for (size_t p = 0; p < trace->n;) {
		if (body && n < most)
			at[n++] = p;
		body |= trace->p[p] == CAIRN_STF_END_HEADER;
		int64_t len = cairn_stf_record_length(&cfg, trace->p + p, trace->n - p);
		assert_true(len > 0);
		p += (size_t)len;
	}
	return n;
}

/* A record that may stand anywhere, in front of each record of a clean trace in turn. Between an
 * access and its content only a comment may. */
static void judge_inserted(void (*make)(struct trace *trace), unsigned type)
{
	struct trace trace = new_trace(), with_one = new_trace();
	struct seen seen = {0};
	size_t at[256];
	make(&trace);
	size_t n = body_records(&trace, at, 256);
	assert_true(n > 3);
	for (size_t i = 0; i < n; i++) {
		with_one.n = 0;
		bytes(&with_one, trace.p, at[i]);
		if (type == CAIRN_STF_COMMENT)
			comment(&with_one, "x", 1);
		else
			process(&with_one, 0, 7, 7);
		bytes(&with_one, trace.p + at[i], trace.n - at[i]);
		check_trace(&with_one, 1, 0, &seen);
		bool opened = i && stf_type(trace.p[at[i - 1]])->flags & STF_OPENS;
		if (type != CAIRN_STF_COMMENT && opened) {
			assert_int_equal(seen.res.by_rule[STF_RULE_GROUP_ORDER], 1);
			continue;
		}
		for (unsigned rule = 0; rule < STF_RULE_COUNT; rule++)
			if (seen.res.by_rule[rule])
				fail_msg("record %u at 0x%zx:\n%s", type, at[i], seen.text);
	}
	free(seen.text);
	free(trace.p);
	free(with_one.p);
}

static void what_may_stand_anywhere_is_never_out_of_order(void **state)
{
	(void)state;
	static void (*const makes[])(struct trace * trace) = {
		clean_plain,     clean_pages,     clean_vector,  clean_extended,
		clean_two_modes, clean_micro_ops, clean_machine, clean_stopped};
	for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
		judge_inserted(makes[i], CAIRN_STF_COMMENT);
		judge_inserted(makes[i], CAIRN_STF_PROCESS_ID_EXT);
	}
	judge_inserted(clean_transactions, CAIRN_STF_COMMENT);
}

/* ---- the grammar of order: what the writer refuses, `check` finds, and nothing else ---- */

static void put_some(struct trace *trace, unsigned type)
{
	static const unsigned targets[] = {CAIRN_STF_INST_PC_TARGET, CAIRN_STF_EVENT_PC_TARGET};
	switch (type) {
	case CAIRN_STF_COMMENT:
		comment(trace, "x", 1);
		break;
	case CAIRN_STF_INST_IEM:
		iem(trace, 2);
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		process(trace, 0, 7, 7);
		break;
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_EVENT_PC_TARGET:
		target(trace, targets[type != CAIRN_STF_INST_PC_TARGET], PC);
		break;
	case CAIRN_STF_INST_REG:
		reg(trace, 1, 0x21);
		break;
	case CAIRN_STF_INST_READY_REG:
		rec(trace, type);
		num(trace, 1, 2);
		break;
	case CAIRN_STF_PAGE_TABLE_WALK:
		walk(trace, ADDR, 0, 4096, 3, LEAF);
		break;
	case CAIRN_STF_INST_MEM_ACCESS:
		access(trace, ADDR, 8, 1);
		break;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		bus(trace, 8, 1, 1);
		break;
	case CAIRN_STF_EVENT:
		event(trace, 13, 3, trace->pc, U(LD), U(ADDR));
		break;
	case CAIRN_STF_INST_MICROOP:
		micro_op(trace, 4, NOP);
		break;
	case CAIRN_STF_INST_32:
		insn(trace, NOP);
		break;
	case CAIRN_STF_INST_16:
		insn16(trace, 1);
		break;
	case CAIRN_STF_RESERVED_END:
		rec(trace, type);
		break;
	default: /* FORCE_PC and contents */
		rec(trace, type);
		num(trace, type == CAIRN_STF_FORCE_PC ? trace->pc : 1, 8);
		break;
	}
}

/* Records behind a header, the last of them on trial: does the writer refuse it? */
static bool refused(const struct trace *trace, const size_t *at, size_t n)
{
	const struct cairn_stf_config cfg = {.isa = 1, .iem = 2, .event_bits = 64};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_stf_writer *writer;
	int rc = 0;
	assert_int_equal(cairn_stf_create(cairn, "/dev/null", NULL, &writer), 0);
	assert_int_equal(cairn_stf_put_header(writer, &cfg, 1, NULL, "", NULL, 0, 0, NULL), 0);
	for (size_t i = 0; i + 1 < n; i++) {
		assert_int_equal(rc, 0);
		rc = cairn_stf_put_record(writer, trace->p + at[i], at[i + 1] - at[i]);
	}
	assert_true(rc == 0 || rc == CAIRN_E_STATE);
	cairn_stf_abort(writer);
	cairn_free(cairn);
	return rc < 0;
}

/* `types` end with 0. Does `check` find their order wrong, in a trace that goes on well? */
static bool found_wrong(const uint8_t *types, size_t n)
{
	static const unsigned rules[] = {STF_RULE_GROUP_ORDER,        STF_RULE_WALK_ORDER,
	                                 STF_RULE_CONTENT_MISSING,    STF_RULE_CONTENT_ORPHAN,
	                                 STF_RULE_EVENT_TARGET,       STF_RULE_BUS_CONTENT_MISSING,
	                                 STF_RULE_BUS_CONTENT_ORPHAN, STF_RULE_END_LAST};
	struct trace trace = new_trace();
	struct seen seen = {0};
	uint8_t last = types[n - 1], open = last;
	uint64_t count = 0;
	start(&trace);
	for (size_t i = 0; i < n; i++)
		put_some(&trace, types[i]);
	for (size_t i = n; i-- > 0 && stf_type(open)->flags & STF_FREE;)
		open = types[i];
	if (stf_type(open)->flags & STF_OPENS)
		put_some(&trace, open + 1u);
	if (last != CAIRN_STF_RESERVED_END)
		finish(&trace);
	check_trace(&trace, 1, 0, &seen);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		count += seen.res.by_rule[rules[i]];
	free(seen.text);
	free(trace.p);
	return count != 0;
}

/* *taken, unless NULL: the writer takes the last one. */
static bool judged_alike_and(const uint8_t *types, size_t n, bool *taken)
{
	struct trace trace = new_trace();
	size_t at[8] = {0};
	for (size_t i = 0; i < n; i++) {
		put_some(&trace, types[i]);
		at[i + 1] = trace.n;
	}
	bool writer = refused(&trace, at, n + 1), checker = found_wrong(types, n);
	free(trace.p);
	if (writer != checker)
		print_error("%s behind %s: the writer %s it, check finds %s\n",
		            stf_type(types[n - 1])->name, stf_type(types[n - 2])->name,
		            writer ? "refuses" : "takes", checker ? "something" : "nothing");
	if (taken)
		*taken = !writer;
	return writer == checker;
}

static bool judged_alike(const uint8_t *types, size_t n)
{
	return judged_alike_and(types, n, NULL);
}

static void check_finds_what_the_writer_refuses(void **state)
{
	(void)state;
	unsigned wrong = 0, pairs = 0;
	for (unsigned a = 1; a < 256; a++)
		for (unsigned b = 1; b < 256; b++) {
			const struct stf_type *before = stf_type(a), *type = stf_type(b);
			if (!before || !type || !(before->flags & type->flags & STF_BODY) ||
			    (before->flags | type->flags) & STF_XACT_ONLY)
				continue;
			uint8_t types[] = {(uint8_t)(a - 1), (uint8_t)a, (uint8_t)b};
			bool led = before->flags & STF_BOUND;
			wrong += !judged_alike(types + !led, led ? 3 : 2);
			pairs++;
		}
	assert_int_equal(pairs, 18 * 18);
	wrong += !judged_alike((const uint8_t[]){100, 100, 101, 101}, 4);
	wrong += !judged_alike((const uint8_t[]){60, 3, 61, 40}, 4);
	assert_int_equal(wrong, 0);
}

/* Groups of up to seven records: one that was refused is left out, and another one is tried. */
static void longer_groups_are_judged_alike(void **state)
{
	(void)state;
	uint32_t draw = 1;
	unsigned wrong = 0, walks = 0;
	for (unsigned i = 0; i < 400; i++) {
		uint8_t types[7];
		size_t n = 0;
		for (unsigned k = 0; k < 12 && n < 7; k++) {
			do {
				draw = draw * 1664525 + 1013904223;
				types[n] = (uint8_t)(draw >> 24);
			} while (!types[n] || !stf_type(types[n]) || !(stf_type(types[n])->flags & STF_BODY) ||
			         stf_type(types[n])->flags & (STF_XACT_ONLY | STF_MARKER) ||
			         types[n] == CAIRN_STF_RESERVED_END);
			bool taken;
			wrong += !judged_alike_and(types, n + 1, &taken);
			walks += taken && types[n] == CAIRN_STF_PAGE_TABLE_WALK;
			n += taken;
		}
	}
	assert_true(walks > 50);
	assert_int_equal(wrong, 0);
}

/* One thing is wrong, and only its rule says so. */
static bool break_one(unsigned rule)
{
	bool good = true;
	struct trace trace = new_trace();
	struct seen seen = {0};
	mistakes[rule](&trace);
	check_trace(&trace, 1, 0, &seen);
	/* No page walk where none can be trusted, and no ids: both are notes of the same. */
	if (rule == STF_RULE_WALK_SPACE)
		seen.res.by_rule[STF_RULE_HEADER_PROCESS_ID] = 0;
	for (unsigned i = 0; i < STF_RULE_COUNT; i++) {
		if (i == rule && !seen.res.by_rule[i])
			good = false;
		if (i != rule && seen.res.by_rule[i])
			good = false;
	}
	if (!good)
		print_error("%s was to fire, and no other; these do:\n%s", ids[rule], seen.text);
	free(seen.text);
	free(trace.p);
	return good;
}

static void every_rule_fires_alone(void **state)
{
	(void)state;
	unsigned wrong = 0;
	for (unsigned i = 0; i < STF_RULE_COUNT; i++) {
		assert_non_null(mistakes[i]);
		wrong += !break_one(i);
	}
	assert_int_equal(wrong, 0);
}

/* A long trace with mistakes of many kinds, cut into many chunks as a container. */
static void make_long(struct trace *trace)
{
	enum { CHUNK = 4096, ROUNDS = 16000 };
	struct head head = with(CAIRN_STF_F_PTE);
	trace->per_chunk = CHUNK;
	header(trace, head);
	mode(trace, 1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t at = 0x10000 + 0x1000 * (uint64_t)(i / 16);
		if (i % 32 == 0)
			walk(trace, at, trace->insns, 4096, 3, LEAF);
		access(trace, at, i % 100 ? 8 : 4, 1);
		content(trace, i);
		insn(trace, LD);
		if (i % 777 == 0)
			insn(trace, MRET);
		else if (i % 333 == 0)
			insn(trace, LD);
		else
			insn(trace, i % 50 ? NOP : JAL8);
		if (trace->insns % CHUNK == 0 && trace->cuts < MOST_CUTS)
			cut_here(trace);
	}
	comment(trace, "late", 4);
}

static void findings_do_not_depend_on_threads_or_packing(void **state)
{
	(void)state;
	static const uint64_t most[] = {0, 7, UINT64_MAX};
	struct trace trace = new_trace(), raw;
	make_long(&trace);
	assert_true(trace.cuts > 4);
	raw = trace;
	raw.per_chunk = 0;
	for (unsigned m = 0; m < 3; m++) {
		struct seen one = {0}, more = {0};
		check_trace(&raw, 1, most[m], &one);
		assert_true(one.res.by_rule[STF_RULE_FLOW_XRET] > 10);
		assert_true(one.res.by_rule[STF_RULE_WALK_FIRST] > 100);
		assert_true(one.res.by_rule[STF_RULE_TRACE_TRAILING] == 1);
		for (unsigned threads = 1; threads <= 4; threads++) {
			check_trace(&raw, threads, most[m], &more);
			assert_string_equal(one.text, more.text);
			check_trace(&trace, threads, most[m], &more);
			assert_memory_equal(one.res.by_rule, more.res.by_rule, sizeof one.res.by_rule);
			if (most[m] != UINT64_MAX) /* without a limit they come by span */
				assert_string_equal(one.text, more.text);
			else
				assert_int_equal(one.n, more.n);
		}
		free(one.text);
		free(more.text);
	}
	free(trace.p);
}

/* Cut off before the first transaction and between two: ids below the transaction's own. */
static void a_dependency_cut_off_is_a_note(void **state)
{
	(void)state;
	struct trace trace = new_trace();
	struct seen seen = {0};
	xact_header(&trace, 1, true);
	rec(&trace, CAIRN_STF_END_HEADER);
	depend(&trace, 3, 1);
	depend(&trace, 2, 1);
	xact(&trace, 4, 1);
	depend(&trace, 4, 1);
	depend(&trace, 6, 1);
	xact(&trace, 7, 1);
	depend(&trace, 9, 1);
	xact(&trace, 8, 1);
	check_trace(&trace, 1, 0, &seen);
	assert_int_equal(seen.res.by_rule[STF_RULE_DEP_CUT], 3);
	assert_int_equal(seen.res.by_rule[STF_RULE_DEP_EARLIER], 1);
	free(seen.text);
	free(trace.p);
}

static void all_findings_are_counted_and_the_first_kept(void **state)
{
	(void)state;
	struct trace trace = new_trace();
	struct seen seen = {0};
	start(&trace);
	for (unsigned i = 0; i < 500; i++)
		insn(&trace, JAL8);
	check_trace(&trace, 2, 0, &seen);
	size_t lines = 0;
	for (const char *p = seen.text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 100);
	assert_int_equal(seen.res.errors, 500);
	assert_int_equal(seen.res.by_rule[STF_RULE_TARGET_MISSING], 500);
	free(seen.text);
	free(trace.p);
}

static void a_missing_access_is_held_until_one_is_seen(void **state)
{
	(void)state;
	struct trace trace = new_trace();
	struct seen seen = {0};
	start(&trace);
	for (unsigned i = 0; i < 1000; i++)
		insn(&trace, LD);
	load(&trace);
	check_trace(&trace, 2, 0, &seen);
	assert_int_equal(seen.res.by_rule[STF_RULE_MEM_MISSING], 1000);
	free(seen.text);
	free(trace.p);
}

static void a_place_is_the_place(void **state)
{
	(void)state;
	struct trace trace = new_trace();
	struct seen seen = {0};
	start(&trace);
	size_t off = trace.n;
	insn(&trace, JAL8);
	check_trace(&trace, 1, 0, &seen);
	const char *line = strstr(seen.text, "stf.pc-target.missing");
	assert_non_null(line);
	unsigned known;
	unsigned long long offset, record, number;
	assert_int_equal(sscanf(line, "%*s %x %llu %llu %llu", &known, &offset, &record, &number), 4);
	assert_int_equal(offset, off);
	assert_int_equal(record, 13);
	assert_int_equal(number, 2);
	free(seen.text);
	free(trace.p);
}

/* SEED=FOLDER leaves the mistakes there as seeds of fuzz_check. */
static void write_seeds(const char *folder)
{
	for (unsigned i = 0; i < STF_RULE_COUNT; i++) {
		char path[512];
		struct trace trace = new_trace();
		mistakes[i](&trace);
		snprintf(path, sizeof path, "%s/%s", folder, ids[i] + 4);
		FILE *f = fopen(path, "wb");
		assert_non_null(f);
		fputc(trace.per_chunk ? 1 : trace.from ? 2 : 0, f);
		assert_int_equal(fwrite(trace.p, 1, trace.n, f), trace.n);
		fclose(f);
		free(trace.p);
	}
}

/* ---- the page of the rules ---- */

static const char page_head[] =
	"# The rules of STF\n\n"
	"What `cairn check` judges an STF trace by. This page is made from the rule table\n"
	"(`UPDATE=1 build/tests/unit/test_stf_rules` rewrites it).\n\n"
	"An **error** is what the specification forbids; a **warning** what is probably not\n"
	"meant; a **note** what the specification asks for and practice does otherwise. In the\n"
	"clauses, 1.3 is STF Specification 1.3, 1.x the later draft, 1.4 to 1.6 what these\n"
	"versions added, practice what the public library and real traces do.\n\n";

static void the_page_of_rules_is_true(void **state)
{
	(void)state;
	rules_page("STF", page_head, RULES_PAGE);
}

static void names_of_rules_are_their_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < STF_RULE_COUNT; i++)
		for (unsigned k = i + 1; k < STF_RULE_COUNT; k++)
			assert_string_not_equal(ids[i], ids[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_trace_breaks_no_rule),
		cmocka_unit_test(every_rule_fires_alone),
		cmocka_unit_test(metadata_of_rv64_is_extended_by_zeros),
		cmocka_unit_test(a_protocol_among_instructions_is_one_finding),
		cmocka_unit_test(as_many_instructions_make_no_trace_empty),
		cmocka_unit_test(modes_change_where_something_changes_them),
		cmocka_unit_test(the_page_walked_last_counts),
		cmocka_unit_test(the_index_of_a_large_page_is_judged),
		cmocka_unit_test(a_protocol_that_transactions_lack_is_one_finding),
		cmocka_unit_test(an_illegal_instruction_is_none_of_its_kind),
		cmocka_unit_test(features_of_threads_calls_and_divisions_are_judged),
		cmocka_unit_test(what_may_stand_anywhere_is_never_out_of_order),
		cmocka_unit_test(longer_groups_are_judged_alike),
		cmocka_unit_test(check_finds_what_the_writer_refuses),
		cmocka_unit_test(findings_do_not_depend_on_threads_or_packing),
		cmocka_unit_test(a_dependency_cut_off_is_a_note),
		cmocka_unit_test(all_findings_are_counted_and_the_first_kept),
		cmocka_unit_test(a_missing_access_is_held_until_one_is_seen),
		cmocka_unit_test(a_place_is_the_place),
		cmocka_unit_test(the_page_of_rules_is_true),
		cmocka_unit_test(names_of_rules_are_their_own),
	};
	if (getenv("SEED"))
		write_seeds(getenv("SEED"));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
