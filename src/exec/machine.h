/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_MACHINE_H
#define EXEC_MACHINE_H
/*
 * Inside view of a machine.
 *
 * Registers are words of 64 bits with a mask of what is known, in one array, `word`; each set
 * (riscv.c …) says which registers it has and where they lie. A word above the last one, EXEC_ZERO,
 * is always 0, and writes to EXEC_NOWHERE go nowhere: so x0, xzr and %g0 need no questions.
 *
 * An encoding is translated once into a handler with its operands resolved (struct exec_op).
 * A handler reads words, writes them through exec_put, and makes accesses through exec_load and
 * exec_store, which log what they did in the step.
 */
#include <string.h>

#include "base/base.h"
#include "cairn/exec.h"
#include "exec/memory.h"
#include "isa/written.h"

enum {
	EXEC_WORDS = 1280,
	EXEC_ZERO = EXEC_WORDS,
	EXEC_NOWHERE,
	EXEC_ALL_WORDS,
	EXEC_MOST_REGS = 80,
	EXEC_MOST_ACCESSES = 1024, /* one of each byte of 8 vectors of 1024 bits */
	EXEC_MOST_VALUES = 1280,   /* words of the values of one step */
	EXEC_OP_BITS = 13,         /* translated encodings that are kept */
	EXEC_CLASSES = CAIRN_REG_FLAGS + 1,
	EXEC_PLAIN = 64 /* registers of a class, see `places` */
};

struct cairn_machine;
struct exec_op;
typedef void exec_handler(struct cairn_machine *machine, const struct exec_op *op);

/* A translated encoding. `rd`, `rs1` … are words. */
struct exec_op {
	exec_handler *run;
	uint64_t key; /* see exec_op_key; 0: an empty place */
	uint16_t rd, rs1, rs2, rs3;
	uint32_t enc;
	uint8_t size;         /* bytes of the encoding */
	uint8_t width, extra; /* what the handler wants */
	uint8_t cls;          /* enum cairn_class */
	int64_t imm;
	const void *row; /* of the set's tables, where a handler wants more of it */
};

/* Where a register lies: words from `word` on; 0 words: there is none. */
struct exec_place {
	uint16_t word;
	uint8_t words;
	uint16_t size; /* bytes that it has */
	/* Of one word: the register holds it this many bits higher, above zeros. */
	uint8_t shift;
	bool extends; /* the word holds it sign-extended */
	/* It is a part of one word, from this byte on; the others are another register's. */
	bool is_part;
	uint8_t byte;
};

/* A register that is one word, and nothing but it. */
struct exec_plain {
	uint16_t word; /* EXEC_NOWHERE: another kind of place, which asks for more questions */
	uint16_t bits;
};

/* Words that may hold something: those below `first`, and `each` of `n` registers that begin there,
 * `stride` words apart. */
struct exec_live {
	uint16_t first, n, stride, each;
};

/* What an instruction set brings. */
struct exec_set {
	/* Give `op`, whose enc, size and cls are set, its handler and operands. False: not modelled. */
	bool (*translate)(const struct cairn_machine *machine, const struct cairn_op *decoded,
	                  struct exec_op *op);
	struct exec_place (*place)(const struct cairn_machine *machine, enum cairn_reg_class cls,
	                           unsigned num);
	/* A register was set or forgotten from outside; may be NULL. */
	void (*changed)(struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num);
	/* Run `op`, if more than its handler has to be done; may be NULL. */
	void (*run)(struct cairn_machine *machine, const struct exec_op *op);
	/* NULL: all words may. */
	struct exec_live (*live)(const struct cairn_machine *machine);
	/* The length of vectors that is modelled for one that is told; 0: none. NULL: none are. */
	unsigned (*vector_bits)(unsigned told);
	/* It has changed: forget what depends on it; may be NULL. */
	void (*vector_bits_changed)(struct cairn_machine *machine);
	bool big_endian;
};
extern const struct exec_set exec_riscv, exec_arm64, exec_sparc;

/* A64: a copy or a set of memory by three instructions, of which one has been executed, or two. What
 * the others find and do follows from it: arm64_mops.c. */
struct exec_sequence {
	bool active;
	bool contradicted; /* what was told of a register cannot be, beside what is known of others */
	bool has_image;    /* the first `size` of `bytes`, as far as `known`, will be in memory */
	uint8_t ways;      /* that it may be taking */
	uint8_t stage;     /* of the instruction executed last */
	uint8_t unit;      /* bytes that are moved together */
	uint16_t words[4];
	uint32_t enc; /* of the first one, at `pc` */
	uint64_t pc, to, from, size;
	uint64_t least, most;         /* bytes that may remain */
	uint64_t step, changes;       /* when its last instruction had been executed */
	struct exec_bits known_of[4]; /* `words` as they were then, and what has been told since */
	uint8_t *bytes, *known;
};

