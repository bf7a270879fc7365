/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_CODE_H
#define ETE_CODE_H
/*
 * The program that ran, in blocks: each from an address to the next instruction that a trace unit
 * reports (a P0 instruction).
 *
 * A decoder would spend most of its time walking instruction by instruction. Programs repeat, so
 * blocks are kept, by address, instruction set and the bytes that the memory space has there.
 */
#include "base/base.h"
#include "cairn/image.h"
#include "image/image.h"
#include "isa/arm.h"

/* No run of instructions without a P0 instruction is followed further than this. */
enum { ETE_CODE_FAR = 1 << 20 };

/* Instructions that are P0 only where the trace unit's registers say so. */
enum ete_also { ETE_ALSO_WAITS = 1, ETE_ALSO_LOADS = 2, ETE_ALSO_STORES = 4 };

enum ete_calls { ETE_CALLS_UNKNOWN, ETE_NO_CALLS, ETE_CALLS };
struct ete_block {
	uint64_t addr;
	uint64_t end;    /* behind its last instruction */
	uint64_t target; /* direct: where it goes if taken */
	const uint8_t *bytes;
	/* Where it goes, if that was asked for before. */
	struct ete_block *taken, *falls;
	uint32_t n; /* instructions */
	uint16_t view;
	uint8_t isa;
	/* Of the last instruction. NONE: the block ends for another reason, and the flow
	 * goes on with the block at `end`. */
	uint8_t kind;  /* enum isa_arm_kind */
	uint8_t flags; /* enum isa_arm_flow_flag */
	uint8_t size;
	uint8_t target_isa;
	uint8_t own[4]; /* the bytes, when they do not lie in one piece */
	uint8_t calls;  /* an SVC is in it: enum ete_calls, by which exception level made it */
	bool counted;   /* by class, by who wanted it: */
	bool branch;    /* the last one is */
	uint32_t loads, stores, branches;
};

struct ete_code {
	struct cairn *cairn;
	const struct cairn_image *image; /* NULL: none */
	enum isa_arm_level level;
	unsigned also; /* what else is P0: enum ete_also */
	bool failed;   /* out of memory */
	struct ete_block **table;
	size_t mask, used;
	struct ete_block *chunks[64];
	size_t n_chunks;
	uint64_t generation; /* grows when all blocks are forgotten */
};

void ete_code_init(struct ete_code *code, struct cairn *cairn, const struct cairn_image *image,
                   enum isa_arm_level level, unsigned also);
void ete_code_free(struct ete_code *code);
/* What is seen: for ete_code_block. */
unsigned ete_code_view(const struct ete_code *code, const struct image_seer *who);
/* The block at an address. NULL when there are no bytes for its first instruction, or no memory
 * (code->failed). Valid until the generation changes. */
struct ete_block *ete_code_block(struct ete_code *code, uint64_t addr, unsigned isa, unsigned view);

/* Is a P0 instruction a context synchronisation event, behind which nothing speculative is
 * traced (RQHQLY)? */
static inline bool ete_is_event(unsigned kind, unsigned flags)
{
	return kind == ISA_ARM_ISB || flags & ISA_ARM_ERET;
}

/* Does execution go on behind it, whatever its last instruction does? */
static inline bool ete_goes_on(const struct ete_block *block)
{
	return block->kind == ISA_ARM_NONE || block->kind == ISA_ARM_ISB ||
	       block->kind == ISA_ARM_WFX || block->kind == ISA_ARM_MEMORY;
}

#endif
