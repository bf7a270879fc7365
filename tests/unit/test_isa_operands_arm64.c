/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers that A64 instructions read and write, against the text of LLVM's
 * disassembler, for every mnemonic it prints of what the library tells.
 *
 * Rules here know nothing of encodings: what stands in brackets is read, of the rest the
 * first operand is written and the others are read, unless a row of `shapes` says otherwise.
 * What changes its base says so by "!" or by what follows the bracket. Of the general
 * registers, vectors, predicates and flags all is compared; test_isa_arm64.c compares what
 * instructions are, and which encodings exist.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "among.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/llvm.h"
#include "isa/arm64.h"
#include "isa/isa.h"

/* ---- shapes ---- */

/* A letter for each operand outside of brackets: d written, s read, b both. The last one goes
 * for those behind it. Then what is implied, behind "+": "+<x16" is read, "+>nzcv" written,
 * "+=x30" both. The first row that fits counts. */
static const struct shape {
	const char *names, *form;
} shapes[] = {
	{"b b.al b.nv bc.al bc.nv", ""},
	{"b.* bc.*", "+<nzcv"},
	{"bl", "+>x30"},
	{"blr blraa blrab blraaz blrabz", "s+>x30"},
	{"br braa brab braaz brabz cbz cbnz tbz tbnz", "s"},
	{"ret", "s"}, /* x30 is not printed: see compare */
	{"retaa retab retaasppc retabsppc", "+<x30+<sp"},
	{"retaasppcr retabsppcr", "s+<x30+<sp"},
	{"paciasp pacibsp autiasp autibsp paciasppc pacibsppc autiasppc autibsppc pacnbiasppc "
     "pacnbibsppc",
     "+=x30+<sp"},
	{"autiasppcr autibsppcr", "s+=x30+<sp"},
	{"paciaz pacibz autiaz autibz xpaclri", "+=x30"},
	{"pacia1716 pacib1716 autia1716 autib1716", "+=x17+<x16"},
	{"pacia171615 pacib171615 autia171615 autib171615", "+=x17+<x16+<x15"},
	{"chkfeat", "b"},
	{"cfinv xaflag axflag", "+=nzcv"},
	{"cpyp* cpyfp*", "bbb+>nzcv"},
	{"cpy*", "bbb+<nzcv"},
	{"setp* setgp*", "bbs+>nzcv"},
	{"setm* sete* setgm* setge*", "bbs+<nzcv"},
	{"ldg", "b"},
	{"ld64b", "d"},
	{"gcspushm gcsss1 gcspushx gcspopcx gcspopx sys sysp dc ic at tlbi tlbip cfp cpp dvp cosp brb "
     "trcit wfet wfit gcsstr gcssttr msrr",
     "s"},
	{"mrrs", "dd"},
	{"cmp cmn tst cmpp", "s+>nzcv"},
	{"rmif setf8 setf16", "s+=nzcv"},
	{"ccmp ccmn", "s+=nzcv"},
	{"adds subs ands bics negs subps", "ds+>nzcv"},
	{"adcs sbcs ngcs", "ds+=nzcv"},
	{"adc sbc ngc csel csinc csinv csneg cset csetm cinc cinv cneg", "ds+<nzcv"},
	{"movk bfm bfi bfxil bfc", "bs"},
	{"pacia pacib pacda pacdb autia autib autda autdb paciza pacizb pacdza pacdzb autiza autizb "
     "autdza autdzb xpaci xpacd",
     "bs"},
	{"st64bv*", "dss"},
	{"stlxr* stxr* stlxp stxp", "dss"},
	{"casp caspa caspl caspal rcwcasp* rcwscasp*", "bbss"},
	{"cas* rcwcas* rcwscas*", "bs"},
	{"swpp* ldclrp* ldsetp* rcwclrp* rcwsclrp* rcwsetp* rcwssetp* rcwswpp* rcwsswpp*", "bb"},
	{"swp* rcwswp* rcwsswp* rcwclr* rcwsclr* rcwset* rcwsset*", "sd"},
	{"ldadd* ldclr* ldeor* ldset* ldsmax* ldsmin* ldumax* ldumin*", "sd"},
	{"ldp ldnp ldpsw ldxp ldaxp ldiapp", "dd"},
	{"stp stnp stilp st* prf* rprfm", "s"},
};

/* ---- mnemonics ---- */

enum { ROOM = 4096 };

struct mnemonic {
	char word[24];
	const char *form;
	bool vector, told, wrong; /* told by the library of some encoding */
};

/* Matching patterns is slow, so each is looked up once. */
static struct mnemonic seen[ROOM];

