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

static void judge(struct check_part *part, uint64_t n)
{
	struct check_place at = place(n);
	if (n % 2)
		check_add(part, RULE_ODD, &at, "%d is odd", (int)n);
	if (n == 7)
		check_hold(part, COND_TENTH, RULE_HELD, &at, "the seventh");
	if (n == 10)
		check_meet(part, COND_TENTH);
}

static int by_batch(struct cairn_reader *reader, const void *state, struct model_span *span,
                    struct check_part *part)
{
	struct cairn_batch *batch = cairn_batch_new(reader->cairn);
	int rc;
	(void)state;
	assert_non_null(batch);
	while ((rc = reader->format->decode(reader, span, batch)) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			judge(part, batch->n0 + i);
	cairn_batch_free(reader->cairn, batch);
	return rc;
}

static int by_record(struct cairn_reader *reader, const void *state, struct model_span *span,
                     struct check_part *part)
{
	struct cairn_record rec;
	int rc;
	(void)state;
	while ((rc = reader->format->record(reader, span, &rec)) > 0)
		if (rec.type == CAIRN_STF_INST_32)
			judge(part, rec.insn);
	return rc;
}

static int at_end(struct cairn_reader *reader, void *state, struct check_part *part)
{
	static const struct check_place nowhere;
	(void)reader;
	(void)state;
	check_add(part, RULE_END, &nowhere, "it ends");
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

static int take(void *user, const struct cairn_finding *finding)
{
	struct got *got = user;
	got->count++;
	if (got->n + 128 < sizeof got->text)
		got->n += (size_t)snprintf(got->text + got->n, sizeof got->text - got->n, "%s %llu %s\n",
		                           finding->rule->id, (unsigned long long)finding->insn,
		                           finding->message);
	return got->stop_after && (int)got->count == got->stop_after ? CAIRN_E_CANCELLED : 0;
}

static int run(const struct check_rules *own, const uint8_t *p, size_t n, unsigned threads,
               uint64_t most, struct got *got, struct cairn_check_result *res)
{
	struct model_format format = stf_format;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = most,
	                                .finding = take,
	                                .user = got};
	struct io_source *io;
	struct cairn_reader *reader;
	format.rules = own;
	assert_int_equal(io_open_memory(cairn, p, n, &io), 0);
	assert_int_equal(model_reader_new(cairn, &format, io, "", &open, &reader), 0);
	int rc = cairn_check(reader, &opts, res);
	cairn_close(reader);
	cairn_free(cairn);
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
	static struct got left, right;
	struct cairn_check_result ra = {.size = sizeof ra}, rb = {.size = sizeof rb};
	for (unsigned threads = 1; threads <= 3; threads++) {
		memset(&left, 0, sizeof left);
		memset(&right, 0, sizeof right);
		assert_int_equal(run(&batches, p, n, threads, 0, &left, &ra), 0);
		assert_int_equal(run(&records, p, n, threads, 0, &right, &rb), 0);
		assert_string_equal(left.text, right.text);
		assert_int_equal(left.count, 102); /* a hundred odd ones, the seventh, the end */
		assert_int_equal(ra.warnings, 25000);
		assert_int_equal(ra.errors, 1);
		assert_int_equal(ra.notes, 1);
		assert_memory_equal(ra.by_rule, rb.by_rule, sizeof ra.by_rule);
	}
	assert_non_null(strstr(left.text, "t.end 0 it ends\nt.odd 1 1 is odd\nt.odd 3"));
	assert_non_null(strstr(left.text, "t.odd 7 7 is odd\nt.held 7 the seventh\n"));
	free(p);
}

static void what_is_held_is_dropped_when_its_condition_is_never_met(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(9, &n);
	static struct got got;
	struct cairn_check_result res = {.size = sizeof res};
	assert_int_equal(run(&batches, p, n, 2, 0, &got, &res), 0);
	assert_int_equal(res.by_rule[RULE_HELD], 0);
	assert_null(strstr(got.text, "t.held"));
	free(p);
}

static void a_limit_is_kept_and_none_is_none(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(1000, &n);
	static struct got got;
	struct cairn_check_result res = {.size = sizeof res};
	assert_int_equal(run(&batches, p, n, 2, 3, &got, &res), 0);
	assert_int_equal(got.count, 5);
	memset(&got, 0, sizeof got);
	assert_int_equal(run(&batches, p, n, 2, UINT64_MAX, &got, &res), 0);
	assert_int_equal(got.count, 502);
	assert_int_equal(res.by_rule[RULE_ODD], 500);
	free(p);
}

static void the_caller_can_end_it(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(1000, &n);
	static struct got got;
	struct cairn_check_result res = {.size = sizeof res};
	got.stop_after = 4;
	assert_int_equal(run(&batches, p, n, 2, 0, &got, &res), CAIRN_E_CANCELLED);
	assert_int_equal(got.count, 4);
	free(p);
}

/* A check that was cancelled stays so, whatever is done with the answer of its part. */
static void what_ended_a_part_is_told_at_the_end(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(1000, &n);
	volatile int cancel = 0;
	struct cairn_opts shared = {.size = sizeof shared, .cancel = &cancel};
	struct cairn *cairn = cairn_new(&shared);
	struct cairn_check_opts opts = {.size = sizeof opts};
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_checking *checking;
	struct cairn_reader *reader;
	assert_int_equal(cairn_open_memory(cairn, p, n, NULL, &reader), 0);
	assert_int_equal(cairn_check_begin(cairn, &opts, &res, &checking), 0);
	cancel = 1;
	assert_int_equal(cairn_check_part(checking, reader), CAIRN_E_CANCELLED);
	assert_int_equal(cairn_check_end(checking), CAIRN_E_CANCELLED);
	cairn_close(reader);
	cairn_free(cairn);
	free(p);
}

static void damage_is_a_finding(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(20, &n);
	static struct got got;
	struct cairn_check_result res = {.size = sizeof res};
	p[n - 5] = 0x77;
	assert_int_equal(run(&batches, p, n, 1, 0, &got, &res), 0);
	assert_int_equal(res.by_rule[RULE_DAMAGE], 1);
	assert_non_null(strstr(got.text, "no record has descriptor 0x77"));
	free(p);
}

static void what_cannot_be_opened_is_a_finding_and_cannot_be_read(void **state)
{
	(void)state;
	static const uint8_t broken[36] = "ZSTF\001\0\0\0\0\0\0\0\034\0\0\0\0\0\0\0garbage!";
	static struct got got;
	struct cairn_check_result res = {.size = sizeof res};
	assert_int_equal(run(&batches, broken, sizeof broken, 1, 0, &got, &res), 0);
	assert_int_equal(res.errors, 1);
	assert_int_equal(res.by_rule[RULE_DAMAGE], 1);

	struct cairn *cairn = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_record rec;
	const struct cairn_info *info;
	struct cairn_reader *reader;
	assert_int_equal(cairn_open_memory(cairn, broken, sizeof broken, &open, &reader), 0);
	assert_int_equal(cairn_next(reader, batch), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_next_record(reader, &rec), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_count(reader, 2, &tally), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_seek(reader, 1), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_reader_info(reader, &info), CAIRN_E_DAMAGED);
	cairn_close(reader);
	open.lenient = 0;
	assert_true(cairn_open_memory(cairn, broken, sizeof broken, &open, &reader) < 0);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

static void a_format_without_rules_is_not_judged(void **state)
{
	(void)state;
	size_t n;
	uint8_t *p = make(1, &n);
	static struct got got;
	struct cairn_check_result res = {.size = sizeof res};
	assert_int_equal(run(NULL, p, n, 1, 0, &got, &res), CAIRN_E_UNSUPPORTED);
	free(p);
}

static void the_set_has_what_was_added(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	struct check_set set;
	check_set_init(&set, cairn);
	assert_false(check_set_has(&set, 0));
	for (uint64_t i = 0; i < 10000; i++) {
		assert_int_equal(check_set_add(&set, i * i * 977), 1);
		assert_int_equal(check_set_add(&set, i * i * 977), 0);
	}
	for (uint64_t i = 0; i < 10000; i++) {
		assert_true(check_set_has(&set, i * i * 977));
		assert_false(check_set_has(&set, i * i * 977 + 1));
	}
	assert_int_equal(check_set_add(&set, UINT64_MAX), 1);
	assert_true(check_set_has(&set, UINT64_MAX));
	check_set_free(&set);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_and_records_tell_the_same),
		cmocka_unit_test(what_is_held_is_dropped_when_its_condition_is_never_met),
		cmocka_unit_test(a_limit_is_kept_and_none_is_none),
		cmocka_unit_test(the_caller_can_end_it),
		cmocka_unit_test(what_ended_a_part_is_told_at_the_end),
		cmocka_unit_test(damage_is_a_finding),
		cmocka_unit_test(what_cannot_be_opened_is_a_finding_and_cannot_be_read),
		cmocka_unit_test(a_format_without_rules_is_not_judged),
		cmocka_unit_test(the_set_has_what_was_added),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
