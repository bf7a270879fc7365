/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: the name of an instruction and the extension it comes with.
 *
 * Names are those of the manual's instructions, not of assembler aliases: `addi`, not
 * `mv` or `li`; only c.nop, c.mv, c.li and the like, which are instructions of their
 * own, have those names. So a name does not depend on operands, and counting by name
 * agrees with counting by opcode. A table searched in order: it is asked once for
 * each distinct encoding, never for each instruction.
 *
 * Vector instructions have an extension here but no name: there are some four hundred,
 * and the disassembler knows them. Sources: the unprivileged and privileged ISA
 * manuals (2025), instruction listings.
 */
#include <stddef.h>
#include <string.h>

#include "isa/isa.h"

enum { RV32_ONLY = 1, RV64_ONLY = 2, SHADOW = 8 /* with Zicfiss */ };

struct row {
	uint32_t mask, match;
	const char *name, *ext;
	unsigned only; /* on which XLEN, with which variant; 0: always */
};

/* The tables are to be read in columns. */
/* clang-format off */

/* By what of the encoding decides: opcode, funct3, funct7, rs2 … */
#define U_(op, name, ext)              {0x7f, op, name, ext, 0}
#define I_(op, f3, name, ext)          {0x707f, (f3) << 12 | (op), name, ext, 0}
#define I64(op, f3, name, ext)         {0x707f, (f3) << 12 | (op), name, ext, RV64_ONLY}
#define R_(op, f7, f3, name, ext)      {0xfe00707f, (uint32_t)(f7) << 25 | (f3) << 12 | (op), name, ext, 0}
#define R64(op, f7, f3, name, ext)     {0xfe00707f, (uint32_t)(f7) << 25 | (f3) << 12 | (op), name, ext, RV64_ONLY}
#define R32(op, f7, f3, name, ext)     {0xfe00707f, (uint32_t)(f7) << 25 | (f3) << 12 | (op), name, ext, RV32_ONLY}
#define SH(op, f6, f3, name, ext)      {0xfc00707f, (uint32_t)(f6) << 26 | (f3) << 12 | (op), name, ext, 0}
#define SH64(op, f6, f3, name, ext)    {0xfc00707f, (uint32_t)(f6) << 26 | (f3) << 12 | (op), name, ext, RV64_ONLY}
#define UN(op, f7, r2, f3, name, ext)  {0xfff0707f, (uint32_t)(f7) << 25 | (r2) << 20 | (f3) << 12 | (op), name, ext, 0}
#define UN64(op, f7, r2, f3, name, ext) {0xfff0707f, (uint32_t)(f7) << 25 | (r2) << 20 | (f3) << 12 | (op), name, ext, RV64_ONLY}
#define F_(f7, name, ext)              {0xfe00007f, (uint32_t)(f7) << 25 | 0x53, name, ext, 0}
#define FU(f7, r2, name, ext)          {0xfff0007f, (uint32_t)(f7) << 25 | (r2) << 20 | 0x53, name, ext, 0}
#define F3(f7, f3, name, ext)          {0xfe00707f, (uint32_t)(f7) << 25 | (f3) << 12 | 0x53, name, ext, 0}
#define FX(f7, r2, f3, name, ext)      {0xfff0707f, (uint32_t)(f7) << 25 | (r2) << 20 | (f3) << 12 | 0x53, name, ext, 0}
#define R4(op, fmt, name, ext)         {0x0600007f, (fmt) << 25 | (op), name, ext, 0}
#define AM(f5, f3, name, ext)          {0xf800707f, (uint32_t)(f5) << 27 | (f3) << 12 | 0x2f, name, ext, 0}
#define AM2(f5, f3, name, ext)         {0xf9f0707f, (uint32_t)(f5) << 27 | (f3) << 12 | 0x2f, name, ext, 0}
#define IS(enc, name, ext)             {0xffffffff, enc, name, ext, 0}

/* One row for each format. */
#define FALL(f5, name)       F_((f5) << 2 | 0, name ".s", "f"), F_((f5) << 2 | 1, name ".d", "d"), \
                             F_((f5) << 2 | 2, name ".h", "zfh"), F_((f5) << 2 | 3, name ".q", "q")
