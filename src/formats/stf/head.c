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

int cairn_stf_header_new(struct cairn *c, struct cairn_stf_header **out)
{
	struct cairn_stf_header *h = base_alloc(c, sizeof *h);
	*out = h;
	if (!h)
		return CAIRN_E_NOMEM;
	h->c = c;
	h->cfg = (struct cairn_stf_config){.version_major = 1,
	                                   .version_minor = MINOR_LAST,
	                                   .isa = 1,
	                                   .iem = 2,
	                                   .new_ids = 1};
	h->has_isa = h->has_iem = h->has_features = 1;
	return 0;
}

static void free_text(struct cairn *c, struct cairn_stf_text *t)
{
	base_free(c, (char *)(uintptr_t)t->text);
	*t = (struct cairn_stf_text){0};
}

void cairn_stf_header_free(struct cairn_stf_header *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n_comments; i++)
		free_text(h->c, &h->comments[i]);
	for (size_t i = 0; i < h->n_generators; i++)
		free_text(h->c, &h->generators[i].comment);
	for (size_t i = 0; i < h->n_clocks; i++)
		free_text(h->c, &h->clocks[i].name);
	free_text(h->c, &h->isa_extended);
	base_free(h->c, h->comments);
	base_free(h->c, h->generators);
	base_free(h->c, h->clocks);
	base_free(h->c, h);
}

/* A copy with a zero behind it, so that it can be printed. */
const char stf_comment_nul[] = "a comment does not end in a NUL: its length tells where it ends";

static int copy_text(struct cairn *c, const char *text, size_t n, struct cairn_stf_text *out)
{
	char *copy = base_alloc(c, n + 1);
	if (!copy)
		return CAIRN_E_NOMEM;
	if (n)
		memcpy(copy, text, n);
	*out = (struct cairn_stf_text){copy, n};
	return 0;
}

/* One more row of `size` bytes behind the `n` of a list; lists are short and grow
 * by doubling. */
static void *head_grow(struct cairn *c, void *rows, size_t n, size_t size)
{
	if (n & (n - 1))
		return rows;
	return base_realloc(c, rows, (n ? 2 * n : 1) * size);
}

int stf_header_comment(struct cairn_stf_header *h, const char *text, size_t n)
{
	struct cairn_stf_text *rows = head_grow(h->c, h->comments, h->n_comments, sizeof *rows);
	if (!rows)
		return CAIRN_E_NOMEM;
	h->comments = rows;
	int rc = copy_text(h->c, text, n, &rows[h->n_comments]);
	h->n_comments += rc >= 0;
	return rc;
}

int cairn_stf_header_comment(struct cairn_stf_header *h, const char *text, size_t n)
{
	if (n > UINT32_MAX)
		return base_fail(h->c, CAIRN_E_INVAL, "a comment of %zu bytes is too long", n);
	if (n && !text[n - 1])
		return base_fail(h->c, CAIRN_E_INVAL, "%s", stf_comment_nul);
	return stf_header_comment(h, text, n);
}

static int add_generator(struct cairn_stf_header *h, uint8_t id, const uint8_t version[3],
                         const char *comment, size_t n)
{
	struct cairn_stf_generator *rows =
		head_grow(h->c, h->generators, h->n_generators, sizeof *rows);
	if (!rows)
		return CAIRN_E_NOMEM;
	h->generators = rows;
	struct cairn_stf_generator *g = &rows[h->n_generators];
	*g = (struct cairn_stf_generator){.id = id};
	if (version)
		memcpy(g->version, version, sizeof g->version);
	int rc = copy_text(h->c, comment, n, &g->comment);
	h->n_generators += rc >= 0;
	return rc;
}

int stf_header_generator(struct cairn_stf_header *h, const struct cairn_stf_generator *g)
{
	return add_generator(h, g->id, g->version, g->comment.text, g->comment.n);
}

