/* SPDX-License-Identifier: Apache-2.0 */
/* What is asserted of a log of text, whoever wrote it: see log.h. */
#include "log.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/fixtures.h"

void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

struct cairn_reader *log_open(struct cairn *cairn, const struct base_buf *buf, const char *from)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from, .lenient = 1};
	struct cairn_reader *reader = NULL;
	check(cairn_open_memory(cairn, buf->data, buf->len, &opts, &reader) == 0, "a log opens");
	return reader;
}

static int begin(void *user, void **partial)
{
	struct log_told *told = user;
	struct base_buf *buf = base_alloc(told->cairn, sizeof *buf);
	check(buf != NULL, "there is memory");
	base_buf_init(buf, told->cairn);
	*partial = buf;
	return 0;
}

static int feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct log_told *told = user;
	const char *why = check_batch(batch);
	check(!why, why ? why : "");
	fx_print_batch(told->reader, batch, partial);
	return 0;
}

static int fold(void *user, void *partial)
{
	struct log_told *told = user;
	struct base_buf *buf = partial;
	int rc = buf->len ? base_buf_put(&told->text, buf->data, buf->len) : 0;
	base_buf_free(buf);
	base_free(told->cairn, buf);
	return rc;
}

void log_tell(struct cairn *cairn, const struct base_buf *buf, const char *from, unsigned threads,
              struct log_told *told)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = begin,
	                                         .feed = feed,
	                                         .fold = fold};
	*told = (struct log_told){.cairn = cairn, .reader = log_open(cairn, buf, from)};
	base_buf_init(&told->text, cairn);
	check(cairn_run(told->reader, &red, told, UINT64_MAX, threads) == 0, "a log is read");
	told->damage = cairn_damage_count(told->reader);
	cairn_close(told->reader);
}

void log_same(struct cairn *cairn, const struct base_buf *buf, const char *from, unsigned threads,
              const struct log_told *first)
{
	struct log_told other;
	log_tell(cairn, buf, from, threads, &other);
	check(other.damage == first->damage && other.text.len == first->text.len &&
	          !memcmp(other.text.data, first->text.data, first->text.len),
	      "all ways read the same");
	base_buf_free(&other.text);
}

void log_records(struct cairn *cairn, const struct base_buf *buf, const char *from, uint64_t damage)
{
	struct cairn_reader *reader = log_open(cairn, buf, from);
	struct cairn_record rec;
	size_t at = 0;
	uint64_t n = 0;
	int rc;
	while ((rc = cairn_next_record(reader, &rec)) > 0) {
		check(rec.offset == at && rec.number == ++n && rec.size <= buf->len - at &&
		          !memcmp(rec.data, buf->data + at, rec.size),
		      "records side by side are the log");
		at += rec.size;
	}
	check(rc == 0 && at == buf->len, "all of the log is in records");
	check(cairn_damage_count(reader) <= damage, "records find no damage that batches do not");
	cairn_close(reader);
}

void log_count(struct cairn *cairn, const struct base_buf *buf, const char *from, const char *piece,
               uint64_t damage)
{
	struct cairn_reader *reader = log_open(cairn, buf, from);
	struct cairn_tally count = {.size = sizeof count}, sum = {.size = sizeof sum};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	while (cairn_next(reader, batch) > 0)
		cairn_tally_batch(&sum, batch, NULL);
	cairn_tally_end(&sum);
	cairn_close(reader);
	reader = log_open(cairn, buf, piece);
	check(cairn_count(reader, 2, &count) == 0, "a log is counted");
	check(cairn_damage_count(reader) == damage, "counting finds the same damage");
	check(count.instructions == sum.instructions && count.executed == sum.executed &&
	          count.loads == sum.loads && count.stores == sum.stores &&
	          count.branches == sum.branches && count.branches_taken == sum.branches_taken &&
	          count.events == sum.events,
	      "counting agrees with the batches");
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
}

void log_write(struct cairn *cairn, const struct base_buf *buf, const char *from, const char *to)
{
	struct cairn_reader *reader = log_open(cairn, buf, from);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_create_opts opts = {.size = sizeof opts, .to = to};
	struct cairn_writer *writer;
	check(cairn_create(cairn, "/dev/null", &opts, &writer) == 0, "a trace is created");
	while (cairn_next(reader, batch) > 0)
		check(cairn_put(writer, batch) == 0, "a batch is written");
	check(cairn_finish(writer, NULL) == 0, "a trace is finished");
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
}

void log_lines(struct base_buf *buf, const char *const *lines, size_t kinds, const char *others,
               size_t most, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 1 < n && buf->len < most; i += 2) {
		char line[160];
		size_t k = strlen(lines[p[i] % kinds]);
		memcpy(line, lines[p[i] % kinds], k);
		/* Most keep all: a character in one of four is changed. */
		if (k && p[i + 1] >= 192)
			line[(p[i + 1] - 192u) % k] = others[p[i] % strlen(others)];
		line[k] = '\n';
		base_buf_put(buf, line, k + 1);
	}
}

void log_pack(struct cairn *cairn, const struct base_buf *raw, struct base_buf *packed)
{
	io_encode_frame(cairn, cairn_codec_find(cairn, "zstd"), INT_MIN, raw->data, raw->len, packed);
}
