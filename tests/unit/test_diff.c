/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing traces: small ones made here, as bytes of STF, one row a letter or a
 * number. What must hold for any pair is shown with random edits: the hunks make B
 * out of A, the counts add up, and B against A gives the same, turned round.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"

static struct cairn *c;

/* ---- making traces ---- */

struct row {
	uint32_t pc, enc;
	uint32_t reg; /* value of x5, written; 0: none */
};

struct bytes {
	uint8_t *p;
	size_t n, cap;
};

static void put(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->p = realloc(b->p, b->cap);
		assert_non_null(b->p);
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_le(struct bytes *b, uint64_t v, unsigned n)
{
	uint8_t raw[8];
	for (unsigned i = 0; i < n; i++)
		raw[i] = (uint8_t)(v >> 8 * i);
	put(b, raw, n);
}

static struct bytes header(void)
{
	struct bytes b = {0};
	put(&b, "\001STF\002", 5);
	put_le(&b, 1, 4);
	put_le(&b, 5, 4);
	put(&b, "\004\001\000\005\002\000\023", 7); /* RISC-V, RV64, END_HEADER */
	return b;
}

static void put_reg(struct bytes *b, unsigned num, unsigned role, uint64_t value)
{
	put_le(b, 40, 1);
	put_le(b, num, 2);
	put_le(b, role << 4 | CAIRN_REG_INT, 1);
	put_le(b, value, 8);
}

static struct bytes trace(const struct row *rows, size_t n)
{
	struct bytes b = header();
	for (size_t i = 0; i < n; i++) {
		put_le(&b, CAIRN_STF_FORCE_PC, 1);
		put_le(&b, rows[i].pc, 8);
		if (rows[i].reg)
			put_reg(&b, 5, CAIRN_ROLE_DST, rows[i].reg);
		put_le(&b, CAIRN_STF_INST_32, 1);
		put_le(&b, rows[i].enc, 4);
	}
	return b;
}

static struct bytes letters(const char *s)
{
	size_t n = strlen(s);
	struct row *rows = calloc(n + 1, sizeof *rows);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct row){.pc = (uint32_t)s[i] * 4, .enc = 0x13};
	struct bytes b = trace(rows, n);
	free(rows);
	return b;
}

/* ---- comparing ---- */

enum { MOST = 4096 };

struct got {
	size_t n;
	struct cairn_diff_hunk h[MOST];
	struct cairn_diff_sum sum;
	int answer;
	uint32_t n_rows;
};

static void check_rows(const struct cairn_diff_row *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_batch *b = rows[i].batch;
		assert_non_null(b);
		assert_int_equal(b->n_insns, 1);
		assert_true(rows[i].a == b->n0 || rows[i].b == b->n0);
		assert_int_equal(b->insns[1].reg0, b->n_regs);
		assert_int_equal(b->insns[2].ev0, b->n_events);
	}
}

static int take(void *user, const struct cairn_diff_hunk *h)
{
	struct got *g = user;
	check_rows(h->before, h->n_before);
	check_rows(h->a, h->n_a);
	check_rows(h->b, h->n_b);
	check_rows(h->after, h->n_after);
	for (uint32_t i = 0; i < h->n_before; i++)
		assert_int_equal(h->before[i].a, h->a_first - h->n_before + i);
	for (uint32_t i = 0; i < h->n_after; i++)
		assert_int_equal(h->after[i].b, h->b_first + h->b_count + i);
	assert_true(g->n < MOST);
	g->n_rows += h->n_a + h->n_b;
	g->h[g->n++] = *h;
	return 0;
}

static struct cairn_reader *open_bytes(struct bytes b)
{
	struct cairn_reader *r;
	assert_int_equal(cairn_open_memory(c, b.p, b.n, NULL, &r), 0);
	return r;
}

static void compare(struct bytes a, struct bytes b, struct cairn_diff_opts o, struct got *g)
{
	struct cairn_reader *ra = open_bytes(a), *rb = open_bytes(b);
	memset(g, 0, sizeof *g);
	o.size = sizeof o;
	o.hunk = take;
	o.user = g;
	g->answer = cairn_diff(ra, rb, &o, &g->sum);
	assert_true(g->answer >= 0);
	assert_int_equal(g->answer, g->sum.hunks > 0);
	cairn_close(ra);
	cairn_close(rb);
}

static struct got got, back;

