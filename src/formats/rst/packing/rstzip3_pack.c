/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing rstzip 3: the records of a section in, its header and bit arrays out.
 *
 * The records are canonical, and what goes in is what comes out, of our reader and of
 * the known one. Where the known reader goes wrong a prediction is simply not used:
 * a prediction that fails costs bits, never the record. That is so
 *
 *  - for a PAVADIFF that is not the last of its CPU before the next INSTR;
 *  - for one with an RFS_CW between it and its INSTR, since that uses the same table;
 *  - for a difference that is not a multiple of a page;
 *  - for the CPU after CPU 1023, for which the known reader looks beyond its table.
 */
#include "formats/rst/packing/rstzip3.h"

struct bits {
	uint64_t *words, acc;
	size_t n, cap;
	unsigned fill;
	uint32_t count;
};

struct rz3_pack {
	struct cairn *cairn;
	struct rz3_state state;
	struct bits out[RZ3_ARRAYS];
	const uint8_t *records;
	uint32_t *ahead; /* of each PAVADIFF of the section: its INSTR, or 0 */
};

int rz3_pack_open(struct cairn *cairn, struct rz3_pack **out)
{
	struct rz3_pack *pack = base_alloc(cairn, sizeof *pack);
	*out = pack;
	if (!pack)
		return CAIRN_E_NOMEM;
	pack->cairn = cairn;
	rz3_state_init(&pack->state, cairn, RZ3_MINOR);
	pack->ahead = base_alloc(cairn, RZ3_SECTION * sizeof *pack->ahead);
	return pack->ahead ? 0 : CAIRN_E_NOMEM;
}

void rz3_pack_close(struct rz3_pack *pack)
{
	if (!pack)
		return;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		base_free(pack->cairn, pack->out[a].words);
	rz3_state_free(&pack->state);
	base_free(pack->cairn, pack->ahead);
	base_free(pack->cairn, pack);
}

/* ---- elements ---- */

static __attribute__((cold, noinline)) bool rstzip3_pack_widen(struct rz3_pack *pack,
                                                               struct bits *bits)
{
	size_t cap = bits->cap ? 2 * bits->cap : 512;
	uint64_t *words = base_realloc(pack->cairn, bits->words, cap * sizeof *words);
	if (!words) {
		pack->state.failed = CAIRN_E_NOMEM;
		return false;
	}
	bits->words = words;
	bits->cap = cap;
	return true;
}

static inline void rstzip3_pack_put_word(struct rz3_pack *pack, struct bits *bits, uint64_t value)
{
	if (__builtin_expect(bits->n == bits->cap, 0) && !rstzip3_pack_widen(pack, bits))
		return;
	bits->words[bits->n++] = value;
}

/* `value` fits into `width` bits, at most 63. PUT: into an array of its own width. */
#define PUT(array, value) rstzip3_pack_put(pack, RZ3_##array, RZ3_WIDTH_##array, value)
static inline void rstzip3_pack_put(struct rz3_pack *pack, unsigned array, unsigned width,
                                    uint64_t value)
{
	struct bits *bits = &pack->out[array];
	bits->count++;
	bits->acc |= value << bits->fill;
	bits->fill += width;
	if (bits->fill >= 64) {
		rstzip3_pack_put_word(pack, bits, bits->acc);
		bits->fill -= 64;
		bits->acc = bits->fill ? value >> (width - bits->fill) : 0;
	}
}

static inline void put64(struct rz3_pack *pack, uint64_t value)
{
	pack->out[RZ3_RAW64].count++;
	rstzip3_pack_put_word(pack, &pack->out[RZ3_RAW64], value);
}

static inline void rstzip3_pack_put_cpu(struct rz3_pack *pack, unsigned cpu, unsigned predicted)
{
	PUT(CPU_HIT, cpu == predicted);
	if (cpu != predicted)
		PUT(CPU, cpu);
}

static void rstzip3_pack_put_value(struct rz3_pack *pack, struct rz3_cpu *cpu, uint64_t value)
{
	uint64_t key;
	unsigned level = rz3_value(cpu, value, &key);
	PUT(LEVEL, level);
	if (level == RZ3_LEVELS)
		put64(pack, key);
	else
		rstzip3_pack_put(pack, RZ3_VALUE + level, rz3_widths[RZ3_VALUE + level], key);
}

/* ---- INSTR ---- */

