/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows as traces from elsewhere have them - registers as wide as they are, accesses without
 * their registers and in any order or size - become the lines the simulator prints, to the
 * column: the lines expected here are its own, of its logs. What is written is judged by
 * `check`, and read again has the bytes that went in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "cairn/check.h"
#include "isa/arm64.h"
#include "model/model.h"

#define MARK "\xe2\x95\x99\xe2\x94\x80"
#define BAR "\xe2\x95\x91"
#define LINE "\xe2\x94\x80"
#define AT(v) "0x00000000000020" v "\n"

/*
 * Rows, one after another: a role or kind, then
 *   s d u x7=HEX  a state, written or read X register (31 is SP, 33 the zero register);
 *                 v7=HEX, of 32 digits: a vector
 *   r w 2000.8=HEX  8 bytes read or written at 0x2000; no value: not known
 */
static const struct {
	const char *rows;
	uint32_t enc;
	const char *lines;
} cases[] = {
	/* add w3, w0, w1; mov w3, #1 shows all of x3; adds, of which the rest is not zero */
	{"d x3=12", 0x0b010003, "#             w3:         0x00000012\n"},
	{"d x3=1", 0x52800023, "#             x3: 0x0000000000000001\n"},
	{"d x3=1ffffffff", 0x0b010003, "#             x3: 0x00000001ffffffff\n"},
	/* ldr x3; ldr w3; ldrb w3; ldrsb x3; ldrsw x3, whose register no row tells */
	{"r 2000.8=1122334455667788 d x3=1122334455667788", 0xf9400003,
     "#             x3: 0x1122334455667788 <- " AT("00")},
	{"d x3=55667788 r 2000.4=55667788", 0xb9400003,
     "#             w3:         0x55667788 <- " AT("00")},
	{"d x3=4d r 2000.1=4d", 0x39400003,
     "#             w3:         0x0000004d\n"
     "#                                  " MARK " 0x4d <- " AT("00")},
	{"d x3=ffffffffffffff80 r 2000.1=80", 0x39800003,
     "#             x3: 0xffffffffffffff80\n"
     "#                                  " MARK " 0x80 <- " AT("00")},
	{"r 2000.4=80000000", 0xb9800003,
     "#             x3: 0xffffffff80000000\n"
     "#                                  " MARK " 0x80000000 <- " AT("00")},
	{"r 2000.8", 0xf9400003, " <- " AT("00")},
	{"r 2000.4", 0xb9400003, " <- " AT("00")},
	/* ldr xzr: what is loaded has no line */
	{"r 2000.8=7", 0xf940001f, "#            xzr: 0x0000000000000000 <- " AT("00")},
	/* ldp x3, x4: halves in either order, or as one; ldpsw */
	{"r 2008.8=2 r 2000.8=1", 0xa9401003,
     "#             x3: 0x0000000000000001 <- " AT(
		 "00") "#             x4: 0x0000000000000002 <- " AT("08")},
	{"r 2000.16=00000000000000020000000000000001 d x3=1 d x4=2", 0xa9401003,
     "#             x3: 0x0000000000000001 <- " AT(
		 "00") "#             x4: 0x0000000000000002 <- " AT("08")},
	{"r 2000.8=ffffffff00000001", 0x69401003,
     "#             x3: 0x0000000000000001\n"
     "#                                  " MARK " 0x00000001 <- " AT(
		 "00") "#             x4: 0xffffffffffffffff\n"
               "#                                  " MARK " 0xffffffff <- " AT("04")},
	/* str x3, [x0, #8]!; ldr x3, [x0], #8; strb w3; str xzr; stp w3, w4 */
	{"w 2000.8=5 d x0=2000", 0xf8008c03,
     "#             x0: 0x0000000000002000\n"
     "#       x3<63:0>: 0x0000000000000005 -> " AT("00")},
	{"d x0=2008 r 2000.8=5", 0xf8408403,
     "#             x3: 0x0000000000000005 <- " AT("00") "#             x0: 0x0000000000002008\n"},
	{"w 2000.1=5", 0x39000003, "#        x3<7:0>:               0x05 -> " AT("00")},
	{"w 2000.8=0", 0xf900001f, "#      xzr<63:0>: 0x0000000000000000 -> " AT("00")},
	{"w 2004.4=6 w 2000.4=5", 0x29001003,
     "#       x3<31:0>:         0x00000005 -> " AT(
		 "00") "#       x4<31:0>:         0x00000006 -> " AT("04")},
	/* stxr w5, x3, [x0], done and not */
	{"w 2000.8=5 d x5=0", 0xc8057c03,
     "#             w5:         0x00000000\n"
     "#       x3<63:0>: 0x0000000000000005 -> " AT("00")},
	{"d x5=1", 0xc8057c03, "#             w5:         0x00000001\n"},
	/* ldadd x3, x4: by sum; ldset w3, w4: by what x3 held; ldsetb, by nothing */
	{"r 2000.8=10 w 2000.8=15 d x4=10", 0xf8230004,
     "#             x4: 0x0000000000000010 <- " AT(
		 "00") "#       x3<63:0>: 0x0000000000000005 -> " AT("00")},
	{"s x3=103 r 2000.4=10 w 2000.4=113 d x4=10", 0xb8233004,
     "#             w4:         0x00000010 <- " AT(
		 "00") "#       x3<31:0>:         0x00000103 -> " AT("00")},
	{"r 2000.1=10 w 2000.1=13 d x4=10", 0x38233004,
     "#             w4:         0x00000010\n"
     "#                                  " MARK " 0x10 <- " AT("00") " -> " AT("00")},
	/* stadd x3; swpb w3, w4 */
	{"r 2000.8=10 w 2000.8=15", 0xf823001f,
     "#            xzr: 0x0000000000000000 <- " AT(
		 "00") "#       x3<63:0>: 0x0000000000000005 -> " AT("00")},
	{"r 2000.1=10 w 2000.1=15", 0x38238004,
     "#             w4:         0x00000010\n"
     "#                                  " MARK
     " 0x10 <- " AT("00") "#        x3<7:0>:               0x15 -> " AT("00")},
	/* cas x3, x4: it stored; it was told to, but x4 held something else; casp, done and not */
	{"r 2000.8=10 w 2000.8=15 d x3=10", 0xc8a37c04,
     "#       x4<63:0>: 0x0000000000000015 -> " AT(
		 "00") "#             x3: 0x0000000000000010 <- " AT("00")},
	{"s x4=15 r 2000.8=10 w 2000.8=10 d x3=10", 0xc8a37c04,
     "#             x3: 0x0000000000000010 <- " AT("00")},
	{"r 2000.16=20000000000000001 w 2000.16=40000000000000003", 0x48227c04,
     "#             x2: 0x0000000000000001 <- " AT("00") "#             x3: 0x0000000000000002 <- " AT(
		 "08") "#       x4<63:0>: 0x0000000000000003 -> " AT("00") "#       x5<63:0>: 0x0000000000000004 -> " AT("08")},
	{"r 2000.16 d x2=1 d x3=2", 0x48227c04,
     "#             x2: 0x0000000000000001 <- " AT(
		 "00") "#             x3: 0x0000000000000002 <- " AT("08")},
	/* ldr d1, whose register is told whole; ldr q1; str s1; ldp s5, s6 */
	{"r 2000.8=8877665544332211 d v1=00000000000000008877665544332211", 0xfd400001,
     "#             d1:                 0x8877665544332211 (-7.087e-268) <- " AT("00")},
	{"r 2000.16=88776655443322118877665544332211", 0x3dc00001,
     "#             v1: 0x88776655443322118877665544332211 <- " AT("00")},
	{"r 2000.8=2211 r 2008.8=1", 0x3dc00001,
     "#             v1: 0x00000000000000010000000000002211 <- " AT("00")},
	{"w 2000.4=44332211", 0xbd000001,
     "#       v1<31:0>:                         0x44332211 (716.5) -> " AT("00")},
	{"r 2000.8=8877665544332211", 0x2d401805,
     "#             s5:                         0x44332211 (716.5) <- " AT(
		 "00") "#             s6:                         0x88776655 (-7.445e-34) <- " AT("04")},
	/* ld1 {v1.2d, v2.2d}: the highest register first */
	{"r 2000.16=00000000000000020000000000000001 r 2010.16=00000000000000040000000000000003",
     0x4c40ac01,
     "#             v2: 0x00000000000000040000000000000003 (1.976e-323, 1.482e-323)\n"
     "#                                  " BAR "               " MARK " 0x0000000000000003 <- " AT(
		 "10") "#                                  " MARK LINE LINE LINE LINE LINE LINE LINE LINE
         LINE LINE LINE LINE LINE LINE LINE LINE " 0x0000000000000004 <- " AT(
			 "18") "#             v1: 0x00000000000000020000000000000001 (9.881e-324, 4.941e-324)\n"
                   "#                                  " BAR "               " MARK
                   " 0x0000000000000001 <- " AT(
					   "00") "#                                  " MARK LINE LINE LINE LINE LINE
                       LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE
                             " 0x0000000000000002 <- " AT("08")},
	/* st2 {v1.1d, v2.1d} does not exist: st2 {v1.2s, v2.2s} */
	{"w 2000.16=00000004000000030000000200000001", 0x0c008801,
     "#       v1<63:0>:                 0x0000000300000001 (4.204e-45, 1.401e-45)\n"
     "#       v2<63:0>:                 0x0000000400000002 (5.605e-45, 2.803e-45)\n"
     "#                                          " BAR "       " MARK
     " 0x00000002'00000001 -> " AT("00") "#                                          " MARK LINE
         LINE LINE LINE LINE LINE LINE LINE " 0x00000004'00000003 -> " AT("08")},
	/* ld1 {v1.s}[2]: the rest of it as it was; as nobody told; st1 {v1.d}[1] */
	{"s v1=11111111111111112222222222222222 r 2000.4=7", 0x4d408001,
     "#             v1: 0x11111111000000072222222222222222 (..., 9.809e-45, ...)\n"
     "#                                  " MARK LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE
         LINE LINE LINE LINE LINE LINE " 0x00000007 <- " AT("00")},
	{"r 2000.4=7", 0x4d408001,
     "#            xzr: 0x0000000000000000\n"
     "#                                  " MARK " 0x00000007 <- " AT("00")},
	/* ld1r {v1.2d} */
	{"r 2000.8=7", 0x4d40cc01,
     "#             v1: 0x00000000000000070000000000000007 (3.458e-323, 3.458e-323)\n"
     "#                                  " MARK LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE
         LINE LINE LINE LINE "\xe2\x95\xa8" LINE " 0x0000000000000007 <- " AT("00")},
	/* ld1w {z2.s}, p0/z, [x0], lanes 0 and 2: by the base, and by what they hold; lanes that do not */
	{"s x0=2000 r 2000.4=7 r 2008.4=8 d v2=00000000000000080000000000000007", 0xa540a002,
     "#      z2<127:0>: 0x00000000000000080000000000000007 (..., 1.121e-44, ..., 9.809e-45)\n"
     "#                                  " BAR "               " MARK
     " 0x00000007 <- " AT("00") "#                                  " MARK LINE LINE LINE LINE LINE
         LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE " 0x00000008 <- " AT("08")},
	{"r 2008.4=8 r 2000.4=7 d v2=00000000000000080000000000000007", 0xa540a002,
     "#            xzr: 0x0000000000000000\n#                                  " MARK
     " 0x00000008 <- " AT(
		 "08") "#            xzr: 0x0000000000000000\n#                                  " MARK
               " 0x00000007 <- " AT("00") "#      z2<127:0>: 0x00000000000000080000000000000007\n"},
	{"r 2000.4=7 r 2008.4=8 d v2=00000000000000080000000000000007", 0xa540a002,
     "#      z2<127:0>: 0x00000000000000080000000000000007 (..., 1.121e-44, ..., 9.809e-45)\n"
     "#                                  " BAR "               " MARK
     " 0x00000007 <- " AT("00") "#                                  " MARK LINE LINE LINE LINE LINE
         LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE " 0x00000008 <- " AT("08")},
	/* st1b {z1.d}, p0, [x0], lane 1; st2d {z1.d, z2.d}, [x0]; nothing known of z1 */
	{"s x0=2000 s v1=11111111111111222222222222222233 w 2001.1=22", 0xe460e001,
     "#      z1<127:0>: 0x11111111111111222222222222222233\n"
     "#                                  " MARK LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE
         LINE LINE LINE LINE LINE LINE " 0x22 -> " AT("01")},
	{"w 2000.1=22", 0xe460e001,
     "#            xzr: 0x0000000000000000\n"
     "#                                  " MARK " 0x22 -> " AT("00")},
	/* ldr z2, [x0]; str p2, [x0] */
	{"r 2000.16=00000000000000080000000000000007", 0x85804002,
     "#      z2<127:0>: 0x00000000000000080000000000000007 <- " AT("00")},
	{"w 2000.2=101", 0xe5800002,
     "#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 -> " AT("00")},
	/* fadd d2; fmov s1; fcvt h5, d0; add v6.4s; scvtf s5 */
	{"d v2=00000000000000004014000000000000", 0x1e602802,
     "#             d2:                 0x4014000000000000 (5.000)\n"},
	{"d v1=0000000000000000000000003fc00000", 0x1e2f1001,
     "#             s1:                         0x3fc00000\n"},
	{"d v5=00000000000000000000000000004100", 0x1e63c005,
     "#             h5:                             0x4100\n"},
	{"d v6=000000000000000000000000000031aa", 0x4ea684c6,
     "#             v6: 0x000000000000000000000000000031aa\n"},
	/* dc zva */
	{"w 2000.16=0", 0xd50b7420,
     "#      0x0000000000000000 -> " AT("00") "#      0x0000000000000000 -> " AT("08")},
	{"w 2000.16=00000000000000020000000000000001", 0xd50b7420,
     "#      0x0000000000000001 -> " AT("00") "#      0x0000000000000002 -> " AT("08")},
	/* stgp: never shown */
	{"w 2000.16=00000000000000020000000000000001", 0x69001003, ""},
};
enum { CASES = sizeof cases / sizeof *cases, PC = 0x1000 };

