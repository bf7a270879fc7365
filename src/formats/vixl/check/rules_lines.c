/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be judged line by line: spelling, order, flow, and what the simulator is
 * known to get wrong. A span begins where the state before it is sealed, so nothing is
 * left to be joined.
 */
#include <string.h>

#include "formats/vixl/check/rules.h"
#include "formats/vixl/write/draw.h"

struct lines {
	const struct vixl_impl *im;
	struct text_span *ss;
	struct vixl_worker *worker;
	struct check_part *part;
	uint64_t n, line, off;
	uint64_t next, flags; /* where the flow goes on: enum vixl_flow_flag */
	bool logged;
	/* the instruction */
	bool open;
	struct vixl_flow flow;
	struct cairn_op op;
	struct check_place at; /* of its line */
	unsigned registers;    /* lines of registers just before, without accesses */
	unsigned flag_lines, stores;
	char text[VIXL_LINE_MAX + VIXL_STATE_MAX];
};

static struct check_place rules_lines_here(const struct lines *lines)
{
	return (struct check_place){.record = lines->line,
	                            .offset = lines->off,
	                            .line = lines->line,
	                            .insn = lines->open ? lines->n - 1 : 0,
	                            .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET |
	                                     CAIRN_PLACE_LINE |
	                                     (lines->open ? (unsigned)CAIRN_PLACE_INSN : 0)};
}

#define FOUND(k, rule, ...) \
	do { \
		struct check_place at_ = rules_lines_here(k); \
		check_add((k)->part, VIXL_RULE_##rule, &at_, __VA_ARGS__); \
	} while (0)

/* ---- an instruction's end ---- */

static void judge_traps(struct lines *lines)
{
	uint32_t e = lines->flow.enc;
	switch (vixl_trap_of(e)) {
	case VIXL_TRAP_ATOMIC:
	case VIXL_TRAP_SWAP:
		if (lines->stores && vixl_trap_of(e) == VIXL_TRAP_ATOMIC)
			check_add(lines->part, VIXL_RULE_DEFECT_ATOMIC, &lines->at,
			          "the value stored is the operand, not the result");
		if (lines->stores && vixl_same_register(e))
			check_add(lines->part, VIXL_RULE_DEFECT_SAME, &lines->at,
			          "the operand shown is what was loaded into the same register");
		break;
	case VIXL_TRAP_UNSCALED:
		check_add(lines->part, VIXL_RULE_DEFECT_UNSCALED, &lines->at,
		          "the register is shown twice, the second time by its lower half");
		break;
	case VIXL_TRAP_FLAGS:
		if (!lines->flag_lines)
			check_add(lines->part, VIXL_RULE_DEFECT_FLAGS, &lines->at,
			          "the flags it writes are not shown");
		break;
	case VIXL_TRAP_TAGS:
	case VIXL_TRAP_TAG_PAIR:
		check_add(lines->part, VIXL_RULE_DEFECT_STORE, &lines->at, "what it stores is not shown");
		break;
	case VIXL_TRAP_BROADCAST:
	case VIXL_TRAP_REPLICATE:
		check_add(lines->part, VIXL_RULE_DEFECT_LOAD, &lines->at, "what it loads is not shown");
		break;
	default:
		break;
	}
}

/* `followed`: another instruction of this run comes. */
static void rules_lines_end_insn(struct lines *lines, bool followed)
{
	if (!lines->open)
		return;
	judge_traps(lines);
	uint32_t branch = lines->op.traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_CONDITIONAL);
	if (followed && lines->logged && branch == CAIRN_TRAIT_BRANCH && !lines->flow.branched)
		check_add(lines->part, VIXL_RULE_FLOW_MISSING, &lines->at,
		          "no Branch line follows the branch");
	lines->flags = vixl_follow(&lines->flow, &lines->op, lines->logged, &lines->next);
	lines->open = false;
}

