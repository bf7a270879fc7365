/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine: its registers, its accesses, and steps. What instructions do is said by the sets
 * (riscv.c …); what an instruction that is not modelled may have changed, by isa/written.h.
 */
#include "exec/machine.h"

#include <string.h>

static const char not_modelled[] = "this instruction is not modelled";

/* ---- one machine ---- */

static const struct exec_set *set_of(enum cairn_isa isa)
{
	switch ((unsigned)isa & ~(unsigned)CAIRN_ISA_VARIANTS) {
	case CAIRN_ISA_RV32:
	case CAIRN_ISA_RV64:
		return &exec_riscv;
	case CAIRN_ISA_A64:
		return &exec_arm64;
	case CAIRN_ISA_SPARC:
		return &exec_sparc;
	default:
		return NULL;
	}
}

/* Where a register is is asked for most instructions of a trace: it is found at once. */
static void machine_fill_places(struct cairn_machine *machine)
{
	for (unsigned cls = 0; cls < EXEC_CLASSES; cls++)
		for (unsigned num = 0; num < EXEC_PLAIN; num++) {
			struct exec_place place = machine->set->place(machine, (enum cairn_reg_class)cls, num);
			bool has = cls == CAIRN_REG_INT || cls == CAIRN_REG_FP || cls == CAIRN_REG_FLAGS;
			bool is_plain = has && place.words == 1 && place.word < EXEC_WORDS && !place.is_part &&
			                !place.shift && !place.extends;
			machine->places[cls][num] = place;
			machine->plain[cls][num] =
				is_plain ? (struct exec_plain){place.word, (uint16_t)(8 * place.size)}
						 : (struct exec_plain){EXEC_NOWHERE, 64};
		}
}

void exec_set_vector_bits(struct cairn_machine *machine, unsigned bits)
{
	machine->vector_bits = machine->set->vector_bits ? machine->set->vector_bits(bits) : 0;
	if (machine->set->vector_bits_changed)
		machine->set->vector_bits_changed(machine);
	machine_fill_places(machine);
}

static int machine_fill(struct cairn_machine *machine, const struct cairn_machine_opts *opts)
{
	struct cairn *cairn = machine->cairn;
	uint64_t most = opts->max_bytes ? opts->max_bytes : (uint64_t)1 << 30;
	bool is_block = opts->block_bytes <= 4096 && !(opts->block_bytes & (opts->block_bytes - 1));
	machine->block_bytes = is_block ? opts->block_bytes : 0;
	exec_set_vector_bits(machine, opts->vector_bits);
	if (opts->memory)
		base_take(&machine->outside, opts->memory, sizeof machine->outside);
	else if (!machine->shares)
		machine->memory = exec_memory_new(cairn, most);
	machine->ops = base_alloc(cairn, sizeof *machine->ops << EXEC_OP_BITS);
	machine->step = (struct cairn_step){.regs = machine->regs,
	                                    .accesses = machine->accesses,
	                                    .value = machine->value,
	                                    .known = machine->known};
	cairn_machine_forget_registers(machine);
	return machine->ops && (opts->memory || machine->memory) ? 0 : CAIRN_E_NOMEM;
}

int exec_machine_new(struct cairn *cairn, enum cairn_isa isa,
                     const struct cairn_machine_opts *given, struct exec_memory *memory,
                     struct cairn_machine **out)
{
	struct cairn_machine_opts opts = {.size = sizeof opts};
	*out = NULL;
	int rc = given ? base_sized(cairn, given, "cairn_machine_opts") : 0;
	if (rc < 0)
		return rc;
	if (given)
		base_take(&opts, given, sizeof opts);
	if (opts.memory && (rc = base_sized(cairn, opts.memory, "cairn_machine_memory")) < 0)
		return rc;
	if (opts.isa_string)
		isa = cairn_isa_of(isa, opts.isa_string);
	const struct exec_set *set = set_of(isa);
	if (!set) {
		const char *name = cairn_isa_name(isa);
		return base_fail(cairn, CAIRN_E_UNSUPPORTED, "what %s instructions do is not modelled",
		                 name ? name : "unknown");
	}
	struct cairn_machine *machine = base_alloc(cairn, sizeof *machine);
	if (!machine)
		return CAIRN_E_NOMEM;
	machine->cairn = cairn;
	machine->isa = isa;
	machine->set = set;
	machine->memory = memory;
	machine->shares = memory != NULL;
	rc = machine_fill(machine, &opts);
	if (rc < 0) {
		cairn_machine_free(machine);
		return rc;
	}
	*out = machine;
	return 0;
}

