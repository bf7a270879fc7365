/* SPDX-License-Identifier: Apache-2.0 */
/* The real traces, one after another: all but those made to be bad, and what tools expect. */
#include "given.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"

static void (*call)(const char *path); /* nftw has no argument for it */

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
		call(path);
		return FTW_SKIP_SUBTREE;
	}
	const char *ending = strrchr(name, '.');
	if (type == FTW_F && strcmp(name, "README.md") &&
	    !(ending && !strcmp(ending, CAIRN_INDEX_SUFFIX)))
		call(path);
	return FTW_CONTINUE;
}

bool given_traces(void (*one)(const char *path))
{
	const char *data = getenv("CAIRN_TEST_DATA");
	static const char *const parts[] = {"stf", "rst", "ete", "vixl", "text-traces"};
	char path[4096];
	if (!data || access(data, R_OK) < 0)
		return false;
	call = one;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(path, sizeof path, "%s/%s", data, parts[i]);
		if (nftw(path, visit, 16, FTW_ACTIONRETVAL) != 0)
			abort();
	}
	return true;
}

static struct {
	struct cairn *c;
	bool own;
	unsigned traces;
	void (*one)(const char *path, const char *from, const char *to);
} pairs;

static void pairs_of(const char *path)
{
	struct cairn_reader *reader;
	struct cairn_carry carry = {.size = sizeof carry};
	char from[16];
	if (cairn_open(pairs.c, path, NULL, &reader) < 0)
		return;
	snprintf(from, sizeof from, "%s", cairn_reader_format(reader));
	cairn_close(reader);
	pairs.traces++;
	for (size_t i = 0; cairn_matrix(i, &carry) && !strcmp(carry.kind, "pc"); i++)
		if (!strcmp(carry.from, from) && carry.carried != CAIRN_CARRY_REFUSED &&
		    (pairs.own || strcmp(carry.to, from) != 0))
			pairs.one(path, from, carry.to);
}

bool given_pairs(struct cairn *cairn, bool own,
                 void (*one)(const char *path, const char *from, const char *to), unsigned *traces)
{
	pairs.c = cairn;
	pairs.own = own;
	pairs.traces = 0;
	pairs.one = one;
	bool given = given_traces(pairs_of);
	*traces = pairs.traces;
	return given;
}
