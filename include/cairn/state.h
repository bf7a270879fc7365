/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_STATE_H
#define CAIRN_STATE_H
/*
 * The machine's state at a place of a trace: what the trace has told of registers and
 * memory by then. Registers are known from rows of role DST, STATE and SRC, memory from
 * accesses with values, reads and writes alike. Within an instruction what is read
 * counts before what is written.
 *
 * Unknown is never 0: each bit of a register and each byte of memory is known or not, and
 * known only as long as nothing can have changed it unseen. So these become unknown:
 *
 * - what an instruction that ran writes by its encoding, where no row tells the value: results,
 *   flags, status registers that accumulate, other names of the same bits, all that a vector group
 *   may reach over. Of an encoding that cairn does not decode, any register, unless the trace
 *   tells a result of that instruction;
 * - what an exception, a system call and a return from one write: status and cause registers, and
 *   the registers in which a call's result comes by convention;
 * - counters, timers and pending interrupts, with the next instruction;
 * - what an instruction that did not retire would have written;
 * - bytes written whose value is not told. A store without an access, or with one whose address
 *   is not told, may have written any byte: then nothing of memory is known;
 * - registers of a hart that the trace does not name behind lost bytes, when it names one again, and
 *   memory of an address space that it does not name, when an access in one that it names comes;
 * - everything of a hart (and memory) at a gap, at damage, and where its flow jumps for no
 *   reason in the trace: somebody else ran, or the trace was put together of parts.
 *
 * A source register may contradict the value told before. Then one of the two is wrong, or the
 * register changed unseen. Before the instruction the bits that differ are unknown; after it the
 * source value holds.
 *
 * What others do between instructions (devices, other processors, a system that is not traced) is
 * only seen as far as the trace tells of it; `told` says how old a value is. In a log that tells
 * every change of the registers it tells of (QEMU's execlog), what is not told again has not
 * changed. A row covers the bits it says (`lsb`, `bits`) and no others, unless it says that all
 * above became 0 (CAIRN_VALUE_ZEROES). SPARC's save, restore and return turn the window: outs
 * become ins, or ins outs, and what else was in the window is not known.
 *
 * Memory is kept by address space: virtual addresses of one process or address space
 * identifier, and physical ones. A byte that has two names is known under each as it was
 * last told under that name. A trace in an order of bytes that is not told is taken to
 * have the least significant first; SPARC has the most significant first.
 *
 * Memory taken is bounded by what the trace touches: some hundred bytes for each piece of
 * 64 bytes of which a value was recorded, and for each register named.
 */
#include "cairn/base.h"
#include "cairn/isa.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_state;

enum { CAIRN_NO_HART = 0xffff }; /* the trace does not tell which */

/* ---- address spaces ---- */

/* What separates address spaces. */
enum cairn_space_kind {
	CAIRN_SPACE_ONE = 0, /* the trace tells nothing of processes */
	CAIRN_SPACE_PID = 1,
	CAIRN_SPACE_ASID = 2,    /* with the virtual machine, where it is told */
	CAIRN_SPACE_PHYSICAL = 3 /* also accesses by others than instructions */
};
/* An address space. */
struct cairn_space {
	uint32_t kind; /* enum cairn_space_kind */
	uint32_t id;   /* of the process or address space */
	uint32_t vmid; /* of the virtual machine, with an ASID; else 0 */
};
/* Where the virtual addresses of a context lie: by ASID, else by PID, else one for all. */
CAIRN_API struct cairn_space cairn_space_of(const struct cairn_ctx *ctx);

/* ---- making one ---- */

/* How much of memory a state holds. */
enum cairn_state_memory {
	CAIRN_STATE_ALL = 0,  /* all that is known; reads from where the index tells memory, or
	                         * from the trace's beginning */
	CAIRN_STATE_NEAR = 1, /* from where the index tells registers; cairn_state_recall
	                         * looks further back */
	CAIRN_STATE_NONE = 2  /* registers only */
};

/* What a state holds. */
struct cairn_state_opts {
	size_t size;        /* sizeof(struct cairn_state_opts) */
	uint32_t memory;    /* enum cairn_state_memory */
	uint8_t big_endian; /* for cairn_state_step without cairn_state_go: the most significant
	                    * byte of a value is at the lowest address */
	uint64_t max_bytes; /* the most bytes to use for the contents of memory; 0: 1 GiB */
};

/* Make a state in which nothing is known. `opts` may be NULL. Errors: CAIRN_E_INVAL,
 * CAIRN_E_NOMEM. */
CAIRN_API int cairn_state_new(struct cairn *cairn, const struct cairn_state_opts *opts,
                              struct cairn_state **out);
/* Free a state. */
CAIRN_API void cairn_state_free(struct cairn_state *state);
/* The parts of batches it looks at, for cairn_reader_want. */
CAIRN_API uint32_t cairn_state_parts(const struct cairn_state *state);

/* ---- going somewhere ---- */

/* Become the state before instruction `n`: what was told before it, and what it tells of
 * the time before itself (STATE, SRC, what it reads). Goes on from where it is when that is
 * as near as the index can bring it, so that n, n + 1, n + 2 … are steps. The reader belongs
 * to the state until another cairn_state_go with another reader; it is sought in, or, the
 * first time, read from its beginning.
 * Errors: CAIRN_E_NOTFOUND past the end, CAIRN_E_UNSUPPORTED (a transaction trace, one
 * without values), CAIRN_E_LIMIT (max_bytes), CAIRN_E_STATE (a pipe already past it), and
 * those of reading. */
