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
 * program that is not the one that ran, as `check` without execution finds, too; names of
 * directories that were replaced where they are loaded, and not where they are stored; random fields. */
static bool is_known_wrong(const char *path)
{
	return strstr(path, "/sanity-f0dcb73.zstf") || strstr(path, "/snapshots/infrastructure") ||
	       strstr(path, "/value_shade") || strstr(path, "/allrec_45k");
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
	if (strstr(path, "/sve-vl") && strstr(path, "-logall"))
		assert_true(result.values > 1000 && result.determined * 10 > result.values * 9);
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

/* A value in the bytes of a trace, of `bits` bits; of a log the first of its hexadecimal digits, or
 * one that is 0 or 1. */
struct value {
	size_t at;
	unsigned bits;
	const char *kind;
	bool text;
};

enum { REGVAL_FLOAT = 2, REGVAL_CC = 6 }; /* the numbers of regtypes */

static struct value *values;
static size_t n_values;

static void add_value(size_t at, unsigned bits, const char *kind)
{
	if ((n_values & (n_values - 1)) == 0)
		values = realloc(values, (n_values ? 2 * n_values : 1) * sizeof *values);
	assert_non_null(values);
	values[n_values++] = (struct value){.at = at, .bits = bits, .kind = kind};
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

/* Where the values of a log of VIXL's simulator stand: behind ": 0x", arrows and the names of flags,
 * from its first instruction on. */
static void find_words(const uint8_t *data, size_t n)
{
	static const struct {
		const char *text, *kind;
	} before[] = {{": 0x", "result"},    {"<- 0x", "address"}, {"-> 0x", "address"},
	              {"h to 0x", "target"}, {" N:", "flag"},      {" Z:", "flag"},
	              {" C:", "flag"},       {" V:", "flag"}};
	const char *text = (const char *)data, *from = strstr(text, "\n0x");
	n_values = 0;
	for (const char *p = from; p && p < text + n; p++)
		for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
			size_t len = strlen(before[i].text);
			if (strncmp(p, before[i].text, len) != 0)
				continue;
			bool flag = !strcmp(before[i].kind, "flag");
			unsigned digits = flag ? 1 : (unsigned)strspn(p + len, "0123456789abcdef");
			add_value((size_t)(p - text) + len, flag ? 1 : 4 * digits, before[i].kind);
			values[n_values - 1].text = true;
		}
}

/* Find the values of a raw RST. Numbers are big-endian: one of fewer than 64 bits stands at the end. */
static void find_numbers(const uint8_t *data, size_t n)
{
	struct cairn_reader *reader;
	struct cairn_record rec;
	n_values = 0;
	assert_true(cairn_open_memory(c, data, n, NULL, &reader) >= 0);
	while (cairn_next_record(reader, &rec) > 0) {
		size_t end = rec.offset + rec.size;
		if (!strcmp(rec.name, "REGVAL") && field(&rec, "post")) {
			uint8_t type = data[rec.offset + 2];
			if (type ==
			    REGVAL_CC) /* the value stands where other types have the register's number */
				add_value(rec.offset + 4, 8, "flags");
			else
				add_value(type == REGVAL_FLOAT ? end - 12 : end - 16,
				          type == REGVAL_FLOAT ? 32 : 64, "result");
		} else if (!strcmp(rec.name, "INSTR") && field(&rec, "ea_valid")) {
			add_value(end - 8, 64, "address");
		} else if (!strcmp(rec.name, "MEMVAL")) {
			unsigned size = (unsigned)field(&rec, "size");
			add_value(end - size, 8 * size, "contents");
		}
	}
	cairn_close(reader);
}

/* Add a value that a log has as hexadecimal digits at `p`. */
static void add_digits(const char *text, const char *p, const char *kind)
{
	unsigned digits = (unsigned)strspn(p, "0123456789abcdefABCDEF");
	if (!digits || digits > 16)
		return;
	add_value((size_t)(p - text), 4 * digits, kind);
	values[n_values - 1].text = true;
}

/* Where the values of a Tarmac log stand, from its first instruction on: general registers, and what
 * is read and written where. */
static void find_tarmac(const uint8_t *data, size_t n)
{
	const char *text = (const char *)data;
	n_values = 0;
	for (const char *p = strstr(text, " IT ("); p && p < text + n; p = strchr(p + 1, '\n')) {
		const char *line = p + 1, *end = strchr(line, '\n'), *at;
		char name[16];
		int from = 0, to = 0, contents = 0;
		if (!end)
			break;
		if ((at = strstr(line, " R ")) && at < end &&
		    sscanf(at, " R %15[XSP0-9] %n", name, &from) == 1 && from)
			add_digits(text, at + from, "result");
		if ((at = strstr(line, " M")) && at < end &&
		    sscanf(at, " M%*1[RW]%*1[1248] %n%*[0-9a-f]%*[:0-9a-f] %n", &to, &contents) >= 0 &&
		    contents) {
			add_digits(text, at + to, "address");
			add_digits(text, at + contents, "contents");
		}
	}
}

/* Change bit `bit` of a value, or change it back. */
static void flip(uint8_t *data, const struct value *value, unsigned bit)
{
	uint8_t *byte = &data[value->at + bit / 8];
	if (!value->text) {
		*byte ^= (uint8_t)(1u << bit % 8);
		return;
	}
	byte = &data[value->at + (value->bits - 1 - bit) / 4];
	unsigned digit = (unsigned)strtoul((char[]){(char)*byte, 0}, NULL, 16) ^ 1u << bit % 4;
	*byte = (uint8_t) "0123456789abcdef"[digit];
}

/* How many errors and warnings a trace has, and how many of them execution finds. */
static uint64_t judge(const uint8_t *data, size_t n, struct found *found)
{
	static struct cairn_check_result result;
	struct cairn_reader *reader;
	assert_true(cairn_open_memory(c, data, n, NULL, &reader) >= 0);
	assert_true(check_reader(reader, 1, found, &result) >= 0);
	cairn_close(reader);
	return result.errors + result.warnings;
}

/* At least `percent` of changed bits are found. */
static void change_bits(const char *name, uint8_t *data, size_t n, unsigned percent)
{
	const char *given = getenv("CAIRN_LONG"), *seed = getenv("CAIRN_SEED");
	unsigned tries = given ? (unsigned)strtoul(given, NULL, 0) : 100, found = 0;
	random_state = seed ? strtoull(seed, NULL, 0) : 88172645463325252u;
	struct found exec;
	uint64_t before = judge(data, n, &exec);
	assert_true(exec.single + exec.whole == 0);
	assert_true(n_values > 1000);
	for (unsigned i = 0; i < tries; i++) {
		const struct value *value = &values[random_below(n_values)];
		unsigned bit = (unsigned)random_below(value->bits);
		flip(data, value, bit);
		bool is = judge(data, n, &exec) > before;
		flip(data, value, bit);
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
	uint8_t *data = calloc(1, *n + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, *n, file), *n);
	fclose(file);
	return data;
}

/* The bytes of a file of the given data; NULL: it is not there. */
static uint8_t *read_given(const char *name, size_t *n)
{
	const char *given = getenv("CAIRN_TEST_DATA");
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", given ? given : "", name);
	return given ? read_whole(path, n) : NULL;
}

/* The first `last` instructions of an example, all of them where that is 0, unpacked as `out`. */
static uint8_t *read_example(const char *name, uint64_t last, const char *out_path, size_t *n)
{
	const struct cairn_range range = {.first = 1, .last = last};
	const struct cairn_slice_opts which = {.size = sizeof which, .ranges = &range, .n_ranges = 1};
	const struct cairn_output out = {.size = sizeof out, .path = out_path};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_reader *reader;
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", getenv("EXAMPLES"), name);
	assert_true(cairn_open(c, path, NULL, &reader) >= 0);
	assert_true((last ? cairn_slice(reader, &which, &out, &done)
	                  : cairn_convert(reader, &out, &done)) >= 0);
	cairn_changed_free(c, &done);
	cairn_close(reader);
	uint8_t *data = read_whole(out_path, n);
	assert_non_null(data);
	remove(out_path);
	return data;
}

/* A trace by a simulator, with sizes of accesses in bits. */
static void changed_bits_of_a_given_trace_are_found(void **state)
{
	size_t n = 0;
	uint8_t *data = read_given("stf/bmi_towers.bare-6873998.stf", &n);
	(void)state;
	if (!data)
		skip();
	find_values(data, n, true);
	change_bits("bmi_towers", data, n, 99);
	free(data);
}

/* A given log in Tarmac's form. */
static void changed_bits_of_a_tarmac_log_are_found(void **state)
{
	size_t n = 0;
	uint8_t *data = read_given("text-traces/calculator-aarch64-fastmodel.tarmac", &n);
	(void)state;
	if (!data)
		skip();
	find_tarmac(data, n);
	change_bits("calculator", data, n, 99);
	free(data);
}

/* ---- a log as Spike would have made it ---- */

/* What an instruction commits: `spike --log-commits` tells results, addresses and what is stored. */
static void print_commit(FILE *file, const struct cairn_batch *batch, const struct cairn_insn *insn)
{
	fprintf(file, "core   0: 0 0x%016" PRIx64 " (0x%0*" PRIx32 ")", insn->pc, 2 * insn->size,
	        insn->enc);
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		if (reg->role == CAIRN_ROLE_DST && reg->cls == CAIRN_REG_INT && reg->num &&
		    reg->flags & CAIRN_VALUE_KNOWN)
			fprintf(file, " x%-2u 0x%016" PRIx64, reg->num, reg->value);
	}
	for (uint32_t k = insn->mem0; k < insn[1].mem0; k++) {
		const struct cairn_mem *mem = &batch->mems[k];
		fprintf(file, " mem 0x%016" PRIx64, mem->addr);
		if (mem->kind == CAIRN_MEM_WRITE && mem->flags & CAIRN_VALUE_KNOWN && mem->size <= 8)
			fprintf(file, " 0x%0*" PRIx64, 2 * (int)mem->size, mem->value);
	}
	fputc('\n', file);
}

