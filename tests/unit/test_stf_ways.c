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
	struct cairn *c;
	int status;
	char error[256];
	uint64_t insns, damage, digest;
	char first_damage[256];
};

static void take(struct told *t, const struct cairn_batch *b)
{
	const char *why = check_batch(b);
	if (why)
		t->digest = UINT64_MAX;
	t->insns += b->n_insns;
	for (uint32_t i = 0; i < b->n_insns; i++) {
		const struct cairn_insn *in = &b->insns[i];
		uint64_t row = (b->n0 + i) * 31 + in->pc * 7 + in->enc + b->off0 + in->off +
		               (b->rec0 + in->rec) * 3 + b->ctxs[in->ctx].priv + in[1].reg0 - in[0].reg0;
		t->digest += row * row * (b->n0 + i);
	}
	for (uint32_t i = 0; i < b->n_regs; i++)
		t->digest += b->regs[i].value;
}

static struct cairn_reader *open_how(struct told *t, struct cairn *c, const struct base_buf *b,
                                     int strict)
{
	const struct cairn_open_opts o = {.size = sizeof o, .strict = strict};
	struct cairn_reader *r = NULL;
	*t = (struct told){.c = c};
	t->status = cairn_open_memory(c, b->data, b->len, &o, &r);
	return r;
}

static struct cairn_reader *open_bytes(struct told *t, struct cairn *c, const struct base_buf *b)
{
	return open_how(t, c, b, false);
}

static void close_reader(struct told *t, struct cairn_reader *r)
{
	if (t->status < 0)
		snprintf(t->error, sizeof t->error, "%s", cairn_error_text(t->c));
	t->damage = r ? cairn_damage_count(r) : 0;
	if (t->damage)
		snprintf(t->first_damage, sizeof t->first_damage, "%s", cairn_damage_text(r, 0));
	cairn_close(r);
}

