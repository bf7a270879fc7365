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
 * later records) and follows the trace (record/follow.h): a container notes the PC for each
 * chunk. A chunk ends right after every N-th marker, but is cut only when
 * the next marker has come: what then turns out to follow the last marker of the
 * trace stays in the last chunk, for a reader expects every chunk to have one.
 *
 * The one FEATURE record stands in the header and tells what is in the trace, which
 * is known when the trace ends. Its value is corrected in its place each time a
 * feature is first seen: in memory, in the raw file, or in the container, whose
 * header bytes are stored as they are for that. So a killed writer's file is true,
 * too. An output that cannot be rewritten gets everything at finish: see io/spill.c.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"
#include "formats/stf/write/build.h"

enum {
	RAW_BYTES = 256 << 10, /* raw streams go to the sink in pieces of this size */
	TAIL_BYTES = 1 << 20   /* do not wait for a marker longer than this */
};

/* ---- opening ---- */

static bool write_ends_with(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);
	return n > m && strcmp(text + n - m, suffix) == 0;
}

/* The codec around a raw stream, *codec NULL for none. */
static int write_choose_codec(struct cairn *cairn, const char *path, const char *name,
                              const struct cairn_codec **codec)
{
	*codec = name ? NULL : cairn_codec_for_name(cairn, path);
	if (!name || strcmp(name, "none") == 0)
		return 0;
	*codec = cairn_codec_find(cairn, name);
	if (!*codec)
		return base_fail(cairn, CAIRN_E_INVAL, "%s: there is no codec '%s'", path, name);
	if (!(*codec)->enc_open)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED, "%s: the codec %s cannot write", path, name);
	return 0;
}

static int write_open_container(struct cairn_stf_writer *writer,
                                const struct cairn_stf_write_opts *opts)
{
	if (opts->codec && strcmp(opts->codec, "none") != 0 && strcmp(opts->codec, "zstd") != 0)
		return base_fail(writer->cairn, CAIRN_E_INVAL, STF_ZSTF_CODEC, writer->path, opts->codec);
	const struct cairn_codec *zstd = cairn_codec_find(writer->cairn, "zstd");
	if (zstd && opts->level && (opts->level < zstd->level_min || opts->level > zstd->level_max))
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: zstd has the levels %d to %d, not %d",
		                 writer->path, zstd->level_min, zstd->level_max, opts->level);
	writer->room = writer->chunk_markers = opts->chunk ? opts->chunk : STF_CHUNK_DEFAULT;
	return stf_chunks_open(writer->cairn, writer->path, opts->level, writer->chunk_markers,
	                       opts->threads, &writer->chunks);
}

static int open_raw(struct cairn_stf_writer *writer, const struct cairn_stf_write_opts *opts)
{
	const struct cairn_codec *codec;
	int rc = write_choose_codec(writer->cairn, writer->path, opts->codec, &codec);
	if (rc < 0)
		return rc;
	writer->room = UINT64_MAX;
	int threads = opts->threads > 64 ? 64 : opts->threads ? (int)opts->threads : 1;
	return io_sink_open(writer->cairn, writer->path, codec, opts->level ? opts->level : INT_MIN,
	                    threads, &writer->sink);
}

static void free_writer(struct cairn_stf_writer *writer)
{
	stf_build_free(writer);
	io_spill_free(writer->hold);
	base_buf_free(&writer->buf);
	base_buf_free(&writer->rec);
	stf_who_free(&writer->who);
	base_free(writer->cairn, writer->path);
	base_free(writer->cairn, writer);
}

int cairn_stf_create(struct cairn *cairn, const char *path, const struct cairn_stf_write_opts *opts,
                     struct cairn_stf_writer **out)
{
	struct cairn_stf_write_opts write_opts = {.size = sizeof write_opts};
	*out = NULL;
	if (opts) {
		if (opts->size < sizeof opts->size || opts->size > sizeof write_opts)
			return base_fail(cairn, CAIRN_E_INVAL, "cairn_stf_write_opts has an unknown size");
		memcpy(&write_opts, opts, opts->size);
	}
	if (!path || !*path)
		return base_fail(cairn, CAIRN_E_INVAL, "an output needs a name");
	bool zstf = write_opts.container ? strcmp(write_opts.container, "zstf") == 0
	                                 : write_ends_with(path, ".zstf");
	if (write_opts.container && !zstf && strcmp(write_opts.container, "stf") != 0)
		return base_fail(cairn, CAIRN_E_INVAL, "%s: STF is written as stf or zstf, not '%s'", path,
		                 write_opts.container);
	struct cairn_stf_writer *writer = base_alloc(cairn, sizeof *writer);
	if (!writer)
		return CAIRN_E_NOMEM;
	writer->cairn = cairn;
	writer->cfg.event_bits = 64; /* until a feature record says otherwise */
	if (write_opts.config) {
		writer->cfg = *write_opts.config;
		writer->told = true;
	}
	base_buf_init(&writer->buf, cairn);
	base_buf_init(&writer->rec, cairn);
	stf_who_init(&writer->who, cairn);
	writer->path = base_strdup(cairn, path);
	int rc = !writer->path ? CAIRN_E_NOMEM
	         : zstf        ? write_open_container(writer, &write_opts)
	                       : open_raw(writer, &write_opts);
	if (rc < 0) {
		free_writer(writer);
		return rc;
	}
	*out = writer;
	return 0;
}

