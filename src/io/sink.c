/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte sinks. A file is written under another name (temporary.c) and gets its own when it
 * is complete, so that a reader never sees half a trace under the real name and a
 * failed run leaves what was there before. What is no plain file (a device, a
 * FIFO, standard output) is written to directly.
 *
 * The first error stays: it is what every later call and finish return, and
 * finish then leaves no file, unless what there is of it is to be kept (io_keep_begin).
 * There is no fsync: a trace is not a bank account.
 */
#include "io/codecs.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SINK_BUFFER = 256 << 10, SINK_STALLS = 64 };

struct io_sink {
	struct cairn *c;
	char *path;           /* where it goes, symbolic links followed */
	struct io_temp *temp; /* NULL when written to directly */
	int fd;
	bool seekable;
	uint64_t base;   /* where in the file our first byte is */
	uint64_t pushed; /* bytes given to the system */
	uint64_t told;   /* bytes given to us */
	const struct cairn_codec *codec;
	void *state;
	uint8_t *buf;
	size_t len;
	int status;      /* the error that stays */
	int sys;         /* its errno, or 0 … */
	const char *why; /* … and the codec's reason */
};

/* ---- errors ---- */

static int sink_say_again(struct io_sink *s)
{
	if (s->sys)
		return base_fail_errno(s->c, s->sys, "%s", s->path);
	return base_fail(s->c, s->status, "%s: %s: %s", s->path, s->codec->name,
	                 io_codec_why(s->status, s->why));
}

static int sink_errno(struct io_sink *s, int err)
{
	s->sys = err;
	s->status = sink_say_again(s);
	return s->status;
}

static int sink_codec_failed(struct io_sink *s, int status, const char *why)
{
	s->status = status;
	s->why = why;
	return sink_say_again(s);
}

/* ---- opening ---- */

/* Standard output and the like, by number: opening them anew by name would start
 * at their beginning. -1 when the path is none of these. */
static int named_fd(const char *path)
{
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	if (strncmp(path, "/dev/fd/", 8) == 0 && path[8] >= '0' && path[8] <= '9') {
		char *end;
		long n = strtol(path + 8, &end, 10);
		return *end || n > INT_MAX ? -1 : (int)n;
	}
	return -1;
}

static void find_seekable(struct io_sink *s)
{
	off_t at = lseek(s->fd, 0, SEEK_CUR);
	int flags = fcntl(s->fd, F_GETFL);
	/* pwrite to a file opened for appending appends. */
	s->seekable = !s->codec && at >= 0 && flags >= 0 && !(flags & O_APPEND);
	s->base = at > 0 ? (uint64_t)at : 0;
}

static int open_temp(struct io_sink *s, const struct stat *old)
{
	int rc = io_temp_file(s->c, s->path, &s->temp, &s->fd);
	if (rc >= 0 && old && fchmod(s->fd, old->st_mode & 07777) < 0)
		rc = base_fail_errno(s->c, errno, "%s", s->path);
	return rc;
}

/* What a symbolic link points to, seen from where we are; NULL with errno. */
static char *link_target(struct cairn *c, const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof to - 1);
	if (n < 0)
		return NULL;
	to[n] = 0;
	const char *slash = strrchr(path, '/');
	size_t folder = to[0] != '/' && slash ? (size_t)(slash - path) + 1 : 0;
	char *joined = base_alloc(c, folder + (size_t)n + 1);
	if (joined) {
		memcpy(joined, path, folder);
		memcpy(joined + folder, to, (size_t)n + 1);
	}
	errno = joined ? 0 : ENOMEM;
	return joined;
}

/* Through symbolic links, not over them, whether they lead to a file or to where one will be. */
static int follow_links(struct io_sink *s)
{
	enum { LINKS = 40 }; /* as the kernel does */
	struct stat st;
	for (int i = 0; lstat(s->path, &st) == 0 && S_ISLNK(st.st_mode); i++) {
		errno = ELOOP;
		char *to = i < LINKS ? link_target(s->c, s->path) : NULL;
		if (!to)
			return base_fail_errno(s->c, errno, "%s", s->path);
		base_free(s->c, s->path);
		s->path = to;
	}
	return 0;
}

