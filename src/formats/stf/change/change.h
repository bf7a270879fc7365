/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_CHANGE_H
#define STF_CHANGE_H
/*
 * Inside the STF room: what the verbs that change traces share. The cursor walks a
 * trace in runs of whole records; the packing says what the output's bytes go into;
 * the pack fills it without looking at records again.
 */
#include "base/map.h"
#include "cairn/index.h"
#include "formats/stf/stf.h"
#include "formats/stf/write/container_write.h"
#include "isa/written.h"

extern const struct model_change stf_change;

/* ---- cursor.c ---- */

/* What is left out behind a hole, by its name in the ledger. */
#define STF_LOST_PLACE "instructions without a PC"
#define STF_LOST_WHO "instructions of which it is not known who runs"

struct stf_cursor {
	struct cairn_reader *reader;
	struct stf_state *at; /* the place behind the last run; NULL before the first */
	struct stf_state end; /* what `at` points to when no span is open */
	bool gap;             /* bytes were lost just before the last run */
	bool lost;            /* … or will have been lost before the next one */
	/* What of the context has had more than one value so far (enum cairn_ctx_known): behind a hole
	 * it may have another one until a record gives it. */
	uint32_t varies;
	struct cairn_ctx seen; /* what was told last */
};

/* Records as they lie, valid until the next call. */
struct stf_run {
	const uint8_t *p;
	size_t n;     /* bytes: whole records */
	size_t whole; /* bytes up to and including the last marker among them */
	uint64_t markers;
	uint64_t pc; /* where the trace stood before it: the next instruction's PC … */
	bool pc_known;
	bool kept; /* the bytes stay where they are until the reader is closed */
};

/* How far a `kept` run may lie behind the walk and cost nothing to look at again: beyond that, the
 * kernel has to bring the pages back. */
enum { STF_BEHIND = 32 << 20 };
void stf_cursor_init(struct stf_cursor *cursor, struct cairn_reader *reader);
/* The next records, the header's left out, ending with the `most`-th marker at the
 * latest: 1, 0 at the end of the trace, < 0. Numbers that are missing count as markers: where
 * a hole takes up the last of them the run is empty. Damage is noted in the reader. */
int stf_cursor_next(struct stf_cursor *cursor, uint64_t most, struct stf_run *run);
/* Open the next span if need be, so that `at` tells where the trace stands: 1, 0 at the
 * end, < 0. */
int stf_cursor_ready(struct stf_cursor *cursor);
/* Number of the instruction (transaction) whose records come next. */
uint64_t stf_cursor_number(const struct stf_cursor *cursor);
/* Go to where `n` lies or before it, as near as the trace allows. */
int stf_cursor_seek(struct stf_cursor *cursor, uint64_t n);

/* ---- pack.c ---- */

struct stf_packing {
	struct stf_output output;
	const struct cairn_codec *codec; /* around raw STF; NULL: none */
	int level;                       /* 0: the default */
};

/* What the options or the output's name ask for. CAIRN_E_INVAL, CAIRN_E_UNSUPPORTED. */
int stf_packing_choose(struct cairn *cairn, const struct cairn_output *out,
                       struct stf_packing *packing);

struct stf_pack;

int stf_pack_open(struct cairn *cairn, const char *path, const struct stf_packing *packing,
                  unsigned threads, struct stf_pack **out);
/* The header, first of all. */
int stf_pack_header(struct stf_pack *pk, const uint8_t *p, size_t n);
/* Put records without a marker, which stand before what comes. */
int stf_pack_bytes(struct stf_pack *pk, const uint8_t *p, size_t n);
/* How many markers the chunk still takes: put no run with more. */
uint64_t stf_pack_room(const struct stf_pack *pk);
/* Put a run; `pc` is that of the next instruction, behind its last marker. */
int stf_pack_run(struct stf_pack *pk, const struct stf_run *run, uint64_t pc);
/* Take back what followed the last marker; how many bytes that was. */
size_t stf_pack_take_back(struct stf_pack *pk);
/* Commit; gone either way. */
int stf_pack_finish(struct stf_pack *pk);
void stf_pack_abort(struct stf_pack *pk);

/* ---- carried.c: what is known at a place ---- */

enum {
	STF_CARRIED_INT = 33, /* with the PC that STF counts as number 32 */
	STF_CARRIED_FP = 32,
	STF_CARRIED_VEC = 32,
	STF_CARRIED_CSR = 4096,
	STF_CARRIED_SLOTS = STF_CARRIED_INT + STF_CARRIED_FP + STF_CARRIED_VEC + STF_CARRIED_CSR
};

