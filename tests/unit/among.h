/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_AMONG_H
#define UNIT_AMONG_H
/* Lists of mnemonics: patterns that blanks separate, "ld* st* swp". Behind cmocka.h. */
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

static inline bool among(const char *patterns, const char *word)
{
	char one[40];
	while (*patterns) {
		size_t n = strcspn(patterns, " ");
		assert_true(n < sizeof one);
		memcpy(one, patterns, n);
		one[n] = 0;
		if (fnmatch(one, word, 0) == 0)
			return true;
		patterns += n + (patterns[n] == ' ');
	}
	return false;
}

#endif
