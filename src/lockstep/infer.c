/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instruction found, from what the trace tells of its accesses: the address tells the base
 * register, what was stored the register that held it, a result what was loaded.
 *
 * The machine is asked what the instruction makes of trial values. Only where it copies them, or adds
 * a constant to them, is the way back certain.
 */
#include "lockstep/walk.h"

#include <string.h>

#include "base/bytes.h"

/* Trial values: none is a sign or zero extension of a part of itself, or looks like another rotated. */
static const uint64_t trials[] = {1, UINT64_MAX, UINT64_C(0x5a5a1234a5c3d8e7),
                                  UINT64_C(0xa5a5edcb5a3c2718)};
enum { TRIALS = sizeof trials / sizeof *trials };

/* ---- what is read ---- */

struct lockstep_sources lockstep_sources(struct lockstep *lockstep)
{
	const struct cairn_insn *insn = &lockstep->batch->insns[lockstep->slot];
	enum cairn_isa isa = (enum cairn_isa)(insn->isa | insn->variant);
	uint32_t hash = (insn->enc ^ (uint32_t)insn->size << 30) * UINT32_C(0x9e3779b1);
	struct lockstep_memo *memo = &lockstep->saved->memo[hash >> (32 - MEMO_BITS)];
	struct cairn_operands *operands = &lockstep->saved->operands;
	if (memo->size && memo->enc == insn->enc && memo->size == insn->size && memo->isa == isa)
		return (struct lockstep_sources){memo->n, memo->row};
	if (cairn_isa_operands(isa, insn->enc, insn->size, operands) < 0)
		operands->n_src = 0;
	if (operands->n_src <= MEMO_SOURCES) {
		memo->enc = insn->enc;
		memo->isa = isa;
		memo->size = insn->size;
		memo->n = operands->n_src;
		memcpy(memo->row, operands->src, sizeof memo->row);
	}
	return (struct lockstep_sources){operands->n_src, operands->src};
}

/* ---- trials ---- */

static void nowhere_read(void *user, uint64_t address, unsigned size, uint8_t *bytes,
                         uint8_t *known)
{
	(void)user;
	(void)address;
	memset(bytes, 0, size);
	memset(known, 0, size);
}

static void nowhere_write(void *user, uint64_t address, unsigned size, const uint8_t *bytes,
                          const uint8_t *known)
{
	(void)user;
	(void)address;
	(void)size;
	(void)bytes;
	(void)known;
}

static void nowhere_forget(void *user)
{
	(void)user;
}

static const struct cairn_machine_memory nowhere = {sizeof nowhere, NULL, nowhere_read,
                                                    nowhere_write, nowhere_forget};

/* The machine as it was, while instructions are tried on it. */
struct trial {
	struct cairn_machine *machine;
	const struct cairn_insn *insn;
	struct exec_memory *memory;
	struct cairn_machine_memory outside;
	struct exec_saved *saved;
};

static struct trial trial_begin(struct lockstep *lockstep)
{
	struct trial trial = {.machine = lockstep->hart->machine,
	                      .insn = &lockstep->batch->insns[lockstep->slot],
	                      .memory = lockstep->hart->machine->memory,
	                      .outside = lockstep->hart->machine->outside,
	                      .saved = &lockstep->saved->machine};
	exec_save(trial.machine, trial.saved);
	trial.machine->memory = NULL;
	trial.machine->outside = nowhere;
	return trial;
}

static void trial_end(const struct trial *trial)
{
	exec_restore(trial->machine, trial->saved);
	trial->machine->memory = trial->memory;
	trial->machine->outside = trial->outside;
}

/* The step that the instruction makes where `place` holds `value`. */
static const struct cairn_step *trial_step(const struct trial *trial,
                                           const struct exec_place *place, uint64_t value)
{
	exec_restore(trial->machine, trial->saved);
	struct exec_bits *word = &trial->machine->word[place->word];
	*word = bits_known(value);
	if (place->extends)
		*word = bits_sign_extend(*word, 32);
	return cairn_machine_step(trial->machine, trial->insn->pc, trial->insn->enc, trial->insn->size,
	                          NULL, 0);
}

/* ---- the base of an address ---- */

