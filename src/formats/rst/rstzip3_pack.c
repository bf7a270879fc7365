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
#include "formats/rst/rstzip3.h"

struct bits {
	uint64_t *words, acc;
	size_t n, cap;
	unsigned fill;
	uint32_t count;
};

struct rz3_pack {
	struct cairn *c;
	struct rz3_state s;
	struct bits out[RZ3_ARRAYS];
	const uint8_t *records;
	uint32_t *ahead; /* of each PAVADIFF of the section: its INSTR, or 0 */
};

int rz3_pack_open(struct cairn *c, struct rz3_pack **out)
{
	struct rz3_pack *k = base_alloc(c, sizeof *k);
	*out = k;
	if (!k)
		return CAIRN_E_NOMEM;
	k->c = c;
	rz3_state_init(&k->s, c, RZ3_MINOR);
	k->ahead = base_alloc(c, RZ3_SECTION * sizeof *k->ahead);
	return k->ahead ? 0 : CAIRN_E_NOMEM;
}

void rz3_pack_close(struct rz3_pack *k)
{
	if (!k)
		return;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		base_free(k->c, k->out[a].words);
	rz3_state_free(&k->s);
	base_free(k->c, k->ahead);
	base_free(k->c, k);
}

/* ---- elements ---- */

static __attribute__((cold, noinline)) bool rstzip3_pack_widen(struct rz3_pack *k, struct bits *b)
{
	size_t cap = b->cap ? 2 * b->cap : 512;
	uint64_t *words = base_realloc(k->c, b->words, cap * sizeof *words);
	if (!words) {
		k->s.failed = CAIRN_E_NOMEM;
		return false;
	}
	b->words = words;
	b->cap = cap;
	return true;
}

static inline void rstzip3_pack_put_word(struct rz3_pack *k, struct bits *b, uint64_t v)
{
	if (__builtin_expect(b->n == b->cap, 0) && !rstzip3_pack_widen(k, b))
		return;
	b->words[b->n++] = v;
}

/* `v` fits into `width` bits, at most 63. */
static inline void rstzip3_pack_put(struct rz3_pack *k, unsigned array, unsigned width, uint64_t v)
{
	struct bits *b = &k->out[array];
	b->count++;
	b->acc |= v << b->fill;
	b->fill += width;
	if (b->fill >= 64) {
		rstzip3_pack_put_word(k, b, b->acc);
		b->fill -= 64;
		b->acc = b->fill ? v >> (width - b->fill) : 0;
	}
}

static inline void put64(struct rz3_pack *k, uint64_t v)
{
	k->out[RZ3_RAW64].count++;
	rstzip3_pack_put_word(k, &k->out[RZ3_RAW64], v);
}

static inline void rstzip3_pack_put_cpu(struct rz3_pack *k, unsigned cpu, unsigned predicted)
{
	rstzip3_pack_put(k, RZ3_CPU_HIT, 1, cpu == predicted);
	if (cpu != predicted)
		rstzip3_pack_put(k, RZ3_CPU, 10, cpu);
}

static void rstzip3_pack_put_value(struct rz3_pack *k, struct rz3_cpu *p, uint64_t v)
{
	uint64_t key;
	unsigned level = rz3_value(p, v, &key);
	rstzip3_pack_put(k, RZ3_LEVEL, 3, level);
	if (level == RZ3_LEVELS)
		put64(k, key);
	else
		rstzip3_pack_put(k, RZ3_VALUE + level, rz3_widths[RZ3_VALUE + level], key);
}

/* ---- INSTR ---- */

static inline unsigned pack_cti(struct rz3_pack *k, struct rz3_cpu *p, const struct rz3_insn *i,
                                uint64_t pc, uint64_t ea, unsigned flags)
{
	bool bt = flags & RST_I_BT, bt_hit = i->kind & RZ3_K_NEVER ? !bt : bt;
	if (i->kind & RZ3_K_COND) {
		bt_hit = rz3_branch_taken(p, pc) == bt;
		rz3_branch_was(p, pc, bt);
	}
	rz3_predict_npc(p, i, pc, bt);
	bool hit = p->npc == ea;
	rz3_went(p, i, pc, ea, bt, hit);
	rstzip3_pack_put(k, RZ3_CTI_HIT, 1, hit);
	if (!hit)
		put64(k, ea);
	return (bt_hit ? 0u : RZ3_HIT_BT) | (flags & RST_I_EA_VALID ? 0u : RZ3_HIT_EA_VALID);
}

