/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping bytes back. The beginning stays in memory, so that a header can be
 * corrected and a small output never touches a disk; what is more goes to a file
 * without a name, which is gone with the process, however it ends. The file lies
 * beside the output, where there is room for it, else where temporary files lie.
 */
#include "io/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY = 256 << 10 };

struct io_spill {
	struct cairn *cairn;
	char *path;
	struct base_buf first;
	size_t keep;   /* bytes of it at most */
	uint64_t more; /* bytes in the file */
	int fd;
};

int io_spill_new(struct cairn *cairn, const char *path, size_t keep, struct io_spill **out)
{
	struct io_spill *spill = base_alloc(cairn, sizeof *spill);
	if (!spill)
		return CAIRN_E_NOMEM;
	spill->cairn = cairn;
	spill->fd = -1;
	spill->keep = keep;
	base_buf_init(&spill->first, cairn);
	spill->path = base_strdup(cairn, path);
	if (!spill->path) {
		io_spill_free(spill);
		return CAIRN_E_NOMEM;
	}
	*out = spill;
	return 0;
}

void io_spill_free(struct io_spill *spill)
{
	if (!spill)
		return;
	if (spill->fd >= 0)
		close(spill->fd);
	base_buf_free(&spill->first);
	base_free(spill->cairn, spill->path);
	base_free(spill->cairn, spill);
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

static int spill_open_file(struct io_spill *spill)
{
	struct stat st;
	char dir[4096] = ".";
	const char *slash = strrchr(spill->path, '/');
	bool beside =
		strcmp(spill->path, "-") != 0 && (stat(spill->path, &st) < 0 || S_ISREG(st.st_mode));
	if (beside && slash)
		snprintf(dir, sizeof dir, "%.*s", slash > spill->path ? (int)(slash - spill->path) : 1,
		         spill->path);
	if (beside)
		spill->fd = nameless(spill->cairn, dir);
	if (spill->fd < 0) {
		const char *tmp = secure_getenv("TMPDIR");
		spill->fd = nameless(spill->cairn, tmp && *tmp ? tmp : P_tmpdir);
	}
	return spill->fd < 0 ? base_fail_errno(spill->cairn, errno, "%s: a temporary file", spill->path)
	                     : 0;
}

int io_spill_put(struct io_spill *spill, const void *data, size_t n)
{
	const uint8_t *p = data;
	if (spill->fd < 0 && spill->first.len + n <= spill->keep)
		return base_buf_put(&spill->first, p, n);
	if (spill->fd < 0) {
		int rc = spill_open_file(spill);
		if (rc < 0)
			return rc;
	}
	for (size_t at = 0; at < n;) {
		ssize_t put = write(spill->fd, p + at, n - at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			int why = put < 0 ? errno : EIO;
			/* A part of a piece is useless, and takes the room of what is to be kept. */
			(void)!ftruncate(spill->fd, (off_t)spill->more);
			return base_fail_errno(spill->cairn, why, "%s: a temporary file", spill->path);
		}
		at += (size_t)put;
	}
	spill->more += n; /* whole pieces only */
	return 0;
}

int io_spill_patch(struct io_spill *spill, uint64_t at, const void *p, size_t n)
{
	if (at <= spill->first.len && n <= spill->first.len - at) {
		memcpy(spill->first.data + at, p, n);
		return 0;
	}
	/* A piece lies in memory or in the file as a whole, and so does a value in it. */
	if (at < spill->first.len || at - spill->first.len > spill->more ||
	    n > spill->more - (at - spill->first.len))
		return base_fail(spill->cairn, CAIRN_E_STATE, "%s: what is written cannot be changed",
		                 spill->path);
	if (pwrite(spill->fd, p, n, (off_t)(at - spill->first.len)) != (ssize_t)n)
		return base_fail_errno(spill->cairn, errno, "%s: a temporary file", spill->path);
	return 0;
}

int io_spill_release(struct io_spill *spill, io_give_fn *give, void *user)
{
	return io_pour(spill->cairn, &spill->first, spill->fd, spill->more, COPY, give, user);
}
