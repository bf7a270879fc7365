/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index against reading: jumping with it gives what reading from the start
 * gives; registers are those of a replay; masks and filters never say no to what
 * happened; and what is stale or damaged is not believed. With CAIRN_TEST_DATA set,
 * the same for real traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "io/io.h"
#include "model/index.h"

static struct cairn *c;
static char dir[64];

static const char *path_of(const char *name)
{
	static char path[4][512];
	static unsigned next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	return p;
}

/* ---- a trace with everything an entry state holds ---- */

static uint64_t seed = 7;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static void put_ids(struct cairn_stf_writer *writer)
{
	uint8_t rec[13] = {CAIRN_STF_PROCESS_ID_EXT};
	base_put_le32(rec + 1, rnd(3));
	base_put_le32(rec + 5, 10 + rnd(5));
	base_put_le32(rec + 9, 100 + rnd(5));
	assert_true(cairn_stf_put_record(writer, rec, sizeof rec) >= 0);
}

static void put_random(struct cairn_stf_writer *writer)
{
	static const uint32_t encodings[] = {0x13, 0x00f71363, 0x0005b503, 0x00a5b023, 0x8082};
	uint32_t k = rnd(5), enc = encodings[k];
	uint64_t mode = rnd(4);
	if (rnd(5000) == 0)
		put_ids(writer);
	if (rnd(3000) == 0)
		cairn_stf_put_event(writer, (uint64_t)1 << 62 | 1, &mode, 1);
	if (rnd(2000) == 0)
		cairn_stf_put_force_pc(writer, 0x10000 + 4 * rnd(1000));
	if (rnd(2))
		cairn_stf_put_reg(writer, CAIRN_REG_INT, 1 + rnd(31), CAIRN_ROLE_SRC, rnd(1000));
	if (rnd(2))
		cairn_stf_put_reg(writer, rnd(8) ? CAIRN_REG_INT : CAIRN_REG_FP, rnd(32), CAIRN_ROLE_DST,
		                  seed);
	if (rnd(500) == 0)
		cairn_stf_put_reg(writer, CAIRN_REG_CSR, rnd(4096), CAIRN_ROLE_DST, seed);
	if (k == 2 || k == 3)
		cairn_stf_put_mem(writer, k == 2 ? CAIRN_MEM_READ : CAIRN_MEM_WRITE,
		                  0x80000000u + 8 * (uint64_t)rnd(1 << 20) + (rnd(2) ? seed & 0xfff000 : 0),
		                  8, seed);
	if (k == 4 || (k == 1 && rnd(2)))
		cairn_stf_put_pc_target(writer, 0x20000 + 2 * rnd(5000));
	assert_true(cairn_stf_put_insn(writer, enc, enc == 0x8082 ? 2 : 4) >= 0);
}

static const char *make(const char *name, unsigned n, uint32_t chunk, const char *codec)
{
	const char *path = path_of(name);
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .chunk = chunk, .codec = codec};
	struct cairn_stf_config cfg = {.isa = 1,
	                               .iem = 2,
	                               .event_bits = 64,
	                               .new_ids = 1,
	                               .features = CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT64};
	struct cairn_stf_writer *writer;
	seed = n;
	assert_int_equal(cairn_stf_create(c, path, &opts, &writer), 0);
	assert_true(cairn_stf_put_header(writer, &cfg, 0x40, (const uint8_t[]){1, 0, 0}, "test", NULL,
	                                 0, 0x1000, NULL) >= 0);
	for (unsigned i = 0; i < n; i++)
		put_random(writer);
	assert_true(cairn_stf_finish(writer) >= 0);
	return path;
}

/* ---- helpers ---- */

static void build_on(const char *path, unsigned threads, struct cairn_index_stats *st)
{
	struct cairn_index_opts opts = {.size = sizeof opts, .threads = threads};
	if (cairn_index_build(c, path, &opts, st) < 0)
		fail_msg("%s", cairn_error_text(c));
}

