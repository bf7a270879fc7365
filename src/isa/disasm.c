/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembly text, memoised by encoding.
 *
 * LLVM takes a microsecond or more for one instruction; a trace repeats a few
 * thousand encodings millions of times. So each encoding is given to LLVM once,
 * always as if it stood at address 0, and what came out is kept. What depends on
 * the address is only the target of a relative branch, which LLVM prints as a
 * distance (on SPARC even as a word count): the kept text is the part before it,
 * and the distance, which cairn_isa_decode knows, is kept beside it. A hit is a
 * hash, a compare and, for branches, a copy of some ten characters and a
 * hexadecimal number.
 *
 * The memo is one open-addressing table of 16-byte slots and one arena of text.
 * Both double until together they hold 32 MB; after that (or when memory is
 * short) they are emptied and filled again. A text handed out therefore lives
 * until the next call, as the header says. Slots are never removed singly, so
 * probing needs no tombstones.
 */
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"
#include "cairn/isa.h"
#include "isa/llvm.h"

enum {
	TEXT_MAX = 224, /* longest text kept; the longest known are half of it */
	FIRST_SLOTS = 1 << 12,
	MAX_SLOTS = 1 << 20, /* 16 MB, filled to three quarters */
	FIRST_ARENA = 1 << 16,
	MAX_ARENA = 1 << 24
};

static const char unknown[] = "<unknown>";

struct slot {
	uint32_t enc;
	uint32_t text;  /* where in the arena */
	int32_t offset; /* of the branch target */
	uint8_t len;
	uint8_t size; /* of the encoding; 0: the slot is free */
	uint8_t has_target;
	uint8_t align; /* low bits of the target that are always clear */
};

struct cairn_disasm {
	struct cairn *cairn;
	const struct isa_llvm *llvm;
	void *dc;
	uint64_t addr_mask;
	struct slot *slots;
	char *arena;
	size_t n_slots, used;
	size_t arena_len, arena_cap;
	enum cairn_isa isa;
	char line[TEXT_MAX + 24]; /* a text with its target */
};

int cairn_disasm_new(struct cairn *cairn, enum cairn_isa isa, const char *isa_string,
                     struct cairn_disasm **out)
{
	*out = NULL;
	const char *triple = isa_llvm_triple(isa);
	if (!triple)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED,
		                 "there is no disassembly for this instruction set");
	const struct isa_llvm *llvm = isa_llvm_get();
	if (!llvm)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED, "disassembly needs LLVM, %s",
		                 isa_llvm_missing());
	int rc = CAIRN_E_NOMEM;
	struct base_buf features;
	base_buf_init(&features, cairn);
	struct cairn_disasm *disasm = base_alloc(cairn, sizeof *disasm);
	if (!disasm)
		goto out;
	*disasm =
		(struct cairn_disasm){.cairn = cairn, .llvm = llvm, .isa = isa, .addr_mask = UINT64_MAX};
	if (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_A32 || isa == CAIRN_ISA_T32)
		disasm->addr_mask = UINT32_MAX;
	disasm->slots = base_alloc(cairn, FIRST_SLOTS * sizeof *disasm->slots);
	disasm->arena = base_alloc(cairn, FIRST_ARENA);
	if (!disasm->slots || !disasm->arena)
		goto out;
	disasm->n_slots = FIRST_SLOTS;
	disasm->arena_cap = FIRST_ARENA;
	rc = isa_llvm_features(isa, isa_string, llvm->version, &features);
	if (rc < 0)
		goto out;
	disasm->dc = llvm->create(triple, "", (const char *)features.data, NULL, 0, NULL, NULL);
	rc = disasm->dc
	         ? 0
	         : base_fail(cairn, CAIRN_E_UNSUPPORTED,
	                     "the LLVM %d installed has no disassembler for %s", llvm->version, triple);
out:
	base_buf_free(&features);
	if (rc < 0) {
		cairn_disasm_free(disasm);
		disasm = NULL;
	}
	*out = disasm;
	return rc;
}

void cairn_disasm_free(struct cairn_disasm *disasm)
{
	if (!disasm)
		return;
	if (disasm->dc)
		disasm->llvm->dispose(disasm->dc);
	base_free(disasm->cairn, disasm->slots);
	base_free(disasm->cairn, disasm->arena);
	base_free(disasm->cairn, disasm);
}

