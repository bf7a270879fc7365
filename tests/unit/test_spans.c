/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kit's source of spans, with tiny pieces and windows over bytes of all kinds: whatever way
 * they come, spans hold each byte once and in order, and what can be seen around them is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "fixtures/random_traces.h"
#include "kit/spans.h"

enum { MOST = 4096, LINE = 100, CUT = '\n', NEVER = 0xff };

/* Behind the last newline; behind a byte NEVER nothing can be cut. */
static int64_t border(struct cairn_reader *reader, const void *begin, size_t want, size_t have)
{
	const uint8_t *p = begin;
	(void)reader;
	assert_true(want <= have);
	const uint8_t *never = memchr(p, NEVER, want);
	const uint8_t *cut = memrchr(p, CUT, never ? (size_t)(never - p) : want);
	return cut ? cut + 1 - p : never ? KIT_UNCUT : 0;
}

static size_t whole(const void *begin, size_t n)
{
	const uint8_t *p = begin, *cut = memrchr(p, CUT, n);
	return cut ? (size_t)(cut + 1 - p) : n <= LINE ? 0 : n / LINE * LINE;
}

/* A stream that gives a few bytes at a time, and perhaps breaks off. */
struct drip {
	const uint8_t *p;
	size_t n, at, step;
	bool breaks;
};

static int64_t drip_read(struct cairn_reader *reader, void *self, void *buf, size_t n)
{
	struct drip *drip = self;
	n = n < drip->step ? n : drip->step;
	n = n < drip->n - drip->at ? n : drip->n - drip->at;
	if (n == 0 && drip->breaks)
		return base_fail(reader->cairn, CAIRN_E_IO, "the tap is dry");
	if (n)
		memcpy(buf, drip->p + drip->at, n);
	drip->at += n;
	return (int64_t)n;
}

static int drip_restart(struct cairn_reader *reader, void *self, uint64_t place)
{
	(void)reader;
	((struct drip *)self)->at = (size_t)place;
	return 0;
}

struct way {
	struct cairn_reader reader;
	struct kit_source source;
	struct kit_source_rules rules;
	const uint8_t *p; /* the trace */
	size_t n, at;     /* what spans had */
	bool lines;       /* windows and spans end where lines do */
	bool uncut;       /* there is a byte behind which nothing can be cut */
};

/* What a window promises: its bytes are the trace's, and so are those around it. */
static void look_at(const struct way *way, const struct kit_bytes *bytes)
{
	const uint8_t *p = bytes->window.p, *back = bytes->window.back, *see = bytes->see;
	size_t n = kit_left(bytes);
	assert_int_equal(kit_offset(bytes), way->at);
	assert_true(way->at + n <= way->n);
	assert_memory_equal(p, way->p + way->at, n);
	size_t behind = (size_t)(p - back), had = way->at;
	assert_true(behind <= had);
	assert_memory_equal(back, way->p + had - behind, behind);
	if (bytes->mapped)
		assert_int_equal(behind, had);
	else if (bytes->alone)
		assert_true(behind >= (had < way->rules.back ? had : way->rules.back) || !way->lines);
	if (!bytes->alone || bytes->mapped) {
		size_t ahead = (size_t)(see - p);
		assert_true(ahead >= n && way->at + ahead <= way->n);
		assert_memory_equal(p, way->p + way->at, ahead);
		assert_true(ahead >= n + way->rules.look || bytes->see_all);
		assert_true(!bytes->see_all || way->at + ahead == way->n || way->uncut);
	}
}

/* Consume some or all of the window. */
static void take(struct way *way, struct kit_bytes *bytes, uint64_t *seed)
{
	size_t n = kit_left(bytes);
	if (!way->lines && bytes->window.more && n > 1)
		n -= random_below(seed, 2) ? random_below(seed, 10) % n : 0;
	kit_skip(bytes, n);
	way->at += n;
}

/* Read all spans from here on; how many there were. `broken`: how often one told that the input
 * breaks off. */