/* Misses of hpriv and pr. */
static inline unsigned pack_privilege(struct rz3_cpu *p, unsigned flags)
{
	bool hpriv = flags & RST_I_HPRIV, pr = flags & RST_I_PR;
	unsigned misses = hpriv == p->hpriv ? 0 : RZ3_HIT_HPRIV;
	p->hpriv = hpriv;
	if (hpriv)
		p->pr = false;
	if (pr != p->pr)
		misses |= RZ3_HIT_PR;
	p->pr = pr;
	return misses;
}

static inline void pack_instr(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = rst_instr_cpu(rec, true), flags = rec[1], misses = 0;
	uint64_t pc = base_be64(rec + 8), ea = base_be64(rec + 16);
	uint32_t instr = base_be32(rec + 4);
	rstzip3_pack_put_cpu(k, cpu, k->s.cpu);
	rz3_next_cpu(&k->s, cpu);
	if (cpu == RST_MAX_CPUS - 1)
		k->s.cpu = RST_MAX_CPUS;
	struct rz3_cpu *p = rz3_cpu_of(&k->s, cpu);
	if (!p)
		return;
	if (pc != p->pc) {
		misses |= RZ3_HIT_PC;
		put64(k, pc);
	}
	rz3_step(p, pc, !(misses & RZ3_HIT_PC));
	bool an = flags & RST_I_AN;
	misses |= an != p->an ? RZ3_HIT_AN : 0u;
	struct rz3_insn *i = rz3_lookup(p, pc);
	if (!i || i->instr != instr) {
		misses |= RZ3_HIT_INSTR;
		rstzip3_pack_put(k, RZ3_INSTR, 32, instr);
		i = rz3_fill(&k->s, p, i, pc, instr, !an);
		if (!i)
			return;
	}
	rz3_call_slot(p, instr);
	misses |= flags & RST_I_TR ? RZ3_HIT_TR : 0u;
	misses |= pack_privilege(p, flags);
	if (!an && i->kind & RZ3_K_CTI) {
		misses |= pack_cti(k, p, i, pc, ea, flags);
	} else if (!an) {
		bool expected = i->kind & (RZ3_K_MEM | RZ3_K_DONE) || flags & RST_I_TR;
		if (((i->kind & RZ3_K_DONE) != 0) != ((flags & RST_I_BT) != 0))
			misses |= RZ3_HIT_BT;
		if (expected != ((flags & RST_I_EA_VALID) != 0))
			misses |= RZ3_HIT_EA_VALID;
		if (flags & RST_I_EA_VALID)
			rstzip3_pack_put_value(k, p, ea);
		p->an = false;
	}
	rstzip3_pack_put(k, RZ3_INSTR_HIT, 1, misses == 0);
	if (misses)
		rstzip3_pack_put(k, RZ3_INSTR_HITS, 8, misses ^ RZ3_HIT_ALL);
}

/* ---- the other types ---- */

