/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down: threads that take turns. The simulator is one CPU, so its log has one set of
 * registers; who wrote a trace of several threads into it line by line would have it say
 * that registers hold what another thread's do. So the last values of each are kept, and
 * when another goes on, those that differ from what the log has shown come before its
 * instruction as state.
 */
#include "formats/vixl/encoder_harts.h"

#include <string.h>

#include "base/bytes.h"
#include "isa/written.h"

enum { VECTORS = 32, FLAGS = 64, REGS = 65, HARTS = 1 << 16 };

struct bank {
	uint64_t value[REGS][2];
	uint8_t known[REGS];
};

struct vixl_harts {
	struct cairn *c;
	struct isa_written_memo *memo;
	struct bank shown, *now; /* what the log says; of the thread that runs, one of: */
	struct bank *banks[HARTS];
	struct cairn_batch state;
	struct cairn_insn rows[2]; /* no instruction, and where its registers end */
	struct cairn_reg regs[REGS];
	uint8_t bytes[VECTORS * 16];
};

struct vixl_harts *vixl_harts_new(struct cairn *c)
{
	struct vixl_harts *h = base_alloc(c, sizeof *h);
	if (!h)
		return NULL;
	h->c = c;
	h->memo = isa_written_memo_new(c);
	if (!h->memo) {
		base_free(c, h);
		return NULL;
	}
	return h;
}

void vixl_harts_free(struct vixl_harts *h)
{
	for (size_t i = 0; h && i < HARTS; i++)
		base_free(h->c, h->banks[i]);
	if (h) {
		isa_written_memo_free(h->memo);
		base_free(h->c, h);
	}
}

/* Its place in a bank; REGS: none. */
static unsigned encoder_harts_place(const struct cairn_reg *r)
{
	if (r->cls == CAIRN_REG_INT && r->num < 32)
		return r->num;
	if (r->cls == CAIRN_REG_VECTOR && r->num < 32)
		return VECTORS + r->num;
	return r->cls == CAIRN_REG_FLAGS && r->num == 0 && r->bits == 4 ? FLAGS : REGS;
}

static void encoder_harts_note(struct bank *k, const struct cairn_batch *b,
                               const struct cairn_reg *r)
{
	unsigned at = encoder_harts_place(r), full = at == FLAGS ? 4 : at < VECTORS ? 64 : 128;
	if (at == REGS || (r->role != CAIRN_ROLE_DST && r->role != CAIRN_ROLE_STATE))
		return;
	uint64_t *v = k->value[at];
	k->known[at] = (r->flags & CAIRN_VALUE_KNOWN) && r->lsb == 0 &&
	               (r->bits == full || (r->flags & CAIRN_VALUE_ZEROES));
	v[0] = r->value;
	v[1] = 0;
	if (!(r->flags & CAIRN_VALUE_WIDE))
		return;
	k->known[at] &= r->bits == 128 && r->value <= b->n_bytes && 16 <= b->n_bytes - r->value;
	for (unsigned i = 0; i < 2 && k->known[at]; i++)
		v[i] = base_le64(b->bytes + r->value + 8 * (size_t)i);
}

/* What an instruction writes, whether it tells that or not, is not known of who runs. */
static void encoder_harts_forget_written(struct vixl_harts *h, const struct cairn_insn *in)
{
	bool ran =
		!(in->flags & (CAIRN_INSN_NOT_EXECUTED | CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
	const struct isa_written *w =
		ran ? isa_written_get(h->memo, (enum cairn_isa)in->isa, in->enc, in->size) : NULL;
	for (unsigned i = 0; w && i < w->n; i++)
		for (unsigned k = 0; k < w->reg[i].count; k++) {
			struct cairn_reg r = {.cls = w->reg[i].cls,
			                      .num = (uint16_t)(w->reg[i].num + k),
			                      .bits = 4};
			unsigned at = encoder_harts_place(&r);
			if (at != REGS)
				h->now->known[at] = 0;
		}
}

void vixl_harts_note(struct vixl_harts *h, const struct cairn_batch *b, uint32_t row)
{
	const struct cairn_insn *in = &b->insns[row];
	if (row < b->n_insns)
		encoder_harts_forget_written(h, in);
	for (uint32_t i = in[0].reg0; i < in[1].reg0; i++) {
		encoder_harts_note(h->now, b, &b->regs[i]);
		encoder_harts_note(&h->shown, b, &b->regs[i]);
	}
}

static void encoder_harts_add(struct vixl_harts *h, unsigned at)
{
	const uint64_t *v = h->now->value[at];
	struct cairn_reg *r = &h->regs[h->state.n_regs];
	*r = (struct cairn_reg){.value = v[0],
	                        .seq = (uint16_t)h->state.n_regs++,
	                        .bits = 64,
	                        .role = CAIRN_ROLE_STATE,
	                        .flags = CAIRN_VALUE_KNOWN,
	                        .num = (uint16_t)(at % 32)};
	r->cls = at < VECTORS ? CAIRN_REG_INT : at < FLAGS ? CAIRN_REG_VECTOR : CAIRN_REG_FLAGS;
	if (at == FLAGS)
		r->bits = 4;
	if (r->cls != CAIRN_REG_VECTOR)
		return;
	r->bits = 128;
	r->flags |= CAIRN_VALUE_WIDE;
	r->value = h->state.n_bytes;
	base_put_le64(h->bytes + h->state.n_bytes, v[0]);
	base_put_le64(h->bytes + h->state.n_bytes + 8, v[1]);
	h->state.n_bytes += 16;
}

int vixl_harts_enter(struct vixl_harts *h, const struct cairn_batch *b, uint32_t row,
                     const struct cairn_batch **state)
{
	uint16_t ctx = b->insns[row].ctx;
	bool known = ctx < b->n_ctxs && b->ctxs[ctx].known & CAIRN_CTX_HART;
	struct bank **to = &h->banks[known ? b->ctxs[ctx].hart : 0];
	if (!*to && !(*to = base_alloc(h->c, sizeof **to)))
		return CAIRN_E_NOMEM;
	bool first = !h->now, same = h->now == *to;
	h->now = *to;
	if (first || same)
		return 0;
	/* What the row tells of the time before it is newer. */
	const struct cairn_insn *in = &b->insns[row];
	for (uint32_t i = in[0].reg0; i < in[1].reg0; i++)
		if (b->regs[i].role == CAIRN_ROLE_STATE)
			encoder_harts_note(h->now, b, &b->regs[i]);
	h->state = (struct cairn_batch){.insns = h->rows, .regs = h->regs, .bytes = h->bytes};
	for (unsigned i = 0; i < REGS; i++)
		if (h->now->known[i] &&
		    (!h->shown.known[i] || memcmp(h->now->value[i], h->shown.value[i], 16) != 0))
			encoder_harts_add(h, i);
	h->shown = *h->now;
	h->rows[1].reg0 = (uint16_t)h->state.n_regs;
	*state = &h->state;
	return 1;
}
