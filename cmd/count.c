/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn count`: a whole trace is counted by the format's fast scan; a part of
 * one from batches, which know no records, so those are then unknown.
 */
#include <string.h>

#include "cmd.h"
#include "export/json.h"

struct job {
	struct session *session;
	struct cairn_tally sum;
};

struct part {
	struct cairn_tally tally;
	uint8_t keep[CAIRN_CAP_INSNS + CAIRN_CAP_XACTS];
};

static int count_begin(void *user, void **partial)
{
	struct job *job = user;
	*partial = base_alloc(job->session->cairn, sizeof(struct part));
	return *partial ? 0 : CAIRN_E_NOMEM;
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
	struct job *job = user;
	base_free(job->session->cairn, partial);
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

static int text_rows(struct base_buf *buf, const struct row *rows, size_t n, unsigned indent)
{
	enum { NAMES = 26, NUMBERS = 16 };
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].count && !rows[i].always)
			continue;
		char *p = text_open(buf, NAMES + NUMBERS + 64 + strlen(rows[i].name));
		if (!p)
			return CAIRN_E_NOMEM;
		char *from = p;
		p = text_spaces(p, indent);
		p = text_put(p, rows[i].name, strlen(rows[i].name));
		p = text_pad(p, from, NAMES, 1);
		p = text_dec_pad(p, rows[i].count, NUMBERS);
		*p++ = '\n';
		text_close(buf, p);
	}
	return 0;
}

static int text_count(struct base_buf *buf, const struct session *session,
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
	int rc = text_rows(buf, rows, sizeof rows / sizeof *rows, 0);
	for (unsigned i = 0; i < 256 && rc >= 0; i++) {
		const char *name = cairn_record_name(session->reader, i);
		struct row row = {name ? name : "?", tally->by_record[i], false};
		rc = text_rows(buf, &row, 1, 2);
	}
	return rc;
}

/* ---- JSON ---- */

static void json_records(struct jout *json, const struct session *session,
                         const struct cairn_tally *tally)
{
	jout_object(json);
	for (unsigned i = 0; i < 256; i++) {
		const char *name = cairn_record_name(session->reader, i);
		if (!tally->by_record[i] || !name)
			continue;
		jout_key(json, name, strlen(name));
		jout_u64(json, tally->by_record[i]);
	}
	jout_object_end(json);
}

static int json_count(struct base_buf *buf, struct session *session,
                      const struct cairn_tally *tally, bool whole)
{
	struct jout json;
	jout_init(&json, buf, true);
	jout_object(&json);
	JSON_KEY(&json, "instructions");
	jout_u64(&json, tally->instructions);
	JSON_KEY(&json, "executed");
	jout_u64(&json, tally->executed);
	JSON_KEY(&json, "missing");
	jout_u64(&json, tally->missing);
	JSON_KEY(&json, "transactions");
	jout_u64(&json, tally->transactions);
	JSON_KEY(&json, "records");
	if (whole)
		json_records(&json, session, tally);
	else
		jout_null(&json);
	JSON_KEY(&json, "records_total");
	if (whole)
		jout_u64(&json, tally->records);
	else
		jout_null(&json);
	JSON_KEY(&json, "loads");
	jout_u64(&json, tally->loads);
	JSON_KEY(&json, "stores");
	jout_u64(&json, tally->stores);
	JSON_KEY(&json, "branches");
	jout_u64(&json, tally->branches);
	JSON_KEY(&json, "branches_taken");
	jout_u64(&json, tally->branches_taken);
	JSON_KEY(&json, "events");
	jout_u64(&json, tally->events);
	session_notes(session, &json, NULL);
	jout_object_end(&json);
	jout_end(&json);
	return json.status;
}

static int count_run(const struct verb *self, struct options *options)
{
	struct session session;
	struct base_buf buf;
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	struct job job = {.session = &session};
	bool whole = cairn_select_all(session.select);
	base_buf_init(&buf, session.cairn);
	session_progress(&session, false);
	int rc = whole ? cairn_count(session.reader, options->threads, &job.sum) : count_part(&job);
	if (rc >= 0)
		rc = options->times[OPT_JSON] ? json_count(&buf, &session, &job.sum, whole)
		                              : text_count(&buf, &session, &job.sum, whole);
	if (rc >= 0)
		rc = io_sink_write(session.out, buf.data, buf.len);
	base_buf_free(&buf);
	if (rc >= 0 && lacks_program(session.reader) && !options->times[OPT_QUIET])
		complain_of_program(session.trace);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_count = {
	.name = "count",
	.summary = "instructions, records by type, loads, branches, events",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Instructions counts all the trace holds, executed leaves out those that were annulled,\n"
		"aborted or discarded. Loads and stores are instructions with such an access, or of\n"
		"such a class where the trace records no accesses. Of a part of a trace the records\n"
		"are not counted. With --json one document.\n",
	.takes = OPTION_LIST(TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(THREADS)),
	.run = count_run,
};
