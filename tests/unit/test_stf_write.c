/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The STF writer, checked on the bytes it leaves: this file has its own idea of
 * how long a record is, how the PC goes on and what a .zstf looks like, so that
 * the library is not compared with itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "beside.h"
#include "cairn/stf.h"

static char dir[64];
static struct cairn *c;

struct bytes {
	uint8_t *p;
	size_t n;
};

/* ---- helpers ---- */

static const char *path_of(const char *name)
{
	static char path[4][128];
	static unsigned next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	return p;
}

static uint64_t le(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	while (n--)
		v = v << 8 | p[n];
	return v;
}

static struct bytes slurp(const char *path)
{
	struct bytes bytes = {0};
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	bytes.n = (size_t)ftell(f);
	rewind(f);
	bytes.p = malloc(bytes.n + 1);
	assert_int_equal(fread(bytes.p, 1, bytes.n, f), bytes.n);
	fclose(f);
	return bytes;
}

static struct bytes gunzip(const char *path)
{
	struct bytes bytes = {malloc(1 << 22), 0};
	gzFile f = gzopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(gzdirect(f), 0);
	int n = gzread(f, bytes.p, 1 << 22);
	assert_true(n > 0);
	bytes.n = (size_t)n;
	gzclose(f);
	return bytes;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Bytes of the record at `p`, 64-bit events, no vectors. */
static size_t record_bytes(const uint8_t *p)
{
	switch (p[0]) {
	case 1:
		return 4;
	case 2:
		return 9;
	case 3:
	case 13:
		return 5 + le(p + 1, 4);
	case 4:
	case 5:
		return 3;
	case 6:
		return 7 + le(p + 5, 2);
	case 7:
	case 9:
	case 31:
	case 61:
	case 101:
		return 9;
	case 8:
		return 13;
	case 10:
		return 5;
	case 19:
		return 1;
	case 40:
		return 12;
	case 41:
		return 3;
	case 60:
		return 14;
	case 100:
		return 10 + 8u * p[9];
	case 240:
		return 5;
	case 241:
		return 3;
	default:
		fail_msg("record %u", p[0]);
		return 0;
	}
}

struct walk {
	uint64_t markers, pc, target;
	bool has_target;
	unsigned comments;
};

static void walk(struct walk *w, const uint8_t *p, size_t n)
{
	while (n) {
		size_t len = record_bytes(p);
		assert_true(len <= n);
		w->comments += p[0] == 3;
		if (p[0] == 9) {
			w->pc = le(p + 1, 8);
		} else if (p[0] == 31 || p[0] == 101) {
			w->target = le(p + 1, 8);
			w->has_target = true;
		} else if (p[0] >= 240) {
			w->markers++;
			w->pc = w->has_target ? w->target : w->pc + (p[0] == 240 ? 4 : 2);
			w->has_target = false;
		}
		p += len;
		n -= len;
	}
}

/* Check a container against everything it promises; its records are returned. */
static struct bytes unpack(const char *path, uint64_t markers, size_t *n_chunks)
{
	struct bytes bytes = slurp(path), all = {malloc(64 << 20), 0};
	assert_memory_equal(bytes.p, "ZSTF", 4);
	assert_int_equal(le(bytes.p + 4, 8), markers);
	uint64_t end = le(bytes.p + 12, 8);
	assert_true(end + 8 <= bytes.n);
	uint64_t count = le(bytes.p + end, 8), at = 20;
	assert_true(bytes.n >= end + 8 + 24 * count);
	struct walk w = {0};
	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *entry = bytes.p + end + 8 + 24 * i;
		assert_int_equal(le(entry, 8), at);
		assert_int_equal(le(entry + 8, 8), i ? w.pc : 0);
		assert_int_equal(ZSTD_getFrameContentSize(bytes.p + at, end - at),
		                 ZSTD_CONTENTSIZE_UNKNOWN);
		size_t frame = ZSTD_findFrameCompressedSize(bytes.p + at, end - at);
		assert_false(ZSTD_isError(frame));
		size_t n = ZSTD_decompress(all.p + all.n, (64 << 20) - all.n, bytes.p + at, frame);
		assert_int_equal(n, le(entry + 16, 8));
		uint64_t before = w.markers;
		walk(&w, all.p + all.n, n);
		if (i + 1 < count)
			assert_int_equal(w.markers - before, markers);
		assert_true(w.markers > before);
		all.n += n;
		at += frame;
	}
	assert_int_equal(at, end);
	*n_chunks = count;
	free(bytes.p);
	return all;
}

