/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STF traces too large for a fixture's text, and broken ones: mapped, as a
 * stream, as containers; by batches, records, counting and runs. What is told
 * must not depend on the way.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cairn/stf.h"
#include "fixtures/fixtures.h"
#include "fixtures/random_traces.h"
#include "fixtures/stf_maker.h"

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

/* What a way tells: sums that do not depend on order within, and a digest that does. */
struct told {
	struct cairn *cairn;
	int status;
	char error[256];
	uint64_t insns, damage, digest;
	char first_damage[256];
};

static void take(struct told *told, const struct cairn_batch *batch)
{
	const char *why = check_batch(batch);
	if (why)
		told->digest = UINT64_MAX;
	told->insns += batch->n_insns;
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		const struct cairn_insn *in = &batch->insns[i];
		uint64_t row = (batch->n0 + i) * 31 + in->pc * 7 + in->enc + batch->off0 + in->off +
		               (batch->rec0 + in->rec) * 3 + batch->ctxs[in->ctx].priv + in[1].reg0 -
		               in[0].reg0;
		told->digest += row * row * (batch->n0 + i);
	}
	for (uint32_t i = 0; i < batch->n_regs; i++)
		told->digest += batch->regs[i].value;
	for (uint32_t i = 0; i < batch->n_mems; i++)
		told->digest += batch->mems[i].addr * 5 + batch->mems[i].words;
	for (uint32_t i = 0; i < batch->n_events; i++)
		if (batch->events[i].kind != CAIRN_EV_DAMAGE) /* its sentence names the place */
			told->digest += batch->events[i].kind * 3 + batch->events[i].len;
}

static struct cairn_reader *open_how(struct told *told, struct cairn *cairn,
                                     const struct base_buf *buf, int strict)
{
	const struct cairn_open_opts opts = {.size = sizeof opts, .strict = strict};
	struct cairn_reader *reader = NULL;
	*told = (struct told){.cairn = cairn};
	told->status = cairn_open_memory(cairn, buf->data, buf->len, &opts, &reader);
	return reader;
}

static struct cairn_reader *open_bytes(struct told *told, struct cairn *cairn,
                                       const struct base_buf *buf)
{
	return open_how(told, cairn, buf, false);
}

static void close_reader(struct told *told, struct cairn_reader *reader)
{
	if (told->status < 0)
		snprintf(told->error, sizeof told->error, "%s", cairn_error_text(told->cairn));
	told->damage = reader ? cairn_damage_count(reader) : 0;
	if (told->damage)
		snprintf(told->first_damage, sizeof told->first_damage, "%s", cairn_damage_text(reader, 0));
	cairn_close(reader);
}

