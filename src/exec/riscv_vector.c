/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: the setting of vectors (vsetvli and its kin), and the engine that computes elements.
 */
#include "exec/riscv_vector.h"

#include <string.h>

const struct riscv_vector_row *riscv_vector_row_of(uint32_t enc)
{
	static const struct riscv_vector_row *const tables[] = {
		riscv_vector_setting_rows, riscv_vector_memory_rows, riscv_vector_integer_rows,
		riscv_vector_mask_rows,    riscv_vector_float_rows,  riscv_vector_crypto_rows};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct riscv_vector_row *row = tables[i]; row->name; row++)
			if ((enc & row->mask) == row->match)
				return row;
	return NULL;
}

void riscv_put_csr(struct cairn_machine *machine, unsigned word, unsigned number,
                   struct exec_bits bits)
{
	exec_put(machine, word, CAIRN_REG_CSR, number, bits);
}

void riscv_vector_end(struct cairn_machine *machine)
{
	struct exec_bits start = machine->word[RISCV_VSTART];
	if (start.value || !bits_all(start))
		riscv_put_csr(machine, RISCV_VSTART, RISCV_VSTART_CSR, bits_known(0));
}

void riscv_vector_forget(struct cairn_machine *machine, const struct exec_op *op,
                         const char *reason)
{
	struct isa_written written;
	exec_undetermined(machine, reason);
	isa_written(machine->isa, op->enc, op->size, &written);
	if (exec_told(machine, CAIRN_MEM_WRITE, 0))
		written.store = ISA_STORES_NOT; /* what is told is written */
	exec_forget_written(machine, &written);
}

void riscv_vector_reserved(struct cairn_machine *machine, const struct exec_op *op)
{
	riscv_vector_forget(machine, op, "the encoding is reserved with this vtype");
}

/* ---- vsetvli, vsetivli, vsetvl ---- */

enum { VILL = -1, NOT_DETERMINED = -2 };

/* The logarithm of VLMAX; VILL; or NOT_DETERMINED: implementations may support it. */
static int log_vlmax(const struct cairn_machine *machine, uint64_t vtype)
{
	unsigned vlmul = vtype & 7, vsew = vtype >> 3 & 7;
	int log_lmul = vlmul < 4 ? (int)vlmul : (int)vlmul - 8, log_sew = 3 + (int)vsew;
	if (vlmul == 4 || vsew > 3)
		return VILL;
	if (vtype >> 8 || log_sew > 6 + (log_lmul < 0 ? log_lmul : 0))
		return NOT_DETERMINED;
	return 31 - __builtin_clz(machine->vector_bits) + log_lmul - log_sew;
}

static void put_setting(struct cairn_machine *machine, const struct exec_op *op,
                        struct exec_bits vl, struct exec_bits vtype)
{
	riscv_put_csr(machine, RISCV_VL, RISCV_VL_CSR, vl);
	riscv_put_csr(machine, RISCV_VTYPE, RISCV_VTYPE_CSR, vtype);
	riscv_vector_end(machine);
	riscv_put(machine, op->rd, vl);
	riscv_expect_vl(machine, op->rd);
}

/* vl of so many elements asked for. Between VLMAX and twice as many, implementations choose. */
static struct exec_bits chosen_length(struct exec_bits asked, uint64_t vlmax)
{
	if (bits_most(asked) <= vlmax)
		return asked;
	if (bits_least(asked) >= 2 * vlmax)
		return bits_known(vlmax);
	return (struct exec_bits){0, ~(2 * vlmax - 1)};
}

/* `extra`: vtype is in rs2, the number of elements is a constant. */
enum { BY_REGISTER = 1, BY_CONSTANT = 2 };

