/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: where registers lie, windows, where control goes, and which row runs an encoding.
 */
#include "exec/sparc.h"

/* ---- registers ---- */

/* Floating-point registers are one file of 256 bytes, most significant first: %f0 is the upper half of
 * %d0, which is the upper half of %q0. */
static struct exec_place number_place(unsigned num)
{
	if (num < 32)
		return (struct exec_place){(uint16_t)(SPARC_D + 31 - num / 2), 1, 4, .is_part = true,
		                           .byte = num & 1 ? 0 : 4};
	if (num < 64)
		return (struct exec_place){(uint16_t)(SPARC_D + 31 - (num - 32)), 1, 8};
	if (num < 128 && num % 4 == 0)
		return (struct exec_place){(uint16_t)(SPARC_D + 30 - (num - 64) / 2), 2, 16};
	return (struct exec_place){0};
}

static struct exec_place csr_place(unsigned num)
{
	static const struct {
		uint16_t num;
		uint16_t word;
	} places[] = {{ISA_SPARC_ASR, SPARC_Y},
	              {ISA_SPARC_ASR + 3, SPARC_ASI},
	              {ISA_SPARC_ASR + 6, SPARC_FPRS},
	              {ISA_SPARC_ASR + 8, SPARC_FSR},
	              {ISA_SPARC_ASR + 9, SPARC_GSR},
	              {ISA_SPARC_PSTATE, SPARC_PSTATE},
	              {9, SPARC_CWP},
	              {10, SPARC_CANSAVE},
	              {11, SPARC_CANRESTORE},
	              {12, SPARC_CLEANWIN},
	              {13, SPARC_OTHERWIN}};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (places[i].num == num)
			return (struct exec_place){places[i].word, 1, 8};
	return (struct exec_place){0};
}

static struct exec_place sparc_place(const struct cairn_machine *machine, enum cairn_reg_class cls,
                                     unsigned num)
{
	(void)machine;
	switch (cls) {
	case CAIRN_REG_INT:
		if (num < 32)
			return (struct exec_place){sparc_source(num), 1, 8};
		break;
	case CAIRN_REG_FP:
		return number_place(num);
	case CAIRN_REG_CSR:
		return csr_place(num);
	case CAIRN_REG_PC:
		if (num < 2)
			return (struct exec_place){(uint16_t)(SPARC_PC + num), 1, 8};
		break;
	case CAIRN_REG_FLAGS:
		if (num == 0)
			return (struct exec_place){SPARC_CCR, 1, 8};
		break;
	default:
		break;
	}
	return (struct exec_place){0};
}

static void sparc_changed(struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num)
{
	struct exec_bits *word = machine->word;
	if (cls == CAIRN_REG_CSR && num == 9)
		sparc_forget_frames(machine);
	else if (cls == CAIRN_REG_CSR && num == ISA_SPARC_ASR + 8)
		sparc_take_codes(machine);
	else if (cls == CAIRN_REG_PC)
		word[SPARC_STRAIGHT] = bits_unknown();
	if (cls == CAIRN_REG_PC && num == 0)
		word[SPARC_NPC] = bits_unknown();
}

/* ---- windows ---- */

void sparc_forget_frames(struct cairn_machine *machine)
{
	for (unsigned i = 0; i < SPARC_MOST_FRAMES * SPARC_FRAME; i++)
		machine->word[SPARC_FRAMES + i] = bits_unknown();
}

static void count_window(struct cairn_machine *machine, unsigned word, bool more)
{
	struct exec_bits *count = &machine->word[word];
	*count = more ? bits_add(*count, bits_known(1)) : bits_sub(*count, bits_known(1));
}

/* Move words, with who wrote them; the words they came from are unknown then. */
static void move_words(struct cairn_machine *machine, unsigned to, unsigned from, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		machine->word[to + i] = machine->word[from + i];
		machine->writer[to + i] = machine->writer[from + i];
		machine->word[from + i] = bits_unknown();
	}
}

