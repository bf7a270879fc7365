/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make bench: how fast rstzip 3 packs and unpacks, beside copying the same records.
 *
 *   bench_rstzip BUILD
 *
 * The trace is made in memory: loops with loads and stores over some pages, calls,
 * and what a simulator puts in between. BENCH_INSNS changes its length (5 million
 * records at most), BENCH_RUNS the number of rounds; BENCH_QUICK=1 is short and rough.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "formats/rst/packing/rstzip3.h"
#include "measure.h"

enum { SIZE = CAIRN_RST_SIZE, MOST = 5000000 };

struct work {
	struct cairn *cairn;
	uint8_t *raw, *copy;
	size_t n; /* records */
	struct base_buf packed;
};

/* ---- the trace ---- */

static uint64_t seed = 88172645463325252;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint8_t *instr(uint8_t *p, uint64_t pc, uint32_t word, unsigned flags, uint64_t ea)
{
	base_put_be64(p, (uint64_t)CAIRN_RST_INSTR << 56 | (uint64_t)flags << 48 | word);
	base_put_be64(p + 8, pc);
	base_put_be64(p + 16, ea);
	return p + SIZE;
}

static uint8_t *diff(uint8_t *p, uint64_t ea)
{
	memset(p, 0, SIZE);
	p[0] = CAIRN_RST_PAVADIFF;
	p[1] = 0x80;
	base_put_be64(p + 8, 0x40000000);
	base_put_be64(p + 16, ea >> 16 << 16);
	return p + SIZE;
}

/* One turn of a loop of 12 instructions at `pc`; the page of its data now and then
 * changes. */
static uint8_t *turn(uint8_t *p, uint64_t pc, uint64_t *ea, bool again)
{
	if (rnd() % 3 == 0) {
		*ea = 0x7f000000 + (rnd() & 0x3f) * 8192;
		p = diff(p, *ea);
	}
	p = instr(p, pc, 0xc2584000, RST_I_EA_VALID, *ea);
	for (unsigned i = 1; i < 9; i++)
		p = instr(p, pc + 4 * i, 0x82006001 + i, 0, 0);
	p = instr(p, pc + 36, 0xc2704000, RST_I_EA_VALID, *ea);
	*ea += 8;
	p = instr(p, pc + 40, 0x126ffff6, RST_I_EA_VALID | (again ? RST_I_BT : 0u),
	          again ? pc : pc + 48);
	return instr(p, pc + 44, 0x01000000, 0, 0);
}

static size_t make(uint8_t *out, size_t n)
{
	uint64_t ea = 0x7f000000;
	uint8_t *p = out, *end = out + (n - 14) * SIZE;
	memset(p, 0, SIZE);
	memcpy(p, "\2\2\15%RST Header v2.13", 20);
	p += SIZE;
	while (p < end) {
		uint64_t pc = 0x100000 + rnd() % 512 * 64;
		for (uint64_t turns = 1 + rnd() % 16; turns-- > 0 && p < end;)
			p = turn(p, pc, &ea, turns > 0);
	}
	return (size_t)(p - out) / SIZE;
}

/* ---- what is measured ---- */

static int run_copy(void *arg)
{
	struct work *work = arg;
	memcpy(work->copy, work->raw, work->n * SIZE);
	return work->copy[work->n / 2 * SIZE] == work->raw[work->n / 2 * SIZE] ? 0 : -1;
}

static int run_pack(void *arg)
{
	struct work *work = arg;
	struct cairn_sink *sink;
	struct rst_zip *zip = NULL;
	int rc = io_sink_open(work->cairn, "/dev/null", NULL, INT32_MIN, 1, &sink);
	if (rc >= 0)
		rc = rst_zip_open(work->cairn, sink, false, &zip);
	if (rc >= 0)
		rc = rst_zip_put(zip, work->raw, work->n);
	if (rc >= 0)
		rc = rst_zip_finish(zip);
	rst_zip_close(zip);
	cairn_sink_discard(sink);
	if (rc < 0)
		fprintf(stderr, "bench: %s\n", cairn_error_text(work->cairn));
	return rc < 0 ? -1 : 0;
}