static void rules_lines_begin_insn(struct lines *lines, const struct vixl_line *line)
{
	bool known = !(line->masked & VIXL_MASKED_ADDR);
	rules_lines_end_insn(lines, true);
	lines->n++;
	lines->open = true;
	lines->at = rules_lines_here(lines);
	if (known && (lines->flags & VIXL_F_NEXT) && !(lines->flags & VIXL_F_GAP) &&
	    lines->next != line->addr)
		check_add(lines->part, VIXL_RULE_FLOW_NEXT, &lines->at,
		          "the instruction is at 0x%llx; the one before it goes on at 0x%llx",
		          (unsigned long long)line->addr, (unsigned long long)lines->next);
	lines->flow = (struct vixl_flow){.pc = line->addr, .enc = line->enc, .pc_known = known};
	lines->op = *isa_memo_get(lines->worker->text.memo, CAIRN_ISA_A64, line->enc, 4);
	lines->registers = lines->flag_lines = lines->stores = 0;
}

/* ---- other lines ---- */

static void rules_lines_branch_line(struct lines *lines, const struct vixl_line *line)
{
	uint32_t may =
		CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT;
	bool direct =
		(lines->op.traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_INDIRECT)) == CAIRN_TRAIT_BRANCH;
	uint64_t target = lines->flow.pc + (uint64_t)lines->op.offset;
	if (!lines->open) {
		/* A trace that is switched on begins with the branch of the HLT that did it. */
		lines->next = line->addr;
		lines->flags =
			line->masked ? lines->flags & ~(uint64_t)VIXL_F_NEXT : lines->flags | VIXL_F_NEXT;
		return;
	}
	if (lines->flow.branched)
		FOUND(lines, FLOW_BRANCH, "a second Branch line");
	else if (!(lines->op.traits & may))
		FOUND(lines, FLOW_BRANCH, "a Branch line, but the instruction is not a branch");
	else if (direct && lines->flow.pc_known && !line->masked && line->addr != target)
		FOUND(lines, FLOW_TARGET, "the line says 0x%llx, the encoding 0x%llx",
		      (unsigned long long)line->addr, (unsigned long long)target);
	vixl_flow_branch(&lines->flow, line);
}

/* Structures of several Z registers repeat the first one's values. */
static bool repeats_values(const struct lines *lines, const struct vixl_line *line)
{
	char own[VIXL_FP_TEXT];
	uint32_t e = lines->flow.enc;
	bool several = line->kind == VIXL_ZREG && line->num != (e & 31) &&
	               (e >> 25 == 0xa4 >> 1 || e >> 25 == 0xe4 >> 1);
	if (!several || !line->fp || memmem(line->fp, line->fp_len, "...", 3))
		return false;
	size_t n = vixl_fp_text(own, line->value, 16, 1u << (e >> 23 & 3), UINT32_MAX);
	return n != line->fp_len || memcmp(own, line->fp, n) != 0;
}

static void rules_lines_register_line(struct lines *lines, const struct vixl_line *line)
{
	if (!vixl_is_today(line) && lines->im->look.today > lines->im->look.before)
		FOUND(lines, LINE_COLUMNS, "the name or value is not in the usual columns");
	if (line->kind == VIXL_PREG && line->arrow && line->lsb)
		FOUND(lines, DEFECT_PREDICATE, "the address is %u too high", 14 * (line->lsb / 16u));
	if (lines->open && repeats_values(lines, line))
		FOUND(lines, DEFECT_ANNOTATION, "the values in parentheses are another register's");
	lines->registers = line->arrow ? 0 : lines->registers + 1;
}

static void spelling(struct lines *lines, const struct vixl_line *line, const char *p, size_t n)
{
	if (line->prefix)
		FOUND(lines, TEXT_GLUED, "%u bytes of other text stand before the line", line->prefix);
	if (line->kind == VIXL_TEXT && !line->prefix && vixl_is_ours(p, n)) {
		;
	} else if (line->kind == VIXL_TEXT) {
		FOUND(lines, TEXT_FOREIGN, "this is not a line of the simulator");
	} else if (line->kind == VIXL_UNKNOWN) {
		if (vixl_names_register(p, n))
			FOUND(lines, VALUE_SIZE, "the value does not fit the register");
		else
			FOUND(lines, REGISTER_NAME, "no register has that name");
	} else if (line->kind != VIXL_INSN) {
		size_t size = vixl_print(line, lines->text);
		if (size != n - line->prefix || memcmp(lines->text, p + line->prefix, size) != 0)
			FOUND(lines, LINE_COLOUR, "colours or spaces are not the simulator's");
	}
}

