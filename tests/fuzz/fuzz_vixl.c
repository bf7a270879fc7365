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
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/fixtures.h"
#include "cairn/cairn.h"
#include "formats/vixl/vixl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LINES = 1, STREAM = 2, COLOUR = 4, PIECE = 8 | 16 };
enum { MOST = 1 << 18 };

static const char *const lines[] = {
	"0x0000000000001000  d503201f\t\tnop", "0x0000000000001004  f9000001\t\tstr x1, [x0]",
	"0x0000000000001008  14000002\t\tb #+0x8", "0x000000000000100c  54000041\t\tb.ne #+0x8",
	"0x0000000000001010  d65f03c0\t\tret", "0x0000000000001014  f8350017\t\tldadd x21, x23, [x0]",
	"0x0000000000001018  d9408017\t\tldapur x23, [x0, #8]",
	"0x000000000000101c  08b87c19\t\tcasb w24, w25, [x0]",
	"0x0000000000001020  38358017\t\tswpb w21, w23, [x0]", "0x0000000000001024  d45bd640\t\thlt",
	"0x0000000000001028  69001825\t\tstgp x5, x6, [x1]", "0x000000000000102c  84408025\t\tld1rb",
	"0x0000000000001030  a420e826\t\tld2b {z6.b, z7.b}, p2/z, [x1]",
	"0x~~~~~~~~~~~~~~~~  d500401f\t\tcfinv", "# Branch to 0x0000000000001008.",
	"# Branch to 0x0000000000000000.", "#             x1: 0x0000000000000005",
	"#            x23: 0x0000000000000004 <- 0x0000000000001000",
	"#            w23:         0x00000004", "#            w23:         0x00000004 <- 0x0000000000001008",
	"#       x1<63:0>: 0x0000000000000005 -> 0x0000000000001000",
	"#      x21<15:0>:             0xbeef -> 0x0000000000001000", "#             lr: 0x0000000000001004",
	"#            xzr: 0x0000000000000000 <- 0x0000000000001000", "#             sp: 0x~~~~~~~~~~~~~~~~",
	"#             v0: 0x69625b544d463f38312a231c150e0700 (1.000, ..., 2.0)",
	"#             d1:                 0x3ff0000000000000 (1.000) <- 0x0000000000001000",
	"#      v0<127:0>: 0x69625b544d463f38312a231c150e0700",
	"#    z3<255:128>: 0xd9d2cbc4bdb6afa8a19a938c857e7770",
	"#      z3<127:0>: 0x69625b544d463f38312a231c150e0700",
	"#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000001000",
	"#     FFR<31:16>: 0b 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
	"#                                  \xe2\x95\x99\xe2\x94\x80 0x4d <- 0x0000000000001008",
	"#                    \xe2\x95\x91 \xe2\x95\x99\xe2\x94\x80 0x1f'0f -> 0x00000000000010ae",
	"#", " <- 0x0000000000001000", "# NZCV: N:0 Z:1 C:0 V:0",
	"# FPCR: AHP:0 DN:1 FZ:0 RMode:0b11 (Round towards Zero)", "# gcs0x0000[0]:  <- 0x0000000000001008",
	"#               : 0x0000000000001000 <- 0x12 <- 0x0000000000002000",
	"#      0x0000000000000000 -> 0x0000000000001000", "hello# NZCV: N:0 Z:0 C:0 V:0", "hello",
	"#    x0: 0x0000000000000005", "#   w20<7:0>:          0x04 -> 0x0000000000001000",
	"#   v19: 0x00                               -> 0x0000000000001000",
	"#            x42: 0x0000000000000005", "# \033[1;36m            x0: \033[0;36m0x0000000000000005\033[0;m",
	"hello 0x0000000000001000  d503201f\t\tnop", ""};
enum { KINDS = sizeof lines / sizeof *lines };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* ---- lines ---- */

