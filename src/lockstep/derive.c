/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches with what follows. A lockstep walks each batch; around every instruction that it executes,
 * what its machine knows wholly and the trace does not tell becomes rows, or fills rows that lack it.
 * The rows of a batch are made anew beside it, because a slot's rows grow, and put back at its end.
 */
#include "lockstep/derive.h"

#include <string.h>

#include "base/bytes.h"
#include "isa/arm64.h"
#include "lockstep/walk.h"
#include "model/mark.h"
#include "model/model.h"

/* What a slot gets at most: more than any instruction but those that load whole vectors by elements
 * has. So a batch, which is half empty, has room whatever came before. */
enum { MOST_ADDED = 16, MOST_REG_BYTES = 128 };

struct derivation {
	struct model_derivation derivation; /* first */
	struct cairn *cairn;
	struct lockstep_told told;
	struct lockstep *lockstep;
	struct cairn_batch *batch;
	/* the new rows, of the slots before `slot` and of it, if `open` */
	struct cairn_reg *regs;
	struct cairn_mem *mems;
	uint32_t n_regs, n_mems, slot;
	uint16_t reg0[CAIRN_CAP_INSNS + 2], mem0[CAIRN_CAP_INSNS + 2];
	/* sources of the instruction at hand, added behind its own rows */
	struct cairn_reg sources[MOST_ADDED];
	unsigned n_sources;
	struct model_marking marking;
};

/* ---- values ---- */

/* A register of the machine, if all of it is known: its size in bytes, else 0. */
static unsigned known_register(const struct cairn_machine *machine, unsigned cls, unsigned num,
                               uint8_t bytes[MOST_REG_BYTES])
{
	uint8_t known[MOST_REG_BYTES];
	struct exec_place place = exec_place_of(machine, cls, num);
	if (!place.words || place.word >= EXEC_WORDS || place.size > MOST_REG_BYTES)
		return 0;
	if (place.size == 8 && place.words == 1 && !place.is_part && !place.shift) {
		base_put_le64(bytes, machine->word[place.word].value);
		return bits_all(machine->word[place.word]) ? 8 : 0;
	}
	cairn_machine_get(machine, (enum cairn_reg_class)cls, num, place.size, bytes, known);
	for (unsigned i = 0; i < place.size; i++)
		if (known[i] != 0xff)
			return 0;
	return place.size;
}

/* A value for a row; false: there is no room. */
static bool set_value(struct derivation *derivation, const uint8_t *bytes, unsigned size,
                      uint64_t *value, uint8_t *flags)
{
	struct cairn_batch *batch = derivation->batch;
	if (size <= 8) {
		*value = base_le(bytes, size);
	} else {
		uint32_t at = model_batch_bytes(batch, (size + 7u) / 8 * 8);
		if (at == UINT32_MAX)
			return false;
		memset(batch->bytes + at, 0, (size + 7u) / 8 * 8);
		memcpy(batch->bytes + at, bytes, size);
		*value = at;
		*flags |= CAIRN_VALUE_WIDE;
	}
	*flags |= CAIRN_VALUE_KNOWN | CAIRN_VALUE_DERIVED;
	return true;
}

/* Condition codes have fewer bits than their byte. */
static unsigned row_bits(const struct lockstep *lockstep, unsigned cls, unsigned size)
{
	bool a64 = lockstep_set(lockstep->hart->isa) == CAIRN_ISA_A64;
	return cls != CAIRN_REG_FLAGS ? 8 * size : a64 ? 4 : 8;
}

/* Fill a row that names a register, all or a part of it, without its value. */
static bool fill_register(struct derivation *derivation, struct cairn_reg *reg)
{
	uint8_t bytes[MOST_REG_BYTES];
	unsigned size = known_register(derivation->lockstep->hart->machine, reg->cls, reg->num, bytes);
	unsigned bits = reg->bits ? reg->bits : 8 * size;
	if (!size || reg->lsb % 8 || bits % 8 || reg->lsb + bits > 8 * size)
		return false;
	return set_value(derivation, bytes + reg->lsb / 8, bits / 8, &reg->value, &reg->flags);
}

/* ---- rows ---- */

