/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: loads and stores of SVE and SME, element by element; and which of the other vector
 * instructions exist.
 *
 * A row of the table says which encodings, what they do, how the address is made and where
 * the sizes are found. Sizes: of an element in memory and of its lane in the register, as
 * powers of two, and whether it is sign-extended. Gathers and scatters have an address for
 * each lane; of a structure, elements of the registers alternate.
 *
 * The rows state the manual's tables (Arm Architecture Reference Manual for A-profile, C4.1,
 * SVE and SME memory); tests/unit/test_isa_arm64.c and test_isa_arm64_memory.c hold them
 * against LLVM.
 */
#include "isa/arm64.h"

#include "isa/arm64_rows.h"

enum {
	LOAD = ISA_ARM64_LOAD,
	STORE = ISA_ARM64_STORE,
	PREFETCH = ISA_ARM64_PREFETCH,
	STRUCT = ISA_ARM64_STRUCT,
	REP = ISA_ARM64_REPLICATE,
	NT = ISA_ARM64_NONTEMPORAL,
	FF = ISA_ARM64_FIRST_FAULT,
	NF = ISA_ARM64_NON_FAULT
};

/* Addresses. */
enum form {
	NO_FORM,
	XX,   /* register and scaled register */
	XX30, /* likewise, and there is none with the zero register */
	XI,   /* register and a multiple of what is moved */
	XXQ,
	XXO,
	XQ,
	XO,
	XR, /* 16, 32 bytes or one element, replicated */
	XZ,
	XZS,
	XU,
	XUS,
	XS,
	XSS, /* register and vector, extended; S behind: scaled */
	ZI,  /* vector and immediate */
	ZX,  /* vector and register */
	RZ,
	RP,
	ZA,
	ZT,
	SLICE /* a whole vector, predicate, row of ZA, ZT0; part of a slice */
};

/* Sizes. */
enum sizes {
	NO_SIZES,
	D, /* dtype in bits 24 to 21 */
	R, /* dtype in bits 24 to 23 and 14 to 13 */
	M, /* msz in bits 24 to 23, and lanes of that size */
	G, /* msz, 8-byte lanes, signed if a bit is clear */
	S, /* msz, 4-byte lanes, likewise */
	T, /* msz, and lanes in bits 22 to 21 */
	K,
	KS, /* msz in bits 14 to 13; registers in a row, or apart */
	A,  /* in bits 23 to 22 */
	WQ,
	DQ,
	QQ /* words, doublewords, quadwords; 16-byte lanes */
};

struct row {
	uint32_t mask, match, flags;
	uint8_t form, sizes, n;
};