static void run_set(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct riscv_vector_row *row = op->row;
	unsigned rd = op->enc >> 7 & 31, rs1 = op->enc >> 15 & 31;
	bool narrow = riscv_is_narrow(machine);
	uint64_t ill = narrow ? (uint64_t)INT64_MIN >> 32 : (uint64_t)INT64_MIN;
	struct exec_bits vtype =
		bits_known(op->enc >> 20 & (row->extra == BY_CONSTANT ? 0x3ff : 0x7ff));
	struct exec_bits asked = machine->word[riscv_source(rs1)];
	struct exec_bits before = machine->word[RISCV_VTYPE];
	if (row->extra == BY_REGISTER)
		vtype = machine->word[riscv_source(op->enc >> 20 & 31)];
	if (narrow) {
		vtype = bits_zero_extend(vtype, 32);
		asked = bits_zero_extend(asked, 32);
		ill = UINT64_C(1) << 31;
	}
	int log_max = bits_all(vtype) && riscv_vector_words(machine) ? log_vlmax(machine, vtype.value)
	                                                             : NOT_DETERMINED;
	if (bits_all(vtype) && (vtype.value & ill || log_max == VILL)) {
		struct exec_bits is = bits_known(ill);
		put_setting(machine, op, bits_known(0), narrow ? bits_sign_extend(is, 32) : is);
		return;
	}
	if (row->extra == BY_CONSTANT)
		asked = bits_known(rs1);
	else if (!rs1 && rd)
		asked = bits_known(UINT64_MAX >> 1);
	/* Both x0: vl stays, which is reserved where VLMAX does not. */
	bool keeps = row->extra != BY_CONSTANT && !rs1 && !rd;
	bool reserved = keeps && (!bits_all(before) || before.value >> 8 ||
	                          log_vlmax(machine, before.value) != log_max);
	if (log_max < 0 || reserved) {
		exec_undetermined(machine, "whether vtype is supported is not determined");
		put_setting(machine, op, bits_unknown(), bits_unknown());
		return;
	}
	struct exec_bits vl = keeps ? machine->word[RISCV_VL] : chosen_length(asked, 1u << log_max);
	put_setting(machine, op, vl, vtype);
}

/* ---- the setting of an instruction ---- */

bool riscv_vector_begin(struct cairn_machine *machine, const struct exec_op *op,
                        struct riscv_vector *setting)
{
	struct exec_bits vtype = machine->word[RISCV_VTYPE], vl = machine->word[RISCV_VL];
	struct exec_bits start = machine->word[RISCV_VSTART];
	if (!riscv_vector_words(machine) || !bits_both(vtype, vl) || !bits_all(start)) {
		riscv_vector_forget(machine, op,
		                    riscv_vector_words(machine) ? "vtype, vl or vstart is not known"
		                                                : "the length of vectors is not known");
		return false;
	}
	int log_max = log_vlmax(machine, vtype.value);
	if (log_max < 0) {
		exec_stop(machine, CAIRN_STEP_ILLEGAL, "vtype says that it is not supported");
		return false;
	}
	unsigned vlmul = vtype.value & 7;
	*setting = (struct riscv_vector){.machine = machine,
	                                 .op = op,
	                                 .row = op->row,
	                                 .words = riscv_vector_words(machine),
	                                 .vd = op->enc >> 7 & 31,
	                                 .vs1 = op->enc >> 15 & 31,
	                                 .vs2 = op->enc >> 20 & 31,
	                                 .log_sew = 3 + (int)(vtype.value >> 3 & 7),
	                                 .log_lmul = vlmul < 4 ? (int)vlmul : (int)vlmul - 8,
	                                 .vl = (unsigned)vl.value,
	                                 .start = (unsigned)start.value,
	                                 .vlmax = 1u << log_max,
	                                 .masked = !(op->enc & RISCV_VM),
	                                 .tail_agnostic = vtype.value >> 6 & 1,
	                                 .mask_agnostic = vtype.value >> 7 & 1};
	setting->sew = 1u << setting->log_sew;
	/* Registers were set from outside to what no instruction sets. */
	if (setting->vl > setting->vlmax || start.value > UINT16_MAX) {
		riscv_vector_forget(machine, op, "vl is greater than vtype allows");
		return false;
	}
	return true;
}

bool riscv_vector_group(unsigned number, int log_emul)
{
	unsigned n = log_emul > 0 ? 1u << log_emul : 1;
	return log_emul >= -3 && log_emul <= 3 && !(number & (n - 1));
}

bool riscv_vector_apart(unsigned vd, int emul_d, unsigned eew_d, unsigned vs, int emul_s,
                        unsigned eew_s)
{
	unsigned n_d = emul_d > 0 ? 1u << emul_d : 1, n_s = emul_s > 0 ? 1u << emul_s : 1;
	if (eew_d == eew_s || vd + n_d <= vs || vs + n_s <= vd)
		return true;
	if (eew_d < eew_s)
		return vd == vs;
	return emul_s >= 0 && vs + n_s == vd + n_d;
}

/* ---- elements ---- */

void riscv_settle(const struct riscv_vector *setting, struct exec_bits *to, unsigned index,
                  int log_eew, struct exec_bits active, struct exec_bits made)
{
	if (active.known & active.value & 1) {
		riscv_put_element(to, index, log_eew, made);
		return;
	}
	struct exec_bits before = riscv_element(to, index, log_eew);
	if (setting->mask_agnostic)
		before = riscv_agnostic(before);
	riscv_put_element(to, index, log_eew, bits_choose(active, made, before));
}