static inline unsigned pack_cti(struct rz3_pack *pack, struct rz3_cpu *cpu,
                                const struct rz3_insn *insn, uint64_t pc, uint64_t ea,
                                unsigned flags)
{
	bool bt = flags & RST_I_BT, bt_hit = insn->kind & RZ3_K_NEVER ? !bt : bt;
	if (insn->kind & RZ3_K_COND) {
		bt_hit = rz3_branch_taken(cpu, pc) == bt;
		rz3_branch_was(cpu, pc, bt);
	}
	rz3_predict_npc(cpu, insn, pc, bt);
	bool hit = cpu->npc == ea;
	rz3_went(cpu, insn, pc, ea, bt, hit);
	PUT(CTI_HIT, hit);
	if (!hit)
		put64(pack, ea);
	return (bt_hit ? 0u : RZ3_HIT_BT) | (flags & RST_I_EA_VALID ? 0u : RZ3_HIT_EA_VALID);
}

/* Misses of hpriv and pr. */
static inline unsigned pack_privilege(struct rz3_cpu *cpu, unsigned flags)
{
	bool hpriv = flags & RST_I_HPRIV, pr = flags & RST_I_PR;
	unsigned misses = hpriv == cpu->hpriv ? 0 : RZ3_HIT_HPRIV;
	cpu->hpriv = hpriv;
	if (hpriv)
		cpu->pr = false;
	if (pr != cpu->pr)
		misses |= RZ3_HIT_PR;
	cpu->pr = pr;
	return misses;
}

static inline void pack_instr(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rst_instr_cpu(rec, true), flags = rst_INSTR_flags(rec), misses = 0;
	uint64_t pc = rst_INSTR_pc_va(rec), ea = rst_INSTR_ea_va(rec);
	uint32_t instr = rst_INSTR_instr(rec);
	rstzip3_pack_put_cpu(pack, cpu, pack->state.cpu);
	rz3_next_cpu(&pack->state, cpu);
	if (cpu == RST_MAX_CPUS - 1)
		pack->state.cpu = RST_MAX_CPUS;
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	if (pc != p->pc) {
		misses |= RZ3_HIT_PC;
		put64(pack, pc);
	}
	rz3_step(p, pc, !(misses & RZ3_HIT_PC));
	bool an = flags & RST_I_AN;
	misses |= an != p->an ? RZ3_HIT_AN : 0u;
	struct rz3_insn *insn = rz3_lookup(p, pc);
	if (!insn || insn->instr != instr) {
		misses |= RZ3_HIT_INSTR;
		PUT(INSTR, instr);
		insn = rz3_fill(&pack->state, p, insn, pc, instr, !an);
		if (!insn)
			return;
	}
	rz3_call_slot(p, instr);
	misses |= flags & RST_I_TR ? RZ3_HIT_TR : 0u;
	misses |= pack_privilege(p, flags);
	if (!an && insn->kind & RZ3_K_CTI) {
		misses |= pack_cti(pack, p, insn, pc, ea, flags);
	} else if (!an) {
		bool expected = insn->kind & (RZ3_K_MEM | RZ3_K_DONE) || flags & RST_I_TR;
		if (((insn->kind & RZ3_K_DONE) != 0) != ((flags & RST_I_BT) != 0))
			misses |= RZ3_HIT_BT;
		if (expected != ((flags & RST_I_EA_VALID) != 0))
			misses |= RZ3_HIT_EA_VALID;
		if (flags & RST_I_EA_VALID)
			rstzip3_pack_put_value(pack, p, ea);
		p->an = false;
	}
	PUT(INSTR_HIT, misses == 0);
	if (misses)
		PUT(INSTR_HITS, misses ^ RZ3_HIT_ALL);
}

/* ---- the other types ---- */

