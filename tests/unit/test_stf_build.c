/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing STF from instructions and transactions: each thing that is derived, each
 * thing that is refused, and random programs there and back. What was written is read
 * with the library's reader, record by record: "9:10000" is record 9 with 0x10000 in
 * its first field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"
#include "cairn/cairn.h"

enum {
	NOP = 0x13,
	C_NOP = 1,
	JAL_8 = 0x0080006f,
	BEQ_8 = 0x00000463,
	RET = 0x8067,
	LD = 0x0005b503,
	ECALL = 0x73,
	MRET = 0x30200073,
	VADD = 0x02008057
};

static char dir[64];
static struct cairn *c;

/* ---- helpers ---- */

static const char *in_dir(const char *name)
{
	static char path[4][128];
	static unsigned next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	return p;
}

static struct cairn_stf_writer *begin_with(const char *name,
                                           const struct cairn_stf_begin_opts *opts)
{
	struct cairn_stf_writer *writer = NULL;
	if (cairn_stf_create(c, in_dir(name), NULL, &writer) < 0 || cairn_stf_begin(writer, opts) < 0)
		fail_msg("%s", cairn_error_text(c));
	return writer;
}

static struct cairn_stf_writer *begin(const char *name)
{
	return begin_with(name, NULL);
}

static void put(struct cairn_stf_writer *writer, uint64_t pc, uint32_t enc, unsigned size)
{
	struct cairn_stf_insn in = {.pc = pc, .enc = enc, .size = (uint8_t)size};
	if (cairn_stf_put(writer, &in) < 0)
		fail_msg("%s", cairn_error_text(c));
}

static void put_insn(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in)
{
	if (cairn_stf_put(writer, in) < 0)
		fail_msg("%s", cairn_error_text(c));
}

static void finish(struct cairn_stf_writer *writer)
{
	if (cairn_stf_finish(writer) < 0)
		fail_msg("%s", cairn_error_text(c));
}

/* Records of the body as text. */
static const char *body(const char *name)
{
	static char text[65536];
	struct cairn_reader *reader;
	struct cairn_record rec;
	size_t at = 0;
	int in_body = 0, rc;
	text[0] = 0;
	if (cairn_open(c, in_dir(name), NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	while ((rc = cairn_next_record(reader, &rec)) == 1) {
		if (in_body && at < sizeof text - 64) {
			at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", at ? " " : "", rec.type);
			if (rec.n_fields && rec.fields[0].kind != CAIRN_FIELD_TEXT)
				at += (size_t)snprintf(text + at, sizeof text - at, ":%llx",
				                       (unsigned long long)rec.fields[0].value);
		}
		in_body |= rec.type == CAIRN_STF_END_HEADER;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(cairn_damage_count(reader), 0);
	cairn_close(reader);
	return text;
}

static const char *header_types(const char *name)
{
	static char text[1024];
	struct cairn_reader *reader;
	struct cairn_record rec;
	size_t at = 0;
	assert_int_equal(cairn_open(c, in_dir(name), NULL, &reader), 0);
	while (cairn_next_record(reader, &rec) == 1) {
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", at ? " " : "", rec.type);
		if (rec.type == CAIRN_STF_END_HEADER)
			break;
	}
	cairn_close(reader);
	return text;
}

static struct cairn_stf_header *header_of(const char *name)
{
	struct cairn_reader *reader;
	struct cairn_stf_header *header;
	assert_int_equal(cairn_open(c, in_dir(name), NULL, &reader), 0);
	assert_int_equal(cairn_stf_header_of(reader, &header), 0);
	cairn_close(reader);
	return header;
}

static uint64_t features_of(const char *name)
{
	struct cairn_stf_header *header = header_of(name);
	uint64_t f = header->cfg.features;
	cairn_stf_header_free(header);
	return f;
}

static void refused(int rc, int status, const char *words)
{
	assert_int_equal(rc, status);
	if (!strstr(cairn_error_text(c), words))
		fail_msg("'%s' does not say '%s'", cairn_error_text(c), words);
}

static int exists(const char *name)
{
	return access(in_dir(name), F_OK) == 0;
}

/* ---- flow ---- */

static void test_straight(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = begin("t.stf");
	put(writer, 0x1000, NOP, 4);
	put(writer, 0x1004, C_NOP, 2);
	put(writer, 0x1006, NOP, 4);
	finish(writer);
	assert_string_equal(body("t.stf"), "240:13 241:1 240:13");
	assert_string_equal(header_types("t.stf"), "1 2 3 4 5 6 7 9 19");
	struct cairn_stf_header *header = header_of("t.stf");
	assert_int_equal(header->cfg.version_minor, 6);
	assert_int_equal(header->cfg.event_bits, 64);
	assert_int_equal(header->generators[0].id, 0x40);
	assert_int_equal(header->pc, 0x1000);
	assert_non_null(strstr(header->comments[0].text, ", git "));
	assert_non_null(strstr(header->comments[0].text, ", zstd "));
	cairn_stf_header_free(header);
	assert_int_equal(features_of("t.stf"), CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64);
}

static void test_targets(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = begin("t.stf");
	put(writer, 0x1000, JAL_8, 4); /* target by encoding and next PC */
	put(writer, 0x1008, BEQ_8, 4); /* taken: the next PC says so */
	put(writer, 0x1010, BEQ_8, 4); /* not taken */
	put(writer, 0x1014, RET, 4);   /* only the next PC knows */
	put(writer, 0x9000, BEQ_8, 4); /* neither: forced */
	put(writer, 0x5000, RET, 4);   /* to the next instruction */
	put(writer, 0x5004, NOP, 4);
	put_insn(
		writer,
		&(struct cairn_stf_insn){.pc = 0x5008, .enc = JAL_8, .size = 4, .flags = CAIRN_STF_TAKEN});
	finish(writer);
	assert_string_equal(body("t.stf"),
	                    "31:1008 240:80006f 31:1010 240:463 240:463 31:9000 240:8067 240:463 "
	                    "9:5000 31:5004 240:8067 240:13 31:5010 240:80006f");
}

static void test_target_given(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = begin("t.stf");
	put_insn(writer, &(struct cairn_stf_insn){.pc = 0x1000,
	                                          .enc = RET,
	                                          .size = 4,
	                                          .target = 0x2000,
	                                          .flags = CAIRN_STF_TAKEN | CAIRN_STF_TARGET});
	put(writer, 0x3000, NOP, 4); /* not where it went */
	put_insn(
		writer,
		&(struct cairn_stf_insn){.pc = 0x3004, .enc = NOP, .size = 4, .flags = CAIRN_STF_FORCED});
	finish(writer);
	assert_string_equal(body("t.stf"), "31:2000 240:8067 9:3000 240:13 9:3004 240:13");
}

static void test_branch_lies(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = begin("t.stf");
	struct cairn_stf_insn in = {.pc = 0x1000, .enc = NOP, .size = 4, .flags = CAIRN_STF_TAKEN};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL,
	        "instruction 1: taken, but 0x13 is not a branch");
	in.enc = JAL_8;
	in.flags = CAIRN_STF_NOT_TAKEN;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "unconditional branch");
	in.flags = CAIRN_STF_TAKEN | CAIRN_STF_TARGET;
	in.target = 0x4444;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "given as 0x4444");
	in.flags = CAIRN_STF_TAKEN | CAIRN_STF_NOT_TAKEN;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "both taken and not taken");
	in = (struct cairn_stf_insn){.pc = 0x1000, .enc = NOP, .size = 3};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "2 and 4 bytes, not 3");
	in.size = 2;
	in.enc = 0x12345;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "does not fit 2 bytes");
	put(writer, 0x1000, NOP, 4); /* and it goes on */
	finish(writer);
	assert_string_equal(body("t.stf"), "240:13");
}

/* ---- who runs ---- */

