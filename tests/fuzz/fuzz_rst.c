/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an RST trace, read in every way: batches, records, counting, a run on
 * two threads with pieces down to one record. What is asserted: every batch keeps
 * the model's rules; all ways tell the same; records side by side are the bytes of
 * the trace, and put together from their fields are themselves; counting agrees
 * with what the batches show.
 *
 * The first byte chooses how: the version, reading strictly, as a compressed stream,
 * the size of pieces. With TYPES each record's type is made one that exists, which
 * is what brings the fuzzer beyond sentences about unknown types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/fixtures.h"
#include "formats/rst/record/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { TYPES = 1, STRICT = 2, STREAM = 4, OLD = 8, MIDDLE = 16, PIECE = 32 | 64, FEW_CPUS = 128 };
enum { SIZE = CAIRN_RST_SIZE, MOST = 1 << 20 };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

struct input {
	struct cairn *cairn;
	struct cairn_batch *batch;
	struct base_buf raw, packed;
	struct cairn_rst_config cfg;
	char from[64];
	int strict;
};

/* What one way of reading tells. */
struct told {
	int status;
	bool dropped;
	uint64_t damage, hash, records, insns, executed, loads, stores, class_loads, class_stores,
		branches, taken, accesses, by_record[256];
};

static struct cairn_reader *open_input(const struct input *in)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = in->from, .strict = in->strict};
	struct cairn_reader *reader = NULL;
	if (cairn_open_memory(in->cairn, in->packed.data, in->packed.len, &opts, &reader) < 0)
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
	bool branch = in->traits & CAIRN_TRAIT_BRANCH;
	for (uint32_t m = in[0].mem0; m < in[1].mem0; m++) {
		const struct cairn_mem *row = &batch->mems[m];
		if (row->initiator != CAIRN_BY_INSN)
			continue;
		told->loads += row->kind == CAIRN_MEM_READ;
		told->stores += row->kind == CAIRN_MEM_WRITE;
	}
	told->executed += !(in->flags & CAIRN_INSN_NOT_EXECUTED);
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
	for (uint32_t i = 0; i < batch->n_insns; i++)
		tell_insn(batch, i, told);
	for (uint32_t i = 0; i < batch->n_events; i++)
		told->dropped |=
			batch->events[i].kind == CAIRN_EV_DAMAGE && batch->events[i].len &&
			memmem(batch->bytes + batch->events[i].args, batch->events[i].len, "more values", 11);
}

static void by_batches(const struct input *in, struct told *told)
{
	struct cairn_reader *reader = open_input(in);
	struct base_buf text;
	uint64_t n = 1;
	memset(told, 0, sizeof *told);
	base_buf_init(&text, in->cairn);
	told->status = CAIRN_E_FORMAT;
	while (reader && (told->status = cairn_next(reader, in->batch)) > 0) {
		check(in->batch->n0 == n, "numbers go on");
		n = in->batch->n0 + in->batch->n_insns;
		take_batch(reader, in->batch, &text, told);
	}
	told->damage = reader ? cairn_damage_count(reader) : 0;
	base_buf_free(&text);
	cairn_close(reader);
}

static void round_trip(const struct input *in, const struct cairn_record *rec)
{
	uint8_t again[SIZE];
	if (!cairn_rst_type_name(rec->type))
		return;
	check(cairn_rst_encode(&in->cfg, rec->type, rec->fields, rec->n_fields, again) >= 0,
	      "a record can be put together");
	check(!memcmp(again, rec->data, SIZE), "and is itself");
}

static void by_records(const struct input *in, struct told *told)
{
	struct cairn_reader *reader = open_input(in);
	struct cairn_record rec;
	memset(told, 0, sizeof *told);
	told->status = CAIRN_E_FORMAT;
	while (reader && (told->status = cairn_next_record(reader, &rec)) > 0) {
		check(rec.size == SIZE && rec.n_fields <= CAIRN_MAX_FIELDS && rec.name, "its parts");
		check(rec.offset == told->records * SIZE, "records lie side by side");
		check(rec.number == told->records + 1, "records are numbered");
		check(!memcmp(in->raw.data + rec.offset, rec.data, SIZE), "records are the bytes");
		round_trip(in, &rec);
		told->records++;
		told->insns += rec.type == CAIRN_RST_INSTR;
		told->by_record[rec.data[0]]++;
	}
	told->damage = reader ? cairn_damage_count(reader) : 0;
	if (told->status == 0)
		check(told->records == in->raw.len / SIZE, "and all of them");
	cairn_close(reader);
}

struct run {
	struct cairn *cairn;
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
	base_buf_init(&part->text, run->cairn);
	base_buf_init(&part->all, run->cairn);
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
	run_drop(user, partial);
	return 0;
}

static void by_run(const struct input *in, unsigned threads, const struct told *batches)
{
	const struct cairn_reducer red = {.size = sizeof red,
	                                  .begin = run_begin,
	                                  .feed = run_feed,
	                                  .fold = run_fold,
	                                  .drop = run_drop};
	struct cairn_reader *reader = open_input(in);
	struct told told = {0};
	struct run run = {in->cairn, reader, &told};
	int status = reader ? cairn_run(reader, &red, &run, UINT64_MAX, threads) : CAIRN_E_FORMAT;
	check((status == 0) == (batches->status == 0), "a run ends as reading does");
	if (status == 0) {
		check(told.hash == batches->hash, "a run gives the same");
		check(cairn_damage_count(reader) == batches->damage, "and the same damage");
	}
	cairn_close(reader);
}