static const struct row rows[] = {
	{0xff60a000, 0x84000000, LOAD, XU, S, 1},              /* ld1sb ld1h ld1sh ld1b */
	{0xff60a000, 0x84002000, LOAD | FF, XU, S, 1},         /* ldff1sb ldff1h ldff1sh ldff1b */
	{0xfee0e000, 0x84004000, LOAD, XU, S, 1},              /* ld1b ld1w */
	{0xfee0e000, 0x84006000, LOAD | FF, XU, S, 1},         /* ldff1b ldff1w */
	{0xff60c000, 0x84008000, LOAD | NT, ZX, S, 1},         /* ldnt1sb ldnt1b ldnt1sh ldnt1h */
	{0xfee0e000, 0x8400a000, LOAD | NT, ZX, S, 1},         /* ldnt1b ldnt1w */
	{0xfe60e010, 0x8400c000, PREFETCH, XX30, NO_SIZES, 1}, /* prfb prfd prfh prfw */
	{0xfe60e010, 0x8400e000, PREFETCH, ZI, NO_SIZES, 1},   /* prfb prfd prfh prfw */
	{0xffe0e010, 0x84200000, PREFETCH, XZ, NO_SIZES, 1},   /* prfb */
	{0xffe0a010, 0x84202000, PREFETCH, XZ, NO_SIZES, 1},   /* prfh prfd */
	{0xffe0c010, 0x84204000, PREFETCH, XZ, NO_SIZES, 1},   /* prfw prfd */
	{0xff60a000, 0x84208000, LOAD, ZI, S, 1},              /* ld1sb ld1h ld1sh ld1b */
	{0xff60a000, 0x8420a000, LOAD | FF, ZI, S, 1},         /* ldff1sb ldff1h ldff1sh ldff1b */
	{0xfee0e000, 0x8420c000, LOAD, ZI, S, 1},              /* ld1b ld1w */
	{0xfee0e000, 0x8420e000, LOAD | FF, ZI, S, 1},         /* ldff1b ldff1w */
	{0xff60a000, 0x84400000, LOAD, XS, S, 1},              /* ld1sb ld1h ld1sh ld1b */
	{0xff60a000, 0x84402000, LOAD | FF, XS, S, 1},         /* ldff1sb ldff1h ldff1sh ldff1b */
	{0xfee0e000, 0x84404000, LOAD, XS, S, 1},              /* ld1b ld1w */
	{0xfee0e000, 0x84406000, LOAD | FF, XS, S, 1},         /* ldff1b ldff1w */
	{0xfe408000, 0x84408000, LOAD | REP, XR, R, 1},        /* ld1rb ld1rsb ld1rh ld1rsh ld1rw … */
	{0xffe0e010, 0x84600000, PREFETCH, XZ, NO_SIZES, 1},   /* prfb */
	{0xffe0a010, 0x84602000, PREFETCH, XZ, NO_SIZES, 1},   /* prfh prfd */
	{0xffe0c010, 0x84604000, PREFETCH, XZ, NO_SIZES, 1},   /* prfw prfd */
	{0xffe0a000, 0x84a00000, LOAD, XUS, S, 1},             /* ld1sh ld1h */
	{0xffe0a000, 0x84a02000, LOAD | FF, XUS, S, 1},        /* ldff1sh ldff1h */
	{0xffe0a000, 0x84e00000, LOAD, XSS, S, 1},             /* ld1sh ld1h */
	{0xffe0a000, 0x84e02000, LOAD | FF, XSS, S, 1},        /* ldff1sh ldff1h */
	{0xffe0e000, 0x85204000, LOAD, XUS, S, 1},             /* ld1w */
	{0xffe0e000, 0x85206000, LOAD | FF, XUS, S, 1},        /* ldff1w */
	{0xffe0e000, 0x85604000, LOAD, XSS, S, 1},             /* ld1w */
	{0xffe0e000, 0x85606000, LOAD | FF, XSS, S, 1},        /* ldff1w */
	{0xffc0e010, 0x85800000, LOAD, RP, NO_SIZES, 1},       /* ldr */
	{0xffc0e000, 0x85804000, LOAD, RZ, NO_SIZES, 1},       /* ldr */
	{0xffc08010, 0x85c00000, PREFETCH, NO_FORM, NO_SIZES, 1}, /* prfb prfh prfw prfd */
	{0xffe08001, 0xa0000000, LOAD, XX, K, 2},                 /* ld1b ld1h ld1w ld1d */
	{0xffe08001, 0xa0000001, LOAD | NT, XX, K, 2},            /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xffe08003, 0xa0008000, LOAD, XX, K, 4},                 /* ld1b ld1h ld1w ld1d */
	{0xffe08003, 0xa0008001, LOAD | NT, XX, K, 4},            /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xffe08001, 0xa0200000, STORE, XX, K, 2},                /* st1b st1h st1w st1d */
	{0xffe08001, 0xa0200001, STORE | NT, XX, K, 2},           /* stnt1b stnt1h stnt1w stnt1d */
	{0xffe08003, 0xa0208000, STORE, XX, K, 4},                /* st1b st1h st1w st1d */
	{0xffe08003, 0xa0208001, STORE | NT, XX, K, 4},           /* stnt1b stnt1h stnt1w stnt1d */
	{0xfff08001, 0xa0400000, LOAD, XI, K, 2},                 /* ld1b ld1h ld1w ld1d */
	{0xfff08001, 0xa0400001, LOAD | NT, XI, K, 2},            /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xfff08003, 0xa0408000, LOAD, XI, K, 4},                 /* ld1b ld1h ld1w ld1d */
	{0xfff08003, 0xa0408001, LOAD | NT, XI, K, 4},            /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xfff08001, 0xa0600000, STORE, XI, K, 2},                /* st1b st1h st1w st1d */
	{0xfff08001, 0xa0600001, STORE | NT, XI, K, 2},           /* stnt1b stnt1h stnt1w stnt1d */
	{0xfff08003, 0xa0608000, STORE, XI, K, 4},                /* st1b st1h st1w st1d */
	{0xfff08003, 0xa0608001, STORE | NT, XI, K, 4},           /* stnt1b stnt1h stnt1w stnt1d */
	{0xffe08008, 0xa1000000, LOAD, XX, KS, 2},                /* ld1b ld1h ld1w ld1d */
	{0xffe08008, 0xa1000008, LOAD | NT, XX, KS, 2},           /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xffe0800c, 0xa1008000, LOAD, XX, KS, 4},                /* ld1b ld1h ld1w ld1d */
	{0xffe0800c, 0xa1008008, LOAD | NT, XX, KS, 4},           /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xffe08008, 0xa1200000, STORE, XX, KS, 2},               /* st1b st1h st1w st1d */
	{0xffe08008, 0xa1200008, STORE | NT, XX, KS, 2},          /* stnt1b stnt1h stnt1w stnt1d */
	{0xffe0800c, 0xa1208000, STORE, XX, KS, 4},               /* st1b st1h st1w st1d */
	{0xffe0800c, 0xa1208008, STORE | NT, XX, KS, 4},          /* stnt1b stnt1h stnt1w stnt1d */
	{0xfff08008, 0xa1400000, LOAD, XI, KS, 2},                /* ld1b ld1h ld1w ld1d */
	{0xfff08008, 0xa1400008, LOAD | NT, XI, KS, 2},           /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xfff0800c, 0xa1408000, LOAD, XI, KS, 4},                /* ld1b ld1h ld1w ld1d */
	{0xfff0800c, 0xa1408008, LOAD | NT, XI, KS, 4},           /* ldnt1b ldnt1h ldnt1w ldnt1d */
	{0xfff08008, 0xa1600000, STORE, XI, KS, 2},               /* st1b st1h st1w st1d */
	{0xfff08008, 0xa1600008, STORE | NT, XI, KS, 2},          /* stnt1b stnt1h stnt1w stnt1d */
	{0xfff0800c, 0xa1608000, STORE, XI, KS, 4},               /* st1b st1h st1w st1d */
	{0xfff0800c, 0xa1608008, STORE | NT, XI, KS, 4},          /* stnt1b stnt1h stnt1w stnt1d */
	{0xfe60e000, 0xa4000000, LOAD | REP, XXQ, M, 1},          /* ld1rqb ld1rqd ld1rqh ld1rqw */
	{0xfe70e000, 0xa4002000, LOAD | REP, XQ, M, 1},           /* ld1rqb ld1rqd ld1rqh ld1rqw */
	{0xfe00e000, 0xa4004000, LOAD, XX30, D, 1},               /* ld1b ld1sb ld1h ld1w ld1sh ld1d */
	{0xfe00e000, 0xa4006000, LOAD | FF, XX, D, 1},            /* ldff1b ldff1sb ldff1h ldff1w … */
	{0xfe10e000, 0xa400a000, LOAD, XI, D, 1},                 /* ld1b ld1sb ld1h ld1w ld1sh ld1d */
	{0xfe60e000, 0xa400c000, LOAD | NT, XX30, M, 1},          /* ldnt1b ldnt1d ldnt1h ldnt1w */
	{0xfe70e000, 0xa400e000, LOAD | NT, XI, M, 1},            /* ldnt1b ldnt1d ldnt1h ldnt1w */
	{0xfe10e000, 0xa410a000, LOAD | NF, XI, D, 1},            /* ldnf1b ldnf1sb ldnf1h ldnf1w … */
	{0xfe60e000, 0xa4200000, LOAD | REP, XXO, M, 1},          /* ld1rob ld1rod ld1roh ld1row */
	{0xfe70e000, 0xa4202000, LOAD | REP, XO, M, 1},           /* ld1rob ld1rod ld1roh ld1row */
	{0xfe60e000, 0xa420c000, LOAD | STRUCT, XX30, M, 2},      /* ld2b ld2d ld2h ld2w */
	{0xfe70e000, 0xa420e000, LOAD | STRUCT, XI, M, 2},        /* ld2b ld2d ld2h ld2w */
	{0xfe60e000, 0xa440c000, LOAD | STRUCT, XX30, M, 3},      /* ld3b ld3d ld3h ld3w */
	{0xfe70e000, 0xa440e000, LOAD | STRUCT, XI, M, 3},        /* ld3b ld3d ld3h ld3w */
	{0xfe60e000, 0xa460c000, LOAD | STRUCT, XX30, M, 4},      /* ld4b ld4d ld4h ld4w */
	{0xfe70e000, 0xa460e000, LOAD | STRUCT, XI, M, 4},        /* ld4b ld4d ld4h ld4w */
	{0xfff0e000, 0xa490e000, LOAD | STRUCT, XI, QQ, 2},       /* ld2q */
	{0xffe0e000, 0xa4a08000, LOAD | STRUCT, XX30, QQ, 2},     /* ld2q */
	{0xffe0e000, 0xa5008000, LOAD, XX30, WQ, 1},              /* ld1w */
	{0xfff0e000, 0xa5102000, LOAD, XI, WQ, 1},                /* ld1w */
	{0xfff0e000, 0xa510e000, LOAD | STRUCT, XI, QQ, 3},       /* ld3q */
	{0xffe0e000, 0xa5208000, LOAD | STRUCT, XX30, QQ, 3},     /* ld3q */
	{0xffe0e000, 0xa5808000, LOAD, XX30, DQ, 1},              /* ld1d */
	{0xfff0e000, 0xa5902000, LOAD, XI, DQ, 1},                /* ld1d */
	{0xfff0e000, 0xa590e000, LOAD | STRUCT, XI, QQ, 4},       /* ld4q */
	{0xffe0e000, 0xa5a08000, LOAD | STRUCT, XX30, QQ, 4},     /* ld4q */
	{0xfee0a000, 0xc4000000, LOAD, XU, G, 1},                 /* ld1sb ld1w ld1b ld1sw */
	{0xff60a000, 0xc4000000, LOAD, XU, G, 1},                 /* ld1sb ld1h ld1sh ld1b */
	{0xfee0a000, 0xc4002000, LOAD | FF, XU, G, 1},            /* ldff1sb ldff1w ldff1b ldff1sw */
	{0xff60a000, 0xc4002000, LOAD | FF, XU, G, 1},            /* ldff1sb ldff1h ldff1sh ldff1b */
	{0xfe60e000, 0xc4004000, LOAD, XU, G, 1},                 /* ld1b ld1d ld1h ld1w */
	{0xfe60e000, 0xc4006000, LOAD | FF, XU, G, 1},            /* ldff1b ldff1d ldff1h ldff1w */
	{0xfee0a000, 0xc4008000, LOAD | NT, ZX, G, 1},            /* ldnt1sb ldnt1w ldnt1b ldnt1sw */
	{0xff60a000, 0xc4008000, LOAD | NT, ZX, G, 1},            /* ldnt1sb ldnt1h ldnt1sh ldnt1b */
	{0xffe0e000, 0xc400a000, LOAD, ZX, QQ, 1},                /* ld1q */
	{0xfe60e000, 0xc400c000, LOAD | NT, ZX, G, 1},            /* ldnt1b ldnt1d ldnt1h ldnt1w */
	{0xfe60e010, 0xc400e000, PREFETCH, ZI, NO_SIZES, 1},      /* prfb prfd prfh prfw */
	{0xffe0e010, 0xc4200000, PREFETCH, XZ, NO_SIZES, 1},      /* prfb */
	{0xffe0a010, 0xc4202000, PREFETCH, XZ, NO_SIZES, 1},      /* prfh prfd */
	{0xffe0c010, 0xc4204000, PREFETCH, XZ, NO_SIZES, 1},      /* prfw prfd */
	{0xfee0a000, 0xc4208000, LOAD, ZI, G, 1},                 /* ld1sb ld1w ld1b ld1sw */
	{0xff60a000, 0xc4208000, LOAD, ZI, G, 1},                 /* ld1sb ld1h ld1sh ld1b */
	{0xfee0a000, 0xc420a000, LOAD | FF, ZI, G, 1},            /* ldff1sb ldff1w ldff1b ldff1sw */
	{0xff60a000, 0xc420a000, LOAD | FF, ZI, G, 1},            /* ldff1sb ldff1h ldff1sh ldff1b */
	{0xfe60e000, 0xc420c000, LOAD, ZI, G, 1},                 /* ld1b ld1d ld1h ld1w */
	{0xfe60e000, 0xc420e000, LOAD | FF, ZI, G, 1},            /* ldff1b ldff1d ldff1h ldff1w */
	{0xfee0a000, 0xc4400000, LOAD, XS, G, 1},                 /* ld1sb ld1w ld1b ld1sw */
	{0xff60a000, 0xc4400000, LOAD, XS, G, 1},                 /* ld1sb ld1h ld1sh ld1b */
	{0xfee0a000, 0xc4402000, LOAD | FF, XS, G, 1},            /* ldff1sb ldff1w ldff1b ldff1sw */
	{0xff60a000, 0xc4402000, LOAD | FF, XS, G, 1},            /* ldff1sb ldff1h ldff1sh ldff1b */
	{0xfe60e000, 0xc4404000, LOAD, XS, G, 1},                 /* ld1b ld1d ld1h ld1w */
	{0xfe60e000, 0xc4406000, LOAD | FF, XS, G, 1},            /* ldff1b ldff1d ldff1h ldff1w */
	{0xfee0a000, 0xc4408000, LOAD, XZ, G, 1},                 /* ld1sb ld1w ld1b ld1sw */
	{0xff60a000, 0xc4408000, LOAD, XZ, G, 1},                 /* ld1sb ld1h ld1sh ld1b */
	{0xfee0a000, 0xc440a000, LOAD | FF, XZ, G, 1},            /* ldff1sb ldff1w ldff1b ldff1sw */
	{0xff60a000, 0xc440a000, LOAD | FF, XZ, G, 1},            /* ldff1sb ldff1h ldff1sh ldff1b */
	{0xfe60e000, 0xc440c000, LOAD, XZ, G, 1},                 /* ld1b ld1d ld1h ld1w */
	{0xfe60e000, 0xc440e000, LOAD | FF, XZ, G, 1},            /* ldff1b ldff1d ldff1h ldff1w */
	{0xffe0e010, 0xc4600000, PREFETCH, XZ, NO_SIZES, 1},      /* prfb */
	{0xffe0a010, 0xc4602000, PREFETCH, XZ, NO_SIZES, 1},      /* prfh prfd */
	{0xffe0c010, 0xc4604000, PREFETCH, XZ, NO_SIZES, 1},      /* prfw prfd */
	{0xffe0e010, 0xc4608000, PREFETCH, XZ, NO_SIZES, 1},      /* prfb */
	{0xffe0a010, 0xc460a000, PREFETCH, XZ, NO_SIZES, 1},      /* prfh prfd */
	{0xffe0c010, 0xc460c000, PREFETCH, XZ, NO_SIZES, 1},      /* prfw prfd */
	{0xffe0a000, 0xc4a00000, LOAD, XUS, G, 1},                /* ld1sh ld1h */
	{0xffe0a000, 0xc4a02000, LOAD | FF, XUS, G, 1},           /* ldff1sh ldff1h */
	{0xffe0a000, 0xc4e00000, LOAD, XSS, G, 1},                /* ld1sh ld1h */
	{0xffe0a000, 0xc4e02000, LOAD | FF, XSS, G, 1},           /* ldff1sh ldff1h */
	{0xffe0a000, 0xc4e08000, LOAD, XZS, G, 1},                /* ld1sh ld1h */
	{0xffe0a000, 0xc4e0a000, LOAD | FF, XZS, G, 1},           /* ldff1sh ldff1h */
	{0xffe0a000, 0xc5200000, LOAD, XUS, G, 1},                /* ld1sw ld1w */
	{0xffe0a000, 0xc5202000, LOAD | FF, XUS, G, 1},           /* ldff1sw ldff1w */
	{0xff60e000, 0xc5204000, LOAD, XUS, G, 1},                /* ld1w ld1d */
	{0xff60e000, 0xc5206000, LOAD | FF, XUS, G, 1},           /* ldff1w ldff1d */
	{0xffe0a000, 0xc5600000, LOAD, XSS, G, 1},                /* ld1sw ld1w */
	{0xffe0a000, 0xc5602000, LOAD | FF, XSS, G, 1},           /* ldff1sw ldff1w */
	{0xff60e000, 0xc5604000, LOAD, XSS, G, 1},                /* ld1w ld1d */
	{0xff60e000, 0xc5606000, LOAD | FF, XSS, G, 1},           /* ldff1w ldff1d */
	{0xffe0a000, 0xc5608000, LOAD, XZS, G, 1},                /* ld1sw ld1w */
	{0xffe0a000, 0xc560a000, LOAD | FF, XZS, G, 1},           /* ldff1sw ldff1w */
	{0xff60e000, 0xc560c000, LOAD, XZS, G, 1},                /* ld1w ld1d */
	{0xff60e000, 0xc560e000, LOAD | FF, XZS, G, 1},           /* ldff1w ldff1d */
	{0xff200010, 0xe0000000, LOAD, SLICE, A, 1},              /* ld1b ld1h ld1w ld1d */
	{0xff200010, 0xe0200000, STORE, SLICE, A, 1},             /* st1b st1h st1w st1d */
	{0xffff9c10, 0xe1000000, LOAD, ZA, NO_SIZES, 1},          /* ldr */
	{0xfffffc1f, 0xe11f8000, LOAD, ZT, NO_SIZES, 1},          /* ldr */
	{0xffff9c10, 0xe1200000, STORE, ZA, NO_SIZES, 1},         /* str */
	{0xfffffc1f, 0xe13f8000, STORE, ZT, NO_SIZES, 1},         /* str */
	{0xffe00010, 0xe1c00000, LOAD, SLICE, QQ, 1},             /* ld1q */
	{0xffe00010, 0xe1e00000, STORE, SLICE, QQ, 1},            /* st1q */
	{0xfe60e000, 0xe4002000, STORE | NT, ZX, G, 1},           /* stnt1b stnt1d stnt1h stnt1w */
	{0xff80e000, 0xe4004000, STORE, XX30, T, 1},              /* st1b */
	{0xfe60e000, 0xe4006000, STORE | NT, XX30, M, 1},         /* stnt1b stnt1d stnt1h stnt1w */
	{0xfe60e000, 0xe4008000, STORE, XU, G, 1},                /* st1b st1d st1h st1w */
	{0xfe60e000, 0xe400a000, STORE, XZ, G, 1},                /* st1b st1d st1h st1w */
	{0xfe60e000, 0xe400c000, STORE, XS, G, 1},                /* st1b st1d st1h st1w */
	{0xff90e000, 0xe400e000, STORE, XI, T, 1},                /* st1b */
	{0xfe70e000, 0xe410e000, STORE | NT, XI, M, 1},           /* stnt1b stnt1d stnt1h stnt1w */
	{0xffe0e000, 0xe4202000, STORE, ZX, QQ, 1},               /* st1q */
	{0xff20e000, 0xe4204000, STORE, XX30, T, 1},              /* st1b st1h */
	{0xfe60e000, 0xe4206000, STORE | STRUCT, XX30, M, 2},     /* st2b st2d st2h st2w */
	{0xff30e000, 0xe420e000, STORE, XI, T, 1},                /* st1b st1h */
	{0xfe70e000, 0xe430e000, STORE | STRUCT, XI, M, 2},       /* st2b st2d st2h st2w */
	{0xfff0e000, 0xe4400000, STORE | STRUCT, XI, QQ, 2},      /* st2q */
	{0xfee0e000, 0xe4402000, STORE | NT, ZX, S, 1},           /* stnt1b stnt1w */
	{0xff60e000, 0xe4402000, STORE | NT, ZX, S, 1},           /* stnt1b stnt1h */
	{0xfec0e000, 0xe4404000, STORE, XX30, T, 1},              /* st1b st1w */
	{0xff40e000, 0xe4404000, STORE, XX30, T, 1},              /* st1b st1h */
	{0xfe60e000, 0xe4406000, STORE | STRUCT, XX30, M, 3},     /* st3b st3d st3h st3w */
	{0xfee0e000, 0xe4408000, STORE, XU, S, 1},                /* st1b st1w */
	{0xff60e000, 0xe4408000, STORE, XU, S, 1},                /* st1b st1h */
	{0xfe60e000, 0xe440a000, STORE, ZI, G, 1},                /* st1b st1d st1h st1w */
	{0xfee0e000, 0xe440c000, STORE, XS, S, 1},                /* st1b st1w */
	{0xff60e000, 0xe440c000, STORE, XS, S, 1},                /* st1b st1h */
	{0xfed0e000, 0xe440e000, STORE, XI, T, 1},                /* st1b st1w */
	{0xff50e000, 0xe440e000, STORE, XI, T, 1},                /* st1b st1h */
	{0xfe70e000, 0xe450e000, STORE | STRUCT, XI, M, 3},       /* st3b st3d st3h st3w */
	{0xffe0e000, 0xe4600000, STORE | STRUCT, XX30, QQ, 2},    /* st2q */
	{0xfe60e000, 0xe4604000, STORE, XX30, T, 1},              /* st1b st1d st1h st1w */
	{0xfe60e000, 0xe4606000, STORE | STRUCT, XX30, M, 4},     /* st4b st4d st4h st4w */
	{0xfee0e000, 0xe460a000, STORE, ZI, S, 1},                /* st1b st1w */
	{0xff60e000, 0xe460a000, STORE, ZI, S, 1},                /* st1b st1h */
	{0xfe70e000, 0xe460e000, STORE, XI, T, 1},                /* st1b st1d st1h st1w */
	{0xfe70e000, 0xe470e000, STORE | STRUCT, XI, M, 4},       /* st4b st4d st4h st4w */
	{0xfff0e000, 0xe4800000, STORE | STRUCT, XI, QQ, 3},      /* st3q */
	{0xffe0e000, 0xe4a00000, STORE | STRUCT, XX30, QQ, 3},    /* st3q */
	{0xfee0e000, 0xe4a08000, STORE, XUS, G, 1},               /* st1h st1d */
	{0xfee0e000, 0xe4a0a000, STORE, XZS, G, 1},               /* st1h st1d */
	{0xfee0e000, 0xe4a0c000, STORE, XSS, G, 1},               /* st1h st1d */
	{0xfff0e000, 0xe4c00000, STORE | STRUCT, XI, QQ, 4},      /* st4q */
	{0xffe0e000, 0xe4e00000, STORE | STRUCT, XX30, QQ, 4},    /* st4q */
	{0xffe0e000, 0xe4e08000, STORE, XUS, S, 1},               /* st1h */
	{0xffe0e000, 0xe4e0c000, STORE, XSS, S, 1},               /* st1h */
	{0xffe0e000, 0xe5004000, STORE, XX30, WQ, 1},             /* st1w */
	{0xfff0e000, 0xe500e000, STORE, XI, WQ, 1},               /* st1w */
	{0xff60e000, 0xe5208000, STORE, XUS, G, 1},               /* st1w st1d */
	{0xff60e000, 0xe520a000, STORE, XZS, G, 1},               /* st1w st1d */
	{0xff60e000, 0xe520c000, STORE, XSS, G, 1},               /* st1w st1d */
	{0xffe0e000, 0xe5608000, STORE, XUS, S, 1},               /* st1w */
	{0xffe0e000, 0xe560c000, STORE, XSS, S, 1},               /* st1w */
	{0xffc0e010, 0xe5800000, STORE, RP, NO_SIZES, 1},         /* str */
	{0xffc0e000, 0xe5804000, STORE, RZ, NO_SIZES, 1},         /* str */
	{0xffe0e000, 0xe5c04000, STORE, XX30, DQ, 1},             /* st1d */
	{0xfff0e000, 0xe5c0e000, STORE, XI, DQ, 1},               /* st1d */
};