static int open_path(struct io_sink *s, const char *path)
{
	struct stat st;
	if (!*path)
		return base_fail(s->c, CAIRN_E_INVAL, "the name of the output is empty");
	bool exists = stat(path, &st) == 0;
	if (!exists && errno != ENOENT) /* a name too long is told now, not after the work */
		return base_fail_errno(s->c, errno, "%s", path);
	if (exists && S_ISDIR(st.st_mode))
		return base_fail(s->c, CAIRN_E_IO, "%s: is a directory", path);
	if (exists && !S_ISREG(st.st_mode)) {
		do
			s->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		while (s->fd < 0 && errno == EINTR);
		return s->fd < 0 ? base_fail_errno(s->c, errno, "%s", path) : 0;
	}
	if (exists && io_is_input(s->c, &st))
		return base_fail(s->c, CAIRN_E_INVAL,
		                 "%s: the output is a file that is read; it would be "
		                 "destroyed",
		                 path);
	/* Renaming would replace even a file one may not write. */
	if (exists && access(path, W_OK) < 0)
		return base_fail_errno(s->c, errno, "%s", path);
	int rc = follow_links(s);
	return rc < 0 ? rc : open_temp(s, exists ? &st : NULL);
}

static int sink_start(struct io_sink *s, const char *path, int level, int threads)
{
	int rc = 0, fd = named_fd(path);
	if (s->codec && !s->codec->enc_open)
		return base_fail(s->c, CAIRN_E_UNSUPPORTED, "%s: the codec %s cannot be written", path,
		                 s->codec->name);
	if (s->codec)
		rc = io_codec_level(s->c, s->codec, level, &level);
	if (rc < 0)
		return rc;
	s->path = base_strdup(s->c, strcmp(path, "-") == 0 ? "standard output" : path);
	s->buf = base_realloc(s->c, NULL, SINK_BUFFER);
	if (!s->path || !s->buf)
		return CAIRN_E_NOMEM;
	if (s->codec) {
		rc = s->codec->enc_open(s->c, level, threads > 1 ? (unsigned)threads : 1, &s->state);
		if (rc < 0)
			return sink_codec_failed(s, rc, "the encoder cannot be started");
	}
	if (fd < 0) {
		rc = open_path(s, path);
	} else {
		s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* so that closing it can be checked */
		if (s->fd < 0)
			rc = base_fail_errno(s->c, errno, "%s", s->path);
	}
	if (rc >= 0)
		find_seekable(s);
	return rc;
}

static void sink_free(struct io_sink *s)
{
	if (s->state)
		s->codec->enc_close(s->state);
	if (s->fd >= 0)
		close(s->fd);
	base_free(s->c, s->buf);
	base_free(s->c, s->path);
	base_free(s->c, s);
}

int io_sink_open(struct cairn *c, const char *path, const struct cairn_codec *codec, int level,
                 int threads, struct io_sink **out)
{
	struct io_sink *s = base_alloc(c, sizeof *s);
	if (!s)
		return CAIRN_E_NOMEM;
	s->c = c;
	s->fd = -1;
	s->codec = codec;
	int rc = sink_start(s, path, level, threads);
	if (rc < 0)
		io_sink_abort(s);
	else
		*out = s;
	return rc;
}

/* ---- writing ---- */

/* To the system, all of it: at the end (off == UINT64_MAX) or over what is there. */
static int write_all(struct io_sink *s, const uint8_t *p, size_t n, uint64_t off)
{
	while (n) {
		size_t most = n < 1u << 30 ? n : 1u << 30;
		ssize_t put = off == UINT64_MAX ? write(s->fd, p, most)
		                                : pwrite(s->fd, p, most, (off_t)(s->base + off));
		if (put > 0) {
			p += put;
			n -= (size_t)put;
			if (off == UINT64_MAX)
				s->pushed += (uint64_t)put;
			else
				off += (uint64_t)put;
		} else if (put == 0) {
			return sink_errno(s, EIO);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd w = {.fd = s->fd, .events = POLLOUT};
			poll(&w, 1, -1);
		} else if (errno != EINTR) {
			return sink_errno(s, errno);
		}
	}
	return 0;
}

static int sink_push(struct io_sink *s)
{
	int rc = write_all(s, s->buf, s->len, UINT64_MAX);
	s->len = 0;
	return rc;
}

static int write_plain(struct io_sink *s, const uint8_t *p, size_t n)
{
	if (n > SINK_BUFFER - s->len) {
		int rc = sink_push(s);
		if (rc < 0)
			return rc;
	}
	if (n >= SINK_BUFFER)
		return write_all(s, p, n, UINT64_MAX);
	memcpy(s->buf + s->len, p, n);
	s->len += n;
	return 0;
}

