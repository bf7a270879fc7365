/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_RISCV_H
#define RECORDER_RISCV_H
/* What the recorder must know of an RV64GC encoding before it has run. */
#include <stdbool.h>
#include <stdint.h>

enum flow { FLOW_NEXT, FLOW_BRANCH, FLOW_JUMP, FLOW_JUMP_REG, FLOW_ECALL };

struct rv_op {
	uint8_t int_dest; /* integer register written, 0 none */
	uint8_t fp_dest;  /* floating-point register written + 1, 0 none */
	uint8_t flow;     /* enum flow */
	uint8_t base;     /* FLOW_JUMP_REG: the register jumped through */
	bool amo;         /* reads and writes memory at once */
	int64_t offset;   /* from the pc, or from the base register */
};

void rv_decode(uint32_t enc, unsigned size, struct rv_op *op);

#endif
