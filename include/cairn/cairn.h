/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H
/*
 * The whole public door.
 *
 * A program and a library of different versions, but of one soname, understand each other. For
 * that, each public struct is one of three kinds:
 *
 * Sized: its first member is `size_t size`, and the caller sets it to sizeof the struct before
 * the library reads or fills it, with zeros in the rest:
 *     struct cairn_tally tally = {.size = sizeof tally};      (C++: {sizeof tally})
 * Of an older program's struct the library reads and fills only what that has; of a newer
 * program's it fills what it knows and leaves the rest as it is, but it refuses options of which
 * it would ignore some. A size of 0 is refused: CAIRN_E_INVAL. Members are added at the end.
 *
 * Made by the library: a program only gets pointers to it, one at a time, and never makes or
 * copies one. Members are added at the end:
 *     cairn_batch (cairn_batch_new), cairn_codec_io, cairn_diff_hunk, cairn_finding, cairn_info,
 *     cairn_ledger, cairn_step, cairn_stf_header, cairn_symbol, cairn_table.
 *
 * Fixed: rows, which stand in arrays or are filled for every instruction, and small values. They
 * never change their size within a soname; members called `reserved` and `pad` are 0 and room
 * for what is added. Where pointers have 8 bytes, these have:
 *     cairn_asm 8, cairn_cache 24, cairn_cell 16, cairn_column 24, cairn_ctx 40,
 *     cairn_diff_row 32, cairn_ete_config 64, cairn_ete_element 64, cairn_ete_insn 16,
 *     cairn_ete_packet 64, cairn_ete_ran 40, cairn_ete_step 64, cairn_ete_who 12,
 *     cairn_event 32, cairn_fact 32, cairn_field 32, cairn_index_walk 48, cairn_insn 48,
 *     cairn_line 16, cairn_loss 24, cairn_mem 48, cairn_merge_part 32, cairn_op 24,
 *     cairn_operand 4, cairn_operands 130, cairn_range 16, cairn_record 64, cairn_reg 24,
 *     cairn_rst_config 4, cairn_rule 32, cairn_share 16, cairn_space 12, cairn_state_block 96,
 *     cairn_state_range 32, cairn_state_reg 56, cairn_step_access 32, cairn_step_reg 8,
 *     cairn_step_told 24, cairn_stf_clock 24, cairn_stf_config 32, cairn_stf_generator 24,
 *     cairn_stf_insn 104, cairn_stf_text 16, cairn_xact 96.
 */
#include "cairn/analysis.h"
#include "cairn/base.h"
#include "cairn/capture.h"
#include "cairn/change.h"
#include "cairn/check.h"
#include "cairn/diff.h"
#include "cairn/ete.h"
#include "cairn/ete_encode.h"
#include "cairn/ete_flow.h"
#include "cairn/exec.h"
#include "cairn/export.h"
#include "cairn/find.h"
#include "cairn/format.h"
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
