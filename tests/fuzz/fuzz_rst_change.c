/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an RST trace, packed otherwise, sliced, merged with itself, edited, split,
 * and written again from its batches. What is asserted: what is written can be read,
 * holds as many instructions as it should, and, from batches, the same ones of the same
 * CPUs; packing there and back gives the same whole records. Batches as if they were another
 * format's become a trace that can be read and judged.
 *
 * Byte 0 chooses the verb and the packing, bytes 1 and 2 its numbers. With TYPES each
 * record's type is made one that exists, with CPUS there are four of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"
#include "cairn/check.h"
#include "formats/rst/record/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LARGEST = 1 << 16, SIZE = CAIRN_RST_SIZE, TYPES = 8, CPUS = 16, ZIP = 32, GZIP = 64 };

static void check(bool ok, const char *what, struct cairn *cairn)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s (%s)\n", what, cairn_error_text(cairn));
	abort();
}

/* Instructions of a file, and what they are. */
static uint64_t instructions(struct cairn *cairn, struct cairn_reader *reader, uint64_t *hash)
{
	struct cairn_batch *batch = cairn_batch_new(cairn);
	uint64_t n = 0;
	int rc;
	*hash = 0;
	while ((rc = cairn_next(reader, batch)) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++, n++) {
			const struct cairn_insn *row = &batch->insns[i];
			*hash = (*hash ^ row->pc ^ (uint64_t)row->enc << 20 ^ batch->ctxs[row->ctx].hart) *
			        UINT64_C(0x9e3779b97f4a7c15);
		}
	check(rc == 0, "it can be read to its end", cairn);
	cairn_batch_free(cairn, batch);
	return n;
}

static struct cairn_reader *open_output(struct cairn *cairn, const char *path)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "rst"};
	struct cairn_reader *reader = NULL;
	check(cairn_open(cairn, path, &opts, &reader) >= 0, "the output opens", cairn);
	return reader;
}

static void holds(struct cairn *cairn, const char *path, uint64_t n, bool whole)
{
	uint64_t hash;
	struct cairn_reader *reader = open_output(cairn, path);
	check(instructions(cairn, reader, &hash) == n, "the output holds what it says", cairn);
	check(!whole || cairn_damage_count(reader) == 0, "the output is whole", cairn);
	cairn_close(reader);
}

static bool is_file(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *q = malloc(n + 1);
	bool same = f && q && fread(q, 1, n + 1, f) == n && memcmp(p, q, n) == 0;
	free(q);
	if (f)
		fclose(f);
	return same;
}

static void convert(struct cairn *cairn, struct cairn_reader *reader, const uint8_t *p, size_t n,
                    const struct cairn_output *out, const char *back)
{
	struct cairn_changed done = {.size = sizeof done};
	if (cairn_convert(reader, out, &done) >= 0) {
		struct cairn_output raw = {.size = sizeof raw, .path = back, .to = "rst:raw"};
		bool same = !out->lossy;
		struct cairn_reader *z = open_output(cairn, out->path);
		check(cairn_convert(z, &raw, NULL) >= 0, "the packed one becomes raw", cairn);
		cairn_close(z);
		check(!same || is_file(back, p, n - n % SIZE), "there and back is the same", cairn);
		holds(cairn, out->path, done.instructions, false);
	}
	cairn_changed_free(cairn, &done);
}

static void slice(struct cairn *cairn, struct cairn_reader *reader, unsigned a, unsigned b,
                  const struct cairn_output *out)
{
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_range ranges[2] = {{a % 64 + 1, a % 64 + 1 + b % 16}, {a + 20, UINT64_MAX}};
	struct cairn_slice_opts opts = {.size = sizeof opts,
	                                .ranges = ranges,
	                                .n_ranges = 1 + b % 2,
	                                .look_back = b / 32};
	if (a & 64) {
		opts.every = 1 + b % 16;
		opts.window = 1 + a % opts.every;
		opts.n_ranges = 0;
	}
	if (cairn_slice(reader, &opts, out, &done) >= 0)
		holds(cairn, out->path, done.instructions, !out->lossy);
	cairn_changed_free(cairn, &done);
}

static void merge(struct cairn *cairn, struct cairn_reader *reader, unsigned a, unsigned b,
                  const struct cairn_output *out)
{
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_range ranges[2] = {{1 + a % 8, 1 + a}, {1 + b % 8, 1 + b}};
	struct cairn_merge_part parts[2] = {
		{.reader = reader, .name = "one", .ranges = ranges, .n_ranges = a % 3},
		{.reader = reader, .name = "two"}};
	if (cairn_merge(parts, 2, out, &done) >= 0)
		holds(cairn, out->path, done.instructions, false);
	cairn_changed_free(cairn, &done);
}

static void edit(struct cairn *cairn, struct cairn_reader *reader, unsigned a, unsigned b,
                 const struct cairn_output *out)
{
	static const char *const versions[] = {NULL, "2.13", "2.06", "1.10", "1.05"};
	static const char *const drops[] = {"REGVAL", "MEMVAL", "STRDESC", "DMA,HWINFO"};
	static const char *const comments[] = {"twenty-three characters", ""};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_edit_opts opts = {.size = sizeof opts,
	                               .version = versions[a % 5],
	                               .drop = drops,
	                               .n_drop = b % 5,
	                               .comments = comments,
	                               .n_comments = b / 8 % 3};
	if (cairn_edit(reader, &opts, out, &done) >= 0)
		holds(cairn, out->path, done.instructions, false);
	cairn_changed_free(cairn, &done);
}

