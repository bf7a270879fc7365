/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a log of Spike, Tarmac or execlog. What is asserted: batches keep the
 * model's rules and do not depend on threads, pieces, or a codec; the records side by
 * side are the log; counting agrees with the batches, and finds the same damage; what is
 * read can be written as STF.
 *
 * The first byte chooses how. With LINES each further pair of bytes is a line from a list
 * of all kinds, with a character of it changed, which is what brings the fuzzer beyond
 * text.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/fixtures.h"
#include "cairn/cairn.h"
#include "text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LINES = 1, STREAM = 2, DIALECT = 4 | 8, PIECE = 16 | 32 };
enum { MOST = 1 << 17 };

static const char *const names[] = {"spike", "tarmac", "execlog", "spike"};
static const char *const lines[] = {
	"core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0",
	"core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000",
	"core   1: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000",
	"3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000",
	"core   0: 0x0000000080000004 (0x00008282) jr      t0", "core   0: 3 0x0000000080000004 (0x8282)",
	"core   0: 0 0x80000006 (0x00b50463)",
	"core   0: 1 0x0000000080000006 (0x0002b203) x4  0x0000000080002380 mem 0x0000000080002428",
	"core   0: 1 0x000000008000000a (0x0052b023) mem 0x0000000080002428 0x0000000000000001",
	"core   0: 3 0x000000008000000e (0x02058007) e8 mf2 l4 v0  0x00000000000000010000000000000002",
	"core   0: 3 0x0000000080000012 (0x30529073) c773_mtvec 0x0000000080000100",
	"core   0: exception trap_user_ecall, epc 0x0000000080000004",
	"core   0: exception interrupt #7, epc 0x0000000080000004",
	"core   0:           tval 0x0000000000000012", "core   0: >>>>  main",
	"core   0: Executed 3 times", "boot core   0: >>>>  main", "hello", "",
	"Tarmac Text Rev 3t", "0 clk cpu0 IT (1) 002105d4 d2a00200 O EL3h_s :   MOVZ   X0, #16, #16",
	"0 clk IS (2) 002105d8:0000002105d8_NS 54000180 O EL1t_ns : B.EQ",
	"0 clk cluster1.cpu2 IT (3) 00001000 4770 T svc_s : BX lr", "0 clk cpu0 R X0 0000000000100000",
	"0 clk R cpsr 600003cd", "0 clk R q1 00000000000000010000000000000002",
	"0 clk R nonsense 12", "1 clk cpu0 MW8 000fffe0:0000000fffe0 00000000_00000000",
	"1 clk MR4X 000fffe0 00000001", "0 clk E 00000000:000000000000 00000000 CoreEvent_Reset",
	"0 clk SIGNAL: SIGNAL=DebugReset STATE=N", "   0 tic ES  EXC Reset",
	"   0 tic ES  (00000000002105dc:940000f8) O el3h_s:         BL       {pc}+0x3e0",
	"           BR (00000000002109bc) O", "           R SP_EL3 00000000000fffe0",
	"           ST 00000000000fffe0 00000000 002105e0 00000000 00000000    S:00000fffe0",
	"           LD 0000000000200160 ........ ....74.. 3a...... ........    NS:0000200160",
	"0, 0x4006c0, 0xd503201f, \"nop \"", "0, 0x4006d0, 0xf94003e1, \"ldr x1, [sp]\", load, 0x55008007d0",
	"1, 0x1018c, 0xc398, \"sw\", store, 0x000111a8, RAM, a4 -> 0x00000003",
	"0, 0x4006d4, 0xb5ffffe1, \"cbnz x1, #0x400958\""};
enum { KINDS = sizeof lines / sizeof *lines };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

static struct cairn_reader *open_log(struct cairn *c, const struct base_buf *b, const char *from)
{
	struct cairn_open_opts o = {.size = sizeof o, .from = from};
	struct cairn_reader *r = NULL;
	check(cairn_open_memory(c, b->data, b->len, &o, &r) == 0, "a log opens");
	return r;
}

/* ---- ways of reading ---- */

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

static void check_records(struct cairn *c, const struct base_buf *b, const char *from,
                          uint64_t damage)
{
	struct cairn_reader *r = open_log(c, b, from);
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
	check(cairn_damage_count(r) <= damage, "records find no damage that batches do not");
	cairn_close(r);
}

static void check_count(struct cairn *c, const struct base_buf *b, const char *from,
                        const char *piece, uint64_t damage)
{
	struct cairn_reader *r = open_log(c, b, from);
	struct cairn_tally count, sum = {0};
	struct cairn_batch *batch = cairn_batch_new(c);
	while (cairn_next(r, batch) > 0)
		cairn_tally_batch(&sum, batch, NULL);
	cairn_tally_end(&sum);
	cairn_close(r);
	r = open_log(c, b, piece);
	check(cairn_count(r, 2, &count) == 0, "a log is counted");
	check(cairn_damage_count(r) == damage, "counting finds the same damage");
	check(count.instructions == sum.instructions && count.executed == sum.executed &&
	      count.loads == sum.loads && count.stores == sum.stores &&
	      count.branches == sum.branches && count.branches_taken == sum.branches_taken &&
	      count.events == sum.events, "counting agrees with the batches");
	cairn_close(r);
	cairn_batch_free(c, batch);
}

static void write_stf(struct cairn *c, const struct base_buf *b, const char *from)
{
	struct cairn_reader *r = open_log(c, b, from);
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_create_opts o = {.size = sizeof o, .to = "stf:container=stf"};
	struct cairn_writer *w;
	check(cairn_create(c, "/dev/null", &o, &w) == 0, "a trace is created");
	while (cairn_next(r, batch) > 0)
		check(cairn_put(w, batch) == 0, "a batch is written");
	check(cairn_finish(w, NULL) == 0, "a trace is finished");
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
		/* Most keep all: a character in one of four is changed. */
		if (k && p[i + 1] >= 192)
			line[(p[i + 1] - 192u) % k] = "0123456789abcdef .:,()x"[p[i] % 23];
		line[k] = '\n';
		base_buf_put(b, line, k + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const unsigned pieces[] = {1, 200, 1000, 5000};
	if (n < 2)
		return 0;
	uint8_t how = data[0];
	const char *from = names[(how & DIALECT) / 4];
	char piece[32];
	struct cairn *c = cairn_new(NULL);
	struct base_buf raw, packed;
	base_buf_init(&raw, c);
	base_buf_init(&packed, c);
	if (how & LINES)
		make_lines(&raw, data + 1, n - 1);
	else
		base_buf_put(&raw, data + 1, n - 1 < MOST ? n - 1 : (size_t)MOST);
	struct base_buf *b = &raw;
	if (how & STREAM) {
		io_encode_frame(c, cairn_codec_find(c, "zstd"), INT_MIN, raw.data, raw.len, &packed);
		b = &packed;
	}
	/* What the look at the beginning finds is the same for map and stream. */
	snprintf(piece, sizeof piece, "%s:piece=%u", from, pieces[(how & PIECE) / 16]);
	struct told first;
	tell(c, &raw, from, 1, &first);
	same(c, b, piece, 1, &first);
	same(c, b, piece, 3, &first);
	check_count(c, b, from, piece, first.damage);
	check_records(c, &raw, from, first.damage);
	write_stf(c, &raw, from);
	base_buf_free(&first.text);
	base_buf_free(&raw);
	base_buf_free(&packed);
	cairn_free(c);
	return 0;
}