int cairn_machine_new(struct cairn *cairn, enum cairn_isa isa,
                      const struct cairn_machine_opts *opts, struct cairn_machine **out)
{
	return exec_machine_new(cairn, isa, opts, NULL, out);
}

void cairn_machine_free(struct cairn_machine *machine)
{
	if (!machine)
		return;
	if (!machine->shares)
		exec_memory_free(machine->memory);
	base_free(machine->cairn, machine->sequence.bytes);
	base_free(machine->cairn, machine->sequence.known);
	base_free(machine->cairn, machine->ops);
	base_free(machine->cairn, machine);
}

void cairn_machine_forget_registers(struct cairn_machine *machine)
{
	memset(machine->word, 0, sizeof machine->word);
	memset(machine->writer, 0, sizeof machine->writer);
	machine->word[EXEC_ZERO].known = UINT64_MAX;
	machine->sequence.active = false;
}

static struct exec_live live_words(const struct cairn_machine *machine)
{
	return machine->set->live ? machine->set->live(machine)
	                          : (struct exec_live){.first = EXEC_WORDS};
}

void exec_save(const struct cairn_machine *machine, struct exec_saved *saved)
{
	struct exec_live live = live_words(machine);
	memcpy(saved->word, machine->word, live.first * sizeof *machine->word);
	memcpy(saved->writer, machine->writer, live.first * sizeof *machine->writer);
	for (unsigned i = 0, at = live.first; i < live.n; i++, at += live.stride)
		for (unsigned k = 0; k < live.each; k++) {
			saved->word[at + k] = machine->word[at + k];
			saved->writer[at + k] = machine->writer[at + k];
		}
}

void exec_restore(struct cairn_machine *machine, const struct exec_saved *saved)
{
	struct exec_live live = live_words(machine);
	machine->word[EXEC_NOWHERE] = bits_unknown();
	machine->sequence.active = false; /* what was tried since may have begun one */
	memcpy(machine->word, saved->word, live.first * sizeof *machine->word);
	memcpy(machine->writer, saved->writer, live.first * sizeof *machine->writer);
	for (unsigned i = 0, at = live.first; i < live.n; i++, at += live.stride)
		for (unsigned k = 0; k < live.each; k++) {
			machine->word[at + k] = saved->word[at + k];
			machine->writer[at + k] = saved->writer[at + k];
		}
}

void cairn_machine_forget_memory(struct cairn_machine *machine)
{
	machine->outside_changes++;
	if (machine->memory)
		exec_memory_forget(machine->memory);
	else
		machine->outside.forget(machine->outside.user);
}

/* ---- registers ---- */

unsigned cairn_machine_get(const struct cairn_machine *machine, enum cairn_reg_class cls,
                           unsigned num, unsigned size, uint8_t *bytes, uint8_t *known)
{
	struct exec_place place = exec_place_of(machine, cls, num);
	for (unsigned i = 0; i < size; i++) {
		struct exec_bits word = {0, 0};
		unsigned at = place.byte + i;
		if (i < place.size)
			word = bits_left(machine->word[place.word + at / 8], place.shift);
		bytes[i] = (uint8_t)(word.value >> at % 8 * 8);
		if (known)
			known[i] = (uint8_t)(word.known >> at % 8 * 8);
	}
	return place.size;
}

