/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VIXL logs made by hand: every kind of line in both dialects, what each becomes in a
 * batch, what the simulator gets wrong put right, and lines made of batches.
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

#include "cairn/check.h"
#include "fixtures/fixtures.h"
#include "formats/vixl/line/hex.h"
#include "formats/vixl/read/decoder.h"
#include "formats/vixl/write/draw.h"

#define BAR "\xe2\x95\x91"
#define MARK "\xe2\x95\x99\xe2\x94\x80"
#define LINES_4 "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
#define LINES_24 LINES_4 LINES_4 LINES_4 LINES_4 LINES_4 LINES_4
#define RET(pc) "0x00000000000010" pc "  d65f03c0\t\tret\n# Branch to 0x0000000000000000.\n"
#define INSN(pc, enc) "0x00000000000010" pc "  " enc "\t\t-\n"

/* ---- lines ---- */

static const struct {
	const char *line;
	uint8_t kind;
	bool today;
} lines[] = {
	{"0x00007f826cec9014  f8408424\t\tldr x4, [x1], #8", VIXL_INSN, true},
	{"0x~~~~~~~~~~~~~~~~  1ad34251\t\tcrc32b w17    \033[1;31m// Needs: CRC32\033[0;m", VIXL_INSN,
     true},
	{"#             x4: 0x312a231c150e0700 <- 0x00007f826c83d000", VIXL_XREG, true},
	{"#             lr: 0x0000000000000000", VIXL_XREG, true},
	{"#             sp: 0x~~~~~~~~~~~~~~~~", VIXL_XREG, true},
	{"#            xzr: 0x0000000000000000 <- 0x00007f826c83d000", VIXL_XREG, true},
	{"#            x30: 0x0000000000000000", VIXL_XREG, true},
	{"#            ip0: 0x0000000000000000", VIXL_XREG, true},
	{"#             w5:         0x97afc7e0", VIXL_WREG, true},
	{"#            wsp:         0x97afc7e0", VIXL_WREG, true},
	{"#       x5<31:0>:         0x97afc7e0 -> 0x00007f826c83d408", VIXL_XPART, true},
	{"#        x7<7:0>:               0x4d -> 0x00007f826c83d408", VIXL_XPART, true},
	{"#             v0: 0x69625b544d463f38312a231c150e0700", VIXL_VREG, true},
	{"#             d3:                 0x8877665544332211 (-7.087e-268) <- 0x00007f9cf3af8000",
     VIXL_VREG, true},
	{"#             b0:                               0x11 <- 0x00007f9cf3af8000", VIXL_VREG, true},
	{"#      v0<127:0>: 0x69625b544d463f38312a231c150e0700 (..., nan)", VIXL_VPART, true},
	{"# z31<2047:1920>: 0x69625b544d463f38312a231c150e0700", VIXL_ZREG, true},
	{"#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 -> 0x00007f9cf3af8000", VIXL_PREG, true},
	{"#   FFR<255:240>: 0b 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", VIXL_PREG, true},
	{"#                                  " MARK " 0x4d <- 0x00007f826c83d00b", VIXL_ACCESS, true},
	{"#                                    0x4d <- 0x00007f826c83d00b", VIXL_ACCESS, true},
	{"#                          " BAR "       " MARK " 0x11'22'33'44 -> 0x00007f826c83d00b",
     VIXL_ACCESS, true},
	{"#", VIXL_BLANK, true},
	{"# NZCV: N:0 Z:1 C:1 V:0", VIXL_NZCV, true},
	{"# FPCR: AHP:0 DN:1 FZ:0 RMode:0b11 (Round towards Zero)", VIXL_FPCR, true},
	{"# Branch to 0x00007f826cec9014.", VIXL_BRANCH, true},
	{"# gcs0x0000[1f]:  <- 0x00007f7586db0008", VIXL_GCS, true},
	{"#               : 0x00007f7586db0008 <- 0x12 <- 0x00007f7586db0018", VIXL_TRANSFER, true},
	{"#      0x0000000000000000 -> 0x00007f9cf3af8038", VIXL_WRITE64, true},
	{" <- 0x00007f4f7e11d000", VIXL_BARE, true},
	{"# \033[1;36m            x0: \033[0;36m0x0000000000000005\033[0;m -> \033[1;34m0x0000000000000007\033[0;m",
     VIXL_XREG, false},
	{"# \033[1;35m           v14: \033[0;35m0x7ff0f00e150e07007ff0f00e7f80f000\033[0;m (..., "
     "\033[0;35m2.868e-26\033[0;m, ...)",
     VIXL_VREG, true},
	{"# \033[0;30m\033[43mBranch\033[0;m to 0x00007fd14b692014.", VIXL_BRANCH, true},
	{"# \033[1;37mNZCV: \033[0;mN:0 Z:0 C:1 V:0\033[0;m", VIXL_NZCV, true},
	{"# \033[1;37mgcs0x0000[0]: \033[0;m <- 0x00007fd14b692040", VIXL_GCS, true},
	{"#                                  " MARK " 0x4d <- \033[1;34m0x00007f826c83d00b\033[0;m",
     VIXL_ACCESS, true},
	{"# \033[1;36m      x5<31:0>: \033[0;36m        0x97afc7e0\033[0;m -> \033[1;34m0x00007f826c83d408"
     "\033[0;m",
     VIXL_XPART, true},
	{"# \033[1;32m      p2<15:0>: \033[0;32m0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1\033[0;m", VIXL_PREG,
     true},
	{"#             x4: 0x312a231c150e0700 <- 0x~~~~~~~~~~~~~~~~", VIXL_XREG, true},
	{"# Branch to 0x~~~~~~~~~~~~~~~~.", VIXL_BRANCH, true},
	/* before 2019-11 */
	{"#   v18: 0x0000000000fffeffff0000850002ff01 (s18: 8.64150) <- 0x~~~~~~~~~~~~~~~~", VIXL_VREG,
     false},
	{"#    lr: 0x0000000000000000", VIXL_XREG, false},
	{"#    x3: 0x0000000003020100 <- 0x~~~~~~~~~~~~~~~~", VIXL_XREG, false},
	{"#   w18:         0x00000060 -> 0x~~~~~~~~~~~~~~~~", VIXL_WREG, false},
	{"#   w22<15:0>:       0x0004 -> 0x~~~~~~~~~~~~~~~~", VIXL_XPART, false},
	{"#           v25: 0x000000000000000000000000410a4396 (s25: 8.64150)", VIXL_VREG, false},
	{"#   v19: 0x00                               -> 0x~~~~~~~~~~~~~~~~", VIXL_VREG, false},
	{"#    v0:         0x00000000                 (..., 0.00000, ...) -> 0x~~~~~~~~~~~~~~~~",
     VIXL_VREG, false},
	/* what is not right */
	{"#            x42: 0x0000000000000000", VIXL_UNKNOWN, true},
	{"#             x4: 0x312a231c", VIXL_UNKNOWN, true},
	{"#             x4: 0x312A231C150e0700", VIXL_UNKNOWN, true},
	{"# NZCV: N:0 Z:2 C:1 V:0", VIXL_TEXT, true},
	{"# FPCR: AHP:0 DN:1 FZ:0 RMode:0b10 (Round towards Zero)", VIXL_TEXT, true},
	{"#      z0<128:1>: 0x69625b544d463f38312a231c150e0700", VIXL_UNKNOWN, true},
	{"#      v0(127;0>: 0x69625b544d463f38312a231c150e0700", VIXL_UNKNOWN, true},
	{"0x89abcdef, 0x123456789abcdef", VIXL_TEXT, true},
	{"sim> ", VIXL_TEXT, true},
	{"", VIXL_TEXT, true},
};