static void pack_pavadiff(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = (rec[1] & 127u) | (unsigned)rec[2] >> 5 << 7;
	unsigned ictx = base_be16(rec + 4), dctx = base_be16(rec + 6);
	uint64_t pc_diff = base_be64(rec + 8), ea_diff = base_be64(rec + 16);
	uint32_t at = k->ahead[(size_t)(rec - k->records) / CAIRN_RST_SIZE];
	const uint8_t *next = at ? k->records + (size_t)at * CAIRN_RST_SIZE : NULL;
	bool ea_valid = rec[1] & 0x80, ea_known = next && ea_valid && next[1] & RST_I_EA_VALID;
	bool pc_hit = false, ea_hit = false;

	rstzip3_pack_put_cpu(k, cpu, k->s.cpu);
	k->s.cpu = cpu;
	struct rz3_cpu *p = rz3_cpu_of(&k->s, cpu);
	if (!p)
		return;
	rstzip3_pack_put(k, RZ3_ICTX_HIT, 1, p->ictx == ictx);
	if (p->ictx != ictx)
		rstzip3_pack_put(k, RZ3_ICTX, 13, p->ictx = (uint16_t)ictx);
	rstzip3_pack_put(k, RZ3_DCTX_HIT, 1, p->dctx == dctx);
	if (p->dctx != dctx)
		rstzip3_pack_put(k, RZ3_DCTX, 13, p->dctx = (uint16_t)dctx);
	rstzip3_pack_put(k, RZ3_EA_VALID, 1, ea_valid);
	if (next) {
		uint64_t *e = &p->itlb[(base_be64(next + 8) >> RZ3_PAGE) % RZ3_ITLB];
		pc_hit = *e << RZ3_PAGE == pc_diff;
		*e = pc_hit ? *e : pc_diff >> RZ3_PAGE;
	}
	rstzip3_pack_put(k, RZ3_PCDIFF_HIT, 1, pc_hit);
	if (!pc_hit)
		put64(k, pc_diff);
	if (ea_known) {
		uint64_t *e = &p->dtlb[(base_be64(next + 16) >> RZ3_PAGE) % RZ3_DTLB];
		ea_hit = *e << RZ3_PAGE == ea_diff;
		*e = ea_hit ? *e : ea_diff >> RZ3_PAGE;
	}
	if (ea_valid) {
		rstzip3_pack_put(k, RZ3_EADIFF_HIT, 1, ea_hit);
		if (!ea_hit)
			put64(k, ea_diff);
	}
	if (!pc_hit && !ea_hit)
		rstzip3_pack_put(k, RZ3_AHEAD, 1, next != NULL);
}

static void pack_regval(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = (rec[1] & 127u) | (unsigned)rec[6] >> 5 << 7;
	rstzip3_pack_put_cpu(k, cpu, k->s.last_cpu);
	struct rz3_cpu *p = rz3_cpu_of(&k->s, cpu);
	struct rz3_reg *r = p ? rz3_reg_of(&k->s, p) : NULL;
	if (!r)
		return;
	rstzip3_pack_put(k, RZ3_POST, 1, rec[1] >> 7);
	for (unsigned j = 0; j < 2; j++) {
		uint8_t type = rec[2 + j], id = rec[4 + j];
		rstzip3_pack_put(k, RZ3_REGTYPE_HIT, 1, r->type[j] == type);
		if (r->type[j] != type)
			rstzip3_pack_put(k, RZ3_REGTYPE, 8, r->type[j] = type);
		if (type == RST_R_UNUSED)
			continue;
		uint8_t guess = (uint8_t)(r->id[j] + (k->s.type == CAIRN_RST_REGVAL ? 2 : 0));
		r->id[j] = id;
		rstzip3_pack_put(k, RZ3_REGID_HIT, 1, guess == id);
		if (guess != id)
			rstzip3_pack_put(k, RZ3_REGID, 8, id);
		uint64_t v = base_be64(rec + 8 + 8 * j);
		rstzip3_pack_put(k, RZ3_ZERO, 1, v == 0);
		if (v != 0)
			rstzip3_pack_put_value(k, p, v);
	}
}

static void pack_memval(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = rec[2] | (rec[1] & 3u) << 8;
	bool wide = rec[1] & 0x80, more = rec[1] & 0x20;
	rstzip3_pack_put(k, RZ3_MEM_FLAGS, 1, wide);
	rstzip3_pack_put(k, RZ3_MEM_FLAGS, 1, !(rec[1] & 0x40));
	rstzip3_pack_put_cpu(k, cpu, k->s.cpu);
	struct rz3_cpu *p = rz3_cpu_of(&k->s, cpu);
	if (!p)
		return;
	if (!wide)
		rstzip3_pack_put(k, RZ3_MEM_SIZE, 3, (rec[3] - 1u) & 7);
	else
		rstzip3_pack_put(k, RZ3_MEM_FLAGS, 1, more);
	if (wide && !more) {
		rstzip3_pack_put(k, RZ3_MEM_HIGH, 8, rec[3]);
		rstzip3_pack_put(k, RZ3_MEM_LOW, 32, base_be32(rec + 4));
	}
	rstzip3_pack_put_value(k, p, base_be64(rec + 8));
	rstzip3_pack_put_value(k, p, base_be64(rec + 16));
}

