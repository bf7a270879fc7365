/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers written.
 *
 * Real headers come in any order (sheet, "Header rules"); written ones have the order
 * of the public writer. What a version cannot hold is refused with the reason, in one
 * place, so that builders, verbs and `edit --version` say the same.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"
#include "formats/stf/write/write.h"

const char *cairn_stf_header_version_obstacle(const struct cairn_stf_header *header, unsigned minor)
{
	bool ids = header->has_ids || header->cfg.features & CAIRN_STF_F_PROCESS_ID;
	if (minor < STF_MINOR_FIRST || minor > STF_MINOR_LAST)
		return "cairn writes the versions 1.2 to 1.6";
	if (header->isa_extended.text && minor < 6)
		return "ISA_EXTENDED came with version 1.6";
	if (header->cfg.protocol && minor < 5)
		return "transactions came with version 1.5";
	if (header->cfg.event_bits == 64 && minor < 5)
		return "event ids of 64 bits came with version 1.5";
	if (header->cfg.vlen && minor < 4)
		return "vector lengths came with version 1.4: vector registers have 64 bits before";
	if (ids && header->cfg.new_ids != (minor >= 5))
		return minor < 5 ? "process ids were TGID, TID and ASID before version 1.5"
		                 : "process ids are hardware thread, PID and TID since version 1.5";
	return NULL;
}

/* What a header made by hand lacks; a copy may be as odd as its source. */
static const char *missing(const struct cairn_stf_header *header)
{
	const struct cairn_stf_config *cfg = &header->cfg;
	if (cfg->protocol)
		return NULL;
	if (!header->has_pc)
		return "FORCE_PC is missing: where does the trace begin? (pc, has_pc)";
	if (cfg->isa == 0 || (cfg->isa > 4 && !stf_isa_is_ours(cfg->isa)))
		return "ISA is missing: 1 is RISC-V";
	if (cfg->isa == 1 && cfg->iem != 1 && cfg->iem != 2)
		return "INST_IEM is missing: 1 is RV32, 2 is RV64";
	if (cfg->vlen & (cfg->vlen - 1))
		return "a vector length is a power of two";
	return NULL;
}

static const char *flaw(const struct cairn_stf_header *header)
{
	const struct cairn_stf_config *cfg = &header->cfg;
	if (cfg->version_major != 1)
		return "cairn writes the versions 1.2 to 1.6";
	if (!header->n_generators)
		return "TRACE_INFO is missing: who made this trace? (cairn_stf_header_provenance)";
	if (cfg->protocol > 1)
		return "the only protocol that STF has is 1, TileLink";
	if (cfg->event_bits && cfg->event_bits != 32 && cfg->event_bits != 64)
		return "event ids have 32 or 64 bits";
	if (cfg->protocol && (cfg->vlen || header->has_ids || header->isa_extended.text))
		return "a trace of transactions has no vector length, process ids or ISA_EXTENDED";
	if (!cfg->protocol && header->n_clocks)
		return "a trace of instructions has no clocks";
	if (cfg->vlen && cfg->vlen < 64)
		return "a vector length is at least 64 bits";
	return NULL;
}

static int put_texts(struct cairn_stf_writer *writer, const struct cairn_stf_header *header)
{
	int rc = 0;
	for (size_t i = 0; i < header->n_comments && rc >= 0; i++) {
		stf_start(writer, CAIRN_STF_COMMENT);
		rc = stf_put_text(writer, 4, header->comments[i].text, header->comments[i].n);
	}
	if (rc >= 0 && !header->cfg.protocol)
		rc = stf_put_value(writer, CAIRN_STF_ISA, 2, header->cfg.isa);
	if (rc >= 0 && !header->cfg.protocol)
		rc = stf_put_value(writer, CAIRN_STF_INST_IEM, 2, header->cfg.iem);
	for (size_t i = 0; i < header->n_generators && rc >= 0; i++) {
		const struct cairn_stf_generator *generator = &header->generators[i];
		stf_start(writer, CAIRN_STF_TRACE_INFO);
		stf_add(writer, 1, generator->id);
		for (int k = 0; k < 3; k++)
			stf_add(writer, 1, generator->version[k]);
		rc = stf_put_text(writer, 2, generator->comment.text, generator->comment.n);
	}
	return rc;
}

