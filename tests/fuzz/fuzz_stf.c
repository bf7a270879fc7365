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

static void put(struct base_buf *buf, const void *p, size_t n)
{
	check(base_buf_put(buf, p, n) >= 0, "memory for the input");
}

static void put64(struct base_buf *buf, uint64_t value)
{
	uint8_t raw[8];
	base_put_le64(raw, value);
	put(buf, raw, 8);
}

/* The bytes in frames of 5 to 260 bytes. */
static void pack_chunks(struct cairn *cairn, const uint8_t *p, size_t n, struct base_buf *out)
{
	const struct cairn_codec *zstd = cairn_codec_find(cairn, "zstd");
	struct base_buf index;
	uint64_t chunks = 0;
	size_t size = n ? 5u + p[n - 1] : 5;
	base_buf_init(&index, cairn);
	put(out, "ZSTF", 4);
	put64(out, n > 1 ? 1u + p[n - 2] % 8u : 1);
	put64(out, 0);
	for (size_t at = 0; at < n; at += size, chunks++) {
		size_t len = n - at < size ? n - at : size;
		put64(&index, out->len);
		put64(&index, len > 8 ? base_le64(p + at) : 0);
		put64(&index, len);
		check(io_encode_frame(cairn, zstd, 1, p + at, len, out) >= 0, "packing");
	}
	base_put_le64(out->data + 12, out->len);
	put64(out, chunks);
	put(out, index.data, index.len);
	base_buf_free(&index);
}

static void pack(struct cairn *cairn, uint8_t how, const uint8_t *p, size_t n, struct base_buf *out)
{
	if (how & CHUNKS)
		pack_chunks(cairn, p, n, out);
	else if (how & STREAM)
		check(io_encode_frame(cairn, cairn_codec_find(cairn, "gzip"), 1, p, n, out) >= 0,
		      "packing");
	else
		put(out, p, n);
}

/* ---- reading ---- */

struct input {
	struct cairn *cairn;
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
	struct cairn_reader *reader = NULL;
	if (cairn_open_memory(in->cairn, in->data, in->n, &opts, &reader) < 0)
		check(!reader && cairn_error_text(in->cairn)[0], "an error has a sentence");
	return reader;
}

static uint64_t hash(uint64_t h, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

static void tell_insn(const struct cairn_batch *batch, uint32_t index, struct told *told)
{
	const struct cairn_insn *in = &batch->insns[index];
	bool load = false, store = false, branch = in->traits & CAIRN_TRAIT_BRANCH;
	for (uint32_t m = in[0].mem0; m < in[1].mem0; m++) {
		const struct cairn_mem *row = &batch->mems[m];
		if (row->initiator != CAIRN_BY_INSN || (row->flags & CAIRN_VALUE_ADDR_UNKNOWN))
			continue;
		load |= row->kind == CAIRN_MEM_READ;
		store |= row->kind == CAIRN_MEM_WRITE;
	}
	told->executed += !(in->flags & CAIRN_INSN_NOT_EXECUTED);
	told->loads += load;
	told->stores += store;
	told->class_loads += (in->traits & CAIRN_TRAIT_LOAD) != 0;
	told->class_stores += (in->traits & CAIRN_TRAIT_STORE) != 0;
	told->branches += branch;
	told->taken += branch && (in->flags & CAIRN_INSN_TAKEN);
}

static void take_batch(const struct cairn_reader *reader, const struct cairn_batch *batch,
                       struct base_buf *text, struct told *told)
{
	const char *why = check_batch(batch);
	check(!why, why ? why : "");
	text->len = 0;
	fx_print_batch(reader, batch, text);
	told->hash = hash(told->hash, text->data, text->len);
	told->insns += batch->n_insns;
	told->xacts += batch->n_xacts;
	for (uint32_t i = 0; i < batch->n_insns; i++)
		tell_insn(batch, i, told);
	for (uint32_t i = 0; i < batch->n_mems; i++)
		told->accesses += batch->mems[i].initiator == CAIRN_BY_INSN &&
		                  !(batch->mems[i].flags & CAIRN_VALUE_ADDR_UNKNOWN);
	for (uint32_t i = 0; i < batch->n_events; i++)
		told->dropped |=
			batch->events[i].kind == CAIRN_EV_DAMAGE && batch->events[i].len &&
			memmem(batch->bytes + batch->events[i].args, batch->events[i].len, "more values", 11);
}

static void by_batches(const struct input *in, struct told *told)
{
	struct cairn_reader *reader = open_input(in);
	struct cairn_batch *batch = in->batch;
	struct base_buf text;
	uint64_t batches = 0, n = 1, x = 1;
	memset(told, 0, sizeof *told);
	base_buf_init(&text, in->cairn);
	told->status = CAIRN_E_FORMAT;
	while (reader && (told->status = cairn_next(reader, batch)) > 0 && batches < MOST_BATCHES) {
		check(batch->n0 >= n && batch->x0 >= x, "numbers ascend");
		n = batch->n0 + batch->n_insns;
		x = batch->x0 + batch->n_xacts;
		take_batch(reader, batch, &text, told);
		batches++;
	}
	told->whole = told->status == 0;
	told->damage = reader ? cairn_damage_count(reader) : 0;
	base_buf_free(&text);
	cairn_close(reader);
}

static void by_records(const struct input *in, struct told *told)
{
	struct cairn_reader *reader = open_input(in);
	struct cairn_record rec;
	uint64_t end = 0;
	memset(told, 0, sizeof *told);
	told->status = CAIRN_E_FORMAT;
	while (reader && (told->status = cairn_next_record(reader, &rec)) > 0) {
		check(rec.size > 0 && rec.n_fields <= CAIRN_MAX_FIELDS && rec.name, "a record's parts");
		check(rec.offset >= end, "records follow each other");
		if (cairn_damage_count(reader) == 0) {
			check(rec.offset == end, "records lie side by side");
			check(rec.number == told->records + 1, "records are numbered");
		}
		end = rec.offset + rec.size;
		told->hash = hash(told->hash, rec.data, rec.size);
		told->bytes += rec.size;
		told->records++;
		told->by_record[rec.data[0]]++;
	}
	told->whole = told->status == 0;
	told->damage = reader ? cairn_damage_count(reader) : 0;
	cairn_close(reader);
}

struct run {
	struct input in;
	const struct cairn_reader *reader;
	struct told *told;
};
struct part {
	struct told told;
	struct base_buf text, all;
};

static int run_begin(void *user, void **partial)
{
	struct run *run = user;
	struct part *part = calloc(1, sizeof *part);
	*partial = part;
	if (!part)
		return CAIRN_E_NOMEM;
	base_buf_init(&part->text, run->in.cairn);
	base_buf_init(&part->all, run->in.cairn);
	return 0;
}

static int run_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct run *run = user;
	struct part *part = partial;
	take_batch(run->reader, batch, &part->text, &part->told);
	return base_buf_put(&part->all, part->text.data, part->text.len);
}

