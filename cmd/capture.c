/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn capture`: the library runs the program and records it; this has the options, says how it
 * ended, and hands on that cairn was asked to end.
 */
#include <limits.h>
#include <signal.h>
#include <string.h>

#include "cmd.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	interrupted = number;
}

/* Signals that ask us to end the program, unless they were ignored; the trace is then finished. */
static void catch_interrupts(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, now;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &now) == 0 &&
		    (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_IGN))
			sigaction(numbers[i], &act, NULL);
}

static void report_note(void *user, int minor, const char *sentence)
{
	const struct options *options = user;
	if (!minor || !options->times[OPT_QUIET])
		complain("%s", sentence);
}

static int capture(const struct verb *self, struct options *options)
{
	struct session session = {.verb = self, .options = options};
	struct making making;
	char kept[PATH_MAX] = "";
	if (options->n_operands == 0) {
		complain("no program was named; usage: cairn capture %s", self->usage);
		return EXIT_COULD_NOT;
	}
	session.trace = options->operands[0];
	session.cairn = open_context(options);
	if (!session.cairn)
		return EXIT_COULD_NOT;
	if (making_start(&making, &session) < 0)
		return close_context(session.cairn, EXIT_COULD_NOT);
	struct cairn_capture_opts opts = {.size = sizeof opts,
	                                  .argv = options->operands,
	                                  .argc = options->n_operands,
	                                  .qemu = options->value[OPT_QEMU],
	                                  .cpu = options->value[OPT_CPU],
	                                  .sysroot = options->value[OPT_SYSROOT],
	                                  .start = options->value[OPT_START],
	                                  .stop = options->value[OPT_STOP],
	                                  .no_regs = options->times[OPT_NO_REGS] != 0,
	                                  .out_to_err = !strcmp(making.out.path, "-"),
	                                  .interrupt = &interrupted,
	                                  .note = report_note,
	                                  .user = options,
	                                  .kept = kept,
	                                  .kept_size = sizeof kept};
	catch_interrupts();
	int rc = cairn_capture(session.cairn, &opts, &making.out, &making.done);
	if (rc < 0)
		complain_of(session.cairn);
	if (*kept)
		making.out.path = kept;
	making_end(&making, &session, rc);
	if (rc >= 0)
		complain_of_time(options, session.trace);
	return close_context(session.cairn, rc == 0 ? EXIT_FINE : EXIT_COULD_NOT);
}

const struct verb verb_capture = {
	.name = "capture",
	.summary = "run a program and record it",
	.usage = "[options] -o FILE -- PROGRAM [ARGUMENT…]",
	.help =
		"The program must be one for Linux on RISC-V (64 or 32 bits), AArch64 or SPARC V9. QEMU's\n"
		"user mode runs it (apt-get install qemu-user), and what it executes is written as it\n"
		"runs: instructions, registers, memory accesses, system calls, threads. All formats that\n"
		"convert writes can be written; what a format cannot hold is reported. The program keeps\n"
		"its own input and output. Its exit status is reported unless it is 0.\n",
	.takes = OPTION_LIST(TAKES_MAKING, TAKES(START), TAKES(STOP), TAKES(NO_REGS), TAKES(QEMU),
                         TAKES(CPU), TAKES(SYSROOT)),
	.ways = VERB_RUNS,
	.input = "the program",
	.run = capture,
};
