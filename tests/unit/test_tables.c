/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every column of every table says what it is, and the TABLES section of each analysis's manual
 * page is made from that (UPDATE=1 rewrites it).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "cairn/cairn.h"

static struct cairn *cairn;
static struct cairn_image *image;

typedef int analysis(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                     struct cairn_result **out);

static int mix(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
               struct cairn_result **out)
{
	return cairn_mix(reader, opts,
	                 "class mnemonic extension size isa function process privilege cpu", out);
}

static int branches(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                    struct cairn_result **out)
{
	return cairn_branches(reader, opts, "all", out);
}

static int memory(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                  struct cairn_result **out)
{
	const struct cairn_cache cache = {.size = 32768, .ways = 8, .line = 64};
	const struct cairn_memory_opts how = {.size = sizeof how, .caches = &cache, .n_caches = 1};
	return cairn_memory(reader, opts, &how, out);
}

static int blocks(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                  struct cairn_result **out)
{
	return cairn_blocks(reader, opts, NULL, out);
}

static int simpoints(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                     struct cairn_result **out)
{
	struct cairn_analysis_opts every = *opts;
	every.every = 1000;
	return cairn_simpoints(reader, &every, NULL, out);
}

static int overview(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                    struct cairn_result **out)
{
	return cairn_overview(reader, opts, 0, out);
}

static void put_column(struct base_buf *text, const struct cairn_table *table, size_t index,
                       bool first)
{
	const struct cairn_column *column = &table->columns[index];
	if (!column->meaning || !*column->meaning)
		fail_msg("%s.%s has no meaning", table->name, column->name);
	base_buf_printf(text, "%s *%s*\n%s %s\n", first ? "|[" : "| ", column->name,
	                first ? ":<" : ": ", column->meaning);
}

/* All columns but the two of an interval. */
static void put_table(struct base_buf *text, const struct cairn_table *table)
{
	size_t from = table->series ? 2 : 0;
	base_buf_printf(text, "Columns of *%s*:\n\n", table->name);
	for (size_t i = from; i < table->n_columns; i++)
		put_column(text, table, i, i == from);
	base_buf_printf(text, "\n");
}

/* Of the mix a table has the fields that were asked for: each is the first column of its own. */
static void put_fields(struct base_buf *text, const struct cairn_result *res)
{
	const struct cairn_table *table = cairn_result_table(res, 0), *next;
	base_buf_printf(text, "Columns are the fields of *--by*, and two more:\n\n");
	for (size_t i = 0; (next = cairn_result_table(res, i)); i++)
		put_column(text, next, 0, i == 0);
	put_column(text, table, 1, false);
	put_column(text, table, 2, false);
	base_buf_printf(text, "\n");
}

static void put_tables(struct base_buf *text, analysis *run)
{
	char path[4096];
	struct cairn_reader *reader;
	struct cairn_result *res;
	const struct cairn_table *table;
	struct cairn_analysis_opts opts = {.size = sizeof opts, .image = image};
	snprintf(path, sizeof path, "%s/sort.zstf", getenv("EXAMPLES"));
	assert_int_equal(cairn_open(cairn, path, NULL, &reader), 0);
	assert_true(run(reader, &opts, &res) >= 0);
	base_buf_printf(text, "# TABLES\n\n");
	if (run == mix)
		put_fields(text, res);
	else
		for (size_t i = 0; (table = cairn_result_table(res, i)); i++)
			put_table(text, table);
	cairn_result_free(res);
	cairn_close(reader);
}

/* The page has this section; where not, before OPTIONS. */
static void hold_page(const char *verb, const struct base_buf *section)
{
	char path[4096];
	static char page[1 << 16];
	snprintf(path, sizeof path, "%s/docs/man/cairn-%s.1.scd", getenv("CAIRN_SOURCE"), verb);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	size_t n = fread(page, 1, sizeof page - 1, f);
	fclose(f);
	page[n] = 0;
	char *from = strstr(page, "# TABLES\n"), *next = strstr(page, "# OPTIONS\n");
	assert_non_null(next);
	from = from ? from : next;
	const char *want = (const char *)section->data;
	bool same = (size_t)(next - from) == section->len && !memcmp(from, want, section->len);
	if (!same && !getenv("UPDATE"))
		fail_msg("TABLES of %s is not what the columns say: UPDATE=1 rewrites it", path);
	if (same)
		return;
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(page, 1, (size_t)(from - page), f);
	fwrite(want, 1, section->len, f);
	fputs(next, f);
	fclose(f);
}

static void test_pages(void **state)
{
	static const struct {
		const char *verb;
		analysis *run;
	} of[] = {{"mix", mix},         {"branches", branches},   {"memory", memory},
	          {"blocks", blocks},   {"simpoints", simpoints}, {"calls", cairn_calls},
	          {"deps", cairn_deps}, {"overview", overview}};
	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct base_buf text;
		base_buf_init(&text, cairn);
		put_tables(&text, of[i].run);
		hold_page(of[i].verb, &text);
		base_buf_free(&text);
	}
}

static int set_up(void **state)
{
	char path[4096];
	(void)state;
	snprintf(path, sizeof path, "%s/sort.elf", getenv("EXAMPLES"));
	cairn = cairn_new(NULL);
	image = cairn_image_new(cairn);
	return cairn_image_add(image, path);
}

static int tear_down(void **state)
{
	(void)state;
	cairn_image_free(image);
	cairn_free(cairn);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pages)};
	return cmocka_run_group_tests_name("tables", tests, set_up, tear_down);
}
