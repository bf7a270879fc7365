/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: names of registers, both ways. What the numbers are: arm64.h.
 *
 * The 32 SIMD registers have many names for parts of the same storage: z3, v3 or q3, d3,
 * s3, h3, b3. A row of a trace that holds part of one is best said to be of v3 with that
 * width; the others are there so that each name can be asked for and answered. w3 is x3.
 * The plain name of x29, x30 and their aliases fp, lr are the ABI's names.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "isa/arm64.h"
#include "isa/isa.h"

/* Banks of numbered registers, and the letters others know them by. */
static const struct bank {
	char name[4];
	uint8_t cls, first, count;
	bool alias; /* only to find, not to print */
} banks[] = {
	{"x", CAIRN_REG_INT, 0, 31, false},           {"w", CAIRN_REG_INT, 0, 31, true},
	{"v", CAIRN_REG_VECTOR, 0, 32, false},        {"z", CAIRN_REG_VECTOR, ISA_ARM64_Z0, 32, false},
	{"d", CAIRN_REG_FP, ISA_ARM64_D0, 32, false}, {"s", CAIRN_REG_FP, ISA_ARM64_S0, 32, false},
	{"h", CAIRN_REG_FP, ISA_ARM64_H0, 32, false}, {"b", CAIRN_REG_FP, ISA_ARM64_B0, 32, false},
	{"q", CAIRN_REG_FP, ISA_ARM64_Q0, 32, false}, {"p", CAIRN_REG_PREDICATE, 0, 16, false},
	{"pn", CAIRN_REG_PREDICATE, 0, 16, true},
};
enum { N_BANKS = sizeof banks / sizeof *banks };

/* Single ones; the first name of a number is printed. */
static const struct single {
	char name[5];
	uint8_t cls, num;
} singles[] = {
	{"sp", CAIRN_REG_INT, ISA_ARM64_SP},
	{"wsp", CAIRN_REG_INT, ISA_ARM64_SP},
	{"xzr", CAIRN_REG_INT, ISA_ARM64_XZR},
	{"wzr", CAIRN_REG_INT, ISA_ARM64_XZR},
	{"pc", CAIRN_REG_PC, 0},
	{"fp", CAIRN_REG_INT, 29},
	{"lr", CAIRN_REG_INT, 30},
	{"ip0", CAIRN_REG_INT, 16},
	{"ip1", CAIRN_REG_INT, 17},
	{"za", CAIRN_REG_VECTOR, ISA_ARM64_ZA_REG},
	{"zt0", CAIRN_REG_VECTOR, ISA_ARM64_ZT0_REG},
	{"ffr", CAIRN_REG_PREDICATE, ISA_ARM64_FFR},
	{"nzcv", CAIRN_REG_FLAGS, 0},
};
enum { N_SINGLES = sizeof singles / sizeof *singles };

static const char *system_name(unsigned num, char *buf)
{
	size_t low = 0, high = isa_arm64_sysregs.n;
	if (num == ISA_ARM64_NZCV)
		return "nzcv";
	if (num > 0xffff)
		return NULL;
	while (low < high)
		base_halve(&low, &high, isa_arm64_sysregs.row[base_half(low, high)].num < num);
	if (low < isa_arm64_sysregs.n && isa_arm64_sysregs.row[low].num == num)
		return isa_arm64_sysregs.row[low].name;
	(void)snprintf(buf, 16, "s%u_%u_c%u_c%u_%u", num >> 14 & 3, num >> 11 & 7, num >> 7 & 15,
	               num >> 3 & 15, num & 7);
	return buf;
}

const char *isa_arm64_reg_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	if (cls == CAIRN_REG_CSR)
		return system_name(num, buf);
	if (cls == CAIRN_REG_INT && num == ISA_ARM64_PC)
		return "pc";
	for (size_t i = 0; i < N_BANKS; i++) {
		const struct bank *bank = &banks[i];
		if (bank->cls != cls || bank->alias || num < bank->first ||
		    num - bank->first >= bank->count)
			continue;
		(void)snprintf(buf, 16, "%s%u", bank->name, num - bank->first);
		return buf;
	}
	for (size_t i = 0; i < N_SINGLES; i++)
		if (singles[i].cls == cls && singles[i].num == num)
			return singles[i].name;
	return NULL;
}

const char *isa_arm64_reg_abi_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	if (cls == CAIRN_REG_INT && (num == 29 || num == 30))
		return num == 29 ? "fp" : "lr";
	return isa_arm64_reg_name(cls, num, buf);
}

/* Digits without a leading zero; false when it is not such a number below `end`. */
static bool arm64_names_number(const char *text, size_t n, unsigned end, unsigned *value)
{
	*value = 0;
	if (n == 0 || n > 2 || (n > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*value = *value * 10 + (unsigned)(text[i] - '0');
	}
	return *value < end;
}

/* "s3_0_c1_c2_0". */
static bool generic_system(const char *s, size_t n, unsigned *num)
{
	char text[16], back[16];
	unsigned f[5];
	if (n >= sizeof text)
		return false;
	memcpy(text, s, n);
	text[n] = 0;
	if (sscanf(text, "s%1u_%1u_c%2u_c%2u_%1u", &f[0], &f[1], &f[2], &f[3], &f[4]) != 5)
		return false;
	if (f[0] > 3 || f[1] > 7 || f[2] > 15 || f[3] > 15 || f[4] > 7)
		return false;
	(void)snprintf(back, sizeof back, "s%u_%u_c%u_c%u_%u", f[0] & 3, f[1] & 7, f[2] & 15, f[3] & 15,
	               f[4] & 7);
	*num = f[0] << 14 | f[1] << 11 | f[2] << 7 | f[3] << 3 | f[4];
	return !strcmp(text, back);
}

int isa_arm64_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num)
{
	unsigned v;
	for (size_t i = 0; i < N_SINGLES; i++)
		if (strlen(singles[i].name) == n && !memcmp(singles[i].name, name, n)) {
			*cls = (enum cairn_reg_class)singles[i].cls;
			*num = singles[i].num;
			return 0;
		}
	for (size_t i = 0; i < N_BANKS; i++) {
		size_t k = strlen(banks[i].name);
		if (n > k && !memcmp(banks[i].name, name, k) &&
		    arm64_names_number(name + k, n - k, banks[i].count, &v)) {
			*cls = (enum cairn_reg_class)banks[i].cls;
			*num = banks[i].first + v;
			return 0;
		}
	}
	*cls = CAIRN_REG_CSR;
	for (size_t i = 0; i < isa_arm64_sysregs.n; i++) {
		const struct isa_arm64_sysreg *sysreg = &isa_arm64_sysregs.row[i];
		if (strlen(sysreg->name) == n && !memcmp(sysreg->name, name, n)) {
			*num = sysreg->num;
			return 0;
		}
	}
	return generic_system(name, n, num) ? 0 : CAIRN_E_NOTFOUND;
}
