/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte sources: a path, standard input or memory, with its codecs peeled off.
 *
 * Where the bytes come from decides how they are read:
 *   - a plain file of 64 KiB or more is mapped: no copy for the uncompressed, no
 *     read calls for the compressed, and places that can be jumped to;
 *   - a smaller one (or one that claims to be: files of /proc say 0) is read in
 *     one go and then treated as memory;
 *   - pipes, devices and what cannot be mapped come by read().
 *
 * A mapped file that somebody truncates while it is being read kills the reader with SIGBUS
 * when it touches the missing pages. The command catches that; a program that uses the
 * library may, too (cairn_mapped_file), or asks for no maps (cairn_opts.no_map).
 */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- getting at the stored bytes ---- */

static int open_fd(struct io_source *source, const char *path)
{
	/* /dev/stdin cannot be opened by name when it is a socket. */
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0) {
		source->fd = STDIN_FILENO;
		return 0;
	}
	if (!*path)
		return base_fail(source->cairn, CAIRN_E_NOTFOUND, "the name of the input is empty");
	do
		source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (source->fd < 0 && errno == EINTR);
	if (source->fd < 0)
		return base_fail_errno(source->cairn, errno, "%s", path);
	source->close_fd = true;
	return 0;
}

static bool source_map_file(struct io_source *source, off_t size)
{
	if ((uintmax_t)size > SIZE_MAX)
		return false;
	const uint8_t *p;
	if (io_file_map(source->cairn, source->name, source->fd, (size_t)size, &p, &source->map_len) <
	    0)
		return false;
	source->map = (uint8_t *)(uintptr_t)p; /* only ever read */
	source->mapped = !base_opts(source->cairn)->no_map;
	source->owned = !source->mapped;
	source->whole = true;
	if (!source->mapped)
		return true;
	madvise(source->map, source->map_len, MADV_SEQUENTIAL);
	if (source->input)
		io_input_mapped(source->input, source->name, source->fd, source->map_len);
	return true;
}

/* Read a small file whole. If it turns out not to be small, what was read is the
 * beginning of layer 0's buffer and the rest comes by read(). */
static int slurp(struct io_source *source)
{
	struct io_layer *layer = &source->layers[0];
	const uint8_t *p;
	size_t n;
	int rc = io_layer_show(source, 0, IO_MAP_MIN, &p, &n);
	if (rc < 0)
		return base_wrap(source->cairn, "%s", source->name);
	if (layer->status != 1)
		return 0;
	source->map = base_realloc(source->cairn, layer->buf, n); /* shrink */
	if (!source->map)
		return CAIRN_E_NOMEM;
	layer->buf = NULL;
	layer->pos = layer->len = 0;
	layer->status = 0;
	source->map_len = n;
	source->owned = source->whole = true;
	source->stored = n;
	/* All bytes are in memory: thousands of small files need no descriptors. */
	if (source->close_fd)
		close(source->fd);
	source->close_fd = false;
	return 0;
}

