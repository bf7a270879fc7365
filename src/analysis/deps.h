/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DEPS_H
#define ANALYSIS_DEPS_H
/*
 * Dependences: what is known of an encoding (deps_ops.c), what is kept while a trace is
 * counted (deps.c), and what is made of it (deps_report.c).
 */
#include <pthread.h>

#include "analysis/run.h"

enum {
	DEPS_REGS = 256,
	DEPS_SRCS = 16,
	DEPS_DSTS = 16,
	DEPS_BUCKETS = 40,
	DEPS_WINDOWS = 8,
	DEPS_LARGEST = 1024,
	DEPS_NO_REG = 0
};

/* General registers are numbered from here, floating-point and vector ones behind them. */
enum { DEPS_INT = 1, DEPS_FP = 65, DEPS_VECTOR = 129, DEPS_OTHER = 193 };

/* What a pair might be fused from. */
enum deps_kind {
	OTHER,
	LUI,
	AUIPC,
	ADDI,
	SLLI,
	SRLI,
	ADD,
	COMPARE,
	ZERO_BRANCH,
	LOAD,
	STORE,
	JALR,
	ADRP,
	ADD_IMM,
	MOVZ,
	MOVK,
	SETS_FLAGS,
	FLAG_BRANCH, /* of A64 */
	SETHI,
	OR_IMM
}; /* of SPARC */

/* What follows from an encoding, and the counters of its key. */
struct deps_op {
	uint8_t src[DEPS_SRCS], dst[DEPS_DSTS]; /* register ids, DEPS_NO_REG none */
	uint16_t joined;      /* bit k: src[k] and src[k - 1] are halves of one register */
	int8_t window;        /* of registers: the next (1), the one before (-1) */
	uint8_t kind, base;   /* enum deps_kind; of an access, the base register */
	uint8_t told, pad[2]; /* the encoding tells the registers */
	uint64_t name;        /* number of its mnemonic */
};
enum { DEPS_OP_WORDS = sizeof(struct deps_op) / 8 };

struct deps_memo {
	struct deps_memo *next;
	struct base_map ops;   /* encoding → struct deps_op */
	struct base_map pairs; /* of a memo: two names, dependent → count */
};

struct deps_step {
	uint8_t src[DEPS_SRCS], dst[DEPS_DSTS];
	uint16_t hart, joined;
	int8_t window;
};

enum deps_fusion {
	FUSE_LUI_ADDI,
	FUSE_AUIPC_ADDI,
	FUSE_AUIPC_LOAD,
	FUSE_AUIPC_JALR,
	FUSE_SHIFT_PAIR,
	FUSE_SHIFT_ADD,
	FUSE_INDEXED_LOAD,
	FUSE_COMPARE_BRANCH,
	FUSE_LOAD_PAIR,
	FUSE_STORE_PAIR,
	FUSE_ADRP_ADD,
	FUSE_ADRP_LOAD,
	FUSE_MOV_MOVK,
	FUSE_FLAGS_BRANCH,
	FUSE_SETHI_OR,
	FUSE_SETHI_LOAD,
	FUSIONS
};

/* The last instruction of a hart, for pairs, and where a part begins. */
struct deps_last {
	uint64_t next; /* the address behind it */
	uint64_t addr; /* of its access */
	uint32_t size; /* of its access, 0 none */
	uint32_t valid;
	struct deps_op op;
};
enum { DEPS_LAST_WORDS = sizeof(struct deps_last) / 8 };

/* Registers of SPARC's windows that wait for a restore: eight locals, eight ins. */
enum { DEPS_WINDOW = 16, DEPS_DEPTH = 64 };
struct deps_window {
	uint64_t written[DEPS_WINDOW], ready[DEPS_WINDOWS][DEPS_WINDOW];
};

struct deps_hart {
	uint64_t n, written[DEPS_REGS];
	uint64_t ready[DEPS_WINDOWS][DEPS_REGS];
	uint64_t
		done[DEPS_WINDOWS]
			[DEPS_LARGEST]; /* when the instruction this many ago, and all before it, were done */
	uint64_t end[DEPS_WINDOWS];
	struct deps_window *below; /* DEPS_DEPTH of them, a ring; NULL before the first */
	unsigned top, depth;       /* place of the next one; how many are known */
};

struct deps_part {
	struct deps_memo *memo;
	struct base_buf stream; /* struct deps_step */
	struct base_map harts;  /* hart → struct deps_last; the first one is kept in `firsts` */
	struct base_map firsts;
	uint64_t fusions[FUSIONS];
	/* of a sum */
	struct base_map states; /* hart → pointer to struct deps_hart */
	struct base_map seam;   /* hart → struct deps_last */
	uint64_t instructions, unknown, distance[3][DEPS_BUCKETS], initial;
	struct base_map pairs;
};

struct deps_run {
	struct cairn *cairn;
	const struct cairn_analysis_opts *opts;
	pthread_mutex_t lock; /* of `rest` and `names` */
	struct deps_memo *rest;
	struct base_map names; /* pointer of a constant name → nothing */
};

/* Sizes of the windows of instructions; 0: no limit. */
extern const uint32_t deps_windows[DEPS_WINDOWS];

/* Fill `out` with what an instruction's encoding says; >= 0 or CAIRN_E_NOMEM. */
int deps_op_fill(struct deps_run *run, const struct cairn_insn *in, struct deps_op *out);
/* Registers from what the trace recorded, where the encoding does not tell; false: none. */
bool deps_op_rows(const struct cairn_batch *batch, uint32_t index, struct deps_op *op);

int deps_report(void *user, void *sum, struct cairn_result *res);

#endif
