/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V vectors: masks, what makes one element or register of many (reductions, counts), and what
 * moves elements to other places.
 */
#include "exec/riscv_vector.h"

enum { LOG_BIT = 0 };

/* The setting of an instruction that has to begin with element 0. */
static bool begin_at_zero(struct cairn_machine *machine, const struct exec_op *op,
                          struct riscv_vector *setting)
{
	if (!riscv_vector_begin(machine, op, setting))
		return false;
	if (!setting->start)
		return true;
	riscv_vector_reserved(machine, op);
	return false;
}

/* Do a destination of so many registers (logarithms) and a source share any? */
static bool overlap(unsigned vd, int emul_d, unsigned vs, int emul_s)
{
	unsigned n_d = emul_d > 0 ? 1u << emul_d : 1, n_s = emul_s > 0 ? 1u << emul_s : 1;
	return vd < vs + n_s && vs < vd + n_d;
}

static struct exec_bits mask_bit(const struct riscv_vector *setting, unsigned number,
                                 unsigned index)
{
	return riscv_element(riscv_vector_group_at(setting, number), index, LOG_BIT);
}

/* ---- logic ---- */

/* `extra`: of two bits a and b, the result's in bit 2 * a + b. */
enum { AND = 8, NAND = 7, ANDN = 4, XOR = 6, OR = 14, NOR = 1, ORN = 13, XNOR = 9 };

static struct exec_bits logic(unsigned table, struct exec_bits a, struct exec_bits b)
{
	struct exec_bits made = bits_known(0);
	for (unsigned i = 0; i < 4; i++)
		if (table >> i & 1)
			made = bits_or(made, bits_and(i & 2 ? a : bits_not(a), i & 1 ? b : bits_not(b)));
	return made;
}

static void run_logic(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits to[RISCV_MOST_VECTOR_BITS / 64];
	if (!riscv_vector_begin(machine, op, &setting))
		return;
	if (setting.start < setting.vl) {
		const struct exec_bits *a = riscv_vector_group_at(&setting, setting.vs2);
		const struct exec_bits *b = riscv_vector_group_at(&setting, setting.vs1);
		riscv_take_group(&setting, to, setting.vd, 0);
		for (unsigned i = setting.start / 64; i < setting.words; i++) {
			uint64_t kept = 64 * i < setting.start ? ((uint64_t)1 << setting.start % 64) - 1 : 0;
			struct exec_bits keep = bits_known(kept), made = logic(setting.row->extra, a[i], b[i]);
			to[i] = bits_or(bits_and(to[i], keep), bits_and(made, bits_not(keep)));
		}
		riscv_tail_of_mask(&setting, to);
		riscv_put_group(&setting, to, setting.vd, 0);
	}
	riscv_vector_end(machine);
}

/* ---- counts ---- */

static void put_count(struct riscv_vector *setting, struct exec_bits count)
{
	riscv_put(setting->machine, setting->op->rd, count);
	riscv_vector_end(setting->machine);
}

/* A bit of vs2 where the mask has it active, else 0. */
static struct exec_bits active_bit(const struct riscv_vector *setting, unsigned index)
{
	return bits_and(bits_and(mask_bit(setting, setting->vs2, index), riscv_active(setting, index)),
	                bits_known(1));
}

static void run_count(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits count = bits_known(0);
	if (!begin_at_zero(machine, op, &setting))
		return;
	for (unsigned i = 0; i < setting.vl; i++)
		count = bits_add(count, active_bit(&setting, i));
	put_count(&setting, count);
}

static void run_find(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits first = bits_known(UINT64_MAX);
	if (!begin_at_zero(machine, op, &setting))
		return;
	for (unsigned i = setting.vl; i-- > 0;)
		first = bits_choose(active_bit(&setting, i), bits_known(i), first);
	put_count(&setting, first);
}

/* ---- before, including and only the first ---- */

enum { BEFORE = 1, ONLY, INCLUDING }; /* riscv_vector_row.extra */

