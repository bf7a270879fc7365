/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rstzip 3: the predictors' memory, what they know of SPARC instructions, and what
 * the packing can carry of a record.
 *
 * The tables of a CPU are allocated in blocks where they are written, since most
 * CPUs use little of them: their full size for all 1024 CPUs that a file may name
 * would be gigabytes. What all of them may hold together is bounded all the same.
 */
#include "formats/rst/packing/rstzip3.h"

const uint8_t rz3_widths[RZ3_ARRAYS] = {
	2, 8,  1, 10, 1, 8, 32, 1,  1, 3, 7,  11, 13, 15, 18, 21, 25, 64, 1, 1,  8,  1, 8, 1, 3,
	8, 32, 1, 13, 1, 1, 1,  13, 1, 1, 30, 49, 1,  32, 1,  1,  1,  1,  3, 10, 32, 8, 5, 1, 1};

static const size_t most_held = (size_t)1 << 30;

void rz3_state_init(struct rz3_state *state, struct cairn *cairn, unsigned minor)
{
	*state = (struct rz3_state){.cairn = cairn, .minor = minor};
}

void rz3_state_free(struct rz3_state *state)
{
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		struct rz3_cpu *cpu = state->cpus[i];
		if (!cpu)
			continue;
		for (unsigned b = 0; b < RZ3_SET_BLOCKS; b++)
			base_free(state->cairn, cpu->icache[b]);
		for (unsigned b = 0; b < RZ3_REG_BLOCKS; b++)
			base_free(state->cairn, cpu->regs[b]);
		base_free(state->cairn, cpu->rfs_pcs);
		base_free(state->cairn, cpu);
		state->cpus[i] = NULL;
	}
}

static void *rstzip3_state_grow(struct rz3_state *state, size_t n)
{
	void *p = NULL;
	if (state->held + n > most_held)
		state->failed =
			base_fail(state->cairn, CAIRN_E_LIMIT,
		              "the predictors of its CPUs want more than %zu MiB", most_held >> 20);
	else if (!(p = base_alloc(state->cairn, n)))
		state->failed = CAIRN_E_NOMEM;
	else
		state->held += n;
	return p;
}

struct rz3_cpu *rz3_cpu_make(struct rz3_state *state, unsigned cpu)
{
	struct rz3_cpu *p = rstzip3_state_grow(state, sizeof *p);
	if (!p)
		return NULL;
	p->first_wait = p->last_wait = -1;
	/* Empty entries have tag 0, which is the tag of addresses 0 to 3: an instruction
	 * of zeroes is found there. */
	if (!rz3_sets_make(state, p, 0)) {
		base_free(state->cairn, p);
		return NULL;
	}
	return state->cpus[cpu] = p;
}

struct rz3_sets *rz3_sets_make(struct rz3_state *state, struct rz3_cpu *cpu, uint64_t pc)
{
	struct rz3_sets *sets = rstzip3_state_grow(state, sizeof *sets);
	return cpu->icache[(pc >> 2) / RZ3_SETS % RZ3_SET_BLOCKS] = sets;
}

struct rz3_reg *rz3_regs_make(struct rz3_state *state, struct rz3_cpu *cpu, uint64_t pc)
{
	struct rz3_reg *reg = rstzip3_state_grow(state, RZ3_REG_BLOCK * sizeof *reg);
	return cpu->regs[(pc >> 2) % RZ3_REGS / RZ3_REG_BLOCK] = reg;
}

uint64_t *rz3_rfs_pcs_make(struct rz3_state *state, struct rz3_cpu *cpu)
{
	return cpu->rfs_pcs = rstzip3_state_grow(state, RZ3_RFS_PCS * sizeof *cpu->rfs_pcs);
}

/* ---- instructions ---- */

static unsigned classify_branch(uint32_t instr, unsigned minor)
{
	unsigned op2 = instr >> 22 & 7, cond = instr >> 25 & 15, annul = instr & 1u << 29;
	unsigned kind = RZ3_K_CTI | (annul ? RZ3_K_ANNUL : 0u);
	switch (op2) {
	case 1:
	case 2:
	case 5:
	case 6: /* BPcc, Bicc, FBPfcc, FBfcc */
		/* Up to 3.17 branch never passed for a conditional one. */
		if (cond == 8 || (cond == 0 && minor > 17))
			return kind | RZ3_K_UNCOND | (cond == 0 ? RZ3_K_NEVER : 0u);
		return kind | RZ3_K_COND;
	case 3: /* BPr */
		return cond & 8 || (cond & 3) == 0 ? 0 : kind | RZ3_K_COND;
	default:
		return 0;
	}
}