static void test_contexts(void **state)
{
	(void)state;
	struct cairn_ctx one = {.known = CAIRN_CTX_HW_TID | CAIRN_CTX_PID | CAIRN_CTX_TID,
	                        .hw_tid = 1,
	                        .pid = 2,
	                        .tid = 3},
					 two = one;
	two.pid = 7;
	struct cairn_stf_writer *writer = begin("t.stf");
	put_insn(writer, &(struct cairn_stf_insn){.pc = 0, .enc = NOP, .size = 4, .ctx = &one});
	put_insn(writer, &(struct cairn_stf_insn){.pc = 4, .enc = NOP, .size = 4, .ctx = &one});
	put_insn(writer, &(struct cairn_stf_insn){.pc = 8, .enc = NOP, .size = 4, .ctx = &two});
	put(writer, 12, NOP, 4);
	finish(writer);
	assert_string_equal(header_types("t.stf"), "1 2 3 4 5 6 7 8 9 19");
	assert_string_equal(body("t.stf"), "240:13 240:13 8:1 240:13 240:13");
	assert_true(features_of("t.stf") & CAIRN_STF_F_PROCESS_ID);
}

static void test_modes(void **state)
{
	(void)state;
	struct cairn_ctx ctx = {.known = CAIRN_CTX_PRIV, .priv = CAIRN_PRIV_MACHINE}, u = ctx;
	u.priv = CAIRN_PRIV_USER;
	struct cairn_stf_writer *writer = begin("t.stf");
	struct cairn_stf_insn in = {.pc = 0, .enc = NOP, .size = 4, .ctx = &ctx};
	put_insn(writer, &in); /* at the start: its own */
	in.pc = 4;
	in.enc = MRET;
	put_insn(writer, &in); /* what follows is user: told here */
	in = (struct cairn_stf_insn){.pc = 0x100, .enc = NOP, .size = 4, .ctx = &u};
	put_insn(writer, &in); /* mret is no branch: forced, so the mode is told with it */
	in.pc = 0x104;
	put_insn(writer, &in);
	in.pc = 0x108;
	in.ctx = &ctx;
	put_insn(writer, &in); /* follows: told before */
	finish(writer);
	assert_string_equal(
		body("t.stf"), "100:4000000000000000 240:13 240:30200073 9:100 100:4000000000000000 240:13 "
					   "100:4000000000000000 240:13 240:13");
	/* and the reader sees what we meant */
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_open(c, in_dir("t.stf"), NULL, &reader), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	const uint8_t want[] = {3, 3, 0, 0, 3};
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(batch->ctxs[batch->insns[i].ctx].priv, want[i]);
	cairn_close(reader);
	cairn_batch_free(c, batch);
}

/* A mode that changes right behind the first instruction cannot be told in its group. */
static void test_mode_after_first(void **state)
{
	(void)state;
	struct cairn_ctx ctx = {.known = CAIRN_CTX_PRIV, .priv = CAIRN_PRIV_MACHINE}, u = ctx;
	u.priv = CAIRN_PRIV_SUPERVISOR;
	struct cairn_stf_writer *writer = begin("t.stf");
	put_insn(writer, &(struct cairn_stf_insn){.pc = 0, .enc = NOP, .size = 4, .ctx = &ctx});
	put_insn(writer, &(struct cairn_stf_insn){.pc = 4, .enc = NOP, .size = 4, .ctx = &u});
	finish(writer);
	assert_string_equal(body("t.stf"),
	                    "100:4000000000000000 240:13 9:4 100:4000000000000000 240:13");
}

static void test_encoding_modes(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = begin("t.stf");
	put_insn(writer,
	         &(struct cairn_stf_insn){.pc = 0, .enc = NOP, .size = 4, .isa = CAIRN_ISA_RV32});
	put_insn(writer,
	         &(struct cairn_stf_insn){.pc = 4, .enc = NOP, .size = 4, .isa = CAIRN_ISA_RV64});
	put_insn(writer, &(struct cairn_stf_insn){.pc = 8, .enc = NOP, .size = 4});
	struct cairn_stf_insn arm = {.pc = 12, .enc = NOP, .size = 4, .isa = CAIRN_ISA_A64};
	refused(cairn_stf_put(writer, &arm), CAIRN_E_INVAL,
	        "instructions of the set a64 among those of another");
	finish(writer);
	assert_string_equal(body("t.stf"), "240:13 5:2 240:13 240:13");
	struct cairn_stf_header *header = header_of("t.stf");
	assert_int_equal(header->cfg.iem, 1);
	assert_int_equal(header->cfg.event_bits, 32); /* RV32 */
	assert_true(header->cfg.features & CAIRN_STF_F_RV64);
	cairn_stf_header_free(header);
}

/* ---- events ---- */

static void test_events(void **state)
{
	(void)state;
	uint64_t args[] = {0x1000, LD, 0xdead};
	struct cairn_event fault = {.kind = CAIRN_EV_EXCEPTION, .code = 13, .args = 0, .len = 24};
	struct cairn_event call = {.kind = CAIRN_EV_SYSCALL, .code = 8};
	struct cairn_event irq = {.kind = CAIRN_EV_INTERRUPT,
	                          .code = 7,
	                          .target = 0x80,
	                          .flags = CAIRN_EVF_TARGET};
	struct cairn_stf_writer *writer = begin("t.stf");
	struct cairn_stf_insn in = {.pc = 0x1000,
	                            .enc = LD,
	                            .size = 4,
	                            .events = &fault,
	                            .n_events = 1,
	                            .bytes = (const uint8_t *)args,
	                            .n_bytes = sizeof args};
	put_insn(writer, &in); /* the handler is where it goes on */
	put(writer, 0x80, NOP, 4);
	in = (struct cairn_stf_insn){.pc = 0x84,
	                             .enc = ECALL,
	                             .size = 4,
	                             .events = &call,
	                             .n_events = 1};
	put_insn(writer, &in); /* goes on behind: nothing to tell */
	in = (struct cairn_stf_insn){.pc = 0x88, .enc = NOP, .size = 4, .events = &irq, .n_events = 1};
	put_insn(writer, &in);
	put(writer, 0x80, NOP, 4);
	finish(writer);
	assert_string_equal(body("t.stf"), "100:d 101:80 240:5b503 240:13 100:8 240:73 "
	                                   "100:8000000000000007 101:80 240:13 240:13");
	assert_true(features_of("t.stf") & CAIRN_STF_F_EVENT);
}

static void test_fetch_fault(void **state)
{
	(void)state;
	struct cairn_event fault = {.kind = CAIRN_EV_EXCEPTION, .code = 12};
	struct cairn_stf_insn in = {.pc = 0x1000,
	                            .enc = 0xffff,
	                            .size = 2,
	                            .events = &fault,
	                            .n_events = 1};
	struct cairn_stf_writer *writer = begin("t.stf");
	put_insn(writer, &in);
	in.pc = 0x40;
	in.enc = 0xffffffff;
	in.size = 0;
	put_insn(writer, &in);
	in = (struct cairn_stf_insn){.pc = 0x80,
	                             .enc = 0xffff,
	                             .size = 4,
	                             .flags = CAIRN_STF_FETCH_FAULT};
	put_insn(writer, &in);
	finish(writer);
	assert_string_equal(body("t.stf"), "100:c 101:40 241:1 100:c 101:80 240:13 240:13");
	struct cairn_stf_begin_opts opts = {.size = sizeof opts, .keep_fault_encoding = 1};
	writer = begin_with("t.stf", &opts);
	in = (struct cairn_stf_insn){.pc = 0x1000,
	                             .enc = 0x0003,
	                             .size = 2,
	                             .events = &fault,
	                             .n_events = 1};
	put_insn(writer, &in);
	finish(writer);
	assert_string_equal(body("t.stf"), "100:c 241:3");
}

