/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H
/*
 * What a format provides for reading and writing: the vtables of a reader and of a writer, and the
 * span, a piece of a trace cut by content.
 *
 * A span's life: cut (in trace order) → load → scan (any thread) → seal (in trace order) → decode
 * or record until 0 (any thread) → drop. With one thread scan is left out: the exit state is known
 * when decode has ended.
 *
 * No two cuts run at once, nor two seals; but a cut may run beside a seal, and both beside
 * everything that works on other spans. What they share in reader->impl must not change after open
 * and seek.
 *
 * Entry and exit states are the format's own, in blobs of reader->state_size bytes. They are copied
 * with memcpy and may outlive the span, so they hold values, not pointers into it. A scan cannot
 * know its entry; it leaves in the span what seal needs to compose the exit from the entry.
 */
#include <string.h>

#include "base/base.h"
#include "cairn/change.h"
#include "cairn/trace.h"
#include "io/io.h"

/* MODEL_STATE: bytes of a state unless open says otherwise. */
enum { MODEL_STATE = 256, MODEL_DAMAGE_KEPT = 100, MODEL_NOTES_KEPT = 16 };

struct check_rules;
struct kit_options;

struct model_damage {
	uint64_t count;
	size_t kept;
	size_t told; /* so many of `text` are from an earlier reading and are not added again */
	char *text[MODEL_DAMAGE_KEPT];
	/* Notes: sentences about what is no damage, but worth knowing. */
	size_t n_notes;
	char *note[MODEL_NOTES_KEPT];
};

struct model_span {
	uint64_t seq;         /* 0, 1, 2 … in trace order since the reader's last seek */
	uint64_t n0;          /* number of its first instruction or transaction; set by seal */
	uint64_t n1;          /* and of the first one after it, if scanned */
	void *priv;           /* the format's; made by cut, freed by drop */
	void *worker;         /* the format's scratch memory of the thread that works on it */
	bool scanned;         /* scan was called: seal has to fill `exit` and n1 */
	bool counting;        /* scan had a tally: seal has to note its damage */
	bool again;           /* it is decoded after its rules have walked it */
	unsigned char *exit;  /* the state behind it; r->state_size bytes, the engine's */
	unsigned char *entry; /* what seal was given, of the same size; NULL when read in order */
	struct model_damage damage;
	size_t overall; /* so many sentences of it, the first, are about the input as a whole */
};

struct model_facts {
	struct cairn *cairn;
	struct cairn_info info;
	size_t cap;
	int status; /* the first failure, which stays: facts behind it are left out */
};

struct model_split {
	uint64_t every;
	int (*name)(void *user, uint64_t part, const char **path);
	int (*made)(void *user, uint64_t instructions);
	void *user;
};

/* One of several slices made in the same pass. `done` has ledgers of its own. */
enum { MODEL_AT_ONCE = 128 }; /* at most this many: files open, and memory for each */
struct model_part {
	const struct cairn_range *ranges;
	size_t n_ranges;
	struct cairn_output out;
	struct cairn_changed done;
};

/* Changing traces within the format: see cairn/change.h. The options have been checked for what can
 * be checked without knowing the format; `done` is never NULL and has its ledgers. Any may be NULL:
 * the format cannot do it. */
struct model_change {
	int (*convert)(struct cairn_reader *reader, const struct cairn_output *out,
	               struct cairn_changed *done);
	int (*slice)(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
	             const struct cairn_output *out, struct cairn_changed *done);
	/* Slices that share no instruction, all in one pass over the trace, each as `slice` with all
	 * of the look-back would make it. */
	int (*slices)(struct cairn_reader *reader, struct model_part *parts, size_t n);
	/* Parts of `every` instructions in one pass; `name` gives the path of each, from 1, and `made`
	 * is called when it is complete. */
	int (*split)(struct cairn_reader *reader, const struct model_split *split,
	             const struct cairn_output *out, struct cairn_changed *done);
	/* All parts are of this format. */
	int (*merge)(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
	             struct cairn_changed *done);
	int (*edit)(struct cairn_reader *reader, const struct cairn_edit_opts *opts,
	            const struct cairn_output *out, struct cairn_changed *done);
};

