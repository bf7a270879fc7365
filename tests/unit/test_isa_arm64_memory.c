/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What A64 instructions do to memory, register by register, against LLVM's operands.
 *
 * From the description of an access the operands are written as LLVM writes them: the
 * address with index, extension, immediate and writeback, and the registers in their
 * order. Both must be the same for every load and store LLVM knows in a large sample.
 * Then values: addresses, bases that move on, and what atomics leave in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/llvm.h"
#include "isa/arm64.h"

static bool access_of(uint32_t enc, struct isa_arm64_access *access)
{
	return isa_arm64_access(enc, access);
}

/* ---- the address in words ---- */

struct text {
	char s[160];
	size_t n;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *text, const char *form, ...)
{
	va_list args;
	va_start(args, form);
	int n = vsnprintf(text->s + text->n, sizeof text->s - text->n, form, args);
	va_end(args);
	assert_true(n >= 0 && text->n + (size_t)n < sizeof text->s);
	text->n += (size_t)n;
}

static void add_x(struct text *text, char letter, unsigned num, const char *special)
{
	if (num == 31)
		add(text, "%s", special);
	else
		add(text, "%c%u", letter, num);
}

static char lane_letter(const struct isa_arm64_access *access)
{
	return access->lane == 4 ? 's' : 'd';
}

static void add_index(struct text *text, const struct isa_arm64_access *access)
{
	static const char *const extends[] = {"lsl", "uxtw", "sxtw"};
	bool word = access->extend != ISA_ARM64_LSL;
	if (access->index_kind == ISA_ARM64_INDEX_X)
		word ? add_x(text, 'w', access->index, "wzr") : add_x(text, 'x', access->index, "xzr");
	else
		add(text, "z%u.%c", access->index, lane_letter(access));
	if (word || access->shift)
		add(text, ", %s", extends[access->extend]);
	if (access->shift)
		add(text, " #%u", access->shift);
}

/* "[x0, w1, sxtw #2]", "[sp], #16", "[z3.d, #8]" … */
static void add_address(struct text *text, const struct isa_arm64_access *access)
{
	if (access->base_kind == ISA_ARM64_BASE_PC) {
		add(text, "#%ld", (long)access->imm);
		return;
	}
	add(text, "[");
	if (access->base_kind == ISA_ARM64_BASE_Z)
		add(text, "z%u.%c", access->base, lane_letter(access));
	else
		add_x(text, 'x', access->base, "sp");
	bool post = access->writeback == ISA_ARM64_POST, pre = access->writeback == ISA_ARM64_PRE;
	add(text, post ? "], " : "");
	if (access->index_kind != ISA_ARM64_NO_INDEX) {
		add(text, post ? "" : ", ");
		add_index(text, access);
	} else if (post || pre || access->imm) {
		add(text, "%s#%ld", post ? "" : ", ", (long)access->imm);
		add(text, access->flags & ISA_ARM64_IMM_VL ? ", mul vl" : "");
	}
	add(text, post ? "" : pre ? "]!" : "]");
}

/* LLVM's spellings of nothing: an extension of a whole register, shifts by zero. */
static void replace(char *text, const char *what, const char *with)
{
	char *at;
	while ((at = strstr(text, what))) {
		char rest[200];
		strcpy(rest, at + strlen(what));
		strcpy(at, with);
		strcat(at, rest);
	}
}

static void normalise(char *text)
{
	replace(text, "sxtx", "lsl");
	replace(text, ", lsl #0", "");
	replace(text, ", lsl]", "]");
	replace(text, "tw #0", "tw");
	char *zero = strstr(text, ", xzr"), *end = zero ? strchr(zero, ']') : NULL;
	if (end) /* an index of nothing is left out in some places */
		memmove(zero, end, strlen(end) + 1);
	char *comment = strstr(text, " //");
	if (comment)
		*comment = 0;
}

/* ---- registers in words ---- */

struct list {
	uint8_t reg[16];
	unsigned n;
};

static void push(struct list *list, unsigned reg)
{
	assert_true(list->n < 16);
	list->reg[list->n++] = (uint8_t)reg;
}

/* Numbers of the registers named in a text, ranges written out. */
static struct list registers_in(const char *text, const char *end)
{
	struct list list = {0};
	bool range = false;
	for (const char *p = text; p < end; p++) {
		if (p[0] == ' ' && p[1] == '-' && p[2] == ' ')
			range = true;
		if (p > text && isalnum((unsigned char)p[-1]))
			continue;
		unsigned num = 31;
		if (p > text && p[-1] == '.')
			continue;
		if (strncmp(p, "xzr", 3) && strncmp(p, "wzr", 3)) {
			size_t k = strncmp(p, "pn", 2) == 0 ? 2 : 1;
			if (!strchr("xwvzpbhsdq", *p) || !isdigit((unsigned char)p[k]))
				continue;
			num = (unsigned)strtoul(p + k, NULL, 10);
		}
		if (range)
			for (unsigned r = (list.reg[list.n - 1] + 1u) & 31; r != num; r = (r + 1) & 31)
				push(&list, r);
		range = false;
		push(&list, num);
	}
	return list;
}

