/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs in the caller's memory that carry their size (cairn/cairn.h): of an older program's,
 * which is smaller, and of a newer one's, which is larger, nothing is touched that the library
 * may not touch, and what both know is filled as ever.
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

static struct cairn *c;
static char dir[64], path[128];

static struct cairn_reader *open_it(void)
{
	struct cairn_open_opts opts = {.size = sizeof opts};
	struct cairn_reader *reader;
	assert_int_equal(cairn_open(c, path, &opts, &reader), 0);
	return reader;
}

/* ---- what fills a struct ---- */

static int fill_count(void *theirs)
{
	struct cairn_reader *reader = open_it();
	int rc = cairn_count(reader, 1, theirs);
	cairn_close(reader);
	return rc;
}

static int fill_totals(void *theirs)
{
	struct cairn_index *index;
	assert_int_equal(cairn_index_open(c, path, NULL, &index), 0);
	int rc = cairn_index_totals(index, theirs);
	cairn_index_close(index);
	return rc;
}

static int fill_tally(void *theirs)
{
	struct cairn_reader *reader = open_it();
	struct cairn_batch *batch = cairn_batch_new(c);
	int rc = cairn_next(reader, batch);
	assert_int_equal(rc, 1);
	rc = cairn_tally_batch(theirs, batch, NULL);
	if (rc >= 0)
		rc = cairn_tally_add(theirs, theirs);
	if (rc >= 0)
		rc = cairn_tally_end(theirs);
	cairn_batch_free(c, batch);
	cairn_close(reader);
	return rc;
}

static int fill_carry(void *theirs)
{
	int rc = cairn_matrix(0, theirs);
	return rc < 0 ? rc : rc - 1;
}

static int fill_check(void *theirs)
{
	struct cairn_check_opts opts = {.size = sizeof opts};
	struct cairn_reader *reader = open_it();
	int rc = cairn_check(reader, &opts, theirs);
	cairn_close(reader);
	return rc;
}

static int fill_diff(void *theirs)
{
	struct cairn_diff_opts opts = {.size = sizeof opts};
	struct cairn_reader *left = open_it(), *right = open_it();
	int rc = cairn_diff(left, right, &opts, theirs);
	cairn_close(left);
	cairn_close(right);
	return rc;
}

static int fill_match(void *theirs)
{
	struct cairn_image *image = cairn_image_new(c);
	int rc = cairn_image_match(c, image, path, NULL, theirs);
	cairn_image_free(image);
	return rc;
}

static int fill_stats(void *theirs)
{
	return cairn_index_build(c, path, NULL, theirs);
}

static int fill_span(void *theirs)
{
	struct cairn_index *index;
	assert_int_equal(cairn_index_open(c, path, NULL, &index), 0);
	int rc = cairn_index_span(index, 0, theirs);
	cairn_index_close(index);
	return rc;
}

static int fill_tracer(void *theirs)
{
	const struct cairn_ete_insn insn = {.pc = 0x1000, .enc = 0xd503201f, .isa = CAIRN_ISA_A64};
	struct cairn_ete_tracer *tracer;
	assert_int_equal(cairn_ete_tracer_open(c, NULL, &tracer), 0);
	assert_int_equal(cairn_ete_tracer_insns(tracer, &insn, 1), 0);
	assert_int_equal(cairn_ete_tracer_finish(tracer), 0);
	int rc = cairn_ete_tracer_stats(tracer, theirs);
	cairn_ete_tracer_close(tracer);
	return rc;
}

static int fill_coverage(void *theirs)
{
	struct cairn_reader *reader = open_it();
	int rc = cairn_state_coverage(reader, theirs);
	cairn_close(reader);
	return rc;
}

static int fill_derived(void *theirs)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .derive = 1};
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_reader *reader;
	assert_int_equal(cairn_open(c, path, &opts, &reader), 0);
	while (cairn_next(reader, batch) > 0)
		;
	int rc = cairn_reader_derived(reader, theirs);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return rc;
}

/* ---- sizes of other versions ---- */

static const struct {
	const char *name;
	size_t size;
	int (*fill)(void *theirs);
} sized[] = {
	{"cairn_index_stats", sizeof(struct cairn_index_stats), fill_stats}, /* makes the index */
	{"cairn_index_span", sizeof(struct cairn_index_span), fill_span},
	{"cairn_tally by cairn_index_totals", sizeof(struct cairn_tally), fill_totals},
	{"cairn_tally by cairn_count", sizeof(struct cairn_tally), fill_count},
	{"cairn_tally by batches", sizeof(struct cairn_tally), fill_tally},
	{"cairn_carry", sizeof(struct cairn_carry), fill_carry},
	{"cairn_check_result", sizeof(struct cairn_check_result), fill_check},
	{"cairn_coverage", sizeof(struct cairn_coverage), fill_coverage},
	{"cairn_derived", sizeof(struct cairn_derived), fill_derived},
	{"cairn_diff_sum", sizeof(struct cairn_diff_sum), fill_diff},
	{"cairn_image_match", sizeof(struct cairn_image_match), fill_match},
	{"cairn_ete_tracer_stats", sizeof(struct cairn_ete_tracer_stats), fill_tracer},
};
enum { SIZED = sizeof sized / sizeof *sized, MORE = 64, GUARD = 0xa5 };

