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
	struct cairn *c;
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

int cairn_disasm_new(struct cairn *c, enum cairn_isa isa, const char *isa_string,
                     struct cairn_disasm **out)
{
	*out = NULL;
	const char *triple = isa_llvm_triple(isa);
	if (!triple)
		return base_fail(c, CAIRN_E_UNSUPPORTED,
		                 "there is no disassembly for this instruction set");
	const struct isa_llvm *llvm = isa_llvm_get();
	if (!llvm)
		return base_fail(c, CAIRN_E_UNSUPPORTED, "disassembly needs LLVM, %s", isa_llvm_missing());
	int rc = CAIRN_E_NOMEM;
	struct base_buf features;
	base_buf_init(&features, c);
	struct cairn_disasm *d = base_alloc(c, sizeof *d);
	if (!d)
		goto out;
	*d = (struct cairn_disasm){.c = c, .llvm = llvm, .isa = isa, .addr_mask = UINT64_MAX};
	if (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_A32 || isa == CAIRN_ISA_T32)
		d->addr_mask = UINT32_MAX;
	d->slots = base_alloc(c, FIRST_SLOTS * sizeof *d->slots);
	d->arena = base_alloc(c, FIRST_ARENA);
	if (!d->slots || !d->arena)
		goto out;
	d->n_slots = FIRST_SLOTS;
	d->arena_cap = FIRST_ARENA;
	rc = isa_llvm_features(isa, isa_string, llvm->version, &features);
	if (rc < 0)
		goto out;
	d->dc = llvm->create(triple, "", (const char *)features.data, NULL, 0, NULL, NULL);
	rc = d->dc
	         ? 0
	         : base_fail(c, CAIRN_E_UNSUPPORTED, "the LLVM %d installed has no disassembler for %s",
	                     llvm->version, triple);
out:
	base_buf_free(&features);
	if (rc < 0) {
		cairn_disasm_free(d);
		d = NULL;
	}
	*out = d;
	return rc;
}

void cairn_disasm_free(struct cairn_disasm *d)
{
	if (!d)
		return;
	if (d->dc)
		d->llvm->dispose(d->dc);
	base_free(d->c, d->slots);
	base_free(d->c, d->arena);
	base_free(d->c, d);
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
static size_t tidy(char *s)
{
	size_t n = 0;
	char *remark = strstr(s, " //");
	if (remark)
		*remark = 0;
	for (const char *p = s; *p; p++) {
		bool blank = *p == ' ' || *p == '\t' || *p == '\n';
		if (!blank)
			s[n++] = *p;
		else if (n && s[n - 1] != ' ')
			s[n++] = ' ';
	}
	while (n && s[n - 1] == ' ')
		n--;
	s[n] = 0;
	return n;
}

/* Where the last operand begins when it is a plain number ("#-16", "0x10",
 * ".+8"), else 0: a branch of another shape is left as it is. */
static size_t number_at_end(const char *s, size_t n)
{
	size_t at = n;
	while (at && s[at - 1] != ' ')
		at--;
	const char *p = s + at;
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
static void end_it_block(struct cairn_disasm *d, const struct slot *s)
{
	bool it = d->isa == CAIRN_ISA_T32 && (s->enc & 0xff00) == 0xbf00 && s->enc & 0xf;
	for (int i = 0; it && i < 4; i++) {
		uint8_t nop[2] = {0x00, 0xbf};
		char text[64];
		d->llvm->disasm(d->dc, nop, sizeof nop, 0, text, sizeof text);
	}
}

/* Ask LLVM. Fills the slot but for the place of its text, which is in `text`. */
static void translate(struct cairn_disasm *d, char *text, struct slot *s)
{
	uint8_t bytes[4];
	char raw[TEXT_MAX + 32] = "";
	to_bytes(d->isa, s->enc, s->size, bytes);
	size_t took = d->llvm->disasm(d->dc, bytes, s->size, 0, raw, sizeof raw);
	end_it_block(d, s);
	size_t n = tidy(raw);
	if (took != s->size || n == 0 || n > TEXT_MAX) {
		memcpy(text, unknown, sizeof unknown);
		s->len = sizeof unknown - 1;
		return;
	}
	struct cairn_op op;
	cairn_isa_decode(d->isa, s->enc, s->size, &op);
	bool relative = op.traits & CAIRN_TRAIT_BRANCH &&
	                !(op.traits & (CAIRN_TRAIT_INDIRECT | CAIRN_TRAIT_SYSCALL |
	                               CAIRN_TRAIT_BREAKPOINT | CAIRN_TRAIT_XRET));
	size_t at = relative ? number_at_end(raw, n) : 0;
	if (at && op.offset == (int32_t)op.offset) {
		s->has_target = 1;
		s->offset = (int32_t)op.offset;
		/* from T32 into A32: see cairn_op_target */
		s->align = (uint8_t)(cairn_op_target(&op, 2) == cairn_op_target(&op, 0) ? 3 : 0);
		n = at;
	}
	memcpy(text, raw, n);
	text[n] = 0;
	s->len = (uint8_t)n;
}

static inline size_t disasm_hash(uint32_t enc, unsigned size)
{
	uint64_t h = ((uint64_t)size << 32 | enc) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32);
}

/* The slot of an encoding, or the free one where it belongs. */
static inline struct slot *disasm_probe(const struct cairn_disasm *d, uint32_t enc, unsigned size)
{
	size_t mask = d->n_slots - 1;
	size_t i = disasm_hash(enc, size) & mask;
	while (d->slots[i].size && (d->slots[i].enc != enc || d->slots[i].size != size))
		i = (i + 1) & mask;
	return &d->slots[i];
}

static void disasm_forget(struct cairn_disasm *d)
{
	memset(d->slots, 0, d->n_slots * sizeof *d->slots);
	d->used = 0;
	d->arena_len = 0;
}

/* Twice the slots; false when that is too many or memory is short. */
static bool grow_slots(struct cairn_disasm *d)
{
	if (d->n_slots >= MAX_SLOTS)
		return false;
	struct slot *old = d->slots;
	size_t n_old = d->n_slots;
	struct slot *fresh = base_alloc(d->c, 2 * n_old * sizeof *fresh);
	if (!fresh)
		return false;
	d->slots = fresh;
	d->n_slots = 2 * n_old;
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].size)
			*disasm_probe(d, old[i].enc, old[i].size) = old[i];
	}
	base_free(d->c, old);
	return true;
}

