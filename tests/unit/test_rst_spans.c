/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an RST trace is cut changes nothing: made-up traces with long stretches without
 * instructions, read in one piece by one thread, and in pieces of many sizes by several.
 * And what the loop for simple instructions (run.c) makes of them is what they are when it
 * never gets two at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/check.h"
#include "formats/rst/record/encode.h"
#include "formats/rst/rst.h"

enum { SIZE = CAIRN_RST_SIZE, RECORDS = 3 * RST_GRID + 5000, CPUS = 3 };

struct made {
	struct cairn *cairn;
	uint8_t *p;
	size_t n;
	uint64_t random;
};

static unsigned pick(struct made *made, unsigned n)
{
	made->random = made->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(made->random >> 33) % n;
}

static void instr(struct made *made, uint8_t *p, uint64_t *pc)
{
	unsigned cpu = pick(made, CPUS);
	bool call = pick(made, 8) == 0, retry = !call && pick(made, 8) == 0;
	p[0] = CAIRN_RST_INSTR;
	p[1] = call || retry ? RST_I_EA_VALID | RST_I_BT : 0;
	p[2] = (uint8_t)(cpu << 2);
	base_put_be32(p + 4, call ? 0x40000004 : retry ? 0x83f00000 : 0x01000000);
	base_put_be64(p + 8, pc[cpu]);
	base_put_be64(p + 16, call || retry ? pc[cpu] + 4 : 0);
	pc[cpu] += 4;
}

static void other(struct made *made, uint8_t *p)
{
	static const uint8_t types[] = {CAIRN_RST_THREAD,
	                                CAIRN_RST_PROCESS,
	                                CAIRN_RST_STRCONT,
	                                CAIRN_RST_STRDESC,
	                                CAIRN_RST_PAVADIFF,
	                                CAIRN_RST_PHYSADDR,
	                                CAIRN_RST_TLB,
	                                CAIRN_RST_DMA,
	                                CAIRN_RST_TRAPEXIT,
	                                CAIRN_RST_NULLREC,
	                                99};
	unsigned cpu = pick(made, CPUS), type = types[pick(made, sizeof types)];
	for (unsigned i = 8; i < SIZE; i++)
		p[i] = (uint8_t)pick(made, 3);
	p[0] = (uint8_t)(type == 99 && pick(made, 50) ? CAIRN_RST_CPU : type);
	if (p[0] == CAIRN_RST_STRCONT || p[0] == CAIRN_RST_STRDESC)
		memset(p + 1, 'a' + (int)pick(made, 26), SIZE - 2);
	else if (p[0] == CAIRN_RST_PAVADIFF || p[0] == CAIRN_RST_PHYSADDR)
		p[1] = (uint8_t)(pick(made, 2) << 7 | cpu);
	else if (p[0] == CAIRN_RST_TRAPEXIT)
		p[2] = (uint8_t)(cpu << 2);
	else if (p[0] == CAIRN_RST_TLB)
		p[4] = (uint8_t)cpu;
}

/* `followers`: the stretches begin with values behind an instruction. */
static void make(struct made *made, uint64_t seed, bool followers)
{
	uint64_t pc[CPUS] = {0x10000, 0x20000, 0x30000};
	int cpu = -1;
	memset(made->p, 0, (size_t)RECORDS * SIZE);
	made->random = seed;
	made->n = 0;
	for (unsigned i = 0; i < RECORDS; i++) {
		uint8_t *p = made->p + made->n;
		unsigned in = (i + (unsigned)seed) % (2 * RST_GRID);
		bool stretch = in > 9000;
		made->n += SIZE;
		if (i == 0) {
			rst_make_header(p, RST_NEWEST);
		} else if (!stretch && pick(made, 3)) {
			instr(made, p, pc);
			cpu = p[2] >> 2;
		} else if (followers && cpu >= 0 && (stretch ? in < 80000 : pick(made, 2))) {
			rst_make_regval(p, (unsigned)cpu, true, RST_R_INT, 1 + pick(made, 30), i);
		} else if (pick(made, 9) == 0) { /* TPC and TNPC, of the level in force or above */
			unsigned of = pick(made, CPUS), above = pick(made, 2) * (ISA_SPARC_TPC_TL + 1);
			rst_make_regval(p, of, false, RST_R_PRIV, above, pc[of]);
			rst_put_reg(p, 1, RST_R_PRIV, above + (above ? 8 : 1), pc[of] + 4 * pick(made, 3));
		} else if (pick(made, 3) == 0) {
			rst_make_regval(p, pick(made, CPUS), pick(made, 2), RST_R_INT, 1 + pick(made, 30), i);
		} else {
			other(made, p);
		}
	}
}

