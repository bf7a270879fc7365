/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: floating-point registers, their loads and stores, the FSR, and arithmetic on numbers of 32
 * and 64 bits (of 128: sparc_quad.c).
 *
 * An operation needs all bits of its operands. Where the rounding mode is not known, the result
 * has the bits that all modes agree on. What implementations decide is not known: whether
 * an underflow is detected before or after rounding (V9, implementation dependency 55), and what
 * becomes of subnormal numbers in the nonstandard mode.
 */
#include "exec/sparc_float.h"

#include "exec/float.h"

/* ---- registers ---- */

bool sparc_has_float(struct cairn_machine *machine)
{
	enum { FEF = 2, PEF = 4 };
	struct exec_bits fprs = machine->word[SPARC_FPRS], pstate = machine->word[SPARC_PSTATE];
	bool off = (fprs.known & ~fprs.value) >> FEF & 1 || (pstate.known & ~pstate.value) >> PEF & 1;
	if (off)
		exec_stop(machine, CAIRN_STEP_TRAP, "floating point is off");
	return !off;
}

void sparc_mark_dirty(struct cairn_machine *machine, uint64_t sure)
{
	enum { DL = 1, DU = 2 };
	struct exec_bits before = machine->word[SPARC_FPRS], fprs = before;
	fprs.value |= sure;
	fprs.known = (fprs.known & ~(uint64_t)(DL | DU)) | (fprs.value & (DL | DU));
	if (fprs.value != before.value || fprs.known != before.known)
		sparc_put_state(machine, SPARC_FPRS, 6, fprs);
}

static void mark_written(struct cairn_machine *machine, bool upper)
{
	sparc_mark_dirty(machine, upper ? SPARC_DIRTY_UPPER : SPARC_DIRTY_LOWER);
}

struct exec_bits sparc_single(const struct cairn_machine *machine, unsigned field)
{
	struct exec_bits bits = machine->word[SPARC_D + 31 - field / 2];
	return field & 1 ? bits_zero_extend(bits, 32) : bits_right(bits, 32);
}

void sparc_put_single(struct cairn_machine *machine, unsigned field, struct exec_bits bits)
{
	struct exec_bits *word = &machine->word[SPARC_D + 31 - field / 2];
	bits = bits_zero_extend(bits, 32);
	exec_log(machine, SPARC_D + 31 - field / 2, CAIRN_REG_FP, field, sparc_single(machine, field),
	         bits);
	if (field & 1)
		*word = bits_or(bits_left(bits_right(*word, 32), 32), bits);
	else
		*word = bits_or(bits_left(bits, 32), bits_zero_extend(*word, 32));
	mark_written(machine, false);
}

/* Double registers by their index: bit 0 of the field is its topmost bit. */
static unsigned index_of(unsigned field)
{
	return field >> 1 | (field & 1) << 4;
}

struct exec_bits sparc_double(const struct cairn_machine *machine, unsigned field)
{
	return machine->word[SPARC_D + 31 - index_of(field)];
}

static void put_indexed(struct cairn_machine *machine, unsigned index, struct exec_bits bits)
{
	exec_put(machine, SPARC_D + 31 - index, CAIRN_REG_FP, 32 + index, bits);
	mark_written(machine, index >= 16);
}

void sparc_put_double(struct cairn_machine *machine, unsigned field, struct exec_bits bits)
{
	put_indexed(machine, index_of(field), bits);
}

/* ---- loads and stores ---- */

static void run_load_single(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_put_single(machine, isa_sparc_rd(op->enc), sparc_load(machine, op, address, 4));
}

static void run_store_single(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_store(machine, op, address, 4, sparc_single(machine, isa_sparc_rd(op->enc)), false);
}

static void run_load_double(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_put_double(machine, isa_sparc_rd(op->enc), sparc_load(machine, op, address, 8));
}

static void run_store_double(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_store(machine, op, address, 8, sparc_double(machine, isa_sparc_rd(op->enc)), false);
}

/* ---- doubles of stated spaces: some load and store blocks of eight, or their lowest bytes ---- */

enum { ASI_PRIMARY = 0x80, ASI_BYTE = 0xd0, ASI_HALF = 0xd2, ASI_BLOCK = 0xf0, ASI_LITTLE = 8 };

