/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPIKE_SPIKE_H
#define SPIKE_SPIKE_H
#include "model/model.h"

extern const struct model_format spike_format;
extern const struct kit_options spike_options;

#endif
