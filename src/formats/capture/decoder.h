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

/* What a storing instruction was given, before it ran. */
struct capture_given {
	uint64_t data, compare; /* all that a plain store moves; the operands of an atomic */
	bool has_data, has_compare;
};

/* ---- decoder.c ---- */

/* Is the register hidden: does a signal's handler begin behind this instruction, with a value of
 * its own in it? */
bool capture_hidden(const struct decoder *decoder, unsigned num);

/* ---- moved.c ---- */

/* Note operands before the registers that the instruction changed are taken. */
void capture_give(const struct decoder *decoder, const struct capture_insn *in,
                  struct capture_given *given);
/* What was loaded, from the registers afterwards. False: no register shows it. */
bool capture_loaded(const struct decoder *decoder, const struct capture_insn *in, unsigned size,
                    uint64_t *values);
/* What was stored. `old`: what an atomic found, NULL when that is not known. */
bool capture_stored(const struct capture_insn *in, const struct capture_given *given, unsigned size,
                    const uint64_t *old, uint64_t *values);
/* Did a compare-and-swap find something else, and so store nothing? */
bool capture_refused(const struct capture_insn *in, const struct capture_given *given,
                     unsigned size, const uint64_t *old);

/* ---- flow.c ---- */

/* Where a jump by a register goes, if that is known; called before it runs. */
bool capture_points(const struct decoder *decoder, const struct capture_insn *in, uint64_t *target);
/* Where a branch without a delay slot went. False: to no place it could go. */
bool capture_branch(const struct capture_insn *in, struct cairn_insn *row, uint64_t next,
                    bool falls, const uint64_t *points_to);
/* The same for SPARC, for every instruction: true when what follows is explained. *annulled: the
 * slot did not run. */
bool capture_delayed(struct decoder *decoder, const struct capture_insn *in, uint32_t row_at,
                     uint64_t next, bool falls, const uint64_t *points_to, bool *annulled);
/* An instruction that was fetched into the slot and did not run. */
void capture_annulled(struct decoder *decoder, const struct capture_insn *in);

#endif
