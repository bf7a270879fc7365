/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as instructions for a machine: the first byte chooses the set and the length of vectors, then each instruction is
 * a byte that says what the trace tells of it, its encoding, and that. What is asserted: bits that
 * are not known are 0; what a step writes is what its registers hold then, and is named by
 * isa_written; a machine of which less is known never knows another value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/exec.h"
#include "isa/written.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_TOLD = 8, REGISTERS = 32 };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* ---- input ---- */

struct input {
	const uint8_t *p, *end;
};

static uint64_t take(struct input *in, unsigned n)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < n && in->p < in->end; i++)
		value |= (uint64_t)*in->p++ << 8 * i;
	return value;
}

/* Bits of an instruction's first byte: how many accesses are told, and what else there is. */
enum { TOLD = 7, COMPRESSED = 8, SET_REGISTER = 16, FORGET = 32 };

static unsigned take_told(struct input *in, unsigned n, struct cairn_step_told *told)
{
	static const uint8_t sizes[8] = {1, 2, 4, 8, 16, 8, 64, 3};
	for (unsigned i = 0; i < n; i++) {
		unsigned how = (unsigned)take(in, 1);
		unsigned size = sizes[how & 7];
		told[i] = (struct cairn_step_told){
			.address = take(in, 8),
			.size = (uint16_t)size,
			.kind = how & 8 ? CAIRN_MEM_WRITE : CAIRN_MEM_READ,
			.address_known = how >> 4 & 1,
			.bytes = how & 32 && (size_t)(in->end - in->p) >= size ? in->p : NULL};
		if (told[i].bytes)
			in->p += size;
	}
	return n;
}

/* ---- what must hold ---- */

static bool is_named(const struct isa_written *written, const struct cairn_step_reg *reg)
{
	for (unsigned i = 0; i < written->n; i++) {
		const struct isa_written_reg *row = &written->reg[i];
		if (row->cls == ISA_ANY_CLASS ||
		    (row->cls == reg->cls && reg->num >= row->num && reg->num - row->num < row->count))
			return true;
	}
	return false;
}

static void check_step(const struct cairn_machine *machine, const struct cairn_step *step,
                       const struct isa_written *written)
{
	check(!(step->next & ~step->next_known), "unknown bits of an address are 0");
	check(step->status != CAIRN_STEP_ILLEGAL || !step->n_regs, "what is illegal writes nothing");
	for (unsigned i = 0; i < step->n_regs; i++) {
		const struct cairn_step_reg *reg = &step->regs[i];
		uint8_t bytes[8], known[8];
		check(cairn_machine_get(machine, (enum cairn_reg_class)reg->cls, reg->num, 8, bytes, known),
		      "a register that is written is one");
		check(!written->told || is_named(written, reg), "isa_written names it");
		for (unsigned k = 0; k < reg->words; k++)
			check(!(step->value[reg->word + k] & ~step->known[reg->word + k]),
			      "unknown bits of a register are 0");
	}
	for (unsigned i = 0; i < step->n_accesses; i++) {
		const struct cairn_step_access *access = &step->accesses[i];
		check(access->size && access->words * 8 >= access->size, "an access has its bytes");
		check(!(access->address & ~access->address_known), "unknown bits of an address are 0");
	}
}

/* What `less` knows `more` knows, with the same value. */
static void check_below(const struct cairn_machine *less, const struct cairn_machine *more)
{
	static const enum cairn_reg_class classes[] = {CAIRN_REG_INT, CAIRN_REG_FP, CAIRN_REG_VECTOR,
	                                               CAIRN_REG_FLAGS};
	for (unsigned c = 0; c < 4; c++)
		for (unsigned num = 0; num < REGISTERS; num++) {
			uint8_t a[16], b[16], a_known[16], b_known[16];
			cairn_machine_get(less, classes[c], num, 16, a, a_known);
			cairn_machine_get(more, classes[c], num, 16, b, b_known);
			for (unsigned i = 0; i < 16; i++) {
				check(!(a[i] & ~a_known[i]), "unknown bits are 0");
				check(!((a[i] ^ b[i]) & a_known[i] & b_known[i]), "one value, not two");
			}
		}
}

static void set_register(struct input *in, struct cairn_machine *more, struct cairn_machine *less)
{
	static const enum cairn_reg_class classes[] = {CAIRN_REG_INT, CAIRN_REG_FP, CAIRN_REG_VECTOR,
	                                               CAIRN_REG_FLAGS, CAIRN_REG_CSR};
	/* fflags, frm, vstart, vxsat, vxrm, vl, vtype */
	static const uint16_t csrs[] = {1, 2, 8, 9, 10, 0xc20, 0xc21, 0xc21};
	unsigned which = (unsigned)take(in, 1), cls = which >> 7 ? 4 : which >> 5 & 3;
	unsigned num = which >> 7 ? csrs[which & 7] : which & 31;
	uint8_t bytes[8], known[8];
	uint64_t value = take(in, 8), is = take(in, 8);
	for (unsigned i = 0; i < 8; i++) {
		known[i] = (uint8_t)(is >> 8 * i);
		bytes[i] = (uint8_t)(value >> 8 * i);
	}
	cairn_machine_set(more, classes[cls], num, 8, bytes, NULL);
	cairn_machine_set(less, classes[cls], num, 8, bytes, known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const enum cairn_isa sets[] = {CAIRN_ISA_RV64, CAIRN_ISA_RV32, CAIRN_ISA_A64,
	                                      CAIRN_ISA_SPARC};
	struct input in = {data, data + n};
	struct cairn *cairn = cairn_new(NULL);
	unsigned first = (unsigned)take(&in, 1);
	enum cairn_isa isa = sets[first & 3];
	const struct cairn_machine_opts opts = {.size = sizeof opts,
	                                        .vector_bits = first & 4 ? 64u << (first >> 3 & 7) : 0,
	                                        .max_bytes = 1 << 20};
	struct cairn_machine *more = NULL, *less = NULL;
	uint64_t pc = 0x10000;
	if (cairn_machine_new(cairn, isa, &opts, &more) < 0 ||
	    cairn_machine_new(cairn, isa, &opts, &less) < 0)
		in.p = in.end;
	while (in.p < in.end) {
		struct cairn_step_told told[MOST_TOLD];
		struct isa_written written;
		unsigned how = (unsigned)take(&in, 1);
		unsigned size = how & COMPRESSED ? 2 : 4;
		if (how & SET_REGISTER)
			set_register(&in, more, less);
		if (how & FORGET)
			cairn_machine_forget_memory(less);
		uint32_t enc = (uint32_t)take(&in, size);
		unsigned n_told = take_told(&in, how & TOLD, told);
		isa_written(isa, enc, size, &written);
		check_step(more, cairn_machine_step(more, pc, enc, size, told, n_told), &written);
		check_step(less, cairn_machine_step(less, pc, enc, size, told, n_told), &written);
		check_below(less, more);
		pc += size;
	}
	cairn_machine_free(more);
	cairn_machine_free(less);
	cairn_free(cairn);
	return 0;
}
