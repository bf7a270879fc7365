/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte sources: a path, standard input or memory, with its codecs peeled off.
 *
 * Where the bytes come from decides how they are had:
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
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- getting at the stored bytes ---- */

static int open_fd(struct io_source *s, const char *path)
{
	/* /dev/stdin cannot be opened by name when it is a socket. */
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0) {
		s->fd = STDIN_FILENO;
		return 0;
	}
	if (!*path)
		return base_fail(s->c, CAIRN_E_NOTFOUND, "the name of the input is empty");
	do
		s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (s->fd < 0 && errno == EINTR);
	if (s->fd < 0)
		return base_fail_errno(s->c, errno, "%s", path);
	s->close_fd = true;
	return 0;
}

static bool source_map_file(struct io_source *s, off_t size)
{
	if ((uintmax_t)size > SIZE_MAX)
		return false;
	const uint8_t *p;
	if (io_file_map(s->c, s->name, s->fd, (size_t)size, &p, &s->map_len) < 0)
		return false;
	s->map = (uint8_t *)(uintptr_t)p; /* only ever read */
	s->mapped = !base_opts(s->c)->no_map;
	s->owned = !s->mapped;
	s->whole = true;
	if (s->mapped)
		madvise(s->map, s->map_len, MADV_SEQUENTIAL);
	return true;
}

/* Read a small file whole. If it turns out not to be small, what was read is the
 * beginning of layer 0's buffer and the rest comes by read(). */
static int slurp(struct io_source *s)
{
	struct io_layer *l = &s->layers[0];
	const uint8_t *p;
	size_t n;
	int rc = io_layer_show(s, 0, IO_MAP_MIN, &p, &n);
	if (rc < 0)
		return base_wrap(s->c, "%s", s->name);
	if (l->status != 1)
		return 0;
	s->map = base_realloc(s->c, l->buf, n); /* shrink */
	if (!s->map)
		return CAIRN_E_NOMEM;
	l->buf = NULL;
	l->pos = l->len = 0;
	l->status = 0;
	s->map_len = n;
	s->owned = s->whole = true;
	s->stored = n;
	/* All of it is here: thousands of small files need no descriptors. */
	if (s->close_fd)
		close(s->fd);
	s->close_fd = false;
	return 0;
}

