/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk: what the trace says of an instruction is given to the machine of its hart, the machine
 * executes it, and the two are compared.
 */
#include "lockstep/walk.h"

#include <string.h>

#include "base/bytes.h"
#include "isa/arm64.h"
#include "model/model.h"
#include "model/slot.h"

int lockstep_told(struct cairn_reader *reader, struct lockstep_told *told)
{
	const struct cairn_info *info;
	int rc = cairn_reader_info(reader, &info);
	for (size_t i = 0; rc >= 0 && i < info->n; i++) {
		const struct cairn_fact *fact = &info->facts[i];
		if (!strcmp(fact->key, "isa_extended") && fact->text &&
		    !(told->isa_string = base_strdup(reader->cairn, fact->text)))
			return CAIRN_E_NOMEM;
		if (!strcmp(fact->key, "vlen") && fact->is_number && fact->is_known)
			told->vector_bits = (unsigned)fact->number;
	}
	return rc == CAIRN_E_NOMEM ? rc : 0;
}

int lockstep_new(struct cairn *cairn, const struct lockstep_opts *opts, struct lockstep **out)
{
	struct lockstep *lockstep = base_alloc(cairn, sizeof *lockstep);
	*out = lockstep;
	if (!lockstep)
		return CAIRN_E_NOMEM;
	lockstep->cairn = cairn;
	lockstep->opts = *opts;
	lockstep->memory = exec_memory_new(cairn, MOST_MEMORY);
	if (lockstep->memory)
		return 0;
	lockstep_free(lockstep);
	*out = NULL;
	return CAIRN_E_NOMEM;
}

void lockstep_free(struct lockstep *lockstep)
{
	if (!lockstep)
		return;
	for (unsigned i = 0; i < MOST_HARTS; i++)
		cairn_machine_free(lockstep->harts[i].machine);
	cairn_disasm_free(lockstep->disasm);
	exec_memory_free(lockstep->memory);
	base_free(lockstep->cairn, lockstep);
}

const struct lockstep_group *lockstep_groups(const struct lockstep *lockstep)
{
	return lockstep->groups;
}

uint64_t lockstep_hart(const struct lockstep *lockstep)
{
	return lockstep->n_harts > 1 ? UINT64_MAX : lockstep->n_harts ? lockstep->hart->key + 1ull : 0;
}

uint32_t lockstep_distrusted(const struct lockstep *lockstep)
{
	return lockstep->distrust;
}

uint32_t lockstep_believed(const struct lockstep *lockstep)
{
	return lockstep->believed;
}

const struct lockstep_counts *lockstep_counts(const struct lockstep *lockstep)
{
	return &lockstep->counts;
}

/* ---- harts ---- */

static void hart_forget(struct lockstep *lockstep, struct hart *hart)
{
	lockstep_forget_vectors(lockstep, hart, false);
	if (hart->machine)
		cairn_machine_forget_registers(hart->machine);
	exec_memory_forget(lockstep->memory);
	hart->follows = hart->trapped = hart->suspect = false;
}

static void forget_everything(struct lockstep *lockstep)
{
	for (unsigned i = 0; i < MOST_HARTS; i++)
		if (lockstep->harts[i].used)
			hart_forget(lockstep, &lockstep->harts[i]);
}

static uint32_t key_of(const struct cairn_ctx *ctx)
{
	uint32_t hart = ctx->known & CAIRN_CTX_HART ? ctx->hart + 1u : 0;
	uint32_t thread = ctx->known & CAIRN_CTX_HW_TID ? ctx->hw_tid + 1 : 0;
	return hart | thread << 17;
}

/* The hart of this key, or the place of the one that has not run for longest. */
static struct hart *hart_find(struct lockstep *lockstep, uint32_t key)
{
	struct hart *oldest = &lockstep->harts[0];
	for (unsigned i = 0; i < MOST_HARTS; i++) {
		struct hart *hart = &lockstep->harts[i];
		if (hart->used && hart->key == key)
			return hart;
		if (hart->turn < oldest->turn)
			oldest = hart;
	}
	if (oldest->used)
		hart_forget(lockstep, oldest);
	lockstep->n_harts++;
	oldest->used = true;
	oldest->key = key;
	oldest->ctx = (struct cairn_ctx){0};
	return oldest;
}

/* Another instruction set: a machine of its own. A set without a model has none. */
static int hart_change_set(struct lockstep *lockstep, struct hart *hart, enum cairn_isa isa)
{
	const struct cairn_machine_opts opts = {.size = sizeof opts,
	                                        .isa_string = lockstep->opts.isa_string,
	                                        .vector_bits = lockstep_header_bits(lockstep, isa)};
	cairn_machine_free(hart->machine);
	hart->machine = NULL;
	hart->isa = isa;
	hart_forget(lockstep, hart);
	int rc = exec_machine_new(lockstep->cairn, isa, &opts, lockstep->memory, &hart->machine);
	return rc == CAIRN_E_NOMEM ? rc : 0;
}

/* Another process or thread has other registers; in another address space memory is other memory. */
static void hart_change_context(struct lockstep *lockstep, struct hart *hart,
                                const struct cairn_ctx *ctx)
{
	uint32_t both = hart->ctx.known & ctx->known;
	const struct cairn_ctx *old = &hart->ctx;
	bool other_process = (both & CAIRN_CTX_PID && old->pid != ctx->pid) ||
	                     (both & CAIRN_CTX_TID && old->tid != ctx->tid);
	bool other_space = (both & CAIRN_CTX_ASID && old->asid != ctx->asid) ||
	                   (both & CAIRN_CTX_VMID && old->vmid != ctx->vmid) ||
	                   (both & CAIRN_CTX_CTXID && old->ctxid != ctx->ctxid);
	if (other_process)
		hart_forget(lockstep, hart);
	else if (other_space)
		exec_memory_forget(lockstep->memory);
}

