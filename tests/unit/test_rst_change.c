/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing RST: batches of no RST reader become a trace with a beginning of its own, what
 * is known at a place is neither too little nor too much, an index's state comes back, and
 * output that must be held back is not lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/check.h"
#include "formats/rst/change/carried.h"
#include "formats/rst/change/change.h"

enum {
	SIZE = CAIRN_RST_SIZE,
	ADD = 0x90022008 /* add %o0, 8, %o0 */,
	SETHI_G1 = 0x03000404,
	SAVE = 0x9de3bf50,
	RESTORE = 0x81e80000,
	RETRY = 0x83f00000,
	LDX = 0xc25a2008,
	BA = 0x10800004,
	NOP = 0x01000000,
	TA = 0x91d0206d,
	BA_BACK = 0x10bffff4 /* 12 back */,
	BNE_A = 0x3280000c /* bne,a 12 on */
};

static struct cairn *c;
static char folder[] = "/tmp/cairn-rst-change-XXXXXX", path[64];

/* ---- batches from nowhere ---- */

struct batch {
	struct cairn_batch *batch;
	uint16_t seq;
};

static struct cairn_insn *insn(struct batch *batch, uint64_t pc, uint32_t enc, uint32_t flags,
                               uint64_t target)
{
	struct cairn_batch *b = batch->batch;
	struct cairn_insn *row = &b->insns[b->n_insns++];
	struct cairn_op op;
	cairn_isa_decode(CAIRN_ISA_SPARC, enc, 4, &op);
	uint16_t reg0 = row->reg0, mem0 = row->mem0, ev0 = row->ev0;
	*row = (struct cairn_insn){.pc = pc,
	                           .enc = enc,
	                           .flags = flags,
	                           .target = target,
	                           .size = 4,
	                           .isa = CAIRN_ISA_SPARC,
	                           .traits = op.traits,
	                           .cls = op.cls,
	                           .reg0 = reg0,
	                           .mem0 = mem0,
	                           .ev0 = ev0,
	                           .ctx = (uint16_t)(b->n_ctxs - 1)};
	row[1].reg0 = (uint16_t)b->n_regs;
	row[1].mem0 = (uint16_t)b->n_mems;
	row[1].ev0 = (uint16_t)b->n_events;
	batch->seq = 0;
	return row;
}

static void mem(struct batch *batch, uint64_t addr, uint64_t pa, unsigned kind, unsigned size)
{
	batch->batch->mems[batch->batch->n_mems++] = (struct cairn_mem){.addr = addr,
	                                                                .pa = pa,
	                                                                .size = size,
	                                                                .kind = (uint8_t)kind,
	                                                                .flags = CAIRN_VALUE_PA,
	                                                                .seq = batch->seq++};
}

static void reg(struct batch *batch, unsigned cls, unsigned num, uint64_t value)
{
	batch->batch->regs[batch->batch->n_regs++] = (struct cairn_reg){.value = value,
	                                                                .bits = 64,
	                                                                .num = (uint16_t)num,
	                                                                .seq = batch->seq++,
	                                                                .cls = (uint8_t)cls,
	                                                                .role = CAIRN_ROLE_DST,
	                                                                .flags = CAIRN_VALUE_KNOWN};
}

static void event(struct batch *batch, unsigned kind, unsigned phase, uint64_t code)
{
	batch->batch->events[batch->batch->n_events++] = (struct cairn_event){.kind = (uint8_t)kind,
	                                                                      .phase = (uint8_t)phase,
	                                                                      .code = code,
	                                                                      .seq = batch->seq++};
}

static void end(struct batch *batch)
{
	struct cairn_batch *b = batch->batch;
	struct cairn_insn last = b->insns[b->n_insns];
	model_batch_close(b, last.reg0, last.mem0, last.ev0, (uint16_t)(b->n_ctxs - 1));
}

static void begin(struct batch *batch, unsigned hart)
{
	if (!batch->batch)
		batch->batch = cairn_batch_new(c);
	model_batch_clear(batch->batch);
	batch->batch->n0 = batch->batch->x0 = 1;
	batch->batch->have = CAIRN_EVERYTHING;
	memset(batch->batch->insns, 0, sizeof *batch->batch->insns);
	batch->batch->ctxs[batch->batch->n_ctxs++] = (struct cairn_ctx){
		.known = CAIRN_CTX_HART | CAIRN_CTX_PRIV | CAIRN_CTX_ASID | CAIRN_CTX_PID | CAIRN_CTX_TID,
		.hart = (uint16_t)hart,
		.asid = 0x2a5,
		.pid = 42,
		.tid = 7};
	batch->seq = 0;
}

