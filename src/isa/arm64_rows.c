/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: encodings of vectors and floating point that do not access memory.
 *
 * Made by tests/unit/test_isa_arm64_rows.c of what LLVM 19 says; change nothing here.
 */
#include "isa/arm64_rows.h"

/* clang-format off */

static const struct isa_arm64_row sve_rows[] = {
	{0xde7ec000, 0x04000000, VEC},   /* and saddv cmple cmphi cmpge uaddv … */
	{0xdfb6c000, 0x04000000, VEC},   /* sub smaxv cmpne cmphi cmphs umaxv … */
	{0xdf3e6100, 0x04000100, VEC},   /* sub add cmphi cmpgt cmphs lsr … */
	{0xdf3e6200, 0x04000200, VEC},   /* sub add cmphi cmpgt cmphs lsr … */
	{0xff204000, 0x04004000, VMUL},  /* mla mls mad msb */
	{0xff00f400, 0x04006000, VMUL},  /* smulh mul mls */
	{0xffc0e800, 0x04006000, VMUL},  /* pmul mul mls sqdmulh sqrdmulh */
	{0xff00f800, 0x04006800, VMUL},  /* umulh smulh mls */
	{0xff00f800, 0x04007000, VMUL},  /* sqrdmulh sqdmulh mls */
	{0xbf60f800, 0x0400c800, VMUL},  /* mad sdot udot */
	{0xdf15e800, 0x04010000, VEC},   /* sub add cmphi cmphs sqadd subr … */
	{0xdf35e000, 0x04010000, VEC},   /* subr umin cmphi cmphs umax sub … */
	{0xff33e000, 0x04012000, VEC},   /* uaddv umaxqv addqv umaxv */
	{0xbf2be100, 0x04038100, VEC},   /* lsl uqshl uhsub urshl lslr uhsubr … */
	{0xbf2be200, 0x04038200, VEC},   /* lsl uqshl uhsub urshl lslr uhsubr … */
	{0xdf3de100, 0x04048100, VEC},   /* sqshl cmpgt cmpge asrd */
	{0xdf3de200, 0x04048200, VEC},   /* sqshl cmpgt cmpge asrd */
	{0xdf0ce800, 0x04080000, VEC},   /* sub add cmphi cmphs sqadd smin … */
	{0xdf1ae800, 0x04080000, VEC},   /* sub add cmphi cmphs sqadd smax … */
	{0xdf2ce000, 0x04080000, VEC},   /* bic smin cmphi cmphs smax orr … */
	{0xdf3ae000, 0x04080000, VEC},   /* umax sabd cmphi cmphs smax uabd … */
	{0xdf6ae000, 0x04082000, VEC},   /* eorv smaxqv cmpne cmpeq smaxv orqv … */
	{0xdf78e000, 0x04082000, VEC},   /* uminv sminqv cmpne cmpeq smaxv smaxqv … */
	{0xdfaae000, 0x04082000, VEC},   /* eorv smaxqv cmpne cmpeq smaxv orqv … */
	{0xdfb8e000, 0x04082000, VEC},   /* uminv sminqv cmpne cmpeq smaxv smaxqv … */
	{0xff29e000, 0x04082000, VEC},   /* andv sminqv orv smaxqv smaxv orqv … */
	{0xff2ae000, 0x04082000, VEC},   /* eorv smaxqv orv umaxqv smaxv orqv … */
	{0xff38e000, 0x04082000, VEC},   /* uminv sminqv smaxv umaxqv smaxqv sminv … */
	{0xdf3e6100, 0x040c0100, VEC},   /* uabd sabd cmphi cmpgt cmphs urshr … */
	{0xdf3e6200, 0x040c0200, VEC},   /* uabd sabd cmphi cmpgt cmphs urshr … */
	{0xdf3de100, 0x040d8100, VEC},   /* sqshlu cmpgt cmpge urshr */
	{0xdf3de200, 0x040d8200, VEC},   /* sqshlu cmpgt cmpge urshr */
	{0xff3da000, 0x04100000, VMUL},  /* mla smulh mul */
	{0xff3ee000, 0x04102000, VMOV},  /* movprfx */
	{0xbf76e000, 0x04108000, VEC},   /* lsr asr shadd uqadd sqadd uhadd … */
	{0xbfb6e000, 0x04108000, VEC},   /* lsr asr shadd uqadd sqadd uhadd … */
	{0xdf3ae000, 0x04108000, VEC},   /* lsr asrr cmpgt cmpge asr lsrr … */
	{0xdf96e800, 0x04108000, VEC},   /* lsr asr cmpgt cmpge cmphi cmphs … */
	{0xbf39e000, 0x04118000, VEC},   /* lsl lslr uhadd lsrr uhsub lsr … */
	{0xbf75e000, 0x04118000, VEC},   /* lsl uhadd lsr uqsub uqadd uhsub … */
	{0xdf55e800, 0x04118000, VEC},   /* lsr asr cmpgt cmpge lsl cmphi … */
	{0xdfb5e000, 0x04118000, VEC},   /* lsl cmpgt cmpge lsr */
	{0xff3ea000, 0x04120000, VMUL},  /* mla smulh umulh */
	{0xdf17f000, 0x0416a000, VEC},   /* adr cmpne cmpeq abs cmpls cmplo … */
	{0xdf37e000, 0x0416a000, VEC},   /* abs not cmpne cmpeq */
	{0xdf3ee000, 0x0416a000, VEC},   /* neg abs cmpne cmpeq */
	{0xff3ce000, 0x0418a000, VBIT},  /* cnot cnt cls clz */
	{0xde60f800, 0x04200000, VEC},   /* zip2 add whilegt cmphi whilege cmphs … */
	{0xdfa0a800, 0x04200000, VEC},   /* index cmphi cmphs addpl sub uqadd … */
	{0xdea0f000, 0x04201000, VEC},   /* ext sqadd whilegt cmphi whilehs sqsub … */
	{0xdf20f000, 0x04201000, VEC},   /* uqsub sqadd cmphi cmphs sqsub uqadd … */
	{0xdfa0d800, 0x04201800, VEC},   /* uqsub bcax cmpls cmphi cmphs cmplo … */
	{0xde20fc00, 0x04203000, VEC},   /* tbl orr whilerw cmpls whilewr mov … */
	{0xdf20f000, 0x04204000, VEC},   /* index cmphi cmphs */
	{0xdfa0e000, 0x04204000, VEC},   /* index cmphi cmphs addspl addpl addsvl … */
	{0xdfa0d800, 0x04208000, VEC},   /* lsr adr cmpls cmphi cmphs cmplo … */
	{0xdf60d400, 0x04208400, VEC},   /* lsl adr cmpls cmphi cmphs cmplo … */
	{0xdf20f000, 0x0420a000, VEC},   /* adr cmpls cmplo */
	{0xfffffc00, 0x0420bc00, VMOV},  /* movprfx */
	{0xfe20ec00, 0x0420e000, VEC},   /* sel cnth cntw sqinch sqincd incd … */
	{0xdf20f000, 0x0420f000, VEC},   /* uqdecd sqinch cmpls cmplo sqdech sqincd … */
	{0xdf287800, 0x04281000, VEC},   /* uqadd sqadd cmphi cmphs asr lsr … */
	{0xdf287400, 0x04281400, VEC},   /* uqsub uqadd cmphi cmphs lsl lsr … */
	{0xdf28d400, 0x04281400, VEC},   /* uqsub xar cmpls cmphi cmphs bsl1n … */
	{0xdf706800, 0x04300000, VEC},   /* sub add cmphi cmphs asr sqadd … */
	{0xdf307400, 0x04301400, VEC},   /* uqsub uqadd cmphi cmphs lsl lsr … */
	{0xdf30d400, 0x04301400, VEC},   /* uqsub xar cmpls cmphi cmphs bsl1n … */
	{0xfe30e800, 0x0430e000, VEC},   /* sel inch decw sqinch sqincd incd … */
	{0xdf7fe000, 0x043f4000, VEC},   /* index cmphi cmphs addsvl rdvl rdsvl … */
	{0xdefe6000, 0x04400000, VEC},   /* eor add cmpgt cmpge lsr asr … */
	{0xbf60e000, 0x04404000, VMUL},  /* mla smlalb umlslb smlslb umlalt umlslt … */
	{0xbf6be000, 0x04438000, VEC},   /* lsl uqshl uhsub urshl lslr uhsubr … */
	{0xdf7de000, 0x04448000, VEC},   /* sqshl cmpgt cmpge asrd */
	{0xdf7e6000, 0x044c0000, VEC},   /* uabd sabd cmphi cmpgt cmphs urshr … */
	{0xbf7de000, 0x044d8000, VEC},   /* sqshlu uqshlr urshr uqrshlr */
	{0xdf7ec000, 0x04508000, VEC},   /* lsr sxtb cmpne cmpgt cmpge uxtb … */
	{0xff7ee000, 0x045ca000, VFP},   /* fneg fabs */
	{0xdf607800, 0x04601000, VEC},   /* uqadd sqadd cmphi cmphs asr lsr … */
	{0xfe60f800, 0x04603000, VEC},   /* tbxq orr tbl xar mov bic … */
	{0xdf707000, 0x04604000, VEC},   /* index cmphi cmphs sqdech sqincd uqdech … */
	{0xdfe0e400, 0x04608400, VEC},   /* lsl lsr cmphi cmphs */
	{0xff60fc00, 0x0460b000, VFP},   /* ftssel */
	{0xff7ff400, 0x0460b000, VFP},   /* fexpa ftssel */
	{0xfe60f800, 0x0460c000, VEC},   /* sel sqinch uqincd inch sqincd incd … */
	{0xdfbe6000, 0x04800000, VEC},   /* sub add cmphi cmpgt cmphs lsr … */
	{0xdefd6000, 0x04810000, VEC},   /* and subr cmpgt cmpge lsl lsr … */
	{0xdfabe000, 0x04838000, VEC},   /* lsl uqshl cmpgt cmpge lslr */
	{0xdfbde000, 0x04848000, VEC},   /* sqshl cmpgt cmpge asrd */
	{0xbfbee000, 0x048c8000, VEC},   /* urshr srshr sqshlr uqshlr */
	{0xdfbde000, 0x048d8000, VEC},   /* sqshlu cmpgt cmpge urshr */
	{0xdfbce000, 0x0490a000, VEC},   /* uxth sxth cmpne cmpeq sxtb uxtb … */
	{0xffbce000, 0x04940000, VDIV},  /* udivr sdivr sdiv udiv */
	{0xffbee000, 0x049ca000, VFP},   /* fneg fabs */
	{0xdfe03800, 0x04a00000, VEC},   /* index cmphi cmphs incw sqincw lsr … */
	{0xdfe06800, 0x04a00000, VEC},   /* sub add cmphi cmphs asr sqadd … */
	{0xdfa07400, 0x04a01400, VEC},   /* uqsub uqadd cmphi cmphs lsl lsr … */
	{0xdfa0d400, 0x04a01400, VEC},   /* uqsub xar cmpls cmphi cmphs nbsl … */
	{0xffa0fc00, 0x04a0b000, VFP},   /* ftssel */
	{0xffbff400, 0x04a0b000, VFP},   /* fexpa ftssel */
	{0xfeb0f000, 0x04a0c000, VEC},   /* sel sqincd uqdecw sqdecd uqdecd sqincw … */
	{0xdfd2e000, 0x04c00000, VEC},   /* subpt add cmphi cmphs sqsub sqadd … */
	{0xbfe07400, 0x04c05000, VMUL},  /* mla smlslb mad madpt mlapt umlslb … */
	{0xbffce000, 0x04d4a000, VEC},   /* neg abs smaxp uxtw uminp sxtw … */
	{0xdfe0e000, 0x04e00000, VEC},   /* subpt add cmphi cmphs sqsub sqadd … */
	{0xdf7c8000, 0x05000000, VEC},   /* and orr orn nor cmple cmpgt … */
	{0xff7c0000, 0x05000000, VEC},   /* and orr */
	{0xffbc0000, 0x05000000, VEC},   /* eor orr */
	{0xff30a000, 0x05100000, VMOV},  /* mov */
	{0xdfa0e000, 0x05200000, VEC},   /* ext whilegt whilels whilehs whilege whilehi … */
	{0xdf60e800, 0x05200800, VEC},   /* uzp2 ext whilehi whilels whilehs trn1 … */
	{0xff20b800, 0x05202800, VEC},   /* uzp2 uzp1 tbx tbl */
	{0xff20b800, 0x05203000, VEC},   /* trn2 trn1 tbxq tbl */
	{0xff3ffc00, 0x05203800, VMOV},  /* mov */
	{0xff304a10, 0x05204000, VEC},   /* zip2 zip1 sel trn1 trn2 mov … */
	{0xff305210, 0x05204000, VEC},   /* uzp2 zip1 sel uzp1 mov zip2 … */
	{0xffee5e10, 0x05204000, VEC},   /* punpkhi zip1 sel punpklo mov */
	{0xff207000, 0x05206000, VEC},   /* uzp2 zip1 sel uzp1 mov zip2 … */
	{0xff3fe000, 0x05208000, VMOV},  /* mov */
	{0xff2ea000, 0x0520a000, VEC},   /* sel lasta clastb lastb clasta mov … */
	{0xff20c000, 0x0520c000, VEC},   /* sel mov */
	{0xff21fc00, 0x05212000, VMOV},  /* mov */
	{0xffe1f800, 0x05212000, VMOV},  /* dupq mov */
	{0xff22fc00, 0x05222000, VMOV},  /* mov */
	{0xffe2f800, 0x05222000, VMOV},  /* dupq mov */
	{0xff36a000, 0x05228000, VEC},   /* sel lasta clasta lastb clastb mov … */
	{0xff24fc00, 0x05242000, VMOV},  /* mov */
	{0xffe4f800, 0x05242000, VMOV},  /* dupq mov */
	{0xff2ff400, 0x05243000, VEC},   /* insr tbl */
	{0xff3fe000, 0x05278000, VBIT},  /* rbit */
	{0xbfba6000, 0x05280000, VEC},   /* ext sqshrunb splice nmatch match clasta … */
	{0xff3f7c00, 0x05282000, VMOV},  /* mov */
	{0xffe8f800, 0x05282000, VMOV},  /* dupq mov */
	{0xff3aa000, 0x05288000, VEC},   /* sel clasta splice clastb mov */
	{0xff3fe000, 0x0528a000, VMOV},  /* mov */
	{0xff3bfc10, 0x052a3800, VMOV},  /* pmov */
	{0xff3bfe00, 0x052b3800, VMOV},  /* pmov */
	{0xff3dfc10, 0x052c3800, VMOV},  /* pmov */
	{0xff3dfe00, 0x052d3800, VMOV},  /* pmov */
	{0xffffe000, 0x052e8000, VBIT},  /* revd */
	{0xbf70dc20, 0x05300800, VEC},   /* uzp1 tbl sqrshrn sqrshrnb sqrshrunb sqrshrun … */
	{0xff30fc00, 0x05302000, VMOV},  /* mov */
	{0xff3ffe10, 0x05344000, VBIT},  /* rev */
	{0xff3ffc00, 0x05383800, VBIT},  /* rev */
	{0xff708000, 0x05500000, VMOV},  /* mov */
	{0xff70e000, 0x0550c000, VFMOV}, /* fmov */
	{0xbff0ac00, 0x05602400, VEC},   /* zip2 addhnt subhnt trn2 sqshrnt extq … */
	{0xff7fe000, 0x05648000, VBIT},  /* revb */
	{0xff7f7c10, 0x05683800, VMOV},  /* pmov mov */
	{0xff79fe00, 0x05693800, VMOV},  /* pmov */
	{0xbffccc00, 0x05700800, VEC},   /* ext tbl sqrshrnb uqrshrnb sunpklo sqrshrunb … */
	{0xffb08000, 0x05900000, VMOV},  /* mov */
	{0xffb0e000, 0x0590c000, VFMOV}, /* fmov */
	{0xbfa0e000, 0x05a0c000, VEC},   /* sel histcnt mov */
	{0xffb5a000, 0x05a18000, VEC},   /* sel lastb clastb compact mov */
	{0xffbee000, 0x05a48000, VBIT},  /* revh revb */
	{0xffbf7c10, 0x05a83800, VMOV},  /* pmov mov */
	{0xffb9fe00, 0x05a93800, VMOV},  /* pmov */
	{0xffbcf400, 0x05b03000, VEC},   /* uunpkhi tbl sunpkhi uunpklo sunpklo */
	{0xfffc0000, 0x05c00000, VMOV},  /* dupm */
	{0xfffce000, 0x05e48000, VBIT},  /* rbit revw revb revh */
	{0xfe00e000, 0x24000000, VEC},   /* whilelo cmphi cmpgt cmpge cmphs whilegt … */
	{0xfe206000, 0x24000000, VEC},   /* cmpge cmphi cmpgt cmphs cmpeq cmpne … */
	{0xfe6f8200, 0x24000000, VEC},   /* brkb cmple cmpgt orr cmplt cmpge … */
	{0xfe708000, 0x24000000, VEC},   /* orr cmple orn cmpgt nor cmplt … */
	{0xff400000, 0x24000000, VEC},   /* cmphs cmpls cmple cmphi cmpge cmplo … */
	{0xff800000, 0x24000000, VEC},   /* cmphs cmpls cmple cmphi cmpge cmplo … */
	{0xfeb04200, 0x24004000, VEC},   /* ands cmple bic cmphi cmpls cmplo … */
	{0xff00c000, 0x24008000, VEC},   /* cmphs cmpls cmpne cmpgt cmpge cmplo … */
	{0xfe1a7e00, 0x24080800, VEC},   /* whilehs cmphi cmpgt cmpge cmphs cmpeq … */
	{0xfe1c7a00, 0x24080800, VEC},   /* whilelo cmphi cmpgt cmpge cmphs cmpeq … */
	{0xfedb7fff, 0x24081000, VEC},   /* whilege cmphs cmpge cmpeq wrffr setffr … */
	{0xfedf3e1f, 0x24081000, VEC},   /* psel cmphs and cmpeq whilege cmpge … */
	{0xfeaf6e10, 0x24086000, VEC},   /* brkns cmplt brkn cmplo ands brkpas … */
	{0xfeef7bf0, 0x24086000, VEC},   /* brkn cmplt cmplo and brkpa pfalse … */
	{0xfeeeeff0, 0x2408e000, VEC},   /* ptrues cmplo ptrue brkpa rdffr */
	{0xfe97c210, 0x24104000, VEC},   /* psel cmplo brka cmpge brkas cmplt … */
	{0xff200000, 0x24200000, VEC},   /* cmphs cmpls cmphi cmplo */
	{0xfe20a010, 0x24200010, VEC},   /* whilels cmphi whilege whilehi whilegt whilele … */
	{0xfe20d010, 0x24204010, VEC},   /* whilels cmpls whilege cmphi whilehi whilegt … */
	{0xfe3fcc10, 0x24204010, VEC},   /* whilegt cmpls whilege cmphi pext */
	{0xfe3fb800, 0x24208000, VEC},   /* add cmphi cmphs cntp */
	{0xfe3fc200, 0x24208000, VEC},   /* cntp cmpls cmphi cmplo cmphs */
	{0xfe3ae000, 0x2420c000, VEC},   /* sub cmphi add uqadd cmphs sqadd … */
	{0xfe35e000, 0x2421c000, VEC},   /* subr cmphi sub cmphs umin umax … */
	{0xfe24a200, 0x24240000, VEC},   /* psel cmphi whilege cmphs whilelo whilegt … */
	{0xfe24c210, 0x24244000, VEC},   /* psel cmplo cmphs */
	{0xfe24d200, 0x24244000, VEC},   /* psel cmpls whilege cmphi cmplo cmphs … */
	{0xfe3ce000, 0x2424c000, VEC},   /* uqsub cmphi sqadd uqadd cmphs sqsub … */
	{0xfe28a200, 0x24280000, VEC},   /* psel cmphi whilege cmphs whilelo whilegt … */
	{0xfe28c210, 0x24284000, VEC},   /* psel cmplo cmphs */
	{0xfe28d200, 0x24284000, VEC},   /* psel cmpls whilege cmphi cmplo cmphs … */
	{0xfe3ce000, 0x2428c000, VEC},   /* umin cmphi smax umax cmphs smin … */
	{0xfe30a200, 0x24300000, VEC},   /* psel cmphi whilege cmphs whilelo whilegt … */
	{0xfe30c210, 0x24304000, VEC},   /* psel cmplo cmphs */
	{0xfe30d200, 0x24304000, VEC},   /* psel cmpls whilege cmphi cmplo cmphs … */
	{0xfeef421f, 0x24404000, VEC},   /* brkas cmplt cmphs ands cmplo brkpas … */
	{0xfe5a7600, 0x24480000, VEC},   /* whilehs cmphi cmpgt cmpge cmphs cmpeq … */
	{0xfe5c7600, 0x24480000, VEC},   /* whilehs cmphi cmpgt cmpge cmphs cmpeq … */
	{0xfeef5e10, 0x24484000, VEC},   /* brkns cmplt cmphs ands cmplo brkpas … */
	{0xfe60a200, 0x24600000, VEC},   /* psel cmphi whilege cmphs whilelo whilegt … */
	{0xfe60c210, 0x24604000, VEC},   /* psel cmplo cmphs */
	{0xfe60d200, 0x24604000, VEC},   /* psel cmpls whilege cmphi cmplo cmphs … */
	{0xfe7ac000, 0x2460c000, VEC},   /* sub cmpls add cmphi uqadd cmplo … */
	{0xfe79c000, 0x2461c000, VEC},   /* subr cmpls sub cmphi uqadd cmplo … */
	{0xfe7cc000, 0x2464c000, VEC},   /* uqsub cmpls sqadd cmphi uqadd cmplo … */
	{0xfe9a7600, 0x24880000, VEC},   /* whilehs cmphi cmpgt cmpge cmphs cmpeq … */
	{0xfebac000, 0x24a0c000, VEC},   /* sub cmpls add cmphi uqadd cmplo … */
	{0xfeb9c000, 0x24a1c000, VEC},   /* subr cmpls sub cmphi uqadd cmplo … */
	{0xfebcc000, 0x24a4c000, VEC},   /* uqsub cmpls sqadd cmphi uqadd cmplo … */
	{0xfebc3600, 0x24a80000, VEC},   /* psel cmphi whilege cmphs sqdecp whilegt … */
	{0xff20c000, 0x25000000, VEC},   /* cmpge cmple cmpgt cmplt */
	{0xff2f8210, 0x25000000, VEC},   /* brkbs ands brkb orr orrs brkas … */
	{0xff308010, 0x25000000, VEC},   /* orrs ands orr nors eors cmpge … */
	{0xff1fc7f8, 0x25004010, VEC},   /* whilehs whilege orn orns ptrue pext … */
	{0xff1fca10, 0x25004010, VEC},   /* whilele whilege orn orns pext bics … */
	{0xff3efc10, 0x2518e000, VEC},   /* ptrues ptrue */
	{0xff3fbe10, 0x25198400, VEC},   /* pnext cmpeq */
	{0xff3fe000, 0x2530c000, VMUL},  /* mul */
	{0xff3fe000, 0x2538c000, VMOV},  /* mov */
	{0xff5fc7e8, 0x25404000, VEC},   /* psel whilege orns orrs ptrue movs … */
	{0xff5fca00, 0x25404000, VEC},   /* psel whilege orns orrs pext ands … */
	{0xff7fc000, 0x2578c000, VMOV},  /* mov */
	{0xff7fe000, 0x2579c000, VFMOV}, /* fmov */
	{0xff80cc0f, 0x25800000, VEC},   /* whilege ctermne cmple cmpgt cmpge whilerw … */
	{0xffb08000, 0x25800000, VEC},   /* orrs orns orn nors nands cmpge … */
	{0xffbfc000, 0x25b8c000, VMOV},  /* mov */
	{0xffbfe000, 0x25b9c000, VFMOV}, /* fmov */
	{0xff20e000, 0x44002000, VMUL},  /* cmla sqrdcmlah */
	{0xff20b800, 0x44003000, VMUL},  /* sqrdmlsh sqrdmlah sqrdcmlah */
	{0xff20d800, 0x4400c000, VEC},   /* uclamp zipq1 sclamp zipq2 */
	{0xff20f000, 0x4400e000, VEC},   /* uzpq2 zipq1 uzpq1 zipq2 */
	{0xfe20fc00, 0x4400f800, VEC},   /* saba tblq */
	{0xff22e000, 0x44028000, VEC},   /* uhsub sqrshlr shsub uqrshlr urshlr uqsub … */
	{0xff28e000, 0x44088000, VEC},   /* uqsub sqrshlr sqadd uqshlr sqshl suqadd … */
	{0xff3ec000, 0x44088000, VEC},   /* uqshl sqabs sqneg sqshl */
	{0xff30e000, 0x44108000, VEC},   /* uhsub sqsubr shadd usqadd urhadd uqsub … */
	{0xff3bc000, 0x44118000, VEC},   /* uhadd umaxp addp urhadd */
	{0xff3cc000, 0x44148000, VEC},   /* uhsubr sminp smaxp urhadd uminp shsubr … */
	{0xff20f800, 0x44200800, VMUL},  /* mls mla */
	{0xff20f800, 0x44201000, VMUL},  /* sqrdmlsh sqrdmlah */
	{0xff20f400, 0x4420f000, VMUL},  /* mul sqdmulh */
	{0xff20f800, 0x4420f000, VMUL},  /* sqrdmulh sqdmulh */
	{0xff609800, 0x44400800, VMUL},  /* umlalt sqdmlslb umlalb sqdmlslbt cmla sqdmlalbt … */
	{0xfe60f000, 0x44406000, VMUL},  /* pmullt sqdmlalb sqdmullb sqdmlslt pmullb sqdmlslb … */
	{0xfeeeb000, 0x4444a000, VEC},   /* ursra zipq1 ssra uzpq2 srsra uzpq1 … */
	{0xff6ee000, 0x4444a000, VEC},   /* umaxp sadalp smaxp uadalp */
	{0xfe70f400, 0x44508000, VEC},   /* ssublbt sqsubr saddlbt usqadd uqsub sqadd … */
	{0xff809000, 0x44800000, VMUL},  /* cdot cmla sqdmlalb umlalt umlalb sqdmlslbt … */
	{0xffa0a000, 0x44800000, VMUL},  /* umlalt smlalb umlalb umlslb smlslb sqdmlslbt … */
	{0xffc0a400, 0x44802000, VMUL},  /* cmla sqdmlalb sqdmlslb sqrdcmlah sqrdmlah usdot … */
	{0xfea0e800, 0x44806000, VMUL},  /* sqdmullt sqdmlalb sqdmullb sqdmlalt sqrdmlah sqrdmlsh … */
	{0xfffae000, 0x4480a000, VEC},   /* ursqrte sadalp urecpe uadalp */
	{0xfea0f000, 0x4480e000, VEC},   /* ursra zipq1 ssra uzpq2 srsra uzpq1 … */
	{0xffa01000, 0x44a00000, VMUL},  /* cdot cmla smullt sqdmullb smlalt smlslb … */
	{0xffe04000, 0x44a00000, VMUL},  /* mls sqdmlalb smlalt mla umlslb sqdmlslb … */
	{0xffa02800, 0x44a02000, VMUL},  /* cmla sqdmullt sqdmulh sqrdcmlah sqdmullb smlslt … */
	{0xffa0a000, 0x44a02000, VMUL},  /* cmla sqrdcmlah sqdmlalt sqdmlalb sqdmlslt sqdmlslb … */
	{0xffa0a000, 0x44a08000, VMUL},  /* smullt smullb umullb smlalt smlalb umlalt … */
	{0xffa0c000, 0x44a08000, VMUL},  /* smlalt smlslb smlalb umlslb umlalt umlalb … */
	{0xffa0f800, 0x45006800, VMUL},  /* pmullt pmullb */
	{0xff20b800, 0x45009000, VEC},   /* sbclt adclb sbclb eortb eorbt adclt … */
	{0xff60fc00, 0x45009800, VMUL},  /* usmmla smmla */
	{0xff20f400, 0x4500b000, VBIT},  /* bgrp bext */
	{0xff20f800, 0x4500b000, VBIT},  /* bdep bext */
	{0xff3ed800, 0x4500d800, VEC},   /* sqcadd saba cadd uaba */
	{0xff20f800, 0x4500f800, VEC},   /* uaba saba */
	{0xffa8b000, 0x4508a000, VEC},   /* ursra ssra srsra ushllt ushllb sshllb … */
	{0xff28e000, 0x4508e000, VEC},   /* ursra ssra srsra saba sri uaba … */
	{0xffb0b000, 0x4510a000, VEC},   /* ursra ssra srsra ushllt ushllb sshllb … */
	{0xff30e000, 0x4510e000, VEC},   /* ursra ssra srsra saba sri uaba … */
	{0xffa0e000, 0x45208000, VEC},   /* match nmatch */
	{0xffe0c400, 0x45208000, VEC},   /* match histseg nmatch luti2 */
	{0xff20ec00, 0x4520a800, VEC},   /* luti2 */
	{0xff20f000, 0x4520b000, VEC},   /* luti4 luti2 */
	{0xfffdebe0, 0x4520e000, CRY},   /* aesd aese aesmc aesimc sm4ekey rax1 … */
	{0xffe0f800, 0x4520f000, CRY},   /* rax1 sm4ekey */
	{0xfffeec00, 0x4522e000, CRY},   /* sm4e aese sm4ekey */
	{0xffffe800, 0x4522e000, CRY},   /* aesd aese sm4ekey rax1 */
	{0xffa8c000, 0x45280000, VEC},   /* sqrshrunt sqshrnb sqrshrunb uqrshrnb uqshrnb sqrshrnb … */
	{0xffffa800, 0x45280000, VEC},   /* sqxtnt sqxtnb sqxtunb sqshrunt sqshrunb shrnt … */
	{0xffffb000, 0x45280000, VEC},   /* uqxtnt sqxtnb uqxtnb sqrshrunt sqrshrunb sqshrunb … */
	{0xffb0c000, 0x45300000, VEC},   /* sqrshrunt sqshrnb sqrshrunb uqrshrnb uqshrnb sqrshrnb … */
	{0xfffeac20, 0x45300000, VEC},   /* sqcvtn sqxtnb sqcvtun sqxtunb sqshrunb shrnb … */
	{0xfffeb420, 0x45300000, VEC},   /* uqcvtn sqxtnb sqrshrunb sqshrunb sqcvtn uqxtnb … */
	{0xffffa800, 0x45300000, VEC},   /* sqxtnt sqxtnb sqxtunb sqshrunt sqshrunb shrnt … */
	{0xffffb000, 0x45300000, VEC},   /* uqxtnt sqxtnb uqxtnb sqrshrunt sqrshrunb sqshrunb … */
	{0xff603400, 0x45400000, VEC},   /* uaddwb saddwb uabalb sabalb ssublbt uaddlb … */
	{0xff60a000, 0x45400000, VEC},   /* uaddwt saddwb uaddwb usubwb ssubwb uaddlt … */
	{0xff603800, 0x45400800, VEC},   /* uaddwt uaddwb uabalt uabalb ssubltb ssublbt … */
	{0xff60d000, 0x45401000, VEC},   /* usublt sabdlb usublb uabdlb ssublb sabdlt … */
	{0xff60e000, 0x45406000, VMUL},  /* pmullt sqdmullb pmullb umullb smullb umullt … */
	{0xffe0b000, 0x4540a000, VEC},   /* ursra ssra srsra ushllt ushllb sshllb … */
	{0xff60c800, 0x4540c000, VEC},   /* sabalt ssra sabalb sri sbclt sbclb … */
	{0xffe0c000, 0x45600000, VEC},   /* sqrshrunt sqshrnb sqrshrunb uqrshrnb uqshrnb sqrshrnb … */
	{0xffff8800, 0x45600000, VEC},   /* sqxtnt addhnb sqxtnb subhnb sqshrunt sqshrnb … */
	{0xffff9000, 0x45600000, VEC},   /* uqxtnt addhnb uqxtnb raddhnb sqrshrunt sqrshrnb … */
	{0xff60e000, 0x45606000, VEC},   /* raddhnt addhnb raddhnb rsubhnb subhnb rsubhnt … */
	{0xff60ec00, 0x4560a400, VEC},   /* luti4 */
	{0xffa03400, 0x45800000, VEC},   /* uaddwb saddwb uabalb sabalb ssublbt uaddlb … */
	{0xffa0a000, 0x45800000, VEC},   /* uaddwt saddwb uaddwb usubwb ssubwb uaddlt … */
	{0xffa03800, 0x45800800, VEC},   /* uaddwt uaddwb uabalt uabalb ssubltb ssublbt … */
	{0xffa0d000, 0x45801000, VEC},   /* usublt sabdlb usublb uabdlb ssublb sabdlt … */
	{0xffa0f000, 0x45807000, VMUL},  /* umullt smullb umullb smullt */
	{0xffa0fc00, 0x45809800, VMUL},  /* ummla usmmla */
	{0xff80f000, 0x4580c000, VEC},   /* histcnt sabalb uabalt uabalb sabalt */
	{0xffa0c800, 0x4580c000, VEC},   /* sabalt ssra sabalb sri sbclt sbclb … */
	{0xffa0e000, 0x45a06000, VEC},   /* raddhnt addhnb raddhnb rsubhnb subhnb rsubhnt … */
	{0xfff0ac20, 0x45b02800, VEC},   /* raddhnb rsubhnb sqrshrn uqrshrn */
	{0xfe7fe000, 0x640aa000, VFP},   /* bfcvt fcvtxnt bfcvtnt fcvtx */
	{0xfea0d400, 0x64200000, VFMUL}, /* fmla fmul bfmls bfmla bfmul fmls … */
	{0xfea0f000, 0x64200000, VFMUL}, /* fmla bfmla bfmls fmls */
	{0xff203800, 0x64200000, VFMUL}, /* bfmlalt bfdot fmlalb fmlalltb bfmlalb fmlallbt … */
	{0xff20fc00, 0x64202400, VFP},   /* fclamp bfclamp */
	{0xff60e400, 0x64204400, VFMUL}, /* fmlalt fdot fmlalb */
	{0xff60f000, 0x64205000, VFMUL}, /* fmlalt fmlalb */
	{0xff60b400, 0x64208000, VFMUL}, /* fmlalltb fmlallbb fmlalb fdot */
	{0xffe0cc00, 0x64208800, VFMUL}, /* fmlallbb fmlalltb fmlalltt fmlallbt */
	{0xff20f000, 0x6420c000, VFMUL}, /* fmlalltt fmlallbt fmlalltb fmlallbb */
	{0xff608000, 0x64400000, VFMUL}, /* fcmla */
	{0xfe7ee000, 0x64408000, VFP},   /* fsub fcadd fadd */
	{0xff7bc000, 0x64508000, VFP},   /* faddp fmaxnmqv faddqv fmaxnmp */
	{0xff7cc000, 0x64548000, VFP},   /* fminp fmaxqv fmaxnmqv fminnmp fminqv fmaxp … */
	{0xfe60dc00, 0x6460c400, VFMUL}, /* fnmad bfmmla fnmsb fmlalltt fmmla fmlallbt … */
	{0xffa08000, 0x64800000, VFMUL}, /* fcmla */
	{0xfebee000, 0x64808000, VFP},   /* fsub fcadd fadd */
	{0xfefee000, 0x6488a000, VFP},   /* fcvt fcvtnt fcvtlt */
	{0xffbbc000, 0x64908000, VFP},   /* faddp fmaxnmqv faddqv fmaxnmp */
	{0xffbcc000, 0x64948000, VFP},   /* fminp fmaxqv fmaxnmqv fminnmp fminqv fmaxp … */
	{0xfea05c00, 0x64a00000, VFMUL}, /* fmla fmul fmls fmlalb bfmlslb fmad … */
	{0xfea0f000, 0x64a01000, VFMUL}, /* fmla fcmla */
	{0xfea0d000, 0x64a04000, VFMUL}, /* fnmla bfmlslb fnmls fmlalt bfmlalt fmlalb … */
	{0xfea09c00, 0x64a08400, VFMUL}, /* fnmad fmmla fnmsb fmlalltb fmad bfmlslt … */
	{0xfee0ec00, 0x64a08800, VFMUL}, /* fmad fmlalb fmlalt */
	{0xfefee000, 0x64caa000, VFP},   /* fcvt fcvtnt fcvtlt */
	{0xff20f800, 0x65000000, VFP},   /* fsub fadd bfadd bfsub */
	{0xff00fc00, 0x65000800, VFMUL}, /* fmla fmul bfmla bfmul */
	{0xff3ae000, 0x65008000, VFP},   /* fsub fmaxnm fadd fminnm bfsub bfadd … */
	{0xff3fe000, 0x65028000, VFMUL}, /* fmul bfmul */
	{0xff3ce000, 0x65048000, VFP},   /* fmin fmax fmaxnm fminnm bfmin bfmaxnm … */
	{0xfffef000, 0x65083000, VFP},   /* bf2cvtlt f1cvt bf1cvtlt bf2cvt bf1cvt f1cvtlt … */
	{0xffff7020, 0x650a3000, VFP},   /* fcvtnt fcvtn fcvtx bfcvtn fcvtnb */
	{0xffbbe000, 0x651aa000, VFP},   /* fcvtzs flogb */
	{0xff3fe000, 0x651ca000, VFP},   /* fcvtzs flogb */
	{0xff20c000, 0x65200000, VFMUL}, /* fmla fmls bfmla bfmls */
	{0xff40f800, 0x65400800, VFMUL}, /* fmla fmul ftsmul */
	{0xff60b800, 0x65401800, VFP},   /* fcmge fcmgt frsqrts frecps */
	{0xff7ba000, 0x65402000, VFP},   /* fcmeq fcmne faddv fmaxnmv */
	{0xff606000, 0x65404000, VFP},   /* fcmge fcmgt facge fcmuo */
	{0xff60c000, 0x65404000, VFP},   /* fcmge fcmne fcmgt fcmeq */
	{0xff604010, 0x65404010, VFP},   /* fcmgt fcmne facge facgt */
	{0xff76a000, 0x65408000, VFP},   /* fcmuo facge fadd fabd fsub fscale … */
	{0xff7ce000, 0x6540a000, VFP},   /* frintz frintm frintn frintp */
	{0xff57e000, 0x65428000, VFMUL}, /* fmad fmul fmulx */
	{0xff7bc000, 0x65438000, VFP},   /* fsubr frinti frintz fmin */
	{0xff7ca000, 0x65442000, VFP},   /* fcmeq fcmne fmaxv fmaxnmv fminv fminnmv … */
	{0xff6de000, 0x6544a000, VFP},   /* scvtf frintx frinta */
	{0xff76bc00, 0x65463000, VFP},   /* fcmeq fcmne fmaxv frecpe fminv frsqrte … */
	{0xff76a000, 0x65468000, VFP},   /* fcmuo facge fmax famax fmin famin … */
	{0xff4fe3c0, 0x654a8000, VFMUL}, /* fmad fmul fmulx */
	{0xff7ee000, 0x654c8000, VFDIV}, /* fdiv fdivr */
	{0xff6ee000, 0x654ca000, VFP},   /* fcvtzu frecpx fcvtzs fsqrt */
	{0xff77a000, 0x65502000, VFP},   /* fcmeq fcmne fcmge fadda fcmgt */
	{0xff7ca010, 0x65502000, VFP},   /* fcmeq fcmge fcmne fcmlt */
	{0xff7ea000, 0x65502000, VFP},   /* fcmeq fcmne fcmge fcmgt fcmlt fcmle … */
	{0xff58fc00, 0x65508000, VFMUL}, /* fmad ftmad */
	{0xfff2e000, 0x6552a000, VFP},   /* ucvtf fcvtzs scvtf fcvtzu */
	{0xff74e000, 0x6554a000, VFP},   /* ucvtf fcvtzs scvtf fcvtzu */
	{0xff7aa3c0, 0x65588000, VFP},   /* fcmuo facge fadd fminnm fsub fmaxnm … */
	{0xff79a3c0, 0x65598000, VFP},   /* fcmuo facge fsubr fsub fmin fminnm … */
	{0xff7cc3c0, 0x655c8000, VFP},   /* fmin fcvtzs fminnm fcvtzu fmax fmaxnm … */
	{0xff600000, 0x65600000, VFMUL}, /* fnmla fnmls fnmad fnmsb fmad fmsb … */
	{0xff80f800, 0x65800800, VFMUL}, /* fmla fmul ftsmul */
	{0xffa0b800, 0x65801800, VFP},   /* fcmge fcmgt frsqrts frecps */
	{0xffbba000, 0x65802000, VFP},   /* fcmeq fcmne faddv fmaxnmv */
	{0xffa06000, 0x65804000, VFP},   /* fcmge fcmgt facge fcmuo */
	{0xffa0c000, 0x65804000, VFP},   /* fcmge fcmne fcmgt fcmeq */
	{0xffa04010, 0x65804010, VFP},   /* fcmgt fcmne facge facgt */
	{0xffb6c000, 0x65808000, VFP},   /* fsub fcvt frintn fscale fadd fabd … */
	{0xffbdc000, 0x65818000, VFP},   /* fsubr frintz frintp fsub */
	{0xff97e000, 0x65828000, VFMUL}, /* fmad fmul fmulx */
	{0xffbae000, 0x6582a000, VFP},   /* frintz frintx frintm frinti */
	{0xffbca000, 0x65842000, VFP},   /* fcmeq fcmne fmaxv fmaxnmv fminv fminnmv … */
	{0xffa7e000, 0x6584a000, VFP},   /* scvtf frecpx frinta fcvtzs */
	{0xffb6bc00, 0x65863000, VFP},   /* fcmeq fcmne fmaxv frecpe fminv frsqrte … */
	{0xffb6a000, 0x65868000, VFP},   /* fcmuo facge fmax famax fmin famin … */
	{0xff8fe3c0, 0x658a8000, VFMUL}, /* fmad fmul fmulx */
	{0xffbee000, 0x658c8000, VFDIV}, /* fdiv fdivr */
	{0xffaee000, 0x658ca000, VFP},   /* fcvtzu frecpx fcvtzs fsqrt */
	{0xffb7a000, 0x65902000, VFP},   /* fcmeq fcmne fcmge fadda fcmgt */
	{0xffbca010, 0x65902000, VFP},   /* fcmeq fcmge fcmne fcmlt */
	{0xffbea000, 0x65902000, VFP},   /* fcmeq fcmne fcmge fcmgt fcmlt fcmle … */
	{0xff98fc00, 0x65908000, VFMUL}, /* fmad ftmad */
	{0xffb6e000, 0x6594a000, VFP},   /* ucvtf fcvtzs scvtf fcvtzu */
	{0xffbaa3c0, 0x65988000, VFP},   /* fcmuo facge fadd fminnm fsub fmaxnm … */
	{0xffb9a3c0, 0x65998000, VFP},   /* fcmuo facge fsubr fsub fmin fminnm … */
	{0xffbca3c0, 0x659c8000, VFP},   /* fcmuo facge fmax fmaxnm fmin fminnm … */
	{0xffa00000, 0x65a00000, VFMUL}, /* fnmla fnmls fnmad fnmsb fmad fmsb … */
	{0xfff2e000, 0x65d0a000, VFP},   /* ucvtf fcvtzs scvtf fcvtzu */
};
const struct isa_arm64_rows isa_arm64_sve_rows = {sve_rows, sizeof sve_rows / sizeof *sve_rows};

