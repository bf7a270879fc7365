/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_RULES_H
#define VIXL_RULES_H
/*
 * The rules of VIXL state traces, each described once. "state-trace" is VIXL's own
 * document (doc/aarch64/topics/state-trace.md), with its heading; "practice" what the
 * simulator does. The notes of the last group name what it is known to get wrong.
 */
#include "base/map.h"
#include "check/check.h"
#include "formats/vixl/read/decoder.h"

#define VIXL_RULES(R) \
	/* lines */ \
	R(INPUT_COMPLETE, "input.complete", ERROR, "practice", "the log can be read to its end") \
	R(REGISTER_NAME, "register.name", ERROR, "state-trace Whole register trace", \
	  "every register that is named exists: an unrecognised name is an error") \
	R(VALUE_SIZE, "value.size", ERROR, "state-trace Whole register trace", \
	  "a value has exactly the digits that fill its register or range of bits") \
	R(LINE_COLUMNS, "line.columns", WARNING, "practice", \
	  "names and values line up in the columns of the dialect") \
	R(LINE_COLOUR, "line.colour", WARNING, "practice", \
	  "a line is coloured, or spaced, as the simulator does it") \
	R(TEXT_FOREIGN, "text.foreign", NOTE, "practice", "the log has only the simulator's lines") \
	R(TEXT_GLUED, "text.glued", NOTE, "practice", \
	  "no line of the simulator's begins behind other text") \
	/* order */ \
	R(ORDER_FIRST, "order.instruction", ERROR, "state-trace Ordering", \
	  "an instruction is printed before its accesses") \
	R(ACCESS_ORPHAN, "access.orphan", ERROR, "state-trace Memory accesses", \
	  "a line of accesses follows the registers they belong to, as many as it has values") \
	R(ACCESS_VALUE, "access.value", ERROR, "state-trace Memory accesses", \
	  "what is drawn to a register is what that part of it holds") \
	/* flow */ \
	R(FLOW_NEXT, "flow.next", ERROR, "practice", \
	  "an instruction is where the one before it goes on") \
	R(FLOW_BRANCH, "flow.branch", ERROR, "practice", \
	  "only a branch, or a pseudo-instruction of the simulator, has a Branch line, and one") \
	R(FLOW_TARGET, "flow.target", ERROR, "practice", \
	  "the Branch line of a direct branch names the target of its encoding") \
	R(FLOW_MISSING, "flow.missing", ERROR, "practice", \
	  "an unconditional branch has a Branch line where branches are logged") \
	/* values */ \
	R(REGISTER_VALUE, "register.value", ERROR, "state-trace Ordering", \
	  "a register that is stored, or shown again, holds what was last written to it") \
	R(MEMORY_VALUE, "memory.value", ERROR, "state-trace Ordering", \
	  "what is loaded is what was last stored there") \
	R(MEMORY_CHANGED, "memory.changed", WARNING, "practice", \
	  "memory holds what was loaded from it before when nothing has stored there") \
	/* what the simulator is known to do */ \
	R(DEFECT_ATOMIC, "defect.atomic", NOTE, "practice", \
	  "an atomic shows what it stores (VIXL shows its operand)") \
	R(DEFECT_SAME, "defect.same-register", NOTE, "practice", \
	  "an atomic shows its operand (VIXL shows what was loaded when both are one register)") \
	R(DEFECT_UNSCALED, "defect.unscaled", NOTE, "practice", \
	  "LDAPUR shows its register once (VIXL shows its lower half again)") \
	R(DEFECT_BARE, "defect.bare", NOTE, "practice", \
	  "an access has a register and a value (VIXL: not for bytes of LDAPR, SWP and CAS)") \
	R(DEFECT_FLAGS, "defect.flags", NOTE, "practice", \
	  "flags that are written are shown (VIXL: not of CFINV, RMIF, SETF8 and others)") \
	R(DEFECT_STORE, "defect.store", NOTE, "practice", \
	  "what is stored is shown (VIXL: not of STGP, STZG and STZ2G)") \
	R(DEFECT_LOAD, "defect.load", NOTE, "practice", \
	  "what is loaded is shown (VIXL: not of SVE's LD1R and LD1RQ)") \
	R(DEFECT_PREDICATE, "defect.predicate", NOTE, "practice", \
	  "pieces of a predicate lie 2 bytes apart (VIXL counts 16)") \
	R(DEFECT_ANNOTATION, "defect.annotation", NOTE, "practice", \
	  "floating-point values are the register's own (VIXL repeats those of the first one)") \
	R(DEFECT_TWICE, "defect.twice", NOTE, "practice", "NZCV is shown once for an instruction")

enum vixl_rule {
#define VIXL_RULE_ENUM(name, id, severity, clause, text) VIXL_RULE_##name,
	VIXL_RULES(VIXL_RULE_ENUM)
#undef VIXL_RULE_ENUM
		VIXL_RULE_COUNT
};

/* What is known of registers: a byte of value, a byte 0 or 1 of knowledge. */
enum { VIXL_BANK_X, VIXL_BANK_V, VIXL_BANK_P, VIXL_BANKS };
enum {
	VIXL_X_BYTES = 34 * 8,
	VIXL_V_BYTES = 32 * 256,
	VIXL_P_BYTES = 17 * 32,
	VIXL_BANK_BYTES = VIXL_X_BYTES + VIXL_V_BYTES + VIXL_P_BYTES
};
struct vixl_bank {
	uint8_t value[VIXL_BANK_BYTES], known[VIXL_BANK_BYTES];
};

/* What is known of memory: words of 8 bytes, by bytes. */
struct vixl_memory {
	struct base_map words;
	struct base_buf asked; /* what a span loaded without having stored it */
	size_t most, early;    /* words; bytes of `asked` before the first store */
	bool judge;            /* the whole trace's, not a span's */
	bool forgot;           /* nothing from before the span counts at its end */
	bool wrote;            /* a store was seen */
	bool blind;            /* stores may be hidden until one is seen */
	bool shared;           /* several CPUs take turns: a store of one may be logged late */
};

/* Findings of a span that depend on the spans before it: registers it showed before it wrote them,
 * memory it loaded. */
struct vixl_part {
	struct vixl_bank now;           /* known: written, or shown, within the span */
	uint8_t wiped[VIXL_BANK_BYTES]; /* written, with a value that is not known */
	struct vixl_bank asked;         /* shown before that */
	struct check_place asked_at[34 + 32 + 17];
	bool reset; /* a gap: nothing from before counts */
	struct vixl_memory memory;
};
struct vixl_judge {
	struct vixl_bank now;
	struct vixl_memory memory;
};

/* rules_lines.c: the lines of a span. */
int vixl_rules_lines(struct cairn_reader *reader, struct model_span *span, struct check_part *part);
/* rules_values.c: its batches. */
int vixl_rules_values(struct cairn_reader *reader, struct model_span *span,
                      struct check_part *part);
int vixl_rules_join(struct vixl_judge *judge, const struct vixl_part *part, struct check_part *p);
/* rules_memory.c: what the instruction in a row of a batch does to memory. */
void vixl_memory_init(struct vixl_memory *memory, struct cairn *cairn, bool judge);
void vixl_memory_free(struct vixl_memory *memory);
int vixl_memory_slot(struct vixl_memory *memory, const struct cairn_batch *batch, uint32_t row,
                     const struct check_place *at, struct check_part *part);
int vixl_memory_join(struct vixl_memory *memory, const struct vixl_memory *part,
                     struct check_part *p);

#endif
