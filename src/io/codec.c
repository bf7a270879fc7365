/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of codecs. The built-in ones are listed here and nowhere else; a
 * context's own come before them. Only a file's first bytes decide which codec reads it, so that
 * a wrong name never misleads; names and suffixes only choose how to write.
 */
#include "io/codecs.h"
#include "io/io.h"

#include <limits.h>
#include <string.h>

#include "base/bytes.h"

static const struct cairn_codec *const builtin[] = {
	&io_codec_zstd,          &io_codec_gzip, &io_codec_xz,
#ifdef HAVE_BZIP2
	&io_codec_bzip2,
#endif
#ifdef HAVE_LZ4
	&io_codec_lz4,
#endif
	&io_codec_zstd_seekable,
};
enum { N_BUILTIN = sizeof builtin / sizeof builtin[0] };

const struct cairn_codec *cairn_codec_at(const struct cairn *cairn, size_t index)
{
	const struct cairn_opts *opts = base_opts(cairn);
	if (index < opts->n_codecs)
		return opts->codecs[index];
	index -= opts->n_codecs;
	return index < N_BUILTIN ? builtin[index] : NULL;
}

const struct cairn_codec *cairn_codec_find(const struct cairn *cairn, const char *name)
{
	const struct cairn_codec *codec;
	for (size_t i = 0; (codec = cairn_codec_at(cairn, i)); i++)
		if (strcmp(codec->name, name) == 0)
			return codec;
	return NULL;
}

const struct cairn_codec *cairn_codec_for_name(const struct cairn *cairn, const char *path)
{
	size_t len = strlen(path);
	const struct cairn_codec *codec;
	for (size_t i = 0; (codec = cairn_codec_at(cairn, i)); i++) {
		size_t n = codec->suffix ? strlen(codec->suffix) : 0;
		if (n && n < len && codec->enc_open && strcmp(path + len - n, codec->suffix) == 0)
			return codec;
	}
	return NULL;
}

const struct cairn_codec *io_codec_probe(const struct cairn *cairn, const uint8_t *head, size_t n)
{
	const struct cairn_codec *codec, *best = NULL;
	int best_score = 0;
	/* The first of equals wins: the context's own codecs come first. */
	for (size_t i = 0; (codec = cairn_codec_at(cairn, i)); i++) {
		int score = codec->probe && codec->dec_open ? codec->probe(head, n) : 0;
		if (score > best_score) {
			best = codec;
			best_score = score;
		}
	}
	return best;
}

unsigned io_codec_padding(const struct cairn_codec *codec)
{
	/* gzip files from tapes end in zeros; xz allows "Stream Padding" in
	 * multiples of four (.xz file format, section 2.2). */
	if (codec == &io_codec_gzip)
		return 1;
	return codec == &io_codec_xz ? 4 : 0;
}

const struct io_restart *io_codec_restart(const struct cairn_codec *codec)
{
	return codec == &io_codec_gzip ? &io_gzip_restart
	       : codec == &io_codec_xz ? &io_xz_restart
	                               : NULL;
}

int io_codec_level(struct cairn *cairn, const struct cairn_codec *codec, int level, int *out)
{
	if (level == INT_MIN)
		level = codec->level_default;
	else if (level < codec->level_min || level > codec->level_max)
		return base_fail(cairn, CAIRN_E_INVAL, "%s has the levels %d to %d, not %d", codec->name,
		                 codec->level_min, codec->level_max, level);
	*out = level;
	return 0;
}

const char *io_codec_why(int status, const char *why)
{
	if (why && status != CAIRN_E_NOMEM) /* which is no fault of the input */
		return why;
	switch (status) {
	case CAIRN_E_NOMEM:
		return "out of memory";
	case CAIRN_E_TRUNCATED:
		return "the input ends inside a compressed stream";
	case CAIRN_E_LIMIT:
		return "a limit was reached";
	case CAIRN_E_UNSUPPORTED:
		return "something this build cannot do";
	default:
		return "the codec failed";
	}
}

int io_magic(const uint8_t *head, size_t n, const void *magic, size_t len)
{
	if (n >= len)
		return memcmp(head, magic, len) == 0 ? 100 : 0;
	return n >= 2 && memcmp(head, magic, n) == 0 ? 40 : 0;
}

bool io_is_skippable(uint32_t magic)
{
	return (magic & 0xfffffff0u) == 0x184d2a50u;
}

int io_magic_after_skippable(const uint8_t *head, size_t n, const uint8_t magic[4])
{
	static const uint8_t rest[3] = {0x2a, 0x4d, 0x18};
	if (n >= 2 && n < 4 && (head[0] & 0xf0) == 0x50 && memcmp(head + 1, rest, n - 1) == 0)
		return 30;
	if (n < 4 || !io_is_skippable(base_le32(head)))
		return io_magic(head, n, magic, 4);
	while (n >= 8 && io_is_skippable(base_le32(head))) {
		uint32_t skip = base_le32(head + 4);
		if (skip > n - 8)
			return 60; /* what follows is out of sight */
		head += 8 + skip;
		n -= 8 + skip;
	}
	return n < 4 ? 60 : io_magic(head, n, magic, 4);
}

void *io_alloc_items(void *opaque, size_t items, size_t size)
{
	size_t n;
	if (__builtin_mul_overflow(items, size, &n))
		return NULL;
	return base_realloc(opaque, NULL, n);
}

void io_free_item(void *opaque, void *p)
{
	base_free(opaque, p);
}
