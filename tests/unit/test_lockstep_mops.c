/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `check --execute` of logs with copies and sets of memory (A64's FEAT_MOPS): as VIXL's simulator prints them,
 * which takes option B, does all in the second instruction and tells each byte; and of processors that
 * divide the work otherwise, in logs that tell registers only, or accesses only. Nothing is found in them, and
 * one changed bit is, where the rest of the log determines it.
 *
 * CAIRN_LONG=N changes N bits of each kind of log, CAIRN_SEED=N others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "cairn/cairn.h"
#include "fixtures/exec_cases.h"
#include "fixtures/slow_mops.h"

enum { BASE = 10, LOADED = 9, PC = 0x400000 };

static struct cairn *c;

/* ---- a log ---- */

struct style {
	const char *name;
	bool simulator; /* as VIXL's does it */
	bool accesses, registers;
	bool silent; /* no registers at the end either */
};

struct log {
	struct base_buf text;
	uint64_t pc;
	size_t work, rest; /* where the three instructions begin, and the loads behind them */
	const struct style *style;
	uint64_t after[3][8]; /* registers behind each of the three */
};

static void put(struct log *log, const char *format, ...)
{
	char line[128];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	assert_int_equal(base_buf_put(&log->text, line, (size_t)n), 0);
}

static void put_insn(struct log *log, uint32_t enc, const char *text)
{
	put(log, "0x%016llx  %08x\t\t%s\n", (unsigned long long)log->pc, enc, text);
	log->pc += 4;
}

static void put_register(struct log *log, unsigned num, uint64_t value)
{
	char name[8];
	snprintf(name, sizeof name, "x%u", num);
	put(log, "# %14s: 0x%016llx\n", name, (unsigned long long)value);
}

/* Load all of the page. */
static void put_loads(struct log *log, const struct processor *processor)
{
	char name[8];
	snprintf(name, sizeof name, "x%u", (unsigned)LOADED);
	for (unsigned at = 0; at < PAGE_BYTES; at += 8) {
		uint64_t value = 0;
		for (unsigned i = 0; i < 8; i++)
			value |= (uint64_t)processor->memory[at + i] << 8 * i;
		put_insn(log, 0xf9400000 | at / 8 << 10 | BASE << 5 | LOADED, "ldr x9, [x10, #0]");
		put(log, "# %14s: 0x%016llx <- 0x%016llx\n", name, (unsigned long long)value,
		    (unsigned long long)(PAGE + at));
	}
}

/* Byte by byte, whatever the blocks are. */
static void put_accesses(struct log *log, const struct processor *processor,
                         const struct operation *of)
{
	for (unsigned k = of->sets ? 0 : 1; k < processor->n_told; k += of->sets ? 1 : 2) {
		const struct cairn_step_told *to = &processor->told[k];
		for (unsigned i = 0; i < to->size; i++)
			if (of->sets)
				put(log, "#        x4<7:0>:               0x%02x -> 0x%016llx\n", to->bytes[i],
				    (unsigned long long)to->address + i);
			else
				put(log, "#               : 0x%016llx <- 0x%02x <- 0x%016llx\n",
				    (unsigned long long)to->address + i, to->bytes[i],
				    (unsigned long long)to[-1].address + i);
	}
}

static void put_flags(struct log *log, const struct processor *processor)
{
	unsigned nzcv = processor->nzcv;
	put(log, "# NZCV: N:%u Z:%u C:%u V:%u\n", nzcv >> 3, nzcv >> 2 & 1, nzcv >> 1 & 1, nzcv & 1);
}

static void put_stage(struct log *log, struct processor *processor, const struct operation *of,
                      enum stage stage)
{
	const struct style *style = log->style;
	uint64_t amount = style->simulator ? (stage == MAIN ? 1000 : 0) : random_bits() % 200;
	if (of->sets && of->other)
		amount &= style->simulator ? UINT64_MAX : ~UINT64_C(15);
	slow_mops(processor, of, stage, amount, style->simulator ? 1 : 16);
	memcpy(log->after[stage], processor->x, sizeof processor->x);
	put_insn(log, mops_encoding(of, stage), of->sets ? "set" : "cpy");
	if (style->accesses)
		put_accesses(log, processor, of);
	if (stage == PROLOGUE && (style->registers || style->simulator))
		put_flags(log, processor);
	if (!style->registers && stage != EPILOGUE)
		return;
	if (style->silent || (style->simulator && stage != MAIN))
		return;
	put_register(log, TO, processor->x[TO]);
	put_register(log, COUNT, processor->x[COUNT]);
	if (!of->sets)
		put_register(log, FROM, processor->x[FROM]);
}

static void begin_processor(struct processor *processor, const struct operation *of, bool simulator)
{
	memset(processor, 0, sizeof *processor);
	processor->option_a = !simulator && random_bits() >> 7 & 1;
	processor->prefers_backward = !simulator && random_bits() >> 7 & 1;
	processor->x[TO] = PAGE + 640 + random_bits() % 640;
	processor->x[FROM] = processor->x[TO] - 300 + random_bits() % 600;
	processor->x[COUNT] = 1 + random_bits() % 200;
	if (of->sets && of->other) {
		processor->x[TO] &= ~UINT64_C(15);
		processor->x[COUNT] = (processor->x[COUNT] + 15) & ~UINT64_C(15);
	}
	for (unsigned i = 0; i < PAGE_BYTES; i++)
		processor->memory[i] = (uint8_t)(random_bits() >> 9);
}

static struct log make_log(const struct style *style)
{
	static struct processor processor;
	struct log log = {.pc = PC, .style = style};
	uint64_t random = random_bits();
	const struct operation of = {random >> 8 & 1, random >> 9 & 1, random >> 10 & 15};
	base_buf_init(&log.text, c);
	begin_processor(&processor, &of, style->simulator);
	for (unsigned i = TO; i <= COUNT; i++)
		put_register(&log, i, processor.x[i]);
	put_register(&log, BASE, PAGE);
	put_loads(&log, &processor);
	log.work = log.text.len;
	for (unsigned stage = PROLOGUE; stage <= EPILOGUE; stage++)
		put_stage(&log, &processor, &of, (enum stage)stage);
	log.rest = log.text.len;
	put_loads(&log, &processor);
	assert_int_equal(base_buf_put(&log.text, "", 1), 0); /* it is a string, too */
	log.text.len--;
	return log;
}

/* ---- what is found ---- */

static int on_finding(void *user, const struct cairn_finding *finding)
{
	unsigned *found = user;
	if (!strncmp(finding->rule->id, "exec.", 5))
		*found += 1;
	return 0;
}

static unsigned findings(const struct log *log)
{
	struct cairn_reader *reader;
	unsigned found = 0;
	const struct cairn_check_opts opts = {.size = sizeof opts,
	                                      .threads = 1,
	                                      .finding = on_finding,
	                                      .user = &found,
	                                      .execute = 1};
	static struct cairn_check_result result;
	result.size = sizeof result;
	assert_true(cairn_open_memory(c, log->text.data, log->text.len, NULL, &reader) >= 0);
	assert_true(cairn_check(reader, &opts, &result) >= 0);
	cairn_close(reader);
	return found;
}

static const struct style styles[] = {{"as the simulator", true, true, true},
                                      {"registers", false, false, true},
                                      {"accesses", false, true, false},
                                      {"both", false, true, true}};
enum { STYLES = sizeof styles / sizeof *styles };

static void logs_agree(void **state)
{
	(void)state;
	exec_seed("logs", 1);
	for (unsigned k = 0; k < 200; k++) {
		struct log log = make_log(&styles[k % STYLES]);
		unsigned found = findings(&log);
		if (found)
			fail_msg("%s: %u findings\n%s", log.style->name, found,
			         (const char *)log.text.data + log.work);
		base_buf_free(&log.text);
	}
}

/* ---- what is derived ---- */

/* Registers that are derived of one of the three instructions, against what they were. Gives how many. */
static unsigned compare_derived(const struct log *log, const struct cairn_batch *batch)
{
	unsigned derived = 0;
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		const struct cairn_insn *insn = &batch->insns[i];
		uint64_t stage = (insn->pc - PC) / 4 - PAGE_BYTES / 8;
		for (uint32_t k = insn->reg0; k < insn[1].reg0 && stage <= EPILOGUE; k++) {
			const struct cairn_reg *reg = &batch->regs[k];
			if (reg->role != CAIRN_ROLE_DST || reg->cls != CAIRN_REG_INT ||
			    !(reg->flags & CAIRN_VALUE_KNOWN))
				continue;
			assert_true(reg->flags & CAIRN_VALUE_DERIVED);
			assert_int_equal(reg->value, log->after[stage][reg->num]);
			derived++;
		}
	}
	return derived;
}

