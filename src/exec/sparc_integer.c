/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: computations on integer registers, condition codes, windows, and ancillary state.
 */
#include "exec/sparc.h"

/* sparc_row.extra of most: condition codes are set; of sums: the carry is that of 64 bits */
enum { CC = 1, WIDE_CARRY = 2 };

/* ---- condition codes ---- */

/* N, Z, V and C of a result whose sign is bit `sign`; overflow and carry are bits there. */
static struct exec_bits codes_at(struct exec_bits result, struct exec_bits overflow,
                                 struct exec_bits carry, unsigned sign)
{
	struct exec_bits zero = bits_equal(bits_zero_extend(result, sign + 1), bits_known(0));
	struct exec_bits high = bits_or(bits_left(sparc_bit(result, sign), 3), bits_left(zero, 2));
	return bits_or(high, bits_or(bits_left(sparc_bit(overflow, sign), 1), sparc_bit(carry, sign)));
}

static struct exec_bits both_codes(struct exec_bits result, struct exec_bits overflow,
                                   struct exec_bits carry)
{
	return bits_or(bits_left(codes_at(result, overflow, carry, 63), 4),
	               codes_at(result, overflow, carry, 31));
}

/* The result, and codes without overflow or carry. */
static void put_result(struct cairn_machine *machine, const struct exec_op *op,
                       struct exec_bits result, bool cc)
{
	if (cc)
		sparc_put_ccr(machine, both_codes(result, bits_known(0), bits_known(0)));
	sparc_put(machine, op->rd, result);
}

/* ---- sums ---- */

/* a + b and a carry, of 64 bits; where it overflows and carries, in bits. */
struct sum {
	struct exec_bits result, overflow, carry;
};

static inline struct sum sum_of(struct exec_bits a, struct exec_bits b, struct exec_bits carry)
{
	struct sum sum;
	if (carry.known & 1)
		sum.result = bits_add_carry(a, b, carry.value & 1);
	else
		sum.result = bits_choose(carry, bits_add_carry(a, b, true), bits_add(a, b));
	struct exec_bits differs = bits_xor(a, sum.result);
	sum.overflow = bits_and(bits_not(bits_xor(a, b)), differs);
	sum.carry = bits_or(bits_and(a, b), bits_and(bits_or(a, b), bits_not(sum.result)));
	return sum;
}

/* A difference is the sum with what is inverted, and its carry means that nothing was borrowed. */
static inline struct sum difference_of(struct exec_bits a, struct exec_bits b,
                                       struct exec_bits borrow)
{
	struct sum sum = sum_of(a, bits_not(b), sparc_not(borrow));
	sum.carry = bits_not(sum.carry);
	return sum;
}

void sparc_put_difference_codes(struct cairn_machine *machine, struct exec_bits a,
                                struct exec_bits b)
{
	struct sum sum = difference_of(a, b, bits_truth(false, true));
	sparc_put_ccr(machine, both_codes(sum.result, sum.overflow, sum.carry));
}

static inline __attribute__((always_inline)) void run_sum(struct cairn_machine *machine,
                                                          const struct exec_op *op, bool subtract,
                                                          bool carries)
{
	struct exec_bits a = machine->word[op->rs1], b = sparc_second(machine, op);
	struct exec_bits codes = machine->word[SPARC_CCR];
	unsigned at = op->extra & WIDE_CARRY ? 4 : 0;
	struct exec_bits carry = carries ? sparc_bit(codes, at) : bits_truth(false, true);
	if (!op->extra && !carries) {
		sparc_put(machine, op->rd, subtract ? bits_sub(a, b) : bits_add(a, b));
		return;
	}
	struct sum sum = subtract ? difference_of(a, b, carry) : sum_of(a, b, carry);
	if (op->extra & CC)
		sparc_put_ccr(machine, both_codes(sum.result, sum.overflow, sum.carry));
	sparc_put(machine, op->rd, sum.result);
}

#define SUM(name, subtract, carries) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		run_sum(machine, op, subtract, carries); \
	}
