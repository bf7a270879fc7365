/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_RUN_H
#define ANALYSIS_RUN_H
/*
 * What every analysis is made of: parts that are fed in parallel and joined in trace
 * order. The run cuts batches at the borders of intervals, judges the selection, and
 * turns parts into the result.
 */
#include "analysis/result.h"
#include "base/map.h"
#include "check/check.h"
#include "image/image.h"
#include "model/model.h"

enum analysis_order {
	/* The order of instructions does not matter: a part may hold pieces from anywhere. */
	ANALYSIS_COMMUTATIVE,
	/* A part holds what follows on in the trace; what is open at its ends join closes. */
	ANALYSIS_BOUNDARY,
	/* Feeding only extracts; join does the work. Parts are joined as soon as may be. */
	ANALYSIS_SEQUENTIAL
};

/* Rows [from, to) of a batch, of which keep marks those selected (NULL: all). */
struct analysis_rows {
	const struct cairn_batch *batch;
	const uint8_t *keep;
	uint32_t from, to;
};

enum { ANALYSIS_MAPS = 5 };
struct analysis_kind {
	const char *name;
	enum analysis_order order;
	uint32_t parts; /* of the batch it looks at (enum cairn_part) */
	size_t part;    /* bytes of a part, which begins zeroed */
	/* The maps in a part, by offsetof and width, and its stream: a struct base_buf for what
	 * feeding extracts. The run makes and frees them. */
	struct {
		size_t at;
		unsigned width;
	} maps[ANALYSIS_MAPS];
	unsigned n_maps;
	size_t stream; /* its offsetof; 0: there is none */
	int (*feed)(void *user, void *part, const struct analysis_rows *rows);
	/* `part` comes behind everything in `sum`, a part of its own, and is then freed. */
	int (*join)(void *user, void *sum, void *part);
	/* An interval, or all, is complete: put its rows into the result. */
	int (*report)(void *user, void *sum, struct cairn_result *res);
	/* Free what else it holds; may be NULL. */
	void (*end)(void *user, void *part);
	/* Bytes it holds, of a sequential one; NULL: those of its stream. */
	size_t (*held)(const void *part);
};

/* An analysis that is ready to run. */
struct analysis_job {
	struct cairn_analysis_opts opts;
	struct analysis_kind kind;
	void *user;               /* what the kind's functions get */
	void (*done)(void *user); /* frees it; may be NULL */
	struct cairn_result *res; /* made by the run */
};

/* Run analyses in one pass over the trace: all with the threads and the selection of the
 * first. Their results belong to the caller; there are none after an error. `checking`: the
 * trace is the next part of that check, which walks it in the same pass; NULL: of none. */
int analysis_run(struct cairn_reader *reader, struct analysis_job *jobs, unsigned n,
                 struct cairn_checking *checking);
/* Run one, free what is its own, and give the result: what most do. `rc` is how its making
 * went; nothing is run if that failed. */
int analysis_do(struct cairn_reader *reader, struct analysis_job *job, int rc,
                struct cairn_result **res);
/* Free what belongs to a job, of which no more than zeroing may have been done. */
void analysis_done(struct analysis_job *job);
/* Make a zeroed job of a kind, with options as analysis_opts understands them, and a zeroed
 * `user` of that size. */
int analysis_job(struct cairn_reader *reader, const struct cairn_analysis_opts *given,
                 const struct analysis_kind *kind, size_t user, void (*done)(void *user),
                 struct analysis_job *job);
/* The options, whatever version of the library they were made for. */
int analysis_opts(struct cairn_reader *reader, const struct cairn_analysis_opts *given,
                  struct cairn_analysis_opts *own);
/* CAIRN_E_UNSUPPORTED with a sentence where there are no instructions. */
int analysis_refuse_xacts(const struct cairn_reader *reader);

/* Those that run together in a report. A job may not be moved. */
int overview_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                 unsigned columns, struct analysis_job *job);
int mix_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts, const char *by,
            struct analysis_job *job);
int branches_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                 const char *predictors, struct analysis_job *job);
int memory_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
               const struct cairn_memory_opts *how, struct analysis_job *job);

/* Is it a load or a store of an instruction, one that happened? */
static inline bool analysis_is_access(const struct cairn_mem *mem)
{
	return mem->initiator == CAIRN_BY_INSN && !(mem->flags & CAIRN_VALUE_NOT_WRITTEN) &&
	       (mem->kind == CAIRN_MEM_READ || mem->kind == CAIRN_MEM_WRITE);
}

/* The last byte of an access, of which no more than 64 KiB are walked; of one that wraps
 * around the address space, its first. */
static inline uint64_t analysis_last_byte(uint64_t addr, uint64_t size)
{
	enum { MOST = 1 << 16 };
	uint64_t more = size < MOST ? size : MOST, last = addr + (more ? more - 1 : 0);
	return addr + more < addr ? addr : last;
}

/* The name of the symbol that covers an address, NULL when there is none. Of an address that
 * is of several address spaces, and another symbol's in each, no name is right. */
static inline const char *analysis_symbol(const struct cairn_analysis_opts *opts, uint64_t addr)
{
	const struct cairn_symbol *symbol = opts->image && image_agrees(opts->image, addr)
	                                        ? cairn_image_symbol_at(opts->image, addr)
	                                        : NULL;
	return symbol ? symbol->name : NULL;
}

#endif
