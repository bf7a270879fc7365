/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dependences need of an instruction: the registers it reads and writes, and what it
 * might be fused with.
 *
 * Registers get one number each across classes. Where a set's wide registers are made of
 * narrow ones (SPARC's %d2 of %f2 and %f3), a wide operand is both halves, so that what
 * wrote one of them is found; `joined` says that two sources are one operand.
 */
#include <string.h>

#include "analysis/deps.h"

/* Add the numbers of a register to a list; returns the new length. */
static unsigned add_id(uint8_t *ids, unsigned n, unsigned most, unsigned id)
{
	if (id && n < most)
		ids[n++] = (uint8_t)id;
	return n;
}

static unsigned add_reg(uint8_t *ids, unsigned n, unsigned most, enum cairn_isa isa, unsigned cls,
                        unsigned num)
{
	unsigned halves = 1, id = DEPS_NO_REG;
	switch (cls) {
	case CAIRN_REG_INT:
		id = DEPS_INT + num % 64;
		break;
	case CAIRN_REG_FP:
		id = DEPS_FP + num % 64;
		if (isa == CAIRN_ISA_SPARC && num >= 32) { /* made of narrow ones, which go this far */
			unsigned at = num < 64 ? 2 * (num - 32) : (num - 64) % 64, size = num < 64 ? 2 : 4;
			halves = at < 32 ? size : size / 2;
			id = at < 32 ? DEPS_FP + at : DEPS_FP + 32 + (at - 32) / 2;
		}
		break;
	case CAIRN_REG_VECTOR:
		id = DEPS_VECTOR + num % 64;
		break;
	case CAIRN_REG_FLAGS: /* SPARC's second are floating point's */
		id = DEPS_OTHER + (num ? 17 : 0);
		break;
	case CAIRN_REG_PREDICATE:
		id = DEPS_OTHER + 1 + num % 16;
		break;
	default: /* control registers: their order is not part of the program's dataflow */
		break;
	}
	for (unsigned k = 0; k < halves; k++)
		n = add_id(ids, n, most, id ? id + k : id);
	return n;
}

static uint8_t deps_ops_kind_of(const char *name, const struct cairn_op *op,
                                const struct cairn_operands *operands)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} kinds[] = {
		{"lui", LUI},      {"c.lui", LUI},    {"auipc", AUIPC},        {"addi", ADDI},
		{"addiw", ADDI},   {"c.addi", ADDI},  {"c.addiw", ADDI},       {"slli", SLLI},
		{"c.slli", SLLI},  {"srli", SRLI},    {"c.srli", SRLI},        {"srai", SRLI},
		{"c.srai", SRLI},  {"add", ADD},      {"c.add", ADD},          {"slt", COMPARE},
		{"sltu", COMPARE}, {"slti", COMPARE}, {"sltiu", COMPARE},      {"jalr", JALR},
		{"c.jalr", JALR},  {"c.jr", JALR},    {"c.beqz", ZERO_BRANCH}, {"c.bnez", ZERO_BRANCH}};
	for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	if (op->cls == CAIRN_CLASS_LOAD && !(op->traits & CAIRN_TRAIT_VECTOR))
		return LOAD;
	if (op->cls == CAIRN_CLASS_STORE && !(op->traits & CAIRN_TRAIT_VECTOR))
		return STORE;
	bool equality = name && (!strcmp(name, "beq") || !strcmp(name, "bne"));
	return equality && operands->n_src == 1 ? ZERO_BRANCH : OTHER;
}