/* The records of a file, as "INSTR", "PREG" … */
static size_t names(const char *out[], size_t most, uint8_t (*recs)[SIZE])
{
	struct cairn_reader *reader;
	struct cairn_record rec;
	size_t n = 0;
	if (cairn_open(c, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	while (cairn_next_record(reader, &rec) > 0 && n < most) {
		out[n] = rec.name;
		memcpy(recs[n++], rec.data, SIZE);
	}
	cairn_close(reader);
	return n;
}

static size_t find(const char *out[], size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(out[i], name))
			return i;
	fail_msg("no %s", name);
	return 0;
}

static void batches_of_another_get_a_beginning_of_their_own(void **state)
{
	struct batch batch = {0};
	struct cairn_writer *writer;
	struct cairn_ledger *lost = NULL;
	const char *got[64];
	uint8_t recs[64][SIZE];
	(void)state;
	begin(&batch, 3);
	mem(&batch, 0x10000, 0x410000, CAIRN_MEM_FETCH, 4);
	insn(&batch, 0x10000, NOP, 0, 0);
	mem(&batch, 0x20000, 0x820000, CAIRN_MEM_READ, 8);
	insn(&batch, 0x10004, LDX, 0, 0);
	insn(&batch, 0x10008, BA, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET, 0x10018);
	insn(&batch, 0x1000c, ADD, 0, 0);
	event(&batch, CAIRN_EV_SYSCALL, CAIRN_ON, 0x16d);
	insn(&batch, 0x10018, TA, 0, 0);
	end(&batch);
	struct cairn_create_opts opts = {.size = sizeof opts, .to = "rst:cputype=niagara,nwins=16"};
	assert_int_equal(cairn_create(c, path, &opts, &writer), 0);
	assert_int_equal(cairn_put(writer, batch.batch), 0);
	assert_true(cairn_finish(writer, &lost) >= 0);
	assert_int_equal(lost->n, 0);
	cairn_ledger_free(c, lost);
	size_t n = names(got, 64, recs);
	assert_string_equal(got[0], "RSTHEADER");
	assert_string_equal(got[1], "TRACEINFO");
	assert_string_equal(got[2], "TRACEINFO");
	assert_int_equal(recs[2][2], 3); /* max_cpu_id, known only at the end */
	assert_int_equal(recs[2][3], 1);
	size_t preg = find(got, n, "PREG"), instr = find(got, n, "INSTR"), trap = find(got, n, "TRAP");
	size_t diff = find(got, n, "PAVADIFF");
	assert_true(find(got, n, "TLB") < preg && preg < diff && diff < instr);
	assert_true(find(got, n, "PROCESS") < instr && find(got, n, "THREAD") < instr);
	/* The load's own difference of addresses stands just before it. */
	assert_string_equal(got[instr + 1], "PAVADIFF");
	assert_int_equal(recs[instr + 1][1], 0x83);
	assert_int_equal(base_be64(recs[instr + 1] + 16), 0x800000);
	assert_int_equal(recs[instr + 2][1], RST_I_EA_VALID);
	assert_int_equal(recs[instr + 3][1], RST_I_EA_VALID | RST_I_BT);
	assert_int_equal(base_be64(recs[instr + 3] + 16), 0x10018);
	assert_int_equal(base_be64(recs[trap] + 8), 0x10018);
	assert_int_equal(base_be16(recs[trap] + 2) & 0x3ff, 0x16d);
	assert_int_equal(recs[trap + 1][1] & (RST_I_TR | RST_I_BT), RST_I_TR | RST_I_BT);
	unlink(path);
	cairn_batch_free(c, batch.batch);
}

/* What check finds; notes are fine. */
static uint64_t judge(const char *allowed, uint64_t *warnings)
{
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_check_opts opts = {.size = sizeof opts};
	struct cairn_reader *reader;
	if (cairn_open(c, path, NULL, &reader) < 0 || cairn_check(reader, &opts, &res) < 0)
		fail_msg("%s", cairn_error_text(c));
	*warnings = res.warnings;
	for (size_t i = 0; i < res.n_rules; i++)
		if (res.by_rule[i] && res.rules[i].severity != CAIRN_NOTE &&
		    strcmp(res.rules[i].id, allowed))
			print_error("%s\n", res.rules[i].id);
	cairn_close(reader);
	return res.errors;
}

static void run(struct batch *batch, unsigned who, uint64_t pc, uint32_t enc, uint32_t flags,
                uint64_t target)
{
	insn(batch, pc, enc, flags, target)->ctx = (uint16_t)who;
}

/* Two CPUs of a format that knows neither annulled instructions nor where a return goes nor
 * physical addresses: contexts 0 and 2 are a user's, 1 and 3 the system's. */
static void put_foreign(struct batch *batch)
{
	struct cairn_batch *b;
	begin(batch, 0);
	b = batch->batch;
	b->n_ctxs = 4;
	for (unsigned i = 0; i < 4; i++)
		b->ctxs[i] = (struct cairn_ctx){.known = CAIRN_CTX_HART | CAIRN_CTX_PRIV,
		                                .hart = (uint16_t)(i / 2),
		                                .priv = i & 1};
	run(batch, 0, 0x10000, BNE_A, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET, 0x10030);
	run(batch, 0, 0x10004, ADD, 0, 0);
	run(batch, 0, 0x10030, BA_BACK, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET, 0x10000);
	run(batch, 0, 0x10034, NOP, 0, 0);
	run(batch, 0, 0x10000, BNE_A, CAIRN_INSN_NOT_TAKEN, 0);
	run(batch, 0, 0x10008, BNE_A, CAIRN_INSN_NOT_TAKEN, 0);
	event(batch, CAIRN_EV_EXCEPTION, CAIRN_ON, 0x68);
	mem(batch, 0x20018, 0, CAIRN_MEM_READ, 8);
	b->mems[b->n_mems - 1].flags = 0;
	run(batch, 0, 0x10010, LDX, CAIRN_INSN_ABORTED, 0);
	run(batch, 1, 0x40000, NOP, 0, 0);
	run(batch, 3, 0x70000, RETRY, 0, 0); /* its trap came before the trace */
	run(batch, 1, 0x40004, RETRY, 0, 0);
	run(batch, 0, 0x10010, LDX, 0, 0); /* which address is not told */
	event(batch, CAIRN_EV_INTERRUPT, CAIRN_BEFORE, 0x4e);
	run(batch, 1, 0x50000, NOP, 0, 0);
	run(batch, 1, 0x50004, RETRY, 0, 0);
	event(batch, CAIRN_EV_EXCEPTION, CAIRN_BEFORE, 0x64);
	run(batch, 1, 0x60000, NOP, 0, 0);
	run(batch, 1, 0x60004, RETRY, 0, 0);
	run(batch, 0, 0x10014, NOP, 0, 0);
	run(batch, 2, 0x80000, NOP, 0, 0);
	end(batch);
}

static void what_rst_wants_and_others_do_not_tell_is_made(void **state)
{
	struct batch batch = {0};
	struct cairn_writer *writer;
	struct cairn_ledger *lost = NULL;
	const char *got[64];
	uint8_t recs[64][SIZE];
	uint64_t warnings, ea[5] = {0x80000, 0x10010, 0x10014, 0x10014};
	unsigned annulled = 0, returns = 0, tlbs = 0, said = 0;
	(void)state;
	put_foreign(&batch);
	assert_int_equal(cairn_create(c, path, NULL, &writer), 0);
	assert_true(cairn_put(writer, batch.batch) >= 0);
	assert_true(cairn_finish(writer, &lost) >= 0);
	assert_int_equal(lost->n, 0);
	cairn_ledger_free(c, lost);
	size_t n = names(got, 64, recs), first = find(got, n, "INSTR");
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = recs[i];
		tlbs += i < first && p[0] == CAIRN_RST_TLB;
		said += !strncmp((const char *)p + 1, "cairn: ", 7);
		if (p[0] == CAIRN_RST_INSTR && p[1] & RST_I_AN) {
			assert_int_equal(base_be32(p + 4), annulled ? 0 : (uint32_t)ADD);
			assert_int_equal(base_be64(p + 8), annulled++ ? 0x1000c : 0x10004);
		} else if (p[0] == CAIRN_RST_INSTR && base_be32(p + 4) == RETRY) {
			assert_int_equal(p[1] & (RST_I_BT | RST_I_EA_VALID), RST_I_BT | RST_I_EA_VALID);
			assert_int_equal(base_be64(p + 16), ea[returns++]);
			assert_string_equal(got[strcmp(got[i - 1], "PAVADIFF") ? i - 1 : i - 2], "PREG");
		} else if (p[0] == CAIRN_RST_INSTR && base_be32(p + 4) == LDX && p[1] & RST_I_TR) {
			assert_int_equal(p[1] & (RST_I_BT | RST_I_EA_VALID), RST_I_BT);
			assert_string_equal(got[i - 1], "REGVAL");
			assert_int_equal(base_be64(recs[i - 1] + 8), 0x20018);
		}
	}
	assert_int_equal(annulled, 2);
	assert_int_equal(returns, 4);
	assert_int_equal(tlbs, 4);
	assert_int_equal(said, 3); /* that PA is VA, an encoding and an address are made up */
	/* The level that CPU 1 did not tell. */
	assert_int_equal(judge("rst.level.change", &warnings), 0);
	assert_int_equal(warnings, 1);
	unlink(path);
	cairn_batch_free(c, batch.batch);
}

