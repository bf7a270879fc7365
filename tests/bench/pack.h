/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_PACK_H
#define BENCH_PACK_H
/*
 * The two files of a generated trace, written a chunk at a time.
 */
#include <stddef.h>
#include <stdint.h>

struct bench_pack;

/* `zstf` may be NULL. NULL with errno set when it cannot be created. */
struct bench_pack *bench_pack_open(const char *stf, const char *zstf);
/* One chunk's records; `pc` is where its first instruction stands. 0 or -1. */
int bench_pack_chunk(struct bench_pack *pack, const void *data, size_t n, uint64_t pc);
/* 0 or -1 when anything since opening has failed. */
int bench_pack_close(struct bench_pack *pack);

#endif
