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

struct cairn_reader *log_open(struct cairn *c, const struct base_buf *b, const char *from)
{
	struct cairn_open_opts o = {.size = sizeof o, .from = from, .lenient = 1};
	struct cairn_reader *r = NULL;
	check(cairn_open_memory(c, b->data, b->len, &o, &r) == 0, "a log opens");
	return r;
}

static int begin(void *user, void **partial)
{
	struct log_told *t = user;
	struct base_buf *b = base_alloc(t->c, sizeof *b);
	check(b != NULL, "there is memory");
	base_buf_init(b, t->c);
	*partial = b;
	return 0;
}

static int feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct log_told *t = user;
	const char *why = check_batch(b);
	check(!why, why ? why : "");
	fx_print_batch(t->r, b, partial);
	return 0;
}

static int fold(void *user, void *partial)
{
	struct log_told *t = user;
	struct base_buf *b = partial;
	int rc = b->len ? base_buf_put(&t->text, b->data, b->len) : 0;
	base_buf_free(b);
	base_free(t->c, b);
	return rc;
}

void log_tell(struct cairn *c, const struct base_buf *b, const char *from, unsigned threads,
              struct log_told *t)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = begin,
	                                         .feed = feed,
	                                         .fold = fold};
	*t = (struct log_told){.c = c, .r = log_open(c, b, from)};
	base_buf_init(&t->text, c);
	check(cairn_run(t->r, &red, t, UINT64_MAX, threads) == 0, "a log is read");
	t->damage = cairn_damage_count(t->r);
	cairn_close(t->r);
}

void log_same(struct cairn *c, const struct base_buf *b, const char *from, unsigned threads,
              const struct log_told *first)
{
	struct log_told other;
	log_tell(c, b, from, threads, &other);
	check(other.damage == first->damage && other.text.len == first->text.len &&
	          !memcmp(other.text.data, first->text.data, first->text.len),
	      "all ways read the same");
	base_buf_free(&other.text);
}

void log_records(struct cairn *c, const struct base_buf *b, const char *from, uint64_t damage)
{
	struct cairn_reader *r = log_open(c, b, from);
	struct cairn_record rec;
	size_t at = 0;
	uint64_t n = 0;
	int rc;
	while ((rc = cairn_next_record(r, &rec)) > 0) {
		check(rec.offset == at && rec.number == ++n && rec.size <= b->len - at &&
		          !memcmp(rec.data, b->data + at, rec.size),
		      "records side by side are the log");
		at += rec.size;
	}
	check(rc == 0 && at == b->len, "all of the log is in records");
	check(cairn_damage_count(r) <= damage, "records find no damage that batches do not");
	cairn_close(r);
}

void log_count(struct cairn *c, const struct base_buf *b, const char *from, const char *piece,
               uint64_t damage)
{
	struct cairn_reader *r = log_open(c, b, from);
	struct cairn_tally count, sum = {0};
	struct cairn_batch *batch = cairn_batch_new(c);
	while (cairn_next(r, batch) > 0)
		cairn_tally_batch(&sum, batch, NULL);
	cairn_tally_end(&sum);
	cairn_close(r);
	r = log_open(c, b, piece);
	check(cairn_count(r, 2, &count) == 0, "a log is counted");
	check(cairn_damage_count(r) == damage, "counting finds the same damage");
	check(count.instructions == sum.instructions && count.executed == sum.executed &&
	          count.loads == sum.loads && count.stores == sum.stores &&
	          count.branches == sum.branches && count.branches_taken == sum.branches_taken &&
	          count.events == sum.events,
	      "counting agrees with the batches");
	cairn_close(r);
	cairn_batch_free(c, batch);
}

void log_write(struct cairn *c, const struct base_buf *b, const char *from, const char *to)
{
	struct cairn_reader *r = log_open(c, b, from);
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_create_opts o = {.size = sizeof o, .to = to};
	struct cairn_writer *w;
	check(cairn_create(c, "/dev/null", &o, &w) == 0, "a trace is created");
	while (cairn_next(r, batch) > 0)
		check(cairn_put(w, batch) == 0, "a batch is written");
	check(cairn_finish(w, NULL) == 0, "a trace is finished");
	cairn_batch_free(c, batch);
	cairn_close(r);
}

void log_lines(struct base_buf *b, const char *const *lines, size_t kinds, const char *others,
               size_t most, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 1 < n && b->len < most; i += 2) {
		char line[160];
		size_t k = strlen(lines[p[i] % kinds]);
		memcpy(line, lines[p[i] % kinds], k);
		/* Most keep all: a character in one of four is changed. */
		if (k && p[i + 1] >= 192)
			line[(p[i + 1] - 192u) % k] = others[p[i] % strlen(others)];
		line[k] = '\n';
		base_buf_put(b, line, k + 1);
	}
}

void log_pack(struct cairn *c, const struct base_buf *raw, struct base_buf *packed)
{
	io_encode_frame(c, cairn_codec_find(c, "zstd"), INT_MIN, raw->data, raw->len, packed);
}
