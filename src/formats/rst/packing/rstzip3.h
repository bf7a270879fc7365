/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_RSTZIP3_H
#define RST_RSTZIP3_H
/*
 * What the packer and the unpacker of rstzip 3 share: the arrays of a section and the
 * predictors. Both sides keep the same predictors and feed them the same records, so
 * that one bit, "as predicted", stands for a field. Whatever is done to a predictor
 * here is therefore part of the format.
 *
 * Predictors live as long as the stream: a section cannot be read without those
 * before it. There is one set per CPU, made when the CPU first appears, all zero.
 */
#include "formats/rst/packing/rstzip.h"
#include "formats/rst/record/table.h"

#define RZ3_MAGIC "RZ3 5948486328$"
#define RZ3_SECTION_MAGIC "3ZR SHDR297302$"

enum {
	RZ3_HEADER = 24,
	RZ3_MAJOR = 3,
	RZ3_MINOR = 20, /* what is written */
	RZ3_SECTION = RST_ZIP_SECTION_RECORDS,
	RZ3_CONTEXT = 0x1fff /* as much of a context as is carried */
};

/* The header of a file, and that of a section, behind which the arrays stand. */
RST_ACCESS(RZ3_FILE, magic, TEXT, W(0, 16))
RST_ACCESS(RZ3_FILE, major, DEC, W(16, 1))
RST_ACCESS(RZ3_FILE, minor, DEC, W(17, 1))
RST_ACCESS(RZ3_SECTION, magic, TEXT, W(0, 16))
RST_ACCESS(RZ3_SECTION, records, DEC, W(16, 4))
RST_ACCESS(RZ3_SECTION, size, DEC, W(24, 8))
RST_ACCESS(RZ3_SECTION, counts, BYTES, W(32, 200)) /* of elements, 4 bytes for each array */
enum {
	RZ3_COUNTS = RST_AT_RZ3_SECTION_counts / 8,
	RZ3_SECTION_HEADER = RZ3_COUNTS + RST_SIZE_RZ3_SECTION_counts
};

/* The bit arrays of a section, in the order of the file, and the bits of an element as of 3.20. */
/* clang-format off */
#define RZ3_ARRAYS_OF(A) \
	A(KEY, 2) A(TYPE, 8) A(CPU_HIT, 1) A(CPU, 10) A(INSTR_HIT, 1) A(INSTR_HITS, 8) \
	A(INSTR, 32) A(CTI_HIT, 1) A(ZERO, 1) A(LEVEL, 3) A(VALUE, 7) A(VALUE_1, 11) \
	A(VALUE_2, 13) A(VALUE_3, 15) A(VALUE_4, 18) A(VALUE_5, 21) A(VALUE_6, 25) A(RAW64, 64) \
	A(POST, 1) A(REGTYPE_HIT, 1) A(REGTYPE, 8) A(REGID_HIT, 1) A(REGID, 8) A(MEM_FLAGS, 1) \
	A(MEM_SIZE, 3) A(MEM_HIGH, 8) A(MEM_LOW, 32) A(ICTX_HIT, 1) A(ICTX, 13) A(PCDIFF_HIT, 1) \
	A(EA_VALID, 1) A(DCTX_HIT, 1) A(DCTX, 13) A(EADIFF_HIT, 1) A(AHEAD, 1) A(TLB, 30) \
	A(TRAP, 49) A(DMA_WRITE, 1) A(DMA_SIZE, 32) A(RFS_TYPE_HIT, 1) A(RFS_PC_HIT, 1) \
	A(RFS_INSTR_HIT, 1) A(RFS_TAKEN_HIT, 1) A(RFS_REFTYPE, 3) A(RFS_CPU, 10) \
	A(RFS_DMA_SIZE, 32) A(RFS_ASI, 8) A(RFS_FCN, 5) A(RFS_VA_VALID, 1) A(RFS_PA_HIT, 1)
/* Elements that hold several fields of a record: E(layout, field, lowest bit, bits). */
#define RZ3_ELEMENT_TRAP(E) \
	E(TRAP, async, 48, 1) E(TRAP, tl, 44, 4) E(TRAP, ttype, 34, 10) E(TRAP, pstate, 18, 16) \
	E(TRAP, syscall, 2, 12)
