/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_CHANGE_H
#define RST_CHANGE_H
/*
 * Inside the RST room: what writes and changes traces shares. The packing says what the
 * output's records go into, the cursor walks a trace in runs of whole records.
 */
#include "formats/rst/packing/rstzip.h"
#include "formats/rst/rst.h"

extern const struct model_change rst_change;
extern const struct model_writer_format rst_writer_format;

/* ---- pack.c ---- */

struct rst_output {
	bool rstzip, lossy;
	const struct cairn_codec *codec; /* NULL: none */
	int level;                       /* 0: the codec's default */
	unsigned version;                /* RST_VERSION of the header to write; 0: not asked for */
	/* for traces that do not say */
	unsigned nwins;
	char cputype[32];
};

/* What an output's name and `options` ask for. CAIRN_E_INVAL, CAIRN_E_UNSUPPORTED. */
int rst_output_choose(struct cairn *cairn, const char *path, const char *options, const char *codec,
                      int level, struct rst_output *output);
int rst_output_of(struct cairn *cairn, const struct cairn_output *out, struct rst_output *output);

struct rst_pack;

/* What will be used besides rst_pack_put. */
enum rst_hold { RST_HOLD_NOTHING, RST_HOLD_AGAIN, RST_HOLD_INSERT };
int rst_pack_open(struct cairn *cairn, const char *path, const struct rst_output *output,
                  unsigned threads, enum rst_hold hold, struct rst_pack **out);
/* Put `n` records. CAIRN_E_LOSS where rstzip cannot keep one. */
int rst_pack_put(struct rst_pack *pk, const uint8_t *records, size_t n);
/* How many were put. */
uint64_t rst_pack_records(const struct rst_pack *pk);
/* Replace one of the first records, counted from 0. */
int rst_pack_again(struct rst_pack *pk, uint64_t record, const uint8_t *p);
/* Insert `n` records before one near the beginning. 1, or 0 when it is too late. */
int rst_pack_insert(struct rst_pack *pk, uint64_t record, const uint8_t *records, size_t n);
/* Commit; the packing is gone either way. What lossy packing dropped goes to `lost` (may be NULL).
 *  */
int rst_pack_finish(struct rst_pack *pk, struct cairn_ledger *lost);
/* Leave no file. NULL is fine. */
void rst_pack_abort(struct rst_pack *pk);

/* ---- cursor.c ---- */

struct rst_cursor {
	struct cairn_reader *reader;
	uint64_t n, rec;      /* numbers of the next instruction and record */
	bool fresh;           /* the entry state of the span that was just opened is in `at` */
	struct rst_state *at; /* while a span is open: its state where it began */
};

void rst_cursor_init(struct rst_cursor *cursor, struct cairn_reader *reader);
/* The next whole records, from where the last call ended: 1, 0 at the end of the trace, < 0. They
 * are valid until the next call. */
int rst_cursor_next(struct rst_cursor *cursor, const uint8_t **p, size_t *records);
/* The first `records` of them were taken; the next call gives the others again. Returns how many
 * INSTRs are among those taken. */
uint64_t rst_cursor_took(struct rst_cursor *cursor, size_t records);
/* Go to where `n` lies or before it, as near as the trace allows. */
int rst_cursor_seek(struct rst_cursor *cursor, uint64_t n);

/* ---- convert.c, slice.c, merge.c, edit.c ---- */
int rst_split(struct cairn_reader *reader, const struct model_split *split,
              const struct cairn_output *out, struct cairn_changed *done);
int rst_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
              struct cairn_changed *done);
int rst_edit(struct cairn_reader *reader, const struct cairn_edit_opts *opts,
             const struct cairn_output *out, struct cairn_changed *done);
/* All records of a trace, as they are. */
int rst_copy_records(struct cairn_reader *reader, struct rst_pack *pk, struct cairn_changed *done);
int rst_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
              const struct cairn_output *out, struct cairn_changed *done);
int rst_slices(struct cairn_reader *reader, struct model_part *parts, size_t n);
int rst_convert(struct cairn_reader *reader, const struct cairn_output *out,
                struct cairn_changed *done);

#endif
