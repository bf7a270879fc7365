/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_ENCODER_HARTS_H
#define VIXL_ENCODER_HARTS_H
/* The registers of several threads in a log that has one set of them. */
#include "model/model.h"

struct vixl_harts;

struct vixl_harts *vixl_harts_new(struct cairn *cairn);
void vixl_harts_free(struct vixl_harts *harts);
/* The thread of a row: CAIRN_E_NOMEM, 0, or 1 when another ran before and *state is a batch
 * without instructions whose registers, as state, make the log's those of this one. */
int vixl_harts_enter(struct vixl_harts *harts, const struct cairn_batch *batch, uint32_t row,
                     const struct cairn_batch **state);
/* Note what the row says of its thread's registers. */
void vixl_harts_note(struct vixl_harts *harts, const struct cairn_batch *batch, uint32_t row);

#endif
