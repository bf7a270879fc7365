/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_WALK_H
#define ETE_WALK_H
/*
 * Random programs of A64, A32 and T32, and random ways through them: what is put into a
 * tracer, and the log a decoder of its bytes must give. Everything follows from a seed.
 */
#include <stdbool.h>

#include "cairn/cairn.h"

enum { WALK_BYTES = 1 << 14 };
#define WALK_BASE UINT64_C(0x80000)            /* where all instruction sets may be */
#define WALK_HIGH UINT64_C(0xffff000012340000) /* A64 only; the same bytes */

enum walk_kind {
	WALK_INSN,
	WALK_EXCEPTION,
	WALK_RESET,
	WALK_EVENT,
	WALK_INSTRUMENTATION,
	WALK_TIME,
	WALK_START,
	WALK_COMMIT,
	WALK_FAIL,
	WALK_BREAK
};

/* One thing that happened, as bytes that can be compared. */
struct walk_row {
	uint64_t pc, value;
	uint32_t ctxid, vmid;
	uint8_t kind, isa, taken, el, security, pad[3];
};
struct walk_log {
	struct walk_row *rows;
	size_t n, cap;
};

struct walk {
	struct cairn *cairn;
	struct cairn_image *image;
	uint8_t bytes[WALK_BYTES];
	uint64_t random;
	const uint8_t *choices; /* taken first, where given */
	size_t n_choices;
	bool wild;   /* also what loses instructions: resets */
	bool lawful; /* nothing that no processor does */
	struct cairn_ete_tracer_opts opts;
	struct cairn_ete_tracer *tracer;
	uint8_t *out;
	size_t n_out, cap_out;
	/* where it is */
	uint64_t pc, calls[8];
	uint8_t isa, call_isa[8], n_calls;
	struct cairn_ete_who who;
	uint64_t time, cycles, lost;
	size_t run; /* rows of the log before the last P0 element */
	bool in_transaction, waiting;
	bool called, started; /* the last instruction was a call of a higher level, a TSTART */
	bool committed;       /* a TCOMMIT ran since the transaction began */
	struct walk_log log;
};

/* A program, and options, of a seed. */
void walk_init(struct walk *walk, struct cairn *cairn, uint64_t seed);
void walk_free(struct walk *walk);
/* Trace so many steps; the bytes are w->out, the log w->log. 0, or the tracer's error. */
int walk_run(struct walk *walk, size_t steps);
/* The log of the bytes, as decoded. `gaps` counts what could not be followed. */
int walk_decode(struct walk *walk, struct walk_log *log, uint64_t *gaps);
/* Where the two differ: a sentence in `text`, or NULL. */
const char *walk_differs(const struct walk *walk, const struct walk_log *got, char *text,
                         size_t size);
uint32_t walk_roll(struct walk *walk, uint32_t n);

#endif
