/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: integers in vectors, element by element, and the scalars of the same instructions.
 *
 * A function arm64_value_NAME says what an instruction makes of one element of each operand, which it
 * gets extended to 64 bits, signed or not as the instruction takes them; of what it gives the
 * lowest bits count. Source: Arm Architecture Reference Manual for A-profile, C7.2.
 */
#include "exec/arm64_lane.h"
#include "exec/wide.h"

static void note_saturation(struct cairn_machine *machine, const struct arm64_lane *lane)
{
	const uint64_t qc = UINT64_C(1) << 27;
	struct exec_bits raised = {lane->saturated ? qc : 0,
	                           lane->saturated || !lane->perhaps ? UINT64_MAX : ~qc};
	if (lane->saturated || lane->perhaps)
		exec_put(machine, ARM64_FPSR, CAIRN_REG_CSR, ISA_ARM64_FPSR,
		         bits_or(machine->word[ARM64_FPSR], raised));
}

enum { FIRST = 1, SECOND = 2, THIRD = 4 }; /* operands; the third is the destination */

static inline __attribute__((always_inline)) void elements(struct cairn_machine *machine,
                                                           const struct exec_op *op,
                                                           unsigned operands, arm64_element *value)
{
	unsigned width = op->width, shape = op->extra & SHAPE, n = arm64_elements(op);
	unsigned first = shape == LONG ? width / 2 : shape == NARROW ? 2 * width : width;
	unsigned second = shape == WIDE ? width / 2 : first;
	bool upper = op->enc >> 30 & 1 && !(op->enc >> 28 & 1);
	unsigned skip = upper && (shape == LONG || shape == WIDE) ? n : 0;
	struct arm64_lane lane = {.op = op,
	                          .bits = 8 * width,
	                          .from = 8 * first,
	                          .is_unsigned = !(op->extra & SIGNED) && op->enc >> 29 & 1};
	struct exec_bits to[2] = {bits_known(0), bits_known(0)}, a = to[0], b = to[0], c = to[0];
	if (shape == NARROW && upper)
		to[0] = machine->word[op->rd];
	for (unsigned i = 0; i < n; i++) {
		unsigned at = shape == LONG ? skip + i : i;
		unsigned other = op->imm & ARM64_INDEXED ? arm64_second_lane(op, i) : skip + i;
		if (operands & FIRST)
			a = arm64_lane_extended(&lane, arm64_lane(machine, op->rs1, first, at), 8 * first);
		if (operands & SECOND)
			b = arm64_lane_extended(&lane, arm64_lane(machine, op->rs2, second, other), 8 * second);
		if (operands & THIRD)
			c = arm64_lane_extended(&lane, arm64_lane(machine, op->rs3, width, i), 8 * width);
		arm64_set_lane(to, width, shape == NARROW && upper ? n + i : i, value(&lane, a, b, c));
	}
	arm64_put_vector(machine, op->rd, to);
	note_saturation(machine, &lane);
}

#define SHARED(name) \
	inline struct exec_bits arm64_value_##name(struct arm64_lane *lane, struct exec_bits a, \
	                                           struct exec_bits b, struct exec_bits c)
#define VALUE(name) static SHARED(name)
#define UNUSED(x) (void)(x)
#define ELEMENTS(name, operands) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		elements(machine, op, operands, arm64_value_##name); \
	}

/* What only follows when all bits are known. */
#define NEEDS(condition) \
	if (!(condition)) \
	return bits_unknown()
#define NEEDS_TO_SATURATE(condition) \
	if (!(condition)) { \
		lane->perhaps = true; \
		return bits_unknown(); \
	}

/* ---- saturation ---- */

static uint64_t greatest(const struct arm64_lane *lane, bool is_unsigned)
{
	return UINT64_MAX >> (64 - lane->bits + !is_unsigned);
}

static struct exec_bits clamped(struct arm64_lane *lane, uint64_t to)
{
	lane->saturated = true;
	return bits_known(to);
}

/* The nearest number that has room. */
static struct exec_bits saturate_signed(struct arm64_lane *lane, int64_t value, bool to_unsigned)
{
	uint64_t most = greatest(lane, to_unsigned);
	int64_t least = to_unsigned ? 0 : -(int64_t)most - 1;
	if (value < least)
		return clamped(lane, (uint64_t)least);
	if (value > 0 && (uint64_t)value > most)
		return clamped(lane, most);
	return bits_known((uint64_t)value);
}