#define RZ3_ELEMENT_TLB(E) /* behind the CPU */ \
	E(TLB, op, 19, 1) E(TLB, tlb_index, 3, 16) E(TLB, tlb, 2, 1) E(TLB, tlb_no, 0, 2)
#define RZ3_ELEMENT_PREG(E) \
	E(PREG, primD, 48, 13) E(PREG, secD, 35, 13) E(PREG, asi, 27, 8) E(PREG, traplevel, 24, 3) \
	E(PREG, traptype, 16, 8) E(PREG, pstate, 0, 16)
/* clang-format on */
enum { RZ3_PREG_CPU_HIT = 61 }; /* the bit that says that the CPU of a PREG is as predicted */

/* Types that are packed field by field, besides INSTR, REGVAL and PAVADIFF; all others are packed
 * as three words. */
#define RZ3_OTHERS(T) \
	T(MEMVAL, memval) \
	T(TRAP, trap) \
	T(TLB, tlb) \
	T(PREG, preg) \
	T(DMA, dma) \
	T(RFS_CW, cw) \
	T(RFS_BT, bt)

/* The fields of the record `rec` into an element; out of the element `v` into the record. */
#define RZ3_JOIN(layout, field, at, bits) | (uint64_t)rst_##layout##_##field(rec) << (at)
#define RZ3_SPLIT(layout, field, at, bits) \
	rst_put_##layout##_##field(rec, v >> (at)&rst_ones(bits));

#define RZ3_ARRAY(name, width) RZ3_##name,
#define RZ3_WIDTH(name, width) RZ3_WIDTH_##name = width,
enum rz3_array { RZ3_ARRAYS_OF(RZ3_ARRAY) RZ3_ARRAYS };
enum { RZ3_ARRAYS_OF(RZ3_WIDTH) };
_Static_assert(RZ3_ARRAYS == 50, "a section has 50 arrays");
extern const uint8_t rz3_widths[RZ3_ARRAYS];

enum { RZ3_KEY_INSTR, RZ3_KEY_REGVAL, RZ3_KEY_PAVADIFF, RZ3_KEY_OTHER };
enum rz3_hit { /* of RZ3_INSTR_HITS */
	           RZ3_HIT_PC = 1,
	           RZ3_HIT_INSTR = 2,
	           RZ3_HIT_BT = 4,
	           RZ3_HIT_AN = 8,
	           RZ3_HIT_TR = 16,
	           RZ3_HIT_PR = 32,
	           RZ3_HIT_EA_VALID = 64,
	           RZ3_HIT_HPRIV = 128,
	           RZ3_HIT_ALL = 255
};

/* ---- an instruction as the predictors see it ---- */

enum rz3_kind {
	RZ3_K_CTI = 1,    /* a delayed control transfer */
	RZ3_K_COND = 2,   /* a conditional branch */
	RZ3_K_UNCOND = 4, /* branch always or never */
	RZ3_K_NEVER = 8,
	RZ3_K_ANNUL = 16, /* a branch with its annul bit */
	RZ3_K_CALL = 32,
	RZ3_K_INDIRECT = 64,
	RZ3_K_RETURN = 128, /* ret, retl */
	RZ3_K_MEM = 256,
	RZ3_K_DONE = 512 /* done, retry */
};

struct rz3_insn {
	uint64_t tag;    /* pc / 4 */
	uint64_t target; /* of PC-relative control transfers */
	uint32_t instr;
	uint16_t kind; /* enum rz3_kind */
};

enum { RZ3_ICACHE_SETS = 131072, RZ3_SETS = 128, RZ3_SET_BLOCKS = RZ3_ICACHE_SETS / RZ3_SETS };
struct rz3_sets {
	struct rz3_insn way[RZ3_SETS][2];
	uint8_t lru[RZ3_SETS];
};

/* What a REGVAL after the instruction at some pc held. */
struct rz3_reg {
	uint8_t type[2], id[2];
};
enum { RZ3_REGS = 65536, RZ3_REG_BLOCK = 1024, RZ3_REG_BLOCKS = RZ3_REGS / RZ3_REG_BLOCK };

enum {
	RZ3_COUNTERS = 16384,
	RZ3_JMPLS = 2048,
	RZ3_ITLB = 512,
	RZ3_DTLB = 2048,
	RZ3_RAS = 16,
	RZ3_RFS_PCS = 65536,
	RZ3_LEVELS = 7,
	RZ3_VALUES = 7 + 31 + 61 + 127 + 509 + 2039 + 8191
};
#define RZ3_PAGE 13

