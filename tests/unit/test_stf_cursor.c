/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of records, and scans, beside the obvious walk, record by record. The cursor makes out
 * the place at a run's ends only, from the last target on; runs end at markers, and wherever a
 * window of the input does, also between a target and the instruction it belongs to. A scan
 * does not know where its span begins, and must find out whether it matters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../stf/tools.h"
#include "base/bytes.h"
#include "formats/stf/change/change.h"

enum { GROUPS = 60000, SHIFTS = 40 };

static uint64_t chance(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Full of targets, also such as no instruction is behind, and of what changes the place. */
static struct bytes trace_of(unsigned shift)
{
	struct bytes bytes = {0};
	struct head h = {.iem = 2, .no_pc = shift % 2}; /* then unknown up to the first target */
	char text[SHIFTS + 1];
	uint64_t s = 88172645463325252u + shift;
	head(&bytes, h);
	memset(text, '.', shift);
	text[shift] = 0;
	rec(&bytes, CAIRN_STF_COMMENT, "T", text); /* moves where windows end */
	for (unsigned i = 0; i < GROUPS; i++) {
		if (chance(&s) % 40 == 0)
			rec(&bytes, CAIRN_STF_FORCE_PC, "q", chance(&s) & 0xfffffe);
		for (uint64_t k = chance(&s) % 3; k; k--)
			rec(&bytes, CAIRN_STF_INST_PC_TARGET, "q", chance(&s) & 0xfffffe);
		if (chance(&s) % 40 == 0)
			rec(&bytes, CAIRN_STF_EVENT_PC_TARGET, "q", chance(&s) & 0xfffffe);
		if (chance(&s) % 3 == 0)
			rec(&bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", chance(&s), 8u, 0u, 1u);
		if (chance(&s) % 2)
			insn32(&bytes, 0x13);
		else
			insn16(&bytes, 1);
	}
	return bytes;
}

struct place {
	uint64_t pc, target, n, rec;
	bool known, has_target;
};

static bool step(struct place *at, const uint8_t *p)
{
	unsigned size = *p == CAIRN_STF_INST_32 ? 4 : *p == CAIRN_STF_INST_16 ? 2 : 0;
	at->rec++;
	if (*p == CAIRN_STF_FORCE_PC) {
		at->pc = base_le64(p + 1);
		at->known = true;
	} else if (*p == CAIRN_STF_INST_PC_TARGET || *p == CAIRN_STF_EVENT_PC_TARGET) {
		at->target = base_le64(p + 1);
		at->has_target = true;
	} else if (size) {
		at->pc = at->has_target ? at->target : at->pc + size;
		at->known |= at->has_target;
		at->has_target = false;
		at->n++;
	}
	return size;
}

static void same_place(const struct place *at, const struct stf_state *is)
{
	assert_int_equal(is->pc_known, at->known);
	assert_true(!at->known || is->pc == at->pc);
	assert_int_equal(is->has_target, at->has_target);
	assert_true(!at->has_target || is->target == at->target);
	assert_int_equal(is->n, at->n);
	assert_int_equal(is->rec, at->rec);
}

/* Returns how many runs ended within a group. */
static unsigned follow(struct cairn *cairn, const char *path, uint64_t most)
{
	struct cairn_reader *reader = NULL;
	struct stf_cursor cursor;
	struct stf_run run;
	struct place at = {0};
	uint64_t s = most;
	unsigned within = 0;
	if (cairn_open(cairn, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	const struct stf_impl *im = reader->impl;
	stf_cursor_init(&cursor, reader);
	assert_int_equal(stf_cursor_ready(&cursor), 1);
	at = (struct place){.pc = cursor.at->pc,
	                    .known = cursor.at->pc_known,
	                    .n = cursor.at->n,
	                    .rec = cursor.at->rec};
	int rc;
	while ((rc = stf_cursor_next(&cursor, most == UINT64_MAX ? most : 1 + chance(&s) % most,
	                             &run)) > 0) {
		uint64_t markers = 0;
		const uint8_t *p = run.p, *whole = p;
		assert_int_equal(run.pc_known, at.known);
		assert_true(!at.known || run.pc == at.pc);
		while (p < run.p + run.n) {
			bool marker = step(&at, p);
			p += cairn_stf_record_length(&im->header.cfg, p, (size_t)(run.p + run.n - p));
			markers += marker;
			whole = marker ? p : whole;
		}
		assert_int_equal(run.markers, markers);
		assert_ptr_equal(run.p + run.whole, whole);
		same_place(&at, cursor.at);
		within += run.whole < run.n;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(at.n, GROUPS + 1);
	cairn_close(reader);
	return within;
}

static void runs_stand_where_the_obvious_walk_does(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	char path[64], command[96];
	unsigned within = 0;
	(void)state;
	snprintf(path, sizeof path, "/tmp/cairn-cursor-%d.stf", (int)getpid());
	for (unsigned shift = 0; shift < SHIFTS; shift++) {
		struct bytes bytes = trace_of(shift);
		FILE *f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
		fclose(f);
		snprintf(command, sizeof command, "cat %s", path);
		f = popen(command, "r");
		assert_non_null(f);
		snprintf(command, sizeof command, "/dev/fd/%d", fileno(f));
		within += follow(cairn, command, UINT64_MAX);
		pclose(f);
		follow(cairn, path, UINT64_MAX);
		follow(cairn, path, 1 + shift);
		bytes_free(&bytes);
	}
	unlink(path);
	cairn_free(cairn);
	assert_true(within >= SHIFTS / 4); /* else this says nothing of windows */
}

/* ---- scans ---- */

enum { CHUNKS = 400, PIECES = 8 << 20, WHOLE = 32 << 20 /* container.c: of larger chunks */ };

/* Groups with few targets, and some that no instruction is behind. */
static void groups(struct bytes *bytes, uint64_t *s, unsigned n, unsigned few)
{
	for (unsigned i = 0; i < n; i++) {
		if (chance(s) % (20 * few) == 0)
			rec(bytes, CAIRN_STF_FORCE_PC, "q", chance(s) & 0xfffffe);
		for (uint64_t k = chance(s) % few ? 0 : 1 + chance(s) % 2; k; k--)
			rec(bytes, CAIRN_STF_INST_PC_TARGET, "q", chance(s) & 0xfffffe);
		if (chance(s) % (20 * few) == 0)
			rec(bytes, CAIRN_STF_EVENT_PC_TARGET, "q", chance(s) & 0xfffffe);
		if (chance(s) % 2)
			insn32(bytes, 0x13);
		else
			insn16(bytes, 1);
	}
}

/* A chunk that is decompressed in pieces, one of which ends between the only target and its
 * instruction. */
static void huge_chunk(struct bytes *bytes)
{
	const size_t begin = bytes->n;
	while (bytes->n - begin < PIECES - (1 << 19))
		insn32(bytes, 0x13);
	rec(bytes, CAIRN_STF_INST_PC_TARGET, "q", UINT64_C(0x123456));
	while (bytes->n - begin < PIECES + (1 << 19))
		rec(bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", UINT64_C(0x1000), 8u, 0u, 1u);
	while (bytes->n - begin < WHOLE + (1 << 19))
		insn16(bytes, 1);
}

struct cuts {
	size_t end[CHUNKS];
	struct place at[CHUNKS]; /* by the obvious walk */
	size_t n;
};

/* Where chunks end: after whole records, anywhere; [from, upto) stays in one. */
static void cut_anywhere(struct cuts *cuts, const struct bytes *bytes, struct place at,
                         size_t begin, size_t from, size_t upto, uint64_t *s)
{
	const struct cairn_stf_config cfg = config_of((struct head){.iem = 2});
	uint64_t left = 1 + chance(s) % 40;
	for (size_t p = begin; p < bytes->n;) {
		step(&at, bytes->p + p);
		p += (size_t)cairn_stf_record_length(&cfg, bytes->p + p, bytes->n - p);
		if (p < bytes->n && ((p > from && p < upto) || --left))
			continue;
		left = 1 + chance(s) % 40;
		if (cuts->n == CHUNKS - 1 && p < bytes->n)
			continue;
		cuts->end[cuts->n] = p;
		cuts->at[cuts->n++] = at;
	}
}

static struct bytes container_of(struct cairn *cairn, const struct bytes *bytes,
                                 const struct cuts *cuts)
{
	struct bytes z = {0}, index = {0};
	uint8_t row[24] = "ZSTF";
	base_put_le64(row + 4, 1);
	bytes_put(&z, row, 20);
	for (size_t i = 0, at = 0; i < cuts->n; at = cuts->end[i++]) {
		struct bytes chunk = {.p = bytes->p + at, .n = cuts->end[i] - at};
		struct bytes frame = wrapped(cairn, &chunk, "zstd");
		base_put_le64(row, z.n);
		base_put_le64(row + 8, 0);
		base_put_le64(row + 16, chunk.n);
		bytes_put(&index, row, 24);
		bytes_put(&z, frame.p, frame.n);
		bytes_free(&frame);
	}
	base_put_le64(z.p + 12, z.n);
	base_put_le64(row, cuts->n);
	bytes_put(&z, row, 8);
	bytes_put(&z, index.p, index.n);
	bytes_free(&index);
	return z;
}

/* Scan and seal chunk after chunk, as threads do that wait for the place. */
static void scan_all(struct cairn *cairn, const struct bytes *z, const struct cuts *cuts)
{
	struct cairn_reader *reader = NULL;
	union {
		unsigned char bytes[MODEL_STATE];
		struct stf_state at;
	} before = {{0}}, exit = {{0}};
	struct model_span span = {.exit = exit.bytes};
	void *worker = NULL;
	size_t n = 0;
	if (cairn_open_memory(cairn, z->p, z->n, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	assert_true(reader->state_size <= sizeof before);
	assert_true(reader->format->worker_new(reader, &worker) >= 0);
	while (reader->format->cut(reader, &span, false) > 0) {
		span.worker = worker;
		span.seq = n;
		assert_true(reader->format->load(reader, &span) >= 0 &&
		            reader->format->scan(reader, &span, NULL) >= 0);
		span.scanned = true;
		assert_true(reader->format->seal(reader, before.bytes, &span) >= 0);
		before = exit;
		/* Behind the last chunk comes a span of no records, for the index. */
		if (((const struct stf_span *)span.priv)->kind != STF_SPAN_END) {
			assert_true(n < cuts->n);
			same_place(&cuts->at[n], &before.at);
			n++;
		}
		reader->format->drop(reader, &span);
		model_damage_free(cairn, &span.damage);
		span = (struct model_span){.exit = exit.bytes};
	}
	assert_int_equal(n, cuts->n);
	reader->format->worker_free(reader, worker);
	cairn_close(reader);
}

static void scans_end_where_the_obvious_walk_does(void **state)
{
	static const unsigned fewer[] = {2, 5, 30, 1000};
	struct cairn *cairn = cairn_new(NULL);
	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		static struct cuts cuts;
		struct bytes bytes = {0};
		uint64_t s = 88172645463325252u + round;
		head(&bytes, (struct head){.iem = 2});
		size_t begin = bytes.n;
		groups(&bytes, &s, 2000, fewer[round % 4]);
		size_t from = bytes.n;
		if (round == 3)
			huge_chunk(&bytes);
		size_t upto = bytes.n;
		groups(&bytes, &s, 2000, fewer[round % 4]);
		/* Where the header has it, as a reader without a span tells. */
		struct cairn_reader *reader = NULL;
		if (cairn_open_memory(cairn, bytes.p, bytes.n, NULL, &reader) < 0)
			fail_msg("%s", cairn_error_text(cairn));
		const struct stf_impl *im = reader->impl;
		struct place at = {.pc = im->header.pc,
		                   .known = true,
		                   .n = 1,
		                   .rec = 1 + im->header.records};
		assert_int_equal(im->header.size, begin);
		cairn_close(reader);
		cuts.n = 0;
		cut_anywhere(&cuts, &bytes, at, begin, from, upto, &s);
		struct bytes z = container_of(cairn, &bytes, &cuts);
		scan_all(cairn, &z, &cuts);
		bytes_free(&z);
		bytes_free(&bytes);
	}
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs_stand_where_the_obvious_walk_does),
	                                   cmocka_unit_test(scans_end_where_the_obvious_walk_does)};
	return cmocka_run_group_tests_name("stf_cursor", tests, NULL, NULL);
}
