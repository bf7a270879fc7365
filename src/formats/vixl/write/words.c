/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words: LLVM's text of an instruction made into that of the simulator's disassembler.
 *
 * Both follow the manual, so most of a text is the same; they differ by family: immediates in
 * hexadecimal, addresses beside distances, lists without blanks, system registers by number.
 * A family is told by the encoding, and what it spells in its own way is made from the encoding,
 * too, so that no text needs to be understood. One table has them all.
 *
 * What came out is kept by encoding, since a trace repeats a few thousand of them; what depends
 * on the address is only the number in "(addr 0x…)" at the end.
 */
#include "formats/vixl/write/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cairn/isa.h"

enum { TEXT_MAX = 256, KEPT = 1024, PAGE = 4096 };

/* The text of one encoding. */
struct kept {
	uint32_t enc;
	uint16_t len;        /* 0: nothing is kept here */
	bool relative, page; /* an address follows, counted from the PC, or from its page */
	int64_t offset;
	char text[TEXT_MAX + 32]; /* with room for the address */
};

struct vixl_words {
	struct cairn *cairn;
	struct cairn_disasm *disasm;
	bool none; /* there is no disassembler */
	struct kept kept[KEPT];
};

struct vixl_words *vixl_words_new(struct cairn *cairn)
{
	struct vixl_words *words = base_alloc(cairn, sizeof *words);
	if (words)
		words->cairn = cairn;
	return words;
}

void vixl_words_free(struct vixl_words *words)
{
	if (!words)
		return;
	if (words->disasm)
		cairn_disasm_free(words->disasm);
	base_free(words->cairn, words);
}

/* ---- putting a text together ---- */

__attribute__((format(printf, 2, 3))) static void words_add(struct kept *kept, const char *format,
                                                            ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(kept->text + kept->len, (size_t)(TEXT_MAX - kept->len), format, args);
	va_end(args);
	if (n > 0)
		kept->len = (uint16_t)(kept->len + n < TEXT_MAX ? kept->len + n : TEXT_MAX - 1);
}

static void add_part(struct kept *kept, const char *from, const char *to)
{
	words_add(kept, "%.*s", (int)(to - from), from);
}

/* Where the operand with this number ends, or its mnemonic (0), at a comma or blank. */
static const char *words_end_of(const char *text, unsigned operand)
{
	const char *p = text + strcspn(text, " ");
	unsigned depth = 0;
	for (; *p && operand; p++) {
		depth += *p == '[' || *p == '{';
		depth -= depth && (*p == ']' || *p == '}');
		if (!depth && p[1] == ',' && --operand == 0)
			return p + 1;
	}
	return p;
}

static const char *last_operand(const char *text)
{
	const char *at = strrchr(text, ' ');
	return at ? at + 1 : text + strlen(text);
}

/* Up to the last operand. */
static void add_start(struct kept *kept, const char *text)
{
	add_part(kept, text, last_operand(text));
}

static uint32_t bits(uint32_t enc, unsigned msb, unsigned lsb)
{
	return enc >> lsb & ((UINT32_C(2) << (msb - lsb)) - 1);
}

static int64_t signed_bits(uint32_t enc, unsigned msb, unsigned lsb)
{
	return (int32_t)(enc << (31 - msb)) >> (31 - msb + lsb);
}

static bool is_x(uint32_t enc)
{
	return enc >> 31;
}

static void words_add_register(struct kept *kept, uint32_t enc, unsigned num, bool stack)
{
	const char *const zero = stack ? (is_x(enc) ? "sp" : "wsp") : is_x(enc) ? "xzr" : "wzr";
	if (num == 31)
		words_add(kept, "%s", zero);
	else
		words_add(kept, "%c%u", is_x(enc) ? 'x' : 'w', num);
}

/* ---- families ---- */

/* Those whose text is complete when they return. */
typedef void spell_fn(struct kept *kept, const char *text);

static void add_target(struct kept *kept, int64_t offset, bool page)
{
	kept->relative = true;
	kept->page = page;
	kept->offset = offset;
	words_add(kept, " (addr ");
}