static void what_is_derived_is_right(void **state)
{
	static const struct style silent[] = {{"as the simulator", true, true, false, true},
	                                      {"accesses", false, true, false, true},
	                                      {"nothing", false, false, false, true}};
	const struct cairn_open_opts how = {.size = sizeof how, .derive = 1};
	unsigned derived = 0;
	(void)state;
	exec_seed("derived", 1);
	for (unsigned k = 0; k < 300; k++) {
		struct log log = make_log(&silent[k % 3]);
		struct cairn_batch *batch = cairn_batch_new(c);
		struct cairn_reader *reader;
		assert_true(cairn_open_memory(c, log.text.data, log.text.len, &how, &reader) >= 0);
		while (cairn_next(reader, batch) > 0)
			derived += compare_derived(&log, batch);
		cairn_close(reader);
		cairn_batch_free(c, batch);
		base_buf_free(&log.text);
	}
	print_message("%u registers were derived\n", derived);
	assert_true(derived > 600);
}

/* ---- one bit ---- */

enum kind { RESULT, FLAG, OPTION, CONTENTS, FROM_ADDRESS, TO_ADDRESS, LOAD, KINDS };
/* How many of a hundred bits have to be found. Not determined are the option (C), where nothing remains to be
 * done behind the first instruction or nothing tells how registers stand in between; lower bits of addresses
 * that are read; where a copy ends that may go either way; bytes that are copied onto others to be read. */
