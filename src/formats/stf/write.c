/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing STF: records in, a raw stream or a .zstf container out.
 *
 * Everything ends here. cairn_stf_put_record refuses what cannot be measured, and
 * nothing else as long as the trace is a copy: byte-exact, records in any order,
 * header records in the body. In a trace that is made (its header came as a group)
 * the order within an instruction is enforced, too.
 *
 * On the way the writer learns what the header says (it decides the length of
 * later records) and follows the PC, which a container notes for each chunk: see
 * stf_follow. A chunk ends right after every N-th marker, but is cut only when
 * the next marker has come: what then turns out to follow the last marker of the
 * trace stays in the last chunk, for a reader expects every chunk to have one.
 *
 * The one FEATURE record stands in the header and tells what is in the trace, which
 * is known when the trace ends. Its value is corrected in its place each time a
 * feature is first seen: in memory, in the raw file, or in the container, whose
 * header bytes are stored as they are for that. So a killed writer's file is true,
 * too. An output that cannot be rewritten gets everything at finish: see hold.c.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/build.h"
#include "formats/stf/stf.h"

enum {
	RAW_BYTES = 256 << 10, /* raw streams go to the sink in pieces of this size */
	TAIL_BYTES = 1 << 20,  /* do not wait for a marker longer than this */
	CHUNK_DEFAULT = 100000,
	ZSTF_LEVEL = 3
};

/* ---- opening ---- */

static bool write_ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n > m && strcmp(s + n - m, suffix) == 0;
}

/* The codec around a raw stream, *codec NULL for none. */
static int write_choose_codec(struct cairn *c, const char *path, const char *name,
                              const struct cairn_codec **codec)
{
	*codec = name ? NULL : cairn_codec_for_name(c, path);
	if (!name || strcmp(name, "none") == 0)
		return 0;
	*codec = cairn_codec_find(c, name);
	if (!*codec)
		return base_fail(c, CAIRN_E_INVAL, "%s: there is no codec '%s'", path, name);
	if (!(*codec)->enc_open)
		return base_fail(c, CAIRN_E_UNSUPPORTED, "%s: the codec %s cannot write", path, name);
	return 0;
}

static int write_open_container(struct cairn_stf_writer *w, const struct cairn_stf_write_opts *o)
{
	if (o->codec && strcmp(o->codec, "none") != 0 && strcmp(o->codec, "zstd") != 0)
		return base_fail(w->c, CAIRN_E_INVAL, STF_ZSTF_CODEC, w->path, o->codec);
	struct io_sink *sink = NULL;
	const struct cairn_codec *zstd = cairn_codec_find(w->c, "zstd");
	if (zstd && o->level && (o->level < zstd->level_min || o->level > zstd->level_max))
		return base_fail(w->c, CAIRN_E_INVAL, "%s: zstd has the levels %d to %d, not %d", w->path,
		                 zstd->level_min, zstd->level_max, o->level);
	int rc = io_sink_open(w->c, w->path, NULL, INT_MIN, 1, &sink);
	if (rc < 0)
		return rc;
	if (!io_sink_seekable(sink)) {
		io_sink_abort(sink);
		return base_fail(w->c, CAIRN_E_STATE,
		                 "%s: a .zstf needs a seekable file: write to a file, or write raw STF "
		                 "compressed as a whole (--codec zstd)",
		                 strcmp(w->path, "-") == 0 ? "standard output" : w->path);
	}
	w->room = w->chunk_markers = o->chunk ? o->chunk : CHUNK_DEFAULT;
	rc = stf_chunks_open(w->c, sink, o->level ? o->level : ZSTF_LEVEL, w->chunk_markers, o->threads,
	                     &w->chunks);
	if (rc < 0)
		io_sink_abort(sink);
	return rc;
}

static int open_raw(struct cairn_stf_writer *w, const struct cairn_stf_write_opts *o)
{
	const struct cairn_codec *codec;
	int rc = write_choose_codec(w->c, w->path, o->codec, &codec);
	if (rc < 0)
		return rc;
	w->room = UINT64_MAX;
	int threads = o->threads > 64 ? 64 : o->threads ? (int)o->threads : 1;
	return io_sink_open(w->c, w->path, codec, o->level ? o->level : INT_MIN, threads, &w->sink);
}