#define FALL3(f5, f3, name)  F3((f5) << 2 | 0, f3, name ".s", "f"), F3((f5) << 2 | 1, f3, name ".d", "d"), \
                             F3((f5) << 2 | 2, f3, name ".h", "zfh"), F3((f5) << 2 | 3, f3, name ".q", "q")
#define FALLU(f5, r2, name)  FU((f5) << 2 | 0, r2, name ".s", "f"), FU((f5) << 2 | 1, r2, name ".d", "d"), \
                             FU((f5) << 2 | 2, r2, name ".h", "zfh"), FU((f5) << 2 | 3, r2, name ".q", "q")
#define FALLX(f5, r2, f3, name, x) FX((f5) << 2 | 0, r2, f3, name ".s", x), FX((f5) << 2 | 1, r2, f3, name ".d", x), \
                             FX((f5) << 2 | 2, r2, f3, name ".h", x), FX((f5) << 2 | 3, r2, f3, name ".q", x)
#define FMAS(op, name)       R4(op, 0, name ".s", "f"), R4(op, 1, name ".d", "d"), R4(op, 2, name ".h", "zfh"), R4(op, 3, name ".q", "q")
/* From an integer of each kind. */
#define FROMI(f7, fmt, x)    FU(f7, 0, "fcvt." fmt ".w", x), FU(f7, 1, "fcvt." fmt ".wu", x), \
                             FU(f7, 2, "fcvt." fmt ".l", x), FU(f7, 3, "fcvt." fmt ".lu", x)
#define AMOS(f5, name)       AM(f5, 2, name ".w", "a"), AM(f5, 3, name ".d", "a"), \
                             AM(f5, 0, name ".b", "zabha"), AM(f5, 1, name ".h", "zabha")

