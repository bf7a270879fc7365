/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: arithmetic, logic, shifts and comparisons of integers, element by element.
 */
#include "exec/arm64_sve.h"
#include "exec/wide.h"

/* Bits of `extra`. */
enum {
	SIGNED = 1,   /* elements are extended with their sign */
	REVERSED = 2, /* the operands are exchanged */
	WIDE = 4,     /* the second operand has 64 bits */
	SETS = 8,     /* flags */
	ZEROING = 16  /* elements that are not active become 0 */
};

/* ---- what elements become ---- */

#define FUNCTION(name) \
	static struct exec_bits name(struct exec_bits a, struct exec_bits b, unsigned bits)

FUNCTION(sum)
{
	(void)bits;
	return bits_add(a, b);
}

FUNCTION(difference)
{
	(void)bits;
	return bits_sub(a, b);
}

FUNCTION(conjunction)
{
	(void)bits;
	return bits_and(a, b);
}

FUNCTION(disjunction)
{
	(void)bits;
	return bits_or(a, b);
}

FUNCTION(exclusive)
{
	(void)bits;
	return bits_xor(a, b);
}

FUNCTION(cleared)
{
	(void)bits;
	return bits_and(a, bits_not(b));
}

FUNCTION(product)
{
	(void)bits;
	return bits_multiply(a, b);
}

/* Elements are extended, so the order of 64 bits is theirs. */
FUNCTION(greater_signed)
{
	(void)bits;
	return bits_choose(bits_less_signed(a, b), b, a);
}

FUNCTION(greater_unsigned)
{
	(void)bits;
	return bits_choose(bits_less(a, b), b, a);
}

FUNCTION(lesser_signed)
{
	(void)bits;
	return bits_choose(bits_less_signed(a, b), a, b);
}

FUNCTION(lesser_unsigned)
{
	(void)bits;
	return bits_choose(bits_less(a, b), a, b);
}

FUNCTION(distance_signed)
{
	(void)bits;
	return bits_choose(bits_less_signed(a, b), bits_sub(b, a), bits_sub(a, b));
}

FUNCTION(distance_unsigned)
{
	(void)bits;
	return bits_choose(bits_less(a, b), bits_sub(b, a), bits_sub(a, b));
}

FUNCTION(high_signed)
{
	if (!bits_both(a, b))
		return bits_unknown();
	return bits_known(bits == 64 ? wide_signed_high(a.value, b.value)
	                             : (uint64_t)((int64_t)(a.value * b.value) >> bits));
}

FUNCTION(high_unsigned)
{
	if (!bits_both(a, b))
		return bits_unknown();
	return bits_known(bits == 64 ? wide_product(a.value, b.value).high : a.value * b.value >> bits);
}

FUNCTION(quotient_signed)
{
	(void)bits;
	if (!bits_both(a, b))
		return bits_unknown();
	if (b.value == 0 || b.value == UINT64_MAX)
		return bits_known(b.value ? 0 - a.value : 0);
	return bits_known((uint64_t)((int64_t)a.value / (int64_t)b.value));
}

FUNCTION(quotient_unsigned)
{
	(void)bits;
	if (!bits_both(a, b))
		return bits_unknown();
	return bits_known(b.value ? a.value / b.value : 0);
}

/* Shifts by the second operand, of any size. */
FUNCTION(left)
{
	if (bits_least(b) >= bits)
		return bits_known(0);
	return bits_all(b) ? bits_left(a, (unsigned)b.value) : bits_unknown();
}

FUNCTION(right)
{
	if (bits_least(b) >= bits)
		return bits_known(0);
	return bits_all(b) ? bits_right(a, (unsigned)b.value) : bits_unknown();
}

FUNCTION(right_signed)
{
	if (bits_least(b) >= bits)
		return bits_right_signed(a, 63);
	return bits_all(b) ? bits_right_signed(a, (unsigned)b.value) : bits_unknown();
}

/* Division by a power of two, towards zero. */
FUNCTION(right_towards_zero)
{
	(void)bits;
	if (b.value == 64)
		return bits_known(0);
	if (!bits_all(a))
		return bits_unknown();
	uint64_t rounding = a.value >> 63 ? (UINT64_C(1) << b.value) - 1 : 0;
	return bits_known((uint64_t)((int64_t)(a.value + rounding) >> b.value));
}

