/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine: what fails surfaces in its place in the trace, whatever the number
 * of threads; runs end when they are told to; nothing waits for ever; nothing
 * leaks. And the writer: commit, discard, ledger.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "beside.h"
#include "fixtures/fixtures.h"

enum { SPANS = 12 };

static const uint8_t plain[SPANS] = {2, 1, 0, 3, 1, 1, 2, 0, 0, 3, 1, 2};

static int setup(void **state)
{
	*state = cairn_new(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	cairn_free(*state);
	return 0;
}

/* threads 0: by cairn_next. */
static void read_steps(struct cairn *cairn, struct fx_trace *trace, unsigned threads,
                       struct fx_result *res)
{
	if (threads == 0)
		fx_read_next(cairn, trace, res);
	else
		fx_read_run(cairn, trace, UINT64_MAX, threads, res);
}

static char *text_of(struct cairn *cairn, const uint8_t *script, size_t n)
{
	struct fx_trace trace = {.format = &fixture_steps, .data = script, .n = n};
	struct fx_result res;
	fx_read_next(cairn, &trace, &res);
	assert_int_equal(res.status, 0);
	char *text = strdup((const char *)res.text.data);
	fx_free(&res);
	return text;
}

static void every_way_gives_the_same(void **state)
{
	struct fx_trace trace = {.format = &fixture_steps, .data = plain, .n = SPANS};
	fx_all_ways(*state, trace, NULL, 0);
	char *text = text_of(*state, plain, SPANS);
	trace.format = &fixture_steps_noscan;
	fx_all_ways(*state, trace, text, 0);
	free(text);
}

static void no_spans_and_empty_ones(void **state)
{
	static const uint8_t empty[40] = {0};
	struct fx_trace trace = {.format = &fixture_steps, .data = empty, .n = 0};
	fx_all_ways(*state, trace, "", 0);
	trace.n = sizeof empty;
	fx_all_ways(*state, trace, "", 0);
}

static void failures_surface_in_their_place(void **state)
{
	static const struct {
		uint8_t step;
		const char *what;
	} kinds[] = {{FX_FAIL_CUT, "cut"},
	             {FX_FAIL_LOAD, "load"},
	             {FX_FAIL_SCAN, "scan"},
	             {FX_FAIL_SEAL, "seal"},
	             {FX_FAIL_DECODE, "decode"}};
	for (size_t k = 0; k < SPANS; k++) {
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
			uint8_t script[SPANS];
			char error[64];
			/* What a failing decode gave before it failed is delivered. */
			size_t whole = kinds[i].step == FX_FAIL_DECODE ? k + 1 : k;
			memcpy(script, plain, SPANS);
			script[k] |= kinds[i].step;
			uint8_t before[SPANS];
			memcpy(before, plain, SPANS);
			char *expected = text_of(*state, before, whole);
			snprintf(error, sizeof error, "span %zu: %s failed", k, kinds[i].what);
			struct fx_trace trace = {.format = &fixture_steps, .data = script, .n = SPANS};
			for (unsigned threads = 0; threads <= 8; threads++) {
				struct fx_result res;
				read_steps(*state, &trace, threads, &res);
				assert_int_equal(res.status, CAIRN_E_IO);
				assert_string_equal(res.error, error);
				assert_string_equal((const char *)res.text.data, expected);
				fx_free(&res);
			}
			free(expected);
		}
	}
}

static struct cairn_reader *open_steps(struct cairn *cairn, const struct model_format *format,
                                       const uint8_t *script, size_t n, const char *options,
                                       int strict)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .strict = strict};
	struct cairn_reader *reader;
	struct io_source *io;
	assert_int_equal(io_open_memory(cairn, script, n, &io), 0);
	assert_int_equal(model_reader_new(cairn, format, io, options, &opts, &reader), 0);
	return reader;
}

