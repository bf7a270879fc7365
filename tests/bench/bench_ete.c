/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets and elements of ETE, and judging them, beside copying the bytes.
 *
 *   bench_ete BUILD
 *
 * BENCH_RUNS and BENCH_QUICK as for bench_stf. Streams lie in memory. `loops`: like a
 * program without speculation, packet types as often as in traces of test programs (two in
 * three are atoms, one in three an address), in loops of 4 to 100 packets that run 2 to 60
 * times; `random`: the same types, nothing repeats; `atoms`: nothing but atoms,
 * a byte each, the worst for whoever reads packets one by one; `addresses`: long ones
 * only; `speculative`: atoms and addresses, committed a few at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "measure.h"

enum { STREAMS = 5, ROOM = 256, LOOP = 600 };

struct stream {
	const char *name;
	uint8_t *bytes;
	size_t n;
	uint64_t packets, elements;
	struct cairn_ete_config cfg;
};

static uint64_t seed = 1;

static unsigned chance(void)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (unsigned)(seed >> 33) % 1000;
}

/* ---- making ---- */

static void put(struct stream *stream, const void *p, size_t n)
{
	memcpy(stream->bytes + stream->n, p, n);
	stream->n += n;
}

static void put_atom(struct stream *stream)
{
	unsigned what = chance();
	uint8_t b = (uint8_t)(what < 480   ? 0xf8 + chance() % 8
	                      : what < 670 ? 0xf7
	                      : what < 800 ? 0xd8 + chance() % 4
	                      : what < 870 ? 0xe0 + chance() % 20
	                      : what < 930 ? 0xdc + chance() % 4
	                                   : 0xd5 + chance() % 3);
	put(stream, &b, 1);
}

static void put_address(struct stream *stream)
{
	unsigned what = chance();
	uint8_t b[16] = {0x95, (uint8_t)(chance() & 0x7f), (uint8_t)chance(), (uint8_t)chance(), 0};
	if (what < 70) {
		b[0] = (uint8_t)(0x90 + what % 3);
		put(stream, b, 1);
	} else if (what < 600) {
		b[1] = (uint8_t)(b[1] | (what & 1) << 7);
		put(stream, b, what & 1 ? 3 : 2);
	} else {
		b[0] = 0x9a;
		b[2] &= 0x7f;
		put(stream, b, 5);
	}
}

static void put_loop(struct stream *stream, size_t size)
{
	size_t from = stream->n, n;
	unsigned packets = 4 + chance() % 97, times = 2 + chance() % 59;
	while (packets--)
		if (chance() < 667)
			put_atom(stream);
		else
			put_address(stream);
	n = stream->n - from;
	while (--times && stream->n + n < size)
		put(stream, stream->bytes + from, n);
}

static void begin(struct stream *stream)
{
	static const uint8_t head[] = {0,    0,    0,    0,    0,    0, 0, 0, 0, 0,   0,
	                               0x80, 0x01, 0x00, 0x04, 0x82, 0, 0, 0, 0, 0x31};
	put(stream, head, sizeof head);
}

static void make(struct stream *stream, unsigned kind, size_t size)
{
	static const char *const names[STREAMS] = {"loops", "random", "atoms", "addresses",
	                                           "speculative"};
	static const uint8_t wide[9] = {0x9d, 1, 2, 3, 0x80, 0xff, 0xff, 0xff, 0xff};
	unsigned open = 0;
	stream->name = names[kind];
	stream->bytes = malloc(size + LOOP);
	cairn_ete_config_init(&stream->cfg);
	stream->cfg.idr8 = kind == 4 ? 100 : 0;
	begin(stream);
	while (stream->n < size) {
		if (kind == 0)
			put_loop(stream, size);
		else if (kind == 2 || (kind != 3 && chance() < 667))
			put_atom(stream);
		else if (kind == 3)
			put(stream, wide, sizeof wide);
		else
			put_address(stream);
		if (kind == 4 && ++open == 6) { /* as many as there surely are */
			static const uint8_t commit[] = {0xf7, 0xf7, 0x2d, 2};
			put(stream, commit, sizeof commit);
			open = 0;
		}
	}
}

/* ---- jobs ---- */

struct work {
	struct cairn *cairn;
	struct stream *stream;
};