/* The accesses of one kind and size, of which the trace and the machine have the same number. Which of
 * the trace's is which of the machine's is not known, but that the lowest is the lowest. */
struct lowest {
	uint8_t kind;
	uint16_t size;
	unsigned n;
	uint64_t address;
};

static bool lowest_told(const struct lockstep *lockstep, struct lowest *lowest)
{
	const struct cairn_step_told *told = lockstep->told;
	*lowest = (struct lowest){told[0].kind, told[0].size, 0, UINT64_MAX};
	for (unsigned i = 0; i < lockstep->n_told; i++) {
		if (told[i].kind != lowest->kind || told[i].size != lowest->size)
			continue;
		if (!told[i].address_known)
			return false;
		lowest->n++;
		if (told[i].address < lowest->address)
			lowest->address = told[i].address;
	}
	return lowest->n != 0;
}

static bool lowest_made(const struct cairn_step *step, const struct lowest *like, uint64_t *address)
{
	unsigned n = 0;
	*address = UINT64_MAX;
	for (unsigned i = 0; i < step->n_accesses; i++) {
		const struct cairn_step_access *access = &step->accesses[i];
		if (access->kind != like->kind || access->size != like->size)
			continue;
		if (access->address_known != UINT64_MAX)
			return false;
		n++;
		if (access->address < *address)
			*address = access->address;
	}
	return step->status == CAIRN_STEP_DONE && n == like->n;
}

/* Is the address the register and a constant? Then *base is what the register held. `at_0`: the
 * lowest address where it holds 0; accesses that lie around the end of the address space are none. */
static bool base_of(const struct trial *trial, const struct exec_place *place,
                    const struct lowest *told, uint64_t *base)
{
	const uint64_t middle = UINT64_C(0x4000000040000000);
	uint64_t mask = place->size == 4 ? UINT32_MAX : UINT64_MAX, at, from;
	if (!lowest_made(trial_step(trial, place, middle), told, &from))
		return false;
	for (unsigned i = 0; i < TRIALS; i++) {
		/* One access wherever it lies; several only where none is cut off from the others. */
		uint64_t value = told->n == 1 ? trials[i] : middle + (trials[i] & 0xfff000);
		if (!lowest_made(trial_step(trial, place, value), told, &at) ||
		    ((at - from) ^ (value - middle)) & mask)
			return false;
	}
	*base = (told->address - from + middle) & mask;
	return lowest_made(trial_step(trial, place, *base), told, &at) && at == told->address;
}

/* ---- a register that was stored ---- */

/* The one access of its kind that the trace tells with contents, of at most 8 bytes. */
static const struct cairn_step_told *only_told(const struct lockstep *lockstep, uint8_t kind)
{
	const struct cairn_step_told *only = NULL;
	for (unsigned i = 0; i < lockstep->n_told; i++) {
		if (lockstep->told[i].kind == kind && only)
			return NULL;
		if (lockstep->told[i].kind == kind)
			only = &lockstep->told[i];
	}
	return only && only->size <= 8 ? only : NULL;
}

static const struct cairn_step_access *only_made(const struct cairn_step *step, uint8_t kind,
                                                 unsigned size)
{
	const struct cairn_step_access *only = NULL;
	for (unsigned i = 0; i < step->n_accesses; i++) {
		if (step->accesses[i].kind == kind && only)
			return NULL;
		if (step->accesses[i].kind == kind)
			only = &step->accesses[i];
	}
	return only && only->size == size && !only->maybe && step->status == CAIRN_STEP_DONE ? only
	                                                                                     : NULL;
}

static uint64_t low_bytes(unsigned size)
{
	return size < 8 ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;
}

/* Is what is stored the low bytes of the register? */
static bool is_stored(const struct trial *trial, const struct exec_place *place, unsigned size)
{
	uint64_t mask = low_bytes(size);
	for (unsigned i = 0; i < TRIALS; i++) {
		const struct cairn_step *step = trial_step(trial, place, trials[i]);
		const struct cairn_step_access *access = only_made(step, CAIRN_MEM_WRITE, size);
		if (!access || (step->known[access->word] & mask) != mask ||
		    (step->value[access->word] ^ trials[i]) & mask)
			return false;
	}
	return true;
}