static struct cairn_stf_writer *create(const char *path, uint32_t chunk, unsigned threads)
{
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .chunk = chunk, .threads = threads};
	struct cairn_stf_writer *writer = NULL;
	if (cairn_stf_create(c, path, &opts, &writer) < 0)
		fail_msg("%s", cairn_error_text(c));
	return writer;
}

static void header(struct cairn_stf_writer *writer)
{
	static const char *const comments[] = {"one", "two"};
	struct cairn_stf_config cfg = {.isa = 1,
	                               .iem = 2,
	                               .features = CAIRN_STF_F_RV64,
	                               .event_bits = 64};
	assert_int_equal(cairn_stf_put_header(writer, &cfg, 1, (const uint8_t[]){7, 2, 1}, "test",
	                                      comments, 2, 0x10000, "rv64gc"),
	                 0);
}

static void body(struct cairn_stf_writer *writer, unsigned n)
{
	for (unsigned i = 1; i <= n; i++) {
		int rc = 0;
		if (i % 10 == 0)
			rc |= cairn_stf_put_pc_target(writer, 0x10000 + 8 * (i % 1000));
		rc |= cairn_stf_put_reg(writer, CAIRN_REG_INT, i % 32, CAIRN_ROLE_DST,
		                        i * 0x9e3779b97f4a7c15);
		if (i % 3 == 0)
			rc |= cairn_stf_put_mem(writer, CAIRN_MEM_WRITE, 0x80000000 + i, 4, i);
		rc |= i % 4 ? cairn_stf_put_insn(writer, 0x13, 4) : cairn_stf_put_insn(writer, 1, 2);
		assert_int_equal(rc, 0);
	}
}

static void write_trace(const char *path, uint32_t chunk, unsigned threads, unsigned n,
                        const char *last)
{
	struct cairn_stf_writer *writer = create(path, chunk, threads);
	header(writer);
	body(writer, n);
	if (last)
		assert_int_equal(cairn_stf_put_comment(writer, last, strlen(last)), 0);
	assert_int_equal(cairn_stf_finish(writer), 0);
	assert_true(exists(path));
}

/* ---- tests ---- */

static void test_raw_bytes(void **state)
{
	(void)state;
	static const uint8_t want[] = {
		1,    'S',  'T', 'F',  2,    1,   0,   0,    0,   6,   0,    0,   0,    3,    3,   0, 0,
		0,    'o',  'n', 'e',  3,    3,   0,   0,    0,   't', 'w',  'o', 4,    1,    0,   5, 2,
		0,    6,    1,   7,    2,    1,   4,   0,    't', 'e', 's',  't', 7,    0x20, 0,   8, 0,
		0,    0,    0,   0,    9,    0,   0,   1,    0,   0,   0,    0,   0,    13,   6,   0, 0,
		0,    'r',  'v', '6',  '4',  'g', 'c', 19,   9,   0,   0,    2,   0,    0,    0,   0, 0,
		31,   4,    0,   1,    0,    0,   0,   0,    0,   40,  5,    0,   0x31, 8,    7,   6, 5,
		4,    3,    2,   1,    40,   32,  0,   0x11, 9,   0,   0,    0,   0,    0,    0,   0, 41,
		7,    0,    60,  0x88, 0x77, 0,   0,   0,    0,   0,   0,    8,   0,    0,    0,   1, 61,
		0xff, 0,    0,   0,    0,    0,   0,   0,    100, 8,   0,    0,   0,    0,    0,   0, 0,
		1,    0x40, 0,   0,    0,    0,   0,   0,    0,   240, 0x73, 0,   0,    0,    241, 1, 0};
	const char *path = path_of("raw.stf");
	struct cairn_stf_writer *writer = create(path, 0, 0);
	header(writer);
	int rc = cairn_stf_put_force_pc(writer, 0x20000);
	rc |= cairn_stf_put_pc_target(writer, 0x10004);
	rc |= cairn_stf_put_reg(writer, CAIRN_REG_INT, 5, CAIRN_ROLE_DST, 0x0102030405060708);
	rc |= cairn_stf_put_reg(writer, CAIRN_REG_PC, 0, CAIRN_ROLE_STATE, 9);
	rc |= cairn_stf_put_reg(writer, CAIRN_REG_INT, 7, CAIRN_ROLE_READY, 0);
	rc |= cairn_stf_put_mem(writer, CAIRN_MEM_READ, 0x7788, 8, 0xff);
	rc |= cairn_stf_put_event(writer, 8, (const uint64_t[]){64}, 1);
	rc |= cairn_stf_put_insn(writer, 0x73, 4);
	rc |= cairn_stf_put_insn(writer, 1, 2);
	assert_int_equal(rc, 0);
	assert_false(exists(path));
	assert_int_equal(cairn_stf_finish(writer), 0);
	struct bytes bytes = slurp(path);
	assert_int_equal(bytes.n, sizeof want);
	assert_memory_equal(bytes.p, want, sizeof want);
	free(bytes.p);
}