/* ---- rows ---- */

static void value(struct cairn_batch *batch, const char *digits, size_t n, unsigned bytes,
                  uint8_t *flags, uint64_t *out)
{
	uint64_t high = 0, low = 0;
	if (n > 16) {
		char text[17] = "";
		memcpy(text, digits, n - 16);
		high = strtoull(text, NULL, 16);
		digits += n - 16;
	}
	low = strtoull(digits, NULL, 16);
	*flags |= CAIRN_VALUE_KNOWN;
	*out = low;
	if (bytes <= 8)
		return;
	uint32_t at = model_batch_bytes(batch, bytes);
	memset(batch->bytes + at, 0, bytes);
	base_put_le64(batch->bytes + at, low);
	base_put_le64(batch->bytes + at + 8, high);
	*flags |= CAIRN_VALUE_WIDE;
	*out = at;
}

static void one_row(struct cairn_batch *batch, const char *p, uint16_t seq)
{
	static const char roles[] = "sud";
	static const uint8_t role_of[] = {CAIRN_ROLE_STATE, CAIRN_ROLE_SRC, CAIRN_ROLE_DST};
	const char *equals = strchr(p, '='), *end = p + strcspn(p + 2, " ") + 2;
	size_t n = equals && equals < end ? (size_t)(end - equals - 1) : 0;
	if (*p == 'r' || *p == 'w') {
		struct cairn_mem *mem = &batch->mems[batch->n_mems++];
		char *rest;
		*mem = (struct cairn_mem){.kind = *p == 'r' ? CAIRN_MEM_READ : CAIRN_MEM_WRITE, .seq = seq};
		mem->addr = strtoull(p + 2, &rest, 16);
		mem->size = (uint32_t)strtoul(rest + 1, NULL, 10);
		if (n)
			value(batch, equals + 1, n, mem->size, &mem->flags, &mem->value);
		return;
	}
	struct cairn_reg *reg = &batch->regs[batch->n_regs++];
	bool v = p[2] == 'v';
	*reg = (struct cairn_reg){.cls = v ? CAIRN_REG_VECTOR : CAIRN_REG_INT,
	                          .bits = v ? 128 : 64,
	                          .num = (uint16_t)strtoul(p + 3, NULL, 10),
	                          .role = role_of[strchr(roles, *p) - roles],
	                          .seq = seq};
	value(batch, equals + 1, n, reg->bits / 8, &reg->flags, &reg->value);
}