static const struct {
	const char *name;
	unsigned least;
} kinds[] = {[RESULT] = {"results", 95},
             [FLAG] = {"N, Z and V", 99},
             [OPTION] = {"C", 0},
             [CONTENTS] = {"contents", 100},
             [FROM_ADDRESS] = {"addresses of sources", 90},
             [TO_ADDRESS] = {"addresses of destinations", 95},
             [LOAD] = {"bytes loaded afterwards", 90}};

struct value {
	size_t at; /* its first digit */
	unsigned digits;
	enum kind kind;
};

/* What number `k` of a line of accesses or registers is. */
static enum kind kind_of(const struct log *log, size_t at, bool copies, unsigned digits, unsigned k)
{
	if (at >= log->rest)
		return k ? TO_ADDRESS : LOAD;
	if (copies)
		return k == 0 ? TO_ADDRESS : k == 1 ? CONTENTS : FROM_ADDRESS;
	return k ? TO_ADDRESS : digits == 2 ? CONTENTS : RESULT;
}

/* The values in the log from the three instructions on, but for addresses of loads. */
static size_t find_values(const struct log *log, struct value *values)
{
	const char *text = (const char *)log->text.data, *end = text + log->text.len, *eol;
	size_t n = 0;
	for (const char *line = text + log->work; line < end; line = eol + 1) {
		bool copies = !strncmp(line, "#               :", 17);
		eol = memchr(line, '\n', (size_t)(end - line));
		unsigned k = 0;
		for (const char *p = line; *line == '#' && p + 1 < eol; p++) {
			size_t at = (size_t)(p + 1 - text);
			if (!strncmp(line, "# NZCV", 6)) {
				if (*p == ':' && (p[1] == '0' || p[1] == '1'))
					values[n++] = (struct value){at, 1, p[-1] == 'C' ? OPTION : FLAG};
			} else if (p[0] == '0' && p[1] == 'x') {
				unsigned digits = (unsigned)strspn(p + 2, "0123456789abcdef");
				enum kind kind = kind_of(log, at, copies, digits, k++);
				if (at < log->rest || kind == LOAD)
					values[n++] = (struct value){at + 1, digits, kind};
			}
		}
	}
	return n;
}

static void change_bit(char *digit, unsigned bit)
{
	unsigned value = (unsigned)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10) ^ 1u << bit;
	*digit = "0123456789abcdef"[value];
}

/* Change a bit of a value of this kind. False: there is none. */
static bool change_one(struct log *log, enum kind kind)
{
	static struct value values[8192];
	size_t n = find_values(log, values), like = 0;
	for (size_t i = 0; i < n; i++)
		if (values[i].kind == kind)
			values[like++] = values[i];
	if (!like)
		return false;
	const struct value *value = &values[random_bits() % like];
	change_bit((char *)log->text.data + value->at + random_bits() % value->digits,
	           kind == FLAG || kind == OPTION ? 0 : (unsigned)random_bits() & 3);
	return true;
}

static void one_bit(const struct style *style, unsigned changes)
{
	unsigned tried[KINDS] = {0}, found[KINDS] = {0};
	for (unsigned k = 0; k < changes; k++) {
		struct log log = make_log(style);
		enum kind kind = (enum kind)(random_bits() % KINDS);
		if (change_one(&log, kind)) {
			tried[kind]++;
			found[kind] += findings(&log) != 0;
		}
		base_buf_free(&log.text);
	}
	for (unsigned i = 0; i < KINDS; i++) {
		if (tried[i])
			print_message("%s: of %u bits of %s %u were found\n", style->name, tried[i],
			              kinds[i].name, found[i]);
		assert_true(100 * found[i] >= kinds[i].least * tried[i]);
	}
}

static void one_changed_bit_is_found(void **state)
{
	const char *more = getenv("CAIRN_LONG");
	(void)state;
	exec_seed("bits", 1);
	for (unsigned i = 0; i < STYLES; i++)
		one_bit(&styles[i], more ? (unsigned)atoi(more) : 600);
}

/* Accesses of more than 8 bytes are compared wholly. */
static void both_halves_of_16_bytes_are_compared(void **state)
{
	static const char *const loaded[] = {"0123456789abcdef0123456789abcdef",
	                                     "0123456789abcdef0123456789abcdee",
	                                     "1123456789abcdef0123456789abcdef"};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct log log = {.pc = PC};
		base_buf_init(&log.text, c);
		put_register(&log, BASE, PAGE);
		for (unsigned k = 0; k < 2; k++) {
			put_insn(&log, 0x3dc00140, "ldr q0, [x10]");
			put(&log, "# %14s: 0x%s <- 0x%016llx\n", "v0", loaded[k ? i : 0],
			    (unsigned long long)PAGE);
		}
		assert_int_equal(findings(&log), i != 0);
		base_buf_free(&log.text);
	}
}

static int begin(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_agree),
		cmocka_unit_test(what_is_derived_is_right),
		cmocka_unit_test(one_changed_bit_is_found),
		cmocka_unit_test(both_halves_of_16_bytes_are_compared),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