static struct exec_bits saturated_double(uint64_t a, uint64_t b, bool subtract, bool is_signed)
{
	uint64_t made;
	int64_t to;
	if (!is_signed && subtract)
		return bits_known(__builtin_sub_overflow(a, b, &made) ? 0 : made);
	if (!is_signed)
		return bits_known(__builtin_add_overflow(a, b, &made) ? UINT64_MAX : made);
	if (subtract ? __builtin_sub_overflow((int64_t)a, (int64_t)b, &to)
	             : __builtin_add_overflow((int64_t)a, (int64_t)b, &to))
		to = (int64_t)a < 0 ? INT64_MIN : INT64_MAX;
	return bits_known((uint64_t)to);
}

/* A saturating sum or difference of extended elements. */
static struct exec_bits saturated(struct exec_bits a, struct exec_bits b, unsigned bits,
                                  bool subtract, bool is_signed)
{
	if (!bits_both(a, b))
		return bits_unknown();
	if (bits == 64)
		return saturated_double(a.value, b.value, subtract, is_signed);
	int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
	int64_t least = is_signed ? -most - 1 : 0;
	int64_t made = (int64_t)(subtract ? a.value - b.value : a.value + b.value);
	return bits_known((uint64_t)(made < least ? least : made > most ? most : made));
}

FUNCTION(sum_saturated_signed)
{
	return saturated(a, b, bits, false, true);
}

FUNCTION(sum_saturated_unsigned)
{
	return saturated(a, b, bits, false, false);
}

FUNCTION(difference_saturated_signed)
{
	return saturated(a, b, bits, true, true);
}

FUNCTION(difference_saturated_unsigned)
{
	return saturated(a, b, bits, true, false);
}

/* Of one operand: the second. */
FUNCTION(extended_8)
{
	(void)a;
	(void)bits;
	return bits_sign_extend(b, 8);
}

FUNCTION(extended_16)
{
	(void)a;
	(void)bits;
	return bits_sign_extend(b, 16);
}

FUNCTION(extended_32)
{
	(void)a;
	(void)bits;
	return bits_sign_extend(b, 32);
}

FUNCTION(lower_8)
{
	(void)a;
	(void)bits;
	return bits_zero_extend(b, 8);
}

FUNCTION(lower_16)
{
	(void)a;
	(void)bits;
	return bits_zero_extend(b, 16);
}

FUNCTION(lower_32)
{
	(void)a;
	(void)bits;
	return bits_zero_extend(b, 32);
}

FUNCTION(absolute)
{
	(void)a;
	(void)bits;
	return bits_choose(bits_right(b, 63), bits_sub(bits_known(0), b), b);
}

FUNCTION(negated)
{
	(void)a;
	(void)bits;
	return bits_sub(bits_known(0), b);
}

FUNCTION(inverted)
{
	(void)a;
	(void)bits;
	return bits_not(b);
}

FUNCTION(leading_zeros)
{
	(void)a;
	return bits_sub(bits_leading_zeros(bits_zero_extend(b, bits)), bits_known(64 - bits));
}

/* Bits below the sign that equal it. */
FUNCTION(leading_signs)
{
	(void)a;
	struct exec_bits change = bits_xor(b, bits_right_signed(b, 1));
	return bits_sub(bits_leading_zeros(bits_zero_extend(change, bits)), bits_known(65 - bits));
}

FUNCTION(ones)
{
	(void)a;
	return bits_count(bits_zero_extend(b, bits));
}

FUNCTION(is_zero)
{
	(void)a;
	return bits_equal(bits_zero_extend(b, bits), bits_known(0));
}

FUNCTION(without_sign)
{
	(void)a;
	return bits_and(b, bits_known(~(UINT64_C(1) << (bits - 1))));
}

FUNCTION(sign_changed)
{
	(void)a;
	return bits_xor(b, bits_known(UINT64_C(1) << (bits - 1)));
}

FUNCTION(itself)
{
	(void)a;
	(void)bits;
	return b;
}

/* Comparisons. */
FUNCTION(equal)
{
	(void)bits;
	return bits_equal(a, b);
}

