/* SPDX-License-Identifier: Apache-2.0 */
/* Basic blocks against a walk of the whole trace; vectors; simpoints of known phases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/rows.h"

enum { INSNS = 230000, MOST = 60000 };

static int blocks(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                  const void *arg, struct cairn_result **res)
{
	return cairn_blocks(reader, opts, arg, res);
}

/* ---- reference ---- */

struct walked {
	uint64_t pc, executions, instructions, end;
};

static struct walked *walked_at(struct walked *list, size_t *n, uint64_t pc)
{
	size_t i = (size_t)(pc * 0x9e3779b97f4a7c15u >> 40) % MOST; /* open addressing */
	while (list[i].executions + list[i].instructions && list[i].pc != pc)
		i = (i + 1) % MOST;
	if (!(list[i].executions + list[i].instructions)) {
		list[i].pc = pc;
		++*n;
	}
	return &list[i];
}

/* Rows first … last; what began before first is walked over, but not counted. */
static size_t walk(const struct trace *trace, bool only_taken, size_t first, size_t last,
                   struct walked *list)
{
	uint64_t start[256] = {0}, next[256] = {0};
	bool open[256] = {false};
	size_t n = 0;
	memset(list, 0, MOST * sizeof *list);
	for (size_t i = 0; i < last; i++) {
		const struct cairn_insn *in = &trace->rows[i].in;
		unsigned h = trace->rows[i].ctx.known & CAIRN_CTX_HART ? trace->rows[i].ctx.hart % 256 : 0;
		bool begins = !open[h] || in->pc != next[h] || in->flags & CAIRN_INSN_DISCONTINUITY;
		if (begins)
			start[h] = in->pc;
		next[h] = in->pc + in->size;
		open[h] = !(in->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_EXECUTED)) &&
		          (only_taken ||
		           !(in->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL)));
		if (i < first)
			continue;
		struct walked *walked = walked_at(list, &n, start[h]);
		walked->instructions++;
		walked->executions += begins;
		walked->end = next[h] > walked->end ? next[h] : walked->end;
	}
	return n;
}

static void compare(const struct cairn_table *table, struct walked *list, size_t n, uint64_t first)
{
	size_t rows = 0;
	for (size_t i = 0; i < table->n_rows; i++) {
		if (table->series && number_of(table, i, "first") != first)
			continue;
		size_t more = 0;
		struct walked *walked = walked_at(list, &more, number_of(table, i, "pc"));
		assert_int_equal(more, 0);
		assert_int_equal(number_of(table, i, "executions"), walked->executions);
		assert_int_equal(number_of(table, i, "instructions"), walked->instructions);
		assert_int_equal(number_of(table, i, "end"), walked->end);
		rows++;
	}
	assert_int_equal(rows, n);
}

static void blocks_are_those_of_a_walk(void **state)
{
	(void)state;
	struct walked *list = calloc(MOST, sizeof *list);
	for (unsigned i = 0; i < 2 * TRACE_KINDS; i++) {
		const char *ends = i & 1 ? "taken" : NULL;
		struct trace trace;
		trace_make(&trace, i / 2, i / 2 == TRACE_RANDOM ? 50000 : INSNS);
		struct cairn_result *res = analyse(&trace, blocks, ends, 3, 0, NULL);
		compare(table_of(res, "blocks"), list, walk(&trace, i & 1, 0, trace.n, list), 0);
		cairn_result_free(res);
		/* Each interval by itself, its first block begun in the one before. */
		res = analyse(&trace, blocks, ends, 2, 20001, NULL);
		for (size_t from = 0; from < trace.n; from += 20001) {
			size_t to = from + 20001 < trace.n ? from + 20001 : trace.n;
			compare(table_of(res, "blocks"), list, walk(&trace, i & 1, from, to, list), from + 1);
		}
		cairn_result_free(res);
		trace_free(&trace);
	}
	free(list);
}