static void pack_trap(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned lo = base_be16(rec + 2), hi = base_be16(rec + 6), cpu = lo >> 10 | hi >> 12 << 6;
	uint64_t pc = base_be64(rec + 8), npc = base_be64(rec + 16);
	rstzip3_pack_put_cpu(k, cpu, k->s.cpu);
	struct rz3_cpu *p = rz3_cpu_of(&k->s, cpu);
	if (!p)
		return;
	uint64_t v = (uint64_t)(rec[1] >> 7) << 48 | (uint64_t)(rec[1] & 15) << 44 |
	             (uint64_t)(lo & 0x3ff) << 34 | (uint64_t)base_be16(rec + 4) << 18 |
	             (uint64_t)(hi & 0xfff) << 2;
	bool pc_hit = pc == p->pc, npc_hit = npc == (pc_hit ? p->npc : pc + 4);
	if (!pc_hit)
		put64(k, pc);
	if (!npc_hit)
		put64(k, npc);
	rstzip3_pack_put(k, RZ3_TRAP, 49, v | (pc_hit ? 2 : 0) | (npc_hit ? 1 : 0));
}

static void pack_tlb(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = (rec[4] & 63u) | (unsigned)rec[5] >> 4 << 6;
	rstzip3_pack_put(k, RZ3_TLB, 30,
	                 (uint64_t)(rec[1] >> 7) << 29 | (uint64_t)base_be16(rec + 2) << 13 |
	                     (uint64_t)(rec[1] >> 6 & 1) << 12 | (uint64_t)(rec[4] >> 6) << 10 | cpu);
	put64(k, base_be64(rec + 8));
	put64(k, base_be64(rec + 16));
}

static void pack_preg(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = rec[8] | (unsigned)rec[9] >> 6 << 8;
	bool hit = cpu == k->s.cpu;
	if (!hit)
		rstzip3_pack_put(k, RZ3_CPU, 10, cpu);
	put64(k, (uint64_t)hit << 61 | (uint64_t)base_be16(rec + 20) << 48 |
	             (uint64_t)base_be16(rec + 22) << 35 | (uint64_t)rec[1] << 27 |
	             (uint64_t)rec[4] << 24 | (uint64_t)rec[5] << 16 | base_be16(rec + 6));
}

static void pack_cw(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = (unsigned)rec[1] << 2 | rec[2] >> 6, ref = rec[2] & 7;
	uint64_t va = base_be64(rec + 8), pa = base_be64(rec + 16);
	struct rz3_cpu *p = rz3_cpu_of(&k->s, cpu);
	if (!p)
		return;
	rstzip3_pack_put(k, RZ3_RFS_REFTYPE, 3, ref);
	rstzip3_pack_put(k, RZ3_RFS_CPU, 10, cpu);
	if (ref == 6 || ref == 7) {
		put64(k, pa);
		rstzip3_pack_put(k, RZ3_RFS_DMA_SIZE, 32, base_be32(rec + 4));
		return;
	}
	rstzip3_pack_put(k, RZ3_RFS_ASI, 8, rec[4]);
	if (ref == 4)
		rstzip3_pack_put(k, RZ3_RFS_FCN, 5, rec[5] >> 2 & 31);
	rstzip3_pack_put(k, RZ3_RFS_VA_VALID, 1, rec[5] >> 7);
	if (!(rec[5] >> 7)) {
		put64(k, pa);
		return;
	}
	rstzip3_pack_put_value(k, p, va);
	uint64_t *itlb = &p->itlb[(va >> RZ3_PAGE) % RZ3_ITLB];
	bool hit = (*itlb << RZ3_PAGE | (va & 0x1fff)) == pa;
	rstzip3_pack_put(k, RZ3_RFS_PA_HIT, 1, hit);
	if (hit)
		return;
	put64(k, pa);
	if (ref == 1)
		*itlb = pa >> RZ3_PAGE;
	else
		p->dtlb[(va >> RZ3_PAGE) % RZ3_DTLB] = pa >> RZ3_PAGE;
}

