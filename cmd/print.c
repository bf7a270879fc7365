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

#include "print.h"

struct printer {
	struct cairn_view *view;
	struct printer *next; /* in the list of all */
	bool busy;
};

static int view_begin(void *user, void **partial)
{
	struct printing *printing = user;
	pthread_mutex_lock(&printing->lock);
	struct printer *printer = printing->printers;
	while (printer && printer->busy)
		printer = printer->next;
	if (printer)
		printer->busy = true;
	pthread_mutex_unlock(&printing->lock);
	if (!printer) {
		printer = calloc(1, sizeof *printer);
		if (!printer)
			return cairn_fail(printing->session->cairn, CAIRN_E_NOMEM, "out of memory");
		int rc = cairn_view_new(printing->session->cairn, &printing->opts, &printer->view);
		if (rc < 0) {
			free(printer);
			return rc;
		}
		printer->busy = true;
		pthread_mutex_lock(&printing->lock);
		printer->next = printing->printers;
		printing->printers = printer;
		pthread_mutex_unlock(&printing->lock);
	}
	cairn_view_begin(printer->view);
	*partial = printer;
	return 0;
}

static int view_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	(void)user;
	struct printer *printer = partial;
	return cairn_view_batch(printer->view, batch);
}

static size_t view_held(void *user, const void *partial)
{
	(void)user;
	const struct printer *printer = partial;
	return cairn_view_held(printer->view);
}

static int view_flush(void *user, void *partial)
{
	struct printing *printing = user;
	struct printer *printer = partial;
	const char *text;
	size_t n;
	uint64_t lines = printing->most - printing->printed;
	int rc = cairn_view_take_some(printer->view, &printing->shown, &text, &n, &lines);
	printing->printed += lines;
	if (rc >= 0 && n)
		rc = cairn_sink_write(printing->session->out, text, n);
	return rc < 0 ? rc : printing->printed == printing->most;
}

static void view_drop(void *user, void *partial)
{
	struct printing *printing = user;
	struct printer *printer = partial;
	pthread_mutex_lock(&printing->lock);
	printer->busy = false;
	pthread_mutex_unlock(&printing->lock);
}

static int view_fold(void *user, void *partial)
{
	int rc = view_flush(user, partial);
	view_drop(user, partial);
	return rc;
}

/* Free the printers; count the lines they printed, and say why there was no disassembly. */
static void print_put_away(struct printing *printing)
{
	const char *why = NULL;
	for (struct printer *printer = printing->printers; printer; printer = printer->next) {
		printing->lines += cairn_view_lines(printer->view);
		if (!why)
			why = cairn_view_no_disasm(printer->view);
	}
	if (why && !printing->session->options->times[OPT_QUIET])
		complain("%s", why);
	while (printing->printers) {
		struct printer *printer = printing->printers;
		printing->printers = printer->next;
		cairn_view_free(printer->view);
		free(printer);
	}
}

/* A trace that knows neither instructions nor transactions (ETE without its program) has nothing
 * but events. */
static uint32_t print_what_to_show(const struct options *options, uint32_t can)
{
	if (options->times[OPT_ALL] && (options->times[OPT_WRITES] || options->times[OPT_READS]))
		return 0; /* there it means all places */
	if (options->times[OPT_ALL])
		return CAIRN_VIEW_ALL;
	uint32_t asked = (options->times[OPT_REGS] ? (uint32_t)CAIRN_VIEW_REGS : 0) |
	                 (options->times[OPT_MEMS] ? (uint32_t)CAIRN_VIEW_MEMS : 0) |
	                 (options->times[OPT_EVENTS] ? (uint32_t)CAIRN_VIEW_EVENTS : 0);
	if (can & (CAIRN_PC | CAIRN_XACTS))
		return asked;
	/* Without instructions there are only events, and in logs of state also rows. */
	return asked ? asked | (uint32_t)CAIRN_VIEW_EVENTS : (uint32_t)CAIRN_VIEW_ALL;
}

void print_init(struct printing *printing, struct session *session)
{
	const struct options *options = session->options;
	*printing = (struct printing){
		.session = session,
		.most = UINT64_MAX,
		.opts = {.size = sizeof printing->opts,
	             .reader = session->reader,
	             .image = session->image,
	             .select = session->select,
	             .isa_string = session_fact(session, "isa_extended"),
	             .show = print_what_to_show(options, cairn_reader_can(session->reader)),
	             .json = options->times[OPT_JSON] != 0,
	             .color = option_color(options),
	             .disasm = options->times[OPT_NO_DISASM] == 0,
	             .lines = options->times[OPT_LINES] != 0}};
}

