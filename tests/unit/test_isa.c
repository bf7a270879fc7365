/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The isa room against LLVM's disassembler, and its own small promises.
 *
 * LLVM decides what exists and what it is called; a table of mnemonics here
 * says, without looking at src/isa, what class, traits and access size each
 * name stands for. All 16-bit encodings and some millions of 32-bit ones are
 * compared for RV32 and RV64: every combination of major opcode, funct3, funct7
 * and rs2, the same with rs1 and with rd (so every row of the decoder's tables
 * meets random operands), and random ones. Where the two disagree on whether an
 * instruction exists, the list `disputes` must say why; an entry that no
 * encoding needs any more fails the test too.
 *
 * Where extensions share encodings (enum cairn_isa_variant) each way of reading them is
 * compared. A test asks LLVM for all extensions it knows, so that none is left out.
 *
 * Without LLVM 19 (another version knows other extensions) the comparison is
 * skipped.
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

#include <dlfcn.h>
#include <unistd.h>

#include "isa/isa.h"
#include "isa/llvm.h"
#include "isa/memo.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

/* ---- LLVM ---- */

typedef void *(*create_fn)(const char *, const char *, const char *, void *, int, void *, void *);
typedef size_t (*disasm_fn)(void *, uint8_t *, uint64_t, uint64_t, char *, size_t);
typedef void (*dispose_fn)(void *);

/* Ways of reading encodings; of each RV32, then RV64. */
enum { USUAL, ZCMP, ZFINX, DESCRIBED, WAYS = DESCRIBED + 12 };

struct llvm {
	void *lib, *dis[2 * WAYS];
	create_fn create;
	disasm_fn disasm;
	dispose_fn dispose;
};

#define WITHOUT_C \
	"+m,+a,+h,+zicsr,+zifencei,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zknd,+zkne,+zknh," \
	"+zksed,+zksh,+zkr,+zicond,+zicbom,+zicbop,+zicboz,+zihintpause,+zihintntl,+zawrs,+zabha," \
	"+zcb,+zcmop,+zimop,+svinval,+smaia,+ssaia,+smstateen,+sscofpmf,+zicntr,+zihpm," \
	"+experimental-zacas,+experimental-zicfiss,+experimental-zicfilp,+experimental-zalasr"
#define WITH_F \
	",+f,+d,+v,+zfh,+zfhmin,+zfa,+zvfh,+zvfbfmin,+zvfbfwma,+zfbfmin,+zvbb,+zvbc,+zvkg," \
	"+zvkned,+zvknhb,+zvksed,+zvksh"

/* From DESCRIBED on descriptions, of which decoder and disassembler are told alike; above,
 * what LLVM is told of is all that it knows. */
static const struct {
	const char *features[2];
	unsigned variant;
	const char *text;
} ways[WAYS] = {
	[USUAL] = {{WITHOUT_C WITH_F ",+c", WITHOUT_C WITH_F ",+c"}, 0},
	[ZCMP] = {{WITHOUT_C WITH_F ",+zca,+zcf,+zcmp,+zcmt", WITHOUT_C WITH_F ",+zca,+zcmp,+zcmt"},
              CAIRN_ISA_ZCMP},
	[ZFINX] = {{WITHOUT_C ",+c,+zfinx,+zdinx,+zhinx", WITHOUT_C ",+c,+zfinx,+zdinx,+zhinx"},
               CAIRN_ISA_ZFINX},
	[DESCRIBED] = {.text = "gc"},
	{.text = "gc_zcmop"},
	{.text = "gc_zimop"},
	{.text = "gc_zicfiss"},
	{.text = "gc_zimop_zcmop_zicfiss_zicfilp"},
	{.text = "gc_zicfilp_zihintpause_zihintntl_zicbop"},
	{.text = "gc_zcmp_zcmt"},
	{.text = "imac_zcmp"},
	{.text = "imac_zca_zcb_zcmt_zcmop_zimop"},
	{.text = "imac_zilsd_zclsd"},
	{.text = "imac_zfinx_zdinx_zhinx_zcmop"},
	{.text = "a23u64"},
};

static enum cairn_isa set_of(int x);

/* Its description; NULL: it has none. */
static const char *description(int x)
{
	static char text[64];
	snprintf(text, sizeof text, "rv%d%s", x & 1 ? 64 : 32,
	         ways[x / 2].text ? ways[x / 2].text : "");
	if (ways[x / 2].text && ways[x / 2].text[1] == '2') /* a profile */
		snprintf(text, sizeof text, "rv%s", ways[x / 2].text);
	return ways[x / 2].text ? text : NULL;
}

static unsigned variants[2 * WAYS]; /* of each way, RV32 and RV64 */

static enum cairn_isa set_of(int x)
{
	return x & 1 ? CAIRN_ISA_RV64 : CAIRN_ISA_RV32;
}

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
	static const char *const init[] = {"LLVMInitializeRISCVTargetInfo",
	                                   "LLVMInitializeRISCVTargetMC",
	                                   "LLVMInitializeRISCVDisassembler"};
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
	*(void **)&llvm.create = symbol(llvm.lib, "LLVMCreateDisasmCPUFeatures");
	*(void **)&llvm.disasm = symbol(llvm.lib, "LLVMDisasmInstruction");
	*(void **)&llvm.dispose = symbol(llvm.lib, "LLVMDisasmDispose");
	for (int x = 0; x < 2 * WAYS; x++) {
		struct cairn *cairn = cairn_new(NULL);
		struct base_buf told;
		variants[x] = x / 2 < DESCRIBED
		                  ? ways[x / 2].variant
		                  : cairn_isa_of(set_of(x), description(x)) & CAIRN_ISA_VARIANTS;
		base_buf_init(&told, cairn);
		if (x / 2 >= DESCRIBED)
			assert_true(isa_llvm_features(set_of(x), description(x), 19, &told) >= 0);
		llvm.dis[x] = llvm.create(x & 1 ? "riscv64" : "riscv32", "",
		                          told.len ? (const char *)told.data : ways[x / 2].features[x & 1],
		                          NULL, 0, NULL, NULL);
		assert_non_null(llvm.dis[x]);
		base_buf_free(&told);
		cairn_free(cairn);
	}
	return 0;
}

static int llvm_close(void **state)
{
	struct llvm *llvm = *state;
	for (int i = 0; i < 2 * WAYS; i++)
		if (llvm->dis[i])
			llvm->dispose(llvm->dis[i]);
	return 0;
}

/* The text of an instruction ("mnemonic\toperands"); false when LLVM knows none. */
static bool llvm_text(const struct llvm *llvm, int x, uint32_t enc, unsigned size, char *text,
                      size_t room)
{
	uint8_t b[4] = {(uint8_t)enc, (uint8_t)(enc >> 8), (uint8_t)(enc >> 16), (uint8_t)(enc >> 24)};
	return llvm->disasm(llvm->dis[x], b, size, 0x10000, text, room) == size;
}

/* ---- what a mnemonic stands for ---- */

enum { XLEN_BYTES = 100, ELEMENT_BYTES = 101, LIST_BYTES = 102 };
/* What must be read from the operands. */
enum extra { NONE, BASE, JUMPS, ORDERED, PRIVCSR, FENCESETS, SIGNS };

struct meaning {
	const char *names; /* patterns separated by spaces */
	uint8_t cls;
	uint32_t traits;
	uint8_t mem, extra;
};

#define RMW (T(ATOMIC) | T(LOAD) | T(STORE))