static void free_writer(struct cairn_stf_writer *w)
{
	stf_build_free(w);
	stf_hold_free(w->hold);
	base_buf_free(&w->buf);
	base_buf_free(&w->rec);
	stf_who_free(&w->who);
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
	bool zstf = o.container ? strcmp(o.container, "zstf") == 0 : write_ends_with(path, ".zstf");
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
	stf_who_init(&w->who, c);
	w->path = base_strdup(c, path);
	int rc = !w->path ? CAIRN_E_NOMEM : zstf ? write_open_container(w, &o) : open_raw(w, &o);
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
static void write_learn(struct cairn_stf_writer *w, const uint8_t *p)
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
static void stf_follow(struct stf_pc *pc, const uint8_t *p)
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
		pc->next = pc->has_target ? pc->target : pc->next + (p[0] == CAIRN_STF_INST_32 ? 4 : 2);
		pc->has_target = false;
		break;
	default:
		break;
	}
}

static int write_hand_on(struct cairn_stf_writer *w, bool all)
{
	int rc = 0;
	if (w->chunks) {
		size_t cut = all ? w->buf.len : w->cut;
		rc = stf_chunks_put(w->chunks, &w->buf, cut, w->chunk_pc, w->handed ? 0 : w->plain);
		w->chunk_pc = w->cut_pc;
		w->handed += cut;
		w->cut = 0;
	} else {
		rc = w->hold ? stf_hold_put(w->hold, w->buf.data, w->buf.len)
		             : io_sink_write(w->sink, w->buf.data, w->buf.len);
		w->handed += w->buf.len;
		w->buf.len = 0;
	}
	if (rc < 0)
		w->status = rc;
	return rc;
}

/* The value of the FEATURE record, wherever it is by now. */
static int write_correct(struct cairn_stf_writer *w)
{
	uint8_t value[8];
	base_put_le64(value, ((w->declared & ~(uint64_t)CAIRN_STF_F_SEEN) | w->seen) & ~w->withheld);
	int rc = 0;
	if (w->feature_at >= w->handed)
		memcpy(w->buf.data + (w->feature_at - w->handed), value, sizeof value);
	else if (w->hold)
		rc = stf_hold_patch(w->hold, w->feature_at, value, sizeof value);
	else if (w->chunks)
		rc = stf_chunks_patch(w->chunks, w->feature_at, value, sizeof value);
	else
		rc = io_sink_pwrite(w->sink, w->feature_at, value, sizeof value);
	if (rc < 0)
		w->status = rc;
	return rc;
}

int stf_seen(struct cairn_stf_writer *w, uint64_t bits)
{
	bits &= ~w->seen;
	if (!bits)
		return 0;
	uint64_t undeclared = bits & ~w->declared & CAIRN_STF_F_SEEN;
	if (w->header_done && w->mode == CAIRN_STF_FEATURES_DECLARED && undeclared) {
		const char *name = stf_name(stf_features, (unsigned)__builtin_ctzll(undeclared));
		return base_fail(
			w->c, CAIRN_E_STATE,
			"%s: the header does not declare the feature %s, and can no longer be changed", w->path,
			name ? name : "?");
	}
	w->seen |= bits;
	return w->feature_at && w->mode == CAIRN_STF_FEATURES_AUTO ? write_correct(w) : 0;
}

void stf_withhold(struct cairn_stf_writer *w, uint64_t bits)
{
	w->withheld = bits;
}

uint64_t cairn_stf_features_seen(const struct cairn_stf_writer *w)
{
	return w->seen;
}

uint64_t stf_who_of(struct cairn_stf_writer *w, const uint8_t *rec)
{
	uint64_t bits = 0;
	if (rec[0] != CAIRN_STF_PROCESS_ID_EXT)
		return 0;
	const uint32_t id[3] = {base_le32(rec + 1), base_le32(rec + 5), base_le32(rec + 9)};
	if (stf_who_runs(&w->who, id, w->cfg.new_ids, &bits) < 0)
		w->status = CAIRN_E_NOMEM;
	return bits;
}

static int write_measure(struct cairn_stf_writer *w, const uint8_t *rec, size_t n)
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
		                 "%s: record %llu: the length of this %s cannot be known (%s)", w->path,
		                 number, t->name,
		                 rec[0] == CAIRN_STF_INST_REG ? "vector register without VLEN_CONFIG"
		                                              : "unknown protocol, channel or metadata");
	if (len == 0)
		return base_fail(c, CAIRN_E_DAMAGED, "%s: record %llu: %s needs more than %zu bytes",
		                 w->path, number, t->name, n);
	if ((uint64_t)len != n)
		return base_fail(c, CAIRN_E_DAMAGED, "%s: record %llu: %s has %lld bytes, %zu were given",
		                 w->path, number, t->name, (long long)len, n);
	return (t->flags & STF_MARKER) != 0;
}