static void a_failure_stays_until_a_seek(void **state)
{
	const uint8_t script[] = {1, 1 | FX_FAIL_DECODE, 1};
	struct cairn_reader *reader = open_steps(*state, &fixture_steps, script, 3, "", 0);
	struct cairn_batch *batch = cairn_batch_new(*state);
	struct cairn_record rec;
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(cairn_next(reader, batch), CAIRN_E_IO);
	assert_int_equal(cairn_next(reader, batch), CAIRN_E_IO);
	assert_int_equal(cairn_next_record(reader, &rec), CAIRN_E_IO);
	assert_int_equal(cairn_seek(reader, 1), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n0, 1);
	cairn_batch_free(*state, batch);
	cairn_close(reader);
}

static void seeking_skips_what_lies_before(void **state)
{
	char *text = text_of(*state, plain, SPANS);
	for (uint64_t n = 1; n <= 48; n++) {
		for (int scan = 0; scan < 2; scan++) {
			struct fx_trace trace = {.format = scan ? &fixture_steps : &fixture_steps_noscan,
			                         .data = plain,
			                         .n = SPANS,
			                         .seek = n};
			struct fx_result res;
			fx_read_next(*state, &trace, &res);
			const char *got = (const char *)res.text.data;
			size_t len = strlen(got);
			assert_true(len <= strlen(text));
			assert_string_equal(got, text + strlen(text) - len);
			unsigned long long first = 0;
			sscanf(got, "I %llu", &first);
			assert_true(first <= n && n - first < 3); /* in the first batch */
			fx_free(&res);
			fx_all_ways(*state, trace, NULL, 0);
		}
	}
	free(text);
}

/* ---- reducers ---- */

struct watch {
	struct cairn *cairn;
	uint64_t fail_feed_at, fail_fold_at, end_at; /* instruction numbers */
	unsigned fail_begin_at;                      /* the so-many-th begin */
	unsigned begun, flushed_early;
	uint64_t folded_n; /* numbers folded or flushed so far */
	unsigned live;
	size_t hold;
	volatile int cancel;
	uint64_t cancel_at, records;
	bool wrong;
};

/* Numbers of a span's instructions not yet flushed. */
struct part {
	uint64_t first, last;
};

static int watch_begin(void *user, void **partial)
{
	struct watch *watch = user;
	if (__atomic_add_fetch(&watch->begun, 1, __ATOMIC_RELAXED) == watch->fail_begin_at)
		return CAIRN_E_INVAL;
	*partial = calloc(1, sizeof(struct part));
	__atomic_add_fetch(&watch->live, 1, __ATOMIC_RELAXED);
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int take_number(struct watch *watch, struct part *part, uint64_t n)
{
	if (n == watch->fail_feed_at)
		return CAIRN_E_INVAL;
	if (n == watch->cancel_at)
		__atomic_store_n(&watch->cancel, 1, __ATOMIC_RELAXED);
	if (!part->first)
		part->first = n;
	else if (n != part->last + 1)
		watch->wrong = true;
	part->last = n;
	return 0;
}

static int watch_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	int rc = 0;
	for (uint32_t i = 0; i < batch->n_insns && rc == 0; i++)
		rc = take_number(user, partial, batch->n0 + i);
	return rc;
}

static int watch_record(void *user, void *partial, const struct cairn_record *rec)
{
	return take_number(user, partial, rec->insn);
}

/* In order, and nothing missing: the trace's numbers have no holes. */
static int take_in(struct watch *watch, struct part *part)
{
	if (part->first && part->first != watch->folded_n + 1)
		watch->wrong = true;
	if (part->first)
		watch->folded_n = part->last;
	part->first = part->last = 0;
	if (watch->fail_fold_at && watch->folded_n >= watch->fail_fold_at)
		return CAIRN_E_INVAL;
	return watch->end_at && watch->folded_n >= watch->end_at;
}

static void watch_drop(void *user, void *partial)
{
	struct watch *watch = user;
	__atomic_sub_fetch(&watch->live, 1, __ATOMIC_RELAXED);
	free(partial);
}

static int watch_fold(void *user, void *partial)
{
	int rc = take_in(user, partial);
	watch_drop(user, partial);
	return rc;
}

