/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: names of registers, both ways.
 *
 * Names are written without the assembler's %. A register of a stated window is
 * "w3.l5", of a stated set of globals "ug1", "ig1", "mg1" and "ag1" (user, interrupt,
 * MMU, alternate); what stands without a window is of the one in force. The numbers
 * are those of sparc.h, which follow the traces that record them.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "isa/isa.h"
#include "isa/sparc.h"

static const char ints[32][3] = {"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "o0", "o1", "o2",
                                 "o3", "o4", "o5", "o6", "o7", "l0", "l1", "l2", "l3", "l4", "l5",
                                 "l6", "l7", "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7"};
static const char sets[] = "uima";

/* Those RDPR reads, and 31; then, from ISA_SPARC_ASR, those of rd, but for %ccr, which is
 * of the class FLAGS. */
static const char *const privileged[32] = {
	"tpc", "tnpc",    "tstate",     "tt",       "tick",     "tba",    "pstate", "tl", "pil",
	"cwp", "cansave", "canrestore", "cleanwin", "otherwin", "wstate", "fq",     "gl", [31] = "ver"};
static const char *const state[] = {"y",  "asr1", NULL,  "asi", "tick",
                                    "pc", "fprs", "asr", "fsr", "gsr"};
static const char *const levels[] = {"tpc", "tnpc", "tstate", "tt"};

static const char *int_name(unsigned num, char *buf)
{
	if (num < 32)
		return ints[num];
	if (num < ISA_SPARC_WIN || num > ISA_SPARC_WIN + 255)
		return NULL;
	unsigned window = num >> 5 & 7, reg = num & 31;
	if (reg >= 8)
		(void)snprintf(buf, 16, "w%u.%s", window, ints[reg]);
	else if (window < 4)
		(void)snprintf(buf, 16, "%cg%u", sets[window], reg);
	else
		(void)snprintf(buf, 16, "g%u.set%u", reg, window);
	return buf;
}

static const char *fp_name(unsigned num, char *buf)
{
	if (num >= 96)
		return NULL;
	if (num < 32)
		(void)snprintf(buf, 16, "f%u", num);
	else if (num < 64)
		(void)snprintf(buf, 16, "d%u", 2 * (num - 32));
	else
		(void)snprintf(buf, 16, "q%u", num - 64);
	return buf;
}

static const char *sparc_names_csr_name(unsigned num, char *buf)
{
	if (num < 32)
		return privileged[num];
	if (num >= ISA_SPARC_TPC_TL && num < ISA_SPARC_TT_TL + 8)
		(void)snprintf(buf, 16, "%s.%u", levels[(num - ISA_SPARC_TPC_TL) / 8], num & 7);
	else if (num >= ISA_SPARC_MMU && num < ISA_SPARC_MMU + 256)
		(void)snprintf(buf, 16, "mmu%u", num - ISA_SPARC_MMU);
	else if (num >= ISA_SPARC_ASR && num < ISA_SPARC_ASR + sizeof state / sizeof *state)
		return state[num - ISA_SPARC_ASR];
	else
		return NULL;
	return buf;
}

const char *isa_sparc_reg_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	switch (cls) {
	case CAIRN_REG_INT:
		return int_name(num, buf);
	case CAIRN_REG_FP:
		return fp_name(num, buf);
	case CAIRN_REG_CSR:
		return sparc_names_csr_name(num, buf);
	case CAIRN_REG_FLAGS:
		return num == 0 ? "ccr" : num == 1 ? "fcc" : NULL;
	default:
		return NULL;
	}
}

const char *isa_sparc_reg_abi_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	if (cls == CAIRN_REG_INT && num == 14)
		return "sp";
	if (cls == CAIRN_REG_INT && num == 30)
		return "fp";
	return isa_sparc_reg_name(cls, num, buf);
}

int isa_sparc_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num)
{
	static const struct {
		enum cairn_reg_class cls;
		unsigned first, end;
	} kinds[] = {{CAIRN_REG_INT, 0, 32},
	             {CAIRN_REG_INT, ISA_SPARC_WIN, ISA_SPARC_WIN + 256},
	             {CAIRN_REG_FP, 0, 96},
	             {CAIRN_REG_FLAGS, 0, 2},
	             {CAIRN_REG_CSR, 0, 96},
	             {CAIRN_REG_CSR, ISA_SPARC_ASR, ISA_SPARC_ASR + 16},
	             {CAIRN_REG_CSR, ISA_SPARC_MMU, ISA_SPARC_MMU + 256}};
	char buf[16];
	if (n > 1 && name[0] == '%') {
		name++;
		n--;
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (unsigned i = kinds[k].first; i < kinds[k].end; i++) {
			const char *s = isa_sparc_reg_name(kinds[k].cls, i, buf);
			if (s && strlen(s) == n && !memcmp(s, name, n)) {
				*cls = kinds[k].cls;
				*num = i;
				return 0;
			}
		}
	if (n == 2 && (!memcmp(name, "sp", 2) || !memcmp(name, "fp", 2))) {
		*cls = CAIRN_REG_INT;
		*num = name[0] == 's' ? 14 : 30;
		return 0;
	}
	return CAIRN_E_NOTFOUND;
}