int cairn_stf_header_generator(struct cairn_stf_header *h, uint8_t id, const uint8_t version[3],
                               const char *comment)
{
	size_t n = comment ? strlen(comment) : 0;
	if (id == 0 || !stf_name(stf_generators, id))
		return base_fail(
			h->c, CAIRN_E_INVAL,
			"generator id %u is none that the public tools know, and they abort on others: "
			"take 0x40",
			id);
	if (n > UINT16_MAX)
		return base_fail(h->c, CAIRN_E_INVAL, "a comment of %zu bytes is too long for TRACE_INFO",
		                 n);
	return add_generator(h, id, version, comment, n);
}

static int add_clock(struct cairn_stf_header *h, uint8_t id, const char *name, size_t n)
{
	struct cairn_stf_clock *rows = head_grow(h->c, h->clocks, h->n_clocks, sizeof *rows);
	if (!rows)
		return CAIRN_E_NOMEM;
	h->clocks = rows;
	rows[h->n_clocks].id = id;
	int rc = copy_text(h->c, name, n, &rows[h->n_clocks].name);
	h->n_clocks += rc >= 0;
	return rc;
}

int cairn_stf_header_clock(struct cairn_stf_header *h, uint8_t id, const char *name)
{
	size_t n = strlen(name);
	if (id == 0)
		return base_fail(h->c, CAIRN_E_INVAL, "a clock has an id from 1 on");
	if (n > UINT16_MAX)
		return base_fail(h->c, CAIRN_E_INVAL, "a clock's name of %zu bytes is too long", n);
	for (size_t i = 0; i < h->n_clocks; i++)
		if (h->clocks[i].id == id)
			return base_fail(h->c, CAIRN_E_INVAL, "there is a clock %u, '%s'", id,
			                 h->clocks[i].name.text);
	return add_clock(h, id, name, n);
}

int cairn_stf_header_isa_extended(struct cairn_stf_header *h, const char *isa)
{
	struct cairn_stf_text text = {0};
	int rc = isa ? copy_text(h->c, isa, strlen(isa), &text) : 0;
	if (rc < 0)
		return rc;
	free_text(h->c, &h->isa_extended);
	h->isa_extended = text;
	h->cfg.variants = cairn_isa_of(CAIRN_ISA_RV32, isa) & CAIRN_ISA_VARIANTS;
	return 0;
}

int cairn_stf_header_drop_comment(struct cairn_stf_header *h, size_t i)
{
	if (i >= h->n_comments)
		return base_fail(h->c, CAIRN_E_NOTFOUND, "there are %zu comments, no number %zu",
		                 h->n_comments, i + 1);
	free_text(h->c, &h->comments[i]);
	h->n_comments--;
	memmove(h->comments + i, h->comments + i + 1, (h->n_comments - i) * sizeof *h->comments);
	return 0;
}

int cairn_stf_header_drop_generator(struct cairn_stf_header *h, size_t i)
{
	if (i >= h->n_generators)
		return base_fail(h->c, CAIRN_E_NOTFOUND, "there are %zu generators, no number %zu",
		                 h->n_generators, i + 1);
	free_text(h->c, &h->generators[i].comment);
	h->n_generators--;
	memmove(h->generators + i, h->generators + i + 1,
	        (h->n_generators - i) * sizeof *h->generators);
	return 0;
}

/* ---- taking apart ---- */

static int take_lists(struct cairn_stf_header *h, const uint8_t *p, size_t n)
{
	int rc = 0;
	for (size_t at = 0; at < n && rc >= 0;) {
		const uint8_t *q = p + at;
		int64_t len = cairn_stf_record_length(&h->cfg, q, n - at);
		if (len <= 0)
			break;
		switch (q[0]) {
		case CAIRN_STF_COMMENT:
			rc = stf_header_comment(h, (const char *)q + 5, (size_t)len - 5);
			break;
		case CAIRN_STF_TRACE_INFO:
			rc = add_generator(h, q[1], q + 2, (const char *)q + 7, (size_t)len - 7);
			break;
		case CAIRN_STF_CLOCK_ID:
			rc = add_clock(h, q[1], (const char *)q + 4, (size_t)len - 4);
			break;
		case CAIRN_STF_ISA_EXTENDED:
			free_text(h->c, &h->isa_extended);
			rc = copy_text(h->c, (const char *)q + 5, (size_t)len - 5, &h->isa_extended);
			break;
		case CAIRN_STF_ISA:
			h->has_isa = 1;
			break;
		case CAIRN_STF_INST_IEM:
			h->has_iem = 1;
			break;
		case CAIRN_STF_TRACE_INFO_FEATURE:
			h->has_features = 1;
			break;
		default:
			break;
		}
		at += (size_t)len;
	}
	return rc;
}