/* The kind of such an access, without the order of bytes; 0: another space, or not known. */
static unsigned kind_of_asi(const struct cairn_machine *machine, const struct exec_op *op)
{
	int asi = sparc_stated_asi(machine, op);
	unsigned kind = asi < 0 ? 0 : (unsigned)asi & ~(unsigned)ASI_LITTLE;
	if (op->cls == CAIRN_CLASS_LOAD && kind == (ASI_PRIMARY | 2)) /* no fault */
		return ASI_PRIMARY;
	return kind == ASI_PRIMARY || kind == ASI_BYTE || kind == ASI_HALF || kind == ASI_BLOCK ? kind
	                                                                                        : 0;
}

static bool is_little(const struct cairn_machine *machine, const struct exec_op *op)
{
	return sparc_stated_asi(machine, op) & ASI_LITTLE;
}

/* The address of an access of one of these kinds; false: not aligned. */
static bool stated_address(struct cairn_machine *machine, const struct exec_op *op, unsigned kind,
                           struct exec_bits *address)
{
	struct exec_op other = *op;
	other.width = kind == ASI_BLOCK ? 64 : kind == ASI_HALF ? 2 : kind == ASI_PRIMARY ? 8 : 1;
	return sparc_has_float(machine) && sparc_address_of(machine, &other, address);
}

/* How many doubles the access moves. Of a space that is not known it may be a block, which is an
 * illegal instruction where the register's number is no multiple of 16. 0: it is that. */
static unsigned doubles_of(struct cairn_machine *machine, const struct exec_op *op, unsigned kind)
{
	int asi = sparc_stated_asi(machine, op);
	bool aligned = index_of(isa_sparc_rd(op->enc)) % 8 == 0;
	bool block = kind ? kind == ASI_BLOCK : asi >= 0 && isa_sparc_is_block((unsigned)asi);
	if (block && !aligned) {
		exec_stop(machine, CAIRN_STEP_TRAP, "a block begins with a register of another number");
		return 0;
	}
	return aligned && (block || asi < 0) ? 8 : 1;
}

static void run_load_stated(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned kind = kind_of_asi(machine, op), n = doubles_of(machine, op, kind);
	unsigned size = kind == ASI_BYTE ? 1 : kind == ASI_HALF ? 2 : 8;
	unsigned first = index_of(isa_sparc_rd(op->enc));
	struct exec_bits address;
	if (!n || !stated_address(machine, op, kind, &address))
		return;
	if (!kind)
		exec_undetermined(machine, "what this address space holds is not determined");
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits bits = bits_unknown();
		if (kind)
			bits = exec_load(machine, bits_add(address, bits_known(8 * i)), size);
		put_indexed(machine, first + i, is_little(machine, op) ? sparc_swapped(bits, size) : bits);
	}
}

static void run_store_stated(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned kind = kind_of_asi(machine, op), n = doubles_of(machine, op, kind);
	unsigned size = kind == ASI_BYTE ? 1 : kind == ASI_HALF ? 2 : 8;
	unsigned first = index_of(isa_sparc_rd(op->enc));
	struct exec_bits address;
	if (!n || !stated_address(machine, op, kind, &address))
		return;
	if (!kind) {
		exec_undetermined(machine, "what a store to this address space changes is not determined");
		cairn_machine_forget_memory(machine);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits bits = machine->word[SPARC_D + 31 - first - i];
		bits = is_little(machine, op) ? sparc_swapped(bits, size) : bits;
		exec_store(machine, bits_add(address, bits_known(8 * i)), size, bits, false);
	}
}

/* ---- FSR ---- */

enum { FSR_FTT = 14, FSR_VER = 17 };

void sparc_put_fsr(struct cairn_machine *machine, struct exec_bits fsr)
{
	sparc_put_state(machine, SPARC_FSR, 8, fsr);
}

/* In FSR %fcc0 has bits 11:10, %fcc1 to %fcc3 those from 32 on. */
void sparc_take_codes(struct cairn_machine *machine)
{
	struct exec_bits fsr = machine->word[SPARC_FSR];
	struct exec_bits first = bits_and(bits_right(fsr, 10), bits_known(3));
	machine->word[SPARC_FCC] = bits_or(first, bits_and(bits_right(fsr, 30), bits_known(0xfc)));
}

