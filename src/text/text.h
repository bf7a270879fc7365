/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H
/*
 * Logs of instructions, a line at a time: what the formats of text share. A format gives
 * a dialect. This room knows none.
 *
 * A record is a line. Places, states, spans, damage and records are the same for all dialects.
 * How lines become batches is a dialect's way (struct text_way). Most take one line apart, and
 * text_by_rows does the rest: a line begins an instruction, adds rows to the one before it, or
 * tells an event. Its spans begin where an instruction does, are cut in the same places for every
 * number of threads, and each is one piece of memory; behind it TEXT_LOOK bytes can be seen, by
 * which a branch finds the next instruction of its hart. VIXL's lines mean something only with
 * their neighbours, and what an encoding is known for: it has a way of its own.
 */
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <string.h>

#include "isa/memo.h"
#include "kit/flow.h"
#include "kit/options.h"
#include "kit/rows.h"
#include "kit/spans.h"

enum {
	TEXT_LINE_MAX = 1 << 16, /* longer lines are taken as several */
	TEXT_LOOK = 1 << 16,     /* how far a branch looks for what followed it */
	TEXT_HEAD = 4096,        /* what a probe looks at */
	/* Memory is prefetched this many bytes ahead: the processor's own prefetch ends with a page,
	 * and a scan is the first to touch a span. Saves half the time of a scan, a tenth of a count.
	 *  */
	TEXT_AHEAD = 4096
};

enum text_role {
	TEXT_FOREIGN,  /* none of the format's: a comment */
	TEXT_BAD,      /* looks like the format's and is not: damage */
	TEXT_INSN,     /* begins an instruction, unless it joins the one before */
	TEXT_ROWS,     /* adds to the instruction before it */
	TEXT_EVENT,    /* an event, with rows perhaps */
	TEXT_ARGUMENT, /* `target` is an argument of the event before */
	TEXT_REPEATED, /* the instruction before ran `code` times in all, but has one line */
	TEXT_BRANCH,   /* the instruction before went to `target` */
	TEXT_NOTHING   /* says nothing of the execution */
};

/* One line, taken apart. Texts point into it. */
struct text_line {
	uint8_t kind; /* record number, in the dialect's table */
	uint8_t role; /* enum text_role */
	uint8_t isa, size;
	uint8_t priv, security;
	uint8_t event; /* enum cairn_event_kind */
	bool has_hart, has_priv, has_security, has_target;
	bool opens;  /* another line may say more of this instruction, the one that… */
	bool joins;  /* …is about the same hart, pc and encoding */
	bool failed; /* its condition did not hold */
	bool has_pc; /* of an event: pc is the instruction it stopped, if that is the one before */
	uint16_t hart;
	uint32_t prefix; /* bytes of foreign text before the line */
	uint64_t pc, code, target;
	uint32_t enc;
	const char *text, *rows, *end; /* disassembly or name; what next_row reads, and its end */
	uint32_t text_len;
	const char
		*args; /* of an event: p pc, e encoding, i 2 (RV32: 1), v of an ARGUMENT; NULL: none */
	const char *why; /* BAD */
	bool lost_insn;  /* BAD: it was an instruction's */
};

enum text_row_kind { TEXT_ROW_REG, TEXT_ROW_MEM, TEXT_ROW_NOTE };
/* A register or access of a line. */
struct text_row {
	uint8_t what;                 /* enum text_row_kind; NOTE: only a record's field */
	uint8_t cls, role;            /* of a register; role UNKNOWN: as its place says */
	uint8_t kind;                 /* of an access */
	bool zeroes, has_pa, no_name; /* no_name: no such register is known here */
	bool split;                   /* an access in pieces of the size the encoding says */
	uint8_t sp_of; /* the stack pointer of this level (enum cairn_priv), SP while it runs */
	uint16_t num;
	uint32_t bits;  /* of a register: 0 as many as digits */
	uint32_t size;  /* of an access: 0 what the encoding says */
	unsigned shift; /* of a register's value: this many low bits are not part of it */
	uint64_t addr, pa;
	const char *name, *digits; /* hexadecimal, with separators perhaps; NULL: no value */
	uint32_t name_len, n_digits;
};

