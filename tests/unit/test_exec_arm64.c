/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What A64 instructions do, against QEMU (fixtures/exec_cases.h). Encodings are made from patterns
 * of 32 characters, as the manual's diagrams have them (fixtures/exec_arm64_patterns.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/exec_arm64_patterns.h"
#include "fixtures/exec_cases.h"

/* Registers that instructions have as operands: x8 to x15, of which x8 is a base and x9 an index;
 * v28 to v31 and v0 to v3. x4 and x5 point at operands and results, x6 and x7 are for a moment. */
enum { X_FIRST = 8, X_COUNT = 8, V_COUNT = 8, BASE_REGISTER = 8, INDEX_REGISTER = 9 };
static uint32_t vector_register(uint64_t i)
{
	return (uint32_t)(28 + i) & 31;
}

/* Where things lie in a case's bytes. */
enum {
	AT_SP = 0,
	AT_NZCV = 8,
	AT_FPCR = 16,
	AT_FPSR = 24,
	AT_X = 32,
	AT_X30 = AT_X + 8 * X_COUNT,
	AT_V = AT_X30 + 16,
	CASE_BYTES = AT_V + 16 * V_COUNT
};

/* ---- encodings ---- */

static bool is_register(char letter)
{
	return strchr("dnmasetDNMALB", letter) != NULL;
}

/* A register for a field of this letter, five bits. */
static uint32_t random_field(char letter)
{
	uint32_t random = (uint32_t)random_bits();
	switch (letter) {
	case 's': /* a base */
		return random & 1 ? 31 : BASE_REGISTER;
	case 'e': /* even */
		return X_FIRST + (random % X_COUNT & ~1u);
	case 't': /* a general register that is none of zero or SP */
		return X_FIRST + random % X_COUNT;
	case 'd':
	case 'n':
	case 'm':
	case 'a':
		return random >> 8 & 7 ? X_FIRST + random % X_COUNT : 31;
	case 'L': /* the first of up to four */
		return vector_register(random % (V_COUNT - 3));
	default:
		return vector_register(random % V_COUNT);
	}
}

static uint32_t fill(const char *pattern)
{
	uint32_t enc = 0;
	for (unsigned i = 0; i < 32;) {
		char letter = pattern[i];
		unsigned width = 1;
		uint32_t value = letter == '1';
		if (letter == 'x')
			value = random_bits() >> 7 & 1;
		else if (letter == 'B') { /* the second of a product by element: v0 to v3 in four bits */
			width = 4;
			value = random_bits() >> 7 & 3;
		} else if (is_register(letter)) {
			width = 5;
			value = random_field(letter);
		}
		enc = enc << width | value;
		i += width;
	}
	return enc;
}

/* Fields of registers differ where memory is accessed: what else happens is open. */
static bool differs(const char *pattern, uint32_t enc)
{
	uint32_t seen[2] = {0, 0};
	if (!strchr(pattern, 's'))
		return true;
	for (unsigned i = 0; i < 32; i++)
		if (is_register(pattern[i])) {
			bool vector = pattern[i] < 'a';
			uint32_t bit = UINT32_C(1) << (enc >> (27 - i) & 31);
			if (seen[vector] & bit)
				return false;
			seen[vector] |= bit;
			i += 4;
		}
	return true;
}

static uint32_t random_encoding(const struct exec_target *target, const struct exec_mnemonic *of)
{
	const char *pattern = exec_arm64_patterns[of - target->mnemonics].bits;
	for (unsigned tries = 0; tries < 10000; tries++) {
		struct cairn_op op;
		uint32_t enc = fill(pattern);
		cairn_isa_decode(CAIRN_ISA_A64, enc, 4, &op);
		if (op.cls != CAIRN_CLASS_ILLEGAL && differs(pattern, enc))
			return enc;
	}
	return 0;
}

/* ---- one program ---- */

static void emit(struct exec_program *program, uint32_t enc)
{
	exec_emit(program, enc, 4);
}

/* Numbers below 2^32. */
static void emit_constant(struct exec_program *program, unsigned rd, uint64_t value)
{
	emit(program, 0xd2800000 | (uint32_t)(value & 0xffff) << 5 | rd);
	emit(program, 0xf2a00000 | (uint32_t)(value >> 16 & 0xffff) << 5 | rd);
}

enum { LOAD = 1 << 22 };