static int begin(void *user, void **partial)
{
	(void)user;
	*partial = calloc(1, sizeof(struct told));
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int feed(void *user, void *partial, const struct cairn_batch *batch)
{
	(void)user;
	take(partial, batch);
	return 0;
}

static int fold(void *user, void *partial)
{
	struct told *told = user;
	const struct told *p = partial;
	told->insns += p->insns;
	told->digest += p->digest;
	free(partial);
	return 0;
}

static void drop(void *user, void *partial)
{
	(void)user;
	free(partial);
}

/* threads 0: by cairn_next. */
static void tell_how(struct cairn *cairn, const struct base_buf *buf, unsigned threads, int strict,
                     struct told *told)
{
	const struct cairn_reducer red = {.size = sizeof red,
	                                  .begin = begin,
	                                  .feed = feed,
	                                  .fold = fold,
	                                  .drop = drop};
	struct cairn_reader *reader = open_how(told, cairn, buf, strict);
	if (told->status >= 0 && threads) {
		told->status = cairn_run(reader, &red, told, UINT64_MAX, threads);
	} else if (told->status >= 0) {
		struct cairn_batch *batch = cairn_batch_new(cairn);
		while ((told->status = cairn_next(reader, batch)) > 0)
			take(told, batch);
		cairn_batch_free(cairn, batch);
	}
	close_reader(told, reader);
}

static void tell(struct cairn *cairn, const struct base_buf *buf, unsigned threads,
                 struct told *told)
{
	tell_how(cairn, buf, threads, false, told);
}

static void same(const struct told *told, const struct told *first)
{
	assert_int_equal(told->status, first->status);
	assert_string_equal(told->error, first->error);
	assert_int_equal(told->insns, first->insns);
	assert_int_equal(told->digest, first->digest);
	assert_int_equal(told->damage, first->damage);
	assert_string_equal(told->first_damage, first->first_damage);
}

static void same_in_all_ways(struct cairn *cairn, const struct base_buf *buf, struct told *first)
{
	struct cairn_tally tally = {.size = sizeof tally};
	struct told told, strict;
	tell(cairn, buf, 0, first);
	tell_how(cairn, buf, 0, true, &strict);
	assert_true(first->digest != UINT64_MAX);
	for (unsigned threads = 1; threads <= 4; threads++) {
		tell(cairn, buf, threads, &told);
		same(&told, first);
		tell_how(cairn, buf, threads, true, &told);
		same(&told, &strict);
		struct cairn_reader *reader = open_bytes(&told, cairn, buf);
		if (reader) {
			assert_int_equal(cairn_count(reader, threads, &tally), first->status);
			if (first->status == 0)
				assert_int_equal(tally.instructions, first->insns);
			assert_int_equal(cairn_damage_count(reader), first->damage);
		}
		cairn_close(reader);
	}
}

/* A header, and so many instructions with a register each, by the thousand the mode
 * changes. */
static void big_trace(struct cairn *cairn, size_t insns, struct base_buf *out)
{
	struct mk_stf *stf = mk_new();
	mk_usual_header(stf, 6, 0x10000);
	base_buf_init(out, cairn);
	assert_true(base_buf_put(out, stf->raw.data, stf->raw.n) >= 0);
	stf->raw.n = 0;
	for (size_t i = 0; i < insns; i++) {
		const uint64_t value = i, mode = i / 1000 % 2;
		if (i % 1000 == 999)
			mk_event(stf, 1ull << 62, &mode, 1);
		if (i % 777 == 3)
			mk_target(stf, CAIRN_STF_INST_PC_TARGET, 0x10000 + i);
		mk_reg(stf, i % 32, 0x31, &value, 1);
		mk_insn(stf, i % 3 ? 0x0001 : 0x00500093, i % 3 ? 2 : 4);
		stf->markers = 0;
		if (stf->raw.n > 60000 || i + 1 == insns) {
			assert_true(base_buf_put(out, stf->raw.data, stf->raw.n) >= 0);
			stf->raw.n = 0;
		}
	}
	free(stf);
}

static void packed(struct cairn *cairn, const char *codec, const void *p, size_t n,
                   struct base_buf *out)
{
	base_buf_init(out, cairn);
	assert_true(io_encode_frame(cairn, cairn_codec_find(cairn, codec), 1, p, n, out) >= 0);
}

/* A container of frames that end where the caller says. */
static void container(struct cairn *cairn, const struct base_buf *raw, uint64_t per_chunk,
                      const size_t *ends, size_t n, struct base_buf *out)
{
	uint8_t row[24] = "ZSTF";
	struct base_buf index;
	base_buf_init(out, cairn);
	base_buf_init(&index, cairn);
	base_put_le64(row + 4, per_chunk);
	assert_true(base_buf_put(out, row, 20) >= 0);
	for (size_t i = 0, at = 0; i < n; at = ends[i++]) {
		struct base_buf frame;
		packed(cairn, "zstd", raw->data + at, ends[i] - at, &frame);
		base_put_le64(row, out->len);
		base_put_le64(row + 8, 0);
		base_put_le64(row + 16, ends[i] - at);
		assert_true(base_buf_put(&index, row, 24) >= 0);
		assert_true(base_buf_put(out, frame.data, frame.len) >= 0);
		base_buf_free(&frame);
	}
	base_put_le64(out->data + 12, out->len);
	base_put_le64(row, n);
	assert_true(base_buf_put(out, row, 8) >= 0);
	assert_true(base_buf_put(out, index.data, index.len) >= 0);
	base_buf_free(&index);
}

static void a_large_trace_mapped_and_as_a_stream(void **state)
{
	struct told mapped, stream;
	struct base_buf raw, gz;
	big_trace(*state, 400000, &raw); /* 6 MB: several pieces */
	same_in_all_ways(*state, &raw, &mapped);
	assert_int_equal(mapped.insns, 400000);
	assert_int_equal(mapped.damage, 0);
	packed(*state, "gzip", raw.data, raw.len, &gz);
	same_in_all_ways(*state, &gz, &stream);
	assert_int_equal(stream.digest, mapped.digest);
	base_buf_free(&gz);
	base_buf_free(&raw);
}

/* Nothing behind it is read, whatever lies there. */
static void damage_ends_a_raw_trace(void **state)
{
	struct told mapped, stream;
	struct base_buf raw, gz;
	static const size_t places[] = {300, 100000, 1100000, 5000000};
	big_trace(*state, 400000, &raw);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		size_t at = places[i];
		/* The next record's descriptor. */
		while (memcmp(raw.data + at, "\x28", 1) || raw.data[at + 3] != 0x31)
			at++;
		raw.data[at] = 0xfe;
		same_in_all_ways(*state, &raw, &mapped);
		assert_int_equal(mapped.status, 0);
		assert_int_equal(mapped.damage, 1);
		assert_in_range(mapped.insns, 1, 399999);
		assert_non_null(strstr(mapped.first_damage, "no record has descriptor 0xfe"));
		packed(*state, "gzip", raw.data, raw.len, &gz);
		same_in_all_ways(*state, &gz, &stream);
		assert_int_equal(stream.digest, mapped.digest);
		assert_string_equal(stream.first_damage, mapped.first_damage);
		base_buf_free(&gz);
		raw.data[at] = 0x28;
	}
	base_buf_free(&raw);
}

