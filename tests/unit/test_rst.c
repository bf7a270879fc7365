/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading RST: records made by hand, and what they become. A trace is built record
 * by record with the encoder of the table; rows are looked at where the
 * specification (RST 0.1.1) says something about sequences.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixtures/fixtures.h"
#include "formats/rst/rst.h"

enum { SIZE = CAIRN_RST_SIZE };
enum {
	NOP = 0x01000000,
	BA = 0x10800004,
	BA_A = 0x30800004,
	BE_A = 0x22800004,
	LDX = 0xc25a2008,
	STX = 0xc2722008,
	CASX = 0xc3f01002,
	RETRY = 0x83f00000,
	TA = 0x91d0206d,
	CALL = 0x40000004,
	JMP = 0x81c04000
};

/* ---- making traces ---- */

struct trace {
	struct cairn *cairn;
	struct cairn_batch *batch;
	uint8_t data[1 << 18];
	size_t n;
	struct cairn_rst_config cfg;
};

static struct cairn_field num(const char *name, uint64_t value)
{
	return (struct cairn_field){.name = name, .value = value, .kind = CAIRN_FIELD_HEX};
}

static void put(struct trace *trace, unsigned type, const struct cairn_field *field, unsigned n)
{
	assert_true(trace->n + SIZE <= sizeof trace->data);
	assert_int_equal(cairn_rst_encode(&trace->cfg, type, field, n, trace->data + trace->n), 0);
	trace->n += SIZE;
}
#define PUT(t, type, ...) \
	do { \
		const struct cairn_field f_[] = {__VA_ARGS__}; \
		put(t, CAIRN_RST_##type, f_, sizeof f_ / sizeof *f_); \
	} while (0)

static void header(struct trace *trace)
{
	struct cairn_field field[] = {
		num("major", trace->cfg.version_major),
		num("minor", trace->cfg.version_minor),
		{.name = "percent", .text = "%", .len = 1, .kind = CAIRN_FIELD_TEXT},
		{.name = "magic", .text = "RST Header v2.13", .len = 16, .kind = CAIRN_FIELD_TEXT}};
	put(trace, CAIRN_RST_RSTHEADER, field, 4);
}

enum { EA = 1, TR = 2, PR = 4, BT = 8, AN = 16, HPRIV = 32 };

static void instr(struct trace *trace, unsigned cpu, uint64_t pc, uint32_t enc, unsigned bits,
                  uint64_t ea)
{
	PUT(trace, INSTR, num("cpuid", cpu), num("pc_va", pc), num("instr", enc), num("ea_va", ea),
	    num("ea_valid", (bits & EA) != 0), num("tr", (bits & TR) != 0), num("pr", (bits & PR) != 0),
	    num("bt", (bits & BT) != 0), num("an", (bits & AN) != 0),
	    num("hpriv", (bits & HPRIV) != 0));
}

static void trap(struct trace *trace, unsigned cpu, bool async, unsigned tt, uint64_t pc,
                 uint64_t npc)
{
	PUT(trace, TRAP, num("cpuid", cpu), num("async", async), num("ttype", tt), num("pstate", 0x12),
	    num("pc", pc), num("npc", npc));
}

static void pavadiff(struct trace *trace, unsigned cpu, unsigned ctx, uint64_t diff, bool ea,
                     uint64_t ea_diff)
{
	PUT(trace, PAVADIFF, num("cpuid", cpu), num("icontext", ctx), num("pc_pa_va", diff),
	    num("ea_valid", ea), num("ea_pa_va", ea_diff));
}

static void regval(struct trace *trace, unsigned cpu, bool post, unsigned type, unsigned id,
                   uint64_t value)
{
	PUT(trace, REGVAL, num("cpuid", cpu), num("post", post), num("regtype0", type),
	    num("regid0", id), num("value0", value), num("regtype1", RST_R_UNUSED));
}

static void string(struct trace *trace, unsigned type, const char *text)
{
	struct cairn_field field = {.name = "text",
	                            .text = text,
	                            .len = (uint32_t)strlen(text),
	                            .kind = CAIRN_FIELD_TEXT};
	put(trace, type, &field, 1);
}

/* ---- looking at them ---- */

static struct cairn_reader *reopen(struct trace *trace, const char *from)
{
	struct cairn_reader *reader;
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	if (cairn_open_memory(trace->cairn, trace->data, trace->n, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(trace->cairn));
	return reader;
}

/* All of a small trace is one batch. */
static const struct cairn_batch *only_batch(struct trace *trace)
{
	struct cairn_reader *reader = reopen(trace, NULL);
	assert_int_equal(cairn_next(reader, trace->batch), 1);
	const char *why = check_batch(trace->batch);
	if (why)
		fail_msg("%s", why);
	cairn_close(reader);
	return trace->batch;
}

static int setup(void **state)
{
	struct trace *trace = calloc(1, sizeof *trace);
	assert_non_null(trace);
	trace->cairn = cairn_new(NULL);
	trace->batch = cairn_batch_new(trace->cairn);
	trace->cfg = (struct cairn_rst_config){2, 13};
	header(trace);
	*state = trace;
	return 0;
}

static int teardown(void **state)
{
	struct trace *trace = *state;
	cairn_batch_free(trace->cairn, trace->batch);
	cairn_free(trace->cairn);
	free(trace);
	return 0;
}

/* ---- instructions ---- */

static void privilege_context_and_place_are_an_instruction_s(void **state)
{
	struct trace *trace = *state;
	pavadiff(trace, 5, 0x2a5, 0x1000, false, 0);
	instr(trace, 5, 0x10000, NOP, 0, 0);
	instr(trace, 5, 0x10004, NOP, PR, 0);
	instr(trace, 1023, 0x20000, NOP, HPRIV, 0);
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->n_insns, 3);
	const struct cairn_ctx *ctx[3];
	for (int i = 0; i < 3; i++)
		ctx[i] = &batch->ctxs[batch->insns[i].ctx];
	assert_int_equal(ctx[0]->hart, 5);
	assert_int_equal(ctx[0]->priv, CAIRN_PRIV_USER);
	assert_int_equal(ctx[0]->asid, 0x2a5);
	assert_int_equal(ctx[1]->priv, CAIRN_PRIV_SUPERVISOR);
	assert_int_equal(ctx[2]->priv, CAIRN_PRIV_HYPERVISOR);
	assert_int_equal(ctx[2]->hart, 1023);
	assert_false(ctx[2]->known & CAIRN_CTX_ASID);
	assert_int_equal(batch->rec0 + batch->insns[1].rec, 4);
	assert_int_equal(batch->off0 + batch->insns[1].off, 3 * SIZE);
	/* The fetch is a row where the PAVADIFF stood. */
	assert_int_equal(batch->insns[1].mem0, 1);
	assert_int_equal(batch->mems[0].kind, CAIRN_MEM_FETCH);
	assert_int_equal(batch->mems[0].pa, 0x11000);
}

static void targets_come_from_ea_or_from_the_encoding(void **state)
{
	struct trace *trace = *state;
	instr(trace, 0, 0x10000, BA, EA | BT, 0x10010);
	instr(trace, 0, 0x10004, NOP, 0, 0);
	instr(trace, 0, 0x10010, BE_A, EA, 0x10018); /* not taken: pc + 8 */
	instr(trace, 0, 0x10014, LDX, AN, 0);
	instr(trace, 0, 0x10018, BA_A, BT, 0); /* no ea */
	instr(trace, 0, 0x1001c, NOP, AN, 0);
	instr(trace, 0, 0x10028, JMP, BT, 0); /* to nobody knows where */
	instr(trace, 0, 0x1002c, NOP, 0, 0);
	const struct cairn_batch *batch = only_batch(trace);
	const struct cairn_insn *insn = batch->insns;
	assert_int_equal(insn[0].flags, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(insn[0].target, 0x10010);
	assert_true(insn[0].traits & CAIRN_TRAIT_DELAY_SLOT);
	assert_int_equal(insn[1].flags, 0);
	assert_int_equal(insn[2].flags, CAIRN_INSN_NOT_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(insn[2].target, 0x10020);
	assert_int_equal(insn[3].flags, CAIRN_INSN_ANNULLED);
	assert_int_equal(insn[4].mem0, 0); /* the annulled load accessed nothing */
	assert_int_equal(insn[4].flags, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(insn[4].target, 0x10028);
	assert_int_equal(insn[6].flags, CAIRN_INSN_TAKEN);
	for (int k = 0; k < 8; k++)
		assert_false(insn[k].flags & CAIRN_INSN_DISCONTINUITY);
}

static void accesses_have_size_value_and_physical_address(void **state)
{
	struct trace *trace = *state;
	pavadiff(trace, 0, 1, 0x1000, true, 0x5000);
	instr(trace, 0, 0x10000, LDX, EA, 0x20000);
	regval(trace, 0, true, RST_R_INT, 1, 77);
	PUT(trace, MEMVAL, num("is_va", 1), num("size", 8), num("addr", 0x20000), num("value", 99));
	instr(trace, 0, 0x10004, CASX, EA, 0x20008);
	const struct cairn_batch *batch = only_batch(trace);
	const struct cairn_mem *mem = batch->mems;
	assert_int_equal(batch->n_mems, 4);
	assert_int_equal(mem[1].kind, CAIRN_MEM_READ);
	assert_int_equal(mem[1].addr, 0x20000);
	assert_int_equal(mem[1].pa, 0x25000);
	assert_int_equal(mem[1].size, 8);
	assert_int_equal(mem[1].value, 99);
	assert_int_equal(mem[1].flags, CAIRN_VALUE_KNOWN | CAIRN_VALUE_PA);
	assert_int_equal(mem[2].kind, CAIRN_MEM_READ);
	assert_int_equal(mem[3].kind, CAIRN_MEM_WRITE);
	assert_int_equal(mem[3].pa, 0x25008);
	assert_false(mem[3].flags & CAIRN_VALUE_KNOWN);
	assert_int_equal(batch->insns[1].reg0, 1);
	assert_int_equal(batch->regs[0].role, CAIRN_ROLE_DST);
	assert_int_equal(batch->regs[0].num, 1);
	assert_int_equal(batch->regs[0].value, 77);
}

/* One value alone may be what an atomic read or what it wrote. */
static void one_value_of_an_atomic_is_taken_for_neither(void **state)
{
	struct trace *trace = *state;
	for (uint64_t i = 0; i < 3; i++) {
		instr(trace, 0, 0x10000 + 4 * i, CASX, EA, 0x20000);
		for (uint64_t k = 0; k < i; k++)
			PUT(trace, MEMVAL, num("is_va", 1), num("size", 8), num("addr", 0x20000),
			    num("value", 10 + k));
	}
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->n_mems, 6);
	for (unsigned i = 0; i < 4; i++)
		assert_false(batch->mems[i].flags & CAIRN_VALUE_KNOWN);
	for (unsigned i = 4; i < 6; i++)
		assert_true(batch->mems[i].flags & CAIRN_VALUE_KNOWN && batch->mems[i].value == 6 + i);
}

/* Whatever is known of an atomic comes back from what is written as it was, or unknown; and nothing
 * goes without a word. */
static void values_of_atomics_come_back_or_are_counted_as_lost(void **state)
{
	struct trace *trace = *state;
	char path[] = "/tmp/cairn-atomics-XXXXXX.rst";
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	close(fd);
	for (unsigned how = 0; how < 8; how++) {
		bool reads = how & 1, writes = how & 2, failed = how & 4;
		struct cairn_batch *batch = cairn_batch_new(trace->cairn);
		struct cairn_create_opts opts = {.size = sizeof opts, .to = "RST"};
		struct cairn_ledger *ledger = NULL;
		struct cairn_writer *writer;
		struct cairn_op op;
		cairn_isa_decode(CAIRN_ISA_SPARC, CASX, 4, &op);
		batch->n0 = batch->n_insns = batch->n_ctxs = 1;
		batch->have = CAIRN_EVERYTHING;
		batch->ctxs[0] = (struct cairn_ctx){0};
		batch->insns[0] = (struct cairn_insn){.pc = 0x10000,
		                                      .enc = CASX,
		                                      .size = 4,
		                                      .isa = CAIRN_ISA_SPARC,
		                                      .traits = op.traits,
		                                      .cls = op.cls};
		for (unsigned i = 0; i < (failed ? 1u : 2u); i++)
			batch->mems[batch->n_mems++] =
				(struct cairn_mem){.addr = 0x20000,
			                       .size = 8,
			                       .kind = i ? CAIRN_MEM_WRITE : CAIRN_MEM_READ,
			                       .value = 70 + i,
			                       .flags = (i ? writes : reads) ? CAIRN_VALUE_KNOWN : 0};
		batch->insns[1] = batch->insns[2] = (struct cairn_insn){.mem0 = (uint16_t)batch->n_mems};
		assert_int_equal(cairn_create(trace->cairn, path, &opts, &writer), 0);
		assert_int_equal(cairn_put(writer, batch), 0);
		assert_true(cairn_finish(writer, &ledger) >= 0);
		struct cairn_reader *reader;
		assert_int_equal(cairn_open(trace->cairn, path, NULL, &reader), 0);
		assert_int_equal(cairn_next(reader, batch), 1);
		unsigned known = 0;
		for (uint32_t i = 0; i < batch->n_mems; i++)
			if (batch->mems[i].flags & CAIRN_VALUE_KNOWN) {
				unsigned was = batch->mems[i].kind == CAIRN_MEM_WRITE && !failed;
				assert_int_equal(batch->mems[i].value, 70 + was);
				known++;
			}
		assert_int_equal(known, failed ? 2 * reads : reads && writes ? 2 : 0);
		bool half = !failed && reads != writes, told = false;
		for (size_t i = 0; ledger && i < ledger->n; i++)
			told |= strstr(ledger->losses[i].what, "values of atomics") != NULL;
		assert_int_equal(told, half);
		cairn_ledger_free(trace->cairn, ledger);
		cairn_close(reader);
		cairn_batch_free(trace->cairn, batch);
	}
	unlink(path);
}

static void a_prefetch_s_row_is_no_load(void **state)
{
	struct trace *trace = *state;
	instr(trace, 0, 0x10000, 0xc16a2000, EA, 0x20000);
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->n_mems, 1);
	assert_int_equal(batch->mems[0].kind, CAIRN_MEM_PREFETCH);
}

/* ---- traps ---- */

static const struct cairn_event *trap_of(const struct cairn_batch *batch, uint32_t insn)
{
	for (uint32_t e = batch->insns[insn].ev0; e < batch->insns[insn + 1].ev0; e++)
		if (batch->events[e].kind == CAIRN_EV_EXCEPTION ||
		    batch->events[e].kind == CAIRN_EV_INTERRUPT ||
		    batch->events[e].kind == CAIRN_EV_SYSCALL)
			return &batch->events[e];
	return NULL;
}

static void a_synchronous_trap_stops_its_instruction(void **state)
{
	struct trace *trace = *state;
	instr(trace, 0, 0x10000, NOP, 0, 0);
	trap(trace, 0, false, 0x68, 0x10004, 0x10008);
	regval(trace, 0, false, RST_R_MMU, 48, 0x20000);
	instr(trace, 0, 0x10004, LDX, TR | BT, 0);
	instr(trace, 0, 0x1000d00, NOP, PR, 0);
	instr(trace, 0, 0x1000d04, RETRY, PR | BT | EA, 0x10004);
	instr(trace, 0, 0x10004, LDX, EA, 0x20000);
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->insns[1].flags, CAIRN_INSN_ABORTED);
	const struct cairn_event *event = trap_of(batch, 1);
	assert_non_null(event);
	assert_int_equal(event->kind, CAIRN_EV_EXCEPTION);
	assert_int_equal(event->code, 0x68);
	assert_int_equal(event->phase, CAIRN_ON);
	assert_int_equal(cairn_event_arg(batch, event, 6), 0x10004);
	assert_int_equal(batch->regs[batch->insns[1].reg0].role, CAIRN_ROLE_STATE);
	assert_int_equal(batch->regs[batch->insns[1].reg0].value, 0x20000);
	assert_int_equal(batch->insns[2].flags, CAIRN_INSN_DISCONTINUITY);
	assert_int_equal(batch->insns[3].flags, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(batch->insns[4].flags, 0);
}

static void an_interrupt_stands_before_its_handler(void **state)
{
	struct trace *trace = *state;
	instr(trace, 0, 0x10000, NOP, 0, 0);
	trap(trace, 0, true, 0x4e, 0x10004, 0x10008);
	instr(trace, 0, 0x10009c0, NOP, TR | PR, 0);
	const struct cairn_batch *batch = only_batch(trace);
	const struct cairn_event *event = trap_of(batch, 1);
	assert_non_null(event);
	assert_int_equal(event->kind, CAIRN_EV_INTERRUPT);
	assert_int_equal(event->phase, CAIRN_BEFORE);
	assert_int_equal(batch->insns[1].flags, CAIRN_INSN_DISCONTINUITY);
}

static void a_missed_fetch_has_no_instruction_of_its_own(void **state)
{
	struct trace *trace = *state;
	trap(trace, 0, false, 0x64, 0x10004, 0x10008);
	pavadiff(trace, 0, 0, 0x7000000000, false, 0);
	instr(trace, 0, 0x1000c80, NOP, TR | PR, 0);
	const struct cairn_batch *batch = only_batch(trace);
	const struct cairn_event *event = trap_of(batch, 0);
	assert_non_null(event);
	assert_int_equal(event->kind, CAIRN_EV_EXCEPTION);
	assert_int_equal(event->phase, CAIRN_BEFORE);
	assert_false(batch->insns[0].flags & CAIRN_INSN_ABORTED);
}

static void a_system_call_runs(void **state)
{
	struct trace *trace = *state;
	trap(trace, 0, false, 0x16d, 0x10000, 0x10004);
	instr(trace, 0, 0x10000, TA, TR | BT | EA, 0x1002da0);
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(trap_of(batch, 0)->kind, CAIRN_EV_SYSCALL);
	assert_false(batch->insns[0].flags & CAIRN_INSN_ABORTED);
	assert_true(batch->insns[0].traits & CAIRN_TRAIT_SYSCALL);
}

/* TNPC of the trap is where the flow goes on behind the slot. */
static void a_trap_in_a_delay_slot_comes_back_to_it(void **state)
{
	struct trace *trace = *state;
	instr(trace, 0, 0x10000, BA, EA | BT, 0x10010);
	trap(trace, 0, false, 0x68, 0x10004, 0x10010);
	instr(trace, 0, 0x10004, LDX, TR | BT, 0);
	instr(trace, 0, 0x1000d00, RETRY, TR | PR | BT | EA, 0x10004);
	instr(trace, 0, 0x10004, LDX, EA, 0x20000);
	instr(trace, 0, 0x10010, NOP, 0, 0);
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->insns[1].flags, CAIRN_INSN_ABORTED);
	assert_true(batch->insns[2].flags & CAIRN_INSN_DISCONTINUITY);
	assert_int_equal(batch->insns[3].flags, 0);
	assert_int_equal(batch->insns[4].flags, 0);
}

static void cpus_stay_apart(void **state)
{
	struct trace *trace = *state;
	instr(trace, 1, 0x10000, NOP, 0, 0);
	trap(trace, 1, false, 0x68, 0x10004, 0x10008);
	instr(trace, 2, 0x30000, BA, EA | BT, 0x30010);
	regval(trace, 1, false, RST_R_INT, 14, 5);
	instr(trace, 2, 0x30004, NOP, 0, 0);
	instr(trace, 1, 0x10004, LDX, TR | BT, 0);
	instr(trace, 2, 0x30010, NOP, 0, 0);
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->n_insns, 5);
	assert_int_equal(batch->insns[3].flags, CAIRN_INSN_ABORTED);
	assert_non_null(trap_of(batch, 3));
	assert_null(trap_of(batch, 1));
	assert_int_equal(batch->insns[4].reg0 - batch->insns[3].reg0, 1);
	assert_int_equal(batch->insns[4].flags, 0);
}

