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

static void put(struct bytes *bytes, const void *p, size_t n)
{
	if (bytes->n + n > bytes->cap) {
		bytes->cap = 2 * (bytes->n + n);
		bytes->p = realloc(bytes->p, bytes->cap);
		assert_non_null(bytes->p);
	}
	memcpy(bytes->p + bytes->n, p, n);
	bytes->n += n;
}

static void put_le(struct bytes *bytes, uint64_t value, unsigned n)
{
	uint8_t raw[8];
	for (unsigned i = 0; i < n; i++)
		raw[i] = (uint8_t)(value >> 8 * i);
	put(bytes, raw, n);
}

static struct bytes header(void)
{
	struct bytes bytes = {0};
	put(&bytes, "\001STF\002", 5);
	put_le(&bytes, 1, 4);
	put_le(&bytes, 5, 4);
	put(&bytes, "\004\001\000\005\002\000\023", 7); /* RISC-V, RV64, END_HEADER */
	return bytes;
}

static void put_reg(struct bytes *bytes, unsigned num, unsigned role, uint64_t value)
{
	put_le(bytes, 40, 1);
	put_le(bytes, num, 2);
	put_le(bytes, role << 4 | CAIRN_REG_INT, 1);
	put_le(bytes, value, 8);
}

static struct bytes trace(const struct row *rows, size_t n)
{
	struct bytes bytes = header();
	for (size_t i = 0; i < n; i++) {
		put_le(&bytes, CAIRN_STF_FORCE_PC, 1);
		put_le(&bytes, rows[i].pc, 8);
		if (rows[i].reg)
			put_reg(&bytes, 5, CAIRN_ROLE_DST, rows[i].reg);
		put_le(&bytes, CAIRN_STF_INST_32, 1);
		put_le(&bytes, rows[i].enc, 4);
	}
	return bytes;
}

static struct bytes letters(const char *text)
{
	size_t n = strlen(text);
	struct row *rows = calloc(n + 1, sizeof *rows);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct row){.pc = (uint32_t)text[i] * 4, .enc = 0x13};
	struct bytes bytes = trace(rows, n);
	free(rows);
	return bytes;
}

/* ---- comparing ---- */

enum { MOST = 4096 };

struct got {
	size_t n;
	struct cairn_diff_hunk hunk[MOST];
	struct cairn_diff_sum sum;
	int answer;
	uint32_t n_rows;
};

static void check_rows(const struct cairn_diff_row *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_batch *batch = rows[i].batch;
		assert_non_null(batch);
		assert_int_equal(batch->n_insns, 1);
		assert_true(rows[i].a == batch->n0 || rows[i].b == batch->n0);
		assert_int_equal(batch->insns[1].reg0, batch->n_regs);
		assert_int_equal(batch->insns[2].ev0, batch->n_events);
	}
}

static int take(void *user, const struct cairn_diff_hunk *hunk)
{
	struct got *g = user;
	check_rows(hunk->before, hunk->n_before);
	check_rows(hunk->a, hunk->n_a);
	check_rows(hunk->b, hunk->n_b);
	check_rows(hunk->after, hunk->n_after);
	for (uint32_t i = 0; i < hunk->n_before; i++)
		assert_int_equal(hunk->before[i].a, hunk->a_first - hunk->n_before + i);
	for (uint32_t i = 0; i < hunk->n_after; i++)
		assert_int_equal(hunk->after[i].b, hunk->b_first + hunk->b_count + i);
	assert_true(g->n < MOST);
	g->n_rows += hunk->n_a + hunk->n_b;
	g->hunk[g->n++] = *hunk;
	return 0;
}

static struct cairn_reader *open_bytes(struct bytes bytes)
{
	struct cairn_reader *reader;
	assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader), 0);
	return reader;
}

static void compare(struct bytes left, struct bytes right, struct cairn_diff_opts opts,
                    struct got *g)
{
	struct cairn_reader *ra = open_bytes(left), *rb = open_bytes(right);
	memset(g, 0, sizeof *g);
	opts.size = sizeof opts;
	opts.hunk = take;
	opts.user = g;
	g->sum.size = sizeof g->sum;
	g->answer = cairn_diff(ra, rb, &opts, &g->sum);
	assert_true(g->answer >= 0);
	assert_int_equal(g->answer, g->sum.hunks > 0);
	cairn_close(ra);
	cairn_close(rb);
}

