/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_STF_H
#define STF_STF_H
/*
 * Inside the STF room: the header, the state at a place of the trace, and the
 * spans a trace is cut into.
 */
#include <pthread.h>

#include "formats/stf/record/follow.h"
#include "isa/memo.h"
#include "kit/spans.h"

enum { STF_MINOR_FIRST = 2, STF_MINOR_LAST = 6 }; /* versions 1.2 to 1.6 */

extern const struct model_format stf_format;

/* ---- source.c, for the table of the format ---- */

int stf_probe(const uint8_t *head, size_t n);
const char *stf_record_name(const struct cairn_reader *reader, unsigned type);
void stf_worker_free(struct cairn_reader *reader, void *worker);
int stf_worker_new(struct cairn_reader *reader, void **out);
extern const struct model_writer_format stf_writer_format, stf_zstf_writer_format;
extern const struct kit_options stf_reading_options, stf_writing_options;

/* What the user said about the input ("stf:events=32"). 0: nothing. */
struct stf_options {
	uint8_t event_bits;
	uint8_t ids;        /* 1 old, 2 new */
	uint8_t sizes;      /* 1 bytes, 2 bits */
	uint8_t sources;    /* 1 before, 2 after */
	uint8_t initiators; /* 1 the library's, 2 the specification's */
	uint16_t version;   /* 0x104: 1.4 */
	bool lenient;       /* take what can be read of a header that breaks the rules */
};

/* What --to and the output's name ask for. 0: nothing. */
struct stf_output {
	bool zstf;
	uint8_t container;                              /* as given: 1 stf, 2 zstf */
	uint8_t event_bits, sizes, sources, initiators; /* as struct stf_options */
	uint16_t version;                               /* 0x104: 1.4 */
	uint32_t chunk, vlen;                           /* markers in a chunk; bits */
};
/* `options` follows the format's name in --to, which may be zstf. A name and an option that
 * contradict each other are refused, CAIRN_E_INVAL. */
#define STF_ZSTF_CODEC \
	"%s: a .zstf is compressed with zstd inside; %s goes around raw STF (NAME.stf)"
int stf_output_choose(struct cairn *cairn, const char *path, bool named_zstf, const char *options,
                      struct stf_output *output);

/* What decided how records are to be understood. */
enum stf_says { STF_SAYS_NOBODY, STF_SAYS_TRACE, STF_SAYS_COMMENT, STF_SAYS_USER };

/* What records mean where their writers differ (reading.c). All other units and classes are the
 * specification's. */
struct stf_reading {
	bool bits;     /* sizes of accesses are in bits; the encoding of each decides */
	bool sources;  /* there are source operands among the first records */
	bool after;    /* sources hold what registers held after the instruction */
	uint8_t wrong; /* 1 << class: sources of these registers are something else altogether */
	uint8_t sizes_by, sources_by; /* enum stf_says */
	uint32_t n_bits, n_bytes;     /* accesses looked at, whose encoding gives the size */
	uint32_t n_after, n_before;   /* sources looked at, of registers that the instruction changed */
};

struct stf_header {
	struct cairn_stf_config cfg;
	uint64_t pc;
	uint32_t ids[3];
	bool has_version, has_pc, has_ids, ended;
	bool of_insns; /* a trace of instructions, by its header */
	bool lost;     /* there is none: `cfg` is what the chunks agree with */
	bool broken;   /* a record of it cannot be measured, or the input ends in it */
	bool cut;      /* the input ends in it, behind a record */
	size_t size;   /* bytes, END_HEADER included */
	uint64_t records;
	struct cairn_stf_header *object; /* gets lists and texts, too; NULL: they are not wanted */
};

/* Where the trace stands between two instructions (or transactions). */
struct stf_state {
	struct stf_follower now;
	uint64_t n, x;     /* numbers of the next instruction and transaction */
	uint64_t rec, off; /* number and offset of the next record */
	uint64_t gap;      /* instructions lost just before; UINT64_MAX: not known how many, 0: none */
	uint8_t damaged;   /* the span ended in a damaged place: counts are not whole */
	uint8_t odd_event; /* an event's id was implausible; reported once */
};
_Static_assert(sizeof(struct stf_state) <= MODEL_STATE, "the state fits its blob");

