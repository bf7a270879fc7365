/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading rstzip 3: sections of bit arrays in, records out.
 *
 * The records of a section are rebuilt in order. Every element taken from an array is
 * counted; one that is not there is damage in the record at hand, one that is left
 * over is damage in the section. Nothing else can be checked: any bits are some trace,
 * which is why the reader stops at the first contradiction.
 *
 * Where the known reader of the format does not do what its only writer meant, this
 * one follows the writer. It keeps all PAVADIFFs that wait for the next INSTR of
 * their CPU, not only the last one, and reads RFS_BT as it was written. So files
 * that the known reader returns damaged, or dies of, come out whole.
 */
#include "formats/rst/packing/rstzip3.h"
#include "formats/rst/record/encode.h"

struct bits {
	const uint8_t *p; /* least significant bit first */
	uint64_t at, end; /* in bits */
};

/* A PAVADIFF whose differences follow from the next INSTR of its CPU. */
struct wait {
	int32_t next; /* of the same CPU, -1 */
	bool pc_hit, ea_hit;
};

struct rz3_unpack {
	struct cairn *cairn;
	struct io_source *io;
	struct rz3_state state;
	unsigned cpu_bits, hit_bits, tlb_bits; /* widths that 3.20 changed */
	struct bits in[RZ3_ARRAYS];
	struct base_buf data;
	const char *bad; /* what is wrong with the record at hand */
	uint8_t *out;    /* records of the section */
	size_t waiting;
	struct wait *waits; /* by record of the section */
	uint64_t sections, records;
	uint32_t counts[RZ3_ARRAYS];
	uint32_t n;
};

int rz3_unpack_open(struct cairn *cairn, struct io_source *io, unsigned minor,
                    struct rz3_unpack **out)
{
	struct rz3_unpack *unpack = base_alloc(cairn, sizeof *unpack);
	*out = unpack;
	if (!unpack)
		return CAIRN_E_NOMEM;
	unpack->cairn = cairn;
	unpack->io = io;
	unpack->cpu_bits = minor < 20 ? 6 : 10;
	unpack->hit_bits = minor < 20 ? 7 : 8;
	unpack->tlb_bits = minor < 20 ? 26 : 30;
	rz3_state_init(&unpack->state, cairn, minor);
	base_buf_init(&unpack->data, cairn);
	return 0;
}

void rz3_unpack_from(struct rz3_unpack *unpack, struct io_source *io)
{
	unpack->io = io;
}

void rz3_unpack_close(struct rz3_unpack *unpack)
{
	if (!unpack)
		return;
	rz3_state_free(&unpack->state);
	base_buf_free(&unpack->data);
	base_free(unpack->cairn, unpack->waits);
	base_free(unpack->cairn, unpack);
}

/* ---- elements ---- */

static __attribute__((cold, noinline)) uint64_t dry(struct rz3_unpack *unpack)
{
	if (!unpack->bad)
		unpack->bad = "an array of its section has no more elements";
	return 0;
}

/* The next element of up to 57 bits. TAKE: of an array whose width is always the same. */
#define TAKE(array) rstzip3_unpack_take(unpack, RZ3_##array, RZ3_WIDTH_##array)
static inline uint64_t rstzip3_unpack_take(struct rz3_unpack *unpack, unsigned array,
                                           unsigned width)
{
	struct bits *bits = &unpack->in[array];
	if (__builtin_expect(bits->at >= bits->end, 0))
		return dry(unpack);
	uint64_t v = base_le64(bits->p + (bits->at >> 3)) >> (bits->at & 7);
	bits->at += width;
	return v & (((uint64_t)1 << width) - 1);
}

static inline uint64_t rstzip3_unpack_take64(struct rz3_unpack *unpack)
{
	struct bits *bits = &unpack->in[RZ3_RAW64];
	if (__builtin_expect(bits->at >= bits->end, 0))
		return dry(unpack);
	uint64_t v = base_le64(bits->p + (bits->at >> 3));
	bits->at += 64;
	return v;
}

