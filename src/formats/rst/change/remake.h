/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_REMAKE_H
#define RST_REMAKE_H
/*
 * A trace made from parts of traces: what slice, merge and edit have in common.
 */
#include "formats/rst/change/carried.h"
#include "formats/rst/change/change.h"

/* The records that stand before the first instruction and describe the trace and the
 * machine, not the state of a CPU. */
struct rst_prologue {
	struct base_buf records;
	unsigned version;  /* of the header, 0: there is none */
	bool complete;     /* an instruction was met */
	bool snapshot;     /* within the sections before a snapshot's trace */
	uint64_t left_out; /* records of the snapshot */
};

struct rst_remake {
	struct cairn *cairn;
	const struct cairn_output *out;
	struct cairn_changed *done;
	struct rst_output target;
	struct rst_pack *pk;
	unsigned version; /* of the output */
	uint64_t now;
	uint8_t info2[CAIRN_RST_SIZE];
	uint64_t info2_at; /* its record in the output; 0: it has none */
	bool over;         /* nothing comes any more */
	uint16_t level;
	struct base_buf said;           /* the output's prologue so far */
	uint64_t tlb_at;                /* record of the first of the TLBs' entries at the beginning, */
	struct base_buf tlb;            /* and the CPU of each: uint16_t */
	struct base_buf ahead;          /* TLB records of parts to come, in the output's version; */
	uint8_t comes[RST_MAX_CPUS];    /* and whose they are */
	uint8_t ran[RST_MAX_CPUS];      /* has an INSTR in the output */
	uint64_t counted[RST_MAX_CPUS]; /* input count minus output count of its last RECNUM */
	uint64_t n;                     /* instructions in the output, */
	uint64_t kept;                  /* and with those that segments still hold back */
	unsigned max_cpu, n_cpus;
	uint8_t seen[RST_MAX_CPUS];
};

/* Is it one of them? */
bool rst_is_prologue(const uint8_t *p);
void rst_prologue_init(struct rst_prologue *pr, struct cairn *cairn);
void rst_prologue_free(struct rst_prologue *pr);
/* Take the trace's next record if it belongs to the prologue; false: it does not. */
bool rst_prologue_take(struct rst_prologue *pr, const uint8_t *p, int *rc);

int rst_remake_init(struct rst_remake *remake, struct cairn *cairn, const struct cairn_output *out,
                    struct cairn_changed *done);
/* Open the output and write the beginning: as it was, one level up, with its history and
 * `comments` as strings. */
int rst_remake_open(struct rst_remake *remake, const struct rst_prologue *pr, const char *tool,
                    const char *const *comments, size_t n_comments);
/* Put what a later part's prologue says and the output has not said. */
int rst_remake_join(struct rst_remake *remake, const struct rst_prologue *pr);
/* Put records of the output's version; counts INSTRs among them. */
int rst_remake_put(struct rst_remake *remake, const uint8_t *p, size_t records);
/* Make a record of another version one of the output's: 1, 0 when it was left out (and counted), <
 * 0. */
int rst_remake_convert(struct rst_remake *remake, unsigned from, const uint8_t *p, uint8_t *out);
/* Entries of a CPU's TLBs, before the first INSTR (clause 2(g)). If the CPU never runs, they become
 * NULLRECs. */
int rst_remake_tlb(struct rst_remake *remake, unsigned cpu, const uint8_t *p, size_t records);
/* Put those of `ahead` whose CPUs have been told no entries, except `except`. */
int rst_remake_tlb_ahead(struct rst_remake *remake, unsigned except);
int rst_remake_string(struct rst_remake *remake, const char *text, size_t n);
/* Commit, or after a failure (rc < 0) leave no file. rc, or what committing failed with. */
int rst_remake_finish(struct rst_remake *remake, int rc);
int rst_remake_lost(struct rst_remake *remake, const char *what, uint64_t count, uint64_t n);
int rst_remake_note(struct rst_remake *remake, const char *what, uint64_t count, uint64_t n);