/* ldp or stp of two x, or q, registers, of the base and an offset. */
static void emit_pair(struct exec_program *program, bool load, unsigned first, unsigned second,
                      unsigned base, unsigned offset)
{
	emit(program,
	     0xa9000000 | (load ? LOAD : 0) | offset / 8 << 15 | second << 10 | base << 5 | first);
}

static void emit_vector_pair(struct exec_program *program, bool load, unsigned i, unsigned base)
{
	emit(program, 0xad000000 | (load ? LOAD : 0) | (AT_V + 16 * i) / 16 << 15 |
	                  vector_register(i + 1) << 10 | base << 5 | vector_register(i));
}

static void emit_registers(struct exec_program *program, bool load, unsigned base)
{
	for (unsigned i = 0; i < X_COUNT; i += 2)
		emit_pair(program, load, X_FIRST + i, X_FIRST + i + 1, base, AT_X + 8 * i);
	emit_pair(program, load, 30, 6, base, AT_X30);
	for (unsigned i = 0; i < V_COUNT; i += 2)
		emit_vector_pair(program, load, i, base);
}

static void put_begin(struct exec_program *program)
{
	emit_constant(program, 4, EXEC_BASE + program->operands);
	emit_constant(program, 5, EXEC_BASE + program->results);
}

static void put_operands(struct exec_program *program, uint8_t *to)
{
	uint64_t middle = EXEC_BASE + program->scratch + EXEC_MIDDLE;
	exec_put_bytes(to + AT_SP, middle, 8, false);
	exec_put_bytes(to + AT_NZCV, (random_bits() & 15) << 28, 8, false);
	exec_put_bytes(to + AT_FPCR, exec_arm64_random_fpcr(), 8, false);
	exec_put_bytes(to + AT_FPSR, random_bits() & 0x0800009f, 8, false);
	for (unsigned i = 0; i < X_COUNT; i++)
		exec_put_bytes(to + AT_X + 8 * i, i ? random_integer() : middle, 8, false);
	exec_put_bytes(to + AT_X30, random_bits(), 8, false);
	for (unsigned i = 0; i < 2 * V_COUNT; i++)
		exec_put_bytes(to + AT_V + 8 * i, exec_arm64_random_lane(), 8, false);
}

/* What an encoding needs beforehand: an index that is small, an address to jump to, a base that is
 * signed. */
static void emit_needs(struct exec_program *program, uint32_t enc)
{
	if ((enc & 0x3b200c00) == 0x38200800) {
		emit(program, 0x93401529); /* sbfx x9, x9, #0, #6 */
		if ((enc >> 13 & 7) == 2) {
			emit(program, 0x92401529); /* and x9, x9, #0x3f */
			emit(program, 0xb2607d29); /* orr x9, x9, #0xffffffff00000000 */
		}
	}
	if ((enc & 0xff9ffc1f) == 0xd61f0000)
		emit(program, 0x10000060 | (enc >> 5 & 31)); /* adr rn, #12 */
	if ((enc & 0xff200400) == 0xf8200400)
		emit(program, enc >> 23 & 1 ? 0xdac12fe8 : 0xdac12be8); /* pacdzb x8, pacdza x8 */
}

static void put_case(struct exec_program *program, uint32_t enc, unsigned size)
{
	(void)size;
	emit_pair(program, true, 6, 7, 4, AT_SP);
	emit(program, 0x910000df); /* mov sp, x6 */
	emit(program, 0xd51b4207); /* msr nzcv, x7 */
	emit_pair(program, true, 6, 7, 4, AT_FPCR);
	emit(program, 0xd51b4406); /* msr fpcr, x6 */
	emit(program, 0xd51b4427); /* msr fpsr, x7 */
	emit_registers(program, true, 4);
	emit_needs(program, enc);
	emit(program, enc);
	emit(program, 0x910005ef); /* add x15, x15, #1: left out by branches of 8 */
	emit_registers(program, false, 5);
	emit(program, 0x910003e6); /* mov x6, sp */
	emit(program, 0xd53b4207); /* mrs x7, nzcv */
	emit_pair(program, false, 6, 7, 5, AT_SP);
	emit(program, 0xd53b4406); /* mrs x6, fpcr */
	emit(program, 0xd53b4427); /* mrs x7, fpsr */
	emit_pair(program, false, 6, 7, 5, AT_FPCR);
	emit(program, 0x91000084 | CASE_BYTES << 10); /* add x4, x4, #CASE_BYTES */
	emit(program, 0x910000a5 | CASE_BYTES << 10);
}

