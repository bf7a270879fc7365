/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic block vectors of real traces, against the public tool's (stf_bbv -w 10000), each
 * number of each vector.
 *
 * That tool means something else by a block and by an interval. Its blocks are known by
 * their first and last address, cairn's by the first alone; its intervals end with the first
 * block that makes them long enough, cairn's after so many instructions; what runs behind
 * the last taken branch or event is in no vector of its. So a walk over the trace counts
 * both ways: as the tool does, which must give the tool's vectors, and as cairn does, which
 * must give cairn's table.
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
#include <dirent.h>

#include "cairn/cairn.h"

enum { WINDOW = 10000, MOST = 4096, SUFFIX = sizeof ".bbv-w10000.txt" - 1 };

struct counted {
	uint64_t first, last; /* addresses; cairn's way: last is 0 */
	uint64_t insns, all;  /* in this interval, in the trace */
};

struct walk {
	struct counted theirs[MOST], ours[MOST];
	size_t n_theirs, n_ours;
	uint64_t start, length, in_window; /* of the block that is open */
	uint64_t our_start;
	bool open, our_open;
	FILE *expected;
	const char *name;
	uint64_t intervals;
};

static struct counted *at(struct counted *list, size_t *n, uint64_t first, uint64_t last)
{
	size_t i = 0;
	while (i < *n && (list[i].first != first || list[i].last != last))
		i++;
	assert_true(i < MOST);
	if (i == *n)
		list[(*n)++] = (struct counted){.first = first, .last = last};
	return &list[i];
}

/* The tool's next vector has what was counted, and nothing else. */
static void take_vector(struct walk *walk)
{
	static char line[1 << 16];
	uint64_t sum = 0, in = 0;
	do
		if (!fgets(line, sizeof line, walk->expected))
			fail_msg("%s: no vector %llu", walk->name, (unsigned long long)walk->intervals + 1);
	while (line[0] != 'T');
	for (char *p = line; (p = strchr(p, ':'));) {
		unsigned long long id = strtoull(p + 1, &p, 10), n = strtoull(p + 1, &p, 10);
		if (!id || id > walk->n_theirs || walk->theirs[id - 1].insns != n)
			fail_msg("%s, vector %llu: block %llu has %llu", walk->name,
			         (unsigned long long)walk->intervals + 1, id, n);
		sum += n;
	}
	for (size_t i = 0; i < walk->n_theirs; i++) {
		in += walk->theirs[i].insns;
		walk->theirs[i].insns = 0;
	}
	assert_int_equal(sum, in);
	walk->in_window = 0;
	walk->intervals++;
}

static void end_block(struct walk *walk, uint64_t last)
{
	struct counted *counted = at(walk->theirs, &walk->n_theirs, walk->start, last);
	counted->insns += walk->length;
	walk->in_window += walk->length;
	walk->open = false;
	if (walk->in_window >= WINDOW)
		take_vector(walk);
}

/* Events that the trace's own records tell, but for a program counter that is forced. */
static bool has_event(const struct cairn_batch *batch, uint32_t index)
{
	for (uint32_t e = batch->insns[index].ev0; e < batch->insns[index + 1].ev0; e++)
		if (batch->events[e].kind != CAIRN_EV_FORCE_PC)
			return true;
	return false;
}

static bool is_forced(const struct cairn_batch *batch, uint32_t index)
{
	for (uint32_t e = batch->insns[index].ev0; e < batch->insns[index + 1].ev0; e++)
		if (batch->events[e].kind == CAIRN_EV_FORCE_PC)
			return true;
	return false;
}

static void step(struct walk *walk, const struct cairn_batch *batch, uint32_t index,
                 uint64_t *before)
{
	const struct cairn_insn *in = &batch->insns[index];
	bool ends = in->flags & CAIRN_INSN_TAKEN;
	if (walk->open && is_forced(batch, index))
		end_block(walk, *before);
	if (!walk->open) {
		walk->start = in->pc;
		walk->length = 0;
	}
	walk->open = true;
	walk->length++;
	if (ends || has_event(batch, index))
		end_block(walk, in->pc);
	/* cairn's: where the flow does not go on, a block begins */
	if (!walk->our_open || in->flags & CAIRN_INSN_DISCONTINUITY)
		walk->our_start = in->pc;
	at(walk->ours, &walk->n_ours, walk->our_start, 0)->all++;
	walk->our_open = !ends && !(in->flags & CAIRN_INSN_NOT_EXECUTED);
	*before = in->pc;
}

static void compare_table(struct walk *walk, struct cairn *cairn, const char *path)
{
	struct cairn_analysis_opts opts = {.size = sizeof opts, .threads = 2, .table = "blocks"};
	struct cairn_reader *reader;
	struct cairn_result *res;
	assert_int_equal(cairn_open(cairn, path, NULL, &reader), 0);
	assert_true(cairn_blocks(reader, &opts, "taken", &res) >= 0);
	cairn_close(reader);
	const struct cairn_table *table = cairn_result_table(res, 1);
	assert_string_equal(table->name, "blocks");
	assert_string_equal(table->columns[4].name, "instructions");
	if (table->n_rows != walk->n_ours)
		fail_msg("%s: %zu blocks by walking, %zu told", walk->name, walk->n_ours, table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct cairn_cell *row = &table->cells[i * table->n_columns];
		if (at(walk->ours, &walk->n_ours, row[0].v.number, 0)->all != row[4].v.number)
			fail_msg("%s: block 0x%llx", walk->name, (unsigned long long)row[0].v.number);
	}
	cairn_result_free(res);
}

static void compare(struct cairn *cairn, const char *data, const char *trace)
{
	static struct walk walk;
	char path[512], expected[512], rest[64];
	uint64_t before = 0;
	struct cairn_reader *reader;
	snprintf(path, sizeof path, "%s/stf/%s", data, trace);
	snprintf(expected, sizeof expected, "%s/stf/expected/%s.bbv-w10000.txt", data, trace);
	memset(&walk, 0, sizeof walk);
	walk.name = trace;
	walk.expected = fopen(expected, "r");
	assert_non_null(walk.expected);
	if (cairn_open(cairn, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	struct cairn_batch *batch = cairn_batch_new(cairn);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			step(&walk, batch, i, &before);
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
	take_vector(&walk); /* what the last interval had so far */
	while (fgets(rest, sizeof rest, walk.expected))
		assert_true(rest[0] != 'T');
	fclose(walk.expected);
	compare_table(&walk, cairn, path);
}

static void vectors_are_those_of_the_public_tool(void **state)
{
	(void)state;
	const char *data = getenv("CAIRN_TEST_DATA");
	char dir[512], trace[256];
	unsigned n = 0;
	snprintf(dir, sizeof dir, "%s/stf/expected", data ? data : "");
	DIR *d = data ? opendir(dir) : NULL;
	if (!d)
		skip();
	struct cairn *cairn = cairn_new(NULL);
	for (struct dirent *entry; (entry = readdir(d));) {
		size_t len = strlen(entry->d_name);
		if (len <= SUFFIX || len >= sizeof trace ||
		    strcmp(entry->d_name + len - SUFFIX, ".bbv-w10000.txt") != 0)
			continue;
		memcpy(trace, entry->d_name, len - SUFFIX);
		trace[len - SUFFIX] = 0;
		if (!strncmp(trace, "stf_load_store-d236c50", 22)) /* no zstd frame: nobody reads it */
			continue;
		compare(cairn, data, trace);
		n++;
	}
	closedir(d);
	cairn_free(cairn);
	assert_true(n >= 28);
	print_message("# %u traces\n", n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_are_those_of_the_public_tool)};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
