/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_CHANGE_H
#define STF_CHANGE_H
/*
 * Inside the STF room: what the verbs that change traces share. The cursor walks a
 * trace in runs of whole records; the packing says what the output's bytes go into;
 * the pack fills it without looking at records again.
 */
#include "formats/stf/container_write.h"
#include "formats/stf/stf.h"

extern const struct model_change stf_change;

/* ---- cursor.c ---- */

struct stf_cursor {
	struct cairn_reader *r;
	struct stf_state *at; /* the place behind the last run; NULL before the first */
	struct stf_state end; /* what `at` points to when no span is open */
	bool gap;             /* bytes were lost just before the last run */
	bool lost;            /* … will have been, before the next */
};

/* Records as they lie, valid until the next call. */
struct stf_run {
	const uint8_t *p;
	size_t n;         /* bytes: whole records */
	size_t whole;     /* bytes up to and including the last marker among them */
	uint64_t markers;
	uint64_t pc;      /* where the trace stood before it: the next instruction's PC … */
	bool pc_known;
};

void stf_cursor_init(struct stf_cursor *k, struct cairn_reader *r);
/* The next records, the header's left out, ending with the `most`-th marker at the
 * latest: 1, 0 at the end of the trace, < 0. Damage is noted in the reader. */
int stf_cursor_next(struct stf_cursor *k, uint64_t most, struct stf_run *run);
/* Number of the instruction (transaction) whose records come next. */
uint64_t stf_cursor_number(const struct stf_cursor *k);
/* Go to where `n` lies or before it, as near as the trace allows. */
int stf_cursor_seek(struct stf_cursor *k, uint64_t n);

/* ---- pack.c ---- */

struct stf_packing {
	bool zstf;
	const struct cairn_codec *codec; /* around raw STF; NULL: none */
	int level;                       /* 0: the default */
	uint32_t chunk;                  /* markers in a chunk; 0: the default */
	/* what else --to may ask of STF; "" and 0: nothing */
	char version[8];
	unsigned event_bits;
};

/* What the options or the output's name ask for. CAIRN_E_INVAL, CAIRN_E_UNSUPPORTED. */
int stf_packing_choose(struct cairn *c, const struct cairn_output *out, struct stf_packing *p);

struct stf_pack;

int stf_pack_open(struct cairn *c, const char *path, const struct stf_packing *packing,
                  unsigned threads, struct stf_pack **out);
/* The header, first of all. */
int stf_pack_header(struct stf_pack *pk, const uint8_t *p, size_t n);
/* Records without a marker, to stand before what comes. */
int stf_pack_bytes(struct stf_pack *pk, const uint8_t *p, size_t n);
/* Markers that fit the chunk: put no run of more. */
uint64_t stf_pack_room(const struct stf_pack *pk);
/* A run; `pc` is the next instruction's behind its last marker. */
int stf_pack_run(struct stf_pack *pk, const struct stf_run *run, uint64_t pc);
/* Take back what followed the last marker; how many bytes that was. */
size_t stf_pack_take_back(struct stf_pack *pk);
/* Commit; gone either way. */
int stf_pack_finish(struct stf_pack *pk);
void stf_pack_abort(struct stf_pack *pk);

/* ---- convert.c, slice.c, merge.c, edit.c ---- */
int stf_convert(struct cairn_reader *r, const struct cairn_output *out, struct cairn_changed *done);

#endif