struct parts {
	struct cairn *cairn;
	uint64_t sum;
};

static int part(void *user, const char *path, uint64_t n)
{
	struct parts *parts = user;
	parts->sum += n;
	holds(parts->cairn, path, n, true);
	unlink(path);
	return 0;
}

static void split(struct cairn *cairn, struct cairn_reader *reader, unsigned a, const char *path)
{
	char pattern[80];
	struct parts parts = {.cairn = cairn};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_split_opts opts = {.size = sizeof opts,
	                                .every = 16 + a,
	                                .part = part,
	                                .user = &parts};
	struct cairn_output out = {.size = sizeof out, .path = pattern};
	snprintf(pattern, sizeof pattern, "%s-%%s.rst", path);
	if (cairn_split(reader, &opts, &out, &done) >= 0)
		check(parts.sum == done.instructions, "the parts are the whole", cairn);
	cairn_changed_free(cairn, &done);
}

/* What came of batches whose format the writer was not told: annulled instructions are put in
 * where they belong, no-ops that stand for traps go. */
static void foreign(struct cairn *cairn, const struct cairn_output *out)
{
	struct cairn_check_result *res = calloc(1, sizeof *res);
	if (!res)
		abort();
	res->size = sizeof *res;
	struct cairn_check_opts how = {.size = sizeof how};
	struct cairn_reader *reader = open_output(cairn, out->path);
	uint64_t hash;
	(void)instructions(cairn, reader, &hash);
	check(cairn_damage_count(reader) == 0, "the output is whole", cairn);
	cairn_close(reader);
	reader = open_output(cairn, out->path);
	check(cairn_check(reader, &how, res) >= 0, "it can be judged", cairn);
	cairn_close(reader);
	free(res);
}

static void down(struct cairn *cairn, struct cairn_reader *reader, bool told,
                 const struct cairn_output *out)
{
	struct cairn_create_opts opts = {.size = sizeof opts, .to = out->to, .lossy = 1};
	struct cairn_writer *writer = NULL;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	uint64_t n = 0, one, two;
	int rc = cairn_create(cairn, out->path, &opts, &writer);
	check(rc >= 0, "the output can be created", cairn);
	rc = told ? cairn_writer_from(writer, reader) : 0;
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0) {
		n += batch->n_insns;
		rc = cairn_put(writer, batch);
	}
	cairn_batch_free(cairn, batch);
	if (rc < 0) {
		cairn_discard(writer);
		return;
	}
	if (cairn_finish(writer, NULL) < 0)
		return;
	if (!told) {
		foreign(cairn, out);
		return;
	}
	check(cairn_seek(reader, 1) >= 0, "the input can be read again", cairn);
	check(instructions(cairn, reader, &one) == n, "it is the same again", cairn);
	struct cairn_reader *z = open_output(cairn, out->path);
	check(instructions(cairn, z, &two) == n && one == two, "the same instructions come back",
	      cairn);
	cairn_close(z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cairn_opts limits = {.size = sizeof limits, .max_hold = 1 << 20};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "rst"};
	struct cairn_reader *reader = NULL;
	char path[64], back[64];
	if (n < 8 || n > LARGEST)
		return 0;
	struct cairn *cairn = cairn_new(&limits);
	uint8_t *copy = malloc(n);
	if (!cairn || !copy)
		exit(1);
	unsigned how = data[0], a = data[1], b = data[2];
	memcpy(copy, data + 3, n -= 3);
	for (size_t at = 0; at + SIZE <= n; at += SIZE) {
		uint8_t *p = copy + at;
		if (how & TYPES && !cairn_rst_type_name(p[0]))
			p[0] = p[0] % 8 ? CAIRN_RST_INSTR : CAIRN_RST_TRAP;
		if (how & CPUS && p[0] == CAIRN_RST_INSTR)
			p[2] = p[2] & 0x0c, p[3] &= 0x3f;
	}
	snprintf(path, sizeof path, "/tmp/cairn-fuzz-%ld", (long)getpid());
	snprintf(back, sizeof back, "/tmp/cairn-fuzz-%ld.back", (long)getpid());
	struct cairn_output out = {.size = sizeof out,
	                           .path = path,
	                           .to = how & ZIP ? "rst:rstzip" : "rst:raw",
	                           .codec = how & GZIP ? "gzip" : NULL,
	                           .lossy = how >> 7 & 1};
	if (cairn_open_memory(cairn, copy, n, &opts, &reader) >= 0) {
		switch (how & 7) {
		case 0:
		case 7:
			convert(cairn, reader, copy, n, &out, back);
			break;
		case 1:
		case 2:
			slice(cairn, reader, a, b, &out);
			break;
		case 3:
			merge(cairn, reader, a, b, &out);
			break;
		case 4:
			edit(cairn, reader, a, b, &out);
			break;
		case 5:
			split(cairn, reader, a, path);
			break;
		default:
			down(cairn, reader, !(a & 1), &out);
			break;
		}
	}
	cairn_close(reader);
	unlink(path);
	unlink(back);
	free(copy);
	cairn_free(cairn);
	return 0;
}
