/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which registers an instruction may change, by its encoding: more than it does, never
 * fewer. QEMU 9 and later hand out registers one by one, and asking for all of them after
 * each instruction takes ten times as long as all the rest.
 */
#include "recorder/machine.h"

#define ALL UINT64_MAX

static uint64_t x(unsigned reg)
{
	return UINT64_C(1) << (reg & 31);
}

static uint64_t f(unsigned reg)
{
	return UINT64_C(1) << (CAPTURE_FP + (reg & 31));
}

/* What cm.pop and its kin write: ra, sp, s0 to s11, a0 and a1. */
#define SEQUENCE (UINT64_C(0x0ffc0f06))

/* Of the short forms, every field that may name a destination, and ra of c.jalr; with a
 * register the one behind it where there are pairs. */
static uint64_t candidates_riscv(uint32_t encoding, unsigned size)
{
	unsigned rd = encoding >> 7 & 31, opcode = encoding & 0x7f;
	if (size == 2 && (encoding & 3) == 0)
		return x(8 + (encoding >> 2 & 7)) | x(9 + (encoding >> 2 & 7)) | f(8 + (encoding >> 2 & 7));
	if (size == 2 && ((encoding & 0xf803) == 0xb802 || (encoding & 0xfc03) == 0xac02))
		return SEQUENCE; /* some c.fsdsp, too */
	if (size == 2)
		return x(rd) | x(rd + 1) | f(rd) | x(8 + (encoding >> 7 & 7)) | x(1);
	if (opcode == 0x23 || opcode == 0x27 || opcode == 0x63)
		return 0; /* stores, branches */
	if (opcode == 0x07 || opcode == 0x53 || opcode == 0x57 || (opcode & 0x73) == 0x43)
		return x(rd) | x(rd + 1) | f(rd);
	if (opcode == 0x2f || opcode == 0x03) /* amocas.d, .q; ld of RV32 */
		return x(rd) | x(rd + 1);
	return x(rd);
}

static uint64_t candidates_arm64(uint32_t encoding)
{
	unsigned rd = encoding & 31, rn = encoding >> 5 & 31, rt2 = encoding >> 10 & 31,
			 rs = encoding >> 16 & 31;
	switch (encoding >> 25 & 15) {
	case 8:
	case 9: /* immediates; authentication of x30 has no field for it */
		return x(rd) | (rd == 31 ? x(30) : 0);
	case 5:
	case 13: /* registers */
		return x(rd);
	case 10:
	case 11: /* branches, system: pointers are signed in x17, x30 */
		return x(rd) | x(17) | x(30);
	case 4:
	case 12: /* loads and stores: destinations, pairs, status, writeback */
		return x(rd) | x(rd + 1) | x(rt2) | x(rs) | x(rs + 1) | x(rn);
	case 6:
	case 14: /* the same of vectors, up to four */
		return x(rn) | x(rd) | f(rd) | f(rd + 1) | f(rd + 2) | f(rd + 3) | f(rt2);
	case 7:
	case 15:
		return x(rd) | f(rd);
	default:
		return ALL;
	}
}

/* A field of a float: a single's number or a double's, with the odd bit on top; of a quad the bit
 * next to that counts for nothing. */
static uint64_t candidates_sparc_float(unsigned rd, unsigned doubles)
{
	uint64_t m = f(rd >> 1);
	for (unsigned i = 0; i <= doubles; i++)
		m |= f((rd >> 1 & 14) + ((rd & 1) << 4) + i);
	return m;
}

static uint64_t candidates_sparc(uint32_t encoding)
{
	unsigned op3 = encoding >> 19 & 63, rd = encoding >> 25 & 31;
	switch (encoding >> 30) {
	case 0:
		return (encoding >> 22 & 7) == 4 ? x(rd) : 0;
	case 1:
		return x(15);
	case 2: /* what turns the window or traps may change every one */
		return op3 == 0x3c || op3 == 0x3d || op3 == 0x39 || op3 == 0x2b || op3 == 0x31 ||
		               op3 == 0x3a
		           ? ALL
		       : op3 == 0x34 || op3 == 0x35 || op3 == 0x36 || op3 == 0x37
		           ? x(rd) | candidates_sparc_float(rd, 2)
		           : x(rd);
	default:
		return op3 >= 0x20 && op3 != 0x3c && op3 != 0x3e
		           ? candidates_sparc_float(rd, op3 == 0x33 ? 8 : 2)
		           : x(rd & 30) | x(rd | 1);
	}
}

uint64_t machine_candidates(const struct machine *machine, uint32_t enc, unsigned size)
{
	return machine->target[0] == 'r'   ? candidates_riscv(enc, size)
	       : machine->target[0] == 'a' ? candidates_arm64(enc)
	                                   : candidates_sparc(enc);
}

/* Vectors are loaded and stored by other widths of floating point's opcodes; those that vendors may
 * use may do anything. */
static unsigned besides_riscv(uint32_t encoding, unsigned size)
{
	unsigned opcode = encoding & 0x7f, width = encoding >> 12 & 7;
	if (size == 2)
		return 0;
	switch (opcode) {
	case 0x07:
	case 0x27:
		return width == 0 || width >= 5 ? MACHINE_VECTORS : 0;
	case 0x53:
		return MACHINE_FLOAT_CONTROL;
	case 0x0b:
	case 0x2b:
	case 0x57:
	case 0x5b:
	case 0x73:
	case 0x77:
	case 0x7b:
		return MACHINE_FLOAT_CONTROL | MACHINE_VECTORS;
	default:
		return (opcode & 0x73) == 0x43 ? MACHINE_FLOAT_CONTROL : 0;
	}
}

static unsigned besides_arm64(uint32_t encoding)
{
	switch (encoding >> 25 & 15) {
	case 4:
	case 12:
	case 5:
	case 8:
	case 9:
	case 13: /* integers, loads and stores of them */
		return 0;
	case 6:
	case 14: /* … of vectors */
		return MACHINE_VECTORS;
	case 10:
	case 11: /* branches and system, of which msr changes registers */
		return encoding >> 24 == 0xd5 ? MACHINE_FLOAT_CONTROL | MACHINE_VECTORS : 0;
	default:
		return MACHINE_FLOAT_CONTROL | MACHINE_VECTORS;
	}
}

/* done and retry bring back ASI; FSR is loaded, and stored in a way that changes it. */
static unsigned besides_sparc(uint32_t encoding)
{
	unsigned op3 = encoding >> 19 & 63;
	if (encoding >> 30 == 3)
		return op3 >= 0x20 && op3 != 0x3c && op3 != 0x3e ? MACHINE_FLOAT_CONTROL : 0;
	if (encoding >> 30 != 2)
		return 0;
	return op3 == 0x30 || op3 == 0x3e || (op3 >= 0x34 && op3 <= 0x37)
	           ? MACHINE_FLOAT_CONTROL | MACHINE_CONTROL
	           : 0;
}

unsigned machine_besides(const struct machine *machine, uint32_t enc, unsigned size)
{
	return machine->target[0] == 'r'   ? besides_riscv(enc, size)
	       : machine->target[0] == 'a' ? besides_arm64(enc)
	                                   : besides_sparc(enc);
}

unsigned machine_sp(const struct machine *machine)
{
	return machine->target[0] == 'r' ? 2 : machine->target[0] == 'a' ? 31 : 14;
}
