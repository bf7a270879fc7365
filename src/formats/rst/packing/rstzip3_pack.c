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

/* `value` fits into `width` bits, at most 63. */
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
	rstzip3_pack_put(pack, RZ3_CPU_HIT, 1, cpu == predicted);
	if (cpu != predicted)
		rstzip3_pack_put(pack, RZ3_CPU, 10, cpu);
}

static void rstzip3_pack_put_value(struct rz3_pack *pack, struct rz3_cpu *cpu, uint64_t value)
{
	uint64_t key;
	unsigned level = rz3_value(cpu, value, &key);
	rstzip3_pack_put(pack, RZ3_LEVEL, 3, level);
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
	rstzip3_pack_put(pack, RZ3_CTI_HIT, 1, hit);
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
	unsigned cpu = rst_instr_cpu(rec, true), flags = rec[1], misses = 0;
	uint64_t pc = base_be64(rec + 8), ea = base_be64(rec + 16);
	uint32_t instr = base_be32(rec + 4);
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
		rstzip3_pack_put(pack, RZ3_INSTR, 32, instr);
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
	rstzip3_pack_put(pack, RZ3_INSTR_HIT, 1, misses == 0);
	if (misses)
		rstzip3_pack_put(pack, RZ3_INSTR_HITS, 8, misses ^ RZ3_HIT_ALL);
}

/* ---- the other types ---- */

static void pack_pavadiff(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = (rec[1] & 127u) | (unsigned)rec[2] >> 5 << 7;
	unsigned ictx = base_be16(rec + 4), dctx = base_be16(rec + 6);
	uint64_t pc_diff = base_be64(rec + 8), ea_diff = base_be64(rec + 16);
	uint32_t at = pack->ahead[(size_t)(rec - pack->records) / CAIRN_RST_SIZE];
	const uint8_t *next = at ? pack->records + (size_t)at * CAIRN_RST_SIZE : NULL;
	bool ea_valid = rec[1] & 0x80, ea_known = next && ea_valid && next[1] & RST_I_EA_VALID;
	bool pc_hit = false, ea_hit = false;

	rstzip3_pack_put_cpu(pack, cpu, pack->state.cpu);
	pack->state.cpu = cpu;
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	rstzip3_pack_put(pack, RZ3_ICTX_HIT, 1, p->ictx == ictx);
	if (p->ictx != ictx)
		rstzip3_pack_put(pack, RZ3_ICTX, 13, p->ictx = (uint16_t)ictx);
	rstzip3_pack_put(pack, RZ3_DCTX_HIT, 1, p->dctx == dctx);
	if (p->dctx != dctx)
		rstzip3_pack_put(pack, RZ3_DCTX, 13, p->dctx = (uint16_t)dctx);
	rstzip3_pack_put(pack, RZ3_EA_VALID, 1, ea_valid);
	if (next) {
		uint64_t *e = &p->itlb[(base_be64(next + 8) >> RZ3_PAGE) % RZ3_ITLB];
		pc_hit = *e << RZ3_PAGE == pc_diff;
		*e = pc_hit ? *e : pc_diff >> RZ3_PAGE;
	}
	rstzip3_pack_put(pack, RZ3_PCDIFF_HIT, 1, pc_hit);
	if (!pc_hit)
		put64(pack, pc_diff);
	if (ea_known) {
		uint64_t *e = &p->dtlb[(base_be64(next + 16) >> RZ3_PAGE) % RZ3_DTLB];
		ea_hit = *e << RZ3_PAGE == ea_diff;
		*e = ea_hit ? *e : ea_diff >> RZ3_PAGE;
	}
	if (ea_valid) {
		rstzip3_pack_put(pack, RZ3_EADIFF_HIT, 1, ea_hit);
		if (!ea_hit)
			put64(pack, ea_diff);
	}
	if (!pc_hit && !ea_hit)
		rstzip3_pack_put(pack, RZ3_AHEAD, 1, next != NULL);
}

static void pack_regval(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = (rec[1] & 127u) | (unsigned)rec[6] >> 5 << 7;
	rstzip3_pack_put_cpu(pack, cpu, pack->state.last_cpu);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	struct rz3_reg *reg = p ? rz3_reg_of(&pack->state, p) : NULL;
	if (!reg)
		return;
	rstzip3_pack_put(pack, RZ3_POST, 1, rec[1] >> 7);
	for (unsigned j = 0; j < 2; j++) {
		uint8_t type = rec[2 + j], id = rec[4 + j];
		rstzip3_pack_put(pack, RZ3_REGTYPE_HIT, 1, reg->type[j] == type);
		if (reg->type[j] != type)
			rstzip3_pack_put(pack, RZ3_REGTYPE, 8, reg->type[j] = type);
		if (type == RST_R_UNUSED)
			continue;
		uint8_t guess = (uint8_t)(reg->id[j] + (pack->state.type == CAIRN_RST_REGVAL ? 2 : 0));
		reg->id[j] = id;
		rstzip3_pack_put(pack, RZ3_REGID_HIT, 1, guess == id);
		if (guess != id)
			rstzip3_pack_put(pack, RZ3_REGID, 8, id);
		uint64_t v = base_be64(rec + 8 + 8 * j);
		rstzip3_pack_put(pack, RZ3_ZERO, 1, v == 0);
		if (v != 0)
			rstzip3_pack_put_value(pack, p, v);
	}
}

