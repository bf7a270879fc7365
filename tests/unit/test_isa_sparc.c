/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9 against LLVM's disassembler, as test_isa.c does for RISC-V: LLVM decides
 * what exists and what it is called, a table of mnemonics here says what each name
 * stands for. Every value of the fixed fields (op, op2, op3, opf, cond) meets operands
 * at random. Where the two disagree on whether an encoding exists, `disputes` must
 * say why; many entries are V8 instructions, which LLVM decodes for V9 too, and
 * reserved fields that it demands zero.
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

#include <dlfcn.h>
#include <fnmatch.h>

#include "isa/isa.h"
#include "isa/sparc.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

/* ---- LLVM ---- */

typedef void *(*create_fn)(const char *, const char *, const char *, void *, int, void *, void *);
typedef size_t (*disasm_fn)(void *, uint8_t *, uint64_t, uint64_t, char *, size_t);
typedef void (*dispose_fn)(void *);

struct llvm {
	void *lib, *dis;
	disasm_fn disasm;
	dispose_fn dispose;
};

static void *symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);
	assert_non_null(p);
	return p;
}

static int llvm_open(void **state)
{
	static const char *const libs[] = {"libLLVM.so.19.1", "libLLVM.so.19", "libLLVM-19.so.1",
	                                   "libLLVM-19.so"};
	static const char *const init[] = {"LLVMInitializeSparcTargetInfo",
	                                   "LLVMInitializeSparcTargetMC",
	                                   "LLVMInitializeSparcDisassembler"};
	static struct llvm llvm;
	for (size_t i = 0; i < sizeof libs / sizeof *libs && !llvm.lib; i++)
		llvm.lib = dlopen(libs[i], RTLD_NOW | RTLD_LOCAL);
	*state = &llvm;
	if (!llvm.lib)
		return 0;
	for (size_t i = 0; i < 3; i++) {
		void (*f)(void);
		*(void **)&f = symbol(llvm.lib, init[i]);
		f();
	}
	create_fn create;
	*(void **)&create = symbol(llvm.lib, "LLVMCreateDisasmCPUFeatures");
	*(void **)&llvm.disasm = symbol(llvm.lib, "LLVMDisasmInstruction");
	*(void **)&llvm.dispose = symbol(llvm.lib, "LLVMDisasmDispose");
	llvm.dis =
		create("sparcv9-unknown-linux-gnu", "",
	           "+v9,+vis,+vis2,+vis3,+popc,+hard-quad-float,+deprecated-v8", NULL, 0, NULL, NULL);
	assert_non_null(llvm.dis);
	return 0;
}

static int llvm_close(void **state)
{
	struct llvm *llvm = *state;
	if (llvm->dis)
		llvm->dispose(llvm->dis);
	return 0;
}

static bool llvm_text(const struct llvm *llvm, uint32_t enc, char *text, size_t room)
{
	uint8_t b[4] = {(uint8_t)(enc >> 24), (uint8_t)(enc >> 16), (uint8_t)(enc >> 8), (uint8_t)enc};
	return llvm->disasm(llvm->dis, b, 4, 0x10000, text, room) == 4;
}

/* ---- what a mnemonic stands for ---- */

enum extra { NONE, DISP, OR, JMPL, TRAP, ASI, LDMEM, WRITE };

struct meaning {
	const char *names; /* patterns separated by spaces */
	uint8_t cls;
	uint32_t traits;
	uint8_t mem, extra;
};

#define RMW (T(ATOMIC) | T(LOAD) | T(STORE))
#define BR (T(BRANCH) | T(DELAY_SLOT))
#define IND (BR | T(INDIRECT))

