/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_ANALYSIS_WATCH_H
#define UNIT_ANALYSIS_WATCH_H
/* What one static branch did, and what functions had: by walking the whole trace. */
#include "rows.h"

struct watched {
	uint64_t executed, taken, transitions, targets;
	uint64_t shortest[2], longest[2], runs[2];
	double local, global;
	uint64_t n_local, n_global;
};

/* `order`: rows of branches that ran, in order. */
struct watched watch(const struct trace *trace, const uint32_t *order, size_t n, uint64_t pc);

/* Each instruction goes up the whole stack: only for traces where calls and returns match. */
enum { WATCH_FUNCTIONS = 4096, WATCH_DEPTH = 256 };
struct watched_function {
	uint64_t addr, self, total, calls;
};
size_t watch_calls(const struct trace *trace, struct watched_function *list);
/* That of an address, which is new if it was not there. */
struct watched_function *watched_at(struct watched_function *list, size_t *n, uint64_t addr);

#endif
