/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `check --execute`: given traces agree with what their instructions make (or disagree about a kind
 * of values throughout, which is one finding each), and one changed bit of a value is found.
 *
 * CAIRN_LONG=N changes N bits of each trace, CAIRN_SEED=N others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "given.h"

static struct cairn *c;

/* ---- checking ---- */

/* Findings of the rules exec.* but for those that say that a kind is wrong throughout. */
struct found {
	uint64_t single, whole;
};

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct found *found = user;
	if (strncmp(finding->rule->id, "exec.", 5) != 0)
		return 0;
	if (finding->known & CAIRN_PLACE_INSN)
		found->single++;
	else
		found->whole++;
	return 0;
}

static int check_reader(struct cairn_reader *reader, unsigned threads, struct found *found,
                        struct cairn_check_result *result)
{
	const struct cairn_check_opts opts = {.size = sizeof opts,
	                                      .threads = threads,
	                                      .finding = on_finding,
	                                      .user = found,
	                                      .execute = 1};
	*found = (struct found){0};
	result->size = sizeof *result;
	return cairn_check(reader, &opts, result);
}

/* ---- given traces ---- */

static unsigned traces, wrong;
static uint64_t executed;

/* Traces that are wrong, though not about all of a kind: contents of 0 where 0x75 was added; a
 * program that is not the one that ran, as `check` without execution finds, too. */
static bool is_known_wrong(const char *path)
{
	return strstr(path, "/sanity-f0dcb73.zstf") || strstr(path, "/snapshots/infrastructure");
}

static void one_trace(const char *path)
{
	const struct cairn_open_opts how = {.size = sizeof how, .lenient = 1, .no_index = 1};
	static struct cairn_check_result result;
	struct cairn_reader *reader;
	struct found found;
	if (strstr(path, "/every-record/") || cairn_open(c, path, &how, &reader) < 0)
		return; /* the first have one of each record, with any values */
	if (check_reader(reader, 2, &found, &result) >= 0) {
		traces++;
		executed += result.executed;
		if ((found.single != 0) != is_known_wrong(path)) {
			print_message("%s: %" PRIu64 " findings\n", path, found.single);
			wrong++;
		}
	}
	cairn_close(reader);
}

static void given_traces_agree(void **state)
{
	(void)state;
	if (!given_traces(one_trace))
		skip();
	assert_int_equal(wrong, 0);
	assert_true(traces > 100 && executed > 1000000);
}

static void examples_agree(void **state)
{
	static const char *const names[] = {"sort.zstf",         "sort-a64.vixl.xz", "sort-v9.rst.xz",
	                                    "sort-a64.snapshot", "traps.rst",        "sum.vixl"};
	char path[4096];
	(void)state;
	wrong = traces = 0;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", getenv("EXAMPLES"), names[i]);
		one_trace(path);
	}
	assert_int_equal(traces, sizeof names / sizeof *names);
	assert_int_equal(wrong, 0);
}

/* ---- one bit ---- */

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

/* A value in the bytes of a trace, of `bits` bits. */
struct value {
	size_t at;
	unsigned bits;
	const char *kind;
};

static struct value *values;
static size_t n_values;

static void add_value(size_t at, unsigned bits, const char *kind)
{
	if ((n_values & (n_values - 1)) == 0)
		values = realloc(values, (n_values ? 2 * n_values : 1) * sizeof *values);
	assert_non_null(values);
	values[n_values++] = (struct value){at, bits, kind};
}

static uint64_t field(const struct cairn_record *rec, const char *name)
{
	for (unsigned i = 0; i < rec->n_fields; i++)
		if (!strcmp(rec->fields[i].name, name))
			return rec->fields[i].value;
	return 0;
}

static bool is_dest(const struct cairn_record *rec)
{
	for (unsigned i = 0; i < rec->n_fields; i++)
		if (!strcmp(rec->fields[i].name, "operand"))
			return rec->fields[i].text && !strncmp(rec->fields[i].text, "DEST", 4);
	return false;
}