/* The first pattern that fits counts. */
static const struct meaning meanings[] = {
	{"nop", C(NOP), 0, 0, NONE},
	{"sethi mov", C(INT), T(MOVE), 0, NONE},
	{"or", C(INT), 0, 0, OR},
	{"add addcc addx addxcc addxc addxccc sub subcc subx subxcc and andcc andn andncc orcc orn "
     "orncc xor xorcc xnor xnorcc sll srl sra sllx srlx srax cmp tst taddcc tsubcc taddcctv "
     "tsubcctv save restore addc subc btst",
     C(INT), 0, 0, NONE},
	{"mulx umul* smul* mulscc xmul*", C(MUL), T(MUL), 0, NONE},
	{"sdivx udivx udiv udivcc sdiv sdivcc", C(DIV), T(DIV), 0, NONE},
	{"popc lzcnt", C(INT), T(BITMANIP), 0, NONE},
	{"movstosw movstouw movdtox movwtos movxtod", C(FP), T(FP) | T(MOVE), 0, NONE},
	{"mov*", C(INT), 0, 0, NONE}, /* on condition */
	{"call", C(CALL), BR | T(CALL), 0, DISP},
	{"jmp* ret retl", C(JUMP), IND, 0, JMPL},
	{"rett return", C(RETURN), IND | T(RETURN), 0, NONE},
	{"bmask bshuffle", C(VECTOR), T(VECTOR), 0, NONE},
	{"ba ba,* fba fba,* b b,* fb fb,*", C(JUMP), BR, 0, DISP},
	{"b* fb*", C(BRANCH), BR | T(CONDITIONAL), 0, DISP},
	{"tn", C(NOP), 0, 0, NONE},
	{"ta", C(SYSTEM), T(SYSCALL), 0, TRAP},
	{"t?* ", C(SYSTEM), 0, 0, NONE},
	{"membar stbar flush", C(FENCE), T(FENCE), 0, NONE},
	{"rdpr wrpr", C(CSR), T(CSR) | T(PRIVILEGED), 0, NONE},
	{"rd", C(CSR), T(CSR), 0, NONE},
	{"wr", C(CSR), T(CSR), 0, WRITE},
	{"sir saved restored", C(SYSTEM), T(PRIVILEGED), 0, NONE},
	{"flushw", C(SYSTEM), 0, 0, NONE},
	{"done retry", C(SYSTEM), T(XRET) | T(PRIVILEGED), 0, NONE},
	{"shutdown", C(SYSTEM), T(PRIVILEGED), 0, NONE},
	{"ldstub*", C(ATOMIC), RMW, 1, NONE},
	{"swap* casa cas casl", C(ATOMIC), RMW, 4, NONE},
	{"casxa casx casxl", C(ATOMIC), RMW, 8, NONE},
	{"prefetch*", C(CACHE), T(CACHE) | T(PREFETCH) | T(HINT), 0, NONE},
	{"ldub* ldsb*", C(LOAD), T(LOAD), 1, NONE},
	{"lduh* ldsh*", C(LOAD), T(LOAD), 2, NONE},
	{"ldsw*", C(LOAD), T(LOAD), 4, NONE},
	{"ldx ldxa", C(LOAD), T(LOAD), 8, LDMEM},
	{"ldq ldqa", C(LOAD), T(LOAD), 16, LDMEM},
	{"ldd", C(LOAD), T(LOAD), 8, LDMEM},
	{"ldda", C(LOAD), T(LOAD), 8, ASI},
	{"ld lda", C(LOAD), T(LOAD), 4, LDMEM},
	{"stb stba", C(STORE), T(STORE), 1, NONE},
	{"sth stha", C(STORE), T(STORE), 2, NONE},
	{"stx stxa", C(STORE), T(STORE), 8, LDMEM},
	{"stq stqa", C(STORE), T(STORE), 16, LDMEM},
	{"std", C(STORE), T(STORE), 8, LDMEM},
	{"stda", C(STORE), T(STORE), 8, ASI},
	{"st sta", C(STORE), T(STORE), 4, LDMEM},
	{"fmovs fmovd fmovq", C(FP), T(FP) | T(MOVE), 0, NONE},
	{"fmul8* fmuld8*", C(VECTOR), T(VECTOR), 0, NONE},
	{"fmuls fmuld fmulq fsmuld fdmulq", C(FP), T(FP) | T(MUL), 0, NONE},
	{"fdiv? fsqrt?", C(FPDIV), T(FP) | T(DIV), 0, NONE},
	{"fadd? fsub? fcmp? fcmpe? fmov* fneg? fabs? f?to? siam fnadd? fhadd? fhsub? fnhadd[sd] "
     "flcmp?",
     C(FP), T(FP), 0, NONE},
	{"edge* array* align* f*", C(VECTOR), T(VECTOR), 0, NONE},
	{"pdist* cmask*", C(VECTOR), T(VECTOR), 0, NONE},
};

static const struct meaning *meaning_of(const char *word)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
		char names[600], *save = NULL;
		(void)snprintf(names, sizeof names, "%s", meanings[i].names);
		for (char *n = strtok_r(names, " ", &save); n; n = strtok_r(NULL, " ", &save))
			if (fnmatch(n, word, 0) == 0)
				return &meanings[i];
	}
	return NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

/* Does it name a floating-point register? %fp is none. */
static bool is_fp(const char *operands)
{
	for (const char *p = operands; (p = strstr(p, "%f")); p += 2)
		if (p[2] != 'p')
			return true;
	return false;
}

/* Block and short floating-point transfers, by the ASI after the address. */
static void expect_asi(struct cairn_op *want, const char *operands, bool load)
{
	const char *close = strchr(operands, ']');
	bool fp = is_fp(operands);
	unsigned asi;
	want->traits |= fp ? T(FP) : 0;
	if (!close || sscanf(close + 1, " %u", &asi) != 1) {
		return;
	}
	if (!fp) {
		switch (asi) {
		case 0x22:
		case 0x23:
		case 0x24:
		case 0x26:
		case 0x27:
		case 0x2a:
		case 0x2b:
		case 0x2c:
		case 0x2e:
		case 0x2f:
			want->mem_size = load ? 16 : 8;
			break;
		default:
			break;
		}
		return;
	}
	switch (asi) {
	case 0x16:
	case 0x17:
	case 0x1e:
	case 0x1f:
	case 0x70:
	case 0x71:
	case 0x78:
	case 0x79:
	case 0xe0:
	case 0xe1:
	case 0xf0:
	case 0xf1:
	case 0xf8:
	case 0xf9:
		want->mem_size = 64;
		break;
	case 0xd0:
	case 0xd1:
	case 0xd8:
	case 0xd9:
		want->mem_size = 1;
		break;
	case 0xd2:
	case 0xd3:
	case 0xda:
	case 0xdb:
		want->mem_size = 2;
		break;
	default:
		break;
	}
}