SUM(add, false, false)
SUM(addc, false, true)
SUM(sub, true, false)
SUM(subc, true, true)

/* Tagged: an operand whose lowest two bits are not 0 counts as an overflow of 32 bits. */
enum { SUBTRACT = 2, TRAPS = 4 };

static void run_tagged(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct exec_bits tag = bits_known(3), nothing = bits_truth(false, true);
	struct exec_bits a = machine->word[op->rs1], b = sparc_second(machine, op);
	struct sum sum = op->extra & SUBTRACT ? difference_of(a, b, nothing) : sum_of(a, b, nothing);
	struct exec_bits tags = bits_and(bits_or(a, b), tag);
	struct exec_bits tagged = sparc_not(bits_equal(tags, bits_known(0)));
	struct exec_bits codes = both_codes(sum.result, sum.overflow, sum.carry);
	codes = bits_or(codes, bits_left(tagged, 1));
	if (op->extra & TRAPS) {
		if (codes.value & 2) {
			exec_stop(machine, CAIRN_STEP_TRAP, "a tagged sum overflows");
			return;
		}
		codes.known |= 2; /* it did not trap */
	}
	sparc_put_ccr(machine, codes);
	sparc_put(machine, op->rd, sum.result);
}

/* ---- logic ---- */

#define LOGIC(name, expression) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		struct exec_bits a = machine->word[op->rs1], b = sparc_second(machine, op); \
		put_result(machine, op, expression, op->extra &CC); \
	}
LOGIC(and, bits_and(a, b))
LOGIC(or, bits_or(a, b))
LOGIC(xor, bits_xor(a, b))
LOGIC(andn, bits_and(a, bits_not(b)))
LOGIC(orn, bits_or(a, bits_not(b)))
LOGIC(xnor, bits_not(bits_xor(a, b)))

static void run_sethi(struct cairn_machine *machine, const struct exec_op *op)
{
	sparc_put(machine, op->rd, bits_known((uint64_t)op->imm));
}

/* ---- shifts: of 32 bits, or by `extra` of 64 ---- */

enum { WIDE = 1 };

/* The number of places; -1 not known. */
static int places(const struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits b = sparc_second(machine, op);
	uint64_t mask = op->extra & WIDE ? 63 : 31;
	return (b.known & mask) == mask ? (int)(b.value & mask) : -1;
}

/* Shifts to the left have all 64 bits, whichever. */
static void run_sll(struct cairn_machine *machine, const struct exec_op *op)
{
	int n = places(machine, op);
	struct exec_bits a = machine->word[op->rs1];
	sparc_put(machine, op->rd, n >= 0 ? bits_left(a, (unsigned)n) : bits_unknown());
}

static void run_srl(struct cairn_machine *machine, const struct exec_op *op)
{
	int n = places(machine, op);
	struct exec_bits a = machine->word[op->rs1], unknown = bits_unknown();
	if (!(op->extra & WIDE)) {
		a = bits_zero_extend(a, 32);
		unknown = bits_zero_extend(unknown, 32);
	}
	sparc_put(machine, op->rd, n >= 0 ? bits_right(a, (unsigned)n) : unknown);
}

static void run_sra(struct cairn_machine *machine, const struct exec_op *op)
{
	int n = places(machine, op);
	struct exec_bits a = machine->word[op->rs1];
	if (!(op->extra & WIDE))
		a = bits_sign_extend(a, 32);
	sparc_put(machine, op->rd, n >= 0 ? bits_right_signed(a, (unsigned)n) : bits_unknown());
}

/* ---- products and quotients ---- */

static void run_mulx(struct cairn_machine *machine, const struct exec_op *op)
{
	sparc_put(machine, op->rd, bits_multiply(machine->word[op->rs1], sparc_second(machine, op)));
}

enum { SIGNED = 2 };