static void what_is_not_sparc_is_refused_and_leaves_no_file(void **state)
{
	struct batch batch = {0};
	struct cairn_writer *writer;
	(void)state;
	for (unsigned isa = 0; isa < 3; isa++) {
		begin(&batch, 0);
		insn(&batch, 0x10000, NOP, 0, 0);
		insn(&batch, 0x10004, NOP, 0, 0)->isa = (uint8_t)(isa == 2 ? CAIRN_ISA_A64
		                                                  : isa    ? CAIRN_ISA_RV64
		                                                           : CAIRN_ISA_UNKNOWN);
		end(&batch);
		assert_int_equal(cairn_create(c, path, NULL, &writer), 0);
		assert_int_equal(cairn_put(writer, batch.batch), CAIRN_E_UNSUPPORTED);
		assert_non_null(strstr(cairn_error_text(c), "instruction 2"));
		assert_int_equal(cairn_finish(writer, NULL), CAIRN_E_UNSUPPORTED);
		assert_int_not_equal(access(path, F_OK), 0);
	}
	cairn_batch_free(c, batch.batch);
}

static void what_rst_has_no_place_for_is_in_the_ledger(void **state)
{
	struct batch batch = {0};
	struct cairn_writer *writer;
	struct cairn_ledger *lost = NULL;
	(void)state;
	begin(&batch, 1024);
	insn(&batch, 0x10000, NOP, 0, 0);
	batch.batch->ctxs[batch.batch->n_ctxs++] =
		(struct cairn_ctx){.known = CAIRN_CTX_HART | CAIRN_CTX_VMID};
	event(&batch, CAIRN_EV_EXCEPTION, CAIRN_ON, 0x200);
	insn(&batch, 0x10000, NOP, 0, 0);
	event(&batch, CAIRN_EV_PAGE_WALK, CAIRN_BEFORE, 0);
	insn(&batch, 0x10004, NOP, CAIRN_INSN_DISCARDED, 0);
	insn(&batch, 0x10004, NOP, 0, 0);
	end(&batch);
	assert_int_equal(cairn_create(c, path, NULL, &writer), 0);
	assert_true(cairn_put(writer, batch.batch) >= 0);
	assert_true(cairn_finish(writer, &lost) >= 0);
	static const char *const whats[] = {"instructions of CPUs whose number RST cannot hold",
	                                    "virtual machine ids",
	                                    "traps of types that SPARC does not have",
	                                    "instructions whose transaction was thrown away"};
	for (size_t i = 0; i < 4; i++) {
		bool there = false;
		for (size_t k = 0; k < lost->n; k++)
			there |= !strcmp(lost->losses[k].what, whats[i]);
		if (!there)
			fail_msg("not in the ledger: %s", whats[i]);
	}
	cairn_ledger_free(c, lost);
	unlink(path);
	cairn_batch_free(c, batch.batch);
}

