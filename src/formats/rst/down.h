/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_DOWN_H
#define RST_DOWN_H
/*
 * Inside the writer of batches: what is known of each CPU, and one slot's records.
 */
#include "formats/rst/change.h"
#include "formats/rst/encode.h"

struct rst_level { /* what a trap saved */
	uint64_t pc, npc;
	uint16_t pstate;
	uint8_t tt;
};
enum { RST_LEVELS = 16 };
#define RST_NO_PC UINT64_C(0x31415923) /* where a tracer knew none */

struct rst_down_cpu {
	struct rst_cpu flow;   /* where its next instruction should be; the differences told */
	uint64_t tid;
	uint32_t pid;
	uint16_t asid, dctx, pstate; /* dctx: as the last PAVADIFF has it */
	uint8_t tl;
	uint64_t trap_pc;      /* of a trap that stopped nothing and … */
	bool owes_tr;          /* … waits for the handler's first instruction */
	bool has_tid, has_pid, has_diff, has_ea_diff;
	struct rst_level levels[RST_LEVELS];
};

struct rst_down {
	struct cairn_writer *w;
	struct rst_output packing;
	struct rst_pack *pk;
	struct isa_memo *memo;
	bool own;              /* the batches are RST's: events that only it names are records */
	bool begun;
	unsigned version, source_version;
	uint64_t n;            /* number of the slot's instruction, where it comes from */
	uint64_t created;
	unsigned max_cpu, n_cpus;
	struct rst_down_cpu *cpus[RST_MAX_CPUS];
	struct base_buf out;   /* records on their way */
	struct base_buf notes; /* comments before the first of them, each ended by a zero */
	uint32_t losses;       /* kinds of context loss that were counted for `lost_ctx` */
	struct cairn_ctx lost_ctx;
};

/* One slot, as far as its records go before and behind its INSTR. */
struct rst_slot {
	const struct cairn_batch *b;
	uint32_t reg, reg1, mem, mem1, ev, ev1; /* its rows */
	unsigned cpu;
	struct rst_down_cpu *c;
	const struct cairn_insn *insn;          /* NULL: the last slot */
	bool trapped;                           /* a TRAP was put: tr */
	bool has_preg, knows_diff;              /* knows_diff: pc_diff, with address space `asid` */
	uint64_t pc_diff;
	uint16_t asid;
	unsigned tt;                            /* the type of the last one */
};

/* ---- down_rows.c ---- */
/* The records that stand before the slot's INSTR, or behind it. */
int rst_down_before(struct rst_down *d, struct rst_slot *s);
int rst_down_after(struct rst_down *d, struct rst_slot *s);
/* A text as string records. */
int rst_down_string(struct rst_down *d, const char *text, size_t n);
/* Room for one more record, zeroed; NULL without memory. Valid until the next. */
uint8_t *rst_down_record(struct rst_down *d);
int rst_down_lost(struct rst_down *d, uint64_t count, const char *what);

#endif
