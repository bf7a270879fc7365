/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that end the command. Unfinished files are removed first, then the signal does what it
 * would have done, so that the parent process sees it. A signal that was ignored when we began
 * (nohup), or that somebody else handles (a sanitizer), stays as it was.
 *
 * SIGBUS from a mapped file means that somebody made the file shorter while we read it: an error
 * like others, a sentence and exit code 2.
 */
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static void signals_put_away(int number)
{
	cairn_remove_temporaries();
	signal(number, SIG_DFL);
	raise(number); /* comes when the handler returns, if it is blocked until then */
}

/* stdio may not be used here. */
static void say(const char *text)
{
	size_t n = strlen(text);
	while (n) {
		ssize_t put = write(STDERR_FILENO, text, n);
		if (put <= 0)
			return;
		text += put;
		n -= (size_t)put;
	}
}

static void say_name(const char *name)
{
	char text[512];
	size_t n = strlen(name);
	n = n < sizeof text ? n : sizeof text - 1;
	memcpy(text, name, n);
	text[n] = 0;
	make_printable(text);
	say(text);
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	const char *name = cairn_mapped_file(info->si_addr);
	if (!name && info->si_code != BUS_ADRERR) {
		signals_put_away(number);
		return;
	}
	cairn_remove_temporaries();
	say("cairn: ");
	say_name(name ? name : "a file");
	say(": became shorter while it was read\n");
	_exit(EXIT_COULD_NOT);
}

static bool is_default(int number)
{
	struct sigaction now;
	return sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
	       now.sa_handler == SIG_DFL;
}

void signals_catch(void)
{
	static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGABRT, SIGSEGV,
	                              SIGFPE,  SIGILL,  SIGSYS,  SIGTRAP, SIGALRM, SIGVTALRM,
	                              SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU, SIGIO,   SIGPWR};
	struct sigaction act = {.sa_handler = signals_put_away};
	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (is_default(numbers[i]))
			sigaction(numbers[i], &act, NULL);
	act = (struct sigaction){.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
	sigfillset(&act.sa_mask);
	if (is_default(SIGBUS))
		sigaction(SIGBUS, &act, NULL);
}
