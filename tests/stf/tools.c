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

static void make_room(struct bytes *bytes, size_t n)
{
	if (bytes->cap - bytes->n >= n)
		return;
	bytes->cap = 2 * bytes->cap + n + 256;
	bytes->p = realloc(bytes->p, bytes->cap);
	if (!bytes->p)
		abort();
}

void bytes_put(struct bytes *bytes, const void *data, size_t n)
{
	make_room(bytes, n);
	if (n)
		memcpy(bytes->p + bytes->n, data, n);
	bytes->n += n;
}

void bytes_printf(struct bytes *bytes, const char *fmt, ...)
{
	va_list ap;
	make_room(bytes, 512);
	va_start(ap, fmt);
	int n = vsnprintf((char *)bytes->p + bytes->n, 512, fmt, ap);
	va_end(ap);
	bytes->n += (size_t)(n < 511 ? n : 511);
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->p);
	memset(bytes, 0, sizeof *bytes);
}

struct bytes bytes_of_file(const char *path)
{
	struct bytes bytes = {0};
	FILE *f = fopen(path, "rb");
	if (!f)
		return bytes;
	size_t n;
	do {
		make_room(&bytes, 1 << 16);
		n = fread(bytes.p + bytes.n, 1, 1 << 16, f);
		bytes.n += n;
	} while (n);
	fclose(f);
	return bytes;
}

/* ---- records ---- */

static void put_le(struct bytes *bytes, uint64_t value, unsigned n)
{
	uint8_t raw[8];
	base_put_le(raw, n, value);
	bytes_put(bytes, raw, n);
}

void rec(struct bytes *bytes, unsigned type, const char *layout, ...)
{
	va_list ap;
	put_le(bytes, type, 1);
	va_start(ap, layout);
	for (; *layout; layout++) {
		const char *s;
		switch (*layout) {
		case 'b':
			put_le(bytes, va_arg(ap, unsigned), 1);
			break;
		case 'h':
			put_le(bytes, va_arg(ap, unsigned), 2);
			break;
		case 'w':
			put_le(bytes, va_arg(ap, unsigned), 4);
			break;
		case 'q':
			put_le(bytes, va_arg(ap, uint64_t), 8);
			break;
		default:
			s = va_arg(ap, const char *);
			if (*layout != 's')
				put_le(bytes, strlen(s), *layout == 't' ? 2 : 4);
			bytes_put(bytes, s, strlen(s));
			break;
		}
	}
	va_end(ap);
}

static uint64_t features_of(const struct head *head)
{
	return head->features | (head->narrow ? 0 : (uint64_t)CAIRN_STF_F_EVENT64);
}

void head(struct bytes *bytes, struct head h)
{
	rec(bytes, CAIRN_STF_IDENTIFIER, "s", "STF");
	rec(bytes, CAIRN_STF_VERSION, "ww", 1u, h.minor ? h.minor : 6);
	rec(bytes, CAIRN_STF_ISA, "h", 1u);
	rec(bytes, CAIRN_STF_INST_IEM, "h", h.iem ? h.iem : 2);
	rec(bytes, CAIRN_STF_TRACE_INFO, "bbbbt", 0x40u, 0u, 1u, 0u, "by hand");
	if (!h.no_features)
		rec(bytes, CAIRN_STF_TRACE_INFO_FEATURE, "q", features_of(&h));
	if (h.ids)
		rec(bytes, CAIRN_STF_PROCESS_ID_EXT, "www", h.ids[0], h.ids[1], h.ids[2]);
	if (!h.no_pc)
		rec(bytes, CAIRN_STF_FORCE_PC, "q", h.pc ? h.pc : UINT64_C(0x1000));
	if (h.vlen)
		rec(bytes, CAIRN_STF_VLEN_CONFIG, "w", h.vlen);
	if (!h.open)
		rec(bytes, CAIRN_STF_END_HEADER, "");
}

struct cairn_stf_config config_of(struct head head)
{
	return (struct cairn_stf_config){.version_major = 1,
	                                 .version_minor = (uint16_t)(head.minor ? head.minor : 6),
	                                 .isa = 1,
	                                 .iem = (uint16_t)(head.iem ? head.iem : 2),
	                                 .features = features_of(&head),
	                                 .vlen = head.vlen,
	                                 .event_bits = head.narrow ? 32 : 64,
	                                 .new_ids = !head.minor || head.minor >= 5};
}

void insn32(struct bytes *bytes, uint32_t enc)
{
	rec(bytes, CAIRN_STF_INST_32, "w", enc);
}