static struct mnemonic *mnemonic(const char *word, uint32_t enc)
{
	uint32_t h = 2166136261u;
	for (const char *s = word; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	struct mnemonic *m = &seen[h % ROOM];
	while (m->word[0] && strcmp(m->word, word) != 0)
		m = m + 1 == seen + ROOM ? seen : m + 1;
	if (m->word[0])
		return m;
	assert_true((size_t)snprintf(m->word, sizeof m->word, "%s", word) < sizeof m->word);
	m->form = "ds";
	/* SIMD, floating point, SVE and SME */
	m->vector = (enc >> 25 & 7) == 7 || (enc >> 25 & 13) == 0;
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
		if (among(shapes[k].names, word)) {
			m->form = shapes[k].form;
			break;
		}
	return m;
}

/* ---- sets of registers ---- */

enum { VECTORS = 32, PREDICATES = 64, FLAGS = 80, REGISTERS };

struct set {
	bool in[REGISTERS];
};

/* The number of a register's name among all of these; -1: it is none, or reads as zero. */
static int number_of(const char *name, size_t n)
{
	char word[8];
	if (n < 2 || n >= sizeof word)
		return -1;
	memcpy(word, name, n);
	word[n] = 0;
	if (!strcmp(word, "sp") || !strcmp(word, "wsp"))
		return ISA_ARM64_SP;
	if (!strcmp(word, "nzcv") || !strcmp(word, "NZCV"))
		return FLAGS;
	const char *digits = word[0] == 'p' && word[1] == 'n' ? word + 2 : word + 1;
	if (!*digits || strspn(digits, "0123456789") != strlen(digits))
		return -1;
	int num = atoi(digits);
	return strchr("xw", word[0])        ? num
	       : strchr("bhsdqvz", word[0]) ? VECTORS + num
	       : word[0] == 'p'             ? PREDICATES + num
	                                    : -1;
}

static void apply(char letter, int num, struct set *src, struct set *dst)
{
	if (num < 0)
		return;
	src->in[num] |= letter == 's' || letter == 'b';
	dst->in[num] |= letter == 'd' || letter == 'b';
}

static void implied(const char *form, struct set *src, struct set *dst)
{
	for (const char *p = strchr(form, '+'); p; p = strchr(p + 1, '+')) {
		int num = number_of(p + 2, strcspn(p + 2, "+"));
		assert_true(num >= 0);
		apply(p[1] == '<' ? 's' : p[1] == '>' ? 'd' : 'b', num, src, dst);
	}
}

/* "z0.d - z3.d": the registers between the two are meant, too. */
static void fill(char letter, int from, int to, struct set *src, struct set *dst)
{
	for (int num = from; num != to; num = VECTORS + ((num - VECTORS + 1) & 31))
		apply(letter, num, src, dst);
}

/* One lane of a list: the other lanes stay. */
static bool is_one_lane(const char *operands)
{
	const char *close = strchr(operands, '}');
	return *operands == '{' && close && close[1] == '[';
}

/* The registers of a text, by the form of its mnemonic. */
static void registers_of(const char *form, const char *operands, struct set *src, struct set *dst)
{
	size_t most = strcspn(form, "+"), index = 0;
	int base = -1, before = -1;
	bool bracket = false, behind = false, list = false;
	implied(form, src, dst);
	for (const char *p = operands; *p;) {
		size_t n = 0;
		while (isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
		if (n) {
			char letter = bracket || behind ? 's' : form[index < most ? index : most - 1];
			if (p[n] == '!' || (letter == 'd' && is_one_lane(operands)))
				letter = 'b';
			int num = most || bracket ? number_of(p, n) : -1;
			if (before >= 0 && num >= 0)
				fill(letter, before, num, src, dst);
			apply(letter, num, src, dst);
			base = bracket && base < 0 ? num : base;
			before = p[n] == '.' && strstr(p + n, " - ") == p + n + 1 + strcspn(p + n + 1, " ")
			             ? num
			             : -1;
			p += n;
			if (*p == '.') /* the shape of a vector */
				p += 1 + strspn(p + 1, "0123456789bhsdq");
			continue;
		}
		if (*p == '#') {
			p += 1 + strspn(p + 1, "-0123456789abcdefx.");
			continue;
		}
		if (*p == '[' && p > operands && p[-1] == ' ')
			bracket = true;
		if (*p == ']' && bracket) {
			bracket = false;
			behind = true;
			if (base >= 0 && (p[1] == '!' || p[1] == ',')) /* it moves */
				dst->in[base] = true;
		}
		list = *p == '{' || (list && *p != '}');
		index += *p == ',' && !bracket && !behind && !list;
		p++;
	}
}

/* ---- comparing ---- */

static struct llvm_witness *a64;
static unsigned long compared, wrong, told;

static void collect(const struct cairn_operand *list, unsigned n, struct set *set)
{
	for (unsigned i = 0; i < n; i++)
		switch (list[i].cls) {
		case CAIRN_REG_INT:
			set->in[list[i].num] = true;
			break;
		case CAIRN_REG_VECTOR:
			set->in[VECTORS + list[i].num % 32] = true;
			break;
		case CAIRN_REG_PREDICATE:
			set->in[PREDICATES + list[i].num] = true;
			break;
		case CAIRN_REG_FLAGS:
			set->in[FLAGS] = true;
			break;
		default:
			break;
		}
}

static void show(const char *what, const struct set *set)
{
	print_error(" %s", what);
	for (int i = 0; i < REGISTERS; i++)
		if (set->in[i])
			print_error(" %c%d",
			            i < VECTORS      ? 'x'
			            : i < PREDICATES ? 'v'
			            : i < FLAGS      ? 'p'
			                             : 'f',
			            i % 32);
}

/* Of eight registers the first is printed. */
static void eight(unsigned first, struct set *set)
{
	for (unsigned num = first; num < first + 8 && num < 31; num++)
		set->in[num] = true;
}

static void compare(uint32_t enc)
{
	struct set src = {{0}}, dst = {{0}}, got_src = {{0}}, got_dst = {{0}};
	struct cairn_operands o;
	const char *operands = "";
	const char *word = llvm_witness_text(a64, enc, &operands);
	if (!word || !strcmp(word, "udf"))
		return;
	if (among("tlbi ic", word) && !strchr(operands, ',') && (enc & 31) != 31)
		return; /* unpredictable: the operation has no register */
	if (among("mrrs msrr", word) && strstr(operands, "NZCV"))
		return; /* NZCV has no 128 bits */
	struct mnemonic *m = mnemonic(word, enc);
	compared++;
	if (cairn_isa_operands(CAIRN_ISA_A64, enc, 4, &o) < 0)
		return;
	m->told = true;
	told++;
	if (!strcmp(word, "ret") && !*operands)
		src.in[30] = true;
	registers_of(m->form, operands, &src, &dst);
	if (among("ld64b st64b st64bv st64bv0", word))
		eight(enc & 31, *word == 'l' ? &dst : &src);
	collect(o.src, o.n_src, &got_src);
	collect(o.dst, o.n_dst, &got_dst);
	if (memcmp(&src, &got_src, sizeof src) == 0 && memcmp(&dst, &got_dst, sizeof dst) == 0)
		return;
	wrong++;
	if (m->wrong)
		return;
	m->wrong = true; /* one of each is enough to read */
	print_error("%08x %s %s:", enc, word, operands);
	show("reads", &got_src);
	show("writes", &got_dst);
	show("instead of reads", &src);
	show("writes", &dst);
	print_error("\n");
}

static void operands_of_every_mnemonic_are_those_of_its_text(void **state)
{
	(void)state;
	uint64_t s = UINT64_C(0x9e3779b97f4a7c15);
	unsigned mnemonics = 0, all_told = 0;
	/* A system, firmware or debugger may change anything. */
	static const char untold[] = "svc hvc smc brk hlt dcps? tcancel";
	a64 = llvm_witness_new(CAIRN_ISA_A64, NULL, NULL);
	if (!a64)
		skip();
	for (uint32_t top = 0; top < 2048; top++)
		for (int i = 0; i < 400; i++)
			compare(top << 21 | (random_lumpy(&s) & 0x1fffff));
	/* All of bits 31 to 10, but of immediates and branches; all system instructions. */
	for (uint32_t high = 0; high < 1u << 22; high++)
		if ((high >> 15 & 14) != 8 && (high >> 15 & 14) != 10 && (high >> 15 & 7) != 7)
			compare(high << 10 | (random_lumpy(&s) & 0x3ff));
	for (uint32_t i = 0; i < 1u << 18; i++)
		compare(0xd5000000 | i << 5 | (i & 1 ? 31 : random_lumpy(&s) & 31));
	for (uint32_t i = 0; i < 1u << 10; i++) /* of some, all of the lowest bits mean something */
		compare(0xd65f0800 | i);
	llvm_witness_free(a64);
	for (size_t i = 0; i < ROOM; i++) {
		const struct mnemonic *mnemonic = &seen[i];
		mnemonics += mnemonic->word[0] != 0;
		all_told += mnemonic->told;
		if (mnemonic->word[0] && !mnemonic->told && !mnemonic->vector &&
		    !among(untold, mnemonic->word)) {
			print_error("%s is not told\n", mnemonic->word);
			wrong++;
		}
	}
	print_message("%lu encodings of %u mnemonics compared, %lu of %u told, %lu wrong\n", compared,
	              mnemonics, told, all_told, wrong);
	assert_int_equal(wrong, 0);
	assert_true(all_told >= 760);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_of_every_mnemonic_are_those_of_its_text),
	};
	return cmocka_run_group_tests_name("isa_operands_arm64", tests, NULL, NULL);
}
