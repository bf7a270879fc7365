/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: the operands of scalar floating point, for the registers they are in.
 *
 * F, D, Q and Zfh have registers of their own. With Zfinx, Zdinx and Zhinx the same
 * encodings name integer registers, on RV32 pairs of them for a double, and what only
 * moves between the two files does not exist; Q and what Zfa and Zfbfmin add is not
 * there either.
 */
#include "isa/isa.h"

void isa_riscv_fp_kinds(uint32_t enc, char kinds[4])
{
	unsigned f5 = enc >> 27, rs2 = enc >> 20 & 31;
	char fmt = "sdhq"[enc >> 25 & 3];
	kinds[0] = kinds[1] = kinds[2] = fmt;
	kinds[3] = (enc & 0x7f) == 0x53 ? 0 : fmt;
	if ((enc & 0x7f) != 0x53) /* fmadd … fnmadd */
		return;
	if (f5 == 0x14 || f5 == 0x18 || f5 == 0x1c) /* feq …, fcvt.w.s …, fmv.x.w and fclass */
		kinds[0] = 'x';
	if (f5 == 0x08) /* fcvt.s.d …, fround, fcvt.s.bf16, fcvt.bf16.s */
		kinds[1] = rs2 < 4 ? "sdhq"[rs2] : rs2 == 6 ? 'h' : rs2 == 8 ? 's' : fmt;
	if (f5 == 0x1a || f5 == 0x1e || f5 == 0x16)      /* fcvt.s.w …, fmv.w.x, fmvp */
		kinds[1] = f5 == 0x1e && rs2 == 1 ? 0 : 'x'; /* fli */
	if (f5 == 0x16)
		kinds[2] = 'x';
	else if (f5 == 0x08 || f5 == 0x0b || (f5 >= 0x18 && f5 <= 0x1e))
		kinds[2] = 0;
}

bool isa_riscv_zfinx_has(uint32_t enc, bool rv32)
{
	unsigned f5 = enc >> 27, f3 = enc >> 12 & 7, rs2 = enc >> 20 & 31;
	if ((enc >> 25 & 3) == 3)
		return false;
	if ((enc & 0x7f) == 0x53 &&
	    (f5 == 0x1e || f5 == 0x16 || (f5 == 0x1c && f3 == 0) || (f5 == 0x05 && f3 > 1) ||
	     (f5 == 0x14 && f3 > 3) || ((f5 == 0x18 || f5 == 0x08) && rs2 > 3)))
		return false;
	char kinds[4];
	unsigned regs[] = {enc >> 7 & 31, enc >> 15 & 31, rs2, f5};
	isa_riscv_fp_kinds(enc, kinds);
	for (int i = 0; i < 4; i++)
		if (rv32 && kinds[i] == 'd' && regs[i] & 1)
			return false;
	return true;
}