/* Values of CPU 0 from behind its instruction to beyond the place of the grid that cuts them from it.
 * From there on they wait for its next one, while CPU 1 runs. */
static void make_cut(struct made *made)
{
	enum { AT = RST_GRID - 100, LAST = 2 * RST_GRID + 500, AGAIN = LAST + 10000 };
	uint64_t pc = 0x10000;
	memset(made->p, 0, (size_t)RECORDS * SIZE);
	made->n = (size_t)RECORDS * SIZE;
	rst_make_header(made->p, RST_NEWEST);
	for (unsigned i = 1; i < RECORDS; i++) {
		uint8_t *p = made->p + (size_t)i * SIZE;
		if (i > AT && i <= LAST) {
			rst_make_regval(p, 0, true, RST_R_INT, 1 + i % 30, i);
			continue;
		}
		p[0] = CAIRN_RST_INSTR;
		p[2] = i == AT || i > AGAIN ? 0 : 1 << 2;
		base_put_be32(p + 4, 0x01000000);
		base_put_be64(p + 8, pc += 4);
	}
}

/* ---- what a reading tells: its slots, one after another ---- */

static int begin(void *user, void **partial)
{
	struct base_buf *buf = calloc(1, sizeof *buf);
	base_buf_init(buf, ((struct made *)user)->cairn);
	*partial = buf;
	return 0;
}

static void rows(struct base_buf *out, const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *row = &batch->insns[index];
	for (uint32_t k = row->reg0; k < row[1].reg0; k++)
		base_buf_printf(out, "r%u=%llx.%u ", batch->regs[k].num,
		                (unsigned long long)batch->regs[k].value, batch->regs[k].seq);
	for (uint32_t k = row->mem0; k < row[1].mem0; k++)
		base_buf_printf(out, "m%llx.%u ", (unsigned long long)batch->mems[k].pa,
		                batch->mems[k].seq);
	for (uint32_t k = row->ev0; k < row[1].ev0; k++) {
		const struct cairn_event *event = &batch->events[k];
		base_buf_printf(out, "e%u:%llx.%u ", event->kind, (unsigned long long)event->code,
		                event->seq);
		if (event->len <= batch->n_bytes && event->args <= batch->n_bytes - event->len)
			base_buf_put(out, batch->bytes + event->args, event->len);
	}
}

static int feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct base_buf *out = partial;
	(void)user;
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		const struct cairn_ctx *ctx = &batch->ctxs[batch->insns[i].ctx];
		base_buf_printf(out, "%llu %llx f%x h%u p%u t%u/%llx a%u k%x ",
		                (unsigned long long)batch->n0 + i, (unsigned long long)batch->insns[i].pc,
		                batch->insns[i].flags, ctx->hart, ctx->pid, ctx->tid,
		                (unsigned long long)ctx->ctxid, ctx->asid, ctx->known);
		rows(out, batch, i);
	}
	size_t before = out->len;
	rows(out, batch, batch->n_insns);
	if (out->len > before)
		base_buf_printf(out, "| ");
	return 0;
}

