/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a trace in order, on the caller's thread: spans one after another,
 * each sealed with the exit of the one before. Damage a span met moves to the
 * reader when the span is left, so the list is in trace order.
 */
#include "model/index.h"
#include "model/mark.h"

#include <stdio.h>
#include <string.h>

int model_reader_new(struct cairn *cairn, const struct model_format *format, struct io_source *io,
                     const char *options, const struct cairn_open_opts *opts,
                     struct cairn_reader **out)
{
	*out = NULL;
	struct cairn_reader *reader = base_alloc(cairn, sizeof *reader);
	if (!reader) {
		io_close(io);
		return CAIRN_E_NOMEM;
	}
	reader->cairn = cairn;
	reader->format = format;
	reader->io = io;
	reader->want = CAIRN_EVERYTHING | CAIRN_ASM;
	reader->strict = opts && opts->strict;
	reader->lenient = opts && opts->lenient;
	reader->image = opts ? opts->image : NULL;
	reader->facts.cairn = cairn;
	reader->state_size = MODEL_STATE;
	int rc = format->open(reader, options);
	reader->opened = reader->damage.kept;
	if ((rc == CAIRN_E_DAMAGED || rc == CAIRN_E_TRUNCATED) && reader->lenient) {
		reader->broken = rc;
		reader->why = base_strdup(cairn, cairn_error_text(cairn));
		rc = reader->why ? 0 : CAIRN_E_NOMEM;
	}
	if (rc >= 0) {
		reader->before = base_alloc(cairn, 2 * reader->state_size);
		rc = reader->before ? 0 : CAIRN_E_NOMEM;
	}
	if (rc < 0) {
		cairn_close(reader);
		return rc;
	}
	*out = reader;
	return 0;
}

static void reader_take_damage(struct cairn_reader *reader)
{
	if (reader->span.overall && !io_can_seek(reader->io))
		model_keep_overall(reader, &reader->span);
	model_damage_move(reader->cairn, &reader->damage, &reader->span.damage);
}

static void drop_span(struct cairn_reader *reader)
{
	if (!reader->have_span)
		return;
	reader_take_damage(reader);
	reader->format->drop(reader, &reader->span);
	reader->have_span = false;
}

void cairn_close(struct cairn_reader *reader)
{
	if (!reader)
		return;
	drop_span(reader);
	if (reader->worker && reader->format->worker_free)
		reader->format->worker_free(reader, reader->worker);
	reader->format->close(reader);
	model_damage_free(reader->cairn, &reader->damage);
	model_damage_free(reader->cairn, &reader->passed);
	model_damage_free(reader->cairn, &reader->near);
	model_damage_free(reader->cairn, &reader->overall);
	model_facts_free(&reader->facts);
	if (reader->derivation)
		reader->derivation->free(reader->derivation);
	io_close(reader->io);
	cairn_index_close(reader->index);
	base_free(reader->cairn, reader->index_note);
	base_free(reader->cairn, reader->why);
	base_free(reader->cairn, reader->before);
	base_free(reader->cairn, reader);
}

int cairn_reader_is_part(const struct cairn_reader *reader)
{
	return !reader->broken && reader->format->is_part && reader->format->is_part(reader);
}

const char *cairn_reader_format(const struct cairn_reader *reader)
{
	return reader->format->name;
}

int model_usable(const struct cairn_reader *reader)
{
	return reader->broken < 0 ? base_fail(reader->cairn, reader->broken, "%s", reader->why) : 0;
}

void cairn_reader_want(struct cairn_reader *reader, uint32_t parts)
{
	if (reader->format->marks && parts & (CAIRN_REGS | CAIRN_MEMS))
		parts |= CAIRN_EVENTS;
	reader->want = reader->derivation ? parts | MODEL_DERIVED_FROM : parts;
}

void model_derive(struct cairn_reader *reader, struct model_derivation *derivation)
{
	reader->derivation = derivation;
	reader->can |= CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES;
}

int cairn_reader_derived(const struct cairn_reader *reader, struct cairn_derived *out)
{
	static const struct cairn_derived none;
	int rc = base_sized(reader->cairn, out, "cairn_derived");
	if (rc >= 0)
		base_give(out, reader->derivation ? &reader->derivation->count : &none, sizeof none);
	return rc;
}

int model_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch)
{
	int rc = reader->format->decode(reader, span, batch);
	if (rc > 0 && batch->n_events && reader->format->marks)
		model_marks_read(batch);
	int derived =
		rc > 0 && reader->derivation ? reader->derivation->batch(reader->derivation, batch) : 0;
	return derived < 0 ? derived : rc;
}

uint32_t cairn_reader_can(const struct cairn_reader *reader)
{
	return reader->can;
}