static inline unsigned take_cpu(struct rz3_unpack *unpack, unsigned predicted)
{
	return TAKE(CPU_HIT) ? predicted
	                     : (unsigned)rstzip3_unpack_take(unpack, RZ3_CPU, unpack->cpu_bits);
}

static uint64_t rstzip3_unpack_take_value(struct rz3_unpack *unpack, struct rz3_cpu *cpu)
{
#define UNPACK_LEVEL(level, first, size, low) {first, size, low},
	static const struct {
		uint16_t first, size, low;
	} levels[] = {RZ3_LEVELS_OF(UNPACK_LEVEL)};
	unsigned level = (unsigned)TAKE(LEVEL);
	uint64_t key, v, again;
	if (level == RZ3_LEVELS) {
		key = v = rstzip3_unpack_take64(unpack);
	} else {
		key = rstzip3_unpack_take(unpack, RZ3_VALUE + level, rz3_widths[RZ3_VALUE + level]);
		unsigned low = levels[level].low;
		uint64_t i = key >> low;
		v = key & ((1u << low) - 1);
		if (i < levels[level].size)
			v |= cpu->values[levels[level].first + i] << low;
	}
	/* Both sides note the value in the same way, so this must find what was stored. */
	if (rz3_value(cpu, v, &again) != level || again != key)
		unpack->bad = unpack->bad ? unpack->bad : "a stored value is not where the tables have it";
	return v;
}

static struct rz3_cpu *rstzip3_unpack_cpu_of(struct rz3_unpack *unpack, unsigned cpu)
{
	struct rz3_cpu *p = rz3_cpu_of(&unpack->state, cpu);
	if (!p)
		unpack->bad = "";
	return p;
}

/* ---- INSTR ---- */

/* Fill in differences that waited for this instruction. Up to 3.15 addresses of zero had a rule of
 * their own. */
static __attribute__((noinline)) void rstzip3_unpack_settle(struct rz3_unpack *unpack,
                                                            struct rz3_cpu *cpu, uint64_t pc,
                                                            bool ea_valid, uint64_t ea)
{
	bool old = unpack->state.minor <= 15;
	uint64_t *itlb = &cpu->itlb[(pc >> RZ3_PAGE) % RZ3_ITLB];
	uint64_t *dtlb = &cpu->dtlb[(ea >> RZ3_PAGE) % RZ3_DTLB];
	for (int32_t i = cpu->first_wait; i >= 0; i = unpack->waits[i].next) {
		uint8_t *rec = unpack->out + (size_t)i * CAIRN_RST_SIZE;
		if (unpack->waits[i].pc_hit)
			rst_put_PAVADIFF_pc_pa_va(rec, *itlb << RZ3_PAGE);
		else if (!old || pc != 0)
			*itlb = rst_PAVADIFF_pc_pa_va(rec) >> RZ3_PAGE;
		if (unpack->waits[i].ea_hit)
			rst_put_PAVADIFF_ea_pa_va(rec, (old && ea == 0 ? 42 : *dtlb) << RZ3_PAGE);
		else if (rst_PAVADIFF_ea_valid(rec) && (old ? ea != 0 : ea_valid))
			*dtlb = rst_PAVADIFF_ea_pa_va(rec) >> RZ3_PAGE;
		unpack->waiting--;
	}
	cpu->first_wait = cpu->last_wait = -1;
}

/* Taken, effective address and what comes next, of a control transfer. */
static inline uint64_t unpack_cti(struct rz3_unpack *unpack, struct rz3_cpu *cpu,
                                  const struct rz3_insn *insn, uint64_t pc, bool bt_hit, bool *bt)
{
	bool hit = TAKE(CTI_HIT);
	uint64_t ea = hit ? 0 : rstzip3_unpack_take64(unpack);
	if (insn->kind & RZ3_K_COND) {
		*bt = rz3_branch_taken(cpu, pc) == bt_hit;
		rz3_branch_was(cpu, pc, *bt);
	} else {
		*bt = insn->kind & RZ3_K_NEVER ? !bt_hit : bt_hit;
	}
	rz3_predict_npc(cpu, insn, pc, *bt);
	if (hit)
		ea = cpu->npc;
	rz3_went(cpu, insn, pc, ea, *bt, hit);
	return ea;
}

