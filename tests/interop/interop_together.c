/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every real trace there is: checked and read in one pass, against a pass for each. Some
 * are read packed, damaged, and with one thread and several.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>
#include <unistd.h>

#include "../fuzz/together.h"

static struct cairn *c, *small; /* small: holds little in memory, and reads chunks in pieces */
static unsigned traces, snapshots;

/* Some bytes of it overwritten. */
static void damage(const char *path, size_t size)
{
	enum { PLACES = 3 };
	FILE *in = fopen(path, "rb");
	uint8_t *p = malloc(size);
	assert_true(in && p && fread(p, 1, size, in) == size);
	fclose(in);
	for (size_t k = 1; k <= PLACES; k++)
		memset(p + size * k / (PLACES + 1), 0xee, size > 4096 ? 16 : 1);
	struct together together = {.p = p, .n = size, .threads = 2};
	together_is_as_apart(c, &together);
	together_is_as_apart(small, &together);
	free(p);
}

static int visit(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	struct together together = {.path = path, .threads = 2};
	char ini[4096];
	(void)where;
	snprintf(ini, sizeof ini, "%s/snapshot.ini", path);
	if (kind == FTW_D && !access(ini, R_OK)) { /* a folder that is a trace */
		snapshots += together_is_as_apart(c, &together) > 0;
		together.threads = 1;
		together_is_as_apart(c, &together);
		return 0;
	}
	if (kind != FTW_F || !st->st_size || st->st_size > 4 << 20)
		return 0;
	int is = together_is_as_apart(c, &together);
	traces += is > 0;
	together.threads = 1;
	if (is && st->st_size < 1 << 20)
		together_is_as_apart(c, &together);
	if (is && st->st_size < 1 << 20)
		damage(path, (size_t)st->st_size);
	if (is && st->st_size < 1 << 20)
		together_is_as_apart(small, &together);
	return 0;
}

static void one_pass_tells_what_two_do(void **state)
{
	const char *data = getenv("CAIRN_TEST_DATA");
	(void)state;
	if (!data || access(data, R_OK))
		skip();
	struct cairn_opts little = {.size = sizeof little, .max_hold = 1 << 16};
	c = cairn_new(NULL);
	small = cairn_new(&little);
	assert_int_equal(nftw(data, visit, 16, FTW_PHYS), 0);
	assert_true(traces > 100 && snapshots >= 10);
	print_message("# %u traces, %u snapshots\n", traces, snapshots);
	cairn_free(small);
	cairn_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(one_pass_tells_what_two_do)};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