/* ---- records ---- */

/* Take what a record of the complete header says into the configuration. Such a record in the body
 * changes nothing: readers do not look for it there. */
static int write_learn(struct cairn_stf_writer *writer, const uint8_t *p, size_t n)
{
	static const struct stf_options lenient = {.lenient = true};
	struct stf_header header = {.cfg = writer->cfg};
	int rc = writer->told ? 0 : stf_header_take(writer->cairn, &lenient, p, n, &header);
	writer->cfg = header.cfg;
	writer->header_done = *p == CAIRN_STF_END_HEADER;
	return rc;
}

static int write_hand_on(struct cairn_stf_writer *writer, bool all)
{
	int rc = 0;
	if (writer->chunks) {
		size_t cut = all ? writer->buf.len : writer->cut;
		rc = stf_chunks_put(writer->chunks, &writer->buf, cut, writer->chunk_pc,
		                    writer->handed ? 0 : writer->plain);
		writer->chunk_pc = writer->cut_pc;
		writer->handed += cut;
		writer->cut = 0;
	} else {
		rc = writer->hold ? io_spill_put(writer->hold, writer->buf.data, writer->buf.len)
		                  : cairn_sink_write(writer->sink, writer->buf.data, writer->buf.len);
		writer->handed += writer->buf.len;
		writer->buf.len = 0;
	}
	if (rc < 0)
		writer->status = rc;
	return rc;
}

/* Correct the value of the FEATURE record, wherever that is by now. */
static int write_correct(struct cairn_stf_writer *writer)
{
	uint8_t value[8];
	base_put_le64(value, ((writer->declared & ~(uint64_t)CAIRN_STF_F_SEEN) | writer->seen) &
	                         ~writer->withheld);
	int rc = 0;
	if (writer->feature_at >= writer->handed)
		memcpy(writer->buf.data + (writer->feature_at - writer->handed), value, sizeof value);
	else if (writer->hold)
		rc = io_spill_patch(writer->hold, writer->feature_at, value, sizeof value);
	else if (writer->chunks)
		rc = stf_chunks_patch(writer->chunks, writer->feature_at, value, sizeof value);
	else
		rc = io_sink_pwrite(writer->sink, writer->feature_at, value, sizeof value);
	if (rc < 0)
		writer->status = rc;
	return rc;
}

int stf_seen(struct cairn_stf_writer *writer, uint64_t bits)
{
	bits &= ~writer->seen;
	if (!bits)
		return 0;
	uint64_t undeclared = bits & ~writer->declared & CAIRN_STF_F_SEEN;
	if (writer->header_done && writer->mode == CAIRN_STF_FEATURES_DECLARED && undeclared) {
		const char *name = stf_name(stf_features, (unsigned)__builtin_ctzll(undeclared));
		return base_fail(
			writer->cairn, CAIRN_E_STATE,
			"%s: the header does not declare the feature %s, and can no longer be changed",
			writer->path, name ? name : "?");
	}
	writer->seen |= bits;
	return writer->feature_at && writer->mode == CAIRN_STF_FEATURES_AUTO ? write_correct(writer)
	                                                                     : 0;
}

void stf_withhold(struct cairn_stf_writer *writer, uint64_t bits)
{
	writer->withheld = bits;
}

uint64_t cairn_stf_features_seen(const struct cairn_stf_writer *writer)
{
	return writer->seen;
}

uint64_t stf_who_of(struct cairn_stf_writer *writer, const uint8_t *rec)
{
	uint64_t bits = 0;
	if (rec[0] != CAIRN_STF_PROCESS_ID_EXT)
		return 0;
	uint32_t id[3];
	stf_process_ids(rec, id);
	if (stf_who_runs(&writer->who, id, writer->cfg.new_ids, &bits) < 0)
		writer->status = CAIRN_E_NOMEM;
	return bits;
}