FUNCTION(unequal)
{
	(void)bits;
	return bits_xor(bits_equal(a, b), bits_known(1));
}

FUNCTION(at_least)
{
	(void)bits;
	return bits_xor(bits_less_signed(a, b), bits_known(1));
}

FUNCTION(greater)
{
	(void)bits;
	return bits_less_signed(b, a);
}

FUNCTION(at_least_unsigned)
{
	(void)bits;
	return bits_xor(bits_less(a, b), bits_known(1));
}

FUNCTION(above)
{
	(void)bits;
	return bits_less(b, a);
}

/* ---- elements ---- */

static struct exec_bits extended(struct exec_bits bits, unsigned size, unsigned extra)
{
	return extra & SIGNED ? bits_sign_extend(bits, 8 * size) : bits;
}

static struct exec_bits element(const struct cairn_machine *machine, const struct exec_op *op,
                                unsigned word, unsigned index)
{
	return extended(arm64_lane(machine, word, op->width, index), op->width, op->extra);
}

static struct exec_bits made_of(const struct exec_op *op, struct exec_bits a, struct exec_bits b)
{
	const struct sve_row *row = op->row;
	unsigned bits = 8u * op->width;
	return op->extra & REVERSED ? row->function(b, a, bits) : row->function(a, b, bits);
}

/* The element of 64 bits that lies where element `index` does. */
static struct exec_bits wide_element(const struct cairn_machine *machine, const struct exec_op *op,
                                     unsigned word, unsigned index)
{
	return machine->word[word + index * op->width / 8];
}