static void test_page_walk(void **state)
{
	(void)state;
	uint64_t args[] = {UINT64_MAX, 4096, 0x100, 1, 0x200, 0xcf};
	struct cairn_event walk = {.kind = CAIRN_EV_PAGE_WALK, .code = 0x2000, .len = sizeof args};
	struct cairn_stf_insn in = {.pc = 4,
	                            .enc = NOP,
	                            .size = 4,
	                            .events = &walk,
	                            .n_events = 1,
	                            .bytes = (const uint8_t *)args,
	                            .n_bytes = sizeof args};
	struct cairn_stf_writer *writer = begin("t.stf");
	put(writer, 0, NOP, 4);
	put_insn(writer, &in);
	walk.len = 8;
	in.pc = 8;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "instruction 3: a page walk has");
	finish(writer);
	assert_string_equal(body("t.stf"), "240:13 50:2000 240:13");
	struct cairn_reader *reader;
	struct cairn_record rec;
	assert_int_equal(cairn_open(c, in_dir("t.stf"), NULL, &reader), 0);
	while (cairn_next_record(reader, &rec) == 1 && rec.type != CAIRN_STF_PAGE_TABLE_WALK)
		;
	assert_int_equal(rec.fields[1].value, 1); /* 0-based: the second instruction */
	cairn_close(reader);
	assert_true(features_of("t.stf") & CAIRN_STF_F_PTE);
}

/* ---- values ---- */

static void test_rows(void **state)
{
	(void)state;
	static const uint8_t wide[24] = {[0] = 1, [8] = 2, [16] = 3}; /* words, little-endian */
	struct cairn_reg regs[] = {{.cls = CAIRN_REG_INT,
	                            .num = 10,
	                            .role = CAIRN_ROLE_DST,
	                            .value = 5,
	                            .flags = CAIRN_VALUE_KNOWN},
	                           {.cls = CAIRN_REG_INT, .num = 11, .role = CAIRN_ROLE_READY}};
	struct cairn_mem mems[] = {
		{.addr = 0x20, .size = 8, .kind = CAIRN_MEM_READ, .value = 5, .flags = CAIRN_VALUE_KNOWN},
		{.addr = 0x40,
	     .size = 20,
	     .kind = CAIRN_MEM_WRITE,
	     .value = 0,
	     .flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE},
		{.addr = 0x60,
	     .size = 4,
	     .kind = CAIRN_MEM_WRITE,
	     .value = 9,
	     .flags = CAIRN_VALUE_KNOWN,
	     .initiator = CAIRN_BY_DMA,
	     .unit = 1}};
	struct cairn_event events[] = {{.kind = CAIRN_EV_MICRO_OP, .code = 0x77},
	                               {.kind = CAIRN_EV_INTERRUPT, .code = 1}};
	struct cairn_stf_insn in = {.pc = 0,
	                            .enc = LD,
	                            .size = 4,
	                            .regs = regs,
	                            .n_regs = 2,
	                            .mems = mems,
	                            .n_mems = 3,
	                            .events = events,
	                            .n_events = 2,
	                            .bytes = wide,
	                            .n_bytes = sizeof wide};
	struct cairn_stf_writer *writer = begin("t.stf");
	put_insn(writer, &in);
	finish(writer); /* in the order of the specification, whatever the arrays say */
	assert_string_equal(body("t.stf"), "40:a 41:b 60:20 61:5 60:40 61:1 61:2 61:3 62:60 63:9 "
	                                   "100:8000000000000001 230:4 240:5b503");
	uint64_t f = features_of("t.stf");
	assert_true((f & CAIRN_STF_F_OPERAND_VALUE) && (f & CAIRN_STF_F_MICROOP));
	assert_false(f & (CAIRN_STF_F_REG_STATE | CAIRN_STF_F_DATA_ATTRIBUTE));
}

/* An access that only its value tells is what its instruction does, where it goes on from the one
 * before and is as large; of which set that is, an instruction need not say again. */
static void test_accesses_of_no_kind(void **state)
{
	(void)state;
	static const struct cairn_mem refuse[] = {{.addr = 0x30, .size = 8},
	                                          {.addr = 0x20, .size = 8},
	                                          {.addr = 0x28, .size = 4}};
	struct cairn_mem mems[] = {
		{.addr = 0x20, .size = 8, .kind = CAIRN_MEM_READ, .flags = CAIRN_VALUE_KNOWN},
		{.addr = 0x28, .size = 8, .flags = CAIRN_VALUE_KNOWN}};
	struct cairn_stf_insn in = {.enc = LD,
	                            .size = 4,
	                            .isa = CAIRN_ISA_RV64,
	                            .mems = mems,
	                            .n_mems = 2};
	struct cairn_stf_writer *writer = begin("t.stf");
	struct cairn_reader *reader;
	struct cairn_record rec;
	unsigned n = 0;
	put_insn(writer, &in);
	in.pc = 4;
	in.isa = 0;
	put_insn(writer, &in);
	finish(writer);
	assert_int_equal(cairn_open(c, in_dir("t.stf"), NULL, &reader), 0);
	while (cairn_next_record(reader, &rec) == 1)
		if (rec.type == CAIRN_STF_INST_MEM_ACCESS) {
			assert_int_equal(rec.fields[0].value, mems[n++ % 2].addr);
			assert_int_equal(rec.fields[3].value, CAIRN_MEM_READ);
		}
	assert_int_equal(n, 4);
	cairn_close(reader);
	writer = begin("u.stf");
	for (unsigned i = 0; i < sizeof refuse / sizeof *refuse; i++) {
		mems[1].addr = refuse[i].addr;
		mems[1].size = refuse[i].size;
		refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "neither read nor write");
	}
	cairn_stf_abort(writer);
}

static void test_values_refused(void **state)
{
	(void)state;
	struct cairn_reg reg = {.cls = CAIRN_REG_INT, .num = 1, .role = CAIRN_ROLE_DST};
	struct cairn_mem mem = {.addr = 0x20,
	                        .size = 2,
	                        .kind = CAIRN_MEM_READ,
	                        .value = 0x12345,
	                        .flags = CAIRN_VALUE_KNOWN};
	struct cairn_event ev = {.kind = CAIRN_EV_TIMESTAMP};
	struct cairn_stf_writer *writer = begin("t.stf");
	struct cairn_stf_insn in = {.enc = NOP, .size = 4, .regs = &reg, .n_regs = 1};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "has no value");
	reg.flags = CAIRN_VALUE_KNOWN;
	reg.num = 40;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "there is no register 40");
	reg.cls = CAIRN_REG_VECTOR;
	reg.num = 1;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "no vector length");
	reg.cls = CAIRN_REG_FLAGS;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "no registers of class 7");
	in = (struct cairn_stf_insn){.enc = NOP, .size = 4, .mems = &mem, .n_mems = 1};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "has 2 bytes, its value 0x12345 has more");
	mem.size = 16;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "only 8 of value");
	mem.flags |= CAIRN_VALUE_WIDE;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "lies outside");
	mem.flags = 0;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "has no value");
	mem.kind = CAIRN_MEM_PREFETCH;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "no access of kind 3");
	mem.kind = CAIRN_MEM_READ;
	mem.size = 0;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "no size");
	mem.size = 65536;
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "an access of 65536 bytes is too big");
	in = (struct cairn_stf_insn){.enc = NOP, .size = 4, .events = &ev, .n_events = 1};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "no record for timestamps");
	ev = (struct cairn_event){.kind = CAIRN_EV_EXCEPTION, .args = 8, .len = 8};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "lies outside");
	ev = (struct cairn_event){.kind = CAIRN_EV_FORCE_PC, .target = 0x77};
	in.pc = 0x10;
	put(writer, 0, NOP, 4);
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "forced to 0x77, but is 0x10");
	in = (struct cairn_stf_insn){.pc = 5, .enc = NOP, .size = 4};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "its address 0x5 is odd");
	in = (struct cairn_stf_insn){.pc = 4, .enc = 1, .size = 4};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "0x1 is not an encoding of 32 bits");
	in = (struct cairn_stf_insn){.pc = 4, .enc = NOP, .size = 2};
	refused(cairn_stf_put(writer, &in), CAIRN_E_INVAL, "0x13 is not an encoding of 16 bits");
	refused(cairn_stf_put_comment(writer, "end", 4), CAIRN_E_INVAL, "does not end in a NUL");
	finish(writer);
	assert_string_equal(body("t.stf"), "240:13");
}

