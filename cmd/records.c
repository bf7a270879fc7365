/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn records`: the format's own records, one a line, printed in parallel by
 * span and written in trace order.
 *
 * Only numbers choose records, for a record has no PC and no context of its own.
 * The trace is read from its beginning even for a late region: record numbers are
 * counted from there.
 */
#include <pthread.h>

#include "cmd.h"
#include "model/model.h"

struct part {
	struct part *next; /* in the list of all */
	bool busy;
	struct cairn_text *text;
	uint64_t printed;
};

struct job {
	struct session *s;
	bool json, all;
	uint64_t printed;
	pthread_mutex_t lock;
	struct part *parts; /* used again, for fresh memory costs more than the printing */
};

static int records_new_part(struct job *j, struct part **out)
{
	struct part *p = base_alloc(j->s->c, sizeof *p);
	if (!p)
		return CAIRN_E_NOMEM;
	p->text = cairn_text_new(j->s->c);
	if (!p->text) {
		base_free(j->s->c, p);
		return CAIRN_E_NOMEM;
	}
	p->busy = true;
	pthread_mutex_lock(&j->lock);
	p->next = j->parts;
	j->parts = p;
	pthread_mutex_unlock(&j->lock);
	*out = p;
	return 0;
}

static int records_begin(void *user, void **partial)
{
	struct job *j = user;
	pthread_mutex_lock(&j->lock);
	struct part *p = j->parts;
	while (p && p->busy)
		p = p->next;
	if (p)
		p->busy = true;
	pthread_mutex_unlock(&j->lock);
	int rc = p ? 0 : records_new_part(j, &p);
	*partial = p;
	return rc;
}

static int records_feed(void *user, void *partial, const struct cairn_record *rec)
{
	struct job *j = user;
	struct part *p = partial;
	if (!j->all && !cairn_select_record(j->s->select, rec))
		return 0;
	p->printed++;
	return cairn_text_record(p->text, rec, j->json);
}

static size_t records_held(void *user, const void *partial)
{
	(void)user;
	const struct part *p = partial;
	size_t n;
	cairn_text_get(p->text, &n);
	return n;
}

static int records_flush(void *user, void *partial)
{
	struct job *j = user;
	struct part *p = partial;
	size_t n;
	const char *text = cairn_text_get(p->text, &n);
	int rc = n ? io_sink_write(j->s->out, text, n) : 0;
	cairn_text_clear(p->text);
	return rc;
}

static void records_drop(void *user, void *partial)
{
	struct job *j = user;
	struct part *p = partial;
	cairn_text_clear(p->text);
	pthread_mutex_lock(&j->lock);
	p->busy = false;
	pthread_mutex_unlock(&j->lock);
}

static int records_fold(void *user, void *partial)
{
	int rc = records_flush(user, partial);
	records_drop(user, partial);
	return rc;
}

static void records_put_away(struct job *j)
{
	while (j->parts) {
		struct part *p = j->parts;
		j->parts = p->next;
		j->printed += p->printed;
		cairn_text_free(p->text);
		base_free(j->s->c, p);
	}
	pthread_mutex_destroy(&j->lock);
}

static int records_run(const struct verb *self, struct options *o)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = records_begin,
	                                             .feed_record = records_feed,
	                                             .fold = records_fold,
	                                             .drop = records_drop,
	                                             .held = records_held,
	                                             .flush = records_flush};
	struct session s;
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	struct job j = {.s = &s, .json = o->times[OPT_JSON] != 0, .all = cairn_select_all(s.select)};
	uint64_t first, last;
	int answer = EXIT_FINE, rc;
	pthread_mutex_init(&j.lock, NULL);
	cairn_select_bounds(s.select, &first, &last);
	if (cairn_select_parts(s.select) & ~(uint32_t)CAIRN_PLACES) {
		rc = base_fail(s.c, CAIRN_E_INVAL,
		               "records are chosen by number: 1000..2000 "
		               "(instructions) or r100..r200 (records)");
	} else {
		session_progress(&s, true);
		model_bound(s.r, s.select);
		rc = cairn_run(s.r, &reducer, &j, last, o->threads);
	}
	records_put_away(&j);
	if (rc >= 0 && j.printed == 0 && !j.all) {
		complain("%s: nothing in the trace is selected", s.trace);
		answer = EXIT_NO;
	}
	return session_finish(&s, rc, answer);
}

const struct verb verb_records = {
	.name = "records",
	.summary = "the format's own records, exactly",
	.usage = "[options] TRACE [REGION…]",
	.help = "One record a line: its number, its byte offset after decompression, its name, and\n"
			"every field as key=value. Regions are instruction numbers (1000..2000) or record\n"
			"numbers (r100..r200). With --json one object a line. Records of ETE are packets, or\n"
			"with --elements what these mean, all speculation resolved.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(ELEMENTS), TAKES(IMAGE), TAKES(THREADS)),
	.run = records_run,
};
