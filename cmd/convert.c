/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn convert`: the same records in another packing, or another format. */
#include "cmd.h"

static int convert_run(const struct verb *self, struct options *options)
{
	struct session session;
	struct making making;
	if (options->times[OPT_MATRIX])
		return print_matrix(options);
	if (making_open(&making, &session, self, options) < 0)
		return EXIT_COULD_NOT;
	int rc = cairn_convert(session.reader, &making.out, &making.done);
	making_end(&making, &session, rc);
	session_tell_program(&session, rc);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_convert = {
	.name = "convert",
	.summary = "another container, codec or format",
	.usage = "[options] -o FILE TRACE",
	.help =
		"The output's name decides what is written (x.zstf, x.stf.gz, x.rst.xz, x.rz3.gz …), or\n"
		"--to and --codec do: --to stf, --to zstf:chunk=100000, --to rst:rstzip, --codec zstd:19.\n"
		"ETE is written as bytes (x.ete), or with its program (x.snapshot). In the trace's own\n"
		"format, records are copied exactly and nothing is added: converting back gives the same\n"
		"bytes. What another format cannot hold is reported (with --json as JSON); --lossless\n"
		"refuses any loss. --matrix shows what each conversion keeps, and takes no trace. Of a\n"
		"damaged trace, everything readable is written, the damage is reported, and the exit code\n"
		"is 2. --derive writes also the values that follow (see view), and a comment behind the last\n"
		"instruction says how many they are; in the trace's own format, too, records are then made\n"
		"anew.\n",
	.takes = OPTION_LIST(TAKES_CHANGE, TAKES(JSON), TAKES(MATRIX), TAKES(DERIVE)),
	.run = convert_run,
};
