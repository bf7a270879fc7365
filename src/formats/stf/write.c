/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing STF: records in, a raw stream or a .zstf container out.
 *
 * Everything goes through cairn_stf_put_record, which refuses only what cannot be
 * measured: a byte-exact copy must be able to carry records in any order, and
 * header records in the body. The shorthands build records from values and are
 * strict about order, because who uses them makes a new trace.
 *
 * On the way the writer learns what the header says (it decides the length of
 * later records) and follows the PC, which a container notes for each chunk: see
 * stf_follow. A chunk ends right after every N-th marker, but is cut only when
 * the next marker has come: what then turns out to follow the last marker of the
 * trace stays in the last chunk, for a reader expects every chunk to have one.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/container_write.h"
#include "formats/stf/table.h"

enum {
	RAW_BYTES = 256 << 10,      /* raw streams go to the sink in pieces of this size */
	TAIL_BYTES = 1 << 20,       /* do not wait for a marker longer than this */
	CHUNK_DEFAULT = 100000,
	ZSTF_LEVEL = 3
};

struct pc_state {
	uint64_t next, target;
	bool has_target;
};

struct cairn_stf_writer {
	struct cairn *c;
	char *path;
	struct io_sink *sink;        /* raw */
	struct stf_chunks *chunks;   /* .zstf */
	struct base_buf buf;         /* records not handed on yet */
	struct base_buf rec;         /* the record a shorthand is building */
	struct cairn_stf_config cfg;
	struct pc_state pc;
	uint64_t records, markers, chunk_markers;
	uint64_t chunk_pc;           /* where the chunk in `buf` starts */
	uint64_t cut_pc;             /* where the next one will */
	size_t cut;                  /* end of the chunk in `buf`, 0 not yet known */
	int status;                  /* the first failure of the output */
	bool header_done;
	bool told;                   /* the caller gave the configuration */
};

/* ---- opening ---- */

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n > m && strcmp(s + n - m, suffix) == 0;
}

static const char *codec_of_name(const struct cairn *c, const char *path)
{
	static const char *const known[][2] = {{".gz", "gzip"}, {".xz", "xz"}, {".zst", "zstd"},
		{".bz2", "bzip2"}, {".lz4", "lz4"}};
	const struct cairn_opts *o = base_opts(c);
	for (size_t i = 0; i < o->n_codecs; i++)
		if (o->codecs[i]->suffix && ends_with(path, o->codecs[i]->suffix))
			return o->codecs[i]->name;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (ends_with(path, known[i][0]))
			return known[i][1];
	return NULL;
}

/* The codec around a raw stream, *codec NULL for none. */
static int choose_codec(struct cairn *c, const char *path, const char *name,
                        const struct cairn_codec **codec)
{
	*codec = NULL;
	if (!name)
		name = codec_of_name(c, path);
	if (!name || strcmp(name, "none") == 0)
		return 0;
	*codec = cairn_codec_find(c, name);
	if (!*codec)
		return base_fail(c, CAIRN_E_INVAL, "%s: there is no codec '%s'", path, name);
	if (!(*codec)->enc_open)
		return base_fail(c, CAIRN_E_UNSUPPORTED, "%s: the codec %s cannot write", path, name);
	return 0;
}

static int open_container(struct cairn_stf_writer *w, const struct cairn_stf_write_opts *o)
{
	if (o->codec && strcmp(o->codec, "none") != 0 && strcmp(o->codec, "zstd") != 0)
		return base_fail(w->c, CAIRN_E_INVAL,
			"%s: a .zstf is compressed with zstd inside; %s goes around raw STF", w->path,
			o->codec);
	struct io_sink *sink = NULL;
	int rc = io_sink_open(w->c, w->path, NULL, INT_MIN, 1, &sink);
	if (rc < 0)
		return rc;
	if (!io_sink_seekable(sink)) {
		io_sink_abort(sink);
		return base_fail(w->c, CAIRN_E_STATE,
			"%s: a .zstf needs a seekable file: write to a file, or use raw STF with "
			"--codec zstd",
			strcmp(w->path, "-") == 0 ? "standard output" : w->path);
	}
	w->chunk_markers = o->chunk ? o->chunk : CHUNK_DEFAULT;
	rc = stf_chunks_open(w->c, sink, o->level ? o->level : ZSTF_LEVEL, w->chunk_markers,
	                     o->threads, &w->chunks);
	if (rc < 0)
		io_sink_abort(sink);
	return rc;
}