static void lines_are_parsed_and_printed(void **state)
{
	static struct vixl_plain plain, other;
	char out[512];
	(void)state;
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *p = lines[i].line;
		size_t n = strlen(p);
		struct vixl_line line, t;
		char *copy = malloc(n ? n : 1); /* so that reading beyond it is seen */
		memcpy(copy, p, n);
		vixl_parse(copy, n, &line, &plain);
		vixl_parse_any(copy, n, &t, &other);
		if (line.kind != lines[i].kind || t.kind != line.kind)
			fail_msg("'%s' is %s, not %s", p, vixl_kind_names[line.kind],
			         vixl_kind_names[lines[i].kind]);
		size_t k = vixl_print(&line, out);
		if (k != n || memcmp(out, p, n) != 0)
			fail_msg("'%s' became '%.*s'", p, (int)k, out);
		if (vixl_is_register(line.kind) && vixl_is_today(&line) != lines[i].today &&
		    line.ranged + 1)
			if (!(line.arrow == '>' && !line.ranged)) /* today's form, but no line of today */
				fail_msg("'%s': today %d", p, vixl_is_today(&line));
		free(copy);
	}
}

/* The quick way and the table say the same of every line, with every byte of it changed to
 * what means something elsewhere, or left out. */
static void both_ways_agree_on_every_change(void **state)
{
	static const char others[] = "\1 09afgxzvw~:#<->'()\033[;m\t\xe2";
	static struct vixl_plain plain, other;
	static char out[2][1024];
	(void)state;
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		for (size_t at = 0, n = strlen(lines[i].line); at < n; at++)
			for (const char *c = others; *c; c++) {
				char text[512];
				struct vixl_line line, t;
				size_t k = *c == 1 ? n - 1 : n;
				memcpy(text, lines[i].line, n);
				if (*c == 1)
					memmove(text + at, text + at + 1, n - at - 1);
				else
					text[at] = *c;
				vixl_parse(text, k, &line, &plain);
				vixl_parse_any(text, k, &t, &other);
				size_t x = vixl_print(&line, out[0]), y = vixl_print(&t, out[1]);
				if (line.kind != t.kind || line.prefix != t.prefix || x != y ||
				    memcmp(out[0], out[1], x) != 0 || vixl_is_today(&line) != vixl_is_today(&t))
					fail_msg("'%.*s': %s, or %s by the table", (int)k, text,
					         vixl_kind_names[line.kind], vixl_kind_names[t.kind]);
			}
}

static void lines_behind_text_are_found(void **state)
{
	static const char *const before[] = {"hello", "# # no # line", "0x12 ", "\033[0;32mhi\033[0;m",
	                                     "#",     "tab\t\there "};
	static struct vixl_plain plain;
	(void)state;
	for (unsigned i = 0; i < sizeof before / sizeof *before; i++)
		for (unsigned k = 0; k < 30; k++) {
			char text[512];
			struct vixl_line line;
			if (lines[k].kind == VIXL_BLANK || lines[k].kind == VIXL_BARE)
				continue;
			int n = snprintf(text, sizeof text, "%s%s", before[i], lines[k].line);
			vixl_parse(text, (size_t)n, &line, &plain);
			if (line.kind != lines[k].kind || line.prefix != strlen(before[i]))
				fail_msg("'%s': kind %u behind %u bytes", text, line.kind, line.prefix);
		}
}

/* Whoever hops over tabs sees an instruction where a parser sees one: with every byte of
 * its fixed part as any other. */
static void instructions_are_seen_by_everybody(void **state)
{
	static const struct {
		const char *head;
		unsigned seen;
	} heads[] = {{"0x00007f826cec9014  f8408424\t\tldr x4, [x1], #8 ", 24 * 16 + 6},
	             {"0x~~~~~~~~~~~~~~~~  f8408424\t\tldr x4, [x1], #8 ", 8 * 16 + 16 + 6}};
	static struct vixl_plain plain;
	char text[64];
	struct vixl_line line;
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		size_t n = strlen(heads[k].head);
		unsigned seen = 0;
		for (unsigned i = 0; i < VIXL_INSN_HEAD; i++)
			for (unsigned c = 0; c < 256; c++) {
				if (c == '\n')
					continue;
				memcpy(text, heads[k].head, n + 1);
				text[i] = (char)c;
				vixl_parse(text, n, &line, &plain);
				bool is = line.kind == VIXL_INSN && !line.prefix;
				if (vixl_is_insn(text, n) != is ||
				    (i < VIXL_INSN_HEAD - 2 && vixl_looks_like_insn(text) != is) ||
				    vixl_count_insns(text, text + n) != is)
					fail_msg("byte %u as 0x%02x: is it an instruction?", i, c);
				seen += is;
			}
		assert_int_equal(seen, heads[k].seen);
	}
}

/* ---- rows ---- */

