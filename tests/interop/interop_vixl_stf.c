/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of the simulator to STF and back, line by line. Of each kind of line as many come back, or
 * the ledger of one of the two conversions says what a user will miss; then lossless is refused.
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
#include "given.h"

enum { LINE = 4096 };

static struct cairn *c;
static char dir[64];
static unsigned logs, wrong;

/* Kinds of lines by how they begin, and what the ledger says where fewer of them come back. */
static const struct {
	const char *begins, *words[8];
} kinds[] = {
	{"0x", {"instructions without a PC"}},
	{"# Branch to",
     {"that instructions which are no branches branched", "branches without their instruction",
      "instructions without a PC", "accesses without an address"}},
	{"# gcs", {"events that the target has no record for; view -a shows them"}},
	{"# NZCV", {"registers and accesses of instructions that were left out"}},
	{"# FPCR",
     {"parts of registers, for STF records whole ones",
      "registers and accesses of instructions that were left out"}},
	{"# v",
     {"whether vector registers were told as V or Z",
      "registers and accesses of instructions that were left out", "accesses without an address",
      "which register or lane an access is of, where the instruction does not tell it"}},
	{"# z",
     {"whether vector registers were told as V or Z",
      "parts of registers, for STF records whole ones",
      "which register or lane an access is of, where the instruction does not tell it",
      "registers and accesses of instructions that were left out", "accesses without an address"}},
	{"# w",
     {"whether registers without an instruction were told as W or X",
      "parts of registers, for STF records whole ones",
      "registers and accesses of instructions that were left out", "registers without a value"}},
	{"# x",
     {"registers without a value", "parts of registers, for STF records whole ones",
      "which register or lane an access is of, where the instruction does not tell it",
      "registers and accesses of instructions that were left out", "accesses without an address"}},
	{"# p",
     {"which register or lane an access is of, where the instruction does not tell it",
      "parts of registers, for STF records whole ones", "operands that are not stored",
      "registers and accesses of instructions that were left out"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A line without the blanks behind its mark. */
static unsigned kind_of(const char *line)
{
	char tight[32];
	const char *rest = line[0] == '#' ? line + 1 + strspn(line + 1, " ") : line;
	snprintf(tight, sizeof tight, "%s%.24s", line[0] == '#' ? "# " : "", rest);
	for (unsigned i = 0; i < KINDS; i++) {
		size_t n = strlen(kinds[i].begins);
		bool reg = n == 3 && kinds[i].begins[0] == '#';
		if (!strncmp(tight, kinds[i].begins, n) && (!reg || (tight[3] >= '0' && tight[3] <= '9')))
			return i;
	}
	return KINDS;
}

static void count_lines(const char *path, unsigned long n[KINDS + 1])
{
	static char line[LINE];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	memset(n, 0, (KINDS + 1) * sizeof *n);
	while (fgets(line, sizeof line, file))
		n[kind_of(line)]++;
	fclose(file);
}

static int convert(const char *from, const char *to, bool lossless, struct cairn_changed *done)
{
	struct cairn_output out = {.size = sizeof out, .path = to, .lossless = lossless};
	struct cairn_reader *reader;
	*done = (struct cairn_changed){.size = sizeof *done};
	if (cairn_open(c, from, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	int rc = cairn_convert(reader, &out, done);
	cairn_close(reader);
	return rc;
}

static bool says(const struct cairn_ledger *lost, const char *what)
{
	for (size_t i = 0; lost && i < lost->n; i++)
		if (!strcmp(lost->losses[i].what, what))
			return true;
	return false;
}

/* As text without packing: what comes back has none. */
static void plain(const char *path, char *to, size_t room)
{
	char command[512];
	const char *packed = strrchr(path, '.');
	bool zst = packed && !strcmp(packed, ".zst");
	snprintf(to, room, "%s/plain.txt", dir);
	snprintf(command, sizeof command, "%s '%s' > '%s'", zst ? "zstd -dcq" : "cat", path, to);
	if (system(command))
		fail_msg("%s", command);
}

static void one_log(const char *path, const char *from, const char *to)
{
	struct cairn_changed there, back, strict;
	char text[128], stf[128], again[128];
	unsigned long had[KINDS + 1], has[KINDS + 1];
	if (strcmp(from, "VIXL") || strcmp(to, "STF") || strstr(path, "colour") ||
	    strstr(path, ".pre-") || strstr(path, "2016"))
		return;
	plain(path, text, sizeof text);
	snprintf(stf, sizeof stf, "%s/a.stf", dir);
	snprintf(again, sizeof again, "%s/b.vixl", dir);
	if (convert(text, stf, false, &there) < 0 || convert(stf, again, false, &back) < 0)
		fail_msg("%s: %s", path, cairn_error_text(c));
	logs++;
	count_lines(text, had);
	count_lines(again, has);
	bool fewer = false;
	for (unsigned i = 0; i < KINDS; i++) {
		bool told = has[i] >= had[i];
		fewer |= !told;
		for (unsigned k = 0; k < 8 && kinds[i].words[k]; k++)
			told |= says(there.lost, kinds[i].words[k]) || says(back.lost, kinds[i].words[k]);
		if (told)
			continue;
		print_error("%s: of %lu lines \"%s\" %lu came back, and no ledger says why\n", path, had[i],
		            kinds[i].begins, has[i]);
		wrong++;
	}
	if (fewer && !there.lost->n && !back.lost->n)
		wrong++;
	unlink(stf);
	int rc = convert(text, stf, true, &strict);
	if ((rc == CAIRN_E_LOSS) != (there.lost->n != 0)) {
		print_error("%s: lossless is something else than no loss\n", path);
		wrong++;
	}
	cairn_changed_free(c, &there);
	cairn_changed_free(c, &back);
	cairn_changed_free(c, &strict);
	unlink(stf);
	unlink(again);
}

static void every_line_comes_back_or_is_named(void **state)
{
	(void)state;
	unsigned traces = 0;
	if (!given_pairs(c, true, one_log, &traces))
		skip();
	print_message("# %u logs\n", logs);
	assert_true(logs > 30);
	assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-vixl-stf-XXXXXX");
	return mkdtemp(dir) && (c = cairn_new(NULL)) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	char command[128];
	cairn_free(c);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_line_comes_back_or_is_named)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