void insn16(struct bytes *bytes, uint16_t enc)
{
	rec(bytes, CAIRN_STF_INST_16, "h", (unsigned)enc);
}

void reg(struct bytes *bytes, unsigned num, unsigned kind, unsigned role, uint64_t value)
{
	rec(bytes, CAIRN_STF_INST_REG, "hbq", num, role << 4 | kind, value);
}

void event64(struct bytes *bytes, uint64_t id, unsigned n, uint64_t first)
{
	rec(bytes, CAIRN_STF_EVENT, "qb", id, n);
	for (unsigned i = 0; i < n; i++)
		put_le(bytes, first + i, 8);
}

void event32(struct bytes *bytes, uint32_t id, unsigned n, uint64_t first)
{
	rec(bytes, CAIRN_STF_EVENT, "wb", id, n);
	for (unsigned i = 0; i < n; i++)
		put_le(bytes, first + i, 8);
}

static uint64_t chance(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void random_event(struct bytes *bytes, const struct cairn_stf_config *cfg, uint64_t *s)
{
	static const unsigned ids[] = {2, 5, 8, 11, 13};
	uint64_t id = ids[chance(s) % 5];
	unsigned bit = chance(s) % 4 == 0;
	if (cfg->event_bits == 64)
		event64(bytes, id | (uint64_t)bit << 63, (unsigned)(chance(s) % 4), chance(s));
	else
		event32(bytes, (uint32_t)id | bit << 31, (unsigned)(chance(s) % 4), chance(s));
	if (chance(s) % 2)
		rec(bytes, CAIRN_STF_EVENT_PC_TARGET, "q", chance(s) & 0xfffffe);
}

static void random_mode(struct bytes *bytes, const struct cairn_stf_config *cfg, uint64_t *s)
{
	if (cfg->event_bits == 64)
		event64(bytes, UINT64_C(1) << 62, 1, chance(s) % 5);
	else
		event32(bytes, UINT32_C(1) << 30, 1, chance(s) % 5);
}

static void random_rare(struct bytes *bytes, const struct cairn_stf_config *cfg, uint64_t *s)
{
	switch (chance(s) % 12) {
	case 0:
		random_event(bytes, cfg, s);
		break;
	case 1:
		random_mode(bytes, cfg, s);
		break;
	case 2:
		rec(bytes, CAIRN_STF_PROCESS_ID_EXT, "www", (unsigned)chance(s) & 3,
		    (unsigned)chance(s) & 7, (unsigned)chance(s) & 15);
		break;
	case 3:
		rec(bytes, CAIRN_STF_FORCE_PC, "q", chance(s) & 0xffffff);
		break;
	case 4:
		rec(bytes, CAIRN_STF_COMMENT, "T", "a word in between");
		break;
	case 5:
		if (cfg->iem == 1)
			break;
		rec(bytes, CAIRN_STF_INST_IEM, "h", 1 + ((unsigned)chance(s) & 1));
		break;
	case 6:
		rec(bytes, CAIRN_STF_INST_MICROOP, "bw", 4u, (unsigned)chance(s));
		break;
	case 7:
		rec(bytes, CAIRN_STF_PAGE_TABLE_WALK, "qqwbqq", chance(s), chance(s), 4096u, 1u, chance(s),
		    chance(s));
		break;
	case 8:
		rec(bytes, CAIRN_STF_BUS_MASTER_ACCESS, "qhbbwb", chance(s), 8u, 3u, 1u, 7u, 2u);
		rec(bytes, CAIRN_STF_BUS_MASTER_CONTENT, "q", chance(s));
		break;
	case 9:
		rec(bytes, CAIRN_STF_INST_READY_REG, "h", (unsigned)chance(s) & 31);
		break;
	default:
		if (!cfg->vlen)
			break;
		rec(bytes, CAIRN_STF_INST_REG, "hb", 3u, 0x23u);
		for (uint32_t i = 0; i < (cfg->vlen + 63) / 64; i++)
			put_le(bytes, chance(s), 8);
		break;
	}
}

void random_groups(struct bytes *bytes, const struct cairn_stf_config *cfg, unsigned seed,
                   unsigned n)
{
	/* nop, load, store, beq, jal; and of 16 bits one that RV32 jumps with */
	static const uint32_t encodings[] = {NOP, 0x0102b303, 0x00a2b023, 0x00208e63, 0x010000ef};
	static const uint16_t shorts[] = {C_NOP, 0x2001, 0x8082, 0xc100};
	uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned i = 0; i < n; i++) {
		for (uint64_t k = chance(&s) % 3; k; k--)
			reg(bytes, (unsigned)chance(&s) & 31, 1 + ((unsigned)chance(&s) & 1), 2, chance(&s));
		if (chance(&s) % 3 == 0) {
			rec(bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", chance(&s), 8u, 0u,
			    1 + ((unsigned)chance(&s) & 1));
			for (uint64_t k = chance(&s) % 4; k; k--)
				rec(bytes, CAIRN_STF_INST_MEM_CONTENT, "q", chance(&s));
		}
		if (chance(&s) % 5 == 0)
			random_rare(bytes, cfg, &s);
		if (chance(&s) % 4 == 0)
			rec(bytes, CAIRN_STF_INST_PC_TARGET, "q", chance(&s) & 0xfffffe);
		if (chance(&s) % 2)
			insn32(bytes, encodings[chance(&s) % 5]);
		else
			insn16(bytes, shorts[chance(&s) % 4]);
	}
}

