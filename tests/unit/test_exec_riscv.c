/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What RISC-V instructions do, against QEMU (fixtures/exec_cases.h). Encodings are found by trying:
 * those that cairn_isa_mnemonic gives a name of the sets that are modelled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/exec_cases.h"

enum {
	X_FIRST = 8, /* registers that instructions have as operands: x8 to x15, f8 to f15 */
	X_COUNT = 8,
	OPERANDS = 0x5,
	RESULTS = 0x6,
	MOST_NAMES = 512
};

/* ---- encodings by mnemonic ---- */

static struct exec_mnemonic names[MOST_NAMES];
static size_t n_names;

static void add_encoding(enum cairn_isa isa, uint32_t enc, unsigned size)
{
	const char *name, *extension;
	size_t i = 0;
	cairn_isa_mnemonic(isa, enc, size, &name, &extension);
	if (!name || strchr("v", *extension) || !strcmp(extension, "h") || !strcmp(extension, "priv"))
		return;
	while (i < n_names && (strcmp(names[i].name, name) || names[i].size != size))
		i++;
	assert_true(i < MOST_NAMES);
	if (i == n_names) {
		snprintf(names[i].name, sizeof names[i].name, "%s", name);
		names[i].size = size;
		n_names++;
	}
	struct exec_mnemonic *to = &names[i];
	if ((to->n_bases & (to->n_bases - 1)) == 0) {
		size_t room = to->n_bases ? 2 * to->n_bases : 1;
		to->bases = realloc(to->bases, room * sizeof *to->bases);
		assert_non_null(to->bases);
	}
	to->bases[to->n_bases++] = enc;
}

static void collect(enum cairn_isa isa)
{
	while (n_names)
		free(names[--n_names].bases);
	memset(names, 0, sizeof names);
	for (uint32_t enc = 0; enc < 0x10000; enc++)
		if ((enc & 3) != 3)
			add_encoding(isa, enc, 2);
	/* What decides: opcode, funct3, funct7 and rs2. */
	for (uint32_t opcode = 3; opcode < 0x80; opcode += 4)
		for (uint32_t f3 = 0; f3 < 8; f3++)
			for (uint32_t high = 0; high < 0x1000; high++)
				add_encoding(isa, high << 20 | f3 << 12 | opcode, 4);
}

/* ---- one program ---- */

static void put_le(uint8_t *to, uint64_t value, unsigned n)
{
	exec_put_bytes(to, value, n, false);
}

static uint32_t load_x(const struct exec_program *program, unsigned rd, unsigned rs1,
                       unsigned offset)
{
	return offset << 20 | rs1 << 15 | (program->target->wide ? 3u : 2u) << 12 | rd << 7 | 0x03;
}

static uint32_t store_any(uint32_t opcode, unsigned f3, unsigned rs2, unsigned rs1, unsigned offset)
{
	return offset >> 5 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (offset & 31) << 7 | opcode;
}

/* An address in two instructions. */
static void emit_address(struct exec_program *program, unsigned rd, size_t offset)
{
	uint32_t address = (uint32_t)(EXEC_BASE + offset);
	exec_emit(program, ((address + 0x800) & 0xfffff000) | rd << 7 | 0x37, 4);
	exec_emit(program, (address & 0xfff) << 20 | rd << 15 | rd << 7 | 0x13, 4);
}

static void emit_add(struct exec_program *program, unsigned rd, unsigned n)
{
	exec_emit(program, n << 20 | rd << 15 | rd << 7 | 0x13, 4);
}

enum { CASE_BYTES = 8 * (1 + 2 * X_COUNT + 2) }; /* sp, x, f, fcsr, and room */

/* May it stand in a program? Its operands are registers that are written down. */
static bool is_allowed(enum cairn_isa isa, uint32_t enc, unsigned size)
{
	struct cairn_operands operands;
	struct cairn_op op;
	cairn_isa_decode(isa, enc, size, &op);
	if (op.cls == CAIRN_CLASS_ILLEGAL || op.traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT |
	                                                  CAIRN_TRAIT_WAIT | CAIRN_TRAIT_INDIRECT))
		return false;
	if (op.traits & CAIRN_TRAIT_BRANCH && op.offset != 8)
		return false;
	if (cairn_isa_operands(isa, enc, size, &operands) < 0)
		return false;
	bool memory = op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	for (unsigned i = 0; i < operands.n_src + operands.n_dst; i++) {
		const struct cairn_operand *o =
			i < operands.n_src ? &operands.src[i] : &operands.dst[i - operands.n_src];
		bool fits = o->num >= X_FIRST && o->num < X_FIRST + X_COUNT;
		if (o->cls == CAIRN_REG_INT && !fits && (o->num != 2 || !memory))
			return false;
		if (o->cls == CAIRN_REG_FP && !fits)
			return false;
		if (o->cls == CAIRN_REG_CSR && o->num > 3)
			return false;
	}
	return true;
}