static int fold(void *user, void *partial)
{
	struct base_buf *buf = partial;
	uint64_t *hash = ((struct made *)user)->p ? &((struct made *)user)->random : NULL;
	for (size_t i = 0; i < buf->len; i++)
		*hash = (*hash ^ buf->data[i]) * UINT64_C(0x100000001b3);
	base_buf_free(buf);
	free(buf);
	return 0;
}

static uint64_t told(struct made *made, const char *from, unsigned threads)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = begin,
	                                         .feed = feed,
	                                         .fold = fold};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	struct cairn_reader *reader;
	assert_int_equal(cairn_open_memory(made->cairn, made->p, made->n, &opts, &reader), 0);
	cairn_reader_want(reader, CAIRN_EVERYTHING);
	made->random = 1;
	assert_int_equal(cairn_run(reader, &red, made, UINT64_MAX, threads), 0);
	cairn_close(reader);
	return made->random;
}

static const char *const ways[] = {"rst",
                                   "rst:piece=24",
                                   "rst:piece=1000",
                                   "rst:piece=100008",
                                   "rst:piece=1572864",
                                   "rst:piece=1572888"};

static void a_long_stretch_reads_alike_however_it_is_cut(void **state)
{
	struct made *made = *state;
	for (unsigned seed = 0; seed < 4; seed++) {
		make(made, seed * 40000 + 1, seed & 1);
		uint64_t want = told(made, "rst", 1);
		for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
			if (told(made, ways[i], 3) != want)
				fail_msg("seed %u: %s reads otherwise", seed, ways[i]);
	}
}

static void values_that_are_cut_off_wait_beyond_their_piece(void **state)
{
	struct made *made = *state;
	make_cut(made);
	uint64_t want = told(made, "rst", 1);
	assert_int_equal(told(made, "rst:piece=1000", 3), want);
	assert_int_equal(told(made, "rst:piece=3200016", 3), want); /* ends between the two */
}

/* ---- runs ---- */

/* Code of all kinds, on two CPUs for some instructions each. */
static void make_code(struct made *made, uint64_t seed, bool apart)
{
	static const uint32_t codes[] = {0x01000000,
	                                 0x92026001,
	                                 0x82106123,
	                                 0x80a26001 /* cmp */,
	                                 0xc25a2008 /* ldx */,
	                                 0xc2722008 /* stx */,
	                                 0xd27a0009 /* swap */,
	                                 0xc3ea2000 /* prefetch */,
	                                 0xd3f21009 /* casxa */,
	                                 0xd2d80a00 /* ldxa */,
	                                 0x12bfffea /* bne */,
	                                 0x32800004 /* bne,a */,
	                                 0x10800004 /* ba */,
	                                 0x10000001 /* bn */,
	                                 0x40000010 /* call */,
	                                 0x81c3e008 /* retl */,
	                                 0x83f00000 /* retry */,
	                                 0x91d0206d /* ta */,
	                                 0x00000000 /* illtrap */,
	                                 0x03000404};
	uint64_t pc[2] = {0x10000, 0x20000};
	unsigned cpu = 0, bits = 0;
	made->random = seed;
	made->n = 0;
	while (made->n < (size_t)40000 * SIZE) {
		uint8_t *p = made->p + made->n;
		bool ea = pick(made, 4) != 0, bt = pick(made, 6) == 0;
		memset(p, 0, 3 * SIZE);
		made->n += SIZE;
		cpu ^= pick(made, 40) == 0;
		bits = pick(made, 50) ? bits : pick(made, 4) << 3; /* privilege */
		if (pick(made, 8) == 0) {
			rst_make_pavadiff(p, cpu, (uint16_t)(pick(made, 20) == 0), 0x10000 * pick(made, 9),
			                  pick(made, 2), 0, 0x20000 * pick(made, 9));
			p += SIZE;
			made->n += SIZE;
		}
		unsigned odd = pick(made, 60), an_tr = odd == 0 ? RST_I_AN : odd == 1 ? RST_I_TR : 0u;
		uint32_t code = codes[pick(made, sizeof codes / sizeof *codes)];
		uint64_t to = pick(made, 30) ? 0x10000 + 4 * pick(made, 4096) : 0x31415921;
		rst_make_instr(p, cpu, bits | (ea ? RST_I_EA_VALID : 0u) | (bt ? RST_I_BT : 0u) | an_tr,
		               code, pc[cpu] | (odd == 2), to);
		pc[cpu] = pick(made, 10) ? pc[cpu] + 4 : bt ? to : 0x10000 + 4 * pick(made, 4096);
		if (apart) {
			p[SIZE] = CAIRN_RST_NULLREC;
			made->n += SIZE;
		}
	}
}