static inline struct rz3_insn *unpack_word(struct rz3_unpack *unpack, struct rz3_cpu *cpu,
                                           uint64_t pc, bool hit, bool an)
{
	struct rz3_insn *insn = rz3_lookup(cpu, pc);
	if (!hit) {
		uint32_t instr = (uint32_t)TAKE(INSTR);
		insn = rz3_fill(&unpack->state, cpu, insn, pc, instr, !an);
		if (!insn)
			unpack->bad = "";
	} else if (!insn) {
		unpack->bad = "it repeats an instruction that was not there before";
	}
	return insn;
}

/* hpriv and pr: as those of the instruction before. */
static inline unsigned unpack_privilege(struct rz3_unpack *unpack, struct rz3_cpu *cpu,
                                        unsigned hits)
{
	if (unpack->state.minor >= 20) {
		cpu->hpriv ^= !(hits & RZ3_HIT_HPRIV);
		if (cpu->hpriv)
			cpu->pr = false;
	}
	cpu->pr ^= !(hits & RZ3_HIT_PR);
	return (cpu->hpriv ? RST_I_HPRIV : 0u) | (cpu->pr ? RST_I_PR : 0u);
}

static inline void unpack_instr(struct rz3_unpack *unpack, uint8_t *rec)
{
	unsigned cpu = take_cpu(unpack, unpack->state.cpu);
	rz3_next_cpu(&unpack->state, cpu);
	struct rz3_cpu *p = rstzip3_unpack_cpu_of(unpack, cpu);
	if (!p)
		return;
	unsigned hits = TAKE(INSTR_HIT)
	                    ? RZ3_HIT_ALL
	                    : (unsigned)rstzip3_unpack_take(unpack, RZ3_INSTR_HITS, unpack->hit_bits);
	bool pc_hit = hits & RZ3_HIT_PC;
	uint64_t pc = pc_hit ? p->pc : rstzip3_unpack_take64(unpack), ea = 0;
	rz3_step(p, pc, pc_hit);
	bool an = p->an ^ !(hits & RZ3_HIT_AN), bt = false, ea_valid = false;
	struct rz3_insn *insn = unpack_word(unpack, p, pc, hits & RZ3_HIT_INSTR, an);
	if (!insn)
		return;
	rz3_call_slot(p, insn->instr);
	unsigned flags = hits & RZ3_HIT_TR ? 0 : RST_I_TR;
	flags |= unpack_privilege(unpack, p, hits);
	if (!an && insn->kind & RZ3_K_CTI) {
		ea_valid = hits & RZ3_HIT_EA_VALID;
		ea = unpack_cti(unpack, p, insn, pc, hits & RZ3_HIT_BT, &bt);
	} else if (!an) {
		bool expected = insn->kind & (RZ3_K_MEM | RZ3_K_DONE) || flags & RST_I_TR;
		bt = ((insn->kind & RZ3_K_DONE) != 0) == ((hits & RZ3_HIT_BT) != 0);
		ea_valid = expected == ((hits & RZ3_HIT_EA_VALID) != 0);
		if (ea_valid)
			ea = rstzip3_unpack_take_value(unpack, p);
		p->an = false;
	}
	flags |= (an ? RST_I_AN : 0u) | (bt ? RST_I_BT : 0u) | (ea_valid ? RST_I_EA_VALID : 0u);
	rst_make_instr(rec, cpu, flags, insn->instr, pc, ea);
	if (p->first_wait >= 0)
		rstzip3_unpack_settle(unpack, p, pc, ea_valid, ea);
}

/* ---- the other types ---- */

