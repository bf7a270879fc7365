/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow of A64, A32 and T32 against LLVM's disassembler, and the levels and odd cases
 * LLVM cannot judge.
 *
 * Whether an instruction branches is read off LLVM's words: the names of branches, a
 * first operand pc of what is not a store or a comparison, pc in a list that is loaded.
 * All 16-bit T32 encodings are compared; of the others samples over every value of the
 * bits that lead to an instruction, and random ones. Where LLVM knows no instruction
 * nothing is compared but that A64, whose flow has no unpredictable forms, agrees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/llvm.h"
#include "isa/arm.h"

enum { LINK = ISA_ARM_LINK, RET = ISA_ARM_RETURN, ERET = ISA_ARM_ERET, COND = ISA_ARM_CONDITIONAL };

static struct llvm_witness *a64, *a32, *t32, *loops;

static int open_all(void **state)
{
	(void)state;
	a64 = llvm_witness_new(CAIRN_ISA_A64, NULL, NULL);
	a32 = llvm_witness_new(CAIRN_ISA_A32, NULL, NULL);
	t32 = llvm_witness_new(CAIRN_ISA_T32, NULL, NULL);
	loops = llvm_witness_new(CAIRN_ISA_T32, "thumbv8.1m.main-none-eabi", "+lob,+mve");
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	llvm_witness_free(a64);
	llvm_witness_free(a32);
	llvm_witness_free(t32);
	llvm_witness_free(loops);
	return 0;
}

static struct isa_arm_flow flow(enum cairn_isa isa, uint32_t enc)
{
	struct isa_arm_flow f;
	isa_arm_flow(isa, enc, ISA_ARM_AA64, true, &f);
	return f;
}

static bool is(const char *word, const char *names)
{
	size_t n = strlen(word);
	for (const char *at = names; n && (at = strstr(at, word)); at += n)
		if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0))
			return true;
	return false;
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* "w0, #3, #-16": -16. */
static int64_t last_number(const char *operands)
{
	const char *hash = strrchr(operands, '#');
	assert_non_null(hash);
	return strtoll(hash + 1, NULL, 0);
}

/* ---- A64 ---- */

static struct isa_arm_flow expect_a64(const char *word, const char *operands)
{
	struct isa_arm_flow flow = {.size = 4, .isa = CAIRN_ISA_A64};
	bool always = is(word, "b bl b.al b.nv bc.al bc.nv");
	if (always || starts(word, "b.") || starts(word, "bc.") || is(word, "cbz cbnz tbz tbnz")) {
		flow.kind = ISA_ARM_DIRECT;
		flow.flags = is(word, "bl") ? LINK : always ? 0 : COND;
		flow.offset = last_number(operands);
	} else if (is(word, "br braa brab braaz brabz")) {
		flow.kind = ISA_ARM_INDIRECT;
	} else if (is(word, "blr blraa blrab blraaz blrabz")) {
		flow.kind = ISA_ARM_INDIRECT;
		flow.flags = LINK;
	} else if (is(word, "ret retaa retab retaasppc retabsppc retaasppcr retabsppcr")) {
		flow.kind = ISA_ARM_INDIRECT;
		flow.flags = RET;
	} else if (is(word, "eret eretaa eretab")) {
		flow.kind = ISA_ARM_INDIRECT;
		flow.flags = ERET;
	} else if (is(word, "isb")) {
		flow.kind = ISA_ARM_ISB;
	} else if (is(word, "wfi wfe wfit wfet")) {
		flow.kind = ISA_ARM_WFX;
	} else if (is(word, "tstart")) {
		flow.kind = ISA_ARM_TSTART;
	}
	return flow;
}

/* ---- A32 and T32 ---- */

static const char conditions[] = "eq ne hs lo mi pl vs vc hi ls ge lt gt le";

/* "bne.w" is "b". */
static bool is_plain(const char *word, const char *name)
{
	size_t n = strlen(name);
	char rest[8] = "";
	if (!starts(word, name) || strlen(word) - n >= sizeof rest)
		return false;
	strcpy(rest, word + n);
	char *dot = strchr(rest, '.');
	if (dot)
		*dot = 0;
	return !*rest || (strlen(rest) == 2 && is(rest, conditions));
}

