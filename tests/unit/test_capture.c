/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of a capture, made here record by record, becomes the rows it should, and no
 * damage to it goes unsaid; what encodings write; and, where QEMU is, that the recorder's
 * registers are those an interpreter computes from the ones before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "formats/capture/capture.h"
#include "recorder/machine.h"

/* ---- what encodings write ---- */

static void test_dests(void **state)
{
	(void)state;
	enum { F = CAPTURE_FP, C = CAPTURE_FLAGS, Y = CAPTURE_Y, S = CAPTURE_CONTROL };
	static const struct {
		uint8_t isa, size;
		uint32_t enc;
		int dest[4]; /* numbers + 1 */
	} cases[] = {
		{CAIRN_ISA_RV64, 4, 0x0005b503, {11}},               /* ld a0,0(a1) */
		{CAIRN_ISA_RV64, 4, 0x00b53023, {0}},                /* sd */
		{CAIRN_ISA_RV64, 4, 0xfed59de3, {0}},                /* bne */
		{CAIRN_ISA_RV64, 4, 0xd65ff0ef, {2}},                /* jal ra */
		{CAIRN_ISA_RV64, 4, 0x00000073, {0}},                /* ecall */
		{CAIRN_ISA_RV64, 4, 0x00b6b52f, {11}},               /* amoadd.d a0 */
		{CAIRN_ISA_RV64, 4, 0x0537a02f, {0}},                /* amoadd.w zero */
		{CAIRN_ISA_RV64, 4, 0xa2a51553, {11, S + 1}},        /* flt.d a0 */
		{CAIRN_ISA_RV64, 4, 0x02b57553, {F + 11, S + 1}},    /* fadd.d fa0 */
		{CAIRN_ISA_RV64, 4, 0x22b58553, {F + 11}},           /* fmv.d fa0 */
		{CAIRN_ISA_RV64, 4, 0x00302573, {11}},               /* csrr a0,fcsr */
		{CAIRN_ISA_RV64, 4, 0x00351573, {11, S + 1, S + 2}}, /* csrw fcsr,a0 */
		{CAIRN_ISA_RV64,
	     4,
	     0x0d157557,
	     {11, CAPTURE_VL + 1, CAPTURE_VTYPE + 1, CAPTURE_VSTART + 1}},             /* vsetvli */
		{CAIRN_ISA_RV64, 4, 0x02208257, {CAPTURE_VECTOR + 5, CAPTURE_VSTART + 1}}, /* vadd.vv v4 */
		{CAIRN_ISA_RV64,
	     4,
	     0x82208257,
	     {CAPTURE_VECTOR + 5, CAPTURE_VSTART + 1, CAPTURE_VXSAT + 1}}, /* vsaddu.vv v4 */
		{CAIRN_ISA_RV64, 2, 0x9782, {2}},                              /* jalr a5 */
		{CAIRN_ISA_RV64, 2, 0x60a2, {2}},                              /* ld ra,8(sp) */
		{CAIRN_ISA_A64, 4, 0xa9be7bfd, {32}},                          /* stp x29,x30,[sp,-32]! */
		{CAIRN_ISA_A64, 4, 0xa8c27bfd, {30, 31, 32}},                  /* ldp x29,x30,[sp],32 */
		{CAIRN_ISA_A64, 4, 0xb9400be0, {1}},                           /* ldr w0,[sp,8] */
		{CAIRN_ISA_A64, 4, 0xeb01001f, {C + 1}},                       /* cmp x0,x1 */
		{CAIRN_ISA_A64, 4, 0x94000000, {31}},                          /* bl */
		{CAIRN_ISA_A64, 4, 0x1e602820, {F + 1, S + 1}},                /* fadd d0,d1,d0 */
		{CAIRN_ISA_A64, 4, 0x9e780000, {1, S + 1}},                    /* fcvtzs x0,d0 */
		{CAIRN_ISA_A64, 4, 0x4ea18400, {F + 1, S + 1}},                /* add v0.4s,… */
		{CAIRN_ISA_A64, 4, 0x3dc003e5, {F + 6}},                       /* ldr q5,[sp] */
		{CAIRN_ISA_SPARC, 4, 0x9de3bf50, {15}},                        /* save %sp,-176,%sp */
		{CAIRN_ISA_SPARC, 4, 0x40009761, {16}},                        /* call */
		{CAIRN_ISA_SPARC, 4, 0xc25a3ff8, {2}},                         /* ldx [%o0-8],%g1 */
		{CAIRN_ISA_SPARC, 4, 0xd070a1f0, {0}},                         /* stx */
		{CAIRN_ISA_SPARC, 4, 0x80a2c009, {C + 1}},                     /* cmp */
		{CAIRN_ISA_SPARC, 4, 0x05000c2a, {3}},                         /* sethi …,%g2 */
		{CAIRN_ISA_SPARC, 4, 0x01000000, {0}},                         /* nop */
		{CAIRN_ISA_SPARC, 4, 0xc41a0000, {3, 4}},                      /* ldd [%o0],%g2 */
		{CAIRN_ISA_SPARC, 4, 0x81800000, {Y + 1}},                     /* wr %g0,%y */
		{CAIRN_ISA_SPARC, 4, 0x85a0884a, {F + 2, S + 1}},              /* faddd %f2,%f10,%f2 */
		{CAIRN_ISA_SPARC, 4, 0xc11a0000, {F + 1}},                     /* ldd [%o0],%f0 */
		{CAIRN_ISA_SPARC, 4, 0x81580000, {0}},                         /* flushw */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cairn_op op;
		struct capture_dests dests;
		unsigned n = 0;
		cairn_isa_decode((enum cairn_isa)cases[i].isa, cases[i].enc, cases[i].size, &op);
		capture_dests(&op, &dests);
		while (n < 4 && cases[i].dest[n])
			if (!capture_is_dest(&dests, (unsigned)cases[i].dest[n++] - 1))
				fail_msg("%s 0x%x: %d is not among its destinations",
				         cairn_isa_name((enum cairn_isa)op.isa), op.enc, cases[i].dest[n - 1] - 1);
		if (dests.n != n)
			fail_msg("%s 0x%x: %u destinations, not %u", cairn_isa_name((enum cairn_isa)op.isa),
			         op.enc, dests.n, n);
	}
}

