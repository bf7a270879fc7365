/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule engine with rules of its own: by batches and by records; held findings, limits,
 * order, damage, what is fed in the same pass, and the set it offers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "check/check.h"
#include "check/list.h"
#include "formats/stf/stf.h"

enum { RULE_DAMAGE, RULE_ODD, RULE_HELD, RULE_END, RULES };
static const struct cairn_rule rules[RULES] = {
	{"t.damage", "clause 1", "nothing is damaged", CAIRN_ERROR},
	{"t.odd", "clause 2", "no instruction is odd", CAIRN_WARNING},
	{"t.held", "clause 3", "seventh instructions, if there is a tenth", CAIRN_ERROR},
	{"t.end", "clause 4", "the trace ends", CAIRN_NOTE}};
enum { COND_TENTH };

static struct check_place place(uint64_t insn)
{
	return (struct check_place){.insn = insn,
	                            .line = insn,
	                            .known = CAIRN_PLACE_INSN | CAIRN_PLACE_LINE};
}

static void judge(struct check_part *p, uint64_t n)
{
	struct check_place at = place(n);
	if (n % 2)
		check_add(p, RULE_ODD, &at, "%d is odd", (int)n);
	if (n == 7)
		check_hold(p, COND_TENTH, RULE_HELD, &at, "the seventh");
	if (n == 10)
		check_meet(p, COND_TENTH);
}

static int by_batch(struct cairn_reader *r, const void *state, struct model_span *s,
                    struct check_part *p)
{
	struct cairn_batch *b = cairn_batch_new(r->c);
	int rc;
	(void)state;
	assert_non_null(b);
	while ((rc = r->format->decode(r, s, b)) > 0)
		for (uint32_t i = 0; i < b->n_insns; i++)
			judge(p, b->n0 + i);
	cairn_batch_free(r->c, b);
	return rc;
}

static int by_record(struct cairn_reader *r, const void *state, struct model_span *s,
                     struct check_part *p)
{
	struct cairn_record rec;
	int rc;
	(void)state;
	while ((rc = r->format->record(r, s, &rec)) > 0)
		if (rec.type == CAIRN_STF_INST_32)
			judge(p, rec.insn);
	return rc;
}

static int at_end(struct cairn_reader *r, void *state, struct check_part *p)
{
	static const struct check_place nowhere;
	(void)r;
	(void)state;
	check_add(p, RULE_END, &nowhere, "it ends");
	return 0;
}

/* A trace of `n` no-ops. */
static uint8_t *make(unsigned n, size_t *size)
{
	static const uint8_t head[] = {1, 'S', 'T', 'F', 2, 1, 0,    0,    0, 6, 0, 0, 0,
	                               4, 1,   0,   5,   2, 0, 7,    0x20, 0, 8, 0, 0, 0,
	                               0, 0,   9,   0,   0, 0, 0x80, 0,    0, 0, 0, 19};
	static const uint8_t nop[] = {240, 0x13, 0, 0, 0};
	uint8_t *p = malloc(sizeof head + n * sizeof nop);
	assert_non_null(p);
	memcpy(p, head, sizeof head);
	for (unsigned i = 0; i < n; i++)
		memcpy(p + sizeof head + i * sizeof nop, nop, sizeof nop);
	*size = sizeof head + n * sizeof nop;
	return p;
}

struct got {
	char text[1 << 16];
	size_t n;
	unsigned count;
	int stop_after;
};

static int take(void *user, const struct cairn_finding *f)
{
	struct got *g = user;
	g->count++;
	if (g->n + 128 < sizeof g->text)
		g->n += (size_t)snprintf(g->text + g->n, sizeof g->text - g->n, "%s %llu %s\n", f->rule->id,
		                         (unsigned long long)f->insn, f->message);
	return g->stop_after && (int)g->count == g->stop_after ? CAIRN_E_CANCELLED : 0;
}

static int run(const struct check_rules *own, const uint8_t *p, size_t n, unsigned threads,
               uint64_t most, struct got *g, struct cairn_check_result *res)
{
	struct model_format f = stf_format;
	struct cairn *c = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = most,
	                                .finding = take,
	                                .user = g};
	struct io_source *io;
	struct cairn_reader *r;
	f.rules = own;
	assert_int_equal(io_open_memory(c, p, n, &io), 0);
	assert_int_equal(model_reader_new(c, &f, io, "", &open, &r), 0);
	int rc = cairn_check(r, &opts, res);
	cairn_close(r);
	cairn_free(c);
	return rc;
}

static const struct check_rules batches = {.rules = rules,
                                           .n = RULES,
                                           .damage = RULE_DAMAGE,
                                           .span = by_batch,
                                           .end = at_end};
static const struct check_rules records = {.rules = rules,
                                           .n = RULES,
                                           .damage = RULE_DAMAGE,
                                           .span = by_record,
                                           .end = at_end};