int cairn_reader_lacks_program(const struct cairn_reader *reader)
{
	return !reader->broken && !(reader->can & (CAIRN_PC | CAIRN_ROW_PLACES | CAIRN_XACTS));
}

double cairn_progress(const struct cairn_reader *reader)
{
	uint64_t total = __atomic_load_n(&reader->total, __ATOMIC_RELAXED);
	uint64_t done = __atomic_load_n(&reader->done, __ATOMIC_RELAXED);
	return total ? (double)done / (double)total : -1.0;
}

uint64_t cairn_bytes_read(const struct cairn_reader *reader)
{
	return __atomic_load_n(&reader->done, __ATOMIC_RELAXED);
}

int model_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	int rc = reader->format->cut(reader, span, alone);
	return rc == 0 ? io_check_inputs(reader->cairn) : rc;
}

/* Take one span and bring it to where it can be decoded: 1, 0, < 0. */
static int take_span(struct cairn_reader *reader, bool skipping)
{
	const struct model_format *format = reader->format;
	memset(&reader->span, 0, sizeof reader->span);
	reader->span.exit = reader->before + reader->state_size;
	int rc = model_cut(reader, &reader->span, !skipping);
	if (rc <= 0)
		return rc;
	reader->have_span = true;
	reader->span.seq = reader->next_seq++;
	reader->span.worker = reader->worker;
	if (format->load)
		rc = format->load(reader, &reader->span);
	if (rc >= 0 && skipping) {
		reader->span.scanned = true;
		rc = format->scan(reader, &reader->span, NULL);
	}
	if (rc >= 0)
		rc = format->seal(reader, reader->before, &reader->span);
	return rc < 0 ? rc : 1;
}

bool model_must_scan(const struct cairn_reader *reader)
{
	/* What is derived follows from all that comes before. */
	return reader->skip_to && !reader->reached && reader->format->scan && !reader->derivation;
}

int model_span_next(struct cairn_reader *reader)
{
	const struct model_format *format = reader->format;
	int rc = 0;
	if (!reader->worker && format->worker_new)
		rc = format->worker_new(reader, &reader->worker);
	if (rc < 0)
		return rc;
	for (;;) {
		if (reader->have_span) {
			memcpy(reader->before, reader->span.exit, reader->state_size);
			drop_span(reader);
		}
		bool skipping = model_must_scan(reader);
		rc = take_span(reader, skipping);
		if (rc <= 0)
			return rc;
		if (!skipping)
			return 1;
		if (reader->span.n1 > reader->skip_to) {
			reader->reached = true;
			return 1;
		}
	}
}

int model_strict(struct cairn_reader *reader)
{
	if (!reader->strict || reader->damage.count == 0)
		return 0;
	return base_fail(reader->cairn, CAIRN_E_DAMAGED, "%s: %s", io_name(reader->io),
	                 reader->damage.kept ? reader->damage.text[0] : "damaged");
}

int model_not_readable(struct cairn_reader *reader)
{
	if (reader->broken)
		return model_usable(reader);
	if (reader->failed)
		return base_fail(reader->cairn, reader->failed, "%s: reading has failed before",
		                 io_name(reader->io));
	if (reader->lost)
		return base_fail(reader->cairn, CAIRN_E_STATE,
		                 "%s: a run ended early: seek before reading on", io_name(reader->io));
	return 0;
}

/* May the caller have another batch or record? */
static int reader_may_go_on(struct cairn_reader *reader)
{
	reader->started = true;
	int rc = model_not_readable(reader);
	if (rc >= 0)
		rc = model_strict(reader);
	if (rc >= 0 && base_cancelled(reader->cairn))
		rc = base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
	return rc;
}

bool model_batch_is_before(const struct cairn_reader *reader, const struct cairn_batch *batch)
{
	return batch->n0 + batch->n_insns <= reader->skip_to &&
	       batch->x0 + batch->n_xacts <= reader->skip_to;
}

/* The next batch or, if that is NULL, the next record. */
static int reader_next(struct cairn_reader *reader, struct cairn_batch *batch,
                       struct cairn_record *rec)
{
	const struct model_format *format = reader->format;
	for (;;) {
		int rc = reader_may_go_on(reader);
		if (rc < 0)
			return rc;
		if (reader->have_span) {
			rc = batch ? model_decode(reader, &reader->span, batch)
			           : format->record(reader, &reader->span, rec);
			reader_take_damage(reader);
			if (rc > 0 && batch && model_batch_is_before(reader, batch))
				continue;
			if (rc > 0)
				return 1;
		}
		if (rc == 0)
			rc = model_span_next(reader);
		if (rc < 0)
			reader->failed = rc;
		if (rc == 0)
			rc = model_strict(reader);
		if (rc <= 0)
			return rc;
	}
}