/* What a span does to the state, learnt without knowing its entry. */
struct stf_delta {
	/* The state behind it. While the PC is not known, `pc` is to be added to the entry's; of the
	 * context those fields are known that were written. */
	struct stf_follower now;
	uint64_t insns, xacts, records, bytes;
	uint64_t pc_first;                        /* the PC behind the first instruction */
	uint64_t odd_id, odd_off;                 /* odd_event: the first, and its offset in the span */
	uint8_t isa_set, damaged, odd_event, gap; /* gap: something is missing in it */
	uint8_t pc_fixed; /* a target pending at the entry makes no difference */
};

enum stf_span_kind {
	STF_SPAN_RAW,
	STF_SPAN_CHUNK, /* decompressed, in pieces if it is huge */
	STF_SPAN_END    /* of a .zstf: nothing, behind its last chunk */
};

struct stf_pieces;

struct stf_span {
	enum stf_span_kind kind;
	/* `abs` counts from the span's beginning until it is sealed */
	struct kit_bytes bytes;
	const uint8_t *comp; /* chunk: its frame */
	size_t comp_len;
	struct base_buf comp_buf;     /* when read from a pipe */
	struct stf_pieces *pieces;    /* a chunk too large to hold at once */
	uint64_t chunk;               /* number from 0 */
	uint64_t frame_at;            /* where its frame lies in the file */
	uint64_t start;               /* where it begins in the trace, by the bytes read so far */
	bool after_damage;            /* the one before broke off */
	uint64_t index_pc, index_off; /* what the index says of the chunk's beginning */
	uint64_t size_hint;
	bool has_index_pc;
	bool header;  /* begins with the header */
	bool stopped; /* its bytes break off here; bytes.why says how */
	bool greeted, finished, places_unknown, transactions;
	char sentence[640];
	struct stf_state at; /* decode's and record's place */
	struct stf_delta delta;
	/* walking it, and back again */
	struct kit_window first; /* where it began */
	uint64_t passed;         /* bytes that left the window meanwhile */
	struct cairn_tally *tally;
	bool refilled;
	uint8_t scan_isa; /* the instruction set taken to be in force at the start */
	struct cairn_field fields[CAIRN_MAX_FIELDS];
};

struct stf_chunk {
	uint64_t off, len; /* the frame in the file */
	uint64_t pc, size; /* first PC; uncompressed size */
	uint64_t start;    /* offset in the trace: the sizes before it */
};

/* What the records say of a chunk's beginning, to be compared with the index. */
struct stf_begin {
	uint64_t pc, off;      /* `off` in the trace */
	bool pc_known, broken; /* broken: bytes of the chunk before are missing */
};

struct stf_impl {
	struct stf_options opt;
	struct stf_header header;
	struct stf_reading reading;
	struct base_buf head; /* the header's bytes, and of a .zstf some that follow */
	struct kit_source source;
	/* .zstf */
	bool zstf, indexed;
	uint64_t per_chunk; /* markers in a chunk */
	uint64_t next_chunk, first_chunk;
	struct stf_chunk *chunks; /* when mapped */
	uint64_t n_chunks;
	uint64_t followed;    /* how many bytes of frames were looked at that turned out to be broken */
	uint64_t frames_end;  /* where the head of the file says the index begins; 0: unknown */
	uint64_t stream_at;   /* pipe: file offset of the first pending byte */
	struct base_buf seen; /* struct stf_begin of the chunks sealed, from `seen_first` on */
	uint64_t seen_first;
	struct base_buf
		tail;         /* pipe: what follows the frames, as many bytes as the index should have */
	uint64_t tail_at; /* where that is in the file */
	struct base_buf frames; /* pipe: uint64_t, where the frames that were walked begin */
	/* A pipe with a damaged chunk: its rest is saved to reach the index at its end. */
	pthread_mutex_t
		pipe_lock;       /* of all below, and of the next chunk: cutting and sealing overlap */
	const uint8_t *rest; /* NULL: not saved */
	size_t rest_len;
	uint64_t rest_at;              /* where that is in the file */
	struct stf_chunk *rest_chunks; /* all chunks by the index; NULL: the index is not usable */
	bool rest_walked;              /* the index has lost a row, so it does not cut what follows */
	bool looked_up;                /* the index at the pipe's end was looked for */
	bool broke;                    /* a damaged frame was met */
	bool ended, index_told;        /* the end was cut; info reported that the index is not usable */
	uint8_t isa_guess;             /* the set in force where the last sealed span ends */
	char trouble[480];             /* what is wrong with the header, found by opening */
	bool header_told;              /* it was reported that the header breaks off */
};