static void pack_pavadiff(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rst_PAVADIFF_cpuid(rec);
	unsigned ictx = rst_PAVADIFF_icontext(rec), dctx = rst_PAVADIFF_dcontext(rec);
	uint64_t pc_diff = rst_PAVADIFF_pc_pa_va(rec), ea_diff = rst_PAVADIFF_ea_pa_va(rec);
	uint32_t at = pack->ahead[(size_t)(rec - pack->records) / CAIRN_RST_SIZE];
	const uint8_t *next = at ? pack->records + (size_t)at * CAIRN_RST_SIZE : NULL;
	bool ea_valid = rst_PAVADIFF_ea_valid(rec),
		 ea_known = next && ea_valid && rst_INSTR_ea_valid(next);
	bool pc_hit = false, ea_hit = false;

	rstzip3_pack_put_cpu(pack, cpu, pack->state.cpu);
	pack->state.cpu = cpu;
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	PUT(ICTX_HIT, p->ictx == ictx);
	if (p->ictx != ictx)
		PUT(ICTX, p->ictx = (uint16_t)ictx);
	PUT(DCTX_HIT, p->dctx == dctx);
	if (p->dctx != dctx)
		PUT(DCTX, p->dctx = (uint16_t)dctx);
	PUT(EA_VALID, ea_valid);
	if (next) {
		uint64_t *e = &p->itlb[(rst_INSTR_pc_va(next) >> RZ3_PAGE) % RZ3_ITLB];
		pc_hit = *e << RZ3_PAGE == pc_diff;
		*e = pc_hit ? *e : pc_diff >> RZ3_PAGE;
	}
	PUT(PCDIFF_HIT, pc_hit);
	if (!pc_hit)
		put64(pack, pc_diff);
	if (ea_known) {
		uint64_t *e = &p->dtlb[(rst_INSTR_ea_va(next) >> RZ3_PAGE) % RZ3_DTLB];
		ea_hit = *e << RZ3_PAGE == ea_diff;
		*e = ea_hit ? *e : ea_diff >> RZ3_PAGE;
	}
	if (ea_valid) {
		PUT(EADIFF_HIT, ea_hit);
		if (!ea_hit)
			put64(pack, ea_diff);
	}
	if (!pc_hit && !ea_hit)
		PUT(AHEAD, next != NULL);
}

static void pack_regval(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rst_REGVAL_cpuid(rec);
	rstzip3_pack_put_cpu(pack, cpu, pack->state.last_cpu);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	struct rz3_reg *reg = p ? rz3_reg_of(&pack->state, p) : NULL;
	if (!reg)
		return;
	PUT(POST, rst_REGVAL_post(rec));
	for (unsigned j = 0; j < 2; j++) {
		uint8_t type = rst_regtype(rec, j), id = rst_regid(rec, j);
		PUT(REGTYPE_HIT, reg->type[j] == type);
		if (reg->type[j] != type)
			PUT(REGTYPE, reg->type[j] = type);
		if (type == RST_R_UNUSED)
			continue;
		uint8_t guess = (uint8_t)(reg->id[j] + (pack->state.type == CAIRN_RST_REGVAL ? 2 : 0));
		reg->id[j] = id;
		PUT(REGID_HIT, guess == id);
		if (guess != id)
			PUT(REGID, id);
		uint64_t v = rst_regvalue(rec, j);
		PUT(ZERO, v == 0);
		if (v != 0)
			rstzip3_pack_put_value(pack, p, v);
	}
}

static void pack_memval(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rst_MEMVAL128_cpuid(rec);
	bool wide = rst_MEMVAL128_is128(rec), more = rst_MEMVAL128_is_cont(rec);
	PUT(MEM_FLAGS, wide);
	PUT(MEM_FLAGS, !rst_MEMVAL128_is_va(rec));
	rstzip3_pack_put_cpu(pack, cpu, pack->state.cpu);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	if (!wide)
		PUT(MEM_SIZE, (rst_MEMVAL64_size(rec) - 1u) & 7);
	else
		PUT(MEM_FLAGS, more);
	if (wide && !more) {
		PUT(MEM_HIGH, rst_MEMVAL128_addr(rec) >> 36 & 0xff);
		PUT(MEM_LOW, (uint32_t)(rst_MEMVAL128_addr(rec) >> 4));
	}
	rstzip3_pack_put_value(pack, p, rst_MEMVAL128_value0(rec)); /* or an address of 64 bits */
	rstzip3_pack_put_value(pack, p, rst_MEMVAL128_value1(rec));
}

static void pack_trap(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rst_TRAP_cpuid(rec);
	uint64_t pc = rst_TRAP_pc(rec), npc = rst_TRAP_npc(rec);
	rstzip3_pack_put_cpu(pack, cpu, pack->state.cpu);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	uint64_t v = 0 RZ3_ELEMENT_TRAP(RZ3_JOIN);
	bool pc_hit = pc == p->pc, npc_hit = npc == (pc_hit ? p->npc : pc + 4);
	if (!pc_hit)
		put64(pack, pc);
	if (!npc_hit)
		put64(pack, npc);
	PUT(TRAP, v | (pc_hit ? 2 : 0) | (npc_hit ? 1 : 0));
}

