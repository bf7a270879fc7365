/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions leave changed: of A64 against the registers LLVM prints first, of the
 * other sets by the manuals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/llvm.h"
#include "isa/arm64.h"
#include "isa/isa.h"
#include "isa/sparc.h"
#include "isa/written.h"

static bool changed(const struct isa_written *written, unsigned cls, unsigned num, bool sure)
{
	for (unsigned i = 0; i < written->n; i++) {
		const struct isa_written_reg *reg = &written->reg[i];
		if (reg->cls == cls && num >= reg->num && num - reg->num < reg->count &&
		    (reg->sure || !sure))
			return true;
	}
	return false;
}

/* ---- A64 against LLVM ---- */

/* The register at `text`, class in *cls; -1: none that is kept. */
static int register_at(const char *text, unsigned *cls)
{
	int n = 0;
	if (!strncmp(text, "sp", 2) || !strncmp(text, "wsp", 3)) {
		*cls = CAIRN_REG_INT;
		return ISA_ARM64_SP;
	}
	if (*text == 'p' && text[1] == 'n')
		text++;
	if (!isdigit((unsigned char)text[1]))
		return -1;
	n = atoi(text + 1);
	*cls = *text == 'x' || *text == 'w'   ? CAIRN_REG_INT
	       : *text == 'p' || *text == 'n' ? CAIRN_REG_PREDICATE
	       : strchr("bhsdqvz", *text)     ? CAIRN_REG_VECTOR
	                                      : CAIRN_REG_UNKNOWN;
	return *cls == CAIRN_REG_UNKNOWN ? -1 : n;
}

/* What only reads the first register it names, or names none that is kept. */
static bool only_reads(const char *word, const char *operands)
{
	static const char *const words[] = {
		"st*",    "prf*",   "cmn",     "tst",   "ccmn", "ccmp",     "fcmp",  "fcmpe",   "fccmp",
		"fccmpe", "b",      "b.*",     "bc.*",  "br*",  "bl*",      "cb*",   "tb*",     "ret*",
		"msr*",   "sys*",   "dc",      "ic",    "at",   "tlbi*",    "ptest", "cterm*",  "wrffr",
		"wfet",   "wfit",   "rprfm",   "cfp",   "cpp",  "dvp",      "cosp",  "trcit",   "gcspushm",
		"gcsss1", "setf*",  "rmif",    "cmpp",  "brb",  "gcspushx", "zero",  "gcspopx", "gcspopcx",
		"apas",   "gcsstr", "gcssttr", "sttnp", "hint"};
	if (!strcmp(word, "cmp"))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!fnmatch(words[i], word, 0))
			return true;
	return *operands == 0;
}

/* Of these LLVM prints the destinations behind a source, or in the middle. */
static bool is_odd(const char *word)
{
	static const char *const words[] = {"ldadd*",  "ldclr*",  "ldeor*",  "ldset*",  "ldsmax*",
	                                    "ldsmin*", "ldumax*", "ldumin*", "swp*",    "rcwclr*",
	                                    "rcwset*", "rcwswp*", "rcws*",   "ldtadd*", "ldtset*",
	                                    "ldtclr*", "swpt*",   "ldbf*",   "ldf*"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!fnmatch(words[i], word, 0) && strncmp(word, "ldff1", 5))
			return true;
	return false;
}

static bool in_text(const char *operands, unsigned num)
{
	char x[8], w[8];
	(void)snprintf(x, sizeof x, "x%u", num);
	(void)snprintf(w, sizeof w, "w%u", num);
	for (const char *s = operands; *s; s++) {
		const char *name = !strncmp(s, x, strlen(x)) ? x : !strncmp(s, w, strlen(w)) ? w : NULL;
		if (name && !isdigit((unsigned char)s[strlen(name)]) &&
		    (s == operands || !isalnum((unsigned char)s[-1])))
			return true;
	}
	return num == ISA_ARM64_SP && strstr(operands, "sp");
}

static unsigned long compared, wrong;

static void complain(uint32_t enc, const char *word, const char *operands, const char *what)
{
	if (wrong++ < 40)
		print_error("%08x %s %s: %s\n", enc, word, operands, what);
}

static bool implies(const char *word)
{
	static const char *const words[] = {"bl*",     "pac*", "aut*",  "xpac*",   "chkfeat",
	                                    "retaa*",  "cas*", "ldp*",  "rcwcas*", "rcwscas*",
	                                    "ld64b",   "mrrs", "sysp",  "ldxp",    "ldaxp",
	                                    "ldclrp*", "svc",  "rcwc*", "rcws*",   "rcwsw*"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!fnmatch(words[i], word, 0))
			return true;
	return false;
}