/* Copy the rows of the slots up to and with `last`. */
static void copy_slots(struct derivation *derivation, uint32_t last)
{
	const struct cairn_batch *batch = derivation->batch;
	for (; derivation->slot <= last; derivation->slot++) {
		const struct cairn_insn *insn = &batch->insns[derivation->slot];
		uint32_t regs = insn[1].reg0 - insn[0].reg0, mems = insn[1].mem0 - insn[0].mem0;
		uint32_t shift = derivation->n_regs - insn->reg0;
		derivation->reg0[derivation->slot] = (uint16_t)derivation->n_regs;
		derivation->mem0[derivation->slot] = (uint16_t)derivation->n_mems;
		memcpy(derivation->regs + derivation->n_regs, batch->regs + insn->reg0,
		       regs * sizeof *batch->regs);
		memcpy(derivation->mems + derivation->n_mems, batch->mems + insn->mem0,
		       mems * sizeof *batch->mems);
		for (uint32_t k = 0; k < mems; k++)
			if (derivation->mems[derivation->n_mems + k].reg)
				derivation->mems[derivation->n_mems + k].reg =
					(uint16_t)(derivation->mems[derivation->n_mems + k].reg + shift);
		derivation->n_regs += regs;
		derivation->n_mems += mems;
	}
}

/* Is there room for a row, beside those that the slots to come have already? */
static bool has_room(uint32_t n, uint32_t cap, uint32_t all, uint32_t done)
{
	return n + (all - done) < cap;
}

static bool regs_have_room(const struct derivation *derivation)
{
	const struct cairn_batch *batch = derivation->batch;
	return has_room(derivation->n_regs, CAIRN_CAP_REGS, batch->n_regs,
	                batch->insns[derivation->slot].reg0);
}

static bool mems_have_room(const struct derivation *derivation)
{
	const struct cairn_batch *batch = derivation->batch;
	return has_room(derivation->n_mems, CAIRN_CAP_MEMS, batch->n_mems,
	                batch->insns[derivation->slot].mem0);
}

/* Rows that are added stand behind all others of their slot. */
static uint16_t last_seq(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	uint16_t seq = 0;
	if (insn[1].reg0 > insn->reg0)
		seq = batch->regs[insn[1].reg0 - 1].seq;
	if (insn[1].mem0 > insn->mem0 && batch->mems[insn[1].mem0 - 1].seq > seq)
		seq = batch->mems[insn[1].mem0 - 1].seq;
	if (insn[1].ev0 > insn->ev0 && batch->events[insn[1].ev0 - 1].seq > seq)
		seq = batch->events[insn[1].ev0 - 1].seq;
	return seq;
}

/* Two classes name the same registers in A64. */
static bool is_same(unsigned cls, unsigned num, unsigned other_cls, unsigned other_num)
{
	bool vectors = (cls == CAIRN_REG_FP && other_cls == CAIRN_REG_VECTOR) ||
	               (cls == CAIRN_REG_VECTOR && other_cls == CAIRN_REG_FP);
	return vectors ? num % 32 == other_num % 32 : cls == other_cls && num == other_num;
}

/* Do rows of V tell all of an SVE vector, piece by piece? */
static bool is_in_pieces(const struct lockstep *lockstep, const struct cairn_reg *reg, unsigned cls,
                         unsigned num)
{
	const struct cairn_machine *machine = lockstep->hart->machine;
	return machine->set == &exec_arm64 && cls == CAIRN_REG_VECTOR && reg->cls == cls &&
	       num == reg->num + (unsigned)ISA_ARM64_Z0 &&
	       lockstep_told_bits(lockstep->batch, &lockstep->batch->insns[lockstep->slot], reg) >=
	           machine->vector_bits;
}

/* Has the instruction at hand a row of this register that is of the time before it, or behind it? */
static bool has_row(const struct lockstep *lockstep, unsigned cls, unsigned num, bool behind)
{
	const struct cairn_batch *batch = lockstep->batch;
	const struct cairn_insn *insn = &batch->insns[lockstep->slot];
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		bool is_behind = reg->role == CAIRN_ROLE_DST || reg->role == CAIRN_ROLE_UNKNOWN;
		if (reg->role != CAIRN_ROLE_READY && is_behind == behind &&
		    (is_same(reg->cls, reg->num, cls, num) || is_in_pieces(lockstep, reg, cls, num)))
			return true;
	}
	return false;
}

