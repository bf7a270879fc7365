/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every given trace to every format the matrix does not refuse it: no error, no damage in
 * what comes out, the same instructions but for those the ledger has, and in an STF no
 * finding but those docs/formats/conversions.md names. SPARC and VIXL's logs come back, too.
 * Of each trace the first instructions are taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/cairn.h"

enum { MOST = 30000 };

static struct cairn *c;
static char dir[64];
static unsigned files, traces, pairs, wrong;

/* What ran: where, what, and whether and where it branched. */
struct ran {
	uint64_t n, pc_enc, flow, damage;
	uint8_t isa;
};

static void mix(uint64_t *h, uint64_t v)
{
	*h = (*h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	*h ^= *h >> 29;
}

static void note(struct ran *x, const struct cairn_batch *b)
{
	for (uint32_t i = 0; i < b->n_insns; i++) {
		const struct cairn_insn *in = &b->insns[i];
		if (!x->isa)
			x->isa = in->isa;
		if (in->flags & CAIRN_INSN_NOT_EXECUTED)
			continue;
		x->n++;
		mix(&x->pc_enc, in->pc);
		mix(&x->pc_enc, in->enc);
		if (in->traits & CAIRN_TRAIT_CONDITIONAL)
			mix(&x->flow, in->flags & CAIRN_INSN_TAKEN);
	}
}

static struct ran read_all(const char *path)
{
	struct ran x = {0};
	struct cairn_reader *r;
	struct cairn_batch *b = cairn_batch_new(c);
	if (cairn_open(c, path, NULL, &r) < 0)
		fail_msg("%s", cairn_error_text(c));
	while (cairn_next(r, b) == 1)
		note(&x, b);
	x.damage = cairn_damage_count(r);
	/* A snapshot's warm-up references all stand before its first instruction. */
	if (x.damage == 1 && strstr(cairn_damage_text(r, 0), "more values than a batch holds"))
		x.damage = 0;
	cairn_close(r);
	cairn_batch_free(c, b);
	return x;
}

/* The first instructions, to `to`; a status. */
static int convert(const char *from, const char *to, struct ran *x, struct cairn_ledger **lost)
{
	struct cairn_reader *r;
	struct cairn_writer *w;
	struct cairn_batch *b = cairn_batch_new(c);
	int rc = cairn_open(c, from, NULL, &r);
	*x = (struct ran){0};
	*lost = NULL;
	if (rc < 0)
		fail_msg("%s", cairn_error_text(c));
	rc = cairn_create(c, to, NULL, &w);
	if (rc >= 0 && (rc = cairn_writer_from(w, r)) >= 0) {
		while (x->n < MOST && rc >= 0 && (rc = cairn_next(r, b)) == 1) {
			note(x, b);
			rc = cairn_put(w, b);
		}
		if (rc >= 0)
			rc = cairn_finish(w, lost);
		else
			cairn_discard(w);
	}
	x->damage = cairn_damage_count(r);
	cairn_close(r);
	cairn_batch_free(c, b);
	return rc;
}

static void complain(const char *from, const char *to, const char *what)
{
	print_error("%s to %s: %s\n", from, to, what);
	wrong++;
}

/* Were instructions left out? */
static bool fewer(const struct cairn_ledger *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strncmp(l->losses[i].what, "instructions ", 13))
			return true;
	return false;
}

/* What an STF or RST may have against it: what its source does not tell, or tells that way. */
static void check(const char *from, const char *path)
{
	/* By a part of the path. */
	static const struct { const char *of, *rule; } fine[] = {
		{"/", "stf.content.missing"}, {"/", "stf.mem.missing"}, {"/", "stf.mem.order"},
		{"/rst/", "stf.bus-content.missing"}, /* DMA has no values */
		{"/rfs_snap", "stf.bus.zero"}, {"/q_rfscw", "stf.bus.zero"}, /* nor sizes, in a snapshot */
		{"gem5", "stf.mem.direction"}, /* reads told as writes */
		/* Every record there is, of random content. */
		{"/allrec_45k", "stf.pc-target.address"}, {"/allrec_45k", "stf.pc-target.missing"},
		{"/allrec_45k", "stf.mem.type"}, {"/allrec_45k", "stf.content.justified"},
		/* Not the program that ran (tests of check say so). */
		{"/infrastructure", "stf.pc-target.missing"}, {"/infrastructure", "stf.inst.encoding"},
		/* The last branch of a log without lines for them. */
		{"all-but-branch", "stf.pc-target.missing"}, {"-disasm.txt", "stf.pc-target.missing"},
		/* Values and traps of no machine's. */
		{"/allrec_45k", "rst."}};
	struct cairn_check_result res = {0};
	struct cairn_check_opts o = {.size = sizeof o, .most = 1};
	struct cairn_reader *r;
	if (cairn_open(c, path, NULL, &r) < 0 || cairn_check(r, &o, &res) < 0)
		fail_msg("%s", cairn_error_text(c));
	for (size_t i = 0; i < res.n_rules; i++) {
		bool expected = res.rules[i].severity != CAIRN_ERROR || !res.by_rule[i];
		for (size_t k = 0; k < sizeof fine / sizeof *fine && !expected; k++)
			expected = strstr(from, fine[k].of) && !strncmp(fine[k].rule, res.rules[i].id, strlen(fine[k].rule));
		if (!expected)
			complain(from, path, res.rules[i].id);
	}
	cairn_close(r);
}

