/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_FORMAT_H
#define ETE_FORMAT_H
/*
 * ETE as a format of traces: sessions, their streams, and the spans these are cut into.
 *
 * A trace is one file of bytes or a snapshot. Either way it is a row of sessions; a
 * session has a stream for each trace unit that wrote into it. Streams are cut where
 * reading can begin without knowing what went before (flow.h), for any number of threads
 * at the same places, so a span needs nothing of the one before it but numbers. None
 * holds two streams; when it comes cut.c tells.
 */
#include "formats/ete/read/frames.h"
#include "formats/ete/stream/flow.h"
#include "io/io.h"
#include "isa/memo.h"
#include "model/model.h"

extern const struct model_format ete_format;

/* ---- source.c, for the table of the format ---- */

bool ete_comment(const struct cairn_reader *reader, size_t index, const char **text, size_t *n);
void ete_worker_free(struct cairn_reader *reader, void *worker);
int ete_worker_new(struct cairn_reader *reader, void **out);
void ete_keep_all(struct cairn_reader *reader);
extern const struct kit_options ete_reading_options, ete_writing_options;

/* The beginnings of the texts of gaps that come from an Overflow and a Discard: write.c knows them
 * by these. */
#define ETE_OVERFLOW_TEXT "the trace unit could not keep up"
#define ETE_DISCARD_TEXT "the trace unit discarded what it had"

/* Where a trace unit's stream stands between two spans. */
struct ete_unit_state {
	struct cairn_ctx ctx;
	uint64_t addr; /* where execution was, if it was known; and the rest as in the flow */
	uint8_t no_addr, waiting, no_stack, returned;
	uint8_t any;      /* instructions came before */
	uint8_t restarts; /* for the rules: as in the flow */
	uint8_t pad[2];
};

/* Where the lanes of a session in frames stand when a span is cut: for an index. */
enum { ETE_PLACED_LANES = 16, ETE_FAR_BACK = 64 << 20 };
struct ete_lanes {
	uint64_t fed; /* bytes of the session that had come; 0: nothing is known here */
	uint32_t n;
	uint32_t n_ids; /* without a snapshot: how many IDs were known, in the order of the units */
	uint8_t ids[ETE_IDS];
	struct ete_lane_place {
		uint32_t id, begun; /* begun: spans of it came before */
		uint64_t off, want; /* of the first byte that was not read; see struct ete_resume */
	} lane[ETE_PLACED_LANES];
};

/* Where the trace stands between two spans; one struct for each unit follows. */
struct ete_state {
	uint64_t n, rec;        /* numbers of the next instruction and packet */
	struct ete_lanes lanes; /* what an index told */
	struct ete_unit_state units[];
};

/* What ran: a unit's configuration and the program it traced. */
struct ete_program {
	struct cairn_ete_config cfg;
	const struct cairn_image *image;
	enum isa_arm_level level;
	uint16_t hart;
	uint32_t given;   /* registers that were given: bits of enum ete_reg */
	const char *name; /* of the trace unit, NULL none */
	uint64_t spans;   /* made so far */
	uint32_t told; /* by its first Trace Info: enum ete_told; others may read it while it is set */
};

enum ete_told { ETE_TOLD = 1u << 31, ETE_TOLD_THRESHOLD = 0xfff, ETE_TOLD_INFO = 16 /* shift */ };

/* A session that is read. Its bytes come piece by piece, into a lane for each source; one
 * that is mapped and has no frames stays where it is. Spans keep it until they are
 * dropped. */
struct ete_loaded {
	unsigned users;
	struct io_source **io; /* its files, one after another; those opened for it */
	size_t n_io, n_own, file;
	const struct ete_session *from; /* NULL: a single file without a snapshot */
	const uint8_t *map;             /* all of it, if it is one plain file */
	size_t n_map;
	struct base_buf piece; /* framed bytes that wait for more */
	enum ete_framing framing;
	uint64_t base;    /* offset of its first byte in the trace */
	uint64_t fed;     /* bytes that have come */
	bool last;        /* all have */
	const char *name; /* NULL: the only one */
	struct ete_frames frames;
};

struct ete_impl {
	struct ete_snapshot *snapshot; /* NULL: one file */
	struct ete_program *programs;  /* one for each trace unit; 1 for a file, of frames more */
	size_t n_programs;
	/* of a file */
	enum ete_framing framing;
	unsigned regs_given;
	bool framing_given;
	/* In frames without a snapshot units get programs one by one; n_ids of them have one. */
	int16_t unit_of_id[ETE_IDS]; /* -1: none */
	char (*id_names)[16];
	unsigned n_ids;
	size_t n_told;  /* programs with registers of their own; other programs have the last one's */
	bool only_told; /* leave out IDs that options do not name */
	/* stated */
	uint8_t transactions; /* enum cairn_ete_transactions */
	bool transactions_given;
	bool elements; /* records are elements, not packets */
	size_t piece;  /* the least number of bytes of a span; 0: the default */
	/* reading */
	struct ete_loaded *now;
	size_t session; /* the next one */
	uint64_t base;  /* where it begins */
	bool begun, noted;
	bool unplaced; /* of a session not all of whose bytes can be mapped: no later span is a place */
};