static int open_raw(struct cairn_stf_writer *w, const struct cairn_stf_write_opts *o)
{
	const struct cairn_codec *codec;
	int rc = choose_codec(w->c, w->path, o->codec, &codec);
	if (rc < 0)
		return rc;
	int threads = o->threads > 64 ? 64 : o->threads ? (int)o->threads : 1;
	return io_sink_open(w->c, w->path, codec, o->level ? o->level : INT_MIN, threads, &w->sink);
}

static void free_writer(struct cairn_stf_writer *w)
{
	base_buf_free(&w->buf);
	base_buf_free(&w->rec);
	base_free(w->c, w->path);
	base_free(w->c, w);
}

int cairn_stf_create(struct cairn *c, const char *path, const struct cairn_stf_write_opts *opts,
                     struct cairn_stf_writer **out)
{
	struct cairn_stf_write_opts o = {.size = sizeof o};
	*out = NULL;
	if (opts) {
		if (opts->size < sizeof opts->size || opts->size > sizeof o)
			return base_fail(c, CAIRN_E_INVAL, "cairn_stf_write_opts has an unknown size");
		memcpy(&o, opts, opts->size);
	}
	if (!path || !*path)
		return base_fail(c, CAIRN_E_INVAL, "an output needs a name");
	bool zstf = o.container ? strcmp(o.container, "zstf") == 0 : ends_with(path, ".zstf");
	if (o.container && !zstf && strcmp(o.container, "stf") != 0)
		return base_fail(c, CAIRN_E_INVAL, "%s: STF is written as stf or zstf, not '%s'", path,
		                 o.container);
	struct cairn_stf_writer *w = base_alloc(c, sizeof *w);
	if (!w)
		return CAIRN_E_NOMEM;
	w->c = c;
	w->cfg.event_bits = 64; /* until a feature record says otherwise */
	if (o.config) {
		w->cfg = *o.config;
		w->told = true;
	}
	base_buf_init(&w->buf, c);
	base_buf_init(&w->rec, c);
	w->path = base_strdup(c, path);
	int rc = !w->path ? CAIRN_E_NOMEM : zstf ? open_container(w, &o) : open_raw(w, &o);
	if (rc < 0) {
		free_writer(w);
		return rc;
	}
	*out = w;
	return 0;
}

/* ---- records ---- */

/* What the configuration takes from a record of the header, which is complete. Such
 * a record in the body changes nothing: readers do not look for it there. */
static void learn(struct cairn_stf_writer *w, const uint8_t *p)
{
	struct cairn_stf_config *cfg = &w->cfg;
	if (w->header_done)
		return;
	if (w->told) {
		w->header_done = p[0] == CAIRN_STF_END_HEADER;
		return;
	}
	switch (p[0]) {
	case CAIRN_STF_VERSION:
		cfg->version_major = (uint16_t)base_le32(p + 1);
		cfg->version_minor = (uint16_t)base_le32(p + 5);
		cfg->new_ids = cfg->version_minor >= 5;
		break;
	case CAIRN_STF_ISA:
		cfg->isa = base_le16(p + 1);
		break;
	case CAIRN_STF_INST_IEM:
		cfg->iem = base_le16(p + 1);
		break;
	case CAIRN_STF_TRACE_INFO_FEATURE:
		cfg->features = base_le64(p + 1);
		cfg->event_bits = cfg->features & CAIRN_STF_F_EVENT64 ? 64 : 32;
		break;
	case CAIRN_STF_VLEN_CONFIG:
		cfg->vlen = base_le32(p + 1);
		break;
	case CAIRN_STF_PROTOCOL_ID:
		cfg->protocol = p[1];
		break;
	case CAIRN_STF_END_HEADER:
		w->header_done = true;
		break;
	default:
		break;
	}
}