static uint8_t a64_kind_of(uint32_t encoding, const struct cairn_op *op)
{
	static const struct {
		uint32_t mask, value;
		uint8_t kind;
	} kinds[] = {{0x9f000000, 0x90000000, ADRP},       {0xff800000, 0x91000000, ADD_IMM},
	             {0x7f800000, 0x52800000, MOVZ},       {0x7f800000, 0x72800000, MOVK},
	             {0x7f00001f, 0x7100001f, SETS_FLAGS}, /* cmp with an immediate, */
	             {0x7f20001f, 0x6b00001f, SETS_FLAGS}, /* with a register, */
	             {0x7f80001f, 0x7200001f, SETS_FLAGS}, /* tst with an immediate, */
	             {0x7f20001f, 0x6a00001f, SETS_FLAGS}, /* with a register */
	             {0xff000010, 0x54000000, FLAG_BRANCH}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((encoding & kinds[i].mask) == kinds[i].value)
			return kinds[i].kind;
	bool plain = !(op->traits & (CAIRN_TRAIT_VECTOR | CAIRN_TRAIT_ATOMIC));
	return !plain                         ? OTHER
	       : op->cls == CAIRN_CLASS_LOAD  ? LOAD
	       : op->cls == CAIRN_CLASS_STORE ? STORE
	                                      : OTHER;
}

static uint8_t sparc_kind_of(uint32_t encoding, const struct cairn_op *op)
{
	unsigned op2 = encoding >> 22 & 7, key = encoding >> 30 << 6 | (encoding >> 19 & 63);
	if (encoding >> 30 == 0)
		return op->cls == CAIRN_CLASS_NOP                                ? OTHER
		       : op2 == 4                                                ? SETHI
		       : (op2 == 1 || op2 == 2) && op->cls == CAIRN_CLASS_BRANCH ? FLAG_BRANCH
		                                                                 : OTHER;
	if (key == (2 << 6 | 2) && encoding >> 13 & 1)
		return OR_IMM;
	if (key == (2 << 6 | 0x14) && !(encoding >> 25 & 31)) /* subcc into %g0 */
		return SETS_FLAGS;
	return op->cls == CAIRN_CLASS_LOAD ? LOAD : op->cls == CAIRN_CLASS_STORE ? STORE : OTHER;
}

/* save goes to the next window, restore and return go back. */
static int8_t window_of(uint32_t encoding)
{
	unsigned key = encoding >> 30 << 6 | (encoding >> 19 & 63);
	return key == (2 << 6 | 0x3c) ? 1 : key == (2 << 6 | 0x3d) || key == (2 << 6 | 0x39) ? -1 : 0;
}

static int name_number(struct deps_run *run, const char *name, uint64_t *out)
{
	pthread_mutex_lock(&run->lock);
	uint64_t *at = base_map_at(&run->names, (uintptr_t)name, 0);
	*out = at ? base_map_index(&run->names, at) : 0;
	pthread_mutex_unlock(&run->lock);
	return at ? 0 : CAIRN_E_NOMEM;
}

static void fill_registers(enum cairn_isa isa, const struct cairn_operands *operands,
                           struct deps_op *out)
{
	unsigned n = 0, n_dst = 0;
	for (unsigned k = 0; k < operands->n_src; k++) {
		unsigned first = n;
		n = add_reg(out->src, n, DEPS_SRCS, isa, operands->src[k].cls, operands->src[k].num);
		for (unsigned half = first + 1; half < n; half++)
			out->joined |= (uint16_t)(1u << half);
	}
	for (unsigned k = 0; k < operands->n_dst; k++)
		n_dst =
			add_reg(out->dst, n_dst, DEPS_DSTS, isa, operands->dst[k].cls, operands->dst[k].num);
}

int deps_op_fill(struct deps_run *run, const struct cairn_insn *in, struct deps_op *out)
{
	struct cairn_operands operands;
	struct cairn_op op;
	const char *name, *ext;
	bool has = !(in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
	enum cairn_isa isa = (enum cairn_isa)(in->isa | in->variant);
	cairn_isa_decode(isa, has ? in->enc : 0, in->size, &op);
	cairn_isa_mnemonic(isa, has ? in->enc : 0, in->size, &name, &ext);
	memset(out, 0, sizeof *out);
	if (has && cairn_isa_operands(isa, in->enc, in->size, &operands) >= 0) {
		fill_registers(in->isa, &operands, out);
		out->kind = in->isa == CAIRN_ISA_A64     ? a64_kind_of(in->enc, &op)
		            : in->isa == CAIRN_ISA_SPARC ? sparc_kind_of(in->enc, &op)
		                                         : deps_ops_kind_of(name, &op, &operands);
		out->window = in->isa == CAIRN_ISA_SPARC ? window_of(in->enc) : 0;
		out->base = out->src[0];
		out->told = 1;
	}
	return name_number(run, name && has ? name : cairn_class_name(in->cls), &out->name);
}

/* Is it the register that is always zero? Traces may record it like any other. */
static bool deps_ops_is_zero(enum cairn_isa isa, const struct cairn_reg *reg)
{
	return reg->cls == CAIRN_REG_INT && reg->num == 0 &&
	       (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64 || isa == CAIRN_ISA_SPARC);
}

/* From the rows of the trace, where the encoding does not tell. */
bool deps_op_rows(const struct cairn_batch *batch, uint32_t index, struct deps_op *op)
{
	unsigned n_src = 0, n_dst = 0;
	bool zero = false;
	for (uint32_t k = batch->insns[index].reg0; k < batch->insns[index + 1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		if (deps_ops_is_zero(batch->insns[index].isa, reg))
			zero |= reg->role == CAIRN_ROLE_SRC || reg->role == CAIRN_ROLE_DST;
		else if (reg->role == CAIRN_ROLE_SRC)
			n_src = add_reg(op->src, n_src, DEPS_SRCS, batch->insns[index].isa, reg->cls, reg->num);
		else if (reg->role == CAIRN_ROLE_DST)
			n_dst = add_reg(op->dst, n_dst, DEPS_DSTS, batch->insns[index].isa, reg->cls, reg->num);
	}
	return n_src + n_dst > 0 || zero;
}
