/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TARMAC_TARMAC_H
#define TARMAC_TARMAC_H
#include "model/model.h"

extern const struct model_format tarmac_format;
extern const struct kit_options tarmac_options;

#endif