unsigned cairn_machine_set(struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num,
                           unsigned size, const uint8_t *bytes, const uint8_t *known)
{
	struct exec_place place = exec_place_of(machine, cls, num);
	if (!place.words || place.word >= EXEC_WORDS)
		return place.size;
	for (unsigned i = 0; i < size && i < place.size; i++) {
		struct exec_bits *to = &machine->word[place.word + (place.byte + i) / 8];
		struct exec_bits whole = bits_left(*to, place.shift);
		unsigned shift = (place.byte + i) % 8 * 8;
		uint64_t is = known ? known[i] : 0xff, mask = UINT64_C(0xff) << shift;
		whole.known = (whole.known & ~mask) | is << shift;
		whole.value = (whole.value & ~mask) | (bytes[i] & is) << shift;
		*to = bits_right(whole, place.shift);
	}
	if (place.extends && size >= place.size)
		machine->word[place.word] = bits_sign_extend(machine->word[place.word], 8u * place.size);
	if (machine->set->changed)
		machine->set->changed(machine, cls, num);
	return place.size;
}

/* ---- memory ---- */

void cairn_machine_read(struct cairn_machine *machine, uint64_t address, unsigned size,
                        uint8_t *bytes, uint8_t *known)
{
	if (machine->memory)
		exec_memory_read(machine->memory, address, size, bytes, known);
	else
		machine->outside.read(machine->outside.user, address, size, bytes, known);
}

void cairn_machine_write(struct cairn_machine *machine, uint64_t address, unsigned size,
                         const uint8_t *bytes, const uint8_t *known)
{
	uint8_t all[64];
	memset(all, 0xff, sizeof all);
	machine->outside_changes++;
	if (machine->memory)
		exec_memory_write(machine->memory, address, size, bytes, known ? known : all);
	else
		machine->outside.write(machine->outside.user, address, size, bytes, known ? known : all);
}

static __attribute__((noinline)) struct exec_bits peek_outside(struct cairn_machine *machine,
                                                               uint64_t address, unsigned size)
{
	bool big = machine->set->big_endian;
	uint8_t bytes[8], known[8];
	machine->outside.read(machine->outside.user, address, size, bytes, known);
	const struct exec_bits bits = {exec_number(bytes, size, big), exec_number(known, size, big)};
	return bits_zero_extend(bits, 8 * size);
}

static __attribute__((noinline)) void poke_outside(struct cairn_machine *machine, uint64_t address,
                                                   unsigned size, struct exec_bits bits)
{
	bool big = machine->set->big_endian;
	uint8_t bytes[8], known[8];
	exec_put_number(bytes, size, bits.value, big);
	exec_put_number(known, size, bits.known, big);
	machine->outside.write(machine->outside.user, address, size, bytes, known);
}

static inline struct exec_bits peek(struct cairn_machine *machine, uint64_t address, unsigned size)
{
	if (!machine->memory)
		return peek_outside(machine, address, size);
	return exec_memory_load(machine->memory, address, size, machine->set->big_endian);
}

static inline void poke(struct cairn_machine *machine, uint64_t address, unsigned size,
                        struct exec_bits bits)
{
	if (machine->memory)
		exec_memory_store(machine->memory, address, size, bits, machine->set->big_endian);
	else
		poke_outside(machine, address, size, bits);
}

struct exec_bits exec_peek(struct cairn_machine *machine, uint64_t address, unsigned size)
{
	return peek(machine, address, size);
}

void exec_poke(struct cairn_machine *machine, uint64_t address, unsigned size,
               struct exec_bits bits)
{
	poke(machine, address, size, bits);
}

/* The number that the trace tells as the contents of an access, from byte `at` on. */
static struct exec_bits told_number(const struct cairn_machine *machine,
                                    const struct cairn_step_told *told, unsigned at, unsigned size)
{
	return bits_known(exec_number(told->bytes + at, size, machine->set->big_endian));
}

