/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What SPARC instructions do, against QEMU (fixtures/exec_cases.h), and what no program of QEMU's
 * shows: traps, couples of transfers, windows that are not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/exec_cases.h"
#include "isa/sparc.h"

enum {
	G1 = 1,
	G2 = 2,
	TEMPORARY = 4, /* %g4 */
	OPERANDS = 5,
	RESULTS = 6,
	O7 = 15,
	BASE = 16,    /* %l0: the middle of the scratch memory */
	INDEX = 17,   /* %l1: a multiple of 64 */
	PC = 18,      /* %l2: of the instruction before, for jumps */
	DIVISOR = 19, /* %l3: not 0 in 32 bits */
	TAGGED = 20,  /* %l4, %l5: small, lowest two bits 0 */
	FOUND = 22,   /* %l6: what memory holds, for compare and swap */
	SP = 14
};

/* ---- encodings by mnemonic ---- */

enum { MOST_NAMES = 700 };

static struct exec_mnemonic names[MOST_NAMES];
static uint32_t bases[MOST_NAMES];
static size_t n_names;

static void add_name(const char *prefix, const char *name, uint32_t base)
{
	assert_true(n_names < MOST_NAMES);
	struct exec_mnemonic *to = &names[n_names];
	snprintf(to->name, sizeof to->name, "%s%s", prefix, name);
	to->size = 4;
	bases[n_names] = base;
	to->bases = &bases[n_names++];
	to->n_bases = 1;
}

static const char *const integer_conditions[16] = {"n", "e",  "le", "l",  "leu", "cs", "neg", "vs",
                                                   "a", "ne", "g",  "ge", "gu",  "cc", "pos", "vc"};
static const char *const number_conditions[16] = {"n", "ne", "lg", "ul", "l",   "ug", "g",   "u",
                                                  "a", "e",  "ue", "ge", "uge", "le", "ule", "o"};
static const char *const register_conditions[8] = {NULL, "z", "lez", "lz", NULL, "nz", "gz", "gez"};

/* op 2 by op3, op 3 by op3. */
static const char *const arithmetic[64] = {
	"add",    "and",    "or",       "xor",      "sub",    "andn",    "orn",    "xnor",
	"addc",   "mulx",   "umul",     "smul",     "subc",   "udivx",   "udiv",   "sdiv",
	"addcc",  "andcc",  "orcc",     "xorcc",    "subcc",  "andncc",  "orncc",  "xnorcc",
	"addccc", NULL,     "umulcc",   "smulcc",   "subccc", NULL,      "udivcc", "sdivcc",
	"taddcc", "tsubcc", "taddcctv", "tsubcctv", "mulscc", "sll",     "srl",    "sra",
	"rd",     NULL,     NULL,       "flushw",   NULL,     "sdivx",   "popc",   NULL,
	"wr",     NULL,     NULL,       NULL,       NULL,     NULL,      NULL,     NULL,
	"jmpl",   "return", NULL,       NULL,       "save",   "restore", NULL,     NULL};
static const char *const memories[64] = {"lduw",
                                         "ldub",
                                         "lduh",
                                         "ldd",
                                         "stw",
                                         "stb",
                                         "sth",
                                         "std",
                                         "ldsw",
                                         "ldsb",
                                         "ldsh",
                                         "ldx",
                                         NULL,
                                         "ldstub",
                                         "stx",
                                         "swap",
                                         "lduwa",
                                         "lduba",
                                         "lduha",
                                         "ldda",
                                         "stwa",
                                         "stba",
                                         "stha",
                                         "stda",
                                         "ldswa",
                                         "ldsba",
                                         "ldsha",
                                         "ldxa",
                                         NULL,
                                         "ldstuba",
                                         "stxa",
                                         "swapa",
                                         [0x20] = "ldf",
                                         [0x21] = "ldfsr",
                                         [0x22] = "ldqf",
                                         [0x23] = "lddf",
                                         [0x24] = "stf",
                                         [0x25] = "stfsr",
                                         [0x26] = "stqf",
                                         [0x27] = "stdf",
                                         [0x30] = "ldfa",
                                         [0x32] = "ldqfa",
                                         [0x33] = "lddfa",
                                         [0x34] = "stfa",
                                         [0x36] = "stqfa",
                                         [0x37] = "stdfa",
                                         [0x2d] = "prefetch",
                                         [0x3c] = "casa",
                                         [0x3e] = "casxa"};