static size_t watch_held(void *user, const void *partial)
{
	(void)partial;
	return ((struct watch *)user)->hold;
}

static int watch_flush(void *user, void *partial)
{
	struct watch *watch = user;
	watch->flushed_early++;
	int rc = take_in(watch, partial);
	return rc < 0 ? rc : 0;
}

static const struct cairn_reducer watching = {.size = sizeof watching,
                                              .begin = watch_begin,
                                              .feed = watch_feed,
                                              .fold = watch_fold,
                                              .drop = watch_drop};

static int run_watch(struct cairn *cairn, const struct cairn_reducer *red, const uint8_t *script,
                     size_t n, const char *options, int strict, unsigned threads, uint64_t last,
                     struct watch *watch)
{
	struct cairn_reader *reader = open_steps(cairn, &fixture_steps, script, n, options, strict);
	int rc = cairn_run(reader, red, watch, last, threads);
	assert_false(watch->wrong);
	assert_int_equal(watch->live, 0);
	cairn_close(reader);
	return rc;
}

static void a_reducer_may_fail(void **state)
{
	/* 16 batches of 3: numbers 1 to 48. */
	for (unsigned threads = 1; threads <= 8; threads++) {
		struct watch watch = {.fail_feed_at = 20};
		assert_int_equal(
			run_watch(*state, &watching, plain, SPANS, "", 0, threads, UINT64_MAX, &watch),
			CAIRN_E_INVAL);
		assert_int_equal(watch.folded_n, 19);
		watch = (struct watch){.fail_fold_at = 20};
		assert_int_equal(
			run_watch(*state, &watching, plain, SPANS, "", 0, threads, UINT64_MAX, &watch),
			CAIRN_E_INVAL);
		assert_int_equal(watch.folded_n, 21); /* the span 19 to 21 */
		assert_string_equal(cairn_error_text(*state), "the analysis failed with status -2");
		watch = (struct watch){.fail_begin_at = 1};
		assert_int_equal(
			run_watch(*state, &watching, plain, SPANS, "", 0, threads, UINT64_MAX, &watch),
			CAIRN_E_INVAL);
		assert_true(threads > 1 || watch.folded_n == 0);
	}
}

static void fold_may_end_the_run(void **state)
{
	uint8_t script[SPANS];
	memcpy(script, plain, SPANS);
	script[4] |= FX_FAIL_DECODE; /* holds 19 to 21: after the end nothing matters */
	script[5] |= FX_FAIL_LOAD;
	for (unsigned threads = 1; threads <= 8; threads++) {
		struct watch watch = {.end_at = 20};
		assert_int_equal(
			run_watch(*state, &watching, script, SPANS, "", 0, threads, UINT64_MAX, &watch), 0);
		assert_int_equal(watch.folded_n, 21);
	}
}

static void a_run_ends_at_last(void **state)
{
	for (unsigned threads = 1; threads <= 8; threads++) {
		struct watch watch = {0};
		assert_int_equal(run_watch(*state, &watching, plain, SPANS, "", 0, threads, 20, &watch), 0);
		assert_in_range(watch.folded_n, 20, 27);
	}
}