static bool loads_pc(const char *word, const char *operands)
{
	const char *list = strchr(operands, '{');
	if (starts(word, "ldm") || starts(word, "pop"))
		return list && strstr(list, "pc}");
	/* PC as result of anything else is unpredictable */
	static const char *const may[] = {"ldr", "ldrt", "adr", "mov", "mvn", "and", "eor",
	                                  "sub", "rsb",  "add", "adc", "sbc", "rsc", "orr",
	                                  "bic", "lsl",  "lsr", "asr", "ror", "rrx"};
	bool fits = false;
	for (size_t i = 0; i < sizeof may / sizeof *may && !fits; i++) {
		char set[8];
		(void)snprintf(set, sizeof set, "%ss", may[i]);
		fits = is_plain(word, may[i]) || is_plain(word, set);
	}
	return fits && starts(operands, "pc, ");
}

static uint8_t return_kind(const char *word, const char *operands)
{
	size_t n = strlen(operands);
	bool list = strchr(operands, '{');
	if ((list && operands[n - 1] == '^') || starts(word, "rfe") || starts(word, "eret"))
		return ERET;
	if (is_plain(word, "pop") || (is_plain(word, "bx") && !strcmp(operands, "lr")))
		return RET;
	if ((is_plain(word, "ldm") && starts(operands, "sp!,")) ||
	    (is_plain(word, "ldr") && !strcmp(operands, "pc, [sp], #4")) ||
	    (is_plain(word, "mov") && !strcmp(operands, "pc, lr")))
		return RET;
	/* arithmetic with the S bit: movs pc, …; but not the shifts' and logic's own s */
	static const char *const setting[] = {"ands", "eors", "subs", "rsbs", "adds", "adcs",
	                                      "sbcs", "rscs", "orrs", "movs", "bics", "mvns",
	                                      "lsls", "lsrs", "asrs", "rors", "rrxs"};
	for (size_t i = 0; i < sizeof setting / sizeof *setting; i++)
		if (is_plain(word, setting[i]))
			return ERET;
	return 0;
}

static struct isa_arm_flow expect_arm(enum cairn_isa isa, uint32_t enc, const char *word,
                                      const char *operands)
{
	bool thumb = isa == CAIRN_ISA_T32;
	struct isa_arm_flow flow = {.size = thumb && enc < 0x10000 ? 2 : 4, .isa = (uint8_t)isa};
	bool number = operands[0] == '#';
	uint8_t cond = !thumb && enc >> 28 < 14 ? COND : 0;
	if (number && (is_plain(word, "b") || is_plain(word, "bl") || is_plain(word, "blx"))) {
		flow.kind = ISA_ARM_DIRECT;
		flow.flags = (is_plain(word, "b") ? 0 : LINK) | cond;
		if (thumb && is_plain(word, "b") && word[1] && word[1] != '.')
			flow.flags |= COND;
		/* printed as the distance from where PC reads */
		flow.offset = last_number(operands) + (thumb ? 4 : 8);
		if (is_plain(word, "blx")) {
			flow.isa = thumb ? CAIRN_ISA_A32 : CAIRN_ISA_T32;
			flow.flags |= thumb ? ISA_ARM_ALIGN : 0;
		}
	} else if (is_plain(word, "cbz") || is_plain(word, "cbnz")) {
		flow.kind = ISA_ARM_DIRECT;
		flow.flags = COND;
		flow.offset = last_number(operands) + 4;
	} else if (is_plain(word, "bx") || is_plain(word, "blx") || is_plain(word, "bxj") ||
	           starts(word, "rfe") || starts(word, "eret") || is_plain(word, "tbb") ||
	           is_plain(word, "tbh") || loads_pc(word, operands)) {
		flow.kind = ISA_ARM_INDIRECT;
		flow.flags = (is_plain(word, "blx") ? LINK : return_kind(word, operands)) | cond;
	} else if (starts(word, "isb") || (is_plain(word, "mcr") && strstr(operands, "p15, #0, ") &&
	                                   strstr(operands, " c7, c5, #4"))) {
		flow.kind = ISA_ARM_ISB;
		flow.flags = cond;
	} else if (is_plain(word, "wfi") || is_plain(word, "wfe")) {
		flow.kind = ISA_ARM_WFX;
		flow.flags = cond;
	} else if (thumb && starts(word, "it") && strspn(word + 1, "te") == strlen(word + 1)) {
		flow.it = (uint8_t)(strlen(word) - 1);
	}
	return flow;
}