static const struct isa_arm64_row sme_rows[] = {
	{0xfec0001c, 0x80800000, VFMUL}, /* fmopa bfmopa */
	{0xfee0000c, 0x80800000, VFMUL}, /* bfmopa fmops bfmops fmopa */
	{0xffe0000c, 0x80800008, VEC},   /* bmopa bmops */
	{0xfee00016, 0x80a00000, VFMUL}, /* bfmopa fmopa */
	{0xffe00008, 0x80c00000, VFMUL}, /* fmopa fmops */
	{0xffc00006, 0x81800000, VFMUL}, /* bfmopa fmops bfmops fmopa */
	{0xffc0000c, 0x81800000, VFMUL}, /* fmopa fmops bfmops bfmopa */
	{0xbfe1943e, 0x81a00020, VFMUL}, /* fmopa fmlall fmlal */
	{0xbfe2947e, 0x81a00020, VFMUL}, /* fmopa fmlall fmlal */
	{0xfe80000c, 0xa0800000, VMUL},  /* umopa sumops usmops smops usmopa sumopa … */
	{0xfee00004, 0xa0800000, VMUL},  /* umopa smops usmops smopa umops usmopa … */
	{0xfec00008, 0xa0c00000, VMUL},  /* umopa sumops usmops smops usmopa sumopa … */
	{0xff3b187c, 0xc0000000, VMOV},  /* mov */
	{0xff3b1c38, 0xc0000000, VMOV},  /* mov */
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
	{0xffbe001c, 0xc0900000, VEC},   /* addva addha */
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
	{0xfffe0018, 0xc0d00000, VEC},   /* addva addha */
	{0xff701004, 0xc1000000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xffc09c0a, 0xc1000000, VMUL},  /* usmlall sumlall umlall smlall */
	{0xffe01048, 0xc1000000, VMUL},  /* usmlall sumlall smlall umlall */
	{0xffe09008, 0xc1000000, VMUL},  /* usmlall sumlall smlall umlall */
	{0xfff00004, 0xc1000000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xfff00008, 0xc1000000, VMUL},  /* usmlall sumlall umlall smlall */
	{0xffd08c18, 0xc1000400, VMUL},  /* usmlall sdot smlall */
	{0xff701860, 0xc1100000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xff709820, 0xc1100000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xfff01060, 0xc1100000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xfff09020, 0xc1100000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xfff01030, 0xc1101000, VFMUL}, /* fmla fdot */
	{0xfff01040, 0xc1101000, VFMUL}, /* bfmla bfmls fmla fmls */
	{0xfff09000, 0xc1101000, VFMUL}, /* bfmla bfmls fmla fmls */
	{0xffb01068, 0xc1101008, VFMUL}, /* fdot bfdot fmls fmla */
	{0xfff08078, 0xc1108040, VFMUL}, /* fmlall fdot */
	{0xff219c26, 0xc1200000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xff229c66, 0xc1200000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xff619c3a, 0xc1200000, VMUL},  /* usmlall smlall */
	{0xff629c7a, 0xc1200000, VMUL},  /* usmlall smlall */
	{0xffa09c06, 0xc1200000, VMUL},  /* smlsll umlall umlsll smlall */
	{0xffe0841e, 0xc1200002, VFMUL}, /* fmlal fmlall fmla fdot */
	{0xffb08c04, 0xc1200400, VMUL},  /* smlsll umlall udot sdot sudot umlsll … */
	{0xff619c1c, 0xc1200800, VFMUL}, /* fmlal */
	{0xff619c24, 0xc1200800, VFMUL}, /* fmlsl bfmlal bfmlsl fmlal */
	{0xff629c5c, 0xc1200800, VFMUL}, /* fmlal */
	{0xff629c64, 0xc1200800, VFMUL}, /* fmlsl bfmlal bfmlsl fmlal */
	{0xffe08818, 0xc1200800, VFMUL}, /* fmlal fmla */
	{0xffe09c04, 0xc1200800, VFMUL}, /* fmlsl bfmlal bfmlsl fmlal */
	{0xfff09c00, 0xc1200c00, VFMUL}, /* fmlsl bfmlal bfmlsl fmlal */
	{0xff619c08, 0xc1201000, VFMUL}, /* fdot bfdot */
	{0xff629c48, 0xc1201000, VFMUL}, /* fdot bfdot */
	{0xffe09c00, 0xc1201000, VFMUL}, /* fdot bfdot */
	{0xff219c28, 0xc1201400, VMUL},  /* sdot udot */
	{0xff219c30, 0xc1201400, VMUL},  /* sdot usdot */
	{0xff229c68, 0xc1201400, VMUL},  /* sdot udot */
	{0xff229c70, 0xc1201400, VMUL},  /* sdot usdot */
	{0xffa09c00, 0xc1201400, VMUL},  /* sdot udot sudot usdot */
	{0xff219c30, 0xc1201800, VFMUL}, /* fmls fmla */
	{0xff229c70, 0xc1201800, VFMUL}, /* fmls fmla */
	{0xffa09810, 0xc1201800, VFMUL}, /* bfmls fmla fmls bfmla */
	{0xff219c30, 0xc1201810, VEC},   /* sub add */
	{0xff229c70, 0xc1201810, VEC},   /* sub add */
	{0xffa09c10, 0xc1201810, VEC},   /* sub add */
	{0xff21e021, 0xc1208000, VEC},   /* sel */
	{0xff22e063, 0xc1208000, VEC},   /* sel */
	{0xff30f7c2, 0xc120a000, VEC},   /* umin smin umax smax */
	{0xff30ffc0, 0xc120a000, VEC},   /* umin smin umax smax */
	{0xff31efc0, 0xc120a000, VEC},   /* umin smin umax smax */
	{0xff30f5e2, 0xc120a020, VEC},   /* umin smin srshl urshl */
	{0xff30fde0, 0xc120a020, VEC},   /* umin smin srshl urshl */
	{0xff31ede0, 0xc120a020, VEC},   /* umin smin srshl urshl */
	{0xff30f7c2, 0xc120a100, VFP},   /* fminnm fmaxnm fmin fmax bfmax bfminnm … */
	{0xff30ffc0, 0xc120a100, VFP},   /* fminnm fmaxnm fmin fmax bfmax bfminnm … */
	{0xff31efc0, 0xc120a100, VFP},   /* fminnm fmaxnm fmin fmax bfmax bfminnm … */
	{0xff30f7e3, 0xc120a300, VEC},   /* add */
	{0xff30ffe1, 0xc120a300, VEC},   /* add */
	{0xff30f7e3, 0xc120a400, VMUL},  /* sqdmulh */
	{0xff30ffe1, 0xc120a400, VMUL},  /* sqdmulh */
	{0xff31efe1, 0xc120a400, VMUL},  /* sqdmulh */
	{0xff21ffc0, 0xc120b000, VEC},   /* umin smin umax smax */
	{0xff23f7c2, 0xc120b000, VEC},   /* umin smin umax smax */
	{0xff21fde0, 0xc120b020, VEC},   /* umin smin srshl urshl */
	{0xff23f5e2, 0xc120b020, VEC},   /* umin smin srshl urshl */
	{0xff21ffc0, 0xc120b100, VFP},   /* fminnm fmaxnm fmin fmax bfmax bfminnm … */
	{0xff23f7c2, 0xc120b100, VFP},   /* fminnm fmaxnm fmin fmax bfmax bfminnm … */
	{0xff21ffe1, 0xc120b400, VMUL},  /* sqdmulh */
	{0xff23f7e3, 0xc120b400, VMUL},  /* sqdmulh */
	{0xff20f403, 0xc120c000, VFP},   /* fclamp bfclamp */
	{0xff20fc01, 0xc120c000, VFP},   /* fclamp bfclamp */
	{0xfffddc01, 0xc120c000, VFP},   /* bfclamp ucvtf fcvtn fcvt scvtf */
	{0xfffedc01, 0xc120c000, VFP},   /* bfclamp fcvtn fcvtzu fcvt fcvtzs */
	{0xff20f402, 0xc120c400, VEC},   /* uclamp sclamp */
	{0xff20fc00, 0xc120c400, VEC},   /* uclamp sclamp */
	{0xff20fc00, 0xc120d000, VEC},   /* uzp zip */
	{0xffe0f800, 0xc120d000, VEC},   /* uzp zip */
	{0xff7ffc00, 0xc120e000, VFP},   /* fcvtl fcvtn fcvt */
	{0xffbffc00, 0xc120e000, VFP},   /* bfcvtn fcvtn bfcvt fcvt */
	{0xffefdc43, 0xc121c000, VFP},   /* bfclamp fcvtzu fcvtzs */
	{0xffefdc43, 0xc122c000, VFP},   /* bfclamp ucvtf scvtf */
	{0xffaffc20, 0xc123e000, VEC},   /* sqcvtu sqcvt sqcvtun sqcvtn */
	{0xffeffc00, 0xc123e000, VEC},   /* uqcvt uqcvtn sqcvt sqcvtn */
	{0xffbdfc20, 0xc124e000, VFP},   /* bf1cvtl bf1cvt fcvt bfcvt f1cvtl f1cvt … */
	{0xff3ffc00, 0xc126e000, VFP},   /* bf2cvtl bf1cvt f2cvt bf2cvt bf1cvtl f2cvtl … */
	{0xfff0941c, 0xc1300400, VFMUL}, /* fmlal fmlall */
	{0xff3ffc20, 0xc133e000, VEC},   /* sqcvtu sqcvtun sqcvt sqcvtn */
	{0xff7ffc00, 0xc133e000, VEC},   /* uqcvt uqcvtn sqcvtn sqcvt */
	{0xfffffc40, 0xc134e000, VFP},   /* fcvtn fcvt */
	{0xff3ffc61, 0xc136e000, VEC},   /* zip uzp */
	{0xfffefc61, 0xc136e000, VEC},   /* zip uzp */
	{0xfff0001c, 0xc1400000, VFMUL}, /* fmlall */
	{0xff701868, 0xc1500000, VFMUL}, /* fmla fmls */
	{0xff709028, 0xc1500000, VFMUL}, /* fvdotb fmls fvdott fmla */
	{0xfff01068, 0xc1500000, VFMUL}, /* fmla fmls */
	{0xfff01070, 0xc1500000, VFMUL}, /* fvdot fmla fdot */
	{0xfff09020, 0xc1500000, VFMUL}, /* fvdot fmls bfvdot fmla */
	{0xfff08028, 0xc1500008, VFMUL}, /* fvdot bfvdot bfdot fdot */
	{0xfff09018, 0xc1500018, VFMUL}, /* fdot bfvdot */
	{0xfff08028, 0xc1500020, VMUL},  /* svdot uvdot udot sdot */
	{0xff709820, 0xc1500800, VFMUL}, /* fvdotb fmls fvdott bfvdot fvdot fmla … */
	{0xfff01048, 0xc1501000, VMUL},  /* sdot udot */
	{0xfff09008, 0xc1501000, VMUL},  /* sdot udot */
	{0xfff09020, 0xc1501020, VMUL},  /* usdot udot sudot sdot */
	{0xfff08060, 0xc1508020, VMUL},  /* usvdot uvdot sudot usdot sdot suvdot … */
	{0xff619c24, 0xc1600800, VMUL},  /* smlsl umlal umlsl smlal */
	{0xff629c64, 0xc1600800, VMUL},  /* smlsl umlal umlsl smlal */
	{0xffe09c04, 0xc1600800, VMUL},  /* smlsl umlal umlsl smlal */
	{0xfff09c00, 0xc1600c00, VMUL},  /* smlsl umlal umlsl smlal */
	{0xff70f763, 0xc160a100, VFP},   /* fscale fmax */
	{0xff70ff61, 0xc160a100, VFP},   /* fscale fmax */
	{0xff71ef61, 0xc160a100, VFP},   /* fscale fmax */
	{0xff61ff61, 0xc160b100, VFP},   /* fscale fmax */
	{0xff61ffa0, 0xc160b100, VFP},   /* fmin famax fmax famin */
	{0xff63f763, 0xc160b100, VFP},   /* fscale fmax */
	{0xff63f7a2, 0xc160b100, VFP},   /* fmin famax fmax famin */
	{0xff60f820, 0xc160d800, VEC},   /* sqrshrn sqrshru sqrshr sqrshrun */
	{0xff60f840, 0xc160d800, VEC},   /* uqrshrn uqrshr sqrshr sqrshrn */
	{0xff6ffc22, 0xc165e000, VEC},   /* uunpk sunpk */
	{0xff7ffc00, 0xc165e000, VEC},   /* uunpk sunpk */
	{0xffc19c20, 0xc1801000, VFMUL}, /* fmla bfdot bfmlal fmlsl fmls fmlal … */
	{0xffc29c60, 0xc1801000, VFMUL}, /* fmla bfdot bfmlal fmlsl fmls fmlal … */
	{0xffe01060, 0xc1801000, VFMUL}, /* fmlsl bfmlal bfmlsl fmlal */
	{0xffe09020, 0xc1801000, VFMUL}, /* fmlsl bfmlal bfmlsl fmlal */
	{0xfff01000, 0xc1801000, VFMUL}, /* fmlsl bfmlal bfmlsl fmlal */
	{0xffe09010, 0xc1801010, VFMUL}, /* fmlal bfmlal bfmlsl */
	{0xffe09050, 0xc1809000, VFMUL}, /* fmlal fmlsl */
	{0xffb09038, 0xc1900020, VFMUL}, /* fdot fmlall */
	{0xffa19c28, 0xc1a01008, VFMUL}, /* bfmla bfmls fmls fmla */
	{0xffa29c68, 0xc1a01008, VFMUL}, /* bfmla bfmls fmls fmla */
	{0xffbe9870, 0xc1a01810, VEC},   /* sub add */
	{0xffbf9830, 0xc1a01810, VEC},   /* sub add */
	{0xffba9c70, 0xc1a01c00, VFP},   /* fsub bfadd fadd bfsub */
	{0xffbb9c30, 0xc1a01c00, VFP},   /* fsub bfadd fadd bfsub */
	{0xffb0f763, 0xc1a0a100, VFP},   /* fscale fmax */
	{0xffb0ff61, 0xc1a0a100, VFP},   /* fscale fmax */
	{0xffb1ef61, 0xc1a0a100, VFP},   /* fscale fmax */
	{0xffa1ff61, 0xc1a0b100, VFP},   /* fscale fmax */
	{0xffa1ffa0, 0xc1a0b100, VFP},   /* fmin famax fmax famin */
	{0xffa3f763, 0xc1a0b100, VFP},   /* fscale fmax */
	{0xffa3f7a2, 0xc1a0b100, VFP},   /* fmin famax fmax famin */
	{0xffa0f820, 0xc1a0d800, VEC},   /* sqrshrn sqrshru sqrshr sqrshrun */
	{0xffa0f840, 0xc1a0d800, VEC},   /* uqrshrn uqrshr sqrshr sqrshrn */
	{0xffaffc22, 0xc1a5e000, VEC},   /* uunpk sunpk */
	{0xffbffc00, 0xc1a5e000, VEC},   /* uunpk sunpk */
	{0xffebdc63, 0xc1a8c000, VFP},   /* fclamp frinta frintn */
	{0xffeddc63, 0xc1a8c000, VFP},   /* fclamp frintm frintn */
	{0xffeedc63, 0xc1a8c000, VFP},   /* fclamp frintn frintp */
	{0xfffbdc21, 0xc1a8c000, VFP},   /* fclamp frinta frintn */
	{0xfffddc21, 0xc1a8c000, VFP},   /* fclamp frintm frintn */
	{0xfffedc21, 0xc1a8c000, VFP},   /* fclamp frintn frintp */
	{0xffe09018, 0xc1c00000, VFMUL}, /* fdot fmlal fmla fvdotb */
	{0xfff01010, 0xc1c00000, VFMUL}, /* fmlal */
	{0xffe09810, 0xc1c00800, VFMUL}, /* fdot fmlal fvdotb */
	{0xffe01060, 0xc1c01000, VMUL},  /* smlsl umlal umlsl smlal */
	{0xffe09020, 0xc1c01000, VMUL},  /* smlsl umlal umlsl smlal */
	{0xfff01000, 0xc1c01000, VMUL},  /* smlsl umlal umlsl smlal */
	{0xffc19c20, 0xc1c01400, VMUL},  /* sdot udot umlal smlsl smlal umlsl … */
	{0xffc29c60, 0xc1c01400, VMUL},  /* sdot udot umlal smlsl smlal umlsl … */
	{0xfff08828, 0xc1d00008, VMUL},  /* sdot udot umlsl smlsl */
	{0xfff08030, 0xc1d00020, VFMUL}, /* fdot fvdot */
	{0xfff08068, 0xc1d08008, VMUL},  /* svdot udot uvdot umlsl smlsl sdot … */
	{0xffe0f020, 0xc1e0d000, VEC},   /* sqrshrn zip sqrshrun sqrshru uzp sqrshr … */
	{0xfff0f800, 0xc1e0d000, VEC},   /* uqrshr zip uzp sqrshr */
};
const struct isa_arm64_rows isa_arm64_sme_rows = {sme_rows, sizeof sme_rows / sizeof *sme_rows};