static void expect_jmpl(struct cairn_op *want, const char *word, const char *operands)
{
	if (!strcmp(word, "ret") || !strcmp(word, "retl") ||
	    (!strcmp(word, "jmp") && (!strcmp(operands, "%i7+12") || !strcmp(operands, "%o7+12")))) {
		want->cls = C(RETURN);
		want->traits |= T(RETURN);
	} else if (ends_with(operands, ", %o7")) {
		want->cls = C(CALL);
		want->traits |= T(CALL);
	}
}

/* LLVM prints a call's distance in bytes, and a branch's in words without its sign. */
static int64_t displacement(uint32_t enc, int64_t printed)
{
	static const uint8_t bits[8] = {0, 19, 22, 16, 0, 19, 22, 22};
	if (enc >> 30 == 1)
		return printed;
	unsigned n = bits[enc >> 22 & 7];
	int64_t half = (int64_t)1 << (n - 1);
	return 4 * (((printed & (2 * half - 1)) ^ half) - half);
}

static void expect_operands(struct cairn_op *want, const struct meaning *meaning, const char *word,
                            const char *operands)
{
	const char *last = strrchr(operands, ' ');
	last = last ? last + 1 : operands;
	switch (meaning->extra) {
	case DISP:
		/* LLVM prints words; "call %g1+8" is a jmpl. */
		if (strchr(last, '%') || (*word == 'c' && !(want->enc >> 30 == 1))) {
			want->traits |= T(INDIRECT);
			break;
		}
		want->offset = displacement(want->enc, strtoll(last, NULL, 10));
		break;
	case OR:
		if (strstr(operands, ", %g0, ") || strstr(operands, ", 0, ") ||
		    !strncmp(operands, "%g0,", 4))
			want->traits |= T(MOVE);
		break;
	case JMPL:
		expect_jmpl(want, word, operands);
		break;
	case TRAP:
		if (ends_with(operands, " 1") && !strchr(operands, '+'))
			want->traits = T(BREAKPOINT);
		break;
	case ASI:
		expect_asi(want, operands, meaning->cls == C(LOAD));
		break;
	case LDMEM:
		if (is_fp(operands))
			want->traits |= T(FP);
		break;
	default:
		break;
	}
}

static bool expect(uint32_t enc, char *text, struct cairn_op *want)
{
	char *word = text + strspn(text, "\t ");
	char *operands = word + strcspn(word, "\t ");
	if (*operands)
		*operands++ = 0;
	operands += strspn(operands, "\t ");
	const struct meaning *meaning = meaning_of(word);
	if (!meaning)
		return false;
	*want = (struct cairn_op){.enc = enc,
	                          .size = 4,
	                          .cls = meaning->cls,
	                          .isa = CAIRN_ISA_SPARC,
	                          .traits = meaning->traits,
	                          .mem_size = meaning->mem};
	expect_operands(want, meaning, word, operands);
	want->mem_count = want->mem_size != 0;
	return true;
}

/* ---- known disagreements about existence ---- */

struct dispute {
	uint32_t mask, match;
	bool ours; /* we say it exists, LLVM does not */
	const char *why;
};
#define OP3(op, op3) ((uint32_t)(op) << 30 | (uint32_t)(op3) << 19)
#define M3 UINT32_C(0xc1f80000)
#define OPF(opf) ((uint32_t)(opf) << 5)
#define MF (M3 | OPF(511))