struct ete_span {
	struct ete_loaded *of;
	const struct ete_program *program; /* NULL: there is only damage to report */
	unsigned unit;                     /* its index */
	/* What is in memory: its bytes, and as many behind them as following it may need. */
	const uint8_t *p;
	uint64_t from; /* position of the first in the source's bytes */
	size_t n;
	bool whole;                  /* nothing comes behind them */
	bool placed;                 /* an index may begin with it */
	struct ete_lanes *lanes;     /* and with these, in frames */
	struct base_buf bytes, runs; /* its own, unless mapped; of struct ete_run */
	uint64_t begin, end;         /* positions */
	bool last;                   /* of its source */
	bool leads;                  /* the first */
	bool finished;
	uint64_t ahead;       /* where it goes on behind it, */
	bool ahead_known;     /* if it does */
	struct ete_state *at; /* of the trace, from seal on */
	struct cairn_ete_flow *flow;
	/* packets, for places and records */
	struct cairn_ete_packets *packets;
	struct cairn_ete_packet *buffer;
	size_t n_buffer, at_buffer;
	struct cairn_ete_elements *elements;
	struct cairn_ete_element element;
	bool followed; /* records: the flow has ended */
	/* decode: the rest of a range */
	struct cairn_ete_step rest;
	uint32_t left;
	bool fresh; /* nothing of it has been put yet */
	bool aimed; /* execution was said to be at `aim`, and nothing has shown it since */
	uint64_t aim;
	bool inferred; /* from here on nothing but the range's end shows that it ran */
	/* scan: what seal needs */
	struct ete_unit_state learnt;
	uint64_t insns, numbers, records; /* numbers: insns and those missing ones that count */
	struct ete_bad *bad;
	uint64_t n_bad;
	char text[128]; /* of a record */
	struct cairn_field fields[CAIRN_MAX_FIELDS];
};

/* A damaged place met while counting. */
struct ete_bad {
	uint64_t pos, numbers, bytes;
	uint8_t reason;
};

struct ete_worker {
	struct ete_code *codes; /* one for each program */
	size_t n_codes;
	struct isa_memo *memo;
};

/* ---- source.c ---- */
int ete_probe(const uint8_t *head, size_t n);
/* The name of another CoreSight trace source, none of which we decode, whose synchronisation begins
 * like this; NULL: none that we know. Only for bytes of unknown owners. */
const char *ete_other_source(const uint8_t *head, size_t n);
#define ETE_NOT_DECODED \
	"a trace of %s, by the synchronisation it begins with; of CoreSight's trace " \
	"sources ETE and ETMv4 are decoded"
int ete_open(struct cairn_reader *reader, const char *options);
void ete_close(struct cairn_reader *reader);
/* Of frames without a snapshot: the unit that has an ID, or enum ete_owner; see frames.h. */
int ete_unit_of_id(struct ete_impl *im, unsigned id, bool synced);

/* ---- session.c ---- */
/* Open the next session: 1, 0 when there is none, < 0. */
int ete_session_next(struct cairn_reader *reader, struct model_span *span);
/* Bring more bytes into the lanes of the session; once all have come, note what is wrong with them.
 *  */
int ete_session_feed(struct cairn_reader *reader, struct model_span *span, struct ete_loaded *of);
void ete_session_release(struct cairn *cairn, struct ete_loaded *of);
/* The configuration that registers say. */
void ete_config_of(const struct ete_regs *regs, struct cairn_ete_config *cfg);

/* ---- cut.c ---- */
int ete_cut(struct cairn_reader *reader, struct model_span *span, bool alone);
void ete_drop(struct cairn_reader *reader, struct model_span *span);
int ete_seek(struct cairn_reader *reader, uint64_t n);
/* Can its bytes be read again? */
bool ete_rewinds(const struct cairn_reader *reader);
/* For an index; see model.h. */
int ete_depends(struct cairn_reader *reader, struct base_buf *out);
uint64_t ete_span_place(const struct cairn_reader *reader, const struct model_span *span);
int ete_jump(struct cairn_reader *reader, uint64_t place);
int ete_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out);
int ete_span_put(const struct cairn_reader *reader, const struct model_span *span,
                 struct base_buf *out);
int ete_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state);
/* Where a byte of the span's source stands in the trace. */
uint64_t ete_place(const struct ete_span *sp, uint64_t pos);

/* ---- span.c ---- */
/* The state of the span's unit. */
static inline struct ete_unit_state *ete_unit(const struct ete_span *sp)
{
	return &sp->at->units[sp->unit];
}
/* What a CONTEXT element says, into what was known before. */
void ete_take_context(struct cairn_ctx *ctx, const struct cairn_ete_element *element);
/* The span has been read to its end: its exit is the state. */
void ete_span_leave(const struct cairn_reader *reader, struct model_span *span);
/* Open the span's flow at its beginning; once sealed, with what was known there. */
int ete_span_flow(struct cairn_reader *reader, struct model_span *span);
/* The span has been walked: the next walk begins where it begins. */
void ete_span_rewind(struct cairn_reader *reader, struct ete_span *sp);
/* Read packets of the span into sp->buffer; returns how many, 0 at the span's end. */
int ete_span_packets(struct cairn_reader *reader, struct ete_span *sp);
int ete_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
int ete_seal(struct cairn_reader *reader, const void *before, struct model_span *span);
/* How many instruction numbers a step takes up. */
uint32_t ete_numbers(const struct cairn_ete_step *step);
/* Is an element a damaged place? The sentence about it. */
bool ete_is_damage(const struct cairn_ete_element *element);
void ete_bad_text(const struct ete_span *sp, char *buf, size_t size, uint64_t pos, uint64_t n,
                  unsigned reason, uint64_t bytes);

/* ---- decoder.c, records.c, info.c ---- */
int ete_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);
int ete_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec);
const char *ete_record_name(const struct cairn_reader *reader, unsigned type);
const char *ete_event_name(const struct cairn_reader *reader, const struct cairn_event *event,
                           char *buf);
int ete_info(struct cairn_reader *reader, struct model_facts *facts);

#endif
