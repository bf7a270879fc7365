/* SPDX-License-Identifier: Apache-2.0 */
/* Standard input, output and error are others' while the command runs. */
#include "run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "damage.h"

int run_command(int argc, char **argv);

enum { WORDS = 32, PIECE = 1000 };

/* What a memory file holds, in which `name` becomes `-`. */
static char *text_of(int fd, const char *name)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = calloc(1, (size_t)size + 1);
	if (!text || pread(fd, text, (size_t)size, 0) != size)
		abort();
	close(fd);
	for (char *p = text; (p = strstr(p, name)) != NULL; p++) {
		*p = '-';
		memmove(p + 1, p + strlen(name), strlen(p + strlen(name)) + 1);
	}
	return text;
}

/* Who writes into the pipe. */
static pid_t feed(const char *path, int fds[2])
{
	if (pipe2(fds, O_CLOEXEC) < 0)
		abort();
	pid_t child = fork();
	if (child)
		return child;
	size_t n;
	uint8_t *p = spoil_read(path, &n);
	close(fds[0]);
	for (size_t at = 0; at < n; at += PIECE)
		if (write(fds[1], p + at, n - at < PIECE ? n - at : PIECE) < 0)
			break;
	_exit(0);
}

void run_command_line(const char *line, const char *piped, const char *name, struct run *run)
{
	char words[4096], *argv[WORDS + 1] = {NULL}, *rest = NULL;
	int argc = 0, fds[2] = {open("/dev/null", O_RDONLY | O_CLOEXEC), -1}, was[3];
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	snprintf(words, sizeof words, "%s", line);
	for (char *word = strtok_r(words, " ", &rest); word && argc < WORDS;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	if (piped)
		close(fds[0]);
	pid_t child = piped ? feed(piped, fds) : 0;
	if (piped)
		close(fds[1]);
	fflush(stdout);
	fflush(stderr);
	int now[3] = {fds[0], out, err};
	for (int i = 0; i < 3; i++) {
		was[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
		if (dup2(now[i], i) < 0)
			abort();
	}
	run->code = run_command(argc, argv);
	fflush(stdout);
	fflush(stderr);
	for (int i = 0; i < 3; i++) {
		dup2(was[i], i);
		close(was[i]);
	}
	close(fds[0]);
	if (piped)
		waitpid(child, NULL, 0);
	run->out = text_of(out, name);
	run->err = text_of(err, name);
}

void run_free(struct run *run)
{
	free(run->out);
	free(run->err);
}
