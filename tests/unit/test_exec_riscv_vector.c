/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What RISC-V's vector instructions do, against QEMU (fixtures/exec_cases.h). Each encoding is tried
 * with a vtype under which the machine does not say that it is reserved. What QEMU 7.2 does not know is
 * in test_exec_riscv_second.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/riscv_vector.h"
#include "fixtures/exec_cases.h"
#include "fixtures/llvm.h"

enum {
	X_FIRST = 8, /* registers that instructions have as operands: x8 to x15, f8 to f15 */
	X_COUNT = 8,
	OPERANDS = 5, /* registers of the program */
	RESULTS = 6,
	SPARE = 7,
	OTHER = 28,
	INDICES = 16, /* vector registers with small numbers: 16 to 23 */
	MOST_NAMES = 640,
	MOST_VECTOR_BYTES = 32
};

/* Where what lies in a case's operands and results. */
enum {
	AT_X = 0,
	AT_F = 8 * X_COUNT,
	AT_FCSR = 16 * X_COUNT,
	AT_VCSR = AT_FCSR + 8,
	AT_VSTART = AT_FCSR + 16,
	AT_VL = AT_FCSR + 24,
	AT_VTYPE = AT_FCSR + 32,
	AT_V = 192
};

static struct exec_mnemonic names[MOST_NAMES];
static size_t n_names;

static void collect(const struct riscv_vector_row *const *tables, size_t n)
{
	n_names = 0;
	for (size_t i = 0; i < n; i++)
		for (const struct riscv_vector_row *row = tables[i]; row->name; row++) {
			struct exec_mnemonic *to = &names[n_names++];
			assert_true(n_names <= MOST_NAMES);
			*to = (struct exec_mnemonic){.size = 4, .row = row};
			snprintf(to->name, sizeof to->name, "%s", row->name);
		}
}

/* ---- encodings, and settings under which they are defined ---- */

/* What the operands of the encoding made last are. */
static struct {
	uint64_t vtype, vl, start;
	bool stride_is_small, indices;
	unsigned log_index;
} chosen;

static bool is_memory(uint32_t enc)
{
	return (enc & 0x5f) == 0x07;
}

static uint32_t field(unsigned value, unsigned at)
{
	return (uint32_t)value << at;
}

static unsigned some_x(void)
{
	return X_FIRST + (unsigned)(random_bits() % X_COUNT);
}

/* Vector registers, often such as begin a group, and often others than those of another operand. */
static unsigned some_v(void)
{
	return (unsigned)(random_bits() % 32) & ~0u << random_bits() % 4;
}

static uint32_t memory_registers(uint32_t enc, const struct riscv_vector_row *row)
{
	unsigned mop = enc >> 26 & 3, rs2 = mop == 2 ? X_FIRST + 1 : INDICES + (some_v() & 7);
	uint32_t fields = random_bits() % 2 ? 0 : (uint32_t)random_bits() << 29;
	enc = (enc & ~0x000fff80u) | field(X_FIRST, 15) | field(some_v(), 7) | (row->match & 0x7000);
	if (mop)
		enc = (enc & ~0x01f00000u) | field(rs2, 20);
	if (!(row->mask >> 31))
		enc = (enc & 0x1fffffff) | fields;
	return enc;
}

/* vsetvli and its kin, most often without bits that are reserved. */
static uint32_t setting_registers(uint32_t enc)
{
	bool by_register = enc == 0x80007057;
	unsigned vtype = (unsigned)random_bits() & (random_bits() % 8 ? 0xff : 0x3ff);
	enc |= field(random_bits() % 4 ? some_x() : 0, 7);
	enc |= field(random_bits() % 4 ? some_x() : 0, 15);
	return enc | field(by_register ? some_x() : vtype, 20);
}

