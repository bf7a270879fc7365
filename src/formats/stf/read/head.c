/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers as objects: taken apart and changed. This is where provenance lives:
 * earlier comments and TRACE_INFOs stay, in their order, and what a tool says of
 * itself is appended behind them.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"

enum { CAIRN_GENERATOR = 0x40 };

/* ---- the object ---- */

int cairn_stf_header_new(struct cairn *cairn, struct cairn_stf_header **out)
{
	struct cairn_stf_header *header = base_alloc(cairn, sizeof *header);
	*out = header;
	if (!header)
		return CAIRN_E_NOMEM;
	header->c = cairn;
	header->cfg = (struct cairn_stf_config){.version_major = 1,
	                                        .version_minor = STF_MINOR_LAST,
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

const char stf_comment_nul[] = "a comment does not end in a NUL: its length tells where it ends";

/* A copy with a zero behind it, so that it can be printed. */
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

/* Close the gap that row `index` leaves in a list of rows of `size` bytes. */
static int head_drop(void *rows, size_t *n, size_t size, size_t index)
{
	uint8_t *row = (uint8_t *)rows + index * size;
	memmove(row, row + size, (--*n - index) * size);
	return 0;
}

int cairn_stf_header_drop_comment(struct cairn_stf_header *header, size_t index)
{
	if (index >= header->n_comments)
		return base_fail(header->c, CAIRN_E_NOTFOUND, "there are %zu comments, no number %zu",
		                 header->n_comments, index + 1);
	free_text(header->c, &header->comments[index]);
	return head_drop(header->comments, &header->n_comments, sizeof *header->comments, index);
}

int cairn_stf_header_drop_generator(struct cairn_stf_header *header, size_t index)
{
	if (index >= header->n_generators)
		return base_fail(header->c, CAIRN_E_NOTFOUND, "there are %zu generators, no number %zu",
		                 header->n_generators, index + 1);
	free_text(header->c, &header->generators[index].comment);
	return head_drop(header->generators, &header->n_generators, sizeof *header->generators, index);
}

/* ---- taking apart ---- */

int stf_header_keep(struct cairn_stf_header *header, const uint8_t *p, const char *text, size_t n)
{
	switch (*p) {
	case CAIRN_STF_COMMENT:
		return stf_header_comment(header, text, n);
	case CAIRN_STF_TRACE_INFO: {
		const uint8_t version[] = {stf_TRACE_INFO_major(p), stf_TRACE_INFO_minor(p),
		                           stf_TRACE_INFO_minor_minor(p)};
		return add_generator(header, stf_TRACE_INFO_generator(p), version, text, n);
	}
	case CAIRN_STF_CLOCK_ID:
		return add_clock(header, stf_CLOCK_ID_clock(p), text, n);
	case CAIRN_STF_ISA_EXTENDED:
		free_text(header->c, &header->isa_extended);
		return copy_text(header->c, text, n, &header->isa_extended);
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
	return 0;
}

/* Take numbers and flags of a header that was read. */
static void head_take(struct cairn_stf_header *header, const struct stf_header *from)
{
	header->cfg = from->cfg;
	header->pc = from->pc;
	header->has_pc = from->has_pc;
	header->has_ids = from->has_ids;
	memcpy(header->ids, from->ids, sizeof header->ids);
}

/* Read a header from [p, p + n), as stf_header_parse does. */
static int head_read(struct cairn *cairn, const struct stf_options *opt, const uint8_t *p, size_t n,
                     struct stf_header *header)
{
	header->object = base_alloc(cairn, sizeof *header->object);
	if (!header->object)
		return CAIRN_E_NOMEM;
	header->object->c = cairn;
	int rc = stf_header_parse(cairn, opt, p, n, opt->lenient, header);
	if (rc <= 0)
		cairn_stf_header_free(header->object);
	else
		head_take(header->object, header);
	return rc;
}

int cairn_stf_header_read(struct cairn *cairn, const uint8_t *p, size_t n,
                          struct cairn_stf_header **out)
{
	struct stf_options opt = {0};
	struct stf_header header;
	*out = NULL;
	int rc = head_read(cairn, &opt, p, n, &header);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return base_fail(cairn, CAIRN_E_TRUNCATED, "the header has no END_HEADER within %zu bytes",
		                 n);
	if (!header.ended) {
		cairn_stf_header_free(header.object);
		return base_fail(cairn, CAIRN_E_DAMAGED,
		                 "byte 0x%zx, record %llu: this does not belong in a header", header.size,
		                 (unsigned long long)header.records + 1);
	}
	*out = header.object;
	return 0;
}

int cairn_stf_header_of(struct cairn_reader *reader, struct cairn_stf_header **out)
{
	*out = NULL;
	if (reader->format->open != stf_open)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED, "%s: the trace is not STF",
		                 io_name(reader->io));
	const struct stf_impl *im = reader->impl;
	struct stf_options opt = {
		.lenient = true}; /* it was decided when the trace was opened how strict to be */
	struct stf_header header;
	int rc = head_read(reader->cairn, &opt, im->head.data, im->header.size, &header);
	if (rc < 0)
		return rc;
	head_take(header.object, &im->header);
	*out = header.object;
	return 0;
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