/* ---- what belongs to no CPU ---- */

static void strings_are_put_together(void **state)
{
	struct trace *trace = *state;
	string(trace, CAIRN_RST_STRCONT, "mmutype=spitfire iTLB=1");
	string(trace, CAIRN_RST_STRDESC, "6, dTLB=16");
	string(trace, CAIRN_RST_STRCONT, "12345678901234567890123");
	string(trace, CAIRN_RST_STRDESC, "");
	string(trace, CAIRN_RST_STRCONT, "lost");
	instr(trace, 0, 0x10000, NOP, 0, 0);
	const struct cairn_batch *batch = only_batch(trace);
	static const char *const want[] = {"mmutype=spitfire iTLB=16, dTLB=16",
	                                   "12345678901234567890123", "lost"};
	unsigned n = 0;
	for (uint32_t i = 0; i < batch->n_events; i++) {
		const struct cairn_event *event = &batch->events[i];
		if (event->kind != CAIRN_EV_COMMENT)
			continue;
		assert_int_equal(event->len, strlen(want[n]));
		assert_memory_equal(batch->bytes + event->args, want[n], event->len);
		n++;
	}
	assert_int_equal(n, 3);
}

static void others_access_memory_with_their_initiator(void **state)
{
	struct trace *trace = *state;
	PUT(trace, DMA, num("iswrite", 1), num("nbytes", 512), num("start_pa", 0x4000));
	PUT(trace, BUSTRACE, num("txtype", 1), num("agentid", 3), num("pa", 0x40));
	PUT(trace, SNOOP, num("snoop", 1), num("device_id", 2), num("size", 64), num("pa", 0x80),
	    num("device_type", 1));
	PUT(trace, TSB_ACCESS, num("cpuid", 4), num("pa", 0x100), num("va", 0x200));
	PUT(trace, RFS_CW, num("cpuid", 6), num("reftype", 3), num("va_valid", 1), num("va", 1),
	    num("pa", 2));
	instr(trace, 0, 0x10000, NOP, 0, 0);
	const struct cairn_batch *batch = only_batch(trace);
	static const struct {
		uint8_t by, unit, kind;
		uint32_t size;
		uint64_t pa;
	} want[] = {{CAIRN_BY_DMA, 0, CAIRN_MEM_WRITE, 512, 0x4000},
	            {CAIRN_BY_CORE, 3, CAIRN_MEM_READ, 0, 0x40},
	            {CAIRN_BY_CORE, 2, CAIRN_MEM_READ, 64, 0x80},
	            {CAIRN_BY_CORE, 4, CAIRN_MEM_READ, 8, 0x100},
	            {CAIRN_BY_CORE, 6, CAIRN_MEM_WRITE, 0, 2}};
	assert_int_equal(batch->n_mems, 5);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(batch->mems[i].initiator, want[i].by);
		assert_int_equal(batch->mems[i].unit, want[i].unit);
		assert_int_equal(batch->mems[i].kind, want[i].kind);
		assert_int_equal(batch->mems[i].size, want[i].size);
		assert_int_equal(batch->mems[i].pa, want[i].pa);
		assert_true(batch->mems[i].flags & CAIRN_VALUE_PA);
	}
	assert_int_equal(batch->mems[3].addr, 0x200);
}