static void compare(uint32_t enc)
{
	const char *operands;
	char word[200], rest[200];
	const char *text = llvm_witness_text(llvm_a64, enc, &operands);
	struct isa_written written;
	unsigned cls = 0;
	if (!text)
		return;
	(void)snprintf(rest, sizeof rest, "%s", operands);
	(void)snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " \t"), text);
	isa_written(CAIRN_ISA_A64, enc, 4, &written);
	compared++;
	if (!written.told && (!strcmp(word, "udf") || !strncmp(word, "mrs", 3) ||
	                      !strncmp(word, "mrrs", 4) || !strncmp(word, "msr", 3)))
		return; /* of no system register that there is */
	if (!written.told) {
		complain(enc, word, rest, "not told");
		return;
	}
	const char *first = rest + strspn(rest, "{ ");
	int n = register_at(first, &cls);
	bool writes = n >= 0 && !only_reads(word, rest) && !is_odd(word);
	if (writes && !changed(&written, cls, (unsigned)n, false))
		complain(enc, word, rest, "its first register is not changed");
	/* A list, or, of loads of pairs, the second. */
	if (writes && *rest == '{' && n >= 0) {
		const char *last = strpbrk(rest, ",-");
		const char *end = strchr(rest, '}');
		if (last && last < end) {
			unsigned other;
			int m = register_at(last + strspn(last, ",- "), &other);
			if (m >= 0 && !changed(&written, other, (unsigned)m, false))
				complain(enc, word, rest, "the second of its list is not changed");
		}
	}
	for (unsigned i = 0; i < written.n; i++)
		if (written.reg[i].cls == CAIRN_REG_INT && written.reg[i].sure && !implies(word) &&
		    !in_text(rest, written.reg[i].num))
			complain(enc, word, rest, "changes a general register that it does not name");
	bool sets =
		!fnmatch("*s", word, 0) &&
		(!fnmatch("adds", word, 0) || !fnmatch("subs", word, 0) || !fnmatch("ands", word, 0) ||
	     !fnmatch("bics", word, 0) || !fnmatch("adcs", word, 0) || !fnmatch("sbcs", word, 0) ||
	     !fnmatch("brk*s", word, 0) || !fnmatch("ptrues", word, 0) || !fnmatch("eors", word, 0) ||
	     !fnmatch("orrs", word, 0) || !fnmatch("rdffrs", word, 0));
	sets |= !strcmp(word, "cmp") || !strcmp(word, "cmn") || !strcmp(word, "tst") ||
	        !fnmatch("ccm*", word, 0) || !fnmatch("fcmp", word, 0) || !fnmatch("fccmp*", word, 0) ||
	        !fnmatch("while*", word, 0) || !fnmatch("ptest", word, 0) ||
	        !fnmatch("pfirst", word, 0) || !fnmatch("pnext", word, 0) ||
	        (!fnmatch("cmp*", word, 0) && *rest == 'p') || !fnmatch("*match", word, 0) ||
	        !fnmatch("cterm*", word, 0);
	if (sets && !changed(&written, CAIRN_REG_FLAGS, 0, false))
		complain(enc, word, rest, "the flags are not changed");
	if (!sets && changed(&written, CAIRN_REG_FLAGS, 0, true) &&
	    (!fnmatch("add", word, 0) || !fnmatch("sub", word, 0) || !fnmatch("mov", word, 0) ||
	     !fnmatch("and", word, 0) || !fnmatch("ptrue", word, 0) || !fnmatch("sel", word, 0)))
		complain(enc, word, rest, "the flags are changed");
}

static void a64_writes_what_llvm_prints_first(void **state)
{
	(void)state;
	uint64_t s = UINT64_C(0x123456789abcdef);
	if (!llvm_a64)
		skip();
	for (unsigned i = 0; i < 1500000; i++) {
		uint32_t e = i & 1 ? random_lumpy(&s) : (uint32_t)(random64(&s) >> 13);
		if (i % 3 == 0) /* SVE */
			e = (e & 0xe1ffffff) | 2u << 25;
		compare(e);
	}
	print_message("%lu compared\n", compared);
	assert_int_equal(wrong, 0);
}

/* ---- by the manuals ---- */