/* The PC of the next instruction. FORCE_PC moves it at once and leaves a pending
 * target alone; a target replaces what would follow the next marker. */
static void stf_follow(struct pc_state *pc, const uint8_t *p)
{
	switch (p[0]) {
	case CAIRN_STF_FORCE_PC:
		pc->next = base_le64(p + 1);
		break;
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_EVENT_PC_TARGET:
		pc->target = base_le64(p + 1);
		pc->has_target = true;
		break;
	case CAIRN_STF_INST_32:
	case CAIRN_STF_INST_16:
		pc->next = pc->has_target ? pc->target
		                          : pc->next + (p[0] == CAIRN_STF_INST_32 ? 4 : 2);
		pc->has_target = false;
		break;
	default:
		break;
	}
}

static int hand_on(struct cairn_stf_writer *w, bool all)
{
	int rc = 0;
	if (w->chunks) {
		size_t cut = all ? w->buf.len : w->cut;
		rc = stf_chunks_put(w->chunks, &w->buf, cut, w->chunk_pc);
		w->chunk_pc = w->cut_pc;
		w->cut = 0;
	} else {
		rc = io_sink_write(w->sink, w->buf.data, w->buf.len);
		w->buf.len = 0;
	}
	if (rc < 0)
		w->status = rc;
	return rc;
}

static int measure(struct cairn_stf_writer *w, const uint8_t *rec, size_t n)
{
	struct cairn *c = w->c;
	unsigned long long number = (unsigned long long)w->records + 1;
	if (n == 0)
		return base_fail(c, CAIRN_E_DAMAGED, "%s: record %llu has no bytes", w->path, number);
	const struct stf_type *t = stf_type(rec[0]);
	if (!t)
		return base_fail(c, CAIRN_E_DAMAGED, "%s: record %llu: STF has no record %u", w->path,
		                 number, rec[0]);
	int64_t len = cairn_stf_record_length(&w->cfg, rec, n);
	if (len < 0)
		return base_fail(c, CAIRN_E_DAMAGED,
			"%s: record %llu: the length of this %s cannot be known (%s)", w->path, number,
			t->name,
			rec[0] == CAIRN_STF_INST_REG ? "vector register without VLEN_CONFIG"
						     : "unknown protocol, channel or metadata");
	if (len == 0)
		return base_fail(c, CAIRN_E_DAMAGED, "%s: record %llu: %s needs more than %zu bytes",
		                 w->path, number, t->name, n);
	if ((uint64_t)len != n)
		return base_fail(c, CAIRN_E_DAMAGED,
			"%s: record %llu: %s has %lld bytes, %zu were given", w->path, number, t->name,
			(long long)len, n);
	return (t->flags & STF_MARKER) != 0;
}

int cairn_stf_put_record(struct cairn_stf_writer *w, const uint8_t *rec, size_t n)
{
	if (w->status < 0)
		return w->status;
	int marker = measure(w, rec, n);
	if (marker < 0)
		return marker;
	int rc = 0;
	/* A full chunk goes when the next has a marker of its own (or grows too big). */
	if (w->cut && (marker || w->buf.len - w->cut > TAIL_BYTES))
		rc = hand_on(w, false);
	else if (w->sink && w->buf.len + n > RAW_BYTES && w->buf.len)
		rc = hand_on(w, true);
	if (rc >= 0)
		rc = base_buf_put(&w->buf, rec, n);
	if (rc < 0) {
		w->status = rc;
		return rc;
	}
	learn(w, rec);
	stf_follow(&w->pc, rec);
	w->records++;
	if (marker) {
		w->markers++;
		if (w->chunks && w->markers % w->chunk_markers == 0) {
			w->cut = w->buf.len;
			w->cut_pc = w->pc.next;
		}
	}
	return 0;
}