struct text_impl;
struct text_span;
struct text_fields;
struct text_taken;

/* How the lines of a dialect become batches. The three structs begin with the room's own. */
struct text_way {
	size_t impl_size, span_size, worker_size;
	size_t flow_at, flow_size; /* in the span: where the flow goes on, which every span learns */
	size_t head;               /* bytes of the beginning that are looked at */
	size_t small;              /* `info` looks at all of a file that has no more bytes */
	const struct kit_source_rules *source;
	/* Learn from the first whole lines. */
	void (*look)(struct text_impl *im, const char *p, const char *end);
	/* A span was cut; NULL: that is all. */
	void (*cut)(struct text_span *ss);
	int (*scan)(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
	/* The flow behind a span that was scanned, from that behind the span before (*flow) and what
	 * this one learnt. */
	void (*join)(const struct text_span *ss, const void *learnt, void *flow);
	/* Can the flow be like this? Asked of what an index holds. */
	bool (*possible)(const void *flow);
	int (*decode)(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);
	/* Take the line of a record apart into its fields; `next`: behind it. */
	void (*record)(const struct cairn_reader *reader, struct model_span *span, const char *p,
	               const char *next, struct text_fields *fields, struct text_taken *taken);
	/* Facts for `info` beyond those of all logs. */
	void (*facts)(const struct text_impl *im, struct model_facts *facts);
};
extern const struct text_way text_by_rows;

struct text_dialect {
	const struct text_way *way;
	const char *generator;    /* who writes such logs */
	const char *const *kinds; /* names of the records; by rows 0 is TEXT, 1 is UNKNOWN */
	unsigned n_kinds;
	bool kind; /* such logs may hold instructions or not, which `info` says */
	const char *(*event_name)(const struct cairn_event *event);
	/* ---- by rows ---- */
	bool loads_fill; /* a load has no value but that of the register it fills */
	uint32_t can;    /* enum cairn_part beyond what all have */
	/* Take a line apart; unless the line is BAD, every row has been tried. */
	void (*parse)(const struct text_impl *im, const char *p, size_t n, struct text_line *line);
	/* The next row: 1, 0 when none is left, -1 when what follows is not a row. *at begins as
	 * line->rows. */
	int (*next_row)(const struct text_impl *im, const struct text_line *line, const char **at,
	                struct text_row *row);
	/* Learn from the first whole lines. */
	void (*look)(struct text_impl *im, const char *p, const char *end);
};

/* Where the trace stands between two lines. A state is this and the dialect's flow. */
struct text_place {
	uint64_t n, line, off; /* of the next instruction and line; its byte offset */
};

struct text_bad {
	uint64_t line, off; /* line: of the span, from 0 */
	const char *why;
};

struct text_look {
	bool whole; /* it was all of the trace */
	uint64_t lines, insns, foreign, bad;
	uint8_t isa;    /* of the first instruction */
	uint64_t harts; /* bit h: such a hart was seen (the first 64) */
};

struct text_impl {
	const struct text_dialect *d;
	struct kit_source source;
	uint8_t isa; /* by option or look; 0: each line says */
	bool isa_given;
	bool states_only; /* a log of state, without instructions */
	unsigned dialect; /* the dialect's own */
	struct text_look look;
};

struct text_span {
	struct kit_bytes bytes;
	bool finished;
	struct text_place at; /* set by seal */
	/* learnt by the scan */
	uint64_t insns, lines, length;
	uint64_t n_bad;
	struct text_bad *bad; /* the first MODEL_DAMAGE_KEPT */
	struct cairn_field fields[CAIRN_MAX_FIELDS];
	uint8_t *wide; /* values of a record's fields */
};

struct text_worker {
	struct isa_memo *memo;
	struct cairn_batch *scratch;
};

/* ---- by rows ---- */

struct text_rows_span {
	struct text_span span;
	struct kit_flow flow;
	uint64_t touched;      /* harts that the span has */
	struct text_line open; /* the record before that began an instruction */
	bool orphans;          /* lines here belong to an instruction whose own line cannot be read */
};

/* ---- line.c ---- */

/* The first newline within [p, end), NULL: none. Lines are short: the first bytes are
 * looked at without a call. */
static inline const char *text_newline(const char *p, const char *end)
{
#ifdef __SSE2__
	if (end - p >= 64) {
		const __m128i nl = _mm_set1_epi8('\n');
		const __m128i *q = (const __m128i *)(const void *)p;
		uint64_t at = 0;
		for (unsigned i = 0; i < 4; i++)
			at |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(q + i), nl))
			      << 16 * i;
		if (at)
			return p + __builtin_ctzll(at);
		p += 64;
	}