static void unpack_pavadiff(struct rz3_unpack *unpack, uint8_t *rec)
{
	unsigned cpu = take_cpu(unpack, unpack->state.cpu);
	unpack->state.cpu = cpu;
	struct rz3_cpu *p = rstzip3_unpack_cpu_of(unpack, cpu);
	if (!p)
		return;
	if (!TAKE(ICTX_HIT))
		p->ictx = (uint16_t)TAKE(ICTX);
	if (!TAKE(DCTX_HIT))
		p->dctx = (uint16_t)TAKE(DCTX);
	bool ea_valid = TAKE(EA_VALID);
	struct wait wait = {.next = -1, .pc_hit = TAKE(PCDIFF_HIT)};
	uint64_t pc_diff = wait.pc_hit ? 0 : rstzip3_unpack_take64(unpack);
	rst_make_pavadiff(rec, cpu, p->ictx, pc_diff, ea_valid, p->dctx, 0);
	if (ea_valid) {
		wait.ea_hit = TAKE(EADIFF_HIT);
		if (!wait.ea_hit)
			rst_put_PAVADIFF_ea_pa_va(rec, rstzip3_unpack_take64(unpack));
	}
	if (!wait.pc_hit && !wait.ea_hit && !TAKE(AHEAD))
		return;
	int32_t at = (int32_t)((size_t)(rec - unpack->out) / CAIRN_RST_SIZE);
	unpack->waits[at] = wait;
	if (p->first_wait < 0)
		p->first_wait = at;
	else
		unpack->waits[p->last_wait].next = at;
	p->last_wait = at;
	unpack->waiting++;
}

static void unpack_regval(struct rz3_unpack *unpack, uint8_t *rec)
{
	unsigned cpu = take_cpu(unpack, unpack->state.last_cpu);
	struct rz3_cpu *p = rstzip3_unpack_cpu_of(unpack, cpu);
	struct rz3_reg *reg = p ? rz3_reg_of(&unpack->state, p) : NULL;
	if (!reg) {
		unpack->bad = "";
		return;
	}
	rst_begin(rec, CAIRN_RST_REGVAL);
	rst_put_REGVAL_post(rec, TAKE(POST));
	rst_put_REGVAL_cpuid(rec, cpu);
	for (unsigned k = 0; k < 2; k++) {
		if (!TAKE(REGTYPE_HIT))
			reg->type[k] = (uint8_t)TAKE(REGTYPE);
		if (reg->type[k] == RST_R_UNUSED) {
			rst_put_reg(rec, k, RST_R_UNUSED, 0, 0);
			continue;
		}
		/* Saves and restores walk through the registers in pairs. */
		if (TAKE(REGID_HIT))
			reg->id[k] = (uint8_t)(reg->id[k] + (unpack->state.type == CAIRN_RST_REGVAL ? 2 : 0));
		else
			reg->id[k] = (uint8_t)TAKE(REGID);
		uint64_t value = TAKE(ZERO) ? 0 : rstzip3_unpack_take_value(unpack, p);
		rst_put_reg(rec, k, reg->type[k], reg->id[k], value);
	}
}

static void unpack_memval(struct rz3_unpack *unpack, uint8_t *rec)
{
	bool wide = TAKE(MEM_FLAGS), physical = TAKE(MEM_FLAGS);
	unsigned cpu = take_cpu(unpack, unpack->state.cpu);
	struct rz3_cpu *p = rstzip3_unpack_cpu_of(unpack, cpu);
	if (!p)
		return;
	rst_begin(rec, CAIRN_RST_MEMVAL);
	rst_put_MEMVAL128_is128(rec, wide);
	rst_put_MEMVAL128_is_va(rec, !physical);
	rst_put_MEMVAL128_cpuid(rec, cpu);
	if (!wide) {
		rst_put_MEMVAL64_size(rec, TAKE(MEM_SIZE) + 1);
	} else if (TAKE(MEM_FLAGS)) {
		rst_put_MEMVAL128_is_cont(rec, 1);
	} else {
		uint64_t high = TAKE(MEM_HIGH);
		rst_put_MEMVAL128_addr(rec, high << 36 | TAKE(MEM_LOW) << 4);
	}
	rst_put_MEMVAL128_value0(rec, rstzip3_unpack_take_value(unpack, p)); /* or an address */
	rst_put_MEMVAL128_value1(rec, rstzip3_unpack_take_value(unpack, p));
}