static void thread_and_process_are_those_of_the_next_instruction(void **state)
{
	struct trace *trace = *state;
	PUT(trace, THREAD, num("icontext", 1), num("tid", 42));
	PUT(trace, PROCESS, num("oldpid", 1), num("newpid", 7));
	instr(trace, 3, 0x10000, NOP, 0, 0);
	instr(trace, 4, 0x10000, NOP, 0, 0);
	const struct cairn_batch *batch = only_batch(trace);
	const struct cairn_ctx *x = &batch->ctxs[batch->insns[0].ctx],
						   *y = &batch->ctxs[batch->insns[1].ctx];
	assert_int_equal(x->tid, 42);
	assert_int_equal(x->pid, 7);
	assert_false(y->known & (CAIRN_CTX_TID | CAIRN_CTX_PID));
}

/* ---- ends and damage ---- */

static void what_waits_at_the_end_belongs_to_no_instruction(void **state)
{
	struct trace *trace = *state;
	instr(trace, 0, 0x10000, NOP, 0, 0);
	trap(trace, 0, true, 0x4e, 0x10004, 0x10008);
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->n_insns, 1);
	assert_non_null(trap_of(batch, 1));
}

static void unknown_types_are_damage_in_their_place(void **state)
{
	struct trace *trace = *state;
	instr(trace, 0, 0x10000, NOP, 0, 0);
	memset(trace->data + trace->n, 0x64, SIZE);
	trace->n += SIZE;
	instr(trace, 0, 0x10004, NOP, 0, 0);
	memset(trace->data + trace->n, 3, 7);
	trace->n += 7;
	for (int counting = 0; counting < 2; counting++) {
		struct cairn_reader *reader = reopen(trace, NULL);
		struct cairn_tally tally = {.size = sizeof tally};
		if (counting) {
			assert_int_equal(cairn_count(reader, 2, &tally), 0);
			assert_int_equal(tally.instructions, 2);
		} else {
			assert_int_equal(cairn_next(reader, trace->batch), 1);
			assert_int_equal(trace->batch->n_insns, 2);
			const struct cairn_event *event = &trace->batch->events[trace->batch->insns[1].ev0];
			assert_int_equal(event->kind, CAIRN_EV_DAMAGE);
			assert_int_equal(event->code, 2 * SIZE);
			assert_int_equal(cairn_next(reader, trace->batch), 0);
		}
		assert_int_equal(cairn_damage_count(reader), 2);
		assert_string_equal(cairn_damage_text(reader, 0),
		                    "byte 0x30, record 3, instruction 2: no record has type 100");
		assert_string_equal(cairn_damage_text(reader, 1),
		                    "byte 0x60, record 5, instruction 3: the input ends inside a record: 7 "
		                    "of its 24 bytes are there");
		cairn_close(reader);
	}
}

