/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every given trace to every format the matrix does not refuse it: no error, no damage in
 * what comes out, the same instructions but for those the ledger has, and in an STF the
 * findings that the conversion announced, as many, and no other. SPARC and VIXL's logs come back, too. The
 * ledger has nothing that no trace of the source's format tells.
 * Of each trace the first instructions are taken.
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
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/cairn.h"
#include "given.h"
#include "model/model.h"

enum { MOST = 30000 };

static struct cairn *c;
static char dir[64];
static unsigned files, traces, pairs, wrong;

/* What ran: where, what, and whether and where it branched. */
struct ran {
	uint64_t n, pc_enc, flow, damage;
	uint8_t isa;
};

static void mix(uint64_t *h, uint64_t value)
{
	*h = (*h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*h ^= *h >> 29;
}

static void note(struct ran *ran, const struct cairn_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		const struct cairn_insn *in = &batch->insns[i];
		if (!ran->isa)
			ran->isa = in->isa;
		if (in->flags & CAIRN_INSN_NOT_EXECUTED)
			continue;
		ran->n++;
		mix(&ran->pc_enc, in->pc);
		mix(&ran->pc_enc, in->enc);
		if (in->traits & CAIRN_TRAIT_CONDITIONAL)
			mix(&ran->flow, in->flags & CAIRN_INSN_TAKEN);
	}
}