static bool grow_arena(struct cairn_disasm *d)
{
	if (d->arena_cap >= MAX_ARENA)
		return false;
	char *p = base_realloc(d->c, d->arena, 2 * d->arena_cap);
	if (!p)
		return false;
	d->arena = p;
	d->arena_cap *= 2;
	return true;
}

/* The slow way: an encoding not seen before. There is always room for one more
 * after forgetting. */
static struct slot *miss(struct cairn_disasm *d, uint32_t enc, unsigned size)
{
	bool room = (d->used + 1) * 4 <= d->n_slots * 3 || grow_slots(d);
	if (room && d->arena_cap - d->arena_len <= TEXT_MAX)
		room = grow_arena(d);
	if (!room)
		disasm_forget(d);
	struct slot *s = disasm_probe(d, enc, size);
	*s = (struct slot){.enc = enc, .size = (uint8_t)size, .text = (uint32_t)d->arena_len};
	translate(d, d->arena + d->arena_len, s);
	d->arena_len += (size_t)s->len + 1;
	d->used++;
	return s;
}

/* "0x" and the digits, without leading zeros. */
static char *disasm_put_hex(char *p, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	unsigned bits = v ? 64 - (unsigned)__builtin_clzll(v) : 1;
	*p++ = '0';
	*p++ = 'x';
	for (unsigned shift = (bits + 3) / 4 * 4; shift;) {
		shift -= 4;
		*p++ = digits[v >> shift & 15];
	}
	*p = 0;
	return p;
}

size_t cairn_disasm_text(struct cairn_disasm *d, uint64_t pc, uint32_t enc, unsigned size,
                         const char **text)
{
	size = disasm_size_of(d->isa, enc, size);
	if (size < 4)
		enc &= (UINT32_C(1) << 8 * size) - 1;
	const struct slot *s = disasm_probe(d, enc, size);
	if (!s->size)
		s = miss(d, enc, size);
	const char *kept = d->arena + s->text;
	if (!s->has_target) {
		*text = kept;
		return s->len;
	}
	memcpy(d->line, kept, s->len);
	uint64_t target = (pc + (uint64_t)(int64_t)s->offset) & ~(uint64_t)s->align;
	char *end = disasm_put_hex(d->line + s->len, target & d->addr_mask);
	*text = d->line;
	return (size_t)(end - d->line);
}