/* One instruction. */
static void fill(struct cairn_batch *batch, unsigned index)
{
	uint16_t seq = 0;
	model_batch_clear(batch);
	batch->n0 = 1;
	batch->have = CAIRN_EVERYTHING;
	batch->ctxs[batch->n_ctxs++] = (struct cairn_ctx){0};
	batch->insns[batch->n_insns++] =
		(struct cairn_insn){.pc = PC, .enc = cases[index].enc, .size = 4, .isa = CAIRN_ISA_A64};
	for (const char *p = cases[index].rows; *p; p += strcspn(p + 2, " ") + 2) {
		p += *p == ' ';
		one_row(batch, p, seq++);
	}
	model_batch_close(batch, batch->n_regs, batch->n_mems, batch->n_events, 0);
}

/* ---- lines ---- */

static void load(const char *path, struct base_buf *out)
{
	char buf[4096];
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
		base_buf_put(out, buf, n);
	base_buf_put(out, "", 1);
	fclose(f);
}

static void write_case(struct cairn *cairn, struct cairn_batch *batch, unsigned index,
                       struct base_buf *out)
{
	char path[] = "/tmp/test_shape_XXXXXX";
	struct cairn_create_opts opts = {.size = sizeof opts, .to = "vixl", .codec = "none"};
	struct cairn_writer *writer;
	close(mkstemp(path));
	fill(batch, index);
	assert_int_equal(cairn_create(cairn, path, &opts, &writer), 0);
	assert_int_equal(cairn_put(writer, batch), 0);
	assert_int_equal(cairn_finish(writer, NULL), 0);
	load(path, out);
	remove(path);
}

