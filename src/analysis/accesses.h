/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_ACCESSES_H
#define ANALYSIS_ACCESSES_H
/*
 * What is kept of memory accesses, handed from the counting (accesses_feed.c for a part,
 * accesses.c for all) to the report (accesses_report.c).
 */
#include "analysis/reuse.h"
#include "analysis/run.h"
#include "analysis/strides.h"
#include "analysis/tally.h"
#include "analysis/touched.h"

enum { MEM_SIZES = 16, MEM_BUCKETS = 40, MEM_CACHES = 8, MEM_PAGE = 4096 };

/* Behind its counters, a row of a part or of the state that goes on has its slot in an order. */
enum { LINE_SLOT = LINE_WORDS };

#define MEM_NO_PC UINT64_MAX /* at an unknown address: it has no site */

/* An access of an instruction, with what the tables need to know of it. */
enum { MEM_GATHERED = 256, MEM_SITES = 4096 };
struct mem_access {
	uint64_t addr, pc, n; /* n: the instruction's number; pc may be MEM_NO_PC */
	uint32_t size;
	uint16_t hart;
	uint8_t write, pad;
};

/* An access for the caches. */
struct mem_step {
	uint64_t addr;
	uint32_t size;
	uint16_t hart;
	uint8_t write, pad;
};

/* A load whose bytes were last stored, or last loaded, before its part began. */
struct mem_pending {
	uint64_t addr, n;
	uint32_t size;
	uint8_t store, load, pad[2]; /* what is to be asked for */
};

struct mem_count {                                        /* all words: added up as such */
	uint64_t instructions, executed, with_access, silent; /* silent: loads and stores without one */
	uint64_t reads, writes, prefetches, fetches, others;
	uint64_t read_bytes, written_bytes, no_address, no_size, unaligned, cross_line, cross_page;
	uint64_t sizes[2][MEM_SIZES][2]; /* write, log2 of size (last: no power of two), unaligned */
	uint64_t reuse[MEM_BUCKETS], cold, sampled;
	uint64_t forward[MEM_BUCKETS][2], not_forwarded; /* whole, in part */
	uint64_t again[MEM_BUCKETS], not_again;          /* load to load */
	uint64_t far; /* instructions with accesses of harts whose bit is shared with others */
};

/* What a part needs only while it is fed; handed on to other parts once it is empty. */
struct mem_near {
	struct mem_near *next;       /* in the pool */
	struct base_map lines;       /* line → struct mem_line and its slot; as first touched */
	struct base_map sites;       /* pc → struct stride_site */
	uint32_t site_at[MEM_SITES]; /* row of a site by the low bits of its pc; may be outdated */
	struct reuse_order order;
	struct touch_table touched;
	struct base_buf pending; /* struct mem_pending */
	struct base_buf steps;   /* struct mem_step; only for caches */
	/* Where lines are counted together: their counters are in here, not in `lines`, and stay when
	 * the part is done. */
	struct tally_near *tally;
	struct base_map pages; /* those sampled; only for an estimate */
	uint64_t stretch;      /* of an estimate: what is looked at now */
	uint64_t counted;      /* the last instruction that had an access */
	uint64_t kept;         /* accesses of which it holds something */
	struct mem_access gathered[MEM_GATHERED];
	uint16_t owner[CAIRN_CAP_MEMS + 1];
};

struct mem_part {
	struct mem_count count;
	struct mem_near *near; /* NULL before anything was fed */
	/* of a sum only, filled while parts are joined */
	struct base_map lines; /* line → struct mem_line, of an interval */
	struct base_map sites; /* pc → struct stride_site */
	uint64_t misses[MEM_CACHES][2], probes[MEM_CACHES][2];
	uint64_t new_lines, new_pages;
};

struct mem_cache_model {
	uint64_t size, ways, line, sets;
	unsigned shift;      /* of line */
	uint64_t last_tag;   /* the line touched last, and so the first of its set … */
	uint64_t *last_sets; /* … in this hart's cache; NULL: none yet */
	uint16_t last_hart;
};

struct mem_run {
	struct cairn *cairn;
	const struct cairn_analysis_opts *opts;
	unsigned line_shift;
	uint64_t sample;        /* one line of this many; 1: exact, 0: no reuse distances */
	uint64_t sampled_below; /* lines whose 32-bit hash is below this are the sample */
	struct mem_cache_model cache[MEM_CACHES];
	unsigned n_caches;
	bool has_accesses, only_reuse, together, estimate;
	struct tally tally;    /* if `together` */
	struct base_map pages; /* of an estimate: those sampled */
	pthread_mutex_t lock;  /* of the pool */
	struct mem_near *pool;
	/* what goes on from part to part */
	struct base_map lines; /* line → struct mem_line and its slot */
	struct reuse_order order;
	struct touch_table touched;
	struct base_map seen_pages;  /* of a series */
	struct base_map cache_state; /* hart, cache → pointer to sets */
};

/* Sets of harts are words: a hart's bit is its number modulo this. */
enum { MEM_HARTS = 64 };

