/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: computations on general registers and on the flags.
 *
 * A function value_NAME says what an instruction makes of its operands, for registers of `width`
 * bits; the handlers for 32 bits clear the upper ones of what it gives. Source: Arm Architecture
 * Reference Manual for A-profile, C6.2.
 */
#include "exec/arm64.h"
#include "exec/wide.h"

/* The lower `width` bits, below zeros. */
static inline struct exec_bits narrow(struct exec_bits a, unsigned width)
{
	return width == 32 ? bits_zero_extend(a, 32) : a;
}

static inline struct exec_bits topmost(struct exec_bits a, unsigned width)
{
	return bits_and(bits_right(a, width - 1), bits_known(1));
}

/* What only follows when all bits of the operands are known. */
#define NEEDS(condition) \
	if (!(condition)) \
	return bits_unknown()

/* ---- flags ---- */

static struct exec_bits flags_joined(struct exec_bits n, struct exec_bits z, struct exec_bits c,
                                     struct exec_bits v)
{
	return bits_or(bits_or(bits_left(n, 3), bits_left(z, 2)), bits_or(bits_left(c, 1), v));
}

/* The manual's AddWithCarry; operands have zeros above `width` bits. */
static inline struct exec_bits add_with_carry(struct exec_bits a, struct exec_bits b, bool carry,
                                              unsigned width, struct exec_bits *flags)
{
	struct exec_bits sum = bits_add_carry(a, b, carry), made = narrow(sum, width), out;
	if (width == 32) {
		out = topmost(sum, 33);
	} else {
		uint64_t least = bits_least(a) + carry, most = bits_most(a) + carry;
		bool always = least < carry || least + bits_least(b) < least;
		bool maybe = most < carry || most + bits_most(b) < most;
		out = bits_truth(always, always == maybe);
	}
	struct exec_bits overflow = bits_and(bits_not(bits_xor(a, b)), bits_xor(a, made));
	*flags = flags_joined(topmost(made, width), bits_equal(made, bits_known(0)), out,
	                      topmost(overflow, width));
	return made;
}

static inline struct exec_bits flags_of_logic(struct exec_bits made, unsigned width)
{
	return flags_joined(topmost(made, width), bits_equal(made, bits_known(0)), bits_known(0),
	                    bits_known(0));
}

static struct exec_bits flag(const struct cairn_machine *machine, unsigned bit)
{
	return bits_and(bits_right(machine->word[ARM64_NZCV], bit), bits_known(1));
}

static struct exec_bits truth_not(struct exec_bits truth)
{
	return bits_xor(truth, bits_known(1));
}

struct exec_bits arm64_condition(const struct cairn_machine *machine, unsigned condition)
{
	struct exec_bits n = flag(machine, 3), z = flag(machine, 2), c = flag(machine, 1),
					 v = flag(machine, 0), holds;
	switch (condition >> 1) {
	case 0:
		holds = z;
		break;
	case 1:
		holds = c;
		break;
	case 2:
		holds = n;
		break;
	case 3:
		holds = v;
		break;
	case 4:
		holds = bits_and(c, truth_not(z));
		break;
	case 5:
		holds = truth_not(bits_xor(n, v));
		break;
	case 6:
		holds = bits_and(truth_not(bits_xor(n, v)), truth_not(z));
		break;
	default:
		return bits_known(1);
	}
	return condition & 1 ? truth_not(holds) : holds;
}

/* ---- operands ---- */

void arm64_form_none(struct exec_op *op)
{
	(void)op;
}

void arm64_form_dnm(struct exec_op *op)
{
	op->rd = arm64_target(arm64_field(op, 4, 0));
	op->rs1 = arm64_source(arm64_field(op, 9, 5));
	op->rs2 = arm64_source(arm64_field(op, 20, 16));
	op->rs3 = arm64_source(arm64_field(op, 14, 10));
}

/* Registers of which 31 is SP, the destination's where no flags are set. */
static void form_sp(struct exec_op *op)
{
	arm64_form_dnm(op);
	op->rs1 = arm64_or_sp(arm64_field(op, 9, 5));
	if (!(op->enc >> 29 & 1))
		op->rd = arm64_or_sp(arm64_field(op, 4, 0));
}

static void form_pointer(struct exec_op *op)
{
	form_sp(op);
	op->imm = arm64_field(op, 12, 10);
}

static void form_add_immediate(struct exec_op *op)
{
	form_sp(op);
	op->imm = (int64_t)arm64_field(op, 21, 10) << (op->enc >> 22 & 1 ? 12 : 0);
}

/* A constant of eight bits, signed where bit 18 is clear. */
static void form_compared(struct exec_op *op)
{
	uint32_t constant = arm64_field(op, 17, 10);
	arm64_form_dnm(op);
	op->imm = op->enc >> 18 & 1 ? (int64_t)constant : isa_sign(constant, 8);
}

/* The second operand is shifted: how in `extra`, how far in `imm`. */
static void form_shifted(struct exec_op *op)
{
	arm64_form_dnm(op);
	op->imm = arm64_field(op, 15, 10);
	op->extra = (uint8_t)arm64_field(op, 23, 22);
}