static void two_registers_share_a_record(void **state)
{
	struct batch batch = {0};
	struct cairn_writer *writer;
	const char *got[64];
	uint8_t recs[64][SIZE];
	(void)state;
	begin(&batch, 0);
	for (unsigned i = 8; i <= 10; i++)
		reg(&batch, CAIRN_REG_INT, i, 0x100 + i);
	insn(&batch, 0x10000, ADD, 0, 0);
	for (unsigned i = 8; i <= 9; i++, batch.seq++) /* an access between them, say */
		reg(&batch, CAIRN_REG_INT, i, 0x200 + i);
	insn(&batch, 0x10004, ADD, 0, 0);
	end(&batch);
	assert_int_equal(cairn_create(c, path, NULL, &writer), 0);
	assert_true(cairn_put(writer, batch.batch) >= 0);
	assert_true(cairn_finish(writer, NULL) >= 0);
	size_t n = names(got, 64, recs), first = find(got, n, "REGVAL");
	static const struct {
		unsigned id, id2;
		uint64_t value, value2;
	} expected[] = {{8, 9, 0x108, 0x109}, {10, 0, 0x10a, 0}, {8, 0, 0x208, 0}, {9, 0, 0x209, 0}};
	size_t i = 0;
	for (; first < n; first++) {
		const uint8_t *p = recs[first];
		if (p[0] != CAIRN_RST_REGVAL)
			continue;
		assert_in_range(i, 0, 3);
		assert_int_equal(p[2], RST_R_INT);
		assert_int_equal(p[3], expected[i].id2 ? RST_R_INT : RST_R_UNUSED);
		assert_int_equal(p[4], expected[i].id);
		assert_int_equal(p[5], expected[i].id2);
		assert_int_equal(base_be64(p + 8), expected[i].value);
		assert_int_equal(base_be64(p + 16), expected[i++].value2);
	}
	assert_int_equal(i, 4);
	unlink(path);
	cairn_batch_free(c, batch.batch);
}