static void spell_distance(struct kept *kept, const char *text, int64_t offset, bool page)
{
	add_start(kept, text);
	words_add(kept, "#%c0x%" PRIx64, offset < 0 ? '-' : '+',
	          (uint64_t)(offset < 0 ? -offset : offset));
	add_target(kept, offset, page);
}

static void spell_branch(struct kept *kept, const char *text)
{
	spell_distance(kept, text, signed_bits(kept->enc, 25, 0) * 4, false);
}

static void spell_branch_if(struct kept *kept, const char *text)
{
	spell_distance(kept, text, signed_bits(kept->enc, 23, 5) * 4, false);
}

static void spell_branch_bit(struct kept *kept, const char *text)
{
	spell_distance(kept, text, signed_bits(kept->enc, 18, 5) * 4, false);
}

static void spell_address(struct kept *kept, const char *text)
{
	int64_t offset = signed_bits(kept->enc, 23, 5) * 4 + bits(kept->enc, 30, 29);
	bool page = is_x(kept->enc);
	spell_distance(kept, text, page ? offset * PAGE : offset, page);
}

static void add_literal(struct kept *kept)
{
	int64_t offset = signed_bits(kept->enc, 23, 5) * 4;
	words_add(kept, "pc%+" PRId64, offset);
	add_target(kept, offset, false);
}

static void spell_literal(struct kept *kept, const char *text)
{
	add_start(kept, text);
	add_literal(kept);
}

/* ADD … of a number: MOV to or from SP is the same with 0. */
static void spell_add(struct kept *kept, const char *text)
{
	static const char *const names[] = {"add", "adds", "sub", "subs"};
	unsigned op = bits(kept->enc, 30, 29), rd = bits(kept->enc, 4, 0), rn = bits(kept->enc, 9, 5);
	uint32_t imm = bits(kept->enc, 21, 10) << 12 * bits(kept->enc, 22, 22);
	bool moves = op == 0 && imm == 0 && (rd == 31 || rn == 31), compares = op & 1 && rd == 31;
	(void)text;
	words_add(kept, "%s ", moves ? "mov" : !compares ? names[op] : op == 1 ? "cmn" : "cmp");
	if (!compares) {
		words_add_register(kept, kept->enc, rd, !(op & 1));
		words_add(kept, ", ");
	}
	words_add_register(kept, kept->enc, rn, true);
	if (!moves)
		words_add(kept, ", #0x%x (%u)", imm, imm);
}

/* MOVZ and MOVN of 0 in a higher place, and of W MOVN of 0xffff, are no MOV. */
static void spell_move(struct kept *kept, const char *text)
{
	uint64_t imm = (uint64_t)bits(kept->enc, 20, 5) << 16 * bits(kept->enc, 22, 21);
	unsigned op = bits(kept->enc, 30, 29), place = bits(kept->enc, 22, 21);
	bool moves = !strncmp(text, "mov ", 4);
	if (op == 3) {
		add_part(kept, text, words_end_of(text, 1));
		words_add(kept, ", #0x%x", bits(kept->enc, 20, 5));
		if (place)
			words_add(kept, ", lsl #%u", 16 * place);
		return;
	}
	if (op == 0 && moves)
		imm = ~imm;
	add_part(kept, text, words_end_of(text, 1));
	words_add(kept, ", #0x%" PRIx64, is_x(kept->enc) ? imm : imm & UINT32_MAX);
}

/* A mask of bits; LLVM writes those of MOV as decimal numbers. */
static void spell_mask(struct kept *kept, const char *text)
{
	const char *at = last_operand(text);
	if (*at != '#' || !strncmp(at, "#0x", 3)) {
		words_add(kept, "%s", text);
		return;
	}
	uint64_t imm = (uint64_t)strtoll(at + 1, NULL, 0);
	add_start(kept, text);
	words_add(kept, "#0x%" PRIx64, is_x(kept->enc) ? imm : imm & UINT32_MAX);
}