/* Does the output ask for another format than the trace's? Then a sentence says what to do. */
int model_keep_format(const struct cairn_reader *reader, const struct cairn_output *out,
                      const char *verb);

/* Hand out each word of a list with commas, until `take` fails. A word that is too long for any name
 * is refused; `format` is what the sentence calls the trace. */
int model_each_word(struct cairn *cairn, const char *format, const char *list,
                    int (*take)(void *self, const char *word), void *self);

/* The ranges that a slice means: those given, cut by the windows, one after another. */
struct model_ranges {
	const struct cairn_slice_opts *opts;
	size_t i;
	uint64_t after; /* numbers up to it are done */
};
bool model_range_next(struct model_ranges *ranges, struct cairn_range *out);
/* Go to an instruction and read the batch there: 1, or 0 if the trace ends before it. Then all of
 * it has been read, so that what broke it off is found. */
int model_seek(struct cairn_reader *reader, uint64_t n, struct cairn_batch *batch);
/* Nothing lies in the ranges: CAIRN_E_NOTFOUND and a sentence. */
int model_fail_empty(const struct cairn_reader *reader);
/* Nothing was put of the parts of a merge: the same, unless one of them was wanted whole and is
 * empty (0). */
int model_fail_empty_parts(const struct cairn_merge_part *parts, size_t n);
/* Add a range behind those that a buffer holds; it is joined with the last if it continues that. */
int model_add_range(struct base_buf *buf, uint64_t first, uint64_t last);

/* The ranges of all parts in trace order, to be freed with base_free; NULL when out of memory. */
struct model_part_range {
	struct cairn_range range;
	size_t part;
};
struct model_part_range *model_part_ranges(struct cairn *cairn, const struct model_part *parts,
                                           size_t n, size_t *n_ranges);

struct model_format {
	const char *name; /* "STF" */
	bool big_endian;  /* in memory, the most significant byte of a value comes first */
	bool switches;    /* its PC is told also where nothing but another hart comes */
	bool marks;       /* its comments may mark rows of their instruction (model/mark.h) */
	bool silent;      /* tells every change of the registers it tells of: one that an instruction
	                   * writes and that has no row holds what it held before */
	const struct model_change *change; /* NULL: cannot be changed record by record */
	/* The ending of names of its own files in which an index can jump; NULL: that of
	 * reader->jumping, to which it is converted anyway. */
	const char *jumping;
	/* Why an index finds no place to jump to, if that depends on how a file came to be. NULL: it
	 * does not. */
	const char *no_jumps;
	/* How sure (0 to 100) is it that these first bytes (up to 4096) begin such a trace? `sure`
	 * replaces it for formats that share their functions. */
	int (*probe)(const uint8_t *head, size_t n);
	int (*sure)(const struct model_format *format, const uint8_t *head, size_t n);
	const void *own; /* what such functions have to know of the format */
	/* Set up r->impl from r->io. `options` is what followed the format's name in
	 * --from, or "". Sets r->can, and r->state_size if MODEL_STATE is too small
	 * (per-hart state). */
	int (*open)(struct cairn_reader *reader, const char *options);
	const struct kit_options *options; /* which open takes */
	/* Called also after an open that failed, with whatever reader->impl then is. */
	void (*close)(struct cairn_reader *reader);
	int (*info)(struct cairn_reader *reader, struct model_facts *facts);
	/* The i-th comment (from 0) on the trace as a whole, which is in no event; not ended by a zero.
	 * NULL: there are none. */
	bool (*comment)(const struct cairn_reader *reader, size_t index, const char **text, size_t *n);
	/* The i-th sentence on how the trace is read where nothing in it decides; false: there is no
	 * such sentence. NULL: never. */
	bool (*reading)(const struct cairn_reader *reader, size_t index, char *buf, size_t size);
	const char *(*record_name)(const struct cairn_reader *reader, unsigned type);
	const char *(*event_name)(const struct cairn_reader *reader, const struct cairn_event *event,
	                          char *buf);