int cairn_next(struct cairn_reader *reader, struct cairn_batch *batch)
{
	return reader_next(reader, batch, NULL);
}

int cairn_next_record(struct cairn_reader *reader, struct cairn_record *rec)
{
	if (!reader->format->record)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED, "%s has no records to show",
		                 reader->format->name);
	return reader_next(reader, NULL, rec);
}

int cairn_seek(struct cairn_reader *reader, uint64_t n)
{
	int usable = model_usable(reader);
	if (usable < 0)
		return usable;
	if (n == 0)
		return base_fail(reader->cairn, CAIRN_E_INVAL, "instructions are numbered from 1");
	if (!reader->format->seek && reader->started)
		return base_fail(reader->cairn, CAIRN_E_STATE, "%s: this trace cannot be sought in",
		                 io_name(reader->io));
	drop_span(reader);
	reader->damage.told = reader->damage.kept;
	memset(reader->before, 0, reader->state_size);
	reader->next_seq = 0;
	reader->skip_to = n > 1 ? n : 0;
	reader->reached = false;
	int rc = index_seek(reader, n);
	reader->jumped = rc == 1;
	if (reader->jumped)
		reader->next_seq = 1; /* not the first span: `before` counts */
	else if (rc == 0 && reader->format->seek)
		rc = reader->format->seek(reader, cairn_reader_jumps(reader) || reader->derivation ? 1 : n);
	if (rc < 0)
		return rc;
	if (reader->derivation)
		reader->derivation->reset(reader->derivation);
	reader->failed = 0;
	reader->lost = false;
	return 0;
}

const char *cairn_reader_reading(struct cairn_reader *reader, size_t index)
{
	bool any = model_usable(reader) >= 0 && reader->format->reading &&
	           reader->format->reading(reader, index, reader->reading, sizeof reader->reading);
	return any ? reader->reading : NULL;
}

int cairn_reader_info(struct cairn_reader *reader, const struct cairn_info **info)
{
	int rc = model_usable(reader);
	if (rc >= 0 && reader->facts.info.n == 0)
		rc = reader->format->info(reader, &reader->facts);
	if (rc >= 0 && reader->index && !reader->facts_done)
		rc = index_facts(reader->index, &reader->facts);
	reader->facts_done = rc >= 0;
	if (rc < 0)
		model_facts_free(&reader->facts); /* none, rather than some, the next time */
	*info = &reader->facts.info;
	return rc;
}

int cairn_reader_survey(struct cairn_reader *reader, const struct cairn_info **info)
{
	model_facts_free(&reader->facts);
	reader->facts_done = false;
	reader->survey = true;
	return cairn_reader_info(reader, info);
}

const char *cairn_record_name(const struct cairn_reader *reader, unsigned type)
{
	return reader->format->record_name ? reader->format->record_name(reader, type) : NULL;
}

const char *cairn_event_name(const struct cairn_reader *reader, const struct cairn_event *event,
                             char *buf)
{
	static const char *const names[64] = {[CAIRN_EV_DAMAGE] = "DAMAGE",
	                                      [CAIRN_EV_GAP] = "GAP",
	                                      [CAIRN_EV_COMMENT] = "COMMENT",
	                                      [CAIRN_EV_EXCEPTION] = "EXCEPTION",
	                                      [CAIRN_EV_INTERRUPT] = "INTERRUPT",
	                                      [CAIRN_EV_SYSCALL] = "SYSCALL",
	                                      [CAIRN_EV_TRAP_RETURN] = "TRAP_RETURN",
	                                      [CAIRN_EV_MODE] = "MODE",
	                                      [CAIRN_EV_FORCE_PC] = "FORCE_PC",
	                                      [CAIRN_EV_BRANCH] = "BRANCH",
	                                      [CAIRN_EV_CONTEXT] = "CONTEXT",
	                                      [CAIRN_EV_MODE_ISA] = "ISA",
	                                      [CAIRN_EV_PAGE_WALK] = "PAGE_WALK",
	                                      [CAIRN_EV_TLB] = "TLB",
	                                      [CAIRN_EV_SNOOP] = "SNOOP",
	                                      [CAIRN_EV_MICRO_OP] = "MICRO_OP",
	                                      [CAIRN_EV_TIMESTAMP] = "TIMESTAMP",
	                                      [CAIRN_EV_CYCLES] = "CYCLES",
	                                      [CAIRN_EV_MARKER] = "MARKER",
	                                      [CAIRN_EV_TRACE_ON] = "TRACE_ON",
	                                      [CAIRN_EV_ATOM] = "ATOM",
	                                      [CAIRN_EV_FORMAT] = "FORMAT"};
	const char *name =
		reader->format->event_name ? reader->format->event_name(reader, event, buf) : NULL;
	if (!name && event->kind < 64)
		name = names[event->kind];
	return name ? name : "EVENT";
}