static struct exec_bits saturate_unsigned(struct arm64_lane *lane, uint64_t value)
{
	uint64_t most = greatest(lane, true);
	return value > most ? clamped(lane, most) : bits_known(value);
}

/* a + b or a - b of numbers that may have 64 bits. */
static struct exec_bits saturated_sum(struct arm64_lane *lane, uint64_t a, uint64_t b,
                                      bool subtract)
{
	int64_t sum;
	uint64_t plain = subtract ? a - b : a + b;
	if (lane->is_unsigned) {
		if (subtract && a < b)
			return clamped(lane, 0);
		if (!subtract && plain < a)
			return clamped(lane, greatest(lane, true));
		return saturate_unsigned(lane, plain);
	}
	bool over = subtract ? __builtin_sub_overflow((int64_t)a, (int64_t)b, &sum)
	                     : __builtin_add_overflow((int64_t)a, (int64_t)b, &sum);
	if (over)
		return clamped(lane, (int64_t)a < 0 ? greatest(lane, false) + 1 : greatest(lane, false));
	return saturate_signed(lane, sum, false);
}

/* ---- sums ---- */

static struct exec_bits sum(const struct arm64_lane *lane, struct exec_bits a, struct exec_bits b)
{
	return lane->op->extra & SUBTRACT ? bits_sub(a, b) : bits_add(a, b);
}

static struct exec_bits half_of_64(const struct arm64_lane *lane, struct exec_bits a,
                                   struct exec_bits b)
{
	unsigned extra = lane->op->extra;
	struct exec_bits unlike = bits_xor(a, b);
	unlike = lane->is_unsigned ? bits_right(unlike, 1) : bits_right_signed(unlike, 1);
	if (extra & SUBTRACT)
		return bits_sub(unlike, bits_and(bits_not(a), b));
	return extra & ROUND ? bits_sub(bits_or(a, b), unlike) : bits_add(bits_and(a, b), unlike);
}

SHARED(sum)
{
	UNUSED(c);
	return sum(lane, a, b);
}
/* Half of it, of which a sum of 64 bits has no room for the whole. */
SHARED(half)
{
	UNUSED(c);
	if (lane->bits == 64)
		return half_of_64(lane, a, b);
	if (lane->op->extra & ROUND)
		return bits_right_signed(bits_add_carry(a, b, true), 1);
	return bits_right_signed(sum(lane, a, b), 1);
}
SHARED(saturated_sum)
{
	UNUSED(c);
	NEEDS_TO_SATURATE(bits_both(a, b));
	return saturated_sum(lane, a.value, b.value, lane->op->extra & SUBTRACT);
}
/* The upper half of it. */
SHARED(high)
{
	UNUSED(c);
	struct exec_bits made = sum(lane, a, b);
	if (lane->op->extra & ROUND)
		made = bits_add(made, bits_known(UINT64_C(1) << (lane->bits - 1)));
	return bits_right(made, lane->bits);
}
/* suqadd, usqadd: what is added has the other sign. */
SHARED(other_sum)
{
	UNUSED(b);
	NEEDS_TO_SATURATE(bits_both(a, c));
	if (lane->is_unsigned) {
		int64_t n = (int64_t)(a.value << (64 - lane->bits)) >> (64 - lane->bits);
		return saturated_sum(lane, c.value, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, n < 0);
	}
	uint64_t n = bits_zero_extend(a, lane->bits).value, most = greatest(lane, false);
	uint64_t below = (int64_t)c.value < 0 ? 0 - c.value : 0;
	bool over = below ? n >= below && n - below > most : n > most - c.value;
	return over ? clamped(lane, most) : bits_known(c.value + n);
}

static struct exec_bits less(const struct arm64_lane *lane, struct exec_bits a, struct exec_bits b)
{
	return lane->is_unsigned ? bits_less(a, b) : bits_less_signed(a, b);
}