/* The same of a vector's lanes. */
static void spell_lanes_mask(struct kept *kept, const char *text)
{
	const char *at = last_operand(text), *lane = strchr(text, '.');
	if (!lane || *at != '#' || !strncmp(at, "#0x", 3)) {
		words_add(kept, "%s", text);
		return;
	}
	unsigned spare = lane[1] == 'b' ? 56 : lane[1] == 'h' ? 48 : lane[1] == 's' ? 32 : 0;
	add_start(kept, text);
	words_add(kept, "#0x%" PRIx64, (uint64_t)strtoll(at + 1, NULL, 0) << spare >> spare);
}

static void add_flags(struct kept *kept, unsigned nzcv)
{
	words_add(kept, "#%c%c%c%c", nzcv & 8 ? 'N' : 'n', nzcv & 4 ? 'Z' : 'z', nzcv & 2 ? 'C' : 'c',
	          nzcv & 1 ? 'V' : 'v');
}

static void spell_compare(struct kept *kept, const char *text)
{
	add_part(kept, text, words_end_of(text, 2));
	words_add(kept, ", ");
	add_flags(kept, bits(kept->enc, 3, 0));
	words_add(kept, "%s", words_end_of(text, 3));
}

static void spell_into_flags(struct kept *kept, const char *text)
{
	add_start(kept, text);
	add_flags(kept, bits(kept->enc, 3, 0));
}

/* A shift by nothing is not told. */
static void spell_shifted(struct kept *kept, const char *text)
{
	bool shifts = bits(kept->enc, 15, 10) != 0;
	const char *shift = strstr(text, " #0");
	const char *end = shift && !shifts ? shift - strlen(", lsl") : text + strlen(text);
	add_part(kept, text, end);
}

/* An extended register. LLVM's UXTX and UXTW are LSL where one of the others is SP. */
static void spell_extended(struct kept *kept, const char *text)
{
	static const char *const names[] = {"uxtb", "uxth", "uxtw", "uxtx",
	                                    "sxtb", "sxth", "sxtw", "sxtx"};
	unsigned rd = bits(kept->enc, 4, 0), rn = bits(kept->enc, 9, 5), rm = bits(kept->enc, 20, 16);
	unsigned extend = bits(kept->enc, 15, 13), shift = bits(kept->enc, 12, 10);
	bool compares = bits(kept->enc, 29, 29) && rd == 31, wide = (extend & 3) == 3;
	bool plain = (rd == 31 || rn == 31) && (extend == 3 || (extend == 2 && !is_x(kept->enc)));
	add_part(kept, text, words_end_of(text, compares ? 1 : 2));
	words_add(kept, ", ");
	words_add_register(kept, wide ? UINT32_C(1) << 31 : 0, rm, false);
	if (!plain)
		words_add(kept, ", %s", names[extend]);
	if (shift)
		words_add(kept, plain ? ", lsl #%u" : " #%u", shift);
}

static void spell_bits(struct kept *kept, const char *text)
{
	unsigned op = bits(kept->enc, 30, 29), immr = bits(kept->enc, 21, 16),
			 imms = bits(kept->enc, 15, 10);
	const char *const operands = text + strcspn(text, " ");
	unsigned rd = bits(kept->enc, 4, 0), rn = bits(kept->enc, 9, 5),
			 size = is_x(kept->enc) ? 64 : 32;
	if (op == 2 && size == 64 && immr == 0 && (imms == 7 || imms == 15)) {
		words_add(kept, "%s ", imms == 7 ? "uxtb" : "uxth");
		words_add_register(kept, kept->enc, rd, false);
		words_add(kept, ", ");
		words_add_register(kept, 0, rn, false); /* the source is a W register */
	} else if (op == 0 && immr == 0 && imms == size - 1) {
		words_add(kept, "sbfx");
		add_part(kept, operands, last_operand(operands));
		words_add(kept, "#0, #%u", size);
	} else if (op == 1 && imms < immr && rn == 31) {
		words_add(kept, "bfc ");
		words_add_register(kept, kept->enc, rd, false);
		words_add(kept, ", #%u, #%u", size - immr, imms + 1);
	} else {
		words_add(kept, "%s", text);
	}
}

