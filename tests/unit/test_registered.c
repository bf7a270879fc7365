/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of a program's own: what is registered tells the same as a format of the library, its
 * mistakes are refused, and every verb either takes it or says why not.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/cairn.h"
#include "fixtures/fixtures.h"
#include "fixtures/random_traces.h"
#include "formats/registered/registered.h"
#include "io/io.h"

#define main own_format_main
int own_format_main(int argc, char **argv);
#include "../../examples/own_format.c"
#undef main

extern const struct model_format fixture_pcs;

static char dir[] = "/tmp/cairn-registered-XXXXXX";

/* ---- a format that gives what another reader reads ---- */

struct replay {
	struct cairn *cairn;
	const void *data;
	size_t n;
	const char *from;
	/* of the library, for the names of events */
	const struct cairn_reader *reader;
	long fail_at, status; /* the call that fails, from 1; 0 none */
};

struct replaying {
	const struct replay *what;
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	uint32_t at;
	bool more;
	long calls;
};

static int replay_probe(void *user, const uint8_t *head, size_t n)
{
	(void)user, (void)head, (void)n;
	return 0;
}

static int replay_open(void *user, struct cairn_input *input, const char *options, void **state)
{
	const struct replay *what = user;
	struct cairn_open_opts opts = {.size = sizeof opts, .from = what->from};
	struct replaying *replay = calloc(1, sizeof *replay);
	(void)options;
	*state = replay;
	replay->what = what;
	replay->batch = cairn_batch_new(what->cairn);
	assert_int_equal(cairn_open_memory(what->cairn, what->data, what->n, &opts, &replay->reader),
	                 0);
	if (replay->reader->isa)
		assert_int_equal(cairn_input_isa(input, (enum cairn_isa)replay->reader->isa), 1);
	return 0;
}

static void replay_close(void *state)
{
	struct replaying *replay = state;
	cairn_close(replay->reader);
	cairn_batch_free(replay->what->cairn, replay->batch);
	free(replay);
}

static int replay_row(struct cairn_slot *slot, const struct cairn_batch *batch,
                      const struct cairn_insn *in, uint32_t at[3])
{
	uint32_t seq[3] = {at[0] < in[1].reg0 ? batch->regs[at[0]].seq : UINT32_MAX,
	                   at[1] < in[1].mem0 ? batch->mems[at[1]].seq : UINT32_MAX,
	                   at[2] < in[1].ev0 ? batch->events[at[2]].seq : UINT32_MAX};
	if (seq[0] <= seq[1] && seq[0] <= seq[2]) {
		const struct cairn_reg *reg = &batch->regs[at[0]++];
		return cairn_slot_reg(slot, reg,
		                      reg->flags & CAIRN_VALUE_WIDE ? batch->bytes + reg->value : NULL);
	}
	if (seq[1] <= seq[2]) {
		struct cairn_mem mem = batch->mems[at[1]++];
		mem.reg = mem.reg ? (uint16_t)(mem.reg - in->reg0) : (uint16_t)0;
		return cairn_slot_mem(slot, &mem,
		                      mem.flags & CAIRN_VALUE_WIDE ? batch->bytes + mem.value : NULL);
	}
	const struct cairn_event *event = &batch->events[at[2]++];
	return cairn_slot_event(slot, event, batch->bytes + event->args, event->len);
}

static int replay_next(void *state, struct cairn_input *input, struct cairn_slot *slot)
{
	struct replaying *replay = state;
	struct cairn_batch *batch = replay->batch;
	int rc = 1;
	while (!replay->more || replay->at > batch->n_insns) {
		if ((rc = cairn_next(replay->reader, batch)) <= 0)
			return rc;
		replay->at = 0;
		replay->more = true;
		while (replay->at == batch->n_insns && batch->n_regs + batch->n_mems + batch->n_events == 0)
			replay->at++;
	}
	const struct cairn_insn *in = &batch->insns[replay->at];
	bool insn = replay->at++ < batch->n_insns;
	uint32_t at[3] = {in->reg0, in->mem0, in->ev0};
	if (!insn && at[0] == in[1].reg0 && at[1] == in[1].mem0 && at[2] == in[1].ev0)
		return replay_next(state, input, slot);
	rc = cairn_slot_context(slot, &batch->ctxs[in->ctx]);
	if (rc > 0 && insn)
		rc = cairn_slot_insn(slot, in,
		                     in->flags & CAIRN_INSN_ENC_BYTES ? batch->bytes + in->enc : NULL);
	while (rc > 0 && (at[0] < in[1].reg0 || at[1] < in[1].mem0 || at[2] < in[1].ev0))
		rc = replay_row(slot, batch, in, at);
	if (++replay->calls == replay->what->fail_at)
		return replay->what->status == 1
		           ? cairn_input_fail(input, CAIRN_E_DAMAGED, "call %ld", replay->calls)
		           : (int)replay->what->status;
	return rc;
}

static const char *replay_name(void *user, const struct cairn_event *event)
{
	static char buf[32];
	return cairn_event_name(((const struct replay *)user)->reader, event, buf);
}

enum { ROWS = CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES };

static struct cairn_format replay_format(struct replay *what)
{
	return (struct cairn_format){.size = sizeof(struct cairn_format),
	                             .name = "replay",
	                             .parts = ROWS,
	                             .user = what,
	                             .probe = replay_probe,
	                             .open = replay_open,
	                             .next = replay_next,
	                             .close = replay_close,
	                             .event_name = replay_name};
}