/* ---- containers ---- */

struct pc_walk {
	uint64_t next, target;
	bool has_target, started;
};

static bool pc_step(struct pc_walk *walk, const uint8_t *p)
{
	switch (*p) {
	case CAIRN_STF_FORCE_PC:
		walk->next = base_le64(p + 1);
		return false;
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_EVENT_PC_TARGET:
		walk->target = base_le64(p + 1);
		walk->has_target = true;
		return false;
	case CAIRN_STF_INST_32:
	case CAIRN_STF_INST_16:
		walk->next =
			walk->has_target ? walk->target : walk->next + (*p == CAIRN_STF_INST_32 ? 4 : 2);
		walk->has_target = false;
		return true;
	default:
		return *p == CAIRN_STF_TRANSACTION;
	}
}

static void put_frame(struct bytes *bytes, const uint8_t *p, size_t n, bool checksums)
{
	ZSTD_CCtx *cc = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(cc, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(cc, ZSTD_c_checksumFlag, checksums);
	make_room(bytes, ZSTD_compressBound(n));
	size_t got = ZSTD_compress2(cc, bytes->p + bytes->n, bytes->cap - bytes->n, p, n);
	if (ZSTD_isError(got))
		abort();
	bytes->n += got;
	ZSTD_freeCCtx(cc);
}

static void put_index(struct container *container, const uint64_t *pcs, const uint64_t *sizes)
{
	container->frames[container->chunks] = container->bytes.n;
	base_put_le64(container->bytes.p + 12, container->bytes.n);
	put_le(&container->bytes, container->chunks, 8);
	for (size_t i = 0; i < container->chunks; i++) {
		put_le(&container->bytes, container->frames[i], 8);
		put_le(&container->bytes, pcs[i], 8);
		put_le(&container->bytes, sizes[i], 8);
	}
}

struct container zstf_of(const struct bytes *stf, const struct cairn_stf_config *cfg,
                         uint64_t per_chunk, bool checksums)
{
	struct container container = {0};
	struct pc_walk walk = {0};
	uint64_t pcs[256] = {0}, sizes[256] = {0};
	size_t from = 0, at = 0;
	bytes_put(&container.bytes, "ZSTF", 4);
	put_le(&container.bytes, per_chunk, 8);
	put_le(&container.bytes, 0, 8);
	while (at < stf->n) {
		int64_t len = cairn_stf_record_length(cfg, stf->p + at, stf->n - at);
		if (len <= 0)
			len = (int64_t)(stf->n - at); /* damaged on purpose: as it is */
		container.markers += pc_step(&walk, stf->p + at);
		bool marker = stf->p[at] >= CAIRN_STF_INST_32 && stf->p[at] <= CAIRN_STF_TRANSACTION;
		at += (size_t)len;
		if (at < stf->n && !(marker && container.markers % per_chunk == 0))
			continue;
		if (container.chunks == 255)
			abort();
		container.frames[container.chunks] = container.bytes.n;
		sizes[container.chunks++] = at - from;
		pcs[container.chunks] = walk.next;
		put_frame(&container.bytes, stf->p + from, at - from, checksums);
		from = at;
	}
	put_index(&container, pcs, sizes);
	return container;
}

struct bytes wrapped(struct cairn *cairn, const struct bytes *bytes, const char *codec)
{
	struct bytes out = {0};
	struct base_buf buf;
	const struct cairn_codec *k = cairn_codec_find(cairn, codec);
	base_buf_init(&buf, cairn);
	if (k && io_encode_frame(cairn, k, k->level_default, bytes->p, bytes->n, &buf) >= 0)
		bytes_put(&out, buf.data, buf.len);
	base_buf_free(&buf);
	return out;
}

struct bytes unwrapped(struct cairn *cairn, const struct bytes *bytes)
{
	struct bytes out = {0};
	struct io_source *source;
	int64_t n;
	if (io_open_memory(cairn, bytes->p, bytes->n, &source) < 0)
		return out;
	do {
		make_room(&out, 1 << 16);
		n = io_read(source, out.p + out.n, 1 << 16);
		out.n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	io_close(source);
	return out;
}

/* ---- notes ---- */

static void put_hex(struct bytes *bytes, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes_printf(bytes, "%02x", p[i]);
}

static void note_ctx(struct bytes *bytes, const struct cairn_ctx *ctx)
{
	bytes_printf(bytes, "  ctx known %x hart %u priv %u hw %u pid %u tid %u asid %u\n", ctx->known,
	             ctx->hart, ctx->priv, ctx->hw_tid, ctx->pid, ctx->tid, ctx->asid);
}

static void note_reg(struct bytes *bytes, const struct cairn_batch *batch,
                     const struct cairn_reg *reg)
{
	bytes_printf(bytes, "  %u reg %u cls %u role %u bits %u lsb %u flags %x ", reg->seq, reg->num,
	             reg->cls, reg->role, reg->bits, reg->lsb, reg->flags);
	if (reg->flags & CAIRN_VALUE_WIDE)
		put_hex(bytes, batch->bytes + reg->value, (reg->bits + 63) / 64 * 8);
	else
		bytes_printf(bytes, "%" PRIx64, reg->value);
	bytes_printf(bytes, "\n");
}

static void note_mem(struct bytes *bytes, const struct cairn_batch *batch,
                     const struct cairn_mem *mem)
{
	bytes_printf(bytes, "  %u mem kind %u by %u.%u addr %" PRIx64 " size %u attr %x flags %x ",
	             mem->seq, mem->kind, mem->initiator, mem->unit, mem->addr, mem->size, mem->attr,
	             mem->flags);
	if (mem->flags & CAIRN_VALUE_WIDE)
		put_hex(bytes, batch->bytes + mem->value, 8 * (size_t)mem->words);
	else
		bytes_printf(bytes, "%" PRIx64, mem->value);
	bytes_printf(bytes, "\n");
}

static void note_event(struct bytes *bytes, const struct cairn_reader *reader,
                       const struct cairn_batch *batch, const struct cairn_event *event)
{
	char buf[32];
	bytes_printf(bytes,
	             "  %u event %s kind %u phase %u code %" PRIx64 " target %" PRIx64 " flags %x ",
	             event->seq, cairn_event_name(reader, event, buf), event->kind, event->phase,
	             event->code, event->target, event->flags);
	put_hex(bytes, batch->bytes + event->args, event->len);
	bytes_printf(bytes, "\n");
}

static void note_xact(struct bytes *bytes, const struct cairn_batch *batch,
                      const struct cairn_xact *xact)
{
	bytes_printf(bytes,
	             "xact %" PRIu64 " delta %" PRIu64 " clock %u channel %u code %x param %x size %x "
	             "source %" PRIx64 " sink %" PRIx64 " address %" PRIx64 " known %x mask %u\n",
	             xact->id, xact->delta, xact->clock, xact->channel, xact->code, xact->param,
	             xact->size, xact->source, xact->sink, xact->address, xact->known, xact->mask_bits);
	put_hex(bytes, batch->bytes + xact->data, xact->data_len);
	bytes_printf(bytes, "|");
	put_hex(bytes, batch->bytes + xact->mask, (xact->mask_bits + 7) / 8);
	bytes_printf(bytes, "|");
	put_hex(bytes, batch->bytes + xact->meta, 16 * (size_t)xact->n_meta);
	bytes_printf(bytes, "|");
	put_hex(bytes, batch->bytes + xact->deps, 24 * (size_t)xact->n_deps);
	bytes_printf(bytes, "\n");
}

static struct noted *new_row(struct notes *notes, uint64_t n)
{
	if (notes->n_rows == notes->cap) {
		notes->cap = notes->cap * 2 + 64;
		notes->rows = realloc(notes->rows, notes->cap * sizeof *notes->rows);
		if (!notes->rows)
			abort();
	}
	notes->rows[notes->n_rows] = (struct noted){.n = n, .at = notes->text.n};
	return &notes->rows[notes->n_rows++];
}

static void note_children(struct notes *notes, const struct cairn_reader *reader,
                          const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *row = &batch->insns[index];
	for (uint32_t k = row[0].reg0; k < row[1].reg0; k++)
		note_reg(&notes->text, batch, &batch->regs[k]);
	for (uint32_t k = row[0].mem0; k < row[1].mem0; k++)
		note_mem(&notes->text, batch, &batch->mems[k]);
	for (uint32_t k = row[0].ev0; k < row[1].ev0; k++)
		note_event(&notes->text, reader, batch, &batch->events[k]);
}

static void note_insn(struct notes *notes, const struct cairn_reader *reader,
                      const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *row = &batch->insns[index];
	struct bytes *bytes = &notes->text;
	struct noted *note = new_row(notes, batch->n0 + index);
	bytes_printf(bytes,
	             "%" PRIu64 " pc %" PRIx64 " target %" PRIx64 " enc %x traits %x flags %x "
	             "size %u isa %u cls %u\n",
	             batch->n0 + index, row->pc, row->target, row->enc, row->traits, row->flags,
	             row->size, row->isa, row->cls);
	if (notes->what & NOTE_PLACES) {
		note->end = batch->off0 + row->off + 1 + row->size;
		bytes_printf(bytes, "  record %" PRIu64 " byte %" PRIu64 " have %x\n",
		             batch->rec0 + row->rec, batch->off0 + row->off, batch->have);
	}
	if (notes->what & NOTE_CONTEXT)
		note_ctx(bytes, &batch->ctxs[row->ctx]);
	note_children(notes, reader, batch, index);
	notes->rows[notes->n_rows - 1].len = bytes->n - notes->rows[notes->n_rows - 1].at;
}

void notes_batch(struct notes *notes, const struct cairn_reader *reader,
                 const struct cairn_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_insns; i++)
		note_insn(notes, reader, batch, i);
	for (uint32_t i = 0; i < batch->n_xacts; i++) {
		struct noted *note = new_row(notes, batch->x0 + i);
		size_t at = note->at;
		note_xact(&notes->text, batch, &batch->xacts[i]);
		notes->rows[notes->n_rows - 1].len = notes->text.n - at;
	}
	if (notes->what & NOTE_LAST)
		note_children(notes, reader, batch, batch->n_insns);
}

void notes_free(struct notes *notes)
{
	bytes_free(&notes->text);
	free(notes->rows);
	memset(notes, 0, sizeof *notes);
}

static void note_end(struct notes *notes, struct cairn *cairn, const struct cairn_reader *reader,
                     int rc)
{
	notes->status = rc < 0 ? rc : 0;
	if (rc < 0)
		snprintf(notes->error, sizeof notes->error, "%s", cairn_error_text(cairn));
	notes->damage = reader ? cairn_damage_count(reader) : 0;
	if (notes->damage)
		snprintf(notes->sentence, sizeof notes->sentence, "%s", cairn_damage_text(reader, 0));
}

/* Kept from call to call: thousands of readings would each make a new one. */
static struct cairn_batch *the_batch(struct cairn *cairn)
{
	static struct cairn_batch *batch;
	if (!batch)
		batch = cairn_batch_new(cairn);
	return batch;
}

struct notes notes_reader(struct cairn *cairn, struct cairn_reader *reader, unsigned what)
{
	struct notes notes = {.what = what};
	struct cairn_batch *batch = the_batch(cairn);
	int rc;
	while ((rc = cairn_next(reader, batch)) > 0)
		notes_batch(&notes, reader, batch);
	note_end(&notes, cairn, reader, rc);
	return notes;
}

struct notes notes_of(struct cairn *cairn, const struct bytes *bytes, unsigned what,
                      const char *from)
{
	struct cairn_reader *reader;
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	int rc = cairn_open_memory(cairn, bytes->p, bytes->n, &opts, &reader);
	struct notes notes = {.what = what};
	if (rc < 0) {
		note_end(&notes, cairn, NULL, rc);
		return notes;
	}
	notes = notes_reader(cairn, reader, what);
	cairn_close(reader);
	return notes;
}

/* ---- with threads ---- */

struct running {
	struct cairn_reader *reader;
	struct notes sum;
};

static int run_begin(void *user, void **partial)
{
	struct running *running = user;
	struct notes *notes = calloc(1, sizeof *notes);
	if (!notes)
		abort();
	notes->what = running->sum.what;
	*partial = notes;
	return 0;
}

static int run_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct running *running = user;
	notes_batch(partial, running->reader, batch);
	return 0;
}