/* Count rows into a part; >= 0 or CAIRN_E_NOMEM. */
int mem_feed(struct mem_run *run, struct mem_part *part, const struct analysis_rows *rows);
/* The same for an estimate. */
int mem_feed_samples(struct mem_run *run, struct mem_part *part, const struct analysis_rows *rows);

/* Of an estimate: instructions of a stretch, and one of how many stretches and pages is looked at.
 *  */
enum { MEM_STRETCH = 4096, MEM_STRETCHES = 32, MEM_PAGE_SAMPLE = 32 };
/* Is a stretch (from 0) looked at? One of each MEM_STRETCHES in a row is, at a place that varies,
 * so that what repeats in step with them does no harm. The first ones never are. */
static inline bool mem_stretch_chosen(uint64_t stretch)
{
	uint64_t group = stretch / MEM_STRETCHES;
	return stretch % MEM_STRETCHES == (group * UINT64_C(0x9e3779b97f4a7c15) >> 32) % MEM_STRETCHES;
}

/* Is a line in the sample? (The division of the hash's upper half is made once; a sample of 1 holds
 * all.) */
static inline bool mem_sampled(const struct mem_run *run, uint64_t line)
{
	return (line * UINT64_C(0x9e3779b97f4a7c15) ^ line >> 13) * UINT64_C(0xbf58476d1ce4e5b9) >> 32 <
	       run->sampled_below;
}

static inline bool mem_page_sampled(uint64_t page)
{
	return page * UINT64_C(0x9e3779b97f4a7c15) >> 32 < (UINT64_C(1) << 32) / MEM_PAGE_SAMPLE;
}

enum { MEM_MOST_BYTES = 1 << 16 }; /* of an access: what lies beyond is not walked */

static inline struct mem_access mem_access_of(const struct cairn_batch *batch, uint32_t index,
                                              const struct cairn_mem *mem)
{
	const struct cairn_insn *in = &batch->insns[index];
	const struct cairn_ctx *ctx = &batch->ctxs[in->ctx];
	return (struct mem_access){.addr = mem->addr,
	                           .pc = in->flags & CAIRN_INSN_PC_UNKNOWN ? MEM_NO_PC : in->pc,
	                           .n = batch->n0 + index,
	                           .size = mem->size < MEM_MOST_BYTES ? mem->size : MEM_MOST_BYTES,
	                           .hart = ctx->known & CAIRN_CTX_HART ? ctx->hart : 0,
	                           .write = mem->kind == CAIRN_MEM_WRITE};
}

static inline uint64_t mem_last_line(const struct mem_run *run, const struct mem_access *access)
{
	return analysis_last_byte(access->addr, access->size) >> run->line_shift;
}

/* Count an access; does the trace tell its address? */
bool mem_count_access(const struct mem_run *run, struct mem_count *count,
                      const struct cairn_mem *mem);
typedef int mem_take_fn(void *user, struct mem_run *run, const struct mem_access *access, size_t n);
/* Count instructions and accesses, and hand on those whose address is known, a batch at a time. */
int mem_gather(struct mem_run *run, struct mem_near *near, struct mem_count *count,
               const struct analysis_rows *rows, mem_take_fn *take, void *user);
/* What is done with gathered accesses: the sites' strides; lines, distances and forwarding of
 * sampled lines; what caches need. */
int mem_take_sites(struct mem_near *near, const struct mem_access *access, size_t n);
int mem_take_samples(struct mem_run *run, struct mem_part *part, const struct mem_access *access,
                     size_t n);
int mem_take_steps(struct mem_run *run, struct mem_part *part, const struct mem_access *access,
                   size_t n);
/* Add a cache to model; >= 0, or CAIRN_E_INVAL if there can be no such cache. */
int mem_caches_add(struct mem_run *run, const struct cairn_cache *cache);
/* Run one access through all caches, in order; >= 0 or CAIRN_E_NOMEM. */
int mem_caches_take(struct mem_run *run, struct mem_part *sum, const struct mem_step *step);
int memory_report(void *user, void *sum, struct cairn_result *res);

static inline unsigned mem_bucket(uint64_t n)
{
	return n ? 64u - (unsigned)__builtin_clzll(n) : 0; /* 0, 1, 2-3, 4-7 … */
}

static inline void mem_distance(const struct mem_run *run, struct mem_count *count,
                                uint64_t distance)
{
	count->sampled++;
	if (distance == REUSE_COLD)
		count->cold++;
	else
		count->reuse[mem_bucket(distance * run->sample)]++;
}

static inline void mem_stored(struct mem_count *count, const struct touch_answer *answer)
{
	if (answer->stored == TOUCH_NEVER)
		count->not_forwarded++;
	else
		count->forward[mem_bucket(answer->stored)][!answer->whole]++;
}

static inline void mem_loaded(struct mem_count *count, const struct touch_answer *answer)
{
	if (answer->loaded == TOUCH_NEVER)
		count->not_again++;
	else
		count->again[mem_bucket(answer->loaded)]++;
}

#endif
