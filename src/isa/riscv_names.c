/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: names of registers, both ways.
 *
 * Integer, floating-point and vector registers are a letter and a number, the
 * first two with an ABI name besides. CSRs stand in one table sorted by number;
 * a row is one CSR or a numbered run ("hpmcounter3" … "hpmcounter31"). Both the
 * RV32-only upper halves and the RV64 CSRs are listed whatever XLEN is: their
 * numbers do not clash, and a trace that uses one deserves its name.
 *
 * Sources: the CSR listing of the privileged manual (2025) with Smaia, Smstateen,
 * Sscofpmf, Smcdeleg, Sstc, Smrnmi, Smctr, Ssqosid and Smcntrpmf; the debug
 * specification 1.0; Zcmt, Zkr, Zicfiss and V of the unprivileged manual.
 *
 * Number 32 of the integer class is the program counter: STF records it so.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "isa/isa.h"

enum { STF_PC = 32 };

static const char x_abi[32][5] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                  "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                  "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                  "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

static const char f_abi[32][5] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                  "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                  "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                  "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

/* A CSR, or `count` of them numbered from `base`: name, number, suffix. */
struct csr {
	uint16_t num;
	uint8_t count, base;
	char name[14];
	char suffix[2];
};

static const struct csr csrs[] = {
	/* unprivileged, read and write */
	{0x001, 1, 0, "fflags", ""},
	{0x002, 1, 0, "frm", ""},
	{0x003, 1, 0, "fcsr", ""},
	{0x008, 1, 0, "vstart", ""},
	{0x009, 1, 0, "vxsat", ""},
	{0x00a, 1, 0, "vxrm", ""},
	{0x00f, 1, 0, "vcsr", ""},
	{0x011, 1, 0, "ssp", ""},
	{0x015, 1, 0, "seed", ""},
	{0x017, 1, 0, "jvt", ""},
	/* supervisor */
	{0x100, 1, 0, "sstatus", ""},
	{0x104, 1, 0, "sie", ""},
	{0x105, 1, 0, "stvec", ""},
	{0x106, 1, 0, "scounteren", ""},
	{0x10a, 1, 0, "senvcfg", ""},
	{0x10c, 4, 0, "sstateen", ""},
	{0x114, 1, 0, "sieh", ""},
	{0x120, 1, 0, "scountinhibit", ""},
	{0x140, 1, 0, "sscratch", ""},
	{0x141, 1, 0, "sepc", ""},
	{0x142, 1, 0, "scause", ""},
	{0x143, 1, 0, "stval", ""},
	{0x144, 1, 0, "sip", ""},
	{0x14d, 1, 0, "stimecmp", ""},
	{0x14e, 1, 0, "sctrctl", ""},
	{0x14f, 1, 0, "sctrstatus", ""},
	{0x150, 1, 0, "siselect", ""},
	{0x151, 1, 0, "sireg", ""},
	{0x152, 2, 2, "sireg", ""},
	{0x154, 1, 0, "siph", ""},
	{0x155, 3, 4, "sireg", ""},
	{0x15c, 1, 0, "stopei", ""},
	{0x15d, 1, 0, "stimecmph", ""},
	{0x15f, 1, 0, "sctrdepth", ""},
	{0x180, 1, 0, "satp", ""},
	{0x181, 1, 0, "srmcfg", ""},
	/* virtual supervisor */
	{0x200, 1, 0, "vsstatus", ""},
	{0x204, 1, 0, "vsie", ""},
	{0x205, 1, 0, "vstvec", ""},
	{0x214, 1, 0, "vsieh", ""},
	{0x240, 1, 0, "vsscratch", ""},
	{0x241, 1, 0, "vsepc", ""},
	{0x242, 1, 0, "vscause", ""},
	{0x243, 1, 0, "vstval", ""},
	{0x244, 1, 0, "vsip", ""},
	{0x24d, 1, 0, "vstimecmp", ""},
	{0x24e, 1, 0, "vsctrctl", ""},
	{0x250, 1, 0, "vsiselect", ""},
	{0x251, 1, 0, "vsireg", ""},
	{0x252, 2, 2, "vsireg", ""},
	{0x254, 1, 0, "vsiph", ""},
	{0x255, 3, 4, "vsireg", ""},
	{0x25c, 1, 0, "vstopei", ""},
	{0x25d, 1, 0, "vstimecmph", ""},
	{0x280, 1, 0, "vsatp", ""},
	/* machine */
	{0x300, 1, 0, "mstatus", ""},
	{0x301, 1, 0, "misa", ""},
	{0x302, 1, 0, "medeleg", ""},
	{0x303, 1, 0, "mideleg", ""},
	{0x304, 1, 0, "mie", ""},
	{0x305, 1, 0, "mtvec", ""},
	{0x306, 1, 0, "mcounteren", ""},
	{0x308, 1, 0, "mvien", ""},
	{0x309, 1, 0, "mvip", ""},
	{0x30a, 1, 0, "menvcfg", ""},
	{0x30c, 4, 0, "mstateen", ""},
	{0x310, 1, 0, "mstatush", ""},
	{0x312, 1, 0, "medelegh", ""},
	{0x313, 1, 0, "midelegh", ""},
	{0x314, 1, 0, "mieh", ""},
	{0x318, 1, 0, "mvienh", ""},
	{0x319, 1, 0, "mviph", ""},
	{0x31a, 1, 0, "menvcfgh", ""},
	{0x31c, 4, 0, "mstateen", "h"},
	{0x320, 1, 0, "mcountinhibit", ""},
	{0x321, 1, 0, "mcyclecfg", ""},
	{0x322, 1, 0, "minstretcfg", ""},
	{0x323, 29, 3, "mhpmevent", ""},
	{0x340, 1, 0, "mscratch", ""},
	{0x341, 1, 0, "mepc", ""},
	{0x342, 1, 0, "mcause", ""},
	{0x343, 1, 0, "mtval", ""},
	{0x344, 1, 0, "mip", ""},
	{0x34a, 1, 0, "mtinst", ""},
	{0x34b, 1, 0, "mtval2", ""},
	{0x34e, 1, 0, "mctrctl", ""},
	{0x350, 1, 0, "miselect", ""},
	{0x351, 1, 0, "mireg", ""},
	{0x352, 2, 2, "mireg", ""},
	{0x354, 1, 0, "miph", ""},
	{0x355, 3, 4, "mireg", ""},
	{0x35c, 1, 0, "mtopei", ""},
	{0x3a0, 16, 0, "pmpcfg", ""},
	{0x3b0, 64, 0, "pmpaddr", ""},
	/* debug context of the supervisor */
	{0x5a8, 1, 0, "scontext", ""},
	/* hypervisor */
	{0x600, 1, 0, "hstatus", ""},
	{0x602, 1, 0, "hedeleg", ""},
	{0x603, 1, 0, "hideleg", ""},
	{0x604, 1, 0, "hie", ""},
	{0x605, 1, 0, "htimedelta", ""},
	{0x606, 1, 0, "hcounteren", ""},
	{0x607, 1, 0, "hgeie", ""},
	{0x608, 1, 0, "hvien", ""},
	{0x609, 1, 0, "hvictl", ""},
	{0x60a, 1, 0, "henvcfg", ""},
	{0x60c, 4, 0, "hstateen", ""},
	{0x612, 1, 0, "hedelegh", ""},
	{0x613, 1, 0, "hidelegh", ""},
	{0x615, 1, 0, "htimedeltah", ""},
	{0x618, 1, 0, "hvienh", ""},
	{0x61a, 1, 0, "henvcfgh", ""},
	{0x61c, 4, 0, "hstateen", "h"},
	{0x643, 1, 0, "htval", ""},
	{0x644, 1, 0, "hip", ""},
	{0x645, 1, 0, "hvip", ""},
	{0x646, 2, 1, "hviprio", ""},
	{0x64a, 1, 0, "htinst", ""},
	{0x655, 1, 0, "hviph", ""},
	{0x656, 2, 1, "hviprio", "h"},
	{0x680, 1, 0, "hgatp", ""},
	{0x6a8, 1, 0, "hcontext", ""},
	/* machine, continued: upper halves, security, non-maskable interrupts */
	{0x721, 1, 0, "mcyclecfgh", ""},
	{0x722, 1, 0, "minstretcfgh", ""},
	{0x723, 29, 3, "mhpmevent", "h"},
	{0x740, 1, 0, "mnscratch", ""},
	{0x741, 1, 0, "mnepc", ""},
	{0x742, 1, 0, "mncause", ""},
	{0x744, 1, 0, "mnstatus", ""},
	{0x747, 1, 0, "mseccfg", ""},
	{0x757, 1, 0, "mseccfgh", ""},
	/* triggers and debug mode */
	{0x7a0, 1, 0, "tselect", ""},
	{0x7a1, 3, 1, "tdata", ""},
	{0x7a4, 1, 0, "tinfo", ""},
	{0x7a5, 1, 0, "tcontrol", ""},
	{0x7a8, 1, 0, "mcontext", ""},
	{0x7aa, 1, 0, "mscontext", ""},
	{0x7b0, 1, 0, "dcsr", ""},
	{0x7b1, 1, 0, "dpc", ""},
	{0x7b2, 2, 0, "dscratch", ""},
	/* counters */
	{0xb00, 1, 0, "mcycle", ""},
	{0xb02, 1, 0, "minstret", ""},
	{0xb03, 29, 3, "mhpmcounter", ""},
	{0xb80, 1, 0, "mcycleh", ""},
	{0xb82, 1, 0, "minstreth", ""},
	{0xb83, 29, 3, "mhpmcounter", "h"},
	{0xc00, 1, 0, "cycle", ""},
	{0xc01, 1, 0, "time", ""},
	{0xc02, 1, 0, "instret", ""},
	{0xc03, 29, 3, "hpmcounter", ""},
	{0xc20, 1, 0, "vl", ""},
	{0xc21, 1, 0, "vtype", ""},
	{0xc22, 1, 0, "vlenb", ""},
	{0xc80, 1, 0, "cycleh", ""},
	{0xc81, 1, 0, "timeh", ""},
	{0xc82, 1, 0, "instreth", ""},
	{0xc83, 29, 3, "hpmcounter", "h"},
	{0xda0, 1, 0, "scountovf", ""},
	{0xdb0, 1, 0, "stopi", ""},
	{0xe12, 1, 0, "hgeip", ""},
	{0xeb0, 1, 0, "vstopi", ""},
	/* machine information */
	{0xf11, 1, 0, "mvendorid", ""},
	{0xf12, 1, 0, "marchid", ""},
	{0xf13, 1, 0, "mimpid", ""},
	{0xf14, 1, 0, "mhartid", ""},
	{0xf15, 1, 0, "mconfigptr", ""},
	{0xfb0, 1, 0, "mtopi", ""},
};