static void check_line(const char *p, size_t n)
{
	static char a[2 * VIXL_LINE_MAX], b[2 * VIXL_LINE_MAX];
	static struct vixl_plain one, two, three;
	struct vixl_line l, t, again;
	vixl_parse(p, n, &l, &one);
	vixl_parse_any(p, n, &t, &two);
	check(l.kind == t.kind && l.prefix == t.prefix, "the quick way and the table name a line alike");
	size_t x = vixl_print(&l, a), y = vixl_print(&t, b);
	check(x == y && !memcmp(a, b, x), "the quick way and the table read a line alike");
	if (!l.coloured && l.kind != VIXL_TEXT)
		check(x == n - l.prefix && !memcmp(a, p + l.prefix, x), "a line is printed as it was");
	vixl_parse_any(a, x, &again, &three);
	y = vixl_print(&again, b);
	check(again.kind == l.kind && x == y && !memcmp(a, b, x), "a line printed is read as itself");
}

static void check_lines(const char *p, size_t n)
{
	const char *end = p + n;
	while (p < end) {
		const char *e, *next = vixl_line_end(p, end, &e);
		check_line(p, (size_t)(e - p));
		p = next;
	}
}

/* ---- ways of reading ---- */

static struct cairn_reader *open_log(struct cairn *c, const struct base_buf *b, const char *from)
{
	struct cairn_open_opts o = {.size = sizeof o, .from = from, .lenient = 1};
	struct cairn_reader *r = NULL;
	check(cairn_open_memory(c, b->data, b->len, &o, &r) == 0, "a log opens");
	return r;
}

/* What one way of reading tells: the text of all its batches. */
struct told {
	struct cairn *c;
	struct cairn_reader *r;
	struct base_buf text;
	uint64_t damage;
};

static int begin(void *user, void **partial)
{
	struct told *t = user;
	struct base_buf *b = base_alloc(t->c, sizeof *b);
	check(b != NULL, "there is memory");
	base_buf_init(b, t->c);
	*partial = b;
	return 0;
}

static int feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct told *t = user;
	const char *why = check_batch(b);
	check(!why, why ? why : "");
	fx_print_batch(t->r, b, partial);
	return 0;
}

static int fold(void *user, void *partial)
{
	struct told *t = user;
	struct base_buf *b = partial;
	int rc = b->len ? base_buf_put(&t->text, b->data, b->len) : 0;
	base_buf_free(b);
	base_free(t->c, b);
	return rc;
}

static void tell(struct cairn *c, const struct base_buf *b, const char *from, unsigned threads,
                 struct told *t)
{
	static const struct cairn_reducer red = {.size = sizeof red, .begin = begin, .feed = feed,
	                                         .fold = fold};
	*t = (struct told){.c = c, .r = open_log(c, b, from)};
	base_buf_init(&t->text, c);
	check(cairn_run(t->r, &red, t, UINT64_MAX, threads) == 0, "a log is read");
	t->damage = cairn_damage_count(t->r);
	cairn_close(t->r);
}

static void same(struct cairn *c, const struct base_buf *b, const char *from, unsigned threads,
                 const struct told *first)
{
	struct told other;
	tell(c, b, from, threads, &other);
	check(other.damage == first->damage && other.text.len == first->text.len &&
	      !memcmp(other.text.data, first->text.data, first->text.len), "all ways read the same");
	base_buf_free(&other.text);
}

static void check_records(struct cairn *c, const struct base_buf *b)
{
	struct cairn_reader *r = open_log(c, b, "vixl");
	struct cairn_record rec;
	size_t at = 0;
	uint64_t n = 0;
	int rc;
	while ((rc = cairn_next_record(r, &rec)) > 0) {
		check(rec.offset == at && rec.number == ++n && rec.size <= b->len - at &&
		      !memcmp(rec.data, b->data + at, rec.size), "records side by side are the log");
		at += rec.size;
	}
	check(rc == 0 && at == b->len, "all of the log is in records");
	cairn_close(r);
}