/* Loads leave the version and what traps leave alone; bits that are not defined are 0. */
static void run_load_fsr(struct cairn_machine *machine, const struct exec_op *op)
{
	const uint64_t low = UINT64_C(0xcfc00fff), codes = UINT64_C(0x3f) << 32;
	struct exec_bits address;
	if (!sparc_has_float(machine) || !sparc_address_of(machine, op, &address))
		return;
	struct exec_bits mask = bits_known(op->width == 8 ? low | codes : low);
	struct exec_bits loaded = bits_and(sparc_load(machine, op, address, op->width), mask);
	struct exec_bits kept = bits_and(machine->word[SPARC_FSR], bits_not(mask));
	sparc_put_fsr(machine, bits_or(kept, loaded));
	sparc_take_codes(machine);
}

/* Stores leave no trap type behind. */
static void run_store_fsr(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address, fsr = machine->word[SPARC_FSR];
	struct exec_bits cleared = bits_and(fsr, bits_known(~(UINT64_C(7) << FSR_FTT)));
	if (!sparc_has_float(machine) || !sparc_address_of(machine, op, &address))
		return;
	sparc_store(machine, op, address, op->width, fsr, false);
	if (cleared.value != fsr.value || cleared.known != fsr.known)
		sparc_put_fsr(machine, cleared);
}

static void form_fsr(struct exec_op *op)
{
	op->width = op->enc >> 25 & 1 ? 8 : 4;
}

/* ---- arithmetic ---- */

const struct float_format *sparc_format_of(unsigned kind)
{
	return kind == SPARC_SINGLE ? &float_single : &float_double;
}

struct exec_bits sparc_read_kind(const struct cairn_machine *machine, unsigned kind, unsigned field)
{
	bool half = kind == SPARC_SINGLE || kind == SPARC_INTEGER;
	return half ? sparc_single(machine, field) : sparc_double(machine, field);
}

void sparc_put_kind(struct cairn_machine *machine, unsigned kind, unsigned field,
                    struct exec_bits bits)
{
	if (kind == SPARC_SINGLE || kind == SPARC_INTEGER)
		sparc_put_single(machine, field, bits);
	else
		sparc_put_double(machine, field, bits);
}

/* GSR.IM has another one in force than FSR.RD. */
unsigned sparc_rounding_modes(const struct cairn_machine *machine)
{
	static const uint8_t mode_of[4] = {FLOAT_NEAREST_EVEN, FLOAT_TO_ZERO, FLOAT_UP, FLOAT_DOWN};
	enum { RD = 30, IM = 27 };
	struct exec_bits fsr = machine->word[SPARC_FSR], gsr = machine->word[SPARC_GSR];
	unsigned modes = 0;
	if (!((gsr.known & ~gsr.value) >> IM & 1))
		return 0xf;
	for (unsigned i = 0; i < 4; i++)
		if (!((i ^ fsr.value >> RD) & fsr.known >> RD & 3))
			modes |= 1u << mode_of[i];
	return modes;
}

struct float_env sparc_environment(unsigned rounding)
{
	return (struct float_env){.rounding = (uint8_t)rounding,
	                          .nans = FLOAT_LAST_NAN,
	                          .full_nan = true,
	                          .tiny_before = true};
}

bool sparc_keeps_subnormals(const struct cairn_machine *machine)
{
	enum { NS = 22 };
	struct exec_bits fsr = machine->word[SPARC_FSR];
	return (fsr.known & ~fsr.value) >> NS & 1;
}

bool sparc_traps_when_tiny(const struct cairn_machine *machine)
{
	enum { UFM = 25 };
	return machine->word[SPARC_FSR].value >> UFM & 1;
}

/* Flags in the order of FSR: invalid, overflow, underflow, division by 0, inexact. */
static uint64_t fsr_flags(unsigned flags)
{
	return (flags & (FLOAT_INVALID | FLOAT_INEXACT)) | (flags & FLOAT_OVERFLOW) << 1 |
	       (flags & FLOAT_UNDERFLOW) << 1 | (flags & FLOAT_DIVIDE_BY_ZERO) >> 2;
}

