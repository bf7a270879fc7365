/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: computations on integer registers. Extensions I, M, Zba, Zbb, Zbc, Zbs, Zbkb, Zbkc, Zbkx,
 * Zicond, and their forms of C and Zcb.
 *
 * A function value_NAME says what an instruction makes of its operands, for registers of `width`
 * bits, which it gets sign-extended; the handler sign-extends what it gives. Handlers are made
 * of it for both widths, with a second operand from a register or a constant. Source: the
 * unprivileged ISA manual (2025), the chapters of these extensions.
 */
#include "exec/riscv.h"
#include "exec/wide.h"

/* As an unsigned number of `width` bits. */
static struct exec_bits plain(struct exec_bits a, unsigned width)
{
	return width == 32 ? bits_zero_extend(a, 32) : a;
}

/* What only follows when all bits of the operands are known. */
#define NEEDS(condition) \
	if (!(condition)) \
	return bits_unknown()

/* ---- I ---- */

#define VALUE(name) \
	static inline struct exec_bits value_##name(struct exec_bits a, struct exec_bits b, \
	                                            unsigned width)
#define UNUSED_WIDTH (void)width

VALUE(add)
{
	UNUSED_WIDTH;
	return bits_add(a, b);
}
VALUE(sub)
{
	UNUSED_WIDTH;
	return bits_sub(a, b);
}
VALUE(and)
{
	UNUSED_WIDTH;
	return bits_and(a, b);
}
VALUE(or)
{
	UNUSED_WIDTH;
	return bits_or(a, b);
}
VALUE(xor)
{
	UNUSED_WIDTH;
	return bits_xor(a, b);
}
VALUE(slt)
{
	UNUSED_WIDTH;
	return bits_less_signed(a, b);
}
VALUE(sltu)
{
	UNUSED_WIDTH;
	return bits_less(a, b);
}
VALUE(sll)
{
	return bits_left_by(a, b, width);
}
VALUE(srl)
{
	return bits_right_by(plain(a, width), b, width);
}
VALUE(sra)
{
	return bits_right_signed_by(a, b, width);
}
VALUE(second)
{
	(void)a;
	UNUSED_WIDTH;
	return b;
}

/* ---- M ---- */

VALUE(mul)
{
	UNUSED_WIDTH;
	return bits_multiply(a, b);
}
VALUE(mulh)
{
	NEEDS(bits_both(a, b));
	if (width == 32)
		return bits_known((uint64_t)((int64_t)a.value * (int64_t)b.value >> 32));
	return bits_known(wide_signed_high(a.value, b.value));
}
VALUE(mulhu)
{
	NEEDS(bits_both(a, b));
	if (width == 32)
		return bits_known((a.value & UINT32_MAX) * (b.value & UINT32_MAX) >> 32);
	return bits_known(wide_product(a.value, b.value).high);
}
VALUE(mulhsu)
{
	NEEDS(bits_both(a, b));
	if (width == 32)
		return bits_known((uint64_t)((int64_t)a.value * (int64_t)(b.value & UINT32_MAX) >> 32));
	return bits_known(wide_product(a.value, b.value).high - (a.value >> 63 ? b.value : 0));
}

VALUE(div)
{
	UNUSED_WIDTH;
	return riscv_divide(a, b, true);
}
VALUE(rem)
{
	UNUSED_WIDTH;
	return riscv_remainder(a, b, true);
}
VALUE(divu)
{
	return riscv_divide(plain(a, width), plain(b, width), false);
}
VALUE(remu)
{
	return riscv_remainder(plain(a, width), plain(b, width), false);
}

/* ---- Zba, Zbb, Zbs ---- */