void riscv_tail(const struct riscv_vector *setting, struct exec_bits *to, unsigned vl, int log_eew,
                int log_emul)
{
	unsigned bits = (64 * setting->words) << (log_emul > 0 ? log_emul : 0);
	for (unsigned i = vl; setting->tail_agnostic && i << log_eew < bits; i++)
		riscv_put_element(to, i, log_eew, riscv_agnostic(riscv_element(to, i, log_eew)));
}

/* They may also be what the instruction would have made of them. */
void riscv_tail_of_mask(const struct riscv_vector *setting, struct exec_bits *to)
{
	for (unsigned i = setting->vl / 64; i < setting->words; i++) {
		uint64_t kept = i > setting->vl / 64 ? 0 : ((uint64_t)1 << setting->vl % 64) - 1;
		to[i].value &= kept;
		to[i].known &= kept;
	}
}

void riscv_take_group(const struct riscv_vector *setting, struct exec_bits *to, unsigned number,
                      int log_emul)
{
	memcpy(to, riscv_vector_group_at(setting, number),
	       sizeof *to * setting->words << (log_emul > 0 ? log_emul : 0));
}

void riscv_put_group(const struct riscv_vector *setting, const struct exec_bits *from,
                     unsigned number, int log_emul)
{
	unsigned n = log_emul > 0 ? 1u << log_emul : 1;
	for (unsigned i = 0; i < n; i++)
		exec_put_words(setting->machine, RISCV_V + (number + i) * setting->words, CAIRN_REG_VECTOR,
		               number + i, from + i * setting->words, setting->words);
}

static unsigned number_format(const struct riscv_vector *setting)
{
	if (setting->sew == 16)
		return setting->row->flags & RISCV_BF16 ? 'b' : 'h';
	return setting->sew == 32 ? 's' : 'd';
}

struct exec_bits riscv_vector_scalar(const struct riscv_vector *setting)
{
	unsigned number = setting->vs1;
	switch (setting->row->form) {
	case RISCV_FORM_VX:
		return setting->machine->word[riscv_source(number)];
	case RISCV_FORM_VI:
		return bits_sign_extend(bits_known(number), 5);
	case RISCV_FORM_VU:
		return bits_known(number);
	case RISCV_FORM_V6:
		return bits_known(number | (setting->op->enc >> 21 & 32));
	case RISCV_FORM_VF:
		return riscv_unboxed(setting->machine, RISCV_F + number, number_format(setting));
	default:
		return bits_known(0);
	}
}

/* ---- the engine ---- */

/* What an element of the group of an operand is. */
struct operand {
	const struct exec_bits *group;
	int log_eew, log_emul;
	bool is_signed;
};

static inline struct exec_bits extended(struct exec_bits bits, unsigned n, bool is_signed)
{
	return is_signed ? bits_sign_extend(bits, n) : bits_zero_extend(bits, n);
}

static inline struct exec_bits operand_at(const struct operand *operand, unsigned index)
{
	struct exec_bits bits = riscv_element(operand->group, index, operand->log_eew);
	return operand->is_signed ? bits_sign_extend(bits, 1u << operand->log_eew) : bits;
}

static struct operand operand_of(const struct riscv_vector *setting, unsigned number, int wider,
                                 bool is_signed)
{
	return (struct operand){riscv_vector_group_at(setting, number), setting->log_sew + wider,
	                        setting->log_lmul + wider, is_signed};
}

static bool operand_fits(const struct operand *operand, unsigned number)
{
	return operand->log_eew >= 3 && operand->log_eew <= 6 &&
	       riscv_vector_group(number, operand->log_emul);
}

/* Are the registers such that the instruction is defined? */
static bool is_defined(const struct riscv_vector *setting, const struct operand *d,
                       const struct operand *a, const struct operand *b)
{
	unsigned flags = setting->row->flags, eew_d = flags & RISCV_D_MASK ? 1 : 1u << d->log_eew;
	int emul_d = flags & RISCV_D_MASK ? 0 : d->log_emul;
	bool mask_is_read = setting->masked;
	if (!(flags & RISCV_D_MASK) && !operand_fits(d, setting->vd))
		return false;
	if (mask_is_read && !(flags & RISCV_D_MASK) && setting->vd == 0)
		return false;
	if (!operand_fits(a, setting->vs2) ||
	    !riscv_vector_apart(setting->vd, emul_d, eew_d, setting->vs2, a->log_emul,
	                        1u << a->log_eew))
		return false;
	return setting->row->form != RISCV_FORM_VV ||
	       (operand_fits(b, setting->vs1) &&
	        riscv_vector_apart(setting->vd, emul_d, eew_d, setting->vs1, b->log_emul,
	                           1u << b->log_eew));
}