/* floating point, by op3 and opf; numbers at rs1, rs2 and rd: s, d, q, or none */
static const struct {
	uint16_t op3, opf;
	const char *name, *kinds;
} numbers[] = {
	{0x34, 0x01, "fmovs", "-ss"},
	{0x34, 0x02, "fmovd", "-dd"},
	{0x34, 0x05, "fnegs", "-ss"},
	{0x34, 0x06, "fnegd", "-dd"},
	{0x34, 0x09, "fabss", "-ss"},
	{0x34, 0x0a, "fabsd", "-dd"},
	{0x34, 0x29, "fsqrts", "-ss"},
	{0x34, 0x2a, "fsqrtd", "-dd"},
	{0x34, 0x41, "fadds", "sss"},
	{0x34, 0x42, "faddd", "ddd"},
	{0x34, 0x45, "fsubs", "sss"},
	{0x34, 0x46, "fsubd", "ddd"},
	{0x34, 0x49, "fmuls", "sss"},
	{0x34, 0x4a, "fmuld", "ddd"},
	{0x34, 0x4d, "fdivs", "sss"},
	{0x34, 0x4e, "fdivd", "ddd"},
	{0x34, 0x69, "fsmuld", "ssd"},
	{0x34, 0x81, "fstox", "-sd"},
	{0x34, 0x82, "fdtox", "-dd"},
	{0x34, 0xd1, "fstoi", "-ss"},
	{0x34, 0xd2, "fdtoi", "-ds"},
	{0x34, 0x84, "fxtos", "-ds"},
	{0x34, 0x88, "fxtod", "-dd"},
	{0x34, 0xc4, "fitos", "-ss"},
	{0x34, 0xc8, "fitod", "-sd"},
	{0x34, 0xc6, "fdtos", "-ds"},
	{0x34, 0xc9, "fstod", "-sd"},
	{0x35, 0x51, "fcmps", "ss-"},
	{0x35, 0x52, "fcmpd", "dd-"},
	{0x35, 0x55, "fcmpes", "ss-"},
	{0x35, 0x56, "fcmped", "dd-"},
	{0x34, 0x03, "fmovq", "-qq"},
	{0x34, 0x07, "fnegq", "-qq"},
	{0x34, 0x0b, "fabsq", "-qq"},
	{0x34, 0x2b, "fsqrtq", "-qq"},
	{0x34, 0x43, "faddq", "qqq"},
	{0x34, 0x47, "fsubq", "qqq"},
	{0x34, 0x4b, "fmulq", "qqq"},
	{0x34, 0x4f, "fdivq", "qqq"},
	{0x34, 0x6e, "fdmulq", "ddq"},
	{0x34, 0x83, "fqtox", "-qd"},
	{0x34, 0xd3, "fqtoi", "-qs"},
	{0x34, 0x8c, "fxtoq", "-dq"},
	{0x34, 0xcc, "fitoq", "-sq"},
	{0x34, 0xc7, "fqtos", "-qs"},
	{0x34, 0xcb, "fqtod", "-qd"},
	{0x34, 0xcd, "fstoq", "-sq"},
	{0x34, 0xce, "fdtoq", "-dq"},
	{0x35, 0x53, "fcmpq", "qq-"},
	{0x35, 0x57, "fcmpeq", "qq-"},
	/* VIS: x is an integer register */
	{0x36, 0x00, "edge8cc", "xxx"},
	{0x36, 0x01, "edge8n", "xxx"},
	{0x36, 0x02, "edge8lcc", "xxx"},
	{0x36, 0x03, "edge8ln", "xxx"},
	{0x36, 0x04, "edge16cc", "xxx"},
	{0x36, 0x05, "edge16n", "xxx"},
	{0x36, 0x06, "edge16lcc", "xxx"},
	{0x36, 0x07, "edge16ln", "xxx"},
	{0x36, 0x08, "edge32cc", "xxx"},
	{0x36, 0x09, "edge32n", "xxx"},
	{0x36, 0x0a, "edge32lcc", "xxx"},
	{0x36, 0x0b, "edge32ln", "xxx"},
	{0x36, 0x10, "array8", "xxx"},
	{0x36, 0x12, "array16", "xxx"},
	{0x36, 0x14, "array32", "xxx"},
	{0x36, 0x18, "alignaddr", "xxx"},
	{0x36, 0x19, "bmask", "xxx"},
	{0x36, 0x1a, "alignaddrl", "xxx"},
	{0x36, 0x20, "fcmple16", "ddx"},
	{0x36, 0x22, "fcmpne16", "ddx"},
	{0x36, 0x24, "fcmple32", "ddx"},
	{0x36, 0x26, "fcmpne32", "ddx"},
	{0x36, 0x28, "fcmpgt16", "ddx"},
	{0x36, 0x2a, "fcmpeq16", "ddx"},
	{0x36, 0x2c, "fcmpgt32", "ddx"},
	{0x36, 0x2e, "fcmpeq32", "ddx"},
	{0x36, 0x31, "fmul8x16", "sdd"},
	{0x36, 0x33, "fmul8x16au", "ssd"},
	{0x36, 0x35, "fmul8x16al", "ssd"},
	{0x36, 0x36, "fmul8sux16", "ddd"},
	{0x36, 0x3a, "fpack32", "ddd"},
	{0x36, 0x3b, "fpack16", "-ds"},
	{0x36, 0x3d, "fpackfix", "-ds"},
	{0x36, 0x3e, "pdist", "ddd"},
	{0x36, 0x48, "faligndata", "ddd"},
	{0x36, 0x4b, "fpmerge", "ssd"},
	{0x36, 0x4c, "bshuffle", "ddd"},
	{0x36, 0x4d, "fexpand", "-sd"},
	{0x36, 0x50, "fpadd16", "ddd"},
	{0x36, 0x51, "fpadd16s", "sss"},
	{0x36, 0x52, "fpadd32", "ddd"},
	{0x36, 0x53, "fpadd32s", "sss"},
	{0x36, 0x54, "fpsub16", "ddd"},
	{0x36, 0x55, "fpsub16s", "sss"},
	{0x36, 0x56, "fpsub32", "ddd"},
	{0x36, 0x57, "fpsub32s", "sss"},
	{0x36, 0x60, "fzero", "--d"},
	{0x36, 0x61, "fzeros", "--s"},
	{0x36, 0x62, "fnor", "ddd"},
	{0x36, 0x63, "fnors", "sss"},
	{0x36, 0x64, "fandnot2", "ddd"},
	{0x36, 0x65, "fandnot2s", "sss"},
	{0x36, 0x66, "fnot2", "-dd"},
	{0x36, 0x67, "fnot2s", "-ss"},
	{0x36, 0x68, "fandnot1", "ddd"},
	{0x36, 0x69, "fandnot1s", "sss"},
	{0x36, 0x6a, "fnot1", "d-d"},
	{0x36, 0x6b, "fnot1s", "s-s"},
	{0x36, 0x6c, "fxor", "ddd"},
	{0x36, 0x6d, "fxors", "sss"},
	{0x36, 0x6e, "fnand", "ddd"},
	{0x36, 0x6f, "fnands", "sss"},
	{0x36, 0x70, "fand", "ddd"},
	{0x36, 0x71, "fands", "sss"},
	{0x36, 0x72, "fxnor", "ddd"},
	{0x36, 0x73, "fxnors", "sss"},
	{0x36, 0x74, "fsrc1", "d-d"},
	{0x36, 0x75, "fsrc1s", "s-s"},
	{0x36, 0x76, "fornot2", "ddd"},
	{0x36, 0x77, "fornot2s", "sss"},
	{0x36, 0x78, "fsrc2", "-dd"},
	{0x36, 0x79, "fsrc2s", "-ss"},
	{0x36, 0x7a, "fornot1", "ddd"},
	{0x36, 0x7b, "fornot1s", "sss"},
	{0x36, 0x7c, "for", "ddd"},
	{0x36, 0x7d, "fors", "sss"},
	{0x36, 0x7e, "fone", "--d"},
	{0x36, 0x7f, "fones", "--s"},
};

enum { BICC = 2u << 22, BPCC = 1u << 22, FBFCC = 6u << 22, FBPFCC = 5u << 22, BPR = 3u << 22 };

static void collect(void)
{
	n_names = 0;
	add_name("", "sethi", 4u << 22);
	add_name("", "call", 1u << 30);
	for (uint32_t i = 0; i < 64; i++)
		if (arithmetic[i])
			add_name("", arithmetic[i], 2u << 30 | i << 19);
	for (uint32_t i = 0; i < 64; i++)
		if (memories[i])
			add_name("", memories[i], 3u << 30 | i << 19);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		add_name("", numbers[i].name,
		         2u << 30 | (uint32_t)numbers[i].op3 << 19 | (uint32_t)numbers[i].opf << 5);
	for (uint32_t i = 0; i < 16; i++) {
		uint32_t to = 2u << 30 | 0x35 << 19 | i << 14;
		add_name("fmovs", integer_conditions[i], to | 0x101 << 5);
		add_name("fmovd", integer_conditions[i], to | 0x102 << 5);
		add_name("fmovsf", number_conditions[i], to | 1 << 5);
		add_name("fmovdf", number_conditions[i], to | 2 << 5);
		add_name("fmovq", integer_conditions[i], to | 0x103 << 5);
		add_name("fmovqf", number_conditions[i], to | 3 << 5);
		add_name("b", integer_conditions[i], BICC | i << 25);
		add_name("bp", integer_conditions[i], BPCC | i << 25);
		add_name("fb", number_conditions[i], FBFCC | i << 25);
		add_name("fbp", number_conditions[i], FBPFCC | i << 25);
		add_name("mov", integer_conditions[i], 2u << 30 | 0x2c << 19 | 1u << 18 | i << 14);
		add_name("movf", number_conditions[i], 2u << 30 | 0x2c << 19 | i << 14);
		if (i < 8 && register_conditions[i]) {
			add_name("br", register_conditions[i], BPR | i << 25);
			add_name("fmovrs", register_conditions[i], 2u << 30 | 0x35 << 19 | i << 10 | 5 << 5);
			add_name("fmovrd", register_conditions[i], 2u << 30 | 0x35 << 19 | i << 10 | 6 << 5);
			add_name("fmovrq", register_conditions[i], 2u << 30 | 0x35 << 19 | i << 10 | 7 << 5);
			add_name("movr", register_conditions[i], 2u << 30 | 0x2f << 19 | i << 10);
		}
	}
}

/* ---- random encodings ---- */

/* What instructions have as operands, and what is written down. */
static const uint8_t integers[] = {1,  2,  3,  8,  9,  10, 11, 12, 13, 15, 16, 17, 18,
                                   19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 31};
enum { N_INTEGERS = sizeof integers, N_STATES = 6, N_NUMBERS = 16 };

static uint32_t random_integer_register(void)
{
	return random_bits() % 8 ? integers[random_bits() % N_INTEGERS] : 0;
}

static uint32_t random_number_register(char kind)
{
	uint32_t at = (uint32_t)random_bits() % N_NUMBERS;
	switch (kind) {
	case 's':
		return at;
	case 'd': /* %d0 …, %d32 … */
		return at < N_NUMBERS / 2 ? 2 * at : 2 * (at - N_NUMBERS / 2) + 1;
	case 'q': /* %q0 …, %q32 … */
		at %= N_NUMBERS / 2;
		return at < N_NUMBERS / 4 ? 4 * at : 4 * (at - N_NUMBERS / 4) + 1;
	case 'x':
		return random_integer_register();
	default:
		return 0;
	}
}

static unsigned op3_of(uint32_t base)
{
	return base >> 30 >= 2 ? base >> 19 & 63 : 64;
}

/* rs1, rs2 or a constant of 13 bits. */
static uint32_t random_operands(void)
{
	uint32_t fields = random_integer_register() << 14;
	if (random_bits() % 2)
		return fields | 1u << 13 | (random_integer() & 0x1fff);
	return fields | random_integer_register();
}

