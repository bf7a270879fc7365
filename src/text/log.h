/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEXT_LOG_H
#define TEXT_LOG_H
/*
 * What every log of lines needs of its place in the bytes, VIXL's as well: where a line
 * begins, and a state of words as an index keeps it.
 */
#include "kit/spans.h"

/* The beginning of the line that ends at p (exclusive), not before `from`. */
const char *log_line_begin(const char *from, const char *p);

/* Does a span of the log begin at `where`? 0, or CAIRN_E_DAMAGED with a sentence. */
int log_may_jump(const struct cairn_reader *reader, const struct kit_source *source,
                 uint64_t where);

/* A state that is `size` bytes of words, to and from bytes that mean the same everywhere. Of
 * those that come back only the length is judged. */
int log_words_put(const void *state, size_t size, struct base_buf *out);
int log_words_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state,
                  size_t size);

#endif
