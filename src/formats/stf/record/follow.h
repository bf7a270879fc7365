/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_FOLLOW_H
#define STF_FOLLOW_H
/*
 * How a trace goes on from record to record: the PC, who runs, the privilege mode and the
 * instruction set. Decoding, scanning, checking, changing and writing all follow a trace by the
 * code here, in line, so that they cannot disagree.
 *
 * The records since the last instruction (or transaction) are its group.
 *
 * FORCE_PC moves the group's own instruction. INST_PC_TARGET and EVENT_PC_TARGET move the one after
 * it; the last one wins, and one whose instruction never came moves the next. PCs are never masked.
 *
 * PROCESS_ID_EXT and INST_IEM hold from where they stand.
 *
 * A MODE_CHANGE gives the "mode in which subsequent instructions execute": it holds behind its
 * group, and the last one of a group wins. With a FORCE_PC before it, and at the start of the
 * trace, the specification lets it give the mode that begins there: so the first one already holds
 * in its own group.
 */
#include "formats/stf/record/table.h"

/* Flags of a group. The lower bits belong to the code that follows the trace. */
enum stf_follow_flag {
	STF_GOES = 1 << 27,      /* the next instruction leads to `target`; outlives its span */
	STF_FORCED = 1 << 28,    /* FORCE_PC */
	STF_MODE_NOW = 1 << 29,  /* a MODE_CHANGE that holds in the group */
	STF_MODE_LATER = 1 << 30 /* `mode` holds behind the group */
};

/* What gave the PC: nothing (0), the records, the index of a .zstf. */
enum { STF_PC_TOLD = 1, STF_PC_BY_INDEX = 2 };

struct stf_follower {
	uint64_t pc, target; /* of the next instruction, and of the one after it */
	struct cairn_ctx ctx;
	uint32_t group;   /* enum stf_follow_flag, and the follower's own */
	uint8_t pc_known; /* STF_PC_… */
	uint8_t isa;      /* enum cairn_isa */
	uint8_t begun;    /* 0: the very beginning of the trace */
	uint8_t mode;
};

/* sets.c: the instruction set that an INST_IEM names. */
enum cairn_isa stf_isa(const struct cairn_stf_config *cfg, unsigned iem);

/* ---- who runs ---- */

/* Set the ids of a PROCESS_ID_EXT in the context. */
static inline void stf_ids(const struct cairn_stf_config *cfg, const uint32_t id[3],
                           struct cairn_ctx *ctx)
{
	if (cfg->new_ids) {
		/* A number that has no room stays an id: of two such harts none is taken for another. */
		bool is_hart = id[0] < UINT16_MAX;
		ctx->hw_tid = id[0];
		ctx->hart = is_hart ? (uint16_t)id[0] : 0;
		ctx->pid = id[1];
		ctx->tid = id[2];
		ctx->known |= CAIRN_CTX_HW_TID | CAIRN_CTX_PID | CAIRN_CTX_TID;
		ctx->known = is_hart ? ctx->known | CAIRN_CTX_HART : ctx->known & ~(uint32_t)CAIRN_CTX_HART;
	} else {
		ctx->pid = id[0];
		ctx->tid = id[1];
		ctx->asid = id[2];
		ctx->known |= CAIRN_CTX_PID | CAIRN_CTX_TID | CAIRN_CTX_ASID;
	}
}

/* Which fields of a context are ids of a PROCESS_ID_EXT. */
static inline uint32_t stf_ids_known(bool new_ids)
{
	return CAIRN_CTX_PID | CAIRN_CTX_TID | (new_ids ? CAIRN_CTX_HW_TID : CAIRN_CTX_ASID);
}

/* The ids of a context in the order of the record, 0 where they are not known; false when none is.
 * A hart is a hardware thread. */
static inline bool stf_ids_of(bool new_ids, const struct cairn_ctx *ctx, uint32_t ids[3])
{
	if (!(ctx->known & (stf_ids_known(new_ids) | (new_ids ? CAIRN_CTX_HART : 0u))))
		return false;
	bool hart = !(ctx->known & CAIRN_CTX_HW_TID) && ctx->known & CAIRN_CTX_HART;
	ids[0] = !new_ids ? ctx->pid : hart ? ctx->hart : ctx->hw_tid;
	ids[1] = new_ids ? ctx->pid : ctx->tid;
	ids[2] = new_ids ? ctx->tid : ctx->asid;
	return true;
}

/* ---- what a changed trace lacks ---- */

/* An output says with a COMMENT that something is missing at that place: STF_HOLE_TEXT where records were
 * copied, else "cairn: gap: why", "cairn: gap of 12 instructions: why" or "cairn: gap: damage: why".
 * After it nothing is known of registers, memory and the mode. */
#define STF_HOLE_TEXT "cairn: bytes of the trace were lost here"
#define STF_GAP_TEXT "cairn: gap"
enum { STF_LEN_HOLE = STF_LEN_COMMENT + sizeof STF_HOLE_TEXT - 1 };
static inline void stf_put_hole(uint8_t p[STF_LEN_HOLE])
{
	p[0] = CAIRN_STF_COMMENT;
	stf_put_COMMENT_text(p, sizeof STF_HOLE_TEXT - 1);
	memcpy(p + STF_LEN_COMMENT, STF_HOLE_TEXT, sizeof STF_HOLE_TEXT - 1);
}
/* Is the record such a COMMENT? It must be complete. `count` gets the number of missing instructions,
 * UINT64_MAX if it is not known, `why` where in the record the reason begins. */