static void unpack_trap(struct rz3_unpack *unpack, uint8_t *rec)
{
	unsigned cpu = take_cpu(unpack, unpack->state.cpu);
	struct rz3_cpu *p = rstzip3_unpack_cpu_of(unpack, cpu);
	if (!p)
		return;
	uint64_t v = TAKE(TRAP), pc = p->pc, npc = p->npc;
	if (!(v & 2)) {
		pc = rstzip3_unpack_take64(unpack);
		npc = pc + 4;
	}
	if (!(v & 1))
		npc = rstzip3_unpack_take64(unpack);
	rst_begin(rec, CAIRN_RST_TRAP);
	RZ3_ELEMENT_TRAP(RZ3_SPLIT)
	rst_put_TRAP_cpuid(rec, cpu);
	rst_put_TRAP_pc(rec, pc);
	rst_put_TRAP_npc(rec, npc);
}

static void unpack_tlb(struct rz3_unpack *unpack, uint8_t *rec)
{
	uint64_t v = rstzip3_unpack_take(unpack, RZ3_TLB, unpack->tlb_bits);
	unsigned cpu = (unsigned)v & ((1u << unpack->cpu_bits) - 1);
	v >>= unpack->cpu_bits;
	rst_begin(rec, CAIRN_RST_TLB);
	RZ3_ELEMENT_TLB(RZ3_SPLIT)
	rst_put_TLB_cpuid(rec, cpu);
	rst_put_TLB_tte_tag(rec, rstzip3_unpack_take64(unpack));
	rst_put_TLB_tte_data(rec, rstzip3_unpack_take64(unpack));
}

static void unpack_preg(struct rz3_unpack *unpack, uint8_t *rec)
{
	uint64_t v = rstzip3_unpack_take64(unpack);
	unsigned cpu = v >> RZ3_PREG_CPU_HIT & 1
	                   ? unpack->state.cpu
	                   : (unsigned)rstzip3_unpack_take(unpack, RZ3_CPU, unpack->cpu_bits);
	rst_begin(rec, CAIRN_RST_PREG);
	RZ3_ELEMENT_PREG(RZ3_SPLIT)
	rst_put_PREG_cpuid(rec, cpu);
	rst_put_PREG_primA(rec, rst_PREG_primD(rec));
	rst_put_PREG_secA(rec, rst_PREG_secD(rec));
}

static void unpack_dma(struct rz3_unpack *unpack, uint8_t *rec)
{
	rst_begin(rec, CAIRN_RST_DMA);
	rst_put_DMA_iswrite(rec, TAKE(DMA_WRITE));
	rst_put_DMA_nbytes(rec, TAKE(DMA_SIZE));
	rst_put_DMA_start_pa(rec, rstzip3_unpack_take64(unpack));
}

/* ---- cache and branch predictor warm-up of a snapshot ---- */

static uint64_t unpack_cw_pa(struct rz3_unpack *unpack, struct rz3_cpu *cpu, uint64_t va,
                             bool fetch)
{
	/* Data is looked for among the instruction pages, too, and noted elsewhere. */
	if (TAKE(RFS_PA_HIT))
		return cpu->itlb[(va >> RZ3_PAGE) % RZ3_ITLB] << RZ3_PAGE | (va & 0x1fff);
	uint64_t pa = rstzip3_unpack_take64(unpack);
	if (fetch)
		cpu->itlb[(va >> RZ3_PAGE) % RZ3_ITLB] = pa >> RZ3_PAGE;
	else
		cpu->dtlb[(va >> RZ3_PAGE) % RZ3_DTLB] = pa >> RZ3_PAGE;
	return pa;
}