struct stf_page_walk { /* a page's last walk */
	uint64_t space, page, size;
	uint32_t off, len; /* its record, in `bytes` */
	bool told;
	uint64_t version; /* counts up with each new walk of the page */
};

enum { STF_CARRIED_HARTS = 64, STF_NO_HART = 0xffffffff };

struct stf_regs {  /* of one hart */
	uint32_t hart; /* hardware thread id; STF_NO_HART */
	unsigned n_have, untold;
	bool stale;   /* `told` is out of date: nothing is told */
	bool follows; /* where it goes on when it runs again is known: */
	uint64_t next;
	uint64_t value[STF_CARRIED_SLOTS];   /* of vectors: the first word */
	uint64_t set_by[STF_CARRIED_SLOTS];  /* the instruction whose result it is, 0 none */
	uint64_t told_by[STF_CARRIED_SLOTS]; /* the last one whose group has it */
	uint8_t have[STF_CARRIED_SLOTS], told[STF_CARRIED_SLOTS];
	uint8_t *vectors[STF_CARRIED_VEC]; /* whole values, as in their records */
};

/* The last values of registers and walks of pages. `told`: the output has them too. When
 * several outputs are written at once, or one has other address spaces than the part, `tellings`
 * records which walk each of them has. */
struct stf_carried {
	struct cairn *cairn;
	const struct cairn_stf_config *cfg;
	struct stf_regs *harts[STF_CARRIED_HARTS], *regs; /* regs: who runs; NULL: not kept */
	size_t n_harts;
	struct stf_page_walk *walks;
	size_t n_walks, cap_walks;
	uint32_t *table; /* hash: index + 1 */
	size_t cap_table;
	uint64_t sizes[8]; /* page sizes met */
	unsigned n_sizes;
	struct base_buf bytes;
	size_t untold; /* walks and registers not told yet; with several outputs at least as many */
	struct base_map *tellings; /* (listener, walk) to when it was told; NULL: one listener */
	uint64_t listener, since;  /* the current one; its earlier tellings do not count */
	uint64_t versions;         /* the last version, or moment of telling */
	uint8_t wrong;             /* 1 << class: sources of these classes are not believed */
	struct isa_written_memo *memo;
	uint8_t isa;               /* of the last instruction */
	uint64_t jumped, switched; /* the last instruction with a forced PC, of another hart */
	uint64_t forced;           /* the PC that was forced last */
	uint64_t pc, target;       /* of the next instruction; of the one behind it, if it goes there */
	bool pc_known, goes;
	bool lost;       /* records were lost, and since then nothing has told who runs */
	uint64_t events; /* the last that had events of traps, and which, by kind: */
	uint32_t event_kinds;
	uint64_t aborted;   /* the last instruction that an event stopped */
	uint64_t writer;    /* the last that had results, and of which registers: */
	unsigned n_written; /* beyond the array: any */
	uint16_t written[32];
};

int stf_carried_new(struct cairn *cairn, const struct cairn_stf_config *cfg,
                    struct stf_carried **out);
void stf_carried_free(struct stf_carried *carried);
/* Records are missing: what registers hold is not known any more. */
void stf_carried_lose(struct stf_carried *carried);
/* Nothing is known any more. */
void stf_carried_forget(struct stf_carried *carried);
/* Another output begins, which has been told nothing. */
void stf_carried_untell(struct stf_carried *carried);
/* Several outputs are written at once; what follows goes to this one. CAIRN_E_NOMEM. */
int stf_carried_output(struct stf_carried *known, uint32_t output);
/* The output tells address spaces apart by other ids: from now on its space `listener` stands for
 * `space` of the input, and knows only walks told since then. CAIRN_E_NOMEM. */
int stf_carried_listener(struct stf_carried *known, uint32_t listener, uint64_t space);
/* The output no longer says what registers hold. */
void stf_carried_untell_regs(struct stf_carried *carried);
/* From now on, with instruction `n`, this one runs. CAIRN_E_NOMEM. */
int stf_carried_run(struct stf_carried *carried, const struct cairn_ctx *ctx, uint64_t n);
/* The next instruction is at `pc`. */
void stf_carried_at(struct stf_carried *carried, bool known, uint64_t pc);
/* Does who runs, and came with the next instruction, go on at `pc` where it was? */
bool stf_carried_resumes(const struct stf_carried *carried, uint64_t pc);
/* The hart that ran before runs again; `regs` are its registers. */
void stf_carried_run_again(struct stf_carried *carried, struct stf_regs *regs);
/* Anything may have run since: no register of the running hart is known. */
void stf_carried_jump(struct stf_carried *carried);
/* Learn from one record of instruction `n`, in address space `space`. */
int stf_carried_take(struct stf_carried *carried, const uint8_t *p, uint64_t n, uint64_t space,
                     bool told);
