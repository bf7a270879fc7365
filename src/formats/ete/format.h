/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_FORMAT_H
#define ETE_FORMAT_H
/*
 * ETE as a format of traces: sessions, their streams, and the spans these are cut into.
 *
 * A trace is one file of bytes or a snapshot. Either way it is a row of sessions; a
 * session, once loaded, has a stream for each trace unit that wrote into it. Streams are
 * cut where reading can begin without knowing what went before (flow.h), for any number
 * of threads at the same places, so a span needs nothing of the one before it but
 * numbers. Spans of several streams come in the order of their first bytes; none holds
 * two streams.
 */
#include "formats/ete/flow.h"
#include "formats/ete/frames.h"
#include "io/io.h"
#include "isa/memo.h"
#include "model/model.h"

extern const struct model_format ete_format;

/* Where a trace unit's stream stands between two spans. */
struct ete_unit_state {
	struct cairn_ctx ctx;
	uint64_t addr;  /* where execution was, if it was known; and the rest as in the flow */
	uint8_t no_addr, waiting;
	uint8_t any;    /* instructions came before */
	uint8_t pad[5];
};

/* Where the trace stands between two spans; a unit each behind it. */
struct ete_state {
	uint64_t n, rec; /* numbers of the next instruction and packet */
	struct ete_unit_state units[];
};

/* What ran: a unit's configuration and the program it traced. */
struct ete_program {
	struct cairn_ete_config cfg;
	const struct cairn_image *image;
	enum isa_arm_level level;
	uint16_t hart;
	uint32_t given;    /* registers that were: bits of enum ete_reg */
	const char *name;  /* of the trace unit, NULL none */
	uint64_t spans;    /* made so far */
};

struct ete_loaded;

struct ete_stream {
	struct ete_loaded *of;
	unsigned program;            /* index */
	const uint8_t *p;
	size_t n, at;                /* the next span begins at `at` */
	const struct ete_lane *lane; /* NULL: its bytes stand together */
	uint64_t ahead;              /* where the next span goes on from the one before, if it does */
	bool ahead_known;
};

/* A session in memory. Spans keep it until they are dropped. */
struct ete_loaded {
	unsigned users;
	struct io_source **io; /* what the bytes belong to, if mapped */
	size_t n_io;
	struct base_buf buf;
	const uint8_t *p;
	size_t n;
	uint64_t base;         /* offset of its first byte in the trace */
	const char *name;      /* NULL: the only one */
	struct ete_frames frames;
	struct ete_stream *streams;
	size_t n_streams;
};

enum ete_transactions { ETE_T_DISCARD, ETE_T_KEEP, ETE_T_DROP };

struct ete_impl {
	struct ete_snapshot *snapshot; /* NULL: one file */
	struct ete_program *programs;  /* one for each trace unit; 1 for a file */
	size_t n_programs;
	/* of a file */
	struct cairn_ete_config cfg;
	enum ete_framing framing;
	unsigned regs_given;
	bool framing_given;
	/* stated */
	enum isa_arm_level level;
	enum ete_transactions transactions;
	bool elements;       /* records are elements, not packets */
	size_t piece;
	/* reading */
	struct ete_loaded *now;
	size_t session;      /* the next one */
	uint64_t base;       /* where it begins */
	bool begun, noted;
};

struct ete_span {
	struct ete_loaded *of;
	const struct ete_stream *stream;
	const struct ete_program *program;
	uint64_t begin, end; /* in the stream */
	bool last;           /* of the stream */
	bool leads;          /* the first of the stream */
	bool finished;
	uint64_t ahead;      /* where it goes on behind it, */
	bool ahead_known;    /* if it does */
	struct ete_state *at; /* of the trace, from seal on */
	struct cairn_ete_flow *flow;
	/* packets, for places and records */
	struct cairn_ete_packets *packets;
	struct cairn_ete_packet *buffer;
	size_t n_buffer, at_buffer;
	struct cairn_ete_elements *elements;
	struct cairn_ete_element element;
	bool followed;       /* records: the flow has ended */
	/* decode: what is left of a range */
	struct cairn_ete_step rest;
	uint32_t left;
	bool fresh;          /* nothing of it has been put yet */
	/* scan: what seal needs */
	struct ete_unit_state learnt;
	uint64_t insns, numbers, records; /* numbers: insns and those missing ones that count */
	struct ete_bad *bad;
	uint64_t n_bad;
	char text[128];      /* of a record */
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
int ete_open(struct cairn_reader *r, const char *options);
void ete_close(struct cairn_reader *r);
int ete_cut(struct cairn_reader *r, struct model_span *s, bool alone);
void ete_drop(struct cairn_reader *r, struct model_span *s);
int ete_seek(struct cairn_reader *r, uint64_t n);
/* Where a byte of a stream stands in the trace. */
uint64_t ete_place(const struct ete_stream *st, uint64_t pos);

/* ---- session.c ---- */
/* Bring the next session into memory: 1, 0 when there is none, < 0. */
int ete_session_next(struct cairn_reader *r, struct model_span *s);
void ete_session_release(struct cairn *c, struct ete_loaded *of);
/* The configuration that registers say. */
void ete_config_of(const struct ete_regs *regs, struct cairn_ete_config *cfg);

/* ---- span.c ---- */
/* The state of the span's unit. */
static inline struct ete_unit_state *ete_unit(const struct ete_span *sp)
{
	return &sp->at->units[sp->stream->program];
}
/* What a CONTEXT element says, into what was known before. */
void ete_take_context(struct cairn_ctx *x, const struct cairn_ete_element *e);
/* The span has been read to its end: its exit is the state. */
void ete_span_leave(const struct cairn_reader *r, struct model_span *s);
/* The span's flow, open at its beginning; once sealed, with what was known there. */
int ete_span_flow(struct cairn_reader *r, struct model_span *s);
/* Read packets of the span: how many have been put into sp->buffer, 0 at its end. */
int ete_span_packets(struct cairn_reader *r, struct ete_span *sp);
int ete_scan(struct cairn_reader *r, struct model_span *s, struct cairn_tally *t);
int ete_seal(struct cairn_reader *r, const void *before, struct model_span *s);
/* How many instruction numbers a step takes up. */
uint32_t ete_numbers(const struct cairn_ete_step *s);
/* Is an element a damaged place; and the sentence about it. */
bool ete_is_damage(const struct ete_stream *st, const struct cairn_ete_element *e);
/* Do only zeros follow, as they fill up buffers? */
bool ete_is_padding(const struct ete_stream *st, uint64_t pos);
void ete_bad_text(const struct ete_span *sp, char *buf, size_t size, uint64_t pos, uint64_t n,
                  unsigned reason, uint64_t bytes);

/* ---- up.c, records.c, info.c ---- */
int ete_decode(struct cairn_reader *r, struct model_span *s, struct cairn_batch *b);
int ete_record(struct cairn_reader *r, struct model_span *s, struct cairn_record *rec);
const char *ete_record_name(const struct cairn_reader *r, unsigned type);
const char *ete_event_name(const struct cairn_reader *r, const struct cairn_event *e, char *buf);
int ete_info(struct cairn_reader *r, struct model_facts *f);

#endif