static void init(struct cairn *cairn, const struct cairn_format *given, struct registered *out)
{
	*out = (struct registered){0};
	assert_int_equal(registered_init(cairn, given, out), 0);
}

/* Places are of the format's own bytes: all but them is the same. */
enum { PLACELESS = CAIRN_EVERYTHING & ~CAIRN_PLACES };

/* The lines of a text but those of rows that are not wanted. */
static char *only(const char *text, uint32_t want)
{
	char *out = malloc(strlen(text) + 1), *p = out;
	for (const char *line = text, *next; *line; line = next) {
		next = strchrnul(line, '\n');
		next += *next != 0;
		if ((line[0] == ' ' && line[1] == 'R' && !(want & CAIRN_REGS)) ||
		    (line[0] == ' ' && line[1] == 'M' && !(want & CAIRN_MEMS)) ||
		    (line[0] == ' ' && line[1] == 'E' && !(want & CAIRN_EVENTS)))
			continue;
		memcpy(p, line, (size_t)(next - line));
		p += next - line;
	}
	*p = 0;
	return out;
}

static void same_as(struct cairn *cairn, const char *from, const void *data, size_t n)
{
	static const uint32_t wants[] = {PLACELESS, CAIRN_PC | CAIRN_CONTEXT,
	                                 PLACELESS & ~(uint32_t)CAIRN_EVENTS,
	                                 PLACELESS & ~(uint32_t)CAIRN_MEMS};
	struct replay what = {.cairn = cairn, .data = data, .n = n, .from = from};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	struct cairn_reader *reader = NULL;
	struct cairn_format given = replay_format(&what);
	struct registered own;
	struct base_buf text;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	base_buf_init(&text, cairn);
	init(cairn, &given, &own);
	assert_int_equal(cairn_open_memory(cairn, data, n, &opts, &reader), 0);
	what.reader = reader;
	cairn_reader_want(reader, PLACELESS);
	while (cairn_next(reader, batch) > 0)
		fx_print_batch(reader, batch, &text);
	base_buf_put(&text, "", 1);
	assert_true(text.len > 1000);
	for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
		struct fx_trace trace = {.format = &own.format,
		                         .data = "",
		                         .n = 0,
		                         .options = "",
		                         .want = wants[i]};
		char *expected = only((const char *)text.data, wants[i]);
		fx_all_ways(cairn, trace, expected, 0);
		free(expected);
	}
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	base_buf_free(&text);
}

static void it_tells_what_the_library_tells(void **state)
{
	struct cairn *cairn = *state;
	static struct fx_bytes bytes;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		bytes.n = 0;
		random_stf(seed, 300, &bytes);
		same_as(cairn, "stf", bytes.data, bytes.n);
		bytes.n = 0;
		random_rst(seed, 300, &bytes);
		same_as(cairn, "rst", bytes.data, bytes.n);
	}
}

/* What analyses, a state and a search say of it. */
static void ask(struct cairn *cairn, const void *data, size_t n, const char *from, unsigned threads,
                struct cairn_text *out)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	struct cairn_analysis_opts how = {.size = sizeof how, .threads = threads};
	struct cairn_find_opts find = {.size = sizeof find, .threads = threads};
	struct cairn_print_opts print = {.size = sizeof print};
	struct cairn_reader *reader = NULL;
	struct cairn_result *res = NULL;
	struct cairn_state *now = NULL;
	struct cairn_state_reg regs[128];
	struct cairn_tally tally = {.size = sizeof tally};
	uint64_t found = 0;
	assert_int_equal(cairn_open_memory(cairn, data, n, &opts, &reader), 0);
	for (unsigned which = 0; which < 3; which++) {
		int rc = which == 0   ? cairn_mix(reader, &how, "class", &res)
		         : which == 1 ? cairn_branches(reader, &how, "all", &res)
		                      : cairn_deps(reader, &how, &res);
		assert_int_equal(rc, 0);
		assert_int_equal(cairn_result_print(res, &print, out), 0);
		cairn_result_free(res);
		assert_int_equal(cairn_seek(reader, 1), 0);
	}
	struct cairn_select *select = cairn_select_new(cairn, NULL);
	assert_int_equal(cairn_select_where(select, "taken && pc >= 0x1000"), 0);
	find.select = select;
	assert_int_equal(cairn_find_count(reader, &find, &found), 0);
	cairn_text_printf(out, "%llu taken\n", (unsigned long long)found);
	cairn_select_free(select);
	assert_int_equal(cairn_state_new(cairn, NULL, &now), 0);
	for (uint64_t at = 50; at < 300; at += 83) {
		assert_int_equal(cairn_state_go(now, reader, at), 0);
		int64_t known = cairn_state_regs(now, regs, 128);
		for (int64_t i = 0; i < known; i++)
			cairn_text_printf(out, "%u %u = %llx told at %llu\n", regs[i].cls, regs[i].num,
			                  (unsigned long long)regs[i].value, (unsigned long long)regs[i].told);
	}
	cairn_state_free(now);
	assert_int_equal(cairn_seek(reader, 1), 0);
	assert_int_equal(cairn_count(reader, threads, &tally), 0);
	cairn_text_printf(out, "%llu %llu %llu\n", (unsigned long long)tally.instructions,
	                  (unsigned long long)tally.loads, (unsigned long long)tally.events);
	cairn_close(reader);
}