/* Clause 2(g) wants TLBs before the first instruction: also of a CPU that only runs at the end. */
static void a_part_begins_with_the_tlbs_of_all_its_cpus(void **state)
{
	struct batch batch = {0};
	struct cairn_writer *writer;
	struct cairn_reader *reader;
	const char *got[64];
	uint8_t recs[64][SIZE];
	char pattern[80];
	unsigned tlbs = 0;
	(void)state;
	begin(&batch, 0);
	batch.batch->n_ctxs = 3;
	for (unsigned i = 0; i < 3; i++)
		batch.batch->ctxs[i] =
			(struct cairn_ctx){.known = CAIRN_CTX_HART | CAIRN_CTX_PID | CAIRN_CTX_TID,
		                       .hart = i > 0,
		                       .pid = 41 + (i == 1),
		                       .tid = 7};
	mem(&batch, 0x10000, 0x410000, CAIRN_MEM_FETCH, 4);
	run(&batch, 0, 0x10000, NOP, 0, 0);
	mem(&batch, 0x20000, 0x420000, CAIRN_MEM_FETCH, 4);
	run(&batch, 1, 0x20000, NOP, 0, 0);
	run(&batch, 0, 0x10004, NOP, 0, 0);
	run(&batch, 2, 0x20004, NOP, 0, 0);
	end(&batch);
	assert_int_equal(cairn_create(c, path, NULL, &writer), 0);
	assert_true(cairn_put(writer, batch.batch) >= 0);
	assert_true(cairn_finish(writer, NULL) >= 0);
	snprintf(pattern, sizeof pattern, "%s/%%s.rst", folder);
	struct cairn_split_opts opts = {.size = sizeof opts, .by = CAIRN_SPLIT_PID};
	struct cairn_output out = {.size = sizeof out, .path = pattern};
	assert_int_equal(cairn_open(c, path, NULL, &reader), 0);
	if (cairn_split(reader, &opts, &out, NULL) < 0)
		fail_msg("%s", cairn_error_text(c));
	cairn_close(reader);
	unlink(path);
	char whole[sizeof path];
	memcpy(whole, path, sizeof path);
	snprintf(path, sizeof path, "%s/41.rst", folder);
	size_t n = names(got, 64, recs), first = find(got, n, "INSTR");
	for (size_t i = 0; i < first; i++)
		tlbs += recs[i][0] == CAIRN_RST_TLB && rst_cpu_of(recs[i], false) == 1;
	assert_int_equal(recs[n - 1][0], CAIRN_RST_INSTR);
	assert_int_equal(rst_instr_cpu(recs[n - 1], false), 1);
	assert_true(tlbs > 0);
	unlink(path);
	snprintf(path, sizeof path, "%s/42.rst", folder);
	unlink(path);
	memcpy(path, whole, sizeof path);
	cairn_batch_free(c, batch.batch);
}

/* ---- what is known ---- */

static struct rst_carried *known;

static void take_instr(uint32_t enc, unsigned bits)
{
	uint8_t p[SIZE];
	const struct rst_carried_cpu *cpu = rst_carried_cpu(known, 1); /* it goes on where it was */
	rst_make_instr(p, 1, bits, enc, cpu->has_next ? cpu->next : 0x10000, 0);
	assert_int_equal(rst_carried_take(known, p, false), 0);
}

static void take_reg(unsigned type, unsigned id, uint64_t value)
{
	uint8_t p[SIZE];
	rst_make_regval(p, 1, true, type, id, value);
	assert_int_equal(rst_carried_take(known, p, false), 0);
}

static int has(unsigned type, unsigned id)
{
	return known->cpus[1]->regs->have[type][id];
}

