/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembly text: exact words per instruction set, absolute targets, the
 * policy for descriptions, the memo, and silence: LLVM complains on standard
 * error about feature names it does not know, so that is caught in a file.
 * Without LLVM every test but the one for its absence is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/isa.h"
#include "isa/llvm.h"

struct expect {
	uint64_t pc;
	uint32_t enc;
	unsigned size;
	const char *text;
};

static struct cairn *ctx;

static int setup(void **state)
{
	(void)state;
	ctx = cairn_new(NULL);
	return ctx ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(ctx);
	return 0;
}

static void need_llvm(int version)
{
	const struct isa_llvm *llvm = isa_llvm_get();
	if (!llvm || llvm->version < version)
		skip();
}

static struct cairn_disasm *make(enum cairn_isa isa, const char *string)
{
	struct cairn_disasm *disasm = NULL;
	int rc = cairn_disasm_new(ctx, isa, string, &disasm);
	if (rc < 0)
		fail_msg("%s", cairn_error_text(ctx));
	assert_non_null(disasm);
	return disasm;
}

static void check_text(struct cairn_disasm *disasm, const struct expect *expect)
{
	const char *text = NULL;
	size_t n = cairn_disasm_text(disasm, expect->pc, expect->enc, expect->size, &text);
	assert_string_equal(text, expect->text);
	assert_int_equal(n, strlen(expect->text));
}

/* Twice, so that the second comes out of the memo. */
static void check_all(enum cairn_isa isa, const char *string, const struct expect *expect, size_t n)
{
	struct cairn_disasm *disasm = make(isa, string);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i++)
			check_text(disasm, &expect[i]);
	}
	cairn_disasm_free(disasm);
}
#define CHECK_ALL(isa, string, ...) \
	check_all(isa, string, (const struct expect[]){__VA_ARGS__}, \
	          sizeof((const struct expect[]){__VA_ARGS__}) / sizeof(struct expect))

static void test_riscv(void **state)
{
	(void)state;
	need_llvm(14);
	CHECK_ALL(CAIRN_ISA_RV64, NULL, {0x80000000, 0x00c58533, 4, "add a0, a1, a2"},
	          {0x80000000, 0x02000513, 4, "li a0, 32"}, {0x80000000, 0x00058513, 4, "mv a0, a1"},
	          {0x80000000, 0x00008067, 4, "ret"}, {0x80000000, 0x8082, 2, "ret"},
	          {0x80000000, 0x12345537, 4, "lui a0, 74565"},
	          {0x80000000, 0x00000517, 4, "auipc a0, 0"},
	          {0x80000000, 0x30002573, 4, "csrr a0, mstatus"},
	          {0x80000000, 0x0085b503, 4, "ld a0, 8(a1)"},
	          {0x80000000, 0x02c58553, 4, "fadd.d fa0, fa1, fa2, rne"},
	          {0x80000000, 0x30200073, 4, "mret"}, {0x80000000, 0x00000073, 4, "ecall"},
	          {0x80000000, 0x0d0572d7, 4, "vsetvli t0, a0, e32, m1, ta, ma"},
	          {0x80000000, 0x02050407, 4, "vle8.v v8, (a0)"},
	          {0x80000000, 0x20c5a533, 4, "sh1add a0, a1, a2"},
	          {0x80000000, 0xffffffff, 4, "<unknown>"}, {0x80000000, 0x00c5, 4, "<unknown>"});
}

static void test_riscv_targets(void **state)
{
	(void)state;
	need_llvm(14);
	CHECK_ALL(CAIRN_ISA_RV64, NULL, {0x80000100, 0x0000006f, 4, "j 0x80000100"},
	          {0x80000104, 0x0000006f, 4, "j 0x80000104"},
	          {0x80000100, 0x008000ef, 4, "jal 0x80000108"},
	          {0x80000100, 0x008002ef, 4, "jal t0, 0x80000108"},
	          {0x80000100, 0x00b50863, 4, "beq a0, a1, 0x80000110"},
	          {0x80000100, 0x00050863, 4, "beqz a0, 0x80000110"},
	          {0x80000100, 0xfeb51ee3, 4, "bne a0, a1, 0x800000fc"},
	          {0x80000100, 0xa001, 2, "j 0x80000100"}, {0x80000200, 0xa001, 0, "j 0x80000200"},
	          {0, 0x0000006f, 4, "j 0x0"}, {0, 0xfeb51ee3, 4, "bne a0, a1, 0xfffffffffffffffc"},
	          {0x80000100, 0x000500e7, 4, "jalr a0"}, {0x80000100, 0x8502, 2, "jr a0"});
	CHECK_ALL(CAIRN_ISA_RV32, NULL, {0, 0xfeb51ee3, 4, "bne a0, a1, 0xfffffffc"},
	          {0x80000000, 0x00c58533, 4, "add a0, a1, a2"},
	          {0x80000000, 0x0085b503, 4, "<unknown>"});
}