/* Which of enum machine_may a register of the stream belongs to; 0: any instruction may change it. */
static unsigned group_of(unsigned isa, unsigned num)
{
	bool riscv = isa == CAIRN_ISA_RV64 || isa == CAIRN_ISA_RV32;
	if (num >= CAPTURE_VECTOR ||
	    (isa == CAIRN_ISA_A64 && num >= CAPTURE_FP && num < CAPTURE_FLAGS) ||
	    (riscv && num >= CAPTURE_VSTART))
		return MACHINE_VECTORS;
	if (num < CAPTURE_CONTROL)
		return 0;
	return isa == CAIRN_ISA_SPARC && num == CAPTURE_ASI ? MACHINE_CONTROL : MACHINE_FLOAT_CONTROL;
}

/* What the recorder asks for after an instruction has whatever the reader says it writes. */
static void candidates_are_enough(const struct machine *machine, unsigned isa, uint32_t enc,
                                  unsigned size)
{
	struct cairn_op op;
	struct capture_dests dests;
	uint64_t may = machine_candidates(machine, enc, size);
	cairn_isa_decode((enum cairn_isa)isa, enc, size, &op);
	if (op.cls == CAIRN_CLASS_ILLEGAL)
		return;
	capture_dests(&op, &dests);
	for (unsigned i = 0; i < dests.n; i++)
		if (dests.dest[i].num < CAPTURE_FLAGS && !(may >> dests.dest[i].num & 1))
			fail_msg("%s 0x%x: %u is no candidate", cairn_isa_name((enum cairn_isa)isa), enc,
			         dests.dest[i].num);
	for (unsigned i = 0; i < dests.n; i++)
		if (group_of(isa, dests.dest[i].num) & ~machine_besides(machine, enc, size))
			fail_msg("%s 0x%x: %u is not asked for", cairn_isa_name((enum cairn_isa)isa), enc,
			         dests.dest[i].num);
}

static void test_candidates(void **state)
{
	static const struct {
		unsigned isa;
		const char *name;
	} sets[] = {{CAIRN_ISA_RV64, "riscv64"},
	            {CAIRN_ISA_RV32, "riscv32"},
	            {CAIRN_ISA_A64, "aarch64"},
	            {CAIRN_ISA_SPARC, "sparc64"}};
	uint64_t seed = 7;
	(void)state;
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
		struct machine machine = {.target = sets[s].name};
		bool riscv = s < 2;
		for (uint32_t e = 0; riscv && e < 0x10000; e++)
			if ((e & 3) != 3)
				candidates_are_enough(&machine, sets[s].isa, e, 2);
		for (unsigned i = 0; i < 300000; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			candidates_are_enough(&machine, sets[s].isa, (uint32_t)(seed >> 32) | (riscv ? 3u : 0u),
			                      4);
		}
	}
}

/* ---- streams ---- */

struct stream {
	uint8_t data[1 << 14];
	size_t n;
	uint32_t ids;
};

static void word(struct stream *stream, uint64_t value)
{
	base_put_le64(stream->data + stream->n, value);
	stream->n += 8;
}

static void begin(struct stream *stream, unsigned isa)
{
	*stream = (struct stream){0};
	memcpy(stream->data, CAPTURE_MAGIC, 8);
	capture_put_HEADER_version(stream->data, CAPTURE_VERSION);
	capture_put_HEADER_isa(stream->data, (uint8_t)isa);
	capture_put_HEADER_flags(stream->data, CAPTURE_REGISTERS);
	stream->n = CAPTURE_LEN_HEADER;
}

static uint32_t def(struct stream *stream, uint64_t pc, uint32_t enc, uint32_t next)
{
	word(stream, CAPTURE_DEF | 4 << 8 | 1 << 16 | (uint64_t)stream->ids << 32);
	word(stream, pc);
	word(stream, enc | (uint64_t)next << 32);
	return stream->ids++;
}

static void exec(struct stream *stream, uint32_t id, unsigned regs, unsigned mems, unsigned flags)
{
	word(stream, CAPTURE_EXEC | regs << 8 | mems << 16 | flags << 24 | (uint64_t)id << 32);
}

static void end(struct stream *stream)
{
	word(stream, CAPTURE_END);
	word(stream, 0);
}

struct reading {
	struct cairn *cairn;
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	int rc;
};