static void analyses_say_the_same_of_it(void **state)
{
	struct cairn *cairn = *state;
	static struct fx_bytes bytes;
	for (uint64_t seed = 11; seed < 15; seed++) {
		struct replay what = {.cairn = cairn, .data = bytes.data, .from = "stf"};
		struct cairn_format given = replay_format(&what);
		const struct cairn_format *const list[] = {&given};
		struct cairn_opts opts = {.size = sizeof opts, .formats = list, .n_formats = 1};
		struct cairn *with = cairn_new(&opts);
		struct cairn_text *expected = cairn_text_new(cairn), *got = cairn_text_new(cairn);
		size_t n, k;
		bytes.n = 0;
		random_stf(seed, 1500, &bytes);
		what.n = bytes.n;
		ask(cairn, bytes.data, bytes.n, "stf", 1, expected);
		const char *text = cairn_text_get(expected, &n);
		assert_true(n > 2000);
		for (unsigned threads = 1; threads <= 4; threads += 3) {
			cairn_text_clear(got);
			ask(with, "", 0, "replay", threads, got);
			const char *same = cairn_text_get(got, &k);
			assert_int_equal(n, k);
			assert_memory_equal(text, same, n);
		}
		cairn_text_free(expected);
		cairn_text_free(got);
		cairn_free(with);
	}
}

/* ---- a log, registered and built in ---- */

static void random_pcs(uint64_t seed, unsigned insns, bool clean, struct base_buf *out)
{
	static const uint32_t encs[] = {0x297, 0x8282, 0xb50463, 0x13, 0x1, 0x8067, 0x6f, 0x0020006f};
	uint64_t pc = 0x80000000;
	base_buf_printf(out, "pcs rv64\n%s", clean ? "" : "# made by a test\n");
	for (unsigned i = 0; i < insns; i++) {
		uint32_t enc = encs[random_below(&seed, 8)];
		unsigned size = (enc & 3) == 3 ? 4 : 2;
		if (!clean && random_below(&seed, 40) == 0)
			base_buf_printf(out, random_below(&seed, 2) ? "# %u\n" : "%u is nothing\n", i);
		base_buf_printf(out, "%llx %0*x%s", (unsigned long long)pc, (int)(2 * size), enc,
		                random_below(&seed, 9) ? "\n" : "\r\n");
		pc += random_below(&seed, 3) ? size : 8 * random_below(&seed, 5);
	}
}

static void it_tells_what_a_dialect_tells(void **state)
{
	struct cairn *cairn = *state;
	struct registered own;
	init(cairn, &pcs, &own);
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct base_buf log;
		struct fx_result res;
		base_buf_init(&log, cairn);
		random_pcs(seed, 4000, true, &log);
		struct fx_trace trace = {.format = &fixture_pcs,
		                         .data = log.data,
		                         .n = log.len,
		                         .options = "piece=2000"};
		fx_read_next(cairn, &trace, &res);
		assert_int_equal(res.status, 0);
		fx_all_ways(cairn, trace, (const char *)res.text.data, 0);
		trace.format = &own.format;
		trace.options = "";
		fx_all_ways(cairn, trace, (const char *)res.text.data, 0);
		fx_free(&res);
		base_buf_free(&log);
	}
}

/* What a call tells of branches and jumps does not depend on what is wanted, nor on batches. */
static void the_flow_does_not_depend_on_batches(void **state)
{
	struct cairn *cairn = *state;
	struct registered own;
	init(cairn, &pcs, &own);
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct base_buf log;
		struct fx_result all, few;
		base_buf_init(&log, cairn);
		random_pcs(seed, 6000, false, &log);
		struct fx_trace trace = {.format = &own.format,
		                         .data = log.data,
		                         .n = log.len,
		                         .options = ""};
		fx_read_next(cairn, &trace, &all);
		assert_int_equal(all.status, 0);
		assert_true(all.damage > 10);
		assert_non_null(strstr((const char *)all.text.data, "no address and encoding"));
		trace.want = CAIRN_EVERYTHING & ~(uint32_t)CAIRN_EVENTS;
		char *expected = only((const char *)all.text.data, trace.want);
		fx_read_next(cairn, &trace, &few);
		assert_string_equal((const char *)few.text.data, expected);
		assert_int_equal(few.damage, all.damage);
		free(expected);
		fx_free(&all);
		fx_free(&few);
		base_buf_free(&log);
	}
}

/* ---- failures ---- */

