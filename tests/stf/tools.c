/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces by hand and the notes of what a reader says about them.
 *
 * Notes hold one text per instruction with all its rows resolved (wide values as
 * bytes, contexts as fields), so they do not depend on where batches end.
 */
#include "tools.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "io/io.h"

/* ---- bytes ---- */

static void make_room(struct bytes *b, size_t n)
{
	if (b->cap - b->n >= n)
		return;
	b->cap = 2 * b->cap + n + 256;
	b->p = realloc(b->p, b->cap);
	if (!b->p)
		abort();
}

void bytes_put(struct bytes *b, const void *data, size_t n)
{
	make_room(b, n);
	if (n)
		memcpy(b->p + b->n, data, n);
	b->n += n;
}

void bytes_printf(struct bytes *b, const char *fmt, ...)
{
	va_list ap;
	make_room(b, 512);
	va_start(ap, fmt);
	int n = vsnprintf((char *)b->p + b->n, 512, fmt, ap);
	va_end(ap);
	b->n += (size_t)(n < 511 ? n : 511);
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	memset(b, 0, sizeof *b);
}

struct bytes bytes_of_file(const char *path)
{
	struct bytes b = {0};
	FILE *f = fopen(path, "rb");
	if (!f)
		return b;
	size_t n;
	do {
		make_room(&b, 1 << 16);
		n = fread(b.p + b.n, 1, 1 << 16, f);
		b.n += n;
	} while (n);
	fclose(f);
	return b;
}

/* ---- records ---- */

static void put_le(struct bytes *b, uint64_t v, unsigned n)
{
	uint8_t raw[8];
	base_put_le(raw, n, v);
	bytes_put(b, raw, n);
}

void rec(struct bytes *b, unsigned type, const char *layout, ...)
{
	va_list ap;
	put_le(b, type, 1);
	va_start(ap, layout);
	for (; *layout; layout++) {
		const char *s;
		switch (*layout) {
		case 'b':
			put_le(b, va_arg(ap, unsigned), 1);
			break;
		case 'h':
			put_le(b, va_arg(ap, unsigned), 2);
			break;
		case 'w':
			put_le(b, va_arg(ap, unsigned), 4);
			break;
		case 'q':
			put_le(b, va_arg(ap, uint64_t), 8);
			break;
		default:
			s = va_arg(ap, const char *);
			if (*layout != 's')
				put_le(b, strlen(s), *layout == 't' ? 2 : 4);
			bytes_put(b, s, strlen(s));
			break;
		}
	}
	va_end(ap);
}

static uint64_t features_of(const struct head *h)
{
	return h->features | (h->narrow ? 0 : (uint64_t)CAIRN_STF_F_EVENT64);
}

void head(struct bytes *b, struct head h)
{
	rec(b, CAIRN_STF_IDENTIFIER, "s", "STF");
	rec(b, CAIRN_STF_VERSION, "ww", 1u, h.minor ? h.minor : 6);
	rec(b, CAIRN_STF_ISA, "h", 1u);
	rec(b, CAIRN_STF_INST_IEM, "h", h.iem ? h.iem : 2);
	rec(b, CAIRN_STF_TRACE_INFO, "bbbbt", 0x40u, 0u, 1u, 0u, "by hand");
	if (!h.no_features)
		rec(b, CAIRN_STF_TRACE_INFO_FEATURE, "q", features_of(&h));
	if (h.ids)
		rec(b, CAIRN_STF_PROCESS_ID_EXT, "www", h.ids[0], h.ids[1], h.ids[2]);
	if (!h.no_pc)
		rec(b, CAIRN_STF_FORCE_PC, "q", h.pc ? h.pc : UINT64_C(0x1000));
	if (h.vlen)
		rec(b, CAIRN_STF_VLEN_CONFIG, "w", h.vlen);
	if (!h.open)
		rec(b, CAIRN_STF_END_HEADER, "");
}

struct cairn_stf_config config_of(struct head h)
{
	return (struct cairn_stf_config){.version_major = 1,
	                                 .version_minor = (uint16_t)(h.minor ? h.minor : 6),
	                                 .isa = 1,
	                                 .iem = (uint16_t)(h.iem ? h.iem : 2),
	                                 .features = features_of(&h),
	                                 .vlen = h.vlen,
	                                 .event_bits = h.narrow ? 32 : 64,
	                                 .new_ids = !h.minor || h.minor >= 5};
}