static struct ran read_all(const char *path)
{
	struct ran ran = {0};
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	if (cairn_open(c, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	while (cairn_next(reader, batch) == 1)
		note(&ran, batch);
	ran.damage = cairn_damage_count(reader);
	/* A snapshot's warm-up references all stand before its first instruction. */
	if (ran.damage == 1 && strstr(cairn_damage_text(reader, 0), "more values than a batch holds"))
		ran.damage = 0;
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return ran;
}

/* The first instructions, to `to`; a status. */
static int convert(const char *from, const char *to, struct ran *ran, struct cairn_ledger **lost,
                   struct cairn_ledger **notes)
{
	struct cairn_reader *reader;
	struct cairn_writer *writer = NULL;
	struct cairn_batch *batch = cairn_batch_new(c);
	int rc = cairn_open(c, from, NULL, &reader);
	*ran = (struct ran){0};
	*lost = *notes = NULL;
	if (rc < 0)
		fail_msg("%s", cairn_error_text(c));
	rc = cairn_create(c, to, NULL, &writer);
	if (rc >= 0)
		rc = cairn_writer_from(writer, reader);
	while (ran->n < MOST && rc >= 0 && (rc = cairn_next(reader, batch)) == 1) {
		note(ran, batch);
		rc = cairn_put(writer, batch);
	}
	if (rc >= 0)
		rc = model_writer_end(writer, lost, notes);
	else
		cairn_discard(writer);
	ran->damage = cairn_damage_count(reader);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return rc;
}

static void complain(const char *from, const char *to, const char *what)
{
	print_error("%s to %s: %s\n", from, to, what);
	wrong++;
}

/* How many instructions that ran were left out? */
static uint64_t left_out(const struct cairn_ledger *ledger)
{
	uint64_t n = 0;
	for (size_t i = 0; i < ledger->n; i++)
		if (!strncmp(ledger->losses[i].what, "instructions ", 13) &&
		    strcmp(ledger->losses[i].what, "instructions that did not execute"))
			n += ledger->losses[i].count;
	return n;
}

/* What an STF, or an RST that came back, has against it besides what the conversion announced, of
 * which trace (the end of its path, without packing) and how often. Nothing else, and no less. */
static const struct {
	const char *of, *rule;
	unsigned count;
} findings[] = {
	/* Every record there is, of random content. */
	{"/allrec_45k", "stf.pc-target.address", 4274},
	{"/allrec_45k", "stf.content.justified", 175},
	/* … and as an RST again. */
	{"/allrec_45k", "rst.am.address", 1289},
	{"/allrec_45k", "rst.annul.present", 268},
	{"/allrec_45k", "rst.annul.stray", 16},
	{"/allrec_45k", "rst.ea.target", 4362},
	{"/allrec_45k", "rst.exit.preg", 25},
	{"/allrec_45k", "rst.exit.pstate", 6},
	{"/allrec_45k", "rst.exit.traplevel", 4},
	{"/allrec_45k", "rst.exit.traptype", 59},
	{"/allrec_45k", "rst.flow.continuous", 8228},
	{"/allrec_45k", "rst.regval.id", 1158},
	{"/allrec_45k", "rst.trap.async-instruction", 179},
	{"/allrec_45k", "rst.trap.itlb-tr", 2},
	{"/allrec_45k", "rst.trap.between", 101},
	{"/allrec_45k", "rst.trap.instruction", 4},
	{"/allrec_45k", "rst.trap.level", 375},
	{"/allrec_45k", "rst.trap.npc", 39},
	{"/allrec_45k", "rst.trap.pc", 208},
	{"/allrec_45k", "rst.trap.pstate", 427},
	{"/allrec_45k", "rst.trap.sync-bt", 20},
	{"/allrec_45k", "rst.trap.sync-ea-valid", 6},
	{"/allrec_45k", "rst.trap.sync-instruction", 181},
	{"/allrec_45k", "rst.trap.syscall", 324},
	/* Not the program that ran (tests of check say so). */
	{"/infrastructure", "stf.inst.encoding", 4123},
};

/* Is it that trace, in whatever packing or colours? */
static bool is_of(const char *path, const char *of)
{
	const char *name = strrchr(path, '/');
	size_t n = strlen(of);
	return !strncmp(name, of, n) &&
	       (!name[n] || name[n] == '.' || !strcmp(name + n, "-colour.txt"));
}

static unsigned expected(const char *from, const char *rule)
{
	for (size_t k = 0; k < sizeof findings / sizeof *findings; k++)
		if (is_of(from, findings[k].of) && !strcmp(findings[k].rule, rule))
			return findings[k].count;
	return 0;
}

/* How often do notes say that check will find this ("… (stf.mem.missing)")? */
static uint64_t announced(const struct cairn_ledger *notes, const char *rule)
{
	char word[80];
	snprintf(word, sizeof word, "(%s)", rule);
	for (size_t i = 0; notes && i < notes->n; i++)
		if (strstr(notes->losses[i].what, word))
			return notes->losses[i].count;
	return 0;
}

static void check(const char *from, const char *path, const struct cairn_ledger *notes)
{
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_check_opts opts = {.size = sizeof opts, .most = 1};
	struct cairn_reader *reader;
	if (cairn_open(c, path, NULL, &reader) < 0 || cairn_check(reader, &opts, &res) < 0)
		fail_msg("%s", cairn_error_text(c));
	for (size_t i = 0; i < res.n_rules; i++) {
		uint64_t want = expected(from, res.rules[i].id) + announced(notes, res.rules[i].id);
		if (res.rules[i].severity != CAIRN_ERROR || res.by_rule[i] == want)
			continue;
		print_error("%s: %llu, not %llu\n", res.rules[i].id, (unsigned long long)res.by_rule[i],
		            (unsigned long long)want);
		complain(from, path, res.rules[i].id);
	}
	cairn_close(reader);
}

static const char *fresh(const char *format)
{
	static char path[8][128];
	char *p = path[files % 8];
	snprintf(p, sizeof path[0], "%s/%u.%s", dir, files++,
	         !strcmp(format, "ETE")   ? "snapshot"
	         : !strcmp(format, "STF") ? "stf"
	         : !strcmp(format, "RST") ? "rst"
	                                  : "vixl");
	return p;
}

static void drop(const char *path)
{
	char command[256];
	snprintf(command, sizeof command, "rm -rf '%s'", path);
	if (system(command))
		fail_msg("%s", path);
}

static void compare(const char *from, const char *to, const struct ran *left,
                    const struct ran *right, const struct cairn_ledger *lost)
{
	if (right->damage)
		complain(from, to, "what comes out is damaged");
	uint64_t less = left_out(lost);
	if (left->damage)
		return;
	if (left->n != right->n + less)
		complain(from, to, "more or fewer instructions than the ledger tells");
	if (less)
		return;
	if (left->pc_enc != right->pc_enc)
		complain(from, to, "other instructions");
	else if (left->flow != right->flow)
		complain(from, to, "other branches taken");
}

/* Words that the matrix has of kinds its source does not have, and of no other, were not told
 * by the source: then they cannot be lost. */
static void no_inventions(const char *path, const char *from, const char *to,
                          const struct cairn_ledger *lost)
{
	for (size_t i = 0; i < lost->n; i++) {
		struct cairn_carry carry = {.size = sizeof carry};
		unsigned had = 0, not_had = 0;
		for (size_t k = 0; cairn_matrix(k, &carry); k++)
			if (!strcmp(carry.to, to) && carry.how && !strcmp(carry.how, lost->losses[i].what)) {
				had += !strcmp(carry.from, from);
				not_had += strcmp(carry.from, from) != 0;
			}
		if (not_had && !had)
			complain(path, to, lost->losses[i].what);
	}
}

/* Does the format hold the set? */
static bool holds(const char *to, unsigned isa)
{
	bool arm = isa >= CAIRN_ISA_A64 && isa <= CAIRN_ISA_T32;
	return !strcmp(to, "RST")    ? isa == CAIRN_ISA_SPARC
	       : !strcmp(to, "VIXL") ? isa == CAIRN_ISA_A64
	       : !strcmp(to, "ETE")  ? arm
	                             : true;
}

static void one_pair(const char *path, const char *from, const char *to)
{
	struct ran left, right;
	struct cairn_ledger *lost, *lost_again, *notes, *notes_again;
	const char *out = fresh(to), *back;
	int rc = convert(path, out, &left, &lost, &notes);
	if (rc < 0) {
		if (rc != CAIRN_E_UNSUPPORTED || holds(to, left.isa))
			complain(path, to, cairn_error_text(c));
		cairn_ledger_free(c, lost);
		return;
	}
	pairs++;
	if (strcmp(from, to) != 0)
		no_inventions(path, from, to, lost);
	struct stat st;
	if (stat(out, &st) == 0 && st.st_size == 0) /* nothing of it was left: the ledger has it */
		left.n = 0;
	if (left.n) {
		right = read_all(out);
		compare(path, to, &left, &right, lost);
		if (!strcmp(to, "STF") && strcmp(from, "STF"))
			check(path, out, notes);
	}
	if (left.n && (!strcmp(from, "RST") || !strcmp(from, "VIXL")) && strcmp(from, to)) {
		back = fresh(from);
		if (convert(out, back, &right, &lost_again, &notes_again) < 0)
			complain(path, back, cairn_error_text(c));
		else if (stat(back, &st) == 0 && st.st_size) {
			struct ran again = read_all(back);
			compare(out, back, &right, &again, lost_again);
			if (!strcmp(from, "RST"))
				check(path, back, notes_again);
		}
		cairn_ledger_free(c, lost_again);
		cairn_ledger_free(c, notes_again);
		drop(back);
	}
	cairn_ledger_free(c, lost);
	cairn_ledger_free(c, notes);
	drop(out);
}

static void every_trace(void **state)
{
	(void)state;
	if (!given_pairs(c, true, one_pair, &traces))
		skip();
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
