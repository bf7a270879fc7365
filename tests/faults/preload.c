/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded into the command before the C library: counts what can fail, and lets one fail.
 *
 *   CAIRN_FAULT=alloc:N    the N-th allocation returns NULL
 *   CAIRN_FAULT=call:N     the N-th system call fails, in the way it may on a bad day
 *   CAIRN_FAULT=term:N     at the N-th system call somebody sends SIGTERM
 *   CAIRN_FAULT_REPORT=FD  where the two counts and the call that failed are written at the end
 *
 * Allocations count when the command itself or a compression library asks for them: what the
 * C++ library of the disassembler does without memory (it ends the program) is not ours to mend.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

enum { RANGES = 16 };
static struct {
	uintptr_t from, to;
} ours[RANGES];
static unsigned n_ours;
static bool ready;
static uint64_t allocations, calls;
static uint64_t alloc_at, call_at, term_at;
static const char *failed = "-";

static int note_range(struct dl_phdr_info *info, size_t size, void *user)
{
	static const char *const libraries[] = {"libzstd", "libz.so", "liblzma",
	                                        "libbz2",  "liblz4",  "libcairn"};
	(void)size;
	(void)user;
	bool is = !info->dlpi_name[0];
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		is |= strstr(info->dlpi_name, libraries[i]) != NULL;
	for (int i = 0; is && i < info->dlpi_phnum && n_ours < RANGES; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			ours[n_ours].from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			ours[n_ours].to = ours[n_ours].from + info->dlpi_phdr[i].p_memsz;
			n_ours++;
		}
	return 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *fault = getenv("CAIRN_FAULT");
	dl_iterate_phdr(note_range, NULL);
	if (fault && !strncmp(fault, "alloc:", 6))
		alloc_at = strtoull(fault + 6, NULL, 10);
	else if (fault && !strncmp(fault, "call:", 5))
		call_at = strtoull(fault + 5, NULL, 10);
	else if (fault && !strncmp(fault, "term:", 5))
		term_at = strtoull(fault + 5, NULL, 10);
	unsetenv("CAIRN_FAULT");
	ready = true;
}

__attribute__((destructor)) static void report(void)
{
	const char *fd = getenv("CAIRN_FAULT_REPORT");
	ready = false;
	if (fd)
		dprintf(atoi(fd), "%llu %llu %s\n", (unsigned long long)allocations,
		        (unsigned long long)calls, failed);
}

static bool from_ours(uintptr_t caller)
{
	for (unsigned i = 0; i < n_ours; i++)
		if (caller >= ours[i].from && caller < ours[i].to)
			return true;
	return false;
}

static bool no_memory(uintptr_t caller)
{
	if (!ready || !from_ours(caller))
		return false;
	return __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED) == alloc_at;
}

#define CALLER ((uintptr_t)__builtin_return_address(0))

void *malloc(size_t size)
{
	if (no_memory(CALLER)) {
		failed = "malloc";
		errno = ENOMEM;
		return NULL;
	}
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	if (no_memory(CALLER)) {
		failed = "calloc";
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	if (size && no_memory(CALLER)) {
		failed = "realloc";
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(p, size);
}

/* Whether this call fails; a signal comes before it, if one does. */
static bool fails(uintptr_t caller, const char *name, int error)
{
	if (!ready || !from_ours(caller))
		return false;
	uint64_t n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (n == term_at)
		kill(getpid(), SIGTERM);
	if (n != call_at)
		return false;
	failed = name;
	errno = error;
	return true;
}

/* The C library's own, found when first called. */
#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

#define WRAP(result, name, error, parameters, arguments) \
	result name parameters; \
	result name parameters \
	{ \
		return fails(CALLER, #name, error) ? (result)-1 : REAL(name) arguments; \
	}

static mode_t mode_of(int flags, va_list more)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	mode_t mode = mode_of(flags, more);
	va_end(more);
	return fails(CALLER, "open", EMFILE) ? -1 : REAL(open)(path, flags, mode);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return fails(CALLER, "mmap", ENOMEM) ? MAP_FAILED
	                                     : REAL(mmap)(at, size, protection, flags, fd, offset);
}

/* Outputs tell when they were made: the same in every run. */
time_t time(time_t *out)
{
	if (out)
		*out = 1700000000;
	return 1700000000;
}

WRAP(ssize_t, read, EIO, (int fd, void *to, size_t n), (fd, to, n))
WRAP(ssize_t, pread, EIO, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
WRAP(ssize_t, write, ENOSPC, (int fd, const void *from, size_t n), (fd, from, n))
WRAP(ssize_t, pwrite, ENOSPC, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
WRAP(int, ftruncate, EIO, (int fd, off_t size), (fd, size))
WRAP(int, fsync, EIO, (int fd), (fd))
WRAP(int, rename, EIO, (const char *from, const char *to), (from, to))
WRAP(int, link, EIO, (const char *from, const char *to), (from, to))
WRAP(int, unlink, EIO, (const char *path), (path))
