/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_WHOLE_JSON_H
#define FUZZ_WHOLE_JSON_H
#include <stddef.h>

/* Is the text JSON documents, one after the other, and nothing else? NULL, or where it is not. */
const char *where_not_json(const char *text, size_t n);

#endif