/* ---- building records ---- */

static void start(struct cairn_stf_writer *w, unsigned type)
{
	w->rec.len = 0;
	if (base_buf_reserve(&w->rec, 64) < 0) {
		w->status = CAIRN_E_NOMEM;
		return;
	}
	w->rec.data[0] = (uint8_t)type;
	w->rec.len = 1;
}

static void add(struct cairn_stf_writer *w, unsigned width, uint64_t value)
{
	if (w->status < 0)
		return;
	if (base_buf_reserve(&w->rec, 8) < 0) {
		w->status = CAIRN_E_NOMEM;
		return;
	}
	base_put_le(w->rec.data + w->rec.len, width, value);
	w->rec.len += width;
}

static int put(struct cairn_stf_writer *w)
{
	return w->status < 0 ? w->status : cairn_stf_put_record(w, w->rec.data, w->rec.len);
}

static int put_value(struct cairn_stf_writer *w, unsigned type, unsigned width, uint64_t value)
{
	start(w, type);
	if (width)
		add(w, width, value);
	return put(w);
}

/* The record that was started ends with a text and its length. */
static int put_text(struct cairn_stf_writer *w, unsigned width, const char *text, size_t n)
{
	if (n > (width == 2 ? UINT16_MAX : UINT32_MAX))
		return base_fail(w->c, CAIRN_E_INVAL, "%s: a text of %zu bytes is too long for %s",
		                 w->path, n, stf_type(w->rec.data[0])->name);
	add(w, width, n);
	if (w->status >= 0 && base_buf_put(&w->rec, text, n) < 0)
		w->status = CAIRN_E_NOMEM;
	return put(w);
}

/* Is this the place for a record of an instruction? */
static int in_body(struct cairn_stf_writer *w, unsigned type)
{
	if (w->status < 0)
		return w->status;
	if (!w->header_done)
		return base_fail(w->c, CAIRN_E_STATE, "%s: %s comes before the header: %s", w->path,
			stf_type(type)->name,
			w->records ? "END_HEADER is missing" : "nothing has been written yet");
	if (w->cfg.protocol && stf_type(type)->flags & STF_INSN_ONLY)
		return base_fail(w->c, CAIRN_E_STATE, "%s: a transaction trace cannot hold %s", w->path,
		                 stf_type(type)->name);
	return 0;
}

/* ---- the header ---- */

static int put_start(struct cairn_stf_writer *w, const struct cairn_stf_config *cfg,
                     const char *const *comments, size_t n_comments)
{
	int rc = cairn_stf_put_record(w, (const uint8_t *)"\1STF", 4);
	if (rc >= 0) {
		start(w, CAIRN_STF_VERSION);
		add(w, 4, cfg->version_major ? cfg->version_major : 1);
		add(w, 4, cfg->version_major ? cfg->version_minor : 6);
		rc = put(w);
	}
	for (size_t i = 0; rc >= 0 && i < n_comments; i++)
		rc = cairn_stf_put_comment(w, comments[i], strlen(comments[i]));
	if (rc >= 0)
		rc = put_value(w, CAIRN_STF_ISA, 2, cfg->isa);
	if (rc >= 0)
		rc = put_value(w, CAIRN_STF_INST_IEM, 2, cfg->iem);
	return rc;
}

static int put_info(struct cairn_stf_writer *w, uint8_t generator, const uint8_t version[3],
                    const char *comment, uint64_t features)
{
	start(w, CAIRN_STF_TRACE_INFO);
	add(w, 1, generator);
	for (int i = 0; i < 3; i++)
		add(w, 1, version ? version[i] : 0);
	int rc = put_text(w, 2, comment ? comment : "", comment ? strlen(comment) : 0);
	return rc < 0 ? rc : put_value(w, CAIRN_STF_TRACE_INFO_FEATURE, 8, features);
}

