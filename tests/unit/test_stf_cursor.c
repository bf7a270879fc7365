/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All who follow a trace beside the obvious walk, record by record: decoding, scans, runs of
 * records and check must stand where it does, with the same PC, mode, ids and instruction set.
 * The cursor makes out the place at a run's ends only, from the last target on; runs end at
 * markers, and wherever a window of the input does, also between a target and the instruction
 * it belongs to. A scan does not know where its span begins, and must find out whether it
 * matters.
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
#include "check/list.h"
#include "formats/stf/change/change.h"
#include "formats/stf/check/rules.h"

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
	uint32_t ids[3];
	unsigned isa, priv;
	bool known, has_target, has_ids, has_priv;
	/* of the group: */
	bool forced, told; /* told: a mode of its own */
	bool later;        /* … and one that holds behind it: */
	unsigned behind;
	bool begun;
};

/* What the specification says of a change of mode, in its words: it tells the "mode in which
 * subsequent instructions execute"; it comes "at the start of each trace to indicate the starting
 * privilege mode and with any FORCE_PC". */
static void step_mode(struct place *at, const uint8_t *p, unsigned bits)
{
	uint64_t id = bits == 64 ? base_le64(p + 1) : (uint64_t)base_le32(p + 1) << 32;
	uint64_t mode = p[1 + bits / 8] ? base_le64(p + 2 + bits / 8) : 99;
	bool begins = (at->forced || !at->begun) && !at->told;
	if ((id & UINT64_C(0x7fffffffffffffff)) != UINT64_C(0x4000000000000000))
		return;
	at->told |= begins;
	if (mode > 3)
		return;
	at->later = !begins;
	at->behind = (unsigned)mode;
	if (begins) {
		at->priv = (unsigned)mode;
		at->has_priv = true;
	}
}

/* The group has ended, or what comes next is not its own. */
static void step_end(struct place *at)
{
	if (at->later) {
		at->priv = at->behind;
		at->has_priv = true;
	}
	at->forced = at->told = at->later = false;
}

static bool step(struct place *at, const struct cairn_stf_config *cfg, const uint8_t *p)
{
	unsigned size = *p == CAIRN_STF_INST_32 ? 4 : *p == CAIRN_STF_INST_16 ? 2 : 0;
	at->rec++;
	if (*p == CAIRN_STF_FORCE_PC) {
		at->pc = base_le64(p + 1);
		at->known = at->forced = true;
	} else if (*p == CAIRN_STF_INST_PC_TARGET || *p == CAIRN_STF_EVENT_PC_TARGET) {
		at->target = base_le64(p + 1);
		at->has_target = true;
	} else if (*p == CAIRN_STF_PROCESS_ID_EXT) {
		for (unsigned i = 0; i < 3; i++)
			at->ids[i] = base_le32(p + 1 + 4 * (size_t)i);
		at->has_ids = true;
	} else if (*p == CAIRN_STF_INST_IEM) {
		at->isa = base_le16(p + 1) == 1 ? CAIRN_ISA_RV32 : CAIRN_ISA_RV64;
	} else if (*p == CAIRN_STF_EVENT) {
		step_mode(at, p, cfg->event_bits);
	} else if (size) {
		at->pc = at->has_target ? at->target : at->pc + size;
		at->known |= at->has_target;
		at->has_target = false;
		at->begun = true;
		at->n++;
		step_end(at);
	}
	return size;
}

/* Where the trace begins, by its header. */
static struct place begin_of(const struct cairn_reader *reader)
{
	const struct stf_impl *im = reader->impl;
	struct place at = {.pc = im->header.pc,
	                   .known = im->header.has_pc,
	                   .isa = im->header.cfg.iem == 1 ? CAIRN_ISA_RV32 : CAIRN_ISA_RV64,
	                   .n = 1,
	                   .rec = 1 + im->header.records};
	return at;
}