enum { N_CSRS = sizeof csrs / sizeof *csrs };

/* A run has at least two members; a lone CSR has no number to append. */
static bool is_run(const struct csr *csr)
{
	return csr->count > 1;
}

static const char *riscv_names_csr_name(unsigned num, char *buf)
{
	size_t lo = 0, hi = N_CSRS;
	while (lo < hi)
		base_halve(&lo, &hi, csrs[base_half(lo, hi)].num + csrs[base_half(lo, hi)].count <= num);
	if (lo == N_CSRS || num < csrs[lo].num) {
		(void)snprintf(buf, 16, "csr0x%x", num);
		return buf;
	}
	const struct csr *csr = &csrs[lo];
	if (!is_run(csr))
		return csr->name;
	(void)snprintf(buf, 16, "%s%u%s", csr->name, csr->base + num - csr->num, csr->suffix);
	return buf;
}

static const char *lettered(char letter, unsigned num, char *buf)
{
	(void)snprintf(buf, 16, "%c%u", letter, num);
	return buf;
}

const char *isa_riscv_reg_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	switch (cls) {
	case CAIRN_REG_INT:
		return num == STF_PC ? "pc" : lettered('x', num, buf);
	case CAIRN_REG_FP:
		return lettered('f', num, buf);
	case CAIRN_REG_VECTOR:
		return lettered('v', num, buf);
	case CAIRN_REG_CSR:
		return riscv_names_csr_name(num, buf);
	case CAIRN_REG_PC:
		return "pc";
	default:
		return NULL;
	}
}