static void check_count(struct cairn *c, const struct base_buf *b, uint64_t damage)
{
	struct cairn_reader *r = open_log(c, b, "vixl");
	struct cairn_tally count, sum = {0};
	struct cairn_batch *batch = cairn_batch_new(c);
	while (cairn_next(r, batch) > 0)
		cairn_tally_batch(&sum, batch, NULL);
	cairn_tally_end(&sum);
	cairn_close(r);
	r = open_log(c, b, "vixl:piece=700");
	check(cairn_count(r, 2, &count) == 0, "a log is counted");
	check(cairn_damage_count(r) == damage, "counting finds the same damage");
	check(count.instructions == sum.instructions && count.loads == sum.loads &&
	      count.stores == sum.stores && count.branches == sum.branches &&
	      count.branches_taken == sum.branches_taken && count.events == sum.events,
	      "counting agrees with the batches");
	cairn_close(r);
	cairn_batch_free(c, batch);
}

static int take(void *user, const struct cairn_finding *f)
{
	uint64_t *h = user;
	for (const char *s = f->message; *s; s++)
		*h = (*h ^ (uint8_t)*s) * 0x100000001b3u;
	*h = (*h ^ f->line) * 0x100000001b3u;
	return 0;
}

static void check_findings(struct cairn *c, const struct base_buf *b)
{
	uint64_t hash[2] = {0};
	for (unsigned i = 0; i < 2; i++) {
		struct cairn_reader *r = open_log(c, b, "vixl:piece=500");
		struct cairn_check_opts o = {.size = sizeof o, .threads = 1 + 2 * i, .finding = take,
		                             .user = &hash[i]};
		struct cairn_check_result result;
		check(cairn_check(r, &o, &result) == 0, "a log is judged");
		cairn_close(r);
	}
	check(hash[0] == hash[1], "findings do not depend on threads");
}

static void write_again(struct cairn *c, const struct base_buf *b, bool colour)
{
	struct cairn_reader *r = open_log(c, b, "vixl");
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_create_opts o = {.size = sizeof o, .to = colour ? "vixl:colour" : "vixl"};
	struct cairn_writer *w;
	check(cairn_create(c, "/dev/null", &o, &w) == 0, "a log is created");
	while (cairn_next(r, batch) > 0)
		check(cairn_put(w, batch) == 0, "a batch is written");
	check(cairn_finish(w, NULL) == 0, "a log is finished");
	cairn_batch_free(c, batch);
	cairn_close(r);
}

/* ---- an input ---- */

static void make_lines(struct base_buf *b, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 1 < n && b->len < MOST; i += 2) {
		char line[160];
		size_t k = strlen(lines[p[i] % KINDS]);
		memcpy(line, lines[p[i] % KINDS], k);
		/* Most keep all: one digit in four is changed. */
		if (k && p[i + 1] >= 192)
			line[(p[i + 1] - 192u) % k] = "0123456789abcdef"[p[i] % 16];
		line[k] = '\n';
		base_buf_put(b, line, k + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const pieces[] = {"vixl:piece=300", "vixl:piece=1", "vixl:piece=1000",
		"vixl:piece=5000"};
	if (n < 2)
		return 0;
	uint8_t how = data[0];
	struct cairn *c = cairn_new(NULL);
	struct base_buf raw, packed;
	base_buf_init(&raw, c);
	base_buf_init(&packed, c);
	if (how & LINES)
		make_lines(&raw, data + 1, n - 1);
	else
		base_buf_put(&raw, data + 1, n - 1 < MOST ? n - 1 : (size_t)MOST);
	check_lines((const char *)raw.data, raw.len);
	struct base_buf *b = &raw;
	if (how & STREAM) {
		io_encode_frame(c, cairn_codec_find(c, "zstd"), INT_MIN, raw.data, raw.len, &packed);
		b = &packed;
	}
	struct told first;
	tell(c, b, "vixl", 1, &first);
	same(c, b, pieces[(how & PIECE) / 8], 1, &first);
	same(c, b, pieces[(how & PIECE) / 8], 3, &first);
	check_count(c, b, first.damage);
	check_records(c, &raw);
	check_findings(c, b);
	write_again(c, b, how & COLOUR);
	base_buf_free(&first.text);
	base_buf_free(&raw);
	base_buf_free(&packed);
	cairn_free(c);
	return 0;
}