static void what_a_failed_call_gave_is_dropped(void **state)
{
	struct cairn *cairn = *state;
	static struct fx_bytes bytes;
	bytes.n = 0;
	random_stf(3, 2500, &bytes);
	struct replay what = {.cairn = cairn, .data = bytes.data, .n = bytes.n, .from = "stf"};
	struct cairn_format given = replay_format(&what);
	struct cairn_reader *reader = NULL;
	struct registered own;
	struct fx_result all, res;
	init(cairn, &given, &own);
	assert_int_equal(cairn_open_memory(cairn, bytes.data, bytes.n, NULL, &reader), 0);
	what.reader = reader;
	struct fx_trace trace = {.format = &own.format, .data = "", .options = "", .want = PLACELESS};
	fx_read_next(cairn, &trace, &all);
	assert_int_equal(all.status, 0);
	size_t before = 0;
	for (long call = 1; call < 2400; call += call < 8 ? 1 : 97) {
		static const int statuses[] = {1, CAIRN_E_IO, CAIRN_E_NOMEM};
		char sentence[64];
		unsigned how = (unsigned)call % 3;
		what.fail_at = call;
		what.status = statuses[how];
		for (unsigned threads = 0; threads < 3; threads++) {
			if (threads)
				fx_read_run(cairn, &trace, UINT64_MAX, threads, &res);
			else
				fx_read_next(cairn, &trace, &res);
			assert_int_equal(res.status, how ? statuses[how] : CAIRN_E_DAMAGED);
			snprintf(sentence, sizeof sentence, "record 0: call %ld", call);
			assert_non_null(strstr(res.error, how == 0   ? sentence
			                                  : how == 1 ? "replay fails with status -10"
			                                             : "out of memory"));
			size_t n = res.text.len - 1;
			assert_memory_equal(res.text.data, all.text.data, n);
			assert_true(n < all.text.len && n >= before);
			if (threads == 2)
				before = n;
			fx_free(&res);
		}
	}
	assert_true(before > all.text.len / 2);
	fx_free(&all);
	cairn_close(reader);
}

/* ---- what a format must not do ---- */

struct wrong {
	unsigned which;
	uint64_t at;
};

static int one_probe(void *user, const uint8_t *head, size_t n)
{
	(void)user, (void)head, (void)n;
	return 1;
}

static int wrong_open(void *user, struct cairn_input *input, const char *options, void **state)
{
	struct wrong *wrong = user;
	(void)options;
	wrong->at = 0;
	*state = wrong;
	return wrong->which == 100 ? cairn_input_isa(input, (enum cairn_isa)7) : 0;
}

static int wrong_next(void *state, struct cairn_input *input, struct cairn_slot *slot)
{
	static const uint8_t sixteen[16];
	struct wrong *wrong = state;
	struct cairn_insn nop = {.pc = 0x1000, .enc = 0x13, .size = 4, .isa = CAIRN_ISA_RV64};
	struct cairn_insn insn = nop;
	struct cairn_reg reg = {.cls = CAIRN_REG_INT, .bits = 64, .flags = CAIRN_VALUE_KNOWN};
	struct cairn_mem mem = {.size = 8, .kind = CAIRN_MEM_READ};
	struct cairn_event event = {.kind = CAIRN_EV_MARKER};
	struct cairn_ctx ctx = {.known = CAIRN_CTX_HART};
	if (wrong->at++ == 0)
		return cairn_slot_insn(slot, &nop, NULL);
	switch (wrong->which) {
	case 0:
		return 1; /* neither gives nor reads */
	case 1:
		cairn_slot_insn(slot, &nop, NULL);
		cairn_slot_insn(slot, &nop, NULL);
		return 1; /* what failed is not looked at */
	case 2:
		insn.flags = CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN;
		return cairn_slot_insn(slot, &insn, NULL);
	case 3:
		insn.flags = CAIRN_INSN_USER_0;
		return cairn_slot_insn(slot, &insn, NULL);
	case 4:
		insn.isa = 7;
		return cairn_slot_insn(slot, &insn, NULL);
	case 5:
		insn.size = 6;
		return cairn_slot_insn(slot, &insn, NULL);
	case 6:
		insn.flags = CAIRN_INSN_ENC_BYTES;
		return cairn_slot_insn(slot, &insn, NULL);
	case 7:
		reg.cls = 9;
		return cairn_slot_reg(slot, &reg, NULL);
	case 8:
		reg.role = 9;
		return cairn_slot_reg(slot, &reg, NULL);
	case 9:
		reg.bits = 128;
		return cairn_slot_reg(slot, &reg, NULL);
	case 10:
		mem.kind = 9;
		return cairn_slot_mem(slot, &mem, NULL);
	case 11:
		mem.initiator = 9;
		return cairn_slot_mem(slot, &mem, NULL);
	case 12:
		mem.size = 16;
		mem.flags = CAIRN_VALUE_KNOWN;
		return cairn_slot_mem(slot, &mem, NULL);
	case 13:
		event.kind = CAIRN_EV_CONTEXT;
		return cairn_slot_event(slot, &event, NULL, 0);
	case 14:
		event.kind = 40;
		return cairn_slot_event(slot, &event, NULL, 0);
	case 15:
		return cairn_slot_event(slot, &event, sixteen, 7);
	case 16:
		event.kind = CAIRN_EV_PAGE_WALK;
		return cairn_slot_event(slot, &event, NULL, 0);
	case 17:
		event.phase = 3;
		return cairn_slot_event(slot, &event, NULL, 0);
	case 18:
		ctx.known = UINT32_MAX;
		return cairn_slot_context(slot, &ctx);
	case 19:
		ctx.known |= CAIRN_CTX_PRIV;
		ctx.priv = 7;
		return cairn_slot_context(slot, &ctx);
	case 20:
		return cairn_slot_asm(slot, "nop", 3); /* not announced */
	case 21:
		cairn_input_isa(input, CAIRN_ISA_RV64); /* too late */
		return 1;
	default:
		return 0;
	}
}

