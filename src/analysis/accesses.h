/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_ACCESSES_H
#define ANALYSIS_ACCESSES_H
/*
 * What is kept of memory accesses, handed from the counting (accesses.c) to the report
 * (accesses_report.c).
 */
#include "analysis/reuse.h"
#include "analysis/run.h"

enum { MEM_SIZES = 16, MEM_BUCKETS = 40, MEM_WINDOW = 16384, MEM_CACHES = 8, MEM_STRIDES = 4,
	MEM_PAGE = 4096 };

/* A line: the counters of its address. */
struct mem_line {
	uint64_t reads, writes;
	uint64_t readers, writers; /* bit hart % 64 */
};
enum { LINE_WORDS = sizeof(struct mem_line) / 8 };

/* A static instruction: the counters of its address. */
struct mem_site {
	uint64_t reads, writes, bytes;
	uint64_t last;      /* address */
	int64_t last_stride;
	uint64_t strides, repeats; /* repeats: a stride like the one before */
	int64_t stride[MEM_STRIDES];   /* candidates for the most frequent one, */
	uint64_t weight[MEM_STRIDES];  /* as Misra and Gries keep them */
};
enum { SITE_WORDS = sizeof(struct mem_site) / 8 };

struct mem_step {
	uint64_t addr, pc, n;
	uint32_t size;
	uint16_t hart;
	uint8_t write, pad;
};

struct mem_count { /* all words: added up as such */
	uint64_t instructions, executed, with_access, reads, writes, prefetches, fetches, others;
	uint64_t read_bytes, written_bytes, no_address, no_size, unaligned, cross_line, cross_page;
	uint64_t sizes[2][MEM_SIZES][2]; /* write, log2 of size (last: no power of two), unaligned */
};

struct mem_part {
	struct mem_count count;
	struct base_buf stream; /* struct mem_step */
	/* of a sum only, filled while joining */
	struct base_map lines;  /* line → struct mem_line */
	struct base_map sites;  /* pc → struct mem_site */
	uint64_t reuse[MEM_BUCKETS], cold, sampled;
	uint64_t forward[MEM_BUCKETS][2], not_forwarded; /* whole, in part */
	uint64_t again[MEM_BUCKETS], not_again;          /* load to load */
	uint64_t misses[MEM_CACHES][2], probes[MEM_CACHES][2];
	uint64_t new_lines, new_pages;
};

struct mem_cache_model {
	uint64_t size, ways, line;
};

struct mem_run {
	struct cairn *c;
	const struct cairn_analysis_opts *opts;
	unsigned line_shift;
	uint64_t sample; /* one line of so many; 1: exact, 0: no reuse distances */
	struct mem_cache_model cache[MEM_CACHES];
	unsigned n_caches;
	bool has_accesses;
	/* what goes on from part to part */
	struct reuse *reuse;
	struct base_map seen_lines, seen_pages; /* ever; of a series */
	struct base_map young, old;             /* 8 bytes of memory → who touched them last */
	uint64_t epoch;                         /* young is of this one */
	struct base_map cache_state;            /* hart, cache → pointer to sets */
};

int memory_report(void *user, void *sum, struct cairn_result *res);

static inline unsigned mem_bucket(uint64_t n)
{
	return n ? 64u - (unsigned)__builtin_clzll(n) : 0; /* 0, 1, 2-3, 4-7 … */
}

#endif