#endif
	return memchr(p, '\n', (size_t)(end - p));
}

/* Behind the line that begins at p, its newline included, and where its text ends. */
static inline const char *text_line_ends(const char *p, const char *end, const char **text_end)
{
	const char *most = end - p > TEXT_LINE_MAX ? p + TEXT_LINE_MAX : end;
	const char *nl = text_newline(p, most);
	*text_end = nl ? nl : most;
	return nl ? nl + 1 : most;
}

/* The same; a carriage return is no part of the text. */
static inline const char *text_line_end(const char *p, const char *end, const char **text_end)
{
	const char *next = text_line_ends(p, end, text_end);
	*text_end -= *text_end > p && (*text_end)[-1] == '\r';
	return next;
}
/* Take apart the line that begins at p; its text ends at `end`, the next one begins at `next`. A
 * line with bytes of zero is not text, and one without a newline was cut off: half of what it said
 * may be missing. */
void text_parse(const struct text_impl *im, const char *p, const char *end, const char *next,
                struct text_line *line);
/* Up to `most` hexadecimal digits of either case; how many there were. */
unsigned text_hex(const char *p, const char *end, unsigned most, uint64_t *out);
/* "0x" and 1 to 16 digits; NULL if not. */
const char *text_0x(const char *p, const char *end, uint64_t *out, unsigned *digits);
/* The beginning of the line that ends at p (exclusive), not before `from`. */
const char *text_line_begin(const char *from, const char *p);
const char *text_dec(const char *p, const char *end, uint64_t *out);
const char *text_spaces(const char *p, const char *end);
/* Behind `word` if p begins with it, else NULL. */
const char *text_word(const char *p, const char *end, const char *word);
/* Make it a line that cannot be used. */
void text_bad(struct text_line *line, const char *why);
/* The same for a line that was an instruction's: what stands behind it belongs to no other one. */
void text_bad_insn(struct text_line *line, const char *why);
/* The greatest number of a core: the next one stands for a core that is not known. */
enum { TEXT_LAST_CORE = 65534 };
#define TEXT_CORE_TOO_HIGH "the number of its core is above 65534"
/* The instruction in words, from `p` to `end` without blanks around it. What stands in the place
 * of words but is none ("DASM(00000297)", ".4byte 0x297", "unknown") counts as no text. */
void text_words(struct text_line *line, const char *p, const char *end);
/* Try all rows; false, and the line is BAD, when one of them is not a row. */
bool text_try_rows(const struct text_impl *im, struct text_line *line, const char *why);
/* Bytes of the value of `n` digits (separators apart), least significant first, at most
 * `cap`; how many there were, of all digits. */
size_t text_value(const char *digits, size_t n, uint8_t *out, size_t cap);
/* Are these the two lines that tell of one instruction? */
static inline bool text_says_again(const struct text_line *before, const struct text_line *line)
{
	return before->opens && line->joins && before->hart == line->hart && before->pc == line->pc &&
	       before->enc == line->enc;
}
/* How well the first lines fit a dialect: 0 to 100. */
int text_fits(const struct text_dialect *dialect, const uint8_t *head, size_t n);
int text_sure(const struct model_format *format, const uint8_t *head, size_t n);