SHARED(max)
{
	UNUSED(c);
	return bits_choose(less(lane, a, b), b, a);
}
SHARED(min)
{
	UNUSED(c);
	return bits_choose(less(lane, a, b), a, b);
}
SHARED(difference)
{
	struct exec_bits made = bits_choose(less(lane, a, b), bits_sub(b, a), bits_sub(a, b));
	return lane->op->extra & ACCUMULATE ? bits_add(c, made) : made;
}
SHARED(abs)
{
	UNUSED(b);
	UNUSED(c);
	struct exec_bits negative = bits_right(a, 63);
	if (lane->op->extra & SATURATE) {
		NEEDS_TO_SATURATE(bits_all(a));
		return (int64_t)a.value < 0 ? saturated_sum(lane, 0, a.value, true) : a;
	}
	return bits_choose(negative, bits_sub(bits_known(0), a), a);
}
SHARED(neg)
{
	UNUSED(b);
	UNUSED(c);
	if (!(lane->op->extra & SATURATE))
		return bits_sub(bits_known(0), a);
	NEEDS_TO_SATURATE(bits_all(a));
	return saturated_sum(lane, 0, a.value, true);
}

/* ---- comparisons that make a mask ---- */

static struct exec_bits mask_of(struct exec_bits truth)
{
	return bits_sub(bits_known(0), truth);
}

VALUE(greater)
{
	UNUSED(c);
	return mask_of(less(lane, b, a));
}
VALUE(not_less)
{
	UNUSED(c);
	return bits_not(mask_of(less(lane, a, b)));
}
VALUE(equal)
{
	UNUSED(c);
	UNUSED(lane);
	return mask_of(bits_equal(a, b));
}
VALUE(test)
{
	UNUSED(c);
	UNUSED(lane);
	return bits_not(mask_of(bits_equal(bits_and(a, b), bits_known(0))));
}
/* With zero, which `b` is. */
VALUE(below)
{
	return arm64_value_greater(lane, b, a, c);
}
VALUE(not_above)
{
	return arm64_value_not_less(lane, b, a, c);
}

/* ---- logic ---- */

VALUE(and)
{
	UNUSED(lane);
	UNUSED(c);
	return bits_and(a, b);
}
VALUE(bic)
{
	UNUSED(lane);
	UNUSED(c);
	return bits_and(a, bits_not(b));
}
VALUE(orr)
{
	UNUSED(lane);
	UNUSED(c);
	return bits_or(a, b);
}
VALUE(orn)
{
	UNUSED(lane);
	UNUSED(c);
	return bits_or(a, bits_not(b));
}
VALUE(eor)
{
	UNUSED(lane);
	UNUSED(c);
	return bits_xor(a, b);
}

VALUE(bsl)
{
	UNUSED(lane);
	return bits_merge(c, a, b);
}
VALUE(bit)
{
	UNUSED(lane);
	return bits_merge(b, a, c);
}
VALUE(bif)
{
	UNUSED(lane);
	return bits_merge(b, c, a);
}

/* ---- products ---- */

SHARED(mul)
{
	struct exec_bits product = bits_multiply(a, b);
	if (!(lane->op->extra & ACCUMULATE))
		return product;
	return lane->op->extra & SUBTRACT ? bits_sub(c, product) : bits_add(c, product);
}

/* Without carries. */
SHARED(pmul)
{
	UNUSED(c);
	NEEDS(bits_both(a, b));
	uint64_t mask = UINT64_MAX >> (64 - lane->from);
	return bits_known(wide_carryless(a.value & mask, b.value & mask).low);
}

/* The upper half of the doubled product, with what is added above it. */
SHARED(doubled_high)
{
	bool added = lane->op->extra & ACCUMULATE;
	unsigned places = lane->bits - 1;
	NEEDS_TO_SATURATE(bits_both(a, b) && (!added || bits_all(c)));
	struct wide product = {wide_signed_high(a.value, b.value), a.value * b.value};
	struct wide half = {0, lane->op->extra & ROUND ? UINT64_C(1) << (places - 1) : 0};
	struct wide above = {0, 0};
	if (added)
		above = wide_left((struct wide){(int64_t)c.value < 0 ? UINT64_MAX : 0, c.value}, places);
	product = lane->op->extra & SUBTRACT ? wide_sub(above, product) : wide_add(above, product);
	product = wide_add(product, half);
	if ((product.high ^ product.high << 1) >> 63) /* of 64 bits only */
		return clamped(lane, greatest(lane, false) + (product.high >> 63));
	product = wide_right(product, places);
	return saturate_signed(lane, (int64_t)product.low, false);
}