static struct reading read_stream(const struct stream *stream)
{
	struct reading reading = {.cairn = cairn_new(NULL)};
	reading.batch = cairn_batch_new(reading.cairn);
	reading.rc = cairn_open_memory(reading.cairn, stream->data, stream->n, NULL, &reading.reader);
	if (reading.rc >= 0)
		reading.rc = cairn_next(reading.reader, reading.batch);
	return reading;
}

static void done(struct reading *reading)
{
	cairn_close(reading->reader);
	cairn_batch_free(reading->cairn, reading->batch);
	cairn_free(reading->cairn);
}

static void test_branches(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_RV64);
	uint32_t bne = def(&stream, 0x1000, 0x00b51463, 0); /* bne a0,a1,.+8 */
	uint32_t ret = def(&stream, 0x1004, 0x00008067, 0);
	exec(&stream, bne, 0, 0, 0);
	exec(&stream, ret, 0, 0, CAPTURE_NEXT);
	word(&stream, 0x1000);
	exec(&stream, bne, 0, 0, CAPTURE_NEXT);
	word(&stream, 0x1008);
	exec(&stream, bne, 0, 0, CAPTURE_NEXT); /* a handler, from 0x1000 to 0x5000 */
	word(&stream, 0x5000);
	exec(&stream, ret, 0, 0, CAPTURE_OPEN);
	end(&stream);
	struct reading reading = read_stream(&stream);
	assert_int_equal(reading.rc, 1);
	assert_int_equal(reading.batch->n_insns, 5);
	const struct cairn_insn *in = reading.batch->insns;
	assert_int_equal(in[0].flags, CAIRN_INSN_NOT_TAKEN);
	assert_int_equal(in[1].flags, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(in[1].target, 0x1000);
	assert_int_equal(in[2].flags, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(in[2].target, 0x1008);
	assert_int_equal(in[3].flags, CAIRN_INSN_DISCONTINUITY); /* 0x1008 was to be next */
	assert_int_equal(in[4].flags, 0);
	assert_int_equal(cairn_next(reading.reader, reading.batch), 0);
	done(&reading);
}

static void test_slots(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_SPARC);
	uint32_t brnz_a = def(&stream, 0x1000, 0x2ac84004, 0x01000000); /* brnz,a %g1,.+16 */
	uint32_t nop = def(&stream, 0x1004, 0x01000000, 0);
	uint32_t ba_a = def(&stream, 0x2000, 0x30800004, 0x01000000); /* ba,a .+16 */
	exec(&stream, brnz_a, 0, 0, 0);
	exec(&stream, nop, 0, 0, CAPTURE_NEXT);
	word(&stream, 0x1010);
	exec(&stream, brnz_a, 0, 0, CAPTURE_NEXT); /* not taken: the slot does not run */
	word(&stream, 0x1008);
	exec(&stream, ba_a, 0, 0, CAPTURE_NEXT);
	word(&stream, 0x2010);
	exec(&stream, nop, 0, 0, CAPTURE_NEXT); /* and again: only the last time is told */
	word(&stream, 0x1004);
	exec(&stream, nop, 0, 0, 0);
	end(&stream);
	struct reading reading = read_stream(&stream);
	assert_int_equal(reading.rc, 1);
	assert_int_equal(reading.batch->n_insns, 7);
	const struct cairn_insn *in = reading.batch->insns;
	assert_int_equal(in[0].flags, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(in[0].target, 0x1010);
	assert_int_equal(in[1].flags, 0);
	assert_int_equal(in[2].flags & ~(unsigned)CAIRN_INSN_DISCONTINUITY, CAIRN_INSN_NOT_TAKEN);
	assert_int_equal(in[3].flags, CAIRN_INSN_ANNULLED);
	assert_int_equal(in[3].pc, 0x1004);
	assert_int_equal(in[3].enc, 0x01000000);
	assert_int_equal(in[4].target, 0x2010);
	assert_int_equal(in[5].flags, CAIRN_INSN_ANNULLED);
	assert_int_equal(in[6].pc, 0x1004);
	done(&reading);
}

/* A signal's handler at 0x5000 behind branches: where they went is not where it is. */
static void handler(struct stream *stream, uint32_t id)
{
	exec(stream, id, 0, 0, CAPTURE_NEXT);
	word(stream, 0x5000);
}

static void went(const struct cairn_insn *in, uint64_t target)
{
	assert_int_equal(in->flags & ~(unsigned)CAIRN_INSN_DISCONTINUITY,
	                 CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(in->target, target);
}

static void test_handlers(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_RV64);
	uint32_t jal = def(&stream, 0x1000, 0x010000ef, 0);  /* jal ra,.+16 */
	uint32_t jalr = def(&stream, 0x1010, 0x008300e7, 0); /* jalr ra,8(t1) */
	uint32_t addi = def(&stream, 0x2008, 0x00150513, 0); /* addi a0,a0,1 */
	uint32_t addt = def(&stream, 0x200c, 0x00130313, 0); /* addi t1,t1,1 */
	word(&stream, CAPTURE_STATE | 1 << 8);
	word(&stream, 6);
	word(&stream, 0x2000);
	exec(&stream, jal, 2, 0, CAPTURE_NEXT); /* ra and a0 are the handler's */
	word(&stream, 1 | 10 << 8);
	word(&stream, 0x7777);
	word(&stream, 14);
	word(&stream, 0x5000);
	handler(&stream, jalr);
	handler(&stream, addi);
	handler(&stream, addt);
	end(&stream);
	struct reading reading = read_stream(&stream);
	assert_int_equal(reading.rc, 1);
	const struct cairn_insn *in = reading.batch->insns;
	const struct cairn_reg *reg = reading.batch->regs;
	went(&in[0], 0x1010);
	went(&in[1], 0x2008);
	assert_true(in[1].flags & CAIRN_INSN_DISCONTINUITY);
	assert_int_equal(reg[1].num, 1); /* behind t1, which was told before */
	assert_int_equal(reg[1].role, CAIRN_ROLE_DST);
	assert_int_equal(reg[1].value, 0x1004);
	assert_int_equal(reg[in[1].reg0].role, CAIRN_ROLE_STATE);
	assert_int_equal(reg[in[1].reg0].value, 0x7777);
	const struct cairn_reg *last = &reg[in[3].reg0 - 1]; /* a0, which the handler was given */
	assert_int_equal(last->num, 10);
	assert_int_equal(last->role, CAIRN_ROLE_DST);
	assert_false(last->flags & CAIRN_VALUE_KNOWN);
	last = &reg[reading.batch->n_regs - 1]; /* t1, which it was not */
	assert_int_equal(last->num, 6);
	assert_true(last->flags & CAIRN_VALUE_KNOWN);
	done(&reading);
}

/* What a register held before an instruction is told as it was, though a handler has it with
 * another value behind. */
static void test_state_before_handlers(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_RV64);
	uint32_t addi = def(&stream, 0x1000, 0x00130313, 0); /* addi t1,t1,1 */
	uint32_t nop = def(&stream, 0x5000, 0x00000013, 0);
	word(&stream, CAPTURE_STATE | 1 << 8);
	word(&stream, 10);
	word(&stream, 0x1111);
	exec(&stream, addi, 1, 0, CAPTURE_NEXT); /* a0 is the handler's */
	word(&stream, 10);
	word(&stream, 14);
	word(&stream, 0x5000);
	exec(&stream, nop, 0, 0, 0);
	end(&stream);
	struct reading reading = read_stream(&stream);
	assert_int_equal(reading.rc, 1);
	const struct cairn_reg *reg = reading.batch->regs;
	for (unsigned i = 0; i < 2; i++) {
		const struct cairn_reg *a0 = &reg[reading.batch->insns[i].reg0];
		assert_int_equal(a0->num, 10);
		assert_int_equal(a0->role, CAIRN_ROLE_STATE);
		assert_int_equal(a0->value, i ? 14 : 0x1111);
	}
	done(&reading);
}

