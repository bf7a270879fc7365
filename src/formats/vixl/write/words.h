/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_WORDS_H
#define VIXL_WORDS_H
/* Instructions in words, as the simulator's disassembler spells them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn/base.h"

struct vixl_words;

/* NULL: out of memory. */
struct vixl_words *vixl_words_new(struct cairn *cairn);
void vixl_words_free(struct vixl_words *words);

/* The words of an instruction at `pc`, or, where `pc_known` is not, with its address masked. The
 * text lives until the next call. 0: there is no disassembler. */
size_t vixl_words_of(struct vixl_words *words, uint64_t pc, bool pc_known, uint32_t enc,
                     const char **text);

#endif
