/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V vectors: integer and fixed-point arithmetic of elements, and the bits of Zvbb and Zvbc.
 *
 * A function value_NAME gets its operands extended to 64 bits, and the engine takes what the
 * destination has room for. So most are those of integer registers.
 */
#include "exec/riscv_vector.h"
#include "exec/wide.h"

#define VALUE(name) \
	static struct exec_bits value_##name(struct riscv_vector *setting, struct exec_bits a, \
	                                     struct exec_bits b, struct exec_bits d)
#define UNUSED ((void)setting, (void)a, (void)b, (void)d)
/* What only follows when all bits of the operands are known. */
#define NEEDS(condition) \
	if (!(condition)) \
	return bits_unknown()
/* A function that is an expression. */
#define PLAIN(name, expression) \
	VALUE(name) \
	{ \
		UNUSED; \
		return expression; \
	}

/* ---- sums, logic, comparisons ---- */

PLAIN(add, bits_add(a, b))
PLAIN(sub, bits_sub(a, b))
PLAIN(rsub, bits_sub(b, a))
PLAIN(and, bits_and(a, b))
PLAIN(or, bits_or(a, b))
PLAIN(xor, bits_xor(a, b))
PLAIN(andn, bits_and(a, bits_not(b)))
PLAIN(minu, bits_choose(bits_less(a, b), a, b))
PLAIN(maxu, bits_choose(bits_less(a, b), b, a))
PLAIN(min, bits_choose(bits_less_signed(a, b), a, b))
PLAIN(max, bits_choose(bits_less_signed(a, b), b, a))
PLAIN(eq, bits_equal(a, b))
PLAIN(ne, bits_xor(bits_equal(a, b), bits_known(1)))
PLAIN(ltu, bits_less(a, b))
PLAIN(lt, bits_less_signed(a, b))
PLAIN(leu, bits_xor(bits_less(b, a), bits_known(1)))
PLAIN(le, bits_xor(bits_less_signed(b, a), bits_known(1)))
PLAIN(gtu, bits_less(b, a))
PLAIN(gt, bits_less_signed(b, a))
PLAIN(first, a)
PLAIN(second, b)
PLAIN(merge, bits_choose(d, b, a))
PLAIN(adc, bits_add(bits_add(a, b), bits_and(d, bits_known(1))))
PLAIN(sbc, bits_sub(bits_sub(a, b), bits_and(d, bits_known(1))))

/* The carry out of the topmost bit of an element, and the borrow: operands are zero-extended. */
VALUE(madc)
{
	struct exec_bits sum = bits_add(a, b), in = bits_and(d, bits_known(1));
	if (setting->width < 64)
		return bits_and(bits_right(bits_add(sum, in), setting->width), bits_known(1));
	/* Of 64 bits: the sum is less than what was added to. */
	struct exec_bits without = bits_less(sum, a);
	struct exec_bits with = bits_xor(bits_less(a, bits_add_carry(a, b, true)), bits_known(1));
	return bits_choose(in, with, without);
}

VALUE(msbc)
{
	struct exec_bits less = bits_less(a, b);
	struct exec_bits not_more = bits_xor(bits_less(b, a), bits_known(1));
	(void)setting;
	return bits_choose(d, not_more, less);
}

/* ---- shifts ---- */

VALUE(sll)
{
	(void)d;
	return bits_left_by(a, b, setting->width);
}
VALUE(srl)
{
	(void)d;
	return bits_right_by(a, b, setting->width);
}
VALUE(sra)
{
	(void)d;
	return bits_right_signed_by(a, b, setting->width);
}
/* vwsll: by as many places as the wide element has. */
VALUE(wsll)
{
	(void)d;
	return bits_left_by(a, b, 2 * setting->sew);
}
VALUE(rol)
{
	int n = bits_places(b, setting->width);
	(void)d;
	NEEDS(n >= 0);
	return n ? bits_or(bits_left(a, (unsigned)n), bits_right(a, setting->width - (unsigned)n)) : a;
}
VALUE(ror)
{
	return value_rol(setting, a, bits_sub(bits_known(0), b), d);
}

/* ---- products and quotients ---- */