static uint32_t with_registers(const struct riscv_vector_row *row)
{
	uint32_t enc = row->match | ((uint32_t)random_bits() & ~row->mask & RISCV_VM);
	unsigned form = row->form, f3 = enc >> 12 & 7, f6 = enc >> 26;
	if (is_memory(enc))
		return memory_registers(enc, row);
	if (f3 == 7 && (enc & 0x7f) == 0x57)
		return setting_registers(enc);
	bool scalar = form == RISCV_FORM_VX || form == RISCV_FORM_VF;
	bool to_scalar = f6 == 0x10 && (f3 == 1 || f3 == 2);
	enc |= field(to_scalar ? some_x() : some_v(), 7);
	if (!(row->mask & 0x000f8000))
		enc |= field(scalar                  ? some_x()
		             : form == RISCV_FORM_VV ? some_v()
		                                     : (unsigned)random_bits() & 31,
		             15);
	if (!strcmp(row->name, "vmvr.v"))
		enc = (enc & ~0x000f8000u) | field((1u << random_bits() % 4) - 1, 15);
	if (!(row->mask & 0x01f00000))
		enc |= field(some_v(), 20);
	if (form == RISCV_FORM_V6)
		enc |= (uint32_t)random_bits() & 0x04000000;
	return enc;
}

static void random_setting(unsigned vector_bits)
{
	for (;;) {
		unsigned log_sew = 3 + (unsigned)(random_bits() % 4), vlmul = (unsigned)(random_bits() % 8);
		int log_lmul = vlmul < 4 ? (int)vlmul : (int)vlmul - 8;
		int log_max = 31 - __builtin_clz(vector_bits) + log_lmul - (int)log_sew;
		if (vlmul == 4 || (int)log_sew > 6 + (log_lmul < 0 ? log_lmul : 0))
			continue;
		uint64_t most = (uint64_t)1 << log_max;
		chosen.vtype = (log_sew - 3) << 3 | vlmul | (random_bits() & 0xc0);
		chosen.vl = random_bits() % 8 ? random_bits() % (most + 1) : most;
		chosen.start = random_bits() % 8 ? 0 : random_bits() % most;
		return;
	}
}

static void set_number(struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num,
                       uint64_t value)
{
	uint8_t bytes[8];
	exec_put_bytes(bytes, value, 8, false);
	cairn_machine_set(machine, cls, num, 8, bytes, NULL);
}

/* Does the machine know what the encoding does, under this setting? */
static bool is_defined(const struct exec_target *target, uint32_t enc)
{
	static struct cairn *cairn;
	static struct cairn_machine *machine;
	static enum cairn_isa isa;
	static unsigned vector_bits;
	const struct cairn_machine_opts opts = {.size = sizeof opts,
	                                        .vector_bits = target->vector_bits,
	                                        .max_bytes = 1 << 20};
	if (!cairn)
		cairn = cairn_new(NULL);
	if (isa != target->isa || vector_bits != target->vector_bits) {
		cairn_machine_free(machine);
		assert_int_equal(cairn_machine_new(cairn, target->isa, &opts, &machine), 0);
		isa = target->isa;
		vector_bits = target->vector_bits;
	}
	for (unsigned i = 1; i < 32; i++)
		set_number(machine, CAIRN_REG_INT, i, EXEC_BASE);
	set_number(machine, CAIRN_REG_CSR, RISCV_VTYPE_CSR, chosen.vtype);
	set_number(machine, CAIRN_REG_CSR, RISCV_VL_CSR, chosen.vl);
	set_number(machine, CAIRN_REG_CSR, RISCV_VSTART_CSR, chosen.start);
	set_number(machine, CAIRN_REG_CSR, 2, 0);
	const struct cairn_step *step = cairn_machine_step(machine, EXEC_BASE, enc, 4, NULL, 0);
	return step->status == CAIRN_STEP_DONE && (!step->reason || !strstr(step->reason, "reserved"));
}

static uint32_t random_encoding(const struct exec_target *target, const struct exec_mnemonic *of)
{
	for (unsigned tries = 0; tries < 20000; tries++) {
		uint32_t enc = with_registers(of->row);
		random_setting(target->vector_bits);
		if (!is_defined(target, enc))
			continue;
		chosen.stride_is_small = is_memory(enc) && (enc >> 26 & 3) == 2;
		chosen.indices = is_memory(enc) && enc >> 26 & 1;
		chosen.log_index = enc >> 12 & 7 ? (enc >> 12 & 7) - 4 : 0;
		return enc;
	}
	return 0;
}

/* ---- one program ---- */

static void put_le(uint8_t *to, uint64_t value, unsigned n)
{
	exec_put_bytes(to, value, n, false);
}