/* What came before a codec's damage is delivered, and a truncated record told. */
static void a_stream_that_breaks_off(void **state)
{
	struct told told;
	struct base_buf raw, gz;
	big_trace(*state, 200000, &raw);
	packed(*state, "gzip", raw.data, raw.len, &gz);
	gz.len -= gz.len / 3;
	same_in_all_ways(*state, &gz, &told);
	assert_int_equal(told.status, 0);
	assert_int_equal(told.damage, 1);
	assert_in_range(told.insns, 60000, 180000);
	assert_non_null(strstr(told.first_damage, "gzip"));
	base_buf_free(&gz);
	raw.len -= 2; /* of the last instruction, not between two records */
	same_in_all_ways(*state, &raw, &told);
	assert_int_equal(told.insns, 199999);
	assert_int_equal(told.damage, 1);
	base_buf_free(&raw);
}

/* A chunk larger than is decompressed in one go, whose records lie across pieces. */
static void a_chunk_of_many_megabytes(void **state)
{
	struct cairn_opts opts = {.size = sizeof opts, .max_hold = 1 << 20};
	struct cairn *cairn = cairn_new(&opts);
	struct told plain, chunk;
	struct base_buf raw, zstf;
	(void)state;
	big_trace(cairn, 1500000, &raw); /* 22 MB, in pieces of 8 */
	tell(cairn, &raw, 0, &plain);
	assert_int_equal(plain.insns, 1500000);
	size_t end = raw.len;
	container(cairn, &raw, 1500000, &end, 1, &zstf);
	same_in_all_ways(cairn, &zstf, &chunk);
	assert_int_equal(chunk.damage, 0);
	assert_int_equal(chunk.digest, plain.digest);
	base_buf_free(&zstf);
	base_buf_free(&raw);
	cairn_free(cairn);
}

/* 40 MB of zeros: descriptor 0 is damage at the first byte, and little is held. */
static void a_bomb_of_zeros(void **state)
{
	struct told told;
	struct base_buf raw, zstf;
	big_trace(*state, 100, &raw);
	size_t end = raw.len + (40u << 20);
	assert_true(base_buf_reserve(&raw, 40u << 20) >= 0);
	memset(raw.data + raw.len, 0, 40u << 20);
	container(*state, &raw, 1000, &end, 1, &zstf);
	same_in_all_ways(*state, &zstf, &told);
	assert_int_equal(told.insns, 100);
	assert_int_equal(told.damage, 1);
	assert_non_null(strstr(told.first_damage, "descriptor 0x00"));
	base_buf_free(&zstf);
	base_buf_free(&raw);
}