static void push_all(struct list *list, const uint8_t *regs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		push(list, regs[i]);
}

static struct list registers_of(const struct isa_arm64_access *access, const char *word)
{
	struct list list = {0};
	bool swaps = access->combine && access->combine != ISA_ARM64_CAS;
	bool both = swaps && access->n_regs == 2;               /* operand and result at once */
	bool alias = swaps && word[0] == 's' && word[1] == 't'; /* stadd: the result is nowhere */
	if (access->status != ISA_ARM64_NO_REG)
		push(&list, access->status);
	if (swaps && !both)
		push_all(&list, access->operands, access->n_operands);
	if (!alias && access->bank != ISA_ARM64_ZT && access->bank != ISA_ARM64_ZA)
		push_all(&list, access->regs,
		         access->flags & ISA_ARM64_MOPS || access->n_regs == 8 ? 1 : access->n_regs);
	if (!swaps)
		push_all(&list, access->operands, access->n_operands);
	if (access->predicate != ISA_ARM64_NO_REG && access->bank != ISA_ARM64_ZA)
		push(&list, access->predicate);
	return list;
}

/* ---- comparing ---- */

static unsigned long compared, wrong;

static void complain(uint32_t enc, const char *word, const char *operands, const char *ours)
{
	if (wrong++ < 40)
		print_error("%08x %s %s: %s\n", enc, word, operands, ours);
}

static void compare_lane(uint32_t enc, const struct isa_arm64_access *access, const char *operands)
{
	const char *lane = strstr(operands, "}[");
	bool one = access->flags & ISA_ARM64_ONE_LANE;
	if (one != (lane != NULL) || (one && strtoul(lane + 2, NULL, 10) != access->lane_index))
		complain(enc, "lane", operands, "");
}

static void compare(uint32_t enc)
{
	const char *operands;
	const char *word = llvm_witness_text(llvm_a64, enc, &operands);
	struct isa_arm64_access access;
	if (!word || !access_of(enc, &access) || access.flags & ISA_ARM64_PREFETCH)
		return;
	char theirs[200];
	(void)snprintf(theirs, sizeof theirs, "%s", operands);
	const char *bracket = strrchr(theirs, '[');
	if (access.base_kind == ISA_ARM64_BASE_PC)
		bracket = strrchr(theirs, '#');
	assert_non_null(bracket);
	struct text ours = {0};
	if (access.flags & ISA_ARM64_MOPS) {
		bool set = access.index_kind == ISA_ARM64_NO_INDEX;
		add(&ours, "[x%u]!, ", access.base);
		if (!set)
			add(&ours, "[x%u]!, ", access.index);
		add_x(&ours, 'x', access.count, "xzr");
		add(&ours, "!");
		if (set) {
			add(&ours, ", ");
			add_x(&ours, 'x', access.regs[0], "xzr");
		}
		bracket = theirs;
	} else {
		add_address(&ours, &access);
	}
	compared++;
	char shown[200];
	(void)snprintf(shown, sizeof shown, "%s", bracket);
	normalise(shown);
	normalise(ours.s);
	if (strcmp(shown, ours.s) != 0)
		complain(enc, word, operands, ours.s);
	bool tags = access.flags & ISA_ARM64_TAG && access.bank == ISA_ARM64_NO_BANK;
	if (access.flags & ISA_ARM64_MOPS || tags)
		return;
	struct list want = access.bank == ISA_ARM64_ZA || access.bank == ISA_ARM64_ZT
	                       ? (struct list){0}
	                       : registers_in(theirs, bracket);
	struct list got = registers_of(&access, word);
	if (want.n != got.n || memcmp(want.reg, got.reg, want.n) != 0)
		complain(enc, word, operands, "registers");
	compare_lane(enc, &access, operands);
}

static void operands_agree_with_llvm(void **state)
{
	(void)state;
	uint64_t s = UINT64_C(0x2545f4914f6cdd1d);
	if (!llvm_a64)
		skip();
	for (uint32_t top = 0; top < 2048; top++) {
		unsigned group = top >> 4 & 15;
		bool plain = (group & 5) == 4, vector = (group == 2 || group == 0) && top >> 10;
		for (int i = 0; i < (plain || vector ? 1000 : 4); i++)
			compare(top << 21 | (random_lumpy(&s) & 0x1fffff));
	}
	print_message("%lu accesses compared, %lu wrong\n", compared, wrong);
	assert_int_equal(wrong, 0);
	assert_true(compared > 250000);
}