/* ---- damage ---- */

void model_damaged(struct cairn_reader *reader, struct model_span *span, const char *fmt, ...)
{
	struct model_damage *damage = &span->damage;
	damage->count++;
	if (damage->kept == MODEL_DAMAGE_KEPT)
		return;
	char text[768];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	damage->text[damage->kept] = base_strdup(reader->cairn, text);
	if (damage->text[damage->kept])
		damage->kept++;
}

/* A note is reported once, however often its place was read. */
static bool take_note(struct model_damage *damage, char *text)
{
	for (size_t i = 0; i < damage->n_notes; i++)
		if (!strcmp(damage->note[i], text))
			return false;
	if (damage->n_notes == MODEL_NOTES_KEPT)
		return false;
	damage->note[damage->n_notes++] = text;
	return true;
}

void model_noted(struct cairn_reader *reader, struct model_span *span, const char *fmt, ...)
{
	char text[768];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	char *own = base_strdup(reader->cairn, text);
	if (own && !take_note(span ? &span->damage : &reader->damage, own))
		base_free(reader->cairn, own);
}

/* Was it noted when the place was read before? */
static bool damage_was_told(const struct model_damage *damage, const char *text)
{
	for (size_t i = 0; i < damage->told; i++)
		if (!strcmp(damage->text[i], text))
			return true;
	return false;
}

void model_damage_move(struct cairn *cairn, struct model_damage *to, struct model_damage *from)
{
	for (size_t i = 0; i < from->n_notes; i++)
		if (!take_note(to, from->note[i]))
			base_free(cairn, from->note[i]);
	from->n_notes = 0;
	if (from->count == 0)
		return;
	to->count += from->count;
	for (size_t i = 0; i < from->kept; i++) {
		bool again = damage_was_told(to, from->text[i]);
		to->count -= again;
		if (!again && to->kept < MODEL_DAMAGE_KEPT)
			to->text[to->kept++] = from->text[i];
		else
			base_free(cairn, from->text[i]);
	}
	from->count = from->kept = 0;
}

void model_keep_overall(struct cairn_reader *reader, struct model_span *span)
{
	struct model_damage *overall = &reader->overall, *damage = &span->damage;
	for (size_t i = 0; i < span->overall && overall->kept < MODEL_DAMAGE_KEPT; i++) {
		char *text = base_strdup(reader->cairn, damage->text[i]);
		if (text)
			overall->text[overall->kept++] = text;
		overall->count++;
	}
	span->overall = 0;
	for (size_t i = 0; i < damage->n_notes; i++)
		if (!take_note(&reader->damage, damage->note[i]))
			base_free(reader->cairn, damage->note[i]);
	damage->n_notes = 0;
}

void model_tell_passed(struct cairn_reader *reader)
{
	struct model_damage at_open = {.count = reader->opened, .kept = reader->opened},
						behind = reader->damage;
	if (reader->got_there)
		return;
	for (size_t i = 0; i < behind.kept; i++)
		*(i < reader->opened ? &at_open.text[i] : &behind.text[i - reader->opened]) =
			behind.text[i];
	behind.count -= reader->opened;
	behind.kept -= reader->opened;
	reader->damage = (struct model_damage){0};
	model_damage_move(reader->cairn, &reader->damage, &at_open);
	model_damage_move(reader->cairn, &reader->damage, &reader->passed);
	model_damage_move(reader->cairn, &reader->damage, &reader->near);
	model_damage_move(reader->cairn, &reader->damage, &behind);
}

void model_damage_forget(struct cairn *cairn, struct model_damage *damage, size_t from)
{
	for (size_t i = from; i < damage->kept; i++)
		base_free(cairn, damage->text[i]);
	if (damage->count > from)
		damage->count = damage->kept = from;
	if (damage->told > damage->kept)
		damage->told = damage->kept;
}

void model_damage_free(struct cairn *cairn, struct model_damage *damage)
{
	model_damage_forget(cairn, damage, 0);
	for (size_t i = 0; i < damage->n_notes; i++)
		base_free(cairn, damage->note[i]);
	damage->n_notes = 0;
}

const char *cairn_reader_note(const struct cairn_reader *reader, size_t index)
{
	return index < reader->damage.n_notes ? reader->damage.note[index] : NULL;
}

uint64_t cairn_damage_count(const struct cairn_reader *reader)
{
	return reader->damage.count;
}

const char *cairn_damage_text(const struct cairn_reader *reader, size_t index)
{
	return index < reader->damage.kept ? reader->damage.text[index] : NULL;
}