	/* Scratch memory of one thread; either may be NULL. */
	int (*worker_new)(struct cairn_reader *reader, void **worker);
	void (*worker_free)(struct cairn_reader *reader, void *worker);

	/* The next span: 1, 0 at the end (and ever after), < 0. Only a span that was
	 * cut (1) may carry damage, and only that is dropped. `alone`: one thread reads
	 * in order, so the span may be as long as is convenient. */
	int (*cut)(struct cairn_reader *reader, struct model_span *span, bool alone);
	/* Bring its bytes into memory (decompress). NULL: nothing to do. A chunk that
	 * cannot be read is damage in the span, not an error. */
	int (*load)(struct cairn_reader *reader, struct model_span *span);
	/* Walk it once: learn what seal needs and, unless `t` is NULL, count into it; then
	 * decode is not called. NULL: this format is always read by one thread. */
	int (*scan)(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
	/* Set n0 and where decode begins from `before`, the exit of the span before (all
	 * zero for the first, seq 0); if scanned, the exit and n1. */
	int (*seal)(struct cairn_reader *reader, const void *before, struct model_span *span);
	/* The span's next batch: 1, 0 when it has ended (exit is then set), < 0. */
	int (*decode)(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);
	/* The span's next record: 1, 0, < 0. Not mixed with decode. */
	int (*record)(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec);
	void (*drop)(struct cairn_reader *reader, struct model_span *span);
	/* Let the next span begin at or before n; sets reader->reached if it is the one that holds n.
	 * NULL: only by reading on from the start. */
	int (*seek)(struct cairn_reader *reader, uint64_t n);

	/* If what a trace says depends on more than its file (the program): text that identifies this,
	 * for an index to be compared with; appended. NULL: it does not. */
	int (*depends)(struct cairn_reader *reader, struct base_buf *out);
	/* For an index: all four or none. */
	/* A number > 0 by which cut can begin with this span again; 0: it cannot. */
	uint64_t (*place)(const struct cairn_reader *reader, const struct model_span *span);
	/* Let the next cut begin at such a place, whatever the number is: CAIRN_E_DAMAGED
	 * when no span can begin there. */
	int (*jump)(struct cairn_reader *reader, uint64_t place);
	/* A state as bytes that every machine reads, appended; and back, refusing what is impossible
	 * (CAIRN_E_DAMAGED). */
	int (*state_put)(const struct cairn_reader *reader, const void *state, struct base_buf *out);
	/* Behind the state, what else of the span is needed to begin with it; NULL: nothing. */
	int (*span_put)(const struct cairn_reader *reader, const struct model_span *span,
	                struct base_buf *out);
	int (*state_get)(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state);

	/* Does an open trace lack a beginning of its own, so that it may be the next file of one in
	 * several? NULL: there is no such thing. */
	bool (*is_part)(const struct cairn_reader *reader);
	/* The whole trace goes into its own format: also give what is left out unless asked for. Called
	 * before the first batch. NULL: nothing is left out. */
	void (*keep_all)(struct cairn_reader *reader);
	/* What `check` judges its traces by; NULL: nothing. */
	const struct check_rules *rules;
};

/* How lines of text are laid out. No batch holds that, so what is written from batches has cairn's
 * own colours, blanks, line ends and names of registers. Of the lines that are written, those are
 * counted that come out differently. */
struct model_drawing {
	struct cairn_range now;    /* the instructions that are written; last 0: none are */
	struct model_ranges after; /* and those behind them; without options: none */
	bool coloured;             /* what is written is */
	uint64_t upto;             /* lines were judged up to this one; a seek may read some again */
	uint64_t count, first;
};

/* Can comments of a format mark rows of an instruction (mark.h), and where do they stand? */
enum model_marks { MODEL_MARKS_NOT, MODEL_MARKS_BEFORE, MODEL_MARKS_BEHIND };

/* What adds to each batch of a reader, in order, what follows from what the trace has told. The
 * first batch behind `reset` is the trace's first. */
struct model_derivation {
	int (*batch)(struct model_derivation *derivation, struct cairn_batch *batch);
	void (*reset)(struct model_derivation *derivation);
	void (*free)(struct model_derivation *derivation);
	struct cairn_derived count;
	uint8_t marks;     /* enum model_marks: also put comments that mark what was added */
	uint64_t unmarked; /* marks for which a batch had no room */
};
/* The parts of batches that it takes. */
#define MODEL_DERIVED_FROM \
	(CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_REGS | \
	 CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES | CAIRN_EVENTS)

struct cairn_reader {
	struct cairn *cairn;
	const struct model_format *format;
	/* The writer that an output's name, or `to`, asks for, and its options; NULL: none is
	 * known. Given by what opened the reader: it knows all formats. */
	const struct model_writer_format *(*writer_for)(const struct cairn *cairn, const char *path,
	                                                const char *to, const char **options);
	const char *jumping; /* ending of files that can be jumped in, which any format can become */
	struct io_source *io;
	const struct cairn_image *image; /* the program, lent by who opened; NULL none */
	void *impl;
	uint32_t want, can;
	/* enum cairn_isa of its instructions, or one of that family, before any has been read; 0: the
	 * format does not say */
	uint8_t isa;
	size_t state_size;
	bool strict, started;
	bool no_jumps; /* for an index: no span can be jumped to, though the file is mapped */
	bool lenient;  /* opened to be judged: only what cannot be read at all is refused */
	int broken;    /* lenient, and yet nothing can be read: the status, and why */
	char *why;
	bool lost;                       /* a run ended early: where reading would go on is not known */
	int failed;                      /* the status that ended reading; a seek clears it */
	uint64_t last_record, last_insn; /* of the next run: it ends behind both; 0: no such bound */
	uint64_t skip_to;                /* batches and spans wholly before this number are skipped */
	bool reached;                    /* the span that holds it: no scan is needed to find it */
	bool jumped;                     /* `before` is the state of a place in the middle */
	struct cairn_index *index;       /* found beside the trace, fresh */
	char *index_note;                /* why not */
	char reading[320];               /* the last sentence from the format's `reading` */
	uint64_t done, total;            /* for cairn_progress; total 0: unknown */

