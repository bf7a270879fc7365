/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are being read. The context knows each of them by device and inode, so that no
 * output takes the place of one; and the process knows where each is mapped, so that a
 * handler of SIGBUS can say which file became shorter under its reader.
 *
 * Entries of the second list are used again and never freed, for a handler may be walking
 * over them.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
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
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int io_input_note(struct cairn *c, int fd, struct io_input **out)
{
	struct stat st;
	*out = NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	struct io_input *in = base_alloc(c, sizeof *in);
	if (!in)
		return CAIRN_E_NOMEM;
	in->device = st.st_dev;
	in->inode = st.st_ino;
	pthread_mutex_lock(&lock);
	in->next = *base_inputs(c);
	*base_inputs(c) = in;
	pthread_mutex_unlock(&lock);
	*out = in;
	return 0;
}

void io_input_drop(struct cairn *c, struct io_input *in)
{
	if (!in)
		return;
	pthread_mutex_lock(&lock);
	struct io_input **at = base_inputs(c);
	while (*at && *at != in)
		at = &(*at)->next;
	if (*at)
		*at = in->next;
	pthread_mutex_unlock(&lock);
	base_free(c, in);
}

bool io_is_input(struct cairn *c, const struct stat *st)
{
	pthread_mutex_lock(&lock);
	const struct io_input *in = *base_inputs(c);
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
	struct mapped *m = atomic_load(&maps);
	for (; m; m = m->next) {
		uintptr_t was = 0;
		if (atomic_compare_exchange_strong(&m->from, &was, 1))
			break;
	}
	bool made = !m;
	if (made && !(m = calloc(1, sizeof *m)))
		return; /* then a handler cannot name the file */
	m->name = strdup(name);
	atomic_store(&m->length, n);
	atomic_store(&m->from, (uintptr_t)p);
	if (!made)
		return;
	m->next = atomic_load(&maps);
	while (!atomic_compare_exchange_weak(&maps, &m->next, m))
		;
}

const char *cairn_mapped_file(const void *addr)
{
	uintptr_t at = (uintptr_t)addr;
	for (struct mapped *m = atomic_load(&maps); m; m = m->next) {
		uintptr_t from = atomic_load(&m->from);
		if (from > 1 && at >= from && at - from < atomic_load(&m->length))
			return m->name ? m->name : "a file";
	}
	return NULL;
}

/* Without a map: all of it, in memory; a file that became shorter ends sooner. */
static int read_whole(struct cairn *c, const char *name, int fd, size_t size, const uint8_t **p,
                      size_t *n)
{
	uint8_t *buf = base_realloc(c, NULL, size);
	size_t at = 0;
	if (!buf)
		return CAIRN_E_NOMEM;
	while (at < size) {
		ssize_t got = pread(fd, buf + at, size - at < 1u << 30 ? size - at : 1u << 30, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int rc = base_fail_errno(c, errno, "%s", name);
			base_free(c, buf);
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

int io_file_map(struct cairn *c, const char *name, int fd, size_t size, const uint8_t **p,
                size_t *n)
{
	*n = size;
	if (base_opts(c)->no_map)
		return read_whole(c, name, fd, size, p, n);
	void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return base_fail_errno(c, errno, "%s", name);
	map_note(name, map, size);
	*p = map;
	return 0;
}

void io_file_unmap(struct cairn *c, const uint8_t *p, size_t n)
{
	if (base_opts(c)->no_map) {
		base_free(c, (void *)(uintptr_t)p);
		return;
	}
	for (struct mapped *m = atomic_load(&maps); m; m = m->next)
		if (atomic_load(&m->from) == (uintptr_t)p) {
			atomic_store(&m->from, 1);
			free(m->name);
			m->name = NULL;
			atomic_store(&m->from, 0);
			break;
		}
	munmap((void *)(uintptr_t)p, n);
}
