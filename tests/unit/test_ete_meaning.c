/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ETE streams mean, and that no conversion makes it something else: streams made by
 * hand, read, converted and read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../ete/walk.h"
#include "base/bytes.h"
#include "cairn/cairn.h"
#include "model/model.h"

static struct cairn *c;
static struct cairn_image *program;
static char dir[] = "/tmp/cairn-meaning-XXXXXX";

/* At 0x1000. */
static const uint32_t words[] = {0xd503201f /* nop */,
                                 0x54ffffe0 /* b.eq 1000 */,
                                 0x17fffffe /* b 1000 */,
                                 0xd65f03c0 /* ret */,
                                 0xd4000001 /* svc */,
                                 0xd503201f,
                                 0xd69f03e0 /* eret */,
                                 0xd5233060 /* tstart */,
                                 0xd5033fdf /* isb */,
                                 0xd503201f,
                                 0xd503201f,
                                 0x14000000 /* b . */};

/* An Async and a Trace Info; a Trace On; 0x1000 and EL1, non-secure, A64; all of it. */
#define S "0000000000000000000000 80 0100 "
#define ON "04 "
#define W "820008000031 "
#define B S ON W
#define EE "f7 "
#define NN "f6 "
/* TRCIDR0 with what a version of 1.3 may have; no speculation, no return stack. */
#define REGISTERS "trcdevarch=0x47735a13,trcconfigr=0x801,trcidr0=0x8000ea1,trcidr2=0x10001088"

/* ---- making ---- */

static size_t bytes_of(const char *hex, uint8_t *out)
{
	size_t n = 0;
	for (unsigned v; *hex; hex += strspn(hex, " "))
		if (sscanf(hex, "%2x", &v) == 1) {
			out[n++] = (uint8_t)v;
			hex += 2;
		}
	return n;
}

static void make_program(void)
{
	char path[64], spec[80];
	uint8_t word[4];
	snprintf(path, sizeof path, "%s/program", dir);
	FILE *f = fopen(path, "wb");
	for (size_t i = 0; f && i < sizeof words / sizeof *words; i++) {
		base_put_le32(word, words[i]);
		fwrite(word, 4, 1, f);
	}
	snprintf(spec, sizeof spec, "%s@0x1000", path);
	program = cairn_image_new(c);
	if (!f || fclose(f) != 0 || !program || cairn_image_add(program, spec) < 0)
		abort();
	unlink(path);
}

