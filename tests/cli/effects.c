/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded before the C library by effects.sh: the command takes its standard error for a terminal,
 * and says at its end how many threads it has started. So options show what they do that changes
 * no output: --threads, and --no-progress, for the bar is drawn by a thread.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_uint started;

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
	create_fn *create;
	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	started++;
	return create(thread, attributes, run, user);
}

int isatty(int fd)
{
	return fd == STDERR_FILENO;
}

__attribute__((destructor)) static void report_threads(void)
{
	const char *path = getenv("CAIRN_THREADS_STARTED");
	FILE *file = path ? fopen(path, "w") : NULL;
	if (file) {
		fprintf(file, "%u\n", started);
		fclose(file);
	}
}
