/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_DECODER_H
#define VIXL_DECODER_H
/* Decoding: what the files that fill a batch from lines share. */
#include "base/bytes.h"
#include "formats/vixl/vixl.h"
#include "isa/arm64.h"
#include "kit/rows.h"

/* The bits of FPCR that are shown. */
enum { VIXL_FPCR_LSB = 22, VIXL_FPCR_BITS = 5 };
/* The numbers of the simulator's own instructions, in HLT. */
enum { VIXL_HLT_TRACE = 0xdeb2, VIXL_HLT_LOG = 0xdeb3, VIXL_TRACE_BYTES = 12 };
/* Codes of CAIRN_EV_FORMAT: a guarded control stack; args: stack, index, address. */
enum { VIXL_EV_GCS_PUSH = 1, VIXL_EV_GCS_POP = 2 };

enum { VIXL_ROWS = 16 }; /* lines of accesses to one 16-byte piece of registers */

struct vixl_decoder {
	struct cairn_reader *reader;
	const struct vixl_impl *im;
	struct vixl_worker *worker;
	struct model_span *span;
	struct text_span *ss;
	struct text_place *at;
	struct vixl_onward *onward;
	struct kit_rows rows;
	bool logged;            /* taken branches have lines */
	bool states_only;       /* rows are numbered by line, not in order */
	struct cairn_insn *cur; /* the slot's instruction, NULL: none yet */
	uint64_t begun;         /* byte offset of its line */
	struct cairn_op op;     /* of cur */
	struct vixl_flow flow;  /* of cur */
	uint8_t role;           /* of a register that is not stored */
	/* the register lines just before, without accesses of their own */
	unsigned group; /* how many */
	unsigned cells; /* bytes of the registers drawn: 8 or 16 */
	unsigned chunk; /* first byte of the piece of a Z register */
	bool old_x;     /* the line just before was a whole X */
	unsigned last_num;
	/* the lines of accesses to them so far */
	unsigned lines;
	unsigned drawn; /* how many there will be, by the first one; 0: it does not show */
	uint32_t row_mem[VIXL_ROWS];
	unsigned row_spaces[VIXL_ROWS];
	unsigned row_values[VIXL_ROWS];
	/* a P register's first piece in memory */
	bool p_known;
	unsigned p_num;
	uint64_t p_base;
};

/* New rows, NULL (and counted) when there is no room or they are not wanted. */
struct cairn_reg *vixl_reg(struct vixl_decoder *decoder, uint8_t cls, unsigned num, uint8_t role);
struct cairn_mem *vixl_mem(struct vixl_decoder *decoder, uint8_t kind, uint64_t addr,
                           uint32_t size);
void vixl_mem_value(struct vixl_decoder *decoder, struct cairn_mem *mem, const uint64_t *values,
                    unsigned bytes);

/* Why an encoding needs fix.c. */
enum vixl_trap {
	VIXL_TRAP_NONE,
	VIXL_TRAP_ATOMIC,
	VIXL_TRAP_SWAP,
	VIXL_TRAP_LOAD_ACQUIRE,
	VIXL_TRAP_COMPARE,
	VIXL_TRAP_UNSCALED,
	VIXL_TRAP_FLAGS,
	VIXL_TRAP_TAGS,
	VIXL_TRAP_TAG_PAIR,
	VIXL_TRAP_BROADCAST,
	VIXL_TRAP_REPLICATE
};
enum vixl_trap vixl_trap_of(uint32_t encoding);
/* An atomic with one register for operand and target: the operand's row, behind the
 * target's, is what the register held before. */
static inline bool vixl_same_register(uint32_t enc)
{
	enum vixl_trap trap = vixl_trap_of(enc);
	return (trap == VIXL_TRAP_ATOMIC || trap == VIXL_TRAP_SWAP) && (enc & 31) != 31 &&
	       (enc >> 16 & 31) == (enc & 31);
}

/* reg_state.c: what a register (31: SP) held before the instruction `cur`, or the flags behind it
 * if it changes them without a line. False: not known. */
bool vixl_reg_state(struct vixl_decoder *decoder, unsigned num, uint64_t *value);
bool vixl_reg_state_flags(struct vixl_decoder *decoder, uint64_t *nzcv);

/* fix.c: mend what the text gives wrongly, or not at all, of the instruction that ends here. */
void vixl_fix(struct vixl_decoder *decoder);

#endif
