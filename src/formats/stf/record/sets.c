/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction sets in STF. The specification gives encoding modes and register numbers only to
 * RISC-V, and no ISA value to SPARC, so the numbers of the others are cairn's. This file is the one
 * place that has them, and docs/formats/stf.md is made from it.
 *
 * The choice keeps away from what STF may assign one day: modes from 8 on, an ISA value far from
 * the assigned ones, registers without a type of their own among the CSRs where the set has none.
 * Events of sets other than RISC-V have ids to which STF gives no meaning.
 */
#include <stdio.h>
#include <string.h>

#include "formats/stf/stf.h"

static const struct stf_set sets[] = {
	{CAIRN_ISA_RV32, 1, 1, 0, NULL},
	{CAIRN_ISA_RV64, 1, 2, 0, NULL},
	{CAIRN_ISA_A64, 2, 8, CAIRN_PRIV_EL0, "A64"},
	{CAIRN_ISA_A32, 2, 9, CAIRN_PRIV_EL0, "A32"},
	{CAIRN_ISA_T32, 2, 10, CAIRN_PRIV_EL0, "T32"},
	{CAIRN_ISA_SPARC, 0xca10, 16, 0, "SPARC"},
};
enum { SETS = sizeof sets / sizeof *sets };

/* Registers `first` to `first + count - 1` of a class are the type's from `number` on;
 * `bits` of each, 0: what the record holds. */
#define BANK(set, cls, first, count, type, number, bits) \
	{ \
		CAIRN_ISA_##set, CAIRN_REG_##cls, CAIRN_REG_##type, bits, first, count, number \
	}
static const struct stf_bank banks[] = {
	BANK(A64, INT, 0, 32, INT, 0, 64), /* x0 to x30, sp */
	BANK(A64, PC, 0, 1, INT, 32, 64),
	BANK(A64, INT, 33, 1, INT, 33, 64), /* xzr */
	BANK(A64, FP, 0, 32, FP, 0, 64),
	BANK(A64, FP, 32, 32, FP, 32, 32),
	BANK(A64, FP, 64, 32, FP, 64, 16),
	BANK(A64, FP, 96, 32, FP, 96, 8),
	BANK(A64, VECTOR, 0, 66, VECTOR, 0, 0),          /* v, z, za, zt0 */
	BANK(A64, CSR, 0x8000, 0x8000, CSR, 0x8000, 64), /* op0:op1:CRn:CRm:op2 */
	BANK(A64, PREDICATE, 0, 17, CSR, 0x7e00, 16),    /* p0 to p15, ffr */
	BANK(A64, FLAGS, 0, 1, CSR, 0x7f00, 4),          /* nzcv */
	BANK(A32, INT, 0, 16, INT, 0, 32),
	BANK(A32, PC, 0, 1, INT, 32, 32),
	BANK(A32, FP, 0, 32, FP, 0, 32),   /* s */
	BANK(A32, FP, 32, 32, FP, 32, 64), /* d */
	BANK(A32, VECTOR, 0, 16, VECTOR, 0, 0),
	BANK(A32, CSR, 0, 3, CSR, 0, 32), /* cpsr, spsr, fpscr */
	BANK(A32, FLAGS, 0, 1, CSR, 0x7f00, 4),
	BANK(SPARC, INT, 0, 32, INT, 0, 64), /* of the window in force */
	BANK(SPARC, PC, 0, 1, INT, 32, 64),
	BANK(SPARC, INT, 256, 256, INT, 256, 64), /* 256 + 32 * window + number */
	BANK(SPARC, FP, 0, 32, FP, 0, 32),
	BANK(SPARC, FP, 32, 32, FP, 32, 64),      /* d */
	BANK(SPARC, CSR, 0, 768, CSR, 0, 64),     /* privileged; ancillary from 256, MMU from 512 */
	BANK(SPARC, FLAGS, 0, 2, CSR, 0x7f00, 8), /* ccr, fcc */
};
#undef BANK
enum { BANKS = sizeof banks / sizeof *banks };

const struct stf_set *stf_set_of(enum cairn_isa isa)
{
	for (size_t i = 0; i < SETS; i++)
		if (sets[i].isa == isa)
			return &sets[i];
	return NULL;
}

