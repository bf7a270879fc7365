/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_WRITE_H
#define STF_WRITE_H
/*
 * Inside the STF writer: what its levels share. write.c takes records and hands bytes
 * on, put.c makes records from values, build.c instructions, transact.c transactions.
 */
#include "formats/stf/record/follow.h"
#include "formats/stf/record/order.h"
#include "formats/stf/write/container_write.h"
#include "io/spill.h"

/* ---- write.c ---- */

struct stf_build;

enum { STF_KEEP = 4 << 20 }; /* bytes that are held back without a temporary file */

struct cairn_stf_writer {
	struct cairn *cairn;
	char *path;
	struct cairn_sink *sink;   /* raw */
	struct stf_chunks *chunks; /* .zstf */
	struct io_spill *hold;     /* raw and kept back until finish */
	struct base_buf buf;       /* records not handed on yet */
	struct base_buf rec;       /* the record a shorthand is building */
	struct cairn_stf_config cfg;
	struct stf_follower now; /* of records; of groups (stf_append) the PC alone */
	struct stf_order order;
	struct stf_build *build; /* between begin and finish */
	uint64_t records, markers, chunk_markers;
	uint64_t room;           /* markers the chunk still takes; raw: more than there are */
	uint64_t chunk_pc;       /* where the chunk in `buf` starts */
	uint64_t cut_pc;         /* where the next one will */
	uint64_t handed;         /* bytes of the trace before `buf` */
	uint64_t seen, declared; /* features */
	struct stf_who who;
	uint64_t withheld;   /* features not to be declared, though seen */
	uint64_t feature_at; /* place of the FEATURE record's value in the trace */
	size_t plain;        /* .zstf: bytes of the header, to be stored as they are */
	size_t cut;          /* end of the chunk in `buf`, 0 not yet known */
	int status;          /* the first failure of the output */
	uint8_t mode;        /* enum cairn_stf_feature_mode */
	bool header_done, enforce;
	bool told; /* the caller gave the configuration */
};

/* Append `n` bytes that are whole records, known to be good, the last of them a marker
 * if `marker`. `next` is the PC after them. */
int stf_append(struct cairn_stf_writer *writer, const uint8_t *p, size_t n, uint64_t records,
               bool marker, uint64_t next);
/* Note features that came true; CAIRN_E_STATE when they had to be declared and were not. */
int stf_seen(struct cairn_stf_writer *writer, uint64_t bits);
/* The features that a PROCESS_ID_EXT makes true; 0 for other records. */
uint64_t stf_who_of(struct cairn_stf_writer *writer, const uint8_t *rec);
/* Features that must not be declared, whatever is seen; call it before the header. */
void stf_withhold(struct cairn_stf_writer *writer, uint64_t bits);

/* ---- head_put.c ---- */
/* What keeps a header from being written: a status with the sentence, or 0. */
int stf_header_check(struct cairn_stf_writer *writer, const struct cairn_stf_header *header);
/* The width of event ids that the header asks for; if it asks for none, that of its version. */
unsigned stf_event_bits(const struct cairn_stf_config *cfg);

/* ---- put.c: building one record in w->rec ---- */
void stf_start(struct cairn_stf_writer *writer, unsigned type);
void stf_add(struct cairn_stf_writer *writer, unsigned width, uint64_t value);
int stf_put(struct cairn_stf_writer *writer);
int stf_put_value(struct cairn_stf_writer *writer, unsigned type, unsigned width, uint64_t value);
int stf_put_text(struct cairn_stf_writer *writer, unsigned width, const char *text, size_t n);

/* ---- build.c ---- */
int stf_build_comment(struct cairn_stf_writer *writer, const char *text, size_t n);
/* Write what waits for a successor, and the header if it was never written. */
int stf_build_finish(struct cairn_stf_writer *writer);
void stf_build_free(struct cairn_stf_writer *writer);

#endif
