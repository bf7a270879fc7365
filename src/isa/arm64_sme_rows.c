/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: encodings of SME that do not access memory. What rows are: arm64_rows.h.
 *
 * The masks were found by asking a disassembler which bits of an encoding matter to its
 * class, and are held against it by tests/unit/test_isa_arm64.c; they state the tables of
 * the Arm Architecture Reference Manual for A-profile, C4.1 (SME).
 */
#include "isa/arm64_rows.h"

static const struct isa_arm64_row rows[] = {
	{0xfec0001c, 0x80800000, VFMUL}, /* fmopa bfmopa */
	{0xffa0000c, 0x80800000, VFMUL}, /* fmopa fmops */
	{0xffe0000c, 0x80800008, VEC},   /* bmopa bmops */
	{0xfee00016, 0x80a00000, VFMUL}, /* fmopa bfmopa */
	{0xffe00008, 0x80c00000, VFMUL}, /* fmopa fmops */
	{0xffc00006, 0x81800000, VFMUL}, /* bfmopa fmops bfmops fmopa */
	{0xffc0000c, 0x81800000, VFMUL}, /* bfmopa fmops fmopa bfmops */
	{0xbfe1943e, 0x81a00020, VFMUL}, /* fmopa fmlal fmlall */
	{0xbfe2947e, 0x81a00020, VFMUL}, /* fmopa fmlal fmlall */
	{0xfe80000c, 0xa0800000, VMUL},  /* smopa sumops umopa umops usmopa usmops … */
	{0xfee00004, 0xa0800000, VMUL},  /* smopa smops umopa usmops usmopa umops */
	{0xfec00008, 0xa0c00000, VMUL},  /* smopa sumops umopa umops usmopa usmops … */
	{0xff3b187c, 0xc0000000, VMOV},  /* mov */
	{0xff3b1c38, 0xc0000000, VMOV},  /* mov */
	{0xff3d1c10, 0xc0000000, VMOV},  /* mov movaz */
	{0xff3f0010, 0xc0000000, VMOV},  /* mov */
	{0xfffb9438, 0xc0000000, VMOV},  /* mov */
	{0xfffb9878, 0xc0000800, VMOV},  /* mov */
	{0xff3b1d01, 0xc0020000, VMOV},  /* mov movaz */
	{0xff3f0200, 0xc0020000, VMOV},  /* mov */
	{0xff3f1c00, 0xc0020000, VMOV},  /* mov movaz */
	{0xff3f1983, 0xc0060000, VMOV},  /* mov movaz */
	{0xffff9501, 0xc0060000, VMOV},  /* mov movaz */
	{0xffff9903, 0xc0060800, VMOV},  /* mov movaz */
	{0xffffff00, 0xc0080000, VEC},   /* zero */
	{0xffbfffff, 0xc0080001, VEC},   /* zero */
	{0xfffc1ffe, 0xc00c0000, VEC},   /* zero */
	{0xfffd1ffc, 0xc00c0000, VEC},   /* zero */
	{0xfffd9ff8, 0xc00c0000, VEC},   /* zero */
	{0xfffe1ffc, 0xc00c0000, VEC},   /* zero */
	{0xffff1ff8, 0xc00c0000, VEC},   /* zero */
	{0xfffd8fe0, 0xc04c03e0, VMOV},  /* movt */
	{0xfffecfe0, 0xc04e03e0, VMOV},  /* movt */
	{0xffba5c01, 0xc08a4000, VEC},   /* luti4 luti2 */
	{0xffba6c01, 0xc08a4000, VEC},   /* luti4 luti2 */
	{0xffbabc03, 0xc08a9000, VEC},   /* luti4 luti2 */
	{0xffbabc03, 0xc08aa000, VEC},   /* luti4 luti2 */
	{0xffbfbc23, 0xc08b0000, VEC},   /* luti4 */
	{0xffbc5c01, 0xc08c4000, VEC},   /* luti2 */
	{0xffbc6c01, 0xc08c4000, VEC},   /* luti2 */
	{0xffbc9c03, 0xc08c8000, VEC},   /* luti2 */
	{0xffbcac03, 0xc08c8000, VEC},   /* luti2 */
	{0xffbe001c, 0xc0900000, VEC},   /* addha addva */
	{0xfffa6c08, 0xc09a4000, VEC},   /* luti4 luti2 */
	{0xfffabc0c, 0xc09a9000, VEC},   /* luti4 luti2 */
	{0xffffbc2c, 0xc09b0000, VEC},   /* luti4 */
	{0xfffc6c08, 0xc09c4000, VEC},   /* luti2 */
	{0xfffcac0c, 0xc09c8000, VEC},   /* luti2 */
	{0xfffb1878, 0xc0c00000, VMOV},  /* mov */
	{0xfffe0010, 0xc0c00000, VMOV},  /* mov */
	{0xfffe0200, 0xc0c20000, VMOV},  /* mov */
	{0xfffe1c00, 0xc0c20000, VMOV},  /* mov movaz */
	{0xffff1903, 0xc0c60000, VMOV},  /* mov movaz */
	{0xfffa1c00, 0xc0ca0000, VEC},   /* luti4 luti2 */
	{0xfffa2c00, 0xc0ca0000, VEC},   /* luti4 luti2 */
	{0xfffc1c00, 0xc0cc0000, VEC},   /* luti2 */
	{0xfffc2c00, 0xc0cc0000, VEC},   /* luti2 */
	{0xfffe0018, 0xc0d00000, VEC},   /* addha addva */
	{0xff701004, 0xc1000000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xffc09c0a, 0xc1000000, VMUL},  /* smlall sumlall umlall usmlall */
	{0xffe01048, 0xc1000000, VMUL},  /* smlall sumlall umlall usmlall */
	{0xffe09008, 0xc1000000, VMUL},  /* smlall sumlall umlall usmlall */
	{0xfff00004, 0xc1000000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xfff00008, 0xc1000000, VMUL},  /* smlall sumlall umlall usmlall */
	{0xffd08c18, 0xc1000400, VMUL},  /* smlall sdot usmlall */
	{0xff701860, 0xc1100000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xff709820, 0xc1100000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xfff01060, 0xc1100000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xfff09020, 0xc1100000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xfff01030, 0xc1101000, VFMUL}, /* fmla fdot */
	{0xfff01040, 0xc1101000, VFMUL}, /* fmla bfmls fmls bfmla */
	{0xfff09000, 0xc1101000, VFMUL}, /* fmla bfmls fmls bfmla */
	{0xffb01068, 0xc1101008, VFMUL}, /* fmla bfdot fmls fdot */
	{0xfff08078, 0xc1108040, VFMUL}, /* fmlall fdot */
	{0xff219c26, 0xc1200000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xff229c66, 0xc1200000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xff619c3a, 0xc1200000, VMUL},  /* smlall usmlall */
	{0xff629c7a, 0xc1200000, VMUL},  /* smlall usmlall */
	{0xffa09c06, 0xc1200000, VMUL},  /* smlall umlall smlsll umlsll */
	{0xffe0841e, 0xc1200002, VFMUL}, /* fmlall fdot fmla fmlal */
	{0xffb08c04, 0xc1200400, VMUL},  /* smlall udot usdot umlsll sdot umlall smlsll */
	{0xff619c1c, 0xc1200800, VFMUL}, /* fmlal */
	{0xff619c24, 0xc1200800, VFMUL}, /* fmlal bfmlal fmlsl bfmlsl */
	{0xff629c5c, 0xc1200800, VFMUL}, /* fmlal */
	{0xff629c64, 0xc1200800, VFMUL}, /* fmlal bfmlal fmlsl bfmlsl */
	{0xffe08818, 0xc1200800, VFMUL}, /* fmlal fmla */
	{0xffe09c04, 0xc1200800, VFMUL}, /* fmlal bfmlal fmlsl bfmlsl */
	{0xfff09c00, 0xc1200c00, VFMUL}, /* fmlal bfmlal fmlsl bfmlsl */
	{0xff619c08, 0xc1201000, VFMUL}, /* fdot bfdot */
	{0xff619c20, 0xc1201000, VFMUL}, /* fdot bfdot fmla fmls */
	{0xff629470, 0xc1201000, VFMUL}, /* fdot fmls fmla */
	{0xff629c48, 0xc1201000, VFMUL}, /* fdot bfdot */
	{0xffe09c00, 0xc1201000, VFMUL}, /* fdot bfdot */
	{0xff219c28, 0xc1201400, VMUL},  /* sdot udot */
	{0xff219c30, 0xc1201400, VMUL},  /* sdot usdot */
	{0xff229c68, 0xc1201400, VMUL},  /* sdot udot */
	{0xff229c70, 0xc1201400, VMUL},  /* sdot usdot */
	{0xffa09c00, 0xc1201400, VMUL},  /* sdot udot usdot */
	{0xff219c30, 0xc1201800, VFMUL}, /* fmla fmls */
	{0xff229c70, 0xc1201800, VFMUL}, /* fmla fmls */
	{0xffa09810, 0xc1201800, VFMUL}, /* fmla fmls bfmla bfmls */
	{0xff219c30, 0xc1201810, VEC},   /* add sub */
	{0xff229c70, 0xc1201810, VEC},   /* add sub */
	{0xffa09c10, 0xc1201810, VEC},   /* add sub */
	{0xffa17fe1, 0xc1203400, VMUL},  /* sdot sqdmulh usdot udot */
	{0xff21e021, 0xc1208000, VEC},   /* sel */
	{0xff22e063, 0xc1208000, VEC},   /* sel */
	{0xff30f7c2, 0xc120a000, VEC},   /* smax umin umax smin */
	{0xff30ffc0, 0xc120a000, VEC},   /* smax umin umax smin */
	{0xff30f5e2, 0xc120a020, VEC},   /* smin umin urshl srshl */
	{0xff30fde0, 0xc120a020, VEC},   /* smin umin urshl srshl */
	{0xff30f7c2, 0xc120a100, VFP},   /* bfmax fminnm fmax fmin fmaxnm bfmin bfminnm */
	{0xff30ffc0, 0xc120a100, VFP},   /* bfmax fminnm fmax fmin fmaxnm bfmin bfminnm */
	{0xff30f7e3, 0xc120a300, VEC},   /* add */
	{0xff30ffe1, 0xc120a300, VEC},   /* add */
	{0xff30f7e3, 0xc120a400, VMUL},  /* sqdmulh */
	{0xff30ffe1, 0xc120a400, VMUL},  /* sqdmulh */
	{0xff21ffc0, 0xc120b000, VEC},   /* smax umin umax smin */
	{0xff23f7c2, 0xc120b000, VEC},   /* smax umin umax smin */
	{0xff21fde0, 0xc120b020, VEC},   /* smin umin urshl srshl */
	{0xff23f5e2, 0xc120b020, VEC},   /* smin umin urshl srshl */
	{0xff21ffc0, 0xc120b100, VFP},   /* bfmax fminnm fmax fmin fmaxnm bfmin bfminnm */
	{0xff23f7c2, 0xc120b100, VFP},   /* bfmax fminnm fmax fmin fmaxnm bfmin bfminnm */
	{0xff21ffe1, 0xc120b400, VMUL},  /* sqdmulh */
	{0xff23f7e3, 0xc120b400, VMUL},  /* sqdmulh */
	{0xff20f403, 0xc120c000, VFP},   /* bfclamp fclamp */
	{0xff20fc01, 0xc120c000, VFP},   /* bfclamp fclamp */
	{0xfffddc01, 0xc120c000, VFP},   /* bfclamp fcvtn fcvt scvtf */
	{0xfffedc01, 0xc120c000, VFP},   /* bfclamp fcvtzu fcvtzs fcvt fcvtn */
	{0xff20f402, 0xc120c400, VEC},   /* sclamp uclamp */
	{0xff20fc00, 0xc120c400, VEC},   /* sclamp uclamp */
	{0xff20fc00, 0xc120d000, VEC},   /* zip uzp */
	{0xffe0f800, 0xc120d000, VEC},   /* zip uzp */
	{0xff7ffc00, 0xc120e000, VFP},   /* fcvt fcvtn fcvtl */
	{0xffbffc00, 0xc120e000, VFP},   /* fcvt bfcvtn bfcvt fcvtn */
	{0xffefdc43, 0xc121c000, VFP},   /* bfclamp fcvtzu fcvtzs */
	{0xffefdc43, 0xc122c000, VFP},   /* bfclamp ucvtf scvtf */
	{0xffaffc20, 0xc123e000, VEC},   /* sqcvt sqcvtu sqcvtn sqcvtun */
	{0xffeffc00, 0xc123e000, VEC},   /* sqcvt uqcvt sqcvtn uqcvtn */
	{0xffbdfc20, 0xc124e000, VFP},   /* fcvt bfcvt f1cvt f1cvtl bf1cvt bf1cvtl */
	{0xff3ffc00, 0xc126e000, VFP},   /* f1cvt bf1cvtl f2cvt bf2cvtl bf1cvt f1cvtl … */
	{0xfff0941c, 0xc1300400, VFMUL}, /* fmlall fmlal */
	{0xff3ffc20, 0xc133e000, VEC},   /* sqcvt sqcvtun sqcvtn sqcvtu */
	{0xff7ffc00, 0xc133e000, VEC},   /* sqcvt uqcvtn sqcvtn uqcvt */
	{0xfffffc40, 0xc134e000, VFP},   /* fcvt fcvtn */
	{0xff3ffc61, 0xc136e000, VEC},   /* zip uzp */
	{0xfffefc61, 0xc136e000, VEC},   /* zip uzp */
	{0xfff0001c, 0xc1400000, VFMUL}, /* fmlall */
	{0xff701868, 0xc1500000, VFMUL}, /* fmla fmls */
	{0xff709028, 0xc1500000, VFMUL}, /* fmla fmls fvdotb fvdott */
	{0xfff01068, 0xc1500000, VFMUL}, /* fmla fmls */
	{0xfff01070, 0xc1500000, VFMUL}, /* fmla fvdot fdot */
	{0xfff09020, 0xc1500000, VFMUL}, /* fmla fmls fvdot bfvdot */
	{0xfff08028, 0xc1500008, VFMUL}, /* fvdot bfdot fdot bfvdot */
	{0xfff09018, 0xc1500018, VFMUL}, /* bfvdot fdot */
	{0xfff08028, 0xc1500020, VMUL},  /* svdot udot sdot uvdot */
	{0xff709820, 0xc1500800, VFMUL}, /* fmla fmls fvdotb fvdott bfvdot fvdot */
	{0xfff01048, 0xc1501000, VMUL},  /* sdot udot */
	{0xfff09008, 0xc1501000, VMUL},  /* sdot udot */
	{0xfff09020, 0xc1501020, VMUL},  /* sdot udot usdot sudot */
	{0xfff08060, 0xc1508020, VMUL},  /* svdot udot usdot suvdot sdot uvdot sudot … */
	{0xffe09406, 0xc1600000, VMUL},  /* smlall umlall smlsl umlsl umlal smlal umlsll … */
	{0xff619c24, 0xc1600800, VMUL},  /* smlal umlal smlsl umlsl */
	{0xff629c64, 0xc1600800, VMUL},  /* smlal umlal smlsl umlsl */
	{0xffe09c04, 0xc1600800, VMUL},  /* smlal umlal smlsl umlsl */
	{0xfff09c00, 0xc1600c00, VMUL},  /* smlal umlal smlsl umlsl */
	{0xff619c20, 0xc1601400, VMUL},  /* sdot udot */
	{0xff629c60, 0xc1601400, VMUL},  /* sdot udot */
	{0xff70f763, 0xc160a100, VFP},   /* fmax fscale */
	{0xff70ff61, 0xc160a100, VFP},   /* fmax fscale */
	{0xff61ff61, 0xc160b100, VFP},   /* fmax fscale */
	{0xff61ffa0, 0xc160b100, VFP},   /* fmax famin famax fmin */
	{0xff63f763, 0xc160b100, VFP},   /* fmax fscale */
	{0xff63f7a2, 0xc160b100, VFP},   /* fmax famin famax fmin */
	{0xff60f820, 0xc160d800, VEC},   /* sqrshr sqrshru sqrshrn sqrshrun */
	{0xff60f840, 0xc160d800, VEC},   /* sqrshr uqrshr uqrshrn sqrshrn */
	{0xff6ffc22, 0xc165e000, VEC},   /* sunpk uunpk */
	{0xff7ffc00, 0xc165e000, VEC},   /* sunpk uunpk */
	{0xffe01060, 0xc1801000, VFMUL}, /* fmlal bfmlal fmlsl bfmlsl */
	{0xffe09020, 0xc1801000, VFMUL}, /* fmlal bfmlal fmlsl bfmlsl */
	{0xfff01000, 0xc1801000, VFMUL}, /* fmlal bfmlal fmlsl bfmlsl */
	{0xffe09010, 0xc1801010, VFMUL}, /* bfmlal bfmlsl fmlal */
	{0xffe09050, 0xc1809000, VFMUL}, /* fmlal fmlsl */
	{0xffb09038, 0xc1900020, VFMUL}, /* fmlall fdot */
	{0xffa19c28, 0xc1a01008, VFMUL}, /* fmla bfmls fmls bfmla */
	{0xffa29c68, 0xc1a01008, VFMUL}, /* fmla bfmls fmls bfmla */
	{0xffbe9870, 0xc1a01810, VEC},   /* add sub */
	{0xffbf9830, 0xc1a01810, VEC},   /* add sub */
	{0xffba9c70, 0xc1a01c00, VFP},   /* fadd bfadd fsub bfsub */
	{0xffbb9c30, 0xc1a01c00, VFP},   /* fadd bfadd fsub bfsub */
	{0xffb0f763, 0xc1a0a100, VFP},   /* fmax fscale */
	{0xffb0ff61, 0xc1a0a100, VFP},   /* fmax fscale */
	{0xffa1ff61, 0xc1a0b100, VFP},   /* fmax fscale */
	{0xffa1ffa0, 0xc1a0b100, VFP},   /* fmax famin famax fmin */
	{0xffa3f763, 0xc1a0b100, VFP},   /* fmax fscale */
	{0xffa3f7a2, 0xc1a0b100, VFP},   /* fmax famin famax fmin */
	{0xffa0f820, 0xc1a0d800, VEC},   /* sqrshr sqrshru sqrshrn sqrshrun */
	{0xffa0f840, 0xc1a0d800, VEC},   /* sqrshr uqrshr uqrshrn sqrshrn */
	{0xffaffc22, 0xc1a5e000, VEC},   /* sunpk uunpk */
	{0xffbffc00, 0xc1a5e000, VEC},   /* sunpk uunpk */
	{0xffebdc63, 0xc1a8c000, VFP},   /* fclamp frinta frintn */
	{0xffeddc63, 0xc1a8c000, VFP},   /* fclamp frintn frintm */
	{0xffeedc63, 0xc1a8c000, VFP},   /* fclamp frintp frintn */
	{0xfffbdc21, 0xc1a8c000, VFP},   /* fclamp frinta frintn */
	{0xfffddc21, 0xc1a8c000, VFP},   /* fclamp frintn frintm */
	{0xfffedc21, 0xc1a8c000, VFP},   /* fclamp frintp frintn */
	{0xfff01010, 0xc1c00000, VFMUL}, /* fmlal */
	{0xffe09030, 0xc1c00020, VFMUL}, /* fmlal fdot */
	{0xffe01060, 0xc1c01000, VMUL},  /* smlal umlal smlsl umlsl */
	{0xffe09020, 0xc1c01000, VMUL},  /* smlal umlal smlsl umlsl */
	{0xfff01000, 0xc1c01000, VMUL},  /* smlal umlal smlsl umlsl */
	{0xfff08828, 0xc1d00008, VMUL},  /* sdot umlsl smlsl udot */
	{0xfff08030, 0xc1d00020, VFMUL}, /* fdot fvdot */
	{0xfff08068, 0xc1d08008, VMUL},  /* sdot umlsl smlsl uvdot udot svdot */
	{0xffe0f020, 0xc1e0d000, VEC},   /* zip uzp sqrshru sqrshrn sqrshr sqrshrun */
	{0xfff0f800, 0xc1e0d000, VEC},   /* zip uzp uqrshr sqrshr */
};
const struct isa_arm64_rows isa_arm64_sme_rows = {rows, sizeof rows / sizeof *rows};