/* Instructions and accesses as they are, but for their places. */
static void tell_rows(struct made *made, struct base_buf *out)
{
	struct cairn_batch *batch = cairn_batch_new(made->cairn);
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "rst:version=2.13"};
	struct cairn_reader *reader;
	base_buf_init(out, made->cairn);
	assert_int_equal(cairn_open_memory(made->cairn, made->p, made->n, &opts, &reader), 0);
	while (cairn_next(reader, batch) == 1)
		for (uint32_t i = 0; i < batch->n_insns; i++) {
			struct cairn_insn row = batch->insns[i];
			uint32_t from = row.mem0, n = batch->insns[i + 1].mem0 - from;
			base_buf_put(out, &batch->ctxs[row.ctx], sizeof *batch->ctxs);
			row.rec = row.off = row.ctx = row.reg0 = row.mem0 = row.ev0 = 0;
			base_buf_put(out, &row, sizeof row);
			base_buf_put(out, &batch->mems[from], n * sizeof *batch->mems);
		}
	cairn_close(reader);
	cairn_batch_free(made->cairn, batch);
}

static void a_run_reads_like_its_instructions_one_by_one(void **state)
{
	struct made *made = *state;
	for (unsigned seed = 1; seed < 6; seed++) {
		struct base_buf runs, apart;
		make_code(made, seed, false);
		tell_rows(made, &runs);
		make_code(made, seed, true);
		tell_rows(made, &apart);
		assert_true(apart.len > 1000000 && runs.len > apart.len);
		if (memcmp(runs.data, apart.data, apart.len) != 0)
			fail_msg("seed %u", seed);
		base_buf_free(&runs);
		base_buf_free(&apart);
	}
}

/* ---- check ---- */

static int on_finding(void *user, const struct cairn_finding *finding)
{
	return base_buf_printf(user, "%s %llu %llu %s\n", finding->rule->id,
	                       (unsigned long long)finding->record, (unsigned long long)finding->insn,
	                       finding->message);
}

static void judge(struct made *made, const char *from, unsigned threads, uint64_t most,
                  struct base_buf *out)
{
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = most,
	                                .finding = on_finding,
	                                .user = out};
	struct cairn_open_opts open = {.size = sizeof open, .from = from, .lenient = 1};
	struct cairn_check_result *res = calloc(1, sizeof *res);
	assert_non_null(res);
	res->size = sizeof *res;
	struct cairn_reader *reader;
	base_buf_init(out, made->cairn);
	assert_int_equal(cairn_open_memory(made->cairn, made->p, made->n, &open, &reader), 0);
	assert_true(cairn_check(reader, &opts, res) >= 0);
	base_buf_printf(out, "%llu errors, %llu warnings\n", (unsigned long long)res->errors,
	                (unsigned long long)res->warnings);
	cairn_close(reader);
	free(res);
}

/* Of each rule the first findings are told: which they are does not hang on the pieces. */
static void the_first_findings_are_the_same_however_it_is_cut(void **state)
{
	struct made *made = *state;
	for (unsigned seed = 0; seed < 2; seed++) {
		struct base_buf want, got;
		make(made, seed * 50000 + 7, seed & 1);
		for (uint64_t most = 3; most <= 100; most += 97) {
			judge(made, "rst", 1, most, &want);
			for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
				judge(made, ways[i], i & 1 ? 1 : 3, most, &got);
				if (got.len != want.len || memcmp(got.data, want.data, got.len) != 0)
					fail_msg("seed %u: %s finds otherwise, of %d", seed, ways[i], (int)most);
				base_buf_free(&got);
			}
			base_buf_free(&want);
		}
	}
}