static void run_first(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits to[RISCV_MOST_VECTOR_BITS / 64], seen = bits_known(0), one = bits_known(1);
	if (!begin_at_zero(machine, op, &setting))
		return;
	if (setting.vd == setting.vs2 || (setting.masked && setting.vd == 0)) {
		riscv_vector_reserved(machine, op);
		return;
	}
	riscv_take_group(&setting, to, setting.vd, 0);
	for (unsigned i = 0; i < setting.vl; i++) {
		struct exec_bits now = bits_or(seen, active_bit(&setting, i)), made;
		if (setting.row->extra == BEFORE)
			made = bits_not(now);
		else if (setting.row->extra == INCLUDING)
			made = bits_not(seen);
		else
			made = bits_and(active_bit(&setting, i), bits_not(seen));
		riscv_settle(&setting, to, i, LOG_BIT, riscv_active(&setting, i), bits_and(made, one));
		seen = now;
	}
	if (setting.vl) {
		riscv_tail_of_mask(&setting, to);
		riscv_put_group(&setting, to, setting.vd, 0);
	}
	riscv_vector_end(machine);
}

/* ---- numbers of elements ---- */

static void put_numbers(struct riscv_vector *setting,
                        struct exec_bits (*number)(struct riscv_vector *, unsigned))
{
	struct exec_bits to[RISCV_GROUP_WORDS];
	if (setting->start < setting->vl) {
		riscv_take_group(setting, to, setting->vd, setting->log_lmul);
		for (unsigned i = setting->start; i < setting->vl; i++)
			riscv_settle(setting, to, i, setting->log_sew, riscv_active(setting, i),
			             number(setting, i));
		riscv_tail(setting, to, setting->vl, setting->log_sew, setting->log_lmul);
		riscv_put_group(setting, to, setting->vd, setting->log_lmul);
	}
	riscv_vector_end(setting->machine);
}

/* How many active bits are set before this one: setting->sat counts. */
static struct exec_bits number_of_set(struct riscv_vector *setting, unsigned index)
{
	struct exec_bits before = setting->sat;
	setting->sat = bits_add(before, active_bit(setting, index));
	return before;
}

static struct exec_bits number_itself(struct riscv_vector *setting, unsigned index)
{
	(void)setting;
	return bits_known(index);
}

static void run_iota(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	if (!begin_at_zero(machine, op, &setting))
		return;
	setting.sat = bits_known(0);
	if (!riscv_vector_group(setting.vd, setting.log_lmul) ||
	    overlap(setting.vd, setting.log_lmul, setting.vs2, 0) ||
	    (setting.masked && setting.vd == 0))
		riscv_vector_reserved(machine, op);
	else
		put_numbers(&setting, number_of_set);
}

static void run_id(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	if (!riscv_vector_begin(machine, op, &setting))
		return;
	if (!riscv_vector_group(setting.vd, setting.log_lmul) || (setting.masked && setting.vd == 0))
		riscv_vector_reserved(machine, op);
	else
		put_numbers(&setting, number_itself);
}

/* ---- reductions ---- */

/* A sum in an order that implementations choose: of two numbers it is determined. */
static bool any_order(const struct riscv_vector *setting)
{
	unsigned most = 0;
	for (unsigned i = 0; i < setting->vl; i++)
		most += (bits_most(riscv_active(setting, i)) & 1) != 0;
	return setting->row->extra == RISCV_ANY_ORDER && most > 1;
}

static struct exec_bits reduced(struct riscv_vector *setting, int log_d)
{
	bool is_signed = setting->row->flags & RISCV_A_SIGNED;
	const struct exec_bits *a = riscv_vector_group_at(setting, setting->vs2);
	struct exec_bits sum = riscv_element(riscv_vector_group_at(setting, setting->vs1), 0, log_d);
	bool any = false;
	if (any_order(setting)) {
		setting->may_raise = 0x1f;
		return bits_unknown();
	}
	for (unsigned i = 0; i < setting->vl; i++) {
		struct exec_bits active = riscv_active(setting, i),
						 element = riscv_element(a, i, setting->log_sew);
		if (active.known & ~active.value & 1)
			continue;
		if (is_signed) {
			element = bits_sign_extend(element, setting->sew);
			sum = bits_sign_extend(sum, 1u << log_d);
		}
		setting->sure = active.known & 1;
		any |= setting->sure;
		struct exec_bits made = setting->row->value(setting, element, sum, sum);
		made = bits_zero_extend(made, 1u << log_d);
		sum = bits_choose(active, made, bits_zero_extend(sum, 1u << log_d));
	}
	/* Without an active element a NaN may be made canonical. */
	if (!any && setting->row->flags & RISCV_FLOAT && riscv_may_be_nan(sum, log_d))
		return bits_unknown();
	return sum;
}