struct stf_worker {
	struct isa_memo *memo; /* of check; made when needed, as `code` is: a megabyte each */
	struct io_frame_decoder *frames;
	struct stf_code *code; /* what an encoding makes of a row */
	void *code_block;
	struct stf_sorts *sorts; /* scan.c, when counting */
	/* What byte 3 of INST_REG makes of a row, without its value: the 16 bytes behind that. Not a
	 * struct cairn_reg, since the alignment of the frequent ones to cache lines would be left to
	 * chance. */
	struct stf_reg_kind {
		uint64_t word[2]; /* the first is 0 when more has to be looked at */
	} reg[256];
	uint32_t int_bits; /* for integer registers of this width; 0: not filled */
};

/* ---- header.c ---- */
/* Read header records in [p, p+n). Returns 1 when the header has ended (header->size,
 * header->records), 0 when more bytes are needed, or a status with a sentence. */
int stf_header_parse(struct cairn *cairn, const struct stf_options *opt, const uint8_t *p, size_t n,
                     bool all, struct stf_header *header);
/* Say, once, that the header breaks off. */
void stf_header_breaks_off(struct cairn_reader *reader);
/* Take one record of a header, already measured. `opt` says how strict to be. */
int stf_header_take(struct cairn *cairn, const struct stf_options *opt, const uint8_t *p,
                    size_t len, struct stf_header *header);
/* The number of instructions (transactions) of the whole trace, if reading a little of it is
 * enough. */
bool stf_total(struct cairn_reader *reader, uint64_t *total);
int stf_info(struct cairn_reader *reader, struct model_facts *facts);
/* model_format.comment */
bool stf_comment(const struct cairn_reader *reader, size_t index, const char **text, size_t *n);

/* ---- head.c: a header as an object ---- */
/* Keep what a record of it says besides numbers. `text`: for records that have one. */
int stf_header_keep(struct cairn_stf_header *header, const uint8_t *p, const char *text, size_t n);
/* Append as it was read: a comment with a NUL at its end, a generator whatever its id. */
int stf_header_comment(struct cairn_stf_header *header, const char *text, size_t n);
extern const char stf_comment_nul[]; /* why it is refused in a new header */
int stf_header_generator(struct cairn_stf_header *header,
                         const struct cairn_stf_generator *generator);
int stf_header_copy(struct cairn *cairn, const struct cairn_stf_header *from,
                    struct cairn_stf_header **out);

/* ---- sets.c: the numbers of instruction sets and their registers ---- */
struct stf_set {
	uint8_t isa;           /* enum cairn_isa */
	uint16_t stf_isa, iem; /* what the records ISA and INST_IEM hold */
	uint8_t mode0;         /* enum cairn_priv of mode 0 */
	const char *name;      /* where the numbers are cairn's; NULL: STF's own */
};
struct stf_bank {
	uint8_t set, cls, type, bits; /* enum cairn_isa, enum cairn_reg_class, the record's type */
	uint16_t first, count, number;
};
/* Ids of exceptions and of system calls in sets whose numbers are cairn's: their codes are added to
 * these. Interrupts are counted as exceptions are. One that did not stop an instruction counts from
 * STF_BEFORE_0 if it came before it (from STF_BEFORE_TARGET_0 if the last word of its data is the
 * handler's address), and from STF_BEHIND_0 if it came behind it; a system call whose instruction is
 * not in the trace counts from STF_CALL_BEFORE_0 or STF_CALL_BEFORE_TARGET_0. */
