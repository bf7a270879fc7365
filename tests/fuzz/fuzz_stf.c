/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an STF trace, read in every way: batches, records, counting, a
 * run on two threads. What is asserted: every batch keeps the model's rules; all
 * ways tell the same; records side by side are the bytes of the trace; counting
 * agrees with what the batches show.
 *
 * The first byte chooses how: width of event ids, meaning of process ids,
 * reading strictly, and the packing: as it is, as a compressed stream, or cut
 * anywhere into the chunks of a container (whose index may then lie about PCs).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/fixtures.h"
#include "cairn/stf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum {
	WITH_EVENTS_32 = 1,
	WITH_EVENTS_64 = 2,
	WITH_OLD_IDS = 4,
	STRICT = 8,
	STREAM = 16,
	CHUNKS = 32,
	SMALL_HOLD = 64
};
enum { MOST_BATCHES = 100, MOST_TEXT = 64 << 20 };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* ---- packing ---- */

static void put(struct base_buf *b, const void *p, size_t n)
{
	check(base_buf_put(b, p, n) >= 0, "memory for the input");
}

static void put64(struct base_buf *b, uint64_t v)
{
	uint8_t raw[8];
	base_put_le64(raw, v);
	put(b, raw, 8);
}

/* The bytes in frames of 5 to 260 bytes. */
static void pack_chunks(struct cairn *c, const uint8_t *p, size_t n, struct base_buf *out)
{
	const struct cairn_codec *zstd = cairn_codec_find(c, "zstd");
	struct base_buf index;
	uint64_t chunks = 0;
	size_t size = n ? 5u + p[n - 1] : 5;
	base_buf_init(&index, c);
	put(out, "ZSTF", 4);
	put64(out, n > 1 ? 1u + p[n - 2] % 8u : 1);
	put64(out, 0);
	for (size_t at = 0; at < n; at += size, chunks++) {
		size_t len = n - at < size ? n - at : size;
		put64(&index, out->len);
		put64(&index, len > 8 ? base_le64(p + at) : 0);
		put64(&index, len);
		check(io_encode_frame(c, zstd, 1, p + at, len, out) >= 0, "packing");
	}
	base_put_le64(out->data + 12, out->len);
	put64(out, chunks);
	put(out, index.data, index.len);
	base_buf_free(&index);
}

static void pack(struct cairn *c, uint8_t how, const uint8_t *p, size_t n, struct base_buf *out)
{
	if (how & CHUNKS)
		pack_chunks(c, p, n, out);
	else if (how & STREAM)
		check(io_encode_frame(c, cairn_codec_find(c, "gzip"), 1, p, n, out) >= 0, "packing");
	else
		put(out, p, n);
}

/* ---- reading ---- */

struct input {
	struct cairn *c;
	struct cairn_batch *batch; /* one for all inputs: it is large */
	const uint8_t *data;
	size_t n;
	char from[64];
	int strict;
};

/* What one way of reading tells. */
struct told {
	int status;
	bool whole;   /* it came to the end */
	bool dropped; /* a slot held more than a batch takes */
	uint64_t damage, hash, bytes, executed, loads, stores, class_loads, class_stores, branches,
		taken, accesses, insns, xacts, records, by_record[256];
};

static struct cairn_reader *open_input(const struct input *in)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = in->from, .strict = in->strict};
	struct cairn_reader *r = NULL;
	if (cairn_open_memory(in->c, in->data, in->n, &opts, &r) < 0)
		check(!r && cairn_error_text(in->c)[0], "an error has a sentence");
	return r;
}