	/* reading in order */
	bool have_span;
	void *worker;
	uint64_t next_seq;
	struct model_span span;
	unsigned char *before;               /* state, then the span's exit, in one block */
	struct model_derivation *derivation; /* or NULL */

	struct model_damage damage;
	size_t opened; /* how many of these were found by opening, and are not found again */
	/* What lies before the place sought in an input that is read once. Nobody asked for it, but if
	 * the trace ends before that place, it says why (model_tell_passed). `near` may reach up to the
	 * place. */
	struct model_damage passed, near;
	struct model_damage overall; /* of passed spans: told wherever reading begins */
	bool got_there;              /* there is something from the place sought on */
	struct model_drawing drawing;
	struct model_facts facts;
	bool facts_done, survey; /* survey: facts may cost reading everything */
};

/* Make a reader over an open source, which it then owns (closed on failure too). */
int model_reader_new(struct cairn *cairn, const struct model_format *format, struct io_source *io,
                     const char *options, const struct cairn_open_opts *opts,
                     struct cairn_reader **out);

/* Note a damaged place of a span: a sentence with its place, without the file's
 * name. */
void model_damaged(struct cairn_reader *reader, struct model_span *span, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);
/* The same of what is no damage but should be known (cairn_reader_note); `span` NULL: of the trace
 * as a whole. */
void model_noted(struct cairn_reader *reader, struct model_span *span, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);
void model_damage_move(struct cairn *cairn, struct model_damage *to, struct model_damage *from);
void model_damage_free(struct cairn *cairn, struct model_damage *damage);
/* Forget the damaged places from the given one on, but not the notes. */
void model_damage_forget(struct cairn *cairn, struct model_damage *damage, size_t from);
/* An input that can be read only once ended before the place sought: report the damage on the way,
 * too. */
void model_tell_passed(struct cairn_reader *reader);
/* A span is passed on the way to a place: keep what it says about the input as a whole. */
void model_keep_overall(struct cairn_reader *reader, struct model_span *span);
/* Returned by the feed of a reducer of the library: flush me, and give me the same batch again. */
enum { MODEL_FEED_AGAIN = 1 << 20 };
/* CAIRN_E_DAMAGED with the first damage's sentence when reading strictly. */
int model_strict(struct cairn_reader *reader);
/* Must the spans be scanned to find the number sought? */
bool model_must_scan(const struct cairn_reader *reader);
/* The span's next batch, as the reader gives it: 1, 0, < 0. */
int model_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);
/* From now on the reader derives; `derivation` is its own. */
void model_derive(struct cairn_reader *reader, struct model_derivation *derivation);
/* Does all of it lie before the number sought? */
bool model_batch_is_before(const struct cairn_reader *reader, const struct cairn_batch *batch);
/* Fail because nothing can be read now: a run ended early, or reading failed. */
int model_not_readable(struct cairn_reader *reader);