static void unpack_cw(struct rz3_unpack *unpack, uint8_t *rec)
{
	rz3_rfs_bare(&unpack->state, CAIRN_RST_RFS_CW);
	unsigned ref = (unsigned)TAKE(RFS_REFTYPE);
	unsigned cpu = (unsigned)TAKE(RFS_CPU);
	bool dma = rst_is_dma(ref);
	struct rz3_cpu *p = rstzip3_unpack_cpu_of(unpack, dma ? 0 : cpu);
	if (!p)
		return;
	rst_begin(rec, CAIRN_RST_RFS_CW);
	rst_put_RFS_CW_reftype(rec, ref);
	if (dma) {
		rst_put_RFS_CW_DMA_pa(rec, rstzip3_unpack_take64(unpack));
		rst_put_RFS_CW_DMA_size(rec, TAKE(RFS_DMA_SIZE));
		return;
	}
	rst_put_RFS_CW_cpuid(rec, cpu);
	rst_put_RFS_CW_asi(rec, TAKE(RFS_ASI));
	if (ref == RST_REF_PREFETCH)
		rst_put_RFS_CW_fcn(rec, TAKE(RFS_FCN));
	if (!TAKE(RFS_VA_VALID)) {
		rst_put_RFS_CW_pa(rec, rstzip3_unpack_take64(unpack));
		return;
	}
	uint64_t va = rstzip3_unpack_take_value(unpack, p);
	rst_put_RFS_CW_va_valid(rec, 1);
	rst_put_RFS_CW_va(rec, va);
	rst_put_RFS_CW_pa(rec, unpack_cw_pa(unpack, p, va, ref == RST_REF_FETCH));
}

static void unpack_bt(struct rz3_unpack *unpack, uint8_t *rec)
{
	rz3_rfs_bare(&unpack->state, CAIRN_RST_RFS_BT);
	unsigned cpu = (unsigned)TAKE(RFS_CPU);
	struct rz3_cpu *p = rstzip3_unpack_cpu_of(unpack, cpu);
	if (!p || (!p->rfs_pcs && !rz3_rfs_pcs_make(&unpack->state, p))) {
		unpack->bad = "";
		return;
	}
	uint64_t *known = &p->rfs_pcs[p->rfs_npc % RZ3_RFS_PCS];
	if (!TAKE(RFS_PC_HIT))
		*known = rstzip3_unpack_take64(unpack) << 2;
	uint64_t pc = *known, npc;
	struct rz3_insn *insn = rz3_lookup(p, pc);
	bool hit = TAKE(RFS_INSTR_HIT);
	if (!hit)
		insn = rz3_fill(&unpack->state, p, insn, pc, (uint32_t)TAKE(INSTR), true);
	if (!insn) {
		unpack->bad = hit ? "it repeats an instruction that was not there before" : "";
		return;
	}
	bool taken = TAKE(RFS_TAKEN_HIT);
	if (insn->kind & RZ3_K_COND) {
		taken = rz3_branch_taken(p, pc) == taken;
		rz3_branch_was(p, pc, taken);
	} else if (insn->kind & RZ3_K_NEVER) {
		taken = !taken;
	}
	npc = TAKE(CTI_HIT) ? taken ? insn->target : pc + 8 : rstzip3_unpack_take64(unpack);
	p->rfs_npc = npc;
	p->pc = p->rfs_pcs[npc % RZ3_RFS_PCS];
	rst_begin(rec, CAIRN_RST_RFS_BT);
	rst_put_RFS_BT_cpuid(rec, cpu);
	rst_put_RFS_BT_taken(rec, taken);
	rst_put_RFS_BT_instr(rec, insn->instr);
	rst_put_RFS_BT_pc(rec, pc);
	rst_put_RFS_BT_npc(rec, npc);
}

/* ---- a section ---- */

