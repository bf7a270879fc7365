/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up, the most of it: runs of instructions of one CPU at one privilege that were neither
 * annulled nor trapped, with nothing between them but PAVADIFFs of the same context.
 *
 * What comes out is what instruction() and other() in decoder.c would make of the same records;
 * the tests compare them. Here all state of the loop lies in registers: the rows that are
 * written might be anything to the compiler, so what is read through a pointer would be
 * read again for each. What an encoding means comes from 8 bytes by its key; rare
 * encodings, and what those do not say, are left to functions that are not inlined.
 */
#include "formats/rst/rst.h"

enum { SIZE = CAIRN_RST_SIZE, AHEAD = 1024 };

/* Bits of an INSTR's first word that may change within a run: the CPU, privilege, an and
 * tr may not. */
#define HEAD_FLAG(field) (1u << (31 - RST_AT_INSTR_##field))
#define EA_VALID HEAD_FLAG(ea_valid)
#define BT HEAD_FLAG(bt)
#define RUN_MASK (~(EA_VALID | BT))
enum { RUN_ODD = RST_C_XRET | RST_C_FETCHED | RST_C_PC_PA | RST_C_EA_PA };

void rst_fast_op(const struct cairn_op *op, struct rst_fast *fast)
{
	const uint32_t access = CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_PREFETCH;
	uint32_t kind = op->traits & access;
	*fast = (struct rst_fast){.traits = op->traits, .size = op->mem_size, .cls = op->cls};
	if (kind == CAIRN_TRAIT_LOAD)
		fast->what = CAIRN_MEM_READ;
	else if (kind == CAIRN_TRAIT_STORE)
		fast->what = CAIRN_MEM_WRITE;
	else if (kind)
		fast->what = RST_FAST_SEVERAL;
	else if (op->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET))
		fast->what = RST_FAST_BRANCH;
}

/* One whose key does not decide. */
static __attribute__((noinline)) struct rst_fast run_ask(struct rst_worker *worker, uint32_t enc)
{
	struct rst_fast fast;
	rst_fast_op(isa_memo_get(worker->memo, CAIRN_ISA_SPARC, enc, 4), &fast);
	return fast;
}

/* Accesses of an atomic, a prefetch: m[0] has what they share. */
static __attribute__((noinline)) unsigned several(struct cairn_mem *mem, uint32_t traits)
{
	static const struct {
		uint32_t trait;
		uint8_t kind;
	} kinds[] = {{CAIRN_TRAIT_LOAD, CAIRN_MEM_READ},
	             {CAIRN_TRAIT_STORE, CAIRN_MEM_WRITE},
	             {CAIRN_TRAIT_PREFETCH, CAIRN_MEM_PREFETCH}};
	const struct cairn_mem row = *mem;
	unsigned n = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (!(traits & kinds[i].trait))
			continue;
		mem[n] = row;
		mem[n].kind = kinds[i].kind;
		mem[n].size = i < 2 ? row.size : 0;
		mem[n].seq = (uint16_t)(row.seq + n);
		n++;
	}
	return n;
}

/* The differences of addresses in force. */
struct differences {
	uint64_t pc, ea;
	uint8_t ea_flags; /* CAIRN_VALUE_PA when ea is known */
};

/* Nothing but what a run takes may be on its way. */
static bool rst_run_may_run(const struct rst_decoder *decoder, const struct rst_cpu *cpu,
                            uint32_t key)
{
	const struct cairn_batch *batch = decoder->rows.batch;
	return !(cpu->flags & RUN_ODD) && cpu->flags & RST_C_NPC && cpu->first == RST_NONE &&
	       !decoder->at->ids.told && !decoder->in_string && !decoder->rows.dropped &&
	       !(key & (HEAD_FLAG(an) | HEAD_FLAG(tr))) && batch->n_regs <= CAIRN_CAP_REGS / 2 &&
	       batch->n_events <= CAIRN_CAP_EVENTS / 2 && batch->n_ctxs <= CAIRN_CAP_CTXS / 2 &&
	       batch->n_bytes <= CAIRN_CAP_BYTES / 2;
}

