/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_FLAME_H
#define EXPORT_FLAME_H

#include "analysis/calls.h"

/* Append the flame graph of an interval: an SVG element. */
int flame_put(struct call_run *run, const struct call_sum *sum, struct base_buf *to);

#endif