const struct cairn_step_told *exec_told(const struct cairn_machine *machine,
                                        enum cairn_mem_kind kind, unsigned size)
{
	const struct cairn_step_told *told = machine->told;
	for (unsigned i = machine->told_from; i < machine->n_told; i++)
		if (!machine->used[i] && told[i].kind == kind && (!size || told[i].size == size))
			return &told[i];
	return NULL;
}

/* Is the access a part of a larger one that the trace tells? Traces may hold what is moved in other
 * pieces. */
static bool told_in_larger(const struct cairn_machine *machine, enum cairn_mem_kind kind,
                           unsigned size, struct exec_bits address)
{
	for (unsigned i = 0; i < machine->n_told && bits_all(address); i++) {
		const struct cairn_step_told *told = &machine->told[i];
		if (told->kind == kind && told->size > size && told->address_known &&
		    address.value - told->address <= (uint64_t)told->size - size)
			return true;
	}
	return false;
}

/* What the trace says of the step's next access where it tells several: it may hold an instruction's
 * accesses in another order, so one at that address goes first. */
static __attribute__((noinline)) const struct cairn_step_told *told_of_several(
	struct cairn_machine *machine, enum cairn_mem_kind kind, unsigned size,
	struct exec_bits address)
{
	const struct cairn_step_told *told = exec_told(machine, kind, size);
	bool choice = told && address.known != 0;
	for (unsigned i = machine->told_from; choice && i < machine->n_told; i++) {
		const struct cairn_step_told *other = &machine->told[i];
		if (!machine->used[i] && other->kind == kind && other->size == size &&
		    other->address_known && !((other->address ^ address.value) & address.known)) {
			told = other;
			break;
		}
	}
	if (choice && told->address_known && (told->address ^ address.value) & address.known &&
	    told_in_larger(machine, kind, size, address))
		told = NULL;
	size_t index = told ? (size_t)(told - machine->told) : 0;
	machine->told_of[machine->step.n_accesses] = (uint16_t)(told ? index + 1 : 0);
	if (told)
		machine->used[index] = 1;
	while (machine->told_from < machine->n_told && machine->used[machine->told_from])
		machine->told_from++;
	return told;
}

/* What the trace says of the step's next access, which is at `address`; NULL: nothing. Of most
 * instructions it tells one access. */
static inline const struct cairn_step_told *next_told(struct cairn_machine *machine,
                                                      enum cairn_mem_kind kind, unsigned size,
                                                      struct exec_bits address)
{
	unsigned at = machine->told_from;
	if (at + 1 < machine->n_told)
		return told_of_several(machine, kind, size, address);
	bool is =
		at < machine->n_told && machine->told[at].kind == kind && machine->told[at].size == size;
	machine->told_of[machine->step.n_accesses] = (uint16_t)(is ? at + 1 : 0);
	if (!is)
		return NULL;
	machine->told_from = at + 1;
	return &machine->told[at];
}

/* Log an access of which `words` words are to be filled in from `machine->n_values` on. */
static inline void log_access(struct cairn_machine *machine, uint8_t kind, struct exec_bits address,
                              unsigned size, unsigned words, bool maybe)
{
	struct cairn_step_access *access = &machine->accesses[machine->step.n_accesses++];
	access->address = address.value;
	access->address_known = address.known;
	access->word = machine->n_values;
	access->size = (uint16_t)size;
	access->words = (uint8_t)words;
	access->kind = kind;
	access->maybe = maybe;
}

/* The same of one word. */
static inline void log_word(struct cairn_machine *machine, uint8_t kind, struct exec_bits address,
                            unsigned size, struct exec_bits bits, bool maybe)
{
	log_access(machine, kind, address, size, 1, maybe);
	unsigned at = machine->n_values++;
	machine->value[at] = bits.value;
	machine->known[at] = bits.known;
}