static const char *fresh(const char *format)
{
	static char path[8][128];
	char *p = path[files % 8];
	snprintf(p, sizeof path[0], "%s/%u.%s", dir, files++, !strcmp(format, "ETE") ? "snapshot"
	         : !strcmp(format, "STF") ? "stf" : !strcmp(format, "RST") ? "rst" : "vixl");
	return p;
}

static void drop(const char *path)
{
	char command[256];
	snprintf(command, sizeof command, "rm -rf '%s'", path);
	if (system(command))
		fail_msg("%s", path);
}

static void compare(const char *from, const char *to, const struct ran *a, const struct ran *b,
                    const struct cairn_ledger *lost)
{
	if (b->damage)
		complain(from, to, "what comes out is damaged");
	if (fewer(lost) || a->damage)
		return;
	if (a->n != b->n || a->pc_enc != b->pc_enc)
		complain(from, to, "other instructions");
	else if (a->flow != b->flow)
		complain(from, to, "other branches taken");
}

/* Does the format hold the set? */
static bool holds(const char *to, unsigned isa)
{
	bool arm = isa >= CAIRN_ISA_A64 && isa <= CAIRN_ISA_T32;
	return !strcmp(to, "RST") ? isa == CAIRN_ISA_SPARC : !strcmp(to, "VIXL") ? isa == CAIRN_ISA_A64
	       : !strcmp(to, "ETE") ? arm : true;
}

static void one_pair(const char *path, const char *from, const char *to)
{
	struct ran a, b;
	struct cairn_ledger *lost, *lost_again;
	const char *out = fresh(to), *back;
	int rc = convert(path, out, &a, &lost);
	if (rc == CAIRN_E_UNSUPPORTED && !holds(to, a.isa))
		return;
	if (rc < 0) {
		complain(path, to, cairn_error_text(c));
		return;
	}
	pairs++;
	struct stat st;
	if (stat(out, &st) == 0 && st.st_size == 0) /* nothing of it was left: the ledger has it */
		a.n = 0;
	if (a.n) {
		b = read_all(out);
		compare(path, to, &a, &b, lost);
		if (!strcmp(to, "STF") && strcmp(from, "STF"))
			check(path, out);
	}
	if (a.n && (!strcmp(from, "RST") || !strcmp(from, "VIXL")) && strcmp(from, to)) {
		back = fresh(from);
		if (convert(out, back, &b, &lost_again) < 0)
			complain(path, back, cairn_error_text(c));
		else if (stat(back, &st) == 0 && st.st_size) {
			struct ran again = read_all(back);
			compare(out, back, &b, &again, lost_again);
			if (!strcmp(from, "RST"))
				check(path, back);
		}
		cairn_ledger_free(c, lost_again);
		drop(back);
	}
	cairn_ledger_free(c, lost);
	drop(out);
}

static void one_trace(const char *path)
{
	struct cairn_reader *r;
	struct cairn_carry x;
	char from[16];
	if (cairn_open(c, path, NULL, &r) < 0)
		return;
	snprintf(from, sizeof from, "%s", cairn_reader_format(r));
	cairn_close(r);
	traces++;
	for (size_t i = 0; cairn_matrix(i, &x) && !strcmp(x.kind, "pc"); i++)
		if (!strcmp(x.from, from) && x.carried != CAIRN_CARRY_REFUSED)
			one_pair(path, from, x.to);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
	char ini[4352];
	(void)st, (void)at;
	const char *name = strrchr(path, '/') + 1;
	if (type == FTW_D) {
		if (!strcmp(name, "bad") || !strcmp(name, "expected"))
			return FTW_SKIP_SUBTREE;
		snprintf(ini, sizeof ini, "%s/snapshot.ini", path);
		if (access(ini, F_OK))
			return FTW_CONTINUE;
		one_trace(path);
		return FTW_SKIP_SUBTREE;
	}
	if (type == FTW_F && strcmp(name, "README.md"))
		one_trace(path);
	return FTW_CONTINUE;
}

static void every_trace(void **state)
{
	(void)state;
	const char *data = getenv("CAIRN_TEST_DATA");
	static const char *const parts[] = {"stf", "rst", "ete", "vixl", "text-traces"};
	char path[4096];
	if (!data)
		skip();
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(path, sizeof path, "%s/%s", data, parts[i]);
		assert_int_equal(nftw(path, visit, 16, FTW_ACTIONRETVAL), 0);
	}
	print_message("# %u traces, %u conversions\n", traces, pairs);
	assert_true(traces > 50 && pairs > 100);
	assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-convert-XXXXXX");
	return mkdtemp(dir) && (c = cairn_new(NULL)) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	drop(dir);
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_trace)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