void riscv_vector_reduce(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits to[RISCV_MOST_VECTOR_BITS / 64];
	if (!begin_at_zero(machine, op, &setting))
		return;
	bool wide = setting.row->flags & RISCV_D_WIDE;
	int log_d = setting.log_sew + wide;
	if (!riscv_vector_group(setting.vs2, setting.log_lmul) || log_d > 6 ||
	    (wide && overlap(setting.vs1, 0, setting.vs2, setting.log_lmul)) ||
	    (setting.row->flags & RISCV_FLOAT && !riscv_vector_floats(&setting))) {
		riscv_vector_reserved(machine, op);
		return;
	}
	if (setting.vl) {
		riscv_take_group(&setting, to, setting.vd, 0);
		riscv_put_element(to, 0, log_d, reduced(&setting, log_d));
		riscv_tail(&setting, to, 1, log_d, 0);
		riscv_put_group(&setting, to, setting.vd, 0);
		riscv_vector_flags(&setting);
	}
	riscv_vector_end(machine);
}

#define REDUCTION(name, expression) \
	static struct exec_bits value_##name(struct riscv_vector *setting, struct exec_bits a, \
	                                     struct exec_bits b, struct exec_bits d) \
	{ \
		(void)setting, (void)d; \
		return expression; \
	}
REDUCTION(sum, bits_add(a, b))
REDUCTION(and, bits_and(a, b))
REDUCTION(or, bits_or(a, b))
REDUCTION(xor, bits_xor(a, b))
REDUCTION(minu, bits_choose(bits_less(a, b), a, b))
REDUCTION(maxu, bits_choose(bits_less(a, b), b, a))
REDUCTION(min, bits_choose(bits_less_signed(a, b), a, b))
REDUCTION(max, bits_choose(bits_less_signed(a, b), b, a))

/* ---- one element ---- */

static void run_to_integer(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	if (!riscv_vector_begin(machine, op, &setting))
		return;
	struct exec_bits bits =
		riscv_element(riscv_vector_group_at(&setting, setting.vs2), 0, setting.log_sew);
	unsigned n = riscv_is_narrow(machine) && setting.sew > 32 ? 32 : setting.sew;
	put_count(&setting, bits_sign_extend(bits, n));
}

void riscv_vector_first_element(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits to[RISCV_MOST_VECTOR_BITS / 64];
	if (!riscv_vector_begin(machine, op, &setting))
		return;
	if (setting.row->flags & RISCV_FLOAT && !riscv_vector_floats(&setting)) {
		riscv_vector_reserved(machine, op);
		return;
	}
	if (setting.start < setting.vl) {
		riscv_take_group(&setting, to, setting.vd, 0);
		riscv_put_element(to, 0, setting.log_sew, riscv_vector_scalar(&setting));
		riscv_tail(&setting, to, 1, setting.log_sew, 0);
		riscv_put_group(&setting, to, setting.vd, 0);
	}
	riscv_vector_end(machine);
}

/* ---- to other places ---- */

/* riscv_vector_row.extra */
enum { SLIDE_UP = RISCV_SLIDE_1_DOWN + 1, SLIDE_DOWN, GATHER, GATHER_16, GATHER_ONE };

struct move {
	struct riscv_vector setting;
	const struct exec_bits *from;
	struct exec_bits scalar;
};

/* An element of the source by its number; 0 where there is none. */
static struct exec_bits source_at(const struct move *move, struct exec_bits number)
{
	if (bits_least(number) >= move->setting.vlmax)
		return bits_known(0);
	if (!bits_all(number))
		return bits_unknown();
	return riscv_element(move->from, (unsigned)number.value, move->setting.log_sew);
}

