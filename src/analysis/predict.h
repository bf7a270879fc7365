/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PREDICT_H
#define ANALYSIS_PREDICT_H
/*
 * Reference branch predictors: the textbook ones, to compare programs by, not to
 * compete. Each predicts the direction of conditional branches of one hart, in the
 * order they ran.
 */
#include "base/base.h"

enum predict_kind { PREDICT_BIMODAL, PREDICT_GSHARE, PREDICT_TAGE, PREDICT_KINDS };

struct predict;

/* "bimodal" … */
const char *predict_name(enum predict_kind kind);
/* Storage of its tables when it may have so many bytes, at most: the bytes it will
 * really use, 0 when that is too few. */
uint64_t predict_bytes(enum predict_kind kind, uint64_t bytes);
uint64_t predict_default(enum predict_kind kind);
/* NULL when out of memory. */
struct predict *predict_new(struct cairn *cairn, enum predict_kind kind, uint64_t bytes);
void predict_free(struct cairn *cairn, struct predict *predict);
/* Predict the branch at `pc`, then learn that it was taken or not; was it foreseen? */
bool predict_branch(struct predict *predict, uint64_t pc, bool taken);

#endif
