/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a trace in order, on the caller's thread: spans one after another,
 * each sealed with the exit of the one before. Damage a span met moves to the
 * reader when the span is left, so the list is in trace order.
 */
#include "model/index.h"

#include <stdio.h>
#include <string.h>

int model_reader_new(struct cairn *c, const struct model_format *f, struct io_source *io,
                     const char *options, const struct cairn_open_opts *opts,
                     struct cairn_reader **out)
{
	*out = NULL;
	struct cairn_reader *r = base_alloc(c, sizeof *r);
	if (!r) {
		io_close(io);
		return CAIRN_E_NOMEM;
	}
	r->c = c;
	r->format = f;
	r->io = io;
	r->want = CAIRN_EVERYTHING | CAIRN_ASM;
	r->strict = opts && opts->strict;
	r->lenient = opts && opts->lenient;
	r->image = opts ? opts->image : NULL;
	r->facts.c = c;
	r->state_size = MODEL_STATE;
	int rc = f->open(r, options);
	r->opened = r->damage.kept;
	if ((rc == CAIRN_E_DAMAGED || rc == CAIRN_E_TRUNCATED) && r->lenient) {
		r->broken = rc;
		r->why = base_strdup(c, cairn_error_text(c));
		rc = r->why ? 0 : CAIRN_E_NOMEM;
	}
	if (rc >= 0) {
		r->before = base_alloc(c, 2 * r->state_size);
		rc = r->before ? 0 : CAIRN_E_NOMEM;
	}
	if (rc < 0) {
		cairn_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

static void drop_span(struct cairn_reader *r)
{
	if (!r->have_span)
		return;
	model_damage_move(r->c, &r->damage, &r->span.damage);
	r->format->drop(r, &r->span);
	r->have_span = false;
}

void cairn_close(struct cairn_reader *r)
{
	if (!r)
		return;
	drop_span(r);
	if (r->worker && r->format->worker_free)
		r->format->worker_free(r, r->worker);
	r->format->close(r);
	model_damage_free(r->c, &r->damage);
	model_damage_free(r->c, &r->passed);
	model_damage_free(r->c, &r->near);
	model_facts_free(&r->facts);
	io_close(r->io);
	cairn_index_close(r->index);
	base_free(r->c, r->index_note);
	base_free(r->c, r->why);
	base_free(r->c, r->before);
	base_free(r->c, r);
}

int cairn_reader_is_part(const struct cairn_reader *r)
{
	return !r->broken && r->format->is_part && r->format->is_part(r);
}

const char *cairn_reader_format(const struct cairn_reader *r)
{
	return r->format->name;
}

int model_usable(const struct cairn_reader *r)
{
	return r->broken < 0 ? base_fail(r->c, r->broken, "%s", r->why) : 0;
}

void cairn_reader_want(struct cairn_reader *r, uint32_t parts)
{
	r->want = parts;
}

uint32_t cairn_reader_can(const struct cairn_reader *r)
{
	return r->can;
}

bool model_lacks_program(const struct cairn_reader *r)
{
	return !(r->can & (CAIRN_PC | CAIRN_ROW_PLACES | CAIRN_XACTS));
}

double cairn_progress(const struct cairn_reader *r)
{
	uint64_t total = __atomic_load_n(&r->total, __ATOMIC_RELAXED);
	uint64_t done = __atomic_load_n(&r->done, __ATOMIC_RELAXED);
	return total ? (double)done / (double)total : -1.0;
}

uint64_t cairn_bytes_read(const struct cairn_reader *r)
{
	return __atomic_load_n(&r->done, __ATOMIC_RELAXED);
}

/* Take one span and bring it to where it can be decoded: 1, 0, < 0. */
static int take_span(struct cairn_reader *r, bool skipping)
{
	const struct model_format *f = r->format;
	memset(&r->span, 0, sizeof r->span);
	r->span.exit = r->before + r->state_size;
	int rc = f->cut(r, &r->span, !skipping);
	if (rc <= 0)
		return rc;
	r->have_span = true;
	r->span.seq = r->next_seq++;
	r->span.worker = r->worker;
	if (f->load)
		rc = f->load(r, &r->span);
	if (rc >= 0 && skipping) {
		r->span.scanned = true;
		rc = f->scan(r, &r->span, NULL);
	}
	if (rc >= 0)
		rc = f->seal(r, r->before, &r->span);
	return rc < 0 ? rc : 1;
}

bool model_must_scan(const struct cairn_reader *r)
{
	return r->skip_to && !r->reached && r->format->scan;
}

int model_span_next(struct cairn_reader *r)
{
	const struct model_format *f = r->format;
	int rc = 0;
	if (!r->worker && f->worker_new)
		rc = f->worker_new(r, &r->worker);
	if (rc < 0)
		return rc;
	for (;;) {
		if (r->have_span) {
			memcpy(r->before, r->span.exit, r->state_size);
			drop_span(r);
		}
		bool skipping = model_must_scan(r);
		rc = take_span(r, skipping);
		if (rc <= 0)
			return rc;
		if (!skipping)
			return 1;
		if (r->span.n1 > r->skip_to) {
			r->reached = true;
			return 1;
		}
	}
}

int model_strict(struct cairn_reader *r)
{
	if (!r->strict || r->damage.count == 0)
		return 0;
	return base_fail(r->c, CAIRN_E_DAMAGED, "%s: %s", io_name(r->io),
	                 r->damage.kept ? r->damage.text[0] : "damaged");
}

int model_not_readable(struct cairn_reader *r)
{
	if (r->broken)
		return model_usable(r);
	if (r->failed)
		return base_fail(r->c, r->failed, "%s: reading has failed before", io_name(r->io));
	if (r->lost)
		return base_fail(r->c, CAIRN_E_STATE, "%s: a run ended early: seek before reading on",
		                 io_name(r->io));
	return 0;
}

/* May the caller have another batch or record? */
static int reader_may_go_on(struct cairn_reader *r)
{
	r->started = true;
	int rc = model_not_readable(r);
	if (rc >= 0)
		rc = model_strict(r);
	if (rc >= 0 && base_cancelled(r->c))
		rc = base_fail(r->c, CAIRN_E_CANCELLED, "cancelled");
	return rc;
}

bool model_batch_is_before(const struct cairn_reader *r, const struct cairn_batch *b)
{
	return b->n0 + b->n_insns <= r->skip_to && b->x0 + b->n_xacts <= r->skip_to;
}

int cairn_next(struct cairn_reader *r, struct cairn_batch *b)
{
	for (;;) {
		int rc = reader_may_go_on(r);
		if (rc < 0)
			return rc;
		if (r->have_span) {
			rc = r->format->decode(r, &r->span, b);
			model_damage_move(r->c, &r->damage, &r->span.damage);
			if (rc > 0 && model_batch_is_before(r, b))
				continue;
			if (rc > 0)
				return 1;
		}
		if (rc == 0)
			rc = model_span_next(r);
		if (rc < 0)
			r->failed = rc;
		if (rc == 0)
			rc = model_strict(r);
		if (rc <= 0)
			return rc;
	}
}

int cairn_next_record(struct cairn_reader *r, struct cairn_record *rec)
{
	if (!r->format->record)
		return base_fail(r->c, CAIRN_E_UNSUPPORTED, "%s has no records to show", r->format->name);
	for (;;) {
		int rc = reader_may_go_on(r);
		if (rc < 0)
			return rc;
		if (r->have_span) {
			rc = r->format->record(r, &r->span, rec);
			model_damage_move(r->c, &r->damage, &r->span.damage);
			if (rc > 0)
				return 1;
		}
		if (rc == 0)
			rc = model_span_next(r);
		if (rc < 0)
			r->failed = rc;
		if (rc == 0)
			rc = model_strict(r);
		if (rc <= 0)
			return rc;
	}
}

int cairn_seek(struct cairn_reader *r, uint64_t n)
{
	int usable = model_usable(r);
	if (usable < 0)
		return usable;
	if (n == 0)
		return base_fail(r->c, CAIRN_E_INVAL, "instructions are numbered from 1");
	if (!r->format->seek && r->started)
		return base_fail(r->c, CAIRN_E_STATE, "%s: this trace cannot be sought in", io_name(r->io));
	drop_span(r);
	memset(r->before, 0, r->state_size);
	r->next_seq = 0;
	r->skip_to = n > 1 ? n : 0;
	r->reached = false;
	int rc = index_seek(r, n);
	r->jumped = rc == 1;
	if (r->jumped)
		r->next_seq = 1; /* not the first span: `before` counts */
	else if (rc == 0 && r->format->seek)
		rc = r->format->seek(r, cairn_reader_jumps(r) ? 1 : n);
	if (rc < 0)
		return rc;
	r->failed = 0;
	r->lost = false;
	return 0;
}

const char *cairn_reader_reading(struct cairn_reader *r, size_t i)
{
	bool any = model_usable(r) >= 0 && r->format->reading &&
	           r->format->reading(r, i, r->reading, sizeof r->reading);
	return any ? r->reading : NULL;
}

int cairn_reader_info(struct cairn_reader *r, const struct cairn_info **info)
{
	int rc = model_usable(r);
	if (rc >= 0 && r->facts.info.n == 0)
		rc = r->format->info(r, &r->facts);
	if (rc >= 0 && r->index && !r->facts_done)
		rc = index_facts(r->index, &r->facts);
	r->facts_done = rc >= 0;
	if (rc < 0)
		model_facts_free(&r->facts); /* not half of them the next time */
	*info = &r->facts.info;
	return rc;
}

int cairn_reader_survey(struct cairn_reader *r, const struct cairn_info **info)
{
	model_facts_free(&r->facts);
	r->facts_done = false;
	r->survey = true;
	return cairn_reader_info(r, info);
}

const char *cairn_record_name(const struct cairn_reader *r, unsigned type)
{
	return r->format->record_name ? r->format->record_name(r, type) : NULL;
}

const char *cairn_event_name(const struct cairn_reader *r, const struct cairn_event *e, char *buf)
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
	const char *name = r->format->event_name ? r->format->event_name(r, e, buf) : NULL;
	if (!name && e->kind < 64)
		name = names[e->kind];
	return name ? name : "EVENT";
}

/* ---- damage ---- */

void model_damaged(struct cairn_reader *r, struct model_span *s, const char *fmt, ...)
{
	struct model_damage *d = &s->damage;
	d->count++;
	if (d->kept == MODEL_DAMAGE_KEPT)
		return;
	char text[768];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	d->text[d->kept] = base_strdup(r->c, text);
	if (d->text[d->kept])
		d->kept++;
}

/* A sentence is told once, however often what it is about was read. */
static bool take_note(struct model_damage *d, char *text)
{
	for (size_t i = 0; i < d->n_notes; i++)
		if (!strcmp(d->note[i], text))
			return false;
	if (d->n_notes == MODEL_NOTES_KEPT)
		return false;
	d->note[d->n_notes++] = text;
	return true;
}

void model_noted(struct cairn_reader *r, struct model_span *s, const char *fmt, ...)
{
	char text[768];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	char *own = base_strdup(r->c, text);
	if (own && !take_note(&s->damage, own))
		base_free(r->c, own);
}

void model_damage_move(struct cairn *c, struct model_damage *to, struct model_damage *from)
{
	for (size_t i = 0; i < from->n_notes; i++)
		if (!take_note(to, from->note[i]))
			base_free(c, from->note[i]);
	from->n_notes = 0;
	if (from->count == 0)
		return;
	to->count += from->count;
	for (size_t i = 0; i < from->kept; i++) {
		if (to->kept < MODEL_DAMAGE_KEPT)
			to->text[to->kept++] = from->text[i];
		else
			base_free(c, from->text[i]);
	}
	from->count = from->kept = 0;
}

void model_tell_passed(struct cairn_reader *r)
{
	struct model_damage at_open = {.count = r->opened, .kept = r->opened}, behind = r->damage;
	if (r->got_there)
		return;
	for (size_t i = 0; i < behind.kept; i++)
		*(i < r->opened ? &at_open.text[i] : &behind.text[i - r->opened]) = behind.text[i];
	behind.count -= r->opened;
	behind.kept -= r->opened;
	r->damage = (struct model_damage){0};
	model_damage_move(r->c, &r->damage, &at_open);
	model_damage_move(r->c, &r->damage, &r->passed);
	model_damage_move(r->c, &r->damage, &r->near);
	model_damage_move(r->c, &r->damage, &behind);
}

void model_damage_forget(struct cairn *cairn, struct model_damage *damage, size_t from)
{
	for (size_t i = from; i < damage->kept; i++)
		base_free(cairn, damage->text[i]);
	if (damage->count > from)
		damage->count = damage->kept = from;
}

void model_damage_free(struct cairn *c, struct model_damage *d)
{
	model_damage_forget(c, d, 0);
	for (size_t i = 0; i < d->n_notes; i++)
		base_free(c, d->note[i]);
	d->n_notes = 0;
}

const char *cairn_reader_note(const struct cairn_reader *r, size_t i)
{
	return i < r->damage.n_notes ? r->damage.note[i] : NULL;
}

uint64_t cairn_damage_count(const struct cairn_reader *r)
{
	return r->damage.count;
}

const char *cairn_damage_text(const struct cairn_reader *r, size_t i)
{
	return i < r->damage.kept ? r->damage.text[i] : NULL;
}