static void old_headers_have_small_cpu_numbers(void **state)
{
	struct trace *trace = *state;
	trace->cfg = (struct cairn_rst_config){2, 6};
	trace->n = 0;
	header(trace);
	PUT(trace, INSTR, num("cpuid", 3), num("pc_va", 0x1000), num("instr", NOP),
	    num("ihash", 0x3ff));
	trace->data[trace->n - SIZE + 1] |= RST_I_HPRIV;
	const struct cairn_batch *batch = only_batch(trace);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].hart, 3);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].priv, CAIRN_PRIV_USER);
	/* The user may know better. */
	struct cairn_reader *reader = reopen(trace, "rst:version=2.13");
	assert_int_equal(cairn_next(reader, trace->batch), 1);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].hart, 3 | 15 << 6);
	cairn_close(reader);
}

static void rst_is_recognised_by_content(void **state)
{
	struct trace *trace = *state;
	uint8_t text[4096];
	instr(trace, 0, 0x10000, NOP, 0, 0);
	instr(trace, 0, 0x10004, NOP, 0, 0);
	assert_int_equal(rst_probe(trace->data, trace->n), 100);
	assert_int_equal(rst_probe(trace->data + SIZE, 2 * SIZE), 30); /* a part without a header */
	assert_int_equal(rst_probe(trace->data, 10), 0);
	trace->data[3] = '#';
	assert_int_equal(rst_probe(trace->data, trace->n), 90);
	memset(text, 'x', sizeof text);
	assert_int_equal(rst_probe(text, sizeof text), 0);
	memset(text, 0, sizeof text);
	assert_int_equal(rst_probe(text, sizeof text), 0);
	trace->n = 0;
	string(trace, CAIRN_RST_STRDESC, "RFS v1.00 RST-FMT SNAP");
	assert_int_equal(rst_probe(trace->data, trace->n), 95);
}