/* A chunk in the middle is lost; numbers and PCs behind it are the index'. */
static void a_damaged_chunk_in_the_middle(void **state)
{
	struct told told;
	struct base_buf zstf;
	struct mk_stf *stf = mk_new();
	mk_usual_header(stf, 6, 0x1000);
	for (unsigned i = 0; i < 50; i++)
		mk_insn(stf, 0x0001, 2);
	base_buf_init(&zstf, *state);
	assert_true(mk_pack(*state, stf, 10, &zstf) >= 0);
	const uint8_t *row = zstf.data + zstf.len - 24 * 3; /* chunk 2's */
	memset(zstf.data + base_le64(row) + 6, 0xff, 4);
	same_in_all_ways(*state, &zstf, &told);
	assert_int_equal(told.insns, 40);
	assert_int_equal(told.damage, 1);
	assert_non_null(strstr(told.first_damage, "chunk 2"));
	struct cairn_reader *reader = open_bytes(&told, *state, &zstf);
	struct cairn_batch *batch = cairn_batch_new(*state);
	bool found = false, gap = false;
	while (cairn_next(reader, batch) > 0) {
		for (uint32_t i = 0; i < batch->n_insns; i++) {
			found |= batch->n0 + i == 31 && batch->insns[i].pc == 0x1000 + 60;
			assert_int_equal(batch->insns[i].pc, 0x1000 + 2 * (batch->n0 + i - 1));
		}
		for (uint32_t i = 0; i < batch->n_events; i++)
			gap |= batch->events[i].kind == CAIRN_EV_GAP && batch->events[i].code == 10;
	}
	assert_true(found && gap);
	cairn_batch_free(*state, batch);
	cairn_close(reader);
	base_buf_free(&zstf);
	free(stf);
}

/* Groups cut by chunks: state that a group sets is not lost on any way. */
static void chunks_that_end_within_a_group(void **state)
{
	const uint64_t modes[] = {1, 0, 3};
	struct mk_stf *stf = mk_new();
	mk_usual_header(stf, 5, 0x1000);
	for (unsigned i = 0; i < 20; i++) {
		const uint64_t mode = modes[i % 3];
		mk_process(stf, i, i, i);
		mk_event(stf, 1ull << 62, &mode, 1);
		if (i % 4 == 1)
			mk_force_pc(stf, 0x4000u * i);
		mk_event(stf, 1ull << 62, &modes[(i + 1) % 3], 1);
		mk_target(stf, i % 2 ? CAIRN_STF_INST_PC_TARGET : CAIRN_STF_EVENT_PC_TARGET, 0x2000u * i);
		if (i % 5 == 2)
			mk_force_pc(stf, 0x5000u * i);
		mk_insn(stf, 0x0001, 2);
		mk_insn(stf, 0x00000013, 4);
	}
	struct base_buf raw = {.cairn = *state, .data = stf->raw.data, .len = stf->raw.n};
	for (size_t step = 7; step < 200; step++) {
		size_t ends[200], n = 0;
		for (size_t at = step; at < raw.len && n < 199; at += step)
			ends[n++] = at;
		ends[n++] = raw.len;
		struct told told;
		struct base_buf zstf;
		container(*state, &raw, 1, ends, n, &zstf);
		/* Its header does not end within the first chunk, or it does: both can be. */
		struct cairn_reader *reader = open_bytes(&told, *state, &zstf);
		cairn_close(reader);
		if (reader) {
			struct told first;
			tell(*state, &zstf, 0, &first);
			for (unsigned threads = 1; threads <= 3; threads++) {
				tell(*state, &zstf, threads, &told);
				assert_int_equal(told.digest, first.digest);
				assert_int_equal(told.insns, first.insns);
				assert_int_equal(told.damage, first.damage);
			}
		}
		base_buf_free(&zstf);
	}
	free(stf);
}

/* Records of a sound container are no damage, whoever follows the PC. */
static void records_of_a_container(void **state)
{
	struct mk_stf *stf = mk_new();
	mk_usual_header(stf, 6, 0x1000);
	for (unsigned i = 0; i < 50; i++) {
		if (i % 7 == 3)
			mk_target(stf, CAIRN_STF_INST_PC_TARGET, 0x1000u * i);
		mk_insn(stf, 0x0001, 2);
	}
	struct base_buf zstf;
	struct told told;
	base_buf_init(&zstf, *state);
	assert_true(mk_pack(*state, stf, 10, &zstf) >= 0);
	struct cairn_reader *reader = open_bytes(&told, *state, &zstf);
	struct cairn_record rec;
	size_t at = 0;
	while (cairn_next_record(reader, &rec) > 0) {
		assert_int_equal(rec.offset, at);
		assert_memory_equal(rec.data, stf->raw.data + at, rec.size);
		at += rec.size;
	}
	assert_int_equal(at, stf->raw.n);
	assert_int_equal(cairn_damage_count(reader), 0);
	cairn_close(reader);
	base_buf_free(&zstf);
	free(stf);
}

