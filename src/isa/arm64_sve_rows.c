/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: encodings of SVE that do not access memory. What rows are: arm64_rows.h.
 *
 * Logical immediates (masks 0xff3c0000) are also checked for a valid pattern by who asks.
 *
 * The masks were found by asking a disassembler which bits of an encoding matter to its
 * class, and are held against it by tests/unit/test_isa_arm64.c; they state the tables of
 * the Arm Architecture Reference Manual for A-profile, C4.1 (SVE).
 */
#include "isa/arm64_rows.h"

static const struct isa_arm64_row rows[] = {
	{0xfffffff0, 0x2519f000, VEC},   /* rdffr */
	{0xfffffe1f, 0x25289000, VEC},   /* wrffr */
	{0xffffffff, 0x252c9000, VEC},   /* setffr */
	{0xdf76c000, 0x04000000, VEC},   /* add cmpne sub uaddv saddv smaxv umaxv cmphi … */
	{0xdfb6c000, 0x04000000, VEC},   /* add cmpne sub uaddv saddv smaxv umaxv cmphi … */
	{0xff204000, 0x04004000, VMUL},  /* mla msb mls mad */
	{0xff00f400, 0x04006000, VMUL},  /* mls mul smulh */
	{0xffc0f000, 0x04006000, VMUL},  /* mls mul smulh umulh pmul */
	{0xff00f800, 0x04006800, VMUL},  /* mls smulh umulh */
	{0xff00f800, 0x04007000, VMUL},  /* mls sqdmulh sqrdmulh */
	{0xdf2ee100, 0x04008100, VEC},   /* asr cmpgt lsr cmpge */
	{0xdf2ee200, 0x04008200, VEC},   /* asr cmpgt lsr cmpge */
	{0xbf60f800, 0x0400c800, VMUL},  /* mad sdot udot */
	{0xdf35e000, 0x04010000, VEC},   /* sub cmphi subr umax umin cmphs */
	{0xff33e000, 0x04012000, VEC},   /* uaddv addqv umaxqv umaxv */
	{0xdf2de100, 0x04018100, VEC},   /* lsr cmpgt lsl cmpge */
	{0xdf2de200, 0x04018200, VEC},   /* lsr cmpgt lsl cmpge */
	{0xdf3de100, 0x04048100, VEC},   /* asrd cmpgt sqshl cmpge */
	{0xdf3de200, 0x04048200, VEC},   /* asrd cmpgt sqshl cmpge */
	{0xbf3ee100, 0x04068100, VEC},   /* sqshl uqshl urshlr srshlr */
	{0xbf3ee200, 0x04068200, VEC},   /* sqshl uqshl urshlr srshlr */
	{0xdf2ce000, 0x04080000, VEC},   /* smax cmphi bic eor umax smin umin cmphs orr */
	{0xff3ac000, 0x04080000, VEC},   /* smax umaxqv uabd umaxv smaxqv sabd umax … */
	{0xff29e000, 0x04082000, VEC},   /* smaxv smaxqv andqv orv sminqv orqv sminv */
	{0xff2ae000, 0x04082000, VEC},   /* smaxv umaxqv eorqv eorv umaxv smaxqv orqv … */
	{0xff38e000, 0x04082000, VEC},   /* smaxv umaxqv uminqv umaxv sminqv smaxqv … */
	{0xdf3e6100, 0x040c0100, VEC},   /* sabd cmpgt uabd srshr urshr cmpge cmphs … */
	{0xdf3e6200, 0x040c0200, VEC},   /* sabd cmpgt uabd srshr urshr cmpge cmphs … */
	{0xbf3de100, 0x040d8100, VEC},   /* urshr sqshlu uqshlr uqrshlr */
	{0xbf3de200, 0x040d8200, VEC},   /* urshr sqshlu uqshlr uqrshlr */
	{0xff3da000, 0x04100000, VMUL},  /* mul mla smulh */
	{0xff3ee000, 0x04102000, VMOV},  /* movprfx */
	{0xbf3ae000, 0x04108000, VEC},   /* asr lsrr uhadd srhadd urhadd asrr lsr shadd */
	{0xbf76e000, 0x04108000, VEC},   /* asr lsr uhadd shadd sqadd uqadd */
	{0xbfb6e000, 0x04108000, VEC},   /* asr lsr uhadd shadd sqadd uqadd */
	{0xbf39e000, 0x04118000, VEC},   /* lsr lsrr lslr uhadd uhsubr urhadd uhsub */
	{0xbf75e000, 0x04118000, VEC},   /* lsr lsl uhadd uhsub uqadd uqsub */
	{0xbfb5e000, 0x04118000, VEC},   /* lsr lsl uhadd uhsub uqadd uqsub */
	{0xff3ea000, 0x04120000, VMUL},  /* smulh umulh mla */
	{0xbf3ee000, 0x0416a000, VEC},   /* abs neg uminp sminp */
	{0xdf37e000, 0x0416a000, VEC},   /* abs cmpne not cmpeq */
	{0xff3ce000, 0x0418a000, VBIT},  /* cls clz cnot cnt */
	{0xdfa0a800, 0x04200000, VEC},   /* add cmphi addvl index uqadd sqadd cmphs sub */
	{0xdf20f000, 0x04201000, VEC},   /* sqadd cmphi sqsub uqsub uqadd cmphs */
	{0xdfa0b000, 0x04201000, VEC},   /* sqadd cmphi addsvl addspl uqsub sqsub addvl … */
	{0xdfa0d400, 0x04201000, VEC},   /* sqadd cmpls sqsub bcax eor3 orr cmphi cmphs … */
	{0xdfa0d800, 0x04201800, VEC},   /* sqsub cmpls bcax bsl1n eor3 uqsub cmphi … */
	{0xdf20f000, 0x04204000, VEC},   /* index cmphi cmphs */
	{0xdfa0d800, 0x04208000, VEC},   /* asr cmpls adr lsr cmphi cmphs cmplo */
	{0xdfa0d400, 0x04208400, VEC},   /* lsr cmpls lsl adr cmphi cmphs cmplo */
	{0xdf20f000, 0x0420a000, VEC},   /* adr cmpls cmplo */
	{0xfffffc00, 0x0420bc00, VMOV},  /* movprfx */
	{0xdf20ec00, 0x0420e000, VEC},   /* cntb cmpls sqincw incd sqinch cntd cmplo … */
	{0xdf20f000, 0x0420f000, VEC},   /* sqincb cmpls sqdecw sqdecd uqdech uqincb … */
	{0xdfa86800, 0x04280000, VEC},   /* add cmphi sqadd uqadd asr lsr sub cmphs */
	{0xdfa8d000, 0x04281000, VEC},   /* sqadd cmpls sqsub bcax bsl1n eor3 uqadd xar … */
	{0xdfa8e400, 0x04288400, VEC},   /* lsr cmphi lsl cmphs */
	{0xdfb06800, 0x04300000, VEC},   /* add cmphi sqadd uqadd asr lsr sub cmphs */
	{0xdfb0d000, 0x04301000, VEC},   /* sqadd cmpls sqsub bcax bsl1n eor3 uqadd xar … */
	{0xdfb0e400, 0x04308400, VEC},   /* lsr cmphi lsl cmphs */
	{0xdf30e800, 0x0430e000, VEC},   /* incb cmpls sqincw incd uqinch decb decd … */
	{0xdf7fe000, 0x043f4000, VEC},   /* index cmphi rdsvl addsvl addvl cmphs rdvl */
	{0xbf60c800, 0x04404000, VMUL},  /* mla mls sqdmlalb sqrdmlsh sqrdmlah smlslt … */
	{0xbf60e000, 0x04404000, VMUL},  /* mla umlalb umlslt umlslb smlslt umlalt … */
	{0xdf6ee000, 0x04408000, VEC},   /* asr cmpgt lsr cmpge */
	{0xdf6de000, 0x04418000, VEC},   /* lsr cmpgt lsl cmpge */
	{0xdf7de000, 0x04448000, VEC},   /* asrd cmpgt sqshl cmpge */
	{0xbf7ee000, 0x04468000, VEC},   /* sqshl uqshl urshlr srshlr */
	{0xdf7e6000, 0x044c0000, VEC},   /* sabd cmpgt uabd srshr urshr cmpge cmphs … */
	{0xbf7de000, 0x044d8000, VEC},   /* urshr sqshlu uqshlr uqrshlr */
	{0xdf7ec000, 0x04508000, VEC},   /* asr cmpne lsr uxtb sxtb cmpgt cmpge cmpeq */
	{0xff7ee000, 0x045ca000, VFP},   /* fabs fneg */
	{0xdfe03800, 0x04600000, VEC},   /* add cmphi index sub asr uqinch sqinch cmphs */
	{0xdfe06800, 0x04600000, VEC},   /* add cmphi sqadd uqadd asr lsr sub cmphs */
	{0xdfe0d000, 0x04601000, VEC},   /* sqadd cmpls sqsub bcax bsl1n uqadd xar cmphi … */
	{0xdf707000, 0x04604000, VEC},   /* index cmphi sqdecd uqinch sqdech cmphs … */
	{0xdfe0e400, 0x04608400, VEC},   /* lsr cmphi lsl cmphs */
	{0xff60fc00, 0x0460b000, VFP},   /* ftssel */
	{0xff7ff400, 0x0460b000, VFP},   /* ftssel fexpa */
	{0xdfaee000, 0x04808000, VEC},   /* asr cmpgt lsr cmpge */
	{0xdfade000, 0x04818000, VEC},   /* lsr cmpgt lsl cmpge */
	{0xdfbde000, 0x04848000, VEC},   /* asrd cmpgt sqshl cmpge */
	{0xbfbee000, 0x04868000, VEC},   /* sqshl uqshl urshlr srshlr */
	{0xdfbe6000, 0x048c0000, VEC},   /* sabd cmpgt uabd srshr urshr cmpge cmphs … */
	{0xbfbde000, 0x048d8000, VEC},   /* urshr sqshlu uqshlr uqrshlr */
	{0xdfbce000, 0x0490a000, VEC},   /* sxtb cmpne uxth uxtb sxth cmpeq */
	{0xffbce000, 0x04940000, VDIV},  /* sdiv udiv udivr sdivr */
	{0xffbee000, 0x049ca000, VFP},   /* fabs fneg */
	{0xdfe03800, 0x04a00000, VEC},   /* add cmphi index sub asr uqincw sqincw cmphs */
	{0xdfe06800, 0x04a00000, VEC},   /* add cmphi sqadd uqadd asr lsr sub cmphs */
	{0xdfa07800, 0x04a01000, VEC},   /* sqadd cmphi uqadd asr lsr cmphs */
	{0xdfa0d800, 0x04a01000, VEC},   /* sqadd cmpls bic xar eor uqadd cmphi cmphs … */
	{0xdfa07400, 0x04a01400, VEC},   /* uqadd cmphi uqsub lsl lsr cmphs */
	{0xdfa0d400, 0x04a01400, VEC},   /* uqadd cmpls uqsub nbsl bsl2n xar cmphi cmphs … */
	{0xdfa07800, 0x04a04000, VEC},   /* index cmphi sqincw uqincw cmphs uqincd incd */
	{0xdfb07000, 0x04a04000, VEC},   /* index cmphi sqdecw uqincw cmphs uqincd … */
	{0xdfe0e400, 0x04a08400, VEC},   /* lsr cmphi lsl cmphs */
	{0xffa0fc00, 0x04a0b000, VFP},   /* ftssel */
	{0xffbff400, 0x04a0b000, VFP},   /* ftssel fexpa */
	{0xdfd2e000, 0x04c00000, VEC},   /* add cmphi sqsub addpt uqsub sub sabd cmphs … */
	{0xbfe07400, 0x04c05000, VMUL},  /* mla mad umlslb madpt smlslb mlapt */
	{0xfff3c000, 0x04c10000, VEC},   /* sub addqv subpt uaddv umaxqv uabd umax */
	{0xdffac000, 0x04d08000, VEC},   /* asr cmpne lsrr uxtb sxtw uxtw cmpgt cmpge … */
	{0xdff8e000, 0x04d0a000, VEC},   /* sxtb cmpne neg uxtb abs sxtw cmpeq */
	{0xdfe0e000, 0x04e00000, VEC},   /* add cmphi sqsub addpt uqsub sub uqadd subpt … */
	{0xff7c0000, 0x05000000, VEC},   /* orr and */
	{0xffbc0000, 0x05000000, VEC},   /* orr eor */
	{0xff30a000, 0x05100000, VMOV},  /* mov */
	{0xdf60f000, 0x05200000, VEC},   /* ext whilegt uzp1 whilele uzp2 whilehs … */
	{0xdfa0e000, 0x05200000, VEC},   /* ext whilegt whilele whilehs whilege whilels … */
	{0xdf60e800, 0x05200800, VEC},   /* ext whilehi trn1 uzp1 whilels uzp2 whilehs … */
	{0xff20b800, 0x05202800, VEC},   /* tbl uzp1 tbx uzp2 */
	{0xff20b800, 0x05203000, VEC},   /* tbl trn1 tbxq trn2 */
	{0xff3ffc00, 0x05203800, VMOV},  /* mov */
	{0xff304a10, 0x05204000, VEC},   /* zip1 mov trn1 trn2 sel zip2 */
	{0xff305210, 0x05204000, VEC},   /* zip1 mov uzp1 uzp2 sel zip2 */
	{0xffee5e10, 0x05204000, VEC},   /* zip1 sel punpkhi mov */
	{0xff206800, 0x05206000, VEC},   /* zip1 sel trn1 trn2 zip2 */
	{0xff207000, 0x05206000, VEC},   /* zip1 sel uzp1 uzp2 zip2 */
	{0xff3fe000, 0x05208000, VMOV},  /* mov */
	{0xff2ea000, 0x0520a000, VEC},   /* lasta lastb sel clastb clasta */
	{0xdf3ae000, 0x0520c000, VEC},   /* mov uqadd sel sqadd sub add */
	{0xff20c000, 0x0520c000, VEC},   /* mov sel */
	{0xff21fc00, 0x05212000, VMOV},  /* mov */
	{0xffe1f800, 0x05212000, VMOV},  /* mov dupq */
	{0xdf39e000, 0x0521c000, VEC},   /* sel uqadd sub uqsub subr */
	{0xff22fc00, 0x05222000, VMOV},  /* mov */
	{0xffe2f800, 0x05222000, VMOV},  /* mov dupq */
	{0xff36a000, 0x05228000, VEC},   /* lasta lastb sel clasta mov clastb */
	{0xff24fc00, 0x05242000, VMOV},  /* mov */
	{0xffe4f800, 0x05242000, VMOV},  /* mov dupq */
	{0xff2ff400, 0x05243000, VEC},   /* tbl insr */
	{0xdf3ce000, 0x0524c000, VEC},   /* sel uqadd sqadd sqsub uqsub */
	{0xff3fe000, 0x05278000, VBIT},  /* rbit */
	{0xff28fc00, 0x05282000, VMOV},  /* mov */
	{0xffe8f800, 0x05282000, VMOV},  /* mov dupq */
	{0xff3aa000, 0x05288000, VEC},   /* clasta splice sel clastb */
	{0xff3ca000, 0x05288000, VEC},   /* clasta clastb sel */
	{0xff3fe000, 0x0528a000, VMOV},  /* mov */
	{0xdf3ce000, 0x0528c000, VEC},   /* sel umax smax smin umin */
	{0xff3bfc10, 0x052a3800, VMOV},  /* pmov */
	{0xff3bfe00, 0x052b3800, VMOV},  /* pmov */
	{0xff3dfc10, 0x052c3800, VMOV},  /* pmov */
	{0xff3dfe00, 0x052d3800, VMOV},  /* pmov */
	{0xffffe000, 0x052e8000, VBIT},  /* revd */
	{0xbf70dc20, 0x05300800, VEC},   /* ext tbl uzp1 sqrshrn sqrshrnb sqrshrun … */
	{0xff30fc00, 0x05302000, VMOV},  /* mov */
	{0xff3ffe10, 0x05344000, VBIT},  /* rev */
	{0xff3ffc00, 0x05383800, VBIT},  /* rev */
	{0xff708000, 0x05500000, VMOV},  /* mov */
	{0xff70e000, 0x0550c000, VFMOV}, /* fmov */
	{0xbff0d400, 0x05600400, VEC},   /* ext extq sqrshrnt sqshrnt tbx sqshrunt … */
	{0xdf7ac000, 0x0560c000, VEC},   /* mov uqadd sel sqadd sub add */
	{0xdf79c000, 0x0561c000, VEC},   /* sel uqadd sub uqsub subr */
	{0xff7fe000, 0x05648000, VBIT},  /* revb */
	{0xdf7cc000, 0x0564c000, VEC},   /* sel uqadd sqadd sqsub uqsub */
	{0xff79fc10, 0x05683800, VMOV},  /* pmov */
	{0xff79fe00, 0x05693800, VMOV},  /* pmov */
	{0xbffbd400, 0x05701000, VEC},   /* ext tbl uqrshrnb uqshrnb insr shrnb rshrnb */
	{0xbffcd400, 0x05701000, VEC},   /* ext tbl uqrshrnb uqshrnb uunpkhi shrnb … */
	{0xffb08000, 0x05900000, VMOV},  /* mov */
	{0xffb0e000, 0x0590c000, VFMOV}, /* fmov */
	{0xbfa0e000, 0x05a0c000, VEC},   /* mov sel histcnt */
	{0xdfbac000, 0x05a0c000, VEC},   /* mov uqadd sel sqadd sub add */
	{0xffb5a000, 0x05a18000, VEC},   /* compact sel lastb clastb */
	{0xdfb9c000, 0x05a1c000, VEC},   /* sel uqadd sub uqsub subr */
	{0xffbee000, 0x05a48000, VBIT},  /* revb revh */
	{0xdfbcc000, 0x05a4c000, VEC},   /* sel uqadd sqadd sqsub uqsub */
	{0xffb9fc10, 0x05a83800, VMOV},  /* pmov */
	{0xffb9fe00, 0x05a93800, VMOV},  /* pmov */
	{0xffbbf400, 0x05b03000, VEC},   /* tbl insr sunpklo */
	{0xffbcf400, 0x05b03000, VEC},   /* tbl uunpkhi sunpkhi uunpklo sunpklo */
	{0xffec8000, 0x05c00000, VMOV},  /* dupm mov */
	{0xfffc0000, 0x05c00000, VMOV},  /* dupm mov */
	{0xfffce000, 0x05e48000, VBIT},  /* revb revh rbit revw */
	{0xfe00e000, 0x24000000, VEC},   /* cmphs cmphi whilehs whilels cmpge cmpgt … */
	{0xfe206000, 0x24000000, VEC},   /* cmphs cmpgt cmpge cmphi cmpeq cmpne */
	{0xfe6f8200, 0x24000000, VEC},   /* cmphs cmpne brkb cmple cmplt cmpgt brka bic … */
	{0xfe708000, 0x24000000, VEC},   /* cmphs cmpne orr cmple cmplt cmpgt and sel … */
	{0xfea78210, 0x24000000, VEC},   /* cmphs cmpeq brka cmplt cmpge and ands */
	{0xff400000, 0x24000000, VEC},   /* cmphs cmpls cmpeq cmphi cmpne cmplo cmplt … */
	{0xff800000, 0x24000000, VEC},   /* cmphs cmpls cmpeq cmphi cmpne cmplo cmplt … */
	{0xfeb04200, 0x24004000, VEC},   /* cmpge cmpls and cmple bics brkpa cmphi cmplo … */
	{0xff00c000, 0x24008000, VEC},   /* cmpge cmpls cmphs cmpeq cmphi cmpne cmplo … */
	{0xfe1a7e00, 0x24080800, VEC},   /* cmphs cmphi whilehs whilehi cmpeq cmpgt … */
	{0xfeaf6e10, 0x24086000, VEC},   /* cmplt cmplo brkn ands brkpa rdffr and brkpas … */
	{0xfeef7bf0, 0x24086000, VEC},   /* cmplt cmplo brkn and brkpa ptrue */
	{0xfeafbe10, 0x24098400, VEC},   /* cmpge pnext cmphs cmpeq brkpa brkpas */
	{0xff200000, 0x24200000, VEC},   /* cmphs cmpls cmplo cmphi */
	{0xfe20a010, 0x24200010, VEC},   /* cmphi whilehs whilels whilehi whilele … */
	{0xfe20d010, 0x24204010, VEC},   /* cmphi cmpls whilehi whilelo whilehs whilele … */
	{0xfe3fcc10, 0x24204010, VEC},   /* cmphi cmpls whilege pext whilegt */
	{0xfe3fb800, 0x24208000, VEC},   /* cmphs cmphi add cntp */
	{0xfe3fc200, 0x24208000, VEC},   /* cmphs cmpls cntp cmphi cmplo */
	{0xfe24a200, 0x24240000, VEC},   /* cmphs cmphi psel whilels whilehs whilele … */
	{0xfe24c210, 0x24244000, VEC},   /* cmphs cmplo psel */
	{0xfe24d200, 0x24244000, VEC},   /* cmphs cmpls psel whilelo cmphi whilele cmplo … */
	{0xfe3c3a00, 0x24280800, VEC},   /* cmphs cmphi psel whilels sqdecp umax whilelo … */
	{0xfe28c210, 0x24284000, VEC},   /* cmphs cmplo psel */
	{0xfe28d200, 0x24284000, VEC},   /* cmphs cmpls psel whilelo cmphi whilele cmplo … */
	{0xfe30c210, 0x24304000, VEC},   /* cmphs cmplo psel */
	{0xfeef421f, 0x24404000, VEC},   /* cmpge cmplo brkas cmplt ands brkpas cmphs … */
	{0xfe5a7600, 0x24480000, VEC},   /* cmphs cmphi whilehs whilehi cmpeq cmpgt … */
	{0xfeef5e10, 0x24484000, VEC},   /* cmpge cmplo brkns cmplt ands brkpas cmphs … */
	{0xfe60c210, 0x24604000, VEC},   /* cmphs cmplo psel */
	{0xfe7f4a00, 0x24604000, VEC},   /* cmphs cmpls psel pext add cmphi cmplo */
	{0xfe7f4c10, 0x24604010, VEC},   /* cmphi cmpls whilege pext add */
	{0xfe7f8200, 0x24608000, VEC},   /* cmphs cmpls add cntp cmphi cmplo */
	{0xfe7c3600, 0x24680000, VEC},   /* cmphs cmphi psel whilehi sqdecp whilegt umax … */
	{0xfe9a7600, 0x24880000, VEC},   /* cmphs cmphi whilehs whilehi cmpeq cmpgt … */
	{0xfebf47f8, 0x24a04010, VEC},   /* cmphi cmpls whilehs ptrue add pext */
	{0xfebf4c10, 0x24a04010, VEC},   /* cmphi cmpls whilege pext add */
	{0xfebf8200, 0x24a08000, VEC},   /* cmphs cmpls add cntp cmphi cmplo */
	{0xfebc3600, 0x24a80000, VEC},   /* cmphs cmphi psel whilehi sqdecp whilegt umax … */
	{0xff20c000, 0x25000000, VEC},   /* cmpge cmple cmplt cmpgt */
	{0xff2f8210, 0x25000000, VEC},   /* cmpge cmplt brkb brkbs and orrs brka ands */
	{0xff308010, 0x25000000, VEC},   /* cmpge cmplt orr nors and eor orrs nots */
	{0xff308200, 0x25000000, VEC},   /* cmpge cmple orr orns cmplt bic and orrs ands */
	{0xff00dc00, 0x25001000, VEC},   /* cmpge whilerw whilege cmplt whilegt cmple … */
	{0xff1fca10, 0x25004010, VEC},   /* bic pext whilege whilegt orn whilelt bics … */
	{0xff3efc10, 0x2518e000, VEC},   /* ptrue ptrues */
	{0xff3fbe10, 0x25198400, VEC},   /* cmpeq pnext */
	{0xff3fe000, 0x2530c000, VMUL},  /* mul */
	{0xff3fe000, 0x2538c000, VMOV},  /* mov */
	{0xff7fc000, 0x2578c000, VMOV},  /* mov */
	{0xff7fe000, 0x2579c000, VFMOV}, /* fmov */
	{0xff80cc0f, 0x25800000, VEC},   /* cmpge whilerw whilege ctermne cmplt whilegt … */
	{0xffb08000, 0x25800000, VEC},   /* cmpge cmple orr nands cmplt orn nor orns … */
	{0xffbfc000, 0x25b8c000, VMOV},  /* mov */
	{0xffbfe000, 0x25b9c000, VFMOV}, /* fmov */
	{0xff20e000, 0x44002000, VMUL},  /* cmla sqrdcmlah */
	{0xff20b800, 0x44003000, VMUL},  /* sqrdcmlah sqrdmlah sqrdmlsh */
	{0xff20d800, 0x4400c000, VEC},   /* sclamp zipq1 zipq2 uclamp */
	{0xff20f000, 0x4400e000, VEC},   /* zipq1 uzpq1 uzpq2 zipq2 */
	{0xff20ec00, 0x4400e800, VEC},   /* uzpq1 tblq */
	{0xff22e000, 0x44028000, VEC},   /* srshl urshlr uhsubr uhsub urshl srshlr … */
	{0xff28e000, 0x44088000, VEC},   /* sqshl uqshlr uqsubr uqadd uqshl sqrshlr … */
	{0xff3ec000, 0x44088000, VEC},   /* sqshl sqneg uqshl sqabs */
	{0xff3bc000, 0x44118000, VEC},   /* uhadd umaxp urhadd addp */
	{0xff3cc000, 0x44148000, VEC},   /* srhadd umaxp uhsubr sminp smaxp uminp urhadd … */
	{0xff20f800, 0x44200800, VMUL},  /* mla mls */
	{0xff20f800, 0x44201000, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xff20f400, 0x4420f000, VMUL},  /* sqdmulh mul */
	{0xff20f800, 0x4420f000, VMUL},  /* sqdmulh sqrdmulh */
	{0xff609800, 0x44400800, VMUL},  /* sqdmlalbt cmla umlalb sqdmlslb umlalt … */
	{0xff6ee000, 0x4444a000, VEC},   /* sadalp uadalp umaxp smaxp */
	{0xff809000, 0x44800000, VMUL},  /* sdot sqdmlalb cdot cmla sqdmlalt smlalt … */
	{0xffa0a000, 0x44800000, VMUL},  /* sdot cdot umlslb umlalb smlalt smlslt umlalt … */
	{0xffa0c000, 0x44800000, VMUL},  /* sdot sqrdcmlah cdot cmla udot sqdmlslbt */
	{0xffe08400, 0x44800000, VMUL},  /* sdot sqrdcmlah umlslb sqdmlslb smlalb smlslb … */
	{0xfea0e800, 0x44806000, VMUL},  /* sqdmlalb sqrdmlah smullb smullt sqdmlalt … */
	{0xfffae000, 0x4480a000, VEC},   /* urecpe uadalp ursqrte sadalp */
	{0xffa01000, 0x44a00000, VMUL},  /* sdot smlslb cdot cmla sqdmlalt smullt … */
	{0xffa04800, 0x44a00000, VMUL},  /* sdot umlslb sqrdmlah sqdmlalb sqdmlslt … */
	{0xffe04000, 0x44a00000, VMUL},  /* sdot umlslb usdot sqdmlalb sqdmlslt smlalt … */
	{0xffa0a000, 0x44a02000, VMUL},  /* sqdmlalb sqdmlslb sqrdcmlah cmla sqdmlslt … */
	{0xffa08800, 0x44a08000, VMUL},  /* smlalb umlslb umullb sqdmullb umlslt smullt … */
	{0xffa0a000, 0x44a08000, VMUL},  /* smlalb umlalb umullb smullb umlalt smullt … */
	{0xffa0c000, 0x44a08000, VMUL},  /* smlalb umlslb umlalb smlslb umlslt smlalt … */
	{0xffa0f800, 0x45006800, VMUL},  /* pmullb pmullt */
	{0xff20b800, 0x45009000, VEC},   /* eorbt sbclb eortb adclt adclb sbclt */
	{0xff60fc00, 0x45009800, VMUL},  /* smmla usmmla */
	{0xff20f400, 0x4500b000, VBIT},  /* bext bgrp */
	{0xff20f800, 0x4500b000, VBIT},  /* bext bdep */
	{0xff3ef000, 0x4500d000, VEC},   /* adclb sqcadd cadd adclt sbclt sbclb */
	{0xff20f800, 0x4500f800, VEC},   /* saba uaba */
	{0xffa8b000, 0x4508a000, VEC},   /* sshllb srsra ushllt ushllb usra sshllt ursra … */
	{0xff28e000, 0x4508e000, VEC},   /* ssra sri saba srsra uaba usra sli ursra */
	{0xffb0b000, 0x4510a000, VEC},   /* sshllb srsra ushllt ushllb usra sshllt ursra … */
	{0xff30e000, 0x4510e000, VEC},   /* ssra sri saba srsra uaba usra sli ursra */
	{0xffa0e000, 0x45208000, VEC},   /* match nmatch */
	{0xffe0c400, 0x45208000, VEC},   /* match luti2 nmatch */
	{0xff20ec00, 0x4520a800, VEC},   /* luti2 */
	{0xff20f000, 0x4520b000, VEC},   /* luti2 luti4 */
	{0xfffdebe0, 0x4520e000, CRY},   /* aesmc sm4ekey rax1 aesd aese aesimc */
	{0xffe0f800, 0x4520f000, CRY},   /* sm4ekey rax1 */
	{0xfffeec00, 0x4522e000, CRY},   /* aese sm4ekey sm4e */
	{0xffffe800, 0x4522e000, CRY},   /* aese sm4ekey rax1 aesd */
	{0xffa8c000, 0x45280000, VEC},   /* sqshrunb uqshrnb rshrnb sqrshrnb uqrshrnt … */
	{0xffffa800, 0x45280000, VEC},   /* sqshrunb shrnb sqxtunb sqxtnb shrnt sqxtnt … */
	{0xffffb000, 0x45280000, VEC},   /* sqshrunb uqxtnb sqrshrunt sqrshrunb sqxtnt … */
	{0xffb0c000, 0x45300000, VEC},   /* sqshrunb uqshrnb rshrnb sqrshrnb uqrshrnt … */
	{0xfffeac20, 0x45300000, VEC},   /* sqshrunb shrnb sqcvtun sqcvtn sqxtunb sqxtnb */
	{0xfffeb420, 0x45300000, VEC},   /* sqshrunb uqcvtn sqrshrunb sqcvtn sqxtnb … */
	{0xffffa800, 0x45300000, VEC},   /* sqshrunb shrnb sqxtunb sqxtnb shrnt sqxtnt … */
	{0xffffb000, 0x45300000, VEC},   /* sqshrunb uqxtnb sqrshrunt sqrshrunb sqxtnt … */
	{0xff60a000, 0x45400000, VEC},   /* saddlb ssublb usubwb uaddwb usublt usublb … */
	{0xff60d000, 0x45401000, VEC},   /* ssublb sabdlb usublb uabdlb uabdlt ssublt … */
	{0xff60e000, 0x45406000, VMUL},  /* sqdmullb smullb umullb pmullb umullt … */
	{0xffe09400, 0x45408000, VEC},   /* saddlbt sshllb uabalb srsra ushllb sabalb … */
	{0xffe09800, 0x45408800, VEC},   /* ssublbt ushllb uabalb srsra ushllt uabalt … */
	{0xffe0b000, 0x4540a000, VEC},   /* sshllb srsra ushllt ushllb usra sshllt ursra … */
	{0xff60c800, 0x4540c000, VEC},   /* sabalb sri sbclb ssra sli sabalt sbclt usra … */
	{0xffe06000, 0x45600000, VEC},   /* sqshrunb nmatch rshrnb sqrshrunb rshrnt … */
	{0xffe0c000, 0x45600000, VEC},   /* sqshrunb uqshrnb rshrnb sqrshrnb uqrshrnt … */
	{0xffff8800, 0x45600000, VEC},   /* sqshrunb uqshrnb sqxtunb addhnb uqshrnt … */
	{0xffff9000, 0x45600000, VEC},   /* sqshrunb sqshrnb uqxtnb raddhnb sqrshrnt … */
	{0xffe0a000, 0x45602000, VEC},   /* sqshrnb uqshrnb rsubhnb raddhnb uqrshrnt … */
	{0xff60ec00, 0x4560a400, VEC},   /* luti4 */
	{0xffa03400, 0x45800000, VEC},   /* saddlb saddlbt uaddwb uaddlb ssublbt sabalb … */
	{0xffa0a000, 0x45800000, VEC},   /* saddlb ssublb usubwb uaddwb usublt usublb … */
	{0xffa03800, 0x45800800, VEC},   /* uaddlb ssublbt uaddwb uaddlt uabalt uabalb … */
	{0xffa0d000, 0x45801000, VEC},   /* ssublb sabdlb usublb uabdlb uabdlt ssublt … */
	{0xffa0f000, 0x45807000, VMUL},  /* smullb umullb umullt smullt */
	{0xffa0fc00, 0x45809800, VMUL},  /* usmmla ummla */
	{0xffa0d000, 0x4580c000, VEC},   /* sabalb ssra uabalb srsra ursra sabalt usra … */
	{0xffbec000, 0x4580c000, VEC},   /* sabalb sri sqcadd srsra uaba saba sabalt sli … */
	{0xffa0e000, 0x4580e000, VEC},   /* ssra sri saba srsra uaba usra sli ursra */
	{0xffa0e000, 0x45a06000, VEC},   /* addhnb subhnb rsubhnb raddhnb rsubhnt addhnt … */
	{0xfff0ac20, 0x45b02800, VEC},   /* sqrshrn uqrshrn rsubhnb raddhnb */
	{0xfe7fe000, 0x640aa000, VFP},   /* fcvtxnt bfcvt bfcvtnt fcvtx */
	{0xfea0d400, 0x64200000, VFMUL}, /* fmla fmul bfmla bfmul fmls bfmls */
	{0xfea0f000, 0x64200000, VFMUL}, /* fmla bfmla fmls bfmls */
	{0xff203800, 0x64200000, VFMUL}, /* fmla bfdot fmlalb bfmlalb fmls fmlallbb … */
	{0xff20fc00, 0x64202400, VFP},   /* bfclamp fclamp */
	{0xff60e400, 0x64204400, VFMUL}, /* fdot fmlalb fmlalt */
	{0xff60f000, 0x64205000, VFMUL}, /* fmlalb fmlalt */
	{0xff60ec00, 0x64208800, VFMUL}, /* fmlallbb fmlallbt fmlalt fmlalb */
	{0xffe0cc00, 0x64208800, VFMUL}, /* fmlallbb fmlalltt fmlallbt fmlalltb */
	{0xff20f000, 0x6420c000, VFMUL}, /* fmlallbb fmlallbt fmlalltb fmlalltt */
	{0xff608000, 0x64400000, VFMUL}, /* fcmla */
	{0xfe7ee000, 0x64408000, VFP},   /* fcadd fsub fadd */
	{0xff7bc000, 0x64508000, VFP},   /* faddp fmaxnmqv fmaxnmp faddqv */
	{0xff7cc000, 0x64548000, VFP},   /* fmaxnmp fminnmqv fminp fmaxqv fmaxnmqv … */
	{0xfe60dc00, 0x6460c400, VFMUL}, /* fmlallbt bfmmla fnmad fmmla fnmsb fmlalltt */
	{0xff809c00, 0x64800000, VFMUL}, /* fcmla fmul fmlalb bfmlslb fmlslb fmla … */
	{0xffa08000, 0x64800000, VFMUL}, /* fcmla */
	{0xff80f000, 0x64801000, VFMUL}, /* fcmla */
	{0xffc0b000, 0x64801000, VFMUL}, /* fcmla fmlalt */
	{0xff80d000, 0x64804000, VFMUL}, /* fcmla bfmlslb fmlalb bfmlslt fmlalt fmlslb … */
	{0xfebee000, 0x64808000, VFP},   /* fcadd fsub fadd */
	{0xfefde000, 0x6488a000, VFP},   /* fcvtnt bfcvt fcvt bfcvtnt */
	{0xfefee000, 0x6488a000, VFP},   /* fcvtnt fcvtlt fcvt */
	{0xffbbc000, 0x64908000, VFP},   /* faddp fmaxnmqv fmaxnmp faddqv */
	{0xffbcc000, 0x64948000, VFP},   /* fmaxnmp fminnmqv fminp fmaxqv fmaxnmqv … */
	{0xfea07000, 0x64a04000, VFMUL}, /* fmlalb fmlalltt fnmla bfmlalb fnmad fmlalltb … */
	{0xfea0d800, 0x64a08000, VFMUL}, /* fmlalb bfmlslb fmad fmsb fmlalt fmlslb … */
	{0xfea09c00, 0x64a08400, VFMUL}, /* fmlalt bfmlslt fnmad fmmla fmsb fmlalltb … */
	{0xfefee000, 0x64caa000, VFP},   /* fcvtnt fcvtlt fcvt */
	{0xff20f800, 0x65000000, VFP},   /* bfadd fadd fsub bfsub */
	{0xff00fc00, 0x65000800, VFMUL}, /* bfmul fmla fmul bfmla */
	{0xff3ae000, 0x65008000, VFP},   /* bfadd fminnm fsub fmaxnm bfminnm bfsub … */
	{0xff3fe000, 0x65028000, VFMUL}, /* bfmul fmul */
	{0xff3ce000, 0x65048000, VFP},   /* bfmaxnm fminnm fmin fmax bfmin fmaxnm … */
	{0xfffdf020, 0x65083000, VFP},   /* f1cvt bfcvtn bf1cvt bf2cvt fcvtnb f2cvt … */
	{0xfffef000, 0x65083000, VFP},   /* f1cvt f1cvtlt bf1cvtlt bf2cvtlt bf1cvt … */
	{0xffefe000, 0x650aa000, VFP},   /* fcvtx flogb */
	{0xffbbe000, 0x651aa000, VFP},   /* flogb fcvtzs */
	{0xffbde000, 0x651ca000, VFP},   /* flogb fcvtzs */
	{0xff20c000, 0x65200000, VFMUL}, /* bfmla fmls fmla bfmls */
	{0xff40f800, 0x65400800, VFMUL}, /* fmul fmla ftsmul */
	{0xff60b800, 0x65401800, VFP},   /* frecps fcmge fcmgt frsqrts */
	{0xff7ba000, 0x65402000, VFP},   /* faddv fmaxnmv fcmeq fcmne */
	{0xff606000, 0x65404000, VFP},   /* fcmge facge fcmgt fcmuo */
	{0xff60c000, 0x65404000, VFP},   /* fcmge fcmne fcmeq fcmgt */
	{0xff604010, 0x65404010, VFP},   /* fcmgt facgt fcmne facge */
	{0xff76a000, 0x65408000, VFP},   /* fadd fsub fcmuo facge fabd fscale */
	{0xff7aa000, 0x65408000, VFP},   /* fadd fminnm fcmuo facge fsub fmaxnm */
	{0xff79e000, 0x6540a000, VFP},   /* frintn frinta frintx frintm */
	{0xff7ce000, 0x6540a000, VFP},   /* frintn frintp frintz frintm */
	{0xff79a000, 0x65418000, VFP},   /* fsub fminnm fcmuo facge fmin fsubr */
	{0xff47ffc0, 0x65428000, VFMUL}, /* fmul fmad fmulx ftmad */
	{0xff57e000, 0x65428000, VFMUL}, /* fmul fmad fmulx */
	{0xffeae000, 0x6542a000, VFP},   /* frintm frinti ucvtf frintz frintx scvtf */
	{0xff7ca000, 0x65442000, VFP},   /* fmaxnmv fminnmv fcmeq fcmne fmaxv fminv */
	{0xff76bc00, 0x65463000, VFP},   /* fmaxv fminv fcmeq fcmne frecpe frsqrte */
	{0xff76a000, 0x65468000, VFP},   /* fmax fmin fcmuo facge famax famin */
	{0xff4fe3c0, 0x654a8000, VFMUL}, /* fmulx fmad fmul */
	{0xff7ee000, 0x654c8000, VFDIV}, /* fdivr fdiv */
	{0xff6ee000, 0x654ca000, VFP},   /* frecpx fsqrt fcvtzu fcvtzs */
	{0xff77a000, 0x65502000, VFP},   /* fcmge fcmgt fcmeq fcmne fadda */
	{0xff7ca010, 0x65502000, VFP},   /* fcmge fcmlt fcmeq fcmne */
	{0xff7ea000, 0x65502000, VFP},   /* fcmge fcmle fcmeq fcmne fcmgt fcmlt */
	{0xff58fc00, 0x65508000, VFMUL}, /* ftmad fmad */
	{0xfff2e000, 0x6552a000, VFP},   /* scvtf ucvtf fcvtzs fcvtzu */
	{0xff74e000, 0x6554a000, VFP},   /* scvtf ucvtf fcvtzs fcvtzu */
	{0xff7aa3c0, 0x65588000, VFP},   /* fadd fminnm fcmuo facge fsub fmaxnm */
	{0xff79a3c0, 0x65598000, VFP},   /* fsub fminnm fcmuo facge fmin fsubr */
	{0xff7cc3c0, 0x655c8000, VFP},   /* fmaxnm fcvtzu fmin fcvtzs fminnm fmax */
	{0xff600000, 0x65600000, VFMUL}, /* fmla fmsb fnmla fnmls fmls fnmad fnmsb fmad */
	{0xffa0b800, 0x65800000, VFP},   /* fadd fcmge fcmgt fsub */
	{0xff80f800, 0x65800800, VFMUL}, /* fmul fmla ftsmul */
	{0xffa0b800, 0x65801800, VFP},   /* frecps fcmge fcmgt frsqrts */
	{0xffbba000, 0x65802000, VFP},   /* faddv fmaxnmv fcmeq fcmne */
	{0xffa06000, 0x65804000, VFP},   /* fcmge facge fcmgt fcmuo */
	{0xffa0c000, 0x65804000, VFP},   /* fcmge fcmne fcmeq fcmgt */
	{0xffa04010, 0x65804010, VFP},   /* fcmgt facgt fcmne facge */
	{0xffb6c000, 0x65808000, VFP},   /* fadd frintp fsub frintn fcvt fabd fscale */
	{0xffbaa000, 0x65808000, VFP},   /* fadd fminnm fcmuo facge fsub fmaxnm */
	{0xffb9e000, 0x6580a000, VFP},   /* frintn frinta frintx frintm */
	{0xffbce000, 0x6580a000, VFP},   /* frintn frintp frintz frintm */
	{0xffb9a000, 0x65818000, VFP},   /* fsub fminnm fcmuo facge fmin fsubr */
	{0xff97e000, 0x65828000, VFMUL}, /* fmul fmad fmulx */
	{0xffbae000, 0x6582a000, VFP},   /* frintm frinti frintz frintx */
	{0xffbca000, 0x65842000, VFP},   /* fmaxnmv fminnmv fcmeq fcmne fmaxv fminv */
	{0xffbca000, 0x65848000, VFP},   /* fmaxnm fminnm fcmuo facge fmax fmin */
	{0xffb6bc00, 0x65863000, VFP},   /* fmaxv fminv fcmeq fcmne frecpe frsqrte */
	{0xffb6a000, 0x65868000, VFP},   /* fmax fmin fcmuo facge famax famin */
	{0xffbae000, 0x6588a000, VFP},   /* fcvt fsqrt frecpx */
	{0xff8fe3c0, 0x658a8000, VFMUL}, /* fmulx fmad fmul */
	{0xffbee000, 0x658c8000, VFDIV}, /* fdivr fdiv */
	{0xffb7a000, 0x65902000, VFP},   /* fcmge fcmgt fcmeq fcmne fadda */
	{0xffbca010, 0x65902000, VFP},   /* fcmge fcmlt fcmeq fcmne */
	{0xffbea000, 0x65902000, VFP},   /* fcmge fcmle fcmeq fcmne fcmgt fcmlt */
	{0xff98fc00, 0x65908000, VFMUL}, /* ftmad fmad */
	{0xffb6e000, 0x6594a000, VFP},   /* scvtf ucvtf fcvtzs fcvtzu */
	{0xffbaa3c0, 0x65988000, VFP},   /* fadd fminnm fcmuo facge fsub fmaxnm */
	{0xffb9a3c0, 0x65998000, VFP},   /* fsub fminnm fcmuo facge fmin fsubr */
	{0xffbca3c0, 0x659c8000, VFP},   /* fmaxnm fminnm fcmuo facge fmax fmin */
	{0xffa00000, 0x65a00000, VFMUL}, /* fmla fmsb fnmla fnmls fmls fnmad fnmsb fmad */
	{0xfff4e000, 0x65c0a000, VFP},   /* frintn frintp frintz frintm fcvt */
	{0xfff2e000, 0x65d0a000, VFP},   /* scvtf ucvtf fcvtzs fcvtzu */
	{0xfffac3c0, 0x65d88000, VFP},   /* fadd fcvtzu fminnm fcvtzs fmaxnm fsub */
};
const struct isa_arm64_rows isa_arm64_sve_rows = {rows, sizeof rows / sizeof *rows};