struct rz3_cpu {
	uint64_t pc, npc, prev_pc; /* of the next instruction, as predicted */
	uint16_t ictx, dctx;
	bool amask, an, hpriv, pr;
	bool call_slot;                /* the next one is in the delay slot of a call */
	int32_t first_wait, last_wait; /* PAVADIFFs that wait for the next INSTR; -1 */
	unsigned ras_top, ras_n;
	uint64_t ras[RZ3_RAS];
	uint64_t rfs_npc, *rfs_pcs;
	struct rz3_sets *icache[RZ3_SET_BLOCKS];
	struct rz3_reg *regs[RZ3_REG_BLOCKS];
	uint64_t jmpl[RZ3_JMPLS], itlb[RZ3_ITLB], dtlb[RZ3_DTLB], values[RZ3_VALUES];
	uint8_t counters[RZ3_COUNTERS];
};

struct rz3_state {
	struct cairn *cairn;
	unsigned minor;    /* the packer's */
	unsigned cpu;      /* predicted for the next record; above 1023: none */
	unsigned last_cpu; /* of the last INSTR */
	uint8_t type;      /* of the record before */
	uint8_t phase;     /* CAIRN_RST_RFS_CW or _BT while in such a section, else 0 */
	uint64_t rfs_count, rfs_seen;
	size_t held; /* bytes of predictors */
	int failed;  /* a status: no memory for predictors, or too much needed */
	struct rz3_cpu *cpus[RST_MAX_CPUS];
};

void rz3_state_init(struct rz3_state *state, struct cairn *cairn, unsigned minor);
void rz3_state_free(struct rz3_state *state);
/* Slow paths of those below. NULL, with s->failed set, when there is no room. */
struct rz3_cpu *rz3_cpu_make(struct rz3_state *state, unsigned cpu);
struct rz3_sets *rz3_sets_make(struct rz3_state *state, struct rz3_cpu *cpu, uint64_t pc);
struct rz3_reg *rz3_regs_make(struct rz3_state *state, struct rz3_cpu *cpu, uint64_t pc);
uint64_t *rz3_rfs_pcs_make(struct rz3_state *state, struct rz3_cpu *cpu);

unsigned rz3_classify(uint32_t instr, unsigned minor);
uint64_t rz3_target(uint32_t instr, uint64_t pc);

static inline struct rz3_cpu *rz3_cpu_of(struct rz3_state *state, unsigned cpu)
{
	struct rz3_cpu *p = state->cpus[cpu];
	return __builtin_expect(p != NULL, 1) ? p : rz3_cpu_make(state, cpu);
}

/* CPUs are expected to take turns. */
static inline void rz3_next_cpu(struct rz3_state *state, unsigned cpu)
{
	state->cpu = cpu + 1 < RST_MAX_CPUS && state->cpus[cpu + 1] ? cpu + 1 : 0;
	state->last_cpu = cpu;
}

/* ---- instruction memory: two ways, the least recently used is replaced ---- */

static inline struct rz3_sets *rz3_sets_of(struct rz3_cpu *cpu, uint64_t pc)
{
	return cpu->icache[(pc >> 2) / RZ3_SETS % RZ3_SET_BLOCKS];
}

/* NULL: not there. */
static inline struct rz3_insn *rz3_lookup(struct rz3_cpu *cpu, uint64_t pc)
{
	struct rz3_sets *sets = rz3_sets_of(cpu, pc);
	uint64_t tag = pc >> 2;
	unsigned set = tag % RZ3_SETS;
	if (!sets)
		return NULL;
	for (unsigned way = 0; way < 2; way++)
		if (sets->way[set][way].tag == tag) {
			sets->lru[set] = !way;
			return &sets->way[set][way];
		}
	return NULL;
}

/* After a look-up, put `instr` at `pc`. NULL: no room. */
static inline struct rz3_insn *rz3_fill(struct rz3_state *state, struct rz3_cpu *cpu,
                                        struct rz3_insn *at, uint64_t pc, uint32_t instr,
                                        bool target)
{
	if (!at) {
		struct rz3_sets *sets = rz3_sets_of(cpu, pc);
		if (!sets && !(sets = rz3_sets_make(state, cpu, pc)))
			return NULL;
		unsigned set = (pc >> 2) % RZ3_SETS;
		at = &sets->way[set][sets->lru[set]];
	}
	unsigned kind = rz3_classify(instr, state->minor);
	*at = (struct rz3_insn){.tag = pc >> 2, .instr = instr, .kind = (uint16_t)kind};
	if (target)
		at->target = rz3_target(instr, pc);
	return at;
}