static void run_drop(void *user, void *partial)
{
	struct part *part = partial;
	(void)user;
	base_buf_free(&part->text);
	base_buf_free(&part->all);
	free(part);
}

static int run_fold(void *user, void *partial)
{
	struct run *run = user;
	struct part *part = partial;
	run->told->hash = hash(run->told->hash, part->all.data, part->all.len);
	run->told->insns += part->told.insns;
	run->told->xacts += part->told.xacts;
	run_drop(user, partial);
	return 0;
}

static void by_run(const struct input *in, unsigned threads, struct told *told)
{
	const struct cairn_reducer red = {.size = sizeof red,
	                                  .begin = run_begin,
	                                  .feed = run_feed,
	                                  .fold = run_fold,
	                                  .drop = run_drop};
	struct cairn_reader *reader = open_input(in);
	struct run run = {*in, reader, told};
	memset(told, 0, sizeof *told);
	told->status = reader ? cairn_run(reader, &red, &run, UINT64_MAX, threads) : CAIRN_E_FORMAT;
	told->whole = told->status == 0;
	told->damage = reader ? cairn_damage_count(reader) : 0;
	cairn_close(reader);
}

static void by_counting(const struct input *in, const struct told *batches,
                        const struct told *records)
{
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_reader *reader = open_input(in);
	if (!reader)
		return;
	int status = cairn_count(reader, 2, &tally);
	check((status == 0) == batches->whole, "counting ends as reading does");
	if (status == 0) {
		check(cairn_damage_count(reader) || !batches->damage || batches->dropped,
		      "counting sees damage");
		check(tally.instructions == batches->insns, "instructions");
		check(tally.transactions == batches->xacts, "transactions");
		check(tally.records == records->records, "records");
		check(!memcmp(tally.by_record, records->by_record, sizeof tally.by_record),
		      "records by type");
		check(tally.executed == batches->executed, "executed");
		check(tally.branches == batches->branches, "branches");
		check(tally.branches_taken == batches->taken, "branches taken");
		check(tally.class_loads == batches->class_loads, "loads by class");
		check(tally.class_stores == batches->class_stores, "stores by class");
		if (!batches->dropped) {
			check(tally.accesses == (tally.accesses ? batches->accesses : 0), "accesses");
			check(tally.loads == (tally.accesses ? batches->loads : tally.class_loads), "loads");
			check(tally.stores == (tally.accesses ? batches->stores : tally.class_stores),
			      "stores");
		}
	}
	cairn_close(reader);
}

/* Seek to numbers in the middle and at the end. */
static void by_seeking(const struct input *in, const struct told *batches)
{
	uint64_t all = batches->insns + batches->xacts;
	const uint64_t places[] = {all, all / 2 + 1};
	for (int i = 0; i < 2 && all; i++) {
		struct cairn_reader *reader = open_input(in);
		struct cairn_batch *batch = in->batch;
		if (reader && cairn_seek(reader, places[i]) >= 0 && cairn_next(reader, batch) > 0) {
			const char *why = check_batch(batch);
			check(!why, why ? why : "");
		}
		cairn_close(reader);
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
	struct cairn *cairn = cairn_new(&opts);
	struct base_buf packed;
	if (!keeper)
		keeper = cairn_new(NULL);
	if (!batch)
		batch = cairn_batch_new(keeper);
	if (!cairn || !batch)
		abort();
	base_buf_init(&packed, cairn);
	pack(cairn, how, data + 1, n - 1, &packed);
	struct input in = {.cairn = cairn,
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
	cairn_free(cairn);
	return 0;
}