static void wrong_options_are_refused(void **state)
{
	struct trace *trace = *state;
	struct cairn_reader *reader;
	static const char *const wrong[] = {"rst:version=2", "rst:version=0.1", "rst:x", "rst:piece=1"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct cairn_open_opts opts = {.size = sizeof opts, .from = wrong[i]};
		assert_int_equal(cairn_open_memory(trace->cairn, trace->data, trace->n, &opts, &reader),
		                 CAIRN_E_INVAL);
	}
}

/* Records that no instruction claims do not pile up without end. */
static void loose_records_come_in_batches(void **state)
{
	struct trace *trace = *state;
	struct cairn_reader *reader;
	uint64_t rows = 0;
	int batches = 0;
	for (int i = 0; i < 5000; i++)
		PUT(trace, DMA, num("nbytes", 8), num("start_pa", (uint64_t)i));
	reader = reopen(trace, NULL);
	for (; cairn_next(reader, trace->batch) == 1; batches++) {
		assert_null(check_batch(trace->batch));
		rows += trace->batch->n_mems;
	}
	assert_int_equal(rows, 5000);
	assert_in_range(batches, 4, 6);
	cairn_close(reader);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(privilege_context_and_place_are_an_instruction_s),
		TEST(targets_come_from_ea_or_from_the_encoding),
		TEST(accesses_have_size_value_and_physical_address),
		TEST(one_value_of_an_atomic_is_taken_for_neither),
		TEST(values_of_atomics_come_back_or_are_counted_as_lost),
		TEST(a_prefetch_s_row_is_no_load),
		TEST(a_synchronous_trap_stops_its_instruction),
		TEST(an_interrupt_stands_before_its_handler),
		TEST(a_missed_fetch_has_no_instruction_of_its_own),
		TEST(a_system_call_runs),
		TEST(a_trap_in_a_delay_slot_comes_back_to_it),
		TEST(cpus_stay_apart),
		TEST(strings_are_put_together),
		TEST(others_access_memory_with_their_initiator),
		TEST(thread_and_process_are_those_of_the_next_instruction),
		TEST(what_waits_at_the_end_belongs_to_no_instruction),
		TEST(unknown_types_are_damage_in_their_place),
		TEST(old_headers_have_small_cpu_numbers),
		TEST(rst_is_recognised_by_content),
		TEST(wrong_options_are_refused),
		TEST(loose_records_come_in_batches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
