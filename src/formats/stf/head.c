/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers as objects: taken apart, changed, written. This is where provenance lives:
 * earlier comments and TRACE_INFOs stay, in their order, and what a tool says of
 * itself is appended behind them.
 *
 * Real headers come in any order (sheet, "Header rules"); written ones have the order
 * of the public writer. What a version cannot hold is refused with the reason, in one
 * place, so that builders, verbs and `edit --version` say the same.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"
#include "formats/stf/write.h"

enum { CAIRN_GENERATOR = 0x40, MINOR_FIRST = 2, MINOR_LAST = 6 };

/* ---- the object ---- */

int cairn_stf_header_new(struct cairn *cairn, struct cairn_stf_header **out)
{
	struct cairn_stf_header *header = base_alloc(cairn, sizeof *header);
	*out = header;
	if (!header)
		return CAIRN_E_NOMEM;
	header->c = cairn;
	header->cfg = (struct cairn_stf_config){.version_major = 1,
	                                        .version_minor = MINOR_LAST,
	                                        .isa = 1,
	                                        .iem = 2,
	                                        .new_ids = 1};
	header->has_isa = header->has_iem = header->has_features = 1;
	return 0;
}

static void free_text(struct cairn *cairn, struct cairn_stf_text *text)
{
	base_free(cairn, (char *)(uintptr_t)text->text);
	*text = (struct cairn_stf_text){0};
}

void cairn_stf_header_free(struct cairn_stf_header *header)
{
	if (!header)
		return;
	for (size_t i = 0; i < header->n_comments; i++)
		free_text(header->c, &header->comments[i]);
	for (size_t i = 0; i < header->n_generators; i++)
		free_text(header->c, &header->generators[i].comment);
	for (size_t i = 0; i < header->n_clocks; i++)
		free_text(header->c, &header->clocks[i].name);
	free_text(header->c, &header->isa_extended);
	base_free(header->c, header->comments);
	base_free(header->c, header->generators);
	base_free(header->c, header->clocks);
	base_free(header->c, header);
}

/* A copy with a zero behind it, so that it can be printed. */
const char stf_comment_nul[] = "a comment does not end in a NUL: its length tells where it ends";

static int copy_text(struct cairn *cairn, const char *text, size_t n, struct cairn_stf_text *out)
{
	char *copy = base_alloc(cairn, n + 1);
	if (!copy)
		return CAIRN_E_NOMEM;
	if (n)
		memcpy(copy, text, n);
	*out = (struct cairn_stf_text){copy, n};
	return 0;
}

/* One more row of `size` bytes behind the `n` of a list; lists are short and grow
 * by doubling. */
static void *head_grow(struct cairn *cairn, void *rows, size_t n, size_t size)
{
	if (n & (n - 1))
		return rows;
	return base_realloc(cairn, rows, (n ? 2 * n : 1) * size);
}

int stf_header_comment(struct cairn_stf_header *header, const char *text, size_t n)
{
	struct cairn_stf_text *rows =
		head_grow(header->c, header->comments, header->n_comments, sizeof *rows);
	if (!rows)
		return CAIRN_E_NOMEM;
	header->comments = rows;
	int rc = copy_text(header->c, text, n, &rows[header->n_comments]);
	header->n_comments += rc >= 0;
	return rc;
}

int cairn_stf_header_comment(struct cairn_stf_header *header, const char *text, size_t n)
{
	if (n > UINT32_MAX)
		return base_fail(header->c, CAIRN_E_INVAL, "a comment of %zu bytes is too long", n);
	if (n && !text[n - 1])
		return base_fail(header->c, CAIRN_E_INVAL, "%s", stf_comment_nul);
	return stf_header_comment(header, text, n);
}

static int add_generator(struct cairn_stf_header *header, uint8_t id, const uint8_t version[3],
                         const char *comment, size_t n)
{
	struct cairn_stf_generator *rows =
		head_grow(header->c, header->generators, header->n_generators, sizeof *rows);
	if (!rows)
		return CAIRN_E_NOMEM;
	header->generators = rows;
	struct cairn_stf_generator *generator = &rows[header->n_generators];
	*generator = (struct cairn_stf_generator){.id = id};
	if (version)
		memcpy(generator->version, version, sizeof generator->version);
	int rc = copy_text(header->c, comment, n, &generator->comment);
	header->n_generators += rc >= 0;
	return rc;
}

