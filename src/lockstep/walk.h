/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOCKSTEP_WALK_H
#define LOCKSTEP_WALK_H
/* Inside view of lockstep: walk.c executes and compares, sentence.c says what differs. */
#include "exec/machine.h"
#include "lockstep/lockstep.h"

enum {
	MOST_HARTS = 16, /* machines at a time; the one not used for longest makes room */
	MOST_MEMORY = 64 << 20,
	MOST_TEXT = 512
};

/* Kinds of values that are believed or not: contents of memory; registers before and behind
 * instructions, by class. */
enum { KIND_CONTENTS = 1, KIND_SOURCE = 1 << 8, KIND_RESULT = 1 << 16 };

/* One hart: what is known of it, and where it goes next. */
struct hart {
	uint32_t key; /* hart and hardware thread */
	bool used;
	uint64_t turn;                 /* when it ran last */
	struct cairn_machine *machine; /* NULL: its instruction set is not modelled */
	enum cairn_isa isa;
	struct cairn_ctx ctx; /* as of its last instruction */
	bool follows;         /* `next` is where its next instruction must be, as far as known */
	uint64_t next, next_known;
	uint64_t from;       /* the instruction that goes there */
	bool trapped;        /* control has gone to the system behind the last instruction … */
	uint64_t pc, resume; /* … which was at `pc`; the next one is at `resume` */
	bool came;           /* another hart ran before the instruction at hand */
	bool suspect;        /* the address of the instruction at hand contradicts the flow */
};

/* Registers that an instruction reads. */
struct lockstep_sources {
	unsigned n;
	const struct cairn_operand *row;
};

enum { MEMO_BITS = 9, MEMO_SOURCES = 4 };

/* What deriving needs beside. */
struct lockstep_saved {
	struct exec_saved machine; /* what it holds, while instructions are tried on it */
	/* the sources of encodings that have few, by hash; size 0: an empty place */
	struct lockstep_memo {
		uint32_t enc;
		enum cairn_isa isa;
		uint8_t size, n;
		struct cairn_operand row[MEMO_SOURCES];
	} memo[1 << MEMO_BITS];
	struct cairn_operands operands; /* of one that has more */
};

struct lockstep {
	struct cairn *cairn;
	struct lockstep_opts opts;
	struct hart harts[MOST_HARTS];
	struct hart *hart; /* the one that runs */
	uint64_t n_harts;  /* that came, or came again */
	uint64_t turns;
	struct lockstep_counts counts;
	struct exec_memory *memory; /* of all harts */
	struct lockstep_group groups[LOCKSTEP_GROUPS];
	uint64_t texts[LOCKSTEP_GROUPS]; /* of each group so far */
	uint32_t distrust, believed;     /* KIND_… */
	bool restart;                    /* a kind has just become unreliable */
	bool unusual; /* there is something to settle behind the instruction at hand */
	/* Instructions of this row of contexts and of this set just execute, unless their own rows say
	 * otherwise. UINT32_MAX: more may happen. */
	uint32_t steady;
	enum cairn_isa steady_isa;
	/* the instruction at hand */
	const struct cairn_batch *batch;
	uint32_t slot;
	uint32_t
		ctx_row; /* row of the context of the instruction before it; UINT32_MAX: in another batch */
	const struct cairn_step *step;
	bool differs; /* one difference was reported: what follows from it is not reported */
	struct cairn_step_told told[EXEC_MOST_ACCESSES];
	uint8_t told_bytes[EXEC_MOST_ACCESSES][64];
	const uint8_t *contents[EXEC_MOST_ACCESSES]; /* also where they are not believed */
	unsigned n_told;
	struct cairn_disasm *disasm; /* made for the first sentence */
	enum cairn_isa disasm_isa;
	char text[MOST_TEXT];
	struct lockstep_saved *saved; /* NULL where nothing is inferred */
	bool contents_tell;           /* contents that are not all 0 have been told */
};

/* A set without the variant by which its encodings are decoded. */
static inline enum cairn_isa lockstep_set(enum cairn_isa isa)
{
	return (enum cairn_isa)((unsigned)isa & ~(unsigned)CAIRN_ISA_VARIANTS);
}

/* ---- infer.c ---- */

/* What the instruction at hand reads, as far as its operands are known; valid until the next call. */
struct lockstep_sources lockstep_sources(struct lockstep *lockstep);
/* Learn registers as they were before the instruction at hand, which has not been executed yet. */
void lockstep_infer(struct lockstep *lockstep);
/* Is access `index` of the step surely the one that the trace tells? Traces have the accesses of an
 * instruction in other orders. */
bool lockstep_is_access(const struct lockstep *lockstep, unsigned index);
/* What the instruction at hand, which has been executed, has loaded, where its one access has no contents
 * but its result is told. The step is lost. */
bool lockstep_infer_loaded(struct lockstep *lockstep, uint64_t *value);

/* ---- vectors.c ---- */

/* May the row tell how long vectors are? RISC-V's stay as long as the first one. */
static inline bool lockstep_tells_length(const struct cairn_machine *machine,
                                         const struct cairn_reg *reg)
{
	bool is_vector = reg->cls == CAIRN_REG_VECTOR || reg->cls == CAIRN_REG_PREDICATE;
	return is_vector && (machine->set == &exec_arm64 || !machine->vector_bits);
}
/* How far the pieces go in which the instruction's rows tell a register, from its lowest bit on. */
unsigned lockstep_told_bits(const struct cairn_batch *batch, const struct cairn_insn *insn,
                            const struct cairn_reg *reg);
/* A row of a vector or a predicate tells how long vectors are, where all of it is told; a piece of one of
 * SVE's that is told under the number of its lower part gets its own. */
void lockstep_take_vector(struct lockstep *lockstep, struct cairn_reg *reg);
/* The length that the header tells; 0: none. That of A64's vectors is V's, unless it is greater: SVE's. */
unsigned lockstep_header_bits(const struct lockstep *lockstep, enum cairn_isa isa);
/* The length of SVE's vectors may have changed out of sight; `by_call`: only if a system call did it. */
void lockstep_forget_vectors(const struct lockstep *lockstep, struct hart *hart, bool by_call);

/* ---- sentence.c: lockstep->text ---- */

struct lockstep_value {
	uint64_t told, made,
		known; /* 64 bits of which `differ` differ, and of `made` which are known */
	unsigned bits;
	unsigned at; /* of an access, the byte where they begin */
};
void lockstep_say_register(struct lockstep *lockstep, enum lockstep_kind kind,
                           const struct cairn_reg *reg, const struct lockstep_value *value);
/* Of a register of which the bits agree. */
void lockstep_say_contradiction(struct lockstep *lockstep, enum lockstep_kind kind,
                                const struct cairn_reg *reg);
void lockstep_say_access(struct lockstep *lockstep, enum lockstep_kind kind, unsigned access,
                         const struct lockstep_value *value);
/* `expected`: taken or not of a branch, else an address. */
void lockstep_say_flow(struct lockstep *lockstep, enum lockstep_kind kind, uint64_t told,
                       uint64_t expected);

#endif
