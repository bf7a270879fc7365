/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_RSTZIP2_H
#define RST_RSTZIP2_H
/* rstzip 2, reading only. */
#include "formats/rst/packing/rstzip.h"

enum { RZ2_HEADER = 512 };

struct rz2_unpack;
/* `cpus` as the header says: 1, or 0 for any number. */
int rz2_unpack_open(struct cairn *cairn, struct io_source *io, unsigned cpus,
                    struct rz2_unpack **out);
void rz2_unpack_close(struct rz2_unpack *unpack);
/* The records of the next block, appended to `out`: 1, 0 at the end, or a status. *n
 * records came out in any case; *taken grows by the bytes that were used. */
int rz2_unpack_next(struct rz2_unpack *unpack, struct base_buf *out, uint64_t *n, uint64_t *taken);

#endif
