/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_REUSE_H
#define ANALYSIS_REUSE_H
/*
 * Reuse distances: how many different lines were touched since a line was touched last.
 * That many lines a fully associative cache with least recently used replacement must
 * have to hit.
 */
#include "base/map.h"

struct reuse;

#define REUSE_COLD UINT64_MAX
#define REUSE_FAILED (UINT64_MAX - 1) /* out of memory */

struct reuse *reuse_new(struct cairn *c);
void reuse_free(struct reuse *r);
/* Touch a line: its distance, or REUSE_COLD when it is new. */
uint64_t reuse_touch(struct reuse *r, uint64_t line);
/* It will be touched soon, or very soon. */
void reuse_expect(const struct reuse *r, uint64_t line, bool soon);

#endif
