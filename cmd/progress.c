/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress bar: a thread that looks, five times a second, how much of the
 * input has been read. So it serves every verb, whatever its loop is, and costs
 * the work nothing. Runs shorter than half a second show none.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

enum { WIDTH = 40, FIRST_MS = 500, EVERY_MS = 200 };

struct progress {
	const struct cairn_reader *r;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool stop, drawn;
};

/* One write, so that other lines on the terminal do not come between. */
static void draw(double part)
{
	char line[128], bar[WIDTH + 1];
	if (part > 1)
		part = 1;
	int full = (int)(part * WIDTH);
	for (int i = 0; i < WIDTH; i++)
		bar[i] = i < full ? '=' : i == full ? '>' : ' ';
	bar[WIDTH] = 0;
	int n = snprintf(line, sizeof line, "\r[%s] %3d %%", bar, (int)(part * 100));
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nobody looks */
}

static void *watch(void *arg)
{
	struct progress *p = arg;
	struct timespec next;
	clock_gettime(CLOCK_MONOTONIC, &next);
	long wait = FIRST_MS;
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		next.tv_nsec += wait * 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		wait = EVERY_MS;
		while (!p->stop && pthread_cond_timedwait(&p->change, &p->lock, &next) == 0)
			;
		double part = p->stop ? -1 : cairn_progress(p->r);
		if (part >= 0) {
			draw(part);
			p->drawn = true;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct progress *progress_start(const struct cairn_reader *r)
{
	struct progress *p = calloc(1, sizeof *p);
	pthread_condattr_t attr;
	if (!p)
		return NULL;
	p->r = r;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->change, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&p->thread, NULL, watch, p) != 0) {
		pthread_cond_destroy(&p->change);
		pthread_mutex_destroy(&p->lock);
		free(p);
		return NULL;
	}
	return p;
}

void progress_stop(struct progress *p)
{
	static const char wipe[] = "\r\033[K";
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->change);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	if (p->drawn && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0)
		p->drawn = false;
	pthread_cond_destroy(&p->change);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
