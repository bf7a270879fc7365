/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECLOG_EXECLOG_H
#define EXECLOG_EXECLOG_H
#include "model/model.h"

extern const struct model_format execlog_format;
extern const struct kit_options execlog_options;

#endif