static void a_register_is_known_until_something_writes_it(void **state)
{
	(void)state;
	assert_int_equal(rst_carried_new(c, true, &known), 0);
	for (unsigned i = 1; i < 32; i++)
		take_reg(RST_R_INT, i, i);
	take_instr(ADD, 0); /* %o0 */
	assert_false(has(RST_R_INT, 8));
	assert_true(has(RST_R_INT, 9) && has(RST_R_INT, 1));
	take_instr(SETHI_G1, RST_I_AN); /* did not run */
	assert_true(has(RST_R_INT, 1));
	take_instr(SETHI_G1, 0);
	assert_false(has(RST_R_INT, 1));
	take_instr(SAVE, 0); /* %o1 to %i1, %sp new */
	assert_true(has(RST_R_INT, 25));
	assert_int_equal(known->cpus[1]->regs->value[RST_R_INT][25], 9);
	assert_false(has(RST_R_INT, 9) || has(RST_R_INT, 16) || has(RST_R_INT, 14));
	take_instr(RESTORE, 0);
	assert_true(has(RST_R_INT, 9) && has(RST_R_INT, 7));
	assert_false(has(RST_R_INT, 25));
	take_instr(LDX, 0); /* %g1 */
	take_reg(RST_R_INT, 1, 5);
	assert_true(has(RST_R_INT, 1));
	take_instr(RETRY, 0);
	for (unsigned i = 0; i < 32; i++)
		assert_false(has(RST_R_INT, i));
	rst_carried_free(known);
}

/* A PREG is told whole: what of it is no longer true is counted. */
static void what_is_written_makes_a_preg_stale(void **state)
{
	enum { WR_ASI = 0x87802020, WRPR_PSTATE = 0x8d902016, ASI = 3, PSTATE = 6 };
	const struct rst_preg preg = {.cpu = 1, .pstate = 0x12, .asi = 0x82};
	struct base_buf front, ids;
	uint8_t p[SIZE];
	(void)state;
	assert_int_equal(rst_carried_new(c, true, &known), 0);
	base_buf_init(&front, c);
	base_buf_init(&ids, c);
	const struct rst_carried_cpu *cpu = rst_carried_cpu(known, 1);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t enc = i ? WRPR_PSTATE : WR_ASI;
		unsigned type = i ? RST_R_PRIV : RST_R_OTHER, id = i ? PSTATE : ASI;
		rst_make_preg(p, &preg);
		assert_int_equal(rst_carried_take(known, p, false), 0);
		assert_int_equal(cpu->stale, 0);
		take_instr(enc, RST_I_AN); /* did not run */
		assert_int_equal(cpu->stale, 0);
		take_instr(enc, 0);
		assert_int_equal(cpu->stale, i ? RST_STALE_PSTATE : RST_STALE_ASI);
		rst_make_instr(p, 1, 0, ADD, cpu->next, 0);
		rst_carried_untell(known);
		known->stale = 0;
		assert_int_equal(rst_carried_tell(known, 1, p, &front, &ids), 0);
		assert_int_equal(known->stale, 1);
		take_reg(type, id, 0x20);
		assert_int_equal(cpu->stale, 0);
		assert_int_equal(i ? cpu->pstate : cpu->asi, 0x20);
		take_instr(enc, 0);
	}
	base_buf_free(&front);
	base_buf_free(&ids);
	rst_carried_free(known);
}

static void a_quad_register_and_its_parts_forget_each_other(void **state)
{
	(void)state;
	assert_int_equal(rst_carried_new(c, true, &known), 0);
	take_reg(RST_R_FLOAT, 2, 1);
	take_reg(RST_R_FLOAT, 33, 1);
	take_reg(RST_R_FLOAT, 8, 1);
	take_instr(0x85a00842, 0); /* a floating-point add to %f2 */
	assert_false(has(RST_R_FLOAT, 2) || has(RST_R_FLOAT, 33));
	assert_true(has(RST_R_FLOAT, 8));
	rst_carried_free(known);
}