static void test_handlers_and_slots(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_SPARC);
	uint32_t call = def(&stream, 0x1000, 0x40000010, 0); /* call .+64 */
	uint32_t slot = def(&stream, 0x1004, 0x01000000, 0);
	uint32_t be = def(&stream, 0x1100, 0x02400003, 0); /* be .+12 */
	uint32_t slot2 = def(&stream, 0x1104, 0x01000000, 0);
	uint32_t ba_a = def(&stream, 0x1200, 0x30800004, 0x01000000);
	uint32_t retl = def(&stream, 0x1300, 0x81c3e008, 0); /* jmp %o7+8 */
	uint32_t slot3 = def(&stream, 0x1304, 0x01000000, 0);
	exec(&stream, call, 0, 0, 0);
	handler(&stream, slot); /* behind the slot */
	handler(&stream, call); /* before it */
	exec(&stream, be, 0, 0, 0);
	handler(&stream, slot2);
	handler(&stream, ba_a);
	word(&stream, CAPTURE_STATE | 1 << 8);
	word(&stream, 15);
	word(&stream, 0x8000);
	exec(&stream, retl, 0, 0, 0);
	handler(&stream, slot3);
	end(&stream);
	struct reading reading = read_stream(&stream);
	assert_int_equal(reading.rc, 1);
	const struct cairn_insn *in = reading.batch->insns;
	assert_int_equal(reading.batch->n_insns, 9);
	went(&in[0], 0x1040);
	went(&in[2], 0x1040);
	assert_true(in[2].flags & CAIRN_INSN_DISCONTINUITY);
	assert_int_equal(in[3].flags & ~(unsigned)CAIRN_INSN_DISCONTINUITY, 0); /* nobody knows */
	went(&in[5], 0x1210);
	assert_int_equal(in[6].flags, CAIRN_INSN_ANNULLED);
	went(&in[7], 0x8008);
	done(&reading);
}