/* An element of a register: integers and numbers near the bounds of every width. */
static uint64_t random_word(void)
{
	uint64_t word = random_integer();
	unsigned size = 2u << random_bits() % 3;
	switch (random_bits() % 4) {
	case 0:
		return word;
	case 1:
		return (word & 0xffffffff) | random_integer() << 32;
	case 2:
		for (unsigned i = 0; i < 8; i += size)
			word =
				size == 8 ? exec_random_number(8) : (word << 8 * size | exec_random_number(size));
		return word;
	default:
		return random_bits();
	}
}

/* Offsets that stay within the memory of a case. */
static void put_indices(uint8_t *to, unsigned size)
{
	unsigned width = 1u << chosen.log_index;
	for (unsigned i = 0; i < size; i += width)
		put_le(to + i, random_bits() % (width == 1 ? 200 : 1500), width);
}

static void put_vectors(const struct exec_program *program, uint8_t *to)
{
	unsigned bytes = program->target->vector_bits / 8;
	for (unsigned i = 0; i < 32 * bytes; i += 8)
		put_le(to + i, random_word(), 8);
	if (chosen.indices)
		put_indices(to + INDICES * bytes, 8 * bytes);
}

static void put_operands(struct exec_program *program, uint8_t *to)
{
	uint64_t middle = EXEC_BASE + program->scratch + EXEC_MIDDLE;
	for (unsigned i = 0; i < X_COUNT; i++) {
		put_le(to + AT_X + 8 * i, i ? random_integer() : middle, 8);
		put_le(to + AT_F + 8 * i, random_number(), 8);
	}
	if (chosen.stride_is_small)
		put_le(to + AT_X + 8, random_bits() % 33 - 16, 8);
	put_le(to + AT_FCSR, random_bits() % 5 << 5 | (random_bits() & 0x1f), 8);
	put_le(to + AT_VCSR, random_bits() & 7, 8);
	put_le(to + AT_VSTART, chosen.start, 8);
	put_le(to + AT_VL, chosen.vl, 8);
	put_le(to + AT_VTYPE, chosen.vtype, 8);
	put_vectors(program, to + AT_V);
}

static void emit(struct exec_program *program, uint32_t enc)
{
	exec_emit(program, enc, 4);
}

static void emit_load(struct exec_program *program, unsigned rd, unsigned at)
{
	emit(program,
	     at << 20 | OPERANDS << 15 | (program->target->wide ? 3u : 2u) << 12 | rd << 7 | 3);
}

static void emit_store(struct exec_program *program, uint32_t opcode, unsigned f3, unsigned rs2,
                       unsigned at)
{
	emit(program, at >> 5 << 25 | rs2 << 20 | RESULTS << 15 | f3 << 12 | (at & 31) << 7 | opcode);
}

static void emit_add(struct exec_program *program, unsigned rd, unsigned rs1, unsigned n)
{
	emit(program, n << 20 | rs1 << 15 | rd << 7 | 0x13);
}

static void emit_csr_write(struct exec_program *program, unsigned csr, unsigned at)
{
	emit_load(program, SPARE, at);
	emit(program, csr << 20 | SPARE << 15 | 1 << 12 | 0x73);
}

static void emit_csr_read(struct exec_program *program, unsigned csr, unsigned at)
{
	emit(program, csr << 20 | 2 << 12 | SPARE << 7 | 0x73);
	emit_store(program, 0x23, program->target->wide ? 3 : 2, SPARE, at);
}

/* All vector registers, eight at a time, from or to the case. */
static void emit_vectors(struct exec_program *program, uint32_t opcode, unsigned base)
{
	emit_add(program, SPARE, base, AT_V);
	for (unsigned i = 0; i < 32; i += 8) {
		emit(program, 0xe2800000 | SPARE << 15 | i << 7 | opcode);
		emit_add(program, SPARE, SPARE, program->target->vector_bits);
	}
}

