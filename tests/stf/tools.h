/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_STF_TOOLS_H
#define TESTS_STF_TOOLS_H
/*
 * For tests of STF: making traces by hand, and writing down everything a reader
 * says, so that two readings can be compared.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/cairn.h"

/* ---- bytes ---- */

struct bytes {
	uint8_t *p;
	size_t n, cap;
};
void bytes_put(struct bytes *bytes, const void *data, size_t n);
void bytes_printf(struct bytes *bytes, const char *fmt, ...) CAIRN_PRINTF(2, 3);
void bytes_free(struct bytes *bytes);
/* A file read whole; all zero when it is not there. */
struct bytes bytes_of_file(const char *path);

/* ---- making records ---- */

/* A record by hand. Layout, one letter an argument: b, h, w unsigned (8, 16, 32 bits),
 * q uint64_t, s bytes of a string, t and T the same behind a length of 16 and 32 bits. */
void rec(struct bytes *bytes, unsigned type, const char *layout, ...);

struct head {
	unsigned minor;    /* 0: 6 */
	unsigned iem;      /* 0: RV64 */
	uint64_t features; /* with no_features 0; EVENT64 unless narrow */
	uint64_t pc;       /* 0: 0x1000 */
	uint32_t vlen;     /* 0: no record */
	const uint32_t *ids;
	bool narrow, no_features, no_pc, open; /* open: without END_HEADER */
};
void head(struct bytes *bytes, struct head h);
void insn32(struct bytes *bytes, uint32_t enc);
void insn16(struct bytes *bytes, uint16_t enc);
void reg(struct bytes *bytes, unsigned num, unsigned kind, unsigned role, uint64_t value);
void event64(struct bytes *bytes, uint64_t id, unsigned n, uint64_t first);
void event32(struct bytes *bytes, uint32_t id, unsigned n, uint64_t first);

enum { NOP = 0x13, C_NOP = 0x0001, INTERRUPT_BIT = 63 };

/* `n` groups of all kinds of records, different for each seed; vectors if `cfg` has a
 * VLEN, changes of INST_IEM unless it says RV32. */
void random_groups(struct bytes *bytes, const struct cairn_stf_config *cfg, unsigned seed,
                   unsigned n);
/* What `head` of these means to the record walk. */
struct cairn_stf_config config_of(struct head head);

/* ---- making containers ---- */

struct container {
	struct bytes bytes;
	size_t chunks, frames[256]; /* frames[chunks] is where the index begins */
	uint64_t markers;
};
/* Cut a stream after every `per_chunk` markers; with checksums in the frames or, as
 * the public library writes them, without. */
struct container zstf_of(const struct bytes *stf, const struct cairn_stf_config *cfg,
                         uint64_t per_chunk, bool checksums);
/* The stream inside a codec. */
struct bytes wrapped(struct cairn *cairn, const struct bytes *bytes, const char *codec);
/* What is inside of compressed bytes. */
struct bytes unwrapped(struct cairn *cairn, const struct bytes *bytes);

/* ---- writing down what a reader says ---- */

enum note {
	NOTE_CONTEXT = 1,
	NOTE_PLACES = 2,
	NOTE_LAST = 4, /* rows of no instruction */
	NOTE_ALL = 7
};

struct noted { /* an instruction or transaction */
	uint64_t n;
	uint64_t end;   /* offset behind its record, with NOTE_PLACES; 0 otherwise */
	size_t at, len; /* its text */
};

struct notes {
	unsigned what;
	struct bytes text;
	struct noted *rows;
	size_t n_rows, cap;
	int status; /* of opening or the reading that failed; 0 */
	char error[700];
	uint64_t damage;
	char sentence[700]; /* of the first damaged place */
};
void notes_batch(struct notes *notes, const struct cairn_reader *reader,
                 const struct cairn_batch *batch);
void notes_free(struct notes *notes);
/* Everything from memory, in order. */
struct notes notes_of(struct cairn *cairn, const struct bytes *bytes, unsigned what,
                      const char *from);
/* The same with cairn_run. */
struct notes notes_run(struct cairn *cairn, const struct bytes *bytes, unsigned what,
                       unsigned threads);
/* The same through a pipe, on standard input. */
struct notes notes_pipe(struct cairn *cairn, const struct bytes *bytes, unsigned what,
                        unsigned threads);
struct notes notes_reader(struct cairn *cairn, struct cairn_reader *reader, unsigned what);
/* NULL when the texts are the same, else a sentence about the first difference. */
const char *notes_differ(const struct notes *left, const struct notes *right);
/* Row `index` of `left` says the same as row `k` of `right`. */
bool notes_same_row(const struct notes *left, size_t index, const struct notes *right, size_t k);

#endif
