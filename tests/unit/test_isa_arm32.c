/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 against LLVM's disassembler: class, traits and accesses.
 *
 * Rows here say from LLVM's words alone what an instruction is. All 16-bit T32 encodings
 * are compared; of the others every value of the bits that lead to an instruction, with
 * many of the rest. Whatever LLVM knows we must know, too. Not the other way round: LLVM
 * says nothing of what the manual calls unpredictable, which we name for what it would
 * be; how many of these there are is counted and bounded. What an instruction does to the flow is
 * held against LLVM in test_isa_arm_flow.c; here class and traits are held against that.
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
#include "isa/arm.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

static struct llvm_witness *a32, *t32;

static int open_all(void **state)
{
	(void)state;
	a32 = llvm_witness_new(CAIRN_ISA_A32, NULL, NULL);
	t32 = llvm_witness_new(CAIRN_ISA_T32, NULL, NULL);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	llvm_witness_free(a32);
	llvm_witness_free(t32);
	return 0;
}

/* ---- words ---- */

/* What must be read from the operands: how many registers are in the list; whether a
 * register is of 8, 4 or 2 bytes; nothing of privilege. */
enum extra { NONE, LIST, FPREG, FPLIST, ELEMENTS, ANYPRIV };

struct meaning {
	const char *names;
	uint8_t cls;
	uint32_t traits;
	uint8_t size, count, extra;
};

#define L T(LOAD)
#define S T(STORE)
#define AT T(ATOMIC)
#define VEC C(VECTOR), T(VECTOR)

