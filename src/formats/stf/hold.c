/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping bytes back. The beginning stays in memory, so that the header can be
 * corrected and a small trace never touches a disk; what is more goes to a file
 * without a name, which is gone with the process, however it ends. The file lies
 * beside the output, where there is room for it, else where temporary files lie.
 */
#include "formats/stf/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEEP = 4 << 20, COPY = 256 << 10 };

struct stf_hold {
	struct cairn *c;
	char *path;
	struct base_buf first;
	uint64_t more; /* bytes in the file */
	int fd;
};

int stf_hold_new(struct cairn *c, const char *path, struct stf_hold **out)
{
	struct stf_hold *h = base_alloc(c, sizeof *h);
	if (!h)
		return CAIRN_E_NOMEM;
	h->c = c;
	h->fd = -1;
	base_buf_init(&h->first, c);
	h->path = base_strdup(c, path);
	if (!h->path) {
		stf_hold_free(h);
		return CAIRN_E_NOMEM;
	}
	*out = h;
	return 0;
}

void stf_hold_free(struct stf_hold *h)
{
	if (!h)
		return;
	if (h->fd >= 0)
		close(h->fd);
	base_buf_free(&h->first);
	base_free(h->c, h->path);
	base_free(h->c, h);
}

/* A file without a name in folder `dir`; -1 with errno. */
static int nameless(struct cairn *c, const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct io_temp *temp = NULL;
	char name[4096];
	if (fd >= 0 || snprintf(name, sizeof name, "%s/.cairn", dir) >= (int)sizeof name)
		return fd;
	if (io_temp_file(c, name, &temp, &fd) < 0)
		return -1;
	io_temp_remove(temp);
	return fd;
}

static int hold_open_file(struct stf_hold *h)
{
	struct stat st;
	char dir[4096] = ".";
	const char *slash = strrchr(h->path, '/');
	bool beside = strcmp(h->path, "-") != 0 && (stat(h->path, &st) < 0 || S_ISREG(st.st_mode));
	if (beside && slash)
		snprintf(dir, sizeof dir, "%.*s", slash > h->path ? (int)(slash - h->path) : 1, h->path);
	if (beside)
		h->fd = nameless(h->c, dir);
	if (h->fd < 0) {
		const char *tmp = secure_getenv("TMPDIR");
		h->fd = nameless(h->c, tmp && *tmp ? tmp : P_tmpdir);
	}
	return h->fd < 0 ? base_fail_errno(h->c, errno, "%s: a temporary file", h->path) : 0;
}

int stf_hold_put(struct stf_hold *h, const void *data, size_t n)
{
	const uint8_t *p = data;
	if (h->fd < 0 && h->first.len + n <= KEEP)
		return base_buf_put(&h->first, p, n);
	if (h->fd < 0) {
		int rc = hold_open_file(h);
		if (rc < 0)
			return rc;
	}
	for (size_t at = 0; at < n;) {
		ssize_t put = write(h->fd, p + at, n - at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return base_fail_errno(h->c, put < 0 ? errno : EIO, "%s: a temporary file", h->path);
		at += (size_t)put;
	}
	h->more += n; /* whole pieces only */
	return 0;
}

int stf_hold_patch(struct stf_hold *h, uint64_t at, const void *p, size_t n)
{
	if (at <= h->first.len && n <= h->first.len - at) {
		memcpy(h->first.data + at, p, n);
		return 0;
	}
	/* Pieces are whole records: a value lies on one side. */
	if (at < h->first.len || at - h->first.len > h->more || n > h->more - (at - h->first.len))
		return base_fail(h->c, CAIRN_E_STATE, "%s: what is written cannot be changed", h->path);
	if (pwrite(h->fd, p, n, (off_t)(at - h->first.len)) != (ssize_t)n)
		return base_fail_errno(h->c, errno, "%s: a temporary file", h->path);
	return 0;
}

static int hold_give(void *sink, const uint8_t *p, size_t n)
{
	return io_sink_write(sink, p, n);
}

int stf_hold_release(struct stf_hold *h, struct io_sink *sink)
{
	return io_pour(h->c, &h->first, h->fd, h->more, COPY, hold_give, sink);
}
