/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take turns. The simulator is one CPU, so its log has one set of registers. A trace
 * of several threads, written line by line, would claim that registers hold what another thread's
 * do. So the last values of each thread are kept, and when another one goes on, those that differ
 * from what the log has shown come before its instruction as state.
 */
#include "formats/vixl/write/encoder_harts.h"

#include <string.h>

#include "base/bytes.h"
#include "isa/written.h"

enum { VECTORS = 32, FLAGS = 64, REGS = 65, HARTS = 1 << 16 };

struct bank {
	uint64_t value[REGS][2];
	uint8_t known[REGS];
};

struct vixl_harts {
	struct cairn *cairn;
	struct isa_written_memo *memo;
	struct bank shown, *now; /* what the log says; of the thread that runs, one of: */
	struct bank *banks[HARTS];
	struct cairn_batch state;
	struct cairn_insn rows[2]; /* no instruction, and where its registers end */
	struct cairn_reg regs[REGS];
	uint8_t bytes[VECTORS * 16];
};

struct vixl_harts *vixl_harts_new(struct cairn *cairn)
{
	struct vixl_harts *harts = base_alloc(cairn, sizeof *harts);
	if (!harts)
		return NULL;
	harts->cairn = cairn;
	harts->memo = isa_written_memo_new(cairn);
	if (!harts->memo) {
		base_free(cairn, harts);
		return NULL;
	}
	return harts;
}

void vixl_harts_free(struct vixl_harts *harts)
{
	for (size_t i = 0; harts && i < HARTS; i++)
		base_free(harts->cairn, harts->banks[i]);
	if (harts) {
		isa_written_memo_free(harts->memo);
		base_free(harts->cairn, harts);
	}
}

/* A register's place in a bank; REGS: it has none. */
static unsigned encoder_harts_place(const struct cairn_reg *reg)
{
	if (reg->cls == CAIRN_REG_INT && reg->num < 32)
		return reg->num;
	if (reg->cls == CAIRN_REG_VECTOR && reg->num < 32)
		return VECTORS + reg->num;
	return reg->cls == CAIRN_REG_FLAGS && reg->num == 0 && reg->bits == 4 ? FLAGS : REGS;
}

static void encoder_harts_note(struct bank *bank, const struct cairn_batch *batch,
                               const struct cairn_reg *reg)
{
	unsigned at = encoder_harts_place(reg), full = at == FLAGS ? 4 : at < VECTORS ? 64 : 128;
	if (at == REGS || (reg->role != CAIRN_ROLE_DST && reg->role != CAIRN_ROLE_STATE))
		return;
	uint64_t *v = bank->value[at];
	bank->known[at] = (reg->flags & CAIRN_VALUE_KNOWN) && reg->lsb == 0 &&
	                  (reg->bits == full || (reg->flags & CAIRN_VALUE_ZEROES));
	v[0] = reg->value;
	v[1] = 0;
	if (!(reg->flags & CAIRN_VALUE_WIDE))
		return;
	bank->known[at] &=
		reg->bits == 128 && reg->value <= batch->n_bytes && 16 <= batch->n_bytes - reg->value;
	for (unsigned i = 0; i < 2 && bank->known[at]; i++)
		v[i] = base_le64(batch->bytes + reg->value + 8 * (size_t)i);
}

/* Forget what an instruction writes, whether its value is recorded or not. */
static void encoder_harts_forget_written(struct vixl_harts *harts, const struct cairn_insn *in)
{
	bool ran =
		!(in->flags & (CAIRN_INSN_NOT_EXECUTED | CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
	const struct isa_written *written =
		ran ? isa_written_get(harts->memo, (enum cairn_isa)in->isa, in->enc, in->size) : NULL;
	for (unsigned i = 0; written && i < written->n; i++)
		for (unsigned k = 0; k < written->reg[i].count; k++) {
			struct cairn_reg reg = {.cls = written->reg[i].cls,
			                        .num = (uint16_t)(written->reg[i].num + k),
			                        .bits = 4};
			unsigned at = encoder_harts_place(&reg);
			if (at != REGS)
				harts->now->known[at] = 0;
		}
}

void vixl_harts_note(struct vixl_harts *harts, const struct cairn_batch *batch, uint32_t row)
{
	const struct cairn_insn *in = &batch->insns[row];
	if (row < batch->n_insns)
		encoder_harts_forget_written(harts, in);
	for (uint32_t i = in[0].reg0; i < in[1].reg0; i++) {
		encoder_harts_note(harts->now, batch, &batch->regs[i]);
		encoder_harts_note(&harts->shown, batch, &batch->regs[i]);
	}
}

static void encoder_harts_add(struct vixl_harts *harts, unsigned at)
{
	const uint64_t *v = harts->now->value[at];
	struct cairn_reg *reg = &harts->regs[harts->state.n_regs];
	*reg = (struct cairn_reg){.value = v[0],
	                          .seq = (uint16_t)harts->state.n_regs++,
	                          .bits = 64,
	                          .role = CAIRN_ROLE_STATE,
	                          .flags = CAIRN_VALUE_KNOWN,
	                          .num = (uint16_t)(at % 32)};
	reg->cls = at < VECTORS ? CAIRN_REG_INT : at < FLAGS ? CAIRN_REG_VECTOR : CAIRN_REG_FLAGS;
	if (at == FLAGS)
		reg->bits = 4;
	if (reg->cls != CAIRN_REG_VECTOR)
		return;
	reg->bits = 128;
	reg->flags |= CAIRN_VALUE_WIDE;
	reg->value = harts->state.n_bytes;
	base_put_le64(harts->bytes + harts->state.n_bytes, v[0]);
	base_put_le64(harts->bytes + harts->state.n_bytes + 8, v[1]);
	harts->state.n_bytes += 16;
}

int vixl_harts_enter(struct vixl_harts *harts, const struct cairn_batch *batch, uint32_t row,
                     const struct cairn_batch **state)
{
	uint16_t ctx = batch->insns[row].ctx;
	bool known = ctx < batch->n_ctxs && batch->ctxs[ctx].known & CAIRN_CTX_HART;
	struct bank **to = &harts->banks[known ? batch->ctxs[ctx].hart : 0];
	if (!*to && !(*to = base_alloc(harts->cairn, sizeof **to)))
		return CAIRN_E_NOMEM;
	bool first = !harts->now, same = harts->now == *to;
	harts->now = *to;
	if (first || same)
		return 0;
	/* What the row says of the time before it is newer. */
	const struct cairn_insn *in = &batch->insns[row];
	for (uint32_t i = in[0].reg0; i < in[1].reg0; i++)
		if (batch->regs[i].role == CAIRN_ROLE_STATE)
			encoder_harts_note(harts->now, batch, &batch->regs[i]);
	harts->state =
		(struct cairn_batch){.insns = harts->rows, .regs = harts->regs, .bytes = harts->bytes};
	for (unsigned i = 0; i < REGS; i++)
		if (harts->now->known[i] && (!harts->shown.known[i] ||
		                             memcmp(harts->now->value[i], harts->shown.value[i], 16) != 0))
			encoder_harts_add(harts, i);
	harts->shown = *harts->now;
	harts->rows[1].reg0 = (uint16_t)harts->state.n_regs;
	*state = &harts->state;
	return 1;
}
