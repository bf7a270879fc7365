/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an STF trace to be judged. What is asserted: the findings are the
 * same for one and for two threads, with a limit and without; every place lies in
 * the file; the sums are those of the findings; batches fed in the same pass change nothing.
 *
 * The first byte chooses the packing: as it is, or cut anywhere into the chunks of
 * a container; whether the format is looked for or stated; whether every finding is wanted or
 * few; and whether the instructions are executed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "io/io.h"
#include "model/model.h"
#include "together.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Bits of the first byte. */
enum { CHUNKS = 1, STATED = 2, EVENTS_32 = 4, LIES = 8, EVERY_ONE = 16, EXECUTE = 32 };

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

/* The bytes in frames; with LIES the index tells a wrong size of one. */
static void pack_chunks(struct cairn *cairn, uint8_t how, const uint8_t *p, size_t n,
                        struct base_buf *out)
{
	const struct cairn_codec *zstd = cairn_codec_find(cairn, "zstd");
	struct base_buf index;
	uint64_t chunks = 0;
	size_t size = n ? 30u + p[n - 1] : 30;
	base_buf_init(&index, cairn);
	put(out, "ZSTF", 4);
	put64(out, n > 1 ? 1u + p[n - 2] % 8u : 1);
	put64(out, 0);
	for (size_t at = 0; at < n; at += size, chunks++) {
		size_t len = n - at < size ? n - at : size;
		put64(&index, out->len);
		put64(&index, len > 8 ? base_le64(p + at) : 0);
		put64(&index, len + ((how & LIES) && chunks == 1));
		check(io_encode_frame(cairn, zstd, 1, p + at, len, out) >= 0, "packing");
	}
	base_put_le64(out->data + 12, out->len);
	put64(out, chunks);
	put(out, index.data, index.len);
	base_buf_free(&index);
}

/* ---- judging ---- */

struct told {
	struct base_buf text;
	struct cairn_check_result res;
	uint64_t size, delivered[CAIRN_MAX_RULES];
	int status;
};

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct told *told = user;
	check(finding->rule >= told->res.rules && finding->rule < told->res.rules + told->res.n_rules,
	      "a rule of the table");
	check(finding->message[0], "a finding has a sentence");
	check(!(finding->known & CAIRN_PLACE_OFFSET) || finding->offset <= told->size,
	      "the place is in the file");
	check(!(finding->known & CAIRN_PLACE_RECORD) ||
	          (finding->record >= 1 && finding->record <= told->size + 1),
	      "the record is in the file");
	check(!(finding->known & CAIRN_PLACE_INSN) || finding->insn >= 1, "instructions count from 1");
	told->delivered[finding->rule - told->res.rules]++;
	return base_buf_printf(&told->text, "%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
	                       finding->rule->id, finding->known, finding->offset, finding->record,
	                       finding->insn, finding->message);
}

static const char *from_of(uint8_t how)
{
	return how & EVENTS_32 ? "stf:events=32" : how & STATED ? "stf" : NULL;
}

static void judge(struct cairn *cairn, uint8_t how, const struct base_buf *in, unsigned threads,
                  uint64_t most, struct told *told)
{
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .from = from_of(how)};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = most,
	                                .finding = on_finding,
	                                .user = told,
	                                .execute = how & EXECUTE};
	struct cairn_reader *reader;
	base_buf_init(&told->text, cairn);
	told->status = cairn_open_memory(cairn, in->data, in->len, &open, &reader);
	if (told->status < 0)
		return;
	bool ruled = reader->format->rules || how & EXECUTE;
	told->res.size = sizeof told->res;
	told->status = cairn_check(reader, &opts, &told->res);
	cairn_close(reader);
	check(told->status >= 0 || told->status == CAIRN_E_LIMIT ||
	          (!ruled && told->status == CAIRN_E_UNSUPPORTED),
	      "a check comes to its end");
	uint64_t sum = 0;
	for (size_t i = 0; i < told->res.n_rules; i++) {
		sum += told->res.by_rule[i];
		check(told->delivered[i] <= told->res.by_rule[i], "what is delivered is counted");
		check(most == UINT64_MAX || told->delivered[i] <= most, "no more than was asked for");
	}
	check(sum == told->res.errors + told->res.warnings + told->res.notes, "the sums add up");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 1 || n > 1 << 16)
		return 0;
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf in;
	uint8_t how = *data++;
	base_buf_init(&in, cairn);
	if (how & CHUNKS)
		pack_chunks(cairn, how, data, n - 1, &in);
	else
		put(&in, data, n - 1);
	uint64_t most = how & EVERY_ONE ? UINT64_MAX : 3;
	/* What is a container or compressed by itself may unpack to any size. */
	uint64_t size = n > 4 && !memcmp(data, "\001STF", 4) ? n : UINT64_MAX - 1;
	struct told one = {.size = size}, two = {.size = size};
	judge(cairn, how, &in, 1, most, &one);
	judge(cairn, how, &in, 2, most, &two);
	check(one.status == two.status, "threads do not matter to the end");
	check(one.text.len == two.text.len &&
	          (!one.text.len || !memcmp(one.text.data, two.text.data, one.text.len)),
	      "threads do not matter to the findings");
	check(!memcmp(one.res.by_rule, two.res.by_rule, sizeof one.res.by_rule),
	      "threads do not matter to the counts");
	struct together both = {.p = in.data, .n = in.len, .from = from_of(how), .threads = 2};
	together_is_as_apart(cairn, &both);
	base_buf_free(&one.text);
	base_buf_free(&two.text);
	base_buf_free(&in);
	cairn_free(cairn);
	return 0;
}