static void put_case(struct exec_program *program, uint32_t enc, unsigned size)
{
	unsigned word = program->target->wide ? 3 : 2;
	emit_vectors(program, 0x07, OPERANDS);
	emit_csr_write(program, 3, AT_FCSR);
	emit_csr_write(program, RISCV_VCSR_CSR, AT_VCSR);
	emit_load(program, SPARE, AT_VL);
	emit_load(program, OTHER, AT_VTYPE);
	emit(program, 0x80007057 | OTHER << 20 | SPARE << 15); /* vsetvl x0, x7, x28 */
	emit_csr_write(program, RISCV_VSTART_CSR, AT_VSTART);
	for (unsigned i = 0; i < X_COUNT; i++) {
		emit_load(program, X_FIRST + i, AT_X + 8 * i);
		emit(program, (AT_F + 8 * i) << 20 | OPERANDS << 15 | 3 << 12 | (X_FIRST + i) << 7 | 7);
	}
	exec_emit(program, enc, size);
	emit_csr_read(program, 3, AT_FCSR);
	emit_csr_read(program, RISCV_VCSR_CSR, AT_VCSR);
	emit_csr_read(program, RISCV_VSTART_CSR, AT_VSTART);
	emit_csr_read(program, RISCV_VL_CSR, AT_VL);
	emit_csr_read(program, RISCV_VTYPE_CSR, AT_VTYPE);
	for (unsigned i = 0; i < X_COUNT; i++) {
		emit_store(program, 0x23, word, X_FIRST + i, AT_X + 8 * i);
		emit_store(program, 0x27, 3, X_FIRST + i, AT_F + 8 * i);
	}
	emit(program, 8u << 20 | 0 << 15 | 5 << 12 | 0x73); /* csrrwi x0, vstart, 0 */
	emit_vectors(program, 0x27, RESULTS);
	emit_add(program, OPERANDS, OPERANDS, program->target->case_bytes);
	emit_add(program, RESULTS, RESULTS, program->target->case_bytes);
}

/* An address in two instructions. */
static void emit_address(struct exec_program *program, unsigned rd, size_t offset)
{
	uint32_t address = (uint32_t)(EXEC_BASE + offset);
	emit(program, ((address + 0x800) & 0xfffff000) | rd << 7 | 0x37);
	emit(program, (address & 0xfff) << 20 | rd << 15 | rd << 7 | 0x13);
}

/* write(1, results, …), exit(0) */
static void put_end(struct exec_program *program, size_t from, size_t n)
{
	emit(program, 0x00100513);
	emit_address(program, 11, from);
	emit_address(program, 12, n - EXEC_BASE);
	emit(program, 0x04000893);
	emit(program, 0x00000073);
	emit(program, 0x00000513);
	emit(program, 0x05d00893);
	emit(program, 0x00000073);
}

static void put_begin(struct exec_program *program)
{
	emit_address(program, OPERANDS, program->operands);
	emit_address(program, RESULTS, program->results);
}

static const char *field_at(unsigned at)
{
	return at < AT_F        ? "x8 …"
	       : at < AT_FCSR   ? "f8 …"
	       : at < AT_VCSR   ? "fcsr"
	       : at < AT_VSTART ? "vcsr"
	       : at < AT_VL     ? "vstart"
	       : at < AT_VTYPE  ? "vl"
	       : at < AT_V      ? "vtype"
	                        : "v0 …";
}

static uint64_t number_at(const uint8_t *bytes)
{
	uint64_t number = 0;
	for (unsigned i = 8; i-- > 0;)
		number = number << 8 | bytes[i];
	return number;
}

/* Where QEMU is wrong: it leaves vstart where no element is at or above it ("vstart … is then reset to
 * zero", V, "Vector Start Index CSR"). What a slide puts into an element of 64 bits has 32 on RV32, where
 * integers are sign-extended ("If XLEN < SEW, the value is sign-extended to SEW bits") and numbers are
 * doubles. */
static bool is_explained(const struct exec_program *program, const struct exec_mnemonic *of,
                         const uint8_t *ours, const uint8_t *theirs, size_t at)
{
	const struct exec_target *target = program->target;
	size_t block = at - at % target->case_bytes;
	const uint8_t *operands = program->bytes + program->operands + block;
	uint64_t start = number_at(operands + AT_VSTART);
	bool slides = !target->wide && strstr(of->name, "slide1") && (operands[AT_VTYPE] >> 3 & 7) == 3;
	if (slides && at - block >= AT_V && (at - block) % 8 >= 4 && !theirs[at])
		return true;
	return at < program->cases * target->case_bytes && at - block >= AT_VSTART &&
	       at - block < AT_VL && !number_at(ours + block + AT_VSTART) &&
	       number_at(theirs + block + AT_VSTART) == start;
}

/* ---- what is not known ---- */

