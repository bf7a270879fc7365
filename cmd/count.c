/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn count`: a whole trace is counted by the format's fast scan; a part of
 * one from batches, which know no records, so those are then unknown.
 */
#include <string.h>

#include "cmd.h"
#include "export/json.h"

struct job {
	struct session *s;
	struct cairn_tally sum;
};

struct part {
	struct cairn_tally tally;
	uint8_t keep[CAIRN_CAP_INSNS + CAIRN_CAP_XACTS];
};

static int count_begin(void *user, void **partial)
{
	struct job *j = user;
	*partial = base_alloc(j->s->c, sizeof(struct part));
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int count_feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct job *j = user;
	struct part *p = partial;
	cairn_select_batch(j->s->select, b, p->keep);
	cairn_tally_batch(&p->tally, b, p->keep);
	return 0;
}

static void count_drop(void *user, void *partial)
{
	struct job *j = user;
	base_free(j->s->c, partial);
}

static int count_fold(void *user, void *partial)
{
	struct job *j = user;
	const struct part *p = partial;
	cairn_tally_add(&j->sum, &p->tally);
	count_drop(user, partial);
	return 0;
}

static int count_part(struct job *j)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = count_begin,
	                                             .feed = count_feed,
	                                             .fold = count_fold,
	                                             .drop = count_drop};
	struct session *s = j->s;
	uint64_t last;
	cairn_reader_want(s->r, CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_MEMS |
	                            CAIRN_EVENTS | CAIRN_XACTS | cairn_select_parts(s->select));
	int rc = session_seek(s, &last);
	if (rc >= 0 && !s->nothing)
		rc = cairn_run(s->r, &reducer, j, last, s->o->threads);
	cairn_tally_end(&j->sum);
	s->none = !j->sum.instructions && !j->sum.transactions;
	return rc;
}

/* ---- text ---- */

struct row {
	const char *name;
	uint64_t count;
	bool always;
};

static int text_rows(struct base_buf *b, const struct row *rows, size_t n, unsigned indent)
{
	enum { NAMES = 26, NUMBERS = 16 };
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].count && !rows[i].always)
			continue;
		char *p = text_open(b, NAMES + NUMBERS + 64 + strlen(rows[i].name));
		if (!p)
			return CAIRN_E_NOMEM;
		char *from = p;
		p = text_spaces(p, indent);
		p = text_put(p, rows[i].name, strlen(rows[i].name));
		p = text_pad(p, from, NAMES, 1);
		p = text_dec_pad(p, rows[i].count, NUMBERS);
		*p++ = '\n';
		text_close(b, p);
	}
	return 0;
}

static int text_count(struct base_buf *b, const struct session *s, const struct cairn_tally *t,
                      bool whole)
{
	const struct row rows[] = {{"instructions", t->instructions, true},
	                           {"executed", t->executed, true},
	                           {"missing", t->missing, false},
	                           {"transactions", t->transactions, false},
	                           {"loads", t->loads, true},
	                           {"stores", t->stores, true},
	                           {"branches", t->branches, true},
	                           {"branches_taken", t->branches_taken, true},
	                           {"events", t->events, true},
	                           {"contexts", t->contexts, false},
	                           {"records_total", t->records, whole}};
	int rc = text_rows(b, rows, sizeof rows / sizeof *rows, 0);
	for (unsigned i = 0; i < 256 && rc >= 0; i++) {
		const char *name = cairn_record_name(s->r, i);
		struct row row = {name ? name : "?", t->by_record[i], false};
		rc = text_rows(b, &row, 1, 2);
	}
	return rc;
}

/* ---- JSON ---- */

static void json_records(struct jout *j, const struct session *s, const struct cairn_tally *t)
{
	jout_object(j);
	for (unsigned i = 0; i < 256; i++) {
		const char *name = cairn_record_name(s->r, i);
		if (!t->by_record[i] || !name)
			continue;
		jout_key(j, name, strlen(name));
		jout_u64(j, t->by_record[i]);
	}
	jout_object_end(j);
}

static int json_count(struct base_buf *b, struct session *s, const struct cairn_tally *t,
                      bool whole)
{
	struct jout j;
	jout_init(&j, b, true);
	jout_object(&j);
	JSON_KEY(&j, "instructions");
	jout_u64(&j, t->instructions);
	JSON_KEY(&j, "executed");
	jout_u64(&j, t->executed);
	JSON_KEY(&j, "missing");
	jout_u64(&j, t->missing);
	JSON_KEY(&j, "transactions");
	jout_u64(&j, t->transactions);
	JSON_KEY(&j, "records");
	if (whole)
		json_records(&j, s, t);
	else
		jout_null(&j);
	JSON_KEY(&j, "records_total");
	if (whole)
		jout_u64(&j, t->records);
	else
		jout_null(&j);
	JSON_KEY(&j, "loads");
	jout_u64(&j, t->loads);
	JSON_KEY(&j, "stores");
	jout_u64(&j, t->stores);
	JSON_KEY(&j, "branches");
	jout_u64(&j, t->branches);
	JSON_KEY(&j, "branches_taken");
	jout_u64(&j, t->branches_taken);
	JSON_KEY(&j, "events");
	jout_u64(&j, t->events);
	session_notes(s, &j, NULL);
	jout_object_end(&j);
	jout_end(&j);
	return j.status;
}

static int count_run(const struct verb *self, struct options *o)
{
	struct session s;
	struct base_buf b;
	if (session_open(&s, self, o) < 0)
		return EXIT_COULD_NOT;
	struct job j = {.s = &s};
	bool whole = cairn_select_all(s.select);
	base_buf_init(&b, s.c);
	session_progress(&s, false);
	int rc = whole ? cairn_count(s.r, o->threads, &j.sum) : count_part(&j);
	if (rc >= 0)
		rc = o->times[OPT_JSON] ? json_count(&b, &s, &j.sum, whole)
		                        : text_count(&b, &s, &j.sum, whole);
	if (rc >= 0)
		rc = io_sink_write(s.out, b.data, b.len);
	base_buf_free(&b);
	if (rc >= 0 && lacks_program(s.r) && !o->times[OPT_QUIET])
		complain_of_program(s.trace);
	return session_finish(&s, rc, EXIT_FINE);
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