/* write(1, results, …), exit(0) */
static void put_end(struct exec_program *program, size_t from, size_t n)
{
	emit_constant(program, 0, 1);
	emit_constant(program, 1, EXEC_BASE + from);
	emit_constant(program, 2, n);
	emit_constant(program, 8, 64);
	emit(program, 0xd4000001); /* svc #0 */
	emit_constant(program, 0, 0);
	emit_constant(program, 8, 93);
	emit(program, 0xd4000001);
}

static const char *field(unsigned at)
{
	static const struct {
		unsigned from;
		const char *name;
	} fields[] = {{AT_V, "v28 …"},   {AT_X30, "x30"},   {AT_X, "x8 …"}, {AT_FPSR, "FPSR"},
	              {AT_FPCR, "FPCR"}, {AT_NZCV, "NZCV"}, {AT_SP, "sp"}};
	unsigned i = 0;
	while (at < fields[i].from)
		i++;
	return fields[i].name;
}

/* Differences where QEMU is wrong. What is not of the result's 16 bits becomes 0 (the manual, C7.2,
 * "FCVTZS (vector, fixed-point)": V[d] = result); QEMU 7.2 leaves copies of the sign. */
static bool is_argued(const struct exec_mnemonic *of, const uint8_t *ours, size_t at)
{
	size_t in = at % CASE_BYTES;
	return !strcmp(of->name, "fcvtzs_fixed_scalar_half") && in >= AT_V &&
	       ((in - AT_V) % 16 == 2 || (in - AT_V) % 16 == 3) && ours[at] == 0;
}

/* ---- what is not known ---- */

enum { REGISTERS = 32 + 32 + 3 };
static struct exec_register registers[REGISTERS];

static void random_register(const struct exec_register *reg, uint8_t *bytes)
{
	bool base = reg->cls == CAIRN_REG_INT && (reg->num == 31 || reg->num == BASE_REGISTER);
	uint64_t value = base                          ? EXEC_BASE + EXEC_MIDDLE
	                 : reg->cls == CAIRN_REG_INT   ? random_integer()
	                 : reg->cls == CAIRN_REG_FLAGS ? random_bits() & 15
	                 : reg->cls == CAIRN_REG_CSR   ? (random_bits() & 15) << 22
	                                               : exec_arm64_random_lane();
	exec_put_bytes(bytes, value, 8, false);
	exec_put_bytes(bytes + 8, exec_arm64_random_lane(), 8, false);
}

/* What the registers of the machine have room for. */
static void limit(const struct exec_register *reg, uint8_t *bytes)
{
	if (reg->cls == CAIRN_REG_FLAGS)
		*bytes &= 15;
}

/* ---- the set ---- */

static const char *const qemu[] = {"qemu-aarch64", "-cpu", "max,sve-max-vq=2,sve256=on", NULL};

static struct exec_target target_of(void)
{
	static struct exec_mnemonic names[EXEC_ARM64_MOST_PATTERNS];
	for (size_t i = 0; i < exec_arm64_n_patterns; i++) {
		snprintf(names[i].name, sizeof names[i].name, "%s", exec_arm64_patterns[i].name);
		names[i].size = 4;
	}
	for (unsigned i = 0; i < REGISTERS; i++)
		registers[i] = i < 32   ? (struct exec_register){CAIRN_REG_INT, i, 8}
		               : i < 64 ? (struct exec_register){CAIRN_REG_VECTOR, i - 32, 16}
		               : i < 65 ? (struct exec_register){CAIRN_REG_FLAGS, 0, 1}
		                        : (struct exec_register){CAIRN_REG_CSR, 0xda20 + i - 65, 8};
	return (struct exec_target){.isa = CAIRN_ISA_A64,
	                            .qemu = qemu,
	                            .hashes = "tests/unit/fixtures/exec_arm64.hashes",
	                            .elf_machine = 183,
	                            .wide = true,
	                            .vector_bits = 256,
	                            .case_bytes = CASE_BYTES,
	                            .case_code = 240,
	                            .least = (unsigned)exec_arm64_n_patterns,
	                            .mnemonics = names,
	                            .n_mnemonics = exec_arm64_n_patterns,
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

static void instructions_do_what_qemu_says(void **state)
{
	struct exec_target target = target_of();
	(void)state;
	exec_try_set(&target, "w");
}

static void what_is_not_known_is_never_guessed(void **state)
{
	struct exec_target target = target_of();
	(void)state;
	assert_int_equal(exec_try_completions(&target), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_do_what_qemu_says),
		cmocka_unit_test(what_is_not_known_is_never_guessed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
