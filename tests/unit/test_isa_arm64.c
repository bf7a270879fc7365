/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 against LLVM's disassembler: which encodings exist, and what class, traits, target
 * and accesses they have.
 *
 * Rules here say from LLVM's words alone, without looking at src/isa, what an instruction
 * is. Samples: every value of bits 31 to 21, with many of the others; every value of bits 31
 * to 10 of vector instructions, at some registers; every system instruction; random
 * encodings. Where the two disagree on whether an encoding exists, the list `disputes` must
 * say why; an entry that nothing needs any more fails the test too.
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

#include "fixtures/arm64_words.h"
#include "fixtures/llvm.h"
#include "isa/arm64.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

/* ---- words ---- */

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

struct meaning {
	const char *names;
	uint8_t cls;
	uint32_t traits;
};

/* What needs no look at the operands, but for branch targets. The first that fits counts. */
static const struct meaning words[] = {
	{"b b.al b.nv bc.al bc.nv", C(JUMP), T(BRANCH)},
	{"b.?? bc.?? cbz cbnz tbz tbnz", C(BRANCH), T(BRANCH) | T(CONDITIONAL)},
	{"bl", C(CALL), T(BRANCH) | T(CALL)},
	{"br braa brab braaz brabz", C(JUMP), T(BRANCH) | T(INDIRECT)},
	{"blr blraa blrab blraaz blrabz", C(CALL), T(BRANCH) | T(INDIRECT) | T(CALL)},
	{"ret reta[ab] reta[ab]sppc reta[ab]sppcr", C(RETURN), T(BRANCH) | T(INDIRECT) | T(RETURN)},
	{"eret ereta[ab] drps", C(SYSTEM), T(XRET) | T(PRIVILEGED)},
	{"svc", C(SYSTEM), T(SYSCALL)},
	{"hvc smc", C(SYSTEM), T(SYSCALL) | T(PRIVILEGED)},
	{"brk hlt", C(SYSTEM), T(BREAKPOINT)},
	{"dcps?", C(SYSTEM), T(PRIVILEGED)},
	{"tcancel tcommit tstart ttest clrex", C(SYSTEM), 0},
	{"nop", C(NOP), 0},
	{"yield dgh bti hint pacm", C(NOP), T(HINT)},
	{"wfe wfi", C(SYSTEM), T(WAIT) | T(HINT)},
	{"wfet wfit", C(SYSTEM), T(WAIT)},
	{"sev sevl clrbhb", C(SYSTEM), T(HINT)},
	{"esb psb tsb gcsb csdb", C(FENCE), T(FENCE) | T(HINT)},
	{"dsb dmb isb sb dfb ssbb pssbb", C(FENCE), T(FENCE)},
	{"xpaclri pac??1716 aut??1716 pac??z pac??sp aut??z aut??sp chkfeat", C(INT), T(HINT)},
	{"pac??171615 aut??171615 pac?asppc pac?bsppc aut?asppc aut?bsppc aut?asppcr aut?bsppcr "
     "pacn??sppc pac?? pac??a aut??",
     C(INT), 0},
	{"paciz? pacdz? autiz? autdz? xpac[id] pacga", C(INT), 0},
	{"cfinv xaflag axflag rmif setf8 setf16", C(INT), 0},
	{"smstart smstop", C(CSR), T(CSR)},
	{"adr adrp add adds sub subs cmp cmn neg negs adc adcs sbc sbcs ngc ngcs and ands orr orn eor "
     "eon bic bics tst mvn sbfm ubfm bfm bfi bfxil bfc sbfiz sbfx ubfiz ubfx sxtb sxth sxtw uxtb "
     "uxth uxtw lsl lsr asr ror extr movk csel csinc csinv csneg cset csetm cinc cinv cneg ccmp "
     "ccmn crc32* addg subg irg gmi subp subps cmpp smax smin umax umin abs addpt subpt",
     C(INT), 0},
	{"mov movz movn", C(INT), T(MOVE)},
	{"rbit rev rev16 rev32 clz cls ctz cnt", C(INT), T(BITMANIP)},
	{"udiv sdiv", C(DIV), T(DIV)},
	{"mul madd msub mneg smaddl smsubl umaddl umsubl smull umull smnegl umnegl smulh umulh maddpt "
     "msubpt",
     C(MUL), T(MUL)},
};