/* Another CPU's stores may be logged behind the loads that saw them. */
static void elsewhere(struct lines *lines, const char *p, size_t n)
{
	struct vixl_part *part = lines->part->priv;
	if (!vixl_is_elsewhere(p, n))
		return;
	lines->flow.elsewhere = true;
	part->memory.shared |= memmem(p, n, VIXL_ON_CPU, sizeof VIXL_ON_CPU - 1) != NULL;
}

static void rules_lines_judge(struct lines *lines, const struct vixl_line *line, const char *p,
                              size_t n)
{
	bool states = vixl_state_only(lines->im);
	spelling(lines, line, p, n);
	if (line->kind == VIXL_INSN && !states) {
		rules_lines_begin_insn(lines, line);
		return;
	}
	if (!states && !lines->open && line->arrow)
		FOUND(lines, ORDER_FIRST, "no instruction stands before this line");
	lines->stores += line->arrow == '>';
	switch (line->kind) {
	case VIXL_TEXT:
		elsewhere(lines, p, n);
		break;
	case VIXL_ACCESS:
		if (lines->registers < line->n_values)
			FOUND(lines, ACCESS_ORPHAN, "%u register%s stand before this line of %u value%s",
			      lines->registers, lines->registers == 1 ? "" : "s", line->n_values,
			      line->n_values == 1 ? "" : "s");
		return;
	case VIXL_BLANK:
		return;
	case VIXL_BRANCH:
		rules_lines_branch_line(lines, line);
		break;
	case VIXL_NZCV:
		if (lines->open && lines->flag_lines++)
			FOUND(lines, DEFECT_TWICE, "NZCV is shown again");
		break;
	case VIXL_BARE:
		FOUND(lines, DEFECT_BARE, "neither the register nor the value is shown");
		break;
	default:
		break;
	}
	if (vixl_is_register(line->kind))
		rules_lines_register_line(lines, line);
	else
		lines->registers = line->kind == VIXL_UNKNOWN ? 4 : 0; /* that is told already */
}

/* Registers before their accesses are one group, until another register comes. */
int vixl_rules_lines(struct cairn_reader *reader, struct model_span *span, struct check_part *part)
{
	struct vixl_span *of = span->priv;
	struct text_span *ss = &of->text;
	struct lines *lines = base_alloc(reader->cairn, sizeof *lines);
	struct vixl_line line;
	bool drawn = false;
	if (!lines)
		return CAIRN_E_NOMEM;
	lines->im = reader->impl;
	lines->ss = ss;
	lines->worker = span->worker;
	lines->part = part;
	lines->n = ss->at.n;
	lines->line = ss->at.line;
	lines->off = ss->at.off;
	lines->next = of->onward.next;
	lines->flags = of->onward.flags;
	lines->logged = lines->im->look.log & VIXL_LOG_BRANCH;
	const char *const end = ss->bytes.window.end;
	for (const char *q = ss->bytes.window.p; q < end; lines->line++) {
		const char *e, *next = text_line_ends(q, end, &e);
		vixl_parse(q, (size_t)(e - q), &line, &lines->worker->plain);
		if (drawn && vixl_is_register(line.kind))
			lines->registers = 0;
		drawn = line.kind == VIXL_ACCESS || line.kind == VIXL_BLANK;
		rules_lines_judge(lines, &line, q, (size_t)(e - q));
		lines->off += (uint64_t)(next - q);
		q = next;
		if (lines->open &&
		    (lines->flow.elsewhere ||
		     (lines->flow.branched && lines->flow.target_known && lines->flow.target == 0)))
			rules_lines_end_insn(lines, false); /* the run has ended */
	}
	rules_lines_end_insn(lines, of->peeked);
	if (ss->bytes.broken)
		FOUND(lines, INPUT_COMPLETE, "%s", ss->bytes.why);
	base_free(reader->cairn, lines);
	return 0;
}