static int begin(void *user, void **partial)
{
	(void)user;
	*partial = calloc(1, sizeof(struct told));
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int feed(void *user, void *partial, const struct cairn_batch *b)
{
	(void)user;
	take(partial, b);
	return 0;
}

static int fold(void *user, void *partial)
{
	struct told *t = user;
	const struct told *p = partial;
	t->insns += p->insns;
	t->digest += p->digest;
	free(partial);
	return 0;
}

static void drop(void *user, void *partial)
{
	(void)user;
	free(partial);
}

/* threads 0: by cairn_next. */
static void tell_how(struct cairn *c, const struct base_buf *b, unsigned threads, int strict,
                     struct told *t)
{
	const struct cairn_reducer red = {.size = sizeof red,
	                                  .begin = begin,
	                                  .feed = feed,
	                                  .fold = fold,
	                                  .drop = drop};
	struct cairn_reader *r = open_how(t, c, b, strict);
	if (t->status >= 0 && threads) {
		t->status = cairn_run(r, &red, t, UINT64_MAX, threads);
	} else if (t->status >= 0) {
		struct cairn_batch *batch = cairn_batch_new(c);
		while ((t->status = cairn_next(r, batch)) > 0)
			take(t, batch);
		cairn_batch_free(c, batch);
	}
	close_reader(t, r);
}

static void tell(struct cairn *c, const struct base_buf *b, unsigned threads, struct told *t)
{
	tell_how(c, b, threads, false, t);
}

static void same(const struct told *t, const struct told *first)
{
	assert_int_equal(t->status, first->status);
	assert_string_equal(t->error, first->error);
	assert_int_equal(t->insns, first->insns);
	assert_int_equal(t->digest, first->digest);
	assert_int_equal(t->damage, first->damage);
	assert_string_equal(t->first_damage, first->first_damage);
}

static void same_in_all_ways(struct cairn *c, const struct base_buf *b, struct told *first)
{
	struct cairn_tally tally;
	struct told t, strict;
	tell(c, b, 0, first);
	tell_how(c, b, 0, true, &strict);
	assert_true(first->digest != UINT64_MAX);
	for (unsigned threads = 1; threads <= 4; threads++) {
		tell(c, b, threads, &t);
		same(&t, first);
		tell_how(c, b, threads, true, &t);
		same(&t, &strict);
		struct cairn_reader *r = open_bytes(&t, c, b);
		if (r) {
			assert_int_equal(cairn_count(r, threads, &tally), first->status);
			if (first->status == 0)
				assert_int_equal(tally.instructions, first->insns);
			assert_int_equal(cairn_damage_count(r), first->damage);
		}
		cairn_close(r);
	}
}

/* A header, and so many instructions with a register each, by the thousand the mode
 * changes. */
static void big_trace(struct cairn *c, size_t insns, struct base_buf *out)
{
	struct mk_stf *m = mk_new();
	mk_usual_header(m, 6, 0x10000);
	base_buf_init(out, c);
	assert_true(base_buf_put(out, m->raw.data, m->raw.n) >= 0);
	m->raw.n = 0;
	for (size_t i = 0; i < insns; i++) {
		const uint64_t value = i, mode = i / 1000 % 2;
		if (i % 1000 == 999)
			mk_event(m, 1ull << 62, &mode, 1);
		if (i % 777 == 3)
			mk_target(m, CAIRN_STF_INST_PC_TARGET, 0x10000 + i);
		mk_reg(m, i % 32, 0x31, &value, 1);
		mk_insn(m, i % 3 ? 0x0001 : 0x00500093, i % 3 ? 2 : 4);
		m->markers = 0;
		if (m->raw.n > 60000 || i + 1 == insns) {
			assert_true(base_buf_put(out, m->raw.data, m->raw.n) >= 0);
			m->raw.n = 0;
		}
	}
	free(m);
}

static void packed(struct cairn *c, const char *codec, const void *p, size_t n,
                   struct base_buf *out)
{
	base_buf_init(out, c);
	assert_true(io_encode_frame(c, cairn_codec_find(c, codec), 1, p, n, out) >= 0);
}

/* A container of frames that end where the caller says. */
static void container(struct cairn *c, const struct base_buf *raw, uint64_t per_chunk,
                      const size_t *ends, size_t n, struct base_buf *out)
{
	uint8_t row[24] = "ZSTF";
	struct base_buf index;
	base_buf_init(out, c);
	base_buf_init(&index, c);
	base_put_le64(row + 4, per_chunk);
	assert_true(base_buf_put(out, row, 20) >= 0);
	for (size_t i = 0, at = 0; i < n; at = ends[i++]) {
		struct base_buf frame;
		packed(c, "zstd", raw->data + at, ends[i] - at, &frame);
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
	struct told t;
	struct base_buf raw, gz;
	big_trace(*state, 200000, &raw);
	packed(*state, "gzip", raw.data, raw.len, &gz);
	gz.len -= gz.len / 3;
	same_in_all_ways(*state, &gz, &t);
	assert_int_equal(t.status, 0);
	assert_int_equal(t.damage, 1);
	assert_in_range(t.insns, 60000, 180000);
	assert_non_null(strstr(t.first_damage, "gzip"));
	base_buf_free(&gz);
	raw.len -= 2; /* of the last instruction, not between two records */
	same_in_all_ways(*state, &raw, &t);
	assert_int_equal(t.insns, 199999);
	assert_int_equal(t.damage, 1);
	base_buf_free(&raw);
}

/* A chunk larger than is decompressed in one go, whose records lie across pieces. */
static void a_chunk_of_many_megabytes(void **state)
{
	struct cairn_opts opts = {.size = sizeof opts, .max_hold = 1 << 20};
	struct cairn *c = cairn_new(&opts);
	struct told plain, chunk;
	struct base_buf raw, zstf;
	(void)state;
	big_trace(c, 1500000, &raw); /* 22 MB, in pieces of 8 */
	tell(c, &raw, 0, &plain);
	assert_int_equal(plain.insns, 1500000);
	size_t end = raw.len;
	container(c, &raw, 1500000, &end, 1, &zstf);
	same_in_all_ways(c, &zstf, &chunk);
	assert_int_equal(chunk.damage, 0);
	assert_int_equal(chunk.digest, plain.digest);
	base_buf_free(&zstf);
	base_buf_free(&raw);
	cairn_free(c);
}

/* 40 MB of zeros: descriptor 0 is damage at the first byte, and little is held. */
static void a_bomb_of_zeros(void **state)
{
	struct told t;
	struct base_buf raw, zstf;
	big_trace(*state, 100, &raw);
	size_t end = raw.len + (40u << 20);
	assert_true(base_buf_reserve(&raw, 40u << 20) >= 0);
	memset(raw.data + raw.len, 0, 40u << 20);
	container(*state, &raw, 1000, &end, 1, &zstf);
	same_in_all_ways(*state, &zstf, &t);
	assert_int_equal(t.insns, 100);
	assert_int_equal(t.damage, 1);
	assert_non_null(strstr(t.first_damage, "descriptor 0x00"));
	base_buf_free(&zstf);
	base_buf_free(&raw);
}

/* A chunk in the middle is lost; numbers and PCs behind it are the index'. */
static void a_damaged_chunk_in_the_middle(void **state)
{
	struct told t;
	struct base_buf zstf;
	struct mk_stf *m = mk_new();
	mk_usual_header(m, 6, 0x1000);
	for (unsigned i = 0; i < 50; i++)
		mk_insn(m, 0x0001, 2);
	base_buf_init(&zstf, *state);
	assert_true(mk_pack(*state, m, 10, &zstf) >= 0);
	const uint8_t *row = zstf.data + zstf.len - 24 * 3; /* chunk 2's */
	memset(zstf.data + base_le64(row) + 6, 0xff, 4);
	same_in_all_ways(*state, &zstf, &t);
	assert_int_equal(t.insns, 40);
	assert_int_equal(t.damage, 1);
	assert_non_null(strstr(t.first_damage, "chunk 2"));
	struct cairn_reader *r = open_bytes(&t, *state, &zstf);
	struct cairn_batch *b = cairn_batch_new(*state);
	bool found = false, gap = false;
	while (cairn_next(r, b) > 0) {
		for (uint32_t i = 0; i < b->n_insns; i++) {
			found |= b->n0 + i == 31 && b->insns[i].pc == 0x1000 + 60;
			assert_int_equal(b->insns[i].pc, 0x1000 + 2 * (b->n0 + i - 1));
		}
		for (uint32_t i = 0; i < b->n_events; i++)
			gap |= b->events[i].kind == CAIRN_EV_GAP && b->events[i].code == 10;
	}
	assert_true(found && gap);
	cairn_batch_free(*state, b);
	cairn_close(r);
	base_buf_free(&zstf);
	free(m);
}

/* Groups cut by chunks: state that a group sets is not lost on any way. */
static void chunks_that_end_within_a_group(void **state)
{
	const uint64_t modes[] = {1, 0, 3};
	struct mk_stf *m = mk_new();
	mk_usual_header(m, 5, 0x1000);
	for (unsigned i = 0; i < 20; i++) {
		const uint64_t mode = modes[i % 3];
		mk_process(m, i, i, i);
		mk_event(m, 1ull << 62, &mode, 1);
		if (i % 4 == 1)
			mk_force_pc(m, 0x4000u * i);
		mk_event(m, 1ull << 62, &modes[(i + 1) % 3], 1);
		mk_target(m, i % 2 ? CAIRN_STF_INST_PC_TARGET : CAIRN_STF_EVENT_PC_TARGET, 0x2000u * i);
		if (i % 5 == 2)
			mk_force_pc(m, 0x5000u * i);
		mk_insn(m, 0x0001, 2);
		mk_insn(m, 0x00000013, 4);
	}
	struct base_buf raw = {.c = *state, .data = m->raw.data, .len = m->raw.n};
	for (size_t step = 7; step < 200; step++) {
		size_t ends[200], n = 0;
		for (size_t at = step; at < raw.len && n < 199; at += step)
			ends[n++] = at;
		ends[n++] = raw.len;
		struct told t;
		struct base_buf zstf;
		container(*state, &raw, 1, ends, n, &zstf);
		/* Its header does not end within the first chunk, or it does: both can be. */
		struct cairn_reader *r = open_bytes(&t, *state, &zstf);
		cairn_close(r);
		if (r) {
			struct told first;
			tell(*state, &zstf, 0, &first);
			for (unsigned threads = 1; threads <= 3; threads++) {
				tell(*state, &zstf, threads, &t);
				assert_int_equal(t.digest, first.digest);
				assert_int_equal(t.insns, first.insns);
				assert_int_equal(t.damage, first.damage);
			}
		}
		base_buf_free(&zstf);
	}
	free(m);
}

/* Records of a sound container are no damage, whoever follows the PC. */
static void records_of_a_container(void **state)
{
	struct mk_stf *m = mk_new();
	mk_usual_header(m, 6, 0x1000);
	for (unsigned i = 0; i < 50; i++) {
		if (i % 7 == 3)
			mk_target(m, CAIRN_STF_INST_PC_TARGET, 0x1000u * i);
		mk_insn(m, 0x0001, 2);
	}
	struct base_buf zstf;
	struct told t;
	base_buf_init(&zstf, *state);
	assert_true(mk_pack(*state, m, 10, &zstf) >= 0);
	struct cairn_reader *r = open_bytes(&t, *state, &zstf);
	struct cairn_record rec;
	size_t at = 0;
	while (cairn_next_record(r, &rec) > 0) {
		assert_int_equal(rec.offset, at);
		assert_memory_equal(rec.data, m->raw.data + at, rec.size);
		at += rec.size;
	}
	assert_int_equal(at, m->raw.n);
	assert_int_equal(cairn_damage_count(r), 0);
	cairn_close(r);
	base_buf_free(&zstf);
	free(m);
}

/* A slot with more than a batch takes says so, and only the excess is lost. */
static void a_crowded_slot(void **state)
{
	enum { EVENTS = 9000 };
	struct mk_stf *m = mk_new();
	struct base_buf raw;
	struct told t;
	const uint64_t data[4] = {1, 2, 3, 4};
	mk_usual_header(m, 6, 0x1000);
	base_buf_init(&raw, *state);
	for (unsigned i = 0; i < EVENTS; i++) {
		mk_event(m, (1ull << 62) + 5, data, 4);
		mk_process(m, i, i, i);
		if (i % 500 == 499) {
			assert_true(base_buf_put(&raw, m->raw.data, m->raw.n) >= 0);
			m->raw.n = 0;
		}
	}
	mk_insn(m, 0x0001, 2);
	mk_process(m, 9, 9, 9);
	mk_insn(m, 0x0001, 2);
	assert_true(base_buf_put(&raw, m->raw.data, m->raw.n) >= 0);
	struct cairn_reader *r = open_bytes(&t, *state, &raw);
	struct cairn_batch *b = cairn_batch_new(*state);
	assert_int_equal(cairn_next(r, b), 1);
	assert_null(check_batch(b));
	assert_int_equal(b->n_insns, 1);
	assert_in_range(b->n_events, CAIRN_CAP_EVENTS / 2, CAIRN_CAP_EVENTS);
	const struct cairn_event *last = &b->events[b->n_events - 1];
	assert_int_equal(last->kind, CAIRN_EV_DAMAGE);
	assert_non_null(memmem(b->bytes + last->args, last->len, "more values than a batch", 24));
	assert_int_equal(b->ctxs[b->insns[0].ctx].pid, EVENTS - 1);
	assert_int_equal(cairn_next(r, b), 1);
	assert_int_equal(b->n_insns, 1);
	assert_int_equal(b->ctxs[b->insns[0].ctx].pid, 9);
	assert_int_equal(cairn_next(r, b), 0);
	assert_int_equal(cairn_damage_count(r), 1);
	cairn_batch_free(*state, b);
	cairn_close(r);
	base_buf_free(&raw);
	free(m);
}

/* A transaction's dependencies stay its own when something stands between them. */
static void dependencies_with_a_comment_between(void **state)
{
	struct mk_stf *m = mk_new();
	struct fx_bytes *p = &m->raw;
	struct told t;
	mk_begin(m, 5);
	mk_features(m, CAIRN_STF_F_TRANSACTIONS);
	fx_be(p, 2, 0x0b01);
	fx_be(p, 4, 0x0c010300);
	fx_put(p, "cpu", 3);
	mk_end_header(m);
	for (unsigned i = 1; i <= 3; i++) {
		fx_le(p, 1, CAIRN_STF_TRANSACTION_DEPENDENCY);
		fx_le(p, 8, 10 * i);
		fx_le(p, 8, i);
		fx_le(p, 1, 1);
		mk_text(m, CAIRN_STF_COMMENT, "something that lies between");
	}
	mk_xact(m, 7, 1, 1);
	fx_le(p, 1, 5);
	fx_le(p, 8, 0x99);
	mk_xact_end(m);
	struct base_buf raw = {.c = *state, .data = p->data, .len = p->n};
	struct cairn_reader *r = open_bytes(&t, *state, &raw);
	struct cairn_batch *b = cairn_batch_new(*state);
	assert_int_equal(cairn_next(r, b), 1);
	assert_null(check_batch(b));
	assert_int_equal(b->n_xacts, 1);
	assert_int_equal(b->xacts[0].n_deps, 3);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t row[3];
		memcpy(row, b->bytes + b->xacts[0].deps + 24 * i, 24);
		assert_int_equal(row[0], 10 * (i + 1));
		assert_int_equal(row[1], i + 1);
	}
	cairn_batch_free(*state, b);
	cairn_close(r);
	free(m);
}

/* A record that cannot be held: what came before it is delivered first. */
static void a_record_larger_than_is_held(void **state)
{
	struct cairn_opts opts = {.size = sizeof opts, .max_hold = 1 << 16};
	struct cairn *c = cairn_new(&opts);
	struct base_buf raw, gz;
	struct told t;
	(void)state;
	big_trace(c, 500, &raw);
	size_t size = 6u << 20;
	uint8_t head[5] = {CAIRN_STF_COMMENT};
	base_put_le32(head + 1, (uint32_t)size);
	assert_true(base_buf_put(&raw, head, 5) >= 0);
	assert_true(base_buf_reserve(&raw, size) >= 0);
	memset(raw.data + raw.len, 'x', size);
	raw.len += size;
	packed(c, "gzip", raw.data, raw.len, &gz);
	tell(c, &gz, 0, &t);
	assert_int_equal(t.status, CAIRN_E_LIMIT);
	assert_int_equal(t.insns, 500);
	tell(c, &gz, 3, &t);
	assert_int_equal(t.status, CAIRN_E_LIMIT);
	base_buf_free(&gz);
	base_buf_free(&raw);
	cairn_free(c);
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
		cmocka_unit_test(dependencies_with_a_comment_between),
		cmocka_unit_test(a_record_larger_than_is_held),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