static struct got got, back;

/* Letters against letters; the number of hunks and the sums. */
static void expect_opts(const char *a, const char *b, size_t hunks, uint64_t only_a,
                        uint64_t only_b, struct cairn_diff_opts opts)
{
	struct bytes x = letters(a), y = letters(b);
	compare(x, y, opts, &got);
	compare(y, x, opts, &back);
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
	assert_int_equal(got.hunk[0].a_first, a);
	assert_int_equal(got.hunk[0].a_count, na);
	assert_int_equal(got.hunk[0].b_first, b);
	assert_int_equal(got.hunk[0].b_count, nb);
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
	assert_int_equal(got.hunk[0].n_before, 3);
	assert_int_equal(got.hunk[0].n_after, 3);
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
	struct bytes bytes = trace(rows, k);
	free(rows);
	return bytes;
}

static void beyond_the_window_is_said(void **state)
{
	(void)state;
	struct bytes all = numbers(20000, 0, 0), some = numbers(20000, 5000, 3000);
	compare(all, some, (struct cairn_diff_opts){.window = 3000, .context = 3}, &got);
	assert_int_equal(got.n, 1);
	assert_false(got.hunk[0].lost);
	assert_int_equal(got.sum.only_a, 3000);
	assert_int_equal(got.sum.only_b, 0);
	assert_int_equal(got.hunk[0].n_a, 16);
	first_hunk_is(5001, 3000, 5001, 0);
	compare(all, some, (struct cairn_diff_opts){.window = 2999}, &got);
	assert_int_equal(got.n, 1);
	assert_true(got.hunk[0].lost);
	assert_int_equal(got.sum.equal + got.sum.only_a, 20000);
	assert_int_equal(got.sum.equal + got.sum.only_b, 17000);
	free(all.p);
	free(some.p);
}

static void changes_name_their_fields(void **state)
{
	(void)state;
	struct row left[40], right[40];
	for (uint32_t i = 0; i < 40; i++)
		left[i] = right[i] = (struct row){.pc = 4 * i, .enc = 0x13, .reg = i + 1};
	right[10].enc = 0x93;
	right[20].reg = 77;
	struct bytes x = trace(left, 40), y = trace(right, 40);
	compare(x, y, (struct cairn_diff_opts){.context = 3}, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.hunk[0].kind, CAIRN_DIFF_CHANGED);
	assert_int_equal(got.hunk[0].fields, CAIRN_DIFF_ENCODING);
	first_hunk_is(11, 1, 11, 1);
	uint32_t regs = CAIRN_DIFF_DEFAULT | CAIRN_DIFF_REGS;
	compare(x, y, (struct cairn_diff_opts){.fields = regs}, &got);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.hunk[1].fields, CAIRN_DIFF_REGS);
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
	struct row left[60], right[61];
	for (uint32_t i = 0; i < 60; i++) {
		left[i] = (struct row){.pc = 4 * i, .enc = 0x13 | i << 20};
		right[i + (i >= 30)] = (struct row){.pc = 0x8000 + 4 * i, .enc = 0x13 | i << 20};
	}
	right[30] = (struct row){.pc = 0x9000, .enc = 0x73};
	struct bytes x = trace(left, 60), y = trace(right, 61);
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
	struct cairn_diff_opts opts = {.fields = CAIRN_DIFF_ALL & ~(uint32_t)CAIRN_DIFF_EVENTS};
	compare(x, y, opts, &got);
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

static int stop(void *user, const struct cairn_diff_hunk *hunk)
{
	(void)user;
	(void)hunk;
	return CAIRN_E_CANCELLED;
}

