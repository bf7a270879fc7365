/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing a session into memory: its file or files, and a stream for each trace unit.
 *
 * A plain file is mapped. What is compressed, comes by a pipe or in several files is
 * copied once; so are the bytes of framed streams, for their units need them in one
 * piece.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/ete/format.h"

enum { READ = 1 << 20 };

void ete_config_of(const struct ete_regs *regs, struct cairn_ete_config *cfg)
{
	cairn_ete_config_init(cfg);
	cfg->configr = regs->value[ETE_TRCCONFIGR];
	cfg->traceidr = regs->value[ETE_TRCTRACEIDR];
	cfg->idr0 = regs->value[ETE_TRCIDR0];
	cfg->idr1 = regs->value[ETE_TRCIDR1];
	cfg->idr2 = regs->value[ETE_TRCIDR2];
	cfg->idr8 = regs->value[ETE_TRCIDR8];
	cfg->idr9 = regs->value[ETE_TRCIDR9];
	cfg->idr10 = regs->value[ETE_TRCIDR10];
	cfg->idr11 = regs->value[ETE_TRCIDR11];
	cfg->idr12 = regs->value[ETE_TRCIDR12];
	cfg->idr13 = regs->value[ETE_TRCIDR13];
	cfg->devarch = regs->value[ETE_TRCDEVARCH];
}

void ete_session_release(struct cairn *c, struct ete_loaded *of)
{
	if (!of || __atomic_sub_fetch(&of->users, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < of->n_io; i++)
		io_close(of->io[i]);
	base_free(c, of->io);
	base_buf_free(&of->buf);
	ete_frames_free(&of->frames);
	base_free(c, of->streams);
	base_free(c, of);
}

/* ---- bytes ---- */

/* A file that breaks off is used up to there. */
static int read_all(struct cairn_reader *r, struct model_span *s, struct io_source *io,
                    struct base_buf *buf)
{
	for (;;) {
		int rc = base_buf_reserve(buf, READ);
		if (rc < 0)
			return rc;
		int64_t n = io_read(io, buf->data + buf->len, READ);
		if (n == CAIRN_E_NOMEM || n == CAIRN_E_CANCELLED)
			return (int)n;
		if (n < 0)
			model_damaged(r, s, "byte 0x%zx: %s", buf->len, cairn_error_text(r->c));
		if (n <= 0)
			return 0;
		buf->len += (size_t)n;
	}
}

static int open_file(struct cairn_reader *r, const char *path, struct io_source **io)
{
	struct stat st;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return base_fail(r->c, CAIRN_E_IO, "%s: the bytes of a session must be a regular file",
		                 path);
	return io_open(r->c, path, io);
}

static int load_files(struct cairn_reader *r, struct model_span *s, struct ete_loaded *of,
                      const struct ete_session *from)
{
	int rc = 0;
	of->io = base_alloc(r->c, from->n_files * sizeof *of->io);
	if (!of->io)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < from->n_files && rc >= 0; i++) {
		rc = open_file(r, from->files[i], &of->io[i]);
		if (rc == CAIRN_E_NOMEM || rc == CAIRN_E_CANCELLED)
			return rc;
		if (rc < 0) { /* the other sessions are there */
			model_damaged(r, s, "%s: %s", from->name, cairn_error_text(r->c));
			return 0;
		}
		of->n_io++;
		size_t n = 0;
		const uint8_t *map = from->n_files == 1 ? io_map(of->io[i], &n) : NULL;
		if (map) {
			of->p = map;
			of->n = n;
		} else {
			rc = read_all(r, s, of->io[i], &of->buf);
		}
	}
	return rc;
}

/* ---- streams ---- */

static struct ete_stream *add_stream(struct cairn *c, struct ete_loaded *of, unsigned program)
{
	struct ete_stream *p = base_realloc(c, of->streams, (of->n_streams + 1) * sizeof *p);
	if (!p)
		return NULL;
	of->streams = p;
	p += of->n_streams++;
	*p = (struct ete_stream){.of = of, .program = program};
	return p;
}

/* Which of the session's units uses this ID; -1 none, -2 one that is not decoded. */
static int unit_of(const struct ete_snapshot *snap, const struct ete_session *from, unsigned id)
{
	int other = -1;
	for (size_t i = 0; i < from->n_units; i++) {
		const struct ete_unit *u = &snap->units[from->units[i]];
		if (u->decoded && (u->regs.value[ETE_TRCTRACEIDR] & 0x7f) == id)
			return (int)from->units[i];
		if (!u->decoded)
			other = -2;
	}
	return other;
}