static int run_fold(void *user, void *partial)
{
	struct running *running = user;
	struct notes *notes = partial;
	for (size_t i = 0; i < notes->n_rows; i++) {
		struct noted *row = new_row(&running->sum, notes->rows[i].n);
		size_t at = row->at + notes->rows[i].at;
		*row = notes->rows[i];
		row->at = at;
	}
	bytes_put(&running->sum.text, notes->text.p, notes->text.n);
	notes_free(notes);
	free(notes);
	return 0;
}

static void run_drop(void *user, void *partial)
{
	(void)user;
	notes_free(partial);
	free(partial);
}

static struct notes run_reader(struct cairn *cairn, struct cairn_reader *reader, unsigned what,
                               unsigned threads)
{
	struct running running = {.reader = reader, .sum = {.what = what}};
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = run_begin,
	                            .feed = run_feed,
	                            .fold = run_fold,
	                            .drop = run_drop};
	int rc = cairn_run(reader, &red, &running, UINT64_MAX, threads);
	note_end(&running.sum, cairn, reader, rc);
	return running.sum;
}

struct notes notes_run(struct cairn *cairn, const struct bytes *bytes, unsigned what,
                       unsigned threads)
{
	struct cairn_reader *reader;
	struct notes notes = {.what = what};
	int rc = cairn_open_memory(cairn, bytes->p, bytes->n, NULL, &reader);
	if (rc < 0) {
		note_end(&notes, cairn, NULL, rc);
		return notes;
	}
	notes = run_reader(cairn, reader, what, threads);
	cairn_close(reader);
	return notes;
}

