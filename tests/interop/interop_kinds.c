/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix of conversions against every given trace, kind by kind: nothing in a trace that
 * the matrix says its format has not; what a cell says is kept is the same when read back;
 * what it says is lost is in the ledger under its words; and what both cells keep comes home.
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

#include "../unit/kinds.h"
#include "given.h"
#include "model/model.h"

enum { MOST = 20000 };

static struct cairn *c;
static char dir[64];
static unsigned files, traces, cells, wrong;

/* The first instructions, to `to` (NULL: all of them, only looked at); a status. */
static int convert(const char *from, const char *to, struct kind_all *told,
                   struct cairn_ledger **lost)
{
	struct cairn_reader *reader;
	struct cairn_writer *writer = NULL;
	struct cairn_batch *batch = cairn_batch_new(c);
	uint64_t n = 0;
	int rc = cairn_open(c, from, NULL, &reader);
	if (rc < 0) {
		cairn_batch_free(c, batch);
		return rc;
	}
	if (to && (rc = cairn_create(c, to, NULL, &writer)) >= 0)
		rc = cairn_writer_from(writer, reader);
	while (rc >= 0 && (n < MOST || !to) && (rc = cairn_next(reader, batch)) == 1) {
		n += batch->n_insns;
		kind_all_look(told, batch);
		if (to)
			rc = cairn_put(writer, batch);
	}
	if (to && rc >= 0)
		rc = cairn_finish(writer, lost);
	else if (writer)
		cairn_discard(writer);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return rc < 0 ? rc : 0;
}

static void complain(const char *path, const struct cairn_carry *carry, const char *what,
                     const char *a, const char *b)
{
	size_t at = 0;
	while (a[at] && a[at] == b[at])
		at++;
	at = at < 40 ? 0 : at - 40;
	print_error("%s: %s, %s to %s: %s (%zu|%zu)\n   %.100s\n   %.100s\n", path, carry->kind,
	            carry->from, carry->to, what, strlen(a), strlen(b), a + at,
	            strlen(b) < at ? "" : b + at);
	wrong++;
}

static bool in_ledger(const struct cairn_ledger *ledger, const char *what)
{
	for (size_t i = 0; i < ledger->n; i++)
		if (!strcmp(ledger->losses[i].what, what))
			return true;
	return false;
}

/* Under those words, or those of the event that took it along. */
static bool is_told(const struct cairn_ledger *ledger, const char *what)
{
	static const char *const events[] = {"exceptions", "interrupts", "system calls"};
	bool of_event = false, any = false;
	for (size_t i = 0; i < 3; i++) {
		of_event |= !strcmp(what, events[i]);
		any |= in_ledger(ledger, events[i]);
	}
	return in_ledger(ledger, what) || (of_event && any);
}

/* Instructions were left out, with all that belongs to them. */
static bool fewer(const struct cairn_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n; i++)
		if (!strncmp(ledger->losses[i].what, "instructions ", 13) ||
		    !strcmp(ledger->losses[i].what, model_lost_rows))
			return strcmp(ledger->losses[i].what, "instructions that no packet can carry") != 0;
	return false;
}

static bool cell_of(const char *kind, const char *from, const char *to, struct cairn_carry *out)
{
	for (size_t i = 0; cairn_matrix(i, out); i++)
		if (!strcmp(out->kind, kind) && !strcmp(out->from, from) && !strcmp(out->to, to))
			return true;
	return false;
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

/* What is the same in other words, and why; `with`: where the source tells that, too. */
static const struct {
	const char *kind, *from, *to, *with;
} others[] = {
	/* Writes of a part that zeroes the rest become writes of the whole register. */
	{"reg-write", NULL, "STF", "reg-zeroing"},
	{"reg-vector", NULL, "STF", "reg-zeroing"},
	/* Where the flow jumped each format has its own way to say: ETE by an exception, a return from
	 * one, a gap. Where a branch went that led to a gap the encoding tells. */
	{"forced-pc", "ETE", NULL, NULL},
	{"target", "ETE", NULL, "gap"},
	{"target", "ETE", NULL, "lone-atom"},
	/* Whose registers were wider than STF has, is shown as of XZR, in pieces it could have. */
	{"reg-write", "VIXL", "STF", "reg-vector-piece"},
	{"mem-access", "VIXL", "STF", "reg-vector-piece"},
	{"mem-value", "VIXL", "STF", "reg-vector-piece"},
	{"mem-further", "VIXL", "STF", "reg-vector-piece"},
	/* The simulator shows registers as wide as the instruction has them, and an access for each. */
	{"reg-write", "Tarmac", "VIXL", NULL},
	{"reg-zeroing", "Tarmac", "VIXL", NULL},
	{"mem-access", "Tarmac", "VIXL", "mem-further"},
	{"mem-value", "Tarmac", "VIXL", "mem-further"},
	{"mem-further", "Tarmac", "VIXL", NULL},
};

static const char *text_of(struct kind_all *all, const char *kind)
{
	const char *text, *name;
	for (size_t i = 0; (name = kind_all_get(all, i, &text)); i++)
		if (!strcmp(name, kind))
			return text;
	fail_msg("%s", kind);
	return NULL;
}

static bool is_other(const struct cairn_carry *carry, struct kind_all *all)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].kind, carry->kind) &&
		    (!others[i].from || !strcmp(others[i].from, carry->from)) &&
		    (!others[i].to || !strcmp(others[i].to, carry->to)) &&
		    (!others[i].with || *text_of(all, others[i].with)))
			return true;
	return false;
}

