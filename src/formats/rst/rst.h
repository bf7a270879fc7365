/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_RST_H
#define RST_RST_H
/*
 * Inside the RST room: the state at a place of the trace, and the spans a trace is
 * cut into.
 *
 * Records of several CPUs interleave freely. What precedes an instruction (its trap,
 * registers) may be followed by other CPUs' records, so it waits, per CPU, in the
 * state, however long that CPU does not run. A record behind which RST_WAIT others of such
 * kinds have come (its tick is that far behind) is given up as belonging to
 * the place it is at then. Spans end behind an instruction and what follows it at once.
 * A stretch without instructions may be of any length, so it is cut, too: before record
 * numbers of a grid (0, RST_GRID …), once RST_GRID records have come since the last INSTR.
 * There a batch ends and nothing follows an instruction any more, whether the trace is cut
 * there or not; so what is read does not depend on it.
 */
#include "base/bytes.h"
#include "formats/rst/record/table.h"
#include "isa/memo.h"
#include "isa/sparc.h"
#include "kit/rows.h"
#include "kit/spans.h"

extern const struct model_format rst_format;

/* ---- source.c, for the table of the format ---- */

/* Has the trace no beginning of its own, so that it may be a part of one? */
bool rst_is_part(const struct cairn_reader *reader);
const char *rst_record_name(const struct cairn_reader *reader, unsigned type);
void rst_worker_free(struct cairn_reader *reader, void *worker);
int rst_worker_new(struct cairn_reader *reader, void **out);
extern const struct kit_options rst_reading_options, rst_writing_options;

enum { RST_WAIT = 2048, RST_NONE = 0xffff, RST_GRID = 1 << 16 };

/* May the trace be cut before this record, given the last INSTR before it? Both are
 * numbers from 1; 0: there is none. */
static inline bool rst_grid_cut(uint64_t rec, uint64_t instr)
{
	return (rec - 1) % RST_GRID == 0 && rec - instr >= RST_GRID;
}

enum rst_cpu_flag {
	RST_C_PC_DIFF = 1, /* pc_diff is known */
	RST_C_EA_DIFF = 2,
	RST_C_NPC = 4,      /* npc is known */
	RST_C_TARGET = 8,   /* the last instruction was a delayed transfer, taken */
	RST_C_XRET = 16,    /* the last instruction was done or retry */
	RST_C_RESUME = 32,  /* resume_pc and resume_npc are known */
	RST_C_FETCHED = 64, /* a PAVADIFF came since the last instruction */
	RST_C_ASID = 128,
	RST_C_PID = 256,
	RST_C_TID = 512,
	RST_C_PC_PA = 1024, /* a PHYSADDR came since: pc_pa, ea_pa */
	RST_C_EA_PA = 2048,
	RST_C_RAN = 4096 /* an instruction of it is known, since the last record that is not */
};

struct rst_cpu {
	uint64_t pc_diff, ea_diff; /* physical - virtual */
	uint64_t pc_pa, ea_pa;
	uint64_t pc, npc, target;       /* of the last instruction; where the next should be */
	uint64_t resume_pc, resume_npc; /* of the last trap out of a delay slot */
	uint64_t tid;
	uint32_t pid;
	uint16_t flags; /* enum rst_cpu_flag */
	uint16_t asid;
	uint16_t first, last; /* of its waiting records; RST_NONE */
};

/* What THREADs and PROCESSes say of the next instruction, of whatever CPU. */
struct rst_ids {
	uint64_t tid;
	uint32_t pid;
	uint16_t told; /* RST_C_TID, RST_C_PID */
};

struct rst_waiting {
	uint8_t rec[CAIRN_RST_SIZE];
	uint32_t tick; /* of the state when it came */
	uint16_t next; /* of the same CPU */
	uint16_t cpu;  /* RST_NONE: gone */
};