static int run_copy(void *arg)
{
	const struct stream *stream = ((struct work *)arg)->stream;
	static uint8_t to[1 << 16];
	for (size_t i = 0; i < stream->n; i += sizeof to) {
		memcpy(to, stream->bytes + i, stream->n - i < sizeof to ? stream->n - i : sizeof to);
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	return 0;
}

static int run_packets(void *arg)
{
	struct work *work = arg;
	struct cairn_ete_packets *packets;
	struct cairn_ete_packet packet[ROOM];
	size_t n;
	work->stream->packets = 0;
	if (cairn_ete_packets_open(work->cairn, &work->stream->cfg, work->stream->bytes,
	                           work->stream->n, 0, &packets) < 0)
		return -1;
	while ((n = cairn_ete_packets_fill(packets, packet, ROOM)))
		work->stream->packets += n;
	cairn_ete_packets_close(packets);
	return 0;
}

static int run_elements(void *arg)
{
	struct work *work = arg;
	struct cairn_ete_elements *elements;
	struct cairn_ete_element element[ROOM];
	int64_t n;
	work->stream->elements = 0;
	if (cairn_ete_elements_open(work->cairn, &work->stream->cfg, NULL, work->stream->bytes,
	                            work->stream->n, 0, &elements) < 0)
		return -1;
	while ((n = cairn_ete_elements_fill(elements, element, ROOM)) > 0)
		work->stream->elements += (uint64_t)n;
	cairn_ete_elements_close(elements);
	return 0;
}

static int run_check(void *arg)
{
	struct work *work = arg;
	char from[64];
	struct cairn_open_opts open_opts = {.size = sizeof open_opts, .from = from, .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts};
	struct cairn_check_result result = {.size = sizeof result};
	struct cairn_reader *reader;
	snprintf(from, sizeof from, "ete:framing=raw,trcidr8=%u", work->stream->cfg.idr8);
	int rc =
		cairn_open_memory(work->cairn, work->stream->bytes, work->stream->n, &open_opts, &reader);
	if (rc >= 0)
		rc = cairn_check(reader, &opts, &result);
	cairn_close(reader);
	return rc < 0 || result.errors ? -1 : 0;
}

static void row(const struct stream *stream, const char *what, const char *unit, double amount,
                const struct bench_job *job, const struct bench_job *limit, unsigned runs,
                double goal)
{
	char name[64];
	snprintf(name, sizeof name, "%s, %s", what, stream->name);
	bench_print(&(struct bench_row){.name = name,
	                                .unit = unit,
	                                .limit = "copying",
	                                .figure = amount / job->seconds[BENCH_CORE],
	                                .limit_figure = amount / limit->seconds[BENCH_CORE],
	                                .ratio = bench_ratio(job, limit, runs, BENCH_CORE),
	                                .goal = {goal, false}});
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

int main(void)
{
	bool quick = setting("BENCH_QUICK", 0) != 0;
	unsigned runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 7);
	struct cairn *cairn = cairn_new(NULL);
	if (runs > BENCH_MAX_RUNS)
		runs = BENCH_MAX_RUNS;
	bench_head();
	for (unsigned k = 0; k < STREAMS; k++) {
		struct stream stream = {0};
		struct work work = {cairn, &stream};
		struct bench_job job[] = {{.run = run_copy, .arg = &work},
		                          {.run = run_packets, .arg = &work},
		                          {.run = run_elements, .arg = &work},
		                          {.run = run_check, .arg = &work}};
		make(&stream, k, quick ? 4 << 20 : 32 << 20);
		if (bench_time(job, 4, runs) < 0)
			return 1;
		row(&stream, "packets", "MB/s", (double)stream.n * 1e-6, &job[1], &job[0], runs,
		    k == 0 ? 300 : 0);
		row(&stream, "packets", "M packets/s", (double)stream.packets * 1e-6, &job[1], &job[0],
		    runs, k == 0 || k == 2 ? 150 : 0);
		row(&stream, "elements", "M packets/s", (double)stream.packets * 1e-6, &job[2], &job[0],
		    runs, 0);
		row(&stream, "check", "M packets/s", (double)stream.packets * 1e-6, &job[3], &job[0], runs,
		    0);
		free(stream.bytes);
	}
	cairn_free(cairn);
	return 0;
}