/* ---- source.c ---- */
int text_open(struct cairn_reader *reader, const char *options);
void text_close(struct cairn_reader *reader);
int text_cut(struct cairn_reader *reader, struct model_span *span, bool alone);
void text_drop(struct cairn_reader *reader, struct model_span *span);
int text_seek(struct cairn_reader *reader, uint64_t n);
uint64_t text_place(const struct cairn_reader *reader, const struct model_span *span);
int text_jump(struct cairn_reader *reader, uint64_t where);
int text_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out);
int text_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state);
int text_worker_new(struct cairn_reader *reader, void **out);
void text_worker_free(struct cairn_reader *reader, void *worker);
/* ---- span.c ---- */
int text_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
int text_seal(struct cairn_reader *reader, const void *before, struct model_span *span);
int text_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);
/* A batch that begins at the span's place. */
void text_batch_begin(const struct text_span *ss, struct cairn_batch *batch, uint32_t have);
/* The span has been read to its end, and its state is the next one's. */
void text_finish(const struct cairn_reader *reader, struct model_span *span);
/* Damage that a scan met at this line of the span, from 0; `why` must stay. CAIRN_E_NOMEM. */
int text_note_bad(struct cairn_reader *reader, struct text_span *ss, uint64_t line, uint64_t off,
                  const char *why);
/* Report, with its place, a line that cannot be used, or at the end that the input breaks off. */
void text_damaged(struct cairn_reader *reader, struct model_span *span, uint64_t off, uint64_t line,
                  const char *why);
/* The same as an event of a batch. */
void text_damage_event(struct cairn_reader *reader, struct model_span *span, struct kit_rows *rows,
                       enum cairn_phase phase, uint64_t off, size_t n, const char *why);
/* ---- by rows: decoder.c, scan.c, records.c ---- */
int text_rows_decode(struct cairn_reader *reader, struct model_span *span,
                     struct cairn_batch *batch);
int text_rows_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally);
void text_rows_record(const struct cairn_reader *reader, struct model_span *span, const char *p,
                      const char *next, struct text_fields *fields, struct text_taken *taken);
void text_rows_facts(const struct text_impl *im, struct model_facts *facts);
/* The next batch of the span. While scanning damage is noted, and lines are counted in
 * `tally` unless it is NULL. */
int text_fill(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch,
              struct cairn_tally *tally, bool scanning);
/* ---- records.c ---- */
/* The fields of a record as they are added; what does not fit is left out. */
struct text_fields {
	struct text_span *ss;
	unsigned n;
	size_t used; /* of ss->wide */
	struct cairn_field beyond;
};
/* What a record is. */
struct text_taken {
	unsigned kind;
	bool insn;       /* an instruction begins */
	const char *why; /* it cannot be used */
};
struct cairn_field *text_add(struct text_fields *fields, const char *name, unsigned kind,
                             uint64_t value, unsigned width);
void text_add_text(struct text_fields *fields, const char *name, const char *text, size_t n);
/* `n` bytes of a value, the least significant first. */
void text_add_wide(struct text_fields *fields, const char *name, const uint8_t *value, size_t n);
int text_info(struct cairn_reader *reader, struct model_facts *facts);
int text_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec);
const char *text_record_name(const struct cairn_reader *reader, unsigned type);
const char *text_event_name(const struct cairn_reader *reader, const struct cairn_event *event,
                            char *buf);

/* What a format of text has in common with the others, for its struct model_format. Its own are a
 * name, its dialect (`own`), a probe if text_sure is not enough, and options, which fill a struct
 * text_impl: TEXT_PIECE and others. */
#define TEXT_PIECE \
	{ \
		"piece", "BYTES", "what a thread works on at a time", KIT_NUMBER, \
			KIT_AT(struct text_impl, source.piece), .least = 1, .most = 1u << 30 \
	}
#define TEXT_FORMAT \
	.sure = text_sure, .close = text_close, .info = text_info, .record_name = text_record_name, \
	.event_name = text_event_name, .worker_new = text_worker_new, .worker_free = text_worker_free, \
	.cut = text_cut, .scan = text_scan, .seal = text_seal, .decode = text_decode, \
	.record = text_record, .drop = text_drop, .seek = text_seek, .place = text_place, \
	.jump = text_jump, .state_put = text_state_put, .state_get = text_state_get

#endif