static void test_codec_by_name(void **state)
{
	(void)state;
	write_trace(path_of("t.stf"), 0, 1, 5000, "end");
	write_trace(path_of("t.stf.gz"), 0, 1, 5000, "end");
	struct bytes raw = slurp(path_of("t.stf")), gz = gunzip(path_of("t.stf.gz"));
	assert_int_equal(raw.n, gz.n);
	assert_memory_equal(raw.p, gz.p, raw.n);
	free(raw.p);
	free(gz.p);
}

static void test_container(void **state)
{
	(void)state;
	write_trace(path_of("c.stf"), 0, 1, 250, NULL);
	write_trace(path_of("c.zstf"), 100, 1, 250, NULL);
	struct bytes raw = slurp(path_of("c.stf"));
	size_t chunks;
	struct bytes all = unpack(path_of("c.zstf"), 100, &chunks);
	assert_int_equal(chunks, 3);
	assert_int_equal(all.n, raw.n);
	assert_memory_equal(all.p, raw.p, raw.n);
	free(all.p);
	free(raw.p);
}

/* What follows the last marker belongs to the last chunk, even a full one. */
static void test_trailing_comment(void **state)
{
	(void)state;
	static const unsigned counts[] = {199, 200, 201};
	for (size_t i = 0; i < 3; i++) {
		write_trace(path_of("tail.zstf"), 100, 1, counts[i], "the end");
		size_t chunks;
		struct bytes all = unpack(path_of("tail.zstf"), 100, &chunks);
		assert_int_equal(chunks, counts[i] > 200 ? 3 : 2);
		struct walk w = {0};
		walk(&w, all.p, all.n);
		assert_int_equal(w.markers, counts[i]);
		assert_int_equal(w.comments, 3);
		assert_memory_equal(all.p + all.n - 7, "the end", 7);
		free(all.p);
	}
}

static void test_threads(void **state)
{
	(void)state;
	write_trace(path_of("t1.zstf"), 1000, 1, 60500, "end");
	write_trace(path_of("t3.zstf"), 1000, 3, 60500, "end");
	struct bytes one = slurp(path_of("t1.zstf")), three = slurp(path_of("t3.zstf"));
	assert_int_equal(one.n, three.n);
	assert_memory_equal(one.p, three.p, one.n);
	size_t chunks;
	struct bytes all = unpack(path_of("t3.zstf"), 1000, &chunks);
	assert_int_equal(chunks, 61);
	free(all.p);
	free(one.p);
	free(three.p);
}

static void test_abort(void **state)
{
	(void)state;
	static const char *const names[] = {"gone.stf", "gone.zstf", "gone.stf.gz"};
	for (size_t i = 0; i < 3; i++) {
		struct cairn_stf_writer *writer = create(path_of(names[i]), 10, 3);
		header(writer);
		body(writer, 1000);
		cairn_stf_abort(writer);
		char temp[200];
		assert_false(exists(path_of(names[i])));
		assert_false(unfinished(path_of(names[i]), temp, sizeof temp));
	}
	cairn_stf_abort(NULL);
}

static void put_noise(struct cairn_stf_writer *writer, unsigned regs, uint64_t *x)
{
	for (unsigned i = 0; i < regs; i++) { /* incompressible: about 8 bytes each */
		*x ^= *x << 13;
		*x ^= *x >> 7;
		*x ^= *x << 17;
		cairn_stf_put_reg(writer, CAIRN_REG_INT, 1, CAIRN_ROLE_DST, *x);
		if (i % 4 == 3)
			cairn_stf_put_insn(writer, 0x13, 4);
	}
}