static void pack_tlb(struct rz3_pack *pack, const uint8_t *rec)
{
	PUT(TLB, (0 RZ3_ELEMENT_TLB(RZ3_JOIN)) << RZ3_WIDTH_CPU | rst_TLB_cpuid(rec));
	put64(pack, rst_TLB_tte_tag(rec));
	put64(pack, rst_TLB_tte_data(rec));
}

static void pack_preg(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rst_PREG_cpuid(rec);
	bool hit = cpu == pack->state.cpu;
	if (!hit)
		PUT(CPU, cpu);
	put64(pack, (uint64_t)hit << RZ3_PREG_CPU_HIT RZ3_ELEMENT_PREG(RZ3_JOIN));
}

static void pack_dma(struct rz3_pack *pack, const uint8_t *rec)
{
	PUT(DMA_WRITE, rst_DMA_iswrite(rec));
	PUT(DMA_SIZE, rst_DMA_nbytes(rec));
	put64(pack, rst_DMA_start_pa(rec));
}

static void pack_cw(struct rz3_pack *pack, const uint8_t *rec)
{
	rz3_rfs_bare(&pack->state, CAIRN_RST_RFS_CW);
	unsigned cpu = rst_RFS_CW_cpuid(rec), ref = rst_RFS_CW_reftype(rec);
	uint64_t va = rst_RFS_CW_va(rec), pa = rst_RFS_CW_pa(rec);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	PUT(RFS_REFTYPE, ref);
	PUT(RFS_CPU, cpu);
	if (rst_is_dma(ref)) {
		put64(pack, pa);
		PUT(RFS_DMA_SIZE, rst_RFS_CW_DMA_size(rec));
		return;
	}
	PUT(RFS_ASI, rst_RFS_CW_asi(rec));
	if (ref == RST_REF_PREFETCH)
		PUT(RFS_FCN, rst_RFS_CW_fcn(rec));
	PUT(RFS_VA_VALID, rst_RFS_CW_va_valid(rec));
	if (!rst_RFS_CW_va_valid(rec)) {
		put64(pack, pa);
		return;
	}
	rstzip3_pack_put_value(pack, p, va);
	uint64_t *itlb = &p->itlb[(va >> RZ3_PAGE) % RZ3_ITLB];
	bool hit = (*itlb << RZ3_PAGE | (va & 0x1fff)) == pa;
	PUT(RFS_PA_HIT, hit);
	if (hit)
		return;
	put64(pack, pa);
	if (ref == RST_REF_FETCH)
		*itlb = pa >> RZ3_PAGE;
	else
		p->dtlb[(va >> RZ3_PAGE) % RZ3_DTLB] = pa >> RZ3_PAGE;
}

/* As the known writer has it; the known reader does not understand it. */
static void pack_bt(struct rz3_pack *pack, const uint8_t *rec)
{
	rz3_rfs_bare(&pack->state, CAIRN_RST_RFS_BT);
	unsigned cpu = rst_RFS_BT_cpuid(rec);
	uint64_t pc = rst_RFS_BT_pc(rec), npc = rst_RFS_BT_npc(rec);
	uint32_t instr = rst_RFS_BT_instr(rec);
	bool taken = rst_RFS_BT_taken(rec), hit = taken;
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p || (!p->rfs_pcs && !rz3_rfs_pcs_make(&pack->state, p)))
		return;
	PUT(RFS_CPU, cpu);
	uint64_t *known = &p->rfs_pcs[p->rfs_npc % RZ3_RFS_PCS];
	PUT(RFS_PC_HIT, *known == pc);
	if (*known != pc)
		put64(pack, (*known = pc) >> 2);
	struct rz3_insn *insn = rz3_lookup(p, pc);
	PUT(RFS_INSTR_HIT, insn && insn->instr == instr);
	if (!insn || insn->instr != instr) {
		PUT(INSTR, instr);
		insn = rz3_fill(&pack->state, p, insn, pc, instr, true);
		if (!insn)
			return;
	}
	if (insn->kind & RZ3_K_COND) {
		hit = rz3_branch_taken(p, pc) == taken;
		rz3_branch_was(p, pc, taken);
	} else if (insn->kind & RZ3_K_NEVER) {
		hit = !taken;
	}
	PUT(RFS_TAKEN_HIT, hit);
	uint64_t guess = taken ? insn->target : pc + 8;
	PUT(CTI_HIT, guess == npc);
	if (guess != npc)
		put64(pack, npc);
	p->rfs_npc = npc;
	p->pc = p->rfs_pcs[npc % RZ3_RFS_PCS];
}

/* ---- a section ---- */