static void test_rows(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_RV64);
	uint32_t amo = def(&stream, 0x1000, 0x00b6b52f, 0); /* amoadd.d a0,a1,(a3) */
	uint32_t ecall = def(&stream, 0x1004, 0x00000073, 0);
	uint32_t lw = def(&stream, 0x1008, 0x0005a503, 0);
	word(&stream, CAPTURE_STATE | 1 << 8);
	word(&stream, 17);
	word(&stream, 64);
	exec(&stream, amo, 1, 1, 0);
	word(&stream, 10);
	word(&stream, 5);
	word(&stream, CAPTURE_WRITE | CAPTURE_VALUE | 8 << 8);
	word(&stream, 0x8000);
	word(&stream, 12);
	exec(&stream, ecall, 0, 0, CAPTURE_SYSCALL);
	for (unsigned i = 0; i <= CAPTURE_ARGS; i++)
		word(&stream, 64 + i);
	word(&stream, CAPTURE_THREAD | (uint64_t)3 << 32);
	exec(&stream, lw, 0, 0, CAPTURE_OPEN); /* no access: it failed */
	end(&stream);
	struct reading reading = read_stream(&stream);
	const struct cairn_batch *batch = reading.batch;
	assert_int_equal(reading.rc, 1);
	assert_int_equal(batch->n_insns, 3);
	assert_int_equal(batch->n_regs, 2);
	assert_int_equal(batch->regs[0].role, CAIRN_ROLE_STATE);
	assert_int_equal(batch->regs[0].num, 17);
	assert_int_equal(batch->regs[1].role, CAIRN_ROLE_DST);
	assert_int_equal(batch->regs[1].value, 5);
	assert_int_equal(batch->n_mems, 2);
	assert_int_equal(batch->mems[0].kind, CAIRN_MEM_READ);
	assert_int_equal(batch->mems[0].value, 5);
	assert_int_equal(batch->mems[1].value, 12);
	assert_int_equal(batch->n_events, 1);
	assert_int_equal(batch->events[0].kind, CAIRN_EV_SYSCALL);
	assert_int_equal(cairn_event_arg(batch, &batch->events[0], 0), 64);
	assert_int_equal(batch->insns[2].flags, CAIRN_INSN_ABORTED);
	assert_int_equal(batch->ctxs[batch->insns[2].ctx].tid, 4);
	done(&reading);
}

/* A pair of registers that came as one access, and as two. */
static void test_pair(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_A64);
	uint32_t ldp = def(&stream, 0x1000, 0xa9400801, 0); /* ldp x1, x2, [x0] */
	for (unsigned way = 0; way < 2; way++) {
		exec(&stream, ldp, 2, 1 + way, CAPTURE_NEXT);
		word(&stream, 0x201);
		word(&stream, 11 + way);
		word(&stream, 12 + way);
		for (unsigned i = 0; i < 1 + way; i++) {
			word(&stream, CAPTURE_READ | CAPTURE_VALUE | (way ? 8u : 16u) << 8);
			word(&stream, 0x8000 + 8 * i);
			word(&stream, 11 + way + i);
			if (!way)
				word(&stream, 12);
		}
		word(&stream, 0x1000);
	}
	end(&stream);
	struct reading reading = read_stream(&stream);
	const struct cairn_batch *batch = reading.batch;
	assert_int_equal(reading.rc, 1);
	assert_int_equal(batch->n_insns, 2);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(batch->mems[i].addr, 0x8000 + 8 * (i & 1));
		assert_int_equal(batch->mems[i].size, 8);
		assert_int_equal(batch->mems[i].value, 11 + i / 2 + (i & 1));
		assert_int_equal(batch->regs[batch->mems[i].reg - 1].num, 1 + (i & 1));
	}
	done(&reading);
}

static void access_of(struct stream *stream, unsigned kind, uint64_t memory)
{
	word(stream, kind | CAPTURE_VALUE | 8 << 8);
	word(stream, 0x8000);
	word(stream, memory);
}

/* Without MOVED another thread may have written meanwhile: registers know better. */
static void test_contended(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_RV64);
	uint32_t sd = def(&stream, 0x1000, 0x00b6b023, 0);  /* sd a1,0(a3) */
	uint32_t ld = def(&stream, 0x1004, 0x0006b503, 0);  /* ld a0,0(a3) */
	uint32_t amo = def(&stream, 0x1008, 0x00b6b5af, 0); /* amoadd.d a1,a1,(a3) */
	word(&stream, CAPTURE_STATE | 1 << 8);
	word(&stream, 11);
	word(&stream, 64);
	exec(&stream, sd, 0, 1, 0);
	access_of(&stream, CAPTURE_WRITE, 99);
	exec(&stream, ld, 1, 1, 0);
	word(&stream, 10);
	word(&stream, 65);
	access_of(&stream, CAPTURE_READ, 99);
	exec(&stream, amo, 1, 2, 0);
	word(&stream, 11);
	word(&stream, 5);
	access_of(&stream, CAPTURE_READ, 99);
	access_of(&stream, CAPTURE_WRITE, 99);
	end(&stream);
	struct reading reading = read_stream(&stream);
	static const uint64_t want[4] = {64, 65, 5, 69};
	assert_int_equal(reading.rc, 1);
	assert_int_equal(reading.batch->n_mems, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(reading.batch->mems[i].flags & CAIRN_VALUE_KNOWN);
		assert_int_equal(reading.batch->mems[i].value, want[i]);
	}
	done(&reading);
}