bool sparc_raise_flags(struct cairn_machine *machine, unsigned sure, unsigned maybe)
{
	enum { CURRENT = 0x1f, ACCRUED = 5, ENABLED = 23 };
	struct exec_bits before = machine->word[SPARC_FSR];
	struct exec_bits flags = {fsr_flags(sure), ~(fsr_flags(sure) ^ fsr_flags(maybe))};
	if (before.value >> ENABLED & flags.value & CURRENT) {
		exec_stop(machine, CAIRN_STEP_TRAP, "a floating-point exception");
		return false;
	}
	struct exec_bits kept = bits_known(~(uint64_t)(CURRENT | 7u << FSR_FTT));
	struct exec_bits fsr = bits_or(bits_and(before, kept), flags);
	fsr = bits_or(fsr, bits_left(flags, ACCRUED));
	if (fsr.value != before.value || fsr.known != before.known)
		sparc_put_fsr(machine, fsr);
	return true;
}

SPARC_OPERATION(fadd, 2, float_add(env, format, number[0], number[1]))
SPARC_OPERATION(fsub, 2, float_subtract(env, format, number[0], number[1]))
SPARC_OPERATION(fmul, 2, float_multiply(env, format, number[0], number[1]))
SPARC_OPERATION(fdiv, 2, float_divide(env, format, number[0], number[1]))
SPARC_OPERATION(fsqrt, 1, float_square_root(env, format, number[0]))
SPARC_OPERATION(convert, 1, float_convert(env, format, sparc_format_of(op->extra), number[0]))

/* A product of singles as a double is exact. */
static uint64_t double_product(struct float_env *env, const uint64_t *number)
{
	uint64_t nan = float_is_nan(&float_single, number[0]) || float_is_nan(&float_single, number[1])
	                   ? float_nan_of(env, &float_single, number, 2)
	                   : 0;
	if (nan)
		return float_convert(env, &float_single, &float_double, nan);
	uint64_t a = float_convert(env, &float_single, &float_double, number[0]);
	uint64_t b = float_convert(env, &float_single, &float_double, number[1]);
	return float_multiply(env, &float_double, a, b);
}

SPARC_OPERATION(exact_product, 2, double_product(env, number))

/* The manual does not say whether a signalling NaN goes before a quiet one in rs2 once both have
 * been converted (V9, B.2). */
static void run_fsmuld(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_single(machine, op->enc >> 14 & 31);
	struct exec_bits b = sparc_single(machine, op->enc & 31);
	bool open = bits_both(a, b) && float_classify(&float_single, a.value) == FLOAT_SIGNALLING_NAN &&
	            float_classify(&float_single, b.value) == FLOAT_QUIET_NAN;
	if (!open)
		run_exact_product(machine, op);
	else if (sparc_has_float(machine) && sparc_raise_flags(machine, FLOAT_INVALID, FLOAT_INVALID))
		sparc_put_double(machine, isa_sparc_rd(op->enc), bits_unknown());
}

/* What has no room, and a NaN, becomes the greatest or the least number by its sign (V9, B.5). */
static uint64_t to_integer(struct float_env *env, const struct exec_op *op, uint64_t number)
{
	const struct float_format *format = sparc_format_of(op->width);
	unsigned bits = op->extra == SPARC_LONG ? 64 : 32;
	uint64_t most = UINT64_MAX >> (65 - bits);
	bool negative = number & float_sign_bit(format);
	env->rounding = FLOAT_TO_ZERO;
	return float_to_integer(env, format, number, bits, true, negative ? most + 1 : most);
}

SPARC_OPERATION(to_integer, 1, to_integer(env, op, number[0]))
SPARC_OPERATION(from_integer, 1,
                float_from_integer(env, sparc_format_of(op->extra),
                                   op->width == SPARC_LONG ? number[0]
                                                           : (uint64_t)(int32_t)number[0],
                                   true))

/* ---- comparison ---- */

enum { SIGNALLING = 1 }; /* sparc_row.extra */