unsigned rz3_classify(uint32_t instr, unsigned minor)
{
	unsigned op3 = instr >> 19 & 63, rd = instr >> 25 & 31, rs1 = instr >> 14 & 31;
	switch (instr >> 30) {
	case 0:
		return classify_branch(instr, minor);
	case 1:
		return RZ3_K_CTI | RZ3_K_CALL;
	case 2:
		if (op3 == 0x38 || op3 == 0x39) { /* jmpl, return */
			bool ret = rd == 0 && (instr & 0x1fff) == 8 && (rs1 == 15 || rs1 == 31);
			return RZ3_K_CTI | RZ3_K_INDIRECT | (ret ? RZ3_K_RETURN : 0u);
		}
		return op3 == 0x3e && rd < 2 ? RZ3_K_DONE : 0;
	default:
		return RZ3_K_MEM;
	}
}

/* The low `bits` of `value`, as a signed count of instructions. */
static uint64_t words(uint32_t value, unsigned bits)
{
	return (uint64_t)((int64_t)((uint64_t)value << (64 - bits)) >> (62 - bits)) & ~(uint64_t)3;
}

uint64_t rz3_target(uint32_t instr, uint64_t pc)
{
	if (instr >> 30 == 1)
		return pc + words(instr, 30);
	if (instr >> 30 != 0)
		return 0;
	switch (instr >> 22 & 7) {
	case 1:
	case 5:
		return pc + words(instr, 19);
	case 2:
	case 6:
		return pc + words(instr, 22);
	case 3:
		return pc + words((instr >> 20 & 3) << 14 | (instr & 0x3fff), 16);
	default:
		return 0;
	}
}

/* ---- what is carried ---- */

static void canonical_instr(uint8_t *p, unsigned minor)
{
	unsigned kind = rz3_classify(base_be32(p + 4), minor);
	p[1] &= 0x7e;
	p[3] &= 0xc0;
	if (p[1] & RST_I_AN)
		p[1] &= (uint8_t) ~(RST_I_EA_VALID | RST_I_BT);
	if (p[1] & RST_I_AN || (!(kind & RZ3_K_CTI) && !(p[1] & RST_I_EA_VALID)))
		memset(p + 16, 0, 8);
}

static void canonical_regval(uint8_t *p)
{
	for (unsigned k = 0; k < 2; k++)
		if (p[2 + k] == RST_R_UNUSED) {
			p[4 + k] = 0;
			memset(p + 8 + 8 * k, 0, 8);
		}
	p[6] &= 0xe0;
	p[7] = 0;
}

static void canonical_memval(uint8_t *p)
{
	bool wide = p[1] & 0x80;
	p[1] &= wide ? 0xe3 : 0xc3;
	if (wide && p[1] & 0x20)
		memset(p + 3, 0, 5);
	if (wide)
		return;
	p[3] = (uint8_t)(((p[3] - 1) & 7) + 1);
	memset(p + 4, 0, 4);
}

static void canonical_preg(uint8_t *p)
{
	memset(p + 2, 0, 2);
	p[4] &= 7;
	p[9] &= 0xc0;
	memset(p + 10, 0, 6);
	p[20] &= 0x1f;
	p[22] &= 0x1f;
	memcpy(p + 16, p + 20, 4);
}

static void canonical_cw(uint8_t *p)
{
	p[2] &= 0xc7;
	p[3] = 0;
	unsigned ref = p[2] & 7;
	if (ref == 6 || ref == 7) { /* DMA: no CPU, no virtual address */
		p[1] = 0;
		p[2] &= 0x3f;
		memset(p + 8, 0, 8);
		return;
	}
	p[5] &= ref == 4 ? 0xfc : 0x80;
	memset(p + 6, 0, 2);
	if (!(p[5] & 0x80))
		memset(p + 8, 0, 8);
}

static void canonical_pavadiff(uint8_t *p)
{
	p[2] &= 0xe0;
	p[3] = 0;
	p[4] &= 0x1f;
	p[6] &= 0x1f;
	if (!(p[1] & 0x80))
		memset(p + 16, 0, 8);
}

void rz3_canonical(const uint8_t *rec, unsigned minor, uint8_t *p)
{
	memcpy(p, rec, CAIRN_RST_SIZE);
	switch (p[0]) {
	case CAIRN_RST_INSTR:
		canonical_instr(p, minor);
		break;
	case CAIRN_RST_REGVAL:
		canonical_regval(p);
		break;
	case CAIRN_RST_PAVADIFF:
		canonical_pavadiff(p);
		break;
	case CAIRN_RST_TLB:
		p[1] &= 0xc0;
		p[5] &= 0xf0;
		memset(p + 6, 0, 2);
		break;
	case CAIRN_RST_TRAP:
		p[1] &= 0x8f;
		break;
	case CAIRN_RST_PREG:
		canonical_preg(p);
		break;
	case CAIRN_RST_DMA:
		p[1] &= 1;
		memset(p + 2, 0, 2);
		memset(p + 16, 0, 8);
		break;
	case CAIRN_RST_MEMVAL:
		canonical_memval(p);
		break;
	case CAIRN_RST_RFS_CW:
		canonical_cw(p);
		break;
	case CAIRN_RST_RFS_BT:
		p[2] &= 0xe0;
		p[3] = 0;
		p[15] &= 0xfc;
		break;
	default:
		break; /* carried whole */
	}
}