static const struct isa_arm64_row simd_rows[] = {
	{0xbfc08c00, 0x0e000000, VEC},   /* addhn subhn tbl sabdl2 sabdl ssubl … */
	{0xbf609c00, 0x0e001800, VEC},   /* uzp2 zip2 uzp1 zip1 */
	{0xbfa09c00, 0x0e001800, VEC},   /* uzp2 zip2 uzp1 zip1 */
	{0xbf60ac00, 0x0e002800, VEC},   /* trn2 zip2 trn1 zip1 */
	{0xbfa0ac00, 0x0e002800, VEC},   /* trn2 zip2 trn1 zip1 */
	{0xbfa0fc00, 0x0e00c400, VFMUL}, /* fmlallbt fmlalltb fmlallbb fmlalltt */
	{0xbfc0fc00, 0x0e00f400, VFP},   /* fmax fcvtn2 fcvtn */
	{0xbfa0fc00, 0x0e00fc00, VFMUL}, /* fdot */
	{0xbfe1f400, 0x0e010400, VMOV},  /* dup */
	{0xffe1ec00, 0x0e012c00, VMOV},  /* smov umov */
	{0xbfe2f400, 0x0e020400, VMOV},  /* dup */
	{0xbfe2dc00, 0x0e020c00, VMOV},  /* dup smov */
	{0xffe2ec00, 0x0e022c00, VMOV},  /* smov umov */
	{0xbfe4f400, 0x0e040400, VMOV},  /* dup */
	{0xffe4fc00, 0x0e043c00, VMOV},  /* umov mov */
	{0x9f608800, 0x0e200000, VEC},   /* sshl subhn rsubhn2 ushl raddhn sabdl2 … */
	{0x9fa08800, 0x0e200000, VEC},   /* sshl subhn rsubhn2 ushl raddhn sabdl2 … */
	{0x9ee05c00, 0x0e200400, VEC},   /* sshr shsub urshr sub ushr smaxp … */
	{0x9f605400, 0x0e200400, VEC},   /* sqadd shsub uhsub cmeq uqadd sminp … */
	{0x9f608400, 0x0e200400, VEC},   /* sqshl smax umax uqshl saba sabd … */
	{0x9fa05400, 0x0e200400, VEC},   /* sqadd shsub uhsub cmeq uqadd sminp … */
	{0x9fa08400, 0x0e200400, VEC},   /* sqshl smax umax uqshl saba sabd … */
	{0x9fbfbc00, 0x0e200800, VBIT},  /* cls clz rev64 rev32 */
	{0xbf7fbc00, 0x0e200800, VBIT},  /* cls rev64 */
	{0xbfffac00, 0x0e200800, VBIT},  /* cls cnt rev64 rev16 */
	{0x9f20fc00, 0x0e201c00, VEC},   /* orn bic bit bif and bsl … */
	{0x9f7ef000, 0x0e202000, VEC},   /* sqsub ssubl usubl2 uqsub sqxtun xtn2 … */
	{0x9f7fa000, 0x0e202000, VEC},   /* smin subhn rsubhn2 umin uadalp sqabs … */
	{0x9fbef000, 0x0e202000, VEC},   /* sqsub ssubl usubl2 uqsub sqxtun xtn2 … */
	{0x9fbfa000, 0x0e202000, VEC},   /* smin subhn rsubhn2 umin uadalp sqabs … */
	{0xbf7f6800, 0x0e202800, VEC},   /* sqsub saddlp sminp abs suqadd cmlt … */
	{0xbf606c00, 0x0e202c00, VEC},   /* sqsub sminp addp cmge */
	{0xbfa06c00, 0x0e202c00, VEC},   /* sqsub sminp addp cmge */
	{0x9faff000, 0x0e203000, VEC},   /* cmge ssubw usubw2 cmhs usqadd saddlv … */
	{0x9f7ffc00, 0x0e204800, VBIT},  /* cls clz */
	{0x9f60bc00, 0x0e208000, VMUL},  /* smull umull2 umull smull2 smlal2 umlal … */
	{0x9f60dc00, 0x0e208000, VMUL},  /* smlal smlsl umlsl2 umlal smlsl2 umlsl … */
	{0x9fa0bc00, 0x0e208000, VMUL},  /* smull umull2 umull smull2 smlal2 umlal … */
	{0xbfe09c00, 0x0e208000, VMUL},  /* smull pmull pmull2 smlal2 smlsl smlal … */
	{0x9f7fec00, 0x0e208800, VEC},   /* cmgt cmge cmeq cmle */
	{0x9fbff800, 0x0e208800, VEC},   /* cmtst cmgt cmge cmeq */
	{0xbfbfcc00, 0x0e208800, VEC},   /* cmgt cmlt abs cmeq */
	{0x9fe0f400, 0x0e209400, VMUL},  /* mul mla mls pmul */
	{0xbfa0f400, 0x0e209400, VMUL},  /* mul mla */
	{0x9f7fdc00, 0x0e209800, VEC},   /* cmeq abs neg cmle */
	{0x9fbfdc00, 0x0e209800, VEC},   /* cmeq abs neg cmle */
	{0x9f60ec00, 0x0e20c400, VFP},   /* fminnm fmaxnm fminnmp fadd fsub fabd … */
	{0x9fe0ec00, 0x0e20cc00, VFMUL}, /* fmla fmlal2 fmulx fmul */
	{0xbf60dc00, 0x0e20cc00, VFMUL}, /* fmls fmlal fmlsl fmla */
	{0x9ee0fc00, 0x0e20e400, VFP},   /* scvtf fcmeq ucvtf fcmge */
	{0xbf60f400, 0x0e20f400, VFP},   /* frsqrts fmax fmin frecps */
	{0x9f7ff000, 0x0e214000, VEC},   /* sqshl addhn raddhn2 uqshl uqxtn sqxtn2 … */
	{0x9fbff000, 0x0e214000, VEC},   /* sqshl addhn raddhn2 uqshl uqxtn sqxtn2 … */
	{0xbf7ffc00, 0x0e216800, VFP},   /* bfcvtn fcvtn bfcvtn2 fcvtn2 */
	{0xbfff6c00, 0x0e216800, VFP},   /* fcvtn fcvtn2 frint32z frint64z fcvtl fcvtl2 … */
	{0x9fff8c00, 0x0e218800, VFP},   /* fcvtas frint32z frint32x fcvtau frint64z frintn … */
	{0xbf7fcc00, 0x0e218800, VFP},   /* frintp fcvtns fcvtps fcvtms fcvtzs frintn … */
	{0x9f7fec00, 0x0e21a800, VFP},   /* fcvtps fcvtns fcvtpu fcvtms fcvtzs fcvtzu … */
	{0x9fbef800, 0x0e30a800, VEC},   /* sminp smaxv umaxv uminp uminv sminv … */
	{0xbf7ffc00, 0x0e30c800, VFP},   /* fminnmv fmaxnmv */
	{0xbf7ff800, 0x0e30f800, VFP},   /* frsqrts fmaxv fminv frecps */
	{0xbfbfe800, 0x0e31a800, VEC},   /* sminp sminv addv addp */
	{0x9f60ec00, 0x0e400400, VFP},   /* fminnm fmaxnm fminnmp fadd fsub fabd … */
	{0x9fe0cc00, 0x0e400400, VFP},   /* fmaxnm fcmeq fcmge fmaxnmp fmax fadd … */
	{0xbf60fc00, 0x0e400c00, VFMUL}, /* fmls fmla */
	{0xbfe0ec00, 0x0e400c00, VFMUL}, /* fmla fmulx */
	{0x9fe0fc00, 0x0e401c00, VFMUL}, /* fmulx fmul */
	{0xbf60f400, 0x0e403400, VFP},   /* frsqrts fmax fmin frecps */
	{0x9fe0fc00, 0x0e40f400, VFP},   /* fcvtn fcadd */
	{0x9f60fc00, 0x0e40fc00, VFMUL}, /* fmlalb fdot bfmlalt bfmlalb fmlalt bfdot … */
	{0xbfe0d800, 0x0e609000, VMUL},  /* mla sqdmlsl sqdmlsl2 sqdmlal sqdmlal2 sqdmulh … */
	{0x9fe0dc00, 0x0e609400, VMUL},  /* mla sqdmulh sqrdmulh mls */
	{0x9ee0fc00, 0x0e60a000, VMUL},  /* smull smlsl umull2 umlsl umull smlsl2 … */
	{0xbee0ec00, 0x0e60c000, VMUL},  /* sqdmulh smull sqdmull2 sqdmull sqrdmulh smull2 … */
	{0x9fffec00, 0x0e616800, VFP},   /* fcvtn fcvtxn2 fcvtxn fcvtl2 fcvtl fcvtn2 … */
	{0x9fffac00, 0x0e798800, VFP},   /* fcvtas fcvtau scvtf frintn frinta frintm … */
	{0xbf7fcc00, 0x0e798800, VFP},   /* frintp fcvtns fcvtps fcvtms fcvtzs frintn … */
	{0x9f7fbc00, 0x0e799800, VFP},   /* frecpe scvtf frsqrte frintm frinti frintz … */
	{0x9f7fec00, 0x0e79a800, VFP},   /* fcvtps fcvtns fcvtpu fcvtms fcvtzs fcvtzu … */
	{0x9fc0fc00, 0x0e809400, VMUL},  /* mla udot sdot mls */
	{0xbfc0f400, 0x0e809400, VMUL},  /* mul mla sdot usdot */
	{0xbfe0d800, 0x0ea09000, VMUL},  /* mla sqdmlsl sqdmlsl2 sqdmlal sqdmlal2 sqdmulh … */
	{0x9fe0dc00, 0x0ea09400, VMUL},  /* mla sqdmulh sqrdmulh mls */
	{0xbee0ec00, 0x0ea0c000, VMUL},  /* sqdmulh smull sqdmull2 sqdmull sqrdmulh smull2 … */
	{0x9fffec00, 0x0ea0c800, VFP},   /* fcmgt fcmge fcmeq fcmle */
	{0xbfffcc00, 0x0ea0c800, VFP},   /* fcmgt fcmlt fabs fcmeq */
	{0x9fe0d400, 0x0ea0d400, VFP},   /* famax fmin fminp famin frsqrts fscale … */
	{0x9ffef800, 0x0ea0d800, VFP},   /* famax fcmeq fcmle famin frsqrte frecpe … */
	{0x9fff7c00, 0x0ea14800, VEC},   /* sqxtn uqxtn2 ursqrte uqxtn urecpe sqxtn2 … */
	{0x9fe0d400, 0x0ec01400, VFP},   /* famax fmin fminp famin frsqrts fscale … */
	{0xbfe0fc00, 0x0ee0e000, CRY},   /* pmull pmull2 */
	{0x9fffec00, 0x0ef8c800, VFP},   /* fcmgt fcmge fcmeq fcmle */
	{0xbfffcc00, 0x0ef8c800, VFP},   /* fcmgt fcmlt fabs fcmeq */
	{0xbf00f400, 0x0f000000, VFMUL}, /* fmlalb fdot fmlal fmlalt */
	{0xbf40e400, 0x0f000000, VFMUL}, /* fmlal fdot fmla */
	{0x9ff81c00, 0x0f000400, VMOV},  /* movi mvni */
	{0xbf40b400, 0x0f001000, VFMUL}, /* fmls fmla */
	{0x9fc07c00, 0x0f001400, VEC},   /* ssra usra uqshrn bic sqshrn2 orr … */
	{0x9fc09c00, 0x0f001400, VEC},   /* shl sqshl uqshl sli bic orr … */
	{0x9ff85c00, 0x0f001400, VEC},   /* orr bic */
	{0x9f40f400, 0x0f009000, VFMUL}, /* fmul fmulx */
	{0x9ff8ec00, 0x0f00c400, VMOV},  /* movi mvni */
	{0xbf40f400, 0x0f00f000, VMUL},  /* usdot sudot */
	{0xbff8f400, 0x0f00f400, VFMOV}, /* fmov */
	{0x9fc85c00, 0x0f080400, VEC},   /* sshr srshr urshr sqshrun ushr sshll2 … */
	{0x9fc8e400, 0x0f088400, VEC},   /* rshrn shrn sqshrun2 sqrshrun sqrshrn2 sqshrn2 … */
	{0x9fd05c00, 0x0f100400, VEC},   /* sshr srshr urshr sqshrun ushr sshll2 … */
	{0x9fd0e400, 0x0f108400, VEC},   /* rshrn shrn sqshrun2 sqrshrun sqrshrn2 sqshrn2 … */
	{0x9fd0fc00, 0x0f10e400, VFP},   /* scvtf ucvtf */
	{0x9fd0fc00, 0x0f10fc00, VFP},   /* fcvtzs fcvtzu */
	{0x9fe0e400, 0x0f208400, VEC},   /* rshrn shrn sqshrun2 sqrshrun sqrshrn2 sqshrn2 … */
	{0x9fe0fc00, 0x0f20fc00, VFP},   /* fcvtzs fcvtzu */
	{0x9fc07400, 0x0f402000, VMUL},  /* smlal umlal2 umull umlal smull2 smlal2 … */
	{0xbfc06400, 0x0f402000, VMUL},  /* smlal smlal2 smull sqdmull2 sqdmlal smull2 … */
	{0xbfc0a400, 0x0f402000, VMUL},  /* smlsl smlsl2 sqdmlsl2 sqdmlsl smlal2 smlal … */
	{0xbfc0d400, 0x0f408000, VMUL},  /* mul smull smull2 */
	{0xbfc0e400, 0x0f40c000, VMUL},  /* sqdmulh sqrdmulh */
	{0xbf40f400, 0x0f40f000, VFMUL}, /* bfmlalb bfdot bfmlalt */
	{0xbfc0a400, 0x0f800000, VFMUL}, /* fmlsl fmls fmlal fmla */
	{0x9fc03400, 0x0f802000, VMUL},  /* smlsl umlsl2 udot umlsl sdot smull2 … */
	{0xbfc02400, 0x0f802000, VMUL},  /* smlsl smlsl2 sdot usdot sqdmlsl smull2 … */
	{0xbfc09400, 0x0f808000, VMUL},  /* sqdmulh sdot mul smull smull2 */
	{0x9fc0d400, 0x0f80d000, VMUL},  /* sqrdmulh usdot sqrdmlsh sqrdmlah */
	{0x7fbe8000, 0x1e028000, F},     /* ucvtf scvtf */
	{0xffdef800, 0x1e02c000, F},     /* fccmp fcvt scvtf ucvtf fccmpe */
	{0x7fbe8000, 0x1e188000, F},     /* fcvtzu fcvtzs */
	{0x7fa6fc00, 0x1e200000, F},     /* fcvtmu fcvtps fcvtms fcvtpu fcvtnu fcvtzu … */
	{0x7fbafc00, 0x1e200000, F},     /* fcvtnu fcvtas fcvtns fcvtau */
	{0x7fbcfc00, 0x1e200000, F},     /* ucvtf scvtf fcvtns fcvtnu */
	{0xffa00400, 0x1e200400, F},     /* fcsel fccmpe fccmp */
	{0xfea07c00, 0x1e200800, FMUL},  /* fnmadd fmul fnmul fnmsub */
	{0xffa01fe0, 0x1e201000, FMOV},  /* fmov */
	{0xffa0fc00, 0x1e201800, FDIV},  /* fdiv */
	{0xffa0f007, 0x1e202000, F},     /* fcsel fcmpe fadd fcmp fccmpe fccmp … */
	{0xffa0a800, 0x1e202800, F},     /* fcsel fmaxnm fminnm fadd fsub */
	{0xffbffc00, 0x1e204000, FMOV},  /* fmov */
	{0xffa0c800, 0x1e204800, F},     /* fcsel fmaxnm fmax fminnm fmin */
	{0xffbbf800, 0x1e20c000, F},     /* fccmp frintp fabs fccmpe */
	{0xffbbb800, 0x1e210000, F},     /* fccmp frintm fneg fccmpe fcvtnu fcvtau … */
	{0xffbffc00, 0x1e21c000, FSQRT}, /* fsqrt */
	{0xffbcf000, 0x1e244000, F},     /* fcsel frinta frintn fmax frintx frintm … */
	{0xffbd7800, 0x1e254000, F},     /* fccmp frintx frintm fccmpe frinti frintz … */
	{0xfffefc00, 0x1e260000, FMOV},  /* fmov */
	{0xffbe7800, 0x1e284000, F},     /* fccmp frint32z fccmpe frint64z frint64x frint32x … */
	{0x7f7e8000, 0x1e428000, F},     /* ucvtf scvtf */
	{0x7f7e8000, 0x1e588000, F},     /* fcvtzu fcvtzs */
	{0x7f66fc00, 0x1e600000, F},     /* fcvtmu fcvtps fcvtms fcvtpu fcvtnu fcvtzu … */
	{0x7f7afc00, 0x1e600000, F},     /* fcvtnu fcvtas fcvtns fcvtau */
	{0x7f7cfc00, 0x1e600000, F},     /* ucvtf scvtf fcvtns fcvtnu */
	{0xff600400, 0x1e600400, F},     /* fcsel fccmpe fccmp */
	{0xfe607c00, 0x1e600800, FMUL},  /* fnmadd fmul fnmul fnmsub */
	{0xff601fe0, 0x1e601000, FMOV},  /* fmov */
	{0xff60fc00, 0x1e601800, FDIV},  /* fdiv */
	{0xff60f007, 0x1e602000, F},     /* fcsel fcmpe fadd fcmp fccmpe fccmp … */
	{0xff60a800, 0x1e602800, F},     /* fcsel fmaxnm fminnm fadd fsub */
	{0xff7ffc00, 0x1e604000, FMOV},  /* fmov */
	{0xff60c800, 0x1e604800, F},     /* fcsel fmaxnm fmax fminnm fmin */
	{0xff7bb800, 0x1e610000, F},     /* fccmp frintm fneg fccmpe fcvtnu fcvtau … */
	{0xff7ffc00, 0x1e61c000, FSQRT}, /* fsqrt */
	{0xff7bf000, 0x1e624000, F},     /* fcsel frinta fcvt fmax fccmpe fccmp … */
	{0xfffb7800, 0x1e634000, F},     /* fccmp frintx bfcvt fccmpe fcvt frinti … */
	{0xff7e7800, 0x1e644000, F},     /* fccmp frintn fccmpe frintm frintz frintp … */
	{0xff7d7800, 0x1e654000, F},     /* fccmp frintx frintm fccmpe frinti frintz … */
	{0xfffff800, 0x1e7e0000, F},     /* fccmp fjcvtzs fccmpe */
	{0xfffdf800, 0x1ee0c000, F},     /* fccmp fcvt fabs fccmpe */
	{0x7ffefc00, 0x1ee60000, FMOV},  /* fmov */
	{0xff800000, 0x1f000000, FMUL},  /* fnmadd fmadd fmsub fnmsub */
	{0xff400000, 0x1f400000, FMUL},  /* fnmadd fmadd fmsub fnmsub */
	{0xbfe0c400, 0x2e000000, VEC},   /* ext */
	{0xbee08c00, 0x2e200400, VEC},   /* sri umax sqshlu ushl uabd ushr … */
	{0xbf7ee000, 0x2e202000, VEC},   /* uqsub usubl usubl2 sqxtun shll2 usubw2 … */
	{0xbfbee000, 0x2e202000, VEC},   /* uqsub usubl usubl2 sqxtun shll2 usubw2 … */
	{0xbfffd000, 0x2e205000, VEC},   /* uqrshl uabdl uabdl2 mvn sqneg uabal … */
	{0xbf60cc00, 0x2e20c400, VFP},   /* fminnmp fcmge fcmgt fmaxp fminp fmaxnmp … */
	{0xbf60f400, 0x2e20e400, VFP},   /* facgt fcmge fcmgt facge */
	{0xbfe0fc00, 0x2e20fc00, VFDIV}, /* fdiv */
	{0xbf3ffc00, 0x2e217800, VFP},   /* bf2cvtl f2cvtl bf1cvtl2 bf1cvtl f2cvtl2 bf2cvtl2 … */
	{0xbf7f7c00, 0x2e217800, VFP},   /* bf1cvtl f1cvtl bf1cvtl2 fsqrt frint64x f1cvtl2 … */
	{0xbf7f9c00, 0x2e219800, VFP},   /* frsqrte frint64x fsqrt frintx fcvtzu frinti … */
	{0xbf60f400, 0x2e402400, VFP},   /* facgt fcmge fcmgt facge */
	{0xbfe0fc00, 0x2e403c00, VFDIV}, /* fdiv */
	{0xbfe0f400, 0x2e408400, VMUL},  /* sqrdmlsh sqrdmlah */
	{0xbfe0e400, 0x2e40c400, VFMUL}, /* fcmla */
	{0xbfe0ec00, 0x2e40e400, VFP},   /* fcadd */
	{0xbfffec00, 0x2e604800, VBIT},  /* clz rbit */
	{0xbfe0f400, 0x2e808400, VMUL},  /* sqrdmlsh sqrdmlah */
	{0xbfe0e400, 0x2e80c400, VFMUL}, /* fcmla */
	{0xbfc0fc00, 0x2e80cc00, VFMUL}, /* fmlsl2 fcmla */
	{0xbfc0ec00, 0x2e80e400, VFP},   /* fcmgt fcadd fminp */
	{0xbffed800, 0x2ea0d800, VFP},   /* famin fneg frsqrte fsqrt fcmle fscale … */
	{0xbffedc00, 0x2ef8d800, VFP},   /* frsqrte fneg fsqrt fcmle */
	{0xbf40e400, 0x2f008000, VFMUL}, /* fmlal2 fmlallbb fmulx fmlalltb */
	{0xbf80f400, 0x2f008000, VFMUL}, /* fmlallbt fmlalltb fmlallbb fmlalltt */
	{0xbfc88c00, 0x2f080400, VEC},   /* sri sqshlu uqshl ushr urshr usra … */
	{0xbfd08c00, 0x2f100400, VEC},   /* sri sqshlu uqshl ushr urshr usra … */
	{0xbfc09400, 0x2f400000, VMUL},  /* mls umlsl umlsl2 mla umlal umlal2 … */
	{0xbfc09c00, 0x2f401000, VFMUL}, /* fcmla */
	{0xbfc0d400, 0x2f40d000, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xbfc09400, 0x2f800000, VMUL},  /* mls umlsl umlsl2 mla umlal umlal2 … */
	{0xbfc0b400, 0x2f808000, VFMUL}, /* fmlsl2 fmlal2 */
	{0xff209400, 0x4e001000, VEC},   /* uzp2 luti4 luti2 zip2 uzp1 zip1 … */
	{0xefe1fc00, 0x4e010400, VMOV},  /* dup mov */
	{0xdfe1dc00, 0x4e010c00, VMOV},  /* dup smov mov */
	{0xdfe1ec00, 0x4e010c00, VMOV},  /* dup mov */
	{0xefe2fc00, 0x4e020400, VMOV},  /* dup mov */
	{0xdfe2ec00, 0x4e020c00, VMOV},  /* dup mov */
	{0xefe4fc00, 0x4e040400, VMOV},  /* dup mov */
	{0xdfe4dc00, 0x4e040c00, VMOV},  /* dup smov mov */
	{0xdfe4ec00, 0x4e040c00, VMOV},  /* dup mov */
	{0xdfe8f400, 0x4e080400, VMOV},  /* dup mov */
	{0xefe8fc00, 0x4e080400, VMOV},  /* dup mov */
	{0xdfefdc00, 0x4e081c00, VMOV},  /* mov */
	{0xcf20dc00, 0x4e200c00, VEC},   /* sqadd sqsub uqsub uqadd */
	{0xdf6ff000, 0x4e203000, VEC},   /* cmge ssubw2 usubw2 cmhs usqadd saddlv … */
	{0xcf3fbc00, 0x4e203800, VEC},   /* sqabs sqneg suqadd usqadd */
	{0xff207c00, 0x4e203c00, VEC},   /* cmge addp */
	{0xcf20ec00, 0x4e204c00, VEC},   /* sqshl uqshl sqrshl uqrshl */
	{0xdf20ec00, 0x4e20c400, VFP},   /* fminnm fmaxnm fminnmp fadd fsub fabd … */
	{0xdfa0cc00, 0x4e20c400, VFP},   /* fmaxnm fcmeq fcmge fmaxnmp fmax fadd … */
	{0xff20fc00, 0x4e20cc00, VFMUL}, /* fmls fmla */
	{0xffa0ec00, 0x4e20cc00, VFMUL}, /* fmla fmulx */
	{0xff20f400, 0x4e20f400, VFP},   /* frsqrts fmax fmin frecps */
	{0xcf7ff800, 0x4e214800, VEC},   /* sqshl sqxtn2 uqxtn2 uqshl sqxtn uqxtn … */
	{0xcfbff800, 0x4e214800, VEC},   /* sqshl sqxtn2 uqxtn2 uqshl sqxtn uqxtn … */
	{0xdfbf8c00, 0x4e218800, VFP},   /* fcvtas frint32z frint32x fcvtau frint64z frintn … */
	{0xff3fcc00, 0x4e218800, VFP},   /* frintp fcvtns fcvtps fcvtms fcvtzs frintn … */
	{0xdf3fec00, 0x4e21a800, VFP},   /* fcvtps fcvtns fcvtpu fcvtms fcvtzs fcvtzu … */
	{0x7fffcc00, 0x4e284800, CRY},   /* aese aesmc bcax aesimc aesd */
	{0xdf7ef800, 0x4e30a800, VEC},   /* sminp smaxv umaxv uminp uminv sminv … */
	{0xcf7ffc00, 0x4e30c800, VFP},   /* fminnmv fmaxnmv fminnmp fmaxnmp */
	{0xcf7ffc00, 0x4e30f800, VFP},   /* fminv fmaxv fminp fmaxp */
	{0xff7fe800, 0x4e31a800, VEC},   /* sminp sminv addv addp */
	{0xff60a400, 0x4e402000, VEC},   /* trn2 luti4 luti2 zip2 trn1 zip1 … */
	{0xefe0dc00, 0x4e609000, VMUL},  /* sqdmlal2 sqdmlsl2 sqdmlal sqdmlsl */
	{0xcfe0fc00, 0x4e60b400, VMUL},  /* sqdmulh sqrdmulh */
	{0xeee0fc00, 0x4e60d000, VMUL},  /* sqrdmulh sqdmull2 sqdmull */
	{0xffe0f400, 0x4e80a400, VMUL},  /* usmmla smmla */
	{0xefe0dc00, 0x4ea09000, VMUL},  /* sqdmlal2 sqdmlsl2 sqdmlal sqdmlsl */
	{0xcfe0fc00, 0x4ea0b400, VMUL},  /* sqdmulh sqrdmulh */
	{0xdfbfec00, 0x4ea0c800, VFP},   /* fcmgt fcmge fcmeq fcmle */
	{0xffbfcc00, 0x4ea0c800, VFP},   /* fcmgt fcmlt fabs fcmeq */
	{0xeee0fc00, 0x4ea0d000, VMUL},  /* sqrdmulh sqdmull2 sqdmull */
	{0xdfa0d400, 0x4ea0d400, VFP},   /* famax fmin fminp famin frsqrts fscale … */
	{0xdfbef800, 0x4ea0d800, VFP},   /* famax fcmeq fcmle famin frsqrte frecpe … */
	{0xffe08c00, 0x4ec00000, VEC},   /* luti2 */
	{0xcfe0f400, 0x4ee03400, VEC},   /* cmge cmgt cmhi cmhs */
	{0xcfe0e400, 0x4ee04400, VEC},   /* sqshl sshl ushl uqshl sqrshl srshl … */
	{0xcfe0f400, 0x4ee08400, VEC},   /* cmtst add sub cmeq */
	{0xcfffec00, 0x4ee08800, VEC},   /* cmgt cmge cmeq cmle */
	{0xefffcc00, 0x4ee08800, VEC},   /* cmgt cmlt abs cmeq */
	{0xcfffdc00, 0x4ee09800, VEC},   /* cmeq abs neg cmle */
	{0xef40b400, 0x4f001000, VFMUL}, /* fmls fmla */
	{0xcf40f400, 0x4f009000, VFMUL}, /* fmul fmulx */
	{0xdff8fc00, 0x4f00f400, VFMOV}, /* fmov */
	{0xcf88fc00, 0x4f087400, VEC},   /* sqshl uqshl */
	{0xcfc8f400, 0x4f089400, VEC},   /* sqrshrn2 sqshrn2 uqshrn2 uqrshrn uqrshrn2 sqshrn … */
	{0xcf90fc00, 0x4f107400, VEC},   /* sqshl uqshl */
	{0xcfd0f400, 0x4f109400, VEC},   /* sqrshrn2 sqshrn2 uqshrn2 uqrshrn uqrshrn2 sqshrn … */
	{0xcfa0fc00, 0x4f207400, VEC},   /* sqshl uqshl */
	{0xcfe0f400, 0x4f209400, VEC},   /* sqrshrn2 sqshrn2 uqshrn2 uqrshrn uqrshrn2 sqshrn … */
	{0xcfc0cc00, 0x4f400400, VEC},   /* sshr srshr urshr ushr srsra ssra … */
	{0xcfc09c00, 0x4f401400, VEC},   /* shl sqshl uqshl sli ssra ursra … */
	{0xefc07400, 0x4f403000, VMUL},  /* sqdmlal2 sqdmull sqdmull2 sqdmlal */
	{0xefc0b400, 0x4f403000, VMUL},  /* sqdmlsl2 sqdmlsl sqdmlal2 sqdmlal */
	{0xefc0e400, 0x4f40c000, VMUL},  /* sqdmulh sqrdmulh */
	{0xdfc0fc00, 0x4f40e400, VFP},   /* scvtf ucvtf */
	{0xdfc0fc00, 0x4f40fc00, VFP},   /* fcvtzs fcvtzu */
	{0xefa0b400, 0x4f801000, VFMUL}, /* fmls fmla */
	{0xefc07400, 0x4f803000, VMUL},  /* sqdmlal2 sqdmull sqdmull2 sqdmlal */
	{0xefc0b400, 0x4f803000, VMUL},  /* sqdmlsl2 sqdmlsl sqdmlal2 sqdmlal */
	{0xcfa0f400, 0x4f809000, VFMUL}, /* fmul fmulx */
	{0xefc0e400, 0x4f80c000, VMUL},  /* sqdmulh sqrdmulh */
	{0xffe09c00, 0x5e000000, CRY},   /* sha256h sha256su1 sha1c sha1m */
	{0xffe0ac00, 0x5e000000, CRY},   /* sha256h sha256h2 sha1c sha1p */
	{0xffe0cc00, 0x5e000000, CRY},   /* sha1c sha1m sha1su0 sha1p */
	{0xffa0fc00, 0x5e20dc00, FMUL},  /* fmulx */
	{0xdea0fc00, 0x5e20e400, F},     /* scvtf fcmeq ucvtf fcmge */
	{0xff20fc00, 0x5e20fc00, F},     /* frsqrts frecps */
	{0xdf3fec00, 0x5e21a800, F},     /* fcvtps fcvtns fcvtpu fcvtms fcvtzs fcvtzu … */
	{0xdfbfec00, 0x5e21c800, F},     /* fcvtas fcvtau scvtf ucvtf */
	{0xffffdc00, 0x5e280800, CRY},   /* sha1h sha256su0 */
	{0xffffec00, 0x5e280800, CRY},   /* sha1h sha1su1 */
	{0xdfffdc00, 0x5e30d800, VFP},   /* faddp fmaxp */
	{0xffe0fc00, 0x5e401c00, FMUL},  /* fmulx */
	{0xdfe0fc00, 0x5e402400, F},     /* fcmeq fcmge */
	{0xff60fc00, 0x5e403c00, F},     /* frsqrts frecps */
	{0xdf7fec00, 0x5e79a800, F},     /* fcvtps fcvtns fcvtpu fcvtms fcvtzs fcvtzu … */
	{0xdfffec00, 0x5e79c800, F},     /* fcvtas fcvtau scvtf ucvtf */
	{0xdfbfec00, 0x5ea0c800, F},     /* fcmgt fcmge fcmeq fcmle */
	{0xffbfdc00, 0x5ea0c800, F},     /* fcmgt fcmlt */
	{0xdfbefc00, 0x5ea0d800, F},     /* frecpe fcmeq fcmle frsqrte */
	{0xffbfdc00, 0x5ea1d800, F},     /* frecpe frecpx */
	{0xfffffc00, 0x5ef1b800, VEC},   /* addp */
	{0xdfffec00, 0x5ef8c800, F},     /* fcmgt fcmge fcmeq fcmle */
	{0xffffdc00, 0x5ef8c800, F},     /* fcmgt fcmlt */
	{0xdffefc00, 0x5ef8d800, F},     /* frecpe fcmeq fcmle frsqrte */
	{0xffffdc00, 0x5ef9d800, F},     /* frecpe frecpx */
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
	{0xff20f400, 0x6e20e400, VFP},   /* facgt fcmge fcmgt facge */
	{0xffa0fc00, 0x6e20fc00, VFDIV}, /* fdiv */
	{0xef7ff800, 0x6e212800, VEC},   /* uqsub sqxtun2 sqxtun */
	{0xefbff800, 0x6e212800, VEC},   /* uqsub sqxtun2 sqxtun */
	{0xff3f9c00, 0x6e219800, VFP},   /* frsqrte frint64x fsqrt frintx fcvtzu frinti … */
	{0xefe0f400, 0x6e408400, VMUL},  /* sqrdmlsh sqrdmlah */
	{0xffe0cc00, 0x6e40cc00, VFMUL}, /* fcmla bfmmla bfdot */
	{0xffc0fc00, 0x6e40dc00, VFMUL}, /* fmul fcmla */
	{0xefe0f400, 0x6e808400, VMUL},  /* sqrdmlsh sqrdmlah */
	{0xffe0dc00, 0x6e808400, VMUL},  /* sqrdmlah ummla */
	{0xffa0e400, 0x6e80c400, VFMUL}, /* fcmla */
	{0xff80ec00, 0x6e80e400, VFP},   /* fcmgt fcadd fminp */
	{0xffbed800, 0x6ea0d800, VFP},   /* famin fneg frsqrte fsqrt fcmle fscale … */
	{0xef88ec00, 0x6f086400, VEC},   /* sqshlu uqshl */
	{0xefc8e400, 0x6f088400, VEC},   /* sqrshrun2 sqshrun2 sqrshrun uqrshrn2 uqshrn sqshrun … */
	{0xef90ec00, 0x6f106400, VEC},   /* sqshlu uqshl */
	{0xefd0e400, 0x6f108400, VEC},   /* sqrshrun2 sqshrun2 sqrshrun uqrshrn2 uqshrn sqshrun … */
	{0xefa0ec00, 0x6f206400, VEC},   /* sqshlu uqshl */
	{0xefe0e400, 0x6f208400, VEC},   /* sqrshrun2 sqshrun2 sqrshrun uqrshrn2 uqshrn sqshrun … */
	{0xefc08c00, 0x6f400400, VEC},   /* sri sqshlu uqshl ushr urshr usra … */
	{0xffc09400, 0x6f401000, VFMUL}, /* fcmla */
	{0xefc0d400, 0x6f40d000, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xffe09400, 0x6f801000, VFMUL}, /* fcmla */
	{0xefc0d400, 0x6f80d000, VMUL},  /* sqrdmlah sqrdmlsh */
	{0xff20f400, 0x7e20e400, F},     /* facgt fcmge fcmgt facge */
	{0xff3ffc00, 0x7e30c800, VFP},   /* fminnmp fmaxnmp */
	{0xffbfec00, 0x7e30c800, VFP},   /* fmaxnmp faddp */
	{0xff3ffc00, 0x7e30f800, VFP},   /* fminp fmaxp */
	{0xff60f400, 0x7e402400, F},     /* facgt fcmge fcmgt facge */
	{0xfffffc00, 0x7e616800, F},     /* fcvtxn */
	{0xffa0fc00, 0x7ea0d400, F},     /* fabd */
	{0xffe0fc00, 0x7ec01400, F},     /* fabd */
	{0xffbe0000, 0x9e020000, F},     /* ucvtf scvtf */
	{0xffbe0000, 0x9e180000, F},     /* fcvtzu fcvtzs */
	{0xff7e0000, 0x9e420000, F},     /* ucvtf scvtf */
	{0xff7e0000, 0x9e580000, F},     /* fcvtzu fcvtzs */
	{0xff7efc00, 0x9e660000, FMOV},  /* fmov */
	{0xfffefc00, 0x9eae0000, VFMOV}, /* fmov */
	{0xffa08000, 0xce000000, CRY},   /* sm3ss1 eor3 */
	{0xffc08000, 0xce000000, CRY},   /* bcax eor3 */
	{0xffe04000, 0xce400000, CRY},   /* sm3ss1 sm3tt2b sm3tt2a sm3tt1a sm3tt1b */
	{0xffc0f000, 0xce408000, CRY},   /* rax1 sha512h sm3tt1a sm3tt2b sm3tt2a sha512su1 … */
	{0xffe0b400, 0xce608000, CRY},   /* sm4ekey sm3partw1 sha512su1 sha512h */
	{0xffe0b800, 0xce608000, CRY},   /* sm3partw2 sm3partw1 sha512h2 sha512h */
	{0xffe00000, 0xce800000, CRY},   /* xar */
	{0xffbff800, 0xce808000, CRY},   /* sm4e sha512su0 xar */
};
const struct isa_arm64_rows isa_arm64_simd_rows = {simd_rows, sizeof simd_rows / sizeof *simd_rows};