static uint32_t random_branch(uint32_t base)
{
	uint32_t annul = (uint32_t)(random_bits() & 1) << 29, predict = random_bits() & 1;
	switch (base >> 22 & 7) {
	case 1: /* %icc or %xcc */
		return base | annul | predict << 19 | (uint32_t)(random_bits() & 1) << 21 | 3;
	case 5:
		return base | annul | predict << 19 | (uint32_t)(random_bits() & 3) << 20 | 3;
	case 3:
		return base | annul | predict << 19 | random_integer_register() << 14 | 3;
	case 4:
		return base | random_integer_register() << 25 | (random_bits() & 0x3fffff);
	default:
		return base | annul | 3;
	}
}

static uint32_t random_arithmetic(uint32_t base)
{
	static const uint8_t states[] = {0, 2, 3, 5, 19, 0, 2, 3, 6};
	unsigned op3 = op3_of(base);
	uint32_t enc = base | random_integer_register() << 25 | random_operands();
	bool constant = enc >> 13 & 1;
	uint32_t state = states[random_bits() % sizeof states];
	switch (op3) {
	case 0x0d: /* quotients */
	case 0x0e:
	case 0x0f:
	case 0x1e:
	case 0x1f:
	case 0x2d:
		return constant ? enc | (enc & 0xfff ? 0 : 5) : (enc & ~31u) | DIVISOR;
	case 0x22: /* tagged that trap */
	case 0x23:
		enc = (enc & ~(31u << 14)) | TAGGED << 14;
		return constant ? enc & ~3u : (enc & ~31u) | (TAGGED + 1);
	case 0x25: /* shifts */
	case 0x26:
	case 0x27:
		enc = (enc & ~(1u << 12)) | (uint32_t)(random_bits() & 1) << 12;
		return constant ? enc & ~0xfc0u & ~(enc >> 12 & 1 ? 0u : 32u) : enc & ~0xfe0u;
	case 0x28:
		return (enc & ~0x7ffffu) | state << 14;
	case 0x2b:
		return base;
	case 0x2c: /* moves on conditions */
		enc = (base & ~(31u << 25)) | (enc & (31u << 25 | 0x27ff));
		if (!constant)
			enc &= ~0x7e0u;
		return enc | (uint32_t)(random_bits() & 3 & (base >> 18 & 1 ? 2 : 3)) << 11;
	case 0x2e:
		return enc & ~(31u << 14);
	case 0x2f:
		return (enc & ~0x1c00u) | (base & 0x1c00);
	case 0x30: /* not without floating point */
		enc = (enc & ~(31u << 25)) | state % 19 << 25;
		if (state == 5)
			return 0x80000000 | 0x30 << 19 | 1u << 13 | (random_bits() & 0xff) | 3u << 25;
		if (state == 6)
			return 0x80000000 | 0x30 << 19 | 1u << 13 | (random_bits() & 3) | 4 | 6u << 25;
		return state == 19 ? enc | 19u << 25 : enc;
	case 0x38: /* rs1 has the PC of the instruction before */
		return base | (random_integer_register() << 25) | PC << 14 | 1u << 13 | 16;
	case 0x39:
		return base | PC << 14 | 1u << 13 | 16;
	default:
		return constant ? enc : enc & ~0x1fe0u;
	}
}

static const uint8_t spaces[] = {0x80, 0x88, 0x82, 0x8a}; /* loads have all, stores the first two */
enum { N_SPACES = 4, N_STORE_SPACES = 2 };

static uint32_t random_access(uint32_t base)
{
	unsigned op3 = op3_of(base);
	struct cairn_op op;
	cairn_isa_decode(CAIRN_ISA_SPARC, base, 4, &op);
	bool pair = (op3 & 0x2f) == 3 || (op3 & 0x2f) == 7, cas = op3 == 0x3c || op3 == 0x3e;
	uint32_t rd = random_integer_register(), size = op.mem_size ? op.mem_size : 8;
	while (pair && rd & 1)
		rd = random_integer_register();
	if (op3 >= 0x20 && op3 < 0x38)
		rd = random_number_register("s-qd"[op3 & 3]);
	if ((op3 & 0x3b) == 0x21) { /* of FSR 4 or 8 bytes */
		rd = (uint32_t)random_bits() & 1;
		size = 8;
	}
	uint32_t enc = base | rd << 25 | BASE << 14;
	bool constant = random_bits() % 2;
	uint32_t space =
		spaces[random_bits() % (op.cls == CAIRN_CLASS_LOAD ? N_SPACES : N_STORE_SPACES)];
	if (op3 == 0x33 || op3 == 0x37) { /* also blocks, and bytes */
		static const uint8_t others[] = {0xd0, 0xd2, 0xd8, 0xda, 0xf0, 0xf8};
		if (!constant && random_bits() % 2)
			space = others[random_bits() % sizeof others];
		if (space >= 0xf0)
			enc = (enc & ~(31u << 25)) | (uint32_t)(random_bits() & 1) << 25;
	}
	if (cas)
		return enc | (random_bits() % 2 ? FOUND : random_integer_register()) |
		       (constant ? 1u << 13 : space << 5);
	if (constant)
		return enc | 1u << 13 | ((random_bits() & 0x3ff) * size & 0x3ff) |
		       (random_bits() % 2 ? 0x1c00 : 0);
	return enc | INDEX | (op3 & 0x10 ? space << 5 : 0);
}

static uint32_t random_operation(const struct exec_mnemonic *of)
{
	uint32_t base = of->bases[0], opf = base >> 5 & 511;
	static const char *const moves[4] = {"-dd", "-ss", "-dd", "-qq"};
	const char *kinds = moves[opf & 3];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(of->name, numbers[i].name))
			kinds = numbers[i].kinds;
	bool conditional = !strncmp(of->name, "fmovr", 5);
	uint32_t enc = base | random_number_register(kinds[1]) | random_number_register(kinds[0]) << 14;
	enc |= (kinds[2] == '-' ? (uint32_t)random_bits() & 3 : random_number_register(kinds[2])) << 25;
	/* QEMU's edges change their operands, which is argued where the result is elsewhere. */
	while (op3_of(base) == 0x36 && opf < 0x0c &&
	       ((enc >> 25 & 31) == (enc >> 14 & 31) || (enc >> 25 & 31) == (enc & 31)))
		enc = (enc & ~(31u << 25)) | random_integer_register() << 25;
	if (conditional)
		enc |= random_integer_register() << 14;
	else if (!strncmp(of->name, "fmov", 4) && of->name[5] == 'f')
		enc |= (uint32_t)(random_bits() & 3) << 11;
	else if (op3_of(base) == 0x35 && opf >= 0x100)
		enc |= (uint32_t)(random_bits() & 1) << 12;
	return enc;
}

static uint32_t random_encoding(const struct exec_target *target, const struct exec_mnemonic *of)
{
	uint32_t base = of->bases[0];
	(void)target;
	switch (base >> 30) {
	case 0:
		return random_branch(base);
	case 1:
		return base | 3;
	case 2:
		if (op3_of(base) >= 0x34 && op3_of(base) <= 0x37)
			return random_operation(of);
		return random_arithmetic(base);
	default:
		return random_access(base);
	}
}

/* ---- one program ---- */

enum {
	STATES_AT = 8 * N_INTEGERS,
	NUMBERS_AT = STATES_AT + 8 * N_STATES,
	CASE_BYTES = NUMBERS_AT + 8 * N_NUMBERS,
	CCR_AT = STATES_AT,
	Y_AT = CCR_AT + 8,
	ASI_AT = Y_AT + 8,
	GSR_AT = ASI_AT + 8,
	FPRS_AT = GSR_AT + 8,
	FSR_AT = FPRS_AT + 8
};

static void put_be(uint8_t *to, uint64_t value)
{
	exec_put_bytes(to, value, 8, true);
}

static uint64_t random_double(void)
{
	uint64_t number = random_number();
	if (random_bits() % 2)
		return number;
	return (uint64_t)(uint32_t)random_number() << 32 | (uint32_t)random_number();
}