/* Room for `n` more bytes: a full chunk goes when the next has a marker of its own
 * (or grows too big), a raw stream in pieces. */
static int write_make_room(struct cairn_stf_writer *w, size_t n, bool marker)
{
	if (w->cut && (marker || w->buf.len - w->cut > TAIL_BYTES))
		return write_hand_on(w, false);
	if (w->sink && w->buf.len + n > RAW_BYTES && w->buf.len)
		return write_hand_on(w, true);
	return 0;
}

static void count_marker(struct cairn_stf_writer *w)
{
	w->markers++;
	if (--w->room == 0) {
		w->room = w->chunk_markers;
		w->cut = w->buf.len;
		w->cut_pc = w->pc.next;
	}
}

static int write_append(struct cairn_stf_writer *w, const uint8_t *p, size_t n, bool marker)
{
	int rc = write_make_room(w, n, marker);
	if (rc >= 0)
		rc = base_buf_put(&w->buf, p, n);
	if (rc < 0)
		w->status = rc;
	return rc;
}

int stf_append(struct cairn_stf_writer *w, const uint8_t *p, size_t n, uint64_t records,
               bool marker, uint64_t next)
{
	int rc = w->status < 0 ? w->status : write_append(w, p, n, marker);
	if (rc < 0)
		return rc;
	w->records += records;
	w->pc = (struct stf_pc){.next = next};
	if (marker)
		count_marker(w);
	return 0;
}

/* What only a trace that is made must obey; a copy may be as odd as it likes. */
static int write_judge(struct cairn_stf_writer *w, const uint8_t *rec)
{
	struct stf_order order = w->order;
	const char *wrong = stf_order_next(&order, &w->cfg, rec);
	if (wrong)
		return base_fail(w->c, CAIRN_E_STATE, "%s: %s %llu: %s %s", w->path,
		                 w->cfg.protocol ? "transaction" : "instruction",
		                 (unsigned long long)w->markers + 1, stf_type(rec[0])->name, wrong);
	w->order = order;
	return 0;
}

int cairn_stf_put_record(struct cairn_stf_writer *w, const uint8_t *rec, size_t n)
{
	if (w->status < 0)
		return w->status;
	if (w->build && w->build->begun)
		return base_fail(w->c, CAIRN_E_STATE,
		                 "%s: between begin and finish, instructions and transactions are put, not "
		                 "records",
		                 w->path);
	int marker = write_measure(w, rec, n);
	if (marker < 0)
		return marker;
	int rc = w->enforce ? write_judge(w, rec) : 0;
	uint64_t who = rc >= 0 ? stf_who_of(w, rec) : 0;
	if (rc >= 0 && w->header_done && w->mode != CAIRN_STF_FEATURES_AS_IS)
		rc = stf_seen(w, stf_features_of(&w->cfg, rec) | who);
	if (rc >= 0)
		rc = write_append(w, rec, n, marker);
	if (rc < 0)
		return rc;
	write_learn(w, rec);
	stf_follow(&w->pc, rec);
	w->records++;
	if (marker)
		count_marker(w);
	return 0;
}

/* Bytes of the record at `p`, what it does to the PC and the features it makes true; in
 * line for the frequent ones. 0: it does not end within n. */
static inline int64_t write_step(struct cairn_stf_writer *w, const uint8_t *p, size_t n,
                                 uint64_t *bits)
{
	*bits = 0;
	if (n >= STF_LEN_LONGEST_FIXED)
		switch (*p) {
		case CAIRN_STF_INST_32:
			w->pc.next = w->pc.has_target ? w->pc.target : w->pc.next + 4;
			w->pc.has_target = false;
			if (w->cfg.isa == 1 && stf_is_vector(base_le32(p + 1)))
				*bits = CAIRN_STF_F_VEC;
			return STF_LEN_INST_32;
		case CAIRN_STF_INST_16:
			w->pc.next = w->pc.has_target ? w->pc.target : w->pc.next + 2;
			w->pc.has_target = false;
			return STF_LEN_INST_16;
		case CAIRN_STF_INST_PC_TARGET:
			w->pc.target = base_le64(p + 1);
			w->pc.has_target = true;
			return STF_LEN_INST_PC_TARGET;
		case CAIRN_STF_INST_MEM_ACCESS:
			*bits = base_le16(p + 11) ? CAIRN_STF_F_DATA_ATTRIBUTE : 0;
			return STF_LEN_INST_MEM_ACCESS;
		case CAIRN_STF_INST_MEM_CONTENT:
			return STF_LEN_INST_MEM_CONTENT;
		case CAIRN_STF_INST_REG:
			if ((p[3] & 15) == CAIRN_REG_VECTOR)
				break;
			*bits =
				p[3] >> 4 == CAIRN_ROLE_STATE ? CAIRN_STF_F_REG_STATE : CAIRN_STF_F_OPERAND_VALUE;
			return STF_LEN_INST_REG + 8;
		default:
			break;
		}
	int64_t len = cairn_stf_record_length(&w->cfg, p, n);
	if (len > 0) {
		stf_follow(&w->pc, p);
		*bits = stf_features_of(&w->cfg, p) | stf_who_of(w, p);
	}
	return len;
}

