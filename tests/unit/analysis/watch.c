/* SPDX-License-Identifier: Apache-2.0 */
/* See watch.h. */
#include "watch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

enum { HISTORY = 8 };

static double guess(const uint64_t count[256][2], uint64_t *n)
{
	double bits = 0;
	*n = 0;
	for (unsigned h = 0; h < 256; h++) {
		double a = (double)count[h][0], b = (double)count[h][1];
		*n += count[h][0] + count[h][1];
		if (a > 0 && b > 0)
			bits -= a * log2(a / (a + b)) + b * log2(b / (a + b));
	}
	return bits;
}

struct watched watch(const struct trace *trace, const uint32_t *order, size_t n, uint64_t pc)
{
	static uint64_t local[256][2], global[256][2];
	struct watched watched = {0};
	uint64_t targets[64];
	unsigned mine = 0, n_mine = 0, all = 0, n_all = 0;
	uint64_t run = 0;
	memset(local, 0, sizeof local);
	memset(global, 0, sizeof global);
	for (size_t i = 0; i < n; i++) {
		const struct cairn_insn *in = &trace->rows[order[i]].in;
		bool cond = in->traits & CAIRN_TRAIT_CONDITIONAL;
		bool taken = in->flags & CAIRN_INSN_TAKEN || !cond;
		if (in->pc == pc) {
			watched.executed++;
			watched.taken += taken;
			if (n_mine && (mine & 1) != taken) {
				if (watched.transitions++) {
					unsigned way = mine & 1;
					watched.shortest[way] = watched.runs[way] && watched.shortest[way] < run
					                            ? watched.shortest[way]
					                            : run;
					watched.longest[way] = watched.longest[way] > run ? watched.longest[way] : run;
					watched.runs[way]++;
				}
				run = 0;
			}
			run++;
			if (n_mine >= HISTORY)
				local[mine & 255][taken]++;
			if (cond && n_all >= HISTORY)
				global[all & 255][taken]++;
			mine = mine << 1 | taken;
			n_mine++;
			if (in->traits & CAIRN_TRAIT_INDIRECT && in->flags & CAIRN_INSN_TARGET && taken &&
			    watched.targets < 64) {
				uint64_t k = 0;
				while (k < watched.targets && targets[k] != in->target)
					k++;
				if (k == watched.targets)
					targets[watched.targets++] = in->target;
			}
		}
		if (cond) {
			all = all << 1 | taken;
			n_all++;
		}
	}
	watched.local = guess(local, &watched.n_local);
	watched.global = guess(global, &watched.n_global);
	return watched;
}

struct watched_function *watched_at(struct watched_function *list, size_t *n, uint64_t addr)
{
	size_t i = 0;
	while (i < *n && list[i].addr != addr)
		i++;
	if (i == *n) {
		assert_true(*n < WATCH_FUNCTIONS);
		list[(*n)++].addr = addr;
	}
	return &list[i];
}

size_t watch_calls(const struct trace *trace, struct watched_function *list)
{
	uint64_t stack[WATCH_DEPTH] = {trace->rows[0].in.pc};
	size_t depth = 1, n = 0;
	for (size_t i = 0; i < trace->n; i++) {
		const struct cairn_insn *in = &trace->rows[i].in;
		watched_at(list, &n, stack[depth - 1])->self++;
		for (size_t k = 0; k < depth; k++) {
			size_t above = 0;
			while (above < k && stack[above] != stack[k])
				above++;
			if (above == k)
				watched_at(list, &n, stack[k])->total++;
		}
		if (i + 1 < trace->n && in->traits & CAIRN_TRAIT_CALL) {
			stack[depth++] = trace->rows[i + 1].in.pc;
			watched_at(list, &n, stack[depth - 1])->calls++;
		} else if (in->traits & CAIRN_TRAIT_RETURN) {
			depth--;
		}
		assert_true(depth > 0 && depth < WATCH_DEPTH);
	}
	return n;
}
