/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be judged line by line: spelling, order, flow, and what the simulator is
 * known to get wrong. A span begins where the state before it is sealed, so nothing is
 * left to be joined.
 */
#include <string.h>

#include "formats/vixl/draw.h"
#include "formats/vixl/rules.h"

struct lines {
	const struct vixl_impl *im;
	struct vixl_span *ss;
	struct vixl_worker *w;
	struct check_part *p;
	uint64_t n, line, off;
	uint64_t next, flags; /* where the flow goes on: enum vixl_flow_flag */
	bool logged;
	/* the instruction */
	bool open;
	struct vixl_flow f;
	struct cairn_op op;
	struct check_place at; /* of its line */
	unsigned registers;    /* lines of registers just before, without accesses */
	unsigned flag_lines, stores;
	char text[VIXL_LINE_MAX + VIXL_STATE_MAX];
};

static struct check_place rules_lines_here(const struct lines *k)
{
	return (struct check_place){.record = k->line,
	                            .offset = k->off,
	                            .line = k->line,
	                            .insn = k->open ? k->n - 1 : 0,
	                            .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET |
	                                     CAIRN_PLACE_LINE |
	                                     (k->open ? (unsigned)CAIRN_PLACE_INSN : 0)};
}

#define FOUND(k, rule, ...) \
	do { \
		struct check_place at_ = rules_lines_here(k); \
		check_add((k)->p, VIXL_RULE_##rule, &at_, __VA_ARGS__); \
	} while (0)

/* ---- an instruction's end ---- */

static void judge_traps(struct lines *k)
{
	uint32_t e = k->f.enc;
	switch (vixl_trap_of(e)) {
	case VIXL_TRAP_ATOMIC:
	case VIXL_TRAP_SWAP:
		if (k->stores && vixl_trap_of(e) == VIXL_TRAP_ATOMIC)
			check_add(k->p, VIXL_RULE_DEFECT_ATOMIC, &k->at,
			          "the value stored is the operand, not the result");
		if (k->stores && vixl_same_register(e))
			check_add(k->p, VIXL_RULE_DEFECT_SAME, &k->at,
			          "the operand shown is what was loaded into the same register");
		break;
	case VIXL_TRAP_UNSCALED:
		check_add(k->p, VIXL_RULE_DEFECT_UNSCALED, &k->at,
		          "the register is shown twice, the second time by its lower half");
		break;
	case VIXL_TRAP_FLAGS:
		if (!k->flag_lines)
			check_add(k->p, VIXL_RULE_DEFECT_FLAGS, &k->at, "the flags it writes are not shown");
		break;
	case VIXL_TRAP_TAGS:
	case VIXL_TRAP_TAG_PAIR:
		check_add(k->p, VIXL_RULE_DEFECT_STORE, &k->at, "what it stores is not shown");
		break;
	case VIXL_TRAP_BROADCAST:
	case VIXL_TRAP_REPLICATE:
		check_add(k->p, VIXL_RULE_DEFECT_LOAD, &k->at, "what it loads is not shown");
		break;
	default:
		break;
	}
}

/* `followed`: another instruction comes in this run. */
static void rules_lines_end_insn(struct lines *k, bool followed)
{
	if (!k->open)
		return;
	judge_traps(k);
	uint32_t branch = k->op.traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_CONDITIONAL);
	if (followed && k->logged && branch == CAIRN_TRAIT_BRANCH && !k->f.branched)
		check_add(k->p, VIXL_RULE_FLOW_MISSING, &k->at, "no Branch line follows the branch");
	k->flags = vixl_follow(&k->f, &k->op, k->logged, &k->next);
	k->open = false;
}

