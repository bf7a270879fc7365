/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_DECODER_H
#define CAPTURE_DECODER_H
/* What the files share that make batches of a capture's records. */
#include "formats/capture/capture.h"
#include "kit/rows.h"

struct decoder {
	struct cairn_reader *reader;
	struct capture_impl *im;
	struct model_span *span;
	struct capture_thread *thread;
	struct kit_rows rows;
	unsigned ctx_of; /* the thread that `ctx` is of */
	uint16_t ctx;
	bool handler; /* a signal's begins behind this instruction */
};

/* What an instruction that stores was given, before it ran. */
struct capture_given {
	uint64_t data, compare; /* all that a plain store moves; of an atomic its operands */
	bool has_data, has_compare;
};

/* ---- decoder.c ---- */

/* Is it another's meanwhile: does a signal's handler begin behind this instruction, with a
 * value of its own in it? */
bool capture_hidden(const struct decoder *decoder, unsigned num);

/* ---- moved.c ---- */

/* Before the registers it changed are taken. */
void capture_give(const struct decoder *decoder, const struct capture_insn *in,
                  struct capture_given *given);
/* What came from memory; afterwards. False: no register tells. */
bool capture_loaded(const struct decoder *decoder, const struct capture_insn *in, unsigned size,
                    uint64_t *values);
/* What went there. `old`: what an atomic found, NULL when that is not known. */
bool capture_stored(const struct capture_insn *in, const struct capture_given *given, unsigned size,
                    const uint64_t *old, uint64_t *values);
/* Did a compare-and-swap find something else, and so store nothing? */
bool capture_refused(const struct capture_insn *in, const struct capture_given *given,
                     unsigned size, const uint64_t *old);

/* ---- flow.c ---- */

/* Where a jump goes that a register tells of, when that is known; before it is run. */
bool capture_points(const struct decoder *decoder, const struct capture_insn *in, uint64_t *target);
/* Where a branch without a slot went. False: nowhere it could go. */
bool capture_branch(const struct capture_insn *in, struct cairn_insn *row, uint64_t next,
                    bool falls, const uint64_t *points_to);
/* The same for SPARC, of every instruction: true when what follows is explained. *annulled:
 * the slot did not run. */
bool capture_delayed(struct decoder *decoder, const struct capture_insn *in, uint32_t row_at,
                     uint64_t next, bool falls, const uint64_t *points_to, bool *annulled);
/* An instruction that was fetched in the slot and did not run. */
void capture_annulled(struct decoder *decoder, const struct capture_insn *in);

#endif