static void what_cannot_be_is_refused(void **state)
{
	struct cairn *cairn = *state;
	struct wrong wrong = {0};
	struct cairn_format given = {.size = sizeof given,
	                             .name = "wrong",
	                             .parts = ROWS,
	                             .user = &wrong,
	                             .probe = one_probe,
	                             .open = wrong_open,
	                             .next = wrong_next};
	struct registered own;
	struct fx_result res;
	init(cairn, &given, &own);
	struct fx_trace trace = {.format = &own.format, .data = "x", .n = 1, .options = ""};
	for (wrong.which = 0; wrong.which <= 21; wrong.which++) {
		fx_read_next(cairn, &trace, &res);
		bool twice = wrong.which == 1 || wrong.which == 21;
		assert_int_equal(res.status, twice ? CAIRN_E_STATE : CAIRN_E_INVAL);
		/* The instruction before is delivered. */
		assert_memory_equal(res.text.data, "I 1 0x1000 00000013/4", 21);
		assert_null(strstr((const char *)res.text.data, "\nI 2"));
		assert_non_null(strstr(res.error, wrong.which == 21   ? "while it is opened"
		                                  : wrong.which == 20 ? "which its `parts` do not have"
		                                  : wrong.which == 0  ? "gives nothing and does not read on"
		                                  : twice             ? "a slot has one instruction"
		                                                      : "of a kind that does not exist"));
		fx_free(&res);
	}
	wrong.which = 100;
	fx_read_next(cairn, &trace, &res);
	assert_int_equal(res.status, CAIRN_E_INVAL);
	assert_non_null(strstr(res.error, "there is no instruction set 7"));
	fx_free(&res);
	wrong.which = 99;
	trace.options = "x=1";
	fx_read_next(cairn, &trace, &res);
	assert_int_equal(res.status, CAIRN_E_INVAL);
	assert_non_null(strstr(res.error, "takes no options"));
	fx_free(&res);
}

static void formats_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	struct cairn_format good = pcs;
	for (unsigned i = 0; i < 10; i++) {
		struct cairn_format bad = pcs;
		const struct cairn_format *const list[] = {&good, &bad};
		struct cairn_opts opts = {.size = sizeof opts, .formats = list, .n_formats = 2};
		struct cairn_reader *reader = NULL;
		bad.name = "other";
		switch (i) {
		case 0:
			bad.name = "PCS";
			break;
		case 1:
			bad.name = "Stf";
			break;
		case 2:
			bad.name = "zstf";
			break;
		case 3:
			bad.name = "a:b";
			break;
		case 4:
			bad.name = NULL;
			break;
		case 5:
			bad.size++;
			break;
		case 6:
			bad.size = 8;
			break;
		case 7:
			bad.next = NULL;
			break;
		case 8:
			bad.parts = CAIRN_XACTS;
			break;
		default:
			break;
		}
		struct cairn *cairn = cairn_new(&opts);
		int rc = cairn_open_memory(cairn, "pcs rv64\n", 9, NULL, &reader);
		assert_int_equal(rc, i == 9 ? 0 : CAIRN_E_INVAL);
		if (i < 3)
			assert_non_null(strstr(cairn_error_text(cairn), "already"));
		if (i < 9)
			assert_null(reader);
		cairn_close(reader);
		cairn_free(cairn);
	}
}

/* ---- crowded slots ---- */

static int crowd_next(void *state, struct cairn_input *input, struct cairn_slot *slot)
{
	struct wrong *wrong = state;
	static uint8_t wide[1 << 19];
	struct cairn_insn nop = {.enc = 0x13, .size = 4, .isa = CAIRN_ISA_RV64};
	struct cairn_reg reg = {.cls = CAIRN_REG_INT, .bits = 64, .flags = CAIRN_VALUE_KNOWN};
	struct cairn_mem mem = {.size = sizeof wide, .kind = CAIRN_MEM_READ};
	struct cairn_event event = {.kind = CAIRN_EV_MARKER};
	(void)input;
	if (wrong->at == 400)
		return 0;
	nop.pc = 0x1000 + 4 * wrong->at;
	unsigned crowd = wrong->at++ % wrong->which ? 3 : 20000;
	if (crowd == 3)
		mem.flags = CAIRN_VALUE_KNOWN;
	mem.size = crowd != 3 ? 4 : wrong->at % 9 ? 24 : 8192;
	for (unsigned i = 0; i < crowd; i++) {
		reg.num = (uint16_t)(i % 32);
		mem.reg = 1;
		if (cairn_slot_reg(slot, &reg, NULL) < 0 || cairn_slot_mem(slot, &mem, wide) < 0 ||
		    cairn_slot_event(slot, &event, wide, i ? 8 : 512) < 0)
			return -1;
	}
	return wrong->at % 7 ? cairn_slot_insn(slot, &nop, NULL) : 1;
}

static void crowded_slots_lose_the_same_everywhere(void **state)
{
	struct cairn *cairn = *state;
	struct wrong wrong = {.which = 40};
	struct cairn_format given = {.size = sizeof given,
	                             .name = "crowd",
	                             .parts = ROWS,
	                             .user = &wrong,
	                             .probe = one_probe,
	                             .open = wrong_open,
	                             .next = crowd_next};
	struct registered own;
	struct fx_result res;
	init(cairn, &given, &own);
	struct fx_trace trace = {.format = &own.format, .data = "x", .n = 1, .options = ""};
	fx_read_next(cairn, &trace, &res);
	assert_int_equal(res.status, 0);
	assert_int_equal(res.damage, 10);
	assert_null(strstr((const char *)res.text.data, "BROKEN"));
	/* Half of each array, and of events the room for damage is kept free. */
	unsigned lost = 20000 - CAIRN_CAP_REGS / 2 + 20000 - CAIRN_CAP_MEMS / 2 + 20000 -
	                (CAIRN_CAP_EVENTS / 2 - KIT_DAMAGE);
	char sentence[64];
	snprintf(sentence, sizeof sentence, "has %u more values than a batch holds", lost);
	assert_non_null(strstr(res.first_damage, sentence));
	fx_all_ways(cairn, trace, (const char *)res.text.data, 10);
	fx_free(&res);
}