static void traps_and_returns_move_the_level(void **state)
{
	static const uint8_t next[SIZE] = {CAIRN_RST_INSTR};
	uint8_t p[SIZE];
	struct base_buf out, ids;
	(void)state;
	base_buf_init(&out, c);
	base_buf_init(&ids, c);
	assert_int_equal(rst_carried_new(c, true, &known), 0);
	const struct rst_preg preg = {.cpu = 1, .pstate = 0x12, .asi = 0x82, .primary = 5};
	rst_make_preg(p, &preg);
	assert_int_equal(rst_carried_take(known, p, true), 0);
	rst_make_trap(p, 1, false, 0, 0x68, 0x12, 0x4000, 0x4004);
	assert_int_equal(rst_carried_take(known, p, false), 0);
	assert_int_equal(rst_carried_tell(known, 1, next, &out, &ids), 0);
	/* PREG, then TPC and TNPC, and TT (clause 2(f)). */
	assert_int_equal(out.len, 3 * SIZE);
	assert_int_equal(out.data[0], CAIRN_RST_PREG);
	assert_int_equal(out.data[4], 1);
	assert_int_equal(out.data[5], 0x68);
	assert_int_equal(base_be64(out.data + SIZE + 8), 0x4000);
	assert_int_equal(base_be64(out.data + SIZE + 16), 0x4004);
	assert_int_equal(base_be64(out.data + 2 * SIZE + 8), 0x68);
	out.len = 0;
	assert_int_equal(rst_carried_tell(known, 1, next, &out, &ids), 0);
	assert_int_equal(out.len, 0); /* told once */
	take_instr(RETRY, 0);
	assert_int_equal(rst_carried_tell(known, 1, next, &out, &ids), 0);
	assert_int_equal(out.len, SIZE);
	assert_int_equal(out.data[4], 0);
	assert_int_equal(base_be16(out.data + 6), 0x12);
	base_buf_free(&out);
	base_buf_free(&ids);
	rst_carried_free(known);
}

/* Behind a trap that nobody is seen to handle, a user's instruction is at the level before. */
static void a_program_goes_on_behind_its_trap(void **state)
{
	uint8_t p[SIZE];
	(void)state;
	for (unsigned user = 0; user < 2; user++) {
		assert_int_equal(rst_carried_new(c, true, &known), 0);
		const struct rst_preg preg = {.cpu = 1, .pstate = 0x12, .asi = 0x82, .primary = 5};
		rst_make_preg(p, &preg);
		assert_int_equal(rst_carried_take(known, p, true), 0);
		rst_make_trap(p, 1, false, 0, 0x16d, 0x12, 0x10000, 0x10004);
		assert_int_equal(rst_carried_take(known, p, true), 0);
		take_instr(TA, RST_I_BT);
		assert_int_equal(known->cpus[1]->tl, 1);
		take_instr(NOP, user ? 0 : RST_I_PR);
		assert_int_equal(known->cpus[1]->tl, user ? 0 : 1);
		assert_int_equal(known->cpus[1]->pstate == 0x12, user);
		rst_carried_free(known);
	}
}

/* Where a delay slot leads is told before it, and before no other instruction. */
static void a_slot_s_target_is_told(void **state)
{
	enum { CALL = 0x40000004 };
	uint8_t call[SIZE] = {CAIRN_RST_INSTR, RST_I_BT | RST_I_EA_VALID, 1 << 2}, next[SIZE];
	struct base_buf out, ids;
	(void)state;
	base_buf_init(&out, c);
	base_buf_init(&ids, c);
	assert_int_equal(rst_carried_new(c, true, &known), 0);
	base_put_be32(call + 4, CALL);
	base_put_be64(call + 8, 0x1000);
	base_put_be64(call + 16, 0x1010);
	memcpy(next, call, SIZE);
	base_put_be64(next + 8, 0x1004);
	assert_int_equal(rst_carried_take(known, call, false), 0);
	assert_true(rst_carried_any(known, 1));
	assert_false(rst_carried_untold(known, 1, call));
	assert_true(rst_carried_untold(known, 1, next));
	assert_int_equal(rst_carried_tell(known, 1, next, &out, &ids), 0);
	assert_int_equal(out.len, SIZE);
	assert_true(rst_tells_npc(out.data));
	assert_int_equal(rst_cpu_of(out.data, true), 1);
	assert_int_equal(base_be64(out.data + 8), 0x1004);
	assert_int_equal(base_be64(out.data + 16), 0x1010);
	out.len = 0;
	assert_int_equal(rst_carried_tell(known, 1, next, &out, &ids), 0);
	assert_int_equal(out.len, 0);
	assert_int_equal(rst_carried_take(known, call, true), 0);
	assert_false(rst_carried_any(known, 1)); /* the output has the call */
	base_buf_free(&out);
	base_buf_free(&ids);
	rst_carried_free(known);
}

/* ---- an index's state ---- */