static unsigned unpack_type(struct rz3_unpack *unpack)
{
	static const uint8_t types[] = {CAIRN_RST_INSTR, CAIRN_RST_REGVAL, CAIRN_RST_PAVADIFF};
	if (__builtin_expect(unpack->state.phase != 0, 0)) {
		uint8_t type = unpack->state.phase;
		if (TAKE(RFS_TYPE_HIT)) {
			rz3_rfs_hit(&unpack->state);
			return type;
		}
		unpack->state.phase = 0;
		return (unsigned)TAKE(TYPE);
	}
	unsigned key = (unsigned)TAKE(KEY);
	return key < RZ3_KEY_OTHER ? types[key] : (unsigned)TAKE(TYPE);
}

#define UNPACK_OTHER(type, name) \
	case CAIRN_RST_##type: \
		unpack_##name(unpack, rec); \
		break;
static __attribute__((noinline)) void unpack_other(struct rz3_unpack *unpack, unsigned type,
                                                   uint8_t *rec)
{
	switch (type) {
		RZ3_OTHERS(UNPACK_OTHER)
	default:
		for (unsigned i = 0; i < 3; i++)
			base_put_be64(rec + 8 * i, rstzip3_unpack_take64(unpack));
		if (rec[0] != type && !unpack->bad)
			unpack->bad = "its type is not the one announced";
		if (type == CAIRN_RST_RFS_SECTION_HEADER)
			rz3_rfs_section(&unpack->state, rec);
		break;
	}
}

/* The number of records that came out well. */
static uint32_t unpack_records(struct rz3_unpack *unpack)
{
	uint8_t *rec = unpack->out;
	for (uint32_t i = 0; i < unpack->n; i++, rec += CAIRN_RST_SIZE) {
		unsigned type = unpack_type(unpack);
		if (type == CAIRN_RST_INSTR)
			unpack_instr(unpack, rec);
		else if (type == CAIRN_RST_REGVAL)
			unpack_regval(unpack, rec);
		else if (type == CAIRN_RST_PAVADIFF)
			unpack_pavadiff(unpack, rec);
		else
			unpack_other(unpack, type, rec);
		if (__builtin_expect(unpack->bad != NULL, 0))
			return i;
		unpack->state.type = (uint8_t)type;
	}
	return unpack->n;
}

/* ---- its bytes ---- */

static unsigned rstzip3_unpack_width_of(const struct rz3_unpack *unpack, unsigned array)
{
	return array == RZ3_CPU          ? unpack->cpu_bits
	       : array == RZ3_INSTR_HITS ? unpack->hit_bits
	       : array == RZ3_TLB        ? unpack->tlb_bits
	                                 : rz3_widths[array];
}

/* Counts must be such as the section's records can have. What the header says of the
 * section's size is not needed. */
static int rstzip3_unpack_read_header(struct rz3_unpack *unpack)
{
	const uint8_t *h = unpack->data.data;
	if (memcmp(rst_RZ3_SECTION_magic(h), RZ3_SECTION_MAGIC, sizeof RZ3_SECTION_MAGIC) != 0)
		return base_fail(unpack->cairn, CAIRN_E_DAMAGED,
		                 "it does not begin with " RZ3_SECTION_MAGIC);
	unpack->n = rst_RZ3_SECTION_records(h);
	if (unpack->n == 0 || unpack->n > RZ3_SECTION)
		return base_fail(unpack->cairn, CAIRN_E_DAMAGED,
		                 "it says it has %u records; 1 to %d can be", (unsigned)unpack->n,
		                 RZ3_SECTION);
	for (unsigned a = 0; a < RZ3_ARRAYS; a++) {
		unpack->counts[a] = rz3_count(h, a);
		if (unpack->counts[a] > 3 * unpack->n)
			return base_fail(unpack->cairn, CAIRN_E_DAMAGED,
			                 "its array %u has %u elements, too many for %u records", a,
			                 (unsigned)unpack->counts[a], (unsigned)unpack->n);
	}
	return 0;
}