static struct cairn_reader *open_it(const char *path, bool no_index)
{
	struct cairn_reader *reader;
	struct cairn_open_opts opts = {.size = sizeof opts, .no_index = no_index};
	if (cairn_open(c, path, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	return reader;
}

/* What a row says, places and context included. */
struct brief {
	struct cairn_insn insn;
	struct cairn_ctx ctx;
	uint64_t rec, off;
	uint32_t regs, mems, events, pad;
};

static struct brief brief_of(const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *insn = &batch->insns[index];
	struct brief brief = {.insn = *insn,
	                      .ctx = batch->ctxs[insn->ctx],
	                      .rec = batch->rec0 + insn->rec,
	                      .off = batch->off0 + insn->off,
	                      .regs = (uint32_t)(insn[1].reg0 - insn->reg0),
	                      .mems = (uint32_t)(insn[1].mem0 - insn->mem0),
	                      .events = (uint32_t)(insn[1].ev0 - insn->ev0)};
	brief.insn.rec = brief.insn.off = 0;
	brief.insn.ctx = brief.insn.reg0 = brief.insn.mem0 = brief.insn.ev0 = 0;
	return brief;
}

struct whole {
	struct brief *rows;
	size_t n, cap;
};

static struct whole read_whole(const char *path)
{
	struct whole whole = {0};
	struct cairn_reader *reader = open_it(path, true);
	struct cairn_batch *batch = cairn_batch_new(c);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t k = 0; k < batch->n_insns; k++) {
			if (whole.n == whole.cap) {
				whole.cap = whole.cap ? 2 * whole.cap : 4096;
				whole.rows = realloc(whole.rows, whole.cap * sizeof *whole.rows);
				assert_non_null(whole.rows);
			}
			assert_int_equal(batch->n0 + k, whole.n + 1);
			whole.rows[whole.n++] = brief_of(batch, k);
		}
	cairn_batch_free(c, batch);
	cairn_close(reader);
	return whole;
}

static void same_as_whole(const struct whole *whole, const struct cairn_batch *batch)
{
	assert_true(batch->have & CAIRN_PLACES);
	for (uint32_t k = 0; k < batch->n_insns; k++) {
		struct brief brief = brief_of(batch, k);
		assert_true(batch->n0 + k <= whole->n);
		assert_memory_equal(&brief, &whole->rows[batch->n0 + k - 1], sizeof brief);
	}
}

static void seeks_like_reading(const char *path, const struct whole *whole, uint64_t step)
{
	struct cairn_reader *reader = open_it(path, false);
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_non_null(cairn_reader_index(reader));
	assert_true(cairn_reader_jumps(reader));
	for (uint64_t n = 1; n <= whole->n; n += step) {
		assert_int_equal(cairn_seek(reader, n), 0);
		bool held = false;
		for (int i = 0; i < 3; i++) {
			int rc = cairn_next(reader, batch);
			assert_true(rc >= 0);
			if (rc == 0)
				break;
			held |= batch->n0 <= n && n < batch->n0 + batch->n_insns;
			same_as_whole(whole, batch);
		}
		assert_true(held);
	}
	assert_int_equal(cairn_seek(reader, whole->n + 1), CAIRN_E_NOTFOUND);
	cairn_batch_free(c, batch);
	cairn_close(reader);
}

struct run {
	const struct whole *whole;
	uint64_t n;
};

static int run_begin(void *user, void **partial)
{
	(void)user;
	*partial = calloc(1, sizeof(uint64_t));
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int run_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct run *run = user;
	same_as_whole(run->whole, batch);
	*(uint64_t *)partial += batch->n_insns;
	return 0;
}

static int run_fold(void *user, void *partial)
{
	struct run *run = user;
	run->n += *(uint64_t *)partial;
	free(partial);
	return 0;
}

static void runs_like_reading(const char *path, const struct whole *whole)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = run_begin,
	                                         .feed = run_feed,
	                                         .fold = run_fold};
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct cairn_reader *reader = open_it(path, false);
		struct run run = {.whole = whole};
		uint64_t from = whole->n / 2 + 1;
		assert_int_equal(cairn_seek(reader, from), 0);
		assert_int_equal(cairn_run(reader, &red, &run, UINT64_MAX, threads), 0);
		assert_true(run.n >= whole->n - from + 1 && run.n <= whole->n - from + 1 + 1024);
		cairn_close(reader);
	}
}

