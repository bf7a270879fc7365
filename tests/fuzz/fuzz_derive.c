/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a program whose trace is known: a machine of which all is known executes them, and tells a trace. Then
 * rows and values are taken out of it, by the bytes, too, and the rest is derived. What is asserted: the whole trace
 * contradicts no machine; what is derived of the rest is what the whole trace has; and the counts are right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "cairn/exec.h"
#include "cairn/format.h"
#include "isa/arm64.h"
#include "lockstep/lockstep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum {
	MOST_SLOTS = 200,
	MOST_REGS = 160, /* of a slot: all that there are, before the first */
	MOST_MEMS = 64,
	MOST_BYTES = 32, /* of a value */
	PLACES = 1 << 14
};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* ---- the trace ---- */

struct reg_row {
	struct cairn_reg reg;
	uint8_t bytes[MOST_BYTES];
	bool silent;     /* the register holds it, but the trace has no row */
	bool gone, bare; /* in the trace that is derived: no row; a row without its value */
};
struct mem_row {
	struct cairn_mem mem;
	uint8_t bytes[MOST_BYTES];
	bool bare, nowhere;
};
struct slot {
	struct cairn_insn insn;
	struct reg_row regs[MOST_REGS];
	struct mem_row mems[MOST_MEMS];
	unsigned n_regs, n_mems;
	bool quiet; /* its accesses are gone */
};

static struct slot slots[MOST_SLOTS];
static unsigned n_slots;
static enum cairn_isa isa;
static uint64_t random_state;

static bool chance(unsigned of_256)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 20 & 255) < of_256;
}

/* ---- memory of the machine: all of it is known at first ---- */

static struct {
	uint64_t address;
	uint8_t byte, known;
	bool used;
} places[PLACES];
static unsigned n_places;
static bool lost; /* more than there is room for, or any of it was written */

static unsigned place_of(uint64_t address)
{
	unsigned at = (unsigned)((address * 0x9e3779b97f4a7c15u) >> 40) % PLACES;
	while (places[at].used && places[at].address != address)
		at = (at + 1) % PLACES;
	return at;
}

static void memory_read(void *user, uint64_t address, unsigned size, uint8_t *bytes, uint8_t *known)
{
	(void)user;
	for (unsigned i = 0; i < size; i++) {
		unsigned at = place_of(address + i);
		known[i] = places[at].used ? places[at].known : 0xff;
		bytes[i] = places[at].used ? places[at].byte
		                           : (uint8_t)(((address + i) * 0x2545f4914f6cdd1du) >> 56);
		bytes[i] &= known[i];
	}
}

static void memory_write(void *user, uint64_t address, unsigned size, const uint8_t *bytes,
                         const uint8_t *known)
{
	(void)user;
	for (unsigned i = 0; i < size; i++) {
		unsigned at = place_of(address + i);
		if (n_places > PLACES / 2) {
			lost = true;
			return;
		}
		n_places += !places[at].used;
		places[at].used = true;
		places[at].address = address + i;
		places[at].byte = bytes[i];
		places[at].known = known ? known[i] : 0xff;
	}
}

static void memory_forget(void *user)
{
	(void)user;
	lost = true;
}

/* ---- telling it ---- */