/* A small floating-point number by its eight bits. */
static void add_float(struct kept *kept, uint32_t imm)
{
	double value = (16 + (imm & 15)) / 16.0;
	int exponent = (int)(imm >> 4 & 3) + (imm & 0x40 ? -3 : 1);
	for (; exponent > 0; exponent--)
		value *= 2;
	for (; exponent < 0; exponent++)
		value /= 2;
	words_add(kept, "#0x%x (%.4f)", imm, imm & 0x80 ? -value : value);
}

static void spell_float(struct kept *kept, const char *text)
{
	bool sve = bits(kept->enc, 28, 25) == 2 || bits(kept->enc, 31, 24) == 5;
	add_start(kept, text);
	add_float(kept, sve ? bits(kept->enc, 12, 5) : bits(kept->enc, 20, 13));
}

/* FMOV of an X register and the upper half of a vector writes "v1.D[1]". */
static void spell_upper_half(struct kept *kept, const char *text)
{
	const char *at = strstr(text, ".d[1]");
	if (at) {
		add_part(kept, text, at);
		words_add(kept, ".D[1]");
		text = at + strlen(".D[1]");
	}
	words_add(kept, "%s", text);
}

/* MOVI and others of vectors: eight bits, and where they are put. */
static void spell_vector(struct kept *kept, const char *text)
{
	uint32_t imm = bits(kept->enc, 18, 16) << 5 | bits(kept->enc, 9, 5);
	unsigned mode = bits(kept->enc, 15, 12);
	add_part(kept, text, words_end_of(text, 1));
	words_add(kept, ", ");
	if (mode == 15) {
		add_float(kept, imm);
	} else if (mode == 14 && bits(kept->enc, 29, 29)) {
		uint64_t mask = 0;
		for (unsigned i = 0; i < 8; i++)
			mask |= (imm >> i & 1 ? UINT64_C(0xff) : 0) << 8 * i;
		words_add(kept, "#0x%" PRIx64, mask);
	} else {
		words_add(kept, "#0x%x", imm);
		if (mode < 12)
			words_add(kept, ", lsl #%u", 8 * (mode >> 1 & (mode < 8 ? 3 : 1)));
		else if (mode < 14)
			words_add(kept, ", msl #%u", 8u << (mode & 1));
	}
}

/* SSHLL by nothing is SXTL. */
static void spell_long(struct kept *kept, const char *text)
{
	const char *const operands = text + strcspn(text, " ");
	uint32_t shift = bits(kept->enc, 22, 16);
	if (shift & (shift - 1)) {
		words_add(kept, "%s", text);
		return;
	}
	words_add(kept, "%cxtl%s", bits(kept->enc, 29, 29) ? 'u' : 's',
	          bits(kept->enc, 30, 30) ? "2" : "");
	add_part(kept, operands, strrchr(operands, ','));
}

static void add_prefetch(struct kept *kept, unsigned op, bool sve)
{
	static const char *const kinds[] = {"ld", "li", "st"};
	unsigned kind = sve ? op >> 3 << 1 : op >> 3, level = op >> 1 & 3;
	if (kind < 3 && level < 3) {
		words_add(kept, "p%sl%u%s", kinds[kind], level + 1, op & 1 ? "strm" : "keep");
		return;
	}
	words_add(kept, "#0b");
	for (unsigned i = sve ? 4 : 5; i--;)
		words_add(kept, "%u", op >> i & 1);
}

static void spell_prefetch(struct kept *kept, const char *text)
{
	add_part(kept, text, words_end_of(text, 0));
	words_add(kept, " ");
	add_prefetch(kept, bits(kept->enc, 4, 0), false);
	if (bits(kept->enc, 29, 24) == 0x18) {
		words_add(kept, ", ");
		add_literal(kept);
	} else {
		words_add(kept, "%s", words_end_of(text, 1));
	}
}

