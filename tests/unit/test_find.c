/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding against brute force: every row of a trace is judged once, plainly; then the first
 * ones, the last ones and the number of them must be those, with an index and without, on
 * one thread and on three, over and before any place.
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

#include "../stf/tools.h"
#include "cairn/cairn.h"

static struct cairn *c;
static char dir[64], path[128], index_path[160];

static void good(int rc)
{
	if (rc < 0)
		fail_msg("%s", cairn_error_text(c));
}

static uint64_t seed = 99;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static struct cairn_reader *open_it(bool no_index)
{
	struct cairn_reader *reader;
	struct cairn_open_opts opts = {.size = sizeof opts, .no_index = no_index};
	good(cairn_open(c, path, &opts, &reader));
	return reader;
}

enum { N = 200000 };

static void make(const char *name)
{
	struct bytes bytes = {0};
	struct head h = {.vlen = 128, .features = CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64};
	struct cairn_stf_config cfg = config_of(h);
	snprintf(path, sizeof path, "%s/%s", dir, name);
	snprintf(index_path, sizeof index_path, "%s.cai", path);
	head(&bytes, h);
	random_groups(&bytes, &cfg, 17, N);
	/* One at the very end touches what nobody else does. */
	rec(&bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", 0x123456789000ull, 8u, 0u, 2u);
	rec(&bytes, CAIRN_STF_INST_MEM_CONTENT, "q", 7ull);
	insn32(&bytes, NOP);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	fclose(f);
	bytes_free(&bytes);
	good(cairn_index_build(c, path, NULL, NULL));
}

/* ---- what is looked for ---- */

struct question {
	char text[64];
	bool writes, is_reg;
	unsigned num;
	uint64_t first, last;
};

static bool touches(const struct question *question, const struct cairn_batch *batch,
                    uint32_t index)
{
	const struct cairn_insn *in = &batch->insns[index];
	bool ran = !(in->flags & CAIRN_INSN_NOT_EXECUTED);
	for (uint32_t k = in->reg0; k < in[1].reg0 && question->is_reg; k++)
		if (batch->regs[k].cls == CAIRN_REG_INT && batch->regs[k].num == question->num &&
		    batch->regs[k].role == (question->writes ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC) &&
		    (ran || !question->writes))
			return true;
	for (uint32_t k = in->mem0; k < in[1].mem0 && !question->is_reg; k++) {
		const struct cairn_mem *mem = &batch->mems[k];
		bool ours = mem->initiator == CAIRN_BY_INSN;
		if ((mem->flags & CAIRN_VALUE_ADDR_UNKNOWN) || (question->writes && ours && !ran))
			continue;
		if (mem->kind != (question->writes ? CAIRN_MEM_WRITE : CAIRN_MEM_READ))
			continue;
		for (uint64_t x = 0; x < mem->size; x++)
			if (mem->addr + x >= question->first && mem->addr + x <= question->last)
				return true;
	}
	return false;
}

/* Numbers of all that touch it and for which `expr` (n is odd) holds. */
static size_t brute(const struct question *question, bool odd, uint64_t before, uint64_t *out)
{
	struct cairn_reader *reader = open_it(true);
	struct cairn_batch *batch = cairn_batch_new(c);
	size_t n = 0;
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			if ((!question || touches(question, batch, i)) && (!odd || (batch->n0 + i) % 2) &&
			    (!before || batch->n0 + i < before))
				out[n++] = batch->n0 + i;
	cairn_batch_free(c, batch);
	cairn_close(reader);
	return n;
}

static void same(struct cairn_find_opts opts, const uint64_t *all, size_t n)
{
	for (unsigned k = 0; k < 8; k++) {
		struct cairn_reader *reader = open_it(k & 1);
		struct cairn_found found = {.size = sizeof found};
		uint64_t count;
		opts.threads = k & 2 ? 3 : 1;
		opts.last = k >= 4;
		size_t want = opts.most && opts.most < n ? (size_t)opts.most : n;
		good(cairn_find(reader, &opts, &found));
		assert_int_equal(found.n, want);
		if (want)
			assert_memory_equal(found.numbers, all + (opts.last ? n - want : 0),
			                    want * sizeof *all);
		cairn_found_free(c, &found);
		cairn_close(reader);
		reader = open_it(k & 1);
		good(cairn_find_count(reader, &opts, &count));
		assert_int_equal(count, n);
		cairn_close(reader);
	}
}

static void ask(const struct question *question, bool odd)
{
	static uint64_t all[N + 1];
	struct cairn_find_opts opts = {.size = sizeof opts};
	struct cairn_touch *touch;
	struct cairn_select *select = cairn_select_new(c, NULL);
	good(cairn_touch_new(c, question->text, question->writes, NULL, &touch));
	good(cairn_select_where(select, "n & 1"));
	opts.touch = touch;
	opts.select = odd ? select : NULL;
	for (unsigned i = 0; i < 3; i++) {
		opts.before = i ? 1 + rnd(N) : 0;
		opts.most = i ? 1 + rnd(4) : 5000;
		same(opts, all, brute(question, odd, opts.before, all));
	}
	cairn_touch_free(touch);
	cairn_select_free(select);
}

static void touches_are_found(void **state)
{
	struct question question = {.is_reg = true};
	make(*state);
	for (unsigned i = 0; i < 2; i++) {
		question.writes = i;
		question.num = 1 + rnd(31);
		snprintf(question.text, sizeof question.text, "x%u", question.num);
		ask(&question, i);
	}
	question.is_reg = false;
	for (unsigned i = 0; i < 3; i++) {
		question.writes = i > 0;
		question.first = i == 2 ? 0x123456789004u : (uint64_t)rnd(1 << 30) << 30;
		question.last = i == 2 ? question.first + 1 : question.first + ((uint64_t)1 << 54);
		snprintf(question.text, sizeof question.text, "0x%llx-0x%llx",
		         (unsigned long long)question.first, (unsigned long long)question.last);
		ask(&question, false);
	}
}

static void expressions_are_found(void **state)
{
	static uint64_t all[N + 1];
	struct cairn_select *select = cairn_select_new(c, NULL);
	struct cairn_find_opts opts = {.size = sizeof opts, .select = select, .most = 3};
	make(*state);
	good(cairn_select_where(select, "n & 1"));
	same(opts, all, brute(NULL, true, 0, all));
	opts.before = 70001;
	same(opts, all, brute(NULL, true, opts.before, all));
	opts.before = 1; /* nothing */
	same(opts, all, 0);
	cairn_select_free(select);
}

static void places_have_sentences(void **state)
{
	static const char *const bad[] = {"",         "foo",   "0x",     "0x10+0",
	                                  "0x10-0x0", "0x10 ", "0x10+x", "@main"};
	struct cairn_touch *touch;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(cairn_touch_new(c, bad[i], 1, NULL, &touch), CAIRN_E_INVAL);
		assert_null(touch);
		assert_non_null(strstr(cairn_error_text(c), "place"));
	}
}

