/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises the COMMENTs that say where something is missing (follow.h). */
#include "formats/stf/record/follow.h"

#include <stdio.h>
#include <string.h>

bool stf_is_gap(const uint8_t *p, uint64_t *count, size_t *why)
{
	enum { HOLE = sizeof STF_HOLE_TEXT - 1, GAP = sizeof STF_GAP_TEXT - 1, HEAD = 64 };
	char head[HEAD + 1];
	if (*p != CAIRN_STF_COMMENT)
		return false;
	const uint8_t *text = p + STF_LEN_COMMENT;
	size_t n = stf_COMMENT_text(p);
	*count = UINT64_MAX;
	*why = STF_LEN_COMMENT;
	if (n == HOLE && !memcmp(text, STF_HOLE_TEXT, HOLE))
		return true;
	if (n < GAP || memcmp(text, STF_GAP_TEXT, GAP) != 0)
		return false;
	size_t length = n < HEAD ? n : HEAD;
	memcpy(head, text, length);
	head[length] = 0;
	unsigned long long missing;
	int end = 0;
	if (sscanf(head + GAP, " of %20llu instructions%n", &missing, &end) != 1 || !end)
		end = 0;
	else
		*count = missing;
	if (head[GAP + end] == ':')
		*why += GAP + (size_t)end + (head[GAP + end + 1] == ' ' ? 2 : 1);
	else if (!head[GAP + end])
		*why += n;
	else
		return false;
	return true;
}