/* ---- registers before the instruction ---- */

static uint64_t number_of(const struct lockstep *lockstep, const struct cairn_step_told *told)
{
	uint64_t number = 0;
	bool big = lockstep->hart->machine->set->big_endian;
	for (unsigned i = 0; i < told->size; i++)
		number |= (uint64_t)told->bytes[i] << 8 * (big ? told->size - 1u - i : i);
	return number;
}

/* Bits of a word become known where they were not; what contradicts them is left alone. */
static void learn(struct cairn_machine *machine, const struct exec_place *place, uint64_t value,
                  uint64_t mask)
{
	struct exec_bits *word = &machine->word[place->word];
	if ((word->value ^ value) & word->known & mask)
		return;
	word->value |= value & mask;
	word->known |= mask;
	if (place->extends)
		*word = bits_sign_extend(*word, 32);
}

/* Which bits of a base an address tells: not those that A64 may take for a tag. */
static uint64_t base_bits(const struct lockstep *lockstep, const struct exec_place *place)
{
	if (lockstep_set(lockstep->hart->isa) == CAIRN_ISA_A64)
		return (UINT64_C(1) << 56) - 1;
	return place->size == 4 ? UINT32_MAX : UINT64_MAX;
}

static void infer_register(struct lockstep *lockstep, const struct exec_place *place)
{
	struct cairn_machine *machine = lockstep->hart->machine;
	const struct cairn_step_told *stored = only_told(lockstep, CAIRN_MEM_WRITE);
	uint64_t known = machine->word[place->word].known, mask = base_bits(lockstep, place), base = 0;
	uint64_t low = stored && stored->bytes ? low_bytes(stored->size) : 0;
	struct lowest lowest = {0};
	bool wants_base = (known & mask) != mask && lowest_told(lockstep, &lowest);
	bool wants_stored = (known & low) != low;
	if (!wants_base && !wants_stored)
		return;
	struct trial trial = trial_begin(lockstep);
	wants_base = wants_base && base_of(&trial, place, &lowest, &base);
	wants_stored = wants_stored && is_stored(&trial, place, stored->size);
	trial_end(&trial);
	if (wants_base)
		learn(machine, place, base, mask);
	if (wants_stored)
		learn(machine, place, number_of(lockstep, stored), low);
}

/* ---- which access is which ---- */

/* How many of the trace's accesses are alike. */
static unsigned told_like(const struct lockstep *lockstep, unsigned kind, unsigned size)
{
	unsigned n = 0;
	for (unsigned i = 0; i < lockstep->n_told; i++)
		n += lockstep->told[i].kind == kind && lockstep->told[i].size == size;
	return n;
}

/* Bits of addresses that tell accesses apart. */
static const uint64_t place_bits = (UINT64_C(1) << 56) - 1;

bool lockstep_is_access(const struct lockstep *lockstep, unsigned index)
{
	const struct cairn_step *step = lockstep->step;
	const struct cairn_step_access *access = &step->accesses[index];
	const struct cairn_step_told *told =
		&lockstep->told[lockstep->hart->machine->told_of[index] - 1];
	unsigned like = 0;
	if (told->address_known && (access->address_known & place_bits) == place_bits)
		return !((told->address ^ access->address) & access->address_known);
	for (unsigned i = 0; i < step->n_accesses; i++)
		like += step->accesses[i].kind == access->kind && step->accesses[i].size == access->size;
	return like == 1 && told_like(lockstep, told->kind, told->size) == 1;
}

/* Are the addresses of all accesses like this one known to the machine? */
static bool places_known(struct lockstep *lockstep, const struct cairn_step_told *told)
{
	static const struct exec_place none = {.word = EXEC_NOWHERE, .words = 1};
	struct trial trial = trial_begin(lockstep);
	const struct cairn_step *step = trial_step(&trial, &none, 0);
	bool known = step->status == CAIRN_STEP_DONE;
	for (unsigned i = 0; i < step->n_accesses; i++)
		known &= step->accesses[i].kind != told->kind || step->accesses[i].size != told->size ||
		         (step->accesses[i].address_known & place_bits) == place_bits;
	trial_end(&trial);
	return known;
}

