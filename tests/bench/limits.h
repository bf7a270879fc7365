/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H
/*
 * What the machine can do: the least work that anything of the kind must do. Each
 * maps the file afresh, as a reader does. 0, or -1 after having said why.
 */
#include <stdint.h>

/* Read one word of every cache line. */
int bench_touch(const char *path);
/* Copy all bytes, a piece at a time into a place that stays in the cache. */
int bench_copy(const char *path);
/* Count newlines. */
int bench_newlines(const char *path, uint64_t *lines);
/* Walk the records of a raw STF: nothing but lengths, counts by type and the PC. */
int bench_bare_walk(const char *path, uint64_t *insns);
/* The same with a plain switch that fills flat arrays (PC, encoding, target, registers and
 * accesses with values), a thousand instructions at a time: no decoding, no contexts, no
 * places. */
int bench_flat_arrays(const char *path, uint64_t *insns);
/* Decompress the chunks of a .zstf with the zstd library, and walk them if asked,
 * on some threads. */
int bench_bare_chunks(const char *path, unsigned threads, int walk_too, uint64_t *insns);

#endif
