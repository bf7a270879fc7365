/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_SELECT_INTERNAL_H
#define MODEL_SELECT_INTERNAL_H
/*
 * Inside view of selections: what a region and an expression become once they
 * are parsed. Everything here is built during setup and only read afterwards,
 * so that any number of threads may judge batches with one selection.
 */
#include <stdbool.h>

#include "base/base.h"
#include "cairn/select.h"

/* ---- numbers and sentences shared by both parsers ---- */

/* Scan a number: 1000, 1_000_000, 20k, 3M, 1G (powers of 1000), 0x8000_0000.
 * *p moves past it. Returns NULL, or what is wrong with it as a clause; *p is
 * then where. `hex` (may be NULL) tells whether it was written with 0x. */
const char *select_number(const char **p, const char *end, uint64_t *values, bool *hex);

/* Copy up to `cap - 1` bytes of s for a message: control characters become '?',
 * what does not fit ends in "...". Returns buf. */
const char *select_quote(char *buf, size_t cap, const char *text, size_t n);

/* Fail with "WHAT 'TEXT', character N: sentence"; `at` counts bytes from 0. Of a
 * long text the part around the place is shown. */
int select_fail(struct cairn *cairn, int status, const char *what, const char *text, size_t at,
                const char *fmt, ...) CAIRN_PRINTF(6, 7);

/* Look a symbol up and give its extent (at least one address). Fails as
 * select_fail does. */
int select_symbol(struct cairn *cairn, const struct cairn_image *image, const char *what,
                  const char *text, size_t at, const char *name, size_t n, uint64_t *first,
                  uint64_t *last);

/* ---- regions ---- */

struct select_range { /* inclusive */
	uint64_t first, last;
};

enum select_ctx_field {
	SELECT_CTX_HART,
	SELECT_CTX_HW_TID,
	SELECT_CTX_PID,
	SELECT_CTX_TID,
	SELECT_CTX_ASID,
	SELECT_CTX_VMID,
	SELECT_CTX_COUNT
};

enum select_has { /* which constraints a region has; context field f is bit SELECT_HAS_CTX + f */
	              SELECT_HAS_INSN = 1u << 0,
	              SELECT_HAS_REC = 1u << 1,
	              SELECT_HAS_PC = 1u << 2,
	              SELECT_HAS_CTX = 3 /* a shift, not a bit */
};

/* One region: all of its constraints hold (a comma intersects). Constraints of
 * one kind are already folded into one. */
struct select_region {
	uint32_t has;
	struct select_range insn, rec, pc;
	uint32_t ctx[SELECT_CTX_COUNT];
	/* A symbol where address spaces have their own: a different place in each, or none. */
	const struct cairn_image *spaces;
	const char *symbol;
	uint64_t plus; /* UINT64_MAX: all of it */
};

int select_parse_region(struct cairn *cairn, const struct cairn_image *image, const char *text,
                        struct select_region *out);
static inline bool select_region_has_ctx(const struct select_region *region)
{
	return region->has >> SELECT_HAS_CTX != 0 || region->spaces;
}
/* The value of a context field; false when it is not known in this row. */
bool select_ctx_value(const struct cairn_ctx *ctx, enum select_ctx_field field, uint32_t *values);

/* ---- patterns (the right side of =~) ---- */

struct expr_match;

/* Compile a pattern; NULL with *why set (a clause) or, when out of memory, NULL. */
struct expr_match *expr_match_new(struct cairn *cairn, const char *text, size_t n,
                                  const char **why);
void expr_match_free(struct cairn *cairn, struct expr_match *match);
/* Does it occur in the text? Time is linear in `n`. */
bool expr_match_find(const struct expr_match *match, const char *text, size_t n);

/* ---- expressions ---- */

enum {
	EXPR_MAX_TEXT = 1 << 16,
	EXPR_MAX_DEPTH = 200,
	EXPR_MAX_CODE = 4096,
	EXPR_MAX_STACK = 32,
	EXPR_MAX_MATCHES = 16,
	EXPR_MAX_REGS = 256
};

/* Where a field's value lies. ROW is the instruction or transaction itself, the
 * others are rows that belong to it. */
enum expr_scope { EXPR_ROW, EXPR_MEM, EXPR_REG, EXPR_EVENT };

enum expr_type {
	EXPR_COND, /* already a condition */
	EXPR_NUM,
	EXPR_BITS,    /* a number made by '&': alone it asks whether any bit is set */
	EXPR_BOOL,    /* a field that is true, false or unknown */
	EXPR_ENUM,    /* a number whose values have names */
	EXPR_REGNAME, /* the name of a register row */
	EXPR_TEXT
};

enum expr_enum {
	EXPR_ENUM_NONE,
	EXPR_ENUM_CLASS,
	EXPR_ENUM_ISA,
	EXPR_ENUM_PRIV,
	EXPR_ENUM_SECURITY,
	EXPR_ENUM_RCLASS,
	EXPR_ENUM_ROLE,
	EXPR_ENUM_MEMKIND,
	EXPR_ENUM_BY,
	EXPR_ENUM_EVENT,
	EXPR_ENUM_PHASE
};