static void threads_and_intervals_change_nothing(void **state)
{
	(void)state;
	analyse_all_ways(blocks, NULL, INSNS);
	analyse_all_ways(blocks, "taken", INSNS);
}

/* ---- vectors ---- */

static struct trace_file vectors(const struct trace *trace, unsigned threads, uint64_t every)
{
	struct trace_file file = {0};
	struct cairn_reader *reader;
	struct cairn_analysis_opts opts = {.size = sizeof opts, .threads = threads, .every = every};
	assert_int_equal(cairn_open(trace->cairn, trace->path, NULL, &reader), 0);
	assert_int_equal(cairn_export_bbv(reader, &opts, NULL, trace_collect, &file), 0);
	cairn_close(reader);
	return file;
}

static void vectors_add_up(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_FULL, INSNS);
	struct trace_file one = vectors(&trace, 1, 10000), more = vectors(&trace, 4, 10000);
	assert_string_equal(one.text, more.text);
	size_t lines = 0;
	unsigned long known = 0;
	for (char *line = strtok(one.text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
		uint64_t sum = 0;
		assert_int_equal(*line++, 'T');
		while (*line == ':') {
			unsigned long id = strtoul(line + 1, &line, 10);
			assert_true(id >= 1 && id <= known + 1); /* numbers are given as blocks appear */
			known = id > known ? id : known;
			assert_int_equal(*line, ':');
			sum += strtoul(line + 1, &line, 10);
			assert_int_equal(*line++, ' ');
		}
		assert_int_equal(*line, 0);
		assert_int_equal(sum, 10000);
	}
	assert_int_equal(lines, INSNS / 10000);
	free(one.text);
	free(more.text);
	trace_free(&trace);
}

/* ---- simpoints ---- */

static int simpoints(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                     const void *arg, struct cairn_result **res)
{
	return cairn_simpoints(reader, opts, arg, res);
}

enum { LENGTH = 1000, PHASES = 60 };

/* Three loops, one after another: which one runs in interval i? */
static unsigned phase(unsigned index)
{
	return index % 6 < 3 ? 0 : index % 6 < 5 ? 1 : 2;
}

static void write_phases(const char *path)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_writer *writer;
	assert_int_equal(cairn_create(cairn, path, NULL, &writer), 0);
	for (unsigned i = 0; i < PHASES; i++) {
		uint64_t base = 0x10000 + 0x1000 * phase(i);
		batch->n0 = 1 + (uint64_t)i * LENGTH;
		batch->n_insns = LENGTH;
		batch->n_ctxs = 1;
		batch->have = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET;
		memset(batch->ctxs, 0, sizeof *batch->ctxs);
		memset(batch->insns, 0, (LENGTH + 2) * sizeof *batch->insns);
		for (unsigned k = 0; k < LENGTH; k++) {
			/* addi x1,x1,1 four times and a jump back (a loop of 5); the phase's last jumps on */
			bool jump = k % 5 == 4;
			int64_t by =
				k == LENGTH - 1 ? (int64_t)(0x10000 + 0x1000 * phase(i + 1) - base) - 16 : -16;
			uint32_t v = (uint32_t)by;
			uint32_t jal = 0x6f | (v >> 20 & 1) << 31 | (v >> 1 & 0x3ff) << 21 |
			               (v >> 11 & 1) << 20 | (v >> 12 & 0xff) << 12;
			struct cairn_insn *in = &batch->insns[k];
			*in = (struct cairn_insn){.pc = base + 4 * (k % 5),
			                          .enc = jump ? jal : 0x00108093,
			                          .size = 4,
			                          .isa = CAIRN_ISA_RV64,
			                          .cls = jump ? CAIRN_CLASS_JUMP : CAIRN_CLASS_INT};
			if (jump) {
				in->traits = CAIRN_TRAIT_BRANCH;
				in->flags = CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
				in->target = in->pc + (uint64_t)by;
			}
		}
		assert_int_equal(cairn_put(writer, batch), 0);
	}
	assert_int_equal(cairn_finish(writer, NULL), 0);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