static void rules_lines_begin_insn(struct lines *k, const struct vixl_line *l)
{
	bool known = !(l->masked & VIXL_MASKED_ADDR);
	rules_lines_end_insn(k, true);
	k->n++;
	k->open = true;
	k->at = rules_lines_here(k);
	if (known && (k->flags & VIXL_F_NEXT) && !(k->flags & VIXL_F_GAP) && k->next != l->addr)
		check_add(k->p, VIXL_RULE_FLOW_NEXT, &k->at,
		          "the instruction is at 0x%llx; the one before it goes on at 0x%llx",
		          (unsigned long long)l->addr, (unsigned long long)k->next);
	k->f = (struct vixl_flow){.pc = l->addr, .enc = l->enc, .pc_known = known};
	k->op = *isa_memo_get(k->w->memo, CAIRN_ISA_A64, l->enc, 4);
	k->registers = k->flag_lines = k->stores = 0;
}

/* ---- other lines ---- */

static void rules_lines_branch_line(struct lines *k, const struct vixl_line *l)
{
	uint32_t may =
		CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT;
	bool direct =
		(k->op.traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_INDIRECT)) == CAIRN_TRAIT_BRANCH;
	uint64_t target = k->f.pc + (uint64_t)k->op.offset;
	if (!k->open) {
		/* A trace that is switched on begins with the branch of the HLT that does it. */
		k->next = l->addr;
		k->flags = l->masked ? k->flags & ~(uint64_t)VIXL_F_NEXT : k->flags | VIXL_F_NEXT;
		return;
	}
	if (k->f.branched)
		FOUND(k, FLOW_BRANCH, "a second Branch line");
	else if (!(k->op.traits & may))
		FOUND(k, FLOW_BRANCH, "a Branch line, but the instruction is no branch");
	else if (direct && k->f.pc_known && !l->masked && l->addr != target)
		FOUND(k, FLOW_TARGET, "the line says 0x%llx, the encoding 0x%llx",
		      (unsigned long long)l->addr, (unsigned long long)target);
	k->f.branched = true;
	k->f.target = l->addr;
	k->f.target_known = !l->masked;
}

/* Structures of several Z registers repeat the first one's values. */
static bool repeats_values(const struct lines *k, const struct vixl_line *l)
{
	char own[VIXL_FP_TEXT];
	uint32_t e = k->f.enc;
	bool several = l->kind == VIXL_ZREG && l->num != (e & 31) &&
	               (e >> 25 == 0xa4 >> 1 || e >> 25 == 0xe4 >> 1);
	if (!several || !l->fp || memmem(l->fp, l->fp_len, "...", 3))
		return false;
	size_t n = vixl_fp_text(own, l->value, 16, 1u << (e >> 23 & 3), UINT32_MAX);
	return n != l->fp_len || memcmp(own, l->fp, n) != 0;
}

static void rules_lines_register_line(struct lines *k, const struct vixl_line *l)
{
	if (!vixl_is_today(l) && k->im->look.today > k->im->look.before)
		FOUND(k, LINE_COLUMNS, "the name or value is not in the usual columns");
	if (l->kind == VIXL_PREG && l->arrow && l->lsb)
		FOUND(k, DEFECT_PREDICATE, "the address is %u too high", 14 * (l->lsb / 16u));
	if (k->open && repeats_values(k, l))
		FOUND(k, DEFECT_ANNOTATION, "the values in parentheses are another register's");
	k->registers = l->arrow ? 0 : k->registers + 1;
}

static void spelling(struct lines *k, const struct vixl_line *l, const char *p, size_t n)
{
	if (l->prefix)
		FOUND(k, TEXT_GLUED, "%u bytes of other text stand before the line", l->prefix);
	if (l->kind == VIXL_TEXT && !l->prefix && vixl_is_ours(p, n)) {
		;
	} else if (l->kind == VIXL_TEXT) {
		FOUND(k, TEXT_FOREIGN, "this is no line of the simulator's");
	} else if (l->kind == VIXL_UNKNOWN) {
		if (vixl_names_register(p, n))
			FOUND(k, VALUE_SIZE, "the value does not fit the register");
		else
			FOUND(k, REGISTER_NAME, "no register has that name");
	} else if (l->kind != VIXL_INSN) {
		size_t size = vixl_print(l, k->text);
		if (size != n - l->prefix || memcmp(k->text, p + l->prefix, size) != 0)
			FOUND(k, LINE_COLOUR, "colours or spaces are not the simulator's");
	}
}