static int open_stored(struct io_source *source, const char *path)
{
	int rc = open_fd(source, path);
	if (rc < 0)
		return rc;
	struct stat st;
	if (fstat(source->fd, &st) < 0)
		return base_fail_errno(source->cairn, errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return base_fail(source->cairn, CAIRN_E_IO, "%s: is a directory", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	rc = io_input_note(source->cairn, source->fd, &source->input);
	if (rc < 0)
		return rc;
	/* Standard input may be a file that was read up to somewhere. */
	off_t at = source->close_fd ? 0 : lseek(source->fd, 0, SEEK_CUR);
	if (st.st_size >= IO_MAP_MIN && at >= 0)
		source->stored = (uint64_t)(st.st_size > at ? st.st_size - at : 0);
	if (st.st_size >= IO_MAP_MIN && at == 0 && source_map_file(source, st.st_size)) {
		source->stored = source->map_len;
		return 0;
	}
	return slurp(source);
}

/* ---- recognising codecs ---- */

static int note_codec(struct io_source *source, const char *name)
{
	return base_buf_printf(&source->codecs, "%s%s", source->codecs.len ? "+" : "", name);
}

static int peel(struct io_source *source)
{
	for (;;) {
		const uint8_t *p;
		size_t n;
		int rc = io_layer_show(source, source->top, IO_HEAD, &p, &n);
		if (rc == CAIRN_E_NOMEM || rc == CAIRN_E_CANCELLED)
			return rc;
		if (rc < 0) /* io_read will report it again, in its place */
			return 0;
		const struct cairn_codec *codec =
			io_codec_probe(source->cairn, p, n < IO_HEAD ? n : IO_HEAD);
		if (!codec)
			return 0;
		if (source->top == IO_DEPTH)
			return base_fail(source->cairn, CAIRN_E_LIMIT, "%s: compressed more than %d times over",
			                 source->name, IO_DEPTH);
		source->layers[++source->top].codec = codec;
		rc = note_codec(source, codec->name);
		if (rc < 0)
			return rc;
	}
}

static int recognise(struct io_source *source)
{
	int rc = peel(source);
	if (rc >= 0 && source->whole && source->top == 1 && source->layers[1].codec == &io_codec_zstd &&
	    io_zstd_is_seekable(source->map, source->map_len)) {
		source->codecs.len = 0;
		rc = note_codec(source, io_codec_zstd_seekable.name);
	}
	if (rc >= 0 && !source->codecs.len)
		rc = note_codec(source, "none");
	return rc < 0 ? rc : 0;
}

/* ---- open and close ---- */

static struct io_source *source_new(struct cairn *cairn, const char *name)
{
	struct io_source *source = base_alloc(cairn, sizeof *source);
	if (!source)
		return NULL;
	source->cairn = cairn;
	source->fd = -1;
	source->stored = IO_UNKNOWN;
	base_buf_init(&source->codecs, cairn);
	base_buf_init(&source->marks.rows, cairn);
	base_buf_init(&source->marks.data, cairn);
	source->name = base_strdup(cairn, name);
	if (!source->name) {
		base_free(cairn, source);
		return NULL;
	}
	return source;
}

bool io_lies_outside(const char *folder, const char *path)
{
	char *in = realpath(*folder ? folder : ".", NULL), *at = in ? realpath(path, NULL) : NULL;
	size_t n = in ? strlen(in) : 0;
	bool outside = at && n > 1 && (strncmp(at, in, n) != 0 || at[n] != '/');
	free(in);
	free(at);
	return outside;
}

/* The stored bytes are available, unless `rc` is an error: find the codecs around them. */
static int source_opened(struct io_source *source, int rc, struct io_source **out)
{
	if (rc >= 0)
		rc = recognise(source);
	if (rc < 0)
		io_close(source);
	else
		*out = source;
	return rc;
}

int io_open_regular(struct cairn *cairn, const char *path, struct io_source **out)
{
	struct stat st;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return base_fail(cairn, CAIRN_E_IO, "%s: is not a regular file", path);
	return io_open(cairn, path, out);
}

int io_open(struct cairn *cairn, const char *path, struct io_source **out)
{
	struct io_source *source = source_new(cairn, path);
	if (!source)
		return CAIRN_E_NOMEM;
	return source_opened(source, open_stored(source, path), out);
}

int io_open_memory(struct cairn *cairn, const void *data, size_t n, struct io_source **out)
{
	struct io_source *source = source_new(cairn, "memory");
	if (!source)
		return CAIRN_E_NOMEM;
	source->map = (uint8_t *)(uintptr_t)data; /* only ever read */
	source->map_len = n;
	source->stored = n;
	source->whole = true;
	return source_opened(source, 0, out);
}

int io_open_stream(struct cairn *cairn, const char *name, cairn_read_fn *read, void *user,
                   struct io_source **out)
{
	struct io_source *source = source_new(cairn, name);
	if (!source)
		return CAIRN_E_NOMEM;
	source->read = read;
	source->user = user;
	return source_opened(source, 0, out);
}

void io_close(struct io_source *source)
{
	if (!source)
		return;
	for (unsigned i = 0; i <= source->top; i++) {
		io_layer_close(source, i);
		base_free(source->cairn, source->layers[i].buf);
	}
	if (source->mapped)
		io_file_unmap(source->cairn, source->map, source->map_len);
	else if (source->owned)
		base_free(source->cairn, source->map);
	io_input_drop(source->cairn, source->input);
	if (source->close_fd)
		close(source->fd);
	base_buf_free(&source->codecs);
	io_marks_free(source->cairn, &source->marks);
	base_free(source->cairn, source->why);
	base_free(source->cairn, source->name);
	base_free(source->cairn, source);
}

/* ---- reading ---- */

/* A layer's failure is reported anew on each call: another one may have failed since. */
static int source_complain(struct io_source *source, int64_t rc)
{
	const struct io_layer *layer = &source->layers[source->top];
	return layer->status < 0 ? io_layer_complain(source, layer->status) : (int)rc;
}

int io_peek(struct io_source *source, size_t want, const uint8_t **p, size_t *n)
{
	if (want > IO_PEEK)
		want = IO_PEEK;
	int rc = io_layer_show(source, source->top, want, p, n);
	if (*n > want) /* a mapped file is there whole */
		*n = want;
	return rc < 0 ? source_complain(source, rc) : 0;
}

int64_t io_read(struct io_source *source, void *buf, size_t n)
{
	if (n == 0)
		return 0;
	int64_t got = io_layer_read(source, source->top, buf, n);
	return got < 0 ? source_complain(source, got) : got;
}

int64_t io_pread(struct io_source *source, uint64_t off, void *buf, size_t n)
{
	if (!source->whole || source->top)
		return base_fail(source->cairn, CAIRN_E_STATE, "%s: cannot be read at any place",
		                 source->name);
	if (off >= source->map_len)
		return 0;
	if (n > source->map_len - off)
		n = source->map_len - (size_t)off;
	/* Not through the map: single looks would map the pages around them. */
	if (n && (!source->mapped || pread(source->fd, buf, n, (off_t)off) != (ssize_t)n))
		memcpy(buf, source->map + off, n);
	return (int64_t)n;
}

const uint8_t *io_map(const struct io_source *source, size_t *n)
{
	if (!source->whole || source->top)
		return NULL;
	*n = source->map_len;
	return source->map_len ? source->map : (const uint8_t *)"";
}

void io_done(struct io_source *source, uint64_t upto)
{
	if (source->whole && !source->top)
		io_source_drop(source, upto);
}

/* ---- what is known ---- */

uint64_t io_tell(const struct io_source *source)
{
	return source->layers[source->top].taken;
}

uint64_t io_stored_size(const struct io_source *source)
{
	return source->stored;
}

uint64_t io_stored_tell(const struct io_source *source)
{
	uint64_t taken = source->layers[0].taken, done = atomic_load(&source->done);
	return done > taken ? done : taken;
}

const char *io_codec(const struct io_source *source)
{
	return (const char *)source->codecs.data;
}

const char *io_name(const struct io_source *source)
{
	return source->name;
}