/* ---- before an instruction ---- */

static bool is_source_again(const struct derivation *derivation, const struct cairn_operand *source)
{
	for (unsigned i = 0; i < derivation->n_sources; i++)
		if (derivation->sources[i].cls == source->cls && derivation->sources[i].num == source->num)
			return true;
	return false;
}

static void add_source(struct derivation *derivation, const struct cairn_operand *source)
{
	const struct lockstep *lockstep = derivation->lockstep;
	uint8_t bytes[MOST_REG_BYTES];
	unsigned size = known_register(lockstep->hart->machine, source->cls, source->num, bytes);
	if (!size || derivation->n_sources == MOST_ADDED / 2 || is_source_again(derivation, source) ||
	    isa_is_volatile(lockstep->hart->isa, source->cls, source->num) ||
	    has_row(lockstep, source->cls, source->num, false))
		return;
	struct cairn_reg *reg = &derivation->sources[derivation->n_sources];
	*reg = (struct cairn_reg){.num = source->num,
	                          .cls = source->cls,
	                          .role = CAIRN_ROLE_SRC,
	                          .bits = row_bits(lockstep, source->cls, size)};
	derivation->n_sources += set_value(derivation, bytes, size, &reg->value, &reg->flags);
}

static void derive_before(void *user)
{
	struct derivation *derivation = user;
	const struct lockstep *lockstep = derivation->lockstep;
	derivation->n_sources = 0;
	lockstep_infer(derivation->lockstep);
	copy_slots(derivation, lockstep->slot);
	for (uint32_t k = derivation->reg0[lockstep->slot]; k < derivation->n_regs; k++) {
		struct cairn_reg *reg = &derivation->regs[k];
		if (reg->role == CAIRN_ROLE_SRC && !(reg->flags & CAIRN_VALUE_KNOWN))
			derivation->derivation.count.sources += fill_register(derivation, reg);
	}
	const struct lockstep_sources sources = lockstep_sources(derivation->lockstep);
	for (unsigned i = 0; i < sources.n; i++)
		add_source(derivation, &sources.row[i]);
}

/* ---- behind it: accesses ---- */

/* The contents of an access as a row has them. */
static bool set_contents(struct derivation *derivation, const struct cairn_step_access *access,
                         struct cairn_mem *mem)
{
	const struct cairn_step *step = derivation->lockstep->step;
	uint8_t bytes[64];
	unsigned size = access->size;
	if (size > sizeof bytes || (size > 8 && derivation->lockstep->hart->machine->set->big_endian))
		return false;
	for (unsigned i = 0; i < size; i++) {
		unsigned at = access->word + i / 8;
		if ((step->known[at] >> i % 8 * 8 & 0xff) != 0xff)
			return false;
		bytes[i] = (uint8_t)(step->value[at] >> i % 8 * 8);
	}
	if (!size || !set_value(derivation, bytes, size, &mem->value, &mem->flags))
		return false;
	mem->words = (uint16_t)(size > 8 ? (size + 7) / 8 : 0);
	return true;
}

/* The row that a told access comes from; accesses are told in the order of rows (take_accesses). */
static struct cairn_mem *row_told(struct derivation *derivation, unsigned told)
{
	for (uint32_t k = derivation->mem0[derivation->lockstep->slot]; k < derivation->n_mems; k++) {
		struct cairn_mem *mem = &derivation->mems[k];
		if (mem->initiator != CAIRN_BY_INSN || mem->flags & CAIRN_VALUE_NOT_WRITTEN ||
		    mem->size > UINT16_MAX || (mem->kind != CAIRN_MEM_READ && mem->kind != CAIRN_MEM_WRITE))
			continue;
		if (told-- == 0)
			return mem;
	}
	return NULL;
}

static void count_contents(struct derivation *derivation, uint8_t kind, bool known)
{
	struct cairn_derived *count = &derivation->derivation.count;
	*(kind == CAIRN_MEM_READ ? &count->loads : &count->stores) += known;
}