/* ---- values ---- */

static void addresses(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		uint64_t base, index, address, after;
	} rows[] = {
		{0xf9400421, 0x1000, 0, 0x1008, 0x1000},                     /* ldr x1, [x1, #8] */
		{0xf8408c41, 0x1000, 0, 0x1008, 0x1008},                     /* ldr x1, [x2, #8]! */
		{0xf8408441, 0x1000, 0, 0x1000, 0x1008},                     /* ldr x1, [x2], #8 */
		{0xf8637841, 0x1000, 2, 0x1010, 0x1000},                     /* ldr x1, [x2, x3, lsl #3] */
		{0xb863d841, 0x1000, UINT64_C(0x5ffffffff), 0xffc, 0x1000},  /* ldr w1, [x2, w3, sxtw #2] */
		{0xb8635841, 0x1000, UINT64_C(0x500000001), 0x1004, 0x1000}, /* uxtw #2 */
		{0x58000041, 0x1000, 0, 0x1008, 0x1000},                     /* ldr x1, .+8 */
		{0xa9bf0841, 0x1000, 0, 0xff0, 0xff0},                       /* stp x1, x2, [x2, #-16]! */
		{0x4cdf2041, 0x1000, 0, 0x1000, 0x1040}, /* ld1 {v1.16b-v4.16b}, [x2], #64 */
		{0x4cc32041, 0x1000, 7, 0x1000, 0x1007}, /* …, x3 */
		{0xa441a041, 0x1000, 0, 0x1008, 0x1000}, /* ld1b {z1.s}, p0/z, [x2, #1, mul vl]: VL 32 */
		{0x85804841, 0x1000, 0, 0x1000 + 2 * 32, 0x1000}, /* ldr z1, [x2, #2, mul vl] */
		{0x85800841, 0x1000, 0, 0x1000 + 2 * 4, 0x1000},  /* ldr p1, [x2, #2, mul vl] */
		{0xc4c3a041, 0x100, 4, 0, 0},                     /* ld*1 gather: only that it is one */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct isa_arm64_access access;
		assert_true(access_of(rows[i].enc, &access));
		if (access.flags & ISA_ARM64_GATHER)
			continue;
		assert_int_equal(isa_arm64_address(&access, rows[i].base, rows[i].index, 32),
		                 rows[i].address);
		assert_int_equal(isa_arm64_base_after(&access, rows[i].base, rows[i].index), rows[i].after);
	}
}

static void atomics_combine(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		uint64_t old, operand, expected, now;
	} rows[] = {
		{0xb8200041, 5, 7, 0, 12},                           /* ldadd w0, w1, [x2] */
		{0x38200041, 0xff, 2, 0, 1},                         /* ldaddb */
		{0xb8201041, 0xff, 0x0f, 0, 0xf0},                   /* ldclr */
		{0xb8202041, 0xff, 0x0f, 0, 0xf0},                   /* ldeor */
		{0xb8203041, 0xf0, 0x0f, 0, 0xff},                   /* ldset */
		{0x38204041, 0x80, 1, 0, 1},                         /* ldsmaxb */
		{0x38205041, 0x80, 1, 0, 0x80},                      /* ldsminb */
		{0x38206041, 0x80, 1, 0, 0x80},                      /* ldumaxb */
		{0x38207041, 0x80, 1, 0, 1},                         /* lduminb */
		{0xf8208041, 1, UINT64_MAX, 0, UINT64_MAX},          /* swp x0, x1, [x2] */
		{0xf8200041, UINT64_MAX, 1, 0, 0},                   /* ldadd x0, x1, [x2] */
		{0xb8200041, 1, UINT64_C(0xffffffff00000001), 0, 2}, /* only 4 bytes */
		{0x88a07c41, 9, 4, 9, 4},                            /* cas w0, w1, [x2] */
		{0x88a07c41, 9, 4, 8, 9},
		{0x08a07c41, 9, 4, 0x109, 4}, /* casb compares a byte */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct isa_arm64_access access;
		assert_true(access_of(rows[i].enc, &access));
		assert_true(access.flags & ISA_ARM64_ATOMIC);
		assert_int_equal(isa_arm64_combine(&access, rows[i].old, rows[i].operand, rows[i].expected),
		                 rows[i].now);
	}
}