/* As the known writer has it, which the known reader does not understand. */
static void pack_bt(struct rz3_pack *k, const uint8_t *rec)
{
	unsigned cpu = (unsigned)rec[1] << 2 | rec[2] >> 6;
	uint64_t pc = base_be64(rec + 8), npc = base_be64(rec + 16);
	uint32_t instr = base_be32(rec + 4);
	bool taken = rec[2] & 0x20, hit = taken;
	struct rz3_cpu *p = rz3_cpu_of(&k->s, cpu);
	if (!p || (!p->rfs_pcs && !rz3_rfs_pcs_make(&k->s, p)))
		return;
	rstzip3_pack_put(k, RZ3_RFS_CPU, 10, cpu);
	uint64_t *known = &p->rfs_pcs[p->rfs_npc % RZ3_RFS_PCS];
	rstzip3_pack_put(k, RZ3_RFS_PC_HIT, 1, *known == pc);
	if (*known != pc)
		put64(k, (*known = pc) >> 2);
	struct rz3_insn *i = rz3_lookup(p, pc);
	rstzip3_pack_put(k, RZ3_RFS_INSTR_HIT, 1, i && i->instr == instr);
	if (!i || i->instr != instr) {
		rstzip3_pack_put(k, RZ3_INSTR, 32, instr);
		i = rz3_fill(&k->s, p, i, pc, instr, true);
		if (!i)
			return;
	}
	if (i->kind & RZ3_K_COND) {
		hit = rz3_branch_taken(p, pc) == taken;
		rz3_branch_was(p, pc, taken);
	} else if (i->kind & RZ3_K_NEVER) {
		hit = !taken;
	}
	rstzip3_pack_put(k, RZ3_RFS_TAKEN_HIT, 1, hit);
	uint64_t guess = taken ? i->target : pc + 8;
	rstzip3_pack_put(k, RZ3_CTI_HIT, 1, guess == npc);
	if (guess != npc)
		put64(k, npc);
	p->rfs_npc = npc;
	p->pc = p->rfs_pcs[npc % RZ3_RFS_PCS];
}

/* ---- a section ---- */

static inline void put_type(struct rz3_pack *k, uint8_t type)
{
	if (__builtin_expect(k->s.phase != 0, 0)) {
		bool hit = type == k->s.phase;
		rstzip3_pack_put(k, RZ3_RFS_TYPE_HIT, 1, hit);
		if (hit) {
			rz3_rfs_hit(&k->s);
			return;
		}
		rstzip3_pack_put(k, RZ3_TYPE, 8, type);
		k->s.phase = 0;
		return;
	}
	unsigned key = type == CAIRN_RST_INSTR      ? RZ3_KEY_INSTR
	               : type == CAIRN_RST_REGVAL   ? RZ3_KEY_REGVAL
	               : type == CAIRN_RST_PAVADIFF ? RZ3_KEY_PAVADIFF
	                                            : RZ3_KEY_OTHER;
	rstzip3_pack_put(k, RZ3_KEY, 2, key);
	if (key == RZ3_KEY_OTHER)
		rstzip3_pack_put(k, RZ3_TYPE, 8, type);
}

