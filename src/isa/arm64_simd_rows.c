/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: encodings of SIMD and floating point that do not access memory. What rows are: arm64_rows.h.
 *
 * The masks were found by asking a disassembler which bits of an encoding matter to its
 * class, and are held against it by tests/unit/test_isa_arm64.c; they state the tables of
 * the Arm Architecture Reference Manual for A-profile, C4.1 (SIMD and floating-point data processing).
 */
#include "isa/arm64_rows.h"

static const struct isa_arm64_row rows[] = {
	{0xbfc08c00, 0x0e000000, VEC},   /* tbl ssubw sabal subhn2 ssubw2 tbx addhn … */
	{0xbfe09400, 0x0e001000, VEC},   /* tbx uzp2 zip2 zip1 uzp1 */
	{0xbf609c00, 0x0e001800, VEC},   /* uzp1 zip1 uzp2 zip2 */
	{0xbfa09c00, 0x0e001800, VEC},   /* uzp1 zip1 uzp2 zip2 */
	{0xbf60ac00, 0x0e002800, VEC},   /* trn1 zip1 zip2 trn2 */
	{0xbfa0ac00, 0x0e002800, VEC},   /* trn1 zip1 zip2 trn2 */
	{0xbfa0fc00, 0x0e00c400, VFMUL}, /* fmlallbb fmlallbt fmlalltt fmlalltb */
	{0xbfa0fc00, 0x0e00f400, VFP},   /* fcvtn fcvtn2 */
	{0xbfa0fc00, 0x0e00fc00, VFMUL}, /* fdot */
	{0xbfe1f400, 0x0e010400, VMOV},  /* dup */
	{0xbfe1dc00, 0x0e010c00, VMOV},  /* dup smov */
	{0xffe1ec00, 0x0e012c00, VMOV},  /* smov umov */
	{0xbfe2f400, 0x0e020400, VMOV},  /* dup */
	{0xbfe2dc00, 0x0e020c00, VMOV},  /* dup smov */
	{0xffe2ec00, 0x0e022c00, VMOV},  /* smov umov */
	{0xbfe4f400, 0x0e040400, VMOV},  /* dup */
	{0xffe4fc00, 0x0e043c00, VMOV},  /* mov umov */
	{0x9f608800, 0x0e200000, VEC},   /* saddl usubw sabal subhn2 cmgt ssubw2 sshl … */
	{0x9fa08800, 0x0e200000, VEC},   /* saddl usubw sabal subhn2 cmgt ssubw2 sshl … */
	{0x9ee05c00, 0x0e200400, VEC},   /* shadd umaxp sshr shsub srshr sshll2 add … */
	{0x9ee0cc00, 0x0e200400, VEC},   /* shadd cmhi ssra shsub srsra urhadd usra … */
	{0x9f605400, 0x0e200400, VEC},   /* shadd umaxp sqadd sqsub sminp add shsub sub … */
	{0x9f608400, 0x0e200400, VEC},   /* shadd cmhi sqrshl smin cmge sshl cmgt urshl … */
	{0x9fa05400, 0x0e200400, VEC},   /* shadd umaxp sqadd sqsub sminp add shsub sub … */
	{0x9fa08400, 0x0e200400, VEC},   /* shadd cmhi sqrshl smin cmge sshl cmgt urshl … */
	{0x9fbfbc00, 0x0e200800, VBIT},  /* rev64 rev32 cls clz */
	{0xbf7fbc00, 0x0e200800, VBIT},  /* rev64 cls */
	{0xbfffac00, 0x0e200800, VBIT},  /* rev64 rev16 cnt cls */
	{0x9f20fc00, 0x0e201c00, VEC},   /* and bsl orr orn bic bif eor bit */
	{0x9f7ef000, 0x0e202000, VEC},   /* ssubl usubl xtn xtn2 sqsub saddlp shsub … */
	{0x9f7fa000, 0x0e202000, VEC},   /* ssubl usubw sqabs sadalp cmge suqadd smax … */
	{0x9fbef000, 0x0e202000, VEC},   /* ssubl usubl xtn xtn2 sqsub saddlp shsub … */
	{0x9fbfa000, 0x0e202000, VEC},   /* ssubl usubw sqabs sadalp cmge suqadd smax … */
	{0xbfbf6800, 0x0e202800, VEC},   /* saddlp abs suqadd cmge sminp cmlt addp sqsub */
	{0xbf606c00, 0x0e202c00, VEC},   /* sqsub addp cmge sminp */
	{0xbfa06c00, 0x0e202c00, VEC},   /* sqsub addp cmge sminp */
	{0x9faff000, 0x0e203000, VEC},   /* ssubw usubw saddlv cmge suqadd cmgt cmhi … */
	{0x9f7ffc00, 0x0e204800, VBIT},  /* cls clz */
	{0x9f60bc00, 0x0e208000, VMUL},  /* smlal umlal smull smull2 smlal2 umull2 … */
	{0x9f60dc00, 0x0e208000, VMUL},  /* smlal umlsl smlsl2 smlsl umlal2 umlal umlsl2 … */
	{0x9fa0bc00, 0x0e208000, VMUL},  /* smlal umlal smull smull2 smlal2 umull2 … */
	{0x9fa0dc00, 0x0e208000, VMUL},  /* smlal umlsl smlsl2 smlsl umlal2 umlal umlsl2 … */
	{0xbfe09c00, 0x0e208000, VMUL},  /* smlal smlsl smull pmull2 smlsl2 pmull smull2 … */
	{0x9f7fec00, 0x0e208800, VEC},   /* cmgt cmle cmeq cmge */
	{0x9fbfec00, 0x0e208800, VEC},   /* cmgt cmle cmeq cmge */
	{0xbf7fcc00, 0x0e208800, VEC},   /* cmgt abs cmeq cmlt */
	{0xbf7fd800, 0x0e208800, VEC},   /* cmgt cmlt sminp cmtst */
	{0x9fe0f400, 0x0e209400, VMUL},  /* mla mls mul pmul */
	{0xbf60f400, 0x0e209400, VMUL},  /* mla mul */
	{0xbfa0f400, 0x0e209400, VMUL},  /* mla mul */
	{0x9f7fdc00, 0x0e209800, VEC},   /* cmeq neg abs cmle */
	{0x9fbfdc00, 0x0e209800, VEC},   /* cmeq neg abs cmle */
	{0x9f60ec00, 0x0e20c400, VFP},   /* fmaxnm faddp fsub fminnm fadd fabd fminnmp */
	{0x9fe0cc00, 0x0e20c400, VFP},   /* fmaxnm fmaxp fadd fcmeq fmax faddp fmaxnmp … */
	{0x9f60fc00, 0x0e20cc00, VFMUL}, /* fmla fmlal2 fmls fmlsl2 */
	{0x9fe0ec00, 0x0e20cc00, VFMUL}, /* fmla fmul fmulx fmlal2 */
	{0xbf60dc00, 0x0e20cc00, VFMUL}, /* fmla fmlal fmls fmlsl */
	{0x9ee0fc00, 0x0e20e400, VFP},   /* fcmeq fcmge scvtf ucvtf */
	{0xbf60f400, 0x0e20f400, VFP},   /* fmax frsqrts frecps fmin */
	{0x9f7ff000, 0x0e214000, VEC},   /* addhn raddhn sqxtn sqxtn2 sqshl sshl ushl … */
	{0x9fbff000, 0x0e214000, VEC},   /* addhn raddhn sqxtn sqxtn2 sqshl sshl ushl … */
	{0xbf7ffc00, 0x0e216800, VFP},   /* fcvtn bfcvtn bfcvtn2 fcvtn2 */
	{0xbfff6c00, 0x0e216800, VFP},   /* fcvtn frint64z fcvtl fcvtn2 fcvtl2 frint32z */
	{0x9fff8c00, 0x0e218800, VFP},   /* frintn fcvtmu scvtf frint32z fcvtms fcvtas … */
	{0xbf7fcc00, 0x0e218800, VFP},   /* frintn fcvtms frintz fcvtps fcvtzs fcvtns … */
	{0x9f7fec00, 0x0e21a800, VFP},   /* fcvtns fcvtmu fcvtzs fcvtps fcvtms fcvtzu … */
	{0x9fbef800, 0x0e30a800, VEC},   /* smaxv uminv sminv sminp uminp umaxv */
	{0xbf7ffc00, 0x0e30c800, VFP},   /* fmaxnmv fminnmv */
	{0xbf7ff800, 0x0e30f800, VFP},   /* fmaxv fminv frecps frsqrts */
	{0xbfbfe800, 0x0e31a800, VEC},   /* sminv addv addp sminp */
	{0x9f60ec00, 0x0e400400, VFP},   /* fmaxnm faddp fsub fminnm fadd fabd fminnmp */
	{0x9fe0cc00, 0x0e400400, VFP},   /* fmaxnm fmaxp fadd fcmeq fmax faddp fmaxnmp … */
	{0xbf60fc00, 0x0e400c00, VFMUL}, /* fmla fmls */
	{0xbfe0ec00, 0x0e400c00, VFMUL}, /* fmla fmulx */
	{0x9fe0fc00, 0x0e401c00, VFMUL}, /* fmulx fmul */
	{0xbf60f400, 0x0e403400, VFP},   /* fmax frsqrts frecps fmin */
	{0x9f60fc00, 0x0e40fc00, VFMUL}, /* fdot bfdot fmlalb fmlalt bfmlalt bfmlalb */
	{0xbfe0ac00, 0x0e608000, VMUL},  /* smlal sqdmlal sqdmull smull2 sqdmlal2 smull … */
	{0xbfe0cc00, 0x0e608000, VMUL},  /* smlal sqdmlsl sqdmlal smlsl2 sqdmlsl2 smlsl … */
	{0x9fe0dc00, 0x0e609400, VMUL},  /* mla sqrdmulh sqdmulh mls */
	{0x9fffec00, 0x0e616800, VFP},   /* fcvtn f2cvtl fcvtl fcvtn2 fcvtl2 f2cvtl2 … */
	{0x9fffac00, 0x0e798800, VFP},   /* frintn frintx scvtf fcvtas frintm ucvtf … */
	{0x9fffcc00, 0x0e798800, VFP},   /* frintn fcvtmu frintm fcvtns fcvtms frintx … */
	{0xbf7fcc00, 0x0e798800, VFP},   /* frintn fcvtms frintz fcvtps fcvtzs fcvtns … */
	{0x9f7fec00, 0x0e79a800, VFP},   /* fcvtns fcvtmu fcvtzs fcvtps fcvtms fcvtzu … */
	{0xbfc0f400, 0x0e809400, VMUL},  /* sdot mla mul usdot */
	{0xbfe0ac00, 0x0ea08000, VMUL},  /* smlal sqdmlal sqdmull smull2 sqdmlal2 smull … */
	{0xbfe0cc00, 0x0ea08000, VMUL},  /* smlal sqdmlsl sqdmlal smlsl2 sqdmlsl2 smlsl … */
	{0xbfe0d800, 0x0ea09000, VMUL},  /* sqdmlal sqdmlsl sqdmlsl2 sqdmulh mla … */
	{0x9fe0dc00, 0x0ea09400, VMUL},  /* mla sqrdmulh sqdmulh mls */
	{0x9fffec00, 0x0ea0c800, VFP},   /* fcmgt fcmle fcmeq fcmge */
	{0xbfeffc00, 0x0ea0c800, VFP},   /* fcmgt fminnmv */
	{0xbfffcc00, 0x0ea0c800, VFP},   /* fcmgt fabs fcmeq fcmlt */
	{0x9fe0d400, 0x0ea0d400, VFP},   /* fsub fminp famax frsqrts fmin fabd famin … */
	{0x9ffef800, 0x0ea0d800, VFP},   /* fcmeq frsqrte frecpe famax famin fcmle */
	{0x9fff7c00, 0x0ea14800, VEC},   /* sqxtn ursqrte sqxtn2 urecpe uqxtn2 */
	{0x9fe0d400, 0x0ec01400, VFP},   /* fsub fminp famax frsqrts fmin fabd famin … */
	{0xbfe0fc00, 0x0ee0e000, CRY},   /* pmull pmull2 */
	{0x9fffec00, 0x0ef8c800, VFP},   /* fcmgt fcmle fcmeq fcmge */
	{0xbfffcc00, 0x0ef8c800, VFP},   /* fcmgt fabs fcmeq fcmlt */
	{0x9ffefc00, 0x0ef8d800, VFP},   /* fcmeq frsqrte frecpe fcmle */
	{0xbf00f400, 0x0f000000, VFMUL}, /* fdot fmlal fmlalt fmlalb */
	{0xbf40e400, 0x0f000000, VFMUL}, /* fdot fmla fmlal */
	{0x9ff81c00, 0x0f000400, VMOV},  /* movi mvni */
	{0xbf407400, 0x0f001000, VFMUL}, /* fmla fmul */
	{0xbf40b400, 0x0f001000, VFMUL}, /* fmla fmls */
	{0x9fc07c00, 0x0f001400, VEC},   /* orr uqshrn ssra sqshrn uqshrn2 usra sqshrn2 */
	{0x9fc09c00, 0x0f001400, VEC},   /* orr ursra shl sqshl srsra sli usra uqshl */
	{0x9ff85c00, 0x0f001400, VEC},   /* orr bic */
	{0x9ff8ec00, 0x0f00c400, VMOV},  /* movi mvni */
	{0xbf40f400, 0x0f00f000, VMUL},  /* sudot usdot */
	{0xbff8f400, 0x0f00f400, VFMOV}, /* fmov */
	{0x9fc85c00, 0x0f080400, VEC},   /* sshr ushll srshr sshll2 shrn sshll sqshrun2 … */
	{0x9fc8e400, 0x0f088400, VEC},   /* shrn uqshrn sqrshrn rshrn2 sqrshrn2 sqshrn2 … */
	{0x9fd05c00, 0x0f100400, VEC},   /* sshr ushll srshr sshll2 shrn sshll sqshrun2 … */
	{0x9fd0cc00, 0x0f100400, VEC},   /* sshr ursra ssra srshr srsra usra ushr urshr */
	{0x9fd0e400, 0x0f108400, VEC},   /* shrn uqshrn sqrshrn rshrn2 sqrshrn2 sqshrn2 … */
	{0x9fd0fc00, 0x0f10e400, VFP},   /* scvtf ucvtf */
	{0x9fd0fc00, 0x0f10fc00, VFP},   /* fcvtzs fcvtzu */
	{0x9fe0e400, 0x0f208400, VEC},   /* shrn uqshrn sqrshrn rshrn2 sqrshrn2 sqshrn2 … */
	{0x9fe0fc00, 0x0f20fc00, VFP},   /* fcvtzs fcvtzu */
	{0x9fc07400, 0x0f402000, VMUL},  /* smlal umull smlal2 smull2 smull umull2 … */
	{0xbfc06400, 0x0f402000, VMUL},  /* smlal sqdmull sqdmlal smlal2 sqdmlal2 … */
	{0xbfc0a400, 0x0f402000, VMUL},  /* smlal sqdmlal sqdmlsl smlsl2 sqdmlal2 smlsl … */
	{0xbfc0d400, 0x0f408000, VMUL},  /* mul smull smull2 */
	{0xbfc0e400, 0x0f40c000, VMUL},  /* sqdmulh sqrdmulh */
	{0xbf40f400, 0x0f40f000, VFMUL}, /* bfdot bfmlalb bfmlalt */
	{0xbfc0a400, 0x0f800000, VFMUL}, /* fmlal fmla fmls fmlsl */
	{0x9fc03400, 0x0f802000, VMUL},  /* smlal umull smlsl smlsl2 smlal2 smull2 sdot … */
	{0xbfc02400, 0x0f802000, VMUL},  /* smlal sqdmull sqdmlsl smlsl2 sqdmlal2 … */
	{0xbfc09400, 0x0f808000, VMUL},  /* mul smull sqdmulh sdot smull2 */
	{0xbfc0c400, 0x0f80c000, VMUL},  /* sqdmulh usdot sqrdmulh sdot */
	{0x9fc0d400, 0x0f80d000, VMUL},  /* sqrdmulh sqrdmlsh usdot sqrdmlah */
	{0x9fc0e400, 0x0f80e000, VMUL},  /* sdot sqrdmlsh usdot udot */
	{0x7fbe8000, 0x1e028000, F},     /* scvtf ucvtf */
	{0xffdef800, 0x1e02c000, F},     /* scvtf fcvt fccmpe ucvtf fccmp */
	{0x7fbe8000, 0x1e188000, F},     /* fcvtzs fcvtzu */
	{0x7fa6fc00, 0x1e200000, F},     /* fcvtns fcvtnu fcvtmu fcvtps fcvtpu fcvtms … */
	{0x7fbafc00, 0x1e200000, F},     /* fcvtns fcvtau fcvtnu fcvtas */
	{0x7fbcfc00, 0x1e200000, F},     /* fcvtns fcvtnu ucvtf scvtf */
	{0xffbaf800, 0x1e200000, F},     /* fcvtns fcvtau fcvtnu fccmpe fcvtas fccmp */
	{0xffbcf800, 0x1e200000, F},     /* fcvtns fcvtnu ucvtf fccmpe scvtf fccmp */
	{0xffa00400, 0x1e200400, F},     /* fccmp fccmpe fcsel */
	{0xfea07c00, 0x1e200800, FMUL},  /* fmul fnmul fnmadd fnmsub */
	{0xffa01fe0, 0x1e201000, FMOV},  /* fmov */
	{0xffa0fc00, 0x1e201800, FDIV},  /* fdiv */
	{0xffa0f007, 0x1e202000, F},     /* fcmp fcmpe fadd fcsel fccmpe fccmp */
	{0xffa0a800, 0x1e202800, F},     /* fadd fsub fminnm fmaxnm fcsel */
	{0xffbffc00, 0x1e204000, FMOV},  /* fmov */
	{0xffa0c800, 0x1e204800, F},     /* fmax fminnm fmin fmaxnm fcsel */
	{0xffbbf800, 0x1e20c000, F},     /* fabs frintp fccmpe fccmp */
	{0xfffdf800, 0x1e20c000, F},     /* fabs fcvt fccmpe fccmp */
	{0xffbbf000, 0x1e214000, F},     /* fneg frintm fmax fcsel fccmpe fccmp */
	{0xffbffc00, 0x1e21c000, FSQRT}, /* fsqrt */
	{0xffbcf000, 0x1e244000, F},     /* frintn frintm fmax fcsel fccmpe fccmp frinta */
	{0xffbe7800, 0x1e244000, F},     /* frintn frintz frintm fccmpe frintp fccmp */
	{0xffbd7800, 0x1e254000, F},     /* frintm frintz frintx fccmpe frinti fccmp */
	{0xfffefc00, 0x1e260000, FMOV},  /* fmov */
	{0xffbe7800, 0x1e284000, F},     /* frint32z frint64x frint64z fccmpe frint32x … */
	{0x7f7e8000, 0x1e428000, F},     /* scvtf ucvtf */
	{0x7f7e8000, 0x1e588000, F},     /* fcvtzs fcvtzu */
	{0x7f66fc00, 0x1e600000, F},     /* fcvtns fcvtnu fcvtmu fcvtps fcvtpu fcvtms … */
	{0x7f7afc00, 0x1e600000, F},     /* fcvtns fcvtau fcvtnu fcvtas */
	{0x7f7cfc00, 0x1e600000, F},     /* fcvtns fcvtnu ucvtf scvtf */
	{0xff66f800, 0x1e600000, F},     /* fcvtns fcvtnu fcvtmu fccmpe fcvtpu fccmp … */
	{0xff600400, 0x1e600400, F},     /* fccmp fccmpe fcsel */
	{0xfe607c00, 0x1e600800, FMUL},  /* fmul fnmul fnmadd fnmsub */
	{0xff601fe0, 0x1e601000, FMOV},  /* fmov */
	{0xff60fc00, 0x1e601800, FDIV},  /* fdiv */
	{0xff60f007, 0x1e602000, F},     /* fcmp fcmpe fadd fcsel fccmpe fccmp */
	{0xff60a800, 0x1e602800, F},     /* fadd fsub fminnm fmaxnm fcsel */
	{0xff7ffc00, 0x1e604000, FMOV},  /* fmov */
	{0xff60c800, 0x1e604800, F},     /* fmax fminnm fmin fmaxnm fcsel */
	{0xff7bf000, 0x1e614000, F},     /* fneg frintm fmax fcsel fccmpe fccmp */
	{0xfff9f000, 0x1e614000, F},     /* fneg frintm fmax fcsel fccmpe fccmp bfcvt */
	{0xff7ffc00, 0x1e61c000, FSQRT}, /* fsqrt */
	{0xff7bf000, 0x1e624000, F},     /* fcvt frinta fmax fcsel fccmpe fccmp */
	{0xfffaf000, 0x1e624000, F},     /* fcvt frintx fmax fcsel fccmpe fccmp frinta … */
	{0xfffb7800, 0x1e634000, F},     /* bfcvt frinti frintx fccmpe fccmp fcvt */
	{0xff7cf000, 0x1e644000, F},     /* frintn frintm fmax fcsel fccmpe fccmp frinta */
	{0xff7e7800, 0x1e644000, F},     /* frintn frintz frintm fccmpe frintp fccmp */
	{0xff7d7800, 0x1e654000, F},     /* frintm frintz frintx fccmpe frinti fccmp */
	{0xfffff800, 0x1e7e0000, F},     /* fjcvtzs fccmpe fccmp */
	{0xfffdf800, 0x1ee0c000, F},     /* fabs fcvt fccmpe fccmp */
	{0x7ffefc00, 0x1ee60000, FMOV},  /* fmov */
	{0xff800000, 0x1f000000, FMUL},  /* fmadd fnmsub fnmadd fmsub */
	{0xff400000, 0x1f400000, FMUL},  /* fmadd fnmsub fnmadd fmsub */
	{0xbfe0c400, 0x2e000000, VEC},   /* ext */
	{0xbee08c00, 0x2e200400, VEC},   /* uhadd cmhi sli umax ursra ushl urshl urhadd … */
	{0xbf7ee000, 0x2e202000, VEC},   /* usubl usubw shll sqxtun2 cmhs usqadd uhsub … */
	{0xbfbee000, 0x2e202000, VEC},   /* usubl usubw shll sqxtun2 cmhs usqadd uhsub … */
	{0xbfffd000, 0x2e205000, VEC},   /* uabal uabdl mvn sqneg uaba urshl uabd uabal2 … */
	{0xbf60cc00, 0x2e20c400, VFP},   /* fmaxnmp fmaxp fabd fcmgt fminp fcmge faddp … */
	{0xbf60f400, 0x2e20e400, VFP},   /* fcmge facgt facge fcmgt */
	{0xbfe0fc00, 0x2e20fc00, VFDIV}, /* fdiv */
	{0xbf3ffc00, 0x2e217800, VFP},   /* f1cvtl f2cvtl bf1cvtl bf2cvtl2 f2cvtl2 … */
	{0xbf7f9c00, 0x2e219800, VFP},   /* frintx fcvtmu frsqrte fsqrt fcvtzu ucvtf … */
	{0xbf60cc00, 0x2e400400, VFP},   /* fmaxnmp fmaxp fabd fcmgt fminp fcmge faddp … */
	{0xbf60f400, 0x2e402400, VFP},   /* fcmge facgt facge fcmgt */
	{0xbfe0fc00, 0x2e403c00, VFDIV}, /* fdiv */
	{0xbfe0f400, 0x2e408400, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xbfe0e400, 0x2e40c400, VFMUL}, /* fcmla */
	{0xbfe0ec00, 0x2e40e400, VFP},   /* fcadd */
	{0xbfffec00, 0x2e604800, VBIT},  /* clz rbit */
	{0xbfe0ec00, 0x2e808400, VMUL},  /* sqrdmlah udot */
	{0xbfe0f400, 0x2e808400, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xbfe0e400, 0x2e80c400, VFMUL}, /* fcmla */
	{0xbfc0ec00, 0x2e80e400, VFP},   /* fcadd fminp fcmgt */
	{0xbffed800, 0x2ea0d800, VFP},   /* fcmle fsqrt frsqrte fscale fneg famin */
	{0xbfe0e400, 0x2ea0e400, VFP},   /* fcmgt fminp fscale facgt */
	{0xbffedc00, 0x2ef8d800, VFP},   /* fcmle fsqrt frsqrte fneg */
	{0xbfff9c00, 0x2ef99800, VFP},   /* frinti fcvtzu frsqrte fsqrt */
	{0xbf40e400, 0x2f008000, VFMUL}, /* fmlallbb fmulx fmlal2 */
	{0xbf80f400, 0x2f008000, VFMUL}, /* fmlallbb fmlallbt fmlalltt fmlalltb */
	{0xbfc88c00, 0x2f080400, VEC},   /* ushr ursra sli sqshlu sri usra uqshl urshr */
	{0xbfd08c00, 0x2f100400, VEC},   /* ushr ursra sli sqshlu sri usra uqshl urshr */
	{0xbfc09400, 0x2f400000, VMUL},  /* mla umlal mls umlsl2 umlal2 umlsl */
	{0xbfc09c00, 0x2f401000, VFMUL}, /* fcmla */
	{0xbfc0d400, 0x2f40d000, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xbfc09400, 0x2f800000, VMUL},  /* mla umlal mls umlsl2 umlal2 umlsl */
	{0xbfc0b400, 0x2f808000, VFMUL}, /* fmlal2 fmlsl2 */
	{0xff209400, 0x4e001000, VEC},   /* tbx luti4 uzp2 zip2 zip1 luti2 uzp1 */
	{0xffa0a400, 0x4e002000, VEC},   /* tbl luti4 zip2 trn2 zip1 tbx trn1 */
	{0xff80fc00, 0x4e00f400, VFP},   /* fcvtn2 fmax fcvtn */
	{0xefe1fc00, 0x4e010400, VMOV},  /* dup mov */
	{0xdfe1ec00, 0x4e010c00, VMOV},  /* dup mov */
	{0xefe2fc00, 0x4e020400, VMOV},  /* dup mov */
	{0xdfe2ec00, 0x4e020c00, VMOV},  /* dup mov */
	{0xefe4fc00, 0x4e040400, VMOV},  /* dup mov */
	{0xdfe4dc00, 0x4e040c00, VMOV},  /* dup mov smov */
	{0xdfe4ec00, 0x4e040c00, VMOV},  /* dup mov */
	{0xefe8fc00, 0x4e080400, VMOV},  /* dup mov */
	{0xdfe8ec00, 0x4e080c00, VMOV},  /* dup mov */
	{0xdfefdc00, 0x4e081c00, VMOV},  /* mov */
	{0xdea0cc00, 0x4e200400, VEC},   /* shadd cmhi ssra shsub srsra urhadd usra … */
	{0xcf20dc00, 0x4e200c00, VEC},   /* sqadd uqsub sqsub uqadd */
	{0xdf20cc00, 0x4e200c00, VEC},   /* sqadd cmhs orr sqsub cmge bif eor uqadd bit … */
	{0xdf6ff000, 0x4e203000, VEC},   /* ssubw2 usubw2 saddlv cmge suqadd cmgt cmhi … */
	{0xcf3fbc00, 0x4e203800, VEC},   /* suqadd usqadd sqabs sqneg */
	{0xff207c00, 0x4e203c00, VEC},   /* cmge addp */
	{0xdf20e400, 0x4e204400, VEC},   /* sshl urshl sqrshl sqshl srshl uqrshl uqshl … */
	{0xcf20ec00, 0x4e204c00, VEC},   /* sqshl uqrshl sqrshl uqshl */
	{0xdf3ff800, 0x4e208800, VEC},   /* cmgt cmge cmtst cmeq */
	{0xdf3fdc00, 0x4e209800, VEC},   /* cmeq neg abs cmle */
	{0xdf20ec00, 0x4e20c400, VFP},   /* fmaxnm faddp fsub fminnm fadd fabd fminnmp */
	{0xdfa0cc00, 0x4e20c400, VFP},   /* fmaxnm fmaxp fadd fcmeq fmax faddp fmaxnmp … */
	{0xff20fc00, 0x4e20cc00, VFMUL}, /* fmla fmls */
	{0xdfa0fc00, 0x4e20dc00, VFMUL}, /* fmulx fmul */
	{0xff20f400, 0x4e20f400, VFP},   /* fmax frsqrts frecps fmin */
	{0xcf7ff800, 0x4e214800, VEC},   /* sqxtn2 uqxtn2 sqxtn sqshl uqshl uqxtn */
	{0xcfbff800, 0x4e214800, VEC},   /* sqxtn2 uqxtn2 sqxtn sqshl uqshl uqxtn */
	{0xdfbf8c00, 0x4e218800, VFP},   /* frintn fcvtmu scvtf frint32z fcvtms fcvtas … */
	{0xff3fcc00, 0x4e218800, VFP},   /* frintn fcvtms frintz fcvtps fcvtzs fcvtns … */
	{0xdf3fec00, 0x4e21a800, VFP},   /* fcvtns fcvtmu fcvtzs fcvtps fcvtms fcvtzu … */
	{0x7fffcc00, 0x4e284800, CRY},   /* aese aesimc bcax aesmc aesd */
	{0xdf7ef800, 0x4e30a800, VEC},   /* smaxv uminv sminv sminp uminp umaxv */
	{0xcf7ffc00, 0x4e30c800, VFP},   /* fmaxnmv fminnmp fminnmv fmaxnmp */
	{0xcf7ffc00, 0x4e30f800, VFP},   /* fmaxv fminp fminv fmaxp */
	{0xff7fe800, 0x4e31a800, VEC},   /* sminv addv addp sminp */
	{0xff60a400, 0x4e402000, VEC},   /* luti4 zip2 trn2 zip1 luti2 trn1 */
	{0xefe0bc00, 0x4e609000, VMUL},  /* sqdmlal2 sqdmull sqdmull2 sqdmlal */
	{0xefe0f800, 0x4e60b000, VMUL},  /* sqdmlsl2 sqdmlsl sqdmulh */
	{0xcfe0fc00, 0x4e60b400, VMUL},  /* sqdmulh sqrdmulh */
	{0xdfff6c00, 0x4e616800, VFP},   /* fcvtn2 frint64x fcvtl2 frint64z frint32z … */
	{0xffe0f400, 0x4e80a400, VMUL},  /* smmla usmmla */
	{0xefe0bc00, 0x4ea09000, VMUL},  /* sqdmlal2 sqdmull sqdmull2 sqdmlal */
	{0xefe0f800, 0x4ea0b000, VMUL},  /* sqdmlsl2 sqdmlsl sqdmulh */
	{0xcfe0fc00, 0x4ea0b400, VMUL},  /* sqdmulh sqrdmulh */
	{0xdfbfec00, 0x4ea0c800, VFP},   /* fcmgt fcmle fcmeq fcmge */
	{0xffbfcc00, 0x4ea0c800, VFP},   /* fcmgt fabs fcmeq fcmlt */
	{0xdfa0d400, 0x4ea0d400, VFP},   /* fsub fminp famax frsqrts fmin fabd famin … */
	{0xdfbef800, 0x4ea0d800, VFP},   /* fcmeq frsqrte frecpe famax famin fcmle */
	{0xdfeff800, 0x4ea0f800, VFP},   /* fabs fneg fminv frsqrts fscale */
	{0xffe08c00, 0x4ec00000, VEC},   /* luti2 */
	{0xcfe0f400, 0x4ee03400, VEC},   /* cmgt cmhi cmge cmhs */
	{0xcfe0e400, 0x4ee04400, VEC},   /* sshl urshl sqrshl sqshl srshl uqrshl uqshl … */
	{0xcfe0f400, 0x4ee08400, VEC},   /* add sub cmtst cmeq */
	{0xcffff800, 0x4ee08800, VEC},   /* cmgt cmge cmtst cmeq */
	{0xefffcc00, 0x4ee08800, VEC},   /* cmgt abs cmeq cmlt */
	{0xcfffdc00, 0x4ee09800, VEC},   /* cmeq neg abs cmle */
	{0xdffef800, 0x4ef8d800, VFP},   /* fcmeq frsqrte frecpe famax famin fcmle */
	{0xef40b400, 0x4f001000, VFMUL}, /* fmla fmls */
	{0xdf809c00, 0x4f001400, VEC},   /* orr ursra shl sqshl srsra sli usra uqshl */
	{0xcf40f400, 0x4f009000, VFMUL}, /* fmul fmulx */
	{0xdff8fc00, 0x4f00f400, VFMOV}, /* fmov */
	{0xcf88fc00, 0x4f087400, VEC},   /* sqshl uqshl */
	{0xcfc8f400, 0x4f089400, VEC},   /* sqshrn2 uqshrn2 sqrshrn sqrshrn2 sqshrn … */
	{0xcf90fc00, 0x4f107400, VEC},   /* sqshl uqshl */
	{0xcfd0f400, 0x4f109400, VEC},   /* sqshrn2 uqshrn2 sqrshrn sqrshrn2 sqshrn … */
	{0xcfa0fc00, 0x4f207400, VEC},   /* sqshl uqshl */
	{0xcfe0f400, 0x4f209400, VEC},   /* sqshrn2 uqshrn2 sqrshrn sqrshrn2 sqshrn … */
	{0xdfa0fc00, 0x4f20fc00, VFP},   /* fcvtzs fcvtzu */
	{0xcfc0cc00, 0x4f400400, VEC},   /* sshr ursra ssra srshr srsra usra ushr urshr */
	{0xcfc09c00, 0x4f401400, VEC},   /* ssra ursra shl sqshl srsra sli usra uqshl */
	{0xefc07400, 0x4f403000, VMUL},  /* sqdmlal2 sqdmull2 sqdmlal sqdmull */
	{0xefc0b400, 0x4f403000, VMUL},  /* sqdmlal2 sqdmlsl sqdmlsl2 sqdmlal */
	{0xefc0e400, 0x4f40c000, VMUL},  /* sqdmulh sqrdmulh */
	{0xdfc0fc00, 0x4f40e400, VFP},   /* scvtf ucvtf */
	{0xdfc0fc00, 0x4f40fc00, VFP},   /* fcvtzs fcvtzu */
	{0xffa0e400, 0x4f800000, VFMUL}, /* fmlal fmla fmlalt */
	{0xefa0b400, 0x4f801000, VFMUL}, /* fmla fmls */
	{0xefc07400, 0x4f803000, VMUL},  /* sqdmlal2 sqdmull2 sqdmlal sqdmull */
	{0xefc0b400, 0x4f803000, VMUL},  /* sqdmlal2 sqdmlsl sqdmlsl2 sqdmlal */
	{0xcfa0f400, 0x4f809000, VFMUL}, /* fmul fmulx */
	{0xefc0e400, 0x4f80c000, VMUL},  /* sqdmulh sqrdmulh */
	{0xffe09c00, 0x5e000000, CRY},   /* sha1c sha1m sha256h sha256su1 */
	{0xffe0ac00, 0x5e000000, CRY},   /* sha1c sha1p sha256h2 sha256h */
	{0xffe0cc00, 0x5e000000, CRY},   /* sha1c sha1su0 sha1p sha1m */
	{0xffa0fc00, 0x5e20dc00, FMUL},  /* fmulx */
	{0xdea0fc00, 0x5e20e400, F},     /* fcmeq fcmge scvtf ucvtf */
	{0xff20fc00, 0x5e20fc00, F},     /* frecps frsqrts */
	{0xdf3fec00, 0x5e21a800, F},     /* fcvtns fcvtmu fcvtzs fcvtps fcvtms fcvtzu … */
	{0xdfbfec00, 0x5e21c800, F},     /* fcvtas ucvtf scvtf fcvtau */
	{0xffffdc00, 0x5e280800, CRY},   /* sha1h sha256su0 */
	{0xffffec00, 0x5e280800, CRY},   /* sha1h sha1su1 */
	{0xdfffec00, 0x5e30c800, VFP},   /* fmaxnmp faddp */
	{0xdfffdc00, 0x5e30d800, VFP},   /* faddp fmaxp */
	{0xffe0fc00, 0x5e401c00, FMUL},  /* fmulx */
	{0xdfe0fc00, 0x5e402400, F},     /* fcmeq fcmge */
	{0xff60fc00, 0x5e403c00, F},     /* frecps frsqrts */
	{0xdf7fec00, 0x5e79a800, F},     /* fcvtns fcvtmu fcvtzs fcvtps fcvtms fcvtzu … */
	{0xdfffec00, 0x5e79c800, F},     /* fcvtas ucvtf scvtf fcvtau */
	{0xdfbfec00, 0x5ea0c800, F},     /* fcmgt fcmle fcmeq fcmge */
	{0xffbfdc00, 0x5ea0c800, F},     /* fcmgt fcmlt */
	{0xdfbefc00, 0x5ea0d800, F},     /* fcmeq frsqrte frecpe fcmle */
	{0xffbff800, 0x5ea1f800, F},     /* frecpx frsqrts */
	{0xfffffc00, 0x5ef1b800, VEC},   /* addp */
	{0xdfffec00, 0x5ef8c800, F},     /* fcmgt fcmle fcmeq fcmge */
	{0xffffdc00, 0x5ef8c800, F},     /* fcmgt fcmlt */
	{0xdffefc00, 0x5ef8d800, F},     /* fcmeq frsqrte frecpe fcmle */
	{0xfffff800, 0x5ef9f800, F},     /* frecpx frsqrts */
	{0xdf90fc00, 0x5f10e400, F},     /* scvtf ucvtf */
	{0xdf90fc00, 0x5f10fc00, F},     /* fcvtzs fcvtzu */
	{0xdfa0fc00, 0x5f20fc00, F},     /* fcvtzs fcvtzu */
	{0xdfc0fc00, 0x5f40e400, F},     /* scvtf ucvtf */
	{0xdfc0fc00, 0x5f40fc00, F},     /* fcvtzs fcvtzu */
	{0xffe08400, 0x6e000000, VEC},   /* ext */
	{0xffe18400, 0x6e010400, VMOV},  /* mov */
	{0xffe28400, 0x6e020400, VMOV},  /* mov */
	{0xffe48400, 0x6e040400, VMOV},  /* mov */
	{0xffe88400, 0x6e080400, VMOV},  /* mov */
	{0xff20cc00, 0x6e20c400, VFP},   /* fmaxnmp fmaxp fabd fcmgt fminp fcmge faddp … */
	{0xff20f400, 0x6e20e400, VFP},   /* fcmge facgt facge fcmgt */
	{0xffa0fc00, 0x6e20fc00, VFDIV}, /* fdiv */
	{0xef7ff800, 0x6e212800, VEC},   /* sqxtun2 sqxtun uqsub */
	{0xefbff800, 0x6e212800, VEC},   /* sqxtun2 sqxtun uqsub */
	{0xff3f7c00, 0x6e217800, VFP},   /* f1cvtl2 frint64x bf1cvtl2 bf2cvtl2 f2cvtl2 … */
	{0xff3f9c00, 0x6e219800, VFP},   /* frintx fcvtmu frsqrte fsqrt fcvtzu ucvtf … */
	{0xffbff800, 0x6e21e800, VFP},   /* frint32x facge */
	{0xefe0f400, 0x6e408400, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xffe0cc00, 0x6e40cc00, VFMUL}, /* fcmla bfdot bfmmla */
	{0xff40ec00, 0x6e40e400, VFP},   /* fcadd fmaxp fminp fcmgt fcmge */
	{0xefe0f400, 0x6e808400, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xffe0dc00, 0x6e808400, VMUL},  /* sqrdmlah ummla */
	{0xffa0e400, 0x6e80c400, VFMUL}, /* fcmla */
	{0xff80ec00, 0x6e80e400, VFP},   /* fcadd fminp fcmgt */
	{0xffbed800, 0x6ea0d800, VFP},   /* fcmle fsqrt frsqrte fscale fneg famin */
	{0xffa0e400, 0x6ea0e400, VFP},   /* fcmgt fminp fscale facgt */
	{0xfffed800, 0x6ef8d800, VFP},   /* fcmle fsqrt frsqrte fscale fneg famin */
	{0xff888c00, 0x6f080400, VEC},   /* ushr ursra sli sqshlu sri usra uqshl urshr */
	{0xef88ec00, 0x6f086400, VEC},   /* sqshlu uqshl */
	{0xefc8e400, 0x6f088400, VEC},   /* sqshrun2 uqshrn2 uqrshrn sqrshrun uqrshrn2 … */
	{0xff908c00, 0x6f100400, VEC},   /* ushr ursra sli sqshlu sri usra uqshl urshr */
	{0xef90ec00, 0x6f106400, VEC},   /* sqshlu uqshl */
	{0xefd0e400, 0x6f108400, VEC},   /* sqshrun2 uqshrn2 uqrshrn sqrshrun uqrshrn2 … */
	{0xefa0ec00, 0x6f206400, VEC},   /* sqshlu uqshl */
	{0xefe0e400, 0x6f208400, VEC},   /* sqshrun2 uqshrn2 uqrshrn sqrshrun uqrshrn2 … */
	{0xefc08c00, 0x6f400400, VEC},   /* ushr ursra sli sqshlu sri usra uqshl urshr */
	{0xffc09400, 0x6f401000, VFMUL}, /* fcmla */
	{0xefc0d400, 0x6f40d000, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xffe09400, 0x6f801000, VFMUL}, /* fcmla */
	{0xefc0d400, 0x6f80d000, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xff20f400, 0x7e20e400, F},     /* fcmge facgt facge fcmgt */
	{0xff3ffc00, 0x7e30c800, VFP},   /* fmaxnmp fminnmp */
	{0xffbfec00, 0x7e30c800, VFP},   /* fmaxnmp faddp */
	{0xff3ffc00, 0x7e30f800, VFP},   /* fmaxp fminp */
	{0xff60f400, 0x7e402400, F},     /* fcmge facgt facge fcmgt */
	{0xfffffc00, 0x7e616800, F},     /* fcvtxn */
	{0xffa0fc00, 0x7ea0d400, F},     /* fabd */
	{0xffe0fc00, 0x7ec01400, F},     /* fabd */
	{0xffbe0000, 0x9e020000, F},     /* scvtf ucvtf */
	{0xffbe0000, 0x9e180000, F},     /* fcvtzs fcvtzu */
	{0xff7e0000, 0x9e420000, F},     /* scvtf ucvtf */
	{0xff7e0000, 0x9e580000, F},     /* fcvtzs fcvtzu */
	{0xff7efc00, 0x9e660000, FMOV},  /* fmov */
	{0xfffefc00, 0x9eae0000, VFMOV}, /* fmov */
	{0xffa08000, 0xce000000, CRY},   /* eor3 sm3ss1 */
	{0xffc08000, 0xce000000, CRY},   /* eor3 bcax */
	{0xffe04000, 0xce400000, CRY},   /* sm3ss1 sm3tt1a sm3tt2a sm3tt1b sm3tt2b */
	{0xffc0f000, 0xce408000, CRY},   /* sm3tt1a sha512h sha512su1 rax1 sm3tt2a … */
	{0xffe0b400, 0xce608000, CRY},   /* sha512h sm4ekey sha512su1 sm3partw1 */
	{0xffe0b800, 0xce608000, CRY},   /* sha512h sm3partw1 sha512h2 sm3partw2 */
	{0xffe00000, 0xce800000, CRY},   /* xar */
	{0xffbff800, 0xce808000, CRY},   /* xar sha512su0 sm4e */
};
const struct isa_arm64_rows isa_arm64_simd_rows = {rows, sizeof rows / sizeof *rows};