/* The bytes of an encoding as they lie in memory. The number of a 32-bit Thumb
 * instruction has its first halfword on top. */
static void to_bytes(enum cairn_isa isa, uint32_t enc, unsigned size, uint8_t *bytes)
{
	if (isa == CAIRN_ISA_SPARC) {
		base_put_le32(bytes, __builtin_bswap32(enc));
	} else if (isa == CAIRN_ISA_T32 && size == 4) {
		base_put_le16(bytes, (uint16_t)(enc >> 16));
		base_put_le16(bytes + 2, (uint16_t)enc);
	} else {
		base_put_le32(bytes, enc);
	}
}

/* The size the trace gives, or what the encoding says of itself. */
static unsigned disasm_size_of(enum cairn_isa isa, uint32_t enc, unsigned size)
{
	bool halves = isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64 || isa == CAIRN_ISA_T32;
	if (size && size <= 4)
		return size;
	if (!halves)
		return 4;
	if (isa == CAIRN_ISA_T32)
		return enc > 0xffff ? 4 : 2;
	return (enc & 3) == 3 ? 4 : 2;
}

/* Turn LLVM's tabs into single spaces, dropping leading and trailing ones, and a remark
 * behind the operands. */
static size_t tidy(char *text)
{
	size_t n = 0;
	char *remark = strstr(text, " //");
	if (remark)
		*remark = 0;
	for (const char *p = text; *p; p++) {
		bool blank = *p == ' ' || *p == '\t' || *p == '\n';
		if (!blank)
			text[n++] = *p;
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	}
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = 0;
	return n;
}

/* Where the last operand begins when it is a plain number ("#-16", "0x10",
 * ".+8"), else 0: a branch of another shape is left as it is. */
static size_t number_at_end(const char *text, size_t n)
{
	size_t at = n;
	while (at && text[at - 1] != ' ')
		at--;
	const char *p = text + at;
	p += strspn(p, "#.");
	p += *p == '-' || *p == '+';
	bool hex = p[0] == '0' && p[1] == 'x';
	p += hex ? 2 : 0;
	size_t digits = strspn(p, hex ? "0123456789abcdefABCDEF" : "0123456789");
	return at && digits && p[digits] == 0 ? at : 0;
}

/* LLVM's Thumb decoder remembers an IT and bends the instructions given to it
 * next. Here the next one asked about is not the next one run, so it is made to
 * forget: four no-ops end any IT block. */
static void end_it_block(struct cairn_disasm *disasm, const struct slot *slot)
{
	bool it = disasm->isa == CAIRN_ISA_T32 && (slot->enc & 0xff00) == 0xbf00 && slot->enc & 0xf;
	for (int i = 0; it && i < 4; i++) {
		uint8_t nop[2] = {0x00, 0xbf};
		char text[64];
		disasm->llvm->disasm(disasm->dc, nop, sizeof nop, 0, text, sizeof text);
	}
}

/* Ask LLVM. Fills the slot except for the place of its text, which is in `text`. */
static void translate(struct cairn_disasm *disasm, char *text, struct slot *slot)
{
	uint8_t bytes[4];
	char raw[TEXT_MAX + 32] = "";
	to_bytes(disasm->isa, slot->enc, slot->size, bytes);
	size_t took = disasm->llvm->disasm(disasm->dc, bytes, slot->size, 0, raw, sizeof raw);
	end_it_block(disasm, slot);
	size_t n = tidy(raw);
	if (took != slot->size || n == 0 || n > TEXT_MAX) {
		memcpy(text, unknown, sizeof unknown);
		slot->len = sizeof unknown - 1;
		return;
	}
	struct cairn_op op;
	cairn_isa_decode(disasm->isa, slot->enc, slot->size, &op);
	bool relative = op.traits & CAIRN_TRAIT_BRANCH &&
	                !(op.traits & (CAIRN_TRAIT_INDIRECT | CAIRN_TRAIT_SYSCALL |
	                               CAIRN_TRAIT_BREAKPOINT | CAIRN_TRAIT_XRET));
	size_t at = relative ? number_at_end(raw, n) : 0;
	if (at && op.offset == (int32_t)op.offset) {
		slot->has_target = 1;
		slot->offset = (int32_t)op.offset;
		/* from T32 into A32: see cairn_op_target */
		slot->align = (uint8_t)(cairn_op_target(&op, 2) == cairn_op_target(&op, 0) ? 3 : 0);
		n = at;
	}
	memcpy(text, raw, n);
	text[n] = 0;
	slot->len = (uint8_t)n;
}