bool sparc_save_window(struct cairn_machine *machine)
{
	struct exec_bits *word = machine->word;
	bool clean = !bits_are_zero(bits_sub(word[SPARC_CLEANWIN], word[SPARC_CANRESTORE]));
	if (bits_are_zero(word[SPARC_CANSAVE]) || !clean) {
		exec_stop(machine, CAIRN_STEP_TRAP, "a window has to be spilled or cleaned");
		return false;
	}
	uint64_t top = (word[SPARC_TOP].value + 1) % SPARC_MOST_FRAMES;
	move_words(machine, SPARC_FRAMES + (unsigned)top * SPARC_FRAME, SPARC_R + 16, SPARC_FRAME);
	move_words(machine, SPARC_R + 24, SPARC_R + 8, 8);
	word[SPARC_TOP].value = top;
	word[SPARC_CWP] = bits_unknown();
	count_window(machine, SPARC_CANSAVE, false);
	count_window(machine, SPARC_CANRESTORE, true);
	return true;
}

bool sparc_restore_window(struct cairn_machine *machine)
{
	struct exec_bits *word = machine->word;
	uint64_t top = word[SPARC_TOP].value;
	if (bits_are_zero(word[SPARC_CANRESTORE])) {
		exec_stop(machine, CAIRN_STEP_TRAP, "a window has to be filled");
		return false;
	}
	move_words(machine, SPARC_R + 8, SPARC_R + 24, 8);
	move_words(machine, SPARC_R + 16, SPARC_FRAMES + (unsigned)top * SPARC_FRAME, SPARC_FRAME);
	word[SPARC_TOP].value = (top + SPARC_MOST_FRAMES - 1) % SPARC_MOST_FRAMES;
	word[SPARC_CWP] = bits_unknown();
	count_window(machine, SPARC_CANSAVE, true);
	count_window(machine, SPARC_CANRESTORE, false);
	return true;
}

/* ---- addresses ---- */

struct exec_bits sparc_address(struct cairn_machine *machine, struct exec_bits bits)
{
	enum { AM = 3 };
	uint64_t seen = machine->pc;
	if (machine->n_told && machine->told->address_known)
		seen |= machine->told->address;
	struct exec_bits *pstate = &machine->word[SPARC_PSTATE];
	if (seen >> 32) {
		pstate->known |= 1u << AM;
		pstate->value &= ~(UINT64_C(1) << AM);
	}
	return bits_choose(sparc_bit(*pstate, AM), bits_zero_extend(bits, 32), bits);
}

bool sparc_is_misaligned(struct cairn_machine *machine, struct exec_bits address, unsigned size)
{
	if (!(address.value & (size - 1)))
		return false;
	exec_stop(machine, CAIRN_STEP_TRAP, "the address is not aligned");
	return true;
}

/* ---- conditions ---- */

/* `holds` has a bit for each value of the codes. */
static struct exec_bits truth_of(struct exec_bits codes, unsigned n_values, uint32_t holds)
{
	bool any = false, all = true;
	if ((codes.known & (n_values - 1)) == n_values - 1)
		return bits_truth(holds >> (codes.value & (n_values - 1)) & 1, true);
	for (unsigned i = 0; i < n_values; i++) {
		bool possible = !((i ^ codes.value) & codes.known & (n_values - 1));
		any |= possible && holds >> i & 1;
		all &= !possible || holds >> i & 1;
	}
	return bits_truth(all, all || !any);
}