/* Put what follows the features in a trace of instructions … */
static int put_machine(struct cairn_stf_writer *writer, const struct cairn_stf_header *header)
{
	int rc = 0;
	if (header->has_ids) {
		stf_start(writer, CAIRN_STF_PROCESS_ID_EXT);
		for (int i = 0; i < 3; i++)
			stf_add(writer, 4, header->ids[i]);
		rc = stf_put(writer);
	}
	if (rc >= 0 && header->has_pc)
		rc = stf_put_value(writer, CAIRN_STF_FORCE_PC, 8, header->pc);
	if (rc >= 0 && header->cfg.vlen)
		rc = stf_put_value(writer, CAIRN_STF_VLEN_CONFIG, 4, header->cfg.vlen);
	if (rc >= 0 && header->isa_extended.text) {
		stf_start(writer, CAIRN_STF_ISA_EXTENDED);
		rc = stf_put_text(writer, 4, header->isa_extended.text, header->isa_extended.n);
	}
	return rc;
}

/* … and of transactions. */
static int put_bus(struct cairn_stf_writer *writer, const struct cairn_stf_header *header)
{
	int rc = stf_put_value(writer, CAIRN_STF_PROTOCOL_ID, 1, header->cfg.protocol);
	for (size_t i = 0; i < header->n_clocks && rc >= 0; i++) {
		stf_start(writer, CAIRN_STF_CLOCK_ID);
		stf_add(writer, 1, header->clocks[i].id);
		rc = stf_put_text(writer, 2, header->clocks[i].name.text, header->clocks[i].name.n);
	}
	return rc;
}

unsigned stf_event_bits(const struct cairn_stf_config *cfg)
{
	if (cfg->event_bits)
		return cfg->event_bits;
	return cfg->version_minor >= 5 && (cfg->iem == 2 || stf_isa_is_ours(cfg->isa)) ? 64 : 32;
}

/* What the header alone makes true. */
static uint64_t features_of_header(const struct cairn_stf_header *header)
{
	if (header->cfg.protocol)
		return CAIRN_STF_F_TRANSACTIONS;
	uint64_t bits = header->cfg.isa == 1 && header->cfg.iem == 2 ? CAIRN_STF_F_RV64 : 0;
	bits |= stf_event_bits(&header->cfg) == 64 ? (uint64_t)CAIRN_STF_F_EVENT64 : 0;
	return bits | (header->has_ids ? (uint64_t)CAIRN_STF_F_PROCESS_ID : 0);
}

static int put_features(struct cairn_stf_writer *writer, const struct cairn_stf_header *header,
                        enum cairn_stf_feature_mode mode)
{
	uint64_t own = features_of_header(header), given = header->cfg.features, value = given;
	writer->mode = (uint8_t)mode;
	writer->declared = given | own;
	writer->seen = own;
	if (mode == CAIRN_STF_FEATURES_AUTO)
		value = (given & ~(uint64_t)CAIRN_STF_F_SEEN) | own;
	else if (mode == CAIRN_STF_FEATURES_DECLARED)
		value = given | own;
	/* Whatever else it says: this bit alone tells readers how wide event ids are. */
	value &= ~(uint64_t)CAIRN_STF_F_EVENT64;
	if (!header->cfg.protocol && stf_event_bits(&header->cfg) == 64)
		value |= CAIRN_STF_F_EVENT64;
	if (mode == CAIRN_STF_FEATURES_AUTO) {
		if (writer->sink && !io_sink_seekable(writer->sink)) {
			int rc = io_spill_new(writer->cairn, writer->path, STF_KEEP, &writer->hold);
			if (rc < 0)
				return rc;
		}
		writer->feature_at = writer->handed + writer->buf.len + 1;
	}
	return stf_put_value(writer, CAIRN_STF_TRACE_INFO_FEATURE, 8, value);
}