/* Another CPU's stores may stand behind what they were loaded by. */
static void elsewhere(struct lines *k, const char *p, size_t n)
{
	struct vixl_part *part = k->p->priv;
	if (!vixl_is_elsewhere(p, n))
		return;
	k->f.elsewhere = true;
	part->memory.shared |= memmem(p, n, VIXL_ON_CPU, sizeof VIXL_ON_CPU - 1) != NULL;
}

static void rules_lines_judge(struct lines *k, const struct vixl_line *l, const char *p, size_t n)
{
	bool states = vixl_state_only(k->im);
	spelling(k, l, p, n);
	if (l->kind == VIXL_INSN && !states) {
		rules_lines_begin_insn(k, l);
		return;
	}
	if (!states && !k->open && l->arrow)
		FOUND(k, ORDER_FIRST, "no instruction stands before this line");
	k->stores += l->arrow == '>';
	switch (l->kind) {
	case VIXL_TEXT:
		elsewhere(k, p, n);
		break;
	case VIXL_ACCESS:
		if (k->registers < l->n_values)
			FOUND(k, ACCESS_ORPHAN, "%u register%s stand before this line of %u value%s",
			      k->registers, k->registers == 1 ? "" : "s", l->n_values,
			      l->n_values == 1 ? "" : "s");
		return;
	case VIXL_BLANK:
		return;
	case VIXL_BRANCH:
		rules_lines_branch_line(k, l);
		break;
	case VIXL_NZCV:
		if (k->open && k->flag_lines++)
			FOUND(k, DEFECT_TWICE, "NZCV is shown again");
		break;
	case VIXL_BARE:
		FOUND(k, DEFECT_BARE, "neither the register nor the value is shown");
		break;
	default:
		break;
	}
	if (vixl_is_register(l->kind))
		rules_lines_register_line(k, l);
	else
		k->registers = l->kind == VIXL_UNKNOWN ? 4 : 0; /* that is told already */
}

/* Registers before accesses to them are one group until another register comes. */
int vixl_rules_lines(struct cairn_reader *r, struct model_span *s, struct check_part *p)
{
	struct vixl_span *ss = s->priv;
	struct lines *k = base_alloc(r->c, sizeof *k);
	struct vixl_line l;
	bool drawn = false;
	if (!k)
		return CAIRN_E_NOMEM;
	k->im = r->impl;
	k->ss = ss;
	k->w = s->worker;
	k->p = p;
	k->n = ss->at.n;
	k->line = ss->at.line;
	k->off = ss->at.off;
	k->next = ss->at.next;
	k->flags = ss->at.flags;
	k->logged = k->im->look.log & VIXL_LOG_BRANCH;
	for (const char *q = ss->w.p; q < ss->w.end; k->line++) {
		const char *e, *next = vixl_line_end(q, ss->w.end, &e);
		vixl_parse(q, (size_t)(e - q), &l, &k->w->plain);
		if (drawn && vixl_is_register(l.kind))
			k->registers = 0;
		drawn = l.kind == VIXL_ACCESS || l.kind == VIXL_BLANK;
		rules_lines_judge(k, &l, q, (size_t)(e - q));
		k->off += (uint64_t)(next - q);
		q = next;
		if (k->open && (k->f.elsewhere || (k->f.branched && k->f.target_known && k->f.target == 0)))
			rules_lines_end_insn(k, false); /* the run has ended */
	}
	rules_lines_end_insn(k, ss->peeked);
	if (ss->broken)
		FOUND(k, INPUT_COMPLETE, "%s", ss->why);
	base_free(r->c, k);
	return 0;
}