void exec_log_access(struct cairn_machine *machine, uint8_t kind, struct exec_bits address,
                     unsigned size, const struct exec_bits *bits, bool maybe,
                     const struct cairn_step_told *told)
{
	unsigned words = (size + 7) / 8;
	machine->told_of[machine->step.n_accesses] = (uint16_t)(told ? told - machine->told + 1 : 0);
	log_access(machine, kind, address, size, words, maybe);
	for (unsigned i = 0; i < words; i++) {
		machine->value[machine->n_values] = bits ? bits[i].value : 0;
		machine->known[machine->n_values++] = bits ? bits[i].known : UINT64_MAX;
	}
}

struct exec_bits exec_load(struct cairn_machine *machine, struct exec_bits address, unsigned size)
{
	const struct cairn_step_told *told = next_told(machine, CAIRN_MEM_READ, size, address);
	struct exec_bits at = told && told->address_known ? bits_known(told->address) : address;
	struct exec_bits held =
		bits_all(at) ? peek(machine, at.value, size) : bits_zero_extend(bits_unknown(), 8 * size);
	log_word(machine, CAIRN_MEM_READ, address, size, held, false);
	if (!told || !told->bytes)
		return held;
	struct exec_bits bits = told_number(machine, told, 0, size);
	if (bits_all(at) && (!bits_all(held) || held.value != bits.value))
		exec_poke(machine, at.value, size, bits);
	return bits;
}

void exec_store(struct cairn_machine *machine, struct exec_bits address, unsigned size,
                struct exec_bits bits, bool maybe)
{
	const struct cairn_step_told *told = next_told(machine, CAIRN_MEM_WRITE, size, address);
	struct exec_bits at = told && told->address_known ? bits_known(told->address) : address;
	bits = bits_zero_extend(bits, 8 * size);
	log_word(machine, CAIRN_MEM_WRITE, address, size, bits, maybe);
	if (!bits_all(at)) {
		cairn_machine_forget_memory(machine);
		return;
	}
	if (told && told->bytes)
		bits = told_number(machine, told, 0, size);
	else if (maybe && !told)
		bits = bits_choose(bits_unknown(), bits, exec_peek(machine, at.value, size));
	poke(machine, at.value, size, bits);
}

void exec_zero_perhaps(struct cairn_machine *machine, uint64_t from, uint64_t end)
{
	for (uint64_t at = from; at < end; at += 8)
		exec_poke(machine, at, 8,
		          bits_choose(bits_unknown(), bits_known(0), exec_peek(machine, at, 8)));
}

/* One write of the trace, in pieces that are no longer than accesses are. */
static void zero_told(struct cairn_machine *machine, unsigned index)
{
	enum { PIECE = 64, MOST = 64 };
	static const uint8_t zeros[PIECE];
	const struct cairn_step_told *told = &machine->told[index];
	machine->used[index] = 1;
	if (!told->address_known)
		cairn_machine_forget_memory(machine);
	for (unsigned at = 0, n; at < told->size; at += n) {
		n = told->size - at < PIECE ? told->size - at : PIECE;
		if (machine->step.n_accesses < MOST) {
			struct exec_bits address = {told->address + at, UINT64_MAX};
			exec_log_access(machine, CAIRN_MEM_WRITE,
			                told->address_known ? address : bits_unknown(), n, NULL, false,
			                told->size <= PIECE ? told : NULL);
		}
		if (told->address_known)
			cairn_machine_write(machine, told->address + at, n,
			                    told->bytes ? told->bytes + at : zeros, NULL);
	}
}

bool exec_zero_told(struct cairn_machine *machine)
{
	bool any = false;
	for (unsigned i = 0; i < machine->n_told; i++)
		if (!machine->used[i] && machine->told[i].kind == CAIRN_MEM_WRITE) {
			zero_told(machine, i);
			any = true;
		}
	return any;
}

static struct exec_bits next_address(struct exec_bits address)
{
	return bits_add(address, bits_known(8));
}