static inline size_t disasm_hash(uint32_t enc, unsigned size)
{
	uint64_t h = ((uint64_t)size << 32 | enc) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32);
}

/* The slot of an encoding, or the free one where it belongs. */
static inline struct slot *disasm_probe(const struct cairn_disasm *disasm, uint32_t enc,
                                        unsigned size)
{
	size_t mask = disasm->n_slots - 1;
	size_t i = disasm_hash(enc, size) & mask;
	while (disasm->slots[i].size && (disasm->slots[i].enc != enc || disasm->slots[i].size != size))
		i = (i + 1) & mask;
	return &disasm->slots[i];
}

static void disasm_forget(struct cairn_disasm *disasm)
{
	memset(disasm->slots, 0, disasm->n_slots * sizeof *disasm->slots);
	disasm->used = 0;
	disasm->arena_len = 0;
}

/* Twice the slots; false when that is too many or memory is short. */
static bool grow_slots(struct cairn_disasm *disasm)
{
	if (disasm->n_slots >= MAX_SLOTS)
		return false;
	struct slot *old = disasm->slots;
	size_t n_old = disasm->n_slots;
	struct slot *fresh = base_alloc(disasm->cairn, 2 * n_old * sizeof *fresh);
	if (!fresh)
		return false;
	disasm->slots = fresh;
	disasm->n_slots = 2 * n_old;
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].size)
			*disasm_probe(disasm, old[i].enc, old[i].size) = old[i];
	}
	base_free(disasm->cairn, old);
	return true;
}

static bool grow_arena(struct cairn_disasm *disasm)
{
	if (disasm->arena_cap >= MAX_ARENA)
		return false;
	char *p = base_realloc(disasm->cairn, disasm->arena, 2 * disasm->arena_cap);
	if (!p)
		return false;
	disasm->arena = p;
	disasm->arena_cap *= 2;
	return true;
}

/* The slow way: an encoding not seen before. There is always room for one more
 * after forgetting. */
static struct slot *miss(struct cairn_disasm *disasm, uint32_t enc, unsigned size)
{
	bool room = (disasm->used + 1) * 4 <= disasm->n_slots * 3 || grow_slots(disasm);
	if (room && disasm->arena_cap - disasm->arena_len <= TEXT_MAX)
		room = grow_arena(disasm);
	if (!room)
		disasm_forget(disasm);
	struct slot *slot = disasm_probe(disasm, enc, size);
	*slot = (struct slot){.enc = enc, .size = (uint8_t)size, .text = (uint32_t)disasm->arena_len};
	translate(disasm, disasm->arena + disasm->arena_len, slot);
	disasm->arena_len += (size_t)slot->len + 1;
	disasm->used++;
	return slot;
}

/* "0x" and the digits, without leading zeros. */
static char *disasm_put_hex(char *p, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	unsigned bits = value ? 64 - (unsigned)__builtin_clzll(value) : 1;
	*p++ = '0';
	*p++ = 'x';
	for (unsigned shift = (bits + 3) / 4 * 4; shift;) {
		shift -= 4;
		*p++ = digits[value >> shift & 15];
	}
	*p = 0;
	return p;
}

size_t cairn_disasm_text(struct cairn_disasm *disasm, uint64_t pc, uint32_t enc, unsigned size,
                         const char **text)
{
	size = disasm_size_of(disasm->isa, enc, size);
	if (size < 4)
		enc &= (UINT32_C(1) << 8 * size) - 1;
	const struct slot *slot = disasm_probe(disasm, enc, size);
	if (!slot->size)
		slot = miss(disasm, enc, size);
	const char *kept = disasm->arena + slot->text;
	if (!slot->has_target) {
		*text = kept;
		return slot->len;
	}
	memcpy(disasm->line, kept, slot->len);
	uint64_t target = (pc + (uint64_t)(int64_t)slot->offset) & ~(uint64_t)slot->align;
	char *end = disasm_put_hex(disasm->line + slot->len, target & disasm->addr_mask);
	*text = disasm->line;
	return (size_t)(end - disasm->line);
}