static void same_context(const struct place *at, const struct cairn_stf_config *cfg,
                         const struct cairn_ctx *ctx)
{
	const bool new_ids = cfg->new_ids;
	assert_int_equal((ctx->known & CAIRN_CTX_PRIV) != 0, at->has_priv);
	assert_true(!at->has_priv || ctx->priv == at->priv);
	assert_int_equal((ctx->known & CAIRN_CTX_PID) != 0, at->has_ids);
	assert_int_equal((ctx->known & CAIRN_CTX_HW_TID) != 0, at->has_ids && new_ids);
	assert_int_equal((ctx->known & CAIRN_CTX_ASID) != 0, at->has_ids && !new_ids);
	if (!at->has_ids)
		return;
	assert_int_equal(new_ids ? ctx->hw_tid : ctx->pid, at->ids[0]);
	assert_int_equal(new_ids ? ctx->pid : ctx->tid, at->ids[1]);
	assert_int_equal(new_ids ? ctx->tid : ctx->asid, at->ids[2]);
}

static void same_place(const struct place *at, const struct cairn_stf_config *cfg,
                       const struct stf_state *is)
{
	const struct stf_follower *now = &is->now;
	bool goes = now->group & STF_GOES;
	assert_int_equal(now->pc_known != 0, at->known);
	assert_true(!at->known || now->pc == at->pc);
	assert_int_equal(goes, at->has_target);
	assert_true(!goes || now->target == at->target);
	assert_int_equal(now->isa, at->isa);
	assert_int_equal(now->begun, at->begun);
	assert_int_equal(is->n, at->n);
	assert_int_equal(is->rec, at->rec);
	if (!at->later) /* within a group it is still to come */
		same_context(at, cfg, &now->ctx);
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
	at = begin_of(reader);
	int rc;
	while ((rc = stf_cursor_next(&cursor, most == UINT64_MAX ? most : 1 + chance(&s) % most,
	                             &run)) > 0) {
		uint64_t markers = 0;
		const uint8_t *p = run.p, *whole = p;
		assert_int_equal(run.pc_known, at.known);
		assert_true(!at.known || run.pc == at.pc);
		while (p < run.p + run.n) {
			bool marker = step(&at, &im->header.cfg, p);
			p += cairn_stf_record_length(&im->header.cfg, p, (size_t)(run.p + run.n - p));
			markers += marker;
			whole = marker ? p : whole;
		}
		assert_int_equal(run.markers, markers);
		assert_ptr_equal(run.p + run.whole, whole);
		same_place(&at, &im->header.cfg, cursor.at);
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
static void cut_anywhere(struct cuts *cuts, const struct bytes *bytes,
                         const struct cairn_stf_config *cfg, struct place at, size_t begin,
                         size_t from, size_t upto, uint64_t *s)
{
	uint64_t left = 1 + chance(s) % 40;
	cuts->n = 0;
	for (size_t p = begin; p < bytes->n;) {
		step(&at, cfg, bytes->p + p);
		p += (size_t)cairn_stf_record_length(cfg, bytes->p + p, bytes->n - p);
		if (p < bytes->n && ((p > from && p < upto) || --left))
			continue;
		left = 1 + chance(s) % 40;
		if (cuts->n == CHUNKS - 1 && p < bytes->n)
			continue;
		step_end(&at); /* what holds behind a group holds behind its span */
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

/* A way to go through a span. Those who do not scan leave its exit. */
typedef void go_fn(struct cairn_reader *reader, struct model_span *span, void *user);

/* Go through chunk after chunk, as threads do that wait for the place. */
static void go_through(struct cairn_reader *reader, const struct cuts *cuts, go_fn *go, void *user)
{
	union {
		unsigned char bytes[MODEL_STATE];
		struct stf_state at;
	} before = {{0}}, exit = {{0}};
	struct model_span span = {.exit = exit.bytes};
	const struct stf_impl *im = reader->impl;
	void *worker = NULL;
	size_t n = 0;
	assert_true(reader->state_size <= sizeof before);
	assert_true(reader->format->worker_new(reader, &worker) >= 0);
	while (reader->format->cut(reader, &span, false) > 0) {
		span.worker = worker;
		span.seq = n;
		assert_true(reader->format->load(reader, &span) >= 0);
		if (!go)
			assert_true(reader->format->scan(reader, &span, NULL) >= 0);
		span.scanned = !go;
		assert_true(reader->format->seal(reader, before.bytes, &span) >= 0);
		if (go)
			go(reader, &span, user);
		before = exit;
		/* Behind the last chunk comes a span of no records, for the index. */
		if (((const struct stf_span *)span.priv)->kind != STF_SPAN_END) {
			assert_true(n < cuts->n);
			same_place(&cuts->at[n], &im->header.cfg, &before.at);
			n++;
		}
		reader->format->drop(reader, &span);
		model_damage_free(reader->cairn, &span.damage);
		span = (struct model_span){.exit = exit.bytes};
	}
	assert_int_equal(n, cuts->n);
	reader->format->worker_free(reader, worker);
}

static struct cairn_reader *opened(struct cairn *cairn, const struct bytes *bytes)
{
	struct cairn_reader *reader = NULL;
	if (cairn_open_memory(cairn, bytes->p, bytes->n, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	return reader;
}

static void scan_all(struct cairn *cairn, const struct bytes *z, const struct cuts *cuts)
{
	struct cairn_reader *reader = opened(cairn, z);
	go_through(reader, cuts, NULL, NULL);
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
		struct cairn_reader *reader = opened(cairn, &bytes);
		const struct stf_impl *im = reader->impl;
		assert_int_equal(im->header.size, begin);
		cut_anywhere(&cuts, &bytes, &im->header.cfg, begin_of(reader), begin, from, upto, &s);
		cairn_close(reader);
		struct bytes z = container_of(cairn, &bytes, &cuts);
		scan_all(cairn, &z, &cuts);
		bytes_free(&z);
		bytes_free(&bytes);
	}
	cairn_free(cairn);
}

/* ---- all of them ---- */

enum { ALIKE = 400 };

/* A MODE_CHANGE, rarely one that tells no mode or is marked as an interrupt. */
static void mode_change(struct bytes *bytes, const struct cairn_stf_config *cfg, uint64_t *s)
{
	const uint64_t interrupt = chance(s) % 8 ? 0 : UINT64_C(1) << 63;
	unsigned words = chance(s) % 8 != 0;
	uint64_t mode = chance(s) % 8 ? chance(s) % 4 : 7;
	if (cfg->event_bits == 64)
		event64(bytes, UINT64_C(1) << 62 | interrupt, words, mode);
	else
		event32(bytes, (uint32_t)(interrupt >> 32) | 1u << 30, words, mode);
}

/* Groups full of what changes the place, in any order. */
static void any_groups(struct bytes *bytes, const struct cairn_stf_config *cfg, uint64_t *s)
{
	for (unsigned i = 0; i < ALIKE; i++) {
		for (uint64_t k = chance(s) % 3 ? 0 : 1 + chance(s) % 6; k; k--)
			switch (chance(s) % 8) {
			case 0:
				rec(bytes, CAIRN_STF_FORCE_PC, "q", chance(s) & 0xfffffe);
				break;
			case 1:
				rec(bytes, CAIRN_STF_INST_PC_TARGET, "q", chance(s) & 0xfffffe);
				break;
			case 2:
				rec(bytes, CAIRN_STF_EVENT_PC_TARGET, "q", chance(s) & 0xfffffe);
				break;
			case 3:
				rec(bytes, CAIRN_STF_PROCESS_ID_EXT, "www", (unsigned)chance(s) % 3,
				    (unsigned)chance(s) % 3, (unsigned)chance(s) % 3);
				break;
			case 4:
				rec(bytes, CAIRN_STF_INST_IEM, "h", 1 + (unsigned)chance(s) % 2);
				break;
			case 5:
				rec(bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", chance(s), 8u, 0u, 1u);
				break;
			default:
				mode_change(bytes, cfg, s);
				break;
			}
		if (chance(s) % 2)
			insn32(bytes, 0x13);
		else
			insn16(bytes, 1);
	}
}

/* Where the obvious walk stands at the encoding of each instruction. */
struct insns {
	struct place at[ALIKE + 1];
	const uint8_t *marker[ALIKE + 1];
	size_t n;
};

static void walk_insns(struct insns *insns, const struct bytes *bytes,
                       const struct cairn_stf_config *cfg, struct place at, size_t p,
                       const struct cuts *cuts)
{
	size_t chunk = 0;
	insns->n = 0;
	while (p < bytes->n) {
		if (p == cuts->end[chunk]) {
			step_end(&at);
			chunk++;
		}
		insns->at[insns->n] = at;
		insns->marker[insns->n] = bytes->p + p;
		insns->n += step(&at, cfg, bytes->p + p);
		p += (size_t)cairn_stf_record_length(cfg, bytes->p + p, bytes->n - p);
	}
}

static void decode_span(struct cairn_reader *reader, struct model_span *span, void *user)
{
	const struct stf_impl *im = reader->impl;
	const struct insns *insns = user;
	struct cairn_batch *batch = cairn_batch_new(reader->cairn);
	assert_non_null(batch);
	for (int rc; (rc = reader->format->decode(reader, span, batch)) != 0;) {
		assert_true(rc > 0);
		for (uint32_t i = 0; i < batch->n_insns; i++) {
			const struct cairn_insn *row = &batch->insns[i];
			const struct place *at = &insns->at[batch->n0 + i - 1];
			assert_int_equal(!(row->flags & CAIRN_INSN_PC_UNKNOWN), at->known);
			assert_true(!at->known || row->pc == at->pc);
			assert_int_equal(row->isa, at->isa);
			same_context(at, &im->header.cfg, &batch->ctxs[row->ctx]);
		}
	}
	cairn_batch_free(reader->cairn, batch);
}

static struct check_part *part_new(struct cairn *cairn)
{
	struct check_part *part = calloc(1, sizeof *part);
	assert_non_null(part);
	part->cairn = cairn;
	check_list_init(&part->found, cairn, 1);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_init(&part->held[i], cairn, 1);
	return part;
}

static void part_free(struct check_part *part)
{
	check_list_free(&part->found);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_free(&part->held[i]);
	free(part);
}

static void check_span(struct cairn_reader *reader, struct model_span *span, void *user)
{
	struct check_part *part = part_new(reader->cairn);
	assert_true(stf_rules.begin(reader, user, part) >= 0);
	assert_true(stf_rules.span(reader, user, span, part) >= 0);
	stf_rules.drop(reader, part);
	part_free(part);
}

static void check_all(struct cairn_reader *reader, const struct cuts *cuts)
{
	struct check_part *part = part_new(reader->cairn);
	void *state = NULL;
	assert_true(stf_rules.start(reader, &state, part) >= 0);
	go_through(reader, cuts, check_span, state);
	stf_rules.state_free(reader, state);
	part_free(part);
}

/* The cursor stops behind each instruction. */
static void run_all(struct cairn_reader *reader, const struct insns *insns, const struct cuts *cuts)
{
	const struct stf_impl *im = reader->impl;
	struct stf_cursor cursor;
	struct stf_run run;
	size_t n = 0;
	stf_cursor_init(&cursor, reader);
	while (stf_cursor_next(&cursor, 1, &run) > 0) {
		if (!run.markers)
			continue; /* a span that ends within a group */
		struct place at = insns->at[n];
		step(&at, &im->header.cfg, insns->marker[n++]);
		same_place(&at, &im->header.cfg, cursor.at);
	}
	assert_int_equal(n, insns->n);
	same_place(&cuts->at[cuts->n - 1], &im->header.cfg, cursor.at);
}

static void all_follow_alike(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		static struct cuts cuts;
		static struct insns insns;
		struct bytes bytes = {0};
		uint64_t s = 88172645463325252u + round;
		head(&bytes, (struct head){.minor = round % 3 ? 6 : 4,
		                           .iem = 1 + round % 2,
		                           .narrow = round % 3 == 0});
		size_t begin = bytes.n;
		struct cairn_reader *reader = opened(cairn, &bytes);
		struct cairn_stf_config cfg = ((const struct stf_impl *)reader->impl)->header.cfg;
		struct place at = begin_of(reader);
		cairn_close(reader);
		any_groups(&bytes, &cfg, &s);
		cut_anywhere(&cuts, &bytes, &cfg, at, begin, 0, 0, &s);
		walk_insns(&insns, &bytes, &cfg, at, begin, &cuts);
		struct bytes z = container_of(cairn, &bytes, &cuts);
		for (unsigned way = 0; way < 4; way++) {
			reader = opened(cairn, &z);
			if (way == 0)
				go_through(reader, &cuts, NULL, NULL);
			else if (way == 1)
				go_through(reader, &cuts, decode_span, &insns);
			else if (way == 2)
				check_all(reader, &cuts);
			else
				run_all(reader, &insns, &cuts);
			cairn_close(reader);
		}
		bytes_free(&z);
		bytes_free(&bytes);
	}
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs_stand_where_the_obvious_walk_does),
	                                   cmocka_unit_test(scans_end_where_the_obvious_walk_does),
	                                   cmocka_unit_test(all_follow_alike)};
	return cmocka_run_group_tests_name("stf_cursor", tests, NULL, NULL);
}