/* Contents of several accesses that are alike tell nothing where it is not known which is which. */
static void doubt_order(struct lockstep *lockstep)
{
	for (unsigned i = 0; i < lockstep->n_told; i++) {
		struct cairn_step_told *told = &lockstep->told[i];
		if (told->bytes && told_like(lockstep, told->kind, told->size) > 1 &&
		    (!told->address_known || !places_known(lockstep, told)))
			told->bytes = NULL;
	}
}

static void infer_registers(struct lockstep *lockstep)
{
	const struct cairn_machine *machine = lockstep->hart->machine;
	const struct lockstep_sources sources = lockstep_sources(lockstep);
	for (unsigned i = 0; i < sources.n; i++) {
		const struct cairn_operand *source = &sources.row[i];
		struct exec_place place = exec_place_of(machine, source->cls, source->num);
		if ((source->cls == CAIRN_REG_INT || source->cls == CAIRN_REG_FP) && place.words == 1 &&
		    place.word < EXEC_WORDS && !place.is_part && !place.shift)
			infer_register(lockstep, &place);
	}
}

void lockstep_infer(struct lockstep *lockstep)
{
	if (exec_in_sequence(lockstep->hart->machine))
		return; /* a trial is no instruction of it */
	if (lockstep->n_told && !lockstep->differs && !lockstep->distrust)
		infer_registers(lockstep);
	if (lockstep->n_told > 1)
		doubt_order(lockstep);
}

/* ---- contents that were loaded ---- */

/* The low bytes of a result that the trace tells whole. */
static bool told_result(const struct lockstep *lockstep, const struct cairn_step_reg *made,
                        unsigned size, uint64_t *value)
{
	const struct cairn_batch *batch = lockstep->batch;
	const struct cairn_insn *insn = &batch->insns[lockstep->slot];
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		if (reg->role != CAIRN_ROLE_DST || reg->cls != made->cls || reg->num != made->num ||
		    reg->lsb || reg->bits < 8 * size ||
		    (reg->flags & (CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE)) != CAIRN_VALUE_KNOWN)
			continue;
		*value = reg->value & low_bytes(size);
		return true;
	}
	return false;
}

/* Does register `at` of the step get what is loaded in its low bytes? */
static bool is_loaded(struct trial *trial, const struct cairn_step_told *told, unsigned at,
                      const struct cairn_step_reg *made)
{
	uint64_t mask = low_bytes(told->size);
	struct cairn_step_told try = *told;
	uint8_t bytes[8];
	for (unsigned i = 0; i < TRIALS; i++) {
		for (unsigned k = 0; k < told->size; k++)
			bytes[k] = (uint8_t)(trials[i] >>
			                     8 * (trial->machine->set->big_endian ? told->size - 1u - k : k));
		try.bytes = bytes;
		exec_restore(trial->machine, trial->saved);
		const struct cairn_step *step = cairn_machine_step(
			trial->machine, trial->insn->pc, trial->insn->enc, trial->insn->size, &try, 1);
		const struct cairn_step_reg *reg = &step->regs[at];
		if (at >= step->n_regs || reg->cls != made->cls || reg->num != made->num ||
		    !only_made(step, CAIRN_MEM_READ, told->size) ||
		    (step->known[reg->word] & mask) != mask || (step->value[reg->word] ^ trials[i]) & mask)
			return false;
	}
	return true;
}

bool lockstep_infer_loaded(struct lockstep *lockstep, uint64_t *value)
{
	const struct cairn_step *step = lockstep->step;
	const struct cairn_step_told *told = only_told(lockstep, CAIRN_MEM_READ);
	if (exec_in_sequence(lockstep->hart->machine) || !told || told->bytes ||
	    lockstep->n_told != 1 || lockstep->differs || lockstep->distrust ||
	    !only_made(step, CAIRN_MEM_READ, told->size))
		return false;
	for (unsigned i = 0; i < step->n_regs; i++) {
		struct cairn_step_reg made = step->regs[i];
		if (!told_result(lockstep, &made, told->size, value))
			continue;
		struct trial trial = trial_begin(lockstep);
		bool found = is_loaded(&trial, told, i, &made);
		trial_end(&trial);
		/* The trial has overwritten the step, of which nothing is asked any more. */
		return found;
	}
	return false;
}
