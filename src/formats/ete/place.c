/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For an index: where spans begin, the state there, and what else than the file decides
 * what a trace tells.
 *
 * A place is the offset of a span's first byte in the trace, plus one. It can be gone to
 * where all sessions up to it are plain files without frames: then bytes are where they
 * are, and nothing before them need be read.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "formats/ete/format.h"
#include "image/image.h"

enum { UNIT_WORDS = 4 };

/* ---- places ---- */

uint64_t ete_span_place(const struct cairn_reader *r, const struct model_span *s)
{
	const struct ete_span *sp = s->priv;
	(void)r;
	return sp->program && sp->placed ? ete_place(sp, sp->begin) + 1 : 0;
}

static int no_such_place(struct cairn_reader *r, uint64_t place)
{
	return base_fail(r->c, CAIRN_E_DAMAGED, "%s: no part of the trace begins at byte %llu",
	                 io_name(r->io), (unsigned long long)(place - 1));
}

int ete_jump(struct cairn_reader *r, uint64_t place)
{
	static const uint8_t async[12] = {[11] = 0x80};
	struct ete_impl *im = r->impl;
	struct model_span nowhere = {0};
	int rc = ete_seek(r, 1);
	while (rc >= 0 && (rc = ete_session_next(r, &nowhere)) > 0) {
		struct ete_loaded *of = im->now;
		model_damage_free(r->c, &nowhere.damage); /* told when it is read in order */
		if (im->unplaced)
			break;
		uint64_t at = place - 1 - of->base;
		if (at < of->fed) {
			if (of->fed - at < sizeof async || memcmp(of->map + at, async, sizeof async) != 0)
				break;
			of->frames.lanes[0]->at = at;
			im->begun = true;
			return 0;
		}
		im->base += of->fed;
		ete_session_release(r->c, of);
		im->now = NULL;
	}
	return rc < 0 ? rc : no_such_place(r, place);
}

/* ---- states ---- */

int ete_state_put(const struct cairn_reader *r, const void *state, struct base_buf *out)
{
	const struct ete_impl *im = r->impl;
	const struct ete_state *st = state;
	uint8_t words[8 * UNIT_WORDS];
	base_put_le64(words, st->n);
	base_put_le64(words + 8, st->rec);
	int rc = base_buf_put(out, words, 16);
	for (size_t i = 0; i < im->n_programs && rc >= 0; i++) {
		const struct ete_unit_state *u = &st->units[i];
		base_put_le64(words, u->ctx.known | (uint64_t)u->ctx.hart << 32 |
		                     (uint64_t)u->ctx.priv << 48 | (uint64_t)u->ctx.security << 56);
		base_put_le64(words + 8, u->ctx.vmid | (uint64_t)u->no_addr << 32 |
		                         (uint64_t)u->waiting << 33 | (uint64_t)u->no_stack << 34 |
		                         (uint64_t)u->returned << 35 | (uint64_t)u->any << 36);
		base_put_le64(words + 16, u->ctx.ctxid);
		base_put_le64(words + 24, u->addr);
		rc = base_buf_put(out, words, sizeof words);
	}
	return rc;
}

int ete_state_get(const struct cairn_reader *r, const uint8_t *p, size_t n, void *state)
{
	const struct ete_impl *im = r->impl;
	struct ete_state *st = state;
	memset(state, 0, r->state_size);
	if (n != 16 + 8 * UNIT_WORDS * im->n_programs || base_le64(p) == 0 || base_le64(p + 8) == 0)
		return base_fail(r->c, CAIRN_E_DAMAGED, "a state of %zu trace units makes no sense",
		                 im->n_programs);
	st->n = base_le64(p);
	st->rec = base_le64(p + 8);
	p += 16;
	for (size_t i = 0; i < im->n_programs; i++, p += 8 * UNIT_WORDS) {
		struct ete_unit_state *u = &st->units[i];
		uint64_t a = base_le64(p), b = base_le64(p + 8);
		u->ctx = (struct cairn_ctx){.known = (uint32_t)a, .hart = (uint16_t)(a >> 32),
			.priv = (uint8_t)(a >> 48), .security = (uint8_t)(a >> 56), .vmid = (uint32_t)b,
			.ctxid = base_le64(p + 16)};
		u->addr = base_le64(p + 24);
		u->no_addr = b >> 32 & 1;
		u->waiting = b >> 33 & 1;
		u->no_stack = b >> 34 & 1;
		u->returned = b >> 35 & 1;
		u->any = b >> 36 & 1;
	}
	return 0;
}

/* ---- what else decides ---- */

static uint64_t hash_file(uint64_t h, const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return base_hash_mix(h, 0);
	h = base_hash_mix(h, (uint64_t)st.st_size);
	h = base_hash_mix(h, (uint64_t)st.st_mtim.tv_sec);
	return base_hash_mix(h, (uint64_t)st.st_mtim.tv_nsec);
}

/* The program's bytes, and of a snapshot registers and the files of the sessions. */
int ete_depends(struct cairn_reader *r, struct base_buf *out)
{
	const struct ete_impl *im = r->impl;
	const struct ete_snapshot *snap = im->snapshot;
	const struct cairn_image *last = NULL;
	uint64_t h = 0, program = 0;
	for (size_t i = 0; i < im->n_programs; i++) {
		const struct ete_program *p = &im->programs[i];
		const struct cairn_ete_config *c = &p->cfg;
		const uint32_t words[] = {c->configr, c->traceidr, c->devarch, c->idr0, c->idr1, c->idr2,
			c->idr8, c->protocol, c->profile, p->level, p->hart};
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			h = base_hash_mix(h, words[k]);
		if (p->image && p->image != last)
			program = image_fingerprint(p->image);
		last = p->image;
		h = base_hash_mix(h, p->image ? program : 1);
	}
	for (size_t i = 0; snap && i < snap->n_sessions; i++)
		for (size_t k = 0; k < snap->sessions[i].n_files; k++)
			h = hash_file(h, snap->sessions[i].files[k]);
	return base_buf_printf(out, "\nete %016llx", (unsigned long long)h);
}