int stf_header_generator(struct cairn_stf_header *header,
                         const struct cairn_stf_generator *generator)
{
	return add_generator(header, generator->id, generator->version, generator->comment.text,
	                     generator->comment.n);
}

int cairn_stf_header_generator(struct cairn_stf_header *header, uint8_t id,
                               const uint8_t version[3], const char *comment)
{
	size_t n = comment ? strlen(comment) : 0;
	if (id == 0 || !stf_name(stf_generators, id))
		return base_fail(
			header->c, CAIRN_E_INVAL,
			"generator id %u is none that the public tools know, and they abort on others: "
			"take 0x40",
			id);
	if (n > UINT16_MAX)
		return base_fail(header->c, CAIRN_E_INVAL,
		                 "a comment of %zu bytes is too long for TRACE_INFO", n);
	return add_generator(header, id, version, comment, n);
}

static int add_clock(struct cairn_stf_header *header, uint8_t id, const char *name, size_t n)
{
	struct cairn_stf_clock *rows =
		head_grow(header->c, header->clocks, header->n_clocks, sizeof *rows);
	if (!rows)
		return CAIRN_E_NOMEM;
	header->clocks = rows;
	rows[header->n_clocks].id = id;
	int rc = copy_text(header->c, name, n, &rows[header->n_clocks].name);
	header->n_clocks += rc >= 0;
	return rc;
}

int cairn_stf_header_clock(struct cairn_stf_header *header, uint8_t id, const char *name)
{
	size_t n = strlen(name);
	if (id == 0)
		return base_fail(header->c, CAIRN_E_INVAL, "a clock has an id from 1 on");
	if (n > UINT16_MAX)
		return base_fail(header->c, CAIRN_E_INVAL, "a clock's name of %zu bytes is too long", n);
	for (size_t i = 0; i < header->n_clocks; i++)
		if (header->clocks[i].id == id)
			return base_fail(header->c, CAIRN_E_INVAL, "there is a clock %u, '%s'", id,
			                 header->clocks[i].name.text);
	return add_clock(header, id, name, n);
}

int cairn_stf_header_isa_extended(struct cairn_stf_header *header, const char *isa)
{
	struct cairn_stf_text text = {0};
	int rc = isa ? copy_text(header->c, isa, strlen(isa), &text) : 0;
	if (rc < 0)
		return rc;
	free_text(header->c, &header->isa_extended);
	header->isa_extended = text;
	header->cfg.variants = cairn_isa_of(CAIRN_ISA_RV32, isa) & CAIRN_ISA_VARIANTS;
	return 0;
}

int cairn_stf_header_drop_comment(struct cairn_stf_header *header, size_t index)
{
	if (index >= header->n_comments)
		return base_fail(header->c, CAIRN_E_NOTFOUND, "there are %zu comments, no number %zu",
		                 header->n_comments, index + 1);
	free_text(header->c, &header->comments[index]);
	header->n_comments--;
	memmove(header->comments + index, header->comments + index + 1,
	        (header->n_comments - index) * sizeof *header->comments);
	return 0;
}

int cairn_stf_header_drop_generator(struct cairn_stf_header *header, size_t index)
{
	if (index >= header->n_generators)
		return base_fail(header->c, CAIRN_E_NOTFOUND, "there are %zu generators, no number %zu",
		                 header->n_generators, index + 1);
	free_text(header->c, &header->generators[index].comment);
	header->n_generators--;
	memmove(header->generators + index, header->generators + index + 1,
	        (header->n_generators - index) * sizeof *header->generators);
	return 0;
}

/* ---- taking apart ---- */