/* The first pattern that fits counts. */
static const struct meaning meanings[] = {
	{"nop c.mop.*", C(NOP), 0, 0, NONE},
	{"c.nop c.addi c.li c.lui c.mv c.add c.slli c.slli64 c.srli64 c.srai64 c.ntl.* ntl.* lpad",
     C(NOP), T(HINT), 0, NONE},
	{"mv li lui", C(INT), T(MOVE), 0, BASE},
	{"add addi sub sll slli srl srli sra srai xor xori or ori and andi slt slti sltu sltiu "
     "addw addiw subw sllw slliw srlw srliw sraw sraiw auipc neg negw not seqz snez sltz sgtz "
     "sext.w",
     C(INT), 0, 0, BASE},
	{"czero.eqz czero.nez mop.r.* mop.rr.*", C(INT), 0, 0, NONE},
	{"andn orn xnor clz clzw ctz ctzw cpop cpopw min minu max maxu sext.b sext.h zext.h zext.w "
     "rol rolw ror rori roriw rorw orc.b rev8 brev8 zip unzip pack packh packw xperm4 xperm8 "
     "clmul clmulh clmulr sh[123]add sh[123]add.uw add.uw slli.uw bclr bclri bset bseti binv "
     "binvi bext bexti",
     C(INT), T(BITMANIP), 0, NONE},
	{"aes32* aes64* sha256* sha512* sm3p? sm4ed sm4ks", C(CRYPTO), T(CRYPTO), 0, NONE},
	{"mul mulh mulhu mulhsu mulw", C(MUL), T(MUL), 0, NONE},
	{"div divu divw divuw rem remu remw remuw", C(DIV), T(DIV), 0, NONE},

	{"lb lbu", C(LOAD), T(LOAD), 1, NONE},
	{"lh lhu", C(LOAD), T(LOAD), 2, NONE},
	{"lw lwu", C(LOAD), T(LOAD), 4, NONE},
	{"ld", C(LOAD), T(LOAD), 8, NONE},
	{"sb", C(STORE), T(STORE), 1, NONE},
	{"sh", C(STORE), T(STORE), 2, NONE},
	{"sw", C(STORE), T(STORE), 4, NONE},
	{"sd", C(STORE), T(STORE), 8, NONE},
	{"flh", C(LOAD), T(LOAD) | T(FP), 2, NONE},
	{"flw", C(LOAD), T(LOAD) | T(FP), 4, NONE},
	{"fld", C(LOAD), T(LOAD) | T(FP), 8, NONE},
	{"fsh", C(STORE), T(STORE) | T(FP), 2, NONE},
	{"fsw", C(STORE), T(STORE) | T(FP), 4, NONE},
	{"fsd", C(STORE), T(STORE) | T(FP), 8, NONE},
	{"hlv.b hlv.bu", C(LOAD), T(LOAD) | T(PRIVILEGED), 1, NONE},
	{"hlv.h hlv.hu hlvx.hu", C(LOAD), T(LOAD) | T(PRIVILEGED), 2, NONE},
	{"hlv.w hlv.wu hlvx.wu", C(LOAD), T(LOAD) | T(PRIVILEGED), 4, NONE},
	{"hlv.d", C(LOAD), T(LOAD) | T(PRIVILEGED), 8, NONE},
	{"hsv.b", C(STORE), T(STORE) | T(PRIVILEGED), 1, NONE},
	{"hsv.h", C(STORE), T(STORE) | T(PRIVILEGED), 2, NONE},
	{"hsv.w", C(STORE), T(STORE) | T(PRIVILEGED), 4, NONE},
	{"hsv.d", C(STORE), T(STORE) | T(PRIVILEGED), 8, NONE},
	{"sspush", C(STORE), T(STORE), XLEN_BYTES, NONE},
	{"sspopchk", C(LOAD), T(LOAD), XLEN_BYTES, NONE},
	{"cm.push", C(STORE), T(STORE), LIST_BYTES, NONE},
	{"cm.pop", C(LOAD), T(LOAD), LIST_BYTES, NONE},
	{"cm.popret cm.popretz", C(RETURN), T(LOAD) | T(BRANCH) | T(INDIRECT) | T(RETURN), LIST_BYTES,
     NONE},
	{"cm.mvsa01 cm.mva01s", C(INT), T(MOVE), 0, NONE},
	{"cm.jt", C(JUMP), T(BRANCH) | T(INDIRECT), 0, NONE},
	{"cm.jalt", C(CALL), T(BRANCH) | T(INDIRECT) | T(CALL), 0, NONE},
	{"lb.aq*", C(LOAD), T(LOAD), 1, ORDERED},
	{"lh.aq*", C(LOAD), T(LOAD), 2, ORDERED},
	{"lw.aq*", C(LOAD), T(LOAD), 4, ORDERED},
	{"ld.aq*", C(LOAD), T(LOAD), 8, ORDERED},
	{"sb.rl sb.aqrl", C(STORE), T(STORE), 1, ORDERED},
	{"sh.rl sh.aqrl", C(STORE), T(STORE), 2, ORDERED},
	{"sw.rl sw.aqrl", C(STORE), T(STORE), 4, ORDERED},
	{"sd.rl sd.aqrl", C(STORE), T(STORE), 8, ORDERED},
	{"ssrdp", C(CSR), T(CSR), 0, NONE},

	{"lr.w lr.w.*", C(ATOMIC), T(ATOMIC) | T(LOAD) | T(RESERVED_LR), 4, ORDERED},
	{"lr.d lr.d.*", C(ATOMIC), T(ATOMIC) | T(LOAD) | T(RESERVED_LR), 8, ORDERED},
	{"sc.w sc.w.*", C(ATOMIC), T(ATOMIC) | T(STORE) | T(RESERVED_SC), 4, ORDERED},
	{"sc.d sc.d.*", C(ATOMIC), T(ATOMIC) | T(STORE) | T(RESERVED_SC), 8, ORDERED},
	{"amo*.b amo*.b.*", C(ATOMIC), RMW, 1, ORDERED},
	{"amo*.h amo*.h.*", C(ATOMIC), RMW, 2, ORDERED},
	{"amo*.w amo*.w.* ssamoswap.w ssamoswap.w.*", C(ATOMIC), RMW, 4, ORDERED},
	{"amo*.d amo*.d.* ssamoswap.d ssamoswap.d.*", C(ATOMIC), RMW, 8, ORDERED},
	{"amocas.q amocas.q.*", C(ATOMIC), RMW, 16, ORDERED},

	{"beq bne blt bge bltu bgeu beqz bnez blez bgez bltz bgtz", C(BRANCH),
     T(BRANCH) | T(CONDITIONAL), 0, JUMPS},
	{"j jal", C(JUMP), T(BRANCH), 0, JUMPS},
	{"jr jalr ret", C(JUMP), T(BRANCH) | T(INDIRECT), 0, JUMPS},

	{"csr* unimp frflags fsflags fsflagsi frrm fsrm fsrmi frcsr fscsr rdcycle rdcycleh rdtime "
     "rdtimeh rdinstret rdinstreth",
     C(CSR), T(CSR), 0, PRIVCSR},
	{"fence.i fence.tso", C(FENCE), T(FENCE), 0, NONE},
	{"fence", C(FENCE), T(FENCE), 0, FENCESETS},
	{"pause", C(SYSTEM), T(WAIT) | T(HINT), 0, NONE},
	{"cbo.zero", C(CACHE), T(CACHE) | T(STORE), 0, NONE},
	{"cbo.inval cbo.clean cbo.flush", C(CACHE), T(CACHE), 0, NONE},
	{"prefetch.?", C(CACHE), T(CACHE) | T(PREFETCH) | T(HINT), 0, NONE},
	{"ecall", C(SYSTEM), T(SYSCALL), 0, NONE},
	{"ebreak", C(SYSTEM), T(BREAKPOINT), 0, NONE},
	{"mret sret dret", C(SYSTEM), T(XRET) | T(PRIVILEGED), 0, NONE},
	{"wfi", C(SYSTEM), T(WAIT) | T(PRIVILEGED), 0, NONE},
	{"wrs.nto wrs.sto", C(SYSTEM), T(WAIT), 0, NONE},
	{"sfence.* hfence.*", C(SYSTEM), T(FENCE) | T(PRIVILEGED), 0, NONE},
	{"sinval.vma hinval.*", C(SYSTEM), T(PRIVILEGED), 0, NONE},

	{"fdiv.*", C(FPDIV), T(FP) | T(DIV), 0, NONE},
	{"fsqrt.*", C(FPDIV), T(FP), 0, NONE},
	{"fmul.* fmadd.* fmsub.* fnmadd.* fnmsub.*", C(FP), T(FP) | T(MUL), 0, NONE},
	{"fmv.* fmvh.* fmvp.* fli.*", C(FP), T(FP) | T(MOVE), 0, NONE},
	{"fsgnj.*", C(FP), T(FP), 0, SIGNS},
	{"fadd.* fsub.* fsgnjn.* fsgnjx.* fneg.* fabs.* fmin.* fmax.* fminm.* fmaxm.* "
     "feq.* "
     "flt.* fle.* fltq.* fleq.* fclass.* fcvt.* fcvtmod.* fround.* froundnx.*",
     C(FP), T(FP), 0, NONE},

	{"vlm.v vl[1248]r.v", C(LOAD), T(LOAD) | T(VECTOR), 1, NONE},
	{"vsm.v vs[1248]r.v", C(STORE), T(STORE) | T(VECTOR), 1, NONE},
	{"vluxei* vloxei* vluxseg* vloxseg*", C(LOAD), T(LOAD) | T(VECTOR), 0, NONE},
	{"vsuxei* vsoxei* vsuxseg* vsoxseg*", C(STORE), T(STORE) | T(VECTOR), 0, NONE},
	{"vle[0-9]*.v vlse[0-9]*.v vlseg* vlsseg* vl[1248]re*.v", C(LOAD), T(LOAD) | T(VECTOR),
     ELEMENT_BYTES, NONE},
	{"vse[0-9]*.v vsse[0-9]*.v vsseg* vssseg*", C(STORE), T(STORE) | T(VECTOR), ELEMENT_BYTES,
     NONE},
	{"vaes* vsha2* vsm3* vsm4* vghsh.* vgmul.*", C(CRYPTO), T(CRYPTO) | T(VECTOR), 0, NONE},
	{"vmv.v.? vmv[1248]r.v vmv.x.s vmv.s.x vmmv.m", C(VECTOR), T(VECTOR) | T(MOVE), 0, NONE},
	{"vfmv.*", C(VECTOR), T(VECTOR) | T(FP) | T(MOVE), 0, NONE},
	{"vandn.* vbrev.* vbrev8.* vrev8.* vclz.* vctz.* vcpop.v vrol.* vror.* vwsll.* vclmul.* "
     "vclmulh.*",
     C(VECTOR), T(VECTOR) | T(BITMANIP), 0, NONE},
	{"vfdiv.* vfrdiv.*", C(VECTOR), T(VECTOR) | T(FP) | T(DIV), 0, NONE},
	{"vfmul.* vfwmul.* vf*macc.* vfwmaccbf16.* vf*madd.* vf*msub.* vf*msac.*", C(VECTOR),
     T(VECTOR) | T(FP) | T(MUL), 0, NONE},
	{"vfirst.m", C(VECTOR), T(VECTOR), 0, NONE},
	{"vf* vmf*", C(VECTOR), T(VECTOR) | T(FP), 0, NONE},
	{"vdiv.* vdivu.* vrem.* vremu.*", C(VECTOR), T(VECTOR) | T(DIV), 0, NONE},
	{"vmul.* vmulh*.* vwmul*.* vsmul.* vmacc.* vnmsac.* vmadd.* vnmsub.* vwmacc*.*", C(VECTOR),
     T(VECTOR) | T(MUL), 0, NONE},
	{"vset* vadd.* vsub.* vrsub.* vneg.* vwadd* vwsub* vwcvt* vncvt* vadc.* vmadc.* vsbc.* "
     "vmsbc.* vzext.* vsext.* vand.* vor.* vxor.* vnot.* vsll.* vsrl.* vsra.* vnsrl.* vnsra.* "
     "vms[elgn]* vmin* vmax* vmerge.* vsadd* vssub* vaadd* vasub* vssrl.* vssra.* vnclip* "
     "vred* vwred* vmand* vmor* vmx* vmn* vcpop.m vmsbf.m vmsif.m vmsof.m viota.m vid.v "
     "vslide* vrgather* vcompress.*",
     C(VECTOR), T(VECTOR), 0, NONE},
};