static void a_run_that_ended_early_has_no_position(void **state)
{
	struct cairn_reader *reader = open_steps(*state, &fixture_steps, plain, SPANS, "", 0);
	struct cairn_batch *batch = cairn_batch_new(*state);
	struct cairn_tally tally = {.size = sizeof tally};
	struct watch watch = {0};
	assert_int_equal(cairn_run(reader, &watching, &watch, 5, 2), 0);
	assert_int_equal(cairn_next(reader, batch), CAIRN_E_STATE);
	assert_int_equal(cairn_run(reader, &watching, &watch, 5, 2), CAIRN_E_STATE);
	assert_int_equal(cairn_count(reader, 2, &tally), CAIRN_E_STATE);
	assert_int_equal(cairn_seek(reader, 1), 0);
	watch = (struct watch){0};
	assert_int_equal(cairn_run(reader, &watching, &watch, UINT64_MAX, 2), 0);
	assert_int_equal(watch.folded_n, 48);
	assert_int_equal(cairn_next(reader, batch), 0); /* it ended at the end */
	assert_int_equal(cairn_seek(reader, 1), 0);
	assert_int_equal(cairn_count(reader, 3, &tally), 0);
	assert_int_equal(tally.instructions, 48);
	assert_int_equal(cairn_seek(reader, 1), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(cairn_run(reader, &watching, &watch, UINT64_MAX, 2), CAIRN_E_STATE);
	cairn_batch_free(*state, batch);
	cairn_close(reader);
}

static void what_cannot_be_scanned_is_counted(void **state)
{
	struct cairn_reader *reader = open_steps(*state, &fixture_steps, plain, SPANS, "", 0);
	struct cairn_reader *bare = open_steps(*state, &fixture_steps_noscan, plain, SPANS, "", 0);
	struct cairn_tally whole = {.size = sizeof whole}, tally = {.size = sizeof tally};
	assert_int_equal(cairn_count(reader, 3, &whole), 0);
	assert_int_equal(cairn_count(bare, 3, &tally), 0);
	assert_int_equal(tally.instructions, 48);
	assert_int_equal(tally.instructions, whole.instructions);
	assert_int_equal(tally.executed, whole.instructions);
	assert_true(tally.records_unknown && !whole.records_unknown);
	cairn_close(bare);
	cairn_close(reader);
}

static void reducers_are_checked(void **state)
{
	struct cairn_reader *reader = open_steps(*state, &fixture_steps, plain, SPANS, "", 0);
	struct cairn_reader *bare = open_steps(*state, &fixture_steps_noscan, plain, SPANS, "", 0);
	struct cairn_reducer red = watching;
	struct cairn_tally tally = {.size = sizeof tally};
	struct watch watch = {0};
	red.feed = NULL;
	assert_int_equal(cairn_run(reader, &red, &watch, 5, 1), CAIRN_E_INVAL);
	red = watching;
	red.feed_record = watch_record;
	assert_int_equal(cairn_run(reader, &red, &watch, 5, 1), CAIRN_E_INVAL);
	red.feed = NULL;
	assert_int_equal(cairn_run(bare, &red, &watch, 5, 1), CAIRN_E_UNSUPPORTED);
	red = watching;
	red.flush = watch_flush;
	assert_int_equal(cairn_run(reader, &red, &watch, 5, 1), CAIRN_E_INVAL);
	red = watching;
	red.fold = NULL;
	assert_int_equal(cairn_run(reader, &red, &watch, 5, 1), CAIRN_E_INVAL);
	red = watching;
	red.size += 8;
	assert_int_equal(cairn_run(reader, &red, &watch, 5, 1), CAIRN_E_INVAL);
	tally.size = 0;
	assert_int_equal(cairn_count(reader, 1, &tally), CAIRN_E_INVAL);
	assert_int_equal(cairn_seek(reader, 0), CAIRN_E_INVAL);
	cairn_close(bare);
	cairn_close(reader);
}

static void records_are_run_like_batches(void **state)
{
	struct cairn_reducer red = watching;
	red.feed = NULL;
	red.feed_record = watch_record;
	for (unsigned threads = 1; threads <= 8; threads++) {
		struct watch watch = {0};
		assert_int_equal(run_watch(*state, &red, plain, SPANS, "", 0, threads, UINT64_MAX, &watch),
		                 0);
		assert_int_equal(watch.folded_n, 48);
		watch = (struct watch){.fail_feed_at = 20};
		assert_int_equal(run_watch(*state, &red, plain, SPANS, "", 0, threads, UINT64_MAX, &watch),
		                 CAIRN_E_INVAL);
		assert_int_equal(watch.folded_n, 19);
	}
}

/* Only the span at the head is flushed, and what holds much waits for that. */
static void growing_partials_are_flushed_in_order(void **state)
{
	struct cairn_reducer red = watching;
	red.held = watch_held;
	red.flush = watch_flush;
	uint8_t script[100];
	for (size_t i = 0; i < sizeof script; i++)
		script[i] = (uint8_t)(i * 7 % 4);
	uint64_t numbers = 0;
	for (size_t i = 0; i < sizeof script; i++)
		numbers += 3u * script[i];
	for (unsigned threads = 1; threads <= 8; threads++) {
		for (unsigned hold = 0; hold < 2; hold++) {
			struct watch watch = {.hold = hold << 30};
			assert_int_equal(run_watch(*state, &red, script, sizeof script, "delay", 0, threads,
			                           UINT64_MAX, &watch),
			                 0);
			assert_int_equal(watch.folded_n, numbers);
			if (hold)
				assert_int_equal(watch.flushed_early, numbers / 3);
		}
	}
}

static void cancelling_ends_a_run(void **state)
{
	(void)state;
	struct watch watch = {0};
	struct cairn_opts opts = {.size = sizeof opts, .cancel = &watch.cancel};
	struct cairn *cairn = cairn_new(&opts);
	struct cairn_tally tally = {.size = sizeof tally};
	for (unsigned threads = 1; threads <= 8; threads++) {
		watch = (struct watch){.cancel_at = 20};
		assert_int_equal(
			run_watch(cairn, &watching, plain, SPANS, "", 0, threads, UINT64_MAX, &watch),
			CAIRN_E_CANCELLED);
		assert_string_equal(cairn_error_text(cairn), "cancelled");
		assert_true(watch.folded_n < 48);
		struct cairn_reader *reader = open_steps(cairn, &fixture_steps, plain, SPANS, "", 0);
		struct cairn_batch *batch = cairn_batch_new(cairn);
		assert_int_equal(cairn_next(reader, batch), CAIRN_E_CANCELLED);
		assert_int_equal(cairn_count(reader, threads, &tally), CAIRN_E_CANCELLED);
		cairn_batch_free(cairn, batch);
		cairn_close(reader);
	}
	cairn_free(cairn);
}

/* ---- damage ---- */

static void damage_is_told_in_trace_order(void **state)
{
	uint8_t script[150];
	for (size_t i = 0; i < sizeof script; i++)
		script[i] = (uint8_t)(1 + i % 3) | (i % 2 ? FX_DAMAGED : FX_DAMAGED_LATE);
	for (unsigned threads = 0; threads <= 8; threads++) {
		struct cairn_reader *reader =
			open_steps(*state, &fixture_steps, script, sizeof script, threads ? "delay" : "", 0);
		struct cairn_batch *batch = cairn_batch_new(*state);
		struct watch watch = {0};
		while (threads == 0 && cairn_next(reader, batch) > 0)
			;
		if (threads)
			assert_int_equal(cairn_run(reader, &watching, &watch, UINT64_MAX, threads), 0);
		assert_int_equal(cairn_damage_count(reader), sizeof script);
		for (size_t i = 0; i < 100; i++) {
			char text[64];
			snprintf(text, sizeof text, "span %zu: damaged%s", i, i % 2 ? "" : " late");
			assert_string_equal(cairn_damage_text(reader, i), text);
		}
		assert_null(cairn_damage_text(reader, 100));
		cairn_batch_free(*state, batch);
		cairn_close(reader);
	}
}

static void strictly_damage_is_the_end(void **state)
{
	const uint8_t late[] = {2, 1, 3 | FX_DAMAGED_LATE, 1, 2 | FX_DAMAGED};
	const uint8_t early[] = {2, 1, 3 | FX_DAMAGED, 1, 2 | FX_DAMAGED};
	for (int k = 0; k < 2; k++) {
		const uint8_t *script = k ? early : late;
		/* Up to and with the first batch behind which the damage is known. */
		const uint8_t known[] = {2, 1, (uint8_t)((script[2] & FX_FAIL) | 1)};
		char *expected = text_of(*state, known, 3);
		struct fx_trace trace = {.format = &fixture_steps, .data = script, .n = 5, .strict = 1};
		for (unsigned threads = 0; threads <= 8; threads++) {
			struct fx_result res;
			read_steps(*state, &trace, threads, &res);
			assert_int_equal(res.status, CAIRN_E_DAMAGED);
			assert_non_null(strstr(res.error, k ? "span 2: damaged" : "span 2: damaged late"));
			assert_string_equal((const char *)res.text.data, expected);
			fx_free(&res);
		}
		free(expected);
	}
}

/* ---- waiting ---- */

static void nothing_waits_for_ever(void **state)
{
	char *runs = getenv("MODEL_RUNS");
	unsigned n = runs ? (unsigned)atoi(runs) : 80;
	unsigned seed = 1;
	for (unsigned i = 0; i < n; i++) {
		uint8_t script[60];
		for (size_t k = 0; k < sizeof script; k++) {
			seed = seed * 1103515245u + 12345u;
			script[k] = (uint8_t)(seed >> 16 & FX_BATCHES);
		}
		if (i % 3 == 1)
			script[seed % sizeof script] |= (uint8_t)((1 + seed / 64 % 5) << 4);
		struct cairn_reducer red = watching;
		struct watch watch = {.hold = i % 2 ? 1u << 30 : 0, .end_at = i % 5 == 4 ? 40 : 0};
		if (i % 4 >= 2) {
			red.held = watch_held;
			red.flush = watch_flush;
		}
		int rc = run_watch(*state, &red, script, sizeof script, "delay", 0, 1 + i % 8, UINT64_MAX,
		                   &watch);
		assert_true(rc == 0 || rc == CAIRN_E_IO);
	}
}

/* ---- memory ---- */

struct scarce {
	long left;   /* allocations until one fails; only this one does */
	long blocks; /* not freed */
};

static void *scarce_realloc(void *user, void *p, size_t n)
{
	struct scarce *scarce = user;
	if (n && __atomic_sub_fetch(&scarce->left, 1, __ATOMIC_RELAXED) == 0)
		return NULL;
	if (!p && n)
		__atomic_add_fetch(&scarce->blocks, 1, __ATOMIC_RELAXED);
	if (p && !n) {
		__atomic_sub_fetch(&scarce->blocks, 1, __ATOMIC_RELAXED);
		free(p);
		return NULL;
	}
	return realloc(p, n);
}

static void any_allocation_may_fail(void **state)
{
	(void)state;
	const uint8_t script[] = {2, 1 | FX_DAMAGED, 0, 3, 1 | FX_DAMAGED_LATE, 2};
	for (long k = 1; k < 80; k++) {
		for (unsigned threads = 0; threads <= 3; threads++) {
			struct scarce scarce = {.left = k};
			struct cairn_opts opts = {.size = sizeof opts,
			                          .realloc = scarce_realloc,
			                          .alloc_user = &scarce};
			struct cairn *cairn = cairn_new(&opts);
			struct cairn_reader *reader = NULL;
			struct io_source *io = NULL;
			struct cairn_batch *batch = cairn ? cairn_batch_new(cairn) : NULL;
			struct watch watch = {0};
			if (cairn && batch && io_open_memory(cairn, script, sizeof script, &io) >= 0 &&
			    model_reader_new(cairn, &fixture_steps, io, "", NULL, &reader) >= 0) {
				int rc = 0;
				while (threads == 0 && (rc = cairn_next(reader, batch)) > 0)
					;
				if (threads)
					rc = cairn_run(reader, &watching, &watch, UINT64_MAX, threads);
				assert_true(rc == 0 || rc == CAIRN_E_NOMEM);
				assert_int_equal(watch.live, 0);
			}
			cairn_close(reader);
			if (cairn)
				cairn_batch_free(cairn, batch);
			cairn_free(cairn);
			assert_int_equal(scarce.blocks, 0);
		}
	}
}

/* ---- writing ---- */

static char folder[64];

static int make_folder(void **state)
{
	snprintf(folder, sizeof folder, "/tmp/cairn-model-XXXXXX");
	return mkdtemp(folder) ? setup(state) : -1;
}

static int remove_folder(void **state)
{
	teardown(state);
	return rmdir(folder); /* fails when something was left behind */
}

static const char *in_folder(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static struct cairn_writer *text_writer(struct cairn *cairn, const char *name, int lossless,
                                        const char *codec)
{
	struct cairn_create_opts opts = {.size = sizeof opts, .lossless = lossless, .codec = codec};
	struct cairn_writer *writer;
	assert_int_equal(model_writer_new(cairn, &fixture_text, in_folder(name), "", &opts, &writer),
	                 0);
	return writer;
}

/* Copy a trace of the fixtures into the writer until something is wrong. */
static int copy(struct cairn *cairn, const struct model_format *format, const void *data, size_t n,
                struct cairn_writer *writer)
{
	struct cairn_reader *reader = open_steps(cairn, format, data, n, "", 0);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	int rc;
	while ((rc = cairn_next(reader, batch)) > 0 && (rc = cairn_put(writer, batch)) >= 0)
		;
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
	return rc;
}

static void assert_file(struct cairn *cairn, const char *name, const char *expected)
{
	struct io_source *io;
	char got[256];
	assert_int_equal(io_open(cairn, in_folder(name), &io), 0);
	int64_t n = io_read(io, got, sizeof got - 1);
	assert_true(n >= 0);
	got[n] = 0;
	assert_string_equal(got, expected);
	io_close(io);
	unlink(in_folder(name));
}

static void a_writer_commits_with_finish(void **state)
{
	char temp[512];
	const uint8_t script[] = {1, 1};
	static const char *const names[] = {"out.txt", "out.txt.gz", "packed"};
	for (int i = 0; i < 3; i++) {
		struct cairn_ledger *ledger;
		struct cairn_writer *writer = text_writer(*state, names[i], 1, i == 2 ? "xz" : NULL);
		assert_int_equal(copy(*state, &fixture_steps, script, 2, writer), 0);
		assert_int_equal(access(in_folder(names[i]), F_OK), -1);
		assert_int_equal(cairn_finish(writer, &ledger), 0);
		assert_int_equal(ledger->n, 0);
		cairn_ledger_free(*state, ledger);
		assert_file(*state, names[i], "1 0x7\n2 0x7\n3 0x7\n4 0xdb\n5 0xdb\n6 0xdb\n6 lines\n");
	}
	struct cairn_writer *writer = text_writer(*state, "out.txt", 0, NULL);
	cairn_discard(writer);
	cairn_discard(NULL);
	assert_false(unfinished(in_folder("out.txt"), temp, sizeof temp));
}

static const char log_line[] = "#             x4: 0x0000000000000007 <- 0x00007fff00002000\n"
							   "what a program printed\n";

static void what_is_lost_is_counted(void **state)
{
	struct cairn_ledger *ledger;
	struct cairn_writer *writer = text_writer(*state, "out.txt", 0, NULL);
	assert_int_equal(copy(*state, &fixture_vixl, log_line, sizeof log_line - 1, writer), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(model_lost(writer, 2, 30 - (unsigned)i, "registers"), 0);
	assert_int_equal(model_lost(writer, 0, 1, "nothing"), 0);
	assert_int_equal(cairn_finish(writer, &ledger), 0);
	assert_int_equal(ledger->n, 3);
	assert_string_equal(ledger->losses[0].what, "memory accesses");
	assert_int_equal(ledger->losses[0].count, 1);
	assert_int_equal(ledger->losses[0].first, 1);
	assert_string_equal(ledger->losses[1].what, "events");
	assert_int_equal(ledger->losses[1].first, 0);
	assert_string_equal(ledger->losses[2].what, "registers");
	assert_int_equal(ledger->losses[2].count, 6);
	assert_int_equal(ledger->losses[2].first, 28);
	cairn_ledger_free(*state, ledger);
	assert_file(*state, "out.txt", "0 lines\n");
}

static void lossless_leaves_no_file(void **state)
{
	struct cairn_ledger *ledger;
	struct cairn_writer *writer = text_writer(*state, "out.txt", 1, NULL);
	assert_int_equal(copy(*state, &fixture_vixl, log_line, sizeof log_line - 1, writer),
	                 CAIRN_E_LOSS);
	char text[256], temp[512];
	snprintf(text, sizeof text, "%s: instruction 1: text cannot carry memory accesses",
	         in_folder("out.txt"));
	assert_string_equal(cairn_error_text(*state), text);
	assert_int_equal(cairn_finish(writer, &ledger), CAIRN_E_LOSS);
	assert_int_equal(ledger->n, 1);
	cairn_ledger_free(*state, ledger);
	assert_int_equal(access(in_folder("out.txt"), F_OK), -1);
	assert_false(unfinished(in_folder("out.txt"), temp, sizeof temp));
}

static void a_writer_that_does_not_open(void **state)
{
	struct cairn_create_opts opts = {.size = sizeof opts, .codec = "nonesuch"};
	struct cairn_writer *writer;
	assert_int_equal(model_writer_new(*state, &fixture_text, in_folder("a"), "", &opts, &writer),
	                 CAIRN_E_INVAL);
	assert_null(writer);
	assert_int_equal(
		model_writer_new(*state, &fixture_text, in_folder("a"), "refuse", NULL, &writer),
		CAIRN_E_INVAL);
	assert_int_equal(model_writer_new(*state, &fixture_text, in_folder("b/a"), "", NULL, &writer),
	                 CAIRN_E_NOTFOUND);
	opts.size += 8;
	assert_int_equal(model_writer_new(*state, &fixture_text, in_folder("a"), "", &opts, &writer),
	                 CAIRN_E_INVAL);
}

static void a_ledger_has_its_bounds(void **state)
{
	struct cairn_ledger *ledger = model_ledger_new(*state);
	for (unsigned i = 0; i < 1000; i++) {
		char what[32];
		snprintf(what, sizeof what, "kind %u", i);
		assert_int_equal(model_ledger_add(*state, ledger, what, 1, i), 0);
	}
	assert_int_equal(ledger->n, 256);
	assert_string_equal(ledger->losses[255].what, "other things");
	assert_int_equal(ledger->losses[255].count, 1000 - 255);
	assert_int_equal(ledger->losses[255].first, 255);
	cairn_ledger_free(*state, ledger);
}

int main(void)
{
	const struct CMUnitTest reading[] = {
		cmocka_unit_test(every_way_gives_the_same),
		cmocka_unit_test(no_spans_and_empty_ones),
		cmocka_unit_test(failures_surface_in_their_place),
		cmocka_unit_test(a_failure_stays_until_a_seek),
		cmocka_unit_test(seeking_skips_what_lies_before),
		cmocka_unit_test(a_reducer_may_fail),
		cmocka_unit_test(fold_may_end_the_run),
		cmocka_unit_test(a_run_ends_at_last),
		cmocka_unit_test(a_run_that_ended_early_has_no_position),
		cmocka_unit_test(what_cannot_be_scanned_is_counted),
		cmocka_unit_test(reducers_are_checked),
		cmocka_unit_test(records_are_run_like_batches),
		cmocka_unit_test(growing_partials_are_flushed_in_order),
		cmocka_unit_test(cancelling_ends_a_run),
		cmocka_unit_test(damage_is_told_in_trace_order),
		cmocka_unit_test(strictly_damage_is_the_end),
		cmocka_unit_test(nothing_waits_for_ever),
		cmocka_unit_test(any_allocation_may_fail),
	};
	const struct CMUnitTest writing[] = {
		cmocka_unit_test(a_writer_commits_with_finish),
		cmocka_unit_test(what_is_lost_is_counted),
		cmocka_unit_test(lossless_leaves_no_file),
		cmocka_unit_test(a_writer_that_does_not_open),
		cmocka_unit_test(a_ledger_has_its_bounds),
	};
	int failed = cmocka_run_group_tests(reading, setup, teardown);
	return cmocka_run_group_tests(writing, make_folder, remove_folder) || failed;
}