static int take_apart(struct cairn *c, const struct stf_header *from, const uint8_t *p,
                      struct cairn_stf_header **out)
{
	struct cairn_stf_header *h = base_alloc(c, sizeof *h);
	if (!h)
		return CAIRN_E_NOMEM;
	h->c = c;
	h->cfg = from->cfg;
	h->pc = from->pc;
	h->has_pc = from->has_pc;
	h->has_ids = from->has_ids;
	memcpy(h->ids, from->ids, sizeof h->ids);
	int rc = take_lists(h, p, from->size);
	if (rc < 0) {
		cairn_stf_header_free(h);
		return rc;
	}
	*out = h;
	return 0;
}

int cairn_stf_header_read(struct cairn *c, const uint8_t *p, size_t n,
                          struct cairn_stf_header **out)
{
	struct stf_options opt = {0};
	struct stf_header h;
	*out = NULL;
	int rc = stf_header_parse(c, &opt, p, n, false, &h);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return base_fail(c, CAIRN_E_TRUNCATED, "the header has no END_HEADER within %zu bytes", n);
	if (!h.ended)
		return base_fail(c, CAIRN_E_DAMAGED,
		                 "byte 0x%zx, record %llu: what stands here belongs into no header", h.size,
		                 (unsigned long long)h.records + 1);
	return take_apart(c, &h, p, out);
}

int cairn_stf_header_of(struct cairn_reader *r, struct cairn_stf_header **out)
{
	*out = NULL;
	if (r->format != &stf_format)
		return base_fail(r->c, CAIRN_E_UNSUPPORTED, "%s: the trace is not STF", io_name(r->io));
	const struct stf_impl *im = r->impl;
	return take_apart(r->c, &im->header, im->head.data, out);
}

int stf_header_copy(struct cairn *c, const struct cairn_stf_header *from,
                    struct cairn_stf_header **out)
{
	struct cairn_stf_header *h;
	*out = NULL;
	int rc = cairn_stf_header_new(c, &h);
	if (rc < 0)
		return rc;
	h->cfg = from->cfg;
	h->pc = from->pc;
	h->has_pc = from->has_pc;
	h->has_ids = from->has_ids;
	memcpy(h->ids, from->ids, sizeof h->ids);
	for (size_t i = 0; i < from->n_comments && rc >= 0; i++)
		rc = stf_header_comment(h, from->comments[i].text, from->comments[i].n);
	for (size_t i = 0; i < from->n_generators && rc >= 0; i++) {
		const struct cairn_stf_generator *g = &from->generators[i];
		rc = add_generator(h, g->id, g->version, g->comment.text, g->comment.n);
	}
	for (size_t i = 0; i < from->n_clocks && rc >= 0; i++)
		rc = add_clock(h, from->clocks[i].id, from->clocks[i].name.text, from->clocks[i].name.n);
	if (rc >= 0 && from->isa_extended.text)
		rc = copy_text(c, from->isa_extended.text, from->isa_extended.n, &h->isa_extended);
	if (rc < 0)
		cairn_stf_header_free(h);
	else
		*out = h;
	return rc < 0 ? rc : 0;
}

/* ---- provenance ---- */

static int provenance_comment(struct base_buf *b, const char *tool,
                              const struct cairn_stf_provenance *p)
{
	const char *version = p->version_text;
	const char *const *lib = p->libraries ? p->libraries : cairn_features();
	int rc = base_buf_printf(b, "%s %s", tool, version ? version : cairn_version());
	if (rc >= 0 && !version)
		rc = base_buf_printf(b, ", git %s", base_git_sha());
	for (; rc >= 0 && *lib; lib++)
		rc = base_buf_printf(b, ", %s", *lib);
	if (rc >= 0 && p->command)
		rc = base_buf_printf(b, ": %s", p->command);
	return rc;
}

