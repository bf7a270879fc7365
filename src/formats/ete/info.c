/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts: what the trace units are, where their bytes lie, what is known of the program.
 * Nothing is decoded for them but packets, of what is small or when all is asked for.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/ete/format.h"

enum { SMALL = 16 << 20 };

static const char *const framings[] = {"source_data", "coresight", "dstream_coresight",
                                       "dstream_coresight in blocks of 512"};

static uint64_t size_of_files(const struct ete_session *s)
{
	uint64_t n = 0;
	struct stat st;
	for (size_t i = 0; i < s->n_files; i++)
		n += stat(s->files[i], &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return n;
}

/* "ETE 1.3, core 0 (cpu_0, ARM-AA64), id 0x01, TRCCONFIGR 0x…, …" */
static int list_unit(struct model_facts *f, const struct ete_impl *im, size_t i)
{
	const struct ete_program *p = &im->programs[i];
	const struct cairn_ete_config *c = &p->cfg;
	const struct ete_unit *u = im->snapshot ? &im->snapshot->units[i] : NULL;
	const struct ete_core *core = u && u->core >= 0 ? &im->snapshot->cores[u->core] : NULL;
	unsigned version = cairn_ete_version(c);
	char who[128] = "";
	if (!im->snapshot && im->framing != ETE_RAW)
		snprintf(who, sizeof who, " cpu%u", p->hart);
	if (core)
		snprintf(who, sizeof who, " cpu%u (%.40s%s%.40s)", p->hart, core->name,
		         *core->type ? ", " : "", core->type);
	if (u && !u->decoded)
		return model_fact_list(f, "sources", "%s: %s%s: %s, not decoded", u->name,
		                       *u->type ? u->type : "of no type", who,
		                       u->unregistered ? "registers missing" : "not ETE or ETMv4");
	return model_fact_list(f, "sources",
	                       "%s%s%s %u.%u%s id=0x%02x trcconfigr=0x%x trcidr0=0x%x "
	                       "trcidr1=0x%x trcidr2=0x%x trcidr8=0x%x trcdevarch=0x%x",
	                       u ? u->name : "", u ? ": " : "", cairn_ete_is_ete(c) ? "ETE" : "ETMv4",
	                       version >> 4, version & 15, who, c->traceidr & 0x7f, c->configr, c->idr0,
	                       c->idr1, c->idr2, c->idr8, c->devarch);
}

/* Of frames without a snapshot those whose place is known: told of, or seen by now. */
static int list_sources(const struct ete_impl *im, bool all, struct model_facts *f)
{
	bool ids = !im->snapshot && im->framing != ETE_RAW;
	size_t n = ids ? im->n_ids : im->n_programs;
	int rc = n             ? 0
	         : ids && !all ? model_fact_unknown(f, "sources")
	                       : model_fact_empty_list(f, "sources");
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = list_unit(f, im, i);
	return rc;
}

static int list_sessions(const struct ete_impl *im, struct model_facts *f)
{
	const struct ete_snapshot *snap = im->snapshot;
	int rc = 0;
	for (size_t i = 0; snap && i < snap->n_sessions && rc >= 0; i++) {
		const struct ete_session *s = &snap->sessions[i];
		rc = model_fact_list(f, "sessions", "%s: %llu bytes, %s, %zu source%s", s->name,
		                     (unsigned long long)size_of_files(s), framings[s->framing], s->n_units,
		                     s->n_units == 1 ? "" : "s");
	}
	return snap || rc < 0 ? rc : model_fact_empty_list(f, "sessions");
}

static int list_notes(const struct ete_impl *im, struct model_facts *f)
{
	const struct ete_snapshot *snap = im->snapshot;
	int rc = 0;
	for (size_t i = 0; snap && i < snap->n_notes && rc >= 0; i++)
		rc = model_fact_list(f, "missing", "%s", snap->notes[i].text);
	return rc < 0 || (snap && snap->n_notes) ? rc : model_fact_empty_list(f, "missing");
}

static const struct ete_program *first_ete(const struct ete_impl *im)
{
	for (size_t i = 0; i < im->n_programs; i++)
		if (!im->snapshot || im->snapshot->units[i].decoded)
			return &im->programs[i];
	return NULL;
}

static uint64_t whole_size(const struct cairn_reader *r, const struct ete_impl *im)
{
	uint64_t n = 0;
	if (!im->snapshot)
		return io_stored_size(r->io);
	for (size_t i = 0; i < im->snapshot->n_sessions; i++)
		n += size_of_files(&im->snapshot->sessions[i]);
	return n;
}

/* ---- packets ---- */

struct statistics {
	bool known;
	uint64_t packets, by_type[256];
	struct model_damage found; /* its notes */
};

/* Go through all sessions, and leave the reader where it was; a pipe is then at its end. */
static int count_packets(struct cairn_reader *r, struct statistics *to)
{
	struct ete_impl *im = r->impl, was = *im;
	struct model_span s = {0};
	size_t n;
	bool moves = !im->snapshot && !io_map(r->io, &n), returns = moves && io_can_seek(r->io);
	uint64_t at = io_tell(r->io);
	int rc = returns ? io_seek(r->io, 0) : 0;
	im->now = NULL;
	im->session = 0;
	im->base = 0;
	while (rc >= 0 && (rc = ete_cut(r, &s, true)) > 0) {
		struct ete_span *sp = s.priv;
		while (sp->program && (rc = ete_span_packets(r, sp)) > 0) {
			to->packets += sp->n_buffer;
			for (size_t i = 0; i < sp->n_buffer; i++)
				to->by_type[sp->buffer[i].type]++;
		}
		ete_drop(r, &s);
		model_damage_move(r->c, &to->found, &s.damage); /* damage is told when it is read */
		if (rc >= 0 && base_cancelled(r->c))
			rc = base_fail(r->c, CAIRN_E_CANCELLED, "cancelled");
		if (rc < 0)
			break;
	}
	ete_session_release(r->c, im->now);
	im->now = NULL;
	if (rc >= 0 && returns)
		rc = io_seek(r->io, at);
	if (!moves || returns) { /* which ID is whose stays known */
		im->session = was.session;
		im->base = was.base;
		im->begun = was.begun;
		im->noted = was.noted;
		im->unplaced = was.unplaced;
		im->now = was.now;
	}
	return rc;
}

/* Of what is small, or when all is asked for. */
static int survey(struct cairn_reader *r, uint64_t size, struct statistics *to)
{
	const struct ete_impl *im = r->impl;
	size_t n;
	bool quick = size <= SMALL && (im->snapshot || io_map(r->io, &n));
	if (!quick && (!r->survey || (im->begun && !ete_rewinds(r))))
		return 0;
	to->known = true;
	return count_packets(r, to);
}

static int list_packets(const struct statistics *s, struct model_facts *f)
{
	int rc;
	if (!s->known) {
		rc = model_fact_unknown(f, "packets");
		return rc < 0 ? rc : model_fact_unknown(f, "sync_points");
	}
	rc = model_fact_number(f, "packets", s->packets);
	if (rc >= 0)
		rc = model_fact_number(f, "sync_points", s->by_type[CAIRN_ETE_P_ASYNC]);
	for (unsigned type = 0; type < 256 && rc >= 0; type++)
		if (s->by_type[type])
			rc = model_fact_list(f, "packet_types", "%s %llu", cairn_ete_packet_name(type),
			                     (unsigned long long)s->by_type[type]);
	return rc < 0 || s->packets ? rc : model_fact_empty_list(f, "packet_types");
}

/* IDs whose bytes are no trace unit's, as far as they were seen. */
static int list_left_out(const struct ete_impl *im, const struct statistics *s,
                         struct model_facts *f)
{
	int rc = 0;
	for (size_t i = 0; i < s->found.n_notes && rc >= 0 && !im->snapshot; i++)
		rc = model_fact_list(f, "left_out", "%s", s->found.note[i]);
	return rc;
}

static const char *config_of(const struct ete_impl *im)
{
	return im->snapshot ? "of the snapshot" : im->regs_given ? "as stated" : "assumed";
}

static int info_tell(const struct cairn_reader *r, uint64_t size, const struct statistics *s,
                     struct model_facts *f)
{
	const struct ete_impl *im = r->impl;
	const struct ete_program *p = first_ete(im);
	int rc = model_fact_text(f, "format", "ETE");
	if (rc >= 0)
		rc = p ? model_fact_text(f, "version", "%u.%u", cairn_ete_version(&p->cfg) >> 4,
		                         cairn_ete_version(&p->cfg) & 15)
		       : model_fact_unknown(f, "version");
	if (rc >= 0)
		rc = model_fact_text(f, "container", "%s",
		                     im->snapshot             ? "snapshot"
		                     : im->framing == ETE_RAW ? "none"
		                                              : framings[im->framing]);
	if (rc >= 0)
		rc = model_fact_text(f, "codec", "%s", io_codec(r->io));
	if (rc >= 0)
		rc = model_fact_text(f, "isa", "arm");
	if (rc >= 0)
		rc = model_fact_unknown(f, "instructions");
	if (rc >= 0)
		rc =
			size == IO_UNKNOWN ? model_fact_unknown(f, "size") : model_fact_number(f, "size", size);
	if (rc >= 0)
		rc = im->snapshot && *im->snapshot->description
		         ? model_fact_text(f, "description", "%s", im->snapshot->description)
		         : model_fact_unknown(f, "description");
	if (rc >= 0)
		rc = model_fact_text(f, "configuration", "%s", config_of(im));
	if (rc >= 0)
		rc = list_sources(im, s->known, f);
	if (rc >= 0)
		rc = list_left_out(im, s, f);
	if (rc >= 0)
		rc = list_sessions(im, f);
	if (rc >= 0)
		rc = list_notes(im, f);
	if (rc >= 0)
		rc = list_packets(s, f);
	return rc < 0 ? rc : model_fact_empty_list(f, "generators");
}

int ete_info(struct cairn_reader *r, struct model_facts *f)
{
	struct statistics s = {0};
	uint64_t size = whole_size(r, r->impl);
	int rc = survey(r, size, &s);
	if (rc >= 0)
		rc = info_tell(r, size, &s, f);
	model_damage_free(r->c, &s.found);
	return rc;
}