struct text {
	struct cairn *cairn;
	struct base_buf buf;
	uint64_t damage;
};

/* What a log's batches hold, as text; read in several ways, which must agree. */
static struct text rows_of(const char *log)
{
	static const char *const ways[] = {"", "piece=1", "piece=200"};
	struct text text = {.cairn = cairn_new(NULL)};
	struct fx_trace trace = {.format = &vixl_format,
	                         .data = log,
	                         .n = strlen(log),
	                         .want = CAIRN_EVERYTHING & ~(uint32_t)CAIRN_PLACES};
	for (unsigned i = 0; i < 3; i++) {
		struct fx_result res;
		trace.options = ways[i];
		if (i)
			fx_read_run(text.cairn, &trace, UINT64_MAX, 2, &res);
		else
			fx_read_next(text.cairn, &trace, &res);
		assert_int_equal(res.status, 0);
		if (i == 0) {
			text.buf = res.text;
			text.damage = res.damage;
			continue;
		}
		assert_string_equal((const char *)res.text.data, (const char *)text.buf.data);
		fx_free(&res);
	}
	return text;
}

static void done(struct text *text)
{
	base_buf_free(&text->buf);
	cairn_free(text->cairn);
}

static void expect(const char *log, const char *rows)
{
	struct text text = rows_of(log);
	assert_string_equal((const char *)text.buf.data, rows);
	assert_int_equal(text.damage, 0);
	done(&text);
}

static void has(const char *log, const char *part)
{
	struct text text = rows_of(log);
	if (!strstr((const char *)text.buf.data, part))
		fail_msg("no '%s' in\n%s", part, (const char *)text.buf.data);
	done(&text);
}

static void has_not(const char *log, const char *part)
{
	struct text text = rows_of(log);
	if (strstr((const char *)text.buf.data, part))
		fail_msg("'%s' in\n%s", part, (const char *)text.buf.data);
	done(&text);
}

static void registers_and_accesses(void **state)
{
	(void)state;
	expect(
		"#             x0: 0x0000000000002000\n" INSN("00", "f9000001") "#       x1<63:0>: 0x0000000000000005 -> 0x0000000000002000\n" INSN(
			"04", "39400c27") "#             w7:         0x0000004d\n"
							  "#                                  " MARK
							  " 0x4d <- 0x0000000000002003\n" RET("08"),
		"I 1 0x1000 f9000001/4 store []\n"
		" R int0 state <0+64> =0x2000\n"
		" R int1 src <0+64> =0x5\n"
		" M write 0x2000 8 reg 1.1 =0x5\n"
		"I 2 0x1004 39400c27/4 load []\n"
		" R int7 dst <0+32> =0x4d\n"
		" M read 0x2003 1 reg 1.7 =0x4d\n"
		"I 3 0x1008 d65f03c0/4 return taken target ->0x0 []\n");
}

static void vectors_by_lane(void **state)
{
	const char *log = INSN(
		"00", "a420e826") "#      z6<127:0>: 0x00000000000000000000000000000100\n"
						  "#      z7<127:0>: 0x00000000000000000000000000000504\n"
						  "#                                                " BAR " " MARK
						  " 0x04'00 <- 0x0000000000002000\n"
						  "#                                                " MARK
						  "\xe2\x94\x80\xe2\x94\x80"
						  " 0x05'01 <- 0x0000000000002002\n"
						  "#    z6<255:128>: 0x00000000000000000000000000000000\n"
						  "#    z7<255:128>: 0x00000000000000000000000000000000\n#\n" RET("04");
	(void)state;
	has(log, " R vec6 dst <0+128>");
	has(log, " R vec7 dst <128+128>");
	has(log, " M read 0x2000 1 reg 3.6 =0x0\n M read 0x2001 1 reg 3.7 =0x4\n");
	has(log, " M read 0x2002 1 reg 3.6 =0x1\n M read 0x2003 1 reg 3.7 =0x5\n");
}

static void lanes_are_found_without_drawings(void **state)
{
	/* Lanes 15, 8 and 0 of bytes: drawings, and only the spaces of them. */
	const char *drawn[] = {
		"#                                                  " MARK " 0x00 <- 0x0000000000002000\n",
		"#                                  " MARK
		"\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
		"\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
		"\xe2\x94\x80\xe2\x94\x80 0x00 <- 0x0000000000002000\n"};
	const unsigned lanes[] = {0, 8};
	(void)state;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned ascii = 0; ascii < 2; ascii++) {
			char log[1024];
			size_t n = 0;
			struct cairn *cairn = cairn_new(NULL);
			struct cairn_batch *batch = cairn_batch_new(cairn);
			struct cairn_open_opts opts = {.size = sizeof opts, .from = "vixl"};
			struct cairn_reader *reader;
			snprintf(log, sizeof log, "%s%s%s%s", INSN("00", "a400a023"),
			         "#      z3<127:0>: 0x00000000000000000000000000000000\n", drawn[i], RET("04"));
			for (size_t k = 0; ascii && log[k]; k++)
				if ((unsigned char)log[k] < 0x80)
					log[n++] = log[k];
			n = ascii ? n : strlen(log);
			assert_int_equal(cairn_open_memory(cairn, log, n, &opts, &reader), 0);
			assert_int_equal(cairn_next(reader, batch), 1);
			assert_int_equal(batch->n_mems, 1);
			assert_int_equal(batch->mems[0].lane, lanes[i]);
			cairn_close(reader);
			cairn_batch_free(cairn, batch);
			cairn_free(cairn);
		}
}