/* A random encoding of the mnemonic; 0: none was found. */
static uint32_t random_encoding(const struct exec_target *target, const struct exec_mnemonic *of)
{
	enum cairn_isa isa = target->isa;
	for (unsigned tries = 0; tries < 20000; tries++) {
		uint32_t enc = of->bases[random_bits() % of->n_bases];
		const char *name, *extension;
		struct cairn_op op;
		if (of->size == 4) {
			uint32_t random = (uint32_t)random_bits();
			enc |= random & 0x000f8f80; /* rd and rs1, most often in range */
			enc = (enc & ~0x00040400u) | 0x00040400;
			cairn_isa_decode(isa, enc, 4, &op);
			if (op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE))
				enc = (enc & ~0xf8000u) | X_FIRST << 15;
			if (op.cls == CAIRN_CLASS_BRANCH)
				enc = (enc & ~0xfe000f80u) | 0x400;
			else if (op.traits & CAIRN_TRAIT_BRANCH)
				enc = (enc & 0xfff) | 0x00800000;
			if (op.cls == CAIRN_CLASS_CSR)
				enc = (enc & 0xfffff) | (uint32_t)(1 + random_bits() % 3) << 20;
		} else {
			cairn_isa_decode(isa, enc, 2, &op);
			bool stack = (enc & 3) == 2;
			if (op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE) && !stack && enc & 0x380)
				continue;
		}
		cairn_isa_mnemonic(isa, enc, of->size, &name, &extension);
		if (name && !strcmp(name, of->name) && is_allowed(isa, enc, of->size))
			return enc;
	}
	return 0;
}

static void put_operands(struct exec_program *program, uint8_t *to)
{
	uint64_t middle = EXEC_BASE + program->scratch + EXEC_MIDDLE;
	put_le(to, middle, 8);
	for (unsigned i = 0; i < X_COUNT; i++)
		put_le(to + 8 + 8 * i, i ? random_integer() : middle, 8);
	for (unsigned i = 0; i < X_COUNT; i++)
		put_le(to + 8 + 8 * X_COUNT + 8 * i, random_number(), 8);
	put_le(to + 8 + 16 * X_COUNT, random_bits() % 5 << 5 | (random_bits() & 0x1f), 8);
}

/* Operands into registers, the instruction, registers into results. */
static void put_case(struct exec_program *program, uint32_t enc, unsigned size)
{
	exec_emit(program, load_x(program, 7, OPERANDS, 8 + 16 * X_COUNT), 4);
	exec_emit(program, 0x00339073, 4); /* csrw fcsr, t2 */
	exec_emit(program, load_x(program, 2, OPERANDS, 0), 4);
	for (unsigned i = 0; i < X_COUNT; i++) {
		unsigned at = 8 + 8 * i;
		exec_emit(program, load_x(program, X_FIRST + i, OPERANDS, at), 4);
		exec_emit(program,
		          (at + 8 * X_COUNT) << 20 | OPERANDS << 15 | 3 << 12 | (X_FIRST + i) << 7 | 7, 4);
	}
	exec_emit(program, enc, size);
	if (size == 2)
		exec_emit(program, 0x0001, 2);
	exec_emit(program, 0x00178793, 4); /* addi x15, x15, 1: left out by branches of 8 */
	exec_emit(program, 0x003023f3, 4); /* csrr t2, fcsr */
	exec_emit(program, store_any(0x23, program->target->wide ? 3 : 2, 7, RESULTS, 8 + 16 * X_COUNT),
	          4);
	exec_emit(program, store_any(0x23, program->target->wide ? 3 : 2, 2, RESULTS, 0), 4);
	for (unsigned i = 0; i < X_COUNT; i++) {
		unsigned at = 8 + 8 * i;
		exec_emit(program, store_any(0x23, program->target->wide ? 3 : 2, X_FIRST + i, RESULTS, at),
		          4);
		exec_emit(program, store_any(0x27, 3, X_FIRST + i, RESULTS, at + 8 * X_COUNT), 4);
	}
	emit_add(program, OPERANDS, CASE_BYTES);
	emit_add(program, RESULTS, CASE_BYTES);
}

/* write(1, results, …), exit(0) */
static void put_end(struct exec_program *program, size_t from, size_t n)
{
	exec_emit(program, 0x00100513, 4);
	emit_address(program, 11, from);
	emit_address(program, 12, n - EXEC_BASE);
	exec_emit(program, 0x04000893, 4);
	exec_emit(program, 0x00000073, 4);
	exec_emit(program, 0x00000513, 4);
	exec_emit(program, 0x05d00893, 4);
	exec_emit(program, 0x00000073, 4);
}