static int take_lists(struct cairn_stf_header *header, const uint8_t *p, size_t n)
{
	int rc = 0;
	for (size_t at = 0; at < n && rc >= 0;) {
		const uint8_t *q = p + at;
		int64_t len = cairn_stf_record_length(&header->cfg, q, n - at);
		if (len <= 0)
			break;
		switch (q[0]) {
		case CAIRN_STF_COMMENT:
			rc = stf_header_comment(header, (const char *)q + 5, (size_t)len - 5);
			break;
		case CAIRN_STF_TRACE_INFO:
			rc = add_generator(header, q[1], q + 2, (const char *)q + 7, (size_t)len - 7);
			break;
		case CAIRN_STF_CLOCK_ID:
			rc = add_clock(header, q[1], (const char *)q + 4, (size_t)len - 4);
			break;
		case CAIRN_STF_ISA_EXTENDED:
			free_text(header->c, &header->isa_extended);
			rc = copy_text(header->c, (const char *)q + 5, (size_t)len - 5, &header->isa_extended);
			break;
		case CAIRN_STF_ISA:
			header->has_isa = 1;
			break;
		case CAIRN_STF_INST_IEM:
			header->has_iem = 1;
			break;
		case CAIRN_STF_TRACE_INFO_FEATURE:
			header->has_features = 1;
			break;
		default:
			break;
		}
		at += (size_t)len;
	}
	return rc;
}

static int take_apart(struct cairn *cairn, const struct stf_header *from, const uint8_t *p,
                      struct cairn_stf_header **out)
{
	struct cairn_stf_header *header = base_alloc(cairn, sizeof *header);
	if (!header)
		return CAIRN_E_NOMEM;
	header->c = cairn;
	header->cfg = from->cfg;
	header->pc = from->pc;
	header->has_pc = from->has_pc;
	header->has_ids = from->has_ids;
	memcpy(header->ids, from->ids, sizeof header->ids);
	int rc = take_lists(header, p, from->size);
	if (rc < 0) {
		cairn_stf_header_free(header);
		return rc;
	}
	*out = header;
	return 0;
}

int cairn_stf_header_read(struct cairn *cairn, const uint8_t *p, size_t n,
                          struct cairn_stf_header **out)
{
	struct stf_options opt = {0};
	struct stf_header header;
	*out = NULL;
	int rc = stf_header_parse(cairn, &opt, p, n, false, &header);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return base_fail(cairn, CAIRN_E_TRUNCATED, "the header has no END_HEADER within %zu bytes",
		                 n);
	if (!header.ended)
		return base_fail(cairn, CAIRN_E_DAMAGED,
		                 "byte 0x%zx, record %llu: what stands here belongs into no header",
		                 header.size, (unsigned long long)header.records + 1);
	return take_apart(cairn, &header, p, out);
}

int cairn_stf_header_of(struct cairn_reader *reader, struct cairn_stf_header **out)
{
	*out = NULL;
	if (reader->format != &stf_format)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED, "%s: the trace is not STF",
		                 io_name(reader->io));
	const struct stf_impl *im = reader->impl;
	return take_apart(reader->cairn, &im->header, im->head.data, out);
}

int stf_header_copy(struct cairn *cairn, const struct cairn_stf_header *from,
                    struct cairn_stf_header **out)
{
	struct cairn_stf_header *header;
	*out = NULL;
	int rc = cairn_stf_header_new(cairn, &header);
	if (rc < 0)
		return rc;
	header->cfg = from->cfg;
	header->pc = from->pc;
	header->has_pc = from->has_pc;
	header->has_ids = from->has_ids;
	memcpy(header->ids, from->ids, sizeof header->ids);
	for (size_t i = 0; i < from->n_comments && rc >= 0; i++)
		rc = stf_header_comment(header, from->comments[i].text, from->comments[i].n);
	for (size_t i = 0; i < from->n_generators && rc >= 0; i++) {
		const struct cairn_stf_generator *generator = &from->generators[i];
		rc = add_generator(header, generator->id, generator->version, generator->comment.text,
		                   generator->comment.n);
	}
	for (size_t i = 0; i < from->n_clocks && rc >= 0; i++)
		rc = add_clock(header, from->clocks[i].id, from->clocks[i].name.text,
		               from->clocks[i].name.n);
	if (rc >= 0 && from->isa_extended.text)
		rc = copy_text(cairn, from->isa_extended.text, from->isa_extended.n, &header->isa_extended);
	if (rc < 0)
		cairn_stf_header_free(header);
	else
		*out = header;
	return rc < 0 ? rc : 0;
}