/* What element `i` becomes; false: it stays. */
static bool moved(const struct move *move, unsigned index, struct exec_bits *made)
{
	const struct riscv_vector *setting = &move->setting;
	struct exec_bits number = bits_known(index);
	switch (setting->row->extra) {
	case SLIDE_UP:
		if (bits_least(move->scalar) > index)
			return false;
		number = bits_all(move->scalar) ? bits_known(index - move->scalar.value) : bits_unknown();
		break;
	case SLIDE_DOWN:
		if (bits_least(move->scalar) >= setting->vlmax)
			number = bits_known(setting->vlmax);
		else if (bits_all(move->scalar))
			number = bits_known(index + move->scalar.value);
		else
			number = bits_unknown();
		break;
	case RISCV_SLIDE_1_UP:
	case RISCV_SLIDE_1_DOWN:
		if (index == (setting->row->extra == RISCV_SLIDE_1_UP ? 0 : setting->vl - 1)) {
			*made = move->scalar;
			return true;
		}
		number = bits_known(setting->row->extra == RISCV_SLIDE_1_UP ? index - 1 : index + 1);
		break;
	case GATHER_ONE:
		number = move->scalar;
		break;
	default:
		number = riscv_element(riscv_vector_group_at(setting, setting->vs1), index,
		                       setting->row->extra == GATHER_16 ? 4 : setting->log_sew);
	}
	*made = source_at(move, number);
	return true;
}

static bool move_is_defined(const struct riscv_vector *setting)
{
	unsigned how = setting->row->extra;
	bool floats = setting->row->flags & RISCV_FLOAT;
	int emul_index =
		how == GATHER_16 ? setting->log_lmul + 4 - setting->log_sew : setting->log_lmul;
	if (!riscv_vector_group(setting->vd, setting->log_lmul) ||
	    !riscv_vector_group(setting->vs2, setting->log_lmul) ||
	    (setting->masked && setting->vd == 0) || (floats && !riscv_vector_floats(setting)))
		return false;
	if (how != SLIDE_DOWN && how != RISCV_SLIDE_1_DOWN &&
	    overlap(setting->vd, setting->log_lmul, setting->vs2, setting->log_lmul))
		return false;
	if (how != GATHER && how != GATHER_16)
		return true;
	bool two_widths = how == GATHER_16 && setting->sew != 16;
	return riscv_vector_group(setting->vs1, emul_index) &&
	       !overlap(setting->vd, setting->log_lmul, setting->vs1, emul_index) &&
	       !(two_widths && overlap(setting->vs2, setting->log_lmul, setting->vs1, emul_index));
}

void riscv_vector_move(struct cairn_machine *machine, const struct exec_op *op)
{
	struct move move;
	struct riscv_vector *setting = &move.setting;
	struct exec_bits to[RISCV_GROUP_WORDS], made;
	if (!riscv_vector_begin(machine, op, setting))
		return;
	if (!move_is_defined(setting)) {
		riscv_vector_reserved(machine, op);
		return;
	}
	if (setting->start < setting->vl) {
		move.from = riscv_vector_group_at(setting, setting->vs2);
		move.scalar = riscv_vector_scalar(setting);
		if (riscv_is_narrow(machine) &&
		    !(setting->row->extra == RISCV_SLIDE_1_UP || setting->row->extra == RISCV_SLIDE_1_DOWN))
			move.scalar = bits_zero_extend(move.scalar, 32); /* a number */
		riscv_take_group(setting, to, setting->vd, setting->log_lmul);
		for (unsigned i = setting->start; i < setting->vl; i++)
			if (moved(&move, i, &made))
				riscv_settle(setting, to, i, setting->log_sew, riscv_active(setting, i), made);
		riscv_tail(setting, to, setting->vl, setting->log_sew, setting->log_lmul);
		riscv_put_group(setting, to, setting->vd, setting->log_lmul);
	}
	riscv_vector_end(machine);
}

/* Elements that vs1 chooses, packed; what is behind them is the tail. Where a choice is not known all
 * from there on is not. */