/* What another hart has written meanwhile is not known. */
static int hart_enter(struct lockstep *lockstep, const struct cairn_ctx *ctx, enum cairn_isa isa)
{
	uint32_t key = key_of(ctx);
	if (!lockstep->hart || lockstep->hart->key != key) {
		if (lockstep->hart)
			exec_memory_forget(lockstep->memory);
		lockstep->hart = hart_find(lockstep, key);
		lockstep->hart->came = true;
	}
	struct hart *hart = lockstep->hart;
	hart->turn = ++lockstep->turns;
	if (hart->isa != isa) {
		int rc = hart_change_set(lockstep, hart, isa);
		if (rc < 0)
			return rc;
	}
	hart_change_context(lockstep, hart, ctx);
	return 0;
}

/* ---- what happens between instructions ---- */

static void hart_forget_event(struct hart *hart, enum cairn_event_kind kind)
{
	struct isa_written written;
	isa_event_written(lockstep_set(hart->isa), kind, &written);
	written.store = ISA_STORES_NOT;
	exec_forget_written(hart->machine, &written);
}

static void take_event(struct lockstep *lockstep, struct hart *hart,
                       const struct cairn_event *event)
{
	switch (event->kind) {
	case CAIRN_EV_GAP:
	case CAIRN_EV_DAMAGE:
		forget_everything(lockstep);
		break;
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		hart->trapped = true;
		hart->resume = hart->next;
		hart_forget_event(hart, (enum cairn_event_kind)event->kind);
		break;
	case CAIRN_EV_TRAP_RETURN:
		hart_forget_event(hart, CAIRN_EV_TRAP_RETURN);
		hart->follows = false;
		break;
	case CAIRN_EV_FORCE_PC:
		hart->follows &= hart->came; /* a forced PC may only say which hart goes on */
		break;
	case CAIRN_EV_MODE_ISA:
		hart->follows = false;
		break;
	default:
		break;
	}
}

static void take_events(struct lockstep *lockstep, struct hart *hart, bool before)
{
	const struct cairn_batch *batch = lockstep->batch;
	const struct cairn_insn *insn = &batch->insns[lockstep->slot];
	for (uint32_t k = insn->ev0; k < insn[1].ev0; k++)
		if ((batch->events[k].phase == CAIRN_BEFORE) == before)
			take_event(lockstep, hart, &batch->events[k]);
}

/* The first instruction behind a trap. If privilege has risen, the trace goes on in the handler,
 * which finds the registers as they were. Otherwise a system did its work out of sight: it may have
 * written memory and, if it does not come back to the same program, all registers. */
static void hart_resume(struct lockstep *lockstep, struct hart *hart, const struct cairn_ctx *ctx,
                        uint64_t pc)
{
	bool rises = ctx->known & hart->ctx.known & CAIRN_CTX_PRIV && ctx->priv > hart->ctx.priv;
	bool returns = pc == hart->resume || pc == hart->pc;
	if (!rises && !returns)
		hart_forget(lockstep, hart);
	else if (!rises)
		exec_memory_forget(lockstep->memory);
	hart->trapped = hart->follows = false;
}

/* ---- differences ---- */

static int walk_report(struct lockstep *lockstep, enum lockstep_kind kind, unsigned group)
{
	struct lockstep_difference difference = {.kind = kind,
	                                         .group = group,
	                                         .batch = lockstep->batch,
	                                         .slot = lockstep->slot,
	                                         .text = lockstep->text};
	lockstep->differs = lockstep->unusual = true;
	return lockstep->opts.differs(lockstep->opts.user, &difference);
}

/* The kind of values that registers of a class are, before or behind instructions; and that a group
 * of registers is. */
static inline uint32_t kind_of_class(enum lockstep_kind kind, unsigned cls)
{
	return (uint32_t)(kind == LOCKSTEP_SOURCE ? KIND_SOURCE : KIND_RESULT) << cls;
}

static uint32_t kind_of(unsigned group)
{
	return kind_of_class((enum lockstep_kind)(group / LOCKSTEP_CLASSES), group % LOCKSTEP_CLASSES);
}

/* Which kind is to blame when a group of differences is unreliable: its own; for what follows from
 * registers and memory, the sources, if they were believed and comparisons have not confirmed them,
 * else the contents. */
static uint32_t kind_to_blame(const struct lockstep *lockstep, unsigned group)
{
	unsigned cls = group % LOCKSTEP_CLASSES, kind = group / LOCKSTEP_CLASSES;
	unsigned source = lockstep_group_of(LOCKSTEP_SOURCE, cls);
	const struct lockstep_group *g = &lockstep->groups[source];
	if (kind == LOCKSTEP_SOURCE || kind == LOCKSTEP_REGISTER || kind == LOCKSTEP_FLAGS)
		return kind_of(group);
	bool borne_out = g->compared >= 64 && !lockstep_is_unreliable(g);
	return lockstep->believed & kind_of(source) && !borne_out ? kind_of(source) : KIND_CONTENTS;
}

static void walk_count(struct lockstep *lockstep, bool determined)
{
	lockstep->counts.values++;
	lockstep->counts.determined += determined;
}

static void walk_clear(struct lockstep *lockstep)
{
	lockstep->restart = lockstep->differs = lockstep->unusual = false;
	lockstep->believed = 0;
	memset(lockstep->groups, 0, sizeof lockstep->groups);
	memset(lockstep->texts, 0, sizeof lockstep->texts);
	forget_everything(lockstep);
}

