/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory as the trace tells of it: what is loaded has to be what was stored there last, or
 * loaded before, unless something that has no line could have stored there.
 *
 * That is: a call of the host's code (HLT with a number the simulator hands on, SVC, BRK),
 * a hole or another run, a store whose address or size is not known, a line that could not
 * be read, a switch of what is traced. Then all of memory is forgotten; after such a
 * switch it is not followed before a store is seen, for stores may be what is switched
 * off. Logs without stores, or without instructions (which say that what an atomic shows
 * is not what it stores), are not judged.
 *
 * Of a log in which several CPUs take turns memory is not judged from there on: the order of
 * their lines is not that of what they did to memory.
 *
 * A span does not know what was stored before it: what it loads and has not stored is
 * asked of the judge when the spans are joined. Addresses are taken without the byte of
 * tags at their top. The number of words followed is bounded: beyond it all is forgotten.
 */
#include <string.h>

#include "formats/vixl/check/rules.h"

/* The counters of a word: bytes of the masks are all ones or zero. */
enum { VALUE, KNOWN, SETTLED, STORED, WIDTH };
enum { PART_WORDS = 1 << 17, JUDGE_WORDS = 1 << 19, MOST_ASKED = 16 << 20 };

struct vixl_asked {
	struct check_place at;
	uint64_t word, value, mask;
};

void vixl_memory_init(struct vixl_memory *memory, struct cairn *cairn, bool judge)
{
	base_map_init(&memory->words, cairn, WIDTH);
	base_buf_init(&memory->asked, cairn);
	memory->judge = judge;
	memory->most = judge ? JUDGE_WORDS : PART_WORDS;
}

void vixl_memory_free(struct vixl_memory *memory)
{
	base_map_free(&memory->words);
	base_buf_free(&memory->asked);
}

static void rules_memory_forget(struct vixl_memory *memory)
{
	base_map_clear(&memory->words);
	memory->forgot = true;
}

/* The bytes that are not zero, as a mask. */
static uint64_t bytes_not_zero(uint64_t value)
{
	value |= value >> 4;
	value |= value >> 2;
	value |= value >> 1;
	return (value & UINT64_C(0x0101010101010101)) * 0xff;
}

static void rules_memory_contradicts(struct check_part *part, const struct check_place *at,
                                     uint64_t word, const uint64_t *counters, uint64_t value,
                                     uint64_t wrong)
{
	unsigned byte = (unsigned)__builtin_ctzll(wrong) / 8;
	unsigned is = value >> 8 * byte & 0xff, was = counters[VALUE] >> 8 * byte & 0xff;
	unsigned long long addr = word * 8 + byte;
	if (counters[STORED] >> 8 * byte & 1)
		check_add(part, VIXL_RULE_MEMORY_VALUE, at,
		          "0x%02x is loaded from 0x%llx, where 0x%02x was stored last", is, addr, was);
	else
		check_add(part, VIXL_RULE_MEMORY_CHANGED, at,
		          "0x%02x is loaded from 0x%llx, where 0x%02x was loaded before and nothing stored",
		          is, addr, was);
}

static int stored(struct vixl_memory *memory, uint64_t word, uint64_t mask, const uint64_t *value)
{
	if (memory->words.n >= memory->most)
		rules_memory_forget(memory);
	uint64_t *c = base_map_at(&memory->words, word, 0);
	if (!c)
		return CAIRN_E_NOMEM;
	c[SETTLED] |= mask;
	c[STORED] |= mask;
	c[KNOWN] = value ? c[KNOWN] | mask : c[KNOWN] & ~mask;
	c[VALUE] = (c[VALUE] & ~mask) | (value ? *value & mask : 0);
	return 0;
}

static int rules_memory_loaded(struct vixl_memory *memory, struct check_part *part,
                               const struct check_place *at, uint64_t word, uint64_t mask,
                               uint64_t value)
{
	struct vixl_asked ask = {*at, word, value, mask};
	bool may_ask = !memory->judge && !memory->forgot && memory->asked.len < MOST_ASKED;
	if (!memory->judge && !memory->forgot && !memory->wrote)
		return may_ask ? base_buf_put(&memory->asked, &ask, sizeof ask) : 0;
	if (memory->words.n >= memory->most)
		rules_memory_forget(memory);
	uint64_t *c = base_map_at(&memory->words, word, 0);
	if (!c)
		return CAIRN_E_NOMEM;
	ask.mask &= ~c[SETTLED];
	if (may_ask && ask.mask) {
		int rc = base_buf_put(&memory->asked, &ask, sizeof ask);
		if (rc < 0)
			return rc;
	}
	uint64_t wrong = bytes_not_zero(c[VALUE] ^ value) & mask & c[KNOWN];
	if (wrong)
		rules_memory_contradicts(part, at, word, c, value, wrong);
	c[STORED] &= ~(mask & (~c[KNOWN] | wrong));
	c[KNOWN] |= mask;
	c[SETTLED] |= mask;
	c[VALUE] = (c[VALUE] & ~mask) | (value & mask);
	return 0;
}

/* ---- a slot ---- */

struct slot {
	struct vixl_memory *memory;
	struct check_part *part;
	const struct check_place *at;
	const struct cairn_batch *batch;
};

