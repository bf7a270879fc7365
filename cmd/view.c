/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn view`: instructions as text or JSON, or what is known before one of them. */
#include "print.h"

static int view_run(const struct verb *self, struct options *options)
{
	struct session session;
	struct printing printing;
	if (options->times[OPT_STATE])
		return view_state(self, options);
	if (options->times[OPT_AFTER] || options->times[OPT_MEMORY]) {
		complain("--%s needs --state", options->times[OPT_AFTER] ? "after" : "memory");
		return EXIT_COULD_NOT;
	}
	uint64_t most = 0;
	if (options_number(options, OPT_LIMIT, UINT64_MAX, &most) < 0 ||
	    session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	print_init(&printing, &session);
	if (most) {
		printing.opts.ends = 1;
		printing.most = most;
	}
	session_progress(&session, true);
	int rc = print_run(&printing);
	if (rc >= 0)
		rc = print_notes(&session, NULL);
	int answer = EXIT_FINE;
	if (rc >= 0 && printing.lines == 0 && !cairn_select_all(session.select))
		answer = complain_of_nothing(&session);
	else
		session_tell_program(&session, rc);
	return session_finish(&session, rc, answer);
}

const struct verb verb_view = {
	.name = "view",
	.summary = "one line per instruction or transaction",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Each line has the number, PC, symbol, encoding and disassembly of an instruction, the\n"
		"target of a taken branch, and flags: annulled, aborted, discarded, forced. CONTEXT lines\n"
		"say when another process, thread or privilege begins, FORCE_PC lines where the flow was\n"
		"forced, DAMAGE and GAP lines where something is missing. With -n 10, the trace is not\n"
		"read beyond the first ten selected instructions. With --json, each line is an object.\n"
		"--state TRACE N shows registers and memory before instruction N, or with --after, after\n"
		"it: with -r only registers, with -m only memory, with --memory only those bytes.\n"
		"--derive executes the instructions, from the trace's beginning on one thread, and adds\n"
		"what follows, marked (derived). Nothing behind the trace's end is executed.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(REGS),
                         TAKES(MEMS), TAKES(EVENTS), TAKES(ALL), TAKES(NO_DISASM), TAKES(THREADS),
                         TAKES(STATE), TAKES(AFTER), TAKES(MEMORY), TAKES(LINES), TAKES(LIMIT),
                         TAKES(DERIVE)),
	.ways = VERB_SHOWS_NAMES,
	.run = view_run,
};