static const struct meaning words[] = {
	{"nop", C(NOP), 0, 0, 0, NONE},
	{"yield dbg hint bti pacbti pac aut", C(NOP), T(HINT), 0, 0, NONE},
	{"wfe wfi", C(SYSTEM), T(WAIT) | T(HINT), 0, 0, NONE},
	{"sev sevl clrbhb", C(SYSTEM), T(HINT), 0, 0, NONE},
	{"esb csdb tsb", C(FENCE), T(FENCE) | T(HINT), 0, 0, NONE},
	{"dmb dsb isb sb ssbb pssbb dfb", C(FENCE), T(FENCE), 0, 0, NONE},
	{"clrex setend", C(SYSTEM), 0, 0, 0, NONE},
	{"mov movs movw", C(INT), T(MOVE), 0, 0, NONE},
	{"mvn mvns add adds addw sub subs subw rsb rsbs adc adcs sbc sbcs rsc rscs and ands orr orrs orn "
     "orns eor eors bic bics cmp cmn tst teq lsl lsls lsr lsrs asr asrs ror rors rrx rrxs adr neg "
     "movt ubfx sbfx bfi bfc usat ssat usat16 ssat16 pkhbt pkhtb sel sxtb sxth uxtb uxth sxtb16 "
     "uxtb16 sxtab sxtah uxtab uxtah sxtab16 uxtab16 qadd qsub qdadd qdsub sadd8 sadd16 ssub8 "
     "ssub16 sasx ssax uadd8 uadd16 usub8 usub16 uasx usax qadd8 qadd16 qsub8 qsub16 qasx qsax "
     "uqadd8 uqadd16 uqsub8 uqsub16 uqasx uqsax shadd8 shadd16 shsub8 shsub16 shasx shsax uhadd8 "
     "uhadd16 uhsub8 uhsub16 uhasx uhsax usad8 usada8 crc32b crc32h crc32w crc32cb crc32ch crc32cw",
     C(INT), 0, 0, 0, NONE},
	{"clz rbit rev rev16 revsh", C(INT), T(BITMANIP), 0, 0, NONE},
	{"mul muls mla mlas mls smull smulls umull umulls smlal smlals umlal umlals umaal smlabb smlabt "
     "smlatb smlatt smlawb smlawt smulbb smulbt smultb smultt smulwb smulwt smlalbb smlalbt smlaltb "
     "smlaltt smlad smladx smlsd smlsdx smuad smuadx smusd smusdx smlald smlaldx smlsld smlsldx "
     "smmul smmulr smmla smmlar smmls smmlsr",
     C(MUL), T(MUL), 0, 0, NONE},
	{"sdiv udiv", C(DIV), T(DIV), 0, 0, NONE},
	{"ldr ldrt", C(LOAD), L, 4, 1, NONE},
	{"ldrh ldrsh ldrht ldrsht", C(LOAD), L, 2, 1, NONE},
	{"ldrb ldrsb ldrbt ldrsbt", C(LOAD), L, 1, 1, NONE},
	{"str strt", C(STORE), S, 4, 1, NONE},
	{"strh strht", C(STORE), S, 2, 1, NONE},
	{"strb strbt", C(STORE), S, 1, 1, NONE},
	{"ldrd", C(LOAD), L, 4, 2, NONE},
	{"strd", C(STORE), S, 4, 2, NONE},
	{"ldm ldmdb ldmda ldmib pop", C(LOAD), L, 4, 0, LIST},
	{"stm stmdb stmda stmib push", C(STORE), S, 4, 0, LIST},
	{"ldrex", C(ATOMIC), AT | L | T(RESERVED_LR), 4, 1, NONE},
	{"ldrexb", C(ATOMIC), AT | L | T(RESERVED_LR), 1, 1, NONE},
	{"ldrexh", C(ATOMIC), AT | L | T(RESERVED_LR), 2, 1, NONE},
	{"ldrexd", C(ATOMIC), AT | L | T(RESERVED_LR), 4, 2, NONE},
	{"strex", C(ATOMIC), AT | S | T(RESERVED_SC), 4, 1, NONE},
	{"strexb", C(ATOMIC), AT | S | T(RESERVED_SC), 1, 1, NONE},
	{"strexh", C(ATOMIC), AT | S | T(RESERVED_SC), 2, 1, NONE},
	{"strexd", C(ATOMIC), AT | S | T(RESERVED_SC), 4, 2, NONE},
	{"ldaex", C(ATOMIC), AT | L | T(RESERVED_LR) | T(ACQUIRE), 4, 1, NONE},
	{"ldaexb", C(ATOMIC), AT | L | T(RESERVED_LR) | T(ACQUIRE), 1, 1, NONE},
	{"ldaexh", C(ATOMIC), AT | L | T(RESERVED_LR) | T(ACQUIRE), 2, 1, NONE},
	{"ldaexd", C(ATOMIC), AT | L | T(RESERVED_LR) | T(ACQUIRE), 4, 2, NONE},
	{"stlex", C(ATOMIC), AT | S | T(RESERVED_SC) | T(RELEASE), 4, 1, NONE},
	{"stlexb", C(ATOMIC), AT | S | T(RESERVED_SC) | T(RELEASE), 1, 1, NONE},
	{"stlexh", C(ATOMIC), AT | S | T(RESERVED_SC) | T(RELEASE), 2, 1, NONE},
	{"stlexd", C(ATOMIC), AT | S | T(RESERVED_SC) | T(RELEASE), 4, 2, NONE},
	{"lda", C(LOAD), L | T(ACQUIRE), 4, 1, NONE},
	{"ldab", C(LOAD), L | T(ACQUIRE), 1, 1, NONE},
	{"ldah", C(LOAD), L | T(ACQUIRE), 2, 1, NONE},
	{"stl", C(STORE), S | T(RELEASE), 4, 1, NONE},
	{"stlb", C(STORE), S | T(RELEASE), 1, 1, NONE},
	{"stlh", C(STORE), S | T(RELEASE), 2, 1, NONE},
	{"swp", C(ATOMIC), AT | L | S, 4, 1, NONE},
	{"swpb", C(ATOMIC), AT | L | S, 1, 1, NONE},
	{"pld pldw pli", C(CACHE), T(CACHE) | T(PREFETCH) | T(HINT), 0, 0, NONE},
	{"srsda srsdb srsia srsib", C(STORE), S | T(PRIVILEGED), 4, 2, NONE},
	{"svc", C(SYSTEM), T(SYSCALL), 0, 0, NONE},
	{"hvc smc", C(SYSTEM), T(SYSCALL) | T(PRIVILEGED), 0, 0, NONE},
	{"bkpt hlt", C(SYSTEM), T(BREAKPOINT), 0, 0, NONE},
	{"cps cpsie cpsid setpan dcps1 dcps2 dcps3", C(SYSTEM), T(PRIVILEGED), 0, 0, NONE},
	{"mrs msr", C(CSR), T(CSR), 0, 0, ANYPRIV},
	{"mcr mrc mcr2 mrc2 mcrr mrrc mcrr2 mrrc2", C(CSR), T(CSR), 0, 0, ANYPRIV},
	{"cdp cdp2", C(SYSTEM), 0, 0, 0, NONE},
	{"ldc ldcl ldc2 ldc2l", C(LOAD), L, 4, 0, NONE},
	{"stc stcl stc2 stc2l", C(STORE), S, 4, 0, NONE},
	{"it itt ite ittt itte itet itee itttt ittte ittet ittee itett itete iteet iteee", C(INT), 0, 0,
     0, NONE},
	{"vldr", C(LOAD), L | T(FP), 0, 1, FPREG},
	{"vstr", C(STORE), S | T(FP), 0, 1, FPREG},
	{"vldmia vldmdb vpop", C(LOAD), L | T(FP), 0, 0, FPLIST},
	{"vstmia vstmdb vpush", C(STORE), S | T(FP), 0, 0, FPLIST},
	{"fldmiax fldmdbx", C(LOAD), L | T(FP), 8, 0, ANYPRIV},
	{"fstmiax fstmdbx", C(STORE), S | T(FP), 8, 0, ANYPRIV},
	{"vld1 vld2 vld3 vld4", C(LOAD), L | T(VECTOR), 0, 0, ELEMENTS},
	{"vst1 vst2 vst3 vst4", C(STORE), S | T(VECTOR), 0, 0, ELEMENTS},
	{"vmrs vmsr fmstat", C(CSR), T(CSR) | T(FP), 0, 0, NONE},
	{"aese aesd aesmc aesimc sha1c sha1p sha1m sha1h sha1su0 sha1su1 sha256h sha256h2 sha256su0 "
     "sha256su1",
     C(CRYPTO), T(CRYPTO) | T(VECTOR), 0, 0, NONE},
};