/* A slot with more than a batch takes says so, and only the excess is lost. */
static void a_crowded_slot(void **state)
{
	enum { EVENTS = 9000 };
	struct mk_stf *stf = mk_new();
	struct base_buf raw;
	struct told told;
	const uint64_t data[4] = {1, 2, 3, 4};
	mk_usual_header(stf, 6, 0x1000);
	base_buf_init(&raw, *state);
	for (unsigned i = 0; i < EVENTS; i++) {
		mk_event(stf, (1ull << 62) + 5, data, 4);
		mk_process(stf, i, i, i);
		if (i % 500 == 499) {
			assert_true(base_buf_put(&raw, stf->raw.data, stf->raw.n) >= 0);
			stf->raw.n = 0;
		}
	}
	mk_insn(stf, 0x0001, 2);
	mk_process(stf, 9, 9, 9);
	mk_insn(stf, 0x0001, 2);
	assert_true(base_buf_put(&raw, stf->raw.data, stf->raw.n) >= 0);
	struct cairn_reader *reader = open_bytes(&told, *state, &raw);
	struct cairn_batch *batch = cairn_batch_new(*state);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_null(check_batch(batch));
	assert_int_equal(batch->n_insns, 1);
	assert_in_range(batch->n_events, CAIRN_CAP_EVENTS / 2 - 4, CAIRN_CAP_EVENTS / 2);
	const struct cairn_event *last = &batch->events[batch->n_events - 1];
	assert_int_equal(last->kind, CAIRN_EV_DAMAGE);
	assert_non_null(memmem(batch->bytes + last->args, last->len, "more values than a batch", 24));
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].pid, EVENTS - 1);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n_insns, 1);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].pid, 9);
	assert_int_equal(cairn_next(reader, batch), 0);
	assert_int_equal(cairn_damage_count(reader), 1);
	cairn_batch_free(*state, batch);
	cairn_close(reader);
	base_buf_free(&raw);
	free(stf);
}

/* What a slot has beyond half of a batch's rows is left out, whatever its batch holds before it:
 * so it does not matter where reading begins. */
static void crowded_slots_in_all_ways(void **state)
{
	enum { SLOTS = 300, PIECE = 60000 };
	static const unsigned most[] = {CAIRN_CAP_REGS, CAIRN_CAP_MEMS, CAIRN_CAP_EVENTS};
	struct mk_stf *stf = mk_new();
	struct base_buf raw, zstf;
	struct told first, told;
	size_t ends[SLOTS / 2];
	uint64_t seed = 7;
	base_buf_init(&raw, *state);
	mk_usual_header(stf, 6, 0x1000);
	for (unsigned i = 0; i < SLOTS; i++) {
		unsigned kind = random_below(&seed, 3);
		unsigned rows =
			random_below(&seed, 10) ? random_below(&seed, 900) : random_below(&seed, most[kind]);
		for (uint64_t k = 0; k < rows; k++) {
			if (kind == 0)
				mk_reg(stf, k % 32, 0x31, &k, 1);
			else if (kind == 1)
				mk_access(stf, k, 8, 1);
			else
				mk_event(stf, (1ull << 62) + 5, &k, 1);
			if (kind == 1 && k % 3 == 0)
				mk_content(stf, CAIRN_STF_INST_MEM_CONTENT, k);
			if (stf->raw.n > PIECE) {
				assert_true(base_buf_put(&raw, stf->raw.data, stf->raw.n) >= 0);
				stf->raw.n = 0;
			}
		}
		mk_insn(stf, 0x0001, 2);
		stf->markers = 0;
		assert_true(base_buf_put(&raw, stf->raw.data, stf->raw.n) >= 0);
		stf->raw.n = 0;
		ends[i / 2] = raw.len;
	}
	container(*state, &raw, 2, ends, SLOTS / 2, &zstf);
	tell(*state, &raw, 0, &first);
	assert_int_equal(first.insns, SLOTS);
	assert_true(first.damage > 1 && first.damage < SLOTS / 10);
	for (unsigned threads = 1; threads <= 4; threads++) {
		tell(*state, &raw, threads, &told);
		assert_int_equal(told.digest, first.digest);
		assert_int_equal(told.damage, first.damage);
		tell(*state, &zstf, threads, &told); /* its index tells no PCs, which is damage, too */
		assert_int_equal(told.digest, first.digest);
		assert_int_equal(told.damage, first.damage + 1);
	}
	base_buf_free(&zstf);
	base_buf_free(&raw);
	free(stf);
}