static const struct dispute disputes[] = {
	{0xc1c00000, 0x00000000, false, "illtrap is defined as illegal"},
	{0xc1c00000, 0x01c00000, false, "branches on coprocessor conditions are V8"},
	{0xc7c00000, 0x00c00000, false, "bpr: rcond 0 and 4 are reserved"},
	{M3, OP3(2, 0x28), true, "rd %asr: LLVM 19 knows no ancillary state but %y and a few"},
	{M3, OP3(2, 0x29), true, "rdhpr is UltraSPARC 2005"},
	{M3, OP3(2, 0x2a), true, "rdpr: LLVM 19 knows some registers only"},
	{M3, OP3(2, 0x2a), false, "rd %wim is V8"},
	{M3, OP3(2, 0x2b), true, "flushw: LLVM 19 wants its unused fields zero"},
	{M3, OP3(2, 0x31), true, "the window instructions of UltraSPARC 2005"},
	{M3, OP3(2, 0x31), false, "wr %psr is V8"},
	{M3, OP3(2, 0x32), true, "wrpr: LLVM 19 knows some registers only"},
	{M3, OP3(2, 0x32), false, "wr %wim is V8"},
	{M3, OP3(2, 0x33), true, "wrhpr is UltraSPARC 2005"},
	{M3, OP3(2, 0x33), false, "wr %tbr is V8"},
	{M3 | 0x2000, OP3(2, 0x2e) | 0x2000, true, "popc of an immediate is not in LLVM"},
	{M3, OP3(2, 0x2f), false, "movr: rcond 0 and 4 are reserved"},
	{M3 | OPF(31), OP3(2, 0x35) | OPF(5), false, "fmovr: likewise"},
	{M3 | OPF(31), OP3(2, 0x35) | OPF(6), false, "fmovr: likewise"},
	{M3 | OPF(31), OP3(2, 0x35) | OPF(7), false, "fmovr: likewise"},
	{MF, OP3(2, 0x34) | OPF(0x59), false, "LLVM calls fnmuls fnhadds"},
	{MF, OP3(2, 0x34) | OPF(0x5a), false, "and fnmuld fnhaddd"},
	{MF, OP3(2, 0x34) | OPF(0x79), false, "and fnsmuld fnhadds"},
	{MF, OP3(2, 0x36) | OPF(0x1c), false, "bshuffle is 0x4c"},
	{MF, OP3(2, 0x36) | OPF(0x4c), true, "bshuffle is 0x4c"},
	{MF, OP3(2, 0x36) | OPF(0x117), false, "xmulxhi is 0x116"},
	{MF, OP3(2, 0x36) | OPF(0x116), true, "xmulxhi is 0x116"},
	{MF, OP3(2, 0x36) | OPF(0x46), true, "fpsub64 (VIS 3) is not in LLVM 19"},
	{M3 | OPF(0x1f8), OP3(2, 0x36) | OPF(0x58), true, "saturating sums (VIS 3) are not"},
	{M3 | OPF(0x1f5), OP3(2, 0x36) | OPF(0x120), true, "nor comparisons of unsigned bytes"},
	{M3, OP3(2, 0x37), true, "nor are fused products"},
	{M3, OP3(2, 0x3e), false, "umac is V8"},
	{M3, OP3(2, 0x3f), false, "smac is V8"},
	{M3, OP3(3, 0x31), false, "ld %csr is V8"},
	{M3, OP3(3, 0x35), false, "st %csr is V8"},
};
enum { N_DISPUTES = sizeof disputes / sizeof *disputes };

struct tally {
	const struct llvm *llvm;
	unsigned long compared, legal, wrong, used[N_DISPUTES];
	char words[512][16]; /* mnemonics seen */
	unsigned n_words;
};

static bool disputed(struct tally *tally, uint32_t enc, bool ours)
{
	for (size_t i = 0; i < N_DISPUTES; i++)
		if (disputes[i].ours == ours && (enc & disputes[i].mask) == disputes[i].match) {
			tally->used[i]++;
			return true;
		}
	return false;
}

static void complain(struct tally *tally, const struct cairn_op *got, const struct cairn_op *want,
                     const char *text)
{
	if (tally->wrong++ >= 40)
		return;
	char line[400];
	int n = snprintf(line, sizeof line, "%08x %-24s: %s %08x mem %u to %ld", got->enc, text,
	                 cairn_class_name((enum cairn_class)got->cls), got->traits, got->mem_size,
	                 (long)got->offset);
	if (want && n > 0 && (size_t)n < sizeof line)
		(void)snprintf(line + n, sizeof line - (size_t)n, ", not %s %08x mem %u to %ld",
		               cairn_class_name((enum cairn_class)want->cls), want->traits, want->mem_size,
		               (long)want->offset);
	print_error("%s\n", line);
}

/* Has a field that the manual reserves bits set? Machines ignore them, and so do we;
 * LLVM does not. */
static bool reserved_set(uint32_t encoding)
{
	unsigned op3 = encoding >> 19 & 63, opf = encoding >> 5 & 511;
	bool imm = encoding >> 13 & 1, plain = op3 != 0x34 && op3 != 0x35 && op3 != 0x36 && op3 != 0x37;
	/* Quad registers have numbers divisible by four. */
	bool quad = (opf & 3) == 3 || opf == 0x6e || opf == 0x8c || (opf >= 0xcc && opf <= 0xce);
	if (encoding >> 30 == 3 && (op3 == 0x3c || op3 == 0x3e) && imm)
		return encoding & 0x1fe0;
	if (encoding >> 30 == 3) /* the ASI forms use these bits */
		return !imm && !(op3 >= 0x10 && op3 <= 0x1f) && op3 < 0x30 && (encoding & 0x1fe0);
	if (encoding >> 30 != 2)
		return false;
	if (op3 == 0x28)
		return encoding >> 14 & 31 ? !imm || (encoding & 0x1f80) : encoding & 0x3fff;
	if (op3 == 0x2e && encoding >> 14 & 31)
		return true;
	if ((op3 == 0x39 || op3 == 0x3b) && encoding >> 25 & 31)
		return true;
	if ((op3 == 0x34 || op3 == 0x35) && quad && (encoding & (2u << 25 | 2u << 14 | 2u)))
		return true;
	if (op3 == 0x3a)
		return encoding & (imm ? 0x780 : 0x7e0);
	if (op3 == 0x35 && opf >= 0x51 && opf <= 0x57)
		return encoding >> 27 & 7;
	if (op3 == 0x34 && ((opf < 0x40 && opf & 3) || opf >= 0x80))
		return encoding >> 14 & 31;
	if (op3 == 0x36) {
		switch (opf) {
		case 0x17:
		case 0x3b:
		case 0x3d:
		case 0x4d:
		case 0x66:
		case 0x67:
		case 0x78:
		case 0x79:
		case 0x110:
		case 0x111:
		case 0x113:
		case 0x118:
		case 0x119:
			return encoding >> 14 & 31;
		case 0x60:
		case 0x61:
		case 0x7e:
		case 0x7f:
			return encoding >> 14 & 31 || encoding & 31;
		case 0x6a:
		case 0x6b:
		case 0x74:
		case 0x75:
			return encoding & 31;
		case 0x1b:
		case 0x1d:
		case 0x1f:
			return encoding >> 25 & 31 || encoding >> 14 & 31;
		case 0x80:
			return encoding >> 14 & 31 || encoding >> 25 & 31 || encoding & 31;
		case 0x81:
			return encoding >> 14 & 31 || encoding >> 25 & 31 || encoding & 24;
		case 0x151:
		case 0x152:
			return encoding >> 27 & 7;
		default:
			return false;
		}
	}
	if (op3 >= 0x25 && op3 <= 0x27)
		return imm ? encoding & 0xfe0 & (encoding & 0x1000 ? 0xfc0 : 0xfe0) : encoding & 0xfe0;
	if (op3 == 0x2c)
		return !imm && encoding & 0x7e0;
	if (op3 == 0x2f)
		return !imm && encoding & 0x3e0;
	return plain && !imm && encoding & 0x1fe0;
}