static bool write_is_marker(unsigned type)
{
	return type == CAIRN_STF_INST_32 || type == CAIRN_STF_INST_16 || type == CAIRN_STF_TRANSACTION;
}

/* Many records of a copy: runs of bytes between the places where something happens. */
static int64_t copy_records(struct cairn_stf_writer *w, const uint8_t *p, size_t n)
{
	const bool look = w->mode != CAIRN_STF_FEATURES_AS_IS;
	size_t at = 0, run = 0;
	int rc = 0;
	while (at < n && rc >= 0) {
		struct stf_pc before = w->pc;
		uint64_t bits;
		int64_t len = write_step(w, p + at, n - at, &bits);
		if (len <= 0) /* the record's own error, in its place */
			break;
		bool marker = write_is_marker(p[at]);
		if (look && bits & ~w->seen && (rc = stf_seen(w, bits)) < 0) {
			w->pc = before;
			break;
		}
		if (marker && w->cut) {
			rc = at > run ? write_append(w, p + run, at - run, false) : 0;
			rc = rc < 0 ? rc : write_hand_on(w, false);
			run = at;
		}
		at += (size_t)len;
		w->records++;
		bool full = marker && w->room == 1;
		if (rc >= 0 && (full || at - run > RAW_BYTES / 2)) {
			rc = write_append(w, p + run, at - run, false);
			run = at;
		}
		if (marker)
			count_marker(w);
	}
	if (rc >= 0 && at > run)
		rc = write_append(w, p + run, at - run, false);
	return rc < 0 ? rc : (int64_t)at;
}

int64_t cairn_stf_put_records(struct cairn_stf_writer *w, const uint8_t *p, size_t n)
{
	size_t at = 0;
	if (w->status < 0)
		return w->status;
	while (at < n) {
		if (w->header_done && !w->enforce && !w->build) {
			int64_t took = copy_records(w, p + at, n - at);
			if (took < 0)
				return took;
			at += (size_t)took;
			if (at == n)
				break;
		}
		int64_t len = cairn_stf_record_length(&w->cfg, p + at, n - at);
		if (len == 0)
			break;
		int rc = cairn_stf_put_record(w, p + at, len < 0 ? n - at : (size_t)len);
		if (rc < 0)
			return rc;
		at += (size_t)len;
	}
	return (int64_t)at;
}

/* ---- closing ---- */

/* A trace that was made ends between two instructions, or nearly so. */
static int check_end(struct cairn_stf_writer *w)
{
	if (!w->records)
		return base_fail(w->c, CAIRN_E_STATE, "%s: nothing was written", w->path);
	if (!w->enforce || w->order.no_content)
		return 0;
	if (w->order.last == CAIRN_STF_INST_MEM_ACCESS || w->order.last == CAIRN_STF_BUS_MASTER_ACCESS)
		return base_fail(w->c, CAIRN_E_STATE,
		                 "%s: the trace ends with %s, whose content is missing", w->path,
		                 stf_type(w->order.last)->name);
	if (w->order.last == CAIRN_STF_TRANSACTION_DEPENDENCY)
		return base_fail(
			w->c, CAIRN_E_STATE,
			"%s: the trace ends with a TRANSACTION_DEPENDENCY, whose transaction is missing",
			w->path);
	return 0;
}

int cairn_stf_finish(struct cairn_stf_writer *w)
{
	int rc = w->status;
	if (rc >= 0 && w->build)
		rc = stf_build_finish(w);
	if (rc >= 0)
		rc = check_end(w);
	if (rc >= 0 && w->buf.len)
		rc = write_hand_on(w, true);
	if (rc >= 0 && w->hold)
		rc = stf_hold_release(w->hold, w->sink);
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
	if (w->hold && io_keeping(w->c))
		stf_hold_release(w->hold, w->sink);
	if (w->chunks)
		stf_chunks_abort(w->chunks);
	else
		io_sink_abort(w->sink);
	free_writer(w);
}
