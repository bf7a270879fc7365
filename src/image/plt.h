/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PLT_H
#define IMAGE_PLT_H
#include <libelf.h>

#include "image/image.h"

/* A file through libelf; NULL when it is no ELF file. */
Elf *image_open_elf(const struct image_file *file);

/* Labels for the stubs that call dynamic symbols; their names are in *names. Both are from
 * base_alloc, or NULL when there are none. What is odd about the file is left out. */
int image_plt(struct cairn *cairn, Elf *elf, const struct image_file *file,
              struct image_label **labels, size_t *n, char **names);

#endif