/* A row of a register of which all is known. */
static void tell_reg(struct slot *slot, const struct cairn_machine *machine, unsigned cls,
                     unsigned num, unsigned role)
{
	uint8_t bytes[MOST_BYTES], known[MOST_BYTES];
	unsigned size =
		cairn_machine_get(machine, (enum cairn_reg_class)cls, num, MOST_BYTES, bytes, known);
	bool whole = size && size <= MOST_BYTES && slot->n_regs < MOST_REGS && cls != CAIRN_REG_PC;
	for (unsigned i = 0; i < size && whole; i++)
		whole = known[i] == 0xff;
	if (!whole)
		return;
	for (unsigned i = 0; i < slot->n_regs; i++)
		if (slot->regs[i].reg.cls == cls && slot->regs[i].reg.num == num &&
		    slot->regs[i].reg.role == role)
			return;
	struct reg_row *row = &slot->regs[slot->n_regs++];
	bool flags = cls == CAIRN_REG_FLAGS;
	*row = (struct reg_row){.reg = {.num = (uint16_t)num,
	                                .cls = (uint8_t)cls,
	                                .role = (uint8_t)role,
	                                .bits = flags && isa == CAIRN_ISA_A64 ? 4 : 8 * size,
	                                .flags = CAIRN_VALUE_KNOWN}};
	memcpy(row->bytes, bytes, size);
	for (unsigned i = 0; i < size && i < 8; i++)
		row->reg.value |= (uint64_t)bytes[i] << 8 * i;
}

static void tell_access(struct slot *slot, const struct cairn_step *step,
                        const struct cairn_step_access *access)
{
	if (access->maybe || access->address_known != UINT64_MAX || slot->n_mems == MOST_MEMS ||
	    access->size > MOST_BYTES) {
		lost = true;
		return;
	}
	struct mem_row *row = &slot->mems[slot->n_mems++];
	bool known = true;
	*row = (struct mem_row){
		.mem = {.addr = access->address, .size = access->size, .kind = access->kind}};
	for (unsigned i = 0; i < access->size; i++) {
		unsigned word = access->word + i / 8;
		known &= (step->known[word] >> i % 8 * 8 & 0xff) == 0xff;
		row->bytes[i] = (uint8_t)(step->value[word] >> i % 8 * 8);
		row->mem.value |= i < 8 ? (uint64_t)row->bytes[i] << 8 * i : 0;
	}
	row->mem.flags = known && (access->size <= 8 || isa != CAIRN_ISA_SPARC) ? CAIRN_VALUE_KNOWN : 0;
}

/* What goes: by chance, as of 256. */
static void strip(struct slot *slot, unsigned regs, unsigned mems, unsigned values)
{
	slot->quiet = chance(mems);
	for (unsigned i = 0; i < slot->n_regs; i++) {
		slot->regs[i].gone = chance(regs);
		slot->regs[i].bare = slot->regs[i].reg.role == CAIRN_ROLE_DST && chance(values / 2);
	}
	for (unsigned i = 0; i < slot->n_mems; i++) {
		slot->mems[i].bare = !(slot->mems[i].mem.flags & CAIRN_VALUE_KNOWN) || chance(values);
		slot->mems[i].nowhere = chance(values / 2);
	}
}

static void tell_sources(struct slot *slot, const struct cairn_machine *machine)
{
	struct cairn_operands operands;
	if (cairn_isa_operands(isa, slot->insn.enc, slot->insn.size, &operands) < 0)
		return;
	for (unsigned i = 0; i < operands.n_src; i++)
		tell_reg(slot, machine, operands.src[i].cls, operands.src[i].num, CAIRN_ROLE_SRC);
}

/* RISC-V's instructions write these without changing them. */
static void tell_silent(struct slot *slot, const struct cairn_machine *machine)
{
	static const uint16_t csrs[] = {1, 2, 3, 8, 9, 10, 15, 0xc20, 0xc21};
	for (unsigned i = 0; isa == CAIRN_ISA_RV64 && i < sizeof csrs / sizeof *csrs; i++) {
		unsigned n = slot->n_regs;
		tell_reg(slot, machine, CAIRN_REG_CSR, csrs[i], CAIRN_ROLE_DST);
		if (slot->n_regs > n)
			slot->regs[n].silent = true;
	}
}

/* Registers that a trace may tell before it begins. */
static void tell_all(struct slot *slot, const struct cairn_machine *machine)
{
	static const uint8_t classes[] = {CAIRN_REG_INT, CAIRN_REG_FP, CAIRN_REG_VECTOR};
	for (unsigned c = 0; c < sizeof classes; c++)
		for (unsigned num = 0; num < 32; num++)
			tell_reg(slot, machine, classes[c], num, CAIRN_ROLE_STATE);
	tell_reg(slot, machine, CAIRN_REG_FLAGS, 0, CAIRN_ROLE_STATE);
}