static void test_vectors(void **state)
{
	(void)state;
	struct cairn_stf_header *header;
	uint64_t v[] = {1, 2};
	struct cairn_reg reg = {.cls = CAIRN_REG_VECTOR,
	                        .num = 8,
	                        .role = CAIRN_ROLE_DST,
	                        .bits = 128,
	                        .flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE};
	assert_int_equal(cairn_stf_header_new(c, &header), 0);
	header->cfg.vlen = 128;
	assert_true(cairn_stf_header_isa_extended(header, "rv64gcv") >= 0);
	struct cairn_stf_begin_opts opts = {.size = sizeof opts, .header = header};
	struct cairn_stf_writer *writer = begin_with("t.stf", &opts);
	put_insn(writer, &(struct cairn_stf_insn){.enc = VADD,
	                                          .size = 4,
	                                          .regs = &reg,
	                                          .n_regs = 1,
	                                          .bytes = (const uint8_t *)v,
	                                          .n_bytes = sizeof v});
	finish(writer);
	cairn_stf_header_free(header);
	assert_string_equal(header_types("t.stf"), "1 2 3 4 5 6 7 9 10 13 19");
	assert_string_equal(body("t.stf"), "40:8 240:2008057");
	assert_true(features_of("t.stf") & CAIRN_STF_F_VEC);
}

/* ---- versions ---- */

static void test_versions(void **state)
{
	(void)state;
	struct cairn_stf_header *header;
	assert_int_equal(cairn_stf_header_new(c, &header), 0);
	struct cairn_stf_begin_opts opts = {.size = sizeof opts, .header = header};
	header->cfg.version_minor = 3;
	struct cairn_stf_writer *writer = begin_with("t.stf", &opts);
	struct cairn_event ev = {.kind = CAIRN_EV_INTERRUPT, .code = 5};
	struct cairn_ctx ctx = {.known = CAIRN_CTX_PID | CAIRN_CTX_TID | CAIRN_CTX_ASID,
	                        .pid = 4,
	                        .tid = 5,
	                        .asid = 6};
	put_insn(
		writer,
		&(struct cairn_stf_insn){.enc = NOP, .size = 4, .events = &ev, .n_events = 1, .ctx = &ctx});
	finish(writer);
	assert_string_equal(body("t.stf"), "100:80000005 240:13"); /* 32 bits wide */
	struct cairn_stf_header *got = header_of("t.stf");
	assert_int_equal(got->ids[2], 6);
	cairn_stf_header_free(got);

	struct {
		uint16_t minor;
		uint8_t events;
		uint32_t vlen;
		const char *isa, *why;
	} no[] = {{1, 0, 0, NULL, "1.2 to 1.6"},
	          {7, 0, 0, NULL, "1.2 to 1.6"},
	          {4, 64, 0, NULL, "64 bits came with version 1.5"},
	          {3, 0, 128, NULL, "vector lengths came with version 1.4"},
	          {5, 0, 0, "rv64gc", "ISA_EXTENDED came with version 1.6"}};
	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		header->cfg.version_minor = no[i].minor;
		header->cfg.event_bits = no[i].events;
		header->cfg.vlen = no[i].vlen;
		assert_true(cairn_stf_header_isa_extended(header, no[i].isa) >= 0);
		assert_int_equal(cairn_stf_create(c, in_dir("no.stf"), NULL, &writer), 0);
		refused(cairn_stf_begin(writer, &opts), CAIRN_E_INVAL, no[i].why);
		cairn_stf_abort(writer);
	}
	header->cfg = (struct cairn_stf_config){.version_major = 1, .version_minor = 4, .protocol = 1};
	assert_true(cairn_stf_header_isa_extended(header, NULL) >= 0);
	assert_int_equal(cairn_stf_create(c, in_dir("no.stf"), NULL, &writer), 0);
	refused(cairn_stf_begin(writer, &opts), CAIRN_E_INVAL, "transactions came with version 1.5");
	cairn_stf_abort(writer);
	assert_false(exists("no.stf"));
	cairn_stf_header_free(header);
}

/* ---- features and provenance ---- */

static void test_features_everywhere(void **state)
{
	(void)state;
	/* beyond the first chunk, beyond what is kept in memory, and compressed */
	static const char *const names[] = {"f.stf", "f.zstf", "f.stf.gz", "f.stf.zst"};
	struct cairn_event ev = {.kind = CAIRN_EV_INTERRUPT, .code = 5};
	struct cairn_reg reg = {.cls = CAIRN_REG_INT,
	                        .num = 1,
	                        .role = CAIRN_ROLE_STATE,
	                        .flags = CAIRN_VALUE_KNOWN};
	for (size_t k = 0; k < 4; k++) {
		struct cairn_stf_begin_opts opts = {.size = sizeof opts, .features = CAIRN_STF_F_SIMPOINT};
		struct cairn_stf_writer *writer = begin_with(names[k], &opts);
		for (uint64_t i = 0; i < 450000; i++) {
			struct cairn_stf_insn in = {.pc = 4 * i,
			                            .enc = NOP,
			                            .size = 4,
			                            .regs = &reg,
			                            .n_regs = 1};
			if (i == 449990) {
				in.events = &ev;
				in.n_events = 1;
			}
			put_insn(writer, &in);
		}
		finish(writer);
		assert_int_equal(features_of(names[k]), CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64 |
		                                            CAIRN_STF_F_SIMPOINT | CAIRN_STF_F_REG_STATE |
		                                            CAIRN_STF_F_EVENT);
		struct cairn_reader *reader;
		struct cairn_tally tally = {.size = sizeof tally};
		assert_int_equal(cairn_open(c, in_dir(names[k]), NULL, &reader), 0);
		assert_int_equal(cairn_count(reader, 2, &tally), 0);
		assert_int_equal(tally.instructions, 450000);
		assert_int_equal(cairn_damage_count(reader), 0);
		cairn_close(reader);
		unlink(in_dir(names[k]));
	}
}

static void test_features_declared(void **state)
{
	(void)state;
	struct cairn_event ev = {.kind = CAIRN_EV_INTERRUPT, .code = 5};
	struct cairn_stf_begin_opts opts = {.size = sizeof opts,
	                                    .mode = CAIRN_STF_FEATURES_DECLARED,
	                                    .features = CAIRN_STF_F_OPERAND_VALUE};
	struct cairn_stf_writer *writer = begin_with("t.stf", &opts);
	put(writer, 0, NOP, 4);
	struct cairn_stf_insn in = {.pc = 4, .enc = NOP, .size = 4, .events = &ev, .n_events = 1};
	refused(cairn_stf_put(writer, &in), CAIRN_E_STATE, "does not declare the feature EVENT");
	finish(writer);
	assert_int_equal(features_of("t.stf"),
	                 CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64 | CAIRN_STF_F_OPERAND_VALUE);
}

static void test_provenance(void **state)
{
	(void)state;
	struct cairn_stf_header *header, *got;
	assert_int_equal(cairn_stf_header_new(c, &header), 0);
	assert_int_equal(cairn_stf_header_generator(header, 6, (const uint8_t[]){1, 2, 3}, "spike"), 0);
	assert_int_equal(cairn_stf_header_comment(header, "first", 5), 0);
	refused(cairn_stf_header_generator(header, 99, NULL, ""), CAIRN_E_INVAL, "public tools");
	struct cairn_stf_begin_opts opts = {.size = sizeof opts,
	                                    .header = header,
	                                    .provenance = {.size = sizeof opts.provenance,
	                                                   .tool = "cairn slice",
	                                                   .command = "cairn slice a b"}};
	struct cairn_stf_writer *writer = begin_with("t.stf", &opts);
	put(writer, 0, NOP, 4);
	finish(writer);
	got = header_of("t.stf");
	assert_int_equal(got->n_generators, 2);
	assert_int_equal(got->generators[0].id, 6); /* the real one first */
	assert_int_equal(got->generators[0].version[1], 2);
	assert_string_equal(got->generators[1].comment.text, "cairn slice");
	assert_int_equal(got->n_comments, 2);
	assert_string_equal(got->comments[0].text, "first");
	assert_non_null(strstr(got->comments[1].text, ": cairn slice a b"));
	assert_int_equal(cairn_stf_header_drop_comment(got, 0), 0);
	assert_int_equal(cairn_stf_header_drop_generator(got, 0), 0);
	refused(cairn_stf_header_drop_comment(got, 5), CAIRN_E_NOTFOUND, "no number 6");
	assert_int_equal(got->generators[0].id, 0x40);
	cairn_stf_header_free(got);
	cairn_stf_header_free(header);
}