/* What is told of a file: instructions, and the first damage. */
static uint64_t read_all(const char *path, bool as_pipe, char *damage, size_t room)
{
	struct cairn_reader *reader = NULL;
	FILE *pipe_end = NULL;
	char name[256];
	snprintf(name, sizeof name, "%s", path);
	if (as_pipe) {
		snprintf(name, sizeof name, "cat %s", path);
		pipe_end = popen(name, "r");
		assert_non_null(pipe_end);
		snprintf(name, sizeof name, "/dev/fd/%d", fileno(pipe_end));
	}
	assert_true(cairn_open(c, name, NULL, &reader) >= 0);
	struct cairn_batch *batch = cairn_batch_new(c);
	uint64_t n = 0;
	int rc;
	while ((rc = cairn_next(reader, batch)) > 0)
		n += batch->n_insns;
	const char *why = rc < 0 ? cairn_error_text(c) : cairn_damage_text(reader, 0);
	snprintf(damage, room, "%s", why ? why : "");
	cairn_batch_free(c, batch);
	cairn_close(reader);
	if (pipe_end)
		pclose(pipe_end);
	return n;
}

/* A killed writer leaves an unfinished file that opens, up to a second before; what came since is
 * behind the index, and readers say so. */
static void test_killed(void **state)
{
	(void)state;
	const char *path = path_of("killed.zstf");
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct cairn_stf_writer *writer = create(path, 20000, 1);
		uint64_t x = 88172645463325252;
		header(writer);
		put_noise(writer, 300000, &x); /* three chunks, and the fourth begun */
		usleep(1100000);
		put_noise(writer, 100000, &x); /* after the next the index is written */
		put_noise(writer, 100000, &x); /* soon: the index is written once a second */
		kill(getpid(), SIGKILL);
		_exit(1);
	}
	int status;
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_false(exists(path));
	char part[200], damage[256];
	assert_true(unfinished(path, part, sizeof part));
	size_t chunks;
	struct bytes all = unpack(part, 20000, &chunks);
	struct bytes bytes = slurp(part);
	assert_true(chunks >= 4);
	assert_true(bytes.n > le(bytes.p + 12, 8) + 8 + 24 * chunks); /* more had come since */
	for (int as_pipe = 0; as_pipe < 2; as_pipe++) {
		assert_int_equal(read_all(part, as_pipe, damage, sizeof damage), chunks * 20000);
		assert_non_null(strstr(damage, "bytes behind the index are in no chunk of it"));
	}
	free(bytes.p);
	free(all.p);
	unlink(part);
}

static void test_pipe_refused(void **state)
{
	(void)state;
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .container = "zstf"};
	struct cairn_stf_writer *writer = NULL;
	int fds[2];
	char name[32];
	assert_int_equal(pipe(fds), 0);
	snprintf(name, sizeof name, "/dev/fd/%d", fds[1]);
	assert_int_equal(cairn_stf_create(c, name, &opts, &writer), CAIRN_E_STATE);
	assert_null(writer);
	close(fds[0]);
	close(fds[1]);
	assert_non_null(strstr(cairn_error_text(c), "--codec zstd"));
}

static void test_options(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = NULL;
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .codec = "nonsense"};
	assert_int_equal(cairn_stf_create(c, path_of("o.stf"), &opts, &writer), CAIRN_E_INVAL);
	opts.codec = "gzip";
	assert_int_equal(cairn_stf_create(c, path_of("o.zstf"), &opts, &writer), CAIRN_E_INVAL);
	opts.container = "tar";
	assert_int_equal(cairn_stf_create(c, path_of("o.stf"), &opts, &writer), CAIRN_E_INVAL);
	opts.size = 4096;
	assert_int_equal(cairn_stf_create(c, path_of("o.stf"), &opts, &writer), CAIRN_E_INVAL);
	assert_true(cairn_stf_create(c, "/nonexistent/o.stf", NULL, &writer) < 0);
	assert_null(writer);
	/* the options say what the name does not */
	struct cairn_stf_write_opts write_opts = {.size = sizeof write_opts, .container = "zstf"};
	assert_int_equal(cairn_stf_create(c, path_of("plain"), &write_opts, &writer), 0);
	header(writer);
	body(writer, 3);
	assert_int_equal(cairn_stf_finish(writer), 0);
	struct bytes bytes = slurp(path_of("plain"));
	assert_memory_equal(bytes.p, "ZSTF", 4);
	free(bytes.p);
}

