/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn view`: a reducer around the library's view. Each span of the trace is
 * printed into memory by whichever thread works on it; the texts are written in
 * trace order. Views are kept for the next span, for a disassembler takes
 * milliseconds to make and remembers what it has seen.
 */
#include <pthread.h>
#include <stdlib.h>

#include "cmd.h"

struct printer {
	struct cairn_view *view;
	struct printer *next; /* in the list of all */
	bool busy;
};

struct job {
	struct session *s;
	struct cairn_view_opts opts;
	struct cairn_ctx shown;
	pthread_mutex_t lock;
	struct printer *printers;
};

static int view_begin(void *user, void **partial)
{
	struct job *j = user;
	pthread_mutex_lock(&j->lock);
	struct printer *p = j->printers;
	while (p && p->busy)
		p = p->next;
	if (p)
		p->busy = true;
	pthread_mutex_unlock(&j->lock);
	if (!p) {
		p = calloc(1, sizeof *p);
		if (!p)
			return base_fail(j->s->c, CAIRN_E_NOMEM, "out of memory");
		int rc = cairn_view_new(j->s->c, &j->opts, &p->view);
		if (rc < 0) {
			free(p);
			return rc;
		}
		p->busy = true;
		pthread_mutex_lock(&j->lock);
		p->next = j->printers;
		j->printers = p;
		pthread_mutex_unlock(&j->lock);
	}
	cairn_view_begin(p->view);
	*partial = p;
	return 0;
}

static int view_feed(void *user, void *partial, const struct cairn_batch *b)
{
	(void)user;
	struct printer *p = partial;
	return cairn_view_batch(p->view, b);
}

static size_t view_held(void *user, const void *partial)
{
	(void)user;
	const struct printer *p = partial;
	return cairn_view_held(p->view);
}

static int view_flush(void *user, void *partial)
{
	struct job *j = user;
	struct printer *p = partial;
	const char *text;
	size_t n;
	int rc = cairn_view_take(p->view, &j->shown, &text, &n);
	return rc < 0 || n == 0 ? rc : io_sink_write(j->s->out, text, n);
}

static void view_drop(void *user, void *partial)
{
	struct job *j = user;
	struct printer *p = partial;
	pthread_mutex_lock(&j->lock);
	p->busy = false;
	pthread_mutex_unlock(&j->lock);
}

static int view_fold(void *user, void *partial)
{
	int rc = view_flush(user, partial);
	view_drop(user, partial);
	return rc;
}

/* Put the printers away; how many lines they made, and why without disassembly. */
static uint64_t put_away(struct job *j)
{
	const char *why = NULL;
	uint64_t lines = 0;
	for (struct printer *p = j->printers; p; p = p->next) {
		lines += cairn_view_lines(p->view);
		if (!why)
			why = cairn_view_no_disasm(p->view);
	}
	if (why && !j->s->o->times[OPT_QUIET])
		complain("%s", why);
	while (j->printers) {
		struct printer *p = j->printers;
		j->printers = p->next;
		cairn_view_free(p->view);
		free(p);
	}
	return lines;
}

/* A trace that knows neither instructions nor transactions (ETE without the program) has
 * nothing but events. */
static uint32_t what_to_show(const struct options *o, uint32_t can)
{
	if (o->times[OPT_ALL])
		return CAIRN_VIEW_ALL;
	return (can & (CAIRN_PC | CAIRN_XACTS) ? 0 : (uint32_t)CAIRN_VIEW_EVENTS) |
	       (o->times[OPT_REGS] ? (uint32_t)CAIRN_VIEW_REGS : 0) |
	       (o->times[OPT_MEMS] ? (uint32_t)CAIRN_VIEW_MEMS : 0) |
	       (o->times[OPT_EVENTS] ? (uint32_t)CAIRN_VIEW_EVENTS : 0);
}

static int run(const struct verb *self, struct options *o)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer, .begin = view_begin,
		.feed = view_feed, .fold = view_fold, .drop = view_drop, .held = view_held,
		.flush = view_flush};
	struct session s;
	struct job j = {.s = &s};
	uint64_t last;
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	j.opts = (struct cairn_view_opts){.size = sizeof j.opts, .reader = s.r, .image = s.image,
		.select = s.select, .isa_string = session_fact(&s, "isa_extended"),
		.show = what_to_show(o, cairn_reader_can(s.r)), .json = o->times[OPT_JSON] != 0, .color = option_color(o),
		.disasm = o->times[OPT_NO_DISASM] == 0};
	pthread_mutex_init(&j.lock, NULL);
	cairn_reader_want(s.r, cairn_view_parts(&j.opts));
	session_progress(&s, true);
	int rc = session_seek(&s, &last);
	if (rc >= 0 && !s.nothing)
		rc = cairn_run(s.r, &reducer, &j, last, o->threads);
	uint64_t lines = put_away(&j);
	pthread_mutex_destroy(&j.lock);
	int answer = EXIT_FINE;
	if (rc >= 0 && lines == 0 && !cairn_select_all(s.select)) {
		complain("%s: nothing in the trace is selected", s.trace);
		answer = EXIT_NO;
	}
	return session_finish(&s, rc, answer);
}

const struct verb verb_view = {
	.name = "view",
	.summary = "one line per instruction or transaction",
	.usage = "[options] TRACE [REGION…]",
	.help = "Number, PC, symbol (with --image), encoding, disassembly; PC and the target where a\n"
	        "branch was taken; flags (annulled, aborted, discarded, forced). A line CONTEXT tells\n"
	        "when another process, thread or privilege begins, FORCE_PC where the flow was forced,\n"
	        "DAMAGE and GAP where something is missing. With --json one object a line.\n",
	.takes = TAKES_TRACE | TAKES(REGION) | TAKES(WHERE) | TAKES(IMAGE) | TAKES(REGS) |
	         TAKES(MEMS) | TAKES(EVENTS) | TAKES(ALL) | TAKES(NO_DISASM) | TAKES(THREADS),
	.run = run,
};