/* ---- branches and calls ---- */

static inline bool rz3_branch_taken(struct rz3_cpu *cpu, uint64_t pc)
{
	return cpu->counters[(pc >> 2) % RZ3_COUNTERS] > 1;
}

static inline void rz3_branch_was(struct rz3_cpu *cpu, uint64_t pc, bool taken)
{
	uint8_t *n = &cpu->counters[(pc >> 2) % RZ3_COUNTERS];
	if (taken)
		*n = (uint8_t)(*n + (*n < 3));
	else
		*n = (uint8_t)(*n - (*n > 0));
}

static inline void rz3_push(struct rz3_cpu *cpu, uint64_t pc)
{
	cpu->ras_top = (cpu->ras_top + 1) % RZ3_RAS;
	cpu->ras[cpu->ras_top] = pc;
	cpu->ras_n += cpu->ras_n < RZ3_RAS;
}

static inline uint64_t rz3_pop(struct rz3_cpu *cpu)
{
	if (cpu->ras_n == 0)
		return 0;
	uint64_t pc = cpu->ras[cpu->ras_top];
	cpu->ras_top = (cpu->ras_top + RZ3_RAS - 1) % RZ3_RAS;
	cpu->ras_n--;
	return pc;
}

/* A restore or `mov %g1, %o7` in the delay slot makes a call a tail call. */
static inline void rz3_call_slot(struct rz3_cpu *cpu, uint32_t instr)
{
	if (cpu->call_slot && ((instr & 0xc1f80000) == 0x81e80000 || instr == 0x9e100001))
		rz3_pop(cpu);
	cpu->call_slot = false;
}

static inline uint64_t rz3_masked(const struct rz3_cpu *cpu, uint64_t pc)
{
	return cpu->amask ? pc & UINT32_MAX : pc;
}

/* Predict where a control transfer goes, in p->npc. `bt` is known by now. */
static inline void rz3_predict_npc(struct rz3_cpu *cpu, const struct rz3_insn *insn, uint64_t pc,
                                   bool bt)
{
	unsigned k = insn->kind;
	if (k & RZ3_K_COND ? bt : k & RZ3_K_UNCOND ? !(k & RZ3_K_NEVER) : (k & RZ3_K_CALL) != 0)
		cpu->npc = rz3_masked(cpu, insn->target);
	if (k & RZ3_K_RETURN)
		cpu->npc = rz3_masked(cpu, rz3_pop(cpu) + 8);
	else if (k & RZ3_K_CALL || (k & RZ3_K_INDIRECT && (insn->instr >> 25 & 31) == 15)) {
		rz3_push(cpu, pc);
		cpu->call_slot = true;
		if (k & RZ3_K_INDIRECT)
			cpu->npc = rz3_masked(cpu, cpu->jmpl[(pc >> 2) % RZ3_JMPLS]);
	}
}

/* It went to `ea`. */
static inline void rz3_went(struct rz3_cpu *cpu, const struct rz3_insn *insn, uint64_t pc,
                            uint64_t ea, bool bt, bool hit)
{
	unsigned k = insn->kind;
	if (!hit && k & RZ3_K_RETURN)
		cpu->ras_n = cpu->ras_top = 0;
	else if (!hit && k & RZ3_K_INDIRECT && (insn->instr >> 25 & 31) == 15)
		cpu->jmpl[(pc >> 2) % RZ3_JMPLS] = ea;
	cpu->npc = ea;
	if (k & RZ3_K_ANNUL && (k & RZ3_K_UNCOND || (k & RZ3_K_COND && !bt)))
		cpu->an = true;
}

/* An instruction begins: predict what follows from its pc. */
static inline void rz3_step(struct rz3_cpu *cpu, uint64_t pc, bool hit)
{
	if (!hit) {
		if ((uint32_t)pc == (uint32_t)cpu->pc)
			cpu->amask = pc >> 32 == 0;
		cpu->npc = pc + 4;
	}
	cpu->pc = cpu->npc;
	cpu->npc += 4;
	cpu->prev_pc = pc;
}

/* ---- values: seven direct-mapped tables of upper bits, each larger than the last ---- */