static int write_coded(struct io_sink *s, const uint8_t *p, size_t n, int finish)
{
	struct cairn_codec_io io = {.in = p, .in_len = n};
	int rc = 0, stalls = 0;
	while (rc == 0 && (io.in_len || finish)) {
		const char *why = NULL;
		size_t before = io.in_len;
		if (s->len == SINK_BUFFER && sink_push(s) < 0)
			return s->status;
		io.out = s->buf + s->len;
		io.out_len = SINK_BUFFER - s->len;
		rc = s->codec->encode(s->state, &io, finish, &why);
		size_t len = SINK_BUFFER - io.out_len;
		if (rc == 0 && len == s->len && before == io.in_len && ++stalls > SINK_STALLS)
			rc = CAIRN_E_STATE;
		s->len = len;
		if (rc < 0)
			return sink_codec_failed(s, rc, why);
	}
	return 0;
}

int io_sink_write(struct io_sink *s, const void *data, size_t n)
{
	if (s->status)
		return sink_say_again(s);
	if (n == 0)
		return 0;
	int rc = s->codec ? write_coded(s, data, n, 0) : write_plain(s, data, n);
	if (rc >= 0)
		s->told += n;
	return rc;
}

int io_sink_pwrite(struct io_sink *s, uint64_t off, const void *data, size_t n)
{
	if (s->status && !io_keeping(s->c))
		return sink_say_again(s);
	if (!s->seekable)
		return base_fail(s->c, CAIRN_E_STATE, "%s: what is written cannot be changed", s->path);
	if (off > s->told || n > s->told - off)
		return base_fail(s->c, CAIRN_E_INVAL, "%s: bytes beyond the end cannot be overwritten",
		                 s->path);
	const uint8_t *p = data;
	if (off < s->pushed) {
		uint64_t there = s->pushed - off;
		size_t part = n < there ? n : (size_t)there;
		int rc = write_all(s, p, part, off);
		if (rc < 0)
			return rc;
		p += part;
		off += part;
		n -= part;
	}
	if (n)
		memcpy(s->buf + (off - s->pushed), p, n);
	return 0;
}

bool io_sink_seekable(const struct io_sink *s)
{
	return s->seekable;
}

uint64_t io_sink_tell(const struct io_sink *s)
{
	return s->told;
}

int io_sink_flush(struct io_sink *s)
{
	return s->status ? sink_say_again(s) : sink_push(s);
}

/* ---- ending ---- */

int io_sink_finish(struct io_sink *s)
{
	int rc = s->status ? sink_say_again(s) : 0;
	/* What was written without the memory it needed may lack something. */
	if (rc >= 0 && cairn_failed_allocations(s->c))
		rc = base_fail(s->c, CAIRN_E_NOMEM, "%s: out of memory", s->path ? s->path : "output");
	if (rc >= 0 && s->codec)
		rc = write_coded(s, (const uint8_t *)"", 0, 1);
	if (rc >= 0)
		rc = sink_push(s);
	/* Network file systems tell of a full disk only now. */
	if (rc >= 0 && close(s->fd) < 0 && errno != EINTR)
		rc = sink_errno(s, errno);
	else if (rc < 0)
		close(s->fd);
	s->fd = -1;
	if (rc >= 0 && s->temp)
		rc = io_temp_commit(s->c, s->temp, s->path);
	else
		io_keep_or_remove(s->c, s->temp, s->path);
	sink_free(s);
	return rc < 0 ? rc : 0;
}

void io_sink_abort(struct io_sink *s)
{
	if (!s)
		return;
	if (!s->status && s->temp && io_keeping(s->c)) { /* something else has failed */
		if (s->codec)
			write_coded(s, (const uint8_t *)"", 0, 1);
		sink_push(s);
	}
	io_keep_or_remove(s->c, s->temp, s->path);
	sink_free(s);
}

bool io_sink_clobbers(const char *out, const char *in)
{
	struct stat a, b;
	int to = named_fd(out), from = strcmp(in, "-") == 0 ? STDIN_FILENO : -1;
	return (from >= 0 ? fstat(from, &b) : stat(in, &b)) == 0 && S_ISREG(b.st_mode) &&
	       (to >= 0 ? fstat(to, &a) : stat(out, &a)) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}