bool stf_is_gap(const uint8_t *p, uint64_t *count, size_t *why);

/* ---- single effects ---- */

static inline void stf_follow_force(struct stf_follower *now, uint64_t pc)
{
	now->pc = pc;
	now->pc_known = STF_PC_TOLD;
	now->group |= STF_FORCED;
}

static inline void stf_follow_target(struct stf_follower *now, uint64_t target)
{
	now->target = target;
	now->group |= STF_GOES;
}

static inline void stf_follow_ids(struct stf_follower *now, const struct cairn_stf_config *cfg,
                                  const uint8_t *p)
{
	uint32_t id[3];
	stf_process_ids(p, id);
	stf_ids(cfg, id, &now->ctx);
}

static inline void stf_follow_priv(struct stf_follower *now, uint8_t priv)
{
	now->ctx.priv = priv;
	now->ctx.known |= CAIRN_CTX_PRIV;
}

/* Something is missing here (stf_is_gap): the mode may have changed. */
static inline void stf_follow_gap(struct stf_follower *now)
{
	now->ctx.known &= ~(uint32_t)CAIRN_CTX_PRIV;
	now->group &= ~(uint32_t)STF_MODE_LATER;
}

/* Is this EVENT a MODE_CHANGE? *mode: UINT64_MAX where it has none. */
static inline bool stf_is_mode_change(const struct cairn_stf_config *cfg, const uint8_t *p,
                                      uint64_t *mode)
{
	unsigned bits = cfg->event_bits;
	*mode = stf_event_count(p, bits) ? base_le64(stf_event_data(p, bits)) : UINT64_MAX;
	return (stf_event_id_of(p, bits) & ~STF_EVENT_INTERRUPT) ==
	       (STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE);
}

/* Follow a MODE_CHANGE. True when it is about its own group; a mode that does not exist changes
 * nothing. */
static inline bool stf_follow_mode(struct stf_follower *now, uint64_t mode)
{
	bool at_once = (now->group & STF_FORCED || !now->begun) && !(now->group & STF_MODE_NOW);
	now->group |= at_once ? STF_MODE_NOW : 0;
	if (mode > CAIRN_PRIV_MACHINE)
		return at_once;
	now->group &= ~(uint32_t)STF_MODE_LATER;
	if (at_once) {
		stf_follow_priv(now, (uint8_t)mode);
	} else {
		now->mode = (uint8_t)mode;
		now->group |= STF_MODE_LATER;
	}
	return at_once;
}

/* The group has ended, or the span within it. */
static inline void stf_follow_end(struct stf_follower *now)
{
	if (now->group & STF_MODE_LATER)
		stf_follow_priv(now, now->mode);
	now->group &= STF_GOES;
}

/* An instruction of `size` bytes ends its group. */
static inline void stf_follow_insn(struct stf_follower *now, unsigned size)
{
	uint32_t group = now->group;
	now->pc += size;
	now->begun = 1;
	if (!group)
		return;
	if (group & STF_GOES) {
		now->pc = now->target;
		now->pc_known = STF_PC_TOLD;
	}
	stf_follow_end(now);
	now->group = 0;
}

/* ---- any record ---- */

/* One that is not frequent. */
static inline void stf_follow_rare(struct stf_follower *now, const struct cairn_stf_config *cfg,
                                   const uint8_t *p)
{
	uint64_t mode;
	size_t why;
	switch (*p) {
	case CAIRN_STF_COMMENT:
		if (stf_is_gap(p, &mode, &why))
			stf_follow_gap(now);
		break;
	case CAIRN_STF_EVENT_PC_TARGET:
		stf_follow_target(now, stf_EVENT_PC_TARGET_pc(p));
		break;
	case CAIRN_STF_EVENT:
		if (stf_is_mode_change(cfg, p, &mode))
			stf_follow_mode(now, mode);
		break;
	case CAIRN_STF_FORCE_PC:
		stf_follow_force(now, stf_FORCE_PC_pc(p));
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		stf_follow_ids(now, cfg, p);
		break;
	case CAIRN_STF_INST_IEM:
		now->isa = (uint8_t)stf_isa(cfg, stf_INST_IEM_iem(p));
		break;
	case CAIRN_STF_TRANSACTION:
		now->begun = 1;
		stf_follow_end(now);
		break;
	default:
		break;
	}
}

static inline __attribute__((always_inline)) void stf_follow(struct stf_follower *now,
                                                             const struct cairn_stf_config *cfg,
                                                             const uint8_t *p)
{
	if (*p == CAIRN_STF_INST_32 || *p == CAIRN_STF_INST_16)
		stf_follow_insn(now, *p == CAIRN_STF_INST_32 ? 4 : 2);
	else if (*p == CAIRN_STF_INST_PC_TARGET)
		stf_follow_target(now, stf_INST_PC_TARGET_pc(p));
	else if (*p != CAIRN_STF_INST_REG && *p != CAIRN_STF_INST_MEM_ACCESS &&
	         *p != CAIRN_STF_INST_MEM_CONTENT)
		stf_follow_rare(now, cfg, p);
}

#endif