static int framed(struct cairn_reader *r, struct model_span *s, struct ete_loaded *of,
                  const struct ete_session *from, enum ete_framing framing)
{
	const struct ete_impl *im = r->impl;
	struct ete_frames *f = &of->frames;
	ete_frames_init(f, r->c, framing);
	int rc = ete_frames_take(f, of->p, of->n);
	for (size_t i = 0; i < f->n_lanes && rc >= 0; i++) {
		const struct ete_lane *lane = &f->lanes[i];
		int unit = from ? unit_of(im->snapshot, from, lane->id) : 0;
		if (unit == -1)
			model_damaged(r, s, "byte 0x%llx: no trace source of the snapshot has the ID "
			              "0x%02x; its %zu bytes cannot be decoded",
			              (unsigned long long)(of->base + ete_lane_offset(lane, 0)),
			              lane->id, lane->bytes.len);
		if (unit < 0)
			continue;
		struct ete_stream *st = add_stream(r->c, of, (unsigned)unit);
		if (!st)
			return CAIRN_E_NOMEM;
		st->p = lane->bytes.data;
		st->n = lane->bytes.len;
		st->lane = lane;
	}
	if (f->reserved)
		model_damaged(r, s, "byte 0x%llx: %llu bytes belong to IDs that no source can have",
		              (unsigned long long)(of->base + f->reserved_at),
		              (unsigned long long)f->reserved);
	if (f->broken)
		model_damaged(r, s, "byte 0x%llx: %llu frame%s of less than 16 bytes",
		              (unsigned long long)(of->base + f->broken_at),
		              (unsigned long long)f->broken, f->broken == 1 ? "" : "s");
	return rc;
}

static int single(struct cairn_reader *r, struct model_span *s, struct ete_loaded *of,
                  const struct ete_session *from)
{
	const struct ete_impl *im = r->impl;
	unsigned unit = 0;
	if (from) {
		const struct ete_snapshot *snap = im->snapshot;
		if (from->n_units == 0) {
			model_damaged(r, s, "%s: no trace source is said to have written it; its %zu "
			              "bytes cannot be decoded", from->name, of->n);
			return 0;
		}
		if (from->n_units > 1) {
			model_damaged(r, s, "%s: bytes of one source, but %zu are said to have written "
			              "them; read as %s's", from->name, from->n_units,
			              snap->units[from->units[0]].name);
		}
		unit = from->units[0];
		if (!snap->units[unit].decoded)
			return 0;
	}
	struct ete_stream *st = add_stream(r->c, of, unit);
	if (!st)
		return CAIRN_E_NOMEM;
	st->p = of->p;
	st->n = of->n;
	return 0;
}

/* ---- a session ---- */

static int load(struct cairn_reader *r, struct model_span *s, struct ete_loaded *of,
                const struct ete_session *from)
{
	const struct ete_impl *im = r->impl;
	int rc = 0;
	if (from) {
		rc = load_files(r, s, of, from);
		of->name = im->snapshot->n_sessions > 1 ? from->name : NULL;
	} else {
		of->p = io_map(r->io, &of->n);
		if (!of->p)
			rc = read_all(r, s, r->io, &of->buf);
	}
	if (rc < 0)
		return rc;
	if (!of->p) {
		of->p = of->buf.data;
		of->n = of->buf.len;
	}
	enum ete_framing framing = from ? from->framing : im->framing;
	return framing == ETE_RAW ? single(r, s, of, from) : framed(r, s, of, from, framing);
}

/* Notes of opening are told with the first span. */
static void tell_notes(struct cairn_reader *r, struct model_span *s)
{
	struct ete_impl *im = r->impl;
	for (size_t i = 0; im->snapshot && i < im->snapshot->n_notes && !im->noted; i++)
		model_damaged(r, s, "%s", im->snapshot->notes[i]);
	im->noted = true;
}

int ete_session_next(struct cairn_reader *r, struct model_span *s)
{
	struct ete_impl *im = r->impl;
	size_t n = im->snapshot ? im->snapshot->n_sessions : 1;
	if (im->session == n)
		return 0;
	struct ete_loaded *of = base_alloc(r->c, sizeof *of);
	if (!of)
		return CAIRN_E_NOMEM;
	of->users = 1;
	of->base = im->base;
	base_buf_init(&of->buf, r->c);
	tell_notes(r, s);
	int rc = load(r, s, of, im->snapshot ? &im->snapshot->sessions[im->session] : NULL);
	im->session++;
	im->base += of->n;
	im->now = of;
	if (rc >= 0 && !im->snapshot)
		r->total = of->n;
	return rc < 0 ? rc : 1;
}