static void test_end_and_comments(void **state)
{
	(void)state;
	struct cairn_stf_begin_opts opts = {.size = sizeof opts, .end_record = 1};
	struct cairn_stf_writer *writer = begin_with("t.stf", &opts);
	put(writer, 0, NOP, 4);
	assert_int_equal(cairn_stf_put_comment(writer, "middle", 6), 0);
	put(writer, 4, NOP, 4);
	assert_int_equal(cairn_stf_put_comment(writer, "end", 3), 0);
	refused(cairn_stf_put_insn(writer, NOP, 4), CAIRN_E_STATE, "not records");
	finish(writer);
	assert_string_equal(body("t.stf"), "240:13 3 3 240:13 255");
	writer = begin("empty.zstf");
	finish(writer);
	assert_string_equal(body("empty.zstf"), "");
}

/* ---- the order of records ---- */

static int put_types(struct cairn_stf_writer *writer, const uint8_t *types)
{
	for (; *types; types++) {
		uint8_t rec[32] = {*types};
		struct cairn_stf_config cfg = {.version_major = 1,
		                               .version_minor = 6,
		                               .isa = 1,
		                               .iem = 2,
		                               .event_bits = 64};
		if (*types == CAIRN_STF_INST_REG)
			rec[3] = 0x31;
		int64_t n = cairn_stf_record_length(&cfg, rec, sizeof rec);
		int rc = cairn_stf_put_record(writer, rec, (size_t)n);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void test_order(void **state)
{
	(void)state;
	static const struct {
		uint8_t types[12];
		const char *wrong;
	} rows[] = {{{5, 8, 9, 31, 40, 41, 50, 60, 61, 230, 240}, NULL},
	            {{50, 31, 40, 60, 61, 61, 40, 62, 63, 62, 63}, NULL},
	            {{60, 61, 60, 61, 100, 101, 100, 3, 230, 240}, NULL},
	            {{40, 31, 9, 60, 61, 9, 8, 3, 241}, NULL},
	            {{60, 240}, "INST_32 stands between INST_MEM_ACCESS and its INST_MEM_CONTENT"},
	            {{60, 3, 61, 62, 3, 63, 240}, NULL},
	            {{60, 3, 240}, "INST_32 stands between INST_MEM_ACCESS and its INST_MEM_CONTENT"},
	            {{60, 8}, "PROCESS_ID_EXT stands between"},
	            {{62, 240}, "INST_32 stands between BUS_MASTER_ACCESS"},
	            {{61}, "INST_MEM_CONTENT comes without INST_MEM_ACCESS"},
	            {{63}, "BUS_MASTER_CONTENT comes without"},
	            {{101}, "EVENT_PC_TARGET comes without EVENT"},
	            {{100, 60}, "INST_MEM_ACCESS cannot stand behind EVENT"},
	            {{100, 62}, "BUS_MASTER_ACCESS cannot stand behind EVENT"},
	            {{100, 40}, "INST_REG cannot stand behind EVENT"},
	            {{100, 31}, "INST_PC_TARGET cannot stand behind EVENT"},
	            {{60, 61, 31}, "INST_PC_TARGET cannot stand behind INST_MEM_CONTENT"},
	            {{60, 61, 50}, "PAGE_TABLE_WALK cannot stand behind INST_MEM_CONTENT"},
	            {{60, 61, 41}, "INST_READY_REG cannot stand behind INST_MEM_CONTENT"},
	            {{62, 63, 60}, "INST_MEM_ACCESS cannot stand behind BUS_MASTER_CONTENT"},
	            {{230, 100}, "EVENT cannot stand behind INST_MICROOP"},
	            {{40, 5}, "INST_IEM cannot stand behind INST_REG"},
	            {{7}, "TRACE_INFO_FEATURE belongs into the header"},
	            {{250}, NULL /* cannot be measured */},
	            {{251}, "TRANSACTION_DEPENDENCY belongs in a trace of transactions"},
	            {{255, 240}, "INST_32 comes after the record that ends the trace"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cairn_stf_writer *writer;
		struct cairn_stf_config cfg = {.isa = 1, .iem = 2, .event_bits = 64};
		if (rows[i].types[0] == 250)
			continue;
		assert_int_equal(cairn_stf_create(c, in_dir("o.stf"), NULL, &writer), 0);
		assert_int_equal(cairn_stf_put_header(writer, &cfg, 1, NULL, "", NULL, 0, 0, NULL), 0);
		int rc = put_types(writer, rows[i].types);
		if (rows[i].wrong)
			refused(rc, CAIRN_E_STATE, rows[i].wrong);
		else if (rc < 0)
			fail_msg("row %zu: %s", i, cairn_error_text(c));
		if (rows[i].wrong)
			assert_non_null(strstr(cairn_error_text(c), "instruction 1: "));
		cairn_stf_abort(writer);
	}
}

static void test_ends_half(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer;
	struct cairn_stf_config cfg = {.isa = 1, .iem = 2, .event_bits = 64};
	assert_int_equal(cairn_stf_create(c, in_dir("o.stf"), NULL, &writer), 0);
	assert_int_equal(cairn_stf_put_header(writer, &cfg, 1, NULL, "", NULL, 0, 0, NULL), 0);
	assert_int_equal(put_types(writer, (const uint8_t[]){240, 60, 0}), 0);
	refused(cairn_stf_finish(writer), CAIRN_E_STATE, "whose content is missing");
	assert_false(exists("o.stf"));
}

/* ---- transactions ---- */

static struct cairn_stf_writer *begin_bus(const char *name)
{
	struct cairn_stf_header *header;
	assert_int_equal(cairn_stf_header_new(c, &header), 0);
	header->cfg.protocol = 1;
	assert_int_equal(cairn_stf_header_clock(header, 1, "core"), 0);
	assert_int_equal(cairn_stf_header_clock(header, 2, "bus"), 0);
	refused(cairn_stf_header_clock(header, 2, "again"), CAIRN_E_INVAL, "there is a clock 2");
	refused(cairn_stf_header_clock(header, 0, "none"), CAIRN_E_INVAL, "from 1 on");
	struct cairn_stf_begin_opts opts = {.size = sizeof opts, .header = header};
	struct cairn_stf_writer *writer = begin_with(name, &opts);
	cairn_stf_header_free(header);
	return writer;
}

static void test_transactions(void **state)
{
	(void)state;
	_Alignas(8) uint8_t bytes[128] = {1, 2, 3, 4, 5}; /* data at 0, mask at 4 */
	uint64_t meta[] = {2, 0xabcd, 8, 0x1122334455667788}, deps[] = {1, 3, 2};
	memcpy(bytes + 8, meta, sizeof meta);
	memcpy(bytes + 40, deps, sizeof deps);
	struct cairn_stf_writer *writer = begin_bus("x.zstf");
	for (uint8_t ch = 1; ch <= 5; ch++) {
		struct cairn_xact xact = {.delta = ch,
		                          .clock = 1,
		                          .channel = ch,
		                          .code = 4,
		                          .param = 1,
		                          .size = 2,
		                          .source = 7,
		                          .sink = 8,
		                          .address = 0x80,
		                          .data_len = 4,
		                          .mask = 4,
		                          .mask_bits = 4,
		                          .meta = 8,
		                          .n_meta = 2,
		                          .deps = 40,
		                          .n_deps = ch > 1};
		if (cairn_stf_put_transaction(writer, &xact, bytes, sizeof bytes) < 0)
			fail_msg("%s", cairn_error_text(c));
	}
	finish(writer);
	assert_string_equal(header_types("x.zstf"), "1 2 3 6 7 11 12 12 19");
	assert_string_equal(body("x.zstf"), "250:1 251:1 250:2 251:1 250:3 251:1 250:4 251:1 250:5");
	assert_int_equal(features_of("x.zstf"), CAIRN_STF_F_TRANSACTIONS);
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_open(c, in_dir("x.zstf"), NULL, &reader), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n_xacts, 5);
	assert_int_equal(batch->xacts[1].mask_bits, 4);
	assert_int_equal(batch->bytes[batch->xacts[1].mask], 5);
	assert_int_equal(batch->xacts[3].sink, 8);
	assert_memory_equal(batch->bytes + batch->xacts[4].meta, meta, sizeof meta);
	assert_memory_equal(batch->bytes + batch->xacts[4].deps, deps, sizeof deps);
	cairn_close(reader);
	cairn_batch_free(c, batch);
}

static void test_transactions_refused(void **state)
{
	(void)state;
	uint64_t row[3] = {9, 0, 1};
	const uint8_t *bytes = (const uint8_t *)row;
	struct cairn_stf_writer *writer = begin_bus("x.stf");
	struct cairn_xact good = {.id = 5, .clock = 1, .channel = 5}, xact = good;
	assert_int_equal(cairn_stf_put_transaction(writer, &xact, NULL, 0), 0);
	refused(cairn_stf_put_transaction(writer, &xact, NULL, 0), CAIRN_E_INVAL,
	        "transaction 2: ids ascend: 5 does not come after 5");
	good.id = 0;
	xact = good;
	xact.clock = 9;
	refused(cairn_stf_put_transaction(writer, &xact, NULL, 0), CAIRN_E_INVAL,
	        "clock 9 is not declared");
	xact = good;
	xact.channel = 6;
	refused(cairn_stf_put_transaction(writer, &xact, NULL, 0), CAIRN_E_INVAL, "channels 1 to 5");
	xact = good;
	xact.n_deps = 1;
	refused(cairn_stf_put_transaction(writer, &xact, bytes, sizeof row), CAIRN_E_INVAL,
	        "9 is not before 6");
	row[0] = 2;
	refused(cairn_stf_put_transaction(writer, &xact, bytes, sizeof row), CAIRN_E_INVAL,
	        "transaction 2, which is not in the trace");
	row[0] = 5;
	row[2] = 3;
	refused(cairn_stf_put_transaction(writer, &xact, bytes, sizeof row), CAIRN_E_INVAL,
	        "clock 3 of a dependency");
	refused(cairn_stf_put_transaction(writer, &xact, bytes, 8), CAIRN_E_INVAL, "outside of");
	xact = good;
	xact.n_meta = 1;
	refused(cairn_stf_put_transaction(writer, &xact, bytes, sizeof row), CAIRN_E_INVAL,
	        "1, 2, 4 or 8 bytes, not 5");
	row[0] = 1;
	row[1] = 0x100;
	refused(cairn_stf_put_transaction(writer, &xact, bytes, sizeof row), CAIRN_E_INVAL,
	        "does not fit 1");
	xact = good;
	xact.channel = 1;
	xact.data_len = 8;
	xact.mask_bits = 9;
	refused(cairn_stf_put_transaction(writer, &xact, bytes, sizeof row), CAIRN_E_INVAL,
	        "9 bits for 8 bytes");
	struct cairn_stf_insn in = {.enc = NOP, .size = 4};
	refused(cairn_stf_put(writer, &in), CAIRN_E_STATE, "trace of transactions");
	finish(writer);
	assert_string_equal(body("x.stf"), "250:5");
}

/* ---- random programs ---- */

static uint64_t seed;

static uint64_t rnd(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return below ? (seed >> 33) % below : 0;
}

/* Statements, not initialisers: those may be evaluated in any order. */
static struct cairn_reg random_reg(void)
{
	struct cairn_reg reg = {.cls = CAIRN_REG_INT, .flags = CAIRN_VALUE_KNOWN};
	reg.num = (uint16_t)rnd(32);
	reg.role = (uint8_t)(1 + rnd(3));
	reg.value = rnd(UINT64_MAX);
	return reg;
}

static struct cairn_mem random_mem(void)
{
	struct cairn_mem mem = {.flags = CAIRN_VALUE_KNOWN};
	mem.addr = rnd(UINT64_MAX);
	mem.size = rnd(2) ? 8 : 24;
	mem.kind = (uint8_t)(1 + rnd(2));
	mem.flags |= mem.size == 24 ? CAIRN_VALUE_WIDE : 0;
	return mem;
}

static void random_program(const char *name, unsigned threads, unsigned n, uint64_t from)
{
	static const uint32_t encodings[] = {NOP, LD, BEQ_8, JAL_8, RET, ECALL};
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .chunk = 777, .threads = threads};
	struct cairn_stf_writer *writer;
	struct cairn_ctx ctx = {.known =
	                            CAIRN_CTX_PRIV | CAIRN_CTX_HW_TID | CAIRN_CTX_PID | CAIRN_CTX_TID};
	uint64_t pc = 0x1000, bytes[4];
	seed = from;
	assert_int_equal(cairn_stf_create(c, in_dir(name), &opts, &writer), 0);
	assert_int_equal(cairn_stf_begin(writer, NULL), 0);
	for (unsigned i = 0; i < n; i++) {
		struct cairn_reg regs[3];
		struct cairn_mem mems[3];
		struct cairn_event ev = {.kind = CAIRN_EV_INTERRUPT, .code = rnd(16), .len = 8};
		struct cairn_stf_insn in = {.pc = pc,
		                            .enc = encodings[rnd(6)],
		                            .size = 4,
		                            .ctx = &ctx,
		                            .regs = regs,
		                            .mems = mems,
		                            .events = &ev,
		                            .bytes = (const uint8_t *)bytes,
		                            .n_bytes = sizeof bytes};
		in.n_regs = rnd(4);
		in.n_mems = rnd(4);
		in.n_events = rnd(20) == 0;
		for (size_t k = 0; k < 4; k++)
			bytes[k] = rnd(UINT64_MAX);
		for (size_t k = 0; k < in.n_regs; k++)
			regs[k] = random_reg();
		for (size_t k = 0; k < in.n_mems; k++)
			mems[k] = random_mem();
		put_insn(writer, &in);
		pc = rnd(8) == 0 ? rnd(1 << 20) * 2 : in.enc == JAL_8 ? pc + 8 : pc + 4;
		if (rnd(30) == 0)
			ctx.priv = (uint8_t)rnd(4);
		if (rnd(40) == 0)
			ctx.pid = (uint32_t)rnd(5);
	}
	finish(writer);
}

/* The same seed again, against what the reader sees. */
static void check_program(const char *name, unsigned n, uint64_t from)
{
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	uint32_t i = 0;
	uint64_t pc = 0x1000;
	uint8_t priv = 0;
	uint32_t pid = 0;
	seed = from;
	assert_int_equal(cairn_open(c, in_dir(name), NULL, &reader), 0);
	batch->n_insns = 0;
	for (unsigned k = 0; k < n; k++, i++) {
		if (i == batch->n_insns) {
			assert_int_equal(cairn_next(reader, batch), 1);
			i = 0;
		}
		const struct cairn_insn *row = &batch->insns[i];
		static const uint32_t encodings[] = {NOP, LD, BEQ_8, JAL_8, RET, ECALL};
		uint64_t code = rnd(16), bytes[4];
		uint32_t enc = encodings[rnd(6)];
		size_t n_regs = rnd(4), n_mems = rnd(4), n_events = rnd(20) == 0;
		for (size_t j = 0; j < 4; j++)
			bytes[j] = rnd(UINT64_MAX);
		assert_int_equal(row->pc, pc);
		assert_int_equal(row->enc, enc);
		assert_int_equal(row[1].reg0 - row->reg0, n_regs);
		assert_int_equal(row[1].mem0 - row->mem0, n_mems);
		assert_int_equal(batch->ctxs[row->ctx].priv, priv);
		assert_int_equal(batch->ctxs[row->ctx].pid, pid);
		for (size_t j = 0; j < n_regs; j++) {
			const struct cairn_reg *x = &batch->regs[row->reg0 + j];
			struct cairn_reg want = random_reg();
			assert_int_equal(x->num, want.num);
			assert_int_equal(x->role, want.role);
			assert_int_equal(x->value, want.value);
		}
		for (size_t j = 0; j < n_mems; j++) {
			const struct cairn_mem *x = &batch->mems[row->mem0 + j];
			struct cairn_mem want = random_mem();
			assert_int_equal(x->addr, want.addr);
			assert_int_equal(x->size, want.size);
			assert_int_equal(x->kind, want.kind);
			if (x->size == 24)
				assert_memory_equal(batch->bytes + x->value, bytes, 24);
		}
		unsigned irqs = 0;
		for (uint32_t e = row->ev0; e < row[1].ev0; e++)
			if (batch->events[e].kind == CAIRN_EV_INTERRUPT) {
				irqs++;
				assert_int_equal(batch->events[e].code, code);
				assert_int_equal(cairn_event_arg(batch, &batch->events[e], 0), bytes[0]);
			}
		assert_int_equal(irqs, n_events);
		pc = rnd(8) == 0 ? rnd(1 << 20) * 2 : enc == JAL_8 ? pc + 8 : pc + 4;
		if (rnd(30) == 0)
			priv = (uint8_t)rnd(4);
		if (rnd(40) == 0)
			pid = (uint32_t)rnd(5);
	}
	assert_int_equal(cairn_damage_count(reader), 0);
	cairn_close(reader);
	cairn_batch_free(c, batch);
}

static void test_random_programs(void **state)
{
	(void)state;
	for (uint64_t s = 1; s <= 6; s++) {
		const char *name = s % 2 ? "r.zstf" : "r.stf";
		random_program(name, 2, 5000, s);
		check_program(name, 5000, s);
	}
}

static size_t slurp(const char *name, uint8_t **p)
{
	FILE *f = fopen(in_dir(name), "rb");
	assert_non_null(f);
	*p = malloc(8 << 20);
	size_t n = fread(*p, 1, 8 << 20, f);
	fclose(f);
	return n;
}

static void test_threads_alike(void **state)
{
	(void)state;
	uint8_t *a, *b;
	random_program("one.zstf", 1, 20000, 42);
	random_program("many.zstf", 5, 20000, 42);
	size_t n = slurp("one.zstf", &a), m = slurp("many.zstf", &b);
	assert_int_equal(n, m);
	assert_memory_equal(a, b, n);
	free(a);
	free(b);
}

/* Many records at once, in whatever pieces, are the same as one after another. */
static void test_copies_alike(void **state)
{
	(void)state;
	uint8_t *raw, *one, *many;
	random_program("from.stf", 1, 20000, 9);
	size_t n = slurp("from.stf", &raw), at, len[2];
	struct cairn_stf_config cfg = {.version_major = 1, .version_minor = 6, .event_bits = 64};
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .chunk = 777, .threads = 2};
	for (int container = 0; container < 2; container++) {
		struct cairn_stf_writer *writer;
		const char *names[] = {container ? "one.zstf" : "one.stf",
		                       container ? "many.zstf" : "many.stf"};
		assert_int_equal(cairn_stf_create(c, in_dir(names[0]), &opts, &writer), 0);
		for (at = 0; at < n;) {
			int64_t k = cairn_stf_record_length(&cfg, raw + at, n - at);
			assert_true(k > 0);
			assert_int_equal(cairn_stf_put_record(writer, raw + at, (size_t)k), 0);
			at += (size_t)k;
		}
		finish(writer);
		assert_int_equal(cairn_stf_create(c, in_dir(names[1]), &opts, &writer), 0);
		for (at = 0, seed = 3; at < n;) {
			size_t piece = 1 + rnd(100000);
			int64_t k = cairn_stf_put_records(writer, raw + at, piece < n - at ? piece : n - at);
			assert_true(k >= 0);
			at += (size_t)k;
		}
		assert_true(cairn_stf_features_seen(writer) & CAIRN_STF_F_EVENT);
		finish(writer);
		len[0] = slurp(names[0], &one);
		len[1] = slurp(names[1], &many);
		assert_int_equal(len[0], len[1]);
		assert_memory_equal(one, many, len[0]);
		if (!container)
			assert_memory_equal(one, raw, n);
		free(one);
		free(many);
	}
	struct cairn_stf_writer *writer;
	assert_int_equal(cairn_stf_create(c, in_dir("bad.stf"), &opts, &writer), 0);
	raw[n - 5] = 99; /* the last instruction's descriptor: no such record */
	refused((int)cairn_stf_put_records(writer, raw, n), CAIRN_E_DAMAGED, "STF has no record 99");
	cairn_stf_abort(writer);
	free(raw);
}

