/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn convert`: the same records in another packing. */
#include "cmd.h"

static int run(const struct verb *self, struct options *o)
{
	struct session s;
	struct making m;
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	if (o->n_operands > 1) {
		complain("convert takes one trace; %s is one too many (regions: cairn slice)",
		         o->operands[1]);
		session_finish(&s, 0, 0);
		return EXIT_COULD_NOT;
	}
	if (making_start(&m, &s) < 0) {
		session_finish(&s, 0, 0);
		return EXIT_COULD_NOT;
	}
	session_progress(&s, false);
	int rc = cairn_convert(s.r, &m.out, &m.done);
	making_end(&m, &s, rc);
	return session_finish(&s, rc, EXIT_FINE);
}

const struct verb verb_convert = {
	.name = "convert",
	.summary = "another container, codec or chunk size; the same records",
	.usage = "[options] -o FILE TRACE",
	.help = "The output's name says what it becomes (x.zstf, x.stf, x.stf.gz, x.stf.xz …), or --to\n"
	        "and --codec do: --to stf, --to zstf:chunk=100000, --codec zstd:19. Records are copied\n"
	        "exactly and nothing is added: converting back gives the same bytes. Of a damaged trace\n"
	        "what can be read is written, the loss is told, and the exit code is 2.\n",
	.takes = TAKES_CHANGE,
	.run = run,
};