/* ---- comparing ---- */

struct tally {
	unsigned long compared, known, flows, wrong;
};

static bool same(const struct isa_arm_flow *left, const struct isa_arm_flow *right)
{
	return left->offset == right->offset && left->kind == right->kind &&
	       left->flags == right->flags && left->size == right->size && left->isa == right->isa &&
	       left->it == right->it;
}

/* Newer than LLVM 19, or never in it: FEAT_CMPBR; texit of FEAT_TME; bl and b of a pc. */
static bool newer(uint32_t encoding)
{
	return (encoding & 0x7e000000) == 0x74000000 || (encoding & 0xfffffbff) == 0xd6ff03e0;
}

static void compare(struct tally *tally, struct llvm_witness *witness, enum cairn_isa isa,
                    uint32_t enc)
{
	const char *operands = "";
	const char *word = llvm_witness_text(witness, enc, &operands);
	struct isa_arm_flow got = flow(isa, enc), want;
	tally->compared++;
	if (!word && isa != CAIRN_ISA_A64)
		return;
	if (isa == CAIRN_ISA_A64)
		want = expect_a64(word ? word : "", operands);
	else
		want = expect_arm(isa, enc, word, operands);
	tally->known += word != NULL;
	tally->flows += want.kind != 0;
	if (same(&got, &want) || (isa == CAIRN_ISA_A64 && newer(enc)))
		return;
	if (tally->wrong++ < 30)
		print_error(
			"%s %08x %s %s: kind %d flags %x size %d isa %d it %d to %ld, not %d %x %d %d %d %ld\n",
			cairn_isa_name(isa), enc, word ? word : "(none)", operands, got.kind, got.flags,
			got.size, got.isa, got.it, (long)got.offset, want.kind, want.flags, want.size, want.isa,
			want.it, (long)want.offset);
}

static void settle(const struct tally *tally)
{
	print_message("%lu compared, %lu exist, %lu in the flow, %lu wrong\n", tally->compared,
	              tally->known, tally->flows, tally->wrong);
	assert_int_equal(tally->wrong, 0);
	assert_true(tally->flows > 1000);
}

static void a64_agrees_with_llvm(void **state)
{
	(void)state;
	struct tally tally = {0};
	uint64_t s = 88172645463325252u;
	if (!a64)
		skip();
	/* Where the flow lies: every value of bits 31 to 21, each with many of the others. */
	for (uint32_t top = 0; top < 2048; top++)
		for (int i = 0; i < ((top >> 5 & 7) == 5 ? 400 : 40); i++)
			compare(&tally, a64, CAIRN_ISA_A64, top << 21 | (random_lumpy(&s) & 0x1fffff));
	/* Branches to registers, system instructions: fixed bits nearly everywhere. */
	for (uint32_t low = 0; low < 0x400; low++)
		for (uint32_t op = 0; op < 16; op++) {
			uint32_t regs = (uint32_t)random64(&s) & 0x3ff;
			compare(&tally, a64, CAIRN_ISA_A64, 0xd61f0000 | op << 21 | low);
			compare(&tally, a64, CAIRN_ISA_A64, 0xd61f0000 | op << 21 | low << 5 | 0x1f);
			compare(&tally, a64, CAIRN_ISA_A64, 0xd61f0000 | op << 21 | low << 6 | regs);
		}
	for (uint32_t low = 0; low < 0x10000; low++) {
		compare(&tally, a64, CAIRN_ISA_A64, 0xd5030000 | low);
		compare(&tally, a64, CAIRN_ISA_A64, 0xd5230000 | low);
	}
	settle(&tally);
}

