/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are being read. The context lists them by device and inode, so that no output
 * replaces one of them, and with their lengths, so that nothing is made of one that became shorter
 * meanwhile. The process lists where they are mapped, so that a handler of SIGBUS can name such a
 * file.
 *
 * Entries of the second list are reused and never freed, because a handler may be reading them.
 */
#include "io/io.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct io_input {
	struct io_input *next;
	dev_t device;
	ino_t inode;
	const char *name; /* of a mapped file, as are these */
	int fd;
	size_t length; /* 0: not mapped */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int io_input_note(struct cairn *cairn, int fd, struct io_input **out)
{
	struct stat st;
	*out = NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	struct io_input *in = base_alloc(cairn, sizeof *in);
	if (!in)
		return CAIRN_E_NOMEM;
	in->device = st.st_dev;
	in->inode = st.st_ino;
	pthread_mutex_lock(&lock);
	in->next = *base_inputs(cairn);
	*base_inputs(cairn) = in;
	pthread_mutex_unlock(&lock);
	*out = in;
	return 0;
}

void io_input_mapped(struct io_input *in, const char *name, int fd, size_t length)
{
	pthread_mutex_lock(&lock);
	in->name = name;
	in->fd = fd;
	in->length = length;
	pthread_mutex_unlock(&lock);
}

int io_check_inputs(struct cairn *cairn)
{
	struct stat st;
	int rc = 0;
	pthread_mutex_lock(&lock);
	for (const struct io_input *in = *base_inputs(cairn); in && rc == 0; in = in->next)
		if (in->length && fstat(in->fd, &st) == 0 && (uintmax_t)st.st_size < in->length)
			rc = base_fail(cairn, CAIRN_E_STATE, "%s: became shorter while it was read", in->name);
	pthread_mutex_unlock(&lock);
	return rc;
}

void io_input_drop(struct cairn *cairn, struct io_input *in)
{
	if (!in)
		return;
	pthread_mutex_lock(&lock);
	struct io_input **at = base_inputs(cairn);
	while (*at && *at != in)
		at = &(*at)->next;
	if (*at)
		*at = in->next;
	pthread_mutex_unlock(&lock);
	base_free(cairn, in);
}

bool io_is_input(struct cairn *cairn, const struct stat *st)
{
	pthread_mutex_lock(&lock);
	const struct io_input *in = *base_inputs(cairn);
	while (in && (in->device != st->st_dev || in->inode != st->st_ino))
		in = in->next;
	pthread_mutex_unlock(&lock);
	return in != NULL;
}

/* ---- mapped files ---- */

struct mapped {
	struct mapped *next;
	_Atomic uintptr_t from; /* 0: free; 1: taken */
	_Atomic size_t length;
	char *name;
};

static _Atomic(struct mapped *) maps;

static void map_note(const char *name, const void *p, size_t n)
{
	struct mapped *mapped = atomic_load(&maps);
	for (; mapped; mapped = mapped->next) {
		uintptr_t was = 0;
		if (atomic_compare_exchange_strong(&mapped->from, &was, 1))
			break;
	}
	bool made = !mapped;
	if (made && !(mapped = calloc(1, sizeof *mapped)))
		return; /* then a handler cannot name the file */
	mapped->name = strdup(name);
	atomic_store(&mapped->length, n);
	atomic_store(&mapped->from, (uintptr_t)p);
	if (!made)
		return;
	mapped->next = atomic_load(&maps);
	while (!atomic_compare_exchange_weak(&maps, &mapped->next, mapped))
		;
}

const char *cairn_mapped_file(const void *addr)
{
	uintptr_t at = (uintptr_t)addr;
	for (struct mapped *mapped = atomic_load(&maps); mapped; mapped = mapped->next) {
		uintptr_t from = atomic_load(&mapped->from);
		if (from > 1 && at >= from && at - from < atomic_load(&mapped->length))
			return mapped->name ? mapped->name : "a file";
	}
	return NULL;
}

/* Without a map: read all of it into memory; a file that became shorter ends sooner. */
static int read_whole(struct cairn *cairn, const char *name, int fd, size_t size, const uint8_t **p,
                      size_t *n)
{
	uint8_t *buf = base_realloc(cairn, NULL, size);
	size_t at = 0;
	if (!buf)
		return CAIRN_E_NOMEM;
	while (at < size) {
		ssize_t got = pread(fd, buf + at, size - at < 1u << 30 ? size - at : 1u << 30, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int rc = base_fail_errno(cairn, errno, "%s", name);
			base_free(cairn, buf);
			return rc;
		}
		if (got == 0)
			break;
		at += (size_t)got;
	}
	*p = buf;
	*n = at;
	return 0;
}

int io_file_map(struct cairn *cairn, const char *name, int fd, size_t size, const uint8_t **p,
                size_t *n)
{
	*n = size;
	if (base_opts(cairn)->no_map)
		return read_whole(cairn, name, fd, size, p, n);
	void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return base_fail_errno(cairn, errno, "%s", name);
	map_note(name, map, size);
	*p = map;
	return 0;
}

void io_file_unmap(struct cairn *cairn, const uint8_t *p, size_t n)
{
	if (base_opts(cairn)->no_map) {
		base_free(cairn, (void *)(uintptr_t)p);
		return;
	}
	for (struct mapped *mapped = atomic_load(&maps); mapped; mapped = mapped->next)
		if (atomic_load(&mapped->from) == (uintptr_t)p) {
			atomic_store(&mapped->from, 1);
			free(mapped->name);
			mapped->name = NULL;
			atomic_store(&mapped->from, 0);
			break;
		}
	munmap((void *)(uintptr_t)p, n);
}