/* Where the trace stands between two records. */
struct rst_state {
	uint64_t n, rec;            /* numbers of the next instruction and record */
	uint64_t instr;             /* number of the last INSTR's record, 0 none */
	uint32_t tick;              /* low bits of the number of records of kinds that wait */
	struct rst_ids ids;         /* since the last instruction */
	uint16_t lost;              /* 1: a record that cannot be read came */
	uint16_t oldest, n_waiting; /* a ring; n_waiting counts gone ones in between */
	struct rst_cpu cpus[RST_MAX_CPUS];
	struct rst_waiting waiting[RST_WAIT];
};

/* A damaged place met while counting, told when its number is known. */
struct rst_bad {
	uint64_t rec, n; /* records and instructions of the span before it */
	uint8_t type;
};

struct rst_span {
	struct kit_bytes bytes;
	struct kit_window first; /* where it began */
	bool finished;
	struct rst_state *at; /* NULL until sealed */
	/* learnt by the scan */
	uint64_t insns, records, waits, n_bad; /* waits: records of kinds that wait */
	const uint8_t *lost;                   /* its last record that cannot be read */
	uint64_t lost_waits;                   /* waits before it */
	struct rst_ids ids;                    /* behind its last INSTR */
	struct rst_bad *bad;                   /* the first MODEL_DAMAGE_KEPT */
	struct cairn_tally *tally;
	struct cairn_field fields[CAIRN_MAX_FIELDS];
};

/* Where the bytes of a trace come from when they are not the source's own (packed
 * traces). */
struct rst_stream {
	/* Up to n bytes: the count, 0 at the end, or a status with a sentence. */
	int64_t (*read)(struct cairn_reader *reader, void *self, void *buf, size_t n);
	void (*close)(struct cairn_reader *reader, void *self);
	/* Let the next byte read be this one of the trace's; of what is packed, the first. */
	int (*restart)(struct cairn_reader *reader, void *self, uint64_t place);
	void *self;
	const char *container; /* "rstzip3"; NULL: plain */
};

enum { RST_HEAD = 1 << 16 };

struct rst_impl {
	unsigned version; /* RST_VERSION of the header, or as stated; 0 unknown */
	bool version_stated, wide, rfs;
	struct rst_stream stream;
	struct kit_source source;
	uint64_t instr; /* record of the last INSTR before what is cut next, 0 none */
	uint8_t *head;  /* copy of the first records, for facts */
	size_t head_len;
};

/* What the scan learns of a CPU; pointers into the span. */
struct rst_seen {
	const uint8_t *last, *last2;   /* INSTRs */
	const uint8_t *diff, *ea_diff; /* PAVADIFFs, the latter with ea_valid */
	const uint8_t *phys;
	const uint8_t *resume, *resume2; /* TRAPs out of delay slots, or REGVALs that tell of them */
	const uint8_t *npc;              /* a REGVAL that tells PC and NPC */
	uint64_t trap_at;                /* tick behind the last trap, in the span */
	uint64_t trap_pc;
	struct rst_ids ids;
	uint8_t stopping; /* the last trap was one that stops its instruction */
	uint8_t touched;
};

/* What a run of instructions asks of an encoding. */
enum rst_fast_what { /* below RST_FAST_SEVERAL: one access, enum cairn_mem_kind */
	                 RST_FAST_PLAIN = 0,
	                 RST_FAST_SEVERAL = 250,
	                 RST_FAST_BRANCH,
	                 RST_FAST_ASK
};
struct rst_fast {
	uint32_t traits;
	uint16_t size; /* of an access */
	uint8_t cls, what;
};

struct rst_worker {
	struct isa_memo *memo;
	struct cairn_op quick[256]; /* by isa_sparc_key; isa: 0 where it does not decide */
	struct rst_fast fast[256];  /* and RST_FAST_ASK there */
	/* decode: rows of contexts in the batch being filled */
	uint32_t generation;
	struct {
		uint32_t generation;
		uint16_t row[3];
	} ctx[RST_MAX_CPUS];
	/* scan */
	struct rst_seen seen[RST_MAX_CPUS];
	uint16_t touched[RST_MAX_CPUS];
	unsigned n_touched;
	const uint8_t *unsure[RST_MAX_CPUS]; /* first INSTRs with tr and no trap in the span */
	uint32_t unsure_tick[RST_MAX_CPUS];  /* within the span */
	unsigned n_unsure;
	const uint8_t *waits[RST_WAIT]; /* the last records of kinds that wait: a ring */
};