static void compare(struct tally *tally, uint32_t enc)
{
	if (reserved_set(enc))
		return;
	char text[200], shown[200];
	struct cairn_op got, want;
	bool theirs = llvm_text(tally->llvm, enc, text, sizeof text);
	cairn_isa_decode(CAIRN_ISA_SPARC, enc, 4, &got);
	bool ours = got.cls != C(ILLEGAL);
	tally->compared++;
	tally->legal += ours;
	if (ours != theirs) {
		if (!disputed(tally, enc, ours))
			complain(tally, &got, NULL, theirs ? text : "(LLVM: none)");
		return;
	}
	if (!ours || disputed(tally, enc, false))
		return;
	(void)snprintf(shown, sizeof shown, "%s", text);
	if (!expect(enc, text, &want))
		complain(tally, &got, NULL, shown);
	else if (memcmp(&got, &want, sizeof got) != 0)
		complain(tally, &got, &want, shown);
}

static uint64_t random64(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Half of the time a register that means something special somewhere. */
static uint32_t some_register(uint64_t *s)
{
	static const uint8_t special[] = {0, 0, 0, 1, 2, 15, 31, 14};
	uint32_t r = (uint32_t)(random64(s) >> 20);
	return r & 1 ? special[r >> 1 & 7] : r >> 1 & 31;
}

/* Encodings of every mnemonic. */
static void walk(struct tally *tally, uint64_t *s, void (*each)(struct tally *, uint32_t))
{
	/* Format 2: all of op2, a, cond and the bits below; format 1. */
	for (uint32_t i = 0; i < 1u << 14; i++)
		for (int k = 0; k < 16; k++)
			each(tally, i << 19 >> 2 | (uint32_t)(random64(s) >> 40 & 0x7ffff) >> (k & 1) * 12);
	for (int i = 0; i < 10000; i++)
		each(tally, 1u << 30 | (uint32_t)(random64(s) >> 20 & 0x3fffffff));
	/* Format 3: all of op, op3, i and opf (or imm_asi), registers at random. */
	for (uint32_t i = 0; i < 1u << 17; i++)
		for (int k = 0; k < 24; k++) {
			uint32_t e = 1u << 31 | (i >> 16) << 30 | (i >> 10 & 63) << 19 | (i & 1) << 13;
			e |= (i >> 1 & 511) << 5 & 0x1fe0;
			e |= some_register(s) << 25 | some_register(s) << 14 | some_register(s);
			each(tally, e | (k & 1) * (i & 512 ? 0x2000u : 0));
		}
	/* All of opf where it says what to do. */
	for (uint32_t op3 = 0x34; op3 < 0x38; op3++)
		for (uint32_t opf = 0; opf < 512; opf++)
			for (int k = 0; k < 64; k++)
				each(tally, OP3(2, op3) | OPF(opf) | some_register(s) << 25 |
				                some_register(s) << 14 | some_register(s));
}

static void many_encodings_agree_with_llvm(void **state)
{
	struct tally tally = {.llvm = *state};
	if (!tally.llvm->lib)
		skip();
	uint64_t s = UINT64_C(0x2545f4914f6cdd1d);
	walk(&tally, &s, compare);
	print_message("%lu encodings compared, %lu exist, %lu wrong\n", tally.compared, tally.legal,
	              tally.wrong);
	for (size_t i = 0; i < N_DISPUTES; i++)
		if (!tally.used[i]) {
			print_error("no longer disputed: %s\n", disputes[i].why);
			tally.wrong++;
		}
	assert_int_equal(tally.wrong, 0);
}

/* ---- operands, against the registers LLVM prints ---- */

/* A set of registers: general ones, then floating-point ones by their printed numbers. */
struct regs {
	bool in[32 + 64];
};

/* The register at `%`, -1 when it is neither general nor floating point, 0 for %g0. */
static int printed(const char *p)
{
	static const char banks[] = "goli";
	const char *bank = strchr(banks, p[1]);
	if (!strncmp(p, "%sp", 3))
		return 14;
	if (!strncmp(p, "%fp", 3))
		return p[3] == 'r' ? -1 : 30; /* %fprs */
	if (p[1] == 'f' && p[2] >= '0' && p[2] <= '9')
		return 32 + atoi(p + 2);
	return p[1] && bank && p[2] >= '0' && p[2] <= '7' && (p[3] < '0' || p[3] > '9')
	           ? 8 * (int)(bank - banks) + p[2] - '0'
	           : -1;
}

static int number_of(const struct cairn_operand *operand)
{
	if (operand->cls == CAIRN_REG_INT)
		return operand->num;
	if (operand->cls != CAIRN_REG_FP)
		return -1;
	return 32 + (operand->num < 32   ? operand->num
	             : operand->num < 64 ? 2 * (operand->num - 32)
	                                 : operand->num - 64);
}

static void collect(const struct cairn_operand *operand, unsigned n, struct regs *set)
{
	for (unsigned k = 0; k < n; k++)
		if (number_of(&operand[k]) > 0)
			set->in[number_of(&operand[k])] = true;
}

/* What stands in an encoding without being printed. */
static void unprinted(const char *word, struct regs *read, struct regs *written)
{
	if (!strcmp(word, "call"))
		written->in[15] = false;
	if (!strcmp(word, "ret"))
		read->in[31] = false;
	if (!strcmp(word, "retl"))
		read->in[15] = false;
}

/* The last one printed is written, unless it is compared, stored to or is read only. */
static bool last_is_written(uint32_t encoding, const char *word)
{
	unsigned op3 = encoding >> 19 & 63;
	static const char *const read_only[] = {"cmp", "tst",    "btst",         "fcmp*",  "flcmp*",
	                                        "st*", "jmp",    "call",         "return", "rett",
	                                        "wr*", "t[a-z]", "t[a-z][a-z]*", "flush",  "prefetch*",
	                                        "b*",  "cmask*", "ret",          "fb*",    "siam"};
	if (encoding >> 30 == 2 && op3 >= 0x20 && op3 < 0x24)
		return true; /* taddcc */
	if (encoding >> 30 == 2 && op3 == 0x36)
		return fnmatch("cmask*", word, 0) && fnmatch("flcmp*", word, 0) &&
		       strcmp(word, "siam") != 0;
	for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
		if (fnmatch(read_only[i], word, 0) == 0)
			return false;
	return true;
}

/* Reads what it writes, or, of a pair, the register behind the one printed. */
static void implied(uint32_t encoding, struct regs *read, struct regs *written, int last)
{
	unsigned op = encoding >> 30, op3 = encoding >> 19 & 63;
	bool move = op == 2 && (op3 == 0x2c || op3 == 0x2f || op3 == 0x35);
	bool swap = op == 3 && ((op3 & 0x2f) == 0x0f || op3 == 0x3c || op3 == 0x3e);
	bool pdist = op == 2 && op3 == 0x36 && (encoding >> 5 & 511) == 0x3e;
	if (last > 0 && (move || swap || pdist))
		read->in[last] = true;
	if (op != 3 || op3 >= 0x20 || ((op3 & 15) != 3 && (op3 & 15) != 7))
		return;
	struct regs *to = op3 & 4 ? read : written;
	to->in[(encoding >> 25 & 31) + 1] = true;
}

static bool same_registers(const struct tally *tally, uint32_t encoding, char *line, size_t room)
{
	char text[200];
	struct cairn_operands o;
	struct regs read = {{0}}, written = {{0}}, our_read = {{0}}, our_written = {{0}};
	if (!llvm_text(tally->llvm, encoding, text, sizeof text) ||
	    cairn_isa_operands(CAIRN_ISA_SPARC, encoding, 4, &o) < 0)
		return true;
	(void)snprintf(line, room, "%s", text);
	char *word = text + strspn(text, "\t "), *operands = word + strcspn(word, "\t ");
	if (*operands)
		*operands++ = 0;
	int last = 0;
	const char *p = strrchr(operands, '%');
	if (p && last_is_written(encoding, word) && !strpbrk(p, ",])+"))
		last = printed(p);
	for (const char *q = operands; (q = strchr(q, '%')); q++)
		if (printed(q) > 0 && !(q == p && last > 0))
			read.in[printed(q)] = true;
	if (last > 0)
		written.in[last] = true;
	implied(encoding, &read, &written, last);
	collect(o.src, o.n_src, &our_read);
	collect(o.dst, o.n_dst, &our_written);
	unprinted(word, &our_read, &our_written);
	return !memcmp(&read, &our_read, sizeof read) && !memcmp(&written, &our_written, sizeof read);
}

/* A mnemonic, without what is appended to it after a comma, seen for the first time? */
static void see(struct tally *tally, const char *line)
{
	const char *word = line + strspn(line, "\t ");
	size_t n = strcspn(word, "\t ,");
	unsigned i = 0;
	assert_true(n < sizeof tally->words[0]);
	while (i < tally->n_words && (strncmp(tally->words[i], word, n) != 0 || tally->words[i][n]))
		i++;
	if (i < tally->n_words)
		return;
	assert_true(i < sizeof tally->words / sizeof *tally->words);
	memcpy(tally->words[i], word, n);
	tally->n_words++;
}

static void compare_registers(struct tally *tally, uint32_t encoding)
{
	char line[200] = "";
	unsigned op3 = encoding >> 19 & 63, opf = encoding >> 5 & 511;
	/* Of these LLVM prints single registers as if they were double: alike if even, below 32. */
	if (encoding >> 30 == 2 && (op3 == 0x36 || (op3 == 0x34 && opf >= 0x51 && opf < 0x80)))
		encoding &= ~(1u << 25 | 1u << 14 | 1u);
	if (encoding >> 30 == 2 && op3 == 0x36 && opf == 0x3f)
		return; /* pdistn: the sum goes to a general register, not so in LLVM 19 */
	if (reserved_set(encoding) || disputed(tally, encoding, true) ||
	    disputed(tally, encoding, false))
		return;
	tally->compared++;
	bool same = same_registers(tally, encoding, line, sizeof line);
	if (*line)
		see(tally, line);
	if (!same && tally->wrong++ < 20) {
		struct cairn_operands operands;
		cairn_isa_operands(CAIRN_ISA_SPARC, encoding, 4, &operands);
		print_error("%08x %s: %u read, %u written\n", encoding, line, operands.n_src,
		            operands.n_dst);
	}
}

static void operands_are_the_registers_llvm_prints(void **state)
{
	struct tally tally = {.llvm = *state};
	uint64_t s = UINT64_C(0x9e3779b97f4a7c15);
	if (!tally.llvm->lib)
		skip();
	walk(&tally, &s, compare_registers);
	print_message("%lu encodings of %u mnemonics compared\n", tally.compared, tally.n_words);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.n_words >= 395);
}

