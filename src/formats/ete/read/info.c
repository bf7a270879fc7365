/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts: what the trace units are, where their bytes lie, what is known of the program.
 * Nothing is decoded for them but packets, of what is small or when all is asked for.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "formats/ete/format.h"

enum { SMALL = 16 << 20 };

static const char *const framings[] = {"source_data", "coresight", "dstream_coresight",
                                       "dstream_coresight in blocks of 512"};

static uint64_t size_of_files(const struct ete_session *session)
{
	uint64_t n = 0;
	struct stat st;
	for (size_t i = 0; i < session->n_files; i++)
		n += stat(session->files[i], &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return n;
}

/* "ETE 1.3, core 0 (cpu_0, ARM-AA64), id 0x01, TRCCONFIGR 0x…, …" */
static void list_unit(struct model_facts *facts, const struct ete_impl *im, size_t index)
{
	const struct ete_program *program = &im->programs[index];
	const struct cairn_ete_config *config = &program->cfg;
	const struct ete_unit *unit = im->snapshot ? &im->snapshot->units[index] : NULL;
	const struct ete_core *core = unit && unit->core >= 0 ? &im->snapshot->cores[unit->core] : NULL;
	unsigned version = cairn_ete_version(config);
	char who[128] = "";
	if (!im->snapshot && im->framing != ETE_RAW)
		snprintf(who, sizeof who, " cpu%u", program->hart);
	if (core)
		snprintf(who, sizeof who, " cpu%u (%.40s%s%.40s)", program->hart, core->name,
		         *core->type ? ", " : "", core->type);
	if (unit && !unit->decoded)
		model_fact_list(facts, "sources", "%s: %s%s: %s, not decoded", unit->name,
		                *unit->type ? unit->type : "of no type", who,
		                unit->unregistered ? "registers missing" : "not ETE or ETMv4");
	else
		model_fact_list(facts, "sources",
		                "%s%s%s %u.%u%s id=0x%02x trcconfigr=0x%x trcidr0=0x%x "
		                "trcidr1=0x%x trcidr2=0x%x trcidr8=0x%x trcdevarch=0x%x",
		                unit ? unit->name : "", unit ? ": " : "",
		                cairn_ete_is_ete(config) ? "ETE" : "ETMv4", version >> 4, version & 15, who,
		                config->traceidr & 0x7f, config->configr, config->idr0, config->idr1,
		                config->idr2, config->idr8, config->devarch);
}

/* In frames without a snapshot, sources whose place is known: named by options, or seen by now. */
static void list_sources(const struct ete_impl *im, bool all, struct model_facts *facts)
{
	bool ids = !im->snapshot && im->framing != ETE_RAW;
	size_t n = ids ? im->n_ids : im->n_programs;
	if (n == 0 && ids && !all)
		model_fact_unknown(facts, "sources");
	else if (n == 0)
		model_fact_empty_list(facts, "sources");
	for (size_t i = 0; i < n; i++)
		list_unit(facts, im, i);
}

static void list_sessions(const struct ete_impl *im, struct model_facts *facts)
{
	const struct ete_snapshot *snap = im->snapshot;
	for (size_t i = 0; snap && i < snap->n_sessions; i++) {
		const struct ete_session *session = &snap->sessions[i];
		model_fact_list(facts, "sessions", "%s: %llu bytes, %s, %zu source%s", session->name,
		                (unsigned long long)size_of_files(session), framings[session->framing],
		                session->n_units, session->n_units == 1 ? "" : "s");
	}
	if (!snap)
		model_fact_empty_list(facts, "sessions");
}

static void list_notes(const struct ete_impl *im, struct model_facts *facts)
{
	const struct ete_snapshot *snap = im->snapshot;
	for (size_t i = 0; snap && i < snap->n_notes; i++)
		model_fact_list(facts, "missing", "%s", snap->notes[i].text);
	if (!snap || !snap->n_notes)
		model_fact_empty_list(facts, "missing");
}

static const struct ete_program *first_ete(const struct ete_impl *im)
{
	for (size_t i = 0; i < im->n_programs; i++)
		if (!im->snapshot || im->snapshot->units[i].decoded)
			return &im->programs[i];
	return NULL;
}

static uint64_t whole_size(const struct cairn_reader *reader, const struct ete_impl *im)
{
	uint64_t n = 0;
	if (!im->snapshot)
		return io_stored_size(reader->io);
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
static int count_packets(struct cairn_reader *reader, struct statistics *to)
{
	struct ete_impl *im = reader->impl, was = *im;
	struct model_span span = {0};
	size_t n;
	bool moves = !im->snapshot && !io_map(reader->io, &n),
		 returns = moves && io_can_seek(reader->io);
	uint64_t at = io_tell(reader->io);
	int rc = returns ? io_seek(reader->io, 0) : 0;
	im->now = NULL;
	im->session = 0;
	im->base = 0;
	while (rc >= 0 && (rc = ete_cut(reader, &span, true)) > 0) {
		struct ete_span *sp = span.priv;
		while (sp->program && (rc = ete_span_packets(reader, sp)) > 0) {
			to->packets += sp->n_buffer;
			for (size_t i = 0; i < sp->n_buffer; i++)
				to->by_type[sp->buffer[i].type]++;
		}
		ete_drop(reader, &span);
		model_damage_move(reader->cairn, &to->found,
		                  &span.damage); /* damage is reported when it is read */
		if (rc >= 0 && base_cancelled(reader->cairn))
			rc = base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
		if (rc < 0)
			break;
	}
	ete_session_release(reader->cairn, im->now);
	im->now = NULL;
	if (rc >= 0 && returns)
		rc = io_seek(reader->io, at);
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

/* Only if the trace is small, or everything is asked for. */
static int survey(struct cairn_reader *reader, uint64_t size, struct statistics *to)
{
	const struct ete_impl *im = reader->impl;
	size_t n;
	bool quick = size <= SMALL && (im->snapshot || io_map(reader->io, &n));
	if (!quick && (!reader->survey || (im->begun && !ete_rewinds(reader))))
		return 0;
	to->known = true;
	return count_packets(reader, to);
}

static void list_packets(const struct statistics *statistics, struct model_facts *facts)
{
	bool known = statistics->known;
	model_fact_known(facts, "packets", known, statistics->packets);
	model_fact_known(facts, "sync_points", known, statistics->by_type[CAIRN_ETE_P_ASYNC]);
	for (unsigned type = 0; type < 256 && known; type++)
		if (statistics->by_type[type])
			model_fact_list(facts, "packet_types", "%s %llu", cairn_ete_packet_name(type),
			                (unsigned long long)statistics->by_type[type]);
	if (known && !statistics->packets)
		model_fact_empty_list(facts, "packet_types");
}

static const char *config_of(const struct ete_impl *im)
{
	return im->snapshot ? "of the snapshot" : im->regs_given ? "as stated" : "assumed";
}

static int info_tell(const struct cairn_reader *reader, uint64_t size,
                     const struct statistics *statistics, struct model_facts *facts)
{
	const struct ete_impl *im = reader->impl;
	const struct ete_program *program = first_ete(im);
	model_fact_text(facts, "format", "ETE");
	if (program)
		model_fact_text(facts, "version", "%u.%u", cairn_ete_version(&program->cfg) >> 4,
		                cairn_ete_version(&program->cfg) & 15);
	else
		model_fact_unknown(facts, "version");
	model_fact_text(facts, "container", "%s",
	                im->snapshot             ? "snapshot"
	                : im->framing == ETE_RAW ? "none"
	                                         : framings[im->framing]);
	model_fact_text(facts, "codec", "%s", io_codec(reader->io));
	model_fact_text(facts, "isa", "arm");
	model_fact_unknown(facts, "instructions");
	model_fact_size(facts, size);
	bool described = im->snapshot && *im->snapshot->description;
	model_fact_maybe(facts, "description", described ? im->snapshot->description : NULL);
	model_fact_text(facts, "configuration", "%s", config_of(im));
	list_sources(im, statistics->known, facts);
	/* IDs seen so far whose bytes belong to no trace unit. */
	for (size_t i = 0; i < statistics->found.n_notes && !im->snapshot; i++)
		model_fact_list(facts, "left_out", "%s", statistics->found.note[i]);
	list_sessions(im, facts);
	list_notes(im, facts);
	list_packets(statistics, facts);
	return model_fact_empty_list(facts, "generators");
}

int ete_info(struct cairn_reader *reader, struct model_facts *facts)
{
	struct statistics statistics = {0};
	uint64_t size = whole_size(reader, reader->impl);
	int rc = survey(reader, size, &statistics);
	if (rc >= 0)
		rc = info_tell(reader, size, &statistics, facts);
	model_damage_free(reader->cairn, &statistics.found);
	return rc;
}
