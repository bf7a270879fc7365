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

#include "formats/vixl/rules.h"

/* Where a register's bytes lie in a bank, and how many there are; 0: not followed. */
static unsigned rules_values_bytes_of(const struct cairn_reg *r, unsigned *at, unsigned *slot)
{
	switch (r->cls) {
	case CAIRN_REG_INT:
		*at = 8u * r->num;
		*slot = r->num;
		return r->num <= ISA_ARM64_SP ? 8 : 0;
	case CAIRN_REG_VECTOR:
		*at = VIXL_X_BYTES + 256u * r->num;
		*slot = 34u + r->num;
		return r->num < 32 ? 256 : 0;
	case CAIRN_REG_PREDICATE:
		*at = VIXL_X_BYTES + VIXL_V_BYTES + 32u * r->num;
		*slot = 66u + r->num;
		return r->num <= ISA_ARM64_FFR ? 32 : 0;
	default:
		return 0;
	}
}

/* Changes that are not logged would look like contradictions. */
static bool is_logged(const struct vixl_impl *im, const struct cairn_reg *r)
{
	unsigned needs = r->cls == CAIRN_REG_INT ? VIXL_LOG_REGS : VIXL_LOG_VREGS;
	return im->look.log & needs;
}

static const uint8_t *rules_values_value_of(const struct cairn_batch *b, const struct cairn_reg *r,
                                            uint8_t room[8])
{
	if (r->flags & CAIRN_VALUE_WIDE)
		return b->bytes + r->value;
	base_put_le64(room, r->value);
	return room;
}

struct values {
	struct cairn_reader *r;
	struct check_part *p;
	struct vixl_part *part;
	const struct cairn_batch *b;
	struct check_place at;
};

static void rules_values_contradicts(struct values *v, const struct cairn_reg *r)
{
	char buf[16];
	check_add(v->p, VIXL_RULE_REGISTER_VALUE, &v->at,
	          "%s does not hold what was last written to it",
	          cairn_reg_name(CAIRN_ISA_A64, r->cls, r->num, buf));
}

/* A register shows its value. */
static void show(struct values *v, const struct cairn_reg *r, unsigned at, unsigned slot,
                 unsigned n, const uint8_t *value)
{
	struct vixl_part *k = v->part;
	bool wrong = false;
	for (unsigned i = at; i < at + n; i++, value++) {
		if (k->now.known[i]) {
			wrong |= k->now.value[i] != *value;
		} else if (!k->wiped[i] && !k->reset && !k->asked.known[i]) {
			if (!k->asked_at[slot].known)
				k->asked_at[slot] = v->at;
			k->asked.known[i] = 1;
			k->asked.value[i] = *value;
		}
		k->now.known[i] = 1;
		k->now.value[i] = *value;
	}
	if (wrong)
		rules_values_contradicts(v, r);
}

static void write(struct values *v, const struct cairn_reg *r, unsigned at, unsigned n,
                  unsigned end, const uint8_t *value)
{
	struct vixl_part *k = v->part;
	memset(k->now.known + at, value != NULL, n);
	memset(k->wiped + at, 1, n);
	if (value)
		memcpy(k->now.value + at, value, n);
	if (r->flags & CAIRN_VALUE_ZEROES) {
		memset(k->now.known + at + n, 1, end - at - n);
		memset(k->now.value + at + n, 0, end - at - n);
		memset(k->wiped + at + n, 1, end - at - n);
	}
}

static void take_register(struct values *v, const struct cairn_reg *r)
{
	unsigned at, slot, most = rules_values_bytes_of(r, &at, &slot), n = r->bits / 8,
					   first = r->lsb / 8u;
	uint8_t room[8];
	if (!most || r->bits % 8 || r->lsb % 8 || first + n > most || !is_logged(v->r->impl, r))
		return;
	const uint8_t *value =
		r->flags & CAIRN_VALUE_KNOWN ? rules_values_value_of(v->b, r, room) : NULL;
	if (r->role == CAIRN_ROLE_DST)
		write(v, r, at + first, n, at + most, value);
	else if (value)
		show(v, r, at + first, slot, n, value);
}