/* 32 bits by 32 bits; Y gets the upper half of the product. */
static void run_mul(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = machine->word[op->rs1], b = sparc_second(machine, op);
	bool is_signed = op->extra & SIGNED;
	a = is_signed ? bits_sign_extend(a, 32) : bits_zero_extend(a, 32);
	b = is_signed ? bits_sign_extend(b, 32) : bits_zero_extend(b, 32);
	struct exec_bits product = bits_multiply(a, b);
	sparc_put_state(machine, SPARC_Y, 0, bits_right(product, 32));
	put_result(machine, op, product, op->extra & CC);
}

/* Is the divisor known to be 0? Then the step is a trap. */
static bool divides_by_zero(struct cairn_machine *machine, struct exec_bits divisor)
{
	if (!bits_all(divisor) || divisor.value)
		return false;
	exec_stop(machine, CAIRN_STEP_TRAP, "division by 0");
	return true;
}

static void run_divx(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = machine->word[op->rs1], b = sparc_second(machine, op);
	struct exec_bits result = bits_unknown();
	if (divides_by_zero(machine, b))
		return;
	if (bits_both(a, b) && !(op->extra & SIGNED))
		result = bits_known(a.value / b.value);
	else if (bits_both(a, b)) /* a quotient that has no room is the dividend */
		result = bits_known(
			b.value == UINT64_MAX ? 0 - a.value : (uint64_t)((int64_t)a.value / (int64_t)b.value));
	sparc_put(machine, op->rd, result);
}

/* The quotient of 64 bits by 32, as far as it has room in 32 bits. */
static uint64_t quotient(uint64_t dividend, uint64_t divisor, bool is_signed, bool *overflow)
{
	int64_t signed_dividend = (int64_t)dividend, by = (int32_t)divisor;
	if (!is_signed) {
		uint64_t result = dividend / (uint32_t)divisor;
		*overflow = result > UINT32_MAX;
		return *overflow ? UINT32_MAX : result;
	}
	bool negative = (signed_dividend < 0) != (by < 0);
	uint64_t magnitude = signed_dividend < 0 ? 0 - dividend : dividend;
	magnitude /= by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
	uint64_t most = negative ? UINT64_C(1) << 31 : INT32_MAX;
	*overflow = magnitude > most;
	magnitude = *overflow ? most : magnitude;
	return negative ? 0 - magnitude : magnitude;
}

/* Y and 32 bits, by 32 bits. */
static void run_div(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits b = bits_zero_extend(sparc_second(machine, op), 32);
	struct exec_bits a = bits_or(bits_left(machine->word[SPARC_Y], 32),
	                             bits_zero_extend(machine->word[op->rs1], 32));
	bool is_signed = op->extra & SIGNED, overflows;
	struct exec_bits result = is_signed ? bits_unknown() : bits_zero_extend(bits_unknown(), 32);
	struct exec_bits overflow = {0, ~(UINT64_C(1) << 31)};
	if (divides_by_zero(machine, b))
		return;
	if (bits_both(a, b)) {
		result = bits_known(quotient(a.value, b.value, is_signed, &overflows));
		overflow = bits_known((uint64_t)overflows << 31);
	}
	if (op->extra & CC)
		sparc_put_ccr(machine, both_codes(result, overflow, bits_known(0)));
	sparc_put(machine, op->rd, result);
}

/* One step of a product. What comes out above 32 bits is undefined, and so is xcc. */
static void run_mulscc(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits codes = machine->word[SPARC_CCR], y = machine->word[SPARC_Y];
	struct exec_bits from = bits_zero_extend(machine->word[op->rs1], 32);
	struct exec_bits sign = bits_xor(sparc_bit(codes, 3), sparc_bit(codes, 1));
	struct exec_bits a = bits_or(bits_right(from, 1), bits_left(sign, 31));
	struct exec_bits b = bits_zero_extend(sparc_second(machine, op), 32);
	b = bits_choose(sparc_bit(y, 0), b, bits_known(0));
	struct sum sum = sum_of(a, b, bits_truth(false, true));
	struct exec_bits icc = codes_at(sum.result, sum.overflow, sum.carry, 31);
	icc.known &= 0xf | ~UINT64_C(0xff);
	sum.result.known &= UINT32_MAX;
	sum.result.value &= UINT32_MAX;
	y = bits_or(bits_right(y, 1), bits_left(sparc_bit(from, 0), 31));
	sparc_put_state(machine, SPARC_Y, 0, y);
	sparc_put_ccr(machine, icc);
	sparc_put(machine, op->rd, sum.result);
}

