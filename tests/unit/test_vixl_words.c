/* SPDX-License-Identifier: Apache-2.0 */
/* Words as the simulator spells them, family by family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cairn/cairn.h"
#include "formats/vixl/write/words.h"

static struct cairn *c;
static struct vixl_words *words;

static int begin(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	words = c ? vixl_words_new(c) : NULL;
	return words ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	vixl_words_free(words);
	cairn_free(c);
	return 0;
}

struct spelled {
	uint32_t enc;
	const char *text;
};

static void check_text(uint64_t pc, bool pc_known, uint32_t enc, const char *expected)
{
	const char *text;
	size_t n = vixl_words_of(words, pc, pc_known, enc, &text);
	if (n == 0)
		skip(); /* no LLVM here */
	if (n != strlen(expected) || memcmp(text, expected, n) != 0)
		fail_msg("%08x is '%s', not '%.*s'", enc, expected, (int)n, text);
}

static void check_all(const struct spelled *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_text(0x7f1b606cb020, true, all[i].enc, all[i].text);
}

#define CHECK_ALL(all) check_all(all, sizeof(all) / sizeof *(all))

static void distances_have_addresses(void **state)
{
	static const struct spelled all[] = {
		{0x14000003, "b #+0xc (addr 0x7f1b606cb02c)"},
		{0x94d8cd47, "bl #+0x363351c (addr 0x7f1b63cfe53c)"},
		{0x54cf8880, "b.eq #-0x60ef0 (addr 0x7f1b6066a130)"},
		{0xb410d93c, "cbz x28, #+0x21b24 (addr 0x7f1b606ecb44)"},
		{0x35763838, "cbnz w24, #+0xec704 (addr 0x7f1b607b7724)"},
		{0xb67d153d, "tbz x29, #47, #-0x5d5c (addr 0x7f1b606c52c4)"},
		{0x36100040, "tbz w0, #2, #+0x8 (addr 0x7f1b606cb028)"},
		{0x10b8fe22, "adr x2, #-0x8e03c (addr 0x7f1b6063cfe4)"},
		{0xf06c144a, "adrp x10, #+0xd828b000 (addr 0x7f1c38956000)"},
		{0x58989008, "ldr x8, pc-847360 (addr 0x7f1b605fc220)"},
		{0x989bd675, "ldrsw x21, pc-820532 (addr 0x7f1b60602aec)"},
		{0x9c000647, "ldr q7, pc+200 (addr 0x7f1b606cb0e8)"},
		{0xd810c3f6, "prfm #0b10110, pc+137340 (addr 0x7f1b606ec89c)"},
	};
	(void)state;
	CHECK_ALL(all);
	/* The same encoding elsewhere, at an address that is not known, beyond the middle. */
	check_text(0x1000, true, 0x14000003, "b #+0xc (addr 0x100c)");
	check_text(0x1000, false, 0x14000003, "b #+0xc (addr 0x~~~~~~~~~~~~~~~~)");
	check_text(0xffff000000080000, true, 0x14000003, "b #+0xc (addr -0xfffffff7fff4)");
	check_text(0xffc, true, 0x90000000, "adrp x0, #+0x0 (addr 0x0)");
}

static void numbers_are_hexadecimal(void **state)
{
	static const struct spelled all[] = {
		{0xd2820090, "mov x16, #0x1004"},
		{0x92e7ffe7, "mov x7, #0xc000ffffffffffff"},
		{0x12800001, "mov w1, #0xffffffff"},
		{0xb204cfe1, "mov x1, #0xf0f0f0f0f0f0f0f0"},
		{0x52a0001f, "movz wzr, #0x0"},
		{0x92a0000c, "movn x12, #0x0"},
		{0xf2ffdb98, "movk x24, #0xfedc, lsl #48"},
		{0xf2800000, "movk x0, #0x0"},
		{0x91040010, "add x16, x0, #0x100 (256)"},
		{0x915f0421, "add x1, x1, #0x7c1000 (8130560)"},
		{0xf100047f, "cmp x3, #0x1 (1)"},
		{0xb169eedf, "cmn x22, #0xa7b000 (10989568)"},
		{0x914003f4, "mov x20, sp"},
		{0x110003e1, "mov w1, wsp"},
		{0x91000021, "add x1, x1, #0x0 (0)"},
		{0x0000806b, "udf #0x806b"},
		{0xd4000002, "hvc #0x0"},
		{0xd45bd640, "hlt #0xdeb2"},
		{0xd4b7a1c3, "dcps3 {#0xbd0e}"},
		{0xd5033e5f, "clrex #0xe"},
	};
	(void)state;
	CHECK_ALL(all);
}

