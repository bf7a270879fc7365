/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_ETE_ENCODE_H
#define CAIRN_ETE_ENCODE_H
/*
 * Arm ETE written: from the instructions that ran to the bytes a trace unit would give.
 * The reverse of cairn/ete_flow.h: what that follows from the bytes, with the registers of
 * cairn_ete_tracer_config and the program, is what was put; docs/formats/ete-encode.md
 * tells the few things that are not.
 *
 * Put in program order: contexts before the instructions they hold for, exceptions behind
 * the instruction after which they were taken. A tracer serves one thread.
 */
#include "cairn/ete.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a stream is made. All zero: the fewest bytes a trace unit without speculation,
 * return stack, cycle counts and timestamps can give. */
struct cairn_ete_tracer_opts {
	size_t size;            /* sizeof(struct cairn_ete_tracer_opts) */
	uint32_t maxspec;       /* P0 elements that may be open (TRCIDR8); 0: none ever is */
	uint32_t commit_every;  /* explicit Commit after so many; 0: only when more than maxspec
	                        * would be open, which needs no packet, and at the end */
	uint32_t sync_bytes;    /* synchronise anew after so many bytes; 0: never */
	uint32_t threshold;     /* of cycle counts: fewer are added to the next */
	uint32_t q_every;       /* every so manyth P0 element is a Q element where that says the
	                        * same; needs QSUPP, which is then set. 0: none */
	uint32_t source_every;  /* every so manyth taken branch is told by its address. 0: none */
	uint32_t noise;         /* of 1000 atoms so many are followed by execution that did not
	                        * happen, or told wrong, and corrected; needs maxspec */
	uint64_t seed;          /* of that choice */
	uint8_t return_stack;   /* TRCCONFIGR.RS */
	uint8_t cycles;         /* cycle counts are given (cairn_ete_tracer_cycles) */
	uint8_t commit_opt;     /* cycle counts carry no commits (TRCIDR0.COMMOPT) */
	uint8_t timestamps;     /* 1: given; 2: with markers (TRCIDR0.TSMARK) */
	uint8_t ids;            /* 1: context identifiers; 2: virtual ones, too */
	uint8_t waits;          /* WFI and WFE are P0 instructions (TRCIDR2.WFXMODE) */
	uint8_t start_not_p0;   /* a Transaction Start is no P0 element (TRCIDR0.COMMTRANS) */
	uint8_t atoms;          /* atom packets up to this format only, 1 to 6; 0: all */
	uint8_t addresses;      /* 0: the shortest; 1: no matches; 2: whole ones only */
	uint8_t contexts_apart; /* contexts in packets of their own */
	uint8_t q_uncounted;    /* Q elements tell no count: their instructions are lost */
	uint8_t drop_ends;      /* as hardware does, do not tell instructions behind the last P0 element
	                        * before a discontinuity or the end; else they are told
	                        * by an exception, CAIRN_ETE_TRACER_EXCEPTION, that did not happen */
	uint8_t own_markers;    /* Timestamp Markers are put (cairn_ete_tracer_marker), not made */
	uint8_t own_q;    /* Q elements are put (cairn_ete_tracer_q); ends are told by such, too */
	uint8_t no_start; /* no Trace On at the beginning: tracing was on before */
	uint8_t info;     /* further bits of Trace Info's INFO, which ETE has no meaning for */
};

/* The IMPLEMENTATION DEFINED exception that ends instructions which no P0 element ends. */
enum { CAIRN_ETE_TRACER_EXCEPTION = 0x10 };

/* One instruction. */
struct cairn_ete_insn {
	uint64_t pc;
	uint32_t enc;   /* the number the manual shows; 32-bit T32: first halfword on top */
	uint8_t isa;    /* CAIRN_ISA_A64, CAIRN_ISA_A32 or CAIRN_ISA_T32 */
	uint8_t taken;  /* a branch that was taken (what is no branch: not looked at) */
	uint8_t untold; /* no P0 element of its own: only the exception put behind it tells it */
	uint8_t pad;
};

/* Who executes; as in struct cairn_ete_element. */
struct cairn_ete_who {
	uint32_t ctxid, vmid;
	uint8_t el, security, aarch64;
	uint8_t unknown; /* bit 0: ctxid, bit 1: vmid are not known, and so not told */
};

/* Why tracing stopped for a while. */
enum cairn_ete_break {
	CAIRN_ETE_BREAK_FILTER = 1, /* nothing was traced for a while: Trace On */
	CAIRN_ETE_BREAK_OVERFLOW = 2,
	CAIRN_ETE_BREAK_DISCARD = 3,
	CAIRN_ETE_BREAK_RESET = 4 /* the PE was reset: what ran since the last P0 is lost (IQJYYZ) */
};
/* What happens with a transaction. */
enum cairn_ete_transaction {
	CAIRN_ETE_BEGIN = 1, /* behind its TSTART */
	CAIRN_ETE_COMMITTED = 2,
	CAIRN_ETE_FAILED = 3,
	CAIRN_ETE_UNTOLD =
		4 /* how it ended is not known: tracing stopped. A break or the end follows */
};

