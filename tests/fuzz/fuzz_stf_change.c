/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an STF trace, packed otherwise, sliced, merged with itself, edited. What
 * is asserted: what is written can be read without damage (also when the input was
 * damaged), holds as many instructions as it should, and packing an undamaged trace there
 * and back gives its bytes.
 *
 * Byte 0 chooses the verb and the packing, bytes 1 and 2 its numbers.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LARGEST = 1 << 16 };

static void check(bool ok, const char *what, struct cairn *cairn)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s (%s)\n", what, cairn_error_text(cairn));
	abort();
}

/* Is the input damaged? Odd records are copied as they are. */
static bool odd_input;

static void look_at(struct cairn *cairn, const uint8_t *p, size_t n)
{
	struct cairn_reader *reader = NULL;
	struct cairn_tally tally = {.size = sizeof tally};
	odd_input = cairn_open_memory(cairn, p, n, NULL, &reader) < 0 ||
	            cairn_count(reader, 1, &tally) < 0 || cairn_damage_count(reader) > 0;
	cairn_close(reader);
}

/* Instructions or transactions of a file that must be whole, if the input is. */
static uint64_t whole(struct cairn *cairn, const char *path)
{
	struct cairn_reader *reader = NULL;
	struct cairn_tally tally = {.size = sizeof tally};
	check(cairn_open(cairn, path, NULL, &reader) >= 0, "the output opens", cairn);
	check(cairn_count(reader, 1, &tally) >= 0, "the output can be read", cairn);
	check(cairn_damage_count(reader) == 0 || odd_input, "the output is whole", cairn);
	cairn_close(reader);
	return tally.instructions + tally.transactions;
}

static bool is_file(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *q = malloc(n + 1);
	size_t got = f && q ? fread(q, 1, n + 1, f) : SIZE_MAX;
	bool same = got == n && memcmp(p, q, n) == 0;
	free(q);
	if (f)
		fclose(f);
	return same;
}

/* Instructions of the output that the input does not have: STF tells a trap with one. */
static uint64_t added(const struct cairn_changed *done)
{
	uint64_t n = 0;
	for (size_t i = 0; done->notes && i < done->notes->n; i++)
		if (strstr(done->notes->losses[i].what, "aborted no-op"))
			n += done->notes->losses[i].count;
	return n;
}

static void convert(struct cairn *cairn, struct cairn_reader *reader, const uint8_t *p, size_t n,
                    unsigned chunk, const char *path, const char *back)
{
	char to[32];
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_output out = {.size = sizeof out, .path = path, .to = to};
	snprintf(to, sizeof to, "zstf:chunk=%u", chunk + 1);
	if (cairn_convert(reader, &out, &done) >= 0) {
		bool intact = cairn_damage_count(reader) == 0 && memcmp(p, "\001STF", 4) == 0;
		struct cairn_reader *z = NULL;
		check(whole(cairn, path) == done.instructions + added(&done), "all instructions are there",
		      cairn);
		check(cairn_open(cairn, path, NULL, &z) >= 0, "the container opens", cairn);
		out.path = back;
		out.to = "stf";
		check(cairn_convert(z, &out, NULL) >= 0, "the container becomes raw", cairn);
		cairn_close(z);
		check(!intact || is_file(back, p, n), "there and back is the same", cairn);
	}
	cairn_changed_free(cairn, &done);
}

static void slice(struct cairn *cairn, struct cairn_reader *reader, unsigned a, unsigned b,
                  bool windows, const struct cairn_output *out)
{
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_range ranges[2] = {{a + 1, a + 1 + b % 16}, {a + 20, UINT64_MAX}};
	struct cairn_slice_opts opts = {.size = sizeof opts,
	                                .ranges = ranges,
	                                .n_ranges = 1 + b % 2,
	                                .look_back = b / 32};
	if (windows) {
		opts.every = 1 + b % 16;
		opts.window = 1 + a % opts.every;
		opts.n_ranges = 0;
	}
	if (cairn_slice(reader, &opts, out, &done) >= 0)
		check(whole(cairn, out->path) == done.instructions, "the slice holds what it says", cairn);
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
		check(whole(cairn, out->path) == done.instructions, "the merged trace holds both", cairn);
	cairn_changed_free(cairn, &done);
}

static void edit(struct cairn *cairn, struct cairn_reader *reader, unsigned a, unsigned b,
                 const struct cairn_output *out)
{
	static const char *const versions[] = {NULL, "1.2", "1.3", "1.4", "1.5", "1.6"};
	static const char *const drops[] = {"INST_REG", "EVENT", "COMMENT", "INST_MEM_ACCESS"};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_edit_opts opts = {.size = sizeof opts,
	                               .version = versions[a % 6],
	                               .drop = drops,
	                               .n_drop = b % 5,
	                               .event_bits = (b / 8 % 3) * 32,
	                               .features = a & 64 ? "+SIMPOINT" : NULL,
	                               .isa_string = a & 128 ? "rv64gc" : NULL};
	if (cairn_edit(reader, &opts, out, &done) >= 0)
		check(whole(cairn, out->path) == done.instructions, "the edited trace is whole", cairn);
	cairn_changed_free(cairn, &done);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cairn_opts limits = {.size = sizeof limits, .max_hold = 1 << 20};
	struct cairn_reader *reader = NULL;
	char path[64], back[64];
	if (n < 8 || n > LARGEST)
		return 0;
	struct cairn *cairn = cairn_new(&limits);
	if (!cairn)
		return 0;
	snprintf(path, sizeof path, "/tmp/cairn-fuzz-%ld", (long)getpid());
	snprintf(back, sizeof back, "/tmp/cairn-fuzz-%ld.back", (long)getpid());
	struct cairn_output out = {.size = sizeof out,
	                           .path = path,
	                           .to = data[0] & 16   ? "zstf:chunk=3"
	                                 : data[0] & 32 ? "stf"
	                                                : NULL,
	                           .codec = (data[0] & 48) == 32 ? "gzip" : NULL};
	unsigned a = data[1], b = data[2];
	look_at(cairn, data + 3, n - 3);
	if (cairn_open_memory(cairn, data + 3, n - 3, NULL, &reader) >= 0) {
		switch (data[0] & 7) {
		case 0:
			convert(cairn, reader, data + 3, n - 3, a, path, back);
			break;
		case 1:
		case 2:
			slice(cairn, reader, a, b, (data[0] & 7) == 2, &out);
			break;
		case 3:
			merge(cairn, reader, a, b, &out);
			break;
		default:
			edit(cairn, reader, a, b, &out);
			break;
		}
	}
	cairn_close(reader);
	cairn_free(cairn);
	unlink(path);
	unlink(back);
	return 0;
}
