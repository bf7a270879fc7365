/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two small traces made of the input: a byte a row, few places so that they meet
 * again and again. Asserted: the counts add up to the rows of each trace; hunks
 * come in order and do not overlap; B against A is the same turned round, on any
 * number of threads.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 4096, HEADER = 17, ROW = 9 + 12 + 5 };

static const uint8_t header[HEADER] = {1, 'S', 'T', 'F', 2, 1, 0, 0, 0, 5, 0, 0, 0, 4, 1, 0, 19};

struct seen {
	uint64_t a, b; /* where the last hunk ended */
	uint64_t n_a, n_b, hunks;
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* Bits: 0-4 the place, 5 the encoding, 6-7 a register. */
static size_t make(uint8_t *out, const uint8_t *rows, size_t n)
{
	uint8_t *p = out;
	memcpy(p, header, HEADER);
	p += HEADER;
	for (size_t i = 0; i < n; i++) {
		memset(p, 0, ROW);
		p[0] = CAIRN_STF_FORCE_PC;
		p[1] = (uint8_t)(rows[i] & 31) * 4;
		p[9] = CAIRN_STF_INST_REG;
		p[10] = 5;
		p[12] = CAIRN_ROLE_DST << 4 | CAIRN_REG_INT;
		p[13] = rows[i] >> 6;
		p[21] = CAIRN_STF_INST_32;
		p[22] = rows[i] & 32 ? 0x93 : 0x13;
		p += ROW;
	}
	return (size_t)(p - out);
}

static int see(void *user, const struct cairn_diff_hunk *hunk)
{
	struct seen *seen = user;
	check(hunk->a_first >= seen->a && hunk->b_first >= seen->b);
	check(hunk->a_count || hunk->b_count);
	check(hunk->n_a <= hunk->a_count && hunk->n_b <= hunk->b_count);
	check(hunk->kind != CAIRN_DIFF_CHANGED || (hunk->a_count == hunk->b_count && hunk->fields));
	seen->a = hunk->a_first + hunk->a_count;
	seen->b = hunk->b_first + hunk->b_count;
	seen->n_a += hunk->a_count;
	seen->n_b += hunk->b_count;
	seen->hunks++;
	return 0;
}

static void compare(struct cairn *cairn, const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                    struct cairn_diff_opts opts, struct cairn_diff_sum *sum)
{
	struct cairn_reader *ra, *rb;
	struct seen seen = {1, 1, 0, 0, 0};
	check(cairn_open_memory(cairn, a, na, NULL, &ra) >= 0);
	check(cairn_open_memory(cairn, b, nb, NULL, &rb) >= 0);
	opts.user = &seen;
	int rc = cairn_diff(ra, rb, &opts, sum);
	check(rc == (sum->hunks > 0));
	check(seen.hunks == sum->hunks);
	check(seen.n_a == sum->changed + sum->only_a && seen.n_b == sum->changed + sum->only_b);
	cairn_close(ra);
	cairn_close(rb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 3 || n > MOST)
		return 0;
	struct cairn_diff_opts opts = {.size = sizeof opts,
	                               .window = 1u + data[0],
	                               .context = data[1] % 5u,
	                               .rows = 1u + data[1] % 7u,
	                               .threads = 1u + data[1] % 3u,
	                               .hunk = see,
	                               .fields = CAIRN_DIFF_DEFAULT |
	                                         (data[1] & 64 ? (uint32_t)CAIRN_DIFF_REGS : 0)};
	size_t rows = n - 3, half = rows * data[2] / 255;
	uint8_t *a = malloc(HEADER + half * ROW), *b = malloc(HEADER + (rows - half) * ROW);
	struct cairn *cairn = cairn_new(NULL);
	check(a && b && cairn);
	size_t na = make(a, data + 3, half), nb = make(b, data + 3 + half, rows - half);
	struct cairn_diff_sum x = {.size = sizeof x}, y = {.size = sizeof y};
	compare(cairn, a, na, b, nb, opts, &x);
	check(x.equal + x.changed + x.only_a == half);
	check(x.equal + x.changed + x.only_b == rows - half);
	opts.threads = 1;
	compare(cairn, b, nb, a, na, opts, &y);
	check(x.hunks == y.hunks && x.equal == y.equal && x.changed == y.changed);
	check(x.only_a == y.only_b && x.only_b == y.only_a);
	compare(cairn, a, na, a, na, opts, &x);
	check(x.hunks == 0 && x.equal == half);
	free(a);
	free(b);
	cairn_free(cairn);
	return 0;
}