enum { REGISTERS = X_COUNT * 2 + 7 + 32 };
static struct exec_register registers[REGISTERS];

static void list_registers(unsigned vector_bits)
{
	static const uint16_t csrs[] = {
		1, 2, RISCV_VSTART_CSR, RISCV_VXSAT_CSR, RISCV_VXRM_CSR, RISCV_VL_CSR, RISCV_VTYPE_CSR};
	for (unsigned i = 0; i < X_COUNT; i++) {
		registers[i] = (struct exec_register){CAIRN_REG_INT, X_FIRST + i, 8};
		registers[X_COUNT + i] = (struct exec_register){CAIRN_REG_FP, X_FIRST + i, 8};
	}
	for (unsigned i = 0; i < 7; i++)
		registers[2 * X_COUNT + i] = (struct exec_register){CAIRN_REG_CSR, csrs[i], 8};
	for (unsigned i = 0; i < 32; i++)
		registers[2 * X_COUNT + 7 + i] =
			(struct exec_register){CAIRN_REG_VECTOR, i, vector_bits / 8};
}

static void random_csr(unsigned num, uint8_t *bytes)
{
	put_le(bytes,
	       num == RISCV_VSTART_CSR  ? chosen.start
	       : num == RISCV_VL_CSR    ? chosen.vl
	       : num == RISCV_VTYPE_CSR ? chosen.vtype
	       : num == 1               ? random_bits() & 0x1f
	       : num == 2               ? random_bits() % 5
	       : num == RISCV_VXSAT_CSR ? random_bits() & 1
	                                : random_bits() & 3,
	       8);
}

static void random_register(const struct exec_register *reg, uint8_t *bytes)
{
	if (reg->cls == CAIRN_REG_CSR)
		random_csr(reg->num, bytes);
	else if (reg->cls == CAIRN_REG_INT)
		put_le(bytes,
		       reg->num == X_FIRST                                 ? EXEC_BASE + EXEC_MIDDLE
		       : reg->num == X_FIRST + 1 && chosen.stride_is_small ? random_bits() % 33 - 16
		                                                           : random_integer(),
		       8);
	else if (reg->cls == CAIRN_REG_FP)
		put_le(bytes, random_number(), 8);
	for (unsigned i = 0; reg->cls == CAIRN_REG_VECTOR && i < reg->size; i += 8)
		put_le(bytes + i, random_word(), 8);
	bool index = chosen.indices && reg->num >= INDICES && reg->num < INDICES + 8;
	if (reg->cls == CAIRN_REG_VECTOR && index)
		put_indices(bytes, reg->size);
}

static bool is_setting(const struct exec_register *reg)
{
	return reg->cls == CAIRN_REG_CSR && (reg->num == RISCV_VSTART_CSR || reg->num == RISCV_VL_CSR ||
	                                     reg->num == RISCV_VTYPE_CSR);
}

/* What registers of the machine have room for. */
static void limit(const struct exec_register *reg, uint8_t *bytes)
{
	if (reg->cls != CAIRN_REG_CSR || is_setting(reg))
		return;
	unsigned mask = reg->num == 1 ? 0x1f : reg->num == 2 ? 7 : reg->num == RISCV_VXSAT_CSR ? 1 : 3;
	put_le(bytes, bytes[0] & mask, 8);
}

/* ---- the sets ---- */

#define OPTIONS(set, bits) set ",v=true,vext_spec=v1.0,Zfh=true,vlen=" bits
static const char *const qemu_64_128[] = {"qemu-riscv64", "-cpu", OPTIONS("rv64", "128"), NULL};
static const char *const qemu_64_256[] = {"qemu-riscv64", "-cpu", OPTIONS("rv64", "256"), NULL};
static const char *const qemu_32_128[] = {"qemu-riscv32", "-cpu", OPTIONS("rv32", "128"), NULL};