static void run_compress(struct cairn_machine *machine, const struct exec_op *op)
{
	struct riscv_vector setting;
	struct exec_bits to[RISCV_GROUP_WORDS];
	unsigned n = 0;
	bool known = true;
	if (!begin_at_zero(machine, op, &setting))
		return;
	if (!riscv_vector_group(setting.vd, setting.log_lmul) ||
	    !riscv_vector_group(setting.vs2, setting.log_lmul) ||
	    overlap(setting.vd, setting.log_lmul, setting.vs2, setting.log_lmul) ||
	    overlap(setting.vd, setting.log_lmul, setting.vs1, 0) ||
	    overlap(setting.vs2, setting.log_lmul, setting.vs1, 0)) {
		riscv_vector_reserved(machine, op);
		return;
	}
	riscv_take_group(&setting, to, setting.vd, setting.log_lmul);
	for (unsigned i = 0; i < setting.vl; i++) {
		struct exec_bits chosen = mask_bit(&setting, setting.vs1, i);
		known &= chosen.known & 1;
		if (known && chosen.value & 1)
			riscv_put_element(
				to, n++, setting.log_sew,
				riscv_element(riscv_vector_group_at(&setting, setting.vs2), i, setting.log_sew));
	}
	for (unsigned i = n; !known && i < setting.vl; i++)
		riscv_put_element(to, i, setting.log_sew, bits_unknown());
	if (setting.vl) {
		riscv_tail(&setting, to, n, setting.log_sew, setting.log_lmul);
		riscv_put_group(&setting, to, setting.vd, setting.log_lmul);
	}
	riscv_vector_end(machine);
}

/* Whole registers; vtype counts only where it does not begin with the first element. */
static void run_move_registers(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to[RISCV_GROUP_WORDS], start = machine->word[RISCV_VSTART];
	unsigned n = (op->enc >> 15 & 7) + 1, words = riscv_vector_words(machine);
	struct riscv_vector setting = {.machine = machine,
	                               .words = words,
	                               .vd = op->enc >> 7 & 31,
	                               .vs2 = op->enc >> 20 & 31};
	int log_n = 31 - __builtin_clz(n);
	if (!words || !bits_all(start)) {
		riscv_vector_forget(machine, op, "the length of vectors, or vstart, is not known");
		return;
	}
	if (start.value && !riscv_vector_begin(machine, op, &setting))
		return;
	if (!riscv_vector_group(setting.vd, log_n) || !riscv_vector_group(setting.vs2, log_n)) {
		riscv_vector_reserved(machine, op);
		return;
	}
	if (start.value) {
		unsigned end = (64 * words * n) >> setting.log_sew;
		riscv_take_group(&setting, to, setting.vd, log_n);
		for (unsigned i = setting.start; i < end; i++)
			riscv_put_element(
				to, i, setting.log_sew,
				riscv_element(riscv_vector_group_at(&setting, setting.vs2), i, setting.log_sew));
	} else {
		riscv_take_group(&setting, to, setting.vs2, log_n);
	}
	riscv_put_group(&setting, to, setting.vd, log_n);
	riscv_vector_end(machine);
}

/* ---- the table ---- */

#define ROW(name, mask, match, run, value, flags, form, extra) \
	{ \
		name, mask, match, run, value, NULL, flags, RISCV_FORM_##form, extra \
	}