static void phases_are_found(void **state)
{
	(void)state;
	static const double weights[3] = {3 / 6.0, 2 / 6.0, 1 / 6.0};
	char path[64];
	struct trace trace;
	snprintf(path, sizeof path, "/tmp/cairn-phases-%d.stf", (int)getpid());
	write_phases(path);
	trace_read(&trace, path);
	assert_int_equal(trace.n, LENGTH * PHASES);
	struct cairn_result *res = analyse(&trace, simpoints, NULL, 2, LENGTH, NULL);
	const struct cairn_table *table = table_of(res, "simpoints");
	assert_int_equal(number_of(table_of(res, "summary"), 0, "intervals"), PHASES);
	assert_int_equal(table->n_rows, 3);
	unsigned seen = 0;
	for (size_t i = 0; i < 3; i++) {
		unsigned p = phase((unsigned)number_of(table, i, "interval"));
		seen |= 1u << p;
		assert_true(fabs(real_of(table, i, "weight") - weights[p]) < 1e-9);
		assert_int_equal(number_of(table, i, "first"),
		                 number_of(table, i, "interval") * LENGTH + 1);
		assert_int_equal(number_of(table, i, "last"), number_of(table, i, "first") + LENGTH - 1);
	}
	assert_int_equal(seen, 7);
	cairn_result_free(res);
	/* At most two, and other lots: the same trace, fewer points. */
	struct cairn_simpoints_opts two = {.size = sizeof two, .most = 2, .seed = 7};
	res = analyse(&trace, simpoints, &two, 1, LENGTH, NULL);
	assert_int_equal(table_of(res, "simpoints")->n_rows, 2);
	cairn_result_free(res);
	trace_free(&trace);
	unlink(path);
}

/* ---- simpoints, against trying everything ---- */

enum { DIMS = 15, FEW = 9, CLUSTERS = 3, PIECE = 2000 };

