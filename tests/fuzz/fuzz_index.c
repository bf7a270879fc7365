/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the index of a small trace. What a checksum would refuse at once is
 * put right first: magic, version, size, the trace's identity, the checksum. Then,
 * if it is believed, everything is asked of it, and the reader jumps with it.
 * Asserted: found spans lie where they should; what is read stays within bounds and
 * ends; nothing is asked for that is not there.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"
#include "model/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 16, INSNS = 600 };

static char dir[64], trace[96], sidecar[96];
static struct index_ident ident;

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void tidy(void)
{
	unlink(trace);
	unlink(sidecar);
	rmdir(dir);
}

static void write_file(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	check(f && fwrite(p, 1, n, f) == n);
	fclose(f);
}

/* A trace of nops, and its own index when the input is empty. */
static void make_trace(struct cairn *cairn)
{
	static const uint8_t header[] = {1, 'S', 'T', 'F', 2, 1, 0,  0, 0, 5, 0, 0, 0, 4, 1,
	                                 0, 5,   2,   0,   9, 0, 16, 0, 0, 0, 0, 0, 0, 19};
	uint8_t bytes[sizeof header + 3 * INSNS];
	strcpy(dir, "/tmp/cairn-fuzz-XXXXXX");
	check(mkdtemp(dir) != NULL);
	snprintf(trace, sizeof trace, "%s/t.stf", dir);
	snprintf(sidecar, sizeof sidecar, "%s/t.stf.cai", dir);
	memcpy(bytes, header, sizeof header);
	for (size_t i = 0; i < INSNS; i++)
		memcpy(bytes + sizeof header + 3 * i, "\361\1\0", 3);
	write_file(trace, bytes, sizeof bytes);
	atexit(tidy);
	check(index_identify(cairn, trace, &ident) >= 0);
}

/* The hash of what each point tells of memory. */
static void put_points_right(uint8_t *p, size_t n)
{
	uint64_t at = index_HEAD_points(p), count = index_HEAD_n_points(p);
	for (; count && at < n && n - at >= INDEX_LEN_POINT; count--, at += INDEX_LEN_POINT) {
		uint64_t from = index_POINT_at(p + at), len = index_POINT_length(p + at);
		if (from <= n && len <= n - from)
			index_put_POINT_hash(p + at, index_hash(p + from, len));
	}
}

static void put_right(uint8_t *p, size_t n)
{
	/* The numbers of indexes with memory have been even in all versions. */
	bool memory = !(index_HEAD_version(p) & 1);
	size_t end = n - INDEX_SUM;
	uint64_t rest = memory ? index_HEAD_rows(p) : INDEX_LEN_HEAD;
	memcpy(p, INDEX_MAGIC, 8);
	index_put_HEAD_version(p, memory ? INDEX_WITH_MEMORY : INDEX_VERSION);
	index_put_HEAD_size(p, n);
	index_put_HEAD_trace_size(p, ident.size);
	index_put_HEAD_trace_time(p, ident.time);
	index_put_HEAD_trace_first(p, ident.first);
	index_put_HEAD_trace_last(p, ident.last);
	if (memory && rest <= end)
		put_points_right(p, n);
	if (rest <= end)
		base_put_le64(p + end, index_sum(p, p + rest, end - rest));
}

static uint64_t sum; /* of all bytes that may be looked at */

static void check_reg(const struct cairn_state_reg *reg)
{
	check(reg->bits > 0 && (reg->bits <= 64) == !reg->wide);
	for (size_t i = 0; reg->wide && i < ((size_t)reg->bits + 7) / 8; i++)
		sum += (unsigned)reg->wide[i] + reg->wide_known[i];
}

/* A state and a find begin where the index says. */
static void states(struct cairn_reader *reader)
{
	static const uint64_t to[] = {INSNS, 1, 77, INSNS + 1};
	static const struct cairn_space space = {.kind = CAIRN_SPACE_ONE};
	struct cairn *cairn = reader->cairn;
	for (uint32_t memory = CAIRN_STATE_ALL; memory <= CAIRN_STATE_NONE; memory++) {
		struct cairn_state_opts opts = {.size = sizeof opts, .memory = memory};
		struct cairn_state *state;
		static struct cairn_state_reg regs[64];
		check(cairn_state_new(cairn, &opts, &state) >= 0);
		for (size_t i = 0; i < sizeof to / sizeof *to; i++)
			if (cairn_state_go(state, reader, to[i]) >= 0) {
				int64_t n = cairn_state_regs(state, regs, 64);
				static struct cairn_state_block blocks[64];
				check(n >= 0 && cairn_state_blocks(state, blocks, 64) >= 0);
				for (int64_t k = 0; k < n && k < 64; k++)
					check_reg(&regs[k]);
				cairn_state_recall(state, reader, space, 0x1000, 100);
			}
		cairn_state_free(state);
	}
}