/* Where the values of a raw STF stand, which ends with its instruction `last`. */
static void find_values(const uint8_t *data, size_t n, bool sizes_in_bits)
{
	struct cairn_reader *reader;
	struct cairn_record rec;
	unsigned bits = 0;
	n_values = 0;
	assert_true(cairn_open_memory(c, data, n, NULL, &reader) >= 0);
	while (cairn_next_record(reader, &rec) > 0) {
		size_t end = rec.offset + rec.size;
		if (!rec.insn)
			continue;
		if (!strcmp(rec.name, "INST_REG") && rec.size == 12 && is_dest(&rec))
			add_value(end - 8, 64, "result");
		else if (!strcmp(rec.name, "INST_PC_TARGET"))
			add_value(end - 8, 64, "target");
		else if (!strcmp(rec.name, "INST_MEM_ACCESS")) {
			add_value(rec.offset + 1, 64, "address");
			bits = (unsigned)field(&rec, "bytes") * (sizes_in_bits ? 1 : 8);
		} else if (!strcmp(rec.name, "INST_MEM_CONTENT") && bits && bits <= 64)
			add_value(end - 8, bits, "contents");
	}
	cairn_close(reader);
}

static bool is_found(uint8_t *data, size_t n)
{
	static struct cairn_check_result result;
	struct cairn_reader *reader;
	struct found found;
	assert_true(cairn_open_memory(c, data, n, NULL, &reader) >= 0);
	assert_true(check_reader(reader, 1, &found, &result) >= 0);
	cairn_close(reader);
	return found.single + found.whole > 0;
}

/* At least `percent` of changed bits are found. */
static void change_bits(const char *name, uint8_t *data, size_t n, bool sizes_in_bits,
                        unsigned percent)
{
	const char *given = getenv("CAIRN_LONG"), *seed = getenv("CAIRN_SEED");
	unsigned tries = given ? (unsigned)strtoul(given, NULL, 0) : 100, found = 0;
	random_state = seed ? strtoull(seed, NULL, 0) : 88172645463325252u;
	assert_false(is_found(data, n));
	find_values(data, n, sizes_in_bits);
	assert_true(n_values > 1000);
	for (unsigned i = 0; i < tries; i++) {
		const struct value *value = &values[random_below(n_values)];
		unsigned bit = (unsigned)random_below(value->bits);
		uint8_t *byte = &data[value->at + bit / 8], mask = (uint8_t)(1u << bit % 8);
		*byte ^= mask;
		bool is = is_found(data, n);
		*byte ^= mask;
		found += is;
		if (!is && given)
			print_message("%s: bit %u of the %s at byte 0x%zx is not found\n", name, bit,
			              value->kind, value->at);
	}
	print_message("%s: %u of %u changed bits found\n", name, found, tries);
	assert_true(found * 100 >= tries * percent);
}

static uint8_t *read_whole(const char *path, size_t *n)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*n = (size_t)ftell(file);
	rewind(file);
	uint8_t *data = malloc(*n);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, *n, file), *n);
	fclose(file);
	return data;
}

/* A trace by a simulator, with sizes of accesses in bits. */
static void changed_bits_of_a_given_trace_are_found(void **state)
{
	const char *given = getenv("CAIRN_TEST_DATA");
	char path[4096];
	size_t n;
	(void)state;
	snprintf(path, sizeof path, "%s/stf/bmi_towers.bare-6873998.stf", given ? given : "");
	uint8_t *data = given ? read_whole(path, &n) : NULL;
	if (!data)
		skip();
	change_bits("bmi_towers", data, n, true, 99);
	free(data);
}

/* Our own recorder's, of a program under QEMU: its first instructions. */
static void changed_bits_of_a_capture_are_found(void **state)
{
	const struct cairn_range range = {.first = 1, .last = 6000};
	const struct cairn_slice_opts which = {.size = sizeof which, .ranges = &range, .n_ranges = 1};
	const struct cairn_output out = {.size = sizeof out, .path = "execute.stf"};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_reader *reader;
	char path[4096];
	size_t n;
	(void)state;
	snprintf(path, sizeof path, "%s/sort.zstf", getenv("EXAMPLES"));
	assert_true(cairn_open(c, path, NULL, &reader) >= 0);
	assert_true(cairn_slice(reader, &which, &out, &done) >= 0);
	cairn_changed_free(c, &done);
	cairn_close(reader);
	uint8_t *data = read_whole("execute.stf", &n);
	assert_non_null(data);
	remove("execute.stf");
	change_bits("sort", data, n, false, 99);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_traces_agree),
		cmocka_unit_test(examples_agree),
		cmocka_unit_test(changed_bits_of_a_given_trace_are_found),
		cmocka_unit_test(changed_bits_of_a_capture_are_found),
	};
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(values);
	cairn_free(c);
	return failed;
}
