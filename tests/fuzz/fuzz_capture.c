/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the stream of a capture. What is asserted: batches keep the model's rules,
 * and do not depend on how many bytes come at a time.
 *
 * The first byte is how many that is; the rest follows a header of the set that the second
 * names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/fixtures.h"
#include "cairn/cairn.h"
#include "formats/capture/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 16 };

struct bytes {
	const uint8_t *p;
	size_t n, at, step;
};

static int64_t give(void *user, void *buf, size_t n)
{
	struct bytes *bytes = user;
	size_t left = bytes->n - bytes->at;
	n = n < bytes->step ? n : bytes->step;
	n = n < left ? n : left;
	memcpy(buf, bytes->p + bytes->at, n);
	bytes->at += n;
	return (int64_t)n;
}

/* A number for all that was read, and how it ended. */
static uint64_t walk(const uint8_t *p, size_t n, size_t step, int *end)
{
	struct bytes from = {p, n, 0, step};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "capture"};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = NULL;
	uint64_t sum = 0;
	int rc = cairn_open_stream(cairn, "bytes", give, &from, &opts, &reader);
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0) {
		const char *wrong = check_batch(batch);
		if (wrong) {
			fprintf(stderr, "not so: %s\n", wrong);
			abort();
		}
		for (uint32_t i = 0; i < batch->n_insns; i++)
			sum = sum * 31 + batch->insns[i].pc + batch->insns[i].flags + batch->insns[i].target;
		for (uint32_t i = 0; i < batch->n_regs; i++)
			sum = sum * 31 + batch->regs[i].num + batch->regs[i].bits;
		sum = sum * 31 + batch->n_mems + batch->n_events;
	}
	*end = rc;
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint8_t sets[] = {CAIRN_ISA_RV64, CAIRN_ISA_RV32, CAIRN_ISA_A64, CAIRN_ISA_SPARC};
	static uint8_t room[CAPTURE_LEN_HEADER + MOST];
	int one, other;
	if (n < 2 || n > MOST)
		return 0;
	memset(room, 0, CAPTURE_LEN_HEADER);
	memcpy(room, CAPTURE_MAGIC, 8);
	capture_put_HEADER_version(room, CAPTURE_VERSION);
	capture_put_HEADER_isa(room, sets[data[1] & 3]);
	capture_put_HEADER_flags(room, data[1] >> 2 & 1);
	memcpy(room + CAPTURE_LEN_HEADER, data + 2, n - 2);
	n += CAPTURE_LEN_HEADER - 2;
	if (walk(room, n, n, &one) != walk(room, n, 1u + data[0], &other) || one != other) {
		fprintf(stderr, "not so: the bytes that come at a time do not matter\n");
		abort();
	}
	return 0;
}