int stf_header_check(struct cairn_stf_writer *writer, const struct cairn_stf_header *header)
{
	const char *wrong = flaw(header);
	if (wrong)
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: %s", writer->path, wrong);
	wrong = cairn_stf_header_version_obstacle(header, header->cfg.version_minor);
	if (wrong)
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: version 1.%u: %s", writer->path,
		                 header->cfg.version_minor, wrong);
	return 0;
}

int cairn_stf_put_header_group(struct cairn_stf_writer *writer,
                               const struct cairn_stf_header *header,
                               enum cairn_stf_feature_mode mode, int exact)
{
	if (writer->status < 0)
		return writer->status;
	if (writer->records)
		return base_fail(writer->cairn, CAIRN_E_STATE,
		                 "%s: the header is the first thing of a trace, %s", writer->path,
		                 writer->header_done ? "and this one has it" : "records were put before");
	int rc = stf_header_check(writer, header);
	const char *lacks = exact ? NULL : missing(header);
	if (rc >= 0 && lacks)
		rc = base_fail(writer->cairn, CAIRN_E_INVAL, "%s: %s", writer->path, lacks);
	if (rc < 0)
		return rc;
	rc = cairn_stf_put_record(writer, (const uint8_t *)"\1STF", 4);
	if (rc >= 0) {
		stf_start(writer, CAIRN_STF_VERSION);
		stf_add(writer, 4, header->cfg.version_major);
		stf_add(writer, 4, header->cfg.version_minor);
		rc = stf_put(writer);
	}
	if (rc >= 0)
		rc = put_texts(writer, header);
	if (rc >= 0)
		rc = put_features(writer, header, mode);
	if (rc >= 0)
		rc = header->cfg.protocol ? put_bus(writer, header) : put_machine(writer, header);
	if (rc >= 0)
		rc = stf_put_value(writer, CAIRN_STF_END_HEADER, 0, 0);
	if (rc < 0)
		return writer->status = rc; /* half a header is none */
	if (writer->feature_at && writer->chunks)
		writer->plain = writer->buf.len;
	writer->enforce = !exact;
	return 0;
}

int cairn_stf_put_header(struct cairn_stf_writer *writer, const struct cairn_stf_config *cfg,
                         uint8_t generator, const uint8_t gen_version[3], const char *gen_comment,
                         const char *const *comments, size_t n_comments, uint64_t pc,
                         const char *isa_extended)
{
	struct cairn_stf_header *header = NULL;
	struct cairn_stf_generator made = {
		.id = generator,
		.comment = {gen_comment, gen_comment ? strlen(gen_comment) : 0}};
	if (gen_version)
		memcpy(made.version, gen_version, sizeof made.version);
	if (writer->status < 0)
		return writer->status;
	if (cfg->protocol)
		return base_fail(writer->cairn, CAIRN_E_INVAL,
		                 "%s: the header of a transaction trace names clocks: make it with "
		                 "cairn_stf_header_new",
		                 writer->path);
	int rc = cairn_stf_header_new(writer->cairn, &header);
	if (rc < 0)
		return rc;
	header->cfg = *cfg;
	if (!cfg->version_major) {
		header->cfg.version_major = 1;
		header->cfg.version_minor = STF_MINOR_LAST;
	}
	header->cfg.new_ids = header->cfg.version_minor >= 5;
	if (!cfg->event_bits)
		header->cfg.event_bits = cfg->features & CAIRN_STF_F_EVENT64 ? 64 : 32;
	header->pc = pc;
	header->has_pc = 1;
	for (size_t i = 0; i < n_comments && rc >= 0; i++)
		rc = cairn_stf_header_comment(header, comments[i], strlen(comments[i]));
	if (rc >= 0)
		rc = stf_header_generator(header, &made);
	if (rc >= 0)
		rc = cairn_stf_header_isa_extended(header, isa_extended);
	if (rc >= 0)
		rc = cairn_stf_put_header_group(writer, header, CAIRN_STF_FEATURES_AS_IS, 0);
	cairn_stf_header_free(header);
	return rc;
}