static struct exec_target target_of(enum cairn_isa isa, unsigned vector_bits)
{
	static const struct riscv_vector_row *const tables[] = {
		riscv_vector_setting_rows, riscv_vector_memory_rows, riscv_vector_integer_rows,
		riscv_vector_mask_rows,    riscv_vector_float_rows,  riscv_vector_crypto_rows};
	bool wide = isa == CAIRN_ISA_RV64;
	collect(tables, sizeof tables / sizeof *tables);
	list_registers(vector_bits);
	return (struct exec_target){.isa = isa,
	                            .qemu = !wide                ? qemu_32_128
	                                    : vector_bits == 128 ? qemu_64_128
	                                                         : qemu_64_256,
	                            .hashes = vector_bits == 128
	                                          ? "tests/unit/fixtures/exec_riscv_vector.hashes"
	                                          : "tests/unit/fixtures/exec_riscv_vector_256.hashes",
	                            .elf_machine = 243,
	                            .elf_flags = wide ? 5 : 1, /* double floats, and C */
	                            .wide = wide,
	                            .compressed = true,
	                            .vector_bits = vector_bits,
	                            .case_bytes = AT_V + 4 * vector_bits,
	                            .case_code = 400,
	                            .least = 150,
	                            .mnemonics = names,
	                            .n_mnemonics = n_names,
	                            .encoding = random_encoding,
	                            .put_begin = put_begin,
	                            .put_operands = put_operands,
	                            .put_case = put_case,
	                            .put_end = put_end,
	                            .is_explained = is_explained,
	                            .field = field_at,
	                            .registers = registers,
	                            .n_registers = REGISTERS,
	                            .random_register = random_register,
	                            .is_setting = is_setting,
	                            .limit = limit};
}

static void rv64_vectors_of_128_bits(void **state)
{
	struct exec_target target = target_of(CAIRN_ISA_RV64, 128);
	(void)state;
	exec_try_set(&target, "w");
}

static void rv32_vectors_of_128_bits(void **state)
{
	struct exec_target target = target_of(CAIRN_ISA_RV32, 128);
	(void)state;
	exec_try_set(&target, "a");
}

static void rv64_vectors_of_256_bits(void **state)
{
	struct exec_target target = target_of(CAIRN_ISA_RV64, 256);
	(void)state;
	exec_try_set(&target, "w");
}

static void what_is_not_known_is_never_guessed(void **state)
{
	static const enum cairn_isa sets[] = {CAIRN_ISA_RV64, CAIRN_ISA_RV32};
	unsigned wrong = 0;
	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct exec_target target = target_of(sets[s], 128);
		wrong += exec_try_completions(&target);
	}
	assert_int_equal(wrong, 0);
}

static bool is_known(const struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num,
                     uint64_t *value)
{
	uint8_t bytes[8], known[8];
	cairn_machine_get(machine, cls, num, 8, bytes, known);
	*value = number_at(bytes);
	return number_at(known) == UINT64_MAX;
}

/* An implementation chooses vl between VLMAX and twice as many elements, and after a fault; the trace
 * tells it by a register that gets it, and that all accesses of a load were made. */
static void what_an_implementation_chooses_is_told_by_the_trace(void **state)
{
	const struct cairn_machine_opts opts = {.size = sizeof opts, .vector_bits = 128};
	const uint8_t bytes[4] = {1, 2, 3, 4};
	struct cairn_step_told told[4];
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_machine *machine;
	uint64_t value;
	(void)state;
	assert_int_equal(cairn_machine_new(cairn, CAIRN_ISA_RV64, &opts, &machine), 0);
	set_number(machine, CAIRN_REG_INT, 10, 6);
	set_number(machine, CAIRN_REG_INT, 11, EXEC_BASE);
	cairn_machine_step(machine, 0x1000, 0x0d0572d7, 4, NULL,
	                   0); /* vsetvli t0, a0, e32, m1, ta, ma */
	assert_false(is_known(machine, CAIRN_REG_CSR, RISCV_VL_CSR, &value));
	set_number(machine, CAIRN_REG_INT, 5, 4);
	assert_true(is_known(machine, CAIRN_REG_CSR, RISCV_VL_CSR, &value) && value == 4);
	for (unsigned i = 0; i < 4; i++)
		told[i] = (struct cairn_step_told){.address = EXEC_BASE + 4 * i,
		                                   .bytes = bytes,
		                                   .size = 4,
		                                   .kind = CAIRN_MEM_READ,
		                                   .address_known = 1};
	cairn_machine_step(machine, 0x1004, 0x0305e407, 4, told, 4); /* vle32ff.v v8, (a1) */
	assert_true(is_known(machine, CAIRN_REG_CSR, RISCV_VL_CSR, &value) && value == 4);
	assert_true(is_known(machine, CAIRN_REG_VECTOR, 8, &value) && value == 0x0403020104030201);
	cairn_machine_step(machine, 0x1004, 0x0305e407, 4, told, 3);
	assert_false(is_known(machine, CAIRN_REG_CSR, RISCV_VL_CSR, &value));
	cairn_machine_step(machine, 0x1008, 0xc20022f3, 4, NULL, 0); /* csrr t0, vl */
	set_number(machine, CAIRN_REG_INT, 5, 3);
	assert_true(is_known(machine, CAIRN_REG_CSR, RISCV_VL_CSR, &value) && value == 3);
	/* Another instruction's destination does not tell it. */
	cairn_machine_step(machine, 0x100c, 0x0d0572d7, 4, NULL, 0);
	cairn_machine_step(machine, 0x1010, 0x00128293, 4, NULL, 0); /* addi t0, t0, 1 */
	set_number(machine, CAIRN_REG_INT, 5, 5);
	assert_false(is_known(machine, CAIRN_REG_CSR, RISCV_VL_CSR, &value));
	cairn_machine_free(machine);
	cairn_free(cairn);
}