/* casx that finds 8 and expects 7 stores nothing; one that finds 7 does. */
static void test_compare_and_swap(void **state)
{
	(void)state;
	for (unsigned found = 7; found <= 8; found++) {
		struct stream stream;
		begin(&stream, CAIRN_ISA_SPARC);
		uint32_t casx = def(&stream, 0x1000, 0xc9f09003, 0); /* casx [%g2],%g3,%g4 */
		word(&stream, CAPTURE_STATE | 2 << 8);
		word(&stream, 3 | 4 << 8);
		word(&stream, 7);
		word(&stream, 9);
		exec(&stream, casx, 1, 2, 0);
		word(&stream, 4);
		word(&stream, found);
		access_of(&stream, CAPTURE_READ, 0);
		access_of(&stream, CAPTURE_WRITE, 0);
		end(&stream);
		struct reading reading = read_stream(&stream);
		const struct cairn_mem *mem = reading.batch->mems + 1; /* behind the fetch */
		assert_int_equal(reading.rc, 1);
		assert_int_equal(reading.batch->n_mems, found == 7 ? 3 : 2);
		assert_int_equal(mem[0].kind, CAIRN_MEM_READ);
		assert_int_equal(mem[0].value, found);
		if (found == 7)
			assert_int_equal(mem[1].value, 9);
		done(&reading);
	}
}

/* Cut anywhere, or with any byte of a length wrong: an error or an end, and no more. */
static void test_damage(void **state)
{
	(void)state;
	struct stream stream, t;
	begin(&stream, CAIRN_ISA_A64);
	uint32_t ldr = def(&stream, 0x1000, 0xf9400020, 0);
	exec(&stream, ldr, 2, 1, CAPTURE_NEXT);
	word(&stream, 0 | CAPTURE_FP << 8);
	word(&stream, 1);
	word(&stream, 2);
	word(&stream, 3);
	word(&stream, CAPTURE_READ | CAPTURE_VALUE | CAPTURE_OLD | 16 << 8);
	for (unsigned i = 0; i < 5; i++)
		word(&stream, 0x1000);
	end(&stream);
	for (size_t n = 0; n < stream.n; n++) {
		t = stream;
		t.n = n;
		struct reading reading = read_stream(&t);
		while (reading.rc > 0)
			reading.rc = cairn_next(reading.reader, reading.batch);
		bool whole = n == 24 || n == 48 || n == stream.n - 16;
		assert_int_equal(reading.rc < 0, !whole);
		done(&reading);
		for (unsigned v = 0; v < 256; v += 5) {
			t = stream;
			t.data[n] = (uint8_t)(t.data[n] ^ (v + 1));
			reading = read_stream(&t);
			while (reading.rc > 0)
				reading.rc = cairn_next(reading.reader, reading.batch);
			done(&reading);
		}
	}
}

/* ---- the recorder ---- */

static void reads_again(const struct cairn_insn *in, const uint64_t x[32], unsigned *checked,
                        const struct cairn_reg *dst)
{
	uint32_t e = in->enc;
	unsigned op = e & 0x7f, f3 = e >> 12 & 7, f7 = e >> 25, rd = e >> 7 & 31;
	uint64_t a = x[e >> 15 & 31], b = x[e >> 20 & 31], v;
	int64_t imm = (int32_t)e >> 20;
	if (in->size != 4)
		return;
	if (op == 0x13 && f3 == 0)
		v = a + (uint64_t)imm;
	else if (op == 0x13 && (f3 == 4 || f3 == 6 || f3 == 7))
		v = f3 == 4 ? a ^ (uint64_t)imm : f3 == 6 ? a | (uint64_t)imm : a & (uint64_t)imm;
	else if (op == 0x1b && f3 == 0)
		v = (uint64_t)(int64_t)(int32_t)(a + (uint64_t)imm);
	else if (op == 0x33 && f3 == 0 && (f7 == 0 || f7 == 32 || f7 == 1))
		v = f7 == 1 ? a * b : f7 ? a - b : a + b;
	else if (op == 0x3b && f3 == 0 && (f7 == 0 || f7 == 32 || f7 == 1))
		v = (uint64_t)(int64_t)(int32_t)(f7 == 1 ? a * b : f7 ? a - b : a + b);
	else if (op == 0x17)
		v = in->pc + (uint64_t)(int64_t)(int32_t)(e & 0xfffff000);
	else if (op == 0x37)
		v = (uint64_t)(int64_t)(int32_t)(e & 0xfffff000);
	else if (op == 0x6f || op == 0x67)
		v = in->pc + 4;
	else
		return;
	if (!rd)
		return;
	assert_non_null(dst);
	assert_int_equal(dst->num, rd);
	assert_int_equal(dst->value, v);
	++*checked;
}

/* Every register of the sample, followed by an interpreter of the commonest encodings. */
static void test_values(void **state)
{
	(void)state;
	char sample[1024];
	if (!getenv("CAIRN_SOURCE"))
		skip();
	snprintf(sample, sizeof sample, "%s/examples/sort.zstf", getenv("CAIRN_SOURCE"));
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader;
	uint64_t x[32] = {0};
	unsigned checked = 0;
	assert_int_equal(cairn_open(cairn, sample, NULL, &reader), 0);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++) {
			const struct cairn_reg *dst = NULL;
			for (uint32_t k = batch->insns[i].reg0; k < batch->insns[i + 1].reg0; k++)
				if (batch->regs[k].cls == CAIRN_REG_INT && batch->regs[k].role == CAIRN_ROLE_STATE)
					x[batch->regs[k].num] = batch->regs[k].value;
				else if (batch->regs[k].cls == CAIRN_REG_INT)
					dst = &batch->regs[k];
			reads_again(&batch->insns[i], x, &checked, dst);
			if (dst)
				x[dst->num] = dst->value;
		}
	if (checked < 3000)
		fail_msg("%u checked", checked);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- what the CPU has ---- */

