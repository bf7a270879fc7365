/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static pid_t owner;
static int folder = -1, before; /* ours, and where we were */

/* When the process ends. */
static void remove_folder(void)
{
	if (getpid() == owner)
		rmdir(path);
}

static void make_folder(void)
{
	snprintf(path, sizeof path, "%s/cairn-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	folder = mkdtemp(path) ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (before < 0 || folder < 0) {
		perror(path);
		abort();
	}
	setenv("TMPDIR", path, 1);
	owner = getpid();
	atexit(remove_folder);
}

void folder_enter(void)
{
	if (folder < 0)
		make_folder();
	if (fchdir(folder) < 0)
		abort();
}

void folder_write(const char *name, const uint8_t *p, size_t n)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd) < 0) {
		perror(name);
		abort();
	}
}

/* NAME.xxxxxxxx.tmp, as src/io/temporary.c makes them. */
static void refuse_unfinished(const char *name)
{
	size_t n = strlen(name);
	if (n < 13 || strcmp(name + n - 4, ".tmp") != 0 || name[n - 13] != '.')
		return;
	fprintf(stderr, "not so: nothing unfinished stays (%s)\n", name);
	abort();
}

static void empty(int fd)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	if (!dir)
		abort();
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		refuse_unfinished(entry->d_name);
		if (unlinkat(dirfd(dir), entry->d_name, 0) == 0)
			continue;
		empty(openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
		if (unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) < 0)
			abort();
	}
	closedir(dir);
}

void folder_leave(void)
{
	empty(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (fchdir(before) < 0)
		abort();
}