/* Does the register hold the element where it is drawn? */
static void take_access(struct values *v, const struct cairn_mem *m)
{
	uint8_t room[8];
	if (!m->reg || !(m->flags & CAIRN_VALUE_KNOWN) || (m->flags & CAIRN_VALUE_WIDE))
		return;
	const struct cairn_reg *r = &v->b->regs[m->reg - 1];
	uint64_t mask = m->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * m->size) - 1;
	unsigned byte = m->size < r->bits / 8 ? m->lane * m->size - r->lsb / 8u : 0;
	if (!(r->flags & CAIRN_VALUE_KNOWN) || byte >= r->bits / 8 || m->size > r->bits / 8 - byte ||
	    r->num == ISA_ARM64_XZR)
		return;
	/* What an atomic stores is not its operand. */
	if (r->cls == CAIRN_REG_INT && m->kind == CAIRN_MEM_WRITE)
		return;
	const uint8_t *value = rules_values_value_of(v->b, r, room);
	if (base_le(value + byte, m->size < 8 ? m->size : 8) != (m->value & mask))
		check_add(v->p, VIXL_RULE_ACCESS_VALUE, &v->at,
		          "0x%llx is drawn to byte %u of a register that holds something else there",
		          (unsigned long long)(m->value & mask), byte);
}

/* A call of the host's code may leave anything in what a callee need not save; what it is
 * shown to leave there comes below. */
static void forget_before_call(struct values *v)
{
	enum { KEPT = 19 * 8 };
	memset(v->part->now.known, 0, KEPT);
	memset(v->part->wiped, 1, KEPT);
}

static void take_slot(struct values *v, uint32_t row, bool insn)
{
	const struct cairn_batch *b = v->b;
	const struct cairn_insn *i = &b->insns[row];
	v->at = (struct check_place){
		.record = b->rec0 + i->rec,
		.line = b->rec0 + i->rec,
		.offset = b->off0 + i->off,
		.insn = insn ? b->n0 + row : 0,
		.known = CAIRN_PLACE_RECORD | CAIRN_PLACE_LINE |
	             (insn ? (unsigned)(CAIRN_PLACE_INSN | CAIRN_PLACE_OFFSET) : 0)};
	for (uint32_t k = i[0].ev0; k < i[1].ev0; k++)
		if (b->events[k].kind == CAIRN_EV_GAP) {
			memset(v->part->now.known, 0, sizeof v->part->now.known);
			v->part->reset = true;
		}
	bool calls = insn && vixl_is_foreign(i->enc);
	for (uint32_t k = i[0].reg0; k < i[1].reg0; k++) {
		if (calls && b->regs[k].role != CAIRN_ROLE_STATE) {
			forget_before_call(v);
			calls = false;
		}
		if (!insn)
			v->at.record = v->at.line = b->rec0 + i->rec + b->regs[k].seq;
		if (!insn || b->regs[k].role != CAIRN_ROLE_SRC || !vixl_same_register(i->enc))
			take_register(v, &b->regs[k]);
	}
	if (calls)
		forget_before_call(v);
	for (uint32_t k = i[0].mem0; k < i[1].mem0; k++) {
		if (!insn)
			v->at.record = v->at.line = b->rec0 + i->rec + b->mems[k].seq;
		take_access(v, &b->mems[k]);
	}
}

/* Before an instruction of a new run registers may be anything. */
static void forget_before_run(struct values *v, uint32_t row)
{
	const struct cairn_batch *b = v->b;
	bool again = b->insns[row].flags & CAIRN_INSN_DISCONTINUITY;
	if (!again)
		return;
	memset(v->part->now.known, 0, sizeof v->part->now.known);
	v->part->reset = true;
}

int vixl_rules_values(struct cairn_reader *r, struct model_span *s, struct check_part *p)
{
	struct cairn_batch *b = cairn_batch_new(r->c);
	const struct vixl_impl *im = r->impl;
	struct values v = {.r = r, .p = p, .part = p->priv, .b = b};
	bool memory = im->look.log & VIXL_LOG_WRITE;
	int rc = b ? 0 : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = vixl_decode(r, s, b)) > 0) {
		for (uint32_t i = 0; i < b->n_insns && rc >= 0; i++) {
			forget_before_run(&v, i);
			take_slot(&v, i, true);
			if (memory)
				rc = vixl_memory_slot(&v.part->memory, b, i, &v.at, p);
		}
		take_slot(&v, b->n_insns, false);
	}
	cairn_batch_free(r->c, b);
	return rc;
}

int vixl_rules_join(struct vixl_judge *j, const struct vixl_part *k, struct check_part *p)
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
				wrong |=
					k->asked.known[i] && j->now.known[i] && k->asked.value[i] != j->now.value[i];
			struct values v = {.p = p, .at = k->asked_at[slot]};
			struct cairn_reg r = {.cls = classes[bank], .num = (uint16_t)n};
			if (wrong)
				rules_values_contradicts(&v, &r);
		}
	for (unsigned i = 0; i < VIXL_BANK_BYTES; i++) {
		if (k->reset || k->wiped[i] || k->now.known[i]) {
			j->now.known[i] = k->now.known[i];
			j->now.value[i] = k->now.value[i];
		}
	}
	return 0;
}