/* A transaction's dependencies stay its own when something stands between them. */
static void dependencies_with_a_comment_between(void **state)
{
	struct mk_stf *stf = mk_new();
	struct fx_bytes *bytes = &stf->raw;
	struct told told;
	mk_begin(stf, 5);
	mk_features(stf, CAIRN_STF_F_TRANSACTIONS);
	fx_be(bytes, 2, 0x0b01);
	fx_be(bytes, 4, 0x0c010300);
	fx_put(bytes, "cpu", 3);
	mk_end_header(stf);
	for (unsigned i = 1; i <= 3; i++) {
		fx_le(bytes, 1, CAIRN_STF_TRANSACTION_DEPENDENCY);
		fx_le(bytes, 8, 10 * i);
		fx_le(bytes, 8, i);
		fx_le(bytes, 1, 1);
		mk_text(stf, CAIRN_STF_COMMENT, "something that lies between");
	}
	mk_xact(stf, 7, 1, 1);
	fx_le(bytes, 1, 5);
	fx_le(bytes, 8, 0x99);
	mk_xact_end(stf);
	struct base_buf raw = {.cairn = *state, .data = bytes->data, .len = bytes->n};
	struct cairn_reader *reader = open_bytes(&told, *state, &raw);
	struct cairn_batch *batch = cairn_batch_new(*state);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_null(check_batch(batch));
	assert_int_equal(batch->n_xacts, 1);
	assert_int_equal(batch->xacts[0].n_deps, 3);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t row[3];
		memcpy(row, batch->bytes + batch->xacts[0].deps + 24 * i, 24);
		assert_int_equal(row[0], 10 * (i + 1));
		assert_int_equal(row[1], i + 1);
	}
	cairn_batch_free(*state, batch);
	cairn_close(reader);
	free(stf);
}

/* A record that cannot be held: what came before it is delivered first. */
static void a_record_larger_than_is_held(void **state)
{
	struct cairn_opts opts = {.size = sizeof opts, .max_hold = 1 << 16};
	struct cairn *cairn = cairn_new(&opts);
	struct base_buf raw, gz;
	struct told told;
	(void)state;
	big_trace(cairn, 500, &raw);
	size_t size = 6u << 20;
	uint8_t head[5] = {CAIRN_STF_COMMENT};
	base_put_le32(head + 1, (uint32_t)size);
	assert_true(base_buf_put(&raw, head, 5) >= 0);
	assert_true(base_buf_reserve(&raw, size) >= 0);
	memset(raw.data + raw.len, 'x', size);
	raw.len += size;
	packed(cairn, "gzip", raw.data, raw.len, &gz);
	tell(cairn, &gz, 0, &told);
	assert_int_equal(told.status, CAIRN_E_LIMIT);
	assert_int_equal(told.insns, 500);
	tell(cairn, &gz, 3, &told);
	assert_int_equal(told.status, CAIRN_E_LIMIT);
	base_buf_free(&gz);
	base_buf_free(&raw);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_trace_mapped_and_as_a_stream),
		cmocka_unit_test(damage_ends_a_raw_trace),
		cmocka_unit_test(a_stream_that_breaks_off),
		cmocka_unit_test(a_chunk_of_many_megabytes),
		cmocka_unit_test(a_bomb_of_zeros),
		cmocka_unit_test(a_damaged_chunk_in_the_middle),
		cmocka_unit_test(chunks_that_end_within_a_group),
		cmocka_unit_test(records_of_a_container),
		cmocka_unit_test(a_crowded_slot),
		cmocka_unit_test(crowded_slots_in_all_ways),
		cmocka_unit_test(dependencies_with_a_comment_between),
		cmocka_unit_test(a_record_larger_than_is_held),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
