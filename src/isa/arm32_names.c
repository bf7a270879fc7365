/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32: names of registers, both ways.
 *
 * INT: r0 to r15, of which 13 to 15 are called sp, lr and pc. FP: s0 to s31, then from 32 on d0 to d31.
 * VECTOR: q0 to q15. They are parts of the same storage: d1 is s2 and s3, q1 is d2 and d3.
 * FLAGS: the flags of APSR. CSR: CPSR, SPSR and FPSCR, the only ones that are numbered here;
 * what MCR and MRC reach has no names.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "isa/isa.h"

static const char ints[16][4] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
                                 "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};
static const char csrs[][6] = {"cpsr", "spsr", "fpscr"};

const char *isa_arm32_reg_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	switch (cls) {
	case CAIRN_REG_INT:
		return num < 16 ? ints[num] : NULL;
	case CAIRN_REG_FP:
		if (num >= 64)
			return NULL;
		(void)snprintf(buf, 16, "%c%u", num < 32 ? 's' : 'd', num & 31);
		return buf;
	case CAIRN_REG_VECTOR:
		if (num >= 16)
			return NULL;
		(void)snprintf(buf, 16, "q%u", num);
		return buf;
	case CAIRN_REG_CSR:
		return num < sizeof csrs / sizeof *csrs ? csrs[num] : NULL;
	case CAIRN_REG_FLAGS:
		return num == 0 ? "nzcv" : NULL;
	default:
		return NULL;
	}
}

int isa_arm32_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num)
{
	static const struct {
		enum cairn_reg_class cls;
		unsigned count;
	} kinds[] = {{CAIRN_REG_INT, 15},
	             {CAIRN_REG_FP, 64},
	             {CAIRN_REG_VECTOR, 16},
	             {CAIRN_REG_CSR, 3},
	             {CAIRN_REG_FLAGS, 1}};
	static const struct {
		char name[4];
		uint8_t num;
	} aliases[] = {{"r13", 13}, {"r14", 14}, {"r15", 15}, {"sb", 9},
	               {"sl", 10},  {"fp", 11},  {"ip", 12}};
	char buf[16];
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (unsigned i = 0; i < kinds[k].count; i++) {
			const char *s = isa_arm32_reg_name(kinds[k].cls, i, buf);
			if (s && strlen(s) == n && !memcmp(s, name, n)) {
				*cls = kinds[k].cls;
				*num = i;
				return 0;
			}
		}
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strlen(aliases[i].name) == n && !memcmp(aliases[i].name, name, n)) {
			*cls = CAIRN_REG_INT;
			*num = aliases[i].num;
			return 0;
		}
	return CAIRN_E_NOTFOUND;
}