enum cairn_isa stf_isa(const struct cairn_stf_config *cfg, unsigned iem)
{
	for (size_t i = 0; i < SETS; i++)
		if (sets[i].stf_isa == cfg->isa && sets[i].iem == iem)
			return (enum cairn_isa)sets[i].isa;
	return CAIRN_ISA_UNKNOWN;
}

bool stf_isa_is_ours(unsigned stf_isa)
{
	for (size_t i = 0; i < SETS; i++)
		if (sets[i].name && sets[i].stf_isa == stf_isa)
			return true;
	return false;
}

/* A32 and T32 have the same registers. */
static uint8_t bank_set(unsigned isa)
{
	return isa == CAIRN_ISA_T32 ? CAIRN_ISA_A32 : (uint8_t)isa;
}

const struct stf_bank *stf_bank_of(enum cairn_isa isa, unsigned cls, unsigned num)
{
	uint8_t set = bank_set(isa);
	for (size_t i = 0; i < BANKS; i++)
		if (banks[i].set == set && banks[i].cls == cls && num - banks[i].first < banks[i].count)
			return &banks[i];
	return NULL;
}

const struct stf_bank *stf_bank_at(enum cairn_isa isa, unsigned type, unsigned number)
{
	uint8_t set = bank_set(isa);
	for (size_t i = 0; i < BANKS; i++)
		if (banks[i].set == set && banks[i].type == type &&
		    number - banks[i].number < banks[i].count)
			return &banks[i];
	return NULL;
}

const char stf_assigned[54] = "STF gives numbers to RISC-V only; these are cairn's: ";

int stf_set_comment(unsigned isa, char *buf, size_t size)
{
	const struct stf_set *set = stf_set_of((enum cairn_isa)isa);
	int n = snprintf(buf, size, "%sISA %u", stf_assigned, set->stf_isa);
	for (size_t i = 0; i < SETS && n > 0 && (size_t)n < size; i++)
		if (sets[i].stf_isa == set->stf_isa)
			n += snprintf(buf + n, size - (size_t)n, ", INST_IEM %u is %s", sets[i].iem,
			              sets[i].name ? sets[i].name : "");
	if (n > 0 && (size_t)n < size)
		n += snprintf(buf + n, size - (size_t)n,
		              "; registers, modes and events as in cairn's "
		              "docs/formats/stf.md");
	return n;
}

static int put_bank(const struct stf_bank *bank, struct base_buf *out)
{
	static const char *const types[] = {"", "integer", "floating point", "vector", "CSR"};
	char first[16], last[16];
	enum cairn_isa isa = (enum cairn_isa)bank->set;
	enum cairn_reg_class cls = (enum cairn_reg_class)bank->cls;
	const char *from = cairn_reg_name(isa, cls, bank->first, first);
	const char *to = cairn_reg_name(isa, cls, bank->first + bank->count - 1u, last);
	int rc = base_buf_printf(out, "| %s | `%s`",
	                         bank->set == CAIRN_ISA_A32 ? "A32, T32" : stf_set_of(isa)->name, from);
	if (rc >= 0 && bank->count > 1)
		rc = base_buf_printf(out, " to `%s`", to);
	if (rc >= 0)
		rc = base_buf_printf(out, " | %s | 0x%x", types[bank->type], bank->number);
	if (rc >= 0 && bank->count > 1)
		rc = base_buf_printf(out, " to 0x%x", bank->number + bank->count - 1u);
	if (rc >= 0)
		rc = bank->bits ? base_buf_printf(out, " | %u |\n", bank->bits)
		                : base_buf_printf(out, " | VLEN |\n");
	return rc;
}

int stf_sets_doc(struct base_buf *out)
{
	int rc = base_buf_printf(out, "| set | ISA | INST_IEM | modes 0 to 3 |\n|---|---|---|---|\n");
	for (size_t i = 0; i < SETS && rc >= 0; i++)
		if (sets[i].name)
			rc = base_buf_printf(
				out, "| %s | 0x%x | %u | %s |\n", sets[i].name, sets[i].stf_isa, sets[i].iem,
				sets[i].mode0 ? "EL0 to EL3" : "user, supervisor, hypervisor, none");
	if (rc >= 0)
		rc = base_buf_printf(
			out, "\n| set | registers | type | numbers | bits |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < BANKS && rc >= 0; i++)
		rc = put_bank(&banks[i], out);
	return rc;
}