/* Bytes in memory and in the lane as powers of two, and 8 when signed: by dtype. */
static const uint8_t dtypes[16][2] = {
	{0, 0},     {0, 1},     {0, 2}, {0, 3}, {2, 3 | 8}, {1, 1},     {1, 2},     {1, 3},
	{1, 3 | 8}, {1, 2 | 8}, {2, 2}, {2, 3}, {0, 3 | 8}, {0, 2 | 8}, {0, 1 | 8}, {3, 3}};

static void set_sizes(uint32_t encoding, const struct row *row, struct isa_arm64_access *access)
{
	unsigned msz = encoding >> 23 & 3, lane = msz;
	bool is_signed = false;
	const uint8_t *dtype = NULL;
	switch (row->sizes) {
	case D:
		dtype = dtypes[encoding >> 21 & 15];
		break;
	case R:
		dtype = dtypes[(encoding >> 21 & 12) | (encoding >> 13 & 3)];
		break;
	case G:
	case S:
		lane = row->sizes == G ? 3 : 2;
		/* loads of bytes, halfwords or words; ldnt1 of words has the bit elsewhere */
		is_signed =
			row->flags & LOAD && !(encoding >> (row->sizes == S && row->flags & NT ? 13 : 14) & 1);
		break;
	case T:
		lane = encoding >> 21 & 3;
		break;
	case K:
	case KS:
		msz = lane = encoding >> 13 & 3;
		break;
	case A:
		msz = lane = encoding >> 22 & 3;
		break;
	case WQ:
	case DQ:
	case QQ:
		msz = row->sizes - WQ + 2u;
		lane = 4;
		break;
	default:
		break;
	}
	if (dtype) {
		msz = dtype[0];
		lane = dtype[1] & 7;
		is_signed = dtype[1] & 8;
	}
	access->element = (uint8_t)(1u << msz);
	access->lane = (uint8_t)(1u << lane);
	access->flags |= is_signed ? ISA_ARM64_SIGNED : 0;
}