static void test_records_refused(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = create(path_of("bad.stf"), 0, 1);
	assert_int_equal(cairn_stf_put_insn(writer, 0x13, 4), CAIRN_E_STATE);
	assert_int_equal(cairn_stf_put_comment(writer, "x", 1), CAIRN_E_STATE);
	header(writer);
	struct cairn_stf_config cfg = {.isa = 1, .iem = 2};
	assert_int_equal(cairn_stf_put_header(writer, &cfg, 1, NULL, NULL, NULL, 0, 0, NULL),
	                 CAIRN_E_STATE);
	static const uint8_t insn[] = {240, 0x13, 0, 0, 0, 0};
	assert_int_equal(cairn_stf_put_record(writer, insn, 0), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_stf_put_record(writer, insn, 4), CAIRN_E_DAMAGED);
	assert_non_null(strstr(cairn_error_text(c), "INST_32"));
	assert_int_equal(cairn_stf_put_record(writer, insn, 6), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_stf_put_record(writer, (const uint8_t[]){99, 0}, 2), CAIRN_E_DAMAGED);
	static const uint8_t vector[20] = {40, 1, 0, 0x33};
	assert_int_equal(cairn_stf_put_record(writer, vector, 12), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_stf_put_reg(writer, CAIRN_REG_VECTOR, 1, CAIRN_ROLE_DST, 1),
	                 CAIRN_E_INVAL);
	assert_int_equal(cairn_stf_put_reg(writer, CAIRN_REG_FLAGS, 1, CAIRN_ROLE_DST, 1),
	                 CAIRN_E_INVAL);
	assert_int_equal(cairn_stf_put_reg(writer, CAIRN_REG_INT, 70000, CAIRN_ROLE_DST, 1),
	                 CAIRN_E_INVAL);
	assert_int_equal(cairn_stf_put_mem(writer, CAIRN_MEM_FETCH, 1, 4, 1), CAIRN_E_INVAL);
	assert_int_equal(cairn_stf_put_mem(writer, CAIRN_MEM_READ, 1, 16, 1), CAIRN_E_INVAL);
	assert_int_equal(cairn_stf_put_insn(writer, 0x10000, 2), CAIRN_E_INVAL);
	assert_int_equal(cairn_stf_put_insn(writer, 1, 6), CAIRN_E_INVAL);
	/* a refused record is not in the way of the next */
	assert_int_equal(cairn_stf_put_record(writer, insn, 5), 0);
	/* a copy may carry header records in the body */
	assert_int_equal(cairn_stf_put_record(writer, (const uint8_t[]){5, 1, 0}, 3), 0);
	assert_int_equal(cairn_stf_finish(writer), 0);

	writer = create(path_of("empty.stf"), 0, 1);
	assert_int_equal(cairn_stf_finish(writer), CAIRN_E_STATE);
	assert_false(exists(path_of("empty.stf")));
}

/* The feature bit decides how wide an event's id is, as readers will decide. */
static void test_narrow_events(void **state)
{
	(void)state;
	struct cairn_stf_writer *writer = create(path_of("narrow.stf"), 0, 1);
	struct cairn_stf_config cfg = {.isa = 1,
	                               .iem = 1,
	                               .event_bits = 32,
	                               .features = CAIRN_STF_F_EVENT64};
	assert_int_equal(cairn_stf_put_header(writer, &cfg, 0, NULL, NULL, NULL, 0, 0, NULL), 0);
	assert_int_equal(cairn_stf_put_event(writer, UINT64_C(1) << 63 | 7, NULL, 0), 0);
	assert_int_equal(cairn_stf_put_event(writer, UINT64_C(1) << 40, NULL, 0), CAIRN_E_INVAL);
	assert_int_equal(cairn_stf_put_event(writer, UINT64_C(1) << 62, (const uint64_t[]){1}, 1), 0);
	assert_int_equal(cairn_stf_finish(writer), 0);
	static const uint8_t want[] = {19,   100, 7, 0, 0, 0x80, 0, 100, 0, 0, 0,
	                               0x40, 1,   1, 0, 0, 0,    0, 0,   0, 0};
	struct bytes bytes = slurp(path_of("narrow.stf"));
	assert_memory_equal(bytes.p + bytes.n - sizeof want, want, sizeof want);
	free(bytes.p);
}