static int open_stored(struct io_source *s, const char *path)
{
	int rc = open_fd(s, path);
	if (rc < 0)
		return rc;
	struct stat st;
	if (fstat(s->fd, &st) < 0)
		return base_fail_errno(s->c, errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return base_fail(s->c, CAIRN_E_IO, "%s: is a directory", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	rc = io_input_note(s->c, s->fd, &s->input);
	if (rc < 0)
		return rc;
	/* Standard input may be a file that was read up to somewhere. */
	off_t at = s->close_fd ? 0 : lseek(s->fd, 0, SEEK_CUR);
	if (st.st_size >= IO_MAP_MIN && at >= 0)
		s->stored = (uint64_t)(st.st_size > at ? st.st_size - at : 0);
	if (st.st_size >= IO_MAP_MIN && at == 0 && source_map_file(s, st.st_size)) {
		s->stored = s->map_len;
		return 0;
	}
	return slurp(s);
}

/* ---- recognising codecs ---- */

static int note_codec(struct io_source *s, const char *name)
{
	int rc = base_buf_printf(&s->codecs, "%s%s", s->codecs.len ? "+" : "", name);
	return rc;
}

static int peel(struct io_source *s)
{
	for (;;) {
		const uint8_t *p;
		size_t n;
		int rc = io_layer_show(s, s->top, IO_HEAD, &p, &n);
		if (rc == CAIRN_E_NOMEM || rc == CAIRN_E_CANCELLED)
			return rc;
		if (rc < 0) /* io_read will say so again, in its place */
			return 0;
		const struct cairn_codec *k = io_codec_probe(s->c, p, n < IO_HEAD ? n : IO_HEAD);
		if (!k)
			return 0;
		if (s->top == IO_DEPTH)
			return base_fail(s->c, CAIRN_E_LIMIT, "%s: compressed more than %d times over", s->name,
			                 IO_DEPTH);
		s->layers[++s->top].codec = k;
		rc = note_codec(s, k->name);
		if (rc < 0)
			return rc;
	}
}

static int find_seek_table(struct io_source *s)
{
	if (!s->whole || s->top != 1 || s->layers[1].codec != &io_codec_zstd)
		return 0;
	int rc = io_zstd_seek_open(s->c, s->map, s->map_len, &s->seek);
	if (rc <= 0)
		return rc;
	s->codecs.len = 0;
	return note_codec(s, io_codec_zstd_seekable.name);
}

static int recognise(struct io_source *s)
{
	int rc = peel(s);
	if (rc >= 0)
		rc = find_seek_table(s);
	if (rc >= 0 && !s->codecs.len)
		rc = note_codec(s, "none");
	return rc < 0 ? rc : 0;
}

/* ---- open and close ---- */

static struct io_source *source_new(struct cairn *c, const char *name)
{
	struct io_source *s = base_alloc(c, sizeof *s);
	if (!s)
		return NULL;
	s->c = c;
	s->fd = -1;
	s->stored = IO_UNKNOWN;
	base_buf_init(&s->codecs, c);
	base_buf_init(&s->marks.rows, c);
	base_buf_init(&s->marks.data, c);
	s->name = base_strdup(c, name);
	if (!s->name) {
		base_free(c, s);
		return NULL;
	}
	return s;
}

int io_open(struct cairn *c, const char *path, struct io_source **out)
{
	struct io_source *s = source_new(c, path);
	if (!s)
		return CAIRN_E_NOMEM;
	int rc = open_stored(s, path);
	if (rc >= 0)
		rc = recognise(s);
	if (rc < 0)
		io_close(s);
	else
		*out = s;
	return rc;
}

int io_open_memory(struct cairn *c, const void *data, size_t n, struct io_source **out)
{
	struct io_source *s = source_new(c, "memory");
	if (!s)
		return CAIRN_E_NOMEM;
	s->map = (uint8_t *)(uintptr_t)data; /* only ever read */
	s->map_len = n;
	s->stored = n;
	s->whole = true;
	int rc = recognise(s);
	if (rc < 0)
		io_close(s);
	else
		*out = s;
	return rc;
}

int io_open_stream(struct cairn *c, const char *name, cairn_read_fn *read, void *user,
                   struct io_source **out)
{
	struct io_source *s = source_new(c, name);
	if (!s)
		return CAIRN_E_NOMEM;
	s->read = read;
	s->user = user;
	int rc = recognise(s);
	if (rc < 0)
		io_close(s);
	else
		*out = s;
	return rc;
}

static void unmap(struct io_source *s)
{
	if (s->mapped)
		io_file_unmap(s->c, s->map, s->map_len);
	else
		base_free(s->c, s->map);
}

void io_close(struct io_source *s)
{
	if (!s)
		return;
	io_zstd_seek_close(s->seek);
	for (unsigned i = 0; i <= s->top; i++) {
		io_layer_close(s, i);
		base_free(s->c, s->layers[i].buf);
	}
	if (s->mapped || s->owned)
		unmap(s);
	io_input_drop(s->c, s->input);
	if (s->close_fd)
		close(s->fd);
	base_buf_free(&s->codecs);
	io_marks_free(s->c, &s->marks);
	base_free(s->c, s->why);
	base_free(s->c, s->name);
	base_free(s->c, s);
}

/* ---- reading ---- */

/* A layer's failure is said anew on each call: another may have failed since. */
static int source_complain(struct io_source *s, int64_t rc)
{
	const struct io_layer *l = &s->layers[s->top];
	return l->status < 0 ? io_layer_complain(s, l->status) : (int)rc;
}

int io_peek(struct io_source *s, size_t want, const uint8_t **p, size_t *n)
{
	if (want > IO_PEEK)
		want = IO_PEEK;
	int rc = io_layer_show(s, s->top, want, p, n);
	if (*n > want) /* a mapped file is there whole */
		*n = want;
	return rc < 0 ? source_complain(s, rc) : 0;
}

int64_t io_read(struct io_source *s, void *buf, size_t n)
{
	if (n == 0)
		return 0;
	int64_t got = io_layer_read(s, s->top, buf, n);
	return got < 0 ? source_complain(s, got) : got;
}

int64_t io_pread(struct io_source *s, uint64_t off, void *buf, size_t n)
{
	if (s->seek)
		return io_zstd_seek_read(s->seek, off, buf, n);
	if (!s->whole || s->top)
		return base_fail(s->c, CAIRN_E_STATE, "%s: cannot be read at any place", s->name);
	if (off >= s->map_len)
		return 0;
	if (n > s->map_len - off)
		n = s->map_len - (size_t)off;
	/* Not through the map: a look here and there would map pages all around it. */
	if (n && (!s->mapped || pread(s->fd, buf, n, (off_t)off) != (ssize_t)n))
		memcpy(buf, s->map + off, n);
	return (int64_t)n;
}

const uint8_t *io_map(const struct io_source *s, size_t *n)
{
	if (!s->whole || s->top)
		return NULL;
	*n = s->map_len;
	return s->map_len ? s->map : (const uint8_t *)"";
}

void io_done(struct io_source *s, uint64_t upto)
{
	if (s->whole && !s->top)
		io_source_drop(s, upto);
}

/* ---- what is known ---- */

uint64_t io_tell(const struct io_source *s)
{
	return s->layers[s->top].taken;
}

bool io_seekable(const struct io_source *s)
{
	return s->seek || (s->whole && !s->top);
}

uint64_t io_size(const struct io_source *s)
{
	if (s->seek)
		return io_zstd_seek_size(s->seek);
	return s->top ? IO_UNKNOWN : s->stored;
}

uint64_t io_stored_size(const struct io_source *s)
{
	return s->stored;
}

uint64_t io_stored_tell(const struct io_source *s)
{
	uint64_t taken = s->layers[0].taken, done = atomic_load(&s->done);
	return done > taken ? done : taken;
}

const char *io_codec(const struct io_source *s)
{
	return (const char *)s->codecs.data;
}

const char *io_name(const struct io_source *s)
{
	return s->name;
}
