/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a format of a program's own gives: the first byte of a call says what comes,
 * and the rows are the bytes behind it. What is asserted: batches keep the model's rules whatever
 * is given; threads and batches make no difference; what is not wanted only leaves out rows; and
 * every writer bears it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/fixtures.h"
#include "cairn/cairn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_CALLS = 4000, MOST_ROWS = 20000, WIDE = 1 << 17 };

static uint8_t wide[WIDE];

struct script {
	unsigned calls, rows;
};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

static int script_probe(void *user, const uint8_t *head, size_t n)
{
	(void)user, (void)head, (void)n;
	return 1;
}

static int script_open(void *user, struct cairn_input *input, const char *options, void **state)
{
	const uint8_t *p;
	(void)user, (void)options;
	*state = calloc(1, sizeof(struct script));
	int64_t n = cairn_input_bytes(input, 2, &p);
	if (n == 2 && p[0] & 1)
		cairn_input_comment(input, (const char *)p, 2);
	if (n == 2 && cairn_isa_name((enum cairn_isa)(p[1] & 31)))
		cairn_input_isa(input, (enum cairn_isa)(p[1] & 31));
	return *state ? 0 : CAIRN_E_NOMEM;
}

/* A row whose bytes come from the trace; zeros where it ends. */
static int script_take(struct cairn_input *input, void *row, size_t size)
{
	const uint8_t *p;
	memset(row, 0, size);
	int64_t n = cairn_input_bytes(input, size, &p);
	if (n > 0)
		memcpy(row, p, (size_t)n);
	return n < 0 ? (int)n : 1;
}

/* Most of what comes is made possible, so that it is not always the first row that is refused. */
static int script_row(struct cairn_input *input, struct cairn_slot *slot, unsigned what, bool tame)
{
	struct cairn_insn insn;
	struct cairn_reg reg;
	struct cairn_mem mem;
	struct cairn_event event;
	struct cairn_ctx ctx;
	int rc;
	switch (what) {
	case 0:
		rc = script_take(input, &insn, sizeof insn);
		if (tame) {
			insn.isa = insn.isa & 1 ? (uint8_t)CAIRN_ISA_A64 : (uint8_t)CAIRN_ISA_RV64;
			insn.size = insn.isa == CAIRN_ISA_A64 ? 4 : 0;
			insn.flags &= CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET | CAIRN_INSN_ABORTED;
			insn.variant = 0;
		}
		return rc < 0 ? rc : cairn_slot_insn(slot, &insn, wide);
	case 1:
		rc = script_take(input, &reg, sizeof reg);
		if (tame) {
			reg.cls &= 3;
			reg.role &= 3;
			reg.flags &= CAIRN_VALUE_KNOWN;
		}
		reg.bits %= WIDE;
		return rc < 0 ? rc : cairn_slot_reg(slot, &reg, wide);
	case 2:
		rc = script_take(input, &mem, sizeof mem);
		if (tame) {
			mem.kind &= 3;
			mem.initiator &= 3;
			mem.flags &= CAIRN_VALUE_KNOWN | CAIRN_VALUE_PA;
		}
		mem.size %= WIDE;
		return rc < 0 ? rc : cairn_slot_mem(slot, &mem, wide);
	case 3:
		rc = script_take(input, &event, sizeof event);
		event.len %= WIDE;
		if (tame) {
			event.kind = (uint8_t)(CAIRN_EV_EXCEPTION + event.kind % 7);
			event.phase &= 1;
			event.flags &= CAIRN_EVF_BYTES | CAIRN_EVF_RECORD;
			event.len &= 0x38;
		}
		return rc < 0 ? rc : cairn_slot_event(slot, &event, wide, event.len);
	case 4:
		rc = script_take(input, &ctx, sizeof ctx);
		ctx.known &= tame ? 511u & ~(unsigned)CAIRN_CTX_PRIV : UINT32_MAX;
		ctx.security &= tame ? 3 : 255;
		return rc < 0 ? rc : cairn_slot_context(slot, &ctx);
	default:
		return cairn_slot_damage(slot, what, "damage %u", what);
	}
}

