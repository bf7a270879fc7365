/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A difference in a sentence: what the trace has, what the instruction makes of which inputs, and
 * which instructions wrote those.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/written.h"
#include "lockstep/walk.h"

/* Append; what does not fit is cut off. */
static void CAIRN_PRINTF(2, 3) text_add(struct lockstep *lockstep, const char *format, ...)
{
	size_t at = strlen(lockstep->text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(lockstep->text + at, sizeof lockstep->text - at, format, arguments);
	va_end(arguments);
}

/* Append a number in hexadecimal; a digit with an unknown bit is a question mark. */
static void add_number(struct lockstep *lockstep, uint64_t value, uint64_t known, unsigned bits)
{
	char digits[19];
	unsigned n = 0, most = (bits + 3) / 4;
	bool begun = false;
	for (unsigned i = most; i-- > 0;) {
		unsigned is = (known >> 4 * i) & 15, digit = (value >> 4 * i) & 15;
		unsigned all = i + 1 == most && bits % 4 ? (1u << bits % 4) - 1 : 15;
		begun = begun || digit || (is & all) != all || i == 0;
		if (begun)
			digits[n++] = (is & all) != all ? '?' : "0123456789abcdef"[digit];
	}
	digits[n] = 0;
	text_add(lockstep, "0x%s", digits);
}

static void add_name(struct lockstep *lockstep, unsigned cls, unsigned num)
{
	char buf[32];
	text_add(
		lockstep, "%s",
		cairn_reg_abi_name(lockstep_set(lockstep->hart->isa), (enum cairn_reg_class)cls, num, buf));
}

/* Append the instruction as a disassembler writes it, or its encoding. */
static void add_instruction(struct lockstep *lockstep)
{
	const struct cairn_insn *insn = &lockstep->batch->insns[lockstep->slot];
	enum cairn_isa isa = (enum cairn_isa)insn->isa;
	const char *text;
	if (lockstep->disasm && lockstep->disasm_isa != isa) {
		cairn_disasm_free(lockstep->disasm);
		lockstep->disasm = NULL;
	}
	lockstep->disasm_isa = isa;
	if (!lockstep->disasm &&
	    cairn_disasm_new(lockstep->cairn, isa, lockstep->opts.isa_string, &lockstep->disasm) < 0)
		lockstep->disasm = NULL;
	if (!lockstep->disasm) {
		text_add(lockstep, "the instruction 0x%0*" PRIx32, 2 * insn->size, insn->enc);
		return;
	}
	size_t n = cairn_disasm_text(lockstep->disasm, insn->pc, insn->enc, insn->size, &text);
	text_add(lockstep, "\"%.*s\"", n < 80 ? (int)n : 80, text);
}

/* Append a register as the instruction found it, and who wrote it. */
static bool add_input(struct lockstep *lockstep, const struct cairn_operand *operand,
                      const char *before)
{
	const struct cairn_machine *machine = lockstep->hart->machine;
	const struct cairn_step *step = lockstep->step;
	struct exec_place place = exec_place_of(machine, operand->cls, operand->num);
	if (!place.words || place.word >= EXEC_WORDS)
		return false;
	struct exec_bits bits = machine->word[place.word];
	uint64_t writer = machine->writer[place.word];
	for (unsigned i = 0; step && i < step->n_regs; i++)
		if (step->regs[i].cls == operand->cls && step->regs[i].num == operand->num) {
			bits = machine->before[step->regs[i].word];
			writer = machine->before_writer[i];
			break;
		}
	if (!bits.known)
		return false;
	text_add(lockstep, "%s", before);
	add_name(lockstep, operand->cls, operand->num);
	text_add(lockstep, " = ");
	add_number(lockstep, bits.value, bits.known, 8u * (place.size < 8 ? place.size : 8));
	if (writer)
		text_add(lockstep, " (written by instruction %" PRIu64 ")", writer);
	return true;
}

/* `before`, and "x5 = 0x14 (written by instruction 4711) and x6 = 0x2" */
static void add_inputs(struct lockstep *lockstep, const char *before)
{
	const struct cairn_insn *insn = &lockstep->batch->insns[lockstep->slot];
	enum cairn_isa isa = (enum cairn_isa)(insn->isa | insn->variant);
	struct cairn_operands operands;
	struct isa_written written;
	isa_written(isa, insn->enc, insn->size, &written);
	if (written.window) /* the inputs have other names now */
		return;
	if (cairn_isa_operands(isa, insn->enc, insn->size, &operands) < 0)
		return;
	for (unsigned i = 0; i < operands.n_src; i++) {
		bool again = false;
		for (unsigned k = 0; k < i; k++)
			again |= !memcmp(&operands.src[k], &operands.src[i], sizeof operands.src[i]);
		if (!again && add_input(lockstep, &operands.src[i], before))
			before = " and ";
	}
}

static bool step_wrote(const struct cairn_step *step, const struct cairn_reg *reg)
{
	for (unsigned i = 0; i < step->n_regs; i++)
		if (step->regs[i].cls == reg->cls && step->regs[i].num == reg->num)
			return true;
	return false;
}

void lockstep_say_register(struct lockstep *lockstep, enum lockstep_kind kind,
                           const struct cairn_reg *reg, const struct lockstep_value *value)
{
	const struct cairn_machine *machine = lockstep->hart->machine;
	struct exec_place place = exec_place_of(machine, reg->cls, reg->num);
	add_name(lockstep, reg->cls, reg->num);
	text_add(lockstep, " is ");
	add_number(lockstep, value->told, UINT64_MAX, value->bits);
	text_add(lockstep, kind == LOCKSTEP_SOURCE ? " before the instruction; it was " : "; ");
	if (kind == LOCKSTEP_SOURCE) {
		uint64_t writer = place.word < EXEC_WORDS ? machine->writer[place.word] : 0;
		add_number(lockstep, value->made, value->known, value->bits);
		if (writer)
			text_add(lockstep, ", written by instruction %" PRIu64, writer);
		return;
	}
	add_instruction(lockstep);
	bool wrote = step_wrote(lockstep->step, reg);
	text_add(lockstep, wrote ? " makes " : " leaves it ");
	add_number(lockstep, value->made, value->known, value->bits);
	if (wrote)
		add_inputs(lockstep, " of ");
}

void lockstep_say_contradiction(struct lockstep *lockstep, enum lockstep_kind kind,
                                const struct cairn_reg *reg)
{
	add_name(lockstep, reg->cls, reg->num);
	text_add(lockstep, " is ");
	add_number(lockstep, reg->value, UINT64_MAX, reg->bits && reg->bits < 64 ? reg->bits : 64);
	text_add(lockstep, kind == LOCKSTEP_SOURCE ? " before " : ", which cannot come from ");
	add_instruction(lockstep);
	text_add(lockstep, "%s beside what is known of its other registers",
	         kind == LOCKSTEP_SOURCE ? ", which cannot be" : "");
}

void lockstep_say_access(struct lockstep *lockstep, enum lockstep_kind kind, unsigned access,
                         const struct lockstep_value *value)
{
	const struct cairn_step_access *made = &lockstep->step->accesses[access];
	bool reads = made->kind == CAIRN_MEM_READ;
	uint64_t address =
		lockstep->told[lockstep->hart->machine->told_of[access] - 1].address + value->at;
	if (kind == LOCKSTEP_ADDRESS)
		text_add(lockstep, "the %s address is ", reads ? "load" : "store");
	else
		text_add(lockstep, "0x%" PRIx64 " %s ", address, reads ? "holds" : "gets");
	add_number(lockstep, value->told, UINT64_MAX, value->bits);
	text_add(lockstep, "; ");
	if (kind == LOCKSTEP_LOAD) {
		text_add(lockstep, "it held ");
		add_number(lockstep, value->made, value->known, value->bits);
		return;
	}
	add_instruction(lockstep);
	text_add(lockstep, kind == LOCKSTEP_ADDRESS ? " makes " : " stores ");
	add_number(lockstep, value->made, value->known, value->bits);
	add_inputs(lockstep, " of ");
}

void lockstep_say_flow(struct lockstep *lockstep, enum lockstep_kind kind, uint64_t told,
                       uint64_t expected)
{
	if (kind == LOCKSTEP_NEXT) {
		text_add(lockstep, "it is at 0x%" PRIx64 "; instruction %" PRIu64 " goes to 0x%" PRIx64,
		         told, lockstep->hart->from, expected);
		return;
	}
	if (kind == LOCKSTEP_TARGET)
		text_add(lockstep, "it goes to 0x%" PRIx64 "; ", told);
	else
		text_add(lockstep, "it is %staken; ", told ? "" : "not ");
	add_instruction(lockstep);
	if (kind == LOCKSTEP_TARGET)
		text_add(lockstep, " goes to 0x%" PRIx64, expected);
	else
		text_add(lockstep, " is %staken", expected ? "" : "not ");
	add_inputs(lockstep, " with ");
}