static inline void put_type(struct rz3_pack *pack, uint8_t type)
{
	if (__builtin_expect(pack->state.phase != 0, 0)) {
		bool hit = type == pack->state.phase;
		PUT(RFS_TYPE_HIT, hit);
		if (hit) {
			rz3_rfs_hit(&pack->state);
			return;
		}
		PUT(TYPE, type);
		pack->state.phase = 0;
		return;
	}
	unsigned key = type == CAIRN_RST_INSTR      ? RZ3_KEY_INSTR
	               : type == CAIRN_RST_REGVAL   ? RZ3_KEY_REGVAL
	               : type == CAIRN_RST_PAVADIFF ? RZ3_KEY_PAVADIFF
	                                            : RZ3_KEY_OTHER;
	PUT(KEY, key);
	if (key == RZ3_KEY_OTHER)
		PUT(TYPE, type);
}

#define PACK_OTHER(type, name) \
	case CAIRN_RST_##type: \
		pack_##name(pack, rec); \
		break;
static __attribute__((noinline)) void pack_other(struct rz3_pack *pack, const uint8_t *rec)
{
	switch (rec[0]) {
		RZ3_OTHERS(PACK_OTHER)
	default:
		for (unsigned i = 0; i < 3; i++)
			put64(pack, base_be64(rec + 8 * i));
		if (rec[0] == CAIRN_RST_RFS_SECTION_HEADER)
			rz3_rfs_section(&pack->state, rec);
		break;
	}
}

/* Which INSTR each PAVADIFF may use: the next one, if it is of the same CPU, and only
 * the last PAVADIFF before it. Found from the end. */
static void rstzip3_pack_look_ahead(struct rz3_pack *pack, size_t n)
{
	uint32_t instr = 0; /* the next INSTR; 0: none, or already used */
	unsigned cpu = 0;
	for (size_t i = n; i-- > 0;) {
		const uint8_t *rec = pack->records + i * CAIRN_RST_SIZE;
		if (rec[0] == CAIRN_RST_INSTR) {
			instr = (uint32_t)i;
			cpu = rst_instr_cpu(rec, true);
		} else if (rec[0] == CAIRN_RST_RFS_CW) {
			instr = 0;
		} else if (rec[0] == CAIRN_RST_PAVADIFF) {
			bool same = rst_PAVADIFF_cpuid(rec) == cpu;
			pack->ahead[i] = same ? instr : 0;
			instr = same ? 0 : instr;
		}
	}
}

static int write_section(struct rz3_pack *pack, size_t n, struct base_buf *out)
{
	size_t size = RZ3_SECTION_HEADER;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		size += (size_t)rz3_array_bytes(pack->out[a].count, rz3_widths[a]);
	int rc = base_buf_reserve(out, size);
	if (rc < 0)
		return rc;
	uint8_t *p = out->data + out->len;
	memset(p, 0, RZ3_SECTION_HEADER);
	rst_put_RZ3_SECTION_magic(p, RZ3_SECTION_MAGIC, sizeof RZ3_SECTION_MAGIC);
	rst_put_RZ3_SECTION_records(p, n);
	rst_put_RZ3_SECTION_size(p, size);
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		rz3_put_count(p, a, pack->out[a].count);
	p += RZ3_SECTION_HEADER;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++) {
		struct bits *bits = &pack->out[a];
		for (size_t i = 0; i < bits->n; i++, p += 8)
			base_put_be64(p, bits->words[i]);
		if (bits->fill) {
			base_put_be64(p, bits->acc);
			p += 8;
		}
		bits->n = bits->fill = bits->count = 0;
		bits->acc = 0;
	}
	out->len += size;
	return 0;
}

int rz3_pack_section(struct rz3_pack *pack, const uint8_t *records, size_t n, struct base_buf *out)
{
	pack->records = records;
	rstzip3_pack_look_ahead(pack, n);
	for (size_t i = 0; i < n && !pack->state.failed; i++) {
		const uint8_t *rec = records + i * CAIRN_RST_SIZE;
		put_type(pack, rec[0]);
		if (rec[0] == CAIRN_RST_INSTR)
			pack_instr(pack, rec);
		else if (rec[0] == CAIRN_RST_REGVAL)
			pack_regval(pack, rec);
		else if (rec[0] == CAIRN_RST_PAVADIFF)
			pack_pavadiff(pack, rec);
		else
			pack_other(pack, rec);
		pack->state.type = rec[0];
	}
	return pack->state.failed ? pack->state.failed : write_section(pack, n, out);
}
