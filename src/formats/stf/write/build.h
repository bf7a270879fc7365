/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_BUILD_H
#define STF_BUILD_H
/*
 * Inside the instruction level of the writer: one instruction's records as they are
 * gathered (rows.c) and what is known across instructions (build.c).
 */
#include "formats/stf/write/write.h"
#include "isa/memo.h"

struct stf_item {
	uint32_t seq, index;
	uint8_t type, kind; /* type: the record's; numbers ascend. kind: enum stf_item_kind */
};

/* The PC at traps that stopped no instruction. */
struct stf_stop {
	bool any, known;
	uint64_t pc; /* of the first of them, if it is known */
};

/* Accesses among the records of a conversion that `check` will find missing or different. */
struct stf_accesses {
	uint32_t reads, writes;
	uint32_t kindless;             /* neither read nor write */
	uint32_t bare[2], sizeless[2]; /* without a value, a size; of instructions, of others */
	uint32_t odd;                  /* all of these */
	uint64_t last;                 /* address */
	bool any, descend, fetch;
};

/* The records of one instruction without its encoding, and the places in them for what depends on
 * the next instruction. */
struct stf_group {
	struct base_buf buf;
	uint64_t records, features;
	size_t at_target; /* INST_PC_TARGET */
	size_t at_event;  /* EVENT_PC_TARGET of an event whose target is not known */
	size_t at_mode;   /* MODE_CHANGE that holds for what follows */
	bool open_event;  /* there is such an event, and no target after it */
	bool aborted;     /* by an exception or interrupt */
	bool fetch_fault;
	bool has_target; /* of an EVENT_PC_TARGET */
	bool has_mode;   /* MODE_CHANGE among the rows, `mode` the last */
	bool has_force;
	uint8_t mode;
	uint64_t target, force;
	struct stf_stop behind; /* of traps that came behind the instruction */
	struct stf_accesses accesses;
};

/* The instruction that waits for its successor. */
struct stf_waiting {
	struct stf_group group;
	uint64_t pc, target;
	uint32_t enc, flags, traits;
	uint8_t size;
	uint8_t mode;
	uint64_t source;      /* its number where it comes from */
	bool direct, at_once; /* target by the encoding; its modes hold at once */
	bool begins_mode;     /* `mode` has to be put with it */
};

struct stf_build {
	struct cairn_stf_writer *writer;
	struct cairn_stf_header *header; /* what remains to be written, and the clocks */
	struct cairn_stf_begin_opts opts;
	struct isa_memo *memo;
	struct base_buf front; /* records for the next instruction's group */
	uint64_t front_records, front_features;
	struct stf_stop before;    /* of the traps among them */
	struct stf_waiting two[2]; /* the one that waits and the one being built */
	struct stf_waiting *waiting, *next;
	struct base_buf out;
	struct stf_item *items;
	size_t room;
	uint64_t n;                 /* instructions (transactions) taken */
	uint64_t source;            /* number of the current one in the trace it comes from */
	uint64_t last_id, first_id; /* of transactions */
	uint32_t ids[3];
	bool begun, waits, has_ids, has_priv;
	bool gap;                        /* something is missing before the next instruction */
	bool foreign;                    /* a conversion from another format */
	bool accesses;                   /* there are some */
	bool predicates;                 /* of SVE, likewise */
	uint64_t lacking, first_lacking; /* loads and stores without an access, and the first of them */
	bool header_force;               /* the next FORCE_PC event is the header's */
	uint8_t isa, priv;
	/* Conversions count what cannot be carried; others refuse it. */
	int (*lost)(void *user, uint64_t count, uint64_t n, const char *what);
	int (*note)(void *user, uint64_t count, uint64_t n, const char *what); /* what is no loss */
	void *user;
};

/* Does the event say that something is missing? */
static inline bool stf_event_is_gap(const struct cairn_event *event)
{
	return event->kind == CAIRN_EV_GAP || event->kind == CAIRN_EV_DAMAGE;
}

/* Refuse: nothing is written; the sentence gets the instruction's or transaction's number. */
int stf_refuse(struct stf_build *build, const char *fmt, ...) CAIRN_PRINTF(2, 3);
/* Something cannot be written. `what` is for the ledger ("bytes of …"), the sentence for callers
 * that put instructions. >= 0: left out. */
int stf_cannot(struct stf_build *build, const char *what, const char *fmt, ...) CAIRN_PRINTF(3, 4);
/* The instruction is wrong: only a conversion takes it as it is. 1, or a status. */
int stf_wrong(struct stf_build *build, const char *fmt, ...) CAIRN_PRINTF(2, 3);

/* Make rows into records, behind what the group holds; in the order of `seq` if the specification
 * allows it, else in its own order. */
int stf_rows(struct stf_build *build, struct stf_group *group, const struct cairn_stf_insn *in);
/* Does this exception say that the instruction could not be fetched? */
bool stf_is_fetch_fault(unsigned isa, uint64_t code);
/* Whether a trap came before, on or after its instruction. Only conversions of sets with cairn's
 * own numbers record this; otherwise it is CAIRN_ON. */
enum cairn_phase stf_trap_phase(const struct stf_build *build, const struct cairn_event *event);
/* Does a trap's event give the PC at which it came? */
bool stf_trap_pc(unsigned isa, const struct cairn_stf_insn *in, const struct cairn_event *event,
                 uint64_t *pc);
/* Single records. */
int stf_group_value(struct stf_group *group, unsigned type, unsigned width, uint64_t value);
void stf_group_clear(struct stf_group *group);
/* A MODE_CHANGE. */
int stf_put_mode(struct stf_group *group, unsigned event_bits, uint8_t mode);

/* The same as cairn_stf_put, for conversions: `source` is the instruction's number there. */
int stf_build_put(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in,
                  uint64_t source);
/* May instructions (or transactions) be put? */
int stf_build_ready(struct cairn_stf_writer *writer, bool transactions);
/* Let the header name this instruction set, if STF has a number for it. */
int stf_build_set(struct stf_build *build, enum cairn_isa isa);
/* Where the flow goes behind the last instruction, as records have it; false: there is no
 * instruction. */
bool stf_build_flow(const struct cairn_stf_writer *writer, uint64_t *pc);
/* Is that a guess, because the last instruction, number *n of the source, is a branch that may have
 * been taken? */
bool stf_build_open(const struct cairn_stf_writer *writer, uint64_t *n);
/* The number of a privilege mode in STF; above 3: it has none. */
uint8_t stf_build_mode(const struct stf_build *build, uint8_t priv);
/* Put rows of no instruction: they stand before those of the next one, or end the trace. */
int stf_build_rows(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in,
                   uint64_t source);

#endif
