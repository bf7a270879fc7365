/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOCKSTEP_LOCKSTEP_H
#define LOCKSTEP_LOCKSTEP_H
/*
 * Lockstep: machines (cairn/exec.h) execute the instructions of a trace, one machine for each hart,
 * and the values in the trace are compared with those they make.
 *
 * When the two disagree, it is not known which is wrong: the bits that differ are unknown from
 * there on, so that one wrong value makes one difference, and not one more at each instruction that
 * uses it. There are traces whose contents of memory are all zero, or whose sources are of another
 * moment. Where an eighth of a kind of values contradicts the machines, that kind is not believed
 * any more. What may have changed out of sight (a gap, damage, a system that was not traced) is
 * unknown, too.
 */
#include <stdbool.h>

#include "cairn/trace.h"

/* What is compared. */
enum lockstep_kind {
	LOCKSTEP_SOURCE,   /* a register before an instruction, as the trace has it */
	LOCKSTEP_REGISTER, /* a result */
	LOCKSTEP_FLAGS,    /* condition codes */
	LOCKSTEP_ADDRESS,
	LOCKSTEP_LOAD,   /* contents read, against what memory held */
	LOCKSTEP_STORE,  /* contents written */
	LOCKSTEP_BRANCH, /* taken or not */
	LOCKSTEP_TARGET,
	LOCKSTEP_NEXT, /* the address of the next instruction */
	LOCKSTEP_KINDS
};

/* Comparisons are counted by kind and class of register: a trace may have one of these wrong
 * throughout. */
enum {
	LOCKSTEP_CLASSES = CAIRN_REG_FLAGS + 1,
	LOCKSTEP_GROUPS = LOCKSTEP_KINDS * LOCKSTEP_CLASSES
};
struct lockstep_group {
	uint64_t compared, differ;
};
static inline unsigned lockstep_group_of(enum lockstep_kind kind, unsigned cls)
{
	return (unsigned)kind * LOCKSTEP_CLASSES + cls;
}
/* Do so many of them differ that the trace, or the model, must be wrong about all? */
static inline bool lockstep_is_unreliable(const struct lockstep_group *group)
{
	return group->differ >= 64 && group->differ * 8 > group->compared;
}

/* One difference. `text` is a sentence without the place. */
struct lockstep_difference {
	enum lockstep_kind kind;
	unsigned group;
	const struct cairn_batch *batch;
	uint32_t slot;
	const char *text;
};

struct lockstep;

struct lockstep_opts {
	const char *isa_string; /* as in cairn_machine_opts; NULL: none */
	unsigned vector_bits;   /* 0: the first vector register that is told has its length */
	/* Called for each difference that is not one of an unreliable group; < 0 ends the walk. */
	int (*differs)(void *user, const struct lockstep_difference *difference);
	/* A kind of values turned out to be unreliable and is not believed any more: the walk begins
	 * anew here, and what differed until now may have come from it. */
	void (*restart)(void *user);
	/* Called with each instruction that is executed, when what the trace tells of the time before it
	 * is known and when all of it is; or NULL. */
	void (*before)(void *user);
	void (*after)(void *user);
	void *user;
	uint64_t most_texts; /* of a group: further differences have no text */
};

/* Nothing is known at first. `opts` is copied, what it points to is not. CAIRN_E_NOMEM. */
/* What a trace says of itself that an execution needs. */
struct lockstep_told {
	char *isa_string;     /* of its instruction set, to be freed; NULL: nothing */
	unsigned vector_bits; /* length of vectors; 0: not told */
};
/* 0 or CAIRN_E_NOMEM: what cannot be read is told by reading. */
int lockstep_told(struct cairn_reader *reader, struct lockstep_told *told);
int lockstep_new(struct cairn *cairn, const struct lockstep_opts *opts, struct lockstep **out);
void lockstep_free(struct lockstep *lockstep);
/* Begin anew as if newly made, for `user`. */
void lockstep_reset(struct lockstep *lockstep, void *user);
/* Execute the instructions of a batch, which comes behind the last one. CAIRN_E_NOMEM, and what
 * `differs` returned. */
int lockstep_batch(struct lockstep *lockstep, const struct cairn_batch *batch);
/* LOCKSTEP_GROUPS rows. */
const struct lockstep_group *lockstep_groups(const struct lockstep *lockstep);
/* The only hart that ran: a number above 0 that names it. 0: none; UINT64_MAX: several. */
uint64_t lockstep_hart(const struct lockstep *lockstep);
/* Kinds of values, as bits: those not believed, and those believed since the walk began anew. */
uint32_t lockstep_distrusted(const struct lockstep *lockstep);
uint32_t lockstep_believed(const struct lockstep *lockstep);
/* How much there was to compare. */
struct lockstep_counts {
	uint64_t executed, not_modelled; /* instructions */
	uint64_t values,
		determined; /* results, addresses, contents, outcomes, targets; machines knew so many of them */
};
const struct lockstep_counts *lockstep_counts(const struct lockstep *lockstep);

#endif