/* ---- replaying ---- */

/* The state by reading, which test_state.c holds against a slow one. */
static void regs_are_right(const struct cairn_index *index, size_t span,
                           const struct cairn_state *state)
{
	enum { MOST = 1 << 14 };
	static struct cairn_state_reg regs[MOST], again[MOST];
	size_t n = cairn_index_regs(index, span, regs, MOST);
	assert_int_equal(cairn_state_regs(state, again, MOST), n);
	for (size_t i = 0; i < n; i++)
		assert_true(regs[i].hart == again[i].hart && regs[i].cls == again[i].cls &&
		            regs[i].num == again[i].num && regs[i].value == again[i].value &&
		            regs[i].known == again[i].known && regs[i].told == again[i].told);
}

static void touches_are_told(const struct cairn_index *index, size_t span,
                             const struct cairn_batch *batch, uint32_t k)
{
	const struct cairn_insn *insn = &batch->insns[k];
	for (uint32_t j = insn->reg0; j < insn[1].reg0; j++)
		if (batch->regs[j].role == CAIRN_ROLE_DST)
			assert_true(
				cairn_index_writes_reg(index, span, batch->regs[j].cls, batch->regs[j].num));
	for (uint32_t j = insn->mem0; j < insn[1].mem0; j++) {
		const struct cairn_mem *mem = &batch->mems[j];
		uint64_t size = mem->size ? mem->size : 1;
		if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN)
			continue;
		if (mem->kind == CAIRN_MEM_READ)
			assert_true(cairn_index_reads(index, span, mem->addr, size));
		if (mem->kind == CAIRN_MEM_WRITE)
			assert_true(cairn_index_writes(index, span, mem->addr + size - 1, 1));
	}
}

static void summaries_are_right(const char *path)
{
	struct cairn_reader *reader = open_it(path, true);
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_state *state;
	struct cairn_index *index;
	struct cairn_index_span s = {.size = sizeof s}, sum = {.size = sizeof sum};
	size_t span = 0;
	assert_int_equal(cairn_state_new(c, NULL, &state), 0);
	if (cairn_index_open(c, path, NULL, &index) < 0)
		fail_msg("%s", cairn_error_text(c));
	assert_int_equal(cairn_index_span(index, 0, &s), 0);
	while (cairn_next(reader, batch) > 0) {
		for (uint32_t k = 0; k < batch->n_insns; k++) {
			assert_true(span >= cairn_index_spans(index) || batch->n0 + k <= s.first);
			if (span < cairn_index_spans(index) && batch->n0 + k == s.first) {
				regs_are_right(index, span++, state);
				sum.executed += s.executed;
				sum.loads += s.loads;
				sum.branches_taken += s.branches_taken;
				if (span < cairn_index_spans(index))
					cairn_index_span(index, span, &s);
			}
			assert_int_equal(cairn_index_find(index, batch->n0 + k), span - 1);
			assert_int_equal(cairn_state_step(state, batch, k, k + 1), 0);
			touches_are_told(index, span - 1, batch, k);
		}
		assert_int_equal(cairn_state_step(state, batch, batch->n_insns, batch->n_insns + 1), 0);
	}
	/* A trace without instructions has one span. */
	assert_true(span == cairn_index_spans(index) || (span == 0 && cairn_index_spans(index) == 1));
	struct cairn_tally tally = {.size = sizeof tally};
	if (cairn_index_totals(index, &tally) >= 0) {
		assert_int_equal(sum.executed, tally.executed);
		assert_int_equal(sum.loads, tally.loads);
		assert_int_equal(sum.branches_taken, tally.branches_taken);
	}
	cairn_index_close(index);
	cairn_batch_free(c, batch);
	cairn_close(reader);
	cairn_state_free(state);
}