/* ---- memory ---- */

struct meter {
	uint64_t held, peak;
};

static void *metered(void *user, void *p, size_t n)
{
	struct meter *meter = user;
	uint64_t *q = p ? (uint64_t *)p - 2 : NULL, had = q ? *q : 0;
	uint64_t held = __atomic_add_fetch(&meter->held, n - had, __ATOMIC_RELAXED);
	uint64_t peak = __atomic_load_n(&meter->peak, __ATOMIC_RELAXED);
	if (n > had && held > peak)
		__atomic_store_n(&meter->peak, held, __ATOMIC_RELAXED);
	if (n == 0) {
		free(q);
		return NULL;
	}
	q = realloc(q, n + 2 * sizeof *q);
	if (!q)
		return NULL;
	*q = n;
	return q + 2;
}

static uint64_t count_gzip(struct cairn *cairn, const char *path, unsigned threads)
{
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	assert_int_equal(cairn_open(cairn, path, NULL, &reader), 0);
	assert_int_equal(cairn_count(reader, threads, &tally), 0);
	cairn_close(reader);
	return tally.records;
}

/* Values of a CPU that never runs, 72 MB of them, in a stream. */
static void a_stream_without_instructions_is_read_in_little_memory(void **state)
{
	enum { ALL = 3000000, LIMIT = 40 << 20 };
	static uint8_t block[1000 * SIZE];
	char path[] = "/tmp/cairn-rst-spans-XXXXXX";
	struct meter meter = {0};
	struct cairn_opts opts = {.size = sizeof opts, .realloc = metered, .alloc_user = &meter};
	struct cairn *cairn = cairn_new(&opts);
	struct cairn_sink *sink;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (unsigned i = 0; i < 1000; i++)
		rst_make_regval(block + (size_t)i * SIZE, 3, false, RST_R_INT, 1 + i % 30, i);
	assert_true(io_sink_open(cairn, path, cairn_codec_find(cairn, "gzip"), 1, 1, &sink) >= 0);
	for (unsigned i = 0; i < ALL / 1000; i++)
		assert_int_equal(cairn_sink_write(sink, block, sizeof block), 0);
	assert_int_equal(cairn_sink_finish(sink), 0);
	meter.peak = meter.held;
	assert_int_equal(count_gzip(cairn, path, 2), ALL);
	assert_true(meter.peak < LIMIT);

	struct cairn_check_opts how = {.size = sizeof how, .threads = 2};
	struct cairn_check_result *res = calloc(1, sizeof *res);
	assert_non_null(res);
	res->size = sizeof *res;
	struct cairn_reader *reader;
	assert_int_equal(cairn_open(cairn, path, NULL, &reader), 0);
	assert_int_equal(cairn_check(reader, &how, res), 0);
	cairn_close(reader);
	assert_true(meter.peak < LIMIT);
	free(res);
	unlink(path);
	cairn_free(cairn);
	assert_int_equal(meter.held, 0);
}

static int setup(void **state)
{
	struct made *made = calloc(1, sizeof *made);
	made->cairn = cairn_new(NULL);
	made->p = malloc((size_t)RECORDS * SIZE);
	*state = made;
	return !made->cairn || !made->p;
}

static int teardown(void **state)
{
	struct made *made = *state;
	cairn_free(made->cairn);
	free(made->p);
	free(made);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_stretch_reads_alike_however_it_is_cut),
		cmocka_unit_test(values_that_are_cut_off_wait_beyond_their_piece),
		cmocka_unit_test(a_run_reads_like_its_instructions_one_by_one),
		cmocka_unit_test(the_first_findings_are_the_same_however_it_is_cut),
		cmocka_unit_test(a_stream_without_instructions_is_read_in_little_memory),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