/* Draws of splitmix64, as fractions: what a projection's directions are made of. */
static double lot(uint64_t *s)
{
	uint64_t z = *s += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static void project(const struct trace *trace, unsigned index, struct walked *list, double *values)
{
	walk(trace, false, (size_t)index * PIECE, (size_t)(index + 1) * PIECE, list);
	memset(values, 0, DIMS * sizeof *values);
	for (unsigned k = 0; k < MOST; k++) {
		uint64_t s = UINT64_C(0x2545f4914f6cdd1d) ^ list[k].pc * UINT64_C(0xd1342543de82ef95);
		for (unsigned d = 0; d < DIMS && list[k].instructions; d++)
			values[d] += (double)list[k].instructions / PIECE * (2 * lot(&s) - 1);
	}
}

/* Squared distances to the middles of the clusters that `in` says. */
static double spread_of(double v[FEW][DIMS], const unsigned *in, unsigned index)
{
	double sum = 0;
	for (unsigned c = 0; c < index; c++)
		for (unsigned d = 0; d < DIMS; d++) {
			double mean = 0, n = 0;
			for (unsigned i = 0; i < FEW; i++)
				if (in[i] == c) {
					mean += v[i][d];
					n++;
				}
			for (unsigned i = 0; i < FEW; i++)
				if (in[i] == c)
					sum += (v[i][d] - mean / n) * (v[i][d] - mean / n);
		}
	return sum;
}

/* The tightest way there is. */
static double best_of(double v[FEW][DIMS], unsigned index, unsigned *best)
{
	unsigned in[FEW] = {0}, i;
	double least = INFINITY;
	do {
		double s = spread_of(v, in, index);
		if (s < least) {
			least = s;
			memcpy(best, in, sizeof in);
		}
		for (i = 0; i < FEW && ++in[i] == index; i++)
			in[i] = 0;
	} while (i < FEW);
	return least;
}

/* Pelleg and Moore's, for spherical clusters that share a variance. */
static double bic(double spread, const unsigned *in, unsigned index)
{
	double variance = spread / (FEW - index), sum = 0, r = FEW;
	for (unsigned c = 0; c < index; c++) {
		double n = 0;
		for (unsigned i = 0; i < FEW; i++)
			n += in[i] == c;
		sum += n * log(n) - n * log(r) - n / 2 * log(2 * M_PI) - n * DIMS / 2 * log(variance) -
		       (n - index) / 2;
	}
	return sum - ((index - 1) + DIMS * index + 1) / 2.0 * log(r);
}

static void points_are_those_of_trying_everything(void **state)
{
	(void)state;
	struct walked *list = calloc(MOST, sizeof *list);
	for (unsigned kind = 0; kind < 2; kind++) {
		struct cairn_simpoints_opts how = {.size = sizeof how, .most = CLUSTERS};
		double v[FEW][DIMS], bics[CLUSTERS + 1], low = INFINITY, high = -INFINITY, weights = 0;
		unsigned in[CLUSTERS + 1][FEW], k = 1, seen = 0;
		struct trace trace;
		trace_make(&trace, kind, FEW * PIECE);
		for (unsigned i = 0; i < FEW; i++)
			project(&trace, i, list, v[i]);
		struct cairn_result *res = analyse(&trace, simpoints, &how, 3, PIECE, NULL);
		const struct cairn_table *tried = table_of(res, "clustering"),
								 *table = table_of(res, "simpoints");
		assert_int_equal(tried->n_rows, CLUSTERS);
		for (unsigned c = 1; c <= CLUSTERS; c++) {
			bics[c] = bic(best_of(v, c, in[c]), in[c], c);
			if (fabs(bics[c] - real_of(tried, c - 1, "bic")) > 1e-6)
				fail_msg("kind %u: %u clusters: %g, not %g", kind, c, real_of(tried, c - 1, "bic"),
				         bics[c]);
			low = fmin(low, bics[c]);
			high = fmax(high, bics[c]);
		}
		while (bics[k] < low + 0.9 * (high - low))
			k++;
		assert_int_equal(table->n_rows, k);
		for (unsigned c = 0; c < k; c++) {
			/* It is of a cluster of its own, stands nearest to its middle, and for all of it. */
			unsigned at = (unsigned)number_of(table, c, "interval"), mine = in[k][at], n = 0;
			double middle[DIMS] = {0}, nearest = INFINITY, own = 0;
			for (unsigned i = 0; i < FEW; i++)
				for (unsigned d = 0; d < DIMS && in[k][i] == mine; n += d == 0, d++)
					middle[d] += v[i][d];
			for (unsigned i = 0; i < FEW; i++) {
				double far = 0;
				for (unsigned d = 0; d < DIMS; d++)
					far += (v[i][d] - middle[d] / n) * (v[i][d] - middle[d] / n);
				nearest = in[k][i] == mine ? fmin(nearest, far) : nearest;
				own = i == at ? far : own;
			}
			assert_true(fabs(own - nearest) < 1e-12);
			assert_true(fabs(real_of(table, c, "weight") - (double)n / FEW) < 1e-12);
			assert_false(seen >> mine & 1);
			seen |= 1u << mine;
			weights += real_of(table, c, "weight");
		}
		assert_true(fabs(weights - 1) < 1e-12);
		cairn_result_free(res);
		trace_free(&trace);
	}
	free(list);
}

static void points_do_not_depend_on_threads(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, INSNS);
	char *one = analyse_text(&trace, simpoints, NULL, 1, 2000, NULL, NULL);
	char *more = analyse_text(&trace, simpoints, NULL, 4, 2000, NULL, NULL);
	assert_string_equal(one, more);
	free(one);
	free(more);
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_those_of_a_walk),
		cmocka_unit_test(threads_and_intervals_change_nothing),
		cmocka_unit_test(vectors_add_up),
		cmocka_unit_test(phases_are_found),
		cmocka_unit_test(points_are_those_of_trying_everything),
		cmocka_unit_test(points_do_not_depend_on_threads),
	};
	return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
