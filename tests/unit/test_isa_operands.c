/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers that RISC-V instructions read and write, against the text of LLVM's
 * disassembler, for every mnemonic it prints.
 *
 * What a mnemonic does with the registers of its text is said by rules here, which know
 * nothing of encodings: the first is written and the others are read, unless a row of
 * `shapes` says otherwise. All 16-bit encodings and a sample of each corner of the 32-bit
 * ones are compared for each way of reading them (test_isa.c compares what they are).
 * CSRs are not in the text of all that read them, so their numbers are compared apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "among.h"

#include "base/base.h"
#include "cairn/isa.h"
#include "isa/isa.h"
#include "isa/llvm.h"

/* ---- shapes ---- */

/* A letter for each register of the text: d written, s read, b both, - neither;
 * B and S: the pair that begins with it. Then registers that are implied, after "+":
 * "+<sp" is read, "+>ra" written. */
struct shape {
	const char *names, *form;
	uint8_t size; /* of the encoding; 0: any */
	uint8_t xlen; /* 0: any */
};

static const struct shape shapes[] = {
	/* pairs */
	{"amocas.d amocas.d.*", "BSs", 0, 32},
	{"amocas.q amocas.q.*", "BSs", 0, 64},
	{"amocas.*", "bss", 0, 0},
	/* stores, and what else writes none */
	{"sb sh sw sd fsh fsw fsd hsv.* sb.* sh.* sw.* sd.*", "ss", 0, 0},
	{"vs[es]*.v vs[1248]r.v vsm.v vs[uo]x*.v", "ssss", 0, 0},
	{"beq bne blt bge bltu bgeu beqz bnez blez bgez bltz bgtz", "ss", 0, 0},
	{"sfence.vma sinval.vma hfence.* hinval.* cbo.* prefetch.*", "ss", 0, 0},
	{"csrw csrs csrc", "s", 0, 0},
	{"vmclr.m vmset.m c.addi c.add c.slli c.slli64 c.srli64 c.srai64", "bs", 0, 0},
	{"ntl.p1", "+<sp", 4, 0},
	{"ntl.pall", "+<gp", 4, 0},
	{"ntl.s1", "+<tp", 4, 0},
	{"ntl.all", "+<t0", 4, 0},
	{"c.ntl.p1", "+<sp", 2, 0},
	{"c.ntl.pall", "+<gp", 2, 0},
	{"c.ntl.s1", "+<tp", 2, 0},
	{"c.ntl.all", "+<t0", 2, 0},
	/* jumps */
	{"jr", "s", 0, 0},
	{"ret", "+<ra", 0, 0},
	{"cm.push", "l+<sp+>sp", 0, 0},
	{"cm.pop cm.popret", "L+<sp+>sp", 0, 0},
	{"cm.popretz", "L+<sp+>sp+>a0", 0, 0},
	{"cm.mvsa01", "dd+<a0+<a1", 0, 0},
	{"cm.mva01s", "ss+>a0+>a1", 0, 0},
	{"cm.jt", "", 0, 0},
	{"cm.jalt", "+>ra", 0, 0},
	{"sspush sspopchk", "s", 0, 0},
	/* destinations that are added to, or a state */
	{"vmacc.* vnmsac.* vmadd.* vnmsub.* vwmacc*.* vf*macc.* vf*msac.* vf*madd.* vf*msub.* "
     "vfwmaccbf16.* vfnm*.* vaesdm.* vaesdf.* vaesem.* vaesef.* vaesz.* vaeskf2.* vsha2*.* vsm3c.* vsm4r.* "
     "vghsh.* vgmul.*",
     "bsss", 0, 0},
};