/* Instruction `n` ends its group with a marker: what it writes without a value is not known any
 * more. */
void stf_carried_ran(struct stf_carried *carried, enum cairn_isa isa, const uint8_t *marker,
                     uint64_t n);
/* A register's value and a page's walk from an index. */
int stf_carried_set(struct stf_carried *carried, uint32_t hart, const struct cairn_state_reg *reg);
int stf_carried_set_walk(struct stf_carried *carried, const struct cairn_index_walk *walk);
/* The value of a register of the running hart; not of vectors. */
bool stf_carried_value(const struct stf_carried *carried, unsigned cls, unsigned num,
                       uint64_t *value);
/* How many registers of a class are known, of the running hart. */
unsigned stf_carried_count(const struct stf_carried *carried, enum cairn_reg_class cls);
/* Append to `out` the STATE records of what is known of the running hart and not told, and note it
 * as told. */
int stf_carried_tell(struct stf_carried *carried, struct base_buf *out);
/* The walk that maps `va` and is not told, NULL when there is none. */
struct stf_page_walk *stf_carried_walk(struct stf_carried *carried, uint64_t space, uint64_t va);
/* Note that the current output has this walk. */
int stf_carried_tell_walk(struct stf_carried *known, struct stf_page_walk *walk);

/* ---- remake.c: a trace from parts of traces ---- */

struct stf_remake {
	struct cairn *cairn;
	const struct cairn_output *out;
	struct cairn_changed *done;
	struct stf_packing packing;
	struct cairn_stf_header *header; /* the output's, written with the first instruction */
	struct cairn_stf_writer *writer; /* what it follows is what a reader of the output knows */
	struct stf_reading reading;      /* how the output's records are to be understood */
	bool drop[256];
	bool resync;           /* the next group is told its PC: the record that gave it was left out */
	bool sampled;          /* the output has holes that were asked for */
	bool state_comment;    /* tell in a comment what is known at the start */
	uint64_t n;            /* instructions (transactions) so far */
	bool header_ids_new;   /* how those of `h` are meant (cfg.new_ids of their source) */
	struct base_buf xacts; /* of transaction traces: struct stf_ids, those in use */
	uint64_t max_id;
	uint64_t dropped;  /* records of types that were not wanted */
	uint64_t withheld; /* features that do not hold for all of it */
};

struct stf_id_range {
	uint64_t first, last;
};

/* A part being read. */
struct stf_segment {
	struct stf_remake *remake;
	struct cairn_reader *reader;
	const struct cairn_stf_config *cfg; /* of the input; the output's is m->h->cfg */
	const char *name;
	uint64_t look_back;
	bool last;          /* nothing follows it */
	bool track;         /* later ranges need to know what was put */
	uint64_t id_offset; /* added to transaction ids */
	bool id_chosen;
	uint8_t clocks[256];
	/* the way */
	struct stf_cursor cursor;
	struct stf_carried *carried;
	struct base_buf group;  /* records since the last marker */
	struct base_buf extra;  /* records to add to the next group, in their order */
	struct base_buf mended; /* a group whose records were changed (mend.c) */
	bool splice, at_start;
	bool lost;               /* bytes were lost before here */
	bool hole;               /* bytes were lost within the range, which has still to be reported */
	struct stf_follower now; /* where the input stands */
	uint64_t n;              /* of the next instruction, in the input */
	uint64_t out0;           /* m->n where the range began */
	size_t ids0;             /* entries of m->xacts that are older than the part */
};

/* Check the options, and take the header of `reader` as the output's. */
int stf_remake_new(struct cairn_reader *reader, const struct cairn_output *out,
                   struct cairn_changed *done, struct stf_remake **pm);
/* Append to the header's history. */
int stf_remake_history(struct stf_remake *remake, const char *tool);
int stf_segment_open(struct stf_remake *remake, struct cairn_reader *reader, const char *name,
                     struct stf_segment **out);