void lockstep_reset(struct lockstep *lockstep, void *user)
{
	walk_clear(lockstep);
	lockstep->opts.user = user;
	lockstep->distrust = 0;
	lockstep->contents_tell = false;
	lockstep->counts = (struct lockstep_counts){0};
	lockstep->hart = NULL;
	lockstep->n_harts = lockstep->turns = 0;
	for (unsigned i = 0; i < MOST_HARTS; i++) {
		lockstep->harts[i].used = false;
		lockstep->harts[i].turn = 0;
	}
}

static void walk_restart(struct lockstep *lockstep)
{
	walk_clear(lockstep);
	if (lockstep->opts.restart)
		lockstep->opts.restart(lockstep->opts.user);
}

/* Is a difference to be reported? One instruction makes at most one, and none when its own address is
 * in doubt. */
static bool walk_is_reported(struct lockstep *lockstep, unsigned group)
{
	struct lockstep_group *g = &lockstep->groups[group];
	if (lockstep->differs || lockstep->hart->suspect)
		return false;
	g->differ++;
	lockstep->text[0] = 0;
	if (!lockstep_is_unreliable(g))
		return true;
	uint32_t kind = kind_to_blame(lockstep, group);
	lockstep->restart |= !(lockstep->distrust & kind);
	lockstep->unusual |= lockstep->restart;
	lockstep->distrust |= kind;
	return false;
}

/* Count a comparison. True if a difference is to be reported. */
static bool walk_compared(struct lockstep *lockstep, unsigned group, bool differ)
{
	lockstep->groups[group].compared++;
	return differ && walk_is_reported(lockstep, group);
}

/* ---- registers ---- */

/* The 64 bits of word `index` of a register, as a row has them; *mask: which of them it has. */
static uint64_t row_word(const struct cairn_batch *batch, const struct cairn_reg *reg,
                         unsigned index, unsigned size, uint64_t *mask)
{
	unsigned bits = reg->bits ? reg->bits : 8 * size, first = 64 * index;
	uint64_t value = 0;
	*mask = 0;
	if (!(reg->flags & CAIRN_VALUE_WIDE)) {
		unsigned shift = reg->lsb % 64;
		if (reg->lsb / 64 == index) {
			*mask = (bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1) << shift;
			value = reg->value << shift & *mask;
		}
	} else if (reg->lsb % 8 == 0 && reg->value + (bits + 7) / 8 <= batch->n_bytes) {
		if (first >= reg->lsb && first + 64 <= reg->lsb + bits) {
			*mask = UINT64_MAX;
			return base_le64(&batch->bytes[reg->value + (first - reg->lsb) / 8]);
		}
		for (unsigned i = 0; i < 64; i += 8)
			if (first + i >= reg->lsb && first + i < reg->lsb + bits) {
				*mask |= UINT64_C(0xff) << i;
				value |= (uint64_t)batch->bytes[reg->value + (first + i - reg->lsb) / 8] << i;
			}
	}
	unsigned end = reg->lsb + bits;
	if (reg->flags & CAIRN_VALUE_ZEROES && end < first + 64)
		*mask |= end <= first ? UINT64_MAX : UINT64_MAX << (end - first);
	return value;
}

static unsigned row_width(const struct cairn_reg *reg, unsigned size)
{
	unsigned bits = reg->bits ? reg->bits : 8 * size;
	return bits < 64 ? bits : 64;
}

/* Compare a word with what a row says of it, and believe the row, except in the bits that differ.
 *  */
static int word_compare(struct lockstep *lockstep, const struct cairn_reg *reg,
                        enum lockstep_kind kind, struct exec_place place, unsigned index)
{
	struct cairn_machine *machine = lockstep->hart->machine;
	unsigned at = place.word + index, group = lockstep_group_of(kind, reg->cls);
	struct exec_bits *word = &machine->word[at];
	unsigned part = 8u * place.byte;
	uint64_t mask, told = row_word(lockstep->batch, reg, index, place.size, &mask);
	told = told << part >> place.shift;
	mask = mask << part >> place.shift;
	uint64_t known = word->known & mask, differ = (word->value ^ told) & known;
	int rc = 0;
	if (!mask)
		return 0;
	if (kind != LOCKSTEP_SOURCE)
		walk_count(lockstep, known == mask);
	if (known && walk_compared(lockstep, group, differ)) {
		const struct lockstep_value value = {told >> part, word->value >> part,
		                                     (word->known & mask) >> part,
		                                     row_width(reg, place.size)};
		if (lockstep->texts[group]++ < lockstep->opts.most_texts)
			lockstep_say_register(lockstep, kind, reg, &value);
		rc = walk_report(lockstep, kind, group);
	}
	if (at >= EXEC_WORDS || lockstep->distrust & kind_of(group))
		return rc;
	lockstep->believed |= kind_of(group);
	word->value = (word->value & ~mask) | (told & ~differ);
	word->known = (word->known | mask) & ~differ;
	if (place.extends)
		*word = bits_sign_extend(*word, 32);
	if (kind != LOCKSTEP_SOURCE)
		machine->writer[at] = machine->now;
	return rc;
}

/* Does the row tell what all of the word is that is known? */
static inline bool row_tells(const struct cairn_reg *reg, const struct exec_bits *word,
                             unsigned whole)
{
	unsigned bits = reg->bits ? reg->bits : whole;
	uint64_t mask = UINT64_MAX >> (64 - bits) % 64, told = reg->value & mask;
	if (reg->flags & CAIRN_VALUE_ZEROES)
		mask = UINT64_MAX;
	return bits <= 64 && !(((word->value ^ told) | ~word->known) & mask);
}