void insn32(struct bytes *b, uint32_t enc)
{
	rec(b, CAIRN_STF_INST_32, "w", enc);
}

void insn16(struct bytes *b, uint16_t enc)
{
	rec(b, CAIRN_STF_INST_16, "h", (unsigned)enc);
}

void reg(struct bytes *b, unsigned num, unsigned kind, unsigned role, uint64_t value)
{
	rec(b, CAIRN_STF_INST_REG, "hbq", num, role << 4 | kind, value);
}

void event64(struct bytes *b, uint64_t id, unsigned n, uint64_t first)
{
	rec(b, CAIRN_STF_EVENT, "qb", id, n);
	for (unsigned i = 0; i < n; i++)
		put_le(b, first + i, 8);
}

void event32(struct bytes *b, uint32_t id, unsigned n, uint64_t first)
{
	rec(b, CAIRN_STF_EVENT, "wb", id, n);
	for (unsigned i = 0; i < n; i++)
		put_le(b, first + i, 8);
}

static uint64_t chance(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void random_event(struct bytes *b, const struct cairn_stf_config *cfg, uint64_t *s)
{
	static const unsigned ids[] = {2, 5, 8, 11, 13};
	uint64_t id = ids[chance(s) % 5];
	unsigned bit = chance(s) % 4 == 0;
	if (cfg->event_bits == 64)
		event64(b, id | (uint64_t)bit << 63, (unsigned)(chance(s) % 4), chance(s));
	else
		event32(b, (uint32_t)id | bit << 31, (unsigned)(chance(s) % 4), chance(s));
	if (chance(s) % 2)
		rec(b, CAIRN_STF_EVENT_PC_TARGET, "q", chance(s) & 0xfffffe);
}

static void random_mode(struct bytes *b, const struct cairn_stf_config *cfg, uint64_t *s)
{
	if (cfg->event_bits == 64)
		event64(b, UINT64_C(1) << 62, 1, chance(s) % 5);
	else
		event32(b, UINT32_C(1) << 30, 1, chance(s) % 5);
}

static void random_rare(struct bytes *b, const struct cairn_stf_config *cfg, uint64_t *s)
{
	switch (chance(s) % 12) {
	case 0:
		random_event(b, cfg, s);
		break;
	case 1:
		random_mode(b, cfg, s);
		break;
	case 2:
		rec(b, CAIRN_STF_PROCESS_ID_EXT, "www", (unsigned)chance(s) & 3, (unsigned)chance(s) & 7,
		    (unsigned)chance(s) & 15);
		break;
	case 3:
		rec(b, CAIRN_STF_FORCE_PC, "q", chance(s) & 0xffffff);
		break;
	case 4:
		rec(b, CAIRN_STF_COMMENT, "T", "a word in between");
		break;
	case 5:
		if (cfg->iem == 1)
			break;
		rec(b, CAIRN_STF_INST_IEM, "h", 1 + ((unsigned)chance(s) & 1));
		break;
	case 6:
		rec(b, CAIRN_STF_INST_MICROOP, "bw", 4u, (unsigned)chance(s));
		break;
	case 7:
		rec(b, CAIRN_STF_PAGE_TABLE_WALK, "qqwbqq", chance(s), chance(s), 4096u, 1u, chance(s),
		    chance(s));
		break;
	case 8:
		rec(b, CAIRN_STF_BUS_MASTER_ACCESS, "qhbbwb", chance(s), 8u, 3u, 1u, 7u, 2u);
		rec(b, CAIRN_STF_BUS_MASTER_CONTENT, "q", chance(s));
		break;
	case 9:
		rec(b, CAIRN_STF_INST_READY_REG, "h", (unsigned)chance(s) & 31);
		break;
	default:
		if (!cfg->vlen)
			break;
		rec(b, CAIRN_STF_INST_REG, "hb", 3u, 0x23u);
		for (uint32_t i = 0; i < (cfg->vlen + 63) / 64; i++)
			put_le(b, chance(s), 8);
		break;
	}
}

void random_groups(struct bytes *b, const struct cairn_stf_config *cfg, unsigned seed, unsigned n)
{
	/* nop, load, store, beq, jal; and of 16 bits one that RV32 jumps with */
	static const uint32_t encodings[] = {NOP, 0x0102b303, 0x00a2b023, 0x00208e63, 0x010000ef};
	static const uint16_t shorts[] = {C_NOP, 0x2001, 0x8082, 0xc100};
	uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned i = 0; i < n; i++) {
		for (uint64_t k = chance(&s) % 3; k; k--)
			reg(b, (unsigned)chance(&s) & 31, 1 + ((unsigned)chance(&s) & 1), 2, chance(&s));
		if (chance(&s) % 3 == 0) {
			rec(b, CAIRN_STF_INST_MEM_ACCESS, "qhhb", chance(&s), 8u, 0u,
			    1 + ((unsigned)chance(&s) & 1));
			for (uint64_t k = chance(&s) % 4; k; k--)
				rec(b, CAIRN_STF_INST_MEM_CONTENT, "q", chance(&s));
		}
		if (chance(&s) % 5 == 0)
			random_rare(b, cfg, &s);
		if (chance(&s) % 4 == 0)
			rec(b, CAIRN_STF_INST_PC_TARGET, "q", chance(&s) & 0xfffffe);
		if (chance(&s) % 2)
			insn32(b, encodings[chance(&s) % 5]);
		else
			insn16(b, shorts[chance(&s) % 4]);
	}
}