PLAIN(mul, bits_multiply(a, b))
PLAIN(macc, bits_add(d, bits_multiply(b, a)))
PLAIN(nmsac, bits_sub(d, bits_multiply(b, a)))
PLAIN(madd, bits_add(a, bits_multiply(b, d)))
PLAIN(nmsub, bits_sub(a, bits_multiply(b, d)))

/* The upper half, by the signs of the operands. */
VALUE(mulh)
{
	unsigned flags = setting->row->flags;
	(void)d;
	NEEDS(bits_both(a, b));
	if (setting->width < 64)
		return bits_known(a.value * b.value >> setting->width);
	uint64_t high = wide_product(a.value, b.value).high;
	high -= flags & RISCV_A_SIGNED && a.value >> 63 ? b.value : 0;
	high -= flags & RISCV_B_SIGNED && b.value >> 63 ? a.value : 0;
	return bits_known(high);
}
VALUE(divu)
{
	UNUSED;
	return riscv_divide(a, b, false);
}
VALUE(remu)
{
	UNUSED;
	return riscv_remainder(a, b, false);
}
VALUE(div)
{
	UNUSED;
	return riscv_divide(a, b, true);
}
VALUE(rem)
{
	UNUSED;
	return riscv_remainder(a, b, true);
}

/* ---- fixed point ---- */

/* What is added to a number without its lowest n bits, 1 to 64 of them: by vxrm, from the bit kept
 * last, the one below, and whether any is set below that. */
enum { TO_NEAREST_UP, TO_NEAREST_EVEN, DOWN, TO_ODD };

static unsigned increment(unsigned mode, bool last, bool half, bool below)
{
	switch (mode) {
	case TO_NEAREST_UP:
		return half;
	case TO_NEAREST_EVEN:
		return half && (below || last);
	case DOWN:
		return 0;
	default:
		return !last && (half || below);
	}
}

static uint64_t rounded_right(unsigned mode, uint64_t a, unsigned n, bool is_signed)
{
	if (!n)
		return a;
	uint64_t shifted = is_signed ? (uint64_t)((int64_t)a >> n) : a >> n;
	bool below = n > 1 && (a & (((uint64_t)1 << (n - 1)) - 1)) != 0;
	return shifted + increment(mode, shifted & 1, a >> (n - 1) & 1, below);
}

/* Operands and results of saturation, of `n` bits. */
static uint64_t greatest(unsigned n, bool is_signed)
{
	return UINT64_MAX >> (64 - n + is_signed);
}

static void saturates(struct riscv_vector *setting, bool does)
{
	setting->sat = bits_known(does);
}

#define NEEDS_BOTH \
	(void)d; \
	if (!bits_both(a, b)) { \
		setting->sat = bits_truth(false, false); \
		return bits_unknown(); \
	}

VALUE(saddu)
{
	NEEDS_BOTH
	uint64_t sum = a.value + b.value, most = greatest(setting->width, false);
	bool over = sum < a.value || sum > most;
	saturates(setting, over);
	return bits_known(over ? most : sum);
}
VALUE(ssubu)
{
	NEEDS_BOTH
	saturates(setting, a.value < b.value);
	return bits_known(a.value < b.value ? 0 : a.value - b.value);
}
/* Where a signed sum has another sign than it must, or no room in the element, the bound is it. */
static struct exec_bits saturated(struct riscv_vector *setting, uint64_t sum, bool overflows)
{
	int64_t most = (int64_t)greatest(setting->width, true), is = (int64_t)sum;
	bool negative = overflows ? !(sum >> 63) : is < 0;
	bool over = overflows || is > most || is < -most - 1;
	saturates(setting, over);
	return bits_known(over ? (uint64_t)(negative ? -most - 1 : most) : sum);
}
VALUE(sadd)
{
	NEEDS_BOTH
	uint64_t sum = a.value + b.value;
	return saturated(setting, sum, ((sum ^ a.value) & (sum ^ b.value)) >> 63);
}
VALUE(ssub)
{
	NEEDS_BOTH
	uint64_t sum = a.value - b.value;
	return saturated(setting, sum, ((a.value ^ b.value) & (sum ^ a.value)) >> 63);
}