/* What is implied, and of which window: the manual says, LLVM does not print it. */
static void operands_are_the_manuals(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		const char *text;
	} known[] = {{0x9e100001, "g1 -> o7"},
	             {0x02800002, "ccr ->"},
	             {0x10800002, "->"},
	             {0x40000004, "-> o7"},
	             {0x80a26005, "o1 -> ccr"},
	             {0x9de3bfa0, "o6 -> o6"},
	             {0x91e80001, "g1 -> o0"},
	             {0x82580002, "g2 -> g1 y"},
	             {0x82700002, "g2 y -> g1"},
	             {0x82400002, "g2 ccr -> g1"},
	             {0xc4180000, "-> g2 g3"},
	             {0x81a84044, "fcc d4 d0 -> d0"},
	             {0x81a80a44, "d0 d4 -> fcc"},
	             {0x85a00044, "d4 -> d2"},
	             {0x9f802001, "->"},
	             {0x9f806001, "g1 -> asr"},
	             {0xc3e04002, "g1 g2 g1 -> g1"},
	             {0x81d02001, "->"},
	             {0x01000000, "->"}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct cairn_operands operands;
		char text[100] = "", buf[16];
		cairn_isa_operands(CAIRN_ISA_SPARC, known[i].enc, 4, &operands);
		for (unsigned k = 0; k < operands.n_src + operands.n_dst; k++) {
			const struct cairn_operand *operand =
				k < operands.n_src ? &operands.src[k] : &operands.dst[k - operands.n_src];
			sprintf(text + strlen(text), "%s%s ", k == operands.n_src ? "-> " : "",
			        cairn_reg_name(CAIRN_ISA_SPARC, operand->cls, operand->num, buf));
		}
		if (!operands.n_dst)
			strcat(text, "-> ");
		text[strlen(text) - 1] = 0;
		if (strcmp(text, known[i].text) != 0)
			fail_msg("%08x: '%s', not '%s'", known[i].enc, text, known[i].text);
	}
}