static void by_counting(const struct input *in, unsigned threads, const struct told *batches,
                        const struct told *records)
{
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_reader *reader = open_input(in);
	if (!reader)
		return;
	int status = cairn_count(reader, threads, &tally);
	check((status == 0) == (batches->status == 0), "counting ends as reading does");
	if (status == 0) {
		check(batches->dropped || cairn_damage_count(reader) == batches->damage,
		      "counting sees damage");
		check(tally.instructions == batches->insns, "instructions");
		check(tally.records == records->records, "records");
		check(!memcmp(tally.by_record, records->by_record, sizeof tally.by_record), "by type");
		check(tally.executed == batches->executed, "executed");
		check(tally.branches == batches->branches, "branches");
		check(tally.branches_taken == batches->taken, "branches taken");
		check(tally.class_loads == batches->class_loads, "loads by class");
		check(tally.class_stores == batches->class_stores, "stores by class");
		if (!batches->dropped) {
			check(tally.loads == (tally.accesses ? batches->loads : tally.class_loads), "loads");
			check(tally.stores == (tally.accesses ? batches->stores : tally.class_stores),
			      "stores");
		}
	}
	cairn_close(reader);
}

static void by_seeking(const struct input *in, uint64_t insns)
{
	const uint64_t places[] = {insns, insns / 2 + 1};
	for (int i = 0; i < 2 && insns; i++) {
		struct cairn_reader *reader = open_input(in);
		if (reader && cairn_seek(reader, places[i]) >= 0 && cairn_next(reader, in->batch) > 0) {
			const char *why = check_batch(in->batch);
			check(!why, why ? why : "");
			check(in->batch->n0 <= places[i], "a seek lands at or before it");
		}
		cairn_close(reader);
	}
}

/* Types that exist, and few CPUs, so that records meet. */
static void tame(uint8_t how, uint8_t *p, size_t n)
{
	static const uint8_t types[32] = {3,  3,  3,  3,  3,  3,  3,  3,  7,  7,  9,
	                                  9,  17, 19, 19, 8,  26, 34, 18, 6,  12, 14,
	                                  21, 5,  11, 13, 27, 28, 29, 31, 32, 100};
	for (size_t at = 0; at + SIZE <= n; at += SIZE) {
		uint8_t *r = p + at;
		if ((how & TYPES) && at)
			r[0] = types[r[0] & 31];
		if (!(how & FEW_CPUS))
			continue;
		if (r[0] == CAIRN_RST_INSTR || r[0] == CAIRN_RST_TRAP)
			r[2] &= 0x0c, r[3] &= 0x3f, r[6] &= r[0] == CAIRN_RST_TRAP ? 0x0f : 0xff;
		else if (r[0] == CAIRN_RST_REGVAL || r[0] == CAIRN_RST_PAVADIFF)
			r[1] &= 0x83, r[r[0] == CAIRN_RST_REGVAL ? 6 : 2] &= 0x1f;
		else if (r[0] == CAIRN_RST_MEMVAL)
			r[1] &= 0xfc, r[2] &= 3;
		else if (r[0] == CAIRN_RST_PREG)
			r[8] &= 3, r[9] &= 0x3f;
	}
}

/* Bytes that begin as a codec's do are unpacked: the records are others. */
static bool looks_packed(const struct input *in)
{
	struct io_source *io = NULL;
	bool packed = in->raw.len && (io_open_memory(in->cairn, in->raw.data, in->raw.len, &io) < 0 ||
	                              strcmp(io_codec(io), "none"));
	io_close(io);
	return packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const unsigned pieces[4] = {1 << 20, 480, 4096, 72};
	static struct cairn *keeper;
	static struct cairn_batch *batch;
	if (n == 0 || n > MOST)
		return 0;
	if (!keeper)
		keeper = cairn_new(NULL);
	if (!batch)
		batch = cairn_batch_new(keeper);
	struct input in = {.cairn = cairn_new(NULL), .batch = batch, .strict = (data[0] & STRICT) != 0};
	struct told batches, records;
	if (!in.cairn || !batch)
		abort();
	in.cfg = data[0] & OLD      ? (struct cairn_rst_config){1, 9}
	         : data[0] & MIDDLE ? (struct cairn_rst_config){2, 11}
	                            : (struct cairn_rst_config){2, 13};
	snprintf(in.from, sizeof in.from, "rst:version=%u.%u,piece=%u", in.cfg.version_major,
	         in.cfg.version_minor, pieces[(data[0] & PIECE) / 32]);
	base_buf_init(&in.raw, in.cairn);
	base_buf_init(&in.packed, in.cairn);
	check(base_buf_put(&in.raw, data + 1, n - 1) >= 0, "memory");
	if (n > 1)
		tame(data[0], in.raw.data, n - 1);
	if (looks_packed(&in)) {
		base_buf_free(&in.raw);
		cairn_free(in.cairn);
		return 0;
	}
	if (data[0] & STREAM)
		check(io_encode_frame(in.cairn, cairn_codec_find(in.cairn, "gzip"), 1, in.raw.data,
		                      in.raw.len, &in.packed) >= 0,
		      "packing");
	else
		check(base_buf_put(&in.packed, in.raw.data, in.raw.len) >= 0, "memory");
	by_batches(&in, &batches);
	by_records(&in, &records);
	check((batches.status == 0) == (records.status == 0), "records end as batches do");
	if (batches.status == 0)
		check(records.insns == batches.insns, "an instruction for every INSTR");
	for (unsigned threads = 1; threads <= 2; threads++) {
		by_run(&in, threads, &batches);
		by_counting(&in, threads, &batches, &records);
	}
	by_seeking(&in, batches.insns);
	base_buf_free(&in.raw);
	base_buf_free(&in.packed);
	cairn_free(in.cairn);
	return 0;
}