/* One element in each rounding mode of fixed point that may be in force. */
static struct exec_bits element_value(struct riscv_vector *setting, struct exec_bits a,
                                      struct exec_bits b, struct exec_bits d)
{
	struct exec_bits mode = setting->machine->word[RISCV_VXRM], made = {0, 0}, sat = {0, 0};
	if (!(setting->row->flags & RISCV_ROUNDS) || (mode.known & 3) == 3) {
		setting->rounding = mode.value & 3;
		return setting->row->value(setting, a, b, d);
	}
	for (setting->rounding = 0; setting->rounding < 4; setting->rounding++) {
		struct exec_bits other = setting->row->value(setting, a, b, d);
		made = setting->rounding ? bits_choose(bits_unknown(), made, other) : other;
		sat = setting->rounding ? bits_choose(bits_unknown(), sat, setting->sat) : setting->sat;
	}
	setting->sat = sat;
	return made;
}

static void elements_compute(struct riscv_vector *setting, struct exec_bits *to,
                             const struct operand *d, const struct operand *a,
                             const struct operand *b)
{
	unsigned flags = setting->row->flags;
	bool mask = flags & RISCV_D_MASK, carries = flags & RISCV_CARRY, vector = b->group != NULL;
	int log_d = mask ? 0 : d->log_eew;
	struct exec_bits sat = bits_known(0), second = {0, 0};
	if (!vector)
		second = extended(riscv_vector_scalar(setting), 1u << b->log_eew, b->is_signed);
	for (unsigned i = setting->start; i < setting->vl; i++) {
		struct exec_bits active = carries ? bits_known(1) : riscv_active(setting, i), third;
		if (carries)
			third = riscv_active(setting, i), third.value = setting->masked ? third.value : 0;
		else
			third = mask ? bits_known(0) : riscv_element(to, i, d->log_eew);
		if ((active.known & 1) && !(active.value & 1)) {
			riscv_settle(setting, to, i, log_d, active, bits_known(0));
			continue;
		}
		setting->sure = active.known & 1;
		setting->sat = bits_known(0);
		struct exec_bits made =
			element_value(setting, operand_at(a, i), vector ? operand_at(b, i) : second, third);
		sat = bits_or(sat, setting->sure ? setting->sat
		                                 : bits_choose(active, setting->sat, bits_known(0)));
		riscv_settle(setting, to, i, log_d, active, made);
	}
	if (sat.value || !bits_all(sat))
		riscv_put_csr(setting->machine, RISCV_VXSAT, RISCV_VXSAT_CSR,
		              bits_or(setting->machine->word[RISCV_VXSAT], sat));
}

void riscv_vector_elements(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits to[RISCV_GROUP_WORDS];
	if (!riscv_vector_begin(machine, op, &setting))
		return;
	unsigned flags = setting.row->flags;
	int wide_d = flags & RISCV_D_WIDE ? 1 : 0, wide_a = flags & RISCV_A_WIDE ? 1 : 0;
	if (flags & RISCV_NARROWER)
		wide_a = -setting.row->extra;
	struct operand d = operand_of(&setting, setting.vd, wide_d, false);
	struct operand a = operand_of(&setting, setting.vs2, wide_a, flags & RISCV_A_SIGNED);
	struct operand b = operand_of(&setting, setting.vs1, 0, flags & RISCV_B_SIGNED);
	setting.width = 1u << a.log_eew;
	if (!is_defined(&setting, &d, &a, &b) ||
	    (flags & RISCV_FLOAT && !riscv_vector_floats(&setting))) {
		riscv_vector_reserved(machine, op);
		return;
	}
	if (setting.row->form != RISCV_FORM_VV)
		b.group = NULL;
	if (setting.start < setting.vl) {
		int emul = flags & RISCV_D_MASK ? 0 : d.log_emul;
		riscv_take_group(&setting, to, setting.vd, emul);
		elements_compute(&setting, to, &d, &a, &b);
		if (flags & RISCV_D_MASK)
			riscv_tail_of_mask(&setting, to);
		else
			riscv_tail(&setting, to, setting.vl, d.log_eew, emul);
		riscv_put_group(&setting, to, setting.vd, emul);
		riscv_vector_flags(&setting);
	}
	riscv_vector_end(machine);
}

/* ---- the table ---- */

#define SET(name, mask, match, extra) \
	{ \
		name, mask, match, run_set, NULL, NULL, 0, 0, extra \
	}

/* clang-format off */
const struct riscv_vector_row riscv_vector_setting_rows[] = {
	SET("vsetvli", 0x8000707f, 0x00007057, 0),
	SET("vsetivli", 0xc000707f, 0xc0007057, BY_CONSTANT),
	SET("vsetvl", 0xfe00707f, 0x80007057, BY_REGISTER),
	{NULL}};
/* clang-format on */