static int run_unpack(void *arg)
{
	struct work *work = arg;
	struct io_source *io;
	struct rst_unzip *unzip = NULL;
	struct base_buf buf;
	size_t n = 0;
	int64_t got = io_open_memory(work->cairn, work->packed.data, work->packed.len, &io);
	base_buf_init(&buf, work->cairn);
	if (got >= 0)
		got = rst_unzip_open(work->cairn, io, &unzip);
	while (got >= 0 && (buf.len = 0, got = rst_unzip_next(unzip, &buf)) > 0) {
		if (memcmp(buf.data, work->raw + n * SIZE, SIZE) != 0)
			break;
		n += (size_t)got;
	}
	rst_unzip_close(unzip);
	io_close(io);
	base_buf_free(&buf);
	if (n != work->n)
		fprintf(stderr, "bench: %zu of %zu records came back\n", n, work->n);
	return n == work->n ? 0 : -1;
}

/* The trace, packed once, in memory. */
static int prepare(struct work *work, size_t n)
{
	uint8_t head[RZ3_HEADER] = RZ3_MAGIC;
	struct rz3_pack *pack;
	head[16] = RZ3_MAJOR;
	head[17] = RZ3_MINOR;
	work->raw = malloc(n * SIZE);
	work->copy = malloc(n * SIZE);
	base_buf_init(&work->packed, work->cairn);
	if (!work->raw || !work->copy || rz3_pack_open(work->cairn, &pack) < 0)
		return -1;
	memset(work->copy, 0, n * SIZE);
	work->n = make(work->raw, n);
	int rc = base_buf_put(&work->packed, head, sizeof head);
	for (size_t at = 0; rc >= 0 && at < work->n; at += RZ3_SECTION) {
		size_t left = work->n - at;
		rc = rz3_pack_section(pack, work->raw + at * SIZE, left < RZ3_SECTION ? left : RZ3_SECTION,
		                      &work->packed);
	}
	rz3_pack_close(pack);
	return rc < 0 ? -1 : 0;
}

static void row(const struct work *work, const char *name, const struct bench_job *job,
                const struct bench_job *limit, double goal)
{
	double millions = (double)work->n / 1e6;
	struct bench_row r = {.name = name,
	                      .unit = "M rec/s",
	                      .limit = "copy",
	                      .figure = millions / job->seconds[BENCH_CORE],
	                      .limit_figure = millions / limit->seconds[BENCH_CORE],
	                      .ratio = job->seconds[BENCH_CORE] / limit->seconds[BENCH_CORE],
	                      .goal = {.value = goal}};
	bench_print(&r);
}

int main(void)
{
	const char *insns = getenv("BENCH_INSNS"), *rounds = getenv("BENCH_RUNS");
	bool quick = getenv("BENCH_QUICK") != NULL;
	size_t n = insns ? strtoull(insns, NULL, 10) : MOST;
	unsigned runs = rounds ? (unsigned)strtoul(rounds, NULL, 10) : quick ? 1 : 5;
	n = n > MOST ? MOST : n < 1000 ? 1000 : n;
	runs = runs < 1 ? 1 : runs > BENCH_MAX_RUNS ? (unsigned)BENCH_MAX_RUNS : runs;
	struct work work = {.cairn = cairn_new(NULL)};
	struct bench_job jobs[] = {{.run = run_copy, .arg = &work},
	                           {.run = run_unpack, .arg = &work},
	                           {.run = run_pack, .arg = &work}};
	int rc = work.cairn ? prepare(&work, quick && n > 500000 ? 500000 : n) : -1;
	if (rc == 0)
		rc = bench_time(jobs, 3, runs);
	if (rc == 0) {
		printf("%zu records, %.2f bits each packed\n", work.n,
		       8.0 * (double)work.packed.len / (double)work.n);
		bench_head();
		row(&work, "rstzip 3, unpack", &jobs[1], &jobs[0], 40);
		row(&work, "rstzip 3, pack", &jobs[2], &jobs[0], 15);
	}
	base_buf_free(&work.packed);
	free(work.raw);
	free(work.copy);
	cairn_free(work.cairn);
	return rc == 0 ? 0 : 1;
}
