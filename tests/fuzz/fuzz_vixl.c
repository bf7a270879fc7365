/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a log of VIXL's simulator. What is asserted: the quick parser and the
 * table say the same of every line, and a line printed is read as itself; batches keep
 * the model's rules and do not depend on threads, pieces, or a codec; the records side
 * by side are the log; counting agrees with the batches; findings do not depend on
 * threads; what is written again can be read.
 *
 * The first byte chooses how. With LINES each further pair of bytes is a line from a list
 * of all kinds, with a digit of it changed, which is what brings the fuzzer beyond text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vixl/vixl.h"
#include "log.h"
#include "together.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LINES = 1, STREAM = 2, COLOUR = 4, PIECE = 8 | 16 };
enum { MOST = 1 << 18 };

static const char *const lines[] = {
	"0x0000000000001000  d503201f\t\tnop",
	"0x0000000000001004  f9000001\t\tstr x1, [x0]",
	"0x0000000000001008  14000002\t\tb #+0x8",
	"0x000000000000100c  54000041\t\tb.ne #+0x8",
	"0x0000000000001010  d65f03c0\t\tret",
	"0x0000000000001014  f8350017\t\tldadd x21, x23, [x0]",
	"0x0000000000001018  d9408017\t\tldapur x23, [x0, #8]",
	"0x000000000000101c  08b87c19\t\tcasb w24, w25, [x0]",
	"0x0000000000001020  38358017\t\tswpb w21, w23, [x0]",
	"0x0000000000001024  d45bd640\t\thlt",
	"0x0000000000001028  69001825\t\tstgp x5, x6, [x1]",
	"0x000000000000102c  84408025\t\tld1rb",
	"0x0000000000001030  a420e826\t\tld2b {z6.b, z7.b}, p2/z, [x1]",
	"0x~~~~~~~~~~~~~~~~  d500401f\t\tcfinv",
	"# Branch to 0x0000000000001008.",
	"# Branch to 0x0000000000000000.",
	"#             x1: 0x0000000000000005",
	"#            x23: 0x0000000000000004 <- 0x0000000000001000",
	"#            w23:         0x00000004",
	"#            w23:         0x00000004 <- 0x0000000000001008",
	"#       x1<63:0>: 0x0000000000000005 -> 0x0000000000001000",
	"#      x21<15:0>:             0xbeef -> 0x0000000000001000",
	"#             lr: 0x0000000000001004",
	"#            xzr: 0x0000000000000000 <- 0x0000000000001000",
	"#             sp: 0x~~~~~~~~~~~~~~~~",
	"#             v0: 0x69625b544d463f38312a231c150e0700 (1.000, ..., 2.0)",
	"#             d1:                 0x3ff0000000000000 (1.000) <- 0x0000000000001000",
	"#      v0<127:0>: 0x69625b544d463f38312a231c150e0700",
	"#    z3<255:128>: 0xd9d2cbc4bdb6afa8a19a938c857e7770",
	"#      z3<127:0>: 0x69625b544d463f38312a231c150e0700",
	"#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000001000",
	"#     FFR<31:16>: 0b 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
	"#                                  \xe2\x95\x99\xe2\x94\x80 0x4d <- 0x0000000000001008",
	"#                    \xe2\x95\x91 \xe2\x95\x99\xe2\x94\x80 0x1f'0f -> 0x00000000000010ae",
	"#",
	" <- 0x0000000000001000",
	"# NZCV: N:0 Z:1 C:0 V:0",
	"# FPCR: AHP:0 DN:1 FZ:0 RMode:0b11 (Round towards Zero)",
	"# gcs0x0000[0]:  <- 0x0000000000001008",
	"#               : 0x0000000000001000 <- 0x12 <- 0x0000000000002000",
	"#      0x0000000000000000 -> 0x0000000000001000",
	"hello# NZCV: N:0 Z:0 C:0 V:0",
	"hello",
	"#    x0: 0x0000000000000005",
	"#   w20<7:0>:          0x04 -> 0x0000000000001000",
	"#   v19: 0x00                               -> 0x0000000000001000",
	"#            x42: 0x0000000000000005",
	"# \033[1;36m            x0: \033[0;36m0x0000000000000005\033[0;m",
	"hello 0x0000000000001000  d503201f\t\tnop",
	""};
