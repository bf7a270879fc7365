/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as instructions for a machine: the first byte chooses the set and the length of vectors, then each instruction is
 * a byte that says what the trace tells of it, its encoding, and that. What is asserted: bits that
 * are not known are 0; what a step writes is what its registers hold then, and is named by
 * isa_written, and nothing else changes; memory changes where the step or the trace says that it was accessed; a
 * machine of which less is known never knows another value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/exec.h"
#include "exec/machine.h"
#include "isa/arm64.h"
#include "isa/written.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_TOLD = 8, PLACES = 1 << 12 };

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

/* ---- what changes ---- */

static void mark(const struct cairn_machine *machine, unsigned cls, unsigned from, unsigned count,
                 bool *words)
{
	for (unsigned num = from; num - from < count; num++) {
		struct exec_place place = machine->set->place(machine, (enum cairn_reg_class)cls, num);
		for (unsigned i = 0; i < place.words && place.word + i < EXEC_WORDS; i++)
			words[place.word + i] = true;
	}
}

/* The words that are registers, and not a machine's own. */
static void find_registers(const struct cairn_machine *machine, bool *words)
{
	static const uint16_t csrs[] = {0xc20, 0xc21, ISA_ARM64_FPCR, ISA_ARM64_FPSR};
	for (unsigned cls = CAIRN_REG_INT; cls <= CAIRN_REG_FLAGS; cls++)
		mark(machine, cls, 0, cls == CAIRN_REG_CSR ? 32 : 64, words);
	for (unsigned i = 0; i < sizeof csrs / sizeof *csrs; i++)
		mark(machine, CAIRN_REG_CSR, csrs[i], 1, words);
}

/* What is known of a register stays as it is if isa_written does not name it, but for where SPARC's control goes. */
static void check_changes(const struct cairn_machine *machine, const struct exec_bits *before,
                          const struct isa_written *written, const bool *registers)
{
	bool may[EXEC_WORDS] = {false};
	if (!written->told || written->window || machine->step.status == CAIRN_STEP_TRAP)
		return;
	mark(machine, CAIRN_REG_PC, 0, 2, may);
	for (unsigned i = 0; i < written->n; i++) {
		if (written->reg[i].cls == ISA_ANY_CLASS)
			return;
		mark(machine, written->reg[i].cls, written->reg[i].num, written->reg[i].count, may);
	}
	for (unsigned i = 0; i < EXEC_WORDS; i++) {
		struct exec_bits is = machine->word[i];
		check(
			may[i] || !registers[i] ||
				!((before[i].known & ~is.known) | ((before[i].value ^ is.value) & before[i].known)),
			"a register changes only if isa_written names it");
	}
}

/* Memory outside of the machines: some bytes, and what was written in the step. */
struct outside {
	struct {
		uint64_t address;
		uint8_t byte, known;
	} places[PLACES];
	bool forgets;
	unsigned n;
	struct {
		uint64_t address;
		unsigned size;
	} writes[EXEC_MOST_ACCESSES];
};

static void outside_read(void *user, uint64_t address, unsigned size, uint8_t *bytes,
                         uint8_t *known)
{
	const struct outside *outside = user;
	for (unsigned i = 0; i < size; i++) {
		unsigned at = (unsigned)(address + i) % PLACES;
		bool has = outside->places[at].address == address + i;
		known[i] = has ? outside->places[at].known : 0;
		bytes[i] = has ? outside->places[at].byte & known[i] : 0;
	}
}

static void outside_write(void *user, uint64_t address, unsigned size, const uint8_t *bytes,
                          const uint8_t *known)
{
	struct outside *outside = user;
	for (unsigned i = 0; i < size; i++) {
		unsigned at = (unsigned)(address + i) % PLACES;
		outside->places[at].address = address + i;
		outside->places[at].known = known ? known[i] : 0xff;
		outside->places[at].byte = bytes[i];
	}
	if (outside->n < EXEC_MOST_ACCESSES) {
		outside->writes[outside->n].address = address;
		outside->writes[outside->n++].size = size;
	}
}

static void outside_forget(void *user)
{
	struct outside *outside = user;
	for (unsigned i = 0; i < PLACES; i++)
		outside->places[i].known = 0;
	outside->forgets = true;
}