/* The doubled product, added to twice as wide an element; either may saturate. */
SHARED(doubled)
{
	NEEDS_TO_SATURATE(bits_both(a, b) && (!(lane->op->extra & ACCUMULATE) || bits_all(c)));
	int64_t product = (int64_t)a.value * (int64_t)b.value;
	struct exec_bits twice = saturated_sum(lane, (uint64_t)product, (uint64_t)product, false);
	if (!(lane->op->extra & ACCUMULATE))
		return twice;
	return saturated_sum(lane, c.value, twice.value, lane->op->extra & SUBTRACT);
}

/* ---- shifts ---- */

/* Right by any number of places; half of what is lost is added where it is rounded. */
static struct exec_bits shifted_right(struct exec_bits a, unsigned n, bool is_unsigned, bool round)
{
	struct exec_bits kept =
		is_unsigned ? bits_right(a, n < 64 ? n : 63) : bits_right_signed(a, n < 64 ? n : 63);
	if (n > 63 && is_unsigned)
		kept = bits_known(0);
	if (!round || !n)
		return kept;
	if (n > 64)
		return bits_known(0);
	return bits_add(kept, bits_and(bits_right(a, n - 1), bits_known(1)));
}

/* Left, saturating; all bits of `a` are known. */
static struct exec_bits saturated_left(struct arm64_lane *lane, struct exec_bits a, unsigned n)
{
	bool to_unsigned = lane->is_unsigned || lane->op->extra & TO_UNSIGNED;
	uint64_t most = greatest(lane, to_unsigned);
	if (!a.value)
		return a;
	if (!lane->is_unsigned && (int64_t)a.value < 0) {
		uint64_t least = to_unsigned ? 0 : 0 - most - 1;
		bool fits = !to_unsigned && n < lane->bits && (int64_t)a.value >= (int64_t)least >> n;
		return fits ? bits_known(a.value << n) : clamped(lane, least);
	}
	bool fits = n < lane->bits && a.value <= most >> n;
	return fits ? bits_known(a.value << n) : clamped(lane, most);
}

/* By a register: the lowest byte of `b` says how far, to the right where it is negative. */
SHARED(shift_by_register)
{
	struct exec_bits by = bits_sign_extend(b, 8);
	bool saturates = lane->op->extra & SATURATE, round = lane->op->extra & ROUND;
	UNUSED(c);
	if (saturates)
		NEEDS_TO_SATURATE(bits_all(by) && bits_all(a));
	NEEDS(bits_all(by));
	int64_t n = (int64_t)by.value;
	if (n >= 0 && saturates)
		return saturated_left(lane, a, (unsigned)n);
	if (n >= 0)
		return n < (int64_t)lane->bits ? bits_left(a, (unsigned)n) : bits_known(0);
	/* Nothing is left of a rounded element that is shifted beyond its width. */
	if (round && -n > (int64_t)lane->bits)
		return bits_known(0);
	return shifted_right(a, (unsigned)-n, lane->is_unsigned, round);
}

/* The same, where the whole element says how far. */
SHARED(shift_by_element)
{
	int64_t most = (int64_t)lane->bits + 1;
	b = bits_sign_extend(b, lane->bits);
	if (bits_all(b) && (int64_t)b.value > most)
		b = bits_known((uint64_t)most);
	else if (bits_all(b) && (int64_t)b.value < -most)
		b = bits_known(0 - (uint64_t)most);
	else if (!bits_all(b))
		b = bits_unknown();
	return arm64_value_shift_by_register(lane, a, b, c);
}

/* By a constant, which `rs2` is. */
SHARED(right)
{
	UNUSED(b);
	struct exec_bits made =
		shifted_right(a, lane->op->rs2, lane->is_unsigned, lane->op->extra & ROUND);
	return lane->op->extra & ACCUMULATE ? bits_add(c, made) : made;
}
SHARED(left)
{
	UNUSED(b);
	UNUSED(c);
	if (!(lane->op->extra & SATURATE))
		return bits_left(a, lane->op->rs2);
	NEEDS_TO_SATURATE(bits_all(a));
	return saturated_left(lane, a, lane->op->rs2);
}
SHARED(insert_right)
{
	UNUSED(b);
	unsigned n = lane->op->rs2;
	uint64_t ones = UINT64_MAX >> (64 - lane->bits), mask = n < 64 ? ones >> n : 0;
	a = bits_zero_extend(a, lane->bits);
	struct exec_bits field = n < 64 ? bits_right(a, n) : bits_known(0);
	return bits_or(bits_and(c, bits_known(~mask)), field);
}
SHARED(insert_left)
{
	UNUSED(b);
	unsigned n = lane->op->rs2;
	return bits_or(bits_and(c, bits_known(~(UINT64_MAX << n))), bits_left(a, n));
}
/* To half of the width. */
SHARED(narrow)
{
	UNUSED(b);
	UNUSED(c);
	unsigned n = lane->op->rs2;
	bool to_unsigned = lane->op->extra & TO_UNSIGNED;
	struct exec_bits made = shifted_right(a, n, lane->is_unsigned, lane->op->extra & ROUND);
	if (!(lane->op->extra & SATURATE))
		return made;
	NEEDS_TO_SATURATE(bits_all(made));
	return lane->is_unsigned ? saturate_unsigned(lane, made.value)
	                         : saturate_signed(lane, (int64_t)made.value, to_unsigned);
}