enum {
	STF_TRAP_0 = 0x2000,
	STF_CALL_0 = 0x4000,
	STF_BEFORE_0 = 0x6000,
	STF_BEFORE_TARGET_0 = 0x8000,
	STF_BEHIND_0 = 0xa000,
	STF_CALL_BEFORE_0 = 0xc000,
	STF_CALL_BEFORE_TARGET_0 = 0xe000,
	STF_TRAPS = 0x2000
};
/* NULL: STF cannot hold the set. */
const struct stf_set *stf_set_of(enum cairn_isa isa);
/* The variant of a set by which this trace's encodings are decoded. */
static inline enum cairn_isa stf_variant(const struct cairn_stf_config *cfg, unsigned isa)
{
	return (enum cairn_isa)(isa | cfg->variants);
}
/* Is this value of ISA one with cairn's numbers for modes, registers and events? */
bool stf_isa_is_ours(unsigned stf_isa);
/* The place of a register of the model in STF, and back; NULL: none. Not for RISC-V. */
const struct stf_bank *stf_bank_of(enum cairn_isa isa, unsigned cls, unsigned num);
const struct stf_bank *stf_bank_at(enum cairn_isa isa, unsigned type, unsigned number);
/* What a trace of such a set says in a comment. */
/* What it begins with. */
extern const char stf_assigned[54];
int stf_set_comment(unsigned isa, char *buf, size_t size);
/* The tables for the documentation. */
int stf_sets_doc(struct base_buf *out);

/* ---- reading.c: what records mean where their writers differ ---- */
/* How many bytes behind the header are looked at, at first and at most. */
enum { STF_SURVEY = 1 << 16, STF_SURVEY_MOST = 1 << 20 };
/* Find it from the user's options, comments of the header, and the first records [p, p+n). */
void stf_reading_find(struct stf_impl *im, const uint8_t *p, size_t n);
/* Did too few records say, so that more have to be looked at? */
bool stf_reading_open(const struct stf_impl *im);
/* Bytes of an access with the size `size` where sizes are in bits. `op`: of its instruction;
 * NULL: not known. */
static inline uint32_t stf_bits_to_bytes(uint32_t size, const struct cairn_op *op)
{
	if (size % 8 || (op && op->mem_size == size))
		return size; /* bytes after all: writers that count bits do not always */
	return size / 8;
}
/* Is it a comment in which a header says how its records are to be understood? */
bool stf_reading_comment(const char *text, size_t n);
/* Let a header say so, in place of other such comments. */
int stf_reading_tell(struct cairn_stf_header *header, const struct stf_reading *reading);
int stf_reading_facts(struct cairn_reader *reader, struct model_facts *facts);
/* model_format.reading, .depends */
bool stf_reads(const struct cairn_reader *reader, size_t index, char *buf, size_t size);
int stf_depends(struct cairn_reader *reader, struct base_buf *out);

/* ---- source.c: cutting and loading ---- */
int stf_open(struct cairn_reader *reader, const char *options);
void stf_close(struct cairn_reader *reader);
int stf_cut(struct cairn_reader *reader, struct model_span *span, bool alone);
/* Make the worker's tables: 0 or CAIRN_E_NOMEM. */
int stf_need_code(struct cairn *cairn, struct stf_worker *worker);
int stf_need_memo(struct cairn *cairn, struct stf_worker *worker);
int stf_load(struct cairn_reader *reader, struct model_span *span);
void stf_drop(struct cairn_reader *reader, struct model_span *span);
int stf_seek(struct cairn_reader *reader, uint64_t n);
/* Read more bytes behind those not yet consumed; the window moves. 1, 0 at the end, or < 0. When
 * the bytes break off, the span is stopped. */