static unsigned read_spans(struct way *way, bool alone, uint64_t *seed, unsigned *broken)
{
	unsigned spans = 0;
	bool last = false;
	for (;; spans++) {
		struct kit_bytes bytes = {0};
		base_buf_init(&bytes.buf, way->reader.cairn);
		int rc = kit_cut(&way->reader, &way->source, &bytes, alone);
		assert_true(rc >= 0);
		if (rc == 0) {
			base_buf_free(&bytes.buf);
			return spans;
		}
		assert_false(last);
		assert_int_equal(bytes.begin, way->at);
		look_at(way, &bytes);
		take(way, &bytes, seed);
		while ((rc = kit_fill(&way->reader, &bytes)) > 0) {
			look_at(way, &bytes);
			take(way, &bytes, seed);
		}
		assert_int_equal(rc, 0);
		look_at(way, &bytes); /* what was left of it when the input ended */
		take(way, &bytes, seed);
		if (!alone && way->at < way->n && !way->uncut && way->rules.look == 0)
			assert_int_equal(way->p[way->at - 1], CUT);
		*broken += bytes.broken;
		last = bytes.last;
		base_buf_free(&bytes.buf);
	}
}

static size_t random_bytes(uint8_t *p, uint64_t *seed, bool *uncut)
{
	size_t n = random_below(seed, 8) ? random_below(seed, MOST) : random_below(seed, 3);
	unsigned often = 2 + random_below(seed, 60);
	*uncut = random_below(seed, 4) == 0;
	for (size_t i = 0; i < n; i++)
		p[i] = random_below(seed, often) ? (uint8_t)('a' + i % 26) : CUT;
	if (*uncut && n)
		p[random_below(seed, (unsigned)n)] = NEVER;
	return n;
}

static void one_way(struct cairn *cairn, uint64_t seed)
{
	static uint8_t bytes[MOST];
	struct way way = {.p = bytes};
	unsigned broken = 0;
	way.n = random_bytes(bytes, &seed, &way.uncut);
	way.lines = random_below(&seed, 2);
	way.rules = (struct kit_source_rules){.piece = 1 + random_below(&seed, 300),
	                                      .window = 150 + random_below(&seed, 300),
	                                      .read = 150 + random_below(&seed, 300),
	                                      .look = random_below(&seed, 2) * 64,
	                                      .back = random_below(&seed, 2) * 80,
	                                      .behind = SIZE_MAX,
	                                      .border = border,
	                                      .whole = way.lines ? whole : NULL};
	struct drip drip = {.p = bytes,
	                    .n = way.n,
	                    .step = 1 + random_below(&seed, 400),
	                    .breaks = random_below(&seed, 3) == 0};
	bool mapped = random_below(&seed, 2), alone = random_below(&seed, 2);
	way.reader.cairn = cairn;
	assert_int_equal(io_open_memory(cairn, bytes, way.n, &way.reader.io), 0);
	kit_source_init(cairn, &way.source, &way.rules);
	kit_source_open(&way.reader, &way.source, mapped);
	way.source.behind = SIZE_MAX;
	mapped = way.source.map;
	way.source.in.read = drip_read;
	way.source.in.self = &drip;
	way.source.restart = drip_restart;
	const void *head;
	size_t n, want = 1 + random_below(&seed, 500);
	bool all;
	assert_int_equal(kit_source_head(&way.reader, &way.source, want, &head, &n, &all), 0);
	assert_int_equal(n, want < way.n ? want : way.n);
	assert_memory_equal(head, bytes, n);
	assert_true(!all || n == way.n);
	way.source.head = random_below(&seed, 2) ? n : 0;
	read_spans(&way, alone, &seed, &broken);
	bool all_of_it = !way.uncut || mapped || alone; /* else the rest of the stream is left */
	assert_true(way.at == way.n || !all_of_it);
	assert_true(broken == (!mapped && drip.breaks) || !all_of_it);
	/* Once more, from somewhere. */
	way.at = way.n ? random_below(&seed, (unsigned)way.n) : 0;
	if (way.rules.back && !mapped) /* there is nothing before it to look back at */
		way.rules.back = 0;
	assert_int_equal(kit_source_restart(&way.reader, &way.source, way.at), 0);
	read_spans(&way, alone, &seed, &broken);
	assert_true(way.at == way.n || !all_of_it);
	kit_source_close(&way.source);
	io_close(way.reader.io);
}

static void spans_hold_each_byte_once(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	(void)state;
	for (uint64_t seed = 1; seed <= 20000; seed++)
		one_way(cairn, seed);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(spans_hold_each_byte_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