/* ---- failing ---- */

static void test_full_disk(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer;
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .container = "stf"};
	assert_int_equal(cairn_stf_create(c, "/dev/full", &opts, &writer), 0);
	assert_int_equal(cairn_stf_begin(writer, NULL), 0);
	put(writer, 0, NOP, 4);
	refused(cairn_stf_finish(writer), CAIRN_E_IO, "/dev/full");
	assert_int_equal(cairn_stf_create(c, "/dev/full", &opts, &writer), 0);
	assert_int_equal(cairn_stf_begin(writer, NULL), 0);
	int rc = 0;
	for (uint64_t i = 0; i < 2000000 && rc >= 0; i++) {
		struct cairn_stf_insn in = {.pc = 4 * i, .enc = NOP, .size = 4};
		rc = cairn_stf_put(writer, &in);
	}
	refused(cairn_stf_finish(writer), CAIRN_E_IO, "/dev/full");
}

static void test_killed(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		struct cairn_stf_writer *writer = begin("k.zstf");
		for (uint64_t i = 0; i < 300000; i++)
			put(writer, 4 * i, NOP, 4);
		_exit(0); /* no finish */
	}
	int status;
	waitpid(pid, &status, 0);
	assert_false(exists("k.zstf"));
	struct cairn_stf_writer *writer = begin("a.zstf");
	put(writer, 0, NOP, 4);
	cairn_stf_abort(writer);
	assert_false(exists("a.zstf"));
	char temp[200];
	assert_false(unfinished(in_dir("a.zstf"), temp, sizeof temp));
}