/* What a tracer has written. */
struct cairn_ete_tracer_stats {
	size_t size; /* sizeof(struct cairn_ete_tracer_stats) */
	uint64_t instructions, bytes;
	uint64_t p0;       /* P0 elements that happened */
	uint64_t canceled; /* that did not */
	uint64_t jumps;    /* the flow went where no instruction or exception leads */
	uint64_t ends;     /* exceptions that did not happen, to tell what ran before them */
	uint64_t moved;    /* exceptions whose return address is not where execution stood */
	uint64_t lost;     /* instructions that the stream does not tell */
};

struct cairn_ete_tracer;

/* Make a tracer. `opts` may be NULL. Errors: CAIRN_E_INVAL (opts), CAIRN_E_NOMEM. */
CAIRN_API int cairn_ete_tracer_open(struct cairn *cairn, const struct cairn_ete_tracer_opts *opts,
                                    struct cairn_ete_tracer **out);
/* Close it, and free what it made. */
CAIRN_API void cairn_ete_tracer_close(struct cairn_ete_tracer *tracer);
/* The registers with which the stream is to be read. */
CAIRN_API void cairn_ete_tracer_config(const struct cairn_ete_tracer *tracer,
                                       struct cairn_ete_config *cfg);
/* Trace `n` instructions that ran. This and the following functions return 0, CAIRN_E_NOMEM, or
 * CAIRN_E_INVAL for what cannot be (an instruction of another set, an address that is not
 * aligned); the first error stays. */
CAIRN_API int cairn_ete_tracer_insns(struct cairn_ete_tracer *tracer,
                                     const struct cairn_ete_insn *in, size_t n);
/* Who executes from the next instruction on. Until told: EL1, non-secure, AArch64. A new
 * level, security or state ends what ran before; new identifiers alone are told with the
 * next P0 element. */
CAIRN_API int cairn_ete_tracer_context(struct cairn_ete_tracer *tracer,
                                       const struct cairn_ete_who *who);
/* Execution stands there, and perhaps nothing shows that it goes on: that is told at once. */
CAIRN_API int cairn_ete_tracer_address(struct cairn_ete_tracer *tracer, uint64_t address,
                                       unsigned isa);
/* An exception: its type, and the preferred return address and its instruction set. */
CAIRN_API int cairn_ete_tracer_exception(struct cairn_ete_tracer *tracer, unsigned type,
                                         uint64_t address, unsigned isa);
/* Where the last instruction, an indirect branch that was taken, went; only needed where no
 * instruction follows it. Otherwise nothing is done. */
CAIRN_API int cairn_ete_tracer_target(struct cairn_ete_tracer *tracer, uint64_t address,
                                      unsigned isa);
/* Tracing stopped here for a while: enum cairn_ete_break. */
CAIRN_API int cairn_ete_tracer_break(struct cairn_ete_tracer *tracer, unsigned what);
/* A transaction begins or ends here: enum cairn_ete_transaction. */
CAIRN_API int cairn_ete_tracer_transaction(struct cairn_ete_tracer *tracer, unsigned what);
/* Cycles that have passed since the last such call; not told without opts.cycles. */
CAIRN_API int cairn_ete_tracer_cycles(struct cairn_ete_tracer *tracer, uint32_t cycles);
/* Cycles have passed, how many is not known. */
CAIRN_API int cairn_ete_tracer_cycles_unknown(struct cairn_ete_tracer *tracer);
/* `count` instructions ran since the last P0 element, by a way that is not told (0: nor is
 * their number), and execution goes on at `address`. Needs opts.own_q; CAIRN_E_STATE: it is
 * not known where they began. */
CAIRN_API int cairn_ete_tracer_q(struct cairn_ete_tracer *tracer, uint32_t count, uint64_t address,
                                 unsigned isa);
/* A Timestamp Marker, with opts.own_markers; the next time is that of this place. */
CAIRN_API int cairn_ete_tracer_marker(struct cairn_ete_tracer *tracer);
/* The time now; not told without opts.timestamps. */
CAIRN_API int cairn_ete_tracer_time(struct cairn_ete_tracer *tracer, uint64_t time);
/* The same, and the cycles since the last count, which that does not end. */
CAIRN_API int cairn_ete_tracer_time_cycles(struct cairn_ete_tracer *tracer, uint64_t time,
                                           uint32_t cycles);
/* ETEEvents, a bit map of 0 to 3; not 0. */
CAIRN_API int cairn_ete_tracer_event(struct cairn_ete_tracer *tracer, unsigned events);
/* A TRCIT: exception level and payload. */
CAIRN_API int cairn_ete_tracer_instrumentation(struct cairn_ete_tracer *tracer, unsigned el,
                                               uint64_t payload);
/* The end. Afterwards nothing may be put. */
CAIRN_API int cairn_ete_tracer_finish(struct cairn_ete_tracer *tracer);
/* The bytes made since the last call; valid until the next call to anything. */
CAIRN_API void cairn_ete_tracer_take(struct cairn_ete_tracer *tracer, const uint8_t **bytes,
                                     size_t *n);
/* CAIRN_E_INVAL when the size is not set. */
CAIRN_API int cairn_ete_tracer_stats(const struct cairn_ete_tracer *tracer,
                                     struct cairn_ete_tracer_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
