/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state between two spans as bytes, for an index, and reading on from there.
 * The bytes are documented in docs/formats/index.md; a new field goes to the end
 * and makes another length, by which an older one is refused.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"

enum { STATE_BYTES = 7 * 8 + 8 + 6 * 4 + 2 + 7 };

uint64_t stf_place_of(const struct cairn_reader *reader, const struct model_span *span)
{
	const struct stf_impl *im = reader->impl;
	const struct stf_span *ss = span->priv;
	if (ss->kind == STF_SPAN_CHUNK)
		return im->chunks ? ss->chunk : 0;
	return ss->kind == STF_SPAN_RAW && io_can_seek(reader->io) ? ss->bytes.begin : 0;
}

int stf_jump(struct cairn_reader *reader, uint64_t place)
{
	struct stf_impl *im = reader->impl;
	if (im->zstf ? !im->chunks || place >= im->n_chunks
	             : place < im->header.size ||
	                   (im->source.map ? place > im->source.map_len : !io_can_seek(reader->io)))
		return base_fail(reader->cairn, CAIRN_E_DAMAGED,
		                 "%s: its index tells a place where nothing can "
		                 "begin",
		                 io_name(reader->io));
	if (im->zstf) {
		im->next_chunk = place;
		im->first_chunk = 0; /* all places before it are known */
		stf_container_forget(im);
		return 0;
	}
	return kit_source_restart(reader, &im->source, place);
}

int stf_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out)
{
	struct stf_state at;
	uint8_t raw[STATE_BYTES], *p = raw;
	const struct cairn_ctx *ctx = &at.now.ctx;
	(void)reader;
	memcpy(&at, state, sizeof at);
	const uint64_t wide[] = {at.now.pc, at.now.target, at.n,   at.x,
	                         at.rec,    at.off,        at.gap, ctx->ctxid};
	const uint32_t half[] = {ctx->known, ctx->hw_tid, ctx->pid, ctx->tid, ctx->asid, ctx->vmid};
	const uint8_t bytes[] = {ctx->priv,
	                         ctx->security,
	                         at.now.pc_known != 0,
	                         (at.now.group & STF_GOES) != 0,
	                         at.now.isa,
	                         at.now.begun,
	                         at.damaged};
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++, p += 8)
		base_put_le64(p, wide[i]);
	for (size_t i = 0; i < sizeof half / sizeof *half; i++, p += 4)
		base_put_le32(p, half[i]);
	base_put_le16(p, ctx->hart);
	memcpy(p + sizeof ctx->hart, bytes, sizeof bytes);
	_Static_assert(sizeof wide + sizeof half + 2 + sizeof bytes == STATE_BYTES, "all of it");
	return base_buf_put(out, raw, sizeof raw);
}

int stf_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state)
{
	struct stf_state at = {0};
	struct cairn_ctx *ctx = &at.now.ctx;
	uint8_t goes;
	uint64_t *const wide[] = {&at.now.pc, &at.now.target, &at.n,   &at.x,
	                          &at.rec,    &at.off,        &at.gap, &ctx->ctxid};
	uint32_t *const half[] = {&ctx->known, &ctx->hw_tid, &ctx->pid,
	                          &ctx->tid,   &ctx->asid,   &ctx->vmid};
	uint8_t *const bytes[] = {&ctx->priv,  &ctx->security, &at.now.pc_known, &goes,
	                          &at.now.isa, &at.now.begun,  &at.damaged};
	if (n != STATE_BYTES)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED,
		                 "%s: its index holds a state of %zu bytes, not %d", io_name(reader->io), n,
		                 STATE_BYTES);
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++, p += 8)
		*wide[i] = base_le64(p);
	for (size_t i = 0; i < sizeof half / sizeof *half; i++, p += 4)
		*half[i] = base_le32(p);
	ctx->hart = base_le16(p);
	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		*bytes[i] = p[sizeof ctx->hart + i];
	at.now.group = goes ? STF_GOES : 0;
	if (at.now.isa > CAIRN_ISA_LAST || at.n == 0 || at.x == 0 || at.rec == 0)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED,
		                 "%s: its index holds a state that cannot be", io_name(reader->io));
	memcpy(state, &at, sizeof at);
	return 0;
}