int stf_window_fill(struct cairn_reader *reader, struct model_span *span);
/* Walking a span to come back: note where it begins; fill its window; begin again. */
void stf_span_mark(struct stf_span *ss);
int stf_span_more(struct cairn_reader *reader, struct model_span *span);
int stf_span_rewind(struct cairn_reader *reader, struct model_span *span);
/* ---- state.c: for an index ---- */
uint64_t stf_place_of(const struct cairn_reader *reader, const struct model_span *span);
int stf_jump(struct cairn_reader *reader, uint64_t place);
int stf_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out);
int stf_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state);

/* ---- container.c: .zstf ---- */
/* Read the head, the index if it can be reached, and as much of the first chunk as
 * the header needs. */
int stf_container_open(struct cairn_reader *reader);
/* The next chunk as a span: 1, 0, < 0. */
int stf_container_cut(struct cairn_reader *reader, struct stf_span *ss);
int stf_container_load(struct cairn_reader *reader, struct model_span *span);
int stf_container_fill(struct cairn_reader *reader, struct stf_span *ss);
void stf_container_drop(struct cairn_reader *reader, struct stf_span *ss);
void stf_container_init(struct cairn_reader *reader);
void stf_container_close(struct cairn_reader *reader);
/* What the index says of a chunk behind damage. For a pipe, the rest is saved to reach its index.
 * `has_index_pc`: does it say anything? */
int stf_container_look_up(struct cairn_reader *reader, struct stf_span *ss);
/* Reading begins anew: forget what was seen of chunks. */
void stf_container_forget(struct stf_impl *im);
/* A chunk is sealed: keep what its index row will be compared with. */
int stf_container_saw(struct cairn_reader *reader, const struct stf_span *ss);
/* The span behind the last chunk is sealed: report what is wrong with the index. */
void stf_container_judge(struct cairn_reader *reader, struct model_span *span);
/* Report that the packing broke off, or that the index is not usable, in a container of `size` bytes. */
void stf_container_doubt(struct cairn_reader *reader, struct model_span *span, bool usable,
                         uint64_t size);
/* Before anything is read: save the whole of a pipe, which is read like a file from then on. */
int stf_container_save(struct cairn_reader *reader);
/* The bytes of the i-th sealed chunk, from 0; false behind the last one. */
struct stf_size {
	uint64_t chunk, at, found, told; /* `at`: where it ends */
	bool odd;
};
bool stf_container_size(const struct stf_impl *im, const struct stf_span *end, uint64_t index,
                        struct stf_size *size);

/* ---- scan.c, decoder.c, records.c ---- */
int stf_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
int stf_seal(struct cairn_reader *reader, const void *before, struct model_span *span);
int stf_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);
int stf_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec);
const char *stf_ev_name(const struct cairn_reader *reader, const struct cairn_event *event,
                        char *buf);
/* Walk markers only: bytes up to and including the last marker of [p, end), at most
 * `markers` of them; 0 when there is none. *left: how many fewer. *stuck: a damaged
 * record ends the walk, more bytes will not help. Both may be NULL. */
size_t stf_last_marker(const struct cairn_stf_config *cfg, const uint8_t *p, const uint8_t *end,
                       uint64_t markers, uint64_t *left, bool *stuck);

/* Note in the span that it cannot be read on from the window's `p`, and why; returns the sentence,
 * which lives as long as the span. */
const char *stf_damage_at(struct cairn_reader *reader, struct model_span *span);
/* Note that an event's id is implausible; it is reported once for a trace. */
void stf_odd_event(struct cairn_reader *reader, struct model_span *span, const char *place,
                   uint64_t id);
/* "chunk 3: byte 0x1f3a, record 88213, instruction 40961": the window's place. */
void stf_place(const struct stf_span *ss, char *buf, size_t size);

/* The header's records, as they were read. */
static inline struct stf_records stf_header_records(const struct stf_impl *im)
{
	return stf_records_in(&im->header.cfg, im->head.data, im->header.size);
}

/* Bytes of the header in the window: all, unless its chunk breaks off earlier than
 * when it was opened. */