static uint8_t *commits_of_example(const char *name, uint64_t last, size_t *n)
{
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_reader *reader;
	char path[4096], *text = NULL;
	FILE *file = open_memstream(&text, n);
	snprintf(path, sizeof path, "%s/%s", getenv("EXAMPLES"), name);
	assert_true(batch && file);
	assert_true(cairn_open(c, path, NULL, &reader) >= 0);
	while (cairn_next(reader, batch) > 0 && batch->n0 <= last)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			print_commit(file, batch, &batch->insns[i]);
	fclose(file);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return (uint8_t *)text;
}

/* Where such a log has values: behind names of registers, and of accesses. */
static void find_commits(const uint8_t *data, size_t n)
{
	const char *text = (const char *)data;
	n_values = 0;
	for (const char *p = strchr(text, ')'); p && p + 4 < text + n; p = strchr(p + 1, ')')) {
		const char *end = strchr(p, '\n'), *mem = strstr(p, " mem ");
		for (const char *at = strstr(p, " 0x"); at && at < end; at = strstr(at + 1, " 0x"))
			add_digits(text, at + 3,
			           !mem || mem > at ? "result"
			           : mem + 4 == at  ? "address"
			                            : "contents");
	}
}

static void changed_bits_of_commits_are_found(void **state)
{
	size_t n = 0;
	uint8_t *data = commits_of_example("sort.zstf", 4000, &n);
	(void)state;
	find_commits(data, n);
	change_bits("commits of sort", data, n, 99);
	free(data);
}