static void set_all(struct cairn_machine *machine)
{
	/* RISC-V: fcsr, vstart, vcsr, vl, vtype; A64: FPCR */
	static const struct {
		enum cairn_isa isa;
		uint16_t num;
		uint64_t value;
	} csrs[] = {{CAIRN_ISA_RV64, 3, 0},        {CAIRN_ISA_RV64, 8, 0},
	            {CAIRN_ISA_RV64, 15, 0},       {CAIRN_ISA_RV64, 0xc20, 2},
	            {CAIRN_ISA_RV64, 0xc21, 0xd8}, {CAIRN_ISA_A64, ISA_ARM64_FPCR, 0}};
	for (unsigned cls = CAIRN_REG_INT; cls <= CAIRN_REG_FLAGS; cls++)
		for (unsigned num = 0; num < 32 && cls != CAIRN_REG_CSR; num++) {
			uint8_t bytes[256];
			for (unsigned i = 0; i < sizeof bytes; i++) {
				(void)chance(0);
				bytes[i] = (uint8_t)(random_state >> 30);
			}
			cairn_machine_set(machine, (enum cairn_reg_class)cls, num, sizeof bytes, bytes, NULL);
		}
	for (unsigned i = 0; i < sizeof csrs / sizeof *csrs; i++) {
		uint8_t bytes[8] = {(uint8_t)csrs[i].value};
		if (csrs[i].isa == isa)
			cairn_machine_set(machine, CAIRN_REG_CSR, csrs[i].num, 8, bytes, NULL);
	}
}

/* Execute what the bytes say, up to where it is not known what comes next. */
static void make(struct cairn *cairn, const uint8_t *data, size_t n)
{
	const struct cairn_machine_memory memory = {.size = sizeof memory,
	                                            .read = memory_read,
	                                            .write = memory_write,
	                                            .forget = memory_forget};
	const struct cairn_machine_opts opts = {.size = sizeof opts,
	                                        .vector_bits = isa == CAIRN_ISA_RV64 ? 128 : 0,
	                                        .memory = &memory};
	struct cairn_machine *machine;
	uint64_t pc = 0x10000;
	if (cairn_machine_new(cairn, isa, &opts, &machine) < 0)
		return;
	set_all(machine);
	for (size_t at = 3; at < n && n_slots < MOST_SLOTS && !lost;) {
		struct slot *slot = &slots[n_slots];
		unsigned size = isa == CAIRN_ISA_RV64 && (data[at] & 3) != 3 ? 2 : 4;
		*slot = (struct slot){.insn = {.pc = pc, .size = (uint8_t)size, .isa = (uint8_t)isa}};
		for (unsigned i = 0; i < size && at < n; i++)
			slot->insn.enc |= (uint32_t)data[at++] << 8 * i;
		if (n_slots == 0)
			tell_all(slot, machine);
		tell_sources(slot, machine);
		const struct cairn_step *step =
			cairn_machine_step(machine, pc, slot->insn.enc, size, NULL, 0);
		if (step->status == CAIRN_STEP_ILLEGAL)
			continue;
		if (step->status == CAIRN_STEP_TRAP)
			break;
		for (unsigned i = 0; i < step->n_regs; i++)
			tell_reg(slot, machine, step->regs[i].cls, step->regs[i].num, CAIRN_ROLE_DST);
		tell_silent(slot, machine);
		for (unsigned i = 0; i < step->n_accesses; i++)
			tell_access(slot, step, &step->accesses[i]);
		strip(slot, data[1], data[2], data[1] ^ data[2]);
		n_slots += !lost;
		if (step->next_known != UINT64_MAX)
			break;
		pc = step->next;
	}
	cairn_machine_free(machine);
}

/* ---- the trace as a format ---- */