#define OPV(name, f6, group, run, form, extra) \
	ROW(name, RISCV_ANY_MASK, RISCV_OPV(f6, RISCV_##group), run, NULL, 0, form, extra)
#define LOGIC(name, f6, table) \
	ROW(name ".mm", RISCV_WITH_VM, RISCV_OPV(f6, RISCV_OPMVV) | RISCV_VM, run_logic, NULL, 0, VV, \
	    table)
#define UNARY(name, f6, rs1, run, extra) \
	ROW(name, RISCV_WITH_RS1, RISCV_OPV(f6, RISCV_OPMVV) | (rs1) << 15, run, NULL, 0, V, extra)
#define REDUCE(name, f6, value, flags) \
	ROW(name ".vs", RISCV_ANY_MASK, RISCV_OPV(f6, RISCV_OPMVV), riscv_vector_reduce, \
	    value_##value, flags, VV, 0)

/* clang-format off */
const struct riscv_vector_row riscv_vector_mask_rows[] = {
	LOGIC("vmandn", 0x18, ANDN),
	LOGIC("vmand", 0x19, AND),
	LOGIC("vmor", 0x1a, OR),
	LOGIC("vmxor", 0x1b, XOR),
	LOGIC("vmorn", 0x1c, ORN),
	LOGIC("vmnand", 0x1d, NAND),
	LOGIC("vmnor", 0x1e, NOR),
	LOGIC("vmxnor", 0x1f, XNOR),
	UNARY("vcpop.m", 0x10, 16, run_count, 0),
	UNARY("vfirst.m", 0x10, 17, run_find, 0),
	UNARY("vmsbf.m", 0x14, 1, run_first, BEFORE),
	UNARY("vmsof.m", 0x14, 2, run_first, ONLY),
	UNARY("vmsif.m", 0x14, 3, run_first, INCLUDING),
	UNARY("viota.m", 0x14, 16, run_iota, 0),
	UNARY("vid.v", 0x14, 17, run_id, 0),
	REDUCE("vredsum", 0x00, sum, 0),
	REDUCE("vredand", 0x01, and, 0),
	REDUCE("vredor", 0x02, or, 0),
	REDUCE("vredxor", 0x03, xor, 0),
	REDUCE("vredminu", 0x04, minu, 0),
	REDUCE("vredmin", 0x05, min, RISCV_SIGNED),
	REDUCE("vredmaxu", 0x06, maxu, 0),
	REDUCE("vredmax", 0x07, max, RISCV_SIGNED),
	ROW("vwredsumu.vs", RISCV_ANY_MASK, RISCV_OPV(0x30, RISCV_OPIVV), riscv_vector_reduce,
	    value_sum, RISCV_D_WIDE, VV, 0),
	ROW("vwredsum.vs", RISCV_ANY_MASK, RISCV_OPV(0x31, RISCV_OPIVV), riscv_vector_reduce,
	    value_sum, RISCV_D_WIDE | RISCV_SIGNED, VV, 0),
	UNARY("vmv.x.s", 0x10, 0, run_to_integer, 0),
	ROW("vmv.s.x", RISCV_WITH_VM, RISCV_OPV(0x10, RISCV_OPMVX) | RISCV_VM,
	    riscv_vector_first_element, NULL, 0, VX, 0),
	OPV("vslideup.vx", 0x0e, OPIVX, riscv_vector_move, VX, SLIDE_UP),
	OPV("vslideup.vi", 0x0e, OPIVI, riscv_vector_move, VU, SLIDE_UP),
	OPV("vslidedown.vx", 0x0f, OPIVX, riscv_vector_move, VX, SLIDE_DOWN),
	OPV("vslidedown.vi", 0x0f, OPIVI, riscv_vector_move, VU, SLIDE_DOWN),
	OPV("vslide1up.vx", 0x0e, OPMVX, riscv_vector_move, VX, RISCV_SLIDE_1_UP),
	OPV("vslide1down.vx", 0x0f, OPMVX, riscv_vector_move, VX, RISCV_SLIDE_1_DOWN),
	OPV("vrgather.vv", 0x0c, OPIVV, riscv_vector_move, VV, GATHER),
	OPV("vrgather.vx", 0x0c, OPIVX, riscv_vector_move, VX, GATHER_ONE),
	OPV("vrgather.vi", 0x0c, OPIVI, riscv_vector_move, VU, GATHER_ONE),
	OPV("vrgatherei16.vv", 0x0e, OPIVV, riscv_vector_move, VV, GATHER_16),
	ROW("vcompress.vm", RISCV_WITH_VM, RISCV_OPV(0x17, RISCV_OPMVV) | RISCV_VM, run_compress,
	    NULL, 0, VV, 0),
	ROW("vmvr.v", RISCV_WITH_VM, RISCV_OPV(0x27, RISCV_OPIVI) | RISCV_VM, run_move_registers,
	    NULL, 0, V, 0),
	{NULL}};
/* clang-format on */