static void totals_are_right(const char *path)
{
	struct cairn_tally x = {.size = sizeof x}, y = {.size = sizeof y};
	struct cairn_reader *left = open_it(path, false), *right = open_it(path, true);
	assert_int_equal(cairn_count(left, 1, &x), 0);
	assert_int_equal(cairn_count(right, 1, &y), 0);
	assert_memory_equal(&x, &y, sizeof x);
	cairn_close(left);
	cairn_close(right);
}

/* ---- tests ---- */

static void check_trace(const char *path, uint64_t step, bool jumps)
{
	struct cairn_index_stats st = {.size = sizeof st};
	build_on(path, 2, &st);
	assert_int_equal(st.jumps, jumps);
	struct whole whole = read_whole(path);
	assert_int_equal(st.instructions, whole.n);
	if (jumps && whole.n && !st.damage) {
		seeks_like_reading(path, &whole, step);
		runs_like_reading(path, &whole);
	}
	summaries_are_right(path);
	totals_are_right(path);
	free(whole.rows);
}

static void raw_files_are_jumpable(void **state)
{
	(void)state;
	check_trace(make("a.stf", 200000, 0, NULL), 19973, true);
}

static void containers_are_jumpable(void **state)
{
	(void)state;
	check_trace(make("a.zstf", 220000, 0, NULL), 19973, true);
	check_trace(make("b.zstf", 150000, 1000, NULL), 9973, true);
	check_trace(make("c.zstf", 5000, 7, NULL), 313, true);
}

static void small_traces_are_fine(void **state)
{
	(void)state;
	check_trace(make("one.stf", 1, 0, NULL), 1, true);
	check_trace(make("none.stf", 0, 0, NULL), 1, true);
	check_trace(make("two.zstf", 2, 1, NULL), 1, true);
}

static uint8_t *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	uint8_t *p = malloc(*n + 1);
	assert_int_equal(fread(p, 1, *n, f), *n);
	fclose(f);
	return p;
}