/* ---- bits ---- */

VALUE(clz)
{
	UNUSED(b);
	UNUSED(c);
	struct exec_bits n = bits_leading_zeros(bits_zero_extend(a, lane->bits));
	return bits_sub(n, bits_known(64 - lane->bits));
}
VALUE(cls)
{
	UNUSED(b);
	UNUSED(c);
	a = bits_left(a, 64 - lane->bits);
	struct exec_bits changes = bits_left(bits_xor(a, bits_right_signed(a, 1)), 1);
	return bits_leading_zeros(bits_or(changes, bits_known(UINT64_C(1) << (64 - lane->bits))));
}
VALUE(cnt)
{
	UNUSED(lane);
	UNUSED(b);
	UNUSED(c);
	NEEDS(bits_all(a));
	return bits_known((uint64_t)__builtin_popcountll(a.value & 0xff));
}
VALUE(not )
{
	UNUSED(lane);
	UNUSED(b);
	UNUSED(c);
	return bits_not(a);
}
VALUE(rbit)
{
	UNUSED(lane);
	UNUSED(b);
	UNUSED(c);
	return bits_reverse_in_bytes(a);
}

ELEMENTS(sum, FIRST | SECOND)
ELEMENTS(half, FIRST | SECOND)
ELEMENTS(saturated_sum, FIRST | SECOND)
ELEMENTS(high, FIRST | SECOND)
ELEMENTS(other_sum, FIRST | THIRD)
ELEMENTS(max, FIRST | SECOND)
ELEMENTS(min, FIRST | SECOND)
ELEMENTS(difference, FIRST | SECOND | THIRD)
ELEMENTS(abs, FIRST)
ELEMENTS(neg, FIRST)
ELEMENTS(greater, FIRST | SECOND)
ELEMENTS(not_less, FIRST | SECOND)
ELEMENTS(equal, FIRST | SECOND)
ELEMENTS(test, FIRST | SECOND)
static void run_greater_zero(struct cairn_machine *machine, const struct exec_op *op)
{
	elements(machine, op, FIRST, arm64_value_greater);
}
static void run_not_less_zero(struct cairn_machine *machine, const struct exec_op *op)
{
	elements(machine, op, FIRST, arm64_value_not_less);
}
static void run_equal_zero(struct cairn_machine *machine, const struct exec_op *op)
{
	elements(machine, op, FIRST, arm64_value_equal);
}
ELEMENTS(below, FIRST)
ELEMENTS(not_above, FIRST)
ELEMENTS(and, FIRST | SECOND)
ELEMENTS(bic, FIRST | SECOND)
ELEMENTS(orr, FIRST | SECOND)
ELEMENTS(orn, FIRST | SECOND)
ELEMENTS(eor, FIRST | SECOND)
ELEMENTS(bsl, FIRST | SECOND | THIRD)
ELEMENTS(bit, FIRST | SECOND | THIRD)
ELEMENTS(bif, FIRST | SECOND | THIRD)
ELEMENTS(mul, FIRST | SECOND | THIRD)
ELEMENTS(pmul, FIRST | SECOND)
ELEMENTS(doubled_high, FIRST | SECOND | THIRD)
ELEMENTS(doubled, FIRST | SECOND | THIRD)
ELEMENTS(shift_by_register, FIRST | SECOND)
ELEMENTS(right, FIRST | THIRD)
ELEMENTS(left, FIRST)
ELEMENTS(insert_right, FIRST | THIRD)
ELEMENTS(insert_left, FIRST | THIRD)
ELEMENTS(narrow, FIRST)
ELEMENTS(clz, FIRST)
ELEMENTS(cls, FIRST)
ELEMENTS(cnt, FIRST)
ELEMENTS(not, FIRST)
ELEMENTS(rbit, FIRST)