/* LLVM's name for what a row is: segments, whole registers and their number have names of their own. */
static bool is_name(const struct riscv_vector_row *row, const char *text, const char *end)
{
	size_t n = (size_t)(end - text), whole = strlen(row->name);
	if (n == whole && !strncmp(text, row->name, n))
		return true;
	if (!strcmp(row->name, "vmvr.v"))
		return !strncmp(text, "vmv", 3) && !strncmp(text + 4, "r.v", 3);
	if (!strcmp(row->name, "vsr.v"))
		return !strncmp(text, "vs", 2) && !strncmp(text + 3, "r.v", 3);
	if (!strcmp(row->name, "vlre8.v"))
		return !strncmp(text, "vl", 2) && !strncmp(text + 3, "r.v", 3);
	if (!strncmp(row->name, "vlre", 4))
		return !strncmp(text, "vl", 2) && !strncmp(text + 3, row->name + 2, whole - 2);
	/* vlseg3e8.v, vlsseg3e8.v, vluxseg3ei8.v */
	const char *segments = strstr(text, "seg"), *rest = strpbrk(row->name + 2, "e");
	return is_memory(row->match) && segments && segments < end &&
	       !strncmp(text, row->name,
	                (size_t)(segments - text) < 2 ? 2 : (size_t)(segments - text)) &&
	       !strncmp(segments + 4, rest, strlen(rest));
}

/* Some operands have names of their own (vneg.v, vmset.m), so most encodings are to have the row's. */
static void encodings_have_the_names_that_llvm_gives_them(void **state)
{
	struct exec_target target = target_of(CAIRN_ISA_RV64, 128);
	struct llvm_witness *witness = llvm_witness_new(
		CAIRN_ISA_RV64, NULL,
		"+v,+f,+d,+zfh,+zvfh,+zvfbfmin,+zvfbfwma,+zvbb,+zvbc,+zvkned,+zvknhb,+zvkg,+zvksed,+zvksh");
	(void)state;
	if (!witness)
		skip();
	for (size_t i = 0; i < n_names; i++) {
		unsigned named = 0;
		exec_seed(names[i].name, 64);
		for (unsigned k = 0; k < 40; k++) {
			const char *operands;
			uint32_t enc = random_encoding(&target, &names[i]);
			const char *text = llvm_witness_text(witness, enc, &operands);
			if (text && is_name(names[i].row, text, text + strcspn(text, " \t")))
				named++;
			else if (!k)
				printf("# %s: %08x is %s\n", names[i].name, enc, text ? text : "unknown to LLVM");
		}
		if (named < 30)
			fail_msg("%u of 40 encodings of %s have its name", named, names[i].name);
	}
	llvm_witness_free(witness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rv64_vectors_of_128_bits),
		cmocka_unit_test(rv32_vectors_of_128_bits),
		cmocka_unit_test(rv64_vectors_of_256_bits),
		cmocka_unit_test(what_is_not_known_is_never_guessed),
		cmocka_unit_test(what_an_implementation_chooses_is_told_by_the_trace),
		cmocka_unit_test(encodings_have_the_names_that_llvm_gives_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
