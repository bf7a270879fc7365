/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H
/* The whole public door. */
#include "cairn/analysis.h"
#include "cairn/base.h"
#include "cairn/capture.h"
#include "cairn/change.h"
#include "cairn/check.h"
#include "cairn/diff.h"
#include "cairn/ete.h"
#include "cairn/ete_encode.h"
#include "cairn/ete_flow.h"
#include "cairn/export.h"
#include "cairn/find.h"
#include "cairn/image.h"
#include "cairn/index.h"
#include "cairn/io.h"
#include "cairn/isa.h"
#include "cairn/rst.h"
#include "cairn/select.h"
#include "cairn/state.h"
#include "cairn/stf.h"
#include "cairn/trace.h"
#endif