static inline size_t stf_header_bytes(const struct stf_span *ss, const struct stf_header *header)
{
	size_t n = kit_left(&ss->bytes);
	return n < header->size ? n : header->size;
}

/* The span begins with the header, which says where the trace begins. */
static inline void stf_pass_header(const struct stf_header *header, struct stf_span *ss,
                                   struct stf_state *at)
{
	kit_skip(&ss->bytes, stf_header_bytes(ss, header));
	at->rec += header->records;
	if (!header->has_pc || header->cfg.protocol)
		return;
	at->now.pc = header->pc;
	at->now.pc_known = STF_PC_TOLD;
}

/* The meaning of an event id: enum cairn_event_kind, and its code. `ours`: of a set whose numbers
 * are cairn's. */
static inline uint8_t stf_event_kind(bool ours, uint64_t id, uint64_t *code)
{
	uint64_t number = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	bool call = ours ? number - STF_CALL_0 < STF_TRAPS || number - STF_CALL_BEFORE_0 < 2 * STF_TRAPS
	                 : number >= 8 && number <= 11;
	*code = number;
	if (id & STF_EVENT_SPECIAL)
		return number == STF_EVENT_MODE_CHANGE ? CAIRN_EV_MODE : CAIRN_EV_FORMAT;
	if (ours && number - STF_TRAP_0 < 7 * STF_TRAPS)
		*code = (number - STF_TRAP_0) % STF_TRAPS;
	return id & STF_EVENT_INTERRUPT ? CAIRN_EV_INTERRUPT
	       : call                   ? CAIRN_EV_SYSCALL
	                                : CAIRN_EV_EXCEPTION;
}

/* Whether a trap came before, on or after the instruction of its group. */
static inline enum cairn_phase stf_event_phase(bool ours, uint64_t id)
{
	uint64_t number = id & ~STF_EVENT_INTERRUPT;
	bool before =
		number - STF_BEFORE_0 < 2 * STF_TRAPS || number - STF_CALL_BEFORE_0 < 2 * STF_TRAPS;
	return ours && before                              ? CAIRN_BEFORE
	       : ours && number - STF_BEHIND_0 < STF_TRAPS ? CAIRN_AFTER
	                                                   : CAIRN_ON;
}
/* Of one that came before: is the last word of its data its handler's address? */
static inline bool stf_event_holds_target(uint64_t id)
{
	uint64_t number = id & ~STF_EVENT_INTERRUPT;
	return number - STF_BEFORE_TARGET_0 < STF_TRAPS ||
	       number - STF_CALL_BEFORE_TARGET_0 < STF_TRAPS;
}
/* Is it a trap that stopped its instruction? */
static inline bool stf_event_stops(bool ours, uint64_t id)
{
	uint64_t code;
	uint8_t kind = stf_event_kind(ours, id, &code);
	return (kind == CAIRN_EV_EXCEPTION || kind == CAIRN_EV_INTERRUPT) &&
	       stf_event_phase(ours, id) == CAIRN_ON;
}

enum { STF_LAST_INITIATOR = 6 }; /* ICN of the library, ACCEL of the specification */
/* Who makes a bus master's access (enum cairn_initiator). */
static inline uint8_t stf_initiator(const struct cairn_stf_config *cfg, unsigned number)
{
	unsigned who = number + (cfg->spec_initiators != 0);
	return number > STF_LAST_INITIATOR || who == CAIRN_BY_INSN ? CAIRN_BY_OTHER : (uint8_t)who;
}
/* Its number, -1 where STF has none for it. */
static inline int stf_initiator_number(const struct cairn_stf_config *cfg, unsigned who)
{
	int number = (int)who - (cfg->spec_initiators != 0);
	return who == CAIRN_BY_INSN || number > STF_LAST_INITIATOR ? -1 : number;
}

/* Is the id wider than that of any known event? Then the width of ids is probably wrong. */
static inline bool stf_event_implausible(uint64_t id)
{
	return (id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL)) >= 0x10000;
}

#endif