/* ---- what needs no LLVM ---- */

static void calls_and_returns_follow_the_convention(void **state)
{
	static const struct {
		uint32_t enc;
		uint8_t cls, flow;
		bool annuls_taken, annuls_untaken;
		int64_t offset;
	} cases[] = {
		{0x40000004, C(CALL), ISA_SPARC_CALL, false, false, 16},
		{0x9fc04000, C(CALL), ISA_SPARC_JMPL, false, false, 0},   /* call %g1 */
		{0x81c7e008, C(RETURN), ISA_SPARC_JMPL, false, false, 0}, /* ret */
		{0x81c3e008, C(RETURN), ISA_SPARC_JMPL, false, false, 0}, /* retl */
		{0x81c7e00c, C(RETURN), ISA_SPARC_JMPL, false, false, 0}, /* with a struct */
		{0x81c04000, C(JUMP), ISA_SPARC_JMPL, false, false, 0},   /* jmp %g1 */
		{0x81cfe008, C(RETURN), ISA_SPARC_RETURN, false, false, 0},
		{0x10bffffe, C(JUMP), ISA_SPARC_ALWAYS, false, false, -8}, /* ba */
		{0x30800002, C(JUMP), ISA_SPARC_ALWAYS, true, true, 8},    /* ba,a */
		{0x20800002, C(BRANCH), ISA_SPARC_NEVER, true, true, 8},   /* bn,a */
		{0x02800002, C(BRANCH), ISA_SPARC_COND, false, false, 8},  /* be */
		{0x22800002, C(BRANCH), ISA_SPARC_COND, false, true, 8},   /* be,a */
		{0x22c84002, C(BRANCH), ISA_SPARC_COND, false, true, 8},   /* brz,a %g1 */
		{0x32d87ffe, C(ILLEGAL), ISA_SPARC_NONE, false, false, 0},
		{0x81f00000, C(SYSTEM), ISA_SPARC_DONE, false, false, 0},
		{0x83f00000, C(SYSTEM), ISA_SPARC_RETRY, false, false, 0},
		{0x91d0206d, C(SYSTEM), ISA_SPARC_TCC, false, false, 0}, /* ta 0x6d */
		{0x01000000, C(NOP), ISA_SPARC_NONE, false, false, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cairn_op op;
		uint32_t e = cases[i].enc;
		enum isa_sparc_flow f = isa_sparc_flow(e);
		cairn_isa_decode(CAIRN_ISA_SPARC, e, 0, &op);
		assert_int_equal(op.cls, cases[i].cls);
		assert_int_equal(f, cases[i].flow);
		assert_int_equal(isa_sparc_annuls(e, f, true), cases[i].annuls_taken);
		assert_int_equal(isa_sparc_annuls(e, f, false), cases[i].annuls_untaken);
		assert_int_equal(op.offset, cases[i].offset);
		assert_int_equal((op.traits & T(DELAY_SLOT)) != 0, isa_sparc_is_dcti(f));
	}
}

static void a_key_that_decides_says_what_decoding_says(void **state)
{
	(void)state;
	uint64_t s = 88172645463325252;
	unsigned decided = 0;
	for (int i = 0; i < 4000000; i++) {
		uint32_t e = (uint32_t)(random64(&s) >> 16);
		if (i & 1)
			e &= (uint32_t)(random64(&s) >> 16) | 0xc1f80000u;
		unsigned key = isa_sparc_key(e);
		uint32_t example = isa_sparc_example(key);
		struct cairn_op left, right;
		assert_true(key < 256);
		if (!example && key != ISA_SPARC_K_ILLEGAL)
			continue;
		decided++;
		assert_int_equal(isa_sparc_key(example), key);
		cairn_isa_decode(CAIRN_ISA_SPARC, e, 4, &left);
		cairn_isa_decode(CAIRN_ISA_SPARC, example, 4, &right);
		assert_int_equal(left.cls, right.cls);
		assert_int_equal(left.traits, right.traits);
		assert_int_equal(left.mem_size, right.mem_size);
	}
	assert_true(decided > 2000000);
}

static void every_name_is_found_again(void **state)
{
	(void)state;
	unsigned names = 0;
	for (unsigned cls = CAIRN_REG_INT; cls <= CAIRN_REG_FLAGS; cls++)
		for (unsigned num = 0; num < 1024; num++) {
			char buf[16], quoted[20];
			enum cairn_reg_class c;
			unsigned n;
			const char *s = isa_sparc_reg_name(cls, num, buf);
			if (!s)
				continue;
			names++;
			(void)snprintf(quoted, sizeof quoted, "%%%s", s);
			if (!strcmp(s, "tick") && num != 4)
				continue; /* both rd and rdpr read it */
			assert_int_equal(cairn_reg_find(CAIRN_ISA_SPARC, s, strlen(s), &c, &n), 0);
			assert_int_equal(c, cls);
			assert_int_equal(n, num);
			assert_int_equal(cairn_reg_find(CAIRN_ISA_SPARC, quoted, strlen(quoted), &c, &n), 0);
			assert_int_equal(n, num);
		}
	assert_int_equal(names, 32 + 256 + 96 + 18 + 32 + 9 + 256 + 2);
	char buf[16];
	assert_string_equal(cairn_reg_name(CAIRN_ISA_SPARC, CAIRN_REG_INT, 14, buf), "o6");
	assert_string_equal(cairn_reg_abi_name(CAIRN_ISA_SPARC, CAIRN_REG_INT, 14, buf), "sp");
	assert_string_equal(cairn_reg_name(CAIRN_ISA_SPARC, CAIRN_REG_INT, 256 + 3 * 32 + 21, buf),
	                    "w3.l5");
	assert_string_equal(cairn_reg_name(CAIRN_ISA_SPARC, CAIRN_REG_INT, 256 + 3 * 32 + 1, buf),
	                    "ag1");
	assert_string_equal(cairn_reg_name(CAIRN_ISA_SPARC, CAIRN_REG_FP, 33, buf), "d2");
	assert_string_equal(cairn_reg_name(CAIRN_ISA_SPARC, CAIRN_REG_CSR, 73, buf), "tnpc.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_and_returns_follow_the_convention),
		cmocka_unit_test(a_key_that_decides_says_what_decoding_says),
		cmocka_unit_test(every_name_is_found_again),
		cmocka_unit_test(many_encodings_agree_with_llvm),
		cmocka_unit_test(operands_are_the_registers_llvm_prints),
		cmocka_unit_test(operands_are_the_manuals),
	};
	return cmocka_run_group_tests(tests, llvm_open, llvm_close);
}