/* The words of an access are logged least significant first. */
static void log_access_16(struct cairn_machine *machine, uint8_t kind, struct exec_bits address,
                          const struct exec_bits *bits, const struct cairn_step_told *told)
{
	bool big = machine->set->big_endian;
	const struct exec_bits words[2] = {bits[big], bits[!big]};
	exec_log_access(machine, kind, address, 16, words, false, told);
}

void exec_load_16(struct cairn_machine *machine, struct exec_bits address, struct exec_bits *bits)
{
	if (!exec_told(machine, CAIRN_MEM_READ, 16) && exec_told(machine, CAIRN_MEM_READ, 8)) {
		bits[0] = exec_load(machine, address, 8);
		bits[1] = exec_load(machine, next_address(address), 8);
		return;
	}
	const struct cairn_step_told *told = next_told(machine, CAIRN_MEM_READ, 16, address);
	struct exec_bits at = told && told->address_known ? bits_known(told->address) : address;
	for (unsigned i = 0; i < 2; i++)
		bits[i] = bits_all(at) ? exec_peek(machine, at.value + 8 * i, 8) : bits_unknown();
	log_access_16(machine, CAIRN_MEM_READ, address, bits, told);
	if (!told || !told->bytes)
		return;
	for (unsigned i = 0; i < 2; i++) {
		bits[i] = told_number(machine, told, 8 * i, 8);
		if (bits_all(at))
			exec_poke(machine, at.value + 8 * i, 8, bits[i]);
	}
}