static void aliases_are_the_simulators(void **state)
{
	static const struct spelled all[] = {
		{0x13007d8b, "sbfx w11, w12, #0, #32"},
		{0x9340fdcd, "sbfx x13, x14, #0, #64"},
		{0xd3401c62, "uxtb x2, w3"},
		{0xd3403fff, "uxth xzr, wzr"},
		{0xb35723f5, "bfc x21, #41, #9"},
		{0xd37ff841, "lsl x1, x2, #1"},
		{0x2ae90104, "orn w4, w8, w9"},
		{0xcb9d03fb, "neg x27, x29"},
		{0xaaad03e0, "mvn x0, x13"},
		{0x8b020c20, "add x0, x1, x2, lsl #3"},
		{0xeb2168df, "cmp x6, x1, lsl #2"},
		{0x4b26693f, "sub wsp, w9, x6, lsl #2"},
		{0x6b2466ab, "subs w11, w21, x4, uxtx #1"},
		{0x8b22c020, "add x0, x1, w2, sxtw"},
		{0x3a4ae120, "ccmn w9, w10, #nzcv, al"},
		{0x7a4aaaa0, "ccmp w21, #10, #nzcv, ge"},
		{0x1e3417ad, "fccmp s29, s20, #NZcV, ne"},
		{0xba02046f, "rmif x3, #4, #NZCV"},
		{0x0f20a690, "sxtl v16.2d, v20.2s"},
		{0x6f08a6b4, "uxtl2 v20.8h, v21.16b"},
		{0x2f09a5cb, "ushll v11.8h, v14.8b, #1"},
	};
	(void)state;
	CHECK_ALL(all);
}

static void vectors(void **state)
{
	static const struct spelled all[] = {
		{0x4c40a421, "ld1 {v1.8h, v2.8h}, [x1]"},
		{0x0ddf7b8e, "ld3 {v14.h, v15.h, v16.h}[3], [x28], #6"},
		{0x4e166239, "tbl v25.16b, {v17.16b, v18.16b, v19.16b, v20.16b}, v22.16b"},
		{0xa441f418, "ld3b {z24.b, z25.b, z26.b}, p5/z, [x0, #3, mul vl]"},
		{0xa4edf81f, "ld4h {z31.h, z0.h, z1.h, z2.h}, p6/z, [x0, #-12, mul vl]"},
		{0x4f04e41d, "movi v29.16b, #0x80"},
		{0x0f07658c, "movi v12.2s, #0xec, lsl #24"},
		{0x0f06841a, "movi v26.4h, #0xc0, lsl #0"},
		{0x0f02d58a, "movi v10.2s, #0x4c, msl #16"},
		{0x6f00e7c8, "movi v8.2d, #0xffffffff00"},
		{0x2f01b47c, "bic v28.4h, #0x23, lsl #8"},
		{0x4f051567, "orr v7.4s, #0xab, lsl #0"},
		{0x6f04f517, "fmov v23.2d, #0x88 (-3.0000)"},
		{0x1e6f1000, "fmov d0, #0x78 (1.5000)"},
		{0x9eaf033c, "fmov v28.D[1], x25"},
		{0x25f9ce00, "fmov z0.d, #0x70 (1.0000)"},
		{0x05c0057d, "mov z29.h, #0xfff"},
		{0x055f3075, "mov z21.h, p15/z, #-125, lsl #8"},
		{0x25a4e8a3, "sqadd z3.s, z3.s, #69, lsl #8"},
		{0x2598e362, "ptrue p2.s, #0x1b"},
		{0x0427fa5b, "sqdecb x27, w27, #0x12, mul #8"},
		{0x047b49de, "index z30.h, #14, w27"},
		{0x25eb813c, "uqdecp z28.d, p9"},
	};
	(void)state;
	CHECK_ALL(all);
}

static void the_system(void **state)
{
	static const struct spelled all[] = {
		{0xd53b4201, "mrs x1, nzcv"},
		{0xd51b4404, "msr fpcr, x4"},
		{0xd53b2405, "mrs x5, rndr"},
		{0xd53b00e5, "mrs x5, dczid_el0"},
		{0xd53006a4, "mrs x4, S2_0_c0_c6_5"},
		{0xd51f601f, "msr S3_7_c6_c0_0, xzr"},
		{0xd50b7422, "dc zva, x2"},
		{0xd50b7520, "ic ivau, x0"},
		{0xd5087849, "sys #0, C7, C8, #2, x9"},
		{0xd50c953f, "sys #4, C9, C5, #1"},
		{0xd5033bbf, "dmb ish"},
		{0xd503389f, "dsb sy (0b1000)"},
		{0xd5033edf, "isb"},
		{0xd503223f, "hint #17"},
		{0xd503233f, "paciasp"},
		{0xf9800000, "prfm pldl1keep, [x0]"},
		{0xf88463fe, "prfum #0b11110, [sp, #70]"},
		{0xf8b34958, "prfm #0b11000, [x10, w19, uxtw]"},
		{0x8410d147, "prfb #0b0111, p4, [x10, x16]"},
		{0xf8200c17, "ldraa x23, [x0]!"},
	};
	(void)state;
	CHECK_ALL(all);
}

/* More encodings than are kept, twice: what is kept is never another's. */
static void what_is_kept_is_its_own(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t imm = 0; imm < 4096; imm++) {
			char expected[64];
			snprintf(expected, sizeof expected, "add x1, x2, #0x%x (%u)", imm, imm);
			check_text(0, true, 0x91000041 | imm << 10, expected);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(distances_have_addresses),
	                                   cmocka_unit_test(numbers_are_hexadecimal),
	                                   cmocka_unit_test(aliases_are_the_simulators),
	                                   cmocka_unit_test(vectors),
	                                   cmocka_unit_test(the_system),
	                                   cmocka_unit_test(what_is_kept_is_its_own)};
	return cmocka_run_group_tests(tests, begin, end);
}
