/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping bytes back. The beginning stays in memory, so that the header can be
 * corrected and a small trace never touches a disk; what is more goes to a file
 * without a name, which is gone with the process, however it ends. The file lies
 * beside the output, where there is room for it, else where temporary files lie.
 */
#include "formats/stf/write/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEEP = 4 << 20, COPY = 256 << 10 };

struct stf_hold {
	struct cairn *cairn;
	char *path;
	struct base_buf first;
	uint64_t more; /* bytes in the file */
	int fd;
};

int stf_hold_new(struct cairn *cairn, const char *path, struct stf_hold **out)
{
	struct stf_hold *hold = base_alloc(cairn, sizeof *hold);
	if (!hold)
		return CAIRN_E_NOMEM;
	hold->cairn = cairn;
	hold->fd = -1;
	base_buf_init(&hold->first, cairn);
	hold->path = base_strdup(cairn, path);
	if (!hold->path) {
		stf_hold_free(hold);
		return CAIRN_E_NOMEM;
	}
	*out = hold;
	return 0;
}

void stf_hold_free(struct stf_hold *hold)
{
	if (!hold)
		return;
	if (hold->fd >= 0)
		close(hold->fd);
	base_buf_free(&hold->first);
	base_free(hold->cairn, hold->path);
	base_free(hold->cairn, hold);
}

/* A file without a name in folder `dir`; -1 with errno. */
static int nameless(struct cairn *cairn, const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct io_temp *temp = NULL;
	char name[4096];
	if (fd >= 0 || snprintf(name, sizeof name, "%s/.cairn", dir) >= (int)sizeof name)
		return fd;
	if (io_temp_file(cairn, name, &temp, &fd) < 0)
		return -1;
	io_temp_remove(temp);
	return fd;
}

static int hold_open_file(struct stf_hold *hold)
{
	struct stat st;
	char dir[4096] = ".";
	const char *slash = strrchr(hold->path, '/');
	bool beside =
		strcmp(hold->path, "-") != 0 && (stat(hold->path, &st) < 0 || S_ISREG(st.st_mode));
	if (beside && slash)
		snprintf(dir, sizeof dir, "%.*s", slash > hold->path ? (int)(slash - hold->path) : 1,
		         hold->path);
	if (beside)
		hold->fd = nameless(hold->cairn, dir);
	if (hold->fd < 0) {
		const char *tmp = secure_getenv("TMPDIR");
		hold->fd = nameless(hold->cairn, tmp && *tmp ? tmp : P_tmpdir);
	}
	return hold->fd < 0 ? base_fail_errno(hold->cairn, errno, "%s: a temporary file", hold->path)
	                    : 0;
}

int stf_hold_put(struct stf_hold *hold, const void *data, size_t n)
{
	const uint8_t *p = data;
	if (hold->fd < 0 && hold->first.len + n <= KEEP)
		return base_buf_put(&hold->first, p, n);
	if (hold->fd < 0) {
		int rc = hold_open_file(hold);
		if (rc < 0)
			return rc;
	}
	for (size_t at = 0; at < n;) {
		ssize_t put = write(hold->fd, p + at, n - at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return base_fail_errno(hold->cairn, put < 0 ? errno : EIO, "%s: a temporary file",
			                       hold->path);
		at += (size_t)put;
	}
	hold->more += n; /* whole pieces only */
	return 0;
}

int stf_hold_patch(struct stf_hold *hold, uint64_t at, const void *p, size_t n)
{
	if (at <= hold->first.len && n <= hold->first.len - at) {
		memcpy(hold->first.data + at, p, n);
		return 0;
	}
	/* Pieces are whole records: a value lies on one side. */
	if (at < hold->first.len || at - hold->first.len > hold->more ||
	    n > hold->more - (at - hold->first.len))
		return base_fail(hold->cairn, CAIRN_E_STATE, "%s: what is written cannot be changed",
		                 hold->path);
	if (pwrite(hold->fd, p, n, (off_t)(at - hold->first.len)) != (ssize_t)n)
		return base_fail_errno(hold->cairn, errno, "%s: a temporary file", hold->path);
	return 0;
}

static int hold_give(void *sink, const uint8_t *p, size_t n)
{
	return io_sink_write(sink, p, n);
}

int stf_hold_release(struct stf_hold *hold, struct io_sink *sink)
{
	return io_pour(hold->cairn, &hold->first, hold->fd, hold->more, COPY, hold_give, sink);
}
