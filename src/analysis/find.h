/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_FIND_H
#define ANALYSIS_FIND_H
/* What the files that find share. */
#include "cairn/find.h"
#include "model/model.h"

/* The parts of batches a touch looks at. */
uint32_t touch_parts(const struct cairn_touch *touch);

#endif