int cairn_stf_put_header(struct cairn_stf_writer *w, const struct cairn_stf_config *cfg,
                         uint8_t generator, const uint8_t gen_version[3],
                         const char *gen_comment, const char *const *comments,
                         size_t n_comments, uint64_t pc, const char *isa_extended)
{
	if (w->status < 0)
		return w->status;
	if (w->records)
		return base_fail(w->c, CAIRN_E_STATE, "%s: the header is the first thing of a trace, %s",
			w->path, w->header_done ? "and this one has it" : "records were put before");
	if (cfg->protocol)
		return base_fail(w->c, CAIRN_E_INVAL,
			"%s: the header of a transaction trace names clocks: put its records", w->path);
	if (isa_extended && cfg->version_major == 1 && cfg->version_minor < 6)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: ISA_EXTENDED needs version 1.6, not 1.%u",
		                 w->path, cfg->version_minor);
	/* The feature bit alone tells readers how wide event ids are. */
	uint64_t features = cfg->features;
	if (cfg->event_bits == 64)
		features |= CAIRN_STF_F_EVENT64;
	else if (cfg->event_bits == 32)
		features &= ~(uint64_t)CAIRN_STF_F_EVENT64;
	int rc = put_start(w, cfg, comments, n_comments);
	if (rc >= 0)
		rc = put_info(w, generator, gen_version, gen_comment, features);
	if (rc >= 0)
		rc = put_value(w, CAIRN_STF_FORCE_PC, 8, pc);
	if (rc >= 0 && cfg->vlen)
		rc = put_value(w, CAIRN_STF_VLEN_CONFIG, 4, cfg->vlen);
	if (rc >= 0 && isa_extended) {
		start(w, CAIRN_STF_ISA_EXTENDED);
		rc = put_text(w, 4, isa_extended, strlen(isa_extended));
	}
	return rc < 0 ? rc : put_value(w, CAIRN_STF_END_HEADER, 0, 0);
}

/* ---- the body ---- */

int cairn_stf_put_comment(struct cairn_stf_writer *w, const char *text, size_t n)
{
	if (w->status < 0)
		return w->status;
	if (!w->records)
		return base_fail(w->c, CAIRN_E_STATE, "%s: a trace begins with IDENTIFIER, not COMMENT",
		                 w->path);
	start(w, CAIRN_STF_COMMENT);
	return put_text(w, 4, text, n);
}

int cairn_stf_put_force_pc(struct cairn_stf_writer *w, uint64_t pc)
{
	int rc = in_body(w, CAIRN_STF_FORCE_PC);
	return rc < 0 ? rc : put_value(w, CAIRN_STF_FORCE_PC, 8, pc);
}

int cairn_stf_put_pc_target(struct cairn_stf_writer *w, uint64_t pc)
{
	int rc = in_body(w, CAIRN_STF_INST_PC_TARGET);
	return rc < 0 ? rc : put_value(w, CAIRN_STF_INST_PC_TARGET, 8, pc);
}

int cairn_stf_put_reg(struct cairn_stf_writer *w, enum cairn_reg_class cls, unsigned num,
                      enum cairn_reg_role role, uint64_t value)
{
	int rc = in_body(w, CAIRN_STF_INST_REG);
	if (rc < 0)
		return rc;
	if (num > UINT16_MAX)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: register number %u is too big", w->path, num);
	if (role == CAIRN_ROLE_READY)
		return put_value(w, CAIRN_STF_INST_READY_REG, 2, num);
	if (cls == CAIRN_REG_PC) { /* STF counts it as integer register 32 */
		cls = CAIRN_REG_INT;
		num = 32;
	}
	if (cls < CAIRN_REG_INT || cls > CAIRN_REG_CSR)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: STF has no registers of class %d", w->path,
		                 (int)cls);
	if (role < CAIRN_ROLE_STATE || role > CAIRN_ROLE_DST)
		return base_fail(w->c, CAIRN_E_INVAL,
			"%s: a register is state, source or destination, not %d", w->path, (int)role);
	if (cls == CAIRN_REG_VECTOR && stf_vector_words(&w->cfg) != 1)
		return base_fail(w->c, CAIRN_E_INVAL,
			"%s: a vector register is not one 64-bit value: put its record", w->path);
	start(w, CAIRN_STF_INST_REG);
	add(w, 2, num);
	add(w, 1, (unsigned)cls | (unsigned)role << 4);
	add(w, 8, value);
	return put(w);
}