static void spill(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

/* The file's bytes as streams of a codec, one after another. */
static const char *pack(const char *path, const char *name, const char *codec, size_t piece)
{
	const char *out = path_of(name);
	struct base_buf buf;
	size_t n;
	uint8_t *p = slurp(path, &n);
	base_buf_init(&buf, c);
	for (size_t at = 0; at < n; at += piece)
		assert_int_equal(io_encode_frame(c, cairn_codec_find(c, codec), INT_MIN, p + at,
		                                 n - at < piece ? n - at : piece, &buf),
		                 0);
	spill(out, buf.data, buf.len);
	base_buf_free(&buf);
	free(p);
	return out;
}

static void packed_traces_are_jumpable(void **state)
{
	(void)state;
	static const char *const codecs[] = {"gzip", "zstd", "xz", "bzip2", "lz4", "zstd-seekable"};
	char raw[512];
	strcpy(raw, make("p.stf", 130000, 0, NULL));
	check_trace(pack(raw, "one.stf.gz", "gzip", SIZE_MAX / 2), 39973, true);
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
		if (cairn_codec_find(c, codecs[i]))
			check_trace(pack(raw, codecs[i], codecs[i], 700000), 39973, true);
}

static void streams_have_summaries(void **state)
{
	(void)state;
	const char *path = make("a.stf.zst", 450000, 0, "zstd");
	struct cairn_index_stats st = {.size = sizeof st};
	check_trace(path, 1, false);
	build_on(path, 1, &st);
	assert_true(st.reach > 8 << 20);
	assert_non_null(strstr(st.why, "cairn convert"));
	struct cairn_reader *reader = open_it(path, false);
	const struct cairn_info *info;
	bool told = false;
	assert_false(cairn_reader_jumps(reader));
	assert_true(cairn_index_spans(cairn_reader_index(reader)) >= 3);
	assert_int_equal(cairn_reader_info(reader, &info), 0);
	for (size_t i = 0; i < info->n; i++)
		told |= !strcmp(info->facts[i].key, "instructions") && info->facts[i].is_known &&
		        info->facts[i].number == 450000;
	assert_true(told);
	cairn_close(reader);
}

static void threads_do_not_show(void **state)
{
	(void)state;
	const char *path = make("t.zstf", 250000, 3000, NULL), *index = path_of("t.zstf.cai");
	size_t n1, n3;
	build_on(path, 1, NULL);
	uint8_t *one = slurp(index, &n1);
	build_on(path, 3, NULL);
	uint8_t *three = slurp(index, &n3);
	assert_int_equal(n1, n3);
	assert_memory_equal(one, three, n1);
	free(one);
	free(three);
}

static void not_believed(const char *path, const char *word)
{
	struct cairn_reader *reader = open_it(path, false);
	assert_null(cairn_reader_index(reader));
	assert_non_null(cairn_reader_index_note(reader));
	if (word && !strstr(cairn_reader_index_note(reader), word))
		fail_msg("'%s' without '%s'", cairn_reader_index_note(reader), word);
	assert_false(cairn_reader_jumps(reader));
	struct cairn_tally tally = {.size = sizeof tally};
	assert_int_equal(cairn_count(reader, 1, &tally), 0);
	cairn_close(reader);
}

static struct index_ident identity(const char *path)
{
	struct index_ident id;
	assert_int_equal(index_identify(c, path, &id), 0);
	return id;
}

/* Does a trace with `len` bytes changed at `at`, size and time kept, pass for the same one? */
static bool is_noticed(const char *path, uint8_t *p, size_t n, size_t at, size_t len)
{
	struct index_ident was = identity(path), is;
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	for (size_t i = at; i < at + len; i++)
		p[i] ^= 0x10;
	spill(path, p, n);
	utimensat(AT_FDCWD, path, (struct timespec[2]){st.st_atim, st.st_mtim}, 0);
	is = identity(path);
	for (size_t i = at; i < at + len; i++)
		p[i] ^= 0x10;
	spill(path, p, n);
	utimensat(AT_FDCWD, path, (struct timespec[2]){st.st_atim, st.st_mtim}, 0);
	assert_int_equal(is.size, was.size);
	assert_int_equal(is.time, was.time);
	struct index_ident again = identity(path);
	assert_memory_equal(&again, &was, sizeof was);
	return memcmp(&is, &was, sizeof was) != 0;
}

/* Any byte of a file up to 640 KiB; of larger ones the ends, and any run as long as a sample and
 * what lies between two. */
static void changes_of_bytes_are_noticed(void **state)
{
	(void)state;
	enum { ENDS = 2 * INDEX_ENDS, ALL = ENDS + INDEX_SAMPLES * INDEX_SAMPLE, LARGE = 3 << 20 };
	static const size_t sizes[] = {
		1, 100, INDEX_ENDS, INDEX_ENDS + 1, ENDS, ENDS + 1, ENDS + INDEX_SAMPLE + 5, ALL - 1, ALL};
	const char *path = path_of("bytes");
	uint8_t *p = calloc(1, LARGE);
	uint64_t x = 88172645463325252;
	assert_non_null(p);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t n = sizes[i];
		spill(path, p, n);
		for (unsigned k = 0; k < 40; k++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			assert_true(is_noticed(path, p, n, (size_t)(x >> 33) % n, 1));
		}
		for (size_t at = INDEX_ENDS - 1; at < n; at += INDEX_SAMPLE)
			assert_true(is_noticed(path, p, n, at, 1));
		assert_true(is_noticed(path, p, n, n - 1, 1));
	}
	size_t run = (LARGE - ENDS) / (INDEX_SAMPLES - 1);
	spill(path, p, LARGE);
	for (size_t at = 0; at + run <= LARGE; at += run / 2)
		assert_true(is_noticed(path, p, LARGE, at, run));
	assert_true(is_noticed(path, p, LARGE, INDEX_ENDS - 1, 1));
	assert_true(is_noticed(path, p, LARGE, LARGE - INDEX_ENDS, 1));
	assert_false(is_noticed(path, p, LARGE, INDEX_ENDS + run / 2, 1)); /* as documented */
	free(p);
}