int cairn_stf_header_provenance(struct cairn_stf_header *h,
                                const struct cairn_stf_provenance *given)
{
	struct cairn_stf_provenance p = {.size = sizeof p};
	if (given && given->size > sizeof p)
		return base_fail(h->c, CAIRN_E_INVAL, "cairn_stf_provenance has an unknown size");
	if (given)
		memcpy(&p, given, given->size);
	const char *tool = p.tool ? p.tool : "cairn";
	unsigned v[3] = {p.version[0], p.version[1], p.version[2]};
	if (!p.generator)
		sscanf(cairn_version(), "%u.%u.%u", &v[0], &v[1], &v[2]);
	const uint8_t version[3] = {(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2]};
	struct base_buf b;
	base_buf_init(&b, h->c);
	int rc = provenance_comment(&b, tool, &p);
	if (rc >= 0)
		rc = cairn_stf_header_generator(h, p.generator ? p.generator : CAIRN_GENERATOR, version,
		                                tool);
	if (rc >= 0)
		rc = cairn_stf_header_comment(h, (const char *)b.data, b.len);
	base_buf_free(&b);
	return rc;
}

/* ---- writing ---- */

const char *cairn_stf_header_version_obstacle(const struct cairn_stf_header *h, unsigned minor)
{
	bool ids = h->has_ids || h->cfg.features & CAIRN_STF_F_PROCESS_ID;
	if (minor < MINOR_FIRST || minor > MINOR_LAST)
		return "cairn writes the versions 1.2 to 1.6";
	if (h->isa_extended.text && minor < 6)
		return "ISA_EXTENDED came with version 1.6";
	if (h->cfg.protocol && minor < 5)
		return "transactions came with version 1.5";
	if (h->cfg.event_bits == 64 && minor < 5)
		return "event ids of 64 bits came with version 1.5";
	if (h->cfg.vlen && minor < 4)
		return "vector lengths came with version 1.4: vector registers have 64 bits before";
	if (ids && h->cfg.new_ids != (minor >= 5))
		return minor < 5 ? "process ids were TGID, TID and ASID before version 1.5"
		                 : "process ids are hardware thread, PID and TID since version 1.5";
	return NULL;
}

/* What a header made by hand lacks; a copy may be as odd as what it was made from. */
static const char *missing(const struct cairn_stf_header *h)
{
	const struct cairn_stf_config *cfg = &h->cfg;
	if (cfg->protocol)
		return NULL;
	if (!h->has_pc)
		return "FORCE_PC is missing: where does the trace begin? (pc, has_pc)";
	if (cfg->isa == 0 || (cfg->isa > 4 && !stf_isa_is_ours(cfg->isa)))
		return "ISA is missing: 1 is RISC-V";
	if (cfg->isa == 1 && cfg->iem != 1 && cfg->iem != 2)
		return "INST_IEM is missing: 1 is RV32, 2 is RV64";
	if (cfg->vlen & (cfg->vlen - 1))
		return "a vector length is a power of two";
	return NULL;
}

static const char *flaw(const struct cairn_stf_header *h)
{
	const struct cairn_stf_config *cfg = &h->cfg;
	if (cfg->version_major != 1)
		return "cairn writes the versions 1.2 to 1.6";
	if (!h->n_generators)
		return "TRACE_INFO is missing: who made this trace? (cairn_stf_header_provenance)";
	if (cfg->protocol > 1)
		return "the only protocol that STF has is 1, TileLink";
	if (cfg->event_bits && cfg->event_bits != 32 && cfg->event_bits != 64)
		return "event ids have 32 or 64 bits";
	if (cfg->protocol && (cfg->vlen || h->has_ids || h->isa_extended.text))
		return "a trace of transactions has no vector length, process ids or ISA_EXTENDED";
	if (!cfg->protocol && h->n_clocks)
		return "a trace of instructions has no clocks";
	if (cfg->vlen && cfg->vlen < 64)
		return "a vector length is at least 64 bits";
	return NULL;
}

