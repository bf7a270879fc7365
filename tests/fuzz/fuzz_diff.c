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

static int see(void *user, const struct cairn_diff_hunk *h)
{
	struct seen *s = user;
	check(h->a_first >= s->a && h->b_first >= s->b);
	check(h->a_count || h->b_count);
	check(h->n_a <= h->a_count && h->n_b <= h->b_count);
	check(h->kind != CAIRN_DIFF_CHANGED || (h->a_count == h->b_count && h->fields));
	s->a = h->a_first + h->a_count;
	s->b = h->b_first + h->b_count;
	s->n_a += h->a_count;
	s->n_b += h->b_count;
	s->hunks++;
	return 0;
}

static void compare(struct cairn *c, const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                    struct cairn_diff_opts o, struct cairn_diff_sum *sum)
{
	struct cairn_reader *ra, *rb;
	struct seen s = {1, 1, 0, 0, 0};
	check(cairn_open_memory(c, a, na, NULL, &ra) >= 0);
	check(cairn_open_memory(c, b, nb, NULL, &rb) >= 0);
	o.user = &s;
	int rc = cairn_diff(ra, rb, &o, sum);
	check(rc == (sum->hunks > 0));
	check(s.hunks == sum->hunks);
	check(s.n_a == sum->changed + sum->only_a && s.n_b == sum->changed + sum->only_b);
	cairn_close(ra);
	cairn_close(rb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 3 || n > MOST)
		return 0;
	struct cairn_diff_opts o = {.size = sizeof o,
	                            .window = 1u + data[0],
	                            .context = data[1] % 5u,
	                            .rows = 1u + data[1] % 7u,
	                            .threads = 1u + data[1] % 3u,
	                            .hunk = see,
	                            .fields = CAIRN_DIFF_DEFAULT |
	                                      (data[1] & 64 ? (uint32_t)CAIRN_DIFF_REGS : 0)};
	size_t rows = n - 3, half = rows * data[2] / 255;
	uint8_t *a = malloc(HEADER + half * ROW), *b = malloc(HEADER + (rows - half) * ROW);
	struct cairn *c = cairn_new(NULL);
	check(a && b && c);
	size_t na = make(a, data + 3, half), nb = make(b, data + 3 + half, rows - half);
	struct cairn_diff_sum x, y;
	compare(c, a, na, b, nb, o, &x);
	check(x.equal + x.changed + x.only_a == half);
	check(x.equal + x.changed + x.only_b == rows - half);
	o.threads = 1;
	compare(c, b, nb, a, na, o, &y);
	check(x.hunks == y.hunks && x.equal == y.equal && x.changed == y.changed);
	check(x.only_a == y.only_b && x.only_b == y.only_a);
	compare(c, a, na, a, na, o, &x);
	check(x.hunks == 0 && x.equal == half);
	free(a);
	free(b);
	cairn_free(c);
	return 0;
}
