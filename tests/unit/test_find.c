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
	struct cairn_reader *r;
	struct cairn_open_opts o = {.size = sizeof o, .no_index = no_index};
	good(cairn_open(c, path, &o, &r));
	return r;
}

enum { N = 200000 };

static void make(const char *name)
{
	struct bytes b = {0};
	struct head h = {.vlen = 128, .features = CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64};
	struct cairn_stf_config cfg = config_of(h);
	snprintf(path, sizeof path, "%s/%s", dir, name);
	snprintf(index_path, sizeof index_path, "%s.cai", path);
	head(&b, h);
	random_groups(&b, &cfg, 17, N);
	/* One at the very end touches what nobody else does. */
	rec(&b, CAIRN_STF_INST_MEM_ACCESS, "qhhb", 0x123456789000ull, 8u, 0u, 2u);
	rec(&b, CAIRN_STF_INST_MEM_CONTENT, "q", 7ull);
	insn32(&b, NOP);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b.p, 1, b.n, f), b.n);
	fclose(f);
	bytes_free(&b);
	good(cairn_index_build(c, path, NULL, NULL));
}

/* ---- what is looked for ---- */

struct question {
	char text[64];
	bool writes, is_reg;
	unsigned num;
	uint64_t first, last;
};

static bool touches(const struct question *q, const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *in = &b->insns[i];
	bool ran = !(in->flags & CAIRN_INSN_NOT_EXECUTED);
	for (uint32_t k = in->reg0; k < in[1].reg0 && q->is_reg; k++)
		if (b->regs[k].cls == CAIRN_REG_INT && b->regs[k].num == q->num &&
		    b->regs[k].role == (q->writes ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC) && (ran || !q->writes))
			return true;
	for (uint32_t k = in->mem0; k < in[1].mem0 && !q->is_reg; k++) {
		const struct cairn_mem *m = &b->mems[k];
		bool ours = m->initiator == CAIRN_BY_INSN;
		if ((m->flags & CAIRN_VALUE_ADDR_UNKNOWN) || (q->writes && ours && !ran))
			continue;
		if (m->kind != (q->writes ? CAIRN_MEM_WRITE : CAIRN_MEM_READ))
			continue;
		for (uint64_t x = 0; x < m->size; x++)
			if (m->addr + x >= q->first && m->addr + x <= q->last)
				return true;
	}
	return false;
}

/* Numbers of all that touch it and for which `expr` (n is odd) holds. */
static size_t brute(const struct question *q, bool odd, uint64_t before, uint64_t *out)
{
	struct cairn_reader *r = open_it(true);
	struct cairn_batch *b = cairn_batch_new(c);
	size_t n = 0;
	while (cairn_next(r, b) > 0)
		for (uint32_t i = 0; i < b->n_insns; i++)
			if ((!q || touches(q, b, i)) && (!odd || (b->n0 + i) % 2) &&
			    (!before || b->n0 + i < before))
				out[n++] = b->n0 + i;
	cairn_batch_free(c, b);
	cairn_close(r);
	return n;
}

static void same(struct cairn_find_opts o, const uint64_t *all, size_t n)
{
	for (unsigned k = 0; k < 8; k++) {
		struct cairn_reader *r = open_it(k & 1);
		struct cairn_found f;
		uint64_t count;
		o.threads = k & 2 ? 3 : 1;
		o.last = k >= 4;
		size_t want = o.most && o.most < n ? (size_t)o.most : n;
		good(cairn_find(r, &o, &f));
		assert_int_equal(f.n, want);
		if (want)
			assert_memory_equal(f.numbers, all + (o.last ? n - want : 0), want * sizeof *all);
		cairn_found_free(c, &f);
		cairn_close(r);
		r = open_it(k & 1);
		good(cairn_find_count(r, &o, &count));
		assert_int_equal(count, n);
		cairn_close(r);
	}
}

static void ask(const struct question *q, bool odd)
{
	static uint64_t all[N + 1];
	struct cairn_find_opts o = {.size = sizeof o};
	struct cairn_touch *t;
	struct cairn_select *s = cairn_select_new(c, NULL);
	good(cairn_touch_new(c, q->text, q->writes, NULL, &t));
	good(cairn_select_where(s, "n & 1"));
	o.touch = t;
	o.select = odd ? s : NULL;
	for (unsigned i = 0; i < 3; i++) {
		o.before = i ? 1 + rnd(N) : 0;
		o.most = i ? 1 + rnd(4) : 5000;
		same(o, all, brute(q, odd, o.before, all));
	}
	cairn_touch_free(t);
	cairn_select_free(s);
}

static void touches_are_found(void **state)
{
	struct question q = {.is_reg = true};
	make(*state);
	for (unsigned i = 0; i < 2; i++) {
		q.writes = i;
		q.num = 1 + rnd(31);
		snprintf(q.text, sizeof q.text, "x%u", q.num);
		ask(&q, i);
	}
	q.is_reg = false;
	for (unsigned i = 0; i < 3; i++) {
		q.writes = i > 0;
		q.first = i == 2 ? 0x123456789004u : (uint64_t)rnd(1 << 30) << 30;
		q.last = i == 2 ? q.first + 1 : q.first + ((uint64_t)1 << 54);
		snprintf(q.text, sizeof q.text, "0x%llx-0x%llx", (unsigned long long)q.first,
		         (unsigned long long)q.last);
		ask(&q, false);
	}
}

static void expressions_are_found(void **state)
{
	static uint64_t all[N + 1];
	struct cairn_select *s = cairn_select_new(c, NULL);
	struct cairn_find_opts o = {.size = sizeof o, .select = s, .most = 3};
	make(*state);
	good(cairn_select_where(s, "n & 1"));
	same(o, all, brute(NULL, true, 0, all));
	o.before = 70001;
	same(o, all, brute(NULL, true, o.before, all));
	o.before = 1; /* nothing */
	same(o, all, 0);
	cairn_select_free(s);
}

static void places_have_sentences(void **state)
{
	static const char *const bad[] = {"",         "foo",   "0x",     "0x10+0",
	                                  "0x10-0x0", "0x10 ", "0x10+x", "@main"};
	struct cairn_touch *t;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(cairn_touch_new(c, bad[i], 1, NULL, &t), CAIRN_E_INVAL);
		assert_null(t);
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
	struct bytes b = {0};
	struct cairn_reader *r;
	(void)state;
	head(&b, (struct head){.features = CAIRN_STF_F_RV64});
	reg(&b, 6, 1, 3, 7);
	insn32(&b, NOP);
	good(cairn_open_memory(c, b.p, b.n, NULL, &r));
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct cairn_touch *t;
		good(cairn_touch_new(c, asked[i].text, asked[i].writes, NULL, &t));
		assert_int_equal(cairn_touch_told(r, t), asked[i].told);
		cairn_touch_free(t);
	}
	cairn_close(r);
	bytes_free(&b);
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