static int put_texts(struct cairn_stf_writer *w, const struct cairn_stf_header *h)
{
	int rc = 0;
	for (size_t i = 0; i < h->n_comments && rc >= 0; i++) {
		stf_start(w, CAIRN_STF_COMMENT);
		rc = stf_put_text(w, 4, h->comments[i].text, h->comments[i].n);
	}
	if (rc >= 0 && !h->cfg.protocol)
		rc = stf_put_value(w, CAIRN_STF_ISA, 2, h->cfg.isa);
	if (rc >= 0 && !h->cfg.protocol)
		rc = stf_put_value(w, CAIRN_STF_INST_IEM, 2, h->cfg.iem);
	for (size_t i = 0; i < h->n_generators && rc >= 0; i++) {
		const struct cairn_stf_generator *g = &h->generators[i];
		stf_start(w, CAIRN_STF_TRACE_INFO);
		stf_add(w, 1, g->id);
		for (int k = 0; k < 3; k++)
			stf_add(w, 1, g->version[k]);
		rc = stf_put_text(w, 2, g->comment.text, g->comment.n);
	}
	return rc;
}

/* What follows the features in a trace of instructions … */
static int put_machine(struct cairn_stf_writer *w, const struct cairn_stf_header *h)
{
	int rc = 0;
	if (h->has_ids) {
		stf_start(w, CAIRN_STF_PROCESS_ID_EXT);
		for (int i = 0; i < 3; i++)
			stf_add(w, 4, h->ids[i]);
		rc = stf_put(w);
	}
	if (rc >= 0 && h->has_pc)
		rc = stf_put_value(w, CAIRN_STF_FORCE_PC, 8, h->pc);
	if (rc >= 0 && h->cfg.vlen)
		rc = stf_put_value(w, CAIRN_STF_VLEN_CONFIG, 4, h->cfg.vlen);
	if (rc >= 0 && h->isa_extended.text) {
		stf_start(w, CAIRN_STF_ISA_EXTENDED);
		rc = stf_put_text(w, 4, h->isa_extended.text, h->isa_extended.n);
	}
	return rc;
}

