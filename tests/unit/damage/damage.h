/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_DAMAGE_H
#define UNIT_DAMAGE_H
/*
 * Traces of several harts, ways to damage them, and the judge: what a damaged trace claims to know
 * is what the whole one tells, or it is wrong.
 *
 * No address is run twice, so that an instruction is known by its PC wherever it turns up; no
 * value is written twice, so that one which is stale or of another hart is another value.
 */
#include "base/base.h"
#include "cairn/cairn.h"

/* ---- making (maker.c) ---- */

enum { MAKE_HARTS = 3, MAKE_INSNS = 240, MAKE_PATH = 256 };
enum { MAKE_DATA = 0x40000, MAKE_WORDS = 12 }; /* what all harts load from and store to */

/* A kind of file. */
struct make_format {
	const char *name;   /* as tests call it */
	const char *ending; /* of its files; a folder's for a snapshot */
	const char *to;     /* --to, NULL: printed here, as text */
	enum cairn_isa isa;
	unsigned harts;
	bool packed;   /* records are not where they lie in the file */
	bool no_index; /* .zstf: the index is cut off */
	bool program;  /* only branches are recorded: --image */
};
extern const struct make_format make_formats[];
extern const size_t make_n_formats;

/* A whole trace at `path`, for ETE its program beside it. */
void make_trace(struct cairn *cairn, const struct make_format *format, uint64_t seed,
                const char *path, const char *program);

/* ---- damaging (spoil.c) ---- */

/* Changes the trace at `from` into a damaged one at `to`, in the n-th way at a place that the
 * seed chooses. What was done is put into `how`. false: this way does not exist for the format,
 * or nobody could notice it. */
bool spoil_trace(struct cairn *cairn, const struct make_format *format, unsigned way, uint64_t seed,
                 const char *from, const char *to, char how[128]);
enum { SPOIL_WAYS = 6 };
/* Bytes of a file, to be freed. */
uint8_t *spoil_read(const char *path, size_t *n);
void spoil_write(const char *path, const void *p, size_t n);

/* ---- judging (whole.c) ---- */

struct whole;
/* What a trace tells of each instruction, and what is known of registers and memory before and
 * after it. */
struct whole *whole_read(struct cairn *cairn, const char *path, const struct cairn_image *image);
/* The same; states are gone to one by one, each anew, from the last on. */
struct whole *whole_read_apart(struct cairn *cairn, const char *path,
                               const struct cairn_image *image);
void whole_free(struct whole *whole);
uint64_t whole_size(const struct whole *whole);
/* The hart of the i-th instruction, from 0. */
uint64_t whole_hart(const struct whole *whole, uint64_t i);
/* How much of a state is judged: where instructions are left out, what others did in between is not
 * told, and of a seam where the hart changes, too, not what its own did. */
enum whole_states { WHOLE_ALL, WHOLE_OWN, WHOLE_NONE, WHOLE_STATES = 3 };
/* To be added: whether branches were taken is not judged. */
enum { WHOLE_NO_OUTCOMES = 4 };
/* Compares all that `part` claims with `whole`. Returns how many claims are false; the first one is
 * put into `why`. */
unsigned whole_judge(const struct whole *whole, const struct whole *part, unsigned how,
                     char why[512]);
/* Do both claim the same, instruction by instruction? */
bool whole_same(const struct whole *a, const struct whole *b, char why[512]);
/* Why the i-th instruction of the one and the k-th of the other are not the same; NULL: they are. */
const char *whole_differ(const struct whole *a, uint64_t i, const struct whole *b, uint64_t k);
/* Which of the whole trace the i-th of a part is; UINT64_MAX: nothing tells. */
uint64_t whole_like(const struct whole *whole, const struct whole *part, uint64_t i);
uint64_t whole_number(const struct whole *whole, uint64_t i);
/* Are its encoding and all its accesses there, and no damage in it? */
bool whole_tells(const struct whole *whole, uint64_t i);
uint64_t whole_damage(const struct whole *whole);

#endif
