/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_EXEC_H
#define CAIRN_EXEC_H
/*
 * What an instruction does: a machine whose state is known in part, and steps that execute
 * one instruction of a trace on it.
 *
 * Every bit of every register and of memory is known or not. A step computes from known bits
 * what follows from them and nothing else: what an instruction makes of unknown bits is
 * unknown, and so is what its specification leaves open. The results do not depend on the host.
 *
 * A machine serves one hart and one thread. It runs no program by itself: whoever has a trace
 * gives it one instruction after the other, with what the trace tells of the accesses, and
 * may correct the state between two steps.
 */
#include "cairn/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_machine;

/* Memory outside of the machine, where the caller keeps it. Bytes are in the order of their
 * addresses. A bit of `known` is set where the bit of `bytes` is known; bits that are not known are
 * 0. `size` is at most 64. */
struct cairn_machine_memory {
	size_t size; /* of this struct */
	void *user;
	void (*read)(void *user, uint64_t address, unsigned size, uint8_t *bytes, uint8_t *known);
	void (*write)(void *user, uint64_t address, unsigned size, const uint8_t *bytes,
	              const uint8_t *known);
	/* A store went to an address that is not known: nothing of memory is known any more. */
	void (*forget)(void *user);
};

struct cairn_machine_opts {
	size_t size;            /* of this struct */
	const char *isa_string; /* the trace's description of RISC-V ("rv64gcv_zba"), or NULL */
	/* RISC-V: VLEN, a power of two from 64 to 1024. A64: the length of SVE's vectors, a multiple of
	 * 128 up to 2048, which does not change. 0, and any other number, means that it is not known. */
	unsigned vector_bits;
	/* NULL: the machine has memory of its own, of which nothing is known at first. Must live as
	 * long as the machine. */
	const struct cairn_machine_memory *memory;
	uint64_t max_bytes; /* of memory of its own: beyond this nothing new is kept; 0: 1 GiB */
	/* RISC-V: bytes of the blocks of cbo.zero and cbo.inval, a power of two up to 4096. 0, and any other number,
	 * means that it is not known: a block lies within a page of 4096 bytes. */
	unsigned block_bytes;
};

/* A machine of one instruction set of which nothing is known. Errors: CAIRN_E_UNSUPPORTED (no
 * model of this set), CAIRN_E_INVAL, CAIRN_E_NOMEM. */
CAIRN_API int cairn_machine_new(struct cairn *cairn, enum cairn_isa isa,
                                const struct cairn_machine_opts *opts, struct cairn_machine **out);
CAIRN_API void cairn_machine_free(struct cairn_machine *machine);

/* SPARC: how windows and delayed transfers are told.
 *
 * Integer registers 0 to 31 are those of the window in force. The machine has no registers of stated
 * windows, and no other sets of globals. `save`, `restore` and `return` turn the window: `regs` of their
 * step has the destination only, as batches do, and all of registers 8 to 31 are those of the other
 * window. What a window held comes back with it: handlers of spills and fills, which the trace of a
 * user's program does not show, are taken to bring back what they took away, until `flushw`. Where
 * CANSAVE, CANRESTORE or CLEANWIN are known and ask for a spill or a fill, the step is a trap. Setting
 * or forgetting CWP means that another window is in force.
 *
 * Registers 0 and 1 of CAIRN_REG_PC are the PC and the nPC of the next instruction: after a step
 * its `next` and `after`. At the first instruction, and where a trace goes on elsewhere than
 * the machine expected, the nPC is not known, because the instruction may stand in a delay slot.
 * Forgetting the registers forgets it, too. An annulled instruction is no step.
 *
 * The condition codes of floating point are bits of FSR only. Addresses have 64 bits where PSTATE.AM
 * is known to be 0; a PC or a told address of more than 32 bits shows that it is. Data are big-endian
 * unless the ASI or PSTATE.CLE says otherwise. */

/* A64: copies and sets of memory by three instructions (CPYP, CPYM, CPYE and their like).
 *
 * How much each of them does is not determined, and so their steps have those accesses only that are told;
 * memory holds what has been written surely. What the second and third do follows from the first one,
 * as long as they are the next steps, at the next addresses. Registers that are set in between are taken to
 * be told: they decide what is open. Bytes are copied as they were in memory before the first one. */