/* A copy measures as the reader was told to, whatever the header says. */
static void test_told(void **state)
{
	(void)state;
	static const uint8_t event32[] = {100, 8, 0, 0, 0, 1, 64, 0, 0, 0, 0, 0, 0, 0};
	struct cairn_stf_config cfg = {.version_major = 1,
	                               .version_minor = 5,
	                               .isa = 1,
	                               .iem = 2,
	                               .event_bits = 32};
	struct cairn_stf_write_opts opts = {.size = sizeof opts, .config = &cfg};
	struct cairn_stf_writer *writer = NULL;
	assert_int_equal(cairn_stf_create(c, path_of("told.stf"), &opts, &writer), 0);
	header(writer); /* says 64 */
	assert_int_equal(cairn_stf_put_record(writer, event32, sizeof event32), 0);
	cairn_stf_abort(writer);
	writer = create(path_of("told.stf"), 0, 1);
	struct cairn_stf_header *h;
	assert_int_equal(cairn_stf_header_new(c, &h), 0);
	assert_int_equal(cairn_stf_header_generator(h, 1, NULL, "told"), 0);
	assert_int_equal(cairn_stf_put_header_group(writer, h, CAIRN_STF_FEATURES_AS_IS, 1), 0);
	cairn_stf_header_free(h);
	assert_int_equal(cairn_stf_put_record(writer, event32, sizeof event32), CAIRN_E_DAMAGED);
	/* a feature record in the body of a copy changes nothing */
	static const uint8_t feature[] = {7, 0, 0, 0, 0, 0, 0, 0, 0};
	assert_int_equal(cairn_stf_put_record(writer, feature, sizeof feature), 0);
	assert_int_equal(cairn_stf_put_record(writer, event32, sizeof event32), CAIRN_E_DAMAGED);
	cairn_stf_abort(writer);
}

static void test_transactions(void **state)
{
	(void)state;
	static const uint8_t channel_e[] = {250, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0,
	                                    0,   0, 1, 0, 0, 5, 9, 0, 0, 0, 0, 0, 0, 0};
	struct cairn_stf_writer *writer = create(path_of("x.zstf"), 2, 1);
	int rc = cairn_stf_put_record(writer, (const uint8_t *)"\1STF", 4);
	rc |= cairn_stf_put_record(writer, (const uint8_t[]){2, 1, 0, 0, 0, 5, 0, 0, 0}, 9);
	rc |= cairn_stf_put_record(writer, (const uint8_t[]){7, 0, 0, 16, 0, 0, 0, 0, 0}, 9);
	rc |= cairn_stf_put_record(writer, (const uint8_t[]){11, 1}, 2);
	rc |= cairn_stf_put_record(writer, (const uint8_t[]){12, 1, 1, 0, 'c'}, 5);
	rc |= cairn_stf_put_record(writer, (const uint8_t[]){19}, 1);
	assert_int_equal(rc, 0);
	assert_int_equal(cairn_stf_put_insn(writer, 0x13, 4), CAIRN_E_STATE);
	for (int i = 0; i < 5; i++)
		assert_int_equal(cairn_stf_put_record(writer, channel_e, sizeof channel_e), 0);
	assert_int_equal(cairn_stf_finish(writer), 0);
	struct bytes bytes = slurp(path_of("x.zstf"));
	assert_int_equal(le(bytes.p + le(bytes.p + 12, 8), 8), 3);
	free(bytes.p);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cairn-stf-write-XXXXXX");
	c = cairn_new(NULL);
	return mkdtemp(dir) && c ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	static const char *const names[] = {"raw.stf", "t.stf",     "t.stf.gz",   "c.stf",
	                                    "c.zstf",  "tail.zstf", "t1.zstf",    "t3.zstf",
	                                    "plain",   "bad.stf",   "narrow.stf", "x.zstf"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(path_of(names[i]));
	cairn_free(c);
	return rmdir(dir); /* nothing else was left behind */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw_bytes),     cmocka_unit_test(test_codec_by_name),
		cmocka_unit_test(test_container),     cmocka_unit_test(test_trailing_comment),
		cmocka_unit_test(test_threads),       cmocka_unit_test(test_abort),
		cmocka_unit_test(test_killed),        cmocka_unit_test(test_pipe_refused),
		cmocka_unit_test(test_options),       cmocka_unit_test(test_records_refused),
		cmocka_unit_test(test_narrow_events), cmocka_unit_test(test_told),
		cmocka_unit_test(test_transactions)};
	return cmocka_run_group_tests_name("stf_write", tests, set_up, tear_down);
}
