/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Printing instructions: a reducer around the library's view. Each span of the trace is
 * printed into memory by whichever thread works on it; the texts are written in trace
 * order. Views are kept for the next span, for a disassembler takes milliseconds to make
 * and remembers what it has seen.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/json.h"
#include "print.h"

struct printer {
	struct cairn_view *view;
	struct printer *next; /* in the list of all */
	bool busy;
};

static int view_begin(void *user, void **partial)
{
	struct printing *j = user;
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
	struct printing *j = user;
	struct printer *p = partial;
	const char *text;
	size_t n;
	uint64_t lines = j->most - j->printed;
	int rc = cairn_view_take_some(p->view, &j->shown, &text, &n, &lines);
	j->printed += lines;
	if (rc >= 0 && n)
		rc = io_sink_write(j->s->out, text, n);
	return rc < 0 ? rc : j->printed == j->most;
}

static void view_drop(void *user, void *partial)
{
	struct printing *j = user;
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
static void print_put_away(struct printing *j)
{
	const char *why = NULL;
	for (struct printer *p = j->printers; p; p = p->next) {
		j->lines += cairn_view_lines(p->view);
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
}

/* A trace that knows neither instructions nor transactions (ETE without the program) has
 * nothing but events. */
static uint32_t print_what_to_show(const struct options *o, uint32_t can)
{
	if (o->times[OPT_ALL] && (o->times[OPT_WRITES] || o->times[OPT_READS]))
		return 0; /* there it means all places */
	if (o->times[OPT_ALL])
		return CAIRN_VIEW_ALL;
	uint32_t asked = (o->times[OPT_REGS] ? (uint32_t)CAIRN_VIEW_REGS : 0) |
	                 (o->times[OPT_MEMS] ? (uint32_t)CAIRN_VIEW_MEMS : 0) |
	                 (o->times[OPT_EVENTS] ? (uint32_t)CAIRN_VIEW_EVENTS : 0);
	if (can & (CAIRN_PC | CAIRN_XACTS))
		return asked;
	/* Without instructions there is nothing but events, and in logs of state rows. */
	return asked ? asked | (uint32_t)CAIRN_VIEW_EVENTS : (uint32_t)CAIRN_VIEW_ALL;
}

void print_init(struct printing *j, struct session *s)
{
	const struct options *o = s->o;
	*j = (struct printing){.s = s,
	                       .most = UINT64_MAX,
	                       .opts = {.size = sizeof j->opts,
	                                .reader = s->r,
	                                .image = s->image,
	                                .select = s->select,
	                                .isa_string = session_fact(s, "isa_extended"),
	                                .show = print_what_to_show(o, cairn_reader_can(s->r)),
	                                .json = o->times[OPT_JSON] != 0,
	                                .color = option_color(o),
	                                .disasm = o->times[OPT_NO_DISASM] == 0,
	                                .lines = o->times[OPT_LINES] != 0}};
}

int print_run(struct printing *j)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = view_begin,
	                                             .feed = view_feed,
	                                             .fold = view_fold,
	                                             .drop = view_drop,
	                                             .held = view_held,
	                                             .flush = view_flush};
	struct session *s = j->s;
	uint64_t last;
	pthread_mutex_init(&j->lock, NULL);
	cairn_reader_want(s->r, cairn_view_parts(&j->opts));
	int rc = session_seek(s, &last);
	if (rc >= 0 && j->last && j->last < last)
		last = j->last;
	if (rc >= 0 && !s->nothing)
		rc = cairn_run(s->r, &reducer, j, last, s->o->threads);
	print_put_away(j);
	pthread_mutex_destroy(&j->lock);
	return rc;
}

int print_notes(struct session *session, const char *more)
{
	enum { NOTHING = 3 }; /* {} and a newline */
	struct base_buf b;
	struct jout j;
	if (!session->o->times[OPT_JSON] || session->told)
		return 0;
	base_buf_init(&b, session->c);
	jout_init(&j, &b, false);
	jout_object(&j);
	session_notes(session, &j, more);
	jout_object_end(&j);
	jout_end(&j);
	int rc = j.status;
	if (rc >= 0 && b.len > NOTHING)
		rc = io_sink_write(session->out, b.data, b.len);
	base_buf_free(&b);
	return rc;
}

/* ---- single ones ---- */

/* Let the next batch be near `n`. */
static int go_near(struct printing *j, struct cairn_reader *r, uint64_t n)
{
	int rc = cairn_seek(r, n);
	if (rc != CAIRN_E_STATE || strcmp(j->s->trace, "-"))
		return rc;
	return base_fail(j->s->c, rc,
	                 "standard input can be read only once, and the last ones are "
	                 "only known then: name a file, or ask for the first ones");
}

static uint64_t print_end_of(const struct cairn_batch *b)
{
	return b->n_insns ? b->n0 + b->n_insns : b->x0 + b->n_xacts;
}

/* Read on until the batch holds `n`. */
static int read_to(struct cairn_reader *r, struct cairn_batch *b, uint64_t n)
{
	int rc;
	do
		rc = cairn_next(r, b);
	while (rc > 0 && print_end_of(b) <= n);
	return rc;
}

/* A view of these numbers and nothing else. */
static int select_numbers(struct printing *j, const struct cairn_found *f,
                          struct cairn_select **out)
{
	*out = cairn_select_new(j->s->c, NULL);
	int rc = *out ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < f->n && rc >= 0; i++) {
		char text[32];
		snprintf(text, sizeof text, "%llu", (unsigned long long)f->numbers[i]);
		rc = cairn_select_region(*out, text);
	}
	return rc;
}

int print_found(struct printing *j, const struct cairn_found *f)
{
	enum { FAR = 1 << 16 };
	struct session *s = j->s;
	struct cairn_select *select;
	struct cairn_reader *own, *r;
	struct cairn_batch *b = cairn_batch_new(s->c);
	struct printer *p = NULL;
	uint64_t at = UINT64_MAX;
	int rc = select_numbers(j, f, &select), opened = session_reopen(s, &own);
	r = own ? own : s->r;
	rc = rc < 0 ? rc : opened;
	j->opts.select = select;
	j->opts.touch = NULL;
	j->opts.bare = 1;
	pthread_mutex_init(&j->lock, NULL);
	cairn_reader_want(r, cairn_view_parts(&j->opts));
	if (rc >= 0)
		rc = b ? view_begin(j, (void **)&p) : CAIRN_E_NOMEM;
	for (size_t i = 0; i < f->n && rc >= 0; i++) {
		uint64_t n = f->numbers[i];
		if (at != UINT64_MAX && n < at)
			continue; /* printed with the one before */
		if (at == UINT64_MAX || (n - at > FAR && cairn_reader_jumps(r)))
			rc = go_near(j, r, n);
		if (rc >= 0)
			rc = read_to(r, b, n);
		if (rc <= 0)
			break;
		at = print_end_of(b);
		rc = cairn_view_batch(p->view, b);
		if (rc >= 0)
			rc = view_flush(j, p);
	}
	print_put_away(j);
	pthread_mutex_destroy(&j->lock);
	cairn_batch_free(s->c, b);
	cairn_select_free(select);
	cairn_close(own);
	return rc < 0 ? rc : 0;
}