static void run_popc(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_second(machine, op);
	uint64_t n = (uint64_t)__builtin_popcountll(a.value);
	sparc_put(machine, op->rd, bits_all(a) ? bits_known(n) : (struct exec_bits){0, ~UINT64_C(127)});
}

/* ---- moves on a condition ---- */

static void form_movcc(struct exec_op *op)
{
	uint32_t e = op->enc;
	if (isa_sparc_has_constant(e))
		sparc_constant(op, 11);
	op->extra = e >> 14 & 15;
	op->width = (uint8_t)(e >> 11 & 3) | (e >> 18 & 1 ? SPARC_ICC : 0);
}

static void form_movr(struct exec_op *op)
{
	if (isa_sparc_has_constant(op->enc))
		sparc_constant(op, 10);
	op->extra = op->enc >> 10 & 7;
}

static void put_if(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits truth)
{
	struct exec_bits before = op->rd == EXEC_NOWHERE ? bits_known(0) : machine->word[op->rd];
	sparc_put(machine, op->rd, bits_choose(truth, sparc_second(machine, op), before));
}

static void run_movcc(struct cairn_machine *machine, const struct exec_op *op)
{
	put_if(machine, op, sparc_condition(machine, op->width, op->extra));
}

static void run_movr(struct cairn_machine *machine, const struct exec_op *op)
{
	put_if(machine, op, sparc_register_condition(machine->word[op->rs1], op->extra));
}

/* ---- windows ---- */

static void run_save(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sum = bits_add(machine->word[op->rs1], sparc_second(machine, op));
	if (sparc_save_window(machine))
		sparc_put(machine, op->rd, sum);
}

static void run_restore(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sum = bits_add(machine->word[op->rs1], sparc_second(machine, op));
	if (sparc_restore_window(machine))
		sparc_put(machine, op->rd, sum);
}

/* From now on the other windows come from memory. */
static void run_flushw(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits others =
		bits_or(machine->word[SPARC_CANRESTORE], machine->word[SPARC_OTHERWIN]);
	(void)op;
	if (others.value)
		exec_stop(machine, CAIRN_STEP_TRAP, "a window has to be spilled");
	else
		sparc_forget_frames(machine);
}

/* ---- ancillary state ---- */

enum { Y = 0, CODES = 2, ASI = 3, PC = 5, FPRS = 6, GSR = 19 };

static void run_rd(struct cairn_machine *machine, const struct exec_op *op)
{
	static const uint16_t words[32] = {[Y] = SPARC_Y,
	                                   [CODES] = SPARC_CCR,
	                                   [ASI] = SPARC_ASI,
	                                   [FPRS] = SPARC_FPRS,
	                                   [GSR] = SPARC_GSR};
	unsigned number = op->enc >> 14 & 31;
	struct exec_bits bits = bits_unknown();
	if (number == PC)
		bits = bits_known(machine->pc);
	else if (words[number])
		bits = machine->word[words[number]];
	else
		exec_undetermined(machine, "this register is not modelled");
	sparc_put(machine, op->rd, bits);
}

/* GSR has scale and align; with VIS 2 a mask above and a rounding mode, else 0 there. */
static struct exec_bits gsr_written(struct exec_bits bits)
{
	bits.known &= UINT64_C(0xff) | ~bits.value;
	bits.value &= bits.known;
	return bits;
}

