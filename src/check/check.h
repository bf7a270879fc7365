/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H
/*
 * What a format gives to be judged, and where its walk leaves what it found.
 *
 * A format's rules are a table and a few functions. A span of the trace is walked
 * in parallel with other spans; whatever needs more than its span is left in the
 * part's `priv` and decided by `fold`, in trace order. The engine cuts a trace
 * the same way for every number of threads, so that nothing depends on it.
 *
 * A report also needs the batches of the trace. It gets them in the same pass: a span that has
 * been walked is then decoded.
 */
#include "cairn/check.h"
#include "model/model.h"

struct check_place {
	uint64_t record, offset, insn, line, chunk;
	uint32_t part; /* the file of a trace in several, from 0 */
	uint32_t cpu;
	uint32_t known; /* enum cairn_place */
};

/* One finding as it is kept; its sentence lies in the list's text. */
struct check_row {
	struct check_place at;
	uint32_t text, len;
	uint32_t rule;
};

/* What findings are sorted by, before rule and sentence. */
struct check_key {
	uint64_t offset, line;
	uint32_t part;
	bool has_offset; /* what concerns the whole file comes first */
};

/* Findings. All are counted; of each rule at least the first `most` by place are kept, in whatever
 * order they are made. */
struct check_list {
	struct base_buf rows, text;
	uint64_t most;
	uint64_t count[CAIRN_MAX_RULES];
	uint64_t kept[CAIRN_MAX_RULES];
	bool barred[CAIRN_MAX_RULES];          /* there are `most` … */
	struct check_key bar[CAIRN_MAX_RULES]; /* … up to this place */
	int status;                            /* sticks: out of memory */
};

/* Findings that are true only if the trace as a whole has something (a load without
 * its access matters only where accesses are recorded at all). They are held until
 * the condition is met, and dropped when it never is. */
enum { CHECK_CONDITIONS = 4 };

struct check_part {
	struct cairn *cairn;
	struct check_list found;
	struct check_list held[CHECK_CONDITIONS];
	uint32_t met;                    /* conditions this span meets */
	uint32_t part;                   /* number of the file, for the places of findings */
	void *priv;                      /* the format's */
	void *also;                      /* of the reducer that is fed in the same pass */
	struct check_executed *executed; /* NULL: it is not executed */
};

/* Rules that hold for every format whose instructions a machine can execute (execute.c), in the
 * order of enum lockstep_kind. Each format's table ends with them; `n` does not count them. */
#define CHECK_EXECUTION_RULE(id, severity, text) \
	{ \
		"exec." id, "execution", text, CAIRN_##severity \
	}
#define CHECK_EXECUTION_RULES \
	CHECK_EXECUTION_RULE("source", ERROR, \
	                     "a register holds what was written last when an instruction reads it"), \
		CHECK_EXECUTION_RULE("register", ERROR, \
	                         "a result follows from what the instruction reads"), \
		CHECK_EXECUTION_RULE("flags", ERROR, \
	                         "condition codes follow from what the instruction reads"), \
		CHECK_EXECUTION_RULE("address", ERROR, \
	                         "the address of an access follows from its registers"), \
		CHECK_EXECUTION_RULE("load", WARNING, \
	                         "memory that no other hart and no device writes holds what was " \
	                         "written or read last"), \
		CHECK_EXECUTION_RULE("store", ERROR, "a store writes what its registers hold"), \
		CHECK_EXECUTION_RULE("branch", ERROR, "a branch is taken where its condition holds"), \
		CHECK_EXECUTION_RULE("target", ERROR, "a branch goes where its operands say"), \
		CHECK_EXECUTION_RULE("next", ERROR, \
	                         "the next instruction is where the one before it goes")
enum { CHECK_EXECUTION_COUNT = 9 };
extern const struct cairn_rule check_execution_rules[CHECK_EXECUTION_COUNT];

struct check_rules {
	const struct cairn_rule *rules;
	size_t n;
	unsigned damage; /* the rule that a damaged place breaks */

	/* The format's knowledge of the whole trace. `start` makes it and may judge what
	 * stands before the first span; `end` judges the whole; `state_free` takes NULL. */
	int (*start)(struct cairn_reader *reader, void **state, struct check_part *part);
	int (*end)(struct cairn_reader *reader, void *state, struct check_part *part);
	void (*state_free)(struct cairn_reader *reader, void *state);
	/* Another file continues the trace: what must be known before its spans are read. NULL: a trace
	 * is never in several files. */
	int (*join)(struct cairn_reader *reader, void *state);

	/* Make and free a part's priv; both may be NULL. */
	int (*begin)(struct cairn_reader *reader, const void *state, struct check_part *part);
	void (*drop)(struct cairn_reader *reader, struct check_part *part);

	/* Walk a sealed span; if s->again, leave it as it was. `leaves`: it sets the exit of
	 * spans that were not scanned. */
	bool leaves;
	int (*span)(struct cairn_reader *reader, const void *state, struct model_span *span,
	            struct check_part *part);
	/* In trace order; may be NULL. */
	int (*fold)(struct cairn_reader *reader, void *state, struct check_part *part);
};

/* May this file be the next part? Fails as cairn_check_part does. */
int check_may(const struct cairn_checking *checking, const struct cairn_reader *reader);
/* cairn_check_part, and in the same pass a reducer of batches, fed as by cairn_run, with those of
 * spans that hold instructions from `first` to `last`. */
int check_feeding(struct cairn_checking *checking, struct cairn_reader *reader,
                  const struct cairn_reducer *red, void *user, uint64_t first, uint64_t last);

/* Note that a rule (its row in the table) is broken at a place. The sentence does not
 * repeat the place. */
void check_add(struct check_part *part, unsigned rule, const struct check_place *at,
               const char *fmt, ...) CAIRN_PRINTF(4, 5);
/* The same, true only if `condition` is met somewhere in the trace. */
void check_hold(struct check_part *part, unsigned condition, unsigned rule,
                const struct check_place *at, const char *fmt, ...) CAIRN_PRINTF(5, 6);
static inline void check_meet(struct check_part *part, unsigned condition)
{
	part->met |= 1u << condition;
}

/* ---- set.c: a set of numbers that often lie close together ---- */

struct check_set {
	struct cairn *cairn;
	uint64_t *key; /* number / 64; the slot is free when its bits are 0 */
	uint64_t *bits;
	size_t used, cap;
};
void check_set_init(struct check_set *set, struct cairn *cairn);
void check_set_free(struct check_set *set);
/* 1: it is new, 0: it was there, or CAIRN_E_NOMEM. */
int check_set_add(struct check_set *set, uint64_t value);
bool check_set_has(const struct check_set *set, uint64_t value);

#endif
