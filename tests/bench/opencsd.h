/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_OPENCSD_H
#define BENCH_OPENCSD_H
/*
 * The decoder that other tools use, where its headers are installed (libopencsd-dev).
 */
#include <stddef.h>
#include <stdint.h>

/* Decode a raw ETE stream over a program; instructions and ranges. 0, or -1 after having
 * said why. */
int bench_opencsd(const uint8_t *trace, size_t n, uint64_t base, const uint8_t *code, size_t n_code,
                  uint64_t *insns, uint64_t *ranges);

#endif
