/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_THROUGH_H
#define MODEL_THROUGH_H
/* Changing traces through batches and a writer; for change.c. */
#include "cairn/index.h"
#include "model/model.h"

/* The format that an output asks for, by name or by --to, else the trace's own.
 * CAIRN_E_UNSUPPORTED when it cannot be written. */
int through_writer(const struct cairn_reader *reader, const struct cairn_output *out,
                   const struct model_writer_format **format, const char **options);
/* Parts one after another; with `slice`, what it means of the one part. */
int through_batches(const struct cairn_merge_part *parts, size_t n,
                    const struct cairn_slice_opts *slice, const struct model_writer_format *format,
                    const char *options, const struct cairn_output *out,
                    struct cairn_changed *done);

#endif