static const struct row rows32[] = {
	{0xfff, 0x017, "lpad", "zicfilp", 0}, U_(0x37, "lui", "i"), U_(0x17, "auipc", "i"), U_(0x6f, "jal", "i"), I_(0x67, 0, "jalr", "i"),
	I_(0x63, 0, "beq", "i"), I_(0x63, 1, "bne", "i"), I_(0x63, 4, "blt", "i"),
	I_(0x63, 5, "bge", "i"), I_(0x63, 6, "bltu", "i"), I_(0x63, 7, "bgeu", "i"),
	I_(0x03, 0, "lb", "i"), I_(0x03, 1, "lh", "i"), I_(0x03, 2, "lw", "i"), I64(0x03, 3, "ld", "i"), I_(0x03, 3, "ld", "zilsd"),
	I_(0x03, 4, "lbu", "i"), I_(0x03, 5, "lhu", "i"), I64(0x03, 6, "lwu", "i"),
	I_(0x23, 0, "sb", "i"), I_(0x23, 1, "sh", "i"), I_(0x23, 2, "sw", "i"), I64(0x23, 3, "sd", "i"), I_(0x23, 3, "sd", "zilsd"),
	/* OP-IMM */
	I_(0x13, 0, "addi", "i"), I_(0x13, 2, "slti", "i"), I_(0x13, 3, "sltiu", "i"),
	I_(0x13, 4, "xori", "i"),
	{0x1f07fff, 0x0006013, "prefetch.i", "zicbop", 0}, {0x1f07fff, 0x0106013, "prefetch.r", "zicbop", 0},
	{0x1f07fff, 0x0306013, "prefetch.w", "zicbop", 0},
	I_(0x13, 6, "ori", "i"), I_(0x13, 7, "andi", "i"),
	SH(0x13, 0x00, 1, "slli", "i"), SH(0x13, 0x00, 5, "srli", "i"), SH(0x13, 0x10, 5, "srai", "i"),
	UN(0x13, 0x30, 0, 1, "clz", "zbb"), UN(0x13, 0x30, 1, 1, "ctz", "zbb"),
	UN(0x13, 0x30, 2, 1, "cpop", "zbb"), UN(0x13, 0x30, 4, 1, "sext.b", "zbb"),
	UN(0x13, 0x30, 5, 1, "sext.h", "zbb"), SH(0x13, 0x18, 5, "rori", "zbb"),
	UN(0x13, 0x14, 7, 5, "orc.b", "zbb"), UN(0x13, 0x34, 7, 5, "brev8", "zbkb"),
	UN(0x13, 0x34, 24, 5, "rev8", "zbb"), UN(0x13, 0x35, 24, 5, "rev8", "zbb"),
	UN(0x13, 0x04, 15, 1, "zip", "zbkb"), UN(0x13, 0x04, 15, 5, "unzip", "zbkb"),
	SH(0x13, 0x0a, 1, "bseti", "zbs"), SH(0x13, 0x12, 1, "bclri", "zbs"),
	SH(0x13, 0x12, 5, "bexti", "zbs"), SH(0x13, 0x1a, 1, "binvi", "zbs"),
	UN(0x13, 0x08, 0, 1, "sha256sum0", "zknh"), UN(0x13, 0x08, 1, 1, "sha256sum1", "zknh"),
	UN(0x13, 0x08, 2, 1, "sha256sig0", "zknh"), UN(0x13, 0x08, 3, 1, "sha256sig1", "zknh"),
	UN(0x13, 0x08, 4, 1, "sha512sum0", "zknh"), UN(0x13, 0x08, 5, 1, "sha512sum1", "zknh"),
	UN(0x13, 0x08, 6, 1, "sha512sig0", "zknh"), UN(0x13, 0x08, 7, 1, "sha512sig1", "zknh"),
	UN(0x13, 0x08, 8, 1, "sm3p0", "zksh"), UN(0x13, 0x08, 9, 1, "sm3p1", "zksh"),
	UN64(0x13, 0x18, 0, 1, "aes64im", "zknd"), {0xff00707f, 0x31001013, "aes64ks1i", "zknd", RV64_ONLY},
	/* OP-IMM-32 */
	I64(0x1b, 0, "addiw", "i"), R64(0x1b, 0x00, 1, "slliw", "i"), R64(0x1b, 0x00, 5, "srliw", "i"),
	R64(0x1b, 0x20, 5, "sraiw", "i"), SH64(0x1b, 0x02, 1, "slli.uw", "zba"),
	R64(0x1b, 0x30, 5, "roriw", "zbb"), UN64(0x1b, 0x30, 0, 1, "clzw", "zbb"),
	UN64(0x1b, 0x30, 1, 1, "ctzw", "zbb"), UN64(0x1b, 0x30, 2, 1, "cpopw", "zbb"),
	/* OP */
	R_(0x33, 0x00, 0, "add", "i"), R_(0x33, 0x20, 0, "sub", "i"), R_(0x33, 0x00, 1, "sll", "i"),
	R_(0x33, 0x00, 2, "slt", "i"), R_(0x33, 0x00, 3, "sltu", "i"), R_(0x33, 0x00, 4, "xor", "i"),
	R_(0x33, 0x00, 5, "srl", "i"), R_(0x33, 0x20, 5, "sra", "i"), R_(0x33, 0x00, 6, "or", "i"),
	R_(0x33, 0x00, 7, "and", "i"),
	R_(0x33, 0x01, 0, "mul", "m"), R_(0x33, 0x01, 1, "mulh", "m"), R_(0x33, 0x01, 2, "mulhsu", "m"),
	R_(0x33, 0x01, 3, "mulhu", "m"), R_(0x33, 0x01, 4, "div", "m"), R_(0x33, 0x01, 5, "divu", "m"),
	R_(0x33, 0x01, 6, "rem", "m"), R_(0x33, 0x01, 7, "remu", "m"),
	R_(0x33, 0x10, 2, "sh1add", "zba"), R_(0x33, 0x10, 4, "sh2add", "zba"), R_(0x33, 0x10, 6, "sh3add", "zba"),
	R_(0x33, 0x20, 4, "xnor", "zbb"), R_(0x33, 0x20, 6, "orn", "zbb"), R_(0x33, 0x20, 7, "andn", "zbb"),
	R_(0x33, 0x05, 1, "clmul", "zbc"), R_(0x33, 0x05, 2, "clmulr", "zbc"), R_(0x33, 0x05, 3, "clmulh", "zbc"),
	R_(0x33, 0x05, 4, "min", "zbb"), R_(0x33, 0x05, 5, "minu", "zbb"), R_(0x33, 0x05, 6, "max", "zbb"),
	R_(0x33, 0x05, 7, "maxu", "zbb"), R_(0x33, 0x30, 1, "rol", "zbb"), R_(0x33, 0x30, 5, "ror", "zbb"),
	R_(0x33, 0x07, 5, "czero.eqz", "zicond"), R_(0x33, 0x07, 7, "czero.nez", "zicond"),
	{0xfff0707f, 0x08004033, "zext.h", "zbb", RV32_ONLY},
	R_(0x33, 0x04, 4, "pack", "zbkb"), R_(0x33, 0x04, 7, "packh", "zbkb"),
	R_(0x33, 0x14, 1, "bset", "zbs"), R_(0x33, 0x24, 1, "bclr", "zbs"), R_(0x33, 0x24, 5, "bext", "zbs"),
	R_(0x33, 0x34, 1, "binv", "zbs"), R_(0x33, 0x14, 2, "xperm4", "zbkx"), R_(0x33, 0x14, 4, "xperm8", "zbkx"),
	R64(0x33, 0x19, 0, "aes64es", "zkne"), R64(0x33, 0x1b, 0, "aes64esm", "zkne"),
	R64(0x33, 0x1d, 0, "aes64ds", "zknd"), R64(0x33, 0x1f, 0, "aes64dsm", "zknd"),
	R64(0x33, 0x3f, 0, "aes64ks2", "zknd"),
	{0x3e00707f, 0x22000033, "aes32esi", "zkne", RV32_ONLY}, {0x3e00707f, 0x26000033, "aes32esmi", "zkne", RV32_ONLY},
	{0x3e00707f, 0x2a000033, "aes32dsi", "zknd", RV32_ONLY}, {0x3e00707f, 0x2e000033, "aes32dsmi", "zknd", RV32_ONLY},
	{0x3e00707f, 0x30000033, "sm4ed", "zksed", 0}, {0x3e00707f, 0x34000033, "sm4ks", "zksed", 0},
	R32(0x33, 0x28, 0, "sha512sum0r", "zknh"), R32(0x33, 0x29, 0, "sha512sum1r", "zknh"),
	R32(0x33, 0x2a, 0, "sha512sig0l", "zknh"), R32(0x33, 0x2b, 0, "sha512sig1l", "zknh"),
	R32(0x33, 0x2e, 0, "sha512sig0h", "zknh"), R32(0x33, 0x2f, 0, "sha512sig1h", "zknh"),
	/* OP-32 */
	R64(0x3b, 0x00, 0, "addw", "i"), R64(0x3b, 0x20, 0, "subw", "i"), R64(0x3b, 0x00, 1, "sllw", "i"),
	R64(0x3b, 0x00, 5, "srlw", "i"), R64(0x3b, 0x20, 5, "sraw", "i"),
	R64(0x3b, 0x01, 0, "mulw", "m"), R64(0x3b, 0x01, 4, "divw", "m"), R64(0x3b, 0x01, 5, "divuw", "m"),
	R64(0x3b, 0x01, 6, "remw", "m"), R64(0x3b, 0x01, 7, "remuw", "m"),
	R64(0x3b, 0x04, 0, "add.uw", "zba"), R64(0x3b, 0x10, 2, "sh1add.uw", "zba"),
	R64(0x3b, 0x10, 4, "sh2add.uw", "zba"), R64(0x3b, 0x10, 6, "sh3add.uw", "zba"),
	UN64(0x3b, 0x04, 0, 4, "zext.h", "zbb"), R64(0x3b, 0x04, 4, "packw", "zbkb"),
	R64(0x3b, 0x30, 1, "rolw", "zbb"), R64(0x3b, 0x30, 5, "rorw", "zbb"),
	/* MISC-MEM */
	IS(0x0100000f, "pause", "zihintpause"), I_(0x0f, 0, "fence", "i"), I_(0x0f, 1, "fence.i", "zifencei"),
	UN(0x0f, 0, 0, 2, "cbo.inval", "zicbom"), UN(0x0f, 0, 1, 2, "cbo.clean", "zicbom"),
	UN(0x0f, 0, 2, 2, "cbo.flush", "zicbom"), UN(0x0f, 0, 4, 2, "cbo.zero", "zicboz"),
	/* SYSTEM */
	I_(0x73, 1, "csrrw", "zicsr"), I_(0x73, 2, "csrrs", "zicsr"), I_(0x73, 3, "csrrc", "zicsr"),
	I_(0x73, 5, "csrrwi", "zicsr"), I_(0x73, 6, "csrrsi", "zicsr"), I_(0x73, 7, "csrrci", "zicsr"),
	IS(0x00000073, "ecall", "i"), IS(0x00100073, "ebreak", "i"), IS(0x10200073, "sret", "priv"),
	IS(0x30200073, "mret", "priv"), IS(0x7b200073, "dret", "debug"), IS(0x70200073, "mnret", "smrnmi"),
	IS(0x10500073, "wfi", "priv"), IS(0x00d00073, "wrs.nto", "zawrs"), IS(0x01d00073, "wrs.sto", "zawrs"),
	{0xfe007fff, 0x12000073, "sfence.vma", "priv", 0}, {0xfe007fff, 0x16000073, "sinval.vma", "svinval", 0},
	IS(0x18000073, "sfence.w.inval", "svinval"), IS(0x18100073, "sfence.inval.ir", "svinval"),
	{0xfe007fff, 0x22000073, "hfence.vvma", "h", 0}, {0xfe007fff, 0x62000073, "hfence.gvma", "h", 0},
	{0xfe007fff, 0x26000073, "hinval.vvma", "svinval", 0}, {0xfe007fff, 0x66000073, "hinval.gvma", "svinval", 0},
	UN(0x73, 0x30, 0, 4, "hlv.b", "h"), UN(0x73, 0x30, 1, 4, "hlv.bu", "h"), UN(0x73, 0x32, 0, 4, "hlv.h", "h"),
	UN(0x73, 0x32, 1, 4, "hlv.hu", "h"), UN(0x73, 0x32, 3, 4, "hlvx.hu", "h"), UN(0x73, 0x34, 0, 4, "hlv.w", "h"),
	UN(0x73, 0x34, 1, 4, "hlv.wu", "h"), UN(0x73, 0x34, 3, 4, "hlvx.wu", "h"), UN(0x73, 0x36, 0, 4, "hlv.d", "h"),
	{0xfe007fff, 0x62004073, "hsv.b", "h", 0}, {0xfe007fff, 0x66004073, "hsv.h", "h", 0},
	{0xfe007fff, 0x6a004073, "hsv.w", "h", 0}, {0xfe007fff, 0x6e004073, "hsv.d", "h", 0},
	{0xffffffff, 0xce104073, "sspush", "zicfiss", SHADOW}, {0xffffffff, 0xce504073, "sspush", "zicfiss", SHADOW},
	{0xffffffff, 0xcdc0c073, "sspopchk", "zicfiss", SHADOW}, {0xffffffff, 0xcdc2c073, "sspopchk", "zicfiss", SHADOW},
	{0xffffffff, 0xcdc04073, "mop.r", "zimop", 0}, {0xfffff07f, 0xcdc04073, "ssrdp", "zicfiss", SHADOW},
	{0xb3c0707f, 0x81c04073, "mop.r", "zimop", 0}, {0xb200707f, 0x82004073, "mop.rr", "zimop", 0},
	/* AMO */
	AM2(0x02, 2, "lr.w", "a"), AM2(0x02, 3, "lr.d", "a"), AM(0x03, 2, "sc.w", "a"), AM(0x03, 3, "sc.d", "a"),
	AMOS(0x01, "amoswap"), AMOS(0x00, "amoadd"), AMOS(0x04, "amoxor"), AMOS(0x0c, "amoand"),
	AMOS(0x08, "amoor"), AMOS(0x10, "amomin"), AMOS(0x14, "amomax"), AMOS(0x18, "amominu"),
	AMOS(0x1c, "amomaxu"),
	AM(0x05, 2, "amocas.w", "zacas"), AM(0x05, 3, "amocas.d", "zacas"), AM(0x05, 4, "amocas.q", "zacas"),
	AM(0x05, 0, "amocas.b", "zabha"), AM(0x05, 1, "amocas.h", "zabha"),
	AM(0x06, 0, "lb", "zalasr"), AM(0x06, 1, "lh", "zalasr"), AM(0x06, 2, "lw", "zalasr"), AM(0x06, 3, "ld", "zalasr"),
	AM(0x07, 0, "sb", "zalasr"), AM(0x07, 1, "sh", "zalasr"), AM(0x07, 2, "sw", "zalasr"), AM(0x07, 3, "sd", "zalasr"),
	AM(0x09, 2, "ssamoswap.w", "zicfiss"), AM(0x09, 3, "ssamoswap.d", "zicfiss"),
	/* floating point */
	I_(0x07, 2, "flw", "f"), I_(0x07, 3, "fld", "d"), I_(0x07, 1, "flh", "zfh"), I_(0x07, 4, "flq", "q"),
	I_(0x27, 2, "fsw", "f"), I_(0x27, 3, "fsd", "d"), I_(0x27, 1, "fsh", "zfh"), I_(0x27, 4, "fsq", "q"),
	FMAS(0x43, "fmadd"), FMAS(0x47, "fmsub"), FMAS(0x4b, "fnmsub"), FMAS(0x4f, "fnmadd"),
	FALL(0x00, "fadd"), FALL(0x01, "fsub"), FALL(0x02, "fmul"), FALL(0x03, "fdiv"),
	FALLU(0x0b, 0, "fsqrt"),
	FALL3(0x04, 0, "fsgnj"), FALL3(0x04, 1, "fsgnjn"), FALL3(0x04, 2, "fsgnjx"),
	FALL3(0x05, 0, "fmin"), FALL3(0x05, 1, "fmax"), FALL3(0x05, 2, "fminm"), FALL3(0x05, 3, "fmaxm"),
	FALL3(0x14, 2, "feq"), FALL3(0x14, 1, "flt"), FALL3(0x14, 0, "fle"),
	FALL3(0x14, 5, "fltq"), FALL3(0x14, 4, "fleq"),
	FX(0x70, 0, 1, "fclass.s", "f"), FX(0x71, 0, 1, "fclass.d", "d"), FX(0x72, 0, 1, "fclass.h", "zfh"), FX(0x73, 0, 1, "fclass.q", "q"),
	FX(0x70, 0, 0, "fmv.x.w", "f"), FX(0x71, 0, 0, "fmv.x.d", "d"), FX(0x72, 0, 0, "fmv.x.h", "zfh"),
	FX(0x78, 0, 0, "fmv.w.x", "f"), FX(0x79, 0, 0, "fmv.d.x", "d"), FX(0x7a, 0, 0, "fmv.h.x", "zfh"),
	FALLX(0x1e, 1, 0, "fli", "zfa"),
	FU(0x60, 0, "fcvt.w.s", "f"), FU(0x60, 1, "fcvt.wu.s", "f"), FU(0x60, 2, "fcvt.l.s", "f"), FU(0x60, 3, "fcvt.lu.s", "f"),
	FU(0x61, 0, "fcvt.w.d", "d"), FU(0x61, 1, "fcvt.wu.d", "d"), FU(0x61, 2, "fcvt.l.d", "d"), FU(0x61, 3, "fcvt.lu.d", "d"),
	FX(0x61, 8, 1, "fcvtmod.w.d", "zfa"),
	FU(0x62, 0, "fcvt.w.h", "zfh"), FU(0x62, 1, "fcvt.wu.h", "zfh"), FU(0x62, 2, "fcvt.l.h", "zfh"), FU(0x62, 3, "fcvt.lu.h", "zfh"),
	FU(0x63, 0, "fcvt.w.q", "q"), FU(0x63, 1, "fcvt.wu.q", "q"), FU(0x63, 2, "fcvt.l.q", "q"), FU(0x63, 3, "fcvt.lu.q", "q"),
	FROMI(0x68, "s", "f"), FROMI(0x69, "d", "d"), FROMI(0x6a, "h", "zfh"), FROMI(0x6b, "q", "q"),
	FU(0x20, 1, "fcvt.s.d", "d"), FU(0x20, 2, "fcvt.s.h", "zfh"), FU(0x21, 0, "fcvt.d.s", "d"),
	FU(0x21, 2, "fcvt.d.h", "zfh"), FU(0x22, 0, "fcvt.h.s", "zfh"), FU(0x22, 1, "fcvt.h.d", "zfh"),
	FU(0x20, 3, "fcvt.s.q", "q"), FU(0x21, 3, "fcvt.d.q", "q"), FU(0x22, 3, "fcvt.h.q", "q"),
	FU(0x23, 0, "fcvt.q.s", "q"), FU(0x23, 1, "fcvt.q.d", "q"), FU(0x23, 2, "fcvt.q.h", "q"),
	FX(0x71, 1, 0, "fmvh.x.d", "zfa"), FX(0x73, 1, 0, "fmvh.x.q", "zfa"),
	F3(0x59, 0, "fmvp.d.x", "zfa"), F3(0x5b, 0, "fmvp.q.x", "zfa"),
	FU(0x20, 6, "fcvt.s.bf16", "zfbfmin"), FU(0x22, 8, "fcvt.bf16.s", "zfbfmin"),
	FALLU(0x08, 4, "fround"), FALLU(0x08, 5, "froundnx"),
	/* vector: the extension alone */
	U_(0x57, NULL, "v"), U_(0x07, NULL, "v"), U_(0x27, NULL, "v"), U_(0x77, NULL, "zvk"),
};