static void finds(struct cairn_reader *reader)
{
	static const char *const places[] = {"x5", "0x1000+8"};
	for (size_t i = 0; i < 2; i++) {
		struct cairn_find_opts opts = {.size = sizeof opts, .most = 3, .last = 1};
		struct cairn_touch *touch;
		struct cairn_found found = {.size = sizeof found};
		check(cairn_touch_new(reader->cairn, places[i], 1, NULL, &touch) >= 0);
		opts.touch = touch;
		cairn_find(reader, &opts, &found);
		check(found.n == 0);
		cairn_found_free(reader->cairn, &found);
		opts.touch = NULL;
		cairn_find(reader, &opts, &found);
		check(found.n <= 3);
		cairn_found_free(reader->cairn, &found);
		cairn_touch_free(touch);
	}
}

static void ask(const struct cairn_index *index)
{
	static struct cairn_state_reg regs[64];
	static struct cairn_index_walk walks[64];
	struct cairn_index_span span = {.size = sizeof span};
	struct cairn_tally tally = {.size = sizeof tally};
	uint64_t bytes;
	size_t n = cairn_index_spans(index);
	check(cairn_index_memory(index, &bytes) <= n && bytes <= MOST);
	check(n <= MOST / INDEX_LEN_SPAN);
	for (size_t i = 0; i < n; i++) {
		check(cairn_index_span(index, i, &span) == 0);
		int64_t at = cairn_index_find(index, span.first);
		check(at < 0 || (size_t)at <= n);
		size_t known = cairn_index_regs(index, i, regs, 64),
			   walked = cairn_index_walks(index, i, walks, 64);
		for (size_t k = 0; k < known && k < 64; k++)
			check_reg(&regs[k]);
		for (size_t k = 0; k < walked && k < 64; k++)
			for (uint32_t a = 0; a < walks[k].n_args; a++)
				sum += base_le64(walks[k].args + 8 * (size_t)a);
		for (unsigned k = 0; k < 300; k += 37) {
			cairn_index_writes_reg(index, i, (enum cairn_reg_class)(k % 8), k);
			cairn_index_reads(index, i, (uint64_t)k << 11, 5000);
			cairn_index_writes(index, i, UINT64_MAX - k, 100);
		}
	}
	check(cairn_index_span(index, n, &span) < 0);
	cairn_index_totals(index, &tally);
}

static void jump(struct cairn_reader *reader, struct cairn_batch *batch)
{
	static const uint64_t to[] = {1, 2, 100, INSNS, INSNS + 1, UINT64_MAX};
	for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
		if (cairn_seek(reader, to[i]) < 0)
			continue;
		uint64_t rows = 0;
		int rc;
		while ((rc = cairn_next(reader, batch)) > 0)
			rows += batch->n_insns;
		check(rows <= 3 * INSNS); /* bytes of the trace: a record is two at least */
	}
}

static void look(struct cairn *cairn)
{
	struct cairn_index *index;
	struct cairn_reader *reader = NULL;
	const struct cairn_info *info;
	if (cairn_index_open(cairn, trace, sidecar, &index) >= 0) {
		ask(index);
		cairn_index_close(index);
	}
	struct cairn_batch *batch = cairn_batch_new(cairn);
	check(batch && cairn_open(cairn, trace, NULL, &reader) >= 0);
	check(!cairn_reader_index(reader) != !cairn_reader_index_note(reader));
	check(cairn_reader_info(reader, &info) >= 0);
	jump(reader, batch);
	if (cairn_reader_index(reader)) {
		states(reader);
		finds(reader);
	}
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cairn *cairn = cairn_new(NULL);
	check(cairn != NULL);
	if (!trace[0])
		make_trace(cairn);
	if (n == 0) {
		check(cairn_index_build(cairn, trace, NULL, NULL) >= 0);
		look(cairn);
	} else if (n <= MOST) {
		size_t size = n < INDEX_LEN_HEAD + INDEX_SUM ? INDEX_LEN_HEAD + INDEX_SUM : n;
		uint8_t *p = calloc(1, size);
		check(p != NULL);
		memcpy(p, data, n);
		put_right(p, size);
		write_file(sidecar, p, size);
		free(p);
		look(cairn);
	}
	cairn_free(cairn);
	return 0;
}
