/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process: signals, and whether what was printed arrived. What the command does begins
 * in verbs.c, which a test can call as often as it likes.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* Was everything printed? A full disk is an error, a closed pipe is not. */
static int close_stdout(int code)
{
	int bad = ferror(stdout);
	errno = 0;
	if ((fflush(stdout) != 0 || bad) && errno != EPIPE) {
		complain("standard output: %s", errno ? strerror(errno) : "could not be written");
		return EXIT_COULD_NOT;
	}
	return code;
}

int main(int argc, char **argv)
{
	/* Room for a whole help text, so that it is one write, whose error is still known at the end.
	 *  */
	static char room[1 << 14];
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, room, _IOFBF, sizeof room);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error and does not kill us */
	signals_catch();
	return close_stdout(run_command(argc, argv));
}