const char *isa_riscv_reg_abi_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	if (cls == CAIRN_REG_INT && num < 32)
		return x_abi[num];
	if (cls == CAIRN_REG_FP && num < 32)
		return f_abi[num];
	return isa_riscv_reg_name(cls, num, buf);
}

/* ---- from names to numbers ---- */

static bool is(const char *name, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(name, word, n) == 0;
}

/* The whole of `text` as a number written the usual way; false if it is none or
 * above `max`. */
static bool riscv_names_number(const char *text, size_t n, unsigned radix, unsigned max,
                               unsigned *out)
{
	static const char digits[] = "0123456789abcdef";
	unsigned v = 0;
	if (n == 0 || (radix == 10 && n > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = text[i] >= 'A' && text[i] <= 'F' ? (char)(text[i] + ('a' - 'A')) : text[i];
		const char *d = memchr(digits, c, radix);
		if (!d)
			return false;
		v = v * radix + (unsigned)(d - digits);
		if (v > max)
			return false;
	}
	*out = v;
	return true;
}

static bool find_csr(const char *name, size_t n, unsigned *num)
{
	for (const struct csr *csr = csrs; csr < csrs + N_CSRS; csr++) {
		size_t stem = strlen(csr->name), tail = strlen(csr->suffix);
		unsigned k;
		if (!is_run(csr)) {
			if (!is(name, n, csr->name))
				continue;
			*num = csr->num;
			return true;
		}
		if (n <= stem + tail || memcmp(name, csr->name, stem) != 0 ||
		    memcmp(name + n - tail, csr->suffix, tail) != 0)
			continue;
		if (riscv_names_number(name + stem, n - stem - tail, 10, csr->base + csr->count - 1u, &k) &&
		    k >= csr->base) {
			*num = csr->num + k - csr->base;
			return true;
		}
	}
	return n > 5 && memcmp(name, "csr0x", 5) == 0 &&
	       riscv_names_number(name + 5, n - 5, 16, 0xfff, num);
}

static bool find_abi(const char *name, size_t n, const char names[32][5], unsigned *num)
{
	for (unsigned i = 0; i < 32; i++)
		if (is(name, n, names[i])) {
			*num = i;
			return true;
		}
	return false;
}

int isa_riscv_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num)
{
	static const struct {
		char letter;
		uint8_t cls;
	} banks[] = {{'x', CAIRN_REG_INT}, {'f', CAIRN_REG_FP}, {'v', CAIRN_REG_VECTOR}};
	for (size_t i = 0; i < sizeof banks / sizeof *banks; i++)
		if (n > 1 && name[0] == banks[i].letter &&
		    riscv_names_number(name + 1, n - 1, 10, 31, num)) {
			*cls = (enum cairn_reg_class)banks[i].cls;
			return 0;
		}
	*cls = CAIRN_REG_INT;
	if (find_abi(name, n, x_abi, num))
		return 0;
	if (is(name, n, "fp")) {
		*num = 8;
		return 0;
	}
	*cls = CAIRN_REG_FP;
	if (find_abi(name, n, f_abi, num))
		return 0;
	*cls = CAIRN_REG_CSR;
	if (find_csr(name, n, num))
		return 0;
	*num = 0;
	*cls = is(name, n, "pc") ? CAIRN_REG_PC : CAIRN_REG_UNKNOWN;
	return *cls == CAIRN_REG_PC ? 0 : CAIRN_E_NOTFOUND;
}