static void fill_access(struct derivation *derivation, const struct cairn_step_access *access,
                        struct cairn_mem *mem)
{
	if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN && access->address_known == UINT64_MAX) {
		mem->addr = access->address;
		mem->flags = (uint8_t)((mem->flags & ~CAIRN_VALUE_ADDR_UNKNOWN) | CAIRN_VALUE_DERIVED);
		derivation->derivation.count.addresses++;
	}
	if (!(mem->flags & CAIRN_VALUE_KNOWN) && mem->size == access->size && !access->maybe)
		count_contents(derivation, access->kind, set_contents(derivation, access, mem));
}

static void add_access(struct derivation *derivation, const struct cairn_step_access *access,
                       uint16_t seq)
{
	if (access->address_known != UINT64_MAX || access->maybe || !mems_have_room(derivation))
		return;
	struct cairn_mem *mem = &derivation->mems[derivation->n_mems++];
	*mem = (struct cairn_mem){.addr = access->address,
	                          .size = access->size,
	                          .seq = seq,
	                          .kind = access->kind,
	                          .flags = CAIRN_VALUE_DERIVED};
	derivation->derivation.count.addresses++;
	count_contents(derivation, access->kind, set_contents(derivation, access, mem));
}

/* Where the trace tells any access of the instruction it has told all of them. */
static void derive_accesses(struct derivation *derivation, uint16_t seq)
{
	const struct lockstep *lockstep = derivation->lockstep;
	const struct cairn_step *step = lockstep->step;
	bool any = false;
	for (uint32_t k = derivation->mem0[lockstep->slot]; k < derivation->n_mems; k++)
		any |= derivation->mems[k].initiator == CAIRN_BY_INSN &&
		       derivation->mems[k].kind != CAIRN_MEM_FETCH;
	for (unsigned i = 0; i < step->n_accesses; i++) {
		unsigned told = lockstep->hart->machine->told_of[i];
		struct cairn_mem *mem = NULL;
		if (any && told && lockstep_is_access(lockstep, i))
			mem = row_told(derivation, told - 1);
		if (mem)
			fill_access(derivation, &step->accesses[i], mem);
		else if (!any && i < MOST_ADDED)
			add_access(derivation, &step->accesses[i], seq);
	}
}

/* What was loaded, from a result that is told. */
static void derive_loaded(struct derivation *derivation)
{
	struct lockstep *lockstep = derivation->lockstep;
	struct cairn_mem *mem = lockstep->n_told == 1 ? row_told(derivation, 0) : NULL;
	const struct cairn_step_told *told = lockstep->told;
	uint64_t value;
	uint8_t bytes[MOST_REG_BYTES], turned[8];
	if (!mem || mem->flags & CAIRN_VALUE_KNOWN || !lockstep_infer_loaded(lockstep, &value))
		return;
	base_put_le64(bytes, value);
	count_contents(
		derivation, mem->kind,
		set_value(derivation, bytes, told->size < 8 ? told->size : 8, &mem->value, &mem->flags));
	bool big = lockstep->hart->machine->set->big_endian;
	for (unsigned i = 0; i < told->size; i++)
		turned[i] = bytes[big ? told->size - 1u - i : i];
	if (told->address_known)
		cairn_machine_write(lockstep->hart->machine, told->address, told->size, turned, NULL);
}

/* ---- behind it: results ---- */