/* … and of transactions. */
static int put_bus(struct cairn_stf_writer *w, const struct cairn_stf_header *h)
{
	int rc = stf_put_value(w, CAIRN_STF_PROTOCOL_ID, 1, h->cfg.protocol);
	for (size_t i = 0; i < h->n_clocks && rc >= 0; i++) {
		stf_start(w, CAIRN_STF_CLOCK_ID);
		stf_add(w, 1, h->clocks[i].id);
		rc = stf_put_text(w, 2, h->clocks[i].name.text, h->clocks[i].name.n);
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
static uint64_t features_of_header(const struct cairn_stf_header *h)
{
	if (h->cfg.protocol)
		return CAIRN_STF_F_TRANSACTIONS;
	uint64_t bits = h->cfg.isa == 1 && h->cfg.iem == 2 ? CAIRN_STF_F_RV64 : 0;
	bits |= stf_event_bits(&h->cfg) == 64 ? (uint64_t)CAIRN_STF_F_EVENT64 : 0;
	return bits | (h->has_ids ? (uint64_t)CAIRN_STF_F_PROCESS_ID : 0);
}

static int put_features(struct cairn_stf_writer *w, const struct cairn_stf_header *h,
                        enum cairn_stf_feature_mode mode)
{
	uint64_t own = features_of_header(h), given = h->cfg.features, value = given;
	w->mode = (uint8_t)mode;
	w->declared = given | own;
	w->seen = own;
	if (mode == CAIRN_STF_FEATURES_AUTO)
		value = (given & ~(uint64_t)CAIRN_STF_F_SEEN) | own;
	else if (mode == CAIRN_STF_FEATURES_DECLARED)
		value = given | own;
	/* Whatever else is said: this bit alone tells readers how wide event ids are. */
	value &= ~(uint64_t)CAIRN_STF_F_EVENT64;
	if (!h->cfg.protocol && stf_event_bits(&h->cfg) == 64)
		value |= CAIRN_STF_F_EVENT64;
	if (mode == CAIRN_STF_FEATURES_AUTO) {
		if (w->sink && !io_sink_seekable(w->sink)) {
			int rc = stf_hold_new(w->c, w->path, &w->hold);
			if (rc < 0)
				return rc;
		}
		w->feature_at = w->handed + w->buf.len + 1;
	}
	return stf_put_value(w, CAIRN_STF_TRACE_INFO_FEATURE, 8, value);
}

int stf_header_check(struct cairn_stf_writer *w, const struct cairn_stf_header *h)
{
	const char *wrong = flaw(h);
	if (wrong)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: %s", w->path, wrong);
	wrong = cairn_stf_header_version_obstacle(h, h->cfg.version_minor);
	if (wrong)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: version 1.%u: %s", w->path, h->cfg.version_minor,
		                 wrong);
	return 0;
}

int cairn_stf_put_header_group(struct cairn_stf_writer *w, const struct cairn_stf_header *h,
                               enum cairn_stf_feature_mode mode, int exact)
{
	if (w->status < 0)
		return w->status;
	if (w->records)
		return base_fail(w->c, CAIRN_E_STATE, "%s: the header is the first thing of a trace, %s",
		                 w->path,
		                 w->header_done ? "and this one has it" : "records were put before");
	int rc = stf_header_check(w, h);
	const char *lacks = exact ? NULL : missing(h);
	if (rc >= 0 && lacks)
		rc = base_fail(w->c, CAIRN_E_INVAL, "%s: %s", w->path, lacks);
	if (rc < 0)
		return rc;
	rc = cairn_stf_put_record(w, (const uint8_t *)"\1STF", 4);
	if (rc >= 0) {
		stf_start(w, CAIRN_STF_VERSION);
		stf_add(w, 4, h->cfg.version_major);
		stf_add(w, 4, h->cfg.version_minor);
		rc = stf_put(w);
	}
	if (rc >= 0)
		rc = put_texts(w, h);
	if (rc >= 0)
		rc = put_features(w, h, mode);
	if (rc >= 0)
		rc = h->cfg.protocol ? put_bus(w, h) : put_machine(w, h);
	if (rc >= 0)
		rc = stf_put_value(w, CAIRN_STF_END_HEADER, 0, 0);
	if (rc < 0)
		return w->status = rc; /* half a header is none */
	if (w->feature_at && w->chunks)
		w->plain = w->buf.len;
	w->enforce = !exact;
	return 0;
}

int cairn_stf_put_header(struct cairn_stf_writer *w, const struct cairn_stf_config *cfg,
                         uint8_t generator, const uint8_t gen_version[3], const char *gen_comment,
                         const char *const *comments, size_t n_comments, uint64_t pc,
                         const char *isa_extended)
{
	struct cairn_stf_header *h = NULL;
	if (w->status < 0)
		return w->status;
	if (cfg->protocol)
		return base_fail(w->c, CAIRN_E_INVAL,
		                 "%s: the header of a transaction trace names clocks: make it with "
		                 "cairn_stf_header_new",
		                 w->path);
	int rc = cairn_stf_header_new(w->c, &h);
	if (rc < 0)
		return rc;
	h->cfg = *cfg;
	if (!cfg->version_major) {
		h->cfg.version_major = 1;
		h->cfg.version_minor = MINOR_LAST;
	}
	h->cfg.new_ids = h->cfg.version_minor >= 5;
	if (!cfg->event_bits)
		h->cfg.event_bits = cfg->features & CAIRN_STF_F_EVENT64 ? 64 : 32;
	h->pc = pc;
	h->has_pc = 1;
	for (size_t i = 0; i < n_comments && rc >= 0; i++)
		rc = cairn_stf_header_comment(h, comments[i], strlen(comments[i]));
	if (rc >= 0)
		rc = add_generator(h, generator, gen_version, gen_comment,
		                   gen_comment ? strlen(gen_comment) : 0);
	if (rc >= 0)
		rc = cairn_stf_header_isa_extended(h, isa_extended);
	if (rc >= 0)
		rc = cairn_stf_put_header_group(w, h, CAIRN_STF_FEATURES_AS_IS, 0);
	cairn_stf_header_free(h);
	return rc;
}