VALUE(sh1add)
{
	UNUSED_WIDTH;
	return bits_add(bits_left(a, 1), b);
}
VALUE(sh2add)
{
	UNUSED_WIDTH;
	return bits_add(bits_left(a, 2), b);
}
VALUE(sh3add)
{
	UNUSED_WIDTH;
	return bits_add(bits_left(a, 3), b);
}
VALUE(add_uw)
{
	return value_add(bits_zero_extend(a, 32), b, width);
}
VALUE(sh1add_uw)
{
	return value_sh1add(bits_zero_extend(a, 32), b, width);
}
VALUE(sh2add_uw)
{
	return value_sh2add(bits_zero_extend(a, 32), b, width);
}
VALUE(sh3add_uw)
{
	return value_sh3add(bits_zero_extend(a, 32), b, width);
}
VALUE(slli_uw)
{
	return value_sll(bits_zero_extend(a, 32), b, width);
}
VALUE(andn)
{
	UNUSED_WIDTH;
	return bits_and(a, bits_not(b));
}
VALUE(orn)
{
	UNUSED_WIDTH;
	return bits_or(a, bits_not(b));
}
VALUE(xnor)
{
	UNUSED_WIDTH;
	return bits_not(bits_xor(a, b));
}
VALUE(min)
{
	UNUSED_WIDTH;
	return bits_choose(bits_less_signed(a, b), a, b);
}
VALUE(max)
{
	UNUSED_WIDTH;
	return bits_choose(bits_less_signed(a, b), b, a);
}
VALUE(minu)
{
	UNUSED_WIDTH;
	return bits_choose(bits_less(a, b), a, b);
}
VALUE(maxu)
{
	UNUSED_WIDTH;
	return bits_choose(bits_less(a, b), b, a);
}
VALUE(rol)
{
	int n = bits_places(b, width);
	a = plain(a, width);
	NEEDS(n >= 0);
	return n ? bits_or(bits_left(a, (unsigned)n), bits_right(a, width - (unsigned)n)) : a;
}
VALUE(ror)
{
	int n = bits_places(b, width);
	NEEDS(n >= 0);
	return value_rol(a, bits_known(width - (unsigned)n), width);
}

/* The bit that the second operand names. */
static struct exec_bits one_bit(struct exec_bits b, unsigned width)
{
	int n = bits_places(b, width);
	return n >= 0 ? bits_known(UINT64_C(1) << n) : bits_unknown();
}

VALUE(bset)
{
	return bits_or(a, one_bit(b, width));
}
VALUE(bclr)
{
	return bits_and(a, bits_not(one_bit(b, width)));
}
VALUE(binv)
{
	return bits_xor(a, one_bit(b, width));
}
VALUE(bext)
{
	return bits_and(value_srl(a, b, width), bits_known(1));
}

/* ---- one operand, which is the first ---- */

VALUE(clz)
{
	(void)b;
	struct exec_bits n = bits_leading_zeros(plain(a, width));
	NEEDS(bits_all(n));
	return bits_known(n.value - (64 - width));
}
VALUE(ctz)
{
	(void)b;
	a = plain(a, width);
	uint64_t most = bits_most(a), least = bits_least(a);
	unsigned n = most ? (unsigned)__builtin_ctzll(most) : width;
	NEEDS(n == (least ? (unsigned)__builtin_ctzll(least) : width));
	return bits_known(n);
}
VALUE(cpop)
{
	(void)b;
	return bits_count(plain(a, width));
}
VALUE(sext_b)
{
	(void)b;
	UNUSED_WIDTH;
	return bits_sign_extend(a, 8);
}
VALUE(sext_h)
{
	(void)b;
	UNUSED_WIDTH;
	return bits_sign_extend(a, 16);
}
VALUE(zext_b)
{
	(void)b;
	UNUSED_WIDTH;
	return bits_zero_extend(a, 8);
}
VALUE(zext_h)
{
	(void)b;
	UNUSED_WIDTH;
	return bits_zero_extend(a, 16);
}
VALUE(zext_w)
{
	(void)b;
	UNUSED_WIDTH;
	return bits_zero_extend(a, 32);
}
VALUE(not )
{
	(void)b;
	UNUSED_WIDTH;
	return bits_not(a);
}