void sparc_put_codes(struct cairn_machine *machine, unsigned which, struct exec_bits codes)
{
	unsigned at = which ? 30 + 2 * which : 10;
	struct exec_bits mask = bits_known(UINT64_C(3) << at), fsr = machine->word[SPARC_FSR];
	codes = bits_and(bits_left(codes, at), mask);
	sparc_put_fsr(machine, bits_or(bits_and(fsr, bits_not(mask)), codes));
	sparc_take_codes(machine);
}

struct exec_bits sparc_codes_of(enum float_order order)
{
	static const uint8_t code_of[4] = {1, 0, 2, 3}; /* less, equal, greater, unordered */
	return bits_known(code_of[order + 1]);
}

static void run_fcmp(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_read_kind(machine, op->width, op->enc >> 14 & 31), codes = {0, 0};
	struct exec_bits b = sparc_read_kind(machine, op->width, op->enc & 31);
	struct float_env env = {0};
	bool known = bits_both(a, b);
	if (!sparc_has_float(machine))
		return;
	if (known) {
		enum float_order order = float_compare(&env, sparc_format_of(op->width), a.value, b.value,
		                                       op->extra & SIGNALLING);
		codes = sparc_codes_of(order);
	}
	if (sparc_raise_flags(machine, env.flags, known ? env.flags : FLOAT_INVALID))
		sparc_put_codes(machine, isa_sparc_rd(op->enc) & 3, codes);
}

/* ---- moves ---- */

static void run_move(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits bits = sparc_read_kind(machine, op->width, op->enc & 31);
	struct exec_bits sign = bits_known(float_sign_bit(sparc_format_of(op->width)));
	if (!sparc_has_float(machine) || !sparc_raise_flags(machine, 0, 0))
		return;
	if (op->extra == SPARC_SIGN_INVERTED)
		bits = bits_xor(bits, sign);
	if (op->extra == SPARC_SIGN_CLEARED)
		bits = bits_and(bits, bits_not(sign));
	sparc_put_kind(machine, op->width, isa_sparc_rd(op->enc), bits);
}

struct exec_bits sparc_moves_on_codes(const struct cairn_machine *machine, const struct exec_op *op)
{
	return sparc_condition(machine, op->extra & 7, op->extra >> 3);
}

struct exec_bits sparc_moves_on_register(const struct cairn_machine *machine,
                                         const struct exec_op *op)
{
	return sparc_register_condition(machine->word[op->rs1], op->extra);
}

/* The processor decides whether registers count as written when nothing is moved. */
static void move_if(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits truth)
{
	struct exec_bits before = sparc_read_kind(machine, op->width, isa_sparc_rd(op->enc));
	struct exec_bits moved = sparc_read_kind(machine, op->width, op->enc & 31);
	struct exec_bits fprs = machine->word[SPARC_FPRS];
	if (!sparc_has_float(machine) || !sparc_raise_flags(machine, 0, 0))
		return;
	sparc_put_kind(machine, op->width, isa_sparc_rd(op->enc), bits_choose(truth, moved, before));
	if (truth.value & 1)
		return;
	machine->word[SPARC_FPRS] = fprs;
	sparc_mark_dirty(machine, 0);
}

static void run_move_on_codes(struct cairn_machine *machine, const struct exec_op *op)
{
	move_if(machine, op, sparc_moves_on_codes(machine, op));
}

static void run_move_on_register(struct cairn_machine *machine, const struct exec_op *op)
{
	move_if(machine, op, sparc_moves_on_register(machine, op));
}

void sparc_form_move_on_codes(struct exec_op *op)
{
	op->extra = (uint8_t)((op->enc >> 11 & 7) | (op->enc >> 14 & 15) << 3);
}

void sparc_form_move_on_register(struct exec_op *op)
{
	op->extra = op->enc >> 10 & 7;
}

/* ---- the tables ---- */

struct float_row {
	uint16_t opf;
	struct sparc_row row;
};

#define OP(opf, run, from, to) \
	{ \
		opf, \
		{ \
			run_##run, NULL, from, to \
		} \
	}
#define WIDTHS(opf, run) \
	OP(opf, run, SPARC_SINGLE, SPARC_SINGLE), OP((opf) + 1, run, SPARC_DOUBLE, SPARC_DOUBLE)
#define MOVES(opf, how) OP(opf, move, SPARC_SINGLE, how), OP((opf) + 1, move, SPARC_DOUBLE, how)