struct position {
	unsigned slot;
	bool whole;
};

static int rows_probe(void *user, const uint8_t *head, size_t n)
{
	(void)user, (void)head, (void)n;
	return 1;
}

static int rows_open(void *user, struct cairn_input *input, const char *options, void **state)
{
	struct position *position = calloc(1, sizeof *position);
	(void)user;
	if (!position)
		return CAIRN_E_NOMEM;
	position->whole = !strcmp(options, "whole");
	*state = position;
	return cairn_input_isa(input, isa);
}

static int put_reg(struct cairn_slot *slot, const struct reg_row *row, bool whole)
{
	struct cairn_reg reg = row->reg;
	if (row->silent || (!whole && row->gone))
		return 1;
	if (!whole && row->bare)
		reg.flags = 0;
	return cairn_slot_reg(slot, &reg, reg.flags && reg.bits > 64 ? row->bytes : NULL);
}

static int put_mem(struct cairn_slot *slot, const struct mem_row *row, bool whole)
{
	struct cairn_mem mem = row->mem;
	if (!whole && row->bare)
		mem.flags = 0;
	if (!whole && row->nowhere) {
		mem.flags |= CAIRN_VALUE_ADDR_UNKNOWN;
		mem.addr = 0;
	}
	return cairn_slot_mem(slot, &mem,
	                      mem.flags & CAIRN_VALUE_KNOWN && mem.size > 8 ? row->bytes : NULL);
}

static int rows_next(void *state, struct cairn_input *input, struct cairn_slot *out)
{
	struct position *position = state;
	(void)input;
	if (position->slot == n_slots)
		return 0;
	const struct slot *slot = &slots[position->slot++];
	int rc = 1;
	for (unsigned i = 0; i < slot->n_regs && rc > 0; i++)
		if (slot->regs[i].reg.role != CAIRN_ROLE_DST)
			rc = put_reg(out, &slot->regs[i], position->whole);
	if (rc > 0)
		rc = cairn_slot_insn(out, &slot->insn, NULL);
	for (unsigned i = 0; i < slot->n_mems && rc > 0; i++)
		if (position->whole || !slot->quiet)
			rc = put_mem(out, &slot->mems[i], position->whole);
	for (unsigned i = 0; i < slot->n_regs && rc > 0; i++)
		if (slot->regs[i].reg.role == CAIRN_ROLE_DST)
			rc = put_reg(out, &slot->regs[i], position->whole);
	return rc;
}

/* ---- what must hold ---- */

static int differs(void *user, const struct lockstep_difference *difference)
{
	(void)user;
	fprintf(stderr, "instruction %u, 0x%08x: %s\n", difference->slot + 1,
	        difference->batch->insns[difference->slot].enc, difference->text);
	check(false, "a trace that a machine tells contradicts none");
	return 0;
}

static void check_whole(struct cairn *cairn, const uint8_t *data, size_t n)
{
	const struct cairn_open_opts opts = {.size = sizeof opts, .from = "rows:whole"};
	const struct lockstep_opts walk = {.differs = differs, .most_texts = 1};
	struct cairn_reader *reader;
	struct lockstep *lockstep;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	check(cairn_open_memory(cairn, data, n, &opts, &reader) == 0, cairn_error_text(cairn));
	check(lockstep_new(cairn, &walk, &lockstep) >= 0, "a lockstep");
	int rc;
	while ((rc = cairn_next(reader, batch)) > 0)
		check(lockstep_batch(lockstep, batch) >= 0, "it walks");
	check(rc == 0, cairn_error_text(cairn));
	lockstep_free(lockstep);
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
}

static bool same_bytes(const struct cairn_batch *batch, uint8_t flags, uint64_t value,
                       const uint8_t *bytes, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		uint8_t byte = 0;
		if (flags & CAIRN_VALUE_WIDE)
			byte = batch->bytes[value + i];
		else if (i < 8)
			byte = (uint8_t)(value >> 8 * i);
		if (byte != bytes[i])
			return false;
	}
	return true;
}