/* A number of 128 bits near the boundaries of its format, of narrower ones, and of integers. */
static void random_quad(uint64_t words[2])
{
	enum { BIAS = 16383, MOST = 0x7fff };
	static const int16_t near[] = {0,  -126, 127, -149,   -1022, 1023,   -1074, 31,
	                               63, 52,   112, -16382, 16383, -16445, 8191,  -8191};
	uint64_t exponent = random_bits() & MOST, high = random_bits() >> 16, low = random_bits();
	if (random_bits() % 5 == 0) { /* 0, 1, infinity */
		static const uint16_t exponents[] = {0, BIAS, MOST};
		words[0] = (uint64_t)exponents[random_bits() % 3] << 48 | random_bits() << 63;
		words[1] = 0;
		return;
	}
	switch (random_bits() % 8) {
	case 0:
		exponent = 0;
		break;
	case 1:
		exponent = MOST;
		break;
	case 2:
	case 3:
	case 4:
		exponent = (uint64_t)(BIAS - 4 + near[random_bits() % 16]) + random_bits() % 8;
		exponent &= MOST;
		break;
	default:
		exponent = BIAS - 60 + random_bits() % 180;
		break;
	}
	switch (random_bits() % 8) {
	case 0:
		high = low = 0;
		break;
	case 1:
		high = UINT64_MAX >> 16;
		low = UINT64_MAX;
		break;
	case 2: /* few bits: exact, and halfway between numbers of narrower formats */
		low = 0;
		high &= UINT64_MAX << random_bits() % 48;
		break;
	case 3:
		low &= UINT64_MAX << random_bits() % 64;
		break;
	default:
		break;
	}
	words[0] = random_bits() << 63 | exponent << 48 | high;
	words[1] = low;
}

/* Does an encoding have quads as operands? */
static bool takes_quads(uint32_t enc)
{
	return enc >> 30 == 2 && (op3_of(enc) & 0x3e) == 0x34 && (enc >> 5 & 3) == 3;
}

static uint64_t random_fsr(void)
{
	return (random_bits() & UINT64_C(0x3f00000c1f)) | (random_bits() & 3) << 30 |
	       (random_bits() & 0x3e0);
}

static uint64_t random_operand(unsigned number, uint64_t middle)
{
	switch (number) {
	case BASE:
		return middle;
	case INDEX:
		return (uint64_t)((int64_t)(random_bits() % 32) - 16) * 64;
	case DIVISOR:
		return random_integer() | 1u << random_bits() % 31;
	case TAGGED:
	case TAGGED + 1:
		return (uint64_t)(int64_t)(int32_t)(random_bits() & 0x3ffffc) - 0x100000;
	default:
		return random_integer();
	}
}

static void put_operands(struct exec_program *program, uint8_t *to)
{
	uint64_t middle = EXEC_BASE + program->scratch + EXEC_MIDDLE;
	for (unsigned i = 0; i < N_INTEGERS; i++)
		put_be(to + 8 * i, random_operand(integers[i], middle));
	put_be(to + CCR_AT, random_bits() & 0xff);
	put_be(to + Y_AT, random_integer() & UINT32_MAX);
	put_be(to + ASI_AT, spaces[random_bits() % N_STORE_SPACES]);
	put_be(to + GSR_AT, random_bits() & 0xff);
	put_be(to + FPRS_AT, 4);
	put_be(to + FSR_AT, random_fsr());
	for (unsigned i = 0; i < N_NUMBERS; i++)
		put_be(to + NUMBERS_AT + 8 * i, random_double());
	size_t which = ((size_t)(to - program->bytes) - program->operands) / CASE_BYTES;
	for (unsigned i = 0; i < N_NUMBERS && takes_quads(program->encodings[which]); i += 2) {
		uint64_t words[2];
		random_quad(words);
		put_be(to + NUMBERS_AT + 8 * i, words[0]);
		put_be(to + NUMBERS_AT + 8 * i + 8, words[1]);
	}
}

/* op3 with rs1 and a constant. */
static void emit_constant(struct exec_program *program, unsigned op, unsigned op3, unsigned rd,
                          unsigned rs1, unsigned constant)
{
	exec_emit(program, op << 30 | rd << 25 | op3 << 19 | rs1 << 14 | 1u << 13 | (constant & 0x1fff),
	          4);
}

static void emit_address(struct exec_program *program, unsigned rd, size_t offset)
{
	uint32_t address = (uint32_t)(EXEC_BASE + offset);
	exec_emit(program, rd << 25 | 4u << 22 | address >> 10, 4);
	emit_constant(program, 2, 0x02, rd, rd, address & 0x3ff);
}

/* A field of rd, and double register `i` of those that are written down: %d0 …, %d32 … */
static unsigned double_field(unsigned i)
{
	unsigned number = i < N_NUMBERS / 2 ? 2 * i : 32 + 2 * (i - N_NUMBERS / 2);
	return (number & 30) | number >> 5;
}

static void load_integers(struct exec_program *program)
{
	for (unsigned i = 0; i < N_INTEGERS; i++)
		emit_constant(program, 3, 0x0b, integers[i], OPERANDS, 8 * i);
}

static void load_state(struct exec_program *program, unsigned number, unsigned at)
{
	emit_constant(program, 3, 0x0b, TEMPORARY, OPERANDS, at);
	emit_constant(program, 2, 0x30, number, TEMPORARY, 0);
}

static void store_state(struct exec_program *program, unsigned number, unsigned at)
{
	exec_emit(program, 2u << 30 | TEMPORARY << 25 | 0x28 << 19 | number << 14, 4);
	emit_constant(program, 3, 0x0e, TEMPORARY, RESULTS, at);
}

static void store_results(struct exec_program *program)
{
	store_state(program, 6, FPRS_AT);
	store_state(program, 2, CCR_AT);
	store_state(program, 0, Y_AT);
	store_state(program, 3, ASI_AT);
	store_state(program, 19, GSR_AT);
	emit_constant(program, 3, 0x25, 1, RESULTS, FSR_AT);
	for (unsigned i = 0; i < N_INTEGERS; i++)
		emit_constant(program, 3, 0x0e, integers[i], RESULTS, 8 * i);
	for (unsigned i = 0; i < N_NUMBERS; i++)
		emit_constant(program, 3, 0x27, double_field(i), RESULTS, NUMBERS_AT + 8 * i);
}

/* The encodings of the program, case by case. */
enum { MOST_CASES = 1 << 16 };
static uint32_t encodings[MOST_CASES];
static size_t n_encodings;

/* Operands into registers, the instruction, registers into results. */
static void put_case(struct exec_program *program, uint32_t enc, unsigned size)
{
	assert_true(n_encodings < MOST_CASES);
	encodings[n_encodings++] = enc;
	unsigned op3 = op3_of(enc);
	bool is_return = enc >> 30 == 2 && op3 == 0x39, jumps = enc >> 30 == 2 && op3 == 0x38;
	bool restores = enc >> 30 == 2 && op3 == 0x3d, saves = enc >> 30 == 2 && op3 == 0x3c;
	bool compares = enc >> 30 == 3 && (op3 == 0x3c || op3 == 0x3e);
	for (unsigned i = 0; i < N_NUMBERS; i++)
		emit_constant(program, 3, 0x23, double_field(i), OPERANDS, NUMBERS_AT + 8 * i);
	emit_constant(program, 3, 0x21, 1, OPERANDS, FSR_AT);
	load_state(program, 2, CCR_AT);
	load_state(program, 0, Y_AT);
	load_state(program, 3, ASI_AT);
	load_state(program, 19, GSR_AT);
	load_state(program, 6, FPRS_AT);
	load_integers(program);
	if (restores || is_return) { /* out of a window that has other values */
		emit_constant(program, 2, 0x3c, SP, SP, (unsigned)-192);
		for (unsigned i = 16; i < 24; i++)
			emit_constant(program, 3, 0x0b, i, OPERANDS, 8 * (i - 15));
	}
	if (compares)
		emit_constant(program, 3, op3 == 0x3c ? 0x00 : 0x0b, FOUND, BASE, 0);
	if (enc >> 30 == 2 && op3 == 0x36) /* a mask, too: bmask %g1, %g2, %g0 */
		exec_emit(program, 2u << 30 | 0x36 << 19 | G1 << 14 | 0x19 << 5 | G2, 4);
	if (is_return || jumps)
		exec_emit(program, 2u << 30 | PC << 25 | 0x28 << 19 | 5 << 14, 4);
	exec_emit(program, enc, size);
	emit_constant(program, 2, 0x00, G1, G1, 1); /* in the slot of branches */
	emit_constant(program, 2, 0x00, G2, G2, 1); /* left out by branches */
	store_results(program);
	if (saves)
		emit_constant(program, 2, 0x3d, 0, 0, 0);
	emit_constant(program, 2, 0x00, OPERANDS, OPERANDS, CASE_BYTES);
	emit_constant(program, 2, 0x00, RESULTS, RESULTS, CASE_BYTES);
}