static void rows_become_the_simulators_lines(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct base_buf out;
		base_buf_init(&out, cairn);
		write_case(cairn, batch, i, &out);
		/* below the instruction's line, and what was state above it */
		const char *text = strstr((const char *)out.data, "\t\t");
		assert_non_null(text);
		text = strchr(text, '\n') + 1;
		if (strcmp(text, cases[i].lines) != 0)
			fail_msg("'%s' of %08x is\n%snot\n%s", cases[i].rows, cases[i].enc, text,
			         cases[i].lines);
		base_buf_free(&out);
	}
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- and back ---- */

static int no_error(void *user, const struct cairn_finding *finding)
{
	if (finding->rule->severity == CAIRN_ERROR || finding->rule->severity == CAIRN_WARNING)
		fail_msg("case %u, %s: %s", *(unsigned *)user, finding->rule->id, finding->message);
	return 0;
}

static void what_is_written_has_no_errors(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct base_buf out;
		struct cairn_reader *reader;
		struct cairn_open_opts from = {.size = sizeof from, .from = "vixl"};
		struct cairn_check_opts opts = {.size = sizeof opts,
		                                .threads = 1,
		                                .finding = no_error,
		                                .user = &i};
		struct cairn_check_result result = {.size = sizeof result};
		base_buf_init(&out, cairn);
		write_case(cairn, batch, i, &out);
		assert_int_equal(cairn_open_memory(cairn, out.data, out.len - 1, &from, &reader), 0);
		assert_int_equal(cairn_check(reader, &opts, &result), 0);
		cairn_close(reader);
		base_buf_free(&out);
	}
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* Bytes of memory by address that the accesses of a batch have, in order of kinds. */
struct touched {
	uint8_t value[2][64], known[2][64];
};