static void set_registers(uint32_t encoding, const struct row *row, struct isa_arm64_access *access)
{
	unsigned first = encoding & 31, step = 1;
	if (row->sizes == K)
		first &= row->n == 2 ? 30 : 28;
	if (row->sizes == KS) {
		step = row->n == 2 ? 8 : 4;
		first &= 16 | (step - 1);
	}
	access->bank = ISA_ARM64_Z;
	access->n_regs = row->n;
	for (unsigned i = 0; i < row->n; i++)
		access->regs[i] = (first + i * step) & 31;
	access->predicate =
		(uint8_t)((encoding >> 10 & 7) + (row->sizes == K || row->sizes == KS ? 8 : 0));
}

/* A whole register, or a part of ZA. */
static void set_whole(uint32_t encoding, const struct row *row, struct isa_arm64_access *access)
{
	access->n_regs = 1;
	access->predicate = ISA_ARM64_NO_REG;
	access->element = access->lane = 1;
	access->flags |= ISA_ARM64_VL | ISA_ARM64_IMM_VL;
	switch (row->form) {
	case RZ:
	case RP:
		access->bank = row->form == RZ ? ISA_ARM64_Z : ISA_ARM64_P;
		access->regs[0] = (uint8_t)(encoding & (row->form == RZ ? 31u : 15u));
		access->lane = row->form == RZ ? 1 : 8; /* a predicate has a bit for each byte */
		access->imm = isa_sign((encoding >> 13 & 0x1f8) | (encoding >> 10 & 7), 9);
		break;
	case ZA:
		access->bank = ISA_ARM64_ZA;
		access->regs[0] = 12 + (encoding >> 13 & 3); /* the register that chooses the row */
		access->imm = encoding & 15;
		break;
	case ZT:
		access->bank = ISA_ARM64_ZT;
		access->regs[0] = 0;
		access->elements = 64;
		access->flags &= ~(uint32_t)(ISA_ARM64_VL | ISA_ARM64_IMM_VL);
		break;
	default:
		break;
	}
}