/* What model_run_spans does with a span; on the span's thread. */
typedef int model_span_fn(void *user, void *partial, struct model_span *span);
/* Run a reducer over spans as cairn_run does, to the end, cut the same way for every number of
 * threads. Either function may be NULL. `tell` is called after begin and before feeding; if it
 * returns more than 0, nothing is fed. `walk` takes the place of feeding: it reads the sealed span
 * itself. `leaves`: it sets the exit of a span that was not scanned, so one thread need not scan.
 *  */
int model_run_spans(struct cairn_reader *reader, const struct cairn_reducer *red,
                    model_span_fn *tell, model_span_fn *walk, bool leaves, void *user,
                    unsigned threads);

/* Fail, with a sentence, when there is nothing to be read. */
int model_usable(const struct cairn_reader *reader);

/* Start the next span in order, as cairn_next does: 1, 0, < 0. */
int model_span_next(struct cairn_reader *reader);
/* Cut the next span (model_format.cut): 1, 0 at the end, < 0. CAIRN_E_STATE when the file is shorter
 * than when it was opened. */
int model_cut(struct cairn_reader *reader, struct model_span *span, bool alone);

/* ---- facts ---- */
/* Each adds one: 0 or what failed first, so that it is enough to look at the last. */
int model_fact_text(struct model_facts *facts, const char *key, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);
int model_fact_list(struct model_facts *facts, const char *key, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);
int model_fact_number(struct model_facts *facts, const char *key, uint64_t number);
int model_fact_unknown(struct model_facts *facts, const char *key);
/* A text, or unknown when NULL; a number, if it is known. */
int model_fact_maybe(struct model_facts *facts, const char *key, const char *text);
int model_fact_known(struct model_facts *facts, const char *key, bool known, uint64_t number);
/* What every trace of the format is: its name, and its version (0: it has none). */
int model_fact_format(struct model_facts *facts, const struct cairn_reader *reader,
                      unsigned version);
/* For a format without container: the codec, and the instruction set (0: not known). */
int model_fact_packing(struct model_facts *facts, const struct cairn_reader *reader, unsigned isa);
/* Bytes as they are stored; IO_UNKNOWN. */
int model_fact_size(struct model_facts *facts, uint64_t size);
/* A list without members, so that it prints as an empty list. */
int model_fact_empty_list(struct model_facts *facts, const char *key);
void model_facts_free(struct model_facts *facts);

/* ---- filling batches ---- */

/* Empty it; slot 0 begins. */
void model_batch_clear(struct cairn_batch *batch);
/* Close the slots: write the last slot's row and the sentinel from the counts.
 * reg0, mem0, ev0: where the last slot's rows begin; ctx: its context. */
void model_batch_close(struct cairn_batch *batch, uint32_t reg0, uint32_t mem0, uint32_t ev0,
                       uint16_t ctx);
/* Should it be handed out? Ask where a slot ends (or, without instructions, between two records).
 *  */
