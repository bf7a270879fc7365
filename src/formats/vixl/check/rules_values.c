/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that have to agree: what is drawn to a register with the register, and what a
 * register is shown to hold with what was last written to it. Both are judged from
 * batches, in which what the simulator gets wrong has been put right or made unknown.
 *
 * A span knows nothing of registers at its beginning. What it shows of them before it
 * writes them is kept and compared when the spans are joined.
 */
#include <string.h>

#include "formats/vixl/check/rules.h"

/* Where a register's bytes lie in a bank, and how many they are; 0: it is not followed. */
static unsigned rules_values_bytes_of(const struct cairn_reg *reg, unsigned *at, unsigned *slot)
{
	switch (reg->cls) {
	case CAIRN_REG_INT:
		*at = 8u * reg->num;
		*slot = reg->num;
		return reg->num <= ISA_ARM64_SP ? 8 : 0;
	case CAIRN_REG_VECTOR:
		*at = VIXL_X_BYTES + 256u * reg->num;
		*slot = 34u + reg->num;
		return reg->num < 32 ? 256 : 0;
	case CAIRN_REG_PREDICATE:
		*at = VIXL_X_BYTES + VIXL_V_BYTES + 32u * reg->num;
		*slot = 66u + reg->num;
		return reg->num <= ISA_ARM64_FFR ? 32 : 0;
	default:
		return 0;
	}
}

/* Changes that are not logged would look like contradictions. */
static bool is_logged(const struct vixl_impl *im, const struct cairn_reg *reg)
{
	unsigned needs = reg->cls == CAIRN_REG_INT ? VIXL_LOG_REGS : VIXL_LOG_VREGS;
	return im->look.log & needs;
}

static const uint8_t *rules_values_value_of(const struct cairn_batch *batch,
                                            const struct cairn_reg *reg, uint8_t room[8])
{
	if (reg->flags & CAIRN_VALUE_WIDE)
		return batch->bytes + reg->value;
	base_put_le64(room, reg->value);
	return room;
}

struct values {
	struct cairn_reader *reader;
	struct check_part *p;
	struct vixl_part *part;
	const struct cairn_batch *batch;
	struct check_place at;
};

static void rules_values_contradicts(struct values *values, const struct cairn_reg *reg)
{
	char buf[16];
	check_add(values->p, VIXL_RULE_REGISTER_VALUE, &values->at,
	          "%s does not hold what was last written to it",
	          cairn_reg_name(CAIRN_ISA_A64, reg->cls, reg->num, buf));
}

/* A register shows its value. */
static void show(struct values *values, const struct cairn_reg *reg, unsigned at, unsigned slot,
                 unsigned n, const uint8_t *value)
{
	struct vixl_part *part = values->part;
	bool wrong = false;
	for (unsigned i = at; i < at + n; i++, value++) {
		if (part->now.known[i]) {
			wrong |= part->now.value[i] != *value;
		} else if (!part->wiped[i] && !part->reset && !part->asked.known[i]) {
			if (!part->asked_at[slot].known)
				part->asked_at[slot] = values->at;
			part->asked.known[i] = 1;
			part->asked.value[i] = *value;
		}
		part->now.known[i] = 1;
		part->now.value[i] = *value;
	}
	if (wrong)
		rules_values_contradicts(values, reg);
}

static void write(struct values *values, const struct cairn_reg *reg, unsigned at, unsigned n,
                  unsigned end, const uint8_t *value)
{
	struct vixl_part *part = values->part;
	memset(part->now.known + at, value != NULL, n);
	memset(part->wiped + at, 1, n);
	if (value)
		memcpy(part->now.value + at, value, n);
	if (reg->flags & CAIRN_VALUE_ZEROES) {
		memset(part->now.known + at + n, 1, end - at - n);
		memset(part->now.value + at + n, 0, end - at - n);
		memset(part->wiped + at + n, 1, end - at - n);
	}
}

static void take_register(struct values *values, const struct cairn_reg *reg)
{
	unsigned at, slot, most = rules_values_bytes_of(reg, &at, &slot), n = reg->bits / 8,
					   first = reg->lsb / 8u;
	uint8_t room[8];
	if (!most || reg->bits % 8 || reg->lsb % 8 || first + n > most ||
	    !is_logged(values->reader->impl, reg))
		return;
	const uint8_t *value =
		reg->flags & CAIRN_VALUE_KNOWN ? rules_values_value_of(values->batch, reg, room) : NULL;
	if (reg->role == CAIRN_ROLE_DST)
		write(values, reg, at + first, n, at + most, value);
	else if (value)
		show(values, reg, at + first, slot, n, value);
}

/* Does the register hold the element where it is drawn? */
static void take_access(struct values *values, const struct cairn_mem *mem)
{
	uint8_t room[8];
	if (!mem->reg || !(mem->flags & CAIRN_VALUE_KNOWN) || (mem->flags & CAIRN_VALUE_WIDE))
		return;
	const struct cairn_reg *reg = &values->batch->regs[mem->reg - 1];
	uint64_t mask = mem->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * mem->size) - 1;
	unsigned byte = mem->size < reg->bits / 8 ? mem->lane * mem->size - reg->lsb / 8u : 0;
	if (!(reg->flags & CAIRN_VALUE_KNOWN) || byte >= reg->bits / 8 ||
	    mem->size > reg->bits / 8 - byte || reg->num == ISA_ARM64_XZR)
		return;
	/* What an atomic stores is not its operand. */
	if (reg->cls == CAIRN_REG_INT && mem->kind == CAIRN_MEM_WRITE)
		return;
	const uint8_t *value = rules_values_value_of(values->batch, reg, room);
	if (base_le(value + byte, mem->size < 8 ? mem->size : 8) != (mem->value & mask))
		check_add(values->p, VIXL_RULE_ACCESS_VALUE, &values->at,
		          "0x%llx is drawn to byte %u of a register that holds something else there",
		          (unsigned long long)(mem->value & mask), byte);
}