/* PRFM with a register. Those of no kind are RPRFM for LLVM. */
static void spell_prefetch_by(struct kept *kept, const char *text)
{
	static const char *const extends[] = {"uxtw", "lsl", "sxtw", "sxtx"};
	unsigned rn = bits(kept->enc, 9, 5), extend = bits(kept->enc, 14, 13) | bits(kept->enc, 15, 15)
	                                                                            << 2;
	(void)text;
	words_add(kept, "prfm ");
	add_prefetch(kept, bits(kept->enc, 4, 0), false);
	words_add(kept, ", [");
	words_add_register(kept, UINT32_C(1) << 31, rn, true);
	words_add(kept, ", ");
	words_add_register(kept, extend & 1 ? UINT32_C(1) << 31 : 0, bits(kept->enc, 20, 16), false);
	if (extend != 3 || bits(kept->enc, 12, 12))
		words_add(kept, ", %s", extends[(extend >> 1 & 2) | (extend & 1)]);
	words_add(kept, bits(kept->enc, 12, 12) ? " #3]" : "]");
}

/* Offsets from vectors of addresses are told in elements. */
static void spell_prefetch_sve(struct kept *kept, const char *text)
{
	bool from_vector = bits(kept->enc, 15, 13) == 7 && bits(kept->enc, 22, 21) == 0;
	const char *const end = words_end_of(text, 1);
	if (strncmp(text, "prf", 3)) {
		words_add(kept, "%s", text);
		return;
	}
	add_part(kept, text, words_end_of(text, 0));
	words_add(kept, " ");
	add_prefetch(kept, bits(kept->enc, 3, 0), true);
	if (from_vector && bits(kept->enc, 20, 16)) {
		add_part(kept, end, last_operand(end));
		words_add(kept, "#%u]", bits(kept->enc, 20, 16));
	} else if ((kept->enc & 0xffa0e010) == 0xc4200000) {
		add_part(kept, end, strrchr(end, ']'));
		words_add(kept, " ]"); /* PRFB: the place of a shift is empty */
	} else {
		words_add(kept, "%s", end);
	}
}

/* LDRAA, LDRAB. */
static void spell_authenticated(struct kept *kept, const char *text)
{
	const char *at = strstr(text, ", #0]");
	add_part(kept, text, at ? at : text + strlen(text));
	if (at)
		words_add(kept, "%s", at + strlen(", #0"));
}

/* System registers have names where the simulator has them. */
static void add_system_register(struct kept *kept)
{
	static const struct {
		uint32_t id;
		const char *name;
	} known[] = {{0xda10, "nzcv"},
	             {0xda20, "fpcr"},
	             {0xd920, "rndr"},
	             {0xd921, "rndrrs"},
	             {0xd807, "dczid_el0"}};
	uint32_t id = 0x8000 | bits(kept->enc, 19, 5);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].id == id) {
			words_add(kept, "%s", known[i].name);
			return;
		}
	}
	words_add(kept, "S%u_%u_c%u_c%u_%u", id >> 14, id >> 11 & 7, id >> 7 & 15, id >> 3 & 15,
	          id & 7);
}

static void spell_system_register(struct kept *kept, const char *text)
{
	bool reads = bits(kept->enc, 21, 21);
	(void)text;
	if (!reads) {
		words_add(kept, "msr ");
		add_system_register(kept);
		words_add(kept, ", ");
	} else {
		words_add(kept, "mrs ");
	}
	words_add_register(kept, kept->enc, bits(kept->enc, 4, 0), false);
	if (reads) {
		words_add(kept, ", ");
		add_system_register(kept);
	}
}

/* Of SYS what a user may do with caches and guarded stacks has names. */
static void spell_system(struct kept *kept, const char *text)
{
	unsigned op1 = bits(kept->enc, 18, 16);
	bool named = op1 == 3 && bits(kept->enc, 15, 12) == 7 && bits(kept->enc, 11, 8) != 3;
	if (named && strncmp(text, "sys ", 4) != 0) {
		words_add(kept, "%s", text);
		return;
	}
	words_add(kept, "sys #%u, C%u, C%u, #%u", op1, bits(kept->enc, 15, 12), bits(kept->enc, 11, 8),
	          bits(kept->enc, 7, 5));
	if (bits(kept->enc, 4, 0) != 31) {
		words_add(kept, ", ");
		words_add_register(kept, kept->enc, bits(kept->enc, 4, 0), false);
	}
}

/* Hints that it does not name. */
static void spell_hint(struct kept *kept, const char *text)
{
	unsigned hint = bits(kept->enc, 11, 5);
	if (hint >= 17 && hint <= 19)
		words_add(kept, "hint #%u", hint);
	else
		words_add(kept, "%s", text);
}