/* Matching patterns is slow, so each mnemonic is looked up once. */
static const struct meaning *meaning_of(const char *word)
{
	static struct {
		char word[24];
		const struct meaning *m;
	} seen[8192];
	uint32_t h = 2166136261u;
	for (const char *s = word; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	assert_true(strlen(word) < sizeof seen[0].word);
	size_t i = h % 8192;
	while (seen[i].word[0] && strcmp(seen[i].word, word) != 0)
		i = (i + 1) % 8192;
	if (!seen[i].word[0]) {
		strcpy(seen[i].word, word);
		for (size_t k = 0; k < sizeof meanings / sizeof *meanings && !seen[i].m; k++)
			if (among(meanings[k].names, word))
				seen[i].m = &meanings[k];
	}
	return seen[i].m;
}

/* ---- what the operands add ---- */

static bool is_link(const char *reg)
{
	return strcmp(reg, "ra") == 0 || strcmp(reg, "t0") == 0;
}

/* The table of return-address-stack hints in the unprivileged manual. */
static void expect_link(struct cairn_op *want, const char *rd, const char *rs1)
{
	if (!is_link(rd) && !is_link(rs1)) {
		want->cls = C(JUMP);
	} else if (!is_link(rd)) {
		want->cls = C(RETURN);
		want->traits |= T(RETURN);
	} else {
		want->cls = C(CALL);
		want->traits |= T(CALL);
		if (is_link(rs1) && strcmp(rd, rs1) != 0)
			want->traits |= T(RETURN);
	}
}

/* "beq a0, a1, -16", "jal 8", "jal t0, 8", "jr 4(t0)", "jalr a0, 4(t0)", "ret". */
static void expect_jump(struct cairn_op *want, const char *word, const char *operands)
{
	char rd[8] = "zero", rs1[8] = "zero";
	const char *last = strrchr(operands, ' ');
	last = last ? last + 1 : operands;
	if (!(want->traits & T(INDIRECT)))
		want->offset = strtoll(last, NULL, 10);
	if (want->cls == C(BRANCH))
		return;
	if (strncmp(word, "jal", 3) == 0)
		strcpy(rd, "ra");
	if (last != operands)
		(void)sscanf(operands, "%7[a-z0-9]", rd);
	if (strcmp(word, "ret") == 0)
		strcpy(rs1, "ra");
	else if (strchr(last, '('))
		(void)sscanf(strchr(last, '('), "(%7[a-z0-9]", rs1);
	else if (want->traits & T(INDIRECT))
		(void)sscanf(last, "%7[a-z0-9]", rs1);
	expect_link(want, rd, rs1);
}

/* "vlseg3e16ff.v": 2. */
static unsigned element_bytes(const char *word)
{
	const char *e = strrchr(word, 'e');
	assert_non_null(e);
	return (unsigned)atoi(e + 1) / 8;
}

static void expect_order(struct cairn_op *want, const char *word)
{
	const char *dot = strrchr(word, '.') + 1;
	if (strncmp(dot, "aq", 2) == 0)
		want->traits |= T(ACQUIRE);
	if (strcmp(dot, "rl") == 0 || strcmp(dot, "aqrl") == 0)
		want->traits |= T(RELEASE);
}

static void expect_hint_if(struct cairn_op *want, bool hint)
{
	if (!hint)
		return;
	want->cls = C(NOP);
	want->traits = T(HINT);
}

static bool has_empty_set(const char *operands)
{
	size_t n = strlen(operands);
	return strncmp(operands, "0,", 2) == 0 || (n > 3 && strcmp(operands + n - 3, ", 0") == 0);
}

/* "s8, sp, sp": both sources are one. */
static bool one_source(const char *operands)
{
	char rd[8], rs1[8], rs2[8];
	return sscanf(operands, "%7[a-z0-9], %7[a-z0-9], %7[a-z0-9]", rd, rs1, rs2) == 3 &&
	       strcmp(rs1, rs2) == 0;
}

static void expect_operands(struct cairn_op *want, enum extra extra, const char *word,
                            const char *operands)
{
	switch (extra) {
	case NONE:
		break;
	case BASE:
		expect_hint_if(want, strncmp(operands, "zero,", 5) == 0);
		break;
	case JUMPS:
		expect_jump(want, word, operands);
		break;
	case ORDERED:
		expect_order(want, word);
		break;
	case PRIVCSR:
		if (want->enc >> 28 & 3)
			want->traits |= T(PRIVILEGED);
		break;
	case SIGNS: /* of a register on itself; "fmv.s" where F has its registers */
		if (one_source(operands))
			want->traits |= T(MOVE);
		break;
	case FENCESETS:
		expect_hint_if(want, has_empty_set(operands));
		break;
	}
}

/* "{ra, s0-s11}, -16": 13. */
static uint8_t listed(const char *operands)
{
	unsigned from, to;
	if (sscanf(operands, "{ra, s%u-s%u}", &from, &to) == 2)
		return (uint8_t)(to + 2);
	return strncmp(operands, "{ra, s0", 7) == 0 ? 2 : 1;
}

/* The op that LLVM's text stands for; false when the mnemonic has no meaning here. */
static bool expect(int x, uint32_t enc, unsigned size, char *text, struct cairn_op *want)
{
	char *word = text + strspn(text, "\t ");
	char *operands = word + strcspn(word, "\t ");
	if (*operands)
		*operands++ = 0;
	const struct meaning *meaning = meaning_of(word);
	if (!meaning)
		return false;
	*want = (struct cairn_op){.enc = enc,
	                          .size = (uint8_t)size,
	                          .cls = meaning->cls,
	                          .isa = (uint8_t)set_of(x),
	                          .variant = (uint8_t)variants[x],
	                          .traits = meaning->traits};
	if (meaning->mem == XLEN_BYTES || meaning->mem == LIST_BYTES)
		want->mem_size = x & 1 ? 8 : 4;
	else
		want->mem_size =
			(uint16_t)(meaning->mem == ELEMENT_BYTES ? element_bytes(word) : meaning->mem);
	want->mem_count = want->mem_size && !(meaning->traits & T(VECTOR));
	if (meaning->mem == LIST_BYTES)
		want->mem_count = listed(operands);
	expect_operands(want, (enum extra)meaning->extra, word, operands);
	if (size == 2)
		want->traits |= T(COMPRESSED);
	return true;
}

/* ---- known disagreements about existence ---- */

enum { IN32 = 1, IN64 = 2, BOTH = 3 };

struct dispute {
	uint32_t mask, match;
	uint32_t but_mask, but_match; /* not these; but_mask 0: no exception */
	uint8_t size, isas;
	bool ours; /* we say it exists, LLVM does not */
	const char *why;
};

static const struct dispute disputes[] = {
	{0x0000707f, 0x0000000f, 0xf00f8f80, 0, 4, BOTH, true,
     "fence: implementations ignore rd and rs1 and treat any fm as 0"},
	{0x0000707f, 0x0000100f, 0xffff8f80, 0, 4, BOTH, true,
     "fence.i: implementations ignore rd, rs1 and the immediate"},
	{0xffffffff, 0x70200073, 0, 0, 4, BOTH, true, "mnret (Smrnmi) came after LLVM 19"},
	{0xffffffff, 0x10400073, 0, 0, 4, BOTH, true, "sctrclr (Smctr) came after LLVM 19"},
	{0xfff07fff, 0xcdc04073, 0, 0, 4, BOTH, true,
     "mop.r.28 with rd=x0: LLVM tries sspopchk, fails and gives up"},
	{0xfe0fffff, 0xce004073, 0, 0, 4, BOTH, true,
     "mop.rr.7 with rd=rs1=x0: LLVM tries sspush, fails and gives up"},
	{0xfff0007f, 0xc2800053, 0x7000, 0x1000, 4, BOTH, false,
     "fcvtmod.w.d: any rounding mode but RTZ is reserved"},
	{0xfff0707f, 0x31b01013, 0, 0, 4, IN64, false, "aes64ks1i: round number 11 is reserved"},
	{0xffc0707f, 0x31c01013, 0, 0, 4, IN64, false, "aes64ks1i: round numbers 12 to 15 too"},
	{0x0200307f, 0x02001013, 0, 0, 4, IN32, false,
     "RV32 shifts and single-bit instructions have no bit 5 in their immediate"},
	{0x0000707f, 0x00004007, 0, 0, 4, BOTH, true, "flq: Q came after LLVM 19"},
	{0x0000707f, 0x00004027, 0, 0, 4, BOTH, true, "fsq: likewise"},
	{0x06000073, 0x06000043, 0, 0, 4, BOTH, true, "fmadd.q … fnmadd.q: likewise"},
	{0x0600007f, 0x06000053, 0, 0, 4, BOTH, true, "fadd.q … fmvp.q.x: likewise"},
	{0xfff0007f, 0x40300053, 0, 0, 4, BOTH, true, "fcvt.s.q: likewise"},
	{0xfff0007f, 0x42300053, 0, 0, 4, BOTH, true, "fcvt.d.q: likewise"},
	{0xfff0007f, 0x44300053, 0, 0, 4, BOTH, true, "fcvt.h.q: likewise"},
	{0x000070ff, 0x00003003, 0, 0, 4, IN32, true, "RV32 ld of a pair: Zilsd came after LLVM 19"},
	{0x0010707f, 0x00003023, 0, 0, 4, IN32, true, "RV32 sd of a pair: likewise"},
	{0x0000ffff, 0x00000000, 0, 0, 2, BOTH, false, "c.unimp is defined as illegal"},
	{0x0000f07f, 0x00006001, 0, 0, 2, BOTH, false, "c.lui of zero is reserved"},
	{0x0000f003, 0x00001002, 0, 0, 2, IN32, false, "RV32 c.slli: shamt[5] is custom space"},
	{0x0000f803, 0x00009001, 0, 0, 2, IN32, false, "RV32 c.srli, c.srai: likewise"},
};
enum { N_DISPUTES = sizeof disputes / sizeof *disputes };

struct tally {
	const struct llvm *llvm;
	unsigned long compared, legal, wrong, used[N_DISPUTES];
};

static bool disputed(struct tally *tally, int x, uint32_t enc, unsigned size, bool ours)
{
	for (size_t i = 0; i < N_DISPUTES; i++) {
		const struct dispute *dispute = &disputes[i];
		if (dispute->size != size || dispute->ours != ours ||
		    !(dispute->isas & (x & 1 ? IN64 : IN32)) || (enc & dispute->mask) != dispute->match)
			continue;
		if (dispute->but_mask && (enc & dispute->but_mask) == dispute->but_match)
			continue;
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
	int n = snprintf(line, sizeof line, "%s %08x %-24s: %s %08x mem %u*%u to %ld",
	                 cairn_isa_name((enum cairn_isa)got->isa), got->enc, text,
	                 cairn_class_name((enum cairn_class)got->cls), got->traits, got->mem_count,
	                 got->mem_size, (long)got->offset);
	if (want && n > 0 && (size_t)n < sizeof line)
		(void)snprintf(line + n, sizeof line - (size_t)n, ", not %s %08x mem %u*%u to %ld",
		               cairn_class_name((enum cairn_class)want->cls), want->traits, want->mem_count,
		               want->mem_size, (long)want->offset);
	print_error("%s\n", line);
}

/* V needs F in its own registers: no hart has it beside Zfinx, and it is not judged there. */
static bool is_vector(uint32_t enc)
{
	unsigned opcode = enc & 0x7f, width = enc >> 12 & 7;
	return opcode == 0x57 || opcode == 0x77 ||
	       ((opcode == 0x07 || opcode == 0x27) && (width == 0 || width > 4));
}

static void compare(struct tally *tally, int x, uint32_t enc, unsigned size)
{
	if (variants[x] & CAIRN_ISA_ZFINX && size == 4 && is_vector(enc))
		return;
	char text[160], shown[160];
	struct cairn_op got, want;
	bool theirs = llvm_text(tally->llvm, x, enc, size, text, sizeof text);
	cairn_isa_decode((enum cairn_isa)(set_of(x) | variants[x]), enc, size, &got);
	bool ours = got.cls != C(ILLEGAL);
	tally->compared++;
	tally->legal += ours;
	if (x / 2 >= DESCRIBED && !theirs) /* what is not named is decoded all the same */
		return;
	if (ours != theirs) {
		if (!disputed(tally, x, enc, size, ours))
			complain(tally, &got, NULL, theirs ? text : "(LLVM: none)");
		return;
	}
	if (!ours)
		return;
	(void)snprintf(shown, sizeof shown, "%s", text);
	if (!expect(x, enc, size, text, &want))
		complain(tally, &got, NULL, shown);
	else if (memcmp(&got, &want, sizeof got) != 0)
		complain(tally, &got, &want, shown);
}

/* ---- samples ---- */

static uint64_t random64(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Half of the time a register that means something special somewhere. */
static uint32_t random_register(uint64_t *s)
{
	static const uint8_t special[] = {0, 0, 0, 1, 2, 5, 8, 31};
	uint32_t r = (uint32_t)(random64(s) >> 20);
	return r & 1 ? special[r >> 1 & 7] : r >> 1 & 31;
}

/* Every opcode, funct3, funct7 and value of one 5-bit field at `lsb`; the other
 * two at random. */
static void sweep(struct tally *tally, int x, unsigned lsb, uint64_t seed)
{
	uint64_t s = seed;
	for (uint32_t i = 0; i < 1u << 20; i++) {
		uint32_t enc = 3 | (i & 31) << 2 | (i >> 5 & 7) << 12 | (i >> 8 & 127) << 25;
		enc |= random_register(&s) << 7 | random_register(&s) << 15 | random_register(&s) << 20;
		enc = (enc & ~(31u << lsb)) | (i >> 15) << lsb;
		if ((enc & 0x1f) != 0x1f)
			compare(tally, x, enc, 4);
	}
}

/* The same of opcodes whose meaning depends on extensions. */
static void sweep_some(struct tally *tally, int x, uint64_t seed)
{
	static const uint8_t opcodes[] = {0x03, 0x0f, 0x13, 0x17, 0x23, 0x53, 0x73};
	uint64_t s = seed;
	for (size_t i = 0; i < sizeof opcodes; i++)
		for (uint32_t k = 0; k < 1u << 15; k++) {
			uint32_t enc = opcodes[i] | (k & 7) << 12 | k >> 3 << 20 | random_register(&s) << 7 |
			               random_register(&s) << 15;
			compare(tally, x, enc, 4);
		}
	for (uint32_t reg = 0; reg < 32; reg++) { /* sspush, sspopchk, ssrdp */
		compare(tally, x, 0xce004073 | reg << 20, 4);
		compare(tally, x, 0xcdc04073 | reg << 15, 4);
		compare(tally, x, 0xcdc04073 | reg << 7, 4);
	}
}

static void settle(struct tally *tally, unsigned size)
{
	print_message("%lu encodings compared, %lu exist, %lu wrong\n", tally->compared, tally->legal,
	              tally->wrong);
	for (size_t i = 0; i < N_DISPUTES; i++)
		if (disputes[i].size == size && !tally->used[i]) {
			print_error("no longer disputed: %s\n", disputes[i].why);
			tally->wrong++;
		}
	assert_int_equal(tally->wrong, 0);
}

static void all_16_bit_encodings_agree_with_llvm(void **state)
{
	struct tally tally = {.llvm = *state};
	if (!tally.llvm->lib)
		skip();
	for (int x = 0; x < 2 * WAYS; x++)
		for (uint32_t enc = 0; enc < 0x10000; enc++)
			if ((enc & 3) != 3)
				compare(&tally, x, enc, 2);
	settle(&tally, 2);
}

static void many_32_bit_encodings_agree_with_llvm(void **state)
{
	struct tally tally = {.llvm = *state};
	if (!tally.llvm->lib)
		skip();
	uint64_t s = UINT64_C(0x2545f4914f6cdd1d);
	for (int x = 0; x < 2; x++) {
		sweep(&tally, x, 20, random64(&s));
		sweep(&tally, x, 15, random64(&s));
		sweep(&tally, x, 7, random64(&s));
		for (int i = 0; i < 1000000; i++)
			compare(&tally, x, (uint32_t)(random64(&s) >> 9) | 3, 4);
		/* Instructions without registers are too rare to be met by chance. */
		for (uint32_t imm = 0; imm < 4096; imm++) {
			compare(&tally, x, imm << 20 | 0x0073, 4);
			compare(&tally, x, imm << 20 | 0x4073, 4);
			compare(&tally, x, imm << 20 | 0x000f, 4);
			compare(&tally, x, imm << 20 | 0x100f, 4);
			compare(&tally, x, imm << 20 | 0x0013, 4);
		}
	}
	for (int x = 2 * DESCRIBED; x < 2 * WAYS; x++)
		sweep_some(&tally, x, random64(&s));
	sweep(&tally, 2 * ZFINX, 20, random64(&s));
	sweep(&tally, 2 * ZFINX + 1, 20, random64(&s));
	settle(&tally, 4);
}

/* ---- whether all extensions are compared ---- */

/* What brings no instructions of its own, or what is no extension: patterns. */
static const char no_instructions[] =
	"32bit 64bit e experimental i relax forced-* no-* reserve-* *-fusion *-opt tagged-globals "
	"unaligned-* use-* save-restore prefer-* predictable-* optimized-* auipc-* conditional-* "
	"dlen-* sifive7 ventana-veyron rv[aibm]* experimental-rv[abm]* "
	/* in other words, or a part of another */
	"b zce zk zkn zks zvkb zvkn zvknc zvkng zvks zvksc zvksg zvknha zve* zmmul zaamo zalrsc "
	"zfinx zhinxmin zcd zcf zvfhmin "
	/* promises, modes and CSRs */
	"experimental-s[mus]* s[msv]* sh* za*rs zama16b zic64b zicc* zicntr zihpm zkt ztso zvkt zvl* ";
/* Vendors' own: not ratified, and their encodings collide with each other. */
static const char vendors[] = "x*";

/* What LLVM says of itself when asked for "+help", which it prints on standard error. */
static size_t llvm_help(const struct llvm *llvm, char *text, size_t room)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	int kept = dup(STDERR_FILENO);
	assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	void *d = llvm->create("riscv64", "", "+help", NULL, 0, NULL, NULL);
	assert_true(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	llvm->dispose(d);
	rewind(file);
	size_t n = fread(text, 1, room - 1, file);
	text[n] = 0;
	fclose(file);
	return n;
}

/* A list of words that somewhere has this one, with a plus sign before it. */
static bool is_compared(const char *name)
{
	char plus[64];
	snprintf(plus, sizeof plus, "+%s,", name);
	for (int w = 0; w < DESCRIBED; w++) {
		char all[1024];
		snprintf(all, sizeof all, "%s,", ways[w].features[0]);
		if (strstr(all, plus))
			return true;
	}
	return false;
}

/* An extension that LLVM prints and nobody compares would hide what the decoder lacks. */
static void every_extension_of_llvm_is_compared(void **state)
{
	const struct llvm *llvm = *state;
	static char text[1 << 16];
	unsigned n = 0, wrong = 0;
	if (!llvm->lib)
		skip();
	llvm_help(llvm, text, sizeof text);
	char *line = strstr(text, "Available features");
	assert_non_null(line);
	for (line = strtok(strchr(line, '\n'), "\n"); line; line = strtok(NULL, "\n")) {
		char name[64];
		if (sscanf(line, "  %63s - ", name) != 1 || line[0] != ' ')
			continue;
		n++;
		if (is_compared(name) || among(no_instructions, name) || among(vendors, name))
			continue;
		print_error("%s is not compared\n", name);
		wrong++;
	}
	assert_true(n > 150);
	assert_int_equal(wrong, 0);
}

/* ---- names against LLVM ---- */

/* CSRs LLVM 19 has no name for, though a specification (named here) has. */
static bool newer_than_llvm(unsigned num)
{
	static const struct {
		uint16_t first, last;
		const char *why;
	} newer[] = {
		{0x14e, 0x14f, "Smctr"},           {0x15f, 0x15f, "Smctr"},
		{0x24e, 0x24e, "Smctr"},           {0x34e, 0x34e, "Smctr"},
		{0x312, 0x312, "Sm1p13"},          {0x612, 0x612, "Sm1p13"},
		{0x321, 0x322, "Smcntrpmf"},       {0x721, 0x722, "Smcntrpmf"},
		{0x7a4, 0x7a5, "debug, left out"}, {0x7aa, 0x7aa, "debug, left out"},
	};
	for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
		if (num >= newer[i].first && num <= newer[i].last)
			return true;
	return false;
}

static void csr_names_agree_with_llvm(void **state)
{
	const struct llvm *llvm = *state;
	if (!llvm->lib)
		skip();
	int wrong = 0;
	for (unsigned num = 0; num < 4096; num++) {
		char text[2][160], theirs[64] = "", buf[16];
		for (int x = 0; x < 2; x++) {
			/* csrrc a0, CSR, a1: has no alias */
			uint32_t enc = num << 20 | 11u << 15 | 3u << 12 | 10u << 7 | 0x73;
			assert_true(llvm_text(llvm, x, enc, 4, text[x], sizeof text[x]));
			char name[64] = "";
			(void)sscanf(text[x], " csrrc a0, %63[a-z0-9], a1", name);
			if (name[0] >= 'a')
				strcpy(theirs, name);
		}
		const char *ours = cairn_reg_name(CAIRN_ISA_RV64, CAIRN_REG_CSR, num, buf);
		bool named = strncmp(ours, "csr0x", 5) != 0;
		if (theirs[0] ? strcmp(ours, theirs) != 0 : named && !newer_than_llvm(num)) {
			print_error("csr 0x%03x: %s, LLVM: %s\n", num, ours, theirs);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

/* ---- single promises ---- */

static struct cairn_op decode(enum cairn_isa isa, uint32_t enc, unsigned size)
{
	struct cairn_op op;
	cairn_isa_decode(isa, enc, size, &op);
	return op;
}

static struct cairn_op rv64(uint32_t enc)
{
	return decode(CAIRN_ISA_RV64, enc, 0);
}

/* jalr rd, 0(rs1) and its compressed forms against the manual's four rows. */
static void link_registers_tell_calls_from_returns(void **state)
{
	(void)state;
	for (uint32_t rd = 0; rd < 32; rd++) {
		bool rd_link = rd == 1 || rd == 5;
		assert_int_equal(rv64(rd << 7 | 0x6f).cls, rd_link ? C(CALL) : C(JUMP));
		for (uint32_t rs1 = 0; rs1 < 32; rs1++) {
			struct cairn_op op = rv64(rs1 << 15 | rd << 7 | 0x67);
			bool rs1_link = rs1 == 1 || rs1 == 5;
			bool pop = rs1_link && (!rd_link || rd != rs1);
			assert_int_equal(op.cls, rd_link ? C(CALL) : pop ? C(RETURN) : C(JUMP));
			assert_int_equal(op.traits, T(BRANCH) | T(INDIRECT) | (rd_link ? T(CALL) : 0u) |
			                                (pop ? T(RETURN) : 0u));
			assert_int_equal(op.offset, 0);
		}
	}
	static const struct {
		uint32_t enc;
		uint8_t cls;
		uint32_t traits;
	} compressed[] = {
		{0x8082, C(RETURN), T(RETURN)},         /* c.jr ra */
		{0x8282, C(RETURN), T(RETURN)},         /* c.jr t0 */
		{0x8502, C(JUMP), 0},                   /* c.jr a0 */
		{0x9082, C(CALL), T(CALL)},             /* c.jalr ra */
		{0x9282, C(CALL), T(CALL) | T(RETURN)}, /* c.jalr t0: coroutines */
		{0x9502, C(CALL), T(CALL)},             /* c.jalr a0 */
	};
	for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++) {
		struct cairn_op op = rv64(compressed[i].enc);
		assert_int_equal(op.cls, compressed[i].cls);
		assert_int_equal(op.traits, compressed[i].traits | T(BRANCH) | T(INDIRECT) | T(COMPRESSED));
	}
	struct cairn_op jal = decode(CAIRN_ISA_RV32, 0x2005, 0); /* c.jal 32 */
	assert_int_equal(jal.cls, C(CALL));
	assert_int_equal(jal.offset, 32);
}

/* What LLVM cannot judge: newer instructions, ignored fields, choices of ours. */
static void chosen_meanings(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		uint8_t cls;
		uint32_t traits;
	} known[] = {
		{0x00000013, C(NOP), 0},                    /* nop */
		{0x00100013, C(NOP), T(HINT)},              /* addi x0, x0, 1 */
		{0x00000033, C(NOP), T(HINT)},              /* add x0, x0, x0 */
		{0x02000033, C(MUL), T(MUL)},               /* mul x0, x0, x0 */
		{0x0100000f, C(SYSTEM), T(WAIT) | T(HINT)}, /* pause */
		{0x0ff0000f, C(FENCE), T(FENCE)},           /* fence */
		{0x0000000f, C(NOP), T(HINT)},              /* fence 0, 0 */
		{0x0000008f, C(NOP), T(HINT)},              /* the same with rd=x1 */
		{0x0000808f, C(FENCE), T(FENCE)},           /* rd and rs1: reserved, a fence */
		{0x9ff0000f, C(FENCE), T(FENCE)},           /* reserved fm */
		{0x8000000f, C(FENCE), T(FENCE)},
		{0xfff0f08f | 0x1000, C(ILLEGAL), 0},             /* funct3 7 */
		{0xfff0908f, C(FENCE), T(FENCE)},                 /* fence.i with ignored fields */
		{0x70200073, C(SYSTEM), T(XRET) | T(PRIVILEGED)}, /* mnret */
		{0x10400073, C(SYSTEM), T(PRIVILEGED)},           /* sctrclr */
		{0xc0001073, C(CSR), T(CSR)},                     /* unimp */
		{0x00200073, C(ILLEGAL), 0},                      /* uret */
		{0x0000000b, C(ILLEGAL), 0},                      /* custom-0 … custom-3 */
		{0x0000002b, C(ILLEGAL), 0},
		{0x0000005b, C(ILLEGAL), 0},
		{0x0000007b, C(ILLEGAL), 0},
		{0xffffffff, C(ILLEGAL), 0},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct cairn_op op = decode(CAIRN_ISA_RV64, known[i].enc, 4);
		assert_int_equal(op.cls, known[i].cls);
		assert_int_equal(op.traits, known[i].traits);
		assert_int_equal(op.enc, known[i].enc);
	}
}

/* What collides, read each way; and what came after LLVM 19. */
static void variants_decide_where_encodings_collide(void **state)
{
	(void)state;
	enum { RV32 = CAIRN_ISA_RV32, RV64 = CAIRN_ISA_RV64 };
	static const struct {
		unsigned isa;
		uint32_t enc;
		uint8_t cls, mem_size, mem_count;
		const char *name, *extension;
	} known[] = {
		{RV64, 0xb852, C(STORE), 8, 1, "c.fsdsp", "c"},
		{RV64 | CAIRN_ISA_ZCMP, 0xb852, C(STORE), 8, 2, "cm.push", "zcmp"},
		{RV32 | CAIRN_ISA_ZCMP, 0xb8f2, C(STORE), 4, 13, "cm.push", "zcmp"},
		{RV64 | CAIRN_ISA_ZCMP, 0xbe42, C(RETURN), 8, 1, "cm.popret", "zcmp"},
		{RV64 | CAIRN_ISA_ZCMP, 0xbce2, C(RETURN), 8, 11, "cm.popretz", "zcmp"},
		{RV64 | CAIRN_ISA_ZCMP, 0xb832, C(ILLEGAL), 0, 0, NULL, NULL}, /* rlist 3 */
		{RV64 | CAIRN_ISA_ZCMP, 0xa07e, C(JUMP), 0, 0, "cm.jt", "zcmt"},
		{RV64 | CAIRN_ISA_ZCMP, 0xa082, C(CALL), 0, 0, "cm.jalt", "zcmt"},
		{RV64 | CAIRN_ISA_ZCMP, 0x2002, C(ILLEGAL), 0, 0, NULL, NULL}, /* no c.fldsp then */
		{RV64, 0x6081, C(STORE), 8, 1, "c.sspush", "zicfiss"},
		{RV64, 0x6281, C(LOAD), 8, 1, "c.sspopchk", "zicfiss"},
		{RV64, 0xce104073, C(STORE), 8, 1, "sspush", "zicfiss"},
		{RV64, 0xcdc04573, C(CSR), 0, 0, "ssrdp", "zicfiss"},
		{RV64 | CAIRN_ISA_NO_ZICFISS, 0x6081, C(NOP), 0, 0, "c.mop", "zcmop"},
		{RV64 | CAIRN_ISA_NO_ZICFISS, 0x6281, C(NOP), 0, 0, "c.mop", "zcmop"},
		{RV64 | CAIRN_ISA_NO_ZICFISS, 0xce104073, C(INT), 0, 0, "mop.rr", "zimop"},
		{RV64 | CAIRN_ISA_NO_ZICFISS, 0xcdc04573, C(INT), 0, 0, "mop.r", "zimop"},
		{RV32, 0x6108, C(LOAD), 4, 1, "c.flw", "c"},
		{RV32 | CAIRN_ISA_ZCLSD, 0x6108, C(LOAD), 8, 1, "c.ld", "zclsd"},
		{RV32 | CAIRN_ISA_ZCLSD, 0x610c, C(ILLEGAL), 0, 0, NULL, NULL}, /* an odd register */
		{RV32 | CAIRN_ISA_ZCLSD, 0xe108, C(STORE), 8, 1, "c.sd", "zclsd"},
		{RV32 | CAIRN_ISA_ZCLSD, 0x6502, C(LOAD), 8, 1, "c.ldsp", "zclsd"},
		{RV32 | CAIRN_ISA_ZCLSD, 0x6002, C(ILLEGAL), 0, 0, NULL, NULL}, /* into x0 */
		{RV32 | CAIRN_ISA_ZCLSD, 0xe02a, C(STORE), 8, 1, "c.sdsp", "zclsd"},
		{RV64 | CAIRN_ISA_ZCLSD, 0x6108, C(LOAD), 8, 1, "c.ld", "c"},
		{RV32, 0x00053503, C(LOAD), 8, 1, "ld", "zilsd"},
		{RV32, 0x00053583, C(ILLEGAL), 0, 0, NULL, NULL},
		{RV32, 0x00a53023, C(STORE), 8, 1, "sd", "zilsd"},
		{RV64, 0x00054507, C(LOAD), 16, 1, "flq", "q"},
		{RV64, 0x00a54027, C(STORE), 16, 1, "fsq", "q"},
		{RV64, 0x06b57553, C(FP), 0, 0, "fadd.q", "q"},
		{RV64, 0x5e057553, C(FPDIV), 0, 0, "fsqrt.q", "q"},
		{RV64, 0x46057553, C(FP), 0, 0, "fcvt.q.s", "q"},
		{RV64, 0xe6051553, C(FP), 0, 0, "fclass.q", "q"},
		{RV64 | CAIRN_ISA_ZFINX, 0x00b57553, C(FP), 0, 0, "fadd.s", "zfinx"},
		{RV64 | CAIRN_ISA_ZFINX, 0x02b57553, C(FP), 0, 0, "fadd.d", "zdinx"},
		{RV32 | CAIRN_ISA_ZFINX, 0x02b57553, C(ILLEGAL), 0, 0, NULL, NULL}, /* of an odd pair */
		{RV64 | CAIRN_ISA_ZFINX, 0x06b57553, C(ILLEGAL), 0, 0, NULL, NULL},
		{RV64 | CAIRN_ISA_ZFINX, 0x00053507, C(ILLEGAL), 0, 0, NULL, NULL}, /* no fld */
		{CAIRN_ISA_A64 | CAIRN_ISA_ZCMP, 0xd503201f, C(NOP), 0, 0, NULL, NULL},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const char *name, *extension;
		enum cairn_isa isa = (enum cairn_isa)known[i].isa;
		struct cairn_op op = decode(isa, known[i].enc, 0);
		cairn_isa_mnemonic(isa, known[i].enc, 0, &name, &extension);
		assert_int_equal(op.cls, known[i].cls);
		assert_int_equal(op.isa, isa & ~(unsigned)CAIRN_ISA_VARIANTS);
		assert_int_equal(op.mem_size, known[i].mem_size);
		assert_int_equal(op.mem_count, known[i].mem_count);
		if (!known[i].name)
			assert_null(name);
		else
			assert_string_equal(name, known[i].name);
		if (known[i].name)
			assert_string_equal(extension, known[i].extension);
	}
}

static void descriptions_name_variants(void **state)
{
	(void)state;
	enum { PLAIN = CAIRN_ISA_NO_ZICFISS };
	static const struct {
		const char *text;
		unsigned rv32, rv64;
	} known[] = {
		{NULL, 0, 0},
		{"", 0, 0},
		{"rv64gc", PLAIN, PLAIN},
		{"rv64gc_zicfiss", 0, 0},
		{"rva23u64", 0, 0},
		{"rv64imac_zcmp_zcmt", PLAIN | CAIRN_ISA_ZCMP, PLAIN | CAIRN_ISA_ZCMP},
		{"rv32imac_zcmt1p0", PLAIN | CAIRN_ISA_ZCMP, PLAIN | CAIRN_ISA_ZCMP},
		{"RV32IMFC_Zce", PLAIN | CAIRN_ISA_ZCMP, PLAIN | CAIRN_ISA_ZCMP},
		{"rv64gc_zcmp", PLAIN, PLAIN},    /* it has Zcd */
		{"rv32imfc_zclsd", PLAIN, PLAIN}, /* and this one Zcf */
		{"rv32imac_zilsd_zclsd", PLAIN | CAIRN_ISA_ZCLSD, PLAIN},
		{"rv32ima_zcmp_zclsd_zfinx", CAIRN_ISA_VARIANTS, PLAIN | CAIRN_ISA_ZCMP | CAIRN_ISA_ZFINX},
		{"rv64imac_zhinxmin", PLAIN | CAIRN_ISA_ZFINX, PLAIN | CAIRN_ISA_ZFINX},
		{"rv64imafc_zfinx", PLAIN, PLAIN},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		assert_int_equal(cairn_isa_of(CAIRN_ISA_RV32, known[i].text),
		                 CAIRN_ISA_RV32 | known[i].rv32);
		assert_int_equal(cairn_isa_of(CAIRN_ISA_RV64, known[i].text),
		                 CAIRN_ISA_RV64 | known[i].rv64);
		assert_int_equal(cairn_isa_of(CAIRN_ISA_A64, known[i].text), CAIRN_ISA_A64);
	}
}

static void sizes(void **state)
{
	(void)state;
	assert_int_equal(rv64(0xffff0001).size, 2);
	assert_int_equal(rv64(0xffff0001).enc, 0x0001); /* the rest is not ours */
	assert_int_equal(rv64(0xffff0001).cls, C(NOP));
	assert_int_equal(rv64(0x00000013).size, 4);
	assert_int_equal(rv64(0x0000001f).size, 6);
	assert_int_equal(rv64(0x0000001f).cls, C(ILLEGAL));
	assert_int_equal(rv64(0x0000003f).size, 8);
	assert_int_equal(rv64(0x0000007f).size, 4);
	/* a size that contradicts the encoding is no instruction, but keeps its size */
	struct cairn_op op = decode(CAIRN_ISA_RV64, 0x00000013, 2);
	assert_int_equal(op.cls, C(ILLEGAL));
	assert_int_equal(op.size, 2);
	op = decode(CAIRN_ISA_RV64, 0x00000001, 4);
	assert_int_equal(op.cls, C(ILLEGAL));
	assert_int_equal(op.size, 4);
	assert_int_equal(decode(CAIRN_ISA_RV32, 0x2001, 2).cls, C(CALL));    /* c.jal */
	assert_int_equal(decode(CAIRN_ISA_RV64, 0x2001, 2).cls, C(ILLEGAL)); /* c.addiw x0 */
	/* other sets */
	op = decode(CAIRN_ISA_A64, 0xd503201f, 0);
	assert_int_equal(op.cls, C(NOP));
	assert_int_equal(op.size, 4);
	assert_int_equal(op.isa, CAIRN_ISA_A64);
	assert_int_equal(decode(CAIRN_ISA_A64, 0xd503201f, 2).cls, C(ILLEGAL));
	op = decode(CAIRN_ISA_X86_64, 0x90, 1);
	assert_int_equal(op.cls, C(UNKNOWN));
	assert_int_equal(op.size, 1);
	assert_int_equal(op.isa, CAIRN_ISA_X86_64);
	assert_int_equal(decode(CAIRN_ISA_UNKNOWN, 0x13, 4).cls, C(UNKNOWN));
	assert_int_equal(sizeof(struct cairn_op), 24);
}

static void memory_accesses(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		uint16_t size;
		uint8_t count;
	} known[] = {
		{0x00053503, 8, 1},  /* ld a0, 0(a0) */
		{0x4108, 4, 1},      /* c.lw a0, 0(a0) */
		{0x8508, 2, 1},      /* c.lhu a0, 0(a0) */
		{0x1005252f, 4, 1},  /* lr.w a0, (a0) */
		{0x00a5352f, 8, 1},  /* amoadd.d: one access */
		{0x28a5452f, 16, 1}, /* amocas.q */
		{0x02056007, 4, 0},  /* vle32.v v0, (a0) */
		{0x0aa57007, 8, 0},  /* vlse64.v */
		{0x06056007, 0, 0},  /* vluxei32.v: data is SEW */
		{0x02855007, 2, 0},  /* vl1re16.v */
		{0x02b50027, 1, 0},  /* vsm.v */
		{0x0045200f, 0, 0},  /* cbo.zero: the block size is the hart's */
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct cairn_op op = rv64(known[i].enc);
		assert_int_not_equal(op.cls, C(ILLEGAL));
		assert_int_equal(op.mem_size, known[i].size);
		assert_int_equal(op.mem_count, known[i].count);
	}
}

static void branch_offsets(void **state)
{
	(void)state;
	assert_int_equal(rv64(0xfe0508e3).offset, -16); /* beqz a0, -16 */
	assert_int_equal(rv64(0x80000063).offset, -4096);
	assert_int_equal(rv64(0x7e000fe3).offset, 4094);
	assert_int_equal(rv64(0x8000006f).offset, -1048576);
	assert_int_equal(rv64(0x7ffff06f).offset, 1048574);
	assert_int_equal(rv64(0xbffd).offset, -2); /* c.j -2 */
	assert_int_equal(rv64(0xb001).offset, -2048);
	assert_int_equal(rv64(0xd001).offset, -256); /* c.beqz s0, -256 */
	assert_int_equal(rv64(0x00008067).offset, 0);
}

/* ---- registers ---- */

static void expect_found(enum cairn_isa isa, const char *name, enum cairn_reg_class cls,
                         unsigned num)
{
	enum cairn_reg_class c = CAIRN_REG_UNKNOWN;
	unsigned n = ~0u;
	assert_int_equal(cairn_reg_find(isa, name, strlen(name), &c, &n), 0);
	assert_int_equal(c, cls);
	assert_int_equal(n, num);
}

static void registers_both_ways(void **state)
{
	(void)state;
	static const struct {
		enum cairn_reg_class cls;
		unsigned count;
		char letter;
	} banks[] = {{CAIRN_REG_INT, 32, 'x'},
	             {CAIRN_REG_FP, 32, 'f'},
	             {CAIRN_REG_VECTOR, 32, 'v'},
	             {CAIRN_REG_CSR, 4096, 0}};
	for (int x = 0; x < 2; x++)
		for (size_t b = 0; b < sizeof banks / sizeof *banks; b++)
			for (unsigned i = 0; i < banks[b].count; i++) {
				enum cairn_isa isa = x ? CAIRN_ISA_RV64 : CAIRN_ISA_RV32;
				char buf[16], plain[16];
				const char *name = cairn_reg_name(isa, banks[b].cls, i, buf);
				if (banks[b].letter) {
					(void)snprintf(plain, sizeof plain, "%c%u", banks[b].letter, i);
					assert_string_equal(name, plain);
				}
				expect_found(isa, name, banks[b].cls, i);
				name = cairn_reg_abi_name(isa, banks[b].cls, i, buf);
				expect_found(isa, name, banks[b].cls, i);
			}
}

static void register_names(void **state)
{
	(void)state;
	static const struct {
		enum cairn_reg_class cls;
		unsigned num;
		const char *name, *abi;
	} known[] = {
		{CAIRN_REG_INT, 0, "x0", "zero"},
		{CAIRN_REG_INT, 1, "x1", "ra"},
		{CAIRN_REG_INT, 5, "x5", "t0"},
		{CAIRN_REG_INT, 8, "x8", "s0"},
		{CAIRN_REG_INT, 18, "x18", "s2"},
		{CAIRN_REG_INT, 31, "x31", "t6"},
		{CAIRN_REG_INT, 32, "pc", "pc"},
		{CAIRN_REG_PC, 0, "pc", "pc"},
		{CAIRN_REG_INT, 33, "x33", "x33"},
		{CAIRN_REG_FP, 0, "f0", "ft0"},
		{CAIRN_REG_FP, 10, "f10", "fa0"},
		{CAIRN_REG_FP, 27, "f27", "fs11"},
		{CAIRN_REG_FP, 31, "f31", "ft11"},
		{CAIRN_REG_VECTOR, 31, "v31", "v31"},
		{CAIRN_REG_CSR, 0x300, "mstatus", "mstatus"},
		{CAIRN_REG_CSR, 0x7c0, "csr0x7c0", "csr0x7c0"},
		{CAIRN_REG_CSR, 0x011, "ssp", "ssp"},
		{CAIRN_REG_CSR, 0xb9f, "mhpmcounter31h", "mhpmcounter31h"},
		{CAIRN_REG_CSR, 0x3ef, "pmpaddr63", "pmpaddr63"},
		{CAIRN_REG_CSR, 0x157, "sireg6", "sireg6"},
		{CAIRN_REG_CSR, 0xffffffff, "csr0xffffffff", "csr0xffffffff"},
		{CAIRN_REG_FLAGS, 3, "flags3", "flags3"},
	};
	char buf[16];
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		assert_string_equal(cairn_reg_name(CAIRN_ISA_RV64, known[i].cls, known[i].num, buf),
		                    known[i].name);
		assert_string_equal(cairn_reg_abi_name(CAIRN_ISA_RV64, known[i].cls, known[i].num, buf),
		                    known[i].abi);
	}
	expect_found(CAIRN_ISA_RV64, "fp", CAIRN_REG_INT, 8);
	expect_found(CAIRN_ISA_RV64, "pc", CAIRN_REG_PC, 0);
	expect_found(CAIRN_ISA_RV64, "csr0x7C0", CAIRN_REG_CSR, 0x7c0);
	expect_found(CAIRN_ISA_RV64, "csr0x300", CAIRN_REG_CSR, 0x300);
	expect_found(CAIRN_ISA_A64, "pc", CAIRN_REG_PC, 0);
	static const char *const none[] = {
		"",           "x",           "x32",          "x05",          "x-1",           "f32",
		"v32",        "y1",          "ft12",         "csr0x",        "csr0x1000",     "csr0xg",
		"hpmcounter", "hpmcounter2", "hpmcounter32", "hpmcounter03", "mhpmcounter3x", "sireg1",
		"MSTATUS",    "h",           "zer"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		enum cairn_reg_class c;
		unsigned n;
		assert_int_equal(cairn_reg_find(CAIRN_ISA_RV64, none[i], strlen(none[i]), &c, &n),
		                 CAIRN_E_NOTFOUND);
	}
	assert_string_equal(cairn_reg_name(CAIRN_ISA_X86_64, CAIRN_REG_INT, 3, buf), "r3");
	assert_string_equal(cairn_reg_name(CAIRN_ISA_X86_64, (enum cairn_reg_class)99, 3, buf), "reg3");
	assert_string_equal(cairn_reg_name(CAIRN_ISA_X86_64, CAIRN_REG_FLAGS, 0xffffffff, buf),
	                    "flags4294967295");
}

static void names_of_sets_classes_and_traits(void **state)
{
	(void)state;
	assert_string_equal(cairn_isa_name(CAIRN_ISA_RV64), "rv64");
	assert_string_equal(cairn_isa_name(CAIRN_ISA_SPARC), "sparc");
	assert_null(cairn_isa_name((enum cairn_isa)3));
	assert_null(cairn_isa_name((enum cairn_isa) - 1));
	for (unsigned i = 0; i < CAIRN_CLASS_COUNT; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(cairn_class_name((enum cairn_class)i),
			                        cairn_class_name((enum cairn_class)k));
	assert_null(cairn_class_name(CAIRN_CLASS_COUNT));
	assert_string_equal(cairn_class_name(CAIRN_CLASS_SYSTEM), "system");
	for (unsigned i = 0; i < 31; i++)
		assert_non_null(cairn_trait_name(i));
	assert_null(cairn_trait_name(31));
	assert_string_equal(cairn_trait_name(0), "load");
	assert_string_equal(cairn_trait_name(16), "compressed");
	assert_string_equal(cairn_trait_name(24), "wait");
	assert_string_equal(cairn_trait_name(30), "move");
}

/* Twice as many encodings as slots, asked again and again: hits, misses and
 * collisions all answer as the decoder does. */
static void memo_answers_like_the_decoder(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	assert_non_null(cairn);
	struct isa_memo *memo = isa_memo_new(cairn);
	assert_non_null(memo);
	uint64_t s = 88172645463325252u;
	for (int i = 0; i < 1000000; i++) {
		uint64_t r = random64(&s) >> 8;
		uint32_t enc = (uint32_t)(r & 0xfff) * 0x9e3779b1u;
		enum cairn_isa isa = r >> 20 & 1 ? CAIRN_ISA_RV64 : CAIRN_ISA_RV32;
		unsigned size = (unsigned)(r >> 21 & 1) * (2 + 2 * (unsigned)(r >> 22 & 1));
		struct cairn_op want = decode(isa, enc, size);
		assert_memory_equal(isa_memo_get(memo, isa, enc, size), &want, sizeof want);
	}
	/* an encoding like no other must not match an empty slot */
	struct isa_memo *fresh = isa_memo_new(cairn);
	assert_non_null(fresh);
	struct cairn_op want = decode(CAIRN_ISA_UNKNOWN, 0, 0);
	assert_memory_equal(isa_memo_get(fresh, CAIRN_ISA_UNKNOWN, 0, 0), &want, sizeof want);
	want = decode((enum cairn_isa)255, 0xffffffff, 255);
	assert_memory_equal(isa_memo_get(fresh, (enum cairn_isa)255, 0xffffffff, 255), &want,
	                    sizeof want);
	isa_memo_free(fresh);
	isa_memo_free(memo);
	isa_memo_free(NULL);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_16_bit_encodings_agree_with_llvm),
		cmocka_unit_test(many_32_bit_encodings_agree_with_llvm),
		cmocka_unit_test(every_extension_of_llvm_is_compared),
		cmocka_unit_test(csr_names_agree_with_llvm),
		cmocka_unit_test(link_registers_tell_calls_from_returns),
		cmocka_unit_test(chosen_meanings),
		cmocka_unit_test(variants_decide_where_encodings_collide),
		cmocka_unit_test(descriptions_name_variants),
		cmocka_unit_test(sizes),
		cmocka_unit_test(memory_accesses),
		cmocka_unit_test(branch_offsets),
		cmocka_unit_test(registers_both_ways),
		cmocka_unit_test(register_names),
		cmocka_unit_test(names_of_sets_classes_and_traits),
		cmocka_unit_test(memo_answers_like_the_decoder),
	};
	return cmocka_run_group_tests_name("isa", tests, llvm_open, llvm_close);
}