static void touch(const struct cairn_batch *batch, struct touched *touched)
{
	*touched = (struct touched){{{0}}, {{0}}};
	for (uint32_t i = 0; i < batch->n_mems; i++) {
		const struct cairn_mem *mem = &batch->mems[i];
		for (unsigned k = 0; k < mem->size && (mem->flags & CAIRN_VALUE_KNOWN); k++) {
			unsigned at = (unsigned)(mem->addr - 0x2000) + k, w = mem->kind == CAIRN_MEM_WRITE;
			assert_true(at < 64);
			touched->value[w][at] =
				(uint8_t)(mem->flags & CAIRN_VALUE_WIDE ? batch->bytes[mem->value + k]
			                                            : mem->value >> 8 * k);
			touched->known[w][at] = 1;
		}
	}
}

/* Nothing else is read back than was written; what is missing is told by the ledger, of
 * which the cases above have: the zero register's load, LDSETB, STADD, a CAS, STGP. */
static void what_is_read_back_is_what_was_there(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn), *again = cairn_batch_new(cairn);
	unsigned lost = 0;
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct base_buf out;
		struct cairn_reader *reader;
		struct cairn_open_opts from = {.size = sizeof from, .from = "vixl"};
		struct touched one, other;
		base_buf_init(&out, cairn);
		write_case(cairn, batch, i, &out);
		touch(batch, &one);
		assert_int_equal(cairn_open_memory(cairn, out.data, out.len - 1, &from, &reader), 0);
		assert_int_equal(cairn_next(reader, again), 1);
		touch(again, &other);
		for (unsigned w = 0; w < 2; w++)
			for (unsigned k = 0; k < 64; k++) {
				bool gone = one.known[w][k] && !other.known[w][k];
				bool loaded = !one.known[w][k] && other.known[w][k]; /* by its register */
				lost += gone;
				if (!gone && !loaded && one.value[w][k] != other.value[w][k])
					fail_msg("case %u: byte 0x%x", i, k);
			}
		cairn_close(reader);
		base_buf_free(&out);
	}
	assert_int_equal(lost, 8 + 1 + 16 + 8 + 16);
	cairn_batch_free(cairn, batch);
	cairn_batch_free(cairn, again);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_become_the_simulators_lines),
	                                   cmocka_unit_test(what_is_written_has_no_errors),
	                                   cmocka_unit_test(what_is_read_back_is_what_was_there)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