enum { KINDS = sizeof lines / sizeof *lines };

/* ---- lines ---- */

static void check_line(const char *p, size_t n)
{
	static char a[2 * VIXL_LINE_MAX], b[2 * VIXL_LINE_MAX];
	static struct vixl_plain one, two, three;
	struct vixl_line line, t, again;
	vixl_parse(p, n, &line, &one);
	vixl_parse_any(p, n, &t, &two);
	check(line.kind == t.kind && line.prefix == t.prefix,
	      "the quick way and the table name a line alike");
	size_t x = vixl_print(&line, a), y = vixl_print(&t, b);
	check(x == y && !memcmp(a, b, x), "the quick way and the table read a line alike");
	if (!line.coloured && line.kind != VIXL_TEXT)
		check(x == n - line.prefix && !memcmp(a, p + line.prefix, x),
		      "a line is printed as it was");
	vixl_parse_any(a, x, &again, &three);
	y = vixl_print(&again, b);
	check(again.kind == line.kind && x == y && !memcmp(a, b, x),
	      "a line printed is read as itself");
}

static void check_lines(const char *p, size_t n)
{
	const char *end = p + n;
	while (p < end) {
		const char *e, *next = text_line_ends(p, end, &e);
		check_line(p, (size_t)(e - p));
		p = next;
	}
}

/* ---- findings ---- */

static int take(void *user, const struct cairn_finding *finding)
{
	uint64_t *h = user;
	for (const char *s = finding->message; *s; s++)
		*h = (*h ^ (uint8_t)*s) * 0x100000001b3u;
	*h = (*h ^ finding->line) * 0x100000001b3u;
	return 0;
}

static void check_findings(struct cairn *cairn, const struct base_buf *buf)
{
	uint64_t hash[2] = {0};
	for (unsigned i = 0; i < 2; i++) {
		struct cairn_reader *reader = log_open(cairn, buf, "vixl:piece=500");
		struct cairn_check_opts opts = {.size = sizeof opts,
		                                .threads = 1 + 2 * i,
		                                .finding = take,
		                                .user = &hash[i]};
		struct cairn_check_result result = {.size = sizeof result};
		check(cairn_check(reader, &opts, &result) == 0, "a log is judged");
		cairn_close(reader);
	}
	check(hash[0] == hash[1], "findings do not depend on threads");
	struct together both = {.p = buf->data, .n = buf->len, .from = "vixl:piece=500", .threads = 2};
	together_is_as_apart(cairn, &both);
}

/* ---- an input ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const pieces[] = {"vixl:piece=300", "vixl:piece=1", "vixl:piece=1000",
	                                     "vixl:piece=5000"};
	if (n < 2)
		return 0;
	uint8_t how = data[0];
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf raw, packed;
	base_buf_init(&raw, cairn);
	base_buf_init(&packed, cairn);
	if (how & LINES)
		log_lines(&raw, lines, KINDS, "0123456789abcdef", MOST, data + 1, n - 1);
	else
		base_buf_put(&raw, data + 1, n - 1 < MOST ? n - 1 : (size_t)MOST);
	check_lines((const char *)raw.data, raw.len);
	struct base_buf *buf = &raw;
	if (how & STREAM) {
		log_pack(cairn, &raw, &packed);
		buf = &packed;
	}
	struct log_told first;
	log_tell(cairn, buf, "vixl", 1, &first);
	log_same(cairn, buf, pieces[(how & PIECE) / 8], 1, &first);
	log_same(cairn, buf, pieces[(how & PIECE) / 8], 3, &first);
	log_count(cairn, buf, "vixl", "vixl:piece=700", first.damage);
	log_records(cairn, &raw, "vixl", first.damage);
	check_findings(cairn, buf);
	log_write(cairn, buf, "vixl", how & COLOUR ? "vixl:colour" : "vixl");
	base_buf_free(&first.text);
	base_buf_free(&raw);
	base_buf_free(&packed);
	cairn_free(cairn);
	return 0;
}
