/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn count`: a whole trace is counted by the format's fast scan; a part of
 * one from batches, which know no records, so those are then unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct job {
	struct session *session;
	struct cairn_tally sum;
};

struct part {
	struct cairn_tally tally;
	uint8_t keep[CAIRN_CAP_INSNS + CAIRN_CAP_XACTS];
};

static const char open_outcomes[] = "the trace does not record which way some branches went";

static int count_begin(void *user, void **partial)
{
	struct job *job = user;
	struct part *part = calloc(1, sizeof *part);
	if (!part)
		return cairn_fail(job->session->cairn, CAIRN_E_NOMEM, "out of memory");
	part->tally.size = sizeof part->tally;
	*partial = part;
	return 0;
}

static int count_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct job *job = user;
	struct part *part = partial;
	cairn_select_batch(job->session->select, batch, part->keep);
	cairn_tally_batch(&part->tally, batch, part->keep);
	return 0;
}

static void count_drop(void *user, void *partial)
{
	(void)user;
	free(partial);
}

static int count_fold(void *user, void *partial)
{
	struct job *job = user;
	const struct part *part = partial;
	cairn_tally_add(&job->sum, &part->tally);
	count_drop(user, partial);
	return 0;
}

static int count_part(struct job *job)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = count_begin,
	                                             .feed = count_feed,
	                                             .fold = count_fold,
	                                             .drop = count_drop};
	struct session *session = job->session;
	uint64_t last;
	cairn_reader_want(session->reader, CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET |
	                                       CAIRN_MEMS | CAIRN_EVENTS | CAIRN_XACTS |
	                                       cairn_select_parts(session->select));
	int rc = session_seek(session, &last);
	if (rc >= 0 && !session->nothing)
		rc = cairn_run(session->reader, &reducer, job, last, session->options->threads);
	cairn_tally_end(&job->sum);
	session->none = !job->sum.instructions && !job->sum.transactions;
	return rc;
}

/* ---- text ---- */

struct row {
	const char *name;
	uint64_t count;
	bool always;
};

static int text_row(struct cairn_text *text, const struct row *row, const char *indent)
{
	enum { NAMES = 26, NUMBERS = 16 };
	int width = NAMES - (int)strlen(indent);
	if (!row->count && !row->always)
		return 0;
	return cairn_text_printf(text, "%s%-*s%*llu\n", indent, width, row->name, NUMBERS,
	                         (unsigned long long)row->count);
}

static int text_count(struct cairn_text *text, const struct session *session,
                      const struct cairn_tally *tally, bool whole)
{
	const struct row rows[] = {{"instructions", tally->instructions, true},
	                           {"executed", tally->executed, true},
	                           {"missing", tally->missing, false},
	                           {"transactions", tally->transactions, false},
	                           {"loads", tally->loads, true},
	                           {"stores", tally->stores, true},
	                           {"branches", tally->branches, true},
	                           {"branches_taken", tally->branches_taken, true},
	                           {"events", tally->events, true},
	                           {"contexts", tally->contexts, false},
	                           {"records_total", tally->records, whole}};
	int rc = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows && rc >= 0; i++)
		rc = text_row(text, &rows[i], "");
	for (unsigned i = 0; i < 256 && rc >= 0; i++) {
		const char *name = cairn_record_name(session->reader, i);
		struct row row = {name ? name : "?", tally->by_record[i], false};
		rc = text_row(text, &row, "  ");
	}
	return rc;
}

/* ---- JSON ---- */

static void json_records(struct cairn_text *text, const struct session *session,
                         const struct cairn_tally *tally)
{
	cairn_json_object(text, "records");
	for (unsigned i = 0; i < 256; i++) {
		const char *name = cairn_record_name(session->reader, i);
		if (tally->by_record[i] && name)
			cairn_json_number(text, name, tally->by_record[i]);
	}
	cairn_json_close(text);
}

static int json_count(struct cairn_text *text, struct session *session,
                      const struct cairn_tally *tally, bool whole)
{
	cairn_json_begin(text, 1);
	cairn_json_number(text, "instructions", tally->instructions);
	cairn_json_number(text, "executed", tally->executed);
	cairn_json_number(text, "missing", tally->missing);
	cairn_json_number(text, "transactions", tally->transactions);
	if (whole)
		json_records(text, session, tally);
	else
		cairn_json_null(text, "records");
	json_number_if(text, "records_total", whole, tally->records);
	cairn_json_number(text, "loads", tally->loads);
	cairn_json_number(text, "stores", tally->stores);
	cairn_json_number(text, "branches", tally->branches);
	cairn_json_number(text, "branches_taken", tally->branches_taken);
	cairn_json_number(text, "events", tally->events);
	session_notes(session, text, tally->outcomes_unknown ? open_outcomes : NULL);
	return cairn_json_end(text);
}

static int count_run(const struct verb *self, struct options *options)
{
	struct session session;
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	struct job job = {.session = &session, .sum.size = sizeof job.sum};
	bool whole = cairn_select_all(session.select);
	session_progress(&session, false);
	int rc = whole ? cairn_count(session.reader, options->threads, &job.sum) : count_part(&job);
	whole = whole && !job.sum.records_unknown;
	if (rc >= 0)
		rc = options->times[OPT_JSON] ? json_count(session.text, &session, &job.sum, whole)
		                              : text_count(session.text, &session, &job.sum, whole);
	rc = session_print(&session, rc);
	session_tell_program(&session, rc);
	if (rc >= 0 && job.sum.outcomes_unknown && !options->times[OPT_QUIET])
		complain("%s: %s", session.trace, open_outcomes);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_count = {
	.name = "count",
	.summary = "instructions, records by type, loads, branches, events",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"instructions counts everything in the trace; executed leaves out what was annulled,\n"
		"aborted or discarded. Loads and stores are instructions with such an access, or of that\n"
		"class where the trace records no accesses. Of a part of a trace, records are not\n"
		"counted.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(THREADS)),
	.run = count_run,
};