struct cairn_machine {
	struct cairn *cairn;
	enum cairn_isa isa; /* with variants */
	const struct exec_set *set;
	unsigned vector_bits, block_bytes;
	struct cairn_machine_memory outside; /* where `memory` is NULL */
	uint64_t outside_changes;            /* as exec_memory_changes */
	struct exec_memory *memory;
	bool shares; /* `memory` belongs to whoever made the machine */
	/* Where registers are, by class and number; and those of CAIRN_REG_INT, CAIRN_REG_FP and
	 * CAIRN_REG_FLAGS that are plain. */
	struct exec_place places[EXEC_CLASSES][EXEC_PLAIN];
	struct exec_plain plain[EXEC_CLASSES][EXEC_PLAIN];
	/* translated encodings, by hash */
	struct exec_op *ops;
	/* the step being made */
	uint64_t pc;
	const struct cairn_step_told *told;
	unsigned n_told;
	unsigned told_from; /* those of `told` before it are used */
	uint8_t
		used[EXEC_MOST_ACCESSES]; /* of `told` from there on: this access is one of the step's */
	uint16_t told_of[EXEC_MOST_ACCESSES]; /* of the step's accesses: the one told, + 1; 0: none */
	struct cairn_step step;
	unsigned n_values;
	uint64_t steps;
	struct exec_sequence sequence;
	uint64_t now; /* what `writer` gets: the number of the instruction, where a caller sets it */
	struct cairn_step_reg regs[EXEC_MOST_REGS];
	struct cairn_step_access accesses[EXEC_MOST_ACCESSES];
	uint64_t value[EXEC_MOST_VALUES], known[EXEC_MOST_VALUES];
	struct exec_bits
		before[EXEC_MOST_VALUES]; /* what the step's registers held, and who wrote it */
	uint64_t before_writer[EXEC_MOST_REGS];
	/* the registers, and who wrote each last */
	struct exec_bits word[EXEC_ALL_WORDS];
	uint64_t writer[EXEC_WORDS];
};

/* ---- machine.c ---- */

/* As cairn_machine_new. `memory`, unless it is NULL, belongs to the caller and lives longer than the
 * machine. */
int exec_machine_new(struct cairn *cairn, enum cairn_isa isa,
                     const struct cairn_machine_opts *given, struct exec_memory *memory,
                     struct cairn_machine **out);

/* Vectors have this length from now on; 0: it is not known. */
void exec_set_vector_bits(struct cairn_machine *machine, unsigned bits);

/* Where a register is: what the set's `place` says. */
static inline struct exec_place exec_place_of(const struct cairn_machine *machine, unsigned cls,
                                              unsigned num)
{
	if (cls < EXEC_CLASSES && num < EXEC_PLAIN)
		return machine->places[cls][num];
	return machine->set->place(machine, (enum cairn_reg_class)cls, num);
}

/* Registers as they were, and who wrote each last. */
struct exec_saved {
	struct exec_bits word[EXEC_ALL_WORDS];
	uint64_t writer[EXEC_WORDS];
};
void exec_save(const struct cairn_machine *machine, struct exec_saved *saved);
void exec_restore(struct cairn_machine *machine, const struct exec_saved *saved);

/* ---- machine.c, for handlers ---- */

/* Log what a register (all of `word`, or a part) held before the step and after it. */
static inline void exec_log(struct cairn_machine *machine, unsigned word, enum cairn_reg_class cls,
                            unsigned num, struct exec_bits before, struct exec_bits bits)
{
	struct cairn_step *step = &machine->step;
	unsigned at = machine->n_values++;
	machine->before[at] = before;
	machine->before_writer[step->n_regs] = machine->writer[word];
	machine->writer[word] = machine->now;
	machine->regs[step->n_regs++] =
		(struct cairn_step_reg){.num = (uint16_t)num, .cls = (uint8_t)cls, .words = 1, .word = at};
	machine->value[at] = bits.value;
	machine->known[at] = bits.known;
}

/* Give a register a value. It is logged as `cls` and `num`. */
static inline void exec_put(struct cairn_machine *machine, unsigned word, enum cairn_reg_class cls,
                            unsigned num, struct exec_bits bits)
{
	if (word >= EXEC_WORDS)
		return;
	exec_log(machine, word, cls, num, machine->word[word], bits);
	machine->word[word] = bits;
}

/* The same for a register of several words, one behind the other from `word` on. */
static inline void exec_put_words(struct cairn_machine *machine, unsigned word,
                                  enum cairn_reg_class cls, unsigned num,
                                  const struct exec_bits *bits, unsigned n)
{
	struct cairn_step *step = &machine->step;
	unsigned at = machine->n_values;
	machine->n_values += n;
	machine->before_writer[step->n_regs] = machine->writer[word];
	machine->regs[step->n_regs++] = (struct cairn_step_reg){.num = (uint16_t)num,
	                                                        .cls = (uint8_t)cls,
	                                                        .words = (uint8_t)n,
	                                                        .word = at};
	for (unsigned i = 0; i < n; i++) {
		machine->value[at + i] = bits[i].value;
		machine->known[at + i] = bits[i].known;
		machine->before[at + i] = machine->word[word + i];
		machine->word[word + i] = bits[i];
		machine->writer[word + i] = machine->now;
	}
}