int print_run(struct printing *printing)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = view_begin,
	                                             .feed = view_feed,
	                                             .fold = view_fold,
	                                             .drop = view_drop,
	                                             .held = view_held,
	                                             .flush = view_flush};
	struct session *session = printing->session;
	uint64_t last;
	pthread_mutex_init(&printing->lock, NULL);
	cairn_reader_want(session->reader, cairn_view_parts(&printing->opts));
	int rc = session_seek(session, &last);
	if (rc >= 0 && printing->last && printing->last < last)
		last = printing->last;
	if (rc >= 0 && !session->nothing)
		rc = cairn_run(session->reader, &reducer, printing, last, session->options->threads);
	print_put_away(printing);
	pthread_mutex_destroy(&printing->lock);
	return rc;
}

int print_notes(struct session *session, const char *more)
{
	enum { NOTHING = 3 }; /* {} and a newline */
	size_t n;
	if (!session->options->times[OPT_JSON] || session->told)
		return 0;
	cairn_json_begin(session->text, 0);
	session_notes(session, session->text, more);
	int rc = cairn_json_end(session->text);
	cairn_text_get(session->text, &n);
	return rc < 0 || n > NOTHING ? session_print(session, rc) : 0;
}

/* ---- single ones ---- */

/* Let the next batch begin near `n`. */
static int go_near(struct printing *printing, struct cairn_reader *reader, uint64_t n)
{
	int rc = cairn_seek(reader, n);
	if (rc != CAIRN_E_STATE || strcmp(printing->session->trace, "-"))
		return rc;
	return cairn_fail(printing->session->cairn, rc,
	                  "standard input can be read only once, so the last ones cannot be "
	                  "printed: name a file, or ask for the first ones");
}

static uint64_t print_end_of(const struct cairn_batch *batch)
{
	return batch->n_insns ? batch->n0 + batch->n_insns : batch->x0 + batch->n_xacts;
}

/* Read on until the batch holds `n`. */
static int read_to(struct cairn_reader *reader, struct cairn_batch *batch, uint64_t n)
{
	int rc;
	do
		rc = cairn_next(reader, batch);
	while (rc > 0 && print_end_of(batch) <= n);
	return rc;
}

/* A view of these numbers and nothing else. */
static int select_numbers(struct printing *printing, const struct cairn_found *found,
                          struct cairn_select **out)
{
	*out = cairn_select_new(printing->session->cairn, NULL);
	int rc = *out ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < found->n && rc >= 0; i++) {
		char text[32];
		snprintf(text, sizeof text, "%llu", (unsigned long long)found->numbers[i]);
		rc = cairn_select_region(*out, text);
	}
	return rc;
}

int print_found(struct printing *printing, const struct cairn_found *found)
{
	enum { FAR = 1 << 16 };
	struct session *session = printing->session;
	struct cairn_select *select;
	struct cairn_reader *own, *reader;
	struct cairn_batch *batch = cairn_batch_new(session->cairn);
	struct printer *printer = NULL;
	uint64_t at = UINT64_MAX;
	int rc = select_numbers(printing, found, &select),
		opened = session_reopen(session, session->options->times[OPT_DERIVE] != 0, &own);
	reader = own ? own : session->reader;
	rc = rc < 0 ? rc : opened;
	if (!own && !session->damage_said) {
		/* Reading the trace a second time finds the same damage, which must not be reported again.
		 *  */
		session_damage(session, rc);
		session->damage_said = true;
	}
	printing->opts.select = select;
	printing->opts.touch = NULL;
	printing->opts.bare = 1;
	pthread_mutex_init(&printing->lock, NULL);
	cairn_reader_want(reader, cairn_view_parts(&printing->opts));
	if (rc >= 0)
		rc = batch ? view_begin(printing, (void **)&printer) : CAIRN_E_NOMEM;
	for (size_t i = 0; i < found->n && rc >= 0; i++) {
		uint64_t n = found->numbers[i];
		if (at != UINT64_MAX && n < at)
			continue; /* printed with the one before */
		if (at == UINT64_MAX || (n - at > FAR && cairn_reader_jumps(reader)))
			rc = go_near(printing, reader, n);
		if (rc >= 0)
			rc = read_to(reader, batch, n);
		if (rc <= 0)
			break;
		at = print_end_of(batch);
		rc = cairn_view_batch(printer->view, batch);
		if (rc >= 0)
			rc = view_flush(printing, printer);
	}
	print_put_away(printing);
	pthread_mutex_destroy(&printing->lock);
	cairn_batch_free(session->cairn, batch);
	cairn_select_free(select);
	cairn_close(own);
	return rc < 0 ? rc : 0;
}