/* 16-bit encodings; what is special stands before its family. */
#define C_(mask, match, name)   {mask, match, name, "c", 0}
#define C64(mask, match, name)  {mask, match, name, "c", RV64_ONLY}
#define C32(mask, match, name)  {mask, match, name, "c", RV32_ONLY}
#define CB(mask, match, name)   {mask, match, name, "zcb", 0}
#define CM(mask, match, name, ext)   {mask, match, name, ext, CAIRN_ISA_ZCMP}
#define CLSD(match, name)       {0xe003, match, name, "zclsd", CAIRN_ISA_ZCLSD}
static const struct row rows16[] = {
	C_(0xffff, 0x0000, "c.unimp"),
	CM(0xff03, 0xb802, "cm.push", "zcmp"), CM(0xff03, 0xba02, "cm.pop", "zcmp"),
	CM(0xff03, 0xbc02, "cm.popretz", "zcmp"), CM(0xff03, 0xbe02, "cm.popret", "zcmp"),
	CM(0xfc63, 0xac22, "cm.mvsa01", "zcmp"), CM(0xfc63, 0xac62, "cm.mva01s", "zcmp"),
	CM(0xff83, 0xa002, "cm.jt", "zcmt"), CM(0xfc03, 0xa002, "cm.jalt", "zcmt"),
	CLSD(0x6000, "c.ld"), CLSD(0xe000, "c.sd"), CLSD(0x6002, "c.ldsp"), CLSD(0xe002, "c.sdsp"),
	C_(0xe003, 0x0000, "c.addi4spn"), C_(0xe003, 0x2000, "c.fld"), C_(0xe003, 0x4000, "c.lw"),
	C64(0xe003, 0x6000, "c.ld"), C32(0xe003, 0x6000, "c.flw"), C_(0xe003, 0xa000, "c.fsd"),
	C_(0xe003, 0xc000, "c.sw"), C64(0xe003, 0xe000, "c.sd"), C32(0xe003, 0xe000, "c.fsw"),
	CB(0xfc03, 0x8000, "c.lbu"), CB(0xfc43, 0x8400, "c.lhu"), CB(0xfc43, 0x8440, "c.lh"),
	CB(0xfc03, 0x8800, "c.sb"), CB(0xfc43, 0x8c00, "c.sh"),
	C_(0xffff, 0x0001, "c.nop"), C_(0xef83, 0x0001, "c.nop"), C_(0xe003, 0x0001, "c.addi"),
	C64(0xe003, 0x2001, "c.addiw"), C32(0xe003, 0x2001, "c.jal"), C_(0xe003, 0x4001, "c.li"),
	C_(0xef83, 0x6101, "c.addi16sp"), {0xffff, 0x6081, "c.sspush", "zicfiss", SHADOW},
	{0xffff, 0x6281, "c.sspopchk", "zicfiss", SHADOW}, {0xf8ff, 0x6081, "c.mop", "zcmop", 0}, C_(0xe003, 0x6001, "c.lui"),
	C_(0xec03, 0x8001, "c.srli"), C_(0xec03, 0x8401, "c.srai"), C_(0xec03, 0x8801, "c.andi"),
	C_(0xfc63, 0x8c01, "c.sub"), C_(0xfc63, 0x8c21, "c.xor"), C_(0xfc63, 0x8c41, "c.or"),
	C_(0xfc63, 0x8c61, "c.and"), C64(0xfc63, 0x9c01, "c.subw"), C64(0xfc63, 0x9c21, "c.addw"),
	CB(0xfc63, 0x9c41, "c.mul"), CB(0xfc7f, 0x9c61, "c.zext.b"), CB(0xfc7f, 0x9c65, "c.sext.b"),
	CB(0xfc7f, 0x9c69, "c.zext.h"), CB(0xfc7f, 0x9c6d, "c.sext.h"), CB(0xfc7f, 0x9c71, "c.zext.w"),
	CB(0xfc7f, 0x9c75, "c.not"),
	C_(0xe003, 0xa001, "c.j"), C_(0xe003, 0xc001, "c.beqz"), C_(0xe003, 0xe001, "c.bnez"),
	C_(0xe003, 0x0002, "c.slli"), C_(0xe003, 0x2002, "c.fldsp"), C_(0xe003, 0x4002, "c.lwsp"),
	C64(0xe003, 0x6002, "c.ldsp"), C32(0xe003, 0x6002, "c.flwsp"),
	C_(0xf07f, 0x8002, "c.jr"), C_(0xf003, 0x8002, "c.mv"), C_(0xffff, 0x9002, "c.ebreak"),
	C_(0xf07f, 0x9002, "c.jalr"), C_(0xf003, 0x9002, "c.add"), C_(0xe003, 0xa002, "c.fsdsp"),
	C_(0xe003, 0xc002, "c.swsp"), C64(0xe003, 0xe002, "c.sdsp"), C32(0xe003, 0xe002, "c.fswsp"),
};
/* clang-format on */