/* ---- provenance ---- */

static int provenance_comment(struct base_buf *buf, const char *tool,
                              const struct cairn_stf_provenance *provenance)
{
	const char *version = provenance->version_text;
	const char *const *lib = provenance->libraries ? provenance->libraries : cairn_features();
	int rc = base_buf_printf(buf, "%s %s", tool, version ? version : cairn_version());
	if (rc >= 0 && !version)
		rc = base_buf_printf(buf, ", git %s", base_git_sha());
	for (; rc >= 0 && *lib; lib++)
		rc = base_buf_printf(buf, ", %s", *lib);
	if (rc >= 0 && provenance->command)
		rc = base_buf_printf(buf, ": %s", provenance->command);
	return rc;
}

int cairn_stf_header_provenance(struct cairn_stf_header *header,
                                const struct cairn_stf_provenance *given)
{
	struct cairn_stf_provenance provenance = {.size = sizeof provenance};
	if (given && given->size > sizeof provenance)
		return base_fail(header->c, CAIRN_E_INVAL, "cairn_stf_provenance has an unknown size");
	if (given)
		memcpy(&provenance, given, given->size);
	const char *tool = provenance.tool ? provenance.tool : "cairn";
	unsigned v[3] = {provenance.version[0], provenance.version[1], provenance.version[2]};
	if (!provenance.generator)
		sscanf(cairn_version(), "%u.%u.%u", &v[0], &v[1], &v[2]);
	const uint8_t version[3] = {(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2]};
	struct base_buf buf;
	base_buf_init(&buf, header->c);
	int rc = provenance_comment(&buf, tool, &provenance);
	if (rc >= 0)
		rc = cairn_stf_header_generator(
			header, provenance.generator ? provenance.generator : CAIRN_GENERATOR, version, tool);
	if (rc >= 0)
		rc = cairn_stf_header_comment(header, (const char *)buf.data, buf.len);
	base_buf_free(&buf);
	return rc;
}

/* ---- writing ---- */

const char *cairn_stf_header_version_obstacle(const struct cairn_stf_header *header, unsigned minor)
{
	bool ids = header->has_ids || header->cfg.features & CAIRN_STF_F_PROCESS_ID;
	if (minor < MINOR_FIRST || minor > MINOR_LAST)
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

/* What a header made by hand lacks; a copy may be as odd as what it was made from. */
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

/* What follows the features in a trace of instructions … */
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
	/* Whatever else is said: this bit alone tells readers how wide event ids are. */
	value &= ~(uint64_t)CAIRN_STF_F_EVENT64;
	if (!header->cfg.protocol && stf_event_bits(&header->cfg) == 64)
		value |= CAIRN_STF_F_EVENT64;
	if (mode == CAIRN_STF_FEATURES_AUTO) {
		if (writer->sink && !io_sink_seekable(writer->sink)) {
			int rc = stf_hold_new(writer->cairn, writer->path, &writer->hold);
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
		header->cfg.version_minor = MINOR_LAST;
	}
	header->cfg.new_ids = header->cfg.version_minor >= 5;
	if (!cfg->event_bits)
		header->cfg.event_bits = cfg->features & CAIRN_STF_F_EVENT64 ? 64 : 32;
	header->pc = pc;
	header->has_pc = 1;
	for (size_t i = 0; i < n_comments && rc >= 0; i++)
		rc = cairn_stf_header_comment(header, comments[i], strlen(comments[i]));
	if (rc >= 0)
		rc = add_generator(header, generator, gen_version, gen_comment,
		                   gen_comment ? strlen(gen_comment) : 0);
	if (rc >= 0)
		rc = cairn_stf_header_isa_extended(header, isa_extended);
	if (rc >= 0)
		rc = cairn_stf_put_header_group(writer, header, CAIRN_STF_FEATURES_AS_IS, 0);
	cairn_stf_header_free(header);
	return rc;
}