/* ---- operands ---- */

/* How many elements there are, `width` bytes each in the result. */
static void count_elements(struct exec_op *op)
{
	unsigned shape = op->extra & SHAPE;
	bool whole = op->enc >> 30 & 1;
	unsigned bytes = shape == SAME ? (whole ? 16 : 8) : shape == NARROW ? 8 : 16;
	op->imm = op->enc >> 28 & 1 ? 1 : bytes / op->width;
}

/* Bits 23 and 22 say how wide elements are: the narrower ones where there are two widths. */
static void form_size(struct exec_op *op)
{
	unsigned shape = op->extra & SHAPE;
	arm64_form_registers(op);
	op->width = (uint8_t)(1u << (arm64_field(op, 23, 22) + (shape == LONG || shape == WIDE)));
	count_elements(op);
	if (shape == NARROW && !(op->enc >> 10 & 1) && arm64_field(op, 21, 17) == 16)
		op->rs2 = 0; /* of two registers: nothing is shifted */
}

/* Logic has no elements. */
static void form_logic(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = 8;
	count_elements(op);
}

static void form_bytes(struct exec_op *op)
{
	arm64_form_registers(op);
	op->width = 1;
	count_elements(op);
}

/* The second operand is one element: of halfwords H:L:M of v0 to v15, of words H:L. */
static void form_by_element(struct exec_op *op)
{
	unsigned size = arm64_field(op, 23, 22), h = arm64_field(op, 11, 11);
	unsigned l = arm64_field(op, 21, 21), m = arm64_field(op, 20, 20);
	form_size(op);
	if (size == 1)
		op->rs2 = (uint16_t)(ARM64_V + ARM64_VECTOR * arm64_field(op, 19, 16));
	unsigned index = size == 1 ? h << 2 | l << 1 | m : h << 1 | l;
	op->imm |= ARM64_INDEXED | (int64_t)index << ARM64_INDEX_SHIFT;
}

/* The position of the topmost one of immh says how wide elements are, the narrower ones where there
 * are two widths; the rest how far they are shifted. Where there is none a constant is moved. */
static void form_places(struct exec_op *op, bool left)
{
	unsigned imm = arm64_field(op, 22, 16), shape = op->extra & SHAPE;
	arm64_form_registers(op);
	if (imm < 8) {
		op->run = NULL;
		return;
	}
	unsigned bits = 8u << (28 - __builtin_clz(imm));
	op->width = (uint8_t)(bits / 8 * (shape == LONG ? 2 : 1));
	op->rs2 = (uint16_t)(left ? imm - bits : 2 * bits - imm);
	count_elements(op);
}

static void form_right(struct exec_op *op)
{
	form_places(op, false);
}

static void form_left(struct exec_op *op)
{
	form_places(op, true);
}

/* shll: by as many places as elements have bits. */
static void form_whole_left(struct exec_op *op)
{
	form_size(op);
	op->rs2 = (uint16_t)(4 * op->width);
}

/* ---- the table ---- */

