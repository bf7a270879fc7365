/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an ETE trace with a program: raw or framed, by batches, by records, by
 * counting, in pieces, on two threads. What is asserted: batches keep the model's rules,
 * numbers go on, rows are instructions of the program where they say they are, all ways
 * agree; INI text is taken apart or refused with a sentence that names a line.
 *
 * The first byte chooses the way in, the second what the trace unit is. The program is
 * that of program.h, at two places, in two memory spaces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/fixtures/fixtures.h"
#include "formats/ete/format.h"
#include "formats/ete/read/ini.h"
#include "image/image.h"
#include "program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum {
	INI = 1,
	FRAMES = 2,
	SYNCED = 4,
	PIECE = 8,
	STACK = 16,
	KEEP = 32,
	ELEMENTS = 64,
	NO_IMAGE = 128
};
enum { Q = 1, IDS = 2, SPEC = 4, WAITS = 8, CYCLES = 16, OF_ID = 32 };
enum { MOST_BATCHES = 12 };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

static struct cairn *ctx;
static struct cairn_image *program;
static struct cairn_batch *batch;

static void once(void)
{
	if (ctx)
		return;
	ctx = cairn_new(NULL);
	program = cairn_image_new(ctx);
	batch = cairn_batch_new(ctx);
	fuzz_program(program, "0x0");
	fuzz_program(program, "EL1S:0xffffffc000080ffe"); /* not on a page of its own */
	fuzz_program(program, "ctxid=1:0x10000");         /* of one process only */
}

static void try_ini(const uint8_t *data, size_t n)
{
	struct ete_ini ini;
	if (ete_ini_parse(ctx, "f.ini", data, n, &ini) < 0) {
		check(!strncmp(cairn_error_text(ctx), "f.ini: ", 7), "a sentence names the file");
		return;
	}
	for (size_t i = 0; i < ini.n_sections; i++)
		for (size_t k = 0; k < ini.sections[i].n; k++) {
			const struct ete_ini_key *key = &ini.keys[ini.sections[i].first + k];
			const char *list = key->value, *word;
			uint64_t v;
			size_t len;
			check(ete_ini_find(&ini, &ini.sections[i], key->key) != NULL, "what is there is found");
			(void)ete_ini_number(&ini, key, &v);
			while (ete_ini_word(&list, &word, &len))
				check(len && word + len <= key->value + strlen(key->value), "words");
		}
	ete_ini_free(&ini);
}

static struct cairn_reader *open_it(const uint8_t *data, size_t n, unsigned how, unsigned unit,
                                    unsigned piece)
{
	char from[256];
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = from,
	                               .image = how & NO_IMAGE ? NULL : program};
	struct cairn_reader *reader;
	snprintf(from, sizeof from,
	         "ete:trcidr0=0x%x,trcidr2=0x%x,trcidr8=%u,trcconfigr=0x%x,framing=%s,transactions=%s,"
	         "piece=%u%s%s",
	         (unit & Q ? 1u << 15 : 0) | (how & STACK ? 1u << 9 : 0),
	         (unit & IDS ? 0x1088u : 0) | (unit & WAITS ? 1u << 31 : 0), unit & SPEC ? 9u : 0,
	         (how & STACK ? 1u << 12 : 0) | (unit & CYCLES ? 0x10u : 0),
	         (how & SYNCED && how & FRAMES) ? "dstream"
	         : how & SYNCED                 ? "synced-frames"
	         : how & FRAMES                 ? "frames"
	                                        : "raw",
	         how & KEEP ? "keep" : "discard", piece, how & ELEMENTS ? ",records=elements" : "",
	         unit & OF_ID && how & (FRAMES | SYNCED) ? ",0x10:core=Cortex-A53" : "");
	int rc = cairn_open_memory(ctx, data, n, &opts, &reader);
	if (rc >= 0)
		return reader;
	check(rc != CAIRN_E_INVAL || strstr(cairn_error_text(ctx), "a snapshot is a directory") != NULL,
	      "options are fine");
	return NULL;
}

