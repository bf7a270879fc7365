/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_REGS_H
#define ANALYSIS_REGS_H
/*
 * A file of registers, of any width, of which single bits are known: what is known at a
 * place (state.c), or what a part of a trace does to that, whatever was known before
 * (index_gather.c). For the second every bit is also `set` or not: told of in the part.
 */
#include "base/base.h"
#include "cairn/state.h"
#include "isa/written.h"
#include "model/index.h"

enum { REGS_MOST = 1 << 14, REGS_MOST_BITS = 1 << 16 };

/* Of one wider than 64 bits: `len` bytes of value, then of known, then of set. */
struct regs_wide {
	uint32_t len; /* a multiple of 8 */
	uint8_t bytes[];
};

enum regs_said { REGS_UNSAID, REGS_TOLD, REGS_DERIVED };

struct regs_row {
	uint64_t key;               /* 0: free */
	uint64_t value, known, set; /* the lowest 64 bits; value is 0 where not known */
	uint64_t told;
	struct regs_wide *wide; /* NULL: no wider */
	uint32_t bits;
	uint16_t from; /* of a part: the number before it, + 1, whose bits these are
	                             * where they are not set; 0: its own */
	uint8_t said;  /* enum regs_said: the row that said something of it last */
	bool whole;    /* all bits are set, those beyond `bits` too */
};

/* Of a part: registers that nothing is known of, if they have no row. */
struct regs_wiped {
	uint16_t hart;
	struct isa_written_reg reg;
};

struct regs {
	struct cairn *cairn;
	struct regs_row *rows;
	size_t cap, n;
	bool full; /* some were left out: what is known of any may be old */
	bool part; /* what a part does is wanted, not only what is known */
	/* Behind lost bytes a trace may not name who runs for a while. The first hart that it names then
	 * may be the one whose registers were told, or another: they are not known any more. `lost`:
	 * since bytes were lost no hart was named; `named`: since then, or in the part, one was. */
	bool lost, named;
	struct regs_wiped *wiped;
	size_t n_wiped, cap_wiped;
};

/* The class of a row that is no register: where a hart goes on that does not run. */
enum { REGS_RESUMES = INDEX_RESUMES };

static inline uint64_t regs_key(uint16_t hart, uint8_t cls, uint16_t num)
{
	return (uint64_t)1 << 63 | (uint64_t)hart << 24 | (uint64_t)cls << 16 | num;
}

void regs_free(struct regs *regs);
void regs_clear(struct regs *regs);
/* The same, where bytes of the trace were lost. */
void regs_lose(struct regs *regs);
/* An instruction of this hart runs. CAIRN_E_NOMEM. */
int regs_meet(struct regs *regs, uint16_t hart, uint64_t told);
/* What row `reg` of `batch` tells of the register `key`; with `known` false that its bits are not
 * known any more. CAIRN_E_NOMEM. */
int regs_put(struct regs *regs, uint64_t key, const struct cairn_batch *batch,
             const struct cairn_reg *reg, bool known, uint64_t told);
/* The same for a known value. Bits that were known with another value become unknown. */
int regs_put_doubted(struct regs *registers, uint64_t key, const struct cairn_batch *batch,
                     const struct cairn_reg *reg, uint64_t told);
/* What is known of registers of a hart is not any more. */
int regs_forget(struct regs *regs, uint16_t hart, const struct isa_written_reg *reg, uint64_t told);
/* A hart goes on at `next`, or nobody knows where, when it runs again. CAIRN_E_NOMEM. */
int regs_leave(struct regs *regs, uint16_t hart, bool known, uint64_t next);
/* Does a hart go on at `pc`, where it was? -1: of a part that has not met it, what is known before
 * it decides. */
int regs_resumes(const struct regs *regs, uint16_t hart, uint64_t pc);
/* SPARC: the next window of a hart comes, or the one before: its ins are the outs there were,
 * or the other way round. */
int regs_turn(struct regs *regs, uint16_t hart, bool next);
/* What `part` tells, after what is known in `regs`. */
int regs_apply(struct regs *regs, const struct regs *part);
/* A register as an index has it. */
int regs_load(struct regs *regs, const struct cairn_state_reg *from);
const struct regs_row *regs_find(const struct regs *regs, uint64_t key);
/* Is something of it known? */
bool regs_any(const struct regs_row *row);
void regs_tell(const struct regs_row *row, struct cairn_state_reg *out);
/* Those of which something is known, by key, with `resumes` also where harts go on; free with
 * base_free. NULL in *out when there are none. */
int regs_sorted(const struct regs *regs, bool resumes, const struct regs_row ***out, size_t *n);

#endif