static void cpu(struct stream *stream, unsigned vector, unsigned missing)
{
	word(stream, CAPTURE_CPU | missing << 8 | (uint64_t)vector << 16);
}

/* The last row of a slot; its wide value's byte i. */
static const struct cairn_reg *last_reg(const struct cairn_batch *batch, unsigned slot)
{
	return &batch->regs[batch->insns[slot + 1].reg0 - 1];
}

static unsigned byte_of(const struct cairn_batch *batch, const struct cairn_reg *reg, unsigned i)
{
	assert_true(reg->flags & CAIRN_VALUE_WIDE);
	return batch->bytes[reg->value + i];
}

/* Vectors of 32 bytes; an instruction writes one that its encoding does not name, and one has more
 * accesses than a byte counts. */
static void test_vectors(void **state)
{
	(void)state;
	static struct stream stream;
	begin(&stream, CAIRN_ISA_RV64);
	cpu(&stream, 32, 0);
	uint32_t add = def(&stream, 0x1000, 0x02208257, 0);  /* vadd.vv v4,v2,v1 */
	uint32_t load = def(&stream, 0x1004, 0x02058407, 0); /* vle8.v v8,(a1) */
	uint32_t set = def(&stream, 0x1008, 0x0d157557, 0);  /* vsetvli a0,a0,e32,m2,ta,ma */
	word(&stream, CAPTURE_STATE | 2 << 8);
	word(&stream, (CAPTURE_VECTOR + 5) | CAPTURE_VL << 8);
	for (unsigned i = 0; i < 4; i++)
		word(&stream, i);
	word(&stream, 8);
	exec(&stream, add, 1, 0, 0);
	word(&stream, CAPTURE_VECTOR + 5);
	for (unsigned i = 0; i < 4; i++)
		word(&stream, UINT64_C(0x1111111111111111) * i);
	uint8_t *head = stream.data + stream.n;
	exec(&stream, load, 0, 0, 0);
	capture_put_accesses(head, 300, 0);
	for (unsigned i = 0; i < 300; i++) {
		word(&stream, CAPTURE_READ | CAPTURE_VALUE | 1 << 8);
		word(&stream, 0x5000 + i);
		word(&stream, i & 0xff);
	}
	exec(&stream, set, 1, 0, 0);
	word(&stream, CAPTURE_VTYPE);
	word(&stream, 0xd1);
	end(&stream);
	struct reading reading = read_stream(&stream);
	const struct cairn_batch *batch = reading.batch;
	assert_int_equal(reading.rc, 1);
	const struct cairn_reg *reg = last_reg(batch, 0);
	assert_int_equal(reg->cls, CAIRN_REG_VECTOR);
	assert_int_equal(reg->num, 5);
	assert_int_equal(reg->role, CAIRN_ROLE_DST);
	assert_int_equal(reg->bits, 256);
	assert_int_equal(byte_of(batch, reg, 7), 0);
	assert_int_equal(byte_of(batch, reg, 31), 0x33);
	assert_int_equal(batch->insns[2].mem0 - batch->insns[1].mem0, 300);
	assert_int_equal(batch->mems[299].addr, 0x5000 + 299);
	reg = last_reg(batch, 2); /* vl, which did not change, is told before it */
	assert_int_equal(reg[-1].cls, CAIRN_REG_CSR);
	assert_int_equal(reg[-1].num, 0xc20);
	assert_int_equal(reg[-1].value, 8);
	assert_int_equal(reg->num, 0xc21);
	assert_int_equal(reg->value, 0xd1);
	done(&reading);
}

/* SVE's: predicates have a bit for each byte, and V is a part of Z. */
static void test_scalable(void **state)
{
	(void)state;
	struct stream stream;
	begin(&stream, CAIRN_ISA_A64);
	cpu(&stream, 32, CAPTURE_NO_FLOAT_CONTROL);
	uint32_t ptrue = def(&stream, 0x1000, 0x2518e3e2, 0); /* ptrue p2.b */
	uint32_t fmov = def(&stream, 0x1004, 0x1e6e1003, 0);  /* fmov d3,#1.0 */
	exec(&stream, ptrue, 1, 0, 0);
	word(&stream, CAPTURE_PREDICATE + 2);
	word(&stream, 0xffffffff);
	exec(&stream, fmov, 1, 0, 0);
	word(&stream, CAPTURE_FP + 3);
	word(&stream, UINT64_C(0x3ff0000000000000));
	for (unsigned i = 1; i < 4; i++)
		word(&stream, 0);
	end(&stream);
	struct reading reading = read_stream(&stream);
	const struct cairn_batch *batch = reading.batch;
	assert_int_equal(reading.rc, 1);
	const struct cairn_reg *reg = last_reg(batch, 0);
	assert_int_equal(reg->cls, CAIRN_REG_PREDICATE);
	assert_int_equal(reg->num, 2);
	assert_int_equal(reg->bits, 32);
	assert_int_equal(reg->value, 0xffffffff);
	reg = last_reg(batch, 1);
	assert_int_equal(reg->cls, CAIRN_REG_VECTOR);
	assert_int_equal(reg->num, 32 + 3);
	assert_int_equal(reg->bits, 256);
	assert_int_equal(byte_of(batch, reg, 7), 0x3f);
	assert_int_equal(byte_of(batch, reg, 31), 0);
	done(&reading);
}

