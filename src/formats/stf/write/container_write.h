/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_CONTAINER_WRITE_H
#define STF_CONTAINER_WRITE_H
/*
 * Writing the .zstf container: chunks go in, compressed frames and an index come out. The caller
 * knows what a chunk is: where to cut, and at which PC it starts.
 */
#include "base/base.h"
#include "io/io.h"

struct stf_chunks;

enum { STF_CHUNK_DEFAULT = 100000 }; /* markers in a chunk, as in the public library */
/* A new file at `path`, which must be seekable. `level` 0: the default. `markers` is what the
 * container says about the length of its chunks. */
int stf_chunks_open(struct cairn *cairn, const char *path, int level, uint64_t markers,
                    unsigned threads, struct stf_chunks **out);
/* The first `cut` bytes of `raw` are the next chunk, `pc` the address of its first
 * instruction; the bytes after them stay in `raw`. The first `plain` bytes of the first
 * chunk are stored as they are; 0 for all others. */
int stf_chunks_put(struct stf_chunks *ch, struct base_buf *raw, size_t cut, uint64_t pc,
                   size_t plain);
/* The `n` bytes at `p`, which stay where they are until the chunks are finished or
 * aborted, are the next chunk. */
int stf_chunks_put_kept(struct stf_chunks *ch, const uint8_t *p, size_t n, uint64_t pc);
/* Change up to 8 of those plain bytes, at their place in the trace; a later change at the same
 * place replaces an earlier one. The change is written with the next index. */
int stf_chunks_patch(struct stf_chunks *ch, uint64_t at, const void *p, size_t n);
/* Write what is left, the index and the pointer to it, and commit; `ch` is gone either way. */
int stf_chunks_finish(struct stf_chunks *ch);
void stf_chunks_abort(struct stf_chunks *ch);

#endif
