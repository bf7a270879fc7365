/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn find`: where an expression holds, or who touched a register or memory. From the
 * front it is a view of what is meant; the last ones are found first and then printed.
 */
#include <stdio.h>
#include <string.h>

#include "export/json.h"
#include "print.h"

struct job {
	struct session *s;
	struct cairn_find_opts opts;
	struct cairn_touch *touch;
	bool count;
	char why[512]; /* why nothing was found */
};

/* ---- options ---- */

static int find_parse(struct job *j, struct options *o)
{
	const char *writes = o->value[OPT_WRITES], *reads = o->value[OPT_READS];
	bool touch = writes || reads, all = o->times[OPT_ALL] != 0;
	j->opts = (struct cairn_find_opts){.size = sizeof j->opts, .threads = o->threads};
	j->count = o->times[OPT_ONLY_COUNT] != 0;
	if (writes && reads) {
		complain("--writes and --reads are two questions: ask one at a time");
		return -1;
	}
	if (o->times[OPT_FIRST] + o->times[OPT_LAST] + o->times[OPT_ALL] > 1) {
		complain("--first, --last and --all exclude each other");
		return -1;
	}
	/* What is looked for stands behind the trace. */
	if (!touch && !o->value[OPT_WHERE]) {
		if (o->n_operands < 2) {
			complain("find needs an expression, --writes or --reads; usage: cairn find [options] "
			         "TRACE EXPR [REGION…]");
			return -1;
		}
		o->value[OPT_WHERE] = o->operands[1];
		o->times[OPT_WHERE] = 1;
		for (size_t i = 2; i < o->n_operands; i++)
			o->operands[i - 1] = o->operands[i];
		o->n_operands--;
	}
	j->opts.last = o->times[OPT_LAST] || (touch && !o->times[OPT_FIRST] && !all);
	j->opts.most = j->opts.last || o->times[OPT_FIRST] ? 1 : 0;
	if (options_number(o, OPT_LIMIT, UINT64_MAX, &j->opts.most) < 0 ||
	    options_number(o, OPT_BEFORE, UINT64_MAX, &j->opts.before) < 0)
		return -1;
	if (o->value[OPT_BEFORE] && j->opts.before == 0) {
		complain("instructions are numbered from 1: nothing is before 0");
		return -1;
	}
	return 0;
}

/* ---- answers ---- */

/* Nothing was found: because nothing is told? What cannot be read twice stays unexplained. */
static void explain(struct job *j)
{
	const struct options *o = j->s->o;
	const char *writes = o->value[OPT_WRITES];
	const char *text = writes ? writes : o->value[OPT_READS];
	struct cairn_reader *own = NULL;
	bool silent = !text || o->times[OPT_QUIET] || session_reopen(j->s, &own) < 0 || !own ||
	              cairn_touch_told(own, j->touch) != 0;
	cairn_close(own);
	if (silent)
		return;
	bool memory = *text == '@' || (*text >= '0' && *text <= '9');
	snprintf(j->why, sizeof j->why,
	         memory ? "the trace tells no access to memory that %s, so not who %s %s"
	                : "the trace tells of no instruction which registers it %s, so not "
	                  "who %s %s",
	         writes ? "writes" : "reads", writes ? "wrote" : "read", text);
	if (!o->times[OPT_JSON])
		complain("%s: %s", j->s->trace, j->why);
}

static int put_count(struct job *j, uint64_t count)
{
	struct base_buf b;
	struct jout w;
	int rc;
	base_buf_init(&b, j->s->c);
	if (j->s->o->times[OPT_JSON]) {
		jout_init(&w, &b, true);
		jout_object(&w);
		JSON_KEY(&w, "count");
		jout_u64(&w, count);
		session_notes(j->s, &w, *j->why ? j->why : NULL);
		jout_object_end(&w);
		jout_end(&w);
		rc = w.status;
	} else {
		rc = base_buf_printf(&b, "%llu\n", (unsigned long long)count);
	}
	if (rc >= 0)
		rc = io_sink_write(j->s->out, b.data, b.len);
	base_buf_free(&b);
	return rc;
}

/* How many were found, or < 0. */
static int64_t answer_count(struct job *j)
{
	uint64_t count = 0;
	struct cairn_find_opts opts = j->opts;
	int rc = cairn_find_count(j->s->r, &opts, &count);
	if (opts.most && count > opts.most)
		count = opts.most;
	if (rc >= 0 && count == 0)
		explain(j);
	if (rc >= 0)
		rc = put_count(j, count);
	return rc < 0 ? rc : count != 0;
}

static int64_t answer_from_front(struct job *j)
{
	struct printing p;
	print_init(&p, j->s);
	p.opts.bare = 1;
	p.opts.touch = j->touch;
	p.most = j->opts.most ? j->opts.most : UINT64_MAX;
	p.last = j->opts.before ? j->opts.before - 1 : 0;
	if (p.last == 0 && j->opts.before)
		return 0; /* there is nothing before the first */
	int rc = print_run(&p);
	return rc < 0 ? rc : p.printed != 0;
}

static int64_t answer_last(struct job *j)
{
	struct cairn_found found;
	struct printing p;
	int rc = cairn_find(j->s->r, &j->opts, &found);
	print_init(&p, j->s);
	if (rc >= 0 && found.n)
		rc = print_found(&p, &found);
	bool any = found.n != 0;
	cairn_found_free(j->s->c, &found);
	return rc < 0 ? rc : any;
}

static int64_t find_work(struct job *j)
{
	const struct options *o = j->s->o;
	const char *text = o->value[OPT_WRITES] ? o->value[OPT_WRITES] : o->value[OPT_READS];
	int rc =
		text ? cairn_touch_new(j->s->c, text, o->value[OPT_WRITES] != NULL, j->s->image, &j->touch)
			 : 0;
	j->opts.select = j->s->select;
	j->opts.touch = j->touch;
	if (rc < 0)
		return rc;
	int64_t found = j->count       ? answer_count(j)
	                : j->opts.last ? answer_last(j)
	                               : answer_from_front(j);
	if (found == 0 && !j->count)
		explain(j);
	rc = found < 0 ? 0 : print_notes(j->s, *j->why ? j->why : NULL);
	return rc < 0 ? rc : found;
}

static int cmd_find_run(const struct verb *self, struct options *o)
{
	struct session s;
	struct job j = {.s = &s};
	if (find_parse(&j, o) < 0 || session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	session_progress(&s, !j.count && !j.opts.last);
	int64_t rc = find_work(&j);
	cairn_touch_free(j.touch);
	bool unknown = rc == 0 && lacks_program(s.r);
	if (unknown)
		complain_of_program(s.trace);
	return session_finish(&s, rc < 0 ? (int)rc : 0,
	                      rc > 0    ? EXIT_FINE
	                      : unknown ? EXIT_COULD_NOT
	                                : EXIT_NO);
}

const struct verb verb_find = {
	.name = "find",
	.summary = "where an expression holds, or who wrote or read something",
	.usage = "[options] TRACE EXPR [REGION…] | TRACE --writes|--reads PLACE [REGION…]",
	.help =
		"One line for each instruction (transaction) for which EXPR holds, as view prints it:\n"
		"cairn find t.zstf 'class==store && addr==0x80001000'. With --writes (--reads) the last\n"
		"one that wrote (read) a register (x5, sp) or any byte of 0x80001000+8 or @symbol;\n"
		"--before N: the last one before instruction N; --all: all of them, from the first.\n"
		"An index (cairn index) makes finding the last ones fast. Exit code 1: none was found.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(REGS),
                         TAKES(MEMS), TAKES(EVENTS), TAKES(ALL), TAKES(NO_DISASM), TAKES(THREADS),
                         TAKES(LIMIT), TAKES(WRITES), TAKES(READS), TAKES(BEFORE), TAKES(FIRST),
                         TAKES(LAST), TAKES(ONLY_COUNT), TAKES(LINES)),
	.run = cmd_find_run,
};