static void what_the_simulator_gets_wrong(void **state)
{
	(void)state;
	/* ldadd: old + operand is stored */
	has(INSN("00",
	         "f8350017") "#            x23: 0x0000000000000010 <- 0x0000000000002000\n"
	                     "#      x21<63:0>: 0x0000000000000005 -> 0x0000000000002000\n" RET("04"),
	    " M write 0x2000 8 reg 1.21 =0x15\n");
	/* ldsmaxb, signed bytes */
	has(INSN("00",
	         "38354017") "#            w23:         0x00000080\n"
	                     "#                                  " MARK " 0x80 <- 0x0000000000002000\n"
	                     "#       x21<7:0>:               0x01 -> 0x0000000000002000\n" RET("04"),
	    " M write 0x2000 1 reg 1.21 =0x1\n");
	/* ldset x21, x21: the operand is lost */
	has(INSN("00",
	         "f8353015") "#            x21: 0x000000000000002a <- 0x0000000000002000\n"
	                     "#      x21<63:0>: 0x000000000000002a -> 0x0000000000002000\n" RET("04"),
	    " R int21 src <0+64>\n M write 0x2000 8 reg 1.21\n");
	/* stadd: what was there is not known */
	has(INSN("00",
	         "f835001f") "#            xzr: 0x0000000000000000 <- 0x0000000000002000\n"
	                     "#      x21<63:0>: 0x0000000000000005 -> 0x0000000000002000\n" RET("04"),
	    " M read 0x2000 8 reg 1.33\n");
	/* ldapur x: the lower half is no write of its own */
	has(INSN("00",
	         "d9408017") "#            x23: 0x1000000000000004\n"
	                     "#            w23:         0x00000004 <- 0x0000000000002008\n" RET("04"),
	    " R int23 dst <0+64> =0x1000000000000004\n M read 0x2008 8 reg 1.23 =0x1000000000000004\n");
	/* swpb: neither register nor value */
	has(INSN("00",
	         "38358017") "#            w23:         0x00000012\n <- 0x0000000000002000\n"
	                     "#       x21<7:0>:               0xef -> 0x0000000000002000\n" RET("04"),
	    " M read 0x2000 1 reg 1.23 =0x12\n");
	/* casb: the register that was loaded is not known */
	has(INSN("00", "08b87c19") " <- 0x0000000000002000\n" RET("04"),
	    " M read 0x2000 1\n R int24 dst <0+32>\n");
	has(INSN("00", "d500401f") RET("04"), " R flags0 dst <0+4>\n");
	has(INSN("00", "69001825") RET("04"), " M write 16\n");
	/* stzg x1, [x1], #16: the base tells where */
	has(INSN("00", "d9601421") "#             x1: 0x0000000000002010\n" RET("04"),
	    " M write 0x2000 16 =0x00000000000000000000000000000000\n");
	has(INSN("00", "85c0e025") "#      z5<127:0>: 0x00000000000000000000000000000000\n" RET("04"),
	    " M read 8\n");
	/* ldr p2: pieces lie 2 bytes apart, whether that is printed or not */
	for (unsigned i = 0; i < 2; i++)
		has(i ? INSN(
					"00",
					"85800022") "#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000002000\n"
		                        "#      p2<31:16>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000002002\n" RET(
									"04")
		      : INSN(
					"00",
					"85800022") "#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000002000\n"
		                        "#      p2<31:16>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000002010\n" RET(
									"04"),
		    " M read 0x2002 2 reg 6.2 =0x101\n");
	/* before 2019-11 a word is shown extended */
	has(INSN("00", "88dffc03") "#    x3: 0x0000000003020100 <- 0x0000000000002000\n" RET("04"),
	    " M read 0x2000 4 reg 1.3 =0x3020100\n");
}

/* The same, with what the registers held before: every item of the list of what the text
 * lacks has its value. */
#define HELD(reg, value) "#             " reg ": 0x" value "\n"
static void what_is_missing_comes_from_what_was_held_before(void **state)
{
	const char *before = HELD("x1", "0000000000002000") HELD("x5", "1122334455667788")
		HELD("sp", "0000000000003000") "#            x21: 0x0000000000000105\n"
									   "# NZCV: N:1 Z:0 C:1 V:0\n" INSN("00", "d503201f");
	static const struct {
		const char *log, *row;
	} cases[] = {
		/* stgp x5, xzr, [x1, #-16]; [sp], #32; [x1, #16]!, from the base's own line */
		{INSN("04", "693ffc25"), " M write 0x1ff0 16 =0x00000000000000001122334455667788\n"},
		{INSN("04", "68817fe5") HELD("sp", "0000000000003020"),
	     " M write 0x3000 16 =0x00000000000000001122334455667788\n"},
		{INSN("04", "6980fc25") HELD("x1", "0000000000002010"),
	     " M write 0x2010 16 =0x00000000000000001122334455667788\n"},
		/* one of the pair was never shown */
		{INSN("04", "69001825"), " M write 0x2000 16\n"},
		/* stzg x1, [x1, #32]; st2zg sp, [sp] */
		{INSN("04", "d9602821"), " M write 0x2020 16 =0x00000000000000000000000000000000\n"},
		{INSN("04", "d9e00bff"),
	     " M write 0x3000 32 =0x0000000000000000000000000000000000000000000000000000000000000000\n"},
		/* ld1rb {z5.b}, p0/z, [x1, #1]; ld1rsw {z5.d}, p0/z, [x1, #4], one lane active */
		{INSN("04", "84418025") "#      z5<127:0>: 0x0000000000000000000000000000004d\n",
	     " M read 0x2001 1 =0x4d\n"},
		{INSN("04", "84c18025") "#      z5<127:0>: 0xfffffffffffffffe0000000000000000\n",
	     " M read 0x2004 4 =0xfffffffe\n"},
		/* zero was loaded, or no lane is active */
		{INSN("04", "84418025") "#      z5<127:0>: 0x00000000000000000000000000000000\n",
	     " M read 0x2001 1\n"},
		/* ld1rqb {z0.b}, p0/z, [x1, #16]; {z0.b}, p0/z, [x1, x21] */
		{INSN("04", "a4012020"), " M read 0x2010 16\n"},
		{INSN("04", "a4150020"), " M read 0x2105 16\n"},
		/* ldset x21, x21; swp x21, x21 */
		{INSN("04", "f8353035") "#            x21: 0x000000000000002a <- 0x0000000000002000\n"
	                            "#      x21<63:0>: 0x000000000000002a -> 0x0000000000002000\n",
	     " R int21 src <0+64> =0x105\n M write 0x2000 8 reg 1.21 =0x12f\n"},
		{INSN("04", "f8358035") "#            x21: 0x000000000000002a <- 0x0000000000002000\n"
	                            "#      x21<63:0>: 0x000000000000002a -> 0x0000000000002000\n",
	     " M write 0x2000 8 reg 1.21 =0x105\n"},
		/* casb w21, w5, [x1]: it stored, so what it loaded is what w21 held */
		{INSN("04", "08b57c25") "#        x5<7:0>:               0x88 -> 0x0000000000002000\n"
	                            " <- 0x0000000000002000\n",
	     " M read 0x2000 1 =0x5\n R int21 dst <0+32> =0x5\n"},
		{INSN("04", "08b57c25") " <- 0x0000000000002000\n", " R int21 dst <0+32>"},
		/* cfinv, xaflag, axflag; rmif x5, #0, #15; setf8 w5; setf16 w5 */
		{INSN("04", "d500401f"), " R flags0 dst <0+4> =0x8\n"},
		{INSN("04", "d500403f"), " R flags0 dst <0+4> =0x2\n"},
		{INSN("04", "d500405f"), " R flags0 dst <0+4> =0x2\n"},
		{INSN("04", "ba0004af"), " R flags0 dst <0+4> =0x8\n"},
		{INSN("04", "ba0204a3"), " R flags0 dst <0+4> =0x8\n"},
		{INSN("04", "3a0008ad"), " R flags0 dst <0+4> =0xa\n"},
		{INSN("04", "3a0048ad"), " R flags0 dst <0+4> =0x2\n"},
		/* one after another: cfinv twice */
		{INSN("04", "d500401f") INSN("08", "d500401f"), " R flags0 dst <0+4> =0xa\n"},
		/* host code ran, or a run ended: nothing is known */
		{INSN("04", "d4594220") INSN("08", "69001825"), " M write 16\n"},
		{RET("04") INSN("08", "69001825"), " M write 16\n"},
		/* what was shown below a call is */
		{INSN("04", "d4594220") HELD("x1", "0000000000004000") INSN("08", "69007c25"),
	     " M write 0x4000 16\n"},
		/* w5 clears the rest; LDAPUR's second line does not; CASB's target is not known */
		{INSN("04", "d503201f") "#             w5:         0x00000001\n" INSN("08", "69007c25"),
	     " M write 0x2000 16 =0x00000000000000000000000000000001\n"},
		{INSN("04", "d9400025")
	         HELD("x5", "1000000000000004") "#             w5:         0x00000004 <- 0x0000000000002008\n" INSN(
				 "08", "69007c25"),
	     " M write 0x2000 16 =0x00000000000000001000000000000004\n"},
		{INSN("04", "08a57c35") " <- 0x0000000000002000\n" INSN("08", "69007c25"),
	     " M write 0x2000 16\n"},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char log[2048];
		snprintf(log, sizeof log, "%s%s" RET("40"), before, cases[i].log);
		has(log, cases[i].row);
	}
}