/* A struct of `size` bytes, zeros behind its size, with a guard behind it. */
static uint8_t *room_of(size_t size)
{
	uint8_t *room = malloc(size + MORE);
	assert_non_null(room);
	memset(room, 0, size);
	memset(room + size, GUARD, MORE);
	memcpy(room, &size, sizeof size);
	return room;
}

static void fill_and_look(size_t which, size_t size, const uint8_t *whole)
{
	uint8_t *room = room_of(size);
	size_t known = size < sized[which].size ? size : sized[which].size;
	if (size > known) /* what only the newer program knows */
		memset(room + known, GUARD, size - known);
	assert_int_equal(sized[which].fill(room), 0);
	for (size_t i = known; i < size + MORE; i++)
		if (room[i] != GUARD)
			fail_msg("%s of %zu bytes: byte %zu was touched", sized[which].name, size, i);
	if (memcmp(room, &size, sizeof size) != 0)
		fail_msg("%s of %zu bytes: its size was changed", sized[which].name, size);
	if (memcmp(room + sizeof size, whole + sizeof size, known - sizeof size) != 0)
		fail_msg("%s of %zu bytes: filled otherwise than a whole one", sized[which].name, size);
	free(room);
}

static void other_sizes_are_respected(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZED; i++) {
		uint8_t *whole = room_of(sized[i].size);
		assert_int_equal(sized[i].fill(whole), 0);
		bool any = false;
		for (size_t k = sizeof(size_t); k < sized[i].size; k++)
			any |= whole[k] != 0;
		if (!any && sized[i].fill != fill_diff)
			fail_msg("%s: nothing was filled", sized[i].name);
		fill_and_look(i, sized[i].size, whole);
		fill_and_look(i, sized[i].size - sizeof(uint64_t), whole);
		fill_and_look(i, sizeof(size_t) + sizeof(uint64_t), whole);
		fill_and_look(i, sized[i].size + 24, whole);
		free(whole);
	}
}

static void a_size_that_is_not_set_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZED; i++) {
		uint8_t *room = room_of(sized[i].size);
		memset(room, 0, sizeof(size_t));
		assert_int_equal(sized[i].fill(room), CAIRN_E_INVAL);
		for (size_t k = 0; k < sized[i].size; k++)
			assert_int_equal(room[k], 0);
		free(room);
	}
}

/* What owns memory has at least what its first version had, or nobody could free it. */
static void numbers_found_are_never_left_behind(void **state)
{
	(void)state;
	struct {
		struct cairn_found found;
		uint8_t guard[MORE];
	} theirs = {.found.size = sizeof theirs};
	struct cairn_find_opts opts = {.size = sizeof opts, .most = 3};
	struct cairn_reader *reader = open_it();
	memset(theirs.guard, GUARD, MORE);
	assert_int_equal(cairn_find(reader, &opts, &theirs.found) < 0, 0);
	assert_int_equal(theirs.found.n, 3);
	assert_int_equal(theirs.found.numbers[2], 3);
	cairn_found_free(c, &theirs.found);
	assert_null(theirs.found.numbers);
	for (size_t i = 0; i < MORE; i++)
		assert_int_equal(theirs.guard[i], GUARD);
	assert_int_equal(theirs.found.size, sizeof theirs);
	theirs.found.size = offsetof(struct cairn_found, numbers);
	assert_int_equal(cairn_find(reader, &opts, &theirs.found), CAIRN_E_INVAL);
	theirs.found.size = 0;
	assert_int_equal(cairn_find(reader, &opts, &theirs.found), CAIRN_E_INVAL);
	cairn_close(reader);
}

static void write_a_trace(void)
{
	struct cairn_stf_writer *writer;
	assert_int_equal(cairn_stf_create(c, path, NULL, &writer), 0);
	assert_int_equal(cairn_stf_begin(writer, NULL), 0);
	for (uint64_t i = 0; i < 50; i++) {
		/* addi x1, x0, 5: its result follows */
		struct cairn_stf_insn insn = {.pc = 0x1000 + 4 * i, .enc = 0x00500093, .size = 4};
		assert_int_equal(cairn_stf_put(writer, &insn), 0);
	}
	assert_int_equal(cairn_stf_finish(writer), 0);
}

static int begin(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-sized-XXXXXX");
	if (!(c = cairn_new(NULL)) || !mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/t.stf", dir);
	write_a_trace();
	return 0;
}

static int end(void **state)
{
	(void)state;
	char index[160];
	snprintf(index, sizeof index, "%s.cai", path);
	unlink(index);
	unlink(path);
	rmdir(dir);
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_sizes_are_respected),
		cmocka_unit_test(a_size_that_is_not_set_is_refused),
		cmocka_unit_test(numbers_found_are_never_left_behind),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