/* Sizes and signs, which LLVM's operands show only in the word. */
static void layouts(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		uint8_t element, lane, elements, n_regs;
		uint32_t with, without;
	} rows[] = {
		{0x39c00041, 1, 4, 1, 1, ISA_ARM64_SIGNED, ISA_ARM64_STORE},       /* ldrsb w1 */
		{0x39800041, 1, 8, 1, 1, ISA_ARM64_SIGNED, 0},                     /* ldrsb x1 */
		{0x39400041, 1, 4, 1, 1, ISA_ARM64_LOAD, ISA_ARM64_SIGNED},        /* ldrb */
		{0xb9800041, 4, 8, 1, 1, ISA_ARM64_SIGNED, 0},                     /* ldrsw */
		{0x69400841, 4, 8, 1, 2, ISA_ARM64_SIGNED, 0},                     /* ldpsw */
		{0x69000841, 8, 8, 1, 2, ISA_ARM64_TAG | ISA_ARM64_STORE, 0},      /* stgp */
		{0xd9200841, 16, 0, 1, 0, ISA_ARM64_TAG, ISA_ARM64_ZERO},          /* stg */
		{0xd9e00841, 16, 0, 2, 0, ISA_ARM64_TAG | ISA_ARM64_ZERO, 0},      /* stz2g */
		{0x4c400041, 1, 1, 16, 4, ISA_ARM64_STRUCT, ISA_ARM64_ONE_LANE},   /* ld4 {.16b} */
		{0x4c402041, 1, 1, 16, 4, ISA_ARM64_LOAD, ISA_ARM64_STRUCT},       /* ld1 {4} */
		{0x4d40c841, 4, 4, 1, 1, ISA_ARM64_REPLICATE, ISA_ARM64_ONE_LANE}, /* ld1r {.4s} */
		{0x0d408041, 4, 4, 1, 1, ISA_ARM64_ONE_LANE, ISA_ARM64_REPLICATE}, /* ld1 {.s}[0] */
		{0xa4c0a041, 2, 4, 0, 1, ISA_ARM64_VL, ISA_ARM64_SIGNED},          /* ld1h {z.s} */
		{0xa5a04041, 1, 4, 0, 1, ISA_ARM64_SIGNED | ISA_ARM64_VL, 0},      /* ld1sb {z.s} */
		{0x84408041, 1, 1, 1, 1, ISA_ARM64_REPLICATE, ISA_ARM64_VL},       /* ld1rb {z.b} */
		{0xa5802041, 8, 8, 2, 1, ISA_ARM64_REPLICATE, ISA_ARM64_VL},       /* ld1rqd */
		{0xa4802041, 2, 2, 8, 1, ISA_ARM64_REPLICATE, ISA_ARM64_VL},       /* ld1rqh */
		{0xa5a02041, 8, 8, 4, 1, ISA_ARM64_REPLICATE, ISA_ARM64_VL},       /* ld1rod */
		{0xa4036041, 1, 1, 0, 1, ISA_ARM64_FIRST_FAULT, 0},                /* ldff1b */
		{0xa410a041, 1, 1, 0, 1, ISA_ARM64_NON_FAULT, 0},                  /* ldnf1b */
		{0xe4004041, 1, 1, 0, 1, ISA_ARM64_STORE, ISA_ARM64_LOAD},         /* st1b {z.b} */
		{0x19030441, 1, 0, 0, 0, ISA_ARM64_MOPS | ISA_ARM64_LOAD | ISA_ARM64_STORE, 0},  /* cpyfp */
		{0xc85f7c41, 8, 8, 1, 1, ISA_ARM64_EXCLUSIVE | ISA_ARM64_LOAD, ISA_ARM64_STORE}, /* ldxr */
		{0xf83f9041, 8, 8, 1, 8, ISA_ARM64_STORE, ISA_ARM64_ATOMIC}, /* st64b: odd, see below */
	};
	for (size_t i = 0; i + 1 < sizeof rows / sizeof *rows; i++) {
		struct isa_arm64_access access;
		if (!access_of(rows[i].enc, &access))
			fail_msg("%08x is no access", rows[i].enc);
		if (access.element != rows[i].element || access.lane != rows[i].lane ||
		    access.elements != rows[i].elements || access.n_regs != rows[i].n_regs)
			fail_msg("%08x: %u to %u, %u times, %u registers", rows[i].enc, access.element,
			         access.lane, access.elements, access.n_regs);
		assert_int_equal(access.flags & rows[i].with, rows[i].with);
		assert_int_equal(access.flags & rows[i].without, 0);
	}
	struct isa_arm64_access access;
	assert_false(access_of(0xf83f9041, &access)); /* st64b begins with an even register */
	assert_true(access_of(0xf83f9042, &access));
	assert_int_equal(access.n_regs, 8);
	assert_false(access_of(0x8b020020, &access)); /* add */
	assert_false(access_of(0xd50b7420, &access)); /* dc zva */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_agree_with_llvm),
		cmocka_unit_test(addresses),
		cmocka_unit_test(atomics_combine),
		cmocka_unit_test(layouts),
	};
	return cmocka_run_group_tests_name("isa_arm64_memory", tests, llvm_open_a64, llvm_close_a64);
}