/* Half of a sum of 65 bits, whose topmost is given. */
static struct exec_bits halved(const struct riscv_vector *setting, uint64_t sum, bool top)
{
	uint64_t half = sum >> 1 | (uint64_t)top << 63;
	return bits_known(half + increment(setting->rounding, half & 1, sum & 1, false));
}

VALUE(aadd)
{
	uint64_t sum = a.value + b.value;
	(void)d;
	NEEDS(bits_both(a, b));
	bool carry = sum < a.value;
	if (setting->row->flags & RISCV_A_SIGNED)
		carry ^= (a.value >> 63) ^ (b.value >> 63);
	return halved(setting, sum, carry);
}
VALUE(asub)
{
	uint64_t sum = a.value - b.value;
	(void)d;
	NEEDS(bits_both(a, b));
	bool borrow = a.value < b.value;
	if (setting->row->flags & RISCV_A_SIGNED)
		borrow ^= (a.value >> 63) ^ (b.value >> 63);
	return halved(setting, sum, borrow);
}
/* The product's upper half but one bit; -1 * -1 has no room. */
VALUE(smul)
{
	NEEDS_BOTH
	unsigned n = setting->width;
	uint64_t least = (uint64_t)INT64_MIN >> (64 - n), low = a.value * b.value;
	least = 0 - (least & greatest(n, false));
	bool over = a.value == least && b.value == least;
	saturates(setting, over);
	if (over)
		return bits_known(greatest(n, true));
	if (n < 64)
		return bits_known(rounded_right(setting->rounding, low, n - 1, true));
	uint64_t made = wide_signed_high(a.value, b.value) << 1 | low >> 63;
	return bits_known(made + increment(setting->rounding, made & 1, low >> 62 & 1,
	                                   (low & (UINT64_MAX >> 2)) != 0));
}
VALUE(ssrl)
{
	(void)d;
	NEEDS(bits_all(a) && bits_places(b, setting->width) >= 0);
	return bits_known(
		rounded_right(setting->rounding, a.value, (unsigned)bits_places(b, setting->width), false));
}
VALUE(ssra)
{
	(void)d;
	NEEDS(bits_all(a) && bits_places(b, setting->width) >= 0);
	return bits_known(
		rounded_right(setting->rounding, a.value, (unsigned)bits_places(b, setting->width), true));
}
VALUE(nclipu)
{
	NEEDS_BOTH
	uint64_t most = greatest(setting->sew, false);
	uint64_t made =
		rounded_right(setting->rounding, a.value, (unsigned)b.value & (setting->width - 1), false);
	saturates(setting, made > most);
	return bits_known(made > most ? most : made);
}
VALUE(nclip)
{
	NEEDS_BOTH
	int64_t most = (int64_t)greatest(setting->sew, true);
	int64_t made = (int64_t)rounded_right(setting->rounding, a.value,
	                                      (unsigned)b.value & (setting->width - 1), true);
	bool over = made > most || made < -most - 1;
	saturates(setting, over);
	return bits_known((uint64_t)(!over ? made : made < 0 ? -most - 1 : most));
}

/* ---- Zvbb, Zvbc ---- */

/* What moves bits does the same with the mask of those that are known. */
#define MOVES(name, move) \
	VALUE(name) \
	{ \
		UNUSED; \
		return (struct exec_bits){move(a.value, setting->width), move(a.known, setting->width)}; \
	}

static uint64_t bytes_reversed(uint64_t x, unsigned width)
{
	return __builtin_bswap64(x) >> (64 - width);
}

static uint64_t bits_of_bytes_reversed(uint64_t x, unsigned width)
{
	(void)width;
	return bits_reversed_in_bytes(x);
}

static uint64_t all_reversed(uint64_t x, unsigned width)
{
	return bytes_reversed(bits_reversed_in_bytes(x), width);
}

MOVES(rev8, bytes_reversed)
MOVES(brev8, bits_of_bytes_reversed)
MOVES(brev, all_reversed)