static uint64_t hash(uint64_t h, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

static void tell_insn(const struct cairn_batch *b, uint32_t i, struct told *t)
{
	const struct cairn_insn *in = &b->insns[i];
	bool load = false, store = false, branch = in->traits & CAIRN_TRAIT_BRANCH;
	for (uint32_t m = in[0].mem0; m < in[1].mem0; m++) {
		const struct cairn_mem *row = &b->mems[m];
		if (row->initiator != CAIRN_BY_INSN || (row->flags & CAIRN_VALUE_ADDR_UNKNOWN))
			continue;
		load |= row->kind == CAIRN_MEM_READ;
		store |= row->kind == CAIRN_MEM_WRITE;
	}
	t->executed += !(in->flags & CAIRN_INSN_NOT_EXECUTED);
	t->loads += load;
	t->stores += store;
	t->class_loads += (in->traits & CAIRN_TRAIT_LOAD) != 0;
	t->class_stores += (in->traits & CAIRN_TRAIT_STORE) != 0;
	t->branches += branch;
	t->taken += branch && (in->flags & CAIRN_INSN_TAKEN);
}

static void take_batch(const struct cairn_reader *r, const struct cairn_batch *b,
                       struct base_buf *text, struct told *t)
{
	const char *why = check_batch(b);
	check(!why, why ? why : "");
	text->len = 0;
	fx_print_batch(r, b, text);
	t->hash = hash(t->hash, text->data, text->len);
	t->insns += b->n_insns;
	t->xacts += b->n_xacts;
	for (uint32_t i = 0; i < b->n_insns; i++)
		tell_insn(b, i, t);
	for (uint32_t i = 0; i < b->n_mems; i++)
		t->accesses +=
			b->mems[i].initiator == CAIRN_BY_INSN && !(b->mems[i].flags & CAIRN_VALUE_ADDR_UNKNOWN);
	for (uint32_t i = 0; i < b->n_events; i++)
		t->dropped |= b->events[i].kind == CAIRN_EV_DAMAGE && b->events[i].len &&
		              memmem(b->bytes + b->events[i].args, b->events[i].len, "more values", 11);
}

static void by_batches(const struct input *in, struct told *t)
{
	struct cairn_reader *r = open_input(in);
	struct cairn_batch *b = in->batch;
	struct base_buf text;
	uint64_t batches = 0, n = 1, x = 1;
	memset(t, 0, sizeof *t);
	base_buf_init(&text, in->c);
	t->status = CAIRN_E_FORMAT;
	while (r && (t->status = cairn_next(r, b)) > 0 && batches < MOST_BATCHES) {
		check(b->n0 >= n && b->x0 >= x, "numbers ascend");
		n = b->n0 + b->n_insns;
		x = b->x0 + b->n_xacts;
		take_batch(r, b, &text, t);
		batches++;
	}
	t->whole = t->status == 0;
	t->damage = r ? cairn_damage_count(r) : 0;
	base_buf_free(&text);
	cairn_close(r);
}

static void by_records(const struct input *in, struct told *t)
{
	struct cairn_reader *r = open_input(in);
	struct cairn_record rec;
	uint64_t end = 0;
	memset(t, 0, sizeof *t);
	t->status = CAIRN_E_FORMAT;
	while (r && (t->status = cairn_next_record(r, &rec)) > 0) {
		check(rec.size > 0 && rec.n_fields <= CAIRN_MAX_FIELDS && rec.name, "a record's parts");
		check(rec.offset >= end, "records follow each other");
		if (cairn_damage_count(r) == 0) {
			check(rec.offset == end, "records lie side by side");
			check(rec.number == t->records + 1, "records are numbered");
		}
		end = rec.offset + rec.size;
		t->hash = hash(t->hash, rec.data, rec.size);
		t->bytes += rec.size;
		t->records++;
		t->by_record[rec.data[0]]++;
	}
	t->whole = t->status == 0;
	t->damage = r ? cairn_damage_count(r) : 0;
	cairn_close(r);
}

struct run {
	struct input in;
	const struct cairn_reader *r;
	struct told *t;
};
struct part {
	struct told told;
	struct base_buf text, all;
};

static int run_begin(void *user, void **partial)
{
	struct run *u = user;
	struct part *p = calloc(1, sizeof *p);
	*partial = p;
	if (!p)
		return CAIRN_E_NOMEM;
	base_buf_init(&p->text, u->in.c);
	base_buf_init(&p->all, u->in.c);
	return 0;
}

static int run_feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct run *u = user;
	struct part *p = partial;
	take_batch(u->r, b, &p->text, &p->told);
	return base_buf_put(&p->all, p->text.data, p->text.len);
}

static void run_drop(void *user, void *partial)
{
	struct part *p = partial;
	(void)user;
	base_buf_free(&p->text);
	base_buf_free(&p->all);
	free(p);
}

static int run_fold(void *user, void *partial)
{
	struct run *u = user;
	struct part *p = partial;
	u->t->hash = hash(u->t->hash, p->all.data, p->all.len);
	u->t->insns += p->told.insns;
	u->t->xacts += p->told.xacts;
	run_drop(user, partial);
	return 0;
}

static void by_run(const struct input *in, unsigned threads, struct told *t)
{
	const struct cairn_reducer red = {.size = sizeof red,
	                                  .begin = run_begin,
	                                  .feed = run_feed,
	                                  .fold = run_fold,
	                                  .drop = run_drop};
	struct cairn_reader *r = open_input(in);
	struct run u = {*in, r, t};
	memset(t, 0, sizeof *t);
	t->status = r ? cairn_run(r, &red, &u, UINT64_MAX, threads) : CAIRN_E_FORMAT;
	t->whole = t->status == 0;
	t->damage = r ? cairn_damage_count(r) : 0;
	cairn_close(r);
}