/* ---- source.c ---- */
int rst_open(struct cairn_reader *reader, const char *options);
void rst_close(struct cairn_reader *reader);
int rst_cut(struct cairn_reader *reader, struct model_span *span, bool alone);
void rst_drop(struct cairn_reader *reader, struct model_span *span);
int rst_seek(struct cairn_reader *reader, uint64_t n);
/* In a mapped trace, the last INSTR before this record, if it is near enough to matter for
 * a cut; else 0. */
uint64_t rst_instr_before(const struct rst_impl *im, uint64_t rec);
int rst_probe(const uint8_t *head, size_t n);

/* ---- packed.c ---- */
/* Does the source hold a trace packed by rstzip? Then im->stream unpacks it. */
int rst_open_packed(struct cairn_reader *reader);

/* ---- place.c: for an index ---- */
uint64_t rst_place_of(const struct cairn_reader *reader, const struct model_span *span);
int rst_jump(struct cairn_reader *reader, uint64_t place);
/* Read on from this byte of the trace. */
int rst_restart(struct cairn_reader *reader, uint64_t place);
int rst_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out);
int rst_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state);

/* ---- scan.c ---- */
int rst_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
int rst_seal(struct cairn_reader *reader, const void *before, struct model_span *span);

/* ---- state.c ---- */
void rst_state_init(struct rst_state *at);
/* An INSTR of this CPU runs that transfers control or comes after one that did. */
void rst_step_odd(struct rst_cpu *cpu, const uint8_t *p);
/* An INSTR of this CPU runs: where its next one should be. */
static inline void rst_step(struct rst_cpu *cpu, const uint8_t *p)
{
	if (rst_INSTR_bt(p) ||
	    (cpu->flags & (RST_C_TARGET | RST_C_XRET | RST_C_FETCHED | RST_C_PC_PA | RST_C_EA_PA))) {
		rst_step_odd(cpu, p);
		return;
	}
	cpu->pc = rst_INSTR_pc_va(p);
	cpu->npc = cpu->pc + 4;
	cpu->flags |= RST_C_NPC | RST_C_RAN;
}
/* What an encoding means, from a table or the memo: valid until the next question. Not
 * for `enc` and `offset`, which the table does not have. */
static inline const struct cairn_op *rst_op(struct rst_worker *worker, uint32_t enc)
{
	const struct cairn_op *op = &worker->quick[isa_sparc_key(enc)];
	return op->isa ? op : isa_memo_get(worker->memo, CAIRN_ISA_SPARC, enc, 4);
}
/* A THREAD or PROCESS comes. */
static inline void rst_ids_take(struct rst_ids *ids, const uint8_t *p)
{
	bool thread = p[0] == CAIRN_RST_THREAD;
	ids->tid = thread ? rst_THREAD_tid(p) : ids->tid;
	ids->pid = thread ? ids->pid : rst_PROCESS_newpid(p);
	ids->told |= thread ? RST_C_TID : RST_C_PID;
}
/* Later ones come on top. */
static inline void rst_ids_add(struct rst_ids *ids, const struct rst_ids *later)
{
	ids->tid = later->told & RST_C_TID ? later->tid : ids->tid;
	ids->pid = later->told & RST_C_PID ? later->pid : ids->pid;
	ids->told |= later->told;
}
/* An instruction of the CPU takes them. */
static inline void rst_ids_of_cpu(struct rst_cpu *cpu, const struct rst_ids *ids)
{
	cpu->tid = ids->told & RST_C_TID ? ids->tid : cpu->tid;
	cpu->pid = ids->told & RST_C_PID ? ids->pid : cpu->pid;
	cpu->flags |= ids->told;
}
/* PAVADIFF, PHYSADDR, a delay slot's TRAP, a REGVAL that tells of one: what they do to a CPU. */
void rst_note(struct rst_cpu *cpu, const uint8_t *p);
/* Put a record into the queue of its CPU. There is room: give up old ones first. */
/* May it belong to the INSTR just before? */
static inline bool rst_follows(const uint8_t *p)
{
	return (p[0] == CAIRN_RST_REGVAL && rst_REGVAL_post(p)) || p[0] == CAIRN_RST_MEMVAL ||
	       p[0] == CAIRN_RST_TRAPEXIT;
}

