/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H
/* A folder of our own, in memory where the machine has such, that becomes the current one for a while. */
#include <stddef.h>
#include <stdint.h>

void folder_enter(void);
void folder_write(const char *name, const uint8_t *p, size_t n);
/* Remove everything in it and go back. Aborts if something has the name of an unfinished file. */
void folder_leave(void);

#endif