/* ---- containers ---- */

struct pc_walk {
	uint64_t next, target;
	bool has_target, started;
};

static bool pc_step(struct pc_walk *w, const uint8_t *p)
{
	switch (*p) {
	case CAIRN_STF_FORCE_PC:
		w->next = base_le64(p + 1);
		return false;
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_EVENT_PC_TARGET:
		w->target = base_le64(p + 1);
		w->has_target = true;
		return false;
	case CAIRN_STF_INST_32:
	case CAIRN_STF_INST_16:
		w->next = w->has_target ? w->target : w->next + (*p == CAIRN_STF_INST_32 ? 4 : 2);
		w->has_target = false;
		return true;
	default:
		return *p == CAIRN_STF_TRANSACTION;
	}
}

static void put_frame(struct bytes *b, const uint8_t *p, size_t n, bool checksums)
{
	ZSTD_CCtx *cc = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(cc, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(cc, ZSTD_c_checksumFlag, checksums);
	make_room(b, ZSTD_compressBound(n));
	size_t got = ZSTD_compress2(cc, b->p + b->n, b->cap - b->n, p, n);
	if (ZSTD_isError(got))
		abort();
	b->n += got;
	ZSTD_freeCCtx(cc);
}

static void put_index(struct container *z, const uint64_t *pcs, const uint64_t *sizes)
{
	z->frames[z->chunks] = z->bytes.n;
	base_put_le64(z->bytes.p + 12, z->bytes.n);
	put_le(&z->bytes, z->chunks, 8);
	for (size_t i = 0; i < z->chunks; i++) {
		put_le(&z->bytes, z->frames[i], 8);
		put_le(&z->bytes, pcs[i], 8);
		put_le(&z->bytes, sizes[i], 8);
	}
}

struct container zstf_of(const struct bytes *stf, const struct cairn_stf_config *cfg,
                         uint64_t per_chunk, bool checksums)
{
	struct container z = {0};
	struct pc_walk w = {0};
	uint64_t pcs[256] = {0}, sizes[256] = {0};
	size_t from = 0, at = 0;
	bytes_put(&z.bytes, "ZSTF", 4);
	put_le(&z.bytes, per_chunk, 8);
	put_le(&z.bytes, 0, 8);
	while (at < stf->n) {
		int64_t len = cairn_stf_record_length(cfg, stf->p + at, stf->n - at);
		if (len <= 0)
			len = (int64_t)(stf->n - at); /* damaged on purpose: as it is */
		z.markers += pc_step(&w, stf->p + at);
		bool marker = stf->p[at] >= CAIRN_STF_INST_32 && stf->p[at] <= CAIRN_STF_TRANSACTION;
		at += (size_t)len;
		if (at < stf->n && !(marker && z.markers % per_chunk == 0))
			continue;
		if (z.chunks == 255)
			abort();
		z.frames[z.chunks] = z.bytes.n;
		sizes[z.chunks++] = at - from;
		pcs[z.chunks] = w.next;
		put_frame(&z.bytes, stf->p + from, at - from, checksums);
		from = at;
	}
	put_index(&z, pcs, sizes);
	return z;
}

struct bytes wrapped(struct cairn *c, const struct bytes *b, const char *codec)
{
	struct bytes out = {0};
	struct base_buf buf;
	const struct cairn_codec *k = cairn_codec_find(c, codec);
	base_buf_init(&buf, c);
	if (k && io_encode_frame(c, k, k->level_default, b->p, b->n, &buf) >= 0)
		bytes_put(&out, buf.data, buf.len);
	base_buf_free(&buf);
	return out;
}

struct bytes unwrapped(struct cairn *c, const struct bytes *b)
{
	struct bytes out = {0};
	struct io_source *s;
	int64_t n;
	if (io_open_memory(c, b->p, b->n, &s) < 0)
		return out;
	do {
		make_room(&out, 1 << 16);
		n = io_read(s, out.p + out.n, 1 << 16);
		out.n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	io_close(s);
	return out;
}

/* ---- notes ---- */

static void put_hex(struct bytes *t, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes_printf(t, "%02x", p[i]);
}

static void note_ctx(struct bytes *t, const struct cairn_ctx *x)
{
	bytes_printf(t, "  ctx known %x hart %u priv %u hw %u pid %u tid %u asid %u\n", x->known,
	             x->hart, x->priv, x->hw_tid, x->pid, x->tid, x->asid);
}

static void note_reg(struct bytes *t, const struct cairn_batch *b, const struct cairn_reg *g)
{
	bytes_printf(t, "  %u reg %u cls %u role %u bits %u lsb %u flags %x ", g->seq, g->num, g->cls,
	             g->role, g->bits, g->lsb, g->flags);
	if (g->flags & CAIRN_VALUE_WIDE)
		put_hex(t, b->bytes + g->value, (g->bits + 63) / 64 * 8);
	else
		bytes_printf(t, "%" PRIx64, g->value);
	bytes_printf(t, "\n");
}

static void note_mem(struct bytes *t, const struct cairn_batch *b, const struct cairn_mem *m)
{
	bytes_printf(t, "  %u mem kind %u by %u.%u addr %" PRIx64 " size %u attr %x flags %x ", m->seq,
	             m->kind, m->initiator, m->unit, m->addr, m->size, m->attr, m->flags);
	if (m->flags & CAIRN_VALUE_WIDE)
		put_hex(t, b->bytes + m->value, 8 * (size_t)m->words);
	else
		bytes_printf(t, "%" PRIx64, m->value);
	bytes_printf(t, "\n");
}

static void note_event(struct bytes *t, const struct cairn_reader *r, const struct cairn_batch *b,
                       const struct cairn_event *e)
{
	char buf[32];
	bytes_printf(t, "  %u event %s kind %u phase %u code %" PRIx64 " target %" PRIx64 " flags %x ",
	             e->seq, cairn_event_name(r, e, buf), e->kind, e->phase, e->code, e->target,
	             e->flags);
	put_hex(t, b->bytes + e->args, e->len);
	bytes_printf(t, "\n");
}

static void note_xact(struct bytes *t, const struct cairn_batch *b, const struct cairn_xact *x)
{
	bytes_printf(t,
	             "xact %" PRIu64 " delta %" PRIu64 " clock %u channel %u code %x param %x size %x "
	             "source %" PRIx64 " sink %" PRIx64 " address %" PRIx64 " known %x mask %u\n",
	             x->id, x->delta, x->clock, x->channel, x->code, x->param, x->size, x->source,
	             x->sink, x->address, x->known, x->mask_bits);
	put_hex(t, b->bytes + x->data, x->data_len);
	bytes_printf(t, "|");
	put_hex(t, b->bytes + x->mask, (x->mask_bits + 7) / 8);
	bytes_printf(t, "|");
	put_hex(t, b->bytes + x->meta, 16 * (size_t)x->n_meta);
	bytes_printf(t, "|");
	put_hex(t, b->bytes + x->deps, 24 * (size_t)x->n_deps);
	bytes_printf(t, "\n");
}

static struct noted *new_row(struct notes *s, uint64_t n)
{
	if (s->n_rows == s->cap) {
		s->cap = s->cap * 2 + 64;
		s->rows = realloc(s->rows, s->cap * sizeof *s->rows);
		if (!s->rows)
			abort();
	}
	s->rows[s->n_rows] = (struct noted){.n = n, .at = s->text.n};
	return &s->rows[s->n_rows++];
}

static void note_children(struct notes *s, const struct cairn_reader *r,
                          const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *row = &b->insns[i];
	for (uint32_t k = row[0].reg0; k < row[1].reg0; k++)
		note_reg(&s->text, b, &b->regs[k]);
	for (uint32_t k = row[0].mem0; k < row[1].mem0; k++)
		note_mem(&s->text, b, &b->mems[k]);
	for (uint32_t k = row[0].ev0; k < row[1].ev0; k++)
		note_event(&s->text, r, b, &b->events[k]);
}

static void note_insn(struct notes *s, const struct cairn_reader *r, const struct cairn_batch *b,
                      uint32_t i)
{
	const struct cairn_insn *row = &b->insns[i];
	struct bytes *t = &s->text;
	struct noted *note = new_row(s, b->n0 + i);
	bytes_printf(t,
	             "%" PRIu64 " pc %" PRIx64 " target %" PRIx64 " enc %x traits %x flags %x "
	             "size %u isa %u cls %u\n",
	             b->n0 + i, row->pc, row->target, row->enc, row->traits, row->flags, row->size,
	             row->isa, row->cls);
	if (s->what & NOTE_PLACES) {
		note->end = b->off0 + row->off + 1 + row->size;
		bytes_printf(t, "  record %" PRIu64 " byte %" PRIu64 " have %x\n", b->rec0 + row->rec,
		             b->off0 + row->off, b->have);
	}
	if (s->what & NOTE_CONTEXT)
		note_ctx(t, &b->ctxs[row->ctx]);
	note_children(s, r, b, i);
	s->rows[s->n_rows - 1].len = t->n - s->rows[s->n_rows - 1].at;
}

void notes_batch(struct notes *s, const struct cairn_reader *r, const struct cairn_batch *b)
{
	for (uint32_t i = 0; i < b->n_insns; i++)
		note_insn(s, r, b, i);
	for (uint32_t i = 0; i < b->n_xacts; i++) {
		struct noted *note = new_row(s, b->x0 + i);
		size_t at = note->at;
		note_xact(&s->text, b, &b->xacts[i]);
		s->rows[s->n_rows - 1].len = s->text.n - at;
	}
	if (s->what & NOTE_LAST)
		note_children(s, r, b, b->n_insns);
}

void notes_free(struct notes *s)
{
	bytes_free(&s->text);
	free(s->rows);
	memset(s, 0, sizeof *s);
}

static void note_end(struct notes *s, struct cairn *c, const struct cairn_reader *r, int rc)
{
	s->status = rc < 0 ? rc : 0;
	if (rc < 0)
		snprintf(s->error, sizeof s->error, "%s", cairn_error_text(c));
	s->damage = r ? cairn_damage_count(r) : 0;
	if (s->damage)
		snprintf(s->sentence, sizeof s->sentence, "%s", cairn_damage_text(r, 0));
}

/* Kept from call to call: thousands of readings would each make a new one. */
static struct cairn_batch *the_batch(struct cairn *c)
{
	static struct cairn_batch *b;
	if (!b)
		b = cairn_batch_new(c);
	return b;
}

struct notes notes_reader(struct cairn *c, struct cairn_reader *r, unsigned what)
{
	struct notes s = {.what = what};
	struct cairn_batch *b = the_batch(c);
	int rc;
	while ((rc = cairn_next(r, b)) > 0)
		notes_batch(&s, r, b);
	note_end(&s, c, r, rc);
	return s;
}

struct notes notes_of(struct cairn *c, const struct bytes *b, unsigned what, const char *from)
{
	struct cairn_reader *r;
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	int rc = cairn_open_memory(c, b->p, b->n, &opts, &r);
	struct notes s = {.what = what};
	if (rc < 0) {
		note_end(&s, c, NULL, rc);
		return s;
	}
	s = notes_reader(c, r, what);
	cairn_close(r);
	return s;
}

/* ---- with threads ---- */

struct running {
	struct cairn_reader *r;
	struct notes sum;
};

static int run_begin(void *user, void **partial)
{
	struct running *u = user;
	struct notes *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->what = u->sum.what;
	*partial = s;
	return 0;
}

static int run_feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct running *u = user;
	notes_batch(partial, u->r, b);
	return 0;
}

static int run_fold(void *user, void *partial)
{
	struct running *u = user;
	struct notes *s = partial;
	for (size_t i = 0; i < s->n_rows; i++) {
		struct noted *row = new_row(&u->sum, s->rows[i].n);
		size_t at = row->at + s->rows[i].at;
		*row = s->rows[i];
		row->at = at;
	}
	bytes_put(&u->sum.text, s->text.p, s->text.n);
	notes_free(s);
	free(s);
	return 0;
}

static void run_drop(void *user, void *partial)
{
	(void)user;
	notes_free(partial);
	free(partial);
}

static struct notes run_reader(struct cairn *c, struct cairn_reader *r, unsigned what,
                               unsigned threads)
{
	struct running u = {.r = r, .sum = {.what = what}};
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = run_begin,
	                            .feed = run_feed,
	                            .fold = run_fold,
	                            .drop = run_drop};
	int rc = cairn_run(r, &red, &u, UINT64_MAX, threads);
	note_end(&u.sum, c, r, rc);
	return u.sum;
}