/* write(1, results, …), exit(0) */
static void put_end(struct exec_program *program, size_t from, size_t n)
{
	emit_constant(program, 2, 0x02, 8, 0, 1);
	emit_address(program, 9, from);
	emit_address(program, 10, n - EXEC_BASE);
	emit_constant(program, 2, 0x02, G1, 0, 4);
	exec_emit(program, 0x91d0206d, 4); /* ta 0x6d */
	emit_constant(program, 2, 0x02, 8, 0, 0);
	emit_constant(program, 2, 0x02, G1, 0, 1);
	exec_emit(program, 0x91d0206d, 4);
}

static void put_begin(struct exec_program *program)
{
	n_encodings = 0;
	emit_address(program, OPERANDS, program->operands);
	emit_address(program, RESULTS, program->results);
}

static const char *field(unsigned at)
{
	static const char *const states[] = {"ccr", "y", "asi", "gsr", "fprs", "fsr"};
	static char name[16];
	if (at >= NUMBERS_AT)
		snprintf(name, sizeof name, "d%u",
		         (at - NUMBERS_AT) / 8 * 2 + (at - NUMBERS_AT >= 64 ? 16 : 0));
	else if (at >= STATES_AT)
		return states[(at - STATES_AT) / 8];
	else
		snprintf(name, sizeof name, "r%u", integers[at / 8]);
	return name;
}

/* ---- where QEMU is wrong ---- */

/* A value of `size` bytes in which a byte lies, as a number. */
static uint64_t value_at(const uint8_t *bytes, size_t at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[at / size * size + i];
	return value;
}

/* Is it a NaN that an operand of the case is, made quiet, and made wide? */
static bool is_nan_of_case(const struct exec_program *program, size_t block, uint64_t value,
                           unsigned size, bool widened)
{
	const uint8_t *from = program->bytes + program->operands + block * CASE_BYTES + NUMBERS_AT;
	unsigned from_size = widened ? 4 : size;
	for (unsigned i = 0; i < 8 * N_NUMBERS; i += from_size) {
		uint64_t number = value_at(from, i, from_size);
		bool wide = from_size == 8;
		if (wide ? number << 1 <= UINT64_C(0xffe) << 52
		         : (uint32_t)(number << 1) <= UINT32_C(0x1fe) << 23)
			continue;
		number |= wide ? UINT64_C(1) << 51 : UINT64_C(1) << 22;
		if (widened)
			number = number >> 31 << 63 | UINT64_C(0x7ff) << 52 | (number & 0x7fffff) << 29;
		if (number == value)
			return true;
	}
	return false;
}

/* ---- what QEMU 7.2 makes of VIS in place of what JPS1, appendix A, says ---- */

struct operands {
	uint64_t integer[2], number[2]; /* rs1, rs2; as double registers */
	uint32_t single[2];
};

static uint64_t integer_operand(const uint8_t *from, uint32_t field)
{
	for (size_t i = 0; i < N_INTEGERS; i++)
		if (integers[i] == field)
			return value_at(from, 8 * i, 8);
	return 0;
}

static void operands_of(const struct exec_program *program, size_t block, struct operands *to)
{
	const uint8_t *from = program->bytes + program->operands + block * CASE_BYTES;
	const uint32_t fields[2] = {encodings[block] >> 14 & 31, encodings[block] & 31};
	for (unsigned i = 0; i < 2; i++) {
		uint32_t field = fields[i] & 15, index = field / 2 + (field & 1) * N_NUMBERS / 2;
		to->integer[i] = integer_operand(from, fields[i]);
		to->number[i] = value_at(from + NUMBERS_AT, 8 * index, 8);
		to->single[i] = (uint32_t)value_at(from + NUMBERS_AT, 4 * (size_t)field, 4);
	}
}

/* Lanes of `bits` bits are subtracted the other way round. */
static uint64_t wrong_difference(const struct operands *of, bool single, unsigned bits)
{
	uint64_t a = single ? of->single[0] : of->number[0], made = 0;
	uint64_t b = single ? of->single[1] : of->number[1], mask = UINT64_MAX >> (64 - bits);
	for (unsigned i = 0; i < (single ? 32 : 64); i += bits)
		made |= (((b >> i) - (a >> i)) & mask) << i;
	return made;
}

/* Lanes are compared as unsigned numbers. */
static uint64_t wrong_comparison(const struct operands *of, unsigned bits, bool greater)
{
	uint64_t mask = UINT64_MAX >> (64 - bits), made = 0;
	for (unsigned i = 0; i < 64 / bits; i++) {
		uint64_t a = of->number[0] >> i * bits & mask, b = of->number[1] >> i * bits & mask;
		made |= (uint64_t)(greater ? a > b : a <= b) << i;
	}
	return made;
}

/* The right edge counts where the addresses are not in the same doubleword, not where they are. */
static uint64_t wrong_edge(const struct operands *of, unsigned lanes, bool little)
{
	unsigned places = lanes == 8 ? 0 : lanes == 4 ? 1 : 2, all = (1u << lanes) - 1;
	unsigned from = (unsigned)(of->integer[0] >> places) & (lanes - 1);
	unsigned to = (unsigned)(of->integer[1] >> places) & (lanes - 1);
	unsigned left = little ? all << from & all : all >> from;
	unsigned right = little ? all >> (lanes - 1 - to) : all << (lanes - 1 - to) & all;
	if (lanes == 2) { /* of the upper word there is none */
		left = from ? 0 : left;
		right = to ? 0 : right;
	}
	return of->integer[0] >> 3 == of->integer[1] >> 3 ? left : left & right;
}

/* The integer part of X is taken from another place, with another number of bits. */
static uint64_t wrong_array(const struct operands *of, unsigned shift)
{
	uint64_t a = of->integer[0], n = of->integer[1], y = a >> 39 & ((UINT64_C(1) << n) - 1);
	uint64_t low = (a >> 11 & 3) | (a >> 33 & 3) << 2 | (a >> 55 & 1) << 4 | (a >> 13 & 15) << 5 |
	               (a >> 35 & 15) << 9 | (a >> 56 & 15) << 13;
	uint64_t x = a >> (16 + n) & ((UINT64_C(1) << ((2 - n) & 63)) - 1);
	return (low | x << 17 | y << (17 + n) | (a >> 60) << (17 + 2 * n)) << shift;
}

/* Operands are taken for double registers, of which the lower half counts. Where one halfword is
 * for all (`half`; else -1) it is the other one, and what has been made takes its place. */
static uint64_t wrong_product(const struct operands *of, int half)
{
	uint64_t made = of->number[1];
	for (unsigned i = 0; i < 4; i++) {
		int byte = (int)(of->number[0] >> 8 * i & 0xff);
		unsigned at = half < 0 ? 16 * i : 16 * (unsigned)half;
		int product = byte * (int16_t)(made >> at);
		made &= ~(UINT64_C(0xffff) << 16 * i);
		made |= (uint64_t)(uint16_t)((product + 0x80) >> 8) << 16 * i;
	}
	return made;
}

static uint64_t wrong_merge(const struct operands *of)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < 4; i++)
		made |= (of->number[0] >> 8 * i & 0xff) << (16 * i + 8) | (of->number[1] >> 8 * i & 0xff)
		                                                              << 16 * i;
	return made;
}

/* The first operand is expanded, of which the lower half counts. */
static uint64_t wrong_expansion(const struct operands *of)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < 4; i++)
		made |= (of->number[0] >> 8 * i & 0xff) << (16 * i + 4);
	return made;
}