/* Letters against letters; the number of hunks and the sums. */
static void expect_opts(const char *a, const char *b, size_t hunks, uint64_t only_a,
                        uint64_t only_b, struct cairn_diff_opts o)
{
	struct bytes x = letters(a), y = letters(b);
	compare(x, y, o, &got);
	compare(y, x, o, &back);
	assert_int_equal(got.n, hunks);
	assert_int_equal(got.sum.only_a, only_a);
	assert_int_equal(got.sum.only_b, only_b);
	assert_int_equal(got.sum.equal, strlen(a) - only_a);
	assert_int_equal(back.sum.only_a, only_b);
	assert_int_equal(back.sum.only_b, only_a);
	free(x.p);
	free(y.p);
}

static void expect(const char *a, const char *b, size_t hunks, uint64_t only_a, uint64_t only_b)
{
	expect_opts(a, b, hunks, only_a, only_b, (struct cairn_diff_opts){.context = 3});
}

static void first_hunk_is(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
	assert_int_equal(got.h[0].a_first, a);
	assert_int_equal(got.h[0].a_count, na);
	assert_int_equal(got.h[0].b_first, b);
	assert_int_equal(got.h[0].b_count, nb);
}

/* ---- tests ---- */

static void equal_traces_have_no_hunks(void **state)
{
	(void)state;
	expect("abcdefgh", "abcdefgh", 0, 0, 0);
	expect("", "", 0, 0, 0);
	assert_true(got.sum.compared & CAIRN_DIFF_PC);
	assert_false(got.sum.compared & CAIRN_DIFF_VALUES);
}

static void insertions_are_found(void **state)
{
	(void)state;
	expect("abcdefghijkl", "abcdXYefghijkl", 1, 0, 2);
	first_hunk_is(5, 0, 5, 2);
	assert_int_equal(got.h[0].n_before, 3);
	assert_int_equal(got.h[0].n_after, 3);
	expect("abcdefgh", "XYabcdefgh", 1, 0, 2);
	first_hunk_is(1, 0, 1, 2);
	expect("abcdefgh", "abcdefghXY", 1, 0, 2);
	first_hunk_is(9, 0, 9, 2);
	expect("", "abc", 1, 0, 3);
}

static void deletions_are_found(void **state)
{
	(void)state;
	expect("abcdXYefghijkl", "abcdefghijkl", 1, 2, 0);
	first_hunk_is(5, 2, 5, 0);
	expect("XYabcdefgh", "abcdefgh", 1, 2, 0);
	expect("abcdefghXY", "abcdefgh", 1, 2, 0);
	expect("abcdefghX", "abcdefghY", 1, 1, 1);
	expect("XYZ", "UVW", 1, 3, 3);
}

static void replaced_rows_are_found(void **state)
{
	(void)state;
	expect("abcdXYZefghijkl", "abcdUVefghijkl", 1, 3, 2);
	first_hunk_is(5, 3, 5, 2);
	expect("abcdXefghijklmYnopqrst", "abcdefghijklmnopqrst", 2, 2, 0);
	expect("abcdXefghijklmnopqrst", "abcdefghijklmYnopqrst", 2, 1, 1);
}

static void loops_do_not_mislead(void **state)
{
	(void)state;
	const char *loop = "abcabcabcabcabcabcabcabcabcabcabcabcabcabcz";
	expect(loop, "abcabcabcabcXabcabcabcabcabcabcabcabcabcabcz", 1, 0, 1);
	first_hunk_is(13, 0, 13, 1);
	expect(loop, "abcabcabcabcabXabcabcabcabcabcabcabcabcabcz", 1, 1, 1);
	first_hunk_is(15, 1, 15, 1);
	expect(loop, "abcabcabcabcababcabcabcabcabcabcabcabcabcz", 1, 1, 0);
	first_hunk_is(15, 1, 15, 0);
	/* one round fewer shows where the loop ends */
	expect(loop, "abcabcabcabcabcabcabcabcabcabcabcabcabcz", 1, 3, 0);
	first_hunk_is(40, 3, 40, 0);
	expect(loop, "abcabcabcabcdefdefabcabcabcabcabcabcabcabcabcabcz", 1, 0, 6);
}

static struct bytes numbers(uint32_t n, uint32_t skip_at, uint32_t skip)
{
	struct row *rows = calloc(n, sizeof *rows);
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++)
		if (i < skip_at || i >= skip_at + skip)
			rows[k++] = (struct row){.pc = 4 * i, .enc = 0x13};
	struct bytes b = trace(rows, k);
	free(rows);
	return b;
}

