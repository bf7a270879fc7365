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

struct cairn_sink {
	struct cairn *cairn;
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

static int sink_say_again(struct cairn_sink *sink)
{
	if (sink->sys)
		return base_fail_errno(sink->cairn, sink->sys, "%s", sink->path);
	return base_fail(sink->cairn, sink->status, "%s: %s: %s", sink->path, sink->codec->name,
	                 io_codec_why(sink->status, sink->why));
}

static int sink_errno(struct cairn_sink *sink, int err)
{
	sink->sys = err;
	sink->status = sink_say_again(sink);
	return sink->status;
}

static int sink_codec_failed(struct cairn_sink *sink, int status, const char *why)
{
	sink->status = status;
	sink->why = why;
	return sink_say_again(sink);
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

static void find_seekable(struct cairn_sink *sink)
{
	off_t at = lseek(sink->fd, 0, SEEK_CUR);
	int flags = fcntl(sink->fd, F_GETFL);
	/* pwrite to a file opened for appending appends. */
	sink->seekable = !sink->codec && at >= 0 && flags >= 0 && !(flags & O_APPEND);
	sink->base = at > 0 ? (uint64_t)at : 0;
}

static int open_temp(struct cairn_sink *sink, const struct stat *old)
{
	int rc = io_temp_file(sink->cairn, sink->path, &sink->temp, &sink->fd);
	if (rc >= 0 && old && fchmod(sink->fd, old->st_mode & 07777) < 0)
		rc = base_fail_errno(sink->cairn, errno, "%s", sink->path);
	return rc;
}

/* What a symbolic link points to, seen from where we are; NULL with errno. */
static char *link_target(struct cairn *cairn, const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof to - 1);
	if (n < 0)
		return NULL;
	to[n] = 0;
	const char *slash = strrchr(path, '/');
	size_t folder = to[0] != '/' && slash ? (size_t)(slash - path) + 1 : 0;
	char *joined = base_alloc(cairn, folder + (size_t)n + 1);
	if (joined) {
		memcpy(joined, path, folder);
		memcpy(joined + folder, to, (size_t)n + 1);
	}
	errno = joined ? 0 : ENOMEM;
	return joined;
}

/* Follow symbolic links instead of replacing them, whether they lead to a file or to where one will
 * be. */
static int follow_links(struct cairn_sink *sink)
{
	enum { LINKS = 40 }; /* as the kernel does */
	struct stat st;
	for (int i = 0; lstat(sink->path, &st) == 0 && S_ISLNK(st.st_mode); i++) {
		errno = ELOOP;
		char *to = i < LINKS ? link_target(sink->cairn, sink->path) : NULL;
		if (!to)
			return base_fail_errno(sink->cairn, errno, "%s", sink->path);
		base_free(sink->cairn, sink->path);
		sink->path = to;
	}
	return 0;
}

static int refuse_input(struct cairn_sink *sink, const struct stat *st, const char *path)
{
	return S_ISREG(st->st_mode) && io_is_input(sink->cairn, st)
	           ? base_fail(sink->cairn, CAIRN_E_INVAL,
	                       "%s: the output is a file that is read; it would be destroyed", path)
	           : 0;
}

static int open_path(struct cairn_sink *sink, const char *path)
{
	struct stat st;
	if (!*path)
		return base_fail(sink->cairn, CAIRN_E_INVAL, "the name of the output is empty");
	bool exists = stat(path, &st) == 0;
	if (!exists && errno != ENOENT) /* report a name that is too long now, not after the work */
		return base_fail_errno(sink->cairn, errno, "%s", path);
	if (exists && S_ISDIR(st.st_mode))
		return base_fail(sink->cairn, CAIRN_E_IO, "%s: is a directory", path);
	if (exists && !S_ISREG(st.st_mode)) {
		do
			sink->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		while (sink->fd < 0 && errno == EINTR);
		return sink->fd < 0 ? base_fail_errno(sink->cairn, errno, "%s", path) : 0;
	}
	if (exists && refuse_input(sink, &st, path) < 0)
		return CAIRN_E_INVAL;
	/* Renaming would replace even a file without write permission. */
	if (exists && access(path, W_OK) < 0)
		return base_fail_errno(sink->cairn, errno, "%s", path);
	int rc = follow_links(sink);
	return rc < 0 ? rc : open_temp(sink, exists ? &st : NULL);
}

static int sink_start(struct cairn_sink *sink, const char *path, int level, int threads)
{
	struct stat st;
	int rc = 0, fd = named_fd(path);
	if (sink->codec && !sink->codec->enc_open)
		return base_fail(sink->cairn, CAIRN_E_UNSUPPORTED, "%s: the codec %s cannot be written",
		                 path, sink->codec->name);
	if (sink->codec)
		rc = io_codec_level(sink->cairn, sink->codec, level, &level);
	if (rc < 0)
		return rc;
	sink->path = base_strdup(sink->cairn, strcmp(path, "-") == 0 ? "standard output" : path);
	sink->buf = base_realloc(sink->cairn, NULL, SINK_BUFFER);
	if (!sink->path || !sink->buf)
		return CAIRN_E_NOMEM;
	if (fd >= 0 && fstat(fd, &st) == 0 && (rc = refuse_input(sink, &st, sink->path)) < 0)
		return rc;
	if (sink->codec) {
		rc = sink->codec->enc_open(sink->cairn, level, threads > 1 ? (unsigned)threads : 1,
		                           &sink->state);
		if (rc < 0)
			return sink_codec_failed(sink, rc, "the encoder cannot be started");
	}
	if (fd < 0) {
		rc = open_path(sink, path);
	} else {
		sink->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* so that closing it can be checked */
		if (sink->fd < 0)
			rc = base_fail_errno(sink->cairn, errno, "%s", sink->path);
	}
	if (rc >= 0)
		find_seekable(sink);
	return rc;
}

static void sink_free(struct cairn_sink *sink)
{
	if (sink->state)
		sink->codec->enc_close(sink->state);
	if (sink->fd >= 0)
		close(sink->fd);
	base_free(sink->cairn, sink->buf);
	base_free(sink->cairn, sink->path);
	base_free(sink->cairn, sink);
}

int io_sink_open(struct cairn *cairn, const char *path, const struct cairn_codec *codec, int level,
                 int threads, struct cairn_sink **out)
{
	struct cairn_sink *sink = base_alloc(cairn, sizeof *sink);
	if (!sink)
		return CAIRN_E_NOMEM;
	sink->cairn = cairn;
	sink->fd = -1;
	sink->codec = codec;
	int rc = sink_start(sink, path, level, threads);
	if (rc < 0)
		cairn_sink_discard(sink);
	else
		*out = sink;
	return rc;
}

int cairn_sink_open(struct cairn *cairn, const char *path, struct cairn_sink **out)
{
	return io_sink_open(cairn, path, NULL, INT_MIN, 1, out);
}

/* ---- writing ---- */

/* Write all of it to the system: at the end (off == UINT64_MAX) or over what is there. */
static int write_all(struct cairn_sink *sink, const uint8_t *p, size_t n, uint64_t off)
{
	while (n) {
		size_t most = n < 1u << 30 ? n : 1u << 30;
		ssize_t put = off == UINT64_MAX ? write(sink->fd, p, most)
		                                : pwrite(sink->fd, p, most, (off_t)(sink->base + off));
		if (put > 0) {
			p += put;
			n -= (size_t)put;
			if (off == UINT64_MAX)
				sink->pushed += (uint64_t)put;
			else
				off += (uint64_t)put;
		} else if (put == 0) {
			return sink_errno(sink, EIO);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd pollfd = {.fd = sink->fd, .events = POLLOUT};
			poll(&pollfd, 1, -1);
		} else if (errno != EINTR) {
			return sink_errno(sink, errno);
		}
	}
	return 0;
}

static int sink_push(struct cairn_sink *sink)
{
	int rc = write_all(sink, sink->buf, sink->len, UINT64_MAX);
	sink->len = 0;
	return rc;
}

static int write_plain(struct cairn_sink *sink, const uint8_t *p, size_t n)
{
	if (n > SINK_BUFFER - sink->len) {
		int rc = sink_push(sink);
		if (rc < 0)
			return rc;
	}
	if (n >= SINK_BUFFER)
		return write_all(sink, p, n, UINT64_MAX);
	memcpy(sink->buf + sink->len, p, n);
	sink->len += n;
	return 0;
}

static int write_coded(struct cairn_sink *sink, const uint8_t *p, size_t n, int finish)
{
	struct cairn_codec_io io = {.in = p, .in_len = n};
	int rc = 0, stalls = 0;
	while (rc == 0 && (io.in_len || finish)) {
		const char *why = NULL;
		size_t before = io.in_len;
		if (sink->len == SINK_BUFFER && sink_push(sink) < 0)
			return sink->status;
		io.out = sink->buf + sink->len;
		io.out_len = SINK_BUFFER - sink->len;
		rc = sink->codec->encode(sink->state, &io, finish, &why);
		size_t len = SINK_BUFFER - io.out_len;
		if (rc == 0 && len == sink->len && before == io.in_len && ++stalls > SINK_STALLS)
			rc = CAIRN_E_STATE;
		sink->len = len;
		if (rc < 0)
			return sink_codec_failed(sink, rc, why);
	}
	return 0;
}

int cairn_sink_write(struct cairn_sink *sink, const void *data, size_t n)
{
	if (sink->status)
		return sink_say_again(sink);
	if (n == 0)
		return 0;
	int rc = sink->codec ? write_coded(sink, data, n, 0) : write_plain(sink, data, n);
	if (rc >= 0)
		sink->told += n;
	return rc;
}

int io_sink_pwrite(struct cairn_sink *sink, uint64_t off, const void *data, size_t n)
{
	if (sink->status && !io_keeping(sink->cairn))
		return sink_say_again(sink);
	if (!sink->seekable)
		return base_fail(sink->cairn, CAIRN_E_STATE, "%s: what is written cannot be changed",
		                 sink->path);
	if (off > sink->told || n > sink->told - off)
		return base_fail(sink->cairn, CAIRN_E_INVAL,
		                 "%s: bytes beyond the end cannot be overwritten", sink->path);
	const uint8_t *p = data;
	if (off < sink->pushed) {
		uint64_t there = sink->pushed - off;
		size_t part = n < there ? n : (size_t)there;
		int rc = write_all(sink, p, part, off);
		if (rc < 0)
			return rc;
		p += part;
		off += part;
		n -= part;
	}
	if (n)
		memcpy(sink->buf + (off - sink->pushed), p, n);
	return 0;
}

bool io_sink_seekable(const struct cairn_sink *sink)
{
	return sink->seekable;
}

uint64_t io_sink_tell(const struct cairn_sink *sink)
{
	return sink->told;
}

int io_sink_flush(struct cairn_sink *sink)
{
	return sink->status ? sink_say_again(sink) : sink_push(sink);
}

/* ---- ending ---- */

int cairn_sink_finish(struct cairn_sink *sink)
{
	int rc = sink->status ? sink_say_again(sink) : 0;
	/* An allocation failed on the way, so what was written may lack something. */
	if (rc >= 0 && cairn_failed_allocations(sink->cairn))
		rc = base_fail(sink->cairn, CAIRN_E_NOMEM, "%s: out of memory",
		               sink->path ? sink->path : "output");
	if (rc >= 0 && sink->codec)
		rc = write_coded(sink, (const uint8_t *)"", 0, 1);
	if (rc >= 0)
		rc = sink_push(sink);
	if (rc >= 0)
		rc = io_check_inputs(sink->cairn);
	/* Network file systems report a full disk only now. */
	if (rc >= 0 && close(sink->fd) < 0 && errno != EINTR)
		rc = sink_errno(sink, errno);
	else if (rc < 0)
		close(sink->fd);
	sink->fd = -1;
	if (rc >= 0 && sink->temp)
		rc = io_temp_commit(sink->cairn, sink->temp, sink->path);
	else
		io_keep_or_remove(sink->cairn, sink->temp, sink->path);
	sink_free(sink);
	return rc < 0 ? rc : 0;
}

void cairn_sink_discard(struct cairn_sink *sink)
{
	if (!sink)
		return;
	if (!sink->status && sink->temp && io_keeping(sink->cairn)) { /* something else has failed */
		if (sink->codec)
			write_coded(sink, (const uint8_t *)"", 0, 1);
		sink_push(sink);
	}
	io_keep_or_remove(sink->cairn, sink->temp, sink->path);
	sink_free(sink);
}

int cairn_same_file(const char *out, const char *in)
{
	struct stat left, right;
	int to = named_fd(out), from = strcmp(in, "-") == 0 ? STDIN_FILENO : -1;
	return (from >= 0 ? fstat(from, &right) : stat(in, &right)) == 0 && S_ISREG(right.st_mode) &&
	       (to >= 0 ? fstat(to, &left) : stat(out, &left)) == 0 && left.st_dev == right.st_dev &&
	       left.st_ino == right.st_ino;
}