static void add_result(struct derivation *derivation, const struct cairn_step_reg *made,
                       uint16_t seq)
{
	const struct lockstep *lockstep = derivation->lockstep;
	uint8_t bytes[MOST_REG_BYTES];
	unsigned size = known_register(lockstep->hart->machine, made->cls, made->num, bytes);
	if (!size || made->cls == CAIRN_REG_PC || !regs_have_room(derivation) ||
	    isa_is_volatile(lockstep->hart->isa, made->cls, made->num) ||
	    has_row(lockstep, made->cls, made->num, true))
		return;
	for (uint32_t k = derivation->reg0[lockstep->slot]; k < derivation->n_regs; k++)
		if (derivation->regs[k].role == CAIRN_ROLE_DST && derivation->regs[k].cls == made->cls &&
		    derivation->regs[k].num == made->num)
			return; /* it was written twice */
	struct cairn_reg *reg = &derivation->regs[derivation->n_regs];
	*reg = (struct cairn_reg){.num = made->num,
	                          .cls = made->cls,
	                          .role = CAIRN_ROLE_DST,
	                          .seq = seq,
	                          .bits = row_bits(lockstep, made->cls, size)};
	if (made->cls == CAIRN_REG_VECTOR && lockstep_set(lockstep->hart->isa) == CAIRN_ISA_A64)
		reg->flags = CAIRN_VALUE_ZEROES;
	bool made_row = set_value(derivation, bytes, size, &reg->value, &reg->flags);
	derivation->n_regs += made_row;
	derivation->derivation.count.results += made_row;
}

static void derive_results(struct derivation *derivation, uint16_t seq)
{
	const struct lockstep *lockstep = derivation->lockstep;
	const struct cairn_step *step = lockstep->step;
	for (uint32_t k = derivation->reg0[lockstep->slot]; k < derivation->n_regs; k++) {
		struct cairn_reg *reg = &derivation->regs[k];
		if (reg->role == CAIRN_ROLE_DST && !(reg->flags & CAIRN_VALUE_KNOWN))
			derivation->derivation.count.results += fill_register(derivation, reg);
	}
	for (unsigned i = 0; i < derivation->n_sources && regs_have_room(derivation); i++) {
		derivation->regs[derivation->n_regs] = derivation->sources[i];
		derivation->regs[derivation->n_regs++].seq = seq;
		derivation->derivation.count.sources++;
	}
	for (unsigned i = 0; i < step->n_regs && i < MOST_ADDED; i++)
		add_result(derivation, &step->regs[i], seq);
}

static void derive_after(void *user)
{
	struct derivation *derivation = user;
	const struct lockstep *lockstep = derivation->lockstep;
	uint16_t seq = last_seq(derivation->batch, lockstep->slot);
	if (lockstep->step->status != CAIRN_STEP_DONE)
		return;
	derive_results(derivation, seq);
	derive_accesses(derivation, seq);
	derive_loaded(derivation);
}

/* ---- batches ---- */

static int derive_differs(void *user, const struct lockstep_difference *difference)
{
	(void)user;
	(void)difference;
	return 0; /* the bits in doubt are unknown from there on */
}

/* Mark the rows of a slot that are not as they were. Those it had come first. */
static int mark_slot(struct derivation *derivation, uint32_t slot)
{
	struct cairn_batch *batch = derivation->batch;
	const struct cairn_insn *insn = &batch->insns[slot];
	uint32_t reg0 = derivation->reg0[slot], mem0 = derivation->mem0[slot];
	uint32_t regs = insn[1].reg0 - insn[0].reg0, mems = insn[1].mem0 - insn[0].mem0;
	int rc = 0;
	for (uint32_t i = 0; i < derivation->reg0[slot + 1] - reg0 && rc >= 0; i++)
		if (i >= regs || derivation->regs[reg0 + i].flags != batch->regs[insn->reg0 + i].flags)
			rc = model_mark_reg(&derivation->marking, batch, slot, &derivation->regs[reg0 + i]);
	for (uint32_t i = 0; i < derivation->mem0[slot + 1] - mem0 && rc >= 0; i++)
		if (i >= mems || derivation->mems[mem0 + i].flags != batch->mems[insn->mem0 + i].flags)
			rc = model_mark_mem(&derivation->marking, batch, slot, &derivation->mems[mem0 + i]);
	return rc;
}

static int derive_mark(struct derivation *derivation)
{
	struct cairn_batch *batch = derivation->batch;
	int rc = 0;
	for (uint32_t slot = 0; slot < batch->n_insns && rc >= 0; slot++)
		rc = mark_slot(derivation, slot);
	if (rc >= 0)
		rc = model_marks_put(&derivation->marking, batch, derivation->derivation.marks);
	derivation->derivation.unmarked = derivation->marking.lost;
	return rc;
}