VALUE(clz)
{
	struct exec_bits n = bits_leading_zeros(a);
	UNUSED;
	NEEDS(bits_all(n));
	return bits_known(n.value - (64 - setting->width));
}
VALUE(ctz)
{
	uint64_t most = bits_most(a), least = bits_least(a);
	UNUSED;
	unsigned n = most ? (unsigned)__builtin_ctzll(most) : setting->width;
	NEEDS(n == (least ? (unsigned)__builtin_ctzll(least) : setting->width));
	return bits_known(n);
}
VALUE(cpop)
{
	UNUSED;
	NEEDS(bits_all(a));
	return bits_known((uint64_t)__builtin_popcountll(a.value));
}

VALUE(clmul)
{
	(void)d;
	NEEDS(bits_both(a, b));
	struct wide product = wide_carryless(a.value, b.value);
	return bits_known(setting->row->extra ? wide_right(product, setting->width).low : product.low);
}

/* ---- the table ---- */

#define ROW(name, mask, match, value, flags, form, extra) \
	{ \
		name, mask, match, riscv_vector_elements, value_##value, NULL, flags, RISCV_FORM_##form, \
			extra \
	}
#define OPV(name, f6, group, value, flags, form) \
	ROW(name, RISCV_ANY_MASK, RISCV_OPV(f6, RISCV_##group), value, flags, form, 0)
/* By vm. */
#define OPVM(name, f6, group, vm, value, flags, form) \
	ROW(name, RISCV_WITH_VM, RISCV_OPV(f6, RISCV_##group) | (vm) << 25, value, flags, form, 0)
/* By vs1. */
#define UNARY(name, f6, rs1, value, flags, extra) \
	ROW(name, RISCV_WITH_RS1, RISCV_OPV(f6, RISCV_OPMVV) | (rs1) << 15, value, flags, V, extra)

#define VV(name, f6, value, flags) OPV(name ".vv", f6, OPIVV, value, flags, VV)
#define VX(name, f6, value, flags) OPV(name ".vx", f6, OPIVX, value, flags, VX)
#define VI(name, f6, value, flags) OPV(name ".vi", f6, OPIVI, value, flags, VI)
#define VU(name, f6, value, flags) OPV(name ".vi", f6, OPIVI, value, flags, VU)
#define VV_VX(name, f6, value, flags) VV(name, f6, value, flags), VX(name, f6, value, flags)
#define VX_VI(name, f6, value, flags) VX(name, f6, value, flags), VI(name, f6, value, flags)
#define VV_VX_VI(name, f6, value, flags) VV_VX(name, f6, value, flags), VI(name, f6, value, flags)
#define VV_VX_VU(name, f6, value, flags) VV_VX(name, f6, value, flags), VU(name, f6, value, flags)
#define NARROW(name, f6, value, flags) \
	OPV(name ".wv", f6, OPIVV, value, RISCV_A_WIDE | (flags), VV), \
		OPV(name ".wx", f6, OPIVX, value, RISCV_A_WIDE | (flags), VX), \
		OPV(name ".wi", f6, OPIVI, value, RISCV_A_WIDE | (flags), VU)
#define MUL(name, f6, value, flags) \
	OPV(name ".vv", f6, OPMVV, value, flags, VV), OPV(name ".vx", f6, OPMVX, value, flags, VX)
#define WIDE(name, f6, value, flags) MUL(name, f6, value, RISCV_D_WIDE | (flags))
#define WIDER(name, f6, value, flags) \
	OPV(name ".wv", f6, OPMVV, value, RISCV_D_WIDE | RISCV_A_WIDE | (flags), VV), \
		OPV(name ".wx", f6, OPMVX, value, RISCV_D_WIDE | RISCV_A_WIDE | (flags), VX)
#define CARRY(name, f6, value) \
	OPVM(name ".vvm", f6, OPIVV, 0, value, RISCV_CARRY, VV), \
		OPVM(name ".vxm", f6, OPIVX, 0, value, RISCV_CARRY, VX)
#define CARRY_OUT(name, f6, value) \
	CARRY_OUT_OF(name ".vv", f6, OPIVV, value, VV), CARRY_OUT_OF(name ".vx", f6, OPIVX, value, VX)
#define CARRY_OUT_OF(name, f6, group, value, form) \
	OPVM(name "m", f6, group, 0, value, RISCV_CARRY | RISCV_D_MASK, form), \
		OPVM(name, f6, group, 1, value, RISCV_CARRY | RISCV_D_MASK, form)

enum {
	SIGNED = RISCV_SIGNED,
	MASK = RISCV_D_MASK,
	ROUNDS = RISCV_ROUNDS,
	A = RISCV_A_SIGNED,
	B = RISCV_B_SIGNED
};

/* clang-format off */
const struct riscv_vector_row riscv_vector_integer_rows[] = {
	VV_VX_VI("vadd", 0x00, add, 0),
	VV_VX("vsub", 0x02, sub, 0),
	VX_VI("vrsub", 0x03, rsub, 0),
	VV_VX("vminu", 0x04, minu, 0),
	VV_VX("vmin", 0x05, min, SIGNED),
	VV_VX("vmaxu", 0x06, maxu, 0),
	VV_VX("vmax", 0x07, max, SIGNED),
	VV_VX_VI("vand", 0x09, and, 0),
	VV_VX_VI("vor", 0x0a, or, 0),
	VV_VX_VI("vxor", 0x0b, xor, 0),
	CARRY("vadc", 0x10, adc),
	OPVM("vadc.vim", 0x10, OPIVI, 0, adc, RISCV_CARRY, VI),
	CARRY_OUT("vmadc", 0x11, madc),
	CARRY_OUT_OF("vmadc.vi", 0x11, OPIVI, madc, VI),
	CARRY("vsbc", 0x12, sbc),
	CARRY_OUT("vmsbc", 0x13, msbc),
	CARRY("vmerge", 0x17, merge),
	OPVM("vmerge.vim", 0x17, OPIVI, 0, merge, RISCV_CARRY, VI),
	OPVM("vmv.v.v", 0x17, OPIVV, 1, second, 0, VV),
	OPVM("vmv.v.x", 0x17, OPIVX, 1, second, 0, VX),
	OPVM("vmv.v.i", 0x17, OPIVI, 1, second, 0, VI),
	VV_VX_VI("vmseq", 0x18, eq, MASK),
	VV_VX_VI("vmsne", 0x19, ne, MASK),
	VV_VX("vmsltu", 0x1a, ltu, MASK),
	VV_VX("vmslt", 0x1b, lt, MASK | SIGNED),
	VV_VX_VI("vmsleu", 0x1c, leu, MASK),
	VV_VX_VI("vmsle", 0x1d, le, MASK | SIGNED),
	VX_VI("vmsgtu", 0x1e, gtu, MASK),
	VX_VI("vmsgt", 0x1f, gt, MASK | SIGNED),
	VV_VX_VU("vsll", 0x25, sll, 0),
	VV_VX_VU("vsrl", 0x28, srl, 0),
	VV_VX_VU("vsra", 0x29, sra, A),
	NARROW("vnsrl", 0x2c, srl, 0),
	NARROW("vnsra", 0x2d, sra, A),
	/* fixed point */
	VV_VX_VI("vsaddu", 0x20, saddu, 0),
	VV_VX_VI("vsadd", 0x21, sadd, SIGNED),
	VV_VX("vssubu", 0x22, ssubu, 0),
	VV_VX("vssub", 0x23, ssub, SIGNED),
	VV_VX("vsmul", 0x27, smul, SIGNED | ROUNDS),
	VV_VX_VU("vssrl", 0x2a, ssrl, ROUNDS),
	VV_VX_VU("vssra", 0x2b, ssra, A | ROUNDS),
	NARROW("vnclipu", 0x2e, nclipu, ROUNDS),
	NARROW("vnclip", 0x2f, nclip, A | ROUNDS),
	MUL("vaaddu", 0x08, aadd, ROUNDS),
	MUL("vaadd", 0x09, aadd, SIGNED | ROUNDS),
	MUL("vasubu", 0x0a, asub, ROUNDS),
	MUL("vasub", 0x0b, asub, SIGNED | ROUNDS),
	/* products and quotients */
	MUL("vdivu", 0x20, divu, 0),
	MUL("vdiv", 0x21, div, SIGNED),
	MUL("vremu", 0x22, remu, 0),
	MUL("vrem", 0x23, rem, SIGNED),
	MUL("vmulhu", 0x24, mulh, 0),
	MUL("vmul", 0x25, mul, 0),
	MUL("vmulhsu", 0x26, mulh, A),
	MUL("vmulh", 0x27, mulh, SIGNED),
	MUL("vmadd", 0x29, madd, 0),
	MUL("vnmsub", 0x2b, nmsub, 0),
	MUL("vmacc", 0x2d, macc, 0),
	MUL("vnmsac", 0x2f, nmsac, 0),
	/* to elements twice as wide */
	WIDE("vwaddu", 0x30, add, 0),
	WIDE("vwadd", 0x31, add, SIGNED),
	WIDE("vwsubu", 0x32, sub, 0),
	WIDE("vwsub", 0x33, sub, SIGNED),
	WIDER("vwaddu", 0x34, add, 0),
	WIDER("vwadd", 0x35, add, SIGNED),
	WIDER("vwsubu", 0x36, sub, 0),
	WIDER("vwsub", 0x37, sub, SIGNED),
	WIDE("vwmulu", 0x38, mul, 0),
	WIDE("vwmulsu", 0x3a, mul, A),
	WIDE("vwmul", 0x3b, mul, SIGNED),
	WIDE("vwmaccu", 0x3c, macc, 0),
	WIDE("vwmacc", 0x3d, macc, SIGNED),
	OPV("vwmaccus.vx", 0x3e, OPMVX, macc, RISCV_D_WIDE | A, VX),
	WIDE("vwmaccsu", 0x3f, macc, B),
	/* of elements less wide, by the logarithm of how much */
	UNARY("vzext.vf8", 0x12, 2, first, RISCV_NARROWER, 3),
	UNARY("vsext.vf8", 0x12, 3, first, RISCV_NARROWER | A, 3),
	UNARY("vzext.vf4", 0x12, 4, first, RISCV_NARROWER, 2),
	UNARY("vsext.vf4", 0x12, 5, first, RISCV_NARROWER | A, 2),
	UNARY("vzext.vf2", 0x12, 6, first, RISCV_NARROWER, 1),
	UNARY("vsext.vf2", 0x12, 7, first, RISCV_NARROWER | A, 1),
	/* Zvbb */
	VV_VX("vandn", 0x01, andn, 0),
	VV_VX("vror", 0x14, ror, 0),
	ROW("vror.vi", 0xf800707f, RISCV_OPV(0x14, RISCV_OPIVI), ror, 0, V6, 0),
	VV_VX("vrol", 0x15, rol, 0),
	OPV("vwsll.vv", 0x35, OPIVV, wsll, RISCV_D_WIDE, VV),
	OPV("vwsll.vx", 0x35, OPIVX, wsll, RISCV_D_WIDE, VX),
	OPV("vwsll.vi", 0x35, OPIVI, wsll, RISCV_D_WIDE, VU),
	UNARY("vbrev8.v", 0x12, 8, brev8, 0, 0),
	UNARY("vrev8.v", 0x12, 9, rev8, 0, 0),
	UNARY("vbrev.v", 0x12, 10, brev, 0, 0),
	UNARY("vclz.v", 0x12, 12, clz, 0, 0),
	UNARY("vctz.v", 0x12, 13, ctz, 0, 0),
	UNARY("vcpop.v", 0x12, 14, cpop, 0, 0),
	/* Zvbc; the upper half by `extra` */
	ROW("vclmul.vv", RISCV_ANY_MASK, RISCV_OPV(0x0c, RISCV_OPMVV), clmul, 0, VV, 0),
	ROW("vclmul.vx", RISCV_ANY_MASK, RISCV_OPV(0x0c, RISCV_OPMVX), clmul, 0, VX, 0),
	ROW("vclmulh.vv", RISCV_ANY_MASK, RISCV_OPV(0x0d, RISCV_OPMVV), clmul, 0, VV, 1),
	ROW("vclmulh.vx", RISCV_ANY_MASK, RISCV_OPV(0x0d, RISCV_OPMVX), clmul, 0, VX, 1),
	{NULL}};
/* clang-format on */
