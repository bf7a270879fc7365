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

#define STATE_WIDTH(name, width) width,
const uint8_t rz3_widths[RZ3_ARRAYS] = {RZ3_ARRAYS_OF(STATE_WIDTH)};

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
		/* Up to 3.17, branch never did not count as a conditional branch. */
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
	unsigned kind = rz3_classify(rst_INSTR_instr(p), minor);
	RST_CLEAR_RESERVED(INSTR, p);
	if (rst_INSTR_an(p)) {
		rst_put_INSTR_ea_valid(p, 0);
		rst_put_INSTR_bt(p, 0);
	}
	if (rst_INSTR_an(p) || (!(kind & RZ3_K_CTI) && !rst_INSTR_ea_valid(p)))
		rst_put_INSTR_ea_va(p, 0);
}

static void canonical_regval(uint8_t *p)
{
	RST_CLEAR_RESERVED(REGVAL, p);
	for (unsigned i = 0; i < 2; i++)
		if (rst_regtype(p, i) == RST_R_UNUSED)
			rst_put_reg(p, i, RST_R_UNUSED, 0, 0);
}

static void canonical_memval(uint8_t *p)
{
	if (!rst_MEMVAL64_is128(p)) {
		RST_CLEAR_RESERVED(MEMVAL64, p);
		rst_put_MEMVAL64_size(p, ((rst_MEMVAL64_size(p) - 1u) & 7) + 1);
		return;
	}
	RST_CLEAR_RESERVED(MEMVAL128, p);
	if (rst_MEMVAL128_is_cont(p))
		rst_put_MEMVAL128_addr(p, 0);
}

static void canonical_preg(uint8_t *p)
{
	RST_CLEAR_RESERVED(PREG, p);
	rst_put_PREG_traplevel(p, rst_PREG_traplevel(p) & 7);
	rst_put_PREG_primary(p, rst_PREG_primD(p) & RZ3_CONTEXT);
	rst_put_PREG_secondary(p, rst_PREG_secD(p) & RZ3_CONTEXT);
}

static void canonical_cw(uint8_t *p)
{
	rst_put_RFS_CW_reftype(p, rst_RFS_CW_reftype(p) & 7);
	if (rst_is_dma(rst_RFS_CW_reftype(p))) { /* no CPU, no virtual address */
		RST_CLEAR_RESERVED(RFS_CW_DMA, p);
		rst_put_RFS_CW_DMA_cpuid(p, 0);
		rst_put_RFS_CW_DMA_va(p, 0);
		return;
	}
	RST_CLEAR_RESERVED(RFS_CW, p);
	if (rst_RFS_CW_reftype(p) != RST_REF_PREFETCH)
		rst_put_RFS_CW_fcn(p, 0);
	if (!rst_RFS_CW_va_valid(p))
		rst_put_RFS_CW_va(p, 0);
}

static void canonical_pavadiff(uint8_t *p)
{
	RST_CLEAR_RESERVED(PAVADIFF, p);
	rst_put_PAVADIFF_icontext(p, rst_PAVADIFF_icontext(p) & RZ3_CONTEXT);
	rst_put_PAVADIFF_dcontext(p, rst_PAVADIFF_dcontext(p) & RZ3_CONTEXT);
	if (!rst_PAVADIFF_ea_valid(p))
		rst_put_PAVADIFF_ea_pa_va(p, 0);
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
		RST_CLEAR_RESERVED(TLB, p);
		break;
	case CAIRN_RST_TRAP:
		RST_CLEAR_RESERVED(TRAP, p);
		break;
	case CAIRN_RST_PREG:
		canonical_preg(p);
		break;
	case CAIRN_RST_DMA:
		RST_CLEAR_RESERVED(DMA, p);
		break;
	case CAIRN_RST_MEMVAL:
		canonical_memval(p);
		break;
	case CAIRN_RST_RFS_CW:
		canonical_cw(p);
		break;
	case CAIRN_RST_RFS_BT:
		RST_CLEAR_RESERVED(RFS_BT, p);
		rst_put_RFS_BT_pc(p, rst_RFS_BT_pc(p) & ~UINT64_C(3));
		break;
	default:
		break; /* carried whole */
	}
}
