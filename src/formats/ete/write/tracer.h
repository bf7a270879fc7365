/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_TRACER_H
#define ETE_TRACER_H
/*
 * Inside view of the tracer: tracer.c follows the program and knows what a decoder of the
 * bytes knows by now; tracer_put.c makes the packets, and resolves what is speculative.
 */
#include "base/base.h"
#include "cairn/ete_encode.h"
#include "formats/ete/stream/flow.h"
#include "formats/ete/stream/table.h"

enum { ETE_PAST = 8 };

struct cairn_ete_tracer {
	struct cairn *cairn;
	struct cairn_ete_tracer_opts opts;
	struct cairn_ete_config cfg;
	struct cairn_ete_encoder *enc;
	struct base_buf out;
	size_t taken; /* bytes of out that the caller has seen */
	int failed;
	bool begun, ended;

	/* what runs */
	uint64_t next; /* behind the last instruction */
	uint32_t run;  /* instructions since the last P0 element */
	uint8_t isa;
	struct cairn_ete_who who;
	bool in_transaction;
	bool failing; /* a transaction failed, and nothing has shown yet that tracing went on */
	bool untold;  /* the run has a P0 instruction without a P0 element */

	/* what a decoder of the bytes knows */
	uint64_t here; /* where the run begins, if known */
	uint8_t here_isa;
	bool known;
	bool waiting;   /* behind an indirect branch: the stack is used if no address comes */
	bool popped;    /* the run begins where the stack says */
	bool addressed; /* `told_at` was given, and no P0 element since: another would correct it */
	bool unasked;   /* the same, but the address was not given: the stack has it, if it is used */
	uint64_t told_at;
	uint8_t told_isa;
	bool who_told;
	bool who_due; /* who executes was given, and nothing since */
	struct cairn_ete_who told;
	struct {
		uint64_t addr;
		uint8_t isa;
	} stack[ETE_STACK];
	unsigned top, depth;

	/* Runs that an atom ended under the same context: for ways that were not taken. */
	struct ete_past {
		uint64_t from, to; /* and where that atom led */
		uint8_t isa, to_isa;
		bool e, told; /* the atom; an address gives its target */
		bool event;   /* context synchronisation: nothing is traced behind it */
	} past[ETE_PAST];
	unsigned n_past;

	/* atoms not put yet: the oldest in bit 0 */
	uint32_t atoms;
	unsigned n_atoms;
	unsigned straight; /* how many of the youngest were not taken, in a row */

	uint64_t open; /* P0 elements not resolved */
	uint64_t since_commit;
	uint64_t bytes, sync_at, commit_at; /* bytes made; when to synchronise, and to commit */
	uint32_t q, source;                 /* P0 elements since the last one */
	uint64_t random;
	uint32_t cycles; /* not told yet */
	struct cairn_ete_tracer_stats stats;
};

/* ---- tracer_put.c ---- */

/* Any packet. */
void ete_put(struct cairn_ete_tracer *tracer, const struct cairn_ete_packet *packet);
/* Packets of a header only, or of a header and a count. */
void ete_put_type(struct cairn_ete_tracer *tracer, unsigned type);
void ete_put_count(struct cairn_ete_tracer *tracer, unsigned type, uint64_t count);
/* Put an address in its shortest form; with `base` that of a source address or Q packet:
 * ADDR_MATCH, SRC_MATCH or Q_MATCH. */
void ete_put_address(struct cairn_ete_tracer *tracer, unsigned base, uint64_t address, unsigned isa,
                     uint32_t count);
/* Who executes, and where unless `only`. */
void ete_put_where(struct cairn_ete_tracer *tracer, uint64_t address, unsigned isa, bool only);
/* Queue an atom; put what is queued. */
void ete_put_atom(struct cairn_ete_tracer *tracer, bool e);
void ete_put_atoms(struct cairn_ete_tracer *tracer);
/* A P0 element that is not an atom was put. */
void ete_opened(struct cairn_ete_tracer *tracer);
/* Resolve all that is open. */
void ete_commit_all(struct cairn_ete_tracer *tracer);
/* Put the youngest queued atom, with execution behind it that is taken back. */
void ete_put_noise(struct cairn_ete_tracer *tracer);
uint32_t ete_roll(struct cairn_ete_tracer *tracer, uint32_t n); /* 0 to n - 1 */

#endif