static void beyond_the_window_is_said(void **state)
{
	(void)state;
	struct bytes all = numbers(20000, 0, 0), some = numbers(20000, 5000, 3000);
	compare(all, some, (struct cairn_diff_opts){.window = 3000, .context = 3}, &got);
	assert_int_equal(got.n, 1);
	assert_false(got.h[0].lost);
	assert_int_equal(got.sum.only_a, 3000);
	assert_int_equal(got.sum.only_b, 0);
	assert_int_equal(got.h[0].n_a, 16);
	first_hunk_is(5001, 3000, 5001, 0);
	compare(all, some, (struct cairn_diff_opts){.window = 2999}, &got);
	assert_int_equal(got.n, 1);
	assert_true(got.h[0].lost);
	assert_int_equal(got.sum.equal + got.sum.only_a, 20000);
	assert_int_equal(got.sum.equal + got.sum.only_b, 17000);
	free(all.p);
	free(some.p);
}

static void changes_name_their_fields(void **state)
{
	(void)state;
	struct row a[40], b[40];
	for (uint32_t i = 0; i < 40; i++)
		a[i] = b[i] = (struct row){.pc = 4 * i, .enc = 0x13, .reg = i + 1};
	b[10].enc = 0x93;
	b[20].reg = 77;
	struct bytes x = trace(a, 40), y = trace(b, 40);
	compare(x, y, (struct cairn_diff_opts){.context = 3}, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.h[0].kind, CAIRN_DIFF_CHANGED);
	assert_int_equal(got.h[0].fields, CAIRN_DIFF_ENCODING);
	first_hunk_is(11, 1, 11, 1);
	uint32_t regs = CAIRN_DIFF_DEFAULT | CAIRN_DIFF_REGS;
	compare(x, y, (struct cairn_diff_opts){.fields = regs}, &got);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.h[1].fields, CAIRN_DIFF_REGS);
	assert_int_equal(got.sum.changed, 2);
	assert_int_equal(got.sum.equal, 38);
	compare(x, y, (struct cairn_diff_opts){.fields = regs & ~(uint32_t)CAIRN_DIFF_VALUES}, &got);
	assert_int_equal(got.n, 1);
	compare(x, y, (struct cairn_diff_opts){.fields = CAIRN_DIFF_PC}, &got);
	assert_int_equal(got.n, 0);
	free(x.p);
	free(y.p);
}

/* Two programs alike but for their addresses. */
static void without_pcs_encodings_align(void **state)
{
	(void)state;
	struct row a[60], b[61];
	for (uint32_t i = 0; i < 60; i++) {
		a[i] = (struct row){.pc = 4 * i, .enc = 0x13 | i << 20};
		b[i + (i >= 30)] = (struct row){.pc = 0x8000 + 4 * i, .enc = 0x13 | i << 20};
	}
	b[30] = (struct row){.pc = 0x9000, .enc = 0x73};
	struct bytes x = trace(a, 60), y = trace(b, 61);
	uint32_t f = CAIRN_DIFF_DEFAULT & ~(uint32_t)(CAIRN_DIFF_PC | CAIRN_DIFF_TARGET);
	compare(x, y, (struct cairn_diff_opts){.fields = f}, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.sum.only_b, 1);
	assert_int_equal(got.sum.equal, 60);
	free(x.p);
	free(y.p);
}

/* Registers in another order, and contexts only one trace tells. */
static void what_is_not_known_is_no_difference(void **state)
{
	(void)state;
	struct bytes x = header(), y = header();
	put_reg(&x, 6, CAIRN_ROLE_SRC, 1);
	put_reg(&x, 5, CAIRN_ROLE_DST, 2);
	put_reg(&y, 5, CAIRN_ROLE_DST, 2);
	put_reg(&y, 6, CAIRN_ROLE_SRC, 1);
	put_le(&y, CAIRN_STF_PROCESS_ID_EXT, 1);
	put_le(&y, 1, 4);
	put_le(&y, 2, 4);
	put_le(&y, 3, 4);
	struct bytes *both[] = {&x, &y};
	for (int i = 0; i < 2; i++) {
		put_le(both[i], CAIRN_STF_FORCE_PC, 1);
		put_le(both[i], 64, 8);
		put_le(both[i], CAIRN_STF_INST_32, 1);
		put_le(both[i], 0x13, 4);
	}
	struct cairn_diff_opts o = {.fields = CAIRN_DIFF_ALL & ~(uint32_t)CAIRN_DIFF_EVENTS};
	compare(x, y, o, &got);
	assert_int_equal(got.answer, 0);
	assert_int_equal(got.sum.equal, 1);
	free(x.p);
	free(y.p);
}