/* Registers, by the class and number that batches have. Values are least significant byte
 * first, in `size` bytes: what a register has beyond them is left alone by `set`, and 0 and
 * unknown in `get` beyond the register's end. `known` NULL: all bits. Return the
 * register's size in bytes, 0 when the model has no such register. */
CAIRN_API unsigned cairn_machine_get(const struct cairn_machine *machine, enum cairn_reg_class cls,
                                     unsigned num, unsigned size, uint8_t *bytes, uint8_t *known);
CAIRN_API unsigned cairn_machine_set(struct cairn_machine *machine, enum cairn_reg_class cls,
                                     unsigned num, unsigned size, const uint8_t *bytes,
                                     const uint8_t *known);
/* Forget all registers, as after a system call that may have changed any. */
CAIRN_API void cairn_machine_forget_registers(struct cairn_machine *machine);
/* Forget all memory: another hart or the system may have written any of it. */
CAIRN_API void cairn_machine_forget_memory(struct cairn_machine *machine);
/* Memory as the machine sees it. `size` at most 64; `known` NULL: all bits. */
CAIRN_API void cairn_machine_read(struct cairn_machine *machine, uint64_t address, unsigned size,
                                  uint8_t *bytes, uint8_t *known);
CAIRN_API void cairn_machine_write(struct cairn_machine *machine, uint64_t address, unsigned size,
                                   const uint8_t *bytes, const uint8_t *known);

/* How a step went. Values are frozen. */
enum cairn_step_status {
	CAIRN_STEP_DONE = 0,
	CAIRN_STEP_NOT_MODELLED = 1, /* what the encoding writes is unknown now */
	CAIRN_STEP_TRAP = 2,         /* control goes to the system: what it changes is unknown */
	CAIRN_STEP_ILLEGAL = 3       /* the set has no such instruction; nothing was changed */
};

/* What a step made of a register. Words of 64 bits, the least significant first, stand in the
 * step's `value` and `known` from `word` on. */
struct cairn_step_reg {
	uint16_t num;
	uint8_t cls;   /* enum cairn_reg_class */
	uint8_t words; /* at least 1 */
	uint32_t word;
};

/* One access. Its contents stand in `value` and `known` as those of registers do. */
struct cairn_step_access {
	uint64_t address, address_known; /* known bits of the address, as the machine computes it */
	uint32_t word;
	uint16_t size; /* bytes */
	uint8_t words;
	uint8_t kind;  /* enum cairn_mem_kind: CAIRN_MEM_READ, CAIRN_MEM_WRITE */
	uint8_t maybe; /* whether it takes place is not known */
	uint8_t reserved[7];
};

struct cairn_step {
	uint8_t status; /* enum cairn_step_status */
	uint8_t taken;  /* a branch went elsewhere; as far as taken_known */
	uint8_t taken_known;
	uint8_t n_regs;
	uint8_t annuls; /* SPARC: what stands in the delay slot is annulled; as far as annuls_known */
	uint8_t annuls_known;
	uint16_t n_accesses;
	const char *reason; /* of another status than DONE, and of what is not determined; or NULL */
	uint64_t next, next_known;   /* where control goes */
	uint64_t after, after_known; /* SPARC: where it goes from there; behind a slot, the target */
	const struct cairn_step_reg *regs;
	const struct cairn_step_access *accesses;
	const uint64_t *value, *known;
};

/* What the trace tells of an access of the instruction: believed where it says more or
 * something else than the machine knows, so that one wrong value does not follow from another. */
struct cairn_step_told {
	uint64_t address;
	const uint8_t *bytes; /* NULL: the contents are not told */
	uint16_t size;
	uint8_t kind;          /* enum cairn_mem_kind */
	uint8_t address_known; /* or not told */
	uint8_t reserved[4];
};

/* Execute one instruction at `pc`. `size`: bytes of the encoding, 2 or 4. `told`: its accesses in
 * the trace's order, or NULL. The answer belongs to the machine and is valid until the next call.
 * Never fails: what cannot be modelled says so, and forgets what it may have changed. */
CAIRN_API const struct cairn_step *cairn_machine_step(struct cairn_machine *machine, uint64_t pc,
                                                      uint32_t enc, unsigned size,
                                                      const struct cairn_step_told *told,
                                                      unsigned n_told);

#ifdef __cplusplus
}
#endif
#endif
