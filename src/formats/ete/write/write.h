/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_WRITE_H
#define ETE_WRITE_H
/*
 * Writing ETE: write.c makes the streams, one for each hart; write_out.c puts them into
 * files or frames, write_folder.c the snapshot around them and the program, which is
 * gathered from the instructions that ran. slice.c writes parts of ETE traces.
 */
#include "cairn/ete_encode.h"
#include "io/io.h"
#include "model/model.h"

extern const struct model_writer_format ete_writer_format;

enum { ETE_PAGE = 4096 };
struct ete_page {
	uint64_t addr;
	uint8_t known[ETE_PAGE / 16]; /* a bit for each two bytes */
	uint8_t bytes[ETE_PAGE];
};

/* One hart, and its stream. */
struct ete_writer {
	struct cairn *cairn;
	struct cairn_ete_tracer_opts opts;
	struct cairn_ete_tracer *tracer;
	struct cairn_sink *sink; /* its own file in a snapshot, of its newest stream */
	bool same;               /* batches come from ETE */
	bool any;                /* something ran since the last break */
	bool on_seen;            /* as there: the Trace On that begins the stream has come */
	bool count_far; /* as there: it speculates, so cycle counts are of branches further back */
	bool markers;   /* same: it has Timestamp Markers */
	bool m_profile;
	bool stopped; /* as there: an Overflow or Discard was put, with its Trace On */
	bool in_transaction;
	bool discarded;     /* the last instruction since it began was thrown away */
	uint64_t opened_at; /* bytes before it */
	/* the row that waits */
	struct cairn_ete_insn row;
	bool held, unsure, target_known;
	bool maybe, indirect; /* a conditional branch; one, or an exception return, whose encoding does
	                       * not give its target */
	bool untold;          /* `where` is known to be its target, but no address gave it yet */
	uint64_t n;           /* its number */
	uint64_t next;        /* behind it */
	uint64_t where;       /* where execution is behind it, as far as is known */
	uint8_t isa;
	bool ctx_put;
	struct cairn_ctx ctx;
	uint16_t hart;
	uint64_t lone; /* addresses where nothing ran, so many */
	/* the program */
	struct ete_page **pages; /* a hash table */
	size_t mask, n_pages;
	struct ete_page *last;
};

/* Frames being made: the reverse of frames.h. */
struct ete_formatter {
	uint8_t frame[16];
	unsigned n; /* bytes of it, less than 15 */
	int id;     /* the source of the next byte; -1: nobody's yet */
	struct base_buf out;
};
enum { ETE_FIRST_ID = 0x10, ETE_MOST_HARTS = 96 };

struct ete_out {
	struct cairn *cairn;
	struct cairn_ete_tracer_opts opts;
	bool ids_open; /* no option has decided whether identifiers are written */
	bool same;     /* batches come from ETE */
	bool looked;   /* at the first instruction's set */
	bool states;   /* registers or memory came */
	bool pieces;   /* it is made of pieces of a trace: a slice, a merge */
	bool framed;
	uint64_t given;              /* options that the user gave: bits of their table */
	const struct ete_impl *from; /* same: the reader's, whose trace units it comes from */
	struct ete_writer **harts,
		*now; /* in the order they came; the present one, NULL: one that cannot be written */
	size_t n_harts;
	struct ete_stream { /* one for each hart, or more: see CAIRN_ETE_NO_SYNC in write.c */
		size_t hart;    /* index */
		struct cairn_ete_config cfg;
	} * streams;
	size_t n_streams;
	struct ete_formatter formatter;
	/* the snapshot */
	bool folder;
	char *path;
	struct io_temp *temp; /* under its first name; NULL: it has its own, or is not there */
	char *description; /* what comments on the whole trace say, joined by ETE_JOINT; NULL: none */
};
#define ETE_JOINT " | "

/* ---- write.c ---- */
/* Write slots `from` to `to` of a batch; the slot behind its last instruction is n_insns. */
int ete_write_slots(struct cairn_writer *writer, const struct cairn_batch *batch, uint32_t from,
                    uint32_t to);
enum { ETE_ANY_UNIT = UINT16_MAX };
/* Take the options that the user did not give from the trace unit it comes from: `unit`, or the
 * hart's first one. `index`: the slot at which its stream begins. */
void ete_write_follow(const struct ete_out *o, struct ete_writer *writer, unsigned unit,
                      const struct cairn_batch *batch, uint32_t index);
/* What comes does not continue what was put. */
int ete_write_break(struct cairn_writer *writer);

/* ---- write_out.c ---- */
/* Make the hart the present one; if it is new, its stream begins with slot `index`. */
int ete_out_select(struct cairn_writer *writer, unsigned hart, const struct cairn_batch *batch,
                   uint32_t index);
/* Begin a hart's stream, of that trace unit, with slot `index`: its tracer, and its file. */
int ete_out_stream(struct ete_out *out, struct ete_writer *stream, unsigned unit,
                   const struct cairn_batch *batch, uint32_t index);
/* Write what its stream has. */
int ete_out_flush(struct cairn_writer *writer, struct ete_writer *stream);
/* End what is common to all streams. */
int ete_out_finish(struct cairn_writer *writer);
void ete_out_free(struct ete_out *out);
void ete_format_bytes(struct ete_formatter *formatter, int id, const uint8_t *p, size_t n);
/* Fill up the last frame. */
void ete_format_end(struct ete_formatter *formatter);

/* ---- slice.c ---- */
extern const struct model_change ete_change;

/* ---- write_folder.c ---- */

/* Does an output's name ask for a snapshot? */
bool ete_names_snapshot(const char *path);
/* The folder, under a first name. */
int ete_folder_open(struct ete_out *out, const char *path);
/* The sink of its nth stream. */
int ete_folder_stream(struct ete_out *out, size_t n, struct cairn_sink **stream);
/* Write the rest, and give the snapshot its name. */
int ete_folder_finish(struct ete_out *out);
void ete_folder_abort(struct ete_out *out);
/* Note an instruction that ran: 0; 1 when other bytes ran there before; CAIRN_E_NOMEM. */
int ete_program_add(struct ete_writer *writer, uint64_t pc, uint32_t enc, unsigned isa);
void ete_program_free(struct ete_writer *writer);

#endif