static void batches_and_records_tell_the_same(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(50000, &n);
	static struct got a, b;
	struct cairn_check_result ra, rb;
	for (unsigned threads = 1; threads <= 3; threads++) {
		memset(&a, 0, sizeof a);
		memset(&b, 0, sizeof b);
		assert_int_equal(run(&batches, p, n, threads, 0, &a, &ra), 0);
		assert_int_equal(run(&records, p, n, threads, 0, &b, &rb), 0);
		assert_string_equal(a.text, b.text);
		assert_int_equal(a.count, 102); /* a hundred odd ones, the seventh, the end */
		assert_int_equal(ra.warnings, 25000);
		assert_int_equal(ra.errors, 1);
		assert_int_equal(ra.notes, 1);
		assert_memory_equal(ra.by_rule, rb.by_rule, sizeof ra.by_rule);
	}
	assert_non_null(strstr(a.text, "t.end 0 it ends\nt.odd 1 1 is odd\nt.odd 3"));
	assert_non_null(strstr(a.text, "t.odd 7 7 is odd\nt.held 7 the seventh\n"));
	free(p);
}

static void what_is_held_is_dropped_when_its_condition_is_never_met(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(9, &n);
	static struct got g;
	struct cairn_check_result res;
	assert_int_equal(run(&batches, p, n, 2, 0, &g, &res), 0);
	assert_int_equal(res.by_rule[RULE_HELD], 0);
	assert_null(strstr(g.text, "t.held"));
	free(p);
}

static void a_limit_is_kept_and_none_is_none(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(1000, &n);
	static struct got g;
	struct cairn_check_result res;
	assert_int_equal(run(&batches, p, n, 2, 3, &g, &res), 0);
	assert_int_equal(g.count, 5);
	memset(&g, 0, sizeof g);
	assert_int_equal(run(&batches, p, n, 2, UINT64_MAX, &g, &res), 0);
	assert_int_equal(g.count, 502);
	assert_int_equal(res.by_rule[RULE_ODD], 500);
	free(p);
}

static void the_caller_can_end_it(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(1000, &n);
	static struct got g;
	struct cairn_check_result res;
	g.stop_after = 4;
	assert_int_equal(run(&batches, p, n, 2, 0, &g, &res), CAIRN_E_CANCELLED);
	assert_int_equal(g.count, 4);
	free(p);
}

static void damage_is_a_finding(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(20, &n);
	static struct got g;
	struct cairn_check_result res;
	p[n - 5] = 0x77;
	assert_int_equal(run(&batches, p, n, 1, 0, &g, &res), 0);
	assert_int_equal(res.by_rule[RULE_DAMAGE], 1);
	assert_non_null(strstr(g.text, "no record has descriptor 0x77"));
	free(p);
}

static void what_cannot_be_opened_is_a_finding_and_cannot_be_read(void **state)
{
	(void)state;
	static const uint8_t broken[36] = "ZSTF\001\0\0\0\0\0\0\0\034\0\0\0\0\0\0\0garbage!";
	static struct got g;
	struct cairn_check_result res;
	assert_int_equal(run(&batches, broken, sizeof broken, 1, 0, &g, &res), 0);
	assert_int_equal(res.errors, 1);
	assert_int_equal(res.by_rule[RULE_DAMAGE], 1);

	struct cairn *c = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1};
	struct cairn_batch *b = cairn_batch_new(c);
	struct cairn_tally t;
	struct cairn_record rec;
	const struct cairn_info *info;
	struct cairn_reader *r;
	assert_int_equal(cairn_open_memory(c, broken, sizeof broken, &open, &r), 0);
	assert_int_equal(cairn_next(r, b), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_next_record(r, &rec), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_count(r, 2, &t), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_seek(r, 1), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_reader_info(r, &info), CAIRN_E_DAMAGED);
	cairn_close(r);
	open.lenient = 0;
	assert_true(cairn_open_memory(c, broken, sizeof broken, &open, &r) < 0);
	cairn_batch_free(c, b);
	cairn_free(c);
}

static void a_format_without_rules_is_not_judged(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(1, &n);
	static struct got g;
	struct cairn_check_result res;
	assert_int_equal(run(NULL, p, n, 1, 0, &g, &res), CAIRN_E_UNSUPPORTED);
	free(p);
}

static void the_set_has_what_was_added(void **state)
{
	(void)state;
	struct cairn *c = cairn_new(NULL);
	struct check_set s;
	check_set_init(&s, c);
	assert_false(check_set_has(&s, 0));
	for (uint64_t i = 0; i < 10000; i++) {
		assert_int_equal(check_set_add(&s, i * i * 977), 1);
		assert_int_equal(check_set_add(&s, i * i * 977), 0);
	}
	for (uint64_t i = 0; i < 10000; i++) {
		assert_true(check_set_has(&s, i * i * 977));
		assert_false(check_set_has(&s, i * i * 977 + 1));
	}
	assert_int_equal(check_set_add(&s, UINT64_MAX), 1);
	assert_true(check_set_has(&s, UINT64_MAX));
	check_set_free(&s);
	cairn_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_and_records_tell_the_same),
		cmocka_unit_test(what_is_held_is_dropped_when_its_condition_is_never_met),
		cmocka_unit_test(a_limit_is_kept_and_none_is_none),
		cmocka_unit_test(the_caller_can_end_it),
		cmocka_unit_test(damage_is_a_finding),
		cmocka_unit_test(what_cannot_be_opened_is_a_finding_and_cannot_be_read),
		cmocka_unit_test(a_format_without_rules_is_not_judged),
		cmocka_unit_test(the_set_has_what_was_added),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