static void spell_barrier(struct kept *kept, const char *text)
{
	unsigned op = bits(kept->enc, 7, 5), option = bits(kept->enc, 11, 8);
	const char *const at = strchr(text, '#');
	if (op == 6)
		words_add(kept, "isb");
	else if (op == 2 && at)
		words_add(kept, "clrex #0x%x", option);
	else if ((op == 4 || op == 5) && at) {
		add_part(kept, text, at);
		words_add(kept, "sy (0b");
		for (unsigned i = 4; i--;)
			words_add(kept, "%u", option >> i & 1);
		words_add(kept, ")");
	} else
		words_add(kept, "%s", text);
}

static void spell_exception(struct kept *kept, const char *text)
{
	bool braces = bits(kept->enc, 23, 21) == 5;
	add_part(kept, text, words_end_of(text, 0));
	words_add(kept, braces ? " {#0x%x}" : " #0x%x", bits(kept->enc, 20, 5));
}

static void spell_undefined(struct kept *kept, const char *text)
{
	add_part(kept, text, words_end_of(text, 0));
	words_add(kept, " #0x%x", bits(kept->enc, 15, 0));
}

/* How many elements, where that has no name. */
static void spell_pattern(struct kept *kept, const char *text)
{
	unsigned pattern = bits(kept->enc, 9, 5);
	char number[8];
	snprintf(number, sizeof number, "#%u", pattern);
	const char *at = pattern >= 14 && pattern <= 28 ? strstr(text, number) : NULL;
	if (!at) {
		words_add(kept, "%s", text);
		return;
	}
	add_part(kept, text, at);
	words_add(kept, "#0x%x%s", pattern, at + strlen(number));
}

/* Immediates of SVE that are shifted by a byte. */
static void spell_shifted_byte(struct kept *kept, const char *text)
{
	bool has_sign = bits(kept->enc, 31, 24) == 5 || bits(kept->enc, 20, 19) == 3;
	if (!bits(kept->enc, 13, 13)) {
		words_add(kept, "%s", text);
		return;
	}
	add_part(kept, text, strchr(text, '#'));
	words_add(kept, "#%d, lsl #8",
	          has_sign ? (int)signed_bits(kept->enc, 12, 5) : (int)bits(kept->enc, 12, 5));
}

/* INCP and the like of vectors name the predicate alone. */
static void spell_counted(struct kept *kept, const char *text)
{
	const char *at = strchr(words_end_of(text, 1), '.');
	add_part(kept, text, at ? at : text + strlen(text));
}

static const struct family {
	uint32_t mask, value;
	spell_fn *spell;
} families[] = {
	{0x7c000000, 0x14000000, spell_branch},
	{0xff000000, 0x54000000, spell_branch_if},
	{0x7e000000, 0x34000000, spell_branch_if}, /* CBZ, CBNZ */
	{0x7e000000, 0x36000000, spell_branch_bit},
	{0x1f000000, 0x10000000, spell_address},
	{0xff000000, 0xd8000000, spell_prefetch}, /* before the other literals */
	{0x3b000000, 0x18000000, spell_literal},
	{0x1f800000, 0x11000000, spell_add},
	{0x1f800000, 0x12800000, spell_move},
	{0x1f800000, 0x12000000, spell_mask},
	{0x1f800000, 0x13000000, spell_bits},
	{0x1f000000, 0x0a000000, spell_shifted},
	{0x1f200000, 0x0b000000, spell_shifted},
	{0x1f200000, 0x0b200000, spell_extended},
	{0x3fe00010, 0x3a400000, spell_compare},
	{0xff200c00, 0x1e200400, spell_compare},
	{0xffe07c10, 0xba000400, spell_into_flags},
	{0xff201fe0, 0x1e201000, spell_float},
	{0xfffe0000, 0x9eae0000, spell_upper_half},
	{0x9ff80400, 0x0f000400, spell_vector},
	{0x9f80fc00, 0x0f00a400, spell_long},
	{0xffc00000, 0xf9800000, spell_prefetch},
	{0xffe00c00, 0xf8800000, spell_prefetch},
	{0xffe04c00, 0xf8a04800, spell_prefetch_by},
	{0xff200400, 0xf8200400, spell_authenticated},
	{0xffd00000, 0xd5100000, spell_system_register},
	{0xfff80000, 0xd5080000, spell_system},
	{0xfffff01f, 0xd503201f, spell_hint},
	{0xfffff01f, 0xd503301f, spell_barrier},
	{0xff000000, 0xd4000000, spell_exception},
	{0xffff0000, 0x00000000, spell_undefined},
	/* SVE */
	{0xfffc0000, 0x05c00000, spell_lanes_mask},
	{0xff3fe000, 0x2539c000, spell_float},
	{0xff30e000, 0x0510c000, spell_float},
	{0xff308000, 0x05100000, spell_shifted_byte},
	{0xff38c000, 0x2520c000, spell_shifted_byte},
	{0xff3fc000, 0x2538c000, spell_shifted_byte},
	{0xff3cfe00, 0x25288000, spell_counted},
	{0xff3efe00, 0x252c8000, spell_counted},
	{0xff20c000, 0x0420c000, spell_pattern},
	{0xff3ef000, 0x2518e000, spell_pattern},
	{0xbe000000, 0x84000000, spell_prefetch_sve},
};