static uint64_t reversed(uint64_t value)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < 64; i += 8)
		made |= (value >> i & 0xff) << (56 - i);
	return made;
}

/* What QEMU makes in place of `mine`. */
static uint64_t wrong_vis(const struct exec_program *program, size_t block, uint64_t mine)
{
	uint32_t opf = encodings[block] >> 5 & 511;
	struct operands of;
	operands_of(program, block, &of);
	if (opf < 0x0c)
		return wrong_edge(&of, 8 >> opf / 4, opf & 2);
	if (opf >= 0x10 && opf <= 0x14)
		return wrong_array(&of, (opf - 0x10) / 2);
	if (opf >= 0x20 && opf < 0x30)
		return wrong_comparison(&of, opf & 4 ? 32 : 16, opf & 8);
	if (opf >= 0x54 && opf < 0x58)
		return wrong_difference(&of, opf & 1, opf & 2 ? 32 : 16);
	switch (opf) {
	case 0x31:
		return wrong_product(&of, -1);
	case 0x33:
	case 0x35:
		return wrong_product(&of, opf == 0x35);
	case 0x4b:
		return wrong_merge(&of);
	case 0x4c: /* the bytes of the result are in the host's order */
		return reversed(mine);
	case 0x4d:
		return wrong_expansion(&of);
	default:
		return mine;
	}
}

static bool is_argued_vis(const struct exec_program *program, size_t at, const uint8_t *ours,
                          const uint8_t *theirs)
{
	size_t block = at / CASE_BYTES, word = at % CASE_BYTES;
	uint32_t enc = encodings[block], rd = enc >> 25 & 31, opf = enc >> 5 & 511;
	bool single = opf >= 0x50 && opf & 1, is_number = word >= NUMBERS_AT;
	uint64_t mine = value_at(ours, at, single ? 4 : 8),
			 other = value_at(theirs, at, single ? 4 : 8);
	uint32_t num = word < STATES_AT ? integers[word / 8] : 0;
	/* %g1 and %g2 are counted up behind the instruction. */
	bool counted = num == G1 || num == G2;
	/* Edges change their operands. */
	if (opf < 0x0c && num && num != rd && (num == (enc >> 14 & 31) || num == (enc & 31)))
		return other - counted == ((mine - counted) & ~UINT64_C(7));
	if (!is_number && num != rd)
		return false;
	return other - counted == wrong_vis(program, block, mine - counted);
}

/* ---- what QEMU 7.2 makes of quads ---- */

/* The two words of the quad register in which a byte lies. */
static void quad_at(const uint8_t *bytes, size_t at, uint64_t words[2])
{
	size_t from = at / CASE_BYTES * CASE_BYTES + NUMBERS_AT;
	from += (at - from) / 16 * 16;
	words[0] = value_at(bytes, from, 8);
	words[1] = value_at(bytes, from + 8, 8);
}

/* Is it a NaN that an operand of the case is, made quiet, and from a double (`widened`) made wide? */
static bool is_quad_nan_of_case(const struct exec_program *program, size_t block,
                                const uint64_t words[2], bool widened)
{
	const uint8_t *from = program->bytes + program->operands + block * CASE_BYTES + NUMBERS_AT;
	for (unsigned i = 0; i < N_NUMBERS; i += widened ? 1 : 2) {
		uint64_t high = value_at(from, 8 * i, 8), low = value_at(from, 8 * i + 8, 8);
		if (widened) {
			low = high << 60;
			high = (high >> 63 << 63) | UINT64_C(0x7fff) << 48 | (high >> 4 & UINT64_MAX >> 16);
		}
		if (words[0] == (high | UINT64_C(1) << 47) && words[1] == low)
			return true;
	}
	return false;
}

/* Comparisons of quads clear FSR below the codes that they set (FSR_FCC1 << FS), or, where they are
 * unordered, raise invalid always. */
static bool is_argued_comparison(uint32_t enc, uint64_t mine, uint64_t other)
{
	unsigned which = enc >> 25 & 3, at = which ? 30 + 2 * which : 10;
	if ((mine >> at & 3) == 3)
		return other == (mine | 0x200);
	return other == (mine & UINT64_MAX << (at - 10));
}

/* In little-endian spaces the bytes of each half are in that order, not of both together. */
static bool is_argued_load(const uint8_t *ours, const uint8_t *theirs, size_t at)
{
	uint64_t mine[2], other[2];
	quad_at(ours, at, mine);
	quad_at(theirs, at, other);
	return mine[0] == other[1] && mine[1] == other[0];
}

/* So do stores; those that state no space store the upper half in both places. What QEMU's memory
 * has at a byte behind all of them. */
static uint8_t stored_by_qemu(const struct exec_program *program, size_t at)
{
	static uint8_t scratch[EXEC_SCRATCH];
	memcpy(scratch, program->bytes + program->scratch, EXEC_SCRATCH);
	for (unsigned i = 0; i < program->cases; i++) {
		const uint8_t *from = program->bytes + program->operands + (size_t)i * CASE_BYTES;
		uint32_t enc = encodings[i], rd = enc >> 25 & 31, first = (rd & 30) / 2 + (rd & 1) * 8;
		bool constant = enc >> 13 & 1, stated = op3_of(enc) == 0x36;
		int64_t by = constant ? (int32_t)(enc << 19) >> 19 : (int64_t)integer_operand(from, INDEX);
		uint64_t space = constant ? value_at(from + ASI_AT, 0, 8) : enc >> 5 & 0xff;
		for (unsigned k = 0; k < 2; k++) {
			uint64_t word = value_at(from + NUMBERS_AT, 8 * (first + (stated ? k : 0)), 8);
			exec_put_bytes(scratch + EXEC_MIDDLE + by + 8 * k, word, 8, !(stated && space & 8));
		}
	}
	return scratch[at - (program->scratch - program->results)];
}

static bool is_argued_quad(const struct exec_program *program, const struct exec_mnemonic *of,
                           const uint8_t *ours, const uint8_t *theirs, size_t at)
{
	size_t block = at / CASE_BYTES;
	uint64_t mine[2], other[2];
	bool widened = !strcmp(of->name, "fdmulq");
	if (!strncmp(of->name, "stqf", 4))
		return block >= program->cases && theirs[at] == stored_by_qemu(program, at);
	if (block >= program->cases)
		return false;
	if (at % CASE_BYTES / 8 * 8 == FSR_AT)
		return !strncmp(of->name, "fcmp", 4) &&
		       is_argued_comparison(encodings[block], value_at(ours, at, 8),
		                            value_at(theirs, at, 8));
	if (at % CASE_BYTES < NUMBERS_AT)
		return false;
	if (!strcmp(of->name, "ldqfa"))
		return is_argued_load(ours, theirs, at);
	quad_at(ours, at, mine);
	quad_at(theirs, at, other);
	return is_quad_nan_of_case(program, block, mine, widened) &&
	       is_quad_nan_of_case(program, block, other, widened);
}

/* QEMU 7.2 takes of two NaNs the one with the greater fraction; V9, B.2.2, says which.
 * It makes the greatest integer of every NaN; V9, B.5, asks the sign. Its fstod, fstoq and fdtoq raise
 * nothing; an invalid operand does (V9, A.14). */