static void put_begin(struct exec_program *program)
{
	emit_address(program, OPERANDS, program->operands);
	emit_address(program, RESULTS, program->results);
}

static const char *field(unsigned at)
{
	return at < 8 ? "x2" : at < 8 + 8 * X_COUNT ? "x8 …" : at < 8 + 16 * X_COUNT ? "f8 …" : "fcsr";
}

/* Differences where QEMU is wrong. ctzw of a word that is 0 gives 32 (the unprivileged ISA manual, Zbb,
 * "ctzw"); QEMU 7.2 counts on in the upper word. */
static bool is_argued(const struct exec_mnemonic *of, const uint8_t *ours, size_t at)
{
	return !strcmp(of->name, "ctzw") && ours[at & ~(size_t)7] == 32;
}

/* ---- what is not known ---- */

enum { REGISTERS = 31 + 32 + 2 };
static struct exec_register registers[REGISTERS];

static void list_registers(void)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		registers[i] = i < 31   ? (struct exec_register){CAIRN_REG_INT, i + 1, 8}
		               : i < 63 ? (struct exec_register){CAIRN_REG_FP, i - 31, 8}
		                        : (struct exec_register){CAIRN_REG_CSR, i - 62, 1};
}

static void random_register(const struct exec_register *reg, uint8_t *bytes)
{
	bool base = reg->cls == CAIRN_REG_INT && (reg->num == 2 || reg->num == X_FIRST);
	put_le(bytes,
	       base                        ? EXEC_BASE + EXEC_MIDDLE
	       : reg->cls == CAIRN_REG_INT ? random_integer()
	       : reg->cls == CAIRN_REG_FP  ? random_number()
	       : reg->num == 1             ? random_bits() & 0x1f
	                                   : random_bits() % 5,
	       8);
}

/* What registers of the machine have room for. */
static void limit(const struct exec_register *reg, uint8_t *bytes)
{
	if (reg->cls == CAIRN_REG_CSR)
		*bytes &= reg->num == 1 ? 0x1f : 7; /* reserved rounding modes, too */
}

/* ---- the sets ---- */

#define EXTENSIONS \
	",zba=on,zbb=on,zbc=on,zbs=on,zbkb=on,zbkc=on,zbkx=on,Zfh=on,zkne=on,zknd=on,zknh=on,zksed=on,zksh=on"
static const char *const qemu_64[] = {"qemu-riscv64", "-cpu", "rv64" EXTENSIONS, NULL};
static const char *const qemu_32[] = {"qemu-riscv32", "-cpu", "rv32" EXTENSIONS, NULL};

static struct exec_target target_of(enum cairn_isa isa)
{
	bool wide = isa == CAIRN_ISA_RV64;
	collect(isa);
	list_registers();
	return (struct exec_target){.isa = isa,
	                            .qemu = wide ? qemu_64 : qemu_32,
	                            .hashes = "tests/unit/fixtures/exec_riscv.hashes",
	                            .elf_machine = 243,
	                            .elf_flags = wide ? 5 : 1, /* double floats, and C */
	                            .wide = wide,
	                            .compressed = true,
	                            .case_bytes = CASE_BYTES,
	                            .case_code = 200,
	                            .least = 100,
	                            .mnemonics = names,
	                            .n_mnemonics = n_names,
	                            .encoding = random_encoding,
	                            .put_begin = put_begin,
	                            .put_operands = put_operands,
	                            .put_case = put_case,
	                            .put_end = put_end,
	                            .is_argued = is_argued,
	                            .field = field,
	                            .registers = registers,
	                            .n_registers = REGISTERS,
	                            .random_register = random_register,
	                            .limit = limit};
}

static void rv64_instructions_do_what_qemu_says(void **state)
{
	struct exec_target target = target_of(CAIRN_ISA_RV64);
	(void)state;
	exec_try_set(&target, "w");
}

static void rv32_instructions_do_what_qemu_says(void **state)
{
	struct exec_target target = target_of(CAIRN_ISA_RV32);
	(void)state;
	exec_try_set(&target, "a");
}

static void what_is_not_known_is_never_guessed(void **state)
{
	static const enum cairn_isa sets[] = {CAIRN_ISA_RV64, CAIRN_ISA_RV32};
	unsigned wrong = 0;
	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct exec_target target = target_of(sets[s]);
		wrong += exec_try_completions(&target);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rv64_instructions_do_what_qemu_says),
		cmocka_unit_test(rv32_instructions_do_what_qemu_says),
		cmocka_unit_test(what_is_not_known_is_never_guessed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