/* Most rows tell what the machine knows and agrees with: no question is left. */
static inline bool row_agrees(struct lockstep *lockstep, struct cairn_machine *machine,
                              const struct cairn_reg *reg, enum lockstep_kind kind)
{
	unsigned cls = reg->cls, num = reg->num, flags = reg->flags;
	if (cls >= EXEC_CLASSES || num >= EXEC_PLAIN || reg->lsb || flags & CAIRN_VALUE_WIDE)
		return false;
	struct exec_plain plain = machine->plain[cls][num];
	const struct exec_bits *word = &machine->word[plain.word];
	if (plain.word >= EXEC_WORDS)
		return false;
	bool is_same = !(flags & CAIRN_VALUE_ZEROES) && bits_all(*word) && word->value == reg->value;
	if (!is_same && !row_tells(reg, word, plain.bits))
		return false;
	uint32_t believed = kind_of_class(kind, cls);
	if (lockstep->distrust & believed)
		return false;
	lockstep->groups[lockstep_group_of(kind, cls)].compared++;
	lockstep->believed |= believed;
	if (kind != LOCKSTEP_SOURCE) {
		walk_count(lockstep, true);
		machine->writer[plain.word] = machine->now;
	}
	return true;
}

/* A register that alone could be what the trace tells, but not beside others of the same sequence. */
static int row_contradicts(struct lockstep *lockstep, const struct cairn_reg *reg,
                           enum lockstep_kind kind, struct exec_place place)
{
	unsigned group = lockstep_group_of(kind, reg->cls);
	lockstep->hart->machine->sequence.contradicted = false;
	lockstep->hart->machine->word[place.word] = bits_unknown();
	if (!walk_compared(lockstep, group, true))
		return 0;
	if (lockstep->texts[group]++ < lockstep->opts.most_texts)
		lockstep_say_contradiction(lockstep, kind, reg);
	return walk_report(lockstep, kind, group);
}

/* The same of a register of several words that is told whole. */
static bool wide_agrees(struct lockstep *lockstep, struct cairn_machine *machine,
                        const struct cairn_reg *reg, enum lockstep_kind kind,
                        struct exec_place place)
{
	const struct cairn_batch *batch = lockstep->batch;
	uint32_t believed = kind_of_class(kind, reg->cls);
	if (place.words < 2 || !(reg->flags & CAIRN_VALUE_WIDE) || reg->lsb ||
	    reg->bits != 64u * place.words || reg->value + 8u * place.words > batch->n_bytes ||
	    place.word + place.words > EXEC_WORDS || lockstep->distrust & believed)
		return false;
	const struct exec_bits *word = &machine->word[place.word];
	const uint8_t *bytes = &batch->bytes[reg->value];
	for (unsigned i = 0; i < place.words; i++)
		if (!bits_all(word[i]) || word[i].value != base_le64(bytes + 8 * i))
			return false;
	lockstep->groups[lockstep_group_of(kind, reg->cls)].compared += place.words;
	lockstep->believed |= believed;
	for (unsigned i = 0; i < place.words && kind != LOCKSTEP_SOURCE; i++) {
		walk_count(lockstep, true);
		machine->writer[place.word + i] = machine->now;
	}
	return true;
}

static __attribute__((noinline)) int row_compare(struct lockstep *lockstep,
                                                 const struct cairn_reg *reg,
                                                 enum lockstep_kind kind)
{
	struct cairn_machine *machine = lockstep->hart->machine;
	struct cairn_reg vector;
	if (lockstep_tells_length(machine, reg)) {
		vector = *reg;
		lockstep_take_vector(lockstep, &vector);
		reg = &vector;
	}
	struct exec_place place = exec_place_of(machine, reg->cls, reg->num);
	int rc = 0;
	if (!wide_agrees(lockstep, machine, reg, kind, place))
		for (unsigned i = 0; i < place.words && rc >= 0; i++)
			rc = word_compare(lockstep, reg, kind, place, i);
	if (place.words && machine->set->changed)
		machine->set->changed(machine, (enum cairn_reg_class)reg->cls, reg->num);
	return rc >= 0 && machine->sequence.contradicted ? row_contradicts(lockstep, reg, kind, place)
	                                                 : rc;
}

/* A source that equals the result in the same register may have been read after it was
 * written: it tells nothing of the time before. */
static bool is_late(const struct cairn_batch *batch, const struct cairn_insn *insn,
                    const struct cairn_reg *source)
{
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		if (reg->role == CAIRN_ROLE_DST && reg->cls == source->cls && reg->num == source->num &&
		    (!(reg->flags & CAIRN_VALUE_KNOWN) || reg->flags & CAIRN_VALUE_WIDE ||
		     reg->value == source->value))
			return true;
	}
	return false;
}

static __attribute__((noinline)) int rows_before(struct lockstep *lockstep,
                                                 const struct cairn_insn *insn,
                                                 const struct cairn_reg *reg,
                                                 const struct cairn_reg *end)
{
	int rc = 0;
	for (; reg < end && rc >= 0; reg++) {
		bool is_source = reg->role == CAIRN_ROLE_SRC;
		if ((!is_source && reg->role != CAIRN_ROLE_STATE) || !(reg->flags & CAIRN_VALUE_KNOWN) ||
		    (is_source && is_late(lockstep->batch, insn, reg)))
			continue;
		if (!row_agrees(lockstep, lockstep->hart->machine, reg, LOCKSTEP_SOURCE))
			rc = row_compare(lockstep, reg, LOCKSTEP_SOURCE);
	}
	return rc;
}

static enum lockstep_kind kind_behind(const struct cairn_reg *reg)
{
	return reg->cls == CAIRN_REG_FLAGS ? LOCKSTEP_FLAGS : LOCKSTEP_REGISTER;
}