static void a32_agrees_with_llvm(void **state)
{
	(void)state;
	struct tally tally = {0};
	uint64_t s = 88172645463325252u;
	if (!a32)
		skip();
	for (uint32_t top = 0; top < 4096; top++)
		for (uint32_t low = 0; low < 16; low++)
			for (uint32_t i = 0; i < 8; i++) {
				uint32_t e = top << 20 | low << 4 | (random_lumpy(&s) & 0xfff0f);
				/* Rd is PC half of the time, and a list often holds it */
				compare(&tally, a32, CAIRN_ISA_A32, i & 1 ? e | 0xf000 : e);
				compare(&tally, a32, CAIRN_ISA_A32, (e & 0xfff000f0) | 0xff00 | (i + 8));
			}
	for (uint32_t cond = 0; cond < 16; cond++)
		for (uint32_t i = 0; i < 16; i++) {
			compare(&tally, a32, CAIRN_ISA_A32, cond << 28 | 0x0320f000 | i);
			compare(&tally, a32, CAIRN_ISA_A32, cond << 28 | 0x01a0f000 | i);
			compare(&tally, a32, CAIRN_ISA_A32, cond << 28 | 0x01b0f000 | i);
			compare(&tally, a32, CAIRN_ISA_A32, cond << 28 | 0x012fff10 | i);
			compare(&tally, a32, CAIRN_ISA_A32, cond << 28 | 0x0160006e);
			compare(&tally, a32, CAIRN_ISA_A32, cond << 28 | 0x049df004);
			compare(&tally, a32, CAIRN_ISA_A32, cond << 28 | 0x0e070f95 | i << 12);
			compare(&tally, a32, CAIRN_ISA_A32, 0xf57ff000 | cond << 4 | i);
		}
	settle(&tally);
}

static void t32_agrees_with_llvm(void **state)
{
	(void)state;
	struct tally tally = {0};
	uint64_t s = 88172645463325252u;
	if (!t32)
		skip();
	for (uint32_t e = 0; e < 0xe800; e++)
		compare(&tally, t32, CAIRN_ISA_T32, e);
	for (uint32_t top = 0xe800; top < 0x10000; top++)
		for (uint32_t i = 0; i < 8; i++) {
			uint32_t e = top << 16 | (random_lumpy(&s) & 0xffff);
			compare(&tally, t32, CAIRN_ISA_T32, e);
			compare(&tally, t32, CAIRN_ISA_T32, e | 0xf000);
		}
	for (uint32_t low = 0; low < 0x10000; low++) {
		compare(&tally, t32, CAIRN_ISA_T32, 0xf3de0000 | low);
		compare(&tally, t32, CAIRN_ISA_T32, 0xf3bf0000 | low);
		compare(&tally, t32, CAIRN_ISA_T32, 0xf3af0000 | low);
		compare(&tally, t32, CAIRN_ISA_T32, 0xf85d0000 | low);
		compare(&tally, t32, CAIRN_ISA_T32, 0xee070000 | low);
	}
	settle(&tally);
}

/* Loops of low overhead are of the M profile, which LLVM keeps apart. */
static void loops_agree_with_llvm(void **state)
{
	(void)state;
	unsigned seen = 0;
	if (!loops)
		skip();
	for (uint32_t op = 0; op < 16; op++)
		for (uint32_t rn = 0; rn < 16; rn++)
			for (uint32_t low = 0xc001; low < 0xd000; low += 2) {
				uint32_t enc = 0xf0000000 | op << 20 | rn << 16 | low;
				const char *operands;
				const char *word = llvm_witness_text(loops, enc, &operands);
				struct isa_arm_flow f = flow(CAIRN_ISA_T32, enc);
				bool loop = word && is(word, "le letp wls wlstp.8 wlstp.16 wlstp.32 wlstp.64");
				if (!loop)
					continue;
				seen++;
				assert_int_equal(f.kind, ISA_ARM_DIRECT);
				assert_int_equal(f.flags, COND);
				assert_int_equal(f.offset, last_number(operands) + 4);
			}
	assert_true(seen > 100000);
}

/* ---- what LLVM does not judge ---- */