/* Up to 8 bytes of memory in the set's order of bytes, without an access of the step. */
struct exec_bits exec_peek(struct cairn_machine *machine, uint64_t address, unsigned size);
void exec_poke(struct cairn_machine *machine, uint64_t address, unsigned size,
               struct exec_bits bits);
/* Read or write up to 8 bytes, `size` of them, in the set's order of bytes. What the trace tells of
 * the access is believed. */
struct exec_bits exec_load(struct cairn_machine *machine, struct exec_bits address, unsigned size);
void exec_store(struct cairn_machine *machine, struct exec_bits address, unsigned size,
                struct exec_bits bits, bool maybe);
/* The same for 16 bytes, as words, the first in memory first. If the trace has two accesses of 8
 * bytes, these are made. */
void exec_load_16(struct cairn_machine *machine, struct exec_bits address, struct exec_bits *bits);
void exec_store_16(struct cairn_machine *machine, struct exec_bits address,
                   const struct exec_bits *bits);
/* Is the next instruction to be one of a sequence that has begun? */
static inline bool exec_in_sequence(const struct cairn_machine *machine)
{
	return machine->sequence.active && machine->sequence.step == machine->steps;
}
/* Log an access that a handler makes itself; `bits` NULL: zeros; `told`: what the trace says of it, or
 * NULL. */
void exec_log_access(struct cairn_machine *machine, uint8_t kind, struct exec_bits address,
                     unsigned size, const struct exec_bits *bits, bool maybe,
                     const struct cairn_step_told *told);
/* Bytes from `from` up to `end` are zeroed, or are not: each is known only if it was 0. */
void exec_zero_perhaps(struct cairn_machine *machine, uint64_t from, uint64_t end);
/* Make the writes that the trace tells, of zeros where it does not tell what was written. False: it tells none. */
bool exec_zero_told(struct cairn_machine *machine);
/* Continue at `next`; `taken` as far as it is known. */
void exec_branch(struct cairn_machine *machine, struct exec_bits taken, struct exec_bits target);
/* The step ends otherwise than done. */
void exec_stop(struct cairn_machine *machine, enum cairn_step_status status, const char *reason);
/* Forget what an instruction may have changed, by its encoding. */
void exec_forget_written(struct cairn_machine *machine, const struct isa_written *written);
/* The first access of this kind and size (0: any) in the trace that the step has not made yet;
 * NULL: there is none. */
const struct cairn_step_told *exec_told(const struct cairn_machine *machine,
                                        enum cairn_mem_kind kind, unsigned size);
/* Accesses that the trace tells and none of the step's is: what is known of memory follows. */
void exec_take_told(struct cairn_machine *machine);
/* A result that the specification leaves open, or that depends on what no trace tells. */
void exec_undetermined(struct cairn_machine *machine, const char *reason);

/* ---- steps ---- */

/* A translated encoding that is not where it is looked for first: `first`. */
const struct exec_op *exec_op_of_four(struct cairn_machine *machine, struct exec_op *first,
                                      uint32_t enc, unsigned size);

static inline uint64_t exec_op_key(uint32_t enc, unsigned size)
{
	return enc | (uint64_t)(size + 1) << 32;
}

static inline const struct exec_op *exec_op_of(struct cairn_machine *machine, uint32_t enc,
                                               unsigned size)
{
	uint64_t key = exec_op_key(enc, size);
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - EXEC_OP_BITS);
	struct exec_op *op = &machine->ops[hash];
	return op->key == key ? op : exec_op_of_four(machine, op, enc, size);
}

/* All of a step but where its rows are, which stays the same. */
static inline void exec_step_begin(struct cairn_step *step, uint64_t next)
{
	step->status = CAIRN_STEP_DONE;
	step->taken = 0;
	step->taken_known = 1;
	step->n_regs = 0;
	step->annuls = step->annuls_known = 0;
	step->n_accesses = 0;
	step->reason = NULL;
	step->next = next;
	step->next_known = UINT64_MAX;
	/* `after` is SPARC's, which sets it at each step; of the others it stays 0. */
}

/* cairn_machine_step, with at most EXEC_MOST_ACCESSES accesses. */
static inline const struct cairn_step *exec_step(struct cairn_machine *machine, uint64_t pc,
                                                 uint32_t enc, unsigned size,
                                                 const struct cairn_step_told *told,
                                                 unsigned n_told)
{
	const struct exec_op *op = exec_op_of(machine, enc, size);
	machine->pc = pc;
	machine->steps++;
	machine->told_from = 0;
	machine->n_told = n_told;
	if (n_told) {
		machine->told = told;
		machine->used[0] = 0;
	}
	if (n_told > 1)
		memset(machine->used, 0, n_told);
	machine->n_values = 0;
	exec_step_begin(&machine->step, pc + size);
	if (machine->set->run)
		machine->set->run(machine, op);
	else
		op->run(machine, op);
	if (machine->told_from < machine->n_told)
		exec_take_told(machine);
	return &machine->step;
}

#endif