CAIRN_API int cairn_state_go(struct cairn_state *state, struct cairn_reader *reader, uint64_t n);
/* The same, and then the instruction itself: the state after it. */
CAIRN_API int cairn_state_go_after(struct cairn_state *state, struct cairn_reader *reader,
                                   uint64_t n);
/* With CAIRN_STATE_NEAR, after cairn_state_go: look further back for the bytes addr …
 * addr + size - 1, in parts of the trace whose filters do not exclude them. Nothing to do
 * when reading began at the trace's beginning. Errors: those of reading. */
CAIRN_API int cairn_state_recall(struct cairn_state *state, struct cairn_reader *reader,
                                 struct cairn_space space, uint64_t addr, uint64_t size);
/* The batch with the instruction gone to, and its row; NULL before cairn_state_go. Valid
 * until the next call that changes the state. */
CAIRN_API const struct cairn_batch *cairn_state_batch(const struct cairn_state *state,
                                                      uint32_t *row);

/* Add what slots from … to - 1 of a batch tell (its last slot is n_insns): for callers that read
 * batches themselves. Errors: CAIRN_E_LIMIT, CAIRN_E_NOMEM. */
CAIRN_API int cairn_state_step(struct cairn_state *state, const struct cairn_batch *batch,
                               uint32_t from, uint32_t to);
/* Add only what a slot tells of the time before its instruction. Errors as cairn_state_step. */
CAIRN_API int cairn_state_peek(struct cairn_state *state, const struct cairn_batch *batch,
                               uint32_t slot);
/* Forget everything. */
CAIRN_API void cairn_state_clear(struct cairn_state *state);

/* ---- asking ---- */

/* What is known of a register. */
struct cairn_state_reg {
	uint64_t value; /* the lowest 64 bits; those not known are 0 */
	uint64_t known; /* which are known */
	/* Wider than 64 bits: (bits + 7) / 8 bytes of each, least significant first; else NULL.
	 * Valid until the state changes (of an index: as long as it is open). */
	const uint8_t *wide, *wide_known;
	uint64_t told; /* number of the instruction whose row says so last, 0 none */
	uint32_t bits; /* its width, as far as rows have shown it */
	uint16_t hart; /* CAIRN_NO_HART */
	uint16_t num;
	uint8_t cls;     /* enum cairn_reg_class */
	uint8_t whole;   /* all bits are known */
	uint8_t derived; /* what a row said last was derived (cairn_open_opts.derive) */
	uint8_t pad[5];
};

/* Get a register. 1 when something of it is known, 0 when nothing is (reg->known is then 0). Of A64
 * z0 tells what v0 holds, if nothing else does. */
CAIRN_API int cairn_state_reg(const struct cairn_state *state, uint16_t hart,
                              enum cairn_reg_class cls, unsigned num, struct cairn_state_reg *reg);
/* The registers of which something is known, in the order of hart, class and number.
 * Returns how many there are and fills at most `max`; < 0: CAIRN_E_NOMEM. */
CAIRN_API int64_t cairn_state_regs(const struct cairn_state *state, struct cairn_state_reg *regs,
                                   size_t max);

/* Bytes addr … addr + n - 1 (n at most SIZE_MAX, addresses wrap). known[i] is 1 or 0;
 * bytes[i] is 0 where it is. How many are known. */
CAIRN_API size_t cairn_state_memory(const struct cairn_state *state, struct cairn_space space,
                                    uint64_t addr, size_t n, uint8_t *bytes, uint8_t *known);

/* Of bytes addr … addr + n - 1: which are known, but by a row that is derived (cairn_open_opts.derive, VIXL logs).
 * derived[i] is 1 or 0. How many are. */
CAIRN_API size_t cairn_state_memory_derived(const struct cairn_state *state,
                                            struct cairn_space space, uint64_t addr, size_t n,
                                            uint8_t *derived);

/* A piece of memory of which something is known. */
struct cairn_state_block {
	struct cairn_space space;
	uint32_t pad;
	uint64_t addr;     /* a multiple of 64 */
	uint64_t known;    /* bit i: byte addr + i is */
	uint8_t bytes[64]; /* 0 where not */
};
/* All of them, in the order of space and address. Returns how many there are and fills at
 * most `max`; < 0: CAIRN_E_NOMEM. */
CAIRN_API int64_t cairn_state_blocks(const struct cairn_state *state,
                                     struct cairn_state_block *blocks, size_t max);

/* ---- how much is known along a trace ---- */

/* How many of some things are known, and how many there are. */
struct cairn_share {
	uint64_t of, known;
};
/* How much is known of the registers and accesses of a trace's instructions. A register counts as known
 * if all of its bits are: before the instruction that reads it, after the one that writes it. Which
 * registers those are, the encoding says; `without_operands` counts instructions of which
 * cairn_isa_operands does not say it, and their registers do not count. A load or store without an
 * access in the trace counts as one access of which neither address nor contents are known. */
struct cairn_coverage {
	size_t size; /* sizeof(struct cairn_coverage) */
	uint64_t instructions, without_operands;
	struct cairn_share read[8], written[8]; /* by enum cairn_reg_class */
	struct cairn_share addresses, contents;
};
/* Read a trace from where the reader is to its end. Errors: those of reading, CAIRN_E_INVAL,
 * CAIRN_E_NOMEM. */
CAIRN_API int cairn_state_coverage(struct cairn_reader *reader, struct cairn_coverage *coverage);

#ifdef __cplusplus
}
#endif
#endif
