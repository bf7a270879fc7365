/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn split`: one trace as several, by hart, process, thread or interval. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "cmd.h"

/* The list is printed when all parts are there. */
static int report_part(void *user, const char *path, uint64_t instructions)
{
	return base_buf_printf(user, "%s  %llu\n", path, (unsigned long long)instructions);
}

static int split_parse_options(const struct options *o, struct cairn_split_opts *s)
{
	static const char *const bys[] = {NULL, "cpu", "pid", "tid"};
	const char *by = o->value[OPT_BY], *every = o->value[OPT_EVERY];
	if (!by == !every) {
		complain("say either --by cpu, pid or tid, or --every N");
		return -1;
	}
	for (int i = 1; by && i <= CAIRN_SPLIT_TID; i++)
		if (!strcmp(by, bys[i]))
			s->by = i;
	if (by && s->by == CAIRN_SPLIT_COUNT) {
		complain("--by is cpu, pid or tid, not '%s'", by);
		return -1;
	}
	if (every && (options_parse_number(every, strlen(every), &s->every) < 0 || s->every == 0)) {
		complain("--every is a number of instructions, not '%s'", every);
		return -1;
	}
	return option_look_back(o, &s->look_back);
}

static int split_run(const struct verb *self, struct options *o)
{
	struct base_buf list;
	struct cairn_split_opts opts = {.size = sizeof opts,
	                                .from = o->value[OPT_FROM],
	                                .strict = o->times[OPT_STRICT] != 0,
	                                .threads = o->threads,
	                                .part = report_part,
	                                .user = &list};
	struct session s;
	struct making m;
	if (split_parse_options(o, &opts) < 0)
		return EXIT_COULD_NOT;
	if (o->n_operands > 1) {
		complain("split takes one trace; %s is one too many", o->operands[1]);
		return EXIT_COULD_NOT;
	}
	if (!o->value[OPT_OUTPUT]) {
		complain("name the parts with -o: 'part-%%s.rst'");
		return EXIT_COULD_NOT;
	}
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	if (making_start(&m, &s) < 0) {
		session_finish(&s, 0, 0);
		return EXIT_COULD_NOT;
	}
	session_progress(&s, false);
	base_buf_init(&list, s.c);
	int rc = cairn_split(s.r, &opts, &m.out, &m.done);
	if (rc >= 0 && !o->times[OPT_QUIET] && fwrite(list.data, 1, list.len, stdout) != list.len)
		rc = CAIRN_E_PIPE;
	base_buf_free(&list);
	making_end(&m, &s, rc);
	return session_finish(&s, rc, EXIT_FINE);
}

const struct verb verb_split = {
	.name = "split",
	.summary = "a trace as several: one per hart or interval",
	.usage = "--by cpu|pid|tid [options] -o 'part-%s.rst' TRACE",
	.help =
		"Each part is a trace of its own, as cairn slice makes it, and all parts together are\n"
		"the whole. %s in the output's name becomes the number of the hart, process or thread,\n"
		"with --every N the number of the part: 0001, 0002 … The parts and how many\n"
		"instructions each has are listed. If one fails, or a signal ends\n"
		"the run, none is left.\n",
	.takes = OPTION_LIST(TAKES_CHANGE, TAKES(BY), TAKES(EVERY), TAKES(LOOK_BACK)),
	.run = split_run,
};
