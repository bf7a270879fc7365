/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_TOGETHER_H
#define FUZZ_TOGETHER_H
/*
 * A check that has batches fed in the same pass, against a check and a run that each have a
 * pass of their own: the findings, the batches and the damage are the same.
 */
#include "cairn/cairn.h"

/* A trace: its bytes, or a file. */
struct together {
	const void *p;
	size_t n;
	const char *path; /* of the trace; NULL: it is the n bytes at p */
	const char *from;
	const struct cairn_image *image;
	unsigned threads;
};

/* Aborts unless it is so; 1, or 0 when the trace cannot be opened or has no rules. */
int together_is_as_apart(struct cairn *cairn, const struct together *how);

#endif