static int read_arrays(struct rz3_unpack *unpack, uint64_t *taken)
{
	uint64_t total = 0;
	unpack->data.len = 0;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		total += rz3_array_bytes(unpack->counts[a], rstzip3_unpack_width_of(unpack, a));
	int rc = rstzip_load(unpack->cairn, unpack->io, total, &unpack->data, taken);
	if (rc < 0)
		return rc;
	if ((rc = base_buf_reserve(&unpack->data, 8)) < 0)
		return rc;
	uint8_t *p = unpack->data.data;
	for (size_t i = 0; i < unpack->data.len; i += 8)
		base_put_le64(p + i, base_be64(p + i));
	memset(p + unpack->data.len, 0, 8);
	for (unsigned a = 0; a < RZ3_ARRAYS; a++) {
		unsigned width = rstzip3_unpack_width_of(unpack, a);
		unpack->in[a] = (struct bits){p, 0, (uint64_t)unpack->counts[a] * width};
		p += rz3_array_bytes(unpack->counts[a], width);
	}
	return 0;
}

/* 1: there is a section; 0: the input has ended. */
static int read_section(struct rz3_unpack *unpack, uint64_t *taken)
{
	const uint8_t *p;
	size_t n;
	int rc = io_peek(unpack->io, 1, &p, &n);
	if (rc < 0 || n == 0)
		return rc < 0 ? rc : 0;
	unpack->data.len = 0;
	rc = rstzip_load(unpack->cairn, unpack->io, RZ3_SECTION_HEADER, &unpack->data, taken);
	if (rc >= 0)
		rc = rstzip3_unpack_read_header(unpack);
	if (rc >= 0)
		rc = read_arrays(unpack, taken);
	return rc < 0 ? rc : 1;
}

/* ---- all of it ---- */

static int bad_record(struct rz3_unpack *unpack, uint64_t record)
{
	if (unpack->state.failed) {
		base_wrap(unpack->cairn, "record %llu", (unsigned long long)record);
		return unpack->state.failed;
	}
	return base_fail(unpack->cairn, CAIRN_E_DAMAGED, "record %llu: %s", (unsigned long long)record,
	                 unpack->bad);
}

/* Check that nothing is left over when all records have been made. */
static int check_rest(struct rz3_unpack *unpack)
{
	if (unpack->waiting)
		return base_fail(unpack->cairn, CAIRN_E_DAMAGED,
		                 "%zu PAVADIFFs wait for an INSTR that is not there", unpack->waiting);
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		if (unpack->in[a].at < unpack->in[a].end)
			return base_fail(unpack->cairn, CAIRN_E_DAMAGED, "elements of array %u are left over",
			                 a);
	return 0;
}

/* Records whose differences are still to come do not count yet. */
static uint32_t before_waiting(const struct rz3_unpack *unpack, uint32_t n)
{
	for (unsigned i = 0; unpack->waiting && i < RST_MAX_CPUS; i++) {
		const struct rz3_cpu *cpu = unpack->state.cpus[i];
		if (cpu && cpu->first_wait >= 0 && (uint32_t)cpu->first_wait < n)
			n = (uint32_t)cpu->first_wait;
	}
	return n;
}

int rz3_unpack_next(struct rz3_unpack *unpack, struct base_buf *out, uint64_t *n, uint64_t *taken)
{
	*n = 0;
	if (!unpack->waits &&
	    !(unpack->waits = base_alloc(unpack->cairn, RZ3_SECTION * sizeof *unpack->waits)))
		return CAIRN_E_NOMEM;
	int rc = read_section(unpack, taken);
	if (rc == 0)
		return 0;
	if (rc > 0)
		rc = base_buf_reserve(out, (size_t)unpack->n * CAIRN_RST_SIZE);
	if (rc >= 0) {
		unpack->out = out->data + out->len;
		uint32_t done = unpack_records(unpack);
		rc = done < unpack->n ? bad_record(unpack, unpack->records + done + 1) : check_rest(unpack);
		*n = before_waiting(unpack, done);
		out->len += (size_t)*n * CAIRN_RST_SIZE;
		unpack->records += *n;
	}
	if (rc < 0) {
		base_wrap(unpack->cairn, "section %llu", (unsigned long long)unpack->sections + 1);
		return rc;
	}
	unpack->sections++;
	return 1;
}