#define ROW(mask, match, form, run, extra) \
	{ \
		mask, match, form, {run_##run, run_##run}, 0, extra \
	}
#define U(u) (uint32_t)(u) << 29
/* "Three same", of vectors and scalars; of logic by size. */
#define THREE(u, opcode, run, extra) \
	ROW(0xaf20fc00, 0x0e200400 | U(u) | (opcode) << 11, form_size, run, extra)
#define BOTH(opcode, run, extra) ROW(0x8f20fc00, 0x0e200400 | (opcode) << 11, form_size, run, extra)
#define LOGIC(u, size, run) \
	ROW(0xbfe0fc00, 0x0e201c00 | U(u) | (uint32_t)(size) << 22, form_logic, run, SIGNED)
/* "Two registers, miscellaneous". */
#define TWO(u, opcode, form, run, extra) \
	ROW(0xaf3ffc00, 0x0e200800 | U(u) | (opcode) << 12, form, run, extra)
/* "Three different", and by one element of the second. */
#define DIFFERENT(opcode, run, extra) \
	ROW(0x8f20fc00, 0x0e200000 | (opcode) << 12, form_size, run, extra)
#define BY_ELEMENT(u, opcode, run, extra) \
	ROW(0xaf00f400, 0x0f000000 | U(u) | (opcode) << 12, form_by_element, run, extra)
/* "Shift by immediate". */
#define SHIFT(u, opcode, form, run, extra) \
	ROW(0xaf80fc00, 0x0f000400 | U(u) | (opcode) << 11, form, run, extra)

const struct arm64_row arm64_vector_rows[] = {
	BOTH(0x00, half, 0),
	BOTH(0x01, saturated_sum, 0),
	BOTH(0x02, half, ROUND),
	BOTH(0x04, half, SUBTRACT),
	BOTH(0x05, saturated_sum, SUBTRACT),
	BOTH(0x06, greater, 0),
	BOTH(0x07, not_less, 0),
	BOTH(0x08, shift_by_register, 0),
	BOTH(0x09, shift_by_register, SATURATE),
	BOTH(0x0a, shift_by_register, ROUND),
	BOTH(0x0b, shift_by_register, ROUND | SATURATE),
	BOTH(0x0c, max, 0),
	BOTH(0x0d, min, 0),
	BOTH(0x0e, difference, 0),
	BOTH(0x0f, difference, ACCUMULATE),
	THREE(0, 0x10, sum, 0),
	THREE(1, 0x10, sum, SUBTRACT),
	THREE(0, 0x11, test, 0),
	THREE(1, 0x11, equal, 0),
	THREE(0, 0x12, mul, ACCUMULATE),
	THREE(1, 0x12, mul, ACCUMULATE | SUBTRACT),
	THREE(0, 0x13, mul, 0),
	THREE(1, 0x13, pmul, 0),
	THREE(0, 0x16, doubled_high, SIGNED),
	THREE(1, 0x16, doubled_high, SIGNED | ROUND),
	/* FEAT_RDM */
	ROW(0xaf20fc00, 0x2e008400, form_size, doubled_high, SIGNED | ROUND | ACCUMULATE),
	ROW(0xaf20fc00, 0x2e008c00, form_size, doubled_high, SIGNED | ROUND | ACCUMULATE | SUBTRACT),
	LOGIC(0, 0, and),
	LOGIC(0, 1, bic),
	LOGIC(0, 2, orr),
	LOGIC(0, 3, orn),
	LOGIC(1, 0, eor),
	LOGIC(1, 1, bsl),
	LOGIC(1, 2, bit),
	LOGIC(1, 3, bif),
	/* two registers */
	TWO(0, 0x03, form_size, other_sum, 0),
	TWO(1, 0x03, form_size, other_sum, 0),
	TWO(0, 0x04, form_size, cls, 0),
	TWO(1, 0x04, form_size, clz, 0),
	TWO(0, 0x05, form_size, cnt, 0),
	ROW(0xbffffc00, 0x2e205800, form_bytes, not, 0),
	ROW(0xbffffc00, 0x2e605800, form_bytes, rbit, 0),
	TWO(0, 0x07, form_size, abs, SATURATE),
	TWO(1, 0x07, form_size, neg, SIGNED | SATURATE),
	TWO(0, 0x08, form_size, greater_zero, 0),
	TWO(1, 0x08, form_size, not_less_zero, SIGNED),
	TWO(0, 0x09, form_size, equal_zero, 0),
	TWO(1, 0x09, form_size, not_above, SIGNED),
	TWO(0, 0x0a, form_size, below, 0),
	TWO(0, 0x0b, form_size, abs, 0),
	TWO(1, 0x0b, form_size, neg, SIGNED),
	TWO(0, 0x12, form_size, narrow, NARROW),
	TWO(1, 0x12, form_size, narrow, NARROW | SIGNED | SATURATE | TO_UNSIGNED),
	TWO(1, 0x13, form_whole_left, left, LONG),
	TWO(0, 0x14, form_size, narrow, NARROW | SATURATE),
	TWO(1, 0x14, form_size, narrow, NARROW | SATURATE),
	/* two widths */
	DIFFERENT(0x0, sum, LONG),
	DIFFERENT(0x1, sum, WIDE),
	DIFFERENT(0x2, sum, LONG | SUBTRACT),
	DIFFERENT(0x3, sum, WIDE | SUBTRACT),
	ROW(0xaf20fc00, 0x0e204000, form_size, high, NARROW),
	ROW(0xaf20fc00, 0x2e204000, form_size, high, NARROW | ROUND),
	DIFFERENT(0x5, difference, LONG | ACCUMULATE),
	ROW(0xaf20fc00, 0x0e206000, form_size, high, NARROW | SUBTRACT),
	ROW(0xaf20fc00, 0x2e206000, form_size, high, NARROW | SUBTRACT | ROUND),
	DIFFERENT(0x7, difference, LONG),
	DIFFERENT(0x8, mul, LONG | ACCUMULATE),
	DIFFERENT(0x9, doubled, LONG | ACCUMULATE),
	DIFFERENT(0xa, mul, LONG | ACCUMULATE | SUBTRACT),
	DIFFERENT(0xb, doubled, LONG | ACCUMULATE | SUBTRACT),
	DIFFERENT(0xc, mul, LONG),
	DIFFERENT(0xd, doubled, LONG),
	ROW(0xbfe0fc00, 0x0e20e000, form_size, pmul, LONG),
	/* by one element */
	BY_ELEMENT(1, 0x0, mul, ACCUMULATE),
	BY_ELEMENT(1, 0x4, mul, ACCUMULATE | SUBTRACT),
	BY_ELEMENT(0, 0x8, mul, 0),
	BY_ELEMENT(0, 0x2, mul, LONG | ACCUMULATE),
	BY_ELEMENT(1, 0x2, mul, LONG | ACCUMULATE),
	BY_ELEMENT(0, 0x6, mul, LONG | ACCUMULATE | SUBTRACT),
	BY_ELEMENT(1, 0x6, mul, LONG | ACCUMULATE | SUBTRACT),
	BY_ELEMENT(0, 0xa, mul, LONG),
	BY_ELEMENT(1, 0xa, mul, LONG),
	BY_ELEMENT(0, 0x3, doubled, LONG | ACCUMULATE),
	BY_ELEMENT(0, 0x7, doubled, LONG | ACCUMULATE | SUBTRACT),
	BY_ELEMENT(0, 0xb, doubled, LONG),
	BY_ELEMENT(0, 0xc, doubled_high, 0),
	BY_ELEMENT(0, 0xd, doubled_high, ROUND),
	BY_ELEMENT(1, 0xd, doubled_high, SIGNED | ROUND | ACCUMULATE),
	BY_ELEMENT(1, 0xf, doubled_high, SIGNED | ROUND | ACCUMULATE | SUBTRACT),
	/* by a constant */
	SHIFT(0, 0x00, form_right, right, 0),
	SHIFT(1, 0x00, form_right, right, 0),
	SHIFT(0, 0x02, form_right, right, ACCUMULATE),
	SHIFT(1, 0x02, form_right, right, ACCUMULATE),
	SHIFT(0, 0x04, form_right, right, ROUND),
	SHIFT(1, 0x04, form_right, right, ROUND),
	SHIFT(0, 0x06, form_right, right, ROUND | ACCUMULATE),
	SHIFT(1, 0x06, form_right, right, ROUND | ACCUMULATE),
	SHIFT(1, 0x08, form_right, insert_right, 0),
	SHIFT(0, 0x0a, form_left, left, 0),
	SHIFT(1, 0x0a, form_left, insert_left, 0),
	SHIFT(1, 0x0c, form_left, left, SIGNED | SATURATE | TO_UNSIGNED),
	SHIFT(0, 0x0e, form_left, left, SATURATE),
	SHIFT(1, 0x0e, form_left, left, SATURATE),
	SHIFT(0, 0x10, form_right, narrow, NARROW),
	SHIFT(1, 0x10, form_right, narrow, NARROW | SIGNED | SATURATE | TO_UNSIGNED),
	SHIFT(0, 0x11, form_right, narrow, NARROW | ROUND),
	SHIFT(1, 0x11, form_right, narrow, NARROW | SIGNED | ROUND | SATURATE | TO_UNSIGNED),
	SHIFT(0, 0x12, form_right, narrow, NARROW | SATURATE),
	SHIFT(1, 0x12, form_right, narrow, NARROW | SATURATE),
	SHIFT(0, 0x13, form_right, narrow, NARROW | ROUND | SATURATE),
	SHIFT(1, 0x13, form_right, narrow, NARROW | ROUND | SATURATE),
	SHIFT(0, 0x14, form_left, left, LONG),
	SHIFT(1, 0x14, form_left, left, LONG),
	{0}};