/* ---- the input ---- */

static struct cairn *with_pcs(struct cairn_opts opts)
{
	static const struct cairn_format *const list[] = {&pcs};
	opts.size = sizeof opts;
	opts.formats = list;
	opts.n_formats = 1;
	return cairn_new(&opts);
}

static char *path_of(const char *name)
{
	static char paths[8][128];
	static unsigned at;
	char *path = paths[at++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s", dir, name);
	return path;
}

static const char *write_file(const char *name, const void *data, size_t n)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	fclose(f);
	return path;
}

static int64_t read_on(void *user, void *buf, size_t n)
{
	FILE *f = user;
	return (int64_t)fread(buf, 1, n > 777 ? 777 : n, f);
}

static void file_stream_and_memory_are_the_same(void **state)
{
	struct cairn *cairn = with_pcs((struct cairn_opts){0});
	struct base_buf log;
	(void)state;
	base_buf_init(&log, cairn);
	random_pcs(5, 200000, true, &log); /* more than a window */
	assert_true(log.len > 1 << 21);
	const char *path = write_file("long.pcs", log.data, log.len);
	struct cairn_tally first = {.size = sizeof first};
	for (unsigned way = 0; way < 3; way++) {
		struct cairn_tally tally = {.size = sizeof tally};
		struct cairn_reader *reader = NULL;
		FILE *f = fopen(path, "rb");
		int rc = way == 0   ? cairn_open(cairn, path, NULL, &reader)
		         : way == 1 ? cairn_open_memory(cairn, log.data, log.len, NULL, &reader)
		                    : cairn_open_stream(cairn, "stream", read_on, f, NULL, &reader);
		assert_int_equal(rc, 0);
		assert_int_equal(cairn_seek(reader, 1), 0); /* nothing was read yet */
		assert_int_equal(cairn_count(reader, 1 + way, &tally), 0);
		assert_int_equal(tally.instructions, 200000);
		assert_int_equal(tally.records_unknown, 1);
		if (way == 0)
			first = tally;
		assert_memory_equal(&first, &tally, sizeof tally);
		rc = cairn_seek(reader, 1);
		assert_true(way == 2 ? rc < 0 : rc == 0);
		if (way < 2) {
			memset((char *)&tally + sizeof tally.size, 0, sizeof tally - sizeof tally.size);
			assert_int_equal(cairn_count(reader, 1, &tally), 0);
			assert_memory_equal(&first, &tally, sizeof tally);
		}
		cairn_close(reader);
		fclose(f);
	}
	base_buf_free(&log);
	cairn_free(cairn);
}

static void input_that_breaks_off_is_damage(void **state)
{
	struct cairn *cairn = with_pcs((struct cairn_opts){0});
	struct cairn_open_opts opts = {.size = sizeof opts};
	struct base_buf log, packed;
	(void)state;
	base_buf_init(&log, cairn);
	base_buf_init(&packed, cairn);
	random_pcs(5, 200000, true, &log);
	assert_int_equal(io_encode_frame(cairn, cairn_codec_find(cairn, "gzip"), INT_MIN, log.data,
	                                 log.len, &packed),
	                 0);
	for (opts.strict = 0; opts.strict < 2; opts.strict++) {
		struct cairn_reader *reader = NULL;
		struct cairn_tally tally = {.size = sizeof tally};
		assert_int_equal(cairn_open_memory(cairn, packed.data, packed.len / 2, &opts, &reader), 0);
		int rc = cairn_count(reader, 2, &tally);
		assert_int_equal(rc, opts.strict ? CAIRN_E_DAMAGED : 0);
		assert_in_range(tally.instructions, 50000, 150000);
		/* The line that was cut, and the input. */
		assert_in_range(cairn_damage_count(reader), 1, 2);
		assert_non_null(strstr(cairn_damage_text(reader, cairn_damage_count(reader) - 1), "gzip"));
		cairn_close(reader);
	}
	base_buf_free(&packed);
	base_buf_free(&log);
	cairn_free(cairn);
}

static void a_line_is_not_longer_than_what_is_held(void **state)
{
	struct cairn *cairn = with_pcs((struct cairn_opts){.max_hold = 1 << 21});
	char *log = malloc(3 << 20);
	(void)state;
	for (size_t n = 1 << 20; n <= 3 << 20; n += 1 << 20) {
		struct cairn_reader *reader = NULL;
		struct cairn_tally tally = {.size = sizeof tally};
		memset(log, 'x', n);
		memcpy(log, "pcs rv64\n1000 0001\n", 19);
		assert_int_equal(cairn_open_memory(cairn, log, n, NULL, &reader), 0);
		int rc = cairn_count(reader, 1, &tally);
		assert_int_equal(rc, n > (2 << 20) + 19 ? CAIRN_E_LIMIT : 0);
		assert_int_equal(tally.instructions, 1);
		assert_int_equal(cairn_damage_count(reader), rc == 0);
		cairn_close(reader);
	}
	free(log);
	cairn_free(cairn);
}