/* zdn and zm where pg is active, else zdn. */
static void run_merging(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits a = element(machine, op, sve_z(op, 0), i);
		struct exec_bits b = op->extra & WIDE ? wide_element(machine, op, sve_z(op, 5), i)
		                                      : element(machine, op, sve_z(op, 5), i);
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, made_of(op, a, b), a));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* Of zn where pg is active, else zd. */
static void run_one(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old = element(machine, op, sve_z(op, 0), i);
		struct exec_bits b = element(machine, op, sve_z(op, 5), i);
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		if (op->extra & ZEROING)
			old = bits_known(0);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, made_of(op, old, b), old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* zn and zm. */
static void run_both(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits a = element(machine, op, sve_z(op, 5), i);
		struct exec_bits b = op->extra & WIDE ? wide_element(machine, op, sve_z(op, 16), i)
		                                      : element(machine, op, sve_z(op, 16), i);
		arm64_set_lane(to.word, op->width, i, made_of(op, a, b));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* The logic of whole registers has no size. */
static void run_logic(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op words = *op;
	words.width = 8;
	run_both(machine, &words);
}

/* zdn and an immediate of 8 bits, with bit 13 of them times 256. */
static void run_immediate(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	struct exec_bits b = bits_known(arm64_field(op, 12, 5));
	bool is_shifted = arm64_field(op, 21, 19) == 4; /* sums, whose immediate has no sign */
	if (is_shifted)
		b = bits_left(b, 8 * arm64_field(op, 13, 13));
	else if (op->extra & SIGNED)
		b = bits_sign_extend(b, 8);
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits a = element(machine, op, sve_z(op, 0), i);
		arm64_set_lane(to.word, op->width, i, made_of(op, a, b));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_shift_merging(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op shift = *op;
	struct sve_vector to = {0};
	sve_take_places(&shift, arm64_field(op, 23, 22) << 5 | arm64_field(op, 9, 5),
	                arm64_field(op, 17, 16) != 3);
	for (unsigned i = 0; i < sve_elements(machine, shift.width); i++) {
		struct exec_bits a = element(machine, &shift, sve_z(op, 0), i);
		struct exec_bits active = sve_active(machine, sve_governing(op), shift.width, i);
		struct exec_bits made = made_of(&shift, a, bits_known((uint64_t)shift.imm));
		arm64_set_lane(to.word, shift.width, i, bits_choose(active, made, a));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_shift(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op shift = *op;
	struct sve_vector to = {0};
	sve_take_places(&shift, arm64_field(op, 23, 22) << 5 | arm64_field(op, 20, 16),
	                arm64_field(op, 11, 10) != 3);
	for (unsigned i = 0; i < sve_elements(machine, shift.width); i++) {
		struct exec_bits a = element(machine, &shift, sve_z(op, 5), i);
		arm64_set_lane(to.word, shift.width, i,
		               made_of(&shift, a, bits_known((uint64_t)shift.imm)));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* mla, mls, mad, msb: a sum of products, of zda + zn * zm or zdn * zm + za. */
static void run_multiply_add(struct cairn_machine *machine, const struct exec_op *op)
{
	bool accumulates = !arm64_field(op, 15, 15), subtract = arm64_field(op, 13, 13);
	unsigned first = sve_z(op, accumulates ? 5 : 0), second = sve_z(op, 16),
			 third = sve_z(op, accumulates ? 0 : 5);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits by =
			bits_multiply(element(machine, op, first, i), element(machine, op, second, i));
		struct exec_bits from = element(machine, op, third, i);
		struct exec_bits made = subtract ? bits_sub(from, by) : bits_add(from, by);
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		arm64_set_lane(to.word, op->width, i,
		               bits_choose(active, made, element(machine, op, sve_z(op, 0), i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* `extra` of what is said of factors here. */
enum { FIRST_UNSIGNED = 1, SECOND_UNSIGNED = 2, BOTH_UNSIGNED = 3 };

static struct exec_bits factor(const struct cairn_machine *machine, unsigned word, unsigned size,
                               unsigned index, bool is_unsigned)
{
	struct exec_bits bits = arm64_lane(machine, word, size, index);
	return is_unsigned ? bits : bits_sign_extend(bits, 8 * size);
}

/* The sum of `n` products of elements of `size` bytes, of zn from `at` on and of `second` from `other`
 * on, and what is there. */
static struct exec_bits products(const struct cairn_machine *machine, const struct exec_op *op,
                                 struct exec_bits sum, unsigned n, unsigned size, unsigned at,
                                 unsigned second, unsigned other)
{
	for (unsigned k = 0; k < n; k++) {
		struct exec_bits a =
			factor(machine, sve_z(op, 5), size, at + k, op->extra & FIRST_UNSIGNED);
		struct exec_bits b = factor(machine, second, size, other + k, op->extra & SECOND_UNSIGNED);
		sum = bits_add(sum, bits_multiply(a, b));
	}
	return sum;
}

/* sdot, udot and their mixed forms: sums of four products, in an element four times as wide. Bit 21:
 * the second factor is an element of each 128 bits. */
static void run_dot(struct cairn_machine *machine, const struct exec_op *op)
{
	bool indexed = arm64_field(op, 21, 21);
	unsigned per_segment = 16u / op->width;
	struct sve_chosen chosen = sve_choose(op, op->width == 8);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		unsigned other = indexed ? i / per_segment * per_segment + chosen.index : i;
		arm64_set_lane(to.word, op->width, i,
		               products(machine, op, arm64_lane(machine, sve_z(op, 0), op->width, i), 4,
		                        op->width / 4u, 4 * i, indexed ? chosen.word : sve_z(op, 16),
		                        4 * other));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* smmla …: of each 128 bits, matrices of two rows of eight bytes make one of two by two. */
static void run_matrix(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, 4); i++)
		arm64_set_lane(to.word, 4, i,
		               products(machine, op, arm64_lane(machine, sve_z(op, 0), 4, i), 8, 1,
		                        i / 2 * 8, sve_z(op, 16), (i / 4 * 2 + i % 2) * 8));
	sve_put(machine, sve_z(op, 0), &to);
}

/* index: a first element and a step, each an immediate or a general register. */
static void run_index(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits first = bits_sign_extend(bits_known(arm64_field(op, 9, 5)), 5);
	struct exec_bits step = bits_sign_extend(bits_known(arm64_field(op, 20, 16)), 5);
	struct sve_vector to = {0};
	if (arm64_field(op, 10, 10))
		first = machine->word[arm64_source(arm64_field(op, 9, 5))];
	if (arm64_field(op, 11, 11))
		step = machine->word[arm64_source(arm64_field(op, 20, 16))];
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
		arm64_set_lane(to.word, op->width, i, bits_add(first, bits_multiply(step, bits_known(i))));
	sve_put(machine, sve_z(op, 0), &to);
}

/* adr: zn and a multiple of zm, whole or of its lower half. */
static void run_address(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned how = arm64_field(op, 23, 22), size = how == 2 ? 4 : 8;
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		struct exec_bits a = arm64_lane(machine, sve_z(op, 5), size, i);
		struct exec_bits b = arm64_lane(machine, sve_z(op, 16), size, i);
		if (how == 0)
			b = bits_sign_extend(b, 32);
		else if (how == 1)
			b = bits_zero_extend(b, 32);
		arm64_set_lane(to.word, size, i, bits_add(a, bits_left(b, arm64_field(op, 11, 10))));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* movprfx, with a predicate or without. */
static void run_move(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < machine->vector_bits / 64; i++)
		to.word[i] = machine->word[sve_z(op, 5) + i];
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- of all elements one ---- */

/* The elements that are active, from what changes nothing on. */
static void run_reduce(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned bits = 8u * op->width, what = arm64_field(op, 20, 16);
	uint64_t all = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
	uint64_t start = what == 8                  ? 0 - sign /* smaxv */
	                 : what == 10               ? sign - 1 /* sminv */
	                 : what == 11 || what == 26 ? all      /* uminv, andv */
	                                            : 0;
	struct exec_bits made = bits_known(start);
	const struct sve_row *row = op->row;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		made = bits_choose(active, row->function(made, element(machine, op, sve_z(op, 5), i), bits),
		                   made);
	}
	sve_put_scalar(machine, sve_z(op, 0), what < 2 ? 8 : op->width, made);
}

/* ---- comparisons ---- */

/* Truths of elements where pg is active; what the second operands are is told by `second`: a
 * register, or EXEC_NOWHERE for an immediate. */
static void compare(struct cairn_machine *machine, const struct exec_op *op, unsigned second,
                    struct exec_bits immediate)
{
	struct sve_predicate made = sve_none();
	unsigned governing = sve_governing(op);
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits a = element(machine, op, sve_z(op, 5), i), b = immediate;
		if (op->extra & WIDE)
			b = wide_element(machine, op, second, i);
		else if (second != EXEC_NOWHERE)
			b = element(machine, op, second, i);
		sve_set_active(&made, op->width, i,
		               bits_and(sve_active(machine, governing, op->width, i), made_of(op, a, b)));
	}
	sve_test(machine, &machine->word[governing], &made, op->width);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

static void run_compare(struct cairn_machine *machine, const struct exec_op *op)
{
	compare(machine, op, sve_z(op, 16), bits_unknown());
}

static void run_compare_signed_immediate(struct cairn_machine *machine, const struct exec_op *op)
{
	compare(machine, op, EXEC_NOWHERE, bits_sign_extend(bits_known(arm64_field(op, 20, 16)), 5));
}

static void run_compare_unsigned_immediate(struct cairn_machine *machine, const struct exec_op *op)
{
	compare(machine, op, EXEC_NOWHERE, bits_known(arm64_field(op, 20, 14)));
}

/* ---- the table ---- */

#define MERGING(match, function, extra) \
	{ \
		0xff3fe000, match, run_merging, function, extra \
	}
#define ONE(match, function, extra) \
	{ \
		0xff3fe000, match, run_one, function, extra \
	}
#define REDUCE(match, function, extra) \
	{ \
		0xff3fe000, match, run_reduce, function, extra \
	}
#define BOTH(match, function, extra) \
	{ \
		0xff20fc00, match, run_both, function, extra \
	}
#define COMPARE(match, function, extra) \
	{ \
		0xff20e010, match, run_compare, function, extra \
	}
#define IMMEDIATE(match, function, extra) \
	{ \
		0xff3fc000, match, run_immediate, function, extra \
	}

const struct sve_row arm64_sve_integer_rows[] = {
	MERGING(0x04000000, sum, 0),
	MERGING(0x04010000, difference, 0),
	MERGING(0x04030000, difference, REVERSED),
	MERGING(0x04080000, greater_signed, SIGNED),
	MERGING(0x04090000, greater_unsigned, 0),
	MERGING(0x040a0000, lesser_signed, SIGNED),
	MERGING(0x040b0000, lesser_unsigned, 0),
	MERGING(0x040c0000, distance_signed, SIGNED),
	MERGING(0x040d0000, distance_unsigned, 0),
	MERGING(0x04100000, product, 0),
	MERGING(0x04120000, high_signed, SIGNED),
	MERGING(0x04130000, high_unsigned, 0),
	MERGING(0x04140000, quotient_signed, SIGNED),
	MERGING(0x04150000, quotient_unsigned, 0),
	MERGING(0x04160000, quotient_signed, SIGNED | REVERSED),
	MERGING(0x04170000, quotient_unsigned, REVERSED),
	MERGING(0x04180000, disjunction, 0),
	MERGING(0x04190000, exclusive, 0),
	MERGING(0x041a0000, conjunction, 0),
	MERGING(0x041b0000, cleared, 0),
	REDUCE(0x04002000, sum, SIGNED),
	REDUCE(0x04012000, sum, 0),
	REDUCE(0x04082000, greater_signed, SIGNED),
	REDUCE(0x04092000, greater_unsigned, 0),
	REDUCE(0x040a2000, lesser_signed, SIGNED),
	REDUCE(0x040b2000, lesser_unsigned, 0),
	REDUCE(0x04182000, disjunction, 0),
	REDUCE(0x04192000, exclusive, 0),
	REDUCE(0x041a2000, conjunction, 0),
	ONE(0x04102000, itself, ZEROING),
	ONE(0x04112000, itself, 0),
	{0xff3fe000, 0x04008000, run_shift_merging, right_signed, SIGNED},
	{0xff3fe000, 0x04018000, run_shift_merging, right, 0},
	{0xff3fe000, 0x04038000, run_shift_merging, left, 0},
	{0xff3fe000, 0x04048000, run_shift_merging, right_towards_zero, SIGNED},
	MERGING(0x04108000, right_signed, SIGNED),
	MERGING(0x04118000, right, 0),
	MERGING(0x04138000, left, 0),
	MERGING(0x04148000, right_signed, SIGNED | REVERSED),
	MERGING(0x04158000, right, REVERSED),
	MERGING(0x04178000, left, REVERSED),
	MERGING(0x04188000, right_signed, SIGNED | WIDE),
	MERGING(0x04198000, right, WIDE),
	MERGING(0x041b8000, left, WIDE),
	ONE(0x0410a000, extended_8, 0),
	ONE(0x0411a000, lower_8, 0),
	ONE(0x0412a000, extended_16, 0),
	ONE(0x0413a000, lower_16, 0),
	ONE(0x0414a000, extended_32, 0),
	ONE(0x0415a000, lower_32, 0),
	ONE(0x0416a000, absolute, SIGNED),
	ONE(0x0417a000, negated, 0),
	ONE(0x0418a000, leading_signs, SIGNED),
	ONE(0x0419a000, leading_zeros, 0),
	ONE(0x041aa000, ones, 0),
	ONE(0x041ba000, is_zero, 0),
	ONE(0x041ca000, without_sign, 0),
	ONE(0x041da000, sign_changed, 0),
	ONE(0x041ea000, inverted, 0),
	{0xff204000, 0x04004000, run_multiply_add, NULL, 0},
	BOTH(0x04200000, sum, 0),
	BOTH(0x04200400, difference, 0),
	BOTH(0x04201000, sum_saturated_signed, SIGNED),
	BOTH(0x04201400, sum_saturated_unsigned, 0),
	BOTH(0x04201800, difference_saturated_signed, SIGNED),
	BOTH(0x04201c00, difference_saturated_unsigned, 0),
	{0xffe0fc00, 0x04203000, run_logic, conjunction, 0},
	{0xffe0fc00, 0x04603000, run_logic, disjunction, 0},
	{0xffe0fc00, 0x04a03000, run_logic, exclusive, 0},
	{0xffe0fc00, 0x04e03000, run_logic, cleared, 0},
	{0xff20f000, 0x04204000, run_index, NULL, 0},
	{0xff20f000, 0x0420a000, run_address, NULL, 0},
	{0xfffffc00, 0x0420bc00, run_move, NULL, 0},
	BOTH(0x04208000, right_signed, SIGNED | WIDE),
	BOTH(0x04208400, right, WIDE),
	BOTH(0x04208c00, left, WIDE),
	{0xff20fc00, 0x04209000, run_shift, right_signed, SIGNED},
	{0xff20fc00, 0x04209400, run_shift, right, 0},
	{0xff20fc00, 0x04209c00, run_shift, left, 0},
	COMPARE(0x24000000, at_least_unsigned, 0),
	COMPARE(0x24000010, above, 0),
	COMPARE(0x24002000, equal, SIGNED | WIDE),
	COMPARE(0x24002010, unequal, SIGNED | WIDE),
	COMPARE(0x24004000, at_least, SIGNED | WIDE),
	COMPARE(0x24004010, greater, SIGNED | WIDE),
	COMPARE(0x24006000, greater, SIGNED | WIDE | REVERSED),
	COMPARE(0x24006010, at_least, SIGNED | WIDE | REVERSED),
	COMPARE(0x24008000, at_least, SIGNED),
	COMPARE(0x24008010, greater, SIGNED),
	COMPARE(0x2400a000, equal, 0),
	COMPARE(0x2400a010, unequal, 0),
	COMPARE(0x2400c000, at_least_unsigned, WIDE),
	COMPARE(0x2400c010, above, WIDE),
	COMPARE(0x2400e000, above, WIDE | REVERSED),
	COMPARE(0x2400e010, at_least_unsigned, WIDE | REVERSED),
	{0xff202010, 0x24200000, run_compare_unsigned_immediate, at_least_unsigned, 0},
	{0xff202010, 0x24200010, run_compare_unsigned_immediate, above, 0},
	{0xff202010, 0x24202000, run_compare_unsigned_immediate, above, REVERSED},
	{0xff202010, 0x24202010, run_compare_unsigned_immediate, at_least_unsigned, REVERSED},
	{0xff20e010, 0x25000000, run_compare_signed_immediate, at_least, SIGNED},
	{0xff20e010, 0x25000010, run_compare_signed_immediate, greater, SIGNED},
	{0xff20e010, 0x25002000, run_compare_signed_immediate, greater, SIGNED | REVERSED},
	{0xff20e010, 0x25002010, run_compare_signed_immediate, at_least, SIGNED | REVERSED},
	{0xff20e010, 0x25008000, run_compare_signed_immediate, equal, SIGNED},
	{0xff20e010, 0x25008010, run_compare_signed_immediate, unequal, SIGNED},
	IMMEDIATE(0x2520c000, sum, 0),
	IMMEDIATE(0x2521c000, difference, 0),
	IMMEDIATE(0x2523c000, difference, REVERSED),
	IMMEDIATE(0x2524c000, sum_saturated_signed, SIGNED),
	IMMEDIATE(0x2525c000, sum_saturated_unsigned, 0),
	IMMEDIATE(0x2526c000, difference_saturated_signed, SIGNED),
	IMMEDIATE(0x2527c000, difference_saturated_unsigned, 0),
	IMMEDIATE(0x2528c000, greater_signed, SIGNED),
	IMMEDIATE(0x2529c000, greater_unsigned, 0),
	IMMEDIATE(0x252ac000, lesser_signed, SIGNED),
	IMMEDIATE(0x252bc000, lesser_unsigned, 0),
	IMMEDIATE(0x2530c000, product, SIGNED),
	{0xff20fc00, 0x44000000, run_dot, NULL, 0},
	{0xff20fc00, 0x44000400, run_dot, NULL, BOTH_UNSIGNED},
	{0xffa0fc00, 0x44a00000, run_dot, NULL, 0},
	{0xffa0fc00, 0x44a00400, run_dot, NULL, BOTH_UNSIGNED},
	{0xffe0fc00, 0x44807800, run_dot, NULL, FIRST_UNSIGNED},
	{0xffe0fc00, 0x44a01800, run_dot, NULL, FIRST_UNSIGNED},
	{0xffe0fc00, 0x44a01c00, run_dot, NULL, SECOND_UNSIGNED},
	{0xffe0fc00, 0x45009800, run_matrix, NULL, 0},
	{0xffe0fc00, 0x45809800, run_matrix, NULL, FIRST_UNSIGNED},
	{0xffe0fc00, 0x45c09800, run_matrix, NULL, BOTH_UNSIGNED},
	BOTH(0x04206800, high_signed, SIGNED),
	BOTH(0x04206c00, high_unsigned, 0),
	{0}};