/* Our own recorder's, of a program under QEMU: its first instructions. */
static void changed_bits_of_a_capture_are_found(void **state)
{
	size_t n = 0;
	uint8_t *data = read_example("sort.zstf", 6000, "execute.stf", &n);
	(void)state;
	find_values(data, n, false);
	change_bits("sort", data, n, 99);
	free(data);
}

/* The log that VIXL's simulator would print of a program under QEMU. */
static void changed_bits_of_a_log_are_found(void **state)
{
	size_t n = 0;
	uint8_t *data = read_example("sort-a64.vixl.xz", 0, "execute.vixl", &n);
	(void)state;
	find_words(data, n - 1);
	/* Nothing tells FPCR, so results that may have been rounded judge nothing. */
	change_bits("sort-a64", data, n, 96);
	free(data);
}

/* Its log of vectors of 512 bits, of which the report at its beginning tells how long they are. Where
 * arrows have no room their addresses are cut off. */
static void changed_bits_of_vectors_are_found(void **state)
{
	size_t n = 0;
	uint8_t *data = read_given("vixl/generated/sve-vl512-logall.txt", &n);
	(void)state;
	if (!data)
		skip();
	find_words(data, n - 1);
	change_bits("sve-vl512", data, n, 90);
	free(data);
}

/* An RST that our recorder made. */
static void changed_bits_of_an_rst_are_found(void **state)
{
	size_t n = 0;
	uint8_t *data = read_example("sort-v9.rst.xz", 0, "execute.rst", &n);
	(void)state;
	find_numbers(data, n);
	change_bits("sort-v9", data, n, 99);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_traces_agree),
		cmocka_unit_test(examples_agree),
		cmocka_unit_test(changed_bits_of_a_given_trace_are_found),
		cmocka_unit_test(changed_bits_of_a_capture_are_found),
		cmocka_unit_test(changed_bits_of_commits_are_found),
		cmocka_unit_test(changed_bits_of_a_log_are_found),
		cmocka_unit_test(changed_bits_of_vectors_are_found),
		cmocka_unit_test(changed_bits_of_an_rst_are_found),
		cmocka_unit_test(changed_bits_of_a_tarmac_log_are_found),
	};
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(values);
	cairn_free(c);
	return failed;
}
