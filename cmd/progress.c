/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress bar: a thread that looks, five times a second, how much of the
 * input has been read. So it serves every verb, whatever its loop is, and costs
 * the work nothing. Runs shorter than half a second show none. Rate and remaining time are
 * those of the input so far; of a pipe only how much was read, and the rate, can be told.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

enum { WIDTH = 40, FIRST_MS = 500, EVERY_MS = 200 };

struct progress {
	const struct cairn_reader *r;
	double bytes; /* of the input; 0: not known */
	struct timespec begun;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool stop, drawn;
};

/* "1:05", "2:00:00" */
static int progress_put_time(char *buf, size_t size, double seconds)
{
	unsigned long s = seconds > 0 ? (unsigned long)(seconds + 0.5) : 0;
	if (s >= 3600)
		return snprintf(buf, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
	return snprintf(buf, size, "%lu:%02lu", s / 60, s % 60);
}

/* Of a bar beside so many characters of figures: a line that wraps could not be drawn over. */
static int bar_width(int figures)
{
	struct winsize w;
	int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
	int room = columns - 1 - figures - 2;
	return room > WIDTH ? WIDTH : room < 1 ? 0 : room;
}

static double seconds_of(const struct progress *p)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - p->begun.tv_sec) + (double)(now.tv_nsec - p->begun.tv_nsec) * 1e-9;
}

/* Of an input whose size is not known; false: nothing has been read. */
static bool draw_read(const struct progress *p)
{
	char line[96];
	double bytes = (double)cairn_bytes_read(p->r), seconds = seconds_of(p);
	int n = snprintf(line, sizeof line, "\r%.1f MB read, %.1f MB/s\033[K", bytes * 1e-6,
	                 seconds > 0 ? bytes / seconds * 1e-6 : 0);
	return bytes > 0 && write(STDERR_FILENO, line, (size_t)n) >= 0;
}

/* One write, so that other lines on the terminal do not come between. */
static void progress_draw(const struct progress *p, double part)
{
	char line[160], figures[96], bar[WIDTH + 1], rate[32] = "", left[32] = "";
	double seconds = seconds_of(p);
	if (part > 1)
		part = 1;
	if (p->bytes > 0 && seconds > 0)
		snprintf(rate, sizeof rate, "  %.1f MB/s", part * p->bytes / seconds * 1e-6);
	if (part > 0)
		progress_put_time(left, sizeof left, seconds / part - seconds);
	int width = bar_width(snprintf(figures, sizeof figures, " %3d %%%s%s%s%s", (int)(part * 100),
	                               rate, part > 0 ? "  " : "", left, part > 0 ? " left" : ""));
	int full = (int)(part * width);
	for (int i = 0; i < width; i++)
		bar[i] = i < full ? '=' : i == full ? '>' : ' ';
	bar[width] = 0;
	int n = width ? snprintf(line, sizeof line, "\r[%s]%s\033[K", bar, figures)
	              : snprintf(line, sizeof line, "\r%3d %%\033[K", (int)(part * 100));
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nobody looks */
}

static void *progress_watch(void *arg)
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
		if (p->stop)
			break;
		double part = cairn_progress(p->r);
		if (part >= 0)
			progress_draw(p, part);
		p->drawn = part >= 0 ? true : draw_read(p) || p->drawn;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static double progress_size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (double)st.st_size : 0;
}

struct progress *progress_start(const struct cairn_reader *r, const char *path)
{
	struct progress *p = calloc(1, sizeof *p);
	pthread_condattr_t attr;
	if (!p)
		return NULL;
	p->r = r;
	p->bytes = progress_size_of(path);
	clock_gettime(CLOCK_MONOTONIC, &p->begun);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->change, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&p->thread, NULL, progress_watch, p) != 0) {
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