static void the_state_of_a_place_comes_back(void **state)
{
	static uint8_t trace[3 * SIZE];
	struct cairn_reader *reader;
	struct base_buf bytes;
	struct rst_state *left = calloc(1, sizeof *left), *right = calloc(1, sizeof *right);
	(void)state;
	assert_true(left && right);
	rst_make_header(trace, RST_NEWEST);
	rst_make_level(trace + SIZE, 1, 0);
	rst_make_info2(trace + (size_t)2 * SIZE, 0, 1, 1, 1);
	assert_int_equal(cairn_open_memory(c, trace, sizeof trace, NULL, &reader), 0);
	rst_state_init(left);
	left->n = 1000;
	left->rec = 2000;
	left->cpus[1023] = (struct rst_cpu){.pc = 4,
	                                    .npc = 8,
	                                    .flags = RST_C_NPC | RST_C_PC_DIFF,
	                                    .pc_diff = 0x1000,
	                                    .asid = 9,
	                                    .first = RST_NONE,
	                                    .last = RST_NONE};
	uint8_t rec[SIZE];
	rst_make_trap(rec, 1023, false, 0, 0x68, 0, 0x10, 0x14);
	rst_wait(left, rec, 1023, 1999);
	base_buf_init(&bytes, c);
	assert_true(rst_state_put(reader, left, &bytes) >= 0);
	assert_int_equal(rst_state_get(reader, bytes.data, bytes.len, right), 0);
	assert_memory_equal(left, right, sizeof *left);
	for (size_t n = 0; n < bytes.len; n++)
		assert_int_equal(rst_state_get(reader, bytes.data, n, right), CAIRN_E_DAMAGED);
	bytes.data[38] = CAIRN_RST_INSTR; /* waits for nothing */
	assert_int_equal(rst_state_get(reader, bytes.data, bytes.len, right), CAIRN_E_DAMAGED);
	base_buf_free(&bytes);
	free(left);
	free(right);
	cairn_close(reader);
}

/* ---- held back ---- */

static void what_must_be_held_back_is_all_there(void **state)
{
	enum { PIECES = 2, RECORDS = 1000000 };
	struct rst_output target;
	struct rst_pack *pk;
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	uint8_t *recs = calloc(RECORDS, SIZE), p[SIZE];
	(void)state;
	assert_non_null(recs);
	for (size_t i = 0; i < RECORDS; i++)
		rst_make_instr(recs + i * SIZE, 0, 0, NOP, 4 * i, 0);
	rst_make_header(recs, RST_NEWEST);
	assert_int_equal(rst_output_choose(c, path, "rstzip", NULL, 0, &target), 0);
	assert_int_equal(rst_pack_open(c, path, &target, 1, true, &pk), 0);
	for (unsigned i = 0; i < PIECES; i++) /* more than is held in memory */
		assert_true(rst_pack_put(pk, recs, RECORDS) >= 0);
	rst_make_level(p, 77, 0);
	assert_true(rst_pack_again(pk, 1, p) >= 0);
	assert_int_equal(rst_pack_again(pk, (uint64_t)RECORDS * PIECES - 1, p), CAIRN_E_STATE);
	assert_true(rst_pack_finish(pk, NULL) >= 0);
	assert_int_equal(cairn_open(c, path, NULL, &reader), 0);
	assert_true(cairn_count(reader, 1, &tally) >= 0);
	assert_int_equal(tally.instructions, PIECES * (RECORDS - 1) - 1);
	assert_int_equal(tally.by_record[CAIRN_RST_TRACEINFO], 1);
	cairn_close(reader);
	unlink(path);
	free(recs);
}

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	if (!c || !mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/x.rst", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	rmdir(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_of_another_get_a_beginning_of_their_own),
		cmocka_unit_test(what_rst_wants_and_others_do_not_tell_is_made),
		cmocka_unit_test(what_is_not_sparc_is_refused_and_leaves_no_file),
		cmocka_unit_test(what_rst_has_no_place_for_is_in_the_ledger),
		cmocka_unit_test(two_registers_share_a_record),
		cmocka_unit_test(a_part_begins_with_the_tlbs_of_all_its_cpus),
		cmocka_unit_test(a_register_is_known_until_something_writes_it),
		cmocka_unit_test(what_is_written_makes_a_preg_stale),
		cmocka_unit_test(a_quad_register_and_its_parts_forget_each_other),
		cmocka_unit_test(traps_and_returns_move_the_level),
		cmocka_unit_test(a_program_goes_on_behind_its_trap),
		cmocka_unit_test(a_slot_s_target_is_told),
		cmocka_unit_test(the_state_of_a_place_comes_back),
		cmocka_unit_test(what_must_be_held_back_is_all_there),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