static const struct row *riscv_mnemonics_search(const struct row *rows, size_t n, uint32_t enc,
                                                unsigned is)
{
	for (size_t i = 0; i < n; i++)
		if ((enc & rows[i].mask) == rows[i].match && (!rows[i].only || (rows[i].only & is)))
			return &rows[i];
	return NULL;
}

void isa_riscv_name(const struct cairn_op *op, const char **name, const char **ext)
{
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	unsigned is = (rv32 ? RV32_ONLY : RV64_ONLY) |
	              (op->variant & CAIRN_ISA_NO_ZICFISS ? 0 : SHADOW) |
	              (op->variant & (rv32 ? CAIRN_ISA_VARIANTS : ~(unsigned)CAIRN_ISA_ZCLSD));
	const struct row *row =
		op->cls == CAIRN_CLASS_ILLEGAL ? NULL
		: op->size == 2
			? riscv_mnemonics_search(rows16, sizeof rows16 / sizeof *rows16, op->enc, is)
		: op->size == 4
			? riscv_mnemonics_search(rows32, sizeof rows32 / sizeof *rows32, op->enc, is)
			: NULL;
	*name = row ? row->name : NULL;
	*ext = row ? row->ext : NULL;
	bool fp = op->size == 4 && ((op->enc & 0x73) == 0x43 || (op->enc & 0x7f) == 0x53);
	if (row && fp && op->variant & CAIRN_ISA_ZFINX)
		*ext = !strcmp(*ext, "d") ? "zdinx" : !strcmp(*ext, "zfh") ? "zhinx" : "zfinx";
}