/* A PAVADIFF of the CPU that leaves the context as it is. */
static inline bool is_difference(const struct rst_decoder *decoder, const struct rst_cpu *cpu,
                                 const uint8_t *p)
{
	return p[0] == CAIRN_RST_PAVADIFF && cpu->flags & RST_C_ASID &&
	       rst_PAVADIFF_icontext(p) == cpu->asid &&
	       rst_pavadiff_cpu(p, decoder->im->wide) == (unsigned)decoder->last;
}

/* Where a branch goes, and whether it did; false: that is for decoder.c to say. */
static inline bool run_branch(const uint8_t *p, uint32_t traits, uint64_t *to, uint32_t *flags)
{
	if (rst_INSTR_bt(p)) {
		*to = rst_INSTR_ea_va(p);
		*flags |= CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
		return rst_INSTR_ea_valid(p) && !rst_bad_address(*to) && !(traits & CAIRN_TRAIT_XRET);
	}
	if ((traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_INDIRECT)) == CAIRN_TRAIT_BRANCH) {
		*to = rst_INSTR_pc_va(p) + (uint64_t)isa_sparc_offset(rst_INSTR_instr(p));
		*flags |= CAIRN_INSN_TARGET;
	}
	*flags |= traits & CAIRN_TRAIT_CONDITIONAL ? CAIRN_INSN_NOT_TAKEN : 0u;
	return true;
}

/* Rows of accesses at m, in order from `seq`: how many. */
static inline unsigned run_access_rows(struct cairn_mem *mem, const uint8_t *p,
                                       struct rst_fast fast, const struct differences *differences,
                                       uint16_t seq)
{
	const uint64_t ea = rst_INSTR_ea_va(p);
	if (rst_bad_address(ea))
		return 0;
	*mem = (struct cairn_mem){.addr = ea,
	                          .pa = differences->ea_flags ? ea + differences->ea : 0,
	                          .size = fast.size,
	                          .kind = fast.what,
	                          .flags = differences->ea_flags,
	                          .seq = seq};
	return __builtin_expect(fast.what == RST_FAST_SEVERAL, 0) ? several(mem, fast.traits) : 1;
}

static inline void run_fetch_row(struct cairn_mem *mem, uint64_t pc, uint64_t diff)
{
	*mem = (struct cairn_mem){.addr = pc,
	                          .pa = pc + diff,
	                          .size = 4,
	                          .kind = CAIRN_MEM_FETCH,
	                          .flags = CAIRN_VALUE_PA};
}

static inline void take_difference(struct differences *differences, const uint8_t *p)
{
	differences->pc = rst_PAVADIFF_pc_pa_va(p);
	if (rst_PAVADIFF_ea_valid(p)) {
		differences->ea = rst_PAVADIFF_ea_pa_va(p);
		differences->ea_flags = CAIRN_VALUE_PA;
	}
}

/* Behind a run: what its last instruction left. */
struct ran {
	struct differences differences;
	uint64_t pc, npc, target;
	uint32_t n, n_mems, first_mem;
	bool taken, told; /* told: a PAVADIFF came */
};

static void run_leave(struct rst_decoder *decoder, struct rst_cpu *cpu, const struct ran *ran,
                      size_t records)
{
	struct cairn_batch *batch = decoder->rows.batch;
	batch->n_insns += ran->n;
	batch->n_mems = ran->n_mems;
	decoder->at->n += ran->n;
	decoder->at->rec += records;
	cpu->pc = ran->pc;
	cpu->npc = ran->npc;
	cpu->flags = (uint16_t)((cpu->flags & ~RST_C_TARGET) | (ran->taken ? RST_C_TARGET : 0));
	cpu->target = ran->taken ? ran->target : cpu->target;
	if (ran->told) {
		cpu->pc_diff = ran->differences.pc;
		cpu->ea_diff = ran->differences.ea;
		cpu->flags |= RST_C_PC_DIFF | (ran->differences.ea_flags ? RST_C_EA_DIFF : 0);
	}
	kit_rows_next(&decoder->rows, false);
	kit_rows_room(&decoder->rows, batch->n_regs, ran->first_mem, batch->n_events, batch->n_bytes);
	decoder->rows.mem0 = ran->first_mem;
	decoder->rows.seq = (uint16_t)(ran->n_mems - ran->first_mem);
}