static void run_wr(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits bits = bits_xor(machine->word[op->rs1], sparc_second(machine, op));
	switch (op->enc >> 25 & 31) {
	case Y:
		sparc_put_state(machine, SPARC_Y, 0, bits_zero_extend(bits, 32));
		break;
	case CODES:
		sparc_put_ccr(machine, bits_zero_extend(bits, 8));
		break;
	case ASI:
		sparc_put_state(machine, SPARC_ASI, 3, bits_zero_extend(bits, 8));
		break;
	case FPRS:
		sparc_put_state(machine, SPARC_FPRS, 6, bits_zero_extend(bits, 3));
		break;
	case GSR:
		sparc_put_state(machine, SPARC_GSR, 9, gsr_written(bits));
		break;
	default:
		exec_undetermined(machine, "this register is not modelled");
		break;
	}
}

static void form_sethi(struct exec_op *op)
{
	op->imm = (int64_t)(op->enc & 0x3fffff) << 10;
}

static void form_shift(struct exec_op *op)
{
	op->imm = op->enc & 63;
	op->extra = op->enc >> 12 & 1 ? WIDE : 0;
}

/* ---- the table: by op3 ---- */

#define BOTH(op3, run) [op3] = {run_##run, NULL, 0, 0}, [(op3) | 0x10] = {run_##run, NULL, 0, CC}
#define BOTH_SIGNED(op3, run) \
	[op3] = {run_##run, NULL, 0, SIGNED}, [(op3) | 0x10] = {run_##run, NULL, 0, SIGNED | CC}
#define ONE(op3, run, form, extra) [op3] = {run_##run, form, 0, extra}

static const struct sparc_row rows[64] = {
	BOTH(0x00, add),
	BOTH(0x01, and),
	BOTH(0x02, or),
	BOTH(0x03, xor),
	BOTH(0x04, sub),
	BOTH(0x05, andn),
	BOTH(0x06, orn),
	BOTH(0x07, xnor),
	BOTH(0x08, addc),
	BOTH(0x0a, mul),
	BOTH_SIGNED(0x0b, mul),
	BOTH(0x0c, subc),
	BOTH(0x0e, div),
	BOTH_SIGNED(0x0f, div),
	ONE(0x09, mulx, NULL, 0),
	ONE(0x0d, divx, NULL, 0),
	ONE(0x2d, divx, NULL, SIGNED),
	ONE(0x20, tagged, NULL, 0),
	ONE(0x21, tagged, NULL, SUBTRACT),
	ONE(0x22, tagged, NULL, TRAPS),
	ONE(0x23, tagged, NULL, TRAPS | SUBTRACT),
	ONE(0x24, mulscc, NULL, 0),
	ONE(0x25, sll, form_shift, 0),
	ONE(0x26, srl, form_shift, 0),
	ONE(0x27, sra, form_shift, 0),
	ONE(0x28, rd, NULL, 0),
	ONE(0x2b, flushw, NULL, 0),
	ONE(0x2c, movcc, form_movcc, 0),
	ONE(0x2e, popc, NULL, 0),
	ONE(0x2f, movr, form_movr, 0),
	ONE(0x30, wr, NULL, 0),
	ONE(0x3c, save, NULL, 0),
	ONE(0x3d, restore, NULL, 0),
};

const struct sparc_row *sparc_integer_row(uint32_t enc)
{
	static const struct sparc_row sethi = {run_sethi, form_sethi, 0, 0};
	static const struct sparc_row addxc = {run_addc, NULL, 0, WIDE_CARRY};
	static const struct sparc_row addxccc = {run_addc, NULL, 0, WIDE_CARRY | CC};
	if (enc >> 30 == 0 && (enc >> 22 & 7) == 4)
		return &sethi;
	if (enc >> 30 != 2)
		return NULL;
	unsigned op3 = isa_sparc_op3(enc), rs1 = enc >> 14 & 31, rd = enc >> 25 & 31;
	if (op3 == 0x36) /* VIS 3 */
		return (enc >> 5 & 511) == 0x11 ? &addxc : (enc >> 5 & 511) == 0x13 ? &addxccc : NULL;
	bool barrier = op3 == 0x28 && rs1 == 15 && rd == 0; /* membar, stbar */
	bool reset = op3 == 0x30 && rd == 15 && rs1 == 0 && isa_sparc_has_constant(enc);
	return rows[op3].run && !barrier && !reset ? &rows[op3] : NULL;
}