static void regions_apply_to_both(void **state)
{
	(void)state;
	struct bytes x = letters("abcdefghijklmnop"), y = letters("Xbcdefghijkl?nop");
	struct cairn_select *sel = cairn_select_new(c, NULL);
	assert_int_equal(cairn_select_region(sel, "2..12"), 0);
	compare(x, y, (struct cairn_diff_opts){.select = sel, .context = 3}, &got);
	assert_int_equal(got.answer, 0);
	assert_int_equal(got.sum.equal, 11);
	assert_int_equal(cairn_select_region(sel, "13..14"), 0);
	compare(x, y, (struct cairn_diff_opts){.select = sel, .context = 3, .threads = 2}, &got);
	assert_int_equal(got.n, 1);
	first_hunk_is(13, 1, 13, 1);
	cairn_select_free(sel);
	sel = cairn_select_new(c, NULL);
	assert_int_equal(cairn_select_where(sel, "pc != 0x184 && pc != 0x160"), 0); /* a, X */
	compare(x, y, (struct cairn_diff_opts){.select = sel, .context = 3}, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.sum.equal, 14);
	cairn_select_free(sel);
	free(x.p);
	free(y.p);
}

static void the_limit_counts_on(void **state)
{
	(void)state;
	struct bytes x = letters("abcdefXghijklYmnopqrZstuvwx"),
				 y = letters("abcdefghijklmnopqrstuvwx");
	compare(x, y, (struct cairn_diff_opts){.limit = 1, .context = 3}, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.sum.hunks, 3);
	assert_int_equal(got.sum.only_a, 3);
	free(x.p);
	free(y.p);
}

static int stop(void *user, const struct cairn_diff_hunk *h)
{
	(void)user;
	(void)h;
	return CAIRN_E_CANCELLED;
}

static void the_caller_can_stop(void **state)
{
	(void)state;
	struct bytes x = letters("abcdefX"), y = letters("abcdefgh");
	struct cairn_reader *a = open_bytes(x), *b = open_bytes(y);
	struct cairn_diff_opts o = {.size = sizeof o, .hunk = stop, .threads = 3};
	assert_int_equal(cairn_diff(a, b, &o, NULL), CAIRN_E_CANCELLED);
	assert_int_equal(cairn_diff(a, a, &o, NULL), CAIRN_E_INVAL);
	cairn_close(a);
	cairn_close(b);
	free(x.p);
	free(y.p);
}

/* ---- any pair ---- */

static uint64_t seed = 42;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* A program with loops: short cycles of places, now and then somewhere else. */
static size_t random_rows(struct row *rows, size_t n)
{
	uint32_t base = 0, length = 5, at = 0;
	for (size_t i = 0; i < n; i++) {
		if (rnd(20) == 0) {
			base = rnd(50) * 16;
			length = 2 + rnd(12);
			at = 0;
		}
		rows[i] = (struct row){.pc = 4 * (base + at), .enc = 0x13, .reg = 1 + rnd(3)};
		at = (at + 1) % length;
	}
	return n;
}

static size_t edited(struct row *out, const struct row *in, size_t n, uint32_t edits)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t what = rnd((uint32_t)n) < edits ? 1 + rnd(4) : 0;
		if (what == 1)
			continue;
		if (what == 2)
			k += random_rows(out + k, 1 + rnd(30));
		out[k] = in[i];
		out[k].enc ^= what == 3 ? 0x80 : 0;
		out[k++].reg ^= what == 4 ? 0x80 : 0;
	}
	return k;
}

static bool same_row(const struct row *a, const struct row *b)
{
	return a->pc == b->pc && a->enc == b->enc && a->reg == b->reg;
}