/* What nobody tells is another answer than nobody. */
static void told_or_not(void **state)
{
	static const struct {
		const char *text;
		int writes, told;
	} asked[] = {{"x5", 1, 1},
	             {"x5", 0, 1} /* by its encoding */,
	             {"0x1000", 1, 0},
	             {"0x1000", 0, 0}};
	struct bytes bytes = {0};
	struct cairn_reader *reader;
	(void)state;
	head(&bytes, (struct head){.features = CAIRN_STF_F_RV64});
	reg(&bytes, 6, 1, 3, 7);
	insn32(&bytes, NOP);
	good(cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader));
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct cairn_touch *touch;
		good(cairn_touch_new(c, asked[i].text, asked[i].writes, NULL, &touch));
		assert_int_equal(cairn_touch_told(reader, touch), asked[i].told);
		cairn_touch_free(touch);
	}
	cairn_close(reader);
	bytes_free(&bytes);
}

static int tidy(void **state)
{
	(void)state;
	unlink(path);
	unlink(index_path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate_setup_teardown(touches_are_found, NULL, tidy,
	                                             (void *)(uintptr_t) "a.stf"),
		cmocka_unit_test_prestate_setup_teardown(expressions_are_found, NULL, tidy,
	                                             (void *)(uintptr_t) "b.stf"),
		cmocka_unit_test(places_have_sentences),
		cmocka_unit_test(told_or_not),
	};
	strcpy(dir, "/tmp/cairn-find-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	cairn_free(c);
	rmdir(dir);
	return failed;
}