const uint8_t *rst_run(struct rst_decoder *decoder, const uint8_t *p, const uint8_t *end)
{
	struct rst_state *const at = decoder->at;
	struct cairn_batch *const batch = decoder->rows.batch;
	struct rst_cpu *const cpu = &at->cpus[decoder->last];
	struct rst_worker *const worker = decoder->worker;
	const uint32_t key = base_be32(p - SIZE) & RUN_MASK;
	if (!rst_run_may_run(decoder, cpu, key))
		return p;
	const bool mems = decoder->rows.want & CAIRN_MEMS;
	const struct cairn_insn same = {.ctx = decoder->ctx,
	                                .reg0 = (uint16_t)batch->n_regs,
	                                .ev0 = (uint16_t)batch->n_events,
	                                .size = 4,
	                                .isa = CAIRN_ISA_SPARC};
	struct cairn_insn *row = batch->insns + batch->n_insns, *const full =
																batch->insns + CAIRN_CAP_INSNS;
	struct cairn_mem *const base = batch->mems;
	const uint8_t *const first = p;
	uint32_t n_mems = batch->n_mems, rec = (uint32_t)(at->rec + 1 - batch->rec0), at_mem = n_mems;
	uint64_t npc = cpu->npc, last = cpu->pc, target = cpu->target;
	bool taken = cpu->flags & RST_C_TARGET, told = false;
	struct differences differences = {cpu->pc_diff, cpu->ea_diff,
	                                  cpu->flags & RST_C_EA_DIFF ? CAIRN_VALUE_PA : 0};
	struct differences before = differences;
	unsigned skipped = 0; /* SIZE: a PAVADIFF, whose INSTR is next */

	for (; end - p >= SIZE && row != full && n_mems <= CAIRN_CAP_MEMS / 2; p += SIZE, rec++) {
		__builtin_prefetch((const void *)((uintptr_t)p + AHEAD));
		uint32_t head = base_be32(p), flags, n = n_mems;
		if (__builtin_expect((head & RUN_MASK) != key, 0)) {
			if (end - p < 2 * SIZE || (base_be32(p + SIZE) & RUN_MASK) != key ||
			    !is_difference(decoder, cpu, p))
				break;
			before = differences;
			take_difference(&differences, p);
			skipped = SIZE;
			p += SIZE;
			head = base_be32(p);
		}
		const uint32_t enc = rst_INSTR_instr(p);
		const uint64_t pc = rst_INSTR_pc_va(p);
		struct rst_fast fast = worker->fast[isa_sparc_key(enc)];
		uint64_t to = 0;
		flags = npc == pc ? 0 : CAIRN_INSN_DISCONTINUITY;
		if (__builtin_expect(fast.what == RST_FAST_ASK, 0))
			fast = run_ask(worker, enc);
		if (__builtin_expect(pc & 1, 0) || (head & BT && fast.what != RST_FAST_BRANCH) ||
		    (fast.what == RST_FAST_BRANCH && !run_branch(p, fast.traits, &to, &flags)))
			break;
		if (__builtin_expect(skipped != 0, 0)) {
			if (mems)
				run_fetch_row(base + n++, pc, differences.pc);
			rec++;
			told = true;
			skipped = 0;
		}
		if (fast.what < RST_FAST_BRANCH && fast.what != RST_FAST_PLAIN && mems && head & EA_VALID)
			n += run_access_rows(base + n, p, fast, &differences, (uint16_t)(n - n_mems));
		*row = same;
		row->pc = pc;
		row->target = to;
		row->enc = enc;
		row->traits = fast.traits;
		row->flags = flags;
		row->rec = rec;
		row->off = rec * SIZE;
		row->mem0 = (uint16_t)n_mems;
		row->cls = fast.cls;
		row++;
		npc = taken && pc == last + 4 ? target : pc + 4;
		taken = head & BT;
		target = to;
		last = pc;
		at_mem = n_mems;
		n_mems = n;
	}
	p -= skipped; /* its INSTR is not one of the run */
	const struct ran ran = {.differences = skipped ? before : differences,
	                        .pc = last,
	                        .npc = npc,
	                        .target = target,
	                        .taken = taken,
	                        .told = told,
	                        .n = (uint32_t)(row - (batch->insns + batch->n_insns)),
	                        .n_mems = n_mems,
	                        .first_mem = at_mem};
	if (ran.n)
		run_leave(decoder, cpu, &ran, (size_t)(p - first) / SIZE);
	return p;
}