static void derive_put_back(struct derivation *derivation)
{
	struct cairn_batch *batch = derivation->batch;
	for (uint32_t i = 0; i < batch->n_insns + 2; i++) {
		batch->insns[i].reg0 = derivation->reg0[i];
		batch->insns[i].mem0 = derivation->mem0[i];
	}
	memcpy(batch->regs, derivation->regs, derivation->n_regs * sizeof *batch->regs);
	memcpy(batch->mems, derivation->mems, derivation->n_mems * sizeof *batch->mems);
	batch->n_regs = derivation->n_regs;
	batch->n_mems = derivation->n_mems;
	batch->have |= CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES;
}

static int derive_batch(struct model_derivation *base, struct cairn_batch *batch)
{
	struct derivation *derivation = (struct derivation *)base;
	if (!(batch->have & CAIRN_ENC) || batch->n_xacts)
		return 0;
	derivation->batch = batch;
	derivation->n_regs = derivation->n_mems = derivation->slot = 0;
	int rc = lockstep_batch(derivation->lockstep, batch);
	if (rc < 0)
		return rc;
	copy_slots(derivation, batch->n_insns);
	derivation->reg0[batch->n_insns + 1] = (uint16_t)derivation->n_regs;
	derivation->mem0[batch->n_insns + 1] = (uint16_t)derivation->n_mems;
	rc = derivation->derivation.marks ? derive_mark(derivation) : 0;
	if (rc >= 0)
		derive_put_back(derivation);
	return rc;
}

static void derive_reset(struct model_derivation *base)
{
	struct derivation *derivation = (struct derivation *)base;
	lockstep_reset(derivation->lockstep, derivation);
	derivation->derivation.count = (struct cairn_derived){0};
	derivation->derivation.unmarked = derivation->marking.lost = 0;
}

static void derive_free(struct model_derivation *base)
{
	struct derivation *derivation = (struct derivation *)base;
	if (derivation->lockstep)
		base_free(derivation->cairn, derivation->lockstep->saved);
	lockstep_free(derivation->lockstep);
	model_marking_free(&derivation->marking);
	base_free(derivation->cairn, derivation->told.isa_string);
	base_free(derivation->cairn, derivation->regs);
	base_free(derivation->cairn, derivation->mems);
	base_free(derivation->cairn, derivation);
}

static int derive_fill(struct derivation *derivation, struct cairn_reader *reader)
{
	int rc = reader->broken ? 0 : lockstep_told(reader, &derivation->told);
	if (rc < 0)
		return rc;
	const struct lockstep_opts opts = {.isa_string = derivation->told.isa_string,
	                                   .vector_bits = derivation->told.vector_bits,
	                                   .differs = derive_differs,
	                                   .before = derive_before,
	                                   .after = derive_after,
	                                   .user = derivation};
	derivation->regs = base_alloc(derivation->cairn, CAIRN_CAP_REGS * sizeof *derivation->regs);
	derivation->mems = base_alloc(derivation->cairn, CAIRN_CAP_MEMS * sizeof *derivation->mems);
	rc = derivation->regs && derivation->mems
	         ? lockstep_new(derivation->cairn, &opts, &derivation->lockstep)
	         : CAIRN_E_NOMEM;
	if (rc < 0)
		return rc;
	derivation->lockstep->saved =
		base_alloc(derivation->cairn, sizeof *derivation->lockstep->saved);
	return derivation->lockstep->saved ? 0 : CAIRN_E_NOMEM;
}

int lockstep_derive(struct cairn_reader *reader)
{
	struct derivation *derivation = base_alloc(reader->cairn, sizeof *derivation);
	if (!derivation)
		return CAIRN_E_NOMEM;
	derivation->cairn = derivation->marking.cairn = reader->cairn;
	base_buf_init(&derivation->marking.text, reader->cairn);
	derivation->derivation = (struct model_derivation){.batch = derive_batch,
	                                                   .reset = derive_reset,
	                                                   .free = derive_free};
	int rc = derive_fill(derivation, reader);
	if (rc < 0)
		derive_free(&derivation->derivation);
	else
		model_derive(reader, &derivation->derivation);
	return rc;
}
