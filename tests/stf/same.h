/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_STF_SAME_H
#define TESTS_STF_SAME_H
/* For tests: comparing instructions of traces that were cut and joined. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/cairn.h"

struct same_row {
	uint64_t pc, target;
	uint32_t enc, flags;
	uint8_t isa, size;
	struct cairn_ctx ctx;
	char *text; /* its rows, a line each; those a splice may add begin with + */
};
struct same_trace {
	struct same_row *rows;
	size_t n, cap;
};
/* A status; CAIRN_E_DAMAGED for damage of any kind. */
int same_read(struct cairn *cairn, const char *path, struct same_trace *trace);
void same_free(struct same_trace *trace);
/* NULL, or how the joined trace's row `right` differs from the original's `left`. */
const char *same_differ(const struct same_row *left, const struct same_row *right, bool splice);

#endif