static bool is_argued(const struct exec_program *program, const struct exec_mnemonic *of,
                      const uint8_t *ours, const uint8_t *theirs, size_t at)
{
	static const char *const quads[] = {"faddq", "fsubq",  "fmulq", "fdivq", "fdmulq",
	                                    "fcmpq", "fcmpeq", "ldqfa", "stqf",  "stqfa"};
	static const char *const of_two[] = {"fadds", "fsubs", "fmuls", "fdivs", "fsmuld",
	                                     "faddd", "fsubd", "fmuld", "fdivd"};
	size_t block = at / CASE_BYTES;
	bool single = !strcmp(of->name + strlen(of->name) - 1, "s");
	unsigned size = single || !strcmp(of->name + 2, "toi") ? 4 : 8;
	uint64_t mine = value_at(ours, at, size), other = value_at(theirs, at, size);
	for (size_t i = 0; i < sizeof quads / sizeof *quads; i++)
		if (!strcmp(of->name, quads[i]))
			return is_argued_quad(program, of, ours, theirs, at);
	if (op3_of(of->bases[0]) == 0x36)
		return is_argued_vis(program, at, ours, theirs);
	if (at % CASE_BYTES / 8 * 8 == FSR_AT)
		return (!strcmp(of->name, "fstod") || !strcmp(of->name, "fstoq") ||
		        !strcmp(of->name, "fdtoq")) &&
		       (mine & ~other) == (mine ^ other) && !((mine ^ other) & ~UINT64_C(0x210));
	if (at % CASE_BYTES < NUMBERS_AT)
		return false;
	if (!strncmp(of->name + 2, "toi", 3) || !strncmp(of->name + 2, "tox", 3)) {
		uint64_t most = size == 4 ? INT32_MAX : INT64_MAX;
		return mine == most + 1 && other == most;
	}
	for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
		if (!strcmp(of->name, of_two[i])) {
			bool widened = !strcmp(of->name, "fsmuld");
			return is_nan_of_case(program, block, mine, size, widened) &&
			       is_nan_of_case(program, block, other, size, widened);
		}
	return false;
}

/* ---- what is not known ---- */

enum { N_REGISTERS = 31 + 32 + 9 };
static struct exec_register registers[N_REGISTERS];

static void list_registers(void)
{
	static const struct exec_register others[] = {{CAIRN_REG_PC, 0, 8},
	                                              {CAIRN_REG_PC, 1, 8},
	                                              {CAIRN_REG_FLAGS, 0, 8},
	                                              {CAIRN_REG_CSR, ISA_SPARC_ASR, 8},
	                                              {CAIRN_REG_CSR, ISA_SPARC_ASR + 3, 8},
	                                              {CAIRN_REG_CSR, ISA_SPARC_ASR + 6, 8},
	                                              {CAIRN_REG_CSR, ISA_SPARC_ASR + 8, 8},
	                                              {CAIRN_REG_CSR, ISA_SPARC_ASR + 9, 8},
	                                              {CAIRN_REG_CSR, ISA_SPARC_PSTATE, 8}};
	for (unsigned i = 0; i < N_REGISTERS; i++)
		registers[i] = i < 31   ? (struct exec_register){CAIRN_REG_INT, i + 1, 8}
		               : i < 63 ? (struct exec_register){CAIRN_REG_FP, i + 1, 8}
		                        : others[i - 63];
}

/* The bits that a register of the machine has. */
static uint64_t room_of(const struct exec_register *reg)
{
	if (reg->cls == CAIRN_REG_FLAGS)
		return 0xff;
	if (reg->cls != CAIRN_REG_CSR)
		return UINT64_MAX;
	switch (reg->num) {
	case ISA_SPARC_PSTATE: /* AM; which order of bytes is in force is no choice */
		return 8;
	case ISA_SPARC_ASR:
		return UINT32_MAX;
	case ISA_SPARC_ASR + 3:
		return 0xff;
	case ISA_SPARC_ASR + 6:
		return 7;
	case ISA_SPARC_ASR + 8:
		return UINT64_C(0x3fcfceefff);
	default:
		return UINT64_MAX;
	}
}

static void random_register(const struct exec_register *reg, uint8_t *bytes)
{
	uint64_t value = reg->cls == CAIRN_REG_FP ? random_double() : random_integer();
	if (reg->cls == CAIRN_REG_INT)
		value = random_operand(reg->num, EXEC_BASE + EXEC_MIDDLE);
	if (reg->cls == CAIRN_REG_PC)
		value = reg->num && random_bits() % 4 == 0 ? random_integer() & ~UINT64_C(3)
		                                           : EXEC_BASE + 4 * reg->num;
	if (reg->cls == CAIRN_REG_CSR && reg->num == ISA_SPARC_ASR + 3)
		value = random_bits() % 8 ? spaces[value % N_SPACES] : value;
	if (reg->cls == CAIRN_REG_CSR && reg->num == ISA_SPARC_ASR + 6)
		value |= 4;
	if (reg->cls == CAIRN_REG_CSR && reg->num == ISA_SPARC_ASR + 8)
		value = random_fsr();
	exec_put_bytes(bytes, value & room_of(reg), 8, false);
}

/* What registers have room for; and the step is where it is. */
static void limit(const struct exec_register *reg, uint8_t *bytes)
{
	if (reg->cls == CAIRN_REG_PC && reg->num == 0) {
		exec_put_bytes(bytes, EXEC_BASE, 8, false);
		return;
	}
	for (unsigned i = 0; i < 8; i++)
		bytes[i] &= (uint8_t)(room_of(reg) >> 8 * i);
}

/* ---- the set ---- */

static const char *const qemu[] = {"qemu-sparc64", NULL};

static struct exec_target target(void)
{
	collect();
	list_registers();
	return (struct exec_target){.isa = CAIRN_ISA_SPARC,
	                            .qemu = qemu,
	                            .hashes = "tests/unit/fixtures/exec_sparc.hashes",
	                            .elf_machine = 43,
	                            .wide = true,
	                            .big_endian = true,
	                            .case_bytes = CASE_BYTES,
	                            .case_code = 640,
	                            .least = 150,
	                            .mnemonics = names,
	                            .n_mnemonics = n_names,
	                            .encoding = random_encoding,
	                            .put_begin = put_begin,
	                            .put_operands = put_operands,
	                            .put_case = put_case,
	                            .put_end = put_end,
	                            .is_explained = is_argued,
	                            .field = field,
	                            .registers = registers,
	                            .n_registers = N_REGISTERS,
	                            .random_register = random_register,
	                            .limit = limit};
}

static void instructions_do_what_qemu_says(void **state)
{
	struct exec_target all = target();
	(void)state;
	exec_try_set(&all, "w");
}

static void what_is_not_known_is_never_guessed(void **state)
{
	struct exec_target all = target();
	(void)state;
	assert_int_equal(exec_try_completions(&all), 0);
}

/* ---- what no program of QEMU's shows ---- */

static struct cairn *cairn;
static struct cairn_machine *machine;

static int setup(void **state)
{
	(void)state;
	cairn = cairn_new(NULL);
	return cairn_machine_new(cairn, CAIRN_ISA_SPARC, NULL, &machine);
}

static int teardown(void **state)
{
	(void)state;
	cairn_machine_free(machine);
	cairn_free(cairn);
	return 0;
}

static bool bits_are_known(const struct cairn_step *step)
{
	return (step->next_known & step->after_known) == UINT64_MAX;
}

static const struct cairn_step *step_at(uint64_t pc, uint32_t enc)
{
	return cairn_machine_step(machine, pc, enc, 4, NULL, 0);
}

static void set_register(enum cairn_reg_class cls, unsigned num, uint64_t value)
{
	uint8_t bytes[8];
	exec_put_bytes(bytes, value, 8, false);
	assert_int_equal(cairn_machine_set(machine, cls, num, 8, bytes, NULL), 8);
}

static void assert_register(unsigned num, bool known, uint64_t value)
{
	uint8_t bytes[8], mask[8], expected[8];
	exec_put_bytes(expected, value, 8, false);
	cairn_machine_get(machine, CAIRN_REG_INT, num, 8, bytes, mask);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(mask[i], known ? 0xff : 0);
	if (known)
		assert_memory_equal(bytes, expected, 8);
}

static void a_rounding_mode_of_its_own_is_not_foreseen(void **state)
{
	enum { SIAM_5 = 0x81b01025, FDIVS = 0x8da049a2 }; /* fdivs %f1, %f2, %f6 */
	uint8_t bytes[4], known[4];
	(void)state;
	set_register(CAIRN_REG_CSR, ISA_SPARC_ASR + 8, 0);
	set_register(CAIRN_REG_CSR, ISA_SPARC_ASR + 9, 0);
	set_register(CAIRN_REG_FP, 32, 0x3f800000);                   /* %f1: 1 */
	set_register(CAIRN_REG_FP, 33, UINT64_C(0x4040000000000000)); /* %f2: 3 */
	assert_int_equal(step_at(0x1000, FDIVS)->status, CAIRN_STEP_DONE);
	cairn_machine_get(machine, CAIRN_REG_FP, 6, 4, bytes, known);
	assert_true(bytes[0] == 0xab && known[0] == 0xff);
	assert_int_equal(step_at(0x1004, SIAM_5)->status, CAIRN_STEP_DONE);
	step_at(0x1008, FDIVS);
	cairn_machine_get(machine, CAIRN_REG_FP, 6, 4, bytes, known);
	assert_true(known[0] == 0xfe && known[3] == 0xff);
}