/* ---- causes of exceptions (privileged specification, table of mcause) ---- */

const char *isa_riscv_exception_name(uint64_t cause)
{
	static const char *const names[] = {"INST_ADDR_MISALIGN",
	                                    "INST_ADDR_FAULT",
	                                    "ILLEGAL_INST",
	                                    "BREAKPOINT",
	                                    "LOAD_ADDR_MISALIGN",
	                                    "LOAD_ACCESS_FAULT",
	                                    "STORE_ADDR_MISALIGN",
	                                    "STORE_ACCESS_FAULT",
	                                    "USER_ECALL",
	                                    "SUPERVISOR_ECALL",
	                                    "HYPERVISOR_ECALL",
	                                    "MACHINE_ECALL",
	                                    "INST_PAGE_FAULT",
	                                    "LOAD_PAGE_FAULT",
	                                    NULL,
	                                    "STORE_PAGE_FAULT",
	                                    "DOUBLE_TRAP_FAULT",
	                                    NULL,
	                                    "SOFTWARE_CHECK_FAULT",
	                                    "HARDWARE_ERROR_FAULT",
	                                    "GUEST_INST_PAGE_FAULT",
	                                    "GUEST_LOAD_PAGE_FAULT",
	                                    "VIRTUAL_INST",
	                                    "GUEST_STORE_PAGE_FAULT"};
	return cause < sizeof names / sizeof *names ? names[cause] : NULL;
}