void exec_store_16(struct cairn_machine *machine, struct exec_bits address,
                   const struct exec_bits *bits)
{
	if (!exec_told(machine, CAIRN_MEM_WRITE, 16) && exec_told(machine, CAIRN_MEM_WRITE, 8)) {
		exec_store(machine, address, 8, bits[0], false);
		exec_store(machine, next_address(address), 8, bits[1], false);
		return;
	}
	const struct cairn_step_told *told = next_told(machine, CAIRN_MEM_WRITE, 16, address);
	struct exec_bits at = told && told->address_known ? bits_known(told->address) : address;
	log_access_16(machine, CAIRN_MEM_WRITE, address, bits, told);
	if (!bits_all(at)) {
		cairn_machine_forget_memory(machine);
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		exec_poke(machine, at.value + 8 * i, 8,
		          told && told->bytes ? told_number(machine, told, 8 * i, 8) : bits[i]);
}

/* ---- steps ---- */

void exec_branch(struct cairn_machine *machine, struct exec_bits taken, struct exec_bits target)
{
	struct cairn_step *step = &machine->step;
	struct exec_bits next = bits_choose(taken, target, (struct exec_bits){step->next, UINT64_MAX});
	step->taken = taken.value & 1;
	step->taken_known = taken.known & 1;
	step->next = next.value;
	step->next_known = next.known;
}

void exec_stop(struct cairn_machine *machine, enum cairn_step_status status, const char *reason)
{
	struct cairn_step *step = &machine->step;
	step->status = (uint8_t)status;
	step->reason = reason;
	if (status != CAIRN_STEP_DONE)
		step->next = step->next_known = step->after = step->after_known = 0;
}

void exec_undetermined(struct cairn_machine *machine, const char *reason)
{
	machine->step.reason = reason;
}

/* Forget `reg`, which the model may not have. */
static void forget_reg(struct cairn_machine *machine, const struct isa_written_reg *reg)
{
	enum { CLASSES = CAIRN_REG_FLAGS + 1 };
	if (reg->cls == ISA_ANY_CLASS) {
		cairn_machine_forget_registers(machine);
		return;
	}
	for (unsigned i = 0; i < reg->count; i++) {
		struct exec_place place = exec_place_of(machine, reg->cls, reg->num + i);
		uint64_t kept = 0;
		if (place.is_part && place.size < 8)
			kept = ~((((uint64_t)1 << 8 * place.size) - 1) << 8 * place.byte);
		if (reg->bits && place.words == 1 && !place.is_part)
			kept = ~((((uint64_t)1 << reg->bits) - 1) << reg->lsb << place.shift);
		for (unsigned k = 0; k < place.words && place.word < EXEC_WORDS; k++) {
			machine->word[place.word + k].value &= kept;
			machine->word[place.word + k].known &= kept;
		}
		if (place.words && machine->set->changed)
			machine->set->changed(machine, (enum cairn_reg_class)reg->cls, reg->num + i);
	}
}

void exec_forget_written(struct cairn_machine *machine, const struct isa_written *written)
{
	if (!written->told)
		cairn_machine_forget_registers(machine);
	for (unsigned i = 0; i < written->n; i++)
		forget_reg(machine, &written->reg[i]);
	if (!written->told || written->store != ISA_STORES_NOT)
		cairn_machine_forget_memory(machine);
}

static void run_not_modelled(struct cairn_machine *machine, const struct exec_op *op)
{
	struct isa_written written;
	exec_stop(machine, CAIRN_STEP_NOT_MODELLED, not_modelled);
	isa_written(machine->isa, op->enc, op->size, &written);
	if (exec_told(machine, CAIRN_MEM_WRITE, 0))
		written.store = ISA_STORES_NOT; /* the trace's stores are made; see exec_take_told */
	exec_forget_written(machine, &written);
}

static void run_illegal(struct cairn_machine *machine, const struct exec_op *op)
{
	(void)op;
	exec_stop(machine, CAIRN_STEP_ILLEGAL, "the instruction set has no such instruction");
}

static void machine_translate(const struct cairn_machine *machine, uint32_t enc, unsigned size,
                              struct exec_op *op)
{
	struct cairn_op decoded;
	cairn_isa_decode(machine->isa, enc, size, &decoded);
	*op = (struct exec_op){.key = exec_op_key(enc, size),
	                       .enc = enc,
	                       .size = (uint8_t)size,
	                       .cls = decoded.cls,
	                       .rd = EXEC_NOWHERE};
	op->rs1 = op->rs2 = op->rs3 = EXEC_ZERO;
	if (decoded.cls == CAIRN_CLASS_ILLEGAL)
		op->run = run_illegal;
	else if (!machine->set->translate(machine, &decoded, op) || !op->run)
		op->run = run_not_modelled;
}

/* An encoding that is not where it is looked for first. Four places are tried: two encodings of one
 * loop must not drive each other out. */
const struct exec_op *exec_op_of_four(struct cairn_machine *machine, struct exec_op *first,
                                      uint32_t enc, unsigned size)
{
	uint64_t key = exec_op_key(enc, size);
	size_t hash = (size_t)(first - machine->ops);
	struct exec_op *op = first;
	for (unsigned i = 0; i < 4; i++) {
		struct exec_op *other = &machine->ops[hash ^ i];
		if (other->key == key)
			return other;
		if (!other->key) {
			op = other;
			break;
		}
	}
	machine_translate(machine, enc, size, op);
	return op;
}

void exec_take_told(struct cairn_machine *machine)
{
	static const uint8_t nothing[64];
	for (unsigned i = machine->told_from; i < machine->n_told; i++) {
		const struct cairn_step_told *told = &machine->told[i];
		bool writes = told->kind == CAIRN_MEM_WRITE;
		if (machine->used[i] || (!writes && !told->bytes))
			continue;
		if (!told->address_known && writes)
			cairn_machine_forget_memory(machine);
		for (unsigned at = 0; told->address_known && at < told->size; at += 64)
			cairn_machine_write(
				machine, told->address + at, told->size - at < 64 ? told->size - at : 64,
				told->bytes ? told->bytes + at : nothing, told->bytes ? NULL : nothing);
	}
}

const struct cairn_step *cairn_machine_step(struct cairn_machine *machine, uint64_t pc,
                                            uint32_t enc, unsigned size,
                                            const struct cairn_step_told *told, unsigned n_told)
{
	return exec_step(machine, pc, enc, size, told,
	                 n_told < EXEC_MOST_ACCESSES ? n_told : EXEC_MOST_ACCESSES);
}