static void by_counting(const struct input *in, const struct told *batches,
                        const struct told *records)
{
	struct cairn_tally t;
	struct cairn_reader *r = open_input(in);
	if (!r)
		return;
	int status = cairn_count(r, 2, &t);
	check((status == 0) == batches->whole, "counting ends as reading does");
	if (status == 0) {
		check(cairn_damage_count(r) || !batches->damage || batches->dropped,
		      "counting sees damage");
		check(t.instructions == batches->insns, "instructions");
		check(t.transactions == batches->xacts, "transactions");
		check(t.records == records->records, "records");
		check(!memcmp(t.by_record, records->by_record, sizeof t.by_record), "records by type");
		check(t.executed == batches->executed, "executed");
		check(t.branches == batches->branches, "branches");
		check(t.branches_taken == batches->taken, "branches taken");
		check(t.class_loads == batches->class_loads, "loads by class");
		check(t.class_stores == batches->class_stores, "stores by class");
		if (!batches->dropped) {
			check(t.accesses == batches->accesses, "accesses");
			check(t.loads == (t.accesses ? batches->loads : t.class_loads), "loads");
			check(t.stores == (t.accesses ? batches->stores : t.class_stores), "stores");
		}
	}
	cairn_close(r);
}

/* Seek to numbers in the middle and at the end. */
static void by_seeking(const struct input *in, const struct told *batches)
{
	uint64_t all = batches->insns + batches->xacts;
	const uint64_t places[] = {all, all / 2 + 1};
	for (int i = 0; i < 2 && all; i++) {
		struct cairn_reader *r = open_input(in);
		struct cairn_batch *b = in->batch;
		if (r && cairn_seek(r, places[i]) >= 0 && cairn_next(r, b) > 0) {
			const char *why = check_batch(b);
			check(!why, why ? why : "");
		}
		cairn_close(r);
	}
}

static void all_ways(const struct input *in, const uint8_t *raw, size_t raw_n, bool is_raw)
{
	struct told batches, records, run;
	by_batches(in, &batches);
	if (batches.status > 0)
		return; /* very long: a bomb */
	by_records(in, &records);
	check(batches.whole == records.whole, "records end as batches do");
	if (batches.whole) {
		check(records.by_record[CAIRN_STF_INST_32] + records.by_record[CAIRN_STF_INST_16] ==
		          batches.insns,
		      "an instruction for every marker");
		if (is_raw && raw_n >= records.bytes)
			check(hash(0, raw, records.bytes) == records.hash, "records are the bytes");
		if (is_raw && !records.damage)
			check(raw_n == records.bytes, "and all of them");
	}
	for (unsigned threads = 1; threads <= 2; threads++) {
		by_run(in, threads, &run);
		check(run.whole == batches.whole, "a run ends as reading does");
		if (batches.whole) {
			check(run.hash == batches.hash, "a run gives the same");
			check(run.damage == batches.damage, "and the same damage");
		}
	}
	by_counting(in, &batches, &records);
	by_seeking(in, &batches);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n == 0)
		return 0;
	uint8_t how = data[0];
	struct cairn_opts opts = {.size = sizeof opts, .max_hold = how & SMALL_HOLD ? 4096 : 0};
	static struct cairn *keeper;
	static struct cairn_batch *batch;
	struct cairn *c = cairn_new(&opts);
	struct base_buf packed;
	if (!keeper)
		keeper = cairn_new(NULL);
	if (!batch)
		batch = cairn_batch_new(keeper);
	if (!c || !batch)
		abort();
	base_buf_init(&packed, c);
	pack(c, how, data + 1, n - 1, &packed);
	struct input in = {.c = c,
	                   .batch = batch,
	                   .data = packed.data,
	                   .n = packed.len,
	                   .strict = (how & STRICT) != 0};
	snprintf(in.from, sizeof in.from, "stf:ids=%s%s", how & WITH_OLD_IDS ? "old" : "new",
	         how & WITH_EVENTS_32   ? ",events=32"
	         : how & WITH_EVENTS_64 ? ",events=64"
	                                : "");
	bool zstf = n >= 5 && !memcmp(data + 1, "ZSTF", 4);
	all_ways(&in, data + 1, n - 1, !(how & CHUNKS) && !zstf);
	base_buf_free(&packed);
	cairn_free(c);
	return 0;
}