enum expr_field_id {
	/* the row */
	F_N,
	F_RECORD,
	F_OFFSET,
	F_SIZE,
	F_PC,
	F_ENC,
	F_ISA,
	F_CLASS,
	F_TARGET,
	F_TAKEN,
	F_EXECUTED,
	F_ANNULLED,
	F_ABORTED,
	F_DISCARDED,
	F_DISCONTINUITY,
	F_SYMBOL,
	F_TRAIT, /* arg: the bit */
	F_PRIV,
	F_SECURITY,
	F_HART,
	F_HW_TID,
	F_PID,
	F_TID,
	F_ASID,
	F_VMID,
	F_CTXID,
	F_ID,
	F_DELTA,
	F_CHANNEL,
	F_CODE,
	F_PARAM,
	F_SOURCE,
	F_SINK,
	F_ADDRESS,
	F_CLOCK,
	/* a memory access */
	F_ADDR,
	F_PA,
	F_MSIZE,
	F_MVALUE,
	F_READ,
	F_WRITE,
	F_MKIND,
	F_BY,
	F_UNIT,
	F_LANE,
	F_ATTR,
	/* a register row */
	F_RNUM,
	F_RCLASS,
	F_ROLE,
	F_RVALUE,
	F_BITS,
	F_LSB,
	F_RNAME,
	/* an event */
	F_EKIND,
	F_EIS /* arg: the kind */,
	F_ECODE,
	F_ETARGET,
	F_PHASE,
	F_ETEXT,
	F_NARGS,
	F_EARG /* arg: which */
};

struct expr_field {
	const char *name;
	uint8_t id;     /* enum expr_field_id */
	uint8_t scope;  /* enum expr_scope */
	uint8_t type;   /* enum expr_type */
	uint8_t en;     /* enum expr_enum */
	bool outside;   /* of a memory access, but may be named without mem(…) */
	uint32_t parts; /* of the batch (enum cairn_part) */
	uint32_t arg;
};

/* Find a field named inside `scope`: the scope's own first, then the row's. */
bool expr_field_find(const char *name, size_t n, enum expr_scope scope, struct expr_field *out);
/* Find it in any scope, to say where it belongs. */
bool expr_field_anywhere(const char *name, size_t n, struct expr_field *out);
/* Value of an enum's name, or -1. Every enum's values are below 64. */
int expr_enum_value(enum expr_enum en, const char *name, size_t n);
/* The i-th name of an enum and its value; NULL past the last. */
const char *expr_enum_name(enum expr_enum en, unsigned index, unsigned *value);
/* "; did you mean 'a' or 'b'?", or "" when nothing is near. */
const char *expr_near_field(const char *name, size_t n, enum expr_scope scope, char *buf,
                            size_t cap);
const char *expr_near_enum(enum expr_enum en, const char *name, size_t n, char *buf, size_t cap);
/* Same name, case aside, '_' and '-' alike. */
bool expr_same(const char *name, const char *text, size_t n);

enum expr_cmp { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };

enum expr_opcode {
	/* numbers: a stack */
	OP_CONST, /* push imm */
	OP_FIELD, /* push field(arg) */
	OP_ADD,
	OP_SUB,
	OP_AND,
	/* conditions: set the accumulator */
	OP_CMP,       /* pop two, cmp */
	OP_CMP_FC,    /* field(arg) cmp imm: what most expressions are made of */
	OP_TRUTH,     /* pop; not zero */
	OP_TRUTH_F,   /* field(arg) is not zero */
	OP_KNOWN,     /* pop; is it known */
	OP_SET,       /* pop; bit of imm */
	OP_IN,        /* pop; ranges arg … arg + imm - 1 */
	OP_TEXT_EQ,   /* field's text is string arg; cmp EQ or NE */
	OP_TEXT_FIND, /* field's text contains pattern arg */
	OP_NAME_IN,   /* the register row is one of regs arg … + imm - 1; cmp EQ or NE */
	OP_NAME_FIND, /* the register row's name contains pattern arg */
	OP_ANY_REG,   /* the instruction has one of them in role `field` */
	OP_ANY_EVENT, /* it has an event of the trace's own */
	OP_NOT,
	OP_JF,
	OP_JT,   /* skip arg ops if the accumulator is false, true */
	OP_GROUP /* the next arg ops hold for some row of scope `cmp` */
};

struct expr_ins { /* 16 bytes */
	uint8_t op, cmp;
	uint16_t field;
	uint32_t arg;
	uint64_t imm;
};

struct expr_str { /* within expr.text */
	uint32_t off, len;
};

/* A register name may mean something else in each instruction set. */
struct expr_reg {
	uint32_t known; /* bit per enum cairn_isa */
	uint16_t num[CAIRN_ISA_LAST + 1];
	uint8_t cls[CAIRN_ISA_LAST + 1];
};

/* Find a register by name in every instruction set; CAIRN_E_NOTFOUND, without a sentence. */
int expr_reg_find(struct expr_reg *out, const char *text, size_t n);

struct expr {
	struct cairn *cairn;
	const struct cairn_image *image;
	char *text;
	uint32_t parts;
	bool context, records;
	uint32_t n_code, n_matches;
	struct base_buf code, ranges, strs,
		regs; /* struct expr_ins, select_range, expr_str, expr_reg */
	struct expr_match *matches[EXPR_MAX_MATCHES];
};

/* How many of the judged rows lack a field that was asked for and that decided. */
struct select_untold {
	uint64_t judged, with_regs, with_mems, accessing;
	uint64_t fields[64]; /* enum expr_field_id */
};
_Static_assert(F_EARG < 64, "fields are bits");
void select_note_untold(struct select_untold *untold, uint64_t fields);

int expr_new(struct cairn *cairn, const struct cairn_image *image, const char *text,
             struct expr **out);
void expr_free(struct expr *expr);
/* Clear keep[i] of the rows that are set and for which it does not hold; adds to `out`. */
void expr_filter(const struct expr *expr, const struct cairn_batch *batch, uint8_t *keep,
                 struct select_untold *out);
/* The lowest and the highest number for which it can hold, as far as it says so plainly. */
void expr_bounds(const struct expr *expr, uint64_t *first, uint64_t *last);

static inline const struct expr_ins *expr_code(const struct expr *expr)
{
	return (const void *)expr->code.data;
}

#endif