static void test_riscv_usual(void **state)
{
	(void)state;
	need_llvm(19);
	CHECK_ALL(CAIRN_ISA_RV64, NULL, {0, 0xb802, 2, "fsd ft0, 48(sp)"},
	          {0, 0x0e05d533, 4, "czero.eqz a0, a1, zero"}, {0, 0x00d00073, 4, "wrs.nto"},
	          {0, 0x0100000f, 4, "pause"}, {0, 0x6c0640f3, 4, "hlv.d ra, (a2)"});
}

/* A description adds, it does not hide the usual. */
static void test_riscv_strings(void **state)
{
	(void)state;
	need_llvm(19);
	CHECK_ALL(CAIRN_ISA_RV64, "rv64i", {0, 0x8082, 2, "ret"},
	          {0, 0x02c58553, 4, "fadd.d fa0, fa1, fa2, rne"}, {0, 0x20c5a533, 4, "<unknown>"});
	CHECK_ALL(CAIRN_ISA_RV64, "RV64GCV_Zba1p0_zbb1p0", {0, 0x20c5a533, 4, "sh1add a0, a1, a2"},
	          {0, 0x02050407, 4, "vle8.v v8, (a0)"});
	CHECK_ALL(CAIRN_ISA_RV64, "rv64i2p1m2p0a2p1f2p2d2p2c2p0v1p0",
	          {0, 0x02050407, 4, "vle8.v v8, (a0)"});
	CHECK_ALL(CAIRN_ISA_RV64, "rv64imafdczba", {0, 0x20c5a533, 4, "sh1add a0, a1, a2"});
	CHECK_ALL(CAIRN_ISA_RV64, "rv64gcb", {0, 0x20c5a533, 4, "sh1add a0, a1, a2"});
	CHECK_ALL(CAIRN_ISA_RV64, "rva22u64", {0, 0x20c5a533, 4, "sh1add a0, a1, a2"});
	CHECK_ALL(CAIRN_ISA_RV64, "", {0, 0x20c5a533, 4, "sh1add a0, a1, a2"});
	CHECK_ALL(CAIRN_ISA_RV32, "rv32imac_zcmp_zcmt", {0, 0xbe42, 2, "cm.popret {ra}, 16"});
	CHECK_ALL(CAIRN_ISA_RV64, "rv64gc_zcmp", {0, 0xb802, 2, "fsd ft0, 48(sp)"});
	CHECK_ALL(CAIRN_ISA_RV64, "rv64imac_zfinx", {0, 0x00c58553, 4, "fadd.s a0, a1, a2, rne"});
	CHECK_ALL(CAIRN_ISA_RV64, "rv64gc_zfinx", {0, 0x00c58553, 4, "fadd.s fa0, fa1, fa2, rne"});
}

static void test_a64(void **state)
{
	(void)state;
	need_llvm(15);
	CHECK_ALL(CAIRN_ISA_A64, NULL, {0x400000, 0x8b020020, 4, "add x0, x1, x2"},
	          {0x400000, 0xd65f03c0, 0, "ret"}, {0x400000, 0xd61f0000, 4, "br x0"},
	          {0x400000, 0x910003fd, 4, "mov x29, sp"}, {0x400000, 0xd503233f, 4, "paciasp"},
	          {0x400000, 0xd9200820, 4, "stg x0, [x1]"},
	          {0x400000, 0x38b371ff, 4, "lduminab w19, wzr, [x15]"},
	          {0x400000, 0x04200000, 4, "add z0.b, z0.b, z0.b"},
	          {0x400000, 0x10000080, 4, "adr x0, #16"}, {0x400000, 0xffffffff, 4, "<unknown>"});
}

static void test_sparc(void **state)
{
	(void)state;
	need_llvm(15);
	CHECK_ALL(CAIRN_ISA_SPARC, NULL, {0x1000, 0x9de3bf50, 4, "save %sp, -176, %sp"},
	          {0x1000, 0x81c7e008, 4, "ret"}, {0x1000, 0x81e80000, 4, "restore"},
	          {0x1000, 0x01000000, 4, "nop"}, {0x1000, 0xc2586000, 4, "ldx [%g1], %g1"},
	          {0x1000, 0x80504000, 4, "umul %g1, %g0, %g0"});
}