/* Lists without blanks inside, each register named. */
static void add_lists(struct kept *kept, const char *text)
{
	for (const char *p; (p = strstr(text, "{ ")) != NULL;) {
		const char *end = strstr(p, " }");
		unsigned first, last;
		char bank, size[8] = "";
		if (!end)
			break;
		add_part(kept, text, p + 1);
		if (sscanf(p, "{ %c%u%7[.a-z] - %*c%u", &bank, &first, size, &last) == 4) {
			for (; first != last; first = (first + 1) % 32)
				words_add(kept, "%c%u%s, ", bank, first, size);
			words_add(kept, "%c%u%s", bank, last, size);
		} else {
			add_part(kept, p + 2, end);
		}
		words_add(kept, "}");
		text = end + 2;
	}
	words_add(kept, "%s", text);
}

static void words_spell(struct kept *kept, const char *text)
{
	struct kept plain = {.len = 0};
	if (!strcmp(text, "<unknown>")) {
		words_add(kept, "unallocated (Unallocated)");
		return;
	}
	add_lists(&plain, text);
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		if ((kept->enc & families[i].mask) == families[i].value) {
			families[i].spell(kept, plain.text);
			return;
		}
	}
	words_add(kept, "%s", plain.text);
}

/* ---- the way in ---- */

static size_t words_add_address(struct kept *kept, uint64_t pc, bool pc_known)
{
	char *const end = kept->text + kept->len;
	uint64_t base = kept->page ? pc & ~(uint64_t)(PAGE - 1) : pc;
	int64_t target = (int64_t)(base + (uint64_t)kept->offset);
	int n;
	if (!pc_known)
		n = snprintf(end, 32, "0x~~~~~~~~~~~~~~~~)");
	else
		n = snprintf(end, 32, "%s0x%" PRIx64 ")", target < 0 ? "-" : "",
		             target < 0 ? 0 - (uint64_t)target : (uint64_t)target);
	return kept->len + (size_t)n;
}

size_t vixl_words_of(struct vixl_words *words, uint64_t pc, bool pc_known, uint32_t enc,
                     const char **text)
{
	struct kept *kept = &words->kept[(enc * UINT32_C(0x9e3779b1)) >> 22];
	_Static_assert(KEPT == 1 << 10, "the upper ten bits are its place");
	*text = kept->text;
	if (kept->len == 0 || kept->enc != enc) {
		const char *found;
		if (!words->disasm && !words->none)
			words->none = cairn_disasm_new(words->cairn, CAIRN_ISA_A64, NULL, &words->disasm) < 0;
		if (words->none)
			return 0;
		cairn_disasm_text(words->disasm, 0, enc, 4, &found);
		kept->enc = enc;
		kept->len = 0;
		kept->relative = kept->page = false;
		words_spell(kept, found);
	}
	return kept->relative ? words_add_address(kept, pc, pc_known) : kept->len;
}