/* What a writer that was killed has written a second after it began is a whole trace,
 * although its header was corrected in its place. */
static void test_killed_late(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		struct cairn_stf_writer *writer = begin("late.zstf");
		struct cairn_event trap = {.kind = CAIRN_EV_EXCEPTION, .code = 2};
		for (uint64_t i = 0; i < 400000; i++) {
			if (i == 300000)
				usleep(1100000);
			struct cairn_stf_insn in = {.pc = 4 * i,
			                            .enc = NOP,
			                            .size = 4,
			                            .events = &trap,
			                            .n_events = i == 200000};
			if (cairn_stf_put(writer, &in) < 0)
				_exit(1);
		}
		_exit(0); /* no finish */
	}
	int status;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_false(exists("late.zstf"));
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_stf_header *header;
	char temp[200];
	assert_true(unfinished(in_dir("late.zstf"), temp, sizeof temp));
	assert_int_equal(cairn_open(c, temp, NULL, &reader), 0);
	assert_int_equal(cairn_count(reader, 1, &tally), 0);
	assert_int_equal(cairn_damage_count(reader), 0);
	assert_in_range(tally.instructions, 200001, 400000);
	assert_int_equal(tally.by_record[CAIRN_STF_EVENT], 1);
	assert_int_equal(cairn_stf_header_of(reader, &header), 0);
	assert_true(header->cfg.features & CAIRN_STF_F_EVENT);
	cairn_stf_header_free(header);
	cairn_close(reader);
}