/* What moves bits does the same with the mask of those that are known. */
#define MOVES(name, move) \
	VALUE(name) \
	{ \
		(void)b; \
		a = plain(a, width); \
		return (struct exec_bits){move(a.value, width), move(a.known, width)}; \
	}

static uint64_t reversed_bytes(uint64_t value, unsigned width)
{
	return __builtin_bswap64(value) >> (64 - width);
}

/* The lower half's bits at even places, the upper half's at odd ones; and back. */
static uint64_t zipped(uint64_t value, unsigned width)
{
	uint64_t to = 0;
	for (unsigned i = 0; i < width / 2; i++)
		to |= (value >> i & 1) << 2 * i | (value >> (i + width / 2) & 1) << (2 * i + 1);
	return to;
}

static uint64_t unzipped(uint64_t value, unsigned width)
{
	uint64_t to = 0;
	for (unsigned i = 0; i < width / 2; i++)
		to |= (value >> 2 * i & 1) << i | (value >> (2 * i + 1) & 1) << (i + width / 2);
	return to;
}

MOVES(rev8, reversed_bytes)
MOVES(zip, zipped)
MOVES(unzip, unzipped)

VALUE(brev8)
{
	(void)b;
	return bits_reverse_in_bytes(plain(a, width));
}
VALUE(orc_b)
{
	(void)b;
	UNUSED_WIDTH;
	struct exec_bits to = {0, 0};
	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t value = a.value >> i & 0xff, known = a.known >> i & 0xff;
		to.value |= value ? UINT64_C(0xff) << i : 0;
		to.known |= value || known == 0xff ? UINT64_C(0xff) << i : 0;
	}
	return to;
}

/* ---- Zbkb, Zbkx, Zbc, Zicond ---- */

VALUE(pack)
{
	return bits_or(bits_zero_extend(a, width / 2),
	               bits_left(bits_zero_extend(b, width / 2), width / 2));
}
VALUE(packh)
{
	UNUSED_WIDTH;
	return bits_or(bits_zero_extend(a, 8), bits_left(bits_zero_extend(b, 8), 8));
}

/* Each piece of `bits` bits of the second operand chooses one of the first. */
static struct exec_bits chosen(struct exec_bits a, struct exec_bits b, unsigned width,
                               unsigned bits)
{
	struct exec_bits to = {0, 0};
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	for (unsigned i = 0; i < width; i += bits) {
		uint64_t which = b.value >> i & mask;
		if ((b.known >> i & mask) != mask)
			continue;
		bool is = which < width / bits;
		to.value |= (is ? a.value >> which * bits & mask : 0) << i;
		to.known |= (is ? a.known >> which * bits & mask : mask) << i;
	}
	return to;
}

VALUE(xperm4)
{
	return chosen(a, b, width, 4);
}
VALUE(xperm8)
{
	return chosen(a, b, width, 8);
}

/* Bits from `low` on of the product without carries. */
static struct exec_bits carryless_from(struct exec_bits a, struct exec_bits b, unsigned width,
                                       unsigned low)
{
	a = plain(a, width);
	b = plain(b, width);
	NEEDS(bits_both(a, b));
	return bits_known(wide_right(wide_carryless(a.value, b.value), low).low);
}

VALUE(clmul)
{
	return carryless_from(a, b, width, 0);
}
VALUE(clmulh)
{
	return carryless_from(a, b, width, width);
}
VALUE(clmulr)
{
	return carryless_from(a, b, width, width - 1);
}
VALUE(czero_eqz)
{
	UNUSED_WIDTH;
	return bits_choose(bits_equal(b, bits_known(0)), bits_known(0), a);
}
VALUE(czero_nez)
{
	UNUSED_WIDTH;
	return bits_choose(bits_equal(b, bits_known(0)), a, bits_known(0));
}

/* ---- handlers ---- */

