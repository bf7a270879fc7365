/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_OPERANDS_H
#define ISA_OPERANDS_H
/*
 * Adding registers to an instruction's operands, for sets whose general register 0 is the
 * constant zero and no operand. What has no room any more is left out.
 */
#include "cairn/isa.h"

static inline void operand_read(struct cairn_operands *o, unsigned cls, unsigned num)
{
	if ((cls != CAIRN_REG_INT || num) && o->n_src < sizeof o->src / sizeof *o->src)
		o->src[o->n_src++] = (struct cairn_operand){(uint16_t)num, (uint8_t)cls};
}

static inline void operand_written(struct cairn_operands *o, unsigned cls, unsigned num)
{
	if ((cls != CAIRN_REG_INT || num) && o->n_dst < sizeof o->dst / sizeof *o->dst)
		o->dst[o->n_dst++] = (struct cairn_operand){(uint16_t)num, (uint8_t)cls};
}

#endif