struct notes notes_run(struct cairn *c, const struct bytes *b, unsigned what, unsigned threads)
{
	struct cairn_reader *r;
	struct notes s = {.what = what};
	int rc = cairn_open_memory(c, b->p, b->n, NULL, &r);
	if (rc < 0) {
		note_end(&s, c, NULL, rc);
		return s;
	}
	s = run_reader(c, r, what, threads);
	cairn_close(r);
	return s;
}

/* ---- through a pipe ---- */

struct feeding {
	const struct bytes *b;
	int fd;
};

static void *feed_pipe(void *arg)
{
	const struct feeding *f = arg;
	for (size_t at = 0; at < f->b->n;) {
		ssize_t n = write(f->fd, f->b->p + at, f->b->n - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	close(f->fd);
	return NULL;
}

struct notes notes_pipe(struct cairn *c, const struct bytes *b, unsigned what, unsigned threads)
{
	struct notes s = {.what = what};
	struct cairn_reader *r;
	pthread_t id;
	int fd[2];
	if (pipe(fd) < 0)
		abort();
	struct feeding f = {b, fd[1]};
	dup2(fd[0], STDIN_FILENO);
	close(fd[0]);
	if (pthread_create(&id, NULL, feed_pipe, &f) != 0)
		abort();
	int rc = cairn_open(c, "-", NULL, &r);
	if (rc < 0) {
		note_end(&s, c, NULL, rc);
	} else {
		s = threads ? run_reader(c, r, what, threads) : notes_reader(c, r, what);
		cairn_close(r);
	}
	/* Whoever closes early would leave the writer waiting: read the rest. */
	char rest[4096];
	while (read(STDIN_FILENO, rest, sizeof rest) > 0)
		;
	pthread_join(id, NULL);
	return s;
}

/* ---- comparing ---- */

const char *notes_differ(const struct notes *a, const struct notes *b)
{
	static char why[1400];
	if (a->text.n == b->text.n && (a->text.n == 0 || !memcmp(a->text.p, b->text.p, a->text.n)))
		return NULL;
	size_t i = 0, line = 0;
	while (i < a->text.n && i < b->text.n && a->text.p[i] == b->text.p[i]) {
		if (a->text.p[i] == '\n')
			line = i + 1;
		i++;
	}
	size_t la = a->text.n - line, lb = b->text.n - line;
	snprintf(why, sizeof why, "%zu and %zu rows; one: %.*s; other: %.*s", a->n_rows, b->n_rows,
	         (int)(la < 400 ? la : 400), (const char *)a->text.p + line, (int)(lb < 400 ? lb : 400),
	         (const char *)b->text.p + line);
	return why;
}

bool notes_same_row(const struct notes *a, size_t i, const struct notes *b, size_t k)
{
	return i < a->n_rows && k < b->n_rows && a->rows[i].len == b->rows[k].len &&
	       !memcmp(a->text.p + a->rows[i].at, b->text.p + b->rows[k].at, a->rows[i].len);
}