struct exec_bits sparc_condition(const struct cairn_machine *machine, unsigned codes, unsigned cond)
{
	/* never; e, le, l, leu, cs, neg, vs of N, Z, V and C in bits 3 to 0 */
	static const uint16_t integer[8] = {0, 0xf0f0, 0xf3fc, 0x33cc, 0xfafa, 0xaaaa, 0xff00, 0xcccc};
	/* never; ne, lg, ul, l, ug, g, u of equal, less, greater, unordered */
	static const uint16_t number[8] = {0, 0xe, 0x6, 0xa, 0x2, 0xc, 0x4, 0x8};
	bool inverted = cond & 8;
	uint32_t holds = codes < SPARC_ICC ? number[cond & 7] : integer[cond & 7];
	if (inverted)
		holds = ~holds;
	if (codes < SPARC_ICC)
		return truth_of(bits_right(machine->word[SPARC_FCC], 2 * codes), 4, holds);
	return truth_of(bits_right(machine->word[SPARC_CCR], codes == SPARC_XCC ? 4 : 0), 16, holds);
}

struct exec_bits sparc_register_condition(struct exec_bits bits, unsigned cond)
{
	enum { ZERO = 1, LESS_OR_ZERO = 2, LESS = 3, INVERTED = 4 };
	struct exec_bits truth = (cond & 3) == ZERO           ? bits_equal(bits, bits_known(0))
	                         : (cond & 3) == LESS_OR_ZERO ? bits_less_signed(bits, bits_known(1))
	                                                      : sparc_bit(bits, 63);
	return cond & INVERTED ? sparc_not(truth) : truth;
}

/* ---- which row ---- */

static void form_usual(struct exec_op *op)
{
	op->rd = sparc_target(op->enc >> 25 & 31);
	op->rs1 = sparc_source(op->enc >> 14 & 31);
	if (isa_sparc_has_constant(op->enc))
		sparc_constant(op, 13);
	else
		op->rs2 = sparc_source(op->enc & 31);
}

static bool sparc_translate(const struct cairn_machine *machine, const struct cairn_op *decoded,
                            struct exec_op *op)
{
	static const struct sparc_row *(*const rows[])(uint32_t) = {
		sparc_integer_row, sparc_control_row, sparc_memory_row, sparc_float_row,
		sparc_quad_row,    sparc_fused_row,   sparc_vis3_row,   sparc_vis_row};
	const struct sparc_row *row = NULL;
	(void)machine;
	(void)decoded;
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !row; i++)
		row = rows[i](op->enc);
	if (!row || !row->run)
		return false;
	op->run = row->run;
	op->width = row->width;
	op->extra = row->extra;
	form_usual(op);
	if (row->form)
		row->form(op);
	return true;
}

/* ---- where control goes ---- */

static struct exec_bits behind(struct exec_bits address)
{
	return bits_all(address) ? bits_known(address.value + 4) : bits_unknown();
}

/* The nPC is that of the step before if control came from there; otherwise the next instruction
 * lies behind this one. */
static void sparc_run(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits *word = machine->word;
	struct cairn_step *step = &machine->step;
	bool elsewhere = (word[SPARC_PC].value ^ machine->pc) & word[SPARC_PC].known;
	if (elsewhere)
		word[SPARC_NPC] = bits_unknown();
	else if (word[SPARC_STRAIGHT].value)
		word[SPARC_NPC] = bits_known(machine->pc + 4);
	struct exec_bits next = word[SPARC_NPC], after = behind(next);
	step->next = next.value;
	step->next_known = next.known;
	step->after = after.value;
	step->after_known = after.known;
	word[SPARC_STRAIGHT].value = 1;
	op->run(machine, op);
	word[SPARC_PC] = (struct exec_bits){step->next, step->next_known};
	word[SPARC_NPC] = (struct exec_bits){step->after, step->after_known};
	bool returns = op->cls == CAIRN_CLASS_SYSTEM && isa_sparc_op3(op->enc) == 0x3e;
	if (step->status == CAIRN_STEP_TRAP || step->status == CAIRN_STEP_ILLEGAL || returns)
		word[SPARC_STRAIGHT].value = 0;
}

const struct exec_set exec_sparc = {.translate = sparc_translate,
                                    .place = sparc_place,
                                    .changed = sparc_changed,
                                    .run = sparc_run,
                                    .big_endian = true};