static const struct sparc_row *operation_row(unsigned opf)
{
	static const struct float_row all[] = {
		MOVES(0x01, SPARC_SIGN_KEPT),
		MOVES(0x05, SPARC_SIGN_INVERTED),
		MOVES(0x09, SPARC_SIGN_CLEARED),
		WIDTHS(0x29, fsqrt),
		WIDTHS(0x41, fadd),
		WIDTHS(0x45, fsub),
		WIDTHS(0x49, fmul),
		WIDTHS(0x4d, fdiv),
		OP(0x69, fsmuld, SPARC_SINGLE, SPARC_DOUBLE),
		OP(0x81, to_integer, SPARC_SINGLE, SPARC_LONG),
		OP(0x82, to_integer, SPARC_DOUBLE, SPARC_LONG),
		OP(0xd1, to_integer, SPARC_SINGLE, SPARC_INTEGER),
		OP(0xd2, to_integer, SPARC_DOUBLE, SPARC_INTEGER),
		OP(0x84, from_integer, SPARC_LONG, SPARC_SINGLE),
		OP(0x88, from_integer, SPARC_LONG, SPARC_DOUBLE),
		OP(0xc4, from_integer, SPARC_INTEGER, SPARC_SINGLE),
		OP(0xc8, from_integer, SPARC_INTEGER, SPARC_DOUBLE),
		OP(0xc6, convert, SPARC_DOUBLE, SPARC_SINGLE),
		OP(0xc9, convert, SPARC_SINGLE, SPARC_DOUBLE),
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].opf == opf)
			return &all[i].row;
	return NULL;
}

/* Comparisons, and moves on a condition, whose opf has the condition codes above the width. */
static const struct sparc_row *condition_row(unsigned opf)
{
	static const struct sparc_row compare[8] = {
		[1] = {run_fcmp, NULL, SPARC_SINGLE, 0},
		[2] = {run_fcmp, NULL, SPARC_DOUBLE, 0},
		[5] = {run_fcmp, NULL, SPARC_SINGLE, SIGNALLING},
		[6] = {run_fcmp, NULL, SPARC_DOUBLE, SIGNALLING},
	};
	static const struct sparc_row on_codes[4] = {
		[1] = {run_move_on_codes, sparc_form_move_on_codes, SPARC_SINGLE, 0},
		[2] = {run_move_on_codes, sparc_form_move_on_codes, SPARC_DOUBLE, 0},
	};
	static const struct sparc_row on_register[4] = {
		[1] = {run_move_on_register, sparc_form_move_on_register, SPARC_SINGLE, 0},
		[2] = {run_move_on_register, sparc_form_move_on_register, SPARC_DOUBLE, 0},
	};
	const struct sparc_row *row = opf >> 3 == 0x0a     ? &compare[opf & 7]
	                              : (opf & 0x3c) == 0  ? &on_codes[opf & 3]
	                              : (opf & 0x11c) == 4 ? &on_register[opf & 3]
	                                                   : NULL;
	return row && row->run ? row : NULL;
}

#define BOTH(op3, run, width) \
	[op3] = {run_##run, NULL, width, 0}, [(op3) | 0x10] = {run_##run, NULL, width, SPARC_STATED}

const struct sparc_row *sparc_float_row(uint32_t enc)
{
	static const struct sparc_row accesses[64] = {
		BOTH(0x20, load_single, 4),
		BOTH(0x24, store_single, 4),
		[0x23] = {run_load_double, NULL, 8, 0},
		[0x27] = {run_store_double, NULL, 8, 0},
		[0x33] = {run_load_stated, NULL, 8, SPARC_STATED},
		[0x37] = {run_store_stated, NULL, 8, SPARC_STATED},
		[0x21] = {run_load_fsr, form_fsr, 4, 0},
		[0x25] = {run_store_fsr, form_fsr, 4, 0},
	};
	unsigned op3 = isa_sparc_op3(enc), opf = enc >> 5 & 511;
	if (enc >> 30 == 3)
		return accesses[op3].run ? &accesses[op3] : NULL;
	if (enc >> 30 == 2 && op3 == 0x34)
		return operation_row(opf);
	return enc >> 30 == 2 && op3 == 0x35 ? condition_row(opf) : NULL;
}
