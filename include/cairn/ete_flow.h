/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_ETE_FLOW_H
#define CAIRN_ETE_FLOW_H
/*
 * Arm ETE, the upper layers: from elements and the program's bytes to the instructions that
 * ran, as ranges, and one by one. The same verbs as the layers below (cairn/ete.h): open,
 * next, sync, tell, close, over bytes in memory that must stay until close.
 *
 * Sources: Arm Architecture Reference Manual, section D4.3 (rules are named by their
 * ids).
 */
#include "cairn/ete.h"
#include "cairn/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What came next. Values are frozen. */
enum cairn_ete_step_kind {
	CAIRN_ETE_STEP_RANGE = 1,  /* instructions from `start` to `end` ran one after another */
	CAIRN_ETE_STEP_GAP = 2,    /* instructions are missing here: `reason` */
	CAIRN_ETE_STEP_ELEMENT = 3 /* `element`, as it came: all but what ranges are made of;
	                            * ATOMS those that could not be followed, ADDRESS always */
};

/* Why it is not known what ran. */
enum cairn_ete_gap {
	CAIRN_ETE_GAP_NO_BYTES = 1,   /* no program bytes at `start` */
	CAIRN_ETE_GAP_NO_ADDRESS = 2, /* atoms came while the address was not known */
	CAIRN_ETE_GAP_NO_CONTEXT = 3, /* or not the context */
	CAIRN_ETE_GAP_STACK = 4,      /* a return that the return stack does not know */
	CAIRN_ETE_GAP_FAR = 5,        /* no branch within a million instructions from `start` */
	CAIRN_ETE_GAP_COUNT = 6, /* a Q element: `n` instructions from `start` (0: not known, likewise
	                               * `n`), going on at `end`, by a way it does not tell */
	CAIRN_ETE_GAP_NO_RETURN = 7, /* from `start` the return address `end` is not reached */
	CAIRN_ETE_GAP_NO_SOURCE = 8  /* likewise the source address `end` */
};
/* "no program bytes" */
CAIRN_API const char *cairn_ete_gap_text(unsigned reason);

/* Flags of a range of instructions. */
enum cairn_ete_range_flag {
	CAIRN_ETE_R_TAKEN = 1u << 0,     /* the last instruction branched */
	CAIRN_ETE_R_NOT_TAKEN = 1u << 1, /* or is a branch and did not; neither: no branch */
	CAIRN_ETE_R_TARGET = 1u << 2,    /* `target` is known: direct branches only */
	CAIRN_ETE_R_LINK = 1u << 3,      /* the last instruction leaves a return address */
	CAIRN_ETE_R_RETURN = 1u << 4,    /* returns from a function */
	CAIRN_ETE_R_ERET = 1u << 5,      /* returns from an exception. Of an EXCEPTION_RETURN element
	                                    * (ETMv4): the range before it has told so */
	CAIRN_ETE_R_CONDITIONAL = 1u << 6,
	CAIRN_ETE_R_OPEN = 1u << 7, /* ends for another reason than its last instruction: an exception,
	                                    * a count, missing bytes */
	CAIRN_ETE_R_INEXACT = 1u << 8,   /* where it ends is inferred from a return address that must
	                                    * not be relied on (SGKMTH, SRDJXM), or branches stand
	                                    * within that are told of nowhere */
	CAIRN_ETE_R_DISCARDED = 1u << 9, /* in a transaction that failed */
	CAIRN_ETE_R_OUTCOME_UNKNOWN = 1u << 10,
	CAIRN_ETE_R_JUMPED = 1u << 11, /* does not begin where the one before it went */
	CAIRN_ETE_R_UNSURE = 1u << 12  /* INEXACT by its return address, so from its beginning on */
};

enum cairn_ete_last { /* the kind of a range's last instruction */
	                  CAIRN_ETE_LAST_OTHER = 0,
	                  CAIRN_ETE_LAST_DIRECT = 1,
	                  CAIRN_ETE_LAST_INDIRECT = 2,
	                  CAIRN_ETE_LAST_ISB = 3,
	                  CAIRN_ETE_LAST_WFX = 4,
	                  CAIRN_ETE_LAST_TSTART = 5,
	                  CAIRN_ETE_LAST_MEMORY = 6 /* a load or store (ETMv4, TRCCONFIGR.INSTP0) */
};

/* What does not belong to the kind is 0. */
struct cairn_ete_step {
	uint64_t offset; /* of the packet */
	uint64_t start, end;
	uint64_t target;
	const struct cairn_ete_element *element; /* valid until the next step */
	uint32_t n;     /* instructions; NO_ADDRESS, NO_BYTES …: atoms that could not be followed */
	uint16_t flags; /* enum cairn_ete_range_flag */
	uint8_t kind;   /* enum cairn_ete_step_kind */
	uint8_t reason; /* enum cairn_ete_gap */
	uint8_t isa;    /* enum cairn_isa */
	uint8_t last;   /* enum cairn_ete_last */
	uint8_t last_size; /* bytes of the last instruction */
	uint8_t el, security;
	uint8_t pad;
	uint16_t view; /* the library's: which bytes of the program its address space sees */
	uint64_t reserved;
};