static void levels_gate_what_came_late(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		enum isa_arm_level since;
		uint8_t kind;
	} rows[] = {
		{0xd65f03c0, ISA_ARM_V7, ISA_ARM_INDIRECT},   /* ret */
		{0xd61f0000, ISA_ARM_V7, ISA_ARM_INDIRECT},   /* br x0 */
		{0xd69f03e0, ISA_ARM_V7, ISA_ARM_INDIRECT},   /* eret */
		{0x54000000, ISA_ARM_V7, ISA_ARM_DIRECT},     /* b.eq */
		{0xd5033fdf, ISA_ARM_V7, ISA_ARM_ISB},        /* isb */
		{0xd503205f, ISA_ARM_V7, ISA_ARM_WFX},        /* wfe */
		{0xd65f0bff, ISA_ARM_V8_3, ISA_ARM_INDIRECT}, /* retaa */
		{0xd61f083f, ISA_ARM_V8_3, ISA_ARM_INDIRECT}, /* braaz x1 */
		{0xd73f0822, ISA_ARM_V8_3, ISA_ARM_INDIRECT}, /* blraa x1, x2 */
		{0xd69f0fff, ISA_ARM_V8_3, ISA_ARM_INDIRECT}, /* eretab */
		{0x5500001f, ISA_ARM_V8_3, ISA_ARM_INDIRECT}, /* retaasppc */
		{0xd5031000, ISA_ARM_AA64, ISA_ARM_WFX},      /* wfet x0 */
		{0xd5031021, ISA_ARM_AA64, ISA_ARM_WFX},      /* wfit x1 */
		{0xd5233060, ISA_ARM_AA64, ISA_ARM_TSTART},   /* tstart x0 */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned level = ISA_ARM_V7; level <= ISA_ARM_AA64; level++)
			for (int wfx = 0; wfx < 2; wfx++) {
				struct isa_arm_flow flow;
				isa_arm_flow(CAIRN_ISA_A64, rows[i].enc, (enum isa_arm_level)level, wfx, &flow);
				bool on = level >= (unsigned)rows[i].since && (wfx || rows[i].kind != ISA_ARM_WFX);
				assert_int_equal(flow.kind, on ? rows[i].kind : ISA_ARM_NONE);
			}
}

