/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn find`: where an expression holds, or who touched a register or memory. From the
 * front it is a view of what is meant; the last ones are found first and then printed.
 */
#include <stdio.h>
#include <string.h>

#include "print.h"

struct job {
	struct session *session;
	struct cairn_find_opts opts;
	struct cairn_touch *touch;
	bool count;
	char why[512]; /* why nothing was found */
};

/* ---- options ---- */

static int find_parse(struct job *job, struct options *options)
{
	const char *writes = options->value[OPT_WRITES], *reads = options->value[OPT_READS];
	bool touch = writes || reads, all = options->times[OPT_ALL] != 0;
	job->opts = (struct cairn_find_opts){.size = sizeof job->opts, .threads = options->threads};
	job->count = options->times[OPT_ONLY_COUNT] != 0;
	if (writes && reads) {
		complain("--writes and --reads cannot be combined");
		return -1;
	}
	if (options->times[OPT_FIRST] + options->times[OPT_LAST] + options->times[OPT_ALL] > 1) {
		complain("--first, --last and --all cannot be combined");
		return -1;
	}
	/* The touch or expression comes behind the trace. */
	if (!touch && !options->value[OPT_WHERE]) {
		if (options->n_operands < 2) {
			complain("find needs an expression, --writes or --reads; usage: cairn find [options] "
			         "TRACE EXPR [REGION…]");
			return -1;
		}
		options->value[OPT_WHERE] = options->operands[1];
		options->times[OPT_WHERE] = 1;
		for (size_t i = 2; i < options->n_operands; i++)
			options->operands[i - 1] = options->operands[i];
		options->n_operands--;
	}
	job->opts.last = options->times[OPT_LAST] || (touch && !options->times[OPT_FIRST] && !all);
	job->opts.most = job->opts.last || options->times[OPT_FIRST] ? 1 : 0;
	if (options_number(options, OPT_LIMIT, UINT64_MAX, &job->opts.most) < 0 ||
	    options_number(options, OPT_BEFORE, UINT64_MAX, &job->opts.before) < 0)
		return -1;
	if (options->value[OPT_BEFORE] && job->opts.before == 0) {
		complain("instructions are numbered from 1, so there is none before 0");
		return -1;
	}
	return 0;
}

/* ---- answers ---- */

/* Does the trace tell such things at all? What cannot be read twice is taken to. */
static bool is_told(struct job *job)
{
	bool derives = job->session->options->times[OPT_DERIVE] != 0;
	struct cairn_reader *own = NULL;
	bool told = session_reopen(job->session, derives, &own) < 0 || !own ||
	            cairn_touch_told(own, job->touch) != 0;
	cairn_close(own);
	return told;
}

/* Say what the answer does not rest on: nothing was found, perhaps because the trace does not hold it; or
 * accesses of unknown address may have been to the place. */
static void explain(struct job *job, bool found)
{
	const struct options *options = job->session->options;
	const char *writes = options->value[OPT_WRITES];
	const char *text = writes ? writes : options->value[OPT_READS];
	if (!text || options->times[OPT_QUIET])
		return;
	bool memory = *text == '@' || (*text >= '0' && *text <= '9');
	if (!found && !is_told(job))
		snprintf(job->why, sizeof job->why,
		         memory ? "the trace records no access that %ss memory, so who %s %s is unknown"
		                : "the trace does not record which registers its instructions %s, so "
		                  "who %s %s is unknown",
		         writes ? "write" : "read", writes ? "wrote" : "read", text);
	else if (cairn_touch_unsure(job->touch))
		snprintf(job->why, sizeof job->why,
		         "the addresses of some accesses are not known: they, too, may have %s %s",
		         writes ? "written" : "read", text);
	else
		return;
	if (!options->times[OPT_JSON])
		complain("%s: %s", job->session->trace, job->why);
}

static int put_count(struct job *job, uint64_t count)
{
	struct cairn_text *text = job->session->text;
	if (!job->session->options->times[OPT_JSON])
		return session_print(job->session,
		                     cairn_text_printf(text, "%llu\n", (unsigned long long)count));
	cairn_json_begin(text, 1);
	cairn_json_number(text, "count", count);
	session_notes(job->session, text, *job->why ? job->why : NULL);
	return session_print(job->session, cairn_json_end(text));
}

/* How many were found, or < 0. */
static int64_t answer_count(struct job *job)
{
	uint64_t count = 0;
	struct cairn_find_opts opts = job->opts;
	int rc = cairn_find_count(job->session->reader, &opts, &count);
	if (opts.most && count > opts.most)
		count = opts.most;
	if (rc >= 0) {
		explain(job, count != 0);
		rc = put_count(job, count);
	}
	return rc < 0 ? rc : count != 0;
}

static int64_t answer_from_front(struct job *job)
{
	struct printing printing;
	print_init(&printing, job->session);
	printing.opts.bare = 1;
	printing.opts.touch = job->touch;
	printing.most = job->opts.most ? job->opts.most : UINT64_MAX;
	printing.last = job->opts.before ? job->opts.before - 1 : 0;
	if (printing.last == 0 && job->opts.before)
		return 0; /* there is nothing before the first */
	int rc = print_run(&printing);
	return rc < 0 ? rc : printing.printed != 0;
}

static int64_t answer_last(struct job *job)
{
	struct cairn_found found = {.size = sizeof found};
	struct printing printing;
	int rc = cairn_find(job->session->reader, &job->opts, &found);
	print_init(&printing, job->session);
	if (rc >= 0 && found.n)
		rc = print_found(&printing, &found);
	bool any = found.n != 0;
	cairn_found_free(job->session->cairn, &found);
	return rc < 0 ? rc : any;
}

static int64_t find_work(struct job *job)
{
	const struct options *options = job->session->options;
	const char *text =
		options->value[OPT_WRITES] ? options->value[OPT_WRITES] : options->value[OPT_READS];
	int rc = text ? cairn_touch_new(job->session->cairn, text, options->value[OPT_WRITES] != NULL,
	                                job->session->image, &job->touch)
	              : 0;
	job->opts.select = job->session->select;
	job->opts.touch = job->touch;
	if (rc < 0)
		return rc;
	int64_t found = job->count       ? answer_count(job)
	                : job->opts.last ? answer_last(job)
	                                 : answer_from_front(job);
	if (found >= 0 && !job->count)
		explain(job, found != 0);
	rc = found < 0 ? 0 : print_notes(job->session, *job->why ? job->why : NULL);
	return rc < 0 ? rc : found;
}

static int cmd_find_run(const struct verb *self, struct options *options)
{
	struct session session;
	struct job job = {.session = &session};
	if (find_parse(&job, options) < 0 || session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	session_progress(&session, !job.count && !job.opts.last);
	int64_t rc = find_work(&job);
	cairn_touch_free(job.touch);
	bool unknown = rc == 0 && lacks_program(session.reader);
	if (unknown)
		complain_of_program(session.trace);
	return session_finish(&session, rc < 0 ? (int)rc : 0,
	                      rc > 0    ? EXIT_FINE
	                      : unknown ? EXIT_COULD_NOT
	                                : EXIT_NO);
}

const struct verb verb_find = {
	.name = "find",
	.summary = "where an expression holds, or who wrote or read something",
	.usage = "[options] TRACE EXPR [REGION…] | [options] TRACE --writes|--reads PLACE [REGION…]",
	.help =
		"One line, as view prints it, for each instruction (transaction) for which EXPR holds:\n"
		"cairn find t.zstf 'class==store && addr==0x80001000'. With --writes (--reads), the last\n"
		"one that wrote (read) a register (x5, sp) or any byte of 0x80001000+8 or @symbol.\n"
		"--before N: the last one before instruction N; --all: every one, from the first on. An\n"
		"index (cairn index) makes it fast to find the last ones. --derive finds also what follows\n"
		"from the trace (see view). Exit code 1: none was found.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(REGS),
                         TAKES(MEMS), TAKES(EVENTS), TAKES(ALL), TAKES(NO_DISASM), TAKES(THREADS),
                         TAKES(LIMIT), TAKES(WRITES), TAKES(READS), TAKES(BEFORE), TAKES(FIRST),
                         TAKES(LAST), TAKES(ONLY_COUNT), TAKES(LINES), TAKES(DERIVE)),
	.ways = VERB_SHOWS_NAMES,
	.run = cmd_find_run,
};
