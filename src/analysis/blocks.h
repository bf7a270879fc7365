/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_BLOCKS_H
#define ANALYSIS_BLOCKS_H
/*
 * Basic blocks of a trace, for blocks.c, which counts them, and simpoints.c, which compares
 * intervals by them.
 */
#include "analysis/run.h"

/* A block, by the address it begins at. */
struct block {
	uint64_t executions, instructions;
	uint64_t end; /* the address behind it; the highest one seen */
};
enum { BLOCK_WORDS = sizeof(struct block) / 8 };

struct block_part {
	uint64_t instructions, unplaced; /* of these, at unknown addresses */
	struct base_map blocks;          /* pc → struct block */
	struct base_map harts;           /* hart → struct block_flow: its first block and its last */
};

struct block_run {
	struct cairn *cairn;
	const struct cairn_analysis_opts *opts;
	bool only_taken;
	struct base_map open; /* hart → struct block_flow, behind all that was joined */
	/* What to do with an interval; `user` is the caller's. */
	int (*report)(struct block_run *run, const struct block_part *sum, struct cairn_result *res);
	void *user;
};

/* Run over blocks that end as `ends` says (see cairn_blocks), and report as run->report says. */
int blocks_run(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
               const char *ends, struct block_run *run, struct cairn_result **out);

#endif
