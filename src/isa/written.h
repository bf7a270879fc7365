/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_WRITTEN_H
#define ISA_WRITTEN_H
/*
 * Which registers an instruction or an event changes, by its encoding, whether the trace holds the
 * new values or not. Code that remembers values of registers (the state at a place, an index,
 * slices) must forget exactly these, and decides it only here.
 *
 * There are two kinds. Registers that the encoding writes are `sure`: they answer "which
 * instruction wrote x1?". Others may have changed as well: other names of the same bits, flags
 * that accumulate, the rest of a vector group, results of a system call. The old value of both is
 * not known any more.
 */
#include <stdbool.h>
#include <stdint.h>

#include "cairn/isa.h"
#include "cairn/trace.h"

/* `count` registers of a class, or bits of one. */
struct isa_written_reg {
	uint16_t num, count;
	uint8_t cls;       /* enum cairn_reg_class; ISA_ANY_CLASS */
	uint8_t lsb, bits; /* of each; bits 0: all */
	bool sure;
};

enum { ISA_WRITTEN_MOST = 30, ISA_ANY_CLASS = 0xff, ISA_ALL_NUMBERS = 0xffff };

enum isa_store {
	ISA_STORES_NOT,
	ISA_STORES_TAGS,  /* nothing but allocation tags, which memory does not show */
	ISA_STORES_MAYBE, /* by a condition: a predicate, a reservation, a comparison */
	ISA_STORES
};

struct isa_written {
	uint8_t n;
	int8_t window;  /* SPARC: 1 the next window comes, -1 the one before */
	uint8_t store;  /* enum isa_store */
	bool told;      /* false: the set, or the encoding, is not decoded: anything may be written */
	uint16_t bytes; /* a sure store writes at least this many; 0: not known */
	struct isa_written_reg reg[ISA_WRITTEN_MOST];
};

/* `isa` as cairn_isa_decode takes it. */
void isa_written(enum cairn_isa isa, uint32_t enc, unsigned size, struct isa_written *written);
/* What an exception, an interrupt, a system call or a return from one changes of the machine,
 * besides what instructions do. */
void isa_event_written(enum cairn_isa isa, enum cairn_event_kind kind, struct isa_written *written);
/* The other names of a register's bits: what writing it changes. */
void isa_aliases(enum cairn_isa isa, unsigned cls, unsigned num, struct isa_written *written);
/* Does the register change without being written, as counters do? Then its value is not known a
 * moment later. So are SPARC's registers of a stated window, since any save may reach them. */
bool isa_is_volatile(enum cairn_isa isa, unsigned cls, unsigned num);

/* ---- a memo of it ---- */

/* Encodings repeat, so answers are kept. A memo serves one thread at a time. */
struct cairn;
struct isa_written_memo;
struct isa_written_memo *isa_written_memo_new(struct cairn *cairn);
void isa_written_memo_free(struct isa_written_memo *memo);
/* The same answer as isa_written; valid until the next call. NULL when out of memory. */
const struct isa_written *isa_written_get(struct isa_written_memo *memo, enum cairn_isa isa,
                                          uint32_t enc, unsigned size);

/* ---- between the files of this room ---- */

/* Append; when there is no room left, anything may be written. */
void isa_written_add(struct isa_written *written, unsigned cls, unsigned num, unsigned count,
                     bool sure);
void isa_written_bits(struct isa_written *written, unsigned cls, unsigned num, unsigned lsb,
                      unsigned bits);
/* The part for A64, whose operands cairn_isa_operands does not give in full. */
void isa_arm64_written(const struct cairn_op *op, struct isa_written *written);
void isa_arm64_event_written(enum cairn_event_kind kind, struct isa_written *written);

#endif