/* Matching patterns is slow, so each mnemonic is looked up once for each size and XLEN. */
static const char *form_of(const char *word, unsigned size, unsigned xlen)
{
	static struct {
		char key[32];
		const char *form;
	} seen[8192];
	char key[32];
	uint32_t h = 2166136261u;
	assert_true((size_t)snprintf(key, sizeof key, "%s/%u%u", word, size, xlen) < sizeof key);
	for (const char *s = key; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	size_t i = h % 8192;
	while (seen[i].key[0] && strcmp(seen[i].key, key) != 0)
		i = (i + 1) % 8192;
	if (seen[i].key[0])
		return seen[i].form;
	strcpy(seen[i].key, key);
	seen[i].form = "dsss";
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
		if ((!shapes[k].size || shapes[k].size == size) &&
		    (!shapes[k].xlen || shapes[k].xlen == xlen) && among(shapes[k].names, word)) {
			seen[i].form = shapes[k].form;
			break;
		}
	return seen[i].form;
}

/* ---- sets of registers ---- */

#define LETTERS "abcdefghijklmnopqrstuvwxyz0123456789"

struct set {
	bool in[3][32]; /* INT, FP, VECTOR */
};

static void add(struct set *set, enum cairn_reg_class cls, unsigned num)
{
	if (cls >= CAIRN_REG_INT && cls <= CAIRN_REG_VECTOR && num < 32 &&
	    (cls != CAIRN_REG_INT || num))
		set->in[cls - CAIRN_REG_INT][num] = true;
}

/* Adds what a letter says of a register, or of the pair that it begins. */
static void apply(char letter, enum cairn_reg_class cls, unsigned num, struct set *src,
                  struct set *dst)
{
	bool pair = letter == 'D' || letter == 'S' || letter == 'B';
	for (unsigned k = 0; k < (pair && num ? 2u : 1u); k++) {
		if (letter == 's' || letter == 'S' || letter == 'b' || letter == 'B')
			add(src, cls, num + k);
		if (letter == 'd' || letter == 'D' || letter == 'b' || letter == 'B')
			add(dst, cls, num + k);
	}
}

/* Doubles of Zdinx are in pairs: which operands of an instruction are doubles is in its name:
 * "fcvt.d.s" writes one, "fadd.d" has nothing else, "feq.d" writes an integer. */
static bool is_double(const char *word, unsigned index)
{
	size_t n = strlen(word);
	if (word[0] != 'f' || n < 3)
		return false;
	if (strncmp(word, "fcvt.", 5) == 0) {
		const char *to = word + 5, *from = strchr(to, '.') + 1;
		return strncmp(index ? from : to, "d", 1) == 0 && (index ? from : to)[1] < 'a';
	}
	bool to_int = !strncmp(word, "feq.", 4) || !strncmp(word, "flt.", 4) ||
	              !strncmp(word, "fle.", 4) || !strncmp(word, "fgt.", 4) ||
	              !strncmp(word, "fge.", 4) || !strncmp(word, "fclass.", 7);
	return strcmp(word + n - 2, ".d") == 0 && !(to_int && index == 0);
}

static void implied(const char *form, struct set *src, struct set *dst)
{
	for (const char *p = strchr(form, '+'); p; p = strchr(p + 1, '+')) {
		enum cairn_reg_class cls;
		unsigned num;
		assert_int_equal(cairn_reg_find(CAIRN_ISA_RV64, p + 2, 2, &cls, &num), 0);
		add(p[1] == '<' ? src : dst, cls, num);
	}
}

/* "{ra, s0-s11}" */
static void list(const char *operands, struct set *to)
{
	unsigned from = 0, last = 0;
	add(to, CAIRN_REG_INT, 1);
	int n = sscanf(operands, " {ra, s%u-s%u}", &from, &last);
	for (unsigned s = 0; n > 0 && s <= last; s++)
		add(to, CAIRN_REG_INT, s < 2 ? 8 + s : 16 + s);
}

static unsigned registers_in(const char *operands)
{
	unsigned n = 0;
	for (const char *p = operands; *p;) {
		size_t len = strspn(p, LETTERS);
		enum cairn_reg_class cls;
		unsigned num;
		n += len && cairn_reg_find(CAIRN_ISA_RV64, p, len, &cls, &num) >= 0 &&
		     cls <= CAIRN_REG_VECTOR;
		p += len ? len : 1;
	}
	return n;
}

/* The registers of a text, by the form of its mnemonic. */
static void expect(unsigned xlen, unsigned size, bool zfinx, const char *word, const char *operands,
                   struct set *src, struct set *dst)
{
	const char *form = form_of(word, size, xlen);
	unsigned regs = registers_in(operands);
	/* Text that leaves out the first register: ra of a call, zero of a CSR's write. */
	if (!strcmp(word, "jalr") && regs == 1)
		form = "s+>ra";
	else if (!strcmp(word, "jal") && regs == 0)
		form = "+>ra";
	else if (among("fsrm fsflags fscsr", word) && regs == 1)
		form = "s";
	implied(form, src, dst);
	if (form[0] == 'l' || form[0] == 'L') {
		list(operands, form[0] == 'l' ? src : dst);
		return;
	}
	unsigned index = 0;
	for (const char *p = operands; *p;) {
		size_t n = strspn(p, LETTERS);
		enum cairn_reg_class cls;
		unsigned num;
		bool mask = n == 2 && !strncmp(p, "v0.t", 4);
		bool known =
			n && cairn_reg_find(CAIRN_ISA_RV64, p, n, &cls, &num) >= 0 && cls <= CAIRN_REG_VECTOR;
		if (mask) {
			add(src, CAIRN_REG_VECTOR, 0);
			n = 4;
		} else if (known) {
			char letter = index < strcspn(form, "+") ? form[index] : form[0] == 'd' ? 's' : '-';
			bool pair = zfinx && xlen == 32 && is_double(word, index);
			apply(pair ? (char)(letter - 'a' + 'A') : letter, cls, num, src, dst);
			index++;
		}
		p += n ? n : 1;
	}
}

/* ---- comparing ---- */

struct tally {
	struct cairn *cairn;
	struct cairn_disasm *disasm;
	enum cairn_isa isa; /* with its variants */
	unsigned long compared, wrong, mnemonics;
};

static unsigned xlen_of(enum cairn_isa isa)
{
	return (isa & 31) == CAIRN_ISA_RV32 ? 32 : 64;
}

static void show(const char *what, const struct set *set)
{
	char buf[16];
	print_error(" %s", what);
	for (unsigned cls = 0; cls < 3; cls++)
		for (unsigned i = 0; i < 32; i++)
			if (set->in[cls][i])
				print_error(" %s", cairn_reg_abi_name(CAIRN_ISA_RV64,
				                                      (enum cairn_reg_class)(cls + CAIRN_REG_INT),
				                                      i, buf));
}

/* A mnemonic seen for the first time. */
static bool is_new(const char *word)
{
	static char seen[8192][32];
	uint32_t h = 2166136261u;
	for (const char *s = word; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	size_t i = h % 8192;
	while (seen[i][0] && strcmp(seen[i], word) != 0)
		i = (i + 1) % 8192;
	if (seen[i][0])
		return false;
	snprintf(seen[i], sizeof seen[i], "%s", word);
	return true;
}

static void compare(struct tally *tally, uint32_t enc, unsigned size)
{
	struct set src = {0}, dst = {0}, got_src = {0}, got_dst = {0};
	struct cairn_operands operands;
	const char *text;
	char word[32];
	if (cairn_isa_operands(tally->isa, enc, size, &operands) < 0)
		return;
	size_t n = cairn_disasm_text(tally->disasm, 0, enc, size, &text);
	size_t end = strcspn(text, " ");
	if (text[0] == '<' || n == 0 || end >= sizeof word)
		return; /* test_isa.c says which, and why */
	memcpy(word, text, end);
	word[end] = 0;
	tally->compared++;
	tally->mnemonics += is_new(word);
	expect(xlen_of(tally->isa), size, tally->isa & CAIRN_ISA_ZFINX, word, text + end, &src, &dst);
	for (unsigned i = 0; i < operands.n_src; i++)
		add(&got_src, (enum cairn_reg_class)operands.src[i].cls, operands.src[i].num);
	for (unsigned i = 0; i < operands.n_dst; i++)
		add(&got_dst, (enum cairn_reg_class)operands.dst[i].cls, operands.dst[i].num);
	if (memcmp(&src, &got_src, sizeof src) == 0 && memcmp(&dst, &got_dst, sizeof dst) == 0)
		return;
	if (tally->wrong++ >= 40)
		return;
	print_error("rv%u %08x %s:", xlen_of(tally->isa), enc, text);
	show("reads", &got_src);
	show("writes", &got_dst);
	show("instead of reads", &src);
	show("writes", &dst);
	print_error("\n");
}

static uint64_t random64(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static const struct {
	const char *text; /* of the instruction set */
	unsigned wide;    /* of 32 bits, too: only these opcodes */
} ways[] = {{NULL, ~0u},
            {"imac_zcmp_zcmt_zcmop_zicfiss", 0},
            {"imac_zfinx_zdinx_zhinx_zcmop_zicfiss", 1u << 0x14 | 0xfu << 0x10}};

static void begin(struct tally *tally, enum cairn_isa set, const char *way)
{
	char text[64];
	snprintf(text, sizeof text, "rv%u%s", xlen_of(set), way ? way : "");
	tally->isa = cairn_isa_of(set, way ? text : NULL);
	assert_int_equal(cairn_disasm_new(tally->cairn, set, way ? text : NULL, &tally->disasm), 0);
}

/* Every opcode, funct3, funct7 and rs2 with the other registers at random, then the same of
 * rs1, which is a part of some opcodes. */
static void compare_wide(struct tally *tally, unsigned opcodes, uint64_t *s)
{
	for (uint32_t i = 0; i < 1u << 21; i++) {
		uint32_t enc = 3 | (i & 31) << 2 | (i >> 5 & 7) << 12 | (i >> 8 & 127) << 25;
		uint32_t r = (uint32_t)(random64(s) >> 20), field = i >> 15 & 31;
		enc |= (r & 31) << 7 |
		       (i >> 20 ? field << 15 | (r >> 5 & 31) << 20 : field << 20 | (r >> 5 & 31) << 15);
		if ((enc & 0x1f) != 0x1f && opcodes >> (enc >> 2 & 31) & 1)
			compare(tally, enc, 4);
	}
	for (uint32_t imm = 0; imm < 4096; imm++) { /* without registers */
		compare(tally, imm << 20 | 0x0073, 4);
		compare(tally, imm << 20 | 0x4073, 4);
	}
}

static void operands_of_every_mnemonic_are_those_of_its_text(void **state)
{
	(void)state;
	const struct isa_llvm *llvm = isa_llvm_get();
	if (!llvm || llvm->version != 19)
		skip();
	struct tally tally = {.cairn = cairn_new(NULL)};
	uint64_t s = UINT64_C(0x9e3779b97f4a7c15);
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
		for (int x = 0; x < 2; x++) {
			begin(&tally, x ? CAIRN_ISA_RV64 : CAIRN_ISA_RV32, ways[w].text);
			for (uint32_t enc = 0; enc < 0x10000; enc++)
				if ((enc & 3) != 3)
					compare(&tally, enc, 2);
			if (ways[w].wide)
				compare_wide(&tally, ways[w].wide, &s);
			cairn_disasm_free(tally.disasm);
		}
	cairn_free(tally.cairn);
	print_message("%lu encodings of %lu mnemonics compared, %lu wrong\n", tally.compared,
	              tally.mnemonics, tally.wrong);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.mnemonics > 900);
}

/* ---- what LLVM 19 does not print, and CSRs ---- */

/* "a0 v3 csr17", in the order told. */
static void names(const struct cairn_operand *list, unsigned n, char *out, size_t room)
{
	out[0] = 0;
	for (unsigned i = 0; i < n; i++) {
		char buf[16];
		size_t at = strlen(out);
		snprintf(out + at, room - at, "%s%s", i ? " " : "",
		         cairn_reg_abi_name(CAIRN_ISA_RV64, (enum cairn_reg_class)list[i].cls, list[i].num,
		                            buf));
	}
}

static void operands_that_no_text_tells(void **state)
{
	(void)state;
	enum { RV32 = CAIRN_ISA_RV32, RV64 = CAIRN_ISA_RV64 };
	static const struct {
		unsigned isa;
		uint32_t enc;
		const char *src, *dst;
	} known[] = {
		{RV32, 0x00053503, "a0", "a0 a1"},                            /* ld a0, 0(a0) */
		{RV32, 0x00053003, "a0", ""},                                 /* ld zero, 0(a0) */
		{RV32, 0x00c53023, "a0 a2 a3", ""},                           /* sd a2, 0(a0) */
		{RV32 | CAIRN_ISA_ZCLSD, 0x6108, "a0", "a0 a1"},              /* c.ld a0, 0(a0) */
		{RV32 | CAIRN_ISA_ZCLSD, 0x6502, "sp", "a0 a1"},              /* c.ldsp a0, 0(sp) */
		{RV32 | CAIRN_ISA_ZCLSD, 0xe02a, "sp a0 a1", ""},             /* c.sdsp a0, 0(sp) */
		{RV64, 0x06c5f553, "fa1 fa2", "fa0"},                         /* fadd.q */
		{RV64, 0x00054507, "a0", "fa0"},                              /* flq */
		{RV64, 0xe6150553, "fa0", "a0"},                              /* fmvh.x.q */
		{RV64, 0xb6c58553, "a1 a2", "fa0"},                           /* fmvp.q.x */
		{RV32 | CAIRN_ISA_ZFINX, 0x02c57553, "a0 a1 a2 a3", "a0 a1"}, /* fadd.d */
		{RV32 | CAIRN_ISA_ZFINX, 0x42060553, "a2", "a0 a1"},          /* fcvt.d.s */
		{RV64 | CAIRN_ISA_ZCMP, 0xa002, "jvt", ""},                   /* cm.jt */
		{RV64 | CAIRN_ISA_ZCMP, 0xb8f2, "sp ra s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11", "sp"},
		{RV64 | CAIRN_ISA_ZCMP, 0xbcf2, "sp", "ra s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 sp a0"},
		{RV64, 0x30051573, "a0 mstatus", "mstatus a0"}, /* csrrw */
		{RV64, 0x30002573, "mstatus", "a0"},            /* csrr */
		{RV64, 0x30051073, "a0", "mstatus"},            /* csrw */
		{RV64, 0xce104073, "ra ssp", "ssp"},            /* sspush ra */
		{RV64, 0xcdc0c073, "ra ssp", "ssp"},            /* sspopchk ra */
		{RV64, 0xcdc04573, "ssp", "a0"},                /* ssrdp a0 */
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct cairn_operands operands;
		char src[128], dst[128];
		assert_int_equal(
			cairn_isa_operands((enum cairn_isa)known[i].isa, known[i].enc, 0, &operands), 0);
		names(operands.src, operands.n_src, src, sizeof src);
		names(operands.dst, operands.n_dst, dst, sizeof dst);
		assert_string_equal(src, known[i].src);
		assert_string_equal(dst, known[i].dst);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_of_every_mnemonic_are_those_of_its_text),
		cmocka_unit_test(operands_that_no_text_tells),
	};
	return cmocka_run_group_tests_name("isa_operands", tests, NULL, NULL);
}