static void add_index(struct isa_arm64_access *access, unsigned kind, uint32_t encoding,
                      unsigned extend, bool scaled)
{
	access->index_kind = (uint8_t)kind;
	access->index = encoding >> 16 & 31;
	access->extend = (uint8_t)extend;
	access->shift = scaled ? (uint8_t)__builtin_ctz(access->element) : 0;
	if (kind == ISA_ARM64_INDEX_Z)
		access->flags |= ISA_ARM64_GATHER;
}

static void set_address(uint32_t encoding, const struct row *row, struct isa_arm64_access *access)
{
	int64_t imm4 = isa_sign(encoding >> 16 & 15, 4);
	bool scaled = row->form == XZS || row->form == XUS || row->form == XSS;
	switch (row->form) {
	case XX:
	case XX30:
	case XXQ:
	case XXO:
	case SLICE:
		add_index(access, ISA_ARM64_INDEX_X, encoding, ISA_ARM64_LSL, true);
		break;
	case XI:
		access->imm = imm4 * row->n;
		access->flags |= ISA_ARM64_IMM_VL;
		break;
	case XQ:
		access->imm = 16 * imm4;
		break;
	case XO:
		access->imm = 32 * imm4;
		break;
	case XR:
		access->imm = (int64_t)(encoding >> 16 & 63) * access->element;
		break;
	case XZ:
	case XZS:
		add_index(access, ISA_ARM64_INDEX_Z, encoding, ISA_ARM64_LSL, scaled);
		break;
	case XU:
	case XUS:
		add_index(access, ISA_ARM64_INDEX_Z, encoding, ISA_ARM64_UXTW, scaled);
		break;
	case XS:
	case XSS:
		add_index(access, ISA_ARM64_INDEX_Z, encoding, ISA_ARM64_SXTW, scaled);
		break;
	case ZI:
		access->imm = (int64_t)(encoding >> 16 & 31) * access->element;
		break;
	case ZX:
		add_index(access, ISA_ARM64_INDEX_X, encoding, ISA_ARM64_LSL, false);
		break;
	default:
		break;
	}
	if (row->form == ZI || row->form == ZX) {
		access->base_kind = ISA_ARM64_BASE_Z;
		access->flags |= ISA_ARM64_GATHER;
	}
}

