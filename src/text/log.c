/* SPDX-License-Identifier: Apache-2.0 */
/* Places in a log and states of words: see log.h. */
#include "text/log.h"

#include <string.h>

#include "base/bytes.h"
#include "io/io.h"

const char *log_line_begin(const char *from, const char *p)
{
	const char *nl = p > from ? memrchr(from, '\n', (size_t)(p - from)) : NULL;
	return nl ? nl + 1 : from;
}

int log_may_jump(const struct cairn_reader *reader, const struct kit_source *source, uint64_t where)
{
	const uint8_t *map = source->map;
	if (where == 0 || (map && (where >= source->map_len || map[where - 1] != '\n')))
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "no span of the log begins at byte %llu",
		                 (unsigned long long)where);
	return 0;
}

int log_words_put(const void *state, size_t size, struct base_buf *out)
{
	int rc = base_buf_reserve(out, size);
	for (size_t i = 0; i < size && rc >= 0; i += 8) {
		uint64_t word;
		memcpy(&word, (const uint8_t *)state + i, sizeof word);
		base_put_le64(out->data + out->len, word);
		out->len += sizeof word;
	}
	return rc;
}

int log_words_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state,
                  size_t size)
{
	if (n != size)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "a state of %s has %zu bytes, not %zu",
		                 reader->format->name, size, n);
	for (size_t i = 0; i < size; i += 8) {
		uint64_t word = base_le64(p + i);
		memcpy((uint8_t *)state + i, &word, sizeof word);
	}
	return 0;
}