/* A register's line, or an instruction, behind the half of a vector's line. */
static void what_was_held_is_seen_in_mixed_lines_too(void **state)
{
	(void)state;
	has(HELD("x1", "0000000000002000")
	        INSN("00", "d503201f") "#      z1<127:0>: 0x0000" HELD("x1", "0000000000003000")
	            INSN("04", "69001825") RET("08"),
	    " M write 0x3000 16\n");
	/* casb w1, w2, [x0] loads w1, and nothing shows it */
	has(HELD("x1", "0000000000002000")
	        INSN("00", "d503201f") "#      z1<127:0>: 0x0000" INSN("04", "08a17c02")
	            INSN("08", "69001825") RET("0c"),
	    " M write 16\n");
}

/* A log whose first lines tell x1, and stgp to it every `gap` instructions, now and then with a
 * base that nothing tells. *known: how many of the former lie near enough. */
static size_t log_of_recalls(char *log, size_t room, unsigned gap, unsigned *known)
{
	size_t n = (size_t)sprintf(log, HELD("x1", "0000000000002000") INSN("00", "d503201f"));
	*known = 0;
	for (unsigned i = 0; n < room - 400; i++) {
		if (i % 5 == 4)
			n += (size_t)sprintf(log + n, INSN("04", "69001925"));
		*known += n <= VIXL_REG_REACH;
		n += (size_t)sprintf(log + n, INSN("04", "69001825") INSN("08", "d503201f"));
		for (unsigned k = 0; k < gap && n < room - 400; k++)
			n += (size_t)sprintf(log + n, INSN("0c", "d503201f"));
	}
	return n;
}

/* What is far is not known, and what is not is, however the log is cut and read, and however
 * far apart what asks for it stands. */