/* How to follow the flow. */
struct cairn_ete_flow_opts {
	size_t size; /* sizeof(struct cairn_ete_flow_opts) */
	/* The program; it must stay until close. NULL: there are no ranges, and no gaps. */
	const struct cairn_image *image;
	uint8_t transactions; /* enum cairn_ete_transactions */
};

struct cairn_ete_flow;

/* Follow the elements of `n` bytes; see cairn_ete_packets_open. `opts` may be NULL.
 * Errors: CAIRN_E_NOMEM, CAIRN_E_INVAL (opts->size). */
CAIRN_API int cairn_ete_flow_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                                  const struct cairn_ete_flow_opts *opts, const void *data,
                                  size_t n, uint64_t base, struct cairn_ete_flow **out);
/* Close it. */
CAIRN_API void cairn_ete_flow_close(struct cairn_ete_flow *flow);
/* The next step: 1, 0 behind the last, CAIRN_E_NOMEM. */
CAIRN_API int cairn_ete_flow_next(struct cairn_ete_flow *flow, struct cairn_ete_step *step);
/* Go to the next place where reading can begin, as cairn_ete_elements_sync_forward; the address
 * and the context are known there before anything is followed. CAIRN_E_NOTFOUND: there is none,
 * and the place stays. */
CAIRN_API int cairn_ete_flow_sync_forward(struct cairn_ete_flow *flow);
/* The same with the last such place before the current one. */
CAIRN_API int cairn_ete_flow_sync_backward(struct cairn_ete_flow *flow);
/* See cairn_ete_elements_sync_set. */
CAIRN_API int cairn_ete_flow_sync_set(struct cairn_ete_flow *flow, uint64_t offset);
/* See cairn_ete_elements_limit. */
CAIRN_API void cairn_ete_flow_limit(struct cairn_ete_flow *flow, uint64_t offset);
/* Offset of the packet whose element is being followed. */
CAIRN_API uint64_t cairn_ete_flow_tell(const struct cairn_ete_flow *flow);

/* ---- instructions ---- */

/* One instruction that ran, or what stands between two of them. */
struct cairn_ete_ran {
	/* The range it is of; or a gap or an element as the flow gives them, then the rest is 0.
	 * Valid until the next call. */
	const struct cairn_ete_step *step;
	uint64_t pc;
	uint64_t target; /* with CAIRN_ETE_R_TARGET */
	uint32_t enc;    /* as in struct cairn_ete_insn; what cairn_isa_decode takes */
	/* enum cairn_ete_range_flag: those of the range, but only its first instruction has JUMPED,
	 * and only its last those that tell of the last */
	uint16_t flags;
	uint8_t isa;  /* enum cairn_isa */
	uint8_t size; /* bytes; 0: no instruction */
	uint64_t reserved;
};

struct cairn_ete_insns;

/* As cairn_ete_flow_open, with its options. */
CAIRN_API int cairn_ete_insns_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                                   const struct cairn_ete_flow_opts *opts, const void *data,
                                   size_t n, uint64_t base, struct cairn_ete_insns **out);
/* Close it. */
CAIRN_API void cairn_ete_insns_close(struct cairn_ete_insns *insns);
/* The next instruction, gap or element: 1, 0 behind the last, CAIRN_E_NOMEM. */
CAIRN_API int cairn_ete_insns_next(struct cairn_ete_insns *insns, struct cairn_ete_ran *ran);
/* See cairn_ete_flow_sync_forward; what is left of a range is then not given.
 * CAIRN_E_NOTFOUND: the place stays. */
CAIRN_API int cairn_ete_insns_sync_forward(struct cairn_ete_insns *insns);
/* See cairn_ete_flow_sync_backward. */
CAIRN_API int cairn_ete_insns_sync_backward(struct cairn_ete_insns *insns);
/* See cairn_ete_elements_sync_set. */
CAIRN_API int cairn_ete_insns_sync_set(struct cairn_ete_insns *insns, uint64_t offset);
/* See cairn_ete_elements_limit. */
CAIRN_API void cairn_ete_insns_limit(struct cairn_ete_insns *insns, uint64_t offset);
/* Offset of the packet that the next instruction or element comes from. */
CAIRN_API uint64_t cairn_ete_insns_tell(const struct cairn_ete_insns *insns);

#ifdef __cplusplus
}
#endif
#endif