static const char conditions[] = " eq ne hs lo mi pl vs vc hi ls ge lt gt le ";

/* "addseq.w" is "adds". */
static bool is_plain(const char *word, const char *name, size_t n)
{
	if (strncmp(word, name, n) != 0)
		return false;
	const char *rest = word + n;
	size_t k = strcspn(rest, ".<"); /* "stm<und>": LLVM lost count of a condition */
	char with[5] = {' ', 0, 0, ' ', 0};
	if (k == 0)
		return true;
	if (k != 2)
		return false;
	memcpy(with + 1, rest, 2);
	return strstr(conditions, with);
}

static const struct meaning *search(const char *word)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (const char *p = words[i].names; *p;) {
			size_t n = strcspn(p, " ");
			if (is_plain(word, p, n))
				return &words[i];
			p += n + (p[n] == ' ');
		}
	return NULL;
}

static const struct meaning *meaning_of(const char *word)
{
	static struct {
		char word[24];
		const struct meaning *m;
	} seen[1 << 14];
	uint32_t h = 2166136261u;
	for (const char *s = word; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	assert_true(strlen(word) < sizeof seen[0].word);
	size_t i = h & 0x3fff;
	while (seen[i].word[0] && strcmp(seen[i].word, word) != 0)
		i = (i + 1) & 0x3fff;
	if (!seen[i].word[0]) {
		strcpy(seen[i].word, word);
		seen[i].m = search(word);
	}
	return seen[i].m;
}

/* ---- SIMD and floating point ---- */

static bool base_is(const char *word, const char *names)
{
	for (const char *p = names; *p;) {
		size_t n = strcspn(p, " ");
		if (is_plain(word, p, n))
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

static const char products[] =
	"vmla vmls vmul vmlal vmlsl vmull vnmla vnmls vnmul vfma vfms vfnma vfnms vqdmlal vqdmlsl vqdmull "
	"vqdmulh vqrdmulh vqrdmlah vqrdmlsh vfmal vfmsl vcmla vsdot vudot vusdot vsudot vdot vsmmla "
	"vummla vusmmla vmmla vfmab vfmat";

static bool has_reg(const char *operands, char letter)
{
	for (const char *p = operands; *p; p++)
		if (*p == letter && isdigit((unsigned char)p[1]) &&
		    (p == operands || !isalnum((unsigned char)p[-1])))
			return true;
	return false;
}

/* Of a v-word: scalar floating point, or vectors. */
static void vector_meaning(const char *word, const char *operands, struct cairn_op *want)
{
	const char *type = strchr(word, '.');
	bool fp = type && (strstr(type, ".f") || strstr(type, ".bf"));
	bool scalar = (want->enc & 0x0f000e00) == 0x0e000a00 ||
	              (want->enc & 0x0f000f00) == 0x0e000900 ||
	              ((want->enc & 0x0e000e00) == 0x0c000a00 && want->enc >> 28 != 15);
	bool later = want->enc >> 28 == 15 && (want->enc & 0x0f000000) != 0x0e000000;
	scalar = scalar && !has_reg(operands, 'q') && !later && !base_is(word, "vfmal vfmsl vdot vdup");
	if (scalar && base_is(word, "vmov") && strchr(operands, '['))
		scalar = false;
	want->traits = scalar ? T(FP) : T(VECTOR) | (fp ? T(FP) : 0u);
	want->cls = scalar ? C(FP) : C(VECTOR);
	if (base_is(word, products))
		want->traits |= T(MUL);
	if (base_is(word, "vmov vmvn vdup vmovx vins") &&
	    (!base_is(word, "vmvn") || strchr(operands, '#')))
		want->traits |= T(MOVE);
	if (base_is(word, "vrev16 vrev32 vrev64 vcls vclz vcnt"))
		want->traits |= T(BITMANIP);
	if (scalar && base_is(word, "vdiv vsqrt")) {
		want->cls = C(FPDIV);
		want->traits |= base_is(word, "vdiv") ? T(DIV) : 0u;
	}
}

/* ---- operands ---- */

static unsigned list_length(const char *operands)
{
	const char *p = strchr(operands, '{');
	unsigned n = 1;
	assert_non_null(p);
	if (p[1] == '}')
		return 0;
	for (; *p != '}'; p++)
		n += *p == ',';
	return n;
}

/* "vld1.8 {d0, d1}", "vld2.16 {d0[1], d2[1]}", "vld1.32 {d0[]}". */
static void elements(const char *word, const char *operands, struct cairn_op *want)
{
	const char *type = strchr(word, '.');
	bool lanes =
		strchr(operands, '}') && memchr(operands, '[', (size_t)(strchr(operands, '}') - operands));
	unsigned n = list_length(operands);
	want->mem_size = (uint16_t)(strtoul(type + 1, NULL, 10) / 8);
	if (lanes)
		n = (unsigned)(word[3] - '0');
	want->mem_count = (uint8_t)(lanes ? n : n * 8 / want->mem_size);
}

static void operand_sizes(const struct meaning *meaning, const char *word, const char *operands,
                          struct cairn_op *want)
{
	const char *brace = strchr(operands, '{');
	switch (meaning->extra) {
	case LIST:
		want->mem_count = brace ? (uint8_t)list_length(operands) : 1;
		if (operands[strlen(operands) - 1] == '^')
			want->traits |= T(PRIVILEGED);
		break;
	case FPREG:
		want->mem_size = strstr(word, ".16") ? 2 : operands[0] == 'd' ? 8 : 4;
		break;
	case FPLIST:
		want->mem_size = brace[1] == 'd' ? 8 : 4;
		want->mem_count = (uint8_t)list_length(operands);
		break;
	case ELEMENTS:
		elements(word, operands, want);
		break;
	default:
		break;
	}
}

/* ---- comparing ---- */

static unsigned long compared, known, ours_alone, wrong;

static void complain(const struct cairn_op *got, const struct cairn_op *want, const char *word,
                     const char *operands)
{
	static uint64_t seen[256][2];
	unsigned top = got->enc > 0xffff ? got->enc >> 24 : got->enc >> 8;
	unsigned bit = (got->enc >> (got->enc > 0xffff ? 20 : 4) & 15) << 1 | (want != NULL);
	wrong++;
	if (seen[top][got->isa == CAIRN_ISA_T32] >> bit & 1)
		return;
	seen[top][got->isa == CAIRN_ISA_T32] |= UINT64_C(1) << bit;
	print_error("%s %08x %s %s: %s %08x mem %u*%u", cairn_isa_name((enum cairn_isa)got->isa),
	            got->enc, word, operands, cairn_class_name((enum cairn_class)got->cls), got->traits,
	            got->mem_count, got->mem_size);
	if (want)
		print_error(", not %s %08x mem %u*%u", cairn_class_name((enum cairn_class)want->cls),
		            want->traits, want->mem_count, want->mem_size);
	print_error("\n");
}

/* Class and traits of what branches follow from the flow. */
static void compare_branch(const struct cairn_op *got, const struct isa_arm_flow *flow,
                           const char *word, const char *operands)
{
	bool eret = flow->flags & ISA_ARM_ERET, call = flow->flags & ISA_ARM_LINK,
		 ret = flow->flags & ISA_ARM_RETURN;
	bool direct = flow->kind == ISA_ARM_DIRECT, cond = flow->flags & ISA_ARM_CONDITIONAL;
	struct cairn_op want = *got;
	want.cls = eret             ? C(SYSTEM)
	           : ret            ? C(RETURN)
	           : call           ? C(CALL)
	           : direct && cond ? C(BRANCH)
	                            : C(JUMP);
	want.traits = eret ? T(XRET) | T(PRIVILEGED)
	                   : T(BRANCH) | (direct ? 0u : T(INDIRECT)) | (cond ? T(CONDITIONAL) : 0u) |
	                         (call ? T(CALL) : 0u) | (ret ? T(RETURN) : 0u);
	want.traits |= got->size == 2 && got->isa == CAIRN_ISA_T32 ? T(COMPRESSED) : 0u;
	bool loads =
		base_is(word, "ldr ldrt ldm ldmdb ldmda ldmib pop tbb tbh rfeda rfedb rfeia rfeib");
	want.traits |= loads ? T(LOAD) : 0u;
	want.offset = flow->offset;
	if (got->cls != want.cls || got->traits != want.traits || got->offset != want.offset ||
	    (got->mem_size != 0) != loads)
		complain(got, &want, word, operands);
}

static void compare(struct llvm_witness *witness, enum cairn_isa isa, uint32_t enc)
{
	const char *operands = "";
	const char *word = llvm_witness_text(witness, enc, &operands);
	struct cairn_op got;
	struct isa_arm_flow flow;
	cairn_isa_decode(isa, enc, 0, &got);
	isa_arm_flow(isa, enc, ISA_ARM_AA64, true, &flow);
	compared++;
	known += word != NULL;
	if (!word || !strncmp(word, "udf", 3) || !strcmp(word, "trap") || !strcmp(word, "__brkdiv0")) {
		ours_alone += got.cls != C(ILLEGAL) && !flow.kind;
		if (word && got.cls != C(ILLEGAL))
			complain(&got, NULL, word, operands);
		return;
	}
	if (flow.kind == ISA_ARM_DIRECT || flow.kind == ISA_ARM_INDIRECT) {
		compare_branch(&got, &flow, word, operands);
		return;
	}
	struct cairn_op want = {.enc = enc, .size = got.size, .isa = (uint8_t)isa};
	const struct meaning *meaning = meaning_of(word);
	if (meaning) {
		want.cls = meaning->cls;
		want.traits = meaning->traits;
		want.mem_size = meaning->size;
		want.mem_count = meaning->count;
		operand_sizes(meaning, word, operands, &want);
		if (meaning->extra == ANYPRIV) {
			want.traits |= got.traits & T(PRIVILEGED);
			want.mem_count = got.mem_count;
		}
		if (base_is(word, "mcr") && flow.kind == ISA_ARM_ISB)
			want.cls = C(FENCE), want.traits = T(FENCE);
	} else if (word[0] == 'v') {
		vector_meaning(word, operands, &want);
	} else {
		complain(&got, NULL, word, operands);
		return;
	}
	want.traits |= want.size == 2 && isa == CAIRN_ISA_T32 ? T(COMPRESSED) : 0u;
	if (memcmp(&got, &want, sizeof got) != 0)
		complain(&got, &want, word, operands);
}

static void settle(unsigned percent)
{
	print_message("%lu compared, %lu exist, %lu wrong; %lu only we name\n", compared, known, wrong,
	              ours_alone);
	assert_int_equal(wrong, 0);
	assert_true(ours_alone * 100 <= compared * percent);
	compared = known = ours_alone = 0;
}

static void a32_agrees_with_llvm(void **state)
{
	(void)state;
	uint64_t s = 88172645463325252u;
	if (!a32)
		skip();
	for (uint32_t top = 0; top < 4096; top++)
		for (uint32_t low = 0; low < 16; low++)
			for (uint32_t i = 0; i < (top >> 8 >= 14 ? 40 : 3); i++)
				compare(a32, CAIRN_ISA_A32, top << 20 | low << 4 | (random_lumpy(&s) & 0xfff0f));
	settle(20);
}

static void t32_agrees_with_llvm(void **state)
{
	(void)state;
	uint64_t s = 88172645463325252u;
	if (!t32)
		skip();
	for (uint32_t e = 0; e < 0xe800; e++)
		compare(t32, CAIRN_ISA_T32, e);
	settle(2);
	for (uint32_t top = 0xe800; top < 0x10000; top++)
		for (uint32_t i = 0; i < 24; i++) {
			uint32_t low = random_lumpy(&s) & 0xffff;
			compare(t32, CAIRN_ISA_T32, top << 16 | low);
			compare(t32, CAIRN_ISA_T32, top << 16 | (low & 0x0fff) | (i & 1 ? 0xf000 : 0x8000));
		}
	settle(20);
}

/* ---- what needs no LLVM ---- */

static void sizes_and_names(void **state)
{
	(void)state;
	struct cairn_op op;
	cairn_isa_decode(CAIRN_ISA_T32, 0x4770, 0, &op);
	assert_int_equal(op.size, 2);
	assert_int_equal(op.cls, C(RETURN));
	cairn_isa_decode(CAIRN_ISA_T32, 0xf000f800, 0, &op);
	assert_int_equal(op.size, 4);
	assert_int_equal(op.cls, C(CALL));
	cairn_isa_decode(CAIRN_ISA_T32, 0xf000, 2, &op); /* half of one */
	assert_int_equal(op.cls, C(ILLEGAL));
	cairn_isa_decode(CAIRN_ISA_T32, 0x4770, 4, &op);
	assert_int_equal(op.cls, C(ILLEGAL));
	cairn_isa_decode(CAIRN_ISA_A32, 0xe12fff1e, 2, &op);
	assert_int_equal(op.cls, C(ILLEGAL));
	static const struct {
		enum cairn_reg_class cls;
		unsigned num;
		const char *name;
	} regs[] = {
		{CAIRN_REG_INT, 0, "r0"},   {CAIRN_REG_INT, 13, "sp"},    {CAIRN_REG_INT, 14, "lr"},
		{CAIRN_REG_FP, 31, "s31"},  {CAIRN_REG_FP, 63, "d31"},    {CAIRN_REG_VECTOR, 15, "q15"},
		{CAIRN_REG_CSR, 0, "cpsr"}, {CAIRN_REG_FLAGS, 0, "nzcv"}, {CAIRN_REG_PC, 0, "pc"}};
	for (size_t i = 0; i < sizeof regs / sizeof *regs; i++) {
		char buf[16];
		enum cairn_reg_class cls;
		unsigned num;
		assert_string_equal(cairn_reg_name(CAIRN_ISA_A32, regs[i].cls, regs[i].num, buf),
		                    regs[i].name);
		assert_int_equal(
			cairn_reg_find(CAIRN_ISA_T32, regs[i].name, strlen(regs[i].name), &cls, &num), 0);
		assert_int_equal(cls, regs[i].cls);
		assert_int_equal(num, regs[i].num);
	}
	enum cairn_reg_class cls;
	unsigned num;
	assert_int_equal(cairn_reg_find(CAIRN_ISA_A32, "fp", 2, &cls, &num), 0);
	assert_int_equal(num, 11);
	assert_int_equal(cairn_reg_find(CAIRN_ISA_A32, "r16", 3, &cls, &num), CAIRN_E_NOTFOUND);
	char buf[16];
	assert_string_equal(cairn_reg_name(CAIRN_ISA_A32, CAIRN_REG_INT, 16, buf), "r16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a32_agrees_with_llvm),
		cmocka_unit_test(t32_agrees_with_llvm),
		cmocka_unit_test(sizes_and_names),
	};
	return cmocka_run_group_tests_name("isa_arm32", tests, open_all, close_all);
}