static void what_is_implied_is_changed(void **state)
{
	(void)state;
	enum { RV = CAIRN_ISA_RV64, A = CAIRN_ISA_A64, S = CAIRN_ISA_SPARC };
	enum {
		X = CAIRN_REG_INT,
		F = CAIRN_REG_FP,
		V = CAIRN_REG_VECTOR,
		CSR = CAIRN_REG_CSR,
		FL = CAIRN_REG_FLAGS
	};
	static const struct {
		int isa;
		uint32_t enc;
		unsigned cls, num;
		bool is;
	} known[] = {{RV, 0x00108093, X, 1, true},       {RV, 0x00108093, X, 2, false},
	             {RV, 0x00000013, X, 0, false},      {RV, 0x00000073, X, 10, true},
	             {RV, 0x00000073, X, 12, false},     {RV, 0x00000073, CSR, 0x341, true},
	             {RV, 0x02107053, CSR, 1, true},     {RV, 0x02107053, CSR, 3, true},
	             {RV, 0x22108053, CSR, 1, false},    {RV, 0x02108457, V, 15, true},
	             {RV, 0x02108457, V, 16, false},     {RV, 0x021080d7, V, 2, false},
	             {RV, 0xcd027057, CSR, 0xc21, true}, {RV, 0x30200073, CSR, 0x300, true},
	             {RV, 0x300090f3, CSR, 0x100, true}, {RV, 0x02850407, V, 8, true},
	             {A, 0xd4000001, X, 0, true},        {A, 0xd4000001, X, 1, false},
	             {A, 0xd4000003, X, 17, true},       {A, 0xd45e0000, X, 0, true},
	             {A, 0xd69f03e0, FL, 0, true},       {A, 0x94000000, X, 30, true},
	             {A, 0xa8c17bfd, X, 31, true},       {A, 0xa8c17bfd, X, 30, true},
	             {A, 0x1e602820, V, 32, true},       {A, 0xf9000020, X, 0, false},
	             {A, 0xf9000020, X, 1, false},       {A, 0xf8008420, X, 1, true},
	             {S, 0x82006001, X, 1, true},        {S, 0x82806001, FL, 0, true},
	             {S, 0x40000000, X, 15, true},       {S, 0x85a00822, F, 33, true},
	             {S, 0x85a00822, F, 34, false},      {S, 0xd41a0000, X, 11, true},
	             {S, 0x91d02000, X, 8, true},        {S, 0x81f00000, X, 1, true},
	             {S, 0x81f00000, X, 24, true},       {S, 0x9de3bf50, X, 14, true},
	             {S, 0x9de3bf50, X, 1, false},       {S, 0xc1985e02, F, 39, true}, /* a block */
	             {S, 0xc1b85e02, F, 39, false},      {S, 0xc1986000, F, 39, true}, /* by %asi */
	             {S, 0xc5986000, F, 39, false}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct isa_written written;
		isa_written((enum cairn_isa)known[i].isa, known[i].enc, 4, &written);
		if (!written.told || changed(&written, known[i].cls, known[i].num, false) != known[i].is)
			fail_msg("%08x: register %u of class %u", known[i].enc, known[i].num, known[i].cls);
	}
}

static void nothing_is_sure_of_what_is_not_decoded(void **state)
{
	(void)state;
	struct isa_written written;
	isa_written(CAIRN_ISA_RV64, 0, 4, &written);
	assert_false(written.told);
	isa_written(CAIRN_ISA_A32, 0xe0810002, 4, &written); /* add */
	assert_false(written.told);
	isa_written(CAIRN_ISA_A32, 0xea000000, 4, &written); /* b */
	assert_true(written.told && written.n == 0);
}

/* fadd.d makes the unit dirty: FS, and SD, which sums it up, of each status. */
static void of_a_status_only_some_bits_are_changed(void **state)
{
	(void)state;
	static const uint16_t status[] = {0x300, 0x100, 0x200};
	struct isa_written written;
	isa_written(CAIRN_ISA_RV64, 0x02c5f553, 4, &written);
	assert_true(written.told);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t bits = 0;
		for (unsigned k = 0; k < written.n; k++) {
			const struct isa_written_reg *reg = &written.reg[k];
			if (reg->cls == CAIRN_REG_CSR && reg->num == status[i])
				bits |= ((UINT64_C(1) << reg->bits) - 1) << reg->lsb;
		}
		assert_int_equal(bits, UINT64_C(3) << 13 | UINT64_C(1) << 63);
	}
}

/* What an instruction changes of a register, as far as it is one of at most 64 bits. */
static uint64_t changed_bits(enum cairn_isa isa, uint32_t enc, unsigned cls, unsigned num)
{
	struct isa_written written;
	uint64_t bits = 0;
	isa_written(isa, enc, 4, &written);
	assert_true(written.told);
	for (unsigned k = 0; k < written.n; k++) {
		const struct isa_written_reg *reg = &written.reg[k];
		if (reg->cls == cls && num >= reg->num && num - reg->num < reg->count)
			bits |= reg->bits ? ((UINT64_C(1) << reg->bits) - 1) << reg->lsb : UINT64_MAX;
	}
	return bits;
}