static void pack_memval(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rec[2] | (rec[1] & 3u) << 8;
	bool wide = rec[1] & 0x80, more = rec[1] & 0x20;
	rstzip3_pack_put(pack, RZ3_MEM_FLAGS, 1, wide);
	rstzip3_pack_put(pack, RZ3_MEM_FLAGS, 1, !(rec[1] & 0x40));
	rstzip3_pack_put_cpu(pack, cpu, pack->state.cpu);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	if (!wide)
		rstzip3_pack_put(pack, RZ3_MEM_SIZE, 3, (rec[3] - 1u) & 7);
	else
		rstzip3_pack_put(pack, RZ3_MEM_FLAGS, 1, more);
	if (wide && !more) {
		rstzip3_pack_put(pack, RZ3_MEM_HIGH, 8, rec[3]);
		rstzip3_pack_put(pack, RZ3_MEM_LOW, 32, base_be32(rec + 4));
	}
	rstzip3_pack_put_value(pack, p, base_be64(rec + 8));
	rstzip3_pack_put_value(pack, p, base_be64(rec + 16));
}

static void pack_trap(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned lo = base_be16(rec + 2), hi = base_be16(rec + 6), cpu = lo >> 10 | hi >> 12 << 6;
	uint64_t pc = base_be64(rec + 8), npc = base_be64(rec + 16);
	rstzip3_pack_put_cpu(pack, cpu, pack->state.cpu);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	uint64_t v = (uint64_t)(rec[1] >> 7) << 48 | (uint64_t)(rec[1] & 15) << 44 |
	             (uint64_t)(lo & 0x3ff) << 34 | (uint64_t)base_be16(rec + 4) << 18 |
	             (uint64_t)(hi & 0xfff) << 2;
	bool pc_hit = pc == p->pc, npc_hit = npc == (pc_hit ? p->npc : pc + 4);
	if (!pc_hit)
		put64(pack, pc);
	if (!npc_hit)
		put64(pack, npc);
	rstzip3_pack_put(pack, RZ3_TRAP, 49, v | (pc_hit ? 2 : 0) | (npc_hit ? 1 : 0));
}

static void pack_tlb(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = (rec[4] & 63u) | (unsigned)rec[5] >> 4 << 6;
	rstzip3_pack_put(pack, RZ3_TLB, 30,
	                 (uint64_t)(rec[1] >> 7) << 29 | (uint64_t)base_be16(rec + 2) << 13 |
	                     (uint64_t)(rec[1] >> 6 & 1) << 12 | (uint64_t)(rec[4] >> 6) << 10 | cpu);
	put64(pack, base_be64(rec + 8));
	put64(pack, base_be64(rec + 16));
}

static void pack_preg(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = rec[8] | (unsigned)rec[9] >> 6 << 8;
	bool hit = cpu == pack->state.cpu;
	if (!hit)
		rstzip3_pack_put(pack, RZ3_CPU, 10, cpu);
	put64(pack, (uint64_t)hit << 61 | (uint64_t)base_be16(rec + 20) << 48 |
	                (uint64_t)base_be16(rec + 22) << 35 | (uint64_t)rec[1] << 27 |
	                (uint64_t)rec[4] << 24 | (uint64_t)rec[5] << 16 | base_be16(rec + 6));
}

static void pack_cw(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = (unsigned)rec[1] << 2 | rec[2] >> 6, ref = rec[2] & 7;
	uint64_t va = base_be64(rec + 8), pa = base_be64(rec + 16);
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p)
		return;
	rstzip3_pack_put(pack, RZ3_RFS_REFTYPE, 3, ref);
	rstzip3_pack_put(pack, RZ3_RFS_CPU, 10, cpu);
	if (ref == 6 || ref == 7) {
		put64(pack, pa);
		rstzip3_pack_put(pack, RZ3_RFS_DMA_SIZE, 32, base_be32(rec + 4));
		return;
	}
	rstzip3_pack_put(pack, RZ3_RFS_ASI, 8, rec[4]);
	if (ref == 4)
		rstzip3_pack_put(pack, RZ3_RFS_FCN, 5, rec[5] >> 2 & 31);
	rstzip3_pack_put(pack, RZ3_RFS_VA_VALID, 1, rec[5] >> 7);
	if (!(rec[5] >> 7)) {
		put64(pack, pa);
		return;
	}
	rstzip3_pack_put_value(pack, p, va);
	uint64_t *itlb = &p->itlb[(va >> RZ3_PAGE) % RZ3_ITLB];
	bool hit = (*itlb << RZ3_PAGE | (va & 0x1fff)) == pa;
	rstzip3_pack_put(pack, RZ3_RFS_PA_HIT, 1, hit);
	if (hit)
		return;
	put64(pack, pa);
	if (ref == 1)
		*itlb = pa >> RZ3_PAGE;
	else
		p->dtlb[(va >> RZ3_PAGE) % RZ3_DTLB] = pa >> RZ3_PAGE;
}

