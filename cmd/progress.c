/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress bar: a thread that looks, five times a second, how much of the input has been read.
 * So it serves every verb, however that works, and costs the work nothing. Runs shorter than half a
 * second show none. Rate and remaining time are those of the input so far; of a pipe only the
 * amount read and the rate are known.
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
	const struct cairn_reader *reader;
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

/* The bar's width beside this many characters of figures. The line must not wrap, since it could
 * not be drawn over then. */
static int bar_width(int figures)
{
	struct winsize winsize;
	int columns =
		ioctl(STDERR_FILENO, TIOCGWINSZ, &winsize) == 0 && winsize.ws_col ? winsize.ws_col : 80;
	int room = columns - 1 - figures - 2;
	return room > WIDTH ? WIDTH : room < 1 ? 0 : room;
}

static double seconds_of(const struct progress *progress)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - progress->begun.tv_sec) +
	       (double)(now.tv_nsec - progress->begun.tv_nsec) * 1e-9;
}

/* For an input of unknown size; false: nothing has been read yet. */
static bool draw_read(const struct progress *progress)
{
	char line[96];
	double bytes = (double)cairn_bytes_read(progress->reader), seconds = seconds_of(progress);
	int n = snprintf(line, sizeof line, "\r%.1f MB read, %.1f MB/s\033[K", bytes * 1e-6,
	                 seconds > 0 ? bytes / seconds * 1e-6 : 0);
	return bytes > 0 && write(STDERR_FILENO, line, (size_t)n) >= 0;
}

/* One write, so that no other line on the terminal gets in between. */
static void progress_draw(const struct progress *progress, double part)
{
	char line[160], figures[96], bar[WIDTH + 1], rate[32] = "", left[32] = "";
	double seconds = seconds_of(progress);
	if (part > 1)
		part = 1;
	if (progress->bytes > 0 && seconds > 0)
		snprintf(rate, sizeof rate, "  %.1f MB/s", part * progress->bytes / seconds * 1e-6);
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
	struct progress *progress = arg;
	struct timespec next;
	clock_gettime(CLOCK_MONOTONIC, &next);
	long wait = FIRST_MS;
	pthread_mutex_lock(&progress->lock);
	while (!progress->stop) {
		next.tv_nsec += wait * 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		wait = EVERY_MS;
		while (!progress->stop &&
		       pthread_cond_timedwait(&progress->change, &progress->lock, &next) == 0)
			;
		if (progress->stop)
			break;
		double part = cairn_progress(progress->reader);
		if (part >= 0)
			progress_draw(progress, part);
		progress->drawn = part >= 0 ? true : draw_read(progress) || progress->drawn;
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

static double progress_size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (double)st.st_size : 0;
}

struct progress *progress_start(const struct cairn_reader *reader, const char *path)
{
	struct progress *progress = calloc(1, sizeof *progress);
	pthread_condattr_t attr;
	if (!progress)
		return NULL;
	progress->reader = reader;
	progress->bytes = progress_size_of(path);
	clock_gettime(CLOCK_MONOTONIC, &progress->begun);
	pthread_mutex_init(&progress->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->change, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&progress->thread, NULL, progress_watch, progress) != 0) {
		pthread_cond_destroy(&progress->change);
		pthread_mutex_destroy(&progress->lock);
		free(progress);
		return NULL;
	}
	return progress;
}

void progress_stop(struct progress *progress)
{
	static const char wipe[] = "\r\033[K";
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->stop = true;
	pthread_cond_signal(&progress->change);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	if (progress->drawn && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0)
		progress->drawn = false;
	pthread_cond_destroy(&progress->change);
	pthread_mutex_destroy(&progress->lock);
	free(progress);
}