static void form_extended(struct exec_op *op)
{
	form_sp(op);
	op->imm = arm64_field(op, 12, 10);
	op->extra = (uint8_t)arm64_field(op, 15, 13);
}

uint64_t arm64_run_of_ones(unsigned n, unsigned turn, unsigned imms)
{
	unsigned size = 1u << (31 - __builtin_clz(n << 6 | (~imms & 63)));
	uint64_t element = UINT64_MAX >> (64 - size);
	uint64_t ones = UINT64_MAX >> (63 - (imms & (size - 1)));
	turn &= size - 1;
	if (turn)
		ones = (ones >> turn | ones << (size - turn)) & element;
	for (; size < 64; size *= 2)
		ones |= ones << size;
	return ones;
}

static void form_logical_immediate(struct exec_op *op)
{
	uint64_t ones = arm64_run_of_ones(arm64_field(op, 22, 22), arm64_field(op, 21, 16),
	                                  arm64_field(op, 15, 10));
	arm64_form_dnm(op);
	if (arm64_field(op, 30, 29) != 3)
		op->rd = arm64_or_sp(arm64_field(op, 4, 0));
	op->imm = (int64_t)(op->enc >> 31 ? ones : (uint32_t)ones);
}

static void form_move_wide(struct exec_op *op)
{
	unsigned shift = 16 * arm64_field(op, 22, 21);
	uint64_t imm = (uint64_t)arm64_field(op, 20, 5) << shift;
	arm64_form_dnm(op);
	op->extra = (uint8_t)shift;
	if (arm64_field(op, 30, 29) == 0)
		imm = ~imm;
	op->imm = (int64_t)(op->enc >> 31 ? imm : (uint32_t)imm);
	op->rs1 = op->rd < EXEC_WORDS ? op->rd : EXEC_ZERO;
}

static void form_adr(struct exec_op *op)
{
	uint32_t imm = arm64_field(op, 23, 5) << 2 | arm64_field(op, 30, 29);
	op->rd = arm64_target(arm64_field(op, 4, 0));
	op->imm = isa_sign(imm, 21) * (op->enc >> 31 ? 4096 : 1);
}

/* `imm`: immr; `extra`: imms. */
static void form_bitfield(struct exec_op *op)
{
	arm64_form_dnm(op);
	op->imm = arm64_field(op, 21, 16);
	op->extra = (uint8_t)arm64_field(op, 15, 10);
	op->rs3 = op->rd < EXEC_WORDS ? op->rd : EXEC_ZERO;
}

/* The condition in `extra`. */
static void form_conditional(struct exec_op *op)
{
	arm64_form_dnm(op);
	op->extra = (uint8_t)arm64_field(op, 15, 12);
	op->imm = arm64_field(op, 20, 16);
}

/* addg, subg: all registers may be SP. */
static void form_tag_immediate(struct exec_op *op)
{
	op->rd = arm64_or_sp(arm64_field(op, 4, 0));
	op->rs1 = arm64_or_sp(arm64_field(op, 9, 5));
	op->imm = 16 * (int64_t)arm64_field(op, 21, 16);
	if (op->enc >> 30 & 1)
		op->imm = -op->imm;
}

static void form_tags(struct exec_op *op)
{
	arm64_form_dnm(op);
	op->rs1 = arm64_or_sp(arm64_field(op, 9, 5));
	if (arm64_field(op, 15, 10) == 4) /* irg */
		op->rd = arm64_or_sp(arm64_field(op, 4, 0));
	if (arm64_field(op, 15, 10) == 0) /* subp */
		op->rs2 = arm64_or_sp(arm64_field(op, 20, 16));
}

/* ---- second operands ---- */

enum { LSL, LSR, ASR, ROR };

static struct exec_bits shifted_by(struct exec_bits a, unsigned how, unsigned n, unsigned width)
{
	a = narrow(a, width);
	switch (how) {
	case LSL:
		return bits_left(a, n);
	case LSR:
		return bits_right(a, n);
	case ASR:
		return bits_right_signed(width == 32 ? bits_sign_extend(a, 32) : a, n);
	default:
		return n ? bits_or(bits_right(a, n), bits_left(a, width - n)) : a;
	}
}

static inline struct exec_bits shifted(const struct cairn_machine *machine,
                                       const struct exec_op *op, unsigned width)
{
	struct exec_bits a = machine->word[op->rs2];
	return op->imm ? shifted_by(a, op->extra, (unsigned)op->imm, width) : a;
}

static struct exec_bits extended(const struct cairn_machine *machine, const struct exec_op *op,
                                 unsigned width)
{
	struct exec_bits a = machine->word[op->rs2];
	unsigned bits = 8u << (op->extra & 3);
	(void)width;
	a = op->extra & 4 ? bits_sign_extend(a, bits) : bits_zero_extend(a, bits);
	return bits_left(a, (unsigned)op->imm);
}