enum {
	NOP = 0x01000000,
	BA_A_8 = 0x30800002,  /* ba,a .+8 */
	BNE_A_8 = 0x32800002, /* bne,a .+8 */
	BA_16 = 0x10800004,   /* ba .+16 */
	TA_5 = 0x91d02005,
	SAVE = 0x9de3bf50,    /* save %sp, -176, %sp */
	RESTORE = 0x81e80000, /* restore */
	FLUSHW = 0x81580000,
	ADD_L0 = 0xa0042001 /* add %l0, 1, %l0 */
};

static void control_goes_through_slots(void **state)
{
	(void)state;
	/* The first instruction may stand in a slot. */
	const struct cairn_step *step = step_at(0x1000, NOP);
	assert_int_equal(step->next_known, 0);
	step = step_at(0x1004, NOP);
	assert_true(step->next == 0x1008 && step->after == 0x100c && bits_are_known(step));
	step = step_at(0x1008, BA_16);
	assert_true(step->next == 0x100c && step->after == 0x1018 && bits_are_known(step));
	assert_true(step->taken && step->taken_known && !step->annuls && step->annuls_known);
	/* A couple: the slot of the second is the target of the first. */
	step = step_at(0x100c, BA_16);
	assert_true(step->next == 0x1018 && step->after == 0x101c && bits_are_known(step));
	step = step_at(0x1018, NOP);
	assert_true(step->next == 0x101c && step->after == 0x1020);
	step = step_at(0x101c, BA_A_8);
	assert_true(step->next == 0x1024 && step->after == 0x1028 && step->annuls);
	/* Not known whether it is taken; where control came tells. */
	step = step_at(0x1024, BNE_A_8);
	assert_true(!step->taken_known && !step->annuls_known && step->next_known != UINT64_MAX);
	step = step_at(0x102c, NOP);
	assert_true(step->next == 0x1030 || step->next_known != UINT64_MAX);
	/* Elsewhere than expected: it may be a slot. */
	step = step_at(0x8000, NOP);
	assert_int_equal(step->next_known, 0);
	assert_int_equal(step_at(0x8004, TA_5)->status, CAIRN_STEP_TRAP);
	assert_int_equal(step_at(0x8008, NOP)->next_known, 0);
}

static void windows_come_back_until_they_are_flushed(void **state)
{
	(void)state;
	set_register(CAIRN_REG_INT, 16, 5);
	set_register(CAIRN_REG_INT, 24, 6);
	set_register(CAIRN_REG_INT, 14, 0x8000);
	for (unsigned i = 0; i < 20; i++) { /* deeper than windows are many */
		assert_int_equal(step_at(0x1000, SAVE)->status, CAIRN_STEP_DONE);
		assert_register(14, true, 0x8000 - 176 * (i + 1));
		assert_register(30, true, 0x8000 - 176 * i);
		assert_register(16, false, 0);
		set_register(CAIRN_REG_INT, 16, i);
	}
	for (unsigned i = 20; i-- > 0;) {
		assert_register(16, true, i);
		assert_int_equal(step_at(0x1000, RESTORE)->status, CAIRN_STEP_DONE);
	}
	assert_register(16, true, 5);
	assert_register(24, true, 6);
	step_at(0x1000, RESTORE);
	assert_register(16, false, 0);
	assert_register(8, true, 6); /* the ins are outs */
	set_register(CAIRN_REG_INT, 16, 7);
	step_at(0x1000, SAVE);
	step_at(0x1000, FLUSHW);
	step_at(0x1000, RESTORE);
	assert_register(16, false, 0);
	/* Another window is in force: what was in others is not known. */
	set_register(CAIRN_REG_INT, 16, 7);
	step_at(0x1000, SAVE);
	set_register(CAIRN_REG_CSR, 9, 3);
	step_at(0x1000, RESTORE);
	assert_register(16, false, 0);
}

static void windows_that_are_full_or_empty_trap(void **state)
{
	(void)state;
	set_register(CAIRN_REG_INT, 16, 5);
	set_register(CAIRN_REG_CSR, 10, 1);
	set_register(CAIRN_REG_CSR, 11, 0);
	assert_int_equal(step_at(0x1000, RESTORE)->status, CAIRN_STEP_TRAP);
	assert_register(16, true, 5);
	assert_int_equal(step_at(0x1000, SAVE)->status, CAIRN_STEP_DONE);
	assert_int_equal(step_at(0x1000, SAVE)->status, CAIRN_STEP_TRAP);
	assert_int_equal(step_at(0x1000, RESTORE)->status, CAIRN_STEP_DONE);
	assert_register(16, true, 5);
	assert_int_equal(step_at(0x1000, RESTORE)->status, CAIRN_STEP_TRAP);
	set_register(CAIRN_REG_CSR, 12, 0); /* no window is clean */
	assert_int_equal(step_at(0x1000, SAVE)->status, CAIRN_STEP_TRAP);
}

static void what_traps_changes_nothing(void **state)
{
	static const uint32_t traps[] = {
		0xa06c2000, /* udivx %l0, 0, %l0 */
		0xa07c2000, /* sdiv %l0, 0, %l0 */
		0xe0046001, /* ld [%l1+1], %l0 */
		0xe074a004, /* stx %l0, [%l2+4] */
		0xa1c46002, /* jmpl %l1+2, %l0 */
		0x81cc6002, /* return %l1+2 */
		0xa1146001, /* taddcctv %l1, 1, %l0 */
	};
	(void)state;
	for (unsigned i = 0; i < sizeof traps / sizeof *traps; i++) {
		set_register(CAIRN_REG_INT, 16, 0x5555);
		set_register(CAIRN_REG_INT, 17, 0x1000);
		set_register(CAIRN_REG_INT, 18, 0x1000);
		set_register(CAIRN_REG_CSR, ISA_SPARC_ASR, 0);
		const struct cairn_step *step = step_at(0x1000, traps[i]);
		assert_int_equal(step->status, CAIRN_STEP_TRAP);
		assert_non_null(step->reason);
		assert_int_equal(step->n_regs, 0);
		assert_register(16, true, 0x5555);
	}
}

/* Which window, or which bits of an address, depends on what no one told. */
static void addresses_have_32_bits_where_the_processor_says_so(void **state)
{
	enum { LDX = 0xe05c4000, STX = 0xe0744000 }; /* %l0, [%l1] */
	const uint64_t high = UINT64_C(0x100002000);
	(void)state;
	set_register(CAIRN_REG_INT, 16, 99);
	set_register(CAIRN_REG_INT, 17, high);
	const struct cairn_step *step = step_at(0x1000, LDX);
	assert_true(step->accesses[0].address_known == ~(UINT64_C(1) << 32));
	set_register(CAIRN_REG_CSR, ISA_SPARC_PSTATE, 8);
	step = step_at(0x1004, STX);
	assert_true(step->accesses[0].address == 0x2000 &&
	            step->accesses[0].address_known == UINT64_MAX);
	cairn_machine_forget_registers(machine);
	set_register(CAIRN_REG_INT, 17, high);
	step = step_at(high, LDX); /* such a PC tells */
	assert_true(step->accesses[0].address == high && step->accesses[0].address_known == UINT64_MAX);
}

#define ON_A_MACHINE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_do_what_qemu_says),
		cmocka_unit_test(what_is_not_known_is_never_guessed),
		ON_A_MACHINE(control_goes_through_slots),
		ON_A_MACHINE(windows_come_back_until_they_are_flushed),
		ON_A_MACHINE(windows_that_are_full_or_empty_trap),
		ON_A_MACHINE(what_traps_changes_nothing),
		ON_A_MACHINE(a_rounding_mode_of_its_own_is_not_foreseen),
		ON_A_MACHINE(addresses_have_32_bits_where_the_processor_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