bool model_batch_full(const struct cairn_batch *batch);
/* Does it hold anything? */
bool model_batch_empty(const struct cairn_batch *batch);
/* Room for `n` bytes of payload, 8-aligned; UINT32_MAX when the batch is full. */
uint32_t model_batch_bytes(struct cairn_batch *batch, size_t n);
/* Add an event with a text payload to the slot being filled; NULL when full. */
struct cairn_event *model_batch_text_event(struct cairn_batch *batch, uint8_t kind, uint16_t seq,
                                           const char *text, size_t n);
/* Damage in its place: the event, and the same sentence noted in the span. `phase`: was it lost
 * before the slot's instruction, or of it and behind it? `off` is where in the trace, `lost` how
 * many bytes (0: not known). */
void model_damage_event(struct cairn_reader *reader, struct model_span *span,
                        struct cairn_batch *batch, uint16_t seq, enum cairn_phase phase,
                        uint64_t off, uint64_t lost, const char *fmt, ...) CAIRN_PRINTF(8, 9);

/* ---- counting ---- */

/* As cairn_tally_batch and its kin, of the library's own tallies. */
void model_tally_batch(struct cairn_tally *tally, const struct cairn_batch *batch,
                       const uint8_t *keep);
void model_tally_add(struct cairn_tally *sum, const struct cairn_tally *part);
void model_tally_end(struct cairn_tally *sum);

/* ---- writing ---- */

/* What a format provides for writing. A writer's life: open → put … → finish, or abort instead of
 * finish at any time, also after an open or finish that failed. */
struct model_writer_format {
	const char *name;            /* "STF" */
	const char *of;              /* the format that this is a container of; NULL: itself */
	const char *const *suffixes; /* output names that ask for it, ends with NULL */
	uint8_t marks;               /* enum model_marks: its comments can mark rows, and where */
	uint32_t sets;               /* bits of enum cairn_isa: what it can be of; 0: anything */
	/* Set up w->impl; `options` is what followed the format's name in --to, or "".
	 * Writes to w->sink, after model_writer_sink, or to a sink of its own. */
	int (*open)(struct cairn_writer *writer, const char *options);
	const struct kit_options *options; /* which open takes */
	/* The batches come from this reader. Called before the first put; may be NULL. */
	int (*from)(struct cairn_writer *writer, const struct cairn_reader *reader);
	/* A comment on the whole trace, from another format. Called behind `from`; NULL: it is lost. */
	int (*comment)(struct cairn_writer *writer, const char *text, size_t n);
	/* It reports what it cannot carry with model_lost. */
	int (*put)(struct cairn_writer *writer, const struct cairn_batch *batch);
	/* Write what is left. w->sink is committed by the caller. */
	int (*finish)(struct cairn_writer *writer);
	/* Free impl; nothing may be left behind. Called after finish, too. */
	void (*abort)(struct cairn_writer *writer);
};

/* Does what is written come from a trace of the same format? */
static inline bool model_is_own(const struct cairn_reader *reader,
                                const struct model_writer_format *format)
{
	return reader && !strcmp(reader->format->name, format->of ? format->of : format->name);
}

struct cairn_writer {
	struct cairn *cairn;
	const struct model_writer_format *format;
	struct cairn_sink *sink;
	void *impl;
	char *path;
	struct cairn_create_opts opts;       /* codec and level; the strings are the caller's
	                                * and only looked at while opening */
	struct cairn_ledger *ledger, *notes; /* notes: NULL until there is one */
	char *source;                        /* what is converted, if a reader was named */
	uint8_t isa;                         /* and what it is of, as in struct cairn_reader */
	const struct cairn_batch *now;       /* what is being put */
	bool begun;                          /* put was called */
	bool any;                            /* with instructions */
	bool coloured;                       /* text as on a terminal */
	int failed;                          /* the first error stays */
};

/* What an output of a change asks of a writer. */
static inline struct cairn_create_opts model_create_opts(const struct cairn_output *out)
{
	return (struct cairn_create_opts){.size = sizeof(struct cairn_create_opts),
	                                  .to = out->to,
	                                  .codec = out->codec,
	                                  .level = out->level,
	                                  .threads = out->threads,
	                                  .lossless = out->lossless,
	                                  .lossy = out->lossy};
}