/* Lengths that cannot be, or come when registers have been told, are damage. */
static void test_lengths(void **state)
{
	(void)state;
	static const struct {
		uint16_t isa, vector;
		int status;
	} cases[] = {{CAIRN_ISA_RV64, 16, 0},
	             {CAIRN_ISA_RV64, 24, CAIRN_E_DAMAGED},
	             {CAIRN_ISA_RV64, 4, CAIRN_E_DAMAGED},
	             {CAIRN_ISA_RV64, 512, CAIRN_E_DAMAGED},
	             {CAIRN_ISA_A64, 48, 0},
	             {CAIRN_ISA_A64, 24, CAIRN_E_DAMAGED},
	             {CAIRN_ISA_SPARC, 16, CAIRN_E_DAMAGED},
	             {CAIRN_ISA_SPARC, 0, 0}};
	struct stream stream;
	struct reading reading;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (unsigned late = 0; late < 3; late++) {
			begin(&stream, cases[i].isa);
			if (late == 1)
				word(&stream, CAPTURE_STATE);
			if (late == 2)
				cpu(&stream, 0, 4);
			cpu(&stream, cases[i].vector, 0);
			end(&stream);
			reading = read_stream(&stream);
			assert_int_equal(reading.rc, late ? CAIRN_E_DAMAGED : cases[i].status);
			done(&reading);
		}
	begin(&stream, CAIRN_ISA_RV64);
	uint8_t *head = stream.data + stream.n + CAPTURE_LEN_DEF;
	exec(&stream, def(&stream, 0x1000, 0x02058407, 0), 0, 0, 0);
	capture_put_accesses(head, CAPTURE_MOST_ACCESSES + 1, 0);
	end(&stream);
	reading = read_stream(&stream);
	assert_int_equal(reading.rc, CAIRN_E_DAMAGED);
	done(&reading);
}

/* ---- recording from within a program ---- */

static void count_note(void *user, int minor, const char *sentence)
{
	(void)minor;
	assert_non_null(sentence);
	(*(unsigned *)user)++;
}

static void test_from_a_program(void **state)
{
	(void)state;
	char program[4096], folder[] = "/tmp/cairn-capture-XXXXXX", path[64], kept[4096];
	static volatile int interrupt;
	unsigned notes = 0;
	int status = -1;
	if (!getenv("CAIRN_BUILD") || !getenv("EXAMPLES"))
		skip();
	snprintf(program, sizeof program, "%s/recorder", getenv("CAIRN_BUILD"));
	setenv("CAIRN_PLUGIN_FOLDER", program, 1);
	snprintf(program, sizeof program, "%s/sort.elf", getenv("EXAMPLES"));
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x.zstf", folder);
	const char *argv[] = {program};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_output out = {.size = sizeof out, .path = path};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_capture_opts opts = {.size = sizeof opts,
	                                  .argv = argv,
	                                  .argc = 1,
	                                  .stop = "1000",
	                                  .out_to_err = 1,
	                                  .interrupt = &interrupt,
	                                  .note = count_note,
	                                  .user = &notes,
	                                  .status = &status,
	                                  .kept = kept,
	                                  .kept_size = sizeof kept};
	int rc = cairn_capture(cairn, &opts, &out, &done);
	if (rc == CAIRN_E_NOTFOUND || rc == CAIRN_E_UNSUPPORTED) { /* no QEMU here, or no plugins */
		rmdir(folder);
		cairn_free(cairn);
		skip();
	}
	assert_int_equal(rc, 0);
	assert_int_equal(done.instructions, 1000);
	assert_int_equal(notes, 0);
	assert_int_equal(status, 0);
	assert_string_equal(kept, "");
	cairn_changed_free(cairn, &done);
	/* What cannot be is an error with a sentence, and leaves no file. */
	assert_int_equal(unlink(path), 0);
	opts.start = "@nowhere";
	assert_int_equal(cairn_capture(cairn, &opts, &out, NULL), CAIRN_E_NOTFOUND);
	opts.start = "2000";
	assert_int_equal(cairn_capture(cairn, &opts, &out, NULL), CAIRN_E_INVAL);
	argv[0] = "/nowhere";
	assert_int_equal(cairn_capture(cairn, &opts, &out, NULL), CAIRN_E_NOTFOUND);
	opts.argc = 0;
	assert_int_equal(cairn_capture(cairn, &opts, &out, NULL), CAIRN_E_INVAL);
	assert_int_equal(rmdir(folder), 0);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_dests),
	                                   cmocka_unit_test(test_branches),
	                                   cmocka_unit_test(test_slots),
	                                   cmocka_unit_test(test_handlers),
	                                   cmocka_unit_test(test_state_before_handlers),
	                                   cmocka_unit_test(test_handlers_and_slots),
	                                   cmocka_unit_test(test_rows),
	                                   cmocka_unit_test(test_damage),
	                                   cmocka_unit_test(test_values),
	                                   cmocka_unit_test(test_pair),
	                                   cmocka_unit_test(test_contended),
	                                   cmocka_unit_test(test_compare_and_swap),
	                                   cmocka_unit_test(test_vectors),
	                                   cmocka_unit_test(test_scalable),
	                                   cmocka_unit_test(test_lengths),
	                                   cmocka_unit_test(test_candidates),
	                                   cmocka_unit_test(test_from_a_program)};
	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
