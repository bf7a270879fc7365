/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn slice`: regions of a trace as a trace of their own. */
#include <string.h>

#include "cmd.h"

static int parse_options(const struct options *o, struct cairn_slice_opts *s)
{
	const char *w = o->value[OPT_WINDOWS], *back = o->value[OPT_LOOK_BACK];
	if (w) {
		const char *colon = strchr(w, ':');
		if (!colon || options_number(w, (size_t)(colon - w), &s->every) < 0 ||
		    options_number(colon + 1, strlen(colon + 1), &s->window) < 0 || s->every == 0 ||
		    s->window == 0) {
			complain("--windows is N:K, of every N instructions the first K, not '%s'", w);
			return -1;
		}
	}
	if (back && !strcmp(back, "all"))
		s->look_back = UINT64_MAX;
	else if (back && (options_number(back, strlen(back), &s->look_back) < 0 || !s->look_back)) {
		complain("--look-back is a number of instructions, or all, not '%s'", back);
		return -1;
	}
	return 0;
}

/* Which numbers are meant. Where the trace must be read for that, another reader does:
 * not every input can be read again. */
static int find_ranges(struct session *s, struct cairn_range **ranges, size_t *n)
{
	uint64_t a, b;
	struct cairn_reader *r = s->r, *own = NULL;
	int rc = 0;
	if (cairn_select_numbers(s->select, 0, &a, &b) < 0 && strcmp(s->trace, "-") != 0) {
		struct cairn_open_opts opts = {.size = sizeof opts, .from = s->o->value[OPT_FROM],
		                               .strict = s->o->times[OPT_STRICT] != 0};
		rc = cairn_open(s->c, s->trace, &opts, &own);
		r = own;
	}
	if (rc >= 0)
		rc = cairn_ranges(r, s->select, s->o->threads, ranges, n);
	cairn_close(own);
	return rc;
}

static int run(const struct verb *self, struct options *o)
{
	struct cairn_slice_opts opts = {.size = sizeof opts};
	struct cairn_range *ranges = NULL;
	struct session s;
	struct making m;
	int answer = EXIT_FINE;
	if (parse_options(o, &opts) < 0 || session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	if (making_start(&m, &s) < 0) {
		session_finish(&s, 0, 0);
		return EXIT_COULD_NOT;
	}
	session_progress(&s, false);
	int rc = find_ranges(&s, &ranges, &opts.n_ranges);
	opts.ranges = ranges;
	bool nothing = rc >= 0 && opts.n_ranges == 0;
	if (rc >= 0 && !nothing)
		rc = cairn_slice(s.r, &opts, &m.out, &m.done);
	if (nothing || (rc == CAIRN_E_NOTFOUND && cairn_error_status(s.c) == rc)) {
		complain("%s: nothing in the trace is selected", s.trace);
		answer = EXIT_NO;
		rc = 0;
	}
	cairn_ranges_free(s.c, ranges);
	making_end(&m, &s, rc);
	return session_finish(&s, rc, answer);
}

const struct verb verb_slice = {
	.name = "slice",
	.summary = "regions of a trace as a trace of their own",
	.usage = "[options] -o FILE TRACE [REGION…]",
	.help = "Several regions are a union. Each begins with what is known there: the PC, who runs,\n"
	        "the last values of registers, the walks of its pages. That comes from an index (cairn\n"
	        "index), or from reading what is before it, all of it or --look-back N instructions.\n"
	        "--windows 1M:10k takes the first 10000 of every million instructions.\n",
	.takes = TAKES_CHANGE | TAKES(REGION) | TAKES(WHERE) | TAKES(IMAGE) | TAKES(WINDOWS) |
	         TAKES(LOOK_BACK),
	.run = run,
};