static int script_next(void *state, struct cairn_input *input, struct cairn_slot *slot)
{
	struct script *script = state;
	const uint8_t *p;
	const char *line;
	size_t n;
	if (++script->calls > MOST_CALLS)
		return 0;
	for (int rc = 1; rc > 0;) {
		int64_t got = cairn_input_bytes(input, 1, &p);
		if (got <= 0)
			return (int)got;
		unsigned what = *p & 15, times = *p >> 7 ? 700 : 1;
		bool tame = !(*p & 16), more = *p & 32;
		if (what == 15)
			return cairn_input_fail(input, -(int)(*p >> 4), "it fails");
		if (what == 14)
			return cairn_input_line(input, &line, &n);
		if (what == 13)
			return cairn_slot_asm(slot, (const char *)wide, *p);
		for (unsigned i = 0; i < times && rc > 0 && script->rows < MOST_ROWS; i++, script->rows++)
			rc = script_row(input, slot, what, tame);
		if (rc <= 0 || !more)
			return rc;
	}
	return 1;
}

/* ---- what is asserted ---- */

struct told {
	struct cairn_reader *reader;
	struct base_buf text;
	int status;
};

static int told_begin(void *user, void **partial)
{
	*partial = user;
	return 0;
}

static int told_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct told *told = user;
	const char *why = check_batch(batch);
	(void)partial;
	check(!why, why ? why : "");
	fx_print_batch(told->reader, batch, &told->text);
	return 0;
}

static int told_fold(void *user, void *partial)
{
	(void)user, (void)partial;
	return 0;
}

static void tell(struct cairn *cairn, const uint8_t *data, size_t n, uint32_t want,
                 unsigned threads, struct told *told)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = told_begin,
	                                         .feed = told_feed,
	                                         .fold = told_fold};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "script"};
	*told = (struct told){0};
	base_buf_init(&told->text, cairn);
	check(cairn_open_memory(cairn, data, n, &opts, &told->reader) == 0, "a script opens");
	cairn_reader_want(told->reader, want);
	told->status = cairn_run(told->reader, &red, told, UINT64_MAX, threads);
	check(told->status >= 0 || *cairn_error_text(cairn), "a failure has a sentence");
	base_buf_put(&told->text, "", 1);
	cairn_close(told->reader);
}

/* The lines of instructions, and how many others there are. */
static size_t instructions(struct base_buf *text)
{
	char *p = (char *)text->data, *out = p;
	size_t others = 0;
	for (char *next; *p; p = next) {
		next = strchr(p, '\n') + 1;
		others += *p != 'I';
		if (*p != 'I')
			continue;
		memmove(out, p, (size_t)(next - p));
		out += next - p;
	}
	*out = 0;
	return others;
}

static void write_as(struct cairn *cairn, const uint8_t *data, size_t n, const char *to)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "script"};
	struct cairn_create_opts how = {.size = sizeof how, .to = to};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = NULL;
	struct cairn_writer *writer = NULL;
	check(cairn_open_memory(cairn, data, n, &opts, &reader) == 0, "it opens again");
	check(cairn_create(cairn, "/dev/null", &how, &writer) == 0, "a trace is created");
	int rc = cairn_writer_from(writer, reader);
	while (rc >= 0 && cairn_next(reader, batch) > 0)
		rc = cairn_put(writer, batch);
	if (rc < 0)
		cairn_discard(writer);
	else
		cairn_finish(writer, NULL);
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const formats[] = {"stf:container=stf", "vixl", "rst", "ete"};
	struct cairn_format given = {.size = sizeof given,
	                             .name = "script",
	                             .flags = CAIRN_FORMAT_TELLS_FLOW,
	                             .parts = CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS |
	                                      CAIRN_MEM_VALUES | CAIRN_ASM,
	                             .probe = script_probe,
	                             .open = script_open,
	                             .next = script_next,
	                             .close = free};
	const struct cairn_format *const list[] = {&given};
	struct cairn_opts opts = {.size = sizeof opts, .formats = list, .n_formats = 1};
	struct cairn *cairn = cairn_new(&opts);
	struct told all, again, few;
	tell(cairn, data, n, CAIRN_EVERYTHING | CAIRN_ASM, 1, &all);
	tell(cairn, data, n, CAIRN_EVERYTHING | CAIRN_ASM, 3, &again);
	check(all.status == again.status && all.text.len == again.text.len &&
	          !memcmp(all.text.data, again.text.data, all.text.len),
	      "threads make no difference");
	tell(cairn, data, n, CAIRN_PC | CAIRN_PLACES, 1, &few);
	size_t others = instructions(&all.text);
	check(all.status == few.status && instructions(&few.text) <= others &&
	          !strcmp((const char *)all.text.data, (const char *)few.text.data),
	      "what is not wanted leaves out rows and nothing else");
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		write_as(cairn, data, n, formats[i]);
	base_buf_free(&all.text);
	base_buf_free(&again.text);
	base_buf_free(&few.text);
	cairn_free(cairn);
	return 0;
}