/* What an older cairn made is refused, and it is said what to do. */
static void older_ones_are_not_believed(void **state)
{
	(void)state;
	const char *path = make("old.stf", 1000, 0, NULL), *index = path_of("old.stf.cai");
	size_t n;
	build_on(path, 1, NULL);
	uint8_t *p = slurp(index, &n);
	index_put_HEAD_version(p, INDEX_VERSION - 2);
	spill(index, p, n);
	not_believed(path, "has version 9, which this cairn does not read; cairn index makes it again");
	free(p);
}

static void stale_ones_are_not_believed(void **state)
{
	(void)state;
	const char *path = make("s.stf", 1000, 0, NULL);
	struct stat st;
	size_t n;
	build_on(path, 1, NULL);
	assert_int_equal(stat(path, &st), 0);
	struct timespec later[2] = {st.st_atim, st.st_mtim};
	later[1].tv_nsec = (later[1].tv_nsec + 1) % 1000000000;
	utimensat(AT_FDCWD, path, later, 0);
	not_believed(path, "stale");
	/* the same time and size, another first byte of the PC */
	uint8_t *p = slurp(path, &n);
	p[n - 3] ^= 1;
	spill(path, p, n);
	utimensat(AT_FDCWD, path, (struct timespec[2]){st.st_atim, st.st_mtim}, 0);
	not_believed(path, "stale");
	p[n - 3] ^= 1;
	spill(path, p, n);
	utimensat(AT_FDCWD, path, (struct timespec[2]){st.st_atim, st.st_mtim}, 0);
	struct cairn_reader *reader = open_it(path, false);
	assert_non_null(cairn_reader_index(reader));
	assert_null(cairn_reader_index_note(reader));
	cairn_close(reader);
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "stf:events=32"};
	assert_int_equal(cairn_open(c, path, &opts, &reader), 0);
	assert_null(cairn_reader_index(reader));
	assert_non_null(strstr(cairn_reader_index_note(reader), "--from"));
	cairn_close(reader);
	free(p);
}

static void damaged_ones_are_not_believed(void **state)
{
	(void)state;
	const char *path = make("d.stf", 1000, 0, NULL), *index = path_of("d.stf.cai");
	size_t n;
	build_on(path, 1, NULL);
	uint8_t *p = slurp(index, &n);
	for (size_t at = 0; at < n; at += 1 + n / 97) {
		p[at] ^= 0x10;
		spill(index, p, n);
		not_believed(path, NULL);
		p[at] ^= 0x10;
	}
	for (size_t len = 0; len < n; len += 1 + n / 17) {
		spill(index, p, len);
		not_believed(path, NULL);
	}
	spill(index, p, n);
	struct cairn_reader *reader = open_it(path, false);
	assert_non_null(cairn_reader_index(reader));
	cairn_close(reader);
	free(p);
}

static void damaged_traces_are_indexed(void **state)
{
	(void)state;
	const char *path = make("x.zstf", 100000, 10000, NULL);
	struct cairn_index_stats st = {.size = sizeof st};
	size_t n;
	uint8_t *p = slurp(path, &n);
	memset(p + n / 2, 0, 64);
	spill(path, p, n);
	build_on(path, 2, &st);
	assert_true(st.damage > 0);
	struct cairn_reader *reader = open_it(path, false);
	struct cairn_tally tally = {.size = sizeof tally};
	assert_non_null(cairn_reader_index(reader));
	assert_int_equal(cairn_index_totals(cairn_reader_index(reader), &tally), CAIRN_E_NOTFOUND);
	assert_int_equal(cairn_count(reader, 1, &tally), 0);
	assert_true(cairn_damage_count(reader) > 0);
	cairn_close(reader);
	summaries_are_right(path);
	free(p);
}