int cairn_stf_put_mem(struct cairn_stf_writer *w, enum cairn_mem_kind kind, uint64_t addr,
                      unsigned size, uint64_t value)
{
	int rc = in_body(w, CAIRN_STF_INST_MEM_ACCESS);
	if (rc < 0)
		return rc;
	if (kind != CAIRN_MEM_READ && kind != CAIRN_MEM_WRITE)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: STF has reads and writes, no access of kind %d",
		                 w->path, (int)kind);
	if (size == 0 || size > 8)
		return base_fail(w->c, CAIRN_E_INVAL,
			"%s: an access of %u bytes is not one 64-bit value: put its records", w->path,
			size);
	start(w, CAIRN_STF_INST_MEM_ACCESS);
	add(w, 8, addr);
	add(w, 2, size);
	add(w, 2, 0); /* attributes */
	add(w, 1, (unsigned)kind);
	rc = put(w);
	return rc < 0 ? rc : put_value(w, CAIRN_STF_INST_MEM_CONTENT, 8, value);
}

int cairn_stf_put_event(struct cairn_stf_writer *w, uint64_t id, const uint64_t *args,
                        size_t n_args)
{
	int rc = in_body(w, CAIRN_STF_EVENT);
	if (rc < 0)
		return rc;
	if (n_args > UINT8_MAX)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: an event has at most 255 arguments, not %zu",
		                 w->path, n_args);
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	bool narrow = w->cfg.event_bits == 32;
	if (narrow && code > 0x3fffffff)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: event 0x%llx does not fit 32 bits", w->path,
		                 (unsigned long long)id);
	start(w, CAIRN_STF_EVENT);
	if (narrow)
		add(w, 4, code | (id & STF_EVENT_INTERRUPT) >> 32 | (id & STF_EVENT_SPECIAL) >> 32);
	else
		add(w, 8, id);
	add(w, 1, n_args);
	for (size_t i = 0; i < n_args; i++)
		add(w, 8, args[i]);
	return put(w);
}

int cairn_stf_put_insn(struct cairn_stf_writer *w, uint32_t enc, unsigned size)
{
	if (size != 2 && size != 4)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: STF has encodings of 2 and 4 bytes, not %u",
		                 w->path, size);
	if (size == 2 && enc > UINT16_MAX)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: encoding 0x%x does not fit 2 bytes", w->path,
		                 enc);
	unsigned type = size == 2 ? CAIRN_STF_INST_16 : CAIRN_STF_INST_32;
	int rc = in_body(w, type);
	return rc < 0 ? rc : put_value(w, type, size, enc);
}

/* ---- closing ---- */

int cairn_stf_finish(struct cairn_stf_writer *w)
{
	int rc = w->status;
	if (rc >= 0 && !w->records)
		rc = base_fail(w->c, CAIRN_E_STATE, "%s: nothing was written", w->path);
	if (rc >= 0 && w->buf.len)
		rc = hand_on(w, true);
	if (rc < 0) {
		cairn_stf_abort(w);
		return rc;
	}
	rc = w->chunks ? stf_chunks_finish(w->chunks) : io_sink_finish(w->sink);
	free_writer(w);
	return rc;
}

void cairn_stf_abort(struct cairn_stf_writer *w)
{
	if (!w)
		return;
	if (w->chunks)
		stf_chunks_abort(w->chunks);
	else
		io_sink_abort(w->sink);
	free_writer(w);
}