static inline struct exec_bits immediate(const struct cairn_machine *machine,
                                         const struct exec_op *op, unsigned width)
{
	(void)machine;
	(void)width;
	return bits_known((uint64_t)op->imm);
}

/* ---- sums and logic ---- */

#define HANDLER(name) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op)
#define BOTH(name, expression) \
	HANDLER(name##_32) \
	{ \
		enum { WIDTH = 32 }; \
		expression; \
	} \
	HANDLER(name##_64) \
	{ \
		enum { WIDTH = 64 }; \
		expression; \
	}
#define PUT(bits) arm64_put(machine, op->rd, narrow(bits, WIDTH))
#define FIRST machine->word[op->rs1]
#define SECOND machine->word[op->rs2]

/* With a second operand of each form. */
#define FORMS(name, made) \
	BOTH(name##_immediate, PUT(made(FIRST, immediate(machine, op, WIDTH)))) \
	BOTH(name##_shifted, PUT(made(FIRST, shifted(machine, op, WIDTH))))
#define FORMS_SUM(name, made) \
	FORMS(name, made) BOTH(name##_extended, PUT(made(FIRST, extended(machine, op, WIDTH))))

static struct exec_bits bits_and_not(struct exec_bits a, struct exec_bits b)
{
	return bits_and(a, bits_not(b));
}

static struct exec_bits bits_or_not(struct exec_bits a, struct exec_bits b)
{
	return bits_or(a, bits_not(b));
}

static struct exec_bits bits_xor_not(struct exec_bits a, struct exec_bits b)
{
	return bits_xor(a, bits_not(b));
}

FORMS_SUM(add, bits_add)
FORMS_SUM(sub, bits_sub)
FORMS(and, bits_and)
FORMS(orr, bits_or)
FORMS(eor, bits_xor)
BOTH(bic_shifted, PUT(bits_and_not(FIRST, shifted(machine, op, WIDTH))))
BOTH(orn_shifted, PUT(bits_or_not(FIRST, shifted(machine, op, WIDTH))))
BOTH(eon_shifted, PUT(bits_xor_not(FIRST, shifted(machine, op, WIDTH))))

/* Those that set flags. */
static inline void sum_with_flags(struct cairn_machine *machine, const struct exec_op *op,
                                  struct exec_bits b, bool subtract, unsigned width)
{
	struct exec_bits flags;
	b = narrow(subtract ? bits_not(b) : b, width);
	struct exec_bits made =
		add_with_carry(narrow(machine->word[op->rs1], width), b, subtract, width, &flags);
	arm64_put(machine, op->rd, made);
	arm64_put_flags(machine, flags);
}

#define FORMS_FLAGS(name, form, subtract) \
	BOTH(name##_##form, sum_with_flags(machine, op, form(machine, op, WIDTH), subtract, WIDTH))
FORMS_FLAGS(adds, immediate, false)
FORMS_FLAGS(adds, shifted, false)
FORMS_FLAGS(adds, extended, false)
FORMS_FLAGS(subs, immediate, true)
FORMS_FLAGS(subs, shifted, true)
FORMS_FLAGS(subs, extended, true)

static inline void and_with_flags(struct cairn_machine *machine, const struct exec_op *op,
                                  struct exec_bits b, unsigned width)
{
	struct exec_bits made = narrow(bits_and(machine->word[op->rs1], b), width);
	arm64_put(machine, op->rd, made);
	arm64_put_flags(machine, flags_of_logic(made, width));
}

BOTH(ands_immediate, and_with_flags(machine, op, immediate(machine, op, WIDTH), WIDTH))
BOTH(ands_shifted, and_with_flags(machine, op, shifted(machine, op, WIDTH), WIDTH))
BOTH(bics_shifted, and_with_flags(machine, op, bits_not(shifted(machine, op, WIDTH)), WIDTH))

/* With the carry, which may not be known: what both have in common. */
enum { SUBTRACT = 1, SET_FLAGS = 2 };

static inline void with_carry(struct cairn_machine *machine, const struct exec_op *op,
                              unsigned width)
{
	struct exec_bits a = narrow(machine->word[op->rs1], width), b = machine->word[op->rs2];
	struct exec_bits carry = flag(machine, 1), clear_flags, set_flags;
	b = narrow(op->extra & SUBTRACT ? bits_not(b) : b, width);
	struct exec_bits clear = add_with_carry(a, b, false, width, &clear_flags);
	struct exec_bits set = add_with_carry(a, b, true, width, &set_flags);
	arm64_put(machine, op->rd, bits_choose(carry, set, clear));
	if (op->extra & SET_FLAGS)
		arm64_put_flags(machine, bits_choose(carry, set_flags, clear_flags));
}
BOTH(carry, with_carry(machine, op, WIDTH))

/* ---- conditions ---- */

enum { COMPARE_SUM = 1, COMPARE_CONSTANT = 2 };

static inline void compare_if(struct cairn_machine *machine, const struct exec_op *op, unsigned how,
                              unsigned width)
{
	struct exec_bits b =
		how & COMPARE_CONSTANT ? bits_known((uint64_t)op->imm) : machine->word[op->rs2];
	struct exec_bits flags, otherwise = bits_known(op->enc & 15);
	b = narrow(how & COMPARE_SUM ? b : bits_not(b), width);
	add_with_carry(narrow(machine->word[op->rs1], width), b, !(how & COMPARE_SUM), width, &flags);
	arm64_put_flags(machine, bits_choose(arm64_condition(machine, op->extra), flags, otherwise));
}
BOTH(ccmn, compare_if(machine, op, COMPARE_SUM, WIDTH))
BOTH(ccmp, compare_if(machine, op, 0, WIDTH))
BOTH(ccmn_constant, compare_if(machine, op, COMPARE_SUM | COMPARE_CONSTANT, WIDTH))
BOTH(ccmp_constant, compare_if(machine, op, COMPARE_CONSTANT, WIDTH))

#define HOLDS arm64_condition(machine, op->extra)
BOTH(csel, PUT(bits_choose(HOLDS, FIRST, SECOND)))
BOTH(csinc, PUT(bits_choose(HOLDS, FIRST, bits_add(SECOND, bits_known(1)))))
BOTH(csinv, PUT(bits_choose(HOLDS, FIRST, bits_not(SECOND))))
BOTH(csneg, PUT(bits_choose(HOLDS, FIRST, bits_sub(bits_known(0), SECOND))))

/* ---- the flags alone ---- */

/* The flags that `mask` names get those of `bits`. */
static void merge_flags(struct cairn_machine *machine, struct exec_bits bits, unsigned mask)
{
	struct exec_bits kept = bits_and(machine->word[ARM64_NZCV], bits_known(~(uint64_t)mask));
	arm64_put_flags(machine, bits_or(kept, bits_and(bits, bits_known(mask))));
}

HANDLER(rmif)
{
	struct exec_bits a = shifted_by(FIRST, ROR, arm64_field(op, 20, 15), 64);
	merge_flags(machine, a, op->enc & 15);
}

/* N, Z and V of a byte or halfword: whether it overflowed shows in the bit above. */
static void set_flags_of(struct cairn_machine *machine, struct exec_bits a, unsigned bits)
{
	struct exec_bits n = topmost(bits_zero_extend(a, bits), bits);
	struct exec_bits above = topmost(bits_zero_extend(a, bits + 1), bits + 1);
	struct exec_bits z = bits_equal(bits_zero_extend(a, bits), bits_known(0));
	merge_flags(machine, flags_joined(n, z, bits_known(0), bits_xor(n, above)),
	            ARM64_N | ARM64_Z | ARM64_FLAG_V);
}

HANDLER(setf8)
{
	set_flags_of(machine, FIRST, 8);
}

HANDLER(setf16)
{
	set_flags_of(machine, FIRST, 16);
}

/* ---- bits ---- */

/* What the manual calls UBFM, SBFM and BFM: a field moves down, or up from bit 0. */
static inline struct exec_bits field_moved(struct exec_bits a, const struct exec_op *op,
                                           unsigned width, bool is_signed)
{
	unsigned turn = (unsigned)op->imm, last = op->extra;
	unsigned bits = last >= turn ? last - turn + 1 : last + 1;
	a = narrow(a, width);
	if (last >= turn)
		a = bits_right(a, turn);
	a = is_signed ? bits_sign_extend(a, bits) : bits_zero_extend(a, bits);
	return last >= turn ? a : bits_left(a, width - turn);
}

static inline struct exec_bits field_inserted(struct exec_bits to, struct exec_bits a,
                                              const struct exec_op *op, unsigned width)
{
	unsigned turn = (unsigned)op->imm, last = op->extra;
	struct exec_bits field = field_moved(a, op, width, false);
	uint64_t mask = last >= turn ? UINT64_MAX >> (63 - (last - turn))
	                             : UINT64_MAX >> (63 - last) << (width - turn);
	return bits_or(bits_and(to, bits_known(~mask)), field);
}

BOTH(ubfm, PUT(field_moved(FIRST, op, WIDTH, false)))
BOTH(sbfm, PUT(field_moved(FIRST, op, WIDTH, true)))
BOTH(bfm, PUT(field_inserted(machine->word[op->rs3], FIRST, op, WIDTH)))

static inline struct exec_bits extracted(struct exec_bits high, struct exec_bits low, unsigned n,
                                         unsigned width)
{
	if (!n)
		return low;
	return bits_or(bits_right(narrow(low, width), n), bits_left(narrow(high, width), width - n));
}
BOTH(extr, PUT(extracted(FIRST, SECOND, (unsigned)arm64_field(op, 15, 10), WIDTH)))

static inline struct exec_bits shifted_by_register(struct exec_bits a, struct exec_bits b,
                                                   unsigned how, unsigned width)
{
	int n = bits_places(b, width);
	NEEDS(n >= 0);
	return shifted_by(a, how, (unsigned)n, width);
}
BOTH(lslv, PUT(shifted_by_register(FIRST, SECOND, LSL, WIDTH)))
BOTH(lsrv, PUT(shifted_by_register(FIRST, SECOND, LSR, WIDTH)))
BOTH(asrv, PUT(shifted_by_register(FIRST, SECOND, ASR, WIDTH)))
BOTH(rorv, PUT(shifted_by_register(FIRST, SECOND, ROR, WIDTH)))

/* What moves bits does the same with the mask of those that are known. */
static struct exec_bits reverse_pairs(struct exec_bits a)
{
	const struct exec_bits low = bits_known(0x00ff00ff00ff00ff);
	return bits_or(bits_left(bits_and(a, low), 8), bits_and(bits_right(a, 8), low));
}

static struct exec_bits reverse_all(struct exec_bits a, unsigned width)
{
	return bits_right(bits_reverse_bytes(a), 64 - width);
}

BOTH(rbit, PUT(reverse_all(bits_reverse_in_bytes(FIRST), WIDTH)))
BOTH(rev16, PUT(reverse_pairs(FIRST)))
BOTH(rev, PUT(reverse_all(FIRST, WIDTH)))
HANDLER(rev32)
{
	struct exec_bits a = bits_reverse_bytes(FIRST);
	arm64_put(machine, op->rd, bits_or(bits_right(a, 32), bits_left(a, 32)));
}

/* `a` stands in the uppermost bits. */
static struct exec_bits leading_signs(struct exec_bits a, unsigned width)
{
	struct exec_bits changes = bits_left(bits_xor(a, bits_right_signed(a, 1)), 1);
	return bits_leading_zeros(bits_or(changes, bits_known(UINT64_C(1) << (64 - width))));
}
static struct exec_bits leading_zeros(struct exec_bits a, unsigned width)
{
	struct exec_bits n = bits_leading_zeros(narrow(a, width));
	return bits_sub(n, bits_known(64 - width));
}
BOTH(clz, PUT(leading_zeros(FIRST, WIDTH)))
BOTH(cls, PUT(leading_signs(bits_left(FIRST, 64 - WIDTH), WIDTH)))

BOTH(ctz, PUT(leading_zeros(reverse_all(bits_reverse_in_bytes(FIRST), WIDTH), WIDTH)))
BOTH(cnt, PUT(bits_count(narrow(FIRST, WIDTH))))

/* ---- the greater and the lesser (FEAT_CSSC) ---- */

enum { LESSER = 1, UNSIGNED = 2 };

static struct exec_bits greater_or_lesser(const struct exec_op *op, struct exec_bits a,
                                          struct exec_bits b, unsigned width)
{
	bool is_signed = !(op->extra & UNSIGNED);
	a = is_signed && width == 32 ? bits_sign_extend(a, 32) : narrow(a, width);
	b = is_signed && width == 32 ? bits_sign_extend(b, 32) : narrow(b, width);
	struct exec_bits less = is_signed ? bits_less_signed(a, b) : bits_less(a, b);
	return op->extra & LESSER ? bits_choose(less, a, b) : bits_choose(less, b, a);
}
BOTH(greater, PUT(greater_or_lesser(op, FIRST, SECOND, WIDTH)))
BOTH(greater_constant, PUT(greater_or_lesser(op, FIRST, immediate(machine, op, WIDTH), WIDTH)))

static struct exec_bits absolute(struct exec_bits a, unsigned width)
{
	a = width == 32 ? bits_sign_extend(a, 32) : a;
	return bits_choose(bits_right(a, 63), bits_sub(bits_known(0), a), a);
}
BOTH(abs, PUT(absolute(FIRST, WIDTH)))

/* ---- products and quotients ---- */

BOTH(madd, PUT(bits_add(machine->word[op->rs3], bits_multiply(FIRST, SECOND))))
BOTH(msub, PUT(bits_sub(machine->word[op->rs3], bits_multiply(FIRST, SECOND))))

/* Of 32 bits each: signed where bit 23 is clear; subtracted where bit 15 is set. */
HANDLER(madd_long)
{
	bool is_signed = !(op->enc >> 23 & 1);
	struct exec_bits a = is_signed ? bits_sign_extend(FIRST, 32) : bits_zero_extend(FIRST, 32);
	struct exec_bits b = is_signed ? bits_sign_extend(SECOND, 32) : bits_zero_extend(SECOND, 32);
	struct exec_bits c = machine->word[op->rs3], product = bits_multiply(a, b);
	arm64_put(machine, op->rd, op->enc >> 15 & 1 ? bits_sub(c, product) : bits_add(c, product));
}

/* ---- pointers that are checked (FEAT_CPA) ---- */

/* A sum whose upper bits are not those of the pointer, or of a pointer that a check has marked, or of a
 * product that has more than 64 bits, may be marked, if the system has the checks on. */
static struct exec_bits checked(struct exec_bits sum, struct exec_bits pointer,
                                struct exec_bits overflow)
{
	struct exec_bits same = bits_equal(bits_right(sum, 56), bits_right(pointer, 56));
	struct exec_bits sign = bits_and(bits_right(pointer, 55), bits_known(1));
	struct exec_bits canonical = bits_equal(sign, bits_and(bits_right(pointer, 54), bits_known(1)));
	struct exec_bits found = bits_or(bits_or(truth_not(same), truth_not(canonical)), overflow);
	struct exec_bits marked = bits_left(bits_right(pointer, 55), 55);
	marked = bits_or(marked, bits_left(truth_not(sign), 54));
	marked = bits_or(marked, bits_zero_extend(sum, 54));
	return bits_choose(bits_and(found, bits_truth(false, false)), marked, sum);
}

HANDLER(add_pointer)
{
	struct exec_bits offset = bits_left(SECOND, (unsigned)op->imm);
	struct exec_bits sum = op->enc >> 30 & 1 ? bits_sub(FIRST, offset) : bits_add(FIRST, offset);
	arm64_put(machine, op->rd, checked(sum, FIRST, bits_known(0)));
}

HANDLER(madd_pointer)
{
	struct exec_bits pointer = machine->word[op->rs3], product = bits_multiply(FIRST, SECOND);
	struct exec_bits sum =
		op->enc >> 15 & 1 ? bits_sub(pointer, product) : bits_add(pointer, product);
	struct exec_bits overflow = bits_truth(false, false);
	if (bits_both(FIRST, SECOND))
		overflow = bits_known(wide_signed_high(FIRST.value, SECOND.value) !=
		                      (product.value >> 63 ? UINT64_MAX : 0));
	arm64_put(machine, op->rd, checked(sum, pointer, overflow));
}

static struct exec_bits value_umulh(struct exec_bits a, struct exec_bits b)
{
	NEEDS(bits_both(a, b));
	return bits_known(wide_product(a.value, b.value).high);
}
static struct exec_bits value_smulh(struct exec_bits a, struct exec_bits b)
{
	NEEDS(bits_both(a, b));
	return bits_known(wide_signed_high(a.value, b.value));
}
HANDLER(umulh)
{
	arm64_put(machine, op->rd, value_umulh(FIRST, SECOND));
}
HANDLER(smulh)
{
	arm64_put(machine, op->rd, value_smulh(FIRST, SECOND));
}

/* Division by 0 gives 0; a quotient that has no room gives itself. */
static struct exec_bits value_udiv(struct exec_bits a, struct exec_bits b, unsigned width)
{
	a = narrow(a, width);
	b = narrow(b, width);
	if (bits_all(b) && !b.value)
		return bits_known(0);
	NEEDS(bits_both(a, b));
	return bits_known(a.value / b.value);
}
static struct exec_bits value_sdiv(struct exec_bits a, struct exec_bits b, unsigned width)
{
	a = width == 32 ? bits_sign_extend(a, 32) : a;
	b = width == 32 ? bits_sign_extend(b, 32) : b;
	if (bits_all(b) && !b.value)
		return bits_known(0);
	NEEDS(bits_both(a, b));
	if (b.value == UINT64_MAX)
		return bits_known(0 - a.value);
	return bits_known((uint64_t)((int64_t)a.value / (int64_t)b.value));
}
BOTH(udiv, PUT(value_udiv(FIRST, SECOND, WIDTH)))
BOTH(sdiv, PUT(value_sdiv(FIRST, SECOND, WIDTH)))

/* ---- checksums ---- */

static uint32_t checksum(uint32_t sum, uint64_t data, unsigned bytes, uint32_t polynomial)
{
	for (unsigned i = 0; i < bytes; i++) {
		sum ^= (uint32_t)(data >> 8 * i) & 0xff;
		for (unsigned k = 0; k < 8; k++)
			sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
	}
	return sum;
}

/* Bits 11:10 say how many bytes, bit 12 which polynomial. */
HANDLER(crc32)
{
	unsigned bytes = 1u << arm64_field(op, 11, 10);
	uint32_t polynomial = op->enc >> 12 & 1 ? 0x82f63b78 : 0xedb88320;
	struct exec_bits sum = bits_zero_extend(FIRST, 32), data = bits_zero_extend(SECOND, 8 * bytes);
	struct exec_bits made = bits_zero_extend(bits_unknown(), 32);
	if (bits_both(sum, data))
		made = bits_known(checksum((uint32_t)sum.value, data.value, bytes, polynomial));
	arm64_put(machine, op->rd, made);
}

/* ---- constants ---- */

HANDLER(constant)
{
	arm64_put(machine, op->rd, bits_known((uint64_t)op->imm));
}

static inline struct exec_bits kept_around(struct exec_bits a, const struct exec_op *op)
{
	uint64_t mask = UINT64_C(0xffff) << op->extra;
	return bits_or(bits_and(a, bits_known(~mask)), bits_known((uint64_t)op->imm));
}
BOTH(movk, PUT(kept_around(FIRST, op)))

HANDLER(adr)
{
	arm64_put(machine, op->rd, bits_known(machine->pc + (uint64_t)op->imm));
}

HANDLER(adrp)
{
	arm64_put(machine, op->rd, bits_known((machine->pc & ~UINT64_C(0xfff)) + (uint64_t)op->imm));
}

/* ---- tags and signatures of pointers ---- */

/* The chosen tag depends on what the system excludes. */
static struct exec_bits tag_unknown(struct exec_bits a)
{
	const uint64_t tag = UINT64_C(15) << 56;
	return (struct exec_bits){a.value & ~tag, a.known & ~tag};
}

HANDLER(addg)
{
	arm64_put(machine, op->rd, tag_unknown(bits_add(FIRST, bits_known((uint64_t)op->imm))));
	exec_undetermined(machine, "tags that are chosen are not determined");
}

HANDLER(irg)
{
	arm64_put(machine, op->rd, tag_unknown(FIRST));
	exec_undetermined(machine, "tags that are chosen are not determined");
}

HANDLER(gmi)
{
	struct exec_bits a = FIRST, one = {0, ~UINT64_C(0xffff)};
	if ((a.known >> 56 & 15) == 15)
		one = bits_known(UINT64_C(1) << (a.value >> 56 & 15));
	arm64_put(machine, op->rd, bits_or(SECOND, one));
}

HANDLER(subp)
{
	struct exec_bits flags, b = bits_not(bits_sign_extend(SECOND, 56));
	struct exec_bits made = add_with_carry(bits_sign_extend(FIRST, 56), b, true, 64, &flags);
	arm64_put(machine, op->rd, made);
	if (op->enc >> 29 & 1)
		arm64_put_flags(machine, flags);
}

/* The key is not known, nor how many bits addresses have, but at least 16. */
HANDLER(sign)
{
	struct exec_bits before = machine->word[op->rd < EXEC_WORDS ? op->rd : EXEC_ZERO];
	arm64_put(machine, op->rd, (struct exec_bits){before.value & 0xffff, before.known & 0xffff});
	exec_undetermined(machine, "signatures of pointers are not determined");
}

HANDLER(pacga)
{
	arm64_put(machine, op->rd, (struct exec_bits){0, UINT32_MAX});
	exec_undetermined(machine, "signatures of pointers are not determined");
}

/* ---- the table ---- */

#define R(mask, match, form, run, extra) \
	{ \
		mask, match, form, {run_##run##_32, run_##run##_64}, 0, extra \
	}
#define ONE(mask, match, form, run) \
	{ \
		mask, match, form, {run_##run, run_##run}, 0, 0 \
	}
#define DNM arm64_form_dnm

const struct arm64_row arm64_integer_rows[] = {
	/* constants */
	R(0x7f800000, 0x11000000, form_add_immediate, add_immediate, 0),
	R(0x7f800000, 0x31000000, form_add_immediate, adds_immediate, 0),
	R(0x7f800000, 0x51000000, form_add_immediate, sub_immediate, 0),
	R(0x7f800000, 0x71000000, form_add_immediate, subs_immediate, 0),
	R(0x7f800000, 0x12000000, form_logical_immediate, and_immediate, 0),
	R(0x7f800000, 0x32000000, form_logical_immediate, orr_immediate, 0),
	R(0x7f800000, 0x52000000, form_logical_immediate, eor_immediate, 0),
	R(0x7f800000, 0x72000000, form_logical_immediate, ands_immediate, 0),
	ONE(0x7f800000, 0x12800000, form_move_wide, constant), /* movn */
	ONE(0x7f800000, 0x52800000, form_move_wide, constant), /* movz */
	R(0x7f800000, 0x72800000, form_move_wide, movk, 0),
	ONE(0x9f000000, 0x10000000, form_adr, adr),
	ONE(0x9f000000, 0x90000000, form_adr, adrp),
	R(0x7f800000, 0x13000000, form_bitfield, sbfm, 0),
	R(0x7f800000, 0x33000000, form_bitfield, bfm, 0),
	R(0x7f800000, 0x53000000, form_bitfield, ubfm, 0),
	R(0x7fa00000, 0x13800000, DNM, extr, 0),
	ONE(0xbfc0c000, 0x91800000, form_tag_immediate, addg), /* subg */
	/* registers */
	R(0x7f200000, 0x0b000000, form_shifted, add_shifted, 0),
	R(0x7f200000, 0x2b000000, form_shifted, adds_shifted, 0),
	R(0x7f200000, 0x4b000000, form_shifted, sub_shifted, 0),
	R(0x7f200000, 0x6b000000, form_shifted, subs_shifted, 0),
	R(0x7fe00000, 0x0b200000, form_extended, add_extended, 0),
	R(0x7fe00000, 0x2b200000, form_extended, adds_extended, 0),
	R(0x7fe00000, 0x4b200000, form_extended, sub_extended, 0),
	R(0x7fe00000, 0x6b200000, form_extended, subs_extended, 0),
	R(0x7f200000, 0x0a000000, form_shifted, and_shifted, 0),
	R(0x7f200000, 0x0a200000, form_shifted, bic_shifted, 0),
	R(0x7f200000, 0x2a000000, form_shifted, orr_shifted, 0),
	R(0x7f200000, 0x2a200000, form_shifted, orn_shifted, 0),
	R(0x7f200000, 0x4a000000, form_shifted, eor_shifted, 0),
	R(0x7f200000, 0x4a200000, form_shifted, eon_shifted, 0),
	R(0x7f200000, 0x6a000000, form_shifted, ands_shifted, 0),
	R(0x7f200000, 0x6a200000, form_shifted, bics_shifted, 0),
	R(0x7fe0fc00, 0x1a000000, DNM, carry, 0),
	R(0x7fe0fc00, 0x3a000000, DNM, carry, SET_FLAGS),
	R(0x7fe0fc00, 0x5a000000, DNM, carry, SUBTRACT),
	R(0x7fe0fc00, 0x7a000000, DNM, carry, SUBTRACT | SET_FLAGS),
	ONE(0xbfe0e000, 0x9a002000, form_pointer, add_pointer), /* addpt, subpt */
	/* flags and conditions */
	ONE(0xffe07c10, 0xba000400, DNM, rmif),
	ONE(0xfffffc1f, 0x3a00080d, DNM, setf8),
	ONE(0xfffffc1f, 0x3a00480d, DNM, setf16),
	R(0x7fe00c10, 0x3a400000, form_conditional, ccmn, 0),
	R(0x7fe00c10, 0x7a400000, form_conditional, ccmp, 0),
	R(0x7fe00c10, 0x3a400800, form_conditional, ccmn_constant, 0),
	R(0x7fe00c10, 0x7a400800, form_conditional, ccmp_constant, 0),
	R(0x7fe00c00, 0x1a800000, form_conditional, csel, 0),
	R(0x7fe00c00, 0x1a800400, form_conditional, csinc, 0),
	R(0x7fe00c00, 0x5a800000, form_conditional, csinv, 0),
	R(0x7fe00c00, 0x5a800400, form_conditional, csneg, 0),
	/* two sources */
	R(0x7fe0fc00, 0x1ac00800, DNM, udiv, 0),
	R(0x7fe0fc00, 0x1ac00c00, DNM, sdiv, 0),
	R(0x7fe0fc00, 0x1ac02000, DNM, lslv, 0),
	R(0x7fe0fc00, 0x1ac02400, DNM, lsrv, 0),
	R(0x7fe0fc00, 0x1ac02800, DNM, asrv, 0),
	R(0x7fe0fc00, 0x1ac02c00, DNM, rorv, 0),
	ONE(0x7fe0e000, 0x1ac04000, DNM, crc32),
	R(0x7fe0fc00, 0x1ac06000, DNM, greater, 0), /* smax */
	R(0x7fe0fc00, 0x1ac06400, DNM, greater, UNSIGNED),
	R(0x7fe0fc00, 0x1ac06800, DNM, greater, LESSER),
	R(0x7fe0fc00, 0x1ac06c00, DNM, greater, LESSER | UNSIGNED),
	R(0x7ffc0000, 0x11c00000, form_compared, greater_constant, 0),
	R(0x7ffc0000, 0x11c40000, form_compared, greater_constant, UNSIGNED),
	R(0x7ffc0000, 0x11c80000, form_compared, greater_constant, LESSER),
	R(0x7ffc0000, 0x11cc0000, form_compared, greater_constant, LESSER | UNSIGNED),
	ONE(0xdfe0fc00, 0x9ac00000, form_tags, subp), /* subps */
	ONE(0xffe0fc00, 0x9ac01000, form_tags, irg),
	ONE(0xffe0fc00, 0x9ac01400, form_tags, gmi),
	ONE(0xffe0fc00, 0x9ac03000, DNM, pacga),
	/* one source */
	R(0x7ffffc00, 0x5ac00000, DNM, rbit, 0),
	R(0x7ffffc00, 0x5ac00400, DNM, rev16, 0),
	{0xfffffc00, 0x5ac00800, DNM, {run_rev_32, NULL}, 0, 0},
	ONE(0xfffffc00, 0xdac00800, DNM, rev32),
	{0xfffffc00, 0xdac00c00, DNM, {NULL, run_rev_64}, 0, 0},
	R(0x7ffffc00, 0x5ac01000, DNM, clz, 0),
	R(0x7ffffc00, 0x5ac01400, DNM, cls, 0),
	R(0x7ffffc00, 0x5ac01800, DNM, ctz, 0),
	R(0x7ffffc00, 0x5ac01c00, DNM, cnt, 0),
	R(0x7ffffc00, 0x5ac02000, DNM, abs, 0),
	ONE(0xffffc000, 0xdac10000, DNM, sign), /* pacia … autdzb */
	ONE(0xfffff800, 0xdac14000, DNM, sign), /* xpaci, xpacd */
	/* three sources */
	R(0x7fe08000, 0x1b000000, DNM, madd, 0),
	R(0x7fe08000, 0x1b008000, DNM, msub, 0),
	ONE(0xff600000, 0x9b200000, DNM, madd_long),
	ONE(0xffe00000, 0x9b600000, DNM, madd_pointer), /* maddpt, msubpt */
	ONE(0xffe08000, 0x9b400000, DNM, smulh),
	ONE(0xffe08000, 0x9bc00000, DNM, umulh),
	{0}};
