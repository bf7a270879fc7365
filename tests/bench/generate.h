/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H
/*
 * Traces made for measuring and testing, the same for the same arguments.
 */
#include <stdint.h>

enum bench_kind {
	BENCH_LEAN,   /* opcodes, targets, accesses with contents: about 2 records an instruction */
	BENCH_FULL,   /* and registers, state dumps, events, process ids: about 4 */
	BENCH_RANDOM, /* no program: records and encodings at random */
	BENCH_KINDS
};

/* What a trace holds. */
struct bench_made {
	uint64_t insns, records, bytes;
	uint64_t loads, stores, taken; /* of the program-like kinds */
	uint64_t by_record[256];
};

enum { BENCH_CHUNK = 100000, BENCH_LEVEL = 3 }; /* of the .zstf: instructions, zstd level */

/* Write a trace of `insns` instructions as raw STF to `stf` and as .zstf to `zstf`
 * (NULL: not). 0, or -1 with errno set. */
int bench_generate(enum bench_kind kind, uint64_t insns, const char *stf, const char *zstf,
                   struct bench_made *made);

#endif