/* Fields of a register that an instruction writes under another name, or in part, leave the others. */
static void fields_leave_the_others(void **state)
{
	(void)state;
	enum { FSR = ISA_SPARC_ASR + 8, GSR = ISA_SPARC_ASR + 9, FPRS = ISA_SPARC_ASR + 6 };
	static const struct {
		enum cairn_isa isa;
		uint32_t enc;
		uint16_t num;
		uint64_t bits;
	} cases[] = {
		{CAIRN_ISA_RV64, 0x02c5f553, 1, UINT64_MAX}, /* fadd.d fa0, fa1, fa2 */
		{CAIRN_ISA_RV64, 0x02c5f553, 2, 0},
		{CAIRN_ISA_RV64, 0x02c5f553, 3, 0x1f},
		{CAIRN_ISA_RV64, 0x00151073, 2, 0}, /* csrw fflags, a0 */
		{CAIRN_ISA_RV64, 0x00151073, 3, 0x1f},
		{CAIRN_ISA_RV64, 0x00251073, 1, 0}, /* csrw frm, a0 */
		{CAIRN_ISA_RV64, 0x00251073, 3, 0xe0},
		{CAIRN_ISA_RV64, 0x00351073, 1, UINT64_MAX}, /* csrw fcsr, a0 */
		{CAIRN_ISA_RV64, 0x00351073, 2, UINT64_MAX},
		{CAIRN_ISA_RV64, 0x82110157, 9, UINT64_MAX}, /* vsaddu.vv v2, v1, v2 */
		{CAIRN_ISA_RV64, 0x82110157, 10, 0},
		{CAIRN_ISA_RV64, 0x82110157, 15, 1},
		{CAIRN_ISA_RV64, 0x10051073, 0x300, 0x80000003018de762}, /* csrw sstatus, a0 */
		{CAIRN_ISA_RV32, 0x10051073, 0x300, 0x818de762},
		{CAIRN_ISA_RV64, 0x30051073, 0x100, UINT64_MAX},  /* csrw mstatus, a0 */
		{CAIRN_ISA_SPARC, 0x85a00846, FSR, 0x3f0001ffff}, /* faddd %f0, %f6, %f2 */
		{CAIRN_ISA_SPARC, 0x85a00846, FPRS, 3},
		{CAIRN_ISA_SPARC, 0x85a00846, GSR, 0},
		{CAIRN_ISA_SPARC, 0x85b04302, GSR, 7}, /* alignaddr %g1, %g2, %g2 */
		{CAIRN_ISA_SPARC, 0x85b04322, GSR, UINT64_C(0xffffffff) << 32}, /* bmask %g1, %g2, %g2 */
		{CAIRN_ISA_SPARC, 0xc1284000, FSR, 0x1c000},                    /* st %fsr, [%g1] */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (changed_bits(cases[i].isa, cases[i].enc, CAIRN_REG_CSR, cases[i].num) != cases[i].bits)
			fail_msg("case %zu: %#llx", i,
			         (unsigned long long)changed_bits(cases[i].isa, cases[i].enc, CAIRN_REG_CSR,
			                                          cases[i].num));
}

/* Tags alone leave memory as it is; stgp stores a pair beside them, and stzg zeros. Of blocks of caches some do. */
static void tags_are_no_data(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		enum isa_store store;
	} cases[] = {
		{0xd9200820, ISA_STORES_NOT}, /* stg x0, [x1] */
		{0xd9600820, ISA_STORES},     /* stzg x0, [x1] */
		{0x69000820, ISA_STORES},     /* stgp x0, x2, [x1] */
		{0x69a77877, ISA_STORES},     /* stgp x23, x30, [x3, #1248]! */
		{0x29000820, ISA_STORES},     /* stp w0, w2, [x1] */
	};
	struct isa_written blocks;
	isa_written(CAIRN_ISA_RV64, 0x0002a00f, 4, &blocks); /* cbo.inval (t0) */
	assert_int_equal(blocks.store, ISA_STORES_MAYBE);
	isa_written(CAIRN_ISA_RV64, 0x0012a00f, 4, &blocks); /* cbo.clean (t0) */
	assert_int_equal(blocks.store, ISA_STORES_NOT);
	isa_written(CAIRN_ISA_RV64, 0x0042a00f, 4, &blocks); /* cbo.zero (t0) */
	assert_int_equal(blocks.store, ISA_STORES);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct isa_written written;
		isa_written(CAIRN_ISA_A64, cases[i].enc, 4, &written);
		assert_true(written.told);
		assert_int_equal(written.store, cases[i].store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a64_writes_what_llvm_prints_first),
		cmocka_unit_test(what_is_implied_is_changed),
		cmocka_unit_test(nothing_is_sure_of_what_is_not_decoded),
		cmocka_unit_test(of_a_status_only_some_bits_are_changed),
		cmocka_unit_test(tags_are_no_data),
		cmocka_unit_test(fields_leave_the_others),
	};
	return cmocka_run_group_tests_name("written", tests, llvm_open_a64, llvm_close_a64);
}