static void what_has_no_index(void **state)
{
	(void)state;
	struct cairn_index_stats st = {.size = sizeof st};
	struct cairn_index *index;
	const char *path = make("n.stf", 10, 0, NULL);
	assert_int_equal(cairn_index_build(c, "-", NULL, &st), CAIRN_E_INVAL);
	assert_int_equal(cairn_index_build(c, path_of("nowhere"), NULL, &st), CAIRN_E_NOTFOUND);
	struct cairn_index_opts opts = {.size = sizeof opts, .output = path};
	assert_int_equal(cairn_index_build(c, path, &opts, &st), CAIRN_E_INVAL);
	assert_int_equal(cairn_index_open(c, path, NULL, &index), CAIRN_E_NOTFOUND);
	struct cairn_reader *reader = open_it(path, false);
	assert_null(cairn_reader_index(reader));
	assert_null(cairn_reader_index_note(reader));
	cairn_close(reader);
}

static void filters_are_worth_having(void **state)
{
	(void)state;
	const char *path = make("f.stf", 60000, 0, NULL);
	struct cairn_index *index;
	build_on(path, 1, NULL);
	assert_int_equal(cairn_index_open(c, path, NULL, &index), 0);
	unsigned maybe = 0;
	for (uint64_t i = 0; i < 10000; i++)
		maybe += (unsigned)cairn_index_writes(index, 0, (0x7000000000u + i) << 12, 8);
	assert_true(maybe < 500);
	assert_int_equal(cairn_index_writes_reg(index, 0, CAIRN_REG_VECTOR, 3), 0);
	assert_int_equal(cairn_index_writes(index, 0, 0, UINT64_MAX), 1);
	assert_int_equal(cairn_index_writes(index, 5, 0, 8), 0);
	cairn_index_close(index);
}

static void real_traces(void **state)
{
	(void)state;
	const char *data = getenv("CAIRN_TEST_DATA");
	char from[1024];
	snprintf(from, sizeof from, "%s/stf", data ? data : "");
	DIR *d = data ? opendir(from) : NULL;
	if (!d)
		skip();
	for (struct dirent *entry; (entry = readdir(d));) {
		const char *dot = strrchr(entry->d_name, '.');
		if (!dot || (strcmp(dot, ".stf") && strcmp(dot, ".zstf")))
			continue;
		snprintf(from, sizeof from, "%s/stf/%s", data, entry->d_name);
		const char *path = path_of(entry->d_name);
		assert_int_equal(symlink(from, path), 0);
		struct cairn_reader *reader;
		if (cairn_open(c, path, NULL, &reader) < 0)
			continue;
		uint32_t can = cairn_reader_can(reader);
		cairn_close(reader);
		if (can & CAIRN_PC)
			check_trace(path, 7919, true);
	}
	closedir(d);
}

static int tidy(void **state)
{
	(void)state;
	DIR *d = opendir(dir);
	for (struct dirent *entry; d && (entry = readdir(d));)
		if (entry->d_name[0] != '.')
			unlink(path_of(entry->d_name));
	closedir(d);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_files_are_jumpable),
		cmocka_unit_test(containers_are_jumpable),
		cmocka_unit_test(small_traces_are_fine),
		cmocka_unit_test(packed_traces_are_jumpable),
		cmocka_unit_test(streams_have_summaries),
		cmocka_unit_test(threads_do_not_show),
		cmocka_unit_test(stale_ones_are_not_believed),
		cmocka_unit_test(changes_of_bytes_are_noticed),
		cmocka_unit_test(older_ones_are_not_believed),
		cmocka_unit_test(damaged_ones_are_not_believed),
		cmocka_unit_test(damaged_traces_are_indexed),
		cmocka_unit_test(what_has_no_index),
		cmocka_unit_test(filters_are_worth_having),
		cmocka_unit_test(real_traces),
	};
	strcpy(dir, "/tmp/cairn-index-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, tidy);
	cairn_free(c);
	return failed;
}
