/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_OPERANDS_H
#define ISA_OPERANDS_H
/*
 * Adding registers to an instruction's operands, for sets whose general register 0 is the
 * constant zero and no operand. What has no room any more is left out.
 */
#include "cairn/isa.h"

static inline void operand_read(struct cairn_operands *operands, unsigned cls, unsigned num)
{
	if ((cls != CAIRN_REG_INT || num) &&
	    operands->n_src < sizeof operands->src / sizeof *operands->src)
		operands->src[operands->n_src++] = (struct cairn_operand){(uint16_t)num, (uint8_t)cls};
}

static inline void operand_written(struct cairn_operands *operands, unsigned cls, unsigned num)
{
	if ((cls != CAIRN_REG_INT || num) &&
	    operands->n_dst < sizeof operands->dst / sizeof *operands->dst)
		operands->dst[operands->n_dst++] = (struct cairn_operand){(uint16_t)num, (uint8_t)cls};
}

#endif