#define HANDLER(name, suffix, second, width, as_wide) \
	static void run_##name##suffix(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		struct exec_bits a = as_wide(machine->word[op->rs1]), b = second; \
		riscv_put(machine, op->rd, as_wide(value_##name(a, as_wide(b), width))); \
	}
#define WORD(bits) bits_sign_extend(bits, 32)
#define WHOLE(bits) (bits)
#define IMMEDIATE bits_known((uint64_t)op->imm)
#define REGISTER machine->word[op->rs2]
#define HANDLERS(name) \
	HANDLER(name, _64, REGISTER, 64, WHOLE) HANDLER(name, _32, REGISTER, 32, WORD)
#define HANDLERS_IMM(name) \
	HANDLER(name, _imm_64, IMMEDIATE, 64, WHOLE) HANDLER(name, _imm_32, IMMEDIATE, 32, WORD)
#define BOTH(name) HANDLERS(name) HANDLERS_IMM(name)
/* Of 32 bits there is none. */
#define HANDLERS_64(name) HANDLER(name, _64, REGISTER, 64, WHOLE)

BOTH(add)
BOTH(and)
BOTH(or)
BOTH(xor) BOTH(slt) BOTH(sltu) BOTH(sll) BOTH(srl) BOTH(sra) BOTH(ror) BOTH(bset) BOTH(bclr)
	BOTH(binv) BOTH(bext) HANDLERS(sub) HANDLERS(second) HANDLERS_IMM(second) HANDLERS(mul)
		HANDLERS(mulh) HANDLERS(mulhu) HANDLERS(mulhsu) HANDLERS(div) HANDLERS(divu) HANDLERS(rem)
			HANDLERS(remu) HANDLERS(sh1add) HANDLERS(sh2add) HANDLERS(sh3add) HANDLERS_64(add_uw)
				HANDLERS_64(sh1add_uw) HANDLERS_64(sh2add_uw) HANDLERS_64(sh3add_uw)
					HANDLER(slli_uw, _imm_64, IMMEDIATE, 64, WHOLE) HANDLERS(andn) HANDLERS(orn)
						HANDLERS(xnor) HANDLERS(min) HANDLERS(max) HANDLERS(minu) HANDLERS(maxu)
							HANDLERS(rol) HANDLERS(clz) HANDLERS(ctz) HANDLERS(cpop)
								HANDLERS(sext_b) HANDLERS(sext_h) HANDLERS(zext_b) HANDLERS(zext_h)
									HANDLERS_64(zext_w) HANDLERS(not ) HANDLERS(rev8)
										HANDLERS(brev8) HANDLERS(zip) HANDLERS(unzip)
											HANDLERS(orc_b) HANDLERS(pack) HANDLERS(packh)
												HANDLERS(xperm4) HANDLERS(xperm8) HANDLERS(clmul)
													HANDLERS(clmulh) HANDLERS(clmulr)
														HANDLERS(czero_eqz) HANDLERS(czero_nez)

/* ---- the table ---- */

#define X(name, form, run) \
	{ \
		name, riscv_form_##form, {run_##run##_64, run_##run##_32}, 0, 0 \
	}
#define W(name, form, run) \
	{ \
		name, riscv_form_##form, {run_##run##_32, run_##run##_32}, 0, 0 \
	}
#define ONLY_64(name, form, run) \
	{ \
		name, riscv_form_##form, {run_##run##_64, NULL}, 0, 0 \
	}

															const
	struct riscv_row riscv_integer_rows[] = {
		/* I */
		X("lui", u, second_imm),
		X("addi", i, add_imm),
		X("slti", i, slt_imm),
		X("sltiu", i, sltu_imm),
		X("xori", i, xor_imm),
		X("ori", i, or_imm),
		X("andi", i, and_imm),
		X("slli", shift, sll_imm),
		X("srli", shift, srl_imm),
		X("srai", shift, sra_imm),
		W("addiw", i, add_imm),
		W("slliw", shift, sll_imm),
		W("srliw", shift, srl_imm),
		W("sraiw", shift, sra_imm),
		X("add", r, add),
		X("sub", r, sub),
		X("sll", r, sll),
		X("slt", r, slt),
		X("sltu", r, sltu),
		X("xor", r, xor),
		X("srl", r, srl),
		X("sra", r, sra),
		X("or", r, or),
		X("and", r, and),
		W("addw", r, add),
		W("subw", r, sub),
		W("sllw", r, sll),
		W("srlw", r, srl),
		W("sraw", r, sra),
		/* M */
		X("mul", r, mul),
		X("mulh", r, mulh),
		X("mulhsu", r, mulhsu),
		X("mulhu", r, mulhu),
		X("div", r, div),
		X("divu", r, divu),
		X("rem", r, rem),
		X("remu", r, remu),
		W("mulw", r, mul),
		W("divw", r, div),
		W("divuw", r, divu),
		W("remw", r, rem),
		W("remuw", r, remu),
		/* Zba */
		X("sh1add", r, sh1add),
		X("sh2add", r, sh2add),
		X("sh3add", r, sh3add),
		ONLY_64("add.uw", r, add_uw),
		ONLY_64("sh1add.uw", r, sh1add_uw),
		ONLY_64("sh2add.uw", r, sh2add_uw),
		ONLY_64("sh3add.uw", r, sh3add_uw),
		ONLY_64("slli.uw", shift, slli_uw_imm),
		/* Zbb */
		X("andn", r, andn),
		X("orn", r, orn),
		X("xnor", r, xnor),
		X("min", r, min),
		X("minu", r, minu),
		X("max", r, max),
		X("maxu", r, maxu),
		X("rol", r, rol),
		X("ror", r, ror),
		X("rori", shift, ror_imm),
		W("rolw", r, rol),
		W("rorw", r, ror),
		W("roriw", shift, ror_imm),
		X("clz", r, clz),
		X("ctz", r, ctz),
		X("cpop", r, cpop),
		W("clzw", r, clz),
		W("ctzw", r, ctz),
		W("cpopw", r, cpop),
		X("sext.b", r, sext_b),
		X("sext.h", r, sext_h),
		X("zext.h", r, zext_h),
		X("rev8", r, rev8),
		X("orc.b", r, orc_b),
		/* Zbs */
		X("bset", r, bset),
		X("bclr", r, bclr),
		X("binv", r, binv),
		X("bext", r, bext),
		X("bseti", shift, bset_imm),
		X("bclri", shift, bclr_imm),
		X("binvi", shift, binv_imm),
		X("bexti", shift, bext_imm),
		/* Zbkb, Zbkx, Zbc, Zicond */
		X("pack", r, pack),
		X("packh", r, packh),
		W("packw", r, pack),
		X("brev8", r, brev8),
		X("zip", r, zip),
		X("unzip", r, unzip),
		X("xperm4", r, xperm4),
		X("xperm8", r, xperm8),
		X("clmul", r, clmul),
		X("clmulh", r, clmulh),
		X("clmulr", r, clmulr),
		X("czero.eqz", r, czero_eqz),
		X("czero.nez", r, czero_nez),
		/* C */
		X("c.addi4spn", ciw, add_imm),
		X("c.addi", ci, add_imm),
		X("c.li", ci_li, second_imm),
		X("c.addi16sp", ci_sp, add_imm),
		X("c.lui", ci_lui, second_imm),
		X("c.srli", cb_imm, srl_imm),
		X("c.srai", cb_imm, sra_imm),
		X("c.andi", cb_imm, and_imm),
		X("c.slli", ci, sll_imm),
		X("c.sub", ca, sub),
		X("c.xor", ca, xor),
		X("c.or", ca, or),
		X("c.and", ca, and),
		W("c.addiw", ci, add_imm),
		W("c.subw", ca, sub),
		W("c.addw", ca, add),
		X("c.mv", cr_mv, second),
		X("c.add", cr, add),
		/* Zcb */
		X("c.mul", ca, mul),
		X("c.zext.b", ca, zext_b),
		X("c.sext.b", ca, sext_b),
		X("c.zext.h", ca, zext_h),
		X("c.sext.h", ca, sext_h),
		ONLY_64("c.zext.w", ca, zext_w),
		X("c.not", ca, not ),
		{NULL}};