static void chosen_flows(void **state)
{
	(void)state;
	static const struct {
		enum cairn_isa isa;
		uint32_t enc;
		struct isa_arm_flow f;
	} rows[] = {
		{CAIRN_ISA_A64,
	     0x74000041,
	     {8, ISA_ARM_DIRECT, COND, 4, CAIRN_ISA_A64, 0}}, /* cbgt w1, w0 */
		{CAIRN_ISA_A64,
	     0xf5c03fe1,
	     {-4, ISA_ARM_DIRECT, COND, 4, CAIRN_ISA_A64, 0}}, /* cbeq x1, #0 */
		{CAIRN_ISA_A64,
	     0x7400a041,
	     {0x408 - 0x800, ISA_ARM_DIRECT, COND, 4, CAIRN_ISA_A64, 0}},                /* cbbgt */
		{CAIRN_ISA_A64, 0x7400c041, {8, ISA_ARM_DIRECT, COND, 4, CAIRN_ISA_A64, 0}}, /* cbhgt */
		{CAIRN_ISA_A64, 0xf400c041, {0, 0, 0, 4, CAIRN_ISA_A64, 0}},                 /* cbh of x */
		{CAIRN_ISA_A64, 0x74004041, {0, 0, 0, 4, CAIRN_ISA_A64, 0}},
		{CAIRN_ISA_A64, 0x74800041, {0, 0, 0, 4, CAIRN_ISA_A64, 0}},                   /* cc 4 */
		{CAIRN_ISA_A64, 0xd6ff03e0, {0, ISA_ARM_INDIRECT, ERET, 4, CAIRN_ISA_A64, 0}}, /* texit */
		{CAIRN_ISA_A64, 0xd6ff07e0, {0, ISA_ARM_INDIRECT, ERET, 4, CAIRN_ISA_A64, 0}},
		{CAIRN_ISA_A64,
	     0xd65f0be1,
	     {0, ISA_ARM_INDIRECT, RET, 4, CAIRN_ISA_A64, 0}},           /* retaasppc x1 */
		{CAIRN_ISA_A64, 0xd4000001, {0, 0, 0, 4, CAIRN_ISA_A64, 0}}, /* svc */
		{CAIRN_ISA_A64, 0xd503307f, {0, 0, 0, 4, CAIRN_ISA_A64, 0}}, /* tcommit */
		{CAIRN_ISA_T32, 0xbf01, {0, 0, 0, 2, CAIRN_ISA_T32, 4}},
		{CAIRN_ISA_T32, 0xbf08, {0, 0, 0, 2, CAIRN_ISA_T32, 1}},
		{CAIRN_ISA_T32, 0xdf00, {0, 0, 0, 2, CAIRN_ISA_T32, 0}}, /* svc */
		{CAIRN_ISA_T32, 0xde00, {0, 0, 0, 2, CAIRN_ISA_T32, 0}}, /* udf */
		{CAIRN_ISA_RV64, 0x00008067, {0, 0, 0, 4, CAIRN_ISA_RV64, 0}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct isa_arm_flow f = flow(rows[i].isa, rows[i].enc);
		if (!same(&f, &rows[i].f))
			fail_msg("%08x: kind %d flags %x size %d to %ld", rows[i].enc, f.kind, f.flags, f.size,
			         (long)f.offset);
	}
}

/* blx from T32 counts from a multiple of four; addresses of both sets have 32 bits. */
static void targets(void **state)
{
	(void)state;
	struct isa_arm_flow f = flow(CAIRN_ISA_T32, 0xf000e804); /* blx pc+4+8 */
	assert_int_equal(isa_arm_target(&f, CAIRN_ISA_T32, 0x1000), 0x100c);
	assert_int_equal(isa_arm_target(&f, CAIRN_ISA_T32, 0x1002), 0x100c);
	f = flow(CAIRN_ISA_A32, 0xeafffffe); /* b . */
	assert_int_equal(isa_arm_target(&f, CAIRN_ISA_A32, 0x1000), 0x1000);
	f = flow(CAIRN_ISA_A32, 0xea000000);
	assert_int_equal(isa_arm_target(&f, CAIRN_ISA_A32, 0xfffffffc), 4);
	f = flow(CAIRN_ISA_A32, 0xfb000000); /* blx, to a halfword */
	assert_int_equal(isa_arm_target(&f, CAIRN_ISA_A32, 0x1000), 0x100a);
	f = flow(CAIRN_ISA_A64, 0x17ffffff);
	assert_true(isa_arm_target(&f, CAIRN_ISA_A64, 0) == UINT64_MAX - 3);
}

static void fetching(void **state)
{
	(void)state;
	static const uint8_t p[] = {0x70, 0x47, 0x00, 0xf0, 0x04, 0xe8};
	unsigned size;
	assert_int_equal(isa_arm_fetch(CAIRN_ISA_T32, p, 6, &size), 0x4770);
	assert_int_equal(size, 2);
	assert_int_equal(isa_arm_fetch(CAIRN_ISA_T32, p + 2, 4, &size), 0xf000e804);
	assert_int_equal(size, 4);
	(void)isa_arm_fetch(CAIRN_ISA_T32, p + 2, 3, &size);
	assert_int_equal(size, 0);
	(void)isa_arm_fetch(CAIRN_ISA_T32, p, 1, &size);
	assert_int_equal(size, 0);
	assert_int_equal(isa_arm_fetch(CAIRN_ISA_A64, p, 4, &size), 0xf0004770);
	assert_int_equal(size, 4);
	(void)isa_arm_fetch(CAIRN_ISA_A32, p, 3, &size);
	assert_int_equal(size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a64_agrees_with_llvm),
		cmocka_unit_test(a32_agrees_with_llvm),
		cmocka_unit_test(t32_agrees_with_llvm),
		cmocka_unit_test(loops_agree_with_llvm),
		cmocka_unit_test(levels_gate_what_came_late),
		cmocka_unit_test(chosen_flows),
		cmocka_unit_test(targets),
		cmocka_unit_test(fetching),
	};
	return cmocka_run_group_tests_name("isa_arm_flow", tests, open_all, close_all);
}