static __attribute__((noinline)) void pack_other(struct rz3_pack *k, const uint8_t *rec)
{
	switch (rec[0]) {
	case CAIRN_RST_MEMVAL:
		pack_memval(k, rec);
		break;
	case CAIRN_RST_TRAP:
		pack_trap(k, rec);
		break;
	case CAIRN_RST_TLB:
		pack_tlb(k, rec);
		break;
	case CAIRN_RST_PREG:
		pack_preg(k, rec);
		break;
	case CAIRN_RST_DMA:
		rstzip3_pack_put(k, RZ3_DMA_WRITE, 1, rec[1]);
		rstzip3_pack_put(k, RZ3_DMA_SIZE, 32, base_be32(rec + 4));
		put64(k, base_be64(rec + 8));
		break;
	case CAIRN_RST_RFS_CW:
		rz3_rfs_bare(&k->s, CAIRN_RST_RFS_CW);
		pack_cw(k, rec);
		break;
	case CAIRN_RST_RFS_BT:
		rz3_rfs_bare(&k->s, CAIRN_RST_RFS_BT);
		pack_bt(k, rec);
		break;
	default:
		for (unsigned i = 0; i < 3; i++)
			put64(k, base_be64(rec + 8 * i));
		if (rec[0] == CAIRN_RST_RFS_SECTION_HEADER)
			rz3_rfs_section(&k->s, rec);
		break;
	}
}

/* Which INSTR each PAVADIFF may use: the next one, if it is of the same CPU, and only
 * the last PAVADIFF before it. Found from the end. */
static void rstzip3_pack_look_ahead(struct rz3_pack *k, size_t n)
{
	uint32_t instr = 0; /* the next one; 0: none, or taken */
	unsigned cpu = 0;
	for (size_t i = n; i-- > 0;) {
		const uint8_t *rec = k->records + i * CAIRN_RST_SIZE;
		if (rec[0] == CAIRN_RST_INSTR) {
			instr = (uint32_t)i;
			cpu = rst_instr_cpu(rec, true);
		} else if (rec[0] == CAIRN_RST_RFS_CW) {
			instr = 0;
		} else if (rec[0] == CAIRN_RST_PAVADIFF) {
			bool same = ((rec[1] & 127u) | (unsigned)rec[2] >> 5 << 7) == cpu;
			k->ahead[i] = same ? instr : 0;
			instr = same ? 0 : instr;
		}
	}
}

static int write_section(struct rz3_pack *k, size_t n, struct base_buf *out)
{
	size_t size = RZ3_SECTION_HEADER;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		size += (size_t)rz3_array_bytes(k->out[a].count, rz3_widths[a]);
	int rc = base_buf_reserve(out, size);
	if (rc < 0)
		return rc;
	uint8_t *p = out->data + out->len;
	memset(p, 0, RZ3_SECTION_HEADER);
	memcpy(p, RZ3_SECTION_MAGIC, sizeof RZ3_SECTION_MAGIC);
	rz3_put32(p + 16, (uint32_t)n);
	rz3_put64(p + 24, size);
	for (unsigned a = 0; a < RZ3_ARRAYS; a++)
		rz3_put32(p + 32 + 4 * a, k->out[a].count);
	p += RZ3_SECTION_HEADER;
	for (unsigned a = 0; a < RZ3_ARRAYS; a++) {
		struct bits *b = &k->out[a];
		for (size_t i = 0; i < b->n; i++, p += 8)
			rz3_put64(p, b->words[i]);
		if (b->fill) {
			rz3_put64(p, b->acc);
			p += 8;
		}
		b->n = b->fill = b->count = 0;
		b->acc = 0;
	}
	out->len += size;
	return 0;
}

int rz3_pack_section(struct rz3_pack *k, const uint8_t *records, size_t n, struct base_buf *out)
{
	k->records = records;
	rstzip3_pack_look_ahead(k, n);
	for (size_t i = 0; i < n && !k->s.failed; i++) {
		const uint8_t *rec = records + i * CAIRN_RST_SIZE;
		put_type(k, rec[0]);
		if (rec[0] == CAIRN_RST_INSTR)
			pack_instr(k, rec);
		else if (rec[0] == CAIRN_RST_REGVAL)
			pack_regval(k, rec);
		else if (rec[0] == CAIRN_RST_PAVADIFF)
			pack_pavadiff(k, rec);
		else
			pack_other(k, rec);
		k->s.type = rec[0];
	}
	return k->s.failed ? k->s.failed : write_section(k, n, out);
}