static int rules_memory_take(const struct slot *slot, const struct cairn_mem *mem)
{
	bool write = mem->kind == CAIRN_MEM_WRITE, known = mem->flags & CAIRN_VALUE_KNOWN;
	uint64_t addr = mem->addr & UINT64_C(0x00ffffffffffffff);
	uint8_t room[8];
	const uint8_t *bytes = room;
	int rc = 0;
	base_put_le64(room, mem->value);
	if (mem->flags & CAIRN_VALUE_WIDE)
		bytes = slot->batch->bytes + mem->value;
	if ((mem->flags & CAIRN_VALUE_ADDR_UNKNOWN) || mem->size == 0) {
		if (write)
			rules_memory_forget(slot->memory);
		return 0;
	}
	if (write && !slot->memory->wrote)
		slot->memory->early = slot->memory->asked.len;
	if (write) {
		slot->memory->wrote = true;
		slot->memory->blind = false;
	}
	if (slot->memory->blind || (!write && !known))
		return 0;
	for (uint32_t i = 0, n; i < mem->size && rc >= 0; i += n) {
		unsigned from = (addr + i) % 8;
		n = mem->size - i < 8 - from ? mem->size - i : 8 - from;
		uint64_t value = known ? base_le(bytes + i, n) << 8 * from : 0;
		uint64_t mask = (n == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * n) - 1) << 8 * from;
		rc = write ? stored(slot->memory, (addr + i) / 8, mask, known ? &value : NULL)
		           : rules_memory_loaded(slot->memory, slot->part, slot->at, (addr + i) / 8, mask,
		                                 value);
	}
	return rc;
}

static bool rules_memory_is_hidden(const struct cairn_batch *batch, const struct cairn_event *event)
{
	if (event->kind == CAIRN_EV_DAMAGE)
		return true;
	return event->kind == CAIRN_EV_COMMENT &&
	       memmem(batch->bytes + event->args, event->len, "-> 0x", 5);
}

int vixl_memory_slot(struct vixl_memory *memory, const struct cairn_batch *batch, uint32_t row,
                     const struct check_place *at, struct check_part *part)
{
	const struct cairn_insn *insn = &batch->insns[row];
	struct slot slot = {memory, part, at, batch};
	bool hidden = vixl_is_foreign(insn->enc);
	int rc = 0;
	if (memory->shared)
		return 0;
	if (insn->flags & CAIRN_INSN_DISCONTINUITY)
		rules_memory_forget(memory);
	for (uint32_t k = insn[0].ev0; k < insn[1].ev0; k++) {
		hidden |= rules_memory_is_hidden(batch, &batch->events[k]);
		if (batch->events[k].kind == CAIRN_EV_GAP)
			rules_memory_forget(memory);
	}
	/* Before 2025 the simulator did not show what DC ZVA zeroes. */
	uint32_t zeroes = CAIRN_TRAIT_CACHE | CAIRN_TRAIT_STORE;
	hidden |= (insn->traits & zeroes) == zeroes && insn[0].mem0 == insn[1].mem0;
	/* CAS is shown to store before it loads. */
	bool loads_first = insn->traits & CAIRN_TRAIT_ATOMIC;
	for (unsigned pass = 0; pass < 2u && rc >= 0 && !hidden; pass++)
		for (uint32_t k = insn[0].mem0; k < insn[1].mem0 && rc >= 0; k++)
			if (loads_first ? (batch->mems[k].kind == CAIRN_MEM_WRITE) == pass : pass == 0)
				rc = rules_memory_take(&slot, &batch->mems[k]);
	if (hidden)
		rules_memory_forget(memory);
	if (vixl_is_hlt(insn->enc) && (insn->enc >> 5 & 0xffff) == VIXL_HLT_TRACE)
		memory->blind = true;
	return rc;
}

/* ---- joining ---- */

static int add_word(struct vixl_memory *memory, const uint64_t *row)
{
	const uint64_t *from = row + 2;
	uint64_t *to = base_map_find(&memory->words, row[0], 0), mask = from[SETTLED];
	if (!to && !from[KNOWN])
		return 0;
	if (!to && memory->words.n >= memory->most)
		rules_memory_forget(memory);
	to = base_map_at(&memory->words, row[0], 0);
	if (!to)
		return CAIRN_E_NOMEM;
	/* What was loaded is what was stored: it stays what was stored. */
	uint64_t same = to[STORED] & to[KNOWN] & ~bytes_not_zero(to[VALUE] ^ from[VALUE]);
	to[STORED] = (to[STORED] & ~mask) | (mask & (from[STORED] | same));
	to[KNOWN] = (to[KNOWN] & ~mask) | (mask & from[KNOWN]);
	to[VALUE] = (to[VALUE] & ~mask) | (mask & from[VALUE]);
	to[SETTLED] |= mask;
	return 0;
}

int vixl_memory_join(struct vixl_memory *memory, const struct vixl_memory *part,
                     struct check_part *p)
{
	const struct vixl_asked *asked = (const struct vixl_asked *)(const void *)part->asked.data;
	size_t n = part->asked.len / sizeof *asked, early = n;
	int rc = 0;
	memory->shared |= part->shared;
	if (memory->shared)
		return 0;
	if (part->wrote)
		early = part->early / sizeof *asked;
	for (size_t i = memory->blind ? early : 0; i < n && rc >= 0; i++)
		rc = rules_memory_loaded(memory, p, &asked[i].at, asked[i].word, asked[i].mask,
		                         asked[i].value);
	if (part->forgot)
		rules_memory_forget(memory);
	for (size_t i = 0; i < part->words.n && rc >= 0; i++)
		rc = add_word(memory, base_map_row(&part->words, i));
	memory->blind = part->blind || (memory->blind && !part->wrote);
	return rc;
}
