/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model, proven with one small trace of each kind: an RST trap on one of
 * two CPUs, an ETE stream without an image, a VIXL log of state, TileLink
 * transactions and a fault in STF. Each is read in every way: batch by batch
 * and by runs of 1, 2, 3 and 8 threads, cut into spans of 1, 2, 3 and many
 * records; all must give the same rows in the same slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/fixtures.h"
#include "fixtures/stf_maker.h"
#include "formats/stf/stf.h"

static int setup(void **state)
{
	*state = cairn_new(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	cairn_free(*state);
	return 0;
}

/* Number of lines of `text` that begin with `head`. */
static unsigned count_lines(const char *text, const char *head)
{
	unsigned n = 0;
	for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		n += !strncmp(p, head, strlen(head));
	return n;
}

/* ---- RST ---- */

enum { EA = 64, TR = 32, PR = 8, BT = 4, AN = 2 };

static void rst_header(struct fx_bytes *bytes)
{
	uint8_t head[24] = {2, 2, 13, '%', 'R', 'S', 'T', ' ', 'H', 'e', 'a', 'd', 'e', 'r'};
	uint8_t level[24] = {4, 2, 0, 1};
	fx_put(bytes, head, 24);
	fx_put(bytes, level, 24);
}

static void rst_instr(struct fx_bytes *bytes, unsigned cpu, unsigned flags, uint64_t pc,
                      uint32_t enc, uint64_t ea)
{
	uint8_t head[4] = {3, (uint8_t)flags, (uint8_t)((cpu & 63) << 2 | cpu >> 8),
	                   (uint8_t)(cpu >> 6 << 6)};
	fx_put(bytes, head, 4);
	fx_be(bytes, 4, enc);
	fx_be(bytes, 8, pc);
	fx_be(bytes, 8, ea);
}

static void rst_diff(struct fx_bytes *bytes, unsigned cpu, bool ea_valid, uint64_t pc, uint64_t ea)
{
	uint8_t head[8] = {19, (uint8_t)(cpu | (ea_valid ? 128u : 0u))};
	fx_put(bytes, head, 8);
	fx_be(bytes, 8, pc);
	fx_be(bytes, 8, ea);
}

static void rst_reg(struct fx_bytes *bytes, unsigned cpu, bool post, unsigned id, uint64_t value)
{
	uint8_t head[8] = {9, (uint8_t)(cpu | (post ? 128u : 0u)), 1, 5, (uint8_t)id};
	fx_put(bytes, head, 8);
	fx_be(bytes, 8, value);
	fx_be(bytes, 8, 0);
}

static void rst_trap(struct fx_bytes *bytes, unsigned cpu, unsigned type, uint64_t pc)
{
	uint8_t head[2] = {7, 0};
	fx_put(bytes, head, 2);
	fx_be(bytes, 2, cpu << 10 | type);
	fx_be(bytes, 2, 0x12); /* pstate */
	fx_be(bytes, 2, 0);
	fx_be(bytes, 8, pc);
	fx_be(bytes, 8, pc + 4);
}

static void rst_preg(struct fx_bytes *bytes, unsigned cpu, unsigned pstate)
{
	uint8_t rec[24] = {17, 0x80, 0, 0, 0, 0, (uint8_t)(pstate >> 8), (uint8_t)pstate, (uint8_t)cpu};
	fx_put(bytes, rec, 24);
}

/* CPU 1 misses in the data TLB while CPU 0 branches on with an annulled slot. */
static struct fx_bytes *rst_trace(void)
{
	struct fx_bytes *bytes = calloc(1, sizeof *bytes);
	assert_non_null(bytes);
	rst_header(bytes);
	rst_preg(bytes, 0, 0x12);
	rst_diff(bytes, 0, false, 0x40000000, 0);
	rst_diff(bytes, 1, true, 0x80000000, 0x90000000);
	rst_instr(bytes, 0, EA | BT, 0x1000, 0x30800004, 0x1010); /* ba,a */
	rst_instr(bytes, 1, EA, 0x2000, 0xc4006000, 0x5000);      /* ld */
	rst_reg(bytes, 1, true, 2, 0x77);
	rst_instr(bytes, 0, AN, 0x1004, 0x01000000, 0); /* its slot */
	rst_reg(bytes, 0, false, 9, 0x11);
	rst_trap(bytes, 1, 0x68, 0x2004);
	rst_reg(bytes, 1, false, 1, 0x6000);
	rst_instr(bytes, 0, 0, 0x1010, 0x82102001, 0);       /* or */
	rst_instr(bytes, 1, TR | BT, 0x2004, 0xc6206000, 0); /* st, misses */
	rst_reg(bytes, 0, true, 1, 1);
	rst_diff(bytes, 1, false, 0x80100000, 0);
	rst_instr(bytes, 1, PR, 0xf0000d00, 0x81d06000, 0);  /* handler */
	rst_instr(bytes, 0, EA, 0x1014, 0xc4706000, 0x7000); /* stx, no difference known */
	rst_reg(bytes, 1, false, 3, 0x33);
	return bytes;
}

static const char rst_text[] = "I 1 0x1000 30800004/4 taken target ->0x1010 [cpu0 priv0] r6@0x78\n"
							   " R csr6 state <0+64> =0x12\n"
							   " M fetch 0x1000 pa 0x40001000 4\n"
							   "I 2 0x2000 c4006000/4 [cpu1 priv0] r7@0x90\n"
							   " M fetch 0x2000 pa 0x80002000 4\n"
							   " M read 0x5000 pa 0x90005000 4\n"
							   " R int2 dst <0+64> =0x77\n"
							   "I 3 0x1004 01000000/4 annulled [cpu0 priv0] r9@0xc0\n"
							   "I 4 0x1010 82102001/4 [cpu0 priv0] r13@0x120\n"
							   " R int9 state <0+64> =0x11\n"
							   "I 5 0x2004 c6206000/4 aborted [cpu1 priv0] r14@0x138\n"
							   " E EXCEPTION on 104 (0x0,0x12,0x2004,0x2008)\n"
							   " R int1 state <0+64> =0x6000\n"
							   "I 6 0xf0000d00 81d06000/4 jump [cpu1 priv1] r17@0x180\n"
							   " M fetch 0xf0000d00 pa 0x170100d00 4\n"
							   "I 7 0x1014 c4706000/4 [cpu0 priv0] r18@0x198\n"
							   " R int1 state <0+64> =0x1\n"
							   " M write 0x7000 8\n"
							   " R int3 state <0+64> =0x33\n";

static void rst_two_cpus_and_a_trap(void **state)
{
	struct fx_bytes *bytes = rst_trace();
	struct fx_trace trace = {.format = &fixture_rst, .data = bytes->data, .n = bytes->n};
	fx_all_ways(*state, trace, rst_text, 0);
	free(bytes);
}

static void rst_as_wanted(void **state)
{
	struct fx_bytes *bytes = rst_trace();
	struct fx_trace trace = {.format = &fixture_rst,
	                         .data = bytes->data,
	                         .n = bytes->n,
	                         .want = CAIRN_PC | CAIRN_EVENTS};
	struct fx_result res;
	fx_read_next(*state, &trace, &res);
	const char *text = (const char *)res.text.data;
	assert_int_equal(count_lines(text, "I "), 7);
	assert_int_equal(count_lines(text, " E "), 1);
	assert_int_equal(count_lines(text, " R "), 0);
	assert_int_equal(count_lines(text, " M "), 0);
	assert_null(strstr(text, "@0x")); /* places were not wanted */
	fx_free(&res);
	fx_all_ways(*state, trace, NULL, 0);
	free(bytes);
}

/* From the n-th on, as near as spans allow; the first span of a later one says more
 * than nothing of what came before: its contexts and differences are right. */
static void rst_seek_and_last(void **state)
{
	struct fx_bytes *bytes = rst_trace();
	struct fx_trace trace = {.format = &fixture_rst,
	                         .data = bytes->data,
	                         .n = bytes->n,
	                         .seek = 5,
	                         .options = "span=1"};
	const char *from5 = strstr(rst_text, "I 5");
	fx_all_ways(*state, trace, NULL, 0);
	struct fx_result res;
	fx_read_next(*state, &trace, &res);
	const char *text = (const char *)res.text.data;
	size_t n = strlen(text);
	assert_true(n >= strlen(from5));
	assert_string_equal(text + n - strlen(from5), from5);
	assert_null(strstr(text, "I 1 "));
	fx_free(&res);
	trace.seek = 0;
	for (unsigned threads = 1; threads <= 3; threads++) {
		fx_read_run(*state, &trace, 3, threads, &res);
		assert_int_equal(res.status, 0);
		text = (const char *)res.text.data;
		assert_non_null(strstr(text, "I 3 "));
		/* Batches are whole, and one thread's are larger. */
		assert_memory_equal(text, rst_text, strlen(text));
		if (threads > 1)
			assert_null(strstr(text, "I 7 "));
		fx_free(&res);
	}
	trace.seek = 1000;
	fx_all_ways(*state, trace, "", 0);
	free(bytes);
}

/* Many batches: the cuts between them fall anywhere. */
static void rst_long(void **state)
{
	struct fx_bytes *bytes = calloc(1, sizeof *bytes);
	assert_non_null(bytes);
	rst_header(bytes);
	rst_diff(bytes, 0, true, 0x1000000, 0x2000000);
	rst_diff(bytes, 1, true, 0x3000000, 0x4000000);
	for (unsigned i = 0; bytes->n + 96 < sizeof bytes->data; i++) {
		unsigned cpu = i * 7 / 3 % 2;
		if (i % 5 == 0)
			rst_reg(bytes, cpu, false, i % 8, i);
		if (i % 9 == 0)
			rst_reg(bytes, 1 - cpu, false, 8 + i % 8, i);
		rst_instr(bytes, cpu, EA, 0x1000 + 4ull * i, 0xc4006000, 0x8000 + i);
	}
	struct fx_trace trace = {.format = &fixture_rst, .data = bytes->data, .n = bytes->n};
	fx_all_ways(*state, trace, NULL, 0);
	trace.options = "span=700";
	fx_all_ways(*state, trace, NULL, 0);
	free(bytes);
}

/* ---- ETE ---- */

static void ete_sync(struct fx_bytes *bytes)
{
	static const uint8_t raw[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x01, 0x00};
	fx_put(bytes, raw, sizeof raw);
}

static void ete_address(struct fx_bytes *bytes, uint64_t a)
{
	fx_le(bytes, 1, a >> 2 & 127);
	fx_le(bytes, 1, a >> 9 & 127);
	fx_le(bytes, 6, a >> 16);
}

static struct fx_bytes *ete_trace(void)
{
	static const uint8_t ctx[] = {0x31 | 0x80, 0x2a, 0, 0, 0}; /* EL1, NS, A64, context ID 42 */
	struct fx_bytes *bytes = calloc(1, sizeof *bytes);
	assert_non_null(bytes);
	ete_sync(bytes);
	fx_le(bytes, 1, 0x04); /* trace on */
	fx_le(bytes, 1, 0x85);
	ete_address(bytes, 0xffff800008012340);
	fx_put(bytes, ctx, sizeof ctx);
	fx_le(bytes, 1, 0xf7);     /* E */
	fx_le(bytes, 1, 0xd9);     /* EN */
	fx_be(bytes, 3, 0x958105); /* short address, two bytes */
	fx_le(bytes, 1, 0xf8);     /* NNN */
	fx_be(bytes, 3, 0x02e401); /* timestamp 228 */
	fx_be(bytes, 2, 0x061d);   /* exception IRQ, its address to come */
	fx_le(bytes, 1, 0x9d);
	ete_address(bytes, 0xffff800008012348);
	fx_be(bytes, 2, 0x8122);     /* context: EL2 */
	fx_le(bytes, 1, 0xf6);       /* N */
	fx_be(bytes, 4, 0x0511f6f6); /* reserved, then what cannot be trusted */
	ete_sync(bytes);
	fx_le(bytes, 1, 0x9d);
	ete_address(bytes, 0x400000);
	fx_le(bytes, 1, 0xf7);
	return bytes;
}

static const char ete_text[] =
	" 3: E TRACE_ON on 0\n"
	" 4: E CONTEXT on [priv9 sec1 ctxid42]\n"
	" 4: E BRANCH on 0 ->0xffff800008012340\n"
	" 5: E ATOM on 1\n"
	" 6: E ATOM on 1\n"
	" 6: E ATOM on 0\n"
	" 7: E BRANCH on 0 ->0xffff800008000a04\n"
	" 8: E ATOM on 0\n"
	" 8: E ATOM on 0\n"
	" 8: E ATOM on 0\n"
	" 9: E TIMESTAMP on 228\n"
	" 11: E EXCEPTION on 14 (0xffff800008012348)\n"
	" 12: E CONTEXT on [priv10 sec1 ctxid42]\n"
	" 13: E ATOM on 0\n"
	" 14: E DAMAGE before 53 \"byte 0x35, packet 14: header 0x05 cannot be read, 4 bytes "
	"skipped\"\n"
	" 14: E GAP before unknown \"no synchronisation\"\n"
	" 17: E BRANCH on 0 ->0x400000\n"
	" 18: E ATOM on 1\n";

static void ete_without_an_image(void **state)
{
	struct fx_bytes *bytes = ete_trace();
	struct fx_trace trace = {.format = &fixture_ete, .data = bytes->data, .n = bytes->n};
	fx_all_ways(*state, trace, ete_text, 1);
	free(bytes);
}

/* Under strict, what holds the damage is the last that is delivered, and the same
 * for any number of threads while spans are the same. */
static void strict_ends_at_the_first_damage(void **state)
{
	struct fx_bytes *bytes = ete_trace();
	struct fx_trace trace = {.format = &fixture_ete,
	                         .data = bytes->data,
	                         .n = bytes->n,
	                         .options = "span=1",
	                         .strict = 1};
	for (unsigned threads = 0; threads <= 8; threads++) {
		struct fx_result res;
		if (threads == 0)
			fx_read_next(*state, &trace, &res);
		else
			fx_read_run(*state, &trace, UINT64_MAX, threads, &res);
		const char *text = (const char *)res.text.data;
		assert_int_equal(res.status, CAIRN_E_DAMAGED);
		assert_non_null(strstr(res.error, "byte 0x35, packet 14: header 0x05"));
		if (threads > 1) { /* alone it is one span and one batch */
			assert_memory_equal(text, ete_text, strlen(text));
			assert_non_null(strstr(text, "DAMAGE"));
			assert_null(strstr(text, "0x400000"));
		}
		fx_free(&res);
	}
	free(bytes);
}

/* ---- VIXL ---- */

static const char vixl_log[] =
	"#             x0: 0x000000000badbeef\n"
	"#             w1:         0x89abcdef\n"
	"#             v2: 0x00112233445566778899aabbccddeeff\n"
	"Warning: what a program printed\n"
	"#        x3<31:0>:         0x0000002a -> 0x00007fff00001000\n"
	"#             x4: 0x0000000000000007 <- 0x00007fff00002000\n"
	"#       v5<127:0>: 0xffeeddccbbaa99887766554433221100 -> 0x00007fff00003000\n"
	"#      0x0000000000000000 -> 0x00007fff00004000\n"
	"#        v6<63:0>:                 0x3ff0000000000000 <- 0x00007fff00005000";

static const char vixl_text[] =
	" 1: R int0 dst <0+64> =0xbadbeef\n"
	" 2: R int1 dst <0+32> =0x89abcdef\n"
	" 3: R vec2 dst <0+128> =0x00112233445566778899aabbccddeeff\n"
	" 4: E DAMAGE before 127 \"line 4: 'Warning: what a program printed' is no line of a "
	"state trace\"\n"
	" 5: R int3 src <0+32> =0x2a\n"
	" 5: M write 0x7fff00001000 4 reg 1.3 =0x2a\n"
	" 6: R int4 dst <0+64> =0x7\n"
	" 6: M read 0x7fff00002000 8 reg 1.4 =0x7\n"
	" 7: R vec5 src <0+128> =0xffeeddccbbaa99887766554433221100\n"
	" 7: M write 0x7fff00003000 16 reg 3.5 =0xffeeddccbbaa99887766554433221100\n"
	" 8: M write 0x7fff00004000 8 =0x0\n"
	" 9: R vec6 dst <0+64> =0x3ff0000000000000\n"
	" 9: M read 0x7fff00005000 8 reg 3.6 =0x3ff0000000000000\n";

static void vixl_state_without_instructions(void **state)
{
	struct fx_trace trace = {.format = &fixture_vixl, .data = vixl_log, .n = sizeof vixl_log - 1};
	fx_all_ways(*state, trace, vixl_text, 1);
}

/* More lines than a batch holds. */
static void vixl_long(void **state)
{
	enum { LINES = 70000, WIDTH = 37 };
	char *log = malloc(LINES * WIDTH + 1);
	assert_non_null(log);
	for (unsigned i = 0; i < LINES; i++)
		snprintf(log + (size_t)i * WIDTH, WIDTH + 1, "#            x%02u: 0x%016x\n", i % 29, i);
	struct fx_trace trace = {.format = &fixture_vixl, .data = log, .n = LINES * WIDTH};
	struct fx_result res;
	fx_read_next(*state, &trace, &res);
	assert_int_equal(count_lines((const char *)res.text.data, " "), LINES);
	assert_non_null(strstr((const char *)res.text.data, "\n 70000: R int22 dst <0+64> =0x1116f\n"));
	fx_free(&res);
	trace.options = "span=0";
	fx_all_ways(*state, trace, NULL, 0);
	free(log);
}

/* ---- STF ---- */

/* Raw, and as containers of 1, 2, 3 and many markers a chunk. */
static void all_packings(struct cairn *cairn, const struct mk_stf *stf, const char *expected)
{
	struct fx_trace trace = {.format = &stf_format,
	                         .data = stf->raw.data,
	                         .n = stf->raw.n,
	                         .options = ""};
	fx_all_ways(cairn, trace, expected, 0);
	for (uint64_t per_chunk = 1; per_chunk <= 1000; per_chunk += per_chunk < 3 ? 1 : 997) {
		struct base_buf packed;
		base_buf_init(&packed, cairn);
		assert_true(mk_pack(cairn, stf, per_chunk, &packed) >= 0);
		trace.data = packed.data;
		trace.n = packed.len;
		fx_all_ways(cairn, trace, expected, 0);
		base_buf_free(&packed);
	}
}

/* One transaction on each channel, with metadata and dependencies. */
static struct mk_stf *tilelink_trace(void)
{
	struct mk_stf *stf = mk_new();
	struct fx_bytes *bytes = &stf->raw;
	mk_begin(stf, 5);
	mk_text(stf, CAIRN_STF_COMMENT, "bus");
	mk_features(stf, CAIRN_STF_F_TRANSACTIONS | CAIRN_STF_F_EVENT64);
	fx_be(bytes, 2, 0x0b01);     /* PROTOCOL_ID TileLink */
	fx_be(bytes, 4, 0x0c010300); /* CLOCK_ID 1 "cpu" */
	fx_put(bytes, "cpu", 3);
	fx_be(bytes, 4, 0x0c020300);
	fx_put(bytes, "bus", 3);
	mk_end_header(stf);

	mk_xact(stf, 1, 10, 1); /* A, PutPartialData */
	mk_metadata(stf, 0, 0x5a);
	mk_metadata(stf, 3, 0x0123456789abcdef);
	fx_be(bytes, 4, 0x01010203);
	fx_le(bytes, 8, 7);
	fx_le(bytes, 2, 4);
	fx_be(bytes, 4, 0xaabbccdd);
	fx_le(bytes, 8, 0x80001000);
	fx_le(bytes, 2, 4);
	fx_le(bytes, 1, 0x0b);
	mk_xact_end(stf);
	mk_xact(stf, 2, 1, 2); /* B, Probe */
	fx_be(bytes, 4, 0x02060006);
	fx_le(bytes, 8, 1);
	fx_le(bytes, 2, 0);
	fx_le(bytes, 8, 0x80002000);
	fx_le(bytes, 2, 0);
	mk_xact_end(stf);
	mk_text(stf, CAIRN_STF_COMMENT, "between");
	mk_xact(stf, 3, 0, 1); /* C, ProbeAck */
	fx_be(bytes, 4, 0x03040106);
	fx_le(bytes, 8, 1);
	fx_le(bytes, 2, 1);
	fx_le(bytes, 1, 0xee);
	fx_le(bytes, 8, 0x80002000);
	mk_xact_end(stf);
	fx_le(bytes, 1, CAIRN_STF_TRANSACTION_DEPENDENCY);
	fx_le(bytes, 8, 1);
	fx_le(bytes, 8, 4);
	fx_le(bytes, 1, 1);
	fx_le(bytes, 1, CAIRN_STF_TRANSACTION_DEPENDENCY);
	fx_le(bytes, 8, 2);
	fx_le(bytes, 8, 5);
	fx_le(bytes, 1, 2);
	mk_xact(stf, 4, 2, 1); /* D, AccessAck */
	fx_be(bytes, 4, 0x04000003);
	fx_le(bytes, 8, 7);
	fx_le(bytes, 2, 0);
	fx_le(bytes, 8, 0x99);
	mk_xact_end(stf);
	mk_xact(stf, 5, 1, 1); /* E, GrantAck */
	mk_metadata(stf, 1, 0x1234);
	mk_metadata(stf, 2, 0xdeadbeef);
	fx_le(bytes, 1, 5);
	fx_le(bytes, 8, 0x99);
	mk_xact_end(stf);
	return stf;
}

static const char tilelink_text[] =
	"X 1 id 1 +10 clock 1 channel 1 op 1.2.3 from 0x7 at 0x80001000 data 0xddccbbaa mask "
	"4:0x0b meta 1:0x5a meta 8:0x123456789abcdef r9@0x2f\n"
	"X 2 id 2 +1 clock 2 channel 2 op 6.0.6 from 0x1 at 0x80002000 data 0x mask 0:0x "
	"r10@0x6b\n"
	" E COMMENT on 0 \"between\"\n"
	"X 3 id 3 +0 clock 1 channel 3 op 4.1.6 from 0x1 at 0x80002000 data 0xee r12@0xa3\n"
	"X 4 id 4 +2 clock 1 channel 4 op 0.0.3 from 0x7 sink 0x99 data 0x after 1 +4 clock "
	"1 after 2 +5 clock 2 r15@0xf2\n"
	"X 5 id 5 +1 clock 1 channel 5 sink 0x99 meta 2:0x1234 meta 4:0xdeadbeef r16@0x11c\n";

static void tilelink_transactions(void **state)
{
	struct mk_stf *stf = tilelink_trace();
	all_packings(*state, stf, tilelink_text);
	free(stf);
}

/* A load faults, the handler runs in supervisor mode, the load runs again; then
 * another process, then a jump for a reason outside. */
static struct mk_stf *fault_trace(void)
{
	struct mk_stf *stf = mk_new();
	const uint64_t fault[] = {0x5000, 0x00053503}, user = 0, supervisor = 1, value = 0x4000;
	mk_usual_header(stf, 5, 0x10000);
	mk_process(stf, 0, 100, 101);
	mk_reg(stf, 10, 0x21, &value, 1);
	mk_insn(stf, 0x00853513, 4); /* slli */
	mk_reg(stf, 10, 0x21, &fault[0], 1);
	mk_event(stf, 13, fault, 2); /* LOAD_PAGE_FAULT */
	mk_target(stf, CAIRN_STF_EVENT_PC_TARGET, 0xffffffff80000000);
	mk_event(stf, 1ull << 62, &supervisor, 1); /* MODE_CHANGE */
	mk_insn(stf, 0x00053503, 4);               /* ld, aborted */
	mk_insn(stf, 0x0001, 2);                   /* handler: c.nop */
	mk_event(stf, 1ull << 62, &user, 1);
	mk_target(stf, CAIRN_STF_EVENT_PC_TARGET, 0x10004);
	mk_insn(stf, 0x10200073, 4); /* sret */
	mk_walk(stf, 0x5000, 2);
	mk_reg(stf, 10, 0x31, &value, 1);
	mk_access(stf, 0x5000, 8, 1);
	mk_content(stf, CAIRN_STF_INST_MEM_CONTENT, 0x4000);
	mk_insn(stf, 0x00053503, 4); /* ld, again */
	mk_process(stf, 0, 200, 201);
	mk_insn(stf, 0x0001, 2);
	mk_force_pc(stf, 0x20000);
	mk_event(stf, 1ull << 62, &supervisor, 1);
	mk_insn(stf, 0x0001, 2);
	mk_target(stf, CAIRN_STF_INST_PC_TARGET, 0x30000);
	mk_insn(stf, 0xa001, 2); /* c.j, taken */
	mk_text(stf, CAIRN_STF_COMMENT, "the end");
	mk_insn(stf, 0x0001, 2);
	mk_process(stf, 1, 300, 301);
	mk_reg(stf, 3, 0x11, &value, 1);
	return stf;
}

static const char fault_text[] =
	"I 1 0x10000 00853513/4 int jump [cpu0 hw0 pid100 tid101] r12@0x59\n"
	" E FORCE_PC before 0 ->0x10000\n"
	" R int10 src <0+64> =0x4000\n"
	"I 2 0x10004 00053503/4 load aborted [cpu0 hw0 pid100 tid101] r17@0x9f\n"
	" R int10 src <0+64> =0x5000\n"
	" E LOAD_PAGE_FAULT on 13 ->0xffffffff80000000 (0x5000,0x53503)\n"
	" E MODE_CHANGE after 1 (0x1)\n"
	"I 3 0xffffffff80000000 00000001/2 nop [cpu0 priv1 hw0 pid100 tid101] r18@0xa4\n"
	"I 4 0xffffffff80000002 10200073/4 system [cpu0 priv1 hw0 pid100 tid101] r21@0xc2\n"
	" E MODE_CHANGE after 0 ->0x10004 (0x0)\n"
	"I 5 0x10004 00053503/4 load [cpu0 priv0 hw0 pid100 tid101] r26@0x120\n"
	" E PAGE_TABLE_WALK before 20480 (0x1,0x1000,0x1000,0x1001,0x1002,0x1003)\n"
	" R int10 dst <0+64> =0x4000\n"
	" M read 0x5000 8 =0x4000\n"
	"I 6 0x10008 00000001/2 nop [cpu0 priv0 hw0 pid200 tid201] r28@0x132\n"
	"I 7 0x20000 00000001/2 nop jump [cpu0 priv1 hw0 pid200 tid201] r31@0x150\n"
	" E FORCE_PC before 0 ->0x20000\n"
	" E MODE_CHANGE before 1 (0x1)\n"
	"I 8 0x20002 0000a001/2 jump taken target ->0x30000 [cpu0 priv1 hw0 pid200 tid201] "
	"r33@0x15c\n"
	"I 9 0x30000 00000001/2 nop [cpu0 priv1 hw0 pid200 tid201] r35@0x16b\n"
	" E COMMENT on 0 \"the end\"\n"
	" R int3 state <0+64> =0x4000\n";

static void stf_fault(void **state)
{
	struct mk_stf *stf = fault_trace();
	all_packings(*state, stf, fault_text);
	free(stf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rst_two_cpus_and_a_trap),
		cmocka_unit_test(rst_as_wanted),
		cmocka_unit_test(rst_seek_and_last),
		cmocka_unit_test(rst_long),
		cmocka_unit_test(ete_without_an_image),
		cmocka_unit_test(strict_ends_at_the_first_damage),
		cmocka_unit_test(vixl_state_without_instructions),
		cmocka_unit_test(vixl_long),
		cmocka_unit_test(tilelink_transactions),
		cmocka_unit_test(stf_fault),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
