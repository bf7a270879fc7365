/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_BESIDE_H
#define TESTS_UNIT_BESIDE_H
/* The file beside `path` that it will be renamed from: its name in `out`, if there is exactly one. */
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>

static inline bool unfinished(const char *path, char *out, size_t size)
{
	char pattern[512];
	glob_t found;
	snprintf(pattern, sizeof pattern, "%s.????????.tmp", path);
	bool one = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1;
	snprintf(out, size, "%s", one ? found.gl_pathv[0] : "");
	globfree(&found);
	return one;
}

#endif