/* The features that a record makes true; in line where many make none. */
static inline uint64_t write_features(struct cairn_stf_writer *writer, const uint8_t *p)
{
	switch (*p) {
	case CAIRN_STF_INST_16:
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_INST_MEM_CONTENT:
		return 0;
	case CAIRN_STF_PROCESS_ID_EXT:
		return stf_features_of(&writer->cfg, p) | stf_who_of(writer, p);
	default:
		return stf_features_of(&writer->cfg, p);
	}
}

static int write_measure(struct cairn_stf_writer *writer, const uint8_t *rec, size_t n)
{
	struct cairn *cairn = writer->cairn;
	unsigned long long number = (unsigned long long)writer->records + 1;
	if (n == 0)
		return base_fail(cairn, CAIRN_E_DAMAGED, "%s: record %llu has no bytes", writer->path,
		                 number);
	const struct stf_type *type = stf_type(rec[0]);
	if (!type)
		return base_fail(cairn, CAIRN_E_DAMAGED, "%s: record %llu: STF has no record %u",
		                 writer->path, number, rec[0]);
	int64_t len = cairn_stf_record_length(&writer->cfg, rec, n);
	if (len < 0)
		return base_fail(cairn, CAIRN_E_DAMAGED,
		                 "%s: record %llu: the length of this %s cannot be known (%s)",
		                 writer->path, number, type->name,
		                 rec[0] == CAIRN_STF_INST_REG ? "vector register without VLEN_CONFIG"
		                                              : "unknown protocol, channel or metadata");
	if (len == 0)
		return base_fail(cairn, CAIRN_E_DAMAGED, "%s: record %llu: %s needs more than %zu bytes",
		                 writer->path, number, type->name, n);
	if ((uint64_t)len != n)
		return base_fail(cairn, CAIRN_E_DAMAGED,
		                 "%s: record %llu: %s has %lld bytes, %zu were given", writer->path, number,
		                 type->name, (long long)len, n);
	return (type->flags & STF_MARKER) != 0;
}

/* Make room for `n` more bytes: write a full chunk when the next has a marker of its own (or grows
 * too big), a raw stream in pieces. */
static int write_make_room(struct cairn_stf_writer *writer, size_t n, bool marker)
{
	if (writer->cut && (marker || writer->buf.len - writer->cut > TAIL_BYTES))
		return write_hand_on(writer, false);
	if (writer->sink && writer->buf.len + n > RAW_BYTES && writer->buf.len)
		return write_hand_on(writer, true);
	return 0;
}

static void count_marker(struct cairn_stf_writer *writer)
{
	writer->markers++;
	if (--writer->room == 0) {
		writer->room = writer->chunk_markers;
		writer->cut = writer->buf.len;
		writer->cut_pc = writer->now.pc;
	}
}

static int write_append(struct cairn_stf_writer *writer, const uint8_t *p, size_t n, bool marker)
{
	int rc = write_make_room(writer, n, marker);
	if (rc >= 0)
		rc = base_buf_put(&writer->buf, p, n);
	if (rc < 0)
		writer->status = rc;
	return rc;
}

int stf_append(struct cairn_stf_writer *writer, const uint8_t *p, size_t n, uint64_t records,
               bool marker, uint64_t next)
{
	int rc = writer->status < 0 ? writer->status : write_append(writer, p, n, marker);
	if (rc < 0)
		return rc;
	writer->records += records;
	writer->now.pc = next;
	writer->now.group = 0;
	if (marker)
		count_marker(writer);
	return 0;
}

/* Judge what only a trace that is made must obey; a copy may be as odd as it likes. */
static int write_judge(struct cairn_stf_writer *writer, const uint8_t *rec)
{
	enum stf_order_fault fault = stf_order_next(&writer->order, &writer->cfg, rec);
	char why[128];
	if (!fault)
		return 0;
	stf_order_why(fault, writer->order.last, rec[0], why);
	return base_fail(writer->cairn, CAIRN_E_STATE, "%s: %s %llu: %s %s", writer->path,
	                 writer->cfg.protocol ? "transaction" : "instruction",
	                 (unsigned long long)writer->markers + 1, stf_type(rec[0])->name, why);
}

int cairn_stf_put_record(struct cairn_stf_writer *writer, const uint8_t *rec, size_t n)
{
	if (writer->status < 0)
		return writer->status;
	if (writer->build && writer->build->begun)
		return base_fail(writer->cairn, CAIRN_E_STATE,
		                 "%s: between begin and finish, instructions and transactions are put, not "
		                 "records",
		                 writer->path);
	int marker = write_measure(writer, rec, n);
	if (marker < 0)
		return marker;
	int rc = writer->enforce ? write_judge(writer, rec) : 0;
	uint64_t bits = rc >= 0 ? write_features(writer, rec) : 0;
	if (bits & ~writer->seen && writer->header_done && writer->mode != CAIRN_STF_FEATURES_AS_IS)
		rc = stf_seen(writer, bits);
	if (rc >= 0)
		rc = write_append(writer, rec, n, marker);
	if (rc < 0)
		return rc;
	if (!writer->header_done)
		rc = write_learn(writer, rec, n);
	stf_follow(&writer->now, &writer->cfg, rec);
	writer->records++;
	if (marker)
		count_marker(writer);
	return rc;
}

