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
#include <stdlib.h>

#include "cmd.h"

struct part {
	struct part *next; /* in the list of all */
	bool busy;
	struct cairn_text *text;
	uint64_t printed;
};

struct job {
	struct session *session;
	bool json, all;
	uint64_t printed;
	pthread_mutex_t lock;
	struct part *parts; /* used again, for fresh memory costs more than the printing */
};

static int records_new_part(struct job *job, struct part **out)
{
	struct part *part = calloc(1, sizeof *part);
	if (!part)
		return cairn_fail(job->session->cairn, CAIRN_E_NOMEM, "out of memory");
	part->text = cairn_text_new(job->session->cairn);
	if (!part->text) {
		free(part);
		return CAIRN_E_NOMEM;
	}
	part->busy = true;
	pthread_mutex_lock(&job->lock);
	part->next = job->parts;
	job->parts = part;
	pthread_mutex_unlock(&job->lock);
	*out = part;
	return 0;
}

static int records_begin(void *user, void **partial)
{
	struct job *job = user;
	pthread_mutex_lock(&job->lock);
	struct part *part = job->parts;
	while (part && part->busy)
		part = part->next;
	if (part)
		part->busy = true;
	pthread_mutex_unlock(&job->lock);
	int rc = part ? 0 : records_new_part(job, &part);
	*partial = part;
	return rc;
}

static int records_feed(void *user, void *partial, const struct cairn_record *rec)
{
	struct job *job = user;
	struct part *part = partial;
	if (!job->all && !cairn_select_record(job->session->select, rec))
		return 0;
	part->printed++;
	return cairn_text_record(part->text, rec, job->json);
}

static size_t records_held(void *user, const void *partial)
{
	(void)user;
	const struct part *part = partial;
	size_t n;
	cairn_text_get(part->text, &n);
	return n;
}

static int records_flush(void *user, void *partial)
{
	struct job *job = user;
	struct part *part = partial;
	return cairn_text_write(part->text, job->session->out);
}

static void records_drop(void *user, void *partial)
{
	struct job *job = user;
	struct part *part = partial;
	cairn_text_clear(part->text);
	pthread_mutex_lock(&job->lock);
	part->busy = false;
	pthread_mutex_unlock(&job->lock);
}

static int records_fold(void *user, void *partial)
{
	int rc = records_flush(user, partial);
	records_drop(user, partial);
	return rc;
}

static void records_put_away(struct job *job)
{
	while (job->parts) {
		struct part *part = job->parts;
		job->parts = part->next;
		job->printed += part->printed;
		cairn_text_free(part->text);
		free(part);
	}
	pthread_mutex_destroy(&job->lock);
}

static int records_run(const struct verb *self, struct options *options)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = records_begin,
	                                             .feed_record = records_feed,
	                                             .fold = records_fold,
	                                             .drop = records_drop,
	                                             .held = records_held,
	                                             .flush = records_flush};
	struct session session;
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	struct job job = {.session = &session,
	                  .json = options->times[OPT_JSON] != 0,
	                  .all = cairn_select_all(session.select)};
	/* Without its program it is not known which instructions the records are of. */
	bool unknown = lacks_program(session.reader) && !cairn_select_only_records(session.select);
	uint64_t first, last;
	int answer = EXIT_FINE, rc = 0;
	pthread_mutex_init(&job.lock, NULL);
	cairn_select_bounds(session.select, &first, &last);
	if (cairn_select_parts(session.select) & ~(uint32_t)CAIRN_PLACES) {
		rc = cairn_fail(session.cairn, CAIRN_E_INVAL,
		                "records are chosen by number: 1000..2000 "
		                "(instructions) or r100..r200 (records)");
	} else if (!unknown) {
		session_progress(&session, true);
		cairn_select_bound(session.select, session.reader);
		rc = cairn_run(session.reader, &reducer, &job, last, options->threads);
	}
	records_put_away(&job);
	if (rc >= 0 && unknown) {
		complain_of_program(session.trace);
		answer = EXIT_COULD_NOT;
	} else if (rc >= 0 && job.printed == 0 && !job.all) {
		complain("%s: the selection is empty", session.trace);
		answer = EXIT_NO;
	}
	return session_finish(&session, rc, answer);
}

const struct verb verb_records = {
	.name = "records",
	.summary = "the format's own records, exactly",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"One record a line: its number, its byte offset after decompression, its name, and every\n"
		"field as key=value. Regions are instruction numbers (1000..2000) or record numbers\n"
		"(r100..r200). With --json, each line is an object. Records of ETE are packets, or with\n"
		"--elements their meaning, with all speculation resolved.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(ELEMENTS), TAKES(IMAGE), TAKES(THREADS)),
	.ways = VERB_TAKES_RECORDS,
	.run = records_run,
};