struct told {
	uint64_t hash, insns, damage, records;
	bool cut; /* the rest was too much */
};

static void take(const struct cairn_reader *reader, struct told *told, uint64_t *next)
{
	struct base_buf text;
	const char *why = check_batch(batch);
	check(!why, why ? why : "");
	check(batch->n0 >= *next, "numbers go on");
	*next = batch->n0 + batch->n_insns;
	base_buf_init(&text, ctx);
	fx_print_batch(reader, batch, &text);
	for (size_t i = 0; i < text.len; i++)
		told->hash = (told->hash ^ text.data[i]) * 0x100000001b3ull;
	base_buf_free(&text);
	told->insns += batch->n_insns;
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		uint8_t p[4] = {0};
		const struct cairn_insn *in = &batch->insns[i];
		check(in->size == 2 || in->size == 4, "sizes");
		check(cairn_image_read(program, in->pc, p, in->size) == in->size, "bytes of the program");
	}
}

static void by_batches(struct cairn_reader *reader, struct told *told)
{
	uint64_t next = 1;
	unsigned batches = 0;
	int rc = 0;
	memset(told, 0, sizeof *told);
	while (batches++ < MOST_BATCHES && (rc = cairn_next(reader, batch)) > 0)
		take(reader, told, &next);
	check(rc >= 0, "reading ends");
	told->cut = rc > 0;
	told->damage = cairn_damage_count(reader);
}

struct run {
	struct cairn_reader *reader;
	struct told *told;
	uint64_t next;
};

static int feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct base_buf *buf = partial;
	struct run *run = user;
	fx_print_batch(run->reader, b, buf);
	return 0;
}

static int begin(void *user, void **partial)
{
	(void)user;
	*partial = base_alloc(ctx, sizeof(struct base_buf));
	base_buf_init(*partial, ctx);
	return 0;
}

static int fold(void *user, void *partial)
{
	struct run *run = user;
	struct base_buf *buf = partial;
	for (size_t i = 0; i < buf->len; i++)
		run->told->hash = (run->told->hash ^ buf->data[i]) * 0x100000001b3ull;
	base_buf_free(buf);
	base_free(ctx, buf);
	return 0;
}

static uint64_t by_records(struct cairn_reader *reader)
{
	struct cairn_record rec;
	uint64_t n = 0;
	while (cairn_next_record(reader, &rec) > 0) {
		check(rec.number == ++n, "records are numbered");
		check(rec.name && rec.n_fields <= CAIRN_MAX_FIELDS, "their parts");
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = begin,
	                                         .feed = feed,
	                                         .fold = fold};
	struct told one, two = {0};
	struct cairn_tally tally = {.size = sizeof tally};
	once();
	if (n < 2)
		return 0;
	unsigned how = data[0], unit = data[1], piece = how & PIECE ? 1 + unit : 65536;
	data += 2;
	n -= 2;
	if (how & INI) {
		try_ini(data, n);
		return 0;
	}
	struct cairn_reader *reader = open_it(data, n, how, unit, piece);
	if (!reader)
		return 0;
	by_batches(reader, &one);
	cairn_close(reader);
	if (one.cut) /* a few bytes may tell of millions */
		return 0;
	struct run run = {.reader = open_it(data, n, how, unit, piece), .told = &two};
	check(cairn_run(run.reader, &red, &run, UINT64_MAX, 2) >= 0, "a run ends");
	check(two.hash == one.hash, "threads tell the same");
	check(cairn_damage_count(run.reader) == one.damage, "and the same damage");
	cairn_close(run.reader);
	reader = open_it(data, n, how, unit, piece);
	check(cairn_count(reader, 2, &tally) >= 0 && tally.instructions == one.insns,
	      "counting agrees");
	check(cairn_damage_count(reader) == one.damage, "with its damage");
	cairn_close(reader);
	reader = open_it(data, n, how, unit, piece);
	check(by_records(reader) == tally.records, "and with the records");
	cairn_close(reader);
	return 0;
}