static struct cairn_reader *open_bytes(const uint8_t *bytes, size_t n, const char *more,
                                       const struct cairn_image *image)
{
	char from[256];
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from, .image = image};
	struct cairn_reader *reader;
	snprintf(from, sizeof from, "ete:framing=raw," REGISTERS "%s", more);
	if (cairn_open_memory(c, bytes, n, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	return reader;
}

static struct cairn_reader *open_file(const char *name, const char *from)
{
	char path[128];
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	struct cairn_reader *reader;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (cairn_open(c, path, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	return reader;
}

/* Convert what the reader has, which is closed; what was lost, a line each, in `lost`. */
static int convert(struct cairn_reader *reader, const char *name, bool lossless, char *lost,
                   size_t size)
{
	char path[128];
	struct cairn_output out = {.size = sizeof out, .path = path, .lossless = lossless};
	struct cairn_changed done = {.size = sizeof done};
	size_t at = 0;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	int rc = cairn_convert(reader, &out, &done);
	*lost = 0;
	for (size_t i = 0; done.lost && i < done.lost->n && at < size; i++)
		at += (size_t)snprintf(lost + at, size - at, "%s\n", done.lost->losses[i].what);
	cairn_changed_free(c, &done);
	cairn_close(reader);
	return rc;
}

/* ---- looking ---- */

/* All instructions, and what stands between them, a line each. */
static void list(struct cairn_reader *reader, char *out, size_t size)
{
	struct cairn_batch *batch = cairn_batch_new(c);
	size_t at = 0;
	int rc;
	*out = 0;
	while ((rc = cairn_next(reader, batch)) > 0)
		for (uint32_t i = 0; i <= batch->n_insns; i++) {
			for (uint32_t k = batch->insns[i].ev0; k < batch->insns[i + 1].ev0; k++)
				if (batch->events[k].kind != CAIRN_EV_CONTEXT)
					at += (size_t)snprintf(out + at, size - at, "event %u %llx %llx\n",
					                       batch->events[k].kind,
					                       (unsigned long long)batch->events[k].code,
					                       (unsigned long long)batch->events[k].target);
			if (i < batch->n_insns)
				at += (size_t)snprintf(
					out + at, size - at, "%llx%s%s %llx\n", (unsigned long long)batch->insns[i].pc,
					batch->insns[i].flags & CAIRN_INSN_DISCONTINUITY ? " forced" : "",
					batch->insns[i].flags & CAIRN_INSN_TAKEN ? " taken" : "",
					(unsigned long long)batch->insns[i].target);
		}
	if (rc < 0)
		fail_msg("%s", cairn_error_text(c));
	cairn_batch_free(c, batch);
	cairn_close(reader);
}

static int count_finding(void *user, const struct cairn_finding *finding)
{
	char *text = user;
	bool empty = !strcmp(finding->rule->id, "stf.trace.empty"); /* that is what it is */
	if (finding->rule->severity != CAIRN_NOTE && !empty)
		snprintf(text + strlen(text), 4096 - strlen(text), "%s: %s\n", finding->rule->id,
		         finding->message);
	return 0;
}

/* Findings but notes. */
static void must_be_clean(struct cairn_reader *reader)
{
	char text[4096] = "";
	struct cairn_check_opts opts = {.size = sizeof opts, .finding = count_finding, .user = text};
	struct cairn_check_result result = {.size = sizeof result};
	assert_int_equal(cairn_check(reader, &opts, &result), 0);
	if (*text)
		fail_msg("%s", text);
	cairn_close(reader);
}

static void remove_all(void)
{
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s/*", dir);
	assert_int_equal(system(command), 0);
}

#define ON_EVENT "event 36 0 0\n"

/* ---- addresses that are corrected (IVTLTF) ---- */

static void the_last_address_before_a_p0_element_counts(void **state)
{
	static const struct {
		const char *what, *hex, *more, *want;
	} cases[] = {
		{"a branch", B "9a03080000" EE "9a00080000 9a09080000" EE, "",
	     "100c taken 1024\n1024 0\n1028 0\n102c taken 102c\n"},
		{"with a context between", B "9a03080000" EE "9a00080000 8131 9a09080000" EE, "",
	     "100c taken 1024\n1024 0\n1028 0\n102c taken 102c\n"},
		{"with a time between", B "9a03080000" EE "9a00080000 0205 9a09080000" EE, "",
	     "100c taken 1024\nevent 33 5 0\n1024 0\n1028 0\n102c taken 102c\n"},
		{"three of them", B "9a03080000" EE "9a00080000 9a05080000 9a09080000" EE, "",
	     "100c taken 1024\n1024 0\n1028 0\n102c taken 102c\n"},
		{"back to where it was", B NN "9a09080000 9a02080000" EE, "",
	     "1000 0\n1004 1000\n1008 taken 1000\n"},
		{"where none was", B NN "9a02080000 9a09080000" EE, "",
	     "1000 0\n1004 1000\n1024 forced 0\n1028 0\n102c taken 102c\n"},
		/* what a synchronisation tells again is told for itself */
		{"a synchronisation", B "9a03080000" EE "9a09080000" S W EE, "",
	     "100c taken 1024\n1000 forced 0\n1004 taken 1000\n"},
		{"one by which it is told", B "9a03080000" EE S W "9a09080000" EE, "",
	     "100c taken 1024\n1024 0\n1028 0\n102c taken 102c\n"},
	};
	char got[4096];
	uint8_t bytes[256];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int pieces = 0; pieces < 2; pieces++) {
			size_t n = bytes_of(cases[i].hex, bytes);
			list(open_bytes(bytes, n, pieces ? ",piece=1" : "", program), got, sizeof got);
			const char *at = strstr(got, ON_EVENT);
			at = at ? at + sizeof ON_EVENT - 1 : got;
			const char *want = cases[i].want;
			if (strcmp(at, want) != 0)
				fail_msg("%s%s:\n%s-- not --\n%s", cases[i].what, pieces ? ", in pieces" : "", at,
				         want);
		}
}

/* Without a program addresses are all there is. */
static void a_corrected_address_is_none_without_a_program(void **state)
{
	char got[4096];
	uint8_t bytes[256];
	size_t n = bytes_of(B EE "9a00080000 9a09080000" EE, bytes);
	(void)state;
	list(open_bytes(bytes, n, "", NULL), got, sizeof got);
	assert_null(strstr(got, "0 2000"));
	const char *one = strstr(got, " 1024\n");
	assert_non_null(one);
	unsigned places = 0;
	for (const char *p = got; (p = strstr(p, " 1000\n")); p++)
		places++;
	assert_int_equal(places, 1); /* where it began */
}

/* ---- the instruction set ---- */

/* Nothing of the first batches is an instruction: the source says what it is of. */
static void the_source_tells_the_instruction_set(void **state)
{
	enum { EVENTS = 9000 };
	static uint8_t bytes[1024 + 2 * EVENTS];
	static const char *const before[] = {B, B "0619 9a00080000 9a00080000 "};
	char lost[4096];
	(void)state;
	for (size_t i = 0; i < 2; i++)
		for (int runs = 0; runs < 2; runs++) {
			size_t n = bytes_of(before[i], bytes);
			for (size_t k = 0; k < EVENTS; k++, n += 2)
				memcpy(bytes + n, "\x02\x05", 2);
			n += runs ? bytes_of(EE, bytes + n) : 0;
			assert_int_equal(
				convert(open_bytes(bytes, n, "", program), "isa.stf", false, lost, sizeof lost), 0);
			struct cairn_reader *reader = open_file("isa.stf", NULL);
			assert_int_equal(reader->isa, CAIRN_ISA_A64);
			must_be_clean(reader);
			assert_int_equal(
				convert(open_bytes(bytes, n, "", program), "isa.rst", false, lost, sizeof lost),
				CAIRN_E_UNSUPPORTED);
			char path[128];
			snprintf(path, sizeof path, "%s/isa.rst", dir);
			assert_int_equal(access(path, F_OK), -1);
		}
	remove_all();
}

/* ---- ETE made anew ---- */

/* What else is told than where branches went, which the same can be told of in several ways, and
 * what a synchronisation repeats. An end of a run (type 0x10) is not in the source. */
static bool is_compared(const struct cairn_record *rec)
{
	static const char *const others[] = {"NO_SYNC", "TRACE_INFO", "ADDRESS", "ATOMS",
	                                     "SOURCE",  "Q",          "END",     "CONTEXT"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(rec->name, others[i]))
			return false;
	return strcmp(rec->name, "EXCEPTION") != 0 ||
	       rec->fields[0].value != CAIRN_ETE_TRACER_EXCEPTION;
}

static void elements(struct cairn_reader *reader, struct base_buf *out)
{
	static const char *const hows[] = {"also_target", "commit", "depth", "isa"};
	struct cairn_record rec;
	int rc;
	base_buf_init(out, c);
	while ((rc = cairn_next_record(reader, &rec)) > 0) {
		if (!is_compared(&rec))
			continue;
		base_buf_printf(out, "%s", rec.name);
		for (unsigned i = 0; i < rec.n_fields; i++) {
			bool how = false;
			for (size_t k = 0; k < sizeof hows / sizeof *hows; k++)
				how |= !strcmp(rec.fields[i].name, hows[k]);
			if (!how)
				base_buf_printf(out, " %s=%llx%.*s", rec.fields[i].name,
				                (unsigned long long)rec.fields[i].value,
				                rec.fields[i].text ? (int)rec.fields[i].len : 0,
				                rec.fields[i].text ? rec.fields[i].text : "");
		}
		base_buf_printf(out, "\n");
	}
	assert_int_equal(rc, 0);
	base_buf_put(out, "", 1);
	cairn_close(reader);
}

static void rows(struct cairn_reader *reader, struct base_buf *out)
{
	struct cairn_batch *batch = cairn_batch_new(c);
	base_buf_init(out, c);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			base_buf_printf(
				out, "%llx %x %x %llx %u %x\n", (unsigned long long)batch->insns[i].pc,
				batch->insns[i].enc, batch->insns[i].flags & ~(unsigned)CAIRN_INSN_TARGET,
				batch->insns[i].isa == CAIRN_ISA_A64 ? (unsigned long long)batch->insns[i].target
													 : 0,
				batch->ctxs[batch->insns[i].ctx].priv,
				(unsigned)batch->ctxs[batch->insns[i].ctx].ctxid);
	base_buf_put(out, "", 1);
	cairn_batch_free(c, batch);
	cairn_close(reader);
}

static void must_be_equal(const struct base_buf *left, const struct base_buf *right,
                          const char *what, uint64_t seed, const char *lost)
{
	const char *x = (const char *)left->data, *y = (const char *)right->data, *line = x;
	for (; *x && *x == *y; x++, y++)
		if (*x == '\n')
			line = x + 1;
	if (*x == *y)
		return;
	fail_msg("seed %llu, %s:\n%.200s-- not --\n%.200s\nlost: %s", (unsigned long long)seed, what,
	         (const char *)right->data + (line - (const char *)left->data), line, lost);
}

static void walk_options(const struct walk *walk, char *out, size_t size)
{
	struct cairn_ete_config cfg;
	cairn_ete_tracer_config(walk->tracer, &cfg);
	snprintf(out, size,
	         "ete:framing=raw,transactions=keep,trcconfigr=0x%x,trcdevarch=0x%x,trcidr0=0x%x,"
	         "trcidr2=0x%x,trcidr8=0x%x",
	         cfg.configr, cfg.devarch, cfg.idr0, cfg.idr2, cfg.idr8);
}

static struct cairn_reader *open_walk(const struct walk *walk, const char *options,
                                      const char *more)
{
	char from[300];
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from, .image = walk->image};
	struct cairn_reader *reader;
	snprintf(from, sizeof from, "%s%s", options, more);
	if (cairn_open_memory(c, walk->out, walk->n_out, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	return reader;
}

/* But for what the ledger names, and then a lossless run is refused. */
static void what_is_made_anew_means_the_same(void **state)
{
	static char lost[4096];
	char options[256];
	unsigned whole = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 120; seed++) {
		struct walk walk;
		struct base_buf left, right;
		walk_init(&walk, c, 7000 + seed);
		walk.lawful = true;
		walk.opts.q_every = seed % 3 ? 0 : walk.opts.q_every;
		walk.opts.cycles = walk.opts.cycles && !walk.opts.maxspec;
		assert_int_equal(walk_run(&walk, 1200), 0);
		walk_options(&walk, options, sizeof options);
		remove_all();
		if (convert(open_walk(&walk, options, ""), "again.snapshot", false, lost, sizeof lost) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, cairn_error_text(c));
		rows(open_walk(&walk, options, ""), &left);
		rows(open_file("again.snapshot", "ete:transactions=keep"), &right);
		must_be_equal(&left, &right, "instructions", seed, lost);
		base_buf_free(&left);
		base_buf_free(&right);
		elements(open_walk(&walk, options, ",records=elements"), &left);
		elements(open_file("again.snapshot", "ete:records=elements"), &right);
		must_be_equal(&left, &right, "elements", seed, lost);
		base_buf_free(&left);
		base_buf_free(&right);
		whole += !*lost;
		char again[64];
		int rc =
			convert(open_walk(&walk, options, ""), "lossless.snapshot", true, again, sizeof again);
		assert_int_equal(rc, *lost ? CAIRN_E_LOSS : 0);
		walk_free(&walk);
	}
	remove_all();
	assert_true(whole > 30);
}

/* ---- where nothing need follow ---- */

/* Behind a failed transaction execution goes on anywhere, also where a span is cut there. */
static void a_failed_transaction_leads_anywhere(void **state)
{
	static const char hex[] = S ON "820708000031 " EE "0a " EE "063170 8131 " S W NN;
	static const char *const pieces[] = {"", ",piece=1"};
	uint8_t bytes[128];
	size_t n = bytes_of(hex, bytes);
	(void)state;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		must_be_clean(open_bytes(bytes, n, pieces[i], program));
}

/* A reset of the PE stays one on the way through STF. */
static void a_reset_comes_back(void **state)
{
	static const char hex[] = B EE "060170 " W NN;
	char lost[256], text[512];
	uint8_t bytes[64];
	size_t n = bytes_of(hex, bytes);
	(void)state;
	assert_int_equal(
		convert(open_bytes(bytes, n, "", program), "reset.stf", false, lost, sizeof lost), 0);
	assert_int_equal(
		convert(open_file("reset.stf", NULL), "reset.snapshot", false, lost, sizeof lost), 0);
	list(open_file("reset.snapshot", NULL), text, sizeof text);
	char event[32];
	snprintf(event, sizeof event, "event %u 0 0\n", CAIRN_EV_INTERRUPT);
	if (!strstr(text, event))
		fail_msg("%s", text);
	remove_all();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_address_before_a_p0_element_counts),
		cmocka_unit_test(a_corrected_address_is_none_without_a_program),
		cmocka_unit_test(the_source_tells_the_instruction_set),
		cmocka_unit_test(what_is_made_anew_means_the_same),
		cmocka_unit_test(a_failed_transaction_leads_anywhere),
		cmocka_unit_test(a_reset_comes_back),
	};
	c = cairn_new(NULL);
	if (!mkdtemp(dir))
		return 1;
	make_program();
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	cairn_image_free(program);
	remove_all();
	rmdir(dir);
	cairn_free(c);
	return rc;
}