/* ---- segment.c: ranges of one trace ---- */

enum { RST_NOBODY = 0xff };

struct rst_entry { /* a record that waits until its instruction is kept or left out */
	uint8_t rec[CAIRN_RST_SIZE];
	int16_t cpu;    /* -1: the next instruction's, whoever runs */
	uint8_t state;  /* enum rst_entry_state */
	uint8_t output; /* that keeps it */
	bool waited;    /* it was not decided at once */
	uint64_t at;    /* number of the input record with which it came */
};

struct rst_segment {
	struct rst_remake *remake; /* the output whose range is read */
	/* where several are made at once: */
	void *const *all;              /* each a struct rst_remake; NULL: one */
	unsigned n_all, output;        /* which of them `remake` is */
	uint8_t (*runs)[RST_MAX_CPUS]; /* CPUs that run in each; NULL: any may */
	struct cairn_reader *reader;
	struct rst_cursor cursor;
	struct rst_carried *carried;
	struct rst_prologue prologue;
	unsigned version; /* of its records */
	bool wide;
	const char *tool; /* for the history, when the output begins with this segment */
	uint64_t look_back;
	uint64_t first, last;             /* instructions of the range */
	const struct model_ranges *ahead; /* the ranges behind it; NULL: none are known */
	bool any_ahead;                   /* more ranges follow, in any order */
	/* the queue */
	struct rst_entry *entry;
	size_t head, n_q, cap_q;
	size_t open, open_loose; /* records in it that are undecided; those of them that name no CPU */
	size_t decided;          /* records in it that waited, and are decided */
	size_t direct[MODEL_AT_ONCE]; /* records in it that never waited, by output */
	uint64_t stretch;             /* of IN_ORDER records, where order was last looked after */
	uint64_t recent_to;           /* the stretch that is read, */
	size_t recent[2];             /* and how many wait that came in it, or in the one before */
	uint32_t open_of[RST_MAX_CPUS];
	int last_cpu;                    /* of the INSTR just before, -1: none */
	bool begun;                      /* something of it is in the output */
	uint8_t attention[RST_MAX_CPUS]; /* its next INSTR needs a look */
	uint8_t hole[RST_MAX_CPUS];      /* instructions of it were left out */
	uint8_t behind[RST_MAX_CPUS];    /* what follows its last INSTR goes where that went */
	uint8_t owner[RST_MAX_CPUS];     /* output that has its last kept INSTR; RST_NOBODY */
	struct base_buf front, ids, late;
};

int rst_segment_open(struct rst_remake *remake, struct cairn_reader *reader,
                     struct rst_segment *segment);
/* For segment_jump.c: leave out what waits, because its instructions lie elsewhere; let a record
 * wait for this CPU. */
int rst_segment_leave(struct rst_segment *segment);
int rst_segment_await(struct rst_segment *segment, const uint8_t *p, unsigned cpu);
/* Behind the prologue: if there is an index, go nearer to `first`, if possible. */
int rst_segment_jump(struct rst_segment *segment, uint64_t first);
/* The next range lies before the end of the last one: begin to read anew. */
int rst_segment_again(struct rst_segment *segment);
void rst_segment_close(struct rst_segment *segment);
/* Append the instructions first … last: 1, 0 when the trace ended before, < 0. `more`:
 * another range of the segment follows. */
int rst_segment_range(struct rst_segment *segment, uint64_t first, uint64_t last, bool more);
/* Another output begins, which has been told nothing. */
void rst_segment_untell(struct rst_segment *segment);
/* Choose, of several outputs, the one whose range comes next. */
void rst_segment_output(struct rst_segment *segment, unsigned output);
/* The chosen output has had its last range. */
int rst_segment_over(struct rst_segment *segment);
/* The range's output is complete: what still waits is for the next output; `end`: there is none. */
int rst_segment_wait(struct rst_segment *segment, bool end);
/* Nothing more of the trace is wanted; `end`: its end is. */
int rst_segment_end(struct rst_segment *segment, bool end);

#endif