void stf_segment_close(struct stf_segment *segment);
/* Address space of what runs, as page walks have it. */
static inline uint64_t stf_segment_space(const struct stf_segment *segment)
{
	return segment->cfg->new_ids ? segment->now.ctx.pid : segment->now.ctx.asid;
}
/* Are there walks, while the output tells address spaces apart by other ids? */
static inline bool stf_segment_moves_walks(const struct stf_segment *segment)
{
	return segment->cfg->new_ids != segment->remake->header->cfg.new_ids &&
	       segment->cfg->features & CAIRN_STF_F_PTE;
}
/* Append a range of it, as far as it goes. */
int stf_segment_range(struct stf_segment *segment, uint64_t first, uint64_t last);
/* The part has been read to its end: take what follows the last marker. */
int stf_segment_end(struct stf_segment *segment);
/* Commit, or after a failure (rc < 0) leave no file. Frees `remake`. Returns rc or what
 * committing failed with. */
int stf_remake_finish(struct stf_remake *remake, int rc);
/* Something cannot be carried over: counts it; CAIRN_E_LOSS when nothing may be lost. */
int stf_remake_lost(struct stf_remake *remake, const char *what, uint64_t count, uint64_t n);
int stf_remake_note(struct stf_remake *remake, const char *what, uint64_t count, uint64_t n);

/* A group that cannot be measured, which should have been noticed when it was gathered:
 * CAIRN_E_STATE. */
int stf_half_record(const struct stf_segment *segment);

/* Open the output and write its header. */
int stf_remake_open(struct stf_remake *remake);

/* ---- splice.c: what is added where a range begins ---- */

struct stf_own { /* what a group says of its beginning by itself */
	bool forced, ids, mode;
	bool set; /* the instruction set, by an INST_IEM */
};

/* Look at what the group's own records say. The PC, ids and instruction set become the segment's.
 *  */
void stf_splice_look(struct stf_segment *segment, const uint8_t *p, size_t n, struct stf_own *own);
/* Begin the output with this place. */
int stf_splice_start(struct stf_segment *segment);
/* Add to `extra` what the group that begins a range needs; begins the output if need be. */
int stf_splice_add(struct stf_segment *segment, const struct stf_own *own, const uint8_t *p,
                   size_t n);
/* Add what a later group needs: registers of the hart that runs now, walks of the pages it uses. */
int stf_splice_carried(struct stf_segment *segment, const uint8_t *p, size_t n);

/* ---- mend.c: records for another reading ---- */

enum { STF_MEND_SIZES = 1, STF_MEND_SOURCES = 2, STF_MEND_MASTERS = 4 };
/* Which of a part's records mean something else in the output. */
unsigned stf_mends(const struct stf_segment *segment);
/* Put a group, or records without an instruction, as the output has them. */
int stf_mend(struct stf_segment *segment, const uint8_t *p, size_t n, struct base_buf *out);
/* Bytes of an access in the group [p, p+n), as it goes into the output. */
uint32_t stf_group_bytes(struct stf_segment *segment, const uint8_t *p, size_t n,
                         const uint8_t *access);

/* ---- rewrite.c: one record for another header ---- */

/* Put a record of the input into the output, with ids, numbers and widths as they are there, or
 * leave it out. */
int stf_rewrite(struct stf_segment *segment, const uint8_t *p, size_t len);
/* The part's first transaction decides which ids all of it gets. */
void stf_choose_ids(struct stf_segment *segment, const uint8_t *p);
/* Process ids as the output means them, from those of a part (`from`: its cfg.new_ids). What has no
 * place is counted, at number `n`. */
int stf_translate_ids(struct stf_remake *remake, bool from, uint32_t ids[3], uint64_t n);
/* Of transactions: which ids are in use, in the entries of m->xacts from `from` on. */
int stf_xact_add(struct stf_remake *remake, uint64_t id, size_t from);
bool stf_xact_has(const struct stf_remake *remake, uint64_t id, size_t from);

/* ---- convert.c, slice.c, merge.c, edit.c ---- */
int stf_convert(struct cairn_reader *reader, const struct cairn_output *out,
                struct cairn_changed *done);
int stf_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
              const struct cairn_output *out, struct cairn_changed *done);
int stf_slices(struct cairn_reader *reader, struct model_part *parts, size_t n);
int stf_split(struct cairn_reader *reader, const struct model_split *split,
              const struct cairn_output *out, struct cairn_changed *done);
int stf_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
              struct cairn_changed *done);
int stf_edit(struct cairn_reader *reader, const struct cairn_edit_opts *opts,
             const struct cairn_output *out, struct cairn_changed *done);
/* If the version or the width of event ids differs from the header's, set them there, and leave out
 * what an older version cannot hold. */
int stf_edit_version(struct stf_remake *remake, const char *version, unsigned event_bits);

#endif