/* Make a writer. Errors: the format's, io_sink_open's. */
int model_writer_new(struct cairn *cairn, const struct model_writer_format *format,
                     const char *path, const char *options, const struct cairn_create_opts *opts,
                     struct cairn_writer **out);
/* Open w->sink: w->path with the codec that the options or the name ask for. */
int model_writer_sink(struct cairn_writer *writer);
/* `count` things of a kind could not be carried over, the first of them at
 * instruction (transaction) `n`, 0 nowhere in particular. CAIRN_E_LOSS when writing
 * is to be lossless; put then returns that. */
int model_lost(struct cairn_writer *writer, uint64_t count, uint64_t n, const char *what);
/* The same of what is no loss, but what a user of the output should know. */
int model_note(struct cairn_writer *writer, uint64_t count, uint64_t n, const char *what);
/* Another trace follows the first one in a merge. What it says of itself as a whole has no place
 * any more, and is counted as lost unless the first one says the same. */
int model_writer_joins(struct cairn_writer *writer, const struct cairn_reader *first,
                       const struct cairn_reader *reader);
/* cairn_finish, and also the notes (NULL: not wanted) for the caller. */
int model_writer_end(struct cairn_writer *writer, struct cairn_ledger **ledger,
                     struct cairn_ledger **notes);

/* Put everything the reader has left into the writer, on up to two threads; instructions
 * (transactions) are added to `*done`. */
int model_pump(struct cairn_reader *r, struct cairn_writer *writer, unsigned threads,
               uint64_t *done);

/* Refuse a trace of a set that the format cannot hold, or whose encodings would mean something else
 * there: CAIRN_E_UNSUPPORTED. `holds`: "SPARC instructions". */
int model_refuse_set(struct cairn_writer *writer, const struct cairn_insn *row, uint64_t n,
                     const char *holds);

/* ---- ledger ---- */

/* Count the fields of `ctx` for which a format has no place, all but `kept` (enum cairn_ctx_known),
 * where they differ from `*last`, which becomes `ctx`. A number of 0 that only tells harts,
 * processes or threads apart is no loss. */
int model_lose_context(struct cairn_writer *writer, struct cairn_ctx *last,
                       const struct cairn_ctx *ctx, uint32_t kept, uint64_t n);

/* The name of events of a kind in the ledger. */
const char *model_lost_event(unsigned kind);
/* Does an event say no more than the instruction beside it, which is kept: that it calls or
 * returns? `next`: the address behind it. Then nothing is lost. */
bool model_event_follows(uint32_t traits, uint64_t next, const struct cairn_event *event,
                         const uint8_t *args);
/* … and registers and accesses of instructions that were left out. */
extern const char model_lost_rows[];
/* … what accesses are of, where it does not follow (isa_tells_elements). */
extern const char model_lost_elements[];
/* … how lines of text were drawn (struct model_drawing). */
extern const char model_lost_drawing[];
/* … a branch that its format cannot leave open. */
extern const char model_lost_outcome[];
/* … that a log, which has no line for what is not taken, ends with such a branch. */
extern const char model_lost_last_outcome[];
/* Is it a conditional branch that executed, whose outcome is not known? */
static inline bool model_outcome_unknown(uint32_t traits, uint32_t flags)
{
	return (traits & CAIRN_TRAIT_BRANCH) && (traits & CAIRN_TRAIT_CONDITIONAL) &&
	       !(flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN | CAIRN_INSN_NOT_EXECUTED));
}
/* … that a row has CAIRN_INSN_INFERRED. */
extern const char model_lost_inferred[];

struct cairn_ledger *model_ledger_new(struct cairn *cairn);
/* >= 0 or CAIRN_E_NOMEM. The text is copied. */
int model_ledger_add(struct cairn *cairn, struct cairn_ledger *ledger, const char *what,
                     uint64_t count, uint64_t n);
/* Add all of `from`, which may be NULL, to another one. */
int model_ledger_join(struct cairn *cairn, struct cairn_ledger *to,
                      const struct cairn_ledger *from);

#endif