static void makes_b_of_a(const struct row *a, size_t na, const struct row *b, size_t nb)
{
	size_t i = 0, j = 0;
	for (size_t k = 0; k <= got.n; k++) {
		const struct cairn_diff_hunk *h = k < got.n ? &got.h[k] : NULL;
		size_t until = h ? h->a_first - 1 : na;
		for (; i < until; i++, j++)
			assert_true(j < nb && same_row(&a[i], &b[j]));
		if (!h)
			break;
		assert_int_equal(j, h->b_first - 1);
		for (size_t x = 0; h->kind == CAIRN_DIFF_CHANGED && x < h->a_count; x++) {
			assert_int_equal(a[i + x].pc, b[j + x].pc);
			assert_false(same_row(&a[i + x], &b[j + x]));
		}
		i += h->a_count;
		j += h->b_count;
	}
	assert_int_equal(j, nb);
}

static void hunks_make_b_of_a(void **state)
{
	(void)state;
	enum { ROWS = 3000 };
	struct row *a = calloc(ROWS, sizeof *a), *b = calloc(40 * ROWS, sizeof *b);
	for (uint32_t round = 0; round < 150; round++) {
		size_t na = random_rows(a, 1 + rnd(ROWS)), nb = edited(b, a, na, rnd(60));
		struct bytes x = trace(a, na), y = trace(b, nb);
		struct cairn_diff_opts o = {.fields = CAIRN_DIFF_DEFAULT | CAIRN_DIFF_REGS,
		                            .window = 1 + rnd(rnd(2) ? 20 : 2000),
		                            .context = rnd(4),
		                            .rows = 1 + rnd(20)};
		compare(y, x, o, &back);
		o.threads = 1 + round % 3;
		compare(x, y, o, &got);
		makes_b_of_a(a, na, b, nb);
		assert_int_equal(got.sum.equal + got.sum.changed + got.sum.only_a, na);
		assert_int_equal(got.sum.equal + got.sum.changed + got.sum.only_b, nb);
		assert_int_equal(got.sum.hunks, back.sum.hunks);
		assert_int_equal(got.sum.equal, back.sum.equal);
		assert_int_equal(got.sum.only_a, back.sum.only_b);
		free(x.p);
		free(y.p);
	}
	free(a);
	free(b);
}

/* The same records in chunks of seven and in one piece. */
static void batches_cut_differently_are_equal(void **state)
{
	(void)state;
	char dir[] = "/tmp/cairn-diff-XXXXXX", path[64];
	enum { ROWS = 5000 };
	struct row *a = calloc(ROWS, sizeof *a);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/t.zstf", dir);
	random_rows(a, ROWS);
	struct bytes x = trace(a, ROWS);
	struct cairn_stf_write_opts w = {.size = sizeof w, .container = "zstf", .chunk = 7};
	struct cairn_stf_writer *out;
	assert_int_equal(cairn_stf_create(c, path, &w, &out), 0);
	struct cairn_stf_config cfg = {.version_major = 1, .version_minor = 5, .event_bits = 64};
	for (size_t at = 0; at < x.n;) {
		int64_t len = cairn_stf_record_length(&cfg, x.p + at, x.n - at);
		assert_true(len > 0);
		assert_true(cairn_stf_put_record(out, x.p + at, (size_t)len) >= 0);
		at += (size_t)len;
	}
	assert_true(cairn_stf_finish(out) >= 0);
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct cairn_reader *ra = open_bytes(x), *rb;
		struct cairn_diff_sum sum;
		assert_int_equal(cairn_open(c, path, NULL, &rb), 0);
		struct cairn_diff_opts o = {.size = sizeof o, .fields = CAIRN_DIFF_ALL, .threads = threads};
		assert_int_equal(cairn_diff(ra, rb, &o, &sum), 0);
		assert_int_equal(sum.equal, ROWS);
		cairn_close(ra);
		cairn_close(rb);
	}
	unlink(path);
	rmdir(dir);
	free(x.p);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_traces_have_no_hunks),
		cmocka_unit_test(insertions_are_found),
		cmocka_unit_test(deletions_are_found),
		cmocka_unit_test(replaced_rows_are_found),
		cmocka_unit_test(loops_do_not_mislead),
		cmocka_unit_test(beyond_the_window_is_said),
		cmocka_unit_test(changes_name_their_fields),
		cmocka_unit_test(without_pcs_encodings_align),
		cmocka_unit_test(what_is_not_known_is_no_difference),
		cmocka_unit_test(regions_apply_to_both),
		cmocka_unit_test(the_limit_counts_on),
		cmocka_unit_test(the_caller_can_stop),
		cmocka_unit_test(hunks_make_b_of_a),
		cmocka_unit_test(batches_cut_differently_are_equal),
	};
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	cairn_free(c);
	return failed;
}