/* ---- memory ---- */

static unsigned bytes_of(char letter)
{
	static const char letters[] = "bhsdqwx";
	static const uint8_t bytes[] = {1, 2, 4, 8, 16, 4, 8};
	const char *at = letter ? strchr(letters, letter) : NULL;
	return at ? bytes[at - letters] : 0;
}

/* "ldsmaxalb": the size at the end of the word, or that of the register. */
static unsigned scalar_bytes(const char *word, const char *operands)
{
	size_t n = strlen(word);
	if (!strcmp(word, "ldpsw") || (n > 3 && !strcmp(word + n - 2, "sw") && starts(word, "ld")))
		return 4;
	if (among("*b *h", word) && strcmp(word, "ldrab") != 0)
		return bytes_of(word[n - 1]) == 1 ? 1 : 2;
	return bytes_of(operands[0]);
}

static const char atomics[] =
	"ldadd* ldclr* ldeor* ldset* ldsmax* ldsmin* ldumax* ldumin* stadd* stclr* steor* stset* "
	"stsmax* stsmin* stumax* stumin* swp* cas* rcw*";

/* Orders by what follows the name of the operation. */
static uint32_t order_of(const char *word)
{
	static const char *const names[] = {
		"ldadd",    "ldclrp",  "ldclr",    "ldeor",   "ldsetp",   "ldset",   "ldsmax",   "ldsmin",
		"ldumax",   "ldumin",  "stadd",    "stclr",   "steor",    "stset",   "stsmax",   "stsmin",
		"stumax",   "stumin",  "swpp",     "swp",     "casp",     "cas",     "rcwscasp", "rcwscas",
		"rcwsclrp", "rcwsclr", "rcwssetp", "rcwsset", "rcwsswpp", "rcwsswp", "rcwcasp",  "rcwcas",
		"rcwclrp",  "rcwclr",  "rcwsetp",  "rcwset",  "rcwswpp",  "rcwswp"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (starts(word, names[i])) {
			const char *rest = word + strlen(names[i]);
			uint32_t t = *rest == 'a' ? T(ACQUIRE) : 0;
			rest += *rest == 'a';
			return t | (*rest == 'l' ? T(RELEASE) : 0);
		}
	return 0;
}

static void plain_memory(const char *word, const char *operands, struct cairn_op *want)
{
	bool load = starts(word, "ld"),
		 pair = among("ldp ldnp ldpsw stp stnp stgp ldxp ldaxp stxp "
	                  "stlxp casp* ldclrp* ldsetp* swpp* rcwcasp* rcwscasp* rcwclrp* "
	                  "rcwsclrp* rcwsetp* rcwssetp* rcwswpp* rcwsswpp* ldiapp stilp",
	                  word);
	want->cls = load ? C(LOAD) : C(STORE);
	want->traits = load ? T(LOAD) : T(STORE);
	want->mem_count = pair ? 2 : 1;
	want->mem_size = (uint16_t)scalar_bytes(word, operands);
	char reg = operands[0];
	if (strchr("hsd", reg))
		want->traits |= T(FP);
	else if (strchr("bq", reg))
		want->traits |= T(VECTOR);
	if (among("ldx* ldax* stx* stlx*", word)) {
		want->cls = C(ATOMIC);
		want->traits |= T(ATOMIC) | (load ? T(RESERVED_LR) : T(RESERVED_SC));
		want->traits |= starts(word, "lda") ? T(ACQUIRE) : starts(word, "stl") ? T(RELEASE) : 0;
		const char *data = load ? operands : strchr(operands, ' ') + 1;
		if (!among("*b *h", word))
			want->mem_size = (uint16_t)bytes_of(*data);
	} else if (among("ldar* ldlar* ldap* ldiapp stlr* stllr* stlur* stilp", word)) {
		want->traits |= load ? T(ACQUIRE) : T(RELEASE);
	} else if (among(atomics, word)) {
		want->cls = C(ATOMIC);
		want->traits = T(ATOMIC) | T(LOAD) | T(STORE) | order_of(word);
	}
}

/* { v0.4h, v1.4h }[3]: 2 bytes, elements, registers. */
static void structure(const char *word, const char *operands, struct cairn_op *want)
{
	const char *dot = strchr(operands, '.');
	unsigned lanes = (unsigned)strtoul(dot + 1, NULL, 10);
	char letter = dot[1 + strspn(dot + 1, "0123456789")];
	unsigned first = (unsigned)strtoul(operands + 3, NULL, 10);
	const char *close = strchr(operands, '}'), *dash = strstr(operands, " - ");
	unsigned n = 1;
	if (dash && dash < close)
		n = (((unsigned)strtoul(dash + 4, NULL, 10) - first) & 31) + 1;
	else
		for (const char *p = operands; p < close; p++)
			n += *p == ',';
	bool load = starts(word, "ld"), whole = close[1] == ',' && !among("ld?r", word);
	want->cls = load ? C(LOAD) : C(STORE);
	want->traits = (load ? T(LOAD) : T(STORE)) | T(VECTOR);
	if (among("ldap1 stl1", word))
		want->traits |= load ? T(ACQUIRE) : T(RELEASE);
	want->mem_size = (uint16_t)bytes_of(letter);
	want->mem_count = (uint8_t)(whole ? lanes * n : n);
}

/* "ld1rqsb": what is loaded, and 'b'. */
static void vector_memory(const char *word, const char *operands, struct cairn_op *want)
{
	bool load = starts(word, "ld");
	want->cls = load ? C(LOAD) : C(STORE);
	want->traits = (load ? T(LOAD) : T(STORE)) | T(VECTOR);
	want->mem_count = 0;
	want->mem_size = 1;
	if (starts(operands, "zt"))
		want->mem_count = 64;
	if (among("ldr str", word))
		return;
	want->mem_size = (uint16_t)bytes_of(word[strlen(word) - 1]);
	if (starts(word, "ld1r"))
		want->mem_count = (uint8_t)(word[4] == 'q'   ? 16 / want->mem_size
		                            : word[4] == 'o' ? 32 / want->mem_size
		                                             : 1);
}

static bool is_vector_memory(const char *operands)
{
	return starts(operands, "{ z") || starts(operands, "{za") ||
	       (strchr("zp", operands[0]) && (isdigit((unsigned char)operands[1]) ||
	                                      starts(operands, "za") || starts(operands, "zt")));
}

static bool tag_memory(const char *word, struct cairn_op *want)
{
	want->cls = starts(word, "ld") ? C(LOAD) : C(STORE);
	want->traits = starts(word, "ld") ? T(LOAD) : T(STORE);
	if (among("stg stzg ldg", word))
		want->mem_size = 16, want->mem_count = 1;
	else if (among("st2g stz2g", word))
		want->mem_size = 16, want->mem_count = 2;
	else if (!among("stgm stzgm ldgm", word))
		return false;
	return true;
}

static bool memory(const char *word, const char *operands, struct cairn_op *want)
{
	if (among("prf* rprfm", word)) {
		want->cls = C(CACHE);
		want->traits = T(CACHE) | T(PREFETCH) | T(HINT);
	} else if (tag_memory(word, want)) {
		return true;
	} else if (among("cpy* set*", word)) {
		want->cls = C(STORE);
		want->traits = T(STORE) | (*word == 'c' ? T(LOAD) : 0u);
	} else if (among("ld64b st64b st64bv st64bv0", word)) {
		bool load = *word == 'l';
		want->cls = load ? C(LOAD) : C(STORE);
		want->traits = load ? T(LOAD) : T(STORE);
		want->mem_size = want->mem_count = 8;
	} else if (among("gcsstr gcssttr", word)) {
		want->cls = C(STORE);
		want->traits = T(STORE);
		want->mem_size = 8;
		want->mem_count = 1;
	} else if (is_vector_memory(operands)) {
		vector_memory(word, operands, want);
	} else if (starts(operands, "{ v")) {
		structure(word, operands, want);
	} else if (starts(word, "ld") || starts(word, "st") || among("swp* cas* rcw*", word)) {
		plain_memory(word, operands, want);
	} else {
		return false;
	}
	return true;
}

/* ---- system registers and operations ---- */

static bool system_word(const char *word, const char *operands, uint32_t enc, struct cairn_op *want)
{
	uint32_t privileged = (enc >> 16 & 7) == 3 ? 0 : T(PRIVILEGED);
	if (among("msr mrs msrr mrrs", word)) {
		want->cls = C(CSR);
		want->traits = T(CSR) | privileged;
	} else if (among("dc ic", word)) {
		bool zero = starts(operands, "zva,") || starts(operands, "gzva,");
		want->cls = C(CACHE);
		want->traits = T(CACHE) | privileged | (zero ? T(STORE) : 0u);
	} else if (among("gcspush*", word)) {
		want->cls = C(SYSTEM);
		want->traits = T(STORE) | privileged;
	} else if (among("gcspop*", word)) {
		want->cls = C(SYSTEM);
		want->traits = T(LOAD) | privileged;
	} else if (among("gcsss1", word)) {
		want->cls = C(SYSTEM);
		want->traits = T(LOAD) | T(STORE);
	} else if (among("gcsss2", word)) {
		want->cls = C(SYSTEM);
		want->traits = T(LOAD);
	} else if (among("tlbi tlbip", word)) {
		want->cls = C(SYSTEM);
		want->traits = T(FENCE) | privileged;
	} else if (among("at cfp dvp cpp cosp brb trcit", word)) {
		want->cls = C(SYSTEM);
		want->traits = privileged;
	} else if (among("sys sysl sysp", word)) {
		return false; /* too general to say: only that it is one of these */
	} else {
		return false;
	}
	return true;
}

/* ---- all ---- */

static bool expect(uint32_t enc, const char *word, const char *operands, struct cairn_op *want)
{
	*want = (struct cairn_op){.enc = enc, .size = 4, .isa = CAIRN_ISA_A64};
	unsigned group = enc >> 25 & 15;
	if (arm64_vector_words(enc, word, operands, &want->cls, &want->traits))
		return true;
	if ((group & 5) == 4 || group == 0 || group == 2)
		return memory(word, operands, want);
	if (group >= 10 && group <= 11 && system_word(word, operands, enc, want))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (among(words[i].names, word)) {
			want->cls = words[i].cls;
			want->traits = words[i].traits;
			if (!strcmp(word, "orr") &&
			    (strstr(operands, " wzr, #") || strstr(operands, " xzr, #")))
				want->traits |= T(MOVE);
			if (want->traits & T(BRANCH) && !(want->traits & T(INDIRECT)))
				want->offset = strtoll(strrchr(operands, '#') + 1, NULL, 0);
			return true;
		}
	return false;
}

/* ---- disagreements about existence, and their reasons ---- */

static const struct {
	uint32_t mask, match;
	bool ours;            /* we say it exists, LLVM does not */
	const char *operands; /* what LLVM prints */
	const char *why;
} disputes[] = {
	{0x7e000000, 0x74000000, true, "", "FEAT_CMPBR is newer than LLVM 19"},
	{0xffd80000, 0xd5000000, false, "*S0_*", "LLVM takes op0 = 0 for a system register"},
	{0xffc00000, 0xd5400000, false, "*S[01]_*", "likewise pairs with op0 = 0 and 1"},
};
enum { N_DISPUTES = sizeof disputes / sizeof *disputes };

static struct {
	unsigned long compared, legal, wrong, used[N_DISPUTES];
} tally;

static bool disputed(uint32_t enc, bool ours, const char *operands)
{
	for (size_t i = 0; i < N_DISPUTES; i++)
		if (disputes[i].ours == ours && (enc & disputes[i].mask) == disputes[i].match &&
		    fnmatch(disputes[i].operands, operands, 0) == 0) {
			tally.used[i]++;
			return true;
		}
	return false;
}

static void complain(const struct cairn_op *got, const struct cairn_op *want, const char *word,
                     const char *operands)
{
	/* one of each group is enough to read */
	static uint64_t seen[256];
	uint64_t *group = &seen[got->enc >> 24];
	tally.wrong++;
	unsigned bit = (got->enc >> 21 & 7) << 3 | (want ? 4u : 0) | (got->enc >> 10 & 3);
	if (*group >> bit & 1)
		return;
	*group |= UINT64_C(1) << bit;
	print_error("%08x %s %s: %s %08x mem %u*%u to %ld", got->enc, word, operands,
	            cairn_class_name((enum cairn_class)got->cls), got->traits, got->mem_count,
	            got->mem_size, (long)got->offset);
	if (want)
		print_error(", not %s %08x mem %u*%u to %ld", cairn_class_name((enum cairn_class)want->cls),
		            want->traits, want->mem_count, want->mem_size, (long)want->offset);
	print_error("\n");
}

/* Has a field that the manual wants to be all ones another value? Machines ignore it, and so
 * do we; LLVM does not. */
static bool unused_set(uint32_t encoding)
{
	bool o2 = encoding >> 23 & 1, load = encoding >> 22 & 1, o1 = encoding >> 21 & 1;
	bool rs = (encoding >> 16 & 31) != 31, rt2 = (encoding >> 10 & 31) != 31;
	if ((encoding & 0x3f000000) != 0x08000000 || (o1 && (o2 || !(encoding >> 31))))
		return false;
	return ((o2 || load) && rs) || (!o1 && rt2);
}

/* Unpredictable in the manual: a load of one register twice, or of a base that moves. */
static bool unpredictable(uint32_t encoding)
{
	unsigned rt = encoding & 31, rn = encoding >> 5 & 31, rt2 = encoding >> 10 & 31;
	bool simd = encoding >> 26 & 1, load = encoding >> 22 & 1;
	if ((encoding & 0x3a000000) == 0x28000000) { /* pairs */
		bool back = encoding >> 23 & 1 && !simd && rn != 31;
		return (load && rt == rt2) || (back && (rt == rn || rt2 == rn));
	}
	if ((encoding & 0x3f200400) == 0x38000400 ||
	    (encoding & 0xff200c00) == 0xf8200c00) /* pre- and post-indexed */
		return rt == rn && rn != 31;
	if ((encoding & 0x3f200c00) == 0x38000800) /* unprivileged: LLVM takes them for pre-indexed */
		return rt == rn && rn != 31;
	if ((encoding & 0xbfe00000) == 0x88600000) /* exclusive pairs */
		return rt == rt2;
	return false;
}

static void compare(uint32_t enc)
{
	if (unused_set(enc) || unpredictable(enc))
		return;
	const char *operands = "";
	const char *word = llvm_witness_text(llvm_a64, enc, &operands);
	struct cairn_op got, want;
	cairn_isa_decode(CAIRN_ISA_A64, enc, 4, &got);
	bool ours = got.cls != C(ILLEGAL), theirs = word && strcmp(word, "udf") != 0;
	tally.compared++;
	tally.legal += ours;
	if (ours != theirs) {
		if (!disputed(enc, ours, operands))
			complain(&got, NULL, word ? word : "(LLVM: none)", operands);
		return;
	}
	if (!ours || among("sys sysl sysp", word))
		return;
	if (!expect(enc, word, operands, &want))
		complain(&got, NULL, word, operands);
	else if (memcmp(&got, &want, sizeof got) != 0)
		complain(&got, &want, word, operands);
}

static void encodings_agree_with_llvm(void **state)
{
	(void)state;
	uint64_t s = UINT64_C(0x2545f4914f6cdd1d);
	if (!llvm_a64)
		skip();
	for (uint32_t top = 0; top < 2048; top++)
		for (int i = 0; i < 512; i++)
			compare(top << 21 | (random_lumpy(&s) & 0x1fffff));
	for (int i = 0; i < 600000; i++)
		compare((uint32_t)(random64(&s) >> 13));
	/* All of bits 31 to 10, where instructions have few free bits, with and without registers. */
	for (uint32_t high = 0; high < 1u << 22; high++) {
		unsigned group = high >> 15 & 15;
		bool vector = group == 2 || (group & 7) == 7 || (group == 0 && high >> 21);
		static const uint32_t low[] = {0, 31, 31 << 5, 31 << 5 | 31};
		for (int i = 0; vector && i < 4; i++)
			compare(high << 10 | low[i]);
		if (vector)
			compare(high << 10 | (random_lumpy(&s) & 0x3ff));
	}
	/* System instructions: all of op1, CRn, CRm, op2 at one and at no register. */
	for (uint32_t i = 0; i < 1u << 16; i++)
		for (uint32_t l = 0; l < 2; l++) {
			compare(0xd500001f | l << 21 | i >> 14 << 19 | (i & 0x3fff) << 5);
			compare(0xd5000000 | l << 21 | i >> 14 << 19 | (i & 0x3fff) << 5);
			compare(0xd5400000 | l << 21 | i >> 14 << 19 | (i & 0x3fff) << 5);
		}
	print_message("%lu encodings compared, %lu exist, %lu wrong\n", tally.compared, tally.legal,
	              tally.wrong);
	for (size_t i = 0; i < N_DISPUTES; i++)
		if (!tally.used[i]) {
			print_error("no longer disputed: %s\n", disputes[i].why);
			tally.wrong++;
		}
	assert_int_equal(tally.wrong, 0);
}

/* ---- results ---- */

static const char setting[] =
	"adds subs negs cmp cmn ands bics tst adcs sbcs ngcs ccmp ccmn rmif setf8 "
	"setf16 subps cmpp fcmp fcmpe fccmp fccmpe fjcvtzs cfinv xaflag axflag";
static const char without[] = "cmp cmn tst ccmp ccmn rmif setf8 setf16 cmpp";

/* The first operand is the result of arithmetic; comparisons have none but the flags. */
static void compare_result(uint32_t enc)
{
	const char *operands = "";
	const char *word = llvm_witness_text(llvm_a64, enc, &operands);
	struct isa_arm64_result result;
	unsigned group = enc >> 25 & 15;
	if (!word || unused_set(enc))
		return;
	bool told = isa_arm64_result(enc, &result),
		 arithmetic = (group & 7) == 5 || group == 8 || group == 9;
	if (arithmetic && !told)
		fail_msg("%08x %s %s", enc, word, operands);
	if ((group & 7) == 7 && told && result.bank == ISA_ARM64_X && operands[0] != 'x' &&
	    operands[0] != 'w')
		fail_msg("%08x %s %s: no general register", enc, word, operands);
	if ((group & 7) == 7 && !told && (operands[0] == 'x' || operands[0] == 'w'))
		fail_msg("%08x %s %s: a general register", enc, word, operands);
	if (told && result.sets_nzcv != among(setting, word) && !(group == 10 || group == 11))
		fail_msg("%08x %s %s: flags", enc, word, operands);
	if (!arithmetic || !told || among("*sppc *sppcr *171615", word))
		return;
	unsigned num = 31;
	bool zero = !strncmp(operands, "xzr", 3) || !strncmp(operands, "wzr", 3);
	bool sp = !strncmp(operands, "sp", 2) || !strncmp(operands, "wsp", 3);
	char letter = sp ? (operands[0] == 's' ? 'x' : 'w') : operands[0];
	if (!zero && !sp)
		num = (unsigned)strtoul(operands + 1, NULL, 10);
	if (among(without, word)) {
		assert_true(result.bank == ISA_ARM64_NO_BANK || result.reg == 31);
		return;
	}
	if (result.bank != ISA_ARM64_X || result.reg != num ||
	    result.bytes != (letter == 'w' ? 4 : 8) || (num == 31 && result.sp != sp))
		fail_msg("%08x %s %s: register %u, %u bytes, sp %d", enc, word, operands, result.reg,
		         result.bytes, result.sp);
}

static void results_agree_with_llvm(void **state)
{
	(void)state;
	uint64_t s = UINT64_C(0x9e3779b97f4a7c15);
	if (!llvm_a64)
		skip();
	for (uint32_t top = 0; top < 2048; top++)
		for (int i = 0; i < 100; i++)
			compare_result(top << 21 | (random_lumpy(&s) & 0x1fffff));
	static const struct {
		uint32_t enc;
		uint8_t bank, reg;
		bool sets, reads;
	} known[] = {
		{0x94000000, ISA_ARM64_X, 30, false, false},      /* bl */
		{0xd63f0000, ISA_ARM64_X, 30, false, false},      /* blr */
		{0x14000000, ISA_ARM64_NO_BANK, 0, false, false}, /* b */
		{0x54000000, ISA_ARM64_NO_BANK, 0, false, true},  /* b.eq */
		{0xd53b4205, ISA_ARM64_X, 5, false, true},        /* mrs x5, nzcv */
		{0xd51b4205, ISA_ARM64_NO_BANK, 0, true, false},  /* msr nzcv, x5 */
		{0xd503233f, ISA_ARM64_X, 30, false, false},      /* paciasp */
		{0xd500401f, ISA_ARM64_NO_BANK, 0, true, true},   /* cfinv */
		{0x9a020020, ISA_ARM64_X, 0, false, true},        /* adc */
		{0x9a820020, ISA_ARM64_X, 0, false, true},        /* csel */
		{0x1e200c20, ISA_ARM64_V, 0, false, true},        /* fcsel */
		{0xd503201f, ISA_ARM64_NO_BANK, 0, false, false}, /* nop */
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct isa_arm64_result result;
		assert_true(isa_arm64_result(known[i].enc, &result));
		assert_int_equal(result.bank, known[i].bank);
		assert_int_equal(result.reg, known[i].reg);
		assert_int_equal(result.sets_nzcv, known[i].sets);
		assert_int_equal(result.reads_nzcv, known[i].reads);
	}
}

/* ---- names ---- */

static void expect_found(const char *name, enum cairn_reg_class cls, unsigned num)
{
	enum cairn_reg_class c = CAIRN_REG_UNKNOWN;
	unsigned n = ~0u;
	if (cairn_reg_find(CAIRN_ISA_A64, name, strlen(name), &c, &n) < 0 || c != cls || n != num)
		fail_msg("%s: class %d, %u", name, c, n);
}

static void registers_both_ways(void **state)
{
	(void)state;
	static const struct {
		enum cairn_reg_class cls;
		unsigned count;
	} classes[] = {{CAIRN_REG_INT, 32},       {CAIRN_REG_VECTOR, 66}, {CAIRN_REG_FP, 160},
	               {CAIRN_REG_PREDICATE, 17}, {CAIRN_REG_FLAGS, 1},   {CAIRN_REG_PC, 1}};
	for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
		for (unsigned i = 0; i < classes[k].count; i++) {
			char buf[16];
			expect_found(cairn_reg_name(CAIRN_ISA_A64, classes[k].cls, i, buf), classes[k].cls, i);
			expect_found(cairn_reg_abi_name(CAIRN_ISA_A64, classes[k].cls, i, buf), classes[k].cls,
			             i);
		}
	static const struct {
		enum cairn_reg_class cls;
		unsigned num;
		const char *name, *abi;
	} known[] = {
		{CAIRN_REG_INT, 0, "x0", "x0"},
		{CAIRN_REG_INT, 29, "x29", "fp"},
		{CAIRN_REG_INT, 30, "x30", "lr"},
		{CAIRN_REG_INT, 31, "sp", "sp"},
		{CAIRN_REG_INT, 32, "pc", "pc"},
		{CAIRN_REG_INT, 33, "xzr", "xzr"},
		{CAIRN_REG_VECTOR, 31, "v31", "v31"},
		{CAIRN_REG_VECTOR, 33, "z1", "z1"},
		{CAIRN_REG_VECTOR, 64, "za", "za"},
		{CAIRN_REG_FP, 8, "d8", "d8"},
		{CAIRN_REG_FP, 40, "s8", "s8"},
		{CAIRN_REG_FP, 159, "q31", "q31"},
		{CAIRN_REG_PREDICATE, 16, "ffr", "ffr"},
		{CAIRN_REG_FLAGS, 0, "nzcv", "nzcv"},
		{CAIRN_REG_CSR, 0xda10, "nzcv", "nzcv"},
		{CAIRN_REG_CSR, 0xda20, "fpcr", "fpcr"},
		{CAIRN_REG_CSR, 0xc000, "midr_el1", "midr_el1"},
		{CAIRN_REG_CSR, 0xffff, "s3_7_c15_c15_7", "s3_7_c15_c15_7"},
		{CAIRN_REG_CSR, 0x10000, "csr0x10000", "csr0x10000"},
		{CAIRN_REG_INT, 34, "r34", "r34"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		char buf[16];
		assert_string_equal(cairn_reg_name(CAIRN_ISA_A64, known[i].cls, known[i].num, buf),
		                    known[i].name);
		assert_string_equal(cairn_reg_abi_name(CAIRN_ISA_A64, known[i].cls, known[i].num, buf),
		                    known[i].abi);
	}
	for (unsigned num = 0x8000; num < 0x10000; num++) {
		char buf[16];
		if (num != ISA_ARM64_NZCV) /* whose name is that of the flags */
			expect_found(cairn_reg_name(CAIRN_ISA_A64, CAIRN_REG_CSR, num, buf), CAIRN_REG_CSR,
			             num);
	}
	expect_found("w7", CAIRN_REG_INT, 7);
	expect_found("wsp", CAIRN_REG_INT, 31);
	expect_found("wzr", CAIRN_REG_INT, 33);
	expect_found("pn9", CAIRN_REG_PREDICATE, 9);
	expect_found("s3_0_c1_c2_0", CAIRN_REG_CSR, 3u << 14 | 1 << 7 | 2 << 3);
	static const char *const none[] = {"",
	                                   "x",
	                                   "x31",
	                                   "x01",
	                                   "x-1",
	                                   "v32",
	                                   "p16",
	                                   "w31",
	                                   "s3_",
	                                   "s4_0_c1_c2_0",
	                                   "s3_8_c1_c2_0",
	                                   "s3_0_c16_c2_0",
	                                   "s3_0_c1_c2_0x",
	                                   "s03_0_c1_c2_0",
	                                   "MIDR_EL1",
	                                   "z",
	                                   "zt1"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		enum cairn_reg_class c;
		unsigned n;
		assert_int_equal(cairn_reg_find(CAIRN_ISA_A64, none[i], strlen(none[i]), &c, &n),
		                 CAIRN_E_NOTFOUND);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodings_agree_with_llvm),
		cmocka_unit_test(results_agree_with_llvm),
		cmocka_unit_test(registers_both_ways),
	};
	return cmocka_run_group_tests_name("isa_arm64", tests, llvm_open_a64, llvm_close_a64);
}