/* Take many records of a copy: runs of bytes between the places where something happens. */
static int64_t copy_records(struct cairn_stf_writer *writer, const uint8_t *p, size_t n)
{
	const bool look = writer->mode != CAIRN_STF_FEATURES_AS_IS;
	size_t at = 0, run = 0;
	int rc = 0;
	while (at < n && rc >= 0) {
		int64_t len = stf_length(&writer->cfg, p + at, n - at);
		if (len <= 0) /* report the record's own error, in its place */
			break;
		bool marker = stf_is_marker(p[at]);
		uint64_t bits = write_features(writer, p + at);
		if (look && bits & ~writer->seen && (rc = stf_seen(writer, bits)) < 0)
			break;
		stf_follow(&writer->now, &writer->cfg, p + at);
		if (marker && writer->cut) {
			rc = at > run ? write_append(writer, p + run, at - run, false) : 0;
			rc = rc < 0 ? rc : write_hand_on(writer, false);
			run = at;
		}
		at += (size_t)len;
		writer->records++;
		bool full = marker && writer->room == 1;
		if (rc >= 0 && (full || at - run > RAW_BYTES / 2)) {
			rc = write_append(writer, p + run, at - run, false);
			run = at;
		}
		if (marker)
			count_marker(writer);
	}
	if (rc >= 0 && at > run)
		rc = write_append(writer, p + run, at - run, false);
	return rc < 0 ? rc : (int64_t)at;
}

int64_t cairn_stf_put_records(struct cairn_stf_writer *writer, const uint8_t *p, size_t n)
{
	size_t at = 0;
	if (writer->status < 0)
		return writer->status;
	while (at < n) {
		if (writer->header_done && !writer->enforce && !writer->build) {
			int64_t took = copy_records(writer, p + at, n - at);
			if (took < 0)
				return took;
			at += (size_t)took;
			if (at == n)
				break;
		}
		int64_t len = cairn_stf_record_length(&writer->cfg, p + at, n - at);
		if (len == 0)
			break;
		int rc = cairn_stf_put_record(writer, p + at, len < 0 ? n - at : (size_t)len);
		if (rc < 0)
			return rc;
		at += (size_t)len;
	}
	return (int64_t)at;
}

/* ---- closing ---- */

/* A trace that was made ends between two instructions, or nearly so. */
static int check_end(struct cairn_stf_writer *writer)
{
	if (!writer->records)
		return base_fail(writer->cairn, CAIRN_E_STATE, "%s: nothing was written", writer->path);
	if (!writer->enforce)
		return 0;
	if (writer->order.last == CAIRN_STF_INST_MEM_ACCESS ||
	    writer->order.last == CAIRN_STF_BUS_MASTER_ACCESS)
		return base_fail(writer->cairn, CAIRN_E_STATE,
		                 "%s: the trace ends with %s, whose content is missing", writer->path,
		                 stf_type(writer->order.last)->name);
	if (writer->order.last == CAIRN_STF_TRANSACTION_DEPENDENCY)
		return base_fail(
			writer->cairn, CAIRN_E_STATE,
			"%s: the trace ends with a TRANSACTION_DEPENDENCY, whose transaction is missing",
			writer->path);
	return 0;
}

static int write_give(void *sink, const uint8_t *p, size_t n)
{
	return cairn_sink_write(sink, p, n);
}

int cairn_stf_finish(struct cairn_stf_writer *writer)
{
	int rc = writer->status;
	if (rc >= 0 && writer->build)
		rc = stf_build_finish(writer);
	if (rc >= 0)
		rc = check_end(writer);
	if (rc >= 0 && writer->buf.len)
		rc = write_hand_on(writer, true);
	if (rc >= 0 && writer->hold)
		rc = io_spill_release(writer->hold, write_give, writer->sink);
	if (rc < 0) {
		cairn_stf_abort(writer);
		return rc;
	}
	rc = writer->chunks ? stf_chunks_finish(writer->chunks) : cairn_sink_finish(writer->sink);
	free_writer(writer);
	return rc;
}

void cairn_stf_abort(struct cairn_stf_writer *writer)
{
	if (!writer)
		return;
	if (writer->hold && io_keeping(writer->cairn))
		io_spill_release(writer->hold, write_give, writer->sink);
	if (writer->chunks)
		stf_chunks_abort(writer->chunks);
	else
		cairn_sink_discard(writer->sink);
	free_writer(writer);
}