/* As the known writer has it, which the known reader does not understand. */
static void pack_bt(struct rz3_pack *pack, const uint8_t *rec)
{
	unsigned cpu = (unsigned)rec[1] << 2 | rec[2] >> 6;
	uint64_t pc = base_be64(rec + 8), npc = base_be64(rec + 16);
	uint32_t instr = base_be32(rec + 4);
	bool taken = rec[2] & 0x20, hit = taken;
	struct rz3_cpu *p = rz3_cpu_of(&pack->state, cpu);
	if (!p || (!p->rfs_pcs && !rz3_rfs_pcs_make(&pack->state, p)))
		return;
	rstzip3_pack_put(pack, RZ3_RFS_CPU, 10, cpu);
	uint64_t *known = &p->rfs_pcs[p->rfs_npc % RZ3_RFS_PCS];
	rstzip3_pack_put(pack, RZ3_RFS_PC_HIT, 1, *known == pc);
	if (*known != pc)
		put64(pack, (*known = pc) >> 2);
	struct rz3_insn *insn = rz3_lookup(p, pc);
	rstzip3_pack_put(pack, RZ3_RFS_INSTR_HIT, 1, insn && insn->instr == instr);
	if (!insn || insn->instr != instr) {
		rstzip3_pack_put(pack, RZ3_INSTR, 32, instr);
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
	rstzip3_pack_put(pack, RZ3_RFS_TAKEN_HIT, 1, hit);
	uint64_t guess = taken ? insn->target : pc + 8;
	rstzip3_pack_put(pack, RZ3_CTI_HIT, 1, guess == npc);
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
		rstzip3_pack_put(pack, RZ3_RFS_TYPE_HIT, 1, hit);
		if (hit) {
			rz3_rfs_hit(&pack->state);
			return;
		}
		rstzip3_pack_put(pack, RZ3_TYPE, 8, type);
		pack->state.phase = 0;
		return;
	}
	unsigned key = type == CAIRN_RST_INSTR      ? RZ3_KEY_INSTR
	               : type == CAIRN_RST_REGVAL   ? RZ3_KEY_REGVAL
	               : type == CAIRN_RST_PAVADIFF ? RZ3_KEY_PAVADIFF
	                                            : RZ3_KEY_OTHER;
	rstzip3_pack_put(pack, RZ3_KEY, 2, key);
	if (key == RZ3_KEY_OTHER)
		rstzip3_pack_put(pack, RZ3_TYPE, 8, type);
}

static __attribute__((noinline)) void pack_other(struct rz3_pack *pack, const uint8_t *rec)
{
	switch (rec[0]) {
	case CAIRN_RST_MEMVAL:
		pack_memval(pack, rec);
		break;
	case CAIRN_RST_TRAP:
		pack_trap(pack, rec);
		break;
	case CAIRN_RST_TLB:
		pack_tlb(pack, rec);
		break;
	case CAIRN_RST_PREG:
		pack_preg(pack, rec);
		break;
	case CAIRN_RST_DMA:
		rstzip3_pack_put(pack, RZ3_DMA_WRITE, 1, rec[1]);
		rstzip3_pack_put(pack, RZ3_DMA_SIZE, 32, base_be32(rec + 4));
		put64(pack, base_be64(rec + 8));
		break;
	case CAIRN_RST_RFS_CW:
		rz3_rfs_bare(&pack->state, CAIRN_RST_RFS_CW);
		pack_cw(pack, rec);
		break;
	case CAIRN_RST_RFS_BT:
		rz3_rfs_bare(&pack->state, CAIRN_RST_RFS_BT);
		pack_bt(pack, rec);
		break;
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
	uint32_t instr = 0; /* the next one; 0: none, or taken */
	unsigned cpu = 0;
	for (size_t i = n; i-- > 0;) {
		const uint8_t *rec = pack->records + i * CAIRN_RST_SIZE;
		if (rec[0] == CAIRN_RST_INSTR) {
			instr = (uint32_t)i;
			cpu = rst_instr_cpu(rec, true);
		} else if (rec[0] == CAIRN_RST_RFS_CW) {
			instr = 0;
		} else if (rec[0] == CAIRN_RST_PAVADIFF) {
			bool same = ((rec[1] & 127u) | (unsigned)rec[2] >> 5 << 7) == cpu;
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
	memcpy(p, RZ3_SECTION_MAGIC, sizeof RZ3_SECTION_MAGIC);
	rz3_put32(p + 16, (uint32_t)n);
	rz3_put64(p + 24, size);
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		rz3_put32(p + 32 + 4 * a, pack->out[a].count);
	p += RZ3_SECTION_HEADER;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++) {
		struct bits *bits = &pack->out[a];
		for (size_t i = 0; i < bits->n; i++, p += 8)
			rz3_put64(p, bits->words[i]);
		if (bits->fill) {
			rz3_put64(p, bits->acc);
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