/* A record that cannot be read may have been anything of any CPU: an instruction, a translation,
 * who runs. */
void rst_lose(struct rst_state *at);
/* May this record belong to an instruction that was lost, rather than to the one before? */
static inline bool rst_is_orphan(const struct rst_state *at, const uint8_t *p, unsigned cpu)
{
	return at->lost && !(at->cpus[cpu].flags & RST_C_RAN) && rst_follows(p);
}
void rst_wait(struct rst_state *at, const uint8_t *p, unsigned cpu, uint32_t tick);
/* The oldest waiting record if it has waited too long at `tick`. */
const struct rst_waiting *rst_overdue(const struct rst_state *at, uint32_t tick);
/* Forget the first waiting record of a CPU. */
void rst_waited(struct rst_state *at, unsigned cpu);

/* Does this record wait for its CPU's next INSTR? */
static inline bool rst_waits(unsigned type)
{
	return type == CAIRN_RST_TRAP || type == CAIRN_RST_REGVAL || type == CAIRN_RST_PREG ||
	       type == CAIRN_RST_MEMVAL || type == CAIRN_RST_TRAPEXIT ||
	       type == CAIRN_RST_TRAPPING_INSTR;
}

/* Is it a REGVAL of two privileged registers as they are before the instruction? */
static inline bool rst_tells_privileged(const uint8_t *p)
{
	return p[0] == CAIRN_RST_REGVAL && !rst_REGVAL_post(p) &&
	       rst_REGVAL_regtype0(p) == RST_R_PRIV && rst_REGVAL_regtype1(p) == RST_R_PRIV;
}

/* Does this REGVAL tell where a CPU stands whose delay slot comes next? No register of RST's
 * is the NPC: what a slice begins with are TPC and TNPC of a level not yet entered, as a trap
 * would save them now. They mean the CPU's next INSTR if it is at that PC. */
static inline bool rst_tells_npc(const uint8_t *p)
{
	unsigned id = rst_REGVAL_regid0(p);
	return rst_tells_privileged(p) && id > ISA_SPARC_TPC_TL && id < ISA_SPARC_TPC_TL + 8 &&
	       rst_REGVAL_regid1(p) == id + 8;
}
/* And does this one tell, by TPC and TNPC, that the trap came out of a delay slot? */
static inline bool rst_tells_resume(const uint8_t *p)
{
	return rst_tells_privileged(p) && rst_REGVAL_regid0(p) == ISA_SPARC_TPC &&
	       rst_REGVAL_regid1(p) == ISA_SPARC_TNPC &&
	       rst_REGVAL_value1(p) != rst_REGVAL_value0(p) + 4;
}

/* Does a TRAP stop the instruction it stands before? Not when it is asynchronous, a
 * missed fetch, or a trap instruction's own. */
static inline bool rst_trap_stops(const uint8_t *p)
{
	return !rst_TRAP_async(p) && rst_TRAP_ttype(p) < 0x100;
}

/* Trap types of misses in a TLB: of an access, of a fetch. */
static inline bool rst_misses_dtlb(unsigned tt)
{
	return tt == 0x30 || tt == 0x31 || (tt >= 0x68 && tt <= 0x6f);
}
static inline bool rst_misses_itlb(unsigned tt)
{
	return tt == 8 || tt == 9 || (tt >= 0x64 && tt <= 0x67);
}