/* Targets of direct branches are absolute. */
static void test_other_targets(void **state)
{
	(void)state;
	need_llvm(15);
	static const struct {
		enum cairn_isa isa;
		struct expect e;
	} all[] = {
		{CAIRN_ISA_A64, {0x400000, 0x14000004, 4, "b 0x400010"}},
		{CAIRN_ISA_A64, {0x400000, 0x97ffffff, 4, "bl 0x3ffffc"}},
		{CAIRN_ISA_A64, {0x400000, 0x54000080, 4, "b.eq 0x400010"}},
		{CAIRN_ISA_A64, {0x400000, 0xb4000080, 4, "cbz x0, 0x400010"}},
		{CAIRN_ISA_A64, {0x400000, 0x36180080, 4, "tbz w0, #3, 0x400010"}},
		{CAIRN_ISA_A64, {0x400000, 0xb4000080, 4, "cbz x0, 0x400010"}},
		{CAIRN_ISA_A64, {0x400000, 0xd61f0000, 4, "br x0"}},
		{CAIRN_ISA_A32, {0x8000, 0xea000002, 4, "b 0x8010"}},
		{CAIRN_ISA_A32, {0x8000, 0x1bfffffe, 4, "blne 0x8000"}},
		{CAIRN_ISA_A32, {0x8000, 0xfb000000, 4, "blx 0x800a"}},
		{CAIRN_ISA_T32, {0x8000, 0xe7fe, 2, "b 0x8000"}},
		{CAIRN_ISA_T32, {0x8000, 0xb109, 2, "cbz r1, 0x8006"}},
		{CAIRN_ISA_T32, {0x8000, 0xf000f802, 4, "bl 0x8008"}},
		{CAIRN_ISA_T32, {0x8000, 0xf000e802, 4, "blx 0x8008"}},
		{CAIRN_ISA_T32, {0x8002, 0xf000e802, 4, "blx 0x8008"}},
		{CAIRN_ISA_T32, {0, 0xe7fc, 2, "b 0xfffffffc"}},
		{CAIRN_ISA_SPARC, {0x1000, 0x40000002, 4, "call 0x1008"}},
		{CAIRN_ISA_SPARC, {0x1000, 0x10800004, 4, "ba 0x1010"}},
		{CAIRN_ISA_SPARC, {0x1000, 0x32800004, 4, "bne,a 0x1010"}},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		check_all(all[i].isa, NULL, &all[i].e, 1);
}

static void test_thumb(void **state)
{
	(void)state;
	need_llvm(15);
	CHECK_ALL(CAIRN_ISA_T32, NULL, {0, 0x4770, 2, "bx lr"}, {0, 0xbf08, 2, "it eq"},
	          {0, 0x2001, 2, "movs r0, #1"}, {0, 0xf8d01004, 4, "ldr.w r1, [r0, #4]"});
	CHECK_ALL(CAIRN_ISA_A32, NULL, {0, 0xe12fff1e, 4, "bx lr"});
	CHECK_ALL(CAIRN_ISA_X86_64, NULL, {0, 0xc3, 1, "retq"});
}

/* More encodings than the memo starts with, enough to make it grow; texts stay
 * right. */
static void test_memo_grows(void **state)
{
	(void)state;
	need_llvm(14);
	struct cairn_disasm *disasm = make(CAIRN_ISA_RV64, NULL);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 20000; i++) {
			char want[64];
			snprintf(want, sizeof want, "addi a%u, a1, %u", i & 7, i / 8 % 2000 + 1);
			uint32_t enc = (i / 8 % 2000 + 1) << 20 | 11u << 15 | (10 + (i & 7)) << 7 | 0x13;
			const char *text;
			size_t n = cairn_disasm_text(disasm, i, enc, 4, &text);
			assert_int_equal(n, strlen(want));
			assert_memory_equal(text, want, n + 1);
		}
	}
	cairn_disasm_free(disasm);
}

/* ---- silence ---- */

static int saved_stderr;
static FILE *caught;

static void catch_stderr(void)
{
	fflush(stderr);
	caught = tmpfile();
	assert_non_null(caught);
	saved_stderr = dup(2);
	dup2(fileno(caught), 2);
}