static int halves_next(void *state, struct cairn_input *input, struct cairn_slot *slot)
{
	const uint8_t *bytes;
	(void)state;
	int64_t n = cairn_input_bytes(input, 1, &bytes);
	if (n <= 0)
		return (int)n;
	unsigned size = *bytes & 4 ? 4 : 2;
	n = cairn_input_bytes(input, size, &bytes);
	if (n < size)
		return n < 0 ? (int)n : cairn_slot_damage(slot, (uint64_t)n, "ends within a record");
	struct cairn_insn insn = {.pc = bytes[0], .size = (uint8_t)size};
	insn.enc = (uint32_t)base_le(bytes, size);
	return cairn_slot_insn(slot, &insn, NULL);
}

static int halves_open(void *user, struct cairn_input *input, const char *options, void **state)
{
	(void)user, (void)state;
	int rc = cairn_input_comment(input, options, strlen(options));
	return rc < 0 ? rc : cairn_input_isa(input, CAIRN_ISA_RV64);
}

static void bytes_are_read_with_their_places(void **state)
{
	struct cairn *cairn = *state;
	struct cairn_format given = {.size = sizeof given,
	                             .name = "halves",
	                             .flags = CAIRN_FORMAT_OPTIONS,
	                             .probe = one_probe,
	                             .open = halves_open,
	                             .next = halves_next};
	struct registered own;
	struct fx_result res;
	init(cairn, &given, &own);
	struct fx_trace trace = {.format = &own.format,
	                         .data = "\2\1\0\4\x13\0\0\0\2\1",
	                         .n = 10,
	                         .options = "hello"};
	fx_read_next(cairn, &trace, &res);
	assert_string_equal((const char *)res.text.data,
	                    "I 1 0x1 00000001/2 nop [] r1@0x0\n"
	                    "I 2 0x13 00000013/4 nop [] r2@0x3\n"
	                    " E DAMAGE before 8 \"byte 0x8, record 3: ends within a record\"\n");
	assert_int_equal(res.damage, 1);
	fx_free(&res);
}

/* ---- what fails for lack of memory ---- */

struct memory {
	long left, live;
};

static void *few(void *user, void *p, size_t n)
{
	struct memory *memory = user;
	if (n == 0) {
		memory->live -= p != NULL;
		free(p);
		return NULL;
	}
	if (memory->left-- <= 0)
		return NULL;
	memory->live += p == NULL;
	return realloc(p, n);
}

static void without_memory_it_says_so(void **state)
{
	static const char log[] = "pcs rv64\n# a\n1000 0001\n1002 nothing\n1002 8082\n1000 0001\n";
	int rc = CAIRN_E_NOMEM;
	(void)state;
	for (long n = 3; rc < 0; n++) {
		struct memory memory = {.left = n};
		struct cairn *cairn = with_pcs((struct cairn_opts){.realloc = few, .alloc_user = &memory});
		struct cairn_reader *reader = NULL;
		struct cairn_tally tally = {.size = sizeof tally};
		rc = cairn_open_memory(cairn, log, sizeof log - 1, NULL, &reader);
		if (rc >= 0)
			rc = cairn_count(reader, 1, &tally);
		if (rc >= 0)
			rc = cairn_seek(reader, 1);
		assert_true(rc == 0 || rc == CAIRN_E_NOMEM);
		assert_true(rc == 0 || strstr(cairn_error_text(cairn), "memory"));
		assert_true(rc < 0 || tally.instructions == 3);
		cairn_close(reader);
		cairn_free(cairn);
		assert_int_equal(memory.live, 0);
		assert_true(n < 100);
	}
}

/* ---- the verbs ---- */

static void refused(struct cairn *cairn, int rc, const char *sentence)
{
	assert_int_equal(rc, CAIRN_E_UNSUPPORTED);
	assert_non_null(strstr(cairn_error_text(cairn), sentence));
}