/* ---- rows.c: what stands around an instruction ---- */
struct rst_decoder {
	struct cairn_reader *reader;
	const struct rst_impl *im;
	struct rst_worker *worker;
	struct model_span *span;
	struct rst_span *ss;
	struct rst_state *at;
	struct kit_rows rows;
	uint32_t n_loose; /* records of the slot that no instruction has claimed yet */
	int last;         /* CPU of the instruction just before, -1 none */
	uint16_t ctx;
	const uint8_t *lost; /* the last record that cannot be read */
	bool half;           /* of an atomic in the slot one value came so far */
	bool in_string;      /* STRCONT seen: the text is in the buffer */
	size_t text_len;
	char text[1024];
};
/* Rows of a record that belongs to no CPU, into the slot that is open. */
void rst_loose(struct rst_decoder *decoder, const uint8_t *p);
/* Rows of a record that waited (before its instruction) or followed it (after), the
 * instruction's own rows being there already: TRAP, REGVAL, PREG … Not MEMVAL. */
void rst_attach(struct rst_decoder *decoder, const uint8_t *p, enum cairn_phase phase,
                uint32_t enc);
/* Give an access its value, or make a row of its own. `kind` when none is known. */
void rst_memval(struct rst_decoder *decoder, const uint8_t *p, uint8_t kind);
/* The slot ends: a value that came alone for an atomic is taken for neither of the two. */
void rst_drop_half(struct rst_decoder *decoder);
/* What an unfinished string holds becomes a comment. */
void rst_end_string(struct rst_decoder *decoder);
void rst_tell_dropped(struct rst_decoder *decoder);

/* ---- run.c ---- */
void rst_fast_op(const struct cairn_op *op, struct rst_fast *fast);
/* Behind an instruction of CPU u->last whose slot is open: as many as follow that are simple.
 * Returns the record behind them. */
const uint8_t *rst_run(struct rst_decoder *decoder, const uint8_t *p, const uint8_t *end);

/* ---- decoder.c, names.c, records.c, info.c ---- */
int rst_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);
int rst_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec);
const char *rst_ev_name(const struct cairn_reader *reader, const struct cairn_event *event,
                        char *buf);
int rst_info(struct cairn_reader *reader, struct model_facts *facts);
/* The TLBs of a CPU as a string "mmutype=…" names them: up to 4 for instructions, 4 for data;
 * a unified one is among the former. False when it is not of the form that is specified. */
struct rst_mmu {
	unsigned n[2], size[2][4], entries; /* entries: of all of them */
};
bool rst_parse_mmutype(const char *text, struct rst_mmu *mmu);
/* "byte 0x18, record 2, instruction 1: no record has type 100". */
void rst_bad_text(char *buf, size_t size, uint64_t off, uint64_t rec, uint64_t n, unsigned type);
/* Why a span ends before its time, or false. */
bool rst_end_text(const struct rst_span *ss, char *buf, size_t size, uint64_t rec, uint64_t n);

/* A RECNUM that tells how many instructions a filter has read and written. */
static inline bool rst_counts_insns(const uint8_t *p)
{
	return p[0] == CAIRN_RST_RECNUM && rst_RECNUM_is_recnum(p) &&
	       rst_RECNUM_rectype(p) == CAIRN_RST_INSTR;
}

/* Does such a RECNUM tell that instructions were left out since the CPU's last one? Filters
 * of different levels count different traces: equal differences of two levels say nothing. */
static inline bool rst_counts_gap(const uint8_t *p, uint64_t *left_out, uint8_t *level)
{
	uint64_t now = rst_RECNUM_incount(p) - rst_RECNUM_outcount(p);
	bool gap = now != *left_out || (now && rst_RECNUM_level(p) != *level);
	*left_out = now;
	*level = rst_RECNUM_level(p);
	return gap;
}

/* ---- kinds.c ---- */

enum rst_kind {
	RST_KIND_PLAIN, /* neither accesses memory nor transfers control */
	RST_KIND_MEM,   /* an access without an ASI */
	RST_KIND_ASI,   /* one with */
	RST_KIND_MAY,   /* may have an address: prefetch, flush; what is not known */
	RST_KIND_DCTI,
	RST_KIND_TCC,
	RST_KIND_XRET,
	RST_KIND_WATCH /* plain, but writes registers that the rules follow */
};
/* By isa_sparc_key. */
void rst_kinds(uint8_t kind[256]);

#endif