static void test_misuse(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer;
	struct cairn_stf_insn in = {.enc = NOP, .size = 4};
	assert_int_equal(cairn_stf_create(c, in_dir("m.stf"), NULL, &writer), 0);
	refused(cairn_stf_put(writer, &in), CAIRN_E_STATE, "was not begun");
	assert_int_equal(cairn_stf_begin(writer, NULL), 0);
	refused(cairn_stf_begin(writer, NULL), CAIRN_E_STATE, "begins once");
	struct cairn_xact xact = {.channel = 5};
	refused(cairn_stf_put_transaction(writer, &xact, NULL, 0), CAIRN_E_STATE,
	        "trace of instructions");
	cairn_stf_abort(writer);
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .level = 99};
	refused(cairn_stf_create(c, in_dir("m.zstf"), &opts, &writer), CAIRN_E_INVAL,
	        "zstd has the levels");
	struct cairn_stf_header *header;
	assert_int_equal(cairn_stf_create(c, in_dir("h.stf"), NULL, &writer), 0);
	assert_int_equal(cairn_stf_header_new(c, &header), 0);
	refused(cairn_stf_header_comment(header, "end", 4), CAIRN_E_INVAL, "does not end in a NUL");
	refused(cairn_stf_put_header_group(writer, header, 0, 0), CAIRN_E_INVAL,
	        "TRACE_INFO is missing");
	assert_int_equal(cairn_stf_header_provenance(header, NULL), 0);
	refused(cairn_stf_put_header_group(writer, header, 0, 0), CAIRN_E_INVAL, "FORCE_PC is missing");
	header->has_pc = 1;
	header->cfg.isa = 0;
	refused(cairn_stf_put_header_group(writer, header, 0, 0), CAIRN_E_INVAL, "ISA is missing");
	header->cfg.isa = 1;
	header->cfg.iem = 0;
	refused(cairn_stf_put_header_group(writer, header, 0, 0), CAIRN_E_INVAL, "INST_IEM is missing");
	header->cfg.iem = 2;
	header->cfg.vlen = 96;
	refused(cairn_stf_put_header_group(writer, header, 0, 0), CAIRN_E_INVAL, "power of two");
	header->cfg.vlen = 128;
	assert_int_equal(cairn_stf_put_header_group(writer, header, 0, 0), 0);
	cairn_stf_header_free(header);
	cairn_stf_abort(writer);
	refused(cairn_stf_header_read(c, (const uint8_t *)"\1STF\2", 5, &header), CAIRN_E_TRUNCATED,
	        "no END_HEADER");
	refused(cairn_stf_header_read(c, (const uint8_t *)"GIF89a", 6, &header), CAIRN_E_FORMAT, "STF");
}

/* ---- batches of another format ---- */

static void test_ledger(void **state)
{
	(void)state;
	struct cairn_writer *writer;
	struct cairn_ledger *ledger = NULL;
	struct cairn_create_opts opts = {.size = sizeof opts, .to = "stf:version=1.5,container=stf"};
	struct cairn_batch *batch = cairn_batch_new(c);
	memset(batch->insns, 0, 8 * sizeof *batch->insns);
	batch->n0 = 1;
	batch->have = CAIRN_EVERYTHING;
	batch->n_insns = 3;
	batch->n_regs = batch->n_mems = batch->n_events = batch->n_ctxs = 1;
	batch->ctxs[0] = (struct cairn_ctx){.known = CAIRN_CTX_VMID, .vmid = 3};
	batch->insns[0] = (struct cairn_insn){.pc = 0x10, .enc = NOP, .size = 4, .isa = CAIRN_ISA_RV64};
	batch->insns[1] = (struct cairn_insn){.pc = 0x14,
	                                      .enc = NOP,
	                                      .size = 4,
	                                      .isa = CAIRN_ISA_RV64,
	                                      .reg0 = 0,
	                                      .flags = CAIRN_INSN_ENC_UNKNOWN};
	batch->insns[2] = (struct cairn_insn){.pc = 0x18, .enc = NOP, .size = 4, .isa = CAIRN_ISA_RV64};
	batch->insns[3] = batch->insns[4] = (struct cairn_insn){.reg0 = 1, .mem0 = 1, .ev0 = 1};
	batch->regs[0] = (struct cairn_reg){.cls = CAIRN_REG_FLAGS};
	batch->mems[0] = (struct cairn_mem){.kind = CAIRN_MEM_PREFETCH, .size = 4};
	batch->events[0] = (struct cairn_event){.kind = CAIRN_EV_TIMESTAMP};
	assert_int_equal(cairn_create(c, in_dir("l.out"), &opts, &writer), 0);
	if (cairn_put(writer, batch) < 0 || cairn_finish(writer, &ledger) < 0)
		fail_msg("%s", cairn_error_text(c));
	assert_string_equal(body("l.out"), "240:13 9:18 240:13");
	static const char *const want[] = {"virtual machine ids", "instructions without an encoding",
	                                   "registers of classes that STF does not have", "prefetches",
	                                   "timestamps"};
	assert_int_equal(ledger->n, 5);
	for (size_t i = 0; i < 5; i++) {
		int found = 0;
		for (size_t k = 0; k < ledger->n; k++)
			found |= strcmp(ledger->losses[k].what, want[i]) == 0 && ledger->losses[k].count == 1;
		if (!found)
			fail_msg("'%s' is not in the ledger", want[i]);
	}
	cairn_ledger_free(c, ledger);
	opts.lossless = 1;
	assert_int_equal(cairn_create(c, in_dir("l.out"), &opts, &writer), 0);
	refused(cairn_put(writer, batch), CAIRN_E_LOSS, "virtual machine ids");
	cairn_discard(writer);
	opts = (struct cairn_create_opts){.size = sizeof opts, .to = "stf:nonsense=1"};
	refused(cairn_create(c, in_dir("l.out"), &opts, &writer), CAIRN_E_INVAL,
	        "no option 'nonsense=1'");
	opts.to = "xyz";
	refused(cairn_create(c, in_dir("l.out"), &opts, &writer), CAIRN_E_INVAL, "'xyz'; known: STF");
	cairn_batch_free(c, batch);
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cairn-build-XXXXXX");
	c = cairn_new(NULL);
	return mkdtemp(dir) && c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	char cmd[96];
	cairn_free(c);
	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_straight),
	                                   cmocka_unit_test(test_targets),
	                                   cmocka_unit_test(test_target_given),
	                                   cmocka_unit_test(test_branch_lies),
	                                   cmocka_unit_test(test_contexts),
	                                   cmocka_unit_test(test_modes),
	                                   cmocka_unit_test(test_mode_after_first),
	                                   cmocka_unit_test(test_encoding_modes),
	                                   cmocka_unit_test(test_events),
	                                   cmocka_unit_test(test_fetch_fault),
	                                   cmocka_unit_test(test_page_walk),
	                                   cmocka_unit_test(test_rows),
	                                   cmocka_unit_test(test_accesses_of_no_kind),
	                                   cmocka_unit_test(test_values_refused),
	                                   cmocka_unit_test(test_vectors),
	                                   cmocka_unit_test(test_versions),
	                                   cmocka_unit_test(test_features_everywhere),
	                                   cmocka_unit_test(test_features_declared),
	                                   cmocka_unit_test(test_provenance),
	                                   cmocka_unit_test(test_end_and_comments),
	                                   cmocka_unit_test(test_order),
	                                   cmocka_unit_test(test_ends_half),
	                                   cmocka_unit_test(test_transactions),
	                                   cmocka_unit_test(test_transactions_refused),
	                                   cmocka_unit_test(test_random_programs),
	                                   cmocka_unit_test(test_threads_alike),
	                                   cmocka_unit_test(test_copies_alike),
	                                   cmocka_unit_test(test_full_disk),
	                                   cmocka_unit_test(test_killed),
	                                   cmocka_unit_test(test_killed_late),
	                                   cmocka_unit_test(test_misuse),
	                                   cmocka_unit_test(test_ledger)};
	return cmocka_run_group_tests_name("stf-build", tests, setup, teardown);
}