static void check_reg(const struct cairn_batch *batch, const struct slot *slot,
                      const struct cairn_reg *reg)
{
	for (unsigned i = 0; i < slot->n_regs; i++) {
		const struct reg_row *row = &slot->regs[i];
		bool behind = reg->role == CAIRN_ROLE_DST, told_behind = row->reg.role == CAIRN_ROLE_DST;
		if (row->reg.cls != reg->cls || row->reg.num != reg->num || behind != told_behind)
			continue;
		check(same_bytes(batch, reg->flags, reg->value, row->bytes, (row->reg.bits + 7) / 8),
		      "a register that is derived is what it was");
		return;
	}
	check(false, "a register that is derived is one of the instruction, and known");
}

static void check_mem(const struct cairn_batch *batch, const struct slot *slot,
                      const struct cairn_mem *mem)
{
	if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN)
		return;
	for (unsigned i = 0; i < slot->n_mems; i++) {
		const struct cairn_mem *row = &slot->mems[i].mem;
		if (row->addr == mem->addr && row->size == mem->size && row->kind == mem->kind &&
		    (!(mem->flags & CAIRN_VALUE_KNOWN) ||
		     same_bytes(batch, mem->flags, mem->value, slot->mems[i].bytes, mem->size)))
			return;
	}
	check(false, "an access that is derived is one of the instruction");
}

static void check_derived(struct cairn *cairn, const uint8_t *data, size_t n)
{
	const struct cairn_open_opts opts = {.size = sizeof opts, .from = "rows", .derive = 1};
	struct cairn_derived count = {.size = sizeof count};
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	uint64_t regs = 0, mems = 0;
	check(cairn_open_memory(cairn, data, n, &opts, &reader) == 0, cairn_error_text(cairn));
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++) {
			const struct cairn_insn *insn = &batch->insns[i];
			const struct slot *slot = &slots[batch->n0 + i - 1];
			for (uint32_t k = insn->reg0; k < insn[1].reg0; k++)
				if (batch->regs[k].flags & CAIRN_VALUE_DERIVED) {
					check_reg(batch, slot, &batch->regs[k]);
					regs++;
				}
			for (uint32_t k = insn->mem0; k < insn[1].mem0; k++)
				if (batch->mems[k].flags & CAIRN_VALUE_DERIVED) {
					check_mem(batch, slot, &batch->mems[k]);
					mems++;
				}
		}
	cairn_reader_derived(reader, &count);
	check(regs == count.results + count.sources, "each derived register counts");
	check(mems <= count.addresses + count.loads + count.stores && count.addresses <= mems &&
	          count.loads + count.stores <= mems,
	      "each derived access counts");
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const enum cairn_isa sets[] = {CAIRN_ISA_RV64, CAIRN_ISA_A64, CAIRN_ISA_SPARC};
	static const struct cairn_format rows = {
		.size = sizeof rows,
		.name = "rows",
		.flags = CAIRN_FORMAT_TELLS_FLOW | CAIRN_FORMAT_OPTIONS,
		.parts = CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES,
		.probe = rows_probe,
		.open = rows_open,
		.next = rows_next,
		.close = free};
	const struct cairn_format *const formats[] = {&rows};
	const struct cairn_opts opts = {.size = sizeof opts, .formats = formats, .n_formats = 1};
	if (n < 4)
		return 0;
	struct cairn *cairn = cairn_new(&opts);
	isa = sets[data[0] % 3];
	random_state = 0x123456789abcdefu ^ (uint64_t)data[0] << 56 ^ (uint64_t)data[1] << 32;
	memset(places, 0, sizeof places);
	n_places = n_slots = 0;
	lost = false;
	make(cairn, data, n);
	if (n_slots) {
		check_whole(cairn, data, n);
		check_derived(cairn, data, n);
	}
	cairn_free(cairn);
	return 0;
}