static inline int rows_behind(struct lockstep *lockstep, struct cairn_machine *machine,
                              const struct cairn_reg *reg, const struct cairn_reg *end)
{
	for (; reg < end; reg++) {
		if (reg->role != CAIRN_ROLE_DST || !(reg->flags & CAIRN_VALUE_KNOWN) ||
		    row_agrees(lockstep, machine, reg, kind_behind(reg)))
			continue;
		int rc = row_compare(lockstep, reg, kind_behind(reg));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- accesses ---- */

static const uint8_t *turned_contents(const uint8_t *from, unsigned size, uint8_t *bytes)
{
	uint8_t turned[64];
	for (unsigned i = 0; i < size; i++)
		turned[i] = from[size - 1 - i];
	memcpy(bytes, turned, size);
	return bytes;
}

/* The contents of an access in the order of addresses; NULL if the trace does not have all of them. */
static inline const uint8_t *told_contents(struct lockstep *lockstep, const struct cairn_mem *mem,
                                           uint8_t *bytes)
{
	const uint8_t *from = bytes;
	unsigned size = mem->size;
	if (!(mem->flags & CAIRN_VALUE_KNOWN) || size > 64)
		return NULL;
	if (!(mem->flags & CAIRN_VALUE_WIDE)) {
		if (size > 8)
			return NULL;
		base_put_le64(bytes, mem->value);
	} else {
		if (mem->words * 8u < size || mem->value + size > lockstep->batch->n_bytes)
			return NULL;
		from = lockstep->batch->bytes + mem->value;
	}
	return lockstep->hart->machine->set->big_endian ? turned_contents(from, size, bytes) : from;
}

/* What others write is not known, and is not an access of the instruction. */
static __attribute__((noinline)) void others_write(struct lockstep *lockstep,
                                                   const struct cairn_mem *mem)
{
	static const uint8_t nothing[64];
	if (mem->kind != CAIRN_MEM_WRITE)
		return;
	if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN || mem->size > 64)
		exec_memory_forget(lockstep->memory);
	else
		exec_memory_write(lockstep->memory, mem->addr, mem->size, nothing, nothing);
}

/* Some generators record 0 as the contents of all accesses. */
static bool any_is_set(const uint8_t *contents, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (contents[i])
			return true;
	return false;
}

static inline void take_access(struct lockstep *lockstep, const struct cairn_mem *mem)
{
	unsigned at = lockstep->n_told, size = mem->size, flags = mem->flags, kind = mem->kind;
	uint64_t address = mem->addr;
	if ((kind != CAIRN_MEM_READ && kind != CAIRN_MEM_WRITE) || flags & CAIRN_VALUE_NOT_WRITTEN ||
	    size > UINT16_MAX || at == EXEC_MOST_ACCESSES)
		return;
	const uint8_t *contents = told_contents(lockstep, mem, lockstep->told_bytes[at]);
	if (contents && !lockstep->contents_tell)
		lockstep->contents_tell = any_is_set(contents, size);
	bool believed = contents && !(lockstep->distrust & KIND_CONTENTS) &&
	                (lockstep->contents_tell || !lockstep->saved);
	struct cairn_step_told *told = &lockstep->told[at];
	lockstep->n_told = at + 1;
	lockstep->contents[at] = contents;
	lockstep->believed |= believed ? KIND_CONTENTS : 0;
	told->address = address;
	told->bytes = believed ? contents : NULL;
	told->size = (uint16_t)size;
	told->kind = (uint8_t)kind;
	told->address_known = !(flags & CAIRN_VALUE_ADDR_UNKNOWN);
}

static __attribute__((noinline)) void take_accesses(struct lockstep *lockstep,
                                                    const struct cairn_insn *insn)
{
	const struct cairn_mem *mem = &lockstep->batch->mems[insn->mem0];
	const struct cairn_mem *end = &lockstep->batch->mems[insn[1].mem0];
	for (; mem < end; mem++)
		if (mem->initiator == CAIRN_BY_INSN)
			take_access(lockstep, mem);
		else
			others_write(lockstep, mem);
}

/* Bits of contents that differ are in memory, where it is not known which are right: of `size` bytes, at most 8,
 * from byte `at` of the access on. */
static void memory_doubt(struct lockstep *lockstep, const struct cairn_step_told *told, unsigned at,
                         unsigned size, uint64_t differ)
{
	if (!told->bytes || !told->address_known)
		return;
	uint8_t bytes[8], known[8];
	bool big = lockstep->hart->machine->set->big_endian;
	for (unsigned i = 0; i < size; i++) {
		unsigned shift = 8 * (big ? size - 1u - i : i);
		known[i] = (uint8_t) ~(differ >> shift);
		bytes[i] = told->bytes[at + i] & known[i];
	}
	exec_memory_write(lockstep->memory, told->address + at, size, bytes, known);
}

static unsigned access_class(const struct cairn_insn *insn)
{
	unsigned is_fp = (insn->traits & CAIRN_TRAIT_FP) != 0;
	return insn->traits & CAIRN_TRAIT_VECTOR ? CAIRN_REG_VECTOR : CAIRN_REG_INT + is_fp;
}

/* Compare what an access was with what the machine makes of it. */
static int access_compare(struct lockstep *lockstep, unsigned index, enum lockstep_kind kind,
                          unsigned cls, const struct lockstep_value *value)
{
	unsigned group = lockstep_group_of(kind, cls);
	if (!walk_compared(lockstep, group, ((value->told ^ value->made) & value->known) != 0))
		return 0;
	if (lockstep->texts[group]++ < lockstep->opts.most_texts)
		lockstep_say_access(lockstep, kind, index, value);
	return walk_report(lockstep, kind, group);
}

/* Up to 8 bytes of an access, from byte `at` on. */
static int part_compare(struct lockstep *lockstep, unsigned index, unsigned told_at, unsigned cls,
                        unsigned at)
{
	const struct cairn_step_told *told = &lockstep->told[told_at];
	const struct cairn_step *step = lockstep->step;
	const struct cairn_step_access *access = &step->accesses[index];
	enum lockstep_kind kind = access->kind == CAIRN_MEM_READ ? LOCKSTEP_LOAD : LOCKSTEP_STORE;
	unsigned size = access->size - at < 8 ? access->size - at : 8, word = access->word + at / 8;
	uint64_t mask = size < 8 ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;
	bool big = lockstep->hart->machine->set->big_endian;
	const struct lockstep_value value = {exec_number(lockstep->contents[told_at] + at, size, big),
	                                     step->value[word], step->known[word] & mask, 8u * size,
	                                     at};
	uint64_t differ = (value.told ^ value.made) & value.known;
	walk_count(lockstep, value.known == mask);
	if (!value.known)
		return 0;
	if (!differ) {
		lockstep->groups[lockstep_group_of(kind, cls)].compared++;
		return 0;
	}
	memory_doubt(lockstep, told, at, size, differ);
	return access_compare(lockstep, index, kind, cls, &value);
}

/* The words of one that has more than 8 bytes are told in the other order where the first byte is the most
 * significant. */
static int contents_compare(struct lockstep *lockstep, unsigned index, unsigned told_at,
                            unsigned cls)
{
	const struct cairn_step_access *access = &lockstep->step->accesses[index];
	unsigned size = lockstep->told[told_at].size;
	int rc = 0;
	if (!lockstep->contents[told_at] || size != access->size ||
	    (size > 8 && lockstep->hart->machine->set->big_endian))
		return 0;
	for (unsigned at = 0; at < size && at < 8u * access->words && rc >= 0; at += 8)
		rc = part_compare(lockstep, index, told_at, cls, at);
	return rc;
}

/* It is not known which of two addresses was accessed, nor what is at either. */
static void memory_doubt_both(struct lockstep *lockstep, const struct cairn_step_told *told,
                              const struct cairn_step_access *access)
{
	static const uint8_t nothing[64];
	unsigned size = told->size < 64 ? told->size : 64;
	exec_memory_write(lockstep->memory, told->address, size, nothing, nothing);
	if (access->address_known == UINT64_MAX)
		exec_memory_write(lockstep->memory, access->address, size, nothing, nothing);
	else if (access->kind == CAIRN_MEM_WRITE)
		exec_memory_forget(lockstep->memory);
}

static __attribute__((noinline)) int address_compare(struct lockstep *lockstep, unsigned index,
                                                     unsigned told_at, unsigned cls)
{
	const struct cairn_step_access *access = &lockstep->step->accesses[index];
	const struct cairn_step_told *told = &lockstep->told[told_at];
	if (!told->address_known)
		return 0;
	walk_count(lockstep, access->address_known == UINT64_MAX);
	if (!access->address_known)
		return 0;
	if (!((told->address ^ access->address) & access->address_known)) {
		lockstep->groups[lockstep_group_of(LOCKSTEP_ADDRESS, cls)].compared++;
		return 0;
	}
	const struct lockstep_value value = {told->address, access->address, access->address_known, 64};
	memory_doubt_both(lockstep, told, access);
	return access_compare(lockstep, index, LOCKSTEP_ADDRESS, cls, &value);
}

/* Most accesses are told where they were and with their contents, and the machine knows and makes the
 * same: no question is left. */
static inline bool access_agrees(struct lockstep *lockstep, const struct cairn_step *step,
                                 const struct cairn_step_access *access, unsigned told_at,
                                 unsigned cls)
{
	const struct cairn_step_told *told = &lockstep->told[told_at];
	const uint8_t *contents = lockstep->contents[told_at];
	unsigned size = access->size, word = access->word;
	unsigned kind = access->kind == CAIRN_MEM_READ ? LOCKSTEP_LOAD : LOCKSTEP_STORE;
	uint64_t unlike = (told->address ^ access->address) | ~access->address_known;
	if (!contents || size - 1 > 7 || !told->address_known || unlike)
		return false;
	uint64_t bits = exec_number(contents, size, lockstep->hart->machine->set->big_endian);
	unlike = (step->value[word] ^ bits) | ~step->known[word];
	if (unlike << (64 - 8 * size))
		return false;
	struct lockstep_group *groups = &lockstep->groups[cls];
	lockstep->counts.values += 2;
	lockstep->counts.determined += 2;
	groups[lockstep_group_of(LOCKSTEP_ADDRESS, 0)].compared++;
	groups[lockstep_group_of((enum lockstep_kind)kind, 0)].compared++;
	return true;
}

static __attribute__((noinline)) int accesses_compare(struct lockstep *lockstep,
                                                      const struct cairn_insn *insn,
                                                      const struct cairn_step *step)
{
	const uint16_t *told_of = lockstep->hart->machine->told_of;
	unsigned cls = access_class(insn), n = step->n_accesses;
	for (unsigned i = 0; i < n; i++) {
		if (!told_of[i] || access_agrees(lockstep, step, &step->accesses[i], told_of[i] - 1u, cls))
			continue;
		int rc = address_compare(lockstep, i, told_of[i] - 1u, cls);
		if (rc >= 0)
			rc = contents_compare(lockstep, i, told_of[i] - 1u, cls);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- the flow ---- */

static __attribute__((noinline)) int flow_differs(struct lockstep *lockstep, struct hart *hart,
                                                  enum lockstep_kind kind, uint64_t told,
                                                  uint64_t expected)
{
	unsigned group = lockstep_group_of(kind, 0);
	hart->follows = false;
	if (!walk_is_reported(lockstep, group))
		return 0;
	if (lockstep->texts[group]++ < lockstep->opts.most_texts)
		lockstep_say_flow(lockstep, kind, told, expected);
	return walk_report(lockstep, kind, group);
}

static inline int flow_compare(struct lockstep *lockstep, struct hart *hart,
                               enum lockstep_kind kind, uint64_t told, uint64_t expected)
{
	lockstep->groups[lockstep_group_of(kind, 0)].compared++;
	return told == expected ? 0 : flow_differs(lockstep, hart, kind, told, expected);
}

/* An instruction that is not where the one before it goes. */
static __attribute__((noinline)) int flow_strays(struct lockstep *lockstep, struct hart *hart,
                                                 uint64_t pc)
{
	/* Where harts take turns each goes on where it was. If it does not, traces have been put
	 * together here. */
	if (hart->came) {
		hart_forget(lockstep, hart);
		return 0;
	}
	int rc = flow_compare(lockstep, hart, LOCKSTEP_NEXT, pc, hart->next);
	hart->suspect = lockstep->unusual = true;
	return rc;
}

/* Is the instruction where the one before it goes? */
static inline int flow_arrive(struct lockstep *lockstep, struct hart *hart, uint64_t pc)
{
	int rc = 0;
	if (hart->follows && hart->next_known == UINT64_MAX) {
		if (pc != hart->next)
			rc = flow_strays(lockstep, hart, pc);
		else
			lockstep->groups[lockstep_group_of(LOCKSTEP_NEXT, 0)].compared++;
	}
	hart->came = false;
	return rc;
}

/* Where the trace says that a branch went. */
static inline int flow_branch(struct lockstep *lockstep, struct hart *hart,
                              const struct cairn_insn *insn, const struct cairn_step *step)
{
	bool taken = insn->flags & CAIRN_INSN_TAKEN;
	/* Behind a delay slot it goes to its target. */
	bool delayed = insn->traits & CAIRN_TRAIT_DELAY_SLOT && !step->annuls;
	uint64_t to = delayed ? step->after : step->next;
	bool to_known = (delayed ? step->after_known : step->next_known) == UINT64_MAX;
	int rc = 0;
	if (step->status != CAIRN_STEP_DONE)
		return 0;
	bool told = insn->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN);
	if (told)
		walk_count(lockstep, step->taken_known && to_known);
	if (told && step->taken_known && insn->traits & CAIRN_TRAIT_CONDITIONAL)
		rc = flow_compare(lockstep, hart, LOCKSTEP_BRANCH, taken, step->taken);
	if (rc >= 0 && taken && insn->flags & CAIRN_INSN_TARGET && step->taken_known && step->taken &&
	    to_known)
		rc = flow_compare(lockstep, hart, LOCKSTEP_TARGET, insn->target, to);
	return rc;
}

/* ---- one instruction ---- */

static bool is_executable(const struct cairn_insn *insn)
{
	return !(insn->flags & (CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
}

/* The encoding of the call says which registers hold the system's results. */
static void hart_trap(const struct lockstep *lockstep, struct hart *hart,
                      const struct cairn_insn *insn)
{
	struct isa_written written;
	lockstep_forget_vectors(lockstep, hart, true);
	isa_written(hart->isa, insn->enc, insn->size, &written);
	written.store = ISA_STORES_NOT;
	exec_forget_written(hart->machine, &written);
	hart->trapped = true;
	hart->next = hart->resume = insn->pc + insn->size;
}

/* HLT of A64: simulators have calls of their own there, and semihosting. */
static bool is_call_of_simulator(const struct cairn_insn *insn)
{
	return insn->isa == CAIRN_ISA_A64 && (insn->enc & 0xffe0001f) == 0xd4400000;
}

/* Most instructions that are aborted have changed nothing. Copies and sets of A64 have done a part of their
 * work, of which registers tell. */
static void hart_abort(struct hart *hart, const struct cairn_insn *insn)
{
	struct isa_written written;
	struct isa_arm64_access access;
	hart->follows = false;
	if (insn->isa != CAIRN_ISA_A64 || !(insn->flags & CAIRN_INSN_ABORTED) || !is_executable(insn) ||
	    !isa_arm64_access(insn->enc, &access) || !(access.flags & ISA_ARM64_MOPS))
		return;
	isa_written(hart->isa, insn->enc, insn->size, &written);
	exec_forget_written(hart->machine, &written);
}

/* What an instruction means that did not just execute. */
static __attribute__((noinline)) void insn_stops(struct lockstep *lockstep, struct hart *hart,
                                                 const struct cairn_insn *insn,
                                                 const struct cairn_step *step)
{
	hart->follows &= step->status == CAIRN_STEP_DONE;
	lockstep->counts.not_modelled += step->status == CAIRN_STEP_NOT_MODELLED;
	if (step->status == CAIRN_STEP_ILLEGAL || insn->traits & CAIRN_TRAIT_BREAKPOINT ||
	    is_call_of_simulator(insn))
		hart_forget(lockstep, hart); /* a debugger or a simulator may do anything there */
	if (step->status != CAIRN_STEP_TRAP)
		return;
	hart_trap(lockstep, hart, insn);
	lockstep->steady = UINT32_MAX;
}

static inline __attribute__((always_inline)) int insn_execute(struct lockstep *lockstep,
                                                              struct hart *hart,
                                                              const struct cairn_insn *insn,
                                                              uint64_t number)
{
	struct cairn_machine *machine = hart->machine;
	const struct cairn_reg *rows = &lockstep->batch->regs[insn->reg0], *reg = rows;
	const struct cairn_reg *end = &lockstep->batch->regs[insn[1].reg0];
	int rc = flow_arrive(lockstep, hart, insn->pc);
	machine->now = number;
	while (reg < end && reg->role == CAIRN_ROLE_DST) /* most have nothing else */
		reg++;
	if (reg < end && rc >= 0)
		rc = rows_before(lockstep, insn, reg, end);
	if (rc < 0)
		return rc;
	lockstep->n_told = 0;
	if (insn[1].mem0 != insn->mem0)
		take_accesses(lockstep, insn);
	if (lockstep->opts.before)
		lockstep->opts.before(lockstep->opts.user);
	const struct cairn_step *step =
		exec_step(machine, insn->pc, insn->enc, insn->size, lockstep->told, lockstep->n_told);
	lockstep->step = step;
	lockstep->counts.executed++;
	hart->follows = !hart->suspect;
	hart->next = step->next;
	hart->next_known = step->next_known;
	hart->from = number;
	hart->pc = insn->pc;
	if (step->status != CAIRN_STEP_DONE || insn->traits & CAIRN_TRAIT_BREAKPOINT ||
	    is_call_of_simulator(insn))
		insn_stops(lockstep, hart, insn, step);
	if (lockstep->n_told)
		rc = accesses_compare(lockstep, insn, step);
	if (insn->traits & CAIRN_TRAIT_BRANCH && rc >= 0)
		rc = flow_branch(lockstep, hart, insn, step);
	if (rc >= 0)
		rc = rows_behind(lockstep, machine, rows, end);
	if (lockstep->opts.after && rc >= 0)
		lockstep->opts.after(lockstep->opts.user);
	return rc;
}

/* An instruction at which more may happen than its execution. > 0: it is to be executed. */
static int insn_enter(struct lockstep *lockstep, const struct cairn_insn *insn)
{
	const struct cairn_batch *batch = lockstep->batch;
	const struct cairn_ctx *ctx = model_slot_ctx(batch, lockstep->slot);
	enum cairn_isa isa = (enum cairn_isa)(insn->isa | insn->variant);
	bool enters = insn->ctx != lockstep->ctx_row || isa != lockstep->hart->isa;
	int rc = enters ? hart_enter(lockstep, ctx, isa) : 0;
	struct hart *hart = lockstep->hart;
	lockstep->ctx_row = insn->ctx;
	if (rc < 0)
		return rc;
	if (!hart->machine) {
		lockstep->counts.executed += model_slot_runs(batch, lockstep->slot);
		lockstep->counts.not_modelled += model_slot_runs(batch, lockstep->slot);
		return 0;
	}
	if (model_slot_arrival(batch, lockstep->slot) == MODEL_JUMPS)
		hart_forget(lockstep, hart);
	take_events(lockstep, hart, true);
	if (hart->trapped)
		hart_resume(lockstep, hart, ctx, insn->pc);
	if (enters)
		hart->ctx = *ctx;
	if (!model_slot_runs(batch, lockstep->slot))
		hart_abort(hart, insn);
	else if (!is_executable(insn))
		hart_forget(lockstep, hart);
	else
		return 1;
	return 0;
}

/* Behind an instruction of which something was reported, or is in doubt. */
static __attribute__((noinline)) void insn_settle(struct lockstep *lockstep)
{
	lockstep->differs = lockstep->unusual = lockstep->hart->suspect = false;
	if (lockstep->restart)
		walk_restart(lockstep);
}

/* Do all instructions like the one at hand just execute? */
static bool walk_is_steady(const struct lockstep *lockstep)
{
	return lockstep->hart->machine && !lockstep->hart->trapped;
}

static __attribute__((noinline)) int insn_execute_apart(struct lockstep *lockstep,
                                                        const struct cairn_insn *insn,
                                                        uint64_t number)
{
	return insn_execute(lockstep, lockstep->hart, insn, number);
}

/* An instruction at which more may happen, or which does not execute. */
static __attribute__((noinline)) int insn_special(struct lockstep *lockstep,
                                                  const struct cairn_insn *insn, uint64_t number)
{
	int rc = insn_enter(lockstep, insn);
	if (rc > 0)
		rc = insn_execute_apart(lockstep, insn, number);
	if (rc < 0)
		return rc;
	if (lockstep->hart->machine)
		take_events(lockstep, lockstep->hart, false);
	lockstep->steady = walk_is_steady(lockstep) ? lockstep->ctx_row : UINT32_MAX;
	lockstep->steady_isa = lockstep->hart->isa;
	return 0;
}

static inline bool insn_is_steady(const struct lockstep *lockstep, const struct cairn_insn *insn)
{
	enum {
		SPECIAL = CAIRN_INSN_DISCONTINUITY | CAIRN_INSN_NOT_EXECUTED | CAIRN_INSN_PC_UNKNOWN |
		          CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES
	};
	unsigned isa = insn->isa | insn->variant;
	return insn->ctx == lockstep->steady && isa == lockstep->steady_isa &&
	       !(insn->flags & SPECIAL) && insn[0].ev0 == insn[1].ev0;
}

int lockstep_batch(struct lockstep *lockstep, const struct cairn_batch *batch)
{
	const struct cairn_insn *insn = batch->insns, *end = insn + batch->n_insns;
	uint64_t number = batch->n0;
	lockstep->batch = batch;
	lockstep->ctx_row = lockstep->steady = UINT32_MAX;
	for (lockstep->slot = 0; insn < end; insn++, number++, lockstep->slot++) {
		int rc = insn_is_steady(lockstep, insn)
		             ? insn_execute(lockstep, lockstep->hart, insn, number)
		             : insn_special(lockstep, insn, number);
		if (lockstep->unusual)
			insn_settle(lockstep);
		if (rc < 0)
			return rc;
	}
	/* What belongs to no instruction comes before those that follow. */
	if (lockstep->hart && lockstep->hart->machine) {
		take_events(lockstep, lockstep->hart, true);
		take_events(lockstep, lockstep->hart, false);
	}
	return 0;
}