/* Which registers make the address; what is added to it is not told. */
static void set_prefetch(uint32_t enc, const struct row *row, struct isa_arm64_access *memory)
{
	memory->predicate = (uint8_t)(enc >> 10 & 7);
	if (row->form == ZI)
		memory->base_kind = ISA_ARM64_BASE_Z;
	else if (row->form == XX30)
		add_index(memory, ISA_ARM64_INDEX_X, enc, ISA_ARM64_LSL, false);
	else if (row->form == XZ)
		add_index(memory, ISA_ARM64_INDEX_Z, enc, ISA_ARM64_LSL, false);
}

bool isa_arm64_vector_access(uint32_t encoding, struct isa_arm64_access *access)
{
	const struct row *row = rows, *end = rows + sizeof rows / sizeof *rows;
	while (row < end && (encoding & row->mask) != row->match)
		row++;
	bool refused = row == end || (encoding >> 16 & 31) == 31;
	if (row == end || (refused && (row->form == XX30 || row->form == XXQ || row->form == XXO)))
		return false;
	access->flags = row->flags;
	access->base = encoding >> 5 & 31;
	if (row->flags & PREFETCH) {
		set_prefetch(encoding, row, access);
		return true;
	}
	if (row->form >= RZ && row->form != SLICE) {
		set_whole(encoding, row, access);
		return true;
	}
	set_sizes(encoding, row, access);
	set_registers(encoding, row, access);
	set_address(encoding, row, access);
	if (row->form == SLICE)
		access->bank = ISA_ARM64_ZA;
	if (row->flags & REP)
		access->elements =
			(uint8_t)(row->form == XR
		                  ? 1
		                  : (row->form == XQ || row->form == XXQ ? 16 : 32) / access->element);
	else
		access->flags |= ISA_ARM64_VL;
	return true;
}

/* ---- the rest ---- */

static const struct {
	uint8_t cls;
	uint32_t traits;
} kinds[] = {
#define TRAIT(x) CAIRN_TRAIT_##x
#define MEANING(name, cls, traits) [name] = {CAIRN_CLASS_##cls, traits},
	ISA_ARM64_KINDS(MEANING, TRAIT)
#undef MEANING
#undef TRAIT
};

bool isa_arm64_vector_class(uint32_t encoding, uint8_t *cls, uint32_t *traits)
{
	unsigned group = encoding >> 25 & 15;
	const struct isa_arm64_rows *table = group == 2   ? &isa_arm64_sve_rows
	                                     : group == 0 ? &isa_arm64_sme_rows
	                                                  : &isa_arm64_simd_rows;
	if ((encoding & 0xff3c0000) == 0x05000000 &&
	    !isa_arm64_bitmask(encoding >> 17 & 1, encoding >> 5 & 63))
		return false;
	for (size_t i = 0; i < table->n; i++) {
		const struct isa_arm64_row *row = &table->row[i];
		if ((encoding & row->mask) == row->match) {
			*cls = kinds[row->kind].cls;
			*traits = kinds[row->kind].traits;
			return true;
		}
	}
	return false;
}