static long release_stderr(void)
{
	fflush(stderr);
	dup2(saved_stderr, 2);
	close(saved_stderr);
	fseek(caught, 0, SEEK_END);
	long n = ftell(caught);
	fclose(caught);
	return n;
}

static const char *const odd[] = {
	"",
	"rv",
	"rv64",
	"RV32",
	"rv64gc_zfoo_xbar",
	"rv64gc_",
	"_",
	"__zba__",
	"rv64g2p1c9p",
	"p",
	"z",
	"x",
	"s",
	"zz",
	"rv64imacsu_sstc",
	"rva23u64",
	"rva",
	"rv128gc",
	"rv64gc zba,zbb",
	"rv64imafdcvh_zicbom_zicbop_zicboz_zicsr_zicond_zifencei_zihintpause_zfhmin_zba_zbb_zbs_"
	"zihintntl_zvbb_zvbc_zvkg_zvkned_zvknhb_zvksed_zvksh_zvkt_smaia_smstateen_ss1p12_ssaia_"
	"sscofpmf_ssstateen_sv48_svinval_svnapot_svpbmt",
	"rv64gc_zvl128b1p0_za64rs_zic64b_zca_zcb_zcd_zcf_zce_zcmp_zcmt_zfinx_zdinx_zhinx_zhinxmin",
	"+help",
	"help",
	"rv64gc,+help",
	"-m",
	"experimental",
	"\xff\xfe\x01garbage\n\t%s%n",
	"rv64gc_zacas_zalasr_zicfilp_zicfiss_zaamo_zalrsc_zabha_zve32x_zve64d_zvfbfwma_zvkng_zvksg",
	"xcvalu_xcvbi_xcvbitmanip_xcvelw_xcvmac_xcvmem_xcvsimd_xsfcease_xsfvcp_xsfvfnrclipxfqf_"
	"xsfvfwmaccqqq_xsfvqmaccdod_xsfvqmaccqoq_xsifivecdiscarddlone_xsifivecflushdlone_xtheadba_"
	"xtheadbb_xtheadbs_xtheadcmo_xtheadcondmov_xtheadfmemidx_xtheadmac_xtheadmemidx_"
	"xtheadmempair_xtheadsync_xtheadvdot_xventanacondops_xwchc",
};

static void try_string(enum cairn_isa isa, const char *s)
{
	struct cairn_disasm *disasm = make(isa, s);
	const char *text;
	assert_true(cairn_disasm_text(disasm, 0, 0x8082, 2, &text) > 0);
	assert_string_equal(text, "ret");
	cairn_disasm_free(disasm);
}

static void test_silent(void **state)
{
	(void)state;
	need_llvm(14);
	catch_stderr();
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		try_string(CAIRN_ISA_RV64, odd[i]);
		try_string(CAIRN_ISA_RV32, odd[i]);
	}
	static const enum cairn_isa others[] = {CAIRN_ISA_RV32,  CAIRN_ISA_RV64, CAIRN_ISA_A64,
	                                        CAIRN_ISA_A32,   CAIRN_ISA_T32,  CAIRN_ISA_SPARC,
	                                        CAIRN_ISA_X86_64};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		cairn_disasm_free(make(others[i], NULL));
	char *big = malloc(100001);
	assert_non_null(big);
	memset(big, 'v', 100000);
	big[100000] = 0;
	try_string(CAIRN_ISA_RV64, big);
	free(big);
	assert_int_equal(release_stderr(), 0);
}

static void test_refused(void **state)
{
	(void)state;
	struct cairn_disasm *disasm = NULL;
	assert_int_equal(cairn_disasm_new(ctx, CAIRN_ISA_UNKNOWN, NULL, &disasm), CAIRN_E_UNSUPPORTED);
	assert_null(disasm);
	if (!isa_llvm_get()) {
		assert_int_equal(cairn_disasm_new(ctx, CAIRN_ISA_RV64, NULL, &disasm), CAIRN_E_UNSUPPORTED);
		assert_non_null(strstr(cairn_error_text(ctx), "apt-get install libllvm19"));
	}
	cairn_disasm_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_riscv),         cmocka_unit_test(test_riscv_targets),
		cmocka_unit_test(test_riscv_usual),   cmocka_unit_test(test_riscv_strings),
		cmocka_unit_test(test_a64),           cmocka_unit_test(test_sparc),
		cmocka_unit_test(test_other_targets), cmocka_unit_test(test_thumb),
		cmocka_unit_test(test_memo_grows),    cmocka_unit_test(test_silent),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests_name("disasm", tests, setup, teardown);
}