static void every_verb_takes_it_or_says_why_not(void **state)
{
	struct cairn *cairn = with_pcs((struct cairn_opts){0});
	struct base_buf log;
	struct cairn_reader *reader = NULL;
	struct cairn_record rec;
	struct cairn_output out = {.size = sizeof out};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_split_opts split = {.size = sizeof split, .every = 10};
	struct cairn_edit_opts edit = {.size = sizeof edit};
	struct cairn_check_opts check = {.size = sizeof check};
	struct cairn_check_result checked = {.size = sizeof checked};
	(void)state;
	base_buf_init(&log, cairn);
	random_pcs(7, 5000, true, &log);
	const char *path = write_file("t.pcs", log.data, log.len);
	assert_int_equal(cairn_open(cairn, path, NULL, &reader), 0);
	assert_string_equal(cairn_reader_format(reader), "pcs");
	refused(cairn, cairn_next_record(reader, &rec), "pcs has no records to show");
	out.path = path_of("out-%s.stf");
	refused(cairn, cairn_split(reader, &split, &out, NULL), "pcs traces cannot be split");
	out.path = path_of("out.stf");
	refused(cairn, cairn_edit(reader, &edit, &out, NULL), "pcs traces cannot be edited");
	refused(cairn, cairn_check(reader, &check, &checked), "there are no rules for pcs traces");
	out.path = path_of("out.pcs");
	refused(cairn, cairn_slice(reader, NULL, &out, NULL), "pcs is only read");
	/* A slice, and two of them merged, hold what they should. */
	struct cairn_range ranges[] = {{11, 30}, {4001, 5000}};
	struct cairn_slice_opts slice = {.size = sizeof slice, .ranges = ranges, .n_ranges = 2};
	out.path = path_of("slice.stf");
	assert_int_equal(cairn_slice(reader, &slice, &out, &done), 0);
	assert_int_equal(done.instructions, 1020);
	cairn_changed_free(cairn, &done);
	struct cairn_reader *other = NULL;
	assert_int_equal(cairn_open(cairn, path, NULL, &other), 0);
	struct cairn_merge_part parts[] = {{.reader = reader},
	                                   {.reader = other, .n_ranges = 1, .ranges = ranges}};
	out.path = path_of("merge.stf");
	assert_int_equal(cairn_seek(reader, 1), 0);
	int rc = cairn_merge(parts, 2, &out, &done);
	if (rc < 0)
		fail_msg("%s", cairn_error_text(cairn));
	assert_int_equal(done.instructions, 5020);
	cairn_changed_free(cairn, &done);
	cairn_close(other);
	/* What is sought is found, with and without an index. */
	struct cairn_index_stats stats = {.size = sizeof stats};
	for (int indexed = 0; indexed < 2; indexed++) {
		struct cairn_batch *batch = cairn_batch_new(cairn);
		if (indexed) {
			assert_int_equal(cairn_index_build(cairn, path, NULL, &stats), 0);
			assert_int_equal(stats.jumps, 0);
			assert_non_null(strstr(stats.why, "pcs is read from its beginning"));
			assert_int_equal(stats.instructions, 5000);
		}
		assert_int_equal(cairn_open(cairn, path, NULL, &other), 0);
		assert_int_equal(cairn_reader_index(other) != NULL, indexed);
		assert_int_equal(cairn_seek(other, 4321), 0);
		assert_int_equal(cairn_next(other, batch), 1);
		assert_in_range(4321, batch->n0, batch->n0 + batch->n_insns - 1);
		cairn_close(other);
		cairn_batch_free(cairn, batch);
	}
	cairn_close(reader);
	base_buf_free(&log);
	cairn_free(cairn);
}

/* What is left of it in each format is what is left of the same run in a log of the library. */
static void it_is_converted_as_a_log_of_the_library(void **state)
{
	static const char *const names[] = {"c.stf", "c.zstf", "c.vixl", "c.rst", "c.ete"};
	static const char *const logs[] = {
		"0, 0x1000, 0x14000002, \"b #0x1008\"\n0, 0x1008, 0xd503201f, \"nop\"\n"
		"0, 0x100c, 0xd65f03c0, \"ret\"\n0, 0x1000, 0x14000002, \"b #0x1008\"\n",
		"pcs a64\n1000 14000002\n1008 d503201f\n100c d65f03c0\n1000 14000002\n"};
	struct cairn *cairn = with_pcs((struct cairn_opts){0});
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct cairn_tally tallies[2] = {{.size = sizeof *tallies}, {.size = sizeof *tallies}};
		for (int own = 0; own < 2; own++) {
			struct cairn_output out = {.size = sizeof out, .path = path_of(names[i])};
			struct cairn_changed done = {.size = sizeof done};
			struct cairn_reader *reader = NULL;
			assert_int_equal(cairn_open_memory(cairn, logs[own], strlen(logs[own]), NULL, &reader),
			                 0);
			assert_string_equal(cairn_reader_format(reader), own ? "pcs" : "execlog");
			int rc = cairn_convert(reader, &out, &done);
			cairn_close(reader);
			assert_int_equal(rc, i == 3 ? CAIRN_E_UNSUPPORTED : 0);
			if (rc >= 0) {
				assert_int_equal(done.instructions, 4);
				assert_int_equal(cairn_open(cairn, out.path, NULL, &reader), 0);
				assert_int_equal(cairn_count(reader, 1, &tallies[own]), 0);
				cairn_close(reader);
			} else {
				assert_non_null(strstr(cairn_error_text(cairn), "SPARC"));
			}
			cairn_changed_free(cairn, &done);
			unlink(out.path);
		}
		assert_int_equal(tallies[0].instructions, i < 3 ? 4 : 0);
		assert_int_equal(tallies[0].instructions, tallies[1].instructions);
		assert_int_equal(tallies[0].branches_taken, tallies[1].branches_taken);
	}
	cairn_free(cairn);
}

static int setup(void **state)
{
	assert_non_null(mkdtemp(dir));
	*state = cairn_new(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];
	cairn_free(*state);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_what_the_library_tells),
		cmocka_unit_test(analyses_say_the_same_of_it),
		cmocka_unit_test(it_tells_what_a_dialect_tells),
		cmocka_unit_test(the_flow_does_not_depend_on_batches),
		cmocka_unit_test(what_a_failed_call_gave_is_dropped),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(formats_that_make_no_sense_are_refused),
		cmocka_unit_test(crowded_slots_lose_the_same_everywhere),
		cmocka_unit_test(file_stream_and_memory_are_the_same),
		cmocka_unit_test(input_that_breaks_off_is_damage),
		cmocka_unit_test(a_line_is_not_longer_than_what_is_held),
		cmocka_unit_test(bytes_are_read_with_their_places),
		cmocka_unit_test(without_memory_it_says_so),
		cmocka_unit_test(every_verb_takes_it_or_says_why_not),
		cmocka_unit_test(it_is_converted_as_a_log_of_the_library),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
