/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_CARRIED_H
#define RST_CARRIED_H
/*
 * What a trace has said of the machine up to a place, and how much of that an output made from
 * parts of the trace has said, too (`told`).
 */
#include "formats/rst/record/encode.h"
#include "formats/rst/rst.h"
#include "isa/written.h"

enum { RST_CARRIED_LEVELS = 8, RST_CARRIED_TYPES = 10 };

/* Which of the outputs made at the same time were told something: a bit each. */
struct rst_told {
	uint64_t to[MODEL_AT_ONCE / 64];
};

static inline bool rst_is_told(const struct rst_told *told, unsigned output)
{
	return told->to[output / 64] >> output % 64 & 1;
}

static inline void rst_tell(struct rst_told *told, unsigned output)
{
	told->to[output / 64] |= UINT64_C(1) << output % 64;
}

/* It has changed: no output knows the new value, except this one if it `has` it. */
static inline void rst_tell_anew(struct rst_told *told, unsigned output, bool has)
{
	*told = (struct rst_told){{0}};
	if (has)
		rst_tell(told, output);
}

/* A part of it has changed: this output knows all of it only if it knew the rest, too. */
static inline void rst_tell_part(struct rst_told *told, unsigned output, bool has)
{
	rst_tell_anew(told, output, has && rst_is_told(told, output));
}

struct rst_carried_regs { /* by REGVAL's type and id; condition codes are at id 0 */
	uint64_t value[RST_CARRIED_TYPES][256];
	uint64_t low[32]; /* the lower halves of quad registers */
	uint8_t have[RST_CARRIED_TYPES][256], told[RST_CARRIED_TYPES][256];
};

struct rst_carried_level { /* of the trap stack */
	uint64_t tpc, tnpc;
	uint16_t tt, pstate; /* PSTATE as the TRAP says it was */
	bool known;
};

enum rst_carried_ids { RST_CARRIED_PROCESS, RST_CARRIED_THREAD, RST_CARRIED_IDS };

/* What an instruction has written of a PREG since the trace gave it. */
enum rst_stale { RST_STALE_ASI = 1, RST_STALE_PSTATE = 2 };

struct rst_carried_cpu {
	/* PREG */
	uint8_t asi, tl, tt;
	uint8_t stale;                /* enum rst_stale */
	uint16_t pstate, after;       /* `after`: what the last PREG said */
	uint8_t preg[CAIRN_RST_SIZE]; /* the last, for its contexts */
	bool has_preg;
	struct rst_told preg_told, level_told;
	bool anew;           /* instructions were left out: a PREG says where it goes on */
	uint64_t left_out;   /* by its last RECNUM, */
	uint8_t count_level; /* which is of this level */
	bool trapped;        /* a TRAP waits for the INSTR that it stopped */
	bool stopped;        /* its last INSTR is the one that its trap stopped */
	struct rst_carried_level level[RST_CARRIED_LEVELS + 1];
	/* its next INSTR, if it is at `slot`, is a delay slot behind which it goes to `npc` */
	uint64_t slot, npc;
	bool has_slot;
	struct rst_told slot_told;
	uint64_t next; /* where its next INSTR is if nothing comes between */
	bool has_next;
	/* PAVADIFF */
	uint64_t pc_diff, ea_diff;
	uint16_t ictx, dctx, told_dctx[MODEL_AT_ONCE];
	bool has_pc, has_ea;
	struct rst_told pc_told, ea_told, in_output; /* in_output: some PAVADIFF is */
	/* THREAD and PROCESS, as they were */
	struct rst_carried_id {
		uint8_t rec[CAIRN_RST_SIZE];
		bool has;
		struct rst_told told;
	} id[RST_CARRIED_IDS];
	/* Its registers. `told` and `regs_untold` are about the output that has its last INSTR; any
	 * other output is told all of them. */
	struct rst_carried_regs *regs; /* NULL: none known */
	bool regs_untold;
	struct rst_told tlb_told; /* all entries but those that wait */
};

struct rst_carried_tlb {
	uint8_t rec[CAIRN_RST_SIZE];
	uint32_t waiting; /* records of it that may still be kept */
	struct rst_told told;
};

struct rst_carried {
	struct cairn *cairn;
	struct isa_written_memo *memo;
	bool wide;
	struct rst_carried_cpu *cpus[RST_MAX_CPUS];
	struct rst_carried_tlb *tlb;
	size_t n_tlb, cap_tlb;
	uint32_t *table; /* hash: index + 1 */
	size_t cap_table;
	struct { /* for the next INSTR's CPU */
		uint8_t rec[CAIRN_RST_SIZE];
		bool pending, told;
	} id[RST_CARRIED_IDS];
	unsigned output; /* which of the outputs made at the same time is told something */
	uint64_t stale;  /* PREGs told with what is stale */
};

int rst_carried_new(struct cairn *cairn, bool wide, struct rst_carried **out);
void rst_carried_free(struct rst_carried *carried);
/* Learn from a record; `told`: the output has it. CAIRN_E_NOMEM. */
int rst_carried_take(struct rst_carried *carried, const uint8_t *p, bool told);
/* A TLB record waits for its instruction. Its entry is learnt now; which output was told it shows
 * when the record is decided. CAIRN_E_NOMEM. */
int rst_carried_await_tlb(struct rst_carried *carried, const uint8_t *p);
/* The record is kept with its instruction or left out. False: it is left out, perhaps because the
 * output was told the entry in the meantime. */
bool rst_carried_settle_tlb(struct rst_carried *carried, const uint8_t *p, bool keep);
/* A record is missing: what registers hold, and where the CPUs go on, is not known any more. */
void rst_carried_lose(struct rst_carried *carried);
/* Another output begins, which has been told nothing. */
void rst_carried_untell(struct rst_carried *carried);
/* The output no longer says what this CPU's registers hold. */
void rst_carried_untell_regs(struct rst_carried_cpu *cpu);
/* A CPU's row, made if need be; NULL when out of memory. */
struct rst_carried_cpu *rst_carried_cpu(struct rst_carried *carried, unsigned cpu);
/* Call before the INSTR `p` of a CPU: ends its trap level if the handler was not traced. */
void rst_carried_go_on(struct rst_carried *known, unsigned cpu, const uint8_t *p);
/* Is there anything of the CPU `of` to be told before its INSTR `p`? */
bool rst_carried_untold(const struct rst_carried *carried, unsigned of, const uint8_t *p);
/* Is there anything to be told of it at all, now or before a later INSTR? */
bool rst_carried_any(const struct rst_carried *carried, unsigned of);
/* Append the records of what has not been told before its INSTR `p`, except the difference of
 * addresses, and note it as told. `ids` gets what must directly precede an INSTR of this CPU. */
int rst_carried_tell(struct rst_carried *carried, unsigned of, const uint8_t *p,
                     struct base_buf *out, struct base_buf *ids);
/* The same for the entries of its TLBs alone; `waiting`: also those whose records wait. */
int rst_carried_tell_tlb(struct rst_carried *carried, unsigned cpu, bool waiting,
                         struct base_buf *out);
/* The same for the difference of addresses, for an INSTR with or without ea_valid. */
int rst_carried_tell_diff(struct rst_carried *carried, unsigned of, bool ea_valid,
                          struct base_buf *out);

#endif