/* Is a byte one of an access of the step, or of one that the trace tells? */
static bool is_accessed(const struct cairn_step *step, const struct cairn_step_told *told,
                        unsigned n_told, uint64_t address)
{
	for (unsigned i = 0; i < step->n_accesses; i++) {
		const struct cairn_step_access *access = &step->accesses[i];
		uint64_t offset = (address ^ access->address) & access->address_known;
		if (address - access->address < access->size ||
		    (access->address_known != UINT64_MAX && offset < access->size))
			return true;
	}
	for (unsigned i = 0; i < n_told; i++)
		if (told[i].address_known && address - told[i].address < told[i].size)
			return true;
	return false;
}

static void check_memory(struct outside *outside, const struct cairn_step *step,
                         const struct cairn_step_told *told, unsigned n_told,
                         const struct isa_written *written)
{
	for (unsigned i = 0; i < outside->n; i++)
		for (unsigned k = 0; k < outside->writes[i].size; k++)
			check(is_accessed(step, told, n_told, outside->writes[i].address + k),
			      "memory changes only where it is accessed");
	bool stores = !written->told || written->store == ISA_STORES ||
	              written->store == ISA_STORES_MAYBE || step->status == CAIRN_STEP_TRAP;
	for (unsigned i = 0; i < n_told; i++)
		stores |= told[i].kind == CAIRN_MEM_WRITE;
	check(!outside->forgets || stores, "what does not store leaves memory as it is");
	outside->n = 0;
	outside->forgets = false;
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
static void check_below(const struct cairn_machine *less, const struct cairn_machine *more,
                        const bool *registers)
{
	for (unsigned i = 0; i < EXEC_WORDS; i++) {
		struct exec_bits a = less->word[i], b = more->word[i];
		check(!registers[i] || !(a.value & ~a.known), "unknown bits are 0");
		check(!registers[i] || !((a.value ^ b.value) & a.known & b.known), "one value, not two");
	}
}

/* The same of memory that the steps have accessed. */
static void check_memory_below(struct cairn_machine *less, struct cairn_machine *more)
{
	for (unsigned i = 0; i < more->step.n_accesses; i++) {
		const struct cairn_step_access *access = &more->accesses[i];
		uint8_t a[64], b[64], a_known[64], b_known[64];
		unsigned size = access->size < 64 ? access->size : 64;
		cairn_machine_read(less, access->address, size, a, a_known);
		cairn_machine_read(more, access->address, size, b, b_known);
		for (unsigned k = 0; k < size; k++)
			check(!((a[k] ^ b[k]) & a_known[k] & b_known[k]), "one value of a byte, not two");
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
	static struct outside outside;
	const struct cairn_machine_memory memory = {.size = sizeof memory,
	                                            .user = &outside,
	                                            .read = outside_read,
	                                            .write = outside_write,
	                                            .forget = outside_forget};
	struct cairn_machine_opts with = opts;
	struct cairn_machine *more = NULL, *less = NULL;
	static struct exec_bits before[EXEC_ALL_WORDS];
	bool registers[EXEC_WORDS] = {false};
	memset(&outside, 0, sizeof outside);
	with.memory = &memory;
	uint64_t pc = 0x10000;
	if (cairn_machine_new(cairn, isa, &opts, &more) < 0 ||
	    cairn_machine_new(cairn, isa, &with, &less) < 0)
		in.p = in.end;
	else
		find_registers(more, registers);
	while (in.p < in.end) {
		struct cairn_step_told told[MOST_TOLD];
		struct isa_written written;
		unsigned how = (unsigned)take(&in, 1);
		unsigned size = how & COMPRESSED ? 2 : 4;
		if (how & SET_REGISTER)
			set_register(&in, more, less);
		if (how & FORGET)
			cairn_machine_forget_memory(less);
		outside.forgets = false;
		uint32_t enc = (uint32_t)take(&in, size);
		unsigned n_told = take_told(&in, how & TOLD, told);
		isa_written(isa, enc, size, &written);
		memcpy(before, more->word, sizeof before);
		check_step(more, cairn_machine_step(more, pc, enc, size, told, n_told), &written);
		check_changes(more, before, &written, registers);
		memcpy(before, less->word, sizeof before);
		const struct cairn_step *step = cairn_machine_step(less, pc, enc, size, told, n_told);
		check_step(less, step, &written);
		check_changes(less, before, &written, registers);
		check_memory(&outside, step, told, n_told, &written);
		check_below(less, more, registers);
		check_memory_below(less, more);
		pc += size;
	}
	cairn_machine_free(more);
	cairn_machine_free(less);
	cairn_free(cairn);
	return 0;
}