/* ---- through a pipe ---- */

struct feeding {
	const struct bytes *bytes;
	int fd;
};

static void *feed_pipe(void *arg)
{
	const struct feeding *feeding = arg;
	for (size_t at = 0; at < feeding->bytes->n;) {
		ssize_t n = write(feeding->fd, feeding->bytes->p + at, feeding->bytes->n - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	close(feeding->fd);
	return NULL;
}

struct notes notes_pipe(struct cairn *cairn, const struct bytes *bytes, unsigned what,
                        unsigned threads)
{
	struct notes notes = {.what = what};
	struct cairn_reader *reader;
	pthread_t id;
	int fd[2];
	if (pipe(fd) < 0)
		abort();
	struct feeding feeding = {bytes, fd[1]};
	dup2(fd[0], STDIN_FILENO);
	close(fd[0]);
	if (pthread_create(&id, NULL, feed_pipe, &feeding) != 0)
		abort();
	int rc = cairn_open(cairn, "-", NULL, &reader);
	if (rc < 0) {
		note_end(&notes, cairn, NULL, rc);
	} else {
		notes =
			threads ? run_reader(cairn, reader, what, threads) : notes_reader(cairn, reader, what);
		cairn_close(reader);
	}
	/* Whoever closes early would leave the writer waiting: read the rest. */
	char rest[4096];
	while (read(STDIN_FILENO, rest, sizeof rest) > 0)
		;
	pthread_join(id, NULL);
	return notes;
}

/* ---- comparing ---- */

const char *notes_differ(const struct notes *left, const struct notes *right)
{
	static char why[1400];
	if (left->text.n == right->text.n &&
	    (left->text.n == 0 || !memcmp(left->text.p, right->text.p, left->text.n)))
		return NULL;
	size_t i = 0, line = 0;
	while (i < left->text.n && i < right->text.n && left->text.p[i] == right->text.p[i]) {
		if (left->text.p[i] == '\n')
			line = i + 1;
		i++;
	}
	size_t la = left->text.n - line, lb = right->text.n - line;
	snprintf(why, sizeof why, "%zu and %zu rows; one: %.*s; other: %.*s", left->n_rows,
	         right->n_rows, (int)(la < 400 ? la : 400), (const char *)left->text.p + line,
	         (int)(lb < 400 ? lb : 400), (const char *)right->text.p + line);
	return why;
}

bool notes_same_row(const struct notes *left, size_t index, const struct notes *right, size_t k)
{
	return index < left->n_rows && k < right->n_rows &&
	       left->rows[index].len == right->rows[k].len &&
	       !memcmp(left->text.p + left->rows[index].at, right->text.p + right->rows[k].at,
	               left->rows[index].len);
}
