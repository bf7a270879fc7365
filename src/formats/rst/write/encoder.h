/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_ENCODER_H
#define RST_ENCODER_H
/*
 * Inside the writer of batches: what is known of each CPU, and one slot's records.
 */
#include "formats/rst/change/change.h"
#include "formats/rst/record/encode.h"

struct rst_saved { /* what a trap saved */
	uint64_t pc, npc;
	uint16_t pstate;
	uint8_t tt;
};
enum { RST_SAVED_LEVELS = 16 };
#define RST_NO_PC UINT64_C(0x31415923) /* where a tracer knew none */
#define RST_NO_EA UINT64_C(0x31415921)

struct rst_encoder_cpu {
	struct rst_cpu flow; /* where its next instruction should be; the differences told */
	uint64_t tid;
	uint32_t pid;
	uint16_t asid, dctx, pstate; /* asid, dctx: as the last PAVADIFF has them */
	uint16_t prim;               /* the primary context, where it was told */
	uint8_t tl;
	bool has_tid, has_pid, has_diff, has_ea_diff;
	struct rst_saved levels[RST_SAVED_LEVELS];
	/* encoder_made.c */
	bool owes_slot; /* an annulled instruction comes next */
	bool owes_diff; /* a PAVADIFF has to stand before the next INSTR */
	bool open;      /* the INSTR at `open_at` of the output waits for where it goes */
	size_t open_at;
	size_t first_at; /* how far before it stands the REGVAL of TPC and TNPC; 0 none */
	unsigned mode;   /* pr and hpriv of its last INSTR */
};

struct rst_encoder {
	struct cairn_writer *writer;
	struct rst_output packing;
	struct rst_pack *pk;
	struct isa_memo *memo;
	bool own;           /* the batches are RST's: events that only it names are records */
	bool begun, looked; /* at the first instruction's set */
	unsigned version;
	uint64_t n; /* number of the slot's instruction, where it comes from */
	uint64_t created;
	unsigned max_cpu, n_cpus;
	unsigned n_open; /* CPUs that are `open` */
	bool told_diff, told_words, told_eas;
	bool told_comments; /* those of the first slot */
	uint64_t tlb_at;    /* of the output: behind the TLBs told so far */
	struct rst_mmu mmu;
	uint8_t kind[256];      /* enum rst_kind */
	struct rst_word *words; /* encodings seen at addresses */
	struct rst_encoder_cpu *cpus[RST_MAX_CPUS];
	struct base_buf out;   /* records on their way */
	struct base_buf notes; /* comments before the first of them, each ended by a zero */
	struct cairn_ctx lost_ctx;
};

/* One slot, as far as its records go before and behind its INSTR. */
struct rst_slot {
	const struct cairn_batch *batch;
	uint32_t reg, reg1, mem, mem1, ev, ev1; /* its rows */
	unsigned cpu;
	struct rst_encoder_cpu *encoder_cpu;
	const struct cairn_insn *insn; /* NULL: the last slot */
	const struct cairn_ctx *ctx;
	const struct cairn_mem *access;
	bool own;                  /* as rst_encoder's */
	bool trapped;              /* a TRAP was put: tr */
	bool misses;               /* one of a miss in a DTLB, that stops it */
	bool has_preg, knows_diff; /* knows_diff: pc_diff */
	uint64_t pc_diff;
	unsigned tt; /* the type of the last one */
};

/* ---- encoder_made.c: for batches of other formats ---- */
int rst_made_beginning(struct rst_encoder *encoder, const struct cairn_batch *batch);
/* A CPU comes first, with this slot. */
int rst_made_cpu(struct rst_encoder *encoder, struct rst_encoder_cpu *cpu,
                 const struct rst_slot *slot);
/* Before anything of a slot: what its CPU's last instruction still waits for. */
int rst_made_between(struct rst_encoder *encoder, struct rst_slot *slot);
/* … and that the slot is in a program again, behind a trap. */
int rst_made_return(struct rst_encoder *encoder, const struct rst_slot *slot);
/* The slot's INSTR was put: the last record of the output. */
void rst_made_note(struct rst_encoder *encoder, const struct rst_slot *slot, const uint8_t *p);
/* Where the slot's instruction needs an address that it does not have, a number that stands for
 * it: said once. */
int rst_made_address(struct rst_encoder *encoder, const struct rst_slot *slot, unsigned *bits,
                     uint64_t *ea);
/* Before done and retry: the level that they leave. */
int rst_made_level(struct rst_encoder *encoder, struct rst_slot *slot, unsigned tl);
/* And their PREG, if it has not been put. */
int rst_made_leaving(struct rst_encoder *encoder, struct rst_slot *slot);
/* A first PAVADIFF has to be made up: said once. */
int rst_made_diff(struct rst_encoder *encoder);
/* The context that instructions are fetched with. */
uint16_t rst_made_asid(const struct rst_encoder_cpu *cpu, const struct cairn_ctx *ctx);
/* How many bytes of the output wait for nothing. `all`: nothing may wait any longer. */
size_t rst_made_ready(struct rst_encoder *encoder, bool all);
void rst_made_free(struct rst_encoder *encoder);
/* Is the event a trap as an RST trace told it: by the fields of a TRAP? */
bool rst_is_told_trap(const struct rst_slot *slot, const struct cairn_event *event);

/* ---- encoder_rows.c ---- */
/* The records that stand before the slot's INSTR, or behind it. */
int rst_encode_before(struct rst_encoder *encoder, struct rst_slot *slot);
int rst_encode_after(struct rst_encoder *encoder, struct rst_slot *slot);
/* The six registers of a PREG one after another: a PREG. */
bool rst_is_preg(const struct cairn_reg *reg, uint32_t n);
/* A text as string records. */
int rst_encode_string(struct rst_encoder *encoder, const char *text, size_t n);
/* Room for one more record, zeroed; NULL without memory. Valid until the next. */
uint8_t *rst_encode_record(struct rst_encoder *encoder);
/* A record as it is. */
int rst_encode_put(struct rst_encoder *encoder, const uint8_t *rec);
int rst_encode_lost(struct rst_encoder *encoder, uint64_t count, const char *what);

#endif
