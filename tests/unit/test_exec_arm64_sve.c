/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What SVE instructions do, against QEMU (fixtures/exec_cases.h), with vectors of 256 bits and of
 * 384, which is no power of two. Encodings are made from patterns of 32 characters
 * (fixtures/exec_sve_patterns.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/exec_arm64_patterns.h"
#include "fixtures/exec_cases.h"
#include "fixtures/exec_sve_patterns.h"
#include "isa/arm64.h"

/* Operands: x8 to x15, of which x8 is a base and x9 an index; z28 to z31 and z0 to z3; p0 to p7 and
 * FFR. x4 and x5 point at operands and results; x6, x7, z10 and p15 are for a moment. */
enum { X_FIRST = 8, X_COUNT = 8, Z_COUNT = 8, P_COUNT = 8, BASE_REGISTER = 8, INDEX_REGISTER = 9 };
static uint32_t vector_register(uint64_t i)
{
	return (uint32_t)(28 + i) & 31;
}

/* Bytes of a vector; of a predicate an eighth. */
static unsigned length;

/* Where things lie in a case's bytes. */
enum { AT_SP = 0, AT_NZCV = 8, AT_FPCR = 16, AT_FPSR = 24, AT_X = 32, AT_Z = AT_X + 8 * X_COUNT };
static unsigned at_p(void)
{
	return AT_Z + Z_COUNT * length;
}
static unsigned case_bytes(void)
{
	return (at_p() + (P_COUNT + 1) * length / 8 + 15) & ~15u;
}

/* ---- encodings ---- */

static uint32_t random_field(char letter, unsigned *width)
{
	uint32_t random = (uint32_t)(random_bits() >> 7);
	*width = strchr("DNMLBIdnmsi", letter) ? 5 : strchr("PF", letter) ? 4 : letter == 'g' ? 3 : 1;
	switch (letter) {
	case 'D':
	case 'N':
	case 'M':
	case 'B':
	case 'I':
		return vector_register(random % Z_COUNT);
	case 'L':
		return vector_register(random % (Z_COUNT - 3));
	case 'P':
	case 'g':
		return random % P_COUNT;
	case 'F':
		return 15;
	case 's':
		return random & 1 ? 31 : BASE_REGISTER;
	case 'i':
		return INDEX_REGISTER;
	case 'd':
	case 'n':
	case 'm':
		return random >> 8 & 7 ? X_FIRST + random % X_COUNT : 31;
	case 'x':
		return random & 1;
	default:
		return letter == '1';
	}
}

static uint32_t random_encoding(const struct exec_target *target, const struct exec_mnemonic *of)
{
	const char *pattern = exec_sve_patterns[of - target->mnemonics].bits;
	for (unsigned tries = 0; tries < 10000; tries++) {
		struct cairn_op op;
		uint32_t enc = 0;
		for (unsigned i = 0, width; i < 32; i += width) {
			uint32_t value = random_field(pattern[i], &width);
			enc = enc << width | value;
		}
		bool bfloat = enc >> 25 == 0x32 && !strncmp(pattern + 8, "xx", 2) && !(enc >> 22 & 3);
		cairn_isa_decode(CAIRN_ISA_A64, enc, 4, &op);
		if (!bfloat && op.cls != CAIRN_CLASS_ILLEGAL)
			return enc;
	}
	return 0;
}

/* ---- one program ---- */

/* The middle of a page. */
static uint64_t base_address(const struct exec_program *program)
{
	return (EXEC_BASE + program->scratch + EXEC_MIDDLE) / 4096 * 4096 + 2048;
}

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

enum { LOAD = 1 << 22, STORE_Z = 1 << 30 | 1 << 29 };

static void emit_pair(struct exec_program *program, bool load, unsigned first, unsigned second,
                      unsigned base, unsigned offset)
{
	emit(program,
	     0xa9000000 | (load ? LOAD : 0) | offset / 8 << 15 | second << 10 | base << 5 | first);
}

/* ldr or str of a vector, of a predicate: by x7, and a number of them. */
static void emit_vector(struct exec_program *program, bool load, unsigned reg, unsigned index)
{
	emit(program, 0x85804000 | (load ? 0 : STORE_Z) | index << 10 | 7 << 5 | reg);
}

static void emit_predicate(struct exec_program *program, bool load, unsigned reg, unsigned index)
{
	emit(program,
	     0x85800000 | (load ? 0 : STORE_Z) | (index >> 3) << 16 | (index & 7) << 10 | 7 << 5 | reg);
}

static void emit_registers(struct exec_program *program, bool load, unsigned base)
{
	for (unsigned i = 0; i < X_COUNT; i += 2)
		emit_pair(program, load, X_FIRST + i, X_FIRST + i + 1, base, AT_X + 8 * i);
	emit(program, 0x91000007 | AT_Z << 10 | base << 5); /* add x7, base, #AT_Z */
	for (unsigned i = 0; i < Z_COUNT; i++)
		emit_vector(program, load, vector_register(i), i);
	emit(program, 0x91000007 | at_p() << 10 | base << 5);
	for (unsigned i = 0; i < P_COUNT; i++)
		emit_predicate(program, load, i, i);
	if (load) {
		emit_predicate(program, true, 15, P_COUNT);
		emit(program, 0x252891e0); /* wrffr p15.b */
	} else {
		emit(program, 0x2519f00f); /* rdffr p15.b */
		emit_predicate(program, false, 15, P_COUNT);
	}
}

static void put_begin(struct exec_program *program)
{
	emit_constant(program, 4, EXEC_BASE + program->operands);
	emit_constant(program, 5, EXEC_BASE + program->results);
}

/* A predicate: none, all, up to an element, or any. */
static void put_predicate(uint8_t *to, bool contiguous)
{
	uint64_t random = random_bits() >> 3;
	unsigned n = length, kind = (unsigned)(random % 8);
	unsigned until = kind == 0 ? 0 : kind < 4 ? n : (unsigned)(random >> 8) % (n + 1);
	memset(to, 0, n / 8);
	for (unsigned i = 0; i < n; i++)
		if (contiguous || kind < 5 ? i < until : random_bits() >> 9 & 1)
			to[i / 8] |= (uint8_t)(1 << i % 8);
}

static void put_operands(struct exec_program *program, uint8_t *to)
{
	uint64_t base = base_address(program);
	exec_put_bytes(to + AT_SP, base, 8, false);
	exec_put_bytes(to + AT_NZCV, (random_bits() & 15) << 28, 8, false);
	exec_put_bytes(to + AT_FPCR, exec_arm64_random_fpcr(), 8, false);
	exec_put_bytes(to + AT_FPSR, random_bits() & 0x0800009f, 8, false);
	for (unsigned i = 0; i < X_COUNT; i++) {
		uint64_t value = random_bits() % 4 ? random_integer() : random_bits() >> 8 & 63;
		exec_put_bytes(to + AT_X + 8 * i, i ? value : base, 8, false);
	}
	for (unsigned i = 0; i < Z_COUNT * length / 8; i++)
		exec_put_bytes(to + AT_Z + 8 * i, exec_arm64_random_lane(), 8, false);
	for (unsigned i = 0; i <= P_COUNT; i++)
		put_predicate(to + at_p() + i * length / 8, i == P_COUNT);
}

/* Addresses that lie in the scratch: small offsets, and vectors of addresses around its middle. */
static void emit_needs(struct exec_program *program, uint32_t enc)
{
	struct isa_arm64_access access;
	if (!(enc >> 31) || !isa_arm64_access(enc, &access))
		return;
	uint32_t and_63 = access.lane == 8 ? 0x058200a0 : 0x058000a0; /* and z0, z0, #0x3f of lanes */
	if (access.index_kind == ISA_ARM64_INDEX_X)
		emit(program, 0x93401529); /* sbfx x9, x9, #0, #6 */
	if (access.flags & ISA_ARM64_FIRST_FAULT && !(access.flags & ISA_ARM64_GATHER)) {
		/* Behind elements that are not active QEMU 7.2 takes those bits of the predicate from
		 * another byte; so the first one is active. */
		emit(program, 0x2518e3ee); /* ptrue p14.b */
		emit(program, 0x2518e02f); /* ptrue p15.b, vl1 */
		emit(program,
		     0x258f7800 | (uint32_t)access.predicate * 33); /* orr of p14; in both fields */
	}
	if (access.index_kind == ISA_ARM64_INDEX_Z)
		emit(program, and_63 | access.index);
	if (access.base_kind == ISA_ARM64_BASE_Z) {
		uint32_t size = access.lane == 8 ? 3 : 2;
		emit(program, and_63 | access.base);
		emit_constant(program, 6, base_address(program));
		emit(program, 0x052038ca | size << 22); /* dup z10, x6 */
		emit(program, 0x04200000 | size << 22 | 10 << 16 | (uint32_t)access.base * 33);
	}
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
	emit_registers(program, false, 5);
	emit(program, 0x910003e6); /* mov x6, sp */
	emit(program, 0xd53b4207); /* mrs x7, nzcv */
	emit_pair(program, false, 6, 7, 5, AT_SP);
	emit(program, 0xd53b4406); /* mrs x6, fpcr */
	emit(program, 0xd53b4427); /* mrs x7, fpsr */
	emit_pair(program, false, 6, 7, 5, AT_FPCR);
	emit(program, 0x91000084 | case_bytes() << 10); /* add x4, x4, … */
	emit(program, 0x910000a5 | case_bytes() << 10);
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
	return at >= at_p() + P_COUNT * length / 8 ? "FFR"
	       : at >= at_p()                      ? "p0 …"
	       : at >= AT_Z                        ? "z28 …"
	       : at >= AT_X                        ? "x8 …"
	       : at >= AT_FPSR                     ? "FPSR"
	       : at >= AT_FPCR                     ? "FPCR"
	       : at >= AT_NZCV                     ? "NZCV"
	                                           : "sp";
}

/* Of an odd number of elements of 128 bits, of which a pair is not whole, the last becomes 0 (the
 * manual, C8.2, "UZP1, UZP2 (vectors)"); QEMU 7.2 puts the second operand's where that one begins. So
 * does what is left beside matrices of 256 bits (C8.2, "FMMLA"); QEMU leaves what there was. */
static bool is_left_over(const struct exec_mnemonic *of, size_t in)
{
	return length % 32 && in >= AT_Z && in < at_p() &&
	       (!strcmp(of->name, "sve_uzp1_of_128") || !strcmp(of->name, "sve2_fmmla"));
}

/* Addresses that are less than an element apart do not conflict (the manual, C8.2, "WHILERW" and
 * "WHILEWR": "diff == 0", "diff <= 0" of a quotient); for QEMU 7.2 they conflict from the first
 * element on. Ours is then all true: N without C. */
static bool is_all_or_nothing(const struct exec_mnemonic *of, const uint8_t *ours, size_t in)
{
	bool is_while = !strcmp(of->name, "sve2_whilewr") || !strcmp(of->name, "sve2_whilerw");
	unsigned flags = ours[AT_NZCV + 3] >> 4;
	return is_while && flags == 8 && (in >= at_p() || in / 8 == AT_NZCV / 8);
}

static bool is_argued(const struct exec_mnemonic *of, const uint8_t *ours, size_t at)
{
	size_t in = at % case_bytes();
	return is_left_over(of, in) || is_all_or_nothing(of, ours + (at - in), in);
}

/* ---- what is not known ---- */

enum { REGISTERS = 32 + 32 + 17 + 3 };
static struct exec_register registers[REGISTERS];

static void random_register(const struct exec_register *reg, uint8_t *bytes)
{
	bool base = reg->cls == CAIRN_REG_INT && (reg->num == 31 || reg->num == BASE_REGISTER);
	if (reg->cls == CAIRN_REG_PREDICATE)
		put_predicate(bytes, reg->num == 16);
	else if (reg->cls == CAIRN_REG_VECTOR)
		for (unsigned i = 0; i < length; i += 8)
			exec_put_bytes(bytes + i, exec_arm64_random_lane(), 8, false);
	else
		exec_put_bytes(bytes,
		               base                          ? EXEC_BASE + EXEC_MIDDLE
		               : reg->cls == CAIRN_REG_FLAGS ? random_bits() & 15
		               : reg->cls == CAIRN_REG_CSR   ? (random_bits() & 15) << 22
		                                             : random_integer(),
		               8, false);
}

static void limit(const struct exec_register *reg, uint8_t *bytes)
{
	if (reg->cls == CAIRN_REG_FLAGS)
		*bytes &= 15;
}

/* ---- the set ---- */

static const char *const qemu_256[] = {"qemu-aarch64", "-cpu", "max,sve-max-vq=2,sve256=on", NULL};
static const char *const qemu_384[] = {"qemu-aarch64", "-cpu", "max,sve-max-vq=3,sve384=on", NULL};

static struct exec_target target_of(unsigned bits)
{
	static struct exec_mnemonic names[EXEC_SVE_MOST_PATTERNS];
	length = bits / 8;
	for (size_t i = 0; i < exec_sve_n_patterns; i++) {
		snprintf(names[i].name, sizeof names[i].name, "%s", exec_sve_patterns[i].name);
		names[i].size = 4;
	}
	for (unsigned i = 0; i < REGISTERS; i++)
		registers[i] = i < 32 ? (struct exec_register){CAIRN_REG_INT, i, 8}
		               : i < 64
		                   ? (struct exec_register){CAIRN_REG_VECTOR, ISA_ARM64_Z0 + i - 32, length}
		               : i < 81 ? (struct exec_register){CAIRN_REG_PREDICATE, i - 64, length / 8}
		               : i < 82 ? (struct exec_register){CAIRN_REG_FLAGS, 0, 1}
		                        : (struct exec_register){CAIRN_REG_CSR, 0xda20 + i - 82, 8};
	return (struct exec_target){.isa = CAIRN_ISA_A64,
	                            .qemu = bits == 256 ? qemu_256 : qemu_384,
	                            .hashes = bits == 256 ? "tests/unit/fixtures/exec_sve.hashes"
	                                                  : "tests/unit/fixtures/exec_sve_384.hashes",
	                            .elf_machine = 183,
	                            .wide = true,
	                            .vector_bits = bits,
	                            .case_bytes = case_bytes(),
	                            .case_code = 432,
	                            .least = (unsigned)exec_sve_n_patterns,
	                            .mnemonics = names,
	                            .n_mnemonics = exec_sve_n_patterns,
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
	struct exec_target target = target_of(256);
	(void)state;
	exec_try_set(&target, "w");
}

static void a_length_that_is_no_power_of_two(void **state)
{
	struct exec_target target = target_of(384);
	(void)state;
	exec_try_set(&target, "w");
}

static void what_is_not_known_is_never_guessed(void **state)
{
	struct exec_target target = target_of(256);
	(void)state;
	assert_int_equal(exec_try_completions(&target), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_do_what_qemu_says),
		cmocka_unit_test(a_length_that_is_no_power_of_two),
		cmocka_unit_test(what_is_not_known_is_never_guessed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
