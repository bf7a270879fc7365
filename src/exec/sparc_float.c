/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: floating-point registers, their loads and stores, and the FSR.
 */
#include "exec/sparc.h"

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

/* FPRS.DL or DU is set. A processor may set the other as well (JPS1, FPRS). */
static void mark_written(struct cairn_machine *machine, bool upper)
{
	enum { DL = 1, DU = 2 };
	struct exec_bits fprs = machine->word[SPARC_FPRS];
	uint64_t is = upper ? DU : DL, maybe = (DL | DU) ^ is;
	if (fprs.value & is && !(fprs.known & ~fprs.value & maybe))
		return;
	fprs.value |= is;
	fprs.known |= is;
	fprs.known &= ~(maybe & ~fprs.value);
	sparc_put_state(machine, SPARC_FPRS, 6, fprs);
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

static unsigned rd_field(const struct exec_op *op)
{
	return op->enc >> 25 & 31;
}

static void run_load_single(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_put_single(machine, rd_field(op), sparc_load(machine, op, address, 4));
}

static void run_store_single(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_store(machine, op, address, 4, sparc_single(machine, rd_field(op)), false);
}

static void run_load_double(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_put_double(machine, rd_field(op), sparc_load(machine, op, address, 8));
}

static void run_store_double(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits address;
	if (sparc_has_float(machine) && sparc_address_of(machine, op, &address))
		sparc_store(machine, op, address, 8, sparc_double(machine, rd_field(op)), false);
}

/* ---- FSR ---- */

enum { FSR_FTT = 14, FSR_VER = 17 };

void sparc_put_fsr(struct cairn_machine *machine, struct exec_bits fsr)
{
	sparc_put_state(machine, SPARC_FSR, 8, fsr);
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
	exec_put(machine, SPARC_FCC, CAIRN_REG_FLAGS, 1, sparc_codes_of_fsr(machine->word[SPARC_FSR]));
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

/* ---- the table ---- */

#define BOTH(op3, run, width) \
	[op3] = {run_##run, NULL, width, 0}, [(op3) | 0x10] = {run_##run, NULL, width, SPARC_STATED}

const struct sparc_row *sparc_float_row(uint32_t enc)
{
	static const struct sparc_row accesses[64] = {
		BOTH(0x20, load_single, 4),
		BOTH(0x23, load_double, 8),
		BOTH(0x24, store_single, 4),
		BOTH(0x27, store_double, 8),
		[0x21] = {run_load_fsr, form_fsr, 4, 0},
		[0x25] = {run_store_fsr, form_fsr, 4, 0},
	};
	unsigned op3 = sparc_op3(enc);
	if (enc >> 30 != 3)
		return NULL;
	return accesses[op3].run ? &accesses[op3] : NULL;
}