static void what_is_far_is_forgotten_by_everybody(void **state)
{
	static char log[3 * VIXL_REG_REACH];
	static const unsigned gaps[] = {50, 150, 400, 2000};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	(void)state;
	for (unsigned way = 0; way < 3 * 4; way++) {
		struct cairn_open_opts opts = {.size = sizeof opts,
		                               .from = way % 3 == 1 ? "vixl:piece=20000" : "vixl"};
		struct cairn_reader *reader;
		unsigned near, known = 0;
		size_t n = log_of_recalls(log, sizeof log, gaps[way / 3], &near);
		if (way % 3 < 2) {
			assert_int_equal(cairn_open_memory(cairn, log, n, &opts, &reader), 0);
		} else {
			char path[] = "/tmp/test_vixl_XXXXXX.gz", cmd[64];
			int fd = mkstemps(path, 3);
			assert_true(fd >= 0);
			snprintf(cmd, sizeof cmd, "gzip -c > %s", path);
			FILE *f = popen(cmd, "w");
			fwrite(log, 1, n, f);
			assert_int_equal(pclose(f), 0);
			close(fd);
			assert_int_equal(cairn_open(cairn, path, &opts, &reader), 0);
			remove(path);
		}
		while (cairn_next(reader, batch) > 0)
			for (uint32_t k = 0; k < batch->n_mems; k++)
				known += !(batch->mems[k].flags & CAIRN_VALUE_ADDR_UNKNOWN);
		cairn_close(reader);
		assert_true(near > 2);
		assert_int_equal(known, near);
	}
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* What SVE shows: registers that are stored are no writes, lanes that are not active have no
 * access, and what stands in parentheses means nothing. */
static void what_vectors_show(void **state)
{
	/* st1b {z1.d}: the whole of it is shown, a byte of each lane that is active is stored */
	const char *narrow = "#      z1<127:0>: 0x00000000000000000000000000000000\n" INSN(
		"00", "e460e001") "#      z1<127:0>: 0x0000000000000a0b0000000000000c0d\n"
						  "#                                                  " MARK
						  " 0x0d -> 0x0000000000002000\n" RET("04");
	/* ld1w {z2.s} with no lane active; st1w, of which nothing is shown; a second chunk that is */
	const char *none = INSN(
		"00",
		"a540a002") "#      z2<127:0>: 0x00000000000000000000000000000000 (...)\n"
					"#\n" INSN("04", "e540e002") INSN(
						"08",
						"e540e003") "#    z3<255:128>: 0x00000007000000000000000000000000 (1.000, ...)\n"
									"#                          " MARK LINES_24
									" 0x00000007 -> 0x000000000000201c\n" RET("0c");
	/* ldff1b, then FFR in pieces */
	const char *faulting =
		INSN("00", "a400a004") "#      z4<127:0>: 0x00000000000000000000000000000005\n"
							   "#                                                  " MARK
							   " 0x05 <- 0x0000000000002000\n"
							   "#      FFR<15:0>: 0b 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1\n"
							   "#     FFR<31:16>: 0b 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" RET("04");
	(void)state;
	has(narrow,
	    " R vec1 src <0+128> =0x0000000000000a0b0000000000000c0d\n M write 0x2000 1 reg 3.1 =0xd\n");
	has_not(narrow, " R vec1 dst");
	has(none,
	    "I 1 0x1000 a540a002/4 load []\n R vec2 dst <0+128> =0x00000000000000000000000000000000\nI 2");
	has(none, "I 2 0x1004 e540e002/4 store []\nI 3");
	has(none,
	    " R vec3 src <128+128> =0x00000007000000000000000000000000\n M write 0x201c 4 reg 3.3 =0x7\n");
	has(faulting,
	    " M read 0x2000 1 reg 3.4 =0x5\n R pred16 dst <0+16> =0x1\n R pred16 dst <16+16> =0x0\n");
	/* pieces in descending order, as VIXL's document has them: the same register */
	has(INSN("00", "04214000") "#    z0<255:128>: 0x1f1e1d1c1b1a19181716151413121110\n"
	                           "#      z0<127:0>: 0x0f0e0d0c0b0a09080706050403020100\n" RET("04"),
	    " R vec0 dst <128+128> =0x1f1e1d1c1b1a19181716151413121110\n"
	    " R vec0 dst <0+128> =0x0f0e0d0c0b0a09080706050403020100\n");
	/* an address with a tag; NZCV twice; SWP's register twice */
	has(INSN("00",
	         "f9000001") "#       x1<63:0>: 0x0000000000000005 -> 0x0c00000000002000\n" RET("04"),
	    " M write 0xc00000000002000 8");
	has(INSN("00", "25e11fe0") "# NZCV: N:1 Z:0 C:0 V:0\n# NZCV: N:1 Z:0 C:0 V:0\n" RET("04"),
	    " R flags0 dst <0+4> =0x8\n R flags0 dst <0+4> =0x8\n");
	has(INSN("00",
	         "f8358017") "#            x23: 0x0000000000000012\n"
	                     "#            x23: 0x0000000000000012 <- 0x0000000000002000\n"
	                     "#      x21<63:0>: 0x0000000000000013 -> 0x0000000000002000\n" RET("04"),
	    " R int23 dst <0+64> =0x12\n M read 0x2000 8 reg 1.23 =0x12\n"
	    " R int21 src <0+64> =0x13\n M write 0x2000 8 reg 1.21 =0x13\n");
	/* the base of a pre-indexed access comes first; what was written while the trace was off
	 * comes with the instruction that switched it */
	has(INSN("00",
	         "f8008c1f") "#             x0: 0x0000000000002000\n"
	                     "#      xzr<63:0>: 0x0000000000000000 -> 0x0000000000002000\n" RET("04"),
	    " R int0 dst <0+64> =0x2000\n R int33 src <0+64> =0x0\n M write 0x2000 8 reg 1.33 =0x0\n");
	has(INSN("00", "d45bd640") "# Branch to 0x0000000000001024.\n"
	                           "#             x3: 0x0000000000000009\n" RET("24"),
	    "d45bd640/4 system taken target ->0x1024 []\n"
	    " R int3 dst <0+64> =0x9\n");
}

/* Addresses in an instruction's words are words: its target is the encoding's. */
static void what_words_say_means_nothing(void **state)
{
	const char *log =
		"0x0000000000001000  14000002\t\tb #+0x8 (addr 0x7f5da38d3180)\n"
		"0x0000000000001008  58000601\t\tldr x1, pc+192 (addr 0x7f5da38d3240)\n"
		"#             x1: 0x0000000000000005 <- 0x00000000000010c8\n"
		"0x000000000000100c  54000041\t\tb.ne #+0x8 # 0x0000000000002000  d503201f\t\tnop\n"
		"0x0000000000001010  d503201f\t\tnop # NZCV: N:0 Z:0 C:0 V:0\n";
	(void)state;
	expect(log, "I 1 0x1000 14000002/4 jump taken target ->0x1008 []\n"
	            "I 2 0x1008 58000601/4 load []\n R int1 dst <0+64> =0x5\n"
	            " M read 0x10c8 8 reg 1.1 =0x5\n"
	            "I 3 0x100c 54000041/4 branch target not-taken ->0x1014 []\n"
	            "I 4 0x1010 d503201f/4 nop []\n");
}

static void flow(void **state)
{
	(void)state;
	/* Without Branch lines: by the next address. */
	has(INSN("00", "54000041") INSN("08", "d503201f"), "54000041/4 branch taken target ->0x1008");
	has(INSN("00", "54000041") INSN("04", "d503201f"),
	    "54000041/4 branch target not-taken ->0x1008");
	has_not(INSN("00", "54000021") INSN("04", "d503201f"), "taken"); /* either way */
	has(INSN("00", "d61f0120") INSN("08", "d503201f"), "taken target ->0x1008");
	/* With them: none means not taken, also to the next instruction. */
	has(INSN("00", "54000021") INSN("04", "54000021") "# Branch to 0x0000000000001008.\n" RET("08"),
	    "I 1 0x1000 54000021/4 branch target not-taken ->0x1004");
	has(INSN("00", "54000021") INSN("04", "54000021") "# Branch to 0x0000000000001008.\n" RET("08"),
	    "I 2 0x1004 54000021/4 branch taken target ->0x1008");
	/* A hole, and a second run with its state. */
	has(INSN("00", "d503201f") INSN("08", "d503201f"), "I 2 0x1008 d503201f/4 nop jump");
	has(RET("00") "#             x0: 0x0000000000000001\n" RET("04"),
	    "I 2 0x1004 d65f03c0/4 return taken target jump ->0x0 []\n R int0 state <0+64> =0x1\n");
	/* The trace was switched off for a while. */
	has(INSN("00", "d45bd640") "# Branch to 0x0000000000001024.\n"
	                           "#            x10: 0x0000000000000001\n" RET("24"),
	    "GAP");
	has_not(INSN("00", "d45bd640") "# Branch to 0x000000000000100c.\n" RET("0c"), "GAP");
	has(INSN("00", "d45bd660") "#             x0: 0x0000000000000007\n" RET("04"),
	    " R int0 state <0+64> =0x7\n");
}

static void other_lines(void **state)
{
	(void)state;
	has(INSN("00", "19010440") "#               : 0x0000000000003000 <- 0x12 <- 0x0000000000002000\n" RET(
			"04"),
	    " M read 0x2000 1 =0x12\n M write 0x3000 1 =0x12\n");
	has(INSN("00", "d50b7422") "#      0x0000000000000000 -> 0x0000000000002000\n" RET("04"),
	    " M write 0x2000 8 =0x0\n");
	has(INSN("00", "d503201f") "hello\n" RET("04"), "hello");
	has(INSN("00",
	         "d51b4404") "# FPCR: AHP:0 DN:1 FZ:0 RMode:0b11 (Round towards Zero)\n" RET("04"),
	    " <22+5> =0xb\n");
	/* The other half of a register, when it is not known which instruction it was. */
	has("#            x23: 0x1000000000000004\n"
	    "#            w23:         0x00000004 <- 0x0000000000002008\n",
	    " 2: R int23 dst <32+32>\n");
	/* A predicate's piece far from its first one: nobody knows where it lies. */
	has("#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 -> 0x0000000000002000\n"
	    "#             x0: 0x0000000000000007\n"
	    "#      p2<31:16>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 -> 0x0000000000002010\n",
	    " 3: M write 2 reg 6.2 =0x101\n");
	struct text text =
		rows_of(INSN("00", "d503201f") "#            x42: 0x0000000000000007\n" RET("04"));
	assert_int_equal(text.damage, 1);
	done(&text);
}

/* As many tabs as there can be, in steps that meet every place of a block. */
static void tabs_are_counted_whatever_there_are(void **state)
{
	enum { MOST = 20000 };
	char *log = malloc(MOST + 200);
	(void)state;
	for (unsigned gap = 0; gap < 4; gap++)
		for (unsigned before = 0; before < 3; before++) {
			size_t n =
				(size_t)sprintf(log, "%.*s%s", (int)before, "\n\n\n", INSN("00", "d503201f"));
			for (unsigned i = 0; i < MOST; i++)
				log[n++] = gap && i % (gap + 2) == gap ? 'x' : '\t';
			n += (size_t)sprintf(log + n, "\n%s", INSN("04", "d503201f"));
			assert_int_equal(vixl_count_insns(log, log + n), 2);
		}
	free(log);
}

static void long_lines_and_odd_ends(void **state)
{
	enum { LONG = 3 * VIXL_LINE_MAX };
	char *log = malloc(LONG + 200);
	(void)state;
	size_t n = (size_t)sprintf(log, "%s", INSN("00", "d503201f"));
	memset(log + n, 'x', LONG);
	strcpy(log + n + LONG, "\n" RET("04"));
	has(log, "I 2 0x1004");
	free(log);
	has(INSN("00", "d503201f") "#             x0: 0x0000000000000007", " R int0 dst <0+64> =0x7\n");
	struct text text = rows_of(INSN("00", "d503201f") "#             x0: 0x00000000000000");
	assert_int_equal(text.damage, 1);
	done(&text);
}

/* ---- streams ---- */

static void a_stream_that_breaks_off_is_told(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf raw, packed;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_open_opts open_opts = {.size = sizeof open_opts, .from = "vixl", .lenient = 1};
	struct cairn_reader *reader;
	uint64_t n = 0;
	int rc;
	(void)state;
	base_buf_init(&raw, cairn);
	base_buf_init(&packed, cairn);
	for (unsigned i = 0; i < 40000; i++)
		base_buf_printf(&raw, "0x%016x  d503201f\t\tnop %u\n", 0x1000 + 4 * i, i * 7919);
	assert_true(io_encode_frame(cairn, cairn_codec_find(cairn, "gzip"), 6, raw.data, raw.len,
	                            &packed) >= 0);
	for (unsigned threads = 0; threads < 2; threads++) {
		assert_int_equal(cairn_open_memory(cairn, packed.data, packed.len / 2, &open_opts, &reader),
		                 0);
		if (threads) {
			struct cairn_check_opts opts = {.size = sizeof opts, .threads = 2};
			struct cairn_check_result result = {.size = sizeof result};
			assert_int_equal(cairn_check(reader, &opts, &result), 0);
			assert_int_equal(result.errors, 1);
		} else {
			while ((rc = cairn_next(reader, batch)) > 0)
				n += batch->n_insns;
			assert_int_equal(rc, 0);
			assert_true(n > 1000 && n < 40000);
			assert_int_equal(cairn_damage_count(reader), 1);
		}
		cairn_close(reader);
	}
	base_buf_free(&raw);
	base_buf_free(&packed);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- down ---- */

static void write_log(const char *log, const char *to, struct base_buf *out,
                      struct cairn_ledger **lost)
{
	char path[] = "/tmp/test_vixl_XXXXXX", buf[512];
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_create_opts opts = {.size = sizeof opts, .to = to};
	struct cairn_open_opts from = {.size = sizeof from, .from = "vixl"};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader;
	struct cairn_writer *writer;
	close(mkstemp(path));
	assert_int_equal(cairn_open_memory(cairn, log, strlen(log), &from, &reader), 0);
	assert_int_equal(cairn_create(cairn, path, &opts, &writer), 0);
	while (cairn_next(reader, batch) > 0)
		assert_int_equal(cairn_put(writer, batch), 0);
	assert_int_equal(cairn_finish(writer, lost), 0);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
		base_buf_put(out, buf, n);
	base_buf_put(out, "", 1);
	fclose(f);
	remove(path);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* The log in all its kinds of lines, coloured too. */
static void what_is_written_is_what_was_read(void **state)
{
	const char *all =
		"#             x0: 0x0000000000002000\n#             v1: 0x00000000000000000000000000000007\n"
		"#      z2<127:0>: 0x00000000000000000000000000000007\n"
		"#      FFR<15:0>: 0b 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1\n" INSN(
			"00",
			"f8408424") "#             x4: 0x312a231c150e0700 <- 0x0000000000002000\n"
						"#             x0: 0x0000000000002008\n" INSN(
							"04",
							"0d408400") "#             v0: 0x00000000000000003ff0000000000000 (..., 1.000)\n"
										"#                                                  " MARK
										" 0x3ff0000000000000 <- 0x0000000000002000\n" INSN("08", "1e602820") "#             d0:                 0xc002000000000000 (-2.250)\n" INSN(
											"0c",
											"94000001") "#             lr: 0x0000000000001010\n"
														"# gcs0x0000[0]:  <- 0x0000000000001010\n# Branch to 0x0000000000001010.\n" INSN("10", "d50b7422") "#      0x0000000000000000 -> 0x0000000000002000\n" INSN(
															"14",
															"19010440") "#               : 0x0000000000003000 <- 0x12 <- 0x0000000000002000\n"
																		"a line of text\n" INSN(
																			"18",
																			"e5800042") "#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 -> 0x0000000000002000\n"
																						"#      p2<31:16>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 -> 0x0000000000002010\n" INSN(
																							"1c",
																							"eb01003f") "# NZCV: N:0 Z:1 C:1 V:0\n" RET("20");
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf out, colour;
	struct cairn_ledger *lost;
	(void)state;
	base_buf_init(&out, cairn);
	base_buf_init(&colour, cairn);
	write_log(all, "vixl", &out, &lost);
	assert_string_equal((const char *)out.data, all);
	assert_int_equal(lost->n, 0);
	cairn_ledger_free(cairn, lost);
	write_log(all, "vixl:colour", &colour, NULL);
	out.len = 0;
	write_log((const char *)colour.data, "vixl", &out, NULL);
	assert_string_equal((const char *)out.data, all);
	out.len = 0;
	write_log((const char *)colour.data, "vixl:colour", &out, NULL);
	assert_string_equal((const char *)out.data, (const char *)colour.data);
	base_buf_free(&out);
	base_buf_free(&colour);
	cairn_free(cairn);
}

static void what_has_no_line_is_counted(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf out;
	struct cairn_ledger *lost;
	(void)state;
	base_buf_init(&out, cairn);
	write_log(INSN("00", "d500401f") INSN("04", "69001825")
	              INSN("08", "d45bd640") "# Branch to 0x0000000000001024.\n" RET("24"),
	          "vixl", &out, &lost);
	assert_int_equal(lost->n, 3);
	assert_string_equal(lost->losses[0].what, "flags whose value is not known");
	assert_string_equal(lost->losses[1].what, "accesses that the simulator does not show");
	assert_string_equal(lost->losses[2].what, "gaps");
	assert_int_equal(lost->losses[2].first, 4);
	cairn_ledger_free(cairn, lost);
	base_buf_free(&out);
	cairn_free(cairn);
}

/* A line of the older dialect that shows less than its instruction loads: of what size it was
 * is not known, and nothing is drawn. */
static void accesses_of_no_size_have_a_line(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf out;
	(void)state;
	base_buf_init(&out, cairn);
	write_log(INSN("00", "4d40cc01") "#    w1:         0x00000005 <- 0x0000000000002000\n", "vixl",
	          &out, NULL);
	assert_string_equal(
		(const char *)out.data,
		INSN("00", "4d40cc01") "#             w1:         0x00000005\n <- 0x0000000000002000\n");
	base_buf_free(&out);
	cairn_free(cairn);
}

static void floating_point_is_spelt_as_the_simulator_does(void **state)
{
	static const struct {
		uint64_t v;
		unsigned lane;
		const char *text;
	} rows[] = {{0x3c00, 2, "1.000"},
	            {0x2211, 2, "0.01185"},
	            {0x7e00, 2, "nan"},
	            {0xfc00, 2, "-inf"},
	            {0x0001, 2, "5.960e-08"},
	            {0x8000, 2, "-0.000"},
	            {0x44332211, 4, "716.5"},
	            {0x7f800000, 4, "inf"},
	            {0x3fc00000, 4, "1.500"},
	            {0xc002000000000000, 8, "-2.250"},
	            {0x7ff0f0007f80f000, 8, "nan"}};
	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		char out[VIXL_FP_TEXT];
		uint64_t v[2] = {rows[i].v, 0};
		out[vixl_fp_text(out, v, rows[i].lane, rows[i].lane, UINT32_MAX)] = 0;
		assert_string_equal(out, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_parsed_and_printed),
		cmocka_unit_test(both_ways_agree_on_every_change),
		cmocka_unit_test(lines_behind_text_are_found),
		cmocka_unit_test(instructions_are_seen_by_everybody),
		cmocka_unit_test(registers_and_accesses),
		cmocka_unit_test(vectors_by_lane),
		cmocka_unit_test(lanes_are_found_without_drawings),
		cmocka_unit_test(what_the_simulator_gets_wrong),
		cmocka_unit_test(what_is_missing_comes_from_what_was_held_before),
		cmocka_unit_test(what_was_held_is_seen_in_mixed_lines_too),
		cmocka_unit_test(what_is_far_is_forgotten_by_everybody),
		cmocka_unit_test(what_vectors_show),
		cmocka_unit_test(what_words_say_means_nothing),
		cmocka_unit_test(flow),
		cmocka_unit_test(other_lines),
		cmocka_unit_test(tabs_are_counted_whatever_there_are),
		cmocka_unit_test(long_lines_and_odd_ends),
		cmocka_unit_test(a_stream_that_breaks_off_is_told),
		cmocka_unit_test(what_is_written_is_what_was_read),
		cmocka_unit_test(what_has_no_line_is_counted),
		cmocka_unit_test(accesses_of_no_size_have_a_line),
		cmocka_unit_test(floating_point_is_spelt_as_the_simulator_does)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
