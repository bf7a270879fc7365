/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_VIXL_H
#define VIXL_VIXL_H
/*
 * Inside the VIXL room: the state at a place of the trace, and the spans a trace is cut
 * into.
 *
 * A record is a line. A span begins with an instruction's line, or behind the end of a
 * run, so that what follows an instruction is in its span; in a log of state only it
 * begins where no group of lines is divided. Windows hold whole lines.
 */
#include "formats/vixl/line/line.h"
#include "text/text.h"

extern const struct model_format vixl_format;

extern const struct model_writer_format vixl_writer_format;
extern const struct kit_options vixl_reading_options, vixl_writing_options;
extern const struct model_change vixl_change;
extern const struct check_rules vixl_rules;

/* What the simulator was asked to log, by its own numbers. */
enum vixl_log {
	VIXL_LOG_DISASM = 1,
	VIXL_LOG_REGS = 2,
	VIXL_LOG_VREGS = 4,
	VIXL_LOG_SYSREGS = 8,
	VIXL_LOG_WRITE = 16,
	VIXL_LOG_BRANCH = 32
};

enum vixl_flow_flag {
	VIXL_F_NEXT = 1,  /* `next` is known: where the flow goes on */
	VIXL_F_END = 2,   /* a run ended: what follows belongs to the next one */
	VIXL_F_BEGUN = 4, /* an instruction has been seen */
	VIXL_F_GAP = 8    /* the trace was switched off: instructions are missing here */
};

/* Where the flow goes on. */
struct vixl_onward {
	uint64_t next;
	uint64_t flags; /* enum vixl_flow_flag */
};

/* What a look at the beginning (of a small trace: at all of it) shows, beyond what text.h has of
 * every log. */
struct vixl_look {
	bool states; /* are there lines of state? */
	bool coloured, masked;
	uint64_t today, before; /* register lines in the columns of either dialect */
	unsigned log;           /* enum vixl_log */
	unsigned vl;            /* bits of the longest vector seen, 0 none */
	uint64_t runs;
};

struct vixl_span {
	struct text_span text;
	struct vixl_onward onward;     /* set by seal; before that what the scan learnt, if it ran */
	bool learnt, followed, peeked; /* by an instruction, whose address is known */
	uint64_t peek;                 /* address of the instruction that follows the span */
	/* records */
	char name[24];
	struct vixl_plain plain;
};

struct vixl_impl {
	struct text_impl text;
	struct vixl_look look;
};

/* What registers held before an instruction (reg_state.c): x0 to x30, SP, NZCV. */
enum { VIXL_REG_REACH = 1 << 18, VIXL_REG_NZCV = 32, VIXL_RECALLED };
struct vixl_reg_state {
	bool valid, far, known[VIXL_RECALLED];
	uint64_t from, upto; /* byte offsets: read from here to an instruction's line */
	uint64_t value[VIXL_RECALLED];
	uint64_t at[VIXL_RECALLED]; /* offset of the instruction that wrote it */
	struct vixl_plain plain;
};

struct vixl_worker {
	struct text_worker text;
	struct vixl_plain plain;
	struct vixl_reg_state recall;
	char drawn[VIXL_LINE_MAX + VIXL_STATE_MAX]; /* a line as it would be written */
};

/* ---- source.c ---- */
extern const struct text_dialect vixl_dialect;
int vixl_open(struct cairn_reader *reader, const char *options);
/* May a span, or a batch, of a log of state begin at p, which lies in [from, end) with a line
 * before it? */
bool vixl_may_begin(const char *from, const char *p, const char *end);
/* Is this a log of state, without instructions? */
static inline bool vixl_state_only(const struct vixl_impl *im)
{
	return im->text.states_only;
}

/* ---- look.c ---- */
int vixl_probe(const uint8_t *head, size_t n);
void vixl_look(struct text_impl *im, const char *p, const char *end);
void vixl_facts(const struct text_impl *im, struct model_facts *facts);

/* ---- scan.c ---- */
int vixl_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
/* Instructions of whole lines. */
uint64_t vixl_count_insns(const char *p, const char *end);

/* ---- flow.c ---- */

/* What became of an instruction, as far as the lines show. */
struct vixl_flow {
	uint64_t pc, target; /* target: of its Branch line */
	uint32_t enc;
	bool pc_known, branched, target_known;
	bool rows;       /* it wrote registers */
	bool text;       /* lines of other text stand behind it: one may have been an instruction … */
	bool text_first; /* … before its Branch line */
	bool elsewhere;  /* a line of ours says that what follows is not where it leads */
	bool last;       /* no instruction follows: its Branch line may be cut off */
};
/* How that line begins. It stands where a trace of several threads, or with signal handlers, goes
 * on at another place, which no log of the simulator does. What follows counts as another run. */
#define VIXL_OURS "; cairn: "
#define VIXL_COMMENT VIXL_OURS "comment: " /* on the whole trace, of another format */
#define VIXL_ELSEWHERE VIXL_OURS "goes on elsewhere"
#define VIXL_ON_CPU ", on CPU "
bool vixl_is_elsewhere(const char *p, size_t n);
/* A line that cairn wrote beside the simulator's. */
bool vixl_is_ours(const char *p, size_t n);
/* A Branch line behind it. */
static inline void vixl_flow_branch(struct vixl_flow *flow, const struct vixl_line *line)
{
	flow->branched = true;
	flow->target = line->addr;
	flow->target_known = !line->masked;
	flow->text_first = flow->text;
}
/* Flags (taken, not taken, target) and target of an instruction. `logged`: branches that
 * are taken have lines; `next`: address of the instruction that followed, NULL unknown. */
uint32_t vixl_outcome(const struct vixl_flow *flow, const struct cairn_op *op, bool logged,
                      const uint64_t *next, uint64_t *target);
/* Where the flow goes on from there: VIXL_F_ flags and *next. */
uint64_t vixl_follow(const struct vixl_flow *flow, const struct cairn_op *op, bool logged,
                     uint64_t *next);
/* May the host's code run here, or the trace be switched: HLT (except the simulator's own harmless
 * ones), SVC, BRK? */
bool vixl_is_foreign(uint32_t enc);
/* Accesses that a state trace does not show although the encoding makes them: a set of 1 << enum
 * cairn_mem_kind. */
unsigned vixl_implied(uint32_t enc);
static inline bool vixl_is_hlt(uint32_t enc)
{
	return (enc & 0xffe0001f) == 0xd4400000;
}

/* ---- decoder.c ---- */
int vixl_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);

/* ---- records.c ---- */
void vixl_record(const struct cairn_reader *reader, struct model_span *span, const char *p,
                 const char *next, struct text_fields *fields, struct text_taken *taken);
const char *vixl_event_name(const struct cairn_event *event);
/* Why a line of this kind cannot be used. */
const char *vixl_bad_line(unsigned kind);

#endif