static void the_caller_can_stop(void **state)
{
	(void)state;
	struct bytes x = letters("abcdefX"), y = letters("abcdefgh");
	struct cairn_reader *left = open_bytes(x), *right = open_bytes(y);
	struct cairn_diff_opts opts = {.size = sizeof opts, .hunk = stop, .threads = 3};
	assert_int_equal(cairn_diff(left, right, &opts, NULL), CAIRN_E_CANCELLED);
	assert_int_equal(cairn_diff(left, left, &opts, NULL), CAIRN_E_INVAL);
	cairn_close(left);
	cairn_close(right);
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

static bool same_row(const struct row *left, const struct row *right)
{
	return left->pc == right->pc && left->enc == right->enc && left->reg == right->reg;
}

static void makes_b_of_a(const struct row *left, size_t na, const struct row *right, size_t nb)
{
	size_t i = 0, j = 0;
	for (size_t k = 0; k <= got.n; k++) {
		const struct cairn_diff_hunk *hunk = k < got.n ? &got.hunk[k] : NULL;
		size_t until = hunk ? hunk->a_first - 1 : na;
		for (; i < until; i++, j++)
			assert_true(j < nb && same_row(&left[i], &right[j]));
		if (!hunk)
			break;
		assert_int_equal(j, hunk->b_first - 1);
		for (size_t x = 0; hunk->kind == CAIRN_DIFF_CHANGED && x < hunk->a_count; x++) {
			assert_int_equal(left[i + x].pc, right[j + x].pc);
			assert_false(same_row(&left[i + x], &right[j + x]));
		}
		i += hunk->a_count;
		j += hunk->b_count;
	}
	assert_int_equal(j, nb);
}

static void hunks_make_b_of_a(void **state)
{
	(void)state;
	enum { ROWS = 3000 };
	struct row *left = calloc(ROWS, sizeof *left), *right = calloc(40 * ROWS, sizeof *right);
	for (uint32_t round = 0; round < 150; round++) {
		size_t na = random_rows(left, 1 + rnd(ROWS)), nb = edited(right, left, na, rnd(60));
		struct bytes x = trace(left, na), y = trace(right, nb);
		struct cairn_diff_opts opts = {.fields = CAIRN_DIFF_DEFAULT | CAIRN_DIFF_REGS,
		                               .window = 1 + rnd(rnd(2) ? 20 : 2000),
		                               .context = rnd(4),
		                               .rows = 1 + rnd(20)};
		compare(y, x, opts, &back);
		opts.threads = 1 + round % 3;
		compare(x, y, opts, &got);
		makes_b_of_a(left, na, right, nb);
		assert_int_equal(got.sum.equal + got.sum.changed + got.sum.only_a, na);
		assert_int_equal(got.sum.equal + got.sum.changed + got.sum.only_b, nb);
		assert_int_equal(got.sum.hunks, back.sum.hunks);
		assert_int_equal(got.sum.equal, back.sum.equal);
		assert_int_equal(got.sum.only_a, back.sum.only_b);
		free(x.p);
		free(y.p);
	}
	free(left);
	free(right);
}

/* The same records in chunks of seven and in one piece. */
static void batches_cut_differently_are_equal(void **state)
{
	(void)state;
	char dir[] = "/tmp/cairn-diff-XXXXXX", path[64];
	enum { ROWS = 5000 };
	struct row *row = calloc(ROWS, sizeof *row);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/t.zstf", dir);
	random_rows(row, ROWS);
	struct bytes bytes = trace(row, ROWS);
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .container = "zstf", .chunk = 7};
	struct cairn_stf_writer *out;
	assert_int_equal(cairn_stf_create(c, path, &opts, &out), 0);
	struct cairn_stf_config cfg = {.version_major = 1, .version_minor = 5, .event_bits = 64};
	for (size_t at = 0; at < bytes.n;) {
		int64_t len = cairn_stf_record_length(&cfg, bytes.p + at, bytes.n - at);
		assert_true(len > 0);
		assert_true(cairn_stf_put_record(out, bytes.p + at, (size_t)len) >= 0);
		at += (size_t)len;
	}
	assert_true(cairn_stf_finish(out) >= 0);
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct cairn_reader *ra = open_bytes(bytes), *rb;
		struct cairn_diff_sum sum = {.size = sizeof sum};
		assert_int_equal(cairn_open(c, path, NULL, &rb), 0);
		struct cairn_diff_opts o = {.size = sizeof o, .fields = CAIRN_DIFF_ALL, .threads = threads};
		assert_int_equal(cairn_diff(ra, rb, &o, &sum), 0);
		assert_int_equal(sum.equal, ROWS);
		cairn_close(ra);
		cairn_close(rb);
	}
	unlink(path);
	rmdir(dir);
	free(bytes.p);
	free(row);
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