/* A call of the host's code may change anything that a callee need not save; what it is shown to
 * leave there comes further down. */
static void forget_before_call(struct values *values)
{
	enum { KEPT = 19 * 8 };
	memset(values->part->now.known, 0, KEPT);
	memset(values->part->wiped, 1, KEPT);
}

static void take_slot(struct values *values, uint32_t row, bool insn)
{
	const struct cairn_batch *batch = values->batch;
	const struct cairn_insn *i = &batch->insns[row];
	values->at = (struct check_place){
		.record = batch->rec0 + i->rec,
		.line = batch->rec0 + i->rec,
		.offset = batch->off0 + i->off,
		.insn = insn ? batch->n0 + row : 0,
		.known = CAIRN_PLACE_RECORD | CAIRN_PLACE_LINE |
	             (insn ? (unsigned)(CAIRN_PLACE_INSN | CAIRN_PLACE_OFFSET) : 0)};
	for (uint32_t k = i[0].ev0; k < i[1].ev0; k++)
		if (batch->events[k].kind == CAIRN_EV_GAP) {
			memset(values->part->now.known, 0, sizeof values->part->now.known);
			values->part->reset = true;
		}
	bool calls = insn && vixl_is_foreign(i->enc);
	for (uint32_t k = i[0].reg0; k < i[1].reg0; k++) {
		if (calls && batch->regs[k].role != CAIRN_ROLE_STATE) {
			forget_before_call(values);
			calls = false;
		}
		if (!insn)
			values->at.record = values->at.line = batch->rec0 + i->rec + batch->regs[k].seq;
		if (!insn || batch->regs[k].role != CAIRN_ROLE_SRC || !vixl_same_register(i->enc))
			take_register(values, &batch->regs[k]);
	}
	if (calls)
		forget_before_call(values);
	for (uint32_t k = i[0].mem0; k < i[1].mem0; k++) {
		if (!insn)
			values->at.record = values->at.line = batch->rec0 + i->rec + batch->mems[k].seq;
		take_access(values, &batch->mems[k]);
	}
}

/* Before an instruction of a new run registers may be anything. */
static void forget_before_run(struct values *values, uint32_t row)
{
	const struct cairn_batch *batch = values->batch;
	bool again = batch->insns[row].flags & CAIRN_INSN_DISCONTINUITY;
	if (!again)
		return;
	memset(values->part->now.known, 0, sizeof values->part->now.known);
	values->part->reset = true;
}

int vixl_rules_values(struct cairn_reader *reader, struct model_span *span, struct check_part *part)
{
	struct cairn_batch *batch = cairn_batch_new(reader->cairn);
	const struct vixl_impl *im = reader->impl;
	struct values values = {.reader = reader, .p = part, .part = part->priv, .batch = batch};
	bool memory = im->look.log & VIXL_LOG_WRITE;
	int rc = batch ? 0 : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = text_decode(reader, span, batch)) > 0) {
		for (uint32_t i = 0; i < batch->n_insns && rc >= 0; i++) {
			forget_before_run(&values, i);
			take_slot(&values, i, true);
			if (memory)
				rc = vixl_memory_slot(&values.part->memory, batch, i, &values.at, part);
		}
		take_slot(&values, batch->n_insns, false);
	}
	cairn_batch_free(reader->cairn, batch);
	return rc;
}

int vixl_rules_join(struct vixl_judge *judge, const struct vixl_part *part, struct check_part *p)
{
	static const unsigned firsts[] = {0, VIXL_X_BYTES, VIXL_X_BYTES + VIXL_V_BYTES};
	static const unsigned counts[] = {34, 32, 17}, sizes[] = {8, 256, 32};
	static const uint8_t classes[] = {CAIRN_REG_INT, CAIRN_REG_VECTOR, CAIRN_REG_PREDICATE};
	unsigned slot = 0;
	for (unsigned bank = 0; bank < VIXL_BANKS; bank++)
		for (unsigned n = 0; n < counts[bank]; n++, slot++) {
			bool wrong = false;
			unsigned at = firsts[bank] + n * sizes[bank];
			for (unsigned i = at; i < at + sizes[bank]; i++)
				wrong |= part->asked.known[i] && judge->now.known[i] &&
				         part->asked.value[i] != judge->now.value[i];
			struct values values = {.p = p, .at = part->asked_at[slot]};
			struct cairn_reg reg = {.cls = classes[bank], .num = (uint16_t)n};
			if (wrong)
				rules_values_contradicts(&values, &reg);
		}
	for (unsigned i = 0; i < VIXL_BANK_BYTES; i++) {
		if (part->reset || part->wiped[i] || part->now.known[i]) {
			judge->now.known[i] = part->now.known[i];
			judge->now.value[i] = part->now.value[i];
		}
	}
	return 0;
}