#define RZ3_LEVELS_OF(L) \
	L(0, 0, 7, 4) \
	L(1, 7, 31, 6) \
	L(2, 38, 61, 7) L(3, 99, 127, 8) L(4, 226, 509, 9) L(5, 735, 2039, 10) L(6, 2774, 8191, 12)

/* Look `v` up, note it in the levels that did not have it. Returns the level that
 * had it, or RZ3_LEVELS, and what to store. */
static inline unsigned rz3_value(struct rz3_cpu *p, uint64_t value, uint64_t *key)
{
#define RZ3_L(level, first, size, low) \
	{ \
		uint64_t tag = value >> (low), i = tag % (size); \
		if (tag == 0 || p->values[(first) + i] == tag) { \
			*key = (tag == 0 ? (size) : i) << (low) | (value & ((1u << (low)) - 1)); \
			return level; \
		} \
		p->values[(first) + i] = tag; \
	}
	RZ3_LEVELS_OF(RZ3_L)
#undef RZ3_L
	*key = value;
	return RZ3_LEVELS;
}

/* ---- registers ---- */

static inline struct rz3_reg *rz3_reg_of(struct rz3_state *state, struct rz3_cpu *cpu)
{
	uint64_t i = (cpu->prev_pc >> 2) % RZ3_REGS;
	struct rz3_reg *reg = cpu->regs[i / RZ3_REG_BLOCK];
	if (!reg && !(reg = rz3_regs_make(state, cpu, cpu->prev_pc)))
		return NULL;
	return &reg[i % RZ3_REG_BLOCK];
}

/* ---- sections of an RFS snapshot ---- */

/* A record of a kind with a phase of its own was announced, or comes without. */
static inline void rz3_rfs_bare(struct rz3_state *state, uint8_t type)
{
	if (state->rfs_seen == 0 && state->phase != type) {
		state->phase = type;
		state->rfs_count = INT64_MAX;
		state->rfs_seen = 1;
	}
}

static inline void rz3_rfs_hit(struct rz3_state *state)
{
	if (++state->rfs_seen == state->rfs_count)
		state->phase = 0;
}

static inline void rz3_rfs_section(struct rz3_state *state, const uint8_t *rec)
{
	uint8_t type = rst_RFS_SECTION_HEADER_section_type(rec);
	if (type == CAIRN_RST_RFS_CW || type == CAIRN_RST_RFS_BT) {
		state->phase = type;
		state->rfs_count = rst_RFS_SECTION_HEADER_n_records(rec);
		state->rfs_seen = 0;
	}
}

/* ---- both sides ---- */

/* How many elements an array has, in the section's header. */
static inline uint32_t rz3_count(const uint8_t *header, unsigned array)
{
	return base_be32(header + RZ3_COUNTS + 4 * array);
}
static inline void rz3_put_count(uint8_t *header, unsigned array, uint32_t count)
{
	base_put_be32(header + RZ3_COUNTS + 4 * array, count);
}

/* Bytes of an array in the file. */
static inline uint64_t rz3_array_bytes(uint64_t count, unsigned width)
{
	return (count * width + 63) / 64 * 8;
}

/* A record as it comes back from rstzip 3: what is never carried is zero, the copies
 * are copied. All other losses the packer avoids. */
void rz3_canonical(const uint8_t *rec, unsigned minor, uint8_t *p);

/* Pack one section; the records must be canonical. Appends to `out`. */
struct rz3_pack;
int rz3_pack_open(struct cairn *cairn, struct rz3_pack **out);
void rz3_pack_close(struct rz3_pack *pack);
int rz3_pack_section(struct rz3_pack *pack, const uint8_t *records, size_t n, struct base_buf *out);

/* Unpack the next section, appended to `out`: 1, 0 at the end, or a status. *n records
 * came out in any case; *taken grows by the bytes that were used. */
struct rz3_unpack;
int rz3_unpack_open(struct cairn *cairn, struct io_source *io, unsigned minor,
                    struct rz3_unpack **out);
void rz3_unpack_close(struct rz3_unpack *unpack);
/* Go on with another source, which holds the sections that follow. */
void rz3_unpack_from(struct rz3_unpack *unpack, struct io_source *io);
int rz3_unpack_next(struct rz3_unpack *unpack, struct base_buf *out, uint64_t *n, uint64_t *taken);

#endif