/* Not the same, and in the ledger. */
static bool is_counted(const char *kind, const struct cairn_ledger *ledger)
{
	return (!strcmp(kind, "taken") && (in_ledger(ledger, model_lost_outcome) ||
	                                   in_ledger(ledger, model_lost_last_outcome))) ||
	       (!strcmp(kind, "reg-state") &&
	        in_ledger(ledger, "records behind the last instruction")) ||
	       (!strcmp(kind, "gap") &&
	        in_ledger(ledger, "that something is missing behind the last instruction")) ||
	       (!strcmp(kind, "mem-value") &&
	        in_ledger(ledger, "values that the simulator does not show"));
}

static void judge(const char *path, const char *from, const char *to, struct kind_all *left,
                  struct kind_all *right, const struct cairn_ledger *lost)
{
	const char *ta, *tb, *kind;
	struct cairn_carry carry = {.size = sizeof carry};
	bool less = fewer(lost);
	for (size_t i = 0; (kind = kind_all_get(left, i, &ta)); i++) {
		kind_all_get(right, i, &tb);
		if (!*ta || !cell_of(kind, from, to, &carry))
			continue;
		cells++;
		if (carry.carried == CAIRN_CARRY_NONE)
			complain(path, &carry, "the source has it", ta, tb);
		else if (carry.carried == CAIRN_CARRY_EXACTLY && strcmp(ta, tb) && !less &&
		         !is_other(&carry, left) && !is_counted(kind, lost))
			complain(path, &carry, "not the same", ta, tb);
		else if (carry.carried == CAIRN_CARRY_LOST && !less && !is_told(lost, carry.how))
			complain(path, &carry, "not in the ledger", ta, tb);
	}
}

/* The same way back: what both cells keep, in the first of the three; `lost` on each way. */
static void judge_back(const char *path, const char *from, const char *to, struct kind_all *left,
                       struct kind_all *right, struct cairn_ledger *const lost[2])
{
	const char *ta, *tb, *kind;
	struct cairn_carry x = {.size = sizeof x}, y = {.size = sizeof y};
	for (size_t i = 0; (kind = kind_all_get(left, i, &ta)); i++) {
		kind_all_get(right, i, &tb);
		if (!*ta || !cell_of(kind, to, from, &y) || !cell_of(kind, from, to, &x) ||
		    x.carried != CAIRN_CARRY_EXACTLY || y.carried != CAIRN_CARRY_EXACTLY)
			continue;
		cells++;
		if (strcmp(ta, tb) && !is_other(&x, left) && !is_other(&y, left) &&
		    !is_counted(kind, lost[0]) && !is_counted(kind, lost[1]))
			complain(path, &x, "it comes back as another", ta, tb);
	}
}

static bool is_empty(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && st.st_size == 0;
}

static void and_back(const char *path, const char *from, const char *out, const char *to,
                     struct kind_all *left, struct cairn_ledger *there)
{
	struct kind_all *between = kind_all_new(c), *right = kind_all_new(c);
	struct cairn_ledger *lost[2] = {there, NULL};
	const char *back = fresh(from);
	int rc = convert(out, back, between, &lost[1]);
	if (rc >= 0 && is_empty(back)) {
		; /* a trace without instructions, of which nothing was left */
	} else if (rc < 0 || convert(back, NULL, right, NULL) < 0) {
		print_error("%s to %s and back: %s\n", path, to, cairn_error_text(c));
		wrong++;
	} else if (!fewer(lost[1])) {
		judge_back(path, from, to, left, right, lost);
	}
	cairn_ledger_free(c, lost[1]);
	kind_all_free(between);
	kind_all_free(right);
	drop(back);
}

static void one_pair(const char *path, const char *from, const char *to)
{
	struct kind_all *left = kind_all_new(c), *right = kind_all_new(c);
	struct cairn_ledger *lost = NULL;
	const char *out = fresh(to);
	int rc = convert(path, out, left, &lost);
	if (rc >= 0 && is_empty(out)) /* nothing of it was left: the ledger has it */
		rc = CAIRN_E_UNSUPPORTED;
	else if (rc >= 0)
		rc = convert(out, NULL, right, NULL);
	if (rc >= 0) {
		judge(path, from, to, left, right, lost);
		if (!fewer(lost) && (!strcmp(from, "STF") || !strcmp(from, "RST") || !strcmp(from, "ETE") ||
		                     !strcmp(from, "VIXL")))
			and_back(path, from, out, to, left, lost);
	} else if (rc != CAIRN_E_UNSUPPORTED) {
		print_error("%s to %s: %s\n", path, to, cairn_error_text(c));
		wrong++;
	}
	cairn_ledger_free(c, lost);
	kind_all_free(left);
	kind_all_free(right);
	drop(out);
}

static void every_trace(void **state)
{
	(void)state;
	if (!given_pairs(c, false, one_pair, &traces))
		skip();
	print_message("# %u traces, %u cells\n", traces, cells);
	assert_true(traces > 50 && cells > 1000);
	assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-kinds-XXXXXX");
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
